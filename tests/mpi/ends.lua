-- Ways to end on one rank (the last), while the others go on: mpirun -n RANKS build/strew tests/mpi/ends.lua HOW
local strew, mpi = require "strew", require "strew.mpi"
local how, is_last = arg[1], mpi.rank() == mpi.size() - 1
local ways = {
  ["exit"] = function() os.exit(3) end,
  ["error"] = function() error "one rank alone" end,
  ["kill"] = function() io.popen("kill -9 $PPID"):close() end,
  ["return"] = function() end,
  ["memory"] = function() -- run with --memory on the last rank: all ranks make the call
    local d = mpi.zeros(10)
    print(pcall(d.scatter_add_, d, strew.zeros(3000000, {dtype = "int64"}), strew.ones(3000000)))
    print(d:collect():sum():item())
  end,
  ["time"] = function() -- with --time on the last rank
    local d, index = mpi.zeros(1000), strew.zeros(1000, {dtype = "int64"})
    local src = strew.ones(1000)
    local ok, message
    repeat ok, message = pcall(d.scatter_add_, d, index, src) until not ok
    print(message)
  end,
}
if is_last or how == "memory" or how == "time" then
  ways[how]()
else
  local ok, message = pcall(mpi.barrier)
  print(ok, message)
end
