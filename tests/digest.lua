-- One number (a hash) for the results of many random calls of the scatter family, over dtypes, reductions, modes and
-- layouts, some of them of values that a function like exp gave: small ones, and some large enough to be shared among
-- threads.
-- usage: build/strew [-t N] [-d DEVICE] tests/digest.lua [CALLS [THREADS | DEVICE]...]
-- The number is the same on every thread count and device; fails if they differ. Each call seeds the generators again,
-- so that calls with float64 can be left out on devices without it: they have a number of their own.
local strew = require "strew"
local calls = tonumber(arg[1]) or 10000
local device -- device of the next call's tensors

local random = math.random
local dtypes = {"float32", "float64", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool"}
local modes = {"error", "wrap", "clip", "drop"}
local reductions = {"sum", "prod", "mean", "amax", "amin"}
local functions = {"exp", "log", "log2", "log10", "log1p", "expm1", "sin", "cos", "tanh", "sigmoid", "rsqrt", "pow"}
local function any(list) return list[random(#list)] end

-- A tensor of that shape in some layout: dense, transposed, every second element of a larger one.
local function laid_out(shape, make)
  local layout, wide = random(3), {table.unpack(shape)}
  if #shape == 0 or layout == 1 then return make(wide) end
  if layout == 2 then
    wide[1], wide[#wide] = wide[#wide], wide[1]
    return make(wide):transpose(0, -1)
  end
  wide[#wide] = wide[#wide] * 2
  return make(wide):slice(-1, 0, wide[#wide], 2)
end

local function values(dtype, shape)
  return laid_out(shape, function(s)
    if dtype == "bool" then return strew.randint(0, 2, s, {device = device}):to("bool") end
    if dtype:find("float") then return strew.randn(s, {device = device}):to(dtype) end
    return strew.randint(dtype == "uint8" and 0 or -100, 100, s, {dtype = dtype, device = device})
  end)
end

-- Constant, sorted or random; sometimes an expanded view, or its copy.
local function indices(shape, mode, size)
  local low, high = 0, size
  if mode == "wrap" then low = -size elseif mode ~= "error" then low, high = -2, size + 2 end
  local narrow, expands = {table.unpack(shape)}, #shape > 0 and random(3) == 1
  if expands then narrow[#narrow] = 1 end
  local dtype = any{"int64", "int32"}
  local index = laid_out(narrow, function(s) return strew.randint(low, high, s, {dtype = dtype, device = device}) end)
  if random(4) == 1 and index:numel() > 0 then index = index:reshape(-1):sort():view(narrow) end
  if not expands then return index end
  return random(2) == 1 and index:expand(shape) or index:expand(shape):contiguous()
end

local function draw_shape()
  if random(25) == 1 then return any{{90000}, {12000, 10}, {7, 12000}, {3, 4000, 8}, {30000, 2}} end
  local shape = {}
  for d = 1, random(0, 4) do shape[d] = random(20) == 1 and 0 or random(5) end
  return shape
end

local function one_call(dtype)
  local mode, shape = any(modes), draw_shape()
  local dim = #shape > 0 and random(0, #shape - 1) or 0
  local size = any{1, 3, 50, 300, 20000}
  if #shape > 1 or #shape == 0 then size = math.min(size, 300) end
  local wide = {table.unpack(shape)}
  if #shape > 0 then wide[dim + 1] = size else size = 1 end
  local index, src = indices(shape, mode, size), values(dtype, shape)
  if dtype:find("float") and random(3) == 1 then
    local name = any(functions)
    src = name == "pow" and src:abs():pow(src) or src[name](src)
  end
  local reduction = any(reductions)
  if dtype == "bool" and reduction == "mean" then reduction = "sum" end
  local form = #shape > 0 and random(5) or random(4)
  if form == 1 then return values(dtype, wide):scatter(dim, index, src, {mode = mode}) end
  if form == 2 then return values(dtype, wide):scatter_add_(dim, index, src, {mode = mode}) end
  if form == 3 then return values(dtype, wide):gather(dim, index, {mode = mode}) end
  if form == 4 then
    return values(dtype, wide):scatter_reduce_(dim, index, src, reduction, {mode = mode, include_self = random(2) == 1})
  end
  local opts = {dim = dim, dim_size = size, mode = mode}
  local name = {sum = "sum", prod = "mul", mean = "mean", amax = "max", amin = "min"}
  return strew["scatter_" .. name[reduction]](src, index, opts)
end

local digests -- FNV-1a over 64-bit words: of calls with float64 and of those without
local function add(kind, word) digests[kind] = (digests[kind] ~ word) * 0x100000001b3 end
local function add_tensor(kind, t)
  for _, size in ipairs(t.shape) do add(kind, size) end
  for _, value in ipairs(t:reshape(-1):tolist()) do
    if value ~= value then value = "nan" end
    if math.type(value) == "float" then add(kind, ("<i8"):unpack(("<d"):pack(value)))
    else add(kind, math.type(value) and value or #tostring(value)) end
  end
end

local function has_float64()
  for _, one in ipairs(strew.devices()) do
    if one.name == device then return one.name == "cpu" or one.float64 end
  end
end

local function digest_all()
  local made, all = {[true] = 0, [false] = 0}, device == "cpu" or has_float64()
  digests = {[true] = 0xcbf29ce484222325, [false] = 0xcbf29ce484222325}
  for i = 1, calls do
    math.randomseed(i, 1)
    strew.manual_seed(i)
    local dtype = any(dtypes)
    local kind = dtype == "float64"
    if all or not kind then
      made[kind] = made[kind] + 1
      for _, t in ipairs{one_call(dtype)} do add_tensor(kind, t) end
    end
  end
  local threads = device == "cpu" and (", %d threads"):format(strew.get_num_threads()) or ""
  print(("digest of %d random calls on %s%s: %016x, %s"):format(made[false], device, threads, digests[false],
    all and ("of %d with float64: %016x"):format(made[true], digests[true]) or "without float64"))
  return digests[false], all and digests[true]
end

local first, first64, passed, failed = nil, nil, 0, 0
for i = 2, math.max(#arg, 2) do
  local threads = tonumber(arg[i])
  if threads then strew.set_num_threads(threads) end
  device = strew.zeros(1, {device = not threads and arg[i] or nil}).device
  local found, found64 = digest_all()
  first, first64 = first or found, first64 or found64
  if found == first and (not found64 or found64 == first64) then passed = passed + 1 else failed = failed + 1 end
end
print(("%d passed, %d failed"):format(passed, failed))
os.exit(failed == 0)
