-- Sources and sinks of expressions: m[i] within a text, and groups that read a bound expression, against the calls one
-- by one.
-- devices: no, each text would compile a kernel; check_programs runs there.
local strew = require "strew"
local support, drawn = dofile "tests/spec/support.lua", dofile "tests/calls.lua"

local random = math.random
local DTYPES = drawn.dtypes
local rounds = support.runs_all and 6 or 1

-- Calls f on several numbers of threads, with little work for each.
local function on_threads(f)
  local before = strew.get_num_threads()
  for _, threads in ipairs{1, 2, 3, 7} do
    strew.set_num_threads(threads)
    f(threads)
  end
  strew.set_num_threads(before)
end

local function values(shape, dtype)
  local t = strew.randn(shape) * 3
  return dtype == "bool" and t:gt(0) or dtype == "uint8" and t:abs():to(dtype) or t:to(dtype)
end

local function assert_same(expected, got, message)
  assert(expected.dtype == got.dtype and table.concat(expected.shape, ",") == table.concat(got.shape, ","), message)
  assert(strew.equal(expected:isnan(), got:isnan()), message)
  assert(strew.equal(expected:nan_to_num(), got:nan_to_num()), message)
end

describe("rows of a line within a text", function()
  strew.manual_seed(7)

  it("are those of the calls, of each dtype, index and stride", function()
    local f = strew.expr "(x - m[i]) / s[i] + float32(m[j])"
    for _ = 1, rounds do
      for _, dtype in ipairs(DTYPES) do
        local shape = ({{random(1, 9)}, {random(1, 3000)}, {3, random(1, 700)}})[random(3)]
        local size = ({1, 5, 400, 70000})[random(4)]
        local m = values({size * 2}, dtype)
        m = random(2) == 1 and m:narrow(0, size, size) or m:slice(0, 0, size * 2, 2)
        local s, x = strew.rand({size}) + 1, strew.randn(shape)
        local i = strew.randint(0, size, shape):to(({"int64", "int32"})[random(2)])
        local j = random(2) == 1 and i or strew.randint(0, size, {shape[#shape]})
        local expected = (dtype == "bool" and x - m[i]:to "uint8" or x - m[i]) / s[i] + m[j]:to "float32"
        local text = dtype == "bool" and strew.expr "(x - uint8(m[i])) / s[i] + float32(m[j])" or f
        local inputs = {x = x, m = m, s = s, i = i, j = j}
        on_threads(function()
          assert_same(expected, text(inputs), dtype)
          assert_same(expected:sum(), text:with(inputs):sum(), dtype)
          local out = strew.zeros(expected.shape, {dtype = expected.dtype})
          text(inputs, {out = out})
          assert_same(expected, out, dtype)
        end)
      end
    end
  end)

  it("may be chosen by a grouping", function()
    local x, ids = strew.randn({5000}), strew.randint(0, 40, {5000})
    local g = strew.group_by(ids)
    local mean, std = g:mean(x), g:std(x)
    local expected = (x - mean[g.ids]) / std[g.ids]
    assert_same(expected, strew.expr "(x - mean[g]) / std[g]" {x = x, mean = mean, std = std, g = g})
  end)

  it("may be those of the tensor that is written", function()
    local m, i = strew.arange(1000), strew.arange(999, -1, -1)
    local expected = m[i] + 1
    strew.expr "m[i] + 1"({m = m, i = i}, {out = m})
    assert_same(expected, m)
    local k = strew.randint(0, 1000, {1000})
    expected = m[k] + k
    strew.expr "m[k] + k"({m = m, k = k}, {out = k})
    assert_same(expected, k)
  end)

  it("are checked before anything is written", function()
    local m, out = strew.rand({3000}), strew.zeros({2, 2000})
    local i = strew.randint(0, 3000, {2, 2000})
    for _, bad in ipairs{-1, 3000, math.mininteger} do
      local wrong = i:clone()
      wrong:select(0, 1)[1234] = bad
      on_threads(function()
        for _, text in ipairs{"m[i] * 2", "1 + sum(m[i] * 2)", "(1 - m[i]) * (2 + m[i])"} do
          local f, inputs = strew.expr(text), {m = m, i = wrong}
          for _, call in ipairs{function() f(inputs) end, function() f(inputs, {out = out}) end,
                                function() f:with(inputs):sum() end} do
            local ok, message = pcall(call)
            assert.is_false(ok)
            local fact = ("'index' has value %d at [1, 1234], out of range for dim 0 of self (size 3000"):format(bad)
            assert(message:find(fact, 1, true), message)
            local mark = (" "):rep(8 + text:find("[i]", 1, true)) .. "^^^"
            assert(message:find("text   " .. text .. "\n" .. mark, 1, true), message)
            assert.equal("index", strew.last_error().code)
          end
        end
      end)
    end
    assert.equal(0, out:abs():max():item())
  end)
end)

describe("aggregates of expressions", function()
  local WORDS = {"sum", "mean", "prod", "min", "max", "any", "all", "var", "std", "median", "first", "count", "nunique"}
  local TEXTS = {"x * y", "float64(x) * float64(y)", "x", "x > y", "float32(x) - m[i]", "(x - m[i]) * y",
    "where(x > y, x, y)", "x * y + x - y * 2"}

  it("are those of stored values, of each word, dtype and number of threads", function()
    strew.manual_seed(8)
    for round = 1, rounds * #DTYPES do
      local dtype, n, groups = DTYPES[round % #DTYPES + 1], random(1, 5000), random(1, 300)
      local small = strew.randint(0, 5, {n})
      local t = {x = dtype == "bool" and small:gt(2) or small:to(dtype), y = values({n}, "float32"),
                 i = strew.randint(0, 9, {n}), k = strew.randint(0, groups, {n})}
      local m, g = values({9}, "float64"), nil
      if round % 3 == 0 then
        g = strew.grouping(t.k, {dim_size = groups + 3}) -- some are empty
      else
        g = strew.group_by(t.k)
      end
      local inputs = {x = t.x, y = t.y, i = t.i, m = m}
      on_threads(function(threads)
        local bound, stored = {}, {}
        for entry = 1, random(1, 6) do
          local word, text = WORDS[random(#WORDS)], TEXTS[random(dtype == "bool" and 5 or #TEXTS)]
          local e = strew.expr(text):with(inputs)
          local options = word == "sum" and random(2) == 1 and "float64" or nil
          bound["c" .. entry] = {word, e, dtype = options}
          stored["c" .. entry] = {word, strew.expr(text)(inputs), dtype = options}
        end
        local ok, expected = pcall(g.agg, g, stored)
        local same, got = pcall(g.agg, g, bound)
        assert(ok == same, tostring(expected) .. "\n" .. tostring(got))
        if not ok then return assert.equal((expected:gsub("^%S+ ", "")), (got:gsub("^%S+ ", ""))) end
        for name in pairs(stored) do assert_same(expected[name], got[name], name .. threads .. bound[name][1]) end
      end)
    end
  end)

  it("are named in a table", function()
    local n = 4000
    local x = {k = strew.randint(0, 20, {n}), a = strew.randint(0, 9, {n}):to "int32", b = strew.randn({n})}
    local g = strew.group_by(x, "k")
    local ab = x.a:to "float64" * x.b:to "float64"
    local got = g:agg{s = {"sum", "float64(a) * float64(b)"}, m = {"mean", "float64(a) * float64(b)"}, n = "count",
                      v = {"var", "a * b"}}
    local expected = g:agg{s = {"sum", ab}, m = {"mean", ab}, n = "count", v = {"var", ab}}
    for _, name in ipairs{"s", "m", "n", "v"} do assert_same(expected[name], got[name], name) end
  end)

  it("say which value is out of range", function()
    local i = strew.randint(0, 9, {3000})
    i[2000] = 9
    local g = strew.group_by(strew.randint(0, 20, {3000}))
    local e = strew.expr "m[i] * 2.0":with{m = strew.rand({9}), i = i}
    on_threads(function()
      local ok, message = pcall(g.agg, g, {a = {"sum", e}, n = "count", b = {"max", e}})
      assert.is_false(ok)
      assert(message:find("'index' has value 9 at [2000], out of range for dim 0", 1, true), message)
      assert(message:find("text   m[i] * 2.0\n          ^^^", 1, true), message)
    end)
  end)
end)

describe("calls that read an expression once", function()
  local TEXTS = {"x * y", "x - y", "float64(x) * 2", "x > y", "where(x > y, x, y)", "x * m[i]", "int64(x * 4) + i"}
  -- Of an expression or tensor e, an index k of its length, destinations t and a grouping g.
  local CALLS = {
    function(e, c) return strew.scatter(e, c.k, {reduce = c.word}) end,
    function(e, c) return strew.scatter_mean(e, c.k, {dim_size = c.n + 2}) end,
    function(e, c) return strew.scatter_max(e, c.k) end,
    function(e, c) return strew.scatter_sum(e, c.g) end,
    function(e, c) return strew.scatter_sum(e, c.k - 2, {dim_size = c.n, mode = "drop"}) end,
    function(e, c) return strew.scatter(c.t:to(e.dtype), 0, c.k, e, {reduce = c.word}) end,
    function(e, c) return c.t:to(e.dtype):scatter_(0, c.k, e) end,
    function(e, c) return c.t:to(e.dtype):scatter_add_(0, c.k, e) end,
    function(e, c) return c.t:to(e.dtype):scatter_reduce_(0, c.k, e, c.word, {include_self = false}) end,
    function(e, c) return strew.segment_csr(e, c.ends, {reduce = c.word}) end,
    function(e, c) return strew.segment_coo(e, c.sorted, {reduce = c.word}) end,
    function(e, c) return strew.segment_reduce(e, c.word, {offsets = c.ends}) end,
    function(e, c) return c.g[c.word](c.g, e) end,
    function(e, c) return c.g:std(e:to "float32") end,
    function(e, c) return c.g:first(e) end,
    function(e) return e:sum(0), e:argmax(), e:cumsum(0) end,
  }

  it("give what they give of stored values, for each number of threads", function()
    strew.manual_seed(9)
    for _ = 1, rounds * 8 do
      local length, n = random(1, 9) * 10 ^ random(0, 4) // 1 | 0, random(1, 40)
      local inputs = {x = strew.randn({length}), y = strew.randn({length}), m = strew.randn({9}),
                      i = strew.randint(0, 9, {length})}
      local c = {n = n, word = ({"sum", "prod", "mean", "max", "min"})[random(5)], k = strew.randint(0, n, {length}),
                 t = strew.randn({n}), ends = (strew.randint(0, length + 1, {random(1, 90)}):sort())}
      c.g, c.sorted = strew.grouping(c.k, {dim_size = n}), (c.k:sort())
      on_threads(function(threads)
        local f, k = strew.expr(TEXTS[random(#TEXTS)]), random(#CALLS)
        local stored, bound = {pcall(CALLS[k], f(inputs), c)}, {pcall(CALLS[k], f:with(inputs), c)}
        local what = ("call %d of %q by %s on %d threads"):format(k, f.text, c.word, threads)
        assert(stored[1] == bound[1], what)
        if not stored[1] then return assert.equal(stored[2], bound[2]) end
        for r = 2, #stored do assert_same(stored[r], bound[r], what) end
      end)
    end
  end)

  it("may write to a tensor that the expression reads", function()
    local n = 80000 -- more than are computed at once
    local index = strew.randint(0, n, {n})
    for _, text in ipairs{"t * 2 + 1", "m[i] + t[i]", "t - mean(t)"} do
      local f, t, m = strew.expr(text), strew.randn({n}), strew.randn({n})
      local expected = t:scatter_add(0, index, f{t = t, m = m, i = index})
      on_threads(function()
        local own = t:clone()
        own:scatter_add_(0, index, f:with{t = own, m = m, i = index})
        assert_same(expected, own, text)
        local all = strew.randn({2, n})
        all[0]:copy_(t)
        strew.scatter_sum(f:with{t = all[0], m = m, i = index}, index, {out = all[0]})
        assert_same(expected, all[0], text)
      end)
    end
  end)

  it("write nothing where an index in the expression is out of range, even one of an element not read", function()
    local m, i, index, t = strew.rand({9}), strew.randint(0, 9, {3000}), strew.randint(0, 50, {3000}), strew.zeros{50}
    i[1500] = 9
    local dropped = index:clone()
    dropped[1500] = 50
    local e, out = strew.expr "m[i] * 2.0":with{m = m, i = i}, strew.zeros{2}
    on_threads(function()
      for k, call in ipairs{function() t:scatter_add_(0, index, e) end, function() t:scatter_(0, index, e) end,
                            function() t:scatter_reduce_(0, index, e, "mean", {include_self = false}) end,
                            function() strew.scatter_sum(e, index, {out = t}) end,
                            function() strew.scatter_sum(e, index) end, function() strew.grouping(index):sum(e) end,
                            function() strew.scatter_sum(e, dropped, {mode = "drop", dim_size = 50}) end,
                            function() strew.segment_csr(e, strew.tensor{0, 9, 1000}, {out = out}) end,
                            function() strew.segment_csr(e, strew.tensor{0, 9, 1000}) end} do
        local ok, message = pcall(call)
        assert(not ok and message:find("'index' has value 9 at [1500], out of range for dim 0", 1, true), k)
        assert(message:find("text   m[i] * 2.0\n          ^^^", 1, true), message)
      end
      assert.equal(0, t:abs():sum():item() + out:sum():item())
    end)
  end)

  it("report a bad index of their own, and write nothing", function()
    local x, index, t = strew.rand({3000}), strew.randint(0, 50, {3000}), strew.zeros{50}
    index[2000] = 50
    on_threads(function()
      local ok, message = pcall(t.scatter_add_, t, 0, index, strew.expr "x * 2":with{x = x})
      assert(not ok and message:find("'index' has value 50 at [2000]", 1, true), message)
      assert.equal(0, t:sum():item())
    end)
  end)
end)

it("an index out of range is an error where the result is empty", function()
  local f, inputs = strew.expr "m[i] == e", {m = strew.arange(3), i = strew.tensor{0, 5, 1}, e = strew.zeros{0, 1}}
  for _, call in ipairs{function() f(inputs) end, function() f:with(inputs):sum() end} do
    local ok, message = pcall(call)
    assert.is_false(ok)
    assert(message:find("'index' has value 5 at [1], out of range", 1, true), message)
  end
end)
