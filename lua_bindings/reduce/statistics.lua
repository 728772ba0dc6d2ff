-- statistics.lua: norms, medians and other elements by rank, logarithms of sums of exponentials, covariances, and
-- lines through points.
local strew, fail, use, inner = ...
local operands, errors, times = use "operands.lua", use "errors.lua", use "times.lua"
local computed, single = operands.computed, operands.single

-- Sums of powers outside these bounds overflow or lose digits.
local LEAST <const> = {float32 = 2.0 ^ -100, float64 = 2.0 ^ -900}
local MOST <const> = {float32 = 2.0 ^ 127, float64 = 2.0 ^ 1023}
local LOWER <const> = {interpolation = "lower"}

local function powers_of(self, p, dim, keepdim)
  if p == 2 and not dim and not keepdim and self.device == "cpu" and self:is_contiguous() then
    local line = self:dim() == 1 and self or self:view(-1)
    return line:dot(line)
  end
  local n = self:numel()
  if p == 2 and n >= operands.MANY then return operands.bound("x * x", {x = self}, n):sum(dim, keepdim) end
  return (p == 2 and self * self or self:abs():pow_(p)):sum(dim, keepdim)
end

local function root_of(powers, p) return p == 2 and powers:sqrt_() or powers:pow_(1 / p) end

-- True if all elements are within the bounds, which NaN is not.
local function are_within(t, least, most)
  local one = single(t)
  if one then return one >= least and one <= most end
  return t:numel() == 0 or t:amin():item() >= least and t:amax():item() <= most
end

-- The norm by powers. Elements are divided by the largest one of their line if the powers may be wrong.
local function power_norm(self, dtype, p, dim, keepdim)
  local powers = powers_of(self, p, dim, keepdim)
  if are_within(powers, LEAST[dtype], MOST[dtype]) or self:numel() == 0 then return root_of(powers, p) end
  local largest = self:abs():amax(dim, true)
  largest:masked_fill_(largest:eq(0) | largest:isfinite():logical_not(), 1)
  return root_of(powers_of(self / largest, p, dim, true), p):mul_(largest):reshape(powers.shape)
end

-- dtype: that of self
local function norm_of(self, dtype, p, dim, keepdim)
  if p == math.huge then return self:abs():amax(dim, keepdim) end
  -- a norm of nothing by a negative power has no value, as an extreme of nothing
  if p == -math.huge or p < 0 and self:numel() == 0 then return self:abs():amin(dim, keepdim) end
  if p == 0 then return self:ne(0):sum(dim, keepdim):to(dtype) end
  if p == 1 then return self:abs():sum(dim, keepdim) end
  return power_norm(self, dtype, p, dim, keepdim)
end

-- Returns the lower medians along dim, with keepdim, and their positions.
local function medians(self, dim)
  local n = self:size(dim)
  if n == 0 then fail("self", format("has size 0 along dim %d, expected at least 1", dim), nil, "shape") end
  local values, positions = self:sort(dim)
  local middle = (n - 1) // 2
  if not operands.is_float(self) and not times.is(self) then
    return values:narrow(dim, middle, 1):clone(), positions:narrow(dim, middle, 1):clone()
  end
  -- NaN and NaT come last. The first of them is the result.
  local nans = self:ne(self):sum(dim, true)
  local at = strew.where(nans:gt(0), n - nans, middle)
  return values:gather(dim, at), positions:gather(dim, at)
end

-------------------------------------------------------------------------------------------------------- by rank

-- Returns self with at least one dimension of at least one element along dim.
local function check_line(self, dim)
  local line = operands.line(self)
  if line:size(dim) == 0 then
    fail("self", format("has size 0 along dim %d, expected at least 1", dim), nil, "shape")
  end
  return line
end

-- Returns values and positions of size 1 along dim as a script gets them.
local function chosen(self, dim, keepdim, values, positions)
  if self:dim() == 0 then return values:reshape({}), positions:reshape({}) end
  if keepdim then return values, positions end
  return values:squeeze(dim), positions:squeeze(dim)
end

-- Returns the number of each element's position along dim.
local function places(t, dim)
  local shape = {}
  for d = 1, t:dim() do shape[d] = 1 end
  shape[dim % t:dim() + 1] = t:size(dim)
  return strew.arange(t:size(dim), {device = t.device}):view(shape)
