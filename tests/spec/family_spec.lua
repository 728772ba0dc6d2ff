-- Results of each operation in Lua: tests/data/results.txt; and all forms of call agree.
local strew = require "strew"
local support = dofile "tests/spec/support.lua"
if support.lacks_float64 then
  return it("is left out", function() pending "without float64, which the device lacks" end)
end

-- The names that lines of the data may use: new tensors for each.
local function operands()
  return {
    strew = strew, nan = 0 / 0, inf = math.huge,
    a = strew.tensor{-7, 7, 0}, b = strew.tensor{2, -2, 3}, k = strew.tensor{3, 1, 3, 2},
    x = strew.tensor{-2.5, -0.5, 0.5, 1.5, 2.5}, z = strew.tensor{1.0, 0.0, 2.0},
    n = strew.tensor{0 / 0, -0.0, math.huge}, h = strew.tensor({2048, 0.5}, "float16"),
    m = strew.tensor{{3.0, 1, 2}, {1, 5, 1}}, e = strew.zeros(0, 2),
    p = strew.tensor{true, true, false}, q = strew.tensor{true, false, false},
    i8 = strew.tensor({100, -128}, "int8"), u8 = strew.tensor({200, 1}, "uint8"),
    -- the scatter family's: targets, index (w: with values out of range), values
    o = strew.tensor{10.0, 20, 30}, i = strew.tensor{0, 2, 2, 0}, w = strew.tensor{-1, 3, 0, -4},
    s = strew.tensor{1.0, 2, 3, 4}, c = strew.tensor({1, 2, 3, 4}, "int8"), f4 = strew.tensor{true, false, true, true},
  }
end

local function evaluate(code)
  return assert(load("return " .. code, code, "t", setmetatable(operands(), {__index = _G})))
end

describe("results of", function()
  local blocks
  for line in io.lines "tests/data/results.txt" do
    if line:match "^# " then
      local section = {}
      blocks = section
      it(line:sub(3), function()
        for _, block in ipairs(section) do
          local expected = table.concat(block, "\n", 2)
          local is = support.texts(evaluate(block[1])):gsub("; ", "\n")
          if is ~= expected then error(("%s\ngives\n%s\ndue\n%s"):format(block[1], is, expected), 0) end
        end
      end)
    elseif line:match "^> " then
      blocks[#blocks + 1] = {line:sub(3)}
    elseif blocks and line ~= "" then
      table.insert(blocks[#blocks], line)
    end
  end
end)

-- The operations for each operand and further arguments.
local in_place = {
  {"m", "", [[neg abs floor ceil round relu exp log log2 log10 log1p expm1 tan asin acos atan sinh cosh asinh
    acosh atanh exp2 erf erfc gelu gelu_tanh positive signbit cbrt sign sqrt rsqrt sin cos tanh sigmoid
    logical_not t squeeze zero]]},
  {"m", "2", [[add sub mul div floor_divide remainder pow eq ne lt le gt ge logical_and logical_or clamp fill
    minimum]]},
  {"m", "m + 1", [[add sub mul div atan2 hypot logaddexp fmod copysign floor_divide remainder pow eq ne lt le gt
    ge logical_and logical_or clamp copy minimum maximum]]},
  {"a", "3", "gcd lcm bitwise_left_shift bitwise_right_shift"},
  {"a", "3", "add sub mul floor_divide remainder pow bitwise_and bitwise_or bitwise_xor eq ne lt le gt ge clamp fill"},
  {"a", "b", "add sub mul floor_divide remainder bitwise_and bitwise_or bitwise_xor logical_and logical_or copy"},
  {"a", "", "neg abs floor relu sign bitwise_not logical_not zero"},
  {"p", "q", "add mul bitwise_and bitwise_or bitwise_xor logical_and logical_or eq ne copy"},
  {"m", "1", "cumsum cumprod unsqueeze"},
  {"m", "0, -1", "transpose"},
  {"m", "{2}, {3}, 1", "as_strided"},
  {"m", "p, 9", "masked_fill"},
  {"o", "0, i, s", "scatter scatter_add"},
  {"o", "0, i, 2.5, {reduce = 'mean'}", "scatter"},
  {"o", "0, w, s, {mode = 'drop'}", "scatter scatter_add"},
  {"o", "0, i, s, 'mean', {include_self = false}", "scatter_reduce"},
}
local elsewhere = {
  {"m", "", [[sum prod mean var std amin amax argmin argmax min max all any sort argsort unique nonzero flatten clone
    contiguous size dim numel stride is_contiguous]]},
  {"m", "1", "sum prod mean var std amin amax argmin argmax min max all any sort argsort topk split chunk size"},
  {"m", "-1, true", "sum prod mean var std amin amax argmin argmax min max all any sort argsort"},
  {"m", "m * 2", "min max equal allclose expand_as cat stack"},
  {"m", "3, 2", "view reshape"},
  {"m", "1, 0", "permute select get"},
  {"m", "2, -1, -1", "expand"},
  {"m", "1, 1, 2", "narrow slice"},
  {"m", "'float64'", "to"},
  {"m", "m:t()", "matmul mm"},
  {"m", "m[0]", "matmul mv"},
  {"a", "b", "dot"},
  {"p", "a, b", "where"},
  {"o", "0, i", "gather"},
  {"s", "i", "scatter scatter_sum scatter_mul scatter_mean scatter_min scatter_max"},
}

local function each(rows, check)
  for _, row in ipairs(rows) do
    local operand, arguments, names = table.unpack(row)
    for name in names:gmatch "%S+" do check(name, operand, arguments, arguments == "" and "" or ", " .. arguments) end
  end
end

local function results(code, ...)
  code = code:format(...)
  local t = table.pack(evaluate(code)())
  for i = 1, t.n do t[i] = type(t[i]) == "table" and support.texts(table.unpack, t[i]) or support.text(t[i]) end
  return table.concat(t, "; "), code
end

describe("an operation", function()
  it("is a function and a method", function()
    local function check(name, operand, arguments, more)
      local expected, code = results("strew.%s(%s%s)", name, operand, more)
      assert.equal(expected, (results("%s:%s(%s)", operand, name, arguments)), code)
    end
    each(in_place, check)
    each(elsewhere, check)
  end)

  it("in place writes the same result into self, in its dtype, and returns self", function()
    each(in_place, function(name, operand, arguments, more)
      local expected, code = results("strew.%s(%s%s):to(%s.dtype)", name, operand, more, operand)
      local method = ("%s:%s_(%s)"):format(operand, name, arguments)
      assert.equal(expected, (results(method)), code)
      assert.equal(expected, (results("strew.%s_(%s%s)", name, operand, more)), code)
      local same = ("(function() local t, old = %s, %s:view(-1) local u = t:%s_(%s) return u == t, old end)()")
        :format(operand, operand, name, arguments)
      local is_same, old = evaluate(same)()
      assert.is_true(is_same, method)
      local reshapes = name:match "squeeze" or name:match "^t" and name ~= "tanh" or name == "as_strided"
      if not reshapes then assert.equal(expected, support.text(old:view(evaluate(operand)().shape)), method) end
    end)
  end)

  it("has no in-place form if its result has another meaning", function()
    each(elsewhere, function(name)
      if name ~= "scatter" and name ~= "where" then assert.is_nil(rawget(strew, name .. "_"), name) end
    end)
  end)
end)
