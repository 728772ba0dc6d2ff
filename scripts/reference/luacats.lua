-- usage: build/strew scripts/reference/luacats.lua FILE
-- Writes the text for language servers: lua_bindings/strew.lua, with a line after each function that is a method, too,
-- or has forms in place.
local text = dofile "scripts/reference/text.lua"
local file <close> = assert(io.open "lua_bindings/strew.lua")
local lines = {}
local constants = {"pi = 3.141592653589793", "inf = 1 / 0", "nan = 0 / 0"}

local function member(table, name) return table .. (name == "repeat" and '["repeat"]' or "." .. name) end

for line in file:lines() do
  while line == "return strew" and constants[1] do
    table.insert(lines, "---@type number\nstrew." .. table.remove(constants))
  end
  table.insert(lines, line)
  local name = line:match "^function strew%.([%w_]+)%(" or line:match '^strew%["(%w+)"%] = function'
  local forms = name and text.find(name).forms or {}
  local names, values = {}, {}
  local function add(owner, form)
    table.insert(names, member(owner, form))
    table.insert(values, member("strew", name))
  end
  if forms.inplace then add("strew", name .. "_") end
  if forms.method then add("Tensor", name) end
  if forms.inplace then add("Tensor", name .. "_") end
  if names[1] then table.insert(lines, table.concat(names, ", ") .. " = " .. table.concat(values, ", ")) end
end
text.write(arg[1], table.concat(lines, "\n") .. "\n")
