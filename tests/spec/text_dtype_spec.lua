-- The dtype text: words that calls move, order, compare and convert, against the same with Lua's strings.
local strew = require "strew"
local support = require "tests.spec.support"

local function list(t) return t:tolist() end
local function message(f, ...) return support.message(f, ...) end

-- Random words from few, so that they repeat; texts of them with lists in random order, and words that no element has.
local WORDS <const> = {"", "a", "b", "ab", "B", "Oslo", "Zu\u{fc}rich", "\u{6771}\u{4eac}", "zz", "a b", "\xff", "1",
  "-2.5"}
local function words_of(n)
  local all = {}
  for i = 1, n do all[i] = WORDS[math.random(#WORDS)] end
  return all
end
local function text_of(words)
  local order, codes, codes_of = {table.unpack(WORDS)}, {}, {}
  for i = #order, 2, -1 do
    local k = math.random(i)
    order[i], order[k] = order[k], order[i]
  end
  for code, word in ipairs(order) do codes_of[word] = code - 1 end
  for i, word in ipairs(words) do codes[i] = codes_of[word] end
  return strew.text(strew.tensor(codes, {dtype = "int64"}), order)
end

-- The order of bytes, whatever the locale.
local function below(a, b)
  for i = 1, math.min(#a, #b) do
    if a:byte(i) ~= b:byte(i) then return a:byte(i) < b:byte(i) end
  end
  return #a < #b
end

local COMPARE <const> = {
  eq = function(a, b) return a == b end, ne = function(a, b) return a ~= b end,
  lt = below, gt = function(a, b) return below(b, a) end,
  le = function(a, b) return not below(b, a) end, ge = function(a, b) return not below(a, b) end,
}

local function map(f, ...)
  local lists, out = {...}, {}
  for i = 1, #lists[1] do
    local values = {}
    for k, one in ipairs(lists) do values[k] = one[i] end
    out[i] = f(table.unpack(values))
  end
  return out
end

local function rounds(f)
  math.randomseed(7)
  for round = 1, 60 do f(math.random(0, 12), round) end
end

describe("text", function()
  it("is made of strings, nested or alone, and of codes", function()
    local t = strew.tensor{{"a", "b"}, {"b", ""}}
    assert.same({{"a", "b"}, {"b", ""}}, list(t))
    assert.same({"a", "b", ""}, t.words)
    assert.same({{0, 1}, {1, 2}}, list(t:codes()))
    assert.equal("text", t.dtype)
    assert.equal("a", strew.tensor("a"):item())
    assert.same({"x", "y", "x"}, list(strew.text({0, 1, 2}, {"x", "y", "x"})))
    assert.same({"x", "y"}, strew.text({0, 1, 2}, {"x", "y", "x"}).words)
    assert.same({"b", "b"}, list(strew.text({1, 1}, t)))
    for _, dtype in ipairs{"uint8", "int16", "uint64", "int32"} do
      assert.same({"b", "a"}, list(strew.text(strew.tensor({1, 0}, {dtype = dtype}), {"a", "b"})))
    end
    assert.same({"", ""}, list(strew.zeros(2, {dtype = "text"})))
    assert.equal("ones: 'dtype' is text, expected a number dtype\n  hint  strew.full(shape, \"\") has missing elements",
      message(strew.ones, 2, {dtype = "text"}))
    local ends = strew.tensor{{"a", "b"}}
    assert.same({{"", "a", "b"}}, list(ends:pad{1, 0}))
    assert.same({{"b", "x"}, {"x", "x"}}, list(ends:pad({-1, 1, 0, 1}, {value = "x"})))
    assert.same({{"b", "a", "b", "a"}}, list(ends:pad({1, 1}, "reflect")))
    assert.matches("pad: 'value' is 1, expected text or a string", message(ends.pad, ends, {1, 0}, {value = 1}))
    local none = strew.zeros(0, {dtype = "text"})
    assert.matches("^min: 'self' has size 0 in dimension 0, expected at least one element\n  self  text%[0%] ",
      message(none.min, none))
    assert.same({0, 0, 0}, {#none:unique(), #none:sort(), #none:upper()})
    assert.same({}, list(strew.tensor({}, {dtype = "text"})))
    assert.matches("^text: 'codes' has value 0 at %[0%]", message(strew.text, strew.tensor{0, 5}, {}))
    assert.equal("text[2] cpu\n \"a\"  \"?\"", support.on_cpu(tostring(strew.tensor{"a", "\x01"})))
    assert.equal('text[1] cpu\n "\\n"', support.on_cpu(tostring(strew.tensor{"\n"})))
  end)

  it("has the words of the operands where calls move elements", function()
    rounds(function(n)
      n = n + 1
      local a, b = words_of(n), words_of(n)
      local x, y = text_of(a), text_of(b)
      local mask, index, picks = {}, {}, {}
      for i = 1, n do mask[i], index[i] = math.random(2) == 1, math.random(0, n - 1) end
      for i = 1, n do picks[i] = a[index[i] + 1] end
      local m, at = strew.tensor(mask), strew.tensor(index)
      assert.same(picks, list(x[at]))
      assert.same(picks, list(x:gather(0, at)))
      assert.same(picks, list(x:index_select(0, at)))
      assert.same(picks, list(x:take(at)))
      local both = {table.unpack(a)}
      for _, word in ipairs(b) do both[#both + 1] = word end
      assert.same(both, list(strew.cat{x, y}))
      assert.same({a, b, a}, list(strew.stack{x, y, x}))
      assert.same(map(function(c, v, w) return c and v or w end, mask, a, b), list(strew.where(m, x, y)))
      assert.same(map(function(c, v) return c and v or "new" end, mask, a), list(strew.where(m, x, "new")))
      assert.same(map(function(c, v) return c and v or "new" end, mask, a), list(x:clone():where_(m, "new")))
      assert.same(map(function(c, v) return c and "new" or v end, mask, a), list(x:masked_fill(m, "new")))
      local scattered, put = {table.unpack(a)}, {table.unpack(a)}
      for i = 1, n do scattered[index[i] + 1], put[index[i] + 1] = b[i], b[i] end
      assert.same(scattered, list(x:scatter(0, at, y)))
      assert.same(put, list(x:index_put({at}, y)))
      local z = x:clone()
      z[at] = y
      assert.same(put, list(z))
      assert.same(a, list(x))
      z:copy_(y)
      assert.same(b, list(z))
      local reversed = {}
      for i = 1, n do reversed[i] = a[n + 1 - i] end
      assert.same(reversed, list(x:flip(0)))
      local pair = strew.stack{x, y}:t()
      assert.same(map(function(v, w) return {v, w} end, a, b), list(pair))
      assert.same(map(function(v, w) return {v, w} end, a, b), list(pair:contiguous()))
      assert.same(map(function(v) return {v, v, v} end, a), list(x:view(n, 1):expand(n, 3):clone()))
      local selected = {}
      for i = 1, n do if mask[i] then selected[#selected + 1] = a[i] end end
      assert.same(selected, list(x[m]))
      assert.same(selected, list(x:masked_select(m)))
    end)
  end)

  it("keeps codes where new words are written, and all as it was after a failure", function()
    local t = strew.tensor{"a", "b", "a"}
    local view = t:narrow(0, 0, 2)
    local before = list(t:codes())
    t[2] = "c"
    assert.same({"a", "b", "c"}, t.words)
    assert.same({before[1], before[2], 2}, list(t:codes()))
    assert.same({"a", "b", "c"}, view.words)
    assert.has_error(function() t[strew.tensor{7}] = "d" end)
    assert.same({"a", "b", "c"}, list(t))
    local other = t:clone()
    other:fill_("other")
    t:set(0, "mine")
    assert.same({"mine", "b", "c"}, list(t))
    assert.same({"other", "other", "other"}, list(other))
    for i = 1, 50 do t[i % 3] = "w" .. i end
    assert.same({"w48", "w49", "w50"}, list(t))
    local out = strew.tensor{"x", "y"}
    assert.has_error(function() strew.where(strew.tensor{true, false}, out, 3) end)
    assert.same({"x", "y"}, out.words)
  end)

  it("compares and orders as the bytes of words do", function()
    rounds(function(n)
      local a, b = words_of(n), words_of(n)
      local x, y, word = text_of(a), text_of(b), ({"", "a", "none", "zz", "\xff\xff"})[math.random(5)]
      if n == 0 then return end
      for name, compare in pairs(COMPARE) do
        assert.same(map(compare, a, b), list(x[name](x, y)), name)
        assert.same(map(function(v) return compare(v, word) end, a), list(x[name](x, word)), name .. word)
        assert.same(map(function(v) return compare(word, v) end, a), list(strew[name](word, x)), name .. word)
      end
      local sorted = {table.unpack(a)}
      table.sort(sorted, below)
      local values, indices = x:sort()
      assert.same(sorted, list(values))
      assert.same(sorted, list(x[indices]))
      assert.same(sorted, list(x[x:argsort()]))
      assert.equal(sorted[1], x:min():item())
      assert.equal(sorted[n], x:max():item())
      assert.equal(sorted[n], x[x:argmax():item()])
      assert.equal(sorted[1], x[x:argmin():item()])
      local distinct = {}
      for i, v in ipairs(sorted) do if v ~= sorted[i - 1] then distinct[#distinct + 1] = v end end
      local unique, inverse = x:unique{return_inverse = true}
      assert.same(distinct, list(unique))
      assert.same(a, list(unique[inverse]))
      local is_in = {}
      for _, v in ipairs(b) do is_in[v] = true end
      assert.same(map(function(v) return is_in[v] or false end, a), list(x:isin(y)))
      assert.same(map(function(v) return v == word or v == "a" end, a), list(x:isin{word, "a"}))
      local places = map(function(v)
        local count = 0
        for _, w in ipairs(distinct) do count = count + (below(w, v) and 1 or 0) end
        return count
      end, b)
      assert.same(places, list(strew.searchsorted(unique, y)))
      for _, name in ipairs{"minimum", "min"} do
        assert.same(map(function(v, w) return below(v, w) and v or w end, a, b), list(strew[name](x, y)))
      end
      for _, name in ipairs{"maximum", "max"} do
        assert.same(map(function(v, w) return below(v, w) and w or v end, a, b), list(strew[name](x, y)))
      end
      assert.is_true(x:equal(text_of(a)))
    end)
  end)

  it("groups, and reduces groups, by words", function()
    rounds(function(n)
      n = n + 1
      local a, ids, counts = words_of(n), {}, {}
      for i = 1, n do
        ids[i] = math.random(0, 3)
        counts[a[i]] = (counts[a[i]] or 0) + 1
      end
      local x = text_of(a)
      local g = strew.group_by(x)
      local keys = list(g.keys[1])
      for k = 2, #keys do assert.is_true(below(keys[k - 1], keys[k])) end
      for k, count in ipairs(list(g.counts)) do assert.equal(counts[keys[k]], count) end
      assert.same(a, list(g.keys[1][g.ids]))
      local least, greatest, different = {"", "", "", ""}, {"", "", "", ""}, {0, 0, 0, 0}
      local has, seen = {}, {}
      for i = 1, n do
        local k = ids[i] + 1
        if not has[k] or below(a[i], least[k]) then least[k] = a[i] end
        if not has[k] or below(greatest[k], a[i]) then greatest[k] = a[i] end
        if not seen[k .. a[i]] then different[k] = different[k] + 1 end
        has[k], seen[k .. a[i]] = true, true
      end
      local index = strew.tensor(ids)
      assert.same(least, list((strew.scatter_min(x, index, {dim_size = 4}))))
      assert.same(greatest, list((strew.scatter_max(x, index, {dim_size = 4}))))
      assert.same(different, list(strew.scatter_nunique(x, index, {dim_size = 4})))
    end)
  end)

  it("gives empty words for positions that are dropped", function()
    local t = strew.tensor{"a", "b"}
    assert.same({"b", "", "a", ""}, list(t:index_select(0, strew.tensor{1, -1, 0, 2}, {mode = "drop"})))
    assert.same({"", "b"}, list(t:take(strew.tensor{5, 1}, {mode = "drop"})))
    assert.same({"a", "b"}, t.words)
    local none, positions = t:narrow(0, 0, 0), strew.tensor{1, 7}
    local days = strew.time{"2024-01-01", "NaT", "1999-02-03"}
    local low = strew.text({"low", "high"}, {words = {"low", "high"}, ordered = true})
    for _, read in ipairs{function(x) return x:gather(0, positions, {mode = "drop"}) end,
      function(x) return x:index_select(0, positions, {mode = "drop"}) end,
      function(x) return x:take(positions, {mode = "drop"}) end,
      function(x) return strew.take_along_dim(x, positions, 0, {mode = "drop"}) end,
      function(x) return strew.gather_nd(x, positions:unsqueeze(1), {mode = "drop"}) end} do
      for _ = 1, 2 do assert.same({"b", ""}, list(read(t))) end -- the second time the list has the word
      assert.same({"", ""}, list(read(none)))
      assert.same({"high", ""}, list(read(low)))
      assert.same({"low", "high", ""}, read(low).words)
      assert.same({"NaT", "NaT"}, list(read(days)))
      assert.same({"1999-02-03", "NaT"}, list(read(days:narrow(0, 1, 2))))
      assert.same({{"b", ""}, {"b", ""}}, list(strew.index_select(t:expand(2, 2), 1, positions, {mode = "drop"})))
    end
  end)

  it("that is empty meets words twice: its list has those of the first time, which it lacks", function()
    local none = strew.text{}
    for _, word in ipairs{"a", "b", "a"} do
      assert.same({word}, list(strew.cat{none, strew.text{word}}))
      assert.same({}, list(strew.where(strew.zeros(0, {dtype = "bool"}), none, strew.text{word})))
    end
    local wide = none:reshape(0, 1)
    for _, word in ipairs{"c", "d"} do
      assert.same({}, list(strew.where(strew.zeros(0, 1, {dtype = "bool"}), wide, strew.text{word})))
    end
    assert.same({}, none.words)
  end)

  it("works on words: parts, letters, length, numbers and times", function()
    local t = strew.tensor{{"Oslo", "Zu\u{fc}rich"}, {"", "\xff\xff"}}
    assert.same({{true, false}, {false, false}}, list(t:contains("sl")))
    assert.same({{true, true}, {true, true}}, list(t:contains("")))
    assert.same({{true, false}, {false, false}}, list(t:starts_with("O")))
    assert.same({{false, true}, {false, false}}, list(t:ends_with("ch")))
    assert.same({{"OSLO", "ZU\u{dc}RICH"}, {"", "\xff\xff"}}, list(t:upper()))
    assert.same({{"oslo", "zu\u{fc}rich"}, {"", "\xff\xff"}}, list(t:lower()))
    assert.same({{4, 7}, {0, 2}}, list(t:length()))
    if not support.lacks_float64 then assert.same({0.1}, list(strew.tensor{"0.1"}:to("float64"))) end
    local numbers = list(strew.tensor{"1", "-2.5", "", "1e3", "inf"}:to("float32"))
    assert.same({1.0, -2.5, 1000.0, math.huge}, {numbers[1], numbers[2], numbers[4], numbers[5]})
    assert.is_true(numbers[3] ~= numbers[3])
    assert.same({7, -1}, list(strew.tensor{"7", "-1"}:to("int16")))
    assert.same({true, false}, list(strew.tensor{"true", "0"}:to("bool")))
    assert.same({"2024-05-17", "NaT"}, list(strew.tensor{"2024-05-17", ""}:to("time")))
    assert.same({1.5, -2}, list(strew.tensor{"1.5", "-2"}:to("float64", "cpu"))) -- from a device that may lack float64
    assert.same({"1.5", "", "-2.0"}, list(strew.text(strew.tensor{1.5, 0 / 0, -2})))
    local f = strew.expr("x == 'Oslo' and y > 1")
    assert.same({true, false}, list(f{x = strew.tensor{"Oslo", "Oslo"}, y = strew.tensor{2, 1}}))
    assert.same({true, true}, list(strew.expr("x ~= 'no'"){x = strew.tensor{"Oslo", "Rome"}}))
  end)

  it("is an error where numbers are expected, and for what is no word", function()
    local t, freed = strew.tensor{"a", "b"}, strew.tensor{"a"}
    freed:free()
    for _, call in ipairs{"t + t", "t * 2", "t:sum()", "t:mean()", "t:cumsum(0)", "t:exp()", "t:median()", "t:std()"} do
      assert.matches("is text", message(load("local t = ... return " .. call), t), call)
      assert.same({"a", "b"}, list(t))
    end
    local rows = {
      {function() return strew.text({0, 2}, {"a", "b"}) end, "'codes' has value 2 at %[1%], expected 0..1"},
      {function() return strew.text({-1}, {"a"}) end, "'codes' has value %-1 at %[0%], expected 0..0"},
      {function() return strew.text({0}, {"a\0b"}) end, "'words' has a zero byte in the word at %[1%]"},
      {function() return strew.text({0}, {3}) end, "'words' has 3 at %[1%], expected a string"},
      {function() return strew.text({0.5}, {"a"}) end, "'codes' is float32, expected an integer dtype"},
      {function() return strew.tensor{"a", 1} end, "'x' has 1 at x%[2%], words and numbers do not mix"},
      {function() return strew.tensor{1, "a"} end, "'x' has \"a\" at x%[2%], words and numbers do not mix"},
      {function() return strew.tensor{"a\0"} end, "'x' has a word with a zero byte at x%[1%]"},
      {function() return strew.cat{t, strew.ones(1)} end, "is float32, the first is text: they do not mix"},
      {function() return strew.where(strew.tensor{true, true}, t, 1) end, "text"},
      {function() return t:eq(1) end, "'other' is 1, expected text or a string"},
      {function() return t:lt(strew.ones(2)) end, "'other' is float32, expected text or a string"},
      {function() return t:eq("a", {out = 1}) end, "too many arguments: 2"},
      {function() return t:maximum(t, t) end, "too many arguments: 2"},
      {function() return t:fill(t, 0) end, "too many arguments: 2"},
      {function() return t:isin({"a"}, {x = 1}) end, "'options' has unknown key \"x\""},
      {function() return t:zero(0) end, "takes no arguments, 1 given"},
      {function() return t:max(strew.tensor{0, 1}) end, "'other' is int64, expected text or a string"},
      {function() return strew.min(strew.tensor{0, 1}, t) end, "'self' is int64, expected text or a string"},
      {function() return strew.full_like(strew.tensor{0, 1}, t) end,
        "'value' is a tensor, expected a number or boolean"},
      {function() return t:full_like("a", {dtype = "int64"}) end, "'value' is \"a\", expected a number or boolean"},
      {function() t[0] = 1 end, "'value' is 1, expected text or a string"},
      {function() return t:to("float32") end, "'self' has \"a\" at %[0%], which is no float32"},
      {function() return strew.tensor{"1.5e-9223372036854775808"}:to("int64") end, "at %[0%], which is no int64"},
      {function() return strew.tensor{"1.50e9223372036854775807"}:to("int64") end, "at %[0%], which is no int64"},
      {function() return strew.tensor{"0x1p3"}:to("float64") end, "which is no float64"},
      {function() return strew.tensor{"1", ""}:to("int64") end, "'self' has \"\" at %[1%], which is no int64"},
      {function() return strew.tensor{"300"}:to("uint8") end, "'self' has \"300\" at %[0%], which is no uint8"},
      {function() return strew.ones(2, {dtype = "text"}) end, "ones: .dtype. is text, expected a number dtype"},
      {function() return strew.segment_csr(t, strew.tensor{0, 2}, {reduce = "max", out = strew.ones(1)}) end,
        "'out' is float32, expected text"},
      {function() return strew.full(2, "z", {dtpe = "time"}) end, "full: 'options' has unknown key \"dtpe\""},
      {function() return t:full_like("z", {foo = 1}) end, "full_like: 'options' has unknown key \"foo\""},
      {function() return strew.full(-1, "z") end, "'shape' has size %-1 in dimension 0"},
      {function() return strew.text({0}, {"a", x = 1}) end, "'words' has key \"x\", expected a sequence of strings"},
      {function() return t:where_(strew.tensor{true, true}, 3) end, "where_: 'other' is 3, expected text or a string"},
      {function() return strew.ranges(t, strew.tensor{0}, strew.tensor{0}, {"max", fill = 0}) end,
        "'fill' is 0, expected text or a string"},
      {function() return strew.rolling(t, 1, {"max", fill = "z"}) end, "a window of text is never empty"},
      {function() return strew.rolling(freed, 1, "max") end, "rolling: 'v' was freed"},
      {function() return strew.expr"x == 'a'"{x = freed} end, "expression: 'x' was freed"},
      {function() return strew.ones(2).words end, "tensor has no 'words'"},
    }
    for _, row in ipairs(rows) do assert.matches(row[2], message(row[1])) end
  end)

  -- The words of numbers by their dtype, as the shortest ones that NumPy writes.
  it("of numbers has the fewest digits that read back as the same number of their dtype", function()
    local rows = {
      {"float32", {0.1, 3.14, 1e30, -0.0, 0.0, 1 / 0, 0 / 0, 16777216, 1e-5},
       {"0.1", "3.14", "1e+30", "-0.0", "0.0", "inf", "", "16777216.0", "1e-05"}},
      {"float16", {0.1, 65504, 2 ^ -24}, {"0.1", "65500.0", "6e-08"}},
      {"bfloat16", {0.1, 3.14}, {"0.1", "3.14"}},
      {"int8", {-128, 127}, {"-128", "127"}},
      {"int64", {math.mininteger, math.maxinteger}, {"-9223372036854775808", "9223372036854775807"}},
      {"bool", {true, false}, {"true", "false"}},
    }
    if not support.lacks_float64 then
      table.insert(rows, {"float64", {1700000000.123456, 1700000000.123457, 1 / 3, 1e300, 5e-324, 1e15, 1e16},
        {"1700000000.123456", "1700000000.123457", "0.3333333333333333", "1e+300", "5e-324", "1000000000000000.0",
         "1e+16"}})
    end
    for _, row in ipairs(rows) do
      local t = strew.tensor(row[2], {dtype = row[1]})
      assert.same(row[3], strew.text(t):tolist(), row[1])
      assert.same(row[3], t:to "text":tolist(), row[1])
      assert.is_true((strew.text(t):to(row[1]):eq(t) | t:ne(t)):all():item(), row[1])
    end
    assert.same({"18446744073709551615"}, strew.text(strew.tensor{-1}:to "uint64"):tolist())
    assert.is_true(strew.text(strew.tensor{-1}:to "uint64"):to "uint64":equal(strew.tensor{-1}:to "uint64"))
    assert.same({"2024-05-17", ""}, strew.text(strew.time{"2024-05-17", "NaT"}):tolist())
    assert.same({"0.3333333333333333", "0.1"}, strew.text{1 / 3, 0.1}:tolist()) -- Lua's numbers
    assert.equal("1.5", strew.text(strew.tensor(1.5)):item())
    assert.same({}, strew.text(strew.zeros(0)):tolist())
  end)

  it("reads back the bits of random numbers of every dtype", function()
    strew.manual_seed(7)
    local bits = strew.randint(math.mininteger, math.maxinteger, {2000}, {dtype = "int64"})
    for dtype in ("int8 uint8 int16 uint16 int32 uint32 int64 uint64 bool time"):gmatch "%w+" do
      local t = bits:to(dtype)
      assert.is_true(strew.text(t):to(dtype):equal(t), dtype)
    end
    for _, dtype in ipairs(support.lacks_float64 and {"float32"} or {"float32", "float64"}) do
      local t = (strew.rand(2000, {dtype = dtype}) - 0.5) * strew.tensor(2.0, {dtype = dtype})
                ^ strew.randint(-100, 100, {2000}):to(dtype)
      assert.is_true(strew.text(t):to(dtype):equal(t), dtype)
    end
  end)

  it("names the columns of a pivot, and values in errors, with those digits", function()
    local x = strew.table{{"k", strew.tensor{0.1, 0.2, -0.0, 0 / 0}}, {"r", {1, 2, 1, 2}}, {"v", {1, 2, 3, 4}}}
    assert.same({"r", "0.0", "0.1", "0.2", "nan"}, strew.columns(strew.pivot(x, "r", "k", "v", "sum")))
    local rows = {
      {function() return strew.tensor{0.3}:interp(strew.tensor{0.3, 0.1}, strew.tensor{1, 2}) end, "value 0.1 at"},
      {function() return strew.bernoulli(strew.tensor{1.1}) end, "value 1.1 at"},
      {function() return strew.quantile(strew.ones(2), strew.tensor{1.1}) end, "value 1.1 at"},
      {function() return strew.arange(0, 1 / 3, -0.1) end, "stop is 0.3333333333333333$"},
      {function() return strew.zeros(2):sum(1 / 3) end, "'dim' is 0.3333333333333333,"},
      {function() return strew.full({2}, 1e300, {dtype = "int8"}) end, "'value' is 1e%+300,"},
    }
    for _, row in ipairs(rows) do assert.matches(row[2], message(row[1])) end
  end)

  -- Whatever is not seen of a text, and of which elements there are fewer than words, is not read.
  it("reads only words that it has", function()
    local t = strew.tensor{"x", "1", "2", "-"}
    assert.same({1, 2}, t:narrow(0, 1, 2):to "int64":tolist())
    assert.same({{1, 2}, {1, 2}, {1, 2}}, t:narrow(0, 1, 2):expand(3, 2):to "int64":tolist())
    assert.matches('has "%-" at %[1, 0%], which is no int64', message(function()
      return t:index_select(0, strew.tensor{1, 2, 3, 2}):view(2, 2):to "int64"
    end))
    local found = strew.last_error()
    assert.same({"-", {1, 0}, "value"}, {found.value, found.pos, found.code})
  end)

  it("maps its words, whether of each element or once", function()
    local t = strew.tensor{"Zürich", "OSLO", "", "osloslo", "\xff\xfe"}
    for _, x in ipairs{t, t:index_select(0, strew.arange(20) % 5), t:view(5, 1):expand(5, 4)} do
      local row = function(y) return y:reshape(-1):index_select(0, strew.tensor{0, 0, 0, 0}):tolist() end
      assert.same(x.shape, x:length().shape)
      assert.same(row(x:length()), {6, 6, 6, 6})
      assert.same(row(x:upper()), {"ZÜRICH", "ZÜRICH", "ZÜRICH", "ZÜRICH"})
    end
    local words = strew.tensor{"Äöüß Ÿé", "Łódź șț", "Αθήνας", "Київ Ґё", "Հայ", "Əə", "€ × ÷ 東 ı\xc3"} -- as in Python
    assert.same({"ÄÖÜß ŸÉ", "ŁÓDŹ ȘȚ", "ΑΘΉΝΑΣ", "КИЇВ ҐЁ", "ՀԱՅ", "ƏƏ", "€ × ÷ 東 ı\xc3"},
      words:upper():tolist())
    assert.same({"äöüß ÿé", "łódź șț", "αθήνας", "київ ґё", "հայ", "əə", "€ × ÷ 東 ı\xc3"},
      words:lower():tolist())
    assert.same({6, 4, 0, 7, 2}, t:length():tolist())
    assert.same({"zürich", "oslo", "", "osloslo", "\xff\xfe"}, t:lower():tolist())
    assert.same({false, false, false, true, false}, t:contains("slo"):tolist())
    assert.same({true, true, true, true, true}, t:contains(""):tolist())
    assert.same({false, false, false, true, false}, t:starts_with("oslo"):tolist())
    assert.same({false, true, false, false, false}, t:ends_with("LO"):tolist())
    assert.same({true, true, true, true, true}, t:ends_with(""):tolist())
    assert.same({false, false, false, false, false}, t:contains("\0"):tolist())
    assert.same({}, t:narrow(0, 0, 0):upper():tolist())
    assert.equal(4, strew.tensor("Oslo"):length():item())
  end)

  it("changes the case of eight bytes at once as of each alone", function()
    local made, upper, lower, lengths = {}, {}, {}, {}
    for code = 1, 127 do
      local bytes = string.rep("a", code % 17) .. string.char(code) .. "Z@[`{é" .. string.rep("b", code % 9)
      local ascii = bytes:gsub("é", "..")
      made[code], lengths[code] = bytes, #bytes - 1
      upper[code], lower[code] = ascii:upper():gsub("%.%.", "É"), ascii:lower():gsub("%.%.", "é")
    end
    local t = strew.tensor(made)
    assert.same({upper, lower, lengths}, {t:upper():tolist(), t:lower():tolist(), t:length():tolist()})
  end)

  it("gives integers exactly, of every dtype", function()
    local function value(word, dtype) return strew.tensor{word}:to(dtype):to("int64")[0] end
    for word, number in pairs{["9007199254740993"] = 9007199254740993, ["9007199254740993.0"] = 9007199254740993,
      ["-9223372036854775808"] = math.mininteger, ["9223372036854775807"] = math.maxinteger, [" +0012e1 "] = 120,
      ["9.223372036854775807e18"] = math.maxinteger, ["1e400e"] = false, ["-9223372036854775809"] = false,
      ["9223372036854775808"] = false, ["9007199254740993.5"] = false, ["0.99999999999999999999"] = false,
      ["1e-400"] = false, ["1e400"] = false, ["1e99999999999999999999"] = false, ["-0e999"] = 0, ["."] = false,
      ["1.5"] = false, ["0x10"] = false, ["1_0"] = false, ["inf"] = false, ["nan"] = false} do
      local ok, got = pcall(value, word, "int64")
      assert.equal(number, ok and got, word)
      if not ok then assert.matches("which is no int64", got, 1, true) end
    end
    local most = strew.tensor{"18446744073709551615", "9223372036854775808", "0", "1.0"}
    assert.same({-1, math.mininteger, 0, 1}, list(most:to("uint64"):to("int64")))
    for dtype, ends in pairs{int8 = {"-128", "127", "128", "-129"}, uint8 = {"0", "255", "256", "-1"},
      int32 = {"-2147483648", "2147483647", "2147483648", "-2147483649"}, uint32 = {"0", "4294967295", "4294967296",
      "-1"}, uint64 = {"0", "18446744073709551615", "18446744073709551616", "-1"}} do
      assert.is_true(pcall(value, ends[1], dtype) and pcall(value, ends[2], dtype))
      for i = 3, 4 do
        assert.matches("which is no " .. dtype, message(value, ends[i], dtype), 1, true)
      end
    end
    for word, dtype in pairs{["65520"] = "float16", ["1e39"] = "float32", ["-1e400"] = "float32"} do
      assert.matches(("'self' has %q at [1, 0], which %s cannot hold"):format(word, dtype),
        message(strew.to, strew.tensor{{"0"}, {word}}, dtype), 1, true)
    end
    local flipped = strew.tensor{"y", "x"}:flip(0)
    for _, dtype in ipairs{"int64", "float32", "bool", "time"} do
      assert.matches("'self' has \"x\" at [0], which is no " .. dtype, message(strew.to, flipped, dtype), 1, true)
    end
  end)

  it("finds missing elements by isnan, whatever the dtype", function()
    local x = strew.table{{"w", {"a", "", "b", ""}}, {"t", strew.time{"2024-01-01", "NaT", "NaT", "1970-01-01"}},
      {"v", {1.5, 0 / 0, 2, 1 / 0}}, {"i", {0, 1, 2, 3}}}
    x.ok = x.i:gt(1)
    for name, where in pairs{w = {1, 3}, t = {1, 2}, v = {1}, i = {}, ok = {}} do
      assert.same(where, list(strew.nonzero(x[name]:isnan()):flatten()), name)
      assert.same(where, list(x:rows(strew.isnan(x[name])).i), name)
      assert.same(where, list(x:rows(("isnan(%s)"):format(name)).i), name)
      assert.equal(4 - #where, #x:rows(("not isnan(%s)"):format(name)), name)
      assert.equal(4 - #where, #x:rows(~x[name]:isnan()), name)
      assert.equal(#where, strew.expr("sum(isnan(x))"){x = x[name]}:item(), name)
    end
    assert.same({}, list(x:rows("w ~= w").i)) -- a comparison stays one
    assert.same({0, 2}, list(x:rows("not isnan(w) and i < 3").i))
    assert.is_false(strew.tensor("a"):isnan():item())
    assert.is_true(strew.tensor(""):isnan():item())
    assert.equal(0, strew.zeros(0, {dtype = "int64"}):to("time"):isnan():numel())
    assert.same({true, false, false, true}, list(x.t:isfinite()))
    assert.same({0, 3}, list(x:rows("isfinite(t)").i))
    assert.same({false, false, false, false}, list(x.t:isinf()))
    assert.equal(0, #x:rows("isinf(t)"))
    local function first(text) return text:match "^[^\n]*" end
    support.fail({
      {"x.w:isfinite()", "isfinite: 'self' is text, expected numbers"},
      {"x.w:isinf()", "isinf: 'self' is text, expected numbers"},
      {"x.w:nan_to_num()", "nan_to_num: 'self' is text, expected numbers"},
      {"x.t:nan_to_num(0)", "nan_to_num: 'self' is time, expected numbers"},
      {"x:rows('isfinite(w)')", "isfinite: 'self' is text, expected numbers"},
      {"x:assign{y = 'nan_to_num(w)'}", "nan_to_num: 'self' is text, expected numbers"},
      {"x:assign{y = 'nan_to_num(t)'}", "nan_to_num: 'self' is time, expected numbers"},
    }, {x = x}, first)
  end)

  it("fails for groups that are text or time", function()
    local text, time = strew.text{"b", "a"}, strew.time{"2024-05-17", "NaT"}
    for _, name in ipairs{"scatter_min", "scatter_first", "scatter_nunique"} do
      for _, index in ipairs{text, time} do
        local expected = string.format("^%s: 'index' is %s, expected an integer dtype", name, index.dtype)
        for _, src in ipairs{index, strew.ones(2)} do
          assert.matches(expected, message(strew[name], src, index))
        end
      end
    end
  end)

  it("has extremes by index, segment and range, in order of the words", function()
    local t, ids = strew.tensor{"z", "b", "", "c", "a"}, strew.tensor{0, 2, 2, 2, 0} -- codes in another order
    assert.same({"z", "", "c"}, list(strew.scatter(t, ids, {reduce = "max"})))
    assert.same({"a", "", ""}, list(strew.scatter(t, ids, {reduce = "amin"})))
    local out = strew.tensor{"y", "x", "d"}
    local joined, place = strew.scatter_max(t, ids, {out = out})
    assert.same({{"z", "x", "d"}, {0, 5, 5}}, {list(joined), list(place)})
    assert.equal(out, joined)
    assert.same({"c", "b"}, list(strew.scatter_min(strew.tensor{"", "b"}, strew.tensor{1, 1}, {skip_nan = true,
      out = strew.tensor{"c", "d"}})))
    assert.same({"z", "c", "c"}, list(strew.tensor{"a", "c", "b"}:scatter_reduce(0, ids, t, "amax")))
    assert.same({"a", "c", ""}, list(strew.tensor{"x", "c", "b"}:scatter_reduce_(0, ids, t, "amin",
      {include_self = false})))
    assert.same({"z", "c", "c"}, list(strew.tensor{"a", "c", "b"}:scatter(0, ids, t, {reduce = "max"})))
    assert.same({"b", "c", "b"}, list(strew.tensor{"a", "c", "b"}:scatter(0, ids, "b", {reduce = "max"})))
    local values, at = strew.segment_csr(t, strew.tensor{0, 2, 2, 5}, {reduce = "max"})
    assert.same({{"z", "", "c"}, {0, 5, 3}}, {list(values), list(at)})
    assert.same({"b", "", ""}, list((strew.segment_coo(t, strew.tensor{0, 0, 2, 2, 2}, {reduce = "min"}))))
    assert.same({"", "z", "b", "c", "c"}, list(strew.rolling(t, 2, "max")))
    local two = strew.ranges(strew.tensor{{"b", "c"}, {"a", "d"}}, strew.tensor{0, 1}, strew.tensor{2, 1},
      {"max", fill = "zz"})
    assert.same({{"b", "d"}, {"zz", "zz"}}, list(two))
    assert.same({"a", "b"}, list(strew.tensor{"a", "c"}:minimum_(strew.tensor{"b", "b"})))
    assert.same({"z", "b", "", "", "a"}, list(strew.rolling(t, 2, "min", {min_count = 1})))
    assert.same({"z", "b", "b", "c", "a"}, list(strew.rolling(t, 2, {"min", skip_nan = true}, {min_count = 1})))
    assert.same({"z", "z", "b", "", "c"}, list(strew.rolling(t, 2, "first", {min_count = 1})))
    assert.same({1, 2, 2, 2, 2}, list(strew.rolling(t, 2, "nunique", {min_count = 1})))
    assert.same({2, 0, 3}, list(strew.ranges(t, strew.tensor{0, 1, 2}, strew.tensor{2, 1, 5}, "count")))
    assert.same({1, 0, 2}, list(strew.ranges(t, strew.tensor{2, 1, 2}, strew.tensor{4, 1, 5}, {"count",
      skip_nan = true})))
    assert.same({"z", "", "a"}, list(strew.ranges(t, strew.tensor{0, 1, 2}, strew.tensor{1, 1, 5}, "last")))
    local g = strew.grouping(ids)
    assert.same({{4, 0, 1, 3, 2}, {1, 0, 2, 1, 0}}, {list(g:argsort(t)), list(g:rank(t))})
    values, at, ids = g:topk(t, 1)
    assert.same({{"z", "c"}, {0, 3}, {0, 2}}, {list(values), list(at), list(ids)})
  end)

  it("skips the empty word as missing", function()
    local t, ids = strew.tensor{"", "b", "a", ""}, strew.tensor{0, 0, 0, 1}
    assert.same({"a", "b", "a"}, {t:min{skip_nan = true}:item(), t:max{skip_nan = true}:item(),
      t:amin{skip_nan = true}:item()})
    assert.equal("", t:narrow(0, 3, 1):min{skip_nan = true}:item())
    assert.same({2, 1}, {t:argmin{skip_nan = true}:item(), t:argmax{skip_nan = true}:item()})
    local counts = strew.value_counts(strew.tensor{"", "b", "b"}, {skip_nan = true})
    assert.same({{"b"}, {2}}, {list(counts.value), list(counts.count)})
    local g = strew.grouping(ids)
    assert.same({"a", ""}, list((g:min(t, {skip_nan = true}))))
    assert.same({"b", ""}, list((g:first(t, {skip_nan = true}))))
    assert.same({2, 0}, list(g:count(t, {skip_nan = true})))
    assert.same({2, 0}, list(g:nunique(t, {skip_nan = true})))
    local x = strew.table{{"k", ids}, {"w", t}}
    assert.same({"a", ""}, list(x:group_by("k"):agg{w = {"min", "w", skip_nan = true}}.w))
  end)

  it("is no number to calls made of others", function()
    local t = strew.tensor{"1", "2"}
    for _, row in ipairs{{"cov"}, {"corrcoef"}, {"trapz"}, {"logsumexp", 0}} do
      assert.matches("'self' is text, expected numbers", message(strew[row[1]], t, row[2]), 1, true)
    end
    assert.matches("'v' is text, expected numbers for \"sum\"", message(strew.rolling, t, 2, "sum"), 1, true)
  end)
end)
