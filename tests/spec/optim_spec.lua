-- Gradients of tables of tensors, and optimizers: values of PyTorch's published updates, computed by NumPy in float64.
local strew = require "strew"
local support = require "tests.spec.support"

local function near(expected, t, what)
  for i, x in ipairs(t:reshape(-1):tolist()) do
    local is_near = math.abs(x - expected[i]) <= 1e-5 * math.max(1, math.abs(expected[i]))
    assert.is_true(is_near, ("%s: [%d] is %s, not %s"):format(what, i - 1, x, expected[i]))
  end
end

local function message(f, ...)
  local ok, text = pcall(f, ...)
  assert.is_false(ok)
  return (text:gsub("^[^\n]-:%d+: ", ""):gsub("\n.*", ""))
end

-- Four steps from {1, -2} along the gradient of sum(p^4) / 4 + p.c: the parameter, then the state's tensors.
local ORDER = {"momentum_buffer", "exp_avg", "exp_avg_sq"}
local STEPS = {
  {"sgd", {rate = 0.01}, {0.942558468580583, -1.720418586757001}},
  {"sgd", {rate = 0.01, momentum = 0.9}, {0.8700819626498031, -1.3663674720144523},
   {4.7847159758471705, -21.33767136758254}},
  {"sgd", {rate = 0.01, momentum = 0.9, dampening = 0.5}, {0.9087907015498278, -1.5341559940976037},
   {2.9748121018650577, -14.217716989367549}},
  {"sgd", {rate = 0.01, momentum = 0.9, nesterov = true, weight_decay = 0.1},
   {0.8208678749039088, -1.2294315124761468}, {4.9048070230364775, -19.287135378773318}},
  {"sgd", {rate = 0.01, weight_decay = 0.1}, {0.9388151997985841, -1.7139735544538763}},
  {"adam", {rate = 0.1}, {0.6081652713806621, -1.6058629229562795}, {0.38498251040669595, -2.2436450627918902},
   {0.005497314735478028, 0.18220448846370768}},
  {"adam", {rate = 0.1, betas = {0.8, 0.99}, eps = 1e-3, weight_decay = 0.1},
   {0.6122639150873169, -1.6091459477985883}, {0.6922612137982361, -3.876574396999044},
   {0.06226520357839688, 1.8925448525471504}},
  {"adamw", {rate = 0.1}, {0.6048689113159897, -1.5986369656820192}, {0.38406827294107393, -2.23362966916888},
   {0.0054774142003849195, 0.18093832973045895}},
  {"adamw", {rate = 0.1, betas = {0.8, 0.99}, eps = 1e-3, weight_decay = 0.1},
   {0.580571790205678, -1.5388321679609975}, {0.6274393744504697, -3.5895256757665766},
   {0.052198625473049175, 1.6746563692989511}},
}

local function gradient_of(p) return p * p * p + strew.tensor({0.5, -0.25}, {dtype = p.dtype}) end
local function start(dtype) return strew.tensor({1.0, -2}, {dtype = dtype}) end

