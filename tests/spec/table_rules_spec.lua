-- One rule for statistics in tables: methods of groupings, agg, pivot, rolling, ranges and describe give the same, that
-- of a plain loop and of pandas; scatter_* and tensors keep theirs.
local strew = require "strew"
local support, loops = dofile "tests/spec/support.lua", dofile "tests/spec/loops.lua"

local nan, lacks_float64 = 0 / 0, support.lacks_float64
local T, random = strew.tensor, math.random
local DTYPES <const> = {"float32", "float64", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8",
  "uint16", "uint32", "uint64", "bool"}
local TOLERANCES <const> = {float16 = 2e-3, bfloat16 = 2e-2, float32 = 1e-6}
local OPTIONS <const> = {{}, {unbiased = false}, {unbiased = true}, {correction = 0}, {correction = 2},
  {correction = 1.5}}

-- Reductions of a list of numbers without NaN in plain loops: nan, where it has none.
local function variance(list, options)
  local mean, squares, correction = 0.0, 0.0, options.correction or options.unbiased == false and 0 or 1
  for _, x in ipairs(list) do mean = mean + x / #list end
  for _, x in ipairs(list) do squares = squares + (x - mean) ^ 2 end
  return #list > correction and #list > 0 and squares / (#list - correction) or nan
end

