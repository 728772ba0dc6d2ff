-- statistics.lua: norms, medians and quantiles.
local strew, fail, use = ...
local operands = use "operands.lua"
local computed, text = operands.computed, operands.number

local FLOAT32_EXACT = 1 << 24 -- the largest integer up to which float32 has all

local function check_float(self)
  if not operands.is_float(self) then
    fail("self", ("is %s, expected a float"):format(self.dtype), 'self:to("float32")', "dtype")
  end
end

local function norm_of(self, p, dim, keepdim)
  if p == math.huge then return self:abs():amax(dim, keepdim) end
  if p == -math.huge then return self:abs():amin(dim, keepdim) end
  if p == 0 then return self:ne(0):sum(dim, keepdim) end
  if p == 1 then return self:abs():sum(dim, keepdim) end
  if p == 2 then return (self * self):sum(dim, keepdim):sqrt_() end
  return self:abs():pow_(p):sum(dim, keepdim):pow_(1 / p)
end

-- Returns a view with a size of 1 along every dimension.
local function with_all_dims(value, rank)
  local ones = {}
  for d = 1, rank do ones[d] = 1 end
  return value:view(ones)
end

local function check_not_empty(n, dim)
  if n == 0 then fail("self", ("has size 0 along dim %d, expected at least 1"):format(dim), nil, "shape") end
end

-- Returns the lower medians along dim, with keepdim, and their positions.
local function medians(self, dim)
  local n = self:size(dim)
  check_not_empty(n, dim)
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

-- Returns q as a tensor of one dimension in self's dtype, each value of which lies in 0..1.
local function checked_q(q, self)
  if strew.type(q) ~= "tensor" then
    if type(q) ~= "number" then fail("q", ("is %s, expected a number or a tensor"):format(q)) end
    if not (q >= 0 and q <= 1) then fail("q", ("is %s, expected 0 to 1"):format(text(q)), nil, "value") end
    return strew.full({1}, q, {dtype = self.dtype, device = self.device})
  end
  if q:dim() > 1 then fail("q", ("has %d dimensions, expected 0 or 1"):format(q:dim()), nil, "shape") end
  if q.device ~= self.device then
    fail("q", ("is on %s, all operands must be on one device"):format(q.device), "q:to(self.device)", "device")
  end
  if q.dtype ~= self.dtype then
    fail("q", ("is %s, expected self's %s"):format(q.dtype, self.dtype), "q:to(self.dtype)", "dtype")
  end
  local bad = q:reshape(-1):ge(0):logical_and_(q:reshape(-1):le(1)):logical_not_():nonzero()
  if bad:numel() > 0 then
    local i = bad:get(0, 0)
    local value = q:reshape(-1):get(i)
    fail("q", q:dim() == 0 and ("is %s, expected 0 to 1"):format(text(value))
      or ("has value %s at [%d], expected 0 to 1"):format(text(value), i), nil, "value")
  end
  return q:reshape(-1)
end

-- The positions at which sorted elements are read, by the interpolation's name. Two are joined by a weight.
local round = {
  linear = function(ranks) return ranks:floor(), ranks:ceil(), ranks - ranks:floor() end,
  midpoint = function(ranks) return ranks:floor(), ranks:ceil(), strew.full({1}, 0.5, {device = ranks.device}) end,
  lower = function(ranks) return ranks:floor() end,
  higher = function(ranks) return ranks:ceil() end,
  nearest = function(ranks) return ranks:round() end,
}

-- Returns below + weight * (above - below), computed from the nearer end, or from the finite one. Equal ends are the
-- result.
local function between(below, above, weight)
  local distance = above - below
  local is_near = weight:lt(0.5) & below:ne(-math.huge) | above:eq(math.huge)
  local near = strew.where(is_near, below + weight * distance, above - distance * (1 - weight))
  return strew.where(below:eq(above), below, near)
end

-- Returns the quantiles of each row of a matrix: a row of them for each q.
local function quantiles(rows, q, interpolation)
  local last = rows:size(1) - 1
  local sorted = rows:sort(1)
  -- NaN come last: rows that have one are read there.
  local ranks = strew.where(rows:ne(rows):any(1, true), last, q * last)
  local below, above, weight = round[interpolation](ranks)
  local low = sorted:gather(1, below:to("int64"))
  return (above and between(low, sorted:gather(1, above:to("int64")), weight) or low):t()
end

return {
  norm = {"self:tensor p?number dim?dims keepdim?boolean", function(self, p, dim, keepdim)
    check_float(self)
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
    return with_all_dims(value, keepdim and self:dim() or 0)
  end},

  quantile = {"self:tensor q:operand dim?dim keepdim?boolean interpolation=word",
    function(self, q, dim, keepdim, interpolation)
      check_float(self)
      interpolation = interpolation or "linear"
      if not round[interpolation] then
        fail("interpolation", ('is "%s", expected linear, lower, higher, midpoint or nearest'):format(interpolation))
      end
      local values = computed(checked_q(q, self))
      local line = computed(dim and self:dim() > 0 and self or self:reshape(-1))
      local n = line:size(dim or 0)
      if self:numel() == 0 then fail("self", "has no elements, expected at least 1", nil, "shape") end
      if n > FLOAT32_EXACT and line.dtype == "float32" then
        fail("self", ("has size %d along the dimension, quantiles in float32 take up to %d"):format(n, FLOAT32_EXACT),
          'self:to("float64")', "shape")
      end
      local moved = dim and line:transpose(dim, -1) or line
      local out = quantiles(moved:reshape(-1, n), values, interpolation)
      local sizes, is_list = moved.shape, strew.type(q) == "tensor" and q:dim() == 1
      sizes[#sizes] = 1
      if is_list then table.insert(sizes, 1, values:numel()) end
      out = out:reshape(sizes)
      if dim then
        local positive = (dim < 0 and dim + line:dim() or dim) + (is_list and 1 or 0)
        out = out:transpose(positive, -1)
        if not keepdim or self:dim() == 0 then out = out:squeeze(positive) end
      else
        sizes = is_list and {values:numel()} or {}
        for _ = 1, keepdim and self:dim() or 0 do table.insert(sizes, 1) end
        out = out:reshape(sizes)
      end
      return out:to(self.dtype):contiguous()
    end},
}
