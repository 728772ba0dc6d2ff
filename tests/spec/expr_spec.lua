-- Expressions: random texts against the calls one by one; in place of tensors, of tables; gradients, errors, limits.
-- devices: no, each random text would compile a kernel; the digest has expressions, and check_programs runs there.
local strew = require "strew"
local support, drawn = dofile "tests/spec/support.lua", dofile "tests/calls.lua"

local random, any = math.random, drawn.any
local fewer = support.runs_all and 1 or 5

local function hash_of(...) return drawn.hash(drawn.no_value, {...}) end

------------------------------------------------------------------------------------------------- names of functions

-- Element k of their result depends on element k of the operands alone, but they compute nothing of one element.
local NO_COMPUTATION = {bernoulli = true, bucketize = true, cat = true, choice = true, clone = true, contiguous = true,
  copy = true, detach = true, normal = true, poisson = true, shuffle = true, uniform = true,
  concat = true, concatenate = true, empty_like = true, expand_as = true, flatten = true, full_like = true, isin = true,
  ones_like = true, zeros_like = true, slice_scatter = true, t = true, tensor = true, zero = true, show = true,
  view = true, text = true, time = true, fillna = true, shift = true, ffill = true, bfill = true, interpolate = true,
  share = true, pct_change = true, rank = true, duplicated = true, drop_duplicates = true, dropna = true, drop = true,
  rename = true, sample = true}

-- True if every element of f's result is what f gives for that element of the arguments by itself.
local function is_elementwise(f, arguments)
  local function parts(from, count)
    local own = {}
    for i, a in ipairs(arguments) do own[i] = type(a) == "number" and a or a:narrow(0, from, count):clone() end
    return f(table.unpack(own))
  end
  local whole = parts(0, 4)
  for k = 0, 3 do
    if not strew.equal(parts(k, 1), whole:narrow(0, k, 1)) then return false end
  end
  return true
end

describe("texts", function()
  it("know every elementwise function of the module", function()
    local x, y = strew.tensor{0.5, 2, 0.25, 1}, strew.tensor{0.5, 1, 3, -1}
    local i, j = strew.tensor{5, 2, 3, 1}, strew.tensor{1, 2, 4, 2}
    local a, b = strew.tensor{true, false, true, true}, strew.tensor{true, true, false, true}
    local calls, known = {{x}, {i}, {a}, {x, y}, {i, j}, {a, b}, {x, 0, 1}, {a, x, y}, {x, a, 3}}, 0
    for name, f in pairs(strew) do
      for _, arguments in ipairs(type(f) == "function" and not NO_COMPUTATION[name] and calls or {}) do
        local _, is = pcall(is_elementwise, f, arguments)
        if is == true and not name:find "_$" then
          known = known + 1
          local _, problem = pcall(strew.expr, name .. "(x)")
          assert.is_nil(tostring(problem):find("which is no elementwise", 1, true), name)
        end
      end
    end
    assert.is_true(known > 50, known .. " calls")
  end)

  it("compute what those functions give", function()
    local x, y = strew.tensor{-1.5, 0, 0.25, 3}, strew.tensor{0.5, 1, -3, 2}
    for _, text in ipairs {"square(x)", "reciprocal(x)", "trunc(x)", "silu(x)", "softplus(x)", "elu(x)", "elu(x, 0.5)",
      "leaky_relu(x)", "leaky_relu(x, 2)", "lerp(x, y, 0.25)", "heaviside(x, y)", "logical_xor(x, y)"} do
      local by_call = assert(load("local strew, x, y = ... return strew." .. text))(strew, x, y)
      assert.is_true(strew.equal(strew.expr(text)(text:find "y" and {x = x, y = y} or {x = x}), by_call), text)
    end
    assert.is_true(strew.allclose(strew.expr("silu(x) * 2"){x = x}, x * strew.sigmoid(x) * 2))
  end)
end)

describe("reductions without NaN", function()
  local nan <const> = 0 / 0
  local NAMES <const> = {"nansum", "nanmean", "nanmax", "nanmin", "nanstd"}

  it("give what the calls give", function()
    local halves = strew.full({70000}, 3.25, {dtype = "float16"})
    for _, dtype in ipairs{"float32", "float16", "bfloat16", "int32", "bool"} do
      local x = strew.tensor({{1, nan, 5}, {2, nan, 0.5}, {nan, nan, -7}})
      x = strew.to(dtype == "int32" and x:nan_to_num(3) or dtype == "bool" and x:eq(x) or x, dtype)
      for _, name in ipairs(NAMES) do
        for _, options in ipairs{{""}, {", 0", 0}, {", -1, true", -1, true}, {", 1, false", 1, false}} do
          local f = strew.expr(name .. "(x" .. options[1] .. ")")
          local ok, expected = pcall(strew[name], x, options[2], options[3])
          local is_made, got = pcall(f, {x = x})
          assert.equal(ok, is_made, f.text .. dtype)
          if ok then assert.equal(tostring(expected), tostring(got), f.text) end
        end
      end
    end
    assert.equal(3.25, strew.expr("nanmean(x)"){x = halves}:item())
    assert.equal(-1 / 0, strew.expr("nanmax(x)"){x = strew.tensor{-1 / 0, nan}}:item())
  end)

  it("choose rows of numbers, words and times", function()
    local x = {v = strew.tensor{1, nan, 5, 2}, i = strew.tensor({1, 2, 3, 4}, {dtype = "int32"}),
      t = strew.time{"2024-01-01", "", "2024-02-01", "2024-01-05"}, w = strew.text{"a", "", "c", "b"}}
    for text, rows in pairs{["v == nanmax(v)"] = {3}, ["v > nanmean(v)"] = {3}, ["v == nanmin(v)"] = {1},
      ["v - nanmean(v) > nanstd(v)"] = {3}, ["i == nanmax(i)"] = {4}, ["i > nanmean(i)"] = {3, 4},
      ["t == nanmax(t)"] = {3}, ["t == nanmin(t) and t == t"] = {1}, ["t > nanmean(t)"] = {3},
      ["t == nanmin(t) or t == nanmax(t)"] = {1, 3}, ["w == nanmax(w)"] = {3}, ["v < nansum(v, 0, true) / 4"] = {1},
      ["(v - nanmin(v)) / (nanmax(v) - nanmin(v)) > 0.2"] = {3, 4}} do
      assert.same(rows, strew.rows(x, text).i:tolist(), text)
    end
  end)

  it("have the calls' gradients", function()
    local x = strew.tensor{{1, nan, 5}, {2, 4, 3}, {nan, 1, 7}}
    for _, name in ipairs(NAMES) do
      local f = strew.expr(name .. "(x, 1)")
      local got = strew.grad(function(t) return f{x = t}:sum() end)(x)
      local expected = strew.grad(function(t) return strew[name](t, 1):sum() end)(x)
      assert.is_true(strew.allclose(got, expected), name)
    end
  end)
end)

