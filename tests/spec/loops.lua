-- Plain loops over lists, for specs that compare operations with them.
local strew = require "strew"
local assert = require "luassert"
local support = dofile "tests/spec/support.lua"

local loops = {}

local names = {float32 = "f", float64 = "d"}
loops.floats = support.lacks_float64 and {"float32", "float16", "bfloat16"}
  or {"float32", "float64", "float16", "bfloat16"}
loops.integers = {"int64", "int32", "int16", "int8", "uint8"}
loops.dtypes = {"bool", table.unpack(loops.floats)}
table.move(loops.integers, 1, #loops.integers, #loops.dtypes + 1, loops.dtypes)

function loops.is_float(dtype) return dtype:find("float", 1, true) ~= nil end
function loops.zero(dtype)
  if dtype == "bool" then return false end
  return loops.is_float(dtype) and 0.0 or 0
end
function loops.any(list) return list[math.random(#list)] end

-- A number as float32, or as float64.
function loops.rounded(x, dtype)
  local format = names[dtype] or "f"
  return (string.unpack(format, string.pack(format, x)))
end

function loops.count(shape)
  local count = 1
  for _, size in ipairs(shape) do count = count * size end
  return count
end

-- A shape of `least` to `most` dimensions, sometimes with sizes of 0 or 1.
function loops.shape(least, most)
  local shape = {}
  for d = 1, math.random(least, most) do shape[d] = math.random(8) == 1 and 0 or math.random(1, 4) end
  return shape
end

-- An iterator over the positions of a shape in row-major order: number, from 1, and a new table.
function loops.positions(shape)
  local i, count = -1, loops.count(shape)
  return function()
    i = i + 1
    if i == count then return nil end
    local position, rest = {}, i
    for d = #shape, 1, -1 do position[d], rest = rest % shape[d], rest // shape[d] end
    return i + 1, position
  end
end

-- Calls visit(position) for each position of a shape, in row-major order.
function loops.each(shape, visit)
  for _, position in loops.positions(shape) do visit(position) end
end

-- The number, from 1, of a position in row-major order.
function loops.number(shape, position)
  local number = 0
  for d = 1, #shape do number = number * shape[d] + position[d] end
  return number + 1
end

-- A position with another coordinate along dim, which counts from 0.
function loops.moved(position, dim, to)
  local moved = {table.unpack(position)}
  moved[dim + 1] = to
  return moved
end

-- The tensor of a list, in row-major order.
function loops.tensor(list, shape, dtype)
  if #list == 0 then return strew.zeros(shape, {dtype = dtype}) end
  return strew.tensor(list, {dtype = dtype}):view(shape)
end

-- The tensor of a shape filled by get(position).
function loops.made(shape, dtype, get)
  local list = {}
  loops.each(shape, function(position) table.insert(list, (get(position))) end)
  return loops.tensor(list, shape, dtype)
end

-- The same elements in another layout.
function loops.relaid(t)
  local way = math.random(3)
  if way == 1 then return t end
  if way == 2 then return t:transpose(0, -1):contiguous():transpose(0, -1) end
  return strew.stack({t, t}, -1):select(-1, 1)
end

-- A tensor of few different numbers, in a layout of any kind. wild: with NaN, infinities and -0 among floats.
function loops.random(shape, dtype, wild)
  local list = {}
  for i = 1, loops.count(shape) do
    local value = math.random(dtype == "uint8" and 0 or -3, 3)
    if loops.is_float(dtype) then value = value / 2 end
    if dtype == "bool" then value = value > 0 end
    if wild and loops.is_float(dtype) and math.random(4) == 1 then
      value = loops.any{0 / 0, 1 / 0, -1 / 0, -0.0, 0.0}
    end
    list[i] = value
  end
  local t, layout = loops.tensor(list, shape, dtype), math.random(3)
  if layout == 1 and #shape > 1 then return t:transpose(0, -1):contiguous():transpose(0, -1) end
  if layout == 2 and #shape > 0 then
    local wide = {table.unpack(shape)}
    wide[#wide] = 2 * wide[#wide] + 1
    return strew.zeros(wide, {dtype = dtype}):slice(-1, 1, wide[#wide], 2):copy_(t)
  end
  return t
end

-- The elements in row-major order.
function loops.list(t) return t:numel() == 0 and {} or t:reshape(-1):tolist() end

local function differs(got, expected, tolerance)
  if expected ~= expected then return got == got end
  if type(expected) == "boolean" or got == expected then
    return got ~= expected or type(got) == "number" and not tolerance and 1 / got ~= 1 / expected
  end
  local gap = math.abs(got - expected)
  return not tolerance or gap ~= gap or gap > tolerance * math.max(1, math.abs(expected))
end

-- Raises an error unless `got` has these elements, rounded to the dtype, in this shape: the same bits, or within a
-- tolerance.
function loops.same(list, shape, dtype, got, tolerance)
  assert.equal(dtype, got.dtype)
  assert.same(shape, got.shape)
  local expected, values = loops.list(loops.tensor(list, shape, dtype)), loops.list(got)
  for i = 1, #expected do
    if differs(values[i], expected[i], tolerance) then
      error(("element %d is %s, expected %s"):format(i - 1, values[i], expected[i]), 2)
    end
  end
end

-- Calls check() on 1, 2 and 3 threads; on another device than the CPU on one.
function loops.on_threads(check)
  local threads = strew.get_num_threads()
  for n = 1, strew.zeros(1).device == "cpu" and 3 or 1 do
    strew.set_num_threads(n)
    check()
  end
  strew.set_num_threads(threads)
end

-- Raises an error unless results(), a list of tensors, is the same on 1, 2 and 3 threads; returns it.
function loops.same_on_threads(results)
  local expected
  loops.on_threads(function()
    local list = results()
    expected = expected or list
    for i, got in ipairs(list) do assert.is_true(strew.equal(expected[i], got), i) end
  end)
  return expected
end

-- Raises an error unless the call fails with this message, apart from the line before it and those after it, and
-- unless its tensors are as before.
function loops.refused(message, f, ...)
  local before = {}
  for i, value in ipairs{...} do before[i] = strew.type(value) and value:clone() end
  local ok, text = pcall(f, ...)
  assert.is_false(ok, message)
  assert.equal(message, text:gsub("^[^ ]*: ", "", 1):gsub("\n.*", ""))
  for i, value in ipairs{...} do
    if before[i] then assert.equal(tostring(before[i]), tostring(value)) end
  end
end

-- Each way to call an operation gives the same.
function loops.same_forms(name, ...)
  local t = ...
  local a, b = table.pack(strew[name](...)), table.pack(t[name](...))
  assert.equal(a.n, b.n)
  for i = 1, a.n do assert.equal(tostring(a[i]), tostring(b[i])) end
end

return loops
