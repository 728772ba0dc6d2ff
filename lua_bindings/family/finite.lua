-- finite.lua: tests for infinities, comparison within a tolerance, and replacement of what is not finite.
local strew, fail = ...

local largest = {float32 = 0x1.fffffep127, float64 = 0x1.fffffffffffffp1023, float16 = 65504.0,
                 bfloat16 = 0x1.fep127}

-- The dtypes whose differences are computed in float64; those of the others fit float32.
local is_wide = {float64 = true, int64 = true, int32 = true}

-- Returns true where |a - b| <= atol + rtol * |b|, both of which are finite.
local function within(a, b, dtype, rtol, atol)
  a, b = a:to(dtype), b:to(dtype)
  local distance = (a - b):abs_()
  return distance:le(b:abs():mul_(rtol):add_(atol)) & distance:lt(math.huge)
end

local function check_tolerance(name, value)
  if value ~= value or value < 0 then fail(name, ("is %s, tolerances are 0 or more"):format(value), nil, "value") end
end

-- Raises an error if a replacement is out of the range of a float dtype; infinities are in it.
local function check_replacement(name, value, dtype)
  if value and math.abs(value) ~= math.huge and math.abs(value) > largest[dtype] then
    fail(name, ("is %s, which %s cannot hold"):format(value, dtype), nil, "value")
  end
end

return {
  isinf = {"self:tensor", function(self) return self:eq(math.huge) | self:eq(-math.huge) end},

  isfinite = {"self:tensor", function(self) return self:gt(-math.huge) & self:lt(math.huge) end},

  isclose = {"self:tensor other:tensor rtol?number atol?number equal_nan?boolean",
    function(self, other, rtol, atol, equal_nan)
      rtol, atol = rtol or 1e-5, atol or 1e-8
      if self.dtype ~= other.dtype then
        fail("other", ("is %s, self is %s: dtypes must be equal"):format(other.dtype, self.dtype),
          "other:to(self.dtype)", "dtype")
      end
      check_tolerance("rtol", rtol)
      check_tolerance("atol", atol)
      local near = self:eq(other)
      if rtol > 0 or atol > 0 then
        local a, b, dtype = self, other, is_wide[self.dtype] and "float64" or "float32"
        -- Distances of long integers need float64; without it copies on the CPU are compared, as in allclose.
        if dtype == "float64" and not pcall(strew.empty, 0, {dtype = dtype, device = self.device}) then
          a, b = a:to("cpu"), b:to("cpu")
        end
        near:logical_or_(within(a, b, dtype, rtol, atol):to(self.device))
      end
      if equal_nan then near:logical_or_(self:ne(self) & other:ne(other)) end
      return near
    end},

  nan_to_num = {"self:tensor nan?number posinf?number neginf?number", function(self, nan, posinf, neginf, suffix)
    local most = largest[self.dtype]
    if not most then return suffix == "_" and self or self:clone() end
    check_replacement("nan", nan, self.dtype)
    check_replacement("posinf", posinf, self.dtype)
    check_replacement("neginf", neginf, self.dtype)
    local above, below = self:eq(math.huge), self:eq(-math.huge)
    local out = self["masked_fill" .. suffix](self, self:ne(self), nan or 0)
    return out:masked_fill_(above, posinf or most):masked_fill_(below, neginf or -most)
  end},
}
