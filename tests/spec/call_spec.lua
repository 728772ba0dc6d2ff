local strew = require "strew"
local support = dofile "tests/spec/support.lua"
local evaluate, fail = support.evaluate, support.fail

-- The whole module: each name as a function and a method, and with an underscore like PyTorch.
local functions = [[tensor zeros ones empty full eye arange linspace rand randn randint randperm manual_seed type clock
  devices memory get_num_threads set_num_threads deterministic last_error]]
local methods = [[view reshape flatten permute expand expand_as select narrow slice split chunk cat stack
  equal allclose sum prod mean var std min max amin amax argmin argmax all any sort argsort topk
  unique nonzero matmul mm mv dot gather scatter_sum scatter_mul scatter_mean scatter_min scatter_max
  size dim numel stride is_contiguous item tolist get set to clone contiguous free]]
local in_place = [[transpose t squeeze unsqueeze as_strided add sub mul div floor_divide remainder pow neg abs exp
  log log2 log10 log1p expm1 tan asin acos atan sinh cosh asinh acosh atanh exp2 erf erfc gelu
  cbrt atan2 hypot logaddexp nextafter fmod copysign signbit positive gelu_tanh gcd lcm
  bitwise_left_shift bitwise_right_shift square reciprocal trunc silu
  softplus elu leaky_relu lerp heaviside logical_xor
  minimum maximum where sign sqrt rsqrt sin cos tanh sigmoid relu floor ceil round clamp masked_fill eq ne lt le
  gt ge logical_and logical_or logical_not bitwise_and bitwise_or bitwise_xor bitwise_not cumsum cumprod copy fill
  zero   scatter scatter_add scatter_reduce]]

describe("names", function()
  local t = strew.ones(2)

  it("are functions, methods and in-place forms", function()
    for name in (functions .. " " .. methods .. " " .. in_place):gmatch("%S+") do
      assert.is_function(strew[name], name)
    end
    for name in (methods .. " " .. in_place):gmatch("%S+") do assert.is_function(t[name], name) end
    for name in in_place:gmatch("%S+") do
      assert.is_function(strew[name .. "_"], name .. "_")
      assert.is_function(t[name .. "_"], name .. "_")
    end
    assert.matches("^strew %d+%.%d+%.%d+$", strew._VERSION)
  end)

  it("give the same result in every form", function()
    evaluate({
      {"strew.add(strew.ones(2), 1), strew.ones(2):add(1), strew.ones(2):add_(1), strew.add_(strew.ones(2), 1)",
       ("; float32[2] {2.0, 2.0}"):rep(4):sub(3)},
      {"t:minimum_(3), t:maximum_(strew.tensor{2, 0, 0}), t:where_(t:gt(2), -1)",
       "int64[3] {-1, 3, 3}; int64[3] {-1, 3, 3}; int64[3] {-1, 3, 3}"},
    }, {strew = strew, t = strew.tensor{1, 5, 3}})
    local u = strew.ones(2)
    assert.equal(u, u:mul_(3))
    assert.equal(u, strew.neg_(u))
    assert.equal("float32[2] {-3.0, -3.0}", support.text(u))
  end)
end)

describe("operators", function()
  it("take tensors and numbers on either side", function()
    evaluate({
      {"t + 1", "int64[3] {2, 3, 4}"},
      {"1 + t", "int64[3] {2, 3, 4}"},
      {"10 - t", "int64[3] {9, 8, 7}"},
      {"t * t", "int64[3] {1, 4, 9}"},
      {"t / 2", "float32[3] {0.5, 1.0, 1.5}"},
      {"-t // 2", "int64[3] {-1, -1, -2}"},
      {"-t % 2", "int64[3] {1, 0, 1}"},
      {"t ^ 2", "int64[3] {1, 4, 9}"},
      {"-t", "int64[3] {-1, -2, -3}"},
      {"t & 1", "int64[3] {1, 0, 1}"},
      {"4 | t", "int64[3] {5, 6, 7}"},
      {"t ~ 3", "int64[3] {2, 1, 0}"},
      {"~t", "int64[3] {-2, -3, -4}"},
      {"t << 2, 1 << t", "int64[3] {4, 8, 12}; int64[3] {2, 4, 8}"},
      {"-t >> 1, t >> t", "int64[3] {-1, -1, -2}; int64[3] {0, 0, 0}"},
      {"~b, b & true, b | b, b ~ b",
       "bool[2] {false, true}; bool[2] {true, false}; bool[2] {true, false}; bool[2] {false, false}"},
      {"strew.sub(10, t), strew.pow(2, t)", "int64[3] {9, 8, 7}; int64[3] {2, 4, 8}"},
    }, {strew = strew, t = strew.tensor{1, 2, 3}, b = strew.tensor{true, false}})
  end)
end)

