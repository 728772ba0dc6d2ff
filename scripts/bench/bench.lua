-- bench.lua: strew alone, on one thread and on all, alternating: make bench, or
--   build/strew scripts/bench/bench.lua [SECONDS] [DEVICE]
-- For each case of cases.lua prints medians in ms, and: the plain C loop on the same data, if there is one (its bits
-- are compared); the floor, the bytes that must move divided by the bandwidth of a copy measured in this run; the ratio
-- to the floor; operands and results in MB, and the maximum of scratch memory (MB, %).
-- With a device: its times beside those of the CPU on all threads, waiting included; the bits are compared, too.
-- In the environment, or as make's variables: CASES=rows,add_1M words of keys; SCALE=1000 divides all sizes by 1000;
-- CLOCK=cpu for processor time.
local strew = require "strew"
local folder = arg[0]:match("^(.*/)") or "./"
package.path = folder .. "?.lua;" .. package.path
local cases, timing = require "cases", require "timing"

local first = 0
while arg[first - 1] do first = first - 1 end
local program = arg[first]
local budget, device = 1, nil
for _, word in ipairs(arg) do
  if tonumber(word) then budget = tonumber(word) else device = word end
end
local all_threads = strew.get_num_threads()
local turns = 8

-- Medians of runners called alternately, so that changes of the machine's speed affect all of them. A runner is {case,
-- operands, threads}.
local function in_turns(runners)
  local times = {}
  for k = 1, #runners do times[k] = {} end
  for _ = 1, turns do
    for k, runner in ipairs(runners) do
      strew.set_num_threads(runner.threads)
      timing.measure(runner.case, runner.operands, 0, {}) -- wakes the workers
      timing.measure(runner.case, runner.operands, budget / turns, times[k])
    end
  end
  for k in ipairs(runners) do times[k] = timing.median(times[k]) end
  return table.unpack(times)
end

-- One case on one thread and on all; the same time twice if there is only one.
local function one_and_all(case, operands, loop)
  local runners = {{case = case, operands = operands, threads = 1}}
  if all_threads > 1 then table.insert(runners, {case = case, operands = operands, threads = all_threads}) end
  if loop then table.insert(runners, {case = loop, operands = operands, threads = 1}) end
  local one, all, looped = in_turns(runners)
  if all_threads == 1 then all, looped = one, all end
  return one, all, looped
end

local function chosen() return cases.choose(os.getenv("CASES")) end

-- Prints a line before parts that have a table of their own. `last` is the part of the case before; returns this one's.
local heads = {rest = "the rest of the family", texts = "expressions", exact = "exact sums",
  questions = "group-by questions to 10 M rows"}
local function announce(case, last)
  if heads[case.part] and last ~= case.part then print(heads[case.part]) end
  return case.part
end

local function call(case, operands) return table.pack(case.call(table.unpack(operands, 1, operands.n))) end

-- The plain loop of a case as a case; nil if there is none.
local function loop_of(case)
  package.cpath = program:gsub("[^/]*$", "") .. "?.so;" .. package.cpath
  local found, plain = pcall(require, "plain_loop")
  if not found or not case.loop then return nil end
  return {call = plain[case.loop], batch = 1}
end

local function assert_bits(case, loop, operands)
  local other = table.move(operands, 1, operands.n, 1, {n = operands.n})
  other[1] = operands[1]:clone()
  call(case, operands)
  call(loop, other)
  assert(strew.equal(operands[1], other[1]), case.key .. ": not the bits of the plain loop")
end

local function bytes_of(case, operands) return case.bytes(table.unpack(operands, 1, operands.n)) end

local function shown(value) return value and (value < 0.1 and "%.5f" or "%.2f"):format(value) or "" end

