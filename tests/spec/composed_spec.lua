-- Operations that are written in Lua (lua_bindings), against plain loops over random shapes, and their errors.
-- devices: no, each random dtype and layout would compile kernels; the digest calls every operation there.
local strew = require "strew"
local support, loops = dofile "tests/spec/support.lua", dofile "tests/spec/loops.lua"
local each = loops.each

-- A shape of up to `most` dimensions, some of them of size 0 or 1.
local function random_shape(most)
  local shape = {}
  for d = 1, math.random(1, most) do shape[d] = math.random(0, 4) end
  return shape
end

local dtypes = {"float32", "int64", "int32", "float16", "uint8", "bool"}
local function random_tensor(shape)
  return strew.randint(0, 3, shape):to(dtypes[math.random(#dtypes)])
end

-- Creates a tensor with the shape of `like` changed along dimensions, filled by get(position).
local function made(shape, dtype, get)
  local t = strew.zeros(shape, {dtype = dtype})
  each(shape, function(position)
    local values = table.pack(table.unpack(position))
    table.insert(values, get(position))
    t:set(table.unpack(values))
  end)
  return t
end

local function same(expected, got)
  assert.equal(support.text(expected), support.text(got))
end

local TIMES = 60

describe("operations written in Lua", function()
  before_each(function()
    math.randomseed(7)
    strew.manual_seed(7)
  end)

  it("select positions like a loop", function()
    for _ = 1, TIMES do
      local shape = random_shape(3)
      local t, dim = random_tensor(shape), math.random(0, #shape - 1)
      local n = shape[dim + 1] > 0 and math.random(0, 5) or 0
      local index = n == 0 and strew.zeros(0, {dtype = "int64"}) or strew.randint(0, shape[dim + 1], {n})
      local sizes = {table.unpack(shape)}
      sizes[dim + 1] = n
      local expected = made(sizes, t.dtype, function(position)
        local at = {table.unpack(position)}
        at[dim + 1] = index:get(position[dim + 1])
        return t:get(table.unpack(at))
      end)
      same(expected, t:index_select(dim - (math.random(2) == 1 and #shape or 0), index))
      same(expected, strew.index_select(t:transpose(0, -1):contiguous():transpose(0, -1), dim, index:to("int32")))
    end
    same(strew.tensor{5.0}:view({}), strew.tensor(5.0):index_select(0, strew.tensor(0)))
    same(strew.tensor{4, 3}, strew.arange(5):index_select(0, strew.tensor{-1, -2}, {mode = "wrap"}))
    same(strew.tensor{0, 2}, strew.arange(5):index_select(0, strew.tensor{9, 2}, {mode = "drop"}))
  end)

  it("select by a mask like a loop", function()
    for _ = 1, TIMES do
      local shape = random_shape(3)
      local t = random_tensor(shape)
      local narrow = {table.unpack(shape)}
      if math.random(2) == 1 then narrow[math.random(#narrow)] = 1 end
      local mask = strew.randint(0, 2, narrow):to("bool")
      local wide, list = mask:expand(shape), {}
      each(shape, function(position)
        if wide:get(table.unpack(position)) then table.insert(list, t:get(table.unpack(position))) end
      end)
      local expected = #list > 0 and strew.tensor(list, t.dtype) or strew.zeros(0, {dtype = t.dtype})
      same(expected, t:masked_select(mask))
    end
  end)

  it("count like a loop", function()
    for _ = 1, TIMES do
      local n = math.random(0, 20)
      local t, least = n > 0 and strew.randint(0, 6, {n}) or strew.zeros(0, {dtype = "int64"}), math.random(0, 9)
      local weights = strew.rand(n)
      local counts, sums = {}, {}
      for i = 1, math.max(least, n > 0 and t:max():item() + 1 or 0) do counts[i], sums[i] = 0, 0.0 end
      local total = strew.zeros(math.max(#sums, 1))
      for i = 0, n - 1 do
        local at = t[i]
        counts[at + 1] = counts[at + 1] + 1
        total[at] = total:narrow(0, at, 1):add(weights:narrow(0, i, 1)):item()
      end
      local empty = strew.zeros(0, {dtype = "int64"})
      same(#counts > 0 and strew.tensor(counts) or empty, t:bincount{minlength = least})
      same(total:narrow(0, 0, #sums), t:bincount{minlength = least, weights = weights})
    end
  end)

  it("make one-hot rows like a loop", function()
    for _ = 1, TIMES do
      local shape, classes = random_shape(2), math.random(3, 5)
      local t = strew.randint(0, 3, shape)
      local sizes = {table.unpack(shape)}
      table.insert(sizes, classes)
      same(made(sizes, "int64", function(position)
        local at = {table.unpack(position, 1, #shape)}
        return t:get(table.unpack(at)) == position[#sizes] and 1 or 0
      end), t:one_hot{num_classes = classes})
    end
    same(strew.tensor{0, 1}, strew.tensor(1):one_hot())
  end)

  it("flip and subtract adjacent elements like a loop", function()
    for _ = 1, TIMES do
      local shape = random_shape(3)
      local t, dim = random_tensor(shape), math.random(0, #shape - 1)
      same(made(shape, t.dtype, function(position)
        local at = {table.unpack(position)}
        at[dim + 1] = shape[dim + 1] - 1 - at[dim + 1]
        return t:get(table.unpack(at))
      end), t:flip(dim))
      local sizes = {table.unpack(shape)}
      sizes[dim + 1] = math.max(0, sizes[dim + 1] - 1)
      local int = t:to("int32")
      same(made(sizes, "int32", function(position)
        local at = {table.unpack(position)}
        local before = int:get(table.unpack(at))
        at[dim + 1] = at[dim + 1] + 1
        return int:get(table.unpack(at)) - before
      end), int:diff(1, dim))
    end
    local cube = strew.arange(6):view(1, 2, 3)
    same(strew.tensor{{{5, 4, 3}, {2, 1, 0}}}, cube:flip()) -- along all dimensions
    same(cube, cube:flip{}) -- along none
    same(cube, strew.flip(cube, {dims = {}}))
    same(strew.tensor(3), strew.tensor(3):flip())
    same(strew.tensor{true, false}, strew.tensor{true, false, false}:diff())
    same(strew.tensor{false, true}, strew.tensor{1, 0 / 0}:isnan())
    same(strew.tensor{false, false}, strew.tensor{1, 2}:isnan())
  end)

  it("are functions and methods, with options by name", function()
    local t, index = strew.tensor{{3, 1, 2}, {0, 5, 4}}, strew.tensor{1, 0, 1}
    for name, arguments in pairs{
      index_select = {t, 0, index, {mode = "error"}}, masked_select = {t, t:gt(1)},
      bincount = {index, {minlength = 4}}, one_hot = {index, {num_classes = 3}},
      flip = {t, {0, 1}}, isnan = {t}, diff = {t, 1, {dim = 0}},
    } do
      local method = t[name]
      assert.is_function(method, name)
      same(strew[name](table.unpack(arguments)), method(table.unpack(arguments)))
      assert.is_nil(rawget(strew, name .. "_"), name) -- none works in place
    end
    same(t:flip(0, 1), t:flip{0, 1})
    same(t:diff(1, 0), t:diff{dim = 0})
  end)

  it("give the same on every device", function()
    local function results(on)
      local t = strew.tensor({{3, 1, 2}, {0, 5, 4}}, on)
      local index, mask = strew.tensor({1, 0, 1}, on), strew.tensor({true, false, true}, on)
      local weights = strew.tensor({0.5, 0.25, 2}, on)
      return {
        t:index_select(0, index), t:masked_select(mask), index:bincount{minlength = 4},
        index:bincount{weights = weights}, index:one_hot(), t:flip(0, 1), (weights / (weights - 2)):isnan(), t:diff(),
      }
    end
    local expected = results{device = "cpu"}
    for _, device in ipairs(strew.devices()) do
      for i, result in ipairs(results{device = device.name}) do
        assert.equal(device.name, result.device)
        same(expected[i], result)
      end
    end
  end)

  it("refuse what PyTorch refuses, by the names of their own arguments", function()
    local function refused(message, ...)
      local ok, text = pcall(...)
      assert.is_false(ok)
      assert.equal(message, text:gsub("^[^ ]*: ", "", 1):gsub("\n.*", ""))
    end
    local index = strew.tensor{0, 2}
    refused("bincount: 'self' has value -1 at [1], expected 0 or more", strew.bincount, strew.tensor{0, -1})
    refused("bincount: 'weights' has shape [3], expected self's [2]", strew.bincount, index, {weights = strew.ones(3)})
    refused("bincount: 'minlength' is -1, expected 0 or more", strew.bincount, index, {minlength = -1})
    refused("one_hot: 'self' has value -1 at [1], expected 0 or more", strew.one_hot, strew.tensor{0, -1})
    refused("one_hot: 'self' has value 2 at [1], expected less than num_classes, which is 2", strew.one_hot, index,
      {num_classes = 2})
    assert.same({2, {1}}, {strew.last_error().value, strew.last_error().pos})
    refused("flip: 'dims' names dimension 1 twice", strew.flip, strew.ones(2, 2), 1, -1)
    refused("masked_select: 'mask' is int64, expected bool", strew.masked_select, index, index)
    refused("diff: 'n' is -1, expected 0 or more", strew.diff, index, -1)
    refused("diff: 'self' has no dimension, expected at least 1", strew.diff, strew.tensor(1))
    refused("index_select: 'index' has 2 dimensions, expected 0 or 1", strew.index_select, index, 0,
      strew.zeros({1, 1}, {dtype = "int64"}))
  end)

  it("raise errors under the name and line of the outer call", function()
    local line = debug.getinfo(1, "l").currentline + 1
    local ok, message = pcall(function() return strew.arange(3):index_select(0, strew.tensor{1, 3}) end)
    assert.is_false(ok)
    local place = ("composed_spec.lua:%d: index_select: 'index' has value 3 at [1], "):format(line)
    assert.truthy(message:find(place, 1, true), message)
    assert.equal("index_select", strew.last_error().op)
    ok, message = pcall(function() return strew.tensor{1}:bincount{weigths = 1} end)
    assert.is_false(ok)
    assert.truthy(message:find("bincount: 'options' has unknown key \"weigths\"", 1, true), message)
    ok, message = pcall(strew.one_hot, strew.tensor{0.5})
    assert.is_false(ok)
    assert.truthy(message:find("one_hot: 'self' is float32, expected an integer dtype", 1, true), message)
    -- the next call has its own name again
    ok, message = pcall(strew.gather, strew.arange(3), 0, strew.tensor{3})
    assert.is_false(ok)
    assert.truthy(message:find("gather: 'index' has value 3 at [0]", 1, true), message)
  end)
end)
