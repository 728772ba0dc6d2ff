-- strew.tensor of tables made from the bytes: nested sequences, mostly regular ones, sometimes with an error. Accepted
-- tables come back from tolist, and as a tensor again.
local strew = ...
local Choices = dofile("tests/fuzz/choices.lua")

local function leaf(choices, kind)
  if kind == 0 then return choices:integer() end
  if kind == 1 then return choices:float() end
  if kind == 2 then return choices:below(2) == 1 end
  return choices:below(2) == 1 and choices:integer() or choices:float()
end

local endless = {__index = function() return 1 end, __len = function() return 1 << 40 end}

-- Occasional errors in a table. (`outer` is a table around it.)
local function stranger(choices, outer)
  local kind = choices:below(12)
  if kind == 0 then return nil end
  if kind == 1 then return "1" end
  if kind == 2 then return {} end
  if kind == 3 then return outer end
  if kind == 4 then return strew.arange(choices:below(4)) end
  if kind == 5 then return strew.tensor(choices:integer()) end
  if kind == 6 then return setmetatable({1, 2}, endless) end
  if kind == 7 then return {1, 2, x = 3} end
  if kind == 8 then return {[1] = 1, [3] = 1, [math.mininteger] = 5} end
  if kind == 9 then return print end
  if kind == 10 then return {{{{{{{{{{{{{{{{{{1}}}}}}}}}}}}}}}}}} end
  return leaf(choices, choices:below(4))
end

local function nested(choices, sizes, depth, kind, outer)
  if choices:rarely(24) then return stranger(choices, outer) end
  if depth > #sizes then return leaf(choices, kind) end
  local made = {}
  for i = 1, sizes[depth] do made[i] = nested(choices, sizes, depth + 1, kind, made) end
  return made
end

local function options(choices)
  if choices:below(2) == 0 then return nil end
  local made = {}
  if choices:below(4) > 0 then made.dtype = choices:one_of(Choices.dtypes) end
  if choices:rarely(6) then made.device = choices:one_of{"cpu", "nowhere", "", 5} end
  if choices:rarely(12) then made.dytpe = "int64" end
  return made
end

-- A number rounded to float32.
local function round(x) return type(x) == "number" and ("f"):unpack(("f"):pack(x)) or x end

-- True if b is the result of converting a, with every element of kind `as`.
local function is_same(a, b, as)
  if strew.type(a) then return true end
  if type(a) ~= "table" then
    if as == "float32" then a = round(a) end
    return math.type(a) == math.type(b) and (a == b or a ~= a and b ~= b)
  end
  if rawlen(a) ~= #b then return false end
  for i = 1, #b do if not is_same(rawget(a, i), b[i], as) then return false end end
  return true
end

local function leaves(x)
  if type(x) ~= "table" then return 1 end
  local count = 0
  for i = 1, #x do count = count + leaves(x[i]) end
  return count
end

return function(bytes)
  local choices, sizes = Choices.new(bytes), {}
  for d = 1, choices:below(6) do sizes[d] = choices:below(5) end
  if choices:rarely(32) then for d = 1, 14 + choices:below(4) do sizes[d] = 1 end end
  local value, how = nested(choices, sizes, 1, choices:below(5), nil), options(choices)
  local ok, made = pcall(strew.tensor, value, how)
  if not ok then
    assert(type(made) == "string", "an error that is no string")
    return made
  end
  local list = made:tolist()
  assert(leaves(list) == made:numel(), "tolist has another count than the tensor")
  if how == nil and type(value) == "table" then
    assert(is_same(value, list, made.dtype), "tolist differs from what was given")
  end
  local again = strew.tensor(list, {dtype = made.dtype})
  assert(is_same(again:tolist(), list), "tolist differs from what it makes")
  assert(type(tostring(made)) == "string")
end
