-- Calls chosen by the bytes: any function, method or operator of the module, with arguments of the documented types
-- (lua_bindings/strew.lua), and sometimes others. Beside not crashing, these hold:
--   a call that fails changes nothing,
--   a function changes only its target in place, a setting, or its `out`,
--   results do not depend on the number of threads,
--   what a script has put in the place of globals and functions is not called (tests/liars.lua).
-- (The meaning of bytes depends on the module's names: keep findings as a spec, too.)
local strew, folder, look = ... -- look(tensor): all of it, as a string
local Choices = dofile("tests/fuzz/choices.lua")
local liars = loadfile("tests/liars.lua")(strew)

-- pcall(f, ...), in one of four calls among liars.
local function attempt(choices, f, ...)
  if not choices:rarely(4) then return pcall(f, ...) end
  liars.told = {}
  local results = table.pack(liars.run(f, ...))
  assert(#liars.told == 0, "the library calls a script's " .. tostring(liars.told[1]))
  return table.unpack(results, 1, results.n)
end

-- ----------------------------------------------------------------------------------------------- what there is to call

-- {name = {{name =, type =, fields = the options of a table}...}} of functions.
local functions = {}
for _, entry in ipairs(debug.getregistry()["strew.help"]().entries) do
  if entry.kind == "function" then functions[entry.name] = entry.params end
end
local anything = {{name = "...", type = "any"}}
local left_out = {set_num_threads = true, _VERSION = true, clock = true, memory = true, devices = true,
  to_dlpack = true, from_dlpack = true, from_arrow = true, from_arrow_stream = true} -- addresses
local names = {}
for name, f in pairs(strew) do if type(f) == "function" and not left_out[name] then names[#names + 1] = name end end
table.sort(names)

-- Methods of a grouping and a key table, and what they take.
local of_keys = {}
local v, options = {name = "v", type = "strew.Tensor"}, functions.scatter_sum[#functions.scatter_sum]
for name in ([[sum mean prod min max std var median count first last any all nunique logsumexp argsort rank cumsum
  softmax]]):gmatch "%S+" do
  of_keys[#of_keys + 1] = {name = name, v, options}
end
of_keys[#of_keys + 1] = {name = "quantile", v, {name = "q", type = "number"}}
of_keys[#of_keys + 1] = {name = "topk", v, {name = "k", type = "integer"}}
of_keys[#of_keys + 1] = {name = "agg", {name = "what", type = "table"}}
of_keys[#of_keys + 1] = {name = "order"}
of_keys[#of_keys + 1] = {name = "starts"}
of_keys[#of_keys + 1] = {name = "ids", v, {name = "other", type = "strew.Tensor|nil"}}

local operators = {
  ["+"] = function(a, b) return a + b end, ["-"] = function(a, b) return a - b end,
  ["*"] = function(a, b) return a * b end, ["/"] = function(a, b) return a / b end,
  ["//"] = function(a, b) return a // b end, ["%"] = function(a, b) return a % b end,
  ["^"] = function(a, b) return a ^ b end, ["unary -"] = function(a) return -a end,
  ["&"] = function(a, b) return a & b end, ["|"] = function(a, b) return a | b end,
  ["~"] = function(a, b) return a ~ b end, ["unary ~"] = function(a) return ~a end,
  ["<"] = function(a, b) return a < b end, ["<="] = function(a, b) return a <= b end,
  ["=="] = function(a, b) return a == b end, ["#"] = function(a) return #a end,
  [".."] = function(a, b) return a .. b end, ["()"] = function(a, b) return a(b) end,
  ["[]"] = function(a, b) return a[b] end, ["[]="] = function(a, b, c) a[b] = c end,
  tostring = function(a) return tostring(a) end, pairs = function(a) return pairs(a)(a) end,
  close = function(a) local x <close> = a return x.shape end,
}
local operands = {
  {name = "self", type = "strew.Tensor"}, {name = "other", type = "integer|strew.Tensor|strew.Tensor|number|any"},
  {name = "value", type = "any"},
}
local operator_names = {}
for name in pairs(operators) do operator_names[#operator_names + 1] = name end
table.sort(operator_names)

-- ---------------------------------------------------------------------------------------------------------- arguments

local words = {
  "float32", "int64", "bool", "cpu", "opencl:nowhere", "sum", "mean", "amax", "prod", "error", "wrap", "clip", "drop",
  "viridis", "magma", "shape", "dtype", "abs", "scatter_add_", "full", "default", "auto", "", "1", "\0", "\xff\xfe",
  "%s%n", ("long"):rep(300), ",", ";", "sum_", folder .. "/calls.npy", folder .. "/calls.npz", folder .. "/calls.csv",
  folder .. "/calls.png", folder .. "/absent.npy", folder, folder .. "/no/folder.npz",
}
local reductions = {"sum", "add", "prod", "mul", "multiply", "mean", "amax", "max", "amin", "min", "avg"}
local modes = {"error", "wrap", "clip", "drop", "raise"}

local function some_index(choices, pool)
  for i = 0, #pool - 1 do
    local tensor = pool[(choices.at + i) % #pool + 1]
    local ok, dtype = pcall(function() return tensor.dtype end)
    if ok and (dtype == "int64" or dtype == "int32") then return tensor end
  end
end

local of_type

local function sequence_of(choices, pool, kind)
  local made = {}
  for i = 1, choices:below(5) do made[i] = of_type(choices, pool, kind) end
  return made
end

local function options_of(choices, pool, fields)
  local made = {}
  for _, field in ipairs(fields) do
    if choices:below(3) == 0 then made[field.name] = of_type(choices, pool, field.type, field.name) end
  end
  if choices:rarely(24) then made[choices:one_of(words)] = choices:integer() end
  return made
end

local all_types = {
  "integer", "number", "boolean", "string", "strew.Tensor", "strew.Tensor[]", "integer[]", "nil", "function",
  "userdata",
  "strew.dtype", "table", "thread",
}

local makers = {
  integer = function(choices) return choices:integer() end,
  number = function(choices) return choices:below(2) == 0 and choices:integer() or choices:float() end,
  boolean = function(choices) return choices:below(2) == 1 end,
  string = function(choices) return choices:one_of(words) end,
  ["nil"] = function() return nil end,
  ["function"] = function() return print end,
  userdata = function(choices)
    local kind = choices:below(5)
    if kind == 0 then return strew.key_table(1 + choices:below(3)) end
    if kind == 3 then return strew.exact_sums(choices:below(3)) end
    if kind < 3 then return strew.grouping(strew.tensor{0, 2, 2, 0, 1}) end
    return io.stdout
  end,
  thread = function() return coroutine.create(print) end,
  table = function(choices, pool)
    local kind = choices:below(4)
    if kind == 0 then return {a = choices:one_of(pool), [1] = choices:integer(), [2.5] = {}} end
    if kind == 1 then return {a = choices:one_of(pool), b = choices:one_of(pool)} end
    if kind == 2 then return {choices:float(), choices:float()} end
    local quantile = {"quantile", choices:one_of(pool), q = choices:float()}
    return {a = {choices:one_of(reductions), choices:one_of(pool)}, b = quantile, n = "count"}
  end,
  any = function(choices, pool) return of_type(choices, pool, choices:one_of(all_types)) end,
  ["strew.Tensor"] = function(choices, pool, name)
    if name and name:find("^ind") and choices:below(8) > 0 then return some_index(choices, pool) end
    return choices:one_of(pool)
  end,
  ["strew.dtype"] = function(choices) return choices:one_of(Choices.dtypes) end,
  ["strew.device"] = function(choices) return choices:rarely(8) and choices:one_of(words) or "cpu" end,
  ["strew.reduction"] = function(choices) return choices:one_of(reductions) end,
  ["strew.mode"] = function(choices) return choices:one_of(modes) end,
}

function of_type(choices, pool, kind, name)
  local alternatives = {}
  for alternative in kind:gmatch("[^|]+") do alternatives[#alternatives + 1] = alternative end
  kind = choices:one_of(alternatives)
  if kind:find("%[%]$") then return sequence_of(choices, pool, kind:sub(1, -3)) end
  return (makers[kind] or makers.any)(choices, pool, name)
end

local function arguments_of(choices, pool, parameters)
  local made, count = {}, 0
  for _, parameter in ipairs(parameters) do
    local times = parameter.name == "..." and choices:below(5) or 1
    for _ = 1, times do
      count = count + 1
      local takes_options = parameter.fields and (parameter.name == "options" or choices:rarely(3))
      if takes_options and not choices:rarely(12) then
        made[count] = options_of(choices, pool, parameter.fields)
      else
        made[count] = of_type(choices, pool, choices:rarely(12) and "any" or parameter.type, parameter.name)
      end
    end
  end
  if choices:rarely(12) then count = count + 1 made[count] = of_type(choices, pool, "any") end
  if choices:rarely(12) and count > 0 then count = count - 1 end
  return made, count
end

-- -------------------------------------------------------------------------------------------------------- what is seen

local function look_at_all(pool)
  local seen = {}
  for i, tensor in ipairs(pool) do
    local ok, what = pcall(look, tensor)
    seen[i] = (ok or what:find("freed", 1, true)) and what or error(what, 0)
  end
  return seen
end

local function is_limit(message)
  for _, sign in ipairs{"out of memory", "not enough memory", "time limit"} do
    if type(message) == "string" and message:find(sign, 1, true) then return true end
  end
end

-- ----------------------------------------------------------------------------------------------------------- the calls

local function new_pool()
  local grid = strew.arange(12):view(3, 4)
  local floats = strew.tensor({{1.5, -0.0, 0 / 0}, {1 / 0, 2, -3}})
  local freed = strew.ones(2)
  freed:free()
  return {
    grid, floats, strew.tensor{{0, 2, 1, 0}, {1, 1, 1, 1}, {2, 0, 0, 2}}, strew.tensor({2, 0, -1}, {dtype = "int32"}),
    strew.tensor(2.5, {dtype = "float64"}), strew.zeros(0, 3), strew.tensor{true, false, true, true},
    strew.tensor{1.0, 2}:unsqueeze(1):expand(2, 5), grid:t(), strew.arange(10):as_strided({3, 2}, {2, 3}, 1),
    strew.arange(6, {dtype = "float16"}):view(2, 3), strew.full({2, 2, 3}, 200, {dtype = "uint8"}), freed,
    strew.tensor({0, 0, 1, 2}), strew.ones(3, 4), strew.arange(300, {dtype = "float32"}):remainder(7),
    strew.tensor{-0.0, 0.5, 1 / 0, 0 / 0, -1 / 0}, strew.tensor(-0.0),
    strew.tensor{math.mininteger, math.maxinteger, -1, 0, 1}, strew.tensor(true),
    strew.zeros(1, {dtype = "int64"}):expand(1 << 50), strew.ones(1, 1):expand(2, 1 << 14),
    strew.zeros(1, {dtype = "uint8"}):expand(1 << 32, 1 << 30), strew.tensor{0, 2, 2, 0, 1},
  }
end

local function writes(name, arguments, count)
  if name:find("_$") or name == "set" or name == "[]=" or name == "free" or name == "close" then return true end
  for i = 1, count do
    local argument = arguments[i]
    if type(argument) == "table" and strew.type(argument) == nil and argument.out then return true end
  end
  return false
end

-- A method of a grouping or a key table.
local function call_of_keys(choices, pool)
  local method, self = choices:one_of(of_keys), of_type(choices, pool, "userdata")
  local arguments, count = arguments_of(choices, pool, method)
  local function f(...) return self[method.name](self, ...) end
  local results = table.pack(attempt(choices, f, table.unpack(arguments, 1, count)))
  return method.name, results, writes(method.name, arguments, count)
end

-- One call. Returns its name, its results (a packed table), and whether it may write.
local function call(choices, pool)
  local form = choices:below(6)
  if form == 5 then return call_of_keys(choices, pool) end
  local name = choices:one_of(form == 4 and operator_names or names)
  local f = form == 4 and operators[name] or strew[name]
  local parameters = form == 4 and operands or functions[name] or functions[name:gsub("_$", "")] or anything
  local arguments, count = arguments_of(choices, pool, parameters)
  if form == 3 and strew.type(arguments[1]) then -- as a method
    local ok, method = pcall(function() return arguments[1][name] end)
    if ok and type(method) == "function" then f = method end
  end
  local results = table.pack(attempt(choices, f, table.unpack(arguments, 1, count)))
  return name, results, writes(name, arguments, count)
end

local function keep(pool, results)
  for i = 2, results.n do
    if strew.type(results[i]) then
      if #pool >= 32 then table.remove(pool, 25) end
      pool[#pool + 1] = results[i]
    end
  end
end

local function run(bytes, threads)
  local choices = Choices.new(bytes)
  strew.set_num_threads(threads)
  strew.manual_seed(1)
  strew.deterministic(true)
  strew.set_printoptions{profile = "default"}
  local pool = new_pool()
  local before = look_at_all(pool)
  for _ = 1, 16 do
    if not choices:has_more() then break end
    local name, results, may_write = call(choices, pool)
    local ok, message = results[1], results[2]
    if not ok and is_limit(message) then return nil end
    assert(ok or type(message) == "string", "an error that is no string")
    local after = look_at_all(pool)
    for i = 1, #pool do
      if after[i] ~= before[i] and not (ok and may_write) then
        error(("%s %s, and changed tensor %d, now %s\n%q\n%q\n%s"):format(
          name, ok and "worked" or "failed", i, pool[i], before[i], after[i], ok and "" or message), 0)
      end
    end
    if not name:find "^empty" then keep(pool, results) end -- their elements are whatever the memory held
    before = look_at_all(pool)
  end
  return table.concat(before, "\n")
end

function _G.print(...) for i = 1, select("#", ...) do tostring((select(i, ...))) end end
warn("@off")

return function(bytes)
  local one = run(bytes, 1)
  local sum = 0
  for i = 1, #bytes do sum = sum + bytes:byte(i) end
  if one and sum % 64 == 63 then -- sometimes, because it takes ten times as long
    local three = run(bytes, 3)
    assert(not three or one == three, ("one thread and three differ:\n%q\n%q"):format(one, three))
  end
  collectgarbage()
  collectgarbage()
  if one then assert(strew.memory() == 0, "memory is left over") end
end
