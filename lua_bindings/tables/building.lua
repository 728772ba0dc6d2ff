-- building.lua: tables of columns made of Lua's values, of the rows of other tables, and of columns below one another.
local strew, fail, use, inner = ...
local operands, tables, missing = use "operands.lua", use "tables.lua", use "missing.lua"
local errors, cells, expressions = use "errors.lua", use "cells.lua", use "expressions.lua"

------------------------------------------------------------------------------------------------- of Lua's values

local IS_VALUE <const> = {number = true, boolean = true, string = true}

-- Returns a sequence of numbers, booleans or words as a column. Numbers of which one has a fraction become float64,
-- as those of files.
local function column_of(values, name, device)
  local count, first, is_float, has_gaps = rawlen(values), 1, false, false
  while first < count and rawget(values, first) == strew.null do first = first + 1 end
  local kind = type(rawget(values, first))
  for i = 1, count do
    local value = rawget(values, i)
    local is_gap = value == strew.null
    if not is_gap and (type(value) ~= kind or not IS_VALUE[kind]) then
      fail("columns", format("has column %s with %s at [%d], expected %s", tables.quoted(name), inner.text(value), i,
        IS_VALUE[kind] and i > first and format("a %s, as at [%d]", kind, first) or "numbers, booleans or words"),
        (value == nil or type(value) == "userdata") and "strew.null stands for a missing value" or nil)
    end
    is_float, has_gaps = is_float or math.type(value) == "float", has_gaps or is_gap
  end
  for key in next, values do
    if math.type(key) ~= "integer" or key < 1 or key > count then
      fail("columns", format("has column %s with key %s, expected a sequence", tables.quoted(name), inner.text(key)))
    end
  end
  if has_gaps then
    local own = {}
    for i = 1, count do own[i] = cells.read(rawget(values, i)) end
    return cells.column(own, count, IS_VALUE[kind] and kind or "number", true, device, "columns",
      function(k) return format("in column %s at [%d]", tables.quoted(name), k) end)
  end
  local none = strew.zeros(0, {device = device})
  if count == 0 then return none:to(operands.widest(none)) end
  local dtype = is_float and operands.widest(none) or nil
  return errors.own("x", "columns", function(fact, hint) return fact, hint end, strew.tensor, values,
    {dtype = dtype, device = device})
end

-- Returns the names of a script's columns in their order, and the columns.
local function listed(given)
  local expected, hint = "{name, values}",
    'strew.table{{"city", {"Oslo", "Rome"}}, {"rain", {1.5, 4}}}, or rows: {{city = "Oslo", rain = 1.5}}'
  local names, values = tables.listed(given, "columns", expected, nil, hint)
  for k, row in ipairs(rawlen(given) > 0 and values or {}) do
    values[k] = rawget(row, 2)
    if rawlen(row) ~= 2 or IS_VALUE[type(values[k])] then
      fail("columns", format("has a table at key %d, expected %s", k, expected), hint)
    end
  end
  return names, values
end

