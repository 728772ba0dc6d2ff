-- nan_skipping.lua: reductions that leave out NaN, by names of their own and by the option skip_nan of the others; and
-- sums, products and means of another dtype.
local strew, fail, use = ...
local operands, errors, times, words = use "operands.lua", use "errors.lua", use "times.lua", use "words.lua"
local converted = use "options.lua".converted
local bound, computed = operands.bound, operands.computed

-- Returns the sum without NaN, and how many elements it is of, of a float dtype.
local function sum_of(x, dim, keepdim) return bound("where(x == x, x, 0.0)", {x = x}, x:numel()):sum(dim, keepdim) end
local function count_of(x, dim, keepdim)
  local n = x:numel()
  return (n < operands.MANY and x:eq(x) or bound("x == x", {x = x}, n)):sum(dim, keepdim)
end

-- An operation that reduces by amax or amin; nothing: the number that loses to all others.
local function extreme(name, nothing)
  local function extreme_of(self, dim, keepdim)
    if times.is(self) then -- NaT is the least number, and the greatest key
      local x = nothing < 0 and times.whole(self) or times.key(self)
      local out = errors.own(nil, nil, nil, x[name], x, dim, keepdim)
      return (nothing < 0 and times.from_whole or times.from_key)(out)
    end
    if words.is(self) then
      local numbers, back = words.numbered(self, true)
      return back(errors.own(nil, nil, nil, extreme_of, numbers, dim, keepdim))
    end
    if not operands.is_float(self) then return self[name](self, dim, keepdim) end
    local text = format("where(x == x, x, %s)", nothing < 0 and "-inf" or "inf")
    local others = bound(text, {x = self, inf = math.huge}, self:numel())
    local out = others[name](others, dim, keepdim)
    if not out:eq(nothing):any():item() then return out end
    return strew.where(count_of(self, dim, keepdim):eq(0), 0 / 0, out)
  end
  return {"self:tensor dim?dims keepdim?boolean", extreme_of}
end

-- A reduction of elements converted to the option dtype, a float one if is_float, with a result of that dtype; exact
-- ones of floats are the library's.
local function in_dtype(name, reduce, is_float)
  return {"self:tensor dim?dims keepdim?boolean dtype=dtype exact=boolean", function(self, dim, keepdim, dtype, exact)
    local x = converted(self, dtype, is_float)
    if exact and operands.is_float(x) then return x[name](x, dim, keepdim, {exact = true, skip_nan = true}) end
    local out = reduce(x, dim, keepdim)
    return dtype and operands.as(out, dtype) or out
  end}
end

local nansum = in_dtype("sum", function(self, dim, keepdim)
  if not operands.is_float(self) then return self:sum(dim, keepdim) end
  return sum_of(self, dim, keepdim)
end)

local nanmean = in_dtype("mean", function(self, dim, keepdim)
  if times.is(self) then return self:mean(dim, keepdim, {exact = true, skip_nan = true}) end
  operands.check_float(self, "self")
  local x = computed(self)
  return (sum_of(x, dim, keepdim) / count_of(x, dim, keepdim)):to(self.dtype)
end, true)

-- Returns finish(variance).
local function spread_of(self, dim, keepdim, correction, finish)
  self = times.seconds(self)
  operands.check_float(self, "self")
  local x = computed(self)
  local all, count = count_of(x, dim, true), count_of(x, dim, keepdim)
  local inputs = {x = x, mean = sum_of(x, dim, true) / all}
  -- what the rounded mean leaves, as a mean
  inputs.rest = bound("where(x == x, x, mean) - mean", inputs, x:numel()):sum(dim, true) / all
  local squares = bound("square(where(x == x, x - mean - rest, 0.0))", inputs, x:numel())
  local rest = count - correction
  return finish(squares:sum(dim, keepdim) / strew.where(rest:gt(0) & count:gt(0), rest, 0 / 0)):to(self.dtype)
end

