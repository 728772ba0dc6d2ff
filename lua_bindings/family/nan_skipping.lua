-- nan_skipping.lua: reductions that leave out NaN.
local strew, fail, use = ...
local operands, times = use "operands.lua", use "times.lua"
local bound, computed = operands.bound, operands.computed

-- Returns the sum without NaN, and how many elements it is of, of a float dtype.
local function sum_of(x, dim, keepdim) return bound("where(x == x, x, 0.0)", {x = x}, x:numel()):sum(dim, keepdim) end
local function count_of(x, dim, keepdim)
  local n = x:numel()
  return (n < operands.MANY and x:eq(x) or bound("x == x", {x = x}, n)):sum(dim, keepdim)
end

-- An operation that reduces by amax or amin; nothing: the number that loses to all others.
local function extreme(name, nothing)
  return {"self:tensor dim?dims keepdim?boolean", function(self, dim, keepdim)
    if times.is(self) then -- NaT is the least number, and the greatest key
      local x = nothing < 0 and times.whole(self) or times.key(self)
      return (nothing < 0 and times.from_whole or times.from_key)(x[name](x, dim, keepdim))
    end
    if not operands.is_float(self) then return self[name](self, dim, keepdim) end
    local text = ("where(x == x, x, %s)"):format(nothing < 0 and "-inf" or "inf")
    local others = bound(text, {x = self, inf = math.huge}, self:numel())
    local out = others[name](others, dim, keepdim)
    if not out:eq(nothing):any():item() then return out end
    return strew.where(count_of(self, dim, keepdim):eq(0), 0 / 0, out)
  end}
end

return {
  nansum = {"self:tensor dim?dims keepdim?boolean", function(self, dim, keepdim)
    if not operands.is_float(self) then return self:sum(dim, keepdim) end
    return sum_of(self, dim, keepdim)
  end},

  nanmean = {"self:tensor dim?dims keepdim?boolean", function(self, dim, keepdim)
    operands.check_float(self, "self")
    local x = computed(self)
    return (sum_of(x, dim, keepdim) / count_of(x, dim, keepdim)):to(self.dtype)
  end},

  nanstd = {"self:tensor dim?dims keepdim?boolean correction=number", function(self, dim, keepdim, correction)
    operands.check_float(self, "self")
    local x = computed(self)
    local all, count = count_of(x, dim, true), count_of(x, dim, keepdim)
    local inputs = {x = x, mean = sum_of(x, dim, true) / all}
    -- what the rounded mean leaves, as a mean
    inputs.rest = bound("where(x == x, x, mean) - mean", inputs, x:numel()):sum(dim, true) / all
    local squares = bound("square(where(x == x, x - mean - rest, 0.0))", inputs, x:numel())
    local rest = count - (correction or 0)
    return (squares:sum(dim, keepdim) / strew.where(rest:gt(0) & count:gt(0), rest, 0 / 0)):sqrt():to(self.dtype)
  end},

  nanmedian = {"self:tensor dim?dim keepdim?boolean", function(self, dim, keepdim)
    if not operands.is_float(self) then return self:median(dim, keepdim) end
    local line = dim and operands.line(self) or self:reshape(-1)
    if line:size(dim or 0) == 0 then
      if not dim then return self:median(nil, keepdim) end
      fail("self", ("has size 0 along dim %d, expected at least 1"):format(dim), nil, "shape")
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
  end},

  nanmax = extreme("amax", -math.huge),
  nanmin = extreme("amin", math.huge),
}
