-- soft.lua: sums of exponentials along a dimension. The largest element is subtracted first, so that none overflows.
local _, fail, use = ...
local operands = use "operands.lua"

-- Returns self as dtype, or in the float dtype in which it is computed; a float of 16 bits as float32.
local function computed(self, dtype)
  dtype = dtype or self.dtype
  if dtype:find("float16", 1, true) then dtype = "float32" end
  return self:to(dtype)
end

-- Calls soften(x, dim) on the computed dtype, for tensors that have elements.
local function soft(self, dim, dtype, soften)
  local result = dtype or self.dtype
  if not result:find("float", 1, true) then
    fail(dtype and "dtype" or "self", ("is %s, expected a float"):format(result), 'pass {dtype = "float32"}', "dtype")
  end
  local line = computed(operands.line(self), result)
  line:size(dim) -- raises an error if it is out of range
  local out = line:numel() == 0 and line:clone() or soften(line - line:amax(dim, true), dim)
  return out:to(result):view(self.shape)
end

return {
  logsumexp = {"self:tensor dim:dims keepdim?boolean", function(self, dim, keepdim)
    local dtype = operands.is_float(self) and self.dtype or "float32"
    local x = computed(self, dtype)
    if x:numel() == 0 then return x:exp():sum(dim, keepdim):log_():to(dtype) end
    local largest = x:amax(dim, true)
    largest:masked_fill_(largest:abs():eq(math.huge), 0)
    local sums = (x - largest):exp_():sum(dim, keepdim):log_()
    return sums:add_(largest:view(sums.shape)):to(dtype)
  end},

  softmax = {"self:tensor dim:dim dtype=dtype", function(self, dim, dtype)
    return soft(self, dim, dtype, function(x)
      x:exp_()
      return x:div_(x:sum(dim, true))
    end)
  end},

  log_softmax = {"self:tensor dim:dim dtype=dtype", function(self, dim, dtype)
    return soft(self, dim, dtype, function(x) return x:sub_(x:exp():sum(dim, true):log_()) end)
  end},
}
