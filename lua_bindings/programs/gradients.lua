-- gradients.lua: gradients of a function's result with respect to its arguments.
--
-- While the function runs, each call with an operand that depends on the arguments is recorded (strew_record.c). Then
-- the record is gone through backwards: the rule of each call turns the gradient of its result into the gradients of
-- its operands, which add up. A rule is a row of `rules`: for each operand that has a gradient a function or a text
-- (false: 0). A function gets g, the gradient of the result, the call: its arguments by their names, and its result as
-- `out`; and the operand. It returns the gradient, or a text. A text is an expression of these names. A gradient may
-- have the shape to which the operand broadcasts. `all` instead of these is a function of (g, call, add) that calls
-- add(operand, gradient, or a function that returns it).
local strew, fail, use, inner = ...
local operands, placed, columns = use "operands.lua", use "gradients_placed.lua", use "columns.lua"
local like, zeros, equal, compute, bound = placed.like, placed.zeros, placed.equal, operands.compute, operands.bound

local is_tensor = operands.is_tensor

-- Returns the dimensions of a shape along which sizes were broadcast to it, and whether the two differ.
local function broadcast_dims(given, sizes)
  local extra, dims, differ = #given - #sizes, {}, #given ~= #sizes
  for d = 1, #given do
    local size = sizes[d - extra]
    if d <= extra or size == 1 and given[d] ~= 1 then table.insert(dims, d - 1) end
    differ = differ or given[d] ~= size
  end
  return dims, differ
end

