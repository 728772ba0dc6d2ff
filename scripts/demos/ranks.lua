-- PageRank of the packages installed on this Debian, as debrank.lua, over several processes or machines: each holds a
-- block of the ranks and a part of the dependencies, and the result has the bits of one process.
-- usage: mpirun -n 4 strew ranks.lua [--all]      (without mpirun: one process)
local strew, mpi = require "strew", require "strew.mpi"
local here = (arg and arg[0] or ""):gsub("[^/]*$", "")
local damping, rounds = 0.85, 100
local names, from, to = dofile(here .. "packages.lua")(arg and arg[1] == "--all")
local n, is_first = #names, mpi.rank() == 0
local float64 = {dtype = "float64"}

-- This process's part of a list of numbers from 1.
local function part(list) return mpi.distribute(strew.tensor(list) - 1):block() end

-- The values of a distributed tensor at some positions, added up in order: a scatter into a single place.
local function sum_of(d, positions)
  local place = strew.zeros(#positions, {dtype = "int64"})
  return mpi.zeros(1, float64):scatter_add_(place, d:gather(positions)):collect():item()
end

local function compute()
  local origin, target = part(from), part(to)
  local count = mpi.zeros(n, float64):scatter_add_(origin, strew.ones(#origin, float64))
  local idle = mpi.distribute(count:collect():eq(0):nonzero():flatten()):block()
  local divisor = count:block():clamp(1)
  local rank, share = mpi.distribute(strew.full(n, 1 / n, float64)), mpi.zeros(n, float64)
  for _ = 1, rounds do
    local lost = sum_of(rank, idle)
    share:block():copy_(rank:block() / divisor)
    local arrived = mpi.zeros(n, float64):scatter_add_(target, share:gather(origin))
    rank:block():copy_(arrived:block() * damping + ((1 - damping) + damping * lost) / n)
  end
  return rank:collect()
end

-- The same by a plain loop, in the order of the dependencies.
local function plain_loop()
  local count, rank = {}, {}
  for i = 1, n do count[i], rank[i] = 0, 1 / n end
  for e = 1, #from do count[from[e]] = count[from[e]] + 1 end
  for _ = 1, rounds do
    local lost, arrived = 0.0, {}
    for i = 1, n do
      arrived[i] = 0.0
      if count[i] == 0 then lost = lost + rank[i] end
    end
    for e = 1, #from do arrived[to[e]] = arrived[to[e]] + rank[from[e]] / count[from[e]] end
    for i = 1, n do rank[i] = arrived[i] * damping + ((1 - damping) + damping * lost) / n end
  end
  return strew.tensor(rank, float64)
end

local start = strew.clock()
local rank = compute()
local seconds, sent = strew.clock() - start, mpi.sum(strew.tensor(mpi.sent_bytes())):item()
if is_first then
  print(("%d packages, %d dependencies, %d rank%s of MPI"):format(n, #from, mpi.size(), mpi.size() == 1 and "" or "s"))
  print(("%.3f ms, %.3f MB sent between them"):format(seconds * 1e3, sent / 1e6))
  local values, places = rank:topk(math.min(10, n))
  for i = 0, #values - 1 do print(("%3d  %-28s %.6f"):format(i + 1, names[places[i] + 1], values[i])) end
  local same = rank:eq(plain_loop()):sum():item()
  print(("%d of %d ranks have the bits of the plain loop in one process"):format(same, n))
  if same ~= n then os.exit(1, true) end
end
