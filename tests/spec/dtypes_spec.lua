-- Which dtypes each operation takes, and the dtype of its result: written out here, as users read them in the help, so
-- that a wrong cell in runtime/core/shared/tables.h is found.
-- devices: no, each pair of dtypes would compile kernels; check_copy and check_elementwise run a sample there.
local strew = require "strew"

local FLOATS = {"float32", "float64", "float16", "bfloat16"}
local INTEGERS = {"int64", "int32", "int16", "int8", "uint8"}
local SELF, FLOAT, BOOL, LONG = "self's", "float32", "bool", "int64"

-- names; result of floats, of integers and of bool (nil: an error)
local unary = {
  {"neg abs floor ceil round relu", SELF, SELF, nil},
  {"exp log log2 log10 log1p expm1 sqrt rsqrt sin cos tanh sigmoid", SELF, FLOAT, FLOAT},
  {"tan asin acos atan sinh cosh asinh acosh atanh exp2 erf erfc gelu cbrt", SELF, FLOAT, FLOAT},
  {"gelu_tanh silu softplus", SELF, FLOAT, FLOAT},
  {"sign", SELF, SELF, SELF},
  {"positive", SELF, SELF, SELF},
  {"signbit", BOOL, BOOL, BOOL},
  {"logical_not", BOOL, BOOL, BOOL},
  {"bitwise_not", nil, SELF, SELF},
}
local binary = {
  {"add mul minimum maximum", SELF, SELF, SELF},
  {"sub floor_divide remainder pow fmod", SELF, SELF, nil},
  {"div atan2 hypot logaddexp copysign", SELF, FLOAT, FLOAT},
  {"nextafter", SELF, nil, nil},
  {"eq ne lt le gt ge logical_and logical_or", BOOL, BOOL, BOOL},
  {"bitwise_and bitwise_or bitwise_xor", nil, SELF, SELF},
  {"bitwise_left_shift bitwise_right_shift gcd lcm", nil, SELF, nil},
}
local folds = {
  {"sum prod", SELF, LONG, LONG},
  {"mean var std", SELF, nil, nil},
  {"min max", SELF, SELF, SELF},
  {"argmin argmax", LONG, LONG, LONG},
  {"all any", BOOL, BOOL, BOOL},
}

-- Checks a row on the dtypes of one kind; call(name, t) returns the result.
local function check(row, dtypes, result, call)
  for name in row[1]:gmatch("%S+") do
    for _, dtype in ipairs(dtypes) do
      local fine, got = pcall(call, name, strew.ones({2, 2}, {dtype = dtype}))
      local expected = result == SELF and dtype or result or "an error"
      local shown = name .. " of " .. dtype .. ": "
      assert.equal(shown .. expected, shown .. (fine and got.dtype or "an error"))
      if not fine then assert.equal("dtype", strew.last_error().code, shown .. got) end
    end
  end
end

local function check_all(rows, call)
  for _, row in ipairs(rows) do
    check(row, FLOATS, row[2], call)
    check(row, INTEGERS, row[3], call)
    check(row, {"bool"}, row[4], call)
  end
end

describe("dtypes", function()
  it("of elementwise operations of one tensor", function()
    check_all(unary, function(name, t) return t[name](t) end)
  end)

  it("of elementwise operations of two", function()
    check_all(binary, function(name, t) return t[name](t, t) end)
  end)

  it("of folds", function()
    check_all(folds, function(name, t) return t[name](t) end)
    check_all(folds, function(name, t) return (t[name](t, 0)) end)
  end)
end)
