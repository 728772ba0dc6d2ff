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

local function rows(x, which)
  local all = tables.read(x, "x")
  if which:dim() ~= 1 then
    fail("which", ("has %d dimensions, expected 1"):format(which:dim()), which:dim() > 1 and "which:flatten()" or nil,
      "shape")
  end
  if which.dtype == "bool" then
    if which:numel() ~= all.rows then
      fail("which", ("has %d elements, x has %d rows"):format(which:numel(), all.rows), nil, "shape")
    end
    which = which:nonzero():squeeze(1)
  elseif not operands.is_index(which) and which:numel() > 0 then
    fail("which", ("is %s, expected bool, int64 or int32"):format(which.dtype),
      'which:ne(0) makes a bool tensor, which:to("int64") positions', "dtype")
  end
  return tables.make(tables.select(all, which, "which"))
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

-- x.name for a name that x lacks: nil, as in any Lua table; an error for a name that resembles a column's. Names may
-- differ in their digits: scripts look for column4 after column3.
local function misspelt(about, name)
  local x = getmetatable(about).columns
  local nearest = type(name) == "string" and inner.nearest(name, (tables.names(x)))
  if not nearest or nearest:gsub("%d", "") == name:gsub("%d", "") then return nil end
  fail(nil, ('no column "%s"'):format(name:sub(1, 60)), ("did you mean '%s'?"):format(nearest))
end

return {
  columns = {"x:table which~any words~table", columns},
  rows = {"x:table which:tensor", rows},
  code = {"x:table column:any word:word", code},
  sort_by = {"x:table by:any descending?any", sort_by},
  table = {"about:table name~any", misspelt},
}