describe("calls in texts", function()
  local nan <const> = 0 / 0
  local f <const> = strew.tensor({1.26, nan, 2.5, 9.04}, {dtype = "float32"})
  local x = {v = strew.tensor{1, 2, 3, 10}, f = f, b = strew.tensor{true, false, true, true},
    t = strew.time{"2024-01-01", "2024-01-03", "", "2024-01-05"}, w = strew.text{"a", "b", "c", "d"}}

  it("have the medians of tables for columns, the lower ones for tensors", function()
    for text, rows in pairs{["v > median(v)"] = {3, 10}, ["v - median(v) > 0.5"] = {10},
      ["f >= nanmedian(f)"] = {3, 10},
      ["f == median(f)"] = {}, ["t > nanmedian(t)"] = {10}, ["t > median(t)"] = {}, ["b == nanmedian(b)"] = {1, 3, 10},
      ["v / median(v, 0, true) == 4"] = {10}, ["w > 'a' and v < median(v)"] = {2}} do
      assert.same(rows, strew.rows(x, text).v:tolist(), text)
    end
    local m = strew.tensor{{3.0, 1, nan, 2}, {4, 4, 5, 7}}
    for text, expected in pairs{["median(m)"] = "float32[] nan", ["nanmedian(m)"] = "float32[] 4.0",
      ["median(m, 1)"] = "float32[2] {nan, 4.0}", ["nanmedian(m, 1, true)"] = "float32[2, 1] {{2.0}, {4.0}}",
      ["nanmedian(m, -2)"] = "float32[4] {3.0, 1.0, 5.0, 2.0}", ["median(m[k])"] = "float32[] 4.0",
      ["median(k)"] = "int64[] 1", ["m - nanmedian(m, 1, true) == 0"] = "bool[2, 4] {{false, false, false, true}, "
        .. "{true, true, false, false}}"} do
      local inputs = {m = m, k = strew.tensor{1, 1}}
      assert.equal(expected, support.text(strew.expr(text)(inputs)), text)
      local e = expected:find "^float" and strew.expr(text):with(inputs)
      if e then assert.equal(expected, support.text(e:clone()), text) end
    end
    if support.lacks_float64 then return end
    for text, expected in pairs{["median(m)"] = 2.5, ["median(m, 0)"] = 2.5, ["nanmedian(f, 0, true)"] = 2.5,
      ["median(b)"] = 1.0, ["median(m, -1) + 0 * m"] = 2.5} do
      local c = strew.table{m = x.v, f = f, b = x.b}
      assert.equal(expected, strew.expr(text)(c):to("float64"):flatten()[0], text)
    end
    assert.equal("float64[2, 1] {{1.5}, {3.5}}",
      support.text(strew.expr("median(m, 1, true)")(strew.table{m = strew.tensor{{1, 2}, {3, 4}}})))
    assert.equal("float64[] nan",
      support.text(strew.expr("median(m)")(strew.table{m = strew.zeros(0, {dtype = "int64"})})))
  end)

  it("leave the rest of a text its dtypes", function()
    local n = strew.tensor{1, 2, 4}
    for _, text in ipairs{"n / 3", "n * 0.1", "sqrt(n)", "where(n > 1, n, 0.5)", "mean(n)", "n // 2", "n % 3 == 1",
      "nanmean(n) + n", "clamp(n, 1.5)", "not (n > 1) or n == 4"} do
      local own = strew.expr(text)(strew.table{n = n})
      local called = strew.expr("where(round(n, 0) == n, " .. text .. ", " .. text .. ")")(strew.table{n = n})
      assert.equal(own.dtype, called.dtype, text)
      assert.is_true(strew.equal(own:expand(3), called), text)
    end
  end)

  it("have the calls' gradients, errors and places", function()
    local t = strew.tensor{1.0, 5, 2, 7}
    local got = strew.grad(function(y) return strew.expr("sum(y * median(y))"){y = y} end)(t)
    assert.is_true(strew.equal(got, strew.grad(function(y) return (y * y:median()):sum() end)(t)))
    for code, message in pairs{["rows(x, 'w > median(w)')"] = "median: 'self' is text, median takes numbers\n"
        .. "  text  w > median(w)\n            ^^^^^^",
      ["expr('round(b, -1)')(x)"] = "round: 'self' is bool, round takes integers and floats\n",
      ["reduction{init = 0, combine = 'acc + round(x, 1)'}"] = "'combine' has a call, expected operations on one"} do
      local call = load("return strew." .. code, code, "t", {strew = strew, x = x})
      assert.matches(message, support.message(call), 1, true)
    end
  end)
end)

describe("round with digits", function()
  local inf <const>, nan <const> = math.huge, 0 / 0

  it("has NumPy's values", function()
    for _, row in ipairs{
      {"float64", 2, {1.005, 2.675, -0.125, 0.375, 1e308, inf, nan, -0.004},
        {1.0, 2.68, -0.12, 0.38, 1e308, inf, nan, -0.0}},
      {"float64", 1, {0.25, 0.35, -2.45, 1e16}, {0.2, 0.4, -2.4, 1e16}},
      {"float64", -2, {150, 250, 1249.5, -350, inf}, {200, 200, 1200, -400, inf}},
      {"float64", 400, {1.5, inf}, {1.5, inf}}, {"float64", -400, {1.5, -1e308}, {0, -0.0}},
      {"float32", 2, {0.125, 2.5, 3.14159}, {0.12, 2.5, 3.14}}, {"float32", 0, {0.5, 1.5}, {0, 2}},
      {"float32", -1, {15, 25, 26.1}, {20, 20, 30}}, {"float32", 39, {1.5}, {1.5}},
      {"float16", 1, {1.25, 60000}, {1.2, 60000}}, {"bfloat16", 0, {2.5}, {2}},
      {"int64", -1, {15, 25, 35, -15, -25, 14, 16, 9007199254740995}, {20, 20, 40, -20, -20, 10, 20, 9007199254741000}},
      {"int64", -18, {math.maxinteger, 500000000000000000, 1500000000000000000}, {9000000000000000000, 0, 2 * 10 ^ 18}},
      {"int32", 2, {15, -15}, {15, -15}}, {"int32", -10, {5, math.maxinteger >> 32}, {0, 0}},
      {"int8", -1, {55, 65, -128}, {60, 60, 126}}, {"uint8", -3, {255}, {0}}, {"uint64", -1, {15, 25}, {20, 20}},
      {"uint16", -2, {150, 250, 65449}, {200, 200, 65400}},
    } do
      local dtype, digits = row[1], row[2]
      if dtype ~= "float64" or not support.lacks_float64 then
        local t, expected = strew.tensor(row[3], {dtype = dtype}), strew.tensor(row[4], {dtype = dtype})
        local what = dtype .. " " .. digits
        for _, got in ipairs{t:round(digits), strew.round(t, digits), t:round{digits = digits},
          t:clone():round_(digits),
          strew.expr("round(t, " .. digits .. ")"){t = t}} do
          assert.equal(support.text(expected), support.text(got), what)
        end
      end
    end
    assert.equal("float32[] 1.2", support.text(strew.tensor(1.24):round(1)):gsub("1.2000%d+", "1.2"))
    assert.equal("int64[0] {}", support.text(strew.zeros(0, {dtype = "int64"}):round(-1)))
    assert.equal("int64[2, 1] {{20}, {40}}", support.text(strew.tensor{{15, 35}}:t():round(-1)))
  end)

  it("of digits that integers have not, and of others, are errors", function()
    support.fail({
      {"t:round(-19)", "round: 'digits' is -19, expected -18 or more for integers\n  self  int64[1] cpu"},
      {"t:round(1.5)", "round: 'digits' is 1.5, expected an integer"},
      {"t:round{decimals = 2}", "round: 'options' has unknown key \"decimals\", expected digits"},
    }, {t = strew.tensor{1}})
  end)
end)

-------------------------------------------------------------------------------------------------------- random texts

-- A text, and Lua code that makes the calls of it one by one; Lua's own grammar groups the operators of both.
-- depth: how deep it is nested. Numbers of operands: x, y, z; of bools: m; k is a number.
local number, condition

local UNARY = {"abs", "floor", "ceil", "round", "relu", "exp", "log", "sqrt", "rsqrt", "sin", "cos", "tanh", "sigmoid",
  "log2", "log10", "log1p", "expm1", "sign", "tan", "asin", "acos", "atan", "sinh", "cosh", "asinh", "acosh", "atanh",
  "exp2", "erf", "erfc", "gelu", "cbrt", "gelu_tanh", "positive", "signbit"}
local BINARY = {"minimum", "maximum", "add", "sub", "mul", "div", "floor_divide", "remainder", "pow", "atan2", "hypot",
  "logaddexp", "nextafter", "fmod", "copysign", "bitwise_left_shift", "bitwise_right_shift", "gcd", "lcm"}
local OPERATORS = {"+", "-", "*", "/", "//", "%", "^", "&", "|", "~"}
local COMPARED = {["=="] = "eq", ["~="] = "ne", ["<"] = "lt", ["<="] = "le", [">"] = "gt", [">="] = "ge"}
local FOLDS = {"sum", "mean", "var", "std", "min", "max", "amin", "amax", "prod"}
local DTYPES = drawn.dtypes

local function call(name, ...)
  local texts, codes = {}, {}
  for i, part in ipairs{...} do texts[i], codes[i] = part[1], part[2] end
  return {name .. "(" .. table.concat(texts, ", ") .. ")", "strew." .. name .. "(" .. table.concat(codes, ", ") .. ")"}
end

local function same(text) return {text, text} end

