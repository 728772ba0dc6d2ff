-- errors.lua: errors. Those of other operations become those of the script's call.
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

-- "a, b or c"
function errors.listed(words)
  local last = #words
  local list = {}
  for k, word in ipairs(words) do list[k] = tostring(word) end
  return last == 1 and list[1] or table.concat(list, ", ", 1, last - 1) .. " or " .. list[last]
end

-- Raises an error unless a script's option is one of the words, of which the last may be false. meant: the word that it
-- has elsewhere; nil: none.
function errors.check_word(name, value, words, meant)
  for _, word in ipairs(words) do
    if value == word then return end
  end
  fail(name, format("is %s, expected %s", inner.text(value), errors.listed(words)), errors.meant(meant or value, words))
end

local function owned(from, to, reword, is_done, ...)
  if is_done then return ... end
  local found, message = last_error(), ...
  local is_found = found and found.arg and (not from or found.arg == from) and type(message) == "string" and
                   string.sub(message, -#found.message) == found.message
  if not is_found then error(message, 0) end
  local fact, hint = inner.raised()
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

return errors
