-- A file larger than memory, in chunks: trades by city, counted and added up by key as they come. Each chunk's keys get
-- ids of a key table that grows, and its rows are scattered into the sums so far.
--
--   strew scripts/demos/stream.lua [FOLDER [MEGABYTES]]
--   strew --memory 100M scripts/demos/stream.lua /tmp 400
--
-- Writes trades.csv, and removes it.
local strew = require "strew"
local common = dofile((arg and arg[0] or ""):gsub("[^/]*$", "common.lua"))

local megabytes = tonumber(arg and arg[2]) or 4
local path = common.folder .. "/trades.csv"

-- The file repeats a block of rows, whose sums plain Lua knows: whole numbers and quarters, so that none is rounded.
local function make_block()
  local lines, plain, state = {}, {}, 1
  local function draw(n)
    state = state * 48271 % 2147483647
    return state % n
  end
  for i = 1, 20000 do
    local city, lots, price = "city" .. draw(1000) * draw(1000) // 1000, draw(9) + 1, draw(4000) / 4
    local sums = plain[city] or {count = 0, lots = 0, price = 0.0}
    plain[city], sums.count, sums.lots, sums.price = sums, sums.count + 1, sums.lots + lots, sums.price + price
    lines[i] = ("%s,%d,%.2f,trade %d\n"):format(city, lots, price, i)
  end
  return table.concat(lines), plain, #lines
end

local block, plain, rows = make_block()
local blocks = math.max(1, megabytes * 1000000 // #block)
do
  local file <close> = assert(io.open(path, "w"))
  assert(file:write "city,lots,price,note\n")
  for _ = 1, blocks do assert(file:write(block)) end
end

-- Sums with room for twice as many keys as there are.
local function widened(sums, n)
  if n <= #sums then return sums end
  return strew.cat{sums, strew.zeros(2 * n - #sums, {dtype = sums.dtype, device = sums.device})}
end

local keys, chunks -- of the last pass
local function count(device)
  local kt, passed = strew.key_table(), 0
  local integers = {dtype = "int64", device = device}
  local counts, lots = strew.zeros(1, integers), strew.zeros(1, integers)
  local prices = strew.zeros(1, {dtype = "float64", device = device})
  local options = {header = true, columns = {"city", "lots", "price"}, rows = 50000, device = device}
  for chunk in strew.chunks(path, options) do
    local ids = kt:ids(chunk, "city")
    counts, lots, prices = widened(counts, kt.n), widened(lots, kt.n), widened(prices, kt.n)
    counts:scatter_add_(0, ids, strew.ones(1, integers):expand(#ids))
    strew.scatter_sum(chunk.lots, ids, {out = lots})
    strew.scatter_max(chunk.price, ids, {out = prices})
    passed = passed + 1
  end
  keys, chunks = kt.keys, passed
  return {counts:narrow(0, 0, kt.n), lots:narrow(0, 0, kt.n), prices:narrow(0, 0, kt.n)}
end

local is_large, start = megabytes > 50, strew.clock()
local results = is_large and count "cpu" or common.on_devices(count, "float64")
local counts, lots = table.unpack(results)
print(("%d MB, %d rows, %d chunks%s"):format(#block * blocks // 1000000, rows * blocks, chunks,
  is_large and (", %.1f s"):format(strew.clock() - start) or ""))

local same, total = 0, 0
local cities, n, sums = keys.city:tolist(), counts:tolist(), lots:tolist()
for i, city in ipairs(cities) do
  local expected = plain[city]
  if n[i] == expected.count * blocks and sums[i] == expected.lots * blocks then same = same + 1 end
end
for _ in pairs(plain) do total = total + 1 end
for i = 1, math.min(5, #cities) do print(("%-10s %10d trades %12d lots"):format(cities[i], n[i], sums[i])) end

common.check("rows of all keys", counts:sum():item(), rows * blocks)
common.check("keys with the sums that plain Lua finds", same, total)
os.remove(path)
if is_large then print "the CPU alone, once" else common.finish() end
