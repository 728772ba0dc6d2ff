-- usage: build/strew scripts/reference/luacats.lua FILE
-- Writes the text for language servers: lua_bindings/strew.lua with functions in place of its calls, classes of their
-- options, and a line after each function that is a method, too, or has forms in place.
local text = dofile "scripts/reference/text.lua"
local file <close> = assert(io.open "lua_bindings/strew.lua")
local lines, classes = {}, {}
local constants = {"pi = 3.141592653589793", "inf = 1 / 0", "nan = 0 / 0", "null = {}"}

local function add(...) table.insert(lines, (string.format(...):gsub("%s+$", ""))) end
local function member(table, name) return table .. (name == "repeat" and '["repeat"]' or "." .. name) end
local function optional(it) return it.optional and "?" or "" end

-- The type of a parameter; a table of options is a class, declared below the function.
local function type_of(param, name)
  if not param.fields then return param.type end
  table.insert(classes, {name = ("strew.%s_options%s"):format(name, classes[1] and #classes + 1 or ""),
                         fields = param.fields})
  return (param.name == "..." and param.type .. "|" or "") .. classes[#classes].name
end

local function overload_text(call, name)
  local params, returns = {}, {}
  for i, param in ipairs(call.params) do
    params[i] = ("%s%s: %s"):format(param.name, optional(param), type_of(param, name))
  end
  for i, result in ipairs(call.returns) do returns[i] = result.type .. optional(result) end
  return ("fun(%s)%s"):format(table.concat(params, ", "), returns[1] and ": " .. table.concat(returns, ", ") or "")
end

local function add_forms(name, forms)
  local names, values = {}, {}
  local function form(owner, other)
    table.insert(names, member(owner, other))
    table.insert(values, member("strew", name))
  end
  if forms.inplace then form("strew", name .. "_") end
  if forms.method then form("Tensor", name) end
  if forms.inplace then form("Tensor", name .. "_") end
  if names[1] then add("%s = %s", table.concat(names, ", "), table.concat(values, ", ")) end
end

local function add_function(entry)
  local names, name = {}, entry.name
  classes = {}
  for i, param in ipairs(entry.params) do
    names[i] = param.name
    local shown = param.shown ~= param.name and ('"%s" '):format(param.shown) or ""
    add("---@param %s%s %s %s%s", param.name, optional(param), type_of(param, name), shown, param.text)
  end
  for _, result in ipairs(entry.returns) do
    local label = result.name ~= result.type and result.name or ""
    add("---@return %s%s %s %s", result.type, optional(result), label, result.text)
  end
  for _, call in ipairs(entry.overloads) do add("---@overload %s", overload_text(call, name)) end
  add("%s = function(%s) end", member("strew", name), table.concat(names, ", "))
  add_forms(name, entry.forms)
  for _, class in ipairs(classes) do
    add("\n---@class %s", class.name)
    for _, field in ipairs(class.fields) do
      add("---@field %s%s %s %s", field.name, optional(field), field.type, field.text)
    end
  end
end

local groups = {} -- of functions strew.GROUP.NAME
for _, entry in ipairs(text.entries) do
  local group = entry.kind == "function" and entry.name:match "^(.-)%."
  if group and not groups[group] then table.insert(groups, group) end
  groups[group or ""] = true
end

local block, declared, is_read -- the first line of a block, the entry of its call, and whether that has the line
for line in file:lines() do
  local name = line:match "^%-%-%-@call strew%.([%w_.]+)"
  while line == "return strew" and constants[1] do
    add("---@type %s\nstrew.%s", constants[4] and "lightuserdata" or "number", table.remove(constants))
  end
  if line == "" then
    if declared then add_function(declared) end
    block, declared = nil, nil
  end
  declared = name and text.find(name) or declared
  block = block or line
  is_read = declared or line:find "^%-%-%-@param" or line:find "^%-%-%-@return" or is_read and line:find "^%-%-%-  "
  if not is_read then table.insert(lines, line) end
  if line == "strew = {}" then
    for _, group in ipairs(groups) do add("strew.%s = {}", group) end
  end
end
text.write(arg[1], table.concat(lines, "\n") .. "\n")
