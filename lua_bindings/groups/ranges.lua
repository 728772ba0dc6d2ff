-- ranges.lua: reductions of overlapping ranges of rows, and of windows.
--
-- What can join in pairs does so as a tree: blocks of 1, 2, 4, ... elements begin at every position, each joined of two
-- halves. A range is made of blocks whose sizes are the binary digits of its length, the smallest first. So a result
-- depends on the range's elements alone, and costs the logarithm of the length. Other reductions are those of groups,
-- for which the elements of some ranges at a time are copied.
--
-- Ranges are {starts =, lengths = (int64), longest =, count =}; windows of one width at every position
-- {longest =, count =} without starts. Rows may be taken in another order: then `order` has their positions.
local strew, fail, use, inner = ...
local operands, errors, aggregates = use "operands.lua", use "errors.lua", use "aggregates.lua"
local combinations, missing = use "combinations.lua", use "missing.lua"
local words, times = use "words.lua", use "times.lua"
local is_float, is_tensor, computed = operands.is_float, operands.is_tensor, operands.computed

-- Returns a line as a column beside rows of x.
local function beside(line, x)
  local sizes = {line:size(0)}
  for d = 2, x:dim() do sizes[d] = 1 end
  return line:view(sizes)
end

local function none_of(x) return times.is(x) and "NaT" or 0 / 0 end

--------------------------------------------------------------------------------------------------------------- trees

-- A level has the values of all blocks of one size, a sequence of tensors. join(a, b, size_of_a, size_of_b) returns
-- such values; the sizes are numbers, or size_of_a a line.
local function map(values, f)
  local out = {}
  for k, t in ipairs(values) do out[k] = f(t, k) end
  return out
end
local function part_of(values, first, count) return map(values, function(t) return t:narrow(0, first, count) end) end

local function narrow_integers(n) return n < 1 << 30 and "int32" or "int64" end

local function next_level(level, join, size)
  local count = level[1]:size(0) - size
  return join(part_of(level, 0, count), part_of(level, size, count), size, size)
end

local function join_windows(level, ranges, join)
  local out, at, size = nil, 0, 1
  while true do
    if ranges.longest & size ~= 0 then
      local part = part_of(level, at, ranges.count)
      out, at = out and join(out, part, at, size) or part, at + size
    end
    if size > ranges.longest // 2 then return out end
    level, size = next_level(level, join, size), size * 2
  end
end

-- empty: the value of ranges without elements.
local function join_tree(level, ranges, join, empty)
  if not ranges.starts then return join_windows(level, ranges, join) end
  local out, done, size = nil, nil, 1
  while true do
    local at = done and ranges.starts + done or ranges.starts
    local part = map(level, function(t) return t:index_select(0, at, {mode = "clip"}) end)
    local takes = (ranges.lengths & size):ne(0)
    local is_used, is_new = beside(takes, part[1]), done and beside(done:eq(0), part[1])
    local joined = done and join(out, part, done, size)
    out = map(part, function(t, k)
      if not done then return strew.where(is_used, t, empty) end
      return strew.where(is_used, strew.where(is_new, t, joined[k]), out[k])
    end)
    done = ranges.lengths & (2 * size - 1)
    if size > ranges.longest // 2 then return out end
    level, size = next_level(level, join, size), size * 2
  end
end

-- Returns one value for each range of the rows of x.
local function tree_of(x, ranges, f, empty)
  return join_tree({x}, ranges, function(a, b) return {f(a[1], b[1])} end, empty)[1]
end

-- The same for an f to which it is all one whether an element is joined once or twice: two blocks cover a range, one
-- from its beginning on, and one up to its end.
local function cover_of(x, ranges, f, empty)
  if inner.is_recorded(x) then return tree_of(x, ranges, f, empty) end
  local starts, count, longest = ranges.starts, ranges.count, ranges.longest
  local ends = starts and (ranges.ends or starts + ranges.lengths)
  local lengths, level, size = starts and ranges.lengths:to(narrow_integers(longest)), x, 1
  local out = starts and strew.full({count, table.unpack(x.shape, 2)}, empty, {dtype = x.dtype, device = x.device})
  while true do
    local at = starts and (lengths ~ size):lt(size):nonzero():select(1, 0) -- of lengths size .. 2 * size - 1
    if at and #at > 0 then
      local first, last = starts:index_select(0, at), ends:index_select(0, at) - size
      out:index_copy_(0, at, f(level:index_select(0, first), level:index_select(0, last)))
    end
    if size > longest // 2 then break end
    level, size = next_level({level}, function(a, b) return {f(a[1], b[1])} end, size)[1], size * 2
  end
  return out or f(level:narrow(0, 0, count), level:narrow(0, longest - size, count))
end

-------------------------------------------------------------------------------------------------------------- counts

-- Returns the number of elements of each range: a column beside results of x's rows; of those that are not NaN.
local function counts_of(x, ranges, skips)
  if skips then
    local sums = x:eq(x):cumsum(0)
    local from = strew.cat({strew.zeros_like(sums:narrow(0, 0, 1)), sums}, 0)
    if not ranges.starts then
      return from:narrow(0, ranges.longest, ranges.count) - from:narrow(0, 0, ranges.count)
    end
    return from:index_select(0, ranges.starts + ranges.lengths) - from:index_select(0, ranges.starts)
  end
  local lengths = ranges.lengths or
    strew.full(ranges.count, ranges.longest, {dtype = "int64", device = x.device})
  return beside(lengths, x)
end

---------------------------------------------------------------------------------------------------------- reductions

-- Returns floats as what joins in their place: NaN, if skipped, as a value without effect.
local function leaves(x, skips, neutral)
  return skips and strew.where(x:eq(x), x, neutral) or x
end

-- Returns integers as int64; nil: their sums may not fit.
local function as_int64(x, longest)
  if x.dtype == "uint64" and x:gt(math.maxinteger):any():item() then return nil end
  x = operands.as(x, "int64")
  local most = math.maxinteger // longest
  if x:numel() == 0 or x:amax():item() <= most and x:amin():item() >= -most then return x end
