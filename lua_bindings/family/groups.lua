-- groups.lua: reductions of groups beyond sums, products and extremes. Their operands are those of the group form,
-- strew.scatter(src, index).
local strew, fail, use, inner = ...
local operands, places = use "operands.lua", use "places.lua"
local group_operands = use "group_operands.lua"
local computed, is_float = operands.computed, operands.is_float
local groups_of, rows, spread = group_operands.groups_of, group_operands.rows, group_operands.spread
local counts_of, is_member, end_of = group_operands.counts_of, group_operands.is_member, group_operands.end_of

local function shape_of_rows(groups)
  local sizes = groups.src.shape
  sizes[groups.dim + 1] = groups.n
  return sizes
end

-- The sum of squares about the mean, and the count, in float64: on the CPU for a device without it.
local function squares_of(groups)
  local gaps, near, count = group_operands.deviations_of(groups)
  return rows(near, gaps * gaps, "sum"), count
end

-- The same for the arguments of a call. Those of all elements of a grouping along a line are made in two walks.
local function squares_of_call(src, index, dim, dim_size, mode, skip_nan)
  local is_whole = not operands.is_tensor(index) and src:dim() == 1 and not dim_size and (mode or "error") == "error"
  if is_whole and not skip_nan and (dim or 0) >= -1 and (dim or 0) <= 0 and src:size(0) == index.length
    and src.device == index.device then
    local squares = inner.group_squares(index, src:detach())
    return squares, index.counts:to(squares.device):to("float64")
  end
  return squares_of(groups_of(src, index, dim, dim_size, mode, skip_nan))
end

local function divisor(count, unbiased)
  return unbiased == false and count:clamp(1) or (count - 1):clamp(1)
end

-- Squares of float64 beyond these bounds may have overflowed or lost digits. Elements are scaled by powers of two then,
-- of which each group has its own.
local LEAST, MOST = 2.0 ^ -800, 2.0 ^ 1000
local function scaled(groups)
  local largest = rows(groups, groups.src:abs(), "amax")
  local scale = strew.ones(largest.shape, {dtype = largest.dtype, device = largest.device})
  scale:masked_fill_(largest:gt(2.0 ^ 500), 2.0 ^ -600):masked_fill_(largest:lt(2.0 ^ -400), 2.0 ^ 600)
  groups.src = groups.src * spread(groups, scale)
  return groups, scale
end

-- Returns src in the dtype that a call wants.
local function wanted(src, dtype)
  if dtype == nil or dtype == src.dtype then return operands.check_float(src, "src") or src end
  if dtype == "float64" then return src:to(dtype) end
  fail("dtype", ("is %s, expected float64 or src's own, %s"):format(dtype, src.dtype), nil, "dtype")
end

-- Returns finish(squares, divisor, scale of the elements) for the groups of a call.
local function of_squares(finish)
  return function(src, index, dim, dim_size, unbiased, mode, skip_nan, dtype)
    src = wanted(src, dtype)
    local squares, n = squares_of_call(src, index, dim, dim_size, mode, skip_nan)
    local scale = 1.0
    if src.dtype == "float64" and not (squares:ge(LEAST) & squares:le(MOST) | n:le(1)):all():item() then
      local groups
      groups, scale = scaled(groups_of(src, index, dim, dim_size, mode, skip_nan))
      squares = squares_of(groups)
    end
    return finish(squares, divisor(n, unbiased), scale):to(src.dtype):to(src.device)
  end
end

-- exp(values - largest), whose sum is free of overflow, and the largest of each group.
local function exponentials(groups, largest)
  return (computed(groups.src) - spread(groups, largest)):exp()
end

local function logsumexp(src, index, dim, dim_size, out, fill, mode, skip_nan)
  operands.check_float(src, "src")
  if out then
    if fill then fail("fill", "cannot be combined with 'out', which keeps the values of empty groups") end
    local none = strew.full(1, -1, {dtype = "int64", device = src.device})
    local size = src:dim() == 0 and 1 or src:size(dim or -1)
    strew.scatter_max(src, none:expand(size), {dim = dim, out = out, mode = "drop"}) -- checks out, and leaves it alone
  end
  local groups = groups_of(src, index, dim, dim_size, mode, skip_nan, fill, out)
  local start = out and computed(out)
  local largest = rows(groups, computed(groups.src), "amax", -math.huge)
  if out then largest = largest:maximum(start) end
  largest = strew.where(largest:abs():lt(math.huge), largest, 0.0) -- infinities and NaN reach the sum as they are
  local sum
  if out then
    sum = (start - largest):exp()
    strew.scatter(exponentials(groups, largest), groups.index, {dim = groups.dim, out = sum, mode = groups.mode})
  else
    sum = rows(groups, exponentials(groups, largest), "sum")
  end
  local is_empty = counts_of(groups):eq(0)
  local result = strew.where(is_empty, out and start or (fill or 0.0), sum:log() + largest):to(src.dtype)
  return out and out:copy_(result) or result
