-- gradients_placed.lua: gradients of calls that read or write at positions which an index, several indices or a mask
-- name. All writes are the position form of scatter: an index along one dimension, of src's sizes.
local strew, _, use, inner = ...
local operands = use "operands.lua"
local line, is_tensor, compute = operands.line, operands.is_tensor, operands.compute
local placed = {}

-- Options for a new tensor of x's dtype on its device.
function placed.like(x) return {dtype = x.dtype, device = x.device} end
local like = placed.like

function placed.zeros(x) return strew.zeros(x.shape, like(x)) end
local zeros = placed.zeros

-- The text that is 1 where a and b are equal, or both NaN, else 0, of x's dtype.
function placed.equal(x) return x.dtype .. "(a == b or a ~= a and b ~= b)" end
local equal = placed.equal

-- For each factor along dim the product of the others: of those before it, in order, times that of those behind it,
-- from the last one on.
function placed.others(factors, dim)
  local x = operands.computed(factors)
  local n = x:size(dim)
  if n == 0 then return x end
  local one = strew.ones(x:narrow(dim, 0, 1).shape, like(x))
  local before = strew.cat({one, x:narrow(dim, 0, n - 1)}, dim):cumprod(dim)
  local behind = strew.cat({one, x:narrow(dim, 1, n - 1):flip(dim)}, dim):cumprod(dim):flip(dim)
  return before * behind
end

