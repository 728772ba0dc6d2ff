-- uint16, uint32 and uint64: values above the largest signed one, promotion, indices, what Lua's numbers cannot hold.
local strew = require "strew"
local support = require "tests.spec.support"
local DTYPES = {"uint16", "uint32", "uint64"}

-- The elements 0, 1, half, half + 1, greatest of a dtype, where half is the least that its signed dtype lacks.
local function edges(dtype)
  local signed = dtype:sub(2)
  local least = strew.iinfo(signed).min
  return strew.tensor({0, 1, least, least + 1, -1}, {dtype = signed}):to(dtype)
end

-- Elements as text: those of uint64 may be no Lua integers.
local function shown(t)
  local words = {}
  for word in tostring(t):gsub("^[^\n]*\n", ""):gmatch "%S+" do words[#words + 1] = word end
  return table.concat(words, " ")
end

describe("unsigned integers", function()
  local text = {uint16 = "0 1 32768 32769 65535", uint32 = "0 1 2147483648 2147483649 4294967295",
                uint64 = "0 1 9223372036854775808 9223372036854775809 18446744073709551615"}

  it("print without a sign, and are ordered by value", function()
    for _, dtype in ipairs(DTYPES) do
      local t = edges(dtype)
      assert.equal(text[dtype], shown(t))
      assert.equal(text[dtype], shown(strew.sort(t:flip(0))))
      assert.equal(text[dtype], shown(strew.unique(strew.cat{t, t:flip(0)})))
      assert.equal(shown(t:narrow(0, 4, 1)), shown(t:max():view(1)))
      assert.equal("0", shown(t:min():view(1)))
      assert.equal(4, t:argmax():item())
      assert.equal(shown(t), shown((strew.cummax(t, 0))))
      assert.same({0, 1, 2, 3, 4}, strew.searchsorted(t, t):tolist())
      assert.same({true, true, false, false, false}, t:lt(2):tolist())
      assert.same({false, false, true, true, true}, t:gt(1.5):tolist())
      assert.same({4, 3}, select(2, strew.topk(t, 2)):tolist())
      assert.equal(shown(t:narrow(0, 2, 1)), shown(t:median():view(1)))
      assert.equal(text[dtype], shown(strew.maximum(t, t:flip(0) * 0)))
    end
  end)

  it("wrap, divide and shift as unsigned", function()
    for _, dtype in ipairs(DTYPES) do
      local t, top = edges(dtype), edges(dtype):narrow(0, 4, 1)
      assert.equal("0", shown(top + 1))
      assert.equal(shown(top), shown(strew.zeros(1, {dtype = dtype}) - 1))
      assert.equal("0 0 1 1 1", shown(t // t:narrow(0, 2, 1)))
      assert.equal("0 1 0 1 " .. shown(top - t:narrow(0, 2, 1)), shown(t % t:narrow(0, 2, 1)))
      local bits = strew.iinfo(dtype).bits
      assert.equal("0 0 1 1 1", shown(strew.bitwise_right_shift(t, bits - 1)))
      assert.equal(shown(top), shown(strew.gcd(top, top)))
    end
  end)

  it("keep their order in scatter, groups and segments", function()
    for _, dtype in ipairs(DTYPES) do
      local t, index = edges(dtype), strew.tensor{0, 1, 1, 0, 0}
      local most, arg = strew.scatter_max(t, index)
      assert.equal(shown(strew.cat{t:narrow(0, 4, 1), t:narrow(0, 2, 1)}), shown(most))
      assert.same({4, 2}, arg:tolist())
      assert.equal("0 1", shown((strew.scatter_min(t, index))))
      local ends = strew.tensor{0, 3, 5}
      assert.equal(shown(t:index_select(0, strew.tensor{2, 4})), shown((strew.segment_csr(t, ends, {reduce = "max"}))))
      local half = t:narrow(0, 2, 1)
      local mean = strew.segment_csr(t:narrow(0, 0, 3), ends:narrow(0, 0, 2), {reduce = "mean"})
      assert.equal(shown((half + 1) // 3), shown(mean))
      local base = strew.ones(2, {dtype = dtype})
      assert.equal(shown(strew.cat{t:narrow(0, 4, 1), half}), shown(base:scatter_reduce(0, index, t, "max")))
      assert.equal("0 1", shown(base:scatter_reduce(0, index, t, "min")))
      local g = strew.group_by(index)
      assert.equal(shown(most), shown((g:max(t))))
      assert.equal(text[dtype], shown(strew.group_by(t).keys[1]))
    end
    local t = edges "uint64"
    local message = support.message(function() return strew.group_by(strew.zeros(5)):sum(t) end)
    assert.truthy(message:find("'src' has a sum in group 0 (0.0) that uint64 cannot hold", 1, true), message)
  end)

  it("are promoted to what holds both, and compared by value", function()
    for _, row in ipairs{{"uint16", "int16", "int32"}, {"uint16", "int64", "int64"}, {"uint32", "int8", "int64"},
                         {"uint8", "uint32", "uint32"}, {"uint64", "int8", "float64"}, {"uint64", "bool", "uint64"},
                         {"uint64", "float16", "float16"}} do
      assert.equal(row[3], strew.result_type(row[1], row[2]))
      assert.equal(row[3], strew.result_type(row[2], row[1]))
    end
    local u, i = edges "uint64", strew.tensor{-1, 1, math.mininteger, math.maxinteger, -1}
    for _, f in ipairs{"eq", "lt", "le"} do
      assert.same({false, f ~= "lt", false, false, false}, strew[f](u, i):tolist())
    end
    for _, f in ipairs{"ne", "gt", "ge"} do
      assert.same({true, f == "ge", true, true, true}, strew[f](u, i):tolist())
    end
    assert.same({true, false, true, true, true}, i:lt(u):tolist())
    assert.same({false, true, false, false, false}, strew.expr("u == i and u > 0"){u = u, i = i}:tolist())
    assert.same({false, false, true, false, false}, u:eq(2.0 ^ 63):tolist())
    local message = support.message(strew.bitwise_and, u, i)
    assert.truthy(message:find("'other' is int64, self uint64: no integer dtype holds both", 1, true), message)
    assert.equal("float16", (strew.zeros(5, {dtype = "float16"}) * u).dtype)
  end)

  it("are found among signed integers and floats by value", function()
    local u, i = edges "uint64", strew.tensor{math.mininteger, -1, 1, 1, math.maxinteger}
    assert.same({false, true, false, false, false}, strew.isin(u, i):tolist())
    assert.same({false, false, true, true, false}, strew.isin(i, u):tolist())
    assert.same({false, true, true, false, false}, strew.isin(u, strew.tensor{-1.0, 1.0, 2.0 ^ 63, 0.5, 1e30}):tolist())
    assert.same({true, true, false}, strew.isin(strew.tensor{1.0, 2.0 ^ 63, -1.0}, u):tolist())
    assert.same({false, true, true, false, false}, strew.isin(u, {-1, 1, 2.0 ^ 63, 0.5}):tolist())
    assert.same({2, 2, 5, 5, 5}, strew.searchsorted(i, u):tolist())
    assert.same({2, 4, 5, 5, 5}, strew.searchsorted(i, u, {right = true}):tolist())
    assert.same({0, 0, 1, 1, 2}, strew.searchsorted(u, i):tolist())
    assert.same({0, 0, 2, 2, 2}, strew.bucketize(i, u, {right = true}):tolist())
    for _, t in ipairs{strew.tensor{1, 2, 3}, strew.tensor({1, 2, 3}, {dtype = "uint64"})} do
      local places = strew.bucketize(t, {0.5, 1.5, 3})
      assert.same({{1, 2, 2}, t.device}, {places:tolist(), places.device})
    end
    assert.same({1, 0}, strew.bucketize(strew.tensor{true, false}, {0.5, 1.5}):tolist())
    assert.same({2, u.device}, {strew.bucketize(2, {0.5, 1.5}):item(), strew.bucketize(2, {0.5, 1.5}).device})
    local joined = strew.join({k = u:narrow(0, 0, 2)}, {k = i, v = strew.arange(5)}, "k")
    assert.same({2, 3}, joined.v:tolist())
    local message = support.message(strew.join, {k = i}, {k = u}, "k")
    assert.truthy(message:find('"k" with value 9223372036854775808 in b, which int64 cannot hold', 1, true), message)
  end)

  it("are converted, sum and round as integers of their size", function()
    assert.same({0.0, 1.0, 2.0 ^ 63, 2.0 ^ 63, 2.0 ^ 64}, edges("uint64"):to("cpu"):to("float64"):tolist())
    local floats = strew.tensor({-1, 0 / 0, 2.0 ^ 63, 2.0 ^ 70, 1.9}, {dtype = "float64", device = "cpu"})
    assert.equal("0 0 9223372036854775808 18446744073709551615 1", shown(floats:to "uint64"))
    assert.equal("0 0 65535 65535 1", shown(floats:to "uint16"))
    assert.equal("uint64", edges("uint64"):sum().dtype)
    assert.equal("int64", edges("uint32"):sum().dtype)
    assert.equal(2 ^ 31 + 2 ^ 31 + 2 + 2 ^ 32 - 1, edges("uint32"):sum():item())
  end)

  it("of every size are indices", function()
    local t = strew.arange(0, 10, 1)
    for _, dtype in ipairs{"uint8", "int8", "int16", "uint16", "uint32", "uint64"} do
      local index = strew.tensor({3, 0, 9}, {dtype = dtype})
      assert.same({3, 0, 9}, t[index]:tolist())
      assert.same({3, 0, 9}, t:gather(0, index):tolist())
      assert.same({3, 0, 9}, t:take(index):tolist())
      assert.same({1, 0, 0, 1, 0, 0, 0, 0, 0, 1}, strew.scatter(strew.ones(3, {dtype = "int64"}), index):tolist())
      assert.same({1, 0, 0, 1, 0, 0, 0, 0, 0, 1}, strew.bincount(index):tolist())
      assert.same({6, 0, 18}, strew.expr("t[i] * 2"){t = t, i = index}:tolist())
    end
    assert.truthy(support.message(t.take, t, strew.tensor({-1}, {dtype = "int8"})):find("has value -1 at [0]", 1, true))
    local large = strew.tensor{-1}:to "uint64"
    local message = support.message(t.gather, t, 0, large)
    assert.truthy(message:find("has value 18446744073709551615 at [0], out of range for dim 0", 1, true), message)
    message = support.message(t.gather, t, 0, large, {mode = "wrap"})
    assert.truthy(message:find("has value 18446744073709551615", 1, true), message)
    message = support.message(strew.scatter_sum, strew.zeros(1), large)
    assert.truthy(message:find("has value 18446744073709551615 at [0], so the result is", 1, true), message)
    message = support.message(strew.repeat_interleave, strew.zeros(2), strew.cat{large, large})
    assert.truthy(message:find("adds up to more than int64 can hold", 1, true), message)
    local ignored = strew.tensor{-100}:to "uint64" -- which is no index to ignore
    assert.truthy(support.message(strew.nll_loss, strew.zeros(1, 2), ignored):find(
      "'target' has value 18446744073709551516 at [0]", 1, true))
    assert.same({9}, t:gather(0, large, {mode = "clip"}):tolist())
    assert.same({0}, t:gather(0, large, {mode = "drop"}):tolist())
  end)

  it("are written as text, and read again", function()
    local path = os.tmpname() .. ".csv"
    for _, dtype in ipairs(DTYPES) do
      strew.save(path, {x = edges(dtype)})
      assert.equal(text[dtype], shown(strew.load(path, {header = true, dtype = dtype}).x))
    end
    support.put(path, "x\n18446744073709551616\n")
    local message = support.message(strew.load, path, {header = true, dtype = "uint64"})
    assert.truthy(message:find("expected a number that uint64 holds", 1, true), message)
    os.remove(path)
  end)

  it("that Lua's numbers cannot hold are never wrong in silence", function()
    local t = edges "uint64"
    assert.truthy(support.message(t.tolist, t):find("has value 9223372036854775808, Lua's integers end at", 1, true))
    assert.truthy(support.message(function() return t[4] end):find("has value 18446744073709551615", 1, true))
    assert.truthy(support.message(strew.full, {1}, -1, {dtype = "uint64"}):find("which uint64 cannot hold", 1, true))
    assert.truthy(support.message(strew.full, {1}, 2.0 ^ 64, {dtype = "uint64"}):find("cannot hold", 1, true))
    assert.equal("9223372036854775808", shown(strew.full({1}, 2.0 ^ 63, {dtype = "uint64"})))
    assert.truthy(support.message(t.add, t, -1):find("'other' is -1, which uint64 cannot hold", 1, true))
  end)
end)
