-- usage: build/strew -t 1 scripts/bench/page.lua, or node tests/web_node.js build/web scripts/bench/page.lua
-- Ten calls natively and under WebAssembly, which page_numpy.mjs has with Pyodide's NumPy: the shortest of some turns.
local strew = require "strew"
local n <const> = 1 << 15
strew.manual_seed(1)
local x, y = strew.rand(n), strew.rand(n)
local index = strew.randint(0, 1000, {n}, {dtype = "int32"})
local order = strew.randperm(n):to("int32")
local a, b = strew.rand(64, 64), strew.rand(64, 64)
local cases = {
  {"x + y", function() return x + y end},
  {"exp(x)", function() return x:exp() end},
  {"sum(x)", function() return x:sum() end},
  {"sort(x)", function() return x:sort() end},
  {"x[order]", function() return x:index_select(0, order) end},
  {"x[x > 0.5]", function() return x[x:gt(0.5)] end},
  {"add.at, 1000 places", function() return strew.zeros(1000):index_add_(0, index, x) end},
  {"bincount, 1000 weighted", function() return index:bincount{weights = x, minlength = 1000} end},
  {"unique(index)", function() return index:unique() end},
  {"matmul, 64 x 64", function() return a:matmul(b) end},
}
for _, case in ipairs(cases) do
  local best = math.huge
  for _ = 1, tonumber(arg[1]) or 200 do
    local begin = strew.clock()
    case[2]()
    best = math.min(best, strew.clock() - begin)
    collectgarbage()
  end
  print(("%s\t%.4f"):format(case[1], best * 1e3))
end
