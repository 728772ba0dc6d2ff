-- verbs.lua: rows and columns left out, filled, renamed and drawn; correlations. Of tables; those of rows of a tensor,
-- too, as of its one column.
local strew, fail, use, inner = ...
local operands, errors, tables = use "operands.lua", use "errors.lua", use "tables.lua"
local missing, expressions = use "missing.lua", use "expressions.lua"

local function read(x) return tables.read_any(x, "x") end

-- Returns the columns as x is: a table, or a tensor.
local function like(x, columns) return operands.is_tensor(x) and columns.tensors[1] or tables.make(columns) end

local function dropna(x, names, how)
  local columns = read(x)
  errors.check_word("how", how or "any", {"any", "all"})
  local positions = tables.positions(columns, names == nil and columns.names or names, "names")
  return like(x, missing.without(columns, positions, "x", how == "all"))
end

-- Returns x with f(columns, i, value, is_named) in place of each column, of a script's value for all (is_one: x has
-- one), or of values by column.
local function by_column(x, columns, value, argument, is_one, f)
  local is_by_name = type(value) == "table" and not operands.is_tensor(value)
  local out = {names = columns.names, tensors = {}}
  for i, t in ipairs(columns.tensors) do out.tensors[i] = is_by_name and t or f(columns, i, value, is_one) end
  for name, one in next, is_by_name and value or {} do
    local i = tables.position(columns, name, argument)
    out.tensors[i] = f(columns, i, one, true)
  end
  return like(x, out)
end

local KINDS <const> = {number = "number", boolean = "number", string = "text"}

-- Returns a column with a value in place of missing elements. is_named: the value is for this column, so that one of
-- another kind is an error.
local function filled(columns, i, value, is_named)
  local t, kind = columns.tensors[i], tables.kind(columns, i)
  local gaps, quoted = missing.of(t), tables.quoted(columns.names[i])
  local own = operands.is_tensor(value) and value.dtype or KINDS[type(value)]
  if not own then
    fail("value", format("is %s, expected a number, word or time%s", inner.text(value),
      is_named and "" or ", or these by column"), type(value) == "function" and "t:map(f) is of words" or nil)
  end
  local fits = own == kind or kind == "number" and own ~= "text" and own ~= "time" or is_named and kind == "time"
  if not fits and is_named then
    fail("value", format("has %s for column %s, which is %s", inner.text(value), quoted, t.dtype), nil, "dtype")
  end
  if not gaps or not fits then return t end
  if operands.is_tensor(value) and value:dim() > 0 then
    operands.check_shape(value, t.shape, "value")
    return strew.where(gaps, operands.as(value, t.dtype), t)
  end
  return errors.own(nil, "value", function(fact, hint) return format("for column %s %s", quoted, fact), hint end,
    strew.masked_fill, t, gaps, value)
end

local function fillna(x, value) return by_column(x, read(x), value, "value", operands.is_tensor(x), filled) end

-- Returns the column with that many digits, if it has numbers. is_named: the digits are for this column.
local function rounded(columns, i, digits, is_named)
  local t, n = columns.tensors[i], math.tointeger(digits)
  local where = is_named and format(" for column %s", tables.quoted(columns.names[i])) or ""
  if type(digits) ~= "number" or not n then
    fail("digits", format("%s %s%s, expected an integer%s", is_named and "has" or "is", inner.text(digits), where,
      is_named and "" or ", or integers by column"))
  end
  local is_number = tables.kind(columns, i) == "number" and t.dtype ~= "bool"
  if is_named and not is_number then
    fail("digits", format("has %s%s, which is %s, expected numbers", inner.text(digits), where, t.dtype), nil, "dtype")
  end
  return is_number and t:round(n) or t
end

local function round(x, digits)
  return by_column(x, tables.read(x, "x"), digits == nil and 0 or digits, "digits", false, rounded)
end

----------------------------------------------------------------------------------------------------- repeated rows

local MOST_KEYS <const> = 64 -- of a grouping

