-- counting.lua: membership, counts, histograms, and positions as coordinates.
local strew, fail, use, inner = ...
local operands, errors, times = use "operands.lua", use "errors.lua", use "times.lua"

-- Raises an error unless the shape has sizes of 1 or more whose product int64 holds; returns the product.
local function check_sizes(shape, name)
  local product = 1
  for d, size in ipairs(shape) do
    if size < 1 then fail(name, format("has size %d at [%d], expected at least 1", size, d), nil, "shape", size) end
    if product > math.maxinteger // size then fail(name, "has more elements than int64 can count", nil, "shape") end
    product = product * size
  end
  return product
end

local function check_whole(t, name)
  if not operands.is_index(t) then
    fail(name, format("is %s, expected integers", t.dtype), name .. ':to("int64")', "dtype")
  end
  return t.dtype == "int64" and t or t:to("int64")
end

---------------------------------------------------------------------------------------------------------- membership

local function has_float(list)
  for _, x in ipairs(list) do
    if math.type(x) == "float" or type(x) == "table" and has_float(x) then return true end
  end
  return false
end

-- Returns numbers, a script's table, as a tensor of those that elements of `values` may equal, as t:eq(number) has it:
-- beside floats rounded to one, unless they are out of its range.
local function members(list, values)
  local line = strew.tensor(list, {dtype = has_float(list) and "float64" or nil, device = "cpu"})
  if operands.is_float(values) then
    local rounded = line:to(values.dtype)
    line = strew.where(rounded:isinf() & line:isfinite(), 0 / 0, rounded)
  elseif operands.is_float(line) then -- as integers, which a device without float64 has, too
    local is_unsigned <const> = values.dtype == "uint64"
    local inside = line:ge(is_unsigned and 0 or math.mininteger) & line:lt(is_unsigned and 0x1p64 or 0x1p63)
    line = line[line:eq(line:floor()) & inside]:to(is_unsigned and "uint64" or "int64")
  end
  return line:to(values.device)
end

---------------------------------------------------------------------------------------------------------- histograms

-- Returns the edges of bins along x, a line of floats: a sequence or tensor of edges, or a number of equal bins
-- between low and high, by default the extremes of x.
local function edges_of(x, bins, name, low, high)
  if type(bins) == "table" then
    local function reword(fact, hint) return string.gsub(fact, " x%[", " " .. name .. "["), hint end
    bins = errors.own("x", name, reword, strew.tensor, bins, {dtype = x.dtype, device = x.device})
  end
  if operands.is_tensor(bins) then
    operands.check_rank(bins, name, 1, 1, "1")
    operands.check_values(x, bins, name)
    if bins:numel() < 2 then
      fail(name, format("has %d edge%s, expected at least 2", bins:numel(), bins:numel() == 1 and "" or "s"), nil,
        "shape")
    end
    return bins
  end
  local count = math.tointeger(bins)
  if not count or count < 1 then
    fail(name, format("is %s, expected an integer of at least 1, or edges", inner.text(bins)))
  end
  if not low then
    local line = x:detach()
    low, high = 0, 0
    if line:numel() > 0 then low, high = line:min():item(), line:max():item() end
    if low - low ~= 0 or high - high ~= 0 then
      fail("self", "has infinities or NaN, which have no bin", "{range = {low, high}} leaves them out", "value")
    end
  end
  if low == high then low, high = low - 0.5, high + 0.5 end
  local function spaced(...) return errors.own("stop", "range", nil, strew.linspace, ...) end
  local function ranged(...) return errors.own("start", "range", nil, spaced, ...) end
  return errors.own("shape", name, nil, ranged, low, high, count + 1, {dtype = x.dtype, device = x.device})
end

-- Returns the two numbers at k of the option `range`; none without it.
local function range_at(range, k)
  if range == nil then return nil end
  local low, high = range[k], range[k + 1]
  for i = k, k + 1 do
    if type(range[i]) ~= "number" or range[i] - range[i] ~= 0 then
      fail("range", format("has %s at [%d], expected a finite number", inner.text(range[i]), i), nil, "value")
    end
  end
  if high < low then
    fail("range", format("has %s at [%d], less than %s", inner.text(high), k + 1, inner.text(low)), nil, "value")
  end
  return low, high
end

