-- exact_oracle.lua: exact sums as whole numbers of any length, in units of 2^-1074. Shared by specs.
local strew = require "strew"
local assert = require "luassert"

local device = strew.zeros(1).device
local WORDS <const> = 72 -- of 32 bits

-- A sum is WORDS numbers of 32 bits, in two's complement: digits * 2^place units.
local function add(sum, x)
  local bits = string.unpack("<i8", string.pack("<d", x))
  local exponent, digits = bits >> 52 & 2047, bits & 0xfffffffffffff
  local place = exponent
  if exponent > 0 then digits, place = digits | 1 << 52, exponent - 1 end
  local at, up, sign = place // 32 + 1, place % 32, bits < 0 and -1 or 1
  local parts = {(digits << up) & 0xffffffff, (digits >> (32 - up)) & 0xffffffff, up > 0 and digits >> (64 - up) or 0}
  for k = 1, 3 do sum[at + k - 1] = sum[at + k - 1] + sign * parts[k] end
end

local function sum_of(list)
  local sum = {}
  for k = 1, WORDS do sum[k] = 0 end
  for _, x in ipairs(list) do add(sum, x) end
  local carry = 0
  for k = 1, WORDS do
    local value = sum[k] + carry
    sum[k], carry = value & 0xffffffff, value >> 32
    if value < 0 then carry = carry - (1 << 32) end
  end
  if carry >= 0 then return sum, false end
  carry = 1
  for k = 1, WORDS do
    local value = (sum[k] ~ 0xffffffff) + carry
    sum[k], carry = value & 0xffffffff, value >> 32
  end
  return sum, true
end

local FORMATS <const> = {float32 = {24, -149, 128}, float64 = {53, -1074, 1024}, float16 = {11, -24, 16},
  bfloat16 = {8, -133, 128}}

local function bit(sum, k) return k >= 0 and (sum[k // 32 + 1] or 0) >> (k % 32) & 1 or 0 end

-- The sum divided by n, rounded once.
local function round(list, n, dtype)
  local sum, negative = sum_of(list)
  local digits, least, most = table.unpack(FORMATS[dtype])
  local whole, rest = {}, 0
  for k = WORDS, -3, -1 do -- four words of fraction
    local value = rest << 32 | (sum[k] or 0)
    whole[k + 4], rest = value // n, value % n
  end
  local top = (WORDS + 4) * 32 - 1
  while top >= 0 and bit(whole, top) == 0 do top = top - 1 end
  if top < 0 then return rest == 0 and 0.0 or negative and -0.0 or 0.0 end
  local unit = -1074 - 128 -- of whole
  local lowest = math.max(top - digits + 1, least - unit)
  local m = 0
  for k = top, lowest, -1 do m = m << 1 | bit(whole, k) end
  local half, below = bit(whole, lowest - 1) == 1, rest ~= 0
  for k = 0, lowest - 2 do below = below or bit(whole, k) == 1 end
  if half and (below or m & 1 == 1) then m = m + 1 end
  local value, exponent = m + 0.0, lowest + unit
  while exponent > 0 do value, exponent = value * 2, exponent - 1 end
  while exponent < 0 do -- exact: no bit is below the least denormal
    local step = math.max(exponent, -1000)
    value, exponent = value * 2.0 ^ step, exponent - step
  end
  if value >= 2.0 ^ (most - 1) * 2 then value = math.huge end
  return negative and -value or value
end

local function bits_of(x)
  if x ~= x then return "nan" end
  return string.format("%016x", (string.unpack("<i8", string.pack("<d", x))))
end

-- Compares a tensor with a list of numbers, bit by bit.
local function check(t, expected, what)
  local found = t:to("cpu"):to("float64"):reshape({-1}):tolist()
  assert.are.equal(#expected, #found, what)
  for i, x in ipairs(expected) do assert.are.equal(bits_of(x), bits_of(found[i]), what .. " at " .. i) end
end

local function tensor(list, dtype)
  return strew.tensor(list, {dtype = "float64", device = "cpu"}):to(dtype):to(device)
end

-- Draws floats of a dtype: far apart, ties, denormals, near the largest, near 1.
local function draw(n, dtype, kind)
  local digits, least, most = table.unpack(FORMATS[dtype])
  local list = {}
  for i = 1, n do
    local exponent = kind == 1 and math.random(least, most - digits - 1) or kind == 2 and
      ({0, 1, digits - 1, digits, digits + 1})[math.random(5)] or kind == 3 and least + math.random(0, 30) or
      kind == 4 and most - digits - math.random(0, 2) or math.random(-digits - 5, 5)
    local m = math.random(4) > 1 and math.random(0, (1 << digits) - 1) or ({0, 1, 3, 1 << (digits - 1)})[math.random(4)]
    exponent = math.min(exponent, most - digits - 1)
    local x = m + 0.0
    if exponent < -1000 then x, exponent = x * 2.0 ^ -1000, exponent + 1000 end
    x = x * 2.0 ^ exponent
    list[i] = math.random(2) == 1 and -x or x
  end
  -- to the dtype's own values
  return strew.tensor(list, {dtype = "float64", device = "cpu"}):to(dtype):to("float64"):tolist()
end

local function chosen(list, ids, g)
  local own = {}
  for i, x in ipairs(list) do
    if ids[i] == g then table.insert(own, x) end
  end
  return own
end

local function is_zero(list)
  for _, x in ipairs(list) do
    if bits_of(x) ~= bits_of(-0.0) then return false end
  end
  return #list > 0
end

local function sum(list, dtype) return is_zero(list) and -0.0 or round(list, 1, dtype) end

return {round = round, bits_of = bits_of, check = check, tensor = tensor, draw = draw, chosen = chosen,
  is_zero = is_zero, sum = sum}
