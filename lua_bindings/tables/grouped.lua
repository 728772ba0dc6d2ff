-- grouped.lua: groups of the rows of tables, and results of one row for each group.
local strew, fail, use, inner = ...
local operands, tables, missing = use "operands.lua", use "tables.lua", use "missing.lua"
local errors, aggregates, expressions = use "errors.lua", use "aggregates.lua", use "expressions.lua"

-- Returns a grouping of the rows by columns at positions, and the distinct keys as columns.
local function groups_of(columns, positions, order, argument)
  local keys, is_sequence = {}, math.type(columns.names[1]) == "integer"
  for k, i in ipairs(positions) do
    tables.check_key(columns, i, argument)
    keys[k] = columns.tensors[i]
  end
  local g = strew.group_by(keys, {order = order})
  local distinct = {names = {}, tensors = {}, argument = columns.argument, device = columns.device}
  distinct.tensors = g.keys
  for k, i in ipairs(positions) do distinct.names[k] = is_sequence and k or columns.names[i] end
  return g, distinct
end

-- Returns a copy that no call writes: the keys of a grouping are such.
local function sealed(t)
  return strew.group_by(strew.arange(#t, {device = t.device}), t, {order = "first"}).keys[2]
end

-- Returns the grouping of all rows as one group, which has no key.
local function whole(x)
  local columns = tables.read(x, "x")
  local ids = strew.zeros(columns.rows, {dtype = "int64", device = columns.device})
  return inner.set_keys(strew.grouping(ids, {dim_size = 1}), {names = {}, tensors = {}}, x)
end

local function group_by(x, by, order)
  if type(by) == "table" and next(by) == nil then return whole(x) end
  local columns = tables.read(x, "x")
  local g, keys = groups_of(columns, expressions.positions(x, columns, by, "by"), order, "by")
  return inner.set_keys(g, keys, x)
end

-- Returns the grouping of the rows by steps of the times in a column, with groups for the steps without rows: of `by`
-- from the first to the last step of each key.
local function resample(x, step, on, by)
  local columns = tables.read(x, "x")
  local at = tables.positions(columns, on, "on")
  local t = columns.tensors[at[1]]
  if #at > 1 or t.dtype ~= "time" then
    fail("on", #at > 1 and format("has %d columns, expected one", #at) or format("is a column of %s, expected times",
      t.dtype), #at == 1 and t.dtype == "text"
      and format("strew.time(x[%s]) reads times", tables.quoted(columns.names[at[1]])) or nil)
  end
  tables.check_key(columns, at[1], "on")
  local place, from, to = errors.own("unit", "step", nil, use "times.lua".places, t, step)
  local steps
  if place then
    steps = strew.date_range(from, to, step)
  else
    local first = errors.own("unit", "step", nil, strew.floor_time, t, step)
    local is_some = first:eq(first):any():item()
    steps = is_some and strew.date_range(first:nanmin(), first:nanmax(), step) or first:narrow(0, 0, 0)
    place = steps:searchsorted(first):masked_fill(first:ne(first), -1)
  end
  local keys, ids, n = {names = {}, tensors = {}}, place, #steps
  if by ~= nil then
    local positions = expressions.positions(x, columns, by, "by")
    for _, i in ipairs(positions) do
      if i == at[1] then fail("by", format("has %s, which is 'on'", tables.quoted(columns.names[i]))) end
    end
    local groups, distinct = groups_of(columns, positions, "sorted", "by")
    local own = strew.grouping(groups.ids:masked_fill(place:lt(0), -1), {dim_size = groups.n, mode = "drop"})
    local begins, counts = own:min(place), own:max(place) - own:min(place) + own.counts:gt(0):to("int64")
    local starts = counts:cumsum(0) - counts
    local rows = strew.arange(groups.n, {device = columns.device}):repeat_interleave(counts)
    ids = strew.where(place:lt(0), -1, (starts - begins)[groups.ids] + place)
    n = #rows
    for k, name in ipairs(distinct.names) do keys.names[k], keys.tensors[k] = name, distinct.tensors[k][rows] end
    steps = steps[strew.arange(n, {device = columns.device}) + (begins - starts)[rows]]
  end
  keys.names[#keys.names + 1], keys.tensors[#keys.names + 1] = columns.names[at[1]], steps
  local g = strew.grouping(ids, {dim_size = n, mode = "drop"})
  for k, key in ipairs(keys.tensors) do keys.tensors[k] = sealed(key) end
  return inner.set_keys(g, keys, x)
end

-- g.keys: a new table each time.
local function keys_of(self)
  local names, keys = inner.grouping_keys(self)
  return tables.make{names = table.move(names, 1, #names, 1, {}), tensors = keys}
end

local function value_counts(v, by, skip_nan, shares)
  local is_line = operands.is_tensor(v)
  local columns = tables.read_any(is_line and v:reshape(-1) or v, "v")
  if is_line and by ~= nil then fail("by", "is given, but v is a tensor, expected a table of columns") end
  local positions = expressions.positions(v, columns, by == nil and columns.names or by, "by")
  for _, i in ipairs(positions) do tables.check_key(columns, i, "by") end
  if skip_nan then
    local argument = columns.argument
    columns = missing.without(columns, positions, argument)
    columns.argument, columns.device = argument, columns.tensors[1].device
  end
  local g, out = groups_of(columns, positions, "sorted", "by")
  local count = #out.names + 1
  out.names[count], out.tensors[count] = math.type(out.names[1]) == "integer" and count or "count", g.counts
  for k = 1, count - 1 do
    local name = out.names[k]
    if name == "count" or shares and name == "share" then
      fail("by", format('has "%s", which is the name of the %ss', name, name),
        format("rename that column: x.n = x.%s; x.%s = nil", name, name))
    end
  end
  local _, order = g.counts:sort(0, true)
  local chosen = tables.select(out, order, "v")
  if shares then
    local sorted, dtype = chosen.tensors[count], operands.widest(g.counts)
    local is_sequence = math.type(out.names[1]) == "integer"
    chosen.names[count + 1] = is_sequence and count + 1 or "share"
    chosen.tensors[count + 1] = sorted:to(dtype) / sorted:sum():to(dtype)
  end
  return tables.make(chosen)
end

-- Returns the names of a pivot's columns: the words or numbers of its one key column.
local function labels_of(keys, row_names)
  local labels, taken = {}, {}
  for _, name in ipairs(row_names) do taken[name] = true end
  for k, label in ipairs(missing.labels(keys.tensors[1])) do
    labels[k] = label
    if taken[labels[k]] then
      fail("column", format("has %s, which is the name of a column already", tables.quoted(labels[k])))
    end
    taken[labels[k]] = true
  end
  return labels
end

-- Returns the word and the options of a pivot's reduction: a word, or as an entry of agg without a tensor.
local function read_reduce(reduce, dtype, skip_nan)
  local entry = {dtype = dtype, skip_nan = skip_nan}
  for key, value in next, type(reduce) == "table" and reduce or {reduce} do entry[key] = value end
  aggregates.check_word(entry[1], "reduce", type(reduce) == "table" and aggregates.has or aggregates.is)
  return entry[1], aggregates.options(entry, 1, "reduce", aggregates.has)
end

-- Returns the result of its group for each element: missing for those in no group.
local function transform(g, src, reduce, dtype, skip_nan)
  local word, options = read_reduce(reduce, dtype, skip_nan)
  operands.check_grouped(g, src)
  local made = aggregates.make(g, {{name = "src", word = word, src = src, options = options}})
  return missing.choose({names = {word}, tensors = made, argument = "src"}, 1, g.ids, missing.gaps(g.ids))
end

-- Returns a reduction of the groups as a column: {names, tensors} of one; at: the position of its values, or nil.
local function reduced(g, columns, at, word, options)
  if not at and word ~= "count" then fail("value", 'is missing; only "count" needs none') end
  local src = at and aggregates.operand(columns, at, word, "reduce") or nil
  return {names = {at and columns.names[at] or "count"}, argument = "x",
    tensors = aggregates.make(g, {{name = "value", word = word, options = options, src = src}})}
end

local SHARES <const> = {"row", "column", "all"}

-- Returns cells, a line for each column of a pivot, divided by the sum of their row, of their column, or of all.
local function shares_of(cells, shares)
  if cells.dtype == "text" or cells.dtype == "time" then
    fail("shares", format("is given, but the cells are %s, expected numbers", cells.dtype), nil, "dtype")
  end
  cells = cells:to(operands.widest(cells))
  if shares == "all" then return cells / cells:nansum() end
  return cells / cells:nansum(shares == "row" and 0 or 1, true)
end

local function pivot(x, row, column, value, reduce, fill, dtype, skip_nan, shares)
  local columns = tables.read(x, "x")
  errors.check_word("shares", shares or "all", SHARES)
  if reduce == nil and value == "count" and rawget(x, "count") == nil then value, reduce = nil, value end
  if reduce == nil then fail("reduce", 'is missing, expected a word as "sum" or "count"') end
  local word, options = read_reduce(reduce, dtype, skip_nan)
  local positions = expressions.positions(x, columns, row, "row")
  local across = expressions.positions(x, columns, column, "column")
  local at = value ~= nil and expressions.positions(x, columns, value, "value") or {}
  if #at > 1 then fail("value", format("has %d columns, expected one", #at)) end
  if #across > 1 then fail("column", format("has %d columns, expected one", #across)) end
  for _, i in ipairs(positions) do
    if i == across[1] then fail("column", format("is %s, which is in 'row'", tables.quoted(columns.names[i]))) end
  end
  table.insert(positions, across[1])
  local g, keys = groups_of(columns, positions, "sorted", "row")
  inner.set_keys(g, keys, x) -- for messages
  local values = reduced(g, columns, at[1], word, options)
  if fill == nil and word == "count" then fill = 0 end
  local by_row, of_columns = {}, #positions
  for k = 1, of_columns - 1 do by_row[k] = k end
  local rows, out = groups_of(keys, by_row, "sorted", "row")
  tables.name_keys(out)
  local places, labels = groups_of(keys, {of_columns}, "sorted", "column")
  -- Each group has a cell; cells without a group are missing.
  local cell = strew.full(rows.n * places.n, -1, {dtype = "int64", device = columns.device})
  cell:scatter_(0, places.ids * rows.n + rows.ids, strew.arange(g.n, {device = columns.device}))
  local gaps = cell:lt(0):nonzero():squeeze(1)
  local cells = missing.choose(values, 1, cell, #gaps > 0 and gaps or nil, fill)
  if shares then cells = shares_of(cells:reshape(places.n, rows.n), shares):reshape(-1) end
  local names = labels_of(labels, out.names)
  for k, name in ipairs(names) do
    local place = #out.names + 1
    out.names[place] = name
    out.tensors[place] = cells:narrow(0, (k - 1) * rows.n, rows.n)
  end
  return tables.make(out)
end

return {
  groups_of = groups_of,
  group_by = {"x:table by:any order=word", group_by},
  ["g:transform"] = {"self:grouping src:tensor! reduce:any dtype=dtype skip_nan=boolean", transform},
  resample = {"x:table step:any on:any by=any", resample},
  group_keys = {"self:any field:any", keys_of},
  value_counts = {"v:any by?any skip_nan=boolean shares=boolean", value_counts},
  pivot = {"x:table row:any column:any value?any reduce?any fill=scalar dtype=word skip_nan=boolean "
    .. "shares=word", pivot},
}
