-- views.lua: a part of a tensor (a slice, a diagonal) viewed or replaced; dimensions in another order; triangles, and
-- products of all pairs.
local strew, fail, use = ...
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
  if step and step < 1 then
    fail("step", ("is %d, expected 1 or more"):format(step), nil, "argument", step) -- slice makes a copy then
  end
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

-- Moves dimensions to other places; the others keep their order.
local function movedim(self, source, destination)
  local rank, order, is_moved = self:dim(), {}, {}
  source = type(source) == "table" and source or {source}
  destination = type(destination) == "table" and destination or {destination}
  if #source ~= #destination then
    fail("destination", ("names %d dimension%s, source %d"):format(#destination, #destination == 1 and "" or "s",
      #source), nil, "shape")
  end
  for i = 1, #source do
    local from, to = dimension(rank, source[i], "source"), dimension(rank, destination[i], "destination")
    if is_moved[from] then fail("source", ("names dimension %d twice"):format(from), nil, "shape") end
    if order[to + 1] then fail("destination", ("names dimension %d twice"):format(to), nil, "shape") end
    is_moved[from], order[to + 1] = true, from
  end
  local next_free = 1
  for from = 0, rank - 1 do
    while not is_moved[from] and order[next_free] do next_free = next_free + 1 end
    if not is_moved[from] then order[next_free] = from end
  end
  return self:permute(order)
end

-- Returns the shape to which tensors broadcast.
local function common_shape(tensors)
  local shape = {}
  for k, t in ipairs(tensors) do
    local sizes = t.shape
    for _ = 1, #sizes - #shape do table.insert(shape, 1, 1) end
    for d, size in ipairs(sizes) do
      local at = #shape - #sizes + d
      if shape[at] == 1 then shape[at] = size end
      if size ~= 1 and size ~= shape[at] then
        fail("indices", ("has shape %s at [%d], which does not broadcast to %s"):format(operands.text(sizes), k,
          operands.text(shape)), nil, "shape")
      end
    end
  end
  return shape
end

-- The position of a value in the indices of gather_nd as one in an entry of a script's sequence.
local function of_entry(fact, hint)
  fact = fact:gsub("at %[(.-),? ?(%d+)%]", function(at, k)
    return ("%sin indices[%d]"):format(at == "" and "" or ("at [%s] "):format(at), k + 1)
  end)
  return fact, hint and not hint:find("mode", 1, true) and hint or nil
end

-- t[{i, j}]: a bool tensor stands for the positions of its true elements.
local function at_indices(self, indices)
  local lines = {}
  for k, i in ipairs(operands.tensors(indices, "indices")) do
    if operands.is_float(i) then
      fail("indices", ("is %s at [%d], expected integers or bools"):format(i.dtype, k), nil, "dtype")
    end
    local is_mask = i.dtype == "bool"
    if is_mask then
      local sizes = table.move(self.shape, #lines + 1, #lines + math.max(1, i:dim()), 1, {})
      operands.check_shape(i, sizes, ("indices[%d]"):format(k))
    end
    local at = is_mask and i:nonzero()
    for d = 0, at and i:dim() - 1 or 0 do table.insert(lines, at and at:select(1, d) or i:to("int64")) end
  end
  if #lines > self:dim() then
    fail("indices", ("names %d dimensions, self has %d"):format(#lines, self:dim()), nil, "shape")
  end
  local shape = common_shape(lines)
  for k, line in ipairs(lines) do lines[k] = line:expand(shape) end
  return errors.own("indices", "indices", of_entry, self.gather_nd, self, strew.stack(lines, -1))
end

-- Returns a matrix of the columns' numbers minus the rows' numbers, compared with a diagonal's by the method `compare`.
local function beside(self, offset, compare)
  operands.check_rank(self, "self", 2, math.huge, "at least 2")
  local rows, columns = self:size(-2), self:size(-1)
  local options = {dtype = "int64", device = self.device}
  offset = math.max(-rows - 1, math.min(columns + 1, offset or 0)) -- so that the sum cannot wrap
  local first = strew.arange(rows, options):add_(offset):unsqueeze(1)
  return strew.arange(columns, options)[compare](strew.arange(columns, options), first)
end

return {
  outer = {"self:tensor other:tensor", function(self, other)
    operands.check_rank(self, "self", 1, 1, "1", "self:flatten()")
    operands.check_rank(other, "other", 1, 1, "1", "other:flatten()")
    return self:unsqueeze(1):mul(other)
  end},

  tril = {"self:tensor diagonal?integer", function(self, offset, suffix)
    return self["masked_fill" .. suffix](self, beside(self, offset, "gt"), false)
  end},

  triu = {"self:tensor diagonal?integer", function(self, offset, suffix)
    return self["masked_fill" .. suffix](self, beside(self, offset, "lt"), false)
  end},

  diag = {"self:tensor diagonal?integer", function(self, offset)
    offset = offset or 0
    if self:dim() == 2 then return self:diagonal(offset):clone() end
    operands.check_rank(self, "self", 1, 1, "1 or 2")
    local size = self:numel() + math.abs(offset) -- wraps; abs keeps mininteger
    if size < 0 then fail("diagonal", ("is %d, the size of the result overflows"):format(offset), nil, "shape") end
    local out = strew.zeros({size, size}, {dtype = self.dtype, device = self.device})
    if self:numel() > 0 then out:diagonal(offset):copy_(self) end
    return out
  end},

  movedim = {"self:tensor source:dims destination:dims", movedim},
  moveaxis = {"self:tensor source:dims destination:dims", movedim},
  unstack = {"self:tensor dim?dim", function(self, dim)
    local views = {}
    for i = 1, self:size(dim or 0) do views[i] = self:select(dim or 0, i - 1) end
    return views
  end},
  ["t[i]"] = {"self:tensor position:any", function(self, indices) return at_indices(self, indices) end},
  select_scatter = {"self:tensor src:tensor dim:dim position:integer", select_scatter},
  slice_scatter = {"self:tensor src:tensor dim?dim start?integer stop?integer step?integer", slice_scatter},
  diagonal = {"self:tensor offset?integer dim1?dim dim2?dim", diagonal},
  diagonal_scatter = {"self:tensor src:tensor offset?integer dim1?dim dim2?dim", diagonal_scatter},
}
