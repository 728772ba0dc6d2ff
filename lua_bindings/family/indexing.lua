-- indexing.lua: writes to the positions that an index names, along one dimension, in several or in row-major order.
local strew, fail, use = ...
local operands, places = use "operands.lua", use "places.lua"

---------------------------------------------------------------------------------------------------- one dimension

-- Returns source with the index's shape; its shape must be that one (one element: or [], as self may be).
local function source_of(self, source, wide)
  operands.check_values(self, source, "source")
  if wide:dim() == 1 and wide:numel() == 1 and source:dim() == 0 then return source:view(1) end
  operands.check_shape(source, wide.shape, "source")
  return source
end

-- Returns what the operation returns for `out`, made of `line`.
local function result_of(self, ending, out)
  return ending == "_" and self or out:view(self.shape)
end

-- Returns the factor alpha as an operand of self's dtype.
local function factor_of(self, alpha)
  local kind = self.dtype
  if strew.type(alpha) == "tensor" then fail("alpha", "is a tensor, expected a number") end
  if kind == "bool" then
    if alpha == 0 or alpha == 1 then return alpha == 1 end
    if type(alpha) == "boolean" then return alpha end
    fail("alpha", ("is %s, expected true or false"):format(alpha), nil, "argument", alpha)
  end
  if type(alpha) == "boolean" then fail("alpha", ("is %s, expected a number"):format(alpha)) end
  if kind:find("^b?float") then return alpha end
  local whole = math.tointeger(alpha)
  if not whole then fail("alpha", ("is %s, expected an integer for %s"):format(alpha, kind), nil, "argument", alpha) end
  return strew.tensor(whole, {dtype = "int64", device = self.device}):to(kind)
end

local NAMES = {src = "source"}

local function index_add(self, dim, index, source, alpha, mode, ending)
  local line, at, wide, where = places.along(self, dim, index, mode)
  source = source_of(self, source, wide)
  if alpha ~= nil and alpha ~= 1 then
    local factor = factor_of(self, alpha)
    if ending == "_" then places.check_overlap(line, source, "source") end
    source = places.call({other = "alpha", self = "source"}, nil, strew.mul, source, factor)
  end
  return result_of(self, ending,
    places.call(NAMES, where, strew["scatter_add" .. ending], line, at, wide, source, {mode = mode}))
end

local function index_copy(self, dim, index, source, mode, ending)
  local line, at, wide, where = places.along(self, dim, index, mode)
  source = source_of(self, source, wide)
  return result_of(self, ending,
    places.call(NAMES, where, strew["scatter" .. ending], line, at, wide, source, {mode = mode}))
end

local function index_reduce(self, dim, index, source, reduce, include_self, mode, ending)
  local line, at, wide, where = places.along(self, dim, index, mode)
  source = source_of(self, source, wide)
  return result_of(self, ending, places.call(NAMES, where, strew["scatter_reduce" .. ending], line, at, wide, source,
    reduce, {include_self = include_self, mode = mode}))
end

local function index_fill(self, dim, index, value, mode, ending)
  local line, at, wide, where = places.along(self, dim, index, mode)
  if strew.type(value) == "tensor" then
    if value:dim() > 0 then
      fail("value", ("has shape %s, expected a number or a tensor of rank 0"):format(operands.text(value.shape)), nil,
        "shape")
    end
    operands.check_values(self, value, "value")
    value = value:view(1):expand(wide.shape)
  end
  return result_of(self, ending,
    places.call({src = "value"}, where, strew["scatter" .. ending], line, at, wide, value, {mode = mode}))
end

------------------------------------------------------------------------------------------------ several dimensions

