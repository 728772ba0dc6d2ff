-- finite.lua: tests for infinities, and replacement of what is not finite.
local _, fail = ...

local largest = {float32 = 0x1.fffffep127, float64 = 0x1.fffffffffffffp1023, float16 = 65504.0,
                 bfloat16 = 0x1.fep127}

-- Raises an error if a replacement is out of the range of a float dtype; infinities are in it.
local function check_replacement(name, value, dtype)
  if value and math.abs(value) ~= math.huge and math.abs(value) > largest[dtype] then
    fail(name, ("is %s, which %s cannot hold"):format(value, dtype), nil, "value")
  end
end

return {
  isinf = {"self:tensor", function(self) return self:eq(math.huge) | self:eq(-math.huge) end},

  isfinite = {"self:tensor", function(self) return self:gt(-math.huge) & self:lt(math.huge) end},

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
