-- words.lua: groups, writing and conversion of text. The library moves, compares and sorts text; groups here have int32
-- codes of a sorted list, which compare as the words' bytes do.
local strew, fail, use, inner = ...
local operands, errors, times = use "operands.lua", use "errors.lua", use "times.lua"
local words = {}

function words.is(x) return operands.is_tensor(x) and x.dtype == "text" end
local is_text = words.is

-- Returns the text with a sorted list of words: its codes are its order.
function words.ordered(t) return inner.sorted(t) end

-- Returns codes of a text's words as text.
function words.of(codes, like) return inner.make_text(codes, like) end
local of = words.of

local of_a_word <const> = 'a word is a string: "Oslo"' -- a hint

-- Returns a script's operand, a text or a string, as a text beside another one.
local function text(x, name, like)
  if is_text(x) then return x end
  if type(x) == "string" then return strew.tensor(x, {device = like.device}) end
  local is = operands.is_tensor(x) and x.dtype or inner.text(x)
  local hint = "strew.text(x) writes numbers as words"
  if is == "time" then -- its text differs from other texts of the same time
    hint = (name == "self" and "other" or name == "other" and "self" or "x") .. ':to("time") reads text as times'
  end
  fail(name, format("is %s, expected text or a string", is), operands.is_tensor(x) and hint or of_a_word, "dtype")
end

words.operand = text

-- Returns codes with -1 as text, in which those are empty words.
local function with_gaps(codes, like)
  local gaps = codes:lt(0)
  if not gaps:any():item() then return of(codes, like) end
  local code = inner.word_code(like, "")
  if code < 0 then
    like = strew.cat{like:reshape(-1):narrow(0, 0, 0), strew.tensor({""}, {device = like.device})}
    code = inner.word_code(like, "")
  end
  return of(codes:masked_fill(gaps, code), like)
end

-- Returns floats that are codes as text, NaN as empty words.
local function of_floats(codes, like) return with_gaps(operands.as(codes:nan_to_num(-1), "int64"), like) end

-------------------------------------------------------------------------------------------------------------- order

-- Returns a text's places in order as floats, and a function that makes those of a result words. If it skips, empty
-- words are NaN.
function words.numbered(t, skips)
  local like = words.ordered(t)
  local codes = operands.floats(like:codes())
  if skips then codes = codes:masked_fill(t:eq(""), 0 / 0) end
  return codes, function(out) return of_floats(out, like) end
end

------------------------------------------------------------------------------------------------------ word by word

-- Raises an error that names the first element that is the word of that number.
local function fail_word(t, numbers, k, fact, hint, argument)
  local at = numbers:eq(k - 1):nonzero()[0]:tolist()
  local word = t:get(at)
  local place = #at > 0 and " at " .. operands.text(at) or ""
  fail(argument or "self", format("has %s%s, %s", inner.text(word), place, fact), hint, "value", word, at)
end

-- Returns a text of the words that a text has in order of their first elements, so that errors name the first one, and
-- of each element their number.
local function first_used(t)
  local g = strew.group_by(t:codes():reshape(-1), {order = "first"})
  return of(g.keys[1], t), g.ids:reshape(t.shape)
end

-- Returns the same words as a sequence.
local function used_in_order(t)
  local list, numbers = first_used(t)
  return list:tolist(), numbers
end

words.used_in_order = used_in_order

-- From so many elements on a look at the first of them, and maybe a count of all codes, are faster than a grouping.
local MANY <const>, AHEAD <const> = 1 << 18, 1 << 16

-- Returns the first elements of a long text if they have all of its words, else nil.
local function first_part(t, codes, count)
  if #codes < MANY or count > AHEAD then return nil end
  local part = codes:narrow(0, 0, AHEAD)
  local n = strew.group_by(part, {order = "first"}).n
  local has_all = n == count or n == codes:bincount{minlength = count}:ne(0):sum():item()
  return has_all and of(part, t) or nil
end

-- Returns a text of the words that a text has, in order of their first elements, and a function that spreads a row for
-- each of them over the elements.
function words.different(t)
  local codes, count = t:codes():reshape(-1), inner.word_count(t)
  local part = first_part(t, codes, count)
  local list, numbers = first_used(part or t)
  if not part then return list, function(rows) return rows[numbers] end end
  local at = strew.zeros(count, {dtype = "int64", device = t.device}):scatter_(0, part:codes():to "int64", numbers)
  return list, function(rows)
    return rows[at]:index_select(0, codes):reshape(t.shape) -- of a word that no element has any row
  end
