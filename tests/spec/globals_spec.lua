-- Scripts may replace every global, every function of Lua's libraries and every function of the module: the library's
-- own code calls none of them, and its results stay.
-- devices: no, which functions the library calls does not depend on them.
local strew = require "strew"
local drawn = dofile "tests/calls.lua"
local liars = loadfile "tests/liars.lua"(strew)

-- The results of a call, also of a failing one, as text.
local function text_of(...)
  local results = table.pack(...)
  local hash = drawn.no_value
  for i = 1, results.n do
    local x = results[i]
    local is_opaque = type(x) == "userdata" and not pcall(drawn.hash, 0, x) or type(x) == "function"
    if type(x) == "string" then x = x:gsub("^[^\n:]*:%d+: ", "") end -- the place
    hash = drawn.hash(hash, is_opaque and type(x) or x)
  end
  return ("%x"):format(hash)
end

local function compare(name, draw)
  liars.told = {}
  local call = draw()
  local lied = text_of(liars.run(call.f, table.unpack(call, 1, call.n)))
  assert.are.same({name}, {name, table.unpack(liars.told)})
  call = draw()
  assert.are.equal(text_of(pcall(call.f, table.unpack(call, 1, call.n))), lied, name)
end

describe("globals of scripts", function()
  it("are not called by an operation", function()
    for _, name in ipairs(drawn.names) do
      for k = 1, 2 do compare(name, function() return drawn.draw(name, k, strew.zeros(1).device, false) end) end
    end
  end)

  it("are not called by tables, groups, texts, messages, hints, help and files", function()
    local path = os.tmpname()
    local calls = {
      function() return tostring(strew.tensor{{1.5, 2}, {3, 4}}), tostring(strew.tensor{"a", "b"}) end,
      function() return tostring(strew.table{name = {"a", "b"}, n = {1, 2}}), tostring(strew.expr "x + 1") end,
      function() local x = strew.table{a = {1, 2}, b = {"u", "v"}} return x.names, #x, x:head(1).a, x.words end,
      function() local x = strew.table{a = {1, 2}} return x:tail(1).a, pcall(function() x.aa = 1 end), x.aa end,
      function() return pcall(strew.sum, strew.ones(2), {dims = 1}) end,
      function() return pcall(strew.add, strew.ones(2), strew.ones(3)) end,
      function() return pcall(function() return strew.ones(2).len end) end,
      function() return pcall(function() return strew.tabel end) end,
      function() return pcall(strew.arange), pcall(strew.expr, "x + ("), pcall(strew.table, {a = {1}, b = {1, 2}}) end,
      function() return pcall(strew.one_hot, strew.tensor{-1}), strew.last_error().message end,
      function() local f = strew.expr "x == 'a'" return f{x = strew.tensor{"a", "b"}}, pcall(f, {y = 1}), f.inputs end,
      function() return strew.expr("where(x > 1, y, 0)"):with{x = strew.ones(2), y = 3}:sum() end,
      function()
        local g, v = strew.group_by(strew.tensor{1, 2, 1}), strew.tensor{1.0, 2.0, 3.0}
        return g:rank(v), g:agg({s = {"sum", v}, m = {"mean", v}}).s, g:sum(v), g:topk(v, 1), g.keys, tostring(g)
      end,
      function()
        local g = strew.group_by(strew.table{k = {"a", "b", "a"}, v = {1, 2, 3}}, "k")
        return g:agg{v = "sum"}.v, g.keys.k, pcall(g.agg, g, {v = "sums"})
      end,
      function() return strew.exact_sums(strew.exact_sums(2):add(1.5, strew.tensor{1}):state()):sum() end,
      function() local k = strew.key_table(1) return k:ids(strew.tensor{"a", "b", "a"}), k.n, k.keys end,
      function()
        return strew.grad(function(x) return (x * x):scatter_sum(strew.tensor{0, 1, 0}):sum() end)(strew.ones(3))
      end,
      function()
        local r = strew.reduction{init = 0.0, combine = "acc + x * x", finish = "sqrt(acc)"}
        return strew.ones(4):reduce(r), strew.scatter(strew.ones(3), strew.tensor{0, 1, 0}, {reduce = r})
      end,
      function() return strew.join(strew.table{k = {1, 2}, a = {3, 4}}, strew.table{k = {2, 3}, b = {5, 6}}, "k").b end,
      function() return strew.pivot(strew.table{r = {1, 2}, c = {1, 1}, v = {3, 4}}, "r", "c", "v", "sum").names end,
      function() return strew.time{"2024-01-31"}:floor_time("month"), tostring(strew.time{"2024-01-31"}) end,
      function() return strew.tensor{"10", "x"}:contains("x"), pcall(strew.to, strew.tensor{"10", "x"}, "int64") end,
      function() return strew.set_printoptions{precision = 3}, strew.get_printoptions().precision,
                        strew.set_printoptions{profile = "default"} end,
      function()
        strew.save(path, strew.table{a = {1, 2}, b = {"x", "y"}}, {format = "csv"})
        local x = strew.load(path, {format = "csv"})
        return x.a, x.b, x.names, pcall(strew.load, path, {format = "csv", dtype = "nothing"})
      end,
      function() return strew.describe(strew.table{a = {1, 2, 4}}).mean, pcall(strew.describe, 1) end,
    }
    for i, f in ipairs(calls) do compare("call " .. i, function() return {f = f, n = 0} end) end
    os.remove(path)
  end)

  it("are not called by help and pictures, which print", function()
    local real = print
    local function printed(f, ...)
      local lines = {}
      function _G.print(line) lines[#lines + 1] = line end
      local ok, message = liars.run(f, ...)
      _G.print = real
      assert.is_true(ok, message)
      return table.concat(lines, "\n")
    end
    for _, topic in ipairs{"sum", "scatter", "which", "recipes", "dtype"} do
      liars.told = {}
      printed(strew.help, topic)
      assert.are.same({}, liars.told)
    end
    liars.told = {}
    printed(strew.show, strew.eye(3))
    printed(strew.help, {search = "sort"})
    assert.are.same({}, liars.told)
  end)

  it("are nothing that functions in metatables, called by a script with anything, trust", function()
    local of_module = getmetatable(strew).__index
    local function calls_of(x)
      return {
        function() return x.foo end, function() return x.a1 end, function() return x.words end,
        function() return #x end, function() return tostring(x) end,
        function() return x:head(1) end, function() x.b = strew.ones(2) end,
      }
    end
    for _, lie in ipairs{false, 7, "s", {}, strew.ones(1), rawlen} do
      for _, key in ipairs{"methods", "columns", "names", "__index"} do
        local x = strew.table{a = {1, 2}}
        local about = getmetatable(x).__index
        if key == "names" then about.names = lie else getmetatable(about)[key] = lie end
        for _, f in ipairs(calls_of(x)) do pcall(f) end
        x = strew.table{a = {1, 2}}
        getmetatable(x).__index.names[1] = lie
        for _, f in ipairs(calls_of(x)) do pcall(f) end
      end
      local x = strew.table{a = {1}}
      local functions = {of_module, getmetatable(getmetatable(x).__index).__index}
      for _, event in ipairs{"__tostring", "__len", "__newindex"} do
        table.insert(functions, getmetatable(x)[event])
      end
      for _, f in ipairs(functions) do
        for _, first in ipairs{lie, {lie}, setmetatable({}, {columns = lie, methods = lie, __index = lie})} do
          pcall(f, first, lie)
          pcall(f, first, "zz", lie)
        end
      end
    end
    assert.is_truthy(select(2, pcall(of_module, 7, "x")):find("strew has no 'x'", 1, true))
  end)
end)
