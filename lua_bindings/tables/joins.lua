-- joins.lua: rows of two tables beside each other: with equal keys, or with the nearest ones.
local strew, fail, use, inner = ...
local operands, tables, missing = use "operands.lua", use "tables.lua", use "missing.lua"
local errors, expressions = use "errors.lua", use "expressions.lua"

-- Columns of numbers of both tables as one dtype that holds the values of both.
local function number_keys(left, i, right, j, argument)
  local a, b = left.tensors[i], right.tensors[j]
  if a.dtype == "time" and b.dtype == "time" then return a:to("int64"), b:to("int64") end
  if a.dtype == b.dtype then return a, b end
  local a_is_float, b_is_float, dtype = operands.is_float(a), operands.is_float(b), strew.result_type(a, b)
  if a_is_float == b_is_float and (a_is_float or not string.find(dtype, "float", 1, true)) then
    return a:to(dtype), b:to(dtype)
  end
  dtype = a_is_float == b_is_float and "int64" or operands.widest(a)
  local function exact(columns, k, other, others)
    local t, value = missing.as_exact(columns.tensors[k], dtype)
    if t then return t end
    fail(argument, format("has column %s with value %s in %s, which %s cannot hold; in %s the column is %s",
      tables.quoted(columns.names[k]), value, columns.argument, dtype, other, others.dtype), nil, "value",
      tonumber(value))
  end
  return a_is_float and a:to(dtype) or exact(left, i, "b", b), b_is_float and b:to(dtype) or exact(right, j, "a", a)
end

-- A pair of key columns as tensors that are equal where the columns are.
local function keys_of(left, i, right, j, argument)
  tables.check_key(left, i, argument)
  tables.check_key(right, j, argument)
  local kind, a = tables.kind(left, i)
  local other, b = tables.kind(right, j)
  if kind ~= other then
    fail(argument, format("has column %s, which is %s in a and %s in b", tables.quoted(left.names[i]), a, b),
      tables.of_one_kind(left.names[i], kind, "a", other, "b"), "dtype")
  end
  if kind == "text" then
    local one, other_one = inner.aligned(left.tensors[i], right.tensors[j])
    return one:codes(), other_one:codes()
  end
  return number_keys(left, i, right, j, argument)
end

-- Returns the groups of a's rows, and those of b's: equal where the columns at these positions are; and their number.
local function groups_of(left, right, in_left, in_right, argument)
  local keys, n = {order = "first"}, left.rows
  for k, i in ipairs(in_left) do keys[k] = strew.cat{keys_of(left, i, right, in_right[k], argument)} end
  local g = strew.group_by(keys, {order = keys.order})
  return g.ids:narrow(0, 0, n), g.ids:narrow(0, n, right.rows), g.n
end

-- Returns the rows of a and of b that belong together, in a's order; of equal ones in b's. a nil: all rows. is_left:
-- rows of a that nothing in b equals are kept, with -1 for the row of b.
local function pairs_of(of_a, of_b, n, is_left)
  local device, rows = of_a.device, of_b:numel()
  local counts = of_b:bincount{minlength = n}
  if n == 0 or counts:max():item() <= 1 then
    local on = {dtype = rows < 1 << 31 and "int32" or "int64", device = device}
    local b = strew.full(n, -1, on):scatter_(0, of_b, strew.arange(rows, on)):index_select(0, of_a)
    if is_left or b:numel() == 0 or b:min():item() >= 0 then return nil, b end
    local a = b:ge(0):nonzero():squeeze(1)
    return a, b:index_select(0, a)
  end
  local groups = strew.grouping(of_b, {dim_size = n})
  local order, starts = groups:order(), groups:starts()
  local count = counts:index_select(0, of_a)
  local taken = is_left and count:clamp(1) or count
  local a = strew.arange(of_a:numel(), {device = device}):repeat_interleave(taken)
  -- A row of a has the places first, first + 1, ... of the result, and those from start on in the order of b.
  local shift = starts:index_select(0, of_a) - (taken:cumsum(0) - taken)
  local b = order:gather(0, strew.arange(a:numel(), {device = device}):add_(shift:index_select(0, a)), {mode = "drop"})
  if is_left then b:masked_fill_(count:eq(0):index_select(0, a), -1) end -- whose places may be out of range
  return a, b
