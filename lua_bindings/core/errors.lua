-- errors.lua: errors. Those of other operations become those of the script's call; hints of the library, which are in
-- C, become a script's.
local strew, fail, _, inner = ...
local last_error = strew.last_error
local errors = {}

local function replace(text, from, to)
  local first, last = string.find(text, from, 1, true)
  return first and string.sub(text, 1, first - 1) .. to .. string.sub(text, last + 1) or text
end
errors.replace = replace

-- Returns the hint for a name that may be a misspelling of one of the names, or nil; and that name.
function errors.meant(name, names)
  local nearest = type(name) == "string" and inner.nearest(name, names)
  return nearest and format("did you mean '%s'?", nearest) or nil, nearest
end

local function owned(from, to, reword, is_done, ...)
  if is_done then return ... end
  local found, message = last_error(), ...
  local is_found = found and found.arg and (not from or found.arg == from) and type(message) == "string" and
                   string.sub(message, -#found.message) == found.message
  if not is_found then error(message, 0) end
  local fact, hint = string.match(found.message, "^[^\n]*", #found.op + #found.arg + 6), found.hint
  if reword then fact, hint = reword(fact, hint, found) end
  fail(from and to or found.arg, fact, hint and from and replace(hint, from, to) or hint, found.code, found.value,
    found.pos)
end

-- Calls f(...). An error in its argument `from` (nil: in any) becomes one of the script's argument `to`, with the
-- script's tensors. reword(fact, hint, found), if given, returns the fact and the hint.
function errors.own(from, to, reword, f, ...) return owned(from, to, reword, pcall(f, ...)) end

-- Raises an error if self, written in place, overlaps itself or shares elements with src, the argument of that name.
function errors.check_overlap(self, src)
  local nothing = strew.zeros(0, {dtype = "int64", device = self.device})
  errors.own(nil, nil, nil, strew.scatter_, self, 0, nothing, src)
end

-- Hints: words of the library, and those of scripts in their place. The rules of errors.hint do the rest.
local phrases = {
  {"strew_svd(self) takes", "self:pinv() and self:lstsq(other) take"},
  {"*out NULL makes a new tensor", "without the underscore the result is a new tensor"},
  {"strew_where(condition, t, b) chooses from t",
   "strew.where(condition, t, b) chooses from t, where t:where(a, b) takes t as the condition"},
  {"strew_to restores bfloat16", ':to("bfloat16") restores it'},
  {"strew_save_table of a table without words saves the codes", "{words = {}} saves the codes without them"},
  {"strew_to and strew_copy take a tensor of another context",
   'strew_to and strew_copy take a tensor of another context; in a script x:to("cpu") copies x into its own'},
  {"strew_table_from_arrow_stream takes their", "strew.from_arrow_stream takes their"},
  {"strew_load reads", "strew.load reads"},
  {"strew_time_parse reads a time from text", "a time is written as text: \"2024-05-17\""},
  {"strew_text_from makes text, strew_copy writes it", 'a word is a string: "Oslo"'},
  {"strew_text makes text of codes and words: those of self without what is no number",
   'w = self.words; for i = 1, #w do w[i] = string.gsub(w[i], "[^%d.-]", "") end; self = strew.text(self:codes(), w)'},
  {"strew_text makes text of codes and words", "strew.text makes text of codes and words"},
  {"strew_image(x)", "strew.image(x)"},
  {"strew_get_rows(self, index)", "self[index]"},
  {"strew_group_reduce(index, src, ", "strew.scatter(src, index, "},
  {"strew_take_with(", "strew_take("},
  {", sizes of src)", ", src)"},
}

local names = {expand = "expand_as"}

-- strew_add(a, b): a:add(b). An operation of strew_unary or strew_binary is the first argument.
local function method(name, list)
  list = string.gsub(string.sub(list, 2, -2), "strew_(%l[%l_]*)(%b())", method)
  local operation, rest = string.match(list, "^STREW_(%u+), (.+)$")
  if operation then name, list = string.lower(operation), rest end
  local self, others = string.match(list, "^(.-), (.+)$")
  if name == "to" then others = '"' .. others .. '"' end
  return (self or list) .. ":" .. (names[name] or name) .. "(" .. (others or "") .. ")"
end

local function word(name) return '"' .. string.lower(name) .. '"' end

local KEYWORDS <const> = [[ and break do else elseif end false for function goto if in local nil not or repeat return
then true until while ]]

-- Returns the text of a string as a key of a table.
function errors.key(name)
  local is_name = string.find(name, "^[%a_][%w_]*$") and not string.find(KEYWORDS, "%s" .. name .. "%s")
  return is_name and name or format("[%q]", name)
end

-- '.dates = {day = "%d.%m.%Y"}' for '.dates = {"day"}, .date_formats = {"%d.%m.%Y"}'.
local function format_of(column, dates)
  return format(".dates = {%s = %s}", errors.key(string.match(column, '^"(.*)"$') or column), dates)
end

-- '{unit = {price = "$"}}' for '{.lists.rules = {{"price", .unit = "$"}}}'.
local function unit_of(column, unit)
  local name = string.match(column, '^"(.*)"$')
  return format(".unit = {%s = %s}", name and errors.key(name) or "[" .. column .. "]", unit)
end

-- 'x.day' for 'x["day"]'.
local function field_of(name)
  local key = errors.key(name)
  return key == name and "x." .. name or nil
end

-- Returns a hint of the library as a script's: 'self:to("float32")' for "strew_to(self, float32)",
-- '{dtype = "float64"}' for "{.dtype = STREW_FLOAT64}".
function errors.hint(hint)
  for _, phrase in ipairs(phrases) do hint = replace(hint, phrase[1], phrase[2]) end
  hint = string.gsub(hint, "strew_(%l[%l_]*)(%b())", method)
  hint = string.gsub(hint, "%.dates = {(.-)}, %.date_formats = {(.-)}", format_of)
  hint = string.gsub(hint, "%.lists%.rules = {{(.-), %.unit = (\".-\")}}", unit_of)
  hint = string.gsub(hint, 'x%[%"(.-)%"%]', field_of)
  hint = string.gsub(hint, "([{ ])%.(%l[%l_]* = )", "%1%2")
  return (string.gsub(hint, "STREW_(%u+%d*)%f[^%w_]", word))
end

return errors
