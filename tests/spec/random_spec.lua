-- Random numbers of distributions (random.lua): the first of a seed, moments and distribution functions, the
-- same on every thread count, errors.
-- devices: no, the digest has calls of each there, and thousands of numbers from kernels would take minutes.
local strew = require "strew"
local support = dofile "tests/spec/support.lua"
if support.lacks_float64 then
  return it("is left out", function() pending "needs float64, which the device lacks" end)
end

local N <const> = 40000
local function compiled(code) return assert(load("return " .. code, code, "t", {strew = strew})) end
local double = {dtype = "float64"}

-- The largest distance of the numbers' distribution from the one with that function, times sqrt(n): less than 1.63 in
-- 99 of 100 samples.
local function kolmogorov(numbers, distribution)
  local x = numbers:reshape(-1):to("float64"):sort(0)
  local n, f = x:numel(), distribution(x)
  local at = strew.arange(n):to("float64")
  return math.max((f - at / n):max():item(), ((at + 1) / n - f):max():item()) * math.sqrt(n)
end

local function near(expected, got, tolerance)
  assert.is_true(math.abs(expected - got) <= tolerance, ("%s, expected %s"):format(got, expected))
end

-- The sum of (observed - expected)^2 / expected of counts; its mean is the number of counts minus 1.
local function chi_square(counts, expected)
  local sum = 0
  for k, e in ipairs(expected) do sum = sum + (counts[k] - e) ^ 2 / e end
  return sum
end

local function moments(x, mean, variance)
  local wide = x:to("float64")
  near(mean, wide:mean():item(), 4 * math.sqrt(variance / x:numel()))
  near(1, wide:var():item() / variance, 0.05)
end

