local strew = require "strew"
local support = dofile "tests/spec/support.lua"
if support.lacks_float64 then
  return it("is left out", function() pending "without float64, which the device lacks" end)
end
local evaluate, fail = support.evaluate, support.fail

local names = {strew = strew}

describe("strew.tensor", function()
  it("takes its dtype from Lua's subtypes", function()
    evaluate({
      {"strew.tensor(5)", "int64[] 5"},
      {"strew.tensor(0.5)", "float32[] 0.5"},
      {"strew.tensor(true)", "bool[] true"},
      {"strew.tensor{1, 2}", "int64[2] {1, 2}"},
      {"strew.tensor{1, 2.5}", "float32[2] {1.0, 2.5}"},
      {"strew.tensor{1, 2.0}", "float32[2] {1.0, 2.0}"},
      {"strew.tensor{false, true}", "bool[2] {false, true}"},
      {"strew.tensor{{1, 2}, {3, 4}}", "int64[2, 2] {{1, 2}, {3, 4}}"},
      {"strew.tensor{}", "float32[0] {}"},
      {"strew.tensor{{}, {}}", "float32[2, 0] {{}, {}}"},
      {"strew.tensor{{{}}}", "float32[1, 1, 0] {{{}}}"},
      {"strew.tensor{math.mininteger, math.maxinteger}",
       "int64[2] {-9223372036854775808, 9223372036854775807}"},
    }, names)
  end)

  it("converts to a given dtype", function()
    evaluate({
      {"strew.tensor({1.9, -1.9}, {dtype = 'int8'})", "int8[2] {1, -1}"},
      {"strew.tensor({0, 2, 0.5}, {dtype = 'bool'})", "bool[3] {false, true, true}"},
      {"strew.tensor({true, false}, {dtype = 'uint8'})", "uint8[2] {1, 0}"},
      {"strew.tensor({1, 2}, {dtype = 'float16', device = 'cpu'})", "float16[2] {1.0, 2.0}"},
      {"strew.tensor({1, 2}, 'float64')", "float64[2] {1.0, 2.0}"},
      {"strew.tensor({1, 2}, nil)", "int64[2] {1, 2}"},
      {"strew.tensor({1, 2}, {})", "int64[2] {1, 2}"},
    }, names)
  end)

  it("copies a tensor", function()
    local t = strew.tensor{1, 2}
    local u = strew.tensor(t)
    u[0] = 9
    assert.equal(1, t[0])
    assert.equal("float32[2] {1.0, 2.0}", support.text(strew.tensor(t, {dtype = "float32"})))
    for _, same in ipairs{strew.tensor(t, t.dtype), strew.tensor(t, {device = t.device})} do
      assert.equal("int64[2] {1, 2}", support.text(same))
      same[0] = 9
      assert.equal(1, t[0])
    end
    assert.equal("int8[2] {1, 2}", support.text(strew.tensor(t, {dtype = "int8", device = "cpu"})))
  end)

  it("reads tables raw, and tables built backwards", function()
    local proxy = setmetatable({1, 2}, {__index = error, __len = error})
    assert.equal("int64[2] {1, 2}", support.text(strew.tensor(proxy)))
    local backwards = {}
    for i = 100, 1, -1 do backwards[i] = i end
    assert.equal(5050, strew.tensor(backwards):sum():item())
  end)

  it("reads and writes sixteen levels", function()
    local x = 7
    for _ = 1, 16 do x = {x} end
    local t = strew.tensor(x)
    assert.equal(16, t:dim())
    assert.same(x, t:tolist())
  end)

  it("names the position of an invalid element", function()
    local cycle = {}
    cycle[1] = cycle
    names.cycle = cycle
    names.t = strew.tensor{1}
    fail({
      {"strew.tensor()", "tensor: 'x' is missing, the arguments are (x [, dtype] [, device])"},
      {"strew.tensor(print)", "tensor: 'x' is a function, expected a number, boolean, string, table or tensor"},
      {"strew.tensor{{1, 2}, {3}}", "tensor: 'x' is ragged, x[2] has 1 element where x[1] has 2"},
      {"strew.tensor{{{1, 2}}, {{3, 4, 5}}}", "tensor: 'x' is ragged, x[2][1] has 3 elements where x[1][1] has 2"},
      {"strew.tensor{{1}, 2}", "tensor: 'x' is ragged, x[2] is a number where x[1] is a table"},
      {"strew.tensor{1, {2}}", "tensor: 'x' is ragged, x[2] is a table where x[1] is a number"},
      {"strew.tensor{{}, {1}}", "tensor: 'x' is ragged, x[2] has 1 element where x[1] has 0"},
      {"strew.tensor{1, true}", "tensor: 'x' has true at x[2], booleans and numbers do not mix"},
      {"strew.tensor{{true, 2.5}}", "tensor: 'x' has 2.5 at x[1][2], booleans and numbers do not mix"},
      {"strew.tensor{1, nil, 3}", "tensor: 'x' has nil at x[2], sequences have no holes"},
      {"strew.tensor{{1, 'x'}}", "tensor: 'x' has \"x\" at x[1][2], words and numbers do not mix"},
      {"strew.tensor{1, 2, dtype = 'int64'}", "tensor: 'x' has key \"dtype\" at x, expected a sequence\n"
       .. "  hint  pass options in a table of their own, after this one: {dtype = ...}"},
      {"strew.tensor(setmetatable({}, {__index = {1}}))",
       "tensor: 'x' has no entries but those of its metatable at x, expected a plain sequence"},
      {"strew.tensor{{n = 1}}", "tensor: 'x' has key \"n\" at x[1], expected a sequence"},
      {"strew.tensor{t}",
       "tensor: 'x' has a tensor at x[1], expected numbers or booleans\n  hint  strew.stack joins tensors"},
      {"strew.tensor(cycle)", "tensor: 'x' is nested deeper than 16 tables, the greatest rank"},
      {"strew.tensor({1, 300}, {dtype = 'uint8'})", "tensor: 'x' has 300 at x[2], which uint8 cannot hold"},
      {"strew.tensor({{1, 0/0}}, {dtype = 'int32'})", "tensor: 'x' has nan at x[1][2], which int32 cannot hold"},
      {"strew.tensor({1e39})", "tensor: 'x' has 1e+39 at x[1], which float32 cannot hold"},
      {"strew.tensor({1}, {dtyp = 'int8'})", "tensor: 'options' has unknown key \"dtyp\", expected dtype, device\n"
       .. "  hint  did you mean 'dtype'?"},
      {"strew.tensor({1}, 'int8', {dtype = 'int8'})", "tensor: 'dtype' is given twice, by position and in options"},
    }, names)
    pcall(strew.tensor, {{1, 2}, {3, 300}}, {dtype = "uint8"})
    local detail = strew.last_error()
    assert.same({"tensor", "x", "value", 300, {1, 1}},
                {detail.op, detail.arg, detail.code, detail.value, detail.pos})
  end)
end)

