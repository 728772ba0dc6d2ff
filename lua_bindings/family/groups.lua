-- groups.lua: reductions of groups beyond sums, products and extremes. Their operands are those of the group form,
-- strew.scatter(src, index).
local strew, fail, use, inner = ...
local operands, places = use "operands.lua", use "places.lua"
local computed, is_float, is_index = operands.computed, operands.is_float, operands.is_index

-- True if index has a value that is out of range for size n.
local function is_out_of_range(lowest, highest, n, mode)
  if mode == "drop" then return false end
  if mode == "clip" then return n == 0 end
  return highest >= n or lowest < (mode == "wrap" and -n or 0)
end

-- The index with src's rank: src's size along dim, else 1 where it broadcasts. nil if it does not fit.
local function aligned(src, index, dim)
  local sizes = {}
  for d = 1, src:dim() do sizes[d] = 1 end
  local first = index:dim() <= 1 and dim or 0
  for d = 1, index:dim() do sizes[first + d] = index:size(d - 1) end
  for d, size in ipairs(sizes) do
    if size ~= 1 and size ~= src:size(d - 1) then return nil end
  end
  index = index:reshape(sizes)
  sizes[dim + 1] = src:size(dim)
  return index:expand(sizes)
end

-- The groups of a grouping: its ids are in range, or dropped. `out`: its size is that of the result; else nil.
local function groups_of_grouping(src, g, dim, dim_size, mode, skip_nan, out)
  local ids, n, drops = inner.ids(g)
  if dim_size then
    fail("dim_size", ("cannot be combined with a grouping, which has %d groups"):format(n))
  elseif mode and mode ~= "error" then
    fail("mode", "cannot be combined with a grouping, which has checked its ids")
  end
  local groups = {src = operands.line(src), mode = drops and "drop" or "error"}
  local rank, at = groups.src:dim(), dim or -1
  at = at < 0 and at + rank or at
  if at < 0 or at >= rank or groups.src:size(at) ~= #ids or src.device ~= ids.device then
    strew.scatter_max(src, g, {dim = dim}) -- the group form has the message
    fail("src", "has changed during the call")
  end
  groups.dim, groups.n = at, out and out:size(at) or n
  groups.narrow = aligned(groups.src, ids, at)
  if skip_nan and is_float(src) then
    groups.narrow, groups.mode = strew.where(groups.src:ne(groups.src), -1, groups.narrow), "drop"
  elseif groups.n == n then
    groups.grouping, groups.counts = g, g.counts
  end
  groups.index = groups.narrow:expand(groups.src.shape)
  return groups
end

-- An empty call checks the value of empty groups.
local function check_fill(groups, fill)
  if fill == nil then return end
  local none = strew.zeros(0, {dtype = "int64", device = groups.src.device})
  strew.scatter(groups.src:narrow(groups.dim, 0, 0), none, {dim = groups.dim, dim_size = 0, fill = fill})
end

-- Checks the operands of the group form. Returns the groups: src (of rank 1 or more), dim, their number n, their index
-- as a view of src's shape (index) and as aligned() gives it (narrow), both without values to wrap or to clip, and the
-- mode for them. The index may be a grouping; `out`: as there.
local function groups_of(src, index, dim, dim_size, mode, skip_nan, fill, out)
  if inner.ids(index) then
    local groups = groups_of_grouping(src, index, dim, dim_size, mode, skip_nan, out)
    check_fill(groups, fill)
    return groups
  end
  dim_size = out and out:size(dim or -1) or dim_size
  local function refuse() -- the group form has the message
    strew.scatter_max(src, index, {dim = dim, dim_size = dim_size, mode = mode})
    fail("index", "has changed during the call")
  end
  local groups = {src = operands.line(src), mode = mode == "drop" and "drop" or "error"}
  local rank, at = groups.src:dim(), dim or -1
  at = at < 0 and at + rank or at
  if not is_index(index) and index:numel() == 0 then index = index:to("int64") end
  local fits = at >= 0 and at < rank and is_index(index) and index:dim() <= rank and index.device == src.device
  local narrow = fits and aligned(groups.src, index, at)
  if not narrow or (dim_size or 0) < 0 then return refuse() end
  local wide, lowest, highest = narrow:expand(groups.src.shape), 0, -1
  if index:numel() > 0 then lowest, highest = index:min():item(), index:max():item() end
  if highest == math.maxinteger and not dim_size then return refuse() end
  groups.dim, groups.n = at, dim_size or math.max(0, highest + 1)
  if wide:numel() > 0 and is_out_of_range(lowest, highest, groups.n, mode) then return refuse() end
  if wide:numel() == 0 and index:numel() > 0 then -- values of an index that nothing goes with do not matter
    narrow, groups.mode, lowest, mode = strew.tensor(-1, {device = src.device}):expand(narrow.shape), "drop", 0, "drop"
  end
  if mode == "wrap" and lowest < 0 then narrow = narrow:to("int64"):remainder(groups.n) end
  if mode == "clip" and groups.n > 0 then narrow = narrow:to("int64"):clamp(0, groups.n - 1) end
  if skip_nan and is_float(src) then
    narrow = strew.where(groups.src:ne(groups.src), -1, narrow)
    groups.mode = "drop"
  end
  check_fill(groups, fill)
  groups.narrow, groups.index = narrow, narrow:expand(groups.src.shape)
  return groups
