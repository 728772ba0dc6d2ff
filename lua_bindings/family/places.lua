-- places.lua: calls of other operations, whose errors become those of the script's call.
local strew, fail, use = ...
local operands = use "operands.lua"
local last_error = strew.last_error
local places = {}

local is_of_arguments = {argument = true, shape = true, dtype = true, index = true, value = true, overlap = true,
                         device = true}

-- Returns row-major position `number` in `sizes`.
function places.coordinates(number, sizes)
  local at = {}
  for d = #sizes, 1, -1 do at[d], number = number % sizes[d], number // sizes[d] end
  return at
end

-- Calls f. An error in its arguments, which have the names of the script's, lists the script's tensors. `sizes`: those
-- of the script's index, which f has got in one dimension.
function places.call(sizes, f, ...)
  local ok, result = pcall(f, ...)
  if ok then return result end
  local found = last_error()
  local is_found = found and is_of_arguments[found.code] and type(result) == "string" and
                   result:sub(-#found.message) == found.message
  if not is_found then error(result, 0) end
  local fact, position = found.message:match("^[^\n]*"):gsub("^[^:]*: ", "", 1), found.pos
  if found.arg then fact = fact:gsub("^'[^']*' ", "", 1) end
  if position and sizes then
    position = places.coordinates(position[1], sizes)
    fact = fact:gsub(" at %[[%d, ]*%]", " at " .. operands.text(position), 1)
  end
  fail(found.arg, fact, found.hint, found.code, found.value, position)
end

-- Raises an error if self, written in place, overlaps itself or shares elements with src, the argument of that name.
function places.check_overlap(self, src)
  local nothing = strew.zeros(0, {dtype = "int64", device = self.device})
  places.call(nil, strew.scatter_, self, 0, nothing, src)
end

return places
