-- Groupings: groups by keys, the fields and methods of a grouping and its use in place of an index, against plain loops
-- and against calls of the group form; several reductions at once; errors.
local strew = require "strew"
local support, loops = dofile "tests/spec/support.lua", dofile "tests/spec/loops.lua"
local any_of, is_float = loops.any, loops.is_float

local inf, nan = math.huge, 0 / 0
local ON_CPU = strew.zeros(1).device == "cpu"
local TIMES = ON_CPU and 40 or 4

local function same(expected, got, what) assert.equal(support.text(expected), support.text(got), what) end

local function int64(list) return strew.tensor(list, {dtype = "int64"}) end

local function random_key(n, dtype)
  local list = {}
  for i = 1, n do
    local value = math.random(dtype == "uint8" and 0 or -3, 3)
    if is_float(dtype) then value = math.random(3) == 1 and any_of{nan, -0.0, 0.0, inf, -inf} or value / 2 end
    if dtype == "bool" then value = value > 0 end
    list[i] = value
  end
  return loops.relaid(loops.tensor(list, {n}, dtype))
end

-- Order of two numbers or booleans: NaN last.
local function compare(a, b)
  if type(a) == "boolean" then a, b = a and 1 or 0, b and 1 or 0 end
  if a ~= a or b ~= b then return (a ~= a and 1 or 0) - (b ~= b and 1 or 0) end
  return a < b and -1 or a > b and 1 or 0
end

-- The groups of a plain loop over rows of keys: ids, and positions of first elements.
local function groups_of(keys, order)
  local firsts, group_of = {}, {}
  local function compare_rows(i, j)
    for _, key in ipairs(keys) do
      local result = compare(key[i], key[j])
      if result ~= 0 then return result end
    end
    return 0
  end
  for i = 0, #keys[1] - 1 do
    local found
    for g, first in ipairs(firsts) do found = found or compare_rows(first, i) == 0 and g end
    if not found then table.insert(firsts, i) end
    group_of[i] = found or #firsts
  end
  local numbers, sorted = {}, {}
  for g, first in ipairs(firsts) do sorted[g] = {first = first, group = g} end
  if order ~= "first" then
    table.sort(sorted, function(a, b) return compare_rows(a.first, b.first) < 0 end)
  end
  local ids, positions = {}, {}
  for number, entry in ipairs(sorted) do numbers[entry.group], positions[number] = number - 1, entry.first end
  for i = 0, #keys[1] - 1 do ids[i + 1] = numbers[group_of[i]] end
  return ids, positions
end

