-- joining.lua: tensors side by side, one above the other or as columns; a tensor in pieces.
local strew, fail, use = ...
local operands = use "operands.lua"

-- Returns the tensors of a script's sequence, each as view(t) gives it.
local function viewed(tensors, view)
  local list = {}
  for i, t in ipairs(operands.tensors(tensors, "tensors")) do list[i] = view(t) end
  return list
end

return {
  hstack = {"tensors:sequence", function(tensors)
    local lines = viewed(tensors, operands.line)
    return strew.cat(lines, lines[1]:dim() == 1 and 0 or 1)
  end},

  vstack = {"tensors:sequence", function(tensors)
    return strew.cat(viewed(tensors, function(t) return t:dim() < 2 and t:reshape(1, t:numel()) or t end), 0)
  end},

  column_stack = {"tensors:sequence", function(tensors)
    return strew.cat(viewed(tensors, function(t) return t:dim() < 2 and t:reshape(t:numel(), 1) or t end), 1)
  end},

  tensor_split = {"self:tensor sections:integers dim?dim", function(self, sections, dim)
    dim = dim or 0
    local n, views, start = self:size(dim), {}, 0
    local function add(stop)
      views[#views + 1] = self:slice(dim, start, math.max(start, stop))
      start = stop
    end
    if type(sections) == "number" then
      local most = math.max(n, 1 << 20)
      if sections > most then fail("sections", format("is %d, expected at most %d", sections, most), nil, "shape") end
      if sections < 1 then fail("sections", format("is %d, expected at least 1", sections), nil, "shape") end
      for k = 1, sections do add(start + n // sections + (k <= n % sections and 1 or 0)) end
      return views
    end
    for _, at in ipairs(sections) do add(math.max(0, math.min(at < 0 and at + n or at, n))) end
    add(n)
    return views
  end},
}