end

-- Returns exact sums or means of floats; nil: those of the tree are wanted.
local function exactly(x, ranges, skips, options, is_mean)
  if options and options.exact == false then return nil end
  local ends = ranges.ends or ranges.starts and ranges.starts + ranges.lengths
  return inner.sum_ranges(x:detach(), ranges.starts and 0 or ranges.longest, is_mean, skips or false,
    ranges.starts, ends)
end

local function tree_sum(x, ranges, skips)
  if not is_float(x) then
    local wide = as_int64(x, ranges.longest)
    return wide and operands.as(tree_of(wide, ranges, strew.add, 0), operands.sums_dtype(x))
  end
  -- + 0.0: a sum of -0 is 0
  return tree_of(leaves(computed(x), skips, 0.0) + 0.0, ranges, strew.add, 0.0)
end

-- A recorded sum has the gradient of the tree.
local function summing(of_tree, is_mean)
  return function(x, ranges, skips, options)
    local out = (is_float(x) or times.is(x)) and exactly(x, ranges, skips, options, is_mean)
    local tree = (not out or inner.is_recorded(x)) and of_tree(x, ranges, skips)
    if not out or not tree then return out or tree end
    local gap = tree - tree:detach() -- 0
    return strew.where(gap:eq(gap), out + gap:to(out.dtype), out)
  end
end

local function product(x, ranges, skips)
  if is_float(x) then return tree_of(leaves(computed(x), skips, 1.0), ranges, strew.mul, 1.0) end
  local is_zero, size = x:eq(0), x:to(operands.widest(x)):abs()
  size = tree_of(strew.where(is_zero, 1.0, size), ranges, strew.mul, 1.0) -- of factors but 0; 64 at most are not 1
  local fits = tree_of(is_zero, ranges, strew.logical_or, false) | size:le(0x1.8p62)
  if not fits:all():item() then return nil end
  return operands.as(tree_of(operands.as(x, "int64"), ranges, strew.mul, 1), operands.sums_dtype(x))
end

local function tree_mean(x, ranges, skips)
  local sums = tree_sum(x, ranges, skips)
  local dtype = is_float(x) and computed(x).dtype or operands.widest(x)
  return sums and sums:to(dtype) / counts_of(x, ranges, skips):to(dtype)
end

-- Extremes: the value that loses to all others; those of no number are NaN, of integers 0.
local function extreme(f, worst)
  return function(x, ranges, skips)
    local out = cover_of(leaves(x, skips, worst), ranges, f, is_float(x) and 0 / 0 or x.dtype ~= "bool" and 0)
    return skips and strew.where(counts_of(x, ranges, skips):eq(0), 0 / 0, out) or out
  end
end

local function truth(f, empty)
  return function(x, ranges, skips)
    local is = x:ne(0)
    if skips then is = empty and is | x:ne(x) or is & x:eq(x) end
    return cover_of(is, ranges, f, empty)
  end
end

-- The place of the first or last row of each range.
local function choice(is_last)
  return function(x, ranges, skips)
    if skips then
      local n, device = x:size(0), x.device
      local starts = beside(ranges.starts or strew.arange(ranges.count, {device = device}), x)
      local ends = starts + (ranges.lengths and beside(ranges.lengths, x) or ranges.longest)
      local at = strew.where(x:eq(x), beside(strew.arange(n, {device = device}), x), is_last and -1 or n)
      at = is_last and (at:cummax(0)) or at:flip(0):cummin(0):flip(0) -- the place of the number nearest to each row
      at = at:index_select(0, (is_last and ends - 1 or starts):view(-1), {mode = "clip"})
      return strew.where(at:ge(starts) & at:lt(ends), x:gather(0, at, {mode = "clip"}), 0 / 0)
    end
    if not ranges.starts then return x:narrow(0, is_last and ranges.longest - 1 or 0, ranges.count) end
    local at = is_last and ranges.starts + ranges.lengths - 1 or ranges.starts
    local empty = is_float(x) and 0 / 0 or x.dtype ~= "bool" and 0
    return strew.where(beside(ranges.lengths:gt(0), x), x:index_select(0, at, {mode = "clip"}), empty)
  end
end

-- Means, and sums of squares about them, of two blocks (Chan, Golub and LeVeque).
local function join_squares(a, b, size_a, size_b)
  if is_tensor(size_a) then size_a = beside(size_a:to("float64"), a[1]) end
  local share = size_b / (size_a + size_b)
  local inputs = {m = a[1], n = b[1], s = a[2], t = b[2], share = share, weight = share * size_a}
  return {operands.compute("m + (n - m) * share", inputs), operands.compute("s + t + square(n - m) * weight", inputs)}
end
-- The same of blocks some of whose elements are left out: a[3] and b[3] are the numbers of the others.
local function join_counted(a, b)
  local inputs = {m = a[1], n = b[1], s = a[2], t = b[2], count = a[3], other = b[3]}
  inputs.share = operands.compute("other / maximum(count + other, 1)", inputs)
  return {operands.compute("m + (n - m) * share", inputs),
          operands.compute("s + t + square(n - m) * (share * count)", inputs), a[3] + b[3]}
end
local function squares(x, ranges, skips)
  local zeros, is = strew.zeros_like(x), skips and x:eq(x)
  local out = is and join_tree({strew.where(is, x, 0.0), zeros, is:to(x.dtype)}, ranges, join_counted, 0.0) or
    join_tree({x, zeros}, ranges, join_squares, 0.0)
  return strew.where(out[1]:isfinite(), out[2], 0 / 0)
end

-- Ranges whose largest element is beyond these bounds are scaled, so that no square overflows or loses digits.
local BEYOND <const> = {{"gt", 0x1p500, 0x1p-600}, {"lt", 0x1p-400, 0x1p600}}

