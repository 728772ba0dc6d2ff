-- moving.lua: elements in another order, and differences between neighbours.
local strew, fail = ...

return {
  flip = {"self:tensor dims*", function(self, dims)
    local out, is_flipped = self, {}
    for _, dim in ipairs(dims) do
      local n, positive = self:size(dim), dim < 0 and dim + self:dim() or dim
      if is_flipped[positive] then fail("dims", ("names dimension %d twice"):format(positive), nil, "shape") end
      is_flipped[positive] = true
      out = out:index_select(dim, strew.arange(n - 1, -1, -1, {device = self.device}))
    end
    return out == self and self:clone() or out
  end},

  diff = {"self:tensor n?integer dim?dim", function(self, n, dim)
    dim = dim or -1
    if (n or 1) < 0 then fail("n", ("is %d, expected 0 or more"):format(n)) end
    if self:dim() == 0 then fail("self", "has no dimension, expected at least 1", nil, "shape") end
    self:size(dim) -- raises an error if it is out of range
    local out = n == 0 and self:clone() or self
    for _ = 1, n or 1 do
      local size = out:size(dim)
      if size == 0 then break end
      local after, before = out:narrow(dim, 1, size - 1), out:narrow(dim, 0, size - 1)
      out = out.dtype == "bool" and after:ne(before) or after - before
    end
    return out
  end},
}
