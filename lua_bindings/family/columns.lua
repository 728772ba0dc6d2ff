-- columns.lua: tables of columns as scripts hold them. The order of the names, and the words of text columns, are in
-- the metatable, visible as x.names and x.words.
--
-- A list of words belongs to the tensor that was the column when it was set: a column that was replaced since is an
-- error wherever its words are used.
local strew, fail, _, inner = ...
local columns = {}

-- Functions of the module whose first argument is a table of columns, by their names: methods of one.
local methods = {}
for name in ("asof assign code columns describe group_by head join melt pivot rows sort_by tail to_arrow "
  .. "to_arrow_stream value_counts"):gmatch "[%w_]+" do
  methods[name] = rawget(strew, name) -- a sandbox lacks some
end

-- Of each table {names =, words =}: the lists of words by column and, held weakly, the tensors that they belong to.
local owners = setmetatable({}, {__mode = "k"})

-- Makes x a table of columns as strew.load returns it; returns x.
function columns.set(x, names, words)
  local about = {names = names, words = words}
  if next(words) ~= nil then
    local lists, codes = {}, setmetatable({}, {__mode = "v"})
    for name, list in next, words do lists[name], codes[name] = list, rawget(x, name) end
    owners[about] = {lists = lists, codes = codes}
  end
  setmetatable(about, {columns = x, methods = methods, __index = inner.table})
  return setmetatable(x, {__index = about, __tostring = inner.tostring, __newindex = inner.column,
                          __len = inner.length})
end

local function about_of(x)
  local meta = getmetatable(x)
  local about = type(meta) == "table" and rawget(meta, "__index")
  return type(about) == "table" and about or {}
end

-- Returns the names and the words in x's metatable; nil: there are none.
function columns.about(x)
  local about = about_of(x)
  local names, words = rawget(about, "names"), rawget(about, "words")
  return type(names) == "table" and names or nil, type(words) == "table" and words or nil
end

-- Returns a problem and a hint if the list is that of a former tensor x[name].
function columns.replaced(x, name, list)
  local own, now = owners[about_of(x)], rawget(x, name)
  if not own or not rawequal(own.lists[name], list) or now == nil or rawequal(own.codes[name], now) then return nil end
  local shown = inner.text(name)
  return ("has a new value as column %s, whose words belong to the former one"):format(shown),
    ("x[%s] = nil before makes it a column of numbers; strew.columns(x, nil, {[%s] = {word, ...}}) returns x with "
      .. "other words"):format(shown, shown)
end

-- Raises an error for such a list.
function columns.check_words(x, name, list)
  local problem, hint = columns.replaced(x, name, list)
  if problem then fail("x", problem, hint, "value") end
end

-- The words of a column, or of all.
function columns.words(x, column)
  if column ~= nil and type(column) ~= "string" and math.type(column) ~= "integer" then
    fail("column", ("is %s, expected a column's name or number"):format(inner.text(column)))
  end
  local _, words = columns.about(x)
  if not words then fail("x", "has no words, expected a table as strew.load makes it") end
  for name, list in next, words do columns.check_words(x, name, list) end
  if column == nil then return words end
  if words[column] == nil and rawget(x, column) == nil then
    fail("column", ("is %s, not found in x"):format(inner.text(column)))
  end
  return words[column]
end

return columns
