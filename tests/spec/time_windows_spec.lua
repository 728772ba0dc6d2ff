-- Windows, steps and ranges of time, joins to the nearest with `how`, and aggregates that grow: values of pandas 3 and
-- polars.
local strew = require "strew"
local support = require "tests.spec.support"
local format, nan = string.format, 0 / 0

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

local function refused(rows, env)
  for code, message in pairs(rows) do
    env.strew = strew
    assert.matches(message, support.message(assert(load(code, code, "t", env))), 1, true)
  end
end

local x = strew.table{{"v", {1.0, 2, 4, 8, 16, 32}}, {"k", {"a", "b", "a", "a", "b", "b"}}, {"n", {1, 2, 4, 8, 16, 32}}}
x.t = strew.time{"2024-01-01T00:00", "2024-01-01T01:00", "2024-01-01T01:30", "2024-01-01T05:00", "2024-01-02T05:00",
  "2024-01-02T07:00"}

it("spans begin where polars' truncate has them", function()
  local t = strew.time{"2024-02-29", "1969-12-31T23:00", "NaT", "2025-08-09T10:11:12"}
  for span, days in pairs{
    ["1 week"] = "2024-02-26 1969-12-29 2025-08-04", ["2 weeks"] = "2024-02-19 1969-12-22 2025-08-04",
    weeks = "2024-02-26 1969-12-29 2025-08-04", ["7 days"] = "2024-02-29 1969-12-25 2025-08-07",
    ["1 month"] = "2024-02-01 1969-12-01 2025-08-01", ["2 months"] = "2024-01-01 1969-11-01 2025-07-01",
    ["5 months"] = "2023-10-01 1969-08-01 2025-06-01", ["2 quarters"] = "2024-01-01 1969-07-01 2025-07-01",
    ["1 year"] = "2024-01-01 1969-01-01 2025-01-01", ["10 years"] = "2020-01-01 1960-01-01 2020-01-01",
  } do
    local floor = strew.floor_time(t, span)
    assert.equal(days, table.concat(floor:dropna():tolist(), " "), span)
    local y = strew.table{{"t", t}, {"n", {1, 2, 4, 8}}}:resample(span, "t"):agg{n = {"sum", "n"}}
    assert.equal(11, y.n:sum():item())
    assert.is_true(floor:dropna():isin(y.t):all():item(), span)
  end
end)

it("interpolation keeps the elements that are there", function()
  if support.lacks_float64 then return pending "without float64, which the device lacks" end
  local t = strew.time{"9999-12-31T23:59:59.999999", "NaT", "2000-12-31T00:00:00.000001", "0001-01-01"}
  assert.same({"9999-12-31T23:59:59.999999", "6000-07-01T12:00", "2000-12-31T00:00:00.000001", "0001-01-01"},
    t:interpolate():tolist())
end)

