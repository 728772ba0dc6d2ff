std = "lua54"
max_line_length = 120
exclude_files = { "tests/data" } -- one case a line
globals = { "strew" } -- the program presets it
files["tests/spec"].std = "+busted"

-- Lua of the library has an environment of its own (strew_library.c): no script replaces what it calls.
local any = { other_fields = true }
stds.library = {
  read_globals = {
    string = any, table = any, math = any, utf8 = any, format = {}, assert = {}, error = {}, getmetatable = {},
    ipairs = {}, next = {}, pairs = {}, pcall = {}, rawequal = {}, rawget = {}, rawlen = {}, rawset = {}, select = {},
    setmetatable = {}, tonumber = {}, tostring = {}, type = {},
  },
}
files["lua_bindings"] = { std = "library", globals = {} }
files["lua_bindings/program"] = { std = "lua54" }