describe("arguments", function()
  local names = {strew = strew, t = strew.tensor{{1.0, 2.0}, {3.0, 4.0}}}

  it("are given by position or by name", function()
    evaluate({
      {"t:sum(), t:sum(0), t:sum{0, 1}, t:sum{dim = 1}, t:sum(-1, true), t:sum(1, {keepdim = true})",
       "float32[] 10.0; float32[2] {4.0, 6.0}; float32[] 10.0; float32[2] {3.0, 7.0}; float32[2, 1] {{3.0}, {7.0}}; "
       .. "float32[2, 1] {{3.0}, {7.0}}"},
      {"t:sum{keepdim = true}, t:sum(nil, true), t:sum{}",
       "float32[1, 1] {{10.0}}; float32[1, 1] {{10.0}}; float32[2, 2] {{1.0, 2.0}, {3.0, 4.0}}"},
      {"t:var(0, {correction = 0}), t:std(nil, false, nil):dim()", "float32[2] {1.0, 1.0}; 0"},
      {"t:max(), t:min()", "float32[] 4.0; float32[] 1.0"},
      {"t:max(1)", "float32[2] {2.0, 4.0}; int64[2] {1, 1}"},
      {"t:min(0, true)", "float32[1, 2] {{1.0, 2.0}}; int64[1, 2] {{0, 0}}"},
      {"t:max(t * -1), strew.min(t, t - 1)",
       "float32[2, 2] {{1.0, 2.0}, {3.0, 4.0}}; float32[2, 2] {{0.0, 1.0}, {2.0, 3.0}}"},
      {"t:argmax(), t:argmax(1), t:argmin{dim = 0, keepdim = true}",
       "int64[] 3; int64[2] {1, 1}; int64[1, 2] {{0, 0}}"},
      {"t:all(), t:any{0, 1}", "bool[] true; bool[] true"},
      {"t:clamp(2), t:clamp(nil, 2), t:clamp{max = 3, min = 2}",
       "float32[2, 2] {{2.0, 2.0}, {3.0, 4.0}}; float32[2, 2] {{1.0, 2.0}, {2.0, 2.0}}; "
       .. "float32[2, 2] {{2.0, 2.0}, {3.0, 3.0}}"},
      {"t:sort(1, true)", "float32[2, 2] {{2.0, 1.0}, {4.0, 3.0}}; int64[2, 2] {{1, 0}, {1, 0}}"},
      {"t:argsort{descending = true}", "int64[2, 2] {{1, 0}, {1, 0}}"},
      {"t:topk(1), t:topk(1, 0, false)",
       "float32[2, 1] {{2.0}, {4.0}}; float32[1, 2] {{1.0, 2.0}}; int64[1, 2] {{0, 0}}"},
      {"strew.tensor{3, 1, 3}:unique()", "int64[2] {1, 3}"},
      {"strew.tensor{3, 1, 3}:unique{order = 'first'}", "int64[2] {3, 1}"},
      {"strew.tensor{'b', 'a', 'b'}:unique{order = 'first', return_counts = true}", "text[2] {b, a}; int64[2] {2, 1}"},
      {"strew.tensor{{2, 1}, {0, 1}, {2, 1}}:unique{dim = 0, order = 'first', return_index = true}",
       "int64[2, 2] {{2, 1}, {0, 1}}; int64[2] {0, 1}"},
      {"strew.scatter_max(strew.tensor{1, 2}, strew.tensor{0, 2}, {fill_index = -1})",
       "int64[3] {1, 0, 2}; int64[3] {0, -1, 1}"},
      {"strew.segment_csr(strew.tensor{1, 2}, strew.tensor{0, 0, 2}, 'min', {fill_index = -7})",
       "int64[2] {0, 1}; int64[2] {-7, 0}"},
      {"strew.tensor{3, 1, 3}:unique{return_inverse = true}", "int64[2] {1, 3}; int64[3] {1, 0, 1}"},
      {"strew.tensor{3, 1, 3}:unique{return_counts = true}", "int64[2] {1, 3}; int64[2] {1, 2}"},
      {"strew.tensor{3, 1, 3}:unique{return_counts = true, return_inverse = true}",
       "int64[2] {1, 3}; int64[3] {1, 0, 1}; int64[2] {1, 2}"},
      {"strew.tensor{0, 5}:nonzero(), t:cumsum(1)", "int64[1, 1] {{1}}; float32[2, 2] {{1.0, 3.0}, {3.0, 7.0}}"},
      {"strew.where(t:gt(2), t, 0), t:masked_fill(t:lt(2), 9)",
       "float32[2, 2] {{0.0, 0.0}, {3.0, 4.0}}; float32[2, 2] {{9.0, 2.0}, {3.0, 4.0}}"},
      {"strew.equal(t, t), t:equal(t + 1), t:allclose(t + 1e-7), t:allclose(t + 1, {atol = 2})",
       "true; false; true; true"},
      {"t:mm(t), t:mv(t[0]), t[0]:dot(t[1]), t:matmul(t[0])",
       "float32[2, 2] {{7.0, 10.0}, {15.0, 22.0}}; float32[2] {5.0, 11.0}; float32[] 11.0; float32[2] {5.0, 11.0}"},
      {"t:to('int8'), t:to{dtype = 'bool', device = 'cpu'}, t:to('cpu', 'int64'), t:to('float32', nil).dtype",
       "int8[2, 2] {{1, 2}, {3, 4}}; bool[2, 2] {{true, true}, {true, true}}; int64[2, 2] {{1, 2}, {3, 4}}; float32"},
      {"t:clone():fill_(2), t:fill(3), t:copy(t + 1), t:clone():copy_(t[1]), t:zero()",
       "float32[2, 2] {{2.0, 2.0}, {2.0, 2.0}}; float32[2, 2] {{3.0, 3.0}, {3.0, 3.0}}; "
       .. "float32[2, 2] {{2.0, 3.0}, {4.0, 5.0}}; float32[2, 2] {{3.0, 4.0}, {3.0, 4.0}}; "
       .. "float32[2, 2] {{0.0, 0.0}, {0.0, 0.0}}"},
    }, names)
  end)

  it("that are invalid are named", function()
    local freed = strew.ones(1)
    freed:free()
    names.freed = freed
    local dtypes = "float32, float64, float16, bfloat16, int64, int32, int16, int8, uint8, bool, uint16, uint32, "
      .. "uint64, time, text"
    fail({
      {"strew.head()", "head: 'x' is missing, the arguments are (x [, n])"},
      {"strew.sort_by('a')", "sort_by: 'x' is \"a\", expected a table"},
      {"({go = strew.rows}).go('a')", "rows: 'x' is \"a\", expected a table"},
      {"strew.table{a = {1}}.head()", "head: 'x' is missing, the arguments are (x [, n])\n"
        .. "  hint  use : to call a method: x:head(...)"},
      {"strew.table{a = {1}}.rows('a > 1')", "rows: 'x' is \"a > 1\", expected a table\n"
        .. "  hint  use : to call a method: x:rows(...)"},
      {"strew.table{a = {1}}.group_by('a')", "group_by: 'keys' is \"a\", expected a tensor\n"
        .. "  hint  use : to call a method: x:group_by(...)"},
      {"pcall(error) strew.table{a = {1}}.describe()", "describe: 'x' is missing, the arguments are (x)\n"
        .. "  hint  use : to call a method: x:describe(...)"},
      {"strew.table{a = {1}}:head('a')", "head: 'n' is \"a\", expected an integer"},
      {"t.sum()", "sum: 'self' is missing, expected a tensor\n  hint  use : to call a method: t:sum(...)"},
      {"t.sum(0)", "sum: 'self' is 0, expected a tensor\n  hint  use : to call a method: t:sum(...)"},
      {"t.add_(1, 2)", "add_: 'self' is 1, expected a tensor\n  hint  use : to call a method: t:add_(...)"},
      {"strew.add_(1, t)", "add_: 'self' is 1, expected a tensor"},
      {"strew.sum{1, 2}",
       "sum: 'self' is a table, expected a tensor\n  hint  strew.tensor(self) makes a tensor of a table"},
      {"strew.add(1, 2)", "add: 'self' is a number, and so is 'other', expected at least one tensor"},
      {"t:add()", "add: 'other' is missing, the arguments are (self, other)"},
      {"t:add(1, 2)", "add: too many arguments: 2; the arguments are (other)"},
      {"t:abs(2)", "abs: takes no arguments, 1 given"},
      {"strew.abs(t, 2)", "abs: too many arguments: 2; the arguments are (self)"},
      {"return t + {}", "add: 'other' is a table, expected a tensor, number or boolean\n"
       .. "  hint  strew.tensor(other) makes a tensor of a table"},
      {"return t + nil", "add: 'other' is missing, the arguments are (self, other)"},
      {"return 'x' * t",
       "mul: 'self' is \"x\", expected a tensor, number or boolean\n  other  float32[2, 2] cpu"},
      {"t:sum(1.5)", "sum: 'dim' is 1.5, expected an integer"},
      {"t:sum('0')", "sum: 'dim' is \"0\", expected an integer"},
      {"t:sum{0, 'x'}", "sum: 'dim' is \"x\", expected an integer"},
      {"t:sum(0, 1)", "sum: 'keepdim' is 1, expected a boolean"},
      {"t:sum{keepdims = true}",
        "sum: 'options' has unknown key \"keepdims\", expected dim, keepdim, skip_nan, dtype, exact\n"
       .. "  hint  did you mean 'keepdim'?"},
      {"t:sum(0, {[1.5] = true})", "sum: 'options' has unknown key 1.5, expected dim, keepdim, skip_nan, dtype, exact"},
      {"t:sum(0, {dim = 0})", "sum: 'dim' is given twice, by position and in options"},
      {"t:var(0, true, 1)", "var: 'options' is 1, expected a table; the arguments are "
       .. "(self [, dim] [, keepdim] [, {correction =, unbiased =, skip_nan =, exact =}])"},
      {"t:argmax{0, 1}", "argmax: 'dim' names 2 dimensions, expected one"},
      {"t:clamp()", "clamp: 'min' and 'max' are missing, expected at least one"},
      {"t:to()", "to: no arguments, expected a dtype or a device"},
      {"t:to('flaot32')", "to: 'dtype' is \"flaot32\", expected one of " .. dtypes
       .. "\n  hint  did you mean 'float32'?"},
      {"t:to(5)", "to: 'dtype or device' is 5, expected a string"},
      {"t:sum{zeta = 1, keepdims = 1, other = 1}",
       "sum: 'options' has unknown key \"keepdims\", expected dim, keepdim, skip_nan, dtype, exact\n"
       .. "  hint  did you mean 'keepdim'?"},
      {"t:to{typ = 'bool'}", "to: 'options' has unknown key \"typ\", expected dtype, device"},
      {"strew.clock(1)", "clock: takes no arguments, 1 given"},
      {"strew.manual_seed(0/0)", "manual_seed: 'seed' is nan, expected an integer"},
      {"strew.set_num_threads(-1)",
       "set_num_threads: 'threads' is -1, valid 1..256, or 0 for the processors that this process may use"},
      {"freed:sum()", "sum: 'self' was freed"},
      {"t:add(freed)", "add: 'other' was freed"},
      {"return freed.shape", "shape: 'self' was freed"},
      {"return freed[0]", "t[i]: 'self' was freed"},
      {"freed:free()", "free: 'self' was freed"},
    }, names)
  end)

  it("that are invalid are in last_error, too", function()
    pcall(strew.scatter_add, strew.zeros(2), 0, strew.tensor{0, 5}, strew.ones(2))
    local detail = strew.last_error()
    assert.same({"scatter_add", "index", "index", 5, {1}},
                {detail.op, detail.arg, detail.code, detail.value, detail.pos})
    assert.matches("^scatter_add: 'index' has value 5 at %[1%]", detail.message)
    pcall(names.t.sum)
    detail = strew.last_error()
    assert.same({"sum", "self", "argument", "use : to call a method: t:sum(...)"},
                {detail.op, detail.arg, detail.code, detail.hint})
    assert.is_nil(detail.pos)
  end)
end)

