-- rearranging.lua: elements in another order, differences between neighbours, and copies of a tensor, or of its
-- elements, one after the other.
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
