-- choosing.lua: parts of a tensor selected by an index or a mask.
local strew, fail, use = ...
local places = use "places.lua"

return {
  index_select = {"self:tensor dim:dim index:tensor mode=mode", function(self, dim, index, mode)
    local line, at, wide, where = places.along(self, dim, index, mode)
    local out = places.call({}, where, strew.gather, line, at, wide, {mode = mode})
    return self:dim() == 0 and index:dim() == 0 and out:view({}) or out
  end},

  masked_select = {"self:tensor mask:tensor", function(self, mask)
    if mask.dtype ~= "bool" then
      fail("mask", ("is %s, expected bool"):format(mask.dtype), "x:ne(0) makes a bool tensor", "dtype")
    end
    local sizes = places.broadcast(self.shape, mask.shape)
    if not sizes then
      fail("mask", ("has shape %s, which does not broadcast with self's %s"):format(
        places.text(mask.shape), places.text(self.shape)), nil, "shape")
    end
    local positions = mask:expand(sizes):flatten():nonzero():squeeze(1)
    return self:expand(sizes):flatten():gather(0, positions)
  end},
}
