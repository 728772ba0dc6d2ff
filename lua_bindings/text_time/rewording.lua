-- rewording.lua: what scripts make of words: each different word of a text once.
local strew, fail, use, inner = ...
local operands, errors, words, cells = use "operands.lua", use "errors.lua", use "words.lua", use "cells.lua"
local rewording = {}

-- Returns make(words), a text of as many, made of each word once.
local function made_of(t, make, ...)
  local list, spread = words.different(t)
  return #list == 0 and t:clone() or spread(make(list, ...))
end

-- Replaces words by f(word), nil: missing.
local function each(list, f)
  for k, word in ipairs(list) do list[k] = f(word) or "" end
end

-- Returns text of f(word); is_done(pcall(...)) raises its errors.
local function reworded(t, f, is_done)
  local list, spread = words.different(t)
  if #list == 0 then return t:clone() end
  list = list:tolist()
  if is_done then is_done(pcall(each, list, f)) else each(list, f) end
  return spread(errors.own("x", "self", nil, strew.tensor, list, {device = t.device}))
end

------------------------------------------------------------------------------------------------------ a script's map

-- Returns what f, a function or a table, has for a word, and its kind; nil: it is missing.
local function result_of(f, word)
  local value
  if type(f) == "function" then value = inner.call_script(f, word) else value = f[word] end
  local one, kind, is_other = cells.read(value)
  if is_other then
    fail("f", format("gives %s for %s, expected a word, number, boolean, time or nil", inner.text(value),
      inner.text(word)))
  end
  return one, kind
end