-- The rules of runtime/groups/spread.c.
local function spread(is_deviation)
  return function(x, ranges, skips, options)
    if not is_float(x) then return nil end
    local wide, counts = operands.as(x, "float64"), counts_of(x, ranges, skips):to("float64")
    local out, scale = squares(wide, ranges, skips), nil
    local is_exact = (out:ge(0x1p-800) & out:le(0x1p1000)) | counts:le(1)
    if x.dtype == "float64" and not is_exact:all():item() then
      local largest = tree_of(leaves(wide:abs(), skips, 0.0), ranges, strew.maximum, 0.0)
      for _, bound in ipairs(BEYOND) do
        local is_beyond = largest[bound[1]](largest, bound[2])
        if is_beyond:any():item() then
          out = strew.where(is_beyond, squares(wide * bound[3], ranges, skips), out)
          scale = strew.where(is_beyond, bound[3], scale or strew.ones_like(out))
        end
      end
    end
    local divisor = counts - operands.correction(options, 1)
    local is_some = divisor:gt(0) & counts:gt(0)
    out = out / strew.where(is_some, divisor, 1.0)
    if is_deviation then
      -- equal elements have the gradient 0
      local is_none = inner.is_recorded(out) and out:eq(0)
      out = is_none and strew.where(is_none, 0.0, strew.where(is_none, 1.0, out):sqrt()) or out:sqrt()
    end
    for _ = 1, scale and (is_deviation and 1 or 2) or 0 do out = out / scale end
    return strew.where(is_some, out, 0 / 0)
  end
end

-- Elements: ranges as short are copied, for what follows.
local COPIED <const>, JOINS_LONG <const> = 24, {logsumexp = true, skew = true}

-- Numbers of which one or the other may be left out, and 1 for each of the others.
local function shares(x, skips, neutral)
  local is = x:eq(x)
  return leaves(x, skips, neutral), skips and is:to(x.dtype) or strew.ones_like(x)
end

-- Maxima, and sums of powers of e below them.
local function join_powers(a, b)
  local inputs = {m = a[1], n = b[1], s = a[2], t = b[2]}
  inputs.most = operands.compute("maximum(m, n)", inputs)
  return {inputs.most, operands.compute(
    "s * exp(where(m == most, 0, m - most)) + t * exp(where(n == most, 0, n - most))", inputs)}
end
local function log_of_powers(x, ranges, skips)
  if not is_float(x) or ranges.longest <= COPIED or inner.is_recorded(x) then return nil end
  local out = join_tree({shares(computed(x), skips, -math.huge)}, ranges, join_powers, 0.0)
  local sums = out[1] + out[2]:log()
  return strew.where(counts_of(x, ranges, skips):gt(0), sums, 0.0)
end

-- Means, sums of squares and of cubes about them, and counts (Pebay).
local function join_cubes(a, b)
  local inputs = {m = a[1], n = b[1], s = a[2], t = b[2], u = a[3], v = b[3], c = a[4], d = b[4]}
  inputs.share = operands.compute("d / maximum(c + d, 1)", inputs)
  inputs.apart = operands.compute("n - m", inputs)
  inputs.weight = operands.compute("apart * share * c", inputs)
  return {operands.compute("m + apart * share", inputs), operands.compute("s + t + apart * weight", inputs),
    operands.compute("u + v + apart * (apart * weight * (1 - 2 * share) + 3 * ((1 - share) * t - share * s))", inputs),
    a[4] + b[4]}
end
-- The rules of g:skew.
local function skewness(x, ranges, skips)
  if x:dim() > 1 or ranges.longest <= COPIED or inner.is_recorded(x) then return nil end
  local wide = operands.as(x, operands.widest(x))
  local numbers, is = shares(wide, skips, 0.0)
  local out = join_tree({numbers, strew.zeros_like(wide), strew.zeros_like(wide), is}, ranges, join_cubes, 0.0)
  local inputs = {square = out[2] / out[4], cube = out[3] / out[4], n = out[4]}
  local skew = operands.compute("cube / (square * sqrt(square)) * sqrt(n * (n - 1)) / (n - 2)", inputs)
  skew = strew.where(inputs.square:eq(0), 0.0, skew)
  return strew.where(inputs.n:lt(3) | inputs.square:ne(inputs.square), 0 / 0, skew)
end

----------------------------------------------------------------------------------------------------------- quantiles

-- A wavelet matrix (Claude, Navarro and Ordonez) of numbers below `most`: they are divided by each binary digit in
-- turn, the highest first, and the ranges from .. to - 1 of queries follow. rises_of(query, count, digit) returns those
-- that follow the ones, beside `count` zeros.
local function descend(numbers, most, queries, rises_of)
  local n, dtype, digit = numbers:size(0), numbers.dtype, 1
  local none = strew.zeros(1, {dtype = dtype, device = numbers.device})
  while digit < most do digit = digit * 2 end
  while digit > 1 do
    digit = digit // 2
    local is_high = (numbers & digit):ne(0)
    local is_low = is_high:logical_not()
    local low = strew.cat{none, is_low:cumsum(0):to(dtype)} -- before each position
    local all_low = low[n]
    for _, query in ipairs(queries) do
      local from, to = low:index_select(0, query.from), low:index_select(0, query.to)
      local rises = rises_of(query, to - from, digit)
      query.from = strew.where(rises, query.from - from + all_low, from)
      query.to = strew.where(rises, query.to - to + all_low, to)
    end
    numbers = strew.cat{numbers:masked_select(is_low), numbers:masked_select(is_high)}
  end
end

