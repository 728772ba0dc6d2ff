-- Names of other libraries: the hints for them can be followed, and no hint offers a name that only looks alike.
local strew = require "strew"
local which = dofile "lua_bindings/which.lua"
if not pcall(strew.zeros, 1, {dtype = "float64"}) then
  return it("is left out", function() pending "without float64, which the device lacks" end)
end

local function elements(value)
  if strew.type(value) == "tensor" then return value:tolist() end
  if type(value) ~= "table" then return value end
  local list = {}
  for key, part in pairs(value) do list[key] = elements(part) end
  return list
end

local function same(expected, got, name)
  if type(expected) == "table" then
    assert.equal("table", type(got), name)
    for key, part in pairs(expected) do same(part, got[key], name) end
    for key in pairs(got) do assert.is_not_nil(expected[key], name) end
  elseif type(expected) == "number" and expected == expected then
    assert.equal("number", type(got), name)
    local is_near = expected == got or math.abs(expected - got) <= 1e-5 * math.max(1, math.abs(expected))
    assert.is_true(is_near, ("%s: %s, not %s"):format(name, got, expected))
  else
    assert.equal(tostring(expected):gsub("^-", ""), tostring(got):gsub("^-", ""), name)
  end
end

-- The module, with files in the temporary folder, and nothing shown.
local base = os.tmpname()
local path = base .. ".csv"
local module = setmetatable({}, {__index = strew})
function module.save(name, x) strew.save(base .. name, x) end
function module.show(x) return strew.type(x) == "tensor" end
function module.plot(x) return x ~= nil end

-- The variables of the hints, anew.
local function environment()
  local names, env = {}, setmetatable({strew = module, path = path, print = function() end}, {__index = _G})
  for list in which.operands:gmatch "local ([%w_, ]+) =" do
    for name in list:gmatch "[%w_]+" do table.insert(names, name) end
  end
  local values = {assert(load(which.operands .. " return " .. table.concat(names, ", "), "=operands", "t", env))()}
  for k, name in ipairs(names) do env[name] = values[k] end
  env.a, env.b = strew.tensor{1.5, -2, 0.5}, strew.tensor{2, 0.5, -3}
  env.m = strew.tensor{{1.0, 2, 3}, {4, 5, 6}, {7, 8, 10}}
  env.p, env.q = strew.tensor{0.2, 0.5, 0.9}, strew.tensor{1.0, 0, 1}
  env.labels = strew.tensor{0, 2, 1, 1}
  function env.f(x) return (x * x):sum() end
  return env
end

-- Runs code; returns its results, or the environment that it has changed.
local function run(code, env)
  local first, last = code:gsub("%s*%-%- .*", ""):match "^(.-;?)%s*([^;]*)$"
  local f = load(first .. " return " .. last, code, "t", env)
  if f then return table.pack(f()) end
  assert(load(code, code, "t", env))()
end

-- What the names ask for where it is no constant: a condition of results and variables.
local function is_like(dtype, ...)
  local shape = {...}
  return function(r) return r[1].dtype == dtype and table.concat(r[1].shape, " ") == table.concat(shape, " ") end
end
local function has_rows(count) -- different rows of x
  return function(r, env)
    for k = 0, count - 1 do
      local at = env.v:eq(r[1].size[k]):nonzero()
      if at:numel() ~= 1 or env.index[at:item()] ~= r[1].id[k] then return false end
    end
    return #r[1].size == count and #r[1].size:unique() == count
  end
