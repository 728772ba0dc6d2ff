-- views.lua: a part of a tensor (a slice, a diagonal) viewed or replaced.
local _, fail, use = ...
local operands, errors = use "operands.lua", use "errors.lua"

-- Returns the number of a dimension from 0.
local function dimension(rank, dim, name)
  if dim < -rank or dim >= rank then
    fail(name, ("is %d, out of range for %d dimension%s (valid %d..%d)"):format(
      dim, rank, rank == 1 and "" or "s", -rank, rank - 1), nil, "shape", dim)
  end
  return dim < 0 and dim + rank or dim
end

-- Returns self, or its copy, with src written into the part of it that view(t) shows.
local function replace(self, src, ending, view)
  operands.check_values(self, src, "src")
  operands.check_shape(src, errors.own(nil, nil, nil, view, self).shape, "src")
  if ending == "_" then errors.check_overlap(self, src) end
  local out = ending == "_" and self or self:clone()
  view(out):copy_(src)
  return out
end

local function select_scatter(self, src, dim, position, ending)
  return replace(self, src, ending, function(t) return t:select(dim, position) end)
end

local function slice_scatter(self, src, dim, start, stop, step, ending)
  return replace(self, src, ending, function(t) return t:slice(dim or 0, start, stop, step) end)
end

local function diagonal(self, offset, dim1, dim2)
  local rank = self:dim()
  operands.check_rank(self, "self", 2, math.huge, "at least 2")
  offset, dim1, dim2 = offset or 0, dimension(rank, dim1 or 0, "dim1"), dimension(rank, dim2 or 1, "dim2")
  if dim1 == dim2 then fail("dim2", ("is dimension %d, as dim1 is"):format(dim2), nil, "shape") end
  local sizes, strides = self.shape, table.pack(self:stride())
  local shift = offset < 0 and dim1 or dim2
  local left = sizes[shift + 1] - (offset < 0 and -offset or offset)
  local length = math.max(0, math.min(left, sizes[(shift == dim1 and dim2 or dim1) + 1]))
  if offset == math.mininteger then length = 0 end
  local shape, steps = {}, {}
  for d = 0, rank - 1 do
    if d ~= dim1 and d ~= dim2 then
      table.insert(shape, sizes[d + 1])
      table.insert(steps, strides[d + 1])
    end
  end
  table.insert(shape, length)
  table.insert(steps, strides[dim1 + 1] + strides[dim2 + 1])
  if operands.product(shape, 1, #shape) == 0 then return self:narrow(dim1, 0, 0):reshape(shape) end
  return self:narrow(shift, sizes[shift + 1] - left, left):as_strided(shape, steps)
end

local function diagonal_scatter(self, src, offset, dim1, dim2, ending)
  return replace(self, src, ending, function(t) return diagonal(t, offset, dim1, dim2) end)
end

return {
  select_scatter = {"self:tensor src:tensor dim:dim position:integer", select_scatter},
  slice_scatter = {"self:tensor src:tensor dim?dim start?integer stop?integer step?integer", slice_scatter},
  diagonal = {"self:tensor offset?integer dim1?dim dim2?dim", diagonal},
  diagonal_scatter = {"self:tensor src:tensor offset?integer dim1?dim dim2?dim", diagonal_scatter},
}
