-- timing.lua: a case made ready, and how its calls are timed. Times are milliseconds of one call.
local strew = require "strew"
local timing = {}

-- CLOCK=cpu: processor time, where others use the machine, too. It tells nothing about more than one thread.
local clock = os.getenv("CLOCK") == "cpu" and os.clock or strew.clock

function timing.median(list)
  local sorted = table.move(list, 1, #list, 1, {})
  table.sort(sorted)
  return sorted[#sorted // 2 + 1]
end

local function give_back(...)
  for k = 1, select("#", ...) do (select(k, ...)):free() end
end

-- The operands of a case.
function timing.prepare(case)
  strew.manual_seed(1)
  collectgarbage()
  local operands = table.pack(case.make())
  collectgarbage()
  return operands
end

local function run(case, operands) give_back(case.call(table.unpack(operands, 1, operands.n))) end

-- Calls until the seconds are spent, at least one: their times are appended to the list.
function timing.measure(case, operands, seconds, times)
  local start = clock()
  local last = start
  repeat
    run(case, operands)
    local now = clock()
    table.insert(times, (now - last) * 1e3 / case.batch)
    last = now
  until now - start > seconds
  return times
end

-- What the system counts as resident, in bytes: now and at the most since the last reset. Linux only; else nothing.
local function resident()
  local file <close> = io.open("/proc/self/status")
  local text = file and file:read("a") or ""
  local now, peak = text:match("VmRSS:%s*(%d+)"), text:match("VmHWM:%s*(%d+)")
  return now and now * 1024, peak and peak * 1024
end
local function reset_resident_peak()
  local file <close> = io.open("/proc/self/clear_refs", "w")
  if file then file:write("5") end
end

-- One call's high-water mark, in bytes: operands and results, then what it takes above them as tensors or as scratch.
-- Blocks kept from earlier calls would hide what is scratch: asking for what cannot be had drops them. The peak of
-- tensor memory never falls: what stood higher before is filled up first.
function timing.marks(case, operands)
  pcall(strew.empty, 1 << 60, {dtype = "uint8"})
  local used, peak = strew.memory()
  local filling = strew.empty(peak - used, {dtype = "uint8"})
  reset_resident_peak()
  local resident_before = resident()
  local results = table.pack(case.call(table.unpack(operands, 1, operands.n)))
  local new = strew.memory() - peak
  local _, after = strew.memory()
  local extra = after - peak - new
  local _, resident_peak = resident()
  if resident_before then extra = math.max(extra, resident_peak - resident_before - new) end
  give_back(table.unpack(results, 1, results.n))
  filling:free()
  return used + new, math.max(extra, 0)
end

return timing
