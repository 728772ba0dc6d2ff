-- rows.lua: rows and columns of tables.
local _, fail, use, inner = ...
local operands, tables = use "operands.lua", use "tables.lua"

-- Returns the words of a column that a script gives, or nil.
local function given_words(words, name)
  local list = words and rawget(words, name)
  if list == nil then return nil end
  if type(list) ~= "table" then
    fail("words", ("has %s for column %s, expected a sequence of strings"):format(inner.shown(list),
      tables.quoted(name)))
  end
  for code = 1, rawlen(list) do
    if type(rawget(list, code)) ~= "string" then
      fail("words", ("has %s at [%d] for column %s, expected a string"):format(inner.shown(rawget(list, code)), code,
        tables.quoted(name)))
    end
  end
  return list
end

local function columns(x, which, words)
  local all, chosen = tables.read(x, "x", true), {names = {}, tensors = {}, words = {}}
  if which == nil and words == nil then return all.names end
  if which == nil then which = all.names end
  local is_sequence = math.type(all.names[1]) == "integer"
  for k, i in ipairs(tables.positions(all, which, "which")) do
    chosen.names[k] = is_sequence and k or all.names[i]
    chosen.tensors[k], chosen.words[k] = all.tensors[i], given_words(words, all.names[i]) or all.words[i]
  end
  return tables.make(chosen)
end

-- Returns the rows that `which`, the script's argument of that name, chooses.
local function rows(x, which, argument)
  argument = argument or "which"
  local all = tables.read(x, "x")
  if which:dim() ~= 1 then
    fail(argument, ("has %d dimensions, expected 1"):format(which:dim()),
      which:dim() > 1 and argument .. ":flatten()" or nil, "shape")
  end
  if which.dtype == "bool" then
    if which:numel() ~= all.rows then
      fail(argument, ("has %d elements, x has %d rows"):format(which:numel(), all.rows), nil, "shape")
    end
    which = which:nonzero():squeeze(1)
  elseif not operands.is_index(which) and which:numel() > 0 then
    fail(argument, ("is %s, expected bool, int64 or int32"):format(which.dtype),
      ('%s:ne(0) makes a bool tensor, %s:to("int64") positions'):format(argument, argument), "dtype")
  end
  return tables.make(tables.select(all, which, argument))
end

-- Returns, for each of n columns, whether its order is descending.
local function directions(descending, n)
  local list = {}
  for k = 1, n do list[k] = descending == true end
  if descending == nil or type(descending) == "boolean" then return list end
  local is_list = type(descending) == "table" and rawlen(descending) == n
  for k = 1, n do
    list[k] = is_list and rawget(descending, k)
    is_list = is_list and type(list[k]) == "boolean"
  end
  if is_list then return list end
  fail("descending", ("is %s, expected a boolean, or a sequence of %d, one for each column"):format(
    inner.shown(descending), n))
end

-- A stable sort by each column in turn, the most important one last.
local function sort_by(x, by, descending)
  local all, order = tables.read(x, "x"), nil
  local positions = tables.positions(all, by, "by")
  local is_descending = directions(descending, #positions)
  for k = #positions, 1, -1 do
    local key = tables.key(all, positions[k], "by")
    local _, moved = (order and key:gather(0, order) or key):sort(0, is_descending[k])
    order = order and order:gather(0, moved) or moved
  end
  return tables.make(tables.select(all, order, "x"))
end

-- Returns the number that stands for a word in a text column.
local function code(x, column, word)
  local all = tables.read(x, "x", true)
  local positions = tables.positions(all, column, "column")
  if #positions ~= 1 then fail("column", ("names %d columns, expected one"):format(#positions)) end
  local words = all.words[positions[1]]
  if not words then fail("column", ("names %s, a column of numbers, expected text"):format(tables.quoted(column))) end
  for i = 1, #words do
    if words[i] == word then return i - 1 end
  end
  local nearest = inner.nearest(word, words)
  fail("word", ('is "%s", which is not in column %s'):format(word:sub(1, 40), tables.quoted(column)),
    nearest and ("did you mean '%s'?"):format(nearest), "value")
end

-- x[index] for an index that is no column's name: rows for a tensor; an error for a name that resembles a column's;
-- else nil, as in any Lua table. Names may differ in their digits: scripts look for column4 after column3.
local function missing(about, index)
  local x = getmetatable(about).columns
  if operands.is_tensor(index) then return rows(x, index, "index") end
  local nearest = type(index) == "string" and inner.nearest(index, (tables.names(x)))
  if not nearest or nearest:gsub("%d", "") == index:gsub("%d", "") then return inner.missed(x, index) end
  fail(nil, ('no column "%s"'):format(index:sub(1, 60)), ("did you mean '%s'?"):format(nearest))
end

-- #x: the number of rows; of a sequence of columns their number, as Lua's own functions of sequences expect.
local function length(x)
  if rawlen(x) > 0 then return rawlen(x) end
  local all = tables.try(x)
  return all and all.rows or 0
end

return {
  columns = {"x:table which~any words~table", columns},
  rows = {"x:table which:tensor", function(x, which) return rows(x, which) end},
  code = {"x:table column:any word:word", code},
  sort_by = {"x:table by:any descending?any", sort_by},
  table = {"about:table index~any", missing},
  length = {"x:table other~any", length},
}
