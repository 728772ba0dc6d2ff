std = "lua54"
max_line_length = 120
globals = { "strew" } -- the program presets it
files["tests/spec"].std = "+busted"
