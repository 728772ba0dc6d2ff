-- statistics.lua: norms, medians, and logarithms of sums of exponentials.
local strew, fail, use = ...
local operands = use "operands.lua"
local computed = operands.computed

-- Sums of powers outside these bounds overflow or lose digits.
local LEAST = {float32 = 2.0 ^ -100, float64 = 2.0 ^ -900}
local MOST = {float32 = 2.0 ^ 127, float64 = 2.0 ^ 1023}

local function powers_of(self, p, dim, keepdim)
  local n = self:numel()
  if p == 2 and n >= operands.MANY then return operands.bound("x * x", {x = self}, n):sum(dim, keepdim) end
  return (p == 2 and self * self or self:abs():pow_(p)):sum(dim, keepdim)
end

local function root_of(powers, p) return p == 2 and powers:sqrt_() or powers:pow_(1 / p) end

-- The norm by powers. Elements are divided by the largest one of their line if the powers may be wrong.
local function power_norm(self, p, dim, keepdim)
  local powers = powers_of(self, p, dim, keepdim)
  local is_fine = self:numel() == 0 or (powers:ge(LEAST[self.dtype]) & powers:le(MOST[self.dtype])):all():item()
  if is_fine then return root_of(powers, p) end
  local largest = self:abs():amax(dim, true)
  largest:masked_fill_(largest:eq(0) | largest:isfinite():logical_not(), 1)
  return root_of(powers_of(self / largest, p, dim, true), p):mul_(largest):reshape(powers.shape)
end

local function norm_of(self, p, dim, keepdim)
  if p == math.huge then return self:abs():amax(dim, keepdim) end
  -- a norm of nothing by a negative power has no value, as an extreme of nothing
  if p == -math.huge or p < 0 and self:numel() == 0 then return self:abs():amin(dim, keepdim) end
  if p == 0 then return self:ne(0):sum(dim, keepdim) end
  if p == 1 then return self:abs():sum(dim, keepdim) end
  return power_norm(self, p, dim, keepdim)
end

-- Returns the lower medians along dim, with keepdim, and their positions.
local function medians(self, dim)
  local n = self:size(dim)
  if n == 0 then fail("self", ("has size 0 along dim %d, expected at least 1"):format(dim), nil, "shape") end
  local values, positions = self:sort(dim)
  local middle = (n - 1) // 2
  if not operands.is_float(self) then
    return values:narrow(dim, middle, 1):clone(), positions:narrow(dim, middle, 1):clone()
  end
  -- NaN come last. The first of them is the result.
  local nans = self:ne(self):sum(dim, true)
  local at = strew.where(nans:gt(0), n - nans, middle)
  return values:gather(dim, at), positions:gather(dim, at)
end

return {
  norm = {"self:tensor p?number dim?dims keepdim?boolean", function(self, p, dim, keepdim)
    operands.check_float(self, "self")
    if p ~= p then fail("p", "is nan, expected a number", nil, "value") end
    return norm_of(computed(self), p or 2, dim, keepdim):to(self.dtype)
  end},

  median = {"self:tensor dim?dim keepdim?boolean", function(self, dim, keepdim)
    if self.dtype == "bool" then
      fail("self", "is bool, median takes integers and floats", 'self:to("uint8")', "dtype")
    end
    if dim then
      local line = operands.line(self)
      local values, positions = medians(line, dim)
      if self:dim() == 0 then return values:view({}), positions:view({}) end
      if keepdim then return values, positions end
      return values:squeeze(dim), positions:squeeze(dim)
    end
    local value
    if self:numel() == 0 and operands.is_float(self) then
      value = strew.full({1}, 0 / 0, {dtype = self.dtype, device = self.device})
    elseif self:numel() == 0 then
      fail("self", "has no elements, expected at least 1", nil, "shape")
    else
      value = medians(self:reshape(-1), 0)
    end
    local ones = {}
    for d = 1, keepdim and self:dim() or 0 do ones[d] = 1 end
    return value:view(ones)
  end},

  logsumexp = {"self:tensor dim:dims keepdim?boolean", function(self, dim, keepdim)
    local is_float = operands.is_float(self)
    local dtype, x = is_float and self.dtype or "float32", computed(is_float and self or self:to("float32"))
    -- The largest element is subtracted first, so that none overflows.
    if x:numel() == 0 then return x:exp():sum(dim, keepdim):log_():to(dtype) end
    local largest = x:amax(dim, true)
    largest:masked_fill_(largest:abs():eq(math.huge), 0)
    local n, powers = x:numel(), nil
    if n >= operands.MANY then powers = operands.bound("exp(x - largest)", {x = x, largest = largest}, n) end
    local sums = (powers or (x - largest):exp_()):sum(dim, keepdim):log_()
    return sums:add_(largest:view(sums.shape)):to(dtype)
  end},
}
