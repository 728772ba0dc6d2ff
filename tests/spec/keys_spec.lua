-- Key tables: ids of keys that come in chunks, against a plain loop over their text.
local strew = require "strew"
local support, loops = dofile "tests/spec/support.lua", dofile "tests/spec/loops.lua"
local message = support.message

local path = os.tmpname() .. ".csv"

-- One text for all elements that are equal as keys.
local function canonical(value)
  if value ~= value then return "nan" end
  if value == 0 then return "0" end
  return tostring(value)
end

-- The ids of rows of columns by a plain loop; `seen` grows.
local function ids_of(lists, seen)
  local ids = {}
  for i = 1, #lists[1] do
    local parts = {}
    for c, list in ipairs(lists) do parts[c] = canonical(list[i]) end
    local key = table.concat(parts, "|")
    if not seen[key] then
      table.insert(seen, i)
      seen[key] = #seen - 1
      seen.count = (seen.count or 0) + 1
    end
    ids[i] = seen[key]
  end
  return ids
end

local values = {
  float = {0.0, -0.0, 0 / 0, -(0 / 0), 1.5, -1.5, math.huge, -math.huge, 3.0},
  integer = {0, 1, -1, 5, 100, -128, 127}, uint8 = {0, 1, 255, 128}, bool = {true, false}}

local function random_keys(dtype, n)
  local from = values[dtype] or values[loops.is_float(dtype) and "float" or "integer"]
  local list = {}
  for i = 1, n do list[i] = loops.any(from) end
  return list
end

local function tensor_of(list, dtype)
  if #list == 0 then return strew.zeros(0, {dtype = dtype}) end
  if math.random(2) == 1 then return strew.tensor(list, {dtype = dtype}) end
  local pairs_of = {} -- with a stride
  for i, value in ipairs(list) do pairs_of[i] = {value, value} end
  return strew.tensor(pairs_of, {dtype = dtype}):select(1, 1)
end

