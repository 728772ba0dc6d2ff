-- places.lua: calls of other operations, whose errors become those of the script's call.
local strew, fail, use = ...
local operands = use "operands.lua"
local last_error = strew.last_error
local places = {}

local is_of_arguments = {argument = true, shape = true, dtype = true, index = true, value = true, overlap = true,
                         device = true}

-- Calls f. An error in its arguments becomes one of the script's call: `names` maps the names of f's arguments to the
-- script's. where(position, hint) returns the value's position in the script's argument, and optionally what the index
-- addresses ("dim 1 of self") and another hint (false: none).
function places.call(names, where, f, ...)
  local ok, result = pcall(f, ...)
  if ok then return result end
  local found = last_error()
  local is_found = found and is_of_arguments[found.code] and type(result) == "string" and
                   result:sub(-#found.message) == found.message
  if not is_found then error(result, 0) end
  local fact, hint, position = found.message:match("^[^\n]*"):gsub("^[^:]*: ", "", 1), found.hint, found.pos
  if found.arg then fact = fact:gsub("^'[^']*' ", "", 1) end
  for old, new in pairs(names) do
    local word = "%f[%w_]" .. old .. "%f[^%w_]"
    fact, hint = fact:gsub(word, new), hint and hint:gsub(word, new)
  end
  if where then
    local target, other
    position, target, other = where(position, hint)
    if other ~= nil then hint = other or nil end
    local place = position and #position > 0 and " at " .. operands.text(position) or ""
    if position then fact = fact:gsub(" at %[[%d, ]*%]", place, 1) end
    if target then fact = fact:gsub("dim %d+ of self", target, 1) end
  end
  fail(names[found.arg] or found.arg, fact, hint, found.code, found.value, position)
end

-- Returns row-major position `number` in `sizes`.
function places.coordinates(number, sizes)
  local at = {}
  for d = #sizes, 1, -1 do at[d], number = number % sizes[d], number // sizes[d] end
  return at
end

-- Raises an error if self, written in place, overlaps itself or shares elements with src, the argument of that name.
function places.check_overlap(self, src)
  local nothing = strew.zeros(0, {dtype = "int64", device = self.device})
  places.call({}, nil, strew.scatter_, self, 0, nothing, src)
end

return places
