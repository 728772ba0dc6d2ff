-- columns.lua: tables of columns as scripts hold them. The order of the names, and the words of text columns, are in
-- the metatable, visible as x.names and x.words.
--
-- A list of words belongs to the tensor that was the column when it was set: a column that was replaced since is an
-- error wherever its words are used.
local strew, fail, _, inner = ...
local columns = {}

-- Of each table {names =, words =}: the lists of words by column and, held weakly, the tensors that they belong to.
local owners = setmetatable({}, {__mode = "k"})

-- Makes x a table of columns as strew.load returns it; returns x.
function columns.set(x, names, words)
  local about, lists, codes = {names = names, words = words}, {}, setmetatable({}, {__mode = "v"})
  for name, list in next, words do lists[name], codes[name] = list, rawget(x, name) end
  owners[about] = {lists = lists, codes = codes}
  setmetatable(about, {columns = x, __index = inner.table})
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

local function check_words(x, name, list)
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
  for name, list in next, words do check_words(x, name, list) end
  if column == nil then return words end
  if words[column] == nil and rawget(x, column) == nil then
    fail("column", ("is %s, not found in x"):format(inner.text(column)))
  end
  return words[column]
end

------------------------------------------------------------------------------------------------------------- saving

local function check_name(name, argument)
  if type(name) ~= "string" then fail(argument, ("has %s, expected a string"):format(inner.text(name))) end
  local part = name:match "^[^\0]*"
  if part == name then return end
  fail(argument, ('has "%s" and more after a zero byte, which no file can hold'):format(part:sub(1, 40)))
end

local function check_tensor(name, value)
  if strew.type(value) ~= "tensor" then
    local is_option = type(value) == "table" and (name == "words" or name == "names")
    fail("x", ("has %s at key %s, expected a tensor"):format(inner.text(value), inner.text(name)),
      is_option and ("%s is an option: strew.save(path, x, {%s = ...})"):format(name, name) or nil)
  end
  if not inner.is_open(value) then
    fail("x", "has a tensor that was freed at key " .. inner.text(name), nil, "freed")
  end
end

-- Returns the names of x's columns in the order in which they are saved: that of `names`. Others come last, in the
-- order of the alphabet; if the script gave the names, they are dropped.
local function in_order(x, names, is_given)
  local order, is_taken, others = {}, {}, {}
  for name, value in next, x do
    check_name(name, "x")
    check_tensor(name, value)
  end
  for k = 1, rawlen(names) do
    local name = rawget(names, k)
    check_name(name, "names")
    if rawget(x, name) ~= nil and not is_taken[name] then
      order[#order + 1], is_taken[name] = name, true
    elseif is_given then
      fail("names", ('has "%s"%s'):format(name:sub(1, 60), is_taken[name] and " twice" or ", not found in x"))
    end
  end
  for name in next, x do
    if not is_given and not is_taken[name] then table.insert(others, name) end
  end
  table.sort(others)
  return table.move(others, 1, #others, #order + 1, order)
end

-- Returns the numbers of a sequence's tensors.
local function numbers(x, is_named)
  local order, stray = {}, nil
  if is_named then fail("names", "is given, but x is a sequence, which has none") end
  for k = 1, rawlen(x) do order[k] = k end
  for key in next, x do if order[key] == nil then stray = key end end
  if stray ~= nil then
    fail("x", ("is a sequence with a key %s: names and numbers do not mix"):format(inner.text(stray)))
  end
  for k = 1, #order do check_tensor(k, rawget(x, k)) end
  return order
end

-- Returns the tensors to save, the names of their columns, nil for those of a sequence, and lists of words by the
-- number of the column. Words of columns that are not saved are skipped: those of a whole file may accompany a few of
-- its columns.
function columns.saved(x, names, words)
  local own_names, own_words = columns.about(x)
  local is_sequence, tensors, lists, number_of = rawlen(x) > 0, {}, {}, {}
  local order = is_sequence and numbers(x, names ~= nil) or in_order(x, names or own_names or {}, names ~= nil)
  for k, name in ipairs(order) do tensors[k], number_of[name] = rawget(x, name), k end
  for name, list in next, words or own_words or {} do
    if not words then check_words(x, name, list) end
    if number_of[name] then lists[number_of[name]] = list end
  end
  return tensors, not is_sequence and order or nil, lists
end

return columns
