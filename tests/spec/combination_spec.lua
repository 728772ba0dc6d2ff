-- Reductions of one's own, against plain loops over lists.
local strew = require "strew"
local support, loops = dofile "tests/spec/support.lua", dofile "tests/spec/loops.lua"
local message = support.message

-- Combinations and the same as Lua functions of (accumulators, x, i), of numbers.
local function when(c, a, b) if c then return a end return b end
local combinations = {
  average = {{init = {m = 0, n = 0}, combine = {m = "m + (x - m) / (n + 1)", n = "n + 1"}, finish = "m",
    dtype = "float64"}, {m = 0, n = 0}, function(a, x) return {m = a.m + (x - a.m) / (a.n + 1), n = a.n + 1} end, "m"},
  decay = {{init = 0.5, combine = "acc * 0.9 + x", finish = "acc", dtype = "float64"}, {acc = 0.5},
    function(a, x) return {acc = a.acc * 0.9 + x} end, "acc"},
  spread = {{init = {m = 0, n = 0, s = 0.0},
    combine = {m = "m + (x - m) / (n + 1)", n = "n + 1", s = "s + (x - m) * (x - (m + (x - m) / (n + 1)))"},
    finish = "s / maximum(n - 1, 1)", dtype = {m = "float64", n = "int64", s = "float64"}}, {m = 0, n = 0, s = 0},
    function(a, x)
      local m = a.m + (x - a.m) / (a.n + 1)
      return {m = m, n = a.n + 1, s = a.s + (x - a.m) * (x - m)}
    end, function(a) return a.s / math.max(a.n - 1, 1) end},
  largest = {{init = {best = -1e300, at = -1}, combine = {best = "where(x > best, x, best)",
    at = "where(x > best, i, at)"}, finish = "at", dtype = {best = "float64"}}, {best = -1e300, at = -1},
    function(a, x, i) return {best = when(x > a.best, x, a.best), at = when(x > a.best, i, a.at)} end, "at"},
  order = {{init = 7, combine = "(acc * 31 + i + 1) % 1000003"}, {acc = 7},
    function(a, _, i) return {acc = (a.acc * 31 + i + 1) % 1000003} end, "acc"},
  first = {{init = {v = 0, seen = false}, combine = {v = "where(seen, v, x)", seen = "true"}, finish = "v",
    dtype = {v = "float64"}}, {v = 0, seen = false},
    function(a, x) return {v = when(a.seen, a.v, x), seen = true} end, "v"},
  swap = {{init = {a = 1, b = 2}, combine = {a = "b", b = "a + 1"}, finish = "a * 1000 + b"}, {a = 1, b = 2},
    function(t) return {a = t.b, b = t.a + 1} end, function(t) return t.a * 1000 + t.b end},
}
local names = {}
for name in pairs(combinations) do table.insert(names, name) end
table.sort(names)
local is_of_bools = {order = true, first = true, swap = true}

local function finish(row, accumulators)
  return type(row[4]) == "string" and accumulators[row[4]] or row[4](accumulators)
end

-- Expected results and partial ones: lists by group, and by element; ids from 0, -1: none.
local function expected_of(row, values, ids, n)
  local state, partial = {}, {}
  for g = 0, n - 1 do state[g] = row[2] end
  for k, x in ipairs(values) do
    local g = ids[k]
    if type(x) == "boolean" then x = x and 1 or 0 end
    if g >= 0 then state[g] = row[3](state[g], x, k - 1) end
    partial[k] = finish(row, g >= 0 and state[g] or row[2])
  end
  local results = {}
  for g = 0, n - 1 do results[g + 1] = finish(row, state[g]) end
  return results, partial
end

