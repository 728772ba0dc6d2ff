-- gradients_groups.lua: gradients of the group form, of segments, and of statistics of groups.
local strew, _, use, inner = ...
local operands, placed = use "operands.lua", use "gradients_placed.lua"
local like, zeros, equal, reduction = placed.like, placed.zeros, placed.equal, placed.reduction
local compute, bound = operands.compute, operands.bound
local line = operands.line

-- The groups of a call: src (of rank 1 or more), dim, their number n, and each element's (index; -1: none). An index
-- that does not vary along other dimensions stays a view that does not.
local function groups_of(src, index, dim, n, mode, skip_nan)
  local groups, part = {src = line(src)}, line(src:detach())
  dim = dim or -1
  groups.dim = dim < 0 and dim + part:dim() or dim
  local is_line = not operands.is_tensor(index) or index:dim() <= 1
  for d = 0, is_line and not skip_nan and part:dim() - 1 or -1 do
    if d ~= groups.dim then part = part:narrow(d, 0, math.min(1, part:size(d))) end
  end
  groups.index = inner.group_ids(part, index, groups.dim, n, mode, skip_nan):expand(groups.src.shape)
  n = n or not operands.is_tensor(index) and index.n
  groups.n = n or groups.index:numel() > 0 and groups.index:max():item() + 1 or 0
  return groups
end

-- A row for each group.
local function rows(groups, values, reduce, fill)
  local options = {dim = groups.dim, dim_size = groups.n, mode = "drop", reduce = reduce, fill = fill}
  return strew.scatter(values, groups.index, options)
end

-- For each element the value of its group; 0 for elements that have none.
local function spread(groups, values) return values:gather(groups.dim, groups.index, {mode = "drop"}) end

local function is_member(groups) return groups.index:ge(0) end

-- The counts of the groups as int64, of the rows' shape.
local function numbers_of(groups)
  return rows(groups, strew.ones(1, {dtype = "int64", device = groups.src.device}):expand(groups.src.shape))
end
local function counts_of(groups) return numbers_of(groups):to(groups.src.dtype) end

-- For each group the position along dim of its first element (reduce = "amin") or last one ("amax"); src's size along
-- dim for a group without elements.
local function end_of(groups, reduce)
  local size, sizes = groups.src:size(groups.dim), {}
  for d = 1, groups.src:dim() do sizes[d] = d == groups.dim + 1 and size or 1 end
  local positions = strew.arange(size, {device = groups.src.device}):view(sizes):expand(groups.src.shape)
  return rows(groups, positions, reduce, size)
end

-- What is subtracted from elements for their differences from the mean of their group, one after the other; the groups
-- in float64, and their counts. As strew_grouping_squares makes them.
local function centers_of(groups)
  local device = operands.float64_device(groups.src)
  local near = {dim = groups.dim, n = groups.n, index = groups.index:to(device)}
  near.src = groups.src:to(device):to("float64")
  local values, count, first = near.src, numbers_of(near):to("float64"), 0.0
  if groups.src.dtype == "float64" then
    first = spread(near, values:gather(near.dim, end_of(near, "amin"), {mode = "drop"}))
    values = bound("x - first", {x = values, first = first}, values:numel())
  end
  return first, spread(near, rows(near, values, "sum") / count:clamp(1)), near, count
end

local function put_at(groups, g, positions)
  return zeros(groups.src):scatter_add_(groups.dim, positions, g, {mode = "drop"})
end

-- Each reduction: the gradient of src.
local reductions = {}

function reductions.sum(g, groups) return spread(groups, g) end

function reductions.mean(g, groups) return spread(groups, g / counts_of(groups):clamp(1)) end

function reductions.prod(g, groups)
  local cells = strew.arange(1, g:numel() + 1, {device = g.device}):reshape(g.shape)
  local ids = (spread(groups, cells) - 1):reshape(-1) -- -1: dropped
  local others = placed.others_in_groups(groups.src:reshape(-1), ids, g:numel())
  return spread(groups, g) * others:reshape(groups.src.shape)
end

-- An extreme's gradient goes to the winner.
local function extreme(name)
  return function(g, groups)
    local _, winners = strew[name](groups.src, groups.index, {dim = groups.dim, dim_size = groups.n,
      mode = "drop"})
    return put_at(groups, g, winners)
  end
