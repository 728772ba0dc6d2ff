-- Methods of groupings of a table by names of columns, loops over groups, and statistics of two columns: values of
-- pandas 3.
local strew = require "strew"
local support = require "tests.spec.support"
local nan = 0 / 0

local function near(expected, t)
  local list = t:tolist()
  assert.equal(#expected, #list)
  for k, x in ipairs(expected) do
    if x ~= x then assert.is_true(list[k] ~= list[k]) else assert.is_true(math.abs(x - list[k]) <= 1e-12) end
  end
end

local function text(x)
  local parts = {}
  for k, name in ipairs(strew.columns(x)) do parts[k] = name .. " " .. support.text(x[name]) end
  return table.concat(parts, "; ")
end

local function data()
  return strew.table{{"g", {2, 1, 2, 1, 2, 2, 1, 3}}, {"v", {1.5, 4, 2, 4, 2, 8, 6.5, 1}},
    {"i", {3, 1, 4, 1, 5, 9, 2, 6}}, {"w", {"q", "", "p", "", "q", "p", "", "z"}}}
end

describe("groupings of a table", function()
  local x = data()
  local g = x:group_by "g"

  it("take names of columns, and texts of them", function()
    if support.lacks_float64 then return pending "without float64, which the device lacks" end
    for name in ([[sum mean min max prod var std median first last count nunique cumsum rank argsort shift diff
      pct_change share ffill softmax logsumexp mode skew]]):gmatch "[%w_]+" do
      local v = name:find "soft" and "v" or name == "logsumexp" and "v" or "i"
      assert.equal(support.texts(g[name], g, x[v]), support.texts(g[name], g, v), name)
    end
    assert.equal("float64[3] {29.0, 27.0, 2.0}", support.text(g:sum "v * 2"))
    near({1, 4.5, 6}, g:quantile("i", 0.5))
    assert.equal(support.text(g:max(x.v)), support.text((g:max{src = "v"})))
    near({1, 0.9683144553703064, nan}, g:corr("v", "i"))
    near({1, 0.9683144553703064, nan}, g:corr(x.v, "i"))
    assert.equal("text[8] {, , q, , p, q, , }", support.text(g:shift "w"))
  end)

  it("give tables of several columns, with the keys", function()
    if support.lacks_float64 then return pending "without float64, which the device lacks" end
    assert.equal("g int64[3] {1, 2, 3}; v float64[3] {14.5, 13.5, 1.0}; i int64[3] {4, 21, 6}", text(g:sum{"v", "i"}))
    assert.equal("g int64[3] {1, 2, 3}; i * 2 int64[3] {8, 42, 12}", text(g:sum{"i * 2"}))
    local rows = g:cumsum{"i"}
    assert.equal(support.text(x.g), support.text(rows.g))
    assert.equal(support.text(g:cumsum(x.i)), support.text(rows.i))
    local two = x:group_by{"g", "w"}:mean{"i"}
    assert.equal("int64[4] {1, 2, 2, 3}; text[4] {, p, q, z}; float64[4] {" .. 4 / 3 .. ", 6.5, 4.0, 6.0}",
      ("%s; %s; %s"):format(support.text(two.g), support.text(two.w), support.text(two.i)))
  end)

  it("have the result of each element's group, the ends of groups, and summaries", function() -- as pandas'
    if support.lacks_float64 then return pending "without float64, which the device lacks" end
    near({3.375, 29 / 6, 3.375, 29 / 6, 3.375, 3.375, 29 / 6, 1}, g:transform("v", "mean"))
    assert.equal("int64[8] {21, 4, 21, 4, 21, 21, 4, 6}", support.text(g:transform("i", "sum")))
    near({1.875, 4, 1.875, 4, 1.875, 1.875, 4, 1}, g:transform(x.v, {"quantile", q = 0.25}))
    assert.equal("text[8] {q, , q, , q, q, , z}", support.text(g:transform("w", "first")))
    assert.equal("int64[8] {4, 3, 4, 3, 4, 4, 3, 1}", support.text(g:transform("v > 2", "count")))
    local two = g:transform({"v", "i"}, "max")
    assert.equal("g int64[8] {2, 1, 2, 1, 2, 2, 1, 3}; v float64[8] {8.0, 6.5, 8.0, 6.5, 8.0, 8.0, 6.5, 1.0}; "
      .. "i int64[8] {9, 2, 9, 2, 9, 9, 2, 6}", text(two))
    assert.equal("float64[3] {1.0, nan, 2.0}", support.text(
      strew.grouping(strew.tensor{0, 5, 2}, {dim_size = 3, mode = "drop"}):transform(strew.tensor{1, 9, 2}, "sum")))
    assert.equal("time[2] {2024-01-02, 2024-01-02}", support.text(strew.group_by(strew.tensor{1, 1}):transform(
      strew.time{"2024-01-02", "2024-01-01"}, "max")))
    assert.same({{3, 1, 4, 1, 6}, {9, 2, 6}, {}}, {g:head(2).i:tolist(), g:tail(1).i:tolist(), g:head(0).i:tolist()})
    assert.same({8, 8}, {#g:head(), #g:tail(99)})
    assert.equal("int64[3] {0, 1, 7}", support.text(strew.group_by(x.g):head(1)))
    local about = g:describe("v")
    assert.same({"g", "count", "mean", "std", "min", "25%", "50%", "75%", "max"}, strew.columns(about))
    near({1.4433756729740645, 3.0923292192132457, nan}, about.std)
    near({4, 1.875, 1}, about["25%"])
    assert.same({{3, 4, 1}, {4, 2, 1}}, {about.count:tolist(), about["50%"]:tolist()})
    for code, wanted in pairs{
      ["g:transform('v', 'sun')"] = "transform: 'reduce' is \"sun\", expected sum, prod",
      ["g:transform('v', 'corr')"] = "transform: 'reduce' is \"corr\", which reduces two columns",
      ["g:transform('x', 'sum')"] = "transform: 'src' has \"x\", not found in the table",
      ["g:transform(1, 'sum')"] = "transform: 'src' is 1, expected a tensor",
      ["g:head(-1)"] = "head: 'n' is -1, expected 0 or more", ["g:describe('w')"] = "describe: 'src' is text",
      ["g:describe{'v', 'i'}"] = "describe: 'src' has 2 columns, expected one",
    } do
      assert.matches(wanted, support.message(assert(load("local g = ... return " .. code)), g), 1, true)
    end
  end)

  it("are one of all rows", function()
    if support.lacks_float64 then return pending "without float64, which the device lacks" end
    local all, none = x:group_by{}, x:rows("i > 99"):group_by{}
    assert.equal("mean float64[1] {3.875}; n int64[1] {8}; words int64[1] {4}",
      text(all:agg{{"mean", "mean", "i"}, {"n", "count"}, {"words", "nunique", "w"}}))
    assert.equal("i int64[1] {31}; v float64[1] {29.0}", text(all:sum{"i", "v"}))
    assert.equal("i int64[8] {3, 4, 8, 9, 14, 23, 25, 31}", text(all:cumsum{"i"}))
    assert.same({1, 1, 31}, {all.n, none.n, all:transform("i", "sum")[0]})
    assert.equal("i int64[1] {0}; v float64[1] {0.0}", text(none:sum{"i", "v"}))
    assert.equal("i float64[1] {nan}; w text[1] {}", text(none:max{"i", "w"}))
    assert.same({8, 0}, {all:describe("v").count:item(), none:describe("v").count:item()})
    for key, rows in all:each() do assert.same({0, 8}, {key, #rows}) end
  end)

  it("go through groups", function()
    local seen = {}
    for key, rows in g:each() do seen[#seen + 1] = key .. ":" .. table.concat(rows.i:tolist(), ",") end
    assert.same({"1:1,1,2", "2:3,4,5,9", "3:6"}, seen)
    for key, rows in x:group_by{"g", "w"}:each() do
      assert.is_true(rows.g:eq(key.g):all():item() and rows.w:eq(key.w):all():item())
    end
    for id, at in strew.grouping(strew.tensor{0, 2, 0}):each() do assert.equal(({2, 0, 1})[id + 1], #at) end
    for key, rows in g:each() do rows.i:zero_() assert(key) end
    assert.equal(31, x.i:sum():item())
    assert.is_nil(x:rows(x.i:lt(0)):group_by("g"):each()())
  end)

  it("have modes, skewness and covariances", function()
    if support.lacks_float64 then return pending "without float64, which the device lacks" end
    near({4, 2, 1}, g:mode "v")
    near({1, 3, 6}, g:mode "i")
    assert.same({"", "p", "z"}, g:mode("w"):tolist())
    near({5 / 6, 7.875, nan}, g:cov("v", "i"))
    near({1.7320508075688776, 1.9645914027997518, nan}, g:skew "v")
    near({1.7320508075688774, 1.4430588355316425, nan}, g:skew "i")
    local y = data()
    y.v[3] = nan
    local h = y:group_by "g"
    near({1, 0.9683144553703064, nan}, h:corr("v", "i", {skip_nan = true}))
    near({1.25, 7.875, nan}, h:cov("v", "i", {skip_nan = true}))
    near({nan, 1.9645914027997518, nan}, h:skew("v", {skip_nan = true}))
    local gap = strew.grouping(strew.tensor{0, 0, 1, 0, 1, 0, 0, 1, 1, 1})
    local v = strew.tensor({1, 2, 3, nan, 3.5, 4, 9, nan, 10, 11}, {dtype = "float64"})
    near({1.3309377322476703, 0.036419735738870314}, gap:skew(v, {skip_nan = true}))
    near({nan, nan}, gap:skew(v))
    near({nan, 7.875, nan}, h:cov("v", "i"))
    near({4, 2, 1}, h:mode "v")
    local flat = strew.grouping(strew.tensor{0, 0, 0})
    near({0}, flat:skew(strew.full(3, 0.1, {dtype = "float64"})))
    near({nan}, flat:corr(strew.full(3, 0.1, {dtype = "float64"}), strew.tensor{1.0, 2, 4}))
    local at = strew.time{"2024-01-02", "2024-01-01", "2024-01-02"}
    assert.same({"2024-01-02"}, flat:mode(at):tolist())
    local half = strew.grouping(strew.tensor{0}, {dim_size = 2})
    assert.equal("float64[2] {3.0, nan}", support.text(half:mode(strew.tensor{3})))
  end)

  it("aggregate two columns", function()
    if support.lacks_float64 then return pending "without float64, which the device lacks" end
    local made = g:agg{a = {"corr", "v", "i"}, b = {"cov", "v", other = x.i}, c = {"cov", x.v, "i * 2", correction = 0},
      d = {"corr", "v", "i", skip_nan = true}}
    near({1, 0.9683144553703064, nan}, made.a)
    near({5 / 6, 7.875, nan}, made.b)
    near({10 / 9, 11.8125, 0}, made.c)
    near({1, 0.9683144553703064, nan}, made.d)
    assert.equal(support.text(made.a), support.text(g:agg{{"a", "corr", "v", "i"}}.a))
  end)

  it("have the quantiles of SQL's percentile_disc", function() -- NumPy's inverted_cdf
    local v, ids = strew.tensor{7, 1, 5, 3, 9, 2, 8, 4, 6, 10}, strew.zeros({10}, {dtype = "int64"})
    for q, expected in pairs{[0] = 1, [0.1] = 1, [0.1001] = 2, [0.3] = 3, [0.5] = 5, [0.75] = 8, [0.95] = 10} do
      local options = {interpolation = "inverted_cdf"}
      local entry = {"quantile", v, q = q, interpolation = "inverted_cdf"}
      assert.equal(expected, strew.group_by(ids):agg{a = entry}.a[0], q) -- of int64
      assert.equal(expected, strew.scatter_quantile(v, ids, q, options)[0])
      assert.equal(expected, strew.segment_csr(v, strew.tensor{0, 10}, {reduce = "quantile", q = q,
        interpolation = "inverted_cdf"})[0])
      assert.equal(expected, strew.rolling(v, 10, {"quantile", q = q, interpolation = "inverted_cdf"})[9])
      assert.equal(expected, v:to("float32"):quantile(q, options):item())
      assert.equal(expected, v:to("float32"):view{2, 5}:t():reshape(10, 1):quantile(q, 0, options)[0])
    end
    local at = strew.time{"2024-01-03", "2024-01-01", "2024-01-02"}
    assert.same({"2024-01-02"}, strew.scatter_quantile(at, strew.tensor{0, 0, 0}, 0.5,
      {interpolation = "inverted_cdf"}):tolist())
  end)

  it("aggregate in an order of one's own", function()
    local made = g:agg{f = {"first", "v", by = "i"}, l = {"last", "v", by = "i"}, m = {"mode", "w"}, s = {"skew", "v"},
      d = {"first", "i", by = "0 - v"}, w = {"last", "i", by = "w"}}
    near({4, 1.5, 1}, made.f)
    near({6.5, 8, 1}, made.l)
    near({2, 9, 6}, made.d)
    near({2, 5, 6}, made.w)
    assert.same({"", "p", "z"}, made.m:tolist())
    near({4, 1.5, 1}, g:agg{f = {"first", x.v, by = x.i}}.f)
    assert.equal("q", x:pivot("g", "i // 4", "w", "mode")["0"][1])
    assert.equal(text(strew.assign(x, {k = "i // 4", u = "i + 1"}):pivot("k", "g", "u", "sum")):gsub("^k", "i // 4"),
      text(x:pivot("i // 4", "g", "i + 1", "sum")))
    assert.equal("i // 4 int64[3] {0, 1, 2}; count int64[3] {4, 3, 1}", text(x:value_counts "i // 4"))
  end)

  it("read a second column by its name, too", function()
    if support.lacks_float64 then return pending "without float64, which the device lacks" end
    local y = strew.table{{"k", {1, 1, 1}}, {"v", {1.0, nan, 9}}, {"at", {0, 1, 4}}}
    near({1, 3, 9}, y:group_by("k"):interpolate{src = "v", t = "at"})
    near({1, 3, 9}, y:group_by("k"):interpolate("v", "at"))
    near({16}, y:group_by("k"):cov{src = "v", other = "at", skip_nan = true})
  end)

  it("say what is wrong", function()
    local env = {g = g, x = x, strew = strew}
    for code, message in pairs{
      ["g:sum('zz')"] = "sum: 'src' has \"zz\", not found in the table",
      ["g:sum{'v', 'v'}"] = "sum: 'src' has \"v\", which is a key, or there twice",
      ["g:sum{'g'}"] = "sum: 'src' has \"g\", which is a key, or there twice",
      ["g:sum{'v', 1}"] = "sum: 'src' has 1 at [2], expected a column's name",
      ["g:topk({'v', 'i'}, 1)"] = "topk: 'src' has 2 columns, expected one",
      ["g:mean('w')"] = "mean: 'src' is text, expected numbers",
      ["g:shift('v', '2')"] = "shift: 'n' is \"2\", expected an integer",
      ["g:quantile('v', '0.5')"] = "quantile: 'q' is \"0.5\", expected a number",
      ["g:sum('v', 'i')"] = "sum: 'src' is a column, and \"i\" another one\n  hint  g:sum{\"v\", \"i\"} has both",
      ["g:corr('v', 'w')"] = "corr: 'other' is text, expected numbers",
      ["strew.group_by(x.g):sum('v')"] = "sum: 'src' is \"v\", expected a tensor",
      ["g:agg{f = {'first', 'v', by = 'q'}}"] = "agg: 'what' has \"q\", not found in the table",
      ["g:agg{f = {'first', 'v', by = 2.5}}"] = "agg: 'what' has 2.5 as by at key \"f\"",
      ["g:agg{f = {'first', 'v', by = 'i', skip_nan = true}}"] = "agg: 'what' has by and skip_nan at key \"f\"",
      ["g:agg{f = {'corr', 'v', 'i', other = 'i'}}"] = "agg: 'what' has two other columns at key \"f\"",
      ["g:agg{f = {'cov', 'v'}}"] = "agg: 'what' has no other column at key \"f\", expected a tensor",
      ["g:agg{f = {'cov', 'v', 2.5}}"] = "agg: 'what' has 2.5 as the other column at key \"f\"",
      ["g:agg{f = {'corr', 'v', 'w'}}"] = "agg: 'what' has \"corr\" for column \"w\" of text",
      ["g:agg{f = {'corr', 'v', 'i', 'g'}}"] = "agg: 'what' has key 4 at key \"f\"",
      ["x:pivot('g', 'i', 'v', 'corr')"] = "pivot: 'reduce' is \"corr\", which reduces two columns",
      ["strew.rolling(x.v, 3, {'cov'})"] = "rolling: 'reduce' has \"cov\", which reduces two columns",
      ["g:agg{f = {'sum', 'v', by = 'i'}}"] = "agg: 'what' has an option \"by\" of sum at key \"f\"",
    } do
      assert.matches(message, support.message(assert(load(code, code, "t", env))), 1, true)
    end
  end)
end)
