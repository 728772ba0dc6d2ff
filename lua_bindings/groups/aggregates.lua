-- aggregates.lua: reductions of a grouping by words: what agg and pivot compute.
--
-- An entry is {name =, word =, src = or nil, options = {...}}. name: the argument that messages give it; is_line: src
-- is known to be a line of numbers that no call recorded.
local strew, fail, use, inner = ...
local errors, tables, operands = use "errors.lua", use "tables.lua", use "operands.lua"
local aggregates = {}

-- The words, the options of each, and those that share a walk over the ids: inner.aggregate.
local WORDS, KEYS, SHARED = {}, {}, {count = true}
local NO_OPTIONS = {src = true, index = true, dim = true, dim_size = true, mode = true, out = true, fill_index = true}
for i, row in ipairs(inner.reductions()) do
  local keys = {}
  for name in string.gmatch(row.parameters, "([%w_]+)[:?=]") do
    if not NO_OPTIONS[name] then table.insert(keys, name) end
  end
  table.sort(keys)
  WORDS[i], KEYS[row.word], SHARED[row.word] = row.word, keys, string.find(row.parameters, "out%?") or SHARED[row.word]
end

-- first and last in an order of one's own, and words that share no walk.
for _, word in ipairs{"first", "last"} do table.insert(KEYS[word], 1, "by") end
for _, word in ipairs{"mode", "skew"} do WORDS[#WORDS + 1], KEYS[word] = word, {"skip_nan"} end
-- Words of two columns: {"corr", a, b}, or {"corr", a, other = b}.
local PAIRS <const> = {corr = true, cov = true}
KEYS.corr, KEYS.cov = {"other", "skip_nan"}, {"correction", "other", "skip_nan"}

local shown, listed = inner.text, errors.listed

function aggregates.is_word(word) return KEYS[word] ~= nil end
function aggregates.is_pair(word) return PAIRS[word] end

-- What is wrong, for messages; of an entry of that name.
function aggregates.has(fact) return "has " .. fact end
function aggregates.is(fact) return "is " .. fact end
function aggregates.at_key(name)
  return function(fact) return format("has %s at key %s", fact, tables.quoted(name)) end
end

-- Raises an error unless word is one of a reduction. `where`: says what is wrong; `src`: what stands behind it.
-- takes_pairs: of two columns, too.
function aggregates.check_word(word, argument, where, src, takes_pairs)
  if PAIRS[word] and not takes_pairs then
    fail(argument, where(shown(word)) .. ", which reduces two columns, expected a reduction of one",
      format('g:agg{r = {%s, a, b}} reduces two columns', shown(word)))
  end
  if KEYS[word] or inner.is_combination(word) then return end
  local is_function = type(word) == "function"
  local hint = errors.meant(inner.hints().word(word), WORDS)
  if is_function then hint = "a reduction is a word, or one of your own: strew.reduction" end
  if KEYS[src] or type(word) == "string" and not string.find(word, "^[%a_][%w_]*$") then
    src = KEYS[src] and src or "sum"
    hint = format("the word comes first: {%s, %s}", shown(src), type(word) == "string" and shown(word) or "src")
  end
  local own = type(word) == "string" and string.match(word, "^nan(%l+)$")
  if KEYS[own] then
    hint = format("{%s, %s, skip_nan = true}", shown(own), type(src) == "string" and shown(src) or "src")
  end
  fail(argument, where(is_function and "a function" or shown(word)) .. ", expected " .. listed(WORDS), hint)
end

local function check_key(word, key, argument, where)
  for _, name in ipairs(KEYS[word] or {}) do
    if name == key then return end
  end
  if not KEYS[word] then
    fail(argument, where("an option " .. shown(key)) .. ", but a reduction of one's own takes none")
  end
  local hint = errors.meant(key, KEYS[word])
  fail(argument, where(format("an option %s of %s", shown(key), word)) .. ", expected " .. listed(KEYS[word]), hint)
end

-- Returns the options of an entry of a script. Its first `count` values are none.
function aggregates.options(entry, count, argument, where)
  local options, word = {}, rawget(entry, 1)
  for key, value in next, entry do
    if type(key) == "string" then
      check_key(word, key, argument, where)
      options[key] = value
    elseif math.type(key) ~= "integer" or key < 1 or key > count then
      fail(argument, where("key " .. shown(key)) .. format(", expected a word, %soptions by name",
        count > 1 and "a tensor and " or "and "))
    end
  end
  if word == "quantile" and type(options.q) ~= "number" then
    fail(argument, where(shown(options.q) .. " as q of a quantile") .. ", expected a number", '{"quantile", q = 0.5}')
  elseif options.correction ~= nil and (type(options.correction) ~= "number" or options.unbiased ~= nil) then
    local is_number = type(options.correction) == "number"
    fail(argument, is_number and where("unbiased and correction") .. ", expected one of them"
      or where("correction " .. shown(options.correction)) .. ", expected a number")
  end
  return options
end

-- Returns the names of the result's columns and what a script gives for them: in the order of a sequence of rows
-- {name, word, src, ...}, or of the alphabet. src: how messages call an operand; hints are of a table by name, and of a
-- sequence.
function aggregates.listed(what, src, hint, hint_of_sequence)
  local names, entries = tables.listed(what, "what", format("{name, reduction, %s}", src), hint, hint_of_sequence)
  if #names == 0 then fail("what", "is an empty table, expected reductions by name", hint) end
  for k, row in ipairs(rawlen(what) > 0 and entries or {}) do
    entries[k] = {}
    for field, value in next, row do
      local at = math.type(field) == "integer" and field - 1 or field
      if at ~= 0 then entries[k][at] = value end
    end
  end
  return names, entries
end

-- True if results of integers lie between these: they are floats (strew_grouping_aggregate_with).
function aggregates.is_between(word, options)
  local way = word == "quantile" and (options.interpolation or "linear")
  return word == "median" or (word == "var" or word == "std") and not options.dtype or way == "linear"
    or way == "midpoint"
end

local MOST_SHARED = 64

-- True if the word's reduction reads what is deferred.
function aggregates.reads(word) return SHARED[word] and word ~= "count" end

local function is_shared(entry)
  if entry.options.by then return false end
  if entry.is_line then return true end
  if not SHARED[entry.word] or entry.word == "count" and entry.src then return false end
  if strew.type(entry.src) == "tensor" and (entry.src.dtype == "time" or entry.src.dtype == "text") then
    return false
  end
  return not entry.src or not inner.is_recorded(entry.src) -- methods have gradients
end

-- The key of a group for messages, as " (city "Oslo", year 2020)".
local function key_of(g, group)
  local columns = tables.try(g.keys)
  if not columns then return "" end
  local texts = {}
  for i, name in ipairs(columns.names) do
    texts[i] = (type(name) == "string" and name .. " " or "") .. shown(columns.tensors[i][group])
  end
  return format(" (%s)", table.concat(texts, ", "))
end

-- Calls f(...). An error of src is one of the argument, and names the key of a group of g.
function aggregates.checked(argument, g, f, ...)
  return errors.own("src", argument, function(fact, hint, found)
    local group = "in group " .. inner.text(found.value)
    if string.find(fact, group, 1, true) then fact = errors.replace(fact, group, group .. key_of(g, found.value)) end
    if argument ~= "src" and hint and string.find(hint, "^strew_%l+%(src") then -- the script has no src
      local dtype = string.match(hint, "^strew_to%(src, (%w+)%)")
      hint = dtype and format('strew.assign(x, {v = "%s(v)"}) converts a column v of x', dtype) or nil
    end
    return fact, hint
  end, f, ...)
end

-- The element of each group that is first (last) in the order of `by`; missing ones of that count as the last (first).
local function by_order(g, entry)
  local is_last, starts = entry.word == "last", g:starts()
  local order = g:argsort(entry.options.by, {nulls = is_last and "first" or "last"})
  local at = is_last and starts:narrow(0, 1, g.n) - 1 or starts:narrow(0, 0, g.n)
  local positions = order:index_select(0, at, {mode = "drop"}):masked_fill(g.counts:eq(0), -1)
  local src = operands.is_tensor(entry.src) and entry.src or entry.src:clone()
  return use "moments.lua".chosen(src, positions, entry.options.fill)
end

local function reduce(g, entry)
  if entry.options.by then return by_order(g, entry) end
  if inner.is_combination(entry.word) then return g:reduce(entry.src, entry.word) end
  if PAIRS[entry.word] then
    local pair = g[entry.word]
    local options = {skip_nan = entry.options.skip_nan, correction = entry.options.correction}
    return (pair(g, entry.src, entry.options.other, options))
  end
  local method = g[entry.word] -- in a local, as a call g.word() would get the hint of a script's
  return (method(g, entry.src, entry.options))
end

-- Raises the error of shared entries; of a value or dtype with the name of its entry.
local function fail_one(g, entries, shared, places, message)
  local found = strew.last_error()
  for k, list in ipairs(found and (found.code == "value" or found.code == "dtype") and shared or {}) do
    aggregates.checked(entries[places[k]].name, g, inner.aggregate, g, {list})
  end
  error(message, 0)
end

-- Adds the results of shared entries at their places.
local function add_shared(results, g, entries, shared, places)
  local made = {pcall(inner.aggregate, g, shared)}
  if not made[1] then fail_one(g, entries, shared, places, made[2]) end
  for k, place in ipairs(places) do results[place] = made[k + 1] end
end

-- Returns the results of the entries, whose tensors are of one dimension and of the grouping's length and device.
function aggregates.make(g, entries)
  local shared, places, results = {}, {}, {}
  for i = 1, #entries do
    local entry = entries[i]
    if is_shared(entry) then
      local list = {entry.word, entry.src}
      for key, value in next, entry.options do list[key] = value end
      shared[#shared + 1], places[#places + 1] = list, i
    end
    if #shared == MOST_SHARED or i == #entries then
      add_shared(results, g, entries, shared, places)
      shared, places = {}, {}
    end
  end
  for i = 1, #entries do
    results[i] = results[i] or aggregates.checked(entries[i].name, g, reduce, g, entries[i])
  end
  return results
end

-- Reductions of text and of times: true for those whose results are such, too.
local OF_ANY <const> = {count = false, first = true, last = true, max = true, min = true, mode = true, nunique = false}
local OF_TIMES <const> = setmetatable({mean = true, median = true, lower_median = true, quantile = true, std = false,
  var = false}, {__index = OF_ANY})

-- Returns whether a reduction of text or times has such results; nil: there is no such reduction; and the names of
-- those that there are.
function aggregates.gives(dtype, word)
  if dtype == "text" then return OF_ANY[word], "count, first, last, max, min or nunique" end
  return OF_TIMES[word], "count, first, last, max, mean, median, min, nunique, quantile, std or var"
end

-- Returns the tensor to reduce for column i of any dtype.
function aggregates.operand(columns, i, reduction, argument)
  local t = columns.tensors[i]
  if t.dtype ~= "text" and t.dtype ~= "time" then return t end
  local gives, expected = aggregates.gives(t.dtype, reduction)
  if gives == nil then
    fail(argument, format("has %s for column %s of %s, expected %s", inner.text(reduction),
      tables.quoted(columns.names[i]), t.dtype, expected))
  end
  return t
end

return aggregates
