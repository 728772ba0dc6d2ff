-- Hints: their advice works. error_spec.lua has their texts; here they are followed, and those of devices are provoked.
-- names_spec.lua has those for names of other libraries.
local strew = require "strew"
local support = dofile "tests/spec/support.lua"
local default = strew.zeros(1).device

local provoked = {} -- hints

-- Runs code with the names of `environment`, which fails; returns message and hint.
local function provoke(code, environment)
  environment.strew = strew
  local ok, message = pcall(assert(load(code, "=chunk", "t", environment)))
  assert.is_false(ok, code .. " gives no error")
  assert.equal("string", type(message), code)
  local detail = strew.last_error()
  assert.equal("chunk:1: " .. detail.message, message)
  provoked[detail.hint or ""] = true
  return detail.message, detail.hint
end

-- Fails once. Then, with the `wrong` part of the code replaced by the hint's advice, it gives the expected result.
local function follow(code, wrong, advised, environment, expected)
  local _, hint = provoke(code, environment)
  assert.matches(advised, hint, 1, true)
  local first, last = code:find(wrong, 1, true)
  local better = code:sub(1, first - 1) .. advised .. code:sub(last + 1)
  assert.equal(expected, support.on_cpu(support.text(assert(load("return " .. better, "=chunk", "t", environment))())),
    better)
end

local function operands()
  return {
    t = strew.zeros(3, 2), v = strew.zeros(3), i = strew.tensor{0, 2, 1},
    index = strew.tensor{{0, 2}, {1, 0}, {2, 1}}, src = strew.ones(3, 2), w = strew.ones(3),
  }
end

