-- The six algorithms of LDBC Graphalytics on a graph of two tensors, the ends of its edges: breadth-first search (BFS),
-- communities by label propagation (CDLP), local clustering coefficients (LCC), PageRank, shortest paths (SSSP),
-- connected components (WCC). Edges are directed; an undirected graph has each in both directions. The graphs are
-- Zachary's karate club with a second component of three members, whose expected values are those of networkx 3.6
-- (CDLP: of a plain loop with Graphalytics' rule), and, in a checkout, Graphalytics' validation graphs with theirs.
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

-- A label that most neighbours have, the smallest of several, where those of both directions count twice; for a number
-- of rounds, all members at once. A member without neighbours keeps its own.
local function cdlp(from, to, n, rounds)
  from, to = strew.cat{from, to}, strew.cat{to, from}
  local label = strew.arange(n, {device = from.device})
  for _ = 1, rounds do
    local pairs_of, counts = (to * n + label[from]):unique{return_counts = true}
    local member, other = pairs_of:floor_divide(n), pairs_of:remainder(n)
    local most = strew.scatter_max(counts, member, {dim_size = n})
    local is_most = counts:eq(most[member])
    label = label:scatter_reduce(0, member, strew.where(is_most, other, n), "amin", {include_self = false})
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

-- Of the ordered pairs of a member's neighbours, of either direction, the share with an edge. Sorted neighbours of
-- member u begin at first[u].
local function lcc(from, to, n)
  local edges = from * n + to
  local key = strew.cat{edges, to * n + from}:unique()
  from, to = key:floor_divide(n), key:remainder(n)
  local degree = from:bincount{minlength = n}
  local first, count = degree:cumsum(0) - degree, degree[from]
  local edge = strew.arange(#key, {device = key.device}):repeat_interleave(count)
  local place = strew.arange(#edge, {device = key.device}) - (count:cumsum(0) - count)[edge]
  local other = to[first[from][edge] + place]
  local closed = (to[edge] * n + other):isin(edges):to "int64"
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

-- The cases of a file: a header such as "> bfs directed lists 1", lines of input, an empty line, "VERTEX VALUE" lines.
local function read_cases(path)
  local cases, case, part = {}, nil, "input"
  for line in io.lines(path) do
    local what, kind, number = line:match "^> (%l+ %l+) (%l+) ?(%d*)$"
    if what then
      case = {what = what, kind = kind, number = math.tointeger(number), input = {}, expected = {}}
      cases[#cases + 1], part = case, "input"
    elseif line == "" then
      part = "expected"
    elseif case then
      local fields = {}
      for field in line:gmatch "%S+" do fields[#fields + 1] = tonumber(field) or math.huge end
      table.insert(case[part], fields)
    end
  end
  return cases
end

-- The results of a case, by vertex.
local function answer(case, device)
  local vertices, place = {}, {}
  for i, row in ipairs(case.expected) do vertices[i], place[row[1]] = row[1], i - 1 end
  local from, to, weight = {}, {}, {}
  local function add(a, b, w)
    from[#from + 1], to[#to + 1], weight[#weight + 1] = place[a], place[b], w
  end
  for _, row in ipairs(case.input) do
    if case.kind == "lists" then
      for i = 2, #row do add(row[1], row[i], 1) end
    elseif row[2] then
      add(table.unpack(row))
      if case.what:find "undirected" then add(row[2], row[1], row[3]) end
    end
  end
  local n, on = #vertices, {device = device}
  from, to, vertices = strew.tensor(from, on), strew.tensor(to, on), strew.tensor(vertices, on)
  local name, number = case.what:match "%l+", case.number
  if name == "bfs" then
    local found = bfs(from, to, n, place[number])
    return strew.where(found:eq(unreached), math.maxinteger, found)
  elseif name == "cdlp" then
    return vertices[cdlp(from, to, n, number)]
  elseif name == "lcc" then
    return lcc(from, to, n)
  elseif name == "pr" then
    return pagerank(from, to, n, 0.85, number)
  elseif name == "sssp" then
    return sssp(from, to, strew.tensor(weight, {dtype = "float64", device = device}), n, place[number])
  end
  return vertices[wcc(from, to, n)]
end

-- Integers are equal, or for components two names of the same parts; floats differ by 0.0001 of the value at most.
local function is_right(case, found)
  local values = {}
  for i, row in ipairs(case.expected) do values[i] = row[2] end
  local expected = strew.tensor(values, {dtype = found.dtype})
  if found.dtype == "float64" then return strew.allclose(found, expected, {rtol = 1e-4, atol = 0}) end
  if not case.what:find "wcc" then return strew.equal(found, expected) end
  local both = strew.stack({found, expected}, 1):unique{dim = 0}
  return #both == #found:unique() and #both == #expected:unique()
end

local path <const> = common.here .. "../../tests/data/graphalytics.txt"
local file <close> = io.open(path)
if file then
  local cases, right = read_cases(path), 0
  local results = common.on_devices(function(device)
    local list = {}
    for i, case in ipairs(cases) do list[i] = answer(case, device) end
    return list
  end, "float64")
  for i, case in ipairs(cases) do
    if is_right(case, results[i]) then
      right = right + 1
    else
      print(("  %s %s: %s"):format(case.what, case.kind, results[i]))
    end
  end
  common.check("Graphalytics' validation graphs", right, #cases)
else
  print(path .. " is not there: Graphalytics' graphs are left out")
end
common.finish()
