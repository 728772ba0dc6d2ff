-- aggregate.lua: reductions of groups that grow over chunks: strew.aggregate.
--
-- A key table numbers the keys. Each reduction is made of columns that grow with it: what has been reduced so far is
-- the first element of its group. Sums of floats, means and variances are strew.exact_sums, made anew with each chunk,
-- so that a call that fails changes none.
local strew, fail, use, inner = ...
local operands, tables, aggregates = use "operands.lua", use "tables.lua", use "aggregates.lua"
local errors, expressions = use "errors.lua", use "expressions.lua"

local states = setmetatable({}, {__mode = "k"})

-- Words whose results reduce by the same word; others, and sums of floats, by exact sums: true of those with squares.
local BY_ITSELF <const> = {sum = true, prod = true, min = true, max = true, any = true, all = true, first = true,
  last = true, count = true}
local BY_SUMS <const> = {mean = false, var = true, std = true}
local MERGED <const> = "all, any, count, first, last, max, mean, min, prod, std, sum or var"

-- Returns the entry {name, word, src, options} of a script.
local function read_entry(name, entry)
  local where = aggregates.at_key(name)
  if type(entry) == "string" then entry = {entry} end
  if type(entry) ~= "table" then
    fail("what", where(inner.text(entry)) .. ', expected a reduction as "count" or {"sum", "v"}')
  end
  local word, src = rawget(entry, 1), rawget(entry, 2)
  if not BY_ITSELF[word] and BY_SUMS[word] == nil then
    if not inner.is_combination(word) then aggregates.check_word(word, "what", where, src, true) end
    fail("what", where(inner.is_combination(word) and "a reduction of one's own" or inner.text(word))
      .. ", which cannot be merged, expected " .. MERGED)
  elseif type(src) ~= "string" and math.type(src) ~= "integer" and (src ~= nil or word ~= "count") then
    fail("what", where(src == nil and "no column" or inner.text(src)) .. ", expected a column's name to reduce")
  end
  local options = aggregates.options(entry, 2, "what", where)
  for key in next, options do
    if key ~= "skip_nan" and key ~= "unbiased" and key ~= "correction" and (key ~= "exact" or not options.exact) then
      fail("what", where("an option " .. key) .. ", which cannot be merged")
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
      local n = state.n and state.rows:gt(0):sum():item() or 0 -- a chunk that failed may have left keys
      return format("aggregate of %d groups by %s", n, table.concat(state.by, ", "))
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

-- Returns the n groups of a chunk or of another's columns, whose numbers are ids, after the `count` so far.
local function groups_of(ids, n, count)
  local so_far = strew.arange(count or 0, {device = ids.device})
  return {ids = ids, n = n, so_far = so_far, joined = function(self)
    self.all = self.all or strew.grouping(strew.cat{so_far, ids}, {dim_size = n})
    return self.all
  end}
end

-- Returns t with a row for each of n keys, more of them 0.
local function grown(t, n)
  return #t == n and t or strew.cat{t, strew.zeros(n - #t, {dtype = t.dtype, device = t.device})}
end

