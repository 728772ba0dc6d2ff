-- calls.lua: random calls of every operation of the module, for tests that run them twice: on other threads or devices
-- (digest.lua), with arguments by name (named_spec.lua).
--
-- calls.names: the operations. calls.draw(name, k, device, is_large) draws the k-th call of one and returns {f = the
-- function, its arguments, n = their number, dtype = that of the tensors, is_double = it needs float64}; is_large: for
-- several threads; build = false: without the arguments; only_floats: whatever dtypes the operation takes.
-- calls.excepted: names of the module that compute nothing, with the reason.
local strew = require "strew"
local random = math.random
local calls = {names = {}, rows = {}}

-- -------------------------------------------------------------------------------------------------- random operands

local floats = {"float32", "float64", "float16", "bfloat16"}
local integers = {"int64", "int32", "int16", "int8", "uint8"}
local numbers = table.move(integers, 1, #integers, #floats + 1, {table.unpack(floats)})
local classes = {
  float = floats, integer = integers, number = numbers, any = {"bool", table.unpack(numbers)},
  bits = {"bool", table.unpack(integers)}, index = {"int64", "int32"},
  double = {"float32", "float16", "bfloat16", table.unpack(integers)}, -- and the call computes in float64
}
calls.dtypes = {table.unpack(numbers)}
calls.dtypes[#numbers + 1] = "bool"
local specials = {0.0, -0.0, 1 / 0, -1 / 0, 0 / 0, -(0 / 0), 1.0, -1.0, 0x1p-149, 65504.0, 0.5}
local extremes = {
  int64 = {math.mininteger, math.maxinteger, math.mininteger + 1, 1 << 53 | 1}, int32 = {-1 << 31, (1 << 31) - 1},
  int16 = {-32768, 32767}, int8 = {-128, 127}, uint8 = {0, 255},
}

-- Shapes whose work is shared among threads, by rank: of 512 KiB and more; reductions, which are fast, share 2 MiB.
local large_shapes = {[0] = {}, {280000}, {40000, 7}, {3, 14000, 7}, {2, 3, 7000, 7}}
local huge_shapes = {[0] = {}, {700000}, {3, 240000}, {230000, 3}, {2, 3, 17000, 7}}
local large_dtypes = {float32 = true, float64 = true, int64 = true, int32 = true}

local function any(list) return list[random(#list)] end
calls.any = any
function calls.is_float(dtype) return dtype:find("float", 1, true) ~= nil end

-- A tensor of that shape in some layout: dense, transposed, every second element of a larger one.
function calls.laid_out(shape, make)
  local layout, wide = random(3), {table.unpack(shape)}
  if #shape == 0 or layout == 1 then return make(wide) end
  if layout == 2 then
    wide[1], wide[#wide] = wide[#wide], wide[1]
    return make(wide):transpose(0, -1)
  end
  wide[#wide] = wide[#wide] * 2
  return make(wide):slice(-1, 0, wide[#wide], 2)
end

-- The operands of one call.
local Draw = {}
Draw.__index = Draw

function Draw:on(dtype) return {dtype = dtype or self.dtype, device = self.device} end

local function numel(shape)
  local n = 1
  for _, size in ipairs(shape) do n = n * size end
  return n
end

local function element(dtype)
  if dtype == "bool" then return random(2) == 1 end
  local most = extremes[dtype]
  if most then return random(8) == 1 and any(most) or random(dtype == "uint8" and 0 or -100, 100) end
  return random(6) == 1 and any(specials) or (random() - 0.5) * 10 ^ random(-3, 3)
end

-- Small tensors come from Lua's generator, with zeros, infinities and NaN among the floats; large ones from strew's.
-- All are made on the CPU and moved: a device would compile kernels for that.
local function filled(self, dtype, shape)
  local on = {dtype = dtype, device = "cpu"}
  local t
  if numel(shape) <= 1000 then
    local list = {}
    for i = 1, numel(shape) do list[i] = element(dtype) end
    t = strew.tensor(list, on):view(shape)
  elseif calls.is_float(dtype) then
    t = strew.randn(shape, on)
  elseif dtype == "bool" then
    t = strew.randint(0, 2, shape, {device = "cpu"}):to("bool")
  else
    t = strew.randint(dtype == "uint8" and 0 or -100, 100, shape, on)
  end
  return t:to(self.device)
end

-- A tensor of the call's dtype and shape, or of others; some are expanded views.
function Draw:values(shape, dtype)
  shape, dtype = shape or self.shape, dtype or self.dtype
  if #shape > 0 and random(6) == 1 then
    local narrow = {table.unpack(shape)}
    narrow[random(#narrow)] = 1
    return filled(self, dtype, narrow):expand(shape)
  end
  return calls.laid_out(shape, function(wide) return filled(self, dtype, wide) end)
end

-- The same of finite numbers that are not 0; `least` to `most` if given.
function Draw:finite(shape, dtype, least, most)
  shape, dtype = shape or self.shape, dtype or self.dtype
  local on, low = {dtype = dtype, device = "cpu"}, least or 1
  return calls.laid_out(shape, function(wide)
    local t
    if calls.is_float(dtype) then
      t = strew.rand(wide, on) * ((most or 9) - low) + low
    else
      t = strew.randint(low, (most or 90) + 1, wide, on)
    end
    if not least and dtype ~= "uint8" then t = t * (strew.randint(0, 2, wide, {device = "cpu"}) * 2 - 1):to(dtype) end
    return t:to(self.device)
  end)
end

function Draw:mask(shape) return self:values(shape or self.shape, "bool") end

-- Positions of a dimension of n elements, of that shape; sometimes sorted.
function Draw:positions(shape, n, is_sorted)
  local on = {dtype = any(classes.index), device = "cpu"}
  if is_sorted then return (strew.randint(0, n, shape, on):sort(-1)):to(self.device) end
  return calls.laid_out(shape, function(wide) return strew.randint(0, n, wide, on):to(self.device) end)
end

-- A shape that broadcasts to the call's.
function Draw:narrowed()
  local narrow = table.move(self.shape, random(1, #self.shape + 1), #self.shape, 1, {})
  for d in ipairs(narrow) do
    if random(3) == 1 then narrow[d] = 1 end
  end
  return narrow
end

function Draw:dim() return #self.shape == 0 and 0 or random(-#self.shape, #self.shape - 1) end

-- The call's shape with another size along a dimension.
function Draw:along(dim, n)
  local shape = {table.unpack(self.shape)}
  if #shape > 0 then shape[dim % #shape + 1] = n end
  return shape
end

-- Offsets of n segments in a line of `size` elements.
function Draw:bounds(n, size)
  local list = {}
  for i = 1, n + 1 do list[i] = random(0, size) end
  table.sort(list)
  return strew.tensor(list, self:on(any(classes.index)))
end

function Draw:size(d) return self.shape[d % #self.shape + 1] end

local function shape_of(row, is_large)
  local rank = random(row.least, row.most)
  if is_large then
    return {table.unpack((row.is_fast and huge_shapes or large_shapes)[math.max(rank, math.min(row.most, 1))])}
  end
  local shape = {}
  for d = 1, rank do shape[d] = random(5) end
  return shape
end

-- ------------------------------------------------------------------------------------------------------ operations

-- Adds operations: names; the class of their dtype, "CLASS fast" if only 2 MiB are shared among threads; their least
-- and most rank; arguments(d, name) draws a call.
local function add(names, class, least, most, arguments, f)
  for name in names:gmatch "%S+" do
    assert(not calls.rows[name], name)
    table.insert(calls.names, name)
    calls.rows[name] = {class = class:match "%a+", is_fast = class:find " fast$" ~= nil, least = least, most = most,
                        arguments = arguments, f = f or rawget(strew, name)}
  end
end

-- The operands of a call that is not in the list.
function calls.operands(dtype, shape, device)
  return setmetatable({dtype = dtype, shape = shape, device = device}, Draw)
end

function calls.draw(name, k, device, is_large, build, only_floats)
  local row = assert(calls.rows[name], name)
  local seed = k
  for i = 1, #name do seed = seed * 31 + name:byte(i) end
  math.randomseed(seed, is_large and 1 or 0)
  strew.manual_seed(seed)
  local d = setmetatable({dtype = any(only_floats and floats or classes[row.class]), device = device}, Draw)
  for _ = 1, is_large and 20 or 0 do
    if not large_dtypes[d.dtype] then d.dtype = any(only_floats and floats or classes[row.class]) end
  end
  d.shape = shape_of(row, is_large)
  d.is_large = is_large
  local call = {dtype = d.dtype, is_double = d.dtype == "float64" or row.class == "double"}
  if build == false then return call end
  local arguments = table.pack(row.arguments(d, name))
  for key, value in pairs(arguments) do call[key] = value end
  call.f = row.f
  return call
end

local function of_shape(d) return d.shape, d:on() end
local function alone(d) return d:values() end
local function with_dim(d) return d:values(), d:dim() end

-- Made from nothing.
add("zeros ones", "any", 0, 4, of_shape)
add("rand randn", "float", 0, 4, of_shape)
add("full", "any", 0, 4, function(d) return d.shape, element(d.dtype), d:on() end)
add("eye", "any", 0, 0, function(d) return d.is_large and 200 or random(6), random(6), d:on() end)
add("arange", "number", 0, 0, function(d)
  return random(0, 9), d.is_large and 120 or random(20, 60), random(3), d:on()
end)
add("linspace", "float", 0, 0, function(d) return -random(), random(9), d.is_large and 40000 or random(9), d:on() end)
add("randint", "integer", 0, 4, function(d) return random(0, 9), random(20, 100), d.shape, d:on() end)
add("randperm", "index", 0, 0, function(d) return d.is_large and 40000 or random(20), d:on() end)
add("tensor", "any", 0, 4, function(d) return filled(d, d.dtype, d.shape):tolist(), d:on() end)

add("zeros_like ones_like", "any", 0, 4, function(d) return d:values() end)
add("rand_like randn_like", "float", 0, 4, function(d) return d:values() end)
add("full_like", "any", 0, 4, function(d) return d:values(), element(d.dtype) end)
add("normal uniform", "float", 0, 3, function(d) return d:finite(), 9 end)
add("exponential poisson", "float", 0, 3, function(d) return d:finite(nil, nil, 0.5, 40) end)
add("bernoulli", "float", 0, 3, function(d) return d:finite(nil, nil, 0, 1) end)
add("multinomial", "float", 1, 2, function(d) return d:finite(nil, nil, 0.1, 2), 1, random(2) == 1 end)
add("choice", "any", 1, 3, function(d) return d:values(), {random(4), 2} end)
add("shuffle", "any", 1, 3, with_dim)
add("logspace", "float", 0, 0, function(d) return -1.5, 2, d.is_large and 40000 or random(9), any{2, 10}, d:on() end)
add("meshgrid", "any", 1, 1, function(d) return {d:values({random(5)}), d:values({random(200)})} end)
add("tril_indices triu_indices", "any", 0, 0, function(d)
  return random(d.is_large and 300 or 6), random(6), random(-3, 3), {device = d.device}
end)

-- Elements and copies.
add("tolist clone contiguous zero", "any", 0, 4, alone)
add("item", "any", 0, 0, function(d) return d:values({}) end)
add("get", "any", 1, 3, function(d)
  local position = {}
  for k, size in ipairs(d.shape) do position[k] = random(0, size - 1) end
  return d:values(), position
end)
add("to", "any", 0, 4, function(d)
  local target = any(d.dtype == "float64" and classes.any or {"float32", "float16", "bfloat16", "bool",
    table.unpack(integers)})
  return d:values(), target
end)
add("copy", "any", 0, 4, function(d) return d:values(), d:values(d:narrowed()) end)
add("fill", "any", 0, 4, function(d) return d:values(), element(d.dtype) end)
local function written(t, f)
  local copy = t:clone()
  f(copy)
  return copy
end
add("set", "any", 1, 3, function(d)
  local position = {}
  for k, size in ipairs(d.shape) do position[k] = random(0, size - 1) end
  return d:values(), position, element(d.dtype)
end, function(t, position, value)
  return written(t, function(copy) copy:set(position, value) end)
end)

-- t[x] and t[x] = value.
add("t[mask]", "any", 1, 3, function(d) return d:values(), d:mask() end, function(t, x) return t[x] end)
add("t[index]", "any", 1, 3, function(d) return d:values(), d:positions({3, 2}, d.shape[1]) end,
    function(t, x) return t[x] end)
add("t[mask]=", "any", 1, 3, function(d) return d:values(), d:mask(), element(d.dtype) end, function(t, x, value)
  return written(t, function(copy) copy[x] = value end)
end)
add("t[index]=", "any", 1, 3, function(d)
  local shape = {4, table.unpack(d.shape, 2)}
  return d:values(), d:positions({4}, d.shape[1]), d:values(shape)
end, function(t, x, value)
  return written(t, function(copy) copy[x] = value end)
end)

add("t[{i, j}]", "any", 2, 3, function(d)
  return d:values(), {d:positions({6, 1}, d.shape[1]), d:positions({4}, d.shape[2])}
end, function(t, indices) return t[indices] end)

-- Views.
add("view reshape", "any", 0, 4, function(d) return filled(d, d.dtype, d.shape), {numel(d.shape)} end)
add("flatten t", "any", 1, 2, alone)
add("permute", "any", 2, 4, function(d)
  local dims = {}
  for k = 1, #d.shape do dims[k] = #d.shape - k end
  return d:values(), dims
end)
add("transpose", "any", 2, 4, function(d) return d:values(), d:dim(), d:dim() end)
add("swapaxes movedim moveaxis", "any", 2, 4, function(d) return d:values(), d:dim(), d:dim() end)
add("squeeze", "any", 1, 4, function(d) return d:values(d:along(0, 1)) end)
add("unsqueeze", "any", 1, 3, with_dim)
add("expand", "any", 0, 3, function(d) return d:values(), {3, table.unpack(d.shape)} end)
add("view_as", "integer", 0, 3, function(d) -- of one size: the bytes of a number are in an order of the processor
  local other = d.dtype:find "^u" and d.dtype:sub(2) or "u" .. d.dtype
  return d:values(), other == "uint64" and "int64" or other -- an element of uint64 may be no integer of Lua
end)
add("expand_as", "any", 1, 3, function(d) return d:values(d:along(0, 1)), d:values() end)
add("broadcast_to", "any", 0, 3, function(d) return d:values(), {3, table.unpack(d.shape)} end)
add("unstack", "any", 1, 3, with_dim)
add("select", "any", 1, 4, function(d)
  local dim = d:dim()
  return d:values(), dim, random(0, d:size(dim) - 1)
end)
add("narrow", "any", 1, 4, function(d)
  local dim = d:dim()
  return d:values(), dim, 0, random(d:size(dim))
end)
add("slice", "any", 1, 4, function(d) return d:values(), d:dim(), random(0, 2), random(2, 9), any{1, 2, -1} end)
add("as_strided", "any", 2, 2, function(d)
  return filled(d, d.dtype, d.shape), {d.shape[2], d.shape[1]}, {1, d.shape[2]}, 0
end)
add("diagonal", "any", 2, 3, function(d) return d:values(), random(-1, 1), 0, 1 end)

-- Joined, split, moved and repeated.
add("cat concat concatenate", "any", 1, 3, function(d)
  local dim = d:dim()
  return {d:values(), d:values(d:along(dim, 2)), d:values(nil, d.dtype == "float64" and "float64" or "float32")}, dim
end)
add("stack", "any", 0, 3, function(d) return {d:values(), d:values()}, random(0, #d.shape) end)
add("hstack vstack column_stack", "any", 0, 2, function(d) return {d:values(), d:values()} end)
add("tensor_split", "any", 1, 3, function(d) return d:values(), any{3, {1, -1}}, d:dim() end)
add("rot90", "any", 2, 3, function(d) return d:values(), random(-1, 4) end)
add("pad", "any", 1, 3, function(d)
  local n = d.shape[#d.shape]
  local mode = any{"constant", "replicate", n > 1 and "reflect" or "circular"}
  return d:values(), {random(-1, 1), random(0, 1)}, mode
end)
add("split", "any", 1, 3, function(d) return d:values(), d.is_large and 20000 or random(3), d:dim() end)
add("chunk", "any", 1, 3, function(d) return d:values(), random(3), d:dim() end)
add("roll", "any", 1, 3, function(d) return d:values(), random(-3, 3), d:dim() end)
add("flip", "any", 1, 3, function(d) return d:values(), {d:dim()} end)
add("diff", "number", 1, 3, function(d) return d:values(), 1, d:dim() end)
add("repeat tile", "any", 1, 2, function(d) return d:values(), {2, table.unpack({1, 3}, 1, #d.shape - 1)} end)
add("repeat_interleave", "any", 1, 3, function(d)
  local dim = d:dim()
  return d:values(), random(2) == 1 and 2 or d:positions({d:size(dim)}, 3), dim
end)

-- Of each element.
add("neg abs floor ceil round relu", "number", 0, 4, alone)
add("exp log log2 log10 log1p expm1 sin cos tanh sigmoid sqrt rsqrt", "float", 0, 4, alone)
add("tan asin acos atan sinh cosh asinh acosh atanh exp2 erf erfc gelu cbrt", "float", 0, 4, alone)
add("sign logical_not isnan isinf isfinite nan_to_num", "any", 0, 4, alone)
add("bitwise_not", "bits", 0, 4, alone)
add("signbit positive", "any", 0, 4, alone)
local function two(d) return d:values(), random(3) == 1 and element(d.dtype) or d:values(d:narrowed()) end
add("add mul", "any", 0, 4, two)
add("sub", "number", 0, 4, two)
add("gelu_tanh silu square reciprocal leaky_relu trunc softplus elu", "float", 0, 4, alone)
add("lerp", "float", 0, 4, function(d) return d:values(), d:values(), random() end)
add("heaviside logical_xor", "float", 0, 4, function(d) return d:values(), d:values() end)
add("div atan2 hypot logaddexp copysign nextafter", "float", 0, 4, two)
add("bitwise_and bitwise_or bitwise_xor", "bits", 0, 4, two)
add("bitwise_left_shift bitwise_right_shift gcd lcm", "integer", 0, 4, two)
add("minimum maximum eq ne lt le gt ge logical_and logical_or", "any", 0, 4, two)
add("floor_divide remainder fmod", "number", 0, 4, function(d) return d:values(), d:finite(d:narrowed()) end)
add("pow", "number", 0, 4, function(d)
  if calls.is_float(d.dtype) then return d:values(), d:values(d:narrowed()) end
  return d:values(), d:finite(d:narrowed(), nil, 0, 5)
end)
add("clamp", "number", 0, 4, function(d) return d:values(), 1, d:finite(d:narrowed()) end)
add("where", "any", 0, 4, function(d) return d:mask(), d:values(d:narrowed()), d:values() end)
add("masked_fill", "any", 0, 4, function(d) return d:values(), d:mask(d:narrowed()), element(d.dtype) end)
add("equal allclose isclose", "any", 0, 4, function(d)
  local t = d:values()
  return t, random(2) == 1 and t:clone() or d:values()
end)

local function extent(d) return d.is_large and 190 or random(9) end

-- Along dimensions.
local function reduced(d)
  if #d.shape == 0 or random(3) == 1 then return d:values() end
  return d:values(), d:dim(), random(2) == 1
end
add("sum prod any all amin amax argmin argmax min max", "any fast", 0, 4, reduced)
add("mean", "float fast", 0, 4, reduced)
add("var std", "float fast", 1, 4, reduced)
add("norm", "float fast", 1, 4, function(d) return d:values(), any{2, 1, 0, 3, 1 / 0}, d:dim() end)
add("median", "number", 1, 4, reduced)
for name in ("sum prod any all amin amax argmin argmax min max mean var std median quantile"):gmatch "%a+" do
  add(name .. ":skip_nan", "float", 1, 3, function(d)
    local x, dim, keepdim = reduced(d)
    local options = {dim = dim, keepdim = keepdim, skip_nan = true}
    if name == "quantile" then return x, random(0, 4) / 4, options end
    return x, options
  end, strew[name])
end
local function portion() return random(3) == 1 and any{0.0, -0.0, 1.0} or random() end
add("quantile", "float", 1, 4, function(d)
  return d:values(), random(3) == 1 and strew.tensor({portion(), portion()}, d:on()) or portion(), d:dim(), true
end)
add("logsumexp", "float", 1, 4, with_dim)
add("softmax log_softmax", "float", 1, 4, with_dim)
add("mse_loss", "float", 0, 3, function(d) return d:finite(), d:finite(), {reduction = any{"mean", "sum", "none"}} end)
add("binary_cross_entropy", "float", 0, 3, function(d)
  return d:finite():sigmoid(), d:finite():sigmoid(), {reduction = any{"mean", "sum", "none"}}
end)
add("cross_entropy nll_loss", "float", 2, 3, function(d)
  local shape = {d.shape[1], table.unpack(d.shape, 3)}
  local weight = random(2) == 1 and d:finite({d.shape[2]}, nil, 0, 1) or nil
  local options = {weight = weight, reduction = any{"mean", "none"}, ignore_index = 0}
  return d:finite(), d:positions(shape, d.shape[2]), options
end)
add("cumsum cumprod", "any", 1, 4, with_dim)
add("cummax cummin", "any", 1, 4, with_dim)
add("logcumsumexp", "float", 1, 3, function(d) return d:finite(), d:dim() end)
add("kthvalue", "any", 1, 3, function(d)
  local dim = d:dim()
  return d:values(), random(d:size(dim)), dim
end)
add("mode", "any", 1, 3, with_dim)
add("nansum nanmean nanstd nanmax nanmin", "float fast", 0, 3, reduced)
add("nanmedian", "number", 1, 3, reduced)
add("count_nonzero", "any fast", 0, 3, reduced)
add("percentile", "float", 1, 3, function(d) return d:values(), random(0, 100), d:dim() end)
add("cov", "float", 1, 2, function(d)
  local x = d:finite({extent(d), 9})
  return x, {fweights = random(2) == 1 and strew.arange(9, {device = d.device}) or nil, correction = random(0, 1)}
end)
add("corrcoef", "float", 1, 2, function(d) return d:finite({extent(d), 9}) end)
add("trapz", "float", 1, 3, function(d) return d:finite(), nil, {dim = d:dim(), dx = 0.5} end)
add("interp", "float", 1, 2, function(d)
  return d:finite(), strew.linspace(-9, 9, 7, d:on()), d:finite{7}
end)
add("sort argsort", "any", 1, 4, function(d) return d:values(), d:dim(), random(2) == 1 end)
add("topk", "any", 1, 4, function(d)
  local dim = d:dim()
  return d:values(), random(d:size(dim)), dim, random(2) == 1
end)
add("unique:rows", "any", 2, 2, function(d)
  return d:values(), {dim = d:dim(), return_index = true, return_inverse = true, return_counts = true}
end, strew.unique)
add("unique", "any", 0, 3, function(d) return d:values(), {return_inverse = true, return_counts = true} end)
add("nonzero argwhere", "any", 0, 4, alone)
local function sorted(d, shape) return (filled(d, d.dtype, shape or d.shape):to("cpu"):sort(-1)):to(d.device) end
add("searchsorted", "any", 1, 2, function(d) return sorted(d), d:values(), {right = random(2) == 1} end)
add("bucketize", "any", 1, 3, function(d) return d:values(), sorted(d, {7}), {right = random(2) == 1} end)
add("bincount", "float", 1, 1, function(d) return d:positions(d.shape, 9), {weights = d:values(), minlength = 12} end)
add("histc", "float", 1, 3, function(d) return d:finite(), 7, -9, 9 end)
add("histogram", "float", 1, 3, function(d) return d:finite(), any{5, {-8, 0, 3}}, {density = random(2) == 1} end)
add("histogramdd", "float", 2, 2, function(d)
  local points = d:finite({d.is_large and 200000 or 9, 2})
  return points, 3, {weights = d:finite({points:size(0)})}
end, function(points, bins, options) return points:histogramdd({bins, 3}, options) end) -- bins^2 may be all memory
add("isin", "any", 0, 3, function(d) return d:values(), d:values({any{2, 9}}) end)
add("unravel_index", "index", 0, 2, function(d) return d:positions(d.shape, 24), {2, 3, 4} end)
add("ravel_multi_index", "index", 1, 2, function(d)
  return {d:positions(d.shape, 4), d:positions(d.shape, 3)}, {4, 3}
end)
add("one_hot", "any", 0, 2, function(d) return d:positions(d.shape, 5), {num_classes = 5} end)

-- Matrices.
local function product(d, a, b) return d:values(a), d:values(b) end
add("matmul", "number", 3, 3, function(d)
  local m, k, n = extent(d), extent(d), extent(d)
  return product(d, {2, m, k}, {k, n})
end)
add("mm", "number", 2, 2, function(d)
  local m, k, n = extent(d), extent(d), extent(d)
  return product(d, {m, k}, {k, n})
end)
add("mv", "number", 2, 2, function(d)
  local m, k = extent(d), d.is_large and 3000 or random(9)
  return product(d, {m, k}, {k})
end)
add("dot", "number fast", 1, 1, function(d) return product(d) end)
add("outer", "number", 1, 1, function(d) return product(d, {extent(d)}, {extent(d)}) end)
add("tril triu", "any", 2, 3, function(d) return d:values(), random(-2, 2) end)
add("diag", "any", 1, 2, function(d)
  local n = extent(d)
  return d:values(#d.shape == 1 and {n} or {n, 7}), random(-2, 2)
end)

-- Small linear algebra. Matrices are far from singular; with each result a product in which signs do not matter.
local function batch_of(d, m, n) return d:finite(d.is_large and {400, m, n} or any{{m, n}, {2, m, n}, {2, 1, m, n}}) end
local function square(d)
  local n = random(9)
  return batch_of(d, n, n) + strew.eye(n, {dtype = d.dtype, device = d.device}) * 60
end
local function symmetric(d)
  local a = square(d)
  return a + a:transpose(-1, -2)
end
add("inv det slogdet", "float", 2, 2, square)
add("solve", "float", 2, 2, function(d)
  local a = square(d)
  return a, d:finite({a:size(-1), 2})
end)
add("cholesky eigh eigvalsh", "float", 2, 2, function(d) return symmetric(d), random(2) == 1 end)
add("qr", "float", 2, 2, function(d) return batch_of(d, random(9), random(9)), any{"reduced", "complete", "r"} end)
add("svd", "float", 2, 2, function(d) return batch_of(d, random(12), random(12)), random(2) == 1 end)
add("svdvals matrix_rank pinv", "float", 2, 2, function(d) return batch_of(d, random(12), random(12)) end)
add("lstsq", "float", 2, 2, function(d)
  local a = batch_of(d, random(9), random(9))
  return a, d:finite({a:size(-2), 2})
end)
add("matrix_norm", "float", 2, 3, function(d) return d:finite(), any{"fro", "nuc", 1, 2, math.huge} end)
add("vector_norm", "float", 1, 3, function(d) return d:finite(), any{1, 2, 3}, d:dim() end)
add("matrix_power", "float", 2, 2, function(d) return square(d), random(-2, 3) end)
add("cdist", "float", 2, 2, function(d)
  local k = random(5)
  return d:finite({extent(d), k}), d:finite({extent(d), k}), any{1, 2, 3, math.huge}
end)
add("einsum", "number", 2, 2, function(d)
  local m, k, n = extent(d), extent(d), random(4)
  return any{"ij,jk->ik", "ij,jk", "ij,jk->kj", "ij,jk->"}, d:values({m, k}), d:values({k, n})
end)
add("tensordot", "number", 2, 2, function(d)
  local k = random(9)
  return d:values({extent(d), k, 2}), d:values({k, 2, 3}), 2
end)
add("vecdot", "number", 1, 3, function(d) return d:values(), d:values(), d:dim() end)
add("cross", "number", 1, 1, function(d) return d:values({extent(d), 3}), d:values({3}) end)
add("kron", "number", 2, 2, function(d) return d:values({random(5), extent(d)}), d:values({2, 3}) end)
add("trace", "number", 2, 3, function(d) return d:values(), random(-1, 1) end)

-- The scatter family by position.
local modes = {"error", "wrap", "clip", "drop"}
local reductions = {"sum", "prod", "mean", "amax", "amin"}
local function reduction(d) return d.dtype == "bool" and any{"sum", "prod", "amax", "amin"} or any(reductions) end
local function scattered(d)
  local dim, n = d:dim(), random(7)
  return d:values(d:along(dim, n)), dim, d:positions(d.shape, n), d:values()
end
add("scatter scatter_add", "any", 1, 4, scattered)
add("scatter_reduce", "any", 1, 4, function(d)
  local self, dim, index, src = scattered(d)
  return self, dim, index, src, reduction(d), {include_self = random(2) == 1, mode = any(modes)}
end)
add("gather", "any", 1, 4, function(d)
  local dim, n = d:dim(), random(7)
  return d:values(d:along(dim, n)), dim, d:positions(d.shape, n)
end)
add("take_along_dim", "any", 1, 4, function(d)
  local dim, n = d:dim(), random(7)
  return d:values(d:along(dim, n)), d:positions(d.shape, n), dim
end)
add("index_select", "any", 1, 4, function(d)
  local dim = d:dim()
  return d:values(), dim, d:positions({random(5)}, d:size(dim))
end)
local function indexed(d)
  local dim, n = d:dim(), random(7)
  return d:values(d:along(dim, n)), dim, d:positions({d:size(dim)}, n), d:values()
end
add("index_add index_copy", "any", 1, 4, indexed)
add("index_reduce", "any", 1, 4, function(d)
  local self, dim, index, source = indexed(d)
  return self, dim, index, source, reduction(d)
end)
add("index_fill", "any", 1, 4, function(d)
  local dim = d:dim()
  return d:values(), dim, d:positions({4}, d:size(dim)), element(d.dtype)
end)
add("index_put", "any", 2, 2, function(d)
  local n = d.is_large and 9000 or 6
  local indices = {d:positions({n}, d.shape[1]), d:positions({n}, d.shape[2])}
  return d:values(), indices, d:values({n}), {accumulate = random(2) == 1}
end)
add("take", "any", 1, 3, function(d) return d:values(), d:positions({4, 2}, numel(d.shape)) end)
add("put", "any", 1, 3, function(d)
  return d:values(), d:positions({4, 2}, numel(d.shape)), d:values({4, 2}), {accumulate = random(2) == 1}
end)
add("masked_select", "any", 0, 3, function(d) return d:values(), d:mask(d:narrowed()) end)
add("masked_scatter", "any", 0, 3, function(d) return d:values(), d:mask(), d:values() end)
add("select_scatter", "any", 2, 3, function(d)
  return d:values(), d:values({table.unpack(d.shape, 2)}), 0, random(0, d.shape[1] - 1)
end)
add("slice_scatter", "any", 1, 3, function(d) return d:values(), d:values(d:along(0, 1)), 0, 0, 1, 1 end)
add("diagonal_scatter", "any", 2, 2, function(d)
  return d:values(), d:values({math.min(d.shape[1], d.shape[2])}), 0, 0, 1
end)
add("scatter_nd", "any", 2, 3, function(d)
  local n = d.is_large and #d.shape == 2 and 9000 or 6
  return d:values(), d:positions({n, 1}, d.shape[1]), d:values({n, table.unpack(d.shape, 2)}), {reduce = reduction(d)}
end)
add("gather_nd", "any", 2, 3, function(d) return d:values(), d:positions({5, 1}, d.shape[1]) end)

-- By group, and of segments.
local function grouped(d)
  local dim = d:dim()
  return d:values(), d:positions({d:size(dim)}, 5), dim
end
add("scatter_sum", "any", 1, 4, grouped)
add("scatter_mul scatter_min scatter_max scatter_any scatter_all scatter_first scatter_last scatter_nunique", "any", 1,
    4, grouped)
add("scatter_mean", "number", 1, 4, grouped)
for _, name in ipairs{"scatter_sum", "scatter_mean"} do
  add(name .. ":float64", "double", 1, 3, function(d)
    local src, index, dim = grouped(d)
    return src, index, {dim = dim, dtype = "float64"}
  end, strew[name])
end
add("scatter_var scatter_std scatter_logsumexp scatter_softmax scatter_log_softmax", "float", 1, 4, grouped)
add("scatter_median", "number", 1, 4, grouped)
add("scatter_quantile", "float", 1, 4, function(d)
  local src, index, dim = grouped(d)
  return src, index, portion(), dim
end)
add("scatter_count", "any", 1, 2, function(d) return d:positions(d.shape, 9), {dim_size = 11} end)
add("segment_csr", "any", 1, 3, function(d) return d:values(), d:bounds(6, d.shape[1]), reduction(d) end)
for _, word in ipairs{"any", "first", "last", "median", "nunique", "count"} do
  add("segment_csr:" .. word, "number", 1, 3, function(d) return d:values(), d:bounds(6, d.shape[1]), word end,
      strew.segment_csr)
end
for _, word in ipairs{"var", "std", "logsumexp"} do
  add("segment_csr:" .. word, "float", 1, 3, function(d) return d:values(), d:bounds(6, d.shape[1]), word end,
      strew.segment_csr)
end
add("segment_csr:quantile", "float", 1, 3, function(d)
  return d:values(), d:bounds(6, d.shape[1]), "quantile", {q = portion()}
end, strew.segment_csr)
add("gather_csr", "any", 1, 3, function(d)
  local lengths = d:positions(d.shape[1] > 0 and {d.shape[1]} or {0}, 4)
  local ends = lengths:to("cpu"):cumsum(0)
  return d:values(), strew.cat{strew.zeros(1, {dtype = ends.dtype, device = "cpu"}), ends}:to(d.device)
end)
add("segment_coo", "any", 1, 3, function(d)
  return d:values(), d:positions({d.shape[1]}, 6, true), reduction(d)
end)
add("gather_coo", "any", 1, 3, function(d) return d:values(), d:positions({9}, d.shape[1], true) end)
add("segment_reduce", "float", 1, 3, function(d)
  local half = d.shape[1] // 2
  local lengths = strew.tensor({half, 0, d.shape[1] - half}, {dtype = "int64", device = d.device})
  return d:values(), any{"sum", "prod", "mean", "max", "min"}, {lengths = lengths}
end)

-- Gradients of functions of a tensor and a draw.
local smooth = {
  function(x) return (x:tanh() * x:sigmoid()):sum() end,
  function(x) return (x:softmax(-1) * x):mean() + x:std() end,
  function(x, d) return x:scatter_reduce(0, d:positions(x.shape, x:size(0)), x * 0.5, "prod"):sum() end,
  function(x, d)
    local index = d:positions({x:size(0)}, 5)
    return (strew.scatter_softmax(x, index, {dim = 0}) * x):sum() + strew.scatter_var(x, index, {dim = 0}):sum()
  end,
  function(x) return x:flatten(0):cumprod(0):mean() + x:amax() + x:norm() end,
  function(x, d) return (strew.scatter_max(x, d:positions({x:size(-1)}, 4))):sum() end,
  function(x, d) return x:index_put({d:positions({3}, x:size(0))}, x:select(0, 0):sum()):sin():sum() end,
  function(x) return x:reshape(x:size(0), -1):matmul(x:reshape(x:size(0), -1):t()):sum() end,
}
local function differentiated(f)
  return function(x, loss, d, seed)
    math.randomseed(seed)
    return strew[f](function(y) return loss(y, d) end)(x)
  end
end
for _, name in ipairs{"grad", "value_and_grad"} do
  add(name, "float", 1, 3, function(d)
    return d:finite(d.is_large and {600, 30} or nil, nil, 0.5, 1.5), any(smooth), d, random(1 << 30)
  end, differentiated(name))
end
add("detach", "any", 0, 3, alone)

-- Sums and means of small integers, and means of huge ones.
local function of_integers(g, w)
  local list, huge = {}, w:to "int64" * (1 << 54)
  for _, name in ipairs{"sum", "mean", "cumsum", "max"} do table.insert(list, {g[name](g, w)}) end
  local several = g:agg{a = {"sum", w}, b = {"mean", w}, c = {"max", w}, d = {"mean", huge}, n = "count"}
  for _, column in ipairs{"a", "b", "c", "d", "n"} do table.insert(list, several[column]) end
  return list, g:mean(huge), g:sum(w:eq(1)), g:prod(w:ne(0))
end

-- What a grouping has, and its reductions and ranks of a float tensor.
local function of_groups(g, v)
  local list = {g.n, g.ids, g.counts, g.positions, g:order(), g:starts(), g:topk(v, 2)}
  for _, q in ipairs{0.3, -0.0, 1.0} do table.insert(list, g:quantile(v, q)) end
  for name in ([[sum mean prod min max var std median first last any all nunique logsumexp argsort rank cumsum
    softmax mode skew shift diff pct_change share ffill bfill interpolate]]):gmatch "%S+" do
    table.insert(list, {g[name](g, v)})
  end
  local several = g:agg{a = {"sum", v}, b = {"mean", v}, c = {"max", v}, d = {"median", v}, n = "count"}
  for _, column in ipairs{"a", "b", "c", "d", "n"} do table.insert(list, several[column]) end
  return list
end
add("grouping", "float", 1, 1, function(d) return d:positions(d.shape, 5), d:values() end, function(index, v)
  return of_groups(strew.grouping(index), v)
end)
add("grouping.integers", "double", 1, 1, function(d)
  return d:positions(d.shape, 5), d:values(nil, any{"bool", table.unpack(integers)})
end, function(index, w) return of_integers(strew.grouping(index), w) end)
add("group_by", "float", 1, 1, function(d) return d:values(), d:positions(d.shape, 3), d:finite() end, function(a, b, v)
  local g, first = strew.group_by(a, b), strew.group_by(b, a, {order = "first"})
  return of_groups(g, v), g.keys, first.ids, first.keys
end)

-- Keys that come in two chunks.
add("key_table", "any", 1, 1, function(d) return d:values(), d:values() end, function(first, second)
  local keys = strew.key_table(1)
  return keys:ids(first), keys:ids(second), keys.n, keys.keys[1]
end)

-- Sums that grow, merge and are read.
add("exact_sums", "float", 1, 1, function(d)
  return d:positions(d.shape, 5), d:values(), d:positions(d.shape, 5)
end, function(index, v, other)
  local e = strew.exact_sums(5, {squares = true}):add(v, index)
  local read = strew.exact_sums(e:state()):add(v, other):merge(e)
  return e:sum(), e:mean(), e:var(), read:std(), read:count(), read:state()
end)

-- Tables of columns.
local function columns(d) return {d:values(), d:positions({d.shape[1]}, 3)} end
local function of_table(t)
  local names, list = strew.columns(t), {}
  for i, name in ipairs(names) do list[i] = t[name] end
  return table.unpack(list)
end
local function keyed(d) return {key = d:positions(d.shape, 6), value = d:values()} end
add("join", "any", 1, 1, function(d)
  return keyed(d), {key = d:positions({7}, 6), other = d:finite{7}},
    any{"inner", "left", "right", "outer", "semi", "anti"}
end, function(a, b, how) return of_table(strew.join(a, b, "key", {how = how})) end)
add("asof", "double", 1, 1, function(d)
  local a = {on = d:positions(d.shape, 9), by = d:positions(d.shape, 3), value = d:values()}
  local b = {on = d:positions({7}, 9), by = d:positions({7}, 3), other = d:finite{7}}
  return strew.sort_by(a, "on"), strew.sort_by(b, "on"), any{"backward", "forward", "nearest"}
end, function(a, b, direction)
  return of_table(strew.asof(a, b, "on", {by = "by", direction = direction, tolerance = 4}))
end)
add("melt", "any", 1, 1, keyed, function(x) return strew.melt(x, "key").key, strew.melt(x, nil, "value").value end)
add("describe", "double", 1, 1, keyed, function(x)
  local summary = strew.describe(x)
  return summary.count, summary.mean, summary["25%"], summary.max
end)
add("head tail", "any", 1, 1, keyed, function(x) return of_table(strew.head(x, 3)) end)
add("table", "any", 1, 1, keyed, function(x) return of_table(strew.table(x)) end)
for _, name in ipairs{"dropna", "duplicated", "drop_duplicates", "corr"} do
  add(name, "double", 1, 1, keyed, function(x)
    local out = strew[name](x)
    if strew.type(out) then return out end
    return out.value, out.key
  end)
end
add("fillna", "double", 1, 1, keyed, function(x) return of_table(strew.fillna(x, {value = 1})) end)
add("rename", "any", 1, 1, keyed, function(x) return of_table(strew.rename(x, {key = "id"})) end)
add("drop", "any", 1, 1, keyed, function(x) return of_table(strew.drop(x, "key")) end)
add("sample", "any", 1, 1, keyed, function(x)
  strew.manual_seed(7)
  return of_table(strew.sample(x, #x.key // 2))
end)
add("row each", "any", 1, 1, keyed, function(x)
  local key, value = {}, nil
  for row in strew.each(x) do key[#key + 1], value = row.key, row.value end
  return key, value, #key > 0 and strew.row(x, -1).value or value
end)
add("cut qcut", "double", 1, 1, function(d) return d:values() end, function(v)
  return v:cut({-1, 0, 1}, {labels = false}), strew.qcut(strew.arange(9) + v:numel(), 3):codes()
end)
add("explode", "any", 1, 1, keyed, function(x)
  return of_table(strew.explode(strew.assign(x, {word = strew.text(x.key)}), "word", "1"):drop "word")
end)
add("get_dummies", "integer", 1, 1, alone, function(v) return #strew.columns(v:get_dummies()) end)
add("rank", "number", 1, 1, function(d) return d:values(), any{"average", "min", "max", "dense", "first"} end,
  function(v, ties) return v:rank{ties = ties} end)
add("pivot", "number", 1, 1, function(d)
  return {row = d:positions(d.shape, 4), column = d:positions(d.shape, 3), value = d:finite()}, any{"sum", "min", "max"}
end, function(t, reduce) return of_table(strew.pivot(t, "row", "column", "value", reduce)) end)
-- Windows, and ranges in any order, of rows.
local joined = {"sum", "mean", "min", "max", "any", "all", "first", "last", "median", "count", "nunique"}
add("rolling", "number", 1, 2, function(d)
  local reduce = any(joined)
  return d:finite(), random(1, 12), random(2) == 1 and reduce or {reduce, skip_nan = true},
    {by = random(2) == 1 and d:positions({d.shape[1]}, 3) or nil, min_count = random(2) == 1 and 1 or nil}
end)
add("ranges", "float", 1, 2, function(d)
  local starts = d:positions({9}, d.shape[1])
  local reduce = any{"var", "std", "prod", "logsumexp", {"quantile", q = 0.3}, table.unpack(joined)}
  return d:finite(), starts, (starts + d:positions({9}, 20)):clamp(0, d.shape[1]), reduce
end)
-- Texts: hashes are of their codes.
local spelled = {"b", "a", "", "ab", "Oslo", "zz", "a"}
local function worded(d) return strew.text(d:positions(d.shape, #spelled), spelled) end
for name in ("text upper lower"):gmatch "%S+" do
  add(name, "integer", 0, 2, worded, function(t) return strew[name](t):codes() end)
end
add("codes", "integer", 1, 2, worded, function(t) return t:sort(-1):codes(), t:lt("b"), t:isin{"a", "zz"} end)
add("length", "integer", 0, 2, worded)
for _, given in ipairs{{"replace", "[ab]", "x%0"}, {"match", "[^a]+"}, {"trim"}, {"join_words", "z", "-"}} do
  local name = given[1]
  add(name, "integer", 0, 2, function(d) return worded(d), table.unpack(given, 2) end, function(t, ...)
    local words = strew[name](t, ...)
    return words:codes(), words:length(), t:sub(-1):codes(), t:split("s", -1):codes(), t:map(string.len)
  end)
end
for name in ("contains starts_with ends_with"):gmatch "%S+" do
  add(name, "integer", 0, 2, function(d) return worded(d), any{"a", "b", ""} end)
end
-- Times: microseconds within 570 years of 1970, and NaT. Hashes are of their int64.
local function instants(d)
  local t = strew.randint(-1 << 54, 1 << 54, d.shape, {device = d.device})
  return t:masked_fill(d:mask(), math.mininteger)
end
add("time", "integer", 0, 3, instants, function(t) return strew.time(t):to("int64") end)
add("calendar", "double", 0, 3, instants, function(t) return of_table(strew.calendar(t:to("time"))) end)
add("floor_time", "integer", 0, 3, function(d)
  return instants(d), any{"year", "quarter", "month", "week", "day", "hour", 900, 0.25}
end, function(t, unit) return t:to("time"):floor_time(unit):to("int64") end)
add("add_months", "integer", 0, 3, function(d) return instants(d), random(-40, 40) end,
  function(t, n) return t:to("time"):add_months(n):to("int64") end)
add("format", "integer", 0, 3, function(d)
  return instants(d), any{"%Y-%m", "%a %d %b %y", "%A %B %e %j", "%I %p", "%F %T.%f%z", "%D %R %%"}
end, function(t, form)
  local words = t:to("time"):format(form)
  return words:codes(), words:length()
end)
add("value_counts", "integer", 1, 1, alone, function(v) return of_table(strew.value_counts(v)) end)
add("rows", "any", 1, 1, function(d) return columns(d), d:positions({4}, d.shape[1]) end)
add("expr", "any", 1, 2, function(d) return d:values(), d:values(d:narrowed()), d:mask() end, function(x, y, m)
  local f, inputs = strew.expr "where(m, maximum(x, y), x) + y", {x = x, y = y, m = m}
  return f(inputs), f:with(inputs):amax(0), f:with(inputs):sum()
end)
add("reduction reduce scan", "number", 1, 2, function(d)
  return d:values(), d:positions({d.shape[1]}, 5), random(0, #d.shape - 1)
end, function(v, at, dim)
  local r = strew.reduction{init = {a = 1, n = 0}, combine = {a = "a * 0.5 + x", n = "n * 3 + i"}, finish = "a + n % 7",
    dtype = {a = v.dtype == "float64" and "float64" or "float32", n = "int64"}} -- devices may lack float64
  local g = strew.grouping(at)
  return v:reduce(r), v:reduce(r, dim), v:scan(r, dim), g:reduce(v, r, 0), strew.scatter(v, g, {dim = 0, reduce = r})
end)
add("assign", "any", 1, 1, keyed, function(x)
  return of_table(strew.assign(x, {most = "maximum(value, key)", chosen = "where(key > 2, most, max(value))"}))
end)
add("sort_by", "any", 1, 1, function(d) return columns(d), {2, 1} end)
add("shift pct_change", "float", 1, 1, function(d) return d:values(), random(-3, 3) end)
add("ffill bfill share interpolate", "float", 1, 1, alone)
add("date_range", "integer", 1, 1, function(d)
  return strew.randint(-1 << 40, 1 << 40, {1}, {device = d.device}), any{"day", "month", "7h", 3600.5}
end, function(at, step) return strew.date_range(at:to "time", (at + (1 << 36)):to "time", step):to "int64" end)
add("resample", "integer", 1, 1, function(d)
  return strew.randint(-1 << 40, 1 << 40, d.shape, {device = d.device}), any{"day", "month", "48h"}
end, function(at, step)
  return of_table(strew.resample({v = at, t = at:to "time"}, step, "t"):agg{s = {"sum", "v"}, n = "count"})
end)
add("aggregate", "any", 1, 1, keyed, function(x)
  local a = strew.aggregate("key", {s = {"min", "value"}, n = "count"})
  return of_table(a:add(x):merge(a):result())
end)

-- -------------------------------------------------------------------------------------------------------- results

-- FNV-1a over 64-bit words.
calls.no_value = 0xcbf29ce484222325
local prime <const>, nan <const> = 0x100000001b3, 0x7ff8000000000000
local function hash_one(digest, value)
  local kind = math.type(value)
  if kind == "integer" then return (digest ~ value) * prime end
  if value ~= value then return (digest ~ nan) * prime end
  if kind == "float" then return (digest ~ ("<i8"):unpack(("<d"):pack(value))) * prime end
  if type(value) == "boolean" then return (digest ~ (value and 1 or 2)) * prime end
  local text = tostring(value)
  for i = 1, #text do digest = (digest ~ text:byte(i)) * prime end
  return digest
end

-- Of many elements the sum and a sample.
local function hash_elements(digest, t)
  local n = t:numel()
  if n > 20000 then
    digest = hash_one(digest, t:sum():item())
    t = strew.cat{t:narrow(0, 0, 64), t:slice(0, 64, n - 64, n // 4000), t:narrow(0, n - 64, 64)}
  end
  for _, number in ipairs(t:tolist()) do digest = hash_one(digest, number) end
  return digest
end

-- Returns the hash of what was hashed before (at first calls.no_value) and a tensor, number, boolean or table of these.
function calls.hash(digest, value)
  if strew.type(value) then
    digest = hash_one(digest, value.dtype)
    for _, size in ipairs(value.shape) do digest = hash_one(digest, size) end
    digest = hash_elements(digest, value:to("cpu"):reshape(-1))
  elseif type(value) == "table" then
    for _, part in ipairs(value) do digest = calls.hash(digest, part) end
  else
    digest = hash_one(digest, value)
  end
  return digest
end

-- Returns the gradients of a call's first result with respect to its float arguments; none if it has no gradient.
function calls.gradients(call)
  local function weighted(...)
    local t = call.f(...)
    local weights = strew.linspace(0.5, 1.5, t:numel(), {dtype = t.dtype, device = t.device}):view(t.shape)
    return (t * weights):sum()
  end
  local has_float = false
  for i = 1, call.n do has_float = has_float or strew.type(call[i]) and calls.is_float(call[i].dtype) end
  if not has_float then return {} end
  local results = table.pack(pcall(strew.grad(weighted), table.unpack(call, 1, call.n)))
  return results[1] and {table.unpack(results, 2, results.n)} or {}
end

-- --------------------------------------------------------------------------------------------------------- exceptions

-- Reasons, and the names of the module that compute nothing whose bits could differ.
local reasons = {
  ["elements are whatever the memory held"] = "empty empty_like",
  ["facts of a shape, dtype or layout"] = "size stride dim numel is_contiguous type result_type finfo iinfo",
  ["gives memory back"] = "free",
  ["names and words of columns"] = "columns words code",
  ["files: tests/spec/file_spec.lua, csv_spec.lua and chunks_spec.lua"] = "load save chunks map",
  ["addresses: tests/interchange_peers.py, tests/check_interchange.c"] =
    "to_dlpack from_dlpack to_arrow from_arrow to_arrow_stream from_arrow_stream",
  ["texts and pictures, of elements read to the CPU"] = "show plot image",
  ["settings"] = "manual_seed set_num_threads get_num_threads deterministic set_printoptions get_printoptions",
  ["facts of the machine"] = "devices memory clock",
  ["messages"] = "progress last_error help",
}
calls.excepted = {}
for reason, names in pairs(reasons) do
  for name in names:gmatch "%S+" do calls.excepted[name] = reason end
end

-- Returns the problems of the lists: an operation of the module that is in none, a name that the module lacks.
function calls.problems()
  local list = {}
  for name, value in pairs(strew) do
    local base = name:gsub("_$", "")
    local is_known = calls.rows[name] or calls.excepted[name] or (calls.rows[base] and rawget(strew, base))
    if type(value) == "function" and not is_known then
      table.insert(list, ("%s: no call of it is in tests/calls.lua, and no reason why"):format(name))
    end
  end
  for name in pairs(calls.excepted) do
    if not rawget(strew, name) then table.insert(list, name .. ": excepted, but not in the module") end
    if calls.rows[name] then table.insert(list, name .. ": excepted, but it has calls") end
  end
  for name, row in pairs(calls.rows) do
    if not row.f then table.insert(list, name .. ": not in the module") end
  end
  table.sort(list)
  return list
end

return calls