local forms = {
  function() return same(any{"x", "y", "z", "x", "y"}) end,
  function(d) return call(any(UNARY), number(d)) end,
  function(d) return call(any(BINARY), number(d), number(d)) end,
  function(d)
    local a, b, op = number(d), number(d), " " .. any(OPERATORS) .. " "
    return {a[1] .. op .. b[1], a[2] .. op .. b[2]}
  end,
  function(d) local a = number(d) return {"(" .. a[1] .. ")", "(" .. a[2] .. ")"} end,
  function(d) local a = number(d) return {"- " .. a[1], "- " .. a[2]} end,
  function(d) local a, n = number(d), any{"2", "0.5", "k", "-3", "0x10", "1e3", "7 // 2", "2 ^ 3"}
    return {a[1] .. " * " .. n, a[2] .. " * " .. n} end,
  function(d) return call("where", condition(d), number(d), number(d)) end,
  function(d) local a, low, high = number(d), same "-1", same "2"
    return {call("clamp", a, low, high)[1], call("clamp", a, low, high)[2]} end,
  function(d) local a, bound = number(d), same(any{"-1", "k"}) return call("clamp", a, bound) end,
  function(d) return call("nan_to_num", number(d)) end,
  function(d) local a, n = number(d), same(any{"1", "k"}) return call("nan_to_num", a, n, same "4", same "-2") end,
  function(d) local a, m = number(d), condition(d) return call("masked_fill", a, m, same "1") end,
  function(d) local a, dtype = number(d), any(DTYPES)
    return {dtype .. "(" .. a[1] .. ")", ("strew.to(%s, %q)"):format(a[2], dtype)} end,
  function(d) return call(any(FOLDS), number(d)) end,
  function(d) local a, fold, dim = number(d), any(FOLDS), any{"0", "-1"}
    return {("%s(%s, %s, true)"):format(fold, a[1], dim), ("(strew.%s(%s, %s, true))"):format(fold, a[2], dim)} end,
  function(d) local a = number(d)
    return {"(" .. a[1] .. ")[i]", "(" .. a[2] .. ")[i]"} end,
}

