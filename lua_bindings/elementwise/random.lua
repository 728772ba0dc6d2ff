-- random.lua: random numbers of other distributions, choices and orders, made of strew.rand, randn, randint and
-- randperm: the same numbers on every device and thread count.
local strew, fail, use, inner = ...
local operands, errors = use "operands.lua", use "errors.lua"

-- Raises an error unless the parameter x, a number or a tensor, is least..most; the method `compare` with least is ge,
-- or gt.
local function check(x, name, compare, least, most, expected)
  if operands.is_tensor(x) then
    return operands.check_none((x[compare](x, least) & x:le(most)):logical_not(), x, name, expected)
  end
  if type(x) ~= "number" then fail(name, format("is %s, expected a number or a tensor", inner.text(x))) end
  if not ((compare == "gt" and x > least or compare == "ge" and x >= least) and x <= most) then
    fail(name, format("is %s, expected %s", inner.text(x), expected), nil, "value", x)
  end
end

-- A parameter where the numbers are.
local function placed(x, options)
  return operands.is_tensor(x) and x:to(options.device) or x
end

-- Returns numbers changed by strew[operation] with a parameter, the script's argument `name`, or with what `of` says.
local function changed(numbers, operation, x, name, of)
  local function reword(fact, hint) return of and of .. " " .. fact or fact, hint end
  return errors.own("other", name, reword, strew[operation], numbers, x)
end

-- Returns the shape of numbers with parameters a and b, of which the last is called `name`, and the options of their
-- dtype and device: those of a and b if they are tensors.
local function made_for(a, b, name, shape, dtype, device)
  local tensor
  for _, x in ipairs{a, b} do
    if operands.is_tensor(x) then
      tensor = tensor and errors.own("other", name, nil, tensor.mul, tensor, placed(x, tensor)) or x
    end
  end
  if tensor and shape then
    fail("shape", "is given, but the parameters are tensors", name .. ":expand(shape)", "shape")
  end
  if not tensor then return shape or {}, {dtype = dtype or "float32", device = device} end
  local own = operands.is_float(tensor) and tensor.dtype or "float32"
  return tensor.shape, {dtype = dtype or own, device = device or tensor.device}
end

---------------------------------------------------------------------------------------------------------- poisson

-- Counts of rates below 10, by inversion: the number of partial sums of the distribution below a uniform number.
-- `rate`: the number that all rates are; nil: they differ.
local function few(rates, rate)
  local u, term, last = strew.rand(rates.shape, {dtype = "float64", device = "cpu"}), (-rates):exp(), 200
  if rate and rates:numel() > last then
    local sums, one = {}, term:select(0, 0):item()
    for k = 1, last do
      sums[k] = (sums[k - 1] or 0.0) + one
      one = one * rate / k
    end
    return strew.tensor(sums, {dtype = "float64", device = "cpu"}):searchsorted(u):to("float64")
  end
  local sum, counts = term, strew.zeros(rates.shape, {dtype = "float64", device = "cpu"})
  for k = 1, last do
    local more = u:gt(sum)
    if not more:any():item() then break end
    counts = counts + more
    term = term * rates / k
    sum = sum + term
  end
  return counts
end

-- The logarithm of k!, by Stirling's series for k + 9.
local FACTORIAL = [[(z - 0.5) * log(z) - z + 0.91893853320467274 + 1 / (12 * z) - 1 / (360 * z * z * z)
  - log((k + 1) * (k + 2) * (k + 3) * (k + 4) * (k + 5) * (k + 6) * (k + 7) * (k + 8))]]
local COUNT = "floor((2 * (0.02483 * b - 0.059) / (0.5 - abs(u)) + b) * u + rate + 0.43)"
local ACCEPTED = format([[(s >= 0.07 and v <= 0.9277 - 3.6224 / (b - 2)) or (k >= 0 and (s >= 0.013 or v <= s) and
  log(v * (1.1239 + 1.1328 / (b - 3.4)) / ((0.02483 * b - 0.059) / (s * s) + b)) <= k * log(rate) - rate - (%s))]],
  FACTORIAL)

