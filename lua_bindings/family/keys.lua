-- keys.lua: key tables whose keys are columns of tables. Text columns are keyed by codes of a list of words that the
-- key table has for each of them, and that grows; times by their microseconds.
local strew, fail, use, inner = ...
local tables = use "tables.lua"

local KINDS <const> = {text = "words", time = "times"}

-- Column i as it is compared. state.kinds[k]: what it has; state.texts[k]: a text without elements, of all its words.
local function key_of(state, k, columns, i)
  local t = columns.tensors[i]
  local kind = KINDS[t.dtype] or "numbers"
  if state.is_begun and kind ~= state.kinds[k] then
    fail("x", ("has %s in column %s, which had %s before"):format(kind, tables.quoted(columns.names[i]),
      state.kinds[k]))
  end
  state.kinds[k] = kind
  if kind ~= "words" then return kind == "times" and t:to("int64") or t end
  local known = state.texts[k]
  local all = known and strew.cat{known, t} or t -- known has no elements, and its words come first
  state.texts[k] = all:narrow(0, 0, 0):clone()
  return all:codes():to("int64")
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
  state.kinds, state.texts = state.kinds or {}, state.texts or {}
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
  ids = {"self:any x:table columns:any", ids},
  keys = {"self:any field:any", keys_of},
}