local function quantile(list, q, way)
  if #list == 0 then return nan end
  table.sort(list)
  local rank = (#list - 1) * q
  local below = math.floor(rank)
  local a, b = list[below + 1], list[math.min(below + 2, #list)]
  return way == "lower" and a or a + (b - a) * (rank - below)
end

local function sum(list)
  local total = 0
  for _, x in ipairs(list) do total = total + x end
  return total
end

local loops_of = {
  sum = sum, mean = function(list) return #list > 0 and sum(list) / #list or nan end,
  var = variance, std = function(list, options) return math.sqrt(variance(list, options)) end,
  median = function(list) return quantile(list, 0.5) end,
  lower_median = function(list) return quantile(list, 0.5, "lower") end,
  quantile = function(list, options) return quantile(list, options.q, options.interpolation) end,
}
local WORDS <const> = {"sum", "mean", "var", "std", "median", "lower_median", "quantile"}

-- The dtype of a word's results.
local function dtype_of(word, dtype)
  if loops.is_float(dtype) or word == "lower_median" then return dtype end
  if word == "sum" then return dtype:find "^u" and "uint64" or "int64" end
  return "float64"
end

local function numbers(t)
  local list = {}
  for i, x in ipairs(t:to(lacks_float64 and "float32" or "float64"):tolist()) do list[i] = x end
  return list
end

local function entry_of(word, src, options)
  local entry = {word, src}
  for name, value in pairs(options) do entry[name] = value end
  return entry
end

local function check(expected, got, dtype, what)
  assert.equal(dtype, got.dtype, what)
  local list = numbers(got)
  assert.equal(#expected, #list, what)
  for i, x in ipairs(expected) do
    local tolerance = (TOLERANCES[dtype] or 1e-13) * (1 + math.abs(x))
    local is_same = x ~= x and list[i] ~= list[i] or x == list[i] or math.abs(x - list[i]) <= tolerance
    if not is_same then error(("%s: %s at %d, expected %s"):format(what, list[i], i, x), 2) end
  end
end

describe("statistics in tables", function()
  it("agree with one another and with a plain loop, for every dtype", function()
    math.randomseed(5)
    for round = 1, support.runs_all and 6 or 2 do
      for _, dtype in ipairs(DTYPES) do
        local n, groups = random(1, 40), random(1, 6)
        if not (lacks_float64 and (dtype == "float64" or not loops.is_float(dtype))) then
          local keys, lists, values = {}, {}, {}
          for i = 1, n do
            local x = random(dtype:find "^u" and 0 or -9, 9)
            keys[i] = i <= groups and i or random(1, groups) -- each key is there
            values[i] = dtype == "bool" and x > 3 or loops.is_float(dtype) and x / 4 or dtype ~= "bool" and x
          end
          local v = dtype == "bool" and T(values) or T(values, {dtype = dtype})
          for i, x in ipairs(numbers(v)) do
            lists[keys[i]] = lists[keys[i]] or {}
            table.insert(lists[keys[i]], x)
          end
          local x = strew.table{key = keys, place = strew.ones(n, {dtype = "int64"}), v = v}
          local g = x:group_by("key")
          local sorted, starts = v[g:order()], g:starts()
          local count = starts:size(0) - 1
          local last = g:order()[starts:narrow(0, 1, count) - 1]
          for _, word in ipairs(WORDS) do
            local options = (word == "var" or word == "std") and loops.any(OPTIONS)
              or word == "quantile" and {q = loops.any{0, 0.25, 0.5, 0.9, 1}, interpolation = loops.any{nil, "lower"}}
              or {}
            local is_chosen = options.interpolation == "lower"
            local own, expected = is_chosen and dtype or dtype_of(word, dtype), {}
            for key, list in pairs(lists) do expected[key] = loops_of[word](list, options) end
            if is_chosen and dtype == "bool" then own = "bool" end
            local what = ("%s of %s, round %d: %%s"):format(word, dtype, round)
            local entry, short = entry_of(word, "v", options), entry_of(word, nil, options)
            local rest = {}
            for name, value in pairs(options) do rest[name] = value end
            if word == "quantile" then
              rest.q = nil
              check(expected, g:quantile(v, options.q, rest), own, what:format "method")
            else
              check(expected, g[word](g, v, rest), own, what:format "method")
            end
            check(expected, g:agg{out = entry}.out, own, what:format "agg")
            check(expected, x:pivot("key", "place", "v", short)["1"], own, what:format "pivot")
            check(expected, strew.ranges(sorted, starts:narrow(0, 0, count), starts:narrow(0, 1, count), short), own,
              what:format "ranges")
            local windows = strew.rolling(v, n, short, {by = g, min_count = 1})
            check(expected, windows[last], own, what:format "rolling")
            local all = strew.rolling(v, n, short)
            check({loops_of[word](numbers(v), options)}, all:narrow(0, n - 1, 1), all.dtype, what:format "one window")
          end
          local d, list = x:columns{"v"}:describe(), numbers(v)
          for name, expected in pairs{mean = sum(list) / n, std = loops_of.std(list, {}),
                                      ["25%"] = quantile(list, 0.25), ["50%"] = quantile(list, 0.5),
                                      ["75%"] = quantile(list, 0.75)} do
            check({expected}, d[name], lacks_float64 and "float32" or "float64", "describe " .. name)
          end
        end
      end
    end
  end)

  it("are pandas'", function()
    if lacks_float64 then return pending "integers need float64, which the device lacks" end
    -- groupby(...).agg, and of int64 rolling(3, min_periods = 1), of pandas 2
    local v, key = T{3, 1, 4, 1, 5, 9, 2, 6, -7}, T{2, 1, 2, 1, 3, 2, 1, 2, 1}
    local quarters = v:to("float64") / 4
    local g = strew.group_by(key)
    local function near(expected, got, what) check(expected, got, "float64", what) end
    for _, row in ipairs{
      {"median", {1, 5, 5}}, {"var", {17.583333333333332, 7, nan}},
      {"std", {4.193248541803041, 2.6457513110645907, nan}}, {"var", {13.1875, 5.25, 0}, {unbiased = false}},
      {"std", {3.6314597615834874, 2.29128784747792, 0}, {correction = 0}},
      {"var", {26.375, 10.5, nan}, {correction = 2}},
      {"std", {5.135659646043535, 3.24037034920393, nan}, {correction = 2}},
      {"quantile", {-1, 3.75, 5}, {q = 0.25}}, {"quantile", {1.25, 6.75, 5}, {q = 0.75}}, {"mean", {-0.75, 5.5, 5}},
    } do
      near(row[2], g:agg{out = entry_of(row[1], v, row[3] or {})}.out, row[1])
      local scaled = {}
      for i, x in ipairs(row[2]) do scaled[i] = row[1] == "var" and x / 16 or x / 4 end
      near(scaled, g:agg{out = entry_of(row[1], quarters, row[3] or {})}.out, row[1])
    end
    for _, row in ipairs{
      {"median", {3, 2, 3, 1, 4, 5, 5, 6, 2}},
      {"std", {nan, 1.4142135623730951, 1.5275252316519468, 1.7320508075688772, 2.0816659994661326, 4,
               3.511884584284246, 3.511884584284246, 6.658328118479393}},
      {{"quantile", q = 0.75}, {3, 2.5, 3.5, 2.5, 4.5, 7, 7, 7.5, 4}},
    } do
      near(row[2], strew.rolling(v, 3, row[1], {min_count = 1}), "rolling")
    end
    assert.same({-7, 3, 5}, g:quantile(v, 0.25, {interpolation = "lower"}):tolist())
    assert.same({1, 4, 5}, g:lower_median(v):tolist())
    assert.same({0.0, 1.0, 1.0}, g:median(v:gt(2)):tolist())
    local d = strew.table{v = v}:describe()
    near({4.444097208657794}, d.std, "describe")
    near({1}, d["25%"], "describe")
    near({5}, d["75%"], "describe")
  end)

  it("sum unsigned integers in uint64, and are those of tables alone", function()
    for _, dtype in ipairs{"uint8", "uint16", "uint32", "uint64"} do
      local u = T({250, 2, 3, 4}, {dtype = dtype})
      local x = strew.table{k = {0, 1, 0, 1}, p = {1, 1, 1, 1}, u = u}
      local g = x:group_by("k")
      local function row(text, sums)
        return {text, ("uint64[%d] {%s}"):format(select(2, sums:gsub("%d+", "")), sums)}
      end
      local function out(to) return strew.ones(2, {dtype = to}) end
      support.evaluate({
        row("g:sum(u)", "253, 6"), row("g:prod(u)", "750, 8"), row("g:cumsum(u)", "250, 2, 253, 6"),
        row("g:cumsum(u, {skip_nan = true})", "250, 2, 253, 6"), row("g:sum(u, {skip_nan = true})", "253, 6"),
        row("strew.grouping(T{0, 2, 0, 2}):sum(u, {fill = 7})", "253, 7, 6"),
        row("strew.grouping(T{0, 2, 0, 2}):prod(u)", "750, 1, 8"), row("g:sum(u:narrow(0, 0, 4))", "253, 6"),
        row("g:sum(u, {dtype = 'uint64'})", "253, 6"), row("g:sum(u, {out = out 'uint64'})", "254, 7"),
        row("g:agg{s = {'sum', u}, m = {'max', u}, p = {'prod', u}}.s", "253, 6"),
        row("g:agg{s = {'sum', 'u'}}.s", "253, 6"), row("g:agg{s = {'sum', strew.expr('u + 0'):with(x)}}.s", "253, 6"),
        row("g:agg{s = {'prod', 'uint16(u) * 2'}}.s:to('uint64')", "3000, 32"),
        row("x:pivot('k', 'p', 'u', 'sum')['1']", "253, 6"), row("x:pivot('k', 'p', 'u', 'prod')['1']", "750, 8"),
        row("strew.rolling(u, 2, 'sum', {min_count = 1})", "250, 252, 5, 7"),
        row("strew.rolling(u, 2, 'prod', {min_count = 1})", "250, 500, 6, 12"),
        row("strew.rolling(u, 2, 'sum', {min_count = 1, by = g})", "250, 2, 253, 6"),
        row("strew.ranges(u, T{0, 1}, T{3, 1}, 'sum')", "255, 0"), row("strew.ranges(u, T{0}, T{2}, 'prod')", "500"),
        row("x:assign{s = 'sum(u)'}.s", "259, 259, 259, 259"),
        row("x:assign{s = 'prod(u, 0)'}.s", "6000, 6000, 6000, 6000"),
        row("x:assign{s = 'nansum(u)'}.s", "259, 259, 259, 259"),
        row("x:assign{t = T({0, 0, 0, 0}):to 'time'}:assign{s = 'where(t == t, sum(u), 0)'}.s", "259, 259, 259, 259"),
        {"strew.group_by(T{}):sum(u:narrow(0, 0, 0))", "uint64[0] {}"},
        {"g:sum(u, {dtype = 'int64'})", "int64[2] {253, 6}"}, {"g:agg{s = {'sum', 'u > 1'}}.s", "int64[2] {2, 2}"},
        {"u:sum()", (dtype == "uint64" and dtype or "int64") .. "[] 259"},
        {"strew.expr('sum(u)'){u = u}", (dtype == "uint64" and dtype or "int64") .. "[] 259"},
        {"strew.scatter_sum(u:narrow(0, 1, 3), T{0, 0, 0})", dtype .. "[1] {9}"},
      }, {strew = strew, T = T, g = g, u = u, x = x, out = out})
      if dtype ~= "uint64" then
        support.evaluate({
          {"g:sum(u, {out = strew.ones(2, {dtype = 'int64'})})", "int64[2] {254, 7}"},
          {"g:cumsum(u, {dtype = 'int64'})", "int64[4] {250, 2, 253, 6}"},
        }, {strew = strew, g = g, u = u})
      end
    end
    local found = support.message(strew.group_by(T{5}).sum, strew.group_by(T{5, 5}), T({255, 1}):to "uint8",
      {dtype = "uint8"})
    assert.matches("'src' has a sum in group 0 (5) that uint8 cannot hold", found, 1, true)
    assert.matches("without 'dtype' it is uint64", found, 1, true)
  end)

  it("leave scatter_* and tensors as they are", function()
    support.evaluate({
      {"strew.scatter_median(i, k)", "int64[2] {1, 2}"},
      {"strew.scatter_std(v, k) - 2.1213192939758", "float32[2] {0.0, -2.1213192939758}"}, -- without 1e-6: 3e-7 more
      {"strew.scatter_var(v, k)", "float32[2] {4.5, 0.0}"}, {"v:median()", "float32[] 2.0"},
      {"strew.scatter_var(v, k, {correction = 0})", "float32[2] {2.25, 0.0}"},
      {"strew.scatter_std(v, k, {unbiased = false}):eq(strew.scatter_std(v, k, {correction = 0}))",
       "bool[2] {true, true}"},
      {"strew.scatter_var(v, k, {correction = 5})", "float32[2] {4.5, 0.0}"},
      {"v:var{unbiased = false}:eq(v:var{correction = 0})", "bool[] true"},
      {"v:std{unbiased = true}:eq(v:std())", "bool[] true"},
      {"v:std({unbiased = false, skip_nan = true}):isclose(v:std{correction = 0})", "bool[] true"},
      {"v:nanstd{unbiased = true}:isclose(v:std())", "bool[] true"}, {"v:var{correction = 3}", "float32[] inf"},
    }, {strew = strew, v = T{1.0, 4, 2}, i = T{1, 4, 2}, k = T{0, 0, 1}})
  end)

  it("say what is missing, and what both keywords mean", function()
    support.evaluate({
      {"g:var(v)", "float32[3] {2.0, nan, nan}"}, {"g:std(v, {correction = 0})", "float32[3] {1.0, nan, 0.0}"},
      {"g:var(v, {correction = -2})", "float32[3] {0.5, nan, 0.0}"}, {"g:std(v):eq(g:var(v):sqrt())[0]", "true"},
      {"g:median(v)", "float32[3] {2.0, nan, 5.0}"}, {"g:lower_median(v)", "float32[3] {1.0, nan, 5.0}"},
      {"g:median(v, {fill = 7})", "float32[3] {2.0, 7.0, 5.0}"}, {"g:median(w)", "float32[3] {nan, nan, 5.0}"},
      {"g:median(w, {skip_nan = true})", "float32[3] {1.0, nan, 5.0}"},
      {"g:std(w, {skip_nan = true})", "float32[3] {nan, nan, nan}"},
      {"g:lower_median(v:to 'int64')", "int64[3] {1, 0, 5}"},
      {"g:median(strew.stack({v, v * 2}, 1), 0)", "float32[3, 2] {{2.0, 4.0}, {nan, nan}, {5.0, 10.0}}"},
      {"g:var(strew.expr('v * 2'):with{v = v}, {unbiased = false})", "float32[3] {4.0, nan, 0.0}"},
    }, {strew = strew, v = T{1.0, 3, 5}, w = T{1.0, nan, 5}, g = strew.grouping(T{0, 0, 2})})
  end)

  it("have gradients, 0 where there is none", function()
    local v, g, ranges = T{1.0, 2, 6, 5, 3, 4}, strew.grouping(T{0, 0, 0, 2, 3, 3}), {T{0, 3, 3, 4}, T{3, 3, 4, 6}}
    local root = 7 ^ 0.5
    for _, row in ipairs{
      {{"var"}, {-2, -1, 3, 0, -1, 1}}, {{"var", correction = 0}, {-4 / 3, -2 / 3, 2, 0, -0.5, 0.5}},
      {{"std"}, {-1 / root, -0.5 / root, 1.5 / root, 0, -(0.5 ^ 0.5), 0.5 ^ 0.5}},
      {{"median"}, {0, 1, 0, 1, 0.5, 0.5}}, {{"lower_median"}, {0, 1, 0, 1, 1, 0}},
      {{"quantile", q = 0.75}, {0, 0.5, 0.5, 1, 0.25, 0.75}},
    } do
      local short, word = row[1], row[1][1]
      local calls = {
        agg = function(x)
          local entry = {word, x}
          for name, value in pairs(short) do entry[name] = value end
          return g:agg{out = entry}.out
        end,
        ranges = function(x) return strew.ranges(x, ranges[1], ranges[2], short) end,
      }
      if word ~= "quantile" then
        calls.method = function(x) return g[word](g, x, {correction = short.correction}) end
      end
      for name, call in pairs(calls) do
        local gradient = strew.grad(function(x) return call(x):nansum() end)(v)
        check(row[2], gradient, "float32", word .. " by " .. name)
      end
    end
  end)

  it("name the group, the window, the range and the cell of a sum that int64 cannot hold", function()
    local most = math.maxinteger
    local x = strew.table{a = {"x", "y", "y"}, b = {"p", "q", "q"}, v = {1, most, most}}
    local function refused(pattern, f, ...) assert.matches(pattern, support.message(f, ...), 1, true) end
    local g = x:group_by("a")
    refused("'src' has a sum in group 1 (a \"y\") that int64 cannot hold", function() return g:sum(x.v) end)
    refused("'total' has a sum in group 1 (a \"y\") that", function() return g:agg{total = {"sum", "v"}} end)
    refused("'value' has a sum in group 1 (a \"y\", b \"q\") that", strew.pivot, x, "a", "b", "v", "sum")
    refused("'v' has a sum in the window that ends at [2] that", strew.rolling, x.v, 2, "sum", {by = x.a:codes()})
    refused("'v' has a sum in range 0 that", strew.ranges, x.v, T{1}, T{3}, "sum")
    if not lacks_float64 then assert.equal(most * 1.0, g:mean(x.v):get(1)) end
  end)

  it("refuse sums and products of columns in texts that 64 bits cannot hold, and give those at the limits", function()
    local most, least = math.maxinteger, math.mininteger
    local function column(dtype, rows) return strew.tensor(rows, {dtype = dtype}) end
    local function table_of(v) return strew.table{k = strew.arange(0.0, v:size(0), 1.0), v = v} end
    local others = {"", " + median(k)"} -- computed in C, and call by call
    local function refused(v, text, fact)
      for _, other in ipairs(others) do
        for _, call in ipairs{"assign", "rows", "sort_by"} do
          local x, whole = table_of(v), text .. other .. (call == "rows" and " > 0" or "")
          local message = support.message(strew[call], x, call == "assign" and {s = whole} or whole)
          assert.matches("'self' has a " .. fact .. " cannot hold", message, 1, true)
          assert.matches("  text  " .. whole .. "\n", message, 1, true)
          assert.is_nil(message:find "text.*text")
        end
      end
    end
    local function given(v, text, expected)
      for _, other in ipairs(others) do
        local s = table_of(v):assign{s = text .. (other == "" and "" or " + 0 * int64(median(k))")}.s
        assert.equal(expected, s:get(0), text)
      end
    end
    refused(column("int64", {most, 1}), "sum(v)", "sum that int64")
    refused(column("int64", {least, -1}), "nansum(v)", "sum that int64")
    refused(column("int64", {most, most, most, most}), "sum(v)", "sum that int64")
    refused(column("int64", {{most, 1}, {0, 0}}), "sum(v, 1)", "sum that int64")
    refused(column("int64", {1 << 32, 1 << 31}), "prod(v)", "product that int64")
    refused(column("int32", {1 << 30, 1 << 30, 8}), "prod(v)", "product that int64")
    refused(column("int64", {most, 1}), "sum(v * 1)", "sum that int64")
    refused(column("uint64", {most, most, 2}), "sum(v)", "sum that uint64")
    refused(column("uint8", {128, 128, 128, 128, 128, 128, 128, 128, 128, 2}), "prod(v)", "product that uint64")
    given(column("int64", {most, most, -most}), "sum(v)", most)
    given(column("int64", {most - 1, 1}), "sum(v)", most)
    given(column("int64", {least + 1, -1}), "sum(v)", least)
    given(column("int64", {-(1 << 32), 1 << 31}), "prod(v)", least)
    given(column("int64", {{most, 0}, {most, 0}}), "sum(v, 1)", most)
    given(column("int8", {127, -128, 0}), "prod(v)", 0)
    assert.equal(-2, table_of(column("uint64", {most, most})):assign{s = "sum(v)"}.s:to("int64"):get(0))
    assert.equal(1 << 63, strew.expr "sum(v)"{v = column("int64", {most, 1})}:item()) -- a tensor's wraps
  end)
end)

describe("quantiles of tensors", function()
  it("take a table of numbers", function()
    local q = {0.1, 0.5, 0.9}
    for _, dtype in ipairs(loops.floats) do
      local t = T({4.0, 1, 2, 8}, {dtype = dtype})
      local several = t:quantile(q)
      assert.same({dtype, {3}}, {several.dtype, several.shape})
      for i, one in ipairs(q) do assert.equal(t:quantile(one):item(), several:get(i - 1)) end
      check(numbers(several), t:quantile(q, {skip_nan = true}), dtype, "without NaN")
      assert.is_true(strew.equal(several, strew.quantile{self = t, q = q}))
    end
    local t = T{{4.0, 1}, {2, 8}}
    support.evaluate({
      {"t:quantile({0, 1}, 1)", "float32[2, 2] {{1.0, 2.0}, {4.0, 8.0}}"},
      {"t:quantile{q = {0, 1}, dim = 0}", "float32[2, 2] {{2.0, 1.0}, {4.0, 8.0}}"},
      {"t:quantile{0.5}", "float32[1] {3.0}"}, {"t:percentile{0, 50}", "float32[2] {1.0, 3.0}"},
      {"strew.grad(function(x) return x:quantile{0, 1}:sum() end)(t)", "float32[2, 2] {{0.0, 1.0}, {0.0, 1.0}}"},
    }, {strew = strew, t = t})
    assert.matches("'q' has value 2.0 at [1], expected numbers from", support.message(t.quantile, t, {0, 2}), 1, true)
    assert.matches("'q' has \"a\" at", support.message(t.quantile, t, {"a"}), 1, true)
    local to = lacks_float64 and "float32" or "float64"
    for _, dtype in ipairs{"int64", "uint32", "int32", "int8", "bool"} do
      for _, name in ipairs{"quantile", "percentile", "mean", "std", "norm"} do
        local message = support.message(t[name], t:to(dtype), name:find "ile$" and 0.5 or nil)
        assert.matches(('self:to("%s")'):format(to), message, 1, true)
      end
    end
  end)

  it("correlations of a table are those of each two columns, whether elements are missing or not", function()
    local columns = {}
    for i = 1, 7 do
      local v = strew.randn(57) * i
      if i % 3 == 0 then v[i] = nan end
      columns[i] = {"c" .. i, i == 7 and strew.ones(57) or v}
    end
    local x = strew.table(columns)
    for _, y in ipairs{x, x:columns{"c1", "c2", "c4", "c7"}, x:head(1)} do
      for _, method in ipairs{"pearson", "spearman"} do
        local out, names = y:corr{method = method}, y:columns()
        for _, a in ipairs(names) do
          for k, b in ipairs(names) do
            local one, pair = out[a][k - 1], y[a]:corr(y[b], {method = method}):item()
            assert.is_true(one == pair or one ~= one and pair ~= pair, a .. b .. method)
          end
        end
      end
    end
  end)
end)
