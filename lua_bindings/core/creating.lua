-- creating.lua: tensors like another one, grids, powers of a base, and the positions of triangles.
local strew, fail, use = ...
local operands, errors = use "operands.lua", use "errors.lua"

-- An operation that calls strew[name] with self's shape, dtype and device.
local function like(name)
  return {"self:tensor dtype=dtype device=device", function(self, dtype, device)
    return strew[name](self.shape, {dtype = dtype or self.dtype, device = device or self.device})
  end}
end

-- The positions of a triangle of a matrix, which the method `part` keeps, as two rows.
local function triangle(part)
  return {"n:integer m?integer offset?integer dtype=dtype device=device", function(n, m, offset, dtype, device)
    m = m or n
    if n < 0 then fail("n", format("is %d, expected 0 or more", n), nil, "shape") end
    if m < 0 then fail("m", format("is %d, expected 0 or more", m), nil, "shape") end
    local kept = strew[part](strew.ones(n, m, {dtype = "bool", device = device}), offset)
    local positions = kept:nonzero():t():contiguous()
    return dtype and positions:to(dtype) or positions
  end}
end

local function is_float(dtype) return not dtype or string.find(dtype, "float", 1, true) ~= nil end

-- Returns numbers on the CPU as integers without fractions; if these do not hold all, it is an error.
local function as_integers(t, dtype)
  local function reword(fact, hint) return errors.replace(fact, "is ", "gives "), hint end
  for _, extreme in ipairs(t.dtype ~= dtype and t:numel() > 0 and {t:amin(), t:amax()} or {}) do
    local name, value = extreme:equal(t:select(0, 0)) and "start" or "stop", extreme:trunc():item()
    errors.own("value", name, reword, strew.full, {}, value, {dtype = dtype, device = "cpu"})
  end
  return t:to(dtype)
end

return {
  zeros_like = like "zeros",
  ones_like = like "ones",
  empty_like = like "empty",
  rand_like = like "rand",
  randn_like = like "randn",

  full_like = {"self:tensor value:element dtype=dtype device=device", function(self, value, dtype, device)
    return strew.full(self.shape, value, {dtype = dtype or self.dtype, device = device or self.device})
  end},

  eye = {"n:integer m?integer k=integer dtype=dtype device=device", function(n, m, k, dtype, device)
    local out = strew.eye(n, m or n, {dtype = dtype, device = device})
    if k == 0 then return out end
    out:zero_()
    out:diagonal(k):fill_(1)
    return out
  end},

  linspace = {"start:number stop:number steps:integer dtype=dtype device=device endpoint=boolean",
    function(start, stop, steps, dtype, device, endpoint)
      local options <const> = {dtype = dtype, device = device}
      if endpoint ~= false or steps < 0 or steps == math.maxinteger then
        return strew.linspace(start, stop, steps, options)
      end
      strew.linspace(start, start, 0, options) -- checks dtype and device
      if is_float(dtype) then return strew.linspace(start, stop, steps + 1, options):narrow(0, 0, steps):clone() end
      local own = not (math.tointeger(start) and math.tointeger(stop)) and "float64" or dtype == "uint64" and dtype
        or "int64"
      local all = strew.linspace(start, stop, steps + 1, {dtype = own, device = "cpu"})
      return as_integers(all:narrow(0, 0, steps):contiguous(), dtype):clone():to(device or strew.zeros(0).device)
    end},

  logspace = {"start:number stop:number steps:integer base?number dtype=dtype device=device",
    function(start, stop, steps, base, dtype, device)
      strew.linspace(0, 0, 0, {dtype = dtype, device = device}) -- checks them
      local powers = strew.linspace(start, stop, steps, {dtype = "float64", device = "cpu"})
      local made, whole = strew.pow(base or 10, powers), math.tointeger(base or 10)
      made = is_float(dtype) and made:to(dtype or "float32") or as_integers(made, dtype)
      if not is_float(dtype) and whole and (whole >= 0 or dtype ~= "uint64") then
        local wide <const> = {dtype = dtype == "uint64" and dtype or "int64", device = "cpu"}
        local is_exact = powers:ge(0) & powers:eq(powers:floor())
        local exact = strew.tensor({whole}, wide) ^ powers:masked_fill(~is_exact, 0):to(wide.dtype)
        made = strew.where(is_exact, exact:to(dtype), made)
      end
      return made:to(device or strew.zeros(0).device)
    end},

  meshgrid = {"tensors:sequence indexing=word", function(tensors, indexing)
    tensors = operands.tensors(tensors, "tensors")
    if indexing and indexing ~= "ij" and indexing ~= "xy" then
      fail("indexing", format('is "%s", expected "ij" or "xy"', indexing))
    end
    local sizes, grids = {}, {}
    for i, t in ipairs(tensors) do
      if t:dim() > 1 then
        fail("tensors", format("has %d dimensions at [%d], expected 0 or 1", t:dim(), i), nil, "shape")
      end
      sizes[i] = t:numel()
    end
    for i, t in ipairs(tensors) do
      local line = {}
      for d = 1, #sizes do line[d] = d == i and sizes[d] or 1 end
      grids[i] = t:reshape(line):expand(sizes)
      if indexing == "xy" and #sizes > 1 then grids[i] = grids[i]:transpose(0, 1) end
    end
    return table.unpack(grids)
  end},

  tril_indices = triangle "tril",
  triu_indices = triangle "triu",
}
