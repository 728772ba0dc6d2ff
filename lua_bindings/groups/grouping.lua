-- grouping.lua: methods of groupings. Reductions are those of the group form, strew.scatter_NAME(src, g).
local strew, fail, use, inner = ...
local operands, tables = use "operands.lua", use "tables.lua"
local aggregates, expressions = use "aggregates.lua", use "expressions.lua"
local missing = use "missing.lua"

local is_float, sums_dtype, check_line = operands.is_float, operands.sums_dtype, operands.check_grouped

-- Returns a method f(g, src, options). `parameters`: those after src.
local function method(parameters, f)
  local names = {}
  for word in string.gmatch(parameters, "([%w_]+)%p") do table.insert(names, word) end
  return {"self:grouping src:tensor! " .. parameters, function(g, src, ...)
    local options, given = {}, {...}
    for i = 1, #names do options[names[i]] = given[i] end
    return f(g, src, options)
  end}
end

-- The method that calls strew[name](src, g, options).
local function reduction(name, parameters)
  return method(parameters, function(g, src, options)
    if name == "scatter_median" and src.dtype == "time" then -- in tables the mean of the two middle ones
      return strew.scatter_quantile(src, g, 0.5, options)
    end
    return strew[name](src, g, options)
  end)
end

-- True if a group has no element.
local gaps = setmetatable({}, {__mode = "k"})
local function has_gaps(g)
  if gaps[g] == nil then gaps[g] = not g.counts:gt(0):all():item() end
  return gaps[g]
end

-- Returns floats of groups, NaN for those without elements.
local function with_gaps(g, src, options, result, ...)
  local is_given = options.fill ~= nil or options.out
  if is_given or not is_float(result) or not (options.skip_nan or has_gaps(g)) then return result, ... end
  local counts = inner.group_counts(src:detach(), g, {dim = options.dim, skip_nan = options.skip_nan})
  return result:masked_fill(counts:eq(0), 0 / 0), ...
end

local function reduction_or_nan(name, parameters)
  return method(parameters, function(g, src, options)
    return with_gaps(g, src, options, strew[name](src, g, options))
  end)
end

-- Reductions with rules of tables: strew_grouping_aggregate_with.
local function of_table(word, parameters)
  return method(parameters, function(g, src, options)
    return aggregates.checked("src", g, inner["group_" .. word], src, g, options)
  end)
end

-- True for a dtype of integers that holds sums and products of src.
local function holds_sums(src, dtype)
  return dtype == sums_dtype(src) or dtype == "int64" and src.dtype ~= "uint64" and not is_float(src)
end

