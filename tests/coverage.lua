-- Branch coverage of runtime/ and lua_bindings/: llvm-cov export ... | lua5.4 tests/coverage.lua BUILD (see
-- coverage.sh).
-- A branch is a condition at one position of the source; it counts twice, taken and not taken. A file that is included
-- once for each dtype, or compiled once for each instruction set, counts once, whichever took the branch. A macro
-- counts at each use. Branches inside of macros of other headers (luaL_argcheck, luaL_addchar, isnan) are left out, and
-- nothing else. BUILD/uncovered.txt lists the branches that no test took.
local build, expected = arg[1], 90
local folders = {"runtime/", "lua_bindings/"}

-- Reads "[1,2,[3]]" as a table.
local function list(json)
  return load("return " .. json:gsub("[][]", {["["] = "{", ["]"] = "}"}), "=json", "t", {})()
end

-- The position in the source of a part of a function, through macros: file, line and column.
local function origins(regions)
  local from = {}
  for _, region in ipairs(regions) do
    local line, column, _, _, _, file, expanded, kind = table.unpack(region)
    if kind == 1 then from[expanded] = {file, line, column} end
  end
  return function(file, line, column)
    while from[file] do file, line, column = table.unpack(from[file]) end
    return file, line, column
  end
end

local branches = {} -- by file, then by position
local here = os.getenv("PWD") .. "/"

local function is_ours(file)
  for _, folder in ipairs(folders) do
    if file:sub(1, #folder) == folder then return true end
  end
  return false
end

local function short(path) return path:sub(1, #here) == here and path:sub(#here + 1) or path end

local function add(file, place, branch)
  branches[file] = branches[file] or {}
  local known = branches[file][place] or branch
  known.taken, known.skipped = known.taken or branch.taken, known.skipped or branch.skipped
  branches[file][place] = known
end

local function add_function(all, files, regions)
  local names, origin = {}, origins(list(regions))
  for name in files:gmatch '"(.-)"' do table.insert(names, short(name)) end
  for _, b in ipairs(list(all)) do
    local line, column, last_line, last, taken, skipped, part = table.unpack(b)
    local from, at_line, at_column = origin(part, line, column)
    local file = names[part + 1]
    if is_ours(file) then
      add(names[from + 1], table.concat({at_line, at_column, file, line, column, last_line, last}, ":"), {
        taken = taken > 0, skipped = skipped > 0, line = at_line, column = at_column,
        file = file, text = {line, column, last_line, last},
      })
    end
  end
end

local sources = {}
local function source(file)
  if not sources[file] then
    sources[file] = {}
    for line in io.lines(file) do table.insert(sources[file], line) end
  end
  return sources[file]
end

-- The condition as it is written.
local function condition(branch)
  local line, column, last_line, last = table.unpack(branch.text)
  local text = source(branch.file)[line]
  return text:sub(column, last_line == line and last - 1 or -1)
end

local function report(file, out)
  local all, covered, missed = 0, 0, {}
  for _, branch in pairs(branches[file]) do
    all, covered = all + 2, covered + (branch.taken and 1 or 0) + (branch.skipped and 1 or 0)
    if not (branch.taken and branch.skipped) then table.insert(missed, branch) end
  end
  table.sort(missed, function(a, b)
    if a.line ~= b.line then return a.line < b.line end
    if a.column ~= b.column then return a.column < b.column end
    return condition(a) < condition(b)
  end)
  for _, branch in ipairs(missed) do
    local never = branch.taken and "false" or branch.skipped and "true" or "reached"
    out:write(("%s:%d: never %-7s  %s\n"):format(file, branch.line, never, condition(branch)))
  end
  return all, covered
end

local function share(covered, all) return 100 * covered / math.max(all, 1) end

local json = io.read("a")
local record = '{"branches":(%b[]),"count":%d+,"filenames":(%b[]),"name":"[^"]*","regions":(%b[])}'
for all, files, regions in json:gmatch(record) do
  add_function(all, files, regions)
end
local names = {}
for file in pairs(branches) do table.insert(names, file) end
table.sort(names)
local out <close> = assert(io.open(build .. "/uncovered.txt", "w"))
local failed = false
for _, folder in ipairs(folders) do
  local all, covered = 0, 0
  for _, file in ipairs(names) do
    if file:sub(1, #folder) == folder then
      local of_file, covered_there = report(file, out)
      all, covered = all + of_file, covered + covered_there
      print(("%6.1f %%  %5d of %5d  %s"):format(share(covered_there, of_file), covered_there, of_file, file))
    end
  end
  print(("%6.1f %%  %5d of %5d  %s: all branches"):format(share(covered, all), covered, all, folder))
  failed = failed or share(covered, all) < expected
end
print("coverage: what no test took is in " .. build .. "/uncovered.txt")
if failed then print(("coverage: expected at least %d %%"):format(expected)) end
os.exit(not failed)
