-- Arguments by name: f{dim = 0} is f(0).
-- devices: no, names are resolved before a device gets a call.
local strew = require "strew"
local support = dofile "tests/spec/support.lua"
local drawn = dofile "tests/calls.lua"

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
  {"strew.cat({t, i}, 1)", "strew.cat{tensors = {t, i}, dim = 1}"},
  {"strew.cat({t, i})", "strew.cat{tensors = {t, i}}"},
  {"t:cat(i, 1)", "t:cat(i, {dim = 1})"},
  {"strew.stack({t, i}, 2)", "strew.stack({t, i}, {dim = 2})"},
  {"t:split({1, 2}, 1)[2]", "t:split{size = {1, 2}, dim = 1}[2]"},
  {"t:split(2, 1)[2]", "strew.split{self = t, size = 2, dim = 1}[2]"},
  {"strew.eye(2, 3)", "strew.eye{n = 2, m = 3}"},
  {"strew.arange(1, 9, 3)", "strew.arange{start = 1, stop = 9, step = 3}"},
  {"strew.arange(0, 9, 3)", "strew.arange{stop = 9, step = 3}"},
  {"strew.arange(0, 9, 3)", "strew.arange(9, {step = 3})"},
  {"t:size(1)", "strew.size{self = t, dim = 1}"},
  {"t:size()", "strew.size{self = t}"},
  {"t:stride(-1)", "t:stride{dim = -1}"},
  {"t:dim(), t:numel(), t:is_contiguous()",
   "strew.dim{self = t}, strew.numel{self = t}, strew.is_contiguous{self = t}"},
  {"t:get(1, 2)", "t:get{position = {1, 2}}"},
  {"strew.free(t:clone())", "strew.free{self = t:clone()}"},
  {"strew.deterministic(true)", "strew.deterministic{enabled = true}"},
  {"strew.grad(function(x) return x:sum() end)(v)", "strew.grad{f = function(x) return x:sum() end}(v)"},
}

-- ------------------------------------------------------------------------------------------------- every operation

-- Operations whose arguments have no names: a table of data comes first, a function, or, of set, any number of
-- coordinates; and those whose calls here take other arguments.
local by_position = {tensor = true, text = true, time = true, rows = true, sort_by = true, expr = true, assign = true,
  set = true, key_table = true, reduction = true, reduce = true, scan = true, grad = true, value_and_grad = true,
  grouping = true, group_by = true, join = true, asof = true, melt = true, table = true, describe = true, head = true,
  tail = true, pivot = true, value_counts = true, calendar = true, floor_time = true, add_months = true, format = true,
  date_range = true, resample = true, aggregate = true,
  ranges = true, rolling = true, exact_sums = true, join_words = true, dropna = true, duplicated = true,
  drop_duplicates = true, replace = true, explode = true,
  corr = true, fillna = true, rename = true, drop = true, sample = true, row = true, each = true,
  cut = true, qcut = true,
  get_dummies = true, rank = true, plot = true}
-- The names of arguments that the help calls otherwise.
local other_names = {["to target"] = "dtype"}

-- The parameters of each operation, as in the help.
local function signatures()
  local list = {}
  for _, entry in ipairs(debug.getregistry()["strew.help"]().entries) do
    local names = {}
    for _, parameter in ipairs(entry.params) do
      local is_rest = parameter.name == "..."
      local word = is_rest and parameter.shown:match "^(%l+)%.%.%.$" or parameter.name
      table.insert(names, other_names[entry.name .. " " .. word] or word)
      if is_rest then table.insert(names, "options") end
    end
    list[entry.name] = names
  end
  return list
end

-- The arguments of a call from position `first` on as one table; nil if a name is unknown.
local function by_name(call, parameters, first)
  local named = {}
  for i = first, call.n do
    if parameters[i] == "options" then
      for key, value in pairs(call[i]) do named[key] = value end
    elseif parameters[i] then
      named[parameters[i]] = call[i]
    else
      return nil
    end
  end
  return named
end

local function hash_of(f, ...)
  strew.manual_seed(5)
  return drawn.hash(drawn.no_value, {f(...)})
end

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

  it("are those by position for each operation", function()
    local parameters, device, compared = signatures(), strew.zeros(1).device, 0
    for _, name in ipairs(drawn.names) do
      local f = rawget(strew, name)
      for k = 1, f and not by_position[name] and 3 or 0 do
        local call = drawn.draw(name, k, device)
        if not (call.is_double and support.lacks_float64) then
          local expected = hash_of(f, table.unpack(call, 1, call.n))
          local all = assert(by_name(call, parameters[name], 1), name)
          assert.equal(expected, hash_of(f, all), name)
          if strew.type(call[1]) and call.n > 1 then
            assert.equal(expected, hash_of(call[1][name], call[1], by_name(call, parameters[name], 2)), name)
          end
          compared = compared + 1
        end
      end
    end
    assert.is_true(compared > 400)
  end)

  it("name the file and the table to save", function()
    local path = os.tmpname()
    strew.save{path = path, x = {a = environment.v, b = environment.g}, format = "csv"}
    local columns = strew.load{path = path, format = "csv", header = true}
    assert.same({"a", "b"}, strew.columns(columns))
    assert.same(environment.v:tolist(), columns.a:tolist())
    strew.save{path = path, x = environment.v, format = "npy"}
    assert.same(environment.v:tolist(), strew.load{path = path, format = "npy"}:tolist())
    os.remove(path)
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
    fails("strew.cat{t, i, dim = 1}", "cat: 'tensors' has key \"dim\", expected a sequence.*strew.cat%({...}, dim%)")
    fails("strew.cat{dim = 1}", "cat: 'tensors' is missing, the arguments are %(tensors %[, dim%]%)")
    fails("strew.cat{tensors = t}", "cat: 'tensors' is a tensor, expected a table")
    fails("strew.cat{tensors = {}}", "cat: 'tensors' is empty")
    fails("strew.cat{tensors = {t, 5}}", "cat: 'tensors' holds 5 at %[2%]")
    fails("strew.cat{tensors = {t, dim = 1}}", "cat: 'tensors' has key \"dim\", expected a sequence")
    fails("strew.cat{tensor = {t}}", "cat: 'tensors' has key \"tensor\", expected a sequence")
    fails("t:cat(i, {dims = 1})", "cat: 'options' has unknown key \"dims\", expected dim")
    fails("t:cat(i, {tensors = {t}})", "unknown key \"tensors\", expected dim")
    fails("t:split{size = {1, 2, dim = 1}}", "split: 'size' has key \"dim\", expected a sequence")
    fails("t:split{sizes = 1}", "split: 'size' has key \"sizes\", expected a sequence")
    fails("strew.free{self = 5}", "free: 'self' is 5, expected a tensor")
  end)
end)
