-- Tables made of Lua's values, appended, joined in all ways, as of a time, melted and described, against plain loops;
-- methods of tables.
local strew = require "strew"
local support, loops = dofile "tests/spec/support.lua", dofile "tests/spec/loops.lua"

local random, nan = math.random, 0 / 0

-- The columns of a table as lists of Lua's values, words for text.
local function lists_of(x)
  local lists, words = {}, strew.words(x)
  for name, t in pairs(x) do
    local list = t:tolist()
    for i, value in ipairs(list) do
      if math.type(value) == "integer" and words[name] then list[i] = words[name][value + 1] end
    end
    lists[name] = list
  end
  return lists
end

local function shown(value)
  if value ~= value then return "nan" end
  return math.type(value) == "float" and ("%.17g"):format(value) or tostring(value)
end

-- Compares a table with {{name, values}, ...}, integers and floats by value.
local function same(expected, x)
  local lists, names = lists_of(x), {}
  for k, entry in ipairs(expected) do names[k] = entry[1] end
  assert.same(names, strew.columns(x))
  for _, entry in ipairs(expected) do
    local one, other = {}, {}
    for i, value in ipairs(entry[2]) do one[i] = shown(type(value) == "number" and value + 0.0 or value) end
    for i, value in ipairs(lists[entry[1]]) do other[i] = shown(type(value) == "number" and value + 0.0 or value) end
    assert.same(one, other, entry[1])
  end
end

local cities = {"Oslo", "Rome", "Bari", "Bern", "Athen"}

