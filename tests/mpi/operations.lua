-- Random calls of strew.mpi, against the same calls of strew on everything, bit for bit; rank 0 prints a digest of all
-- results, which is the same for any number of ranks.
-- usage: mpirun -n RANKS build/strew tests/mpi/operations.lua CALLS
-- All ranks draw the same numbers: each has the whole of every operand, and passes its own part.
local strew, mpi = require "strew", require "strew.mpi"
local calls = tonumber(arg[1]) or 100
local rank, size, random = mpi.rank(), mpi.size(), math.random
local dtypes = {"float32", "float64", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool"}
local modes, words = {"error", "wrap", "clip", "drop"}, {"sum", "prod", "mean", "amax", "amin"}
local function any(list) return list[random(#list)] end

local function values(dtype, shape)
  if dtype == "bool" then return strew.randint(0, 2, shape):to "bool" end
  if not dtype:find "float" then return strew.randint(dtype == "uint8" and 0 or -100, 100, shape, {dtype = dtype}) end
  local t = strew.randn(shape):to(dtype)
  if random(4) == 1 and t:numel() > 0 then t:view(-1)[random(0, t:numel() - 1)] = any{0 / 0, 1 / 0, -0.0} end
  return t
end

-- The elements as a string, which is equal for equal bits; a NaN's payload is not included.
local function bits(t)
  local parts = {t.dtype, table.unpack(t.shape)}
  for _, x in ipairs(t:reshape(-1):tolist()) do table.insert(parts, x ~= x and "nan" or ("%q"):format(x)) end
  return table.concat(parts, " ")
end

local digest, checked = 0xcbf29ce484222325, 0
local function same(what, found, expected)
  found, expected = bits(found), bits(expected)
  if found ~= expected then
    error(("rank %d: %s\n  found    %s\n  expected %s"):format(rank, what, found:sub(1, 400), expected:sub(1, 400)), 0)
  end
  return found
end
local function check(what, found, expected)
  found = same(what, found, expected)
  for i = 1, #found do digest = (digest ~ found:byte(i)) * 0x100000001b3 end
  checked = checked + 1
end

-- Cuts of 0..n for four ranks at most, joined for fewer, some of them empty; own(t) is this rank's part.
local function cuts(n)
  local at = {0, random(0, n), random(0, n), random(0, n), n}
  if random(8) == 1 then at[2], at[3], at[4] = 0, 0, n end
  table.sort(at)
  return at
end
local function own(t, at)
  local first, last = at[rank * 4 // size + 1], at[(rank + 1) * 4 // size + 1]
  return t:narrow(0, first, last - first)
end

local function draw_shape()
  local shape = {any{0, 1, 2, 3, 5, 17, 400}}
  for d = 2, random(1, 3) do shape[d] = random(12) == 1 and 0 or random(3) end
  return shape
end

local function one_call()
  local dtype, shape, mode = any(dtypes), draw_shape(), any(modes)
  local n, k = shape[1], random(5) == 1 and 0 or random(60)
  if n == 0 and mode ~= "drop" then k = 0 end
  local by_element = #shape > 1 and random(2) == 1
  local wide, index_shape = {table.unpack(shape)}, {k}
  wide[1] = k
  if by_element then
    for d = 2, #shape do index_shape[d] = random(0, shape[d]) end
  end
  local low, high = 0, n
  if mode == "wrap" then low = -n elseif mode ~= "error" then low, high = -2, n + 2 end
  local index_dtype = any(low < 0 and {"int64", "int32", "int16"} or {"int64", "int32", "int16", "uint64"})
  local index = high > low and strew.randint(low, high, index_shape, {dtype = index_dtype})
    or strew.zeros(index_shape, {dtype = "int64"})
  local t, src, at = values(dtype, shape), values(dtype, wide), cuts(k)
  local ones = {k}
  for d = 2, #shape do ones[d] = 1 end
  local full = by_element and index or index:view(ones):expand(wide)
  local mine, its = own(index, at), own(src, at)
  local d = mpi.distribute(t)
  local options = mode ~= "error" and {mode = mode} or nil
  local what = ("%s of %s[%s] by [%s], %s"):format("%s", dtype, table.concat(shape, ", "),
    table.concat(index_shape, ", "), mode)
  local kind = random(6)
  if kind == 1 then
    check(what:format "scatter_", d:scatter_(mine, its, options):collect(), t:scatter(0, full, src, options))
  elseif kind == 2 then
    local number = dtype == "bool" or random(-3, 3)
    if dtype == "uint8" then number = 3 end
    check(what:format "scatter_ of a number", d:scatter_(mine, number, options):collect(),
      t:scatter(0, full, number, options))
  elseif kind == 3 then
    check(what:format "scatter_add", d:scatter_add(mine, its, options):collect(), t:scatter_add(0, full, src, options))
    check("unchanged", d:collect(), t)
  elseif kind == 4 then
    local word = any(words)
    if dtype == "bool" and word == "mean" then word = "sum" end
    local with = {mode = mode, include_self = random(2) == 1}
    check(what:format(word), d:scatter_reduce_(mine, its, word, with):collect(),
      t:scatter_reduce(0, full, src, word, with))
  elseif kind == 5 then
    local whole = t:gather(0, full, options)
    same(what:format "gather", d:gather(mine, options), own(whole, at))
    check(what, whole, whole)
    check(what:format "d:collect", d:collect(), t)
  else
    check(what:format "scatter_add_ with a larger src", d:scatter_add_(mine, its, options):collect(),
      t:scatter_add_(0, full, src, options))
  end
end

for i = 1, calls do
  math.randomseed(i, 5)
  strew.manual_seed(i)
  one_call()
end

-- Groups by keys, and reductions of them.
local function draw_key(k)
  local dtype = any(dtypes)
  local key = dtype == "bool" and values(dtype, {k}) or strew.randint(0, any{1, 3, 40}, k):to(dtype)
  if dtype:find "float" and k > 0 then
    for _ = 1, 4 do key[random(0, k - 1)] = any{0 / 0, -0.0, 0.5, -1 / 0} end
  end
  return key
end
local function one_grouping()
  local k = any{0, 1, 2, 7, 60}
  local at, keys, parts = cuts(k), {}, {}
  for i = 1, random(2) do
    keys[i] = draw_key(k)
    parts[i] = own(keys[i], at)
  end
  local options = any{false, {order = "first"}, {order = "sorted"}} or nil
  local whole = strew.group_by(keys, options)
  table.insert(parts, options)
  local g = mpi.group_by(table.unpack(parts))
  local what = ("group_by %d of %s, %s: %%s"):format(k, keys[1].dtype, options and options.order)
  assert(g.n == whole.n, what:format "n")
  same(what:format "ids", g.ids, own(whole.ids, at))
  check(what:format "positions", g.positions, whole.positions)
  check(what:format "counts", g.counts, whole.counts)
  for i = 1, #keys do check(what:format "keys", g.keys[i], whole.keys[i]) end
  local a, b = values("float32", {k}), values("int32", {k})
  local function reductions(x, y)
    return {n = "count", sum = {"sum", x}, wide = {"sum", y, dtype = "float64"}, prod = {"prod", x}, mean = {"mean", x},
            least = {"min", x}, most = {"max", y}, first = {"first", x}, last = {"last", y}, std = {"std", x},
            middle = {"median", x}, upper = {"quantile", x, q = 0.75}, distinct = {"nunique", y},
            log = {"logsumexp", x, skip_nan = true}}
  end
  local expected = whole:agg(reductions(a, b))
  for _ = 1, random(2) do
    local found = g:agg(reductions(own(a, at), own(b, at)))
    assert(table.concat(strew.columns(found), " ") == table.concat(strew.columns(expected), " "), what:format "columns")
    for _, name in ipairs(strew.columns(expected)) do check(what:format(name), found[name], expected[name]) end
  end
end
for i = 1, calls // 4 do
  math.randomseed(i, 6)
  strew.manual_seed(i)
  one_grouping()
end

-- Functions of whole tensors.
math.randomseed(1, 5)
strew.manual_seed(1)
for _, dtype in ipairs(dtypes) do
  for _, shape in ipairs{{}, {0}, {1}, {3, 2}, {50}} do
    local parts, sum = {}, nil
    for r = 1, size do parts[r] = values(dtype, shape) end
    for r = 1, size do sum = sum and sum + parts[r] or parts[r] end
    same("sum", mpi.sum(parts[rank + 1]), sum)
    for root = 0, size - 1 do
      local t = values(dtype, shape)
      same("bcast", mpi.bcast(root == rank and t or root % 2 == 0 and t:clone():zero_() or nil, root), t)
    end
  end
end
-- Exact sums: the state of all terms, added in one call.
for i = 1, calls // 10 do
  math.randomseed(i, 7)
  strew.manual_seed(i)
  local n, k, options = random(0, 20), random(0, 300), {squares = random(2) == 1, dtype = any{"float32", "float64"}}
  if n == 0 then k = 0 end
  local index, src = strew.randint(0, math.max(n, 1), {k}), values(any(dtypes), {k})
  local whole, parts = strew.exact_sums(n, options):add(src, index), {}
  for r = 1, size do parts[r] = strew.exact_sums(n, options) end
  for at = 0, k - 1 do parts[random(size)]:add(src:narrow(0, at, 1), index:narrow(0, at, 1)) end
  local e = mpi.sum(parts[rank + 1])
  check("exact sums", e:sum(), whole:sum())
  check("exact sums' state", e:state(), whole:state())
end
math.randomseed(2, 5)
strew.manual_seed(2)
for _, shape in ipairs{{0}, {1}, {2, 0}, {3}, {10, 2, 3}} do
  local t = values("float64", shape)
  check("zeros", mpi.zeros(shape, {dtype = "int16"}):collect(), strew.zeros(shape, {dtype = "int16"}))
  check("zeros", mpi.zeros(table.unpack(shape)):collect(), strew.zeros(shape))
  check("collect", mpi.distribute(t):collect(), t)
  local path = arg[2] and arg[2] .. "/whole.npy"
  if path then
    if rank == 0 then strew.save(path, t) end
    mpi.barrier()
    check("load", mpi.load(path):collect(), t)
    mpi.barrier()
  end
  local d, rows = mpi.distribute(t), 0
  for r = 0, size - 1 do rows = rows + mpi.bcast(strew.tensor(#d:block()), r):item() end
  assert(rows == #t and #d == #t and d.dtype == "float64" and #d.shape == #shape and d.device == t.device)
end
if rank == 0 then print(("%d results, digest %016x"):format(checked, digest)) end
