-- grouping.lua: methods of groupings. Reductions are those of the group form, strew.scatter_NAME(src, g).
local strew, fail, use, inner = ...
local operands, tables, texts = use "operands.lua", use "tables.lua", use "texts.lua"

local is_float = operands.is_float

-- Raises an error unless src has one dimension, of the grouping's length and device.
local function check_line(g, src)
  if src:dim() ~= 1 then
    fail("src", ("has %d dimensions, expected 1"):format(src:dim()), nil, "shape")
  elseif src:size(0) ~= g.length then
    fail("src", ("has %d elements, the grouping has %d"):format(src:size(0), g.length), nil, "shape")
  elseif src.device ~= g.device then
    fail("src", ("is on %s, the grouping on %s"):format(src.device, g.device), ('src:to("%s")'):format(g.device),
      "device")
  end
end

-- Returns the method that calls strew[name](src, g, options). `parameters`: those of the method after src.
local function reduction(name, parameters)
  local names = {}
  for word in parameters:gmatch "([%w_]+)%p" do table.insert(names, word) end
  return {"self:grouping src:tensor " .. parameters, function(g, src, ...)
    local options, given = {}, {...}
    for i, key in ipairs(names) do options[key] = given[i] end
    return strew[name](src, g, options)
  end}
end

-- Positions of the elements that have a group, group after group and within each by value, ties by position.
local function argsort(g, src, descending)
  check_line(g, src)
  return inner.group_argsort(g, src, descending == true)
end

