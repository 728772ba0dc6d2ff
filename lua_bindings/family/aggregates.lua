-- aggregates.lua: reductions of a grouping by words: what agg and pivot compute.
--
-- An entry is {word =, src = or nil, words = of the result or nil, options = {...}}.
local strew, fail, _, inner = ...
local aggregates = {}

-- Which options each takes: by the method's own check.
local WORDS = {"sum", "prod", "mean", "var", "std", "min", "max", "any", "all", "first", "last", "median", "quantile",
  "count", "nunique", "logsumexp"}
local is_word = {}
for _, word in ipairs(WORDS) do is_word[word] = true end

function aggregates.shown(value)
  if type(value) == "string" then return ('"%s"'):format(value:sub(1, 40)) end
  if type(value) == "table" or type(value) == "userdata" then
    return strew.type(value) and "a tensor" or "a " .. type(value)
  end
  return tostring(value)
end
local shown = aggregates.shown

-- Raises an error unless word is one of a reduction. `where`: a format for what is wrong.
function aggregates.check_word(word, argument, where)
  if is_word[word] then return end
  local nearest = type(word) == "string" and inner.nearest(word, WORDS)
  fail(argument, where:format(shown(word)) .. ", expected " .. table.concat(WORDS, ", ", 1, #WORDS - 1) .. " or "
    .. WORDS[#WORDS], nearest and ("did you mean '%s'?"):format(nearest))
end

-- Returns the options of an entry of a script: its names and their values. Its first `count` values are others.
function aggregates.options(entry, count, argument, where)
  local options = {}
  for key, value in next, entry do
    if type(key) == "string" then
      options[key] = value
    elseif math.type(key) ~= "integer" or key < 1 or key > count then
      fail(argument, where:format("key " .. shown(key)) .. (", expected a word, %soptions by name"):format(
        count > 1 and "a tensor and " or "and "))
    end
  end
  for _, key in ipairs {"dim", "out"} do
    if options[key] ~= nil then fail(argument, where:format("an option " .. key) .. ", which is for methods only") end
  end
  if rawget(entry, 1) == "quantile" and type(options.q) ~= "number" then
    fail(argument, where:format(shown(options.q) .. " as q of a quantile") .. ", expected a number",
      '{"quantile", q = 0.5}')
  end
  return options
end

-- The words that share a walk over the ids (inner.aggregate), and the options that these take.
local SHARED = {sum = "dtype", prod = "dtype", mean = "dtype", min = false, max = false, count = false}

local MOST_SHARED = 64

local function is_shared(entry)
  if SHARED[entry.word] == nil or entry.word == "count" and entry.src then return false end
  if entry.src and inner.is_recorded(entry.src) then return false end -- methods have gradients
  for key in next, entry.options do
    if key ~= "fill" and key ~= "skip_nan" and key ~= SHARED[entry.word] then return false end
  end
  return true
end

local function reduce(g, entry)
  if entry.word == "quantile" then
    local options = {}
    for key, value in next, entry.options do options[key] = value end
    options.q = nil
    return g:quantile(entry.src, entry.options.q, options)
  end
  return (g[entry.word](g, entry.src, entry.options))
end

-- Returns the results of the entries, whose tensors are of one dimension and of the grouping's length and device.
function aggregates.make(g, entries)
  local shared, at, results = {}, {}, {}
  for i, entry in ipairs(entries) do
    if is_shared(entry) and #shared < MOST_SHARED then
      local list = {entry.word, entry.src}
      for key, value in next, entry.options do list[key] = value end
      table.insert(shared, list)
      at[i] = #shared
    end
  end
  local made = {inner.aggregate(g, shared)}
  for i, entry in ipairs(entries) do results[i] = made[at[i]] or reduce(g, entry) end
  return results
end

return aggregates