end

local function suffixes_of(suffixes)
  if suffixes == nil then return "_x", "_y" end
  local is_pair = type(suffixes) == "table" and rawlen(suffixes) == 2
  local a, b = is_pair and rawget(suffixes, 1), is_pair and rawget(suffixes, 2)
  if type(a) == "string" and type(b) == "string" then return a, b end
  fail("suffixes", format('is %s, expected two strings, as {"_x", "_y"}', inner.text(suffixes)))
end

-- Returns for each table the names that its columns have in the result: by position, nil for b's keys.
local function names_of(left, right, in_left, in_right, suffixes)
  local is_key, of_a, of_b, is_in_b, taken = {left = {}, right = {}}, {}, {}, {}, {}
  for k, i in ipairs(in_left) do is_key.left[i], is_key.right[in_right[k]] = true, true end
  if math.type(left.names[1]) == "integer" then
    for i in ipairs(left.names) do of_a[i] = i end
    local count = #of_a
    for j in ipairs(right.names) do
      if not is_key.right[j] then count, of_b[j] = count + 1, count + 1 end
    end
    return of_a, of_b
  end
  local suffix_a, suffix_b = suffixes_of(suffixes)
  for j, name in ipairs(right.names) do is_in_b[name] = not is_key.right[j] end
  local function add(names, i, name, is_twice, suffix)
    names[i] = is_twice and name .. suffix or name
    if taken[names[i]] then
      fail("suffixes", format("would make two columns %s", tables.quoted(names[i])),
        "rename a column, or give other suffixes")
    end
    taken[names[i]] = true
  end
  local is_in_a = {}
  for i, name in ipairs(left.names) do
    is_in_a[name] = not is_key.left[i]
    add(of_a, i, name, is_in_a[name] and is_in_b[name], suffix_a)
  end
  for j, name in ipairs(right.names) do
    if not is_key.right[j] then add(of_b, j, name, is_in_a[name], suffix_b) end
  end
  return of_a, of_b
end

local HOWS <const> = {"inner", "left", "right", "outer", "semi", "anti"}

-- Returns the columns of a and of b, on one device.
local function read_both(a, b)
  local left, right = tables.read(a, "a"), tables.read(b, "b")
  if left.device ~= right.device then
    fail("b", format("is on %s, a is on %s", right.device, left.device), nil, "device")
  end
  return left, right
end

-- Returns the positions in both of the columns that a script names.
local function positions_in(a, left, b, right, which, argument)
  return expressions.positions(a, left, which, argument), expressions.positions(b, right, which, argument)
end

-- Returns the table of a's columns at rows from_a and of b's at from_b; nil: all rows, -1: missing. keys: in the place
-- of those columns of a by position, of the rows at from_keys. fill: as of missing.choose.
local function beside(left, from_a, of_a, right, from_b, of_b, fill, keys, from_keys)
  local out = {names = {}, tensors = {}}
  local function add(name, columns, i, at, gaps)
    local k = #out.names + 1
    out.names[k] = name
    out.tensors[k] = missing.choose(columns, i, at, gaps, fill)
  end
  local gaps_a, gaps_b = from_a and missing.gaps(from_a), from_b and missing.gaps(from_b)
  for i = 1, #left.names do
    local key = keys and keys[i]
    if key then add(of_a[i], key.columns, key.at, from_keys) else add(of_a[i], left, i, from_a, gaps_a) end
  end
  for j = 1, #right.names do
    if of_b[j] then add(of_b[j], right, j, from_b, gaps_b) end
  end
  return tables.make(out)
end

