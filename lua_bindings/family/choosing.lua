-- choosing.lua: parts of a tensor selected by an index or a mask.
local strew, fail, use = ...
local operands, places = use "operands.lua", use "places.lua"

return {
  index_select = {"self:tensor dim:dim index:tensor mode=mode", function(self, dim, index, mode)
    local line, at, wide, where = places.along(self, dim, index, mode)
    local out = places.call({}, where, strew.gather, line, at, wide, {mode = mode})
    return self:dim() == 0 and index:dim() == 0 and out:view({}) or out
  end},

  masked_select = {"self:tensor mask:tensor", function(self, mask)
    operands.check_mask(mask)
    local sizes = operands.broadcast(self.shape, mask.shape)
    if not sizes then
      fail("mask", ("has shape %s, which does not broadcast with self's %s"):format(
        operands.text(mask.shape), operands.text(self.shape)), nil, "shape")
    end
    local positions = mask:expand(sizes):flatten():nonzero():squeeze(1)
    return self:expand(sizes):flatten():gather(0, positions)
  end},
}
