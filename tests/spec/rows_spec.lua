-- t[index] and t[mask], read and written, against plain loops.
local strew = require "strew"
local loops = dofile "tests/spec/loops.lua"
local support = dofile "tests/spec/support.lua"
local rounds = support.runs_all and 60 or 6

-- A random tensor of at least one dimension, sometimes a transposed view, and its rows: lists of elements.
local function random_self(dtype)
  local shape = loops.shape(1, 4)
  local t = strew.randint(0, loops.is_float(dtype) and 100 or 2, shape):to(dtype)
  if math.random(3) == 1 then t = t:transpose(0, -1):contiguous():transpose(0, -1) end
  return t, shape
end

-- The rows of t where its first `count` dimensions have the positions in `at`.
local function rows_at(t, count, at)
  local list, inner = {}, {table.unpack(t.shape, count + 1)}
  for _, position in ipairs(at) do
    loops.each(inner, function(rest)
      table.insert(list, t:get(table.unpack(table.move(rest, 1, #rest, #position + 1, {table.unpack(position)}))))
    end)
  end
  return list, inner
end

local function same(expected, got, what)
  assert.same(expected.shape, got.shape, what)
  assert.equal(expected.dtype, got.dtype, what)
  assert.is_true(strew.equal(expected, got), what)
end

-- Reads t[key] and writes t[key] = number and tensor, where key addresses `at`, in `count` dimensions.
local function check(t, key, count, at, lead, what)
  local list, inner = rows_at(t, count, at)
  local shape = table.move(inner, 1, #inner, #lead + 1, {table.unpack(lead)})
  local expected = strew.zeros(shape, {dtype = t.dtype, device = t.device})
  for number, position in loops.positions(shape) do expected:set(position, list[number]) end
  same(expected, t[key], what)
  local one = t.dtype == "bool" or 1
  local numbered, written = t:clone(), t:clone()
  numbered[key] = one
  local source = strew.randint(0, 2, shape):to(t.dtype)
  written[key] = source
  local by_number, by_tensor = t:clone(), t:clone()
  local k = 0
  for _, position in ipairs(at) do
    loops.each(inner, function(rest)
      local place = table.move(rest, 1, #rest, #position + 1, {table.unpack(position)})
      by_number:set(place, one)
      by_tensor:set(place, source:reshape(-1)[k])
      k = k + 1
    end)
  end
  same(by_number, numbered, what)
  same(by_tensor, written, what)
end

describe("rows", function()
  before_each(function() math.randomseed(35) end)

  it("are chosen by a mask of the first dimensions", function()
    for round = 1, rounds do
      local dtype = loops.dtypes[round % #loops.dtypes + 1]
      local t, shape = random_self(dtype)
      local count = math.random(#shape)
      local mask_shape, at = {table.unpack(shape, 1, count)}, {}
      local mask = strew.randint(0, 2, mask_shape):to("bool")
      loops.each(mask_shape, function(position)
        if mask:get(position) then table.insert(at, position) end
      end)
      check(t, mask, count, at, {#at}, ("%s[%s]"):format(support.text(t), support.text(mask)))
    end
  end)

  it("are chosen by an index of any rank", function()
    for round = 1, rounds do
      local dtype = loops.dtypes[round % #loops.dtypes + 1]
      local t, shape = random_self(dtype)
      local lead, at = loops.shape(0, 2), {}
      if shape[1] == 0 then lead[1] = 0 end
      local index = strew.randint(0, math.max(shape[1], 1), lead):to(math.random(2) == 1 and "int32" or "int64")
      loops.each(lead, function(position) table.insert(at, {index:get(table.unpack(position))}) end)
      check(t, index, 1, at, lead, ("%s[%s]"):format(support.text(t), support.text(index)))
    end
  end)

  it("are written as a whole or not at all", function()
    local t = strew.tensor{{1, 2}, {3, 4}, {5, 6}}
    local function fails(pattern, key, value)
      local ok, message = pcall(function() t[key] = value end)
      assert.is_false(ok)
      assert.matches(pattern, message)
      assert.same({{1, 2}, {3, 4}, {5, 6}}, t:tolist())
    end
    fails("t%[i%] = v: 'index' has value 3 at %[1%], out of range for dim 0 of self %(size 3, valid 0%.%.2%)",
      strew.tensor{0, 3}, 9)
    fails("'index' has value %-1 at %[0%], out of range", strew.tensor{-1}, 9)
    fails("'index' is float32, expected an integer dtype.*index:to%(\"int64\"%)", strew.tensor{0.0}, 9)
    fails("'mask' has shape %[2%], expected %[3%]", strew.tensor{true, false}, 9)
    fails("'value' has shape %[3%], which does not broadcast to %[2%]", t:gt(4), strew.tensor{7, 8, 9})
    fails("'value' is float32, self is int64", strew.tensor{0}, strew.tensor{1.0})
    fails("'value' is 1%.5, which int64 cannot hold", strew.tensor{0}, 1.5)
    fails("'value' is \"x\", expected a tensor, number or boolean", strew.tensor{0}, "x")
    fails("shares elements", strew.tensor{0, 1, 2}, t:narrow(0, 0, 3))
    local ok, message = pcall(function() return t[strew.tensor{{0}, {5}}] end)
    assert.is_false(ok)
    assert.matches("t%[i%]: 'index' has value 5 at %[1, 0%], out of range for dim 0 of self", message)
    assert.has_error(function() return strew.tensor(1)[strew.tensor{0}] end)
  end)
end)
