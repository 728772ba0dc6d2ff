-- timing.lua: prepares a case and measures its calls. Times are milliseconds of one call.
local strew = require "strew"
local timing = {}

-- CLOCK=cpu: processor time, for a machine that others use, too. Meaningless for more than one thread.
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

-- Calls until the seconds are spent, at least one; appends their times to the list.
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

-- Resident memory by the system's count, in bytes: now, and the maximum since the last reset. Linux only; else nothing.
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

-- One call's maximum memory, in bytes: operands and results, then the additional memory as tensors or as scratch.
-- Blocks kept from earlier calls would hide scratch: an allocation that fails frees them. The peak of tensor memory
-- never falls: memory up to an earlier peak is filled first.
function timing.marks(case, operands)
  pcall(strew.empty, 1 << 60, {dtype = "uint8"})
  local used, peak = strew.memory()
  local filling = strew.empty(peak - used, {dtype = "uint8"})
  reset_resident_peak()
  local resident_before = resident()
  local results = table.pack(case.call(table.unpack(operands, 1, operands.n)))
  collectgarbage() -- what calls in Lua made and dropped is scratch, too
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