-- The same for 1-D factors in n groups. Groups whose sizes have the same power of two above them are the columns of a
-- matrix.
function placed.others_in_groups(factors, ids, n)
  local g = strew.grouping(ids, {dim_size = n, mode = "drop"})
  local count, order, starts, counts = #factors, g:order(), g:starts():narrow(0, 0, n), g.counts
  local x, size, largest = operands.computed(factors), 1, n > 0 and counts:max():item() or 0
  local result, sorted = zeros(x), x:gather(0, order)
  while size < 2 * largest do
    local chosen = (counts:gt(size // 2) & counts:le(size)):nonzero():reshape(-1)
    local rows = strew.arange(size, {device = x.device}):reshape(size, 1)
    local is_empty = rows:ge(counts:gather(0, chosen))
    local at = (starts:gather(0, chosen) + rows):masked_fill(is_empty, 0):reshape(-1)
    local values = sorted:gather(0, at):reshape(is_empty.shape):masked_fill(is_empty, 1)
    local positions = order:gather(0, at):masked_fill(is_empty:reshape(-1), count)
    result = result:scatter(0, positions, placed.others(values, 0):reshape(-1), {mode = "drop"})
    size = size * 2
  end
  return result
end

-- Returns the first of the words for a reduction.
placed.reduction = inner.reduction

-------------------------------------------------------------------------------------------- the position form

-- The part of src at index's coordinates.
local function prefix(src, index)
  for d = 0, src:dim() - 1 do
    if src:size(d) > index:size(d) then src = src:narrow(d, 0, index:size(d)) end
  end
  return src
end

-- Returns part with zeros behind it up to shape.
local function padded(part, shape)
  for d, size in ipairs(shape) do
    local sizes = part.shape
    if sizes[d] < size then
      sizes[d] = size - sizes[d]
      part = strew.cat({part, strew.zeros(sizes, like(part))}, d - 1)
    end
  end
  return part
end

-- 1 where something arrives, else 0.
local function is_hit(g, p)
  return strew.zeros(g.shape, {dtype = "bool", device = g.device}):scatter_(p.dim, p.index, true, {mode = p.mode})
end

local function spread(values, p) return values:gather(p.dim, p.index, {mode = p.mode}) end

-- Sums values of index's sizes at their positions.
local function sums(values, p, start)
  return (start or strew.zeros(p.self.shape, like(values))):scatter_add(p.dim, p.index, values, {mode = p.mode})
end

-- Where a src element is the last one at its position. Dropped ones are not told apart: their gradient is 0.
local function is_last(p)
  local numbers = strew.arange(p.index:numel(), {device = p.index.device}):reshape(p.index.shape)
  local last = strew.full(p.self.shape, -1, {dtype = "int64", device = p.index.device})
  return spread(last:scatter_(p.dim, p.index, numbers, {mode = p.mode}), p):eq(numbers)
end

-- Each way to join: returns the gradients of self and of src's part at index's coordinates, as functions.
local joins = {}

function joins.assign(g, p)
  return function() return g:masked_fill(is_hit(g, p), 0) end,
    function() return strew.where(is_last(p), spread(g, p), 0.0) end
end

function joins.sum(g, p)
  return function() return p.include and g or g:masked_fill(is_hit(g, p), 0) end,
    function() return spread(g, p) end
end

function joins.mean(g, p)
  local ones = strew.ones(p.index.shape, like(g))
  local share = g / sums(ones, p, p.include and strew.ones(p.self.shape, like(g))):clamp(1)
  return function() return p.include and share or g:masked_fill(is_hit(g, p), 0) end,
    function() return spread(share, p) end
end

local function extremes(g, p)
  local self_equal = compute(equal(g), {a = p.self, b = p.out})
  if not p.include then self_equal = self_equal:masked_fill(is_hit(g, p), 0) end
  local src_equal = compute(equal(g), {a = p.part, b = spread(p.out, p)})
  local share = g / sums(src_equal, p, self_equal)
  local function part(values, e) return compute("where(e ~= 0, g, 0.0)", {g = values, e = e}) end
  return function() return part(share, self_equal) end, function() return part(spread(share, p), src_equal) end
end
joins.amax, joins.amin = extremes, extremes

-- A destination's self is the first of its factors.
function joins.prod(g, p)
  local cells = strew.arange(p.self:numel(), {device = p.self.device}):reshape(p.self.shape)
  local own = p.include and cells or cells:masked_fill(is_hit(g, p), -1)
  local ids = strew.cat{own:reshape(-1), (spread(cells + 1, p) - 1):reshape(-1)} -- -1: dropped
  local factors = strew.cat{p.self:reshape(-1), p.part:reshape(-1)}
  local others = placed.others_in_groups(factors, ids, cells:numel())
  return function()
      local part = g * others:narrow(0, 0, cells:numel()):reshape(g.shape)
      return p.include and part or strew.where(is_hit(g, p), 0.0, g)
    end,
    function()
      return spread(g, p) * others:narrow(0, cells:numel(), p.part:numel()):reshape(p.part.shape)
    end
end

-- Returns the gradients of self and src, as functions, of a call that joins src at index to self.
local function joined(g, self, dim, index, src, reduce, include, mode, out)
  local p = {self = line(self), dim = dim, index = line(index), include = include ~= false, mode = mode,
             out = out and line(out)}
  if index:numel() == 0 then -- of any rank
    return function() return g end, function() return zeros(src) end
  end
  if not is_tensor(src) then src = strew.tensor(src, like(self)):expand(p.index.shape) end
  p.part = prefix(line(src), p.index)
  local of_self, of_src = joins[placed.reduction(reduce) or "assign"](line(g), p)
  return of_self, function() return padded(of_src(), line(src).shape) end
end

-- A rule for calls with the operands self and `name`: form(c) returns joined's arguments from self to mode.
local function rule(name, form)
  return {all = function(g, c, add)
    local of_self, of_src = joined(g, form(c))
    if is_tensor(c.self) then add(c.self, of_self) end
    add(c[name], of_src)
  end}
end

-------------------------------------------------------------------------------------------- indices along one dimension

-- index_copy (no reduce), index_reduce.
local function index_form(c)
  local source = line(c.source)
  local dim = c.dim < 0 and c.dim + source:dim() or c.dim
  local index = operands.aligned(source, c.index, dim):expand(source.shape)
  return c.self, dim, index, source, c.reduce, c.include_self, c.mode, c.out
end

-- Returns x with its leading dimensions up to `depth` as one, the others as another.
local function flattened(x, depth)
  local sizes = x.shape
  return x:reshape(operands.product(sizes, 1, depth), operands.product(sizes, depth + 1, #sizes))
end

-- Returns the row-major positions in sizes of coordinates, a sequence of tensors that broadcast; -1 where mode drops
-- them.
local function positions(coordinates, sizes, mode)
  local at, is_out
  for d, i in ipairs(coordinates) do
    i = i:to("int64")
    if mode == "wrap" then i = strew.where(i:lt(0), i + sizes[d], i) end
    if mode == "clip" then i = i:clamp(0, math.max(0, sizes[d] - 1)) end
    if mode == "drop" then
      local beyond = i:lt(0):logical_or(i:ge(sizes[d]))
      is_out = is_out and is_out:logical_or(beyond) or beyond
    end
    at = at and at * sizes[d] + i or i
  end
  return is_out and strew.where(is_out, -1, at) or at
end

-- Indices of index_put: a bool tensor stands for the coordinates where it is true.
local function coordinates_of(indices)
  local out = {}
  for _, i in ipairs(indices) do
    if i.dtype == "bool" then
      local at = i:nonzero()
      for d = 0, i:dim() - 1 do table.insert(out, at:select(1, d)) end
    else
      table.insert(out, i)
    end
  end
  return out
end

-- Coordinates of scatter_nd and gather_nd: the entries of indices' last dimension.
local function components(indices)
  local out = {}
  for k = 0, indices:size(-1) - 1 do out[k + 1] = indices:select(-1, k) end
  return out
end

-- Calls add with the gradients of a write of src at coordinates that address self's leading dimensions. `self` may be a
-- shape.
local function write_at(g, c, self, coordinates, src, reduce, mode, add)
  local depth, sizes = #coordinates, is_tensor(self) and self.shape or self
  if g:numel() == 0 then return end
  local rest = {table.unpack(sizes, depth + 1)}
  if depth == 0 then coordinates, depth = {strew.zeros({}, {dtype = "int64", device = g.device})}, 0 end
  local at = positions(coordinates, depth == 0 and {1} or sizes, mode)
  local shape = at.shape
  for _, size in ipairs(rest) do table.insert(shape, size) end
  local count, width = at:numel(), operands.product(rest, 1, #rest)
  local target = is_tensor(self) and flattened(self, depth) or strew.zeros(sizes, like(g))
  target = target:reshape(operands.product(sizes, 1, depth), width)
  local values = is_tensor(src) and src or strew.tensor(src, like(g))
  local flat = values:expand(shape):reshape(count, width)
  local index = at:reshape(count, 1):expand(count, width)
  local of_self, of_src = joined(g:reshape(target.shape), target, 0, index, flat, reduce, true,
    mode == "drop" and "drop" or "error", c.out:reshape(target.shape))
  if is_tensor(self) then add(self, function() return of_self():reshape(sizes) end) end
  add(src, function() return of_src():reshape(shape) end)
end

-- The indices of gather_nd with batch_dims: those of the batch in front.
local function batch_indices(indices, count)
  local parts, shape = {indices}, indices.shape
  shape[#shape] = 1
  for d = count - 1, 0, -1 do
    local sizes = {}
    for i = 1, #shape do sizes[i] = i == d + 1 and shape[i] or 1 end
    table.insert(parts, 1, strew.arange(shape[d + 1], like(indices)):reshape(sizes):expand(shape))
  end
  return count > 0 and strew.cat(parts, -1) or indices
end

placed.rules = {
  scatter_add = rule("src", function(c)
    return c.self, c.dim, c.index, c.src, "sum", true, c.mode
  end),
  scatter_reduce = rule("src", function(c)
    return c.self, c.dim, c.index, c.src, c.reduce, c.include_self, c.mode, c.out
  end),
  gather = {self = function(g, c)
    if c.index:numel() == 0 then return zeros(c.self) end
    return zeros(line(c.self)):scatter_add_(c.dim, line(c.index), line(g), {mode = c.mode})
  end},
  index_select = {self = function(g, c)
    return zeros(line(c.self)):index_add_(c.dim, c.index, line(g), {mode = c.mode})
  end},
  index_add = {self = function(g) return g end, source = function(g, c)
    local part = line(g):index_select(c.dim, line(c.index), {mode = c.mode})
    return (c.alpha or 1) == 1 and part or part * c.alpha
  end},
  index_copy = rule("source", index_form),
  index_reduce = rule("source", index_form),
  index_fill = {all = function(g, c, add)
    local wide = line(g)
    local is_filled = strew.zeros(wide.shape, {dtype = "bool", device = g.device})
      :index_fill_(c.dim, c.index, true, {mode = c.mode})
    add(c.self, function() return wide:masked_fill(is_filled, 0) end)
    add(c.value, function() return strew.where(is_filled, wide, 0.0):sum() end)
  end},
  index_put = {all = function(g, c, add)
    write_at(g, c, c.self, coordinates_of(c.indices), c.values, c.accumulate and "sum" or nil, c.mode, add)
  end},
  put = {all = function(g, c, add)
    local of_self, of_src = joined(g:reshape(-1), c.self:reshape(-1), 0, c.index:reshape(-1), c.source:reshape(-1),
      c.accumulate and "sum" or nil, true, c.mode)
    add(c.self, of_self)
    add(c.source, of_src)
  end},
  take = {self = function(g, c)
    return zeros(c.self):put_(c.index, g, {accumulate = true, mode = c.mode})
  end},
  take_along_dim = {self = function(g, c)
    local x, index, dim = c.self, c.index, c.dim
    if dim == nil then
      return zeros(x:reshape(-1)):scatter_add_(0, index:reshape(-1), g:reshape(-1), {mode = c.mode})
    end
    local sizes, at = x.shape, dim < 0 and dim + x:dim() or dim
    for d = 0, x:dim() - 1 do
      if d ~= at then sizes[d + 1] = g:size(d) end
    end
    return strew.zeros(sizes, like(x)):scatter_add_(at, index:expand(g.shape), g, {mode = c.mode})
  end},
  scatter_nd = {all = function(g, c, add) -- without self of zeros
    write_at(g, c, c.self or c.shape, components(c.indices), c.updates, c.reduce or c.shape and "sum", c.mode, add)
  end},
  gather_nd = {self = function(g, c)
    local x, indices = c.self, batch_indices(c.indices, c.batch_dims or 0)
    if x:numel() == 0 or g:numel() == 0 then return zeros(x) end
    if indices:size(-1) == 0 then return g:reshape(-1, x:numel()):sum(0):reshape(x.shape) end
    return zeros(x):scatter_nd_(indices, g, {reduce = "sum", mode = c.mode})
  end},
  masked_select = {self = function(g, c)
    local shape = c.mask:logical_or(c.self:ne(c.self)).shape
    return strew.zeros(shape, like(c.self)):masked_scatter_(c.mask, g)
  end},
  masked_scatter = {self = function(g, c) return g:masked_fill(c.mask, 0) end,
    source = function(g, c)
      local chosen = g:masked_select(c.mask)
      return padded(chosen, {c.source:numel()}):reshape(c.source.shape)
    end},
  ["t[i]"] = {all = function(g, c, add) -- rows at an index or a mask, or a view
    local x, i = c.self or c.rest[1], c.position or c.rest[2]
    if type(i) == "number" then return add(x, zeros(x):select_scatter_(g, 0, i)) end
    add(x, zeros(x):index_put_(is_tensor(i) and {i} or i, g, {accumulate = true}))
  end},
}

-- The position form of scatter, for its rule.
placed.scatter = rule("src", function(c) return c.self, c.dim, c.index, c.src, c.reduce, true, c.mode, c.out end).all

return placed