-- Returns the grouping of the rows by columns at positions; numbers of groups stand for more than MOST_KEYS.
local function rows_of(columns, positions)
  local keys = {}
  for k, i in ipairs(positions) do
    tables.check_key(columns, i, "names")
    keys[#keys + 1] = columns.tensors[i]
    if #keys == MOST_KEYS and k < #positions then keys = {strew.group_by(keys, {order = "first"}).ids} end
  end
  return strew.group_by(keys, {order = "first"})
end

-- Returns where rows are not the one that is kept of equal ones: the first, the last, or (false) one without others.
local function duplicated(x, names, keep)
  local columns = read(x)
  if keep == nil then keep = "first" end
  errors.check_word("keep", keep, {"first", "last", false})
  local g = rows_of(columns, expressions.positions(x, columns, names == nil and columns.names or names, "names"))
  if keep == false then return g.counts:gt(1)[g.ids] end
  local at = g.positions
  if keep == "last" then at = g:max(strew.arange(columns.rows, {device = columns.device})) end
  return strew.ones(columns.rows, {dtype = "bool", device = columns.device}):index_fill_(0, at, false)
end

local function drop_duplicates(x, names, keep)
  return like(x, tables.select(read(x), (~duplicated(x, names, keep)):nonzero():squeeze(1), "x"))
end

----------------------------------------------------------------------------------------------------------- columns

local function rename(x, names)
  local columns = tables.read(x, "x")
  local own = table.move(columns.names, 1, #columns.names, 1, {})
  for old, new in next, names do
    if type(new) ~= "string" then
      fail("names", format("has %s for %s, expected a name", inner.text(new), inner.text(old)), 'x:rename{old = "new"}')
    end
    own[tables.position(columns, old, "names")] = new
  end
  return tables.make_different({names = own, tensors = columns.tensors}, "names")
end

local function drop(x, names)
  local columns, is_left_out, rest = tables.read(x, "x"), {}, {}
  for _, i in ipairs(tables.positions(columns, names, "names")) do is_left_out[i] = true end
  for i, name in ipairs(columns.names) do
    if not is_left_out[i] then rest[#rest + 1] = name end
  end
  if #rest == 0 then fail("names", "has all columns, and leaves none") end
  return strew.columns(x, rest)
end

local function sample(x, n)
  local columns = read(x)
  if n < 0 or n > columns.rows then
    fail("n", format("is %d, expected 0..%d, the number of rows", n, columns.rows), nil, "value", n)
  end
  local order = strew.randperm(columns.rows, {device = columns.device}):narrow(0, 0, n)
  return like(x, tables.select(columns, order, "x"))
end

-- Returns a row for each part of the words of a column, with the other columns of its row.
local function explode(x, column, separator)
  local columns, words = tables.read(x, "x"), use "words.lua"
  local i = tables.position(columns, column, "column")
  local t = columns.tensors[i]
  if t.dtype ~= "text" or t:dim() ~= 1 then
    fail("column", format("is %s, which is %s, expected text", tables.quoted(column), t.dtype), nil, "dtype")
  elseif separator == "" then
    fail("separator", "is the empty word")
  end
  local list, numbers = words.used_in_order(t)
  if #list == 0 then return tables.make(tables.map(columns, function(c) return c:clone() end)) end
  local all, counts, starts = {}, {}, {}
  for k, word in ipairs(list) do
    local parts = use "rewording.lua".parts_of(word, separator)
    starts[k], counts[k] = #all, #parts
    table.move(parts, 1, #parts, #all + 1, all)
  end
  local own = {device = columns.device}
  counts = strew.tensor(counts, own)[numbers]
  local rows = strew.arange(columns.rows, own):repeat_interleave(counts)
  local first = (strew.tensor(starts, own)[numbers] - (counts:cumsum(0) - counts)):index_select(0, rows)
  local out = tables.select(columns, rows, "x")
  out.tensors[i] = strew.tensor(all, own):index_select(0, first + strew.arange(#rows, own))
  return tables.make(out)
end

------------------------------------------------------------------------------------------------------ correlations

-- Returns the distances of a line from its mean, and the sum of their squares; by ranks: of its ranks.
local function centered(line, by_ranks)
  local row = by_ranks and strew.rank(line):to(line.dtype) or line
  row = row - row:mean()
  return row, row:square():sum()
end

-- Returns the correlations of lines of floats, a matrix, NaN of those with NaN; by ranks: of their ranks.
local function correlations(lines, by_ranks)
  local rows, squares, products = {}, {}, {}
  for i, line in ipairs(lines) do rows[i], squares[i] = centered(line, by_ranks) end
  local all = strew.stack(rows)
  squares = strew.stack(squares)
  for i, row in ipairs(rows) do products[i] = strew.vecdot(all, row:expand_as(all)) end
  local most = (squares:unsqueeze(1) * squares):sqrt()
  return strew.where(most:gt(0), (strew.stack(products) / most):clamp(-1, 1), 0 / 0)
end

-- Returns the correlation of two lines over the elements that both have.
local function correlation(a, b, by_ranks)
  local both = ~(a:isnan() | b:isnan())
  if not both:all():item() then a, b = a[both], b[both] end
  if #a < 2 then return 0 / 0 end
  local x, of_x = centered(a, by_ranks)
  local y, of_y = centered(b, by_ranks)
  local most = (of_x * of_y):sqrt():item()
  return most > 0 and math.min(math.max(x:dot(y):item() / most, -1), 1) or 0 / 0
end

-- Returns the correlation of two tensors.
local function corr_of(a, b, by_ranks)
  for k, name in ipairs{"x", "other"} do
    local t = k == 1 and a or b
    if not operands.is_tensor(t) then fail(name, format("is %s, expected a tensor", inner.text(t))) end
    operands.check_rank(t, name, 1, 1, "1")
    if t.dtype == "text" or t.dtype == "time" then
      fail(name, format("is %s, expected numbers", t.dtype), nil, "dtype")
    end
  end
  operands.check_shape(b, a.shape, "other")
  operands.check_device(a, b, "other")
  local dtype = operands.widest(a)
  return strew.tensor(correlation(operands.as(a, dtype), operands.as(b, dtype), by_ranks),
    {dtype = dtype, device = a.device})
end

local function corr(x, other, method)
  errors.check_word("method", method or "pearson", {"pearson", "spearman"})
  local by_ranks = method == "spearman"
  if operands.is_tensor(x) then return corr_of(x, other, by_ranks) end
  local columns, names, lines, out = read(x), {}, {}, {}
  if other ~= nil then fail("other", "is given, but x is a table, expected a tensor") end
  for i, name in ipairs(columns.names) do
    local t, kind = columns.tensors[i], tables.kind(columns, i)
    if t:dim() == 1 and kind ~= "text" and kind ~= "time" then
      names[#names + 1], lines[#lines + 1] = tostring(name), operands.as(t, operands.widest(t))
    end
  end
  if #names == 0 then fail("x", "has no column of numbers", nil, "dtype") end
  local all, gaps = correlations(lines, by_ranks), strew.stack(lines):isnan():any(1)
  if gaps:any():item() then -- columns with gaps have NaN there
    local rows, has_gaps = all:tolist(), gaps:tolist()
    for i, row in ipairs(rows) do
      for k = 1, #row do
        if has_gaps[i] or has_gaps[k] then
          row[k] = k < i and rows[k][i] or correlation(lines[i], lines[k], by_ranks)
        end
      end
    end
    all = strew.tensor(rows, {dtype = all.dtype, device = all.device})
  end
  for i, name in ipairs(names) do out[i + 1] = {name, all:select(0, i - 1)} end
  out[1] = {"column", strew.tensor(names, {device = columns.device})}
  return strew.table(out)
end

return {
  dropna = {"x:any names?any how=word", dropna},
  fillna = {"x:any value~any", fillna},
  duplicated = {"x:any names?any keep=any", duplicated},
  drop_duplicates = {"x:any names?any keep=any", drop_duplicates},
  round = {"x:table digits~any", round},
  rename = {"x:table names~table", rename},
  drop = {"x:table names:any", drop},
  sample = {"x:any n:integer", sample},
  explode = {"x:table column:any separator:word", explode},
  corr = {"x:any other?any method=word", corr},
}