-- The rank within its group of each element; -1: it has none.
local function rank(g, src, descending)
  local order = argsort(g, src, descending)
  local result = strew.full(g.length, -1, {dtype = "int64", device = g.device})
  if #order == 0 then return result end
  local begins = g:starts():gather(0, inner.ids(g):gather(0, order))
  return result:scatter_(0, order, strew.arange(#order, {device = g.device}) - begins)
end

-- The largest (or least) k of each group in k rounds: each takes the extremes of what the rounds before have left.
local function rounds(g, src, k, largest)
  local ids, n = inner.ids(g)
  local left, taken = ids, {}
  src = src:detach() -- positions are constants
  if is_float(src) then src = src + 0.0 end -- -0 becomes 0, which it equals
  for round = 1, k do
    local _, at = (largest and strew.scatter_max or strew.scatter_min)(src, left, {dim_size = n, mode = "drop"})
    taken[round] = at
    if round < k then left = left:index_fill(0, at[at:lt(g.length)], -1) end
  end
  local positions = strew.stack(taken, 1):reshape(-1)
  local is_there = positions:lt(g.length)
  local groups = strew.arange(n, {device = g.device}):repeat_interleave(k)
  return positions[is_there], groups[is_there]
end

local MOST_ROUNDS = 8

local function topk(g, src, k, largest)
  if k < 0 then fail("k", ("is %d, expected 0 or more"):format(k), nil, nil, k) end
  largest = largest ~= false
  check_line(g, src)
  -- Rounds are for devices. The least of floats leave NaN last, which a minimum puts first.
  local in_rounds = g.device ~= "cpu" and k > 0 and k <= MOST_ROUNDS and g.n * k <= g.length
  local positions, groups
  if in_rounds and (largest or not is_float(src)) then
    positions, groups = rounds(g, src, k, largest)
  else
    positions, groups = inner.group_topk(g, src:detach(), k, largest)
  end
  return src:gather(0, positions), positions, groups
end

-- The number of elements of each group, without NaN if they are skipped.
local function count(g, src, skip_nan)
  if not src then return g.counts:clone() end
  check_line(g, src)
  if not skip_nan or not is_float(src) then return g.counts:clone() end
  return strew.scatter_sum(src:eq(src):to("int64"), g)
end

local function cumsum(g, src)
  check_line(g, src)
  return inner.group_cumsum(g, src)
end

------------------------------------------------------------------------------------------------------------- several

-- The words of agg, and which options each takes: by the method's own check.
local WORDS = {"sum", "prod", "mean", "var", "std", "min", "max", "any", "all", "first", "last", "median", "quantile",
  "count", "nunique", "logsumexp"}
local is_word = {}
for _, word in ipairs(WORDS) do is_word[word] = true end

local function shown(value)
  if type(value) == "string" then return ('"%s"'):format(value:sub(1, 40)) end
  if type(value) == "table" or type(value) == "userdata" then
    return strew.type(value) and "a tensor" or "a " .. type(value)
  end
  return tostring(value)
end

-- Returns {word, src or nil, words of the result or nil, options} of one entry.
local function read_entry(name, entry, columns)
  local where = ("has %s at key %s"):format("%s", tables.quoted(name))
  if type(entry) == "string" then entry = {entry} end
  if type(entry) ~= "table" then
    fail("what", where:format(shown(entry)) .. ', expected a reduction as "count" or {"sum", src}')
  end
  local word, src, options, words = rawget(entry, 1), rawget(entry, 2), {}, nil
  if not is_word[word] then
    local nearest = type(word) == "string" and inner.nearest(word, WORDS)
    fail("what", where:format(shown(word)) .. ", expected " .. table.concat(WORDS, ", ", 1, #WORDS - 1) .. " or "
      .. WORDS[#WORDS], nearest and ("did you mean '%s'?"):format(nearest))
  end
  if type(src) == "string" or math.type(src) == "integer" then
    if not columns then
      fail("what", where:format("the column " .. shown(src)) .. ", but the grouping was not made from a table")
    end
    src, words = texts.operand(columns, tables.position(columns, src, "what"), word, "what")
  elseif src ~= nil and strew.type(src) ~= "tensor" or src == nil and word ~= "count" then
    fail("what", where:format(src == nil and "no tensor" or shown(src)) .. (", expected a tensor%s to %s"):format(
      columns and " or a column's name" or "", word == "count" and "count" or "reduce"))
  end
  for key, value in next, entry do
    if type(key) == "string" then
      options[key] = value
    elseif key ~= 1 and key ~= 2 then
      fail("what", where:format("key " .. shown(key)) .. ", expected a word, a tensor and options by name")
    end
  end
  return {word = word, src = src, words = words, options = options}
end

-- Returns what agg is to compute, by the result's names in alphabetical order.
local function read_entries(what, columns)
  local names, entries = {}, {}
  for name in next, what do
    if type(name) ~= "string" then
      fail("what", ("has key %s, expected names of the result's columns"):format(shown(name)),
        'g:agg{total = {"sum", src}}')
    end
    table.insert(names, name)
  end
  if #names == 0 then fail("what", "is an empty table, expected reductions by name", 'g:agg{total = {"sum", src}}') end
  table.sort(names)
  for i, name in ipairs(names) do entries[i] = read_entry(name, rawget(what, name), columns) end
  return names, entries
end

-- Returns the keys as columns.
local function key_columns(g)
  local keys = inner.grouping_keys(g)
  local columns = {names = {}, tensors = {}, words = {}}
  if keys then
    local read = tables.read(keys, "self")
    columns.names, columns.tensors, columns.words = read.names, read.tensors, read.words
  else
    columns.tensors = g.keys
  end
  tables.name_keys(columns)
  return columns
end

-- The words that share a walk over the ids (inner.aggregate), and the options that these take.
local SHARED = {sum = "dtype", prod = false, mean = "dtype", min = false, max = false, count = false}

local MOST_SHARED = 64

local function check_entry(g, entry)
  if entry.src then check_line(g, entry.src) end
  for _, key in ipairs {"dim", "out"} do
    if entry.options[key] ~= nil then fail("what", ("has an option %s, which agg does not take"):format(key)) end
  end
end

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
    local q = options.q
    options.q = nil
    if type(q) ~= "number" then fail("what", ("has %s as q of a quantile, expected a number"):format(shown(q))) end
    return g:quantile(entry.src, q, options)
  end
  local method = g[entry.word]
  return (method(g, entry.src, entry.options))
end

local function agg(g, what)
  local _, table_of = inner.grouping_keys(g)
  local columns = table_of and tables.read(table_of, "self")
  if columns then columns.argument = "the table" end
  local names, entries = read_entries(what, columns)
  local result, is_key = key_columns(g), {}
  for _, name in ipairs(result.names) do is_key[name] = true end
  for _, name in ipairs(names) do
    if is_key[name] then fail("what", ("has the name of a key, %s"):format(shown(name))) end
  end
  local shared, at = {}, {}
  for i, entry in ipairs(entries) do
    check_entry(g, entry)
    if is_shared(entry) and #shared < MOST_SHARED then
      local list = {entry.word, entry.src}
      for key, value in next, entry.options do list[key] = value end
      table.insert(shared, list)
      at[i] = #shared
    end
  end
  local made = {inner.aggregate(g, shared)}
  for i, name in ipairs(names) do
    table.insert(result.names, name)
    result.tensors[#result.names] = made[at[i]] or reduce(g, entries[i])
    result.words[#result.names] = entries[i].words
  end
  return tables.make(result)
end

return {
  ["g:sum"] = reduction("scatter_sum", "dim?dim out?tensor fill=scalar skip_nan=boolean dtype=word"),
  ["g:prod"] = reduction("scatter_mul", "dim?dim out?tensor fill=scalar skip_nan=boolean"),
  ["g:mean"] = reduction("scatter_mean", "dim?dim out?tensor fill=scalar skip_nan=boolean dtype=word"),
  ["g:min"] = reduction("scatter_min", "dim?dim out?tensor fill=scalar skip_nan=boolean"),
  ["g:max"] = reduction("scatter_max", "dim?dim out?tensor fill=scalar skip_nan=boolean"),
  ["g:var"] = reduction("scatter_var", "dim?dim unbiased=boolean skip_nan=boolean dtype=word"),
  ["g:std"] = reduction("scatter_std", "dim?dim unbiased=boolean skip_nan=boolean dtype=word"),
  ["g:any"] = reduction("scatter_any", "dim?dim out=tensor skip_nan=boolean"),
  ["g:all"] = reduction("scatter_all", "dim?dim out=tensor skip_nan=boolean"),
  ["g:first"] = reduction("scatter_first", "dim?dim fill=scalar skip_nan=boolean"),
  ["g:last"] = reduction("scatter_last", "dim?dim fill=scalar skip_nan=boolean"),
  ["g:median"] = reduction("scatter_median", "dim?dim fill=scalar skip_nan=boolean"),
  ["g:nunique"] = reduction("scatter_nunique", "dim?dim skip_nan=boolean"),
  ["g:logsumexp"] = reduction("scatter_logsumexp", "dim?dim out=tensor fill=scalar skip_nan=boolean"),
  ["g:softmax"] = reduction("scatter_softmax", "dim?dim"),
  ["g:log_softmax"] = reduction("scatter_log_softmax", "dim?dim"),
  ["g:quantile"] = {"self:grouping src:tensor q:number dim?dim interpolation=word fill=scalar skip_nan=boolean",
    function(g, src, q, dim, interpolation, fill, skip_nan)
      local options = {dim = dim, interpolation = interpolation, fill = fill, skip_nan = skip_nan}
      return strew.scatter_quantile(src, g, q, options)
    end},
  ["g:count"] = {"self:grouping src?tensor skip_nan=boolean", count},
  ["g:argsort"] = {"self:grouping src:tensor descending?boolean", argsort},
  ["g:rank"] = {"self:grouping src:tensor descending?boolean", rank},
  ["g:topk"] = {"self:grouping src:tensor k:integer largest?boolean", topk},
  ["g:cumsum"] = {"self:grouping src:tensor", cumsum},
  ["g:agg"] = {"self:grouping what:table", agg},
}
