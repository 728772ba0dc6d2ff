-- Lines of different lengths: strew.load with ragged. Values and starts are those of Python's split, line by line.
local strew = require "strew"
local base = os.tmpname()
if not pcall(strew.zeros, 1, {dtype = "float64"}) then
  return it("is left out", function() pending "without float64, which the device lacks" end)
end

local function write(text, suffix)
  local file <close> = assert(io.open(base .. (suffix or ".txt"), "wb"))
  file:write(text)
  return base .. (suffix or ".txt")
end

local function load(text, options, suffix)
  options = options or {}
  options.ragged = true
  return strew.load(write(text, suffix), options)
end

-- The values, the starts and the dtype are those.
local function check(expected, starts, dtype, text, options, suffix)
  local values, found = load(text, options, suffix)
  local list = values:tolist()
  assert.equal(#expected, #list)
  for i, x in ipairs(expected) do assert.is_true(x == list[i] or x ~= x and list[i] ~= list[i], tostring(list[i])) end
  assert.same(starts, found:tolist())
  assert.same({dtype, "int64"}, {values.dtype, found.dtype})
end

-- The fact of the error, without the path, and its hint.
local function refused(text, options, suffix)
  local ok, message = pcall(load, text, options, suffix)
  assert.is_false(ok)
  return message:gsub("\n.*", ""):gsub("^.-: load: ", ""):gsub("^'path' is \"[^\"]*\", which ", ""),
    message:match "hint  ([^\n]*)"
end

describe("lines of different lengths", function()
  teardown(function()
    os.remove(base)
    for s in (".txt .csv .tsv .adj .txt.gz .npy .jsonl"):gmatch "%S+" do os.remove(base .. s) end
  end)

  it("give values, and where each line starts", function()
    check({1, 2, 3, 4, 5, 6}, {0, 3, 3, 4, 6}, "int64", "1 2 3\n\n4\n5 6\n")
    check({1, 2, 3}, {0, 2, 3}, "int64", "  1\t 2 \r\n3\r\n")
    check({1, 2, 3}, {0, 2, 3}, "int64", "1 2\r3")
    check({1, 2, 3}, {0, 2, 3}, "int64", "\xef\xbb\xbf1 2\n3")
    check({1, 2.5}, {0, 1, 2}, "float64", "1\n2.5")
    check({}, {0, 0, 0}, "float64", "\n\n")
    check({7}, {0, 1}, "int64", "7")
    local values, starts = load "1 2 3\n\n4\n"
    assert.same({6, 0, 4}, strew.segment_csr(values, starts):tolist())
  end)

  it("have commas in .csv, tabs in .tsv, blanks in others, or what the call says", function()
    check({1, 2, 3, 4}, {0, 3, 4}, "int64", "1,2,3\n4\n", nil, ".csv")
    check({1, 2, 3}, {0, 2, 3}, "int64", "1\t2\n3\n", nil, ".tsv")
    check({1, 2, 3}, {0, 2, 3}, "int64", "1 2\n3\n", nil, ".adj")
    check({1, 2.5, 3}, {0, 2, 3}, "float64", "1;2,5\n3\n", {separator = ";", decimal = ","})
    check({1, 2, 3}, {0, 2, 3}, "int64", "1 2\n3\n", {separator = "blanks"}, ".csv")
    local nan = 0 / 0
    check({1, nan, nan, 2}, {0, 3, 4}, "float64", "1,,\n2\n", nil, ".csv")
    check({nan, 5}, {0, 2}, "float64", ",5", nil, ".csv")
    check({1, 2, 3, 4}, {0, 2, 4}, "int64", "\"1\",2\n3,\"4\"\n", nil, ".csv")
    check({1000, 2}, {0, 1, 2}, "int64", "1,000\n2", {thousands = ","})
  end)

  it("take the options of lines and values", function()
    check({1, 2, 3}, {0, 0, 2, 3}, "int64", "names\n\n1 2\n# 5 6\n3\n", {skip = 1, comment = "#"})
    check({1, 2, 3}, {0, 2, 3}, "int64", "1 2\n3\n# x\n4 x", {rows = 2, comment = "#"})
    check({1, 2}, {0, 2}, "int64", "1 2\n", {rows = 5})
    check({1, 2, 3}, {0, 2, 3}, "int16", "1 2\n3", {dtype = "int16"})
    check({1, 0 / 0, 3}, {0, 2, 3}, "float64", "1 -9\n3", {missing = {-9}})
    check({5, 7}, {0, 2}, "int64", "5% 7%", {unit = {values = "%"}})
    check({"1", "x"}, {0, 1, 2}, "text", "1\nx", {text = {"values"}})
    check({"milk", "bread", "a,b", "milk"}, {0, 2, 4}, "text", "milk,bread\n\"a,b\",milk\n", nil, ".csv")
    local days = load("2024-01-01 2024-01-02\n2024-01-05", {dates = true})
    assert.same({"time", {"2024-01-01", "2024-01-02", "2024-01-05"}}, {days.dtype, days:tolist()})
  end)

  it("are read from compressed files and from large ones", function()
    local lines, sum, count, starts = {}, 0, 0, {0}
    for i = 1, 20000 do
      local line = {}
      for k = 1, i % 7 do line[k], sum, count = i * k % 1000, sum + i * k % 1000, count + 1 end
      lines[i], starts[i + 1] = table.concat(line, " "), count
    end
    local values, found = load(table.concat(lines, "\n") .. "\n")
    assert.same({count, sum}, {#values, values:sum():item()})
    assert.same(starts, found:tolist())
    strew.save(base .. ".txt.gz", strew.tensor{{1, 2}, {3, 4}}, {format = "csv.gz"})
    local small, at = strew.load(base .. ".txt.gz", {ragged = true, separator = ","})
    assert.same({{1, 2, 3, 4}, {0, 2, 4}}, {small:tolist(), at:tolist()})
  end)

  it("name line and column of a bad cell", function()
    for _, row in ipairs {
      {'has "x" in line 3, column 2, expected a number, as in line 1', '{text = {"values"}} reads the column as words',
        "1 2\n3\n5 x 7"},
      {'has "#" in line 2, column 1, expected a number, as in line 1',
        '{comment = "#"} skips its line, {missing = {"#"}} reads it as an empty cell, {text = {"values"}} reads the '
          .. "column as words", "1 2\n# 3\n"},
      {'has "1 2 3" in line 1, column 1, expected a number',
        '{separator = "blanks"} splits it, {text = {"values"}} reads the column as words', "1 2 3\n4", nil, ".csv"},
      {'has "4;5" in line 2, column 1, expected a number, as in line 1',
        '{separator = ";"} splits it, {text = {"values"}} reads the column as words', "1\n4;5"},
      {"has no number in line 2, column 3, expected int32, which has no NaN", nil, "1,2\n3,4,,5", {dtype = "int32"},
        ".csv"},
      {'has "300" in line 1, column 2, expected a number that int8 holds', nil, "\"1\",300", {dtype = "int8"}, ".csv"},
      {'has "00501" in line 2, column 2, expected a number without leading zeros or plus sign', nil, "1\n2 00501"},
      {"has a quote in line 2, column 2 that is never closed", nil, '1\n2 "3\n'},
      {"is empty, expected lines of cells", nil, ""},
      {"'text' has \"a\", not found among the columns: \"values\"", nil, "1", {text = {"a"}}},
      {"'header' is given, but lines of different lengths have no columns", nil, "1", {header = true}},
      {"'names' is given, but lines of different lengths have no columns", nil, "1", {names = {"a"}}},
      {"'columns' is given, but lines of different lengths have no columns", nil, "1", {columns = {"a"}}},
      {"'ordered' is given, but lines of different lengths have no columns", nil, "1", {ordered = {a = {"b"}}}},
      {"'ragged' is an option of .csv and .tsv files, not of .npy files", nil, "1", nil, ".npy"},
      {"'ragged' is an option of .csv and .tsv files, not of .jsonl files", nil, "1", nil, ".jsonl"},
    } do
      local fact, hint = refused(row[3], row[4], row[5])
      assert.equal(row[1], fact)
      if row[2] then assert.equal(row[2], hint) end
    end
    local _, message = pcall(strew.chunks, write "1", {ragged = true})
    assert.truthy(message:find('unknown key "ragged"', 1, true))
  end)
end)
