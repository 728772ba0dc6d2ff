-- coordinates.lua: rows of an index as coordinates of a tensor's elements or parts (ONNX's ScatterND and GatherND).
local strew, fail, use = ...
local operands, places = use "operands.lua", use "places.lua"

-- Returns the index's shape without its last size, which is the number of coordinates, and that number.
local function split(self, indices, most, whose)
  if indices:dim() == 0 then
    fail("indices", "has no dimension, expected at least 1: the last one holds the coordinates", nil, "shape")
  end
  indices = places.check_index(self, indices, "indices")
  local shape = indices.shape
  local count = table.remove(shape)
  if count > most then
    fail("indices", ("has shape %s: rows of %d coordinates, but %s %d dimension%s"):format(
      operands.text(indices.shape), count, whose, most, most == 1 and "" or "s"), nil, "shape")
  end
  return indices, shape, count
end

-- Returns the row-major positions of the coordinates in `sizes`, which are target's from dimension `first` on, in one
-- dimension; the mode to use them with; and where(position) for places.call.
local function positions_of(target, indices, shape, count, sizes, mode, first, owner)
  local n, list = operands.product(shape, 1, #shape), {}
  local function where_in(d)
    return function(position)
      local at = position and places.coordinates(position[1], shape)
      if at then table.insert(at, d - 1) end
      return at, ("dim %d of %s"):format(first + d - 1, owner)
    end
  end
  for d = 1, count do list[d] = indices:select(-1, d - 1):reshape(n) end
  if count == 0 then return strew.zeros(n, {dtype = "int64", device = indices.device}) end
  if not (first == 0 and places.is_checked_later(list, target, mode)) then
    for d = 1, count do places.check_range(list[d], sizes[d], mode, "indices", where_in(d)) end
  end
  local positions, use_mode = places.linear(list, sizes, mode)
  return positions, use_mode, where_in(1)
end

-- Writes updates to self, in place or not.
local function write(self, indices, updates, reduce, mode, ending, owner)
  operands.check_values(self, updates, "updates")
  local sizes = self.shape
  local index, shape, count = split(self, indices, #sizes, owner .. " has")
  local expected = table.move(sizes, count + 1, #sizes, #shape + 1, {table.unpack(shape)})
  operands.check_shape(updates, expected, "updates")
  if ending == "_" then
    places.check_overlap(self, updates, "updates")
    places.check_overlap(self, indices, "indices")
  end
  local positions, use_mode, where = positions_of(self, index, shape, count, sizes, mode, 0, owner)
  return places.write(self, ending, count, positions, updates, expected, {mode = use_mode, reduce = reduce},
    {src = "updates", index = "indices"}, where)
end

local function scatter_nd(self, indices, updates, mode, reduce, ending)
  return write(self, indices, updates, reduce, mode, ending, "self")
end

local function scatter_nd_new(indices, updates, shape, mode, reduce)
  local zeros = strew.zeros(shape, {dtype = updates.dtype, device = updates.device})
  return write(zeros, indices, updates, reduce or "sum", mode, "_", "shape")
end

local function gather_nd(self, indices, batch_dims, mode)
  local sizes, batches = self.shape, batch_dims or 0
  local most = math.min(#sizes, indices:dim() - 1)
  if batches < 0 or batches > most then
    fail("batch_dims", ("is %d, out of range (valid 0..%d)"):format(batches, math.max(most, 0)), nil, "shape", batches)
  end
  local index, shape, count = split(self, indices, #sizes - batches,
    batches > 0 and "after batch_dims self has" or "self has")
  for d = 1, batches do
    if shape[d] ~= sizes[d] then
      fail("indices", ("has size %d in dim %d, self has %d: batch dimensions must be equal"):format(shape[d], d - 1,
        sizes[d]), nil, "shape")
    end
  end
  local total = table.move(sizes, batches + count + 1, #sizes, #shape + 1, {table.unpack(shape)})
  local inner = table.move(sizes, batches + 1, batches + count, 1, {})
  local positions, use_mode, where = positions_of(self, index, shape, count, inner, mode, batches, "self")
  if batches > 0 then -- each batch has its own elements
    local many, size = operands.product(sizes, 1, batches), operands.product(inner, 1, count)
    local apart = positions:to("int64"):view(many, operands.product(shape, batches + 1, #shape))
    local start = strew.arange(many, {device = self.device}):mul(size):view(many, 1)
    local joined = apart + start
    positions = (use_mode == "drop" and strew.where(apart:lt(0), -1, joined) or joined):view(positions:numel())
  end
  return places.read(self, batches + count, positions, use_mode, {index = "indices"}, where):view(total)
end

return {
  scatter_nd = {"self:tensor indices:tensor updates:tensor mode=mode reduce=reduce", scatter_nd,
                "indices:tensor updates:tensor shape:integers mode=mode reduce=reduce", scatter_nd_new},
  gather_nd = {"self:tensor indices:tensor batch_dims=integer mode=mode", gather_nd},
}
