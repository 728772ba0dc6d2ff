-- scatter_add_ beside the plain C loop on the same data, in turns:
--   build/strew scripts/bench/scatter.lua [SECONDS] [DEVICE]
-- For each case: both times (medians, ms) on one thread, the ratio strew / loop, strew on all threads, and the floor:
-- the bytes that must move over the bandwidth of a copy measured in the same run.
-- With a device: its times beside those of the CPU on all threads, in turns, with index check and waiting included; the
-- bits are compared, too.
local strew = require "strew"

local budget, device = 2, nil
for _, word in ipairs(arg or {}) do
  if tonumber(word) then budget = tonumber(word) else device = word end
end
local all_threads = strew.get_num_threads()

local function median(list)
  table.sort(list)
  return list[#list // 2 + 1]
end

local function time(f)
  local start = strew.clock()
  f()
  return (strew.clock() - start) * 1e3
end

-- Medians of functions called in turns, so that a machine that changes its speed does so for all of them.
local function in_turns(...)
  local functions, times = {...}, {}
  for k = 1, #functions do times[k] = {} end
  local stop = strew.clock() + budget
  repeat
    for k, f in ipairs(functions) do table.insert(times[k], time(f)) end
  until strew.clock() > stop and #times[1] >= 5
  for k = 1, #functions do times[k] = median(times[k]) end
  return table.unpack(times)
end

local M = 1000000
local function random_index(n, places) return strew.randint(0, places, {n}) end

local cases = {
  {"1000 into 100", "line", 100, function() return random_index(1000, 100) end},
  {"10 M into 1", "line", 1, function() return random_index(10 * M, 1) end},
  {"10 M into 100", "line", 100, function() return random_index(10 * M, 100) end},
  {"10 M into 10 k", "line", 10000, function() return random_index(10 * M, 10000) end},
  {"10 M into 1 M", "line", M, function() return random_index(10 * M, M) end},
  {"10 M into 10 M", "line", 10 * M, function() return random_index(10 * M, 10 * M) end},
  {"10 M into 1 M, sorted", "line", M, function() return (random_index(10 * M, M):sort()) end},
  {"1 M rows of 64 into 100 k", "rows", {100000, 64}, function() return random_index(M, 100000) end, {M, 64}},
  {"1 M rows of 3 into 100 k", "rows", {100000, 3}, function() return random_index(M, 100000) end, {M, 3}},
  {"the same, a full index of 64", "full_rows", {100000, 64},
   function() return random_index(64 * M, 100000):view(M, 64) end, {M, 64}},
  {"1000 x 10 k into 1000 x 1000", "inner", {1000, 1000},
   function() return random_index(10 * M, 1000):view(1000, 10000) end, {1000, 10000}},
}

local function copy_bandwidth()
  local from, to = strew.rand(10 * M), strew.empty(10 * M)
  return 2 * 40e6 / in_turns(function() to:copy_(from) end) -- bytes per ms
end

local function most_resident()
  local file <close> = assert(io.open("/proc/self/status"))
  return file:read("a"):match("VmHWM:%s*(%d+)")
end

-- What an in-place call holds beside its operands, at the most. First of all, before other peaks.
local function report_memory()
  local self = strew.zeros(1000, 10)
  local index = strew.empty(M, 1, {dtype = "int64"}):zero_():expand(M, 10)
  local src = strew.empty(M, 10):zero_()
  local before, resident = strew.memory(), most_resident()
  self:scatter_add_(0, index, src)
  local _, peak = strew.memory()
  print("scatter_add_ of 10 M elements through an expanded index, in place:")
  print(("  %d bytes of tensors before, %d at the most"):format(before, peak))
  print(("  resident at the most: %s kB before, %s kB after"):format(resident, most_resident()))
end

-- What a case needs, on the CPU.
local function operands(case)
  collectgarbage()
  local name, kind, places, make_index, shape = table.unpack(case, 1, 5)
  local index = make_index()
  local src = strew.rand(shape or index:numel())
  local wide = kind == "rows" and index:unsqueeze(-1):expand_as(src) or index
  return name, kind, places, index, wide, src, kind == "inner" and 1 or 0
end

-- Kernels given to the device so far.
local function launches()
  for _, one in ipairs(strew.devices()) do
    if one.name == device then return one.launches end
  end
end

local function beside_the_cpu()
  device = strew.zeros(1, {device = device}).device
  print(("%-30s %8s %10s %7s %8s %8s"):format("scatter_add_, float32, int64", "CPU", device, "ratio", "launches", "MB"))
  for _, case in ipairs(cases) do
    local name, kind, places, index, wide, src, dim = operands(case)
    local a, b = strew.zeros(places), strew.zeros(places, {device = device})
    local there, src_there = index:to(device), src:to(device)
    if kind == "rows" then there = there:unsqueeze(-1):expand_as(src_there) end
    a:scatter_add_(dim, wide, src)
    b:scatter_add_(dim, there, src_there)
    assert(strew.equal(a, b:to("cpu")), name .. ": not the CPU's bits")
    local before = launches()
    b:scatter_add_(dim, there, src_there)
    local count, bytes = launches() - before, index:numel() * 8 + src:numel() * 4 + a:numel() * 8
    local cpu, own = in_turns(function() a:scatter_add_(dim, wide, src) end,
                              function() b:scatter_add_(dim, there, src_there) end)
    print(("%-30s %8.2f %10.2f %7.2f %8d %8.0f"):format(name, cpu, own, own / cpu, count, bytes / 1e6))
  end
end

strew.manual_seed(1)
if device then return beside_the_cpu() end
package.cpath = package.cpath .. ";build/?.so"
local plain = require "plain_loop"
report_memory()
strew.set_num_threads(1)
local bandwidth = copy_bandwidth()
print(("copy: %.1f GB/s read and written, on one thread; %d threads in all"):format(bandwidth / 1e6, all_threads))
print(("%-30s %8s %8s %7s %8s %8s")
  :format("scatter_add_, float32, int64", "loop", "strew", "ratio", "all thr.", "floor"))

for _, case in ipairs(cases) do
  local name, kind, places, index, wide, src, dim = operands(case)
  local a, b = strew.zeros(places), strew.zeros(places)
  plain[kind](a, index, src)
  assert(strew.equal(a, b:scatter_add_(dim, wide, src)), name .. ": not the bits of the loop")
  local loop, own = in_turns(function() plain[kind](a, index, src) end, function() b:scatter_add_(dim, wide, src) end)
  strew.set_num_threads(all_threads)
  local threaded = in_turns(function() b:scatter_add_(dim, wide, src) end)
  strew.set_num_threads(1)
  local floor = (index:numel() * 8 + src:numel() * 4 + a:numel() * 8) / bandwidth
  print(("%-30s %8.2f %8.2f %7.2f %8.2f %8.2f"):format(name, loop, own, own / loop, threaded, floor))
end
