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

-- Returns a function that computes a text of self and `count` further arguments, of which the last may be absent.
local function by_text(name, count)
  local texts = {[0] = name .. "(x)", name .. "(x, y)", name .. "(x, y, z)", name .. "(x, y, z, w)"}
  local function reword(fact, hint) -- the call's name, and a hint as scripts write it
    fact = string.gsub(fact, ", [%l_]+ takes", ", " .. name .. " takes")
    return fact, hint and string.gsub(string.gsub(hint, "^(%w+)%(x%)$", 'self:to("%1")'), "~= tells", "ne(a, b) tells")
  end
  local function compute(suffix, x, y, z, w)
    local f = operands.formula(texts[w ~= nil and 3 or z ~= nil and 2 or y ~= nil and 1 or 0])
    if count == 0 and (x.dtype == "time" or x.dtype == "text") then
      local hint = x.dtype == "time" and "strew_to(self, int64) gives its numbers" or nil
      fail("self", format("is %s, %s takes numbers", x.dtype, name), hint, "dtype")
    end
    if suffix ~= "_" then return errors.own(nil, nil, reword, f, {x = x, y = y, z = z, w = w}) end
    return errors.own(nil, nil, reword, errors.own, "out", "self", function(fact, hint)
      return fact, hint or format("self:%s(...) makes a new tensor", name)
    end, expressions.evaluate, f:with{x = x, y = y, z = z, w = w}, x)
  end
  if count == 0 then return function(x, suffix) return compute(suffix, x) end end
  if count == 1 then return function(x, y, suffix) return compute(suffix, x, y) end end
  if count == 2 then return function(x, y, z, suffix) return compute(suffix, x, y, z) end end
  return function(x, y, z, w, suffix) return compute(suffix, x, y, z, w) end
end
local nan_to_num = by_text("nan_to_num", 3)

-- Raises an error for text, and for times.
local function check_number(self, hint)
  if self.dtype ~= "text" and self.dtype ~= "time" then return end
  fail("self", format("is %s, expected numbers", self.dtype), hint, "dtype")
end

-- Returns isinf or isfinite: of_times for times, as in NumPy; words are neither.
local function finite(name, of_times)
  local of_numbers = by_text(name, 0)
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

  square = {"self:tensor", by_text("square", 0)},
  reciprocal = {"self:tensor", by_text("reciprocal", 0)},
  trunc = {"self:tensor", by_text("trunc", 0)},
  softplus = {"self:tensor", by_text("softplus", 0)},
  elu = {"self:tensor alpha?number", by_text("elu", 1)},
  leaky_relu = {"self:tensor slope?number", by_text("leaky_relu", 1)},
  lerp = {"self:tensor other:operand weight:operand", by_text("lerp", 2)},
  heaviside = {"self:tensor other:operand", by_text("heaviside", 1)},
  logical_xor = {"self:tensor other:operand", by_text("logical_xor", 1)},

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
