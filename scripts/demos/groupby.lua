-- Group-by: the packages on this machine by section, from a CSV file: their number, size, mean size, the largest one.
-- Each is one scatter. Writes packages.csv and sections.npz.
local strew = require "strew"
local common = dofile((arg and arg[0] or ""):gsub("[^/]*$", "common.lua"))

local pipe = assert(io.popen("dpkg-query -W -f '${Section},${Package},${Installed-Size}\\n' 2>/dev/null"))
local rows = pipe:read "a"
pipe:close()
local path = common.folder .. "/packages.csv"
if rows == "" then
  print "dpkg-query is missing here: a stored sample of Debian's packages is used instead"
  path = common.here .. "packages.csv"
else
  local file <close> = assert(io.open(path, "w"))
  file:write("section,package,kilobytes\n", rows)
end

-- The codes of text are an index for scatters.
local columns = strew.load(path, {header = true, text = {"section", "package"}, dtype = "float64", device = "cpu"})
local sections = columns.words.section
local section, size = columns.section:codes(), columns.kilobytes
size = strew.where(size:eq(size), size, 0):to "int64" -- some have no size, which is read as NaN

local function group(device)
  local to, from, groups = section:to(device), size:to(device), {dim_size = #sections}
  local count = strew.scatter_sum(strew.ones(#to, {dtype = "int64", device = device}), to, groups)
  local sum = strew.scatter_sum(from, to, groups)
  local mean = strew.scatter_mean(from, to, groups)
  local largest, which = strew.scatter_max(from, to, groups)
  return {count, sum, mean, largest, which}
end
local count, sum, mean, largest, which = table.unpack(common.on_devices(group))

-- The same in plain Lua.
local plain = {}
for line in io.lines(path) do
  local word, name, kilobytes = line:match "^([^,]*),([^,]*),(%d*)$"
  if word then
    local g, n = plain[word] or {count = 0, sum = 0, largest = -1}, math.tointeger(kilobytes) or 0
    plain[word], g.count, g.sum = g, g.count + 1, g.sum + n
    if n > g.largest then g.largest, g.name = n, name end
  end
end
local same = 0
for i, word in ipairs(sections) do
  local g, name = plain[word], columns.package[which[i - 1]]
  local is_same = g.count == count[i - 1] and g.sum == sum[i - 1] and g.sum // g.count == mean[i - 1]
    and g.largest == largest[i - 1] and g.name == name
  if is_same then same = same + 1 end
end

print(("%-20s %8s %12s %10s   %s"):format("section", "packages", "kilobytes", "mean", "largest"))
local _, order = sum:sort(0, true)
for i = 0, math.min(10, #order) - 1 do
  local g = order[i]
  print(("%-20s %8d %12d %10d   %s"):format(sections[g + 1], count[g], sum[g], mean[g],
    columns.package[which[g]]))
end
common.check("packages in all sections", count:sum():item(), #size)
common.check("sections as plain Lua finds them", same, #sections)

local saved = common.folder .. "/sections.npz"
strew.save(saved, {count = count, sum = sum, mean = mean, largest = largest})
common.check("sections.npz, read again", strew.equal(strew.load(saved, {device = "cpu"}).sum, sum), true)
common.finish()
