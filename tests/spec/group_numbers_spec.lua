-- Numbers in groups: sums, products and means of integers and bools, against exact arithmetic; groups without a number;
-- what they say of a sum that leaves 64 bits.
local strew = require "strew"
local support, loops = dofile "tests/spec/support.lua", dofile "tests/spec/loops.lua"

local nan, most, least = 0 / 0, math.maxinteger, math.mininteger
local ON_CPU = strew.zeros(1).device == "cpu"
local DTYPES = {"bool", "int8", "int16", "int32", "int64"}
local T = strew.tensor

local function same(expected, got, what) assert.equal(support.text(expected), support.text(got), what) end

-- The exact sum of integers, or nil if int64 cannot hold it: while both signs are left, they are added in turn.
local function exact_sum(list)
  local signs, sum = {[true] = {}, [false] = {}}, 0
  for _, x in ipairs(list) do table.insert(signs[x < 0], x) end
  while true do
    local x = table.remove(signs[sum >= 0]) or table.remove(signs[sum < 0])
    if not x then return sum end
    if (x < 0) == (sum < 0) and x ~= 0 and sum ~= 0 and (sum + x < 0) ~= (x < 0) then return nil end
    sum = sum + x
  end
end

-- The exact product, or nil.
local function exact_product(list)
  local product, is_zero = 1, false
  for _, x in ipairs(list) do is_zero = is_zero or x == 0 end
  if is_zero then return 0 end
  table.sort(list, function(a, b) return math.ult(math.abs(a), math.abs(b)) end)
  for _, x in ipairs(list) do
    local next = product * x
    if x == least and product ~= 1 or next // x ~= product or next % x ~= 0 then return nil end
    if product == least and x ~= 1 or (next < 0) ~= ((product < 0) ~= (x < 0)) then return nil end
    product = next
  end
  return product
end

-- Random values of a dtype in random groups: the grouping, the tensor, and the values of each group as integers.
local function draw(dtype, n, spread)
  local ids, list, members = {}, {}, {}
  local size = math.random(1, 4)
  for group = 1, size do members[group] = {} end
  for i = 1, n do
    local value = math.random(4) == 1 and math.random(-2, 2) or math.random(-spread, spread)
    list[i], ids[i] = value, math.random(0, size - 1)
    table.insert(members[ids[i] + 1], dtype == "bool" and (value > 0 and 1 or 0) or value)
    if dtype == "bool" then list[i] = value > 0 end
  end
  local g = strew.grouping(T(ids, {dtype = "int64"}), {dim_size = size})
  return g, loops.relaid(loops.tensor(list, {n}, dtype)), members
end

local SPREADS = {bool = {1}, int8 = {127}, int16 = {32767}, int32 = {(1 << 31) - 1},
  int64 = {100, 1 << 31, 1 << 40, (1 << 62) - 1, most}}

-- Compares a method with what exact arithmetic gives: a number, or nil for an error, for each group.
local function check(g, method, what, src, expected)
  local wrong
  for group = 1, g.n do
    if expected[group] == nil then wrong = wrong or group - 1 end
  end
  if not wrong then
    same(T(expected, {dtype = "int64"}), g[method](g, src))
    same(T(expected, {dtype = "int64"}), g:agg{x = {method, src}, n = "count", y = {"max", src}}.x)
    return
  end
  local message = ("'%%s' has a %s in group %d that int64 cannot hold"):format(what, wrong)
  local found = support.message(g[method], g, src)
  assert.truthy(found:find(method .. ": " .. message:format "src", 1, true), found)
  found = support.message(g.agg, g, {n = "count", m = {"max", src}, total = {method, src}})
  assert.truthy(found:find("agg: " .. message:format "total", 1, true), found)
  assert.equal("value", strew.last_error().code)
end