-- Returns g, a tensor or a bound expression, as a gradient of x: summed along the dimensions to which x broadcasts, of
-- x's dtype, on x's device.
local function fit(g, x)
  local sizes, given = x.shape, g.shape
  local dims, differ = broadcast_dims(given, sizes)
  if differ then
    local count = operands.product(given, 1, #given)
    local is_sum = count ~= x:numel() or count == 0 and #given > #sizes
    if is_sum and #dims > 0 then g = g:sum(dims, true) end
    g = g:reshape(sizes)
  end
  if g.device ~= x.device then g = g:to(x.device) end
  return g.dtype == x.dtype and g or g:to(x.dtype)
end

---------------------------------------------------------------------------------------------- along dimensions

-- Returns the numbers from 0 of the dimensions that `dim` names: all, one, or a sequence; none of a tensor without.
local function dims_of(x, dim)
  local rank, dims = x:dim(), {}
  if rank == 0 then return dims end
  if type(dim) == "number" then dim = {dim} end
  for _, d in ipairs(dim or {}) do table.insert(dims, d < 0 and d + rank or d) end
  if not dim then for d = 0, rank - 1 do table.insert(dims, d) end end
  return dims
end

-- Returns what a reduction of x gave, with a size of 1 along each dimension that was reduced.
local function kept(reduced, x, dim)
  local sizes = x.shape
  if #sizes == 0 then return reduced end
  for _, d in ipairs(dims_of(x, dim)) do sizes[d + 1] = 1 end
  return reduced:reshape(sizes)
end

-- Returns how many elements of x each element of a reduction is made of.
local function count_of(x, dim)
  local count, sizes = 1, x.shape
  for _, d in ipairs(dims_of(x, dim)) do count = count * (sizes[d + 1] or 1) end
  return count
end

-- Returns what var subtracts from x, one after the other: its first elements, and the mean of what is left.
local function centers_of(x, dim)
  local first, dims = x, dims_of(x, dim)
  if x:numel() == 0 then return x, 0 end
  for _, d in ipairs(dims) do first = first:narrow(d, 0, 1) end
  return first, bound("x - first", {x = x, first = first}, x:numel()):sum(dims, true) / count_of(x, dim)
end

-- Returns g in equal parts where x equals the reduction's result.
local function shared(g, x, out, dim)
  local is_equal = compute(equal(x), {a = x, b = kept(out, x, dim)})
  return kept(g, x, dim) / is_equal:sum(dims_of(x, dim), true) * is_equal
end

-- Returns g put at the positions along dim that a call gave, or that an index names.
local function put_back(g, x, dim, positions, mode)
  local line = operands.line(x)
  local wide = x:dim() == 0 and positions:reshape(1) or positions
  return zeros(line):scatter_add_(dim, wide, g:reshape(wide.shape), {mode = mode}):reshape(x.shape)
end

-- Returns the gradient of what a call chose: in equal parts of all elements, or along dim at the positions it gave.
local function put_to_chosen(g, c)
  if c.dim == nil then return shared(g, c.self, c.out) end
  local positions = c.results[2]
  return put_back(g, c.self, c.dim, c.keepdim and positions or kept(positions, c.self, c.dim))
end

-- The gradient of cumprod: the product of the elements before each one, times the sum that begins there, of g and of
-- products of g with the elements up to it. Each turn doubles the number of terms of the sums.
local function cumprod_self(g, c)
  local x, dim = operands.computed(operands.line(c.self)), c.dim
  local n, sums = x:size(dim), g:reshape(x.shape):to(x.dtype)
  if n == 0 then return g end
  local one = strew.ones(x:narrow(dim, 0, 1).shape, like(x))
  local products, width = x:narrow(dim, 1, n - 1), 1
  while width < n do
    local longer = sums:narrow(dim, 0, n - width) + products * sums:narrow(dim, width, n - width)
    sums = strew.cat({longer, sums:narrow(dim, n - width, width)}, dim)
    local left = math.max(0, n - 2 * width)
    products = products:narrow(dim, 0, left) * products:narrow(dim, n - width - left, left)
    width = width * 2
  end
  return sums * strew.cat({one, x:narrow(dim, 0, n - 1)}, dim):cumprod(dim)
end

-- The sum of g * exp(x - out) from each element on, of logcumsumexp: in logarithms, of both signs apart.
local function logcumsumexp_self(g, c)
  local dim, x = c.dim, c.self
  if x:dim() == 0 then return g end
  local least = -1e38 -- in place of -inf, which gradients of this one would make NaN
  local given, out = operands.computed(g), operands.computed(c.out):maximum(least)
  local function part(sign)
    local weights = given * sign
    local logs = strew.where(weights:gt(0), strew.where(weights:gt(0), weights, 1.0):log(), least) - out
    return (logs:flip(dim):logcumsumexp(dim):flip(dim) + operands.computed(x)):exp()
  end
  return (part(1) - part(-1)):to(x.dtype)
end

-- For each element that a product over dim folds the product of the others.
local function others_of(x, dim)
  local dims, is_folded, order, back = dims_of(x, dim), {}, {}, {}
  for _, d in ipairs(dims) do is_folded[d] = true end
  for d = 0, x:dim() - 1 do if not is_folded[d] then table.insert(order, d) end end
  local sizes = {}
  for k, d in ipairs(order) do sizes[k] = x:size(d) end
  table.insert(sizes, count_of(x, dim))
  table.sort(dims)
  table.move(dims, 1, #dims, #order + 1, order)
  for k, d in ipairs(order) do back[d + 1] = k - 1 end
  local lines = x:permute(order)
  return placed.others(lines:reshape(sizes), -1):reshape(lines.shape):permute(back)
end

local function norm_self(g, c)
  local x, p = c.self, c.p or 2
  if p == 0 then return zeros(x) end
  if p == math.huge or p == -math.huge then return shared(g, x:abs(), c.out, c.dim) * x:sign() end
  local values = {x = x, p = p - 1, out = kept(c.out, x, c.dim), g = kept(g, x, c.dim)}
  if p == 1 then return compute("g * sign(x)", values) end
  local part = p == 2 and "x / out" or "(abs(x) / out) ^ p * sign(x)"
  return compute(format("where(out == 0 or x == 0, 0.0, g * (%s))", part), values)
end

-- The gradient of quantile and, for lower, of median over all: each quantile lies between two elements of the sorted x.
-- Returns x rounded to the dtype of the ranks of quantiles of t.
local function of_ranks(t, x) return t.dtype == "float64" and x or string.unpack("f", string.pack("f", x)) end

local function quantile_self(g, c)
  local x, dim = c.self, c.dim
  local line = dim and operands.line(x) or x:reshape(-1)
  dim = dim or 0
  local n, result = line:size(dim), zeros(line)
  local order = line:argsort(dim)
  local qs = is_tensor(c.q) and c.q:reshape(-1):tolist() or {c.q}
  local sizes = line.shape
  sizes[dim < 0 and dim + #sizes + 1 or dim + 1] = 1
  local parts = g:reshape(#qs, -1)
  for k, q in ipairs(qs) do
    local word = c.interpolation or "linear"
    local rank = of_ranks(x, of_ranks(x, q) * (word == "inverted_cdf" and n or n - 1))
    if word == "inverted_cdf" then rank = math.max(math.ceil(rank) - 1, 0) end
    local low, high, weight = math.floor(rank), math.ceil(rank), rank - math.floor(rank)
    if word == "lower" then weight = 0 elseif word == "higher" then weight = 1
    elseif word == "midpoint" then weight = 0.5
    elseif word == "nearest" then
      weight = (weight > 0.5 or weight == 0.5 and low % 2 == 1) and 1 or 0
    end
    local part = parts:select(0, k - 1):reshape(sizes)
    result = result:scatter_add(dim, order:narrow(dim, low, 1), part * (1 - weight))
    result = result:scatter_add(dim, order:narrow(dim, high, 1), part * weight)
  end
  return result:reshape(x.shape)
end

-------------------------------------------------------------------------------------------------------- products

-- Returns the gradient of a, the left operand of a product with b.
local function left(g, a, b)
  if b:dim() == 1 then return a:dim() == 1 and g * b or g:unsqueeze(-1) * b end
  if a:dim() == 1 then return b:matmul(g:unsqueeze(-1)):squeeze(-1) end
  return g:matmul(b:transpose(-1, -2))
end

local function right(g, a, b)
  if b:dim() == 1 then
    if a:dim() == 1 then return g * a end
    return a:transpose(-1, -2):matmul(g:unsqueeze(-1)):squeeze(-1)
  end
  if a:dim() == 1 then return a:unsqueeze(-1) * g:unsqueeze(-2) end
  return a:transpose(-1, -2):matmul(g)
end

-- The gradient of the solution x of a x = b with respect to b, as matrices.
local function solved(g, c)
  local is_vector = c.other:dim() == 1
  local x = is_vector and c.out:unsqueeze(-1) or c.out
  return c.self:transpose(-2, -1):solve(is_vector and g:unsqueeze(-1) or g), x, is_vector
end

-- The gradient of Cholesky's L, as a symmetric matrix, as in PyTorch: L^-T S L^-1 / 2, where S is symmetric and has the
-- lower triangle of L^T g.
local function cholesky_self(g, c)
  local u = c.upper and c.out or c.out:transpose(-2, -1)
  local lower = u:matmul(c.upper and g:transpose(-2, -1) or g):tril()
  local mirrored = lower + lower:tril(-1):transpose(-2, -1)
  return u:solve(u:solve(mirrored):transpose(-2, -1)) / 2
end

-- det's gradient is the matrix of cofactors, also of singular matrices: by the products of all but one singular value.
local function det_self(g, c)
  local u, s, vh = c.self:svd()
  local signs = (u:det() * vh:det() * g):unsqueeze(-1)
  return (u * (placed.others(s, -1) * signs):unsqueeze(-2)):matmul(vh)
end

-- The gradients of cdist: differences times weights, summed over the other's rows.
local function distances(name)
  return function(g, c)
    local own, other = c[name], name == "self" and c.other or c.self
    local p, out = c.p or 2, c.out
    if name == "other" then g, out = g:transpose(-2, -1), out:transpose(-2, -1) end
    if p == 2 then
      local weights = compute("where(out == 0, 0.0, g / out)", {g = g, out = out})
      return own * weights:sum(-1, true) - weights:matmul(other)
    end
    local inputs = {x = own:unsqueeze(-2), y = other:unsqueeze(-3), g = g:unsqueeze(-1), out = out:unsqueeze(-1),
                    p = p - 1}
    if p == math.huge then
      return compute("where(abs(x - y) == out, g * sign(x - y), 0.0)", inputs):sum(-2)
    end
    local part = p == 0 and "0.0 * (x - y)" or p == 1 and "g * sign(x - y)"
      or "where(out == 0 or x == y, 0.0, g * (abs(x - y) / out) ^ p * sign(x - y))"
    return compute(part, inputs):sum(-2)
  end
end

local function product()
  return {self = function(g, c) return left(g, c.self, c.other) end,
          other = function(g, c) return right(g, c.self, c.other) end}
end

-- A reduction along dim: f(g, c, x, out) with g and the result as kept.
local function along(f)
  return {self = function(g, c) return f(kept(g, c.self, c.dim), c, c.self, kept(c.out, c.self, c.dim)) end}
end

-- The gradient of var or std: a factor times the differences from the mean.
local function variance(factor)
  return along(function(g, c, x, out)
    local first, mean = centers_of(x, c.dim)
    local divisor = count_of(x, c.dim) - operands.correction(c, 1)
    local values = {g = factor(g, out, divisor), x = x, first = first, mean = mean}
    return compute("g * (x - first - mean)", values)
  end)
end

----------------------------------------------------------------------------------------------------------- parts

local function reshaped() return {self = function(g) return g end} end

-- Returns what a call to cat or stack joined: a sequence, or its leading arguments; and the dimension behind them.
local function joined(c)
  if c.tensors then return c.tensors, c.dim or 0 end
  local count = 0
  while is_tensor(c.rest[count + 1]) do count = count + 1 end
  local dim = c.rest[count + 1]
  return {table.unpack(c.rest, 1, count)}, type(dim) == "table" and dim.dim or dim or 0
end

-- The gradient of split and chunk, from those of the pieces.
local function pieces()
  return {all = function(_, c, add)
    local parts = {}
    for k, piece in ipairs(c.results[1]) do parts[k] = c.gradients[piece] or zeros(piece) end
    add(c.self, strew.cat(parts, c.dim or 0))
  end}
end

-- Sums the copies that repeat and tile made of x.
local function summed_copies(g, x, counts)
  local sizes, missing = x.shape, #counts - x:dim()
  for d = #counts, 1, -1 do
    local shape, size = g.shape, sizes[d - missing] or 1
    local before, after = operands.product(shape, 1, d - 1), operands.product(shape, d + 1, #shape)
    if counts[d] ~= 1 then
      shape[d] = size
      g = g:reshape(before, counts[d], size, after):sum(1):reshape(shape)
    end
  end
  return g:reshape(sizes)
end

local function stretched_self(g, c)
  local line = c.dim and operands.line(c.self) or c.self:reshape(-1)
  local dim = c.dim or 0
  local at = strew.arange(line:size(dim), {device = line.device}):repeat_interleave(c.repeats)
  return zeros(line):index_add_(dim, at, g:reshape(g:dim() == 0 and {1} or g.shape)):reshape(c.self.shape)
end

local function diff_self(g, c)
  local dim, n = c.dim or -1, c.n or 1
  for k = n, 1, -1 do
    local sizes = g.shape
    local d = dim < 0 and dim + #sizes or dim
    if c.self:size(dim) < k then return zeros(c.self) end
    sizes[d + 1] = 1
    local edge = strew.zeros(sizes, like(g))
    g = strew.cat({edge, g}, d) - strew.cat({g, edge}, d)
  end
  return g
end

-- The elements of pad come from self's at the same positions, or, along one dimension after the other, from those that
-- a line of positions has there.
local function pad_self(g, c)
  local counts = type(c.pad) == "table" and c.pad or {c.pad}
  if (c.mode or "constant") == "constant" then
    local back = {}
    for k, count in ipairs(counts) do back[k] = -count end
    return g:pad(back)
  end
  for k = 1, #counts, 2 do
    local dim, sizes = c.self:dim() - (k + 1) // 2, g.shape
    local at = strew.arange(c.self:size(dim), {device = g.device}):pad({counts[k], counts[k + 1]}, c.mode)
    sizes[dim + 1] = c.self:size(dim)
    g = strew.zeros(sizes, like(g)):index_add(dim, at, g)
  end
  return g
end

-- Elements of a view of any strides are found by their places in the storage. An element of self that several views
-- share gets an equal part.
local function strided_self(g, c)
  local x = c.self
  local function places(t)
    local at = strew.zeros(t.shape, {dtype = "int64", device = t.device})
    for d, stride in ipairs{t:stride()} do
      local sizes = {}
      for i = 1, t:dim() do sizes[i] = i == d and t:size(d - 1) or 1 end
      at = at + strew.arange(t:size(d - 1), {device = t.device}):reshape(sizes) * stride
    end
    return at:reshape(-1)
  end
  if g:numel() == 0 or x:numel() == 0 then return zeros(x) end
  local first = c.offset or inner.offset(x)
  local mine, theirs = places(x) + inner.offset(x), places(c.out) + first
  local size = math.max(mine:max():item(), theirs:max():item()) + 1
  local sums = strew.zeros(size, like(x)):scatter_add_(0, theirs, g:reshape(-1))
  local counts = strew.zeros(size, like(x)):scatter_add_(0, mine, strew.ones(mine.shape, like(x)))
  return (sums:gather(0, mine) / counts:gather(0, mine)):reshape(x.shape)
end

--------------------------------------------------------------------------------------------------- elementwise

-- A rule of one operation, which a call makes sooner than a text, but for results that are summed.
local function one(text, f)
  return function(g, c, x) return c.out:numel() == x:numel() and f(g, c) or text end
end

local function power_self(g, c)
  if c.other == 0 then return zeros(g) end
  if type(c.other) ~= "number" then return "where(other == 0, 0.0, g * other * self ^ (other - 1))" end
  c.less = c.other - 1
  return "g * other * self ^ less"
end

local function power_other(_, c)
  local is_number = type(c.self) == "number"
  c.factor = is_number and (c.self == 0 and -math.huge or math.log(c.self))
  if is_number and c.self ~= 0 then return "g * out * factor" end
  return is_number and "where(other >= 0, 0.0, g * out * factor)"
    or "where(self == 0 and other >= 0, 0.0, g * out * log(self))"
end

local where_true = one("where(condition, g, 0.0)", function(g, c) return strew.where(c.condition, g, 0.0) end)
local where_false = one("where(condition, 0.0, g)", function(g, c) return strew.where(c.condition, 0.0, g) end)

-- minimum and maximum: equal elements share.
local function choice(beyond)
  local text = "g * where(self == other, 0.5, not (%s %s %s))"
  return {self = format(text, "self", beyond, "other"), other = format(text, "other", beyond, "self")}
end

-- min and max: of all, of two tensors, or along dim.
local function extreme(beyond)
  local of_two = choice(beyond)
  return {self = function(g, c) return c.other and of_two.self or put_to_chosen(g, c) end, other = of_two.other}
end

-- The share of clamp's self: 1 between the bounds, 0 outside and at a number, a half where it equals a tensor.
local function clamp_self(_, c)
  local function share(name, beyond)
    if c[name] == nil then return "" end
    local text = is_tensor(c[name]) and " * where(self == %s, 0.5, self %s %s)" or " * (self%.0s %s %s)"
    return format(text, name, beyond, name)
  end
  return "g" .. share("min", ">") .. share("max", "<")
end

-- The share of a bound of clamp; the upper one hides a lower one that is above it.
local function clamp_min(_, c)
  return "g * (where(self == min, 0.5, self < min)" .. (c.max ~= nil and " * (min < max))" or ")")
end

local function clamp_max(_, c)
  local share = "where(self == max, 0.5, self > max)"
  return "g * " .. (c.min ~= nil and format("where(max < min, 1.0, %s)", share) or share)
end

local function unary(f) return {self = f} end

-- The normal density, e^(-k x^2) sqrt(k / pi), as text.
local function bell(k) return format("(exp(self * self * %.17g) * %.17g)", -k, math.sqrt(k / math.pi)) end

-- A leg of a triangle by the square of its longest side, of atan2.
local function across(leg, c)
  local side = strew.hypot(c.self, c.other)
  return leg / side / side
end

local rules = {
  add = {self = function(g) return g end, other = function(g) return g end},
  sub = {self = function(g) return g end, other = function(g) return -g end},
  mul = {self = one("g * other", function(g, c) return g * c.other end),
         other = one("g * self", function(g, c) return g * c.self end)},
  div = {self = one("g / other", function(g, c) return g / c.other end), other = "-g * (self / other / other)"},
  remainder = {self = function(g) return g end, other = "-g * (self // other)"},
  fmod = {self = function(g) return g end, other = "-g * trunc(self / other)"},
  copysign = {self = "where(self == 0, 0.0, where(signbit(self) == signbit(other), g, -g))",
              other = function(g) return g:clone():zero_() end},
  nextafter = {self = "where(self == other, 0.0, g)", other = false},
  positive = unary(function(g) return g end),
  gelu_tanh = unary(string.gsub(string.gsub(format(
    "g * ((T + 1) * 0.5 + self * (1 - T * T) * ((self * self * %.17g + 1) * C) * 0.5)", 3 * 0.044715),
    "T", "tanh((self * self * 0.044715 + 1) * self * C)"), "C", "0.7978845608028654")),
  pow = {self = power_self, other = power_other},
  atan2 = {self = function(g, c) return g * across(c.other, c) end,
           other = function(g, c) return -g * across(c.self, c) end},
  hypot = {self = "g * where(out == 0, 0.0, self / out)", other = "g * where(out == 0, 0.0, other / out)"},
  logaddexp = {self = "g * sigmoid(self * 1.0 - other * 1.0)", other = "g * sigmoid(other * 1.0 - self * 1.0)"},
  minimum = choice ">",
  maximum = choice "<",
  where = {a = where_true, b = where_false, self = where_true, other = where_false},
  masked_fill = {self = function(g, c) return g:masked_fill(c.mask, 0) end, value = "where(mask, g, 0.0)"},
  clamp = {self = clamp_self, min = clamp_min, max = clamp_max},
  nan_to_num = unary "g * isfinite(self)",
  neg = unary(function(g) return -g end),
  abs = unary "g * sign(self)",
  relu = unary "g * (self > 0)",
  exp = unary(function(g, c) return g * c.out end),
  expm1 = unary "g * (out + 1)",
  log = unary(function(g, c) return g / c.self end),
  log2 = unary(format("g / (self * %.17g)", math.log(2))),
  log10 = unary(format("g / (self * %.17g)", math.log(10))),
  log1p = unary "g / (self + 1)",
  sqrt = unary "g / (out * 2)",
  rsqrt = unary "g * out * out * out * -0.5",
  sin = unary "g * cos(self)",
  cos = unary "-g * sin(self)",
  tanh = unary "g * (1 - out * out)",
  sigmoid = unary "g * out * (1 - out)",
  tan = unary "g * (1 + out * out)",
  asin = unary "g / sqrt(1 - self * self)",
  acos = unary "-g / sqrt(1 - self * self)",
  atan = unary "g / (1 + self * self)",
  sinh = unary "g * cosh(self)",
  cosh = unary "g * sinh(self)",
  asinh = unary "g / hypot(self, 1)",
  acosh = unary "g / sqrt(self * self - 1)",
  atanh = unary "g / (1 - self * self)",
  exp2 = unary(format("g * out * %.17g", math.log(2))),
  erf = unary("g * " .. bell(1) .. " * 2"),
  erfc = unary("g * " .. bell(1) .. " * -2"),
  gelu = unary(format("g * (erfc(self * %.17g) * 0.5 + self * %s)", -math.sqrt(0.5), bell(0.5))),
  cbrt = unary "g / (out * out * 3)",
  square = unary "g * self * 2",
  reciprocal = unary "-g * out * out",
  silu = unary "g * sigmoid(self) * (1 + self * (1 - sigmoid(self)))",
  softplus = unary "g * sigmoid(self)",
  elu = unary(function(g, c) return strew.where(c.self:gt(0), g, g * (c.out + (c.alpha or 1))) end),
  leaky_relu = unary(function(g, c) return strew.where(c.self:gt(0), g, g * (c.slope or 0.01)) end),
  binary_losses = {self = "g * (self - target) / maximum((1 - self) * self, 1e-12)",
                   target = "g * (maximum(log1p(-self), -100) - maximum(log(self), -100))"},
  lerp = {self = function(g, c) return g * (1 - c.weight) end, other = function(g, c) return g * c.weight end,
          weight = function(g, c) return g * (c.other - c.self) end},

  sum = {self = function(g, c) return kept(g, c.self, c.dim):expand(c.self.shape) end},
  mean = {self = function(g, c)
    return (kept(g, c.self, c.dim) / count_of(c.self, c.dim)):expand(c.self.shape)
  end},
  var = variance(function(g, _, n) return g * (2 / n) end),
  std = variance(function(g, out, n) return strew.where(out:eq(0), 0.0, g / (out * n)) end),
  prod = along(function(g, c, x) return g * others_of(x, c.dim) end),
  amin = {self = function(g, c) return shared(g, c.self, c.out, c.dim) end},
  amax = {self = function(g, c) return shared(g, c.self, c.out, c.dim) end},
  min = extreme ">",
  max = extreme "<",
  norm = {self = norm_self},
  logsumexp = along(function(g, _, x, out)
    return compute("g * exp(x - where(out == low, 0.0, out))", {g = g, x = x, out = out, low = -math.huge})
  end),
  softmax = {self = function(_, c) return format("g * out - out * sum(g * out, %d, true)", c.dim) end},
  log_softmax = {self = function(_, c) return format("g - exp(out) * sum(g, %d, true)", c.dim) end},
  cumsum = {self = function(g, c) return g:dim() == 0 and g or g:flip(c.dim):cumsum(c.dim):flip(c.dim) end},
  cumprod = {self = cumprod_self},
  logcumsumexp = {self = logcumsumexp_self},
  cummax = {self = function(g, c) return put_back(g, c.self, c.dim, c.results[2]) end},
  cummin = {self = function(g, c) return put_back(g, c.self, c.dim, c.results[2]) end},
  sort = {self = function(g, c) return put_back(g, c.self, c.dim or -1, c.results[2]) end},
  topk = {self = function(g, c) return put_back(g, c.self, c.dim or -1, c.results[2]) end},
  median = {self = put_to_chosen},
  quantile = {self = quantile_self},

  matmul = product(), mm = product(), mv = product(), dot = product(),
  outer = {self = function(g, c) return g:mv(c.other) end,
           other = function(g, c) return g:t():mv(c.self) end},

  inv = {self = function(g, c)
    local t = c.out:transpose(-2, -1)
    return -t:matmul(g):matmul(t)
  end},
  solve = {self = function(g, c)
    local h, x = solved(g, c)
    return -h:matmul(x:transpose(-2, -1))
  end, other = function(g, c)
    local h, _, is_vector = solved(g, c)
    return is_vector and h:squeeze(-1) or h
  end},
  det = {self = det_self},
  slogdet = {several = true, all = function(_, c, add)
    local g = c.gradients[c.results[2]] -- the sign's is 0
    if g then add(c.self, g:unsqueeze(-1):unsqueeze(-1) * c.self:inv():transpose(-2, -1)) end
  end},
  cholesky = {self = cholesky_self},
  eigvalsh = {self = function(g, c)
    local _, v = c.self:eigh(c.upper)
    return (v * g:unsqueeze(-2)):matmul(v:transpose(-2, -1))
  end},
  svdvals = {self = function(g, c)
    local u, _, vh = c.self:svd(false)
    return (u * g:unsqueeze(-2)):matmul(vh)
  end},
  cdist = {self = distances "self", other = distances "other"},

  view = reshaped(), reshape = reshaped(), flatten = reshaped(), squeeze = reshaped(), unsqueeze = reshaped(),
  expand = reshaped(), to = reshaped(), clone = reshaped(), contiguous = reshaped(),
  alias = reshaped(), tensor = {x = function(g) return g end},
  copy = {src = function(g) return g end, self = function(g) return zeros(g) end},
  expand_as = {self = function(g) return g end, other = false}, -- only its sizes count
  t = {self = function(g) return g:t() end},
  transpose = {self = function(g, c) return g:transpose(c.dim0, c.dim1) end},
  permute = {self = function(g, c)
    local back = {}
    for d, from in ipairs(c.dims) do back[(from < 0 and from + #c.dims or from) + 1] = d - 1 end
    return g:permute(back)
  end},
  select = {self = function(g, c) return zeros(c.self):select_scatter_(g, c.dim, c.position) end},
  narrow = {self = function(g, c)
    local start = c.start < 0 and c.start + c.self:size(c.dim) or c.start
    return zeros(c.self):slice_scatter_(g, c.dim, start, start + c.length)
  end},
  slice = {self = function(g, c)
    if c.step and c.step < 0 then
      local at = strew.arange(c.self:size(c.dim), {device = g.device}):slice(0, c.start, c.stop, c.step)
      return zeros(c.self):index_add_(c.dim, at, g)
    end
    return zeros(c.self):slice_scatter_(g, c.dim, c.start, c.stop, c.step)
  end},
  as_strided = {self = strided_self},
  diagonal = {self = function(g, c)
    return zeros(c.self):diagonal_scatter_(g, c.offset, c.dim1, c.dim2)
  end},
  diag = {self = function(g, c)
    if c.self:dim() == 1 then return g:diagonal(c.diagonal or 0) end
    return zeros(c.self):diagonal_scatter_(g, c.diagonal or 0)
  end},
  tril = {self = function(g, c) return g:tril(c.diagonal) end},
  triu = {self = function(g, c) return g:triu(c.diagonal) end},
  flip = {self = function(g, c) return g:flip(c.dims) end},
  roll = {self = function(g, c)
    local back = {}
    for i, shift in ipairs(type(c.shifts) == "table" and c.shifts or {c.shifts}) do back[i] = -shift end
    return g:roll(back, c.dims)
  end},
  ["repeat"] = {self = function(g, c) return summed_copies(g, c.self, c.repeats) end},
  tile = {self = function(g, c)
    local counts = {table.unpack(c.dims)}
    for _ = 1, c.self:dim() - #counts do table.insert(counts, 1, 1) end
    return summed_copies(g, c.self, counts)
  end},
  repeat_interleave = {self = stretched_self},
  diff = {self = diff_self},
  pad = {self = pad_self},
  cat = {all = function(g, c, add)
    local tensors, dim = joined(c)
    local start = 0
    for _, x in ipairs(tensors) do
      local size = x:size(dim)
      add(x, g:narrow(dim, start, size))
      start = start + size
    end
  end},
  stack = {all = function(g, c, add)
    local tensors, dim = joined(c)
    for k, x in ipairs(tensors) do add(x, g:select(dim, k - 1)) end
  end},
  split = pieces(), chunk = pieces(),
  select_scatter = {
    self = function(g, c) return g:select_scatter(zeros(c.src), c.dim, c.position) end,
    src = function(g, c) return g:select(c.dim, c.position) end},
  slice_scatter = {
    self = function(g, c) return g:slice_scatter(zeros(c.src), c.dim or 0, c.start, c.stop, c.step) end,
    src = function(g, c) return g:slice(c.dim or 0, c.start, c.stop, c.step) end},
  diagonal_scatter = {
    self = function(g, c) return g:diagonal_scatter(zeros(c.src), c.offset, c.dim1, c.dim2) end,
    src = function(g, c) return g:diagonal(c.offset, c.dim1, c.dim2) end},
}
for name, rule in pairs(placed.rules) do rules[name] = rule end
for name, same in pairs{broadcast_to = "expand", swapaxes = "transpose", concat = "cat", concatenate = "cat"} do
  rules[name] = {self = rules[same].self, all = rules[same].all}
end
for name, rule in pairs(use "gradients_groups.lua") do rules[name] = rule end
for name, rule in pairs(rules) do rule.name = name end

------------------------------------------------------------------------------------------------------- backwards

-- Returns the gradient of a call's result, or nil if nothing depends on it; true for a table of results.
local function gradient_of(call, gradients)
  local result = call.out
  for _, other in ipairs(call.rule.several and call.results or {}) do
    if gradients[other] then return true end
  end
  if type(result) ~= "table" then return gradients[result] end
  for _, piece in ipairs(result) do
    if gradients[piece] then return true end
  end
end

-- Returns the gradient of operand x, or nil if it has no rule.
local function gradient(rule, g, call, x)
  if type(rule) == "function" then rule = rule(g, call, x) end
  if type(rule) ~= "string" then return rule end
  local count = call.out:numel()
  call.g = g
  return (count == x:numel() and compute or bound)(rule, call, count)
end

-- Returns the gradients of the tensors that the result depends on, by tensor. is_last: the tape is not used again.
local function backwards(tape, first, result, is_last)
  local gradients = {[result] = strew.ones(result.shape, like(result))}
  local function put(x, g)
    g = fit(g, x)
    gradients[x] = gradients[x] and gradients[x] + g or g
  end
  local function add(x, g)
    if is_tensor(x) and inner.is_recorded(x) then put(x, type(g) == "function" and g() or g) end
  end
  for k = #tape, first + 1, -1 do
    local call = tape[k]
    if is_last then tape[k] = nil end
    local rule = call.rule
    local g = rule and gradient_of(call, gradients)
    if g then
      call.gradients = gradients
      gradients[call.out] = nil
      if rule.all then rule.all(g, call, add) end
      for _, name in ipairs(call) do
        local x = call[name]
        local is_wanted = is_tensor(x) and inner.is_recorded(x)
        if is_wanted and rule[name] then put(x, gradient(rule[name], g, call, x)) end
        if is_wanted and rule[name] == nil and not rule.all then
          fail(nil, format("'%s' of %s has no gradient", name, rule.name))
        end
      end
    end
  end
  return gradients
end

---------------------------------------------------------------------------------------------------- tables of tensors

-- The metatable of a table whose fields are walked; false: its metatable is protected, and it is passed on as it is.
local function meta_of(x)
  local meta = getmetatable(x)
  return (meta == nil or type(meta) == "table") and {meta}
end

-- Returns true if x is a float tensor, or a table that has one. seen: the tables that were looked at.
local function has_floats(x, seen)
  if is_tensor(x) then return inner.is_open(x) and operands.is_float(x) end
  if type(x) ~= "table" or seen[x] or not meta_of(x) then return false end
  seen[x] = true
  for _, value in next, x do
    if has_floats(value, seen) then return true end
  end
  return false
end

-- Returns x with each float tensor replaced by what `replace` returns for it, in copies of the tables that have them;
-- other values are those of `other`, or, without it, absent. copies: by table.
local function mapped(x, replace, other, copies)
  if is_tensor(x) then
    if not inner.is_open(x) then fail(nil, "a tensor of a table was freed", nil, "freed") end
    if operands.is_float(x) then return replace(x) end
  end
  local meta = type(x) == "table" and meta_of(x)
  if not meta then return other and x or nil end
  if copies[x] then return copies[x] end
  local copy, names = {}, columns.about(x)
  copies[x] = copy
  for key, value in next, x do copy[key] = mapped(value, replace, other, copies) end
  if names then
    local floats = {}
    for _, name in ipairs(names) do floats[#floats + 1] = copy[name] and name end
    return columns.set(copy, floats)
  end
  return other and setmetatable(copy, meta[1]) or copy
end

local function same(x) return x end

-- Returns the gradients of f's result with respect to the float tensors among the arguments, and in tables among them;
-- the result first if it is wanted.
local function differentiate(f, wants_value, ...)
  local arguments, inputs, forms = table.pack(...), {}, {} -- forms: of the gradients, with the inputs in their place
  local function watch(x)
    inputs[#inputs + 1] = inner.alias(x)
    return inputs[#inputs]
  end
  for k = 1, arguments.n do
    local x = arguments[k]
    if is_tensor(x) and not inner.is_open(x) then fail("argument " .. k, "was freed", nil, "freed") end
    if has_floats(x, {}) then
      arguments[k] = mapped(x, watch, true, {})
      forms[#forms + 1] = mapped(arguments[k], same, false, {})
    end
  end
  if #inputs == 0 then
    local hint = "the arguments are those of f"
    for k = arguments.n, 1, -1 do
      local x = arguments[k]
      if is_tensor(x) then hint = format('the arguments are those of f; t:to("%s")', operands.widest(x)) end
    end
    fail(nil, "no argument is a tensor of floats, or a table that has one", hint, "argument")
  end
  for _, x in ipairs(inputs) do inner.watch(x) end
  local tape = inner.tape()
  local first = #tape
  local result = inner.call(f, table.unpack(arguments, 1, arguments.n))
  if not is_tensor(result) then
    fail("f", format("returned a %s, expected a float tensor of one element",
      result == nil and "nil" or type(result)), "t:sum() is such a tensor", "argument")
  end
  if not inner.is_open(result) then fail("f", "returned a tensor that was freed", nil, "freed") end
  if not operands.is_float(result) or result:numel() ~= 1 then
    fail("f", format("returned %s%s, expected a float tensor of one element", result.dtype,
      operands.text(result.shape)), "t:sum() adds up all elements", "argument")
  end
  local gradients, out = backwards(tape, first, result, first == #inputs), wants_value and {result} or {}
  local function gradient_of_input(x)
    local g = gradients[x]
    return g and g:clone() or zeros(x)
  end
  for _, form in ipairs(forms) do out[#out + 1] = mapped(form, gradient_of_input, false, {}) end
  return table.unpack(out)
end

return {differentiate = differentiate, rules = rules}
