-- aggregate.lua: reductions of groups that grow over chunks: strew.aggregate.
--
-- A key table numbers the keys. Each reduction is made of columns that grow with it: what has been reduced so far is
-- the first element of its group. Sums of floats grow in float64.
local strew, fail, use, inner = ...
local operands, tables, aggregates = use "operands.lua", use "tables.lua", use "aggregates.lua"
local errors, expressions = use "errors.lua", use "expressions.lua"

local states = setmetatable({}, {__mode = "k"})

-- Words whose results reduce by the same word; others by parts.
local BY_ITSELF <const> = {sum = true, prod = true, min = true, max = true, any = true, all = true, first = true,
  last = true, count = true}
local BY_PARTS <const> = {mean = true, var = true, std = true}
local MERGED <const> = "all, any, count, first, last, max, mean, min, prod, std, sum or var"

-- Returns the entry {name, word, src, options} of a script.
local function read_entry(name, entry)
  local where = format("has %s at key %s", "%s", tables.quoted(name))
  if type(entry) == "string" then entry = {entry} end
  if type(entry) ~= "table" then
    fail("what", format(where, inner.text(entry)) .. ', expected a reduction as "count" or {"sum", "v"}')
  end
  local word, src = rawget(entry, 1), rawget(entry, 2)
  if not BY_ITSELF[word] and not BY_PARTS[word] then
    if not inner.is_combination(word) then aggregates.check_word(word, "what", where, src, true) end
    fail("what", format(where, inner.is_combination(word) and "a reduction of one's own" or inner.text(word))
      .. ", which cannot be merged, expected " .. MERGED)
  elseif type(src) ~= "string" and math.type(src) ~= "integer" and (src ~= nil or word ~= "count") then
    fail("what", format(where, src == nil and "no column" or inner.text(src)) .. ", expected a column's name to reduce")
  end
  local options = aggregates.options(entry, 2, "what", where)
  for key in next, options do
    if key ~= "skip_nan" and key ~= "unbiased" and key ~= "correction" then
      fail("what", format(where, "an option " .. key) .. ", which cannot be merged")
    end
  end
  return {name = name, word = word, src = src, options = options}
end