describe("devices and threads", function()
  it("are listed", function()
    local devices = strew.devices()
    assert.equal("cpu", devices[1].name)
    assert.is_string(devices[1].description)
    local threads = strew.get_num_threads()
    strew.set_num_threads(3)
    assert.equal(3, strew.get_num_threads())
    strew.set_num_threads(threads)
    assert.is_true(strew.clock() <= strew.clock())
    assert.is_true(strew.deterministic())
    assert.is_false(strew.deterministic(false))
    assert.is_true(strew.deterministic(true))
  end)

  it("are set by the environment", function()
    local threads = "print(require \"strew\".get_num_threads())"
    assert.equal("2\n", support.output(threads, "STREW_THREADS=2"))
    for _, bad in ipairs{"x", "0", "257", "1.5"} do
      assert.matches('strew: $STREW_THREADS is "' .. bad .. '", expected a whole number in 1..256',
                     support.output(threads, "STREW_THREADS=" .. bad), 1, true)
    end
    assert.matches('$STREW_DEVICE: \'device\' is "tpu", no such device; available: cpu',
                   support.output(threads, "STREW_DEVICE=tpu"), 1, true)
    assert.equal("cpu\n", support.output("print(require \"strew\".zeros(1).device)", "STREW_DEVICE=cpu"))
  end)
end)

