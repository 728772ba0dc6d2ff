-- The six algorithms of LDBC Graphalytics on a graph of two tensors, the ends of its edges: breadth-first search (BFS),
-- communities by label propagation (CDLP), local clustering coefficients (LCC), PageRank, shortest paths (SSSP),
-- connected components (WCC). The graph is Zachary's karate club, each edge in both directions, and a second component
-- of three members. The expected values are those of networkx 3.6 (CDLP: of a plain loop with Graphalytics' rule).
local strew = require "strew"
local common = dofile((arg and arg[0] or ""):gsub("[^/]*$", "common.lua"))
local club = dofile(common.here .. "karate_club.lua")
local unreached <const> = 1 << 40

-- Repeats x = step(x) until nothing changes.
local function fixed_point(x, step)
  while true do
    local y = step(x)
    if strew.equal(x, y) then return x end
    x = y
  end
end

local function bfs(from, to, n, source)
  local depth = strew.full(n, unreached, {dtype = "int64", device = from.device})
  depth[source] = 0
  return fixed_point(depth, function(d) return d:scatter_reduce(0, to, d[from] + 1, "amin") end)
end

local function sssp(from, to, weight, n, source)
  local distance = strew.full(n, math.huge, {dtype = weight.dtype, device = from.device})
  distance[source] = 0
  return fixed_point(distance, function(d) return d:scatter_reduce(0, to, d[from] + weight, "amin") end)
end

local function wcc(from, to, n)
  return fixed_point(strew.arange(n, {device = from.device}), function(label)
    return label:scatter_reduce(0, to, label[from], "amin"):scatter_reduce(0, from, label[to], "amin")
  end)
end

-- A label that most neighbours have, the smallest of several; for a number of rounds, all members at once.
local function cdlp(from, to, n, rounds)
  local label = strew.arange(n, {device = from.device})
  for _ = 1, rounds do
    local pairs_of, counts = (to * n + label[from]):unique{return_counts = true}
    local member, other = pairs_of:floor_divide(n), pairs_of:remainder(n)
    local most = strew.scatter_max(counts, member, {dim_size = n})
    local is_most = counts:eq(most[member])
    label = strew.scatter_min(strew.where(is_most, other, n), member, {dim_size = n})
  end
  return label
end

local function pagerank(from, to, n, damping, rounds)
  local on = {dtype = "float64", device = from.device}
  local out = strew.scatter_sum(strew.ones(#from, on), from, {dim_size = n})
  local rank = strew.full(n, 1 / n, on)
  for _ = 1, rounds do
    local idle = strew.where(out:eq(0), rank, 0):sum()
    rank = strew.scatter_sum((rank / out:clamp(1))[from], to, {dim_size = n}) * damping
      + (idle * damping + (1 - damping)) / n
  end
  return rank
end

-- Of the pairs of a member's neighbours the share that is connected. Sorted edges of member u begin at first[u].
local function lcc(from, to, n)
  local key = (from * n + to):sort()
  from, to = key:floor_divide(n), key:remainder(n)
  local degree = from:bincount{minlength = n}
  local first, count = degree:cumsum(0) - degree, degree[from]
  local edge = strew.arange(#key, {device = key.device}):repeat_interleave(count)
  local place = strew.arange(#edge, {device = key.device}) - (count:cumsum(0) - count)[edge]
  local other = to[first[from][edge] + place]
  local closed = (to[edge] * n + other):isin(key):to "int64"
  local found = strew.scatter_sum(closed, from[edge], {dim_size = n})
  return found:to "float64" / (degree * (degree - 1)):clamp(1)
end

local function compute(device)
  local from, to = {}, {}
  local function add(a, b)
    table.insert(from, a)
    table.insert(to, b)
  end
  for _, pair in ipairs(club.friends) do add(pair[1] - 1, pair[2] - 1) end
  add(34, 35)
  add(35, 36)
  local on = {device = device}
  local a, b = strew.tensor(from, on), strew.tensor(to, on)
  from, to = strew.cat{a, b}, strew.cat{b, a}
  local n <const> = club.members + 3
  local weight = ((from * to) % 7 + 1):to "float64"
  return {bfs(from, to, n, 0), cdlp(from, to, n, 10), lcc(from, to, n), pagerank(from, to, n, 0.85, 100),
          sssp(from, to, weight, n, 0), wcc(from, to, n)}
end

local depth, label, clustering, rank, distance, component = table.unpack(common.on_devices(compute, "float64"))
local function six(x) return ("%.6f"):format(x) end
local reached = depth:lt(unreached)
common.check("BFS: members reached from member 1", reached:sum():item(), 34)
common.check("  the sum of their depths", depth[reached]:sum():item(), 58)
common.check("CDLP: communities after 10 rounds", #label:unique(), 3)
common.check("  the sum of all labels", label:sum():item(), 103)
common.check("LCC: the sum of all coefficients", six(clustering:sum():item()), "19.401708")
common.check("  that of member 34", six(clustering[33]), "0.110294")
common.check("PageRank of member 1", six(rank[0]), "0.089133")
common.check("  and of the last one", six(rank[36]), "0.020818")
common.check("SSSP: the sum of distances from member 1", distance[reached]:sum():item(), 109.0)
common.check("  the largest", distance[reached]:max():item(), 8.0)
common.check("WCC: components", #component:unique(), 2)
common.finish()
