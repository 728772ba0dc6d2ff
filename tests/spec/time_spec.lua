-- time_spec.lua: times: their text, order, arithmetic, calendar, files.
local strew = require "strew"
local support = require "tests.spec.support"

local NAT <const> = math.mininteger
local FLOAT64 <const> = support.lacks_float64 and "cpu" or strew.zeros(1).device -- has it

-- The days of the years `first` to `last`, one after the other: {year, month, day, weekday, day_of_year}.
local function days_of(first, last)
  local lengths, list = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}, {}
  local weekday = 5 -- 1600-01-01 was a Saturday
  for year = 1600, last do
    lengths[2] = (year % 4 == 0 and year % 100 ~= 0 or year % 400 == 0) and 29 or 28
    local of_year = 0
    for month = 1, 12 do
      for day = 1, lengths[month] do
        of_year = of_year + 1
        if year >= first then list[#list + 1] = {year, month, day, weekday, of_year} end
        weekday = (weekday + 1) % 7
      end
    end
  end
  return list
end

local function text_of(day) return ("%04d-%02d-%02d"):format(day[1], day[2], day[3]) end

-- Microseconds, from -range to range.
local function draw(n, range)
  local list = {}
  for i = 1, n do list[i] = math.random(13) == 1 and NAT or math.random(-range, range) end
  return list
end

-- True if a is before b; NaT is last.
local function is_before(a, b)
  if a == NAT or b == NAT then return a ~= NAT end
  return a < b
end

describe("times", function()
  it("are in the calendar", function()
    local days, text = days_of(1895, 2105), {}
    for i, day in ipairs(days) do text[i] = text_of(day) end
    local t = strew.time(text)
    local us = t:to("int64"):tolist()
    for i = 1, #us do assert.equal((i - 1) * 86400000000 + us[1], us[i]) end
    assert.equal(0, strew.time("1970-01-01"):to("int64"):item())
    assert.same(text, t:tolist())
    local last = t + 86399.999999
    local c = strew.calendar(last)
    local year, month, day = c.year:tolist(), c.month:tolist(), c.day:tolist()
    local weekday, of_year = c.weekday:tolist(), c.day_of_year:tolist()
    local months, quarters, years, weeks = {}, {}, {}, {}
    for i, parts in ipairs(days) do
      assert.same(parts, {year[i], month[i], day[i], weekday[i], of_year[i]})
      months[i], years[i] = text_of{parts[1], parts[2], 1}, text_of{parts[1], 1, 1}
      quarters[i] = text_of{parts[1], parts[2] - (parts[2] - 1) % 3, 1}
      weeks[i] = text[i - parts[4]] or false
    end
    assert.is_true(c.hour:eq(23):all():item() and c.minute:eq(59):all():item() and c.second:eq(59):all():item())
    local floors = {month = months, quarter = quarters, year = years, day = text}
    for unit, expected in pairs(floors) do assert.same(expected, strew.floor_time(last, unit):tolist()) end
    for short, unit in pairs{min = "minute", h = "hour", s = "second", d = "day", w = "week", us = "microsecond"} do
      assert.is_true(strew.equal(strew.floor_time(last, short), strew.floor_time(last, unit)), short)
    end
    local of_week = strew.floor_time(t + 1, "week"):tolist()
    for i = 7, #weeks do assert.equal(weeks[i], of_week[i]) end
  end)

  it("are read and written", function()
    for text, expected in pairs{
      ["2024-05-17T12:30:00.25"] = 1715949000250000, ["1969-12-31T23:59:59.9999999"] = -1,
      ["0001-01-01"] = -62135596800000000, ["+12024-01-01"] = false,
      ["2024-05-17 14:30:00,250000+02:00"] = 1715949000250000, ["NaT"] = NAT, [""] = NAT,
    } do
      local t = strew.time(text)
      if expected then assert.equal(expected, t:to("int64"):item(), text) end
      assert.is_true(strew.equal(t:to("int64"), strew.time(t:item()):to("int64")), text)
    end
    assert.same({2, 3}, strew.time{{"2024-01-01", "NaT", ""}, {"2024-01-01", "NaT", ""}}.shape)
    local most = strew.tensor{math.maxinteger, NAT + 1}:to("time")
    assert.same({"+294247-01-10T04:00:54.775807", "-290308-12-21T19:59:05.224193"}, most:tolist())
    assert.is_true(strew.equal(most, strew.time(most:tolist())))
    for _, row in ipairs{
      {"17/05/2024 1:05 PM", "%d/%m/%Y %I:%M %p", "2024-05-17T13:05"}, {"May 7, 24", "%b %d, %y", "2024-05-07"},
      {"Friday 17 may 1969", "%A %d %B %Y", "1969-05-17"}, {"2024-366", "%Y-%j", "2024-12-31"},
      {"12:00 AM|1970", "%I:%M %p|%Y", "1970-01-01"},
      {"20240517T010203.5Z", "%Y%m%dT%H%M%S.%f%z", "2024-05-17T01:02:03.5"},
      {"05/17/24 01:02:03 +0100", "%D %T %z", "2024-05-17T00:02:03"},
      {"100%", "%S0%%", "1970-01-01T00:00:10"}, {"1", "%Q", false}, {"5 ", "%S%", false},
    } do
      local fine, t = pcall(strew.time, row[1], row[2])
      assert.equal(row[3], fine and t:item(), row[1])
    end
    for text, fact in pairs{
      ["2023-02-29"] = "which is not in the calendar", ["2024-01-01T24:01"] = "which is not in the calendar",
      ["294248-01-01"] = "expected a time", ["+294248-01-01"] = "beyond what int64 microseconds can hold",
      ["x"] = "expected a time", ["2024-01-01Z"] = "expected a time", ["2024-1-1"] = "expected a time",
    } do
      assert.equal(("time: 'x' is %q, %s"):format(text, fact), support.message(strew.time, text):match("[^\n]*"))
      assert.equal(("time: 'x' has %q, %s, at x[2]"):format(text, fact),
        support.message(strew.time, {"2024-01-01", text}):match("[^\n]*"))
    end
    assert.equal("time: 'x' has 5 at x[1], expected the text of a time\n"
      .. "  hint  strew.time(x, \"s\") reads seconds since 1970, also \"ms\", \"us\" and \"ns\"",
      support.message(strew.time, {5}))
  end)

  it("are read from numbers with a unit", function()
    if support.lacks_float64 then return pending "without float64, which the device lacks" end
    for _, row in ipairs{
      {1704153600, "s", "2024-01-02"}, {1704153600.25, "s", "2024-01-02T00:00:00.25"},
      {1704153600123, "ms", "2024-01-02T00:00:00.123"}, {1704153600123456, "us", "2024-01-02T00:00:00.123456"},
      {1704153600123456789, "ns", "2024-01-02T00:00:00.123456"}, {-1, "ns", "1969-12-31T23:59:59.999999"},
      {-1.5, "s", "1969-12-31T23:59:58.5"}, {0 / 0, "s", "NaT"}, {1e300, "s", "NaT"}, {math.maxinteger, "s", "NaT"},
      {math.maxinteger, "ns", "2262-04-11T23:47:16.854775"}, {math.mininteger, "us", "NaT"},
    } do
      local x, unit, expected = table.unpack(row)
      assert.equal(expected, strew.time(x, unit):item(), x)
      assert.same({{expected}, {"1970-01-01"}}, strew.time({{x}, {0}}, unit):tolist(), x)
      local t = strew.tensor({x, 0}, {dtype = math.type(x) == "float" and "float64" or "int64"})
      assert.same({expected, "1970-01-01"}, strew.time(t, unit):tolist(), x)
    end
    assert.same({"1970-01-01T00:00:01"}, strew.time(strew.tensor({1}, "uint8"), "s", {device = "cpu"}):tolist())
    assert.equal(0, strew.time({}, "s"):numel())
    for _, x in ipairs{{true}, strew.tensor{true}, "2024", strew.tensor{"2024"}, {"2024"}} do
      assert.matches("^time: '%l+' ", support.message(strew.time, x, "s"))
    end
  end)

  it("are ordered, NaT last", function()
    math.randomseed(3)
    for _, n in ipairs{0, 1, 2, 7, 100, 5000} do
      local us = draw(n, n == 100 and 5 or math.maxinteger)
      local t = strew.tensor(us, {dtype = "int64"}):to("time")
      local sorted = table.move(us, 1, n, 1, {})
      table.sort(sorted, is_before)
      local values, order = t:sort(0)
      assert.same(sorted, values:to("int64"):tolist())
      assert.is_true(strew.equal(values:to("int64"), t[order]:to("int64")))
      assert.same(order:tolist(), t:argsort(0):tolist())
      local distinct = {}
      for _, value in ipairs(sorted) do
        if value ~= distinct[#distinct] then distinct[#distinct + 1] = value end
      end
      assert.same(distinct, t:unique():to("int64"):tolist())
      assert.equal(n - #t[t:isnan()], #t[t:eq(t)])
      if n > 0 then
        local has_nat = sorted[n] == NAT
        assert.equal(has_nat and NAT or sorted[1], t:min():to("int64"):item())
        assert.equal(has_nat and NAT or sorted[n], t:max():to("int64"):item())
        assert.equal(t:to("int64"):eq(sorted[has_nat and n or 1]):nonzero()[0][0], t:argmin():item())
      end
      local at = values:searchsorted(t):tolist()
      for i = 1, n do
        assert.is_true(at[i] == 0 or is_before(sorted[at[i]], us[i]))
        assert.is_false(is_before(sorted[at[i] + 1], us[i]))
      end
    end
  end)

  it("compare as floats do, NaT as NaN", function()
    math.randomseed(4)
    local function float(x) return x == NAT and 0 / 0 or x end
    local a, b = draw(3000, 3), draw(3000, 3)
    local t, u = strew.tensor(a):to("time"), strew.tensor(b):to("time")
    local ways = {
      eq = function(x, y) return x == y end, ne = function(x, y) return x ~= y end,
      lt = function(x, y) return x < y end, le = function(x, y) return x <= y end,
      gt = function(x, y) return x > y end, ge = function(x, y) return x >= y end,
    }
    for name, way in pairs(ways) do
      local all, one, other = strew[name](t, u):tolist(), strew[name](t, "1970-01-01"):tolist(), strew[name](t, "NaT")
      for i = 1, #a do
        assert.equal(way(float(a[i]), float(b[i])), all[i], name)
        assert.equal(way(float(a[i]), 0), one[i], name)
      end
      assert.equal(name == "ne", other:any():item())
    end
    for name, expected in pairs{minimum = math.min, min = math.min, maximum = math.max, max = math.max} do
      local all = strew[name](t, u):to("int64"):tolist()
      for i = 1, #a do
        assert.equal((a[i] == NAT or b[i] == NAT) and NAT or expected(a[i], b[i]), all[i])
      end
    end
    local extremes = strew.tensor{NAT, NAT + 1, math.maxinteger, 0}:to("time")
    assert.same({false, true, true, true}, extremes:eq(extremes):tolist())
    assert.same({false, true, false, true}, extremes:lt(extremes[2]):tolist())
    assert.is_false(strew.equal(extremes, extremes))
    assert.same({false, true, true, true}, extremes:isin(extremes):tolist())
  end)

  it("are added to seconds", function()
    math.randomseed(5)
    local us, gaps = draw(2000, 1 << 55), {}
    local t = strew.tensor(us):to("time")
    for i = 1, #us do gaps[i] = math.random(-1 << 40, 1 << 40) end
    local s = strew.tensor(gaps, {dtype = "int64"})
    for sign, moved in pairs{[1] = t + s, [-1] = t - s} do
      for i, value in ipairs(moved:to("int64"):tolist()) do
        assert.equal(us[i] == NAT and NAT or us[i] + sign * gaps[i] * 1000000, value)
      end
      local back = (moved:to(FLOAT64) - t:to(FLOAT64)):tolist()
      for i = 1, #us do
        if us[i] == NAT then assert.is_true(back[i] ~= back[i]) else assert.equal(sign * gaps[i] + 0.0, back[i]) end
      end
    end
    local zero = strew.time("1970-01-01")
    for seconds, expected in pairs{[0.1] = 100000, [-0.25] = -250000, [2.5e-6] = 2, [3.5e-6] = 4, [1e300] = NAT,
                                   [-1e13] = NAT, [1 / 0] = NAT, [9223372036854.0] = 9223372036854000000} do
      assert.equal(expected, (zero + seconds):to("int64"):item(), seconds)
    end
    assert.equal(NAT, (zero + 0 / 0):to("int64"):item())
    assert.equal(NAT, (zero + 9223372036855):to("int64"):item())
    assert.equal(NAT, (strew.tensor(math.maxinteger):to("time") + 1):to("int64"):item())
    local new_year = 1577836800000000
    local moved, floats = strew.time{"2020-01-01", "NaT"}, strew.tensor({0.5, 1}, {dtype = "float32"})
    assert.same({new_year + 500000, NAT}, (moved + floats):to("int64"):tolist())
    assert.same({new_year - 500000, NAT}, (moved - floats):to("int64"):tolist())
    assert.same({new_year - 1500000, NAT}, (moved - 1.5):to("int64"):tolist())
    local x = strew.assign({m = moved, a = floats}, {b = "m + a", c = "m - 0.5"})
    assert.same({new_year + 500000, new_year - 500000}, {x.b:to("int64")[0], x.c:to("int64")[0]})
    assert.equal(1, strew.rows(x, "m + 0.5 > '2020-01-01'").m:size(0))
    zero = zero:to(FLOAT64)
    assert.equal(-0.000001, (zero - "1970-01-01T00:00:00.000001"):item())
    local far = strew.tensor({math.maxinteger, NAT + 1}, {device = FLOAT64}):to("time")
    assert.equal(2.0 ^ 64 / 1e6, (far[0 + 0] and (far:narrow(0, 0, 1) - far:narrow(0, 1, 1)):item()))
    assert.equal("2024-02-29", (86400 + strew.time("2024-02-28")):item())
    assert.same({1.5, -0.5}, strew.time({"1970-01-01", "1970-01-01T00:00:01.5", "1970-01-01T00:00:01"},
      {device = FLOAT64}):diff():tolist())
  end)

  it("are floored to seconds", function()
    math.randomseed(6)
    local us = draw(2000, 1 << 50)
    local t = strew.tensor(us):to("time")
    for unit, step in pairs{[900] = 900000000, [0.25] = 250000, [1e-6] = 1, hour = 3600000000, minute = 60000000,
                            second = 1000000, millisecond = 1000, microsecond = 1} do
      for i, value in ipairs(strew.floor_time(t, unit):to("int64"):tolist()) do
        assert.equal(us[i] == NAT and NAT or us[i] - us[i] % step, value, unit)
      end
    end
    for _, unit in ipairs{0, -1, 0 / 0, 1.5e-7, "fortnight", 1e300} do
      assert.matches("^floor_time: 'unit' is ", support.message(strew.floor_time, t, unit))
    end
  end)

  it("are moved and chosen", function()
    local t = strew.time{"2024-01-01", "NaT", "1960-02-29"}
    local function texts(x) return table.concat(x:reshape(-1):tolist(), " ") end
    for _, row in ipairs{
      {t:flip(), "1960-02-29 NaT 2024-01-01"},
      {strew.cat{t, t:narrow(0, 0, 1)}, "2024-01-01 NaT 1960-02-29 2024-01-01"},
      {strew.stack{t, t}, "2024-01-01 NaT 1960-02-29 2024-01-01 NaT 1960-02-29"},
      {strew.where(t:isnan(), "2000-01-01", t), "2024-01-01 2000-01-01 1960-02-29"},
      {t[strew.tensor{2, 0}], "1960-02-29 2024-01-01"}, {t[t:eq(t)], "2024-01-01 1960-02-29"},
      {t:masked_fill(t:isnan(), "1999-01-01"), "2024-01-01 1999-01-01 1960-02-29"},
      {t:gather(0, strew.tensor{2, 2}), "1960-02-29 1960-02-29"}, {t:roll(1), "1960-02-29 2024-01-01 NaT"},
      {t:scatter(0, strew.tensor{0}, t:narrow(0, 2, 1)), "1960-02-29 NaT 1960-02-29"},
      {t:scatter(0, strew.tensor{0, 2}, "1970-01-01", {reduce = "min"}), "1970-01-01 NaT 1960-02-29"},
      {t:clone():maximum_("1970-01-01"), "2024-01-01 NaT 1970-01-01"},
      {t:clone():clamp_{max = "1970-01-01"}, "1970-01-01 NaT 1960-02-29"},
      {strew.ranges(t, strew.tensor{0, 1}, strew.tensor{2, 1}, {"first", fill = "1970-01-01"}),
        "2024-01-01 1970-01-01"},
      {strew.expr"t"{t = t}:fill_("1970-01-01"):narrow(0, 0, 1), "1970-01-01"}, {t, "2024-01-01 NaT 1960-02-29"},
      {t:index_fill(0, strew.tensor{1}, "1970-01-01"), "2024-01-01 1970-01-01 1960-02-29"},
      {t:repeat_interleave(2):narrow(0, 2, 3), "NaT NaT 1960-02-29"}, {t:take(strew.tensor{2}), "1960-02-29"},
      {strew.full({2}, "2024-01-01", {dtype = "time"}), "2024-01-01 2024-01-01"},
      {t:clone(), "2024-01-01 NaT 1960-02-29"},
      {strew.scatter_first(t, strew.tensor{1, 1, 3}), "NaT 2024-01-01 NaT 1960-02-29"},
      {strew.scatter_max(t, strew.tensor{0, 1, 0}), "2024-01-01 NaT"},
      {(strew.scatter_min(t, strew.tensor{0, 0, 1})), "NaT 1960-02-29"},
      {(strew.scatter_min(t, strew.tensor{0, 0, 1}, {skip_nan = true})), "2024-01-01 1960-02-29"},
      {(strew.scatter_max(t, strew.tensor{0, 0, 1}, {skip_nan = true})), "2024-01-01 1960-02-29"},
    } do
      assert.equal("time", row[1].dtype)
      assert.equal(row[2], texts(row[1]))
    end
    local u = t:clone()
    u[0], u[1] = "2001-01-01", u[2]
    assert.equal("2001-01-01 1960-02-29 1960-02-29", texts(u))
    u:fill_("NaT")
    assert.equal("time[3] cpu\n            ", tostring(u:to("cpu")):gsub("%s+$", "\n            "), nil)
  end)

  it("are keys and columns of tables", function()
    local t = strew.time{"2024-01-02", "NaT", "1960-02-29", "2024-01-02", "NaT"}
    local x = strew.columns({when = t, v = strew.arange(5)}, {"when", "v"})
    local g = strew.group_by(x, "when")
    assert.same({"1960-02-29", "2024-01-02", "NaT"}, g.keys.when:tolist())
    local out = g:agg{n = "count", last = {"last", "when"}, late = {"max", "when"}, times = {"count", "when"}}
    assert.same({1, 2, 2}, out.n:tolist())
    assert.same({1, 2, 2}, out.times:tolist())
    assert.same({"1960-02-29", "2024-01-02", "NaT"}, out.late:tolist())
    assert.same({2, 0, 3, 1, 4}, strew.sort_by(x, "when").v:tolist())
    local other = strew.columns({when = t:narrow(0, 0, 3), w = strew.arange(3)}, {"when", "w"})
    local joined = strew.join(x, other, "when")
    assert.same({0, 1, 2, 0, 1}, joined.w:tolist())
    local left = strew.join({id = strew.tensor{1, 9}},
      {id = strew.tensor{1}, when = t:narrow(0, 0, 1)}, "id", {how = "left"})
    assert.same({"2024-01-02", "NaT"}, left.when:tolist())
    assert.same({2, 2, 1}, strew.value_counts(t).count:tolist())
    assert.same({2, 1}, strew.value_counts(t, nil, {skip_nan = true}).count:tolist())
  end)

  it("are left out and counted as NaN is", function()
    local t, index = strew.time{"2024-01-01", "NaT", "1960-02-29"}, strew.tensor{0, 1, 3}
    assert.equal("2024-01-01", strew.nanmax(t):item())
    assert.equal("1960-02-29", strew.nanmin(t):item())
    assert.equal("NaT", strew.nanmin(t:narrow(0, 1, 1)):item())
    assert.same({1, 1, 1}, strew.rolling(t, 2, {"count", skip_nan = true}, {min_count = 1}):tolist())
    for _, name in ipairs{"scatter_min", "scatter_max", "scatter_first", "scatter_last"} do
      assert.same({"2024-01-01", "NaT", "2000-01-01", "1960-02-29"},
        (strew[name](t, index, {fill = "2000-01-01"})):tolist())
      assert.matches("'fill' is 7, expected a time", support.message(strew[name], t, index, {fill = 7}))
    end
    assert.same({"-290308-12-21T19:59:05.224193", "1969-12-31T23:59:59.999999"},
      strew.tensor{NAT + 1, -1}:to("time"):tolist())
    assert.same({1, 0}, strew.ranges(strew.zeros({3, 0}, {dtype = "int64"}), index:narrow(0, 0, 1),
      strew.tensor{2}, "sum").shape)
  end)

  it("have means, medians and quantiles of groups and windows", function()
    local x = strew.table{{"k", {0, 0, 1, 1, 1, 2}}, {"h", {"a", "b", "a", "b", "a", "a"}},
      {"t", strew.time{"2024-01-03", "NaT", "2024-01-01", "2024-01-05", "2024-01-02", "NaT"}}}
    local g, t = x:group_by("k"), x.t
    -- as pandas 3: groupby(k).t.mean(), median(), quantile(0.25), which leave NaT out
    assert.same({"2024-01-03", "2024-01-02T16:00", "NaT"}, g:mean(t, {skip_nan = true}):tolist())
    assert.same({"2024-01-03", "2024-01-01T12:00", "NaT"}, g:quantile(t, 0.25, {skip_nan = true}):tolist())
    for _, word in ipairs{"mean", "median"} do
      assert.same({"NaT", word == "mean" and "2024-01-02T16:00" or "2024-01-02", "NaT"}, g[word](g, t):tolist())
      assert.same(g[word](g, t):tolist(), g:agg{m = {word, "t"}}.m:tolist())
      assert.same(g[word](g, t, {skip_nan = true}):tolist(), g:agg{m = {word, "t", skip_nan = true}}.m:tolist())
    end
    local four = strew.time{"2024-01-05", "2024-01-01", "2024-01-02", "2030-01-01"}
    local one = strew.grouping(strew.zeros(4, {dtype = "int64"}))
    assert.same({"2024-01-03T12:00"}, one:median(four):tolist())
    assert.same({"NaT", "NaT", "NaT", "2024-01-03T12:00"}, strew.rolling(four, 4, "median"):tolist())
    assert.same({"2024-01-02"}, strew.scatter_median(four, one):tolist()) -- of tensors the lower one
    local p = x:pivot("k", "h", "t", {"mean", skip_nan = true})
    assert.same({{"2024-01-03", "2024-01-01T12:00", "NaT"}, {"NaT", "2024-01-05", "NaT"}}, {p.a:tolist(), p.b:tolist()})
    assert.same({"NaT", "NaT", "NaT", "2024-01-03", "2024-01-03T12:00", "NaT"}, strew.rolling(t, 2, "mean"):tolist())
    assert.same({"2024-01-03", "2024-01-03", "2024-01-01", "2024-01-03", "2024-01-03T12:00", "2024-01-02"},
      strew.rolling(t, 2, {"mean", skip_nan = true}, {min_count = 1}):tolist())
    assert.same({"NaT", "NaT", "2024-01-02", "2024-01-03", "2024-01-02", "2024-01-03T12:00"},
      strew.rolling(t, 3, {"quantile", q = 0.5, skip_nan = true}, {min_count = 2}):tolist())
    assert.same({"2024-01-03", "NaT", "2024-01-01", "2024-01-03", "2024-01-02", "NaT"},
      strew.rolling(t, 3, {"quantile", q = 0.5}, {by = g, min_count = 1}):tolist())
    assert.same({"2000-01-01", "2024-01-02T16:00"}, strew.ranges(t, strew.tensor{0, 2}, strew.tensor{0, 5},
      {"mean", fill = "2000-01-01"}):tolist())
    local h = strew.grouping(strew.tensor{0, 0, 1, 1, 3, 3})
    assert.same({"NaT", "2024-01-03", "1999-01-01", "NaT"}, h:mean(t, {fill = "1999-01-01"}):tolist())
    assert.same({"2024-01-03", "2024-01-03", "1999-01-01", "2024-01-02"},
      h:mean(t, {fill = "1999-01-01", skip_nan = true}):tolist())
    assert.same({"2024-01-03", "2024-01-01", "1999-01-01", "2024-01-02"},
      h:first(t, {fill = "1999-01-01", skip_nan = true}):tolist())
    assert.same({1, 2, 0, 1}, h:nunique(t, {skip_nan = true}):tolist())
    assert.same({"2024-01-02", "NaT"}, strew.scatter_mean{src = t:narrow(0, 4, 2),
      index = strew.tensor{0, -1}, mode = "drop", dim_size = 2}:tolist())
    assert.same({{"2024-01-03", "NaT"}}, strew.scatter_mean(t:view(1, 6), strew.grouping(strew.tensor{0, 1, -1, -1, -1,
      -1}, {mode = "drop"})):tolist())
    if support.lacks_float64 then
      for _, f in ipairs{g.std, g.var, function(_, v) return v - v[0] end, function(_, v) return v:std() end,
                         function(_, v) return strew.rolling(v, 2, "std") end} do
        assert.matches("needs seconds between times, which are float64: device", support.message(f, g, t), 1, true)
      end
      return
    end
    local seconds = strew.tensor({0, 345600, 86400}, {dtype = "float64"})
    for _, word in ipairs{"std", "var"} do
      assert.is_true(math.abs(g[word](g, t)[1] / g[word](g, strew.cat{seconds, seconds})[1] - 1) < 1e-9)
      assert.is_true(math.abs(strew.rolling(t, 3, word)[4] / seconds[word](seconds):item() - 1) < 1e-5)
    end
  end)

  it("have weeks, quarters and lengths of months, and take months", function()
    local t = strew.time{"2021-01-03T10:00", "2020-12-31", "2024-12-30", "1900-02-10", "2024-02-29", "1969-08-01"}
    local c = strew.calendar(t)
    -- pandas' isocalendar(), quarter, days_in_month
    assert.same({2020, 2020, 2025, 1900, 2024, 1969}, c.iso_year:tolist())
    assert.same({53, 53, 1, 6, 9, 31}, c.iso_week:tolist())
    assert.same({{1, 4, 4, 1, 1, 3}, {31, 31, 31, 28, 29, 31}}, {c.quarter:tolist(), c.days_in_month:tolist()})
    assert.is_true(strew.calendar(strew.time{"NaT"}).iso_week:isnan():item())
    t = strew.time{"2024-01-31T01:02:03.5", "2023-12-31", "NaT", "1969-07-20"}
    for months, expected in pairs{[0] = t:tolist(), [1] = {"2024-02-29T01:02:03.5", "2024-01-31", "NaT", "1969-08-20"},
      [-1] = {"2023-12-31T01:02:03.5", "2023-11-30", "NaT", "1969-06-20"},
      [13] = {"2025-02-28T01:02:03.5", "2025-01-31", "NaT", "1970-08-20"}} do
      assert.same(expected, t:add_months(months):tolist())
    end
    assert.same({"2024-02-29T01:02:03.5", "2024-02-29", "NaT", "1969-02-20"},
      t:add_months(strew.tensor{1, 2, 3, -5}):tolist())
    assert.same({"NaT", "NaT", "NaT", "NaT"}, t:add_months(math.maxinteger):tolist())
    assert.same({"NaT", "NaT", "NaT", "NaT"}, t:add_months(math.mininteger):tolist())
    assert.equal("2024-02-29", strew.add_months("2024-01-31", 1):item())
    for message, given in pairs{["'n' is 1.5, expected a number of months"] = {t, 1.5},
      ["'n' is float32, expected an integer dtype"] = {t, strew.ones(4)}, ["'t' is int64"] = {strew.arange(2), 1}} do
      assert.matches(message, support.message(strew.add_months, given[1], given[2]), 1, true)
    end
  end)

  it("are written by a format", function()
    local t = strew.time{"2024-05-17T13:05:09.25", "1969-12-31", "0987-01-02T12:59:59.000001", "NaT",
      "9999-12-25T23:00"}
    -- Python's strftime, its years with four digits and its days of %e with blanks
    for form, expected in pairs{
      ["%Y-%m"] = {"2024-05", "1969-12", "0987-01", "", "9999-12"},
      ["%y %m %b %B %h %d %e %j"] = {"24 05 May May May 17 17 138", "69 12 Dec December Dec 31 31 365",
        "87 01 Jan January Jan 02  2 002", "", "99 12 Dec December Dec 25 25 359"},
      ["%H:%M:%S %I %p %f"] = {"13:05:09 01 PM 250000", "00:00:00 12 AM 000000", "12:59:59 12 PM 000001", "",
        "23:00:00 11 PM 000000"},
      ["%a %A"] = {"Fri Friday", "Wed Wednesday", "Tue Tuesday", "", "Sat Saturday"},
      ["%F %T %R %D %%Y%%%d%%"] = {"2024-05-17 13:05:09 13:05 05/17/24 %Y%17%",
        "1969-12-31 00:00:00 00:00 12/31/69 %Y%31%", "0987-01-02 12:59:59 12:59 01/02/87 %Y%02%", "",
        "9999-12-25 23:00:00 23:00 12/25/99 %Y%25%"},
      ["%z"] = {"+0000", "+0000", "+0000", "", "+0000"},
    } do
      assert.same(expected, t:format(form):tolist())
      assert.same({expected[1], expected[4]}, t:take(strew.tensor{0, 3}):format(form):tolist())
    end
    local ends = strew.tensor({{math.mininteger + 1, math.maxinteger}, {-1, 0}}, {dtype = "int64"}):to("time")
    local text = ends:format("%F %T.%f%z")
    assert.same({2, 2}, {table.unpack(text.shape)})
    assert.same({{"-290308-12-21 19:59:05.224193+0000", "+294247-01-10 04:00:54.775807+0000"},
      {"1969-12-31 23:59:59.999999+0000", "1970-01-01 00:00:00.000000+0000"}}, text:tolist())
    assert.is_true(strew.time(text, "%F %T.%f%z"):equal(ends))
    local many, expected = strew.tensor{0} + strew.arange(900) * 86399, {} -- letters of days and of the clock by turns
    for k, second in ipairs(many:tolist()) do expected[k] = os.date("!%S %d.%H %M of %Y/%j%S", second) end
    assert.same(expected, strew.time(many, "s"):format("%S %d.%H %M of %Y/%j%S"):tolist())
    assert.same({{"-290308-12", "+294247-01"}, {"1969-12", "1970-01"}}, ends:format("%Y-%m"):tolist())
    assert.same({"2024-05-01", ""}, {strew.format("2024-05-01", "%F"):item(), strew.time("NaT"):format("%F"):item()})
    assert.same({{}, {"text", 0, 3}}, {strew.time{}:format("%F"):tolist(), (function()
      local none = strew.zeros(0, 3, {dtype = "int64"}):to("time"):format("%T")
      return {none.dtype, none.shape[1], none.shape[2]}
    end)()})
    for message, given in pairs{['\'format\' is "%Q", in which %Q is no part of a time'] = {t, "%Q"},
      ["its letters are Y y m b"] = {t, "%Y%q"}, ['is "%", in which % is no part'] = {t, "%"},
      ["has no part of a time"] = {t, "%%"}, ["'format' is 3, expected a string"] = {t, 3},
      ["'format' has a zero byte"] = {t, "%Y\0"}, ["'t' is int64, expected times"] = {strew.arange(2), "%Y"}} do
      assert.matches(message, support.message(strew.format, given[1], given[2]), 1, true)
    end
    -- every letter that is read is written, and read again
    local letters = select(2, pcall(strew.time, "1", "%Q")):match "letters are ([%a ]+)"
    for letter in letters:gmatch "%a" do
      local form = "%Y-%m-%d %" .. (letter == "p" and "I %p" or letter)
      assert.equal("2024-05-17", strew.time(strew.time("2024-05-17"):format(form), form):item():sub(1, 10), letter)
    end
  end)

  it("are interpolated between", function()
    local xp, v = strew.time{"2024-01-01", "2024-01-02", "2024-01-04"}, strew.tensor{0.0, 10, 30}
    local q = strew.time{"2024-01-01T12:00", "2024-01-03", "NaT", "2025-01-01", "2023-01-01"}
    local out = q:interp(xp, v)
    assert.equal(support.lacks_float64 and "float32" or "float64", out.dtype)
    out[2] = -1
    assert.same({5, 20, -1, 30, 0}, out:tolist())
    for name, list in pairs{self = {"2024-01-03", xp, v}, xp = {q, {"2024-01-01", "2024-01-02", "2024-01-04"}, v}} do
      local message = support.message(strew.interp, table.unpack(list))
      assert.matches("'" .. name .. "' is [^n].*, expected time, as the other one.*hint  strew.time%(" .. name, message)
    end
    assert.same({20, 7}, strew.time{"2024-01-03", "2020-01-01"}:interp(xp, v, {left = 7}):tolist())
    for message, given in pairs{["'self' is float32, expected time"] = {v, xp, v}, ["'fp' is time"] = {xp, xp, xp},
      ["'xp' is float32, expected time"] = {xp, v, v}, ["'xp' is empty"] = {q, xp:narrow(0, 0, 0),
      v:narrow(0, 0, 0)}} do
      assert.matches(message, support.message(strew.interp, table.unpack(given)), 1, true)
    end
    assert.matches("expected values in ascending order", support.message(strew.interp, q, xp:flip(0), v), 1, true)
  end)

  it("have exact means, rounded to the nearest microsecond, halves to even", function()
    local function random(n) return math.random(0, n) end
    for _, range in ipairs{9, 1 << 20, 1 << 56} do
      local list, sums = {}, {}
      local ids, count = {}, 40
      for i = 1, 300 do list[i], ids[i] = random(range) - range // 3, random(count - 1) end
      for i, k in ipairs(ids) do
        local s = sums[k + 1] or {}
        sums[k + 1], s[#s + 1] = s, list[i]
      end
      local t, index, expected = strew.tensor(list):to("time"), strew.tensor(ids), {}
      for k = 1, count do
        local s, whole, rest = sums[k] or {}, 0, 0
        local n = #s
        for _, v in ipairs(s) do whole, rest = whole + v // n, rest + v % n end
        whole, rest = whole + rest // math.max(n, 1), rest % math.max(n, 1)
        if 2 * rest > n or 2 * rest == n and whole % 2 == 1 then whole = whole + 1 end
        expected[k] = n > 0 and whole or NAT
      end
      assert.same(expected, strew.scatter_mean(t, index, {dim_size = count}):to("int64"):tolist())
      assert.equal(expected[1], t[index:eq(0)]:mean():to("int64"):item())
      assert.same({expected[1]}, t[index:eq(0)]:mean(0, true):to("int64"):tolist())
      local order = strew.grouping(index, {dim_size = count})
      assert.same(expected, strew.ranges(t[order:order()], order:starts():narrow(0, 0, count),
        order:starts():narrow(0, 1, count), "mean"):to("int64"):tolist())
    end
    local one = strew.tensor{0, 3}:to("time")
    assert.same({2, 2, 2}, {one:mean():to("int64"):item(), one:quantile(0.5):to("int64"):item(),
      strew.ranges(one, strew.tensor{0}, strew.tensor{2}, {"quantile", q = 0.5}):to("int64"):item()})
  end)

  it("do not pass for positions, numbers or other text", function()
    local t, zero, n = strew.time{"2024-01-01", "NaT"}, strew.time{"1970-01-01", "1970-01-01"}, strew.arange(2)
    for _, row in ipairs{
      {"'sorted' is int64, expected a time", strew.searchsorted, n, t},
      {"'boundaries' is int64, expected a time", strew.bucketize, t, n},
      {"'other' is int64, expected a time", strew.max, t, n}, {"'self' is int64, expected a time", strew.min, n, t},
      {"'index' is time", strew.scatter_nunique, n, zero}, {"'index' is time", strew.scatter_min, t, zero},
      {"'index' is time", strew.scatter_count, zero}, {"'out' is int64", strew.scatter_max, t, n, 0, n:clone()},
      {"'out' is given, but a statistic of times", strew.scatter_mean, t, n, {out = t:clone()}},
      {"'dtype' is given, but a statistic of times", strew.scatter_mean, t, n, {dtype = "float64"}},
      {"'self' is time", strew.unravel_index, zero, {3}}, {"is time", strew.ravel_multi_index, {zero, zero}, {3, 4}},
      {"'self' is time", strew.nan_to_num, t, 5}, {"'v' is time", strew.rolling, t, 2, "sum"},
      {"a text with a zero byte", strew.time, "2024-01-01\0x"}, {"'format' is \"%Y\", expected \"s\"", strew.time, n,
       "%Y"},
      {"'other' has a text with a zero byte", strew.eq, t, "2024-01-01\0x"},
      {"'other' is \"x\", expected a time", strew.ge, t, "x"}, {"'self' is \"x\", expected a time", strew.ge, "x", t},
      {"'test_elements' has \"x\" at [1], which is no time", strew.isin, t, {"2024-01-01", "x"}},
      {"'test_elements' is \"x\", expected a time", strew.isin, t, "x"},
      {"'self' has \"x\" at [2], which is no time", strew.to, strew.tensor{"2024-01-01", "2024-01-01", "x"}, "time"},
      {"has \"sum\" for column \"t\" of time, expected count, first, last, max, mean, median, min, nunique, quantile, "
        .. "std or var", function() strew.group_by({t = t}, "t"):agg{m = {"sum", "t"}} end},
    } do
      assert.matches(row[1], support.message(table.unpack(row, 2)), 1, true)
    end
  end)

  it("are cut by texts of times, and do not meet other text", function()
    local t = strew.time{"2024-01-01", "2024-07-01", ""}
    assert.same({1, 2, 2}, strew.bucketize(t, {"2023-01-01", "2024-06-01"}):tolist())
    assert.matches("^bucketize: 'boundaries' has \"x\", expected a time, at x%[1%]",
      support.message(strew.bucketize, t, {"x"}))
    for _, row in ipairs{{"self", t, strew.tensor{"x", "x", "x"}, "other"},
      {"other", strew.tensor{"x", "x", "x"}, t, "self"}} do
      local message = support.message(strew.eq, row[2], row[3])
      assert.matches(("eq: '%s' is time, expected text or a string"):format(row[1]), message, 1, true)
      assert.matches(('hint   %s:to("time") reads text as times'):format(row[4]), message, 1, true)
    end
    local g = strew.grouping(strew.tensor{0, 0, 1})
    assert.matches("^sum: 'src' is time, expected numbers\n  src  time%[3%] [^\n]*$", support.message(g.sum, g, t))
    assert.matches("^sum: 'src' is text, expected numbers\n  src  text%[1%] [^\n]*$",
      support.message(g.sum, g, strew.tensor{"a"}))
    assert.matches("^count_nonzero: 'self' is time, expected numbers or text", support.message(strew.count_nonzero, t))
    assert.equal(2, strew.tensor{"a", "", "b"}:count_nonzero():item())
  end)

  it("are looked for among texts of times", function()
    local t = strew.time{"2024-01-01", "", "2024-01-02"}
    assert.same({true, false, false}, t:isin{"2024-01-01", ""}:tolist())
    assert.same({false, true, true}, t:isin("2024-01-01", {invert = true}):tolist())
  end)

  it("are read from a text, and written by words that are times", function()
    local t, words = strew.time{"2024-01-01", ""}, strew.tensor{"2024-01-01", ""}
    assert.is_true(strew.equal(t:isnan(), strew.time(words):isnan()))
    assert.same({"2024-05-17"}, strew.text(strew.time(strew.tensor{"17 May 2024"}, "%d %b %Y")):tolist())
    local hint = "\n  hint  as 2024-05-17 or 2024-05-17T12:30:00.25+02:00; format reads other forms"
    support.fail({
      {"strew.time(strew.tensor{'2024-01-01', 'x'})", "time: 'x' has \"x\" at [1], which is no time" .. hint},
      {"t[0] = 'x'", "t[i] = v: 'value' is \"x\", expected a time" .. hint},
      {"t:set(0, '2023-02-29')", "set: 'value' is \"2023-02-29\", which is not in the calendar"},
      {"t:fill_('x')", "fill_: 'value' is \"x\", expected a time" .. hint},
      {"t:masked_fill(t:isnan(), 'x')", "masked_fill: 'value' is \"x\", expected a time" .. hint},
      {"t:index_put({strew.tensor{0}}, 'x')", "index_put: 'values' is \"x\", expected a time" .. hint},
      {"t:scatter(0, strew.tensor{0}, 'x')", "scatter: 'src' is \"x\", expected a time" .. hint},
      {"t:scatter_(0, strew.tensor{0}, 'x', {reduce = 'max'})", "scatter_: 'src' is \"x\", expected a time" .. hint},
      {"strew.where(t:isnan(), 'x', t)", "where: 'a' is \"x\", expected a time" .. hint},
      {"strew.where(t:isnan(), t, 'x')", "where: 'b' is \"x\", expected a time" .. hint},
      {"strew.full({2}, 'x', {dtype = 'time'})", "full: 'value' is \"x\", expected a time" .. hint},
    }, {strew = strew, t = t}, function(message) -- without the lines of tensors
      return (message:gsub("\n  [%w%[%]]+ +%w+%[[^\n]*", ""):gsub("\n  hint +", "\n  hint  "))
    end)
  end)

  it("fill a column and lack no element of a key as the hints say", function()
    local x = strew.table{n = {1, 2}, t = strew.time{"2024-01-01", ""}}
    local function set(value) x.new = value end
    assert.matches("hint   value:expand(2) fills a column", support.message(set, strew.time "2024-01-03"), 1, true)
    set(strew.time("2024-01-03"):expand(2))
    assert.equal("time", x.new.dtype)
    local hint = 'hint  a[~a["t"]:isnan()]'
    assert.matches('has NaT at [1] in column "t", expected no missing value\n  ' .. hint,
      support.message(strew.asof, x, x, "t"), 1, true)
    assert.equal(1, #strew.asof(x[~x["t"]:isnan()], x[~x["t"]:isnan()], "t"))
  end)

  it("of all columns of dates are read in files and chunks", function()
    local path = os.tmpname()
    support.put(path, "n,t,u\n1,2024-01-01,\n2,2024-01-02T10:00,2024-01-03\n3,,2024-01-04\n")
    local options = {format = "csv", dates = true}
    local x, parts = strew.load(path, options), {}
    options.rows = 2
    for chunk in strew.chunks(path, options) do parts[#parts + 1] = chunk end
    os.remove(path)
    assert.same({"time", "time"}, {x.t.dtype, x.u.dtype})
    assert.same({2, tostring(x)}, {#parts, tostring(strew.concat(parts))})
  end)

  it("have medians and quantiles", function()
    local u = strew.time{{"2024-05-01", "", "2024-05-03"}, {"2024-05-04", "2024-05-02", "2024-05-03"}}
    local values, at = u:median(1)
    assert.same({"NaT", "2024-05-03"}, values:tolist())
    assert.same({1, 2}, at:tolist())
    assert.same({{"NaT"}, {"2024-05-03"}}, (u:median(1, true)):tolist())
    assert.equal("2024-05-02", u[1]:narrow(0, 0, 2):median():item())
    assert.equal("NaT", u:median():item())
    assert.same({"2024-05-02", "2024-05-02T12:00", "2024-05-04"}, u[1]:quantile(strew.tensor{0, 0.25, 1}):tolist())
    assert.same({"NaT", "2024-05-03"}, u:quantile(0.5, 1):tolist())
    assert.same({"2024-05-02"}, u[1]:narrow(0, 0, 2):quantile(0.3, 0, true, {interpolation = "lower"}):tolist())
    local far = strew.time{{"0001-01-01", "0001-01-01T00:00:00.000002"}, {"9999-01-01", "9999-01-01T00:00:00.000002"}}
    assert.same({"0001-01-01T00:00:00.000001", "9999-01-01T00:00:00.000001"}, far:quantile(0.5, 1):tolist())
    assert.same({{"0001-01-01T00:00:00.000001"}, {"9999-01-01T00:00:00.000001"}}, far:quantile(0.5, 1, true):tolist())
    for _ = 1, 50 do
      local t = strew.tensor(draw(math.random(20), 10 ^ math.random(3, 15) // 1 | 0), {dtype = "int64"}):to("time")
      local dtype = support.lacks_float64 and "float32" or "float64"
      local rest, q = t[t:eq(t)], strew.tensor({math.random(), 1 / 3, 0.9}, {dtype = dtype})
      if #rest > 0 then
        assert.equal(tostring(rest:quantile(q)), tostring(t:quantile(q, {skip_nan = true})))
        assert.equal(tostring(rest:quantile(q, 0, true)), tostring(t:quantile(q, 0, true, {skip_nan = true})))
      end
    end
    local two = strew.time{"2024-05-01", "2024-05-02"}
    assert.equal("2024-05-01T06:00", two:percentile(25):item())
    assert.equal(two.device, two:quantile(0.5).device)
    assert.matches("^quantile: 'q' is 1.5, expected a number from 0 to 1\n", support.message(two.quantile, two, 1.5))
    if two.device ~= "cpu" then
      local refusal = ("'q' is on %s, all operands must be on one device"):format(two.device)
      assert.matches(refusal, support.message(strew.quantile, two:to "cpu", strew.tensor{0.5}), 1, true)
    end
  end)

  it("without elements have no extreme, and NaT as mean and median", function()
    local none = strew.time(strew.tensor({}, {dtype = "text"}))
    for _, call in ipairs{"min", "max", "amin", "amax", "argmin", "argmax"} do
      local fact = call .. ": 'self' has size 0 in dimension 0, expected at least one element"
      assert.matches("^" .. fact .. "\n  self  time%[0%] ", support.message(none[call], none))
      assert.matches(fact, support.message(none[call], none, {skip_nan = true}), 1, true)
    end
    assert.same({"NaT", "NaT"}, {none:median():item(), none:median{skip_nan = true}:item()})
    assert.same({0, 0}, {#none:unique(), #none:sort()})
    assert.same({"NaT", "NaT"}, {none:mean():item(), none:mean{skip_nan = true}:item()})
    assert.same({"NaT", "NaT"}, strew.stack({none, none}, 1):mean(0):tolist())
    assert.matches("quantile: 'self' has no elements, expected at least 1", support.message(none.quantile, none, 0.5))
    if support.lacks_float64 then return end
    assert.same({0, true}, {#none:diff(), none:std():isnan():item()})
  end)

  it("are made without a value by full", function()
    for _, call in ipairs{"zeros", "ones"} do
      assert.equal(call .. ": 'dtype' is time, expected a number dtype\n  hint  "
        .. 'strew.full(shape, "NaT", {dtype = "time"}) has missing elements',
        support.message(strew[call], 2, {dtype = "time"}))
    end
    for _, value in ipairs{"NaT", ""} do
      assert.same({"NaT", "NaT"}, strew.full({2}, value, {dtype = "time"}):tolist())
    end
    assert.matches('full: \'value\' is "x", expected a time', support.message(strew.full, {2}, "x", {dtype = "time"}))
    assert.same({2}, strew.empty(2, {dtype = "time"}).shape)
    local t = strew.time{"2024-01-01", "2024-01-02"}
    assert.same({"NaT", "2024-01-01", "2024-01-02"}, t:pad{1, 0}:tolist())
    assert.same({"2024-01-02", "2000-01-01"}, t:pad({-1, 1}, "constant", "2000-01-01"):tolist())
    assert.equal("pad: 'value' is a number, expected a time\n  self  time[2] cpu\n  hint  a time is written as text: "
      .. '"2024-05-17"', support.message(t.pad, t, {1, 0}, {value = 0}))
  end)

  it("have means, medians and quantiles, which are NaT if one is, and spreads in seconds", function()
    for _ = 1, support.lacks_float64 and 20 or 200 do
      local list, rest = draw(math.random(7), 10 ^ math.random(3, 15) // 1 | 0), {}
      for _, at in ipairs(list) do rest[#rest + 1] = at ~= NAT and at or nil end
      local t, sum, first = strew.tensor(list, {dtype = "int64"}):to("time"), 0, rest[1]
      for _, at in ipairs(rest) do sum = sum + (at - first) end
      table.sort(rest)
      local function check(wanted, call, slack)
        for _, options in ipairs{{skip_nan = true}, {skip_nan = false}, {dim = 0, keepdim = true, skip_nan = true}} do
          local found = (call(options)):to("int64"):reshape(-1)[0]
          local is_gap = wanted == nil or not options.skip_nan and #rest < #list
          if is_gap then
            assert.equal(NAT, found)
          else
            assert.is_true(math.abs(found - wanted) <= slack, found .. " " .. wanted)
          end
        end
      end
      local n = #rest
      check(rest[1] and rest[(n + 1) // 2], function(o) return t:median(o) end, 0)
      local range = n > 0 and rest[n] - rest[1] or 0
      check(n > 0 and first + math.floor(sum / n + 0.5) or nil, function(o) return t:mean(o) end, 1 + range * 1e-15)
      check(rest[1], function(o) return t:quantile(0, o) end, 1 + range * 1e-15)
      if n == 2 and #list == 2 then assert.near(range / 1e6 / 2 ^ 0.5, t:to(FLOAT64):std():item(), 1e-15 * range) end
    end
    local t = strew.time{"", "2024-01-01", "2024-01-09"}
    local clamped = t:clamp("2024-01-03", strew.time "2024-01-05")
    assert.same({"NaT", "2024-01-03", "2024-01-05"}, clamped:tolist())
    local extreme, place = strew.scatter_max(strew.time{"", "2024-01-01"}, strew.tensor{0, 1},
      {skip_nan = true, fill = "2000-01-01", dim_size = 3})
    assert.same({"2000-01-01", "2024-01-01", "2000-01-01"}, extreme:tolist())
    assert.same({2, 1, 2}, place:tolist())
  end)

  it("are errors where numbers are meant", function()
    local t = strew.time{"2024-01-01", "NaT"}
    local hint = "\n  self  time[2] cpu\n  hint  self:to(\"int64\") gives its numbers"
    for _, name in ipairs{"sum", "cumprod", "exp", "abs", "cumsum", "prod", "sqrt", "nonzero", "neg"} do
      assert.matches(" is time, .* takes numbers", support.message(strew[name], t, name:find "^cum" and 0 or nil))
    end
    assert.equal("sum: 'self' is time, sum takes numbers" .. hint, support.message(strew.sum, t))
    local tensors = {strew.arange(2), strew.ones(2), strew.ones(2):to("bool")}
    for _, u in ipairs(tensors) do
      for _, name in ipairs{"mul", "div", "eq", "lt", "pow", "remainder", "minimum"} do
        assert.is_false((pcall(strew[name], t, u)), name)
        assert.is_false((pcall(strew[name], u, t)), name)
      end
      assert.is_false((pcall(strew.cat, {t, u})))
      assert.is_false((pcall(strew.where, t:isnan(), t, u)))
      assert.is_false((pcall(u.copy_, u, t)))
      assert.is_false((pcall(t.copy_, t, u)))
      assert.is_false((pcall(t.scatter_, t, 0, strew.tensor{0, 1}, u)))
    end
    for _, f in ipairs{
      function() return t + t end, function() return 1 - t end, function() return t + "x" end,
      function() return t:to("float64") end, function() return strew.zeros(2, {dtype = "time"}) end,
      function() return strew.arange(2, {dtype = "time"}) end, function() return strew.rand(2, {dtype = "time"}) end,
      function() return strew.eye(2, {dtype = "time"}) end,
      function() return strew.randint(0, 2, {2}, {dtype = "time"}) end,
      function() return t:scatter_add_(0, strew.tensor{0, 1}, t) end, function() return t:sub_(t) end,
      function() return strew.arange(2):add_(t) end, function() return t:narrow(0, 0, 1):add_(strew.arange(2)) end,
      function() return strew.ones(2):gather(0, t, {mode = "drop"}) end, function() t[0] = 5 end,
      function() return strew.expr("x * 2"){x = t} end, function() return strew.to_dlpack(t) end,
      function() return strew.scatter_sum(t, strew.tensor{0, 0}) end,
      function() return strew.ones(2):fill_("2024-01-01") end,
      function() return strew.ones(2):gather(0, t) end, function() return strew.result_type("time", "int64") end,
      function() return strew.load("x.csv", {dtype = "time"}) end,
      function() return strew.where(t:isnan(), "2024-01-01", 1) end, function() return strew.ones(2) + "2024-01-01" end,
    } do
      assert.is_false((pcall(f)))
    end
    assert.same({"2024-01-01", "NaT"}, t:tolist())
  end)

  it("are read in any form of ISO 8601, where a script says that they are times", function()
    for word, time in pairs{["20240517"] = "2024-05-17", ["20240517T123000Z"] = "2024-05-17T12:30",
      ["20240517T1230"] = "2024-05-17T12:30", ["20240517 12"] = "2024-05-17T12:00", ["2024-05"] = "2024-05-01",
      ["2024W20"] = "2024-05-13", ["2024W205"] = "2024-05-17", ["2024-W20"] = "2024-05-13", ["2024138"] = "2024-05-17",
      ["2024-05-17T12"] = "2024-05-17T12:00", ["2024-05-17T12+02"] = "2024-05-17T10:00",
      ["2024-05-17T12:30.5"] = "2024-05-17T12:30:30", ["2024-05-17T12,51"] = "2024-05-17T12:30:36",
      ["2024-05-17T12:30:00.1234567891"] = "2024-05-17T12:30:00.123456", ["+12024-05-17"] = "+12024-05-17",
      ["2024-12-31T24:00"] = "2025-01-01", ["2024-05-17T24"] = "2024-05-18", ["2020-W53-7"] = "2021-01-03"} do
      assert.equal(time, strew.time(word):item(), word)
      assert.is_true(strew.time(time):eq(word):item(), word)
    end
    for _, word in ipairs{"2024", "202405", "20240517T1", "2024-05-17T", "2024-05-17T12:3", "2024-5-17", "202405-17",
      "2024-W5", "+120240517", "2024-000", "2024-05-17T12:30.", "2024-05-17T1230:00"} do
      assert.matches(('is %q, expected a time'):format(word), support.message(strew.time, word), 1, true)
    end
    for _, word in ipairs{"2024-W53-1", "2024-W00-1", "2024-W20-8", "2024-W20-0", "2023-366", "2024-05-17T24:01",
      "2024-05-17T24:00:00.5", "20240230", "2024-13"} do
      assert.matches("is not in the calendar", support.message(strew.time, word), 1, true)
    end
    local first, list = strew.time("1998-12-20"):to("int64"):item(), {}
    for k = 0, 366 * 12 do list[k + 1] = first + k * 86400000000 end
    local days = strew.tensor(list):to("time")
    local parts, weeks, ordinals = strew.calendar(days), {}, {}
    local years, weekdays, of_year = parts.year:tolist(), parts.weekday:tolist(), parts.day_of_year:tolist()
    local function length(year) return (year % 4 == 0 and (year % 100 ~= 0 or year % 400 == 0)) and 366 or 365 end
    for k, year in ipairs(years) do
      local thursday = of_year[k] - weekdays[k] + 3 -- that of the week, whose year is the week's
      if thursday < 1 then
        year = year - 1
        thursday = thursday + length(year)
      elseif thursday > length(year) then
        thursday, year = thursday - length(year), year + 1
      end
      weeks[k] = ("%04d-W%02d-%d"):format(year, (thursday - 1) // 7 + 1, weekdays[k] + 1)
      ordinals[k] = ("%04d%03d"):format(years[k], of_year[k])
    end
    assert.is_true(strew.equal(days, strew.time(weeks)))
    assert.is_true(strew.equal(days, strew.time(ordinals)))
    local path = os.tmpname()
    support.put(path, "d,e\n20240517,2024-05-17\n20240518,2024-05-18\n")
    assert.equal("int64", strew.load(path, {format = "csv", dates = true}).d.dtype)
    assert.same({"2024-05-17", "2024-05-18"}, strew.load(path, {format = "csv", dates = {"d", "e"}}).d:tolist())
    support.put(path, "d\n2024-05\n2024-06\n")
    assert.equal("text", strew.load(path, {format = "csv", header = true, dates = true}).d.dtype)
    local named = strew.load(path, {format = "csv", header = true, dates = {"d"}})
    assert.same({"2024-05-01", "2024-06-01"}, named.d:tolist())
    os.remove(path)
  end)

  it("move in place by seconds, or stay", function()
    local t = strew.time{"2024-01-01", "NaT"}
    assert.equal(t, t:add_(60))
    assert.same({"2024-01-01T00:01", "NaT"}, t:tolist())
    assert.same({"2023-12-31T23:59", "NaT"}, t:sub_(strew.tensor{120.0, 1.0}):tolist())
    support.fail({
      {"t:add_(strew.tensor{true})", [[add_: 'other' is bool, expected seconds
  self   time[2] cpu
  other  bool[1] cpu]]},
      {"t:narrow(0, 0, 1):add_(n)", [[add_: 'self' has shape [1], the result has [2]
  self   time[1] cpu
  other  int64[2] cpu]]},
      {"t:lt(5)", "lt: 'other' is 5, expected a time, or its text as \"2024-05-17\"\n  self  time[2] cpu"},
      not support.lacks_float64 and {"t:sub_(t)", [[sub_: 'self' is time, which does not hold a result of float64
  self   time[2] cpu
  other  time[2] cpu
  hint   without the underscore the result is a new tensor]]} or nil,
    }, {strew = strew, t = t:reshape(2), n = strew.arange(2)})
    assert.same({"2023-12-31T23:59", "NaT"}, t:tolist())
  end)

  it("are no time where the empty word is written", function()
    local t = strew.time{"2024-01-01", "2024-01-02"}
    local mask = strew.tensor{true, false}
    local function written(f)
      local u = t:clone()
      return (f(u) or u):tolist()
    end
    local some, all = {"NaT", "2024-01-02"}, {"NaT", "NaT"}
    assert.same(some, written(function(u) u[0] = "" end))
    assert.same(some, written(function(u) u[mask] = "" end))
    assert.same(some, written(function(u) u:set(0, "") end))
    assert.same(all, written(function(u) return u:fill_("") end))
    assert.same(some, written(function(u) return u:masked_fill(mask, "") end))
    assert.same(some, written(function(u) return u:index_fill(0, strew.tensor{0}, "") end))
    assert.same(some, written(function(u) return strew.where(mask, "", u) end))
    assert.same(all, strew.full(2, "", {dtype = "time"}):tolist())
    assert.same(all, strew.full_like(t, ""):tolist())
    assert.same({"", ""}, strew.tensor{"a", "b"}:fill_(""):tolist())
  end)

  it("are words where they are alone, whatever these look like", function()
    for _, word in ipairs{"2024-01-01", "NaT", "", "x"} do
      assert.equal("text", strew.full({1}, word).dtype)
      assert.equal("text", strew.where(strew.tensor{true}, word, "2024-01-02").dtype)
      assert.equal("text", strew.full_like(strew.tensor{"a"}, word).dtype)
    end
    assert.equal("time", strew.full({1}, "2024-01-01", {dtype = "time"}).dtype)
    assert.equal("time", strew.full_like(strew.time{"2024-01-02"}, "2024-01-01").dtype)
    assert.equal("time", strew.where(strew.tensor{true}, "2024-01-01", strew.time{"2024-01-02"}).dtype)
  end)

  it("have errors with the value and its position", function()
    assert.is_false((pcall(strew.time, {"2024-01-01", "2024-02-30"})))
    local found = strew.last_error()
    assert.same({"2024-02-30", {1}, "value"}, {found.value, found.pos, found.code})
    assert.is_false((pcall(strew.to, strew.tensor{{"1", "x"}}, "int8")))
    found = strew.last_error()
    assert.same({"x", {0, 1}, "value"}, {found.value, found.pos, found.code})
    assert.is_false((pcall(strew.time, strew.tensor{"2024-01-01", "y"})))
    found = strew.last_error()
    assert.same({"y", {1}, "value"}, {found.value, found.pos, found.code})
  end)

  it("have statistics whose calls refuse what those of numbers refuse, before anything is computed", function()
    local t, index = strew.time{"2024-01-01", "NaT", "2024-01-03"}, strew.tensor{0, 0, 1}
    local function refused(text, f, ...) assert.matches(text, support.message(f, ...), 1, true) end
    refused("too many arguments: 5; the arguments are (self [, dim]", strew.mean, t, 0, true, 1, 2)
    refused('has unknown key "nope", expected dim, keepdim, correction', strew.std, t, {nope = 1})
    refused('has unknown key "nope", expected dim, dim_size', strew.scatter_var, t, index, {nope = 1})
    refused("'q' is missing, expected a number", strew.segment_csr, t, strew.tensor{0, 3}, "quantile")
    refused("'q' is text, quantile takes numbers", strew.quantile, t, strew.text{"a"})
    refused("sub: too many arguments: 4; the arguments are (self, i [, j])", strew.sub, strew.text{"a"}, 1, 2, 3)
    if not support.lacks_float64 then
      assert.equal(t:std{skip_nan = true, exact = true}:item(), t:std{skip_nan = true}:item())
    end
    assert.equal("2024-01-02", t:mean{skip_nan = true, exact = true}:item())
  end)

  it("have extremes by index and by segment, in which NaT wins", function()
    local t, ids = strew.time{"2024-01-01", "NaT", "2024-01-03", "2024-01-02"}, strew.tensor{0, 0, 2, 2}
    for word, latest in pairs{max = "2024-01-03", min = "2024-01-02"} do
      local wanted = {"NaT", "NaT", latest}
      assert.same(wanted, strew.scatter(t, ids, {reduce = word}):tolist())
      local values, place = strew.segment_coo(t, ids, {reduce = word})
      assert.same(wanted, values:tolist())
      assert.same({1, 4, word == "max" and 2 or 3}, place:tolist())
      assert.same(wanted, (strew.segment_csr(t, strew.tensor{0, 2, 2, 4}, {reduce = word})):tolist())
      local out = strew.time{"2024-01-01", "2024-01-01", "2024-01-02T12:00"}
      local _, at = strew["scatter_" .. word](t, ids, {out = out})
      assert.same({1, 4, word == "max" and 2 or 3}, at:tolist())
      assert.same({"NaT", "2024-01-01", latest}, out:tolist())
      local other = strew.time{"2020-01-01", word == "max" and "2021-01-01" or "2025-01-01"}
      assert.same({"NaT", latest}, other:scatter_reduce(0, strew.tensor{0, 0, 1, 1}, t, "a" .. word):tolist())
    end
  end)

  it("are saved and loaded", function()
    local folder = os.tmpname()
    os.remove(folder)
    local t = strew.time{"2024-01-01T00:00:00.000001", "NaT", "1960-02-29"}
    local x = strew.columns({when = t, v = strew.arange(3)}, {"when", "v"})
    local function check(name, options, ...)
      local path = folder .. name
      strew.save(path, ...)
      local loaded = strew.load(path, options)
      os.remove(path)
      return loaded
    end
    local function same(loaded)
      assert.equal("time", loaded.dtype)
      assert.is_true(strew.equal(t:to("int64"), loaded:to("int64")))
    end
    same(check(".npy", {}, t))
    same(check(".csv", {header = true, dates = {"when"}}, x).when)
    same(check("2.csv", {header = false, dates = {1}}, t)[1] or check("2.csv", {dates = {1}}, t)[1])
    assert.equal("when,v\n2024-01-01T00:00:00.000001,0\n,1\n1960-02-29,2\n", (function()
      strew.save(folder .. ".csv", x)
      local file <close> = io.open(folder .. ".csv")
      os.remove(folder .. ".csv")
      return file:read("a")
    end)())
    local function npy(unit, ...)
      local header = ("{'descr': '<M8[%s]', 'fortran_order': False, 'shape': (%d,), }"):format(unit, select("#", ...))
      header = header .. (" "):rep(117 - #header) .. "\n"
      local file <close> = io.open(folder .. ".npy", "wb")
      file:write("\x93NUMPY\1\0", string.pack("<I2", #header), header)
      file:write(string.pack("<" .. ("i8"):rep(select("#", ...)), ...))
      file:close()
      local fine, loaded = pcall(strew.load, folder .. ".npy")
      os.remove(folder .. ".npy")
      return fine and loaded:to("int64"):tolist() or loaded:match "holds.*"
    end
    for unit, factor in pairs{us = 1, ms = 1000, s = 1000000, m = 60000000, h = 3600000000, D = 86400000000} do
      assert.same({5 * factor, -3 * factor, NAT}, npy(unit, 5, -3, NAT), unit)
    end
    assert.same({5, -3, NAT}, npy("ns", 5000, -3000, NAT))
    assert.equal("holds a datetime64[ns] that microseconds in int64 do not\n"
      .. "  hint  in NumPy: a.astype(\"datetime64[us]\") cuts fractions off", npy("ns", 5001))
    assert.equal("holds a datetime64[D] that microseconds in int64 do not\n"
      .. "  hint  in NumPy: a.astype(\"int64\") has the numbers of that unit", npy("D", 1 << 40))
  end)
end)