function number(depth)
  if depth == 0 then return forms[1]() end
  return forms[random(#forms)](depth - 1)
end

local conditions = {
  function() return same "m" end,
  function(d) local a, b, op = number(d), number(d), any{"==", "~=", "<", "<=", ">", ">="}
    return {("(%s %s %s)"):format(a[1], op, b[1]), ("strew.%s(%s, %s)"):format(COMPARED[op], a[2], b[2])} end,
  function(d) local a, b, op = condition(d), condition(d), any{"and", "or"}
    return {("(%s %s %s)"):format(a[1], op, b[1]), ("strew.logical_%s(%s, %s)"):format(op, a[2], b[2])} end,
  function(d) local a = condition(d) return {"(not " .. a[1] .. ")", "strew.logical_not(" .. a[2] .. ")"} end,
  function(d) return call(any{"isnan", "isinf", "isfinite"}, number(d)) end,
  function(d) return call("isclose", number(d), number(d)) end,
  function(d) local a = number(d) return call("isclose", a, a, same "0.5", same "0", same "true") end,
}

function condition(depth)
  if depth == 0 then return conditions[1]() end
  return conditions[random(#conditions)](depth - 1)
end

-- Operands of the k-th case, in random dtypes and layouts.
local function operands_of(k)
  local drawn_call = drawn.draw("expr", k, strew.zeros(1).device)
  local x, y, m = drawn_call[1], drawn_call[2], drawn_call[3]
  if random(3) == 1 then y = y:to(any(DTYPES)) end
  local n = x:size(0)
  return {x = x, y = y, m = m, z = random(2) == 1 and x or strew.tensor(random(5)):to(any(DTYPES)),
          i = strew.randint(0, math.max(n, 1), {n}), k = any{2, 0.5, 3}}
end

-- Calls f; returns the hash of its result, or the code of its error.
local function result_of(f)
  local ok, result = pcall(f)
  if ok and strew.type(result) then return hash_of(result), result end
  if ok then return "number", result end
  return "error", result
end

describe("a random text", function()
  it("gives the bits of the calls one by one", function()
    local results, errors = 0, 0
    for k = 1, 3000 // fewer do
      local inputs = operands_of(k)
      local part = random(4) == 1 and condition(random(4)) or number(random(5))
      local env = setmetatable({strew = strew}, {__index = inputs})
      local one_by_one = assert(load("return " .. part[2], part[2], "t", env))
      local wanted, value = result_of(one_by_one)
      local got, made = result_of(function() return strew.expr(part[1])(inputs) end)
      if wanted == "number" then goto continue end -- of numbers alone
      if got == "error" and tostring(made):find("beside a bool", 1, true) then goto continue end -- no call is
      if wanted ~= got then
        error(("case %d: %s\n%s\n%s\n%s"):format(k, part[1], part[2], support.text(value), support.text(made)), 0)
      end
      if got == "error" then errors = errors + 1 else results = results + 1 end
      -- recorded, the nodes are computed by calls
      if got ~= "error" then
        local recorded
        pcall(strew.grad(function(a) recorded = strew.expr(part[1])(inputs) return a:sum() end), strew.ones(1))
        assert.equal(got, recorded and hash_of(recorded), part[1])
        assert.equal(got, (result_of(function() return strew.expr(part[1]):with(inputs):clone() end)), part[1])
      end
      ::continue::
    end
    assert.is_true(results > 1000 // fewer and errors > 50 // fewer, results .. " " .. errors)
  end)
end)

--------------------------------------------------------------------------------------------------------- the object

local t = {
  strew = strew, x = strew.tensor{1.0, -2.0, 3.0, 4.0}, y = strew.tensor{2, 0, 5, 1}, m = strew.tensor{true, false,
    true, true},
  g = strew.grouping(strew.tensor{1, 0, 1, 1}), i = strew.tensor{3, 0, 3}, w = strew.tensor{{1.0, 2.0}, {3.0, 4.0}},
}
t.f = strew.expr "x * 2 + y"
t.e = t.f:with{x = t.x, y = t.y}

describe("an expression", function()
  it("takes tensors that broadcast, numbers, booleans, groupings and tables", function()
    support.evaluate({
      {"f{x = x, y = y}", "float32[4] {4.0, -4.0, 11.0, 9.0}"},
      {"f{x = w, y = 1}", "float32[2, 2] {{3.0, 5.0}, {7.0, 9.0}}"},
      {"f{x = y, y = 1}", "int64[4] {5, 1, 11, 3}"}, {"f{x = y, y = 0.5}", "float32[4] {4.5, 0.5, 10.5, 2.5}"},
      {"f{x = w, y = w[0]}", "float32[2, 2] {{3.0, 6.0}, {7.0, 10.0}}"},
      {"f{x = x, y = y, other = 1}", "float32[4] {4.0, -4.0, 11.0, 9.0}"},
      {"strew.expr('where(c, x, 0)'){c = m, x = x}", "float32[4] {1.0, 0.0, 3.0, 4.0}"},
      {"strew.expr('(x > 0) == flag'){x = x, flag = true}", "bool[4] {true, false, true, true}"},
      {"strew.expr('x - mean[g]'){x = x, mean = g:mean(x), g = g}",
       "float32[4] {-1.6666667461395, 0.0, 0.33333325386047, 1.3333332538605}"},
      {"strew.expr('g'){g = g}", "int64[4] {1, 0, 1, 1}"},
      {"strew.expr('x[i]'){x = w, i = strew.tensor{1}}", "float32[1, 2] {{3.0, 4.0}}"},
      {"f(strew.columns({x = x, y = y}, {'y', 'x'}))", "float64[4] {4.0, -4.0, 11.0, 9.0}"},
      {"strew.expr('a * 2'){a = e}", "float32[4] {8.0, -8.0, 22.0, 18.0}"},
      {"strew.expr('(x - mean(x, 0, true)) / std(x, 0, true)'){x = w}",
       "float32[2, 2] {{-0.70710676908493, -0.70710676908493}, {0.70710676908493, 0.70710676908493}}"},
    }, t)
  end)

  it("writes to out, which may be an input, and goes to a device", function()
    local out = strew.zeros(4)
    assert.equal(out, t.f({x = t.x, y = t.y}, {out = out}))
    assert.equal("float32[4] {4.0, -4.0, 11.0, 9.0}", support.text(out))
    t.f({x = out, y = 1}, {out = out})
    assert.equal("float32[4] {9.0, -7.0, 23.0, 19.0}", support.text(out))
    assert.equal("cpu", t.f({x = t.x, y = t.y}, {device = "cpu"}).device)
  end)

  it("has inputs and a text, and prints", function()
    assert.same({"b", "a", "c_1"}, strew.expr("b + a * b - exp(c_1)").inputs)
    assert.equal(" x*2 ", strew.expr(" x*2 ").text)
    assert.equal("expression of x, y: x * 2 + y", tostring(t.f))
    assert.equal("expression of x, y: x * 2 + y, float32[4]", tostring(t.e))
    assert.equal("expression: 1 + 2", tostring(strew.expr "1 + 2"))
    assert.equal("expression of x, y: x * 2 + y", tostring(t.f:with{x = strew.ones(2), y = strew.ones(3)}))
    t.f.inputs[1] = "z"
    assert.same({"x", "y"}, t.f.inputs)
    assert.is_nil(strew.type(t.f))
    assert.is_nil(strew.type(t.e))
  end)

  it("has help, as its maker has", function()
    for _, topic in ipairs{t.f, t.e, strew.reduction{init = 0, combine = "acc + x"}} do
      assert.same({}, {strew.help(topic)})
    end
    assert.equal("help: 'name' is 3, expected a string", support.message(function() strew.help(3) end))
  end)

  it("frees its memory", function()
    collectgarbage() collectgarbage()
    local before = strew.memory()
    for _ = 1, 200 do
      local e = strew.expr("a * 2 + sum(a)"):with{a = strew.ones(1000)}
      e:sum()
      pcall(strew.scatter, e, strew.tensor{5})
      local _ <close> = strew.expr "x"
    end
    collectgarbage() collectgarbage()
    assert.is_true(strew.memory() <= before + 1000)
    local closed
    do local f <close> = strew.expr "x * 2" closed = {f, f:with{x = t.x}} end
    assert.equal("expression: the expression is closed", support.message(closed[1], {x = t.x}))
    assert.equal("sum: the expression is closed", support.message(strew.sum, closed[2]))
    local freed = strew.ones(3)
    local e = strew.expr("a * 2"):with{a = freed}
    freed:free()
    assert.equal("add: 'a' was freed", support.message(strew.add, e, 1))
  end)
end)

------------------------------------------------------------------------------------------------- in place of a tensor

-- Calls with E where a tensor is read.
local reading = {
  "strew.scatter(E, four)", "strew.scatter(E, four, {reduce = 'max'})", "strew.scatter(E, g)",
  "strew.scatter{src = E, index = four}",
  "strew.zeros(9):scatter_add_(0, four, E)", "strew.zeros(9):scatter_(0, four, E)",
  "strew.zeros(9):scatter_reduce_(0, four, E, 'amax')", "strew.zeros(9):scatter_add(0, {index = four, src = E})",
  "strew.zeros(9):index_add_(0, four, E)", "strew.zeros(9):put_(four, E)", "strew.zeros(9):index_put_({four}, E)",
  "strew.segment_csr(E, strew.tensor{0, 1, 4})", "strew.segment_coo(E, strew.tensor{0, 0, 1, 2})",
  "strew.gather(E, 0, i)",
  "strew.zeros(4):copy_(E)", "strew.cat{E, x, E}", "strew.stack({x, E}, 1)", "x + E", "E + x", "2 - E:mul(1)",
  "x:add_(E):clone()",
  "strew.where(m, E, x)", "strew.maximum(x, E)", "x:clamp(0, E)", "E:sum(0)", "E:sum()", "E:mean(0, true)", "E:var()",
  "E:std(0)", "E:std{dim = 0, correction = 0}", "E:max()", "E:max(0)", "E:min(0, true)", "E:amax(0)", "E:amin()",
  "E:any()",
  "E:all(0)", "E:prod()", "E:argmax()", "E:argmin(0)", "strew.sum(E, {0})", "strew.sum{self = E, dim = 0}",
  "E:median()",
  "E:sort()", "E:topk(2)", "E:cumsum(0)", "strew.tensor(E)", "E:to('int64')", "strew.histc(E, 3)", "x:lt(E)",
  "strew.one_hot(E:to('int64'):abs())", "strew.group_by(E).ids", "strew.equal(E, x)", "strew.rows({a = x}, E:gt(0)).a",
  "E:reshape(2, 2)", "E:quantile(0.5)", "strew.assign({a = x}, {b = E}).b", "g:agg{a = {'sum', E}}.a",
  "E:matmul(x)", "strew.value_counts(E).count", "column(E)",
}
for _, word in ipairs{"sum", "mul", "mean", "min", "max", "std", "var", "softmax", "log_softmax", "logsumexp",
  "median", "any", "all",
  "first", "last", "nunique"} do
  table.insert(reading, ("strew.scatter_%s(E, four)"):format(word))
end
for _, word in ipairs{"sum", "mean", "prod", "min", "max", "std", "var", "median", "count", "first", "last", "any",
  "all",
  "nunique", "logsumexp", "argsort", "rank", "cumsum", "softmax", "log_softmax"} do
  table.insert(reading, ("g:%s(E)"):format(word))
end
table.insert(reading, "g:quantile(E, 0.5)")
table.insert(reading, "g:topk(E, 1)")

local function with_E(E)
  local env = {E = E, four = strew.tensor{2, 0, 2, 1}, x = t.x:clone(), g = t.g, i = t.i, m = t.m, strew = strew,
    ipairs = ipairs}
  function env.column(value)
    local table = strew.columns({x = t.x}, {"x"})
    table.y = value
    return table.y
  end
  return env
end

describe("a bound expression", function()
  it("is read in the place of a tensor by every call", function()
    for _, code in ipairs(reading) do
      local function results(E)
        local made = table.pack(pcall(load("return " .. code, code, "t", with_E(E))))
        for k = 1, made.n do made[k] = support.text(made[k]) end
        return table.concat(made, " ")
      end
      local wanted = results(t.f{x = t.x, y = t.y})
      assert.equal("true", wanted:sub(1, 4), code .. wanted)
      assert.equal(wanted, results(t.e), code)
    end
  end)

  it("is computed anew by each call, from its inputs as they are then", function()
    local a = strew.tensor{1.0, 2.0}
    local e = strew.expr("a + 1"):with{a = a}
    assert.equal(5, e:sum():item())
    a:fill_(3)
    assert.equal(8, e:sum():item())
    assert.equal("float32[2] {4.0, 4.0}", support.text(e:clone()))
  end)

  it("gives the bits of the tensor in reductions of every dtype, shape and layout", function()
    for k = 1, 600 // fewer do
      local inputs = operands_of(k)
      local f = strew.expr(any{"where(m, x, y)", "x + y", "x * y + x", "maximum(x, y)", "x", "(x > y) == m", "x[i]"})
      local e, dim = f:with(inputs), any{0, -1, 1}
      local ok, whole = pcall(f, inputs)
      for _, fold in ipairs{"sum", "mean", "var", "std", "amin", "amax", "argmin", "argmax", "any", "all", "prod",
        "max"} do
        if not ok then break end
        assert.equal((result_of(function() return whole[fold](whole) end)), (result_of(function()
          return e[fold](e) end)), f.text)
        local keeps = random(2) == 1
        local wanted, value = result_of(function() return whole[fold](whole, dim, keeps) end)
        local got, made = result_of(function() return e[fold](e, dim, keeps) end)
        assert.equal(wanted, got, ("%s of %s: %s, %s"):format(fold, f.text, tostring(value), tostring(made)))
      end
      if ok then assert.same({whole.dtype, whole.shape}, {e.dtype, e.shape}) end
    end
  end)

  it("has the dtype and shape of its values, also of folds, of tensors and of columns", function()
    for _, dtype in ipairs(drawn.dtypes) do
      local x = strew.arange(1, 5):to(dtype)
      for word in string.gmatch("sum prod mean var std amax any nansum nanmean nanstd nanmax", "%a+") do
        local f = strew.expr(word .. "(x) + " .. word .. "(x, 0, true)")
        for _, inputs in ipairs{{x = x}, strew.table{x = x}} do
          local e = f:with(inputs)
          local made, wanted = pcall(function() return {e:clone().dtype, e:clone().shape} end)
          local inferred, got = pcall(function() return {e.dtype, e.shape} end)
          assert.equal(made, inferred, f.text .. " of " .. dtype)
          if made then assert.same(wanted, got, f.text .. " of " .. dtype) end
        end
      end
    end
  end)

  it("is never written", function()
    support.fail({
      {"strew.add_(e, 1)", "add_: 'self' is a bound expression, expected a tensor"},
      {"e:add_(1)", "add_: 'self' is a bound expression, expected a tensor"},
      {"e:zero_()", "zero_: 'self' is a bound expression, expected a tensor"},
      {"e:scatter_add_(0, i, x)", "scatter_add_: 'self' is a bound expression, expected a tensor"},
      {"e:set(0, 1.0)", "set: 'self' is a bound expression, expected a tensor"},
      {"f({x = x, y = y}, {out = e})", "expression: 'out' is a bound expression, expected a tensor"},
      {"strew.scatter(x, y, {out = e})", "scatter: 'out' is a bound expression, expected a tensor"},
      {"strew.scatter(e, y, {out = e})", "scatter: 'out' is a bound expression, expected a tensor"},
    }, t, function(message) return (message:gsub(", number or boolean", ""):gsub("\n.*", "")) end)
    assert.equal("float32[4] {4.0, -4.0, 11.0, 9.0}", support.text(t.e:clone()))
  end)

  it("computes as a tensor does", function()
    local x = strew.tensor{1, 2}
    local e = strew.expr "x * 2":with{x = x}
    local wanted = {[e + 1] = x * 2 + 1, [1 - e] = 1 - x * 2, [-e] = -(x * 2), [e * e] = x * 2 * (x * 2),
                    [x ^ e] = x ^ (x * 2), [~e] = ~(x * 2), [e // 3] = x * 2 // 3}
    for own, tensor in pairs(wanted) do assert.equal(support.text(tensor), support.text(own)) end
    assert.equal(2, #e)
  end)

  it("has no other field", function()
    assert.equal("a bound expression has no 'shap'\n  hint  did you mean 'shape'?", support.message(function()
      return t.e.shap end))
    assert.equal("an expression has no 'input'\n  hint  did you mean 'inputs'?", support.message(function()
      return t.f.input end))
    assert.equal("e[i]: elements of a bound expression are not stored\n  hint  e:clone() is a tensor of its values",
      support.message(function() return t.e[0] end))
    assert.is_false((pcall(function() t.e.dtype = 1 end)))
  end)

  it("prints where an input was freed", function()
    local x = strew.ones(2)
    local e = strew.expr("x * 2"):with{x = x}
    x:free()
    assert.equal("expression of an input that was freed", tostring(e))
    assert.matches("sum: 'x' was freed", support.message(function() return e:sum() end), 1, true)
  end)
end)

--------------------------------------------------------------------------------------------------------------- tables

local path = os.tmpname() .. ".csv"
local function sales()
  support.put(path, "city,price,n,day\nOslo,2.5,3,1\nRome,4,1,2\nOslo,1,7,2\nBari,3,2,1\n")
  return strew.load(path, {header = true})
end

local function columns_text(x) -- "a 1 2, b Oslo Rome"
  local parts = {}
  for _, name in ipairs(strew.columns(x)) do
    local list = rawget(x, name):tolist()
    for k, value in ipairs(list) do list[k] = type(value) == "string" and value or support.number(value) end
    table.insert(parts, name .. " " .. table.concat(list, " "))
  end
  return table.concat(parts, ", ")
end

describe("a text of columns", function()
  teardown(function() os.remove(path) end)

  it("chooses, sorts, groups and adds", function()
    local env = {s = sales(), text = columns_text, strew = strew, f = t.f, x = strew.tensor{1, 2, 3, 4}}
    support.evaluate({
      {"text(strew.rows(s, 'price > 2 and city == \"Oslo\"'))", "city Oslo, price 2.5, n 3, day 1"},
      {"text(strew.rows(s, \"city ~= 'Oslo'\"))", "city Rome Bari, price 4.0 3.0, n 1 2, day 2 1"},
      {"text(strew.rows(s, 'city == \"Paris\"'))", "city , price , n , day "},
      {"text(strew.rows(s, 'price == max(price)'))", "city Rome, price 4.0, n 1, day 2"},
      {"text(strew.rows(s, 'sum(price) > 3'))",
        "city Oslo Rome Oslo Bari, price 2.5 4.0 1.0 3.0, n 3 1 7 2, day 1 2 2 1"},
      {"tostring(strew.group_by(s, 'n % 2').keys['n % 2']:tolist()[1])", "0"},
      {"text(strew.group_by(s, {'n > 2', 'city'}):agg{total = {'sum', 'price * n'}})",
       "n > 2 false false true, city Bari Rome Oslo, total 6.0 4.0 14.5"},
      {"text(strew.sort_by(s, 'price / n'))",
        "city Oslo Oslo Bari Rome, price 1.0 2.5 3.0 4.0, n 7 3 2 1, day 2 1 1 2"},
      {"text(strew.sort_by(s, {'city', '-price'}, {true, false}))",
       "city Rome Oslo Oslo Bari, price 4.0 2.5 1.0 3.0, n 1 3 7 2, day 2 1 2 1"},
      {"text(strew.sort_by(s, 'price * n', {descending = true}))",
       "city Oslo Oslo Bari Rome, price 2.5 1.0 3.0 4.0, n 3 7 2 1, day 1 2 1 2"},
      {"text(strew.group_by(s, 'city'):agg{xy = {'sum', 'price * n'}, n = 'count', most = {'max', 'n'}})",
       "city Bari Oslo Rome, most 2 7 1, n 1 2 1, xy 6.0 14.5 4.0"},
      {"text(strew.group_by(s, 'day'):agg{share = {'sum', 'n / sum(n)', dtype = 'float64'}})",
       "day 1 2, share 0.38461538461538 0.61538461538462"},
      {"text(strew.group_by(s, 'day'):agg{late = {'any', 'city == \"Rome\"'}})", "day 1 2, late false true"},
      {"text(strew.assign(s, {total = 'price * n'}))",
       "city Oslo Rome Oslo Bari, price 2.5 4.0 1.0 3.0, n 3 1 7 2, day 1 2 2 1, total 7.5 4.0 7.0 6.0"},
      {"text(strew.columns(strew.assign(s, {b = 'c + 1', c = 'd * 2', d = 'n', a = '-b'}), {'d', 'c', 'b', 'a'}))",
       "d 3 1 7 2, c 6 2 14 4, b 7 3 15 5, a -7 -3 -15 -5"},
      {"table.concat(strew.columns(strew.assign(s, {b = 'c + 1', c = 'd * 2', d = 'n', a = '-b'})), ' ')",
       "city price n day d c b a"},
      {"text(strew.columns(strew.assign(s, {n = 'n * 10', m = 'n + 1'}), {'n', 'm'}))", "n 30 10 70 20, m 31 11 71 21"},
      {"text(strew.columns(strew.assign(s, {k = 3, ok = true, top = 'max(price)', town = 'city', v = x}), "
        .. "{'k', 'ok', 'top', 'town', 'v'}))",
       "k 3 3 3 3, ok true true true true, top 4.0 4.0 4.0 4.0, town Oslo Rome Oslo Bari, v 1 2 3 4"},
      {"text(s)", "city Oslo Rome Oslo Bari, price 2.5 4.0 1.0 3.0, n 3 1 7 2, day 1 2 2 1"},
      {"strew.rows({a = strew.tensor{1, 5}}, 'a > 2').a", "int64[1] {5}"},
      {"strew.group_by({a = strew.tensor{1, 5}, b = strew.tensor{1, 1}}, 'b'):agg{c = {'sum', 'a * 2'}}.c",
        "int64[1] {12}"},
      {"strew.expr('price * n'):with(s):sum()", support.lacks_float64 and "float32[] 24.5" or "float64[] 24.5"},
      {"f{x = s.price, y = 1}:sum()", support.lacks_float64 and "float32[] 25.0" or "float64[] 25.0"},
    }, env)
  end)

  it("finds columns with names of any kind first", function()
    local x = {["a + b"] = strew.tensor{3, 1}, a = strew.tensor{1, 2}, b = strew.tensor{5, 5}}
    assert.equal("int64[2] {1, 3}", support.text(strew.sort_by(x, "a + b")["a + b"]))
    assert.equal("int64[2] {1, 2}", support.text(strew.sort_by(x, "a+b").a))
    assert.equal("int64[1] {4}", support.text(strew.group_by(x, "b"):agg{s = {"sum", "a + b"}}.s))
    assert.equal("int64[2] {3, 1}", support.text(strew.assign(x, {c = "a + b"}).c))
  end)

  it("compares words whatever their codes", function()
    local x = strew.columns({city = strew.tensor{0, 1, 2, 1}, v = strew.arange(4)}, nil, {city = {"Rome", "Oslo",
      "Rome"}})
    assert.equal("int64[2] {0, 2}", support.text(strew.rows(x, "city == 'Rome'").v))
    assert.equal("int64[2] {1, 3}", support.text(strew.rows(x, "city == 'Oslo'").v))
    assert.equal("int64[4] {0, 1, 2, 3}", support.text(strew.rows(x, "city ~= 'Bari' or city == 'Rome'").v))
    assert.equal("int64[2] {1, 3}", support.text(strew.rows(x, "city ~= 'Rome' and 'Oslo' == city").v))
    local chunked = {}
    for chunk in strew.chunks((function() sales() return path end)(), {header = true, rows = 1}) do
      table.insert(chunked, #strew.rows(chunk, "city == 'Oslo'").n)
    end
    assert.same({1, 0, 1, 0}, chunked)
  end)

  it("compares words and times by order, and with one another", function()
    local x = strew.table{{"city", {"Oslo", "Rome", "", "Bonn"}}, {"other", {"Rome", "Rome", "x", "Bonn"}},
      {"n", {1, 2, 3, 4}}, {"ok", {true, false, true, false}},
      {"when", strew.time{"2024-05-01", "2024-04-30T23:59:59", "", "2025-01-01"}}}
    for text, expected in pairs{
      ['city < "Oslo"'] = "3 4", ['city <= "Oslo"'] = "1 3 4", ['"Oslo" < city'] = "2", ['city >= "Nowhere"'] = "1 2",
      ["city == other"] = "2 4", ["city < other"] = "1 3", ["other ~= city"] = "1 3",
      ["max(city) == city"] = "2", ["where(ok, city, other) == 'Rome'"] = "2",
      ["n > 1 and city < 'P' or city == other"] = "2 3 4",
      ['when >= "2024-05-01"'] = "1 4", ['"2024-05-01" ~= when'] = "2 3 4", ['when == "2024-05-01"'] = "1",
      ["when == when"] = "1 2 4", ["isnan(when)"] = "3", ["when - when == 0"] = "1 2 4",
      ['when + 86400 > "2024-05-02"'] = "4", ['when < "2024-06-01" and city == "Oslo"'] = "1"} do
      local rows = {}
      for k, n in ipairs(strew.rows(x, text).n:tolist()) do rows[k] = n end
      assert.equal(expected, table.concat(rows, " "), text)
    end
    local f = strew.expr "city < 'P' and n > k"
    assert.equal("bool[4] {false, false, true, true}", support.text(f{city = x.city, n = x.n, k = 1}))
    assert.equal(2, f:with{city = x.city, n = x.n, k = 1}:count_nonzero():item())
    if support.lacks_float64 then return end
    assert.equal("float64[4] {0.0, -1.0, nan, 21168000.0}", support.text(strew.expr "when - start"{when = x.when,
      start = strew.time "2024-05-01"}))
  end)

  it("has float64 where integers of 32 and 64 bits meet fractions, and tensors have float32", function()
    if support.lacks_float64 then return pending "needs float64, which the device lacks" end
    local x = strew.table{{"cents", {123456789, 16777217}}, {"half", strew.tensor{0.5, 16777216}}, {"ok", {true,
      false}},
      {"k", {1, 1}}, {"city", {"a", "b"}}, {"when", strew.time{"2024-05-01", "2024-05-02"}}}
    for _, dtype in ipairs{"int32", "uint32", "uint64", "int16", "uint8"} do
      x[dtype] = strew.tensor({dtype:find "[36][24]$" and 16777217 or 77, 3}, {dtype = dtype})
    end
    -- the text, its values in columns, and the dtype of the same text with tensors
    local rows = {
      {"cents / 100", "float64 1234567.89 167772.17", "float32"}, {"cents * 0.01", "float64 1234567.89 167772.17",
        "float32"}, {"0.5 - cents", "float64 -123456788.5 -16777216.5", "float32"},
      {"int32 / 2", "float64 8388608.5 1.5", "float32"}, {"uint32 * 0.5", "float64 8388608.5 1.5", "float32"},
      {"uint64 / 2", "float64 8388608.5 1.5", "float32"}, {"int16 / 2", "float32 38.5 1.5", "float32"},
      {"uint8 * 0.5", "float32 38.5 1.5", "float32"}, {"uint8 / cents * 0 + cents", "float64 123456789.0 16777217.0",
        "float32"}, {"cents + half", "float64 123456789.5 33554433.0", "float32"},
      {"where(ok, cents, 0.5)", "float64 123456789.0 0.5", "float32"},
      {"where(ok, half, int32)", "float64 0.5 3.0", "float32"}, {"maximum(cents, 0.5)",
       "float64 123456789.0 16777217.0",
        "float32"}, {"clamp(cents, 0.5, 1e8)", "float64 100000000.0 16777217.0", "float32"},
      {"lerp(cents, 2, 0.5)", "float64 61728395.5 8388609.5", "float32"}, {"cents // 100.0",
       "float64 1234567.0 167772.0",
        "float32"}, {"cents // 100", "int64 1234567 167772", "int64"}, {"-cents / 4",
          "float64 -30864197.25 -4194304.25",
        "float32"}, {"sum(cents) / 4", "float64 35058501.5 35058501.5", "float32"}, {"mean(cents)",
        "float64 70117003.0 70117003.0"}, {"mean(ok)", "float64 0.5 0.5"}, {"var(uint8, 0)", "float64 2738.0 2738.0"},
      {"mean(half)", "float32 8388608.0 8388608.0", "float32"}, {"cents == half", "bool false false", "bool"},
      {"cents[k] * 0.5", "float64 8388608.5 8388608.5", "float32"}, {"float32(cents) / 100",
        "float32 1234567.875 167772.15625", "float32"}, {"where(city < 'b', cents / 100, 0.5)",
          "float64 1234567.89 0.5",
        "float32"}, {"where(max(city) == 'b', cents / 100, mean(cents))", "float64 1234567.89 167772.17"},
      {"(when - when) + cents * 0.01", "float64 1234567.89 167772.17", "float64"},
    }
    for _, row in ipairs(rows) do
      local function made(code) -- also where calls are recorded
        local y, recorded = code(), nil
        strew.grad(function(a) recorded = code() return a:sum() end)(strew.ones(1))
        assert.equal(support.text(y), support.text(recorded), row[1])
        if y:dim() == 0 then y = y:expand(2) end
        local list = y:tolist()
        for i, value in ipairs(list) do list[i] = type(value) == "number" and support.number(value)
          or tostring(value) end
        return y.dtype .. " " .. table.concat(list, " ")
      end
      assert.equal(row[2], made(function() return strew.assign(x, {y = row[1]}).y end), row[1])
      assert.equal(row[2], made(function() return strew.expr(row[1])(x) end), row[1])
      assert.equal(row[2], made(function() return strew.expr(row[1]):with(x):clone() end), row[1])
      local tensors = {}
      for _, name in ipairs(strew.columns(x)) do tensors[name] = rawget(x, name) end
      if row[3] then assert.equal(row[3], strew.expr(row[1])(tensors).dtype, row[1]) end
    end
    assert.equal(1, #strew.rows(x, "cents / 100 > 1234567.88"))
    assert.equal(1, #strew.rows(x, "cents / 100 == 167772.17"))
    local g = strew.group_by(x, "k")
    assert.equal("float64[1] {1402340.06}", support.text(g:agg{s = {"sum", "cents / 100"}}.s))
    assert.equal("float64", rawget(strew.group_by(x, "cents / 7").keys, "cents / 7").dtype)
    assert.equal("int64[2] {16777217, 123456789}", support.text(strew.sort_by(x, "cents / 3").cents))
  end)

  it("fails with what is wrong", function()
    support.fail({
      {"strew.rows(s, 'price')", "rows: 'which' gives float64, expected a condition\n"
        .. "  hint  a comparison such as (n + 1) > 0 gives bools"},
      {"strew.rows(s, 'prise > 2')", "rows: 'which' reads prise, not found in the table\n"
        .. "  text  prise > 2\n        ^^^^^\n"
        .. "  hint  did you mean 'price' for 'prise'?"},
      {"strew.rows(s, 'city > 2')", "gt: 'other' is 2, expected text or a string\n"
        .. '  self  text[4] cpu\n  text  city > 2\n             ^\n  hint  a word is a string: "Oslo"'},
      {"strew.rows(s, 'n > 0 and city == 5')", "eq: 'other' is 5, expected text or a string\n"
        .. '  self  text[4] cpu\n  text  n > 0 and city == 5\n'
        .. '                       ^^\n  hint  a word is a string: "Oslo"'},
      {"strew.expr('city + 1 > 2')(s)", "add: 'self' is text, add takes numbers\n  self  text[4] cpu\n"
        .. "  text  city + 1 > 2\n             ^"},
      {"strew.rows(s, 'city[n + 9] == \"Rome\"')", "m[i]: 'index' has value 12 at [0], out of range for dim 0 of self "
        .. "(size 4, valid 0..3)\n  self   text[4] cpu\n  index  int64[4] cpu\n"
        .. "  text   city[n + 9] == \"Rome\"\n             ^^^^^^^"},
      {"strew.rows(s, 'city == \"Rome\" and n > 0 or not city')",
        "not: 'self' is text, expected bool\n  text  city == \"Rome\" and n > 0 or not city"
        .. "\n                                    ^^^\n  hint  city ~= \"\" is a bool"},
      {"strew.rows(s, 'city ~= \"a\" and sqrt(city) > 1')", "sqrt: 'self' is text, sqrt takes numbers\n"
        .. "  self  text[4] cpu\n  text  city ~= \"a\" and sqrt(city) > 1\n                        ^^^^"},
      {"strew.rows(s, 'day == city')", "eq: 'self' is int64, expected text or a string\n"
        .. "  self   int64[4] cpu\n  other  text[4] cpu\n  text   day == city\n             ^^\n"
        .. "  hint   strew.text(day) writes numbers as words"},
      {"strew.rows(s, 'city')", "rows: 'which' gives text, expected a condition\n"
        .. "  hint  a comparison such as (n + 1) > 0 gives bools"},
      {"strew.rows(strew.assign(s, {at = strew.time{'2024-05-17', '', '', ''}}), 'at < \"May\"')",
        "lt: 'other' is \"May\", expected a time\n  self  time[4] cpu\n  text  at < \"May\"\n           ^\n"
        .. "  hint  as 2024-05-17 or 2024-05-17T12:30:00.25+02:00; format reads other forms"},
      {"strew.expr('where(day > 1, city, city)'):with(s)",
        "with: 'inputs' make text, which no bound expression has\n  hint  f(inputs) gives a tensor of it"},
      {"strew.rows(s, 'price == \"Rome\"')",
        "rows: 'which' has no words at \"price\", which the text compares with \"Rome\"\n"
        .. "  text  price == \"Rome\"\n        ^^^^^\n"
        .. "  hint  words compare with text and times alone"},
      {"strew.rows(s, 'price >')", "rows: 'text' ends, expected a value\n  text  price >\n               ^"},
      {"strew.rows(s, 3)", "rows: 'which' is 3, expected a tensor, or a condition as text\n"
        .. "  hint  strew.tensor{3}"},
      {"strew.sort_by(s, 'prise')", "sort_by: 'by' has \"prise\", not found in x\n  hint  did you mean 'price'?"},
      {"strew.sort_by(s, 'prise * 2')", "sort_by: 'by' reads prise, not found in the table\n"
        .. "  text  prise * 2\n        ^^^^^\n"
        .. "  hint  did you mean 'price' for 'prise'?"},
      {"g:agg{a = {'sum', 'prise * n'}}", "agg: 'what' reads prise, not found in the table\n"
        .. "  text  prise * n\n        ^^^^^\n"
        .. "  hint  did you mean 'price' for 'prise'?"},
      {"g:agg{a = {'sum', 'prise'}}", "agg: 'what' has \"prise\", not found in the table\n"
        .. "  hint  did you mean 'price'?"},
      {"strew.assign(s, {a = 'b', b = 'a'})", "assign: 'what' has columns that need one another: a, b, a"},
      {"strew.assign(s, {a = 'a + 1'})", "assign: 'what' has columns that need one another: a, a"},
      {"strew.assign(s, {a = 'q + 1'})", "assign: 'what' reads q, not found in the table\n"
        .. "  text  q + 1\n        ^"},
      {"strew.rows(s, 'city == Rome')", "rows: 'which' reads Rome, not found in the table\n"
        .. "  text  city == Rome\n                ^^^^\n"
        .. '  hint  a word is in quotes: "Rome"'},
      {"strew.rows(s, 'true')", "rows: 'which' has \"true\", which reads no column"},
      {"strew.assign(s, {a = '1'})", "assign: 'what' has \"1\", which reads no column\n"
        .. "  hint  a number fills a column: {name = 1}"},
      {"strew.assign(s, {a = {}})",
        "assign: 'what' has a table at key \"a\", expected a text, a tensor, a number or a boolean"},
      {"strew.assign(s, {[1] = 'n'})", "assign: 'what' has key 1, expected names of columns"},
      {"strew.assign(s, {a = strew.tensor{1}})",
        "assign: 'value' has 1 element, column \"city\" has 4 elements"},
      {"strew.assign({strew.ones(1)}, {a = '1'})", "assign: 'x' is a sequence of columns, expected names\n"
        .. "  x[1]  float32[1] cpu"},
      {"s.city = strew.arange(4); strew.rows(s, 'city == \"Rome\"')",
        "rows: 'which' has no words at \"city\", which the text compares with \"Rome\"\n"
        .. "  text  city == \"Rome\"\n        ^^^^\n"
        .. "  hint  words compare with text and times alone"},
    }, {s = sales(), g = strew.group_by(sales(), "city"), strew = strew})
  end)
end)

------------------------------------------------------------------------------------------------------------ gradients

describe("the gradient of a text", function()
  -- The text, and the same calls one by one.
  local rows = {
    {"x * y + x ^ 2", function(x, y) return x * y + x ^ 2 end}, {"exp(x) / y", function(x, y) return x:exp() / y end},
    {"where(x > 0, x, -x) * y", function(x, y) return strew.where(x:gt(0), x, -x) * y end},
    {"(x - mean(x)) / std(x)", function(x) return (x - x:mean()) / x:std() end},
    {"max(x) - min(y)", function(x, y) return x:max() - y:min() end},
    {"x - m[g]", function(x, _, m, g) return x - m[g] end},
    {"clamp(x, -1, 1) * 2 ^ 3", function(x) return x:clamp(-1, 1) * 8.0 end},
    {"x * sum(y * k, 0, true)", function(x, y) return x * (y * 0.5):sum(0, true) end},
  }
  for _, row in ipairs(rows) do
    it("is that of the calls one by one: " .. row[1], function()
      local x, y, m, g = strew.tensor{0.5, -2, 3}, strew.tensor{1.5, 4, 2}, strew.tensor{0.25, 7}, strew.tensor{1, 0, 1}
      local f, w = strew.expr(row[1]), strew.tensor{1.0, 2, 3}
      local function by_calls(a, b, c) return (row[2](a, b, c, g) * w):sum() end
      local wanted = hash_of(strew.grad(by_calls)(x, y, m))
      local function inputs(a, b, c) return {x = a, y = b, m = c, g = g, k = 0.5} end
      assert.equal(wanted, hash_of(strew.grad(function(a, b, c) return (f(inputs(a, b, c)) * w):sum() end)(x, y, m)))
      assert.equal(wanted, hash_of(strew.grad(function(a, b, c) return (w * f:with(inputs(a, b, c))):sum() end)(x, y,
        m)))
    end)
  end

  it("goes through calls that read it, and through tables", function()
    local x, ids = strew.tensor{1.0, 2, 3}, strew.tensor{0, 1, 0}
    local f = strew.expr "x * x"
    local wanted = "float32[3] {2.0, 4.0, 6.0}"
    assert.equal(wanted, support.text(strew.grad(function(a) return f:with{x = a}:sum() end)(x)))
    assert.equal(wanted, support.text(strew.grad(function(a) return strew.scatter(f:with{x = a}, ids):sum() end)(x)))
    assert.equal(wanted, support.text(strew.grad(function(a) return strew.assign({x = a},
      {y = "x * x"}).y:sum() end)(x)))
    local function agg(a) return strew.group_by({x = a, k = ids}, "k"):agg{s = {"sum", "x * x"}}.s:sum() end
    assert.equal(wanted, support.text(strew.grad(agg)(x)))
  end)
end)

--------------------------------------------------------------------------------------------------------------- errors

describe("an error", function()
  it("of the text marks the place, at the script's line", function()
    local _, message = pcall(load("\n\nlocal f = strew.expr('x + * y')", "=demo.lua", "t", {strew = strew}))
    assert.equal("demo.lua:3: expr: 'text' has '*', expected a value\n  text  x + * y\n            ^", message)
    assert.equal("argument", strew.last_error().code)
    assert.same({4}, strew.last_error().pos)
  end)

  it("of a call says what is missing or wrong", function()
    support.fail({
      {"f{x = x}", "expression: 'inputs' has no y\n  text  x * 2 + y\n                ^"},
      {"strew.expr('alpha + beta'){alpa = x, betta = x}",
        "expression: 'inputs' has no alpha, beta\n  text  alpha + beta\n        ^^^^^\n"
        .. "  hint  did you mean 'alpa' for 'alpha', 'betta' for 'beta'?"},
      {"f{x = x, y = 'a'}", "expression: 'y' is \"a\", expected a tensor, number or boolean"},
      {"f{x = x, y = {1}}", "expression: 'y' is a table, expected a tensor, number or boolean\n"
        .. "  hint  strew.tensor(y) makes a tensor of a table"},
      {"f(x)", "expression: 'inputs' is a tensor, expected a table\n  hint  f{x = t}: the inputs by their names"},
      {"f:with(3)", "with: 'inputs' is 3, expected a table"},
      {"f{x = 1, y = 2}", "expression: 'inputs' have no tensor, expected at least one\n"
        .. "  text  x * 2 + y\n              ^"},
      {"strew.expr('x[i]'){x = x, i = x}", "m[i]: 'index' is float32, expected an integer dtype\n"
        .. "  self   float32[4] cpu\n  index  float32[4] cpu\n  text   x[i]\n          ^^^\n  hint   int64(i)"},
      {"strew.expr('x[1]'){x = x}", "m[i]: 'index' is a number, expected a tensor\n"
        .. "  self  float32[4] cpu\n  text  x[1]\n         ^^^\n  hint  f{x = m[0]} takes a row as an input"},
      {"f{x = setmetatable({}, {__index = function() error 'ran' end}), y = 1}",
       "expression: 'x' is a table, expected a tensor, number or boolean"},
      {"f(setmetatable({}, {__index = function() error 'ran' end}))",
        "expression: 'inputs' has no x, y\n  text  x * 2 + y\n        ^"},
      {"f({x = x, y = y}, {device = 'cpu', out = x})", "expression: 'device' cannot be combined with 'out'\n"
        .. "  out  float32[4] cpu"},
      {"f({x = x, y = y}, {dtype = 'int64'})", "expression: 'options' has unknown key \"dtype\", expected out, device"},
      {"strew.expr('x // y'){x = y, y = y}", "floor_divide: 'other' is 0 at [1], integers cannot be divided by it\n"
        .. "  self   int64[4] cpu\n  other  int64[4] cpu\n  text   x // y\n           ^^\n"
          .. "  hint   x / y gives floats: inf or nan where it divides by 0"},
      {"strew.sum(strew.expr('x // y'):with{x = y, y = y})",
        "floor_divide: 'other' is 0 at [1], integers cannot be divided by it\n"
        .. "  self   int64[4] cpu\n  other  int64[4] cpu\n  text   x // y\n           ^^\n"
          .. "  hint   x / y gives floats: inf or nan where it divides by 0"},
      {"strew.sum(f)", "sum: 'self' is an expression, expected a tensor\n"
        .. "  hint  f(inputs) makes a tensor; f:with(inputs) stands where a call reads one"},
      {"strew.expr()", "expr: 'text' is missing, the arguments are (text)"},
      {"strew.expr(3)", "expr: 'text' is 3, expected a string"},
      {"strew.expr('x\\0y')", "expr: 'text' has a zero byte\n  text  x\n         ^"},
    }, t)
  end)

  it("says what an operator was meant to be, in texts alone, of columns, and of calls that are recorded", function()
    local inputs = {a = strew.tensor{5, 3}, b = strew.tensor{5, 3}, c = strew.tensor{5, 1}, x = strew.tensor{1.5, 2.5},
      flag = strew.tensor{true, false}, all = strew.tensor{true, true}, k = 2}
    local columns = strew.table{a = inputs.a, b = inputs.b, c = inputs.c, x = inputs.x, flag = inputs.flag,
      all = inputs.all}
    for text, hint in pairs{
      ["(a == b) == c"] = "write a == b and b == c; int64(a == b) is a number",
      ["c ~= (a < b)"] = "write c ~= a and a < b; int64(a < b) is a number",
      ["(a > x) < 3"] = "int64(a > x) is a number",
      ["(a > 1) == c"] = "int64(a > 1) is a number",
      ["(a == b and flag) == c"] = "int64(a == b and flag) is a number",
      ["~(a > 1) == x"] = "int64(~(a > 1)) is a number",
      ["not a == b"] = "write not (a == b): 'not' precedes comparisons",
      ["not flag == a"] = "write not (flag == a)",
      ["not a"] = "a ~= 0 is a bool; where(c, a, b) chooses numbers; & and | take integers",
      ["(a > 1) & 2"] = "write a > 1 and a > 2",
      ["3 | (a == 5)"] = "write a == 5 or a == 3",
      ["(a == 5) | c"] = "c ~= 0 is a bool; int64(a == 5) is a number",
      ["flag & a > 1"] = "write flag & (a > 1): & precedes comparisons",
      ["flag | x > 1"] = "write flag | (x > 1): | precedes comparisons",
      ["a > b & flag"] = "write (a > b) & flag: & precedes comparisons",
      ["a == 5 or 3"] = "write a == 5 or a == 3",
      ["flag or a == 5 or c"] = "write a == 5 or a == c; c ~= 0 is a bool",
      ["c and a == 5"] = "c ~= 0 is a bool; where(c, a, b) chooses numbers; & and | take integers",
    } do
      local function message(f) return (select(2, pcall(f)):match "hint%s+(.*)$") end
      assert.equal(hint, message(function() return strew.expr(text)(inputs) end), text)
      assert.equal(hint, message(function() return strew.rows(columns, text) end), text)
      local recorded
      strew.grad(function(y)
        recorded = message(function() return strew.expr(text)(inputs) end)
        return y:sum()
      end)(strew.ones(1))
      assert.equal(hint, recorded, text)
    end
    for text, expected in pairs{["(a > 1) == (b > 4)"] = "true false", ["flag == (a > 3)"] = "true true",
      ["(a == b) == flag"] = "true false", ["not flag == all"] = "false true", ["a & 4 ~= 0"] = "true false",
      ["c == b & 5"] = "true true", ["(a > 1) & flag"] = "true false", ["(a > 1) + (b > 4) == 2"] = "false false",
      ["flag == true"] = "true false", ["flag == 1"] = "true false", ["int64(a == b) == c"] = "false true",
      ["isnan(x) == 0"] = "true true", ["(a < b) <= (b < c)"] = "true true", ["flag & all == true"] = "true false"} do
      local made = strew.expr(text)(inputs):tolist()
      assert.equal(expected, ("%s %s"):format(made[1], made[2]), text)
    end
  end)

  it("leaves out as it was", function()
    local out = strew.zeros(4, {dtype = "int64"})
    assert.is_false((pcall(strew.expr "x // y", {x = t.y, y = t.y}, {out = out})))
    assert.equal("int64[4] {0, 0, 0, 0}", support.text(out))
  end)
end)

describe("a text", function()
  it("runs nothing of Lua", function()
    for _, text in ipairs{"print(x)", "os.exit()", "x:sum()", "(function() end)()", "x.y", "{}", "x = 1", "string",
      "load('x')",
      "x .. y", "#x", "[[x]]", "goto a", "_ENV.x", "x()", "x{1}", "x'a'"} do
      local ok, f = pcall(strew.expr, text)
      if ok then -- a name is an input
        assert.equal(text, f.inputs[1])
        assert.is_false((pcall(f, {x = t.x})), text)
      end
    end
    assert.is_false((pcall(strew.expr "math", {})))
  end)

  it("is limited in length, operations, depth and inputs, and says so", function()
    local function fails(text, pattern) assert.matches(pattern, support.message(strew.expr, text), 1, false) end
    fails(("x + "):rep(20000) .. "x", "65,?536")
    fails(("("):rep(300) .. "x" .. (")"):rep(300), "200 levels")
    fails(("-"):rep(1) .. (" -"):rep(300) .. "x", "200 levels")
    local terms = {}
    for i = 1, 1100 do terms[i] = "x * " .. i end
    fails(table.concat(terms, " + "), "1000 operations")
    for i = 1, 65 do terms[i] = "x" .. i end
    fails(table.concat(terms, " + ", 1, 65), "64 inputs")
    assert.equal(64, #strew.expr(table.concat(terms, " + ", 1, 64)).inputs)
    local inputs = {}
    for i = 1, 64 do inputs["x" .. i] = strew.tensor{1.0, i} end
    assert.equal("float32[2] {64.0, 2080.0}", support.text(strew.expr(table.concat(terms, " + ", 1, 64))(inputs)))
  end)
end)