-- Returns the index tensors of `indices`, a row {index, entry, dim} each: a mask is replaced by the positions of its
-- true elements, one tensor per dimension.
local function rows_of(self, indices)
  local rows, sizes = {}, self.shape
  if #indices == 0 then fail("indices", "is empty, expected a sequence of tensors") end
  for entry = 1, #indices do
    local index = indices[entry]
    if strew.type(index) ~= "tensor" then
      local kind = index == nil and "nil" or "a " .. type(index)
      fail("indices", ("holds %s at [%d], expected a tensor"):format(kind, entry))
    end
    local name, count = ("indices[%d]"):format(entry), index.dtype == "bool" and index:dim() or 1
    if #rows + count > #sizes then
      fail("indices", ("address more than the %d dimension%s of self"):format(#sizes, #sizes == 1 and "" or "s"), nil,
        "shape")
    end
    if index.dtype == "bool" then
      operands.check_device(self, index, name)
      local expected = table.move(sizes, #rows + 1, #rows + count, 1, {})
      operands.check_shape(index, expected, name)
      if count == 0 then fail(name, "is a mask of rank 0, expected at least one dimension", nil, "shape") end
      local positions = index:nonzero()
      for d = 0, count - 1 do table.insert(rows, {index = positions:select(1, d), entry = entry, is_mask = true}) end
    else
      table.insert(rows, {index = places.check_index(self, index, name), entry = entry})
    end
  end
  for key in pairs(indices) do
    if math.type(key) ~= "integer" or key < 1 or key > #indices then
      fail("indices", ("has key %s, expected a sequence of tensors"):format(tostring(key)))
    end
  end
  return rows
end

local function index_put(self, indices, values, accumulate, mode, ending)
  local rows, sizes, shape = rows_of(self, indices), self.shape, {}
  for _, row in ipairs(rows) do
    local both = operands.broadcast(shape, row.index.shape)
    if not both then
      local fact = "has shape %s, which does not broadcast with %s, that of the others"
      fact = fact:format(operands.text(row.index.shape), operands.text(shape))
      fail(("indices[%d]"):format(row.entry), fact, nil, "shape")
    end
    shape = both
  end
  local value_shape = table.move(sizes, #rows + 1, #sizes, #shape + 1, {table.unpack(shape)})
  if strew.type(values) == "tensor" then
    operands.check_values(self, values, "values")
    if not operands.fits(values.shape, value_shape) then
      fail("values", ("has shape %s, which does not broadcast to %s"):format(
        operands.text(values.shape), operands.text(value_shape)), nil, "shape")
    end
  end
  local list = {}
  for d, row in ipairs(rows) do list[d] = row.index end
  local is_later, where = places.is_checked_later(list, self, mode), nil
  for d, row in ipairs(rows) do
    where = function(position)
      return position and places.coordinates(position[1], row.index.shape), ("dim %d of self"):format(d - 1)
    end
    if not row.is_mask and not is_later then
      places.check_range(row.index, sizes[d], mode, ("indices[%d]"):format(row.entry), where)
    end
  end
  if ending == "_" then
    places.check_overlap(self, values, "values")
    for entry = 1, #indices do places.check_overlap(self, indices[entry], ("indices[%d]"):format(entry)) end
  end
  local positions, use_mode = places.linear(list, sizes, mode)
  positions = positions:expand(shape):reshape(operands.product(shape, 1, #shape))
  return places.write(self, ending, #rows, positions, values, value_shape,
    {mode = use_mode, reduce = accumulate and "sum" or nil}, {src = "values", index = "indices[1]"}, where)
end

------------------------------------------------------------------------------------------------- row-major positions

-- Returns where(position) for an index of row-major positions.
local function flat(index)
  return function(position)
    return position and places.coordinates(position[1], index.shape), "the elements of self"
  end
end

local function take(self, index, mode)
  index = places.check_index(self, index, "index")
  local positions = index:reshape(index:numel())
  return places.read(self, self:dim(), positions, mode, {}, flat(index)):view(index.shape)
end

local function put(self, index, source, accumulate, mode, ending)
  operands.check_values(self, source, "source")
  index = places.check_index(self, index, "index")
  local n = index:numel()
  if source:numel() ~= n then
    fail("source", ("has %d element%s, expected as many as index, which has %d"):format(
      source:numel(), source:numel() == 1 and "" or "s", n), nil, "shape")
  end
  if ending == "_" then
    places.check_overlap(self, source, "source")
    places.check_overlap(self, index, "index")
  end
  return places.write(self, ending, self:dim(), index:reshape(n), source, source.shape,
    {mode = mode, reduce = accumulate and "sum" or nil}, NAMES, flat(index))
end

local function take_along_dim(self, index, dim, mode)
  if not dim then
    index = places.check_index(self, index, "index")
    return places.read(self, self:dim(), index:reshape(index:numel()), mode, {}, flat(index))
  end
  local rank = self:dim()
  if index:dim() ~= rank then
    fail("index", ("has %d dimension%s, self has %d"):format(index:dim(), index:dim() == 1 and "" or "s", rank), nil,
      "shape")
  end
  local line, at_line = self, places.check_index(self, index, "index")
  if rank == 0 then line, at_line = self:view(1), at_line:view(1) end
  local sizes, positions = line.shape, at_line.shape
  local at = places.dimension(#sizes, dim, "dim")
  local size, count = sizes[at + 1], positions[at + 1]
  sizes[at + 1], positions[at + 1] = 1, 1
  local wide = operands.broadcast(sizes, positions)
  if not wide then
    fail("index", ("has shape %s, which does not broadcast with self's %s but for dim %d"):format(
      operands.text(index.shape), operands.text(self.shape), at), nil, "shape")
  end
  local function where(position)
    return rank == 0 and {} or position
  end
  wide[at + 1] = size
  line = line:expand(wide)
  wide[at + 1] = count
  at_line = at_line:expand(wide)
  if at_line:numel() == 0 and index:numel() > 0 then
    places.check_range(index, size, mode, "index", function(position)
      return position and places.coordinates(position[1], index.shape), ("dim %d of self"):format(at)
    end)
  end
  local out = places.call({}, where, strew.gather, line, at, at_line, {mode = mode})
  return rank == 0 and out:view({}) or out
end

return {
  index_add = {"self:tensor dim:dim index:tensor source:tensor alpha=operand mode=mode", index_add},
  index_copy = {"self:tensor dim:dim index:tensor source:tensor mode=mode", index_copy},
  index_reduce = {"self:tensor dim:dim index:tensor source:tensor reduce:reduce include_self=boolean mode=mode",
                  index_reduce},
  index_fill = {"self:tensor dim:dim index:tensor value:operand mode=mode", index_fill},
  index_put = {"self:tensor indices:table values:operand accumulate=boolean mode=mode", index_put},
  take = {"self:tensor index:tensor mode=mode", take},
  put = {"self:tensor index:tensor source:tensor accumulate=boolean mode=mode", put},
  take_along_dim = {"self:tensor index:tensor dim?dim mode=mode", take_along_dim},
}
