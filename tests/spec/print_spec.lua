local strew = require "strew"
local support = dofile "tests/spec/support.lua"

-- Each row: code of the tensor, and its text.
local rows = {
  {"tensor{1.0, 0, 2}", "float32[3] cpu\n 1  0  2"},
  {"tensor(1.5)", "float32[] cpu  1.5000"},
  {"tensor(true)", "bool[] cpu  true"},
  {"tensor(-7)", "int64[] cpu  -7"},
  {"zeros(0, 3)", "float32[0, 3] cpu  (empty)"},
  {"tensor{{1, -20}, {300, 4}}", "int64[2, 2] cpu\n   1  -20\n 300    4"},
  {"tensor{true, false}", "bool[2] cpu\n  true  false"},
  {"tensor{0.5, -10.25}", "float32[2] cpu\n   0.5000  -10.2500"},
  {"tensor({0.1, 2}, {dtype = 'float16'})", "float16[2] cpu\n 0.1000  2.0000"},
  {"tensor{1.0, 1/0, -1/0, 0/0}", "float32[4] cpu\n    1   inf  -inf   nan"},
  {"tensor{-0.0, 0.0}", "float32[2] cpu\n -0   0"},
  {"tensor{-0.0, 0.5}", "float32[2] cpu\n -0.0000   0.5000"},
  {"tensor(0/0)", "float32[] cpu  nan"},
  {"tensor{0/0, 1/0}", "float32[2] cpu\n nan  inf"},
  {"zeros(2, 2)", "float32[2, 2] cpu\n 0  0\n 0  0"},
  {"tensor{0.9999, 0.0001}", "float32[2] cpu\n 9.9990e-01  1.0000e-04"},
  {"tensor{1e-45}", "float32[1] cpu\n 1.4013e-45"},
  {"tensor{0.0, 1e-10}", "float32[2] cpu\n 0.0000e+00  1.0000e-10"},
  {"tensor({1/3, 65504}, 'float16')", "float16[2] cpu\n     0.3333  65504.0000"},
  {"tensor({1/3}, 'bfloat16')", "bfloat16[1] cpu\n 0.3340"},
  {"tensor{10^8, 0.0}", "float32[2] cpu\n 100000000          0"},
  {"tensor({0, 255}, 'uint8')", "uint8[2] cpu\n   0  255"},
  {"tensor{}", "float32[0] cpu  (empty)"},
  {"zeros(2, 0, 3)", "float32[2, 0, 3] cpu  (empty)"},
  {"tensor(math.maxinteger)", "int64[] cpu  9223372036854775807"},
  {"tensor{0.5, 1/0}", "float32[2] cpu\n 0.5000     inf"},
  {"tensor{0.5, 0.00001}", "float32[2] cpu\n 5.0000e-01  1.0000e-05"},
  {"tensor{0.5, 5000.25}", "float32[2] cpu\n    0.5000  5000.2500"},
  {"tensor{0.0001001, 1e7}", "float32[2] cpu\n        0.0001  10000000.0000"},
  {"tensor{0.5, 1.5e8}", "float32[2] cpu\n 5.0000e-01  1.5000e+08"},
  {"tensor{1.0, 1e6}", "float32[2] cpu\n       1  1000000"},
  {"tensor{1795500060.0}", "float32[1] cpu\n 1.7955e+09"},
  {"tensor({1795500060, 1}, 'float64')", "float64[2] cpu\n 1795500060           1"},
  {"tensor({1795500060.25, 0}, 'float64')", "float64[2] cpu\n 1795500060.2500           0.0000"},
  {"tensor({2^53}, 'float64')", "float64[1] cpu\n 9007199254740992"},
  {"tensor({2^53 + 2}, 'float64')", "float64[1] cpu\n 9.0072e+15"},
  {"tensor({9e11, 0.5}, 'float64')", "float64[2] cpu\n 900000000000.0000             0.5000"},
  {"tensor({9.1e11, 0.5}, 'float64')", "float64[2] cpu\n 9.1000e+11  5.0000e-01"},
  {"tensor{math.mininteger, 1}", "int64[2] cpu\n -9223372036854775808                     1"},
  {"tensor{{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}}",
   "int64[2, 2, 2] cpu\n[0, :, :]\n 1  2\n 3  4\n[1, :, :]\n 5  6\n 7  8"},
  {"zeros(1, 2, 1, 2)", "float32[1, 2, 1, 2] cpu\n[0, 0, :, :]\n 0  0\n[0, 1, :, :]\n 0  0"},
  {"arange(2000)", "int64[2000] cpu\n    0     1     2  ...  1997  1998  1999"},
  {"arange(40000):view(200, 200)", [[
int64[200, 200] cpu
     0      1      2  ...    197    198    199
   200    201    202  ...    397    398    399
   400    401    402  ...    597    598    599
 ...
 39400  39401  39402  ...  39597  39598  39599
 39600  39601  39602  ...  39797  39798  39799
 39800  39801  39802  ...  39997  39998  39999]]},
  {"arange(2000):view(2, 500, 2)", [[
int64[2, 500, 2] cpu
[0, :, :]
    0     1
    2     3
    4     5
 ...
  994   995
  996   997
  998   999
[1, :, :]
 1000  1001
 1002  1003
 1004  1005
 ...
 1994  1995
 1996  1997
 1998  1999]]},
  {"arange(40)", [[
int64[40] cpu
  0   1   2   3   4   5   6   7   8   9  10  11  12  13  14  15  16  17  18  19
 20  21  22  23  24  25  26  27  28  29  30  31  32  33  34  35  36  37  38  39]]},
}

