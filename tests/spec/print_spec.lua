local strew = require "strew"

-- Each row: what makes the tensor, and its text.
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
  {"tensor{0.5, 1/0}", "float32[2] cpu\n 0.5000     inf"},
  {"tensor{0.5, 0.00001}", "float32[2] cpu\n 5.0000e-01  1.0000e-05"},
  {"tensor{0.5, 1000.5}", "float32[2] cpu\n 5.0000e-01  1.0005e+03"},
  {"tensor{1.0, 1e6}", "float32[2] cpu\n       1  1000000"},
  {"tensor({1e12}, 'float64')", "float64[1] cpu\n 1.0000e+12"},
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

describe("tostring", function()
  for _, row in ipairs(rows) do
    it("shows " .. row[1], function()
      local make = assert(load("return strew." .. row[1], row[1], "t", {strew = strew, math = math}))
      assert.equal(row[2], tostring(make()))
    end)
  end

  it("labels slices and marks those left out", function()
    local text = tostring(strew.zeros(20, 1, 100))
    assert.matches("\n[2, :, :]\n 0  0  0  ...  0  0  0\n...\n[17, :, :]\n", text, 1, true)
    local _, labels = text:gsub("%[%d+, :, :%]", "")
    assert.equal(6, labels)
  end)

  it("never floods", function()
    for _, shape in ipairs{{10, 10, 10, 10, 10}, {3, 3, 3, 3, 3, 3, 3, 3}, {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}} do
      local text = tostring(strew.zeros(shape))
      assert.is_true(#text < 12000, #text)
      assert.matches("\n...\n", text, 1, true)
    end
  end)

  it("reads just what it shows", function()
    assert.matches("^float32%[1000000000, 1000000%] cpu\n 1  1  1", tostring(strew.ones(1):expand(1000000000, 1000000)))
  end)

  it("shows views as they are", function()
    assert.equal("int64[3, 2] cpu\n 1  4\n 2  5\n 3  6", tostring(strew.tensor{{1, 2, 3}, {4, 5, 6}}:t()))
    assert.equal("int64[2] cpu\n 3  5", tostring(strew.tensor{1, 2, 3, 4, 5}:slice(0, 2, 5, 2)))
  end)
end)
