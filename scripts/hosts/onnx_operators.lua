-- onnx_operators.lua: operators of ONNX in calls of strew: of each a function of the attributes and the inputs, which
-- returns the outputs. A call of the same arguments stands by its name alone.
local strew, onnx = ...
local op = {}

for names, kind in pairs{
  [ [[Abs abs Acos acos Acosh acosh Asin asin Asinh asinh Atan atan Atanh atanh Ceil ceil Cos cos Cosh cosh Erf erf
    Exp exp Floor floor Log log Neg neg Reciprocal reciprocal Round round Sigmoid sigmoid Sign sign Sin sin Sinh sinh
    Softplus softplus Sqrt sqrt Tan tan Tanh tanh Relu relu Not logical_not BitwiseNot bitwise_not IsNaN isnan
    Det det]] ] = 1,
  [ [[Add add Sub sub Mul mul And logical_and Or logical_or Xor logical_xor BitwiseAnd bitwise_and BitwiseOr bitwise_or
    BitwiseXor bitwise_xor Equal eq Less lt LessOrEqual le Greater gt GreaterOrEqual ge MatMul matmul]] ] = 2,
  ["Where where"] = 3,
} do
  for operator, name in names:gmatch "(%S+)%s+(%S+)" do
    local f = assert(strew[name], name)
    op[operator] = kind == 1 and function(_, x) return f(x) end or kind == 2 and function(_, x, y) return f(x, y) end
      or function(_, x, y, z) return f(x, y, z) end
  end
end

-- ------------------------------------------------------------------------------------------------------------- helpers

-- The numbers of a tensor, in a sequence.
local function list(t)
  return t and t:flatten():tolist()
end

local function number(t, default)
  if not t then return default end
  return t:flatten()[0]
end

local function positive(axis, rank)
  return axis < 0 and axis + rank or axis
end

-- A tensor of one number beside x.
local function like(x, v)
  return strew.full({}, v, {dtype = tostring(x.dtype), device = tostring(x.device)})
end

local function is_float(x)
  return tostring(x.dtype):find "float" ~= nil
end

local function fold(f)
  return function(_, x, ...)
    for _, y in ipairs{...} do x = f(x, y) end
    return x
  end
end

local function sizes(x)
  return {x:size()}
end

local function product(numbers, first, last)
  local n = 1
  for i = first, last do n = n * numbers[i] end
  return n
end

-- A vector along dimension `axis` of x's rank.
local function along(v, x, axis)
  local shape = {}
  for d = 1, x:dim() do shape[d] = d == axis + 1 and v:numel() or 1 end
  return v:reshape(shape)
end

-- -------------------------------------------------------------------------------------------------- element by element

op.Max, op.Min, op.Sum = fold(strew.maximum), fold(strew.minimum), fold(strew.add)
function op.Mean(a, ...) return op.Sum(a, ...) / select("#", ...) end
function op.Identity(_, x) return x end
function op.Dropout(a, x, ratio, training)
  local is_random = training and number(training) and number(ratio, 0.5) ~= 0
  if is_random then error({missing = "Dropout of its own random numbers"}, 0) end
  return x, a.outputs[2] and strew.ones_like(x, {dtype = "bool"}) or nil
end

-- Integers toward zero.
function op.Div(_, x, y)
  if is_float(x) then return x / y end
  local q = strew.floor_divide(x, y)
  if tostring(x.dtype):sub(1, 1) == "u" then return q end
  local is_less = strew.logical_and(strew.ne(q * y, x), strew.ne(x:lt(0), y:lt(0)))
  return q + is_less:to(tostring(x.dtype))
end

function op.Mod(a, x, y) return (a.fmod == 1 and strew.fmod or strew.remainder)(x, y) end
function op.Pow(_, x, y)
  local dtype = tostring(x.dtype)
  if not is_float(x) and is_float(y) then x = x:to(tostring(y.dtype)) end
  return strew.pow(x, y:to(tostring(x.dtype))):to(dtype)
