-- hints.lua: hints for names that strew, tensors, tables of columns, Lua's libraries or scripts lack. A chunk with six
-- arguments: what which.lua returns, the module, the methods of tensors, the loaded modules, a function that finds the
-- nearest key, and the globals of scripts.
local which, strew, methods, loaded, nearest, globals = ...
local hints, format = {nearest = nearest}, string.format
local answers = {names = {}, lua = {}, groups = {}, text = {}, globals = {}, words = {}} -- rows by name

-- Calls f with each of the names, which `gaps` separate: "Series.dt.year" and "mutate (dplyr)" are year and mutate.
-- R's own names have points within.
local function each_name(names, gaps, is_R, f)
  for given in string.gmatch(names, " *([^" .. gaps .. "]+)") do
    local name = string.gsub(given, " %b()$", "")
    local prefix, rest = string.match(name, "^(%a[%w_.]*)%.([%w_]+)$")
    f(rest and not is_R and prefix ~= "groupby" and prefix ~= "group_by" and rest or name)
  end
end

-- Returns code for a text or times that are made in place as a sentence about a variable t, or nil: it has none.
local function said(code)
  local of_text, texts = string.gsub(code, 'strew%.tensor{" ?Oslo[^}]*}', "t")
  local of_times, times = string.gsub(code, "strew%.time(%b())", "t")
  return texts > 0 and of_text ~= "t" and "of a text t: " .. of_text or times > 0 and "of times t: " .. of_times or nil
end

for _, task in ipairs(which.tasks) do
  for k = 2, #task do
    local code, of_table = task[k][1], task[1] == "Tables of columns"
    local say = said(code)
    for _, library in ipairs(which.libraries) do
      each_name(task[k][library[1]] or "", ";", library[1] == "R", function(name)
        answers.names[name] = answers.names[name]
          or say and {name, say = say} or {name, not of_table and code or nil, of_table and code or nil}
      end)
    end
  end
end
for list, rows in pairs(answers) do
  for _, row in ipairs(which[list]) do
    each_name(row[1], " ", true, function(name) rows[name] = row end)
  end
end

-- Returns a hint for a name of another library, or nil: it is none, or it is a name of the module.
function hints.name(name)
  if name == "map" then name = "apply" end -- of a tensor: strew.map is of files
  local row = string.find(name, "^[%a_]") and answers.names[name]
  if not row then return nil end
  local of_tensor, of_table = row[2], row[3]
  if of_tensor and of_table then return format("here it is %s; of a table %s", of_tensor, of_table) end
  local code = of_tensor or of_table
  return code and "here it is " .. code or row.say or "strew has nothing like it"
end

-- The same for a name that a library of Lua lacks.
function hints.lua(name)
  local row = answers.lua[name]
  if not row then return hints.name(name) end
  return row[2] and "here it is " .. row[2] or "Lua has nothing like it"
end

-- The same for a name that a grouping lacks.
function hints.grouping(name)
  local row = answers.groups[name]
  return row and "here it is " .. row[2]
end

-- The same for a call that strings have with another meaning: of a text, and of two.
function hints.text(name) return answers.text[name] and "of a text t: " .. answers.text[name][2] end
function hints.texts(name)
  local code = answers.text[name] and answers.text[name][3]
  return code and "of texts a and b: " .. code or hints.text(name)
end

-- Returns the word of agg or join for one of another library, else the word.
function hints.word(name) return answers.words[name] and answers.words[name][2] or name end

local function question(name) return name and format("did you mean '%s'?", name) end

-- Returns code for a column.
local function field_of(owner, name)
  if type(name) ~= "string" then return format("%s[%s]", owner, name) end
  return string.find(name, "^[%a_][%w_]*$") and owner .. "." .. name or format("%s[%q]", owner, name)
end

