-- hints.lua: hints for names that strew, tensors, tables of columns or Lua's libraries lack. A chunk with three
-- arguments: what which.lua returns, the module, and the methods of tensors.
local which, strew, methods = ...
local hints, answers = {}, {names = {}, lua = {}} -- answers: rows by name

-- Functions of the module whose first argument is a table of columns.
local of_tables = {}
for name in ("columns code group_by join pivot rows sort_by value_counts words"):gmatch "[%a_]+" do
  of_tables[name] = true
end

local function each_name(names, f)
  for name in names:gmatch "[^; ]+" do
    local prefix, rest = name:match "^(%l+)%.([%w_]+)$"
    f(prefix and prefix ~= "groupby" and rest or name)
  end
end

for _, task in ipairs(which.tasks) do
  for k = 2, #task do
    for _, library in ipairs(which.libraries) do
      each_name(task[k][library[1]] or "", function(name)
        answers.names[name] = answers.names[name] or {name, task[k][1]}
      end)
    end
  end
end
for list, rows in pairs(answers) do
  for _, row in ipairs(which[list]) do
    each_name(row[1], function(name) rows[name] = row end)
  end
end

-- Returns a hint for a name of another library, or nil: it is none, or it is a name of the module.
function hints.name(name)
  local row = answers.names[name]
  if not row then return nil end
  local of_tensor, of_table = row[2], row[3]
  if of_tensor and of_table then return ("here it is %s; of a table %s"):format(of_tensor, of_table) end
  local code = of_tensor or of_table
  return code and "here it is " .. code or row.say or "strew has nothing like it"
end

-- The same for a name that a library of Lua lacks.
function hints.lua(name)
  local row = answers.lua[name]
  if not row then return hints.name(name) end
  return row[2] and "here it is " .. row[2] or "Lua has nothing like it"
end

-- Returns code for a table of columns x, id and size with names of the script's.
local function renamed(code, owner, names)
  local first, last = tostring(names[1]), tostring(names[#names])
  code = code:gsub("%f[%w_]x%f[^%w_]", owner):gsub('"id"', '"' .. first .. '"'):gsub('"size"', '"' .. last .. '"')
  return (code:gsub("%.id%f[^%w_]", "." .. first):gsub("%.size%f[^%w_]", "." .. last))
end

-- Returns a hint for x:name(), which is nil: x is a table of columns in a variable called `owner`.
local function method(name, owner, names)
  local row = answers.names[name]
  if row and row[3] then return renamed(row[3], owner, names) end
  if of_tables[name] then return ("strew.%s(%s, ...)"):format(name, owner) end
  local column = owner .. "." .. tostring(names[1])
  if rawget(methods, name) then return ("%s:%s(...) is for one of them"):format(column, name) end
  if rawget(strew, name) then return ("strew.%s(%s, ...) is for one of them"):format(name, column) end
  if not row then return nil end
  return row.say or row[2] and "for one of them as t or v, " .. row[2] or "strew has nothing like " .. name
end

-- Returns a hint for x[name], which is nil; is_called: in x:name() or x.name().
function hints.column(x, name, owner, is_called)
  local names = strew.columns(x)
  local call = is_called and method(name, owner, names)
  if call then return ("%s is a table of columns: %s"):format(owner, call) end
  local known = table.concat(names, ", ", 1, math.min(#names, 12)) .. (#names > 12 and ", ..." or "")
  return ('%s has no column "%s"; columns: %s'):format(owner, name, known)
end

return hints
