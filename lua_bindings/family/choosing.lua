-- choosing.lua: parts of a tensor selected by an index or a mask.
local _, fail = ...

-- Returns the shape to which two shapes broadcast, or nil.
local function broadcast(a, b)
  local sizes = {}
  for i = 1, math.max(#a, #b) do
    local x, y = a[#a - i + 1] or 1, b[#b - i + 1] or 1
    if x ~= y and x ~= 1 and y ~= 1 then return nil end
    table.insert(sizes, 1, x == 1 and y or x)
  end
  return sizes
end

return {
  index_select = {"self:tensor dim:dim index:tensor mode=mode", function(self, dim, index, mode)
    if index:dim() > 1 then
      fail("index", ("has %d dimensions, expected 0 or 1"):format(index:dim()), "index:flatten()", "shape")
    end
    local rank, line = self:dim(), self:dim() == 0 and self:view(1) or self
    local sizes = line.shape
    local at = dim < 0 and dim + #sizes or dim
    if not sizes[at + 1] then return self:size(dim) end -- raises the error, with the valid dimensions
    local index_shape = {}
    for d = 1, #sizes do index_shape[d] = 1 end
    index_shape[at + 1], sizes[at + 1] = index:numel(), index:numel()
    local out = line:gather(at, index:reshape(index_shape):expand(sizes), {mode = mode})
    return rank == 0 and index:dim() == 0 and out:view({}) or out
  end},

  masked_select = {"self:tensor mask:tensor", function(self, mask)
    if mask.dtype ~= "bool" then
      fail("mask", ("is %s, expected bool"):format(mask.dtype), "x:ne(0) makes a bool tensor", "dtype")
    end
    local sizes = broadcast(self.shape, mask.shape)
    if not sizes then
      fail("mask", ("has shape [%s], which does not broadcast with self's [%s]"):format(
        table.concat(mask.shape, ", "), table.concat(self.shape, ", ")), nil, "shape")
    end
    local positions = mask:expand(sizes):flatten():nonzero():squeeze(1)
    return self:expand(sizes):flatten():gather(0, positions)
  end},
}
