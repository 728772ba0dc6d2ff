-- rows.lua: rows and columns of tables.
local strew, fail, use, inner = ...
local operands, tables = use "operands.lua", use "tables.lua"
local about, errors, expressions = use "columns.lua", use "errors.lua", use "expressions.lua"
local missing = use "missing.lua"

local function columns(x, which, words)
  local all, chosen = tables.read(x, "x", true), {names = {}, tensors = {}}
  if which == nil and words == nil then return all.names end
  if which == nil then which = all.names end
  local is_sequence = math.type(all.names[1]) == "integer"
  for k, i in ipairs(tables.positions(all, which, "which")) do
    chosen.names[k] = is_sequence and k or all.names[i]
    local t, given = all.tensors[i], words and rawget(words, all.names[i])
    if given ~= nil and operands.is_tensor(t) then
      tables.check_key(all, i, "x")
      t = tables.with_words(t, given, all.names[i])
    end
    chosen.tensors[k] = t
  end
  return tables.make(chosen)
end

-- Returns the rows that `which`, the script's argument of that name, chooses.
local function rows(x, which, argument)
  argument = argument or "which"
  local all = tables.read(x, "x")
  if type(which) == "string" then
    which = expressions.column(x, all, which, argument, true)
    if which.dtype ~= "bool" then
      fail(argument, format("gives %s, expected a condition", which.dtype),
        "a comparison such as (n + 1) > 0 gives bools", "dtype")
    end
  elseif not operands.is_tensor(which) then
    fail(argument, format("is %s, expected a tensor, or a condition as text", inner.text(which)),
      type(which) == "table" and "strew.tensor(which) makes a tensor of a table"
      or math.type(which) == "integer" and format("strew.tensor{%d}", which) or expressions.hint(which))
  end
  operands.check_rank(which, argument, 1, 1, "1", which:dim() > 1 and argument .. ":flatten()" or nil)
  if which.dtype == "bool" then
    if which:numel() ~= all.rows then
      fail(argument, format("has %d elements, x has %d rows", which:numel(), all.rows), nil, "shape")
    end
    which = strew.nonzero(which):squeeze(1)
  elseif not operands.is_index(which) and which:numel() > 0 then
    fail(argument, format("is %s, expected bool or an integer dtype", which.dtype),
      format('%s:ne(0) makes a bool tensor, %s:to("int64") positions', argument, argument), "dtype")
  end
  return tables.make(tables.select(all, which, argument))
end

-- Returns n rows of x, from the one that first(n, rows) gives.
local function part(x, n, first)
  local all = tables.read(x, "x")
  n = n or 5
  if n < 0 then fail("n", format("is %d, expected 0 or more", n), nil, "value", n) end
  n = math.min(n, all.rows)
  return tables.make(tables.map(all, function(t) return t:narrow(0, first(n, all.rows), n):clone() end))
end

-- Returns row i, from 0 on, as a Lua table by the columns' names.
local function row(x, i)
  local all, out = tables.read(x, "x"), {}
  if operands.is_tensor(i) and operands.is_index(i) and i:numel() == 1 then i = i:item() end
  if math.type(i) ~= "integer" then fail("i", format("is %s, expected an integer", inner.text(i))) end
  if i < -all.rows or i >= all.rows then
    fail("i", format("is %d, out of range for the rows of x (size %d%s)", i, all.rows,
      all.rows > 0 and format(", valid %d..%d", -all.rows, all.rows - 1) or ""), nil, "index", i)
  end
  for k, name in ipairs(all.names) do out[name] = all.tensors[k][i] end
  return out
end

-- Returns an iterator of the rows: each as row returns it, and its number. Columns are read in parts.
local AT_ONCE <const> = 1024
local function each(x)
  local all, at, read = tables.read(x, "x"), -1, {}
  return function()
    at = at + 1
    if at >= all.rows then return nil end
    local k, out = at % AT_ONCE + 1, {}
    for i, t in ipairs(all.tensors) do
      if k == 1 then
        local lines = t:narrow(0, at, math.min(AT_ONCE, all.rows - at))
        read[i] = t:dim() == 1 and lines:tolist() or lines:unstack()
      end
      out[all.names[i]] = read[i][k]
    end
    return out, at
  end
end

-- Returns, for each of n columns, whether its order is descending.
local function directions(descending, n)
  local list = {}
  for k = 1, n do list[k] = descending == true end
  if descending == nil or type(descending) == "boolean" then return list end
  local is_list = type(descending) == "table" and rawlen(descending) == n
  for k = 1, n do
    list[k] = is_list and rawget(descending, k)
    is_list = is_list and type(list[k]) == "boolean"
  end
  if is_list then return list end
  fail("descending", format("is %s, expected a boolean, or a sequence of %d, one for each column",
    inner.text(descending), n))