describe("optimizers", function()
  it("step as PyTorch's, in float32 and float64", function()
    for _, case in ipairs(STEPS) do
      for _, dtype in ipairs(support.lacks_float64 and {"float32"} or {"float32", "float64"}) do
        local p, name = {w = start(dtype)}, case[1] .. " of " .. dtype
        local o, kept = strew.optim[case[1]](p, case[2]), p.w
        for _ = 1, 4 do assert.equal(o, o:step{w = gradient_of(p.w)}) end
        assert.equal(kept, p.w)
        near(case[3], p.w, name)
        local state, k, count = o:state(), 4, 1
        assert.equal(4, state.step:item())
        for _, buffer in ipairs(ORDER) do
          local t = state["w." .. buffer]
          if t then
            near(case[k], t, name .. "'s " .. buffer)
            assert.equal(dtype, t.dtype)
            k, count = k + 1, count + 1
          end
        end
        assert.is_nil(case[k])
        for _ in pairs(state) do count = count - 1 end
        assert.equal(0, count)
      end
    end
  end)

  it("compute halves in float32, and keep the dtype of parameters", function()
    for _, dtype in ipairs{"float16", "bfloat16"} do
      local p = start(dtype)
      local o = strew.optim.adam(p, {rate = 0.1})
      o:step(p)
      assert.equal(dtype, p.dtype)
      assert.equal("float32", o:state().exp_avg.dtype)
      assert.is_true(strew.equal(strew.tensor({0.9, -1.9}, {dtype = dtype}), p))
    end
  end)

  it("continue with a state, of a file, too", function()
    local path = os.tmpname() .. ".safetensors"
    for _, case in ipairs(STEPS) do
      local p, q = {w = start(), layers = {{b = start()}}}, {w = start(), layers = {{b = start()}}}
      local function step(o, t, options) o:step({w = gradient_of(t.w), layers = {{b = t.layers[1].b}}}, options) end
      local o, first = strew.optim[case[1]](p, case[2]), strew.optim[case[1]](q, case[2])
      for _ = 1, 4 do step(o, p) end
      for _ = 1, 2 do step(first, q) end
      strew.save(path, first:state())
      local saved = strew.load(path)
      local options = {state = saved}
      for key, value in pairs(case[2]) do options[key] = value end
      local second = strew.optim[case[1]](q, options)
      for key in pairs(saved) do saved[key]:fill_(9) end
      for _ = 1, 2 do step(second, q) end
      assert.is_true(strew.equal(p.w, q.w))
      assert.is_true(strew.equal(p.layers[1].b, q.layers[1].b))
      assert.equal(case[1] .. " of 2 tensors after 4 steps", tostring(second))
    end
    os.remove(path)
  end)

  it("take another rate for a step, and a gradient of strew.grad", function()
    local p = {w = strew.tensor{1.0}, [1] = strew.tensor{2.0}, note = "kept", n = strew.tensor{3}}
    local o = strew.optim.sgd(p, {rate = 0.5})
    local g = strew.grad(function(t) return (t.w * t[1]):sum() * t.n:to("float32"):sum() end)(p)
    assert.is_nil(g.n)
    o:step(g, {rate = 0.25})
    assert.same({-0.5, 1.25}, {p.w:item(), p[1]:item()})
    assert.equal("kept", p.note)
  end)

  it("give copies of their state, and keep what a failed step would have changed", function()
    local p = {a = start(), b = start()}
    local o = strew.optim.adam(p)
    o:step(p)
    local before = {p.a:clone(), p.b:clone()}
    o:state()["a.exp_avg"]:fill_(7)
    assert.is_false(pcall(o.step, o, {a = p.a}))
    assert.is_false(pcall(o.step, o, {a = p.a, b = strew.ones(3)}))
    assert.is_true(strew.equal(before[1], p.a) and strew.equal(before[2], p.b))
    assert.equal(1, o:state().step:item())
    assert.is_true(o:state()["a.exp_avg"]:lt(7):all():item())
  end)

  it("are refused with an error that names the place", function()
    local w, adam, sgd = start(), strew.optim.adam, strew.optim.sgd
    local freed = start()
    freed:free()
    local loop = {w = w}
    loop.own = loop
    for expected, call in pairs{
      ["adam: 'params' is a table, expected float tensors, in a table or nested ones"] = {adam, {w = 3, {}}},
      ["adam: 'params' is a tensor, expected float tensors, in a table or nested ones"] = {adam, strew.tensor{1}},
      ["sgd: 'params' has one tensor as 'a' and 'b.1', expected each once"] = {sgd, {a = w, b = {w}}},
      ["sgd: 'params' has two tensors 'a.b'"] = {sgd, {["a.b"] = w, a = {b = start()}}},
      ["sgd: 'params' has a freed tensor, 'a'"] = {sgd, {a = freed}},
      ["sgd: 'params' has a table that stands in itself, at 'own'"] = {sgd, loop},
      ["adam: 'rate' is -1, expected a number, 0 or more"] = {adam, {w}, {rate = -1}},
      ["sgd: 'momentum' is nan, expected a number, 0 or more"] = {sgd, {w}, {momentum = 0 / 0}},
      ["adam: 'weight_decay' is inf, expected a number, 0 or more"] = {adam, {w}, {weight_decay = math.huge}},
      ["adam: 'betas' is 1, expected 0 or more, below 1"] = {adam, {w}, {betas = {0.9, 1}}},
      ["adam: 'betas' is no sequence of two numbers"] = {adam, {w}, {betas = {0.9}}},
      ["sgd: 'nesterov' is true, expected momentum above 0 and no dampening"] = {sgd, {w}, {nesterov = true}},
      ["adam: 'state' has nothing at 'step', expected an integer tensor of one element"] = {adam, {w}, {state = {}}},
      ["adam: 'state' has nothing at '1.exp_avg', expected a tensor"] = {adam, {w}, {state = sgd({w}):state()}},
      ["sgd: 'state' has 'exp_avg', which no parameter has"] = {sgd, w,
        {state = {step = strew.tensor(1), exp_avg = w}}},
      ["adam: 'state' has float32[1] at 'exp_avg', expected floats of shape [2]"] = {adam, w,
        {state = {step = strew.tensor(1), exp_avg = strew.ones(1), exp_avg_sq = w}}},
      ["o:step: 'grads' has nothing at 'a', expected a gradient"] = {adam{a = w}.step, adam{a = w}, {w}},
      ["o:step: 'grads' has int64[2] at 'a', expected floats of shape [2]"] = {adam{a = w}.step, adam{a = w},
        {a = strew.tensor{1, 2}}},
      ["o:step: 'self' is a table, expected an optimizer"] = {adam{a = w}.step, {}, {w}},
      ["strew.optim has no 'adan'"] = {function() return strew.optim.adan end},
    } do
      assert.equal(expected, message(table.unpack(call, 1, 3)))
    end
  end)
end)

