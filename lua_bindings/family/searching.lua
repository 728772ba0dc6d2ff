-- searching.lua: places of values among sorted ones, and histograms.
local strew, fail, use = ...
local operands = use "operands.lua"
local text_of = operands.number

-- For each value the number of elements before it, by the comparisons of PyTorch's binary search. elements(at) returns
-- those at positions; all sequences have `size`.
local function search(elements, size, values, shape, device, right)
  local low = strew.zeros(shape, {dtype = "int64", device = device})
  local high = strew.full(shape, size, {dtype = "int64", device = device})
  local rounds = size
  while rounds > 0 do
    local is_open = low:lt(high)
    local middle = low + (high - low) // 2
    local element = elements(middle)
    local is_before = is_open & ~(right and element:gt(values) or not right and element:ge(values))
    low, high = strew.where(is_before, middle + 1, low), strew.where(is_open & ~is_before, middle, high)
    rounds = rounds // 2
  end
  return low
end

-- Places of values (a tensor or a number) among sorted; `name` and `values_name` are the script's.
local function places(sorted, values, right, name, values_name)
  local is_tensor = strew.type(values) == "tensor"
  if sorted:dim() == 0 then fail(name, "has no dimension, expected at least 1", nil, "shape") end
  if is_tensor and values.dtype ~= sorted.dtype then
    fail(values_name, ("is %s, %s is %s: dtypes must be equal"):format(values.dtype, name, sorted.dtype),
      ('%s:to("%s")'):format(values_name, sorted.dtype), "dtype")
  end
  local shape, size = is_tensor and values.shape or {}, sorted:size(-1)
  if sorted:dim() == 1 then
    local function elements(at) return sorted:gather(0, at:view(-1), {mode = "drop"}):view(at.shape) end
    return search(elements, size, values, shape, sorted.device, right)
  end
  local fits = #shape == sorted:dim()
  for d = 1, #shape - 1 do fits = fits and shape[d] == sorted.shape[d] end
  if not fits then
    fail(values_name, ("has shape %s, expected the leading sizes of %s, %s"):format(operands.text(shape), name,
      operands.text(sorted.shape)), nil, "shape")
  end
  local function elements(at) return sorted:gather(-1, at, {mode = "drop"}) end
  return search(elements, size, values, shape, sorted.device, right)
end

return {
  searchsorted = {"sorted:tensor values:operand right=boolean", function(sorted, values, right)
    return places(sorted, values, right, "sorted", "values")
  end},

  bucketize = {"values:operand boundaries:tensor right=boolean", function(values, boundaries, right)
    if boundaries:dim() ~= 1 then
      fail("boundaries", ("has %d dimensions, expected 1"):format(boundaries:dim()), nil, "shape")
    end
    return places(boundaries, values, right, "boundaries", "values")
  end},

  histc = {"self:tensor bins?integer min?number max?number", function(self, bins, min, max)
    bins, min, max = bins or 100, min or 0, max or 0
    operands.check_float(self, "self")
    if bins < 1 then fail("bins", ("is %d, expected 1 or more"):format(bins), nil, nil, bins) end
    if min > max then fail("max", ("is %s, expected at least min, which is %s"):format(max, min), nil, nil, max) end
    local flat = operands.computed(self:reshape(-1))
    if min == max and flat:numel() > 0 then min, max = flat:min():item(), flat:max():item() end
    if min == max then min, max = min - 1, max + 1 end
    if min - min ~= 0 or max - max ~= 0 then
      local fact = ("the range from %s to %s is not finite"):format(text_of(min), text_of(max))
      fail(nil, fact, "min and max set the range", "value")
    end
    local bin = ((flat - min) * bins / (max - min)):to("int64"):clamp(0, bins - 1)
    local index = strew.where(flat:ge(min) & flat:le(max), bin, -1)
    local counts = strew.zeros(bins, {dtype = "int64", device = self.device})
    return counts:scatter_add_(0, index, 1, {mode = "drop"}):to(self.dtype)
  end},
}
