-- usage: lua5.4 tests/loop_variables.lua FILE...
-- Finds assignments to the variable of a numeric loop, and to the first one of a generic loop, which Lua 5.5 refuses.
-- By luacheck's parser.
package.path = package.path .. ";/usr/share/lua/5.1/?.lua;/usr/share/lua/5.1/?/init.lua"
local parser, decoder = require "luacheck.parser", require "luacheck.decoder"

local found = {}

-- Walks a node. `loops`: for each local variable in scope whether it is that of a loop; blocks see those around them.
local function walk(node, loops, file)
  if type(node) ~= "table" then return end
  local function each(nodes, scope)
    for _, child in ipairs(nodes) do walk(child, scope, file) end
  end
  local function scope_of(names, are_loops)
    local scope = setmetatable({}, {__index = loops})
    for _, name in ipairs(names) do scope[name[1]] = are_loops end
    return scope
  end
  if node.tag == "Set" or node.tag == "OpSet" then
    for _, target in ipairs(node[1]) do
      if target.tag == "Id" and loops[target[1]] then
        found[#found + 1] = ("%s:%d: assigns to '%s', the variable of a loop"):format(file, target.line, target[1])
      end
    end
    each(node, loops)
  elseif node.tag == "Fornum" then
    each({table.unpack(node, 2, #node - 1)}, loops)
    each(node[#node], scope_of({node[1]}, true))
  elseif node.tag == "Forin" then
    each(node[2], loops)
    local scope = scope_of(node[1], false)
    scope[node[1][1][1]] = true
    each(node[3], scope)
  elseif node.tag == "Function" then
    each(node[2], scope_of(node[1], false))
  elseif node.tag == "Local" or node.tag == "Localrec" then
    each(node[2] or {}, loops)
    for _, name in ipairs(node[1].tag and {node[1]} or node[1]) do rawset(loops, name[1], false) end
  elseif node.tag == "Do" or node.tag == "While" or node.tag == "Repeat" or node.tag == "If" or not node.tag then
    each(node, scope_of({}))
  else
    each(node, loops)
  end
end

local function check(text, file)
  local ok, tree = pcall(parser.parse, decoder.decode((text:gsub("^#[^\n]*", ""))), {}, {})
  if not ok then
    found[#found + 1] = ("%s: %s"):format(file, type(tree) == "table" and tree.msg or tree)
    return
  end
  walk(tree, {}, file)
end

-- This script finds one that is there, and none that is not.
check("for i = 1, 2 do local function f() i = 3 end f() end for k in x do local k = 1 k = 2 end", "planted")
assert(#found == 1 and found[1] == "planted:1: assigns to 'i', the variable of a loop", "the check finds nothing")
found = {}

for _, name in ipairs(arg) do
  local file <close> = assert(io.open(name))
  check(file:read "a", name)
end
for _, line in ipairs(found) do print(line) end
os.exit(#found == 0)
