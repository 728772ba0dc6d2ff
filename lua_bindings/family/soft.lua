-- soft.lua: logarithms of sums of exponentials along a dimension. The largest element is subtracted first, so that
-- none overflows.
local _, _, use = ...
local operands = use "operands.lua"

-- Returns self as dtype, or in the float dtype in which it is computed; a float of 16 bits as float32.
local function computed(self, dtype)
  dtype = dtype or self.dtype
  if dtype:find("float16", 1, true) then dtype = "float32" end
  return self:to(dtype)
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
}
