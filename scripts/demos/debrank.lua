-- PageRank of the packages installed on this Debian: which packages does everything depend on?
-- usage: strew debrank.lua [--all]      --all: the whole archive, from apt-cache dumpavail
local strew = require "strew"
local common = dofile((arg and arg[0] or ""):gsub("[^/]*$", "common.lua"))
local damping, rounds = 0.85, 100
local names, from, to = dofile(common.here .. "packages.lua")(arg and arg[1] == "--all")
local n = #names
print(("%d packages, %d dependencies"):format(n, #from))

-- In each round a package passes its rank to its dependencies; packages without any pass it to all.
local function compute(device)
  local on = {dtype = "float64", device = device}
  local origin, target = strew.tensor(from, {device = device}) - 1, strew.tensor(to, {device = device}) - 1
  local out = strew.scatter_sum(strew.ones(#from, on), origin, {dim_size = n})
  local idle = out:eq(0):nonzero():flatten()
  local one_place = strew.zeros(#idle, {dtype = "int64", device = device})
  local divisor = out:clamp(1)
  local rank = strew.full(n, 1 / n, on)
  for round = 1, rounds do
    strew.progress("ranks on " .. device, round / rounds)
    local lost = strew.scatter_sum(rank:gather(0, idle), one_place, {dim_size = 1}):item()
    local arrived = strew.scatter_sum((rank / divisor):gather(0, origin), target, {dim_size = n})
    rank = arrived * damping + ((1 - damping) + damping * lost) / n
  end
  strew.progress()
  return {rank}
end
local rank = common.on_devices(compute, "float64")[1]

-- The same by a plain loop, in the order of the edges.
local start = strew.clock()
local count, plain = {}, {}
for i = 1, n do count[i], plain[i] = 0, 1 / n end
for e = 1, #from do count[from[e]] = count[from[e]] + 1 end
for round = 1, rounds do
  strew.progress("ranks by Lua alone", round / rounds)
  local lost, arrived = 0.0, {}
  for i = 1, n do
    arrived[i] = 0.0
    if count[i] == 0 then lost = lost + plain[i] end
  end
  for e = 1, #from do arrived[to[e]] = arrived[to[e]] + plain[from[e]] / count[from[e]] end
  for i = 1, n do plain[i] = arrived[i] * damping + ((1 - damping) + damping * lost) / n end
end
strew.progress()
print(("  %-12s %9.3f ms"):format("Lua alone", (strew.clock() - start) * 1e3))

local values, places = rank:topk(math.min(10, n))
for i = 0, #values - 1 do print(("%3d  %-28s %.6f"):format(i + 1, names[places[i] + 1], values[i])) end
local same = 0
for i, value in ipairs(rank:tolist()) do if value == plain[i] then same = same + 1 end end
common.check("sum of all ranks", ("%.9f"):format(rank:sum():item()), "1.000000000")
common.check("the first one", names[places[0] + 1]:match "^libc6", "libc6")
common.check("ranks with the bits of the plain loop", same, n)
common.finish()