-- Returns the positions in a line of the elements that have those ranks among the sorted elements of their range, for
-- each of `ranks`.
local function select_ranked(line, starts, ends, ranks)
  local n, _, order = line:size(0), line:detach():sort(0)
  local dtype, queries = narrow_integers(n), {}
  local numbers = strew.zeros_like(order):scatter_(0, order, strew.arange(n, {device = line.device})):to(dtype)
  for k, rank in ipairs(ranks) do queries[k] = {from = starts:to(dtype), to = ends:to(dtype), rank = rank:to(dtype)} end
  descend(numbers, n, queries, function(query, count, digit)
    local rises = query.rank:ge(count)
    local step = rises:to(dtype) * digit
    query.found = query.found and query.found + step or step
    query.rank = query.rank - rises * count
    return rises
  end)
  return map(queries, function(query) return order:index_select(0, query.found or starts * 0, {mode = "clip"}) end)
end

-- Returns the nearest time to a + (b - a) * share, a half to even, and NaT if b is it: as runtime/reduce/times.c does.
local function between(a, b, share)
  local is_none, gap = b:ne(b), times.whole(b) - times.whole(a)
  local high = gap >> 32 -- of which and of the rest the share has its bits
  local part = high:to("float64") * share
  local rest = (part - part:floor()) * 0x1p32 + (gap & 0xffffffff):to("float64") * share
  local sum = times.whole(a) + (part:floor():to("int64") << 32) + rest:floor():to("int64")
  rest = rest - rest:floor()
  sum = sum + (rest:gt(0.5) | rest:eq(0.5) & (sum % 2):ne(0)):to("int64")
  return strew.where(is_none, "NaT", times.from_whole(sum))
end

-- The rules of runtime/order/shared/quantile_rank.h: s is t or 1 - t, the share of the gap from the nearer of a and b.
local SHARE <const> = "where(b - a < inf, (b - a) * s, (b * 0.5 - a * 0.5) * (s + s))"
local BETWEEN <const> = "where(t == 0 or a == b, a, where(t < 0.5, a + share, b - share))"
-- How ranks become those of the elements, of the lower one of two.
local ROUNDING <const> = {linear = "floor", midpoint = "floor", lower = "floor", higher = "ceil", nearest = "round",
  inverted_cdf = "ceil"}