local function check_range(range, count)
  if range ~= nil and (type(range) ~= "table" or operands.is_tensor(range) or #range ~= count) then
    local is = type(range) == "table" and format("a table of %d", #range) or inner.text(range)
    fail("range", format("is %s, expected a sequence of %d numbers", is, count))
  end
end

-- Returns the number of points, or the sums of their weights, in each bin. names: the script's of edges.
local function histogram_of(self, columns, edges, names, weights, density)
  local function counted(f)
    for d, name in ipairs(names) do
      local other = f
      f = function(...) return errors.own(format("edges[%d]", d), name, nil, other, ...) end
    end
    return errors.own("edges", "bins", nil, f, columns, edges)
  end
  local counts
  if weights then
    local at, sizes = counted(inner.histogram_bins), {}
    for d, line in ipairs(edges) do sizes[d] = line:numel() - 1 end
    local count = operands.product(sizes, 1, #sizes)
    counts = strew.scatter(weights, at:reshape(-1), {dim_size = count, mode = "drop"}):view(sizes)
  else
    counts = counted(inner.histogram):to(self.dtype)
  end
  if not density then return counts end
  counts = counts / counts:sum()
  for d, line in ipairs(edges) do
    local shape = {}
    for k in ipairs(edges) do shape[k] = k == d and -1 or 1 end
    counts = counts / line:diff():reshape(shape)
  end
  return counts
end

local function check_weights(self, weights, shape)
  if not weights then return end
  operands.check_values(self, weights, "weights")
  operands.check_shape(weights, shape, "weights")
  return weights:reshape(-1)
end

-- Returns a grouping of the rows of keys, a matrix, in the order of the rows: at most 64 columns are keys at once.
local function group_rows(rows, order)
  local keys, count, g = {}, rows:size(1), nil
  if count == 0 then return strew.group_by(strew.zeros(rows:size(0), {device = rows.device})) end
  for c = 0, count - 1 do
    table.insert(keys, rows:select(1, c))
    if #keys == 64 or c == count - 1 then
      g = strew.group_by(keys, {order = order})
      keys = {g.ids}
    end
  end
  return g
end

-- Returns the distinct values, or parts along dim; the first position, the number and the count of each.
local function distinct(self, dim, order)
  if dim then
    local line = operands.line(self)
    line:size(dim) -- raises an error if it is out of range
    local rows = line:movedim(dim, 0)
    local g = group_rows(rows:reshape(rows:size(0), operands.product(rows.shape, 2, rows:dim())), order)
    return line:index_select(dim, g.positions), g.positions, g.ids, g.counts
  end
  if order == "first" then
    local line = self:reshape(-1)
    local g = strew.group_by(line, {order = order})
    return line:index_select(0, g.positions), g.positions, g.ids:reshape(self.shape), g.counts
  end
  local values, inverse, counts = self:unique{return_inverse = true, return_counts = true}
  local places = strew.arange(self:numel(), {device = self.device})
  local first = strew.scatter(places, inverse:reshape(-1), {dim_size = values:numel(), reduce = "min"})
  return values, first, inverse, counts
end

-- unique with dim, return_index or order
local function unique(self, dim, return_index, return_inverse, return_counts, order)
  if order ~= nil and order ~= "sorted" and order ~= "first" then
    fail("order", format("is %s, expected \"sorted\" or \"first\"", inner.text(order)))
  end
  local values, positions, inverse, counts = distinct(self, dim, order)
  local results = {values}
  if return_index then table.insert(results, positions) end
  if return_inverse then table.insert(results, inverse) end
  if return_counts then table.insert(results, counts) end
  return table.unpack(results)
end

return {
  unique = {"self:tensor dim=dim return_index=boolean return_inverse=boolean return_counts=boolean order=word", unique},

  isin = {"self:comparand test_elements:several invert=boolean", function(self, set, invert)
    local found
    if not operands.is_tensor(self) and operands.is_tensor(set) then
      found = set:eq(self):any()
    else
      if not operands.is_tensor(self) then self = strew.tensor(self) end
      if type(set) == "string" and self.dtype ~= "text" then
        if self.dtype ~= "time" then fail("test_elements", format("is %s, expected a tensor", inner.text(set))) end
        set = times.read(set, "test_elements", self.device)
      elseif not operands.is_tensor(set) then
        if type(set) ~= "table" then set = {set} end
        set = set[1] == nil and strew.empty(0, {dtype = self.dtype, device = self.device}) or members(set, self)
      end
      if self.dtype == "time" and set.dtype == "text" then
        set = errors.own("self", "test_elements", nil, strew.to, set, "time")
      end
      found = inner.isin(self, set)
    end
    return invert and found:logical_not() or found
  end},

  count_nonzero = {"self:tensor dim?dims keepdim?boolean skip_nan=boolean", function(self, dim, keepdim, skip_nan)
    if self.dtype == "bool" then return self:sum(dim, keepdim) end
    if self.dtype == "time" then fail("self", "is time, expected numbers or text", nil, "dtype") end
    if self.dtype == "text" then return self:ne(""):sum(dim, keepdim) end
    local n = self:numel()
    if skip_nan and operands.is_float(self) then
      return operands.bound("x ~= 0 and x == x", {x = self}, n):sum(dim, keepdim)
    end
    return (n < operands.MANY and self:ne(0) or operands.bound("x ~= 0", {x = self}, n)):sum(dim, keepdim)
  end},

  unravel_index = {"self:tensor shape:integers", function(self, shape)
    shape = type(shape) == "table" and shape or {shape}
    local count, rest, coordinates = check_sizes(shape, "shape"), check_whole(self, "self"), {}
    if self:numel() > 0 and (rest:amin():item() < 0 or rest:amax():item() >= count) then
      operands.check_none(rest:lt(0) | rest:ge(count), self, "self", format("0..%d of shape %s", count - 1,
        operands.text(shape)))
    end
    for d = #shape, 2, -1 do
      local whole = rest // shape[d]
      coordinates[d] = operands.compute("rest - whole * size", {rest = rest, whole = whole, size = shape[d]})
      rest = whole
    end
    coordinates[1] = rest
    if #shape == 1 and rest == self then coordinates[1] = rest:clone() end
    return table.unpack(coordinates)
  end},

  ravel_multi_index = {"indices:sequence shape:integers", function(indices, shape)
    shape = type(shape) == "table" and shape or {shape}
    indices = operands.tensors(indices, "indices")
    check_sizes(shape, "shape")
    if #indices ~= #shape then
      fail("indices", format("has %d tensors, shape %d sizes", #indices, #shape), nil, "shape")
    end
    local at
    for d, index in ipairs(indices) do
      local whole = check_whole(index, "indices")
      operands.check_none(whole:lt(0) | whole:ge(shape[d]), index, "indices",
        format("0..%d for dim %d", shape[d] - 1, d - 1))
      at = d == 1 and whole or at * shape[d] + whole
    end
    return #indices == 1 and at:clone() or at
  end},

  histogram = {"self:tensor bins:several range=any weights=tensor density=boolean",
    function(self, bins, range, weights, density)
      operands.check_float(self, "self")
      check_range(range, 2)
      weights = check_weights(self, weights, self.shape)
      local x = self:reshape(-1)
      local edges = edges_of(x, bins, "bins", range_at(range, 1))
      return histogram_of(self, {x}, {edges}, {"bins"}, weights, density), edges
    end},

  histogramdd = {"self:tensor bins:several range=any weights=tensor density=boolean",
    function(self, bins, range, weights, density)
      operands.check_float(self, "self")
      operands.check_rank(self, "self", 2, 2, "2", "a row is a point")
      local count, columns, edges, names = self:size(1), {}, {}, {}
      if count < 1 or count > 16 then
        fail("self", format("has size %d along dim 1, expected 1..16", count), nil, "shape")
      end
      check_range(range, 2 * count)
      if type(bins) == "table" and #bins ~= count then
        fail("bins", format("has %d entries, expected %d, the size of dim 1 of self", #bins, count), nil, "shape")
      end
      weights = check_weights(self, weights, {self:size(0)})
      for d = 1, count do
        columns[d] = self:select(1, d - 1)
        names[d] = type(bins) == "table" and format("bins[%d]", d) or "bins"
        edges[d] = edges_of(columns[d], type(bins) == "table" and bins[d] or bins, names[d], range_at(range, 2 * d - 1))
      end
      return histogram_of(self, columns, edges, names, weights, density), edges
    end},
}
