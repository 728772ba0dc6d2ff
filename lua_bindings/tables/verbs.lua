-- verbs.lua: rows and columns left out, filled, renamed and drawn; correlations. Of tables; those of rows of a tensor,
-- too, as of its one column.
local strew, fail, use, inner = ...
local operands, errors, tables = use "operands.lua", use "errors.lua", use "tables.lua"
local missing, grouped = use "missing.lua", use "grouped.lua"

-- Returns the columns of a table, or of a tensor as one.
local function read(x)
  if type(x) == "table" then return tables.read(x, "x") end
  if not operands.is_tensor(x) then
    fail("x", format("is %s, expected a tensor or a table of columns", inner.text(x)))
  end
  operands.check_rank(x, "x", 1, operands.MANY, "1 or more")
  return {names = {"value"}, tensors = {x}, rows = x:size(0), device = x.device, argument = "x"}
end

-- Returns the columns as x is: a table, or a tensor.
local function like(x, columns) return operands.is_tensor(x) and columns.tensors[1] or tables.make(columns) end

-- Returns the positions of columns that a script names; nil: all.
local function named(columns, names)
  return tables.positions(columns, names == nil and columns.names or names, "names")
end

local function dropna(x, names)
  local columns = read(x)
  return like(x, missing.without(columns, named(columns, names), "x"))
end

----------------------------------------------------------------------------------------------------------- filling

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

local function fillna(x, value)
  local columns, out = read(x), {tensors = {}}
  out.names = columns.names
  local is_by_name = type(value) == "table" and not operands.is_tensor(value)
  for i = 1, #columns.names do
    out.tensors[i] = is_by_name and columns.tensors[i] or filled(columns, i, value, operands.is_tensor(x))
  end
  for name, one in next, is_by_name and value or {} do
    local i = tables.position(columns, name, "value")
    out.tensors[i] = filled(columns, i, one, true)
  end
  return like(x, out)
end

----------------------------------------------------------------------------------------------------- repeated rows

-- Returns the positions of the first one of equal rows.
local function firsts(columns, names)
  local g = grouped.groups_of(columns, named(columns, names), "first", "names")
  return g.positions
end

local function duplicated(x, names)
  local columns = read(x)
  local repeated = strew.ones(columns.rows, {dtype = "bool", device = columns.device})
  return repeated:index_fill_(0, firsts(columns, names), false)
end

local function drop_duplicates(x, names)
  local columns = read(x)
  return like(x, tables.select(columns, firsts(columns, names), "x"))
end

----------------------------------------------------------------------------------------------------------- columns

local function rename(x, names)
  local columns, is_taken = tables.read(x, "x"), {}
  local own = table.move(columns.names, 1, #columns.names, 1, {})
  for old, new in next, names do
    if type(new) ~= "string" then
      fail("names", format("has %s for %s, expected a name", inner.text(new), inner.text(old)), 'x:rename{old = "new"}')
    end
    own[tables.position(columns, old, "names")] = new
  end
  for _, name in ipairs(own) do
    if is_taken[name] then fail("names", format("makes two columns %s", tables.quoted(name))) end
    is_taken[name] = true
  end
  return tables.make{names = own, tensors = columns.tensors}
end

local function drop(x, names)
  local columns, is_left_out, out = tables.read(x, "x"), {}, {names = {}, tensors = {}}
  for _, i in ipairs(tables.positions(columns, names, "names")) do is_left_out[i] = true end
  for i, name in ipairs(columns.names) do
    if not is_left_out[i] then
      out.names[#out.names + 1] = type(name) == "string" and name or #out.names + 1
      out.tensors[#out.tensors + 1] = columns.tensors[i]
    end
  end
  if #out.names == 0 then fail("names", "has all columns, and leaves none") end
  return tables.make(out)
end

local function sample(x, n)
  local columns = read(x)
  if n < 0 or n > columns.rows then
    fail("n", format("is %d, expected 0..%d, the number of rows", n, columns.rows), nil, "value", n)
  end
  local order = strew.randperm(columns.rows, {device = columns.device}):narrow(0, 0, n)
  return like(x, tables.select(columns, order, "x"))
end

------------------------------------------------------------------------------------------------------ correlations

-- Returns the correlation of two lines of floats over the elements that both have.
local function correlation(a, b)
  local both = ~(a:isnan() | b:isnan())
  if not both:all():item() then a, b = a[both], b[both] end
  if #a < 2 then return 0 / 0 end
  a, b = a - a:mean(), b - b:mean()
  local product = (a:square():sum() * b:square():sum()):sqrt():item()
  return product > 0 and math.min(math.max(a:dot(b):item() / product, -1), 1) or 0 / 0
end

local function corr(x)
  local columns, names, lines = tables.read(x, "x"), {}, {}
  for i, name in ipairs(columns.names) do
    local t, kind = columns.tensors[i], tables.kind(columns, i)
    if t:dim() == 1 and kind ~= "text" and kind ~= "time" then
      names[#names + 1], lines[#lines + 1] = tostring(name), operands.as(t, operands.widest(t))
    end
  end
  if #names == 0 then fail("x", "has no column of numbers", nil, "dtype") end
  local out, values = {{"column", strew.tensor(names, {device = columns.device})}}, {}
  for i, name in ipairs(names) do
    values[i] = {}
    for k = 1, #names do values[i][k] = k < i and values[k][i] or correlation(lines[i], lines[k]) end
    out[i + 1] = {name, strew.tensor(values[i], {dtype = lines[i].dtype, device = columns.device})}
  end
  return strew.table(out)
end

return {
  dropna = {"x:any names?any", dropna},
  fillna = {"x:any value~any", fillna},
  duplicated = {"x:any names?any", duplicated},
  drop_duplicates = {"x:any names?any", drop_duplicates},
  rename = {"x:table names~table", rename},
  drop = {"x:table names:any", drop},
  sample = {"x:any n:integer", sample},
  corr = {"x:table", corr},
}
