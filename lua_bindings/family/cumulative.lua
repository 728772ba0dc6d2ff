-- cumulative.lua: largest and smallest elements so far.
local strew = ...

-- Joins each element along dim with all before it: with the one before it, then the second, the fourth, ... before it.
local function running(self, dim, join)
  local out, n, step = self, self:size(dim), 1
  while step < n do
    local joined = strew[join](out:narrow(dim, step, n - step), out:narrow(dim, 0, n - step))
    out = strew.cat({out:narrow(dim, 0, step), joined}, dim)
    step = 2 * step
  end
  return out
end

-- Returns the extremes so far and their positions: of equal ones the last, of NaN the last.
local function extremes(self, dim, join)
  local line = self:dim() == 0 and self:view(1) or self
  local n = line:size(dim)
  local found = running(line, dim, join)
  local shape = {}
  for d = 1, line:dim() do shape[d] = 1 end
  shape[(dim < 0 and dim + #shape or dim) + 1] = n
  local numbers = strew.arange(n, {dtype = "int64", device = self.device}):view(shape)
  local positions = running(strew.where(line:eq(found) | line:ne(line), numbers, 0), dim, "maximum")
  return line:gather(dim, positions):view(self.shape), positions:view(self.shape)
end

return {
  cummax = {"self:tensor dim:dim", function(self, dim) return extremes(self, dim, "maximum") end},
  cummin = {"self:tensor dim:dim", function(self, dim) return extremes(self, dim, "minimum") end},
}
