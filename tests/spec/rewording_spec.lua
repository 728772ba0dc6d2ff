-- What scripts make of words: map, replace, match, trim, sub, split, join_words, and the same in texts of columns.
-- Results are pandas 3.1's, but for "" in place of its NaN.
local strew = require "strew"
local support = require "tests.spec.support"

local WIDE <const> = support.lacks_float64 and "float32" or "float64"
local function message(f, ...) return support.message(f, ...) end
local function city() return strew.tensor{"Oslo, NO", " rome,IT", "", "Zürich, CH", "Oslo, NO"} end

describe("a text's words", function()
  it("are replaced, cut, split and matched as in pandas", function()
    local t = city()
    for _, row in ipairs{
      {t:replace("[aeiou]", "*"), {"Osl*, NO", " r*m*,IT", "", "Zür*ch, CH", "Osl*, NO"}},
      {t:replace(",", ""), {"Oslo NO", " romeIT", "", "Zürich CH", "Oslo NO"}},
      {t:replace("(%a+)$", "<%1>"), {"Oslo, <NO>", " rome,<IT>", "", "Zürich, <CH>", "Oslo, <NO>"}},
      {strew.tensor{"a.b%c", "abc"}:replace(".", "%1", {plain = true}), {"a%1b%c", "abc"}},
      {t:sub(1, 3), {"Osl", " ro", "", "Zür", "Osl"}}, {t:sub(-3), {" NO", ",IT", "", " CH", " NO"}},
      {t:sub(2, -2), {"slo, N", "rome,I", "", "ürich, C", "slo, N"}}, {t:sub(9, 7), {"", "", "", "", ""}},
      {t:sub(math.mininteger, math.maxinteger), t:tolist()}, {strew.sub(t, -1), {"O", "T", "", "H", "O"}},
      {strew.tensor{"\xffab"}:sub(1, 2), {"\xffa"}},
      {t:split(",", 0), {"Oslo", " rome", "", "Zürich", "Oslo"}},
      {t:split(",", -1), {" NO", "IT", "", " CH", " NO"}}, {t:split(", ", 1), {"NO", "", "", "CH", "NO"}},
      {t:split(".", 0), t:tolist()}, {t:split(",", 2), {"", "", "", "", ""}},
      {t:split(",", -3), {"", "", "", "", ""}}, {strew.tensor{"a--b"}:split("-", 1), {""}},
      {t:trim(), {"Oslo, NO", "rome,IT", "", "Zürich, CH", "Oslo, NO"}},
      {t:match("%a+$"), {"NO", "IT", "", "CH", "NO"}}, {t:match("(%a), ()"), {"o", "", "", "h", "o"}},
      {t:match("()%u%u"), {"7", "7", "", "10", "7"}},
      {t:join_words(t:match("%u%u"), "/"), {"Oslo, NO/NO", " rome,IT/IT", "", "Zürich, CH/CH", "Oslo, NO/NO"}},
      {strew.join_words("a", strew.tensor{"b", "", "c"}), {"ab", "", "ac"}},
      {strew.tensor{{"a"}, {"b"}}:join_words(strew.tensor{"c", "d"}, "-"), {{"a-c", "a-d"}, {"b-c", "b-d"}}},
    } do
      assert.same(row[2], row[1]:tolist())
    end
    assert.equal("text", strew.tensor{"ab"}[0] == "ab" and strew.tensor{"ab"}:sub(1, 1).dtype)
    assert.same("a", strew.tensor("ab"):sub(1, 1):item())
  end)

  it("are cut, split and replaced as scripts would, one by one", function()
    local list = {"", "a", "aa", "abab", "aab,", ",", ",,", "a,b,,c", "Zürich", "é,ü", "ü", "\xff\xc3\xa9,", "日本,語",
      "b%a.b"}
    local t = strew.tensor(list)
    local function each(f) local out = {} for k, word in ipairs(list) do out[k] = f(word) end return out end
    local function characters(word)
      local out = {}
      for at in word:gmatch(utf8.len(word) and utf8.charpattern or "()") do
        out[#out + 1] = type(at) == "string" and at or at <= #word and word:sub(at, at) or nil
      end
      return out
    end
    for i = -5, 5 do
      for j = -5, 5 do
        local function part(word)
          local all = characters(word)
          local from = i < 0 and math.max(#all + i + 1, 1) or math.max(i, 1)
          local to = j < 0 and #all + j + 1 or math.min(j, #all)
          return table.concat(all, "", from, math.max(to, from - 1))
        end
        assert.same(each(part), t:sub(i, j):tolist(), i .. " " .. j)
      end
      for _, separator in ipairs{",", "a", "ü", "ab", "\0", ",\0"} do
        local function part(word)
          local parts, rest = {}, word
          while rest do
            local at, to = rest:find(separator, 1, true)
            parts[#parts + 1], rest = rest:sub(1, at and at - 1), at and rest:sub(to + 1)
          end
          return parts[i < 0 and #parts + i + 1 or i + 1] or ""
        end
        assert.same(each(part), t:split(separator, i):tolist(), separator .. " " .. i)
      end
    end
    for _, row in ipairs{{"a", ""}, {"a", "bb"}, {",", ";"}, {"ab", "a"}, {"aa", "a"}, {"ü", "ue"}, {"%a", "%%"},
      {"a.", "x"}, {"", "-"}} do
      local a, b = row[1], row[2]
      assert.same(each(function(word) return (word:gsub(a, b)) end), t:replace(a, b):tolist(), a)
      local plain, by = a:gsub("%p", "%%%0"), b:gsub("%%", "%%%%")
      assert.same(each(function(word) return (word:gsub(plain, by)) end), t:replace(a, b, {plain = true}):tolist(), a)
    end
    local pairs_of = strew.join_words(t:view(-1, 1), t, "+"):tolist()
    for k, x in ipairs(list) do
      assert.same(each(function(y) return (x == "" or y == "") and "" or x .. "+" .. y end), pairs_of[k])
    end
  end)

  it("are mapped by a function or a table, each different one once", function()
    local t, seen = city(), {}
    local function shown(f) return support.text(t:map(f)) end
    t:map(function(word) seen[#seen + 1] = word end)
    assert.same({"Oslo, NO", " rome,IT", "", "Zürich, CH"}, seen)
    assert.equal("int64[5] {8, 8, 0, 11, 8}", shown(string.len))
    assert.equal(WIDE .. "[5] {8.0, nan, nan, 11.0, 8.0}",
      shown{["Oslo, NO"] = 8, ["Zürich, CH"] = 11, [" rome,IT"] = strew.nan})
    assert.equal(WIDE .. "[5] {0.5, nan, nan, nan, 0.5}", shown{["Oslo, NO"] = 0.5})
    assert.equal("bool[5] {true, true, false, true, true}", shown(function(word) return word ~= "" end))
    assert.equal(WIDE .. "[5] {1.0, nan, nan, nan, 1.0}", shown{["Oslo, NO"] = true})
    assert.equal("text[5] {O, , , , O}", shown{["Oslo, NO"] = "O"})
    assert.equal("text[5] {, , , , }", shown{})
    assert.same({"2024-05-17", "NaT", "2024-05-18", "NaT", "2024-05-17"},
      t:map{["Oslo, NO"] = strew.time "2024-05-17", [""] = strew.time "2024-05-18"}:tolist())
    assert.equal("int64[5] {3, 3, 3, 3, 3}", shown(function() return strew.tensor(3) end))
    assert.equal("int64[2, 1] {{1}, {2}}", support.text(strew.tensor{{"a"}, {"bb"}}:map(string.len)))
    assert.equal("int64[] 2", support.text(strew.tensor("ab"):map(string.len)))
    for _, empty in ipairs{strew.tensor{"a"}:narrow(0, 0, 0), strew.tensor{{"a", "b"}}:narrow(0, 0, 0)} do
      assert.same({empty.shape, "text"}, {empty:map(string.len).shape, empty:map(string.len).dtype})
      for _, made in ipairs{empty:trim(), empty:sub(1), empty:split("a", 0), empty:join_words(empty, "-"),
        empty:replace("a", "b"), empty:match("a")} do
        assert.same({empty.shape, "text"}, {made.shape, made.dtype})
      end
    end
  end)

  it("have errors that name the word, the argument and the pattern", function()
    local t = city()
    for _, row in ipairs{
      {function() return t:map(function(w) return w == "" and 1 or w end) end,
        'map: \'f\' gives a word for "Oslo, NO" and a number for "", expected one kind'},
      {function() return t:map(function() return {} end) end,
        'map: \'f\' gives a table for "Oslo, NO", expected a word, number, boolean, time or nil'},
      {function() return t:map{["Oslo, NO"] = (1 << 53) + 1} end, "map: 'f' has 9007199254740993 for \"Oslo, NO\", "
        .. "which float64 cannot hold: the dtype of integers among which some are missing or have a fraction"},
      {function() return t:map(1) end, "map: 'f' is 1, expected a function or a table of words"},
      {function() return strew.ones(2):map(print) end, "map: 'self' is float32, expected text"},
      {function() return t:map(function() strew.ones(2):add("a") end) end, "add: 'other' is \"a\""},
      {function() return t:map(function() error("boom", 0) end) end, "boom"},
      {function() return t:replace("[a", "b") end, "replace: 'a' is \"[a\": malformed pattern (missing ']')"},
      {function() return t:replace("a", "%2") end, nil},
      {function() return t:replace("O", "%2") end,
        "replace: 'b' is \"%2\": invalid capture index %2"},
      {function() return t:match("%") end, "match: 'pattern' is \"%\": malformed pattern (ends with '%')"},
      {function() return t:split("", 0) end, "split: 'separator' is the empty word"},
      {function() return t:split(",") end, "split: 'k' is nil, expected the number of a part"},
      {function() return t:sub(1, 0.5) end, "sub: 'j' is 0.5, expected an integer"},
      {function() return t - 1 end, "sub: 'self' is text, sub takes numbers"},
      {function() return strew.ones(2):sub(1, 2) end, "sub: too many arguments: 2; the arguments are (other)"},
      {function() return strew.ones(2):trim() end, "trim: 'self' is float32, expected text or a string"},
      {function() return t:join_words(strew.ones(5)) end, "join_words: 'b' is float32, expected text or a string"},
      {function() return strew.join_words("a", "b") end, "join_words: 'a' is \"a\", expected text"},
      {function() return t:join_words(strew.tensor{"a", "b"}) end, "join_words: "},
    } do
      if row[2] then assert.matches(row[2], message(row[1]), 1, true) else row[1]() end
    end
  end)
end)

describe("a long text", function()
  it("is reworded as its parts", function()
    local n, seen = (1 << 18) + 7, {}
    local device = strew.zeros(0).device
    local codes = strew.arange(n):remainder(5):to(device)
    local late = codes:clone()
    late[n - 1] = 6 -- a word that the first elements lack
    local function f(word)
      seen[#seen + 1] = word
      return word == "c" and "A" or word:upper()
    end
    for k, own in ipairs{codes, late, codes + 1, late:reshape(-1, 1)} do
      local t = strew.text(own, {"b", "a", "d", "c", "e", "f", "g", "h"})
      seen = {}
      local made = t:map(f)
      local first = table.concat(seen)
      assert.equal(({"badce", "badceg", "adcef", "badceg"})[k], first)
      assert.same(t.shape, made.shape)
      local parts = strew.cat{t:narrow(0, 0, 1000):map(f), t:narrow(0, 1000, n - 1000):narrow(0, 0, 100000):map(f),
        t:narrow(0, 101000, 100000):map(f), t:narrow(0, 201000, n - 201000):map(f)}
      assert.is_true(strew.equal(made:eq(parts), strew.ones_like(made:eq(parts))))
      assert.is_true(strew.equal(t:map{a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7}:narrow(0, n - 9, 9),
        t:narrow(0, n - 9, 9):map{a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7}))
      assert.is_true(strew.equal(t:upper():lower():eq(t), strew.ones_like(made:eq(parts))))
    end
  end)
end)

describe("whole elements", function()
  it("are replaced, of any dtype", function()
    local t = strew.tensor{"NYC", "Rome", "LA", ""}
    assert.same({"New York", "Rome", "", ""}, t:replace{NYC = "New York", LA = strew.null}:tolist())
    assert.same({"x", "Rome", "x", ""}, t:replace({"NYC", "LA"}, "x"):tolist())
    assert.same({"NYC", "Rome", "LA", "none"}, t:replace{[""] = "none"}:tolist())
    assert.equal("int64[3] {9, 2, 8}", support.text(strew.tensor{3, 2, 1}:replace{[3] = 9, [1] = 8}))
    assert.equal("int64[3] {0, 2, 0}", support.text(strew.tensor{3, 2, 1}:replace({1, 3}, 0)))
    assert.equal("float32[2] {nan, 2.0}", support.text(strew.tensor{-999.0, 2}:replace(-999, strew.null)))
    assert.equal("bool[2] {false, false}", support.text(strew.tensor{true, false}:replace(true, false)))
    assert.equal("time[2] {2024-05-17, NaT}", support.text(strew.time{"2024-01-01", "2024-01-02"}:replace{
      ["2024-01-01"] = "2024-05-17", ["2024-01-02"] = strew.null}))
    assert.equal("text[0] {}", support.text(t:narrow(0, 0, 0):replace{NYC = "x"}))
    for code, wanted in pairs{
      ["t:replace('a')"] = "replace: 'b' is nil, expected a string",
      ["t:replace(false, 'b')"] = "replace: 'a' is false, expected a string",
      ["t:replace(nil, 'a')"] = "replace: 'a' is nil, expected a string",
      ["t:replace{NYC = 1}"] = "replace: 'a' has 1 for \"NYC\", expected words\n  t     text[4] cpu\n"
        .. "  hint  t:map{word = 1} makes numbers of words",
      ["t:replace{'NYC', 'LA'}"] = "replace: 'a' has \"NYC\" for 1, expected words",
      ["n:replace({0 / 0}, 1)"] = "replace: 'a' has nan, which equals nothing: fillna fills missing elements",
      ["n:replace(1)"] = "replace: 'b' is missing, expected what stands in place of a",
      ["n:replace(1, strew.null)"] = "replace: 'b' has strew.null, and t is int64, which has no missing elements",
      ["n:eq(1):replace{[true] = strew.null}"] = "replace: 'a' has strew.null, and t is bool",
      ["n:replace(1, 0 / 0)"] = "replace: 'b' is nan, which int64 cannot hold",
      ["n:replace('a', 1)"] = "replace: 'a' is \"a\", expected a tensor, number or boolean",
    } do
      local f = assert(load("local t, n, strew = ... return " .. code))
      assert.matches(wanted, (support.message(f, t, strew.tensor{1}, strew):gsub("%-nan", "nan")), 1, true)
    end
  end)
end)

describe("texts of columns", function()
  local function people()
    return strew.table{{"name", {" Ann", "BOB ", "cy"}}, {"age", {3, 40, 17}},
      {"when", strew.time{"2024-01-01", "2024-02-05", "NaT"}}}
  end
  it("call them, and have words and times as values", function()
    if support.lacks_float64 then return pending "without float64, which the device lacks" end
    local x = people()
    for code, wanted in pairs{
      ["lower(trim(name))"] = {"ann", "bob", "cy"}, ["upper(sub(name, 1, 2))"] = {" A", "BO", "CY"},
      ["sub(name, 2)"] = {"Ann", "OB ", "y"}, ["replace(name, '%s', '_')"] = {"_Ann", "BOB_", "cy"},
      ["split(name, 'n', 0)"] = {" A", "BOB ", "cy"}, ["match(name, '%u+')"] = {"A", "BOB", ""},
      ["join_words(trim(name), 'x', '-')"] = {"Ann-x", "BOB-x", "cy-x"}, ["length(trim(name))"] = {3, 3, 2},
      ["contains(name, 'n') or ends_with(name, 'y')"] = {true, false, true},
      ["starts_with(name, ' ')"] = {true, false, false},
      ["where(age < 18, 'child', 'adult')"] = {"child", "adult", "child"},
      ["where(age < 5, 'child', where(age < 18, 'youth', 'adult'))"] = {"child", "adult", "youth"},
      ["where(age < 5, name, 'x') == 'x'"] = {false, true, true},
      ["masked_fill(name, age < 5, 'zz')"] = {"zz", "BOB ", "cy"},
      ["where(isnan(when), '2024-03-01', when)"] = {"2024-01-01", "2024-02-05", "2024-03-01"},
      ["maximum(when, '2024-02-01')"] = {"2024-02-01", "2024-02-05", "NaT"},
      ["(when - '2024-01-01') / 86400 > 30"] = {false, true, false},
      ["floor_time(when, 'month')"] = {"2024-01-01", "2024-02-01", "NaT"},
      ["format(when, '%m')"] = {"01", "02", ""},
      ["month(maximum(when, '2024-02-01')) * 2 == 4"] = {true, true, false},
      ["where(weekday(when) < 5, format(when, '%a'), '')"] = {"Mon", "Mon", ""},
    } do
      assert.same(wanted, x:assign{made = code}.made:tolist(), code)
    end
    assert.same({40}, x:rows("lower(trim(name)) == 'bob'").age:tolist())
    assert.same({2, 1}, x:group_by("where(age < 18, 'a', 'b')").counts:tolist())
    assert.same({"cy", " Ann", "BOB "}, x:sort_by("length(trim(name))").name:tolist())
    assert.same({2}, x:assign{one = 1}:group_by("one"):agg{n = {"nunique", "where(age < 18, 'a', 'b')"}}.n:tolist())
    assert.same({"ANN"}, strew.expr("upper(n)"){n = strew.tensor{"Ann"}}:tolist())
  end)
  it("have the parts of times", function()
    if support.lacks_float64 then return pending "without float64, which the device lacks" end
    local x = strew.table{{"at", strew.time{"1969-12-31T23:59:58", "2024-02-29T04:05:06", "2027-01-01T13:00"}},
      {"n", {1, 2, 4}}}
    for part, wanted in pairs{ -- pandas' Series.dt, isocalendar
      year = {1969, 2024, 2027}, month = {12, 2, 1}, day = {31, 29, 1}, hour = {23, 4, 13}, minute = {59, 5, 0},
      second = {58, 6, 0}, weekday = {2, 3, 4}, day_of_year = {365, 60, 1}, quarter = {4, 1, 1},
      iso_year = {1970, 2024, 2026}, iso_week = {1, 9, 53}, days_in_month = {31, 29, 31},
    } do
      local made = x:assign{made = part .. "(at)"}.made
      assert.same({"int64", wanted}, {made.dtype, made:tolist()}, part)
      assert.is_true(strew.equal(made, strew.calendar(x.at)[part]), part)
      assert.is_true(strew.equal(made, strew.expr(part .. "(t)"){t = x.at}), part)
    end
    assert.same({2}, x:rows("hour(at) < 12 and year(at) >= 2000").n:tolist())
    assert.same({4, 2, 1}, x:sort_by("-year(at)").n:tolist())
    assert.same({{"month(at)", "n"}, {4, 2, 1}}, {strew.columns(x:group_by("month(at)"):sum{"n"}),
      x:group_by("month(at)"):sum("n"):tolist()})
    x.at[2] = "NaT"
    assert.equal("float64[3] {1969.0, 2024.0, nan}", support.text(x:assign{made = "year(at)"}.made))
    assert.equal("int64", x:rows("n > 9"):assign{made = "month(at)"}.made.dtype)
    assert.matches("month: 't' is int64, expected times", support.message(x.assign, x, {made = "month(n)"}), 1, true)
  end)
  it("mark the place of an error", function()
    local x = people()
    for code, wanted in pairs{
      ["name - 1"] = "sub: 'self' is text, sub takes numbers", ["lower(age)"] = "lower: 't' is int64, expected text",
      ["name + 'a'"] = "'text' has a word here, but a word is compared, or an argument of where or of a call of text",
      ["where(age < 18, 'a', 1)"] = "where: 'a' is \"a\"", ["strip(name)"] = "hint  write trim(x)",
      ["lower(name, 1)"] = "calls 'lower' with 2 arguments, expected lower(t)",
      ["name .. name"] = "join_words(a, b, ' ')",
      ["match(name, '%')"] = "match: 'pattern' is \"%\": malformed pattern (ends with '%')",
      ["sub(age, 1, 2)"] = "sub: ",
    } do
      local text = message(x.assign, x, {made = code})
      assert.matches(wanted, text, 1, true)
      assert.matches("\n  text  ", text, 1, true)
    end
  end)
end)
