-- PageRank of the packages installed on this Debian: what does everything, in the end, depend on?
-- usage: strew debrank.lua [STATUS-FILE | --all]      --all: the whole archive, from apt-cache dumpavail
local strew = require "strew"
local on_devices = dofile((arg and arg[0] or ""):gsub("[^/]*$", "devices.lua"))
local source = arg and arg[1] or "/var/lib/dpkg/status"
local damping, rounds = 0.85, 100

local function lines_of(name)
  local file = name == "--all" and assert(io.popen("apt-cache dumpavail", "r")) or assert(io.open(name))
  return file:lines()
end

-- The packages, counted from 1: their names and what their dependencies say. Names lead back to numbers, virtual ones
-- ("Provides") to the first package that goes by them.
local names, wants, numbers, provided = {}, {}, {}, {}
local function add(package)
  local installed = not package.Status or package.Status:find(" installed", 1, true)
  if not installed or not package.Package or numbers[package.Package] then return end
  local n = #names + 1
  names[n], numbers[package.Package] = package.Package, n
  wants[n] = (package["Pre-Depends"] or "") .. "," .. (package.Depends or "")
  for name in (package.Provides or ""):gsub("%b()", ""):gmatch("[^%s,]+") do provided[name] = provided[name] or n end
end
local package = {}
for line in lines_of(source) do
  local key, value = line:match("^([%w-]+): *(.*)")
  if key then package[key] = value elseif line == "" then add(package) package = {} end
end
add(package)
assert(#names > 0, source .. " names no installed package")

-- One edge from a package to each that it needs; of alternatives ("a | b"), to the first that is there.
local from, to = {}, {}
for n, text in ipairs(wants) do
  local seen = {[n] = true}
  for alternatives in text:gmatch("[^,]+") do
    for choice in alternatives:gmatch("[^|]+") do
      local name = choice:match("[%w.+-]+")
      local found = numbers[name] or provided[name]
      if found then
        if not seen[found] then seen[found], from[#from + 1], to[#to + 1] = true, n, found end
        break
      end
    end
  end
end
local n = #names
print(("%s: %d packages, %d dependencies"):format(source, n, #from))

-- The ranks by strew. Packages that need nothing share their rank among all.
local function compute(device)
  local on = {dtype = "float64", device = device}
  local origin, target = strew.tensor(from, {device = device}) - 1, strew.tensor(to, {device = device}) - 1
  local out = strew.scatter_sum(strew.ones(#from, on), origin, {dim_size = n})
  local idle = out:eq(0):nonzero():flatten()
  local one_place = strew.zeros(#idle, {dtype = "int64", device = device})
  local divisor = out:clamp(1)
  local rank = strew.full(n, 1 / n, on)
  for _ = 1, rounds do
    local lost = strew.scatter_sum(rank:gather(0, idle), one_place, {dim_size = 1}):item()
    local arrived = strew.scatter_sum((rank / divisor):gather(0, origin), target, {dim_size = n})
    rank = arrived * damping + ((1 - damping) + damping * lost) / n
  end
  return {rank}
end
local rank = on_devices(compute)[1]

-- The same by a plain loop, in the order of the edges.
local start = strew.clock()
local count, plain = {}, {}
for i = 1, n do count[i], plain[i] = 0, 1 / n end
for e = 1, #from do count[from[e]] = count[from[e]] + 1 end
for _ = 1, rounds do
  local lost, arrived = 0.0, {}
  for i = 1, n do
    arrived[i] = 0.0
    if count[i] == 0 then lost = lost + plain[i] end
  end
  for e = 1, #from do arrived[to[e]] = arrived[to[e]] + plain[from[e]] / count[from[e]] end
  for i = 1, n do plain[i] = arrived[i] * damping + ((1 - damping) + damping * lost) / n end
end
local plain_time = strew.clock() - start

local values, places = rank:topk(math.min(10, n))
for i = 0, #values - 1 do print(("%3d  %-28s %.6f"):format(i + 1, names[places[i] + 1], values[i])) end
local sum = rank:sum():item()
local same = 0
for i, value in ipairs(rank:tolist()) do if value == plain[i] then same = same + 1 end end
print(("sum of ranks %.12f; plain Lua loop %.3f s; %d of %d ranks have the same bits")
  :format(sum, plain_time, same, n))
if math.abs(sum - 1) > 1e-9 or same ~= n then os.exit(1) end