end

-- Returns the script's names of keys without a minus sign before a column's name, and of each whether it had one.
-- Unsigned integers, bools, words and times have no negative in the same order.
local function without_signs(all, by)
  local list, names, is_negative = type(by) == "table" and by or {by}, nil, {}
  for k = 1, rawlen(list) do
    local name = rawget(list, k)
    local column = type(name) == "string" and not tables.place(all, name) and string.match(name, "^%s*%-%s*(.-)%s*$")
    if column and tables.place(all, column) then
      names = names or table.move(list, 1, rawlen(list), 1, {})
      names[k], is_negative[k] = column, true
    end
  end
  return names or by, is_negative
end

-- A stable sort by each column in turn, the most important one last.
local function sort_by(x, by, descending, nulls)
  local keys, order = tables.read(x, "x"), nil
  local names, is_negative = without_signs(keys, by)
  local positions = expressions.positions(x, keys, names, "by")
  local is_descending = directions(descending, #positions)
  for k = #positions, 1, -1 do
    tables.check_key(keys, positions[k], "by")
    local is_down = is_descending[k] ~= (is_negative[k] or false)
    local key, is_key_down = missing.order(keys.tensors[positions[k]], is_down, nulls)
    local _, moved = (order and key:gather(0, order) or key):sort(0, is_key_down)
    order = order and order:gather(0, moved) or moved
  end
  return tables.make(tables.select(tables.read(x, "x"), order, "x"))
end

-- Returns the number that stands for a word in a text column.
local function code(x, column, word)
  local all = tables.read(x, "x", true)
  local positions = tables.positions(all, column, "column")
  if #positions ~= 1 then fail("column", format("names %d columns, expected one", #positions)) end
  local t = all.tensors[positions[1]]
  if not operands.is_tensor(t) or t.dtype ~= "text" then
    fail("column", format("names %s, a column of numbers, expected text", tables.quoted(column)))
  end
  local found = inner.word_code(t, word)
  if found >= 0 then return found end
  local hint = errors.meant(word, t.words)
  fail("word", format("is %s, which is not in column %s", inner.text(word), tables.quoted(column)), hint, "value")
end

-- Gives text columns of x the orders of words that a script lists by column; returns x.
local function order_words(x, ordered)
  local all = tables.read(x, "x")
  for name, list in next, ordered do
    local t, quoted = all.tensors[tables.position(all, name, "ordered")], tables.quoted(name)
    if t.dtype ~= "text" then
      fail("ordered", format("has column %s, which is %s, expected text", quoted, t.dtype),
        format("{text = {%s}} reads words", quoted), "dtype")
    end
    local function reword(fact, hint) return format("of column %s %s", quoted, fact), hint end
    x[name] = errors.own("x", "ordered", reword, strew.text, t, {words = list, ordered = true})
  end
  return x
end

-- The words of a text column, or of all.
local function words(x, column)
  if about.about(x) and (column == nil or not operands.is_tensor(rawget(x, column))) then tables.names(x) end -- settles
  return about.words(x, column)
end

-- x[index] for an index that is not a column's name: rows for a tensor; a method; an error for a name that resembles a
-- column's; else nil, as in any Lua table. Names may differ in their digits: scripts look for column4 after column3.
local function other_key(fields, index)
  local meta = getmetatable(fields)
  if operands.is_tensor(index) then return rows(meta.columns, index, "index") end
  if index == "words" then return words(meta.columns) end
  if index ~= nil and meta.methods[index] then return meta.methods[index] end
  local x = meta.columns
  local is_position = math.type(index) == "integer"
  if (is_position or type(index) == "table") and type(about.about(x)[1]) == "string" then
    local hint = "x[strew.tensor{%s}] is a table of rows"
    if is_position then hint = "x:row(%d) is that row, " .. hint end
    fail(nil, "no column " .. inner.text(index), format(hint, is_position and index or "0, 1", index))
  end
  local hint, nearest = errors.meant(index, (tables.names(x)))
  if not nearest or string.gsub(nearest, "%d", "") == string.gsub(index, "%d", "") or inner.hints().name(index) then
    return inner.missed(x, index)
  end
  fail(nil, "no column " .. inner.text(index), hint)
end

-- #x: the number of rows; of a sequence of columns their number, as Lua's own functions of sequences expect.
local function length(x)
  if rawlen(x) > 0 or next(x) == nil then return rawlen(x) end
  return tables.read(x, "x").rows
end

-- Raises an error unless a new column may have the name: in a sequence of columns the next number.
local function check_name(x, name)
  local names, count = about.about(x), rawlen(x)
  if count == 0 and math.type(names[1]) ~= "integer" then
    if type(name) == "string" then return end
    fail("name", format("is %s, expected a string", inner.text(name)), operands.is_tensor(name) and
      "x[rows] is read alone; x.v:masked_fill_(rows, value) and x.v[rows] = value write into a column v" or nil)
  elseif name ~= count + 1 then
    fail("name", format("is %s, expected %d, the next column of a sequence", inner.text(name), count + 1))
  end
end

-- Returns the tensor that a value makes beside a column: a tensor as it is; a number, boolean or word for all rows.
local function beside(other, name, value)
  if operands.is_tensor(value) then
    if other then tables.check_beside(other, name, value) end
    return value
  end
  local kind = type(value)
  if kind ~= "number" and kind ~= "boolean" and kind ~= "string" then
    fail("value", format("is a %s, expected a tensor, or a number, boolean or word for all rows", kind),
      kind == "table" and "strew.tensor(value)" or nil)
  end
  return tables.filled(value, other)
end

-- x.name = value for a name that x lacks.
local function new_column(x, name, value)
  if value == nil then return end
  check_name(x, name)
  local other, name_there = tables.first(x)
  if not other and not operands.is_tensor(value) then tables.read(x, "x") end
  rawset(x, name, beside(other, name_there, value))
end

-- Returns the column that a text, whose expression is f, or another value for all rows, makes.
local function made_column(new, all, name, value, f)
  if type(value) == "string" then
    if rawget(new, value) ~= nil then return rawget(new, value) end
    return expressions.column(new, all, value, "what", false, f)
  elseif inner.is_bound(value) then
    return expressions.evaluate(value)
  elseif operands.is_tensor(value) or type(value) == "number" or type(value) == "boolean" then
    return value
  end
  fail("what", format("has %s at key %s, expected a text, a tensor, a number or a boolean", inner.text(value),
    tables.quoted(name)), expressions.hint(value))
end

-- Adds a column to new, whose columns are `all`, after those that its text needs. state: of each name in `what` true,
-- "open" while these are added, then nil; and the open ones as a sequence.
local function add_column(new, all, what, name, state)
  local value, place, f = rawget(what, name), tables.place(all, name), nil
  state[#state + 1] = name
  if state[name] == "open" then fail("what", "has columns that need one another: " .. table.concat(state, ", ")) end
  state[name] = "open"
  if type(value) == "string" then
    local is_name = rawget(new, value) ~= nil or rawget(what, value) ~= nil
    f = not is_name and expressions.parse(value, all.names, "what")
    for _, input in ipairs(f and f.inputs or {value}) do
      if state[input] and (not place or input ~= name) then add_column(new, all, what, input, state) end
    end
  end
  local t = beside(all.tensors[1], all.names[1], made_column(new, all, name, value, f))
  place = place or #all.names + 1
  all.names[place], all.tensors[place] = name, t
  rawset(new, name, t)
  state[name], state[#state] = nil, nil
end

-- Returns a new table with x's columns and those that `what` names.
local function assign(x, what)
  local all, order, state = tables.read(x, "x"), {}, {}
  if math.type(all.names[1]) == "integer" then fail("x", "is a sequence of columns, expected names") end
  for name in next, what do
    if type(name) ~= "string" then
      fail("what", format("has key %s, expected names of columns", inner.text(name)))
    end
    table.insert(order, name)
    state[name] = true
  end
  table.sort(order)
  local new = tables.make(all) -- which has the list of names
  for _, name in ipairs(order) do
    if state[name] then add_column(new, all, what, name, state) end
  end
  return new
end

return {
  column = {"x:table name:any value~any", new_column},
  columns = {"x:table which~any words~table", columns},
  rows = {"x:table which:any", function(x, which) return rows(x, which) end},
  head = {"x:table n?integer", function(x, n) return part(x, n, function() return 0 end) end},
  tail = {"x:table n?integer", function(x, n) return part(x, n, function(count, all) return all - count end) end},
  row = {"x:table i:any", row},
  each = {"x:table", each},
  code = {"x:table column:any word:word", code},
  assign = {"x:table what:table", assign},
  sort_by = {"x:table by:any descending?any nulls=word", sort_by},
  table = {"about:table index~any", other_key},
  length = {"x:table other~any", length},
  words = {"x:table column?any", words},
  ordered = {"x:table ordered:table", order_words},
  saved = {"x:table names~any words~any", tables.saved},
}