-- Counts of rates from 10 on, by transformed rejection (Hoermann 1993, PTRS): of each round most are accepted.
local function many(rates)
  local options, n = {dtype = "float64", device = "cpu"}, rates:numel()
  local counts, left = strew.zeros(n, options), strew.arange(n, {device = "cpu"})
  while left:numel() > 0 do
    local rate = rates:take(left)
    local u, v = strew.rand(rate.shape, options) - 0.5, strew.rand(rate.shape, options)
    local b = rate:sqrt() * 2.53 + 0.931
    local k = operands.compute(COUNT, {u = u, b = b, rate = rate})
    local values = {s = 0.5 - u:abs(), v = v, b = b, rate = rate, k = k:clamp(0), z = k:clamp(0) + 9}
    local accepted = operands.compute(ACCEPTED, values) & k:ge(0)
    counts:put_(left[accepted], k[accepted])
    left = left[~accepted]
  end
  return counts
end

-------------------------------------------------------------------------------------------------------------- choices

-- Returns weights as floats, after a check that they are 0 or more and have a positive sum along the last dimension.
local function check_weights(weights, name)
  check(weights, name, "ge", 0, 0x1p1000, "0 or more, and finite")
  local w = operands.computed(operands.is_float(weights) and weights or weights:to("float32"))
  local sums = w:sum(-1)
  operands.check_none((sums:gt(0) & sums:lt(math.huge)):logical_not(), sums, name, "above 0, and finite", nil, "sum")
  return w
end