-- Joins integers to `out`, which counts as the first element of each group, and may have more groups.
local function join_to(g, src, word, options)
  inner.group_counts(src:detach(), g, {dim = options.dim}) -- checks src and dim
  local out, line = options.out, operands.line(src)
  local sizes, dim = line.shape, (options.dim or -1) % line:dim()
  local n = math.max(g.n, out:dim() == #sizes and out:size(dim) or 0)
  sizes[dim + 1] = n
  if options.fill ~= nil then
    fail("fill", "cannot be combined with 'out', which keeps the values of empty groups")
  elseif not holds_sums(src, out.dtype) then
    fail("out", format("is %s, expected %s or float64, as src is %s", out.dtype, sums_dtype(src), src.dtype), nil,
      "dtype")
  end
  operands.check_shape(out, sizes, "out")
  operands.check_device(src, out, "out")
  local ids = strew.cat{strew.arange(n, {device = g.device}), (inner.ids(g))}
  local all, values = strew.grouping(ids, {dim_size = n, mode = "drop"}), strew.cat({out, line:to(out.dtype)}, dim)
  return out:copy_(aggregates.checked("src", g, inner.aggregate, all, {{word, values, dim = dim}}))
end

-- Sums, products and means: those of integers never wrap, sums and means of floats are exact unless {exact = false}.
local function arithmetic(name, parameters, word)
  return method(parameters, function(g, src, options)
    local out, dtype = options.out, options.dtype
    if options.exact == nil and word ~= "prod" then options.exact = true end
    if is_float(src) then
      local result = strew[name](src, g, options)
      return word == "mean" and with_gaps(g, src, options, result) or result
    elseif src.dtype == "time" and word == "mean" then
      return strew[name](src, g, options)
    elseif src.dtype == "text" or src.dtype == "time" then
      fail("src", format("is %s, expected numbers", src.dtype), nil, "dtype")
    elseif not out then
      inner.ids(g) -- one reduction alone is faster by an index
      local entry = {word, src, dim = options.dim, fill = options.fill, dtype = dtype}
      return (aggregates.checked("src", g, inner.aggregate, g, {entry}))
    elseif word == "mean" or is_float(out) or dtype and not string.find(dtype, "int64") then
      options.dtype = nil
      return strew[name](src:to(dtype or "float64"), g, options)
    end
    return join_to(g, src, word, options)
  end)
end

-- Positions of the elements that have a group, group after group and within each by value, ties by position.
local function argsort(g, src, descending, nulls)
  check_line(g, src)
  return inner.group_argsort(g, missing.order(src, descending == true, nulls))
end

-- The rank within its group of each element; -1: it has none.
local function rank(g, src, descending, nulls, ties)
  check_line(g, src)
  return use "ranks.lua".of(g, src, descending == true, nulls, ties or "first")
end

local function topk(g, src, k, largest, nulls)
  check_line(g, src)
  local numbers, is_largest = missing.order(src:detach(), largest ~= false, nulls) -- positions are constants
  local positions, groups = inner.group_topk(g, numbers, k, is_largest)
  return src:gather(0, positions), positions, groups
end

-- The number of elements of each group, without NaN if they are skipped.
local function count(g, src, skip_nan)
  if not src then return g.counts:clone() end
  check_line(g, src)
  return inner.group_counts(src:detach(), g, {skip_nan = skip_nan})
end

local function cumsum(g, src, dtype, skip_nan)
  check_line(g, src)
  local own = sums_dtype(src)
  if dtype and dtype ~= "float64" and not holds_sums(src, dtype) then
    fail("dtype", format("is %s, expected float64%s", dtype, own == "float64" and "" or " or " .. own), nil, "dtype")
  end
  if skip_nan and is_float(src) then src = src:masked_fill(src:ne(src), 0) end
  return aggregates.checked("src", g, inner.group_cumsum, g, dtype and dtype ~= own and src:to(dtype) or src)
end

------------------------------------------------------------------------------------------------------------- several

-- Returns the second column of a reduction of two.
local function other_of(g, name, entry, options, where, read)
  local given = rawget(entry, 3)
  if given ~= nil and options.other ~= nil then fail("what", where("two other columns") .. ", expected one") end
  local other = read(given == nil and options.other or given)
  if not operands.is_tensor(other) then
    local fact = other == nil and "no other column" or inner.text(other) .. " as the other column"
    fail("what", where(fact) .. ", expected a tensor or a column's name",
      other == nil and format("{%s, a, b}", inner.text(rawget(entry, 1))) or nil)
  end
  check_line(g, other, name)
  return other
end

-- Returns the entry of agg (aggregates.lua) at a name.
local function read_entry(g, name, entry, columns)
  local where = aggregates.at_key(name)
  if type(entry) == "string" then entry = {entry} end
  if type(entry) ~= "table" then
    fail("what", where(inner.text(entry)) .. ', expected a reduction as "count" or {"sum", src}')
  end
  local word, src = rawget(entry, 1), rawget(entry, 2)
  for key, given in next, word == nil and entry or {} do
    if aggregates.is_word(key) then
      fail("what", where("no reduction"), format("{%s, %s}", inner.text(key),
        type(given) == "string" and inner.text(given) or "src"))
    end
  end
  aggregates.check_word(word, "what", where, src, true)
  local reads, is_line = aggregates.reads(word), nil
  local function read(given)
    if type(given) == "userdata" then
      if inner.is_bound(given) then given, is_line = expressions.line(given, g.length, reads) end
      return given
    end
    local made = reads and columns and columns.made[given]
    if not made and columns then made = {expressions.try(columns.table, columns, given, "what", reads)} end
    if made and made[1] then
      if reads then columns.made[given] = made end
      is_line = made[2]
      return made[1]
    elseif type(given) ~= "string" and math.type(given) ~= "integer" then
      return given
    elseif not columns then
      fail("what", where("the column " .. inner.text(given)) .. ", but the grouping was not made from a table")
    elseif aggregates.is_word(given) and not tables.place(columns, given) then
      local source = tables.place(columns, name) and name or "src"
      fail("what", where(inner.text(given)) .. " as a column", format("each reduction has an entry: "
        .. "g:agg{a = {%s, %s}, b = {%s, %s}}", inner.text(word), inner.text(source), inner.text(given),
        inner.text(source)))
    end
    return aggregates.operand(columns, tables.position(columns, given, "what"), word, "what")
  end
  if type(src) == "table" and inner.is_combination(word) then
    local sources = {}
    for key, given in next, src do sources[key] = read(given) end
    src = sources
  else
    src = read(src)
  end
  if type(src) == "table" then
    for key, given in next, src do
      if not operands.is_tensor(given) then fail("what", where(inner.text(given)) .. ", expected a tensor") end
      check_line(g, given, tostring(key))
    end
  elseif src ~= nil and not is_line and strew.type(src) ~= "tensor" or src == nil and word ~= "count" then
    fail("what", where(src == nil and "no tensor" or inner.text(src)) .. format(", expected a tensor%s to %s",
      columns and " or a column's name" or "", word == "count" and "count" or "reduce"), expressions.hint(src)
        or src == nil and columns and tables.place(columns, name)
        and format("g:agg{[%q] = {%s, %s}}", name, inner.text(word), inner.text(name)) or nil)
  end
  local is_pair = aggregates.is_pair(word)
  local options = aggregates.options(entry, is_pair and 3 or 2, "what", where)
  if is_pair then options.other = other_of(g, name, entry, options, where, read) end
  if options.by ~= nil then
    for key in next, options do
      if key ~= "by" and key ~= "fill" then fail("what", where("by and " .. key) .. ", expected one of them") end
    end
    options.by = read(options.by)
    if not operands.is_tensor(options.by) then
      fail("what", where(inner.text(options.by) .. " as by") .. ", expected a tensor or a column's name")
    end
    check_line(g, options.by, name)
  end
  return {name = name, word = word, src = src, is_line = reads and is_line, options = options}
end

-- Returns what agg is to compute, by the result's names.
local function read_entries(g, what, columns)
  local names, given = aggregates.listed(what, "src", 'g:agg{total = {"sum", src}}',
    'g:agg{total = {"sum", src}}, or g:agg{{"total", "sum", src}}')
  local entries = {}
  for i = 1, #names do entries[i] = read_entry(g, names[i], given[i], columns) end
  return names, entries
end

-- Returns copies of the keys as columns, and g's table.
local function key_columns(g)
  local names, keys, table_of = inner.grouping_keys(g, true)
  local columns = {names = table.move(names or {}, 1, #keys, 1, {}), tensors = keys}
  tables.name_keys(columns)
  return columns, table_of
end

local NO_EMPTY <const> = {min = true, max = true, first = true, last = true}

-- Returns results of the groups of a table, which may be those of resample: of empty groups missing elements.
local function with_empty(g, word, t, fill)
  if fill ~= nil or not NO_EMPTY[word] or is_float(t) or not has_gaps(g) then return t end
  local at = strew.arange(g.n, {device = t.device}):masked_fill(g.counts:eq(0), -1)
  return missing.choose({names = {word}, tensors = {t}, argument = "src"}, 1, at, missing.gaps(at))
end

local function agg(g, what)
  local result, table_of = key_columns(g)
  local columns = table_of and tables.read(table_of, "self")
  if columns then columns.argument, columns.table, columns.made = "the table", table_of, {} end
  local names, entries = read_entries(g, what, columns)
  local is_key = {}
  for i = 1, #result.names do is_key[result.names[i]] = true end
  for i = 1, #names do
    if is_key[names[i]] then fail("what", format("has the name of a key, %s", inner.text(names[i]))) end
  end
  for i = 1, #entries do
    local entry = entries[i]
    if not entry.is_line and operands.is_tensor(entry.src) then check_line(g, entry.src, entry.name) end
  end
  local made, keys = aggregates.make(g, entries), #result.names
  for i = 1, #names do
    local entry = entries[i]
    local t = table_of and not entry.options.by and with_empty(g, entry.word, made[i], entry.options.fill) or made[i]
    result.names[keys + i], result.tensors[keys + i] = names[i], t
  end
  return tables.make(result)
end

---------------------------------------------------------------------------------------------------- columns, and loops

-- Returns the columns of g's table.
local function own_columns(g)
  local table_of = inner.grouping_table(g)
  local columns = tables.read(table_of, "self")
  columns.argument, columns.table = "the table", table_of
  return columns
end

-- Returns a column by its name, or what a text makes of columns.
local function column_of(columns, given, argument)
  return expressions.try(columns.table, columns, given, argument, false)
    or columns.tensors[tables.position(columns, given, argument)]
end

-- Methods whose result has a row for each element; those of no column in particular.
local OF_ELEMENTS <const>, OF_ONE <const> = {}, {argsort = true, topk = true, describe = true}
for name in string.gmatch(
  "cumsum rank shift diff pct_change share ffill bfill interpolate softmax log_softmax scan transform", "[%w_]+") do
  OF_ELEMENTS[name] = true
end

-- The second column of methods that take two.
local SECOND <const> = {corr = "other", cov = "other", interpolate = "t"}

-- g:NAME(src, ...) with names of columns, or texts of them, in place of src. Several give a table, keys first.
local function of_columns(g, name, src, ...)
  local columns = own_columns(g)
  local call, given = g[name], table.pack(...) -- in a local, as a call g.name() would get the hint of a script's
  if type(src) == "table" and rawget(src, "src") ~= nil then
    local by_name = {}
    for key, value in next, src do
      local is_column = type(value) == "string" and (key == "src" or key == SECOND[name])
      by_name[key] = is_column and column_of(columns, value, key) or value
    end
    return call(g, by_name)
  end
  local second = type(given[1]) == "string" and SECOND[name]
  if second then given[1] = column_of(columns, given[1], second) end
  if name ~= "transform" and type(given[1]) == "string" and tables.place(columns, given[1]) then
    fail("src", format("is a column, and %s another one", tables.quoted(given[1])),
      format("g:%s{%s, %s} has both", name, inner.text(src), tables.quoted(given[1])))
  end
  local options = type(given[given.n]) == "table" and given[given.n] or {}
  local function results(first, ...) return with_empty(g, name, first, options.fill), ... end
  if type(src) ~= "table" then
    return results(call(g, type(src) == "string" and column_of(columns, src, "src") or src,
      table.unpack(given, 1, given.n)))
  end
  if OF_ONE[name] then fail("src", format("has %d columns, expected one", rawlen(src))) end
  local out = key_columns(g)
  if OF_ELEMENTS[name] then
    local none = missing.gaps(g.ids)
    for k = 1, #out.names do out.tensors[k] = missing.choose(out, k, g.ids, none) end
  end
  for k = 1, rawlen(src) do
    local one = rawget(src, k)
    if type(one) ~= "string" then
      fail("src", format("has %s at [%d], expected a column's name", inner.text(one), k))
    elseif tables.place(out, one) then
      fail("src", format("has %s, which is a key, or there twice", inner.text(one)))
    end
    local t = results(call(g, column_of(columns, one, "src"), table.unpack(given, 1, given.n)))
    out.names[#out.names + 1], out.tensors[#out.tensors + 1] = one, t
  end
  return tables.make(out)
end

-- Returns an iterator: the key of each group (of several keys a table of them; of ids the number), and its rows: a
-- table of columns, or positions.
local function each(g)
  local table_of = inner.grouping_table(g)
  local keys = tables.try(g.keys)
  local order, starts, k, n = g:order(), g:starts():tolist(), 0, g.n
  local rows = table_of and tables.select(own_columns(g), order, "self") or {names = {}, tensors = {order}}
  local function key_at(at)
    if not keys then return at end
    if #keys.names == 1 then return keys.tensors[1][at] end
    local key = {}
    for i, name in ipairs(keys.names) do key[name] = keys.tensors[i][at] end
    return key
  end
  return function()
    k = k + 1
    if k > n then return nil end
    local part = tables.map(rows, function(t) return t:narrow(0, starts[k], starts[k + 1] - starts[k]) end)
    return key_at(k - 1), table_of and tables.make(part) or part.tensors[1]
  end
end

-- Returns the first or last n rows of each group, in the order of the table, or their positions.
local function ends(is_last)
  return {"self:grouping n?integer", function(g, n)
    n = n or 5
    if n < 0 then fail("n", format("is %d, expected 0 or more", n), nil, "value", n) end
    local place = inner.group_rank(g, strew.arange(g.length, {device = g.device}), is_last)
    local at = (place:ge(0) & place:lt(n)):nonzero():squeeze(1)
    local table_of = inner.grouping_table(g)
    return table_of and tables.make(tables.select(own_columns(g), at, "self")) or at
  end}
end

-- Methods take the arguments that scatter_NAME does, but no dim_size and mode. A few list them in another order.
local SPREAD = "dim?dim dtype=dtype skip_nan=boolean unbiased=boolean correction=number exact=boolean"
local own_texts = {var = SPREAD, std = SPREAD, logsumexp = "dim?dim fill=fill out=tensor skip_nan=boolean"}
local methods, makers = {}, {sum = arithmetic, prod = arithmetic, mean = arithmetic}
for _, word in ipairs{"var", "std", "median", "lower_median"} do
  makers[word] = function(_, parameters) return of_table(word, parameters) end
end
for _, row in ipairs(inner.reductions()) do
  local parameters = string.gsub(string.gsub(row.parameters, "src:tensor!? index:index ", ""), "dim_size%S+ ?", "")
  local make = makers[row.word] or row.becomes_nan and reduction_or_nan or reduction
  parameters = own_texts[row.word] or
      string.gsub(string.gsub(string.gsub(parameters, "mode=mode ", ""), "%b()", ""), "destination", "tensor")
  methods["g:" .. row.word] = make(row.name, parameters, row.word)
end

local others = {
  ["g:softmax"] = reduction("scatter_softmax", "dim?dim"),
  ["g:log_softmax"] = reduction("scatter_log_softmax", "dim?dim"),
  ["g:quantile"] = {methods["g:quantile"][1], function(g, src, q, dim, interpolation, fill, skip_nan)
    local options = {dim = dim, interpolation = interpolation, fill = fill, skip_nan = skip_nan}
    return aggregates.checked("src", g, inner.group_quantile, src, g, q, options)
  end},
  ["g:count"] = {"self:grouping src?tensor skip_nan=boolean", count},
  ["g:argsort"] = {"self:grouping src:tensor descending?boolean nulls=word", argsort},
  ["g:rank"] = {"self:grouping src:tensor descending?boolean nulls=word ties=word", rank},
  ["g:topk"] = {"self:grouping src:tensor k:integer largest?boolean nulls=word", topk},
  ["g:cumsum"] = {"self:grouping src:tensor dtype=word skip_nan=boolean", cumsum},
  ["g:agg"] = {"self:grouping what:table", agg},
  ["g:each"] = {"self:grouping", each},
  ["g:head"] = ends(false),
  ["g:tail"] = ends(true),
}
for name, row in pairs(others) do methods[name] = row end
methods.of_columns = of_columns
return methods
