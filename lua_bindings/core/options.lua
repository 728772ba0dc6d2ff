-- options.lua: calls with an option that the library's functions lack, made of calls that it has.
local strew, fail, use = ...
local operands, errors = use "operands.lua", use "errors.lua"

local options = {}

-- Returns self as elements of the dtype, a float one if is_float.
function options.converted(self, dtype, is_float)
  if not dtype then return self end
  if is_float and not operands.is_float(dtype) then
    fail("dtype", format("is %s, expected a float dtype", dtype), nil, "dtype")
  end
  return operands.as(self, dtype)
end

-- The call of cumsum or cumprod with an option that returns a new tensor; first: the value of no elements.
local function cumulate(name, first, self, dim, dtype, initial, exact, in_place)
  if in_place == "_" then
    local option = dtype and "dtype" or "include_initial"
    fail(option, "is an option of the call that returns a new tensor", format("self:%s(dim, {%s = ...})", name, option))
  end
  local x = options.converted(self, dtype)
  if initial then x = operands.line(x) end
  local out = x[name](x, dim, exact and {exact = true} or nil)
  if dtype then out = operands.as(out, dtype) end
  if not initial then return out end
  local sizes = out.shape
  sizes[dim % #sizes + 1] = 1
  return strew.cat({strew.full(sizes, first, {dtype = out.dtype, device = out.device}), out}, dim)
end

-- Returns self rounded to multiples of 10^n, halves to even, of its dtype.
local function round_integers(self, n)
  if n > 18 then fail("digits", format("is %d, expected -18 or more for integers", -n)) end
  local size = math.tointeger(10 ^ n)
  local x = self.dtype == "uint64" and self or operands.as(self, "int64")
  local text = "where((rest > n - rest) | ((rest == n - rest) & (x // n % 2 == 1)), x - rest + n, x - rest)"
  return operands.as(operands.compute(text, {x = x, rest = x % size, n = size}), self.dtype)
end

-- The largest power of ten of float32 and float64.
local MOST <const> = {float32 = 38, float64 = 308}

-- Returns self rounded to that many digits after the point. What the power leaves no fraction of stays as it is.
local function round_floats(self, digits)
  local x = operands.computed(self)
  local most, text = MOST[x.dtype], digits < 0 and "round(x / n) * n" or "where(abs(x * n) < inf, round(x * n) / n, x)"
  if digits < -most then text = "where(abs(x) < inf, x * 0, x)" elseif digits > most then text = "x * 1" end
  local n = 10.0 ^ math.min(math.abs(digits), most)
  return operands.as(operands.compute(text, {x = x, n = n, inf = math.huge}), self.dtype)
end

-- Returns x, a number or tensor that goes before or after self's elements along dim, as a tensor.
local function beside(self, x, dim)
  if operands.is_tensor(x) and x:dim() > 0 then return x end
  local sizes = self.shape
  sizes[dim % #sizes + 1] = 1
  if operands.is_tensor(x) then return x:expand(sizes) end
  return strew.full(sizes, x, {dtype = self.dtype, device = self.device})
end

return {
  converted = options.converted,
  cumsum = {"self:tensor dim:dim dtype=dtype include_initial=boolean exact=boolean", function(...)
    return cumulate("cumsum", 0, ...)
  end},
  cumprod = {"self:tensor dim:dim dtype=dtype include_initial=boolean", function(self, dim, dtype, initial, in_place)
    return cumulate("cumprod", 1, self, dim, dtype, initial, nil, in_place)
  end},

  round = {"self:tensor digits?integer", function(self, digits, in_place)
    local out
    if operands.is_float(self) then
      out = round_floats(self, digits or 0)
    elseif not digits or digits >= 0 or self.dtype == "bool" or self.dtype == "text" or self.dtype == "time" then
      out = self:round()
    else
      out = round_integers(self, -digits)
    end
    return in_place == "_" and self:copy_(out) or out
  end},

  diff = {"self:tensor n?integer dim?dim prepend=operand append=operand", function(self, n, dim, prepend, append)
    n, dim = n or 1, dim or -1
    if self:dim() == 0 or n <= 0 then return self:diff(n, dim) end
    local parts = {}
    local function add(x, name)
      if x == nil then return end
      x = errors.own("value", name, nil, beside, self, x, dim)
      operands.check_values(self, x, name)
      parts[#parts + 1] = x
    end
    add(prepend, "prepend")
    parts[#parts + 1] = self
    add(append, "append")
    return strew.cat(parts, dim):diff(n, dim)
  end},

  searchsorted = {"sorted:tensor values:comparand right=boolean sorter=tensor", function(sorted, values, right, sorter)
    if sorter then
      operands.check_shape(sorter, sorted.shape, "sorter")
      local function reword(fact, hint) return errors.replace(fact, " of self ", " of sorted "), hint end
      sorted = errors.own("index", "sorter", reword, strew.gather, sorted, -1, sorter)
    end
    return strew.searchsorted(sorted, values, {right = right})
  end},
}