describe("the scatter family", function()
  local names = {strew = strew, src = strew.tensor{1.0, 2, 3}, index = strew.tensor{0, 0, 2}}

  it("has two forms under one name", function()
    evaluate({
      {"strew.zeros(3):scatter(0, index, src)", "float32[3] {2.0, 0.0, 3.0}"},
      {"strew.zeros(3):scatter(0, index, 5, {reduce = 'add'})", "float32[3] {10.0, 0.0, 5.0}"},
      {"strew.scatter_add(strew.zeros(3), 0, index, src)", "float32[3] {3.0, 0.0, 3.0}"},
      {"strew.ones(3):scatter_reduce_(0, index, src, 'prod', {include_self = false})", "float32[3] {2.0, 1.0, 3.0}"},
      {"strew.ones(3):scatter_add_(0, index - 1, src, {mode = 'drop'})", "float32[3] {1.0, 4.0, 1.0}"},
      {"src:gather(0, index), src:gather(0, index + 1, {mode = 'clip'})",
       "float32[3] {1.0, 1.0, 3.0}; float32[3] {2.0, 2.0, 3.0}"},
      {"strew.scatter(src, index)", "float32[3] {3.0, 0.0, 3.0}"},
      {"strew.scatter(src, index, {reduce = 'max', dim_size = 4, fill = -1})", "float32[4] {2.0, -1.0, 3.0, -1.0}"},
      {"strew.scatter_mean(src, index, 0), src:scatter_mul(index)",
       "float32[3] {1.5, 0.0, 3.0}; float32[3] {2.0, 1.0, 3.0}"},
      {"strew.scatter_max(src, index)", "float32[3] {2.0, 0.0, 3.0}; int64[3] {1, 3, 2}"},
      {"strew.scatter_min(src, index, -1, nil, 4)", "float32[4] {1.0, 0.0, 3.0, 0.0}; int64[4] {0, 3, 2, 3}"},
    }, names)
  end)

  it("returns the given out", function()
    local out = strew.ones(3)
    assert.equal(out, strew.scatter_sum(names.src, names.index, {out = out}))
    assert.equal("float32[3] {4.0, 1.0, 4.0}", support.text(out))
    local best, arg = strew.scatter_max(names.src, names.index, 0, out)
    assert.equal(out, best)
    assert.equal("int64[3] {3, 3, 3}", support.text(arg))
  end)

  it("names unknown words and options", function()
    fail({
      {"src:scatter_reduce_(0, index, src, 'avg')",
       "scatter_reduce_: 'reduce' is \"avg\", "
       .. "expected one of sum = add, prod = multiply = mul, mean, amax = max, amin = min\n"
       .. "  hint  did you mean 'mean'?"},
      {"src:scatter_add_(0, index, src, {mode = 'wrapp'})",
       "scatter_add_: 'mode' is \"wrapp\", expected one of error, wrap, clip, drop\n  hint  did you mean 'wrap'?"},
      {"src:scatter_add_(0, index, src, {reduce = 'sum'})",
       "scatter_add_: 'options' has unknown key \"reduce\", expected mode, exact"},
      {"src:scatter_(0, index)",
       "scatter_: 'src' is missing, the arguments are (self, dim, index, src [, {mode =, reduce =}])"},
      {"src:scatter_(index, index, src)", "scatter_: 'dim' is a tensor, expected an integer"},
      {"src:scatter_(0, {0}, src)",
       "scatter_: 'index' is a table, expected a tensor\n  hint  strew.tensor(index) makes a tensor of a table"},
      {"strew.scatter_sum(src, index, {reduce = 'max'})",
       "scatter_sum: 'options' has unknown key \"reduce\", expected dim, out, dim_size, fill, mode, skip_nan, dtype, "
          .. "exact"},
      {"strew.scatter_sum(src, index, {dim_size = -1})", "scatter_sum: 'dim_size' is -1, expected 0 or more"},
      {"strew.scatter_sum(src, index, {out = 1})", "scatter_sum: 'out' is 1, expected a tensor"},
    }, names)
  end)

  it("warns of a src that is larger than index, if warnings are on", function()
    local chunk = "local s = require \"strew\" s.zeros(3):scatter_add_(0, s.tensor{0, 1}, s.ones(3))"
    assert.equal("", support.output(chunk))
    local warning = "Lua warning: scatter_add_: index int64[2] cpu is smaller than src float32[3] cpu: "
                    .. "only a prefix of src was used\n"
    assert.equal((warning:gsub("cpu", strew.zeros(1).device)), support.output(chunk, "", "-W"))
  end)

  it("sums and averages in float64 by option", function()
    if support.lacks_float64 then return pending "without float64, which the device lacks" end
    evaluate({
      {"strew.scatter_mean(strew.tensor({200, 200, 201}, 'uint8'), index, {dtype = 'float64'})",
       "float64[3] {200.0, 0.0, 201.0}"},
      {"strew.scatter_mean(strew.tensor{1, 2, 4}, index * 0, 0, nil, 2, {dtype = 'float64', fill = 0.5})",
       "float64[2] {2.3333333333333, 0.5}"},
      {"strew.scatter(strew.tensor{true, true, false}, index, {dtype = 'float64'})", "float64[3] {2.0, 0.0, 0.0}"},
      {"strew.scatter_sum(index, index * 0, {out = strew.ones(1):to 'float64', dtype = 'float64'})",
       "float64[1] {3.0}"},
    }, names)
    fail({
      {"strew.scatter(index, index, {reduce = 'max', dtype = 'float64'})",
       "scatter: 'dtype' is float64, valid for sum, prod and mean only; \"amax\" is computed in src's dtype, int64\n"
       .. "  src    int64[3] cpu\n  index  int64[3] cpu"},
      {"strew.scatter_sum(index, index, {dtype = 'int32'})",
       "scatter_sum: 'dtype' is int32, expected float64, int64 or src's own, int64\n"
       .. "  src    int64[3] cpu\n  index  int64[3] cpu"},
      {"strew.scatter_max(src, index, {dtype = 'float64'})",
       "scatter_max: 'options' has unknown key \"dtype\", expected dim, out, dim_size, fill, mode, "
       .. "skip_nan, fill_index"},
    }, names)
  end)

  it("warns once of a mean of integers, if warnings are on", function()
    local chunk = [[local s = require "strew"
      local x, i = s.tensor({1, 2}, "int16"), s.tensor{0, 0}
      s.scatter_sum(x, i) s.scatter_mean(x:to "float32", i) s.scatter_mean(x, i, {dtype = "int16"})]]
    local means = " s.scatter_mean(x, i) s.scatter(x, i, {reduce = \"mean\"}) x:scatter_mean(i)"
    assert.equal("", support.output(chunk, "", "-W"))
    assert.equal("", support.output(chunk .. means))
    local way = support.lacks_float64 and 'src:to("float32")' or '{dtype = "float64"}'
    assert.equal("Lua warning: scatter_mean: a mean of int16 rounds toward minus infinity; " .. way
                 .. " gives it with its fraction\n", support.output(chunk .. means, "", "-W"))
  end)
end)