describe("a hint can be followed:", function()
  local twos = "float32[3, 2] {{1.0, 1.0}, {1.0, 1.0}, {1.0, 1.0}}"
  -- Each row: failing code, its wrong part, the advised replacement, the result.
  local rows = {
    {"counted from 1", "v:scatter_add_(0, index, w)", "index", "index - 1",
     "float32[3] {1.0, 1.0, 1.0}", {index = strew.tensor{1, 2, 3}}},
    {"counted from 1, without 1", "v:gather(0, index)", "index", "index - 1", "float32[2] {0.0, 0.0}",
     {index = strew.tensor{2, 3}}, "was it counted from 1?"},
    {"negative values", "v:gather(0, index, {})", "{}", '{mode = "wrap"}', "float32[1] {0.0}",
     {index = strew.tensor{-1}}, 'mode = "wrap"'},
    {"padding", "v:scatter_add_(0, index, w, {})", "{}", '{mode = "drop"}', "float32[3] {1.0, 0.0, 1.0}",
     {index = strew.tensor{-1, 0, 2}}, '"drop"'},
    {"lower rank, first dimension", "t:scatter_add_(0, index, src)", "index", "index:unsqueeze(-1):expand_as(src)",
     twos, {index = strew.tensor{0, 1, 2}}},
    {"lower rank, last dimension", "t:scatter_add_(1, index, src)", "index", "index:expand_as(src)",
     twos, {index = strew.tensor{0, 1}}},
    {"lower rank, the group form", "t:scatter_add_(0, index, src)", "t:scatter_add_(0, index, src)",
     "strew.scatter(src, index, {dim = 0})", twos, {index = strew.tensor{0, 1, 2}}},
    {"lower rank, two dimensions less", "u:scatter_add_(0, index, src)", "index",
     "index:unsqueeze(-1):unsqueeze(-1):expand_as(src)", "float32[2, 1, 1] {{{1.0}}, {{1.0}}}",
     {index = strew.tensor{0, 1}, u = strew.zeros(2, 1, 1), src = strew.ones(2, 1, 1)}},
    {"groups along another dimension", "strew.scatter_sum(src, index)", "index)", "index, {dim = 0})",
     "float32[2, 2] {{2.0, 2.0}, {1.0, 1.0}}", {index = strew.tensor{0, 0, 1}}, "{dim = 0}: index has the size of"},
    {"a table of one dimension", "v:gather(0, index)", "gather(0, index)", "take(index)",
     "float32[3, 2] {{0.0, 0.0}, {0.0, 0.0}, {0.0, 0.0}}", {}, "self:take(index)"},
    {"seconds as times", "strew.time(n):eq('2024-01-02')", "(n)", '(n, "s")', "bool[] true", {n = 1704153600},
     'strew.time(x, "s")'},
    {"times as numbers", "self:sum()", "self", 'self:to("int64")', "int64[] 3",
     {self = strew.tensor{1, 2}:to "time"}, 'self:to("int64")'},
    {"a number among times", 'strew.full({1}, 0, {dtype = "time"}):eq("2024-05-17")', "0", '"2024-05-17"',
     "bool[1] {true}", {}, '"2024-05-17"'},
    {"zeros among times", "strew.zeros(1, {dtype = 'time'}):isnan()", "strew.zeros(1", "strew.full({1}, \"NaT\"",
     "bool[1] {true}", {}, 'strew.full'},
    {"bits of a column", "self:view_as('int32')", "self", "self:clone()", "int32[2, 1] {{0}, {0}}",
     {self = strew.zeros(4, {dtype = "int16"}):view(2, 2):t():expand(2, 2)}, "self:clone()"},
    {"codes of numbers", "self:codes()", "self", "strew.text(self)", "int32[1] {0}", {self = strew.tensor{7}},
     "strew.text"},
    {"empty words as integers", 'x:to("int64")', '"int64"', '"float32"', "float32[2] {1.0, nan}",
     {x = strew.tensor{"1", ""}}, "floats have NaN"},
    {"numbers with units", 'self:to("float32")', "self",
     '(function() w = self.words; for i = 1, #w do w[i] = string.gsub(w[i], "[^%d.-]", "") end; '
     .. "self = strew.text(self:codes(), w) return self end)()", "float32[2] {20.0, 1005.5}",
     {self = strew.tensor{"20%", "$1,005.5"}, string = string},
     'w = self.words; for i = 1, #w do w[i] = string.gsub(w[i], "[^%d.-]", "") end; '
     .. "self = strew.text(self:codes(), w)"},
    {"a missing number of a column", "strew.table{a = {1, nil, 3}}.a:isnan()", "nil", "strew.null",
     "bool[3] {false, true, false}", {}, "strew.null stands for a missing value"},
    {"rows of a table", "strew.table{{'Oslo', 1.5}}.rain:isnan()", "{'Oslo', 1.5}", '{city = "Oslo", rain = 1.5}',
     "bool[1] {false}", {}, '{{city = "Oslo", rain = 1.5}}'},
    {"numbers beside words", "self:lt(x)", "x", "strew.text(x)", "bool[1] {false}",
     {self = strew.tensor{"a"}, x = strew.tensor{7}}, "strew.text(x)"},
    {"words beside times", "self:lt(other)", "self", 'self:to("time")', "bool[1] {true}",
     {self = strew.tensor{"2024-05-17"}, other = strew.time{"2024-05-18"}}, 'self:to("time")'},
    {"a number among words", "self:fill(3)", "3", '"Oslo"', 'text[1] {Oslo}', {self = strew.tensor{"a"}}, '"Oslo"'},
    {"numbers joined to words", "strew.join(x, {size = strew.tensor{7}}, 'size').size:length()", "strew.tensor{7}",
     "strew.text(strew.tensor{7})", "int64[1] {1}", {x = {size = strew.tensor{"7", "x"}}},
     'strew.text(b["size"])'},
    {"numbers below words", "strew.concat{x, {size = strew.tensor{7}}}.size:length()", "strew.tensor{7}",
     "strew.text(strew.tensor{7})", "int64[3] {1, 1, 1}", {x = {size = strew.tensor{"7", "x"}}},
     'strew.text(tables[2]["size"])'},
    {"words below times", "strew.concat{x, {at = words}}.at:isnan()", "words", "strew.time(words)",
     "bool[2] {false, false}", {x = {at = strew.time{"2024-05-17"}}, words = strew.tensor{"2024-05-17"}},
     'strew.time(tables[2]["at"])'},
    {"a column of another table", "strew.group_by(x, 'at').ids:abs()", "'at'", "'size'", "int64[2] {0, 1}",
     {x = {size = strew.tensor{7, 8}}}, '"size"'},
    {"windows by a name", "strew.rolling(x.size, 2, 'sum', {by = 'size'})", "'size'", "x.size", "float64[2] {nan, nan}",
     {x = {size = strew.tensor{7, 8}}}, 'x["size"]'},
    {"windows of time", "strew.rolling(v, '3h', 'sum'):sum()", "strew.rolling(v, '3h', 'sum')",
     'strew.rolling(v, "2h", "sum", {on = t})', "int64[] 9",
     {v = strew.tensor{1, 2, 3}, t = strew.time{"2024-01-01T00:00", "2024-01-01T01:00", "2024-01-01T02:00"}}},
    {"a long name of a column of floats", "strew.concat{{[n] = strew.tensor{16777217}}, {[n] = f}}[n]:sum()", "f}",
     'f:to("float64")}', "float64[] 16777217.5", {n = ("abcdefghij"):rep(12), f = strew.tensor{0.5}},
     'tables[2]["' .. ("abcdefghij"):rep(12) .. '"]:to("float64") holds both'},
    {"a name with a line end", "strew.concat{{[n] = strew.tensor{16777217}}, {[n] = f}}[n]:sum()", "f}",
     'f:to("float64")}', "float64[] 16777217.5", {n = "a\nb", f = strew.tensor{0.5}},
     'tables[2]["a\\nb"]:to("float64") holds both'},
    {"as-of of rows in disorder", "strew.asof(a, b, 'at').at:abs()", "a, b", "strew.sort_by(a, 'at'), b",
     "int64[2] {1, 2}", {a = {at = strew.tensor{2, 1}}, b = {at = strew.tensor{1}}}, 'strew.sort_by(a, "at")'},
    {"a time of another form", "strew.time('17.05.2024'):eq('2024-05-17')", "17.05.2024", "2024-05-17",
     "bool[] true", {}, "2024-05-17"},
    {"a time of another format", "strew.time('17 05', '%d.%m')", "'%d.%m'", "'%d %m'", "time[] 1970-05-17", {},
     "%d.%m"},
    {"two times added", "strew.time('2024-05-17'):add(strew.time('2024-05-17'))", "add", "sub",
     "float64[] 0.0", {}, "b - a"},
    {"a calendar of text", "strew.floor_time(7, 'day')", "7", "strew.time'2024-05-17'", "time[] 2024-05-17", {},
     "strew.time"},
    {"bits of uint64 and int64", "strew.bitwise_and(self, other)", "other", 'other:to("int64")', "int64[1] {2}",
     {self = strew.tensor{3}, other = strew.tensor({2}, {dtype = "uint64"})}},
    {"an element that Lua's integers lack", "x:item()", "x:", 'x:to("int64"):', "-1",
     {x = strew.tensor{-1}:to "uint64"}, 'self:to("int64")'},
    {"uint64 beside an accumulator", "x:reduce(strew.reduction{init = 0, combine = 'where(x > acc, acc + 1, acc)', "
     .. "dtype = 'int64'})", "x >", "int64(x) >", "int64[] 1", {x = strew.tensor({2}, {dtype = "uint64"})},
     "int64(x)"},
    {"float index", "v:gather(0, index)", "index", 'index:to("int64")', "float32[1] {0.0}",
     {index = strew.tensor{2.0}}},
    {"a mask as index of rows", "x:index_select(0, index)", "index)", "index:nonzero():flatten())",
     "float32[2] {10.0, 30.0}", {x = strew.tensor{10.0, 20, 30}, index = strew.tensor{true, false, true}},
     "index:nonzero():flatten()"},
    {"a mask as index of additions", "x:index_add(0, index, strew.ones(2))", "index,", "index:nonzero():flatten(),",
     "float32[3] {11.0, 20.0, 31.0}", {x = strew.tensor{10.0, 20, 30}, index = strew.tensor{true, false, true}},
     "index:nonzero():flatten()"},
    {"a mask as index of elements", "x:take(index)", "x:take(index)", "x[index]", "float32[2] {10.0, 30.0}",
     {x = strew.tensor{10.0, 20, 30}, index = strew.tensor{true, false, true}}, "self[index]"},
    {"a mask as index of gather", "x:gather(0, index)", "x:gather(0, index)", "x[index]", "float32[2] {10.0, 30.0}",
     {x = strew.tensor{10.0, 20, 30}, index = strew.tensor{true, false, true}}, "self[index]"},
    {"a mask as index of groups", "strew.scatter_sum(x, index)", "index)", 'index:to("int64"))',
     "float32[2] {20.0, 40.0}", {x = strew.tensor{10.0, 20, 30}, index = strew.tensor{true, false, true}},
     'index:to("int64")'},
    {"negative positions in brackets", "strew.clone(x[index])", "index", "index % 3", "float32[2] {30.0, 10.0}",
     {x = strew.tensor{10.0, 20, 30}, index = strew.tensor{-1, 0}}},
    {"negative positions that are too small", "x:gather(0, index, {})", "{}", '{mode = "drop"}',
     "float32[2] {0.0, 10.0}", {x = strew.tensor{10.0, 20, 30}, index = strew.tensor{-4, 0}}, 'mode = "drop" skips'},
    {"a quantile of segments without q", "strew.segment_csr(src, ends, 'quantile', {})", "{}", "{q = 0.5}",
     "float32[1] {2.0}", {src = strew.tensor{1.0, 2, 3}, ends = strew.tensor{0, 3}}},
    {"negative values of a sorted index", "strew.segment_coo(src, index)", "strew.segment_coo(src, index)",
     'strew.scatter(src, index, {dim = 0, mode = "drop"})', "float32[1, 2] {{2.0, 2.0}}",
     {index = strew.tensor{-1, 0, 0}}},
    {"groups of too small negative values", "strew.scatter_sum(w, index, {})", "{}", '{mode = "drop"}',
     "float32[1] {2.0}", {index = strew.tensor{-1, 0, 0}, w = strew.ones(3)}, "\"drop\" skips"},
    {"dtypes", "t:scatter_add_(0, index, src)", "src", 'src:to("float32")', twos, {src = strew.ones(3, 2):to("int32")}},
    {"a tensor that repeats itself", "u:scatter_add_(0, index, src)", "u", "u:clone()",
     twos, {u = strew.zeros(1, 2):expand(3, 2)}, "write into self:clone()"},
    {"index and self share elements", "i:scatter_add_(0, index, ones)", "index", "index:clone()", "int64[1] {1}",
     (function() local i = strew.tensor{0} return {i = i, index = i, ones = strew.tensor{1}} end)()},
    {"a method of a table without its colon", "x.head(1)", "x.head(1)", "x:head(1).a", "float32[1] {2.0}",
     {x = strew.table{a = strew.tensor{2.0, 3.0}}}, "x:head(...)"},
    {"a method without its colon", "t.add(src)", "t.add(", "t:add(", twos, {}},
    {"a method without anything", "t.sum()", "t.sum(", "t:sum(", "float32[] 0.0", {}},
    {"a method whose first argument is taken for self", "t.scatter_add_(0, index, src)", "t.", "t:", twos, {}, "t:"},
    {"a function with a colon", "strew:ones(1)", "strew:ones(", "strew.ones(", "float32[1] {1.0}", {}},
    {"a word instead of options", "strew.ones(1, 'int8')", "'int8'", '{dtype = "int8"}', "int8[1] {1}", {}},
    {"a method misspelt", "t:scater_add_(0, index, src)", "scater_add_", "scatter_add_", twos, {}},
    {"a function misspelt", "strew.scater_add(t, 0, index, src)", "scater_add", "scatter_add", twos, {}},
    {"an option misspelt", "t:sum{keepdims = true, dim = 0}", "keepdims", "keepdim", "float32[1, 2] {{0.0, 0.0}}", {}},
    {"options among elements", "strew.zeros({2, dtype = 'int8'})", "{2, dtype = 'int8'}", "{2}, {dtype = 'int8'}",
     "int8[2] {0, 0}", {}, "a table of their own, after this one: {dtype = ...}"},
    {"options among elements of a tensor", "strew.tensor{2, device = 'cpu'}", "{2, device = 'cpu'}", "{2}",
     "int64[1] {2}", {}, "a table of their own, after this one: {device = ...}"},
    {"a table as operand", "i:add({1, 1, 1})", "{1, 1, 1}", "strew.tensor{1, 1, 1}", "int64[3] {1, 3, 2}", {},
     "strew.tensor(other)"},
    {"a table as index of groups", "strew.scatter(w, {0, 0, 1})", "{0, 0, 1}", "strew.tensor{0, 0, 1}",
     "float32[2] {2.0, 1.0}", {}, "strew.tensor(index)"},
    {"a missing element", "strew.tensor{1, strew.null}", "strew.null", "strew.nan", "float32[2] {1.0, nan}", {},
     "missing elements are strew.nan"},
    {"numbers without braces", "strew.tensor(1, 2, 3)", "(1, 2, 3)", "{1, 2, 3}", "int64[3] {1, 2, 3}", {},
     "strew.tensor{1, 2, 3}"},
    {"a comparison by Lua's operator", "strew.clone(w >= 1)", "w >= 1", "w:ge(1)", "bool[3] {true, true, true}", {},
     "t:ge(1)"},
    {"a comparison of two tensors", "strew.clone(w < v)", "w < v", "w:lt(v)", "bool[3] {false, false, false}", {},
     "a:lt(b)"},
    {"a loop over a tensor", "for i in w do strew.add(1, i) end", "for i in w do strew.add(1, i) end",
     "(function() local sum = 0 for i = 0, #w - 1 do sum = sum + w[i] end return sum end)()", "3.0", {},
     "for i = 0, #t - 1 do"},
    {"an element in parentheses", "strew.add(v, w(0))", "w(0)", "w[0]", "float32[3] {1.0, 1.0, 1.0}", {}, "t[i]"},
    {"a reduction of groups by another library's word", "g:agg{m = {'avg', w}}.m:clone()", "avg", "mean",
     "float32[2] {1.0, 1.0}", {g = strew.group_by(strew.tensor{0, 1, 0})}},
    {"a reduction after its column", "g:agg{m = {w, 'sum'}}.m:clone()", "{w, 'sum'}", "{'sum', w}",
     "float32[2] {2.0, 1.0}", {g = strew.group_by(strew.tensor{0, 1, 0})}, '{"sum", src}'},
    {"a dtype as a name", "src:to(strew.int8)", "strew.int8", '"int8"', "int8[3, 2] {{1, 1}, {1, 1}, {1, 1}}", {},
     't:to("int8")'},
    {"another library's dtype", "strew.ones(1, {dtype = 'long'})", "long", "int64", "int64[1] {1}", {}},
  }
  for _, row in ipairs(rows) do
    it(row[1], function()
      if support.lacks_float64 and row[5]:find "float64" then return pending "needs float64, which the device lacks" end
      local environment = operands()
      for name, value in pairs(row[6]) do environment[name] = value end
      if row[7] then
        local _, hint = provoke(row[2], environment)
        assert.matches(row[7], hint, 1, true)
        local first, last = row[2]:find(row[3], 1, true)
        local better = "return " .. row[2]:sub(1, first - 1) .. row[4] .. row[2]:sub(last + 1)
        assert.equal(row[5], support.text(assert(load(better, "=chunk", "t", environment))()))
      else
        follow(row[2], row[3], row[4], environment, row[5])
      end
    end)
  end
end)

describe("what no name explains", function()
  it("has no hint", function()
    for _, code in ipairs{"T{1}.a()", "strew.a()", "T{1}.b()", "T{1}.u()", "T{1}:w()",
      "strew.key_table(1):ids(T{1}, T{2})", "strew.expr('x'):with(1, 2)"} do
      assert.is_false(pcall(assert(load("return " .. code, "=chunk", "t", {strew = strew, T = strew.tensor}))))
      assert.falsy((strew.last_error().hint or ""):find("here it is", 1, true), code)
      assert.falsy((strew.last_error().hint or ""):find("use .", 1, true), code)
    end
  end)
end)