-- Returns columns of rows, which are tables by name, in the order of the alphabet. A key that a row lacks is missing.
local function of_rows(rows)
  local names, columns = {}, {}
  for i, row in ipairs(rows) do
    for name, value in next, row do
      local one, kind, is_other = cells.read(value)
      if type(name) ~= "string" or is_other then
        fail("columns", format("has a row at [%d] with %s at key %s, expected words, numbers, booleans or times "
          .. "by name", i, inner.text(value), inner.text(name)))
      end
      local column = columns[name]
      if not column then
        column = {values = {}, count = 0}
        columns[name], names[#names + 1] = column, name
      end
      if kind and column.kind and kind ~= column.kind then
        fail("columns", format("has a row at [%d] with %s at %s, expected %s, as at [%d]", i, cells.KINDS[kind],
          tables.quoted(name), cells.KINDS[column.kind], column.first), nil, "dtype")
      end
      if kind and not column.kind then column.kind, column.first = kind, i end
      column.values[i], column.count = one, column.count + (kind and 1 or 0)
    end
  end
  table.sort(names)
  local out = {names = names, tensors = {}}
  for k, name in ipairs(names) do
    local column = columns[name]
    local function where(i) return format("in a row at [%d] at %s", i, tables.quoted(name)) end
    out.tensors[k] = cells.column(column.values, #rows, column.kind or "number", column.count < #rows, nil, "columns",
      where)
  end
  return out
end

-- True for a sequence of tables by name.
local function are_rows(given)
  local count, has_name = rawlen(given), false
  for k, row in next, given do
    if math.type(k) ~= "integer" or type(row) ~= "table" or rawlen(row) > 0 then return false end
    has_name = has_name or type((next(row))) == "string"
  end
  return count > 0 and has_name
end

local function make(given)
  if are_rows(given) then return tables.make(of_rows(given)) end
  local names, values = listed(given)
  local out, device = {names = names, tensors = {}}, nil -- that of the first tensor
  for _, value in ipairs(values) do device = device or operands.is_tensor(value) and value.device or nil end
  for k, value in ipairs(values) do
    local kind = type(value)
    if operands.is_tensor(value) then
      out.tensors[k] = value
    elseif kind == "table" then
      out.tensors[k] = column_of(value, names[k], device)
    else
      fail("columns", format("has column %s with %s, expected a tensor or a sequence", tables.quoted(names[k]),
        inner.text(value)), IS_VALUE[kind] and format("x.%s = %s fills a column of a table x", names[k],
        inner.text(value)) or nil)
    end
  end
  local x = tables.make(out)
  tables.read(x, "columns")
  return x
end

------------------------------------------------------------------------------------------------- of several tables

-- Returns the tables that a script lists, as columns; the names of all in the order in which they first occur; and the
-- places of each name: its position in each table that has it.
local function read_all(list)
  local parts, names, places = {}, {}, {}
  for key in next, list do
    if math.type(key) ~= "integer" or key < 1 or key > rawlen(list) then
      fail("tables", format("has key %s, expected a sequence of tables", inner.text(key)),
        key == "fill" and "options follow the sequence: strew.concat({a, b}, {fill = true})" or nil)
    end
  end
  for k = 1, rawlen(list) do
    local argument = format("tables[%d]", k)
    if type(list[k]) ~= "table" then
      fail(argument, format("is %s, expected a table of columns", inner.text(list[k])))
    end
    parts[k] = tables.read(list[k], argument)
    if parts[k].device ~= parts[1].device then
      fail(argument, format("is on %s, the first one on %s", parts[k].device, parts[1].device), nil, "device")
    end
    if type(parts[k].names[1]) ~= type(parts[1].names[1]) then
      fail(argument, "has names of columns or has none, unlike the first one")
    end
    for i, name in ipairs(parts[k].names) do
      if not places[name] then names[#names + 1], places[name] = name, {} end
      places[name][k] = i
    end
  end
  return parts, names, places
end

-- Returns for each row of the result its place in a column that only some tables have, which `places` has, or -1; and
-- where it is -1, or nil. known: those of other columns.
local function rows_of(parts, places, known)
  local has, from, count, device = {}, {}, 0, parts[1].device
  for k in ipairs(parts) do has[k] = places[k] and "1" or "0" end
  local which = table.concat(has)
  for k, columns in ipairs(known[which] and {} or parts) do
    local rows = columns.rows
    from[k] = places[k] and strew.arange(count, count + rows, {dtype = "int64", device = device})
      or strew.full(rows, -1, {dtype = "int64", device = device})
    count = places[k] and count + rows or count
  end
  local all = not known[which] and strew.cat(from)
  known[which] = known[which] or {all, missing.gaps(all)}
  return table.unpack(known[which], 1, 2)
end

-- Returns the rows of a column that some tables lack, missing there, or `fill`: of the column of the others.
local function filled(parts, name, places, fill, known)
  local own, at = {}, {}
  for k, columns in ipairs(parts) do
    if places[k] then own[#own + 1], at[#at + 1] = columns, places[k] end
  end
  local column = {names = {name}, tensors = {tables.stacked(own, at, "tables")}, argument = "tables"}
  local all, gaps = rows_of(parts, places, known)
  return missing.choose(column, 1, all, gaps, fill)
end

local function concat(list, fill)
  local value -- of the missing numbers; nil: NaN
  if type(fill) == "number" then value = fill end
  local parts, names, places_of = read_all(list)
  local out, known = {names = names, tensors = {}}, {}
  for n, name in ipairs(names) do
    local places, lacks, has = places_of[name], nil, nil
    for k in ipairs(parts) do
      if places[k] then has = has or k else lacks = lacks or k end
    end
    if lacks and not fill then
      local hint = errors.meant(name, parts[lacks].names)
      fail(format("tables[%d]", lacks), format("has no column %s, which tables[%d] has", tables.quoted(name), has),
        hint or "strew.concat({a, b}, {fill = true}) makes its elements missing")
    end
    out.tensors[n] = lacks and filled(parts, name, places, value, known) or tables.stacked(parts, places, "tables")
  end
  return tables.make(out)
end

----------------------------------------------------------------------------------------------- of columns, stacked

-- Raises an error unless the columns at positions make one.
local function check_mix(columns, positions)
  local kind, shown = tables.kind(columns, positions[1])
  for _, i in ipairs(positions) do
    local other, other_shown = tables.kind(columns, i)
    if not tables.mixes(kind, other) then
      fail("x", format("has column %s of %s and column %s of %s, which are not melted into one",
        tables.quoted(columns.names[positions[1]]), shown, tables.quoted(columns.names[i]), other_shown),
        "strew.melt(x, keys, values): values are columns of numbers, of text or of times", "dtype")
    end
  end
end

local function melt(x, keys, values, variable_name, value_name)
  local columns, is_key, melted = tables.read(x, "x"), {}, {}
  local kept = keys == nil and {} or expressions.positions(x, columns, keys, "keys")
  for _, i in ipairs(kept) do is_key[i] = true end
  if values ~= nil then
    melted = expressions.positions(x, columns, values, "values")
  else
    for i in ipairs(columns.names) do melted[#melted + 1] = not is_key[i] and i or nil end
  end
  if not melted[1] then fail("keys", "has all columns, and leaves none to melt") end
  check_mix(columns, melted)
  local out, count, parts, labels = {names = {}, tensors = {}}, #melted, {}, {}
  for k, i in ipairs(kept) do
    local copies = {}
    for c = 1, count do copies[c] = columns.tensors[i] end
    out.names[k], out.tensors[k] = columns.names[i], strew.cat(copies)
  end
  for c, i in ipairs(melted) do
    parts[c] = columns
    labels[c] = tostring(columns.names[i])
  end
  local codes = strew.arange(count, {dtype = "int64", device = columns.device}):repeat_interleave(columns.rows)
  local at = #kept
  out.names[at + 1], out.tensors[at + 1] = variable_name or "variable", strew.text(codes, labels)
  out.names[at + 2], out.tensors[at + 2] = value_name or "value", tables.stacked(parts, melted, "x")
  local is_taken = {}
  for _, name in ipairs(out.names) do
    if is_taken[name] then
      fail("keys", format("has column %s, which is the name of a new one", tables.quoted(name)),
        'strew.melt(x, keys, {variable_name = "name", value_name = "number"})')
    end
    is_taken[name] = true
  end
  return tables.make(out)
end

return {
  table = {"columns:table", make},
  concat = {"tables:table fill=scalar", concat},
  melt = {"x:table keys?any values?any variable_name=word value_name=word", melt},
}