end

-- Returns the most frequent value of each line, the smallest of several, and its last position.
local function modes(line, dim)
  local values, order = line:sort(dim)
  local n, at = line:size(dim), places(line, dim)
  -- the first position of each run of equal values, as far as it has come
  local is_new = values:narrow(dim, 1, n - 1):ne(values:narrow(dim, 0, n - 1))
  local starts = (at:narrow(dim, 1, n - 1) * is_new):cummax(dim)
  local first = strew.zeros(values:narrow(dim, 0, 1).shape, {dtype = "int64", device = line.device})
  local ends = (at - strew.cat({first, starts}, dim)):argmax(dim, true)
  return values:gather(dim, ends), order:gather(dim, ends)
end

---------------------------------------------------------------------------------------------------- covariances

local function floats(t)
  if t.dtype == "text" then fail("self", "is text, expected numbers", nil, "dtype") end
  return operands.is_float(t) and t or t:to("float32")
end

-- Returns floats with another number in place of NaN.
local function without_nan(t, number)
  if inner.is_recorded(t) then fail("skip_nan", "is true, which has no gradient here") end
  return t:masked_fill(t:ne(t), number)
end

-- Returns weights of the columns of x: fweights times aweights, as x's dtype; nil: there are none.
local function weights_of(x, fweights, aweights)
  local function check(w, name)
    if not w then return end
    operands.check_device(x, w, name)
    operands.check_shape(w, {x:size(1)}, name)
    operands.check_none(w:lt(0), w, name, "0 or more")
  end
  check(fweights, "fweights")
  check(aweights, "aweights")
  if fweights and operands.is_float(fweights) then
    fail("fweights", format("is %s, expected integers: counts of columns", fweights.dtype),
      "aweights takes floats", "dtype")
  end
  local w = fweights and aweights and fweights * aweights or fweights or aweights
  return w and w:to(x.dtype)
end

local function covariance(self, correction, fweights, aweights)
  operands.check_rank(self, "self", 0, 2, "at most 2", "a row is a variable")
  local x = computed(floats(self))
  x = x:dim() < 2 and x:reshape(1, -1) or x
  local w = weights_of(x, fweights, aweights)
  local count = w and w:sum() or x:size(1)
  local mean = w and (x * w):sum(1, true) / count or x:mean(1, true)
  local divisor = count - correction
  if w and aweights and correction ~= 0 then divisor = count - (w * aweights:to(x.dtype)):sum() / count * correction end
  divisor = w and divisor:clamp(0) or math.max(divisor, 0)
  local inputs, n = {x = x, mean = mean, w = w}, x:numel() -- the mean of what is left of the rounded mean:
  inputs.rest = w and operands.bound("(x - mean) * w", inputs, n):sum(1, true) / count
    or operands.bound("x - mean", inputs, n):mean(1, true)
  local centered = operands.compute("x - mean - rest", inputs)
  local c = centered:matmul((w and centered * w or centered):t()) / divisor
  return (c:numel() == 1 and c:reshape({}) or c):to(floats(self).dtype)
end

------------------------------------------------------------------------------------------------------------- lines

-- The line through two points at x, from the first one; where infinities leave NaN, from the second one, or what both
-- have.
local SLOPE <const> = "(y1 - y0) / where(x1 == x0, 1, x1 - x0)"
local LINE <const> = SLOPE .. " * (x - x0) + y0"
local LINES = string.gsub(
  "where(x == x0, y0, where(isnan(A), where(isnan(B) and y0 == y1, y0, B), A))",
  "%u", {A = "(" .. LINE .. ")", B = "(" .. SLOPE .. " * (x - x1) + y1)"})

