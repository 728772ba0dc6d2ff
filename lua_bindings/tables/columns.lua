-- columns.lua: tables of columns as scripts hold them. The order of the names is in the metatable, visible as x.names.
local strew, fail, _, inner = ...

-- methods: functions of the module whose first argument is a table of columns, by their names.
local methods = {}
local columns = {methods = methods}
for name in string.gmatch("asof assign code columns corr describe drop drop_duplicates dropna duplicated each explode "
  .. "fillna get_dummies group_by head join melt pivot plot rename resample round row rows sample sort_by tail "
  .. "to_arrow to_arrow_stream value_counts", "[%w_]+") do
  local f = rawget(strew, name)
  methods[name] = f and inner.column_method(f) -- a sandbox lacks some
end

-- Makes x a table of columns as strew.load returns it; returns x.
function columns.set(x, names)
  local about = setmetatable({names = names}, {columns = x, methods = methods, __index = inner.table})
  return setmetatable(x, {__index = about, __tostring = inner.tostring, __newindex = inner.column,
                          __len = inner.length, __html = inner.html})
end

-- Returns the names in x's metatable; nil: there are none.
function columns.about(x)
  local meta = getmetatable(x)
  local about = type(meta) == "table" and rawget(meta, "__index")
  local names = type(about) == "table" and rawget(about, "names")
  return type(names) == "table" and names or nil
end

-- The words of a text column, or of all.
function columns.words(x, column)
  if column ~= nil then
    if type(column) ~= "string" and math.type(column) ~= "integer" then
      fail("column", format("is %s, expected a column's name or number", inner.text(column)))
    end
    local t = rawget(x, column)
    if t == nil then fail("column", format("is %s, not found in x", inner.text(column))) end
    return strew.type(t) == "tensor" and t.dtype == "text" and t.words or nil
  end
  local lists = {}
  for name, t in next, x do
    if strew.type(t) == "tensor" and inner.is_open(t) and t.dtype == "text" then lists[name] = t.words end
  end
  return lists
end

return columns
