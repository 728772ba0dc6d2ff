-- Ranges and windows: against a group of each range by itself, and loops.
-- devices: no, each random dtype and shape would compile kernels; the digest calls both there.
local strew = require "strew"
local support, loops = dofile "tests/spec/support.lua", dofile "tests/spec/loops.lua"
local random = math.random
local nan = 0 / 0

local WORDS <const> = {"sum", "prod", "mean", "var", "std", "min", "max", "any", "all", "first", "last", "median",
  "lower_median",
  "count", "nunique", "logsumexp", "quantile"}
local WAYS <const> = {"linear", "lower", "higher", "midpoint", "nearest", "inverted_cdf"}
local DTYPES <const> = {"float32", "float64", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8",
  "uint16", "uint32", "uint64", "bool"}
-- Reductions of floats in another order than a group's, or with other roundings, and how far apart they may be.
local ROUNDED <const> = {sum = true, prod = true, mean = true, var = true, std = true, logsumexp = true}
local TOLERANCES <const> = {float16 = 2e-2, bfloat16 = 2e-2, float32 = 1e-5, float64 = 1e-12}

local function random_tensor(shape, dtype)
  if dtype == "bool" then return strew.rand(shape):gt(0.5) end
  if not loops.is_float(dtype) then
    local t = strew.randint(0, loops.any{4, 100}, shape):to(dtype)
    return dtype:find "^u" and t or t - 2
  end
  local t = ((strew.randn(shape, {dtype = "float64"}) * loops.any{1, 3}):round() / loops.any{1, 4}):to(dtype)
  if random(3) == 1 then t = strew.where(strew.rand(shape):lt(0.1), loops.any{nan, 1 / 0, -0.0}, t) end
  return t
end

local function random_reduce(dtype)
  local word = loops.any(WORDS)
  local options = {}
  if word == "quantile" then options.q, options.interpolation = loops.any{0, 0.25, 0.5, 0.9, 1}, loops.any(WAYS) end
  if word == "var" or word == "std" then
    options.unbiased, options.correction = table.unpack(loops.any{{}, {false}, {true}, {nil, 0}, {nil, 2}, {nil, 1.5}})
  end
  if random(3) == 1 then options.skip_nan = true end
  local entry = {word}
  for name, value in pairs(options) do entry[name] = value end
  return word, options, entry, ROUNDED[word] and (TOLERANCES[dtype] or TOLERANCES.float64) or 0
end

-- A row: the rows as one group; and the number of elements that take part.
local function reduce_group(rows, word, options)
  local counts = options.skip_nan and rows:eq(rows):sum(0, true) or
    strew.full(table.move({1}, 1, 1, 1, rows:narrow(0, 0, 0).shape), rows:size(0), {dtype = "int64"})
  if rows:dim() > 1 and not options.skip_nan then counts = counts:view(1, -1):expand(1, rows:size(1)) end
  if word == "count" then return counts, counts end
  local g = strew.grouping(strew.zeros(rows:size(0), {dtype = "int64"}), {dim_size = 1})
  local own = {dim = rows:dim() > 1 and 0 or nil}
  for name, value in pairs(options) do own[name] = value end
  return (g[word](g, rows, own)), counts
end