-- Returns a column below what has been reduced of it so far, in the dtype of both.
local function below(old, entry, values, argument)
  local parts = {}
  for k, t in ipairs{old, values} do
    parts[k] = {names = {entry.src or entry.name}, tensors = {t}, rows = #t, argument = argument}
  end
  if not tables.mixes(tables.kind(parts[1], 1), tables.kind(parts[2], 1)) then
    fail(argument, format("has %s in column %s, which had %s before", values.dtype, tables.quoted(parts[2].names[1]),
      old.dtype), nil, "dtype")
  end
  return tables.stacked(parts, {1, 1}, argument)
end

local ADDS <const> = {sum = "sum", prod = "product"}

-- Returns sums or products of integers in the dtype that they have of a column like that.
local function added(t, like, entry, argument)
  local dtype = string.find(like.dtype, "^u") and "uint64" or "int64"
  if t.dtype == "uint64" and dtype == "int64" then
    operands.check_none(t:gt(math.maxinteger), t, argument, format("a %s of %s that int64 holds",
      ADDS[entry.word], tables.quoted(entry.src or entry.name)))
  end
  return t:to(dtype)
end

-- Returns the columns of what has been reduced so far, `old` or nil, and of values, joined by `word`: the script's
-- argument of that name, of a column like that.
local function joined(old, word, groups, values, like, options, entry, argument)
  if old then
    like = like and below(old.like, entry, like, argument)
    if ADDS[entry.word] and not operands.is_float(like) then
      values = strew.cat{added(old.value, like, entry, argument), added(values, like, entry, argument)}
    else
      values = below(old.value, entry, values, argument)
    end
  end
  local g = groups:joined()
  local call = g[word]
  return {value = (call(g, values, options)), like = like}
end

-- Adds the columns of an entry, sums of integers or exact sums, to those of groups `ids`.
local function with_sums(e, part, ids)
  return part.sums and e:merge(part.sums, ids) or e:add(part.value, ids)
end

-- Returns exact sums of the groups, so far `old` or nil.
local function sums_of(entry, old, groups)
  local e = strew.exact_sums(groups.n, {squares = BY_SUMS[entry.word], device = groups.ids.device})
  return old and with_sums(e, old, groups.so_far) or e
end

-- Returns the columns of an entry, `old` or nil, with a chunk's values joined.
local function taken(entry, old, groups, values)
  local word, skips = entry.word, {skip_nan = entry.options.skip_nan}
  if word == "count" then
    local g = strew.grouping(groups.ids, {dim_size = groups.n})
    local counts = values and g:count(values, skips) or g.counts:clone()
    return {value = old and grown(old.value, groups.n) + counts or counts}
  elseif (values.dtype == "text" or values.dtype == "time") and (BY_SUMS[word] ~= nil or word == "sum") then
    fail("chunk", format("has %s for %s, expected numbers", values.dtype, word), nil, "dtype")
  elseif BY_SUMS[word] ~= nil or word == "sum" and (operands.is_float(values) or old and old.sums) then
    if values.dtype == "bool" then values = values:to("int8") end
    return {sums = sums_of(entry, old, groups):add(values, groups.ids, skips)}
  end
  return joined(old, word, groups, values, values:narrow(0, 0, 0), word ~= "any" and word ~= "all" and skips or nil,
    entry, "chunk")
end

-- Returns the columns of entry of two aggregates, of which the other's are the groups.
local function merged(entry, old, other, groups)
  if other.sums or old and old.sums then
    return {sums = with_sums(sums_of(entry, old, groups), other, groups.ids)}
  elseif not old then -- other's columns, by their groups
    return joined(nil, "first", groups, other.value, other.like)
  end
  local word = entry.word == "count" and "sum" or entry.word
  return joined(old, word, groups, other.value, other.like, word ~= "any" and word ~= "all"
    and {skip_nan = word ~= "sum" and entry.options.skip_nan} or nil, entry, "other")
end

-- Returns the result of a chunk without rows, which has the dtypes of others.
local function without_rows(state, chunk)
  local what = {}
  for k, entry in ipairs(state.entries) do
    what[k] = {entry.name, entry.word, entry.src}
    for key, value in next, entry.options do what[k][key] = value end
  end
  return strew.group_by(chunk, state.by):agg(what)
end

local function add(self, chunk)
  local state, columns = state_of(self), tables.read(chunk, "chunk")
  local values, parts = {}, {}
  for k, entry in ipairs(state.entries) do
    values[k] = entry.src ~= nil and columns.tensors[expressions.positions(chunk, columns, entry.src, "what")[1]] or nil
  end
  local keys = {names = state.by, tensors = {}}
  for k, i in ipairs(expressions.positions(chunk, columns, state.by, "by")) do keys.tensors[k] = columns.tensors[i] end
  if columns.rows == 0 then
    state.none = state.none or without_rows(state, chunk)
    return self
  end
  local ids = errors.own("x", "chunk", nil, state.keys.ids, state.keys, tables.make(keys), state.by)
  local n = state.keys.n
  local groups = groups_of(ids, n, state.n)
  for k, entry in ipairs(state.entries) do
    parts[k] = errors.own("src", "chunk", nil, taken, entry, state.parts[k], groups, values[k])
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
  state.none = state.none or its.none
  if not its.n then return self end
  local ids = state.keys:ids(its.keys.keys, state.by):narrow(0, 0, its.n):to(its.rows.device)
  local n, parts = state.keys.n, {}
  local groups = groups_of(ids, n, state.n)
  for k, entry in ipairs(state.entries) do parts[k] = merged(entry, state.parts[k], its.parts[k], groups) end
  local rows = strew.zeros(n, {dtype = "int64", device = ids.device}):index_copy_(0, ids, its.rows)
  state.parts, state.n, state.rows = parts, n, state.rows and grown(state.rows, n) + rows or rows
  return self
end

-------------------------------------------------------------------------------------------------------------- result

local function result_of(entry, part)
  local options, word, sums = entry.options, entry.word, part.sums
  if not sums then return part.value:clone() end
  if word == "sum" then return sums:sum() end
  local count = sums:count()
  local dtype = not operands.is_float(sums.dtype) and operands.widest(count) or nil
  if word == "mean" then -- of integers as in agg
    return dtype and (sums:sum{dtype = dtype} / count:to(dtype)):masked_fill(count:eq(0), 0 / 0) or sums:mean()
  end
  local correction = operands.correction(options, 1)
  local spread = sums[word] -- in a local, as a call sums.word() would get the hint of a script's
  return spread(sums, {correction = correction, dtype = dtype}):masked_fill(count:le(correction), 0 / 0)
end

local function result(self)
  local state = state_of(self)
  if not state.n and not state.none then fail("self", "has no rows: nothing was added") end
  if not state.n then
    return tables.make(tables.map(tables.read(state.none, "self"), function(t) return t:clone() end))
  end
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
