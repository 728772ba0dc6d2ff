-- worker.lua: strew's side of peers.py: build/strew -t THREADS scripts/bench/worker.lua
-- A line in, a line out; a failure answers "absent REASON".
--   list [WORDS]   KEY|TITLE|PART|BATCH of each case, separated by tabs
--   prepare KEY    "ready BYTES MS": the bytes that must move, and the time of a first call
--   time SECONDS   the times of calls, in ms
--   drop           frees the operands
local folder = arg[0]:match("^(.*/)") or "./"
package.path = folder .. "?.lua;" .. package.path
local cases, timing = require "cases", require "timing"

local case, operands
local commands = {}

function commands.list(words)
  local lines = {}
  for k, one in ipairs(cases.choose(words)) do
    lines[k] = table.concat({one.key, one.title, one.part, one.batch}, "|")
  end
  assert(lines[1], "no key has such a word")
  return table.concat(lines, "\t")
end

function commands.prepare(words)
  local key = words:match("%S+")
  case = nil
  for _, one in ipairs(key == "copy" and {cases.copy} or cases.choose(key)) do
    if one.key == key then case = one end
  end
  operands = timing.prepare(assert(case, "no such case"))
  local bytes = case.bytes(table.unpack(operands, 1, operands.n))
  return ("ready %d %.6f"):format(bytes // 1, timing.measure(case, operands, 0, {})[1])
end

function commands.time(seconds)
  local times = timing.measure(case, operands, tonumber(seconds), {})
  for k, ms in ipairs(times) do times[k] = ("%.6f"):format(ms) end
  return table.concat(times, " ")
end

function commands.drop()
  operands = nil
  collectgarbage()
  return "dropped"
end

io.stdout:setvbuf("line")
print(package.loaded.strew._VERSION)
for line in io.lines() do
  local name, rest = line:match("^(%S+) ?(.*)$")
  local ok, answer = pcall(commands[name], rest)
  print(ok and answer or "absent " .. tostring(answer):match("[^\n]*"))
end