-- Returns `count` positions of each line of weights.
local function drawn(weights, count, replacement, name)
  local w, shape = check_weights(weights, name), weights.shape
  shape[#shape] = count
  local options = {dtype = w.dtype, device = w.device}
  if replacement then
    local sums = w:cumsum(-1)
    local total = sums:narrow(-1, w:size(-1) - 1, 1)
    local at = sums:searchsorted(strew.rand(shape, options) * total, {right = true})
    return at:minimum(sums:searchsorted(total:contiguous())) -- the last one of positive weight
  end
  local positive = w:gt(0):sum(-1)
  operands.check_none(positive:lt(count), positive, name, format("at least %d to draw without replacement", count),
    name == "p" and "{replace = true}" or "{replacement = true}", "number of positive weights")
  local times = -(-strew.rand(w.shape, options)):log1p() / w -- of an exponential race
  times = times:masked_fill(w:eq(0), math.huge)
  return select(2, times:topk(count, -1, false))
end

local function shuffled(self, dim, ending)
  dim = dim or 0
  if self:dim() == 0 then return ending == "_" and self or self:clone() end
  local out = self:index_select(dim, strew.randperm(self:size(dim), {device = self.device}))
  return ending == "_" and self:copy_(out) or out
end

return {
  normal = {"mean:operand std:operand shape* dtype=dtype device=device", function(mean, std, shape, dtype, device)
    check(mean, "mean", "ge", -math.huge, math.huge, "a number")
    check(std, "std", "ge", 0, math.huge, "0 or more")
    local sizes, options = made_for(mean, std, "std", shape, dtype, device)
    local scaled = changed(strew.randn(sizes, options), "mul", placed(std, options), "std")
    return changed(scaled, "add", placed(mean, options), "mean"):to(options.dtype)
  end},

  uniform = {"low:operand high:operand shape* dtype=dtype device=device", function(low, high, shape, dtype, device)
    check(low, "low", "gt", -math.huge, 0x1p1023, "a finite number")
    check(high, "high", "gt", -math.huge, 0x1p1023, "a finite number")
    local sizes, options = made_for(low, high, "high", shape, dtype, device)
    low, high = placed(low, options), placed(high, options)
    local width = high - low
    if not operands.is_tensor(width) then
      if width < 0 then
        fail("high", format("is %s, less than low, which is %s", inner.text(high), inner.text(low)), nil, "value", high)
      end
    else
      operands.check_none(width:lt(0), width * 0 + high, "high", "low or more")
    end
    local scaled = changed(strew.rand(sizes, options), "mul", width, "high", "minus low")
    return changed(scaled, "add", low, "low"):to(options.dtype)
  end},

  bernoulli = {"p:operand shape* dtype=dtype device=device", function(p, shape, dtype, device)
    check(p, "p", "ge", 0, 1, "a probability, 0 to 1")
    local sizes, options = made_for(p, nil, "p", shape, dtype, device)
    local own = operands.is_tensor(p) and p.dtype == "float64" and "float64" or "float32"
    return strew.rand(sizes, {dtype = own, device = options.device}):lt(placed(p, options)):to(options.dtype)
  end},

  exponential = {"rate:operand shape* dtype=dtype device=device", function(rate, shape, dtype, device)
    check(rate, "rate", "gt", 0, math.huge, "above 0")
    local sizes, options = made_for(rate, nil, "rate", shape, dtype, device)
    local own = string.find(options.dtype, "float16", 1, true) and "float32" or options.dtype
    local u = strew.rand(sizes, {dtype = own, device = options.device})
    return changed(-(-u):log1p(), "div", placed(rate, options), "rate"):to(options.dtype)
  end},

  poisson = {"rate:operand shape* dtype=dtype device=device", function(rate, shape, dtype, device)
    check(rate, "rate", "ge", 0, 1e15, "0 to 1e15")
    local sizes, options = made_for(rate, nil, "rate", shape, dtype, device)
    local number = not operands.is_tensor(rate) and rate or nil
    if number then rate = strew.tensor(rate, {dtype = "float64", device = "cpu"}) end
    local rates = rate:to("cpu"):to("float64"):expand(sizes):reshape(-1)
    local is_many = rates:ge(10)
    local counts
    if not is_many:any():item() then
      counts = few(rates, number)
    else
      counts = strew.zeros(rates.shape, {dtype = "float64", device = "cpu"})
      counts[~is_many] = few(rates[~is_many])
      counts[is_many] = many(rates[is_many])
    end
    return counts:view(sizes):to(options.dtype):to(options.device or strew.zeros(0).device)
  end},

  multinomial = {"self:tensor num_samples:integer replacement?boolean", function(self, count, replacement)
    operands.check_rank(self, "self", 1, 2, "1 or 2")
    if count < 1 then fail("num_samples", format("is %d, expected at least 1", count), nil, "value", count) end
    return drawn(self, count, replacement, "self")
  end},

  choice = {"self:operand shape* replace=boolean p=tensor", function(self, shape, replace, p)
    local is_tensor, n = operands.is_tensor(self), self
    if is_tensor then
      operands.check_rank(self, "self", 1, math.huge, "at least 1")
      n = self:size(0)
    end
    if math.type(n) ~= "integer" then
      fail("self", format("is %s, expected a tensor or an integer", inner.text(n)))
    end
    shape = shape or {}
    local count = operands.product(shape, 1, #shape)
    if n < 1 and count > 0 then
      local is = is_tensor and "has no elements to choose from" or format("is %d, expected at least 1", n)
      fail("self", is, nil, "value")
    end
    local options = {device = is_tensor and self.device or p and p.device or nil}
    local at
    if p then operands.check_shape(p, {n}, "p") end
    if p and is_tensor then operands.check_device(self, p, "p") end
    if p and count > 0 then
      at = drawn(p, count, replace ~= false, "p")
    elseif replace == false then
      if count > n then
        fail("shape", format("has %d elements, more than the %d to choose from", count, n), "{replace = true}",
          "shape")
      end
      at = strew.randperm(n, options):narrow(0, 0, count)
    else
      at = strew.randint(0, math.max(n, 1), {count}, options)
    end
    at = at:reshape(shape)
    return is_tensor and (#shape == 0 and self:select(0, at:item()):clone() or self[at]) or at
  end},

  shuffle = {"self:tensor dim?dim", shuffled},
}
