-- missing.lua: missing elements: where they are, their place in an order, and rows of a column at positions, of which
-- some are missing: -1.
--
-- A missing element is NaN among floats, NaT among times and the empty word in text, as strew.load reads an empty cell.
-- Integers and booleans become floats, only where an element is missing, as in pandas.
local strew, fail, use = ...
local operands, errors, tables = use "operands.lua", use "errors.lua", use "tables.lua"
local missing = {}

-- Returns where the elements of t are missing; nil: its dtype has no missing ones.
function missing.of(t)
  if t.dtype == "text" then return t:eq("") end
  return (operands.is_float(t) or t.dtype == "time") and t:ne(t) or nil
end

-- Returns the elements of a line as words that name them: 0 without its sign, at which no grouping looks, and missing
-- ones, too; none: the name of missing words.
function missing.labels(t, none)
  local own = operands.is_float(t) and {[""] = "nan", ["-0.0"] = "0.0"} or {[""] = t.dtype == "time" and "NaT" or none}
  local labels = t:to("text"):tolist()
  for k, word in ipairs(labels) do labels[k] = own[word] or word end
  return labels
end

-- Returns numbers and a direction whose order is that of the elements of t in the direction `is_descending`, with the
-- missing ones last, or first if nulls is "first".
function missing.order(t, is_descending, nulls)
  local first = nulls == "first"
  errors.check_word("nulls", nulls or "last", {"first", "last"})
  if operands.is_float(t) then -- NaN is the greatest
    if is_descending ~= first then return -t, first end
    return t, is_descending
  end
  local numbers, most -- a missing one is the least
  if t.dtype == "time" then
    numbers = t:to("int64")
  elseif t.dtype == "text" then
    local words = use "words.lua"
    local codes = words.ordered(t):codes()
    numbers, most = codes:masked_fill(t:eq(""), -1), 0x7fffffff
  else
    return t, is_descending
  end
  if is_descending == first then -- and of these the greatest
    return most and numbers & most or numbers - 1, is_descending
  elseif first then
    return numbers, false
  end
  return ~numbers, false
end

-- From -n to n, a dtype holds every integer.
local EXACT = {float64 = 1 << 53, float32 = 1 << 24, float16 = 1 << 11, bfloat16 = 1 << 8, int64 = math.maxinteger}
-- The least power of 2 above the integers of a dtype.
local ABOVE = {uint8 = 0x1p8, int8 = 0x1p7, int16 = 0x1p15, int32 = 0x1p31, int64 = 0x1p63, uint16 = 0x1p16,
  uint32 = 0x1p32, uint64 = 0x1p64}

-- Returns integers or booleans as floats, or as int64; or nil and a value that changes.
function missing.as_exact(t, dtype)
  local most = EXACT[dtype]
  local above = ABOVE[t.dtype]
  local may = above and above > most and t.dtype ~= dtype and t:numel() > 0
  if may and (t:amax():gt(most):item() or t:amin():lt(-most):item()) then
    local far = t[t:lt(-most) | t:gt(most)]
    if dtype ~= "int64" then -- of which some have few digits in base 2
      local floats = far:to(dtype)
      far = far[floats:to(t.dtype):ne(far) | floats:ge(above)]
    end
    if #far > 0 then return nil, (string.match(tostring(far:narrow(0, 0, 1)), "\n%s*(%-?%d+)")) end
  end
  return t:to(dtype)
end

-- Returns the positions where a line of positions is -1, or nil: nowhere.
function missing.gaps(at)
  if at:numel() == 0 or at:min():item() >= 0 then return nil end
  return at:lt(0):nonzero():squeeze(1)
end

-- Returns the rows of column i at the positions `at`, nil: all. gaps: where `at` is -1; nil: nowhere.
-- fill: if given, the value of missing numbers, which keep their dtype.
function missing.choose(columns, i, at, gaps, fill)
  local t, name = columns.tensors[i], tables.quoted(columns.names[i])
  if not at then return t:clone() end
  local is_time = t.dtype == "time"
  local chosen = (is_time and t:to("int64") or t):index_select(0, at, {mode = gaps and "drop" or nil})
  if is_time then
    return (gaps and chosen:index_fill_(0, gaps, math.mininteger) or chosen):to("time") -- NaT
  end
  if not gaps or t.dtype == "text" then return chosen end -- of dropped positions empty words
  if fill ~= nil then
    return errors.own("value", "fill", function(fact, hint)
      return string.gsub(fact, " cannot hold", function() return format(" of column %s cannot hold", name) end, 1), hint
    end, strew.index_fill_, chosen, 0, gaps, fill)
  end
  if not operands.is_float(t) then
    local dtype = operands.widest(t)
    local floats, value = missing.as_exact(chosen, dtype)
    chosen = floats
    if not floats then
      fail(columns.argument, format("has column %s with value %s, which %s cannot hold: the dtype of integers among "
        .. "which some are missing, as NaN", name, value, dtype),
        format("{fill = 0} instead of NaN keeps %s", t.dtype), "value", tonumber(value))
    end
  end
  return chosen:index_fill_(0, gaps, 0 / 0)
end

-- Returns the columns without the rows in which one of the columns at positions (takes_all: each of them) has NaN, NaT
-- or no word.
function missing.without(columns, positions, argument, takes_all)
  local is_whole
  for _, i in ipairs(positions) do
    local gaps = missing.of(columns.tensors[i])
    if gaps and gaps:dim() > 1 then gaps = gaps:flatten(1)[takes_all and "all" or "any"](gaps:flatten(1), 1) end
    if not gaps and takes_all then return columns end
    if gaps and takes_all then
      is_whole = is_whole and is_whole | ~gaps or ~gaps
    elseif gaps then
      is_whole = is_whole and is_whole & ~gaps or ~gaps
    end
  end
  return is_whole and tables.select(columns, is_whole:nonzero():squeeze(1), argument) or columns
end

return missing
