local strew = require "strew"
local support = dofile "tests/spec/support.lua"
local evaluate, fail = support.evaluate, support.fail

local function fresh()
  return {strew = strew, t = strew.tensor{{1, 2, 3}, {4, 5, 6}}, v = strew.tensor{10, 20, 30}, s = strew.tensor(7)}
end

describe("a tensor", function()
  it("describes itself", function()
    evaluate({
      {"t.dtype, t.device, table.concat(t.shape, 'x')", "int64; " .. strew.zeros(1).device .. "; 2x3"},
      {"t:size()", "2; 3"},
      {"t:size(1), t:size(-2)", "3; 2"},
      {"t:stride()", "3; 1"},
      {"t:stride(0)", "3"},
      {"s:size()", ""},
      {"#s.shape", "0"},
      {"t:dim(), t:numel(), t:is_contiguous(), t:t():is_contiguous()", "2; 6; true; false"},
      {"#t, #v", "2; 3"},
      {"strew.type(t), strew.type({}), strew.type(io.stdout), strew.type(nil)", "tensor; nil; nil; nil"},
      {"strew.size(t), strew.dim(s)", "2; 0"},
    }, fresh())
  end)

  it("returns elements and rows", function()
    evaluate({
      {"v[0], v[2], v[-1], v[1.0]", "10; 30; 30; 20"},
      {"t[1], t[-2]", "int64[3] {4, 5, 6}; int64[3] {1, 2, 3}"},
      {"t[1][2]", "6"},
      {"s:item(), t:get(1, 0), t:get(-1, -1), t:get({0, 2}), s:get()", "7; 4; 6; 3; 7"},
      {"s:tolist(), #t:tolist(), t:tolist()[2][1]", "7; 2; 4"},
      {"strew.tensor{true}[0], strew.tensor{0.5}[0]", "true; 0.5"},
    }, fresh())
  end)

  it("is written through its views", function()
    local x = fresh()
    x.v[0] = 11
    x.v[-1] = 33.0
    x.t[0] = 9
    x.t[1] = x.v
    x.t[1][1] = 55
    x.t:set(0, -1, 8)
    x.s:set(70)
    evaluate({
      {"v", "int64[3] {11, 20, 33}"}, {"t", "int64[2, 3] {{9, 9, 8}, {11, 55, 33}}"}, {"s", "int64[] 70"},
    }, x)
    local b = strew.zeros(2, {dtype = "bool"})
    b[1] = true
    assert.equal("bool[2] {false, true}", support.text(b))
  end)

  it("refuses wrong positions and names", function()
    local tensor = "\n  self  int64[2, 3] cpu"
    local no_text = "..: joins strings and numbers, a tensor is neither\n"
      .. "  hint  tostring(t) is its text, t:item() the number of a tensor with just one"
    local ipairs_hint = "\n  hint  positions count from 0: for i = 0, #t - 1"
    fail({
      {"return t[2]",
       "t[i]: 'position' 2 is out of range for dim 0 of self (size 2, valid -2..1)" .. tensor .. ipairs_hint},
      {"return t[-3]", "t[i]: 'position' -3 is out of range for dim 0 of self (size 2, valid -2..1)" .. tensor},
      {"for _ in ipairs(v) do end", "t[i]: 'position' 3 is out of range for dim 0 of self (size 3, valid -3..2)"
       .. "\n  self  int64[3] cpu" .. ipairs_hint},
      {"return t[1.5]", "t[i]: 'position' is 1.5, expected an integer"},
      {"return t[{}]", "t[i]: 'position' is a table, expected an integer\n  hint  t[i][j], or t:get(i, j)"},
      {"return 'sum: ' .. t", no_text},
      {"return v .. t", no_text},
      {"for _ in pairs(t) do end", "pairs: tensors have positions, not keys\n"
       .. "  hint  for i = 0, #t - 1 goes through them, pairs(t:tolist()) through a table's"},
      {"return t.foo", "tensor has no 'foo'"},
      {"return t.shap", "tensor has no 'shap'\n  hint  did you mean 'shape'?"},
      {"t:scater_add_()", "tensor has no 'scater_add_'\n  hint  did you mean 'scatter_add_'?"},
      {"return t['1']", "tensor has no '1'"},
      {"t.dtype = 'int8'", "t[i] = v: 'dtype' cannot be set, only elements can"},
      {"v[3] = 1", "t[i] = v: 'position' 3 is out of range for dim 0 of self (size 3, valid -3..2)"
       .. "\n  self  int64[3] cpu" .. ipairs_hint},
      {"v[0] = 'x'", "t[i] = v: 'value' is \"x\", expected a tensor, number or boolean\n  self  int64[3] cpu"},
      {"v[0] = nil", "t[i] = v: 'value' is nil, expected a tensor, number or boolean"},
      {"return #s", "#t: 'self' has no dimension, # is the size of dimension 0"},
      {"t:size(2)", "size: 'dim' is 2, out of range for 2 dimensions (valid -2..1)"},
      {"s:size(0)", "size: 'self' is a single number, expected at least one dimension"},
      {"t:set()", "set: 'value' is missing, the arguments are (self, position..., value)"},
      {"t:set(0, 0)", "set: 'position' has 1 entry, self has 2 dimensions" .. tensor},
      {"return t < v",
       "<: gives one boolean in Lua, and cannot compare tensors\n  hint  a:lt(b)"},
      {"return t >= 1",
       ">=: gives one boolean in Lua, and cannot compare tensors\n  hint  t:ge(1)"},
      {"return 1 > t", "<: gives one boolean in Lua, and cannot compare tensors\n  hint  t:lt(1)"},
      {"strew.type()", "type: 'x' is missing"},
    }, fresh())
  end)

  it("names the line of an invalid use", function()
    local ok, message = pcall(function() return strew.zeros(3)[3] end)
    assert.is_false(ok)
    assert.matches("^tests/spec/index_spec.lua:%d+: t%[i%]: 'position' 3", message)
    ok, message = pcall(function() for _ in ipairs(strew.zeros(3)) do ok = nil end end)
    assert.is_false(ok)
    assert.matches("^tests/spec/index_spec.lua:%d+: t%[i%]: 'position' 3", message)
  end)

  it("is compared by identity", function()
    local t = strew.ones(2)
    assert.is_true(t == t)
    assert.is_false(t == strew.ones(2))
    assert.is_true(strew.equal(t, strew.ones(2)))
  end)

  it("writes rows that it holds", function()
    local t = strew.zeros({2, 2}, {dtype = "int8"})
    local function refused(value)
      local ok, message = pcall(function() t[1] = value end)
      assert.is_false(ok)
      return message:match "t%[i%] = v: ([^\n]*)", message:match "hint  *([^\n]*)"
    end
    local said, hint = refused(strew.tensor{1.5, 2})
    assert.equal("'value' is float32, which self, int8, does not hold", said)
    assert.equal('value:to("int8")', hint)
    assert.equal("'value' is 128, which int8 cannot hold: expected an integer in its range",
      (refused(strew.tensor({1, 128}, {dtype = "uint64"}))))
    assert.equal("'value' is -129, which int8 cannot hold: expected an integer in its range",
      (refused(strew.tensor{-129, 0})))
    assert.same({{0, 0}, {0, 0}}, t:tolist())
    t[1], t[0] = strew.tensor{true, false}, strew.tensor{-128}
    assert.same({{-128, -128}, {1, 0}}, t:tolist())
    t[1]:copy_(strew.tensor{1.5, 2}) -- converts
    assert.same({1, 2}, t[1]:tolist())
    t = strew.zeros({2, 2}, {dtype = "float32"})
    t[1] = strew.tensor{1, 2}
    assert.same({{0, 0}, {1, 2}}, t:tolist())
  end)
end)
