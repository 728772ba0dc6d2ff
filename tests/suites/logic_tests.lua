-- usage: build/strew tests/suites/logic_tests.lua DIALECT [-v] [-part I/N] FILE...
-- Runs queries of .test files, as those of sqllogictest and DuckDB, that reduce rows, by strew's calls (sql.lua), and
-- compares their results with those in the files. Prints how many are covered, pass, and differ by a rule of strew
-- (differ.lua); exits with 1 if another one fails. -v: names the reasons of what is not covered. -part: each Nth file
-- from the Ith.
local here = arg[0]:match "^.*/" or ""
local sql = dofile(here .. "sql.lua")
local md5 = dofile(here .. "md5.lua")
local differ = dofile(here .. "differ.lua")

local function read(path)
  local file <close> = assert(io.open(path))
  return file:read "a":gsub("\r\n", "\n")
end

-- ---------------------------------------------------------------------------------------------------------- the files

local type_lists = {
  ["<numeric>"] = "tinyint smallint integer bigint hugeint utinyint usmallint uinteger ubigint float double",
  ["<integral>"] = "tinyint smallint integer bigint hugeint utinyint usmallint uinteger ubigint",
  ["<signed>"] = "tinyint smallint integer bigint hugeint", ["<unsigned>"] = "utinyint usmallint uinteger ubigint",
}