local function aggregate(by, what)
  local names, entries = aggregates.listed(what, "column")
  for k, name in ipairs(names) do entries[k] = read_entry(name, entries[k]) end
  local list = type(by) == "table" and by or {by}
  for k = 1, math.max(rawlen(list), 1) do
    if type(list[k]) ~= "string" then fail("by", format("has %s, expected names of columns", inner.text(list[k]))) end
  end
  local state = {by = table.move(list, 1, #list, 1, {}), entries = entries, parts = {}, keys = strew.key_table(#list)}
  local self = setmetatable({}, {__index = {add = inner["a:add"], merge = inner["a:merge"], result = inner["a:result"]},
    __name = "aggregate", __metatable = "aggregate", __tostring = function()
      return format("aggregate of %d groups by %s", state.keys.n, table.concat(state.by, ", "))
    end})
  states[self] = state
  return self
end

local function state_of(self)
  local state = type(self) == "table" and states[self]
  if not state then
    fail("self", format("is %s, expected an aggregate", inner.text(self)), "a:add(chunk), with a colon")
  end
  return state
end

------------------------------------------------------------------------------------------------------------- joining

-- Returns t with a row for each of n keys, more of them 0.
local function grown(t, n)
  return #t == n and t or strew.cat{t, strew.zeros(n - #t, {dtype = t.dtype, device = t.device})}
end

-- Returns the reduction `word` of what has been reduced so far, `old` or nil, and of values of groups `ids`.
local function joined(old, word, ids, values, n, options)
  local all = ids
  if old then
    if values.dtype ~= old.dtype and old.dtype ~= "text" and not operands.is_float(values) then
      values = values:to(old.dtype)
    end
    all, values = strew.cat{strew.arange(#old, {device = ids.device}), ids}, strew.cat{old, values}
  end
  local g = strew.grouping(all, {dim_size = n})
  local call = g[word]
  return (call(g, values, options))
end

-- Means and sums of squares about them of two sets of counts (Chan, Golub and LeVeque).
local function squares_of(a, b)
  local total = a.count + b.count
  local share = b.count:to(a.mean.dtype) / total:clamp(1):to(a.mean.dtype)
  local gap = b.mean - a.mean
  return {count = total, mean = a.mean + gap * share,
    squares = a.squares + b.squares + gap * gap * a.count:to(a.mean.dtype) * share}
end

local function aligned(part, n)
  local out = {}
  for name, t in next, part do out[name] = grown(t, n) end
  return out
end

-- Returns the columns of an entry, `old` or nil, with a chunk's values of groups `ids` joined.
local function taken(entry, old, ids, values, n)
  local word, skips = entry.word, {skip_nan = entry.options.skip_nan}
  if (word == "sum" or BY_PARTS[word]) and operands.is_float(values) then
    entry.dtype = entry.dtype and strew.result_type(entry.dtype, values.dtype) or values.dtype
    values = values:to(operands.widest(values))
  end
  if word == "count" then
    local g = strew.grouping(ids, {dim_size = n})
    local counts = values and g:count(values, skips) or g.counts:clone()
    return {value = old and grown(old.value, n) + counts or counts}
  elseif BY_ITSELF[word] then
    return {value = joined(old and old.value, word, ids, values, n, word ~= "any" and word ~= "all" and skips or nil)}
  elseif values.dtype == "text" or values.dtype == "time" then
    fail("chunk", format("has %s for %s, expected numbers", values.dtype, word), nil, "dtype")
  end
  local g = strew.grouping(ids, {dim_size = n})
  local count = g:count(values, skips)
  if word == "mean" then
    return {count = old and grown(old.count, n) + count or count,
      value = joined(old and old.value, "sum", ids, values, n, skips)}
  end
  local wide = values:to(operands.widest(values))
  local own = {count = count, mean = g:mean(wide, skips):masked_fill(count:eq(0), 0)}
  own.squares = (g:var(wide, {skip_nan = skips.skip_nan, unbiased = false}) * count:to(wide.dtype)):masked_fill(
    count:eq(0), 0)
  return old and squares_of(aligned(old, n), own) or own
end

-- Returns the columns of entry of two aggregates; ids: the group of each of b's.
local function merged(entry, old, other, ids, n)
  if not old then -- other's columns, by ids
    local first = {}
    for name, t in next, other do first[name] = joined(nil, "first", ids, t, n) end
    return first
  end
  if entry.word == "var" or entry.word == "std" then
    local own = {}
    for name, t in next, other do
      own[name] = strew.zeros(n, {dtype = t.dtype, device = t.device}):index_copy_(0, ids, t)
    end
    return squares_of(aligned(old, n), own)
  end
  local out = {}
  for name, t in next, other do
    local word = (name == "count" or entry.word == "mean" or entry.word == "count") and "sum" or entry.word
    out[name] = joined(old[name], word, ids, t, n, word ~= "any" and word ~= "all"
      and {skip_nan = word ~= "sum" and entry.options.skip_nan} or nil)
  end
  return out
end

local function add(self, chunk)
  local state, columns = state_of(self), tables.read(chunk, "chunk")
  local values, parts = {}, {}
  for k, entry in ipairs(state.entries) do
    local f = entry.src ~= nil and expressions.is_text(columns, entry.src)
    values[k] = f and expressions.column(chunk, columns, entry.src, "chunk", false, f)
      or entry.src ~= nil and columns.tensors[tables.position(columns, entry.src, "what")] or nil
  end
  local keyed = expressions.with_texts(chunk, state.by, "by")
  keyed.argument = "chunk"
  local keys = {names = state.by, tensors = {}}
  for k, i in ipairs(tables.positions(keyed, state.by, "by")) do keys.tensors[k] = keyed.tensors[i] end
  if columns.rows == 0 then return self end
  local ids = state.keys:ids(tables.make(keys), state.by)
  local n = state.keys.n
  for k, entry in ipairs(state.entries) do
    parts[k] = errors.own("src", "chunk", nil, taken, entry, state.parts[k], ids, values[k], n)
  end
  local rows = ids:bincount{minlength = n}
  state.parts, state.n, state.rows = parts, n, state.rows and grown(state.rows, n) + rows or rows
  return self
end

local function merge(self, other)
  local state, its = state_of(self), states[other]
  if not its then fail("other", format("is %s, expected an aggregate", inner.text(other))) end
  local is_same = #its.entries == #state.entries and table.concat(its.by, "\0") == table.concat(state.by, "\0")
  for k, entry in ipairs(state.entries) do
    local one = its.entries[k]
    is_same = is_same and one.name == entry.name and one.word == entry.word and one.src == entry.src
  end
  if not is_same then fail("other", "has other keys or reductions, expected those of self") end
  if not its.n then return self end
  local ids = state.keys:ids(its.keys.keys, state.by):narrow(0, 0, its.n):to(its.rows.device)
  for k, entry in ipairs(its.entries) do state.entries[k].dtype = state.entries[k].dtype or entry.dtype end
  local n, parts = state.keys.n, {}
  for k, entry in ipairs(state.entries) do parts[k] = merged(entry, state.parts[k], its.parts[k], ids, n) end
  local rows = strew.zeros(n, {dtype = "int64", device = ids.device}):index_copy_(0, ids, its.rows)
  state.parts, state.n, state.rows = parts, n, state.rows and grown(state.rows, n) + rows or rows
  return self
end

-------------------------------------------------------------------------------------------------------------- result

local function result_of(entry, part)
  local options, word = entry.options, entry.word
  if word == "mean" then
    local dtype = operands.is_float(part.value) and part.value.dtype or operands.widest(part.value)
    local mean = (part.value:to(dtype) / part.count:to(dtype)):masked_fill(part.count:eq(0), 0 / 0)
    return entry.dtype and mean:to(entry.dtype) or mean
  elseif word ~= "var" and word ~= "std" then
    return entry.dtype and part.value:to(entry.dtype) or part.value:clone()
  end
  local divisor = part.count:to(part.squares.dtype) - operands.correction(options, 1)
  local out = (part.squares / divisor):masked_fill(divisor:le(0), 0 / 0)
  out = word == "std" and out:sqrt() or out
  return entry.dtype and out:to(entry.dtype) or out
end

local function result(self)
  local state = state_of(self)
  if not state.n then fail("self", "has no rows: nothing was added") end
  local keys = tables.read(state.keys.keys, "self")
  local out = tables.map(keys, function(t) return t:narrow(0, 0, state.n):to(state.rows.device) end)
  local order = strew.group_by(tables.make(out), state.by).positions
  for k, entry in ipairs(state.entries) do
    out.names[#out.names + 1], out.tensors[#out.tensors + 1] = entry.name, result_of(entry, state.parts[k])
  end
  order = order:masked_select(state.rows:index_select(0, order):gt(0)) -- a chunk that failed may have left keys
  return tables.make(tables.select(out, order, "self"))
end

return {
  aggregate = {"by:any what:table", aggregate},
  ["a:add"] = {"self:any chunk:table", add},
  ["a:merge"] = {"self:any other:any", merge},
  ["a:result"] = {"self:any", result},
}