local function same(expected, got, tolerance, what)
  assert.equal(#expected, #got, what)
  for i = 1, #expected do
    local a, b = expected[i], got[i]
    local is_near = type(a) == "number" and type(b) == "number" and math.abs(a - b) <= tolerance * (1 + math.abs(a))
    if not (a == b or a ~= a and b ~= b or is_near) then
      error(("%s: %s at %d, expected %s"):format(what, b, i - 1, a))
    end
  end
end

local function random_case()
  local n = random(8) == 1 and random(100, 200) or random(0, 30)
  local dtype = loops.any(DTYPES)
  return random_tensor(random(3) == 1 and {n, random(1, 3)} or {n}, dtype), n, dtype
end

local rounds = support.runs_all and 1500 or 150

describe("ranges of rows", function()
  before_each(function()
    math.randomseed(11)
    strew.manual_seed(11)
  end)

  it("are reduced as a group of their elements each", function()
    for _ = 1, rounds do
      local v, n, dtype = random_case()
      local word, options, entry, tolerance = random_reduce(dtype)
      local from, to, rows = {}, {}, {}
      for i = 1, random(1, 8) do
        from[i] = random(0, n)
        to[i] = random(from[i], n)
      end
      local is_right = pcall(function()
        for i = 1, #from do rows[i] = reduce_group(v:narrow(0, from[i], to[i] - from[i]), word, options) end
      end)
      local index = n > 120 and "int32" or loops.any{"int64", "int32", "uint8", "int8"}
      local made, got = pcall(strew.ranges, v, strew.tensor(from, {dtype = index}), strew.tensor(to, {dtype = index}),
        entry)
      assert.equal(is_right, made, got)
      if made then
        local expected = strew.cat(rows, 0)
        assert.same({expected.dtype, expected.shape}, {got.dtype, got.shape})
        same(expected:flatten():tolist(), got:flatten():tolist(), tolerance, word .. " of " .. dtype)
      end
    end
  end)

  it("are joined as a tree of neighbours, the smallest blocks first", function()
    local v = strew.randn(60, {dtype = "float64"}) * 1e3
    local function tree(first, size)
      if size == 1 then return v[first] end
      return tree(first, size // 2) + tree(first + size // 2, size // 2)
    end
    local function sum(first, length)
      local out, size = nil, 1
      while size <= length do
        if length & size ~= 0 then
          out, first = out and out + tree(first, size) or tree(first, size), first + size
        end
        size = size * 2
      end
      return out
    end
    local from, to, expected = {}, {}, {}
    for i = 1, 200 do
      from[i] = random(0, 59)
      to[i] = random(from[i] + 1, 60)
      expected[i] = sum(from[i], to[i] - from[i])
    end
    assert.same(expected, strew.ranges(v, strew.tensor(from), strew.tensor(to), {"sum", exact = false}):tolist())
    for n = 1, 20 do
      local windows = strew.rolling(v, n, {"sum", exact = false}, {min_count = 1}):tolist()
      for i = 0, 59 do assert.equal(sum(math.max(i - n + 1, 0), math.min(n, i + 1)), windows[i + 1]) end
    end
  end)

  it("have the same bits wherever they lie, and forget what they leave", function()
    local v = strew.randn(100)
    local again = strew.cat{strew.tensor{1e30, nan, 1 / 0}, v, strew.tensor{-1e30, nan}}
    for _, word in ipairs{"sum", "mean", "var", "std", "prod", "max", "median", "logsumexp"} do
      local own = strew.rolling(v, 13, word):narrow(0, 12, 88)
      assert.is_true(strew.equal(own, strew.rolling(again, 13, word):narrow(0, 15, 88)), word)
    end
  end)

  it("have variances of huge, tiny and equal elements", function()
    for _, scale in ipairs{1e300, 1e160, 1, 1e-160, 1e-300} do
      local v = strew.tensor({1, 3, 2, 7, 5, 5, 5, 5, 4}, {dtype = "float64"}) * scale
      local deviations = strew.rolling(v, 4, {"std", unbiased = false}):narrow(0, 3, 6):tolist()
      for i, rows in ipairs{{1, 3, 2, 7}, {3, 2, 7, 5}, {2, 7, 5, 5}, {7, 5, 5, 5}, {5, 5, 5, 5}, {5, 5, 5, 4}} do
        local mean, sum = (rows[1] + rows[2] + rows[3] + rows[4]) / 4, 0
        for _, x in ipairs(rows) do sum = sum + (x - mean) ^ 2 end
        local expected = math.sqrt(sum / 4)
        assert.is_true(math.abs(deviations[i] / scale - expected) <= 1e-12 * expected, scale)
      end
    end
    assert.same({0.0, 0.0}, strew.rolling(strew.full(3, 0.1), 2, "var"):narrow(0, 1, 2):tolist())
  end)

  it("of many elements are copied some at a time", function()
    local v = strew.randint(0, 50, {3000})
    local starts = strew.arange(3000) // 2
    local ends, last = starts + strew.arange(3000):remainder(1400), strew.full(3000, 2999)
    local got = strew.ranges(v, starts, ends:minimum(last), "nunique"):tolist()
    local values, from, to = v:tolist(), starts:tolist(), ends:minimum(last):tolist()
    for i = 1, 3000, 37 do
      local seen, count = {}, 0
      for k = from[i] + 1, to[i] do
        if not seen[values[k]] then seen[values[k]], count = true, count + 1 end
      end
      assert.equal(count, got[i])
    end
  end)

  it("have skewness, and logarithms of sums of powers, of long windows", function()
    for case = 1, 8 do
      local v = strew.randn(300, {dtype = "float64"}) * 3 + case % 3 * 100
      if case > 4 then v = strew.where(strew.rand(300):lt(0.02), ({nan, 1 / 0, -1 / 0, nan})[case - 4], v) end
      if case == 4 then v:fill_(0.1) end
      for _, word in ipairs{"logsumexp", "skew"} do
        for _, n in ipairs{25, 64, 300} do
          local options = {skip_nan = case % 2 == 1}
          local got = strew.rolling(v, n, {word, skip_nan = options.skip_nan}, {min_count = 1}):tolist()
          for _, last in ipairs{0, 2, 24, 63, 64, 170, 299} do
            local first = math.max(last + 1 - n, 0)
            local expected, counts = reduce_group(v:narrow(0, first, last + 1 - first), word, options)
            expected = options.skip_nan and counts:item() == 0 and {nan} or expected:tolist()
            same(expected, {got[last + 1]}, 1e-9, ("%s of %d, case %d"):format(word, n, case))
          end
        end
      end
    end
  end)

  it("of some rows have the same bits beside ranges of any length", function()
    local v = strew.randn(300) + 5
    local starts, ends = strew.tensor{7, 0, 20, 11, 50}, strew.tensor{31, 300, 20, 36, 53}
    for _, word in ipairs{"sum", "mean", "std", "prod", "max", "median", "logsumexp", "skew"} do
      local all = strew.ranges(v, starts, ends, word)
      for i = 0, 4 do
        local one = strew.ranges(v, starts:narrow(0, i, 1), ends:narrow(0, i, 1), word)
        same(one:tolist(), {all:get{i}}, 0, word)
      end
    end
  end)

  -- Copies of these windows would have 4e9 elements.
  it("are not copied to count different elements, for quantiles, or for the first number", function()
    local n <const>, wide <const> = 100000, 50000
    local v = (strew.arange(n) % 777):to "float64"
    v:narrow(0, 3, 1):fill_(nan)
    v:narrow(0, 5, 1):fill_(-0.0)
    local two = strew.stack({v, strew.zeros_like(v)}, 1)
    local by = strew.zeros(n, {dtype = "int64"})
    for _, options in ipairs{{}, {by = by}} do
      local counts = strew.rolling(v, wide, "nunique", options)
      assert.same({778, 777}, {counts[wide - 1], counts[n - 1]})
      counts = strew.rolling(two, wide, {"nunique", skip_nan = true}, {by = options.by, min_count = 1})
      assert.same({777, 1}, counts[n - 1]:tolist())
      assert.equal((n - wide) % 777, strew.rolling(v, wide, {"first", skip_nan = true}, options)[n - 1])
      assert.equal((n - 1) % 777, strew.rolling(v, wide, {"last", skip_nan = true}, options)[n - 1])
      assert.equal(0, strew.rolling(two, wide, {"quantile", q = 1}, options)[n - 1]:tolist()[2])
    end
    local starts = strew.tensor{0, 4, 4, 2, 3}
    assert.same({778, 777, 0, 1, 2}, strew.ranges(v, starts, strew.tensor{n, n, 4, 3, 5}, "nunique"):tolist())
    local deviation = strew.rolling(v, wide, {"std", skip_nan = true}, {min_count = 1})
    local first = v:narrow(0, 0, wide)
    local expected = first:masked_select(first:eq(first)):std():item()
    assert.is_true(math.abs(deviation[wide - 1] / expected - 1) < 1e-12)
    local factors = strew.ones(n, {dtype = "int64"}):index_fill_(0, strew.arange(0, 62) * 3, -2)
    local products = strew.rolling(factors, wide, "prod", {min_count = 1})
    assert.same({"int64", -2, 4, 1 << 62, 1}, {products.dtype, products[0], products[3], products[wide - 1],
      products[n - 1]})
    factors[n - 1] = 0
    assert.equal(0, strew.rolling(factors, wide, "prod")[n - 1])
    assert.equal(1, strew.rolling(factors:ne(0), wide, "prod")[wide - 1])
  end)

  it("have the commonest elements of their groups, also where they rise and are not copied", function()
    for _, dtype in ipairs(DTYPES) do
      for k = 1, 6 do
        local n = loops.any{1, 2, 9, 40}
        local v, m = random_tensor({n}, dtype), loops.any{1, 3, 20}
        local starts = strew.randint(0, n + 1, {m}):sort()
        local ends = strew.randint(0, n + 1, {m}):sort():maximum(starts)
        if k % 3 == 0 then starts, ends = starts:flip(0), ends:flip(0) end
        if k % 2 == 0 then ends = (ends + 1):clamp(1, n) starts = starts:minimum(ends - 1) end
        local got = strew.ranges(v, starts, ends, "mode")
        for i = 0, m - 1 do
          local rows = v:narrow(0, starts:get{i}, (ends - starts):get{i})
          local want = strew.grouping(strew.zeros(#rows, {dtype = "int64"}), {dim_size = 1}):mode(rows):to(got.dtype)
          same(want:tolist(), {got:get{i}}, 0, dtype)
          if want:get{0} == 0 then assert.equal(1 / want:to"float32":get{0}, 1 / got:to"float32":get{i}, dtype) end
        end
        assert.equal(v.dtype, strew.rolling(v, 1, "mode").dtype)
      end
    end
  end)

  it("take reductions of one's own, with the position of each element", function()
    local r = strew.reduction{init = 0, combine = "acc * 0.5 + x * i"}
    local v, by = strew.randn(30, {dtype = "float64"}), strew.randint(0, 3, {30})
    local windows, x, keys = strew.rolling(v, 5, r, {by = by, min_count = 2}):tolist(), v:tolist(), by:tolist()
    for i = 1, 30 do
      local rows, acc = {}, 0
      for k = i, 1, -1 do
        if keys[k] == keys[i] and #rows < 5 then table.insert(rows, 1, k) end
      end
      for _, k in ipairs(rows) do acc = acc * 0.5 + x[k] * (k - 1) end
      same({#rows < 2 and nan or acc}, {windows[i]}, 0, "a window")
    end
    local weighted = strew.reduction{init = {s = 0.0, w = 0.0}, combine = {s = "s + a * b", w = "w + b"},
      finish = "s / w"}
    assert.same({2.0, 14 / 5}, strew.ranges({a = strew.tensor{1.0, 2, 4}, b = strew.tensor{1.0, 3, 2}},
      strew.tensor{1, 1}, strew.tensor{2, 3}, weighted):to "float64":mul(10):round():div(10):tolist())
  end)

  it("have gradients", function()
    local x, w = strew.randn(9, {dtype = "float64"}), strew.randn(9, {dtype = "float64"})
    local starts, ends = strew.tensor{0, 3, 2, 8}, strew.tensor{5, 9, 4, 9}
    for _, reduce in ipairs{"sum", "mean", "prod", "var", "std", "min", "max", "last", "median",
                            "lower_median", {"quantile", q = 0.3}} do
      local function f(t)
        local windows = strew.rolling(t, 3, reduce, {min_count = 2}):narrow(0, 1, 8)
        local own = strew.ranges(t, starts, ends, reduce) -- that of one element has no deviation, and the gradient 0
        return (windows * w:narrow(0, 1, 8)):sum() + (own * w:narrow(0, 0, 4)):nansum()
      end
      local gradient = strew.grad(f)(x)
      for i = 0, 8 do
        local above, below = x:clone(), x:clone()
        above[i], below[i] = x[i] + 1e-6, x[i] - 1e-6
        assert.is_true(math.abs((f(above):item() - f(below):item()) / 2e-6 - gradient[i]) < 1e-6, reduce)
      end
    end
    local function deviation(t) return strew.rolling(t, 3, "std"):narrow(0, 2, 1):sum() end
    assert.same({0.0, 0.0, 0.0}, strew.grad(deviation)(strew.ones(3)):tolist())
  end)
end)

describe("a window", function()
  before_each(function()
    math.randomseed(13)
    strew.manual_seed(13)
  end)

  it("has the last rows, of a group or all, or too few", function()
    for _ = 1, rounds // 2 do
      local v, size, dtype = random_case()
      local word, options, entry, tolerance = random_reduce(dtype)
      local n, ids = random(1, 12), random(2) == 1 and strew.randint(0, random(1, 4), {size}):tolist()
      local min_count, expected = random(2) == 1 and random(0, n) or nil, {}
      local is_right = pcall(function()
        for i = 1, size do
          local rows = {}
          for k = i, 1, -1 do
            if #rows < n and (not ids or ids[k] == ids[i]) then table.insert(rows, 1, k - 1) end
          end
          local row, counts = reduce_group(v:index_select(0, strew.tensor(rows, {dtype = "int64"})), word, options)
          row, counts = row:flatten():tolist(), counts:flatten():tolist()
          for k, x in ipairs(row) do table.insert(expected, counts[k] < (min_count or n) and nan or x) end
        end
      end)
      local by = ids and strew.tensor(ids) or nil
      local made, got = pcall(strew.rolling, v, n, entry, {by = by, min_count = min_count})
      if is_right and made then
        assert.equal(size, got:size(0))
        local list = got:flatten():tolist()
        for i, x in ipairs(expected) do -- missing among integers and booleans makes them floats
          if type(x) == "boolean" and type(list[i]) == "number" then expected[i] = x and 1 or 0 end
        end
        same(expected, list, tolerance, word .. " of " .. dtype)
      else -- too large for float64; or no floats
        assert.is_true(not made and (size == 0 or word == "prod" or not is_right), got)
      end
    end
  end)

  it("is missing where no group is, and keeps integers where none is", function()
    support.evaluate({
      {"strew.rolling(i, 2, 'sum')", "float64[4] {nan, 3.0, 5.0, 7.0}"},
      {"strew.rolling(i, 2, 'sum', {min_count = 1})", "int64[4] {1, 3, 5, 7}"},
      {"strew.rolling(i, 9, 'max')", "float64[4] {nan, nan, nan, nan}"},
      {"strew.rolling(i, 9, 'mean', {min_count = 1})", "float64[4] {1.0, 1.5, 2.0, 2.5}"},
      {"strew.rolling(i, 2, 'sum', {by = g, min_count = 1})", "float64[4] {1.0, nan, 4.0, nan}"},
      {"strew.rolling(i, 2, 'sum', {by = {i // 2, i // 2}, min_count = 1})", "int64[4] {1, 2, 5, 4}"},
      {"strew.rolling(i:to('float32'), 2, {'sum', dtype = 'float64'})", "float64[4] {nan, 3.0, 5.0, 7.0}"},
      {"strew.rolling(strew.zeros(0), 3, 'mean')", "float32[0] {}"},
      {"strew.rolling(strew.tensor{1.5, nan, 2.5}, 2, {'mean', skip_nan = true}, {min_count = 1})",
       "float32[3] {1.5, 1.5, 2.5}"},
      {"strew.ranges(i, strew.tensor{4, 0}, strew.tensor{4, 4}, 'sum')", "int64[2] {0, 10}"},
      {"strew.ranges(i, strew.tensor{4, 0}, strew.tensor{4, 4}, {'max', fill = -1})", "int64[2] {-1, 4}"},
      {"strew.ranges(strew.zeros(0), o, o, 'median')", "float32[1] {nan}"},
    }, {strew = strew, i = strew.tensor{1, 2, 3, 4}, nan = nan, o = strew.tensor{0},
        g = strew.grouping(strew.tensor{0, -1, 0, -1}, {mode = "drop"})})
  end)

  it("says what is wrong, and a way out that works", function()
    local v, i = strew.tensor{1.0, 2, 3, 4}, strew.tensor{math.maxinteger, 1, 1}
    local function refused(pattern, f, ...)
      local made, message = pcall(f, ...)
      assert.is_false(made)
      assert.matches(pattern, message, 1, false)
    end
    local rolling, ranges = strew.rolling, strew.ranges
    refused("rolling: 'n' is 0, expected 1 or more\n.*hint  a window of 1 is the element alone", rolling, v, 0, "sum")
    refused("rolling: 'n' is %-3", rolling, v, -3, "sum")
    refused("rolling: 'min_count' is 4, expected 0..3\n.*hint  n is the default", rolling, v, 3, "sum", {min_count = 4})
    refused("rolling: 'reduce' is \"avg\", expected sum, .*\n.*did you mean 'mean'", rolling, v, 3, "avg")
    refused("rolling: 'reduce' has nil as q of a quantile", rolling, v, 3, "quantile")
    refused("rolling: 'q' is 2.0, expected a number from 0 to 1", rolling, v, 3, {"quantile", q = 2})
    refused("rolling: 'by' is \"city\", expected keys or a grouping", rolling, v, 3, "sum", {by = "city"})
    refused("rolling: 'by' has 3 elements, v has 4 rows", rolling, v, 3, "sum", {by = i})
    refused("rolling: 'v' has 0 dimensions, expected at least 1", rolling, strew.tensor(1.0), 3, "sum")
    refused("rolling: 'reduce' has unbiased and correction, expected one of them", rolling, v, 3,
      {"var", unbiased = true, correction = 1})
    refused("rolling: 'reduce' has correction \"1\", expected a number", rolling, v, 3, {"std", correction = "1"})
    refused("rolling: 'v' has a sum in the window that ends at %[1%] that int64 cannot hold\n.*v:to%(\"float64\"%)",
      rolling, i, 2, "sum")
    refused("ranges: 'v' has a sum in range 1 that int64", ranges, i, strew.tensor{1, 0}, strew.tensor{3, 2}, "sum")
    refused("rolling: 'v' gives 9223372036854775807, which float64 cannot hold.*min_count = 1", rolling, i, 2, "max")
    assert.same({math.maxinteger, math.maxinteger, 1}, rolling(i, 2, "max", {min_count = 1}):tolist())
    local zero, three = strew.tensor{0, 3}, strew.tensor{1, 3}
    refused("ranges: 'ends' has value 9 at %[1%], expected 0..4, the rows of v\n.*hint +ends:clamp%(0, 4%)", ranges, v,
      zero, strew.tensor{1, 9}, "sum")
    refused("ranges: 'starts' has value %-1 at %[0%]", ranges, v, strew.tensor{-1, 0}, three, "sum")
    refused("ranges: 'ends' has value 2 at %[1%], expected its start or more\n.*ends:maximum%(starts%)", ranges, v,
      zero, strew.tensor{1, 2}, "sum")
    assert.same({1.0, 0.0}, ranges(v, zero, strew.tensor{1, 2}:maximum(zero), "sum"):tolist())
    refused("ranges: 'ends' has shape %[1%], expected %[2%]", ranges, v, zero, strew.tensor{1}, "sum")
    refused("ranges: 'starts' is float32, expected an integer dtype", ranges, v, v, v, "sum")
  end)
end)