describe("integers in groups", function()
  it("are summed and multiplied exactly", function()
    math.randomseed(7)
    for _, dtype in ipairs(DTYPES) do
      for _, spread in ipairs(SPREADS[dtype]) do
        for _ = 1, ON_CPU and 60 or 1 do
          local g, src, members = draw(dtype, math.random(0, 9), spread)
          local sums, products = {}, {}
          for group, list in ipairs(members) do sums[group], products[group] = exact_sum(list), exact_product(list) end
          check(g, "sum", "sum", src, sums)
          check(g, "prod", "product", src, products)
        end
      end
    end
  end)

  it("are uint64 if they are, and may leave int64", function()
    math.randomseed(11)
    local function uint64(list) return T(list, {dtype = "int64"}):to("uint64") end
    local function same_bits(expected, got)
      assert.equal("uint64", got.dtype)
      same(T(expected, {dtype = "int64"}), got:to("int64"))
    end
    local function high(a, b) -- the upper half of an unsigned product
      local low, mask = a & 0xffffffff, 0xffffffff
      local first, second = low * (b & mask), (a >> 32) * (b & mask)
      local middle = (first >> 32) + (second & mask) + ((low * (b >> 32)) & mask)
      return (a >> 32) * (b >> 32) + (second >> 32) + (low * (b >> 32) >> 32) + (middle >> 32)
    end
    local function added(a, b) return not math.ult(a + b, a) and a + b or nil end
    local function multiplied(a, b) return high(a, b) == 0 and a * b or nil end
    local function joined(list, start, join)
      for _, x in ipairs(list) do
        if x == 0 and join == multiplied then return 0 end
      end
      for _, x in ipairs(list) do start = start and join(start, x) end
      return start
    end
    local function check_all(g, src, what, expected)
      local wrong
      for k = 1, g.n do wrong = wrong or not expected[k] and k - 1 or nil end
      local method <const> = what == "sum" and "sum" or "prod"
      if not wrong then
        same_bits(expected, g[method](g, src))
        same_bits(expected, g:agg{x = {method, src}, n = "count", y = {"max", src}}.x)
        return
      end
      local found = support.message(g[method], g, src)
      local message = ("'src' has a %s in group %d that uint64 cannot hold"):format(what, wrong)
      assert.truthy(found:find(message, 1, true), found)
    end
    local shifts <const> = {uint8 = {56}, uint16 = {48}, uint32 = {32}, uint64 = {0, 1, 32, 62}}
    for _ = 1, ON_CPU and 600 or 8 do
      local dtype = loops.any{"uint8", "uint16", "uint32", "uint64"}
      local n, spread, list, ids, members = math.random(0, 6), loops.any(shifts[dtype]), {}, {}, {{}, {}}
      for i = 1, n do
        list[i], ids[i] = math.random(0) >> spread, math.random(0, 1)
        table.insert(members[ids[i] + 1], list[i])
      end
      local g = strew.grouping(T(ids, {dtype = "int64"}), {dim_size = 2})
      local src = T(list, {dtype = "int64"}):to(dtype)
      local sums, products = {}, {}
      for k = 1, 2 do
        sums[k], products[k] = joined(members[k], 0, added), joined(members[k], 1, multiplied)
      end
      check_all(g, src, "sum", sums)
      check_all(g, src, "product", products)
    end

    local g, large = strew.grouping(T{0, 1, 0}), uint64{-2, 1 << 63, 1}
    same_bits({-2, 1 << 63, -1}, g:cumsum(large))
    local found = support.message(g.cumsum, g, uint64{-2, 0, 2})
    assert.truthy(found:find("group 0 at [2] that uint64 cannot hold", 1, true), found)
    same_bits({-2, 3}, g:prod(uint64{-2, 3, 1}))
    same_bits({(1 << 63) | 5, 3}, g:sum(uint64{5, 3, 0}, {out = uint64{1 << 63, 0}}))
    found = support.message(g.sum, g, large, {out = T{0, 0}})
    assert.truthy(found:find("is int64, expected uint64 or float64", 1, true), found)
    assert.truthy(support.message(g.sum, g, large, {dtype = "int64"}):find(
      "a sum in group 0 that int64 cannot hold", 1, true))
    same(T{6, 3}, g:sum(uint64{5, 3, 1}, {dtype = "int64"}))
    if ON_CPU then
      same(T({0x1p63, 0x1p63}, {dtype = "float64"}), g:mean(large))
      same(T({0x1p64, 0x1p64}, {dtype = "float64"}), g:mean(uint64{-1, -1, -1}))
      same_bits({(1 << 63) - 1, 1 << 63}, g:mean(large, {dtype = "uint64"}))
    end
  end)

  it("may leave 64 bits on the way, except of running sums", function()
    local g = strew.grouping(T{1, 1, 1, 0})
    same(T{5, most}, g:sum(T{most, 1, -1, 5}))
    same(T{5, least}, g:sum(T{least, -1, 1, 5}))
    same(T{5, 0}, g:prod(T{1 << 62, 1 << 62, 0, 5}))
    same(T{5, least}, g:prod(T{1 << 32, -1, 1 << 31, 5}))
    assert.truthy(support.message(g.prod, g, T{1 << 32, 1, 1 << 31, 5}):find("a product in group 1", 1, true))
    assert.truthy(support.message(g.prod, g, T{1 << 32, 1, 1 << 32, 5}):find("a product in group 1", 1, true))
    local found = support.message(g.cumsum, g, T{most, 1, -1, 5})
    assert.truthy(found:find("'src' has a sum in group 1 at [1] that int64 cannot hold", 1, true), found)
    same(T{most, most - 1, most, 5}, g:cumsum(T{most, -1, 1, 5}))
  end)

  it("have the same sums on any number of threads", function()
    if not ON_CPU then return end
    local n = 100000
    local ids, huge = strew.randint(0, 50, {n}), strew.randint(least // 2, most // 2, {n})
    local g = strew.grouping(ids)
    loops.same_on_threads(function()
      assert.truthy(support.message(g.sum, g, huge):find("a sum in group 0 that", 1, true))
      assert.truthy(support.message(g.prod, g, huge):find("a product in group 0 that", 1, true))
      local wide = g:agg{a = {"mean", huge}, b = {"sum", huge // (1 << 20)}, n = "count"}
      return {g:mean(huge), wide.a, wide.b}
    end)
  end)

  it("are summed in other dtypes by option", function()
    local g, v = strew.grouping(T{0, 0, 1}), T({100, 100, 3}, {dtype = "int8"})
    same(T{200, 3}, g:sum(v, {dtype = "int64"}))
    assert.equal("sum: 'src' has a sum in group 0 that int8 cannot hold\n  src   int8[3] cpu\n"
      .. "  hint  without 'dtype' it is int64", support.on_cpu(support.message(g.sum, g, v, {dtype = "int8"})))
    same(T({-56, 3}, {dtype = "int8"}), strew.scatter_sum(v, g)) -- the group form wraps
    same(T{10000, 3}, strew.scatter_mul(v, g, {dtype = "int64"}))
    same(T({100, 3}, {dtype = "int8"}), g:mean(v, {dtype = "int8"}))
    same(T{-3, 3}, g:mean(T{-3, -2, 3}, {dtype = "int64"}))
    if support.lacks_float64 then return end
    same(T({200, 3}, {dtype = "float64"}), g:sum(v, {dtype = "float64"}))
    same(T({2 ^ 63 + 2 ^ 63, 3}, {dtype = "float64"}), g:sum(T{most, most, 3}, {dtype = "float64"}))
    same(T({1, 3, 3}, {dtype = "float64"}), g:cumsum(T{1, 2, 3}, {dtype = "float64"}))
  end)

  it("join a given result", function()
    local g, out = strew.group_by(T{4, 2, 4}), T{1, 2, 3}
    assert.equal(out, g:sum(T({100, 120, 100}, {dtype = "int8"}), {out = out}))
    same(T{121, 202, 3}, out)
    same(T{121 * 5, 202 * 12, 3}, g:prod(T{3, 5, 4}, {out = out}))
    same(T{{1, 1}, {4, 4}}, g:sum(T{{1, 1}, {1, 1}, {2, 2}}, {dim = 0, out = T{{0, 0}, {1, 1}}}))
    local full = T{0, most}
    assert.truthy(support.message(g.sum, g, T{1, 2, 0}, {out = full}):find("a sum in group 1 (4) that int64", 1, true))
    same(T{0, most}, full)
    for message, options in pairs{
      ["sum: 'out' is int32, expected int64 or float64, as src is int64"] = {out = T{0, 0}:to "int32"},
      ["sum: 'out' has shape [1], expected [2]"] = {out = T{0}},
      ["sum: 'fill' cannot be combined with 'out', which keeps the values of empty groups"] =
        {out = T{0, 0}, fill = 3},
    } do
      local found = support.message(g.sum, g, T{1, 2, 3}, options)
      assert.equal(message, found:match "^[^\n]*")
    end
  end)

  it("have means in float64: the exact sum, rounded, divided by the count", function()
    if support.lacks_float64 then return pending "without float64, which the device lacks" end
    -- By Python: float(sum(list)) / len(list)
    local cases = {
      {{1, 2}, 1.5}, {{-3, -2}, -2.5}, {{most, most, 2, 2048, 1}, 0x1.999999999999bp+61},
      {{most, most, 2, 2048}, 0x1p+62},
      {{4712128852136459333, 6613812840851947673}, 0x1.3a5ba7ecbab88p+62},
      {{9223372036854774922, 9223372036854775187}, 0x1.fffffffffffffp+62},
      {{7023743836218156456, 1881095652490078568, 4599339987076239173}, 0x1.f3c149d3a3585p+61},
      {{4264586827708199833, -4067832256650242452, -7896465698630544553}, -0x1.1cf25144c03b1p+61},
      {{2439413297207794790, 98010135235158442, 3059511337525703479, 3071096560362593664, 5785846489742829405,
        3668860471095815154, 3351195362259660331}, 0x1.54956a2735af8p+61},
      {{-2154146310963576526, -2560593763013124068, 8038955653743253632, -8021756459655549444, 3830948837662202186,
        -3505657417446270746, -3577483015593761126}, -0x1.f8576bbbd9e6ep+59},
    }
    local ids, list, expected = {}, {}, {}
    for i, case in ipairs(cases) do
      for _, x in ipairs(case[1]) do
        table.insert(ids, i - 1)
        table.insert(list, x)
      end
      expected[i] = case[2]
    end
    local g, src = strew.grouping(T(ids)), T(list)
    local means = g:mean(src)
    for i, value in ipairs(means:tolist()) do assert.equal(expected[i], value) end
    same(means, g:agg{m = {"mean", src}, n = "count"}.m)
    same(strew.stack({means, means}, 1), g:mean(strew.stack({src, src}, 1), {dim = 0}))
    same(T({0.5, 1}, {dtype = "float64"}), strew.grouping(T{0, 0, 1}):mean(T{true, false, true}))
    same(T({150, 7}, {dtype = "float64"}), strew.grouping(T{0, 0, 1}):mean(T({200, 100, 7}, {dtype = "uint8"})))
    local out = T({1, 2}, {dtype = "float64"})
    strew.grouping(T{0, 0, 1}):mean(T{1, 2, 3}, {out = out})
    same(T({2, 5}, {dtype = "float64"}), out)
  end)
end)

describe("a group without a number", function()
  local words = {sum = 0, prod = 1, mean = nan, min = nan, max = nan, var = nan, std = nan, median = nan, first = nan,
    last = nan, count = 0, nunique = 0, any = false, all = true}

  it("has what an empty group has", function()
    local empty = strew.grouping(T{0, 0}, {dim_size = 2})
    local v = T{1.0, 3}
    local keyed, gap = strew.group_by(T{0, 0, 1}), T{1.0, 3, nan}
    for word, value in pairs(words) do
      local shown = value ~= value and "nan" or tostring(value)
      for _, case in ipairs{{empty, v, {}}, {keyed, gap, {skip_nan = true}}, {empty, v, {skip_nan = true}}} do
        local g, src, options = table.unpack(case)
        if word ~= "count" then
          assert.equal(shown, (tostring(g[word](g, src, options)[1]):gsub("^%-nan", "nan"):gsub("%.0$", "")), word)
        end
        local column = g:agg{x = {word, src, skip_nan = options.skip_nan}, n = "count"}.x
        if word ~= "count" or options.skip_nan then
          assert.equal(shown, (tostring(column[1]):gsub("^%-nan", "nan"):gsub("%.0$", "")), word .. " of agg")
        end
      end
    end
  end)

  it("may have another value, in rows too", function()
    local g = strew.grouping(T{0, 0}, {dim_size = 2})
    same(T{2.0, 7}, g:mean(T{1.0, 3}, {fill = 7}))
    same(T{1.0, 7}, g:agg{m = {"min", T{1.0, 3}, fill = 7}, n = "count"}.m)
    same(T{{2.0, 3}, {nan, nan}}, g:mean(T{{1.0, 2}, {3, 4}}, {dim = 0}))
    same(T{{1.0, nan}, {4, nan}}, g:max(T{{1.0, nan}, {3, 4}}, {dim = 1, skip_nan = true}))
    same(T{{nan, 2}, {nan, nan}}, g:min(T{{nan, 2}, {nan, 4}}, {dim = 0, skip_nan = true}))
    same(T{0, 0}, g:min(T{0, 3})) -- integers have no NaN
    same(T{1.0, 0}, strew.scatter_mean(T{1.0, 1}, g)) -- the group form
  end)

  it("does not stop a running sum", function()
    local g = strew.grouping(T{0, 1, 0, 0})
    same(T{1.0, 2, 1, 4}, g:cumsum(T{1.0, 2, nan, 3}, {skip_nan = true}))
  end)
end)

describe("results of groups", function()
  it("have memory of their own, though entries are equal", function()
    local x = T({1, 2, 3}, {dtype = "int32"})
    local list = {a = {"sum", x}, b = {"sum", x}, c = {"sum", x, fill = 7}, p = {"prod", x}, q = {"prod", x}}
    local t = strew.grouping(T{0, 0, 2}, {dim_size = 4}):agg(list)
    t.a:fill_(5)
    t.p:fill_(6)
    same(T{3, 0, 3, 0}, t.b)
    same(T{3, 7, 3, 7}, t.c)
    same(T{2, 1, 3, 1}, t.q)
  end)

  it("are computed in a wider dtype without a copy of src", function()
    if not ON_CPU then return print "\n    skipped: other devices have scratch" end
    local n = 1 << 20
    local g = strew.grouping(strew.arange(n, {dtype = "int64"}):remainder(1000))
    for _, dtype in ipairs{"bool", "int8", "int32"} do
      local x = strew.ones(n, {dtype = dtype})
      collectgarbage()
      local used, peak = strew.memory()
      local _ <close> = strew.empty(peak - used, {dtype = "uint8"}) -- up to the peak
      assert.equal(n, g:sum(x):sum():item(), dtype)
      assert.equal(1000, g:mean(x):sum():item(), dtype)
      assert.is_true(select(2, strew.memory()) - peak < n, dtype)
    end
  end)
end)

describe("windows and ranges of floats", function()
  it("have the bits and the gradients that they have on the CPU", function()
    strew.manual_seed(1)
    local x = strew.randn(100, {device = "cpu"}) * 1e-3 + 1000
    local default = strew.zeros(1).device
    for _, reduce in ipairs{"std", "var", "median", "lower_median", {"quantile", q = 0.3}} do
      for _, dtype in ipairs{"float32", "float16"} do
        local function on(device)
          local starts, ends = T({0, 5, 20}, {device = device}), T({40, 14, 90}, {device = device})
          local function windows(v)
            return strew.cat{strew.rolling(v, 30, reduce, {min_count = 1}), strew.ranges(v, starts, ends, reduce)}
          end
          local v = x:to(dtype):to(device)
          local gradients = strew.grad(function(t) return windows(t):sum() end)(v)
          return strew.cat{windows(v), gradients}:to("cpu")
        end
        local here, there = on "cpu":nan_to_num(-1), on(default):nan_to_num(-1) -- a window of one has no deviation
        assert.is_true(strew.equal(here, there), type(reduce) == "table" and "quantile" or reduce)
      end
    end
  end)
end)
