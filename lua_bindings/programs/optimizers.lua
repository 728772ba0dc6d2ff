-- optimizers.lua: steps of gradient descent: strew.optim.sgd, adam and adamw, with PyTorch's definitions.
--
-- The parameters are tensors in tables, nested; their names join keys by points. A step computes all new values before
-- it writes any.
local strew, fail, use, inner = ...
local operands = use "operands.lua"
local is_tensor, compute = operands.is_tensor, operands.compute

local states = setmetatable({}, {__mode = "k"})

----------------------------------------------------------------------------------------------------------- parameters

-- Returns keys in order: numbers, then texts.
local function ordered_keys(x)
  local keys = {}
  for key in next, x do
    if math.type(key) == "integer" or type(key) == "string" then keys[#keys + 1] = key end
  end
  table.sort(keys, function(a, b)
    if type(a) == type(b) then return a < b end
    return type(a) ~= "string"
  end)
  return keys
end

-- Adds the float tensors in x, {name, path = keys, tensor}, to list; seen: names and tensors, and tables on the path.
local function add_floats(x, path, list, seen)
  if is_tensor(x) then
    local name = table.concat(path, ".")
    if not inner.is_open(x) then fail("params", format("has a freed tensor, '%s'", name), nil, "freed") end
    if not operands.is_float(x) then return end
    local twice = seen[x] and format("has one tensor as '%s' and '%s', expected each once", seen[x], name)
      or seen[name] and format("has two tensors '%s'", name)
    if twice then fail("params", twice) end
    seen[x], seen[name] = name, true
    list[#list + 1] = {name = name, path = table.move(path, 1, #path, 1, {}), tensor = x}
  elseif type(x) == "table" then
    if seen[x] then fail("params", format("has a table that stands in itself, at '%s'", table.concat(path, "."))) end
    seen[x] = true
    for _, key in ipairs(ordered_keys(x)) do
      path[#path + 1] = key
      add_floats(rawget(x, key), path, list, seen)
      path[#path] = nil
    end
    seen[x] = nil
  end
end

-- Returns the tensor that an argument has at `label`, `what` is expected: floats of p's shape.
local function check_floats(argument, t, label, p, what)
  if not is_tensor(t) or not inner.is_open(t) then
    fail(argument, format("has %s%s, expected %s", t == nil and "nothing" or inner.text(t), label, what))
  elseif not operands.is_float(t) or operands.text(t.shape) ~= operands.text(p.shape) then
    fail(argument, format("has %s%s%s, expected floats of shape %s", t.dtype, operands.text(t.shape), label,
      operands.text(p.shape)), nil, "shape")
  end
  return t
end

local function value_at(x, path)
  for _, key in ipairs(path) do
    if type(x) ~= "table" then return nil end
    x = rawget(x, key)
  end
  return x
end

------------------------------------------------------------------------------------------------------------- methods

-- Each method returns the new value of p, of gradient g, and the tensors in place of s, whose names are PyTorch's.
local function sgd(o, p, g, s, rate, count)
  if o.weight_decay ~= 0 then g = compute("g + p * d", {g = g, p = p, d = o.weight_decay}) end
  if o.momentum ~= 0 then
    local buffer = count == 1 and g:clone() or compute("b * m + g * k",
      {b = s.momentum_buffer, m = o.momentum, g = g, k = 1 - o.dampening})
    g = o.nesterov and compute("g + b * m", {g = g, b = buffer, m = o.momentum}) or buffer
    s = {momentum_buffer = buffer}
  end
  return compute("p - g * r", {p = p, g = g, r = rate}), s
end

local function adam(o, p, g, s, rate, count)
  local first, second = o.betas[1], o.betas[2]
  if o.is_decoupled then
    p = compute("p * k", {p = p, k = 1 - rate * o.weight_decay})
  elseif o.weight_decay ~= 0 then
    g = compute("g + p * d", {g = g, p = p, d = o.weight_decay})
  end
  local m = compute("m + (g - m) * k", {m = s.exp_avg, g = g, k = 1 - first})
  local v = compute("v * b + g * g * k", {v = s.exp_avg_sq, b = second, g = g, k = 1 - second})
  return compute("p - m / (sqrt(v) / c + e) * r", {p = p, m = m, v = v, e = o.eps, c = (1 - second ^ count) ^ 0.5,
    r = rate / (1 - first ^ count)}), {exp_avg = m, exp_avg_sq = v}
end

-------------------------------------------------------------------------------------------------------------- options

-- Raises an error unless the number is finite and at least 0, and, if `most` is given, below it.
local function check(name, value, most)
  if not (value >= 0 and value < (most or math.huge)) then
    fail(name, format("is %s, expected %s", inner.text(value), most and "0 or more, below 1" or "a number, 0 or more"))
  end
  return value
end

local function read_betas(betas)
  local first, second = rawget(betas, 1), rawget(betas, 2)
  if type(first) ~= "number" or type(second) ~= "number" or rawlen(betas) ~= 2 then
    fail("betas", "is no sequence of two numbers", "betas = {0.9, 0.999}")
  end
  return {check("betas", first, 1), check("betas", second, 1)}
end

--------------------------------------------------------------------------------------------------------------- state

local function key_of(entry, buffer) return entry.name == "" and buffer or entry.name .. "." .. buffer end

local function read_count(saved)
  local t = rawget(saved, "step")
  local count = is_tensor(t) and inner.is_open(t) and operands.is_index(t) and operands.single(t)
  if not count or count < 0 then
    fail("state", format("has %s at 'step', expected an integer tensor of one element",
      t == nil and "nothing" or inner.text(t)))
  end
  return count
end

-- Gives each parameter its tensors: zeros, or those of a state that o:state() returned.
local function begin(o, saved)
  local known = {step = true}
  o.count = saved and read_count(saved) or 0
  for _, entry in ipairs(o.list) do
    entry.buffers = {}
    for _, buffer in ipairs(o.buffers) do
      local key, p = key_of(entry, buffer), entry.tensor
      local t = saved and check_floats("state", rawget(saved, key), format(" at '%s'", key), p, "a tensor"):clone()
      local options = {dtype = operands.computed(p).dtype, device = p.device}
      entry.buffers[buffer] = t and t:to(options.dtype):to(options.device) or strew.zeros(p.shape, options)
      known[key] = true
    end
  end
  for _, key in ipairs(saved and ordered_keys(saved) or {}) do
    if not known[key] then fail("state", format("has '%s', which no parameter has", key)) end
  end
end

local function make(name, method, buffers, params, o, saved)
  for _, option in ipairs{"rate", "momentum", "dampening", "eps", "weight_decay"} do
    if o[option] then check(option, o[option]) end
  end
  o.step, o.buffers, o.list = method, buffers, {}
  add_floats(params, {}, o.list, {})
  if #o.list == 0 then
    fail("params", format("is %s, expected float tensors, in a table or nested ones", inner.text(params)))
  end
  begin(o, saved)
  local self = setmetatable({}, {__index = {step = inner["o:step"], state = inner["o:state"]}, __name = "optimizer",
    __metatable = "optimizer", __tostring = function()
      return format("%s of %d tensors after %d steps", name, #o.list, o.count)
    end})
  states[self] = o
  return self
end

local function of_self(self)
  local o = type(self) == "table" and states[self]
  if not o then
    fail("self", format("is %s, expected an optimizer", inner.text(self)), "o:step(grads), with a colon")
  end
  return o
end

-- Returns the gradient of each parameter.
local function read_gradients(o, grads)
  local list = {}
  for k, entry in ipairs(o.list) do
    local g, p = value_at(grads, entry.path), entry.tensor
    local label = entry.name == "" and "" or format(" at '%s'", entry.name)
    if not inner.is_open(p) then fail("self", format("has a freed tensor%s", label), nil, "freed") end
    list[k] = check_floats("grads", g, label, p, "a gradient")
    if g.device ~= p.device then
      fail("grads", format("is on %s%s, the parameter on %s", g.device, label, p.device), nil, "device")
    end
  end
  return list
end

local function step(self, grads, rate)
  local o = of_self(self)
  local gradients, made = read_gradients(o, grads), {}
  rate = check("rate", rate or o.rate)
  for k, entry in ipairs(o.list) do
    local p = operands.computed(entry.tensor)
    made[k] = {o:step(p, operands.as(gradients[k], p.dtype), entry.buffers, rate, o.count + 1)}
  end
  for k, entry in ipairs(o.list) do entry.tensor:copy_(operands.as(made[k][1], entry.tensor.dtype)) end
  for k, entry in ipairs(o.list) do entry.buffers = made[k][2] end
  o.count = o.count + 1
  return self
end

local function state(self)
  local o = of_self(self)
  local out = {step = strew.tensor(o.count)}
  for _, entry in ipairs(o.list) do
    for name, t in next, entry.buffers do out[key_of(entry, name)] = t:clone() end
  end
  return out
end

local function adam_row(name, decay)
  local function of(params, rate, betas, eps, weight_decay, saved)
    local o = {rate = rate or 1e-3, betas = read_betas(betas or {0.9, 0.999}), eps = eps or 1e-8,
      weight_decay = weight_decay or decay, is_decoupled = decay ~= 0}
    return make(name, adam, {"exp_avg", "exp_avg_sq"}, params, o, saved)
  end
  return {"params:any rate=number betas=table eps=number weight_decay=number state=table", of}
end

return {
  ["optim.sgd"] = {"params:any rate=number momentum=number dampening=number nesterov=boolean weight_decay=number "
    .. "state=table", function(params, rate, momentum, dampening, nesterov, weight_decay, saved)
    local o = {rate = rate or 1e-3, momentum = momentum or 0, dampening = dampening or 0, nesterov = nesterov,
      weight_decay = weight_decay or 0}
    if nesterov and (o.momentum == 0 or o.dampening ~= 0) then
      fail("nesterov", "is true, expected momentum above 0 and no dampening")
    end
    return make("sgd", sgd, o.momentum ~= 0 and {"momentum_buffer"} or {}, params, o, saved)
  end},
  ["optim.adam"] = adam_row("adam", 0),
  ["optim.adamw"] = adam_row("adamw", 1e-2),
  ["o:step"] = {"self:any grads:any rate=number", step},
  ["o:state"] = {"self:any", state},
}
