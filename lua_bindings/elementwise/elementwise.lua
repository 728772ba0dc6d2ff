-- elementwise.lua: one result for each element: tests for NaN and infinities, replacement of what is not finite, bins,
-- one-hot codes.
local strew, fail, use, inner = ...
local operands, errors, expressions, times = use "operands.lua", use "errors.lua", use "expressions.lua",
  use "times.lua"
local missing = use "missing.lua"

-- Raises an error if a value of self is below 0, or not less than `classes`: nil, any.
local function check_classes(self, classes)
  operands.check_none(self:lt(0), self, "self", "0 or more")
  if not classes then return end
  operands.check_none(self:ge(classes), self, "self", "less than num_classes, which is " .. classes)
end

local PLACES <const> = {x = 1, y = 2, z = 3, w = 4}

-- Returns a function that computes a text of self and other arguments, of which the last may be absent; `others`: their
-- names.
local function by_text(name, others)
  local names, texts = {"self"}, {[0] = name .. "(x)", name .. "(x, y)", name .. "(x, y, z)", name .. "(x, y, z, w)"}
  for other in string.gmatch(others or "", "%a+") do table.insert(names, other) end
  local function check(given)
    local shape, self = {}, given[1]
    for i, argument in ipairs(names) do
      local x = given[i]
      if operands.is_tensor(x) then
        local hint = x.dtype == "time" and format("strew_to(%s, int64) gives its numbers", argument) or nil
        if x.dtype == "time" or x.dtype == "text" then
          fail(argument, format("is %s, %s takes numbers", x.dtype, name), hint, "dtype")
        end
        operands.check_device(self, x, argument)
        operands.check_broadcast(shape, x, argument)
      end
    end
  end
  return function(...)
    local given, last, suffix = {...}, 0, select(#names + 1, ...)
    check(given)
    for i = 1, #names - 1 do last = given[i + 1] ~= nil and i or last end
    local f, values = operands.formula(texts[last]), {unmarked = true}
    for i, input in ipairs(f.inputs) do values[i] = given[PLACES[input]] end
    local e = inner.expr_bind(f, f.inputs, values, {})
    if suffix ~= "_" then return errors.own(nil, nil, nil, expressions.evaluate, e) end
    return errors.own("out", "self", function(fact, hint)
      return fact, hint or format("self:%s(...) makes a new tensor", name)
    end, expressions.evaluate, e, given[1])
  end
end
local nan_to_num = by_text("nan_to_num", "nan posinf neginf")

-- Raises an error for text, and for times.
local function check_number(self, hint)
  if self.dtype ~= "text" and self.dtype ~= "time" then return end
  fail("self", format("is %s, expected numbers", self.dtype), hint, "dtype")
end

-- Returns isinf or isfinite: of_times for times, as in NumPy; words are neither.
local function finite(name, of_times)
  local of_numbers = by_text(name)
  return function(self)
    if times.is(self) then return of_times(self) end
    check_number(self, "t:isnan() is true for the empty word")
    return of_numbers(self)
  end
end

-- Bits of the fraction and of the whole, and the smallest exponent, of each float dtype.
local floats = {float32 = {23, 32, -126}, float64 = {52, 64, -1022}, float16 = {10, 16, -14}, bfloat16 = {7, 16, -126}}

return {
  positive = {"self:tensor", function(self, suffix) return suffix == "_" and self or self:clone() end},

  finfo = {"dtype:dtype", function(dtype)
    local about = floats[dtype]
    if not about then fail("dtype", format("is %s, expected a float dtype", dtype), "strew.iinfo", "dtype") end
    local most = (2 - 2.0 ^ -about[1]) * 2.0 ^ (1 - about[3])
    return {dtype = dtype, bits = about[2], eps = 2.0 ^ -about[1], max = most, min = -most,
            smallest_normal = 2.0 ^ about[3]}
  end},

  iinfo = {"dtype:dtype", function(dtype)
    local sign, bits = string.match(dtype, "^(u?)int(%d+)$")
    if not bits then fail("dtype", format("is %s, expected an integer dtype", dtype), "strew.finfo", "dtype") end
    bits = math.tointeger(bits)
    local most = sign == "u" and (1 << bits) - 1 or (1 << bits - 1) - 1
    if dtype == "uint64" then most = 2.0 ^ 64 end -- the nearest float: it is no Lua integer
    return {dtype = dtype, bits = bits, max = most, min = sign == "u" and 0 or -most - 1}
  end},

  square = {"self:tensor", by_text("square")},
  reciprocal = {"self:tensor", by_text("reciprocal")},
  trunc = {"self:tensor", by_text("trunc")},
  softplus = {"self:tensor", by_text("softplus")},
  elu = {"self:tensor alpha?number", by_text("elu", "alpha")},
  leaky_relu = {"self:tensor slope?number", by_text("leaky_relu", "slope")},
  lerp = {"self:tensor other:operand weight:operand", by_text("lerp", "other weight")},
  heaviside = {"self:tensor other:operand", by_text("heaviside", "other")},
  logical_xor = {"self:tensor other:operand", by_text("logical_xor", "other")},

  bucketize = {"values:comparand boundaries:line right=boolean", function(values, boundaries, right)
    local is_list, device = type(boundaries) == "table", nil
    if is_list and times.is(values) then
      boundaries = times.read(boundaries, "boundaries", values.device)
    elseif is_list then
      boundaries, device = operands.numbers(boundaries, values)
      values = operands.is_tensor(values) and values:to(boundaries.device) or values
    end
    local out = inner.bucketize(values, boundaries, {right = right})
    return device and out:to(device) or out
  end},

  one_hot = {"self:tensor num_classes=integer", function(self, classes)
    operands.check_index(self, "self")
    if not classes then
      if self:numel() == 0 then fail("num_classes", "is missing, and self is empty") end
      check_classes(self)
      classes = self:max():item() + 1
    end
    if classes < 0 then fail("num_classes", format("is %d, expected 0 or more", classes)) end
    local fits, codes = pcall(inner.one_hot, self, classes)
    if fits then return codes end
    local sizes = self.shape -- what does not fit is said as of these calls
    table.insert(sizes, classes)
    local zeros, places = strew.zeros(sizes, {dtype = "int64", device = self.device}), self:unsqueeze(-1)
    local message
    fits, message = pcall(zeros.scatter_, zeros, -1, places, 1)
    if fits then return zeros end
    check_classes(self, classes)
    error(message, 0)
  end},

  isnan = {"self:tensor", function(self) return missing.of(self) or self:ne(self) end},
  isinf = {"self:tensor", finite("isinf", function(t) return t:ne(t):zero_() end)},
  isfinite = {"self:tensor", finite("isfinite", function(t) return t:eq(t) end)},

  nan_to_num = {"self:tensor nan?number posinf?number neginf?number", function(self, nan, posinf, neginf, suffix)
    check_number(self, "t:masked_fill(t:isnan(), text) fills missing elements")
    if not operands.is_float(self) then return suffix == "_" and self or self:clone() end
    if neginf and not posinf then posinf = expressions.replacement(2, self.dtype) end
    return nan_to_num(self, posinf and (nan or 0) or nan, posinf, neginf, suffix)
  end},
}
