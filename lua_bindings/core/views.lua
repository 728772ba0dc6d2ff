-- views.lua: a part of a tensor (a slice, a diagonal) replaced; dimensions in another order; products of all pairs.
local strew, fail, use = ...
local operands, errors = use "operands.lua", use "errors.lua"

-- Returns the number of a dimension from 0; of rank 0, 0 may be named.
local function dimension(rank, dim, name)
  local count = math.max(rank, 1)
  if dim < -count or dim >= count then
    fail(name, format("is %d, out of range for %d dimension%s (valid %d..%d)",
      dim, rank, rank == 1 and "" or "s", -count, count - 1), nil, "shape", dim)
  end
  return dim < 0 and dim + count or dim
end

-- Returns self, or its copy, with src written into the part of it that view(t) shows.
local function replace(self, src, ending, view)
  operands.check_values(self, src, "src", true)
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
    fail("step", format("is %d, expected 1 or more", step), nil, "argument", step) -- slice makes a copy then
  end
  return replace(self, src, ending, function(t) return t:slice(dim or 0, start, stop, step) end)
end

local function diagonal_scatter(self, src, offset, dim1, dim2, ending)
  return replace(self, src, ending, function(t) return t:diagonal(offset, dim1, dim2) end)
end

-- Moves dimensions to other places; the others keep their order.
local function movedim(self, source, destination)
  local rank, order, is_moved = self:dim(), {}, {}
  source = type(source) == "table" and source or {source}
  destination = type(destination) == "table" and destination or {destination}
  if #source ~= #destination then
    fail("destination", format("names %d dimension%s, source %d", #destination, #destination == 1 and "" or "s",
      #source), nil, "shape")
  end
  for i = 1, #source do
    local from, to = dimension(rank, source[i], "source"), dimension(rank, destination[i], "destination")
    if is_moved[from] then fail("source", format("names dimension %d twice", from), nil, "shape") end
    if order[to + 1] then fail("destination", format("names dimension %d twice", to), nil, "shape") end
    is_moved[from], order[to + 1] = true, from
  end
  local next_free = 1
  for from = 0, rank - 1 do
    while not is_moved[from] and order[next_free] do next_free = next_free + 1 end
    if not is_moved[from] then order[next_free] = from end
  end
  return self:permute(rank > 0 and order or {})
end

return {
  outer = {"self:tensor other:tensor", function(self, other)
    operands.check_rank(self, "self", 1, 1, "1", "self:flatten()")
    operands.check_rank(other, "other", 1, 1, "1", "other:flatten()")
    return self:unsqueeze(1):mul(other)
  end},

  diag = {"self:tensor diagonal?integer", function(self, offset)
    offset = offset or 0
    if self:dim() == 2 then return self:diagonal(offset):clone() end
    operands.check_rank(self, "self", 1, 1, "1 or 2")
    local size = self:numel() + math.abs(offset) -- wraps; abs keeps mininteger
    if size < 0 then fail("diagonal", format("is %d, the size of the result overflows", offset), nil, "shape") end
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
  select_scatter = {"self:tensor src:tensor dim:dim position:integer", select_scatter},
  slice_scatter = {"self:tensor src:tensor dim?dim start?integer stop?integer step?integer", slice_scatter},
  diagonal_scatter = {"self:tensor src:tensor offset?integer dim1?dim dim2?dim", diagonal_scatter},
}