local function check(result, expected, what)
  local list = result:tolist()
  assert.equal(#expected, #list, what)
  for k, value in ipairs(list) do
    if value ~= expected[k] then error(("%s: %s at %d, expected %s"):format(what, value, k, expected[k]), 2) end
  end
end

-- Ids of some distribution: even, skewed, sparse, one group; some drop.
local function draw_ids(count, n)
  local kind, ids = math.random(4), {}
  for k = 1, count do
    ids[k] = kind == 1 and math.random(0, n - 1) or kind == 2 and math.floor(n * math.random() ^ 6) or kind == 3
      and n // 2 or math.random(0, n // 3)
    if math.random(20) == 1 then ids[k] = -1 end
  end
  return ids
end

local function draw_values(dtype, count)
  local values = {}
  for k = 1, count do
    values[k] = loops.is_float(dtype) and math.random(-32, 32) / 4 or math.random(0, 100)
    if dtype == "bool" then values[k] = math.random(2) == 1 end
  end
  return values
end

-- Calls f on several numbers of threads, with work shared even if there is little.
local function on_threads(f)
  local before = strew.get_num_threads()
  for _, threads in ipairs{1, 2, 3, 7} do
    strew.set_num_threads(threads)
    local ok, problem = pcall(f)
    strew.set_num_threads(before)
    if not ok then error(problem, 0) end
  end
end

describe("reductions of one's own", function()
  if support.lacks_float64 then
    it("are computed in float64, which the device lacks", function() print("devices: results of float64") end)
    return
  end

  it("are loops over the elements of each group", function()
    for k, name in ipairs(names) do
      local row = combinations[name]
      local r = strew.reduction(row[1])
      for d = is_of_bools[name] and 1 or 2, #loops.dtypes, support.runs_all and 1 or 4 do
        if not support.is_tried(k + d) then goto continue end
        local dtype = loops.dtypes[d]
        local count, n = math.random(0, 300), math.random(1, k % 2 == 0 and 700 or 20)
        local values, ids = draw_values(dtype, count), draw_ids(count, n)
        local expected, partial = expected_of(row, values, ids, n)
        local v, at = strew.tensor(values, {dtype = dtype}), strew.tensor(ids, {dtype = "int64"})
        local g, what = strew.grouping(at, {dim_size = n, mode = "drop"}), name .. " of " .. dtype
        check(g:reduce(v, r):to("float64"), expected, what)
        check(g:scan(v, r):to("float64"), partial, what)
        check(strew.scatter(v, at, {reduce = r, dim_size = n, mode = "drop"}):to("float64"), expected, what)
        check(g:agg{e = {r, v}}.e:to("float64"), expected, what)
        ::continue::
      end
    end
  end)

  it("give the same on any number of threads", function()
    local count, n = support.runs_all and 80000 or 3000, 5000
    local v, ids = strew.rand(count, {dtype = "float64"}), strew.randint(0, n, {count})
    ids:slice(0, 0, count, 2):fill_(17)
    local g = strew.grouping(ids, {dim_size = n})
    for _, name in ipairs(names) do
      local row = combinations[name]
      local r = strew.reduction(row[1])
      local expected, partial = expected_of(row, v:tolist(), ids:tolist(), n)
      on_threads(function()
        check(g:reduce(v, r), expected, name)
        check(g:scan(v, r), partial, name)
      end)
    end
  end)

  it("go along dimensions", function()
    for _ = 1, support.runs_all and 40 or 5 do
      local row = combinations[loops.any(names)]
      local r, shape = strew.reduction(row[1]), loops.shape(1, 4)
      if math.random(4) == 1 then shape[#shape] = 300 end
      local t = strew.randint(0, 50, shape):to "float64":transpose(0, -1):contiguous():transpose(0, -1)
      local dim = math.random(0, #shape - 1)
      local result, partial, kept = t:reduce(r, dim), t:scan(r, dim), t:reduce(r, dim - #shape, true)
      local sizes = t.shape
      sizes[dim + 1] = 1
      assert.same(sizes, kept.shape)
      assert.same(shape, partial.shape)
      local lines = kept:to("float64"):transpose(dim, -1):reshape(-1):tolist()
      local elements = t:transpose(dim, -1):reshape(loops.count(sizes), shape[dim + 1]):tolist()
      local parts = partial:to("float64"):transpose(dim, -1):reshape(loops.count(sizes), shape[dim + 1]):tolist()
      for k, line in ipairs(elements) do
        local ids = {}
        for i = 1, #line do ids[i] = 0 end
        local expected, own = expected_of(row, line, ids, 1)
        assert.equal(expected[1], lines[k])
        assert.same(own, #line > 0 and parts[k] or own)
      end
      assert.is_true(strew.equal(result:reshape(-1), kept:reshape(-1)))
      local all, ids = t:reshape(-1):tolist(), {}
      for i = 1, #all do ids[i] = 0 end
      assert.equal(expected_of(row, all, ids, 1)[1], t:reduce(r):item())
    end
  end)

  it("stand in place of a word: every form is the sum, if that is what they are", function()
    local sum, mean = strew.reduction{init = 0, combine = "acc + x"}, strew.reduction{init = {s = 0.0, n = 0},
      combine = {s = "s + x", n = "n + 1"}, finish = "s / n"}
    for _ = 1, support.runs_all and 60 or 8 do
      local shape = loops.shape(1, 3)
      local dim = math.random(0, #shape - 1)
      local t = strew.randint(-9, 9, shape):to(loops.any{"int64", "int32", "float32", "float64"})
      local n, out_shape, rows = math.random(1, 5), t.shape, t.shape
      local index = strew.randint(0, n, shape)
      out_shape[dim + 1] = n
      local self = strew.randint(-9, 9, out_shape):to(t.dtype)
      local mode = loops.any{"error", "drop", "wrap", "clip"}
      if mode ~= "error" then index = index - (mode == "wrap" and n or 0) end
      if mode == "clip" or mode == "drop" then index = index * 2 - 1 end
      for d = 1, #rows do
        if rows[d] > 1 and math.random(3) == 1 then index = index:narrow(d - 1, 0, rows[d] - 1) end
      end
      local options = {mode = mode}
      local is = self:clone()
      assert.is_true(strew.equal(self:scatter_reduce(dim, index, t, "sum", options),
        is:scatter_reduce_(dim, index, t, sum, options)))
      assert.is_true(strew.equal(is, self:scatter(dim, index, t, {reduce = sum, mode = mode})))
      options.include_self = false
      assert.is_true(strew.equal(self:scatter_reduce(dim, index, t, "sum", options),
        self:scatter_reduce(dim, index, t, sum, options)))
      local whole = strew.randint(0, n, shape)
      options = {dim = dim, dim_size = n}
      local expected = strew.scatter(t, whole, options)
      options.reduce = sum
      assert.is_true(strew.equal(expected, strew.scatter(t, whole, options):to(t.dtype)))
      local line = strew.randint(0, n, {math.random(3) == 1 and 1 or shape[dim + 1]})
      options.reduce = nil
      expected = strew.scatter(t, line, options)
      options.reduce = sum
      assert.is_true(strew.equal(expected, strew.scatter(t, line, options):to(t.dtype)))
      local g = strew.grouping(line:expand(shape[dim + 1]), {dim_size = n})
      assert.is_true(strew.equal(expected, g:reduce(t, sum, dim):to(t.dtype)))
      assert.is_true(strew.equal(g:mean(t:to "float64", dim):nan_to_num(), g:reduce(t:to "float64", mean, dim)
        :nan_to_num()))
      local bounds = strew.randint(0, shape[dim + 1] + 1, {4}):sort(0)
      local lead = {table.unpack(shape, 1, dim)}
      table.insert(lead, 4)
      bounds = math.random(2) == 1 and dim == 0 and bounds or bounds:expand(lead)
      assert.is_true(strew.equal(strew.segment_csr(t, bounds),
        strew.segment_csr(t, bounds, {reduce = sum}):to(t.dtype)))
    end
  end)

  it("begin with out or self, and read several sources", function()
    local shift, t = strew.reduction{init = 0, combine = "acc * 10 + x"}, strew.tensor{1, 2, 3, 4}
    local two = strew.reduction{init = 0, combine = "acc + price * n"}
    local x = {city = strew.tensor{0, 1, 0, 1}, price = strew.tensor{1.5, 2, 3, 4}, n = t}
    support.evaluate({
      {"strew.scatter(t, strew.tensor{0, 0, 1, 0}, {out = strew.tensor{5, 6, 7}, reduce = shift})",
       "int64[3] {5124, 63, 7}"},
      {"strew.tensor{5, 6, 7}:scatter_reduce_(0, strew.tensor{0, 0, 1, 0}, t, shift)", "int64[3] {5124, 63, 7}"},
      {"strew.tensor{5, 6}:scatter_reduce(0, strew.tensor{0, 0, 1, 0}, t, shift, {include_self = false})",
       "int64[2] {124, 3}"},
      {"strew.tensor({5, 6}, {dtype = 'int8'}):scatter_(0, strew.tensor{0}, 3, {reduce = shift})", "int8[2] {53, 6}"},
      {"strew.reduce({price = x.price, n = t}, two)", "float32[] 30.5"},
      {"strew.scan({price = x.price, n = t}, two, 0)", "float32[4] {1.5, 5.5, 14.5, 30.5}"},
      {"strew.group_by(x, 'city'):agg{a = {two, {price = 'price', n = 'n + 0'}}, b = {shift, 'n'}}.a",
       "float32[2] {10.5, 20.0}"},
      {"strew.group_by(x, 'city'):agg{a = {shift, 'n'}, b = {'sum', 'n'}}.a", "int64[2] {13, 24}"},
      {"strew.zeros(0):reduce(shift), strew.zeros(0, 2):reduce(shift, 0), strew.zeros(2, 0):reduce(shift, 0)",
       "float32[] 0.0; float32[2] {0.0, 0.0}; float32[0] {}"},
      {"strew.tensor(3):reduce(shift), strew.tensor(3):scan(shift, 0)", "int64[] 3; int64[] 3"},
      {"tostring(two)", "reduction: acc = acc + price * n"},
    }, {strew = strew, t = t, x = x, shift = shift, two = two})
  end)

  it("have the dtype that texts give", function()
    local rows = {
      {{init = 0, combine = "acc + x"}, {bool = "int64", int8 = "int64", int64 = "int64", float16 = "float16",
        bfloat16 = "bfloat16", float32 = "float32", float64 = "float64"}},
      {{init = 0, combine = "acc + 1"}, {bool = "int64", float16 = "int64", float64 = "int64"}},
      {{init = 0.5, combine = "acc + x"}, {int8 = "float64", float32 = "float32"}},
      {{init = 0, combine = "acc * 0.5 + x"}, {int64 = "float64", float32 = "float32"}},
      {{init = false, combine = "acc or x > 0"}, {int8 = "bool", float32 = "bool"}},
      {{init = 0, combine = "acc + x", dtype = "float32"}, {int8 = "float32", float16 = "float32"}},
      {{init = 0, combine = "acc + x", finish = "acc / 2"}, {int8 = "float32", float64 = "float64"}},
    }
    for _, row in ipairs(rows) do
      for dtype, expected in pairs(row[2]) do
        local result = strew.ones(3, {dtype = dtype}):reduce(strew.reduction(row[1]))
        assert.equal(expected, result.dtype, row[1].combine .. " of " .. dtype)
      end
    end
    local narrow = strew.reduction{init = 0, combine = "acc + x", dtype = "int8"}
    assert.equal(-56, strew.full({2}, 100, {dtype = "int64"}):reduce(narrow):item())
    local half = strew.reduction{init = 0, combine = "acc + x", dtype = "float16"}
    assert.equal(2048, strew.ones(4000):reduce(half):item())
    assert.equal(4000, strew.ones(4000, {dtype = "float16"}):reduce(strew.reduction{init = 0, combine = "acc + x"})
      :item())
  end)

  it("name the first element that an integer cannot be divided by", function()
    local r = strew.reduction{init = 1, combine = "acc + 100 // x + 7 % x"}
    local t = strew.ones(100000, {dtype = "int64"})
    t[77777], t[500], t[501] = 0, 0, 0
    local ids = strew.arange(100000) % 999
    on_threads(function()
      assert.matches("divides an integer by 0 at element 500", message(strew.scatter, t, ids, {reduce = r}), 1, true)
    end)
    local power = strew.reduction{init = 1, combine = "acc + x ^ (2 - i)"}
    assert.equal(1 + 9 + 3 + 1, strew.full({3}, 3, {dtype = "int64"}):reduce(power):item())
    assert.matches("negative power at element 3", message(strew.full({5}, 3, {dtype = "int64"}).reduce,
      strew.full({5}, 3, {dtype = "int64"}), power), 1, true)
    local self = strew.tensor{1, 2}
    assert.is_false(pcall(self.scatter_reduce_, self, 0, strew.tensor{0, 1}, strew.tensor{4, 0}, r))
    assert.same({1, 2}, self:tolist())
  end)

  it("take bound expressions among their sources", function()
    local x, w = strew.tensor{1, 2, 3}, strew.tensor{4, 5, 6}
    local r, e = strew.reduction{init = 0, combine = "acc * 2 + a * w"}, strew.expr("x + 1"):with{x = x}
    local expected = strew.reduce({a = x + 1, w = w}, r)
    assert.equal(support.text(expected), support.text(strew.reduce({a = e, w = w}, r)))
    assert.equal(support.text(expected), support.text(strew.reduce({a = x + 1, w = strew.expr("w"):with{w = w}}, r)))
    local ids = strew.tensor{0, 1, 0}
    local longer = strew.scatter(strew.tensor{1, 2, 1}, strew.grouping(ids), {out = strew.zeros(4, {dtype = "int64"}),
      reduce = strew.reduction{init = 0, combine = "acc * 2 + x"}})
    assert.equal("int64[4] {3, 2, 0, 0}", support.text(longer))
    assert.equal("int64[4] {3, 2, 0, 0}", support.text(strew.scatter(strew.tensor{1, 2, 1}, ids, {dim_size = 2,
      reduce = strew.reduction{init = 0, combine = "acc * 2 + x"}, out = strew.zeros(4, {dtype = "int64"})})))
    assert.equal(support.text(strew.scatter({a = x + 1, w = w}, ids, {reduce = r})),
      support.text(strew.scatter({a = e, w = w}, ids, {reduce = r})))
    assert.matches("reduce: has no gradient", message(strew.grad(function(v)
      return strew.reduce({a = strew.expr("v * 2"):with{v = v}, w = w}, r)
    end), strew.ones(3)), 1, true)
  end)

  it("have the dtype of a text that is a number", function()
    local x = strew.tensor{1.5, 2.5}
    for combine, expected in pairs{["0.5"] = 0.5, ["1 + 0.5"] = 1.5, ["7"] = 7, ["true"] = 1} do
      local result = x:reduce(strew.reduction{init = 0, combine = combine})
      assert.equal(expected, result:item(), combine)
      assert.equal(expected % 1 == 0 and "int64" or "float64", result.dtype, combine)
    end
    local r = strew.reduction{init = {a = true, s = 0}, combine = {a = "1.5", s = "s + x"}, finish = "a"}
    assert.equal(1.5, x:reduce(r):item())
  end)

  it("are rounded to the dtype in which 16-bit floats meet", function()
    local halves, floats = strew.tensor({1, 2}, "float16"), strew.tensor({1000.125, 2}, "float32")
    local sum = strew.reduction{init = 0, combine = "acc + x * y"}
    for _, src in ipairs{{x = halves, y = floats}, {x = floats, y = halves}} do
      local result = strew.reduce(src, sum)
      assert.equal("float32", result.dtype)
      assert.equal(1004.125, result:item())
    end
    local integers = strew.tensor{1, 2}
    assert.equal("float16", strew.reduce({x = integers, y = halves}, sum).dtype)
    assert.equal("float16", strew.reduce({x = halves, y = integers}, sum).dtype)
    assert.equal("float32", strew.reduce({x = halves, y = halves:to "bfloat16"}, sum).dtype)
  end)

  -- No dtype holds uint64 and int64; the bits of both are those of integers that wrap.
  it("never compute integers in floats", function()
    local most <const> = (1 << 53) + 1
    local src = {u = strew.tensor({most, 7}, "uint64"), s = strew.tensor{-5, 7}, b = strew.tensor({200, 100}, "uint8"),
                 w = strew.tensor({1 << 31, 7}, "uint32"), top = strew.tensor{-1, 3}:to "uint64"}
    local rows = { -- init, combine, expected, its dtype, dtype
      {0, "acc + u", most + 7, "uint64"}, {0, "acc + u * 3 - 1", 3 * most + 19, "uint64"}, {0, "u", 7, "uint64"},
      {0, "maximum(acc, top)", -1, "uint64"}, {0, "acc + where(top > 3, 1, 0)", 1, "int64"},
      {0, "acc + u * i", 7, "uint64"}, {0, "acc ~ u", most ~ 7, "uint64"}, {0, "acc + i", 1, "int64"}, {0,
       "acc + u + b + w", 0, "uint64"},
      {-1, "acc + u", most + 6, "int64"}, {-1, "maximum(acc, u)", most, "int64"}, {0, "acc + u + s", most + 9, "int64"},
      {0, "acc + top", 2, "int64", "int64"}, {0, "acc + top", 2, "uint64", "uint64"}, {0, "acc + u", 8, "int8", "int8"},
      {0, "acc + s", 2, "uint64", "uint64"}, {most, "acc + b", most + 300, "uint64", "uint64"},
      {0, "acc + uint64(s)", 2, "int64"}, {0, "acc + w", (1 << 31) + 7, "int64"}, {0, "acc + b", 300, "int64"},
      {true, "acc + u", most + 8, "uint64"}, {0, "acc + u / 2", most / 2 + 3.5, "float64"},
    }
    rows[9][3] = most + 7 + 300 + (1 << 31) + 7
    local g, starts = strew.grouping(strew.tensor{0, 0}), strew.tensor{0, 2}
    for _, row in ipairs(rows) do
      local r = strew.reduction{init = row[1], combine = row[2], dtype = row[5]}
      for k, result in ipairs{strew.reduce(src, r), strew.scan(src, r, 0):narrow(0, 1, 1), g:reduce(src, r),
                              g:agg{e = {r, src}}.e, strew.scatter(src, g, {reduce = r}),
                              strew.segment_csr(src, starts, {reduce = r})} do
        local what = ("%s, call %d"):format(row[2], k)
        assert.equal(row[4], result.dtype, what)
        assert.equal(row[3], (row[4] == "float64" and result or result:to "int64"):item(), what)
      end
    end
    local both = strew.reduction{init = {a = 0, n = -1}, combine = {a = "a + u", n = "n + 1"}, finish = "a + n"}
    local result = strew.reduce(src, both)
    assert.same({"int64", most + 8}, {result.dtype, result:item()})
    local largest = strew.reduction{init = {best = 0, at = -1}, finish = "at",
                                    combine = {best = "maximum(best, top)", at = "where(top >= best, i, at)"}}
    assert.equal(0, strew.reduce(src, largest):item())
    local out = strew.tensor({most}, "uint64")
    strew.scatter(strew.ones(2), strew.tensor{0, 0},
      {reduce = strew.reduction{init = 0, combine = "acc + i"}, out = out})
    assert.equal(most + 1, out:item())
  end)

  it("take 10 accumulators and sources", function()
    local sources, src = {}, {}
    for k = 1, 10 do sources[k], src["s" .. k] = "s" .. k, strew.tensor{k} end
    local text = "acc + " .. table.concat(sources, " + ")
    assert.matches("has more than 10 accumulators and sources", message(strew.reduction, {init = 0, combine = text}), 1,
      true)
    text = text:gsub(" %+ s10", "")
    assert.equal(45, strew.reduce(src, strew.reduction{init = 0, combine = text}):item())
  end)

  it("say what is wrong", function()
    local env = {strew = strew, t = strew.tensor{1, 2, 3}, g = strew.grouping(strew.tensor{0, 1, 0}),
                 r = strew.reduction{init = 0, combine = "acc + x"},
                 two = strew.reduction{init = {a = 0, b = 0}, combine = {a = "x", b = "a"}, finish = "a"},
                 pq = strew.reduction{init = 0, combine = "acc + p * q"},
                 count = strew.reduction{init = 0, combine = "acc + i"}, words = strew.tensor{"a", "b", "c"},
                 days = strew.time{"2024-05-17", "2024-05-18", "2024-05-19"}}
    local function first(text) return (text:match "^[^\n]*") end
    support.fail({
      {"strew.reduction{init = 0}", "reduction: 'combine' is missing"},
      {"strew.reduction{combine = 'acc'}", "reduction: 'init' is missing"},
      {"strew.reduction{init = {}, combine = {}}",
       "reduction: 'init' is an empty table, expected a first value for each accumulator"},
      {"strew.reduction{init = {m = 0}, combine = 'm + x'}",
       "reduction: 'combine' is \"m + x\", expected a table with a text for each accumulator"},
      {"strew.reduction{init = {m = 0, n = 0}, combine = {m = 'm + x'}, finish = 'm'}",
       "reduction: 'combine' has nil for 'n', expected a text"},
      {"strew.reduction{init = {m = 0}, combine = {m = 'm', k = 'm'}}",
       "reduction: 'combine' has 'k', the accumulators are m"},
      {"strew.reduction{init = {m = 0, n = 0}, combine = {m = 'm', n = 'n'}}",
       "reduction: 'finish' is missing, expected an expression of the accumulators"},
      {"strew.reduction{init = 0, combine = 'acc + sum(x)'}",
       "reduction: 'combine' has a reduction, expected operations on one element at a time"},
      {"strew.reduction{init = 0, combine = 'acc + x[i]'}",
       "reduction: 'combine' has rows, expected operations on one element at a time"},
      {"strew.reduction{init = 0, combine = 'acc +'}", "reduction: 'text' ends, expected a value"},
      {"strew.reduction{init = 0, combine = 'acc', finish = 'acc + x'}",
       "reduction: 'finish' has 'x', which is no accumulator"},
      {"strew.reduction{init = 0, combine = 'acc', finish = '1 + 1'}", "reduction: 'finish' has no accumulator"},
      {"strew.reduction{init = {i = 0}, combine = {i = 'i'}}",
       "reduction: 'init' has \"i\", expected names of 1 to 63 letters and digits, and not i, " ..
         "the element's position"},
      {"strew.reduction{init = {['a b'] = 0}, combine = {['a b'] = '1'}, finish = '1'}",
       "reduction: 'init' has \"a b\", expected names of 1 to 63 letters and digits, and not i, " ..
         "the element's position"},
      {"strew.reduction{init = 0, combine = 'acc', dtype = 'float'}",
       "reduction: 'dtype' is \"float\", expected one of float32, float64, float16, bfloat16, int64, int32, int16, " ..
         "int8, uint8, bool, uint16, uint32, uint64, time, text"},
      {"t:reduce('sum')", "reduce: 'reduce' is \"sum\", expected a reduction as of strew.reduction"},
      {"t:reduce(r, 1)", "reduce: 'dim' is 1, out of range (valid -1..0)"},
      {"t:scan(r)", "scan: 'dim' is missing, the arguments are (src, reduce, dim)"},
      {"strew.reduce({y = t}, r)", "reduce: 'src' has no tensor 'x'"},
      {"strew.reduce({x = 3}, r)", "reduce: 'src' has 3 as 'x', expected a tensor"},
      {"strew.segment_coo(t, t, {reduce = r})", "segment_coo: 'reduce' is a reduction, expected a string"},
      {"strew.reduce({x = t, y = t:narrow(0, 0, 2)}, strew.reduction{init = 0, combine = 'x + y'})",
       "reduce: 'y' has shape [2], expected [3]"},
      {"g:reduce(t:narrow(0, 0, 2), r)", "reduce: 'src' has size 2 in dim 0, the grouping has 3 elements"},
      {"t:scatter_reduce_(0, t, t, r)",
       "scatter_reduce_: 'index' has value 3 at [2], out of range for dim 0 of self (size 3, valid 0..2)"},
      {"t:scatter_reduce_(0, t - 1, t, two)", "scatter_reduce_: 'self' cannot begin 2 accumulators, expected one"},
      {"strew.scatter(t, t - 1, {reduce = two, out = t})", "scatter: 'out' cannot begin 2 accumulators, expected one"},
      {"t:scatter_reduce_(0, t - 1, t, r)",
       "scatter_reduce_: 'src' shares elements with the tensor written in place"},
      {"strew.scatter(t, t - 1, {reduce = r, out = t:view(1, 3):expand(3, 3) + 0})",
       "scatter: 'out' has 2 dimensions, src has 1"},
      {"strew.scatter(t, g, {reduce = r, out = strew.zeros(1, {dtype = 'int64'})})",
       "scatter: 'out' has size 1 in dim 0, the grouping has 2 groups"},
      {"strew.segment_csr(t, t - 1, {reduce = r, out = t:narrow(0, 0, 2)})",
       "segment_csr: 'src' shares elements with the tensor written in place"},
      {"strew.segment_csr(t, t - 1, {reduce = r, out = strew.zeros(3, 2, {dtype = 'int64'})})",
       "segment_csr: 'out' has shape [3, 2], expected [2]"},
      {"strew.scatter(t, t - 1, {reduce = r, out = t})",
       "scatter: 'src' shares elements with the tensor written in place"},
      {"t:scatter_reduce_(0, t - 1, {p = t + 0, q = strew.ones(3)}, pq)",
       "scatter_reduce_: 'q' is float32, self is int64: dtypes must be equal"},
      {"t:scatter_reduce_(0, t - 1, t + 0, strew.reduction{init = 0.5, combine = 'acc + x'})",
       "scatter_reduce_: 'self' is int64, which does not hold a result of float64"},
      {"strew.scatter(t / 2, t - 1, {reduce = strew.reduction{init = 0, combine = 'x', dtype = 'int64'}, out = t / 2})",
       "scatter: 'out' is float32, the accumulator is int64"},
      {"strew.scatter(t / 2, t - 1, {reduce = count, out = days})", "scatter: 'out' is time, scatter takes numbers"},
      {"strew.scatter(t / 2, t - 1, {reduce = count, out = words})", "scatter: 'out' is text, scatter takes numbers"},
      {"strew.scatter(strew.ones(1, 3), (t - 1):view(1, 3), {reduce = count, out = days:view(1, 3)})",
       "scatter: 'out' is time, scatter takes numbers"},
      {"strew.segment_csr(t / 2, strew.tensor{0, 1, 2, 3}, {reduce = count, out = words})",
       "segment_csr: 'out' is text, which does not hold a result of int64"},
      {"strew.scatter(t, t, {reduce = r, fill = 1})",
       "scatter: 'options' has unknown key \"fill\", expected dim, out, dim_size, mode, skip_nan, reduce"},
      {"t:reduce(strew.reduction{init = 0.5, combine = 'acc + x', dtype = 'int64'})",
       "reduce: 'init' is 0.5, which int64 cannot hold: expected an integer in its range"},
      {"strew.grad(function(v) return g:reduce(v, r):sum() end)(strew.ones(3))",
       "reduce: has no gradient, and depends on an argument that is differentiated"},
      {"strew.grad(function(v) return strew.scatter(v, g, {reduce = r}):sum() end)(strew.ones(3))",
       "scatter: has no gradient, and depends on an argument that is differentiated"},
      {"strew.grad(function(v) return v:scan(r, 0):sum() end)(strew.ones(3))",
       "scan: has no gradient, and depends on an argument that is differentiated"},
    }, env, first)
    assert.matches('hint  strew.reduction{init = 0, combine = "acc + x"} makes one',
      message(env.t.reduce, env.t, "sum"), 1, true)
    local long = {}
    for k = 1, 40 do long[k] = ("x * %d"):format(k) end
    assert.matches("has more than 32 operations in one text", message(env.t.reduce, env.t,
      strew.reduction{init = 0, combine = table.concat(long, " + ")}), 1, true)
  end)
end)