local DTYPES = {"float32", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool"}
if not support.lacks_float64 then table.insert(DTYPES, "float64") end

describe("group_by", function()
  it("numbers groups as a plain loop does", function()
    math.randomseed(1)
    for _, dtype in ipairs(DTYPES) do
      for time = 1, TIMES // 2 do
        local n, keys, order = math.random(0, 14), {}, any_of{"sorted", "first"}
        for k = 1, math.random(3) do keys[k] = random_key(n, k == 1 and dtype or any_of(DTYPES)) end
        local g = time % 2 == 1 and strew.group_by(keys, {order = order})
          or strew.group_by(keys[1], keys[2] or {order = order}, keys[2] and (keys[3] or {order = order}),
            keys[3] and {order = order})
        local ids, positions = groups_of(keys, order)
        assert.equal(#positions, g.n)
        assert.equal(n, g.length)
        same(int64(ids), g.ids)
        same(int64(positions), g.positions)
        assert.equal(#keys, #g.keys)
        for k, key in ipairs(keys) do same(key[int64(positions)], g.keys[k]) end
      end
    end
  end)

  it("sorts by default, NaN last, and shows the key of the first element", function()
    local g = strew.group_by(strew.tensor{nan, 0.0, -0.0, -nan, -1})
    same(strew.tensor{-1.0, 0.0, nan}, g.keys[1])
    same(strew.tensor{2, 1, 1, 2, 0}, g.ids)
    same(strew.tensor{-0.0}, strew.group_by(strew.tensor{-0.0, 0.0}).keys[1])
  end)

  it("does not depend on later changes of its keys", function()
    local key = strew.tensor{5, 3, 5}
    local g = strew.group_by(key)
    key:fill_(1)
    same(strew.tensor{3, 5}, g.keys[1])
    local index = strew.tensor{1, 0}
    local h = strew.grouping(index)
    index:fill_(7)
    same(strew.tensor{1, 0}, h.ids)
  end)

  it("gives the same on 1, 2 and 3 threads", function()
    if not ON_CPU then return end
    local n = 100000
    local few, wide, floats = strew.randint(0, 900, {n}), strew.randint(-2 ^ 60 // 1, 2 ^ 60 // 1, {n}), strew.randn(n)
    local some = few * 1000000007 * 91
    loops.same_on_threads(function()
      local list = {}
      for _, keys in ipairs{{few}, {wide}, {floats}, {some}, {few, some}, {wide, floats, few}} do
        for _, order in ipairs{"sorted", "first"} do
          local g = strew.group_by(keys, {order = order})
          table.move({g.ids, g.positions, g.counts, g:order(), g:starts(), g:sum(floats), g:cumsum(floats)}, 1, 7,
            #list + 1, list)
        end
      end
      return list
    end)
  end)
end)

-- A random grouping of n elements, sometimes with elements that have no group; src; and the elements of each group.
local function random_grouping(n, dtype)
  local size, drops = math.random(1, 5), math.random(2) == 1
  local list, members = {}, {}
  for g = 0, size - 1 do members[g] = {} end
  for i = 1, n do
    list[i] = math.random(drops and -1 or 0, size - 1)
    if list[i] >= 0 then table.insert(members[list[i]], i - 1) end
  end
  local g = strew.grouping(int64(list), {dim_size = size, mode = drops and "drop" or nil})
  return g, random_key(n, dtype), members
end

describe("a grouping", function()
  it("has what the plain loop finds", function()
    math.randomseed(2)
    for _ = 1, TIMES do
      local g, _, members = random_grouping(math.random(0, 12), "int64")
      local counts, positions, order, starts = {}, {}, {}, {0}
      for group = 0, g.n - 1 do
        counts[group + 1], positions[group + 1] = #members[group], members[group][1] or g.length
        table.move(members[group], 1, #members[group], #order + 1, order)
        starts[group + 2] = #order
      end
      same(int64(counts), g.counts)
      same(int64(positions), g.positions)
      same(int64(order), g:order())
      same(int64(starts), g:starts())
      assert.equal(0, #g.keys)
      assert.equal(strew.zeros(1).device, g.device)
      assert.is_nil(strew.type(g))
    end
  end)

  it("stands in place of an index in every scatter_*", function()
    math.randomseed(3)
    local words = {"sum", "mul", "mean", "min", "max", "var", "std", "logsumexp", "softmax", "log_softmax", "median",
      "nunique", "any", "all", "first", "last"}
    for _ = 1, TIMES do
      local n = math.random(1, 12)
      local g, src = random_grouping(n, "float32")
      local index, wide = g.ids:clone(), strew.stack({src, src + 1}, 1)
      for _, case in ipairs{{src, -1}, {wide, 0}, {wide:t(), 1}} do
        for _, word in ipairs(words) do
          local f = strew["scatter_" .. word]
          local own, options = {dim = case[2]}, {dim = case[2], dim_size = g.n, mode = "drop"}
          if math.random(3) == 1 and not word:find "softmax" then own.skip_nan, options.skip_nan = true, true end
          assert.equal(support.texts(f, case[1], index, options), support.texts(f, case[1], g, own), word)
        end
        assert.equal(support.texts(strew.scatter, case[1], index, {dim = case[2], dim_size = g.n, mode = "drop"}),
          support.texts(strew.scatter, case[1], g, {dim = case[2]}))
        assert.equal(
          support.texts(strew.scatter_quantile, case[1], index, 0.3, {dim = case[2], dim_size = g.n, mode = "drop"}),
          support.texts(case[1].scatter_quantile, case[1], g, 0.3, {dim = case[2]}))
      end
      same(strew.scatter_count(index, {dim_size = g.n, mode = "drop"}), strew.scatter_count(g))
    end
  end)

  it("has the reductions as methods", function()
    math.randomseed(4)
    local words = {sum = "sum", prod = "mul", mean = "mean", min = "min", max = "max", var = "var",
      logsumexp = "logsumexp", softmax = "softmax", log_softmax = "log_softmax", lower_median = "median",
      nunique = "nunique", any = "any", all = "all", first = "first", last = "last"}
    local has_nan = {mean = true, min = true, max = true, first = true, last = true}
    for _ = 1, TIMES // 2 do
      local g, src = random_grouping(math.random(1, 12), "float32")
      for method, word in pairs(words) do
        -- Where the group form has 0 for a group without elements, some methods have NaN: group_numbers_spec.lua.
        local own = has_nan[method] and {fill = nan} or {}
        if method ~= "var" or not g.counts:le(1):any():item() then
          assert.equal(support.texts(strew["scatter_" .. word], src, g, own), support.texts(g[method], g, src), method)
        end
      end
      same(strew.scatter_quantile(src, g, 0.7), g:quantile(src, 0.7))
      same(strew.scatter_quantile(src, g, 0.7, {interpolation = "lower", fill = 5, skip_nan = true}),
        g:quantile(src, 0.7, {interpolation = "lower", fill = 5, skip_nan = true}))
      same(g.counts, g:count())
      same(g.counts, g:count(src))
      same(strew.scatter_sum(src:eq(src):to("int64"), g), g:count(src, {skip_nan = true}))
      same(strew.scatter_sum(src, g, {fill = 7, skip_nan = true}), g:sum(src, {fill = 7, skip_nan = true}))
      local wide = strew.stack({src, src}, 1)
      local all = strew.grouping(g.ids:clamp(0)) -- has no group without elements
      if all.counts:ne(0):all():item() then
        same(strew.scatter_var(wide, all, {dim = 0, unbiased = false}), all:var(wide, 0, {unbiased = false}))
      end
    end
  end)

  it("adds to a given result, which may be longer", function()
    local g = strew.group_by(strew.tensor{4, 2, 4})
    local out = strew.tensor{1.0, 2, 3, 4}
    assert.equal(out, g:sum(strew.tensor{10.0, 20, 30}, {out = out}))
    same(strew.tensor{21.0, 42, 3, 4}, out)
    out = strew.tensor{0.0, 0, 5}
    g:logsumexp(strew.tensor{1.0, 0, -inf}, {out = out})
    assert.is_true(strew.allclose(out, strew.tensor{math.log(2), math.log(1 + math.exp(1)), 5}))
    same(strew.tensor{true, true, false}, g:any(strew.tensor{1, 1, 0}, {out = strew.tensor{false, false, false}}))
  end)

  it("sorts, ranks, chooses and adds up within groups", function()
    math.randomseed(5)
    for _, dtype in ipairs(DTYPES) do
      for _ = 1, TIMES // 4 do
        local g, src, members = random_grouping(math.random(0, 12), dtype)
        local descending, k = math.random(2) == 1, math.random(0, 3)
        local order, ranks, values, positions, groups, sums = {}, {}, {}, {}, {}, {}
        for i = 1, g.length do ranks[i], sums[i] = -1, 0 end
        local function before(a, b)
          local is_missing = src[a] ~= src[a] or src[b] ~= src[b] -- last in both directions
          local result = compare(src[a], src[b]) * (descending and not is_missing and -1 or 1)
          return result < 0 or result == 0 and a < b
        end
        local is_exact = not is_float(dtype)
        for group = 0, g.n - 1 do
          local sum = 0
          for _, i in ipairs(members[group]) do
            sum = sum + (dtype == "bool" and (src[i] and 1 or 0) or src[i])
            sums[i + 1] = sum
          end
          table.sort(members[group], before)
          for rank, i in ipairs(members[group]) do
            table.insert(order, i)
            ranks[i + 1] = rank - 1
            if rank <= k then
              table.insert(values, src[i])
              table.insert(positions, i)
              table.insert(groups, group)
            end
          end
        end
        same(int64(order), g:argsort(src, descending))
        same(int64(ranks), g:rank(src, descending))
        local top, at, of = g:topk(src, k, descending)
        same(loops.tensor(values, {#values}, dtype), top)
        same(int64(positions), at)
        same(int64(groups), of)
        if is_exact then
          same(loops.tensor(sums, {#sums}, dtype == "uint8" and "uint64" or "int64"), g:cumsum(src))
        end
      end
    end
    local g = strew.grouping(strew.tensor{0, 0, 1, 0})
    same(strew.tensor{-0.0 + 0.0, 1e8, 5, 1e8}, g:cumsum(strew.tensor{-0.0, 1e8, 5, 1}))
  end)

  it("is moved to another device with what it has", function()
    local g = strew.group_by(strew.tensor{7, 5, 7})
    local order = g:order()
    local moved = g:to("cpu"):to(g.device)
    same(order, moved:order())
    same(g.ids, moved.ids)
    same(strew.tensor{5, 7}, moved.keys[1])
    same(strew.tensor{2.0, 4}, moved:sum(strew.tensor{1.0, 2, 3}))
  end)

  it("is freed at once", function()
    do
      local g <close> = strew.group_by(strew.tensor{7, 5, 7})
      assert.truthy(tostring(g):find("^grouping of 3 elements, 2 groups, "))
      local h = strew.grouping(g.ids)
      h:free()
      assert.equal("grouping (freed)", tostring(h))
      assert.equal("n: 'self' was freed", support.message(function() return h.n end))
      assert.equal("sum: 'self' was freed", support.message(h.sum, h, strew.ones(3)))
      assert.equal("scatter: 'index' was freed", support.message(strew.scatter, strew.ones(3), h))
    end
  end)

  it("cannot be written", function()
    local g = strew.group_by(strew.tensor{7, 5, 7})
    local copy = g.ids:clone()
    for _, t in ipairs{g.ids, g.counts, g.positions, g:order(), g:starts(), g.keys[1], g.ids:narrow(0, 0, 2)} do
      for _, write in ipairs{
        function() t:zero_() end, function() t:fill_(1) end, function() t[0] = 1 end, function() t:set(0, 1) end,
        function() t:add_(1) end, function() t:copy_(t:clone()) end, function() t[t:eq(t)] = 0 end,
        function() t:scatter_(0, strew.tensor{0}, 1) end, function() t:index_fill_(0, strew.tensor{0}, 1) end,
        function() t:put_(strew.tensor{0}, strew.tensor{9}) end, function() t:clamp_(0, 0) end,
        function() t:masked_fill_(t:eq(t), 0) end, function() t:cumsum_(0) end,
        function() t:index_add_(0, strew.tensor{0}, strew.tensor{9}) end,
      } do
        local message = support.message(write)
        assert.truthy(message:find("belongs to a grouping, which never changes", 1, true), message)
      end
    end
    same(copy, g.ids)
    assert.equal('g.name = v: "n" cannot be set: a grouping never changes',
      support.message(function() g.n = 3 end))
  end)
end)

describe("groupings of bad operands", function()
  it("are refused where memory ends", function()
    local g = strew.grouping(strew.tensor{1 << 40, 0}, {dim_size = 1 << 62})
    assert.matches("cumsum: out of memory", support.message(g.cumsum, g, strew.tensor{1.0, 2}))
  end)

  it("may come in long tables", function()
    local x, keys = {}, {}
    for i = 1, 16 do x[i], keys[i] = strew.tensor{1, 2}, i end
    for _ = 1, 100 do
      coroutine.wrap(function() pcall(strew.pivot, x, keys, keys, keys, "sum") end)()
    end
    for n = 40, 300, 20 do
      local many = {}
      for i = 1, n do many[i] = i end
      coroutine.wrap(function() strew.grad(function(t) return t:sum() end)(strew.ones(2), table.unpack(many)) end)()
    end
  end)

  it("are refused by agg and strew.code, however they are called", function()
    local insert = table.insert
    local g = strew.group_by(strew.tensor{1, 2})
    g:agg{a = {"sum", strew.tensor{1, 2}}}
    rawset(table, "insert", function(list, entry) for _ = 1, 5000 do insert(list, entry) end end)
    local ok, sums = pcall(g.agg, g, {a = {"sum", strew.tensor{1, 2}}})
    rawset(table, "insert", insert)
    assert.is_true(ok and strew.equal(sums.a, strew.tensor{1, 2})) -- it has an insert of its own
    local x = strew.columns({v = strew.tensor{0, 1}}, nil, {v = {"aa", "b"}})
    x.words.v = ("a"):rep(100)
    assert.is_false(pcall(strew.code, x, "v", "aab"))
  end)
end)

describe("gradients through groupings", function()
  it("are those of the group form", function()
    local keys, v, w = strew.tensor{4, 2, 4}, strew.tensor{1.0, 2, 3}, strew.tensor{1.0, 10}
    local g = strew.group_by(keys)
    local index = g.ids:clone()
    local words = {sum = "sum", prod = "mul", mean = "mean", min = "min", max = "max", logsumexp = "logsumexp",
      first = "first", last = "last", lower_median = "median"}
    for method, word in pairs(words) do
      local expected = strew.grad(function(x) return (strew["scatter_" .. word](x, index) * w):sum() end)(v)
      same(expected, strew.grad(function(x) return (g[method](g, x) * w):sum() end)(v), method)
      local function of_agg(x)
        return (g:agg{a = {method, x}, b = {"sum", x}}.a * w):sum()
      end
      same(expected, strew.grad(of_agg)(v), method)
    end
    same(strew.tensor{0.0, 1, 1}, strew.grad(function(x) return (g:topk(x, 1)):sum() end)(v))
    same(strew.tensor{1.0, 1, 1}, strew.grad(function(x) return strew.group_by(x):sum(x):sum() end)(v))
    same(strew.tensor{2.0, 1, 1}, strew.grad(function(x) return g:cumsum(x):sum() end)(v))
  end)
end)

describe("agg", function()
  local function rows(x)
    local list = {}
    for i, name in ipairs(x.names) do list[i] = name .. " " .. support.text(x[name]) end
    return table.concat(list, "; ")
  end

  it("gives what the methods give, keys first", function()
    math.randomseed(6)
    local words = {"sum", "prod", "mean", "var", "std", "min", "max", "any", "all", "first", "last", "median",
      "lower_median", "nunique", "logsumexp", "count"}
    for _ = 1, TIMES // 2 do
      local n = math.random(1, 12)
      local g = strew.group_by(random_key(n, "int8"), random_key(n, "bool"))
      local what, expected, names = {}, {}, {}
      for i = 1, math.random(1, 6) do
        local word, src = any_of(words), random_key(n, "float32")
        local options = math.random(2) == 1 and {skip_nan = true} or {}
        what["c" .. i] = {word, src, skip_nan = options.skip_nan}
        expected["c" .. i] = (g[word](g, src, options))
        table.insert(names, "c" .. i)
      end
      what.n, expected.n = "count", g.counts
      table.insert(names, "n")
      local x = g:agg(what)
      table.insert(names, 1, "key2")
      table.insert(names, 1, "key1")
      assert.same(names, x.names)
      same(g.keys[1], x.key1)
      same(g.keys[2], x.key2)
      for name, t in pairs(expected) do same(t, x[name], name) end
    end
  end)

  it("takes the options of each method", function()
    if support.lacks_float64 then return pending "without float64, which the device lacks" end
    local g, v = strew.group_by(strew.tensor{1, 2, 1}), strew.tensor{1, 2, 4}
    assert.equal("key int64[2] {1, 2}; a float64[2] {2.5, 2.0}; b int64[2] {5, 2}; q float32[2] {2.5, 2.0}",
      rows(g:agg{a = {"mean", v, dtype = "float64"}, b = {"sum", v}, q = {"quantile", v:to("float32"), q = 0.5}}))
    local d = strew.grouping(strew.tensor{2, 0}, {dim_size = 3})
    assert.equal("a int64[3] {4, 7, 3}; b int64[3] {4, 7, 3}; n int64[3] {1, 0, 1}",
      rows(d:agg{a = {"sum", strew.tensor{3, 4}, fill = 7}, b = {"min", strew.tensor{3, 4}, fill = 7}, n = "count"}))
    same(strew.tensor{5, 2}, g:agg{s = {"sum", v}}.s:add_(0)) -- a result may be written
    local twice = g:agg{s = {"sum", v}, t = {"sum", v}, n = "count"}
    twice.s:zero_()
    twice.n:zero_()
    same(strew.tensor{5, 2}, twice.t)
    same(strew.tensor{2, 1}, g.counts)
  end)

  it("makes more reductions than share a walk", function()
    local g, v, what = strew.group_by(strew.tensor{1, 2, 1}), strew.tensor{1, 2, 4}, {}
    for i = 1, 150 do what["c" .. i] = {i % 2 == 0 and "sum" or "max", v} end
    local x = g:agg(what)
    for i = 1, 150 do same(strew.tensor(i % 2 == 0 and {5, 2} or {4, 2}), x["c" .. i]) end
  end)
end)

describe("errors of groupings", function()
  it("name what is wrong", function()
    local environment = {
      strew = strew, g = strew.group_by(strew.tensor{4, 2, 4}), v = strew.tensor{1.0, 2, 3}, w = strew.ones(2),
      square = strew.ones(3, 3), k = strew.tensor{1, 2, 3},
    }
    local function refused(code, message)
      local f = assert(load(code, code, "t", environment))
      assert.equal(message, (support.message(f):gsub("\n  [^h][^\n]*", "")), code)
    end
    refused("strew.group_by()", "group_by: 'keys' is missing, the arguments are (keys [, {order =}])")
    refused("strew.group_by(k, w)", "group_by: 'keys' has 2 elements at [2], 3 at [1]: lengths must be equal")
    refused("strew.group_by(square)", "group_by: 'keys' has 2 dimensions at [1], expected 1\n"
      .. "  hint     one key for each row: a column of the matrix, or several")
    refused("strew.group_by(strew.tensor(1))", "group_by: 'keys' has 0 dimensions at [1], expected 1")
    refused("strew.group_by(k, {order = 'sorte'})",
      "group_by: 'order' is \"sorte\", expected \"sorted\" or \"first\"\n  hint  did you mean 'sorted'?")
    refused("strew.group_by(k, {by = 1})", "group_by: 'options' has unknown key \"by\", expected order")
    refused("strew.group_by({k, 5})", "group_by: 'keys' holds 5 at [2], expected a tensor")
    refused("local f = k:clone() f:free() strew.group_by(k, f)", "group_by: 'keys' was freed")
    refused("local f = k:clone() f:free() strew.group_by{k, f}",
      "group_by: 'keys' holds a tensor at [2] that was freed")
    refused("strew.grouping(v)",
      "grouping: 'index' is float32, expected an integer dtype\n  hint   index:to(\"int64\")")
    refused("strew.grouping(k, {dim_size = 3})",
      "grouping: 'index' has value 3 at [2], out of range for dim 0 of the grouping (size 3, valid 0..2)\n"
      .. "  hint   all values lie in 1..3: were they counted from 1? index - 1 counts from 0")
    refused("strew.grouping(k, {dim_size = -3})", "grouping: 'dim_size' is -3, expected 0 or more")
    refused("strew.grouping(square:to('int64'))",
      "grouping: 'index' has 2 dimensions, expected 1\n  hint   index:flatten()")
    refused("strew.grouping(g)", "grouping: 'index' is a grouping, expected a tensor")
    for _, name in ipairs{"sum", "mean", "min", "var", "any", "median", "first", "nunique", "logsumexp", "softmax"} do
      refused(("g:%s(w)"):format(name), name .. ": 'src' has size 2 in dim 0, the grouping has 3 elements")
      refused(("g:%s(v, 2)"):format(name), name .. ": 'dim' is 2, out of range for 1 dimension (valid -1..0)")
    end
    refused("strew.scatter(v, g, {dim_size = 2})",
      "scatter: 'dim_size' cannot be combined with a grouping, which has 2 groups")
    refused("strew.scatter_var(v, g, {dim_size = 2})",
      "scatter_var: 'dim_size' cannot be combined with a grouping, which has 2 groups")
    refused("strew.scatter_softmax(v, g, {mode = 'drop'})",
      "scatter_softmax: 'mode' cannot be combined with a grouping, which has checked its ids")
    refused("strew.scatter_first(v, g, {mode = 'drop'})",
      "scatter_first: 'mode' cannot be combined with a grouping, which has checked its ids")
    refused("strew.scatter_count(g, {dim_size = 2})",
      "scatter_count: 'dim_size' cannot be combined with a grouping, which has 2 groups")
    refused("strew.scatter_sum(v, g, {out = strew.zeros(1)})", "scatter_sum: 'index' has value 1 at [0], out of range "
      .. "for dim 0 of out (size 1, valid 0..0)\n  hint   was it counted from 1? index - 1 counts from 0")
    for _, name in ipairs{"argsort", "rank", "cumsum"} do
      refused(("g:%s(w)"):format(name), name .. ": 'src' has 2 elements, the grouping has 3")
      refused(("g:%s(square)"):format(name), name .. ": 'src' has 2 dimensions, expected 1")
    end
    refused("g:topk(v, -1)", "topk: 'k' is -1, expected 0 or more")
    refused("g:topk(v)", "topk: 'k' is missing, the arguments are (self, src, k [, largest] [, {nulls =}])")
    refused("g.sum(v)", "sum: 'self' is a tensor, expected a grouping\n  hint  use : to call a method: g:sum(...)")
    refused("g.sum()", "sum: 'self' is missing, expected a grouping\n  hint  use : to call a method: g:sum(...)")
    refused("return g.count_", "grouping has no 'count_'\n  hint  did you mean 'count'?")
    refused("return g[1]", "grouping has no '1'\n  hint  for key, rows in g:each() do print(key, rows) end")
    refused("g:agg{}", "agg: 'what' is an empty table, expected reductions by name\n"
      .. "  hint  g:agg{total = {\"sum\", src}}")
    refused("g:agg{'count'}", "agg: 'what' has \"count\" at key 1, expected {name, reduction, src}\n"
      .. "  hint  g:agg{total = {\"sum\", src}}, or g:agg{{\"total\", \"sum\", src}}")
    refused("g:agg{x = v.sum}",
      "agg: 'what' has a function at key \"x\", expected a reduction as \"count\" or {\"sum\", src}")
    refused("g:agg{x = {'summ', v}}", "agg: 'what' has \"summ\" at key \"x\", expected sum, prod, mean, var, std, min, "
      .. "max, any, all, first, last, median, quantile, count, nunique, logsumexp, "
      .. "lower_median, mode or skew\n"
      .. "  hint  did you mean 'sum'?")
    refused("g:agg{x = 5}", "agg: 'what' has 5 at key \"x\", expected a reduction as \"count\" or {\"sum\", src}")
    refused("g:agg{x = {'sum'}}", "agg: 'what' has no tensor at key \"x\", expected a tensor to reduce")
    refused("g:agg{x = {'sum', 'price'}}",
      "agg: 'what' has the column \"price\" at key \"x\", but the grouping was not made from a table")
    refused("g:agg{x = {'sum', v, 3}}",
      "agg: 'what' has key 3 at key \"x\", expected a word, a tensor and options by name")
    refused("g:agg{key = 'count'}", "agg: 'what' has the name of a key, \"key\"")
    refused("g:agg{x = {'sum', w}}", "agg: 'x' has 2 elements, the grouping has 3")
    local floats = support.lacks_float64 and "float32" or "float64"
    refused("g:agg{x = {'logsumexp', k}}", "agg: 'x' is int64, expected a float dtype\n"
      .. ("  hint  strew.assign(x, {v = \"%s(v)\"}) converts a column v of x"):format(floats))
    refused("strew.pivot({a = k, b = k}, 'a', 'b', 'a', 'logsumexp')",
      "pivot: 'value' is int64, expected a float dtype\n"
      .. ("  hint  strew.assign(x, {v = \"%s(v)\"}) converts a column v of x"):format(floats))
    refused("g:agg{x = {'std', v, unbiased = true, correction = 1}}",
      "agg: 'what' has unbiased and correction at key \"x\", expected one of them")
    refused("g:std(v, {unbiased = true, correction = 0})", "std: 'unbiased' cannot be combined with 'correction'")
    refused("g:agg{x = {'sum', v, dim = 0}}",
      "agg: 'what' has an option \"dim\" of sum at key \"x\", expected dtype, exact, fill or skip_nan")
    refused("g:agg{x = {'quantile', v}}", "agg: 'what' has nil as q of a quantile at key \"x\", expected a number\n"
      .. "  hint  {\"quantile\", q = 0.5}")
    refused("g:agg{x = {'first', v, skip_nan = 1}}", "agg: 'skip_nan' is 1, expected a boolean")
    refused("g:agg{x = {'sum', v, skip_nan = 1}}", "agg: 'skip_nan' is 1, expected a boolean")
    refused("g:agg{x = {'min', v, unbiased = true}}",
      "agg: 'what' has an option \"unbiased\" of min at key \"x\", expected fill or skip_nan")
    refused("g:agg{a = {'sum', k, fill = 0.5}, b = {'max', k}}",
      "agg: 'fill' is 0.5, which int64 cannot hold: expected an integer in its range")
    refused("strew.sum(g)", "sum: 'self' is a grouping, expected a tensor")
  end)
end)

it("has the methods and fields that the prompt completes, and no others", function()
  local g, found = strew.group_by(strew.tensor{7, 5}), {}
  local source = support.get "lua_bindings/program/prompt/complete.lua"
  local function listed(what)
    local names = {}
    for name in source:match("grouping_" .. what .. " = (%b{})"):gmatch '"([%w_]+)"' do table.insert(names, name) end
    return names
  end
  for _, field in ipairs(listed "fields") do assert.not_equal("function", type(g[field]), field) end
  local get = debug.getmetatable(g).__index
  for i = 1, math.huge do
    local name, value = debug.getupvalue(get, i)
    if not name then break end
    for method in pairs(type(value) == "table" and value.agg and value or {}) do table.insert(found, method) end
  end
  table.sort(found)
  assert.same(found, listed "methods")
end)
