-- Groups, joins, counts and pivots of tables, against plain loops.
local strew = require "strew"
local support, loops = dofile "tests/spec/support.lua", dofile "tests/spec/loops.lua"
local random = math.random
local path = os.tmpname() .. ".csv"
local rounds = support.runs_all and 60 or 8

local letters = {"b", "a", "", "é", "A", "ab", "b c", "zz"}
local nan = 0 / 0

-- A column of n values of a kind: its tensor, its values as a script sees them, and its words.
local function random_column(n, kind)
  local values, codes = {}, {}
  if kind == "text" then
    local words = {}
    for k = 1, random(1, 8) do words[k] = loops.any(letters) end -- in any order, some twice
    for r = 1, n do
      codes[r] = random(0, #words - 1)
      values[r] = words[codes[r] + 1]
    end
    return loops.tensor(codes, {n}, loops.any{"int64", "int32", "uint8", "int16"}), values, words
  end
  for r = 1, n do
    local value = random(0, 3)
    if loops.is_float(kind) then value = loops.any{0.0, -0.0, 1.5, -2.25, nan, 1 / 0} end
    if kind == "int64" and random(4) == 1 then value = loops.any{math.mininteger, math.maxinteger, -7} end
    if kind == "bool" then value = value > 1 end
    values[r] = value
  end
  return loops.tensor(values, {n}, kind), values
end

local kinds = {"text", "text", "int64", "int32", "uint8", "int8", "float64", "float32", "bool"}

-- A table with columns of random kinds, under random names of a list; and lists of its values by name.
local function random_table(n, names, kinds_of)
  local x, values, lists = {}, {}, {}
  for k, name in ipairs(names) do
    x[name], values[name], lists[name] = random_column(n, kinds_of and kinds_of[k] or loops.any(kinds))
  end
  return strew.columns(x, names, lists), values
end

-- A text that equal keys share.
local function key_of(values, names, r)
  local parts = {}
  for k, name in ipairs(names) do
    local value = values[name][r]
    if value ~= value then value = "nan" elseif value == 0 then value = 0 end
    parts[k] = math.type(value) == "float" and ("%.17g"):format(value) or tostring(value)
  end
  return table.concat(parts, "\0")
end

-- True if key a precedes key b: text by bytes, NaN last.
local function precedes(a, b)
  if a ~= a or b ~= b then return a == a end
  if type(a) == "boolean" then return not a and b end
  return a < b
end

local function is_equal(a, b) return a == b or a ~= a and b ~= b end

-- The groups of rows by a plain loop: lists of rows, in the order of the keys or of their first rows.
local function groups_of(values, names, n, order)
  local groups, of_key = {}, {}
  for r = 1, n do
    local key = key_of(values, names, r)
    if not of_key[key] then
      of_key[key] = {}
      table.insert(groups, of_key[key])
    end
    table.insert(of_key[key], r)
  end
  if order ~= "first" then
    table.sort(groups, function(s, t)
      for _, name in ipairs(names) do
        local a, b = values[name][s[1]], values[name][t[1]]
        if not is_equal(a, b) then return precedes(a, b) end
      end
      return false
    end)
  end
  return groups
end

local function shown(x, name) return loops.list(rawget(x, name)) end

local function same_list(expected, got, what)
  assert.equal(#expected, #got, what)
  for k, value in ipairs(expected) do
    if not is_equal(value, got[k]) then
      error(("%s: row %d is %s, expected %s"):format(what, k - 1, got[k], value), 2)
    end
  end
end

local function picked(list, rows)
  local out = {}
  for k, r in ipairs(rows) do out[k] = list[r] end
  return out
end

local function put(bytes) support.put(path, bytes) end

local function get() return support.get(path) end

local function loaded(bytes)
  put(bytes)
  return strew.load(path, {header = true})
end

-- The table's text, where the device is called cpu.
local function text_of(x) return (tostring(x):gsub("^([^\n]*), [^,\n]*", "%1, cpu", 1)) end

local function some_names(names, least)
  local copy, some = {table.unpack(names)}, {}
  for k = 1, random(least, #names) do some[k] = table.remove(copy, random(#copy)) end
  return some
end

-- Reductions by a plain loop over the values of a group.
local plain = {count = function(list) return #list end}
function plain.sum(list)
  local sum = 0
  for _, value in ipairs(list) do sum = sum + value end
  return sum
end
function plain.mean(list) return plain.sum(list) / #list end
function plain.first(list) return list[1] end
function plain.last(list) return list[#list] end
function plain.nunique(list)
  local seen, count = {}, 0
  for _, value in ipairs(list) do
    if not seen[value] then seen[value], count = true, count + 1 end
  end
  return count
end
local function extreme(is_better)
  return function(list)
    local best = list[1]
    for _, value in ipairs(list) do
      if is_better(value, best) then best = value end
    end
    return best
  end
end
plain.max, plain.min = extreme(function(a, b) return a > b end), extreme(function(a, b) return a < b end)

describe("a table", function()
  if support.lacks_float64 then return end
  before_each(function() math.randomseed(37) end)
  teardown(function() os.remove(path) end)

  it("is grouped by its columns like a loop", function()
    for round = 1, rounds do
      local n, names = round % 10 == 0 and 0 or random(0, 40), {"a", "b", "c", "d"}
      local x, values = random_table(n, names)
      local by, order = some_names(names, 1), loops.any{"sorted", "first", nil}
      local groups = groups_of(values, by, n, order)
      local g = strew.group_by(x, #by == 1 and random(2) == 1 and by[1] or by, {order = order})
      assert.equal(#groups, g.n)
      local ids, counts, positions = {}, {}, {}
      for k, rows in ipairs(groups) do
        counts[k], positions[k] = #rows, rows[1] - 1
        for _, r in ipairs(rows) do ids[r] = k - 1 end
      end
      same_list(ids, loops.list(g.ids), "ids")
      same_list(counts, loops.list(g.counts), "counts")
      same_list(positions, loops.list(g.positions), "positions")
      assert.same(by, strew.columns(g.keys))
      for _, name in ipairs(by) do
        local expected = {}
        for k, rows in ipairs(groups) do expected[k] = values[name][rows[1]] end
        same_list(expected, shown(g.keys, name), name)
        assert.equal(x[name].dtype, g.keys[name].dtype)
      end
    end
  end)

  it("is reduced by the names of columns like a loop", function()
    for _ = 1, rounds do
      local n = random(1, 40)
      local x, values = random_table(n, {"k", "m", "i", "f", "t"},
        {loops.any(kinds), "text", "int32", "float64", "text"})
      local by = some_names({"k", "m"}, 1)
      local groups = groups_of(values, by, n)
      local g = strew.group_by(x, by)
      local out = g:agg{
        n = "count", sum = {"sum", "i"}, mean = {"mean", "i", dtype = "float64"}, most = {"max", "i"},
        early = {"first", "f"}, late = {"last", "t"}, lowest = {"min", "t"}, highest = {"max", "t"},
        kinds = {"nunique", "t"}, words = {"count", "t"}, own = {"sum", x.i * 2},
      }
      local of = {n = {"count", "i"}, sum = {"sum", "i"}, mean = {"mean", "i"}, most = {"max", "i"},
        early = {"first", "f"}, late = {"last", "t"}, lowest = {"min", "t"}, highest = {"max", "t"},
        kinds = {"nunique", "t"}, words = {"count", "t"}}
      for name, reduction in pairs(of) do
        local expected = {}
        for k, rows in ipairs(groups) do
          expected[k] = plain[reduction[1]](picked(values[reduction[2]], rows))
        end
        same_list(expected, shown(out, name), name)
      end
      assert.is_true(strew.equal(out.sum * 2, out.own))
      local names = strew.columns(out)
      assert.same(by, {table.unpack(names, 1, #by)})
      assert.equal(#by + 11, #names)
      for _, name in ipairs(by) do same_list(shown(g.keys, name), shown(out, name), name) end
    end
  end)

  it("is joined with another like a nested loop", function()
    for round = 1, rounds do
      local n, m = round % 9 == 0 and 0 or random(0, 15), round % 7 == 0 and 0 or random(0, 15)
      local keys, of_keys = some_names({"k1", "k2", "k3"}, 1), {}
      for k in ipairs(keys) do of_keys[k] = loops.any(kinds) end
      local function with(...) return table.move({...}, 1, select("#", ...), #keys + 1, {table.unpack(keys)}) end
      local x, in_x = random_table(n, with("v", "u"), table.move(of_keys, 1, #keys, 1, {}))
      local own = {table.unpack(of_keys)}
      for k, kind in ipairs(own) do -- another dtype whose values are the same
        if kind == "float32" then own[k] = "float64" elseif kind == "uint8" then own[k] = "int32" end
      end
      local y, in_y = random_table(m, with("w", "v"), own)
      local is_left = random(2) == 1
      local of_x, of_y, has_gap = {}, {}, false
      for r = 1, n do
        local key, found = key_of(in_x, keys, r), false
        for s = 1, m do
          if key_of(in_y, keys, s) == key then
            found = true
            table.insert(of_x, r)
            table.insert(of_y, s)
          end
        end
        if is_left and not found then
          has_gap = true
          table.insert(of_x, r)
          table.insert(of_y, 0)
        end
      end
      local ok, out = pcall(strew.join, x, y, keys, {how = is_left and "left" or loops.any{"inner", nil}})
      if not ok then -- the only reason: integers that float64 cannot hold among missing ones
        assert.matches("which float64 cannot hold", out)
        assert.is_true(has_gap and (y.v.dtype == "int64" or y.w.dtype == "int64"))
      else
        local expected = {table.unpack(keys)}
        for _, name in ipairs{"v_x", "u", "w", "v_y"} do table.insert(expected, name) end
        assert.same(expected, strew.columns(out))
        for _, name in ipairs(keys) do
          same_list(picked(in_x[name], of_x), shown(out, name), name)
          assert.equal(x[name].dtype, out[name].dtype)
        end
        same_list(picked(in_x.v, of_x), shown(out, "v_x"), "v_x")
        same_list(picked(in_x.u, of_x), shown(out, "u"), "u")
        for name, from in pairs{w = "w", v_y = "v"} do
          local list, is_text, is_whole = {}, strew.words(y)[from], not loops.is_float(y[from].dtype)
          for k, s in ipairs(of_y) do
            local value = s == 0 and (is_text and "" or nan) or in_y[from][s]
            if has_gap and type(value) == "boolean" then value = value and 1.0 or 0.0 end
            list[k] = value
          end
          same_list(list, shown(out, name), name)
          if not is_text then
            assert.equal(has_gap and is_whole and "float64" or y[from].dtype, out[name].dtype)
          end
        end
      end
    end
  end)

  it("has its values counted like a loop", function()
    for _ = 1, rounds do
      local n, names = random(0, 40), {"a", "b"}
      local x, values = random_table(n, names)
      local by, skip = some_names(names, 1), random(2) == 1
      local rows = {}
      for r = 1, n do
        local is_missing = false
        for _, name in ipairs(by) do
          local value = values[name][r]
          is_missing = is_missing or value ~= value or value == ""
        end
        if not (skip and is_missing) then table.insert(rows, r) end
      end
      local kept = {}
      for _, name in ipairs(by) do kept[name] = picked(values[name], rows) end
      local groups = groups_of(kept, by, #rows)
      for k, group in ipairs(groups) do group.rank = k end
      table.sort(groups, function(s, t) return #s > #t or #s == #t and s.rank < t.rank end)
      local out = strew.value_counts(x, by, {skip_nan = skip})
      local counts = {}
      for k, group in ipairs(groups) do counts[k] = #group end
      same_list(counts, loops.list(out.count), "count")
      for _, name in ipairs(by) do
        local expected = {}
        for k, group in ipairs(groups) do expected[k] = kept[name][group[1]] end
        same_list(expected, shown(out, name), name)
      end
      if not strew.words(x)[by[1]] and #by == 1 then
        local one = strew.value_counts(x[by[1]], {skip_nan = skip})
        assert.same({"value", "count"}, strew.columns(one))
        same_list(loops.list(out[by[1]]), loops.list(one.value), "value")
        same_list(counts, loops.list(one.count), "count")
        assert.equal(tostring(one), tostring(x[by[1]]:value_counts{skip_nan = skip}))
      end
    end
    assert.same({3, 1, 2}, strew.value_counts(strew.tensor{{1, 3}, {3, 2}}).value:tolist())
  end)

  it("is pivoted like a loop", function()
    for round = 1, rounds do
      local n = round % 8 == 0 and 0 or random(1, 30)
      local x, values = random_table(n, {"r", "s", "c", "i", "f", "t"},
        {loops.any(kinds), "int32", loops.any{"text", "int32", "bool"}, "int32", "float64", "text"})
      local by = loops.any{{"r"}, {"r", "s"}, {"s"}}
      local rows, places = groups_of(values, by, n), groups_of(values, {"c"}, n)
      local value, reduce, fill = table.unpack(loops.any{{"i", "sum"}, {"i", "max", -1}, {"f", "first"},
        {"f", "last", 7}, {"t", "min"}, {"t", "nunique", 0}, {nil, "count"}, {"t", "count"}, {nil, "count", -1}}, 1, 3)
      local out = strew.pivot(x, #by == 1 and by[1] or by, "c", value, reduce, {fill = fill})
      if fill == nil and reduce == "count" then fill = 0 end
      local names = {table.unpack(by)}
      for _, place in ipairs(places) do table.insert(names, tostring(values.c[place[1]])) end
      assert.same(names, strew.columns(out))
      for _, name in ipairs(by) do
        local expected = {}
        for k, row in ipairs(rows) do expected[k] = values[name][row[1]] end
        same_list(expected, shown(out, name), name)
      end
      for _, place in ipairs(places) do
        local expected, is_here = {}, {}
        for _, r in ipairs(place) do is_here[r] = true end
        for k, row in ipairs(rows) do
          local list = {}
          for _, r in ipairs(row) do
            if is_here[r] then table.insert(list, values[value or "i"][r]) end
          end
          expected[k] = fill
          if #list > 0 then
            expected[k] = plain[reduce](list)
          elseif fill == nil then
            expected[k] = value == "t" and reduce == "min" and "" or nan
          end
        end
        local name = tostring(values.c[place[1]])
        same_list(expected, shown(out, name), name)
      end
    end
  end)

  it("from a file is grouped, joined, shown and saved with its words", function()
    local x = loaded("city,year,rain\nRome,2024,1.5\nOslo,2024,4\nRome,2025,\nBari,2025,2.5\nOslo,2025,8\n")
    local g = strew.group_by(x, "city")
    assert.equal("table: 3 rows, 1 column, cpu\n city\n text\n Bari\n Oslo\n Rome", text_of(g.keys))
    local out = g:agg{days = "count", rain = {"sum", "rain", skip_nan = true}}
    out = strew.columns(out, {"city", "days", "rain"})
    assert.equal([[
table: 3 rows, 3 columns, cpu
 city   days     rain
 text  int64  float64
 Bari      1      2.5
 Oslo      2     12.0
 Rome      2      1.5]], text_of(out))
    strew.save(path, out)
    assert.equal("city,days,rain\nBari,1,2.5\nOslo,2,12.0\nRome,2,1.5\n", get())
    x.half = x.rain / 2 -- a column that was added later
    assert.same({1.25, 6, 0.75}, g:agg{half = {"sum", "half", skip_nan = true}}.half:tolist())
    local y = loaded("city,people\nOslo,700\nRome,2800\nOslo,1\n")
    local both = strew.join(x, y, "city", {how = "left"})
    strew.save(path, strew.columns(both, {"city", "year", "people"}))
    assert.equal("city,year,people\nRome,2024,2800.0\nOslo,2024,700.0\nOslo,2024,1.0\nRome,2025,2800.0\n"
      .. "Bari,2025,\nOslo,2025,700.0\nOslo,2025,1.0\n", get())
    assert.equal("int64", strew.join(x, y, "city").people.dtype)
    local right = strew.table{{"k", {1}}, {"w", {"x"}}, {"at", strew.time{"2024-01-01"}}, {"f", {1.5}}, {"b", {true}},
      {"i", strew.tensor({7}, {dtype = "int8"})}}
    for _, make in ipairs{
      function(fill) return strew.join({k = strew.tensor{1, 2}}, right, "k", {how = "left", fill = fill}) end,
      function(fill) return strew.asof({k = strew.tensor{1, 2}}, right, "k", {tolerance = 0, fill = fill}) end,
      function(fill) return strew.concat({right, {k = strew.tensor{2}}}, {fill = fill}) end,
    } do
      local filled = make(1)
      assert.same({{"x", ""}, {"2024-01-01", "NaT"}, {1.5, 1.0}, {true, true}, {7, 1}}, {filled.w:tolist(),
        filled.at:tolist(), filled.f:tolist(), filled.b:tolist(), filled.i:tolist()})
      assert.same({"text", "time", "float64", "bool", "int8"}, {filled.w.dtype, filled.at.dtype, filled.f.dtype,
        filled.b.dtype, filled.i.dtype})
    end
    local a = {k = strew.tensor{2, 5, 9}, g = strew.tensor{1, 2, 1}}
    local b = {k = strew.tensor{1, 2, 5, 10}, g = strew.tensor{1, 1, 2, 1}, p = strew.tensor{1, 2, 3, 4}}
    for direction, before in pairs{backward = {1, 2, 3}, forward = {3, 4, 4}, nearest = {1, 2, 4}} do
      assert.same(before, strew.asof(a, b, "k", {strict = true, direction = direction}).p:tolist(), direction)
    end
    assert.same({1, 0, 2}, strew.asof(a, b, "k", {strict = true, by = "g", fill = 0}).p:tolist())
    assert.same({1, 0, 0}, strew.asof(a, b, "k", {strict = true, tolerance = 1, fill = 0}).p:tolist())
    strew.save(path, strew.pivot(x, "city", "year", "rain", "max"))
    assert.equal("city,2024,2025\nBari,,2.5\nOslo,4.0,8.0\nRome,1.5,\n", get())
    strew.save(path, strew.value_counts(x, "city"))
    assert.equal("city,count\nOslo,2\nRome,2\nBari,1\n", get())
  end)

  it("without names is grouped and joined by numbers", function()
    put("x,1\ny,2\nx,3\n")
    local x = strew.load(path, {header = false})
    local g = strew.group_by(x, 1)
    assert.same({"x", "y"}, shown(g.keys, 1))
    assert.same({4, 2}, g:agg{sum = {"sum", 2}}.sum:tolist())
    assert.same({"key", "sum"}, strew.columns(g:agg{sum = {"sum", 2}}))
    assert.same({"key", "1", "2", "3"}, strew.columns(strew.pivot(x, 1, 2, nil, "count")))
    put("y,10\nx,20\n")
    local both = strew.join(x, strew.load(path, {header = false}), 1)
    assert.same({1, 2, 3}, strew.columns(both))
    assert.same({"x", "y", "x"}, shown(both, 1))
    assert.same({20, 10, 20}, both[3]:tolist())
    assert.same({"x", "y"}, shown(strew.value_counts(x, 1), 1))
  end)

  it("gives the same on any number of threads", function()
    local n, threads, expected = 40000, strew.get_num_threads(), nil
    local list = {}
    for k = 1, 500 do list[k] = ("w%03d"):format((k * 77) % 500) end
    local x = strew.columns({w = strew.randint(0, 500, {n}):to("int16"), k = strew.randint(0, 40, {n}),
      c = strew.randint(0, 7, {n}), v = strew.rand(n, {dtype = "float64"})}, nil, {w = list})
    local y = strew.rows(strew.columns(x, {"k", "w", "c"}), strew.randperm(n):narrow(0, 0, n // 20))
    for _, count in ipairs{1, 2, 3, 7} do
      strew.set_num_threads(count)
      local results = {strew.group_by(x, {"w", "k"}):agg{sum = {"sum", "v"}, most = {"max", "w"}, n = "count"},
        strew.join(x, y, {"w", "k"}, {how = "left"}), strew.pivot(x, "w", "c", "v", "mean", {fill = 0}),
        strew.value_counts(x, {"w", "c"})}
      for i, result in ipairs(results) do
        for _, name in ipairs(expected and strew.columns(result) or {}) do
          local a, b = expected[i][name], result[name]
          if a.dtype == "float64" then a, b = a:nan_to_num(-1), b:nan_to_num(-1) end
          assert.is_true(strew.equal(a, b), name)
        end
      end
      expected = expected or results
    end
    strew.set_num_threads(threads)
  end)

  it("matches numbers of different dtypes by value, and words by their text", function()
    local a = strew.columns({k = strew.tensor{3, 1, 1 << 53}, w = strew.tensor{0, 1, 1}}, {"k", "w"}, {w = {"p", "q"}})
    local b = {k = strew.tensor({1.0, 3.5, 3.0, 2.0 ^ 53}, {dtype = "float64"}), v = strew.arange(4)}
    assert.same({2, 0, 3}, strew.join(a, b, "k").v:tolist())
    for _, row in ipairs{{"int8", "int64", 1, 257}, {"float32", "float64", 0.1, 0.1}, {"uint8", "int16", 3, 259},
      {"bfloat16", "float32", 1.0, 1.001}} do
      local narrow = {k = strew.tensor({row[3], 2}, {dtype = row[1]}), n = strew.arange(2)}
      local wide = {k = strew.tensor({row[4], 2}, {dtype = row[2]}), m = strew.arange(2)}
      assert.same({1}, strew.join(narrow, wide, "k").m:tolist())
      assert.same({1}, strew.join(wide, narrow, "k").n:tolist())
    end
    b = strew.columns({w = strew.tensor({2, 0, 1}, {dtype = "uint8"}), v = strew.arange(3)}, {"w", "v"},
      {w = {"r", "p", "q"}})
    local out = strew.join(a, b, "w")
    assert.same({2, 0, 0}, out.v:tolist())
    assert.same({"p", "q", "q"}, shown(out, "w"))
    out = strew.join({k = a.k, v = a.w}, {k = a.k, v = a.k}, "k", {suffixes = {"", "2"}})
    assert.same({"k", "v", "v2"}, strew.columns(out))
  end)

  it("keeps matrices in joins", function()
    local a = {k = strew.tensor{0, 1, 2}, m = strew.arange(6):view(3, 2)}
    local b = {k = strew.tensor{1}, u = strew.tensor{{5, 6}}}
    local out = strew.join(a, b, "k", {how = "left"})
    assert.same({{0, 1}, {2, 3}, {4, 5}}, out.m:tolist())
    local list = out.u:tolist()
    assert.same({5.0, 6.0}, list[2])
    assert.is_true(list[1][1] ~= list[1][1] and list[3][2] ~= list[3][2])
  end)

  it("names what is wrong", function()
    local x = loaded("city,size\nRome,3\nOslo,1\nRome,2\n")
    local y = loaded("city,size\nRome,3\n")
    local uneven = {a = strew.zeros(2), b = strew.zeros(3)}
    local text = strew.columns({size = strew.tensor{0}}, "size", {size = {"x"}})
    local large = {city = strew.tensor{9}, size = strew.tensor{(1 << 53) + 1}}
    local function shorten(message) return message:match "^[^\n]*" .. (message:match "\n  hint[^\n]*$" or "") end
    support.fail({
      {"strew.group_by(x, 'citty')", "group_by: 'by' has \"citty\", not found in x\n  hint  did you mean 'city'?"},
      {"strew.group_by(x, {'city', 'city'})", "group_by: 'by' has \"city\" twice"},
      {"strew.group_by(x)", "group_by: 'by' is missing, the arguments are (x, by [, {order =}])"},
      {"strew.group_by({}, 'city')", "group_by: 'x' is an empty table, expected columns"},
      {"strew.group_by(uneven, 'a')",
       "group_by: 'x' has a column \"b\" of 3 elements, expected 2, as in the first one, \"a\""},
      {"strew.group_by({m = strew.zeros(2, 2)}, 'm')", "group_by: 'by' has column \"m\" of rank 2, expected rank 1"},
      {"strew.group_by(x, 'city', {order = 'last'})",
       "group_by: 'order' is \"last\", expected \"sorted\" or \"first\""},
      {"g:agg{size = 'sum'}", "agg: 'what' has no tensor at key \"size\", expected a tensor or a column's name to "
        .. "reduce\n  hint  g:agg{size = {\"sum\", \"size\"}}"},
      {"g:agg{size = {'sum', 'max'}}", "agg: 'what' has \"max\" at key \"size\" as a column\n"
        .. "  hint  each reduction has an entry: g:agg{a = {\"sum\", \"size\"}, b = {\"max\", \"size\"}}"},
      {"g:agg{a = {'sum', 'sise'}}", "agg: 'what' has \"sise\", not found in the table\n  hint  did you mean 'size'?"},
      {"g:agg{a = {'sum', 'city'}}",
       "agg: 'what' has \"sum\" for column \"city\" of text, expected count, first, last, "
       .. "max, min or nunique"},
      {"g:agg{['5%d'] = 'sum'}",
       "agg: 'what' has no tensor at key \"5%d\", expected a tensor or a column's name to reduce"},
      {"g:agg{city = 'count'}", "agg: 'what' has the name of a key, \"city\""},
      {"strew.join(x, y)", "join: 'key' is missing, the arguments are (a, b, key [, {how =, suffixes =, fill =}])"},
      {"strew.join(x, 5, 'city')", "join: 'b' is 5, expected a table"},
      {"strew.join(x, {a = strew.zeros(1)}, 'city')",
       "join: 'key' has \"city\", not found in b\n  hint  the columns are \"a\""},
      {"strew.join(x, y, 'citi')", "join: 'key' has \"citi\", not found in a\n  hint  did you mean 'city'?"},
      {"strew.join(x, text, 'size')", "join: 'key' has column \"size\", which is int64 in a and text in b\n"
        .. "  hint  strew.text(a[\"size\"]) writes numbers as words"},
      {"strew.join(x, {size = strew.tensor{true}}, 'size')",
       "join: 'key' has column \"size\", which is int64 in a and bool in b"},
      {"strew.join(x, y, 'city', {how = 'cross'})",
       "join: 'how' is \"cross\", expected inner, left, right, outer, semi or anti"},
      {"strew.join(x, y, 'city', {suffixes = {'', ''}})",
       "join: 'suffixes' would make two columns \"size\"\n  hint  rename a column, or give other suffixes"},
      {"strew.join(x, y, 'city', {suffixes = 'a'})",
       "join: 'suffixes' is \"a\", expected two strings, as {\"_x\", \"_y\"}"},
      {"strew.join({city = x.size}, large, 'city', {how = 'left'})", "no error"},
      {"strew.join({city = strew.tensor{9, 8}}, large, 'city', {how = 'left'})",
       "join: 'b' has column \"size\" with value 9007199254740993, which float64 cannot hold: the dtype of integers "
       .. "among which some are missing, as NaN\n  hint  {fill = 0} instead of NaN keeps int64"},
      {"strew.join({city = strew.tensor{9, 8}}, large, 'city', {how = 'left', fill = 0.5})",
       "join: 'fill' is 0.5, which int64 of column \"size\" cannot hold: expected an integer in its range"},
      {"strew.join({size = strew.ones(1)}, large, 'size')",
       "join: 'key' has column \"size\" with value 9007199254740993 in b, which float64 cannot hold; in a the column "
       .. "is float32"},
      {"strew.value_counts(5)", "value_counts: 'v' is 5, expected a tensor or a table of columns"},
      {"strew.value_counts(x, 'citty')", "value_counts: 'by' has \"citty\", not found in v\n"
       .. "  hint  did you mean 'city'?"},
      {"strew.value_counts(x.size, 'city')",
       "value_counts: 'by' is given, but v is a tensor, expected a table of columns"},
      {"strew.value_counts({count = x.size})", "value_counts: 'by' has \"count\", which is the name of the counts\n"
       .. "  hint  rename that column: x.n = x.count; x.count = nil"},
      {"strew.pivot(x, 'city', 'city', 'size', 'sum')", "pivot: 'column' is \"city\", which is in 'row'"},
      {"strew.pivot(x, 'size', {'city', 'size'}, 'size', 'sum')", "pivot: 'column' has 2 columns, expected one"},
      {"strew.pivot(x, 'size', 'city', nil, 'sum')", "pivot: 'value' is missing; only \"count\" needs none"},
      {"strew.pivot(x, 'size', 'city', 'city', 'sum')", "pivot: 'reduce' has \"sum\" for column \"city\" of text, "
       .. "expected count, first, last, max, min or nunique"},
      {"strew.pivot(x, 'size', 'city', 'sise', 'sum')",
       "pivot: 'value' has \"sise\", not found in x\n  hint  did you mean 'size'?"},
      {"strew.pivot(strew.columns({city = x.city, Rome = x.size}, nil, x.words), 'Rome', 'city', nil, 'count')",
       "pivot: 'column' has \"Rome\", which is the name of a column already"},
      {"strew.pivot(x, 'size', 'city', 'size')", "pivot: 'reduce' is missing, expected a word as \"sum\" or \"count\""},
      {"strew.pivot(x, 'size', 'city', 'size', 'meen')", "pivot: 'reduce' is \"meen\", expected sum, prod, mean, var, "
       .. "std, min, max, any, all, first, last, median, quantile, count, nunique, logsumexp, "
      .. "lower_median, mode or skew\n"
       .. "  hint  did you mean 'mean'?"},
      {"strew.pivot(x, 'size', 'city', 'size', 'quantile')",
       "pivot: 'reduce' has nil as q of a quantile, expected a number\n  hint  {\"quantile\", q = 0.5}"},
      {"strew.pivot(x, 'size', 'city', 'size', {'max', dtype = 'int64'})",
       "pivot: 'reduce' has an option \"dtype\" of max, expected fill or skip_nan"},
      {"strew.pivot(x, 'size', 'city', 'size', {'sum', x.size})",
       "pivot: 'reduce' has key 2, expected a word, and options by name"},
    }, {strew = strew, x = x, y = y, uneven = uneven, text = text, large = large,
      g = strew.group_by(x, "city")}, shorten)
  end)
end)

describe("a pivot", function()
  if support.lacks_float64 then return end

  it("is aggregated in few calls of C", function()
    local g, count = strew.group_by({k = strew.tensor{1, 2, 1}, x = strew.tensor{1, 2, 3}}, "k"), 0
    local is_luas = {[(ipairs{})] = true}
    for _, library in ipairs{_G, string, table, math, debug} do
      for _, f in pairs(library) do is_luas[f] = true end
    end
    debug.sethook(function()
      local called = debug.getinfo(2, "Sf")
      if called.what == "C" and not is_luas[called.func] then count = count + 1 end
    end, "c")
    local out = g:agg{a = {"sum", "x * 2"}}
    debug.sethook()
    assert.is_true(count <= 6, count .. " calls")
    assert.same({8, 4}, out.a:tolist())
  end)

  it("names columns without the sign of NaN or 0", function()
    for _, key in ipairs{0 / 0, -(0 / 0), 0.0, -0.0} do
      local x = {a = strew.tensor{0, 1}, c = strew.tensor{key, 1.0}, v = strew.tensor{1, 2}}
      local names = strew.columns(strew.pivot(x, "a", "c", "v", "sum"))
      assert.same(key ~= key and {"a", "1.0", "nan"} or {"a", "0.0", "1.0"}, names)
    end
  end)

  it("has shares of rows, columns or all", function()
    local x = strew.table{{"k", {"a", "b", "a", "a", "b", "a"}}, {"n", {1, 2, 3, 4, 5, 6}}}
    local function shares(of, ...)
      local t = x:assign{odd = "n % 2"}:pivot("k", "odd", "n", ..., {shares = of})
      return {t["0"]:tolist(), t["1"]:tolist()}
    end
    assert.same({{10 / 14, 2 / 7}, {4 / 14, 5 / 7}}, shares("row", "sum"))
    assert.same({{10 / 12, 2 / 12}, {4 / 9, 5 / 9}}, shares("column", "sum"))
    assert.same({{2 / 6, 1 / 6}, {2 / 6, 1 / 6}}, shares("all", "count"))
    local gaps = x:pivot("k", "n", "n", "sum", {shares = "row"})
    assert.same({1 / 14, true}, {gaps["1"][0], gaps["1"]:isnan()[1]})
    assert.equal(0, #x:rows("n > 9"):pivot("k", "n", "count", {shares = "row"}))
    assert.matches("pivot: 'shares' is \"rows\", expected row, column or all", support.message(x.pivot, x, "k", "n",
      "count", {shares = "rows"}), 1, true)
    assert.matches("pivot: 'shares' is given, but the cells are text", support.message(x.pivot, x, "n", "k", "k",
      "first", {shares = "row"}), 1, true)
  end)

  it("takes the reductions of agg with their options", function()
    local x = {a = strew.tensor{0, 0, 1}, c = strew.tensor{5, 5, 5}, v = strew.tensor{1, 4, 7},
      f = strew.tensor{1.0, 0 / 0, 0 / 0}}
    local function cells(...) return strew.pivot(x, "a", "c", ...)["5"] end
    local function same(expected, got) assert.equal(support.text(expected), support.text(got)) end
    same(strew.tensor({2.5, 7}, {dtype = "float64"}), cells("v", "mean"))
    same(strew.tensor{2, 7}, cells("v", "mean", {dtype = "int64"}))
    same(strew.tensor{2, 7}, cells("v", {"mean", dtype = "int64"}))
    same(strew.tensor{1.0, 0 / 0}, cells("f", "mean", {skip_nan = true}))
    same(strew.tensor{1.0, 0 / 0}, cells("f", {"quantile", q = 0.5, skip_nan = true}))
    same(strew.tensor{4, 7}, cells("v", {"quantile", q = 1.0, interpolation = "higher"}))
    same(strew.tensor{2, 1}, cells "count")
    same(strew.tensor{2, 1}, cells(nil, "count"))
    same(strew.tensor{1, 0}, cells("f", "count", {skip_nan = true}))
  end)
end)

describe("the keys of a grouping of a table", function()
  if support.lacks_float64 then return end

  it("never change", function()
    for _, words in ipairs{{"Oslo", "Rome"}, {"Rome", "Oslo"}} do
      local x = strew.columns({k = strew.tensor{5, 7, 5}, city = strew.tensor{1, 0, 1}:to "int16"}, nil, {city = words})
      local g = strew.group_by(x, {"k", "city"})
      local before = tostring(g.keys)
      for _, name in ipairs{"k", "city"} do
        for _, of in ipairs{g, g:to("cpu")} do
          local same = tostring(of.keys)
          local found = support.message(function() of.keys[name]:fill_(name == "city" and "?" or 1) end)
          local is_copy = (of.device ~= g.device or name == "city") and found == "no error"
          assert.truthy(is_copy or found:find("belongs to a grouping, which never changes", 1, true), found)
          assert.equal(same, tostring(of.keys))
        end
      end
      g.keys.k = strew.tensor{1, 2}
      words[2] = "!"
      local out = g:agg{n = "count"}
      out.k:zero_()
      out.city:zero_()
      assert.equal(before, tostring(g.keys))
    end
    local keys = strew.key_table(1)
    keys:ids(strew.columns({city = strew.tensor{1, 0}}, nil, {city = {"Oslo", "Rome"}}), "city")
    local before = tostring(keys.keys)
    keys.keys.city:fill_("?")
    assert.equal(before, tostring(keys.keys))
  end)
end)

describe("the code of a word", function()
  local x = strew.columns({city = strew.tensor{0, 1, 0}, rain = strew.tensor{1.5, 0.5, 3}}, nil,
    {city = {"Oslo", "Bergen"}})

  it("stands for it in the column", function()
    assert.equal(0, strew.code(x, "city", "Oslo"))
    assert.equal(1, strew.code(x, "city", "Bergen"))
    assert.same({1.5, 3.0}, strew.rows(x, x.city:codes():eq(strew.code(x, "city", "Oslo"))).rain:tolist())
    assert.same({1.5, 3.0}, strew.rows(x, x.city:eq("Oslo")).rain:tolist())
  end)

  it("is refused where there is none", function()
    assert.equal([[
code: 'word' is "Olso", which is not in column "city"
  hint  did you mean 'Oslo'?]], support.message(strew.code, x, "city", "Olso"))
    assert.equal([[code: 'column' names "rain", a column of numbers, expected text]],
      support.message(strew.code, x, "rain", "Oslo"))
    assert.equal([[
code: 'column' has "cty", not found in x
  hint  did you mean 'city'?]], support.message(strew.code, x, "cty", "Oslo"))
    assert.equal("code: 'column' names 2 columns, expected one",
      support.message(strew.code, x, {"city", "rain"}, "Oslo"))
  end)
end)
