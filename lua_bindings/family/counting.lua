-- counting.lua: counts of values, and what is derived from one value each.
local strew, fail = ...

local function check_integers(name, t)
  if t.dtype ~= "int64" and t.dtype ~= "int32" then
    fail(name, ("is %s, expected int64 or int32"):format(t.dtype), name .. ':to("int64")', "dtype")
  end
end

return {
  bincount = {"self:tensor weights=tensor minlength=integer", function(self, weights, minlength)
    check_integers("self", self)
    if self:dim() ~= 1 then
      fail("self", ("has %d dimensions, expected 1"):format(self:dim()), "self:flatten()", "shape")
    end
    if minlength and minlength < 0 then fail("minlength", ("is %d, expected 0 or more"):format(minlength)) end
    local src = weights or strew.ones(1, {dtype = "int64", device = self.device}):expand(self:numel())
    local size = math.max(minlength or 0, self:numel() > 0 and self:max():item() + 1 or 0)
    return strew.scatter_sum(src, self, {dim_size = size})
  end},

  one_hot = {"self:tensor num_classes=integer", function(self, classes)
    check_integers("self", self)
    if not classes then
      if self:numel() == 0 then fail("num_classes", "is missing, and self is empty") end
      classes = self:max():item() + 1
    end
    local sizes = self.shape
    table.insert(sizes, classes)
    return strew.zeros(sizes, {dtype = "int64", device = self.device}):scatter_(-1, self:unsqueeze(-1), 1)
  end},

  isnan = {"self:tensor", function(self) return self:ne(self) end},
}