local function records_of(text)
  local records, lines = {}, {}
  for line in (text .. "\n"):gmatch "(.-)\n" do lines[#lines + 1] = line end
  local at = 1
  while at <= #lines do
    local start = at
    while lines[at] and lines[at] ~= "" do at = at + 1 end
    if at > start then records[#records + 1] = table.move(lines, start, at - 1, 1, {}) end
    at = at + 1
  end
  return records
end

local function substituted(record, name, value)
  local copy = {}
  for i, line in ipairs(record) do copy[i] = line:gsub("%$?{" .. name .. "}", (value:gsub("%%", "%%%%"))) end
  return copy
end

-- The records with loops unrolled.
local function unrolled(records, first, last)
  local list, i = {}, first
  while i <= last do
    local record = records[i]
    local head = record[1]
    local values, kind, name = {}, head:match "^(%S+) (%S+)"
    if kind ~= "foreach" and kind ~= "loop" and kind ~= "concurrentloop" then name = nil end
    if name then
      local depth, stop = 1, i
      repeat
        stop = stop + 1
        local word = records[stop] and records[stop][1]:match "^%S+" or "endloop"
        if word == "foreach" or word == "loop" or word == "concurrentloop" then depth = depth + 1 end
        if word == "endloop" then depth = depth - 1 end
      until depth == 0
      local from, to = head:match "^%S+ %S+ (%d+) (%d+)"
      if from then
        for v = from, math.min(to - 1, from + 20) do values[#values + 1] = ("%d"):format(v) end
      else
        for word in head:match("^%S+ %S+ (.*)"):gmatch "%S+" do
          for v in (type_lists[word] or word):gmatch "%S+" do values[#values + 1] = v end
        end
      end
      for _, v in ipairs(values) do
        for _, inner in ipairs(unrolled(records, i + 1, stop - 1)) do list[#list + 1] = substituted(inner, name, v) end
      end
      i = stop
    else
      list[#list + 1] = record
    end
    i = i + 1
  end
  return list
end

-- ------------------------------------------------------------------------------------------------------------- results

local function as_sqlite(v, kind)
  if v == nil then return "NULL" end
  if type(v) == "string" and kind ~= "T" then v = math.tointeger(v:match "^[+-]?%d+") or 0 end
  if kind == "I" then return ("%d"):format(math.type(v) == "integer" and v or v < 0 and math.ceil(v) or v // 1) end
  if kind == "R" then return ("%.3f"):format(v + 0.0) end -- + 0.0: of -0.0 it is 0.0
  return math.type(v) == "float" and ("%d"):format(v) or tostring(v)
end

local function as_duckdb(v, _, kind)
  if v == nil then return "NULL" end
  if kind == "bool" then return v ~= 0 and "true" or "false" end
  if kind == "date" or kind == "time" then
    local day, clock = tostring(v):match "^(%S-)T(.*)$"
    return kind == "date" and (day or v) or (day or v) .. " " .. (clock or "00:00"):gsub("^%d+:%d+$", "%0:00")
  end
  if kind == "int" then return ("%d"):format(v) end
  return math.type(v) == "float" and ("%.17g"):format(v) or tostring(v)
end

-- Equal as texts, or numbers to the digits that are written.
local function same_cell(found, expected, dialect)
  if found == expected then return true end
  if dialect == "sqlite" then return false end
  if expected == "(empty)" then return found == "NULL" end
  if (expected == "1" or expected == "0") and (found == "true" or found == "false") then
    return (found == "true") == (expected == "1")
  end
  if (expected == "True" or expected == "False") then return found == expected:lower() end
  if expected:lower() == "nan" then return found == "NULL" end
  local a, b = tonumber(found), tonumber(expected)
  if not a or not b then return false end
  if a == b or math.abs(a - b) <= 1e-12 * math.max(math.abs(a), math.abs(b)) then return true end
  local digits = #expected:gsub("[eE].*", ""):gsub("%D", ""):gsub("^0+", "")
  local places = #(expected:match "%.(%d+)" or "")
  return ("%." .. math.max(digits, 1) .. "g"):format(a) + 0 == b or ("%." .. places .. "f"):format(a) + 0 == b
end

-- The position of the first cell that differs.
local function first_other(found, expected, dialect)
  for i = 1, math.max(#found, #expected) do
    if not found[i] or not expected[i] or not same_cell(found[i], expected[i], dialect) then return i end
  end
end

-- The cells around the first that differs.
local function shown(cells, first)
  if not cells then return "a hash" end
  return ("%d cells, from %d: "):format(#cells, first) .. table.concat(cells, " ", first, math.min(#cells, first + 11))
end

local function by_rows(cells, width)
  local rows = {}
  for i = 1, #cells, width do rows[#rows + 1] = table.move(cells, i, i + width - 1, 1, {}) end
  table.sort(rows, function(a, b)
    for i = 1, width do
      if a[i] ~= b[i] then return (a[i] or "") < (b[i] or "") end
    end
    return false
  end)
  local list = {}
  for _, row in ipairs(rows) do table.move(row, 1, width, #list + 1, list) end
  return list
end

local function expected_cells(lines, width, dialect)
  local cells = {}
  for _, line in ipairs(lines) do
    if dialect == "duckdb" and width > 1 and line:find "\t" then
      for cell in (line .. "\t"):gmatch "(.-)\t" do cells[#cells + 1] = cell end
    else
      cells[#cells + 1] = line
    end
  end
  return cells
end

-- True if rows are those of the lines of a file; else also what differs.
local function matches(query, rows, kinds, ordered, lines, dialect)
  local width, cells = #query.types, {}
  if #kinds ~= width then return false end
  local as = dialect == "sqlite" and as_sqlite or as_duckdb
  for _, row in ipairs(rows) do
    for i = 1, width do cells[#cells + 1] = as(row[i], query.types:sub(i, i), kinds[i]) end
  end
  local count, hash = (lines[1] or ""):match "^(%d+) values hashing to (%x+)$"
  if query.sort == "rowsort" or query.sort == "nosort" and not ordered then
    cells = by_rows(cells, width)
  elseif query.sort == "valuesort" then
    table.sort(cells)
  end
  if hash then
    return #cells == count + 0 and md5(table.concat(cells, "\n") .. (#cells > 0 and "\n" or "")) == hash
  end
  local expected = expected_cells(lines, width, dialect)
  if query.sort ~= "nosort" or not ordered then
    expected = query.sort == "valuesort" and expected or by_rows(expected, width)
    if query.sort == "valuesort" then table.sort(expected) end
  end
  local other = first_other(cells, expected, dialect)
  return not other, shown(cells, other or 1), shown(expected, other or 1)
end

-- ------------------------------------------------------------------------------------------------------------- running

local counts = {queries = 0, covered = 0, passed = 0, differ = 0, failed = 0}
local reasons, rules, failures = {}, {}, {}

local function parts_of(record, at)
  local text, lines, is_result = {}, {}, false
  for i = at, #record do
    if record[i] == "----" then
      is_result = true
    elseif not record[i]:find "^#" or is_result then
      table.insert(is_result and lines or text, record[i])
    end
  end
  return table.concat(text, "\n"), lines
end

local function rule_of(path, text)
  for _, row in ipairs(differ) do
    if path:find(row[1], 1, true) and text:find(row[2], 1, true) then return row[3] end
  end
end

local function run_query(engine, query, text, lines, path, labels)
  if query.label then
    if #lines == 0 then lines = labels[query.label] or lines end
    labels[query.label] = lines
    if #lines == 0 then query.is_open = true end
  end
  if not sql.reduces(text) then return end
  if query.is_open then return end -- its result is that of another one
  counts.queries = counts.queries + 1
  local ok, rows, kinds, ordered = pcall(engine.execute, engine, text)
  if not ok and type(rows) == "table" and rows.uncovered then
    reasons[rows.uncovered] = (reasons[rows.uncovered] or 0) + 1
    return
  end
  counts.covered = counts.covered + 1
  local is_same, found, expected = false, not ok and tostring(rows) or "a hash", shown(lines, 1)
  if ok then
    is_same, found, expected = matches(query, rows, kinds, ordered, lines, engine.dialect)
  end
  if is_same then
    counts.passed = counts.passed + 1
    return
  end
  local rule = rule_of(path, text)
  if rule then
    counts.differ = counts.differ + 1
    rules[rule] = (rules[rule] or 0) + 1
  else
    counts.failed = counts.failed + 1
    failures[#failures + 1] = ("%s\n  %s\n  found     %s\n  expected  %s"):format(path, text:gsub("\n", "\n  "),
      found, expected)
  end
end

local function is_left_out(line, dialect)
  local word, other = line:match "^(%S+) (%S+)"
  return word == "onlyif" and other ~= dialect or word == "skipif" and other == dialect
end

local function run_record(engine, record, path, labels)
  local at = 1
  while record[at] and (record[at]:find "^#" or record[at]:find "^onlyif" or record[at]:find "^skipif") do
    if is_left_out(record[at], engine.dialect) then return end
    at = at + 1
  end
  local head = record[at] or ""
  local types, rest = head:match "^query (%S+)%s*(.*)$"
  if types then
    local sort, label = rest:match "^(%S+)%s*(%S*)"
    local text, lines = parts_of(record, at + 1)
    run_query(engine, {types = types, sort = sort or "nosort", label = label ~= "" and label or nil}, text, lines, path,
      labels)
  elseif head:find "^statement ok" then
    local text = parts_of(record, at + 1)
    if text:lower():find "^%s*select" or text:lower():find "^%s*with" then return end
    local ok, message = pcall(engine.execute, engine, text)
    if not ok and type(message) == "string" then error(message .. "\n" .. text, 0) end
    if not ok then
      local name = text:lower():gsub("if%s+not%s+exists", ""):match "^%s*create.-[tv][ai][be][lw]e?%s+([%w_]+)"
        or text:lower():match "^%s*insert%s+into%s+([%w_]+)" or text:lower():match "^%s*%a+%s+([%w_]+)"
      engine.tables[name or ""] = {lost = message.uncovered}
    end
  elseif head:find "^halt" then
    return true
  end
end

local function run_file(path, dialect)
  local engine, labels, records = sql.new(dialect), {}, records_of(read(path))
  for _, record in ipairs(unrolled(records, 1, #records)) do
    if run_record(engine, record, path, labels) then break end
  end
end

local function by_count(map)
  local names = {}
  for name in pairs(map) do names[#names + 1] = name end
  table.sort(names, function(a, b) return map[a] > map[b] or map[a] == map[b] and a < b end)
  return names
end

local dialect, verbose, part, parts = arg[1], false, 0, 1
local files = {}
local i = 2
while arg[i] do
  if arg[i] == "-v" then
    verbose = true
  elseif arg[i] == "-part" then
    part, parts = arg[i + 1]:match "^(%d+)/(%d+)$"
    i = i + 1
  else
    files[#files + 1] = arg[i]
  end
  i = i + 1
end
local run = 0
for n, path in ipairs(files) do
  if n % parts == part % parts then
    run_file(path, dialect)
    run = run + 1
  end
end
for n = 1, math.min(#failures, verbose and 1000 or 10) do print(failures[n]) end
if verbose then
  for _, reason in ipairs(by_count(reasons)) do print(("  %6d not covered: %s"):format(reasons[reason], reason)) end
end
for _, rule in ipairs(by_count(rules)) do print(("  %6d differ: %s"):format(rules[rule], rule)) end
print(("%s: %d files, %d queries reduce rows, %d covered: %d pass, %d differ by rule, %d fail"):format(dialect, run,
  counts.queries, counts.covered, counts.passed, counts.differ, counts.failed))
os.exit(counts.failed == 0 and counts.passed > 0, true)
