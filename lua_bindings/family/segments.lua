-- segments.lua: reductions of consecutive elements, given by the segments' ends, lengths, or a sorted index; and the
-- way back, a value of each segment for each of its elements.
local strew, fail, use = ...
local operands = use "operands.lua"
local line_of, text_of = operands.line, operands.text

-- Fails if one of t's leading dimensions is neither 1 nor of src's size.
local function check_leading(name, t, src_name, src)
  local rank = t:dim()
  if rank == 0 then fail(name, "has no dimension, expected at least 1", nil, "shape") end
  if rank > src:dim() then
    fail(name, ("has %d dimensions, %s only %d"):format(rank, src_name, src:dim()), nil, "shape")
  end
  for d = 0, rank - 2 do
    local size, expected = t:size(d), src:size(d)
    if size ~= expected and size ~= 1 then
      fail(name, ("has size %d where %s has %d in dim %d: it does not broadcast to %s's shape %s"):format(size,
        src_name, expected, d, src_name, text_of(src.shape)), nil, "shape")
    end
  end
end

-- True where an element is less than the one before it in the last dimension.
local function descents(t)
  local size = t:size(-1)
  local first = strew.zeros(t.shape, {dtype = "bool", device = t.device}):narrow(-1, 0, 1)
  return strew.cat({first, t:narrow(-1, 1, size - 1):lt(t:narrow(-1, 0, size - 1))}, -1)
end

-- Position and value of the first element where the mask is true, or nil.
local function first_of(t, mask)
  if not mask:any():item() then return nil end
  local position = mask:nonzero()[0]:tolist()
  return position, t:get(table.unpack(position))
end

local function fail_value(name, fact, position, value)
  fail(name, ("has value %d at %s, %s"):format(value, text_of(position), fact), nil, "index", value, position)
end