end
function op.BitShift(a, x, y)
  return (a.direction == "LEFT" and strew.bitwise_left_shift or strew.bitwise_right_shift)(x, y)
end
function op.Clip(a, x, low, high)
  low, high = low or a.min and like(x, a.min), high or a.max and like(x, a.max)
  if low then x = strew.maximum(x, low) end
  return high and strew.minimum(x, high) or x
end
function op.IsInf(a, x)
  local above, below = x:eq(strew.inf), x:eq(-strew.inf)
  if a.detect_positive == 0 then return a.detect_negative == 0 and strew.zeros_like(above) or below end
  return a.detect_negative == 0 and above or strew.logical_or(above, below)
end

function op.Cast(a, x) return x:to(onnx.dtype(a.to)) end
function op.CastLike(_, x, y) return x:to(tostring(y.dtype)) end
function op.BitCast(a, x)
  local to = onnx.dtype(a.to)
  if tostring(x.dtype) == "bool" then x = x:to "uint8" end
  return to == "bool" and x:view_as "uint8":to(to) or x:view_as(to)
end

-- The empty word is a missing one of strew, which leaves nothing of its pair.
function op.StringConcat(_, x, y)
  return strew.where(x:eq "", y, strew.where(y:eq "", x, x:join_words(y)))
end

function op.Celu(a, x)
  local alpha = a.alpha or 1.0
  return x:clamp(0) + strew.clamp((strew.expm1(x / alpha)) * alpha, nil, 0)
end
function op.Elu(a, x) return x:elu(a.alpha or 1.0) end
function op.Selu(a, x)
  return x:elu(a.alpha or 1.67326319217681884765625) * (a.gamma or 1.05070102214813232421875)
end
function op.HardSigmoid(a, x) return strew.clamp(x * (a.alpha or 0.2) + (a.beta or 0.5), 0, 1) end
function op.HardSwish(_, x) return x * strew.clamp(x / 6 + 0.5, 0, 1) end
function op.LeakyRelu(a, x) return x:leaky_relu(a.alpha or 0.01) end
function op.ThresholdedRelu(a, x) return strew.where(x:gt(a.alpha or 1.0), x, like(x, 0)) end
function op.Mish(_, x) return x * x:softplus():tanh() end
function op.Swish(a, x) return x * strew.sigmoid(x * (a.alpha or 1.0)) end
function op.Gelu(a, x) return a.approximate == "tanh" and x:gelu_tanh() or x:gelu() end
function op.Softsign(_, x) return x / (x:abs() + 1) end
function op.PRelu(_, x, slope)
  local is_of_channels = slope:dim() == 1 and slope:numel() ~= 1 and slope:numel() ~= x:size(-1) -- before version 7
  return strew.where(x:lt(0), x * (is_of_channels and along(slope, x, 1) or slope), x)
end
function op.Shrink(a, x)
  local bias, edge = a.bias or 0, a.lambd or 0.5
  local moved = strew.where(x:lt(-edge), x + bias, strew.where(x:gt(edge), x - bias, like(x, 0)))
  return moved:to(tostring(x.dtype))
end
function op.Binarizer(a, x) return x:gt(a.threshold or 0.0):to(tostring(x.dtype)) end

-- ---------------------------------------------------------------------------------------------------------- reductions

-- The dimensions of a reduction: an input or attribute, all by default.
local function axes_of(a, x, given)
  local axes = list(given) or a.axes or {}
  if #axes == 0 then
    if a.noop_with_empty_axes == 1 then return nil end
    for d = 0, x:dim() - 1 do axes[d + 1] = d end
  end
  return axes
end

local function reduction(f, empty)
  return function(a, x, given)
    local axes, keep = axes_of(a, x, given), a.keepdims ~= 0
    if not axes then return f(x, {}, true) end
    if empty and x:numel() == 0 then
      return x:sum(axes, keep):to(tostring(x.dtype)):fill_(empty(x))
    end
    return #axes == 0 and f(x, {}, true) or f(x, axes, keep)
  end
