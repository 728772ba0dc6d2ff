-- usage: build/strew -E scripts/reference/web.lua FILE
-- Writes what the page shows, as JSON: README's file, and the digest of random calls here and on other processors.
local strew = require "strew"
local first = -1
while arg[first - 1] do first = first - 1 end

local function read(path)
  local file <close> = assert(io.open(path))
  return file:read("a")
end

local escapes = {['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n"}
local function quoted(text) return '"' .. text:gsub('[%c"\\]', function(c)
  return escapes[c] or ("\\u%04x"):format(c:byte())
end) .. '"' end
local function json(value)
  if type(value) ~= "table" then return quoted(value) end
  local parts = {}
  for _, item in ipairs(value) do table.insert(parts, json(item)) end
  if #value > 0 then return "[" .. table.concat(parts, ",") .. "]" end
  for name, item in pairs(value) do table.insert(parts, quoted(name) .. ":" .. json(item)) end
  table.sort(parts)
  return "{" .. table.concat(parts, ",") .. "}"
end

local pipe <close> = assert(io.popen(("'%s' -E --digest"):format(arg[first])))
local calls, digest, some, of_some = assert(pipe:read("a"):match "of (%d+) [^:]*: (%x+), of (%d+) with float64: (%x+)")
digest = digest .. ", " .. of_some

local processors = {{"this build, natively", digest}}
for line in read("scripts/bench/RESULTS.md"):match "\n| processor .-\n\n":gmatch "[^\n]+" do
  local cells = {}
  for cell in line:gmatch "| *([^|]-) *%f[|]" do table.insert(cells, cell) end
  if #cells > 3 and not cells[1]:find "^processor" and not cells[1]:find "^%-" then
    local is_older = cells[4]:find "^%x+, %x+$" and cells[4] ~= digest
    local said = cells[4] .. (is_older and ", of an earlier list of calls" or "")
    table.insert(processors, {("%s, %s %s"):format(cells[1], cells[3], cells[2]), said})
  end
end

local file <close> = assert(io.open(arg[1], "w"))
file:write(json{version = strew._VERSION, processors = processors, digest = digest,
  calls = calls .. " random calls, of " .. some .. " with float64",
  files = {["sales.csv"] = read("README.md"):match "```csv\n(.-)```"}})