end

-- The group form with the groups' own index: one row for each group.
local function rows(groups, values, reduce, fill)
  local options = {dim = groups.dim, dim_size = groups.n, mode = groups.mode, reduce = reduce, fill = fill}
  return strew.scatter(values, groups.index, options)
end

-- For each element the value of its group; 0 for elements that are dropped.
local function spread(groups, values)
  return values:gather(groups.dim, groups.index, {mode = groups.mode})
end

-- int64 counts of the groups, of sizes that broadcast to the result's.
local function counts_of(groups)
  if groups.counts then
    local sizes = {}
    for d = 1, groups.src:dim() do sizes[d] = d == groups.dim + 1 and groups.n or 1 end
    return groups.counts:view(sizes)
  end
  local one = strew.ones(1, {dtype = "int64", device = groups.src.device}):expand(groups.narrow.shape)
  return strew.scatter(one, groups.narrow, {dim = groups.dim, dim_size = groups.n, mode = groups.mode})
end

local function shape_of_rows(groups)
  local sizes = groups.src.shape
  sizes[groups.dim + 1] = groups.n
  return sizes
end

-- True where an element belongs to a group.
local function is_member(groups) return groups.index:ge(0) & groups.index:lt(groups.n) end

-- The sum of squares about the mean, and the count, in the dtype that is computed in.
local function squares_of(groups)
  local values = computed(groups.src)
  local count = counts_of(groups):to(values.dtype)
  local gaps = spread(groups, rows(groups, values, "sum"):div_(count:clamp(1)))
  gaps:neg_():add_(values):mul_(gaps)
  return rows(groups, gaps, "sum"), count
end

local function divisor(count, unbiased)
  return unbiased == false and count:clamp(1) or (count - 1):clamp(1)
end

-- exp(values - largest), whose sum is free of overflow, and the largest of each group.
local function exponentials(groups, largest)
  return (computed(groups.src) - spread(groups, largest)):exp()
end

local function logsumexp(src, index, dim, dim_size, out, fill, mode, skip_nan)
  operands.check_float(src, "src")
  if out then
    if fill then fail("fill", "cannot be combined with 'out', which keeps its values where nothing arrives") end
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
    local size, sizes = groups.src:size(groups.dim), {}
    local chosen
    if reduce == "amin" and groups.grouping and groups.src:dim() == 1 then
      chosen = groups.grouping.positions
    else
      for d = 1, groups.src:dim() do sizes[d] = d == groups.dim + 1 and size or 1 end
      local positions = strew.arange(size, {device = src.device}):view(sizes):expand(groups.src.shape)
      chosen = rows(groups, positions, reduce, size)
    end
    local result = groups.src:gather(groups.dim, chosen, {mode = "drop"})
    if fill == nil then return result end
    return result:masked_fill(chosen:eq(size), fill)
  end
end

local function count(index, dim_size, mode)
  if inner.ids(index) then
    groups_of_grouping(index.ids, index, 0, dim_size, mode)
    return index.counts:clone()
  end
  local ones = strew.ones(1, {dtype = "int64", device = index.device}):expand(index:numel())
  local function where(position) return position and places.coordinates(position[1], index.shape) end
  return places.call({}, where, strew.scatter, ones, index:flatten(), {dim_size = dim_size, mode = mode})
end

local OPTIONS = "src:tensor index:index dim?dim dim_size=integer "
local CHOICE = OPTIONS .. "fill=scalar mode=mode skip_nan=boolean"
local TRUTH = "src:tensor index:index dim?dim out=tensor dim_size=integer mode=mode skip_nan=boolean"

return {
  scatter_var = {OPTIONS .. "unbiased=boolean mode=mode skip_nan=boolean",
    function(src, index, dim, dim_size, unbiased, mode, skip_nan)
      operands.check_float(src, "src")
      local squares, n = squares_of(groups_of(src, index, dim, dim_size, mode, skip_nan))
      return (squares / divisor(n, unbiased)):to(src.dtype)
    end},

  -- As torch_scatter's, with its 1e-6.
  scatter_std = {OPTIONS .. "unbiased=boolean mode=mode skip_nan=boolean",
    function(src, index, dim, dim_size, unbiased, mode, skip_nan)
      operands.check_float(src, "src")
      local squares, n = squares_of(groups_of(src, index, dim, dim_size, mode, skip_nan))
      return (squares / (divisor(n, unbiased) + 1e-6)):sqrt():to(src.dtype)
    end},

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