end

local function own(f) -- in the input's dtype, where wider is the default
  return function(x, axes, keep) return f(x, axes, keep, {dtype = tostring(x.dtype)}) end
end

local function limit(float, integer)
  return function(x)
    local dtype = tostring(x.dtype)
    if dtype == "bool" then return integer == "max" end
    return is_float(x) and float or strew.iinfo(dtype)[integer]
  end
end

local sum, square = own(strew.sum), strew.square
op.ReduceSum, op.ReduceProd = reduction(sum), reduction(own(strew.prod))
op.ReduceMax = reduction(strew.amax, limit(-strew.inf, "min"))
op.ReduceMin = reduction(strew.amin, limit(strew.inf, "max"))
op.ReduceL1 = reduction(function(x, axes, keep) return sum(x:abs(), axes, keep) end)
op.ReduceL2 = reduction(function(x, axes, keep)
  return strew.sqrt(sum(square(x), axes, keep)):to(tostring(x.dtype))
end)
op.ReduceSumSquare = reduction(function(x, axes, keep) return sum(square(x), axes, keep) end)
op.ReduceLogSum = reduction(function(x, axes, keep) return sum(x, axes, keep):log() end)
op.ReduceLogSumExp = reduction(strew.logsumexp, limit(-strew.inf, "min"))
op.ReduceMean = reduction(function(x, axes, keep)
  if is_float(x) then return x:mean(axes, keep) end
  return x:mean(axes, keep, {dtype = "float64"}):to(tostring(x.dtype))
end)

for name, f in pairs{ArgMax = strew.argmax, ArgMin = strew.argmin} do
  op[name] = function(a, x)
    local axis = a.axis or 0
    if a.select_last_index ~= 1 then return f(x, axis, a.keepdims ~= 0) end
    return x:size(axis) - 1 - f(x:flip(axis), axis, a.keepdims ~= 0)
  end
end

for name, f in pairs{CumSum = strew.cumsum, CumProd = strew.cumprod} do
  op[name] = function(a, x, given)
    local axis, flip = number(given, 0), a.reverse == 1
    local dtype, n = tostring(x.dtype), x:size(axis)
    local s = f(flip and x:flip(axis) or x, axis, {dtype = dtype, include_initial = a.exclusive == 1})
    s = s:narrow(axis, 0, n)
    return flip and s:flip(axis) or s
  end
end

function op.Softmax(a, x) return x:softmax(a.axis or -1) end
function op.LogSoftmax(a, x) return x:log_softmax(a.axis or -1) end
function op.Hardmax(a, x)
  local axis = a.axis or -1
  return strew.zeros_like(x):scatter(axis, x:argmax(axis, true), like(x, 1):expand(x:argmax(axis, true).shape))
end

function op.TopK(a, x, k) return x:topk(number(k), a.axis or -1, a.largest ~= 0) end
function op.Unique(a, x)
  local y, index, inverse, counts = strew.unique(x, {dim = a.axis, return_index = true, return_inverse = true,
    return_counts = true, order = a.sorted == 0 and "first" or nil})
  return y, index, inverse:flatten(), counts
end

-- -------------------------------------------------------------------------------------------------------------- making

function op.Constant(a)
  local opts = {device = a.device}
  if a.value then return a.value end
  if a.value_float or a.value_int then return strew.full({}, a.value_float or a.value_int, opts) end
  return strew.tensor(a.value_floats or a.value_ints or a.value_strings or a.value_string, opts)
end
function op.ConstantOfShape(a, shape)
  local v = a.value or strew.zeros(1, {device = a.device})
  return v:reshape{}:expand(list(shape)):clone()
end
function op.EyeLike(a, x)
  return strew.eye(x:size(0), x:size(1), {k = a.k or 0, dtype = a.dtype and onnx.dtype(a.dtype) or tostring(x.dtype),
    device = a.device})
