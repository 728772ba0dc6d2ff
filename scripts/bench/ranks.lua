-- Scatter over ranks of MPI: 10 M float32 into 1 M places, or PAIRS into PLACES.
-- usage: mpirun -n RANKS build/strew -t THREADS scripts/bench/ranks.lua [PAIRS [PLACES [REPEATS]]]
-- Prints the best time of several calls, of strew alone (on rank 0, with all pairs) and of the ranks together, and the
-- bytes that each pair sends to another rank.
local strew, mpi = require "strew", require "strew.mpi"
local pairs_all = math.tointeger(arg[1] or 10000000)
local places = math.tointeger(arg[2] or 1000000)
local repeats = math.tointeger(arg[3] or 7)
local is_first = mpi.rank() == 0

local function best(call)
  local least = math.huge
  for _ = 1, repeats do
    mpi.barrier()
    local start = strew.clock()
    call()
    mpi.barrier()
    least = math.min(least, strew.clock() - start)
  end
  return least * 1e3
end

local first = pairs_all * mpi.rank() // mpi.size()
local count = pairs_all * (mpi.rank() + 1) // mpi.size() - first
strew.manual_seed(mpi.rank())
local index, src = strew.randint(0, places, count), strew.rand(count)
local d = mpi.zeros(places)
local before = mpi.sent_bytes()
d:scatter_add_(index, src)
local sent = mpi.sum(strew.tensor(mpi.sent_bytes() - before)):item()
local together, gathered = best(function() d:scatter_add_(index, src) end), best(function() d:gather(index) end)
local alone = function() end
if is_first then
  local whole, all_index, all_src = strew.zeros(places), strew.randint(0, places, pairs_all), strew.rand(pairs_all)
  alone = function() whole:scatter_add_(0, all_index, all_src) end
end
local one = best(alone)
if is_first then
  print(("%d pairs into %d places, %d ranks of %d threads"):format(pairs_all, places, mpi.size(),
    strew.get_num_threads()))
  print(("  t:scatter_add_ in one process  %8.2f ms"):format(one))
  print(("  d:scatter_add_ on all ranks    %8.2f ms, %.2f bytes sent per pair"):format(together, sent / pairs_all))
  print(("  d:gather on all ranks          %8.2f ms"):format(gathered))
end
