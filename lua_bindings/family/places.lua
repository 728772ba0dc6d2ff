-- places.lua: values of an index as positions, for other files: their checks, and the errors of calls that use them.
local strew, fail, use = ...
local operands = use "operands.lua"
local last_error = strew.last_error
local places = {}

local is_of_arguments = {argument = true, shape = true, dtype = true, index = true, value = true, overlap = true,
                         device = true}

-- Calls f. An error in its arguments becomes one of the script's call: `names` maps the names of f's arguments to the
-- script's. where(position, hint) returns the value's position in the script's argument, and optionally what the index
-- addresses ("dim 1 of self") and another hint (false: none).
function places.call(names, where, f, ...)
  local ok, result = pcall(f, ...)
  if ok then return result end
  local found = last_error()
  local is_found = found and is_of_arguments[found.code] and type(result) == "string" and
                   result:sub(-#found.message) == found.message
  if not is_found then error(result, 0) end
  local fact, hint, position = found.message:match("^[^\n]*"):gsub("^[^:]*: ", "", 1), found.hint, found.pos
  if found.arg then fact = fact:gsub("^'[^']*' ", "", 1) end
  for old, new in pairs(names) do
    local word = "%f[%w_]" .. old .. "%f[^%w_]"
    fact, hint = fact:gsub(word, new), hint and hint:gsub(word, new)
  end
  if where then
    local target, other
    position, target, other = where(position, hint)
    if other ~= nil then hint = other or nil end
    local place = position and #position > 0 and " at " .. operands.text(position) or ""
    if position then fact = fact:gsub(" at %[[%d, ]*%]", place, 1) end
    if target then fact = fact:gsub("dim %d+ of self", target, 1) end
  end
  fail(names[found.arg] or found.arg, fact, hint, found.code, found.value, position)
end

-- Returns the number of a dimension from 0.
function places.dimension(rank, dim, name)
  if dim < -rank or dim >= rank then
    fail(name, ("is %d, out of range for %d dimension%s (valid %d..%d)"):format(
      dim, rank, rank == 1 and "" or "s", -rank, rank - 1), nil, "shape", dim)
  end
  return dim < 0 and dim + rank or dim
end

-- Returns an index after checks of its dtype and device; an empty one may have any dtype.
function places.check_index(self, index, name)
  operands.check_device(self, index, name)
  if not operands.is_index(index) and index:numel() == 0 then return index:to("int64") end
  operands.check_index(index, name)
  return index
end

-- Raises an error if self, written in place, overlaps itself or shares elements with x (a number: none).
function places.check_overlap(self, x, name)
  local is_alike = strew.type(x) == "tensor" and x.dtype == self.dtype and x.device == self.device
  local nothing = strew.zeros(0, {dtype = "int64", device = self.device})
  places.call({src = name}, nil, strew.scatter_, self, 0, nothing, is_alike and x or 0)
end

-- Checks each value of an index as a position in a dimension of `size`, as the mode says.
function places.check_range(index, size, mode, name, where)
  local line = strew.zeros(1, {dtype = "bool", device = index.device}):expand(size)
  places.call({index = name}, where, strew.gather, line, 0, index:reshape(index:numel()), {mode = mode})
end

-- Returns self with at least one dimension, the number of the dimension, the index broadcast over the others, and
-- where(position) for places.call.
function places.along(self, dim, index, mode)
  if index:dim() > 1 then
    fail("index", ("has %d dimensions, expected 0 or 1"):format(index:dim()), "index:flatten()", "shape")
  end
  local line = operands.line(self)
  local sizes, lines = line.shape, {}
  local at = places.dimension(#sizes, dim, "dim")
  index = places.check_index(self, index, "index")
  local function where(position)
    return position and (index:dim() == 0 and {} or {position[at + 1] or position[1]}), ("dim %d of self"):format(at)
  end
  local size, n = sizes[at + 1], index:numel()
  for d = 1, #sizes do lines[d] = 1 end
  lines[at + 1], sizes[at + 1] = n, n
  local wide = index:reshape(lines):expand(sizes)
  if wide:numel() == 0 and n > 0 then places.check_range(index, size, mode, "index", where) end
  return line, at, wide, where
end

-- Returns the coordinates in `sizes` of a row-major position.
function places.coordinates(position, sizes)
  local at = {}
  for d = #sizes, 1, -1 do at[d], position = position % sizes[d], position // sizes[d] end
  return at
end

-- Returns row-major positions in a tensor of these sizes, of indices (one per dimension, which broadcast together, in
-- range but for what the mode allows), and the mode to use them with.
function places.linear(indices, sizes, mode)
  local total, valid
  if #indices == 1 and mode ~= "wrap" and mode ~= "clip" and mode ~= "drop" then return indices[1], mode end
  for d, index in ipairs(indices) do
    local n, at = sizes[d], index:to("int64")
    if mode == "wrap" then
      at = strew.where(at:lt(0), at + n, at)
    elseif mode == "clip" and at:numel() > 0 then
      at = at:clamp(0, n - 1)
    elseif mode == "drop" then
      local is_inside = at:ge(0):logical_and(at:lt(n))
      valid = valid and valid:logical_and(is_inside) or is_inside
    end
    total = total and total * n + at or at
  end
  return valid and strew.where(valid, total, -1) or total, valid and "drop" or nil
end

-- Returns true if the call that uses the only index checks it: all its values are read there, as they are.
function places.is_checked_later(indices, self, mode)
  return #indices == 1 and (mode or "error") == "error" and operands.product(self.shape, 2, self:dim()) > 0
end

-- Returns self's elements as a matrix of rows that its first `count` dimensions address, or as a vector if each row
-- is one element; and its shape.
local function rows_of(self, count, view)
  local sizes = self.shape
  local length, width = operands.product(sizes, 1, count), operands.product(sizes, count + 1, #sizes)
  local shape = width == 1 and {length} or {length, width}
  return view(self, shape), shape
end

-- Reads rows at positions (one dimension) of the first `count` dimensions.
function places.read(self, count, positions, mode, names, where)
  local rows, shape = rows_of(self, count, strew.reshape)
  if shape[2] then positions = positions:view(positions:numel(), 1):expand(positions:numel(), shape[2]) end
  return places.call(names, where, strew.gather, rows, 0, positions, {mode = mode})
end

-- Writes values (a number, or a tensor of the dtype that broadcasts to `value_shape`) to the rows at positions (one
-- dimension), in place or not as `ending` says; without reduce the last one stays.
function places.write(self, ending, count, positions, values, value_shape, options, names, where)
  local in_place = ending == "_" and self:is_contiguous()
  local rows, shape = rows_of(self, count, in_place and strew.view or strew.reshape)
  local n = positions:numel()
  local sizes = shape[2] and {n, shape[2]} or {n}
  if shape[2] then positions = positions:view(n, 1):expand(sizes) end
  if strew.type(values) == "tensor" then
    local is_one = values:numel() == 1
    values = is_one and values:reshape(1):expand(sizes) or values:expand(value_shape):reshape(sizes)
  end
  local scatter = in_place and strew.scatter_ or strew.scatter
  local out = places.call(names, where, scatter, rows, 0, positions, values, options)
  if in_place then return self end
  out = out:view(self.shape)
  return ending == "_" and self:copy_(out) or out
end

return places
