-- liars.lua: puts a function of its own in the place of each one that scripts can replace: globals, those of Lua's
-- libraries, which are the methods of strings, too, and those of the module. The library's own code must call none of
-- them (lua_bindings/core/strew_library.c): it would get a lie, and the call is noted. Others get the real function.
-- (print stays: strew.show and strew.help print by it, on purpose.)
--
-- liars.run(f, ...) returns what pcall(f, ...) does, f called with all replaced; liars.told: the names that the library
-- called since liars.told was set to {}.
local strew = ...
local liars = {told = {}}
local getinfo, sub, pcall, rawset, next, type = debug.getinfo, string.sub, pcall, rawset, next, type
local pack, unpack = table.pack, table.unpack
local lies = {false, 1e300, "a lie", {}, {1, 2, "x", names = {}}, -1, function() return "x" end}

local own = {} -- functions of the module
for _, f in next, strew do if type(f) == "function" then own[f] = true end end

local turn = 0
local function liar(name, real)
  return function(...)
    local caller = getinfo(2, "Sf")
    local of_library = caller and (sub(caller.source, 1, 7) == "=strew." or own[caller.func])
    if not of_library then return real(...) end
    liars.told[#liars.told + 1] = name
    turn = turn % #lies + 1
    return lies[turn], lies[turn]
  end
end

-- {table, key, real value, what replaces it}
local places = {}
local function replace_all(t, prefix)
  for key, value in next, t do
    if type(value) == "function" and key ~= "print" then
      places[#places + 1] = {t, key, value, liar(prefix .. tostring(key), value)}
    end
  end
end
replace_all(_G, "")
for _, name in ipairs{"string", "table", "math", "utf8", "os", "io", "coroutine", "debug"} do
  if _G[name] then replace_all(_G[name], name .. ".") end
end
replace_all(strew, "strew.")
local of_strings = getmetatable ""
places[#places + 1] = {of_strings, "__index", of_strings.__index, liar("a method of strings", function(_, key)
  return string[key]
end)}

local function set(k) for i = 1, #places do rawset(places[i][1], places[i][2], places[i][k]) end end

function liars.run(f, ...)
  set(4)
  local results = pack(pcall(f, ...))
  set(3)
  return unpack(results, 1, results.n)
end

return liars
