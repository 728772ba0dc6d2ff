-- draws.lua: the calls that same.lua records: draw(kind, k, device) returns {f =, arguments, n =, name = its text}, the
-- k-th of a kind: the name of an operation of calls.lua; "family", calls of the scatter family with options, of
-- groupings, segments and tables of columns; "wrong", one of both with a wrong argument. It is always the same call.
local strew = require "strew"
local calls = dofile "tests/calls.lua"
local random, any = math.random, calls.any

local floats = {"float32", "float32", "float64", "float16", "bfloat16"}
local numbers = {"int64", "int32", "int16", "int8", "uint8", table.unpack(floats)}
local dtypes = {"bool", table.unpack(numbers)}
local modes = {"error", "wrap", "clip", "drop"}
local reductions = {"sum", "prod", "mean", "amax", "amin"}

-- ------------------------------------------------------------------------------------------------------ the operands

local function chance(n) return random(n) == 1 end

local function shape_of(least)
  local shape = {}
  for d = 1, random(least, 4) do shape[d] = chance(20) and 0 or random(5) end
  if #shape > 0 and chance(80) then shape = any{{50000}, {9000, 7}, {3, 12000}, {2, 3, 6000}} end
  return shape
end

-- Index values of that mode for a dimension of `size`; few different ones, so that they repeat; sometimes sorted, equal
-- or expanded. In one of 30 a value is out of range.
local function index_of(d, shape, size, mode)
  local low, high = 0, math.max(size, 1)
  if mode == "wrap" then low = -high end
  if mode == "clip" or mode == "drop" or chance(30) then low, high = -2, high + 2 end
  local narrow = {table.unpack(shape)}
  local expands = #shape > 0 and chance(4)
  if expands then narrow[random(#narrow)] = 1 end
  local index = calls.laid_out(narrow, function(wide)
    return strew.randint(low, high, wide, {dtype = any{"int64", "int32"}, device = "cpu"}):to(d.device)
  end)
  if #shape > 0 and chance(4) then index = index:to("cpu"):sort(-1):to(d.device) end
  return expands and index:expand(shape) or index
end

-- Of the words some, each with a value.
local values_of = {
  mode = function() return any(modes) end,
  dim_size = function(d) return d.groups + any{0, 0, 3} end,
  fill = function() return any{-1, 2, 0.5, 0 / 0, true} end,
  skip_nan = function() return not chance(4) end,
  unbiased = function() return chance(2) end,
  dtype = function() return any{"float64", "float64", "int64"} end,
  interpolation = function() return any{"linear", "lower", "higher", "midpoint", "nearest", "inverted_cdf"} end,
  reduce = function() return any(reductions) end,
  include_self = function() return chance(2) end,
  accumulate = function() return chance(2) end,
  alpha = function() return any{2, -1, 0.5} end,
  out = function(d, dim)
    local shape = {table.unpack(d.shape)}
    if #shape > 0 then shape[(dim or -1) % #shape + 1] = d.groups + random(0, 2) end
    return d:values(shape):clone()
  end,
}
local function options_of(d, words, dim)
  local options
  for word in words:gmatch "%S+" do
    if chance(3) then
      options = options or {}
      options[word] = values_of[word](d, dim)
    end
  end
  return options
end

local function operands(device, least, list)
  local d = calls.operands(any(list), shape_of(least), device)
  d.groups = any{1, 3, 5, 5, 300}
  return d
end

local function dim_of(d) return #d.shape == 0 and any{0, -1} or random(-#d.shape, #d.shape - 1) end
local function size_along(d, dim) return d.shape[dim % math.max(#d.shape, 1) + 1] or 1 end

-- --------------------------------------------------------------------------------------------------------- the family

local families = {} -- functions(device) that draw
local function family(count, f)
  for _ = 1, count do table.insert(families, f) end
end

local function of_strew(name, ...)
  return {f = rawget(strew, name), name = "strew." .. name, n = select("#", ...), ...}
end

local sums, chosen = "dim_size fill mode skip_nan dtype out", "dim_size fill mode skip_nan"
local by_group = { -- name, the dtypes, its options
  {"sum", dtypes, sums}, {"mul", dtypes, sums}, {"mean", numbers, sums}, {"min", dtypes, chosen .. " out"},
  {"max", dtypes, chosen .. " out"}, {"var", floats, "dim_size unbiased mode skip_nan dtype"},
  {"std", floats, "dim_size unbiased mode skip_nan dtype"}, {"logsumexp", floats, chosen .. " out"},
  {"softmax", floats, "dim_size mode"}, {"log_softmax", floats, "dim_size mode"},
  {"quantile", floats, chosen .. " interpolation"}, {"median", numbers, chosen}, {"first", dtypes, chosen},
  {"last", dtypes, chosen}, {"any", dtypes, "dim_size mode skip_nan out"},
  {"all", dtypes, "dim_size mode skip_nan out"},
  {"nunique", dtypes, "dim_size mode skip_nan"},
}

-- The index of a call by group: of src's shape, or of one dimension; or a grouping.
local function groups_for(d, dim, options)
  local form, size = random(5), size_along(d, dim)
  local mode = options and options.mode
  if form <= 2 then return index_of(d, d.shape, d.groups, mode) end
  local line = index_of(d, {size}, d.groups, mode)
  if form <= 4 then return line end
  if options then options.mode, options.dim_size = nil, nil end
  return strew.grouping(line, {dim_size = d.groups, mode = mode or "drop"})
end

family(10, function(device)
  local name, list, words = table.unpack(any(by_group))
  local d = operands(device, 0, list)
  local dim = dim_of(d)
  local options = options_of(d, words, dim)
  local index = groups_for(d, dim, options)
  if name ~= "quantile" then return of_strew("scatter_" .. name, d:values(), index, dim, options) end
  return of_strew("scatter_quantile", d:values(), index, any{0.0, 0.3, 0.5, 1.0}, dim, options)
end)

family(2, function(device)
  local d = operands(device, 0, dtypes)
  local options = options_of(d, "dim_size mode")
  return of_strew("scatter_count", index_of(d, d.shape, d.groups, options and options.mode), options)
end)

-- By position, new or in place.
local function in_place(name) return chance(2) and name or name .. "_" end
local function wide_of(d, dim) return d:values(d:along(dim, d.groups)):clone() end

family(5, function(device)
  local d, name = operands(device, 0, dtypes), any{"scatter", "scatter_add", "scatter_reduce", "gather"}
  local dim = dim_of(d)
  local words = {scatter = "mode reduce", scatter_add = "mode", scatter_reduce = "mode include_self", gather = "mode"}
  local options = options_of(d, words[name])
  local index = index_of(d, d.shape, #d.shape == 0 and 1 or d.groups, options and options.mode)
  if name == "gather" then return of_strew(name, wide_of(d, dim), dim, index, options) end
  local src = name == "scatter" and chance(4) and any{2, 0.5, true} or d:values()
  if name ~= "scatter_reduce" then return of_strew(in_place(name), wide_of(d, dim), dim, index, src, options) end
  return of_strew(in_place(name), wide_of(d, dim), dim, index, src, any(reductions), options)
end)

family(3, function(device)
  local d = operands(device, 1, dtypes)
  local name, dim = any{"index_add", "index_copy", "index_reduce", "index_fill", "index_select"}, dim_of(d)
  local words = {index_add = "mode alpha", index_reduce = "mode include_self"}
  local options = options_of(d, words[name] or "mode")
  local index = index_of(d, {size_along(d, dim)}, d.groups, options and options.mode)
  if name == "index_select" then return of_strew(name, wide_of(d, dim), dim, index, options) end
  name = in_place(name)
  if name:find "fill" then return of_strew(name, wide_of(d, dim), dim, index, any{3, -0.5, true}, options) end
  if not name:find "reduce" then return of_strew(name, wide_of(d, dim), dim, index, d:values(), options) end
  return of_strew(name, wide_of(d, dim), dim, index, d:values(), any(reductions), options)
end)

family(2, function(device)
  local d, name = operands(device, 1, dtypes), any{"take", "put", "scatter_nd", "gather_nd", "index_put"}
  local words = {take = "mode", gather_nd = "mode", scatter_nd = "mode reduce"}
  local options, n = options_of(d, words[name] or "mode accumulate"), random(0, 6)
  local mode, self = options and options.mode, d:values():clone()
  if name == "take" then return of_strew(name, self, index_of(d, {n, 2}, self:numel(), mode), options) end
  if name == "put" then
    return of_strew(in_place(name), self, index_of(d, {n}, self:numel(), mode), d:values{n}, options)
  end
  local rest, lines = {n, table.unpack(d.shape, 2)}, name == "index_put" and {n} or {n, 1}
  local index = index_of(d, lines, d.shape[1], mode)
  if name == "gather_nd" then return of_strew(name, self, index, options) end
  if name == "scatter_nd" then return of_strew(in_place(name), self, index, d:values(rest), options) end
  return of_strew(in_place(name), self, {index}, d:values(rest), options)
end)

-- Of segments.
family(3, function(device)
  local d = operands(device, 1, numbers)
  local name = any{"segment_csr", "segment_coo", "gather_csr", "gather_coo", "segment_reduce"}
  local n, options = random(0, 6), options_of(d, "reduce")
  local lengths = strew.randint(0, 3, {name == "gather_csr" and d.shape[1] or n}, {device = "cpu"})
  local total = lengths:sum():item() + (chance(20) and 1 or 0)
  if name == "segment_csr" then return of_strew(name, d:values(), d:bounds(n, d.shape[1]), options) end
  if name == "gather_csr" then
    local ends = strew.cat{strew.zeros(1, {dtype = "int64", device = "cpu"}), lengths:cumsum(0)}
    return of_strew(name, d:values(), ends:to(device))
  end
  if name == "segment_reduce" then
    local reduce, data = any{"sum", "prod", "mean", "max", "min"}, d:values(d:along(0, total))
    return of_strew(name, data, reduce, {lengths = lengths:to(device), initial = chance(2) and any{1, 2} or nil})
  end
  local size = name == "gather_coo" and random(9) or d.shape[1]
  local index = index_of(d, {size}, d.groups):to("cpu"):sort(-1):to(device)
  return of_strew(name, d:values(), index, name == "segment_coo" and options or nil)
end)

-- ---------------------------------------------------------------------------------------------- groupings and tables

local function of_method(name, ...)
  return {f = function(g, ...) return g[name](g, ...) end, name = ":" .. name, n = select("#", ...), ...}
end

local function key(d)
  return chance(2) and d:positions(d.shape, 4) or calls.operands(any(dtypes), d.shape, d.device):values()
end

local function grouping_of(d)
  if chance(3) then return strew.group_by(key(d), key(d), {order = any{"sorted", "first"}}) end
  return strew.grouping(index_of(d, {d.shape[1]}, d.groups, "drop"), {dim_size = d.groups, mode = "drop"})
end

local function line_operands(device, list)
  local d = operands(device, 1, list)
  d.shape = {chance(30) and 60000 or random(0, 40)}
  return d
end

family(6, function(device)
  local d = line_operands(device, dtypes)
  local g, name = grouping_of(d), any{"argsort", "rank", "topk", "cumsum", "order", "starts", "count"}
  if name == "order" or name == "starts" then return of_method(name, g) end
  if name == "topk" then return of_method(name, g, d:values(), random(0, 4), chance(2)) end
  if name == "cumsum" or name == "count" then
    return of_method(name, g, d:values(), options_of(d, name == "count" and "skip_nan" or "skip_nan dtype"))
  end
  return of_method(name, g, d:values(), chance(2))
end)

family(6, function(device)
  local name, list, words = table.unpack(any(by_group))
  local d = line_operands(device, list)
  words = words:gsub("dim_size", ""):gsub("mode", ""):gsub("out", "")
  if name == "mul" then name = "prod" end
  local options = options_of(d, words)
  if name ~= "quantile" then return of_method(name, grouping_of(d), d:values(), options) end
  return of_method(name, grouping_of(d), d:values(), any{0.0, 0.3, 0.5, 1.0}, options)
end)

local words = {"sum", "prod", "mean", "var", "std", "min", "max", "any", "all", "first", "last", "median", "quantile",
  "nunique", "logsumexp"}
local takes_dtype = {sum = true, prod = true, mean = true, var = true, std = true}
local function aggregates_of(d, value)
  local what = {n = chance(2) and "count" or nil}
  for _, column in ipairs{"a", "b", "c"} do
    local list = any{floats, dtypes}
    what[column] = {any(words), value or calls.operands(any(list), d.shape, d.device):values()}
    if what[column][1] == "quantile" then what[column].q = any{0.0, 0.5, 0.9} end
    if chance(3) then what[column].skip_nan = true end
    if takes_dtype[what[column][1]] and chance(3) then what[column].dtype = any{"float64", "float64", "int64"} end
  end
  return what
end

family(4, function(device)
  local d = line_operands(device, floats)
  return of_method("agg", grouping_of(d), aggregates_of(d))
end)

family(3, function(device)
  local d = line_operands(device, dtypes)
  return of_strew("group_by", key(d), key(d), {order = any{"sorted", "first"}})
end)

-- Of a table with the columns city (text), year and v.
local city_words = {"Rome", "Oslo", "Bari", "", "Rom"}
local function columns(d)
  return {city = d:positions(d.shape, 5), year = key(d), v = d:values()}
end
local function of_table(name, f, ...)
  local function made(x, ...) return f(strew.columns(x, {"city", "year", "v"}, {city = city_words}), ...) end
  return {f = made, name = name, n = select("#", ...), ...}
end
local keys = {"city", "year", {"city", "year"}, {"year", "city"}}

family(3, function(device)
  local d = line_operands(device, numbers)
  local function agg(x, by, what) return strew.group_by(x, by):agg(what) end
  return of_table("of_columns.agg", agg, columns(d), any(keys), aggregates_of(d, "v"))
end)
family(3, function(device)
  local d = line_operands(device, numbers)
  local row, column, reduce = "year", "city", any(words)
  if chance(2) then row, column = column, row end
  local options = options_of(d, takes_dtype[reduce] and "fill dtype skip_nan" or "fill skip_nan")
  if reduce == "quantile" then reduce = {reduce, q = 0.25} end
  return of_table("of_columns.pivot", strew.pivot, columns(d), row, column, "v", reduce, options)
end)
family(3, function(device)
  local d = line_operands(device, numbers)
  local name = any{"value_counts", "sort_by", "rows", "join"}
  if name == "value_counts" then
    return of_table("of_columns." .. name, strew[name], columns(d), any(keys), options_of(d, "skip_nan"))
  end
  if name == "sort_by" then return of_table("of_columns." .. name, strew[name], columns(d), any(keys), chance(2)) end
  if name == "rows" then
    return of_table("of_columns." .. name, strew[name], columns(d), index_of(d, {3}, d.shape[1]))
  end
  local function join(x, y, ...) return strew.join(x, strew.columns(y, {"city", "year"}, {city = city_words}), ...) end
  local other = {city = d:positions({7}, 5), year = strew.randint(0, 4, {7}, {device = "cpu"}):to(device)}
  return of_table("of_columns.join", join, columns(d), other, any(keys), {how = any{"inner", "left"}})
end)

-- -------------------------------------------------------------------------------------------------------- wrong calls

local function freed()
  local t = strew.ones(2)
  t:free()
  return t
end

local wrong_options = {
  {mode = "raise"}, {mode = 1}, {dim_size = -1}, {dim_size = 1.5}, {skip_nan = 1}, {reduce = "avg"}, {fill = "x"},
  {dtype = "int8"}, {dtype = "float65"}, {out = 3}, {include_self = "no"}, {dim = 9}, {how = "outer"},
}

-- Values in the place of an argument.
local function wrong_value(d)
  local other = calls.operands(any(dtypes), {}, d.device)
  local n = random(22)
  if n <= 4 then return any{-9, 99, 7, 1 << 40, math.mininteger, 0.5, -0.0, 0 / 0, 1 / 0} end
  if n <= 7 then return any{"avg", "float33", "summ", "x", "", "0", "float64", "int64", "ERROR"} end
  if n == 8 then return chance(2) end
  if n == 9 then return nil end
  if n == 10 then return print end
  if n == 11 then return any{{}, {1, 2}, {{1}, {2, 3}}, {"a"}, {a = 1}, {mod = "wrap"}, {dims = 2}} end
  if n == 12 then return any(wrong_options) end
  if n == 13 then return freed() end
  if n == 14 then return strew.grouping(other:positions({3}, 4)) end
  if n <= 17 then return other:values(shape_of(0)) end
  local on = {dtype = any{"int64", "int32", "int8"}, device = "cpu"}
  return strew.randint(-9, 9, any{{}, {1}, {3}, {0}, {2, 3}, {5, 1}}, on):to(d.device)
end

local operation_names = {}
for _, name in ipairs(calls.names) do
  if not name:find "grad" then table.insert(operation_names, name) end
end

local function draw_operation(name, k, device, is_large)
  local call = calls.draw(name, k, device, is_large)
  call.name = rawget(strew, name) and "strew." .. name or ("calls.rows[%q].f"):format(name)
  return call
end

local function draw_wrong(k, device)
  local call
  if chance(2) then
    call = any(families)(device)
  else
    local name = any(operation_names)
    call = draw_operation(name, k, device)
    math.randomseed(k, 3)
  end
  local d, n = calls.operands("float32", {}, device), random(10)
  if n == 1 then
    call.n = math.max(call.n - 1, 0)
  elseif n == 2 then
    call.n = call.n + 1
    call[call.n] = wrong_value(d)
  else
    call[random(math.max(call.n, 1))] = wrong_value(d)
  end
  return call
end

local draws = {calls = calls, names = calls.names}

function draws.draw(kind, k, device, is_large)
  if kind ~= "family" and kind ~= "wrong" then return draw_operation(kind, k, device, is_large) end
  math.randomseed(k, kind == "family" and 1 or 2)
  strew.manual_seed(k)
  return (kind == "family" and any(families)(device)) or draw_wrong(k, device)
end

return draws