-- Each row: failing code, a part of its hint, the code as the hint has it, its result.
describe("a hint names what works:", function()
  local rows = {
    {"T{1, 2}:mean()", 'self:to("float64")', 'T{1, 2}:to("float64"):mean()', "float64[] 1.5"},
    {"T{true}:cumsum_(0)", "without the underscore", "T{true}:cumsum(0)", "int64[1] {1}"},
    {"T({1, 2}, {dtype = 'int8'}):add_(0.5)", "without the underscore", "T({1, 2}, {dtype = 'int8'}):add(0.5)",
     "float32[2] {1.5, 2.5}"},
    {"T{16777217, 2}:add_(0.5)", 'self:to("float64") holds it', 'T{16777217, 2}:to("float64"):add_(0.5)',
     "float64[2] {16777217.5, 2.5}", "exact"},
    {"strew.table{{'a', T{5, 6}}}[0]", "x[strew.tensor{0}]", "strew.table{{'a', T{5, 6}}}[strew.tensor{0}].a",
     "int64[1] {5}"},
    {"strew.table{{'a', T{5, 6}}}[{0, 1}]", "x[strew.tensor{0, 1}]",
     "strew.table{{'a', T{5, 6}}}[strew.tensor{0, 1}].a", "int64[2] {5, 6}"},
    {"strew.table{{'a', T{5, 6}}}:rows(0)", "strew.tensor{0}", "strew.table{{'a', T{5, 6}}}:rows(strew.tensor{0}).a",
     "int64[1] {5}"},
    {"strew.group_by(strew.table{{'a', T{5, 5}}, {'v', T{1.0, 3}}}, 'a'):agg{m = {'nanmean', 'v'}}",
     '{"mean", "v", skip_nan = true}',
     "strew.group_by(strew.table{{'a', T{5, 5}}, {'v', T{1.0, 0 / 0}}}, 'a'):agg{m = {'mean', 'v', skip_nan = true}}.m",
     "float32[1] {1.0}"},
    {"strew.group_by(strew.table{{'a', T{5, 5}}, {'v', T{1.0, 3}}}, 'a'):agg{m = {mean = 'v'}}", '{"mean", "v"}',
     "strew.group_by(strew.table{{'a', T{5, 5}}, {'v', T{1.0, 3}}}, 'a'):agg{m = {'mean', 'v'}}.m", "float32[1] {2.0}"},
    {"strew.group_by(T{5, 5}):cumsum('v')", "x.v is the column of a table x",
     "strew.group_by(strew.table{{'a', T{5, 5}}, {'v', T{1.0, 3}}}, 'a'):cumsum(T{1.0, 3})", "float32[2] {1.0, 4.0}"},
    {"T({16777217}, {dtype = 'int32'}):std()", 'self:to("float64")', "#T{16777217}", "1"},
    {"T({3, 4}, {dtype = 'uint32'}):mean()", 'self:to("float64")', 'T({3, 4}, {dtype = "uint32"}):to("float64"):mean()',
     "float64[] 3.5"},
    {"T{true, false}:mean()", 'self:to("float64")', 'T{true, false}:to("float64"):mean()', "float64[] 0.5"},
    {"strew.equal(T{16777217}, T{16777216.0})", 'self:to("float64")',
     'strew.equal(T{16777217}:to("float64"), T{16777216.0}:to("float64"))', "false", "exact"},
    {"T{{1, 2}, {3, 4}}:t():view(4)", "self:reshape(...)", "T{{1, 2}, {3, 4}}:t():reshape(4)",
     "int64[4] {1, 3, 2, 4}"},
    {"strew.arange(4):view(1, 2, 2):t()", "self:transpose(a, b)", "strew.arange(4):view(1, 2, 2):transpose(1, 2)",
     "int64[1, 2, 2] {{{0, 2}, {1, 3}}}"},
    {"strew.add(1, T(5)[0])", "self:item()", "T(5):item()", "5"},
    {"T{1, 2}:quantile(0.5)", 'self:to("float64")', 'T{1, 2}:to("float64"):quantile(0.5)', "float64[] 1.5"},
    {"strew.clone(T{3} // T{0})", "div gives floats", "T{3} / T{0}", "float32[1] {inf}"},
    {"T{2}:pow(-1)", 'self:to("float64")', 'T{2}:to("float64"):pow(-1)', "float64[1] {0.5}"},
    {"strew.where(T{3, 0}, 1, 2)", "x:ne(0)", "strew.where(T{3, 0}:ne(0), 1, 2)", "int64[2] {1, 2}"},
    {"T{5, 6}:where(T{true, false}, T{7, 8})", "strew.where(condition, t, b)",
     "strew.where(T{true, false}, T{5, 6}, T{7, 8})", "int64[2] {5, 8}"},
    {"T{1, 2}:masked_select(T{3, 0})", "x:ne(0)", "T{1, 2}:masked_select(T{3, 0}:ne(0))", "int64[1] {1}"},
    {"strew.group_by(T{{1, 2}, {1, 3}})", "a column of the matrix",
     "strew.group_by(T{{1, 2}, {1, 3}}:select(1, 0)).ids", "int64[2] {0, 0}"},
    {"T{7, 8}:index_select(0, T{{1}})", "index:flatten()", "T{7, 8}:index_select(0, T{{1}}:flatten())", "int64[1] {8}"},
    {"T{2.0}:bincount()", 'self:to("int64")', 'T{2.0}:to("int64"):bincount()', "int64[3] {0, 0, 1}"},
    {"T{{1}}:bincount()", "self:flatten()", "T{{1}}:flatten():bincount()", "int64[2] {0, 1}"},
    {"T{1 / 0, 2}:histc(2)", "min and max", "T{1 / 0, 2}:histc(2, 0, 4)", "float32[2] {0.0, 1.0}"},
    {"strew.grouping(T{{0, 1}})", "index:flatten()", "strew.grouping(T{{0, 1}}:flatten()).ids", "int64[2] {0, 1}"},
    {"T{1, 2}:get(2)", "positions count from 0", "T{1, 2}:get(2 - 1)", "2"},
    {"T{1, 1}:softmax(0)", 'self:to("float64")', 'T{1, 1}:to("float64"):softmax(0)', "float64[2] {0.5, 0.5}"},
    {"strew.group_by(T{1, 1}).counts:add_(1)", "self:clone()", "strew.group_by(T{1, 1}).counts:clone():add_(1)",
     "int64[1] {3}"},
    {"strew.scatter_add(T{1, 2}, T{0, 0})", "strew.scatter_sum(src, index)", "strew.scatter_sum(T{1, 2}, T{0, 0})",
     "int64[1] {3}"},
    {'strew.scatter_reduce(T{1, 2}, T{0, 0}, "sum")', "{reduce = \"sum\"}",
     'strew.scatter(T{1, 2}, T{0, 0}, {reduce = "sum"})', "int64[1] {3}"},
    {"(function(t) t[0] = T{1.5, 2} return t end)(T{{1, 2}})", 'value:to("int64")',
     '(function(t) t[0] = T{1.5, 2}:to("int64") return t end)(T{{3, 4}})', "int64[1, 2] {{1, 2}}"},
    {"T{1, 2}:sum_()", "'sum'", "T{1, 2}:sum()", "int64[] 3"},
    {"T{{1, 2}}.T:clone()", "t:t()", "T{{1, 2}}:t()", "int64[2, 1] {{1}, {2}}"},
    {"strew.exact_sums(1).sum(T{1})", "e:sum()", "strew.exact_sums(1):sum()", "float32[1] {0.0}"},
    {"strew.key_table(1).ids(T{1})", "kt:ids(...)", "strew.key_table(1):ids(T{1})", "int64[1] {0}"},
    {"strew.grouping(T{0, 0}).sum(T{1, 2})", "g:sum(...)", "strew.grouping(T{0, 0}):sum(T{1, 2})", "int64[1] {3}"},
    {'T{1}:to("abacus")', "strew.devices()", "strew.devices()[1].name", "cpu"},
    {"strew.clone(T{{1, 2}}[{0, 1}])", "t[i][j], or t:get(i, j)", "T{{1, 2}}[0][1] + T{{1, 2}}:get(0, 1)", "4"},
    {"for _ in ipairs(T{1, 2}) do end", "for i = 0, #t - 1", "#T{1, 2} - 1", "1"},
    {'strew.add(1, T{4} .. "a")', "t:item()", 'T{4}:item() .. "a"', "4a"},
    {"for _ in pairs(T{1}) do end", "pairs(t:tolist())", "select(2, next(T{1}:tolist()))", "1"},
    {"strew.hstack(T{1})", "{a, b}", "strew.hstack{T{1}, T{2}}", "int64[2] {1, 2}"},
    {"T{T{1}, T{2}}", "strew.stack", "strew.stack{T{1}, T{2}}", "int64[2, 1] {{1}, {2}}"},
    {'strew.cat({T{1}, dim = 0})', "strew.cat({...}, dim)", "strew.cat({T{1}}, 0)", "int64[1] {1}"},
    {'strew.value_counts({count = T{5, 5}}, "count")', "x.n = x.count",
     'strew.value_counts({n = T{5, 5}}, "n").count', "int64[1] {2}"},
    {'strew.join({a = T{1}}, {a = T{1}}, "a", {how = "full"})', "did you mean 'outer'?",
     'strew.join({a = T{1}}, {a = T{1}}, "a", {how = "left"}).a', "int64[1] {1}"},
    {'strew.join({a = T{1}, c = T{3}}, {a = T{1}, c = T{2}}, "a", {suffixes = {"", ""}})', "other suffixes",
     'strew.join({a = T{1}, c = T{3}}, {a = T{1}, c = T{2}}, "a", {suffixes = {"", "2"}}).c2', "int64[1] {2}"},
    {"T{{1, 2}}:outer(T{1, 2})", "self:flatten()", "T{{1, 2}}:flatten():outer(T{1, 2})",
     "int64[2, 2] {{1, 2}, {2, 4}}"},
    {"T{{1, 2}}:roll{1, 1}", "as many dimensions in 'dims'", "T{{1, 2}}:roll({1, 1}, {0, 1})", "int64[1, 2] {{2, 1}}"},
    {"strew.grouping(T{0, 0}):sum(T{1 << 62, 1 << 62})", 'dtype = "float64"',
     'strew.grouping(T{0, 0}):sum(T{1 << 62, 1 << 62}, {dtype = "float64"})', "float64[1] {9.2233720368548e+18}"},
    {"strew.grouping(T{0, 0}):cumsum(T{1 << 62, 1 << 62})", 'dtype = "float64"',
     'strew.grouping(T{0, 0}):cumsum(T{1 << 62, 1 << 62}, {dtype = "float64"})[1]', "9.2233720368548e+18"},
    {"strew.grouping(T{0, 0}):sum(T{99, 99}:to('int8'), {dtype = 'int8'})", "without 'dtype'",
     "strew.grouping(T{0, 0}):sum(T{99, 99}:to('int8'))", "int64[1] {198}"},
    {"T{1, 2}:diff{prepend = T{0.5}}", 'prepend:to("float64"), self:to("float64")',
     'T{1, 2}:to("float64"):diff{prepend = T{0.5}:to("float64")}', "float64[2] {0.5, 1.0}"},
    {"T{1, 2}:scatter_add(0, T{0}, T{0.5})", 'src:to("float64"), self:to("float64")',
     'T{1, 2}:to("float64"):scatter_add(0, T{0}, T{0.5}:to("float64"))', "float64[2] {1.5, 2.0}"},
    {"T{1, 2}:index_put({T{0}}, T{0.5}:to('float16'))", 'values:to("float64"), self:to("float64")',
     "T{1, 2}:to('float64'):index_put({T{0}}, T{0.5}:to('float64'))", "float64[2] {0.5, 2.0}"},
    {"strew.zeros(2, 2):diagonal_scatter(T{1, 2})", 'src:to("float32")',
     'strew.zeros(2, 2):diagonal_scatter(T{1, 2}:to("float32"))', "float32[2, 2] {{1.0, 0.0}, {0.0, 2.0}}"},
    {"T{3, 4}:norm()", 'self:to("float64")', 'T{3, 4}:to("float64"):norm()', "float64[] 5.0"},
    {"T{1, 2}:repeat_interleave(T{1.0, 2.0})", 'repeats:to("int64")',
     'T{1, 2}:repeat_interleave(T{1.0, 2.0}:to("int64"))', "int64[3] {1, 2, 2}"},
    {'strew["repeat"](T{{1, 2}}, 2)', "tile", "T{{1, 2}}:tile(2)", "int64[1, 4] {{1, 2, 1, 2}}"},
    {'strew.expr("x and x"){x = T{3}}', "x ~= 0 is a bool", 'strew.expr("x ~= 0 and true"){x = T{3}}',
     "bool[1] {true}"},
    {'strew.sum(strew.expr("x * 2"))', "f:with(inputs)", 'strew.sum(strew.expr("x * 2"):with{x = T{1, 2}})',
     "int64[] 6"},
    {'strew.expr("x").with{x = T{1}}', "f:with(inputs)", 'strew.expr("x"):with{x = T{1}}:sum()', "int64[] 1"},
    {'strew.expr("price * 2"){prise = T{1}}', "'prise' for 'price'", 'strew.expr("prise * 2"){prise = T{1}}',
     "int64[1] {2}"},
    {'strew.expr("x * 2")(T{1})', "f{x = t}", 'strew.expr("x * 2"){x = T{1}}', "int64[1] {2}"},
    {'strew.expr("x * 2"):with(T{1})', "f{x = t}", 'strew.expr("x * 2"){x = T{1}}', "int64[1] {2}"},
    {'strew.expr("x * 2"){T{1}}', "{x = ...}", 'strew.expr("x * 2"){x = T{1}}', "int64[1] {2}"},
    {'strew.expr("x * pi"){x = T{1}}', "{pi = math.pi}", 'strew.expr("x * pi // 1"){x = T{1}, pi = math.pi}',
     "float32[1] {3.0}"},
    {'T{1} + strew.expr("x * 2")', "f(inputs) makes a tensor", 'T{1} + strew.expr("x * 2"){x = T{1}}', "int64[1] {3}"},
    {'strew.expr("x + y"){x = T{1}, y = strew.expr("x * 2")}', "f:with(inputs) stands",
     'strew.expr("x + y"){x = T{1}, y = strew.expr("x * 2"):with{x = T{1}}}', "int64[1] {3}"},
    {'strew.expr("mean(x)"){x = T{1, 2}}', "float64(x)", 'strew.expr("mean(float64(x))"){x = T{1, 2}}',
     "float64[] 1.5"},
    {'strew.expr("x ^ k"){x = T{2}, k = -1}', "float64(x)", 'strew.expr("float64(x) ^ k"){x = T{2}, k = -1}',
     "float64[1] {0.5}"},
    {'strew.table{v = T{1 << 62, 1 << 62}}:assign{s = "sum(v)"}', "float64(v)",
     'strew.table{v = T{1 << 62, 1 << 62}}:assign{s = "sum(float64(v))"}.s / (1 << 62)', "float64[2] {2.0, 2.0}"},
    {'strew.expr("m[x]"){x = T{0.0}, m = T{5, 6}}', "int64(x)",
     'strew.expr("m[int64(x)]"){x = T{0.0}, m = T{5, 6}}', "int64[1] {5}"},
    {'strew.expr("isclose(x, y)"){x = T{1}, y = T{1.0}}', "float64(y), float64(x)",
     'strew.expr("isclose(float64(x), float64(y))"){x = T{1}, y = T{1.0}}', "bool[1] {true}"},
    {'strew.expr("where(x, 1, 2)"){x = T{0, 3}}', "x ~= 0 is a bool", 'strew.expr("where(x ~= 0, 1, 2)"){x = T{0, 3}}',
     "int64[2] {2, 1}"},
    {'strew.expr("x > 1 and 5 or 6"){x = T{0, 3}}', "where(c, a, b)", 'strew.expr("where(x > 1, 5, 6)"){x = T{0, 3}}',
     "int64[2] {6, 5}"},
    {'strew.expr("m[1] + x"){m = T{3, 4}, x = T{1}}', "f{x = m[0]}", 'strew.expr("y + x"){y = T{3, 4}[1], x = T{1}}',
     "int64[1] {5}"},
    {'strew.expr("float(x)")', "float32(x)", 'strew.expr("float32(x)"){x = T{1}}', "float32[1] {1.0}"},
    {'strew.expr("len(x)")', "pass the length", 'strew.expr("x / n"){x = T{1, 3}, n = 2}', "float32[2] {0.5, 1.5}"},
    {'strew.expr("fillna(x, 0)")', "where(isnan(x), 0, x)", 'strew.expr("where(isnan(x), 0, x)"){x = T{0 / 0, 1}}',
     "float32[2] {0.0, 1.0}"},
    {'strew.expr("arcsin(x)")', "write asin", 'strew.expr("asin(x)"){x = T{0.0}}', "float32[1] {0.0}"},
    {'strew.expr("x").dtype', "f:with(inputs)", 'strew.expr("x"):with{x = T{1}}.dtype', "int64"},
    {'strew.expr("x"):with{x = T{1}}.device', "e:clone().device", '#strew.expr("x"):with{x = T{1}}:clone().device > 2',
     "true"},
    {'strew.expr("x"):with{x = T{1}}:add_(1)', "e:clone()", 'strew.expr("x"):with{x = T{1}}:clone():add_(1)',
     "int64[1] {2}"},
    {'strew.expr("x"):with{x = T{1}}(1)', "f(inputs) takes others", 'strew.expr("x"){x = T{2}}', "int64[1] {2}"},
    {'strew.expr("x"):with{x = T{7, 8}}[T{1}]', "e:clone()", 'strew.expr("x"):with{x = T{7, 8}}:clone()[T{1}]:clone()',
     "int64[1] {8}"},
    {'strew.rows({x = T{1, 4}}, strew.expr("x > 2"))', "f:with(x)",
     '(function(x) return strew.rows(x, strew.expr("x > 2"):with(x)).x end){x = T{1, 4}}', "int64[1] {4}"},
    {'strew.group_by({k = T{0, 0}, x = T{1, 4}}, "k"):agg{a = "x * 2"}', '{"sum", "x * 2"}',
     'strew.group_by({k = T{0, 0}, x = T{1, 4}}, "k"):agg{a = {"sum", "x * 2"}}.a', "int64[1] {10}"},
    {'T{1, 2}:sum(strew.reduction{init = 0, combine = "acc + x"})', "t:reduce",
     'T{1, 2}:reduce(strew.reduction{init = 0, combine = "acc + x"})', "int64[] 3"},
    {"T{-1}:to('uint64'):item()", 'self:to("int64") has its bits', "T{-1}:to('uint64'):to('int64')", "int64[1] {-1}"},
    {'T{2}:to("uint64"):reduce(strew.reduction{init = 0, combine = "where(x > acc, 1, acc)", dtype = "int64"})',
     "int64(x)",
     'T{2}:to("uint64"):reduce(strew.reduction{init = 0, combine = "where(int64(x) > acc, 1, acc)", dtype = "int64"})',
     "int64[] 1"},
    {'strew.reduction{init = {n = 0, m = 0}, combine = {n = "n + 1"}, finish = "n"}', 'combine = {m = "m + x"}',
     'T{4}:reduce(strew.reduction{init = {n = 0, m = 0}, combine = {n = "n + 1", m = "m + x"}, finish = "m"})',
     "int64[] 4"},
    {'strew.expr("x * 2"):sum()', "f:with(inputs)", 'strew.expr("x * 2"):with{x = T{1, 2}}:sum()', "int64[] 6"},
    {'strew.expr("x * 2"):with{x = T{1, 2}}[1]', "e:clone()", 'strew.expr("x * 2"):with{x = T{1, 2}}:clone()[1]', "4"},
    {'strew.expr("x * 2"):with{x = T{1}} < 3', "t:lt(3)", 'strew.expr("x * 2"):with{x = T{1}}:lt(3)', "bool[1] {true}"},
    {'strew.expr("x * 2"){x = T{1}, out = T{0}}', "f(inputs, {out = ...})",
     'strew.expr("x * 2")({x = T{1}}, {out = T{0}})', "int64[1] {2}"},
    {'strew.expr("x"){x = T{1}, device = "cpu"}', "f(inputs, {device = ...})",
     'strew.expr("x")({x = T{1}}, {device = "cpu"})', "int64[1] {1}"},
    {'strew.expr("clamp(x, nil, 2)"){x = T{1, 3}}', "minimum(x, 2)", 'strew.expr("minimum(x, 2)"){x = T{1, 3}}',
     "int64[2] {1, 2}"},
    {'strew.expr(("x+"):rep(40000) .. "x")', "evaluate a part of it first", 'strew.expr("x + x"){x = T{1}}',
     "int64[1] {2}"},
    {'strew.rows({["a b"] = T{1, 4}}, "a b > 3")', '{a_b = "a b"}',
     'strew.rows(strew.assign({["a b"] = T{1, 4}}, {a_b = "a b"}), "a_b > 3").a_b', "int64[1] {4}"},
    {'strew.assign({["end"] = T{1, 4}}, {n = "end * 2"})', '{end_ = "end"}',
     'strew.assign({["end"] = T{1, 4}}, {end_ = "end", n = "end_ * 2"}).n', "int64[2] {2, 8}"},
    {'strew.sort_by({["2nd-half"] = T{1, 4}, n = T{1, 2}}, "2nd-half * n")', '{_2nd_half = "2nd-half"}',
     'strew.sort_by(strew.assign({["2nd-half"] = T{1, 4}, n = T{1, 2}}, {_2nd_half = "2nd-half"}), "-_2nd_half").n',
     "int64[2] {2, 1}"},
    {'strew.sort_by({a = T{2, 1}, b = T{1, 2}}, "a, b")', '{"a", "b"}',
     'strew.sort_by({a = T{2, 1}, b = T{1, 2}}, {"a", "b"}).a', "int64[2] {1, 2}"},
    {'strew.sort_by({a = T{1, 2}}, "a desc")', 'strew.sort_by(x, "a", true)',
     'strew.sort_by({a = T{1, 2}}, "a", true).a', "int64[2] {2, 1}"},
    {'strew.rows({a = T{1, 2}}, "a - 1")', "a comparison", 'strew.rows({a = T{1, 2}}, "a - 1 > 0").a', "int64[1] {2}"},
    {'T{-1}:to("uint64"):item()', 'self:to("float64")', 'T{-1}:to("uint64"):to("float64"):view(1)',
     "float64[1] {1.844674407371e+19}"},
    {'strew.group_by(T{0, 0}):sum(T{-1, 1}:to("uint64"))', '{dtype = "float64"}',
     'strew.group_by(T{0, 0}):sum(T{-1, 1}:to("uint64"), {dtype = "float64"})', "float64[1] {1.844674407371e+19}"},
    {'T{1, 0}:to("uint64"):reduce(strew.reduction{init = 0, combine = "acc + int64(x == i)"})',
     "int64(x), if its values fit",
     'T{1, 0}:to("uint64"):reduce(strew.reduction{init = 0, combine = "acc + int64(int64(x) == i)"})', "int64[] 0"},
    {'strew.reduction{init = 0, combine = "acc + x", finish = "ac * 2"}', "'acc' is one",
     'T{1, 2}:reduce(strew.reduction{init = 0, combine = "acc + x", finish = "acc * 2"})', "int64[] 6"},
    {'strew.reduction{init = 0, combine = "acc + x", finish = "accc * 2"}', "did you mean 'acc'?",
     'T{1, 2}:reduce(strew.reduction{init = 0, combine = "acc + x", finish = "acc * 2"})', "int64[] 6"},
    {'T{1, 2}:reduce(strew.reduction{init = 0, combine = "ac + x"})', "the accumulators are acc",
     'T{1, 2}:reduce(strew.reduction{init = 0, combine = "acc + x"})', "int64[] 3"},
    {'T{1}:reduce(strew.reduction{init = {n = 0, mean = 0}, combine = {n = "n + 1", mean = "maen + x"}, finish = "n"})',
     "'mean'", 'T{1, 2}:reduce(strew.reduction{init = 0, combine = "acc + x"})', "int64[] 3"},
    {'strew.segment_coo(T{1, 2}, T{0, 0}, {reduce = strew.reduction{init = 0, combine = "acc + x"}})', "scatter,",
     'strew.scatter(T{1, 2}, T{0, 0}, {reduce = strew.reduction{init = 0, combine = "acc + x"}})', "int64[1] {3}"},
    {'strew.zeros(1):index_reduce_(0, T{0}, T{1.0}, strew.reduction{init = 0, combine = "acc + x"})', "scatter_reduce_",
     'strew.zeros(1):scatter_reduce_(0, T{0}, T{1.0}, strew.reduction{init = 0, combine = "acc + x"})',
     "float32[1] {1.0}"},
    {'strew.assign({prise = T{1}}, {n = "price * 2"})', "'prise' for 'price'",
     'strew.assign({prise = T{1}}, {n = "prise * 2"}).n', "int64[1] {2}"},
    {"strew.rows({a = T{1, 2}}, {1})", "strew.tensor(which)", "strew.rows({a = T{1, 2}}, strew.tensor{1}).a",
     "int64[1] {2}"},
    {"T{true}:median()", 'self:to("uint8")', 'T{true}:to("uint8"):median()', "uint8[] 1"},
    {"strew.group_by(T{0, 1}):agg{}", 'g:agg{total = {"sum", src}}',
     'strew.group_by(T{0, 1}):agg{total = {"sum", T{3, 4}}}.total', "int64[2] {3, 4}"},
    {'strew.group_by(T{0, 1}):agg{"sum"}', 'g:agg{{"total", "sum", src}}',
     'strew.group_by(T{0, 1}):agg{{"total", "sum", T{3, 4}}}.total', "int64[2] {3, 4}"},
    {'strew.group_by(T{0, 1}):agg{n = "cuont"}', "'count'", 'strew.group_by(T{0, 1}):agg{n = "count"}.n',
     "int64[2] {1, 1}"},
    {"strew.rows({a = T{5, 6}}, T{{1}})", "which:flatten()", "strew.rows({a = T{5, 6}}, T{{1}}:flatten()).a",
     "int64[1] {6}"},
    {"strew.rows({a = T{5, 6}}, T{1.0, 0})", "which:ne(0)", "strew.rows({a = T{5, 6}}, T{1.0, 0}:ne(0)).a",
     "int64[1] {5}"},
    {'strew.sort_by({size = T{2, 1}}, "sise")', "'size'", 'strew.sort_by({size = T{2, 1}}, "size").size',
     "int64[2] {1, 2}"},
    {'strew.load("x.foo")', '{format = "csv"}', 'pcall(strew.load, "x.foo", {format = "csv"})', "false"},
    {'strew.help "cumcount"', "g:rank(strew.arange(g.length))",
     "(function(g) return g:rank(strew.arange(g.length)) end)(strew.group_by(T{7, 7, 8}))", "int64[3] {0, 1, 0}"},
    {'strew.help "pl.n_unique"', "#v:unique()", "(function(v) return #v:unique() end)(T{7, 7, 8})", "2"},
    {'strew.help "qqqqq"', "strew.help{search =", 'select("#", strew.help{search = "median"})', "0"},
    {"strew.grad(function(x) return x end)(T{1.0, 2})", "t:sum()",
     "strew.grad(function(x) return x:sum() end)(T{1.0, 2})",
     "float32[2] {1.0, 1.0}"},
    {"strew.grad(function(x) return x:sum() end)(T{1})", 't:to("float64")',
     'strew.grad(function(x) return x:sum() end)(T{1}:to("float64"))', "float64[1] {1.0}"},
  }
  -- Large ids among which some are missing: A without an id, B with one, of int64 or uint64.
  local id = "9007199254740993"
  local names = {A = "{k = T{1, 3}}", B = "{k = T{1, 2}, id = T{" .. id .. ", 2}}",
    U = "{k = T{1, 2}, id = strew.full(2, " .. id .. ", {dtype = 'uint64'})}"}
  for _, row in ipairs{
    {"strew.join(A, B, 'k', {how = 'left'%s}).id", ", fill = 0", "int64[2] {ID, 0}"},
    {"strew.join(A, B, 'k', {how = 'outer'%s}).id", ", fill = 0", "int64[3] {ID, 0, 2}"},
    {"strew.join(B, A, 'k', {how = 'right'%s}).id", ", fill = 0", "int64[2] {ID, 0}"},
    {"strew.join(A, U, 'k', {how = 'left'%s}).id", ", fill = 0", "uint64[2] {ID, 0}"},
    {"strew.asof(A, B, 'k', {tolerance = 0%s}).id", ", fill = 0", "int64[2] {ID, 0}"},
    {"strew.concat({A, B}, {%s}).id", "fill = 0", "int64[4] {0, 0, ID, 2}", "fill = true"},
    {"strew.pivot(B, 'k', 'id', 'id', 'sum'%s)[ID]", ", {fill = 0}", "int64[2] {ID, 0}"},
  } do
    local function code(option)
      return (string.format(row[1], option):gsub("%f[%a][ABU]%f[%A]", names):gsub("%[ID%]", "['" .. id .. "']"))
    end
    local dtype = row[3]:match "^%a+%d+"
    table.insert(rows, {code(row[4] or ""), "{fill = 0} instead of NaN keeps " .. dtype, code(row[2]),
      (row[3]:gsub("ID", id))})
  end
  for _, row in ipairs(rows) do
    it(row[1], function()
      local function environment() return {T = strew.tensor, strew = strew, print = function() end} end
      local env = setmetatable(environment(), {__index = _G})
      local _, hint = provoke(row[1]:find "^for" and row[1] or "local _ = " .. row[1], env)
      local in_floats = support.lacks_float64 and row[2]:find 'dtype = "float64"'
      if support.lacks_float64 and row[3]:find 'dtype = "float64"' then
        return pending "needs float64, which the device lacks"
      end
      local function here(text) return support.lacks_float64 and text:gsub("float64", "float32") or text end
      local wanted = in_floats and 'src:to("float32") computes in floats' or here(row[2])
      -- what is float32 is not converted to it
      if not (support.lacks_float64 and wanted:find(hint, 1, true)) then assert.matches(wanted, hint, 1, true) end
      if row[5] == "exact" and support.lacks_float64 then return pending "needs the digits of float64" end
      local results = table.pack(assert(load("return " .. here(row[3]), "=better", "t", env))())
      assert.equal(here(row[4]), support.on_cpu(support.text(results[1])))
    end)
  end
end)

