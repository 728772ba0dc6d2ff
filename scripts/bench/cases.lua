-- cases.lua: the cases of the benchmark, as data. One row a case:
--   key     its name for CASES and the peers' modules
--   title   its name in tables
--   make    creates the operands: function(sizes) -> tensors...
--   call    the call on them; a new result is freed within the measured time, as in Python
--   bytes   that must move at least: function(tensors...)
--   loop    its plain C loop in plain_loop.c, for in-place cases
--   batch   number of calls in one run of `call`, default 1
--   part    "family" (the scatter family), "million" (the family on problems that fit into caches), "call" (the cost of
--           a call), "dense" (elementwise and reductions), "rest" (the rest of the family), "texts" (expressions),
--           "exact" (exact sums beside ordered ones) or "questions" (the group-by questions of the db-benchmark); the
--           last four have tables of their own
-- float32 values and int64 indices unless the title says otherwise; add is scatter_add_, set scatter_, amax and mean
-- scatter_reduce_. In-place calls have no result.
local strew = require "strew"

local item_bytes = {float64 = 8, float32 = 4, int64 = 8, int32 = 4, float16 = 2, bool = 1, uint8 = 1}
local all_of = {} -- the rows

-- The divisor of all sizes: a test of the benchmark itself uses small ones.
local scale = tonumber(os.getenv("SCALE") or 1)
local function size(n) return math.max(n // scale, 4) end
local M = size(1000000)
local width, places_of_rows = 64, size(100000)

-- ---------------------------------------------------------------------------------------------------------- operands

local function uniform(n, places) return strew.randint(0, places, {n}) end
local function sorted(n, places) return (uniform(n, places):sort()) end
local function constant(n) return strew.zeros(n, {dtype = "int64"}) end

-- Position k occurs in proportion to (k + 1)^-1.3, in random order.
local function zipf(n, places)
  local share = strew.arange(1, places + 1):to("float64"):pow(-1.3):cumsum(0)
  local starts = (share / share[places - 1] * n):to("int64"):narrow(0, 0, places - 1)
  local steps = strew.zeros(n + 1, {dtype = "int64"}):scatter_add_(0, starts, strew.ones(places - 1, {dtype = "int64"}))
  return steps:narrow(0, 0, n):cumsum(0):gather(0, strew.randperm(n))
end

local function values(shape, dtype)
  if dtype == "int64" then return strew.randint(0, 100, shape) end
  return dtype and strew.rand(shape):to(dtype) or strew.rand(shape)
end

local function line(index, places, dtype, count)
  count = count or 10 * M
  return function()
    return strew.zeros(places, {dtype = dtype}), index(count, places), values({count}, dtype)
  end
end
local function million(places) return line(uniform, places, nil, M) end

local function rows(index)
  return function() return strew.zeros(places_of_rows, width), index(M, places_of_rows), strew.rand(M, width) end
end

local function full_rows(index) -- as expanded, but materialised
  return function()
    local self, one, src = rows(index)()
    return self, one:unsqueeze(-1):expand_as(src):contiguous(), src
  end
end

local function random_rows()
  return strew.zeros(places_of_rows, width), uniform(M * width, places_of_rows):view(M, width), strew.rand(M, width)
end

-- Lines of `length` contributions, each with destinations of its own.
local function lines(count, length, places)
  return function()
    return strew.zeros(count, places), uniform(count * length, places):view(count, length), strew.rand(count, length)
  end
end
local inner = lines(size(1000), 10 * size(1000), size(1000))
local hundreds = lines(M // 100, 100, 100)

local function dense(count, shape)
  return function()
    local list = {}
    for k = 1, count do list[k] = strew.rand(shape or {10 * M}) end
    return table.unpack(list)
  end
end

-- Where segments of very uneven lengths start, n elements in all: one has a tenth of them, another tenth are segments
-- of one element, and the rest has random lengths, 8 on average.
local function uneven(n)
  local tenth = n // 10
  return strew.cat({strew.tensor {0}, strew.arange(tenth, 2 * tenth + 1),
    sorted(tenth, math.max(n - 2 * tenth, 1)) + 2 * tenth, strew.tensor {n}}, 0)
end
local function segments(...)
  local shape = {...}
  return function() return strew.rand(shape), uneven(shape[1]) end
end
local function sorted_groups(...) -- the same segments, by ids
  local make = segments(...)
  return function()
    local src, starts = make()
    return src, strew.gather_csr(strew.arange(#starts - 1), starts)
  end
end

local side = size(1000000) < 1000 and 8 or 100
local volume = {side, side, side}
local function in_volume() -- three indices
  return strew.zeros(volume), uniform(10 * M, side), uniform(10 * M, side), uniform(10 * M, side), strew.rand(10 * M)
end
local function tuples() return strew.rand(M), strew.randint(0, side, {M, 3}) end
local function half_of(n) return strew.rand(n):lt(0.5) end
local function many_groups() return strew.rand(10 * M), uniform(10 * M, M) end

-- ------------------------------------------------------------------------------------------------------------- bytes

local function bytes_of(t) return t:numel() * item_bytes[t.dtype] end

-- The fraction of positions along dimension 0 that occur in the index.
local function share_named(self, index)
  if index:dim() > 1 then return 1 end
  local n = self:size(0)
  return strew.zeros(n):scatter_(0, index, 1):to("float64"):sum():item() / n
end

local function joined(self, index, src) -- read, and written back
  return bytes_of(index) + bytes_of(src) + 2 * bytes_of(self) * share_named(self, index)
end
local function written(self, index, src)
  return bytes_of(index) + bytes_of(src) + bytes_of(self) * share_named(self, index)
end
local function gathered(self, index)
  return bytes_of(index) + bytes_of(self) * share_named(self, index) + index:numel() * bytes_of(self) // self:size(0)
end
local function lines_gathered(self, index) return bytes_of(index) + bytes_of(self) + index:numel() * 4 end
local function grouped(src, index) return bytes_of(src) + bytes_of(index) + places_of_rows * width * 4 end
local function with_positions(src, index) return grouped(src, index) + places_of_rows * width * 8 end
local function line_each(_, index) return bytes_of(index) + 2 * 64 * index:numel() end -- a cache line each

local function segmented(src, starts) -- positions of maxima not included
  return bytes_of(src) + bytes_of(starts) + (#starts - 1) * (bytes_of(src) // #src)
end
local function by_ids(src, index)
  return bytes_of(src) + bytes_of(index) + (index[#index - 1] + 1) * (bytes_of(src) // #src)
end
local function to_groups(src, index) return bytes_of(src) + bytes_of(index) + M * 4 end

local function read(...)
  local sum = 0
  for _, t in ipairs {...} do sum = sum + bytes_of(t) end
  return sum
end
local function read_and_result(...) -- a result of 10 M
  return read(...) + 10 * M * 4
end
local function read_and_sorted(t) return 2 * bytes_of(t) + t:numel() * 8 end

-- ------------------------------------------------------------------------------------------------------------- calls

local function across(index, src) return index:unsqueeze(-1):expand(src:size(0), width) end

local function add(self, index, src) self:scatter_add_(0, index, src) end
local function set(self, index, src) self:scatter_(0, index, src) end
local function reduce(word)
  return function(self, index, src) self:scatter_reduce_(0, index, src, word) end
end
local function add_rows(self, index, src) self:scatter_add_(0, across(index, src), src) end
local function reduce_rows(word)
  return function(self, index, src) self:scatter_reduce_(0, across(index, src), src, word) end
end
local function gather_rows(self, index, src) return self:gather(0, across(index, src)) end

local function add_lines(self, index, src) self:scatter_add_(1, index, src) end
local function set_lines(self, index, src) self:scatter_(1, index, src) end
local function reduce_lines(word)
  return function(self, index, src) self:scatter_reduce_(1, index, src, word) end
end
local function gather_lines(self, index) return self:gather(1, index) end

local function group(name)
  return function(src, index) return strew[name](src, index, {dim = 0, dim_size = places_of_rows}) end
end
local function group_rows(index)
  return function()
    local _, one, src = rows(index)()
    return src, one
  end
end

local function segment_csr(word)
  return function(src, starts) return strew.segment_csr(src, starts, {reduce = word}) end
end
local function segment_coo(word)
  return function(src, index) return strew.segment_coo(src, index, {reduce = word}) end
end
local function put(options)
  return function(self, i, j, k, source) self:index_put_({i, j, k}, source, options) end
end

local function four()
  return strew.zeros(4), strew.tensor {3, 1, 3, 0}, strew.rand(4)
end
local function four_calls(self, index, src)
  for _ = 1, 10000 do self:scatter_add_(0, index, src) end
end

-- -------------------------------------------------------------------------------------------------------------- rows

local function part(name, list)
  for _, case in ipairs(list) do
    case.part, case.batch = name, case.batch or 1
    table.insert(all_of, case)
  end
end

part("family", {
  {key = "add_1", title = "add, 10 M into 1", make = line(constant, 1), call = add,
   bytes = joined, loop = "line"},
  {key = "add_100", title = "add, 10 M into 100", make = line(uniform, 100), call = add, bytes = joined, loop = "line"},
  {key = "add_10k", title = "add, 10 M into 10 k", make = line(uniform, size(10000)),
   call = add, bytes = joined, loop = "line"},
  {key = "add_1M", title = "add, 10 M into 1 M", make = line(uniform, M), call = add, bytes = joined, loop = "line"},
  {key = "add_10M", title = "add, 10 M into 10 M", make = line(uniform, 10 * M),
   call = add, bytes = joined, loop = "line"},
  {key = "add_sorted", title = "add, 10 M into 1 M, sorted index", make = line(sorted, M), call = add,
   bytes = joined, loop = "line"},
  {key = "add_zipf", title = "add, 10 M into 1 M, Zipf (1.3)", make = line(zipf, M),
   call = add, bytes = joined, loop = "line"},
  {key = "add_int64", title = "add, 10 M int64 into 1 M", make = line(uniform, M, "int64"), call = add, bytes = joined},
  {key = "add_float16", title = "add, 10 M float16 into 1 M", make = line(uniform, M, "float16"), call = add,
   bytes = joined},
  {key = "set_1M", title = "set, 10 M into 1 M", make = line(uniform, M), call = set, bytes = written},
  {key = "amax_1M", title = "amax, 10 M into 1 M", make = line(uniform, M), call = reduce "amax",
   bytes = joined},
  {key = "mean_1M", title = "mean, 10 M into 1 M", make = line(uniform, M), call = reduce "mean", bytes = joined},
  {key = "gather_1M", title = "gather, 10 M from 1 M", make = line(uniform, M),
   call = function(self, index) return self:gather(0, index) end, bytes = gathered},
  {key = "rows_add", title = "rows, 1 M x 64 into 100 k: add", make = rows(uniform), call = add_rows, bytes = joined,
   loop = "rows"},
  {key = "rows_amax", title = "rows: amax", make = rows(uniform), call = reduce_rows "amax", bytes = joined},
  {key = "rows_mean", title = "rows: mean", make = rows(uniform), call = reduce_rows "mean", bytes = joined},
  {key = "rows_full", title = "rows: add, the index copied out to 1 M x 64", make = full_rows(uniform), call = add,
   bytes = joined, loop = "full_rows"},
  {key = "rows_random", title = "rows: add, a random index of 1 M x 64", make = random_rows, call = add, bytes = joined,
   loop = "full_rows"},
  {key = "rows_sorted", title = "rows: add, sorted index", make = rows(sorted), call = add_rows, bytes = joined,
   loop = "rows"},
  {key = "rows_gather", title = "rows: gather", make = rows(uniform), call = gather_rows, bytes = gathered},
  {key = "rows_select", title = "rows: gather (PyTorch: index_select)", make = rows(uniform), call = gather_rows,
   bytes = gathered},
  {key = "inner_add", title = "last dimension, 1000 x 10 k into 1000 x 1000: add", make = inner,
   call = add_lines, bytes = joined, loop = "inner"},
  {key = "inner_set", title = "last dimension: set", make = inner,
   call = set_lines, bytes = written},
  {key = "one_hot", title = "one-hot, 100 k x 1000 from a number",
   make = function() return strew.zeros(places_of_rows, 1000), uniform(places_of_rows, 1000):unsqueeze(1) end,
   call = function(self, index) self:scatter_(1, index, 1) end, bytes = line_each},
  {key = "group_sum", title = "group form, rows: sum", make = group_rows(uniform), call = group "scatter_sum",
   bytes = grouped},
  {key = "group_mean", title = "group form, rows: mean", make = group_rows(uniform), call = group "scatter_mean",
   bytes = grouped},
  {key = "group_max", title = "group form, rows: max with positions", make = group_rows(uniform),
   call = group "scatter_max", bytes = with_positions},
  {key = "group_sorted", title = "group form, rows, sorted: sum", make = group_rows(sorted), call = group "scatter_sum",
   bytes = grouped},
})

part("million", {
  {key = "million_add", title = "add, 1 M into 1000", make = million(size(1000)), call = add, bytes = joined},
  {key = "million_set", title = "set, 1 M into 1000", make = million(size(1000)), call = set, bytes = written},
  {key = "million_amax", title = "amax, 1 M into 1000", make = million(size(1000)), call = reduce "amax",
   bytes = joined},
  {key = "million_10_add", title = "100 k lines of 10 into 10 each: add", make = lines(M // 10, 10, 10),
   call = add_lines, bytes = joined},
  {key = "million_100_add", title = "10 k lines of 100 into 100 each: add", make = hundreds, call = add_lines,
   bytes = joined},
  {key = "million_100_set", title = "lines of 100: set", make = hundreds, call = set_lines, bytes = written},
  {key = "million_100_amax", title = "lines of 100: amax", make = hundreds, call = reduce_lines "amax",
   bytes = joined},
  {key = "million_100_mean", title = "lines of 100: mean", make = hundreds, call = reduce_lines "mean",
   bytes = joined},
  {key = "million_100_gather", title = "lines of 100: gather", make = hundreds, call = gather_lines,
   bytes = lines_gathered},
  {key = "million_10_gather", title = "100 k lines of 10 from 100 each: gather", make = lines(M // 10, 10, 100),
   call = gather_lines, bytes = lines_gathered},
})

part("call", {
  {key = "four", title = "one call on four elements", make = four, call = four_calls, bytes = joined, batch = 10000},
})

local matrix = {size(1000), 10 * M // size(1000)}
part("dense", {
  {key = "dense_add", title = "a + b", make = dense(2), call = function(a, b) return a + b end,
   bytes = read_and_result},
  {key = "dense_mul", title = "a * b", make = dense(2), call = function(a, b) return a * b end,
   bytes = read_and_result},
  {key = "dense_exp", title = "exp", make = dense(1), call = strew.exp, bytes = read_and_result, varies = true},
  {key = "dense_where", title = "where", make = function()
    local a, b = dense(2)()
    return a:gt(b), a, b
  end, call = strew.where, bytes = read_and_result},
  {key = "dense_sum", title = "sum", make = dense(1), call = function(a) return a:sum() end, bytes = read},
  {key = "dense_sum_0", title = "sum over dim 0 of 1000 x 10 k", make = dense(1, matrix),
   call = function(a) return a:sum(0) end, bytes = read},
  {key = "dense_sum_1", title = "sum over dim 1 of 1000 x 10 k", make = dense(1, matrix),
   call = function(a) return a:sum(1) end,
   bytes = read},
  {key = "dense_max", title = "max", make = dense(1), call = function(a) return a:max() end, bytes = read},
  {key = "dense_max_0", title = "max over dim 0 of 1000 x 10 k", make = dense(1, matrix),
   call = function(a) return a:amax(0) end, bytes = read},
  {key = "dense_max_0_positions", title = "max over dim 0, with positions", make = dense(1, matrix),
   call = function(a) return a:max(0) end, bytes = read},
  {key = "dense_argmax", title = "argmax", make = dense(1), call = function(a) return a:argmax() end, bytes = read},
  {key = "dense_sort", title = "sort, with positions", make = dense(1), call = function(a) return a:sort() end,
   bytes = read_and_sorted},
  {key = "dense_cumsum", title = "cumsum", make = dense(1), call = function(a) return a:cumsum(0) end,
   bytes = read_and_result},
  {key = "dense_cat", title = "cat of two of 5 M", make = dense(2, {5 * M}),
   call = function(a, b) return strew.cat({a, b}) end, bytes = read_and_result},
  {key = "dense_transpose", title = "transpose-copy of 1000 x 10 k", make = dense(1, matrix),
   call = function(a) return a:t():contiguous() end, bytes = read_and_result},
})

part("rest", {
  {key = "csr_wide_sum", title = "segment_csr, 1 M x 64, uneven lengths: sum", make = segments(M, width),
   call = segment_csr "sum", bytes = segmented},
  {key = "csr_wide_mean", title = "segment_csr, rows: mean", make = segments(M, width), call = segment_csr "mean",
   bytes = segmented},
  {key = "csr_wide_max", title = "segment_csr, rows: max with positions", make = segments(M, width),
   call = segment_csr "max", bytes = segmented},
  {key = "csr_long_sum", title = "segment_csr, 10 M, uneven lengths: sum", make = segments(10 * M),
   call = segment_csr "sum", bytes = segmented},
  {key = "csr_long_mean", title = "segment_csr, 10 M: mean", make = segments(10 * M), call = segment_csr "mean",
   bytes = segmented},
  {key = "csr_long_max", title = "segment_csr, 10 M: max with positions", make = segments(10 * M),
   call = segment_csr "max", bytes = segmented},
  {key = "coo_wide_sum", title = "segment_coo, 1 M x 64, uneven lengths: sum", make = sorted_groups(M, width),
   call = segment_coo "sum", bytes = by_ids},
  {key = "coo_wide_mean", title = "segment_coo, rows: mean", make = sorted_groups(M, width),
   call = segment_coo "mean", bytes = by_ids},
  {key = "coo_wide_max", title = "segment_coo, rows: max with positions", make = sorted_groups(M, width),
   call = segment_coo "max", bytes = by_ids},
  {key = "coo_long_sum", title = "segment_coo, 10 M, uneven lengths: sum", make = sorted_groups(10 * M),
   call = segment_coo "sum", bytes = by_ids},
  {key = "coo_long_mean", title = "segment_coo, 10 M: mean", make = sorted_groups(10 * M), call = segment_coo "mean",
   bytes = by_ids},
  {key = "coo_long_max", title = "segment_coo, 10 M: max with positions", make = sorted_groups(10 * M),
   call = segment_coo "max", bytes = by_ids},
  {key = "scatter_softmax", title = "scatter_softmax, 10 M in 1 M groups", make = many_groups,
   call = function(src, index) return strew.scatter_softmax(src, index, {dim_size = M}) end, bytes = read_and_result},
  {key = "scatter_std", title = "scatter_std, 10 M in 1 M groups", make = many_groups,
   call = function(src, index) return strew.scatter_std(src, index, {dim_size = M}) end, bytes = to_groups},
  {key = "scatter_quantile", title = "scatter_quantile, 10 M in 1 M groups", make = many_groups,
   call = function(src, index) return strew.scatter_quantile(src, index, 0.9, {dim_size = M, fill = 0}) end,
   bytes = to_groups},
  {key = "scatter_median", title = "scatter_median, 10 M in 1 M groups", make = many_groups,
   call = function(src, index) return strew.scatter_median(src, index, {dim_size = M, fill = 0}) end,
   bytes = to_groups},
  {key = "index_add", title = "index_add, 1 M x 64 into 100 k", make = rows(uniform),
   call = function(self, index, src) self:index_add_(0, index, src) end, bytes = joined},
  {key = "index_select", title = "index_select, 1 M rows of 64 from 100 k", make = rows(uniform),
   call = function(self, index) return self:index_select(0, index) end, bytes = gathered},
  {key = "index_copy", title = "index_copy, 1 M x 64 into 100 k", make = rows(uniform),
   call = function(self, index, src) self:index_copy_(0, index, src) end, bytes = written},
  {key = "index_put", title = "index_put, 10 M by three indices into 1 M", make = in_volume, call = put(),
   bytes = read},
  {key = "index_put_add", title = "index_put, accumulate", make = in_volume, call = put {accumulate = true},
   bytes = read},
  {key = "masked_select", title = "masked_select, half of 10 M",
   make = function() return strew.rand(10 * M), half_of(10 * M) end,
   call = function(self, mask) return self:masked_select(mask) end,
   bytes = function(self, mask) return read(self, mask) + bytes_of(self) // 2 end},
  {key = "masked_scatter", title = "masked_scatter, into half of 10 M",
   make = function() return strew.zeros(10 * M), half_of(10 * M), strew.rand(10 * M) end,
   call = function(self, mask, src) self:masked_scatter_(mask, src) end,
   bytes = function(self, mask) return bytes_of(mask) + bytes_of(self) end},
  {key = "take", title = "take, 10 M from 10 M", make = line(uniform, 10 * M),
   call = function(self, index) return self:take(index) end, bytes = gathered},
  {key = "put", title = "put, 10 M into 10 M", make = line(uniform, 10 * M),
   call = function(self, index, src) self:put_(index, src) end, bytes = written},
  {key = "bincount", title = "bincount, 10 M into 1 M", make = function() return uniform(10 * M, M) end,
   call = function(t) return t:bincount() end, bytes = function(t) return bytes_of(t) + M * 8 end},
  {key = "histc", title = "histc, 10 M into 100 bins", make = dense(1),
   call = function(t) return t:histc(100, 0, 1) end, bytes = read},
  {key = "searchsorted", title = "searchsorted, 10 M among 1 M",
   make = function() return (strew.rand(M):sort()), strew.rand(10 * M) end,
   call = function(edges, t) return strew.searchsorted(edges, t) end,
   bytes = function(edges, t) return read(edges, t) + t:numel() * 8 end},
  {key = "scatter_nd", title = "scatter_nd, 1 M tuples of three into 1 M", make = tuples,
   call = function(updates, indices) return strew.scatter_nd(indices, updates, volume) end,
   bytes = function(...) return read(...) + side ^ 3 * 4 // 1 end},
  {key = "softmax_rows", title = "softmax over the rows of 1000 x 10 k", make = dense(1, matrix),
   call = function(a) return a:softmax(1) end, bytes = read_and_result},
})

-- ------------------------------------------------------------------------------------------------------- expressions

-- Texts, beside the same operations call by call. Operands: x, y and z in 0.1..1.1, and others of the case.
local function lengths(n, more)
  return function()
    local operands = {}
    for k = 1, 3 do operands[k] = strew.rand(n) + 0.1 end
    for _, t in ipairs(more and more(n, operands[1]) or {}) do table.insert(operands, t) end
    return table.unpack(operands)
  end
end

local function cdf(d) return 0.5 + 0.5 * strew.tanh(0.7978845608 * (d + 0.044715 * d * d * d)) end
local cdf_text = "(0.5 + 0.5 * tanh(0.7978845608 * (D + 0.044715 * D * D * D)))"
local d1 = "((log(x / y) + 0.07 * z) / (0.2 * sqrt(z)))"
local d2 = "(" .. d1 .. " - 0.2 * sqrt(z))"
local price = ("x * %s - y * exp(-0.05 * z) * %s"):format((cdf_text:gsub("D", d1)), (cdf_text:gsub("D", d2)))

local function by_groups(n, x)
  local index = strew.randint(0, math.max(n // 1000, 1), {n})
  return {index, (strew.scatter_mean(x, index)), (strew.scatter_std(x, index))}
end

-- Key, title, text, calls, further operands and their names in the text.
local texts = {
  {"polynomial", "polynomial of 12 operations", "(((((2*x+3)*x-1)*x+0.5)*x-4)*x+1)*x+7",
   function(x) return (((((2 * x + 3) * x - 1) * x + 0.5) * x - 4) * x + 1) * x + 7 end},
  {"black_scholes", "Black-Scholes, 30 operations", price, function(x, y, z)
    local first = ((x / y):log() + 0.07 * z) / (0.2 * z:sqrt())
    local second = first - 0.2 * z:sqrt()
    return x * cdf(first) - y * strew.exp(-0.05 * z) * cdf(second)
  end},
  {"sigmoid", "sigmoid by hand", "1 / (1 + exp(-x))", function(x) return 1 / (1 + (-x):exp()) end},
  {"gelu", "gelu by hand", "0.5 * x * (1 + tanh(0.7978845608 * (x + 0.044715 * x * x * x)))",
   function(x) return 0.5 * x * (1 + strew.tanh(0.7978845608 * (x + 0.044715 * x * x * x))) end},
  {"masks", "masks, counted", "sum((x > 0.3) & (x < 0.8) | (y > 0.6))",
   function(x, y) return (x:gt(0.3) & x:lt(0.8) | y:gt(0.6)):sum() end},
  {"squares", "((x - y)^2):mean()", "mean((x - y) ^ 2)", function(x, y) return ((x - y) ^ 2):mean() end},
  {"scores", "z-scores by groups", "(x - mean[g]) / std[g]",
   function(x, _, _, g, mean, std) return (x - mean[g]) / std[g] end, by_groups, {"g", "mean", "std"}},
}

local function inputs_of(names, ...)
  local inputs = {x = (...), y = select(2, ...), z = select(3, ...)}
  for k, name in ipairs(names or {}) do inputs[name] = select(3 + k, ...) end
  return inputs
end
local function repeated(times, call)
  if times == 1 then return call end
  return function(...)
    for _ = 2, times do call(...):free() end
    return call(...)
  end
end
local expressions = {}
for _, length in ipairs {{"1k", "1000", 1000, 100}, {"100k", "100 k", 100000, 1}, {"10M", "10 M", 10000000, 1}} do
  for _, row in ipairs(texts) do
    local key, title, text, calls, more, names = table.unpack(row, 1, 6)
    local f = strew.expr(text)
    local function evaluate(...) return f(inputs_of(names, ...)) end
    local function bytes(...)
      local sum, inputs = 0, inputs_of(names, ...)
      for _, name in ipairs(f.inputs) do sum = sum + bytes_of(inputs[name]) end
      return sum + (f(inputs):numel() > 1 and bytes_of((...)) or 0)
    end
    for way, call in ipairs {evaluate, calls} do
      table.insert(expressions, {key = ("text_%s_%s%s"):format(key, length[1], way == 2 and "_calls" or ""),
        title = ("%s, %s: %s"):format(title, length[2], way == 1 and "a text" or "calls"),
        make = lengths(size(length[3]), more), call = repeated(length[4], call), batch = length[4], bytes = bytes})
    end
  end
end
part("texts", expressions)

-- Sums added in order, and exact ones.
local exact_sums = {}
local function add_pair(key, title, make, call)
  for way, word in ipairs{"ordered", "exact"} do
    local options = {exact = way == 2}
    table.insert(exact_sums, {key = ("exact_%s%s"):format(key, way == 1 and "_ordered" or ""),
      title = ("%s, %s"):format(title, word), make = make, bytes = function(v, index)
        return bytes_of(v) + (strew.type(index) == "tensor" and bytes_of(index) or 0)
      end,
      call = function(...) return call(options, ...) end})
  end
end
local indices = {{"one", constant, 1}, {"100", uniform, 100}, {"10k", uniform, size(10000)}, {"1M", uniform, M},
  {"zipf", zipf, M}}
for _, dtype in ipairs{"float32", "float64"} do
  local function of(shape) return function() return values(shape, dtype) end end
  local one, lines_of, suffix = {10 * M}, {size(1000), 10 * size(1000)}, "_" .. dtype
  add_pair("whole" .. suffix, "sum of 10 M " .. dtype, of(one), function(o, v) return v:sum(o) end)
  add_pair("rows" .. suffix, "sums of 1000 rows of 10 k " .. dtype, of(lines_of), function(o, v) return v:sum(1, o) end)
  add_pair("cumsum" .. suffix, "running sums of 10 M " .. dtype, of(one), function(o, v) return v:cumsum(0, o) end)
  add_pair("window" .. suffix, "means of windows of 100 of 10 M " .. dtype, of(one),
    function(o, v) return strew.rolling(v, 100, {"mean", exact = o.exact}) end)
  add_pair("segments" .. suffix, "sums of uneven segments of 10 M " .. dtype,
    function() return values(one, dtype), uneven(10 * M) end,
    function(o, v, ends) return strew.segment_csr(v, ends, o) end)
  for _, index in ipairs(indices) do
    local name, draw, places = table.unpack(index)
    add_pair("by_" .. name .. suffix, ("10 M %s into %s"):format(dtype, name),
      function() return values(one, dtype), draw(10 * M, places) end,
      function(o, v, i) return strew.scatter_sum(v, i, o) end)
  end
  add_pair("agg" .. suffix, "agg of 10 M " .. dtype .. " by 10 k: sum, mean, count",
    function() return values(one, dtype), strew.group_by(uniform(10 * M, size(10000))) end,
    function(o, v, g)
      return g:agg{a = {"sum", v, exact = o.exact}, b = {"mean", v, exact = o.exact}, n = "count"}.a
    end)
end
part("exact", exact_sums)

-- Batches of small matrices, symmetric and positive definite: right sides of a column.
local function matrices(count, n)
  return function()
    local a = strew.rand(count, n, n)
    return a + a:transpose(1, 2) + strew.eye(n) * n, strew.rand(count, n, 1)
  end
end
local factored = {}
for _, shape in ipairs{{size(10000), 4}, {10, 100}} do
  local count, n = table.unpack(shape)
  for _, name in ipairs{"solve", "inv", "det", "cholesky", "qr", "eigh", "svd"} do
    table.insert(factored, {key = ("linalg_%s_%dx%d"):format(name, n, n),
      title = ("%s of %d matrices %d x %d"):format(name, count, n, n), make = matrices(count, n),
      call = function(a, b) return strew[name](a, name == "solve" and b or nil) end, bytes = read})
  end
end
part("rest", factored)

-- Functions of one and of two arguments in 0 to 1; selections, and lines in order.
local functions = {}
local function add_functions(arguments, names)
  for name in names:gmatch "%S+" do
    table.insert(functions, {key = "function_" .. name, title = name .. " of 10 M", make = dense(arguments),
      call = strew[name], bytes = read_and_result})
  end
end
add_functions(1, "log sin tan tanh sigmoid asin sinh atanh exp2 erf gelu silu softplus expm1")
add_functions(2, "atan2 hypot pow logaddexp")
part("rest", functions)
part("rest", {
  {key = "select_few", title = "nonzero, 2 % of 10 M", make = function() return strew.rand(10 * M):lt(0.02) end,
    call = strew.nonzero, bytes = read},
  {key = "select_quantile", title = "quantile of 1 M", make = function() return strew.rand(M) end,
    call = function(a) return a:quantile(0.3) end, bytes = read},
  {key = "select_median", title = "median of 1 M", make = function() return strew.rand(M) end,
    call = function(a) return a:median() end, bytes = read},
  {key = "select_sorted", title = "sort of 10 M in order", make = function() return (strew.rand(10 * M):sort()) end,
    call = function(a) return a:sort() end, bytes = read},
  {key = "select_bytes", title = "sort of 10 M uint8",
    make = function() return strew.randint(0, 256, {10 * M}, {dtype = "uint8"}) end,
    call = function(a) return a:sort() end, bytes = read},
  {key = "select_rest", title = "a % b of 10 M", make = dense(2), call = strew.remainder, bytes = read_and_result},
  {key = "select_cube", title = "a ^ 3 of 10 M", make = dense(1), call = function(a) return a ^ 3 end,
    bytes = read_and_result},
})

-- Rows and segments of a few elements, reversed steps, narrow products, integers, random numbers.
local function rows_of_three() return strew.rand(M // 3, 3) end
local function few_each() return strew.rand(M), strew.arange(0, M + 1, 3) end
local function few_segments() return strew.rand(10 * M), strew.arange(0, 10 * M + 1, M) end
local function with_column(n, dtype)
  return function() return strew.rand(n, n):mul(9):to(dtype), strew.rand(n):to(dtype) end
end
part("rest", {
  {key = "short_flip", title = "flip of 1 M", make = function() return strew.rand(M) end,
    call = function(a) return a:flip(0) end, bytes = read},
  {key = "short_repeat", title = "repeat_interleave of 1 M, 4 times", make = function() return strew.rand(M) end,
    call = function(a) return a:repeat_interleave(4) end, bytes = read},
  {key = "short_counts", title = "250 k elements, each repeated up to 8 times",
    make = function() return strew.rand(M // 4), strew.randint(0, 9, {M // 4}) end,
    call = function(a, counts) return a:repeat_interleave(counts, 0) end, bytes = read},
  {key = "short_tile", title = "1 M in rows of 3, four times beside itself", make = rows_of_three,
    call = function(a) return a:tile(1, 4) end, bytes = read},
  {key = "short_roll", title = "1 M in rows of 3, rolled", make = rows_of_three,
    call = function(a) return a:roll(1, 1) end, bytes = read},
  {key = "short_cumsum", title = "cumsum of 1 M in rows of 3", make = rows_of_three,
    call = function(a) return a:cumsum(1) end, bytes = read},
  {key = "short_argmax", title = "argmax of 1 M in rows of 3", make = rows_of_three,
    call = function(a) return a:argmax(1) end, bytes = read},
  {key = "short_rows", title = "half of 1 M in rows of 3, by a mask",
    make = function() return rows_of_three(), half_of(M // 3) end, call = function(a, mask) return a[mask] end,
    bytes = read},
  {key = "short_segments", title = "sums of 1 M in segments of 3", make = few_each,
    call = function(src, starts) return strew.segment_csr(src, starts) end, bytes = read},
  {key = "short_long", title = "maxima of 10 M in ten segments", make = few_segments,
    call = function(src, starts) return strew.segment_csr(src, starts, {reduce = "max"}) end, bytes = read},
  {key = "short_sums", title = "sums of 10 M float64 in rows of 100",
    make = function() return strew.rand(size(100000), 100, {dtype = "float64"}) end,
    call = function(a) return a:sum(1) end, bytes = read},
  {key = "product_column", title = "1000 x 1000 times a column", make = with_column(1000, "float32"), call = strew.mv,
    bytes = read},
  {key = "product_gram", title = "3 x 100 k x 3", make = function() return strew.rand(size(100000), 3) end,
    call = function(a) return a:t():matmul(a) end, bytes = read},
  {key = "product_integers", title = "256 cubed, int64", make = with_column(256, "int64"),
    call = function(a) return a:matmul(a) end, bytes = read},
  {key = "product_dot", title = "dot of 10 M", make = dense(2), call = strew.dot, bytes = read},
  {key = "random_floats", title = "randn, 1 M", make = function() return strew.rand(M) end,
    call = function() return strew.randn(M) end, bytes = read},
  {key = "random_integers", title = "randint, 1 M", make = function() return strew.rand(M) end,
    call = function() return strew.randint(0, 1000, {M}) end, bytes = read},
  {key = "random_order", title = "randperm of 1 M", make = function() return strew.rand(M) end,
    call = function() return strew.randperm(M) end, bytes = read},
})

-- Calls on lines of 1000 elements and fewer, whose time is mostly that of a call.
local K <const>, TIMES <const> = 1000, 100
local function in_order(descending) return function() return (strew.rand(K):sort(0, descending)) end end
local function positions_of(a)
  local sorted_values, positions = a:sort()
  sorted_values:free()
  return positions
end
local small = {
  {key = "small_bytes", title = "sort of 1000 uint8", call = positions_of,
    make = function() return strew.randint(0, 256, {K}, {dtype = "uint8"}) end},
  {key = "small_rising", title = "sort of 1000 in order", make = in_order(false), call = positions_of},
  {key = "small_falling", title = "sort of 1000 in reverse", make = in_order(true), call = positions_of},
  {key = "small_nearly", title = "sort of 1000 in order but for 10", call = positions_of,
    make = function()
      local a = in_order(false)()
      a[strew.randint(0, K, {10})] = strew.rand(10)
      return a
    end},
  {key = "small_median", title = "median of 1000", make = function() return strew.rand(K) end, call = strew.median},
  {key = "small_bins", title = "bucketize of 1000 in 10 bins",
    make = function() return strew.rand(K), strew.linspace(0, 1, 10) end, call = strew.bucketize},
  {key = "small_repeats", title = "250 elements, each repeated up to 8 times",
    make = function() return strew.rand(250), strew.randint(0, 9, {250}) end,
    call = function(a, counts) return a:repeat_interleave(counts, 0) end},
  {key = "small_triangle", title = "tril of 31 x 31", make = function() return strew.rand(31, 31) end,
    call = strew.tril},
  {key = "small_mask", title = "a number where a mask of 1000 is true",
    make = function() return strew.rand(K), half_of(K) end,
    call = function(a, mask)
      a[mask] = 0.5
      return a:view(-1)
    end},
  {key = "small_norm", title = "norm of 1000", make = function() return strew.rand(K) end, call = strew.norm},
  {key = "small_add", title = "a + b of four elements", make = function() return strew.rand(4), strew.rand(4) end,
    call = strew.add},
  {key = "small_softmax", title = "softmax of four elements", make = function() return strew.rand(4) end,
    call = function(a) return a:softmax(0) end},
}
for _, row in ipairs(small) do row.call, row.batch, row.bytes = repeated(TIMES, row.call), TIMES, read end
part("rest", small)

-- Questions to a table of 10 M rows: the grouping and its reductions, of columns of int32, float64, and codes of words.
local ten = dofile((arg[0]:match("^(.*/)") or "./") .. "../demos/ten.lua")
local asked = {} -- the last columns, and their table
local lists
local function columns()
  local tensors
  tensors, lists = ten.columns(10 * M)
  return table.unpack(tensors)
end
local function ask(question)
  return function(...)
    local tensors = {...}
    if asked.first ~= tensors[1] then asked = {first = tensors[1], table = ten.table(tensors, lists)} end
    local g = question.keys and strew.group_by(asked.table, question.keys, {order = "first"})
    local answer = question.answer(asked.table, g)
    local results = {}
    for k, name in ipairs(strew.columns(answer)) do results[k] = answer[name] end
    return table.unpack(results)
  end
end
-- Each column that is read, once.
local function bytes_read(names)
  return function(...)
    local sum = 0
    for k, name in ipairs(ten.names) do
      if (" " .. names .. " "):find(" " .. name .. " ", 1, true) then sum = sum + bytes_of((select(k, ...))) end
    end
    return sum
  end
end
local questions = {}
for k, question in ipairs(ten.questions) do
  questions[k] = {key = "question_" .. k, title = question.title, make = columns, call = ask(question),
    bytes = bytes_read(question.reads)}
end
-- Question 9 with texts, and rows chosen by a text.
local function sums_of_texts(_, g)
  local s = g:agg{n = "count", x = {"sum", "v1"}, y = {"sum", "v2"}, xx = {"sum", "v1 * v1"}, yy = {"sum", "v2 * v2"},
    xy = {"sum", "v1 * v2"}}
  local square = "(float64(n) * %s%s - float64(%s) * %s)"
  local function part_of(a, b) return square:format(a, b, a, b) end
  return strew.assign(s, {r2 = ("%s^2 / (%s * %s)"):format(part_of("x", "y"), part_of("x", "x"), part_of("y", "y"))})
end
table.insert(questions, {key = "question_9_text", title = "r2 of v1, v2 by id2, id4: texts", make = columns,
  call = ask({keys = {"id2", "id4"}, answer = sums_of_texts}), bytes = bytes_read "id2 id4 v1 v2"})
table.insert(questions, {key = "question_rows_text", title = "rows with v3 > 90 and v1 = 3: a text", make = columns,
  call = ask({answer = function(x) return strew.rows(x, "v3 > 90 and v1 == 3") end}), bytes = bytes_read "v1 v3"})
part("questions", questions)

-- Rows whose key contains one of the words (separated by commas), all by default.
local function choose(words)
  if not words or words == "" then return all_of end
  local chosen = {}
  for _, case in ipairs(all_of) do
    for word in words:gmatch("[^,%s]+") do
      if case.key:find(word, 1, true) then
        table.insert(chosen, case)
        break
      end
    end
  end
  return chosen
end

-- The copy whose bandwidth defines the floor.
local copy = {key = "copy", title = "copy of 40 MB", part = "copy", batch = 1,
  make = function() return strew.zeros(10 * M), strew.rand(10 * M) end,
  call = function(to, from) to:copy_(from) end,
  bytes = read}

return {choose = choose, copy = copy}