return {
  kthvalue = {"self:tensor k:integer dim?dim keepdim?boolean", function(self, k, dim, keepdim)
    dim = dim or -1
    local line = check_line(self, dim)
    if k < 1 or k > line:size(dim) then
      fail("k", format("is %d, expected 1..%d: the size of dim %d", k, line:size(dim), dim), "1 is the smallest",
        "value", k)
    end
    local values, positions = line:topk(k, dim, false)
    return chosen(self, dim, keepdim, values:narrow(dim, k - 1, 1), positions:narrow(dim, k - 1, 1))
  end},

  mode = {"self:tensor dim?dim keepdim?boolean", function(self, dim, keepdim)
    dim = dim or -1
    return chosen(self, dim, keepdim, modes(check_line(self, dim), dim))
  end},

  percentile = {"self:tensor q:numbers dim?dim keepdim?boolean interpolation=word",
    function(self, q, dim, keepdim, interpolation)
      q = operands.quantiles(self, q)
      if operands.is_tensor(q) then
        operands.check_none((q:ge(0) & q:le(100)):logical_not(), q, "q", "0 to 100")
        if not operands.is_float(q) then q = q:to(floats(self).dtype) end
      elseif type(q) ~= "number" or not (q >= 0 and q <= 100) then
        fail("q", format("is %s, expected 0 to 100", inner.text(q)), nil, "value")
      end
      return self:quantile(q / 100, {dim = dim, keepdim = keepdim, interpolation = interpolation})
    end},

  cov = {"self:tensor correction=integer fweights=tensor aweights=tensor", function(self, correction, ...)
    return covariance(self, correction or 1, ...)
  end},

  corrcoef = {"self:tensor", function(self)
    local dtype = floats(self).dtype
    local c = covariance(computed(floats(self)), 1)
    if c:dim() == 0 then return (c / c):to(dtype) end
    local deviations = c:diagonal():sqrt()
    return (c / deviations:unsqueeze(1) / deviations):clamp(-1, 1):to(dtype)
  end},

  interp = {"self:several xp:several fp:tensor left=number right=number", function(self, xp, fp, left, right)
    if times.is(self) or times.is(xp) or times.is(fp) then
      return times.interp(self, xp, fp, {left = left, right = right})
    end
    if not operands.is_tensor(self) then errors.own("self", "self", nil, strew.clone, self) end -- fails
    if not operands.is_tensor(xp) then errors.own("self", "xp", nil, strew.clone, xp) end
    operands.check_rank(xp, "xp", 1, 1, "1")
    if xp:numel() == 0 then fail("xp", "is empty, expected at least one point", nil, "shape") end
    operands.check_shape(fp, xp.shape, "fp")
    operands.check_device(self, xp, "xp")
    operands.check_device(self, fp, "fp")
    local n = xp:numel()
    local dtype = strew.result_type(self, xp, fp)
    if not string.find(dtype, "float", 1, true) then dtype = "float32" end
    local x, xs, ys = self:to(dtype), xp:to(dtype), fp:to(dtype)
    operands.check_ascending(xs, "xp", "local sorted, order = xp:sort(); then fp[order]")
    local below, above = x:lt(xs:select(0, 0)), x:gt(xs:select(0, n - 1))
    local inside = strew.where(below | above, xs:select(0, 0), x) -- gradients of the others are 0, not NaN
    local at = (xs:searchsorted(inside, {right = true}) - 1):clamp(0, n - 1)
    local after = (at + 1):clamp(0, n - 1)
    local x0, y0 = xs:take(at), ys:take(at)
    local out = operands.compute(ys:isfinite():all():item() and LINE or LINES,
      {x = inside, x0 = x0, y0 = y0, x1 = xs:take(after), y1 = ys:take(after)})
    out = errors.own("a", "left", nil, strew.where, below, left or ys:select(0, 0), out)
    out = errors.own("a", "right", nil, strew.where, above, right or ys:select(0, n - 1), out)
    return strew.where(x:isnan(), x, out)
  end},

  trapz = {"self:tensor x?tensor dx=number dim=dim", function(self, x, dx, dim)
    dim = dim or -1
    operands.check_rank(self, "self", 1, math.huge, "at least 1")
    if x and dx then fail("dx", "cannot be combined with 'x'") end
    self = floats(self)
    local n = self:size(dim)
    if n == 0 then return self:sum(dim) / 1 end
    local inputs = {a = self:narrow(dim, 0, n - 1), b = self:narrow(dim, 1, n - 1), d = dx or 1}
    if not x then return operands.bound("(a + b) * d", inputs, self:numel()):sum(dim) / 2 end
    operands.check_device(self, x, "x")
    if x:dim() ~= 1 then operands.check_shape(x, self.shape, "x") end
    if x:size(x:dim() == 1 and 0 or dim) ~= n then
      fail("x", format("has %d elements, expected %d, the size of dim %d of self", x:numel(), n, dim), nil, "shape")
    end
    inputs.d = x:diff(1, x:dim() == 1 and 0 or dim)
    if x:dim() == 1 then
      local shape = {}
      for d = 1, self:dim() do shape[d] = 1 end
      shape[dim % self:dim() + 1] = n - 1
      inputs.d = inputs.d:reshape(shape)
    end
    return operands.bound("(a + b) * d", inputs, self:numel()):sum(dim) / 2
  end},

  logcumsumexp = {"self:tensor dim:dim", function(self, dim)
    operands.check_float(self, "self")
    local line = operands.line(computed(self))
    line:size(dim) -- raises an error if it is out of range
    local adding = strew.reduction{init = -math.huge, combine = "logaddexp(acc, x)", finish = "acc", dtype = line.dtype}
    return line:scan(adding, dim):reshape(self.shape):to(self.dtype)
  end},

  norm = {"self:tensor p?number dim?dims keepdim?boolean skip_nan=boolean", function(self, p, dim, keepdim, skip_nan)
    local dtype <const>, wide <const> = operands.check_float(self, "self")
    if p ~= p then fail("p", "is nan, expected a number", nil, "value") end
    if skip_nan then self = without_nan(self, (p or 2) < 0 and math.huge or 0) end
    local out = norm_of(wide == dtype and self or self:to(wide), wide, p or 2, dim, keepdim)
    return wide == dtype and out or out:to(dtype)
  end},

  median = {"self:tensor dim?dim keepdim?boolean skip_nan=boolean", function(self, dim, keepdim, skip_nan)
    if skip_nan then return self:nanmedian(dim, keepdim) end
    local dtype <const>, n <const> = self.dtype, self:numel()
    -- a quantile is selected; the ranks of more elements are not exact in float32
    if not dim and n > 0 and n <= 2 ^ 24 and operands.is_float(dtype) then
      return self:quantile(0.5, nil, keepdim, LOWER)
    end
    if dtype == "bool" or dtype == "text" then
      fail("self", format("is %s, median takes integers and floats", dtype),
        dtype == "bool" and 'self:to("uint8")' or nil, "dtype")
    end
    if dim then
      local line = operands.line(self)
      local values, positions = medians(line, dim)
      if self:dim() == 0 then return values:view({}), positions:view({}) end
      if keepdim then return values, positions end
      return values:squeeze(dim), positions:squeeze(dim)
    end
    local value
    if n == 0 and (dtype == "time" or operands.is_float(dtype)) then
      value = strew.full({1}, dtype == "time" and "NaT" or 0 / 0, {dtype = dtype, device = self.device})
    elseif n == 0 then
      fail("self", "has no elements, expected at least 1", nil, "shape")
    else
      value = medians(self:reshape(-1), 0)
    end
    local ones = {}
    for d = 1, keepdim and self:dim() or 0 do ones[d] = 1 end
    return value:view(ones)
  end},

  logsumexp = {"self:tensor dim?dims keepdim?boolean skip_nan=boolean", function(self, dim, keepdim, skip_nan)
    local own = floats(self)
    if skip_nan then own = without_nan(own, -math.huge) end
    local x, n, powers = computed(own), self:numel(), nil
    -- The largest element is subtracted first, so that none overflows.
    if n == 0 then return x:exp():sum(dim, keepdim):log_():to(own.dtype) end
    local largest = x:amax(dim, true)
    local one = single(largest)
    if not one then
      largest:masked_fill_(largest:abs():eq(math.huge), 0)
    elseif math.abs(one) == math.huge then
      one = largest:zero_():item()
    end
    if n >= operands.MANY then powers = operands.bound("exp(x - largest)", {x = x, largest = largest}, n) end
    local sums = (powers or (x - largest):exp_()):sum(dim, keepdim):log_()
    return operands.as(sums:add_(one or largest:view(sums.shape)), own.dtype)
  end},
}
