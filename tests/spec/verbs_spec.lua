-- Verbs of tables: rows and columns left out, filled, renamed, drawn, in intervals; ranks; rows in and out of Lua;
-- orders of words. Results are pandas 3.1's.
local strew = require "strew"
local support = require "tests.spec.support"

local WIDE <const> = support.lacks_float64 and "float32" or "float64"
local nan <const> = strew.nan
local function message(f, ...) return support.message(f, ...) end
local function text(t) return support.text(t) end
local function weather()
  return strew.table{{"city", {"Oslo", "", "Rome", "Oslo"}}, {"rain", {1.5, 2, nan, 1.5}}, {"n", {1, 2, 3, 1}},
    {"when", strew.time{"2024-05-17", "2024-05-18", "NaT", "2024-05-17"}}}
end

describe("a table", function()
  it("leaves out and fills missing elements", function()
    local x = weather()
    assert.same({{"Oslo", "Oslo"}, {1, 1}}, {x:dropna().city:tolist(), x:dropna().n:tolist()})
    assert.same({1, 3, 1}, x:dropna("city").n:tolist())
    assert.same({1, 2, 3, 1}, x:dropna{"n"}.n:tolist())
    assert.same({1, 2, 1}, strew.dropna(x, {"rain", "n"}).n:tolist())
    assert.same({1.5, 2, 1.5}, x.rain:dropna():tolist())
    assert.same({"Oslo", "Rome", "Oslo"}, x.city:dropna():tolist())
    assert.equal("int64[4] {1, 2, 3, 1}", text(x.n:dropna()))
    assert.same({4, 3, 4}, {#x:dropna{how = "all"}, #x:dropna({"rain", "when"}, {how = "all"}),
      #x:dropna({"city", "rain"}, {how = "all"})})
    assert.matches("dropna: 'how' is \"al\", expected any or all", message(x.dropna, x, {how = "al"}), 1, true)
    local filled = x:fillna(0)
    assert.same({{1.5, 2, 0, 1.5}, {"Oslo", "", "Rome", "Oslo"}}, {filled.rain:tolist(), filled.city:tolist()})
    filled = x:fillna{city = "?", rain = x.rain:nanmean(), when = "2024-01-01"}
    assert.same({"Oslo", "?", "Rome", "Oslo"}, filled.city:tolist())
    assert.equal(WIDE, filled.rain.dtype)
    assert.is_true(math.abs(filled.rain[2] - 5 / 3) < 1e-6)
    assert.equal("2024-01-01", filled.when[2])
    assert.same({1.5, 2, 3, 1.5}, x.rain:fillna(x.n):tolist())
    assert.same({"Oslo", "Rome"}, strew.tensor{"Oslo", ""}:fillna("Rome"):tolist())
    assert.same({"", "2"}, {x.city[1], tostring(x:fillna("x").n[1])})
    assert.same({0, 0}, {#x:rows("n > 9"):dropna(), #x:rows("n > 9"):fillna(1)})
    for code, wanted in pairs{
      ["x:fillna{rain = 'a'}"] = "fillna: 'value' has \"a\" for column \"rain\", which is " .. WIDE,
      ["x:fillna{city = 1}"] = "fillna: 'value' has 1 for column \"city\", which is text",
      ["x:fillna{town = 'a'}"] = "fillna: 'value' has \"town\", not found in x",
      ["x:fillna(print)"] = "fillna: 'value' is a function, expected a number, word or time",
      ["x:fillna()"] = "fillna: 'value' is nil",
      ["x.rain:fillna('a')"] = "fillna: 'value' has \"a\" for column \"value\", which is " .. WIDE,
      ["x:dropna('town')"] = "dropna: 'names' has \"town\", not found in x",
      ["strew.dropna(1)"] = "dropna: 'x' is 1, expected a tensor or a table of columns",
    } do
      assert.matches(wanted, message(assert(load("local strew, x = ... return " .. code)), strew, x), 1, true)
    end
  end)

  it("rounds its numbers", function()
    local x = strew.table{{"a", strew.tensor({1.234, 2.675, nan}, {dtype = WIDE})}, {"i", {15, 25, 1234}},
      {"w", {"u", "", "v"}}, {"b", {true, false, true}}, {"u", strew.tensor({15, 25, 35}, {dtype = "uint8"})},
      {"when", strew.time{"2024-05-17", "2024-05-18", "NaT"}}}
    local tens = x:round(-1)
    assert.same({{20, 20, 1230}, {20, 20, 40}}, {tens.i:tolist(), tens.u:tolist()})
    assert.same({"int64", "uint8", WIDE}, {tens.i.dtype, tens.u.dtype, tens.a.dtype})
    assert.same({{"u", "", "v"}, {true, false, true}, "2024-05-18"}, {tens.w:tolist(), tens.b:tolist(), tens.when[1]})
    assert.same({1, 3}, x:round().a:narrow(0, 0, 2):tolist())
    assert.equal(text(x.a:round(1)), text(x:round(1).a))
    local some = strew.round(x, {a = 2, i = -2})
    assert.equal(text(x.a:round(2)), text(some.a))
    assert.same({{0, 0, 1200}, {15, 25, 35}}, {some.i:tolist(), some.u:tolist()})
    assert.same(x.names, some.names)
    assert.same({15, 25, 1234}, x.i:tolist())
    assert.equal(text(strew.tensor{1.25}:round(1)), text(strew.round({strew.tensor{1.25}}, 1)[1]))
    assert.equal(0, #x:head(0):round(1))
    for code, wanted in pairs{
      ["x:round{w = 1}"] = "round: 'digits' has 1 for column \"w\", which is text, expected numbers",
      ["x:round{town = 1}"] = "round: 'digits' has \"town\", not found in x",
      ["x:round{a = 1.5}"] = "round: 'digits' has 1.5 for column \"a\", expected an integer",
      ["x:round(0.5)"] = "round: 'digits' is 0.5, expected an integer, or integers by column",
      ["x:round('a')"] = "round: 'digits' is \"a\", expected an integer, or integers by column",
      ["x:round(1, 2)"] = "round: too many arguments: 3; the arguments are (x [, digits])",
      ["strew.round({}, 1)"] = "round: 'x' is an empty table",
    } do
      assert.matches(wanted, message(assert(load("local strew, x = ... return " .. code)), strew, x), 1, true)
    end
  end)

  it("finds and leaves out repeated rows, and draws others", function()
    local x = weather()
    assert.same({false, false, false, true}, x:duplicated():tolist())
    assert.same({false, false, false, true}, x:duplicated("city"):tolist())
    assert.same({false, true, false}, strew.tensor{nan, nan, 1.0}:duplicated():tolist())
    assert.same({1, 2, 3}, x:drop_duplicates().n:tolist())
    assert.same({"Oslo", "", "Rome"}, x:drop_duplicates{"city"}.city:tolist())
    assert.same({3, 1, 2}, strew.tensor{3, 1, 3, 2, 1}:drop_duplicates():tolist())
    assert.equal(0, #x:rows("n > 9"):drop_duplicates())
    local city = strew.tensor{"Oslo", "Rome", "Oslo", "", "Oslo"}
    assert.same({true, false, true, false, false}, city:duplicated{keep = "last"}:tolist())
    assert.same({true, false, true, false, true}, city:duplicated{keep = false}:tolist())
    assert.same({{2, 3, 1}, {2, 3}}, {x:drop_duplicates("city", {keep = "last"}).n:tolist(),
      x:drop_duplicates({"city"}, {keep = false}).n:tolist()})
    assert.same({0, 0}, {#x:rows("n > 9"):drop_duplicates({"n"}, {keep = "last"}),
      x:rows("n > 9"):duplicated{keep = false}:numel()})
    assert.matches("duplicated: 'keep' is \"lsat\", expected first, last or false\n  hint  did you mean 'last'?",
      message(x.duplicated, x, {keep = "lsat"}), 1, true)
    assert.matches("drop_duplicates: 'keep' is true", message(x.drop_duplicates, x, {keep = true}), 1, true)
    local drawn = strew.table{n = strew.arange(50)}:sample(50)
    assert.same(strew.arange(50):tolist(), (drawn.n:sort()):tolist())
    assert.equal(3, #x.n:sample(3))
    assert.equal(0, #x:sample(0))
    assert.matches("sample: 'n' is 5, expected 0..4, the number of rows", message(x.sample, x, 5), 1, true)
    assert.matches("sample: 'n' is -1", message(x.sample, x, -1), 1, true)
  end)

  it("takes texts of columns as keys, which are no columns of rows that are chosen", function()
    local x = strew.table{{"day", strew.time{"2024-01-03", "2024-02-04", "2024-01-05", "NaT"}}, {"n", {1, 2, 3, 4}}}
    local months = strew.table{{"day", strew.time{"2023-01-01", "2023-02-01"}}, {"month", {"January", "February"}}}
    assert.same({false, false, true, false}, x:duplicated("month(day)"):tolist())
    local one = x:drop_duplicates({"month(day)", "n > 3"}, {keep = "last"})
    assert.same({{"day", "n"}, {2, 3, 4}}, {strew.columns(one), one.n:tolist()})
    local both = x:join(months, "month(day)")
    assert.same({"day_x", "n", "month(day)", "day_y", "month"}, strew.columns(both))
    assert.same({{"January", "February", "January"}, {1, 2, 3}}, {both.month:tolist(), both.n:tolist()})
    for how, n in pairs{left = 4, right = 3, outer = 4} do
      assert.equal(n, #x:join(months, "month(day)", {how = how}))
    end
    for how, n in pairs{semi = {1, 2, 3}, anti = {4}} do
      local some = x:join(months, "month(day)", {how = how})
      assert.same({{"day", "n"}, n}, {strew.columns(some), some.n:tolist()})
    end
    assert.same({2, 3}, strew.asof(strew.table{n = {2, 3}}, x, "n", {by = "n > 0"}).n:tolist())
    local long = x:head(2):melt("month(day)", {"n", "n * 2"})
    assert.same({{1, 2, 1, 2}, {"n", "n", "n * 2", "n * 2"}, {1, 2, 2, 4}},
      {long["month(day)"]:tolist(), long.variable:tolist(), long.value:tolist()})
    assert.same({"day", "n", "n > 2_false", "n > 2_true"}, strew.columns(x:get_dummies("n > 2")))
    for code, wanted in pairs{
      ["x:join(months, 'month(m)')"] = "join: 'key' reads m, not found in the table",
      ["x:duplicated('month(m)')"] = "duplicated: 'names' reads m, not found in the table",
      ["x.n:duplicated('value * 2')"] = "duplicated: 'names' has \"value * 2\", not found in x",
      ["x:pivot('n', 'day', {'n', 'day'}, 'sum')"] = "pivot: 'value' has 2 columns, expected one",
    } do
      assert.matches(wanted, message(assert(load("local x, months = ... return " .. code)), x, months), 1, true)
    end
  end)

  it("has a row for each part of words", function()
    local x = strew.table{{"tags", {"a,b", "b", "", ",x"}}, {"n", {1, 2, 3, 4}}}
    local y = x:explode("tags", ",")
    assert.same({{"a", "b", "b", "", "", "x"}, {1, 1, 2, 3, 4, 4}}, {y.tags:tolist(), y.n:tolist()})
    assert.same({"tags", "n"}, strew.columns(y))
    assert.same({"text", 0}, {x:rows("n > 9"):explode("tags", ",").tags.dtype, #x:rows("n > 9"):explode("tags", ",")})
    assert.same({"a,b", "b", "", ",x"}, x:explode("tags", "; ").tags:tolist())
    for code, wanted in pairs{
      ["x:explode('n', ',')"] = "explode: 'column' is \"n\", which is int64, expected text",
      ["x:explode('tags', '')"] = "explode: 'separator' is the empty word",
      ["x:explode('m', ',')"] = "explode: 'column' has \"m\", not found in x",
    } do
      assert.matches(wanted, message(assert(load("local x = ... return " .. code)), x), 1, true)
    end
  end)

  it("has correlations of ranks, and of two columns", function()
    if support.lacks_float64 then return pending "without float64, which the device lacks" end
    local x = strew.table{{"a", {1, 2, 3, 4, 5.0}}, {"b", {2, 1, nan, 5, 5}}, {"c", {9, 7, 7, nan, 1}}}
    local by_ranks = x:corr{method = "spearman"}
    local function near(wanted, got) assert.is_true(math.abs(wanted - got) < 1e-12, got) end
    near(0.7378647873726218, by_ranks.a[1])
    near(-0.9486832980505138, by_ranks.a[2])
    near(-0.5, by_ranks.b[2])
    near(0.8856148855400954, x.a:corr(x.b):item())
    near(0.7378647873726218, strew.corr(x.a, x.b, {method = "spearman"}):item())
    assert.is_true(x:corr().b[0] == x.a:corr(x.b):item() and strew.tensor{1, 1}:corr(strew.tensor{1, 2}):isnan():item())
    assert.matches("corr: 'x' is 0, expected a tensor or a table of columns", message(strew.corr, 0), 1, true)
    for code, wanted in pairs{
      ["x:corr{method = 'kendall'}"] = "corr: 'method' is \"kendall\", expected pearson or spearman",
      ["x.a:corr()"] = "corr: 'other' is nil, expected a tensor", ["x:corr(x.a)"] = "corr: 'other' is given, but x is",
      ["x.a:corr(x.a:narrow(0, 0, 2))"] = "corr: 'other' has shape [2]",
    } do
      assert.matches(wanted, message(assert(load("local x = ... return " .. code)), x), 1, true)
    end
  end)

  it("renames and leaves out columns", function()
    local x = weather()
    assert.same({"city", "mm", "n", "when"}, strew.columns(x:rename{rain = "mm"}))
    assert.same({"n", "rain", "city", "when"}, strew.columns(x:rename{city = "n", n = "city"}))
    assert.same({"city", "when"}, strew.columns(x:drop{"rain", "n"}))
    assert.same({"city", "rain", "n"}, strew.columns(strew.drop(x, "when")))
    assert.same({"city", "rain", "n", "when"}, strew.columns(x))
    for code, wanted in pairs{
      ["x:rename{rain = 'n'}"] = "rename: 'names' makes two columns \"n\"",
      ["x:rename{town = 'n'}"] = "rename: 'names' has \"town\", not found in x",
      ["x:rename{rain = 1}"] = "rename: 'names' has 1 for \"rain\", expected a name",
      ["x:drop{'city', 'rain', 'n', 'when'}"] = "drop: 'names' has all columns, and leaves none",
    } do
      assert.matches(wanted, message(assert(load("local x = ... return " .. code)), x), 1, true)
    end
  end)

  it("has the correlations of its columns", function()
    local c = strew.table{{"a", {1, 2, 3, 4}}, {"w", {"x", "y", "z", "x"}}, {"b", {1.0, 4, 2, nan}},
      {"c", {true, true, true, true}}}:corr()
    assert.same({"column", "a", "b", "c"}, strew.columns(c))
    assert.same({"a", "b", "c"}, c.column:tolist())
    assert.is_true(math.abs(c.a[1] - 0.32732683535398854) < 1e-6 and c.a[1] == c.b[0])
    assert.same({1, 1}, {c.a[0], c.b[1]})
    assert.is_true(c.c:isnan():all():item())
    assert.matches("corr: 'x' has no column of numbers", message(strew.corr, strew.table{w = {"a"}}), 1, true)
  end)

  it("is made of rows, and gives them", function()
    local x = strew.table{{city = "Oslo", rain = 1.5, n = 1, ok = true},
      {city = "Rome", when = strew.time "2024-05-17"},
      {rain = strew.null, n = 3, ok = false}}
    assert.same({"city", "n", "ok", "rain", "when"}, strew.columns(x))
    assert.same({"Oslo", "Rome", ""}, x.city:tolist())
    assert.equal(WIDE .. "[3] {1.0, nan, 3.0}", text(x.n))
    assert.equal(WIDE .. "[3] {1.0, nan, 0.0}", text(x.ok))
    assert.equal(WIDE .. "[3] {1.5, nan, nan}", text(x.rain))
    assert.same({"NaT", "2024-05-17", "NaT"}, x.when:tolist())
    assert.equal("int64[2] {1, 2}", text(strew.table{{a = 1}, {a = 2}}.a))
    assert.equal("bool[1] {true}", text(strew.table{{a = true}}.a))
    assert.equal(WIDE .. "[3] {1.0, nan, 3.0}", text(strew.table{a = {1, strew.null, 3}}.a))
    assert.same({"", "b"}, strew.table{a = {strew.null, "b"}}.a:tolist())
    assert.same({city = "Oslo", n = 1, ok = 1, rain = 1.5, when = "2024-05-17"},
      x:fillna{when = "2024-05-17"}:row(0))
    assert.equal("Rome", strew.row(x, -2).city)
    local seen = {}
    for row, i in x:each() do seen[#seen + 1] = i .. row.city end
    assert.same({"0Oslo", "1Rome", "2"}, seen)
    local sum, count = 0, 0
    for row in strew.table{v = strew.arange(3000)}:each() do sum, count = sum + row.v, count + 1 end
    assert.same({3000 * 2999 // 2, 3000}, {sum, count})
    for _ in x:rows("n > 9"):each() do error("no row") end
    for code, wanted in pairs{
      ["x:row('a')"] = "row: 'i' is \"a\", expected an integer",
      ["x:row(3)"] = "row: 'i' is 3, out of range for the rows of x (size 3, valid -3..2)",
      ["x[0]"] = "table: no column 0\n  hint  x:row(0) is that row, x[strew.tensor{0}] is a table of rows",
      ["strew.table{{a = 1}, {a = 'b'}}"] =
        "table: 'columns' has a row at [2] with a word at \"a\", expected a number, as at [1]",
      ["strew.table{{a = {}}}"] = "table: 'columns' has a row at [1] with a table at key \"a\"",
      ["strew.table{{a = 1}, {[2] = 1}}"] = "table: 'columns' has a row at [2] with 1 at key 2",
      ["strew.table{{a = (1 << 53) + 1}, {b = 1}}"] = "has 9007199254740993 in a row at [1] at \"a\", which float64",
      ["strew.table{a = {1, {}}}"] = "has column \"a\" with a table at [2], expected a number, as at [1]",
    } do
      assert.matches(wanted, message(assert(load("local strew, x = ... return " .. code)), strew, x), 1, true)
    end
    assert.equal("{2, 3}", tostring(strew.zeros(2, 3).shape))
  end)
end)

describe("values", function()
  it("have ranks with ties, as in pandas", function()
    local v = strew.tensor{3.0, 1, 3, nan, 2, 3}
    for ties, wanted in pairs{
      average = {"{4.0, 1.0, 4.0, nan, 2.0, 4.0}", "{2.0, 5.0, 2.0, nan, 4.0, 2.0}"},
      min = {"{3.0, 1.0, 3.0, nan, 2.0, 3.0}", "{1.0, 5.0, 1.0, nan, 4.0, 1.0}"},
      max = {"{5.0, 1.0, 5.0, nan, 2.0, 5.0}", "{3.0, 5.0, 3.0, nan, 4.0, 3.0}"},
      dense = {"{3.0, 1.0, 3.0, nan, 2.0, 3.0}", "{1.0, 3.0, 1.0, nan, 2.0, 1.0}"},
    } do
      assert.equal(WIDE .. "[6] " .. wanted[1], text(strew.rank(v, {ties = ties})))
      assert.equal(WIDE .. "[6] " .. wanted[2], text(v:rank{ties = ties, descending = true}))
    end
    assert.equal(text(v:rank{ties = "average"}), text(strew.rank(v)))
    assert.equal("int64[6] {2, 0, 3, 5, 1, 4}", text(v:rank{ties = "first"}))
    assert.equal("int64[4] {2, 1, 2, 3}", text(strew.tensor{5, 4, 5, 9}:rank{ties = "dense"}))
    assert.equal("int64[4] {2, 1, 2, 4}", text(strew.tensor{5, 4, 5, 9}:rank{ties = "min"}))
    assert.equal(WIDE .. "[4] {2.0, nan, 1.0, 2.0}", text(strew.tensor{"b", "", "a", "b"}:rank{ties = "dense"}))
    assert.equal(WIDE .. "[3] {nan, 2.0, 1.0}", text(strew.time{"NaT", "2024-01-02", "2024-01-01"}:rank()))
    assert.equal(WIDE .. "[0] {}", text(strew.zeros(0):rank()))
    local g = strew.group_by(strew.tensor{0, 0, 1, 1, 1, 0})
    assert.equal(WIDE .. "[6] {2.5, 1.0, 2.0, nan, 1.0, 2.5}", text(g:rank(v, {ties = "average"})))
    assert.equal(WIDE .. "[6] {1.0, 2.0, 1.0, nan, 2.0, 1.0}",
      text(g:rank(v, {ties = "dense", descending = true})))
    assert.equal(text(g:rank(v)), text(g:rank(v, {ties = "first"})))
    assert.matches("rank: 'ties' is \"mean\", expected average, min, max, dense or first",
      message(strew.rank, v, {ties = "mean"}), 1, true)
    assert.matches("rank: 'v' has 2 dimensions, expected 1", message(strew.rank, strew.ones(2, 2)), 1, true)
  end)

  it("are cut into intervals, as in pandas", function()
    local v = strew.tensor{0, 1, 5, 10, 11, nan}
    assert.same({"", "(0, 5]", "(0, 5]", "(5, 10]", "", ""}, v:cut{0, 5, 10}:tolist())
    assert.same({"[0, 5)", "[0, 5)", "[5, 10)", "", "", ""}, strew.cut(v, {0, 5, 10}, {right = false}):tolist())
    assert.same({"(-10.862, 3.838]"}, strew.tensor{1.0}:cut{-10.8625, 3.8375}.words)
    assert.same({"", "(0.5, 1.0]"}, strew.tensor{0.1, 0.55}:cut{0.12345, 0.5, 1.0}:tolist())
    assert.same({"(0.123, 0.5]", "(0.5, 1.0]"}, strew.tensor{0.2, 0.55}:cut{0.12345, 0.5, 1.0}.words)
    assert.same({"(0.12341, 0.12342]"}, strew.tensor{0.123415}:cut{0.12341, 0.12342}.words)
    assert.same({"a", "b"}, strew.tensor{1, 2}:cut({0, 1, 2}, {labels = {"a", "b"}}):tolist())
    assert.equal("int64[2] {0, 1}", text(strew.tensor{1, 2}:cut({0, 1, 2}, {labels = false})))
    assert.equal(WIDE .. "[2] {nan, 0.0}", text(strew.tensor{0, 1}:cut({0, 1, 2}, {labels = false})))
    assert.same({"(9, 10]", "(10, 11]", ""}, (strew.tensor{11, 10, 99}:cut{9, 10, 11}:sort()):tolist())
    assert.same({"low"}, strew.tensor{true}:cut({0, 1}, {labels = {"low"}}):tolist())
    assert.same({"(2024-01-01, 2024-02-01]", ""},
      strew.time{"2024-01-17", "NaT"}:cut{"2024-01-01", "2024-02-01"}:tolist())
    assert.same({"(0.999, 2.75]", "(2.75, 4.5]", "(4.5, 6.25]", "(6.25, 8.5]"},
      strew.qcut(strew.tensor({1, 2, 3, 4, 5, 6, 7, 8.5}, {dtype = WIDE}), 4).words)
    assert.same({0, 0, 1, 1, 2, 2, 3, 3}, strew.tensor{1, 2, 3, 4, 5, 6, 7, 8}:qcut(4, {labels = false}):tolist())
    assert.same({"lo", "hi", "", "lo"}, strew.tensor{1.0, 9, nan, 2}:qcut(2, {labels = {"lo", "hi"}}):tolist())
    for _, row in ipairs{
      {strew.cut, v, {0, 0}, "cut: 'edges' has 0 at [2], expected numbers in ascending order"},
      {strew.cut, v, 0, "cut: 'edges' is 0, expected 1 or more intervals"},
      {strew.cut, v, "a", "cut: 'edges' is \"a\", expected two numbers or more, or a number of intervals"},
      {strew.cut, strew.tensor{nan}, 2, "cut: 'v' has no number"},
      {strew.cut, strew.tensor{0, 1 / 0}, 2, "cut: 'v' has an infinity"},
      {strew.cut, strew.time{"2024-01-01"}, 2, "cut: 'edges' is 2, expected times"},
      {strew.cut, strew.tensor{"a"}, {0, 1}, "cut: 'v' is text, expected numbers or times"},
      {strew.qcut, strew.tensor{1.0, 1, 1, 2}, 4, "qcut: 'q' gives 1.0 twice: too many values are equal"},
      {strew.qcut, v, 0, "qcut: 'q' is 0, expected the number of parts"},
    } do
      assert.matches(row[4], message(row[1], row[2], row[3]), 1, true)
    end
    assert.matches("cut: 'labels' has 1 entries, expected 2, one for each interval",
      message(strew.cut, v, {0, 1, 2}, {labels = {"a"}}), 1, true)
  end)

  it("are cut into intervals of equal width, and the first with both edges, as in pandas", function()
    local v = strew.tensor({1, 2, 3, 4, 5, nan}, {dtype = WIDE})
    local n = strew.tensor{1, 2, 3, 4, 5}
    assert.same({"(0.996, 3.0]", "(0.996, 3.0]", "(0.996, 3.0]", "(3.0, 5.0]", "(3.0, 5.0]", ""}, v:cut(2):tolist())
    assert.same({0, 0, 1, 2, 2}, n:cut(3, {labels = false}):tolist())
    assert.same({"[1.0, 3.0)", "[3.0, 5.004)"}, n:cut(2, {right = false}):drop_duplicates():tolist())
    assert.same({"(2.997, 3.0]", "(-0.001, 0.0]", "(-3.001, -2.999]"}, {strew.tensor{3, 3}:cut(2)[0],
      strew.tensor{0, 0}:cut(2)[1], strew.tensor{-3}:cut(3)[0]})
    assert.same({"(1.948, 12.4]", "(12.4, 22.8]", "(22.8, 33.2]", "(33.2, 43.6]", "(43.6, 54.0]"},
      strew.tensor({22, 38, 26, 35, 35, 54, 2, 27, 14, 4}, {dtype = WIDE}):cut(5).words)
    assert.same({"a", "a", "b", "b", "b"}, n:cut(2, {labels = {"a", "b"}, right = false}):tolist())
    assert.same({"(0.999, 3.0]", "(3.0, 5.0]"}, n:cut({1, 3, 5}, {include_lowest = true}):drop_duplicates():tolist())
    assert.same({0, 0, 0, 1, 1}, n:cut({1, 3, 5}, {include_lowest = true, labels = false}):tolist())
  end)

  it("become columns of bools", function()
    local x = strew.get_dummies(strew.tensor{"b", "a", "", "b"})
    assert.same({"a", "b"}, strew.columns(x))
    assert.same({{false, true, false, false}, {true, false, false, true}}, {x.a:tolist(), x.b:tolist()})
    assert.same({"1", "3"}, strew.columns(strew.tensor{3, 1, 3}:get_dummies()))
    assert.matches("get_dummies: 'v' has no word that is not missing",
      message(strew.get_dummies, strew.tensor{""}), 1, true)
    local y = weather():get_dummies()
    assert.same({"rain", "n", "when", "city_Oslo", "city_Rome"}, strew.columns(y))
    assert.same({true, false, false, true}, y.city_Oslo:tolist())
    assert.same({"city", "rain", "when", "n_1", "n_2", "n_3"}, strew.columns(weather():get_dummies{"n"}))
    assert.same({"rain", "when", "n_1", "n_2", "n_3", "city_Oslo", "city_Rome"},
      strew.columns(weather():get_dummies{"n", "city"}))
    assert.same({"0.0", "1.0"}, strew.columns(strew.tensor{-0.0, 0.0, 1}:get_dummies()))
    assert.matches("get_dummies: 'names' has \"m\", not found", message(strew.get_dummies, weather(), "m"), 1, true)
    assert.matches("get_dummies: 'v' has no column of text",
      message(strew.get_dummies, strew.table{n = {1}}), 1, true)
    assert.matches('makes two columns "a_1"',
      message(strew.get_dummies, strew.table{a_1 = {1}, a = {1}}, "a"), 1, true)
  end)
end)

describe("an order of words", function()
  local days = {"Thur", "Fri", "Sat", "Sun"}
  local function ordered(list) return strew.text(list, {words = days, ordered = true}) end

  it("is that of sorts, comparisons, extremes, groups and pivots", function()
    local t = ordered{"Sun", "Thur", "Sat", "Fri", "Sun"}
    assert.same({"Thur", "Fri", "Sat", "Sun", "Sun"}, (t:sort()):tolist())
    assert.same({3, 0, 2, 1, 3}, t:codes():tolist())
    assert.same({"Sun", "Thur"}, {t:max():item(), t:min():item()})
    assert.same({false, true, false, true, false}, t:lt("Sat"):tolist())
    assert.same({true, false, true, false, true}, t:ge("Sat"):tolist())
    assert.same({true, false, false, false, true}, t:eq("Sun"):tolist())
    assert.same({false, false, false, false, false}, t:eq("Monday"):tolist())
    assert.same({true, true, false, false, true}, t:isin{"Sun", "Thur"}:tolist())
    assert.same({false, true, true, true, false}, t:lt(strew.tensor{"Sun", "Sun", "Sun", "Sun", "Sun"}):tolist())
    assert.same({"Thur", "Fri", "Sat", "Sun"}, t:unique():tolist())
    assert.same({4, 1, 3, 2, 4}, t:rank{ties = "dense"}:tolist())
    local x = strew.table{{"day", t}, {"meal", {"L", "D", "L", "D", "D"}}, {"tip", {1, 2, 3, 4, 5}}}
    assert.same(days, x:group_by("day"):agg{n = "count"}.day:tolist())
    assert.same({"Sun", "Sun", "Sat", "Fri", "Thur"}, x:sort_by("-day").day:tolist())
    assert.same({"meal", "Thur", "Fri", "Sat", "Sun"}, strew.columns(x:pivot("meal", "day", "tip", "sum")))
    assert.same({2, 4}, x:rows("day < 'Sat'").tip:tolist())
    assert.same({"Thur", "Fri"}, x:rows("day < 'Sat'"):sort_by("day").day:tolist())
    local extremes = x:group_by("meal"):agg{first = {"min", "day"}, last = {"max", "day"}}
    assert.same({{"Thur", "Sat"}, {"Sun", "Sun"}}, {extremes.first:tolist(), extremes.last:tolist()})
    assert.same({"Sat", "Sun"}, (strew.cat{t:narrow(0, 2, 1), t:narrow(0, 0, 1)}:sort()):tolist())
    assert.same({"Sat", "Sun"}, (strew.concat{x:rows("tip == 1"), x:rows("tip == 3")}:sort_by("day")).day:tolist())
    assert.same(days, t:to("cpu"):unique():tolist())
  end)

  it("has missing words last, and no others", function()
    local t = ordered{"Sun", "", "Thur"}
    assert.same({"Thur", "Sun", ""}, (t:sort()):tolist())
    assert.same({"Sun", "Thur", ""}, strew.table{day = t}:sort_by("-day").day:tolist())
    assert.same({"", "Thur"}, strew.where(t:eq("Sun"), "", t):sort() and {"", "Thur"})
    assert.same({"Thur", "Sun"}, (ordered{"Sun", "Thur"}:sort()):tolist())
    for code, wanted in pairs{
      ["ordered{'Sun', 'Mon'}"] = "text: 'x' has \"Mon\" at [1], which is not in 'words'",
      ["ordered{'Sun'}:lt('Monday')"] = "lt: the word \"Monday\" is not one of the ordered words",
      ["ordered{'Sun'}:masked_fill(strew.tensor{true}, 'Mon')"] = "the word \"Mon\" is not one of the ordered words",
      ["strew.cat{ordered{'Sun'}, strew.tensor{'Mon'}}"] = "the word \"Mon\" is not one of the ordered words",
      ["ordered{'Sun'}:lt(strew.text({'Sun'}, {words = {'Sun', 'Thur'}, ordered = true}))"] = "have two orders",
      ["strew.text({'a'}, {ordered = true})"] = "text: 'words' is missing, expected the words in their order",
    } do
      local call = assert(load("local strew, ordered = ... return " .. code))
      assert.matches(wanted, message(call, strew, ordered), 1, true)
    end
    local t2 = ordered{"Sun"}
    assert.is_false(pcall(function() t2[0] = "Mon" end))
    assert.same({"Sun"}, t2:tolist())
    assert.same({"Sun", "Mon"}, strew.cat{strew.tensor{"Sun"}, strew.tensor{"Mon"}}:tolist())
    assert.same({"b", "a"}, strew.text({0, 1}, {words = {"b", "a"}, ordered = true}):sort():tolist())
    assert.same({"a", "b"}, strew.text({"b", "a"}, {words = {"b", "a"}}):sort():tolist())
  end)

  it("is an option of load and chunks", function()
    local path = os.tmpname() .. ".csv"
    support.put(path, "day,tip\nSun,1\nThur,2\nSat,3\n,4\n")
    local x = strew.load(path, {ordered = {day = days}})
    assert.same({"Thur", "Sat", "Sun", ""}, x:sort_by("day").day:tolist())
    assert.same({"day", "tip"}, strew.columns(x))
    local seen = {}
    for chunk in strew.chunks(path, {ordered = {day = days}, rows = 2}) do
      for _, word in ipairs((chunk.day:sort()):tolist()) do seen[#seen + 1] = word end
    end
    assert.same({"Thur", "Sun", "Sat", ""}, seen)
    assert.matches("load: 'ordered' of column \"day\" has \"Sun\" at [0], which is not in 'words'",
      message(strew.load, path, {ordered = {day = {"Thur"}}}), 1, true)
    assert.matches("load: 'ordered' has column \"tip\", which is int64, expected text",
      message(strew.load, path, {ordered = {tip = {"1"}}}), 1, true)
    assert.matches("load: 'ordered' has \"week\", not found in x",
      message(strew.load, path, {ordered = {week = {"1"}}}), 1, true)
    assert.matches("load: 'ordered' is 1, expected a table", message(strew.load, path, {ordered = 1}), 1, true)
    os.remove(path)
  end)
end)
