-- Results depend on the elements and shapes of the operands, not on their strides: sums, too, add in an order that the
-- shape alone determines.
-- devices: no, each random dtype and layout would compile kernels; the digest calls every operation there.
local strew = require "strew"
local drawn = dofile "tests/calls.lua"
local loops = dofile "tests/spec/loops.lua"
local support = dofile "tests/spec/support.lua"

-- For slow tools one call of each operation.
local most = support.runs_all and 3 or 1

-- These read the strides, or need certain ones.
local reads_strides = {view = true, as_strided = true}

-- The arguments with every tensor in another layout, those in tables included.
local function relaid(value, make)
  if strew.type(value) then return make(value) end
  if type(value) ~= "table" or getmetatable(value) then return value end -- a draw has a metatable
  local copy = {}
  for key, part in pairs(value) do copy[key] = relaid(part, make) end
  return copy
end

local layouts = {
  dense = function(t) return t:clone() end,
  permuted = function(t) return t:dim() > 1 and t:transpose(0, -1):clone():transpose(0, -1) or t end,
  strided = function(t) return strew.stack({t, t, t}, -1):select(-1, 1) end,
  reversed = function(t)
    local dims = {}
    for d = 0, t:dim() - 1 do dims[d + 1] = t:dim() - 1 - d end
    return t:dim() > 1 and t:permute(dims):clone():permute(dims) or t
  end,
  padded = function(t)
    if t:dim() == 0 then return t end
    return strew.cat({t, t}, -1):narrow(-1, 0, t:size(-1))
  end,
}

local function result(call, arguments)
  strew.manual_seed(3)
  return drawn.hash(drawn.no_value, {call.f(table.unpack(arguments, 1, call.n))})
end

-- Calls an operation with its operands in each layout; `expands`: each operand's first element, expanded to its shape.
local function compare(name, k, is_large, expands)
  local device = strew.zeros(1).device
  if drawn.draw(name, k, device, is_large, false).is_double and support.lacks_float64 then return end
  local call = drawn.draw(name, k, device, is_large)
  if expands then
    for i = 1, call.n do
      call[i] = relaid(call[i], function(t) return t:as_strided({}, {}):expand(t.shape) end)
    end
  end
  local expected = result(call, call)
  for layout, make in pairs(layouts) do
    assert.equal(expected, result(call, relaid(call, make)), ("%s, call %d, %s"):format(name, k, layout))
  end
end

describe("results depend on shapes and elements alone", function()
  it("of every operation", function()
    for _, name in ipairs(drawn.names) do
      for k = 1, reads_strides[name] and 0 or most do compare(name, k) end
    end
  end)

  it("of sums and products, large ones and expanded ones too", function()
    local function compare_all()
      for name in ("sum mean var std norm dot mv mm matmul cumsum logsumexp softmax prod"):gmatch "%S+" do
        compare(name, 1, true)
        compare(name, 1, true, true)
      end
    end
    if most > 1 then loops.on_threads(compare_all) else compare_all() end
  end)
end)
