-- tables.lua: tables of columns, for other files: {name = tensor, ...} or a sequence of tensors, built by a script or
-- returned by strew.load, whose metatable has the order of the names.
--
-- tables.read returns {names = {...}, tensors = {...}, rows = n, device = d}: columns by position; and argument, the
-- name of the script's argument. tables.make builds a table of columns from it.
local strew, fail, use, inner = ...
local operands, errors, about = use "operands.lua", use "errors.lua", use "columns.lua"
local tables = {}

-- A column's name for messages: "price" in quotes, or its number.
function tables.quoted(name) return (inner.text(name)) end

-- The same in code of hints, where a name that is cut would be another one.
function tables.whole(name)
  return type(name) == "string" and (string.gsub(format("%q", name), "\n", "n")) or tables.quoted(name)
end

local function is_position(key, n) return math.type(key) == "integer" and key >= 1 and key <= n end

local IS_FILLING <const> = {number = true, boolean = true, string = true}

-- Returns a number, boolean or word as the elements of all rows of a column beside t; nil: it is none.
function tables.filled(value, t)
  local kind = type(value)
  if not IS_FILLING[kind] then return nil end
  local dtype = kind == "boolean" and "bool" or kind == "string" and "text"
    or math.type(value) == "float" and operands.widest(t) or "int64"
  return strew.full(t:size(0), value, {dtype = dtype, device = t.device})
end

-- Returns the column of a name and the name; nil: it is none that has rows.
local function column_at(x, name)
  local t = rawget(x, name)
  if operands.is_tensor(t) and inner.is_open(t) and t:dim() > 0 then return t, name end
end

-- Returns the first column that has rows, and its name; nil: none has.
local function first_column(x, names)
  for _, name in ipairs(names) do
    local t = column_at(x, name)
    if t then return t, name end
  end
end

-- Lua stores x.name = value without a word to x if x has that column: a number, boolean or word there fills it, as a
-- new one, once x is read. The others must be columns of one length.
local function settle(x, names)
  local first = first_column(x, names)
  if not first then return end
  for _, name in ipairs(names) do
    local t = rawget(x, name)
    local is_column = not operands.is_tensor(t) or inner.is_open(t) and t:dim() > 0 and t:size(0) == first:size(0)
    if not is_column then return end
  end
  for _, name in ipairs(names) do
    local t = tables.filled(rawget(x, name), first)
    if t then rawset(x, name, t) end
  end
end