-- Returns code for a table of columns x, id and size with names of the script's: those that it gave, or else the first
-- and the last one.
local function renamed(code, owner, names, typed)
  local has_both = string.find(code, "%f[%w_]id%f[^%w_]") and string.find(code, "%f[%w_]size%f[^%w_]")
  local size = typed or names[#names]
  local columns = {id = not has_both and typed or names[1] == size and names[2] or names[1], size = size}
  code = string.gsub(code, "%f[%w_]x%.(%l+)", function(name) return columns[name] and "\0" .. name .. "\0" end)
  code = string.gsub(code, '"(%l+)"', function(name)
    return columns[name] and format("%q", tostring(columns[name]))
  end)
  code = string.gsub(code, "%f[%w_\0]%l+%f[^%w_\0]", function(name)
    return columns[name] and tostring(columns[name])
  end)
  code = string.gsub(code, "%f[%w_]x%f[^%w_]", function() return owner end)
  return (string.gsub(code, "%z(%l+)%z", function(name) return field_of(owner, columns[name]) end))
end

-- Returns the column that the script most likely meant by the values that it gave a call, or nil.
local function typed_column(names, given)
  local is_column, known = {}, {}
  for _, name in ipairs(names) do
    is_column[name] = true
    if type(name) == "string" then known[name] = true end
  end
  for _, value in ipairs(given or {}) do
    local words = type(value) == "table" and value or {value}
    for key, word in next, words do
      if is_column[word] then return word end
      if type(key) == "string" and is_column[key] then return key end
      local found = type(word) == "string" and nearest(word, known)
      if found then return found end
      for name in string.gmatch(type(word) == "string" and word or "", "[%a_][%w_]*") do -- of an expression's text
        if known[name] then return name end
      end
    end
  end
end

local OF_GROUPS <const> = " sum prod mean var std min max any all median mode cumsum "

-- Returns a hint for x:name(), which is nil: x is a table of columns in a variable called `owner`.
local function method(x, name, owner, names, given)
  local row, typed = answers.names[name], typed_column(names, given)
  if name == "map" then row = answers.names.numexpr end -- strew.map is of files
  if row and row[3] then return renamed(row[3], owner, names, typed) end
  for _, other in ipairs(names) do
    local t = rawget(x, other)
    if not typed and strew.type(t) == "tensor" and t.dtype ~= "text" then typed = other end
  end
  local column = field_of(owner, typed or names[1])
  if rawget(methods, name) and string.find(OF_GROUPS, format(" %s ", name), 1, true) then
    return format('%s:group_by{}:%s{"%s"} is of some of them, %s:%s(...) of one', owner, name, typed or names[1],
      column, name)
  elseif rawget(methods, name) then
    return format("%s:%s(...) is for one of them", column, name)
  end
  if rawget(strew, name) then return format("strew.%s(%s, ...) is for one of them", name, column) end
  local found = nearest(name, getmetatable(getmetatable(x).__index).methods)
  if found then return question(owner .. ":" .. found) end
  if not row then return nil end
  return row.say or row[2] and "for one of them as t or v, " .. row[2] or "strew has nothing like " .. name
end

-- Returns a hint for x[name], which is nil; is_called: in x:name() or x.name().
function hints.column(x, name, owner, is_called, given)
  local names = strew.columns(x)
  local call = is_called and method(x, name, owner, names, given)
  if call then return format("%s is a table of columns: %s", owner, call) end
  for _, i in ipairs(math.type(names[1]) == "integer" and names or {}) do
    local t = rawget(x, i)
    if strew.type(t) == "tensor" and t.dtype == "text" and t:dim() == 1 and #t > 0 and t[0] == name then
      return format('%s has no column "%s"; header = true takes names from line 1', owner, name)
    end
  end
  local known = table.concat(names, ", ", 1, math.min(#names, 12)) .. (#names > 12 and ", ..." or "")
  return format('%s has no column "%s"; columns: %s', owner, name, known)
end

local libraries = {"string", "table", "math", "io", "os", "utf8", "coroutine", "debug"}

-- Returns a hint for a global that is nil, or nil. session: a table whose keys are the names that the prompt knows
-- besides; nil: there is no prompt.
function hints.global(name, session)
  local row = answers.globals[name]
  if row then return question(session and row[3] or row[2]) end
  if #name < 2 then return nil end -- a variable
  if rawget(strew, name) ~= nil then return question("strew." .. name) end
  local hint = hints.name(name) or question((nearest(name, globals, session or {})))
  if hint then return hint end
  local found = nearest(name, strew)
  return found and question("strew." .. found)
end

-- Returns the hint for a name that a library of Lua lacks, or else the nearest name as a question, or nil.
local function of_library(name)
  local hint, tables = hints.lua(name), {}
  if hint then return hint end
  for i, library in ipairs(libraries) do tables[i] = type(loaded[library]) == "table" and loaded[library] or {} end
  local found, i = nearest(name, table.unpack(tables))
  return found and question(libraries[i] .. "." .. found)
end

local of_expression = "f(inputs) makes a tensor; f:with(inputs) stands where a call reads one"
local fields = {shape = true, dtype = true, device = true}

-- Returns a hint for an error message of Lua's library about a tensor or an expression, or nil.
local function of_argument(message)
  local wanted, kind = string.match(message, "^[^\n]*%((%a+) expected, got ([%a ]+)%)")
  if wanted ~= "number" and wanted ~= "string" then
    kind = string.find(message, "^[^\n]*invalid value %(userdata%) at index %d+ in table for 'concat'") and "tensor"
  end
  if kind == "expression" or kind == "bound expression" then return of_expression end
  if kind ~= "tensor" then return nil end
  local name = string.match(message, "bad argument #1 to '(%w+)' %(number")
  local is_method = loaded.math[name] and name ~= "fmod" and rawget(methods, name)
  return (is_method and format("t:%s() has that of each element", name) or "tostring(t) is its text")
    .. ", t:item() the number of a tensor with just one"
end

-- Returns a hint for an error message about a name that is nil, about a field of tensors that was called, or about a
-- tensor that a function of Lua's cannot take; or nil.
-- missed: a table of columns in a variable called `owner`, and the last name that it lacked, or nothing; given: the
-- values that the script gave its method.
function hints.message(message, session, missed, owner, given)
  local function column(name, is_called)
    if not missed or type(missed[1]) ~= "table" or missed[2] ~= name then return nil end
    local ok, hint = pcall(hints.column, missed[1], name, owner, is_called, given)
    return ok and hint or nil
  end
  local value, name = string.match(message, "call a (%l+) value %(%l+ '([^']*)'")
  if fields[name] and (value == "table" or value == "string") then return "a field, not a method: t." .. name end
  local global = string.match(message, "a nil value %(global '([^']*)'")
  if global then return hints.global(global, session) end
  if string.find(message, " an? expression") and string.find(message, "^[^\n]*attempt to ") then
    return of_expression
  end
  if string.find(message, "^[^\n]*attempt to .* a reduction value") then
    return "t:reduce(r), g:reduce(v, r), strew.scatter(src, index, {reduce = r})"
  end
  local argument = of_argument(message)
  if argument then return argument end
  if value == "nil" and string.find(message, "call a nil value %([fm]") then
    return column(name, true) or of_library(name)
  end
  local field = string.match(message, "a nil value %(field '([^']*)'")
  return field and column(field, false)
end

return hints
