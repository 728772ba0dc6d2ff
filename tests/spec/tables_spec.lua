-- Tables of columns: their text, choosing and sorting of rows, choosing of columns, against plain Lua.
local strew = require "strew"
local support, loops = dofile "tests/spec/support.lua", dofile "tests/spec/loops.lua"

local random = math.random
local path = os.tmpname() .. ".csv"

local function put(bytes) support.put(path, bytes) end

local function get() return support.get(path) end

local function loaded(bytes, options)
  put(bytes)
  return strew.load(path, options or {header = true})
end

-- The table's text, where the device is called cpu.
local function text_of(x) return (tostring(x):gsub("^([^\n]*), [^,\n]*", "%1, cpu", 1)) end

local function text_with(options, x)
  strew.set_printoptions(options)
  local ok, text = pcall(text_of, x)
  strew.set_printoptions{profile = "default"}
  return ok and text or error(text, 0)
end

-- The rows of a table as lists of values.
local function values_of(x)
  local names, rows = strew.columns(x), {}
  for c, name in ipairs(names) do
    for r, value in ipairs(rawget(x, name):tolist()) do
      rows[r] = rows[r] or {}
      rows[r][c] = value
    end
  end
  return rows, names
end

-- A table of n rows with columns of many dtypes, text among them; and its rows. By hand: without names and words.
local function random_table(n, by_hand)
  local x, rows, names, lines = {}, {}, {"b", "a", "t", "s"}, {}
  for r = 1, n do
    rows[r] = {random(-3, 3), random(4) / 4, ("word%d"):format(random(0, 5)), random(2) == 1 and "y" or "é,x"}
    lines[r] = ('%d,%.2f,%s,"%s"'):format(table.unpack(rows[r]))
  end
  if not by_hand then
    return loaded("b,a,t,s\n" .. table.concat(lines, "\n") .. (n > 0 and "\n" or "")), rows, names
  end
  local lists = {{}, {}}
  for r = 1, n do
    lists[1][r], lists[2][r], rows[r] = rows[r][1], rows[r][2], {rows[r][2], rows[r][1]}
  end
  x.b = n > 0 and strew.tensor(lists[1], loops.any{"int64", "int32", "float32"}) or strew.zeros(0, {dtype = "int64"})
  x.a = n > 0 and strew.tensor(lists[2], loops.any{"float32", "float16"}) or strew.zeros(0)
  return x, rows, {"a", "b"}
end

