-- keys.lua: key tables whose keys are text or times, or columns of tables. Text is keyed by codes of a list of words
-- that the key table has for each of its columns, and that grows; times by their microseconds.
local strew, fail, use, inner = ...
local operands, tables = use "operands.lua", use "tables.lua"

local KINDS <const> = {text = "words", time = "times"}

-- Returns what key k is compared by. state.kinds[k]: what it has; state.texts[k]: a text without elements, of all its
-- words. differs(kind, before) raises an error.
local function key_of(state, k, t, differs)
  local kind = KINDS[t.dtype] or "numbers"
  if state.is_begun and kind ~= state.kinds[k] then differs(kind, state.kinds[k]) end
  state.kinds[k] = kind
  if kind ~= "words" then return kind == "times" and t:to("int64") or t end
  local known = state.texts[k]
  local all = known and strew.cat{known:to(t.device), t} or t -- known has no elements, and its words come first
  state.texts[k] = all:narrow(0, 0, 0):clone()
  return all:codes():to("int64")
end

-- Returns the user value, and the number of columns and keys. The keys before were numbers if it has no kinds.
local function state_of(self)
  local state, count, n = inner.key_state(self)
  if not state.kinds then
    state.kinds, state.texts, state.is_begun = {}, {}, n > 0
    for k = 1, count do state.kinds[k] = "numbers" end
  end
  return state, count, n
end

-- Returns the ids of keys, of columns that have names.
local function ids_of(self, state, keys, names)
  local result = inner.key_ids(self, table.unpack(keys))
  state.names, state.is_begun = state.names or names, true
  return result
end

local function ids_of_tensors(self, given)
  local state, count = state_of(self)
  if state.names and type(state.names[1]) == "string" then
    fail("k1", "is a tensor, the keys before came from columns of tables, expected a table")
  elseif given.n ~= count then
    fail(nil, format("has %s key%s, expected %d, the columns of the key table", inner.text(given.n),
      given.n == 1 and "" or "s", count))
  end
  local keys, names = {}, {}
  for k = 1, count do
    if not operands.is_tensor(given[k]) then
      fail(nil, format("key %d is %s, expected a tensor", k, inner.text(given[k])))
    end
    if not inner.is_open(given[k]) then fail(nil, format("key %d was freed", k), nil, "freed") end
  end
  for k = 1, count do
    names[k] = k
    keys[k] = key_of(state, k, given[k], function(kind, before)
      fail("k" .. k, format("has %s, the keys before are %s", kind, before), nil, "dtype")
    end)
  end
  return ids_of(self, state, keys, names)
end

local function ids(self, x, by)
  if by ~= nil and rawequal(by, self) then return ids_of_tensors(self, x) end -- a sequence and its number as x.n
  if by == nil then fail("columns", "is missing, the arguments are (self, x, columns)") end
  local state, count, n = state_of(self)
  local columns = tables.read(x, "x")
  local positions = tables.positions(columns, by, "columns")
  if #positions ~= count then
    fail("columns", format("has %d names, expected %d, the columns of the key table", #positions, count))
  end
  if n > 0 and not (state.names and type(state.names[1]) == type(columns.names[1])) then
    fail("x", "is a table, the keys before were tensors")
  end
  local names, keys = {}, {}
  for k, i in ipairs(positions) do
    names[k] = columns.names[i]
    keys[k] = key_of(state, k, columns.tensors[i], function(kind, before)
      fail("x", format("has %s in column %s, which had %s before", kind, tables.quoted(names[k]), before))
    end)
  end
  return ids_of(self, state, keys, names)
end

local function keys_of(self)
  local state = inner.key_state(self)
  local columns = {names = {}, tensors = inner.keys_of(self)}
  for k, name in ipairs(state.names) do
    columns.names[k] = math.type(name) == "integer" and k or name
    local kind, key = state.kinds[k], columns.tensors[k]
    if kind == "times" then columns.tensors[k] = key:to("time") end
    if kind == "words" then columns.tensors[k] = inner.make_text(key, state.texts[k]:to(key.device)) end
  end
  return tables.make(columns)
end

return {
  ids = {"self:any x:table columns?any", ids},
  keys = {"self:any field:any", keys_of},
}