describe("steps of weeks", function()
  it("begin on Mondays, also before 1970", function()
    local y = strew.table{{"v", {1, 2, 3, 4}}, {"t", strew.time{"2024-05-12", "2024-05-13", "NaT", "2024-05-27T09:00"}}}
    assert.equal("t time[4] {2024-05-06, 2024-05-13, 2024-05-20, 2024-05-27}; v int64[4] {1, 2, 0, 4}",
      text(y:resample("week", "t"):sum{"v"}))
    y.t = strew.time{"1969-12-28", "1969-12-29", "1970-01-05", "NaT"}
    assert.equal("t time[3] {1969-12-22, 1969-12-29, 1970-01-05}; v int64[3] {1, 2, 3}",
      text(y:resample("week", "t"):sum{"v"}))
    assert.equal("t time[2] {1969-12-01, 1970-01-01}; v int64[2] {3, 3}", text(y:resample("month", "t"):sum{"v"}))
    local none, gap = y:rows("v > 9"), y:rows("v > 3")
    assert.same({0, 0}, {#none:resample("week", "t"):sum("v"), #gap:resample("day", "t"):sum("v")})
  end)
end)

describe("windows around rows", function()
  it("are cut at the ends, as pandas'", function()
    local n, g = strew.tensor{1, 2, 3, 4, 5, 6}, strew.group_by(strew.tensor{"a", "b", "a", "a", "b", "a"})
    local v = strew.tensor{1.5, 4, nan, 7, 3, 2}
    local function rolled(...) return support.text(strew.rolling(...)) end
    assert.equal("int64[6] {3, 6, 10, 14, 18, 15}", rolled(n, 4, "sum", {center = true, min_count = 1}))
    assert.equal("int64[6] {21, 21, 21, 21, 21, 21}", rolled(n, 20, "sum", {center = true, min_count = 1}))
    assert.equal("int64[6] {4, 7, 8, 13, 7, 10}", rolled(n, 3, "sum", {center = true, by = g, min_count = 1}))
    assert.equal("float32[6] {4.0, 4.0, 7.0, 7.0, 7.0, 3.0}",
      rolled(v, 3, {"max", skip_nan = true}, {center = true, min_count = 1}))
    assert.equal("float32[6] {nan, nan, nan, nan, 4.0, nan}", rolled(v, 3, "mean", {center = true}))
    assert.equal("int64[0] {}", rolled(n:narrow(0, 0, 0), 3, "sum", {center = true}))
    for size = 1, 9 do -- windows of an odd size that begin half of it before
      local own, at = strew.rolling(n, size, "max", {center = true, min_count = 1}), strew.arange(6)
      local half = (size - 1) // 2
      local ranges = strew.ranges(n, (at - (size - 1 - half)):maximum(0), (at + half + 1):minimum(6), "max")
      assert.is_true(strew.equal(own, ranges), size)
    end
    refused({["strew.rolling(n, 3, 'sum', {center = true, on = n})"] = "'center' cannot be combined with 'on'",
      ["strew.rolling(n, 3, 'sum', {center = 1})"] = "'center' is 1, expected a boolean"}, {n = n})
  end)
end)

describe("windows by time", function()
  it("of even steps are those of rows", function()
    if support.lacks_float64 then return pending "without float64, which the device lacks" end
    local n = 57
    local t, v = strew.arange(n) * 10, strew.arange(n):remainder(7)
    local one = strew.grouping(strew.zeros(n, {dtype = "int64"}), {dim_size = 1}) -- takes no short cut
    for _, width in ipairs{1, 25, 30, 560, 9999} do
      for _, closed in ipairs{"right", "both"} do
        for _, reduce in ipairs{"sum", "mean", "median"} do
          for _, min_count in ipairs{1, 3} do
            local function rolled(on, g)
              return strew.rolling(v, width, reduce, {on = on, closed = closed, min_count = min_count, by = g})
            end
            local what = ("%s %s %s %d"):format(width, closed, reduce, min_count)
            assert.equal(support.text(rolled(t, one)), support.text(rolled(t)), what)
            for _, at in ipairs{20, 56} do -- one step is shorter or longer
              local own = strew.where(strew.arange(n):ge(at), t + 5, t)
              assert.equal(support.text(rolled(own, one)), support.text(rolled(own)), what)
            end
          end
        end
      end
    end
  end)

  it("include the ends that they are to", function()
    if support.lacks_float64 then return pending "without float64, which the device lacks" end
    for closed, of in pairs{right = {{1, 3, 7, 8, 16, 32}, {1, 1.5, 2, 8, 16, 32}},
      left = {{nan, 1, 3, nan, nan, 16}, {nan, 1, 1.5, nan, nan, 16}},
      both = {{1, 3, 7, 8, 16, 48}, {1, 1.5, 2, 8, 16, 24}},
      neither = {{nan, 1, 3, nan, nan, nan}, {nan, 1, 1.5, nan, nan, nan}}} do
      near(of[1], strew.rolling(x.v, "2h", "sum", {on = x.t, closed = closed}))
      near(of[1], strew.rolling(x.n, 7200, "sum", {on = x.t, closed = closed}))
      near(of[2], strew.rolling(x.v, "120min", "median", {on = x.t, closed = closed}))
      local hours = (x.t - x.t[0]) / 3600
      near(of[1], strew.rolling(x.v, 2, "sum", {on = hours, closed = closed}))
    end
    near({nan, 1.5, 7 / 3, nan, nan, nan}, strew.rolling(x.v, "2h", "mean", {on = x.t, min_count = 2}))
    near({0, 1, 3, 0, 0, 16}, strew.rolling(x.v, "2h", "sum", {on = x.t, closed = "left", min_count = 0}))
    assert.equal("int64[6] {1, 3, 7, 8, 16, 32}", support.text(strew.rolling(x.n, "2h", "sum", {on = x.t})))
    local same = strew.time{"2024-01-01", "2024-01-01", "2024-01-01T00:30", "2024-01-02"}
    near({1, 3, 7, 8}, strew.rolling(strew.tensor{1, 2, 4, 8}, "1h", "sum", {on = same}))
    near({nan, nan, 3, nan}, strew.rolling(strew.tensor{1, 2, 4, 8}, "1h", "sum", {on = same, closed = "left"}))
  end)

  it("lie within groups", function()
    near({1, 2, 4, 8, 16, 32}, strew.rolling(x.v, "90min", "sum", {on = x.t, by = x.k}))
    near({1, 2, 5, 12, 16, 48}, strew.rolling(x.v, "5h", "sum", {on = x.t, by = x.k}))
    local y = x:rows(strew.tensor{0, 1, 4, 2, 5, 3}) -- ascending in each group alone
    near({1, 2, 16, 5, 48, 12}, strew.rolling(y.v, "5h", "sum", {on = y.t, by = y.k}))
    assert.matches("on' has value 2024-01-01T01:00 at [3], expected ascending values in each group", support.message(
      strew.rolling, x.v, "5h", "sum",
      {on = x.t:index_copy(0, strew.tensor{3}, x.t:narrow(0, 1, 1)), by = x.k}), 1, true)
  end)

  it("reduce times and words", function()
    if support.lacks_float64 then return pending "without float64, which the device lacks" end
    assert.same({"a", "a", "a", "a", "b", "b"}, strew.rolling(x.k, "2h", "first", {on = x.t}):tolist())
    assert.equal("2024-01-01T00:50", strew.rolling(x.t, "2h", "mean", {on = x.t})[2])
    local v = strew.where(x.v:eq(2), nan, x.v)
    near({1, nan, nan, 8, 16, 32}, strew.rolling(v, "2h", "sum", {on = x.t}))
    near({1, 1, 5, 8, 16, 32}, strew.rolling(v, "2h", {"sum", skip_nan = true}, {on = x.t}))
    local none = x:head(0)
    assert.equal("float64[0] {}", support.text(strew.rolling(none.v, "2h", "sum", {on = none.t})))
    assert.equal("float64[0] {}", support.text(strew.rolling(none.v, "2h", "sum", {on = none.t, by = none.k})))
  end)

  it("are errors where they have no sense", function()
    refused({
      ["strew.rolling(v, '2h', 'sum')"] = "rolling: 'n' is \"2h\", expected an integer",
      ["strew.rolling(v, 2, 'sum', {closed = 'left'})"] = "rolling: 'closed' is given, but no 'on'",
      ["strew.rolling(v, 2, 'sum', {on = t, closed = 'up'})"] = "rolling: 'closed' is \"up\", expected right, left",
      ["strew.rolling(v, '1 month', 'sum', {on = t})"] = "rolling: 'n' is a number of months",
      ["strew.rolling(v, '2h', 'sum', {on = v})"] = "rolling: 'n' is \"2h\", expected a number above 0",
      ["strew.rolling(v, 0, 'sum', {on = t})"] = "rolling: 'n' is 0, expected seconds above 0",
      ["strew.rolling(v, '2h', 'sum', {on = t:flip(0)})"] =
        "rolling: 'on' has value 2024-01-02T05:00 at [1], expected ascending values",
      ["strew.rolling(v, 2, 'sum', {on = v / 0 * 0})"] = "rolling: 'on' has value nan at [0], expected no missing",
      ["strew.rolling(v, 2, 'sum', {on = v:narrow(0, 0, 2)})"] = "rolling: 'on' has shape [2], expected [6]",
      ["strew.rolling(v, 2, 'sum', {on = k})"] = "rolling: 'on' is text, expected numbers or times",
    }, {v = x.v, t = x.t, k = x.k})
  end)
end)

describe("steps of time", function()
  it("are ranges", function()
    assert.same({"2024-01-31", "2024-02-29", "2024-03-31", "2024-04-30", "2024-05-31", "2024-06-30"},
      strew.date_range("2024-01-31", "2024-06-30", "month"):tolist())
    assert.same({"2024-01-01", "2024-01-01T07:00", "2024-01-01T14:00", "2024-01-01T21:00"},
      strew.date_range("2024-01-01", "2024-01-02", "7h"):tolist())
    assert.same({"2024-02-29", "2025-02-28"}, strew.date_range("2024-02-29", "2026-02-27", "year"):tolist())
    for step, count in pairs{day = 367, week = 53, quarter = 5, month = 13, [86400] = 367, ["2 days"] = 184} do
      assert.equal(count, #strew.date_range("2024-01-01", "2025-01-01", step), step)
    end
    assert.equal("2024-01-01T00:00:00.25", strew.date_range("2024-01-01", "2024-01-02", 0.25)[1])
    assert.equal(0, #strew.date_range("2024-01-02", "2024-01-01"))
    assert.same({"2024-01-01T01:30"}, strew.floor_time("2024-01-01T01:44", "15min"):reshape(1):tolist())
    refused({
      ["strew.date_range('2024-01-01', {periods = 5})"] =
        "'last' is a table, expected a time\n  hint  strew.time(first) + strew.arange(n) * 86400 are n days",
      ["strew.date_range('2024-01-01', '2024-02-01', 0)"] = "date_range: 'step' is 0, expected seconds above 0",
      ["strew.date_range('2024-01-01', '2024-02-01', '1.5 months')"] = "date_range: 'step' is \"1.5 months\"",
      ["strew.date_range('NaT', '2024-02-01')"] = "date_range: 'first' is NaT, expected a time",
      ["strew.date_range(3, '2024-02-01')"] = "date_range: 'first' is 3, expected a time",
    }, {})
  end)

  it("group rows, and have groups without rows", function()
    if support.lacks_float64 then return pending "without float64, which the device lacks" end
    assert.equal("t time[4] {2024-01-01, 2024-01-01T08:00, 2024-01-01T16:00, 2024-01-02}; c int64[4] {4, 0, 0, 2}; "
      .. "m float64[4] {1.0, nan, nan, 16.0}; s float64[4] {15.0, 0.0, 0.0, 48.0}",
      text(x:resample("8h", "t"):agg{s = {"sum", "v"}, m = {"min", "n"}, c = "count"}))
    local g = x:resample("8h", "t")
    near({1, nan, nan, 16}, g:min "n")
    near({3.75, nan, nan, 24}, g:mean{"v"}.v)
    assert.same({"a", "", "", "b"}, g:first("k"):tolist())
    near({nan, 1, 2, 4, nan, 16}, g:shift "v")
    assert.equal("t time[2] {2024-01-01, 2024-01-02}; m float64[2] {3.75, 24.0}",
      text(x:resample("day", "t"):agg{m = {"mean", "v"}}))
    local by = x:resample("12h", "t", {by = "k"}):agg{s = {"sum", "v"}}
    assert.equal("k text[4] {a, b, b, b}; t time[4] {2024-01-01, 2024-01-01, 2024-01-01T12:00, 2024-01-02}; "
      .. "s float64[4] {13.0, 2.0, 0.0, 48.0}", text(by))
    local y = strew.assign(x, {t = x.t:masked_fill(x.v:eq(4), "NaT")})
    near({11, 48}, y:resample("day", "t"):sum "v")
    assert.equal(0, x:rows(x.v:lt(0)):resample("day", "t").n)
    local months = strew.table{{"t", strew.time{"2024-01-31", "2024-04-01"}}, {"v", {1, 2}}}:resample("month", "t")
    assert.same({"2024-01-01", "2024-02-01", "2024-03-01", "2024-04-01"}, months.keys.t:tolist())
    refused({
      ["x:resample('day', 'v')"] = "resample: 'on' is a column of float64, expected times",
      ["x:resample('zz', 't')"] = "resample: 'step' is \"zz\", expected seconds above 0, or a span",
      ["x:resample('day', 't', {by = 't'})"] = "resample: 'by' has \"t\", which is 'on'",
      ["x:resample('day', 'tt')"] = "resample: 'on' has \"tt\", not found in x",
    }, {x = x})
  end)
end)

it("asof keeps the rows that `how` names", function()
  if support.lacks_float64 then return pending "without float64, which the device lacks" end
  local a = strew.table{{"at", {1, 5, 9}}, {"p", {1, 2, 3}}}
  local b = strew.table{{"at", {2, 3, 8, 20}}, {"q", {7, 8, 9, 10}}}
  assert.equal("at int64[3] {1, 5, 9}; p int64[3] {1, 2, 3}; q float64[3] {nan, 8.0, 9.0}",
    text(strew.asof(a, b, "at", {how = "left"})))
  assert.equal("at int64[2] {5, 9}; p int64[2] {2, 3}; q int64[2] {8, 9}",
    text(strew.asof(a, b, "at", {how = "inner"})))
  assert.equal("at int64[5] {1, 5, 9, 2, 20}; p float64[5] {1.0, 2.0, 3.0, nan, nan}; "
    .. "q float64[5] {nan, 8.0, 9.0, 7.0, 10.0}", text(strew.asof(a, b, "at", {how = "outer"})))
  refused({["strew.asof(a, b, 'at', {how = 'righ'})"] = "asof: 'how' is \"righ\", expected inner, left or outer"},
    {a = a, b = b})
end)

describe("aggregates that grow", function()
  local what = {s = {"sum", "v"}, m = {"mean", "v"}, sd = {"std", "v"}, va = {"var", "n", unbiased = false},
    lo = {"min", "n"}, hi = {"max", "t"}, c = "count", cv = {"count", "v", skip_nan = true}, f = {"first", "w"},
    l = {"last", "n"},
    p = {"prod", "d"}, an = {"any", "b"}, al = {"all", "b"}, mn = {"mean", "n"}, ss = {"sum", "v * 2", skip_nan = true}}
  local function data(rows)
    local y = strew.table{{"k", strew.randint(0, 7, {rows})}, {"v", strew.randn(rows):to "float64"}}
    y.n, y.w = strew.randint(-9, 9, {rows}):to "int32", strew.text(strew.randint(0, 5, {rows}))
    y.t, y.b, y.d = (strew.randint(0, 1 << 50, {rows})):to "time", y.n:gt(-7), y.n:sign() + 1
    y.v:masked_fill_(y.n:eq(3), nan)
    return y
  end

  local function same(expected, got)
    assert.same(strew.columns(expected), strew.columns(got))
    for _, name in ipairs(strew.columns(expected)) do
      local a, b = expected[name], got[name]
      assert.equal(a.dtype, b.dtype, name)
      if a.dtype:find "float" then
        assert.is_true((a:isclose(b, 1e-12, 1e-12) | a:ne(a) & b:ne(b)):all():item(), name)
      else
        assert.same(a:tolist(), b:tolist(), name)
      end
    end
  end

  it("have the result of the whole table", function()
    if support.lacks_float64 then return pending "without float64, which the device lacks" end
    for rows = 1, 120, 17 do
      local y = data(rows)
      local cut = rows // 3
      local a, b = strew.aggregate({"k", "w"}, what), strew.aggregate({"k", "w"}, what)
      a:add(y:head(cut)):add(y:head(0))
      b:add(y:rows(strew.arange(cut, rows // 2))):add(y:rows(strew.arange(rows // 2, rows)))
      local whole = y:group_by{"k", "w"}:agg(what)
      same(whole, a:merge(b):result())
      local c = strew.aggregate({"k", "w"}, what)
      for first = 0, rows - 1, 10 do c:add(y:rows(strew.arange(first, math.min(first + 10, rows)))) end
      same(whole, c:result())
      local exact = y:group_by{"k", "w"}:agg{s = what.s, m = what.m, mn = what.mn, ss = what.ss,
        sd = {"std", "v", exact = true}, va = {"var", strew.tensor(y.n:tolist(), {dtype = "float64"}), exact = true,
        unbiased = false}}
      for _, name in ipairs{"s", "m", "mn", "ss", "sd", "va"} do -- the same bits
        for _, other in ipairs{a, c} do
          assert.same(exact[name]:nan_to_num(7):tolist(), other:result()[name]:nan_to_num(7):tolist(), name)
        end
      end
    end
  end)

  it("have sums of the real numbers, in any chunks and order", function()
    if support.lacks_float64 then return pending "without float64, which the device lacks" end
    local chunks = {strew.table{{"k", {1, 1}}, {"v", {1e16, 1}}}, strew.table{{"k", {1, 2}}, {"v", {-1e16, 1e-20}}},
      strew.table{{"k", {1, 2}}, {"v", {1, 1}}}} -- the last one of integers
    local of = {s = {"sum", "v"}, m = {"mean", "v", exact = true}, va = {"var", "v"}}
    for _, order in ipairs{{1, 2, 3}, {3, 2, 1}, {2, 3, 1}} do
      local a, b = strew.aggregate("k", of), strew.aggregate("k", of)
      a:add(chunks[order[1]]):add(chunks[order[2]])
      b:add(chunks[order[3]])
      assert.equal("k int64[2] {1, 2}; m float64[2] {0.5, 0.5}; s float64[2] {2.0, 1.0}; "
        .. "va float64[2] {6.6666666666667e+31, 0.5}", text(a:merge(b):result()))
    end
    refused({["strew.aggregate('k', {m = {'mean', 'v', exact = false}})"] =
      "aggregate: 'what' has an option exact at key \"m\", which cannot be merged"}, {})
  end)

  it("merge into one that has no rows, and keep dtypes", function()
    local y = strew.table{{"k", {"a", "b", "a"}}, {"v", strew.tensor{0.1, 0.2, 0.3}}, {"n", strew.tensor({1, 2, 3},
      {dtype = "uint8"})}}
    local of = {s = {"sum", "v"}, m = {"mean", "v"}, sd = {"std", "v"}, n = {"sum", "n"}, x = {"max", "n"}, c = "count"}
    local a, b = strew.aggregate("k", of), strew.aggregate("k", of)
    same(y:group_by("k"):agg(of), a:merge(b:add(y)):merge(strew.aggregate("k", of)):result())
    assert.equal("float32", a:result().s.dtype)
    same(strew.concat{y, y, y}:group_by("k"):agg(of), a:merge(b):add(y):result())
  end)

  it("keep the order of columns, and keys that are texts", function()
    if support.lacks_float64 then return pending "without float64, which the device lacks" end
    local a = strew.aggregate("n // 10", {{"z", "sum", "v"}, {"a", "count"}})
    a:add(strew.table{{"n", {5, 15, 7}}, {"v", {1.5, 2, 0.5}}})
    assert.equal("n // 10 int64[2] {0, 1}; z float64[2] {2.0, 2.0}; a int64[2] {2, 1}", text(a:result()))
    a:add(strew.table{{"n", {15}}, {"v", {2}}})
    assert.equal("n // 10 int64[2] {0, 1}; z float64[2] {2.0, 4.0}; a int64[2] {2, 2}", text(a:result()))
    assert.equal("aggregate of 2 groups by n // 10", tostring(a))
  end)

  it("change nothing when a chunk is refused", function()
    local a = strew.aggregate("k", {s = {"sum", "v"}, m = {"mean", "v"}})
    a:add(strew.table{{"k", {1, 2}}, {"v", {math.maxinteger, 1}}})
    local before = text(a:result())
    for _, bad in ipairs{strew.table{{"k", {1}}}, strew.table{{"v", {1}}}, strew.table{{"k", {3, 1}}, {"v", {1, 1}}},
      strew.table{{"k", {4}}, {"v", {"word"}}}, strew.table{{"k", {"word"}}, {"v", {1}}}} do
      assert.is_false(pcall(a.add, a, bad))
      assert.equal(before, text(a:result()))
    end
  end)

  it("have the dtype of all chunks, and refuse those of another kind", function()
    if support.lacks_float64 then return pending "without float64, which the device lacks" end
    local function chunk(key, v, dtype) return strew.table{{"k", {key}}, {"v", strew.tensor({v}, {dtype = dtype})}} end
    for _, pair in ipairs{{{1, "int8"}, {300, "int64"}}, {{1, "uint8"}, {-1, "int16"}}, {{true, "bool"}, {5, "int64"}},
      {{5, "int32"}, {true, "bool"}}, {{3, "int64"}, {0.5, "float32"}}, {{0.5, "float32"}, {3, "int8"}},
      {{true, "bool"}, {7, "uint16"}}, {{-1, "int8"}, {9007199254740993, "int64"}},
      {{4294967295, "uint32"}, {-9007199254740993, "int64"}}} do
      local a, b = chunk("a", table.unpack(pair[1])), chunk("b", table.unpack(pair[2]))
      local of = {lo = {"min", "v"}, l = {"last", "v"}, s = {"sum", "v"}, p = {"prod", "v"}}
      local whole = strew.concat{a, b}:group_by("k"):agg(of)
      same(whole, strew.aggregate("k", of):add(a):add(b):result())
      same(whole, strew.aggregate("k", of):add(a):merge(strew.aggregate("k", of):add(b)):result())
    end
    for _, word in ipairs{"min", "max", "first", "last"} do
      local grown = strew.aggregate("k", {m = {word, "v"}}):add(chunk("a", 1, "int64"))
      for _, bad in ipairs{strew.tensor{"2"}, strew.time{"1970-01-02"}} do
        local y = strew.table{{"k", {"a"}}, {"v", bad}}
        refused({["a:add(y)"] = format("a:add: 'chunk' has %s in column \"v\", which had int64 before", bad.dtype),
          ["a:merge(strew.aggregate('k', {m = {'" .. word .. "', 'v'}}):add(y))"] =
            format("a:merge: 'other' has %s in column \"v\", which had int64 before", bad.dtype)}, {a = grown, y = y})
      end
      assert.equal("k text[1] {a}; m int64[1] {1}", text(grown:result()))
      assert.equal("aggregate of 1 groups by k", tostring(grown))
      refused({["strew.aggregate('k', {m = {'" .. word .. "', 'v'}}):add(a):add(b)"] =
        "a:add: 'chunk' has column \"v\" with value 9007199254740993, which float64 cannot hold"},
        {a = chunk("a", 9007199254740993, "int64"), b = chunk("b", 0.5, "float64")})
    end
  end)

  it("name what cannot be merged", function()
    refused({
      ["strew.aggregate('k', {m = {'median', 'v'}})"] = "aggregate: 'what' has \"median\" at key \"m\", which cannot",
      ["strew.aggregate('k', {m = {strew.reduction{init = 0, combine = 'acc + x'}, 'v'}})"] =
        "aggregate: 'what' has a reduction of one's own at key \"m\", which cannot be merged",
      ["strew.aggregate('k', {m = {'summ', 'v'}})"] = "aggregate: 'what' has \"summ\" at key \"m\", expected sum",
      ["strew.aggregate('k', {m = {'sum'}})"] = "aggregate: 'what' has no column at key \"m\"",
      ["strew.aggregate('k', {m = {'sum', 'v', fill = 3}})"] = "aggregate: 'what' has an option fill at key \"m\"",
      ["strew.aggregate('k', {})"] = "aggregate: 'what' is an empty table", ["strew.aggregate({}, {c = 'count'})"] =
        "aggregate: 'by' has nil, expected names of columns",
      ["strew.aggregate('k', {c = 'count'}):result()"] = "a:result: 'self' has no rows",
      ["strew.aggregate('k', {c = 'count'}):merge(strew.aggregate('q', {c = 'count'}))"] =
        "a:merge: 'other' has other keys or reductions",
      ["strew.aggregate('q', {c = 'count'}):add(x)"] = "a:add: 'by' has \"q\", not found in chunk",
      ["strew.aggregate('k', {c = 'count'}).add({}, x)"] = "a:add: 'self' is a table, expected an aggregate",
      ["strew.aggregate('k', {c = 'count'}).add(5)"] =
        "the arguments are (self, chunk)\n  hint  use : to call a method: a:add",
    }, {x = x})
  end)

  it("of chunks without rows has the columns of others", function()
    if support.lacks_float64 then return pending "without float64, which the device lacks" end
    local none = x:rows("n > 99")
    local wanted = {s = {"sum", "n"}, m = {"mean", "n"}, f = {"first", "k"}, c = "count"}
    local a = strew.aggregate("k", wanted):add(none)
    assert.equal(text(none:group_by("k"):agg(wanted)), text(a:result()))
    assert.equal(text(a:result()), text(strew.aggregate("k", wanted):merge(a):result()))
    assert.equal(text(x:group_by("k"):agg(wanted)), text(a:add(x):add(none):result()))
    local other = strew.table{{"k", {"a"}}, {"n", {1}}, {"v", {0.5}}}:rows("n > 99")
    assert.equal("float64", other:melt("k").value.dtype) -- of int64 and float64, as with rows
    assert.equal("float64", strew.concat{other:columns{"n"}, other:columns{"v"}:rename{v = "n"}}.n.dtype)
  end)
end)
