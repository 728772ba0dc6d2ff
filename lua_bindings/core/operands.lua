-- operands.lua: what files of the family ask of operands: texts and products of sizes, dtypes, and common checks.
local strew, fail, use, inner = ...
local errors = use "errors.lua"
local operands = {}

function operands.text(sizes) return "[" .. table.concat(sizes, ", ") .. "]" end

function operands.describe(t) return format("%s%s %s", t.dtype, operands.text(t.shape), t.device) end

-- Returns the product of sizes[first..last].
function operands.product(sizes, first, last)
  local product = 1
  for d = first, last do product = product * sizes[d] end
  return product
end

-- Raises an error unless x is on self's device.
function operands.check_device(self, x, name)
  if x.device ~= self.device then
    fail(name, format("is on %s, all operands must be on one device", x.device),
      format("strew_to(%s, %s)", name, self.device), "device")
  end
end

local WIDE <const> = {int32 = true, uint32 = true, int64 = true, uint64 = true}

-- Returns the conversions of x, `name`, and of self to a dtype that holds both; nil: they do not mix. Integers of 32
-- and 64 bits become the widest floats, but those that are stored in self its dtype.
local function to_promoted(self, x, name, is_stored)
  local mixes, promoted = pcall(strew.result_type, x.dtype, self.dtype)
  if not mixes then return nil end
  local is_rounded = (WIDE[x.dtype] or WIDE[self.dtype]) and not WIDE[promoted]
  if is_rounded and not (is_stored and promoted == self.dtype) then promoted = operands.widest(self) end
  local texts = {}
  if promoted ~= x.dtype then texts[1] = format("strew_to(%s, %s)", name, promoted) end
  if promoted ~= self.dtype then texts[#texts + 1] = format("strew_to(self, %s)", promoted) end
  return table.concat(texts, ", ")
end

-- Raises an error unless x, which may be stored in self, has self's dtype and device.
function operands.check_values(self, x, name, is_stored)
  if x.dtype ~= self.dtype then
    fail(name, format("is %s, self is %s: dtypes must be equal", x.dtype, self.dtype),
      to_promoted(self, x, name, is_stored), "dtype")
  end
  operands.check_device(self, x, name)
end

function operands.check_shape(x, expected, name)
  local shape = x.shape
  local is_same = #shape == #expected
  for d = 1, #shape do is_same = is_same and shape[d] == expected[d] end
  if is_same then return end
  fail(name, format("has shape %s, expected %s", operands.text(shape), operands.text(expected)), nil, "shape")
end

-- Raises an error unless t broadcasts with the sizes, a sequence, which become those of both.
function operands.check_broadcast(sizes, t, name)
  for d = t:dim() - 1, 0, -1 do
    local size, k = t:size(d), #sizes - (t:dim() - 1 - d)
    if k < 1 then
      table.insert(sizes, 1, size)
    elseif sizes[k] == 1 then
      sizes[k] = size
    elseif size ~= 1 and size ~= sizes[k] then
      fail(name, format("has size %d in dim %d where the others have %d, sizes must be equal or 1", size, d, sizes[k]),
        nil, "shape")
    end
  end
end

-- Raises an error unless t has least..most dimensions, in words `expected`.
function operands.check_rank(t, name, least, most, expected, hint)
  local rank = t:dim()
  if rank >= least and rank <= most then return end
  fail(name, format("has %d dimension%s, expected %s", rank, rank == 1 and "" or "s", expected), hint, "shape")
end

-- Returns the expression of a text of this library.
local compiled = {}
function operands.formula(text)
  local f = compiled[text]
  if not f then
    f = strew.expr(text)
    compiled[text] = f
  end
  return f
end
local formula = operands.formula

-- True if the expression is one of this library: its errors are those of the script's call.
function operands.is_formula(f) return compiled[f.text] == f end

-- Returns what a text gives of a plain table that has its inputs, and may have others, such as out.
function operands.compute(text, inputs)
  local f, own = formula(text), {}
  if inputs.out == nil and inputs.device == nil then return f(inputs) end
  for _, name in ipairs(f.inputs) do own[name] = inputs[name] end
  return f(own)
end

-- The same to be reduced: of MANY elements, by their count, an expression that is not stored. Fewer are sooner stored.
operands.MANY = 1 << 15
function operands.bound(text, inputs, count)
  return count < operands.MANY and operands.compute(text, inputs) or formula(text):with(inputs)
end

function operands.is_tensor(x) return strew.type(x) == "tensor" end

-- Returns what an operand is, for messages: its dtype, or the value.
function operands.what(x) return operands.is_tensor(x) and x.dtype or inner.text(x) end

-- Returns a call's arguments without its options, and a copy of these.
function operands.with_options(...)
  local given, options = table.pack(...), {}
  if type(given[given.n]) == "table" then
    for name, value in next, table.remove(given) do options[name] = value end
    given.n = given.n - 1
  end
  return given, options
end

-- Raises an error unless src has one dimension, of the grouping's length and device.
function operands.check_grouped(g, src, argument)
  argument = argument or "src"
  if src:dim() ~= 1 then
    fail(argument, format("has %d dimensions, expected 1", src:dim()), nil, "shape")
  elseif src:size(0) ~= g.length then
    fail(argument, format("has %d elements, the grouping has %d", src:size(0), g.length), nil, "shape")
  elseif src.device ~= g.device then
    fail(argument, format("is on %s, the grouping on %s", src.device, g.device), format('%s:to("%s")',
      argument, g.device), "device")
  end
end

-- Returns a script's sequence, whose entries must be tensors.
function operands.tensors(list, name)
  for i, t in ipairs(list) do
    if not operands.is_tensor(t) then fail(name, format("is %s at [%d], expected a tensor", inner.text(t), i)) end
  end
  return list
end

-- Returns t, with one dimension if it has none.
function operands.line(t) return t:dim() == 0 and t:view(1) or t end

-- The index with src's rank, as the group form aligns it: src's size along dim, else 1 where it broadcasts. nil if it
-- does not fit.
function operands.aligned(src, index, dim)
  local sizes = {}
  for d = 1, src:dim() do sizes[d] = 1 end
  local first = index:dim() <= 1 and dim or 0
  for d = 1, index:dim() do sizes[first + d] = index:size(d - 1) end
  for d, size in ipairs(sizes) do
    if size ~= 1 and size ~= src:size(d - 1) then return nil end
  end
  index = index:reshape(sizes)
  sizes[dim + 1] = src:size(dim)
  return index:expand(sizes)
end

-- The dtypes of floats, and those in which their elements are computed.
local FLOATS <const> = {float16 = "float32", bfloat16 = "float32", float32 = "float32", float64 = "float64"}

-- True for a tensor of floats, or the word of their dtype.
function operands.is_float(t) return FLOATS[type(t) == "string" and t or t.dtype] ~= nil end

-- Returns t as the dtype in which its elements are computed: floats of 16 bits as float32.
function operands.computed(t)
  local dtype = t.dtype
  local computed = FLOATS[dtype] or dtype
  return computed == dtype and t or t:to(computed)
end

-- Returns t as that dtype: itself if it has it.
function operands.as(t, dtype) return t.dtype == dtype and t or t:to(dtype) end

-- Returns the one element of a tensor; nil: it has several, or none.
function operands.single(t) return t:numel() == 1 and t:item() or nil end

-- Returns t's device; the CPU, if that lacks float64. What is computed in float64 is computed there.
function operands.float64_device(t) return inner.has_float64(t) and t.device or "cpu" end

-- Returns what the count is lowered by in the divisor of a variance.
function operands.correction(options, default)
  if options.unbiased == nil then return options.correction or default end
  if options.correction ~= nil then fail("unbiased", "cannot be combined with 'correction'") end
  return options.unbiased and 1 or 0
end

-- Returns the widest float dtype of t's device.
function operands.widest(t) return inner.has_float64(t) and "float64" or "float32" end

-- True for integers that float32 does not hold: of 32 and 64 bits.
local LONG <const> = {int32 = true, int64 = true, uint32 = true, uint64 = true}
function operands.is_long(t) return LONG[t.dtype] == true end

-- The dtype of sums and products in tables: a float's own, of unsigned integers uint64, of others and bools int64.
local UNSIGNED <const> = {uint8 = true, uint16 = true, uint32 = true, uint64 = true}
function operands.sums_dtype(x)
  return operands.is_float(x) and x.dtype or UNSIGNED[x.dtype] and "uint64" or "int64"
end

-- Returns integers of 0 to 2^53, codes or ranks, as floats that hold them.
function operands.floats(t)
  local dtype = operands.widest(t)
  if dtype == "float32" and t:numel() > 0 and t:amax():item() > 1 << 24 then
    fail(nil, "more than 2^24 different elements: the device has no float64, and float32 does not number them")
  end
  return t:to(dtype)
end

-- Returns q of quantiles of self: a table of numbers as a tensor.
function operands.quantiles(self, q)
  if type(q) ~= "table" or operands.is_tensor(q) then return q end
  local dtype = operands.is_float(self) and self.dtype or operands.widest(self)
  return errors.own("x", "q", nil, strew.tensor, q, {dtype = dtype, device = self.device})
end

-- Returns a table of numbers as a tensor beside values: of their float dtype; beside integers and numbers integers, or
-- float64, which compares them by their value, then maybe on the CPU. Second the device of a result.
function operands.numbers(list, values)
  local is_tensor = operands.is_tensor(values)
  local line = strew.tensor(list, {device = is_tensor and values.device or nil})
  if not operands.is_float(line) then return line, line.device end
  if is_tensor and operands.is_float(values) then
    return strew.tensor(list, {dtype = values.dtype, device = line.device}), line.device
  end
  return strew.tensor(list, {dtype = "float64", device = operands.float64_device(line)}), line.device
end

-- Returns the element of a tensor with one as messages show it.
function operands.shown(one)
  if one.dtype == "text" then return (inner.text(one:item())) end
  local word = one:to "text":item()
  return word ~= "" and word or one.dtype == "time" and "NaT" or "nan"
end

-- Raises an error that names the first element of x where `is_wrong`, of the same shape, is true. what: what the
-- argument has there, if not a value.
function operands.check_none(is_wrong, x, name, expected, hint, what)
  if not is_wrong:any():item() then return end
  local at = is_wrong:nonzero()[0]:tolist()
  local shown = operands.shown(x:masked_select(is_wrong):narrow(0, 0, 1))
  local value = x.dtype == "uint64" and shown or x:get(at) -- maybe no Lua integer
  local place = #at > 0 and " at " .. operands.text(at) or ""
  fail(name, format("has %s %s%s, expected %s", what or "value", shown, place, expected), hint, "value", value, at)
end

-- Raises an error unless the elements of a line are in ascending order, without NaN.
function operands.check_ascending(line, name, hint)
  local first, rest = strew.zeros(1, {dtype = "bool", device = line.device}), math.max(line:numel() - 1, 0)
  local is_less = line:narrow(0, line:numel() - rest, rest):ge(line:narrow(0, 0, rest)):logical_not()
  operands.check_none(strew.cat{line:numel() > 0 and first or first:narrow(0, 0, 0), is_less} , line, name,
    "values in ascending order", hint)
end

-- Raises an error unless t, numbers or times beside x of which `along` are those in the order of `order` (nil: its
-- own), ascends, within groups if these, of `along`, are given; gaps: where it is missing.
function operands.check_along(t, name, x, along, order, groups, gaps)
  operands.check_shape(t, {x:size(0)}, name)
  operands.check_device(x, t, name)
  if gaps then operands.check_none(gaps, t, name, "no missing value") end
  local count = math.max(#along - 1, 0)
  local descends = along:narrow(0, #along - count, count):lt(along:narrow(0, 0, count))
  if groups then descends = descends & groups:narrow(0, #along - count, count):eq(groups:narrow(0, 0, count)) end
  descends = strew.cat{strew.zeros(#along - count, {dtype = "bool", device = t.device}), descends}
  if order then descends = strew.zeros(#t, {dtype = "bool", device = t.device}):index_copy_(0, order, descends) end
  operands.check_none(descends, t, name, "ascending values" .. (groups and " in each group" or ""),
    "strew.sort_by(x, name) sorts the rows of a table by a column")
end

-- Returns t's dtype, which must be a float one, and that in which its elements are computed.
function operands.check_float(t, name)
  local dtype <const> = t.dtype
  if not FLOATS[dtype] then
    local hint = dtype == "time" and "strew_to(strew_to(%s, int64), %s)" or "strew_to(%s, %s)"
    fail(name, format("is %s, expected a float dtype", dtype), format(hint, name, operands.widest(t)), "dtype")
  end
  return dtype, FLOATS[dtype]
end

function operands.is_index(t) return string.find(t.dtype, "int", 1, true) ~= nil end

function operands.check_index(t, name)
  if operands.is_index(t) then return end
  fail(name, format("is %s, expected an integer dtype", t.dtype), format("strew_to(%s, int64)", name), "dtype")
end

return operands
