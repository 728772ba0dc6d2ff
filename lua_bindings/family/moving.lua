-- moving.lua: elements in another order, and differences between neighbours.
local strew, fail = ...

-- Moves the elements along dim; those that leave at one end enter at the other.
local function rolled(self, dim, shift)
  local n = self:size(dim)
  local first = n > 0 and (n - shift % n) % n or 0
  if first == 0 then return self end
  return strew.cat({self:narrow(dim, first, n - first), self:narrow(dim, 0, first)}, dim)
end

local function list(value) return type(value) == "table" and value or {value} end

local function all_dims(t)
  local dims = {}
  for dim = 1, t:dim() do dims[dim] = dim - 1 end
  return dims
end

return {
  roll = {"self:tensor shifts:integers dims?dims", function(self, shifts, dims)
    shifts, dims = list(shifts), list(dims)
    if #shifts ~= math.max(#dims, 1) then
      fail("shifts", ("has %d %s, expected %d"):format(#shifts, #shifts == 1 and "entry" or "entries",
        math.max(#dims, 1)), #dims == 0 and "name as many dimensions in 'dims'" or nil, "shape")
    end
    local line = #dims == 0 and self:reshape(-1) or self
    local out = line
    if #dims == 0 then dims = {0} end
    for i, dim in ipairs(dims) do out = rolled(out, dim, shifts[i]) end
    return (out == line and out:clone() or out):view(self.shape)
  end},

  flip = {"self:tensor dims*", function(self, dims)
    local out, is_flipped = self, {}
    for _, dim in ipairs(dims or all_dims(self)) do
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