describe("gradients of tables", function()
  local function sum_of(t) return (t.w * t.layers[1].b):sum() end

  it("have the same form, each value of its own", function()
    local p = {w = strew.tensor{1.0, 2}, layers = {{b = strew.tensor{3.0, 4}}, n = 2}, unused = strew.ones(2, 3)}
    local value, g, of_x = strew.value_and_grad(function(t, x) return sum_of(t) * x end)(p, strew.tensor(2.0))
    assert.same({22, 11}, {value:item(), of_x:item()})
    assert.same({6, 8}, g.w:tolist())
    assert.same({2, 4}, g.layers[1].b:tolist())
    assert.same({{0, 0, 0}, {0, 0, 0}}, g.unused:tolist())
    assert.is_nil(g.layers.n)
    assert.same({3, 4}, strew.grad(sum_of)(p).w:tolist())
  end)

  it("of a function that changes its copy are those of the arguments", function()
    local p = {w = strew.tensor{1.0, 2}}
    local g = strew.grad(function(t)
      t.w, t.more = t.w * 2, strew.ones(1)
      return t.w:sum()
    end)(p)
    assert.same({2, 2}, g.w:tolist())
    assert.is_nil(g.more)
    assert.same({1, 2}, p.w:tolist())
  end)

  it("of tables of columns are such tables", function()
    local x = strew.table{{"word", {"a", "b"}}, {"y", strew.tensor{3.0, 4}}, {"x", strew.tensor{1.0, 2}}}
    local g = strew.grad(function(t) return (t.x * t.y):sum() end)(x)
    assert.same({"y", "x"}, g.names)
    assert.same({3, 4}, g.x:tolist())
  end)

  it("keep methods, tables without floats, cycles, and one tensor twice", function()
    local kept = {strew.tensor{1}, {}}
    local model = setmetatable({w = strew.ones(2)}, {__index = {loss = function(self) return self.w:sum() end}})
    model.own = model
    local g = strew.grad(function(m, t)
      assert.equal(kept, t)
      return m:loss() + m.own.own.w:sum()
    end)(model, kept)
    assert.same({2, 2}, g.w:tolist())
    assert.equal(g, g.own)
    local twice = strew.grad(function(t) return (t[1] * 2 + t[2] * 3):sum() end)({model.w, model.w})
    assert.same({{2, 2}, {3, 3}}, {twice[1]:tolist(), twice[2]:tolist()})
    local second = strew.grad(function(t)
      return (strew.grad(function(u) return (u.w ^ 3):sum() end)(t).w):sum()
    end)({w = strew.tensor{2.0}})
    assert.same({12}, second.w:tolist())
  end)

  it("are refused for a freed tensor", function()
    local freed = strew.ones(2)
    freed:free()
    assert.equal("grad: a tensor of a table was freed", message(strew.grad(sum_of), {w = strew.ones(2), freed}))
    assert.equal("grad: no argument is a tensor of floats, or a table that has one",
      message(strew.grad(sum_of), {w = strew.tensor{1}}))
  end)
end)