it("calls that strings have with another meaning are answered by code for text", function()
  for _, row in ipairs{
    {"a .. b", {"Oslops", "Romeq", ""}}, {"a + b", {"Oslops", "Romeq", ""}},
    {"a:add(b)", {"Oslops", "Romeq", ""}},
    {"a .. '!'", {"Oslox", "Romex", "Oslox"}}, {"1 .. a", {"Oslox", "Romex", "Oslox"}},
    {"a + '!'", {"Oslox", "Romex", "Oslox"}}, {"strew.add(a, '!')", {"Oslox", "Romex", "Oslox"}},
    {"a:sub('s')", {"Os", "Ro", "Os"}}, {"a - 1", {"Os", "Ro", "Os"}},
    {"a:split{}", {"Oslo", "Rome", "Oslo"}}, {"a:gsub('o', 'a')", {"Oslo", "Rome", "Oslo"}},
    {"a:rep(2)", {"OsloOslo", "RomeRome", "OsloOslo"}}, {"a:rsplit(',')", {"Oslo", "Rome", "Oslo"}},
  } do
    local env = {a = strew.text{"Oslo", "Rome", "Oslo"}, b = strew.text{"ps", "q", ""}}
    local _, hint = provoke("return " .. row[1], env)
    env.t = env.a
    local made = assert(load("return " .. hint:match "^of a? ?texts?[^:]*: (.*)$", "=hint", "t", env))()
    assert.same(row[2], made:tolist(), row[1])
  end
  for _, code in ipairs{"t .. 'x'", "t:sub(1, 2)", "t + 'x'", "a * 2", "-a", "a % a"} do -- of numbers; of no string
    local _, hint = provoke("return " .. code, {t = strew.ones(2), a = strew.text{"Oslo"}})
    assert.falsy((hint or ""):find("of a? ?text"), code)
  end
end)

