-- usage: strew scripts/bench/files.lua [MEGABYTES]
-- Seconds of saving and loading, the best of four, beside NumPy's if $PYTHON (python3) has it. Files stay in the page
-- cache: only replacing an old file waits for the disk ("again").
local strew = require "strew"

local megabytes = tonumber(arg[1]) or 400
local count = megabytes * 250000 -- of float32
local TURNS <const> = 4

local path = os.tmpname()
local npy, npz = path .. ".npy", path .. ".npz"

local function best(f, prepare)
  local least = math.huge
  for _ = 1, TURNS do
    if prepare then prepare() end
    local start = strew.clock()
    f()
    least = math.min(least, strew.clock() - start)
  end
  return least
end

-- The same with NumPy: "NAME SECONDS" a line.
local program = ([[
import numpy as np, os, time
npy, npz, x = "%s", "%s", np.arange(%d, dtype="float32")
def best(name, f, prepare=lambda: None):
    least = 1e9
    for _ in range(%d):
        prepare()
        start = time.perf_counter()
        f()
        least = min(least, time.perf_counter() - start)
    print(name, least)
best("save", lambda: np.save(npy, x), lambda: os.path.exists(npy) and os.remove(npy))
best("again", lambda: np.save(npy, x))
best("load", lambda: np.load(npy).sum())
best("map", lambda: np.load(npy, mmap_mode="c").sum())
best("save_npz", lambda: np.savez(npz, x=x))
best("load_npz", lambda: np.load(npz)["x"].sum())
]]):format(npy, npz, count, TURNS)

local function numpy_times()
  local times, python = {}, os.getenv("PYTHON") or "python3"
  local pipe <close> = io.popen(("%s -c '%s' 2>/dev/null"):format(python, program))
  for name, seconds in pipe:read("a"):gmatch("(%S+) (%S+)\n") do times[name] = tonumber(seconds) end
  return times
end

local x = strew.arange(count, {dtype = "float32"})
local function sum(tensor)
  tensor:sum():item()
  tensor:free()
end
local cases = {
  {"save", "save .npy", function() strew.save(npy, x) end, function() os.remove(npy) end},
  {"again", "save .npy again", function() strew.save(npy, x) end},
  {"load", "load .npy, sum", function() sum(strew.load(npy)) end},
  {"map", "map .npy, sum", function() sum(strew.load(npy, {map = true})) end},
  {"save_npz", "save .npz", function() strew.save(npz, {x = x}) end},
  {"load_npz", "load .npz, sum", function() sum(strew.load(npz).x) end},
}

local theirs = numpy_times()
print(("%d MB of float32%s"):format(megabytes, next(theirs) and "" or ", without NumPy"))
for _, case in ipairs(cases) do
  local key, name, f, prepare = table.unpack(case)
  local seconds = best(f, prepare)
  print(("%-18s %8.3f%s"):format(name, seconds, theirs[key] and (" %8.3f  NumPy"):format(theirs[key]) or ""))
end
for _, name in ipairs{path, npy, npz} do os.remove(name) end