end
local function lies(low, high) return function(r) return r[1]:min():item() >= low and r[1]:max():item() <= high end end
local conditions = {
  cuda = function(r) return r[1].device:match "^opencl" end,
  type = function(r) return r[1] == "float32" end, dtype = function(r) return r[1] == "float32" end,
  device = function(r, env) return r[1] == env.t.device end,
  requires_grad = function(r, env) return strew.equal(r[1], env.t * 2) end,
  new_empty = is_like("float32", 4, 3), randint_like = lies(0, 9),
  random = is_like("float32", 2, 3),
  permutation = function(r, env) return strew.equal((r[1]:sort(0)), (env.t:sort(0))) end,
  seed = function()
    local first = strew.rand(3)
    strew.manual_seed(1)
    return strew.equal(first, strew.rand(3))
  end,
  infty = function(r) return r[1] == math.huge end, NaN = function(r) return r[1] ~= r[1] end,
  dropout = function(r, env) return (r[1]:eq(0) | r[1]:eq(env.t * 2)):all():item() end,
  factorize = function(r, env) return strew.equal(r[1][r[2]], env.v) end,
  groupby = function(r) return r[1].n == 3 end,
  imshow = function(r) return r[1] end, Series = function(r) return strew.equal(r[1], strew.tensor{1, 2, 3}) end,
}
for name in ("bar scatterplot lineplot fill_between semilogy savefig histplot hist"):gmatch "%S+" do
  conditions[name] = conditions.imshow -- drawn
end
for name, dtype in pairs{FloatTensor = "float32", DoubleTensor = "float64", LongTensor = "int64", IntTensor = "int32",
  ShortTensor = "int16", CharTensor = "int8", ByteTensor = "uint8"} do conditions[name] = is_like(dtype, 3) end

-- The same of tables.
local of_tables = {
  head = has_rows(5),
  tail = function(r, env) return strew.equal(r[1].size, env.v:slice(0, 1)) end,
  nlargest = function(r) return strew.equal(r[1].size, strew.tensor{8.0, 5, 4}) end,
  nsmallest = function(r) return strew.equal(r[1].size, strew.tensor{1.0, 2, 3}) end,
  loc = function(r) return strew.equal(r[1].size, strew.tensor{2.0, 1}) end,
  filter = function(r) return strew.equal(r[1].size, strew.tensor{4.0, 8, 3, 5}) end,
  sort_values = function(r) return strew.equal(r[1].size, strew.tensor{1.0, 2, 5, 8, 4, 3}) end,
  groupby = conditions.groupby, agg = function(r) return strew.equal(r[1].total, strew.tensor{23.0}) end,
  nunique = function(r) return r[1].size:item() == 6 and r[1].id:item() == 3 end,
  merge = function(r) return strew.equal(r[1].size, strew.tensor{1.0, 2, 8, 5})
    and strew.equal(r[1].name, strew.tensor{7, 7, 9, 7}) end,
  pivot_table = function(r) return r[1]["8.0"][1] == 8 and r[1]["1.0"][0] == 1 end,
  crosstab = function(r) return r[1]["8.0"][1] == 1 and r[1]["8.0"][0] == 0 end,
  DataFrame = function(r, env)
    return table.concat(strew.columns(r[1]), " ") == "size id" and strew.equal(r[1].size, env.v)
  end,
  numexpr = function(r, env) return strew.equal(r[1].total, env.v * 2) end,
  info = function() return true end, itertuples = function() return true end,
  col = function(r, env) return strew.equal(r[1], env.v) end,
  read_csv = function(r) return strew.equal(r[1].n, strew.tensor{3}) end,
  to_datetime = function(r) return r[1].day[0] == 1704153600 end, -- 2024-01-02
  to_csv = function(_, env) return strew.equal(strew.load(base .. "x.csv", {header = true}).id, env.index) end,
  savez = function(_, env) return strew.equal(strew.load(base .. "x.npz").id, env.index) end,
  with_row_index = function(r) return strew.equal(r[1].row, strew.arange(6)) end,
  relocate = function(r) return table.concat(strew.columns(r[1]), " ") == "id size" end,
}
of_tables.write_csv, of_tables.read_table, of_tables.get_column = of_tables.to_csv, of_tables.read_csv, of_tables.col

local expected = {}
for _, row in ipairs(dofile "tests/data/names.lua") do expected[row[1]] = row[2] end

-- The value of the row's names in a table.
local function of_row(row, values)
  for name in row[1]:gmatch "%S+" do
    if values[name] ~= nil then return values[name] end
  end
end

local function check(row, code, conditions_of, env)
  local name, ok = row[1]:match "%S+", of_row(row, conditions_of)
  local results = run(code, env)
  if ok then return assert.is_truthy(ok(results, env), name) end
  local wanted = of_row(row, expected)
  assert.is_not_nil(wanted, name .. " has no expected result")
  if results.n == 1 then results = results[1] end
  if type(results) == "table" then results.n = nil end
  same(wanted, elements(results), name)
