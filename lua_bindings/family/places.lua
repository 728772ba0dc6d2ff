-- places.lua: errors. Those of other operations become those of the script's call; hints of the library, which are in
-- C, become a script's.
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

-- Hints: words of the library, and those of scripts in their place. The rules of places.hint do the rest.
local phrases = {
  {"*out NULL makes a new tensor", "without the underscore the result is a new tensor"},
  {"strew_where(condition, t, b) chooses from t",
   "strew.where(condition, t, b) chooses from t, where t:where(a, b) takes t as the condition"},
  {"strew_to restores bfloat16", ':to("bfloat16") restores it'},
  {"strew_save_table of a table without words saves the codes", "{words = {}} saves the codes without them"},
  {"strew_to and strew_copy take a tensor of another context",
   'strew_to and strew_copy take a tensor of another context; in a script x:to("cpu") copies x into its own'},
  {"strew_load reads", "strew.load reads"},
  {"strew_image(x)", "strew.image(x)"},
  {"strew_get_rows(self, index)", "self[index]"},
  {"strew_group(", "strew.scatter("},
  {", sizes of src)", ", src)"},
}

local names = {expand = "expand_as"}

-- strew_add(a, b): a:add(b). An operation of strew_unary or strew_binary is the first argument.
local function method(name, list)
  list = list:sub(2, -2):gsub("strew_(%l[%l_]*)(%b())", method)
  local operation, rest = list:match "^STREW_(%u+), (.+)$"
  if operation then name, list = operation:lower(), rest end
  local self, others = list:match "^(.-), (.+)$"
  if name == "to" then others = '"' .. others .. '"' end
  return (self or list) .. ":" .. (names[name] or name) .. "(" .. (others or "") .. ")"
end

local function word(name) return '"' .. name:lower() .. '"' end

local function replace(text, from, to)
  local first, last = text:find(from, 1, true)
  return first and text:sub(1, first - 1) .. to .. text:sub(last + 1) or text
end

-- Returns a hint of the library as a script's: 'self:to("float32")' for "strew_to(self, float32)",
-- '{dtype = "float64"}' for "{.dtype = STREW_FLOAT64}".
function places.hint(hint)
  for _, phrase in ipairs(phrases) do hint = replace(hint, phrase[1], phrase[2]) end
  hint = hint:gsub("strew_(%l[%l_]*)(%b())", method)
  hint = hint:gsub("([{ ])%.(%l[%l_]* = )", "%1%2")
  return (hint:gsub("STREW_(%u+%d*)%f[^%w_]", word))
end

return places
