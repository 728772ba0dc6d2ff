-- exact_sums_spec.lua: strew.exact_sums against whole numbers of any length, in any order, parts and merges; and its
-- states: the same bytes for equal sums, an error for all others.
local strew = require "strew"
local oracle = require "tests.spec.exact_oracle"
local support = require "tests.spec.support"

local device = strew.zeros(1).device
local check, tensor, round, chosen = oracle.check, oracle.tensor, oracle.round, oracle.chosen
local EXACT <const> = {exact = true}

local floats = {"float32", "float16", "bfloat16"}
if not support.lacks_float64 then table.insert(floats, "float64") end

local function ids_of(list) return strew.tensor(list, {dtype = "int64"}) end
local function bytes(e) return string.char(table.unpack(e:state():to("cpu"):tolist())) end
local function state_of(text)
  return strew.tensor({text:byte(1, -1)}, {dtype = "uint8", device = "cpu"})
end
local function shuffle(list, other)
  for i = #list, 2, -1 do
    local j = math.random(i)
    list[i], list[j], other[i], other[j] = list[j], list[i], other[j], other[i]
  end
end

-- Adds the terms in parts of random lengths, by an index or a grouping, to several sums, and merges these.
local function add_in_parts(make, n, list, ids, dtype)
  local sums, at = {make(), make(), make()}, 0
  local x, index = tensor(list, dtype), ids_of(ids)
  while at < #list do
    local length, e = math.random(math.min(#list - at, 40)), sums[math.random(3)]
    local some, own = x:narrow(0, at, length), index:narrow(0, at, length)
    e:add(some, math.random(2) == 1 and own or strew.grouping(own, {dim_size = n}))
    at = at + length
  end
  local i = math.random(3)
  local first, second, third = sums[i], sums[i % 3 + 1], sums[(i + 1) % 3 + 1]
  return math.random(2) == 1 and first:merge(second:merge(third)) or third:merge(first):merge(second)
end

-- The checksum of a state: 64-bit FNV-1a.
local function sealed(text)
  local sum = 0xcbf29ce484222325
  for i = 1, #text - 8 do sum = (sum ~ text:byte(i)) * 0x100000001b3 end
  return text:sub(1, -9) .. string.pack("<i8", sum)
end

describe("sums that grow", function()
  before_each(function() math.randomseed(12) end)

  for _, dtype in ipairs(floats) do
    it("of " .. dtype .. " are the real sum, rounded once, in any order and parts", function()
      for trial = 1, device == "cpu" and 20 or 4 do
        local length, n = ({0, 1, 2, 17, 100, 400})[math.random(6)], math.random(4)
        local list, ids = oracle.draw(length, dtype, trial % 5), {}
        for i = 1, length do ids[i] = math.random(0, n - 1) end
        local function make() return strew.exact_sums(n, {squares = true}) end
        local e, sums, means, counts = make():add(tensor(list, dtype), ids_of(ids)), {}, {}, {}
        for g = 0, n - 1 do
          local own = chosen(list, ids, g)
          sums[g + 1], counts[g + 1] = round(own, 1, dtype), #own
          means[g + 1] = #own > 0 and round(own, #own, dtype) or 0 / 0
        end
        if length > 0 then assert.equal(dtype, e.dtype) end
        check(e:sum(), sums, "sum")
        check(e:mean(), means, "mean")
        assert.same(counts, e:count():tolist())
        local index, options = ids_of(ids), {dim_size = n, exact = true}
        local more = e:count():gt(1)
        for _, correction in ipairs{0, 1} do
          options.correction = correction
          local var = strew.scatter_var(tensor(list, dtype), index, options)
          check(strew.where(more, e:var{correction = correction}, 0),
            strew.where(more, var, 0):to("cpu"):to("float64"):tolist(), "var")
        end
        local state = bytes(e)
        for _ = 1, 3 do
          shuffle(list, ids)
          assert.equal(state, bytes(add_in_parts(make, n, list, ids, dtype)))
        end
        local read = strew.exact_sums(e:state())
        assert.equal(state, bytes(read))
        check(read:std(), e:std():to("cpu"):to("float64"):tolist(), "read")
        for i = 1, length do list[i] = -list[i] end
        read:add(tensor(list, dtype), ids_of(ids))
        check(read:sum(), strew.zeros(n):tolist(), "cancelled")
      end
    end)
  end

  it("of integers do not wrap: their sums are int64 or uint64, their means float64", function()
    for _, dtype in ipairs{"bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"} do
      local low, high = dtype:find "u" and 0 or -100, dtype == "bool" and 1 or 100
      if dtype == "bool" then low = 0 end
      local list, ids = {}, {}
      for i = 1, 50 do list[i], ids[i] = math.random(low, high), math.random(0, 2) end
      local x, index = strew.tensor(list, {dtype = "int64"}):to(dtype), ids_of(ids)
      local e = strew.exact_sums(3, {squares = true}):add(x, index:to "int8")
      local g = strew.grouping(index, {dim_size = 3})
      assert.equal(bytes(e), bytes(strew.exact_sums(3, {squares = true}):add(x, g)))
      assert.equal(dtype:find "u" and "uint64" or "int64", e.dtype)
      assert.same(g:sum(x):tolist(), e:sum():tolist())
      if not support.lacks_float64 then
        local wide = strew.tensor(list, {dtype = "float64"})
        check(e:mean(), g:mean(wide, EXACT):to("cpu"):tolist(), dtype)
        check(e:var(), g:var(wide, EXACT):to("cpu"):tolist(), dtype)
        check(e:sum{dtype = "float64"}, g:sum(wide, EXACT):to("cpu"):tolist(), dtype)
      end
    end
    local most, least = math.maxinteger, math.mininteger
    local e = strew.exact_sums(2):add(ids_of{most, least, most, least, 1}, ids_of{0, 0, 1, 1, 1})
    assert.same({-1, 0}, e:sum():tolist())
    e:add(ids_of{most, least}, ids_of{0, 1})
    assert.same({most - 1, least}, e:sum():tolist())
    e:add(-1, 1)
    local ok, message = pcall(e.sum, e)
    assert.is_false(ok)
    assert.truthy(message:find("sum: 'self' has a sum at [1] that int64 cannot hold", 1, true))
    if not support.lacks_float64 then check(e:sum{dtype = "float64"}, {0x1p63, -0x1p63}, "as a float") end
    local u = strew.exact_sums(1):add(strew.tensor({-1}, {dtype = "int64"}):to "uint64")
    assert.equal("uint64[1] " .. device .. "\n 18446744073709551615", tostring(u:sum()))
    assert.has_error(function() u:add(1):sum() end)
    u:add(-2)
    assert.equal("int64", u.dtype)
    assert.has_error(function() u:sum() end)
  end)

  it("have the dtype of their terms, or the given one", function()
    if support.lacks_float64 then return pending "without float64, which the device lacks" end
    local half, single = tensor({1.5}, "float16"), tensor({0.1}, "float32")
    local index = ids_of{0}
    assert.equal("float32", strew.exact_sums(1).dtype)
    assert.equal("float32", strew.exact_sums(1):add(half:narrow(0, 0, 0), ids_of{}).dtype)
    assert.equal("float32", strew.exact_sums(1):add(half, ids_of{1}, {mode = "drop"}).dtype)
    assert.equal("float16", strew.exact_sums(1):add(half, index).dtype)
    assert.equal("float32", strew.exact_sums(1):add(half, index):add(tensor({1}, "bfloat16"), index).dtype)
    assert.equal("float16", strew.exact_sums(1):add(3, 0):add(half, index).dtype)
    assert.equal("int64", strew.exact_sums(1):add(strew.tensor({1}, {dtype = "uint8"}), index):add(3, 0).dtype)
    local a, b = strew.exact_sums(1):add(half, index), strew.exact_sums(1):add(single, index)
    assert.equal(bytes(strew.exact_sums(1):merge(a):merge(b)), bytes(strew.exact_sums(1):merge(b):merge(a)))
    local e, others = strew.exact_sums(4):add(strew.tensor{1.5}, 3), strew.exact_sums(3)
    others:add(strew.tensor{1e8, 0.5, 3}, ids_of{0, 1, 2})
    local last = round({1.5, 1e8, 3}, 1, "float32")
    check(e:merge(others, ids_of{3, 1, 3}:to "int32"):sum(), {0.0, 0.5, 0.0, last}, "at an index")
    assert.same({0, 1, 0, 3}, e:count():tolist())
    check(e:merge(strew.exact_sums(0), strew.tensor({}, {dtype = "int64"})):mean(), {0 / 0, 0.5, 0 / 0,
      round({1.5, 1e8, 3}, 3, "float32")}, "with none")
    local given = strew.exact_sums(1, {dtype = "float16"}):add(single, index)
    assert.equal("float16", given.dtype)
    check(given:sum(), tensor({0.1}, "float16"):to("float64"):tolist(), "rounded")
    assert.has_error(function() strew.exact_sums(1, {dtype = "int64"}):add(single, index) end)
    assert.has_error(function() strew.exact_sums(1, {dtype = "int64"}):merge(b) end)
    for _, dtype in ipairs{"int32", "bool"} do
      assert.has_error(function() strew.exact_sums(1, {dtype = dtype}) end)
      assert.has_error(function() strew.exact_sums(1):add(3, 0):sum{dtype = dtype} end)
    end
    assert.has_error(function() b:sum{dtype = "int64"} end)
    assert.has_error(function() b:mean{dtype = "int64"} end)
    assert.has_error(function() b:add(strew.tensor{"a"}, index) end)
  end)

  it("of a single sum take terms without an index, and have the cases of Math.sumPrecise", function()
    local inf <const>, nan <const>, MAX <const> = math.huge, 0 / 0, 0x1.fffffffffffffp1023
    if support.lacks_float64 then return end
    for _, case in ipairs{
      {{}, 0.0}, {{1e308, 1e308, 0.1, 0.1, 1e30, 0.1, -1e30, -1e308, -1e308}, 0.30000000000000004}, {{-MAX}, -MAX},
      {{MAX, MAX, -MAX}, MAX}, {{MAX, MAX}, inf}, {{inf, -inf}, nan}, {{inf, inf}, inf}, {{-inf, 1.0}, -inf},
      {{nan, 1.0}, nan}, {{-0.0, -0.0}, -0.0}, {{-0.0, 0.0}, 0.0}, {{1e30, 0.1, -1e30}, 0.1}} do
      local whole, each = strew.exact_sums(1, {dtype = "float64"}), strew.exact_sums(1, {dtype = "float64"})
      whole:add(tensor(case[1], "float64"))
      for _, x in ipairs(case[1]) do each:add(x) end
      check(whole:sum(), {case[2]}, table.concat(case[1], " "))
      assert.equal(bytes(whole), bytes(each))
      check(strew.exact_sums(whole:state()):sum(), {case[2]}, "read")
      if #case[1] > 0 then
        check(strew.exact_sums(1):add(tensor(case[1], "float64"), strew.zeros({#case[1]}, {dtype = "int64"})):sum(),
          {case[2] == 0 and 0.0 or case[2]}, "by an index")
      end
    end
    local zeros = strew.exact_sums(1, {dtype = "float64"}):add(-0.0)
    check(zeros:merge(strew.exact_sums(1)):sum(), {-0.0}, "merged with nothing")
    check(strew.exact_sums(1):merge(zeros):mean(), {-0.0}, "the mean")
    check(zeros:add(0.0):add(-0.0):sum(), {0.0}, "a zero")
  end)

  it("have infinities and NaN where there is one", function()
    if support.lacks_float64 then return pending "without float64, which the device lacks" end
    local inf <const>, nan <const> = math.huge, 0 / 0
    local x, g = strew.tensor{1.0, inf, nan, -inf, inf, -inf, 2}, strew.tensor{0, 1, 2, 3, 4, 4, 0}
    local e = strew.exact_sums(6, {squares = true}):add(x, g)
    check(e:sum(), {3.0, inf, nan, -inf, nan, 0.0}, "sum")
    check(e:mean(), {1.5, inf, nan, -inf, nan, nan}, "mean")
    check(e:var(), {0.5, nan, nan, nan, nan, nan}, "var")
    check(e:std{unbiased = false}, {0.5, nan, nan, nan, nan, nan}, "std")
    check(strew.exact_sums(e:state()):sum(), {3.0, inf, nan, -inf, nan, 0.0}, "read")
    e = strew.exact_sums(6):add(x, g, {skip_nan = true})
    check(e:sum(), {3.0, inf, 0.0, -inf, nan, 0.0}, "without NaN")
    assert.same({2, 1, 0, 1, 2, 0}, e:count():tolist())
    e = strew.exact_sums(1):add(strew.tensor{1.0, nan, 2}, {skip_nan = true})
    check(e:mean(), {1.5}, "a single one without NaN")
    check(strew.exact_sums(1):add(1.0):merge(strew.exact_sums(1):add(inf)):sum(), {inf}, "merged")
    local function state(list, index)
      local own = strew.exact_sums(1, {squares = true})
      return bytes(index and own:add(strew.tensor(list), strew.zeros({#list}, {dtype = "int64"})) or
        own:add(strew.tensor(list)))
    end
    assert.equal(state({1.0, inf}), state({inf, inf}, true))
    assert.equal(state({inf, -inf, 3}), state({2, nan, 1.0}, true))
    assert.equal(state({-0.0, -0.0}, true), state({0.0, -0.0}))
    assert.are_not.equal(state{-0.0, -0.0}, state{0.0, -0.0})
    assert.are_not.equal(state{inf}, state{-inf})
  end)

  it("take an index of src's shape, numbers, modes and groupings", function()
    if support.lacks_float64 then return pending "without float64, which the device lacks" end
    local x = strew.tensor{{1.0, 2}, {4, 8}}
    check(strew.exact_sums(3):add(x, strew.tensor{{0, 2}, {2, 0}}):sum(), {9.0, 0.0, 6.0}, "two dimensions")
    check(strew.exact_sums(3):add(x:t(), strew.tensor{{0, 2}, {2, 0}}):sum(), {9.0, 0.0, 6.0}, "a view")
    check(strew.exact_sums(3):add(x, 1):sum(), {0.0, 15.0, 0.0}, "a number as the index")
    check(strew.exact_sums(3):add(x, strew.tensor(1)):sum(), {0.0, 15.0, 0.0}, "an index of rank 0")
    check(strew.exact_sums(3):add(0.5, strew.tensor{0, 2, 2}):sum(), {0.5, 0.0, 1.0}, "a number as src")
    check(strew.exact_sums(3):add(strew.tensor(0.5), strew.tensor{{0}, {2}}):sum(), {0.5, 0.0, 0.5}, "src of rank 0")
    check(strew.exact_sums(3):add(0.5, 2):sum(), {0.0, 0.0, 0.5}, "numbers")
    check(strew.exact_sums(1):add(x):sum(), {15.0}, "no index")
    check(strew.exact_sums(1):add(strew.tensor(2.5)):sum(), {2.5}, "rank 0")
    check(strew.exact_sums(0):add(strew.zeros(0), ids_of{}):sum(), {}, "none")
    check(strew.exact_sums(2):add(strew.zeros(0), ids_of{}):sum(), {0.0, 0.0}, "no terms")
    local line, index = strew.tensor{1.0, 2, 4, 8}, strew.tensor{-1, 0, 1, 2}
    check(strew.exact_sums(2):add(line, index, {mode = "drop"}):sum(), {2.0, 4.0}, "drop")
    check(strew.exact_sums(2):add(line, index, {mode = "clip"}):sum(), {3.0, 12.0}, "clip")
    check(strew.exact_sums(3):add(line, index, {mode = "wrap"}):sum(), {2.0, 4.0, 9.0}, "wrap")
    local drops = strew.grouping(index, {dim_size = 2, mode = "drop"})
    check(strew.exact_sums(4):add(line, drops):sum(), {2.0, 4.0, 0.0, 0.0}, "a grouping")
    check(strew.exact_sums(2):add(strew.expr "x * 2":with{x = line:narrow(0, 0, 2)}, strew.tensor{0, 1}):sum(),
      {2.0, 4.0}, "a bound expression")
    local e = strew.exact_sums(2)
    assert.equal(e, e:add{src = line, index = 1})
    check(e:add(line, {index = strew.tensor{0, 0, 0, 1}}):sum(), {7.0, 23.0}, "by name")
  end)

  it("do not change where a call fails", function()
    local e = strew.exact_sums(3, {squares = true}):add(strew.tensor{1.0, 2}, strew.tensor{0, 2})
    local state, line = bytes(e), strew.tensor{1.0, 2, 4}
    local function fails(text, f, ...)
      local ok, message = pcall(f, ...)
      assert.is_false(ok)
      assert.truthy(message:find(text, 1, true), message)
      assert.equal(state, bytes(e))
    end
    fails("add: 'index' has value 3 at [1], out of range", e.add, e, line, strew.tensor{0, 3, 1})
    fails("add: 'index' has value -1 at [0, 1], out of range for dim 0 of the sums", e.add, e, strew.ones(1, 3),
      strew.tensor{{0, -1, 1}})
    fails("add: 'index' is missing, expected for 3 sums", e.add, e, line)
    fails("add: 'index' has size 2 where src has 3", e.add, e, line, strew.tensor{0, 1})
    fails("add: 'index' has shape [3], expected that of src or rank 0", e.add, e, strew.ones(3, 3),
      strew.tensor{0, 1, 2})
    fails("add: 'index' is float32", e.add, e, line, line)
    fails("add: 'index' has 4 groups, expected at most 3", e.add, e, line,
      strew.grouping(ids_of{0, 1, 2}, {dim_size = 4}))
    fails("add: 'src' is text", e.add, e, strew.tensor{"a"}, strew.tensor{0})
    fails("add: 'self' is a tensor, expected exact sums", e.add, line, line)
    fails("merge: 'other' has 2 sums, expected 3", e.merge, e, strew.exact_sums(2, {squares = true}))
    fails("merge: 'other' was made without squares, expected them", e.merge, e, strew.exact_sums(3))
    fails("merge: 'other' is 3, expected exact sums", e.merge, e, 3)
    local two = strew.exact_sums(2, {squares = true}):add(1.0, 0)
    fails("merge: 'other' is self, expected others with an index", e.merge, e, e, ids_of{0, 1, 2})
    fails("merge: 'index' has 1 dimensions and 3 elements, expected 1 and 2", e.merge, e, two, ids_of{0, 1, 2})
    fails("merge: 'index' has value 3 at [1], out of range for dim 0 of the sums", e.merge, e, two, ids_of{0, 3})
    fails("merge: 'index' has value -1 at [0]", e.merge, e, two, ids_of{-1, 0})
    fails("merge: 'index' is float32", e.merge, e, two, strew.tensor{0.5, 1})
    fails("var: 'self' was made without squares", function() strew.exact_sums(3):var() end)
    fails("exact sums has no 'summ'", function() return e.summ end)
    fails("exact_sums: 'n' is -1, expected 0 or more", strew.exact_sums, -1)
    fails("out of memory", strew.exact_sums, math.maxinteger)
    fails("out of memory", strew.exact_sums, 1 << 44)
    local closed = strew.exact_sums(1)
    do local _ <close> = closed end
    assert.has_error(function() closed:sum() end)
    assert.equal("exact sums (closed)", tostring(closed))
    assert.equal("exact sums: 3 of float32, " .. device .. ", with squares", tostring(e))
    assert.same({3, true, device}, {e.n, e.squares, e.device})
    check(e:merge(e):sum(), {2.0, 0.0, 4.0}, "merged with itself")
  end)

  it("read chunks of a file with keys, in any order", function()
    if support.lacks_float64 then return pending "without float64, which the device lacks" end
    local path = os.tmpname()
    local lines = {"k,v"}
    for i = 1, 200 do
      local v = math.random() * 10 ^ math.random(0, 9)
      lines[i + 1] = ("%s,%.3f"):format(({"a", "b", "c"})[math.random(3)], v)
    end
    local function sums(order, rows)
      local file = assert(io.open(path .. ".csv", "w"))
      file:write(table.concat(order, "\n"), "\n")
      file:close()
      local keys, e = strew.key_table(1), strew.exact_sums(3, {squares = true})
      keys:ids(strew.tensor{"a", "b", "c"})
      for chunk in strew.chunks(path .. ".csv", {rows = rows, device = "cpu"}) do e:add(chunk.v, keys:ids(chunk.k)) end
      return e
    end
    local e = sums(lines, 1000)
    assert.equal("float64", e.dtype)
    local x = strew.load(path .. ".csv", {device = "cpu"})
    check(e:sum{dtype = "float64"}, strew.group_by(x, "k"):sum(x.v, EXACT):tolist(), "the sums")
    local other = {lines[1]}
    for i = #lines, 2, -1 do table.insert(other, lines[i]) end
    assert.equal(bytes(e), bytes(sums(other, 7)))
    os.remove(path)
    os.remove(path .. ".csv")
  end)
end)

describe("states of exact sums", function()
  before_each(function() math.randomseed(13) end)

  local function example()
    local x = strew.tensor{1.0, 0.1, -3.5, 1e30, 0 / 0, 1 / 0, -2, 2e-30}
    return strew.exact_sums(5, {squares = true}):add(x, strew.tensor{0, 0, 1, 1, 2, 3, 3, 1})
  end

  it("have the bytes that strew.h states", function()
    local e = strew.exact_sums(2, {squares = true}):add(strew.tensor{1.0, -0.5}, strew.tensor{1, 1})
    -- 0.5 is bit 1073 of the sum, 17 of word 33; 1.25 are bits 2148 and 2146 of the square: 4 and 2 of word 67
    local text = "strewsum" .. string.pack("<BBBBBBBBI8", 1, 3, 1, 0, 0, 0, 0, 0, 2)
      .. string.pack("<I8BBBBB", 0, 0, 0, 0, 0, 0)
      .. string.pack("<I8BBBI4BBI4", 2, 0, 33, 1, 1 << 17, 67, 1, 1 << 4 | 1 << 2)
    assert.equal(sealed(text .. ("\0"):rep(8)), bytes(e))
    e = strew.exact_sums(1, {dtype = "float16"}):add(-0.0)
    text = "strewsum" .. string.pack("<BBBBBBBBI8", 1, 1, 2, 0, 0, 0, 0, 0, 1) .. string.pack("<I8BBB", 1, 8, 0, 0)
    assert.equal(sealed(text .. ("\0"):rep(8)), bytes(e))
    e = strew.exact_sums(1):add(-1, 0)
    text = "strewsum" .. string.pack("<BBBBBBBBI8", 1, 5, 0, 0, 0, 0, 0, 0, 1)
      .. string.pack("<I8BBBI4", 1, 0, 33, 1, -(1 << 18) & 0xffffffff)
    assert.equal(sealed(text .. ("\0"):rep(8)), bytes(e))
    assert.equal(device, e:state().device)
  end)

  it("that differ in a byte, or in length, are errors", function()
    local text = bytes(example())
    for i = 1, #text do
      local other = text:sub(1, i - 1) .. string.char(text:byte(i) ~ 1 << math.random(0, 7)) .. text:sub(i + 1)
      local ok, message = pcall(strew.exact_sums, state_of(other))
      assert.is_false(ok, "byte " .. i - 1)
      assert.truthy(message:find("exact_sums: 'state' has", 1, true), message)
    end
    for length = 0, #text - 1 do assert.is_false((pcall(strew.exact_sums, state_of(text:sub(1, length))))) end
    assert.is_false((pcall(strew.exact_sums, state_of(text .. "\0"))))
    assert.has_error(function() strew.exact_sums(strew.zeros(60)) end)
    assert.has_error(function() strew.exact_sums(strew.zeros({60, 1}, {dtype = "uint8"})) end)
  end)

  it("that are made up are errors, or are written again as they are", function()
    local accepted, whole = 0, strew.exact_sums(3, {squares = true}):add(ids_of{7, -1, 1 << 40}, ids_of{0, 1, 2})
    for _, e in ipairs{example(), whole} do
      local text = bytes(e)
      for trial = 1, 3000 do
        local list = {text:byte(1, -1)}
        for _ = 1, math.random(3) do
          local i = math.random(9, #list - 8)
          list[i] = math.random(3) == 1 and math.random(0, 255) or ({0, 1, 2, 8, 127, 255})[math.random(6)]
          if trial % 3 == 0 then table.remove(list, i) elseif trial % 3 == 1 then table.insert(list, i, list[i]) end
        end
        local other = sealed(string.char(table.unpack(list)))
        local ok, read = pcall(strew.exact_sums, state_of(other))
        if ok then
          accepted = accepted + 1
          assert.equal(other, bytes(read))
          for _, name in ipairs{"sum", "mean", "count", "var", "std"} do pcall(read[name], read) end
          for _ = 1, 3 do pcall(read.merge, read, read) end
          pcall(read.std, read)
        end
      end
    end
    assert.is_true(accepted > 50)
  end)

  it("of many sums are no large allocation", function()
    local head = "strewsum" .. string.pack("<BBBBBBBB", 1, 3, 1, 0, 0, 0, 0, 0)
    for _, n in ipairs{1, 1 << 20, 1 << 40, -1} do
      local ok, message = pcall(strew.exact_sums, state_of(sealed(head .. string.pack("<i8", n) .. ("\0"):rep(8))))
      assert.is_false(ok)
      assert.truthy(message:find("has a wrong number of sums at byte 16", 1, true), message)
    end
  end)
end)