it("the path of a file comes first", function()
  local path = os.tmpname() .. ".npy"
  local _, hint = provoke("strew.save(w, path)", {w = strew.ones(2), path = path})
  assert.equal(('the path comes first: strew.save("%s", x)'):format(path), hint)
  assert(load(hint:match ": (.*)$", "=hint", "t", {strew = strew, x = strew.ones(2)}))()
  assert.equal("float32[2] {1.0, 1.0}", support.text(strew.load(path)))
  os.remove(path)
end)

describe("on devices", function()
  -- A device that is not the default one.
  local function find_other()
    if default ~= "cpu" then return "cpu" end
    for _, one in ipairs(strew.devices()) do
      if one.name ~= "cpu" and not one.error then return one.name end
    end
  end
  local other = find_other()

  it("that differ, each operand is named with its own", function()
    if not other then return pending "there is no device but the CPU" end
    local environment = operands()
    environment.src = environment.src:to(other)
    local message, hint = provoke("t:scatter_add_(0, index, src)", environment)
    assert.equal(("scatter_add_: 'src' is on %s, all operands must be on one device\n"):format(other)
      .. ("  self   float32[3, 2] %s\n  index  int64[3, 2] %s\n"):format(default, default)
      .. ("  src    float32[3, 2] %s\n  hint   src:to(\"%s\")"):format(other, default), message)
    assert.equal(('src:to("%s")'):format(default), hint)
    environment.src = assert(load("return " .. hint, "=hint", "t", environment))()
    environment.t:scatter_add_(0, environment.index, environment.src)
  end)

  it("that differ in a list, too", function()
    if not other then return pending "there is no device but the CPU" end
    local a, b = strew.ones(2), strew.ones(2):to(other)
    for _, name in ipairs{"cat", "stack"} do
      local message, hint = provoke("strew." .. name .. "(tensors)", {tensors = {a, a, b}})
      assert.equal(("%s: 'tensors' is on %s at [3], on %s at [1]: "):format(name, other, default)
        .. ('all must be on one device\n  hint  tensors[3]:to("%s")'):format(default), message)
      assert.equal(default, assert(load("return " .. hint, "=hint", "t", {tensors = {a, a, b}}))().device)
    end
  end)

  it("that differ, src of a grouping is named, weights of a choice, and in a text no function", function()
    if not other then return pending "there is no device but the CPU" end
    local env = {g = strew.group_by(strew.tensor{1, 1, 2}), src = strew.tensor({1.0, 2, 3}, {device = other}),
      n = strew.tensor({1, 2, 3}, {device = other}), sums = strew.zeros(2), counts = strew.tensor{0, 0},
      t = strew.tensor{1, 2, 3}, a = strew.tensor{"x"}, b = strew.tensor({"x"}, {device = other}), strew = strew}
    local to = ('to("%s")'):format(default)
    for _, call in ipairs{"sum(src)", "mean(src)", "max(src)", "median(src)", "var(src)", "first(src)", "softmax(src)",
      "quantile(src, 0.5)", "rank(src)", "count(src)", "sum(src, {out = sums})"} do
      local message, hint = provoke("g:" .. call, env)
      assert.matches(("'src' is on %s, the grouping on %s\n"):format(other, default), message, 1, true)
      assert.equal("src:" .. to, hint)
    end
    for _, call in ipairs{"g:sum(n)", "g:prod(n)", "g:mean(n)", "g:sum(n, {out = counts})", "g:std(n:to 'float32')"} do
      local message, hint = provoke(call, env)
      assert.matches(("'src' is on %s, the grouping on %s\n"):format(other, default), message, 1, true)
      assert.equal("src:" .. to, hint)
    end
    local message, hint = provoke("g:agg{a = {'sum', n}, b = {'median', src}}", env)
    assert.matches(("agg: '%%l' is on %s, the grouping on %s\n"):format(other:gsub("%p", "%%%0"), default), message)
    assert.matches("^%l:to", hint)
    message, hint = provoke("strew.choice(t, {2}, {p = src})", env)
    assert.matches(("choice: 'p' is on %s, all operands must be on one device\n"):format(other), message, 1, true)
    assert.equal("p:" .. to, hint)
    assert.equal("b:" .. to, select(2, provoke('strew.expr("a == b"){a = a, b = b}', env)))
  end)

  it("without float64, hints name float32", function()
    if not support.lacks_float64 then return pending "the device has float64" end
    local env = {g = strew.group_by(strew.tensor{1, 1, 2}), n = strew.tensor{1, 2, 3}, strew = strew,
      huge = strew.tensor{math.maxinteger, 1, 3}, u = strew.tensor({1, 2, 3}, {dtype = "uint64"}),
      at = strew.tensor{0}, one = strew.tensor{5},
      x = strew.table{{"k", {1, 1, 2}}, {"c", {1, 2, 2}}, {"v", {1, 2, 3}}}}
    local mean, converted = "'%s' is int64, whose mean is float64, which device %s does not have\n",
      'strew.assign(x, {v = "float32(v)"}) converts a column v of x'
    for _, row in ipairs{
      {"g:mean(n)", mean:format("src", default), 'src:to("float32")'},
      {"g:mean(n, {dtype = 'float64'})", mean:format("src", default), 'src:to("float32")'},
      {"g:mean(n:reshape(1, 3))", mean:format("src", default), 'src:to("float32")'},
      {"g:agg{{'s', 'sum', n}, {'m', 'mean', n}}", "agg: " .. mean:format("m", default), converted},
      {"x:group_by('k'):agg{m = {'mean', 'v'}}", "agg: " .. mean:format("m", default), converted},
      {"x:pivot('k', 'c', 'v', 'mean')", "pivot: " .. mean:format("value", default), converted},
      {"strew.rolling(one, 2, 'mean')", "rolling: " .. mean:format("v", default), 'v:to("float32")'},
      {"strew.scatter_mean(n, at:expand(3), {dtype = 'float64'})", "'dtype' is float64, which", 'src:to("float32")'},
      {"g:sum(huge)", "has a sum in group 0 (1) that int64", 'src:to("float32") computes in floats'},
      {"g:cumsum(huge)", "has a sum in group 0 (1) at", 'src:to("float32") computes in floats'},
      {"g:agg{a = {'sum', huge}}", "'a' has a sum in group 0 (1) that int64", converted},
      {"strew.scatter(u, 0, at, one)", "'src' is int64, self is uint64", 'src:to("float32"), self:to("float32")'},
      {"u:add_(n)", "'self' is uint64, which", 'self:to("float32") holds it'},
    } do
      local message, hint = provoke(row[1], env)
      assert.matches(row[2], message, 1, true)
      assert.equal(row[3], hint)
    end
    assert.equal("float32[2] {1.5, 3.0}", support.on_cpu(support.text(env.g:mean(env.n:to("float32")))))
    assert.matches('rounds toward minus infinity; src:to("float32") gives', support.output(
      [[local s = require "strew" warn("@on") s.scatter_mean(s.tensor{1, 2}, s.tensor{0, 0})]]), 1, true)
  end)

  it("without float64, the error names the missing extension and another dtype", function()
    if not (default:match "opencl" or other) then return pending "there is no device but the CPU" end
    local device = default:match "opencl" and default or other
    local chunk = [[print(select(2, pcall(require "strew".zeros, 1, {dtype = "float64", device = "%s"})))]]
    local output = support.output(chunk:format(device), "STREW_OPENCL_ASSUME=nofloat64")
    assert.matches("zeros: 'dtype' is float64, which device " .. device
      .. " does not have: it lacks the extension cl_khr_fp64\n  hint  float32, or device = \"cpu\"\n", output, 1, true)
  end)

  it("where single reads take long, the thousandth one warns", function()
    if not (default:match "opencl" or other) then return pending "there is no device but the CPU" end
    local device = default:match "opencl" and default or other
    local chunk = [[local t = require "strew".zeros(999, {device = "%s"}) warn("@on")
      for i = 0, #t - 1 do local x = t[i] end for _ = 1, 3 do print(t:get(1), t:sum():item()) end]]
    assert.equal("Lua warning: get: 1000 elements were read one by one from " .. device
      .. ", which takes long; t:tolist() reads all at once\n" .. ("0.0\t0.0\n"):rep(3),
      support.output(chunk:format(device)))
    assert.equal(("0.0\t0.0\n"):rep(3), support.output(chunk:format("cpu")))
  end)

  it("memory: the size that failed, the bytes in use, and the limit", function()
    if string.packsize "T" < 8 then return end -- 32 bits cannot address this
    local message = support.message(strew.empty, 2 ^ 25, 2 ^ 25)
    local hint = strew.last_error().hint
    assert.matches(strew.zeros(1).device == "cpu" and "out of memory: 4194304 GiB" or "4194304 GiB", message)
    hint = hint:gsub("the device has", "the machine has")
    assert.matches("[%d.]+ %a+ in use by tensors, the machine has %d+", hint)
    assert.equal("memory", strew.last_error().code)
  end)

  it("a failure leaves the device usable", function()
    for _ = 1, 3 do
      pcall(strew.scatter_add_, strew.zeros(3), 0, strew.tensor{7}, strew.ones(1))
      assert.equal("float32[3] {0.0, 1.0, 0.0}",
        support.text(strew.scatter_add(strew.zeros(3), 0, strew.tensor{1}, strew.ones(1))))
    end
  end)

  it("that are missing: the hint says where the loader looks for drivers", function()
    local chunk = [[print(select(2, pcall(require "strew".zeros, 1, {device = "opencl"})))]]
    local nowhere = "OCL_ICD_VENDORS=/nowhere OCL_ICD_FILENAMES="
    local output = support.output(chunk, nowhere)
    if output:match "built without" then return pending "strew was built without OpenCL" end
    assert.matches("\n  hint  the loader looks for drivers where $OCL_ICD_VENDORS says; on Debian: apt install "
      .. "ocl-icd-libopencl1 pocl-opencl-icd (the processor), or the package of the GPU's vendor\n", output, 1, true)
    for _, word in ipairs{"gpu", "cuda:0", "opencl:0.0", "OpenCL"} do
      local same = support.output(chunk:gsub('"opencl"', '"' .. word .. '"'), nowhere)
      assert.matches("the loader looks for drivers", same, 1, true)
    end
  end)

  it("misspelt ones are answered with the nearest", function()
    local function check(expected, words)
      for _, word in ipairs(words) do
        pcall(strew.zeros, 1, {device = word})
        assert.equal(("did you mean '%s'?"):format(expected), strew.last_error().hint, word)
      end
    end
    check("cpu", {"cup", "CPU", "cpuu"})
    check("opencl", {"opecnl", "Openc"})
    if default == "cpu" and not other then return end -- then the hint names the package for devices
    check("opencl", {"opencll", "OpenCL", "gpu", "cuda", "cuda:0", "hip"})
  end)
end)

describe("an error", function()
  it("is a plain string under pcall, and its detail a table", function()
    local ok, message = pcall(function() strew.zeros(3):scatter_add_(0, strew.tensor{1, 7}, strew.ones(2)) end)
    assert.is_false(ok)
    assert.equal("string", type(message))
    local detail = strew.last_error()
    assert.same({op = "scatter_add_", arg = "index", code = "index", value = 7, pos = {1}, message = detail.message},
      detail)
  end)

  it("inside coroutines names the line there", function()
    local co = coroutine.create(function() strew.zeros(3):get(9) end)
    local ok, message = coroutine.resume(co)
    local line = debug.getinfo(1, "l").currentline - 2
    assert.is_false(ok)
    assert.matches(("^[^\n]*hint_spec.lua:%d: get: 'position' 9"):format(line), message)
    ok, message = pcall(coroutine.wrap(function() strew.zeros(3):get(9) end))
    assert.is_false(ok)
    assert.matches("hint_spec.lua:%d+: get: 'position' 9", message)
  end)

  it("names the script's line, whatever calls are between", function()
    local rows = {
      "local t = strew.zeros(3) return t:get(9)", "return strew.zeros(3)[9]", "return strew.zeros(3) + {}",
      "for _ in ipairs(strew.zeros(3)) do end", "return (strew.zeros(3).nothing)", "strew.zeros(3)[9] = 1",
      "return strew.nothing", "return -strew.tensor(true)", "local a <const> = strew.zeros(3); a:item()",
    }
    for _, code in ipairs(rows) do
      local _, message = pcall(assert(load("\n" .. code, "=script", "t", {strew = strew, ipairs = ipairs})))
      assert.matches("^script:2: ", message, 1, false)
    end
  end)

  it("in stock Lua has one line above the script's own in its traceback: the call", function()
    local output = support.output([[local strew = require "strew" local function f(t) t:get(9) end f(strew.zeros(3))]])
    assert.matches("stack traceback:\n\t%[C%]: in [^\n]*get'\n\t%(command line%):1: in [^\n]*'f'", output)
  end)
end)

-- Every call of tensors, on operands of each kind: a hint that reads as code, NAME:to("int64"), is evaluated with the
-- operand in that variable. With the results in the operands' places the call succeeds or fails for another reason.
describe("a hint that reads as code can be followed", function()
  local T <const>, any = strew.tensor, {}
  local kinds = {
    T{1.0, 2, 3}, T{0.5, 1.5, 0.25}, T{2, 0, 1}, T{-1, 0, 1}, T{0, 1, 7}, T{true, false, true},
    strew.text{"2", "0", "1"}, strew.time{"2024-01-02", "2024-01-01", ""}, T({1, 2, 0}, {dtype = "uint64"}),
    T({1, 2, 0}, {dtype = "int8"}),
    T({1.5, 2, 0.5}, {dtype = "float16"}), T{{1, 2}, {3, 4}}, T{{1.0, 2}, {3, 4}}, T(2.0), strew.zeros(0),
    T{{1.0}}:expand(3, 3),
  }

  -- Returns {name, its parameters with their types...} of each call whose first argument is a tensor.
  local function calls()
    local list = {}
    for _, entry in ipairs(debug.getregistry()["strew.help"]().entries) do
      local row = {entry.name}
      for _, parameter in ipairs(entry.params) do table.insert(row, {parameter.name, parameter.type}) end
      if row[2] and row[2][2]:find "^strew%.Tensor" then table.insert(list, row) end
    end
    return list
  end

  -- Returns the operands by name, and whether a tensor is among them besides the first; nil: such a call is no trial.
  local function operands_of(row, a, b)
    local given, has_other = {strew = strew}, false
    for k = 2, #row do
      local name, class = row[k][1], row[k][2]
      if class:find "^strew%.Tensor" then
        given[name], has_other = (k == 2 and a or b):clone(), has_other or k > 2
        if k == 2 and a:dim() == 2 and a:stride() == 0 then given[name] = T{{1.0}}:expand(3, 3) end
      elseif class:find "^integer" then
        given[name] = 0
      elseif class:find "^number" or class:find "^any" then
        given[name] = 1
      elseif class:find "^strew%.dtype" then
        given[name] = "float32"
      else
        break
      end
    end
    return given, has_other
  end

  -- Returns {name, code} of each conversion that a hint begins with.
  local function steps_of(hint)
    local steps, at = {}, 1
    while true do
      local first, last, name = hint:find("^([%a_][%w_]*)", at)
      local begin = last
      while last and hint:find("^:[%a_][%w_]*%b()", last + 1) do
        last = select(2, hint:find("^:[%a_][%w_]*%b()", last + 1))
      end
      if not first or last == begin then return steps end
      table.insert(steps, {name, hint:sub(first, last)})
      if hint:sub(last + 1, last + 2) ~= ", " then return steps end
      at = last + 3
    end
  end

  local is_value = {value = true, index = true, shape = true} -- of these elements the hint's own call has an error

  -- Follows the hint of a call that has failed. Returns what is wrong, or nil.
  local function wrong(call, given, steps, message)
    local is_converted = true
    for _, step in ipairs(steps) do
      local code = load("return " .. step[2], "=hint", "t", given)
      if not code then return "is no code: " .. step[2] end
      local ok, result = pcall(code)
      if not ok then return not is_value[strew.last_error().code] and tostring(result) or nil end
      if step[2]:find ":to%(" or step[2]:find ":clone%(" then given[step[1]] = result else is_converted = false end
    end
    local ok, again = pcall(call)
    if ok or not is_converted then return end
    local same = strew.last_error().message:match "^[^\n]*" == message:match "^[^\n]*"
    return (same or strew.last_error().hint == any.hint) and "again: " .. again or nil
  end

  it("on operands of every kind", function()
    if default ~= "cpu" then return pending "takes a kernel for each call" end
    local followed, count = {}, 0
    for _, row in ipairs(calls()) do
      for _, a in ipairs(kinds) do
        for k, b in ipairs(kinds) do
          local given, has_other = operands_of(row, a, b)
          local function call()
            local list = {}
            for at = 2, #row do list[at - 1] = given[row[at][1]] end
            return strew[row[1]](table.unpack(list, 1, #row - 1))
          end
          local is_trial = row[1] ~= "free" and row[1] ~= "show" and row[1] ~= "lerp" and (has_other or k == 1)
          if is_trial and not pcall(call) then
            local message, hint = strew.last_error().message, strew.last_error().hint
            local steps = hint and steps_of(hint) or {}
            if steps[1] and given[steps[1][1]] ~= nil then
              any.hint = hint
              local why = wrong(call, given, steps, message)
              if why then error(message .. "\nfollowed:\n" .. why, 0) end
              count = count + (followed[hint] and 0 or 1)
              followed[hint] = true
            end
          end
        end
      end
    end
    print("hints followed in scripts: " .. count)
    assert.is_true(count > 50, tostring(count))
  end)

  -- Returns the text with what a hint begins with, float64(a) or a ~= 0, in place of the operand; nil: it has no such.
  local function converted(text, hint)
    local at, found = 1, nil
    while true do
      local code, name, rest = hint:match("^(%w+%((%l)%))()", at)
      if not code then code, name, rest = hint:match("^((%l) ~= 0)() is a bool", at) end
      if not code then code, name, rest = hint:match("counted from 1%? ((%l) %- 1)() counts", at) end
      if not code then return found end
      found = (found or text):gsub("%f[%w_]" .. name .. "%f[^%w_]", "\1" .. code:gsub(name, "\2") .. "\1")
        :gsub("\1", code:find "~=" and "%0" or ""):gsub("\2", name):gsub("\1(.-)\1", "(%1)")
      if hint:sub(rest, rest + 1) ~= ", " then return found end
      at = rest + 2
    end
  end

  it("in texts of expressions, on operands of every kind", function()
    if default ~= "cpu" then return pending "takes a kernel for each expression" end
    local texts, followed, count = {"where(a, b, b)", "m[a]", "a and b", "not a", "2 * a[b]"}, {}, 0
    for op in ("+ - * / // % ^ & | ~ == <"):gmatch "%S+" do table.insert(texts, "a " .. op .. " b") end
    for _, row in ipairs(calls()) do
      for _, arguments in ipairs{"(a)", "(a, b)", "(a, b, b)"} do
        if pcall(strew.expr, row[1] .. arguments) then table.insert(texts, row[1] .. arguments) end
      end
    end
    for _, text in ipairs(texts) do
      for _, a in ipairs(kinds) do
        for _, b in ipairs(kinds) do
          local function evaluate(code)
            local inputs = {a = code:find "%f[%w]a%f[%W]" and a, b = code:find "%f[%w]b%f[%W]" and b}
            return pcall(strew.expr(code), {a = inputs.a or nil, b = inputs.b or nil,
              m = code:find "%f[%w]m%f[%W]" and T{4, 5, 6, 7, 8, 9, 10, 11} or nil})
          end
          if not evaluate(text) then
            local error_is = strew.last_error()
            local better = error_is.hint and converted(text, error_is.hint)
            if better then
              local ok, message = evaluate(better)
              local same = not ok and strew.last_error().message:match "^[^\n]*" == error_is.message:match "^[^\n]*"
              if same then error(error_is.message .. "\nfollowed: " .. better .. "\n" .. tostring(message), 0) end
              count = count + (followed[text .. better] and 0 or 1)
              followed[text .. better] = true
            end
          end
        end
      end
    end
    print("hints followed in texts of expressions: " .. count)
    assert.is_true(count > 50, tostring(count))
  end)
end)

-- Hints of these files or with these texts are not provoked here, for the reason beside them.
local elsewhere = {
  ["runtime/files/"] = "csv_spec.lua, file_spec.lua and png_spec.lua", ["lua_bindings/mpi/"] = "mpi_test.sh",
  ["opencl/"] = "a device fails", ["runtime/interchange/"] = "check_interchange.c",
  ["is a file of that name"] = "file_spec.lua", ["is a format; its letters"] = "csv_spec.lua",
  ["programs/hints.c"] = "expr_spec.lua, check_expr_text.c", ["strew_record.c"] = "gradients_spec.lua",
    ["strew_show.c"] = "show_spec.lua",
  ["interrupt.c"] = "check_interrupt.c", ["memory.c"] = "no call",
  ["searchsorted.c"] = "calculating_spec.lua", ["matmul.c"] = "calculating_spec.lua",
  ["linalg.c"] = "linear_algebra_spec.lua",
  ["key_ids.c"] = "keys_spec.lua", ["quantile.c"] = "takes 16 M elements, or other dtypes",
  ["dim_size = n sets"] = "another error follows",
  ["start with all zeros"] = "of C", ["make numbers"] = "of C",
  ["a sandbox has no files"] = "limits_test.sh",
  ["another context"] = "of C", ["leave it out"] = "check_text.c",
  ['self:to("cpu")'] = "of C", ["float32, or device"] = "on devices", ["computes in float32"] = "on devices",
  ["all dtypes"] = "takes 16-bit quantiles",
  ["[%d]:to("] = "on devices", ["set_printoptions{profile"] = "print_spec.lua",
  ["other:to(self.dtype)"] = "calculating_spec.lua", ["the path comes first"] = "above, a path of this machine",
}

if support.lacks_float64 then elsewhere["isclose.c"] = "on devices with float64" end

-- Returns a hint of the library, which is in C, as scripts read it: rules of its own, with the phrases of hint.c.
local phrases = {}
for c, script in support.get "runtime/core/base/hint.c":gsub('\\"', "\1"):gsub('"%s*\n%s*"', "")
    :gmatch '\n    {(%b""),%s*(%b""),' do
  if not c:find "%%" then table.insert(phrases, {c:sub(2, -2), script:sub(2, -2)}) end
end

local function method(name, list)
  list = list:sub(2, -2):gsub("strew_(%l[%l_]*)(%b())", method)
  local operation, rest = list:match "^STREW_(%u+), (.+)$"
  if operation then name, list = operation:lower(), rest end
  local self, others = list:match "^(.-), (.+)$"
  if name == "to" then others = '"' .. others .. '"' end
  return (self or list) .. ":" .. (name == "expand" and "expand_as" or name) .. "(" .. (others or "") .. ")"
end

local function in_script(hint)
  for _, phrase in ipairs(phrases) do
    local first, last = hint:find(phrase[1], 1, true)
    if first then hint = hint:sub(1, first - 1) .. phrase[2] .. hint:sub(last + 1) end
  end
  hint = hint:gsub("strew_(%l[%l_]*)(%b())", method):gsub("([{ ])%.(%l[%l_]* = )", "%1%2")
    :gsub('%["(%%s)"%] =', "%1 =")
  return (hint:gsub("STREW_(%u+%d*)%f[^%w_]", function(word) return "\1" .. word:lower() .. "\1" end):gsub("\1", '"'))
end

-- Calls f(file, hint, hint in C) for each text in the place of a hint in the sources; %s and the like are any text.
local function each_hint(f)
  local marks = {"hint = *\n? *(%b\"\")", "_hint%([%w>&-]+,[ \n]*(%b\"\")", "hint_of%([%w&>-]+,\n? *(%b\"\")",
    "HINTED%([%w_]+,[ \n]*[^,]-,[ \n]*(%b\"\")"}
  local pipe <close> = assert(io.popen "find runtime opencl lua_bindings -name '*.c'")
  for path in pipe:lines() do
    local source = support.get(path):gsub('%%" PRId64 "', "%%d"):gsub('\\"', "\1"):gsub('"%s*\n%s*"', "")
    for _, mark in ipairs(marks) do
      for text in source:gmatch(mark) do
        local hint = text:sub(2, -2):gsub("\1", '"')
        f(path, in_script(hint), hint)
      end
    end
  end
end

it("each hint of the sources that names calls, values or members of C has those of the header", function()
  local header, count = support.get "runtime/strew_core.h" .. support.get "runtime/strew.h", 0
  local function check(path, hint, code, is_there)
    count = count + 1
    if not is_there then error(("%s: %s has %s, which strew.h does not have"):format(path, hint, code), 0) end
  end
  each_hint(function(path, _, hint)
    for name, list in hint:gmatch "(strew_[%l_]+)(%(?)" do
      local parameters = header:match("[ *]" .. name .. "(%b())")
      check(path, hint, name, parameters)
      local arguments = list == "(" and hint:match(name .. "(%b())") -- of a whole call, without those that C adds
      local function commas(text) return select(2, text:sub(2, -2):gsub("%b()", ""):gsub(",", "")) end
      check(path, hint, arguments, not arguments or commas(arguments) <= commas(parameters))
    end
    for name in hint:gmatch "STREW_[%u%d_]+" do
      check(path, hint, name, header:find("%f[%w_]" .. name .. "%f[^%w_]"))
    end
    for name in hint:gmatch "[{ ]%.(%l[%l_]*) = " do
      check(path, hint, name, header:find("[ *]" .. name .. "%f[^%w_]"))
    end
  end)
  print("names of C in hints: " .. count)
  assert.is_true(count > 60, tostring(count))
end)

it("each hint of the sources is provoked above, or has a reason not to be", function()
  if support.lacks_float64 then return pending "rows above need float64, which the device lacks" end
  local count = 0
  each_hint(function(path, text)
    count = count + 1
    for part, _ in pairs(elsewhere) do
      if path:find(part, 1, true) or text:find(part, 1, true) then return end
    end
    local pattern = text:gsub("%%%.?%d*l?[sdc]", "\1"):gsub("%%%%", "%%")
      :gsub("%p", "%%%0"):gsub("\1", ".*")
    for hint in pairs(provoked) do
      if hint:find(pattern) then return end
    end
    error(("%s: no row provokes the hint %s"):format(path, text), 0)
  end)
  assert.is_true(count > 80, tostring(count))
end)
