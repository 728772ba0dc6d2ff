-- known_sums_spec.lua: exact sums against results of others: NIST's sets for analysis of variance, the cases of test262
-- for Math.sumPrecise, random calls by Python's fractions; and one state, the same bytes in any order on any device.
local strew = require "strew"
local oracle = require "tests.spec.exact_oracle"
local support = require "tests.spec.support"

local check, tensor = oracle.check, oracle.tensor
local EXACT <const> = {exact = true}
local inf <const> = math.huge

local function pending_float64()
  return support.lacks_float64 and (pending "without float64, which the device lacks" or true)
end

------------------------------------------------------------------------------------------------------------------ NIST

-- https://www.itl.nist.gov/div898/strd/anova/anova.html. Of SmLs01 .. 09 the first value of each treatment is its mean,
-- and the others are 0.1 below and above, in turn; in front of the point stands 1, 1000000 or 1000000000000.
local RESISTIVITY <const> = {
  {196.3052, 196.1240, 196.1890, 196.2569, 196.3403}, {196.3042, 196.3825, 196.1669, 196.3257, 196.0422},
  {196.1303, 196.2005, 196.2889, 196.0343, 196.1811}, {196.2795, 196.1748, 196.1494, 196.1485, 195.9885},
  {196.2119, 196.1051, 196.1850, 196.0052, 196.2090}}
local SILVER <const> = { -- 107.868....
  {1568, 1465, 1572, 1785, 1446, 1903, 1526, 1494, 1616, 1587, 1519, 1486, 1419, 1569, 1508, 1672, 1385, 1518, 1662,
   1424, 1360, 1333, 1610, 1477},
  {1079, 1344, 1513, 1197, 1604, 1385, 1642, 1365, 1151, 1082, 1517, 1448, 1198, 1482, 1334, 1609, 1101, 1512, 1469,
   1360, 1254, 1261, 1450, 1368}}

local function simulated(front, count)
  local groups = {}
  for treatment = 1, 9 do
    local middle = treatment == 1 and 4 or treatment % 2 == 0 and 3 or 5
    local list = {tonumber(front .. "." .. middle)}
    for i = 2, count do list[i] = tonumber(front .. "." .. middle + (i % 2 == 0 and -1 or 1)) end
    groups[treatment] = list
  end
  return groups
end

