-- Failures of one rank as every rank sees them: a file for each rank, with a line for each failure. After each failure
-- nothing has changed on any rank, and the next call works.
-- usage: mpirun -n RANKS build/strew tests/mpi/errors.lua FOLDER      (2 ranks or more)
local strew, mpi = require "strew", require "strew.mpi"
local rank, size = mpi.rank(), mpi.size()
local bad = size - 1 -- the rank that fails
local file <close> = assert(io.open(("%s/errors.%d"):format(arg[1], rank), "w"))
local d = mpi.distribute(strew.arange(10):to "float32")
local before = table.concat(d:collect():tolist(), " ")

local function fails(what, f)
  local ok, message = pcall(f)
  local detail = strew.last_error()
  file:write(("%s: %s %s\n"):format(what, ok and "no error" or message, not ok and detail.code or ""))
  assert(table.concat(d:collect():tolist(), " ") == before, what .. ": something was written")
  assert(d:scatter_add(strew.tensor{rank}, strew.ones(1)):collect():sum():item() == 45 + size, what)
end

-- The argument of the bad rank, or of the others.
local function on(wrong, right) if rank == bad then return wrong else return right end end
local index, src = strew.tensor{1, 2, 3}, strew.ones(3)

fails("a bad index", function() d:scatter_add_(on(strew.tensor{1, 2, 10}, index), src) end)
fails("gather", function() d:gather(on(strew.tensor{-1}, index)) end)
fails("a bad index in wrap", function() d:scatter_(on(strew.tensor{0, -11, 4}, index), src, {mode = "wrap"}) end)
fails("dtype of src", function() d:scatter_add_(index, on(src:to "float64", src)) end)
fails("dtype of index", function() d:scatter_add_(on(src, index), src) end)
fails("shape of src", function() d:scatter_reduce_(index, on(strew.ones(2), src), "amax") end)
fails("rank of index", function() d:scatter_add_(on(index:view(1, 3), index), src) end)
fails("no tensor", function() d:scatter_add_(on({1, 2, 3}, index), src) end)
fails("an unknown option", function() d:scatter_add_(index, src, on({mod = "clip"}, {mode = "clip"})) end)
fails("an unknown word", function() d:scatter_reduce_(index, src, on("median", "mean")) end)
fails("another mode", function() d:scatter_add_(index, src, {mode = on("clip", "drop")}) end)
fails("another number", function() d:scatter_(index, on(1, 2)) end)
fails("another call", function() if rank == bad then mpi.barrier() else d:scatter_add_(index, src) end end)
fails("another shape", function() mpi.zeros(on(3, 4), 2) end)
fails("no memory", function() mpi.zeros(on(1 << 50, 8)) end)
fails("a shape that is none", function() mpi.zeros(on("x", 8)) end)
fails("no file", function() mpi.load(on(arg[1] .. "/missing.npy", arg[1] .. "/ten.npy")) end)
fails("root", function() mpi.bcast(src, size) end)
fails("sum of no tensor", function() mpi.sum(on(nil, src)) end)
local text = strew.tensor{"Oslo", "Rome", "Oslo"}
fails("text", function() mpi.bcast(on(text, text), bad) end)
fails("sum of other exact sums", function() mpi.sum(strew.exact_sums(on(2, 3))) end)
fails("sum of exact sums and a tensor", function() mpi.sum(on(strew.exact_sums(2), src)) end)
fails("sum of text", function() mpi.sum(on(text, src)) end)
fails("text, distributed", function() mpi.distribute(on(text, src)) end)
fails("keys of text", function() mpi.group_by(on(text, strew.tensor{3, 1, 3})) end)
fails("no memory for a block", function()
  mpi.zeros(4, on(1 << 45, 1 << 45))
end)
fails("a gradient", function() strew.grad(function(x) return d:scatter_add(index, x):collect():sum() end)(src) end)
-- Failures of Lua code in the middle of an operation, and Ctrl-C (the program's, once).
local function hooked(count, action)
  if rank == bad then debug.sethook(function() debug.sethook() action() end, "", count) end
  d:scatter_add(index, src)
end
for _, count in ipairs{80, 120, 160, 200} do
  fails("a hook", function() hooked(count, function() error("the hook's error", 0) end) end)
end
fails("Ctrl-C", function() hooked(100, function() io.popen("kill -INT $PPID"):close() end) end)
local keys = strew.tensor{3, 1, 3}
fails("keys of another length", function() mpi.group_by(keys, on(src:narrow(0, 0, 2), src)) end)
fails("keys of another dtype", function() mpi.group_by(on(src, keys)) end)
fails("an unknown order", function() mpi.group_by(keys, on({order = "up"}, {order = "first"})) end)
fails("no key", function() mpi.group_by(on(nil, keys)) end)
local g = mpi.group_by(keys)
fails("an unknown reduction", function() g:agg{a = {on("avg", "mean"), src}} end)
fails("another reduction", function() g:agg{a = {on("sum", "mean"), src}} end)
fails("a column of another length", function() g:agg{a = {"sum", on(src:narrow(0, 0, 2), src)}} end)
fails("the name of a key", function() g:agg{key = "count"} end)
assert(g:agg{n = "count"}.n:sum():item() == 3 * size)
-- What one rank does to handles that it got changes nothing here.
local function changes(get, again)
  for _, arguments in ipairs{{"unsqueeze_", 0}, {"as_strided_", {1}, {1}}, {"free"}} do
    for _, t in ipairs(rank == bad and get() or {}) do t[arguments[1]](t, table.unpack(arguments, 2)) end
  end
  again()
end
changes(function() return {d:block()} end, function()
  assert(table.concat(d:collect():tolist(), " ") == before and d.shape[1] == 10)
end)
local grouped = mpi.group_by(keys)
changes(function() return {grouped.ids, grouped.counts, grouped.positions, grouped.keys[1]} end, function()
  assert(#grouped.ids == 3 and grouped:agg{n = "count"}.key[0] == 1)
end)
grouped:agg{n = "count"}.key:free()
assert(grouped:agg{n = "count"}.key[1] == 3)
d:block():fill_(1)
assert(d:collect():sum():item() == 10)
mpi.barrier()
