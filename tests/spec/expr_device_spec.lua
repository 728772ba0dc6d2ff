-- Expressions and reductions of one's own on a device have the CPU's bits and messages, and read back no elements.
local strew = require "strew"
local support = dofile "tests/spec/support.lua"

local random = math.random
local device = strew.zeros(1).device
local rounds = tonumber(os.getenv "STREW_TEST_ROUNDS") or 12 // (tonumber(os.getenv "STREW_TEST_THIN") or 1)

local function on_cpu(inputs)
  local moved = {}
  for name, value in pairs(inputs) do
    moved[name] = type(value) == "userdata" and value:to "cpu" or value
  end
  return moved
end

local function assert_same(expected, got, what)
  if type(expected) == "table" then expected, got = expected[1], got[1] end
  got = got:to "cpu"
  assert(expected.dtype == got.dtype and table.concat(expected.shape, ",") == table.concat(got.shape, ","), what)
  assert(strew.equal(expected:isnan(), got:isnan()), what)
  assert(strew.equal(expected:nan_to_num(), got:nan_to_num()), what)
end

local function without_line(message) return (tostring(message):gsub("^%S+:%d+: ", "")) end

-- Calls f(inputs) on the device and on the CPU: both give the same, or fail alike.
local function check(what, inputs, f)
  local ok, expected = pcall(f, on_cpu(inputs))
  local fine, got = pcall(f, inputs)
  if not fine and support.lacks_float64 and tostring(got):find("float64, which device", 1, true) then return end
  assert(ok == fine, what .. ": " .. tostring(expected) .. "\n" .. tostring(got))
  if not ok then return assert.equal(without_line(expected), support.on_cpu(without_line(got)), what) end
  assert_same(expected, got, what)
end

local function values(shape, dtype) return (strew.randn(shape) * 4):to(dtype) end
local DTYPES = {"float32", "float16", "bfloat16", "int32", "int8"}
local function any_of(list) return list[random(#list)] end

-- Half of a larger tensor, or a tensor of its own.
local function layout(shape, dtype)
  if random(3) > 1 then return values(shape, dtype) end
  local larger = {table.unpack(shape)}
  larger[#larger + 1] = 2
  return values(larger, dtype):select(#shape, 1)
end

if device == "cpu" then
  it("has no device to compare with", function() print("devices: only, this compares one with the CPU") end)
  return
end

describe("expressions on a device", function()
  local TEXTS = {"x * y + 1", "(x - m[i]) / s[i]", "x > m[i]", "where(x > y, x, y * 2)", "float16(x) * y + k",
                 "int32(x * 10) // 3", "((x * 2 + 1) * x + 3) * y", "exp(-abs(x)) * y", "x + z"}
  local FOLDS = {"sum", "mean", "min", "max", "any", "all", "prod", "argmax", "argmin", "var", "std"}

  it("are stored and folded with the CPU's bits", function()
    strew.manual_seed(5)
    math.randomseed(5)
    for round = 1, rounds do
      local n, wide = random(1, 3000), random(1, 40)
      local shape = any_of{{n}, {random(1, 60), wide}, {3, random(1, 20), wide}, {2, 1500}, {n, 1}}
      local inputs = {x = layout(shape, any_of(DTYPES)), y = layout(shape, "float32"),
                      z = values({shape[#shape]}, "float32"), m = layout({9}, "float32"), s = values({9}, "float16"),
                      k = 0.5, i = strew.randint(0, 9, shape):to(any_of{"int32", "int64"})}
      local text, fold, dim = any_of(TEXTS), any_of(FOLDS), random(0, #shape) - 1
      local f, what = strew.expr(text), ("round %d: %s, %s of dim %d"):format(round, text, fold, dim)
      if round % 3 == 0 then check(what, inputs, f) end
      check(what, inputs, function(given)
        local e = f:with(given)
        if dim < 0 then return e[fold](e) end
        return e[fold](e, dim)
      end)
    end
  end)

  it("read back nothing, unless an index chooses elements", function()
    local inputs = {x = strew.rand({5000}), m = strew.rand({9}), i = strew.randint(0, 9, {5000})}
    local before = support.read_bytes()
    strew.expr "x * 2 + 1":with(inputs):sum()
    assert.equal(before, support.read_bytes())
    strew.expr "(x - m[i]) * 2":with(inputs):sum(0)
    assert.equal(before + 4, support.read_bytes())
  end)

  it("name an index out of range, and write nothing", function()
    local i, out = strew.randint(0, 9, {2, 2000}), strew.zeros({2, 2000})
    i:select(0, 1)[1234] = 9
    local inputs = {x = strew.rand({2, 2000}), m = strew.rand({9}), i = i}
    for _, text in ipairs{"x + m[i]", "(1 - m[i]) * (2 + m[i])", "1 + sum(m[i] * 2)"} do
      local f = strew.expr(text)
      check(text, inputs, f)
      check(text, inputs, function(given) return f:with(given):max(1) end)
      assert.is_false(pcall(f, inputs, {out = out}))
    end
    assert.equal(0, out:abs():max():item())
  end)
end)

describe("reductions of one's own on a device", function()
  local ROWS = {
    {init = 0.0, combine = "acc * 0.9 + x"},
    {init = {m = 0.0, n = 0}, combine = {m = "m + (x - m) / (n + 1)", n = "n + 1"}, finish = "m"},
    {init = {best = -1000.0, at = -1}, combine = {best = "maximum(best, x)", at = "where(x > best, i, at)"},
     finish = "at"},
    {init = 1, combine = "(acc * 31 + int64(x)) % 1009"},
    {init = false, combine = "acc ~= (x > 0)"},
    {init = 0.0, combine = "acc + x * w", finish = "acc / 2"},
    {init = 0, combine = "acc + 100 // int64(x)"}, -- fails for most
    {init = 0.0, combine = "acc * 0.5 + x", dtype = "float16"}}

  it("have the CPU's bits in every form", function()
    strew.manual_seed(6)
    math.randomseed(6)
    for round = 1, rounds do
      local given = ROWS[(round - 1) % #ROWS + 1]
      local n, groups, columns = random(1, 600), random(1, 40), random(1, 5)
      local r, shape = strew.reduction(given), random(2) == 1 and {n} or {n, columns}
      local is_weighted = given.combine == "acc + x * w"
      local ids = strew.randint(0, groups, {n})
      local inputs = {x = layout(shape, any_of(DTYPES)), w = layout(shape, "float32"),
                      g = strew.grouping(ids, {dim_size = groups + 2}), at = ids}
      local function of(t) return is_weighted and {x = t.x, w = t.w} or t.x end
      local what, last = ("round %d: %s"):format(round, given.finish or given.combine), #shape - 1
      check(what, inputs, function(t) return t.g:reduce(of(t), r) end)
      check(what, inputs, function(t) return t.g:scan(of(t), r) end)
      if not is_weighted then
        check(what, inputs, function(t) return t.x:reduce(r, last, round % 2 == 0) end)
        check(what, inputs, function(t) return t.x:reduce(r) end)
        check(what, inputs, function(t) return t.x:scan(r, 0) end)
        check(what, inputs, function(t) return strew.scatter(t.x, t.at, {reduce = r, dim = 0, dim_size = groups}) end)
      end
    end
  end)

  it("copy no elements to the CPU", function()
    local x, g = strew.rand({5000}), strew.grouping(strew.randint(0, 9, {5000}), {dim_size = 9})
    g:sum(x)
    local r, before = strew.reduction(ROWS[1]), support.read_bytes()
    g:reduce(x, r)
    assert(support.read_bytes() - before <= 64, support.read_bytes() - before)
  end)
end)