end
reductions.amax, reductions.amin = extreme "scatter_max", extreme "scatter_min"

local function of_reduction(g, groups, reduce)
  return reductions[reduction(reduce or "sum")](g:to(groups.src.dtype), groups)
end

-- The groups of a call of the group form. (The number of those of an index is that of the result.)
local function groups_of_call(c)
  local n = operands.is_tensor(c.index) and line(c.out):size(c.dim or -1) or nil
  return groups_of(c.src, c.index, c.dim, n, c.mode, c.skip_nan)
end

local function group_rule(reduce)
  return {src = function(g, c) return of_reduction(line(g), groups_of_call(c), reduce) end}
end

------------------------------------------------------------------------------------------------------- segments

local rules

-- The call of the group form that a reduction of segments stands for, and its rule.
local function grouped(c, src, index, dim, n)
  local call = {__index = c}
  local as = setmetatable({src = src, index = index, dim = dim, dim_size = n, mode = "drop"}, call)
  return as, rules[inner.segment_name(c.reduce or "sum")]
end

local function by_ends(c, src, ends)
  return grouped(c, src, inner.segment_ids(src:detach(), ends), ends:dim() - 1, math.max(ends:size(-1) - 1, 0))
end

local function segment_reduce_self(g, c)
  local ends = c.offsets
  if not ends then
    local sizes = c.lengths.shape
    sizes[#sizes] = 1
    ends = strew.cat({strew.zeros(sizes, like(c.lengths)), c.lengths:cumsum(-1)}, -1)
  end
  local as, rule = by_ends(c, c.data, ends)
  if rule ~= rules.scatter_max and rule ~= rules.scatter_min then
    local part = rule.src(g, as)
    return rule == rules.scatter_mul and c.initial and part * c.initial or part
  end
  local groups = groups_of_call(as)
  local is_equal = compute(equal(g), {a = groups.src, b = spread(groups, c.out)}) -- shared evenly, `initial` among them
  local count = rows(groups, is_equal)
  if c.initial then count = count + c.out:eq(c.initial) end
  return spread(groups, g / count:clamp(1)) * is_equal
end

------------------------------------------------------------------------------------------------------ statistics

-- The gradient of var and std: with the divisors of torch_scatter, or of tables, where 0 is that of groups without one.
local function variance(is_std, of_table)
  return function(g, c)
    local first, mean, near, count = centers_of(groups_of_call(c))
    local function wide(t) return line(t):to(mean.device):to("float64") end
    local divisor = count - operands.correction(c, 1)
    if not of_table then divisor = divisor:clamp(1) + (is_std and 1e-6 or 0.0) end
    local out, scale = wide(c.out), wide(g) * 2 / divisor
    if is_std then scale = strew.where(out:eq(0), 0.0, wide(g) / (out * divisor)) end
    if of_table then scale = strew.where(divisor:gt(0), scale, 0.0) end
    local values = {ids = near.index, scale = spread(near, scale), x = near.src, first = first, mean = mean}
    return compute(c.src.dtype .. "(where(ids >= 0, scale * (x - first - mean), 0.0))", values)
  end
end

local function softmax(is_log)
  return function(g, c)
    local groups = groups_of(c.src, c.index, c.dim, c.dim_size, c.mode)
    local values = {g = line(g), out = line(c.out), ids = groups.index}
    values.sum = rows(groups, is_log and values.g or bound("g * out", values, values.out:numel()))
    values.sum = spread(groups, values.sum)
    return compute(format("where(ids >= 0, %s, 0.0)", is_log and "g - exp(out) * sum" or "out * (g - sum)"), values)
  end
end

local function logsumexp_src(g, c)
  local groups, out = groups_of_call(c), line(c.out)
  local finite = spread(groups, out:masked_fill(out:eq(-math.huge), 0))
  local values = {ids = groups.index, g = spread(groups, line(g)), x = groups.src, finite = finite}
  return compute("where(ids >= 0, g * exp(x - finite), 0.0)", values)
end

-- first (reduce = "amin") and last ("amax"), by position along dim.
local function by_position(reduce)
  return function(g, c)
    local groups = groups_of_call(c)
    return put_at(groups, line(g), end_of(groups, reduce))
  end
end

-- The gradient of a quantile: it lies between two elements of its group in the order of their values.
local function quantile(g, c, q, interpolation)
  local groups = groups_of_call(c)
  local dim, size, float = groups.dim, groups.src:size(groups.dim), {dtype = "float64"}
  local order = groups.src:argsort(dim)
  local index = strew.where(is_member(groups), groups.index, groups.n)
  local by_group = index:gather(dim, order):argsort(dim)
  local at = order:gather(dim, by_group)
  local counts = numbers_of(groups)
  local ranks = (counts:to("cpu") - 1):clamp(0):to(float.dtype) * q -- the device may lack float64
  if interpolation == "inverted_cdf" then ranks = (counts:to("cpu"):to(float.dtype) * q - 1):clamp(0):ceil() end
  local low = ranks:floor()
  local weight = ranks - low
  if interpolation == "lower" then weight = weight * 0 end
  if interpolation == "higher" then weight = weight:gt(0):to(float.dtype) end
  if interpolation == "midpoint" then weight = weight:gt(0):to(float.dtype) * 0.5 end
  if interpolation == "nearest" then
    local is_odd = low:remainder(2):eq(1)
    weight = weight:gt(0.5):logical_or(weight:eq(0.5):logical_and(is_odd)):to(float.dtype)
  end
  local first = counts:cumsum(dim) - counts + low:to("int64"):to(g.device)
  weight = weight:to(g.dtype):to(g.device)
  local second = first + weight:gt(0):to("int64")
  local is_empty = counts:eq(0)
  local function elements(places)
    return at:gather(dim, strew.where(is_empty, 0, places)):masked_fill(is_empty, size)
  end
  if size == 0 then return zeros(groups.src) end
  g = line(g)
  return put_at(groups, g * (1 - weight), elements(first)) + put_at(groups, g * weight, elements(second))
end

rules = {
  scatter = {all = function(g, c, add)
    if c.self then return placed.scatter(g, c, add) end
    add(c.src, function() return of_reduction(line(g), groups_of_call(c), c.reduce) end)
  end},
  scatter_sum = group_rule "sum", scatter_mul = group_rule "prod", scatter_mean = group_rule "mean",
  scatter_min = group_rule "amin", scatter_max = group_rule "amax",
  segment_csr = {src = function(g, c)
    local as, rule = by_ends(c, c.src, c.indptr)
    return rule.src(g, as)
  end},
  segment_coo = {src = function(g, c)
    local dim = math.max(c.index:dim() - 1, 0)
    local as, rule = grouped(c, c.src, c.index, dim, line(c.out):size(dim))
    return rule.src(g, as)
  end},
  segment_reduce = {data = segment_reduce_self},
  gather_csr = {src = function(g, c) return strew.segment_csr(g, c.indptr) end},
  gather_coo = {src = function(g, c)
    return strew.segment_coo(g, c.index, {dim_size = c.src:size(c.index:dim() - 1)})
  end},
  scatter_var = {src = variance(false)},
  scatter_std = {src = variance(true)},
  group_var = {src = variance(false, true)},
  group_std = {src = variance(true, true)},
  group_median = {src = function(g, c) return quantile(g, c, 0.5, "linear") end},
  group_lower_median = {src = function(g, c) return quantile(g, c, 0.5, "lower") end},
  group_quantile = {src = function(g, c) return quantile(g, c, c.q, c.interpolation) end},
  scatter_logsumexp = {src = logsumexp_src},
  scatter_softmax = {src = softmax(false)},
  scatter_log_softmax = {src = softmax(true)},
  scatter_first = {src = by_position "amin"},
  scatter_last = {src = by_position "amax"},
  scatter_median = {src = function(g, c) return quantile(g, c, 0.5, "lower") end},
  scatter_quantile = {src = function(g, c) return quantile(g, c, c.q, c.interpolation) end},
  group_cumsum = {all = function(g, c, add) -- the sums from each element to its group's last one
    local groups, src = c.self, c.src
    local behind = strew.grouping(groups.ids:flip(0), {dim_size = groups.n, mode = "drop"})
    add(src, behind:cumsum(g:flip(-1)):flip(-1))
  end},
  group_shift = {all = function(g, c, add) add(c.src, inner.group_shift(c.self, g, -c.n, 0)) end},
  bincount = {weights = function(g, c) return g:gather(0, c.self) end},
}

return rules
