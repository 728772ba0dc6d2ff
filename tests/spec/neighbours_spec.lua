-- Elements beside each other within groups, and of whole columns: values of pandas 3.
local strew = require "strew"
local support = require "tests.spec.support"
local nan = 0 / 0

local function T(list, dtype) return strew.tensor(list, {dtype = dtype or "float32"}) end
local function same(expected, t)
  local list = t:tolist()
  assert.equal(#expected, #list)
  for i, x in ipairs(expected) do
    local is_same = x == list[i] or x ~= x and list[i] ~= list[i]
      or type(x) == "number" and math.abs(x - list[i]) <= 1e-6 * math.abs(x)
    assert.is_true(is_same, ("[%d] is %s, not %s"):format(i - 1, list[i], x))
  end
end

local key, v, t = strew.tensor{2, 1, 2, 1, 2, 2, 1}, T{nan, 4, 2, nan, nan, 8, 6.5}, strew.tensor{0, 0, 1, 3, 5, 9, 10}
local i, g = strew.tensor{3, 1, 4, 1, 5, 9, 2}, strew.group_by(key)

describe("neighbours within groups", function()
  it("are shifted, of each dtype", function()
    if support.lacks_float64 then return pending "without float64, which the device lacks" end
    for n, of in pairs{[1] = {nan, nan, nan, 4, 2, nan, nan}, [-1] = {2, nan, nan, 6.5, 8, nan, nan},
      [2] = {nan, nan, nan, nan, nan, 2, 4}, [0] = {nan, 4, 2, nan, nan, 8, 6.5}, [9] = T{nan}:expand(7):tolist()} do
      same(of, g:shift(v, n))
      for _, dtype in ipairs{"float16", "bfloat16"} do
        assert.equal(dtype, g:shift(v:to(dtype), n).dtype)
        same(of, g:shift(v:to(dtype), n))
      end
    end
    for _, dtype in ipairs{"int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"} do
      same({nan, nan, 3, 1, 4, 5, 1}, g:shift(i:to(dtype)))
      local kept = g:shift(i:to(dtype), 2, 7)
      assert.equal(dtype, kept.dtype)
      same({7, 7, 7, 7, 3, 4, 1}, kept)
    end
    same({nan, nan, 1, 0, 1, 1, 0}, g:shift(i:gt(2)))
    assert.same({true, true, true, false, true, true, false}, g:shift(i:gt(2), 1, true):tolist())
    local w = strew.tensor{"c", "a", "", "a", "b", "c", "d"}
    assert.same({"", "", "c", "a", "", "b", "a"}, g:shift(w):tolist())
    assert.same({"new", "new", "c", "a", "", "b", "a"}, g:shift(w, 1, "new"):tolist())
    local at = strew.time{"2024-01-01", "2024-01-02", "NaT", "2024-01-04", "2024-01-05", "2024-01-06", "2024-01-07"}
    assert.same({"NaT", "NaT", "2024-01-01", "2024-01-02", "NaT", "2024-01-05", "2024-01-04"}, g:shift(at):tolist())
    assert.equal("2020-01-01", g:shift(at, 1, "2020-01-01")[0])
    same({nan, nan, nan, 172800, nan, 86400, 259200}, g:diff(at))
  end)

  it("have differences, changes and shares", function()
    same({nan, nan, nan, nan, 2, 5, 1}, g:diff(i, 2))
    same({-1, 0, -1, -1, -4, nan, nan}, g:diff(i:to "uint8", -1))
    same({nan, nan, nan, nan, nan, nan, nan}, g:diff(v))
    same({nan, nan, 1 / 3, 0, 0.25, 0.8, 1}, g:pct_change(i))
    same({3 / 21, 0.25, 4 / 21, 0.25, 5 / 21, 9 / 21, 0.5}, g:share(i))
    same({nan, 4 / 10.5, 0.2, nan, nan, 0.8, 6.5 / 10.5}, g:share(v, {skip_nan = true}))
    same({nan, nan, nan, nan, nan, nan, nan}, g:share(v))
    same({nan, 2, 1}, strew.grouping(strew.tensor{0, 0, 0}):diff(strew.tensor{1 << 60, (1 << 60) + 2, (1 << 60) + 3}))
  end)

  it("fill gaps", function()
    if support.lacks_float64 then return pending "without float64, which the device lacks" end
    same({nan, 4, 2, 4, 2, 8, 6.5}, g:ffill(v))
    same({2, 4, 2, 6.5, 8, 8, 6.5}, g:bfill(v))
    same({nan, 4, 2, 5.25, 5, 8, 6.5}, g:interpolate(v))
    same({nan, 4, 2, 4.75, 5, 8, 6.5}, g:interpolate(v, t))
    same({nan, 4, 2, 4.75, 5, 8, 6.5}, g:interpolate(v, (t * 1000000):to "time"))
    local w = strew.tensor{"", "a", "b", "", "", "c", ""}
    assert.same({"", "a", "b", "a", "b", "c", "a"}, g:ffill(w):tolist())
    assert.same({"b", "a", "b", "", "c", "c", ""}, g:bfill(w):tolist())
    local at = strew.time{"NaT", "2024-01-02", "2024-01-01", "NaT", "NaT", "2024-01-03", "2024-01-06"}
    assert.same({"NaT", "2024-01-02", "2024-01-01", "2024-01-04", "2024-01-02", "2024-01-03", "2024-01-06"},
      g:interpolate(at):tolist())
    assert.same({"2024-01-01", "2024-01-02", "2024-01-01", "2024-01-06", "2024-01-03", "2024-01-03", "2024-01-06"},
      g:bfill(at):tolist())
    assert.same(i:tolist(), g:ffill(i):tolist())
  end)

  it("of elements without a group are missing, or stay", function()
    local some = strew.grouping(strew.tensor{-1, 1, 1, -1}, {dim_size = 4, mode = "drop"})
    local x = T{1, 2, nan, nan}
    same({nan, nan, 2, nan}, some:shift(x))
    same({nan, nan, nan, nan}, some:shift(x, -1))
    same({9, 9, 9, 9}, some:shift(x, 2, 9))
    same({1, 2, 2, nan}, some:ffill(x))
    same({1, 2, 2, nan}, some:interpolate(x))
    same({nan, 1, nan, nan}, some:share(x, {skip_nan = true}))
    for _, none in ipairs{strew.grouping(strew.tensor({}, {dtype = "int64"})),
      strew.grouping(strew.tensor({}, {dtype = "int64"}), {dim_size = 3})} do
      for _, name in ipairs{"shift", "diff", "pct_change", "ffill", "bfill", "interpolate", "share"} do
        assert.equal("float32[0] {}", support.text(none[name](none, T{})), name)
      end
    end
  end)

  it("are those of a loop", function()
    for n = 1, 40 do
      local ids = strew.randint(-1, 5, {50})
      local some, x = strew.grouping(ids, {dim_size = 5, mode = "drop"}), strew.randn(50)
      local far, last, expected = (n % 7) - 3, {}, {}
      for k = far < 0 and 49 or 0, far < 0 and 0 or 49, far < 0 and -1 or 1 do
        local own = last[ids[k]] or {}
        last[ids[k]] = own
        own[#own + 1] = x[k]
        expected[k + 1] = ids[k] >= 0 and own[#own - math.abs(far)] or nan
      end
      same(expected, some:shift(x, far))
      local gaps = x:masked_fill(x:gt(0), nan)
      last, expected = {}, {}
      for k = 0, 49 do
        if gaps[k] == gaps[k] then last[ids[k]] = gaps[k] end
        expected[k + 1] = ids[k] >= 0 and last[ids[k]] or gaps[k]
      end
      same(expected, some:ffill(gaps))
    end
  end)

  it("of whole columns", function()
    same({nan, nan, 4, 2, nan, nan, 8}, v:shift())
    same({4, 2, nan, nan, 8, 6.5, nan}, v:shift(-1))
    same({nan, nan, nan, nan, nan, nan, nan}, v:shift(9))
    same({nan, nan, 1 / 3, 0, 0.25, 8, -0.6}, i:pct_change(2))
    same({nan, 4, 2, 2, 2, 8, 6.5}, v:ffill())
    same({4, 4, 2, 8, 8, 8, 6.5}, v:bfill())
    same({nan, 4, 2, 4, 6, 8, 6.5}, v:interpolate())
    same({nan, 4, 2, 3.5, 5, 8, 6.5}, v:interpolate(t))
    same({0.12, 0.04, 0.16, 0.04, 0.2, 0.36, 0.08}, i:share())
    local large = strew.full(4, 1 << 62, {dtype = "int64"}) -- whose sum no integer holds
    for _, dtype in ipairs{"int64", "uint64"} do
      same({0.25, 0.25, 0.25, 0.25}, large:to(dtype):share())
      same({0.25, 0.25, 0.25, 0.25}, strew.group_by(strew.zeros(4, {dtype = "int64"})):share(large:to(dtype)))
    end
    assert.same({"", "a"}, strew.tensor{"a", "b"}:shift():tolist())
  end)

  it("have gradients", function()
    local weight = T{1, 2, 3, 4, 5, 6, 7}
    local x = T{1, 4, 2, 3, 5, 8, 6.5}
    for _, f in ipairs{
      function(a) return g:shift(a, 1, 0) end, function(a) return g:shift(a, -2, 0) end,
      function(a) return g:interpolate(strew.where(weight:eq(3), nan, a)) end,
      function(a) return g:ffill(strew.where(weight:eq(3), nan, a)) end, function(a) return g:share(a) end,
      function(a) return a:share() end, function(a) return g:diff(g:shift(a, 1, 0)):nan_to_num(0) end,
    } do
      local function loss(a)
        local made = f(a)
        return (made * weight:narrow(0, 0, #made)):sum()
      end
      local slopes = strew.grad(loss)(x)
      for k = 0, 6 do
        local up, down = x:clone(), x:clone()
        up[k], down[k] = x[k] + 0.01, x[k] - 0.01
        assert.is_true(math.abs((loss(up):item() - loss(down):item()) / 0.02 - slopes[k]) <= 0.02)
      end
    end
  end)

  it("are errors that say what to do", function()
    if support.lacks_float64 then return pending "without float64, which the device lacks" end
    local env = {g = g, v = v, i = i, math = math, strew = strew, w = strew.tensor{"a", "b", "c", "d", "e", "f", "g"}}
    for code, message in pairs{
      ["g:shift(i, 1, 1.5)"] = "shift: 'fill' is 1.5, which int64 cannot hold",
      ["g:shift(w, 1, 3)"] = "shift: 'fill' is 3, expected a word",
      ["g:shift(strew.time(w:codes():to 'int64'), 1, 3)"] = "shift: 'fill' is 3, expected a time",
      ["g:shift(v:narrow(0, 0, 2))"] = "shift: 'src' has 2 elements, the grouping has 7",
      ["strew.ones(2, 2):shift()"] = "shift: 'self' has 2 dimensions, expected 1",
      ["g:interpolate(v, -i)"] = "interpolate: 't' has value -4 at [2], expected ascending values in each group",
      ["v:interpolate(v)"] = "interpolate: 't' has value nan at [0], expected no missing value",
      ["v:interpolate(w)"] = "interpolate: 't' is text, expected numbers or times",
      ["g:shift(i + (1 << 60))"] = "shift: 'src' gives 1152921504606846979, which float64 cannot hold",
      ["g:diff(strew.where(i:eq(4), math.mininteger, math.maxinteger - i))"] =
        "diff: 'src' has value -9223372036854775808 at [2], expected a difference that int64 holds",
    } do
      assert.matches(message, support.message(assert(load(code, code, "t", env))), 1, true)
    end
  end)
end)