end
function op.Range(a, first, last, step)
  local opts = {dtype = tostring(first.dtype), device = a.device}
  first, last, step = number(first), number(last), number(step)
  if (last - first) * step <= 0 then return strew.zeros(0, opts) end
  return strew.arange(first, last, step, opts)
end
function op.OneHot(a, indices, depth, values)
  local n, axis = number(depth), positive(a.axis or -1, indices:dim() + 1)
  local shape = {}
  for d = 1, indices:dim() + 1 do shape[d] = d == axis + 1 and n or 1 end
  local classes = strew.arange(n, {dtype = "int64", device = a.device}):view(shape)
  local chosen = strew.remainder(indices:to "int64", n):unsqueeze(axis):eq(classes)
  return strew.where(chosen, values:select(0, 1), values:select(0, 0))
end
for name, terms in pairs{
  HannWindow = {0.5, -0.5, 0}, HammingWindow = {25 / 46, -21 / 46, 0}, BlackmanWindow = {0.42, -0.5, 0.08},
} do
  op[name] = function(a, size)
    local n, opts = number(size), {dtype = onnx.dtype(a.output_datatype or 1), device = a.device}
    local angle = strew.arange(n, opts) * (2 * math.pi / (a.periodic == 0 and n - 1 or n))
    return angle:cos() * terms[2] + strew.cos(angle * 2) * terms[3] + terms[1]
  end
end

-- -------------------------------------------------------------------------------------------------------------- shapes

local function tensor_of(a, numbers)
  return #numbers > 0 and strew.tensor(numbers, {dtype = "int64", device = a.device})
    or strew.zeros(0, {dtype = "int64", device = a.device})
end

function op.Shape(a, x)
  local shape, n = sizes(x), x:dim()
  local first, last = positive(a.start or 0, n), positive(a["end"] or n, n)
  first, last = math.max(math.min(first, n), 0), math.max(math.min(last, n), 0)
  return tensor_of(a, table.move(shape, first + 1, last, 1, {}))
end
function op.Size(a, x) return strew.full({}, x:numel(), {dtype = "int64", device = a.device}) end
function op.Reshape(a, x, shape)
  local to = list(shape)
  for d, n in ipairs(to) do
    if n == 0 and a.allowzero ~= 1 then to[d] = x:size(d - 1) end
  end
  return x:reshape(to)