end

-- Returns make(words)[number of each element's word]; errors of an entry of the words are those of an element.
local function by_word(self, make)
  local list, numbers = used_in_order(self)
  local function reword(fact, hint, found)
    local rule = string.match(fact, '^has .*", (.-), at x%[%d+%]$') or string.match(fact, " at x%[%d+%], (.*)$")
    if rule == "expected a time" then rule = "which is no time" end
    fail_word(self, numbers, found.pos[1] + 1, rule, hint)
  end
  return errors.own("x", "self", reword, make, list, numbers)[numbers]
end

-- Returns the times of words.
local function times_of(self, format)
  if format == nil then return self:to "time" end
  return by_word(self, function(list) return strew.time(list, format, {device = self.device}) end)
end

-- Times of text, and of numbers with a unit.
local function time(x, format, device)
  if is_text(x) then
    local t = errors.own("self", "x", nil, times_of, x, format)
    return device and t:to(device) or t
  end
  return times.counted(x, format, device) or inner.read_time(x, format, {device = device})
end

-- Returns a text's words as codes of a list; one that is not in it is an error.
local function codes_in(x, list, is_ordered)
  local like = inner.make_text(strew.zeros(0, {dtype = "int64", device = x.device}), list, is_ordered)
  local used, numbers = used_in_order(x)
  for k, word in ipairs(used) do
    local code = inner.word_code(like, word)
    if code < 0 and word == "" then -- missing ones come last
      like = strew.cat{like, strew.tensor({""}, {device = x.device})}:narrow(0, 0, 0)
      code = inner.word_code(like, word)
    elseif code < 0 then
      fail_word(x, numbers, k, "which is not in 'words'", errors.meant(word, list), "x")
    end
    used[k] = code
  end
  local codes = strew.tensor(used, {dtype = "int64", device = x.device})
  return of(#used > 0 and codes[numbers] or numbers, like)
end

-- Returns codes, words or numbers as text.
local function make(x, list, is_ordered)
  if not operands.is_tensor(x) then
    local given = x
    x = strew.tensor(x, list ~= nil and type(x) == "table" and x[1] == nil and {dtype = "int64"} or nil)
    if list == nil and x.dtype == "float32" then -- with all digits of a script's numbers
      return strew.tensor(given, {dtype = "float64", device = "cpu"}):to "text":to(x.device)
    end
  end
  if list == nil and is_ordered then
    fail("words", "is missing, expected the words in their order",
      'strew.text(x, {words = {"low", "high"}, ordered = true})')
  end
  if list == nil then return x:to "text" end
  if is_text(list) and (is_ordered or is_text(x)) then list = list.words end
  if is_text(x) and type(list) == "table" then return codes_in(x, list, is_ordered) end
  if type(list) ~= "table" and not is_text(list) then
    fail("words", format("is %s, expected a sequence of strings, or a text", inner.text(list)))
  end
  return inner.make_text(x, list, is_ordered)
end

-- An operation of the words: of each element, or of each word once.
local function by_words(name)
  return function(t, ...)
    local count = inner.word_count(text(t, "t", t))
    if t:numel() <= count then return inner["word_" .. name](t, ...) end
    local results = inner["word_" .. name](of(strew.arange(count, {dtype = "int32", device = t.device}), t), ...)
    if is_text(results) then return results:index_select(0, t:codes():reshape(-1)):reshape(t.shape) end
    return results:take(t:codes())
  end
end

-- Words are numbered as they are first used, as what scripts make of them.
local function trim(t)
  local list, spread = words.different(text(t, "self", t))
  return #list == 0 and t:clone() or spread(inner.word_trim(list))
end

words.time = {"x:any format?word device=device", time}
words.trim = {"t:tensor", trim}
words.text = {"x:any words?several ordered=boolean", make}
for name in string.gmatch("contains starts_with ends_with", "[%a_]+") do
  words[name] = {"t:tensor word:word", by_words(name)}
end
for name in string.gmatch("upper lower length", "%a+") do words[name] = {"t:tensor", by_words(name)} end
return words
