-- groupby-chunks.lua: the questions of the db-benchmark that grow over chunks, for files larger than memory: one pass
-- over the file answers all. Prints rows and checks of each, as run.py compares them, seconds and the largest memory.
--
--   strew scripts/bench/db-benchmark/groupby-chunks.lua FOLDER/G1_1e8_1e2_0_0.csv
local strew = require "strew"
local path = assert(arg[1], "usage: groupby-chunks.lua FILE.csv")

-- keys, results of strew.aggregate, and the text of each column of the check
local questions = {
  {"sum v1 by id1", "id1", {v1 = {"sum", "v1"}}, {"v1"}},
  {"sum v1 by id1:id2", {"id1", "id2"}, {v1 = {"sum", "v1"}}, {"v1"}},
  {"sum v1 mean v3 by id3", "id3", {v1 = {"sum", "v1"}, v3 = {"mean", "v3"}}, {"v1", "v3"}},
  {"mean v1:v3 by id4", "id4", {v1 = {"mean", "v1"}, v2 = {"mean", "v2"}, v3 = {"mean", "v3"}}, {"v1", "v2", "v3"}},
  {"sum v1:v3 by id6", "id6", {v1 = {"sum", "v1"}, v2 = {"sum", "v2"}, v3 = {"sum", "v3"}}, {"v1", "v2", "v3"}},
  {"sd v3 by id4 id5", {"id4", "id5"}, {v3 = {"std", "v3"}}, {"v3"}},
  {"max v1 - min v2 by id3", "id3", {high = {"max", "v1"}, low = {"min", "v2"}}, {"high - low"}},
  {"regression v1 v2 by id2 id4", {"id2", "id4"}, {
    n = {"count"}, x = {"sum", "v1"}, y = {"sum", "v2"}, xy = {"sum", "v1 * v2"}, xx = {"sum", "v1 * v1"},
    yy = {"sum", "v2 * v2"},
  }, {"float64(n * xy - x * y) ^ 2 / float64((n * xx - x * x) * (n * yy - y * y))"}},
}

local start = strew.clock()
for _, q in ipairs(questions) do q.growing = strew.aggregate(q[2], q[3]) end
for chunk in strew.chunks(path, {format = "csv", header = true, text = {"id1", "id2", "id3"}, dtype = {
    id4 = "int32", id5 = "int32", id6 = "int32", v1 = "int32", v2 = "int32", v3 = "float64"}}) do
  for _, q in ipairs(questions) do q.growing:add(chunk) end
end
for _, q in ipairs(questions) do
  local result, checks = q.growing:result(), {}
  for i, text in ipairs(q[4]) do
    local v = strew.assign(result, {check = text}).check
    checks[i] = tostring((v.dtype:find "float" and strew.nansum(v, {exact = true}) or strew.sum(v)):item())
  end
  print(("%s: %d rows, %s"):format(q[1], #result[strew.columns(result)[1]], table.concat(checks, "; ")))
end
local file <close> = assert(io.open "/proc/self/status")
print(("%.1f s, %s kB at most"):format(strew.clock() - start, file:read "a":match "VmHWM:%s+(%d+)"))
