-- Arguments by name: f{dim = 0} is f(0).
local strew = require "strew"
local support = dofile "tests/spec/support.lua"

local environment = {
  strew = strew, t = strew.tensor{{3.0, 1.0, 2.0}, {6.0, 5.0, 4.0}}, i = strew.tensor{{0, 1, 1}, {1, 0, 0}},
  v = strew.tensor{4.0, 5.0, 6.0}, g = strew.tensor{0, 1, 1}, m = strew.tensor{true, false, true},
}

-- Calls by position and by name.
local pairs_of_calls = {
  {"t:scatter(0, i, t)", "t:scatter{dim = 0, index = i, src = t}"},
  {"t:scatter(0, i, 1, {reduce = 'sum'})", "t:scatter{dim = 0, index = i, src = 1, reduce = 'sum'}"},
  {"t:clone():scatter_(0, i, t)", "t:clone():scatter_{dim = 0, index = i, src = t}"},
  {"t:scatter_add(0, i, t)", "t:scatter_add(0, {index = i, src = t})"},
  {"t:scatter_reduce(0, i, t, 'amax')", "t:scatter_reduce{dim = 0, index = i, src = t, reduce = 'amax'}"},
  {"strew.scatter(t, 0, i, t)", "strew.scatter{self = t, dim = 0, index = i, src = t}"},
  {"strew.scatter(v, g)", "strew.scatter{src = v, index = g}"},
  {"v:scatter(g, {reduce = 'max'})", "v:scatter{index = g, reduce = 'max'}"},
  {"strew.scatter_mean(v, g, {dim_size = 3})", "strew.scatter_mean{src = v, index = g, dim_size = 3}"},
  {"v:scatter_softmax(g)", "v:scatter_softmax{index = g}"},
  {"v:scatter_quantile(g, 0.5)", "v:scatter_quantile{index = g, q = 0.5}"},
  {"t:gather(1, i)", "t:gather{dim = 1, index = i}"},
  {"t:index_add(1, g, t)", "t:index_add{dim = 1, index = g, source = t}"},
  {"t:index_put({g:narrow(0, 0, 1)}, 9.0)", "t:index_put{indices = {g:narrow(0, 0, 1)}, values = 9.0}"},
  {"v:masked_select(m)", "v:masked_select{mask = m}"},
  {"strew.scatter_nd(g:view(3, 1), v, {2})", "strew.scatter_nd{indices = g:view(3, 1), updates = v, shape = {2}}"},
  {"v:scatter_nd(g:view(3, 1), v)", "v:scatter_nd{indices = g:view(3, 1), updates = v}"},
  {"t:gather_nd(g:narrow(0, 0, 2))", "t:gather_nd{indices = g:narrow(0, 0, 2)}"},
  {"v:segment_csr(strew.tensor{0, 1, 3})", "v:segment_csr{indptr = strew.tensor{0, 1, 3}}"},
  {"strew.searchsorted(v, 5.0)", "strew.searchsorted{sorted = v, values = 5.0}"},
  {"t:sum(1, true)", "t:sum{dim = 1, keepdim = true}"},
  {"t:narrow(1, 0, 2)", "t:narrow{dim = 1, start = 0, length = 2}"},
  {"t:transpose(0, 1)", "t:transpose(0, {dim1 = 1})"},
  {"t:view(6)", "t:view{shape = {6}}"},
  {"t:view({3, 2})", "t:view{shape = {3, 2}}"},
  {"t:sort(1, true)", "t:sort{dim = 1, descending = true}"},
  {"t:topk(2, 1)", "t:topk{k = 2, dim = 1}"},
  {"t:quantile(0.5, 1)", "t:quantile{q = 0.5, dim = 1}"},
  {"t:roll(1, 1)", "t:roll{shifts = 1, dims = 1}"},
  {"strew.full({2}, 7)", "strew.full{shape = {2}, value = 7}"},
  {"strew.zeros({2}, {dtype = 'int64'})", "strew.zeros{shape = {2}, dtype = 'int64'}"},
  {"strew.arange(1, 4)", "strew.arange{start = 1, stop = 4}"},
  {"strew.arange(4)", "strew.arange{stop = 4}"},
  {"strew.linspace(0, 1, 3)", "strew.linspace{start = 0, stop = 1, steps = 3}"},
  {"strew.one_hot(g, {num_classes = 3})", "strew.one_hot{self = g, num_classes = 3}"},
}

describe("arguments by name", function()
  it("are those by position", function()
    for _, calls in ipairs(pairs_of_calls) do
      local text = {}
      for k, call in ipairs(calls) do
        local results = table.pack(assert(load("return " .. call, call, "t", environment))())
        for n = 1, results.n do results[n] = support.text(results[n]) end
        text[k] = table.concat(results, "; ")
      end
      assert.equal(text[1], text[2], calls[2])
    end
  end)

  it("are refused if unknown, missing or given twice", function()
    local function fails(call, pattern)
      local ok, message = pcall(assert(load("return " .. call, call, "t", environment)))
      assert.is_false(ok, call)
      assert.matches(pattern, message)
    end
    fails("t:scatter_{dim = 0, index = i}", "scatter_: 'src' is missing")
    fails("t:gather{dim = 1}", "gather: 'index' is missing, the arguments are %(self, dim, index")
    fails("t:gather{dim = 1, index = i, mod = 'drop'}",
      "unknown key \"mod\", expected dim, index, mode.*did you mean 'mode'")
    fails("t:gather(1, {index = i, dim = 1})", "unknown key \"dim\", expected index, mode")
    fails("t:gather{dim = 'x', index = i}", "'dim' is \"x\", expected an integer")
    fails("t:narrow{}", "narrow: 'dim' is a table, expected an integer")
  end)
end)