end

-- Elements along dim in the order of their groups and, within each, of their values; and their groups, n for those that
-- are dropped.
local function ordered(groups)
  local dim = groups.dim
  if groups.grouping and groups.src:dim() == 1 then -- without those that are dropped
    local order = inner.group_argsort(groups.grouping, groups.src, false)
    return groups.src:gather(0, order), groups.index:gather(0, order)
  end
  local values, order = groups.src:sort(dim)
  local index = groups.index:to("int64")
  if groups.mode == "drop" then index = strew.where(is_member(groups), index, groups.n) end
  local sorted, by_group = index:gather(dim, order):sort(dim)
  return values:gather(dim, by_group), sorted
end

local function nunique(src, index, dim, dim_size, mode, skip_nan)
  local groups = groups_of(src, index, dim, dim_size, mode, skip_nan)
  local values, sorted = ordered(groups)
  local size = values:size(groups.dim)
  if size == 0 then return strew.zeros(shape_of_rows(groups), {dtype = "int64", device = src.device}) end
  local function after(t) return t:narrow(groups.dim, 1, size - 1) end
  local function before(t) return t:narrow(groups.dim, 0, size - 1) end
  local differs = after(values):ne(before(values))
  if is_float(values) then differs = differs & (after(values):eq(after(values)) | before(values):eq(before(values))) end
  local first = strew.ones(values.shape, {dtype = "bool", device = src.device}):narrow(groups.dim, 0, 1)
  local is_new = strew.cat({first, differs | after(sorted):ne(before(sorted))}, groups.dim):to("int64")
  return strew.scatter(is_new, sorted, {dim = groups.dim, dim_size = groups.n, mode = "drop"})
end

-- any (reduce = "sum") and all ("prod").
local function truth(reduce)
  return function(src, index, dim, out, dim_size, mode, skip_nan)
    local options = {dim = dim, out = out, dim_size = dim_size, mode = mode, reduce = reduce}
    if skip_nan and is_float(src) then
      local groups = groups_of(src, index, dim, dim_size, mode, true, nil, out)
      index, options.mode = groups.index, groups.mode
      options.dim_size = not out and groups.n or nil
    end
    if not out and reduce == "prod" then options.fill = true end
    return strew.scatter(src:ne(0), index, options)
  end
end

-- first (reduce = "amin") and last ("amax"), by position along dim.
local function choice(reduce)
  return function(src, index, dim, dim_size, fill, mode, skip_nan)
    local groups = groups_of(src, index, dim, dim_size, mode, skip_nan, fill)
    local chosen = end_of(groups, reduce)
    local result = groups.src:gather(groups.dim, chosen, {mode = "drop"})
    if fill == nil then return result end
    return result:masked_fill(chosen:eq(groups.src:size(groups.dim)), fill)
  end
end

local function count(index, dim_size, mode)
  if inner.ids(index) then
    group_operands.groups_of_grouping(index.ids, index, 0, dim_size, mode)
    return index.counts:clone()
  end
  local ones = strew.ones(1, {dtype = "int64", device = index.device}):expand(index:numel())
  local function where(position) return position and places.coordinates(position[1], index.shape) end
  return places.call({}, where, strew.scatter, ones, index:flatten(), {dim_size = dim_size, mode = mode})
end

local OPTIONS = "src:tensor index:index dim?dim dim_size=integer "
local VARIANCE = OPTIONS .. "unbiased=boolean mode=mode skip_nan=boolean dtype=dtype"
local CHOICE = OPTIONS .. "fill=scalar mode=mode skip_nan=boolean"
local TRUTH = "src:tensor index:index dim?dim out=tensor dim_size=integer mode=mode skip_nan=boolean"

return {
  scatter_var = {VARIANCE, of_squares(function(squares, by, scale) return squares / by / scale / scale end)},
  -- As torch_scatter's, with its 1e-6.
  scatter_std = {VARIANCE, of_squares(function(squares, by, scale) return (squares / (by + 1e-6)):sqrt() / scale end)},

  scatter_logsumexp = {"src:tensor index:index dim?dim out=tensor dim_size=integer fill=scalar mode=mode "
    .. "skip_nan=boolean", function(src, index, dim, out, dim_size, fill, mode, skip_nan)
      return logsumexp(src, index, dim, dim_size, out, fill, mode, skip_nan)
    end},

  scatter_nunique = {OPTIONS .. "mode=mode skip_nan=boolean", nunique},
  scatter_count = {"index:index dim_size=integer mode=mode", count},
  scatter_any = {TRUTH, truth("sum")},
  scatter_all = {TRUTH, truth("prod")},
  scatter_first = {CHOICE, choice("amin")},
  scatter_last = {CHOICE, choice("amax")},
}
