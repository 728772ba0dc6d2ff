-- group_operands.lua: the groups of a call of the group form, as one table, and what all their reductions are made of.
local strew, fail, use, inner = ...
local operands = use "operands.lua"
local aligned, is_float, is_index = operands.aligned, operands.is_float, operands.is_index

-- True if index has a value that is out of range for size n.
local function is_out_of_range(lowest, highest, n, mode)
  if mode == "drop" then return false end
  if mode == "clip" then return n == 0 end
  return highest >= n or lowest < (mode == "wrap" and -n or 0)
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

-- True where an element belongs to a group.
local function is_member(groups) return groups.index:ge(0) & groups.index:lt(groups.n) end

-- For each group the position along dim of its first element (reduce = "amin") or last one ("amax"); src's size along
-- dim for a group without elements.
local function end_of(groups, reduce)
  if reduce == "amin" and groups.grouping and groups.src:dim() == 1 then return groups.grouping.positions end
  local size, sizes = groups.src:size(groups.dim), {}
  for d = 1, groups.src:dim() do sizes[d] = d == groups.dim + 1 and size or 1 end
  local positions = strew.arange(size, {device = groups.src.device}):view(sizes):expand(groups.src.shape)
  return rows(groups, positions, reduce, size)
end

-- Returns the groups with src as float64, on the CPU for a device without it.
local function exact(groups)
  local device = inner.has_float64(groups.src) and groups.src.device or "cpu"
  local near = {dim = groups.dim, n = groups.n, mode = groups.mode}
  near.src, near.narrow = groups.src:to(device):to("float64"), groups.narrow:to(device)
  near.index = near.narrow:expand(near.src.shape)
  near.counts = groups.counts and groups.counts:to(device)
  return near
end

-- The differences of elements from the mean of their group, in float64, the groups as exact() returns them, and their
-- counts. The bits are those of strew_grouping_squares, as is the subtraction of first elements.
local function deviations_of(groups)
  local near = exact(groups)
  local values, count = near.src, counts_of(near):to("float64")
  if groups.src.dtype == "float64" then
    values = values - spread(near, values:gather(near.dim, end_of(near, "amin"), {mode = "drop"}))
  end
  return values - spread(near, rows(near, values, "sum") / count:clamp(1)), near, count
end

return {groups_of = groups_of, groups_of_grouping = groups_of_grouping, rows = rows, spread = spread,
        deviations_of = deviations_of, counts_of = counts_of, is_member = is_member, end_of = end_of}