end
function op.Flatten(a, x)
  local axis, shape = positive(a.axis or 1, x:dim()), sizes(x)
  return x:reshape{product(shape, 1, axis), product(shape, axis + 1, #shape)}
end
function op.Transpose(a, x)
  local order = a.perm or {}
  for d = 1, a.perm and 0 or x:dim() do order[d] = x:dim() - d end
  return x:permute(order)
end
function op.Squeeze(a, x, axes)
  local dims = list(axes) or a.axes
  return dims and (#dims > 0 and x:squeeze(dims) or x) or not dims and x:squeeze() or x
end
function op.Unsqueeze(a, x, axes)
  local dims = list(axes) or a.axes
  local rank = x:dim() + #dims
  for i, d in ipairs(dims) do dims[i] = positive(d, rank) end
  table.sort(dims)
  for _, d in ipairs(dims) do x = x:unsqueeze(d) end
  return x
end
function op.Expand(_, x, shape)
  local to, from = list(shape), sizes(x)
  for _ = #from + 1, #to do table.insert(from, 1, 1) end
  for _ = #to + 1, #from do table.insert(to, 1, 1) end
  for d, n in ipairs(to) do
    if n == 1 then to[d] = from[d] end
  end
  return x:broadcast_to(to)
end
function op.Tile(_, x, repeats) return x:tile(list(repeats)) end
function op.Concat(a, ...) return strew.cat({...}, a.axis) end
function op.Trilu(a, x, k) return (a.upper == 0 and strew.tril or strew.triu)(x, number(k, 0)) end

function op.Split(a, x, lengths)
  local axis, parts = a.axis or 0, list(lengths) or a.split
  local n = x:size(axis)
  if not parts then
    parts = {}
    local count = a.num_outputs or #a.outputs
    local each = (n + count - 1) // count
    for i = 1, count do parts[i] = math.max(math.min(each, n - each * (i - 1)), 0) end
  end
  local first, views = 0, {}
  for i, length in ipairs(parts) do
    views[i], first = x:narrow(axis, first, length), first + length
  end
  return table.unpack(views)
end

-- x[first], x[first + step], ... before `stop` along a dimension; both may lie outside.
local function stepped(x, dim, first, stop, step)
  local n = x:size(dim)
  first, stop = first < 0 and first + n or first, stop < 0 and stop + n or stop
  if step > 0 then
    first = math.min(math.max(first, 0), n)
    return x:slice(dim, first, math.max(math.min(stop, n), first), step)
  end
  first, stop = math.min(math.max(first, -1), n - 1), math.min(math.max(stop, -1), n - 1)
  local count = math.max((first - stop - step - 1) // -step, 0)
  if count == 0 then return x:narrow(dim, 0, 0) end
  return x:slice(dim, first + step * (count - 1), first + 1, -step):flip(dim)
end

function op.Slice(a, x, starts, ends, axes, steps)
  starts, ends, axes, steps = list(starts) or a.starts, list(ends) or a.ends, list(axes) or a.axes, list(steps)
  for i = 1, #starts do
    x = stepped(x, axes and axes[i] or i - 1, starts[i], ends[i], steps and steps[i] or 1)
  end
  return x
end

function op.Pad(a, x, pads, v, axes)
  pads, axes = list(pads) or a.pads, list(axes)
  local rank, to, mode = x:dim(), {}, a.mode or "constant"
  for i = 1, 2 * rank do to[i] = 0 end
  for i = 1, #pads // 2 do
    local d = positive(axes and axes[i] or i - 1, rank)
    to[2 * (rank - d) - 1], to[2 * (rank - d)] = pads[i], pads[i + #pads // 2]
  end
  local words = {edge = "replicate", wrap = "circular"}
  return x:pad(to, words[mode] or mode, mode == "constant" and number(v, a.value) or nil)
end

function op.CenterCropPad(a, x, shape)
  local to, pads = list(shape), {}
  for d = 1, 2 * x:dim() do pads[d] = 0 end
  for i, n in ipairs(to) do
    local d = positive(a.axes and a.axes[i] or i - 1, x:dim())
    local more = n - x:size(d)
    if more < 0 then
      x = x:narrow(d, -more // 2, n)
    else
      pads[2 * (x:dim() - d) - 1], pads[2 * (x:dim() - d)] = more // 2, more - more // 2
    end
  end
  return x:pad(pads)
end

function op.DepthToSpace(a, x)
  local n, c, h, w = x:size()
  local b = a.blocksize
  if a.mode == "CRD" then
    return x:reshape{n, c // (b * b), b, b, h, w}:permute{0, 1, 4, 2, 5, 3}:reshape{n, c // (b * b), h * b, w * b}
  end
  return x:reshape{n, b, b, c // (b * b), h, w}:permute{0, 3, 4, 1, 5, 2}:reshape{n, c // (b * b), h * b, w * b}
end
function op.SpaceToDepth(a, x)
  local n, c, h, w = x:size()
  local b = a.blocksize
  return x:reshape{n, c, h // b, b, w // b, b}:permute{0, 3, 5, 1, 2, 4}:reshape{n, c * b * b, h // b, w // b}
end

function op.ReverseSequence(a, x, lengths)
  local time, batch = a.time_axis or 0, a.batch_axis or 1
  local y = x:clone()
  for i, n in ipairs(list(lengths)) do
    local row = time > batch and time - 1 or time
    y:select(batch, i - 1):narrow(row, 0, n):copy_(x:select(batch, i - 1):narrow(row, 0, n):flip(row))
  end
  return y
end

-- ------------------------------------------------------------------------------------------- gather, scatter, products

local wrap = {mode = "wrap"}
function op.Gather(a, x, index)
  local axis, shape, at = positive(a.axis or 0, x:dim()), sizes(x), sizes(index)
  local y = x:index_select(axis, index:flatten(), wrap)
  table.remove(shape, axis + 1)
  for d = #at, 1, -1 do table.insert(shape, axis + 1, at[d]) end
  return y:reshape(shape)
end
function op.GatherElements(a, x, index) return x:gather(a.axis or 0, index, wrap) end
function op.GatherND(a, x, indices) return x:gather_nd(indices, {batch_dims = a.batch_dims or 0, mode = "wrap"}) end

local words = {add = "sum", mul = "prod", max = "amax", min = "amin"}
function op.ScatterElements(a, x, index, updates)
  local word = words[a.reduction]
  if word then return x:scatter_reduce(a.axis or 0, index, updates, word, wrap) end
  return x:scatter(a.axis or 0, index, updates, wrap)
end
op.Scatter = op.ScatterElements
function op.ScatterND(a, x, indices, updates)
  return x:scatter_nd(indices, updates, {reduce = words[a.reduction], mode = "wrap"})
end
function op.TensorScatter(a, cache, update, first)
  local axis = positive(a.axis or -2, cache:dim())
  local shape, view = sizes(update), {}
  for d = 1, #shape do view[d] = d == axis + 1 and shape[d] or 1 end
  local index = strew.arange(shape[axis + 1], {dtype = "int64", device = a.device}):view(view)
  view[1], view[axis + 1] = shape[1], 1
  index = (first and index + first:view(view) or index):expand(shape)
  if a.mode == "circular" then index = index % cache:size(axis) end
  return cache:scatter(axis, index, update)
end
function op.Compress(a, x, condition)
  local chosen = condition:nonzero():flatten()
  if not a.axis then x = x:flatten() end
  return x:index_select(a.axis or 0, chosen)
end
function op.NonZero(_, x) return x:nonzero():t() end
function op.ArrayFeatureExtractor(_, x, index) return x:index_select(-1, index:flatten()) end

function op.Gemm(a, x, y, c)
  x, y = a.transA == 1 and x:t() or x, a.transB == 1 and y:t() or y
  local product_of = x:matmul(y)
  if (a.alpha or 1) ~= 1 then product_of = product_of * a.alpha end
  if not c then return product_of end
  return product_of + ((a.beta or 1) ~= 1 and c * a.beta or c)
end
function op.Einsum(a, ...) return strew.einsum(a.equation:gsub("%s", ""), {...}) end
function op.MatMulInteger(_, x, y, x_zero, y_zero)
  local function centred(t, zero)
    return zero and t:to "int32" - zero:to "int32" or t:to "int32"
  end
  if x_zero and x_zero:dim() == 1 and x_zero:numel() > 1 then x_zero = x_zero:unsqueeze(-1) end
  return centred(x, x_zero):matmul(centred(y, y_zero))
end

-- ------------------------------------------------------------------------------------------- normalisation, and losses

local function from(first, last)
  local dims = {}
  for d = first, last do dims[#dims + 1] = d end
  return dims
end

function op.BatchNormalization(a, x, scale, bias, mean, var)
  local epsilon, keep = a.epsilon or 1e-5, a.momentum or 0.9
  if a.training_mode == 1 then
    local dims = from(2, x:dim() - 1)
    table.insert(dims, 1, 0)
    local m, v = x:mean(dims), x:var(dims, {correction = 0})
    local y = op.BatchNormalization({epsilon = epsilon}, x, scale, bias, m, v)
    return y, mean * keep + m * (1 - keep), var * keep + v * (1 - keep)
  end
  local rate = scale / strew.sqrt(var + epsilon)
  return (x - along(mean, x, 1)) * along(rate, x, 1) + along(bias, x, 1)
end

local function normalised(x, dims, epsilon)
  local mean, rate = x:mean(dims, true), 1 / strew.sqrt(x:var(dims, true, {correction = 0}) + epsilon)
  return (x - mean) * rate, mean, rate
end

function op.InstanceNormalization(a, x, scale, bias)
  return (normalised(x, from(2, x:dim() - 1), a.epsilon or 1e-5)) * along(scale, x, 1) + along(bias, x, 1)
end
function op.LayerNormalization(a, x, scale, bias)
  local y, mean, rate = normalised(x, from(positive(a.axis or -1, x:dim()), x:dim() - 1), a.epsilon or 1e-5)
  y = y * scale
  return bias and y + bias or y, mean, rate
end
function op.GroupNormalization(a, x, scale, bias)
  local shape = sizes(x)
  local grouped = x:reshape{shape[1], a.num_groups, -1}
  local y = normalised(grouped, {2}, a.epsilon or 1e-5)
  return y:reshape(shape) * along(scale, x, 1) + along(bias, x, 1)
end
function op.RMSNormalization(a, x, scale)
  local dims = from(positive(a.axis or -1, x:dim()), x:dim() - 1)
  return x / strew.sqrt(x:square():mean(dims, true) + (a.epsilon or 1e-5)) * scale
end
function op.MeanVarianceNormalization(a, x)
  local dims = a.axes or {0, 2, 3}
  local mean = x:mean(dims, true)
  return (x - mean) / (x:std(dims, true, {correction = 0}) + 1e-9)
end
function op.LpNormalization(a, x)
  local norm = x:vector_norm(a.p or 2, a.axis or -1, true)
  return x / norm:masked_fill(norm:eq(0), 1)
end
function op.LRN(a, x)
  local n, squares = a.size, x:square()
  local channels, before = x:size(1), (a.size - 1) // 2
  local total = strew.zeros_like(x)
  for shift = -before, n - 1 - before do
    local first, last = math.max(-shift, 0), math.min(channels, channels - shift)
    total:narrow(1, first, last - first):add_(squares:narrow(1, first + shift, last - first))
  end
  return x / strew.pow(total * ((a.alpha or 0.0001) / n) + (a.bias or 1.0), a.beta or 0.75)
end
function op.GlobalAveragePool(_, x) return x:mean(from(2, x:dim() - 1), true) end
function op.GlobalMaxPool(_, x) return x:amax(from(2, x:dim() - 1), true) end

function op.NegativeLogLikelihoodLoss(a, x, target, weight)
  return x:nll_loss(target, {weight = weight, ignore_index = a.ignore_index, reduction = a.reduction or "mean"})
end
function op.SoftmaxCrossEntropyLoss(a, x, target, weight)
  local logs = x:log_softmax(1)
  return op.NegativeLogLikelihoodLoss(a, logs, target, weight), logs
end

-- -------------------------------------------------------------------------------------------------- quantised integers

-- A scale or zero point beside x: one number, one for each row of a dimension, or one for each block of it.
local function beside(v, x, a)
  if v:numel() == 1 then return v:reshape{} end
  local axis = positive(a.axis or 1, x:dim())
  if v:dim() == 1 then return along(v, x, axis) end
  return v:repeat_interleave(a.block_size, axis):narrow(axis, 0, x:size(axis))
end

function op.QuantizeLinear(a, x, scale, zero)
  local dtype = zero and tostring(zero.dtype) or a.output_dtype and onnx.dtype(a.output_dtype) or "uint8"
  local limits, wide = strew.iinfo(dtype), tostring(x.dtype) == "float64" and "float64" or "float32"
  local y = strew.round(x:to(wide) / beside(scale, x, a):to(wide))
  if zero then y = y + beside(zero, x, a):to(wide) end
  return strew.clamp(y, limits.min, limits.max):to(dtype)
end
function op.DequantizeLinear(a, x, scale, zero)
  local y = x:to "int32"
  if zero then y = y - beside(zero, x, a):to "int32" end
  return y:to(tostring(scale.dtype)) * beside(scale, x, a)
end
function op.DynamicQuantizeLinear(a, x)
  local low, high = strew.clamp(x:amin(), nil, 0), strew.clamp(x:amax(), 0)
  local scale = (high - low) / 255
  local zero = strew.clamp(strew.round(-low / scale), 0, 255):to "uint8"
  return op.QuantizeLinear(a, x, scale, zero), scale, zero
end
function op.QLinearMatMul(a, x, x_scale, x_zero, y, y_scale, y_zero, scale, zero)
  local function real(t, s, z, axis)
    return op.DequantizeLinear({axis = axis}, t, s:to "float32", z)
  end
  local z = real(x, x_scale, x_zero, x:dim() - 2):matmul(real(y, y_scale, y_zero, y:dim() - 1))
  return op.QuantizeLinear(a, z, scale:to "float32", zero)
end

-- ------------------------------------------------------------------------------------------------ graphs and sequences

function op.If(a, condition)
  return table.unpack(onnx.run_graph(number(condition) and a.then_branch or a.else_branch, {}, a.scope, a.device))
end

-- The body takes the number of the iteration, the condition and what is carried on; it returns the condition, the
-- latter, and a row of each of the other outputs.
function op.Loop(a, count, condition, ...)
  local limit_of, goes_on, carried = number(count, math.maxinteger), number(condition, true), {...}
  local state, rows, i = #carried, {}, 0
  while i < limit_of and goes_on do
    local inputs = {strew.tensor(i, {device = a.device}), strew.tensor(true, {device = a.device}),
      table.unpack(carried, 1, state)}
    local outputs = onnx.run_graph(a.body, inputs, a.scope, a.device)
    goes_on = number(outputs[1])
    table.move(outputs, 2, state + 1, 1, carried)
    for k = state + 2, #outputs do
      rows[k - state - 1] = rows[k - state - 1] or {}
      table.insert(rows[k - state - 1], outputs[k])
    end
    i = i + 1
  end
  for k, row in ipairs(rows) do carried[state + k] = strew.stack(row) end
  return table.unpack(carried)
end

function op.Scan(a, ...)
  local inputs, n = {...}, a.num_scan_inputs
  if not inputs[1] then error({missing = "Scan of version 8"}, 0) end
  local state, rows = #inputs - n, {}
  for i = 0, inputs[#inputs]:size(0) - 1 do
    local given = table.move(inputs, 1, state, 1, {})
    for k = state + 1, #inputs do given[k] = inputs[k]:select(0, i) end
    local outputs = onnx.run_graph(a.body, given, a.scope, a.device)
    table.move(outputs, 1, state, 1, inputs)
    for k = state + 1, #outputs do
      rows[k - state] = rows[k - state] or {}
      table.insert(rows[k - state], outputs[k])
    end
  end
  local results = table.move(inputs, 1, state, 1, {})
  for k, row in ipairs(rows) do results[state + k] = strew.stack(row) end
  return table.unpack(results)
end

function op.SequenceEmpty() return {} end
function op.SequenceConstruct(_, ...) return {...} end
function op.SequenceInsert(_, values, x, at)
  local copy = table.move(values, 1, #values, 1, {})
  table.insert(copy, positive(number(at, #values), #values) + 1, x)
  return copy
end
function op.SequenceLength(a, values) return strew.full({}, #values, {dtype = "int64", device = a.device}) end
function op.SequenceAt(_, values, at) return values[positive(number(at), #values) + 1] end
function op.SplitToSequence(a, x, split)
  local axis = a.axis or 0
  if split then return split:dim() == 0 and x:split(number(split), axis) or x:split(list(split), axis) end
  local rows = x:split(1, axis)
  for i = 1, a.keepdims == 0 and #rows or 0 do rows[i] = rows[i]:squeeze(axis) end
  return rows
end

return op