-- A random table {key, word, v} as lists of n rows, and as a table.
local function drawn(n, name, kinds, floats)
  local key, word, value = {}, {}, {}
  for i = 1, n do
    key[i], word[i] = random(0, kinds) + (floats and 0.5 or 0), cities[random(#cities)]
    value[i] = random(100)
  end
  local lists = {key = key, word = word, [name] = value}
  if n > 0 then return lists, strew.table{{"key", key}, {"word", word}, {name, value}} end
  local empty = strew.table{{"key", {1}}, {"word", {"x"}}, {name, {2}}}
  if floats then empty.key = empty.key:to("float64") end
  return lists, strew.head(empty, 0)
end

-- The pairs of rows of two lists, as strew.join orders them; 0: none.
local function pairs_of(how, n, m, is_equal)
  local of_a, of_b, has_b = {}, {}, {}
  local function add(i, j) of_a[#of_a + 1], of_b[#of_b + 1] = i, j end
  if how == "right" then
    for j = 1, m do
      local count = #of_a
      for i = 1, n do if is_equal(i, j) then add(i, j) end end
      if #of_a == count then add(0, j) end
    end
    return of_a, of_b
  end
  for i = 1, n do
    local count = #of_a
    for j = 1, m do
      if is_equal(i, j) then
        has_b[j] = true
        if how ~= "anti" and not (how == "semi" and #of_a > count) then add(i, j) end
      end
    end
    local has = false
    for j = 1, m do has = has or is_equal(i, j) end
    if not has and how ~= "inner" and how ~= "semi" and how ~= "right" then add(i, 0) end
  end
  for j = 1, how == "outer" and m or 0 do if not has_b[j] then add(0, j) end end
  return of_a, of_b
end

local function taken(list, at, missing)
  local out = {}
  for k, i in ipairs(at) do out[k] = i == 0 and missing or list[i] end
  return out
end

describe("tables", function()
  if support.lacks_float64 then
    return it("are left out", function() pending "without float64, which the device lacks" end)
  end
  before_each(function() math.randomseed(11) end)

  it("are made of sequences and tensors", function()
    local t = strew.tensor{1, 2}
    local x = strew.table{city = {"Oslo", "Rome"}, rain = {1.5, 4}, n = {3, 4}, ok = {true, false}, t = t}
    same({{"city", {"Oslo", "Rome"}}, {"n", {3, 4}}, {"ok", {true, false}}, {"rain", {1.5, 4}}, {"t", {1, 2}}}, x)
    assert.same({"int64", "bool", "float64"}, {x.n.dtype, x.ok.dtype, x.rain.dtype})
    assert.is_true(rawequal(t, x.t))
    assert.equal(0.1, strew.table{a = {0.1}}.a:item())
    same({{"b", {1}}, {"a", {"w"}}}, strew.table{{"b", {1}}, {"a", {"w"}}})
    assert.equal("time", strew.table{t = strew.time{"2024-05-17"}}.t.dtype)
    assert.equal(0, #strew.table{a = {}, b = {}})
    support.fail({
      {"strew.table{a = {1, 'b'}}",
       "table: 'columns' has column \"a\" with \"b\" at [2], expected a number, as at [1]"},
      {"strew.table{a = {1, {}}}",
       "table: 'columns' has column \"a\" with a table at [2], expected a number, as at [1]"},
      {"strew.table{a = {{1}}}",
       "table: 'columns' has column \"a\" with a table at [1], expected numbers, booleans or words"},
      {"strew.table{a = {1, n = 2}}", "table: 'columns' has column \"a\" with key \"n\", expected a sequence"},
      {"strew.table{a = {1, 2}, b = {1}}",
       "table: 'columns' has a column \"b\" of 1 element, expected 2, as in the first one, \"a\"\n"
       .. "  hint  x[\"b\"] = value:item() fills a column of a table x"},
      {"strew.table{a = 1}", "table: 'columns' has column \"a\" with 1, expected a tensor or a sequence\n"
       .. "  hint  x.a = 1 fills a column of a table x"},
      {"strew.table{{'a', {1}}, {'a', {2}}}", "table: 'columns' has \"a\" twice"},
      {"strew.table{{1, 2}}", "table: 'columns' has a table at key 1, expected {name, values}\n"
       .. '  hint  strew.table{{"city", {"Oslo", "Rome"}}, {"rain", {1.5, 4}}}, '
       .. 'or rows: {{city = "Oslo", rain = 1.5}}'},
      {"strew.table{[true] = {1}}", "table: 'columns' has key true, expected names of columns"},
      {"strew.table{}", "table: 'columns' is an empty table, expected columns"},
    }, {strew = strew})
  end)

  it("have the functions of tables as methods", function()
    local x = strew.table{{"city", {"Oslo", "Rome", "Oslo"}}, {"rain", {1.5, 4, 2}}}
    same({{"city", {"Rome", "Oslo"}}, {"rain", {4, 2}}}, x:rows(x.rain:gt(1.5)))
    same({{"city", {"Oslo", "Rome"}}, {"rain", {3.5, 4}}}, x:group_by("city"):agg{rain = {"sum", "rain"}})
    same({{"rain", {1.5, 2, 4}}, {"city", {"Oslo", "Oslo", "Rome"}}}, x:sort_by("rain"):columns{"rain", "city"})
    assert.equal(3, #x)
    -- every function whose first argument is a table of columns
    local found = 0
    for _, entry in ipairs(debug.getregistry()["strew.help"]().entries) do
      local name, first = entry.name, entry.params[1]
      if first and first.type == "table" and first.text:find "^of columns" and name ~= "words" then
        assert.matches("^" .. name .. ": ", support.message(x[name]))
        found = found + 1
      end
    end
    assert.is_true(found >= 12, found)
    local named = strew.table{rows = {1, 2}, head = {3, 4}}
    assert.same({1, 2}, named.rows:tolist())
    assert.is_nil(strew.table{a = {1}}.unknown)
    local other = setmetatable({}, {__newindex = rawset, __index = {head = strew.head}})
    local hint = "\n  hint  use . to call a function: strew.head(...)"
    assert.matches(hint, support.message(function() return other:head(1, 2, 3) end), 1, true)
    assert.is_nil(support.message(function() return named.rows, strew.table{a = {1}}:head(1, 2, 3) end):find "hint")
  end)

  it("take columns of their length alone", function()
    local x = strew.table{a = {1, 2, 3}}
    x.b = strew.tensor{4, 5, 6}
    x.c, x.d, x.e = 0.5, "word", true
    same({{"a", {1, 2, 3}}, {"b", {4, 5, 6}}, {"c", {0.5, 0.5, 0.5}}, {"d", {"word", "word", "word"}},
      {"e", {true, true, true}}}, strew.columns(x, {"a", "b", "c", "d", "e"}))
    local function shorten(message) return (message:gsub("\n  value[^\n]*", "")) end
    support.fail({
      {"x.f = strew.zeros(2)", "column: 'value' has 2 elements, column \"a\" has 3 elements"},
      {"x.f = strew.tensor(1)", "column: 'value' has rank 0, column \"a\" has 3 elements\n"
       .. "  hint   value:item() fills a column"},
      {"x.f = {}", "column: 'value' is a table, expected a tensor, or a number, boolean or word for all rows\n"
       .. "  hint  strew.tensor(value)"},
    }, {strew = strew, x = strew.table{a = {1, 2, 3}}}, shorten)
  end)

  it("have names, or numbers in a sequence", function()
    local x, pair = strew.table{v = {1, 2, 3}}, strew.columns({strew.tensor{1, 2}, strew.tensor{3, 4}}, {1, 2})
    local function shorten(message) return (message:gsub("\n  [nvx][^\n]*", "")) end
    local function put(table, name, value) table[name] = value end
    support.fail({
      {"put(x, x.v:gt(1), 0)", "column: 'name' is a tensor, expected a string\n"
       .. "  hint  x[rows] is read alone; x.v:masked_fill_(rows, value) and x.v[rows] = value write into a column v"},
      {"put(x, 1, x.v)", "column: 'name' is 1, expected a string"},
      {"put(x, true, 5)", "column: 'name' is true, expected a string"},
      {"put(pair, 5, pair[1])", "column: 'name' is 5, expected 3, the next column of a sequence"},
      {"put(pair, 'a', pair[1])", "column: 'name' is \"a\", expected 3, the next column of a sequence"},
    }, {x = x, pair = pair, put = put}, shorten)
    same({{"v", {1, 2, 3}}}, x)
    pair[3] = 7
    same({{1, {1, 2}}, {2, {3, 4}}, {3, {7, 7}}}, pair)
  end)

  it("read a number, boolean or word in place of a column as all its elements", function()
    local function drawn_table() return strew.table{{"k", {"a", "b", "c"}}, {"v", {1, 2, 3}}} end
    for _, value in ipairs{0, 2.5, true, "word"} do
      local reads = {tostring, function(x) return #x end, function(x) return x:head() end,
        function(x) return x.words end, function(x) return strew.expr "v"(x) end, strew.describe,
        function(x) return x:sort_by "k" end, function(x) x.new = 1 end, function(x) return x:columns() end,
        function(x) return strew.concat{x} end, function(x) return x:group_by "v" end, strew.to_arrow}
      local expected = drawn_table()
      expected.w = value
      for i, read in ipairs(reads) do
        local x = drawn_table()
        x.v = value
        read(x)
        assert.equal(expected.w.dtype, x.v.dtype, i)
        assert.same({value, value, value}, x.v:tolist(), i)
      end
    end
    local x = drawn_table()
    x.v, x.k = 0, strew.tensor{5, 6}
    same({{"k", {5, 6}}, {"v", {0, 0}}}, x:head())
    local short, list, numbers = drawn_table(), drawn_table(), drawn_table()
    short.v, list.v = strew.tensor{1}, {1, 2, 3}
    numbers.k, numbers.v = 1, 2
    support.fail({
      {"return #short", "length: 'x' has a column \"v\" of 1 element, expected 3, as in the first one, \"k\"\n"
       .. "  hint  x[\"v\"] = value:item() fills a column of a table x"},
      {"list:head()", "head: column \"v\" is a table, expected a tensor\n"
       .. "  hint  strew.tensor(values) makes a column of a sequence"},
      {"return #numbers", "length: column \"k\" is 1, expected a tensor\n"
       .. "  hint  strew.full(n, value) makes a column of n rows"},
    }, {short = short, list = list, numbers = numbers})
    numbers.k, numbers.v = nil, nil
    assert.equal(0, #numbers)
  end)

  it("are appended and melted as the integers that they have", function()
    local most = strew.table{v = {0.5}}.v.dtype == "float64" and 1 << 53 or 1 << 24
    local dtype = most > 1 << 24 and "float64" or "float32"
    local gap = strew.table{id = strew.tensor({0 / 0}, {dtype = dtype})}
    same({{"id", {most, nan}}}, strew.concat{strew.table{id = {most}}, gap})
    same({{"id", {most + 1}}}, strew.concat{strew.table{id = {most + 1}}, {id = gap.id:narrow(0, 0, 0)}})
    local function shorten(message) return (message:gsub("\n  [tx][^\n]*", ""):gsub("hint +", "hint  ")) end
    support.fail({
      {"strew.concat{gap, {id = strew.tensor{1, most + 1}}}", ("concat: 'tables[2]' has column \"id\" with value %d, "
       .. "which %s cannot hold: column \"id\" of tables[1] is %s\n  hint  tables[2][\"id\"]:to(\"%s\") rounds"):format(
       most + 1, dtype, dtype, dtype)},
      {"strew.melt({id = strew.tensor{most + 1}, v = gap.id})", ("melt: 'x' has column \"id\" with value %d, "
       .. "which %s cannot hold: column \"v\" is %s\n  hint  x[\"id\"]:to(\"%s\") rounds"):format(
       most + 1, dtype, dtype, dtype)},
    }, {strew = strew, gap = gap, most = most}, shorten)
  end)

  it("are appended like lists", function()
    for _ = 1, 60 do
      local list, whole, has_rows = {}, {key = {}, word = {}, v = {}, w = {}}, false
      for k = 1, random(3) do
        local name = random(2) == 1 and "v" or "w"
        local n = random(0, 4)
        local lists, x = drawn(n, name, 5, random(2) == 1)
        list[k] = x
        has_rows = has_rows or n > 0
        for i = 1, n do
          for _, column in ipairs{"key", "word", "v", "w"} do
            table.insert(whole[column], lists[column] and lists[column][i] or nan)
          end
        end
      end
      if has_rows then
        local joined = strew.concat(list, {fill = true})
        local expected = {}
        for k, name in ipairs(strew.columns(joined)) do expected[k] = {name, whole[name]} end
        same(expected, joined)
      end
    end
    local a = strew.table{{"city", {"Oslo", "Rome"}}, {"v", {1, 2}}}
    local b = strew.table{{"v", {3, 4}}, {"city", {"Rome", "Oslo"}}}
    same({{"city", {"Oslo", "Rome", "Rome", "Oslo"}}, {"v", {1, 2, 3, 4}}}, strew.concat{a, b})
    same({{"city", {"Rome", "Oslo"}}, {"v", {2, 1}}}, strew.rows(strew.concat{a}, strew.tensor{1, 0}))
    local narrow = strew.concat{{v = strew.tensor({1}, {dtype = "int8"})}, {v = strew.tensor({2}, {dtype = "uint8"})}}
    assert.equal("int16", narrow.v.dtype)
    same({{"a", {1, 2}}, {"t", {"x", ""}}}, strew.concat({strew.table{a = {1}, t = {"x"}}, {a = strew.tensor{2}}},
      {fill = true}))
    local times = strew.table{a = {1}, t = strew.time{"2024-01-01"}}
    times = strew.concat({times, {a = strew.tensor{2}}}, {fill = true})
    assert.same({"2024-01-01", "NaT"}, times.t:tolist())
    support.fail({
      {"strew.concat{a, {v = strew.tensor{1}}}", "concat: 'tables[2]' has no column \"city\", which tables[1] has\n"
       .. "  hint  strew.concat({a, b}, {fill = true}) makes its elements missing"},
      {"strew.concat{a, {v = strew.tensor{1}, citty = strew.tensor{1}}}", "concat: 'tables[2]' has no column \"city\", "
       .. "which tables[1] has\n  hint  did you mean 'citty'?"},
      {"strew.concat{a, {v = strew.tensor{1}, city = strew.tensor{1}}}",
       "concat: 'tables' has column \"city\", which is text in tables[1] and int64 in tables[2]\n"
       .. "  hint  strew.text(tables[2][\"city\"]) writes numbers as words"},
      {"strew.concat(a, a)", "concat: 'tensors' has key \"city\", expected a sequence\n"
       .. "  hint  tables are listed: strew.concat{a, b}"},
      {"strew.concat{a, 7}", "concat: 'tables[2]' is 7, expected a table of columns"},
      {"strew.concat{a, fill = true}", "concat: 'tables' has key \"fill\", expected a sequence of tables\n"
       .. "  hint  options follow the sequence: strew.concat({a, b}, {fill = true})"},
    }, {strew = strew, a = a})
  end)

  it("are joined like lists, in all ways", function()
    for turn = 1, 120 do
      local n, m = random(0, 9), random(0, 9)
      local left, a = drawn(n, "v", turn % 3 == 0 and 30 or 4)
      local right, b = drawn(m, "w", turn % 3 == 0 and 30 or 4, turn % 5 == 0)
      local by = turn % 2 == 0 and {"key"} or turn % 4 == 1 and {"word"} or {"word", "key"}
      local function is_equal(i, j)
        for _, name in ipairs(by) do
          if left[name][i] ~= right[name][j] then return false end
        end
        return true
      end
      for _, how in ipairs{"inner", "left", "right", "outer", "semi", "anti"} do
        local of_a, of_b = pairs_of(how, n, m, is_equal)
        local is_key, expected = {}, {}
        for _, name in ipairs(by) do is_key[name] = true end
        local is_half = how == "semi" or how == "anti"
        for _, name in ipairs{"key", "word", "v"} do
          local column = taken(left[name], of_a, name == "word" and "" or nan)
          if is_key[name] then
            for k, i in ipairs(of_a) do column[k] = i == 0 and right[name][of_b[k]] or column[k] end
          end
          local other = name == "v" and "w" or name
          local is_twice = not is_half and not is_key[name] and other == name
          expected[#expected + 1] = {is_twice and name .. "_x" or name, column}
        end
        for _, name in ipairs(is_half and {} or {"key", "word", "w"}) do
          if not is_key[name] then
            expected[#expected + 1] = {name == "w" and name or name .. "_y",
              taken(right[name], of_b, name == "word" and "" or nan)}
          end
        end
        same(expected, strew.join(a, b, by, {how = how}))
      end
    end
  end)

  it("are joined as of the nearest row like lists", function()
    local function sorted(x) return strew.sort_by(x, "key") end
    for turn = 1, 150 do
      local n, m = random(0, 12), random(0, 12)
      local _, a = drawn(n, "v", 10)
      local _, b = drawn(m, "w", 10, turn % 3 == 0)
      a, b = sorted(a), sorted(b)
      local left, right = lists_of(a), lists_of(b)
      local direction = ({"backward", "forward", "nearest"})[turn % 3 + 1]
      local by, tolerance = turn % 2 == 0 and "word" or nil, turn % 4 < 2 and random(0, 4) or nil
      local at = {}
      for i = 1, n do
        local best, distance = 0, nil
        for j = 1, m do
          local gap = left.key[i] - right.key[j]
          local fits = (direction == "backward" and gap >= 0) or (direction == "forward" and gap <= 0)
            or direction == "nearest"
          if fits and (not by or left.word[i] == right.word[j]) and math.abs(gap) <= (tolerance or 99) then
            local is_nearer = not distance or math.abs(gap) < math.abs(distance)
            local is_later = distance and gap == distance and gap >= 0 and direction ~= "forward" -- the last before
            if is_nearer or is_later then best, distance = j, gap end
          end
        end
        at[i] = best
      end
      local expected = {{"key", left.key}, {by and "word" or "word_x", left.word}, {"v", left.v}}
      if not by then expected[4] = {"word_y", taken(right.word, at, "")} end
      expected[#expected + 1] = {"w", taken(right.w, at, nan)}
      same(expected, strew.asof(a, b, "key", {by = by, direction = direction, tolerance = tolerance}))
    end
    local t = strew.time{"2024-01-01", "2024-01-02", "2024-01-03T12:00"}
    local prices = strew.table{t = strew.time{"2024-01-01T00:00:10", "2024-01-03"}, p = {1, 2}}
    assert.same({1, 1, 2}, strew.asof({t = t}, prices, "t", {direction = "nearest"}).p:tolist())
    local near = strew.asof({t = t}, prices, "t", {direction = "nearest", tolerance = 10})
    local span = strew.asof({t = t}, prices, "t", {direction = "nearest", tolerance = "10s"})
    same({{"p", {1, nan, nan}}}, strew.columns(span, "p"))
    same({{"p", {1, nan, nan}}}, strew.columns(near, "p"))
    local far = {t = strew.tensor{math.mininteger, 5}, w = strew.arange(2)}
    far = strew.asof({t = strew.tensor{math.maxinteger}}, far, "t", {direction = "nearest"})
    assert.same({1}, far.w:tolist())
    local ends = {o = strew.tensor{-math.huge, 1.0, math.huge}, w = strew.arange(3)}
    for _, direction in ipairs{"backward", "forward", "nearest"} do
      local same_rows = strew.asof(ends, ends, "o", {direction = direction, tolerance = 1})
      assert.same({0, 1, 2}, same_rows.w_y:tolist())
    end
    assert.is_false(pcall(strew.asof, {o = strew.tensor{3, 5, 4}}, ends, "o"))
    local found = strew.last_error()
    assert.same({4, {2}}, {found.value, found.pos})
    assert.matches("^asof: 'on' has column \"t\" with value 9007199254740993 in a",
      support.message(strew.asof, {t = strew.tensor{(1 << 53) + 1}}, {t = strew.tensor{0.5}}, "t"))
    assert.equal((1 << 53) + 1, strew.last_error().value)
    support.fail({
      {"strew.asof({t = T{1, 3, 2}}, {t = T{1}}, 't')",
       "asof: 'a' has 2 at [2] in column \"t\", expected ascending values\n  hint  strew.sort_by(a, \"t\")"},
      {"strew.asof({t = T{1.0}}, {t = T{1, 0 / 0}}, 't')",
       "asof: 'b' has nan at [1] in column \"t\", expected no missing value\n  hint  b[~b[\"t\"]:isnan()]"},
      {"strew.asof({t = T{1}}, {t = T{1}}, 't', {direction = 'back'})",
       "asof: 'direction' is \"back\", expected backward, forward or nearest"},
      {"strew.asof({t = strew.time{'2024-01-01'}}, {t = strew.time{'2024-01-01'}}, 't', {tolerance = 'month'})",
       "asof: 'tolerance' is \"month\", but months have no one length"},
      {"strew.asof({t = strew.time{'2024-01-01'}}, {t = strew.time{'2024-01-01'}}, 't', {tolerance = '2x'})",
       "asof: 'tolerance' is \"2x\", expected seconds above 0, or a span as \"day\", \"2h\", \"15min\" or \"month\""},
      {"strew.asof({t = T{1}}, {t = T{1}}, 't', {tolerance = '2h'})",
       "asof: 'tolerance' is \"2h\", expected a number of at least 0"},
      {"strew.asof({t = T{1}}, {t = T{1}}, 't', {tolerance = -1})",
       "asof: 'tolerance' is -1, expected a number of at least 0"},
      {"strew.asof({t = T{true}}, {t = T{true}}, 't')", "asof: 'on' is bool, expected numbers or times"},
      {"strew.asof({t = T{1}}, {t = T{1}}, 't', {by = 't'})", "asof: 'by' has \"t\", which is 'on'"},
    }, {strew = strew, T = strew.tensor})
  end)

  it("are melted like lists", function()
    local x = strew.table{{"city", {"Oslo", "Rome"}}, {"jan", {1, 2}}, {"feb", {3.5, 4}}, {"note", {"a", "b"}}}
    same({{"city", {"Oslo", "Rome", "Oslo", "Rome"}}, {"variable", {"jan", "jan", "feb", "feb"}},
      {"value", {1, 2, 3.5, 4}}}, x:melt("city", {"jan", "feb"}))
    same({{"month", {"city", "city", "note", "note"}}, {"word", {"Oslo", "Rome", "a", "b"}}},
      x:melt(nil, {"city", "note"}, {variable_name = "month", value_name = "word"}))
    support.fail({
      {"x:melt('city')",
       "melt: 'x' has column \"jan\" of int64 and column \"note\" of text, which are not melted into one\n"
       .. "  hint  strew.melt(x, keys, values): values are columns of numbers, of text or of times"},
      {"x:head('2')", "head: 'n' is \"2\", expected an integer"},
      {"x:rows()", "rows: 'which' is missing, the arguments are (x, which)"},
      {"x:melt({'city', 'jan', 'feb', 'note'})", "melt: 'keys' has all columns, and leaves none to melt"},
      {"x:melt('jan', 'feb', {value_name = 'jan'})",
       "melt: 'keys' has column \"jan\", which is the name of a new one\n"
       .. '  hint  strew.melt(x, keys, {variable_name = "name", value_name = "number"})'},
    }, {x = x})
  end)

  it("are described", function()
    local x = strew.table{{"w", {"a", "", "b"}}, {"v", {1.5, nan, 2}}, {"n", {1, 5, 2}}, {"b", {true, false, true}},
      {"t", strew.time{"2024-01-01", "", "2024-01-02"}}}
    local d = x:describe()
    same({{"column", {"w", "v", "n", "b", "t"}}, {"dtype", {"text", "float64", "int64", "bool", "time"}},
      {"count", {2, 2, 3, 3, 2}}, {"missing", {1, 1, 0, 0, 1}},
      {"mean", {"", "1.75", strew.text(8 / 3 + strew.zeros(1, {dtype = "float64"}))[0],
        strew.text(2 / 3 + strew.zeros(1, {dtype = "float64"}))[0], "2024-01-01T12:00"}},
      {"min", {"", "1.5", "1.0", "0.0", "2024-01-01"}}, {"25%", {"", "1.625", "1.5", "0.5", "2024-01-01T06:00"}},
      {"50%", {"", "1.75", "2.0", "1.0", "2024-01-01T12:00"}}, {"75%", {"", "1.875", "3.5", "1.0", "2024-01-01T18:00"}},
      {"max", {"", "2.0", "5.0", "1.0", "2024-01-02"}}},
      strew.columns(d, {"column", "dtype", "count", "missing", "mean", "min", "25%", "50%", "75%", "max"}))
    local std = d.std:tolist()
    for k, expected in pairs{[2] = 0.125 ^ 0.5, [3] = (13 / 3) ^ 0.5, [4] = (1 / 3) ^ 0.5, [5] = 86400 / 2 ^ 0.5} do
      assert.is_true(math.abs(std[k] / expected - 1) < 1e-15)
    end
    d = x:columns{"w", "v", "n"}:describe()
    same({{"mean", {nan, 1.75, 8 / 3}}, {"max", {nan, 2, 5}}}, d:columns{"mean", "max"})
    d = x:columns{"t"}:describe()
    assert.same({"time", "2024-01-01T12:00", "2024-01-02"}, {d.mean.dtype, d.mean[0], d.max[0]})
    assert.same({"NaT", "NaT"}, {x:columns{"t"}:head(0):describe().min[0], x:rows("isnan(t)"):describe():rows(
      "dtype == 'time'").max:to("time")[0]})
    local none = strew.head(x, 0):describe()
    assert.same({0, 0, 0, 0, 0}, none.count:tolist())
    assert.is_true(none.mean:isnan():all():item())
  end)

  it("give their first and last rows", function()
    local x = strew.table{a = {1, 2, 3, 4, 5, 6, 7}}
    local function list(y) return y.a:tolist() end
    assert.same({1, 2, 3, 4, 5}, list(x:head()))
    assert.same({3, 4, 5, 6, 7}, list(x:tail()))
    assert.same({1, 2}, list(strew.head(x, 2)))
    assert.same({7}, list(strew.tail(x, {n = 1})))
    assert.same({{}, 7}, {list(x:tail(0)), #x:head(99)})
    local first = x:head(1)
    first.a[0] = 9
    assert.equal(1, x.a[0])
    support.fail({{"x:head(-1)", "head: 'n' is -1, expected 0 or more"}}, {x = x})
  end)

  it("count values with shares", function()
    same({{"value", {7, 9}}, {"count", {3, 1}}, {"share", {0.75, 0.25}}},
      strew.value_counts(strew.tensor{7, 9, 7, 7}, {shares = true}))
    local x = strew.table{a = {1, 2, nan, 2}}
    same({{"a", {2, 1}}, {"count", {2, 1}}, {"share", {2 / 3, 1 / 3}}},
      x:value_counts("a", {shares = true, skip_nan = true}))
    support.fail({{"strew.value_counts({share = strew.tensor{1}}, 'share', {shares = true})",
      "value_counts: 'by' has \"share\", which is the name of the shares\n  hint  rename that column: x.n = x.share; "
      .. "x.share = nil"}}, {strew = strew})
  end)

  it("are aggregated in the order of a sequence", function()
    local x = strew.table{{"k", {1, 2, 1}}, {"v", {1.0, 2, 4}}}
    same({{"k", {1, 2}}, {"z", {5, 2}}, {"n", {2, 1}}, {"a", {4, 2}}, {"q", {2.5, 2}}},
      x:group_by("k"):agg{{"z", "sum", "v"}, {"n", "count"}, {"a", "max", "v"}, {"q", "quantile", "v", q = 0.5}})
    support.fail({
      {"g:agg{{'a', 'sum', 'v'}, {'a', 'count'}}", "agg: 'what' has \"a\" twice"},
      {"g:agg{{'a', 'sum', 'v'}, b = 'count'}", "agg: 'what' has \"count\" at key \"b\", expected {name, reduction, "
       .. "src}\n  hint  g:agg{total = {\"sum\", src}}, or g:agg{{\"total\", \"sum\", src}}"},
    }, {g = x:group_by("k")}, function(message) return message end)
  end)

  it("pass gradients", function()
    local doubled = strew.grad(function(t)
      local x = strew.concat{strew.table{a = t}, {a = t * 2}}
      return x.a:sum() + strew.head(x, 1).a:sum() + strew.melt(x).value:sum()
    end)(strew.tensor{1.0, 2})
    assert.same({7, 6}, doubled:tolist())
  end)

  it("are grouped by bare times", function()
    local t, k = strew.time{"2024-05-01", "2024-01-01", "2024-05-01", ""}, strew.tensor{1, 2, 1, 1}
    for _, g in ipairs{strew.group_by(t), strew.group_by({t}), strew.group_by(t, k)} do
      assert.same({1, 0, 1, 2}, g.ids:tolist())
      assert.same({"2024-01-01", "2024-05-01", "NaT"}, g.keys[1]:tolist())
    end
    assert.same({0, 1, 0, 2}, strew.group_by({k, t}, {order = "first"}).ids:tolist())
    assert.same({1, 2, 1}, strew.group_by(t):agg{n = "count"}.n[strew.tensor{0, 1, 2}]:tolist())
  end)
end)

-- Random numbers of other dtypes, of which one has a gap in the result.
describe("dtypes of joined tables", function()
  it("change for missing elements alone", function()
    if support.lacks_float64 then return end
    for _, dtype in ipairs(loops.dtypes) do
      local a, b = {k = strew.arange(3)}, {k = strew.arange(1, 4), w = strew.tensor{1, 0, 1}:to(dtype)}
      local is_float = loops.is_float(dtype)
      assert.equal(dtype, strew.join(a, b, "k").w.dtype)
      assert.equal(is_float and dtype or "float64", strew.join(a, b, "k", {how = "left"}).w.dtype)
      assert.equal(dtype, strew.join(a, b, "k", {how = "right"}).w.dtype)
      local all = strew.join(a, b, "k", {how = "outer"})
      assert.equal("int64", all.k.dtype)
      assert.same({0, 1, 2, 3}, all.k:tolist())
    end
  end)

  it("are floats where integers have no common dtype", function()
    local u = strew.tensor({1, 1 << 40, (1 << 60) + 1}, {dtype = "uint64"})
    local has_float64 = not support.lacks_float64
    local dtype = has_float64 and "float64" or "float32"
    local both = strew.concat{{a = u:narrow(0, 0, 2)}, {a = strew.tensor{-1, math.mininteger}}}
    assert.equal(dtype, both.a.dtype)
    assert.same({1, 2.0 ^ 40, -1, -2.0 ^ 63}, both.a:tolist())
    assert.equal(dtype, strew.melt({k = strew.tensor{1}, a = u:narrow(0, 0, 1), b = strew.tensor{7}}, "k").value.dtype)
    local joined = strew.join({k = u:narrow(0, 0, 1)}, {k = strew.tensor{3}}, "k", {how = "outer"})
    assert.equal(dtype, joined.k.dtype)
    support.fail({
      {"strew.concat{{a = u}, {a = strew.tensor{1}}}", ("concat: 'tables[1]' has column \"a\" with value %d, which %s "
        .. "cannot hold: column \"a\" of tables[2] is int64\n  hint  tables[1][\"a\"]:to(\"%s\") rounds"):format(
        (1 << 60) + 1, dtype, dtype)},
      {"strew.concat{{a = most}, {a = half}}", ("concat: 'tables[1]' has column \"a\" with value %d, which float32 "
        .. "cannot hold: column \"a\" of tables[2] is float32\n  hint  tables[1][\"a\"]:to(\"%s\") rounds"):format(
        math.maxinteger, dtype)},
      {"strew.melt({k = strew.tensor{1}, a = strew.tensor{16777217}, b = half}, 'k')",
        "melt: 'x' has column \"a\" with value 16777217, which float32 cannot hold: column \"b\" is float32\n  hint  "
        .. (has_float64 and 'x["b"]:to("float64") holds both' or 'x["a"]:to("float32") rounds')},
    }, {strew = strew, u = u, most = strew.tensor{math.maxinteger}, half = strew.tensor{0.5}},
      function(message) return (message:gsub("\n  [tx][^\n]*", ""):gsub("hint +", "hint  ")) end)
  end)

  it("hold the integers that are described", function()
    local large = strew.table{{"id", {(1 << 24) + 1, 1}}}
    if not support.lacks_float64 then return assert.same({0x1p24 + 1}, large:describe().max:tolist()) end
    local message = support.message(strew.describe, large)
    assert.matches("describe: 'x' has column \"id\" with value 16777217, which float32 cannot hold", message, 1, true)
    assert.matches('x["id"]:to("float32") rounds', message, 1, true)
    assert.same({0x1p24}, strew.describe({id = large.id:to("float32")}).max:tolist())
  end)
end)

describe("HTML of a table, for notebooks,", function()
  local function html(x) return getmetatable(x).__html(x) end
  local function cells(x)
    local rows = {}
    for row in html(x):gmatch("<tr>(.-)</tr>") do
      table.insert(rows, (row:gsub("</t[hd]><t[hd] [^>]*>", "|"):gsub("</?t[hd][^>]*>", "")))
    end
    return rows
  end

  it("has the cells of its text, aligned as there", function()
    local x = strew.table{{"a<b", {0.5, 0 / 0}}, {"city", {"R&D", "<i>"}}}
    assert.same({"a&lt;b|city", x["a<b"].dtype .. "|text", "0.5|R&amp;D", "nan|&lt;i&gt;"}, cells(x))
    local cell = '<td style="text-align: right">0.5</td><td style="text-align: left">R&amp;D</td>'
    assert.truthy(html(x):find(cell, 1, true))
    assert.truthy(html(x):find("<caption>2 rows, 2 columns, ", 1, true))
  end)

  it("leaves out rows in the middle, and shows more columns than a line has", function()
    local wide = {}
    for k = 1, 30 do wide[k] = {"column_" .. k, strew.arange(25)} end
    local rows = cells(strew.table(wide))
    assert.equal(2 + 3 + 1 + 3, #rows)
    assert.truthy(rows[6]:find("^%.%.%.|%.%.%."))
    assert.equal(29, select(2, rows[3]:gsub("|", "")))
  end)

  it("of no rows, and of a table whose columns differ", function()
    assert.same({"a", "int64"}, cells(strew.table{a = strew.tensor({}, "int64")}))
    local x = strew.table{a = {1, 2}}
    rawset(x, "b", strew.zeros(3))
    assert.is_nil(html(x))
  end)
end)