-- Returns rows of a beside rows of b at positions (from_a nil: all), and below them the `rest` of b's, with b's keys.
local function with_rest(left, from_a, names_a, right, from_b, names_b, fill, rest, in_left, in_right)
  local keys, none = {}, strew.full(#rest, -1, {dtype = "int64", device = left.device})
  from_a = from_a or strew.arange(left.rows, {device = left.device})
  for k, i in ipairs(in_left) do
    local both = tables.stacked({left, right}, {i, in_right[k]})
    keys[i] = {columns = {names = {left.names[i]}, tensors = {both}, argument = "a"}, at = 1}
  end
  return beside(left, strew.cat{from_a, none}, names_a, right, strew.cat{from_b, rest}, names_b, fill, keys,
    strew.cat{from_a, rest + left.rows})
end

local function join(a, b, key, how, suffixes, fill)
  how = how or "inner"
  errors.check_word("how", how, HOWS, inner.hints().word(how))
  local left, right = read_both(a, b)
  local in_left, in_right = positions_in(a, left, b, right, key, "key")
  local of_a, of_b, n = groups_of(left, right, in_left, in_right, "key")
  if how == "semi" or how == "anti" then
    local has = of_b:bincount{minlength = n}:gt(0):index_select(0, of_a)
    return tables.make(tables.select(tables.read(a, "a"), (how == "semi" and has or ~has):nonzero():squeeze(1), "a"))
  end
  local names_a, names_b = names_of(left, right, in_left, in_right, suffixes)
  if how == "inner" or how == "left" then
    local from_a, from_b = pairs_of(of_a, of_b, n, how == "left")
    return beside(left, from_a, names_a, right, from_b, names_b, fill)
  end
  if how == "right" then
    local from_b, from_a = pairs_of(of_b, of_a, n, true)
    local keys = {}
    for k, i in ipairs(in_left) do keys[i] = {columns = right, at = in_right[k]} end
    return beside(left, from_a, names_a, right, from_b, names_b, fill, keys, from_b)
  end
  local from_a, from_b = pairs_of(of_a, of_b, n, true)
  local rest = of_a:bincount{minlength = n}:eq(0):index_select(0, of_b):nonzero():squeeze(1)
  return with_rest(left, from_a, names_a, right, from_b, names_b, fill, rest, in_left, in_right)
end

--------------------------------------------------------------------------------------------------------------- as of

-- Raises an error unless a key is ascending, without missing values. Of times the numbers are keys of times.lua.
local function check_order(columns, i, key)
  local t, argument, quoted = columns.tensors[i], columns.argument, tables.quoted(columns.names[i])
  local function check(is_wrong, expected, hint)
    if not is_wrong:any():item() then return end
    local at = is_wrong:nonzero():min():item()
    local shown = operands.shown(t:narrow(0, at, 1))
    fail(argument, format("has %s at [%d] in column %s, expected %s", shown, at, quoted, expected), hint, "value",
      t.dtype ~= "time" and t[at] or nil, {at})
  end
  check(t:ne(t), "no missing value", format("%s[~%s[%s]:isnan()]", argument, argument, quoted))
  local rest = math.max(#key - 1, 0)
  local first = strew.zeros(#key - rest, {dtype = "bool", device = key.device})
  check(strew.cat{first, key:narrow(0, #key - rest, rest):lt(key:narrow(0, 0, rest))}, "ascending values",
    format("strew.sort_by(%s, %s)", argument, quoted))
end

local DIRECTIONS <const> = {"backward", "forward", "nearest"}

-- Returns the distance of keys, a at or above b; of integers as uint64, of equal infinities 0.
local function distance(a, b)
  local gap = a - b
  return operands.is_float(gap) and gap:masked_fill(a:eq(b), 0) or gap:to("uint64")
end

-- Returns the result of asof: `from` has the row of b of each row of a, -1: none. how "outer" adds b's other rows.
local function asof_rows(left, right, from, how, in_left, in_right, names_a, names_b, fill)
  if how == "inner" then
    local from_a = from:ge(0):nonzero():squeeze(1)
    return beside(left, from_a, names_a, right, from:index_select(0, from_a), names_b, fill)
  elseif how ~= "outer" then
    return beside(left, nil, names_a, right, from, names_b, fill)
  end
  local is_used = strew.zeros(right.rows, {dtype = "bool", device = right.device})
  local rest = is_used:index_fill_(0, from:masked_select(from:ge(0)), true):logical_not():nonzero():squeeze(1)
  return with_rest(left, nil, names_a, right, from, names_b, fill, rest, in_left, in_right)
end

local function asof(a, b, on, by, direction, tolerance, suffixes, fill, strict, how)
  errors.check_word("how", how or "left", {"inner", "left", "outer"})
  direction = direction or "backward"
  errors.check_word("direction", direction, DIRECTIONS)
  local left, right = read_both(a, b)
  local in_left, in_right = positions_in(a, left, b, right, on, "on")
  if #in_left ~= 1 then fail("on", format("has %d columns, expected one", #in_left)) end
  local kind = tables.kind(left, in_left[1])
  if kind == "text" or kind == "bool" then
    fail("on", format("is %s, expected numbers or times", kind), nil, "dtype")
  end
  if kind == "time" and type(tolerance) == "string" then
    local size = use "times.lua".span(tolerance, "tolerance")
    if not size then fail("tolerance", format("is %s, but months have no one length", inner.text(tolerance))) end
    tolerance = size / 1000000
  end
  local is_distance = type(tolerance) == "number" and tolerance >= 0
  if tolerance ~= nil and not is_distance then
    fail("tolerance", format("is %s, expected %s of at least 0", inner.text(tolerance),
      kind == "time" and "seconds" or "a number"))
  end
  local of_a, of_b = keys_of(left, in_left[1], right, in_right[1], "on")
  check_order(left, in_left[1], of_a)
  check_order(right, in_right[1], of_b)
  if kind == "time" and tolerance then tolerance = tolerance * 1000000 end
  local m = right.rows
  -- Returns the last row of b before `upto` of each row of a, and the first one from there on; -1: none.
  local around
  if by == nil then
    function around(upto) return upto - 1, strew.where(upto:lt(m), upto, -1) end
  else
    local keys_left, keys_right = positions_in(a, left, b, right, by, "by")
    for k, i in ipairs(keys_left) do
      in_left[k + 1], in_right[k + 1] = i, keys_right[k]
      if i == in_left[1] then fail("by", format("has %s, which is 'on'", inner.text(left.names[i]))) end
    end
    local group_a, group_b, count = groups_of(left, right, keys_left, keys_right, "by")
    local groups = strew.grouping(group_b, {dim_size = count})
    local order, starts = groups:order(), groups:starts()
    -- Rows of b by group, and of a group in their order, are ascending places.
    local places = group_b:index_select(0, order) * (m + 1) + order
    function around(upto)
      local at = places:searchsorted(group_a * (m + 1) + upto)
      local function row(place, exists)
        return strew.where(exists, order:gather(0, place, {mode = "drop"}), -1)
      end
      return row(at - 1, at:gt(starts:index_select(0, group_a))), row(at, at:lt(starts:index_select(0, group_a + 1)))
    end
  end
  local back, ahead, near_back, near_ahead
  local function to(from, is_back)
    local key = of_b:gather(0, from, {mode = "drop"})
    return is_back and distance(of_a, key) or distance(key, of_a)
  end
  if direction ~= "forward" then back = around(of_b:searchsorted(of_a, {right = not strict})) end
  if direction ~= "backward" then ahead = select(2, around(of_b:searchsorted(of_a, {right = strict}))) end
  if back and ahead then
    near_back, near_ahead = to(back, true), to(ahead)
    local takes_ahead = ahead:ge(0) & (back:lt(0) | near_ahead:lt(near_back))
    back, near_back = strew.where(takes_ahead, ahead, back), strew.where(takes_ahead, near_ahead, near_back)
  elseif tolerance then
    near_back = to(back or ahead, back ~= nil)
  end
  local from = back or ahead
  if tolerance then from = strew.where(near_back:le(tolerance), from, -1) end
  local names_a, names_b = names_of(left, right, in_left, in_right, suffixes)
  return asof_rows(left, right, from, how, in_left, in_right, names_a, names_b, fill)
end

return {
  join = {"a:table b:table key:any how=word suffixes=any fill=scalar", join},
  asof = {"a:table b:table on:any by=any direction=word tolerance=any suffixes=any fill=scalar strict=boolean "
    .. "how=word", asof},
}