local function map(t, f)
  if not words.is(t) then
    fail("self", format("is %s, expected text", t.dtype),
      "operators and calls take all elements at once: t * 2, t:exp()", "dtype")
  end
  if type(f) ~= "function" and type(f) ~= "table" then
    fail("f", format("is %s, expected a function or a table of words", inner.text(f)))
  end
  local device, list, spread = t.device, words.different(t)
  if #list == 0 then return t:clone() end
  list = list:tolist()
  local values, kind, has_gaps, first = {}, nil, false, nil
  for k, word in ipairs(list) do
    local value, own = result_of(f, word)
    values[k], has_gaps = value, has_gaps or own == nil
    if own and kind and own ~= kind then
      fail("f", format("gives %s for %s and %s for %s, expected one kind", cells.KINDS[kind], inner.text(first),
        cells.KINDS[own], inner.text(word)), nil, "dtype")
    end
    if own and not kind then kind, first = own, word end
  end
  local function where(k) return "for " .. inner.text(list[k]) end
  return spread(cells.column(values, #list, kind or "string", has_gaps, device, "f", where))
end

------------------------------------------------------------------------------------------------------------ patterns

-- Returns the results of a function of strings, or raises its error as one of a pattern or replacement.
local function checked(name, text, is_done, ...)
  if is_done then return ... end
  local message = tostring((...))
  local fact = string.match(message, "^.-:%d+: (.*)$") or message
  if not (string.find(fact, "pattern", 1, true) or string.find(fact, "capture", 1, true)
      or string.find(fact, "replacement", 1, true)) then
    error((...), 0)
  end
  fail(name, format("is %s: %s", inner.text(text), fact))
end

-- Returns t with other elements in place of whole ones: `changes` has them by the old ones; name: of the new ones.
local function exchanged(t, changes, name)
  local out = not words.is(t) and t:clone()
  for old, new in next, changes do
    local is_none = new == strew.null
    if words.is(t) and (type(old) ~= "string" or not is_none and type(new) ~= "string") then
      fail("a", format("has %s for %s, expected words", inner.text(new), inner.text(old)),
        type(old) == "string" and "t:map{word = 1} makes numbers of words" or nil, "dtype")
    elseif out then
      if is_none and not operands.is_float(t) and t.dtype ~= "time" then
        fail(name, format("has strew.null, and t is %s, which has no missing elements", t.dtype),
          format("t:to(%q)", operands.widest(t)), "dtype")
      end
      if is_none then new = t.dtype == "time" and "NaT" or 0 / 0 end
      local is_old = errors.own("other", "a", nil, strew.eq, t, old)
      out = errors.own("value", name, nil, strew.masked_fill, out, is_old, new)
    end
  end
  return out or reworded(t, function(word)
    local new = changes[word]
    if new == nil then return word end
    return new ~= strew.null and new
  end)
end

-- Returns what a script wants in place of whole elements, by these; nil: a pattern.
local function changes_of(t, a, b)
  if type(a) ~= "table" and words.is(t) then return nil end
  if b == nil and type(a) == "table" then return a end
  if b == nil then fail("b", "is missing, expected what stands in place of a") end
  local changes = {}
  for _, old in ipairs(type(a) == "table" and a or {a}) do
    if old ~= old then fail("a", "has nan, which equals nothing: fillna fills missing elements", nil, "value") end
    changes[old] = b
  end
  return changes
end

local function replace(t, a, b, plain)
  local changes = changes_of(t, a, b)
  if changes then return exchanged(t, changes, b == nil and "a" or "b") end
  for k, name in ipairs{"a", "b"} do
    local value = select(k, a, b)
    if type(value) ~= "string" then fail(name, format("is %s, expected a string", inner.text(value))) end
  end
  if a ~= "" and not string.find(a .. b, "\0", 1, true)
      and (plain or not (string.find(a, "[%^%$%*%+%?%.%(%)%[%%%-]") or string.find(b, "%", 1, true))) then
    return made_of(t, inner.word_replace, a, b)
  elseif plain then
    a, b = string.gsub(a, "%p", "%%%0"), string.gsub(b, "%%", "%%%%")
  end
  local last
  return reworded(t, function(word)
    last = word
    return (string.gsub(word, a, b))
  end, function(is_done, ...)
    if not is_done then checked("a", a, pcall(string.find, last, a)) end
    checked("b", b, is_done, ...)
  end)
end

local function match(t, pattern)
  words.operand(t, "self", t)
  return reworded(t, function(word)
    local found = string.match(word, pattern)
    return found and found .. "" -- a position is a number
  end, function(...) checked("pattern", pattern, ...) end)
end

--------------------------------------------------------------------------------------------------------------- parts

local function sub(self, i, j)
  return made_of(self, inner.word_sub, i, j or -1)
end

-- Returns the parts of a word at separators.
function rewording.parts_of(word, separator)
  local parts, from = {}, 1
  while true do
    local at, to = string.find(word, separator, from, true)
    parts[#parts + 1] = string.sub(word, from, at and at - 1)
    if not at then return parts end
    from = to + 1
  end
end

local function split(self, separator, k)
  if separator == "" then fail("separator", "is the empty word") end
  if math.type(k) ~= "integer" then
    fail("k", format("is %s, expected the number of a part, from 0 on; -1 is the last", inner.text(k)))
  end
  return made_of(self, inner.word_split, separator, k)
end

-- Each different pair of words once: pairs are numbers.
local function join_words(a, b, separator)
  local like = operands.is_tensor(a) and a or b
  if not operands.is_tensor(like) then fail("a", format("is %s, expected text", inner.text(a)), nil, "dtype") end
  a, b, separator = words.operand(a, "a", like), words.operand(b, "b", like), separator or ""
  operands.check_device(a, b, "b")
  local n = math.max(inner.word_count(b), 1)
  local pairs_of = a:codes():to "int64" * n + b:codes()
  if pairs_of:numel() == 0 then return strew.text(pairs_of, {""}) end
  local g = strew.group_by(pairs_of:reshape(-1), {order = "first"})
  local first, second = words.of(g.keys[1] // n, a), words.of(g.keys[1] % n, b)
  return inner.word_join(first, second, separator)[g.ids:reshape(pairs_of.shape)]
end

rewording.sub = {"self:tensor i:integer j?integer", sub}
rewording.split = {"self:tensor separator:word k?any", split}
rewording.map = {"self:tensor f:any", map}
rewording.replace = {"t:tensor a:any b?any plain=boolean", replace}
rewording.match = {"t:tensor pattern:word", match}
rewording.join_words = {"a:any b:any separator?word", join_words}
return rewording
