-- Operations that compute from several elements (elementwise.lua, statistics.lua), cumprod, cummax,
-- cummin and the elementwise functions that other specs leave out, against plain loops.
-- devices: no, each random dtype and layout would compile kernels; the digest calls every operation there.
local strew = require "strew"
local support, loops = dofile "tests/spec/support.lua", dofile "tests/spec/loops.lua"
local any, list, same, rounded = loops.any, loops.list, loops.same, loops.rounded

local TIMES = 40
local inf, nan = 1 / 0, 0 / 0

-- Checks `times` random cases on 1, 2 and 3 threads.
local function sweep(check)
  loops.on_threads(function()
    for _ = 1, TIMES do check() end
  end)
end

-- A random tensor, one of its dimensions, and this dimension as written: negative or not.
local function random_line(dtypes, wild, least)
  local shape = loops.shape(least or 0, 3)
  local t = loops.random(shape, any(dtypes), wild)
  local dim = math.random(0, math.max(#shape - 1, 0))
  return t, dim, math.random(2) == 1 and dim - math.max(#shape, 1) or dim
end

-- Calls visit(line, set) for each line along dim: its elements, and a function that stores the i-th of a result.
local function each_line(t, dim, visit)
  local shape, values = t.shape, list(t)
  if #shape == 0 then shape = {1} end
  for _, position in loops.positions(shape) do
    if position[dim + 1] == 0 then
      local numbers, line = {}, {}
      for i = 1, shape[dim + 1] do
        numbers[i] = loops.number(shape, loops.moved(position, dim, i - 1))
        line[i] = values[numbers[i]]
      end
      visit(line, numbers)
    end
  end
end

-- The lists that scan(line) returns, each with an element for each of the line.
local function scanned(t, dim, scan)
  local results = {{}, {}}
  each_line(t, dim, function(line, numbers)
    for r, result in ipairs{scan(line)} do
      for i, value in ipairs(result) do results[r][numbers[i]] = value end
    end
  end)
  return table.unpack(results)
end

-- The lists of one value per line, and the shape without dim, or with size 1 there.
local function folded(t, dim, keepdim, fold)
  local results = {{}, {}}
  each_line(t, dim, function(line)
    for r, value in ipairs{fold(line)} do table.insert(results[r], value) end
  end)
  local shape = t.shape
  if #shape > 0 and keepdim then shape[dim + 1] = 1 elseif #shape > 0 then table.remove(shape, dim + 1) end
  return shape, table.unpack(results)
end

-- A whole number wrapped to a dtype.
local function wrapped(x, dtype)
  local bits = tonumber(dtype:match "%d+")
  if bits == 64 then return x end
  local low = x & (1 << bits) - 1
  return dtype:sub(1, 1) ~= "u" and low >> bits - 1 == 1 and low - (1 << bits) or low
end

-- A float dtype's relative error, for functions whose last bits depend on the device.
local tolerance = {float32 = 2e-6, float64 = 1e-14, float16 = 2e-3, bfloat16 = 2e-2}

describe("cumulative results", function()
  before_each(function() math.randomseed(13) end)

  it("are products in order", function()
    sweep(function()
      local t, dim, written = random_line(loops.dtypes, math.random(3) == 1)
      local is_float = loops.is_float(t.dtype)
      local products = scanned(t, dim, function(line)
        local product, result = 1, {}
        for i, value in ipairs(line) do
          if type(value) == "boolean" then value = value and 1 or 0 end
          product = is_float and rounded(product * value, t.dtype) or product * value
          result[i] = product
        end
        return result
      end)
      same(products, t.shape, is_float and t.dtype or "int64", t:cumprod(written))
      if t.dtype ~= "bool" then
        for i, product in ipairs(products) do products[i] = is_float and product or wrapped(product, t.dtype) end
        assert.equal(t, t:cumprod_(written))
        same(products, t.shape, t.dtype, t)
      end
    end)
  end)

  it("are extremes and their last positions", function()
    sweep(function()
      local t, dim, written = random_line(loops.dtypes, math.random(2) == 1)
      if math.random(8) == 1 then -- lines of any length, and any number of them side by side
        local sizes = {math.random(20), math.random(100)}
        dim = math.random(0, 1)
        t, written = loops.random(dim == 1 and sizes or {sizes[2], sizes[1]}, any(loops.dtypes), true), dim
      end
      for name, wins in pairs{
        cummax = function(a, b) return a >= b end, cummin = function(a, b) return a <= b end,
      } do
        local values, positions = scanned(t, dim, function(line)
          local best, at, result, places = nil, nil, {}, {}
          for i, value in ipairs(line) do
            local number = value
            if type(value) == "boolean" then number = value and 1 or 0 end
            if best == nil or number ~= number or best == best and wins(number, best) then best, at = number, i end
            result[i], places[i] = line[at], at - 1
          end
          return result, places
        end)
        local got, at = t[name](t, written)
        same(values, t.shape, t.dtype, got)
        same(positions, t.shape, "int64", at)
      end
    end)
  end)

  it("are the same in long lines on every number of threads", function()
    local t = strew.arange(70000):remainder(1009):to("float32"):div_(1009):add_(0.5):view(2, 35000)
    local product, expected = 1, {}
    for i, value in ipairs(list(t[1])) do
      product = rounded(product * value, "float32")
      expected[i] = product
    end
    loops.on_threads(function()
      for dim = 0, 1 do
        local turned = dim == 1 and t or t:t():contiguous()
        same(expected, {35000}, "float32", turned:cumprod(dim):select(1 - dim, 1))
        local largest, at = turned:cummax(dim)
        assert.is_true(strew.equal(largest, turned:gather(dim, at)))
        assert.is_true(largest:diff(1, dim):ge(0):all():item())
      end
    end)
  end)
end)

describe("elements", function()
  before_each(function() math.randomseed(17) end)

  it("are finite, infinite, or replaced", function()
    sweep(function()
      local t = loops.random(loops.shape(0, 3), any(loops.dtypes), true)
      local is_inf, is_finite, plain, chosen = {}, {}, {}, {}
      local most = {float32 = 0x1.fffffep127, float64 = 0x1.fffffffffffffp1023, float16 = 65504, bfloat16 = 0x1.fep127}
      for i, value in ipairs(list(t)) do
        is_inf[i] = value == inf or value == -inf
        is_finite[i] = type(value) ~= "number" or value == value and not is_inf[i]
        plain[i], chosen[i] = value, value
        if value ~= value then plain[i], chosen[i] = 0, inf end
        if value == inf then plain[i], chosen[i] = most[t.dtype], 7 end
        if value == -inf then plain[i], chosen[i] = -most[t.dtype], -8.5 end
      end
      same(is_inf, t.shape, "bool", t:isinf())
      same(is_finite, t.shape, "bool", t:isfinite())
      local before = list(t)
      same(plain, t.shape, t.dtype, t:nan_to_num())
      same(before, t.shape, t.dtype, t)
      same(chosen, t.shape, t.dtype, t:nan_to_num{nan = inf, posinf = 7, neginf = -8.5})
      assert.equal(t, t:nan_to_num_(inf, 7, -8.5))
      same(chosen, t.shape, t.dtype, t)
    end)
    local t = strew.tensor{1, 2}
    t:nan_to_num():fill_(5)
    same({1, 2}, {2}, "int64", t)
  end)

  it("are close", function()
    sweep(function()
      local shape, dtype = loops.shape(1, 3), any(loops.dtypes)
      local a, narrow = loops.random(shape, dtype, true), {table.unpack(shape)}
      if math.random(2) == 1 and narrow[1] > 0 then narrow[1] = 1 end
      local b = loops.random(narrow, dtype, true)
      local rtol, atol, equal_nan = any{0, 0.5, 1e-5}, any{0, 0.5, 1e-8}, math.random(2) == 1
      local x, y, expected = list(a), list(b), {}
      for i, position in loops.positions(shape) do
        if narrow[1] == 1 then position[1] = 0 end
        local p, q = x[i], y[loops.number(narrow, position)]
        if dtype == "bool" then p, q = p and 1 or 0, q and 1 or 0 end
        local gap = math.abs(p - q)
        expected[i] = p == q or gap < inf and gap <= atol + rtol * math.abs(q) or equal_nan and p ~= p and q ~= q
      end
      same(expected, shape, "bool", a:isclose(b, rtol, atol, equal_nan))
      if not equal_nan and #expected > 0 then
        local all = true
        for _, value in ipairs(expected) do all = all and value end
        assert.equal(all, a:allclose(b, rtol, atol))
      end
    end)
    local big = strew.tensor{math.maxinteger, math.mininteger}
    same({false, true}, {2}, "bool", big:isclose(strew.tensor{math.mininteger, math.mininteger}, 0.5, 1))
    for _, dtype in ipairs(loops.floats) do -- in pieces
      local a = strew.randn(200000, 3):to(dtype)
      local b = a:narrow(1, 1, 1) + strew.randn(200000, 1):to(dtype) * 1e-3
      local gap, wide = a:sub(b):abs(), b:abs()
      if dtype:find "16" then gap, wide = (a:to "float32" - b:to "float32"):abs(), b:to "float32":abs() end
      local expected = gap:le(wide * 1e-3 + 1e-8)
      assert.is_true(expected:any():item() and not expected:all():item())
      assert.is_true(strew.equal(a:isclose(b, 1e-3), expected))
    end
    same({true, false}, {2}, "bool", strew.tensor{1.0, 2.0}:isclose(strew.tensor{1.0 + 1e-6, 2.1}))
  end)

  it("have logarithms and signs", function()
    local function log1p(x) -- exact enough: the series for small x
      if math.abs(x) > 1e-4 then return math.log(1 + x) end
      return x - x * x / 2 + x * x * x / 3
    end
    local function expm1(x)
      if math.abs(x) > 1e-4 then return math.exp(x) - 1 end
      return x + x * x / 2 + x * x * x / 6
    end
    local functions = {
      log2 = function(x) return math.log(x, 2) end, log10 = function(x) return math.log(x, 10) end,
      log1p = log1p, expm1 = expm1,
    }
    local numbers = {0, 1, 2, 0.5, 3, 1e-5, 1e-7, 7.25, 100, -0.5, -1, inf, nan}
    for name, f in pairs(functions) do
      for _, dtype in ipairs(loops.floats) do
        local t, expected = strew.tensor(numbers, {dtype = dtype}), {}
        for i, x in ipairs(list(t)) do expected[i] = f(x) end
        if name == "expm1" and dtype ~= "float64" then expected[9] = inf end -- of 100
        same(expected, {#numbers}, dtype, t[name](t), tolerance[dtype])
        assert.equal(t, t[name .. "_"](t))
        same(expected, {#numbers}, dtype, t, tolerance[dtype])
      end
      assert.equal("float32", strew.tensor{1}[name](strew.tensor{1}).dtype)
    end
    local small = strew.tensor{1e-6}
    assert.is_true(math.abs(small:log1p():item() / small:item() - 1) < 1e-5)
    assert.is_true(math.abs(small:expm1():item() / small:item() - 1) < 1e-5)
    sweep(function()
      local t = loops.random(loops.shape(0, 3), any(loops.dtypes), true)
      local expected = {}
      for i, x in ipairs(list(t)) do
        expected[i] = type(x) == "boolean" and x
        if type(x) == "number" then expected[i] = x > 0 and 1 or x < 0 and -1 or x == 0 and 0 or x end
      end
      same(expected, t.shape, t.dtype, t:sign())
      assert.equal(t, t:sign_())
      same(expected, t.shape, t.dtype, t)
    end)
  end)
end)

-- The p-norm of a list.
local function norm(line, p)
  local sum, least, most = 0, inf, 0
  for _, x in ipairs(line) do
    x = math.abs(x)
    if x ~= x and p ~= 0 then return nan end
    sum = sum + (p == 0 and (x == 0 and 0 or 1) or x ^ p)
    least, most = math.min(least, x), math.max(most, x)
  end
  return p == inf and most or p == -inf and least or p == 0 and sum or sum ^ (1 / p)
end

-- Positions, from 1, in the order of a stable sort with NaN last.
local function order_of(line)
  local order = {}
  for i = 1, #line do order[i] = i end
  table.sort(order, function(i, j)
    local a, b = line[i], line[j]
    if a ~= a or b ~= b then
      if a ~= a and b ~= b then return i < j end
      return b ~= b
    end
    if a ~= b then return a < b end
    return i < j
  end)
  return order
end

local function median(line)
  for i, x in ipairs(line) do
    if x ~= x then return x, i - 1 end
  end
  local at = order_of(line)[(#line + 1) // 2]
  return line[at], at - 1
end

local function quantile(line, q, dtype, interpolation)
  if median(line) ~= median(line) then return nan end
  local order = order_of(line)
  local rank = rounded(rounded(q, dtype) * (interpolation == "inverted_cdf" and #line or #line - 1), dtype)
  if interpolation == "inverted_cdf" then return line[order[math.max(math.ceil(rank), 1)]] end
  local low, high = line[order[math.floor(rank) + 1]], line[order[math.ceil(rank) + 1]]
  local part = rank - math.floor(rank)
  if interpolation == "nearest" then
    local is_low = part < 0.5 or part == 0.5 and math.floor(rank) % 2 == 0
    return is_low and low or high
  end
  if interpolation == "lower" or low == high then return low end
  if interpolation == "higher" then return high end
  if interpolation == "midpoint" then part = 0.5 end
  return part < 0.5 and low + (high - low) * part or high - (high - low) * (1 - part)
end

describe("statistics", function()
  before_each(function() math.randomseed(19) end)

  it("are variances that what all elements have in common does not change", function()
    local k = strew.arange(1000) % 7
    local sum, squares = k:sum():item(), (k * k):sum():item()
    local exact = (squares - sum * sum / 1000) / 999
    for _, row in ipairs{{"float32", 16000000}, {"float32", -16000000}, {"float16", 1024}, {"float64", 1 << 52}} do
      if row[1] ~= "float64" or not support.lacks_float64 then
        local v = (k + row[2]):to(row[1])
        for _, t in ipairs{v, v:reshape(1000, 1):expand(1000, 40):contiguous(), v:reshape(1, 1000):expand(40, 1000)} do
          local dim = t:size(0) == 1000 and 0 or 1
          for _, var in ipairs((t:dim() == 1 and t:var():view(1) or t:var(dim)):tolist()) do
            assert.is_true(math.abs(var / exact - 1) < (row[1] == "float16" and 1e-3 or 1e-6))
          end
        end
      end
    end
    for _, n in ipairs{3, 100, 5000} do assert.equal(0.0, strew.full(n, 0.1):std():item()) end
  end)

  it("are variances whose squares overflow or underflow", function()
    local root = math.sqrt(2)
    for _, row in ipairs{{"float32", {2.0 ^ 100, 2.0 ^ -100, 2.0 ^ -140, 1.0, 0.0}},
                         {"bfloat16", {2.0 ^ 120, 2.0 ^ -90}}, {"float64", {2.0 ^ 1000, 2.0 ^ -1000, 1.0, 0.0}}} do
      if row[1] ~= "float64" or not support.lacks_float64 then
        local lines, wanted = {}, {}
        for i, x in ipairs(row[2]) do lines[i], wanted[i] = {x, 3 * x}, root * x end
        local t = strew.tensor(lines, {dtype = row[1]})
        for _, got in ipairs{t:std(1), t:std(1, true):view(-1), t:t():std(0), t:t():contiguous():std(0)} do
          for i, value in ipairs(got:tolist()) do
            local most = row[1] == "bfloat16" and 1e-2 or row[2][i] < 2.0 ^ -126 and 1e-3 or 1e-6
            assert.is_true(math.abs(value - wanted[i]) <= most * wanted[i], ("%s: %s"):format(row[1], value))
          end
        end
        for i, x in ipairs(row[2]) do
          local value = t[i - 1]:var():item()
          local whole = 2 * x * x
          local is_beyond = row[1] ~= "float64" and (whole > 2.0 ^ 128 or whole < 2.0 ^ -150)
          if is_beyond then whole = whole > 1 and inf or 0.0 end
          assert.is_true(value == whole or math.abs(value / whole - 1) < 1e-2)
        end
      end
    end
    assert.equal(inf, strew.tensor{-3e38, 3e38}:var():item())
    assert.is_true((strew.tensor{1.0, nan, 2.0}:std():ne(strew.tensor{1.0, nan, 2.0}:std())):item())
  end)

  it("are norms", function()
    sweep(function()
      local p, keepdim = any{2, 1, 0, inf, -inf, 3, 0.5, -1}, math.random(2) == 1
      local t, dim, written = random_line(loops.floats, math.random(3) == 1)
      if t:numel() == 0 and (p < 0 or p == inf) then return end
      local shape, expected = folded(t, dim, keepdim, function(line) return norm(line, p) end)
      if t.shape[dim + 1] ~= 0 then same(expected, shape, t.dtype, t:norm(p, written, keepdim), tolerance[t.dtype]) end
      same({norm(list(t), p)}, {}, t.dtype, t:norm(p), tolerance[t.dtype])
    end)
    assert.equal(5.0, strew.tensor{3.0, 4.0}:norm():item())
    assert.equal(300.0, strew.tensor({180.0, 240.0}, {dtype = "float16"}):norm():item()) -- squares overflow
    same({3.0, 4.0}, {2}, "float32", strew.tensor{{3.0, 4.0}}:norm{dim = 0})
    same({5.0}, {1, 1}, "float32", strew.tensor{{3.0, 4.0}}:norm(2, {0, 1}, true))
    same({5.0}, {1, 1}, "float32", strew.tensor{{3.0, 4.0}}:norm{keepdim = true})
    same({0.0, 0.0}, {2}, "float32", strew.zeros(0, 2):norm(2, 0))
    for _, row in ipairs{{"float32", 2.0 ^ 100, 2.0 ^ -100}, {"float32", 2.0 ^ -130, 2.0 ^ 120},
                         {"float64", 2.0 ^ 1000, 2.0 ^ -1000}, {"bfloat16", 2.0 ^ -100, 1}} do
      if row[1] ~= "float64" or not support.lacks_float64 then
        local lines = {{3 * row[2], -4 * row[2]}, {3 * row[3], 4 * row[3]}, {0, 0}}
        local wanted, t = {5 * row[2], 5 * row[3], 0.0}, strew.tensor(lines, {dtype = row[1]})
        same(wanted, {3}, row[1], t:norm(2, 1), tolerance[row[1]])
        same({5 * row[2]}, {1, 1}, row[1], t:narrow(0, 0, 1):norm(2, nil, true), tolerance[row[1]])
        local cube = (27 + 64) ^ (1 / 3)
        same({cube * row[2], cube * row[3], 0.0}, {3}, row[1], t:norm(3, 1), tolerance[row[1]] or 1e-6)
      end
    end
    for _, p in ipairs{inf, -inf, -1, -2.5} do
      assert.has_error(function() strew.zeros(2, 0):norm(p, 1) end)
      assert.has_error(function() strew.zeros(0):norm(p) end)
      same({}, {0}, "float32", strew.zeros(0, 2):norm(p, 1))
    end
  end)

  it("are lower medians", function()
    local dtypes = {table.unpack(loops.dtypes, 2)} -- all but bool
    sweep(function()
      local t, dim, written = random_line(dtypes, math.random(2) == 1)
      local keepdim = math.random(2) == 1
      if t:numel() > 0 then
        same({(median(list(t)))}, {}, t.dtype, t:median())
        local shape, values, positions = folded(t, dim, keepdim, median)
        local got, at = t:median(written, keepdim)
        same(values, shape, t.dtype, got)
        same(positions, shape, "int64", at)
      end
    end)
    same({nan}, {}, "float32", strew.zeros(0):median())
    same({1}, {1}, "int64", select(2, strew.tensor{{3, nan, nan, 1}}:median(1))) -- the first NaN
    local values, positions = strew.zeros(3, 0):median(0)
    assert.same({{0}, {0}}, {values.shape, positions.shape})
    same({2}, {1, 1}, "int64", strew.tensor{{3, 2}}:median{keepdim = true})
  end)

  it("are quantiles", function()
    sweep(function()
      local t, dim, written = random_line(loops.floats, math.random(3) == 1)
      if t:numel() == 0 then return end
      local interpolation = any{"linear", "lower", "higher", "midpoint", "nearest", "inverted_cdf"}
      local computed = t.dtype == "float64" and "float64" or "float32"
      local keepdim, options = math.random(2) == 1, {interpolation = interpolation}
      local numbers = {}
      for i = 1, math.random(0, 3) do numbers[i] = any{0, -0.0, 0.25, 0.5, 0.3, 0.9, 1} end
      local qs = loops.tensor(numbers, {#numbers}, t.dtype)
      if #numbers > 0 then
        local q = list(qs)[1]
        local shape, expected = folded(t, dim, keepdim, function(line)
          return quantile(line, q, computed, interpolation)
        end)
        same(expected, shape, t.dtype, t:quantile(q, written, keepdim, options), tolerance[t.dtype])
        same(expected, shape, t.dtype, t:quantile(qs[0] and qs:select(0, 0), written, keepdim, options),
          tolerance[t.dtype])
        same({quantile(list(t), q, computed, interpolation)}, {}, t.dtype, t:quantile(q, options), tolerance[t.dtype])
      end
      local all = {}
      for _, q in ipairs(list(qs)) do
        local _, part = folded(t, dim, keepdim, function(line) return quantile(line, q, computed, interpolation) end)
        table.move(part, 1, #part, #all + 1, all)
      end
      local shape = folded(t, dim, keepdim, function() return 0 end)
      table.insert(shape, 1, #numbers)
      same(all, shape, t.dtype, t:quantile(qs, written, keepdim, options), tolerance[t.dtype])
    end)
    same({2.5}, {1, 1}, "float32", strew.tensor{{4.0, 1.0}}:quantile(0.5, {keepdim = true}))
    same({inf, inf}, {2}, "float32", strew.tensor{1, inf, inf}:quantile(strew.tensor{0.75, 1}))
    local deep = strew.arange(4):to("float32"):view(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2)
    assert.equal(16, deep:quantile(0.5, 15, true):dim())
  end)

  it("are sums of exponentials", function()
    local function logsumexp(line)
      local largest, sum = -inf, 0
      for _, x in ipairs(line) do
        if x ~= x then return nan end
        largest = math.max(largest, x)
      end
      if #line == 0 or largest == inf or largest == -inf then return largest end
      for _, x in ipairs(line) do sum = sum + math.exp(x - largest) end
      return largest + math.log(sum)
    end
    sweep(function()
      local t, dim, written = random_line(loops.dtypes, math.random(3) == 1)
      local dtype, keepdim = loops.is_float(t.dtype) and t.dtype or "float32", math.random(2) == 1
      local x = t:to(any{"float32", dtype})
      local shape, sums = folded(x:to(dtype), dim, keepdim, logsumexp)
      if t.shape[dim + 1] == 0 then
        sums = {}
        for i = 1, loops.count(shape) do sums[i] = -inf end
      end
      same(sums, shape, dtype, t:logsumexp(written, keepdim), tolerance[dtype])
      local log_soft, soft = {}, {}
      if t:numel() > 0 then
        log_soft, soft = scanned(t:to(dtype), dim, function(line)
          local sum, logs, shares = logsumexp(line), {}, {}
          for i, value in ipairs(line) do
            logs[i] = math.abs(sum) == inf and nan or value - sum
            shares[i] = math.exp(logs[i])
          end
          return logs, shares
        end)
      end
      local options = not loops.is_float(t.dtype) and {dtype = dtype} or nil
      same(log_soft, t.shape, dtype, t:log_softmax(written, options), tolerance[dtype])
      same(soft, t.shape, dtype, t:softmax(written, options), tolerance[dtype])
    end)
    same({1002.0, -inf, inf}, {3}, "float32", strew.tensor{{1001.3069, 1001.3069}, {-inf, -inf}, {inf, 1}}:logsumexp(1),
      1e-6)
    same({0.5, 0.5}, {2}, "float64", strew.tensor{2000, 2000}:softmax(0, {dtype = "float64"}))
    same({2.0 + math.log(4)}, {}, "float32", strew.full({2, 2}, 2.0):logsumexp({0, 1}), 1e-6)
  end)

  it("are the same in large tensors on every number of threads", function()
    local t = strew.arange(90000):remainder(1013):to("float32"):div_(1013):view(300, 300)
    local expected
    loops.on_threads(function()
      local texts = {}
      for i, out in ipairs{
        t:norm(), t:norm(3, 0), t:median(), t:median(1), t:quantile(strew.tensor{0.1, 0.9}, 0), t:logsumexp(1),
        t:softmax(0), t:log_softmax(1),
      } do
        local parts = {}
        for k, value in ipairs(list(out)) do parts[k] = ("%a"):format(value) end
        texts[i] = table.concat(parts, " ")
      end
      local text = table.concat(texts, "\n")
      expected = expected or text
      assert.is_true(expected == text)
    end)
  end)
end)

describe("these operations", function()
  it("are functions and methods", function()
    local t = strew.tensor{{3.0, 1, 2}, {0, 5, 4}}
    for name, arguments in pairs{
      cumprod = {1}, cummax = {0}, cummin = {-1}, isinf = {}, isfinite = {}, isclose = {t + 1, {atol = 1}},
      nan_to_num = {{nan = 1}}, norm = {{p = 1, dim = 0}}, median = {1, true}, quantile = {0.5, {dim = 1}},
      logsumexp = {1, {keepdim = true}}, softmax = {1, {dtype = "float32"}}, log_softmax = {0}, sign = {},
    } do loops.same_forms(name, t, table.unpack(arguments)) end
    for _, name in ipairs{"cummax", "cummin", "isinf", "isfinite", "isclose", "norm", "median", "quantile",
      "softmax"} do
      assert.is_nil(rawget(strew, name .. "_"), name)
    end
  end)

  it("are refused by the names of their arguments", function()
    local t, whole, refused = strew.tensor{{3.0, 1, 2}, {0, 5, 4}}, strew.tensor{1, 2}, loops.refused
    for _, name in ipairs{"cumprod", "cummax", "cummin", "median", "softmax", "log_softmax", "logsumexp"} do
      refused(name .. ": 'dim' is 2, out of range for 2 dimensions (valid -2..1)", strew[name], t, 2)
      refused(name .. ": 'dim' is 0.5, expected an integer", strew[name], t, 0.5)
    end
    refused("cumprod_: 'self' is bool, which does not hold a result of int64", strew.cumprod_, strew.tensor{true}, 0)
    refused("isclose: 'other' is int64, self is float32: dtypes must be equal", strew.isclose, t, whole)
    refused("isclose: 'rtol' is -1.0, tolerances are 0 or more", strew.isclose, t, t, -1.0)
    refused("isclose: 'atol' is -0.5, tolerances are 0 or more", strew.isclose, t, t, {atol = -0.5})
    refused("nan_to_num_: 'posinf' is 1e+39, which float32 cannot hold: the number is too large", strew.nan_to_num_,
      strew.tensor{inf}, 0, 1e39)
    refused("reciprocal_: 'self' is int64, which does not hold a result of float32", strew.reciprocal_, whole)
    refused("nan_to_num: 'nan' is \"x\", expected a number", strew.nan_to_num, t, "x")
    refused("norm: 'self' is int64, expected a float dtype", strew.norm, whole)
    refused("norm: 'p' is nan, expected a number", strew.norm, t, nan)
    refused("norm: 'dim' is 2, out of range for 2 dimensions (valid -2..1)", strew.norm, t, 2, 2)
    refused("median: 'self' is bool, median takes integers and floats", strew.median, strew.tensor{true})
    refused("median: 'self' has no elements, expected at least 1", strew.median, strew.zeros(0, {dtype = "int64"}))
    refused("median: 'self' has size 0 along dim 1, expected at least 1", strew.median, strew.zeros(3, 0), 1)
    refused("quantile: 'self' is int64, expected a float dtype", strew.quantile, whole, 0.5)
    refused("quantile: 'self' has no elements, expected at least 1", strew.quantile, strew.zeros(0), 0.5)
    refused("quantile: 'q' is 1.5, expected a number from 0 to 1", strew.quantile, t, 1.5)
    refused("quantile: 'q' is -0.5, expected a number from 0 to 1", strew.quantile, t, strew.tensor(-0.5))
    refused("quantile: 'q' has value nan at [1], expected numbers from 0 to 1",
      strew.quantile, t, strew.tensor{0.5, nan})
    refused("quantile: 'q' is int64, self is float32: dtypes must be equal", strew.quantile, t, strew.tensor{0})
    refused("quantile: 'q' is true, expected a number or a tensor", strew.quantile, t, true)
    refused("quantile: 'q' has 2 dimensions, expected 0 or 1", strew.quantile, t, t)
    refused('quantile: \'interpolation\' is "median", expected one of linear, lower, higher, midpoint, nearest, '
      .. "inverted_cdf",
      strew.quantile, t, 0.5, {interpolation = "median"})
    refused("quantile: 'dim' is -3, out of range for 2 dimensions (valid -2..1)", strew.quantile, t, 0.5, -3)
    refused("softmax: 'self' is int64, expected a float dtype", strew.softmax, whole, 0)
    refused("log_softmax: 'dtype' is int8, expected a float dtype", strew.log_softmax, t, 0, {dtype = "int8"})
    for _, device in ipairs(strew.devices()) do
      local elsewhere = t:to(device.name)
      if elsewhere.device ~= t.device then
        local fact = ("is on %s, all operands must be on one device"):format(device.name)
        refused("quantile: 'q' " .. fact, strew.quantile, t, elsewhere[0])
        refused("isclose: 'other' " .. fact, strew.isclose, t, elsewhere)
        refused("repeat_interleave: 'repeats' " .. fact, strew.repeat_interleave, t, elsewhere[0], 1)
        refused("outer: 'other' " .. fact, strew.outer, t[0], elsewhere[0])
      end
    end
  end)
end)