-- Returns the names of the columns in their order, that of the metatable and then the alphabet, or 1, 2, ... for a
-- sequence; and a key that is not a column's name, or nil. Columns of a table that prints as rows are settled.
function tables.names(x)
  local names, is_known, others, count, stray, has_filling = {}, {}, {}, rawlen(x), nil, false
  for i = 1, count do names[i] = i end
  for _, name in ipairs(count == 0 and about.about(x) or {}) do
    if type(name) == "string" and rawget(x, name) ~= nil and not is_known[name] then
      is_known[name] = true
      table.insert(names, name)
    end
  end
  for key, value in next, x do
    has_filling = has_filling or IS_FILLING[type(value)]
    if count > 0 and not is_position(key, count) or count == 0 and type(key) ~= "string" then
      stray = key
    elseif count == 0 and not is_known[key] then
      table.insert(others, key)
    end
  end
  table.sort(others)
  table.move(others, 1, #others, #names + 1, names)
  if has_filling and about.about(x) then settle(x, names) end
  return names, stray
end

local function elements(count) return format("%d element%s", count, count == 1 and "" or "s") end

-- Returns the call that makes a column of one element; an item of times is a string, which makes words.
local function filling(t, rows) return t.dtype == "time" and format("expand(%d)", rows) or "item()" end

-- Returns a problem of x[name] as a column of n rows (nil: any number) on a device, its code and a hint; or nil.
local function problem_of(t, name, first, rows, device)
  local quoted = tables.quoted(name)
  if strew.type(t) ~= "tensor" then
    return format("column %s is %s, expected a tensor", quoted, inner.text(t)), nil,
      type(t) == "table" and "strew.tensor(values) makes a column of a sequence"
      or IS_FILLING[type(t)] and "strew.full(n, value) makes a column of n rows" or nil
  end
  if not inner.is_open(t) then return "has a tensor that was freed at key " .. quoted, "freed" end
  if t:dim() == 0 then return format("has a column %s of rank 0, expected rank 1", quoted), "shape" end
  if rows and t:size(0) ~= rows then
    return format("has a column %s of %s, expected %d, as in the first one, %s", quoted, elements(t:size(0)), rows,
      tables.quoted(first)), "shape", t:numel() == 1
      and format("x[%s] = value:%s fills a column of a table x", quoted, filling(t, rows)) or nil
  end
  if device and t.device ~= device then
    return format("has a column %s on %s, expected %s, as the first one, %s",
      quoted, t.device, device, tables.quoted(first)), "device"
  end
end

-- Of tables: how many columns may be added before their values are looked at again, so that adding n takes steps as n;
-- and the name of a column that has rows, if the first one of the metatable is lost.
local added, AT_ONCE <const> = setmetatable({}, {__mode = "k"}), 64

-- Settles the columns of a table to which one is added; of more than AT_ONCE the later, the more there are.
local function look_at(x, state)
  local count, has_filling = 0, false
  for _, value in next, x do count, has_filling = count + 1, has_filling or IS_FILLING[type(value)] end
  if has_filling then tables.names(x) end
  state.left = count // AT_ONCE
end

-- Returns the first column of x that has rows, and its name, whatever the others are; nil: none has.
function tables.first(x)
  local names, state = about.about(x) or {}, added[x] or {left = 0}
  added[x], state.left = state, state.left - 1
  if state.left < 0 then look_at(x, state) end
  local t, name = column_at(x, names[1])
  if not t then t, name = column_at(x, state.name) end
  if t then return t, name end
  t, state.name = first_column(x, (tables.names(x)))
  return t, state.name
end

-- Raises an error unless a tensor has as many rows as a column beside it, and its device.
function tables.check_beside(other, name, t)
  local rows, count = other:size(0), t:dim() > 0 and t:size(0)
  if count ~= rows then
    fail("value", format("has %s, column %s has %s", count and elements(count) or "rank 0", tables.quoted(name),
      elements(rows)), not count and format("value:%s fills a column", filling(t, rows)) or nil, "shape")
  end
  if t.device ~= other.device then
    fail("value", format("is on %s, column %s on %s", t.device, tables.quoted(name), other.device),
      format('value:to("%s")', other.device), "device")
  end
end

-- Returns the columns of x, whatever they are; or nil and the problem of its keys.
local function list(x)
  local names, stray = tables.names(x)
  if stray ~= nil and rawlen(x) > 0 then
    return nil, format("is a sequence with a key %s: names and numbers do not mix", inner.text(stray))
  elseif stray ~= nil then
    return nil, format("has a key %s, expected names", inner.text(stray))
  elseif #names == 0 then
    return nil, "is an empty table, expected columns"
  end
  local columns = {names = names, tensors = {}}
  for i, name in ipairs(names) do columns.tensors[i] = rawget(x, name) end
  return columns
end

-- Returns the columns of x, which must be tensors of one length on one device; or nil, the problem, its code and hint.
function tables.try(x)
  local columns, wrong = list(x)
  if not columns then return nil, wrong end
  local at, rows, device = inner.beside(columns.tensors)
  if at then return nil, problem_of(columns.tensors[at], columns.names[at], columns.names[1], rows, device) end
  columns.rows, columns.device = rows, device
  return columns
end

-- The same of a script's argument; `of_any_length`: as they are. The problem is an error.
function tables.read(x, argument, of_any_length)
  local columns, problem, code, hint = (of_any_length and list or tables.try)(x)
  if not columns then fail(not string.find(problem, "^column") and argument or nil, problem, hint, code) end
  columns.argument = argument
  return columns
end

-- The same of a script's tensor, too, as its one column, whose name is "value".
function tables.read_any(x, argument)
  if type(x) == "table" then return tables.read(x, argument) end
  if not operands.is_tensor(x) then
    fail(argument, format("is %s, expected a tensor or a table of columns", inner.text(x)))
  end
  operands.check_rank(x, argument, 1, operands.MANY, "1 or more")
  return {names = {"value"}, tensors = {x}, rows = x:size(0), device = x.device, argument = argument}
end

-- Returns the table of columns whose names a script's argument made: an error if two are equal.
function tables.make_different(columns, argument)
  local is_taken = {}
  for _, name in ipairs(columns.names) do
    if is_taken[name] then fail(argument, format("makes two columns %s", tables.quoted(name))) end
    is_taken[name] = true
  end
  return tables.make(columns)
end

-- Returns the names that a script's argument gives, in the order of the alphabet, and what it has for each; of a
-- sequence its rows {name, ...}, in their order. expected: such a row; hints are of names, and of a sequence.
function tables.listed(given, argument, expected, hint, hint_of_sequence)
  local names, entries, is_taken = {}, {}, {}
  local count = rawlen(given)
  for key, row in next, given do
    local name = key
    if count > 0 then name = math.type(key) == "integer" and type(row) == "table" and rawget(row, 1) end
    if count > 0 and (type(name) ~= "string" or key < 1 or key > count) then
      fail(argument, format("has %s at key %s, expected %s", inner.text(row), inner.text(key), expected),
        hint_of_sequence)
    elseif type(name) ~= "string" then
      fail(argument, format("has key %s, expected names of columns", inner.text(name)), hint)
    elseif is_taken[name] then
      fail(argument, format("has %s twice", inner.text(name)))
    end
    names[count > 0 and key or #names + 1], is_taken[name] = name, true
  end
  if count == 0 then table.sort(names) end
  for k, name in ipairs(names) do entries[k] = rawget(given, count > 0 and k or name) end
  return names, entries
end

-- Returns the table of the columns, which prints as rows.
function tables.make(columns)
  local x, names, tensors = {}, columns.names, columns.tensors
  for i = 1, #names do x[names[i]] = tensors[i] end
  return about.set(x, names)
end

-- Returns the columns with the tensors f(tensor).
function tables.map(columns, f)
  local tensors = {}
  for i = 1, #columns.tensors do tensors[i] = f(columns.tensors[i]) end
  return {names = table.move(columns.names, 1, #columns.names, 1, {}), tensors = tensors}
end

-- Returns the columns with the rows at the positions in index; errors in its values name the script's argument.
function tables.select(columns, index, argument)
  local function reword(fact, hint)
    if hint and string.find(hint, "mode", 1, true) then hint = nil end -- rows have no modes
    return errors.replace(fact, "dim 0 of self", "the rows of x"), hint
  end
  return tables.map(columns, function(t)
    return errors.own("index", argument, reword, strew.index_select, t, 0, index)
  end)
end

-- Names columns of keys "key", or "key1", "key2", ..., unless they have names: other columns will have names.
function tables.name_keys(columns)
  if type(columns.names[1]) == "string" then return end
  columns.known = nil
  for i = 1, #columns.tensors do columns.names[i] = #columns.tensors == 1 and "key" or "key" .. i end
end

local MOST_SHOWN <const> = 8 -- names in a hint

-- Returns the hint for a name that no column has, or nil.
local function hint_of(name, columns)
  local names = columns.names
  for _, t in ipairs(math.type(names[1]) == "integer" and columns.tensors or {}) do
    if t.dtype == "text" and t:dim() == 1 and #t > 0 and t[0] == name then
      return "header = true takes names from line 1"
    end
  end
  local known, parts = {}, {}
  for _, other in ipairs(names) do known[other] = true end
  if type(name) ~= "string" then return nil end
  for item in string.gmatch(name, "[^,]+") do
    local part = string.match(item, "^%s*(.-)%s*$")
    parts[#parts + 1] = known[part] and inner.text(part) or nil
  end
  if select(2, string.gsub(name, ",", "")) == #parts - 1 and parts[2] then
    return format("several columns are a sequence: {%s}", table.concat(parts, ", "))
  end
  local first, direction = string.match(name, "^(.-)%s+(%a+)$")
  if known[first] and string.find(string.lower(direction), "^desc") then
    return format("strew.sort_by(x, %s, true) sorts in descending order", inner.text(first))
  end
  local hint, shown = errors.meant(name, names), {}
  if hint then return hint end
  for i = 1, math.min(#names, MOST_SHOWN) do shown[i] = inner.text(names[i]) end
  return "the columns are " .. table.concat(shown, ", ") .. (#names > MOST_SHOWN and ", ..." or "")
end

-- Returns the call that makes columns of one kind from a column of text and one of numbers or times, as a hint.
function tables.of_one_kind(name, kind, argument, other, other_argument)
  if other == "text" then kind, argument, other, other_argument = other, other_argument, kind, argument end
  if kind ~= "text" or other == "text" then return nil end
  local call = other == "time" and "strew.time(%s[%s]) reads times" or "strew.text(%s[%s]) writes numbers as words"
  return format(call, other == "time" and argument or other_argument, inner.text(name))
end

-- Returns the position of a column; nil: there is none. The names have a map from the second question on, which grows
-- with them.
function tables.place(columns, name)
  local names, known = columns.names, columns.known
  if not known then
    columns.known = {count = 0, places = {}}
    for i = 1, #names do
      if rawequal(names[i], name) then return i end
    end
    return nil
  end
  for i = known.count + 1, #names do known.places[names[i]], known.count = i, i end
  return known.places[name]
end

-- The same of a script's argument: an error if there is none.
function tables.position(columns, name, argument)
  local place = tables.place(columns, name)
  if place then return place end
  if type(name) ~= "string" and math.type(name) ~= "integer" then
    fail(argument, format("has %s, expected names or numbers of columns", inner.text(name)))
  end
  fail(argument, format("has %s, not found in %s", inner.text(name), columns.argument), hint_of(name, columns))
end

-- Returns the positions of columns, different ones: of a name, a number, or a sequence of them.
function tables.positions(columns, which, argument)
  local positions, is_taken = {}, {}
  local kind = type(which)
  if kind == "string" or math.type(which) == "integer" then which = {which} end
  if type(which) ~= "table" then
    fail(argument, format("is %s, expected a column's name or number, or a sequence of them", inner.text(which)))
  end
  for key in next, which do
    if not is_position(key, rawlen(which)) then
      fail(argument, format("has key %s, expected a sequence", inner.text(key)))
    end
  end
  if rawlen(which) == 0 then fail(argument, "is an empty table, expected names or numbers of columns") end
  for k = 1, rawlen(which) do
    local at = tables.position(columns, rawget(which, k), argument)
    if is_taken[at] then fail(argument, format("has %s twice", inner.text(rawget(which, k)))) end
    is_taken[at], positions[k] = true, at
  end
  return positions
end

------------------------------------------------------------------------------------------------------------- saving

local function check_name(name, argument)
  if type(name) ~= "string" then fail(argument, format("has %s, expected a string", inner.text(name))) end
  local part = string.match(name, "^[^\0]*")
  if part == name then return end
  fail(argument, format('has "%s" and more after a zero byte, which no file can hold', string.sub(part, 1, 40)))
end

local function check_tensor(name, value)
  if strew.type(value) ~= "tensor" then
    local is_option = type(value) == "table" and (name == "words" or name == "names")
    fail("x", format("has %s at key %s, expected a tensor", inner.text(value), inner.text(name)),
      is_option and format("%s is an option: strew.save(path, x, {%s = ...})", name, name) or nil)
  end
  if not inner.is_open(value) then
    fail("x", "has a tensor that was freed at key " .. inner.text(name), nil, "freed")
  end
end

-- Returns the names that a script gives, of columns of x, which have those and maybe others.
local function given_names(x, names)
  local order, is_taken = {}, {}
  for k = 1, rawlen(names) do
    local name = rawget(names, k)
    check_name(name, "names")
    if rawget(x, name) == nil or is_taken[name] then
      fail("names", format('has "%s"%s', string.sub(name, 1, 60), is_taken[name] and " twice" or ", not found in x"))
    end
    order[k], is_taken[name] = name, true
  end
  return order
end

-- Returns a column with codes as text of these words, of a script's; or a text's codes for false.
function tables.with_words(t, words, name)
  local codes = t.dtype == "text" and t:codes() or t
  if not words then return codes end
  if type(words) ~= "table" then
    fail("words", format("has %s for column %s, expected a sequence of strings", inner.text(words),
      tables.quoted(name)))
  end
  for code = 1, rawlen(words) do
    if type(rawget(words, code)) ~= "string" then
      fail("words", format("has %s at [%d] for column %s, expected a string", inner.text(rawget(words, code)), code,
        tables.quoted(name)))
    end
  end
  if not operands.is_index(codes) then
    fail("x", format("has words for a column %s of %s, expected an integer dtype", tables.quoted(name), t.dtype), nil,
      "dtype")
  end
  local count, least, most = rawlen(words), 0, -1
  if codes:numel() > 0 then least, most = codes:min():item(), codes:max():item() end
  if least < 0 or most >= count then
    fail("words", format("has a list of %d for column %s, whose codes are %d to %d", count, tables.quoted(name), least,
      most), nil, "value", least < 0 and least or most)
  end
  return strew.text(codes, words)
end

-- Returns the tensors to save, and the names of their columns, nil for those of a sequence. Words of columns that are
-- not saved are skipped: those of a whole file may accompany a few of its columns.
function tables.saved(x, names, words)
  local is_sequence, order, stray = rawlen(x) > 0, tables.names(x)
  if is_sequence and names then fail("names", "is given, but x is a sequence, which has none") end
  if stray ~= nil and is_sequence then
    fail("x", format("is a sequence with a key %s: names and numbers do not mix", inner.text(stray)))
  elseif stray ~= nil then
    check_name(stray, "x")
  end
  for _, name in ipairs(order) do
    if not is_sequence then check_name(name, "x") end
    check_tensor(name, rawget(x, name))
  end
  if names then order = given_names(x, names) end
  local tensors = {}
  for k, name in ipairs(order) do
    local t, own = rawget(x, name), words and rawget(words, name)
    local is_text = t.dtype == "text"
    tensors[k] = words and (own or is_text) and tables.with_words(t, own, name) or t
  end
  return tensors, not is_sequence and order or nil
end

------------------------------------------------------------------------------------------------- text columns

-- Raises an error unless a column has one dimension.
function tables.check_key(columns, i, argument)
  local t = columns.tensors[i]
  if t:dim() == 1 then return end
  fail(argument, format("has column %s of rank %d, expected rank 1", tables.quoted(columns.names[i]), t:dim()), nil,
    "shape")
end

-- Returns "text", "time", "bool" or "number"; and "text" or the dtype.
function tables.kind(columns, i)
  local dtype = columns.tensors[i].dtype
  return (dtype == "text" or dtype == "time" or dtype == "bool") and dtype or "number", dtype
end

-- True if columns of these kinds make one: numbers and bools mix, text and times do not.
function tables.mixes(kind, other)
  return kind == other or kind ~= "text" and kind ~= "time" and other ~= "text" and other ~= "time"
end

-- Returns the dtype that columns at places in `parts` have below one another: float32 for a float64 that their device
-- lacks. It is an error if it does not hold one's integers.
local function exact_dtype(parts, places, tensors)
  local dtype = strew.result_type(table.unpack(tensors))
  if not string.find(dtype, "float", 1, true) then return dtype end
  if dtype == "float64" then dtype = operands.widest(tensors[1]) end
  for k, t in ipairs(tensors) do
    local is_exact, value = true, nil
    if not operands.is_float(t) then is_exact, value = use "missing.lua".as_exact(t, dtype) end
    for other = 1, not is_exact and #tensors or 0 do
      if tensors[other].dtype ~= t.dtype then
        local name, argument = tables.quoted(parts[k].names[places[k]]), parts[k].argument
        local name_there, there = tables.quoted(parts[other].names[places[other]]), parts[other].argument
        local wide = operands.widest(t)
        local holds = wide ~= dtype and operands.is_float(tensors[other]) and use "missing.lua".as_exact(t, wide)
        fail(argument, format("has column %s with value %s, which %s cannot hold: column %s%s is %s", name, value,
          dtype, name_there, there ~= argument and " of " .. there or "", tensors[other].dtype),
          holds and format('%s[%s]:to("%s") holds both', there, tables.whole(parts[other].names[places[other]]), wide)
            or format('%s[%s]:to("%s") rounds', argument, tables.whole(parts[k].names[places[k]]), wide),
          "value", tonumber(value))
      end
    end
  end
  return dtype
end

-- Returns one column of each table in `parts`, at a position, below one another. Tables without rows have no part
-- in the dtype.
function tables.stacked(parts, at, argument)
  local tensors, own, places = {}, {}, {}
  for k, columns in ipairs(parts) do
    if columns.rows > 0 then own[#own + 1], places[#places + 1] = columns, at[k] end
  end
  for k, columns in ipairs(own[1] and {} or parts) do -- of none the first one, and those that mix with it
    if tables.mixes(tables.kind(columns, at[k]), tables.kind(parts[1], at[1])) then
      own[#own + 1], places[#places + 1] = columns, at[k]
    end
  end
  for k, columns in ipairs(own) do
    local kind, shown = tables.kind(columns, places[k])
    local first, first_shown = tables.kind(own[1], places[1])
    if not tables.mixes(kind, first) then
      fail(argument, format("has column %s, which is %s in %s and %s in %s", tables.quoted(columns.names[places[k]]),
        first_shown, own[1].argument, shown, columns.argument),
        tables.of_one_kind(columns.names[places[k]], first, own[1].argument, kind, columns.argument), "dtype")
    end
    tensors[k] = columns.tensors[places[k]]
  end
  local dtype = exact_dtype(own, places, tensors)
  if dtype == "float32" and not inner.has_float64(tensors[1]) then -- maybe of integers without a common dtype
    for k, t in ipairs(tensors) do tensors[k] = operands.as(t, dtype) end
  end
  return strew.cat(tensors)
end

return tables
