-- joins.lua: rows of two tables with equal keys.
local strew, fail, use, inner = ...
local operands, tables, missing = use "operands.lua", use "tables.lua", use "take_rows.lua"

local function text_of(columns, i) return columns.words[i] and "text" or columns.tensors[i].dtype end

-- Text columns of both tables as codes of one list of words.
local function text_keys(left, i, right, j)
  local code_of, count = {}, 0
  local function codes_of(list)
    local codes = {}
    for k, word in ipairs(list) do
      if not code_of[word] then code_of[word], count = count, count + 1 end
      codes[k] = code_of[word]
    end
    return codes
  end
  local of_left, of_right = codes_of(left.words[i]), codes_of(right.words[j])
  return tables.recoded(left, i, of_left, count), tables.recoded(right, j, of_right, count)
end

-- Columns of numbers of both tables as one dtype that holds the values of both.
local function number_keys(left, i, right, j)
  local a, b = left.tensors[i], right.tensors[j]
  if a.dtype == "time" and b.dtype == "time" then return a:to("int64"), b:to("int64") end
  if a.dtype == b.dtype then return a, b end
  local a_is_float, b_is_float, dtype = operands.is_float(a), operands.is_float(b), strew.result_type(a, b)
  if a_is_float == b_is_float and (a_is_float or not dtype:find("float", 1, true)) then
    return a:to(dtype), b:to(dtype)
  end
  dtype = a_is_float == b_is_float and "int64" or operands.widest(a)
  local function exact(columns, k, other, others)
    local t, value = missing.as_exact(columns.tensors[k], dtype)
    if t then return t end
    fail("key", ("has column %s with value %s in %s, which %s cannot hold; in %s the column is %s"):format(
      tables.quoted(columns.names[k]), value, columns.argument, dtype, other, others.dtype), nil, "value", value)
  end
  return a_is_float and a:to(dtype) or exact(left, i, "b", b), b_is_float and b:to(dtype) or exact(right, j, "a", a)
end

-- The elements of one key column of both tables, a's before b's.
local function key_of(left, i, right, j)
  tables.check_key(left, i, "key")
  tables.check_key(right, j, "key")
  local a, b = text_of(left, i), text_of(right, j)
  local is_kind = {text = true, bool = true, time = true}
  if a ~= b and (is_kind[a] or is_kind[b]) then
    fail("key", ("has column %s, which is %s in a and %s in b"):format(tables.quoted(left.names[i]), a, b), nil,
      "dtype")
  end
  return strew.cat{(a == "text" and text_keys or number_keys)(left, i, right, j)}
end

-- Returns the rows of a and of b that belong together, in a's order; of equal ones in b's. is_left: rows of a that
-- nothing in b equals are kept, with -1 for the row of b.
local function pairs_of(left, right, in_left, in_right, is_left)
  local keys, n = {}, left.rows
  for k, i in ipairs(in_left) do keys[k] = key_of(left, i, right, in_right[k]) end
  table.insert(keys, {order = "first"})
  local g = strew.group_by(table.unpack(keys))
  local of_a = g.ids:narrow(0, 0, n)
  local of_b = strew.grouping(g.ids:narrow(0, n, right.rows), {dim_size = g.n})
  local count = of_b.counts:index_select(0, of_a)
  local taken = is_left and count:clamp(1) or count
  local a = strew.arange(n, {device = left.device}):repeat_interleave(taken)
  -- A row of a has the places first, first + 1, ... of the result, and those from start on in the order of b.
  local first, start = taken:cumsum(0) - taken, of_b:starts():index_select(0, of_a)
  local at = strew.arange(#a, {device = left.device}):add_((start - first):index_select(0, a))
  local gaps = is_left and count:eq(0):index_select(0, a):nonzero():squeeze(1)
  local b = of_b:order():gather(0, at, {mode = "drop"}) -- places of gaps may be out of range
  if not gaps or #gaps == 0 then return a, b end
  return a, b:index_fill_(0, gaps, -1), gaps
end

local function suffixes_of(suffixes)
  if suffixes == nil then return "_x", "_y" end
  local is_pair = type(suffixes) == "table" and rawlen(suffixes) == 2
  local a, b = is_pair and rawget(suffixes, 1), is_pair and rawget(suffixes, 2)
  if type(a) == "string" and type(b) == "string" then return a, b end
  fail("suffixes", ('is %s, expected two strings, as {"_x", "_y"}'):format(inner.text(suffixes)))
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
      fail("suffixes", ("would make two columns %s"):format(tables.quoted(names[i])),
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

local function check_how(how)
  if how == nil or how == "inner" or how == "left" then return end
  fail("how", ('is %s, expected "inner" or "left"'):format(inner.text(how)),
    how == "right" and 'strew.join(b, a, key, {how = "left"})' or nil)
end

local function join(a, b, key, how, suffixes)
  check_how(how)
  local left, right = tables.read(a, "a"), tables.read(b, "b")
  if left.device ~= right.device then
    fail("b", ("is on %s, a is on %s"):format(right.device, left.device), nil, "device")
  end
  local in_left, in_right = tables.positions(left, key, "key"), tables.positions(right, key, "key")
  local of_a, of_b = names_of(left, right, in_left, in_right, suffixes)
  local from_a, from_b, gaps = pairs_of(left, right, in_left, in_right, how == "left")
  local out = {names = {}, tensors = {}, words = {}}
  local function add(columns, names, at, missing_at)
    for i = 1, #columns.names do
      if names[i] then
        local k = #out.names + 1
        out.names[k] = names[i]
        out.tensors[k], out.words[k] = missing.choose(columns, i, at, missing_at)
      end
    end
  end
  add(left, of_a, from_a)
  add(right, of_b, from_b, gaps)
  return tables.make(out)
end

return {
  join = {"a:table b:table key:any how=word suffixes=any", join},
}