describe("random numbers", function()
  before_each(function() strew.manual_seed(11) end)

  it("of normal distributions", function()
    for _, dtype in ipairs{"float32", "float64"} do
      local x = strew.normal(3, 2, N, {dtype = dtype})
      moments(x, 3, 4)
      local function cdf(y) return ((y - 3) / (2 * math.sqrt(2))):neg():erfc() / 2 end
      assert.is_true(kolmogorov(x, cdf) < 1.63)
      assert.is_true(kolmogorov(x + 0.1, cdf) > 1.63) -- another distribution is noticed
    end
    local x = strew.normal(strew.tensor{-5.0, 5}:view(2, 1):expand(2, N), strew.tensor{{1.0}, {3}})
    moments(x[0], -5, 1)
    moments(x[1], 5, 9)
  end)

  it("of uniform distributions", function()
    local x = strew.uniform(-1, 3, N)
    moments(x, 1, 16 / 12)
    assert.is_true(kolmogorov(x, function(y) return (y + 1) / 4 end) < 1.63)
    assert.is_true(x:min():item() >= -1 and x:max():item() <= 3)
    assert.equal("float32[2] {2.0, 2.0}", support.text(strew.uniform(2, 2, 2)))
  end)

  it("of exponential distributions", function()
    for _, dtype in ipairs{"float32", "float64"} do
      local x = strew.exponential(2, N, {dtype = dtype})
      moments(x, 0.5, 0.25)
      assert.is_true(kolmogorov(x, function(y) return -(-y * 2):expm1() end) < 1.63)
      assert.is_true(x:min():item() >= 0)
    end
    moments(strew.exponential(strew.full({N}, 4.0)), 0.25, 1 / 16)
  end)

  it("of Bernoulli distributions", function()
    local x = strew.bernoulli(0.3, N)
    moments(x, 0.3, 0.21)
    assert.equal(N, (x:eq(0) | x:eq(1)):sum():item())
    assert.equal("float32[3] {0.0, 1.0, 0.0}", support.text(strew.tensor{0.0, 1, 0}:bernoulli()))
    assert.equal(N, strew.bernoulli(1, N):sum():item())
  end)

  it("of Poisson distributions", function()
    for _, rate in ipairs{0.3, 4, 9.99, 10, 12.5, 60, 5000} do
      local x = strew.poisson(rate, N, double)
      moments(x, rate, rate)
      -- each count within three deviations, by the distribution of Poisson, in logarithms
      local first = math.max(0, math.floor(rate - 3 * math.sqrt(rate)))
      local last, expected, logarithm = math.ceil(rate + 3 * math.sqrt(rate)), {}, -rate
      for k = 1, last do
        if k - 1 >= first and N * math.exp(logarithm) > 5 then expected[k - 1] = N * math.exp(logarithm) end
        logarithm = logarithm + math.log(rate) - math.log(k)
      end
      local counts, sum, many = x:to("int64"):bincount{minlength = last + 1}:tolist(), 0, 0
      for k, e in pairs(expected) do sum, many = sum + (counts[k + 1] - e) ^ 2 / e, many + 1 end
      assert.is_true(many > 1 and sum < many + 4 * math.sqrt(2 * many), ("rate %s: %s of %s"):format(rate, sum, many))
    end
    local mixed = strew.poisson(strew.tensor{0.5, 0, 200}:view(3, 1):expand(3, N))
    moments(mixed[0], 0.5, 0.5)
    assert.equal(0, mixed[1]:max():item())
    moments(mixed[2], 200, 200)
    moments(strew.poisson(1e12, N, double) - 1e12, 0, 1e12)
  end)

  it("of weights", function()
    local w = strew.tensor{1.0, 0, 3, 4}
    local counts = w:multinomial(N, true):bincount{minlength = 4}:tolist()
    assert.equal(0, counts[2])
    assert.is_true(chi_square({counts[1], counts[3], counts[4]}, {N / 8, N * 3 / 8, N / 2}) < 14)
    -- without replacement: the first by weight, the second by what is left
    local pairs_of = w:expand(N, 4):multinomial(2)
    local at = (pairs_of:select(1, 0) * 4 + pairs_of:select(1, 1)):bincount{minlength = 16}:tolist()
    local expected, got, total = {}, {}, {[0] = 1, [2] = 3, [3] = 4}
    for i, first in pairs(total) do
      for j, second in pairs(total) do
        if i ~= j then
          table.insert(expected, N * first / 8 * second / (8 - first))
          table.insert(got, at[i * 4 + j + 1])
        end
      end
    end
    assert.is_true(chi_square(got, expected) < 20)
    assert.equal("int64[2, 2] {{2, 2}, {0, 0}}",
      support.text(strew.tensor{{0.0, 0, 5}, {1e-30, 0, 0}}:multinomial(2, true)))
  end)

  it("of orders and choices", function()
    local orders, chosen = {}, {}
    for _ = 1, 3000 do
      local text = table.concat(strew.arange(3):shuffle():tolist(), "")
      orders[text] = (orders[text] or 0) + 1
      text = table.concat(strew.choice(3, 2, {replace = false}):tolist(), "")
      chosen[text] = (chosen[text] or 0) + 1
    end
    for _, list in ipairs{orders, chosen} do
      local counts, expected = {}, {}
      for _, count in pairs(list) do
        table.insert(counts, count)
        table.insert(expected, 500)
      end
      assert.equal(6, #counts)
      assert.is_true(chi_square(counts, expected) < 20)
    end
    local counts = strew.choice(4, N):bincount{minlength = 4}:tolist()
    assert.is_true(chi_square(counts, {N / 4, N / 4, N / 4, N / 4}) < 16)
    local t = strew.arange(12):view(4, 3)
    for _, dim in ipairs{0, 1, -1} do
      local shuffled = t:clone()
      assert.equal(shuffled, shuffled:shuffle_(dim))
      assert.is_true(strew.equal(t, (shuffled:sort(dim))))
      assert.is_true(strew.equal(t, (t:t():contiguous():t():shuffle(dim):sort(dim))))
    end
    local rows = t:choice(2, 3)
    assert.same({2, 3, 3}, rows.shape)
    assert.is_true(rows:unsqueeze(-2):eq(t):all(-1):any(-1):all():item())
    assert.equal("int64[3] {9, 9, 9}", support.text(strew.tensor{7, 9}:choice(3, {p = strew.tensor{0.0, 1}})))
  end)

  it("are these after a seed, on every number of threads", function()
    local rows = {
      {"strew.normal(10, 2, 3)", "float32[3] {11.250020980835, 7.0440473556519, 10.081554412842}"},
      {"strew.uniform(-1, 1, 3, {dtype = 'float64'})",
       "float64[3] {-0.86058597789799, 0.93145399959001, -0.68767165655865}"},
      {"strew.exponential(2, 3)", "float32[3] {0.72617894411087, 0.036127831786871, 2.0594236850739}"},
      {"strew.bernoulli(0.4, 6)", "float32[6] {0.0, 1.0, 0.0, 0.0, 1.0, 1.0}"},
      {"strew.poisson(4, 6)", "float32[6] {1.0, 8.0, 2.0, 2.0, 5.0, 2.0}"},
      {"strew.poisson(400, 4)", "float32[4] {363.0, 457.0, 377.0, 373.0}"},
      {"strew.tensor{1.0, 2, 3}:multinomial(6, true)", "int64[6] {2, 0, 2, 2, 1, 0}"},
      {"strew.tensor{1.0, 2, 3}:multinomial(3)", "int64[3] {1, 2, 0}"},
      {"strew.choice(9, 6)", "int64[6] {0, 8, 1, 1, 6, 1}"},
      {"strew.choice(9, 6, {replace = false})", "int64[6] {4, 6, 7, 1, 0, 3}"},
      {"strew.arange(6):shuffle()", "int64[6] {4, 1, 0, 3, 2, 5}"},
    }
    local threads = strew.get_num_threads()
    for _, row in ipairs(rows) do
      local f = compiled(row[1])
      strew.manual_seed(5)
      assert.equal(row[2], support.text(f()), row[1])
    end
    local large = {"strew.normal(10, 2, 300000)", "strew.exponential(2, 300000)", "strew.poisson(7, 300000)",
      "strew.poisson(70, 300000)", "strew.ones(300):multinomial(100000, true)", "strew.choice(9, 300000)",
      "strew.arange(300000):shuffle()"}
    for _, code in ipairs(large) do
      local f, first = compiled(code), nil
      for count = 1, 3 do
        strew.set_num_threads(count)
        strew.manual_seed(5)
        local x = f()
        first = first or x
        assert.is_true(strew.equal(first, x), code)
      end
    end
    strew.set_num_threads(threads)
  end)

  it("of no elements, and of every float dtype", function()
    for _, dtype in ipairs{"float32", "float64", "float16", "bfloat16"} do
      for _, code in ipairs{"normal(0, 1, 2", "uniform(0, 1, 2", "exponential(1, 2", "poisson(3, 2",
        "bernoulli(0.5, 2"} do
        local made = compiled(("strew.%s, {dtype = %q})"):format(code, dtype))()
        assert.equal(dtype, made.dtype)
        assert.same({2}, made.shape)
      end
      local rate = strew.full({2, 0}, 2, {dtype = dtype})
      for _, name in ipairs{"exponential", "poisson", "bernoulli"} do
        assert.equal(dtype .. "[2, 0] {{}, {}}", support.text(strew[name](name == "bernoulli" and rate * 0 or rate)))
      end
    end
    support.evaluate({
      {"strew.normal(5, 0)", "float32[] 5.0"}, {"strew.zeros(0):choice(0)", "float32[0] {}"},
      {"strew.zeros(0):shuffle()", "float32[0] {}"}, {"strew.tensor(3):shuffle()", "int64[] 3"},
      {"strew.choice(0, 0)", "int64[0] {}"}, {"strew.tensor{4}:choice()", "int64[] 4"},
      {"strew.poisson(0, 3, {dtype = 'int64'})", "int64[3] {0, 0, 0}"},
      {"strew.tensor{3, 5}:to('float32'):poisson().dtype", "float32"},
    }, {strew = strew})
  end)

  it("have gradients where rows are chosen", function()
    local t = strew.tensor{{1.0, 2}, {3, 4}}
    local g = strew.grad(function(x) return (x:shuffle() * x:choice(5):sum(0)):sum() end)(t)
    assert.same({2, 2}, g.shape)
    assert.is_true(strew.equal(strew.grad(function(x) return x:shuffle():sum() end)(t), strew.ones(2, 2)))
    assert.equal(10, strew.grad(function(x) return x:choice(5):sum() end)(t):sum():item())
  end)

  it("refuse parameters, and name value and place", function()
    support.fail({
      {"strew.normal(0, -1, 3)", "normal: 'std' is -1, expected 0 or more"},
      {"strew.normal(0, -t)", "normal: 'std' has value -1.0 at [0], expected 0 or more"},
      {"strew.normal(0 / 0, 1)", "normal: 'mean' is nan, expected a number"},
      {"strew.normal(true, 1)", "normal: 'mean' is true, expected a number or a tensor"},
      {"strew.normal(t, 1, 3)", "normal: 'shape' is given, but the parameters are tensors"},
      {"strew.normal(strew.ones(2), strew.ones(3))",
       "normal: 'std' has size 3 in dim 0 where the others have 2, sizes must be equal or 1"},
      {"strew.uniform(strew.ones(2), strew.ones(3))",
       "uniform: 'high' has size 3 in dim 0 where the others have 2, sizes must be equal or 1"},
      {"strew.normal(0, 1e39, 3)", "normal: 'std' is 1e+39, which float32 cannot hold: the number is too large"},
      {"strew.normal(1e39, 1, 3)", "normal: 'mean' is 1e+39, which float32 cannot hold: the number is too large"},
      {"strew.uniform(-3e38, 3e38, 3)",
       "uniform: 'high' minus low is 6e+38, which float32 cannot hold: the number is too large"},
      {"strew.exponential(1e39, 3)",
       "exponential: 'rate' is 1e+39, which float32 cannot hold: the number is too large"},
      {"strew.exponential(strew.tensor{true, false})", "exponential: 'rate' has value false at [1], expected above 0"},
      {"strew.normal(0, 1, -3)", "normal: 'shape' has size -3 in dimension 0, expected 0 or more"},
      {"strew.normal(0, 1, 3, {dtype = 'int8'})", "normal: 'dtype' is int8, expected a float dtype"},
      {"strew.uniform(5, 1, 4)", "uniform: 'high' is 1, less than low, which is 5"},
      {"strew.uniform(t, 1.5)", "uniform: 'high' has value 1.5 at [1], expected low or more"},
      {"strew.uniform(0, 1 / 0)", "uniform: 'high' is inf, expected a finite number"},
      {"strew.bernoulli(1.5, 2)", "bernoulli: 'p' is 1.5, expected a probability, 0 to 1"},
      {"(t / 2):bernoulli()", "bernoulli: 'p' has value 1.5 at [2], expected a probability, 0 to 1"},
      {"strew.bernoulli(-t)", "bernoulli: 'p' has value -1.0 at [0], expected a probability, 0 to 1"},
      {"strew.exponential(0, 2)", "exponential: 'rate' is 0, expected above 0"},
      {"strew.exponential(t - 2)", "exponential: 'rate' has value -1.0 at [0], expected above 0"},
      {"strew.poisson(-1, 2)", "poisson: 'rate' is -1, expected 0 to 1e15"},
      {"(t * -1):poisson()", "poisson: 'rate' has value -1.0 at [0], expected 0 to 1e15"},
      {"(-t):multinomial(1)", "multinomial: 'self' has value -1.0 at [0], expected 0 or more, and finite"},
      {"strew.tensor{{1, 0}, {0, 0}}:multinomial(1)",
       "multinomial: 'self' has sum 0.0 at [1], expected above 0, and finite"},
      {"strew.zeros(0):multinomial(1)", "multinomial: 'self' has sum 0.0, expected above 0, and finite"},
      {"t:multinomial(4)",
       "multinomial: 'self' has number of positive weights 3, expected at least 4 to draw without replacement"},
      {"t:multinomial(0)", "multinomial: 'num_samples' is 0, expected at least 1"},
      {"t:view(1, 1, 3):multinomial(1)", "multinomial: 'self' has 3 dimensions, expected 1 or 2"},
      {"strew.zeros(0):choice(1)", "choice: 'self' has no elements to choose from"},
      {"strew.choice(0, 1)", "choice: 'self' is 0, expected at least 1"},
      {"strew.choice(1.5, 1)", "choice: 'self' is 1.5, expected a tensor or an integer"},
      {"t:choice(4, {replace = false})", "choice: 'shape' has 4 elements, more than the 3 to choose from"},
      {"t:choice(2, {p = -t})", "choice: 'p' has value -1.0 at [0], expected 0 or more, and finite"},
      {"t:choice(2, {p = t:narrow(0, 0, 2)})", "choice: 'p' has shape [2], expected [3]"},
      {"t:shuffle(1)", "shuffle: 'dim' is 1, out of range for 1 dimension (valid -1..0)"},
    }, {t = strew.tensor{1.0, 2, 3}, strew = strew}, function(message) return message:match "^[^\n]*" end)
  end)
end)