local function value_before(t, position)
  local before = {table.unpack(position)}
  before[#before] = before[#before] - 1
  return before[#before] >= 0 and t:get(table.unpack(before)) or nil
end

local function check_sorted(name, t)
  if t:numel() == 0 then return end
  local position, value = first_of(t, descents(t))
  if not position then return end
  fail_value(name, ("less than the %d before it: expected sorted values"):format(value_before(t, position)),
    position, value)
end

-- Fails if a value is negative or more than last.
local function fail_range(name, position, value, last, last_name)
  local valid = last < 0 and "nothing is valid" or ("valid 0..%d"):format(last)
  fail_value(name, ("out of range for %s (%s)"):format(last_name, valid), position, value)
end

local function check_range(name, t, last, last_name)
  if t:numel() == 0 then return end
  local position, value = first_of(t, t:lt(0) | t:gt(last))
  if position then fail_range(name, position, value, last, last_name) end
end

-- Ends of segments are sorted values of 0..last.
local function check_ends(name, ends, last, last_name)
  operands.check_index(ends, name)
  if ends:numel() == 0 then return end
  local position, value = first_of(ends, ends:lt(0) | ends:gt(last) | descents(ends))
  if not position then return end
  if value < 0 or value > last then fail_range(name, position, value, last, last_name) end
  fail_value(name, ("less than the %d before it: expected values that do not decrease"):format(
    value_before(ends, position)), position, value)
end

-- The segment of each of n elements, from valid ends; -1 or the number of segments: of none.
local function segments_of(ends, n)
  local sizes = ends.shape
  sizes[#sizes] = n + 1
  local starts = strew.zeros(sizes, {dtype = "int64", device = ends.device})
  return starts:scatter_add_(-1, ends, 1):cumsum(-1):narrow(-1, 0, n) - 1
end

-- The index along dim of src as a view for gather.
local function index_for(src, dim, index)
  local sizes = src.shape
  sizes[dim + 1] = index:size(dim)
  for _ = index:dim() + 1, src:dim() do index = index:unsqueeze(-1) end
  return index:expand(sizes)
end

local extremes = {max = "max", amax = "max", min = "min", amin = "min"}

-- The group form by a word; max and min return arg, too.
local function reduce_groups(src, index, reduce, options)
  if extremes[reduce] then return strew["scatter_" .. extremes[reduce]](src, index, options) end
  options.reduce = reduce
  return strew.scatter(src, index, options)
end

-- Fails if out shares elements with an operand. (A scatter with an empty index checks just that.)
local function check_overlap(out, name, operand)
  if out.dtype ~= operand.dtype then return end
  local sizes = {}
  for d = 1, out:dim() do sizes[d] = 0 end
  for _ = operand:dim() + 1, out:dim() do operand = operand:unsqueeze(-1) end
  local none = strew.zeros(sizes, {dtype = "int64", device = out.device})
  local ok, message = pcall(out.scatter_, out, 0, none, operand)
  if ok then return end
  if strew.last_error().code ~= "overlap" then error(message, 0) end
  fail(name, "shares elements with out, which is written in place", name .. ":clone()", "overlap")
end

local function check_out(out, src, indptr, dim, count)
  local none = {dtype = "int64", device = src.device}
  strew.scatter(src:narrow(dim, 0, 0), strew.zeros(0, none), {dim = dim, out = out}) -- dtype, sizes, device
  if out:size(dim) ~= count then
    fail("out", ("has size %d in dim %d, expected %d, the number of segments"):format(out:size(dim), dim, count), nil,
      "shape")
  end
  check_overlap(out, "src", src)
  check_overlap(out, "indptr", indptr)
end

local function check_initial(initial, data)
  local ok, message = pcall(strew.full, {}, initial, {dtype = data.dtype})
  if ok then return end
  if strew.last_error().code ~= "value" then error(message, 0) end
  fail("initial", message:match "'value' ([^\n]*)", nil, "value", initial)
end

-- lengths of segments along axis, as their ends.
local function ends_of_lengths(lengths, data, axis)
  operands.check_index(lengths, "lengths")
  local size = data:size(axis)
  local position, value = first_of(lengths, lengths:lt(0) | lengths:gt(size))
  if position then
    fail_value("lengths", ("expected 0..%d, the size of data in dim %d"):format(size, axis), position, value)
  end
  local sums = lengths:sum(-1)
  local wrong, sum = first_of(sums, sums:ne(size))
  if wrong then
    local row = #wrong > 0 and (" at %s"):format(text_of(wrong)) or ""
    fail("lengths", ("adds up to %d%s, expected %d, the size of data in dim %d"):format(sum, row, size, axis), nil,
      "shape", sum)
  end
  local sizes = lengths.shape
  sizes[#sizes] = 1
  return strew.cat({strew.zeros(sizes, {dtype = "int64", device = lengths.device}), lengths:cumsum(-1)}, -1)
end

-- The result of a reduction of nothing, of a dtype.
local function nothing(reduce, dtype)
  local words = {sum = 0, add = 0, prod = 1, mul = 1, multiply = 1}
  if words[reduce] then return words[reduce] end
  local is_float = dtype:find "float" ~= nil
  if reduce == "mean" then return is_float and 0 / 0 or 0 end
  local is_max = extremes[reduce] == "max"
  if is_float then return is_max and -math.huge or math.huge end
  if dtype == "bool" then return not is_max end
  local bits = tonumber(dtype:match "%d+")
  if dtype:find "^u" then return is_max and 0 or (1 << bits) - 1 end
  return is_max and -1 << (bits - 1) or (1 << (bits - 1)) - 1
end

return {
  segment_csr = {"src:tensor indptr:tensor reduce=reduce out=tensor", function(src, indptr, reduce, out)
    src = line_of(src)
    check_leading("indptr", indptr, "src", src)
    local dim = indptr:dim() - 1
    local n, count = src:size(dim), math.max(indptr:size(dim) - 1, 0)
    check_ends("indptr", indptr, n, ("dim %d of src"):format(dim))
    if out then check_out(out, src, indptr, dim, count) end
    local index = segments_of(indptr, n)
    local options = {dim = dim, dim_size = count, mode = "drop"}
    local result, arg = reduce_groups(src, index, reduce or "sum", options)
    if out then result = out:copy_(result) end
    if arg then return result, arg end
    return result
  end},

  gather_csr = {"src:tensor indptr:tensor", function(src, indptr)
    src = line_of(src)
    check_leading("indptr", indptr, "src", src)
    check_ends("indptr", indptr, math.maxinteger, "an offset")
    local dim = indptr:dim() - 1
    local count, total = indptr:size(dim) - 1, 0
    if count < 0 then
      fail("indptr", ("has size 0 in dim %d, expected at least 1"):format(dim), nil, "shape")
    end
    if src:size(dim) ~= count then
      fail("src", ("has size %d in dim %d, expected %d, the number of segments of indptr"):format(src:size(dim), dim,
        count), nil, "shape")
    end
    if indptr:numel() > 0 then
      total = indptr:narrow(dim, count, 1):max():item()
      local is_first = strew.arange(count + 1, {device = indptr.device}):eq(0):expand(indptr.shape)
      local is_last = strew.arange(count + 1, {device = indptr.device}):eq(count):expand(indptr.shape)
      local position, value = first_of(indptr, is_first & indptr:ne(0) | is_last & indptr:ne(total))
      if position then
        local expected = position[#position] == 0 and 0 or total
        fail_value("indptr", ("expected %d: every position belongs to a segment"):format(expected), position, value)
      end
    end
    return src:gather(dim, index_for(src, dim, segments_of(indptr, total)))
  end},

  segment_coo = {"src:tensor index:tensor reduce=reduce out=tensor dim_size=integer",
    function(src, index, reduce, out, dim_size)
      index = line_of(index)
      if operands.is_index(index) then check_sorted("index", index) end
      local options = {dim = index:dim() - 1, out = out, dim_size = dim_size}
      return reduce_groups(src, index, reduce or "sum", options)
    end},

  gather_coo = {"src:tensor index:tensor", function(src, index)
    src, index = line_of(src), line_of(index)
    check_leading("index", index, "src", src)
    operands.check_index(index, "index")
    check_sorted("index", index)
    local dim = index:dim() - 1
    check_range("index", index, src:size(dim) - 1, ("dim %d of src"):format(dim))
    return src:gather(dim, index_for(src, dim, index))
  end},

  segment_reduce = {"data:tensor reduce:reduce lengths=tensor offsets=tensor axis=dim initial=scalar",
    function(data, reduce, lengths, offsets, axis, initial)
      data = line_of(data)
      if (lengths == nil) == (offsets == nil) then
        fail("lengths", lengths and "and 'offsets' are both given, expected one" or "or 'offsets' is missing")
      end
      local name, given = lengths and "lengths" or "offsets", lengths or offsets
      check_leading(name, given, "data", data)
      axis = axis or 0
      local at = axis < 0 and axis + data:dim() or axis
      if at ~= given:dim() - 1 then
        fail("axis", ("is %d, expected %d, the last dimension of %s"):format(axis, given:dim() - 1, name), nil, "shape")
      end
      if offsets then
        check_ends("offsets", offsets, data:size(at), ("dim %d of data"):format(at))
      else
        offsets = ends_of_lengths(lengths, data, at)
      end
      local index, count = segments_of(offsets, data:size(at)), math.max(offsets:size(at) - 1, 0)
      local options = {dim = at, reduce = reduce, mode = "drop"}
      if initial ~= nil then
        check_initial(initial, data)
        local sizes = data.shape
        sizes[at + 1] = count
        options.out = strew.full(sizes, initial, {dtype = data.dtype, device = data.device})
      else
        options.fill, options.dim_size = nothing(reduce, data.dtype), count
      end
      return strew.scatter(data, index, options)
    end},
}
