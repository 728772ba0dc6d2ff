-- rearranging.lua: elements turned, in reverse, repeated, and around a tensor; tensors side by side, one above the
-- other or as columns; a tensor in pieces.
local strew, fail, use, inner = ...
local operands, errors = use "operands.lua", use "errors.lua"

local function list(value) return type(value) == "table" and value or {value} end

-- Positions in a line of n elements, of which `before` precede and `after` follow, by the word of pad.
local fillings = {
  circular = function(at, n) return at % n end,
  replicate = function(at, n) return at:clamp(0, n - 1) end,
  reflect = function(at, n) return (n - 1) - ((n - 1) - at:abs()):abs() end,
}
local function padded_positions(self, dim, before, after, mode)
  local n = self:size(dim)
  local most = mode == "circular" and n or mode == "reflect" and n - 1 or n == 0 and 0 or math.maxinteger
  for _, count in ipairs{before, after} do
    if count > most then
      fail("pad", format("has value %d for dim %d of size %d, %s takes at most %d", count, dim, n, mode, most), nil,
        "shape", count)
    end
  end
  return fillings[mode](strew.arange(-before, n + after, {device = self.device}), n)
end

-- Returns, for the dimensions that pad names, the last one first, {dim, before, after}.
local function padded_dims(self, pad)
  local rank, dims = self:dim(), {}
  if #pad % 2 == 1 or #pad > 2 * rank then
    fail("pad", format("has %d entries, expected two for each of the last dimensions, at most %d", #pad, 2 * rank),
      "{left, right, top, bottom} for the last two", "shape")
  end
  for k = 1, #pad, 2 do
    local dim, before, after = rank - (k + 1) // 2, pad[k], pad[k + 1]
    local n = self:size(dim)
    if before > math.maxinteger - n or after > math.maxinteger - n - math.max(before, 0) then
      fail("pad", format("has value %d, the size of the result overflows", math.max(before, after)), nil, "shape")
    end
    if n + before + after < 0 or before < -n or after < -n then
      fail("pad", format("removes %.0f and %.0f elements of dim %d, of size %d", math.max(-before, 0),
        math.max(-after, 0), dim, n), nil, "shape")
    end
    dims[(k + 1) // 2] = {dim, before, after}
  end
  return dims
end

-- Returns the part of t that a negative pad leaves.
local function cropped(t, dims)
  for _, entry in ipairs(dims) do
    local dim, before, after = entry[1], math.max(-entry[2], 0), math.max(-entry[3], 0)
    if before + after > 0 then t = t:narrow(dim, before, t:size(dim) - before - after) end
  end
  return t
end

local MISSING <const> = {text = "", time = "NaT"}

-- Returns a copy of t with `value` around it: default 0, of text and times the missing element.
local function surrounded(t, dims, value)
  if value == nil then value = MISSING[t.dtype] or 0 end
  local sizes = t.shape
  for _, entry in ipairs(dims) do
    sizes[entry[1] + 1] = sizes[entry[1] + 1] + math.max(entry[2], 0) + math.max(entry[3], 0)
  end
  local out = strew.empty(sizes, {dtype = t.dtype, device = t.device})
  local middle = out
  local function fill(...) errors.own(nil, nil, nil, strew.fill_, middle:narrow(...), value) end
  for _, entry in ipairs(dims) do
    local dim, before, after = entry[1], math.max(entry[2], 0), math.max(entry[3], 0)
    if before > 0 then fill(dim, 0, before) end
    if after > 0 then fill(dim, before + t:size(dim), after) end
    middle = middle:narrow(dim, before, t:size(dim))
  end
  middle:copy_(t)
  return out
end

-- Returns the tensors of a script's sequence, each as view(t) gives it.
local function viewed(tensors, view)
  local views = {}
  for i, t in ipairs(operands.tensors(tensors, "tensors")) do views[i] = view(t) end
  return views
end

return {
  rot90 = {"self:tensor k?integer dims?dims", function(self, k, dims)
    dims = dims or {0, 1}
    operands.check_rank(self, "self", 2, math.huge, "at least 2")
    if type(dims) ~= "table" or #dims ~= 2 then
      fail("dims", format("names %d dimension%s, expected 2", #list(dims), #list(dims) == 1 and "" or "s"), nil,
        "shape")
    end
    local first, second = dims[1], dims[2]
    for _, dim in ipairs(dims) do
      if dim < -self:dim() or dim >= self:dim() then
        fail("dims", format("names dimension %d, expected %d..%d", dim, -self:dim(), self:dim() - 1), nil, "shape")
      end
    end
    if first % self:dim() == second % self:dim() then
      fail("dims", format("names dimension %d twice", first % self:dim()), nil, "shape")
    end
    k = (k or 1) % 4
    if k == 0 then return self:clone() end
    if k == 2 then return self:flip(dims) end
    return k == 1 and self:flip(second):transpose(first, second) or self:transpose(first, second):flip(second)
  end},

  pad = {"self:tensor pad:integers mode?word value?any", function(self, pad, mode, value)
    mode = mode or "constant"
    local dims = padded_dims(self, list(pad))
    if mode ~= "constant" and not fillings[mode] then
      fail("mode", format('is "%s", expected "constant", "reflect", "replicate" or "circular"', mode), nil, "value")
    end
    if mode ~= "constant" and value ~= nil then fail("value", format("is given, but mode is %s", mode)) end
    local out = cropped(self, dims)
    if mode == "constant" then return surrounded(out, dims, value) end
    local is_new = false
    for _, entry in ipairs(dims) do
      local dim, before, after = entry[1], math.max(entry[2], 0), math.max(entry[3], 0)
      if before + after > 0 then
        out = out:index_select(dim, padded_positions(out, dim, before, after, mode))
        is_new = true
      end
    end
    return is_new and out or out:clone()
  end},

  slice = {"self:tensor dim:dim start?integer stop?integer step:integer", function(self, dim, start, stop, step)
    local n = self:size(dim)
    if step == 0 then fail("step", "is 0, expected another integer", nil, "argument", 0) end
    local function clamped(at, default)
      if not at then return default end
      return math.max(-1, math.min(at < 0 and at + n or at, n - 1))
    end
    start, stop = clamped(start, n - 1), clamped(stop, -1)
    if start <= stop then return self:narrow(dim, 0, 0):clone() end
    return self:index_select(dim, strew.arange(start, stop, step, {device = self.device}))
  end},

  tile = {"self:tensor dims*", function(self, dims)
    if not dims then fail("dims", "is missing, expected counts") end
    local counts = {table.unpack(dims)}
    for _ = 1, self:dim() - #dims do table.insert(counts, 1, 1) end
    return errors.own("repeats", "dims", nil, strew["repeat"], self, counts)
  end},

  repeat_interleave = {"self:tensor repeats?operand dim?dim output_size=integer",
    function(self, repeats, dim, output_size)
      local out
      if repeats == nil then
        if dim then fail("dim", "is given without 'repeats'") end
        operands.check_rank(self, "self", 1, 1, "1")
        local places = strew.arange(self:numel(), {device = self.device})
        out = errors.own("repeats", "self", nil, inner.repeat_interleave, places, self, 0)
      else
        local line = (dim or self:dim() == 1) and self or self:reshape(-1)
        out = inner.repeat_interleave(line, repeats, dim or 0)
      end
      if output_size and output_size ~= out:size(dim or 0) then
        fail("output_size", format("is %d, the repeats add up to %d", output_size, out:size(dim or 0)), nil, "shape")
      end
      return out
    end},

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