-- Ranges of so few elements are sooner copied (medians of 1 M windows of 5 float64: 390 ms -> 140 ms; of 10 equal).
local SHORT <const> = 8
local function quantile(x, ranges, skips, options)
  if ranges.longest <= SHORT then return nil end
  local q, way = options.q, options.interpolation or "linear"
  local mixes, round, has_none = way == "linear" or way == "midpoint", ROUNDING[way], is_float(x) or times.is(x)
  if x:dim() > 1 or not (q >= 0 and q <= 1) or not round or mixes and not has_none then return nil end
  local starts = ranges.starts or strew.arange(ranges.count, {device = x.device})
  local ends = starts + (ranges.lengths or ranges.longest)
  local counts = counts_of(x, ranges, skips)
  local highest = (counts - 1):clamp(0)
  local rank = highest:to("float64") * q
  if way == "inverted_cdf" then rank = (counts:to("float64") * q - 1):clamp(0) end
  local below = rank[round](rank):to("int64")
  local ranks = {below}
  local wants_last = has_none and not skips and x:ne(x):any():item()
  if mixes then table.insert(ranks, (below + 1):minimum(highest)) end
  if wants_last then table.insert(ranks, highest) end
  local at = select_ranked(x, starts, ends, ranks)
  local value = x:index_select(0, at[1])
  if mixes then
    local dtype = is_float(x) and computed(x).dtype or "float64"
    local t = (rank - below):to(dtype)
    if way == "midpoint" then t = t:ne(0):to(dtype) * 0.5 end
    local above = x:index_select(0, at[2])
    if is_float(x) then
      local inputs = {a = value:to(dtype), b = above:to(dtype), t = t, s = t:minimum(1 - t), inf = math.huge}
      inputs.share = operands.compute(SHARE, inputs)
      value = operands.compute(BETWEEN, inputs)
    else
      value = between(value, above, t)
    end
  end
  if wants_last then -- NaN is the last
    local last = x:index_select(0, at[#at])
    value = strew.where(last:eq(last), value, none_of(x))
  end
  return ranges.starts and strew.where(counts:gt(0), value, has_none and none_of(x) or x.dtype ~= "bool" and 0) or value
end

-- The number of different elements: of those whose last equal one before them lies before the range.
local function different(x, ranges, skips)
  if ranges.longest <= SHORT then return nil end
  local n, options = x:size(0), {device = x.device}
  local dtype = narrow_integers(n)
  x = x:detach()
  if is_float(x) then x = strew.where(x:eq(x), x + 0.0, 0 / 0) end -- zeros are equal, and so are NaN
  local sorted, order = x:sort(0)
  local a, b = sorted:narrow(0, 0, n - 1), sorted:narrow(0, 1, n - 1)
  local is_same = is_float(x) and a:eq(b) | a:ne(a) & b:ne(b) or a:eq(b)
  local before = strew.cat{strew.zeros(1, {dtype = "int64", device = x.device}),
                           (order:narrow(0, 0, n - 1) + 1) * is_same} -- 0: none; else the position after it
  local numbers = strew.zeros(n, {dtype = "int64", device = x.device}):scatter_(0, order, before)
  if skips then numbers = numbers:masked_fill(x:ne(x), n + 1) end
  local starts = ranges.starts or strew.arange(ranges.count, options)
  local query = {from = starts:to(dtype), to = (starts + (ranges.lengths or ranges.longest)):to(dtype),
                 bound = (starts + 1):to(dtype), found = strew.zeros(ranges.count, {dtype = dtype, device = x.device})}
  descend(numbers:to(dtype), n + 2, {query}, function(_, count, digit)
    local rises = (query.bound & digit):ne(0)
    query.found = query.found + rises * count
    return rises
  end)
  return query.found:to("int64")
end

local function rises(line) return line:narrow(0, 1, #line - 1):ge(line:narrow(0, 0, #line - 1)):all():item() end

-- Of spans of places with a weight, the greatest weight of those that have a place: spans are covered by two blocks
-- each, and blocks give theirs to their halves.
local function heaviest(count, first, lengths, weights)
  local zeros, size = strew.zeros(count, {dtype = "int64", device = weights.device}), 1
  local most = zeros:clone()
  while size <= lengths:amax():item() // 2 do size = size * 2 end
  repeat
    local at = (lengths ~ size):lt(size):nonzero():select(1, 0) -- of lengths size .. 2 * size - 1
    local w, place = weights:index_select(0, at), first:index_select(0, at)
    most:index_reduce_(0, place, w, "amax"):index_reduce_(0, place + lengths:index_select(0, at) - size, w, "amax")
    size = size // 2
    if size > 0 then most = most:maximum(strew.cat{zeros:narrow(0, 0, size), most:narrow(0, 0, count - size)}) end
  until size == 0
  return most
end

-- The commonest element that is not NaN, of several the least, and of equal ones the first: ranges that rise take each
-- element in and leave it out once, so that the numbers of equal ones are spans of ranges.
local function commonest(x, ranges)
  local count, options = ranges.count, {device = x.device}
  local starts = ranges.starts or strew.arange(count, options)
  local ends = starts + (ranges.lengths or ranges.longest)
  if x:dim() > 1 or not (rises(starts) and rises(ends)) then return nil end
  local sorted, order = (is_float(x) and x:detach() + 0.0 or x):sort(0)
  local n = is_float(x) and sorted:eq(sorted):sum():item() or #sorted
  if n == 0 then return nil end
  sorted, order = sorted:narrow(0, 0, n), order:narrow(0, 0, n)
  local numbers = strew.cat{strew.zeros(1, {dtype = "int64", device = x.device}),
    sorted:narrow(0, 1, n - 1):ne(sorted:narrow(0, 0, n - 1)):cumsum(0)}
  local changes, at = strew.cat{numbers * (count + 1) + ends:searchsorted(order, {right = true}),
    numbers * (count + 1) + starts:searchsorted(order, {right = true})}:sort(0)
  local places, sums = changes % (count + 1), strew.where(at:lt(n), 1, -1):to("int64"):cumsum(0)
  local spans = strew.cat{places:narrow(0, 1, 2 * n - 1), places:narrow(0, 0, 1)} - places
  local is_some = spans:gt(0) & sums:gt(0)
  places, spans = places[is_some], spans[is_some]
  local kinds = numbers:get{n - 1} + 1
  local weights = sums[is_some] * kinds + (kinds - 1 - changes[is_some] // (count + 1))
  local most = heaviest(count, places, spans, weights)
  local is_none, length = most:eq(0), x:size(0)
  if not is_float(x) and is_none:any():item() then return nil end
  local first = (numbers * length + order):searchsorted((kinds - 1 - most % kinds) * length + starts)
  local out = x:detach():index_select(0, order:index_select(0, first, {mode = "clip"}))
  return is_float(x) and strew.where(is_none, 0 / 0, out) or out
end

-- Makes f of lines one of rows, column by column. (Many columns of short ranges are sooner copied.)
local function by_columns(f)
  return function(x, ranges, skips, options)
    if x:dim() == 1 then return f(x, ranges, skips, options) end
    local parts, columns = {}, operands.product(x.shape, 2, x:dim())
    if columns == 0 or columns > ranges.longest then return nil end
    for c = 0, columns - 1 do
      parts[c + 1] = f(x:reshape(x:size(0), columns):select(1, c):contiguous(), ranges, skips, options)
      if not parts[c + 1] then return nil end
    end
    return strew.stack(parts, 1):view{ranges.count, table.unpack(x.shape, 2)}
  end
end

local function median(way)
  return by_columns(function(x, ranges, skips)
    return quantile(x, ranges, skips, {q = 0.5, interpolation = way})
  end)
end

local JOINING = {
  nunique = by_columns(different), mode = commonest, median = median "linear", lower_median = median "lower",
  quantile = by_columns(quantile),
  sum = summing(tree_sum, false), mean = summing(tree_mean, true), var = spread(false), std = spread(true),
  min = extreme(strew.minimum, math.huge),
  max = extreme(strew.maximum, -math.huge), any = truth(strew.logical_or, false),
  all = truth(strew.logical_and, true), first = choice(false), last = choice(true),
  prod = product, logsumexp = log_of_powers, skew = skewness,
  count = function(x, ranges, skips)
    return counts_of(x, ranges, skips):expand(ranges.count, table.unpack(x.shape, 2))
  end,
}

------------------------------------------------------------------------------------------------------------- copied

local MOST_COPIED <const> = 1 << 20

-- Calls f(positions of the elements, the group of each, where groups begin, the number of the first range) for some
-- ranges at a time, and returns the results below one another.
local function each_block(ranges, order, f)
  local starts, lengths, parts = ranges.starts, ranges.lengths, {}
  local device, from, before = starts.device, 0, 0
  local ends = lengths:cumsum(0)
  repeat
    local limit = strew.tensor({before + MOST_COPIED}, {device = device})
    local to = math.min(math.max(ends:searchsorted(limit, {right = true}):item(), from + 1), ranges.count)
    local begins = strew.cat{strew.tensor({0}, {device = device}), ends:narrow(0, from, to - from) - before}
    local groups = strew.arange(to - from, {device = device}):repeat_interleave(lengths:narrow(0, from, to - from))
    local shift = starts:narrow(0, from, to - from) - begins:narrow(0, 0, to - from)
    local positions = strew.arange(#groups, {device = device}) + shift:index_select(0, groups)
    if order then positions = order:index_select(0, positions) end
    parts[#parts + 1] = f(positions, groups, begins, from)
    from, before = to, to > 0 and ends:get{to - 1} or 0
  until from >= ranges.count
  return #parts == 1 and parts[1] or strew.cat(parts, 0)
end

local function by_groups(x, ranges, order, word, options)
  local own = {dim = x:dim() > 1 and 0 or nil}
  for name, value in next, options do own[name] = value end
  return each_block(ranges, order, function(positions, groups, begins, first)
    local g = strew.grouping(groups, {dim_size = begins:size(0) - 1})
    local function reword(fact, hint, found)
      local group = "in group " .. inner.text(found.value)
      if not string.find(fact, group, 1, true) then return fact, hint end
      local place = "range " .. found.value + first
      if ranges.ends_at then
        local at = ranges.ends_at:get{found.value + first}
        place = format("the window that ends at [%d]", order and order:get{at} or at)
      end
      hint = inner.has_float64(x) and 'v:to("float64")' or 'v:to("float32")'
      return errors.replace(fact, group, "in " .. place), hint
    end
    local function of_script(fact, hint) return errors.replace(fact, "src's", "v's"), hint end
    local copies = x:index_select(0, positions)
    return (errors.own(nil, nil, of_script, errors.own, "src", "v", reword, g[word], g, copies, own))
  end)
end

local function by_combination(x, ranges, order, r)
  return each_block(ranges, order, function(positions, _, begins)
    return combinations.combine_copies(r, x, positions, begins)
  end)
end

--------------------------------------------------------------------------------------------------------------- calls

-- Reductions of times that have times.
local STATISTICS <const> = {mean = true, median = true, lower_median = true, quantile = true}

-- Returns the word or reduction of one's own, its options, the first tensor of v, whether NaN is left out, what makes
-- elements of results, and of text and of times `fill`. In place of these the tensor has numbers in their order.
local function read(v, reduce)
  local entry = type(reduce) == "table" and reduce or {reduce}
  local word = rawget(entry, 1)
  aggregates.check_word(word, "reduce", entry == reduce and aggregates.has or aggregates.is)
  local options = aggregates.options(entry, 1, "reduce", aggregates.has)
  for _, name in ipairs{"skip_nan", "unbiased"} do
    local value = options[name]
    if value ~= nil and type(value) ~= "boolean" then
      fail(name, format("is %s, expected a boolean", inner.text(value)))
    end
  end
  local first = v
  if inner.is_combination(word) then
    first = errors.own("src", "v", nil, combinations.first_source, word, v)
  elseif not is_tensor(v) then
    fail("v", format("is %s, expected a tensor", inner.text(v)))
  end
  local kind, back = words.is(first) and words or times.is(first) and times, nil
  local gives = kind and aggregates.gives(first.dtype, word)
  if kind and gives == nil then
    fail("v", format("is %s, expected numbers for %s", first.dtype, inner.text(word)), nil, "dtype")
  end
  operands.check_rank(first, "v", 1, math.huge, "at least 1")
  if kind == times and STATISTICS[word] then
    back = times.from_whole
  elseif kind and word == "nunique" and not options.skip_nan then
    first = kind == words and first:codes() or times.whole(first)
  elseif word == "std" or word == "var" then
    first = times.seconds(first)
  elseif kind then
    first, back = kind.numbered(first, options.skip_nan or word == "mode")
    back = gives and back
  end
  if not kind and not is_float(first) and aggregates.is_between(word, options) and inner.has_float64(first) then
    first = first:to("float64")
  end
  local skips = options.skip_nan and (is_float(first) or times.is(first)) and first:ne(first):any():item()
  if not back then return word, options, first, skips, function(out) return out end end
  local fill = options.fill
  options.fill = nil
  return word, options, first, skips, back, fill
end

-- Returns floats that were computed as wider ones as x's dtype.
local function as_own(out, x, options)
  return is_float(x) and is_float(out) and operands.as(out, options.dtype or x.dtype) or out
end

local IN_FLOAT64 <const> = {var = true, std = true, skew = true, median = true, lower_median = true, quantile = true}

-- Returns a row for each range; nil: by groups alone.
local function join(x, ranges, word, options, skips)
  local f, dtype = JOINING[word], options.dtype
  if not f or options.fill ~= nil or ranges.longest == 0 and word ~= "count" then return nil end
  if dtype and not (is_float(x) and dtype == "float64") then return nil end
  x, skips = dtype and operands.as(x, dtype) or x, skips and ranges.longest > 0
  local device, near = IN_FLOAT64[word] and operands.float64_device(x) or x.device, {}
  if device == x.device then return f(x, ranges, skips, options) end
  for name, value in next, ranges do near[name] = is_tensor(value) and value:to(device) or value end
  local out = f(x:to(device), near, skips, options)
  return out and as_own(out, x, options):to(x.device)
end

local function ranges_of(starts, lengths)
  local count = starts:size(0)
  return {starts = starts, lengths = lengths, count = count, longest = count > 0 and lengths:amax():item() or 0}
end

local function reduce_ranges(v, x, ranges, order, word, options, skips)
  if inner.is_combination(word) then return by_combination(v, ranges, order, word) end
  local out = join(order and x:index_select(0, order) or x, ranges, word, options, skips)
  if not out then return by_groups(x, ranges, order, word, options) end
  if not (JOINS_LONG[word] and ranges.starts) then return out end
  local short = ranges.lengths:le(COPIED):nonzero():select(1, 0) -- also beside long ones, so that bits are the same
  if #short == 0 then return out end
  local own = ranges_of(ranges.starts:index_select(0, short), ranges.lengths:index_select(0, short))
  return out:index_copy(0, short, operands.as(by_groups(x, own, order, word, options), out.dtype))
end

local function ranges(v, starts, ends, reduce)
  local word, options, x, skips, back, fill = read(v, reduce)
  local n, lists = x:size(0), {starts = starts, ends = ends}
  for _, name in ipairs{"starts", "ends"} do
    local t = lists[name]
    operands.check_index(t, name)
    operands.check_rank(t, name, 1, 1, "1")
    operands.check_device(x, t, name)
    local limit = t.dtype == "uint64" and t:gt(n) or t:to("int64"):lt(0) | t:to("int64"):gt(n)
    operands.check_none(limit, t, name, format("0..%d, the rows of v", n),
      format("%s:clamp(0, %d) cuts the ranges; an end is not part of its range", name, n))
  end
  operands.check_shape(ends, starts.shape, "ends")
  starts, ends = starts:to("int64"), ends:to("int64")
  operands.check_none(ends:lt(starts), ends, "ends", "its start or more",
    "ends:maximum(starts) makes those ranges empty")
  local places = ranges_of(starts, ends - starts)
  local out = back(as_own(reduce_ranges(v, x, places, nil, word, options, skips), x, options))
  if fill == nil then return out end
  return errors.own("value", "fill", nil, strew.masked_fill, out, beside(starts:eq(ends), out), fill)
end

-- Returns the grouping of `by`: keys, or a grouping of the rows of x.
local function grouping_of(by, x)
  local g = by
  if is_tensor(by) or type(by) == "table" then
    g = errors.own("keys", "by", nil, strew.group_by, by)
  elseif not inner.ids(by) then
    fail("by", format("is %s, expected keys or a grouping", inner.text(by)),
      type(by) == "string" and format("x[%s], the column of a table x", inner.text(by)) or nil)
  end
  if g.length ~= x:size(0) then
    fail("by", format("has %d elements, v has %d rows", g.length, x:size(0)), nil, "shape")
  elseif g.device ~= x.device then
    fail("by", format("is on %s, v on %s", g.device, x.device), format('by:to("%s")', x.device), "device")
  end
  return g
end

-- Returns the rows, NaN where one is missing: of integers then floats that hold them.
local function with_gaps(out, is_missing)
  if not is_missing:any():item() then return out end
  if not is_float(out) and not times.is(out) then
    local dtype = operands.widest(out)
    local floats, value = missing.as_exact(out, dtype)
    if not floats then
      fail("v", format("gives %s, which %s cannot hold: the dtype of integers among which some are missing, as NaN",
        value, dtype), "{min_count = 1} leaves no window out, and keeps integers", "value")
    end
    out = floats
  end
  return strew.where(is_missing, none_of(out), out)
end

local function check_number(name, value, least, most, hint)
  if value >= least and value <= most then return end
  fail(name, format("is %d, expected %s", value, most == math.huge and "1 or more" or format("%d..%d", least, most)),
    hint, "value", value)
end

-- Windows of n rows that end at `places` and begin no earlier than `first`, a line or a number.
local function windows_at(places, n, first)
  local starts = (places - (n - 1)):maximum(first)
  local out = ranges_of(starts, places + 1 - starts)
  out.ends_at = places
  return out
end

-- Returns a row for each of the windows, and where there is none. full: those of n rows, one at every position, or nil;
-- rest: those that end at `places`, or nil.
local function arrange(full, rest, places, windows, n)
  local at = strew.full(windows.count, -1, {dtype = "int64", device = places.device})
  if full then at = strew.where(windows.lengths:eq(n), windows.starts, at) end
  at = at:scatter(0, places, strew.arange(#places, {device = places.device}) + (full and full:size(0) or 0))
  local rows = full and rest and strew.cat({full, rest}, 0) or full or rest
  return rows:index_select(0, at, {mode = "drop"}), at:lt(0)
end

-- Returns rows of windows that end at `places` of the order, and where they are missing, in the order of all rows; one
-- that the order lacks is missing.
local function in_own_order(size, order, places, out, is_missing)
  local at = strew.full(size, -1, {dtype = "int64", device = out.device}):scatter(0, order, places)
  return out:index_select(0, at, {mode = "drop"}),
    is_missing:index_select(0, at, {mode = "drop"}) | beside(at:lt(0), out)
end

-- Returns a row for each window, and where a window is missing. g: the grouping of the rows of x, or nil.
local function rolled(v, x, n, g, min_count, word, options, skips)
  local device, size, order, first = x.device, x:size(0), nil, 0
  if g then
    order = g:order()
    first = g:starts():index_select(0, g.ids:index_select(0, order))
  end
  local count = order and order:size(0) or size
  local ends_at, gaps = strew.arange(count, {device = device}), math.min(math.max(min_count - 1, 0), count)
  n = math.min(n, math.max(count, 1)) -- no window is longer
  -- Windows of n rows are joined at all positions, whatever their groups; others as ranges.
  local rows, full = order and (JOINING[word] or skips) and x:index_select(0, order) or x, nil
  if count > 0 and gaps < n then full = join(rows, {longest = n, count = count - n + 1}, word, options, skips) end
  local windows = (order or skips) and windows_at(ends_at, n, first)
  local places = not order and ends_at:narrow(0, gaps, math.max((full and n - 1 or count) - gaps, 0))
  if order then
    local is_wanted = windows.lengths:ge(min_count)
    places = (full and is_wanted & windows.lengths:lt(n) or is_wanted):nonzero():squeeze(1)
    first = first:index_select(0, places)
  end
  local rest
  if not full or #places > 0 then
    rest = reduce_ranges(v, x, windows_at(places, n, first), order, word, options, skips)
  end
  local out, is_missing
  if order then
    out, is_missing = arrange(full, rest, places, windows, n)
  else
    local some = full or rest
    local none = strew.zeros({gaps, table.unpack(some.shape, 2)}, {dtype = "int64", device = device}):to(some.dtype)
    out = full and rest and strew.cat({none, rest, full}, 0) or strew.cat({none, some}, 0)
    is_missing = ends_at:lt(gaps)
  end
  is_missing = beside(is_missing, out)
  if skips then is_missing = is_missing | counts_of(rows, windows, true):lt(min_count) end
  if order then out, is_missing = in_own_order(size, order, ends_at, out, is_missing) end
  return as_own(out, x, options), is_missing
end

local CLOSED <const> = {right = {true, false}, left = {false, true}, both = {false, false}, neither = {true, true}}

-- Returns the number of rows of windows of a width that end at each row of values in ascending order, if all have as
-- many, but the first ones; nil: they have not. is_open: a value at the beginning is outside.
local function rows_of_width(along, width, is_open)
  local size = #along
  if size < 2 then return nil end
  local low = along:narrow(0, size - 1, 1) - width
  local n = size - along:searchsorted(low, {right = is_open}):item()
  if n < 1 then return nil end
  local function all_inside(count, is_inside)
    local first, last = along:narrow(0, 0, size - count), along:narrow(0, count, size - count) - width
    local inside = is_open and first:gt(last) or not is_open and first:ge(last)
    return inside[is_inside and "all" or "any"](inside):item() == is_inside
  end
  return all_inside(n - 1, true) and all_inside(n, false) and n or nil
end

-- Returns the windows of a width along t, which end at each row, and the order of the rows in which they are ranges; or
-- the number of rows of all of them.
local function windows_along(x, t, width, closed, g, min_count)
  local bounds = CLOSED[closed or "right"]
  if not bounds then
    fail("closed", format("is %s, expected right, left, both or neither", inner.text(closed)))
  elseif t.dtype == "text" or t.dtype == "bool" then
    fail("on", format("is %s, expected numbers or times", t.dtype), nil, "dtype")
  end
  operands.check_rank(t, "on", 1, 1, "1")
  if t.dtype == "time" then
    width = times.span(width, "n")
    if not width then fail("n", "is a number of months, which have no one length") end
  elseif type(width) ~= "number" or width <= 0 or width ~= width then
    fail("n", format("is %s, expected a number above 0, as 'on' has numbers", inner.text(width)))
  end
  local order = g and g:order()
  local whole = times.whole(t)
  if math.type(width) == "float" and not is_float(whole) then whole = whole:to(operands.widest(whole)) end
  local along = order and whole:index_select(0, order) or whole
  local groups = order and g.ids:index_select(0, order)
  operands.check_along(t, "on", x, along, order, groups, missing.of(t))
  local rows = not g and not bounds[2] and rows_of_width(along, width, bounds[1])
  if rows and rows >= min_count then return nil, nil, nil, rows end
  local low, high = along - width, along
  if groups then -- numbers of the values, and of the groups before them
    local values, at = strew.cat{along, low}:unique{return_inverse = true}
    local function numbered(first) return groups * #values + at:narrow(0, first, #along) end
    along, low, high = numbered(0), numbered(#along), numbered(0)
  end
  local starts, places = along:searchsorted(low, {right = bounds[1]}), strew.arange(#along, {device = t.device})
  if bounds[2] then return ranges_of(starts, (along:searchsorted(high) - starts):clamp(0)), order, places end
  local ends = places + 1
  local windows = ranges_of(starts, ends - starts)
  windows.ends, windows.has_own = ends, true
  return windows, order, places
end

-- The same as rolled, of such windows.
local function rolled_along(v, x, windows, order, places, min_count, word, options, skips)
  local out = reduce_ranges(v, x, windows, order, word, options, skips)
  local rows = skips and order and x:index_select(0, order) or x
  local is_missing
  if skips then
    is_missing = counts_of(rows, windows, true):lt(min_count)
  elseif windows.has_own and min_count < 2 then -- each has the row at which it ends
    is_missing = beside(strew.zeros(windows.count, {dtype = "bool", device = x.device}), out)
  else
    is_missing = beside(windows.lengths:lt(min_count), out)
  end
  if order then out, is_missing = in_own_order(x:size(0), order, places, out, is_missing) end
  return as_own(out, x, options), is_missing
end

-- The same of windows of n rows that have each row in their middle, of an even n behind it, cut at the group's ends.
local function windows_around(x, n, g)
  local order, size, after = g and g:order(), x:size(0), (n - 1) // 2
  local places = strew.arange(order and #order or size, {device = x.device})
  local first, last = 0, size
  if g then
    local groups, starts = g.ids:index_select(0, order), g:starts()
    first, last = starts:index_select(0, groups), starts:index_select(0, groups + 1)
  end
  local starts = (places - (n - 1 - after)):maximum(first)
  return ranges_of(starts, (places + (after + 1)):minimum(last) - starts), order, places
end

local function rolling(v, n, reduce, by, min_count, on, closed, center)
  local word, options, x, skips, back, fill = read(v, reduce)
  if closed ~= nil and on == nil then fail("closed", "is given, but no 'on', whose values windows are of") end
  if fill ~= nil then fail("reduce", format("has fill, but a window of %s is never empty", v.dtype)) end
  if on == nil and (type(n) ~= "number" or not math.tointeger(n)) then
    fail("n", format("is %s, expected an integer", inner.text(n)), (type(n) == "string" or operands.is_tensor(n))
      and 'windows of the last 2 hours of times t: strew.rolling(v, "2h", "sum", {on = t})')
  end
  local g = by ~= nil and grouping_of(by, x)
  local rows_of
  if on ~= nil then
    if center then fail("center", "cannot be combined with 'on', whose windows end at each row") end
    min_count = min_count or 1
    check_number("min_count", min_count, 0, math.huge)
  else
    n = math.tointeger(n)
    min_count = min_count or n
    check_number("n", n, 1, math.huge, "a window of 1 is the element alone")
    check_number("min_count", min_count, 0, n, "n is the default; 0 and 1 leave no window out")
    rows_of = function(numbers, least, ...) return rolled(v, numbers, n, g, least, ...) end
  end
  if on ~= nil or center then
    local windows, order, places, rows
    if center then
      windows, order, places = windows_around(x, math.min(n, 2 * x:size(0) + 1), g)
    else
      windows, order, places, rows = windows_along(x, on, n, closed, g, min_count)
    end
    rows_of = function(numbers, least, ...)
      if rows then return rolled(v, numbers, rows, nil, least, ...) end
      return rolled_along(v, numbers, windows, order, places, least, ...)
    end
  end
  return back(with_gaps(rows_of(x, min_count, word, options, skips)))
end

return {
  ranges = {"v:any starts:tensor ends:tensor reduce:any", ranges},
  rolling = {"v:any n:any reduce:any by=any min_count=integer on=tensor closed=word center=boolean", rolling},
}