describe("creation", function()
  it("takes shapes as numbers or as one sequence", function()
    evaluate({
      {"strew.zeros(2, 2)", "float32[2, 2] {{0.0, 0.0}, {0.0, 0.0}}"},
      {"strew.zeros{2, 2}", "float32[2, 2] {{0.0, 0.0}, {0.0, 0.0}}"},
      {"strew.zeros(2.0)", "float32[2] {0.0, 0.0}"},
      {"strew.zeros()", "float32[] 0.0"},
      {"strew.zeros{}", "float32[] 0.0"},
      {"strew.ones(2, {dtype = 'int16'})", "int16[2] {1, 1}"},
      {"strew.ones({2}, {dtype = 'bool'})", "bool[2] {true, true}"},
      {"strew.empty(0, 3)", "float32[0, 3] {}"},
      {"strew.full(2, 7)", "int64[2] {7, 7}"},
      {"strew.full({1, 2}, 0.5)", "float32[1, 2] {{0.5, 0.5}}"},
      {"strew.full({}, true)", "bool[] true"},
      {"strew.full(1, 3, {dtype = 'float64'})", "float64[1] {3.0}"},
      {"strew.eye(2)", "float32[2, 2] {{1.0, 0.0}, {0.0, 1.0}}"},
      {"strew.eye(1, 2, {dtype = 'int8'})", "int8[1, 2] {{1, 0}}"},
    }, names)
  end)

  it("makes ranges", function()
    evaluate({
      {"strew.arange(3)", "int64[3] {0, 1, 2}"},
      {"strew.arange(1, 3)", "int64[2] {1, 2}"},
      {"strew.arange(5, 0, -2)", "int64[3] {5, 3, 1}"},
      {"strew.arange(2, {dtype = 'float64'})", "float64[2] {0.0, 1.0}"},
      {"strew.arange(0, 1, 0.5)", "float32[2] {0.0, 0.5}"},
      {"strew.arange(0.5, 2)", "float32[2] {0.5, 1.5}"},
      {"strew.linspace(0, 1, 3)", "float32[3] {0.0, 0.5, 1.0}"},
      {"strew.linspace(0, (1 << 53) + 1, 2, {dtype = 'int64'})", "int64[2] {0, 9007199254740993}"},
      {"strew.linspace{start = 0, stop = math.maxinteger, steps = 2, dtype = 'int64'}",
       "int64[2] {0, 9223372036854775807}"},
      {"strew.linspace(math.maxinteger, math.mininteger, 4, {dtype = 'int64'})",
       "int64[4] {9223372036854775807, 3074457345618258602, -3074457345618258603, -9223372036854775808}"},
      {"strew.linspace(8680131335536356089, 8680131335536356089, 1, {dtype = 'uint64'})",
       "uint64[1] {8680131335536356089}"},
      {"strew.linspace(-5, 5, 4, {dtype = 'int8'})", "int8[4] {-5, -1, 1, 5}"},
      {"strew.linspace(5, -5, 4, {dtype = 'int32'})", "int32[4] {5, 1, -1, -5}"},
      {"strew.linspace(3, 9, 0, {dtype = 'int64'})", "int64[0] {}"},
      {"strew.linspace((1 << 53) + 1, 2.0^62, 2, {dtype = 'int64'})",
        "int64[2] {9007199254740993, 4611686018427387904}"},
      {"strew.linspace(0, 360, 4, {endpoint = false})", "float32[4] {0.0, 90.0, 180.0, 270.0}"},
      {"strew.linspace(-5, 5, 4, {endpoint = false, dtype = 'int8'})", "int8[4] {-5, -2, 0, 2}"},
      {"strew.linspace(0, 256, 2, {endpoint = false, dtype = 'uint8'})", "uint8[2] {0, 128}"},
      {"strew.arange((1 << 53) + 1, 2.0^53 + 4, {dtype = 'int64'})",
       "int64[3] {9007199254740993, 9007199254740994, 9007199254740995}"},
      {"strew.logspace(0, 39, 2, 3, {dtype = 'int64'})", "int64[2] {1, 4052555153018976267}"},
    }, names)
  end)

  it("draws the same numbers from the same seed", function()
    for _, code in ipairs{"rand(5)", "randn(2, 3)", "randint(0, 10, {4})", "randint(10, {4})", "randint(0, 9, 2, 2)",
                          "randperm(6)"} do
      local draw = assert(load("local strew = ... return strew." .. code))
      strew.manual_seed(42)
      local first = support.text(draw(strew))
      local second = support.text(draw(strew))
      strew.manual_seed(42)
      assert.equal(first, support.text(draw(strew)))
      assert.not_equal(first, second)
    end
    assert.equal("int64", strew.randperm(3).dtype)
    assert.same({2, 2}, strew.randint(0, 9, 2, 2).shape)
  end)

  it("refuses invalid shapes", function()
    fail({
      {"strew.zeros(3, 1.5)", "zeros: 'shape' is 1.5, expected an integer"},
      {"strew.zeros(0/0)", "zeros: 'shape' is nan, expected an integer"},
      {"strew.zeros('3')", "zeros: 'shape' is \"3\", expected an integer"},
      {"strew.zeros({1, {}})", "zeros: 'shape' is a table, expected an integer"},
      {"strew.zeros({1, n = 1})", "zeros: 'shape' has key \"n\", expected a sequence"},
      {"strew.zeros(-1)", "zeros: 'shape' has size -1 in dimension 0, expected 0 or more"},
      {"strew.zeros(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)", "zeros: 'shape' has more than 16 entries, the greatest rank"},
      {"strew.zeros(math.maxinteger, 2)",
       "zeros: 'shape' is [9223372036854775807, 2], more bytes than can be addressed"},
      {"strew.zeros(2, {dtype = 'int'})", "zeros: 'dtype' is \"int\", expected one of float32, float64, float16, "
       .. "bfloat16, int64, int32, int16, int8, uint8, bool, uint16, uint32, uint64, time, text\n"
       .. "  hint  did you mean 'int32'?"},
      {"strew.zeros(2, {dtype = 1})", "zeros: 'dtype' is 1, expected a string"},
      {"strew.zeros(2, {device = 'abacus'})", "zeros: 'device' is \"abacus\", no such device; available: cpu"},
      {"strew.full(2)", "full: 'value' is missing, the arguments are (shape, value [, {dtype =, device =}])"},
      {"strew.full(2, 300, {dtype = 'int8'})",
       "full: 'value' is 300, which int8 cannot hold: expected an integer in its range"},
      {"strew.arange()", "arange: 'stop' is missing, the arguments are (stop [, {dtype =, device =}])"},
      {"strew.eye(2, 2, 2)",
       "eye: 'options' is 2, expected a table; the arguments are (n [, m] [, {dtype =, device =, k =}])"},
    }, names)
  end)

  -- Bytes whose lower 32 bits are few: on a processor of 32 bits none of them may be allocated instead.
  it("refuses what memory cannot hold, of which views may be made", function()
    local wide = strew.ones(1, {dtype = "int8"}):expand((1 << 60) + 3)
    assert.same({(1 << 60) + 3}, wide.shape)
    assert.equal(1, wide[1 << 60])
    local index = strew.zeros(3, {dtype = "int64"})
    for _, f in pairs {
      zeros = function() return strew.zeros((1 << 60) + 4, {dtype = "int8"}) end,
      empty = function() return strew.empty((1 << 58) + 1) end,
      arange = function() return strew.arange(1 << 58) end,
      clone = function() return wide:clone() end,
      nonzero = function() return wide:nonzero() end,
      sort = function() return wide:sort() end,
      cumsum = function() return wide:cumsum(0) end,
      scatter_sum = function() return strew.ones(3):scatter_sum(index, 0, {dim_size = (1 << 58) + 1}) end,
    } do
      local message = support.message(f)
      assert.is_truthy(message:find "out of memory" or message:find "more bytes than can be addressed"
        or message:find "allows at most", message)
    end
  end)
end)
