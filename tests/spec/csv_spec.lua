-- Tables of columns as text: reading, writing and errors. (Failures of the system: check_file.c; conversion of numbers:
-- check_number.c.)
local strew = require "strew"
local support = dofile "tests/spec/support.lua"
local message = support.message

local path = os.tmpname() .. ".csv"

local function put(bytes) support.put(path, bytes) end

-- A new file: replacing one waits for the disk.
local function save(...)
  os.remove(path)
  strew.save(path, ...)
end

local function get() return support.get(path) end

-- Columns as one line: "a int64 1 2; city {Rome, Oslo} 0 1".
local function text_of(columns)
  local parts = {}
  for i, name in ipairs(getmetatable(columns).__index.names) do
    local t = rawget(columns, name)
    local words = t.dtype == "text" and t.words
    local elements = support.text(words and t:codes() or t):match("{(.*)}$"):gsub(",", "")
    local what = words and "{" .. table.concat(words, "|") .. "}" or t.dtype
    parts[i] = ("%s %s %s"):format(name, what, elements):gsub(" $", "")
  end
  return table.concat(parts, "; ")
end

local function read(bytes, ...)
  put(bytes)
  return text_of(strew.load(path, ...))
end

-- The error for these bytes, without the path.
local function refusal(bytes, options)
  put(bytes)
  local text = message(strew.load, path, options)
  local start = ("load: 'path' is \"%s\", which "):format(path)
  return text:sub(1, #start) == start and text:sub(#start + 1) or text
end

local header, plain = {header = true}, {header = false}

-- Days from 1970-01-01 by counting.
local function days_to(year, month, day)
  local function is_leap(y) return y % 4 == 0 and (y % 100 ~= 0 or y % 400 == 0) end
  local days = day - 1
  for y = math.min(year, 1970), math.max(year, 1970) - 1 do
    days = days + (is_leap(y) and 366 or 365) * (year < 1970 and -1 or 1)
  end
  for m, length in ipairs{31, is_leap(year) and 29 or 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31} do
    if m < month then days = days + length end
  end
  return days
end

describe("a .csv file", function()
  if support.lacks_float64 then
    return it("is left out", function() pending "without float64, which the device lacks" end)
  end
  teardown(function() os.remove(path) end)

  it("becomes columns", function()
    for bytes, expected in pairs{
      ["a,b\n1,2.5\n-3,4\n"] = "a int64 1 -3; b float64 2.5 4.0",
      ["a,b\r\n1,2\r\n3,4"] = "a int64 1 3; b int64 2 4",
      ["a\r1\r2\r"] = "a int64 1 2",
      ["\xef\xbb\xbfa\n1\n"] = "a int64 1",
      ["\n\na,b\n\n\r\n1,2\n\n"] = "a int64 1; b int64 2",
      ["a,b\n"] = "a float64; b float64",
      ["\"a,b\",\"say \"\"hi\"\"\"\n1,2\n"] = "a,b int64 1; say \"hi\" int64 2",
      [",x\n1,2\n"] = "1 int64 1; x int64 2",
    } do assert.equal(expected, read(bytes, header), bytes) end
    assert.equal("1 int64 1 3; 2 int64 2 4", read("1,2\n3,4\n"))
    assert.equal("1 {a|1} 0 1; 2 {b|2} 0 1", read("a,b\n1,2\n", plain))
    assert.equal("1 {a|c} 0 1; 2 {b|d} 0 1", read("a,b\nc,d\n"))
    for _, separator in ipairs{";", "\t", "|", " ", ":"} do
      assert.equal("a int64 1; b float64 2.5",
        read(("a,b\n1,2.5"):gsub(",", separator), {header = true, separator = separator}))
    end
  end)

  it("has numbers", function()
    for cells, expected in pairs{
      ["1|2|+3|-0|0|+123456"] = "int64 1 2 3 0 0 123456",
      ["9223372036854775807|-9223372036854775808"] = "int64 9223372036854775807 -9223372036854775808",
      ["9007199254740992|-9007199254740994|0.5"] = "float64 9.007199254741e+15 -9.007199254741e+15 0.5",
      ["-9223372036854775808|0.5"] = "float64 -9.2233720368548e+18 0.5",
      ["00.5|01e2|0.1234567890123456789"] = "float64 0.5 100.0 0.12345678901235",
      ["1|2.|.5|1e3|-1E-2"] = "float64 1.0 2.0 0.5 1000.0 -0.01",
      ["-0|0.0|-0.0"] = "float64 -0.0 0.0 -0.0",
      ["inf|-Infinity|+INF|nan|-NaN"] = "float64 inf -inf inf nan nan",
      [" 1|2 |\t3\t|\"4\"|\" 5 \""] = "int64 1 2 3 4 5",
      ["1||NA|n/a|null|nan|\"\"|  "] = "float64 1.0 nan nan nan nan nan nan",
      ["||"] = "float64", -- empty lines
      ["\"\"|\"\""] = "float64 nan nan",
      ["1e308|-17e307|1e-400|0e999"] = "float64 1e+308 -1.7e+308 0.0 0.0",
    } do
      assert.equal("1 " .. expected, read("x\n" .. cells:gsub("|", "\n") .. "\n", header):gsub("^x", "1"), cells)
    end
  end)

  it("has text, coded in the order of first appearance", function()
    for cells, expected in pairs{
      ["b|a|b|c"] = "{b|a|c} 0 1 0 2",
      ["b||b|NA"] = "{b|NA} 0 0 1",                         -- the empty line is not counted
      ["\"b\"|\"\"|\"\""] = "{b|} 0 1 1",
      ["x|1|2.5|nan"] = "{x|1|2.5|nan} 0 1 2 3",
      ["NA|nan|x"] = "{NA|nan|x} 0 1 2",
      [" x |x"] = "{ x |x} 0 1",
      ["\"x\ny\"|\"x\r\ny\"|x"] = "{x\ny|x\r\ny|x} 0 1 2",
      ["\"\"\"\"|\"a\"\"b\"\"\"|a\"b"] = "{\"|a\"b\"|a\"b} 0 1 2",
      ["0x10|1_000|1,5"] = "{0x10|1_000|1,5} 0 1 2",
      ["é|日本|é"] = "{é|日本} 0 1 0",
    } do
      assert.equal("1 " .. expected,
        read("x\n" .. cells:gsub("|", "\n") .. "\n", {header = true, separator = ";"}):gsub("^x", "1"), cells)
    end
    put("x\na\n")
    assert.equal("text", strew.load(path, header).x.dtype)
    assert.equal("a,b {1|2} 0 1; c int64 3 4", read("\"a,b\",c\n1,3\n2,4\n", {header = true, text = {"a,b"}}))
    assert.equal("1 int64 1 2; 2 {3|4} 0 1", read("1,3\n2,4\n", {text = {2}}))
    assert.equal("1 int64 1 2; 2 {3|4} 0 1", read("1,3\n2,4\n", {text = {2}}, nil))
  end)

  it("has a given dtype", function()
    assert.equal("a float32 1.0 nan; b {x} 0 0", read("a,b\n1,x\n,x\n", {header = true, dtype = "float32"}))
    assert.equal("1 uint8 0 255", read("0\n255\n", {dtype = "uint8"}))
    assert.equal("1 bool true false", read("1\n0.0\n", {dtype = "bool"}))
    assert.equal("1 float16 0.5 65504.0", read("0.5\n65504\n", {dtype = "float16"}))
    local words = "  hint  {text = {1}} reads the column as words"
    assert.equal("has \"256\" in line 2, column 1, expected a number that uint8 holds\n" .. words,
      refusal("0\n256\n", {dtype = "uint8"}))
    assert.equal("has \"0.5\" in line 1, column 1, expected a number that int64 holds\n" .. words,
      refusal("0.5\n", {dtype = "int64"}))
    assert.equal("has \"1e39\" in line 1, column 1, expected a number that float32 holds\n" .. words,
      refusal("1e39\n", {dtype = "float32"}))
    assert.equal("has \"1e400\" in line 1, column 1, expected a number that float32 holds\n" .. words,
      refusal("1e400\n", {dtype = "float32"}))
    assert.equal("1 float32 0.0 inf", read("1e-400\ninf\n", {dtype = "float32"}))
    -- digits decide what is an integer, not the rounded value
    for _, text in ipairs{"1e-400", "-1e-300", "0.99999999999999999999", "1.0000000000000000000000001",
      "9223372036854775807.5", "1e19"} do
      assert.equal(("has %q in line 1, column 1, expected a number that int64 holds\n%s"):format(text, words),
        refusal(text .. "\n", {dtype = "int64"}))
    end
    assert.equal("1 int64 9007199254740993 -9223372036854775808 25 1000 0 0",
      read("9007199254740993.0\n-9223372036854775808\n2.50e1\n1e3\n-0.00\n0e-999\n", {dtype = "int64"}))
    for _, dtype in ipairs{"int32", "int16", "int8", "uint8", "bool"} do
      assert.equal(("has \"1e-400\" in line 1, column 1, expected a number that %s holds\n%s"):format(dtype, words),
        refusal("1e-400\n", {dtype = dtype}))
    end
    assert.equal("has no number in line 3, column 1 (a), expected int32, which has no NaN",
      refusal("a\n1\nNA\n", {header = true, dtype = "int32"}))
  end)

  it("is refused, with line and column", function()
    for bytes, expected in pairs{
      ["a,b\n1,2\n3,x\n"] = "has \"x\" in line 3, column 2 (b), expected a number, as in line 2\n" ..
        "  hint  {text = {\"b\"}} reads the column as words",
      ["a\n\n\n1\n\n1,\n"] = "has 2 cells in line 6, expected 1, as in line 1\n  hint  {rows = 1} reads the rows "
        .. "before it",
      ["a,b\n1,2\n3\n"] = "has 1 cell in line 3, expected 2, as in line 1\n  hint  {rows = 1} reads the rows before it",
      ["a,b\n\"x\ny\",2\n1,2,3,4\n"] = "has 4 cells in line 4, expected 2, as in line 1\n  hint  {rows = 1} reads the "
        .. "rows before it",
      ["a,b\n1,\"x\n\n\n"] = "has a quote in line 2, column 2 (b) that is never closed",
      ["a,b\n1,\"x\"y\n"] =
        "has characters after a closing quote in line 2, column 2 (b), expected a separator or line end\n" ..
        "  hint  a quote inside of quotes is written twice: \"\"",
      ["a\nx\n\0\n"] = "has a zero byte in line 3 (byte 4 of the file), expected text",
      ["a\0\n\0001\0\n\0"] = "has a zero byte in line 1 (byte 1 of the file), expected text\n" ..
        "  hint  it may be UTF-16: iconv -f UTF-16 -t UTF-8 makes it UTF-8",
      [""] = "is empty, expected lines of cells",
      ["\n\r\n"] = "is empty, expected lines of cells",
      ["a\n1\n" .. ("y"):rep(100) .. "\n"] =
        "has \"" .. ("y"):rep(60) .. "...\" in line 3, column 1 (a), expected a number, as in line 2\n" ..
        "  hint  {text = {\"a\"}} reads the column as words",
      ["a\n1\n\27[2J\n"] = "has \"?[2J\" in line 3, column 1 (a), expected a number, as in line 2\n" ..
        "  hint  {text = {\"a\"}} reads the column as words",
    } do assert.equal(expected, refusal(bytes, header), bytes) end
    assert.equal("has \"x\" in line 2, column 1, expected a number, as in line 1\n" ..
      "  hint  {text = {1}} reads the column as words",
        refusal("1\nx\n"))
  end)

  it("refuses invalid options", function()
    put("a\n1\n")
    local function refused(options) return message(strew.load, path, options) end
    assert.equal("load: 'text' has \"q\", not found among the columns: \"a\"", refused{header = true, text = {"q"}})
    assert.equal("load: 'text' has \"2\", not found among the columns: \"1\"", refused{header = false, text = {2}})
    assert.equal("load: 'text' has true, expected names or numbers of columns", refused{text = {true}})
    assert.equal("load: 'text' is 5, expected a table", refused{text = 5})
    assert.equal("load: 'missing' is \"?\", expected a table\n  hint  missing = {\"?\"}", refused{missing = "?"})
    assert.equal("load: 'text' has key \"a\", expected a sequence", refused{header = true, text = {a = true}})
    for _, separator in ipairs{"5", "e", ".", "-", "\"", "\n", "é"} do
      assert.is_truthy(refused{separator = separator}:find("^load: 'separator' is "), separator)
    end
    assert.equal("load: 'separator' is \",,\", expected a single character", refused{separator = ",,"})
    assert.equal("load: 'map' is true, but .csv files cannot be mapped, only .npy, .safetensors", refused{map = true})
    assert.equal("load: 'header' is an option of .csv and .tsv files, not of .npy files",
      message(strew.load, "x.npy", {header = true}))
    assert.equal("load: 'header' is 1, expected a boolean", refused{header = 1})
  end)

  it("has decimal commas if they are named", function()
    local comma = {header = false, separator = ";", decimal = ","}
    for cells, expected in pairs{
      ["1,5|2|-,5|1e3|7,"] = "float64 1.5 2.0 -0.5 1000.0 7.0",
      ["1|2"] = "int64 1 2",
      [" 1,5 |\"2,25\"|NA"] = "float64 1.5 2.25 nan",
      ["inf|1,0e-5"] = "float64 inf 1e-05",
      ["0,1000000000000000055511151231257827021181583404541015625|1,5e300|2,5e-310|123456789012345678901,5"] =
        "float64 0.1 1.5e+300 2.5e-310 1.2345678901235e+20",
      ["x|1,5"] = "{x|1,5} 0 1",
      ["1,5 mm|2"] = "{1,5 mm|2} 0 1",
      ["1.5.2|1.5"] = "{1.5.2|1.5} 0 1",
    } do assert.equal("1 " .. expected, read(cells:gsub("|", "\n") .. "\n", comma), cells) end
    assert.equal("1 float64 1.5; 2 float64 2.5", read("1,5;2,5\n", comma))
    assert.equal("1 float32 1.5", read("1,5\n", {separator = ";", decimal = ",", dtype = "float32"}))
    assert.equal("1 float64 1.5; 2 int64 2; 3 int64 5", read("\"1,5\",2,5\n", {separator = ",", decimal = ","}))
    assert.equal("1 float64 1.5 2.0", read("1.5\n2\n", {decimal = "."}))
    assert.equal("has \"1,5\" in line 2, column 1, expected a number, as in line 1\n"
      .. "  hint  {decimal = \",\"} reads decimal commas, {text = {1}} reads the column as words",
      refusal("2\n1,5\n", {separator = ";"}))
    assert.equal("has \"1.5\" in line 1, column 1, expected a number with a decimal comma\n"
      .. "  hint  without decimal = \",\" it is a number, {text = {1}} reads the column as words",
      refusal("1.5\n", comma))
    for option, expected in pairs{
      [","] = "'decimal' is \",\", as the separator of cells, which the call has to name then\n"
        .. "  hint  separator = \";\"",
      [";"] = "'decimal' is \";\", expected a point or a comma",
    } do assert.equal("load: " .. expected, refusal("1\n", {decimal = option})) end
    assert.equal("load: 'decimal' is an option of .csv and .tsv files, not of .npy files",
      message(strew.load, "x.npy", {decimal = ","}))
  end)

  it("has dates if they are named", function()
    for cell, expected in pairs{
      ["1970-01-01"] = 0, ["1970-01-01T00:00:00Z"] = 0, ["1970-01-01 00:00"] = 0, ["1969-12-31T23:59:59"] = -1,
      ["2024-05-17"] = 1715904000, ["2024-05-17T12:30:00"] = 1715949000, ["2024-05-17T12:30"] = 1715949000,
      ["2024-05-17t12:30:00.000z"] = 1715949000, ["\"2024-05-17 12:30:00,0Z\""] = 1715949000,
      [" 2024-05-17T14:30+02:00 "] = 1715949000, ["2024-05-17T07:00:00-0530"] = 1715949000,
      ["2024-05-17T14+02"] = 1715947200, ["2024-05-17T14:30:00+02"] = 1715949000, ["2000-02-29"] = 951782400,
      ["0000-01-01"] = -62167219200, ["0001-01-01T00:00:00"] = -62135596800, ["9999-12-31T23:59:59Z"] = 253402300799,
      ["1900-02-28"] = -2203977600, ["1582-10-10"] = -12219724800, ["2100-02-28T24:00"] = 4107542400,
      ["2024-02-30"] = false, ["2023-02-29"] = false, ["1900-02-29"] = false, ["2024-13-01"] = false,
      ["2024-00-01"] = false, ["2024-01-00"] = false, ["2024-01-01T23:60"] = false, ["2016-12-31T23:59:60Z"] = false,
      ["2024-01-01T12:00:00+24:00"] = false, ["2024-01-01T12:00:00+01:60"] = false, ["2024-1-1"] = false,
      ["20240101"] = 1704067200, ["24-01-01"] = false, ["2024-01-01Z"] = false, ["2024-01-01T"] = false,
      ["2024-01-01T12"] = 1704110400, ["2024-01-01T12:00:00."] = false, ["2024-01-01T12:00:00ZZ"] = false,
      ["2024-01-01T12:00:00.5"] = 1704110400.5, ["+2024-01-01"] = false, ["x"] = false, ["1,5"] = false,
      ["2024-01-01T12:00:00 Z"] = false, ["2024-01-01T12:00:00+1"] = false, ["2024-01-01T12:00.5"] = 1704110430,
    } do
      local bytes, options = "when;n\n" .. cell .. ";1\n", {header = true, separator = ";", dates = {"when"}}
      if expected then
        put(bytes)
        local when = strew.load(path, options).when
        assert.equal("time", when.dtype)
        assert.equal(expected * 1000000, when:to("int64"):item(), cell)
      else
        assert.matches('^has "' .. cell:gsub("%p", "%%%0") .. '" in line 2, column 1 %(when%), expected ',
          refusal(bytes, options))
      end
    end
    local text, wanted = {}, {}
    math.randomseed(11)
    for i = 1, 500 do
      local year, month = math.random(0, 4000), math.random(12)
      local day, second = math.random(28), math.random(0, 86399)
      local hour, minute = second // 3600, second // 60 % 60
      text[i] = ("%04d-%02d-%02dT%02d:%02d:%02d"):format(year, month, day, hour, minute, second % 60)
      wanted[i] = days_to(year, month, day) * 86400 + second
    end
    put(table.concat(text, "\n") .. "\n")
    assert.is_true(strew.equal(strew.tensor(wanted) * 1000000, strew.load(path, {dates = {1}})[1]:to("int64")))
    assert.equal("1 time 1970-01-01 NaT NaT 1970-01-02",
      read("1970-01-01\n\"\"\nnan\n1970-01-02\n", {dates = {1}, dtype = "int8"}))
    put("a\n2024-05-17T12:30:01\n\"\"\n9999-12-31T23:59:59\n")
    local exact = strew.load(path, {header = true, dates = {"a"}}).a
    assert.equal("2024-05-17T12:30:01", exact[0])
    assert.equal("9999-12-31T23:59:59", exact[2])
    assert.equal("1 time", read("a\n", {header = true, dates = {"a"}}):gsub("^a", "1"))
    assert.equal("1 time 2024-01-01T00:00:00.25", read("2024-01-01T00:00:00.25\n", {dates = {1}}))
    assert.equal("load: 'dates' has \"3\", not found among the columns: \"x\"", refusal("x\n", {dates = {3}}))
    assert.equal("load: 'dates' has \"1\", which is in 'text', too", refusal("x\n", {dates = {1}, text = {1}}))
  end)

  it("has dates of a format of their own", function()
    local bytes = "a;when;b\n2024-05-17;3.2.2024;7\n;\"31.12.1969 23:59:59.5\";8\n2024-05-18;na;9\n"
    local options = {separator = ";", dates = {"a", when = "%d.%m.%Y"}}
    local form = "has %q in line %d, column 2 (when), expected a date of the form \"%%d.%%m.%%Y\"\n  hint  "
    local words = "{text = {\"when\"}} reads the column as words"
    assert.equal(form:format("31.12.1969 23:59:59.5", 3) .. words, refusal(bytes, options)) -- no form reads both
    bytes = bytes:gsub("3.2.2024", "3.2.2024 00:00:00.0")
    local hinted = refusal(bytes, options)
    assert.equal(form:format("3.2.2024 00:00:00.0", 2) .. "{dates = {when = \"%d.%m.%Y %T.%f\"}} reads dates, "
      .. words, hinted)
    put(bytes)
    options.dates.when = hinted:match "when = \"(.-)\""
    local x = strew.load(path, options)
    assert.same({"2024-05-17", "NaT", "2024-05-18"}, x.a:tolist())
    assert.same({"2024-02-03", "1969-12-31T23:59:59.5", "NaT"}, x.when:tolist())
    local rows = {}
    for part in strew.chunks(path, {separator = ";", dates = options.dates, rows = 1}) do
      rows[#rows + 1] = part.when:tolist()[1]
    end
    assert.same(x.when:tolist(), rows)
    assert.equal("1 time 2024-12-31 1970-01-01", read("12/31/24\n1/1/70\n", {dates = {["1"] = "%D"}}))
    assert.equal("1 time 2024-12-31", read("?\n12/31/24\n", {dates = {["1"] = "%D"}, missing = {"?"}, skip = 1}))
    assert.equal("has \"30.2.2024\" in line 1, column 1, expected a date and time of the calendar\n"
      .. "  hint  {text = {1}} reads the column as words",
      refusal("30.2.2024\n", {dates = {["1"] = "%d.%m.%Y"}}))
    local letters = "\n  hint  \"%d.%m.%Y\" is a format; its letters are Y y m b B h d e j H I p M S f z a A T F R D"
    for format, fact in pairs{["%d.%Q"] = "in which %Q is no part of a time",
      ["%Y%"] = "in which % is no part of a time", ["dd.mm.yyyy"] = "which has no part of a time, as %d",
      [""] = "which has no part of a time, as %d", ["%%"] = "which has no part of a time, as %d"} do
      assert.equal(("load: 'dates' has the format %q for column \"1\", %s"):format(format, fact) .. letters,
        refusal("30.2.2024\n", {dates = {["1"] = format}}))
      for _, text in ipairs{"1", {{"1"}}, "NaT"} do
        assert.equal(("time: 'format' is %q, %s"):format(format, fact) .. letters, message(strew.time, text, format))
      end
    end
    local missing = "load: 'dates' has \"b\", not found among the columns: \"x\""
    assert.equal(missing, refusal("x\n", {dates = {c = "%Y", b = "%Y"}}))
    for options_text, expected in pairs{
      ["{a = 1}"] = "has 1 for column \"a\", expected a format, as \"%d.%m.%Y\"",
      ["{[2] = \"a\"}"] = "has key 2, expected columns, or formats by column",
      ["{[true] = \"a\"}"] = "has key true, expected columns, or formats by column",
    } do
      assert.equal("load: 'dates' " .. expected, refusal("x\n", {dates = load("return " .. options_text)()}))
    end
    assert.matches("expected a date of the form \"%Y\"", refusal("x\ny\n", {dates = {"1", ["1"] = "%Y"}}), 1, true)
    -- Long files are read in parts: the same elements.
    local lines, wanted = {"when,n"}, {}
    for i = 1, 60000 do
      local year, month, day, hour, minute = 1900 + i % 200, i % 12 + 1, i % 28 + 1, i % 24, i % 60
      lines[i + 1] = ("%d/%d/%d %d:%02d,%d"):format(month, day, year, hour, minute, i)
      wanted[i] = ((days_to(year, month, day) * 24 + hour) * 60 + minute) * 60000000
    end
    put(table.concat(lines, "\n") .. "\n")
    local when = strew.load(path, {dates = {when = "%m/%d/%Y %H:%M"}}).when
    assert.is_true(strew.equal(strew.tensor(wanted), when:to("int64")))
  end)

  it("is refused where numbers or dates would become words", function()
    local words = "{text = {\"b\"}} reads the column as words"
    local comma = "{decimal = \",\"} reads decimal commas, " .. words
    local marks = "{thousands = \",\"} reads thousands, "
    local function other(first, second)
      return {"numbers or words, not dates", ("{dates = {b = \"%s\"}} reads dates, "):format(first)
        .. (second and ("with the month first: \"%s\", "):format(second) or "") .. words}
    end
    local function unit(sign, more)
      return {"a number without a unit", ("{unit = {b = \"%s\"}%s} reads numbers, "):format(sign, more or "") .. words}
    end
    local dates = "{dates = {\"b\"}} reads dates, " .. words
    for cell, expected in pairs{
      ["1,5"] = {"a number with a decimal point", comma}, ["-0,25e3"] = {"a number with a decimal point", comma},
      ["1,234"] = {"a number with a decimal point, without marks between thousands",
        marks .. comma},
      ["0,234"] = {"a number with a decimal point", comma}, ["1,2345"] = {"a number with a decimal point", comma},
      ["12.5%"] = unit "%", ["$5"] = unit "$", ["5€"] = unit "€", ["5 £"] = unit "£", ["-3 %"] = unit "%",
      ["-$5"] = unit "$", ["$ -5"] = unit "$", ["€1,234.50"] = unit("€", ", thousands = \",\""),
      ["1.234,50 €"] = unit("€", ", thousands = \".\", decimal = \",\""), ["2,5%"] = unit("%", ", decimal = \",\""),
      ["12/31/2024"] = other "%m/%d/%Y", ["31.12.2024 10:30"] = other "%d.%m.%Y %R",
      ["1-2-2024"] = other("%d-%m-%Y", "%m-%d-%Y"), ["2024/1/31"] = other "%Y/%m/%d",
      ["12/31/24"] = other "%m/%d/%y", ["2024-13-01"] = {"numbers or words, not dates", words},
      ["12/31/2024 1:05 pm"] = other "%m/%d/%Y %I:%M %p", ["1/2/2024T10:30:00"] = other("%d/%m/%YT%T", "%m/%d/%YT%T"),
      ["1,234,567"] = {"a number without marks between thousands", marks .. words},
      ["-12.345,67"] = {"a number without marks between thousands",
        "{thousands = \".\", decimal = \",\"} reads thousands, " .. words},
      ["1.234.567"] = {"a number without marks between thousands",
        "{thousands = \".\", decimal = \",\"} reads thousands, " .. words},
      ["1,234.5"] = {"a number without marks between thousands", marks .. words},
      ["1'234.5"] = {"a number without marks between thousands", "{thousands = \"'\"} reads thousands, " .. words},
      ["-12 345 678"] = {"a number without marks between thousands", "{thousands = \" \"} reads thousands, " .. words},
      ["1 234,5"] = {"a number without marks between thousands",
        "{thousands = \" \", decimal = \",\"} reads thousands, " .. words},
      ["2024-05-17"] = {"numbers or words, not dates", dates},
      ["2024-05-17T12:30:00.5Z"] = {"numbers or words, not dates", dates},
    } do
      for _, cells in ipairs{cell, '"' .. cell .. '"', " " .. cell .. " "} do
        assert.equal(("has \"%s\" in line 3, column 2 (b), expected %s\n  hint  %s"):format(
          cells:gsub('"', ""), table.unpack(expected)),
          refusal("a;b\n1;NA\n1;" .. cells .. "\n1;x\n", {header = true, separator = ";"}), cell)
      end
    end
    for cell in ("1,5 mm|1,2,3|1,23,456|12,34,567|1.2.3|10.0.0.1|v1,5|,|2024-05|"
      .. "32.13.2024|17.05.|1/2|5%%|%|$|$x|555-12-3456|1234,567,890|"
      .. "\"1,\"\"5\"|- 1,5|1,5,|1,234,56|030 123|1 23|1234 567|1'2345"):gmatch "[^|]+" do
      assert.matches("^1 {.*} 0$", read(cell .. "\n", {header = false, separator = ";"}))
    end
    assert.equal("1 {1,5|x} 0 1", read("1,5\nx\n", {separator = ";", text = {1}}))
    assert.equal("1 {x|2024-05-17} 0 1", read("x\n2024-05-17\n", plain))
    assert.equal("1 time 1970-01-01 1970-01-02", read("1970-01-01\n1970-01-02\n", {dates = {1}}))
  end)

  it("has words of digits and blanks, unless other cells of the column are numbers", function()
    for cells, expected in pairs{
      ["110 001|560 034"] = "{110 001|560 034} 0 1", ["555 123 456||+1 555 123"] = "{555 123 456||+1 555 123} 0 1 2",
      ["1 234|x|5"] = "{1 234|x|5} 0 1 2",
    } do
      local bytes = "pin,b\n" .. cells:gsub("|", ",x\n") .. ",x\n"
      assert.matches("pin " .. expected, read(bytes), 1, true)
      assert.equal(1, select(2, read(bytes, header):gsub("^pin {", "")))
    end
    local hint = "\n  hint  {thousands = \" \"} reads thousands, {text = {\"a\"}} reads the column as words"
    for cells, expected in pairs{
      ["5|1 234|2"] = "has \"1 234\" in line 3, column 1 (a), expected a number, as in line 2" .. hint,
      ["1 234|5"] = "has \"1 234\" in line 2, column 1 (a), expected a number, as in line 3" .. hint,
      ["\"1 234 567\"||-|7"] = "has \"1 234 567\" in line 2, column 1 (a), expected a number, as in line 5" .. hint,
    } do
      local bytes = "a,b\n" .. cells:gsub("|", ",y,\n"):gsub(",\n", "\n") .. ",y\n" -- a comma is no decimal one
      assert.equal(expected, refusal(bytes), cells)
      assert.matches("^a int64", read((bytes:gsub("|", ""):gsub("\n%-,y", "")), {thousands = " "})
        :gsub("^a float64", "a int64"), cells)
    end
  end)

  it("has no number that changes", function()
    local words = "{text = {\"a\"}} reads the column as words"
    local function whole(cell, line, reason)
      return ("has %q in line %d, column 1 (a), expected an integer that %s\n"):format(cell, line, reason)
        .. "  hint  " .. words .. ", {dtype = \"float64\"} rounds"
    end
    for cells, expected in pairs{
      ["50060e8007123400|50060e8007123402"] = "has \"50060e8007123400\" in line 2, column 1 (a), expected a number "
        .. "that "
        .. "float64 holds\n  hint  " .. words,
      ["1|-1e999"] = "has \"-1e999\" in line 3, column 1 (a), expected a number that float64 holds\n  hint  " .. words,
      ["0.5|17.976931348623159e307"] = "has \"17.976931348623159e307\" in line 3, column 1 (a), expected a number that "
        .. "float64 holds\n  hint  " .. words,
      ["1|18446744073709551615"] = whole("18446744073709551615", 3, "int64 holds")
        :gsub("hint  ", "%0{dtype = \"uint64\"} holds it, "),
      ["-9223372036854775809"] = whole("-9223372036854775809", 2, "int64 holds"),
      ["0.5|9223372036854775808"] = whole("9223372036854775808", 3, "int64 holds"),
      ["9007199254740993|9007199254740992|0.5"] = whole("9007199254740993", 2,
        "float64 holds: the column has a fraction in line 4"),
      ["1|1e3|-9007199254740993"] = whole("-9007199254740993", 4, "float64 holds: the column has a fraction in line 3"),
      ["9007199254740993|NA"] = whole("9007199254740993", 2, "float64 holds: the column has no number in line 3"),
      ["nan|18014398509481985"] = whole("18014398509481985", 3, "float64 holds: the column has no number in line 2"),
    } do
      local bytes = "a;b\n" .. cells:gsub("|", ";1\n") .. ";1\n"
      for _, turned in ipairs{bytes, (bytes:gsub("\n", "\r\n")), "\xef\xbb\xbf" .. bytes} do
        assert.equal(expected, refusal(turned, {header = true, separator = ";"}), cells)
      end
      assert.matches("^a {", read(bytes, {header = true, separator = ";", text = {"a"}}))
    end
    assert.equal("a int64 9007199254740993 -9223372036854775808",
      read("a\n9007199254740993\n-9223372036854775808\n", header))
    assert.equal("a float64 9.007199254741e+15 nan", read("a;b\n9007199254740993;\n;\n",
      {header = true, separator = ";", dtype = "float64", columns = {"a"}}))
    assert.matches("expected a number that float16 holds", refusal("a\n65520\n", {header = true, dtype = "float16"}))
    put("a\n1797693134862315708e290\n4.9e-324\n2e-324\n") -- the largest and the least float64
    local extremes = strew.load(path, header).a
    assert.same({0x1.fffffffffffffp1023, 0x1p-1074, 0.0}, extremes:tolist())
  end)

  it("has no labels among its numbers, unless a dtype is given", function()
    for _, cell in ipairs{"00501", "00", "-07", "+4912345", "\"00501\"", " 00501 "} do
      local bytes = "a;zip\n1;10001\n2;" .. cell .. "\n"
      assert.equal(("has \"%s\" in line 3, column 2 (zip), expected a number without leading zeros or plus sign\n")
          :format(cell:gsub('"', ""))
        .. "  hint  {text = {\"zip\"}} reads the column as words, {dtype = \"int64\"}, with fractions \"float64\", "
        .. "reads numbers without leading zeros and signs", refusal(bytes, {header = true, separator = ";"}), cell)
      assert.equal(("a int64 1 2; zip {10001|%s} 0 1"):format(cell:gsub('"', "")),
        read(bytes, {header = true, separator = ";", text = {"zip"}}))
    end
    assert.equal("1 int64 501 4912345", read("00501\n+4912345\n", {dtype = "int64"}))
    assert.equal("1 int64 0 0 0 1", read("0\n-0\n+0\n+1\n", plain))
    assert.equal("1 float64 0.5 -0.5 0.0 10.0", read("0.5\n-00.5\n00.\n01e1\n", plain))
  end)

  it("has words for missing values if they are named", function()
    local function hint(mark)
      return ("  hint  {missing = {%q}} reads it as an empty cell, {text = {\"a\"}} reads the column as "
        .. "words"):format(mark)
    end
    for _, mark in ipairs{"?", ".", "-", "--", "**", "Unknown", "None", "n.a."} do
      local options = {header = true, missing = {mark}}
      assert.equal(("has %q in line 4, column 1 (a), expected a number, as in line 2\n"):format(mark) .. hint(mark),
        refusal("a\n1\n2\n" .. mark .. "\n", header))
      assert.equal(("has %q in line 2, column 1 (a), expected a number, as in line 4\n"):format(mark) .. hint(mark),
        refusal("a\n" .. mark .. "\n" .. mark .. "\n1\n", header))
      assert.equal("a float64 nan 1.0 nan", read("a\n" .. mark .. "\n1\n " .. mark .. " \n", options))
      assert.equal("a time 1970-01-02 NaT", read("a\n1970-01-02\n" .. mark .. "\n",
        {header = true, missing = {mark}, dates = {"a"}}))
      assert.equal("a {x|} 0 1", read("a\nx\n" .. mark .. "\n", options))
      assert.equal(("a {%s|x} 0 1 0"):format(mark), read(("a\n%s\nx\n%s\n"):format(mark, mark), header))
      assert.equal(("a {%s} 0 0"):format(mark), read(("a\n%s\n%s\n"):format(mark, mark), header))
    end
    assert.equal("a float64 nan 1.5 nan; b int64 1 2 3",
      read("a,b\n-999,1\n1.5,2\n?,3\n", {header = true, missing = {-999, "?"}}))
    assert.equal("a {NA|} 0 1", read("a\nNA\nx\n", {header = true, missing = {"x"}, text = {"a"}}))
    assert.equal("a float32 1.0 nan", read("a\n1\n-\n", {header = true, missing = {"-"}, dtype = "float32"}))
    assert.matches("expected int8, which has no NaN", refusal("a\n1\n-\n", {header = true, missing = {"-"},
      dtype = "int8"}))
    assert.equal("load: 'missing' has true, expected words or numbers", refusal("a\n", {missing = {true}}))
    assert.matches('^has "x" in line 3, .*expected a date.*\n  hint  {text = {"a"}}',
      refusal("a\n1970-01-02\nx\n", {header = true, dates = {"a"}}))
    for _, cell in ipairs{"?", "??", "12?", "1?2?2024", "%", "1%2%2024"} do -- marks between the parts of no date
      assert.equal(("has %q in line 3, column 1 (a), expected a date"):format(cell),
        (refusal("a\n1970-01-02\n" .. cell .. "\n", {header = true, dates = {"a"}}):gsub(", as .*", "")))
    end
    for _, mark in ipairs{"#VALUE!", "TBD", "0000-00-00", "00/00/0000", "n.d."} do
      local refused = refusal("a\n1\n" .. mark .. "\n", header)
      assert.matches(("line 2\n  hint  {missing = {%q}} reads it"):format(mark), refused, 1, true)
    end
  end)

  it("has lines before the table, and comments, if they are named", function()
    local bytes = "# from 1959\n# ppm, \"CO2\nyear,mean\n#\n1959,315.98\n"
    local comment = "\n  hint  {comment = \"#\"} skips lines that begin with #"
    assert.equal("has 2 cells in line 3, expected 1, as in line 1" .. comment,
      refusal("# from 1959\n# ppm\nyear,mean\n1959,315.98\n", header))
    assert.equal("has 3 cells in line 3, expected 2, as in line 1" .. comment, refusal("a,b\n1,2\n#,,\n",
      {header = true, text = {"a"}}))
    assert.equal("has \"# x\" in line 3, column 1 (a), expected a number, as in line 2\n  hint  {comment = \"#\"} "
      .. "skips its "
      .. "line, {text = {\"a\"}} reads the column as words", refusal("a,b\n1,2\n# x,\n", header))
    for _, turned in ipairs{bytes, (bytes:gsub("\n", "\r\n")), (bytes:gsub("\n", "\r")), "\xef\xbb\xbf" .. bytes} do
      assert.equal("year int64 1959; mean float64 315.98", read(turned, {header = true, comment = "#"}))
      assert.equal("year int64 1959; mean float64 315.98", read(turned, {header = true, comment = "#", skip = 2}))
      assert.equal("has \"x\" in line 7, column 1 (year), expected a number, as in line 6\n  hint  "
        .. "{text = {\"year\"}} reads the column as words",
        refusal("\n" .. turned:gsub("^\xef\xbb\xbf", "") .. "x,1\n", {header = true, comment = "#", skip = 1}))
    end
    assert.equal("has a line of words above numbers, line 2: are they units?\n  hint  {skip = 2, names = {...}} "
      .. "without header = true begins below it, {text = {\"rain\"}} reads words",
      refusal("city,rain\nname,mm\nOslo,1\nRome,2\n", header))
    -- Words for missing values are no units, and leave it to the next line whether there are names.
    for text, expected in pairs{
      ["a,b\nx,NA\ny,4\n"] = "a {x|y} 0 1; b float64 nan 4.0",
      ["a,b\nx,\ny,\nz,4\n"] = "a {x|y|z} 0 1 2; b float64 nan nan 4.0",
      ["a,b\nx,c\ny,4\n"] = "1 {a|x|y} 0 1 2; 2 {b|c|4} 0 1 2",
      -- Only a column without a value so far leaves it open.
      ["a,b\nx,\ny,4\nz,5\n"] = "a {x|y|z} 0 1 2; b float64 nan 4.0 5.0",
      ["a,b,c\nx,d,\ny,4,\n"] = "1 {a|x|y} 0 1 2; 2 {b|d|4} 0 1 2; 3 {c|} 0 1 1",
      ["a,b,c\nx,d,\ny,4,NA\nz,,5\n"] = "a {x|y|z} 0 1 2; b {d|4|} 0 1 2; c float64 nan nan 5.0",
      ["a,b,c\n?,,d\nNA,nan,4\n,,5\n"] = "1 {a|?|NA|} 0 1 2 3; 2 {b||nan} 0 1 2 1; 3 {c|d|4|5} 0 1 2 3",
      ["a,b,c\n\"x\ny\",,\nz,\n"] = "has 2 cells in line 4, expected 3, as in line 1",
    } do
      assert.equal(expected, (expected:match "^has" and refusal or read)(text):gsub("\n.*", ""), text)
    end
    -- A line that is too long ends where it ends.
    for _, text in ipairs{"x,2020\n,,7\n", "x,2020\n,,\"y\n\",7\n"} do
      assert.matches("^has %d cells in line 2, expected 2, as in line 1", refusal(text), text)
    end
    for _, options in ipairs{{}, header} do
      for mark in ("-- ? Unknown **"):gmatch "%S+" do
        assert.equal(("has %q in line 2, column 2 (b), expected a number, as in line 4\n  hint  {missing = {%q}} reads "
          .. "it as an empty cell, {text = {\"b\"}} reads the column as words"):format(mark, mark),
          refusal(("a,b\nx,%s\ny,\nz,4\nz,5\n"):format(mark), options))
        assert.equal("a {x|y|z} 0 1 2; b float64 nan nan 4.0",
          read(("a,b\nx,%s\ny,\nz,4\n"):format(mark), {missing = {mark}}))
      end
    end
    assert.equal("city {Oslo|Rome} 0 1; rain int64 1 2",
      read("city,rain\nname,mm\nOslo,1\nRome,2\n", {skip = 2, names = {"city", "rain"}}))
    assert.equal("city {name|Oslo|Rome} 0 1 2; rain {mm|1|2} 0 1 2",
      read("city,rain\nname,mm\nOslo,1\nRome,2\n", {header = true, text = {"rain"}}))
    assert.equal("city {name|Oslo|Rome} 0 1 2; rain {mm|1|x} 0 1 2",
      read("city,rain\nname,mm\nOslo,1\nRome,x\n", header))
    assert.equal("1 int64 2", read("x\n\n\"\n2\n", {skip = 3}))
    assert.equal("1 {#a} 0", read("\"#a\"\n", {comment = "#", header = false}))
    assert.equal("1 {a#} 0", read("a#\n", {comment = "#", header = false}))
    assert.equal("is empty, expected lines of cells", refusal("a\n1\n", {skip = 9, header = true}))
    assert.equal("has 2 cells in line 3, expected 1, as in line 1\n  hint  {skip = 2} skips the lines before line 3",
      refusal("A title\nand more\na,b\n1,2\n", header))
    assert.equal("a int64 1; b int64 2", read("A title\nand more\na,b\n1,2\n", {header = true, skip = 2}))
    assert.equal("names its separator in line 1, expected cells\n  hint  {skip = 1, separator = \";\"}",
      refusal("sep=;\na;b\n1;2\n", header))
    assert.equal("a int64 1; b int64 2", read("sep=;\na;b\n1;2\n", {header = true, skip = 1, separator = ";"}))
    assert.equal("load: 'skip' is -1, expected 0 or more", refusal("a\n", {skip = -1}))
    assert.equal("load: 'comment' is \",\", expected a character other than a quote, line end or separator",
      refusal("a\n", {comment = ","}))
    assert.equal("load: 'skip' is an option of .csv and .tsv files, not of .npy files",
      message(strew.load, "x.npy", {skip = 1}))
  end)

  it("has the caller's names", function()
    for _, bytes in ipairs{"a,,\n1,2,3\n", "x,y,x\n1,2,3\n"} do
      for _, is_said in ipairs{true, nil} do
        assert.equal("p int64 1; q int64 2; r int64 3", read(bytes, {header = is_said, names = {"p", "q", "r"}}))
        assert.equal("r int64 3; p int64 1",
          read(bytes, {header = is_said, names = {"p", "q", "r"}, columns = {"r", "p"}}))
      end
    end
    assert.equal("p int64 1 3; q int64 2 4", read("1,2\n3,4\n", {names = {"p", "q"}}))
    assert.equal("load: 'names' has 1 names, expected 2, the cells of line 1", refusal("1,2\n", {names = {"p"}}))
    assert.equal("load: 'names' has \"p\" twice", refusal("1,2\n", {names = {"p", "p"}}))
    assert.equal("has \"x\" in line 2, column 2 (q), expected a number, as in line 1\n  hint  "
      .. "{text = {\"q\"}} reads the column as words", refusal("1,2\n3,x\n", {names = {"p", "q"}}))
    local bytes = "mpg,cyl\nMazda,21,6\n"
    assert.equal("has 3 cells in line 2, expected 2, as in line 1\n  hint  {skip = 1, names = {...}} names 3 "
      .. "columns, if "
      .. "line 1 lacks the first name", refusal(bytes, header))
    assert.equal("car {Mazda} 0; mpg int64 21; cyl int64 6", read(bytes, {skip = 1, names = {"car", "mpg", "cyl"}}))
  end)

  it("has names in a first line of words above a number", function()
    for bytes, expected in pairs{
      ["a;b\nc;1\n"] = "a {c} 0; b int64 1",
      ["x\n1\n2\n"] = "x int64 1 2",
      ["\"1a\";b\r\n\"2\";c\r\n"] = "1a int64 2; b {c} 0",
      [";x\n1;2\n"] = "1 int64 1; x int64 2",
      ["x;\n;2\n"] = "1 {x|} 0 1; 2 float64 nan 2.0", -- no word above a number
      [";Oslo\n3;Rome\n"] = "1 float64 nan 3.0; 2 {Oslo|Rome} 0 1",
      ["Oslo;5\nRome;6\n"] = "1 {Oslo|Rome} 0 1; 2 int64 5 6",
      ["a;b\nc;d\n"] = "1 {a|c} 0 1; 2 {b|d} 0 1",
      ["a\nnan\n"] = "1 {a|nan} 0 1",
      ["a;b\n"] = "a float64; b float64", -- a table without rows
      ["\n# 2\n\"a\";b\n\n"] = "a float64; b float64",
      ["a;2\n"] = "1 {a} 0; 2 int64 2",
      ["a;-\n"] = "a float64; - float64",
      ["-;b\n1;2\n"] = "- int64 1; b int64 2",
      ["city;2024-01-01\nOslo;1\n"] = "city {Oslo} 0; 2024-01-01 int64 1",
      ["n\n\n# 2\n3\n"] = "n int64 3",
    } do
      local options = {separator = ";", comment = "#"}
      assert.equal(expected, read(bytes, options), bytes)
      options.rows = 100
      assert.equal(expected, read(bytes, options), bytes)
    end
    assert.equal("1 {a|c} 0 1; 2 {b|1} 0 1", read("a;b\nc;1\n", {header = false, separator = ";"}))
    assert.equal("p {c} 0; q int64 1", read("a;b\nc;1\n", {names = {"p", "q"}, separator = ";"}))
    assert.equal("p {a} 0; q {b} 0", read("a;b\n", {names = {"p", "q"}, separator = ";"}))
    assert.equal("1 {a} 0; 2 {b} 0", read("a;b\n", {header = false, separator = ";"}))
    assert.equal("1 {a} 0; 2 time 2024-01-01", read("a,2024-01-01\n", {dates = {2}}))
    assert.equal("when time 1970-01-01", read("when\n1970-01-01\n", {dates = {"when"}}))
    assert.matches("expected numbers or words, not dates\n  hint  {dates = {\"when\"}}", refusal("when\n1970-01-01\n"))
    assert.matches("^has 3 cells in line 2, expected 2, .*lacks the first name$", refusal("mpg,cyl\nMazda,21,6\n"))
    assert.equal("begins with words and numbers in line 2, and has a number below the word in column 1: are they the "
      .. "column names?\n  hint  header = true takes names from it, header = false reads it as all others",
      refusal("\nday,1978,x,\n1,12.5,y,\n"))
    assert.equal("day int64 1; 1978 float64 12.5; x {y} 0; 4 float64 nan", read("\nday,1978,x,\n1,12.5,y,\n", header))
    assert.equal("1 {day|1} 0 1; 2 int64 1978 12", read("day,1978\n1,12\n", plain))
    assert.equal("1 {Oslo|x} 0 1; 2 int64 5 6", read("Oslo,5\nx,6\n"))
    assert.matches("as in line 2\n  hint  {missing = {\"%?\"}}", refusal("?,5\n3,4\n"))
    assert.matches("begins below it$", refusal("name,x,y\nkm,kg,s\n1")) -- columns without names are no way out
    assert.equal("has a line of words above numbers, line 2: are they units?\n  hint  {skip = 2, names = {...}} begins "
      .. "below it", refusal("city,rain\nname,mm\nOslo,1\nRome,2\n"))
    for _, rows in ipairs{"1,2\n", "1,2\n3,4\n", "2024-01-01,2"} do
      local bytes = "a,b\nkm,kg\n" .. rows
      assert.equal("has a line of words above numbers, line 2: are they units?\n  hint  {skip = 2, names = {...}} "
        .. "begins below it", refusal(bytes))
      assert.matches("names = {...}} without header = true begins below it", refusal(bytes, header), 1, true)
      read(bytes, {skip = 2, names = {"a", "b"}, dates = true})
    end
    assert.equal("1 {a|x|1} 0 1 2; 2 {b|y|z} 0 1 2", read("a,b\nx,y\n1,z\n"))
  end)

  it("names ways out that can be followed, value and place", function()
    local whole = "expected an integer that int64 holds"
    for _, row in ipairs{
      {"a,b\n1,2\n3,4,5\n", "{rows = 1} reads the rows before it", {3}, 3, {rows = 1}},
      {"a,b\n1,2,3\n", "{skip = 1, names = {...}} names 3 columns, if line 1 lacks the first name", {2}, 3,
        {skip = 1, names = {"a", "b", "c"}}},
      {"a,b\n1,2,3,4\n", "a cell with ',' in it is in quotes", {2}, 4},
      {"a\n18446744073709551615\n", whole .. "\n  hint  {dtype = \"uint64\"} holds it, {text = {\"a\"}} reads",
        {2, 1}, 0x1p64, {dtype = "uint64"}},
      {"a,b\n5,1\n2024-01-01,2\n", "as in line 2\n  hint  {text = {\"a\"}} reads the column as words", {3, 1}, nil,
        {text = {"a"}}},
      {"a,b\n5,1\n12/31/2024,2\n", "as in line 2\n  hint  {text = {\"a\"}} reads the column as words", {3, 1}, nil,
        {text = {"a"}}},
      {"a,b\n1,00501\n", "words, {dtype = \"int64\"}, with fractions \"float64\", reads numbers", {2, 2}, 501,
        {dtype = "int64"}},
      {"a,b\n1,2\n1,x\n", "as in line 2\n  hint  {text = {\"b\"}} reads", {3, 2}, nil, {text = {"b"}}},
      {"a,b\n1,2\n1,?\n", "{missing = {\"?\"}} reads it", {3, 2}, nil, {missing = {"?"}}},
      {"id\n9007199254740993\n1.5\n", "the column has a fraction in line 3", {2, 1}, (1 << 53) + 1},
      {"a,b\n1,\"x\n", "is never closed", {2, 2}},
    } do
      assert.matches(row[2], refusal(row[1]), 1, true)
      local found = strew.last_error()
      assert.same({row[3], row[4]}, {found.pos, found.value}, row[1])
      if row[5] then assert.equal("no error", refusal(row[1], row[5])) end
    end
    assert.matches("hint  without thousands = \",\" {separator = \",\", decimal = \",\"} reads decimal commas",
      refusal("a,b\n\"1,23\",2\n", {thousands = ","}), 1, true)
    read("a,b\n\"1,23\",2\n", {separator = ",", decimal = ","})
    for _, options in ipairs{{dates = {when = "%m/%Y"}}, {columns = {"who"}}, {text = {"when"}}} do
      assert.matches("not found among the columns: \"1\", \"2\"\n  hint  header = true takes names from line 1",
        refusal("when,who\n01/2024,x\n", options), 1, true)
      options.header = true
      read("when,who\n01/2024,x\n", options)
    end
    assert.is_nil(refusal("when,who\n01/2024,x\n", {text = {"whom"}}):find "hint")
    put "when,who\n01/2024,x\n"
    local words = strew.load(path)
    assert.matches("not found in x\n.*hint  header = true takes names from line 1",
      support.message(strew.group_by, words, "who"))
    assert.matches("not found in x\n.*hint  the columns are 1, 2", support.message(strew.group_by, words, "whom"))
  end)

  it("has numbers in place of empty names, and behind repeated ones", function()
    for bytes, expected in pairs{
      ["x,y,x\n1,2,3\n"] = {"x int64 1; y int64 2; x_2 int64 3", '3 the name of column 1, "x", in line 1: it is "x_2"'},
      ["a,, \n1,2,3\n"] = {"a int64 1; 2 int64 2; 3 int64 3", '2 no name in line 1: it is "2"'},
      ["x,x_2,x\n1,2,3\n"] =
        {"x int64 1; x_2 int64 2; x_3 int64 3", '3 the name of column 1, "x", in line 1: it is "x_3"'},
      ["x,x,x_2\n1,2,3\n"] =
        {"x int64 1; x_2 int64 2; x_2_2 int64 3", '2 the name of column 1, "x", in line 1: it is "x_2"'},
      [",1,y\n5,6,7\n"] = {"1 int64 5; 1_2 int64 6; y int64 7", '1 no name in line 1: it is "1"'},
      ['"q""",x,"q"""\n5,6,7\n'] =
        {'q" int64 5; x int64 6; q"_2 int64 7', '3 the name of column 1, "q"", in line 1: it is "q"_2"'},
    } do
      assert.equal(expected[1], read(bytes, header))
      for _, name in ipairs{"load", "chunks"} do
        assert.equal(("Lua warning: %s: 'path' is %q, which gives column %s\n"):format(name, path, expected[2]),
          support.output(('require "strew".%s(%q, {header = true})'):format(name, path), "", "-W"))
      end
    end
    read("x,y\n1,2\n", header)
    assert.equal("", support.output(('require "strew".load(%q)'):format(path), "", "-W"))
    assert.equal("x_2 int64 3", read("x,y,x\n1,2,3\n", {header = true, columns = {"x_2"}}))
    local names, ones = {"x", "x"}, {"1", "1"}
    for k = 1, 62 do names[k + 2], ones[k + 2] = "x_" .. (1 << k), "1" end -- where a search by doubling passes int64
    names[1], names[64] = names[64], names[1]
    names[65], ones[65] = "x", "1"
    local text = table.concat(names, ",") .. "\n" .. table.concat(ones, ",") .. "\n"
    assert.matches("x_4611686018427387903 int64 1", read(text, {header = true}), 1, true)
  end)

  it("has marks between thousands if they are named", function()
    local function grouped(cells, mark, options)
      options = options or {separator = ";"}
      options.thousands = mark
      return (read("x;k\n" .. cells:gsub("|", ";1\n") .. ";1\n", options):gsub("; k %a+%d+.*", ""))
    end
    assert.equal("x int64 1234 -12500 7 1234567", grouped('1,234|"-12,500"|7|1,234,567', ","))
    assert.equal("x float64 1234.5 nan 0.5 1000000.0", grouped("1,234.5||.5|1,000.e3", ","))
    assert.equal("x float64 1234.5 1000.0", grouped("1.234,5|1.000", ".", {separator = ";", decimal = ","}))
    for _, mark in ipairs{"'", "_", " ", "|"} do
      assert.equal("x int64 1234567 12", (read("x;k\n1" .. mark .. "234" .. mark .. "567;1\n 12 ;1\n",
        {separator = ";", thousands = mark}):gsub("; k %a+%d+.*", "")))
    end
    assert.equal("x int64 9223372036854775807", grouped("9,223,372,036,854,775,807", ","))
    assert.matches("expected an integer that int64 holds", refusal("x\n\"9,223,372,036,854,775,808\"\n",
      {thousands = ","}))
    assert.matches("without leading zeros", refusal("x\n\"0,123\"\n", {thousands = ","}))
    assert.equal("x float32 1234.5 2000.0", grouped("1,234.5|2,000", ",", {separator = ";", dtype = "float32"}))
    assert.equal("x {1,234} 0", grouped("1,234", ",", {separator = ";", text = {"x"}, header = true}))
    for _, cell in ipairs{"12,34", "1234,567", "1,2345", ",123", "1,23,456", "1,234,", "1,234.5.6", "1,234x"} do
      assert.matches("expected a number", refusal("x;k\n5;1\n" .. cell .. ";1\n", {separator = ";", thousands = ","}))
    end
    assert.equal("a int64 1234", read('a\n"1,234"\n', {thousands = ","}))
    for _, mark in ipairs{".", "5", "e", "-", '"'} do
      assert.equal(("load: 'thousands' is \"%s\", expected a character that no number has, other than the decimal "
        .. "point"):format(mark:gsub('"', "?")), (refusal("a\n", {thousands = mark}):gsub('""', '"?')))
    end
    assert.equal("load: 'thousands' is an option of .csv and .tsv files, not of .npy files",
      message(strew.load, "x.npy", {thousands = ","}))
  end)

  it("is read up to a number of rows", function()
    local bytes = "city,n\nOslo,1\n\"Ro\nme\",2\n\nBern,x\n"
    assert.equal("city {Oslo} 0; n int64 1", read(bytes, {rows = 1}))
    assert.equal("city {Oslo|Ro\nme} 0 1; n int64 1 2", read(bytes, {rows = 2}))
    assert.matches('^has "x" in line 6', refusal(bytes, {rows = 3}))
    assert.equal("a float64", read("a\n", {rows = 3, header = true}))
    assert.equal("1 int64 1 2", read("1\n2", {rows = 3}))
    assert.equal("1 int64 1", read("1\n2\n3\0", {rows = 1}))
    put("n\n1\n" .. ("2\n"):rep(1 << 20) .. "x\n")
    assert.equal(3, #strew.load(path, {rows = 3}))
    assert.equal("is empty, expected lines of cells", refusal("", {rows = 1}))
    assert.equal("load: 'rows' is 0, expected 1 or more", refusal("a\n", {rows = 0}))
    assert.equal("load: 'rows' is an option of .csv, .tsv and .jsonl files, not of .npy files",
      message(strew.load, "x.npy", {rows = 1}))
  end)

  it("with another separator is refused", function()
    assert.equal("has 3 cells in line 2, expected 1, as in line 1\n  hint  line 1 has ';': {separator = \";\"}",
      refusal("a;b\n1,5;2,5\n", header))
    assert.equal("has \"1\t2\" in line 2, column 1 (a\tb), expected one cell in a line\n  hint  {separator = \"\\t\"} "
      .. "splits it, {text = {1}} reads the column as words", (refusal("a\tb\n1\t2\n", header):gsub("%?", "\t")))
    assert.equal("a;b {1;2} 0", read("a;b\n1;2\n", {header = true, text = {"a;b"}}))
    assert.equal("a;b {x} 0", read("a;b\nx\n", header))
    assert.equal("a;b {x;y} 0", read("a;b\n\"x;y\"\n", header))
    save({strew.tensor{0, 1}}, {words = {{"x;y", "z;w"}}})
    assert.equal("\"x;y\"\n\"z;w\"\n", get())
    assert.same({"x;y", "z;w"}, strew.words(strew.load(path, plain), 1))
    assert.equal("sep=x int64 1", read("sep=x\n1\n", header))
    assert.equal("load: 'columns' has \"Qty\", not found among the columns: \"qty\", \"n\"\n  hint  did you mean "
      .. "'qty'?",
      refusal("qty,n\n1,2\n", {header = true, columns = {"Qty"}}))
  end)

  it("may be wide or long, or have long cells", function()
    local names, numbers = {}, {}
    for i = 1, 20000 do names[i], numbers[i] = "c" .. i, i end
    put(table.concat(names, ",") .. "\n" .. table.concat(numbers, ",") .. "\n")
    local columns = strew.load(path, header)
    assert.equal(20000, #columns.names)
    assert.equal(12345, columns.c12345:item())
    local long = ("x"):rep(1 << 20)
    put("a,b\n\"" .. long .. "\"\"\",1\n" .. long .. ",2\n")
    columns = strew.load(path, header)
    assert.same({long .. "\"", long}, columns.words.a)
    local beginnings = {} -- each word begins like all before it
    for i = 1, 500 do beginnings[i] = ("y"):rep(501 - i) end
    put("a\n" .. table.concat(beginnings, "\n") .. "\n")
    assert.is_true(strew.equal(strew.arange(500), strew.load(path, header).a:codes():to("int64")))
    put(("1\n"):rep(100000))
    assert.equal(100000, strew.load(path)[1]:sum():item())
  end)

  it("keeps its order and words for saving, hidden from pairs", function()
    put("price,city,n\n1.5,Rome,1\n2.5,\"New\nYork\",2\n3.5,Rome,3\n")
    local columns = strew.load(path, header)
    assert.same({"price", "city", "n"}, columns.names)
    assert.same({city = {"Rome", "New\nYork"}}, columns.words)
    local keys = 0
    for _, column in pairs(columns) do
      assert.equal("tensor", strew.type(column))
      keys = keys + 1
    end
    assert.equal(3, keys)
    local original = get()
    strew.save(path, columns)
    assert.equal(original, get())
    columns.n, columns.half, columns.all = nil, columns.price / 2, columns.price * 0
    strew.save(path, columns, {separator = ";"})
    assert.equal("price;city;all;half\n1.5;Rome;0.0;0.75\n2.5;\"New\nYork\";0.0;1.25\n3.5;Rome;0.0;1.75\n", get())
    strew.save(path, columns, {names = {"half", "city"}, header = false})
    assert.equal("0.75,Rome\n1.25,\"New\nYork\"\n1.75,Rome\n", get())
    put("n,city\n1,x\n")
    columns = strew.load(path, header)
    strew.save(path, columns, {names = {"n"}})
    assert.equal("n\n1\n", get())
    columns.city = nil -- its words stay
    strew.save(path, columns)
    assert.equal("n\n1\n", get())
    put("names,words\n1,x\n")
    columns = strew.load(path, header)
    assert.equal(1, columns.names:item())
    assert.same({"names", "words"}, getmetatable(columns).__index.names)
    strew.save(path, columns)
    assert.equal("names,words\n1,x\n", get())
  end)

  it("returns words and order even if columns have those names", function()
    put("a,words,names\nx,z,1\ny,z,2\n")
    local columns = strew.load(path, header)
    assert.equal("tensor", strew.type(columns.words))
    assert.same({"a", "words", "names"}, strew.columns(columns))
    assert.same({a = {"x", "y"}, words = {"z"}}, strew.words(columns))
    assert.same({"x", "y"}, strew.words(columns, "a"))
    assert.is_nil(strew.words(columns, "names"))
    put("x,1\ny,2\n")
    columns = strew.load(path, {header = false})
    assert.same({1, 2}, strew.columns(columns))
    assert.same({"x", "y"}, strew.words(columns, 1))
    assert.is_nil(strew.words(columns, 2))
    support.fail({
      {"strew.words(columns, 3)", "words: 'column' is 3, not found in x"},
      {"strew.words(columns, 'a')", "words: 'column' is \"a\", not found in x"},
      {"strew.words(columns, true)", "words: 'column' is true, expected a column's name or number"},
      {"strew.columns{}", "columns: 'x' is an empty table, expected columns"},
    }, {strew = strew, columns = columns})
  end)

  it("is saved in part with the words of the whole table", function()
    put("price,city,kind\n1,Rome,a\n2,Oslo,b\n3,Rome,a\n")
    local columns = strew.load(path, header)
    for _ = 1, 20 do
      local part = {city = columns.city:slice(0, 1), price = columns.price:slice(0, 1)}
      strew.save(path, part, {words = columns.words, names = {"city", "price"}})
      assert.equal("city,price\nOslo,2\nRome,3\n", get())
    end
    save({strew.arange(2)}, {words = {{"x", "y"}, {"z"}, a = {}}})
    assert.equal("x\ny\n", get())
    for _, name in ipairs{"words", "names"} do
      assert.equal("save: 'x' has a table at key \"" .. name .. "\", expected a tensor\n  hint  " .. name
        .. " is an option: strew.save(path, x, {" .. name .. " = ...})",
        message(strew.save, path, {a = strew.arange(2), [name] = columns.words}))
    end
  end)

  it("is written from tensors and tables", function()
    local function saved(...) save(...) return get() end
    assert.equal("0,1,2\n3,4,5\n", saved(strew.arange(6):view(2, 3)))
    assert.equal("0,3\n1,4\n2,5\n", saved(strew.arange(6):view(2, 3):t()))
    assert.equal("1.5\n-0.0\n\"\"\n", saved(strew.tensor{1.5, -0.0, 0 / 0}))
    assert.equal("", saved(strew.zeros(0, 3)))
    local words = strew.tensor{{"Rome", "a,b", ""}, {"", "Rome", "x"}}
    assert.equal('Rome,"a,b",""\n"",Rome,x\n', saved(words))
    assert.equal('Rome,""\n"a,b",Rome\n"",x\n', saved(words:t()))
    assert.equal('"a,b"\nRome\n', saved(words:select(1, 1)))
    assert.equal("2024-01-01,\n", saved(strew.time(strew.tensor{{"2024-01-01", ""}})))
    assert.equal("a;b\n1;0.1\n0;1e-05\n",
      saved({b = strew.tensor{0.1, 1e-5}, a = strew.tensor{true, false}}, {separator = ";"}))
    assert.equal("0,5\n1,6\n", saved{strew.arange(2), strew.arange(5, 7)})
    assert.equal("1,2\n0,5\n1,6\n", saved({strew.arange(2), strew.arange(5, 7)}, {header = true}))
    local none = strew.zeros(0)
    assert.equal("\"\",\" \"\"x\"\"\",\"a,b\"\n", saved{[" \"x\""] = none, [""] = none, ["a,b"] = none})
    assert.equal("k\nx\n\"\"\ny\n", saved({k = strew.tensor({0, 2, 1}, "int32")}, {words = {k = {"x", "y", ""}}}))
    assert.equal("x\ny\n", saved({strew.tensor{0, 1}}, {words = {{"x", "y"}}}))
  end)

  it("is not written from invalid tables", function()
    put("old")
    local function refused(...) return (message(strew.save, path, ...):gsub("\n.*", "")) end
    local two, three = strew.arange(2), strew.arange(3)
    assert.equal("save: 'x' is of rank 3, expected rank 1 or 2", refused(strew.zeros(1, 2, 3)))
    assert.equal("save: 'x' is of rank 0, expected rank 1 or 2", refused(strew.tensor(1)))
    assert.equal("save: 'x' has no columns, expected at least 1", refused(strew.zeros(2, 0)))
    assert.equal("save: 'x' is an empty table, expected columns", refused{})
    assert.equal("save: 'x' has a column \"b\" of 3 elements, expected 2, as in the first one, \"a\"",
      refused{a = two, b = three})
    assert.equal("save: 'x' has a column \"a\" of rank 2, expected rank 1", refused{a = strew.zeros(2, 2)})
    assert.equal("save: 'x' is a sequence with a key \"a\": names and numbers do not mix", refused{two, a = two})
    assert.equal("save: 'x' has 5 at key \"a\", expected a tensor", refused{a = 5})
    assert.equal("save: 'x' has true, expected a string", refused{[true] = two})
    assert.equal("save: 'x' has \"a\" and more after a zero byte, which no file can hold", refused{["a\0b"] = two})
    assert.equal("save: 'words' has a list of 2 for column \"a\", whose codes are 0 to 2",
      refused({a = three}, {words = {a = {"x", "y"}}}))
    assert.equal("save: 'x' has words for a column \"a\" of float32, expected an integer dtype",
      refused({a = strew.zeros(2)}, {words = {a = {"x"}}}))
    assert.equal("save: 'words' has 5 at [1] for column \"a\", expected a string",
      refused({a = two}, {words = {a = {5}}}))
    assert.matches("zero byte", refused({a = two}, {words = {a = {"x\0", "y"}}}))
    assert.equal("save: 'words' has 5 for column \"a\", expected a sequence of strings",
      refused({a = two}, {words = {a = 5}}))
    assert.equal("save: 'names' has \"b\", not found in x", refused({a = two}, {names = {"b"}}))
    assert.equal("save: 'names' has \"a\" twice", refused({a = two}, {names = {"a", "a"}}))
    assert.equal("save: 'words' is given, but x is a tensor, expected a table of columns", refused(two, {words = {}}))
    assert.equal("save: 'names' has 5, expected a string", refused({a = two}, {names = {5}}))
    assert.equal("save: 'names' is 5, expected a table", refused({a = two}, {names = 5}))
    assert.equal("save: 'names' is given, but x is a sequence, which has none", refused({two}, {names = {"a"}}))
    assert.equal("save: 'x' has 5 at key 2, expected a tensor", refused{two, 5})
    assert.equal("save: 'x' is 5, expected a tensor", refused(5))
    assert.equal("save: 'separator' is 5, expected a string", refused({a = two}, {separator = 5}))
    assert.equal("save: 'separator' is \"\", expected a single character", refused({a = two}, {separator = "\0"}))
    assert.equal("save: 'names' is given, but x is a tensor, expected a table of columns",
      refused(two, {names = {"a"}}))
    assert.equal("save: 'header' is true, but a tensor has no column names: save a table",
      refused(two, {header = true}))
    assert.is_truthy(refused(two, {map = true}):find "^save: 'options' has unknown key \"map\", expected ")
    local freed = strew.arange(2)
    freed:free()
    assert.equal("save: 'x' has a tensor that was freed at key \"a\"", refused{a = freed})
    assert.equal("old", get())
    assert.equal("save: 'x' has no names, which .npz files need",
      (message(strew.save, path:gsub("csv$", "npz"), {two}):gsub("\n.*", "")))
  end)

  it("is the same after saving and loading", function()
    math.randomseed(7)
    local random = math.random
    local letters = {"a", "b", "\"", ",", ";", "\n", "\r", " ", "é", "-", "1"}
    local function word(i)
      local parts = {}
      for k = 1, random(0, 6) do parts[k] = letters[random(#letters)] end
      return "w" .. table.concat(parts) .. i
    end
    strew.manual_seed(7)
    for turn = 1, 60 do
      local rows, columns, words, names = random(0, 40), {}, {}, {}
      for i = 1, random(1, 8) do
        local name = word(i)
        names[i] = name
        local kind = rows == 0 and 1 or random(4)
        if kind == 1 then columns[name] = strew.randn(rows, {dtype = "float64"}) * 10.0 ^ random(-30, 30)
        elseif kind == 2 then columns[name] = strew.randint(-1000, 1000, {rows})
        elseif kind == 3 then columns[name] = strew.randn(rows):to("float64")
        else
          local list = {}
          for k = 1, random(1, 9) do list[k] = word(k) end
          columns[name] = strew.arange(rows) % #list
          words[name] = {table.unpack(list, 1, math.min(#list, rows))}
        end
      end
      local options = {names = names, words = words, separator = random(2) == 1 and ";" or nil}
      save(columns, options)
      local back = strew.load(path, {header = true, separator = options.separator})
      assert.same(names, getmetatable(back).__index.names)
      assert.same(words, strew.words(back))
      for name, column in pairs(columns) do
        local own = rawget(back, name)
        if words[name] then own = own:codes():to("int64") end
        assert.equal(support.text(column), support.text(own), turn .. name)
        assert.is_true(strew.equal(column, own), turn .. name)
      end
    end
  end)
end)