local nanmedian = {"self:tensor dim?dim keepdim?boolean", function(self, dim, keepdim)
  if not operands.is_float(self) and not times.is(self) then return self:median(dim, keepdim) end
  local line = dim and operands.line(self) or self:reshape(-1)
  if line:size(dim or 0) == 0 then
    if not dim then return self:median(nil, keepdim) end
    fail("self", format("has size 0 along dim %d, expected at least 1", dim), nil, "shape")
  end
  local values, order = line:sort(dim or 0)
  local at = ((count_of(line, dim or 0, true) - 1) // 2):clamp(0)
  local value, position = values:gather(dim or 0, at), order:gather(dim or 0, at)
  local sizes = self.shape
  if not dim then
    for d in ipairs(sizes) do sizes[d] = 1 end
    return value:reshape(keepdim and sizes or {})
  end
  if #sizes == 0 then return value:reshape({}), position:reshape({}) end
  if keepdim then return value, position end
  return value:squeeze(dim), position:squeeze(dim)
end}

local nanmax, nanmin = extreme("amax", -math.huge), extreme("amin", math.huge)

---------------------------------------------------------------------------------------------------- the option skip_nan

-- The reduction `name` with the option: skip_nan(self, dim, keepdim, ...) if it is true.
local function option(name, skip_nan)
  return {"self:tensor dim?dims keepdim?boolean skip_nan=boolean", function(self, dim, keepdim, is_skipping)
    return (is_skipping and skip_nan or self[name])(self, dim, keepdim)
  end}
end

-- The same of a reduction that takes a dtype, too.
local function option_in_dtype(name, skip_nan, is_float)
  return {"self:tensor dim?dims keepdim?boolean skip_nan=boolean dtype=dtype exact=boolean",
    function(self, dim, keepdim, is_skipping, dtype, exact)
      local x = converted(self, dtype, is_float)
      if exact and operands.is_float(x) then return x[name](x, dim, keepdim, {exact = true, skip_nan = is_skipping}) end
      local out = (is_skipping and skip_nan or x[name])(x, dim, keepdim)
      return dtype and operands.as(out, dtype) or out
    end}
end

local function spread(name, finish)
  return {"self:tensor dim?dims keepdim?boolean correction=number unbiased=boolean skip_nan=boolean exact=boolean",
    function(self, dim, keepdim, correction, unbiased, is_skipping, exact)
      correction = operands.correction({correction = correction, unbiased = unbiased}, 1)
      if is_skipping and not exact then return spread_of(self, dim, keepdim, correction, finish) end
      local options = {correction = correction, exact = exact, skip_nan = exact and is_skipping}
      return errors.own(nil, nil, nil, self[name], self, dim, keepdim, options)
    end}
end

-- A reduction of the elements with another one in place of NaN.
local function replacing(name, other, make)
  return make(name, function(self, dim, keepdim)
    if not operands.is_float(self) then return self[name](self, dim, keepdim) end
    local x = operands.compute("where(x == x, x, y)", {x = self, y = other})
    return x[name](x, dim, keepdim)
  end)
end

-- The first place that has the extreme; of NaN alone the first one.
local function place(extreme_of)
  return function(self, dim, keepdim) return self:eq(extreme_of[2](self, dim, true)):argmax(dim, keepdim) end
end

local function with_place(extreme_of)
  return function(self, dim, keepdim)
    local value = extreme_of[2](self, dim, keepdim)
    if not dim then return value end
    return value, place(extreme_of)(self, dim, keepdim)
  end
end

return {
  nansum = nansum, nanmean = nanmean, nanmedian = nanmedian, nanmax = nanmax, nanmin = nanmin,
  nanstd = {"self:tensor dim?dims keepdim?boolean correction=number unbiased=boolean",
    function(self, dim, keepdim, correction, unbiased)
      correction = operands.correction({correction = correction, unbiased = unbiased}, 0)
      return spread_of(self, dim, keepdim, correction, strew.sqrt)
    end},

  sum = option_in_dtype("sum", nansum[2]), mean = option_in_dtype("mean", nanmean[2], true),
  prod = replacing("prod", 1, option_in_dtype), all = replacing("all", 1, option), any = replacing("any", 0, option),
  amin = option("amin", nanmin[2]), amax = option("amax", nanmax[2]),
  min = option("min", with_place(nanmin)), max = option("max", with_place(nanmax)),
  argmin = option("argmin", place(nanmin)), argmax = option("argmax", place(nanmax)),
  var = spread("var", function(x) return x end), std = spread("std", strew.sqrt),
  quantile = {"self:tensor q:numbers dim?dim keepdim?boolean interpolation=word skip_nan=boolean",
    function(self, q, dim, keepdim, interpolation, is_skipping)
      q = operands.quantiles(self, q)
      local options = {dim = dim, keepdim = keepdim, interpolation = interpolation}
      if times.is(self) then
        options.skip_nan = is_skipping
        return times.quantile(self, q, options)
      end
      if not is_skipping or not operands.is_float(self) then return self:quantile(q, options) end
      local several, sizes = operands.is_tensor(q) and q:dim() > 0 and q:tolist(), self.shape
      local line = dim and operands.line(self) or self:reshape(-1)
      if dim and sizes[1] then sizes[dim % #sizes + 1] = 1 end
      for d = 1, dim and 0 or #sizes do sizes[d] = 1 end
      local group = strew.zeros({line:size(dim or 0)}, {dtype = "int64", device = self.device})
      local function one(at)
        local out = strew.scatter_quantile(line, group, at, dim or 0, {dim_size = 1, interpolation = interpolation,
          skip_nan = true}):reshape(sizes)
        if keepdim then return out end
        return dim and (sizes[1] and out:squeeze(dim) or out) or out:reshape({})
      end
      if not several then return one(operands.is_tensor(q) and q:item() or q) end
      for i, at in ipairs(several) do several[i] = one(at) end
      return strew.stack(several)
    end},
}