local function same(expected, names, x)
  local rows, found = values_of(x)
  assert.same(names, found)
  assert.equal(#expected, #rows)
  for r, row in ipairs(expected) do
    for c, value in ipairs(row) do assert.equal(value, rows[r][c]) end
  end
  for _, column in pairs(x) do assert.equal("tensor", strew.type(column)) end -- and nothing else
end

describe("a table of columns", function()
  if support.lacks_float64 then
    return it("is left out", function() pending "without float64, which the device lacks" end)
  end
  before_each(function()
    math.randomseed(7)
    strew.manual_seed(7)
  end)
  teardown(function() os.remove(path) end)

  it("is shown as aligned rows with names, dtypes and words", function()
    assert.equal([[
table: 3 rows, 3 columns, cpu
 city          n    price
 text      int64  float64
 Rome          1  5000.25
 "New"\nY     22    -2.50
 é           333      nan]], text_of(loaded('city,n,price\nRome,1,5000.25\n"""New""\nY",22,-2.5\né,333,\n')))
    assert.equal("table: 1 row, 2 columns, cpu\n     1  2\n int64  text\n     7  x",
      text_of(loaded("7,x\n", {header = false})))
    assert.equal("table: 0 rows, 1 column, cpu\n       a\n float64", text_of(loaded("a\n")))
    -- digits: the column, its cells, with a precision of 2
    for _, row in ipairs{
      {"52.520008\n-0.1", "52.520008|-0.100000", "52.52|-0.10"}, {"0.12345678\n1", "0.123457|1.000000", "0.12|1.00"},
      {"1.5\n2.25\ninf\nnan", "1.50|2.25|inf|nan", "1.50|2.25|inf|nan"}, {"1e15\n3", "1000000000000000|3"},
      {"1795500060.5\n1", "1795500060.5|1.0", "1795500060.5|1.0"}, {"1e300\n0.5", "1.000000e+300|5.000000e-01"},
      {"1.00000001\n2", "1.000000|2.000000", "1.00|2.00"}, {"inf\n-inf", "inf|-inf"}, {"1\n2.", "1|2"},
    } do
      local x = loaded("a\n" .. row[1] .. "\n")
      local function cells(options)
        return text_with(options, x):match "float64\n(.*)$":gsub(" ", ""):gsub("\n", "|")
      end
      assert.equal(row[2], (cells{}))
      if row[3] then assert.equal(row[3], (cells{precision = 2})) end
    end
  end)

  it("shows its first and last rows", function()
    local lines, twenty = {}, {}
    for i = 1, 100 do lines[i] = ("w%d,%d"):format(i % 3, i * i) end
    local x = loaded("w,sq\n" .. table.concat(lines, "\n") .. "\n")
    local text = [[
table: 100 rows, 2 columns, cpu
 w        sq
 text  int64
 w1        1
 w2        4
 w0        9
 ...
 w2     9604
 w0     9801
 w1    10000]]
    assert.equal(text, text_of(x))
    assert.equal(text, text_with({threshold = 1, precision = 0}, x))
    assert.equal("table: 100 rows, 2 columns, cpu\n w        sq\n text  int64\n w1        1\n ...\n w1    10000",
      text_with({edgeitems = 1}, x))
    local all = text_with({threshold = math.huge}, x)
    for i = 1, 100 do assert.matches(("\n w%d *%d%%f[\n\0]"):format(i % 3, i * i), all) end
    assert.is_nil(all:find("...", 1, true))
    for i = 0, 19 do twenty[#twenty + 1] = " +" .. (i + 1) * (i + 1) end
    assert.matches(table.concat(twenty, "\n w%d"), text_of(strew.rows(x, strew.arange(20))))
    assert.matches("\n ...\n", text_of(strew.rows(x, strew.arange(21))), 1, true)
  end)

  it("leaves out columns in the middle that do not fit the line", function()
    local names, cells = {}, {}
    for i = 1, 30 do names[i], cells[i] = "name" .. i, i * 1000 end
    local x = loaded(table.concat(names, ",") .. "\n" .. table.concat(cells, ",") .. "\n")
    assert.equal([[
table: 1 row, 30 columns, cpu
 name1  name2  ...  name30
 int64  int64  ...   int64
  1000   2000  ...   30000]], text_with({linewidth = 27}, x))
    for width = 5, 260 do
      local lines, dots = {}, 0
      for line in text_with({linewidth = width}, x):gmatch "[^\n]+" do lines[#lines + 1] = line end
      assert.equal(4, #lines)
      for k = 2, 4 do
        assert.equal(#lines[2], #lines[k])
        assert.is_true(#lines[k] <= math.max(width, 6 + 5), width)
        dots = dots + (lines[k]:find("...", 1, true) and 1 or 0)
      end
      assert.equal(#lines[2] == 230 and 0 or 3, dots)
    end
    assert.equal(230, #text_with({linewidth = 230}, x):match "\n([^\n]*)$")
  end)

  it("shortens long names and words", function()
    local long = ("é"):rep(40)
    local x = loaded(("x"):rep(1000) .. ",b,c\n" .. long .. ",\xff\xfe,\"\27[2J\r\t\"\n" .. long .. "1,a,b\n")
    assert.equal([[
table: 2 rows, 3 columns, cpu
 xxxxxxxxxxxxxxxxxxxxxxxxxxx...  b     c
 text                            text  text
 ééééééééééééééééééééééééééé...  ??    ?[2J\r\t
 ééééééééééééééééééééééééééé...  a     b]], text_with({linewidth = 100}, x))
  end)

  it("is aligned where characters take two columns, or none", function()
    local x = loaded("e\u{301}te\u{301},v\n東京商事,1\nOslo,2\n한국 🙂,3\n")
    assert.equal("table: 3 rows, 2 columns, cpu\n e\u{301}te\u{301}           v\n text      int64\n"
      .. " 東京商事      1\n Oslo          2\n 한국 🙂       3", text_of(x))
    x = loaded("v,w\n1," .. ("東"):rep(15) .. "\n2," .. ("東"):rep(16) .. "\n3,\"a\xff\xc2\x9b\xe6\x9d\"\n")
    assert.equal("table: 3 rows, 2 columns, cpu\n     v  w\n int64  text\n     1  " .. ("東"):rep(15) .. "\n     2  "
      .. ("東"):rep(13) .. "...\n     3  a????", text_of(x))
  end)

  it("with other entries is shown as a list", function()
    local x = loaded("a,b\n1,x\n2,y\n")
    x.c = strew.zeros(2, 3)
    assert.equal("table: 2 rows, 3 columns, cpu\n     a  b              c\n int64  text  float32[3]\n"
      .. "     1  x            ...\n     2  y            ...", text_of(x))
    x.b = strew.zeros(5)
    assert.equal("table: 3 tensors\n a  int64[2] cpu\n b  float32[5] cpu\n c  float32[2, 3] cpu",
      support.on_cpu(tostring(x):gsub("%] [^\n]*", "] cpu")))
    x.b, x.c = nil, {}
    x.b = strew.zeros(2)
    x.b = strew.tensor(1.5)
    x.a:free()
    assert.equal("table: 3 tensors\n a  tensor (freed)\n b  float32[] cpu  1.5000\n c  table",
      (tostring(x):gsub("%] [^\n]*  ", "] cpu  ")))
    x.a, x.b, x.c = nil, nil, nil
    assert.equal("table: 0 tensors", tostring(x))
    rawset(x, 7, true)
    assert.equal("table: 1 tensor\n 7  boolean", tostring(x))
  end)

  it("copies no more than the shown elements from a device", function()
    local long = strew.arange(2000)
    local x = {a = strew.arange(1000), b = long:slice(0, 0, 2000, 2), c = long:narrow(0, 0, 1000)}
    x = strew.columns(x, {"a", "b", "c"})
    local before = support.read_bytes()
    local text = tostring(x)
    local bytes = support.read_bytes() - before
    assert.matches("999", text)
    assert.equal(x.a.device == "cpu" and 0 or 3 * 6 * 8, bytes)
  end)

  it("is an error for a misspelt name, nil for others", function()
    local x = loaded("size,col1,kb,note\n1,2,3,4\n")
    x.half = x.size / 2
    support.fail({
      {"return x.sise", "table: no column \"sise\"\n  hint  did you mean 'size'?"},
      {"return x.Size", "table: no column \"Size\"\n  hint  did you mean 'size'?"},
      {"return x.hlaf", "table: no column \"hlaf\"\n  hint  did you mean 'half'?"},
      {"return x[1]", "table: no column 1\n  hint  x:row(1) is that row, x[strew.tensor{1}] is a table of rows"},
      {"return x[{}]", "table: no column a table\n  hint  x[strew.tensor{0, 1}] is a table of rows"},
    }, {x = x})
    for _, key in ipairs{"price", "col2", "col", "kb2", true, "", "x", 1.5} do assert.is_nil(x[key]) end
    assert.is_nil(x[nil]) -- luacheck: ignore
    assert.is_nil(rawget(x, "sise"))
    x.note = nil
    assert.is_nil(x.note)
    assert.same({"size", "col1", "kb", "note"}, x.names)
    for _ in ipairs(loaded("1,2\n", {header = false})) do assert.is_true(true) end
    x = strew.columns({size = strew.arange(2)}, "size")
    support.fail({{"return x.sze", "table: no column \"sze\"\n  hint  did you mean 'size'?"}}, {x = x})
  end)

  it("gives its rows like a loop", function()
    for turn = 1, 40 do
      local n = random(0, 8)
      local x, rows, names = random_table(n, turn % 2 == 0)
      if n > 0 or turn % 2 == 0 then
        local mask, index, chosen, picked = {}, {}, {}, {}
        for r = 1, n do
          mask[r] = random(2) == 1
          if mask[r] then chosen[#chosen + 1] = rows[r] end
        end
        for k = 1, n > 0 and random(0, 10) or 0 do
          index[k] = random(0, n - 1)
          picked[k] = rows[index[k] + 1]
        end
        local empty = strew.zeros(0, {dtype = "int64"})
        local as_mask = n > 0 and strew.tensor(mask) or empty:to("bool")
        same(chosen, names, strew.rows(x, as_mask))
        if getmetatable(x) then same(chosen, names, x[as_mask]) end
        if getmetatable(x) then assert.equal(n, #x) end
        same(picked, names, strew.rows(x, #index > 0 and strew.tensor(index, loops.any{"int64", "int32"}) or empty))
      end
    end
  end)

  it("is sorted like a loop, stably, text by its words", function()
    for turn = 1, 60 do
      local n = random(0, 30)
      local x, rows, names = random_table(n, turn % 3 == 0)
      if n > 0 or turn % 3 == 0 then
        local places, by, down, at = {}, {}, {}, {}
        for c, name in ipairs(names) do places[name] = c end
        for k = 1, random(1, #names) do
          repeat by[k] = loops.any(names) until not at[by[k]]
          at[by[k]], down[k] = true, random(2) == 1
        end
        local order = {}
        for r = 1, n do order[r] = r end
        table.sort(order, function(r, s)
          for k, name in ipairs(by) do
            local a, b = rows[r][places[name]], rows[s][places[name]]
            if a ~= b then
              if a == "" or b == "" then return b == "" end -- missing ones last
              if down[k] then a, b = b, a end
              return a < b
            end
          end
          return r < s
        end)
        for k, r in ipairs(order) do order[k] = rows[r] end
        same(order, names, strew.sort_by(x, by, down))
        if #by == 1 then same(order, names, strew.sort_by(x, by[1], {descending = down[1]})) end
        same(values_of(strew.sort_by(x, by)), names, strew.sort_by(x, by, {descending = false}))
      end
    end
    -- a word given twice is one word
    local t = strew.columns({t = strew.tensor{2, 0, 1, 2}, i = strew.arange(4)}, {"t", "i"}, {t = {"b", "a", "b"}})
    assert.same({2, 0, 1, 3}, strew.sort_by(t, "t").i:tolist())
    local x = {a = strew.tensor{1.0, 0 / 0, -0.0, 0.0}, b = strew.arange(4)}
    assert.same({2, 3, 0, 1}, strew.sort_by(x, "a").b:tolist())
    assert.same({0, 2, 3, 1}, strew.sort_by(x, "a", true).b:tolist())
  end)

  it("sorts missing elements last in both directions, or first", function()
    local nan <const> = 0 / 0
    local x = strew.table{{"a", {nan, 2.0, nan, 3, 2}}, {"w", {"b", "", "a", "b", ""}}, {"u", {3, 0, 1, 2, 2}},
      {"t", strew.time{"NaT", "2024-01-01", "1900-01-01", "NaT", "2030-01-01"}}, {"i", strew.arange(5)}}
    x.u, x.ok = x.u:to("uint8"), x.u:gt(1)
    -- by, descending, nulls; the order of pandas' sort_values(by, ascending, kind = "stable", na_position)
    local rows = {
      {"a", false, nil, 1, 4, 3, 0, 2}, {"a", true, nil, 3, 1, 4, 0, 2}, {"-a", false, nil, 3, 1, 4, 0, 2},
      {"-a", true, nil, 1, 4, 3, 0, 2}, {"a", false, "first", 0, 2, 1, 4, 3}, {"a", true, "first", 0, 2, 3, 1, 4},
      {"-a", false, "last", 3, 1, 4, 0, 2}, {"a * 2", true, nil, 3, 1, 4, 0, 2}, {"w", false, nil, 2, 0, 3, 1, 4},
      {"w", true, nil, 0, 3, 2, 1, 4}, {"-w", nil, nil, 0, 3, 2, 1, 4}, {"w", false, "first", 1, 4, 2, 0, 3},
      {"w", true, "first", 1, 4, 0, 3, 2}, {"t", false, nil, 2, 1, 4, 0, 3}, {"t", true, nil, 4, 1, 2, 0, 3},
      {"- t", nil, nil, 4, 1, 2, 0, 3}, {"t", false, "first", 0, 3, 2, 1, 4}, {"t", true, "first", 0, 3, 4, 1, 2},
      {"-u", nil, nil, 0, 3, 4, 2, 1}, {"u", true, nil, 0, 3, 4, 2, 1}, {"-ok", nil, nil, 0, 3, 4, 1, 2},
      {{"w", "a"}, {true, true}, nil, 3, 0, 2, 1, 4}, {{"-w", "-a"}, nil, nil, 3, 0, 2, 1, 4},
      {{"w", "-a"}, nil, "first", 1, 4, 2, 0, 3}, {{"w", "a"}, {true, false}, "first", 1, 4, 0, 3, 2},
      {{"-t", "w"}, true, nil, 2, 1, 4, 0, 3},
    }
    for k, row in ipairs(rows) do
      local by, descending, nulls, order = row[1], row[2], row[3], table.move(row, 4, 8, 1, {})
      assert.same(order, x:sort_by(by, descending, {nulls = nulls}).i:tolist(), "row " .. k)
      assert.same(order, strew.sort_by(x, by, {descending = descending, nulls = nulls}).i:tolist(), "row " .. k)
    end
    for _, dtype in ipairs{"float16", "bfloat16", "float32"} do
      local y = strew.table{{"a", x.a:to(dtype)}, {"i", x.i}}
      assert.same({3, 1, 4, 0, 2}, y:sort_by("a", true).i:tolist(), dtype)
      assert.same({2, 0}, strew.table{{"a", y.a:narrow(0, 0, 3)}, {"i", -x.i:narrow(0, 0, 3)}}:rows("isnan(a)")
        :sort_by("-a"):sort_by("i").i:neg():tolist(), dtype)
    end
    assert.equal(0, #x:rows("i < 0"):sort_by("-w"))
    local g = strew.group_by(strew.tensor{0, 0, 0, 0, 1})
    for _, name in ipairs{"a", "w", "t"} do
      local v, most = x[name], x:rows("i < 4"):sort_by("-" .. name).i:tolist()
      local values = select(2, g:topk(v, 4)):tolist()
      assert.same(most, table.move(values, 1, 4, 1, {}), name)
      assert.same(values, g:argsort(v, true):tolist(), name)
      local first = x:rows("i < 4"):sort_by("-" .. name, {nulls = "first"}).i:tolist()
      assert.same(first, table.move(g:argsort(v, true, {nulls = "first"}):tolist(), 1, 4, 1, {}), name)
      assert.same(first, table.move(select(2, g:topk(v, 4, {nulls = "first"})):tolist(), 1, 4, 1, {}), name)
      local ranks = g:rank(v, {descending = true})
      for k, i in ipairs(most) do assert.equal(k - 1, ranks[i], name) end
    end
    support.fail({
      {"x:sort_by('a', {nulls = 'frist'})", "sort_by: 'nulls' is \"frist\", expected first or last\n"
        .. "  hint  did you mean 'first'?"},
      {"g:topk(x.a, 1, {nulls = 'no'})", "topk: 'nulls' is \"no\", expected first or last"},
    }, {x = x, g = g}, function(message) return message:match "^[^\n]*" .. (message:match "\n  hint[^\n]*$" or "") end)
  end)

  it("gives its columns in any order", function()
    local x = loaded("b,a,t\n1,2,x\n3,4,y\n")
    assert.same({"b", "a", "t"}, strew.columns(x))
    local y = strew.columns(x, {"t", "b"})
    assert.same({"t", "b"}, strew.columns(y))
    assert.same({"t", "b"}, y.names)
    assert.same({t = {"x", "y"}}, strew.words(y))
    assert.is_true(rawequal(x.b, y.b))
    assert.same({"a"}, strew.columns(strew.columns(x, "a")))
    x.half, x.a, x.c = x.b / 2, nil, x.b
    assert.same({"b", "t", "c", "half"}, strew.columns(x)) -- as strew.save writes them
    strew.save(path, x)
    assert.equal("b,t,c,half\n", get():match "[^\n]*\n")
    x = loaded("1,x\n2,y\n", {header = false})
    y = strew.columns(x, {2, 1})
    assert.same({{"x", 1}, {"y", 2}}, (values_of(y)))
    assert.same({"x", "y"}, strew.words(y, 1))
    assert.same({"a", "b"}, strew.columns{b = strew.zeros(2), a = strew.zeros(3, 3)})
    assert.same({1, 2}, strew.columns{strew.zeros(2), strew.zeros(3)})
    x = strew.columns({a = strew.tensor{1, 0}, b = strew.tensor{7, 8}}, {"b", "a"}, {a = {"u", "v"}, c = {"w"}})
    assert.same({{7, "v"}, {8, "u"}}, (values_of(x)))
    strew.save(path, x)
    assert.equal("b,a\n7,v\n8,u\n", get())
    assert.same({{7, "q"}, {8, "p"}}, (values_of(strew.columns(x, nil, {a = {"p", "q"}}))))
    assert.same({{7, "v"}, {8, "u"}}, (values_of(strew.columns(x, nil, {}))))
  end)

  it("has words that stay with their columns", function()
    local a, b = loaded("city,v\nOslo,1\nRome,2\n"), loaded("city,v\nRome,3\nOslo,4\n")
    local both = strew.columns({city = strew.cat{a.city, b.city}, v = strew.cat{a.v, b.v}}, {"city", "v"})
    assert.same({{"Oslo", 1}, {"Rome", 2}, {"Rome", 3}, {"Oslo", 4}}, (values_of(both)))
    assert.same(values_of(both), (values_of(strew.concat{a, b})))
    b.city = a.city
    assert.same({{"Oslo", 3}, {"Rome", 4}}, (values_of(b)))
    b.city = nil
    b.town = a.city
    assert.same({{3, "Oslo"}, {4, "Rome"}}, (values_of(b)))
    assert.same({"Oslo", "Rome"}, strew.words(b, "town"))
    assert.same({town = {"Oslo", "Rome"}}, b.words)
    assert.is_nil(strew.words(b, "v"))
    a.city[0] = "Bari"
    assert.same({{"Bari", 1}, {"Rome", 2}}, (values_of(a)))
    local npz = path:gsub("csv$", "npz")
    strew.save(npz, a, {words = {}})
    assert.equal("int32", strew.load(npz).city.dtype)
    os.remove(npz)
  end)

  it("has new columns of a number, boolean or word for all rows", function()
    local x = loaded("v,t\n1.5,a\n2,b\n")
    x.n, x.f, x.b, x.w, x.m = 5, 0.5, true, "Oslo", strew.zeros(2, 2)
    assert.equal("table: 2 rows, 7 columns, cpu\n       v  t        b        f           m      n  w\n"
      .. " float64  text  bool  float64  float32[2]  int64  text\n     1.5  a     true      0.5         ...      5  "
      .. "Oslo\n"
      .. "     2.0  b     true      0.5         ...      5  Oslo", text_of(x))
    assert.same({"Oslo"}, strew.words(strew.rows(x, strew.tensor{1}), "w"))
  end)

  it("keeps matrices, and words in columns called words and names", function()
    local x = {m = strew.arange(6):view(3, 2), v = strew.tensor{2, 0, 1}}
    assert.same({{2, 3}, {4, 5}, {0, 1}}, strew.sort_by(x, "v").m:tolist())
    assert.same({{4, 5}, {0, 1}}, strew.rows(x, strew.tensor{2, 0}).m:tolist())
    x = loaded("words,names\nx,u\ny,v\nx,w\n")
    local y = strew.sort_by(strew.rows(x, strew.tensor{true, false, true}), "names", true)
    assert.same({{"x", "w"}, {"x", "u"}}, (values_of(y)))
    strew.save(path, y)
    assert.equal("words,names\nx,w\nx,u\n", get())
  end)

  it("is saved after all of these without options", function()
    local x = loaded("city,n,kind\nRome,1,a\nOslo,2,b\nRome,3,a\nBari,4,a\n")
    local y = strew.columns(strew.sort_by(strew.rows(x, x.n:gt(1)), "city"), {"kind", "city", "n"})
    strew.save(path, y)
    assert.equal("kind,city,n\na,Bari,4\nb,Oslo,2\na,Rome,3\n", get())
    assert.same({"Rome", "Oslo", "Bari"}, y.words.city)
    assert.equal("city,n,kind", (strew.save(path, x) or get():match "[^\n]*"))
    strew.save(path, strew.sort_by({b = strew.tensor{2, 1}, a = strew.tensor{1.5, 2}}, "b"))
    assert.equal("a,b\n2.0,1\n1.5,2\n", get())
  end)

  it("names what is wrong", function()
    local x = loaded("size,t\n3,x\n1,y\n2,x\n")
    local function shorten(message) return message:match "^[^\n]*" .. (message:match "\n  hint[^\n]*$" or "") end
    local all = "\n  hint  the columns are \"size\", \"t\""
    local control = loaded("c,a\27[31mb\n1,x\27]\n")
    local freed = {a = strew.zeros(2), b = strew.zeros(2)}
    freed.b:free()
    support.fail({
      {"strew.rows(x, strew.tensor{0, 3})",
       "rows: 'which' has value 3 at [1], out of range for the rows of x (size 3, valid 0..2)\n"
       .. "  hint   was it counted from 1? which - 1 counts from 0"},
      {"strew.rows(x, strew.tensor{0, -1})", "rows: 'which' has value -1 at [1], out of range for the rows of x "
       .. "(size 3, valid 0..2)"},
      {"strew.rows(x, strew.tensor{true, false})", "rows: 'which' has 2 elements, x has 3 rows"},
      {"return x[strew.tensor{true, false}]", "table: 'index' has 2 elements, x has 3 rows"},
      {"strew.rows(x, strew.tensor{1.5})", "rows: 'which' is float32, expected bool or an integer dtype\n"
       .. "  hint   which:ne(0) makes a bool tensor, which:to(\"int64\") positions"},
      {"strew.rows(x, strew.tensor{{1}})", "rows: 'which' has 2 dimensions, expected 1\n  hint   which:flatten()"},
      {"strew.rows(x, 1)", "rows: 'which' is 1, expected a tensor, or a condition as text\n"
       .. "  hint  strew.tensor{1}"},
      {"strew.rows(x)", "rows: 'which' is missing, the arguments are (x, which)"},
      {"strew.rows(5, strew.arange(1))", "rows: 'x' is 5, expected a table"},
      {"strew.rows({}, strew.arange(1))", "rows: 'x' is an empty table, expected columns"},
      {"strew.rows({a = x.size, b = strew.arange(2)}, strew.arange(1))",
       "rows: 'x' has a column \"b\" of 2 elements, expected 3, as in the first one, \"a\""},
      {"strew.rows({a = strew.tensor(1)}, strew.arange(1))", "rows: 'x' has a column \"a\" of rank 0, expected rank 1"},
      {"strew.rows({a = 'text'}, strew.arange(1))", "rows: column \"a\" is \"text\", expected a tensor\n"
       .. "  hint   strew.full(n, value) makes a column of n rows"},
      {"strew.rows({x.size, a = x.size}, strew.arange(1))",
       "rows: 'x' is a sequence with a key \"a\": names and numbers do not mix"},
      {"strew.rows({[true] = x.size}, strew.arange(1))", "rows: 'x' has a key true, expected names"},
      {"strew.rows(freed, strew.arange(1))", "rows: 'x' has a tensor that was freed at key \"b\""},
      {"strew.sort_by(x, 'sise')", "sort_by: 'by' has \"sise\", not found in x\n  hint  did you mean 'size'?"},
      {"strew.sort_by(x, {'t', 't'})", "sort_by: 'by' has \"t\" twice"},
      {"strew.sort_by(x, {})", "sort_by: 'by' is an empty table, expected names or numbers of columns"},
      {"strew.sort_by(x, {a = 't'})", "sort_by: 'by' has key \"a\", expected a sequence"},
      {"strew.sort_by(x, {true})", "sort_by: 'by' has true, expected names or numbers of columns"},
      {"strew.sort_by(x, x.size)",
       "sort_by: 'by' is a tensor, expected a column's name or number, or a sequence of them"},
      {"strew.sort_by(x, 't', 5)",
       "sort_by: 'descending' is 5, expected a boolean, or a sequence of 1, one for each column"},
      {"strew.sort_by(x, 't', {true, false})",
       "sort_by: 'descending' is a table, expected a boolean, or a sequence of 1, one for each column"},
      {"strew.sort_by(x, 't', {desc = true})",
       "sort_by: 'options' has unknown key \"desc\", expected descending, nulls"},
      {"strew.sort_by({m = strew.zeros(3, 2)}, 'm')", "sort_by: 'by' has column \"m\" of rank 2, expected rank 1"},
      {"strew.columns(x, nil, {t = {'x'}})",
       "columns: 'words' has a list of 1 for column \"t\", whose codes are 0 to 1"},
      {"strew.columns({a = strew.tensor{-1, 0}}, nil, {a = {'x'}})",
       "columns: 'words' has a list of 1 for column \"a\", whose codes are -1 to 0"},
      {"strew.columns({a = strew.zeros(2)}, nil, {a = {'x'}})",
       "columns: 'x' has words for a column \"a\" of float32, expected an integer dtype"},
      {"x.new = {1, 2, 3}", "column: 'value' is a table, expected a tensor, or a number, boolean or word for all rows"
       .. "\n  hint  strew.tensor(value)"},
      {"x.new = print", "column: 'value' is a function, expected a tensor, or a number, boolean or word for all rows"},
      {"strew.code(control, 'a\\27[31mb', 'z')", "code: 'word' is \"z\", which is not in column \"a?[31mb\""},
      {"strew.code(control, 'a\\27[31mb', 'x\\27]0')",
       "code: 'word' is \"x?]0\", which is not in column \"a?[31mb\"\n  hint  did you mean 'x?]'?"},
      {"strew.join(control, control, 'c', {suffixes = {'\\155', '\\155'}})",
       "join: 'suffixes' would make two columns \"a?[31mb?\"\n  hint  rename a column, or give other suffixes"},
      {"strew.group_by(control, 'c'):agg{x = {'sum', 'a\\27[31mb'}}", "agg: 'what' has \"sum\" for column "
       .. "\"a?[31mb\" of text, expected count, first, last, max, min or nunique"},
      {"strew.group_by(control, 'c'):agg{x = {'sum', 'a\\27[31mbb'}}",
       "agg: 'what' has \"a?[31mbb\", not found in the table\n  hint  did you mean 'a?[31mb'?"},
      {"strew.group_by(control, 'c'):agg{['\\27'] = 'modal'}", "agg: 'what' has \"modal\" at key \"?\", expected sum, "
        .. "prod, "
       .. "mean, var, std, min, max, any, all, first, last, median, quantile, count, nunique, logsumexp, "
       .. "lower_median, mode or skew"},
      {"strew.rows({a = x.size, ['b\\n  hint  x'] = strew.arange(2)}, strew.arange(1))",
       "rows: 'x' has a column \"b?  hint  x\" of 2 elements, expected 3, as in the first one, \"a\""},
      {"strew.sort_by(x, ('\u{e9}'):rep(30))",
       "sort_by: 'by' has \"" .. ("é"):rep(18) .. "...\", not found in x" .. all},
      {"strew.columns(x, ('a'):rep(41))", "columns: 'which' has \"" .. ("a"):rep(37) .. "...\", not found in x" .. all},
      {"strew.columns(x, ('a'):rep(40))", "columns: 'which' has \"" .. ("a"):rep(40) .. "\", not found in x" .. all},
      {"return control['a\\27[31mc']", "table: no column \"a?[31mc\"\n  hint  did you mean 'a?[31mb'?"},
      {"strew.save('/tmp/none.csv', {['\\27a'] = 5})", "save: 'x' has 5 at key \"?a\", expected a tensor"},
      {"strew.columns(x, {'siz'})", "columns: 'which' has \"siz\", not found in x\n  hint  did you mean 'size'?"},
      {"strew.columns(x, 7)", "columns: 'which' has 7, not found in x"},
      {"strew.columns(x, {})", "columns: 'which' is an empty table, expected names or numbers of columns"},
      {"strew.columns{}", "columns: 'x' is an empty table, expected columns"},
      {"strew.columns()", "columns: 'x' is missing, the arguments are (x [, which] [, words])"},
      {"strew.columns(x, 'size', {size = 5})",
       "columns: 'words' has 5 for column \"size\", expected a sequence of strings"},
      {"strew.columns(x, nil, {size = {'a', 7}})",
       "columns: 'words' has 7 at [2] for column \"size\", expected a string"},
      {"strew.columns(x, 'size', 7)", "columns: 'words' is 7, expected a table"},
    }, {strew = strew, x = x, freed = freed, control = control}, shorten)
    pcall(strew.rows, x, strew.tensor{0, 3})
    local detail = strew.last_error()
    assert.same({"rows", "which", "index", 3, {1}}, {detail.op, detail.arg, detail.code, detail.value, detail.pos})
  end)
end)
