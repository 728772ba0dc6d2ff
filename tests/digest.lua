-- Two numbers (hashes) for the results of random calls: of every operation (calls.lua), and many of the scatter
-- family, over dtypes, reductions, modes and layouts, some of them of values that a function like exp gave. Most are
-- small, some are large enough to be shared among threads.
-- usage: build/strew [-t N] [-d DEVICE] tests/digest.lua [CALLS [EACH [THREADS | DEVICE]...]]
--        build/strew [-t N] [-d DEVICE] --digest
-- CALLS: of the scatter family. EACH: calls of each operation; from 2 on, one of them is large.
-- The numbers are the same on every thread count and device; fails if they differ, and names the operations. Each call
-- seeds the generators again, so that calls with float64 can be left out on devices without it: they have a number of
-- their own. Fails, too, if the module has an operation of which calls.lua has no calls.
local strew = require "strew"
local carried = ... -- the calls: strew --digest has both files in the program
local is_carried = type(carried) == "table"
local drawn = is_carried and carried or dofile "tests/calls.lua"
local arg = is_carried and {200, 3} or arg -- RESULTS.md has these numbers of many processors
local calls, each = tonumber(arg[1]) or 10000, tonumber(arg[2]) or 8
local device -- device of the next call's tensors

local random, any, laid_out, hash = math.random, drawn.any, drawn.laid_out, drawn.hash
local start <const> = drawn.no_value
local dtypes = drawn.dtypes
local modes = {"error", "wrap", "clip", "drop"}
local reductions = {"sum", "prod", "mean", "amax", "amin"}
local functions = {"exp", "log", "log2", "log10", "log1p", "expm1", "sin", "cos", "tanh", "sigmoid", "rsqrt", "pow",
  "tan", "asin", "acos", "atan", "sinh", "cosh", "asinh", "acosh", "atanh", "exp2", "erf", "erfc", "gelu", "cbrt"}

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

local function has_float64()
  for _, one in ipairs(strew.devices()) do
    if one.name == device then return one.name == "cpu" or one.float64 end
  end
end

-- In place, if the operation can and the result fits; nil otherwise.
local function in_place(name, call)
  local f = rawget(strew, name .. "_")
  if not f or not strew.type(call[1]) then return nil end
  local target = call[1]:clone()
  return pcall(f, target, table.unpack(call, 2, call.n)) and target or nil
end

local passed, failed = 0, 0
local function check(ok, what)
  if ok then passed = passed + 1 else failed = failed + 1 end
  if not ok then print("FAILED " .. what) end
end

local function digest_operation(digest, name, k)
  local call = drawn.draw(name, k, device, each > 1 and k == each)
  local results = table.pack(pcall(call.f, table.unpack(call, 1, call.n)))
  if not results[1] then check(false, ("call %d of %s: %s"):format(k, name, results[2])) end
  for i = 2, results.n do digest = hash(digest, results[i]) end
  return hash(digest, in_place(name, call))
end

-- On the CPU; devices would compile kernels for long.
local function digest_gradients(digest, name, k)
  local ok, call = pcall(drawn.draw, name, k, device, false, true, true)
  return hash(digest, ok and drawn.gradients(call) or {})
end

-- What a pass over all calls gives: digests by operation, "NAME" and "NAME in float64", and the numbers of calls.
local function digest_all()
  local all = device == "cpu" or has_float64()
  local pass = {digests = {}, made = {[false] = 0, [true] = 0}}
  local function add(name, is_double, f, ...)
    local key = is_double and name .. " in float64" or name
    pass.made[is_double] = pass.made[is_double] + 1
    pass.digests[key] = f(pass.digests[key] or start, ...)
  end
  for i = 1, calls do
    math.randomseed(i, 1)
    strew.manual_seed(i)
    local dtype = any(dtypes)
    local is_double = dtype == "float64"
    if all or not is_double then
      add("scatter family", is_double, function(digest)
        for _, t in ipairs{one_call(dtype)} do digest = hash(digest, t) end
        return digest
      end)
    end
  end
  for _, name in ipairs(drawn.names) do
    for k = 1, each do
      local is_double = drawn.draw(name, k, device, each > 1 and k == each, false).is_double
      if all or not is_double then add(name, is_double, digest_operation, name, k) end
      local key = "gradients of " .. name
      if device == "cpu" and k < 3 then pass.digests[key] = digest_gradients(pass.digests[key] or start, name, k) end
    end
  end
  return pass, all
end

-- The digests of a pass as one: of calls with float64, or of the others; without the gradients that only the CPU has.
local function whole(pass, is_double)
  local keys, digest = {}, start
  for key in pairs(pass.digests) do
    if key:find "^gradients of " then goto continue end
    if (key:find " in float64$" ~= nil) == is_double then table.insert(keys, key) end
    ::continue::
  end
  table.sort(keys)
  for _, key in ipairs(keys) do digest = hash(hash(digest, key), pass.digests[key]) end
  return digest
end

local function report(pass, all)
  local threads = device == "cpu" and (", %d threads"):format(strew.get_num_threads()) or ""
  print(("digest of %d random calls on %s%s: %016x, %s"):format(pass.made[false], device, threads, whole(pass, false),
    all and ("of %d with float64: %016x"):format(pass.made[true], whole(pass, true)) or "without float64"))
end

local problems = drawn.problems()
check(#problems == 0, "tests/calls.lua:\n  " .. table.concat(problems, "\n  "))
local first
for i = 3, math.max(#arg, 3) do
  local threads = tonumber(arg[i])
  if threads then strew.set_num_threads(threads) end
  device = strew.zeros(1, {device = not threads and arg[i] or nil}).device
  local pass, all = digest_all()
  report(pass, all)
  first = first or pass
  local different = {}
  for key, digest in pairs(pass.digests) do
    if first.digests[key] and first.digests[key] ~= digest then table.insert(different, key) end
  end
  table.sort(different)
  check(#different == 0, ("on %s other bits: %s"):format(device, table.concat(different, ", ")))
end
print(("%d passed, %d failed"):format(passed, failed))
if not is_carried then os.exit(failed == 0) end
assert(failed == 0, "other bits than other processors")