-- The text of the code's result; left out (nil) if the device lacks its dtype.
local function text_of(code)
  if support.lacks_float64 and code:find("float64", 1, true) then return nil end
  local make = assert(load("return strew." .. code, code, "t", {strew = strew, math = math}))
  return support.on_cpu(tostring(make()))
end

-- The same with these options, each time from the defaults.
local function text_with(options, code)
  strew.set_printoptions(options)
  local ok, text = pcall(text_of, code)
  strew.set_printoptions{profile = "default"}
  if not ok then error(text, 0) end
  return text
end

describe("tostring", function()
  for _, row in ipairs(rows) do
    it("shows " .. row[1], function()
      local text = text_of(row[1])
      assert.equal(text and row[2], text)
    end)
  end

  it("labels slices and marks those left out", function()
    local text = tostring(strew.zeros(20, 1, 100))
    assert.matches("\n[2, :, :]\n 0  0  0  ...  0  0  0\n...\n[17, :, :]\n", text, 1, true)
    local _, labels = text:gsub("%[%d+, :, :%]", "")
    assert.equal(6, labels)
  end)

  it("limits the output", function()
    for _, shape in ipairs{{10, 10, 10, 10, 10}, {3, 3, 3, 3, 3, 3, 3, 3}, {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}} do
      local text = tostring(strew.zeros(shape))
      assert.is_true(#text < 12000, #text)
      assert.matches("\n...\n", text, 1, true)
    end
  end)

  it("reads only the elements that it shows", function()
    local text = support.on_cpu(tostring(strew.ones(1):expand(1000000000, 1000000)))
    assert.matches("^float32%[1000000000, 1000000%] cpu\n 1  1  1", text)
  end)

  it("copies no more than those from a device", function()
    for _, case in ipairs{{"arange(1000000)", 6}, {"arange(1000000):view(1000, 1000):t()", 36},
                          {"arange(1000000):view(10, 10, 10, 10, 10, 10)", 36 * 36},
                          {"arange(900):view(30, 30)", 900}} do
      local make = assert(load("return strew." .. case[1], case[1], "t", {strew = strew}))
      local t = make()
      local before = support.read_bytes()
      local text, bytes = tostring(t), support.read_bytes() - before
      assert.matches("99", text)
      assert.equal(t.device == "cpu" and 0 or case[2] * 8, bytes, case[1]) -- the CPU copies nothing
    end
  end)

  it("shows the elements of views", function()
    assert.equal("int64[3, 2] cpu\n 1  4\n 2  5\n 3  6", text_of "tensor{{1, 2, 3}, {4, 5, 6}}:t()")
    assert.equal("int64[2] cpu\n 3  5", text_of "tensor{1, 2, 3, 4, 5}:slice(0, 2, 5, 2)")
  end)
end)

describe("set_printoptions", function()
  -- Each row: options, code of the tensor, its text.
  local settings = {
    {{precision = 2}, "tensor{0.5, 0.01}", "float32[2] cpu\n 0.50  0.01"},
    {{precision = 2}, "tensor{0.623, -0.505, -0.00908}", "float32[3] cpu\n  0.62  -0.50  -0.01"},
    {{precision = 2}, "tensor({0.5, 0.006}, 'float64')", "float64[2] cpu\n 0.50  0.01"},
    {{precision = 2}, "tensor({0.5, 0.0049}, 'float64')", "float64[2] cpu\n 5.00e-01  4.90e-03"},
    {{precision = 2}, "tensor{0.01, 5000.25}", "float32[2] cpu\n    0.01  5000.25"},
    {{precision = 17}, "tensor({1e7, 0.5}, 'float64')",
     "float64[2] cpu\n 10000000.00000000000000000         0.50000000000000000"},
    {{precision = 1}, "tensor{0.06, 8.0}", "float32[2] cpu\n 0.1  8.0"},
    {{precision = 1}, "tensor{0.04, 8.0}", "float32[2] cpu\n 4.0e-02  8.0e+00"},
    {{precision = 0}, "tensor{0.75, 3.0}", "float32[2] cpu\n 1.  3."},
    {{precision = 2}, "tensor{0.5, 0.003}", "float32[2] cpu\n 5.00e-01  3.00e-03"},
    {{precision = 0}, "tensor{0.5, 3.0}", "float32[2] cpu\n 5e-01  3e+00"},
    {{precision = 0}, "tensor{1.25, 3.0}", "float32[2] cpu\n 1.  3."},
    {{precision = 0}, "tensor{1.0, 3.0}", "float32[2] cpu\n 1  3"},
    {{precision = 8}, "tensor{0.00001}", "float32[1] cpu\n 9.99999975e-06"},
    {{precision = 17}, "tensor({0.1}, 'float64')", "float64[1] cpu\n 0.10000000000000001"},
    {{precision = 30}, "tensor{1/3}", "float32[1] cpu\n 0.333333343267440795898437500000"},
    {{threshold = 4}, "arange(8)", "int64[8] cpu\n 0  1  2  ...  5  6  7"},
    {{threshold = 8}, "arange(8)", "int64[8] cpu\n 0  1  2  3  4  5  6  7"},
    {{threshold = 0, edgeitems = 1}, "arange(27):view(3, 3, 3)", [[
int64[3, 3, 3] cpu
[0, :, :]
  0  ...   2
 ...
  6  ...   8
...
[2, :, :]
 18  ...  20
 ...
 24  ...  26]]},
    {{edgeitems = 5}, "arange(2000)", "int64[2000] cpu\n"
      .. "    0     1     2     3     4  ...  1995  1996  1997  1998  1999"},
    {{profile = "short"}, "arange(2000) / 8", "float32[2000] cpu\n   0.00    0.12  ...  249.75  249.88"},
    {{profile = "short", precision = 1, threshold = 2000}, "arange(3) / 8", "float32[3] cpu\n 0.0  0.1  0.2"},
    {{linewidth = 20}, "arange(5) / 4", "float32[5] cpu\n 0.0000  0.2500\n 0.5000  0.7500\n 1.0000"},
    {{linewidth = 1}, "arange(2) / 4", "float32[2] cpu\n 0.0000\n 0.2500"},
    {{linewidth = 20}, "arange(14).view(strew.arange(14), 2, 7) * 1000", [[
int64[2, 7] cpu
     0  ...   6000
  7000  ...  13000]]},
    {{linewidth = 12}, "arange(14):view(2, 7) * 1000", "int64[2, 7] cpu\n     0  ...\n  7000  ..."},
    {{linewidth = 10}, "arange(4):view(2, 2) * 10000", [[
int64[2, 2] cpu
     0
   10000
 20000
   30000]]},
    {{linewidth = 20}, "arange(40000):view(200, 200):narrow(0, 0, 6)", [[
int64[6, 200] cpu
    0  ...   199
  200  ...   399
  400  ...   599
  600  ...   799
  800  ...   999
 1000  ...  1199]]},
    {{linewidth = 29}, "arange(60):view(2, 2, 15)", [[
int64[2, 2, 15] cpu
[0, :, :]
  0   1   2  ...  12  13  14
 15  16  17  ...  27  28  29
[1, :, :]
 30  31  32  ...  42  43  44
 45  46  47  ...  57  58  59]]},
    {{profile = "full", linewidth = 20}, "arange(14):view(2, 7) * 1000", [[
int64[2, 7] cpu
     0   1000   2000
         3000   4000
         5000   6000
  7000   8000   9000
        10000  11000
        12000  13000]]},
    {{profile = "full", linewidth = 20}, "arange(14):view(2, 7)", [[
int64[2, 7] cpu
  0   1   2   3   4
      5   6
  7   8   9  10  11
     12  13]]},
    {{linewidth = 300}, "arange(1000, 1030)", "int64[30] cpu\n"
      .. " 1000  1001  1002  1003  1004  1005  1006  1007  1008  1009"
      .. "  1010  1011  1012  1013  1014  1015  1016  1017  1018  1019"
      .. "  1020  1021  1022  1023  1024  1025  1026  1027  1028  1029"},
  }
  it("sets them", function()
    for _, row in ipairs(settings) do
      local text = text_with(row[1], row[2])
      assert.equal(text and row[3], text, row[2])
    end
  end)

  it("keeps lines within their width", function()
    for _, width in ipairs{16, 20, 33, 80, 300} do
      for _, code in ipairs{"arange(500)", "arange(500) / 16", "rand(20, 30)", "arange(90000):view(300, 300)"} do
        for line in text_with({linewidth = width}, code):gmatch "\n([^\n]*)" do
          assert.is_true(#line <= width, ("%d: %s"):format(width, line))
        end
      end
    end
  end)

  -- Where the cells of a line end.
  local function ends(line)
    local columns = {}
    for stop in line:gmatch "%S+()" do columns[#columns + 1] = stop - 1 end
    return columns
  end

  it("wraps help at words", function()
    strew.set_printoptions{linewidth = 40}
    local print, text = _G.print, nil
    _G.print = function(page) text = page end -- luacheck: ignore
    strew.help("argmax")
    _G.print = print -- luacheck: ignore
    strew.set_printoptions{profile = "default"}
    text = text:gsub("^.-\n\n", ""):gsub("\n> .-\n\n", "\n") -- without the signatures and the example
    for line in text:gmatch("[^\n]+") do assert.is_true(#line <= 40, line) end
    assert.matches("\n  dim         integer\n      one dimension; default: the\n", text)
  end)

  it("aligns the columns of a matrix, and shows as many as a line has space for", function()
    math.randomseed(7)
    for _ = 1, 100 do
      local height, columns, width = math.random(1, 6), math.random(1, 40), math.random(30, 100)
      local t = strew.randint(-10 ^ math.random(0, 9) // 1 | 0, 9, {height, columns})
      strew.set_printoptions{linewidth = width}
      local text = tostring(t):gsub("^[^\n]*\n", "")
      strew.set_printoptions{profile = "default"}
      local list, cell = t:tolist(), 0
      for _, row in ipairs(list) do
        for _, x in ipairs(row) do cell = math.max(cell, #tostring(x)) end
      end
      local shown, first = 0, nil
      for line in text:gmatch "[^\n]+" do
        shown, first = shown + 1, first or ends(line)
        assert.same(first, ends(line))
        local texts = {}
        for word in line:gmatch "%S+" do texts[#texts + 1] = word end
        local is_whole = columns * (cell + 2) - 1 <= width
        assert.equal(not is_whole, texts[#texts // 2 + 1] == "..." or texts[#texts] == "...")
        local count = is_whole and columns or (width - 4) // (cell + 2)
        assert.equal(count + (is_whole and 0 or 1), #texts)
        local head = is_whole and count or (count + 1) // 2
        for i = 1, count do
          local at = i <= head and i or columns - count + i
          assert.equal(tostring(list[shown][at]), texts[i <= head and i or i + 1])
        end
      end
      assert.equal(height, shown)
    end
  end)

  it("aligns all lines of a matrix of which all elements are shown", function()
    for _, width in ipairs{17, 30, 79} do
      for _, code in ipairs{"arange(3000):view(30, 100)", "arange(200):view(2, 100) / 7"} do
        local text, whole = text_with({profile = "full", linewidth = width}, code), {}
        for line in text:gsub("^[^\n]*\n", ""):gmatch "[^\n]+" do
          for _, stop in ipairs(ends(line)) do whole[stop] = true end
        end
        local step, count = nil, 0
        for stop in pairs(whole) do
          count = count + 1
          if step then assert.equal(0, (stop - step) % (code:find "/" and 9 or 6)) end
          step = stop
        end
        assert.equal((width + 1) // (code:find "/" and 9 or 6), count)
      end
    end
  end)

  it("with infinite threshold shows all elements", function()
    local _, dots = text_with({threshold = math.huge}, "arange(30000):view(3, 100, 100)"):gsub("%.%.%.", "")
    assert.equal(0, dots)
    local _, numbers = text_with({profile = "full"}, "full({5, 6, 7, 8}, 9)"):gsub("9", "")
    assert.equal(5 * 6 * 7 * 8, numbers)
  end)

  it("refuses a text that is too large", function()
    assert.equal("tostring: 'self' has 10000000000 elements to show, expected at most 100000000\n"
      .. "  hint  strew.set_printoptions{profile = \"default\"} shows a summary",
      support.message(text_with, {profile = "full"}, "ones(1):expand(10000000000)"))
  end)

  it("is undone by the result of get_printoptions, and by the profile", function()
    local before = strew.get_printoptions()
    assert.same({precision = 4, threshold = 1000, edgeitems = 3, linewidth = "auto"}, before)
    strew.set_printoptions{precision = 2, threshold = math.huge, edgeitems = 7, linewidth = 100}
    assert.same({precision = 2, threshold = math.huge, edgeitems = 7, linewidth = 100}, strew.get_printoptions())
    strew.set_printoptions(before)
    assert.same(before, strew.get_printoptions())
    strew.set_printoptions{edgeitems = 1, linewidth = 20}
    strew.set_printoptions{profile = "default"}
    assert.same(before, strew.get_printoptions())
    strew.set_printoptions{}
    strew.set_printoptions()
    assert.same(before, strew.get_printoptions())
  end)

  it("names invalid options, and then changes nothing", function()
    local before = strew.get_printoptions()
    support.fail({
      {"strew.set_printoptions{precison = 1}", "set_printoptions: 'options' has unknown key \"precison\", expected "
       .. "precision, threshold, edgeitems, linewidth, profile\n  hint  did you mean 'precision'?"},
      {"strew.set_printoptions{precision = -1}", "set_printoptions: 'precision' is -1, expected 0..30"},
      {"strew.set_printoptions{precision = 31}", "set_printoptions: 'precision' is 31, expected 0..30"},
      {"strew.set_printoptions{precision = 1.5}", "set_printoptions: 'precision' is 1.5, expected an integer"},
      {"strew.set_printoptions{threshold = -1}",
       "set_printoptions: 'threshold' is -1, expected 0..9223372036854775807"},
      {"strew.set_printoptions{threshold = -math.huge}",
       "set_printoptions: 'threshold' is -inf, expected an integer"},
      {"strew.set_printoptions{edgeitems = 0}", "set_printoptions: 'edgeitems' is 0, expected 1..1073741824"},
      {"strew.set_printoptions{linewidth = 0}", "set_printoptions: 'linewidth' is 0, expected 1..1073741824"},
      {"strew.set_printoptions{linewidth = 'wide'}",
       "set_printoptions: 'linewidth' is \"wide\", expected an integer or \"auto\""},
      {"strew.set_printoptions{profile = 'ful'}", "set_printoptions: 'profile' is \"ful\", expected default, "
       .. "short or full\n  hint  did you mean 'full'?"},
      {"strew.set_printoptions{profile = 'full', precision = 2, edgeitems = 0}",
       "set_printoptions: 'edgeitems' is 0, expected 1..1073741824"},
      {"strew.set_printoptions(4)", "set_printoptions: 'options' is 4, expected a table; the arguments are "
       .. "([{precision =, threshold =, edgeitems =, linewidth =, profile =}])"},
      {"strew.get_printoptions(1)", "get_printoptions: takes no arguments, 1 given"},
    }, {strew = strew})
    assert.same(before, strew.get_printoptions())
  end)
end)
