-- One number for the results of many random calls of the scatter family, over dtypes, reductions, modes and layouts:
-- small ones, and some large enough to be shared among threads. build/strew [-t N] [-d DEVICE] tests/digest.lua [CALLS
-- [THREADS...]]: the same number is due on every device and thread count; it fails where thread counts differ.
local strew = require "strew"
local calls = tonumber(arg[1]) or 10000

local random = math.random
local dtypes = {"float32", "float64", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool"}
local modes = {"error", "wrap", "clip", "drop"}
local reductions = {"sum", "prod", "mean", "amax", "amin"}
local function any(list) return list[random(#list)] end

-- A tensor of that shape in some layout: dense, transposed, every second element of something larger.
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
    if dtype == "bool" then return strew.randint(0, 2, s):to("bool") end
    if dtype:find("float") then return strew.randn(s):to(dtype) end
    return strew.randint(dtype == "uint8" and 0 or -100, 100, s, {dtype = dtype})
  end)
end

local function indices(shape, mode, size)
  local low, high = 0, size
  if mode == "wrap" then low = -size elseif mode ~= "error" then low, high = -2, size + 2 end
  local narrow, expands = {table.unpack(shape)}, #shape > 0 and random(3) == 1
  if expands then narrow[#narrow] = 1 end
  local dtype = any{"int64", "int32"}
  local index = laid_out(narrow, function(s) return strew.randint(low, high, s, {dtype = dtype}) end)
  return expands and index:expand(shape) or index
end

local function draw_shape()
  if random(25) == 1 then return any{{40000}, {6000, 7}, {7, 6000}, {3, 2000, 8}, {20000, 2}} end
  local shape = {}
  for d = 1, random(0, 4) do shape[d] = random(20) == 1 and 0 or random(5) end
  return shape
end

local function one_call()
  local dtype, mode, shape = any(dtypes), any(modes), draw_shape()
  local dim = #shape > 0 and random(0, #shape - 1) or 0
  local size = any{1, 3, 50, 300}
  local wide = {table.unpack(shape)}
  if #shape > 0 then wide[dim + 1] = size else size = 1 end
  local index, src = indices(shape, mode, size), values(dtype, shape)
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

local digest -- FNV-1a, over 64-bit words
local function add(word) digest = (digest ~ word) * 0x100000001b3 end
local function add_tensor(t)
  for _, size in ipairs(t.shape) do add(size) end
  for _, value in ipairs(t:reshape(-1):tolist()) do
    if value ~= value then value = "nan" end
    if math.type(value) == "float" then add(("<i8"):unpack(("<d"):pack(value)))
    else add(math.type(value) and value or #tostring(value)) end
  end
end

local function digest_on(threads)
  math.randomseed(1)
  strew.manual_seed(1)
  strew.set_num_threads(threads)
  digest = 0xcbf29ce484222325
  for _ = 1, calls do
    for _, t in ipairs{one_call()} do add_tensor(t) end
  end
  print(("digest of %d random calls on %s, %d threads: %016x"):format(calls, strew.zeros(1).device, threads, digest))
  return digest
end

local first, passed, failed = nil, 0, 0
for i = 2, math.max(#arg, 2) do
  local found = digest_on(tonumber(arg[i]) or strew.get_num_threads())
  first = first or found
  if found == first then passed = passed + 1 else failed = failed + 1 end
end
print(("%d passed, %d failed"):format(passed, failed))
os.exit(failed == 0)
