-- packages.lua: the dependencies of Debian's packages, read from its lists.
--   local names, from, to = packages(is_all)      package from[e] needs package to[e], counted from 1
-- is_all: the whole archive (apt-cache dumpavail), else the installed packages (/var/lib/dpkg/status). Without these
-- lists a stored sample is used.
local strew = require "strew"
local here = debug.getinfo(1, "S").source:match "^@(.*/)" or ""

-- Calls `add` with the fields of each package: lines "Key: value", ended by an empty line.
local function each_package(lines, add)
  local package = {}
  for line in lines do
    local key, value = line:match "^([%w-]+): *(.*)"
    if key then package[key] = value elseif line == "" then add(package) package = {} end
  end
  add(package)
end

-- All lines of the lists.
local function lines_of(is_all)
  local file = is_all and io.popen "apt-cache dumpavail 2>/dev/null" or not is_all and io.open "/var/lib/dpkg/status"
  if file and file:read(0) then return file:lines() end
  local wanted = is_all and "apt-cache dumpavail" or "/var/lib/dpkg/status"
  print(wanted .. " is not there: a stored sample takes its place")
  return io.lines(here .. "packages.status")
end

-- The numbers of the required packages: of alternatives ("a | b") the first that exists.
local function each_need(text, find, add)
  for alternatives in text:gmatch "[^,]+" do
    for choice in alternatives:gmatch "[^|]+" do
      local found = find(choice:match "[%w.+-]+")
      if found then add(found) break end
    end
  end
end

return function(is_all)
  -- Names map to numbers, virtual ones ("Provides") to the first package that provides them.
  local names, needs, numbers, provided = {}, {}, {}, {}
  each_package(lines_of(is_all), function(package)
    local installed = not package.Status or package.Status:find(" installed", 1, true)
    if not installed or not package.Package or numbers[package.Package] then return end
    local n = #names + 1
    names[n], numbers[package.Package] = package.Package, n
    needs[n] = (package["Pre-Depends"] or "") .. "," .. (package.Depends or "")
    for name in (package.Provides or ""):gsub("%b()", ""):gmatch "[^%s,]+" do provided[name] = provided[name] or n end
    if is_all and n % 1000 == 0 then strew.progress(("reading the archive: %d packages"):format(n)) end
  end)
  strew.progress()
  local from, to = {}, {}
  for n, text in ipairs(needs) do
    local seen = {[n] = true}
    each_need(text, function(name) return numbers[name] or provided[name] end, function(found)
      if not seen[found] then seen[found], from[#from + 1], to[#to + 1] = true, n, found end
    end)
  end
  return names, from, to
end
