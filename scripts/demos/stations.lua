-- The One Billion Row Challenge: the least, mean and greatest temperature of each station, from a file of any size.
--
--   strew scripts/demos/stations.lua [FOLDER]          writes a file of 20,000 rows, and checks it by plain Lua
--   strew scripts/demos/stations.lua MEASUREMENTS.txt  answers as the challenge does
local strew = require "strew"

-- Lines such as "Oslo;-3.5".
local function reduced(path, device)
  local stations = strew.aggregate("station", {
    low = {"min", "t"}, sum = {"sum", "t"}, n = {"count", "t"}, high = {"max", "t"},
  })
  for chunk in strew.chunks(path, {format = "csv", separator = ";", header = false, names = {"station", "t"},
      text = {"station"}, dtype = {t = "float64"}, device = device}) do
    stations:add(chunk)
  end
  return stations:result()
end

-- Sums are exact, and means rounded once: to tenths, halves up. (-0.0 + 0 is 0.)
local function answer(result)
  local parts = {}
  for row in strew.each(result) do
    local tenths = math.floor(row.sum * 10 + 0.5)
    local mean = (2 * tenths + row.n) // (2 * row.n) / 10
    parts[#parts + 1] = ("%s=%.1f/%.1f/%.1f"):format(row.station, row.low + 0.0, mean, row.high + 0.0)
  end
  return "{" .. table.concat(parts, ", ") .. "}"
end

if arg and arg[1] and arg[1]:find "%.txt$" then
  print(answer(reduced(arg[1])))
  return
end

-- A file whose tenths plain Lua adds as integers.
local common = dofile((arg and arg[0] or ""):gsub("[^/]*$", "common.lua"))
local path, plain, names, state = common.folder .. "/measurements.txt", {}, {}, 1
local function draw(n)
  state = state * 48271 % 2147483647
  return state % n
end
local lines = {}
for i = 1, 20000 do
  local name, tenths = ("Stacja Łódź %d"):format(draw(400)), draw(1999) - 999
  local s = plain[name] or {low = tenths, high = tenths, sum = 0, n = 0}
  if not plain[name] then plain[name], names[#names + 1] = s, name end
  s.low, s.high, s.sum, s.n = math.min(s.low, tenths), math.max(s.high, tenths), s.sum + tenths, s.n + 1
  lines[i] = ("%s;%s%d.%d\n"):format(name, tenths < 0 and "-" or "", math.abs(tenths) // 10, math.abs(tenths) % 10)
end
do
  local file <close> = assert(io.open(path, "w"))
  assert(file:write(table.concat(lines)))
end

table.sort(names)
local expected = {}
for i, name in ipairs(names) do
  local s = plain[name]
  expected[i] = ("%s=%.1f/%.1f/%.1f"):format(name, s.low / 10, (2 * s.sum + s.n) // (2 * s.n) / 10, s.high / 10)
end
local result
common.on_devices(function(device)
  local x = reduced(path, device)
  result = result or x
  return {x.low, x.sum, x.n, x.high}
end, "float64")
local found = answer(result)
print(found:sub(1, 100) .. " ...")
common.check("stations", #names, 400)
common.check("answers as plain Lua's", found == "{" .. table.concat(expected, ", ") .. "}", true)
os.remove(path)
common.finish()