-- Bytes per ms on one thread and on all.
local function bandwidths()
  local operands = timing.prepare(cases.copy)
  local one, all = one_and_all(cases.copy, operands)
  print(("copy of 40 MB: %.2f ms (%.1f GB/s) on one thread, %.2f ms (%.1f GB/s) on %d"):format(
    one, bytes_of(cases.copy, operands) / one / 1e6, all, bytes_of(cases.copy, operands) / all / 1e6, all_threads))
  return bytes_of(cases.copy, operands) / one, bytes_of(cases.copy, operands) / all
end

local layout = "%-50s %9s %9s %9s %8s %8s %8s %8s %9s %9s %6s"
local function show_case(case, bandwidth_one, bandwidth_all)
  strew.set_num_threads(all_threads)
  local operands = timing.prepare(case)
  local held, extra = timing.marks(case, operands)
  local bytes, loop = bytes_of(case, operands), loop_of(case)
  if loop then assert_bits(case, loop, operands) end
  local one, all, looped = one_and_all(case, operands, loop)
  local title, floor_one, floor_all = case.title, bytes / bandwidth_one, bytes / bandwidth_all
  if case.part == "call" then
    title, one, all, floor_one, floor_all = title .. " (us)", one * 1e3, all * 1e3, nil, nil
  end
  print(layout:format(title, shown(looped), shown(one), shown(all), shown(floor_one), shown(floor_all),
    shown(floor_one and one / floor_one), shown(floor_all and all / floor_all),
    shown(held / 1e6), shown(extra / 1e6), held > 1e6 and ("%.1f"):format(extra / held * 100) or ""))
end

-- ms from start to end of an empty script.
local function start(command)
  local times = {}
  for k = 1, 20 do
    local before = strew.clock()
    if not os.execute("exec " .. command .. " -e '' 2>/dev/null") then return nil end
    times[k] = (strew.clock() - before) * 1e3
  end
  return timing.median(times)
end

local function alone()
  local bandwidth_one, bandwidth_all = bandwidths()
  print(("times and floors in ms; %d threads in all; memory in MB"):format(all_threads))
  print(layout:format("", "loop", "1 thread", "all", "floor 1", "floor all", "x floor", "x floor", "operands", "above",
    "%"))
  local part
  for _, case in ipairs(chosen()) do
    part = announce(case, part)
    show_case(case, bandwidth_one, bandwidth_all)
  end
  print(("start of the program: %s, of lua5.4: %s"):format(shown(start(program)), shown(start("lua5.4"))))
end

-- ----------------------------------------------------------------------------------------------------------- devices

local function moved(operands)
  local there = {n = operands.n}
  for k = 1, operands.n do there[k] = operands[k]:to(device) end
  return there
end

-- True if the results, and the operands written in place, are the same.
local function same_bits(case, here, there)
  local a, b = call(case, here), call(case, there)
  for k = 1, a.n do
    if not strew.equal(a[k], b[k]:to("cpu")) then return false end
  end
  return strew.equal(here[1], there[1]:to("cpu"))
end

-- Kernel launches of the device so far.
local function launches()
  for _, one in ipairs(strew.devices()) do
    if one.name == device then return one.launches end
  end
end

local function beside_the_cpu()
  device = strew.zeros(1, {device = device}).device
  print(("%-50s %9s %10s %7s %8s %8s"):format("ms", "CPU", device, "ratio", "launches", "MB moved"))
  local part
  for _, case in ipairs(chosen()) do
    part = announce(case, part)
    local here = timing.prepare(case)
    local there = moved(here)
    assert(same_bits(case, here, there) or case.varies, case.key .. ": not the CPU's bits")
    local before = launches()
    call(case, there)
    local count = (launches() - before) // case.batch
    local cpu, own = in_turns {{case = case, operands = here, threads = all_threads},
                               {case = case, operands = there, threads = all_threads}}
    print(("%-50s %9s %10s %7s %8d %8.0f"):format(case.title, shown(cpu), shown(own), shown(own / cpu), count,
      bytes_of(case, here) / 1e6))
  end
end

if device then beside_the_cpu() else alone() end