end

local function hint_of(name, owner)
  local ok = pcall(function() return owner[name] end)
  assert.is_false(ok, name .. " is a name of strew: its row in which.lua is to be removed")
  return strew.last_error().hint
end

local function write(text)
  local file <close> = assert(io.open(path, "w"))
  file:write(text)
end

describe("a name of another library", function()
  teardown(function()
    for _, ending in ipairs{"", ".csv", "x.csv", "x.npz"} do os.remove(base .. ending) end
  end)

  it("is answered by code that does it", function()
    local has_opencl = pcall(strew.zeros, 1, {device = "opencl"})
    for _, row in ipairs(which.names) do
      for place, conditions_of in pairs{[2] = conditions, [3] = of_tables} do
        local env, name = environment(), row[1]:match "%S+"
        if name:find "^nan%l" or name:find "na$" then env.t[0][0], env.v[0] = 0 / 0, 0 / 0 end
        write(name == "to_datetime" and "day,n\n2024-01-02,3\n" or "day,n\n1,3\n")
        if row[place] and (name ~= "cuda" or has_opencl) then check(row, row[place], conditions_of, env) end
      end
    end
  end)

  it("is in the hint of the error, or the error says that there is nothing like it", function()
    for _, row in ipairs(which.names) do
      for name in row[1]:gmatch "%S+" do
        for _, owner in ipairs{strew, strew.ones(2)} do
          if not (owner ~= strew and ("type dtype shape device"):find(name, 1, true)) and name ~= "type" then
            local hint = hint_of(name, owner)
            assert.matches(row[2] or row[3] or row.say or "strew has nothing like it", hint, 1, true)
            assert.matches(row[3] or "", hint, 1, true)
          end
        end
      end
    end
  end)

  it("that groupings lack is answered by code that does it", function()
    local v, key = strew.tensor{1.0, 4, 2, 8, 3, 5}, strew.tensor{0, 2, 0, 1, 2, 0}
    local x = strew.table{{"v", v}, {"key", key}}
    local g, passed = x:group_by "key", 0
    local wanted = {
      apply = function(r) return strew.equal(r[1].total, strew.tensor{8.0, 8, 7}) end,
      over = function(r) return r[1]:allclose(strew.tensor{8 / 3, 3.5, 8 / 3, 8, 3.5, 8 / 3}) end,
      size = function(r) return strew.equal(r[1], strew.tensor{3, 1, 2}) end,
      ngroups = function(r) return r[1] == 3 end,
      nth = function(r) return strew.equal(r[1].v, strew.tensor{2.0, 3}) end,
      cumcount = function(r) return strew.equal(r[1], strew.tensor{0, 0, 1, 0, 1, 2}) end,
      sample = function(r) return #r[1] == 5 end,
      get_group = function(r) return strew.equal(r[1].v, strew.tensor{1.0, 2, 5}) end,
      pairs = function() return true end,
      lag = function(r) return r[1]:nan_to_num(-1):allclose(strew.tensor{-1.0, -1, 1, -1, 4, 2}) end,
      filter = function(r) return strew.equal(r[1].v, v) end,
      aggregate = function(r) return strew.equal(r[1].total, strew.tensor{8.0, 8, 7}) end,
      lead = function(r) return r[1]:nan_to_num(-1):allclose(strew.tensor{2.0, 3, 5, -1, -1, -1}) end,
      nanmean = function(r) return r[1]:allclose(strew.tensor{8 / 3, 8, 3.5}) end,
      nansum = function(r) return strew.equal(r[1], strew.tensor{8.0, 8, 7}) end,
      nanmax = function(r) return strew.equal(r[1], strew.tensor{5.0, 8, 4}) end,
      nanmedian = function(r) return strew.equal(r[1], strew.tensor{2.0, 8, 3.5}) end,
      rolling = function(r) return r[1]:nan_to_num(-1):allclose(strew.tensor{-1, -1, 1.5, -1, 3.5, 3.5}) end,
      fillna = function(r) return strew.equal(r[1], v) end,
      ngroup = function(r) return strew.equal(r[1], strew.tensor{0, 2, 0, 1, 2, 0}) end,
    }
    for _, row in ipairs(which.groups) do
      for name in row[1]:gmatch "%S+" do
        if name ~= "pairs" and name ~= "ipairs" then assert.equal("here it is " .. row[2], hint_of(name, g)) end
      end
      local env = setmetatable({g = g, x = x, v = v, strew = strew, print = function() end}, {__index = _G})
      local results = run(row[2], env)
      assert.is_truthy(wanted[row[1]:match "%S+"](results), row[1])
      passed = passed + 1
    end
    assert.is_true(passed > 14)
    for _, loop in ipairs{"for _ in g do end", "for _ in pairs(g) do end", "for _ in ipairs(g) do end"} do
      assert.is_false(pcall(assert(load(loop, "=loop", "t", {g = g, pairs = pairs, ipairs = ipairs}))))
      assert.matches("for key, rows in g:each() do print(key, rows) end", strew.last_error().hint, 1, true)
    end
  end)

  it("of times is answered", function()
    local t = strew.time{"2024-05-17"}
    for name, code in pairs{strftime = 't:format("%Y-%m")', day_name = 't:format("%A")', isoweek = ".iso_week",
      timedelta = "t + 5 * 86400"} do
      assert.matches(code, hint_of(name, t), 1, true)
    end
    assert.matches("t * 2", hint_of("vectorize", t), 1, true)
    assert.matches("t:length()", hint_of("len", t), 1, true)
  end)

  it("of words is answered by code that changes them", function()
    local t = strew.tensor{"ab", "cd", "ab"}
    for name, code in pairs{strip = 'trim()', to_uppercase = "upper()", str_detect = 'contains("sl")'} do
      assert.equal("of a text t: t:" .. code, hint_of(name, t))
    end
    assert.equal("of times t: strew.calendar(t)", hint_of("weekday", t))
    for _, name in ipairs{"gsub", "title", "lstrip"} do
      local code = hint_of(name, t):match "of a text t: (.*)$"
      local env = setmetatable({t = t, strew = strew}, {__index = _G})
      assert.same({"bb", "cd", "bb"}, assert(load("return " .. code, name, "t", env))():tolist(), name)
    end
  end)

  it("of a task of ?which is answered by its call", function()
    for name, call in pairs{flatnonzero = "t:flatten():nonzero()", crosstab = "strew.pivot(", idxmax = "t:argmax(1)",
      put_along_axis = "t:scatter_(1", index_in_dim = "t:select(0, 2)", top_k = "v:topk(2)",
      mutate = "strew.assign(", arrange = "strew.sort_by(", left_join = "strew.join(",
      to_dummies = "strew.get_dummies(", from_records = "strew.table{{"} do
      assert.matches("here it is " .. call, hint_of(name, strew), 1, true)
    end
  end)

  it("of Lua's older libraries or of another language's is answered by Lua code", function()
    local x, y, list, text = 1.75, 2, {4, 5, 6}, "  ab,cd "
    local env = setmetatable({x = x, y = y, list = list, text = text, print = function() end}, {__index = _G})
    local results = {pow = 3.0625, atan2 = 0.8519663, log10 = 0.243038, log2 = 0.8073549, log1p = 1.0116009,
      cosh = 2.9641884, sinh = 2.7904144, tanh = 0.9413755, mod = 1.75, ldexp = 14, round = 2, trunc = 1, isnan = false,
      inf = math.huge, clamp = 1, hypot = 2.65754, cbrt = 1.2050711, getn = 3, gfind = "a", strip = "ab,cd",
      startswith = false,
      endswith = false, split = "  ab", join = "4, 5, 6", replace = "  bb,cd ", contains = 3}
    for _, row in ipairs(which.lua) do
      local wanted = of_row(row, results)
      if wanted ~= nil then
        local result = run(row[2], env)[1]
        if type(result) == "function" then result = result() end
        if type(wanted) == "number" and wanted ~= math.huge then
          assert.is_true(math.abs(wanted - result) < 1e-4, row[1])
        else
          assert.equal(wanted, result, row[1])
        end
      elseif row[2] and row[1] ~= "nan" then
        run(row[2], env)
      end
    end
  end)
end)
