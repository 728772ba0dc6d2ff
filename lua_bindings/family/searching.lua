-- searching.lua: histograms.
local strew, fail, use = ...
local operands = use "operands.lua"
local text_of = operands.number

return {
  histc = {"self:tensor bins?integer min?number max?number", function(self, bins, min, max)
    bins, min, max = bins or 100, min or 0, max or 0
    operands.check_float(self, "self")
    if bins < 1 then fail("bins", ("is %d, expected 1 or more"):format(bins), nil, nil, bins) end
    if min > max then fail("max", ("is %s, expected at least min, which is %s"):format(max, min), nil, nil, max) end
    local flat = operands.computed(self:reshape(-1))
    if min == max and flat:numel() > 0 then min, max = flat:min():item(), flat:max():item() end
    if min == max then min, max = min - 1, max + 1 end
    if min - min ~= 0 or max - max ~= 0 then
      local fact = ("the range from %s to %s is not finite"):format(text_of(min), text_of(max))
      fail(nil, fact, "min and max set the range", "value")
    end
    local bin = ((flat - min) * bins / (max - min)):to("int64"):clamp(0, bins - 1)
    local index = strew.where(flat:ge(min) & flat:le(max), bin, -1)
    local counts = strew.zeros(bins, {dtype = "int64", device = self.device})
    return counts:scatter_add_(0, index, 1, {mode = "drop"}):to(self.dtype)
  end},
}
