-- cells.lua: values of Lua as the elements of a tensor: words, numbers, booleans and times, of which some are missing.
local strew, fail, use = ...
local operands, errors = use "operands.lua", use "errors.lua"
local cells = {}

-- What messages call a value of a kind.
cells.KINDS = {number = "a number", boolean = "a boolean", string = "a word", time = "a time"}

-- Returns a value, a time as microseconds, and its kind, a key of KINDS; nil: it is missing, or it is no such value and
-- true follows.
function cells.read(value)
  if value == nil or value == strew.null then return nil end
  local kind, one = type(value), value
  if cells.KINDS[kind] then return one, kind end
  if operands.is_tensor(value) and value:numel() == 1 then
    local is_time = value.dtype == "time"
    one = (is_time and value:to "int64" or value):item()
    return one, is_time and "time" or type(one)
  end
  return nil, nil, true
end

-- Returns numbers and booleans as a tensor, of the widest floats if one has a fraction or is missing.
local function numbers_of(values, count, device, is_whole, argument, where)
  for k = 1, is_whole and 0 or count do
    local value = values[k]
    if math.type(value) == "integer" and math.tointeger(value + 0.0) ~= value then
      fail(argument, format("has %d %s, which float64 cannot hold: the dtype of integers among which some are missing "
        .. "or have a fraction", value, where(k)), nil, "value", value)
    end
    if type(value) == "boolean" then value = value and 1 or 0 end
    if value == nil then value = 0 / 0 end
    values[k] = value
  end
  local dtype = not is_whole and operands.widest(strew.zeros(0, {device = device})) or nil
  return strew.tensor(values, {dtype = dtype, device = device})
end

-- Returns values of a kind as a tensor: nil where they are missing, which `has_gaps` says. where(k): the place of value
-- k in a message about the script's argument.
function cells.column(values, count, kind, has_gaps, device, argument, where)
  if kind == "number" or kind == "boolean" then
    local is_whole = not has_gaps
    for k = 1, kind == "number" and count or 0 do is_whole = is_whole and math.type(values[k]) == "integer" end
    return numbers_of(values, count, device, is_whole, argument, where)
  end
  for k = 1, has_gaps and count or 0 do
    if values[k] == nil then values[k] = kind == "time" and math.mininteger or "" end
  end
  if kind == "time" then return strew.tensor(values, {dtype = "int64", device = device}):to "time" end
  return errors.own("x", argument, nil, strew.tensor, values, {device = device})
end

return cells
