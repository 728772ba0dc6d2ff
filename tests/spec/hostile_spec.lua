-- Arguments that no call expects: each argument, option and element of a list, in calls of every operation, is replaced
-- in turn by zeros of both signs, NaN, infinities, ends of integers, other types, userdata of other kinds. The
-- call succeeds, or raises a message and changes nothing. A parameter of -0.0 is one of 0.0.
-- devices: no, its thousands of calls would compile kernels; arguments are checked before a device gets a call.
local strew = require "strew"
local drawn = dofile "tests/calls.lua"
local support = dofile "tests/spec/support.lua"

local device = strew.zeros(1).device
local count = support.runs_all and 2 or 1

-- (Numbers between 2^16 and 2^40 would allocate memory that the machine may have.)
local numbers = {
  0.0, -0.0, 0 / 0, -(0 / 0), 1 / 0, -1 / 0, 5e-324, -5e-324, 0.5, -0.5, 1e300, -1e300, 3.5e38, 65520.0, 2.0 ^ 53,
  2.0 ^ 63, -2.0 ^ 63, -2.0 ^ 63 - 2048, 0, -1, 127, 128, -129, 255, 256, 32768, 1 << 40, -(1 << 40), 1 << 62,
  math.maxinteger, math.mininteger,
}

local function float(x) return strew.tensor(x, {dtype = "float32", device = device}) end
local function integer(x) return strew.tensor(x, {dtype = "int64", device = device}) end
local freed = float{1.0}
freed:free()
local others = {
  true, false, "", "sum", "a\27[31m\0b", ("long"):rep(5000), "%s%n", {}, {-0.0}, {0.5, -0.0}, {0 / 0},
  {math.mininteger}, {{}}, print, coroutine.create(print), io.stdout, strew.key_table(1), strew.key_table(3),
  strew.exact_sums(2),
  strew.grouping(integer{0, 1, 1}), strew.expr "x + 1", strew.expr("x / y"):with{x = float{1.0, 2.0}, y = 0},
  strew.expr("x // y"):with{x = integer{1}, y = integer{0}}, freed, float(-0.0), float(0 / 0), float{0.5, -0.0},
  float{-0.0, 0 / 0, 1 / 0, -1 / 0}, integer(math.mininteger), integer{math.maxinteger, math.mininteger, -1},
  strew.tensor(true, {device = device}), strew.zeros(0, {device = device}),
  strew.zeros({0, 3}, {dtype = "int64", device = device}),
  strew.ones({1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, {device = device}),
  strew.tensor({"b", "", "a"}, {device = device}), strew.time("2024-01-01", {device = device}),
}

-- Calls of groupings, of which calls.lua has several at once.
local function on_grouping(name)
  return function(index, v, ...)
    local g = strew.grouping(index)
    return g[name](g, v, ...)
  end
end
local extra = {}
local ids, values = integer{2, 0, 2, 1}, float{1.5, -0.0, 0 / 0, 4.0}
for name in ([[sum mean prod min max std var median count first last any all nunique logsumexp argsort rank cumsum
  softmax]]):gmatch "%S+" do
  extra["g:" .. name] = {f = on_grouping(name), ids, values, n = 2}
end
extra["g:quantile"] = {f = on_grouping "quantile", ids, values, 0.5, n = 3}
extra["g:quantile of several"] = {f = on_grouping "quantile", ids, values, {0.0, 1.0}, n = 3}
extra["g:topk"] = {f = on_grouping "topk", ids, values, 2, n = 3}
local several = {a = {"sum", values}, b = {"quantile", values, q = 0.5}, c = "count"}
extra["g:agg"] = {f = on_grouping "agg", ids, several, n = 2}
extra["quantiles"] = {f = function(q, r) return values:quantile(float{q, r}) end, 0.25, 0.5, n = 2}
extra["exact_sums"] = {f = function(n, src, index, options)
  return strew.exact_sums(n, options):add(src, index):sum()
end, 3, values, ids, {squares = true}, n = 4}
extra["e:merge"] = {f = function(e) return strew.exact_sums(2):merge(e):mean() end, strew.exact_sums(2), n = 1}
extra["key_table"] = {f = function(n, keys) return strew.key_table(n):ids(keys) end, 1, ids, n = 2}

extra["f()"] = {f = function(x, y, k, options) return strew.expr "x * k + y[k]"({x = x, y = y, k = k}, options) end,
  values,
  values, ids, {device = device}, n = 4}
extra["f:with()"] = {f = function(inputs, index) return strew.scatter(strew.expr "x * y":with(inputs), index) end,
  {x = values, y = 2}, ids, n = 2}
extra["rows, assign"] = {f = function(what, which) return strew.rows(strew.assign({x = values, y = ids}, what),
  which) end,
  {z = "x * y"}, "z > 0 and y > 1", n = 2}

-- Signs of zero that a result shows: x / 0.
local shows_sign = {div = true, pow = true, floor_divide = true, remainder = true, rsqrt = true,
  reciprocal = true, copysign = true, atan = true} -- atan2, whose digit is cut

-- Elements of a result, numbers and NaN by value.
local function is_same(a, b)
  if strew.type(a) and strew.type(b) then return is_same(a.shape, b.shape) and is_same(a:tolist(), b:tolist()) end
  if type(a) ~= "table" or type(b) ~= "table" then return a == b or a ~= a and b ~= b or type(a) == "userdata" end
  for key, part in pairs(a) do
    if not is_same(part, b[key]) then return false end
  end
  return #a == #b
end

-- A copy, one level deep, of what is replaced in place.
local function copied(value)
  if type(value) ~= "table" or getmetatable(value) then return value end
  local copy = {}
  for key, part in pairs(value) do copy[key] = part end
  return copy
end

local function state(arguments, n)
  local digest = drawn.no_value
  for i = 1, n do
    local argument = arguments[i]
    if argument ~= freed and not (type(argument) == "table" and getmetatable(argument)) then
      for _, part in pairs(type(argument) == "table" and argument or {argument}) do
        if strew.type(part) and part ~= freed then digest = drawn.hash(digest, part) end
      end
    end
  end
  return digest
end

-- The results of a call whose arguments stay as they are.
local function try(what, f, arguments, n)
  local before = state(arguments, n)
  strew.manual_seed(1)
  local results = table.pack(pcall(f, table.unpack(arguments, 1, n)))
  if not results[1] then
    local message = results[2]
    assert(type(message) == "string", what .. ": an error that is no string")
    assert(not message:find("(null)", 1, true), what .. ": " .. message)
    assert(not message:find("strew.family", 1, true), what .. ": an error of Lua: " .. message)
  end
  assert(before == state(arguments, n), what .. " changed an argument")
  return results
end

-- In place, on a copy of the first argument if that is a tensor: a call that fails leaves it unchanged.
local function try_in_place(what, name, arguments, n)
  local f, self = rawget(strew, name .. "_"), arguments[1]
  if not f or self == freed then return end
  local target = strew.type(self) and self:clone() or self
  local before = state({target}, 1)
  local ok = pcall(f, target, table.unpack(arguments, 2, n))
  assert(ok or before == state({target}, 1), what .. ", in place, failed and changed self")
end

-- Replaces one argument, or one entry of it, by each value; what: of that place.
local function replace(what, name, call, i, key)
  local arguments = {table.unpack(call, 1, call.n)}
  if key ~= nil then arguments[i] = copied(call[i]) end
  local function put(value)
    if key ~= nil then arguments[i][key] = value else arguments[i] = value end
    return ("%s = %s"):format(what, type(value) == "string" and value:sub(1, 20) or tostring(value))
  end
  local zeros = {}
  for _, value in ipairs(numbers) do
    local results = try(put(value), call.f, arguments, call.n)
    if value == 0 and math.type(value) == "float" then table.insert(zeros, results) end
    try_in_place(put(value), name, arguments, call.n)
  end
  if not shows_sign[name:match "^[%a_]+"] then
    assert(zeros[1][1] == zeros[2][1] and (not zeros[1][1] or is_same(zeros[1], zeros[2])),
           what .. ": 0.0 and -0.0 give different results")
  end
  for _, value in ipairs(others) do
    try(put(value), call.f, arguments, call.n)
    try_in_place(put(value), name, arguments, call.n)
  end
end

local function replace_each(name, call)
  for i = 1, call.n do
    local argument = call[i]
    replace(("%s, argument %d"):format(name, i), name, call, i)
    if type(argument) == "table" and not getmetatable(argument) then
      for key in pairs(argument) do replace(("%s, argument %d, %s"):format(name, i, key), name, call, i, key) end
    end
  end
end

describe("arguments that no call expects", function()
  -- Their arguments are functions of calls.lua.
  local left_out = {grad = true, value_and_grad = true}
  -- These free, print, write files, or change what later tests see.
  local is_kept = {}
  for name in ([[free help show save image set_printoptions deterministic manual_seed set_num_threads progress load
    chunks map]]):gmatch "%S+" do is_kept[name] = true end

  it("are results or errors, in every call", function()
    for _, name in ipairs(drawn.names) do
      for k = 1, left_out[name] and 0 or count do
        if not (drawn.draw(name, k, device, false, false).is_double and support.lacks_float64) then
          replace_each(name, drawn.draw(name, k, device))
        end
      end
    end
  end)

  it("beside text and times, too", function()
    local g = strew.grouping(integer{0, 1, 0})
    local odd = {"2024-01-01", "a", "", "max", -1, 2, 0.5, true, {}, {"a"}, {reduce = "max"}, {dim = "a"},
      {dtype = "time"}, {skip_nan = true}, {fill = 1}, print, io.stdout, g, integer{0, 0, 1}, strew.tensor{true, false,
      true}, float{1.5, 0 / 0, 2.0}, strew.tensor{"b", "", "a"}, strew.tensor{{"b"}}, strew.tensor{}, strew.time{
      "2024-01-01", "NaT", "2023-01-01"}, strew.time "NaT", freed}
    local names = {}
    for name, f in pairs(strew) do
      if type(f) == "function" and not left_out[name] and not is_kept[name] then table.insert(names, name) end
    end
    table.sort(names)
    local seed = tonumber(os.getenv "SEED") or 1
    math.randomseed(seed)
    local function any() return odd[math.random(#odd)] end
    for k = 1, (support.runs_all and 200 or 20) * #names do
      local name, n = names[(k - 1) % #names + 1], math.random(2, 4)
      local arguments = {any(), any(), any(), any()}
      arguments[math.random(n)] = math.random(2) == 1 and strew.tensor{"b", "", "a"} or strew.time{"2024-01-01", "NaT",
        "2023-01-01"}
      local is_method, method = pcall(function() return g[name] end)
      if is_method and math.random(2) == 1 then table.insert(arguments, 1, g) else method = strew[name] end
      local ok, message = pcall(method, table.unpack(arguments, 1, n))
      assert(ok or type(message) == "string" and not message:find("strew.family", 1, true), ("%s, seed %d: %s"):format(
        name, seed, message))
    end
  end)

  it("in calls of groupings, too", function()
    for name, call in pairs(extra) do replace_each(name, call) end
  end)
end)