describe("key tables", function()
  it("number keys of every dtype in order of appearance", function()
    math.randomseed(5)
    loops.on_threads(function()
      for _, dtype in ipairs(loops.dtypes) do
        for columns = 1, 3 do
          local kt, seen, all = strew.key_table(columns), {}, {}
          for _ = 1, 4 do
            local n, lists, keys = math.random(0, 30), {}, {}
            for c = 1, columns do
              local kind = c == 1 and dtype or loops.any(loops.dtypes)
              all[c] = all[c] or {dtype = kind}
              lists[c] = random_keys(all[c].dtype, n)
              keys[c] = tensor_of(lists[c], all[c].dtype)
              for _, value in ipairs(lists[c]) do table.insert(all[c], value) end
            end
            local ids = kt:ids(table.unpack(keys))
            assert.same({"int64", n}, {ids.dtype, #ids})
            assert.same(ids_of(lists, seen), ids:tolist())
            assert.equal(seen.count or 0, kt.n)
          end
          for c, key in ipairs(kt.keys) do
            assert.equal(all[c].dtype, key.dtype)
            local expected, got, known = {}, {}, {}
            for i, id in ipairs(ids_of(all, known)) do expected[id + 1] = expected[id + 1] or canonical(all[c][i]) end
            for i, value in ipairs(key:tolist()) do got[i] = canonical(value) end
            assert.same(expected, got)
          end
        end
      end
    end)
  end)

  it("grow to many keys", function()
    local kt, n = strew.key_table(2), 100000
    local a = strew.arange(n) * 1048576
    assert.is_true(strew.equal(strew.arange(n), kt:ids(a, a)))
    assert.is_true(strew.equal(strew.arange(n):flip(0), kt:ids(a:flip(0), a:flip(0))))
    local mixed = strew.cat{a:narrow(0, 10, 5), strew.tensor{-1, -2, -1}}
    assert.same({10, 11, 12, 13, 14, n, n + 1, n}, kt:ids(mixed, mixed):tolist())
    assert.equal(n + 2, kt.n)
  end)

  it("keep the words of columns of tables", function()
    local function put(text)
      local file <close> = assert(io.open(path, "w"))
      file:write(text)
    end
    local ids = {}
    local kt = strew.key_table(2)
    for turn, text in ipairs{"c,k\nb,1\na,1\nb,2\nb,1\na,1\n", "c,k\nz,1\na,1\nb,2\n", "c,k\nb,1\nz,1\n"} do
      put(text)
      for chunk in strew.chunks(path, {header = true, rows = turn == 2 and 10 or 2}) do
        table.move(kt:ids(chunk, {"c", "k"}):tolist(), 1, #chunk.k, #ids + 1, ids)
      end
    end
    assert.same({0, 1, 2, 0, 1, 3, 1, 2, 0, 3}, ids)
    local keys = kt.keys
    assert.same({"c", "k"}, strew.columns(keys))
    assert.same({"b", "a", "b", "z"}, keys.c:tolist())
    assert.same({1, 1, 2, 1}, keys.k:tolist())
    assert.equal("table: 4 rows, 2 columns, ", tostring(keys):match("^table: 4 rows, 2 columns, "))
  end)

  it("group a stream as the whole", function()
    if support.lacks_float64 then return pending "without float64, which the device lacks" end
    math.randomseed(7)
    local lines = {"city,v"}
    for i = 1, 3000 do
      lines[i + 1] = ("w%d,%.17g"):format(math.random(200), math.random() * 10 ^ math.random(-9, 9))
    end
    local file <close> = assert(io.open(path, "w"))
    file:write(table.concat(lines, "\n")):flush()
    local whole = strew.load(path, {header = true})
    local kt, sums = strew.key_table(), strew.zeros(256, {dtype = "float64"})
    local exact = strew.exact_sums(256)
    for chunk in strew.chunks(path, {header = true, rows = 77}) do
      local ids = kt:ids(chunk, "city")
      strew.scatter_sum(chunk.v, ids, {out = sums})
      exact:add(chunk.v, ids)
    end
    local by = strew.group_by(whole, "city", {order = "first"})
    assert.is_true(strew.equal(by:sum(whole.v, {exact = false}), sums:narrow(0, 0, kt.n)))
    assert.is_true(strew.equal(by:sum(whole.v), exact:sum():narrow(0, 0, kt.n)))
    assert.same(strew.words(whole, "city"), strew.words(kt.keys, "city"))
  end)

  it("have columns of times, with the same dtype in each chunk, whatever a call that failed had", function()
    local kt = strew.key_table(2)
    local days, n = strew.time{"2024-01-02", "", "2024-01-02"}, strew.tensor{1, 1, 1}
    assert.is_false(pcall(kt.ids, kt, {day = strew.tensor{"a", "b", "a"}, n = strew.ones(3, 1)}, {"day", "n"}))
    assert.same({0, 1, 0}, kt:ids({day = days, n = n}, {"day", "n"}):tolist())
    assert.same({1, 2}, kt:ids({day = strew.time{"", "2024-01-01"}, n = n:narrow(0, 0, 2)}, {"day", "n"}):tolist())
    assert.same({"2024-01-02", "NaT", "2024-01-01"}, kt.keys.day:tolist())
    assert.equal('ids: \'x\' has numbers in column "day", which had times before',
      message(kt.ids, kt, {day = n, n = n}, {"day", "n"}):match("[^\n]*"))
  end)

  it("take tensors of text and times, whose codes belong to each list", function()
    local kt = strew.key_table(3)
    local days = strew.time{"2024-01-02", "NaT"}
    assert.same({0, 1}, kt:ids(strew.tensor{"x", "y"}, days, strew.tensor{1, 1}):tolist())
    assert.same({1, 2}, kt:ids(strew.tensor{"y", "z"}, days:flip(0), strew.tensor{1, 1}):tolist())
    assert.same({3, 0}, kt:ids(strew.tensor{"", "x"}, days:flip(0), strew.tensor{2, 1}):tolist())
    local keys = kt.keys
    assert.same({"x", "y", "z", ""}, keys[1]:tolist())
    assert.same({"2024-01-02", "NaT", "2024-01-02", "NaT"}, keys[2]:tolist())
    assert.same({1, 1, 1, 2}, keys[3]:tolist())
    local codes, freed = strew.tensor{0, 1}, strew.tensor{"x", "y"}
    freed:free()
    for _, row in ipairs{
      {"ids: key 1 was freed", freed, days, codes},
      {"ids: 'k1' has numbers, the keys before are words", codes, days, codes},
      {"ids: 'k3' has times, the keys before are numbers", strew.tensor{"x", "y"}, days, days},
      {"ids: has 1 key, expected 3, the columns of the key table", days, n = 2},
      {"ids: key 2 is nil, expected a tensor", days, nil, codes},
      {"ids: 'k2' has 1 elements, expected 2, as k1", strew.tensor{"x", "y"}, days:narrow(0, 0, 1), codes},
    } do
      assert.equal(row[1], message(kt.ids, kt, table.unpack(row, 2, row.n or 4)):match("[^\n]*"))
    end
    assert.equal(4, kt.n)
    local numbers = strew.key_table()
    numbers:ids(codes)
    assert.equal("ids: 'k1' has words, the keys before are numbers",
      message(numbers.ids, numbers, strew.tensor{"a"}):match("[^\n]*"))
    assert.same({1, 0, 2}, numbers:ids(strew.tensor{1, 0, 7}):tolist())
  end)

  it("refuse other keys", function()
    local kt = strew.key_table(2)
    local one, two = strew.tensor{1, 2}, strew.tensor{1.5, 2}
    kt:ids(one, two)
    for _, row in ipairs{
      {"ids: has 1 key, expected 2, the columns of the key table", one},
      {"ids: key 2 is 7, expected a tensor", one, 7},
      {"ids: 'k2' has 3 elements, expected 2, as k1", one, strew.ones(3)},
      {"ids: 'k1' is float32, the keys before are int64", two, two},
      {"ids: 'k2' has shape [1, 2], expected rank 1", one, two:view(1, 2)},
      {"ids: 'x' is a table, the keys before were tensors", {a = one, b = two}, {"a", "b"}},
      {"ids: 'columns' has 1 names, expected 2, the columns of the key table", {a = one, b = two}, "a"},
    } do
      assert.equal(row[1], message(kt.ids, kt, table.unpack(row, 2)):match("[^\n]*"))
    end
    for _, x in ipairs{{n = one}, {n = "x"}, {n = 2, one, two}} do -- no keys, whatever n is
      assert.truthy(message(kt.ids, kt, x):find("ids: 'columns' is missing", 1, true))
      assert.falsy(message(kt.ids, kt, x, kt):find("strew.family", 1, true))
    end
    assert.equal(2, kt.n)
    assert.equal("ids: 'self' is a tensor, expected a key table", message(kt.ids, one):match("[^\n]*"))
    assert.equal("key_table: 'n' is 0, expected 1 to 16 columns", message(strew.key_table, 0))
    assert.equal("key_table: 'n' is 17, expected 1 to 16 columns", message(strew.key_table, 17))
    assert.truthy(message(function() return kt.key end):find("a key table has no 'key'", 1, true))
    local named = strew.key_table()
    named:ids({a = one}, "a")
    assert.equal("ids: 'k1' is a tensor, the keys before came from columns of tables, expected a table",
      message(named.ids, named, one))
  end)
end)

teardown(function() os.remove(path) end)
