-- keys.lua: key tables whose keys are columns of tables. Text columns are keyed by their words, whose codes differ from
-- table to table: the key table has a list of its own, and a map of codes for each list of words that it has seen last.
local strew, fail, use, inner = ...
local operands, tables = use "operands.lua", use "tables.lua"

-- The codes of the words of a list, as a list; new words are added to those of the key table.
local function codes_of(known, words, from)
  local codes = {}
  for k = from, #words do
    local word = words[k]
    if type(word) ~= "string" then fail("x", "has words that are not strings") end
    if not known.codes[word] then
      table.insert(known.words, word)
      known.codes[word] = #known.words - 1
    end
    codes[#codes + 1] = known.codes[word]
    if known.codes[word] ~= k - 1 then known.is_same = false end
  end
  return codes
end

-- Updates the map of codes: lists of words grow from chunk to chunk.
local function update(known, words)
  if known.list ~= words or known.count > #words then
    known.list, known.count, known.map, known.is_same = words, 0, nil, true
  end
  if known.count == #words then return end
  local codes = strew.tensor(codes_of(known, words, known.count + 1), {dtype = "int64", device = "cpu"})
  known.map = known.map and strew.cat{known.map, codes} or codes
  known.count = #words
end

-- Column i as it is compared: for text the codes of the key table's own words.
local function key_of(state, k, columns, i)
  local t, words = columns.tensors[i], columns.words[i]
  local known = state.words[k]
  if (known ~= nil) ~= (words ~= nil) and state.is_begun then
    fail("x", ("has %s in column %s, which had %s before"):format(words and "words" or "numbers",
      tables.quoted(columns.names[i]), words and "numbers" or "words"))
  end
  if not words then return t end
  if not tables.holds_codes(t) then
    fail("x", ("has words for a column %s of %s, expected an integer dtype"):format(tables.quoted(columns.names[i]),
      t.dtype), nil, "dtype")
  end
  known = known or {words = {}, codes = {}, count = 0}
  state.words[k] = known
  update(known, words)
  if known.is_same and t.dtype == "int64" then return t end
  local map = known.map or strew.zeros(0, {dtype = "int64"})
  return map:to(t.device):gather(0, operands.is_index(t) and t or t:to("int64"))
end

local function ids(self, x, by)
  local state, count, n = inner.key_state(self)
  local columns = tables.read(x, "x")
  local positions = tables.positions(columns, by, "columns")
  if #positions ~= count then
    fail("columns", ("has %d names, expected %d, the columns of the key table"):format(#positions, count))
  end
  if not state.names and n > 0 then
    fail("x", "is a table, the keys before were tensors")
  end
  local names, keys = {}, {}
  state.words = state.words or {}
  for k, i in ipairs(positions) do
    names[k] = columns.names[i]
    keys[k] = key_of(state, k, columns, i)
  end
  local result = inner.key_ids(self, table.unpack(keys))
  state.names, state.is_begun = state.names or names, true
  return result
end

local function keys_of(self)
  local state = inner.key_state(self)
  local columns = {names = {}, tensors = inner.keys_of(self), words = {}}
  for k, name in ipairs(state.names) do
    columns.names[k] = math.type(name) == "integer" and k or name
    columns.words[k] = state.words[k] and state.words[k].words
  end
  columns.words = tables.copy_words(columns)
  return tables.make(columns)
end

return {
  ids = {"self:any x:table columns:any", ids},
  keys = {"self:any field:any", keys_of},
}