-- Returns the sums of squares between and within groups and F, from exact variances; and the means of the groups.
local function analyse(groups)
  local list, ids = {}, {}
  for g, values in ipairs(groups) do
    for _, value in ipairs(values) do list[#list + 1], ids[#ids + 1] = value, g - 1 end
  end
  local v = strew.tensor(list, {dtype = "float64"})
  local grouping = strew.group_by(strew.tensor(ids, {dtype = "int64"}))
  local counts = grouping.counts:to "float64"
  local within = (grouping:var(v, EXACT) * (counts - 1)):sum():item()
  local between = v:var(EXACT):item() * (#list - 1) - within
  local by_agg = grouping:agg{{"m", "mean", v}, {"va", "var", v, exact = true}}
  assert.equal(support.text(grouping:mean(v)), support.text(by_agg.m))
  assert.equal(support.text(grouping:var(v, EXACT)), support.text(by_agg.va))
  return {between, within, between / (#groups - 1) / (within / (#list - #groups))}, grouping:mean(v):tolist()
end

-- The name, groups; certified between, within and F; those of the groups' doubles, by Python's fractions.
local function sets()
  local silver = {}
  for g, values in ipairs(SILVER) do
    silver[g] = {}
    for i, digits in ipairs(values) do silver[g][i] = tonumber("107.868" .. digits) end
  end
  return {
    {"SiRstv", RESISTIVITY, {5.11462616e-02, 2.1663656e-01, 1.18046237440255},
      {0.05114626159999952, 0.2166365600000165, 1.1804623744024467}},
    {"AtmWtAg", silver, {3.638341875e-09, 1.04951729166667e-08, 15.9467335677930},
      {3.6383418747907132e-09, 1.049517291679747e-08, 15.946733566676926}},
    {"SmLs01", simulated("1", 21), {1.68, 1.8, 21}, {1.680000000000001, 1.800000000000001, 21}},
    {"SmLs02", simulated("1", 201), {16.08, 18, 201}, {16.08000000000001, 18.00000000000001, 201.00000000000003}},
    {"SmLs03", simulated("1", 2001), {160.08, 180, 2001}, {160.0800000000001, 180.00000000000009, 2001.0000000000002}},
    {"SmLs04", simulated("1000000", 21), {1.68, 1.8, 21}, {1.6800000001490116, 1.8000000000931322, 21.0000000007761}},
    {"SmLs05", simulated("1000000", 201), {16.08, 18, 201},
      {16.080000001825393, 18.000000000931323, 201.00000001241764}},
    {"SmLs06", simulated("1000000", 2001), {160.08, 180, 2001},
      {160.0800000185892, 180.00000000931323, 2001.0000001288329}},
    {"SmLs07", simulated("1000000000000", 21), {1.68, 1.8, 21},
      {1.6801562694014696, 1.8000978373345875, 21.00081188781877}},
    {"SmLs08", simulated("1000000000000", 201), {16.08, 18, 201},
      {16.081914284204238, 18.00097824625708, 201.01300409594845}},
    {"SmLs09", simulated("1000000000000", 2001), {160.08, 180, 2001},
      {160.09949443572512, 180.00978232919425, 2001.1349262209505}},
  }
end

-- The number of equal digits.
local function digits(x, y) return x == y and 16 or -math.log(math.abs((x - y) / y), 10) end

describe("NIST's analyses of variance", function()
  it("have the certified digits that the doubles of their data hold", function()
    if pending_float64() then return end
    for _, row in ipairs(sets()) do
      local name, groups, certified, exact = table.unpack(row)
      local found = analyse(groups)
      for k = 1, 3 do
        -- between is a difference of sums of squares of 53 bits: in AtmWtAg of 1.4e-8 and 1.0e-8
        assert.is_true(digits(found[k], exact[k]) > 14.5, ("%s %d %.17g"):format(name, k, found[k]))
        assert.is_true(digits(found[k], certified[k]) > math.min(digits(exact[k], certified[k]), 14) - 0.1, name)
      end
    end
  end)

  it("have means that are rounded once", function()
    if pending_float64() then return end
    local _, means = analyse(simulated("1000000000000", 2001))
    local first = tonumber "1000000000000.4"
    assert.is_true(math.abs(means[1] - first) <= 0x1p-13)
    local v = strew.full({10000000}, 0.1, {dtype = "float32"}) -- in order 0.10879
    assert.equal(strew.tensor({0.1}, {dtype = "float32"})[0],
      strew.group_by(strew.zeros({10000000}, {dtype = "uint8"})):mean(v)[0])
  end)
end)

---------------------------------------------------------------------------------------------------------- sumPrecise

local LARGEST <const> = 1.7976931348623157e308
local CASES <const> = { -- terms, and their sum
  {{1, 2, 3}, 6}, {{1e308}, 1e308}, {{1e308, -1e308}, 0}, {{0.1}, 0.1}, {{0.1, 0.1}, 0.2}, {{0.1, -0.1}, 0},
  {{1e308, 1e308, 0.1, 0.1, 1e30, 0.1, -1e30, -1e308, -1e308}, 0.30000000000000004}, {{1e30, 0.1, -1e30}, 0.1},
  {{8.98846567431158e+307, 8.988465674311579e+307, -LARGEST}, 9.9792015476736e+291},
  {{-5.630637621603525e+255, 9.565271205476345e+307, 2.9937604643020797e+292}, 9.565271205476347e+307},
  {{6.739986666787661e+66, 2, -1.2689709186578243e-116, 1.7046015739467354e+308, -9.979201547673601e+291,
    6.160926733208294e+307, -3.179557053031852e+234, -7.027282978772846e+307, -0.7500000000000001},
   1.61796594939028e+308},
  {{0.31150493246968836, -8.988465674311582e+307, 1.8315037361673755e-270, -15.999999999999996, 2.9999999999999996,
    7.345200721499384e+164, -2.033582473639399, -8.98846567431158e+307, -3.5737295155405993e+292,
    4.13894772383715e-124, -3.6111186457260667e-35, 2.387234887098013e+180, 7.645295562778372e-298,
    3.395189016861822e-103, -2.6331611115768973e-149}, -inf},
  {{-1.1442589134409902e+308, 9.593842098384855e+138, 4.494232837155791e+307, -1.3482698511467367e+308,
    4.494232837155792e+307}, -1.5936821971565685e+308},
  {{-1.1442589134409902e+308, 4.494232837155791e+307, -1.3482698511467367e+308, 4.494232837155792e+307},
   -1.5936821971565687e+308},
  {{9.593842098384855e+138, -6.948356297254111e+307, -1.3482698511467367e+308, 4.494232837155792e+307},
   -1.5936821971565685e+308},
  {{-2.534858246857893e+115, 8.988465674311579e+307, 8.98846567431158e+307}, LARGEST},
  {{1.3588124894186193e+308, 1.4803986201152006e+223, 6.741349255733684e+307}, inf},
  {{6.741349255733684e+307, 1.7976931348623155e+308, -7.388327292663961e+41}, inf},
  {{-1.9807040628566093e+28, LARGEST, 9.9792015476736e+291}, LARGEST},
  {{-1.0214557991173964e+61, LARGEST, 8.98846567431158e+307, -8.988465674311579e+307}, LARGEST},
  {{LARGEST, 7.999999999999999, -1.908963895403937e-230, 1.6445950082320264e+292, 2.0734856707605806e+205}, inf},
  {{6.197409167220438e-223, -9.979201547673601e+291, -LARGEST}, -inf},
  {{4.49423283715579e+307, 8.944251746776101e+307, -0.0002441406250000001, 1.1752060710043817e+308,
    4.940846717201632e+292, -1.6836699406454528e+308}, 8.353845887521184e+307},
  {{8.988465674311579e+307, 7.999999999999998, 7.029158107234023e-308, -2.2303483759420562e-172, -LARGEST,
    -8.98846567431158e+307}, -LARGEST},
  {{8.98846567431158e+307, 8.98846567431158e+307}, inf},
  {{-0.0}, -0.0}, {{-0.0, -0.0}, -0.0}, {{-0.0, 0.0}, 0.0}, {{inf, 1}, inf}, {{inf, -inf}, 0 / 0}, {{0 / 0, 1}, 0 / 0},
  {{-inf, LARGEST, LARGEST}, -inf},
}

describe("the cases of Math.sumPrecise", function()
  it("have their sums, in any order, as whole sums, by group, by segment and as sums that grow", function()
    if pending_float64() then return end
    local on_device = strew.zeros(1).device ~= "cpu"
    for _, case in ipairs(CASES) do
      local terms, sum = {table.unpack(case[1])}, case[2]
      for _ = 1, on_device and 1 or math.min(#terms, 4) do
        table.insert(terms, 1, table.remove(terms))
        local x, n = tensor(terms, "float64"), #terms
        local index = strew.zeros({n}, {dtype = "int64"})
        local grown = strew.exact_sums(1):add(x:narrow(0, 0, n // 2)):add(x:narrow(0, n // 2, n - n // 2))
        check(x:sum(EXACT), {sum}, "sum")
        check(x:cumsum(0, EXACT):narrow(0, n - 1, 1), {sum}, "cumsum")
        check(grown:sum(), {sum}, "exact_sums")
        check(strew.scatter_sum(x, index, EXACT), {sum + 0.0}, "scatter_sum") -- of groups 0
        check(strew.segment_csr(x, strew.tensor{0, n}, EXACT), {sum + 0.0}, "segment_csr")
        check(strew.group_by(index):sum(x), {sum + 0.0}, "g:sum")
        check(x:narrow(0, 0, 1):clone():scatter_add_(0, index:narrow(0, 1, n - 1), x:narrow(0, 1, n - 1), EXACT), {sum},
          "scatter_add_")
      end
    end
  end)
end)

-------------------------------------------------------------------------------------------------------------- fractions

local function numbers(text)
  local list = {}
  for word in text:gmatch "%S+" do
    list[#list + 1] = tonumber(word) or word == "nan" and 0 / 0 or word == "inf" and inf or -inf
  end
  return list
end

describe("random calls", function()
  it("have the results of Python's fractions", function()
    local number, each = 0, strew.zeros(1).device == "cpu" and 1 or 5
    for line in io.lines "tests/data/exact.txt" do
      local fields = {}
      for field in (line .. ";"):gmatch "([^;]*);" do fields[#fields + 1] = field end
      local dtype = fields[1]
      number = number + 1
      if not line:find "^#" and number % each == 0 and not (dtype == "float64" and support.lacks_float64) then
        local x, ids = tensor(numbers(fields[2]), dtype), strew.tensor(numbers(fields[3]), {dtype = "int64"})
        local sums = numbers(fields[10])
        local of_groups, grown = {dim_size = #sums, exact = true}, strew.exact_sums(#sums, {squares = true})
        check(x:sum(EXACT), numbers(fields[4]), "sum")
        check(x:mean(EXACT), numbers(fields[5]), "mean")
        check(x:cumsum(0, EXACT), numbers(fields[6]), "cumsum")
        check(x:dot(x, EXACT), numbers(fields[7]), "dot")
        check(x:var(EXACT), numbers(fields[8]), "var")
        check(x:std(EXACT), numbers(fields[9]), "std")
        check(strew.scatter_sum(x, ids, of_groups), sums, "scatter_sum")
        check(grown:add(x, ids):sum(), sums, "exact_sums")
        check(strew.scatter_mean(x, ids, of_groups), numbers(fields[11]), "scatter_mean")
        check(grown:var(), numbers(fields[12]), "exact_sums:var")
        check(strew.grouping(ids, {dim_size = #sums}):sum(x), sums, "g:sum")
      end
    end
  end)
end)

------------------------------------------------------------------------------------------------------------ views

describe("views", function()
  local ids = {0, 2, 1, 1, 0, 2, 0}
  local i, ends = strew.tensor(ids, {dtype = "int64"}), strew.tensor{0, 2, 7}
  local g = strew.grouping(i)
  local calls = {
    sum = function(x) return x:sum(EXACT) end, mean = function(x) return x:mean(EXACT) end,
    var = function(x) return x:var(EXACT) end, cumsum = function(x) return x:cumsum(0, EXACT) end,
    dot = function(x) return x:dot(x, EXACT) end, scatter_sum = function(x) return strew.scatter_sum(x, i, EXACT) end,
    scatter_mean = function(x) return strew.scatter_mean(x, i, EXACT) end,
    scatter_var = function(x) return strew.scatter_var(x, i, EXACT) end,
    scatter_add_ = function(x) return x:clone():scatter_add_(0, i, x, EXACT) end,
    to_view = function(x) return strew.zeros(20):to(x.dtype):narrow(0, 3, 7):scatter_add_(0, i, x, EXACT) end,
    index_add_ = function(x) return strew.zeros(3):to(x.dtype):index_add_(0, i, x, EXACT) end,
    scatter_add = function(x) return x:scatter_add(0, i, strew.ones(7):to(x.dtype), EXACT) end,
    group_sum = function(x) return g:sum(x) end, group_var = function(x) return g:var(x, EXACT) end,
    segment_csr = function(x) return strew.segment_csr(x, ends, EXACT) end,
    rolling = function(x) return strew.rolling(x, 3, "mean", {min_count = 1}) end,
    exact_sums = function(x) return strew.exact_sums(3, {squares = true}):add(x, i):mean() end,
    of_all = function(x) return strew.exact_sums(1):add(x):sum() end,
  }

  it("have the sums of their copies", function()
    math.randomseed(3)
    for _, dtype in ipairs{"float32", "float16", "bfloat16", not support.lacks_float64 and "float64" or nil} do
      for kind = 1, 5 do
        local base = tensor(oracle.draw(40, dtype, kind), dtype)
        local views = {base:narrow(0, 5, 7), base:view{10, 4}:select(1, 2):narrow(0, 3, 7),
          base:narrow(0, 9, 1):expand(7), base:narrow(0, 20, 7):flip(0)}
        for k, view in ipairs(views) do
          for name, call in pairs(calls) do
            check(call(view), call(view:clone()):to("cpu"):to("float64"):reshape(-1):tolist(),
              ("%s of %s, view %d"):format(name, dtype, k))
          end
        end
      end
    end
  end)
end)

------------------------------------------------------------------------------------------------------------ one state

describe("a state", function()
  -- Terms that no device makes: whole numbers and powers of two.
  local function terms(count)
    local list, ids, seed = {}, {}, 7
    for i = 1, count do
      seed = seed * 1103515245 + 12345 & 0x7fffffff
      list[i] = (seed % 2001 - 1000) * 2.0 ^ (seed // 4096 % 40 - 20)
      ids[i] = seed // 64 % 5
    end
    return strew.tensor(list, {dtype = "float32", device = "cpu"}), strew.tensor(ids, {dtype = "int64", device = "cpu"})
  end

  it("has the same bytes in three orders and parts, here and on each other device", function()
    local list, ids = terms(3000)
    local count, seen = 3000, {}
    local shuffled = strew.arange(count, {device = "cpu"}) * 1499 % count
    local orders = {strew.arange(count, {device = "cpu"}), strew.arange(count, {device = "cpu"}):flip(0), shuffled}
    local here = {strew.zeros(1).device, "cpu"}
    for k, order in ipairs(orders) do
      for _, device in ipairs(here) do
        local x, index = list:index_select(0, order):to(device), ids:index_select(0, order):to(device)
        local cut = 700 * k
        local a, b = strew.exact_sums(5, {squares = true, device = device}),
          strew.exact_sums(5, {squares = true, device = device})
        a:add(x:narrow(0, 0, cut), index:narrow(0, 0, cut))
        b:add(x:narrow(0, cut, count - cut), strew.grouping(index:narrow(0, cut, count - cut), {dim_size = 5}))
        local text = string.char(table.unpack(b:merge(a):state():to("cpu"):tolist()))
        local sum = 0xcbf29ce484222325
        for i = 1, #text do sum = (sum ~ text:byte(i)) * 0x100000001b3 end
        seen[#seen + 1] = ("%d %016x"):format(#text, sum)
      end
    end
    for _, one in ipairs(seen) do assert.equal("257 bed2e789771d7911", one) end
  end)
end)
