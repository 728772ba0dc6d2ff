-- matrices.lua: products of all pairs, triangles and diagonals.
local strew, fail, use = ...
local check_rank = use("operands.lua").check_rank

-- Returns a matrix of the columns' numbers minus the rows' numbers, compared with a diagonal's by the method `compare`.
local function beside(self, diagonal, compare)
  check_rank(self, "self", 2, math.huge, "at least 2")
  local rows, columns = self:size(-2), self:size(-1)
  local options = {dtype = "int64", device = self.device}
  diagonal = math.max(-rows - 1, math.min(columns + 1, diagonal or 0)) -- so that the sum cannot wrap
  local first = strew.arange(rows, options):add_(diagonal):unsqueeze(1)
  return strew.arange(columns, options)[compare](strew.arange(columns, options), first)
end

return {
  outer = {"self:tensor other:tensor", function(self, other)
    check_rank(self, "self", 1, 1, "1", "self:flatten()")
    check_rank(other, "other", 1, 1, "1", "other:flatten()")
    return self:unsqueeze(1):mul(other)
  end},

  tril = {"self:tensor diagonal?integer", function(self, diagonal, suffix)
    return self["masked_fill" .. suffix](self, beside(self, diagonal, "gt"), false)
  end},

  triu = {"self:tensor diagonal?integer", function(self, diagonal, suffix)
    return self["masked_fill" .. suffix](self, beside(self, diagonal, "lt"), false)
  end},

  diag = {"self:tensor diagonal?integer", function(self, diagonal)
    diagonal = diagonal or 0
    if self:dim() == 2 then return self:diagonal(diagonal):clone() end
    check_rank(self, "self", 1, 1, "1 or 2")
    local size = self:numel() + math.abs(diagonal) -- wraps; abs keeps mininteger
    if size < 0 then fail("diagonal", ("is %d, the size of the result overflows"):format(diagonal), nil, "shape") end
    local out = strew.zeros({size, size}, {dtype = self.dtype, device = self.device})
    if self:numel() > 0 then out:diagonal(diagonal):copy_(self) end
    return out
  end},
}
