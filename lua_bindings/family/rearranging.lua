-- rearranging.lua: elements in another order, differences between neighbours, copies of a tensor, or of its elements,
-- one after the other, and elements around a tensor.
local strew, fail, use, inner = ...
local operands = use "operands.lua"
local product = operands.product

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

-- Returns a copy with as many dimensions as there are counts, each repeated as a whole.
local function tiled(self, counts, name)
  local sizes, is_copy = self.shape, false
  for i, count in ipairs(counts) do
    if count < 0 then fail(name, ("has value %d at [%d], expected 0 or more"):format(count, i), nil, "shape") end
  end
  for _ = 1, #counts - #sizes do table.insert(sizes, 1, 1) end
  local out = self:reshape(sizes)
  for d = #counts, 1, -1 do
    local count, size = counts[d], sizes[d]
    if count ~= 1 then
      local before, after = product(sizes, 1, d - 1), product(sizes, d, #sizes)
      if size > 0 and count > math.maxinteger // size then
        fail(name, ("has value %d at [%d], the size of the result overflows"):format(count, d), nil, "shape")
      end
      sizes[d] = size * count
      out = out:reshape(before, 1, after):expand(before, count, after):reshape(sizes):contiguous()
      is_copy = true
    end
  end
  return is_copy and out or out:clone()
end

-- Returns each position i as often as counts[i] says; the script calls the counts `name`.
local function positions(counts, name)
  operands.check_index(counts, name)
  local n, options = counts:numel(), {dtype = "int64", device = counts.device}
  if n == 0 then return strew.zeros(0, options) end
  local least, at = counts:min(0)
  if least:item() < 0 then
    fail(name, ("has value %d at [%d], expected 0 or more"):format(least:item(), at:item()), nil, "value")
  end
  if counts:max():item() > math.maxinteger // n then fail(name, "adds up to more than int64 can hold") end
  local ends = counts:cumsum(0)
  -- Each start is marked in the result; the number of marks so far is the position.
  local marks = strew.zeros(ends:narrow(0, n - 1, 1):item(), options)
  marks:scatter_add_(0, ends:narrow(0, 0, n - 1), strew.ones(1, options):expand(n - 1), {mode = "drop"})
  return marks:cumsum_(0)
end

-- Returns the number that repeats is, or nil if it is a tensor of other than one count.
local function number_of(repeats)
  if operands.is_tensor(repeats) then return nil end
  local count = type(repeats) == "number" and math.tointeger(repeats)
  if not count then
    fail("repeats", ("is %s, expected an integer or a tensor of integers"):format(inner.text(repeats)))
  end
  if count < 0 then fail("repeats", ("is %d, expected 0 or more"):format(count), nil, "value") end
  return count
end

-- Returns a copy in which each position along dim occurs `count` times.
local function stretched(self, dim, count)
  local sizes = self.shape
  local d = (dim < 0 and dim + #sizes or dim) + 1
  local before, n, after = product(sizes, 1, d - 1), sizes[d], product(sizes, d + 1, #sizes)
  if n > 0 and count > math.maxinteger // n then
    fail("repeats", ("is %d, the size of the result overflows"):format(count), nil, "shape")
  end
  sizes[d] = n * count
  if count == 1 then return self:clone():view(sizes) end
  return self:reshape(before, n, 1, after):expand(before, n, count, after):reshape(sizes):contiguous()
end

-- Positions in a line of n elements, of which `before` precede and `after` follow, by the word of pad.
local fillings = {
  circular = function(at, n) return at % n end,
  replicate = function(at, n) return at:clamp(0, n - 1) end,
  reflect = function(at, n) return (n - 1) - ((n - 1) - at:abs()):abs() end,
}
local function padded_positions(self, dim, before, after, mode)
  local n = self:size(dim)
  local most = mode == "circular" and n or mode == "reflect" and n - 1 or n == 0 and 0 or math.maxinteger
  for _, count in ipairs{before, after} do
    if count > most then
      fail("pad", ("has value %d for dim %d of size %d, %s takes at most %d"):format(count, dim, n, mode, most), nil,
        "shape", count)
    end
  end
  return fillings[mode](strew.arange(-before, n + after, {device = self.device}), n)
end

-- Returns, for the dimensions that pad names, the last one first, {dim, before, after}.
local function padded_dims(self, pad)
  local rank, dims = self:dim(), {}
  if #pad % 2 == 1 or #pad > 2 * rank then
    fail("pad", ("has %d entries, expected two for each of the last dimensions, at most %d"):format(#pad, 2 * rank),
      "{left, right, top, bottom} for the last two", "shape")
  end
  for k = 1, #pad, 2 do
    local dim, before, after = rank - (k + 1) // 2, pad[k], pad[k + 1]
    local n = self:size(dim)
    if before > math.maxinteger - n or after > math.maxinteger - n - math.max(before, 0) then
      fail("pad", ("has value %d, the size of the result overflows"):format(math.max(before, after)), nil, "shape")
    end
    if n + before + after < 0 or before < -n or after < -n then
      fail("pad", ("removes %d and %d elements of dim %d, of size %d"):format(math.max(-before, 0),
        math.max(-after, 0), dim, n), nil, "shape")
    end
    dims[(k + 1) // 2] = {dim, before, after}
  end
  return dims
end

-- Returns the part of t that a negative pad leaves.
local function cropped(t, dims)
  for _, entry in ipairs(dims) do
    local dim, before, after = entry[1], math.max(-entry[2], 0), math.max(-entry[3], 0)
    if before + after > 0 then t = t:narrow(dim, before, t:size(dim) - before - after) end
  end
  return t
end

-- Returns `count` elements along dim beside t.
local function filled(t, dim, count, value)
  local sizes = t.shape
  sizes[dim + 1] = count
  return strew.full(sizes, value or 0, {dtype = t.dtype, device = t.device})
end

local function check_output_size(wanted, is)
  if wanted and wanted ~= is then
    fail("output_size", ("is %d, the repeats add up to %d"):format(wanted, is), nil, "shape")
  end
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

  rot90 = {"self:tensor k?integer dims?dims", function(self, k, dims)
    dims = dims or {0, 1}
    operands.check_rank(self, "self", 2, math.huge, "at least 2")
    if type(dims) ~= "table" or #dims ~= 2 then
      fail("dims", ("names %d dimension%s, expected 2"):format(#list(dims), #list(dims) == 1 and "" or "s"), nil,
        "shape")
    end
    local first, second = dims[1], dims[2]
    for _, dim in ipairs(dims) do
      if dim < -self:dim() or dim >= self:dim() then
        fail("dims", ("names dimension %d, expected %d..%d"):format(dim, -self:dim(), self:dim() - 1), nil, "shape")
      end
    end
    if first % self:dim() == second % self:dim() then
      fail("dims", ("names dimension %d twice"):format(first % self:dim()), nil, "shape")
    end
    k = (k or 1) % 4
    if k == 0 then return self:clone() end
    if k == 2 then return self:flip(dims) end
    return k == 1 and self:flip(second):transpose(first, second) or self:transpose(first, second):flip(second)
  end},

  pad = {"self:tensor pad:integers mode?word value?scalar", function(self, pad, mode, value)
    mode = mode or "constant"
    local dims = padded_dims(self, list(pad))
    if mode ~= "constant" and not fillings[mode] then
      fail("mode", ('is "%s", expected "constant", "reflect", "replicate" or "circular"'):format(mode), nil, "value")
    end
    if mode ~= "constant" and value ~= nil then fail("value", ("is given, but mode is %s"):format(mode)) end
    local out, is_new = cropped(self, dims), false
    for _, entry in ipairs(dims) do
      local dim, before, after = entry[1], math.max(entry[2], 0), math.max(entry[3], 0)
      if before + after > 0 then
        local function part(count) return filled(out, dim, count, value) end
        out = mode == "constant" and strew.cat({part(before), out, part(after)}, dim)
          or out:index_select(dim, padded_positions(out, dim, before, after, mode))
        is_new = true
      end
    end
    return is_new and out or out:clone()
  end},

  slice = {"self:tensor dim:dim start?integer stop?integer step:integer", function(self, dim, start, stop, step)
    local n = self:size(dim)
    if step == 0 then fail("step", "is 0, expected another integer", nil, "argument", 0) end
    local function clamped(at, default)
      if not at then return default end
      return math.max(-1, math.min(at < 0 and at + n or at, n - 1))
    end
    start, stop = clamped(start, n - 1), clamped(stop, -1)
    if start <= stop then return self:narrow(dim, 0, 0):clone() end
    return self:index_select(dim, strew.arange(start, stop, step, {device = self.device}))
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

  ["repeat"] = {"self:tensor repeats*", function(self, repeats)
    repeats = repeats or {}
    if #repeats < self:dim() then
      fail("repeats", ("has %d %s, expected at least self's %d dimensions"):format(#repeats,
        #repeats == 1 and "entry" or "entries", self:dim()), "tile takes fewer", "shape")
    end
    return tiled(self, repeats, "repeats")
  end},

  tile = {"self:tensor dims*", function(self, dims)
    if not dims then fail("dims", "is missing, expected counts") end
    local counts = {table.unpack(dims)}
    for _ = 1, self:dim() - #dims do table.insert(counts, 1, 1) end
    return tiled(self, counts, "dims")
  end},

  repeat_interleave = {"self:tensor repeats?operand dim?dim output_size=integer",
    function(self, repeats, dim, output_size)
      if repeats == nil then
        if dim then fail("dim", "is given without 'repeats'") end
        operands.check_rank(self, "self", 1, 1, "1")
        local at = positions(self, "self")
        check_output_size(output_size, at:numel())
        return at
      end
      local line = (not dim or self:dim() == 0) and self:reshape(-1) or self
      dim = dim or 0
      local n, count = line:size(dim), number_of(repeats)
      if not count then operands.check_rank(repeats, "repeats", 0, 1, "0 or 1") end
      if not count and repeats:numel() ~= 1 and repeats:numel() ~= n then
        fail("repeats", ("has %d values, expected 1 or %d, the size of dim %d of self"):format(repeats:numel(), n, dim),
          nil, "shape")
      end
      if count then
        check_output_size(output_size, n * count)
        return stretched(line, dim, count)
      end
      operands.check_device(self, repeats, "repeats")
      local at = positions(repeats:reshape(-1):expand(n), "repeats")
      check_output_size(output_size, at:numel())
      return line:index_select(dim, at)
    end},
}
