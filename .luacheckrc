std = "lua54"
max_line_length = 120
exclude_files = { "tests/data" } -- one case a line
globals = { "strew" } -- the program presets it
files["tests/spec"].std = "+busted"
