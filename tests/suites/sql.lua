-- sql.lua: runs SQL by strew's calls on tables. sql.new(dialect):execute(text) -> rows, the kinds of columns, true if
-- the rows are sorted; or an error {uncovered = reason} where nothing of the same meaning was written here.
-- NULL is a missing element: NaN, the empty word, NaT. A condition is two texts, of which one says where it is true and
-- one where it is false; where NULL decides, neither is. Integers with NULL are float64, as everywhere in strew.
local strew = require "strew"
local here = debug.getinfo(1, "S").source:match "^@(.*/)" or ""
local parser = dofile(here .. "sql_parse.lua")
local templates = dofile(here .. "sql_templates.lua")
local uncovered = parser.uncovered
local nan = 0 / 0

-- ---------------------------------------------------------------------------------------------------------- relations

-- A relation: x, a table of strew; columns, a list of {table =, name =, kind =, id =: the name in x}; n, its rows. Two
-- more columns of x: zero_, zeros of int64, and null_, NaN.
local next_id = 0
local function new_id()
  next_id = next_id + 1
  return "c" .. next_id
end

local function with_constants(x, n)
  x.zero_ = strew.zeros(n, {dtype = "int64"})
  x.null_ = strew.full({n}, nan, {dtype = "float64"})
  return x
end

-- kinds: int, float, bool, text, date, time, null. Values of SQL's rows: numbers, strings, parser's NULL as nil.
local kinds_of_types = {}
for kind, types in pairs {
  int = "integer int bigint smallint tinyint hugeint long int1 int2 int4 int8 int16 int32 int64 utinyint usmallint"
    .. " uinteger ubigint uhugeint signed short",
  float = "double real float float4 float8 decimal numeric",
  text = "varchar text string char character", date = "date", time = "timestamp datetime", bool = "boolean bool",
} do
  for name in types:gmatch "%S+" do kinds_of_types[name] = kind end
end

local function kind_of_type(name) return kinds_of_types[name] or uncovered("type " .. name) end

local function is_number(kind) return kind == "int" or kind == "float" or kind == "bool" or kind == "null" end
local function is_time(kind) return kind == "date" or kind == "time" end

-- A tensor of a column of Lua values; of integers without NULL int64.
local function column_of(values, n, kind)
  local list, has_null = {}, false
  for i = 1, n do
    local v = values[i]
    has_null = has_null or v == nil
    if kind == "text" or is_time(kind) then
      if v == "" then uncovered "the empty word beside NULL" end
      list[i] = v or ""
    else
      if v ~= v then uncovered "NaN beside NULL" end
      if v and kind ~= "float" and math.abs(v) > 2 ^ 53 and math.type(v) == "float" then uncovered "128 bits" end
      list[i] = v or nan
    end
  end
  if kind == "text" then return strew.text(list) end
  if is_time(kind) then return n == 0 and strew.full({0}, "NaT", {dtype = "time"}) or strew.time(list) end
  if has_null and kind == "int" then
    for i = 1, n do if math.abs(list[i]) > 2 ^ 53 then uncovered "wide integers beside NULL" end end
  end
  return strew.tensor(list, {dtype = (has_null or kind == "float" or kind == "null") and "float64" or "int64"})
end

local function relation_of(columns, rows)
  local relation, x = {columns = {}, n = #rows}, {}
  for i, column in ipairs(columns) do
    local values, id = {}, new_id()
    for r = 1, #rows do values[r] = rows[r][i] end
    x[id] = column_of(values, #rows, column.kind)
    relation.columns[i] = {table = column.table, name = column.name, kind = column.kind, id = id}
  end
  relation.x = with_constants(x, #rows)
  return relation
end

-- The same columns over other rows.
local function with_rows(relation, x)
  return {x = x, n = #x.zero_, columns = relation.columns, groups = relation.groups, rows = relation.rows}
end

local function renamed(relation, alias, names)
  local columns = {}
  for i, c in ipairs(relation.columns) do
    columns[i] = {table = alias, name = names and names[i] or c.name, kind = c.kind, id = c.id}
  end
  return {x = relation.x, n = relation.n, columns = columns}
end

local function find_column(relation, e)
  local found
  for _, c in ipairs(relation.columns) do
    if c.name == e.name and (not e.table or c.table == e.table) and not c.hidden then
      if found and found.id ~= c.id then uncovered("ambiguous " .. e.name) end
      found = c
    end
  end
  return found
end

-- ------------------------------------------------------------------------------------------------------- expressions

-- A value: {text =, kind =} with names of the relation's columns, or {constant = number | string | nil, kind =}.
local value_of

local sql = {}
sql.__index = sql

local function constant(v, kind) return {constant = v, kind = kind, is_constant = true} end
local null = constant(nil, "null")

local function number_text(v)
  if v ~= v or v == math.huge or v == -math.huge then uncovered "infinite constants" end
  local text = math.type(v) == "integer" and ("%d"):format(v) or ("%.17g"):format(v)
  if math.type(v) == "float" and not text:find "[.e]" then text = text .. ".0" end
  return v < 0 and "(" .. text .. ")" or text
end

-- The text of a value, a constant without a column too.
local function text_of(v)
  if not v.is_constant then return v.text end
  if v.constant == nil then return "null_" end
  if type(v.constant) == "string" then return ("%q"):format(v.constant) end
  return number_text(v.constant)
end

-- The same, which reads a column.
local function column_text(v)
  if not v.is_constant then return v.text end
  if type(v.constant) == "string" then return ('where(zero_ == 0, %q, "")'):format(v.constant) end
  return v.constant == nil and "null_" or "(zero_ + " .. number_text(v.constant) .. ")"
end

-- A condition: {t =, f =}, each a text or a boolean.
local function both(a, b)
  if a == false or b == false then return false end
  if a == true then return b end
  if b == true then return a end
  return ("(%s and %s)"):format(a, b)
end
local function either(a, b)
  if a == true or b == true then return true end
  if a == false then return b end
  if b == false then return a end
  return ("(%s or %s)"):format(a, b)
end

local function null_condition(v)
  if v.is_constant then return v.constant == nil, v.constant ~= nil end
  if v.kind == "text" then return ('(%s == "")'):format(v.text), ('(%s ~= "")'):format(v.text) end
  return ("isnan(%s)"):format(v.text), ("(not isnan(%s))"):format(v.text)
end

local turned = {["="] = "<>", ["<>"] = "=", ["<"] = ">=", [">="] = "<", [">"] = "<=", ["<="] = ">"}
local in_lua = {
  ["="] = function(a, b) return a == b end, ["<>"] = function(a, b) return a ~= b end,
  ["<"] = function(a, b) return a < b end, ["<="] = function(a, b) return a <= b end,
  [">"] = function(a, b) return a > b end, [">="] = function(a, b) return a >= b end,
}

local function compared(op, a, b)
  local x, y = text_of(a), text_of(b)
  if op == "<>" then -- of NaN ~= is true
    if a.kind == "text" then return ("(%s ~= %s)"):format(x, y) end
    return ("((%s < %s) or (%s > %s))"):format(x, y, x, y)
  end
  return ("(%s %s %s)"):format(x, op == "=" and "==" or op, y)
end

-- Constants of the other side's kind: words for times.
local function adapted(a, b)
  if a.is_constant and b.is_constant then return end
  for _, pair in ipairs {{a, b}, {b, a}} do
    local v, other = pair[1], pair[2]
    if v.kind == "text" and is_number(other.kind) then
      if not v.is_constant then uncovered "numbers beside words" end
      local number = tonumber(v.constant) or uncovered "numbers beside words"
      return pair == a and number, constant(number, other.kind), v
    end
  end
end

local function comparison(op, a, b)
  if a.is_constant and a.constant == nil or b.is_constant and b.constant == nil then return {t = false, f = false} end
  local _, number, of = adapted(a, b)
  if of == a then a = number elseif of == b then b = number end
  if a.is_constant and b.is_constant then
    if type(a.constant) ~= type(b.constant) then uncovered "numbers beside words" end
    local holds = in_lua[op](a.constant, b.constant)
    return {t = holds, f = not holds}
  end
  local t, f = compared(op, a, b), compared(turned[op], a, b)
  if a.kind == "text" then
    for _, v in ipairs {a, b} do
      if not v.is_constant then
        local _, is_there = null_condition(v)
        t, f = both(t, is_there), both(f, is_there)
      end
    end
  end
  return {t = t, f = f}
end

function sql:condition(relation, e)
  local k = e.k
  if k == "bool" then return {t = e.v, f = not e.v} end
  if k == "null" then return {t = false, f = false} end
  if k == "not" then
    local c = self:condition(relation, e.a)
    return {t = c.f, f = c.t}
  end
  if k == "operator" and (e.op == "and" or e.op == "or") then
    local a, b = self:condition(relation, e.a), self:condition(relation, e.b)
    if e.op == "and" then return {t = both(a.t, b.t), f = either(a.f, b.f)} end
    return {t = either(a.t, b.t), f = both(a.f, b.f)}
  end
  if k == "compare" then return comparison(e.op, value_of(self, relation, e.a), value_of(self, relation, e.b)) end
  if k == "is_null" then
    local t, f = null_condition(value_of(self, relation, e.a))
    if e.no then t, f = f, t end
    return {t = t, f = f}
  end
  if k == "in" or k == "between" then
    local a = value_of(self, relation, e.a)
    local c = {t = false, f = true}
    if k == "between" then
      local low = comparison(">=", a, value_of(self, relation, e.low))
      local high = comparison("<=", a, value_of(self, relation, e.high))
      c = {t = both(low.t, high.t), f = either(low.f, high.f)}
    else
      for _, item in ipairs(e.list) do
        local same = comparison("=", a, value_of(self, relation, item))
        c = {t = either(c.t, same.t), f = both(c.f, same.f)}
      end
    end
    if e.no then c.t, c.f = c.f, c.t end
    return c
  end
  local v = value_of(self, relation, e)
  if not is_number(v.kind) then uncovered "a word as a condition" end
  local c = comparison("=", v, constant(0, "int"))
  return {t = c.f, f = c.t}
end

local conditions = {bool = true, ["not"] = true, compare = true, is_null = true, ["in"] = true, between = true}

local function where(condition, a, b)
  if condition == true then return a end
  if condition == false then return b end
  local kind = a.kind == "null" and b.kind or a.kind
  if b.kind ~= "null" and b.kind ~= kind then
    if not (is_number(kind) and is_number(b.kind)) then uncovered "kinds of a case" end
    kind = "float"
  end
  local x, y = text_of(a), text_of(b)
  if kind == "text" then
    x, y = a.kind == "null" and '""' or x, b.kind == "null" and '""' or y
  elseif is_time(kind) then
    uncovered "times in a case"
  end
  return {text = ("where(%s, %s, %s)"):format(condition, x, y), kind = kind}
end

local function as_value(c)
  if type(c.t) == "boolean" and type(c.f) == "boolean" then
    return constant(c.t and 1 or c.f and 0 or nil, "bool")
  end
  return where(c.t, constant(1, "bool"), where(c.f, constant(0, "bool"), null))
end

local function truncated(v) return v < 0 and math.ceil(v) or math.floor(v) end

function sql:divide(a, b)
  local whole = a.kind ~= "float" and b.kind ~= "float" and self.dialect == "sqlite"
  if self.dialect == "duckdb" and (a.kind == "float" or b.kind == "float") then
    if b.is_constant and b.constant == 0 then uncovered "infinity" end
    return {text = ("(%s / %s)"):format(column_text(a), text_of(b)), kind = "float"}
  end
  if a.is_constant and b.is_constant then
    local kind = whole and "int" or "float"
    if a.constant == nil or b.constant == nil or b.constant == 0 then return constant(nil, kind) end
    local quotient = a.constant / b.constant
    return constant(whole and math.tointeger(truncated(quotient)) or quotient, kind)
  end
  if b.is_constant and (b.constant == nil or b.constant == 0) then return null end
  local text = ("(%s / %s)"):format(column_text(a), text_of(b))
  if whole then text = ("trunc(%s)"):format(text) end
  if not b.is_constant then text = ("where(%s == 0, null_, %s)"):format(text_of(b), text) end
  return {text = text, kind = whole and "int" or "float"}
end

local function quotient(a, b) -- //, of integers
  if a.is_constant and b.is_constant or not b.is_constant or b.constant == 0 then uncovered "//" end
  return {text = ("trunc(%s / %s)"):format(text_of(a), text_of(b)), kind = "int"}
end

local function remainder(a, b)
  if a.is_constant and b.is_constant and a.constant and b.constant and b.constant ~= 0 then
    return constant(math.fmod(a.constant, b.constant), a.kind)
  end
  if not b.is_constant or not b.constant or b.constant == 0 then uncovered "% of columns" end
  if a.is_constant then uncovered "% of columns" end
  return {text = ("fmod(%s, %s)"):format(a.text, text_of(b)), kind = a.kind}
end

local plain = {
  ["+"] = function(a, b) return a + b end, ["-"] = function(a, b) return a - b end,
  ["*"] = function(a, b) return a * b end,
}

function sql:arithmetic(op, a, b)
  if is_time(a.kind) or is_time(b.kind) then uncovered "arithmetic of times" end
  if not (is_number(a.kind) and is_number(b.kind)) then uncovered "arithmetic of words" end
  if op == "/" or op == "div" then return self:divide(a, b) end
  if op == "//" then return quotient(a, b) end
  if op == "%" then return remainder(a, b) end
  local kind = (a.kind == "float" or b.kind == "float") and "float" or "int"
  if a.is_constant and b.is_constant then
    if a.constant == nil or b.constant == nil then return constant(nil, kind) end
    return constant(plain[op](a.constant, b.constant), kind)
  end
  return {text = ("(%s %s %s)"):format(text_of(a), op, text_of(b)), kind = kind}
end

function sql:cast(a, type_name)
  local kind = kind_of_type(type_name)
  if a.kind == "null" then return constant(nil, kind) end
  if kind == a.kind then return a end
  if self.dialect == "sqlite" and (type_name == "decimal" or type_name == "numeric") then return a end
  if a.is_constant then
    if a.constant == nil then return constant(nil, kind) end
    if kind == "float" then return constant((tonumber(a.constant) or uncovered "cast") + 0.0, kind) end
    if kind == "int" and self.dialect == "sqlite" then
      return constant(math.tointeger(truncated(tonumber(a.constant) or uncovered "cast")), kind)
    end
    if kind == "int" then return constant(math.tointeger(tonumber(a.constant)) or uncovered "cast rounds", kind) end
    if kind == "text" and a.kind == "int" then return constant(("%d"):format(a.constant), kind) end
    if is_time(kind) then return {text = ("time_(%q)"):format(a.constant), kind = kind, time = a.constant} end
    uncovered("cast to " .. type_name)
  end
  if kind == "float" and is_number(a.kind) then return {text = ("float64(%s)"):format(a.text), kind = kind} end
  if kind == "int" and a.kind == "bool" then return {text = a.text, kind = kind} end
  if kind == "int" and a.kind == "float" and self.dialect == "sqlite" then
    return {text = ("trunc(%s)"):format(a.text), kind = kind}
  end
  if kind == "text" and a.kind == "int" then return {text = a.text, kind = kind, words = true} end
  if kind == "time" and a.kind == "date" then return {text = a.text, kind = kind} end
  uncovered("cast to " .. type_name)
end

local function copied(x)
  local y = {}
  for name, column in pairs(x) do y[name] = column end
  return y
end

-- As a column of the relation: what texts of columns do not say is made by calls.
local function as_column(relation, v)
  if v.time then
    local id = new_id()
    relation.x = copied(relation.x)
    relation.x[id] = strew.full({relation.n}, v.time, {dtype = "time"})
    return {text = id, kind = v.kind}
  end
  if not v.words then return v end
  local id, source = new_id(), relation.x
  local made = strew.assign(source, {[id] = column_text(v)})
  if made[id].dtype ~= "int64" and relation.n > 0 then uncovered "words of NULL" end
  made[id] = strew.text(made[id])
  relation.x = made
  return {text = id, kind = "text"}
end

function sql:call(relation, e)
  local name, args = e.name, e.args
  if name == "coalesce" or name == "ifnull" then
    local v = value_of(self, relation, args[#args])
    for i = #args - 1, 1, -1 do
      local a = value_of(self, relation, args[i])
      local is_null = null_condition(a)
      v = where(is_null, v, a)
      if v.kind == "float" and a.kind == "int" and self.dialect == "sqlite" then uncovered "kinds of coalesce" end
    end
    return v
  end
  if name == "nullif" then
    local a = value_of(self, relation, args[1])
    return where(comparison("=", a, value_of(self, relation, args[2])).t, null, a)
  end
  if name == "abs" then
    local a = value_of(self, relation, args[1])
    if a.is_constant then return constant(a.constant and math.abs(a.constant), a.kind) end
    return {text = ("abs(%s)"):format(a.text), kind = a.kind}
  end
  if name == "sqrt" then
    return {text = ("sqrt(float64(%s))"):format(column_text(value_of(self, relation, args[1]))), kind = "float"}
  end
  if name == "round" and #args == 2 then
    local a, digits = value_of(self, relation, args[1]), value_of(self, relation, args[2])
    if not digits.is_constant or a.kind ~= "float" then uncovered "round" end
    return {text = ("round(%s, %d)"):format(column_text(a), digits.constant), kind = "float"}
  end
  if name == "concat" then
    local joined = args[1]
    for i = 2, #args do joined = {k = "operator", op = "||", a = joined, b = args[i]} end
    return value_of(self, relation, joined)
  end
  uncovered(name .. "()")
end

local function word_operand(relation, v)
  if v.is_constant and v.kind == "int" then v = constant(("%d"):format(v.constant), "text") end
  if v.kind == "int" then v = as_column(relation, {text = v.text, kind = "text", words = true}) end
  return v.kind == "text" and as_column(relation, v) or uncovered "|| of numbers"
end

function value_of(self, relation, e)
  local k = e.k
  local replaced = relation.groups and relation.groups(e)
  if replaced then return replaced end
  if k == "number" then return constant(e.v, math.type(e.v) == "integer" and "int" or "float") end
  if k == "string" then
    if e.v == "" then uncovered "the empty word beside NULL" end
    return constant(e.v, "text")
  end
  if k == "null" then return null end
  if k == "column" then
    local c = find_column(relation, e)
    if not c then
      if relation.rows and find_column(relation.rows, e) then uncovered("column " .. e.name .. " of a group") end
      local outer = relation.aliases and not e.table and relation.aliases[e.name]
      if outer then return value_of(self, relation, outer) end
      uncovered("no column " .. e.name)
    end
    return {text = c.id, kind = c.kind}
  end
  if k == "negative" then
    local a = value_of(self, relation, e.a)
    if not is_number(a.kind) then uncovered "minus of words" end
    if a.is_constant then return constant(a.constant and -a.constant, a.kind) end
    return {text = ("(-%s)"):format(a.text), kind = a.kind == "bool" and "int" or a.kind}
  end
  if conditions[k] or k == "operator" and (e.op == "and" or e.op == "or") then
    return as_value(self:condition(relation, e))
  end
  if k == "operator" then
    local a, b = value_of(self, relation, e.a), value_of(self, relation, e.b)
    if e.op == "||" then
      a, b = word_operand(relation, a), word_operand(relation, b)
      if a.is_constant and b.is_constant then return constant(a.constant .. b.constant, "text") end
      return {text = ('join_words(%s, %s, "")'):format(text_of(a), text_of(b)), kind = "text"}
    end
    return self:arithmetic(e.op, a, b)
  end
  if k == "case" then
    local v = value_of(self, relation, e.otherwise)
    for i = #e.whens, 1, -1 do
      local condition = e.whens[i][1]
      if e.base then condition = {k = "compare", op = "=", a = e.base, b = condition} end
      v = where(self:condition(relation, condition).t, value_of(self, relation, e.whens[i][2]), v)
    end
    return v
  end
  if k == "cast" then return self:cast(value_of(self, relation, e.a), e.type) end
  if k == "call" then return self:call(relation, e) end
  uncovered(k)
end

-- The relation with one column for each value of the list; returns their names.
local function materialized(relation, values)
  local what, ids, n = {}, {}, 0
  for i, v in ipairs(values) do
    v = as_column(relation, v)
    if v.text and relation.x[v.text] then
      ids[i] = v.text
    else
      ids[i], n = new_id(), n + 1
      what[ids[i]] = column_text(v)
    end
  end
  if n > 0 then relation.x = strew.assign(relation.x, what) end
  return ids
end

function sql:filtered(relation, e)
  if not e then return relation end
  local t = self:condition(relation, e).t
  if t == true then return relation end
  if t == false then return with_rows(relation, strew.head(relation.x, 0)) end
  return with_rows(relation, strew.rows(relation.x, t))
end

-- --------------------------------------------------------------------------------------------------------- aggregates

local words = {
  count = {"count"}, sum = {"sum"}, avg = {"mean"}, min = {"min"}, max = {"max"}, first = {"first", skip_nan = false},
  last = {"last", skip_nan = false}, any_value = {"first"}, median = {"median"}, mode = {"mode"}, product = {"prod"},
  stddev_samp = {"std"}, var_samp = {"var"}, stddev_pop = {"std", correction = 0}, skewness = {"skew"},
  var_pop = {"var", correction = 0}, quantile_cont = {"quantile"}, corr = {"corr"}, covar_samp = {"cov"},
  quantile_disc = {"quantile", interpolation = "inverted_cdf"}, covar_pop = {"cov", correction = 0}, bool_or = {"max"},
  bool_and = {"min"}, arg_min = {"first"}, arg_max = {"first"}, total = {"sum"},
}
local same_as = {
  mean = "avg", arbitrary = "first", stddev = "stddev_samp", variance = "var_samp", quantile = "quantile_disc",
  percentile_cont = "quantile_cont", percentile_disc = "quantile_disc", min_by = "arg_min", max_by = "arg_max",
  argmin = "arg_min", argmax = "arg_max", fsum = "sum", sumkahan = "sum", kahan_sum = "sum", favg = "avg",
}
for name, other in pairs(same_as) do words[name] = words[other] end
for name, combine in pairs {bit_and = "acc & x", bit_or = "acc | x", bit_xor = "acc ~ x"} do
  local bits = strew.reduction {init = name == "bit_and" and -1 or 0, combine = combine}
  words[name] = {bits, skip_nan = false, bits = true}
end
local untranslated = {group_concat = true, string_agg = true, list = true}

local function is_aggregate(e)
  return e.k == "call" and (words[e.name] or templates[e.name] or untranslated[e.name]) ~= nil
end

-- Calls visit(e) of the parts of a tree until it returns true.
local function each_part(e, visit)
  if type(e) ~= "table" then return end
  if e.k and visit(e) then return end
  for _, part in pairs(e) do each_part(part, visit) end
end

local function written(e) -- two trees with the same text mean the same
  if type(e) ~= "table" then return tostring(e) end
  local names = {}
  for name in pairs(e) do names[#names + 1] = tostring(name) end
  table.sort(names)
  local parts = {}
  for i, name in ipairs(names) do
    local part = e[name]
    if part == nil then part = e[tonumber(name)] end
    parts[i] = name .. "=" .. written(part)
  end
  return "{" .. table.concat(parts, ",") .. "}"
end

-- The same tree with columns by their names in the relation, so that t.a and a are one.
local function resolved(relation, e)
  if type(e) ~= "table" then return e end
  if e.k == "column" then
    local c = find_column(relation, e)
    return c and {k = "column", id = c.id} or e
  end
  local copy = {}
  for name, part in pairs(e) do copy[name] = resolved(relation, part) end
  return copy
end

local function quantile_share(self, relation, e)
  local argument = e.within and e.args[1] or e.args[2]
  if not argument then return nil, e.name:find "quantile" and uncovered "a quantile's share" end
  local q = value_of(self, relation, argument)
  if not q.is_constant or not q.constant or q.constant < 0 then uncovered "a quantile's share" end
  return q.constant
end

local keeps_kind = {}
for name in ([[min max first last any_value mode quantile_disc arg_min arg_max bool_or bool_and bit_and bit_or
    bit_xor]]):gmatch "%S+" do
  keeps_kind[name] = true
end

local function kind_of_result(name, kind)
  if name == "count" then return "int" end
  if name == "avg" or name == "median" or name == "quantile_cont" then return is_time(kind) and "time" or "float" end
  if name == "sum" or name == "product" then return (name == "sum" and kind ~= "float") and "int" or "float" end
  if name == "total" then return "float" end
  if keeps_kind[name] then return kind end
  return "float"
end

-- The columns of an aggregate's arguments, over its own rows: filtered, distinct, in its order.
function sql:arguments(relation, e, keys)
  local own = {x = relation.x, n = relation.n, columns = relation.columns}
  local args, order = e.args, e.order
  if e.within then args, order = {e.within[1].e}, nil end
  if e.within and e.within[1].descending then uncovered "descending quantiles" end
  local values = {}
  for i = 1, e.pair and 2 or 1 do values[i] = value_of(self, own, args[i]) end
  if e.filter then
    local t = self:condition(own, e.filter).t
    for i, v in ipairs(values) do values[i] = where(t, v, null) end
  end
  local ids = materialized(own, values)
  if order then
    local keys_of, descending, seen, nulls = {}, {}, {}, order[1].nulls
    for _, item in ipairs(order) do
      local key = written(resolved(own, item.e))
      if not seen[key] then
        seen[key], keys_of[#keys_of + 1] = true, value_of(self, own, item.e)
        descending[#descending + 1] = item.descending or false
      end
      if item.nulls ~= nulls then uncovered "orders with NULL at both ends" end
    end
    local by = materialized(own, keys_of)
    own = with_rows(own, strew.sort_by(own.x, by, {descending = descending,
      nulls = nulls or self.nulls_first and "first" or "last"}))
  end
  if e.distinct then
    local names, is_key = {table.unpack(keys)}, false
    for _, key in ipairs(keys) do is_key = is_key or key == ids[1] end
    if not is_key then names[#names + 1] = ids[1] end
    own = with_rows(own, strew.drop_duplicates(own.x, names))
  end
  return own, ids, values[1].kind
end

local function aggregated(relation, keys, spec) return strew.group_by(relation.x, keys):agg({spec}) end

-- The rows at which an argument of arg_min and arg_max is not missing, by the other one.
local function at_extreme(relation, keys, ids, is_last)
  if not keys[1] then
    local rows = strew.dropna {v = relation.x[ids[1]], by = relation.x[ids[2]]}
    if is_last then rows = strew.sort_by(rows, "by", true) end
    local g = strew.group_by(rows, {})
    return g:agg {{"r", "first", "v", by = not is_last and "by" or nil}, {"n", "count"}}
  end
  uncovered "arg_min of groups with NULL"
end

-- Adds one aggregate to the table of results; returns its value there.
function sql:aggregate(relation, e, keys, result)
  local name = same_as[e.name] or e.name
  local word = words[name] or uncovered(name .. "()")
  if name == "count" and (e.star or #e.args == 0) then
    if e.filter then
      e = {k = "call", name = "count", args = {{k = "number", v = 1}}, filter = e.filter}
    else
      local id = new_id()
      result.x[id] = aggregated(relation, keys, {id, "count", relation.x.zero_})[id]
      return {text = id, kind = "int"}
    end
  end
  local pair = name == "corr" or name == "covar_samp" or name == "covar_pop" or name == "arg_min" or name == "arg_max"
  if #e.args ~= ((pair or name:find "quantile" and not e.within) and 2 or 1) then uncovered "other arguments" end
  e = setmetatable({pair = pair}, {__index = e})
  local own, ids, kind = self:arguments(relation, e, keys)
  local id = new_id()
  if word.bits and (own.x[ids[1]].dtype == "float64" or kind ~= "int") then uncovered "bits of NULL" end
  if kind == "null" then
    if name ~= "count" then
      result.x[id] = strew.full({result.n}, nan, {dtype = "float64"})
      return {text = id, kind = "null"}
    end
  end
  local spec = {id, word[1], table.unpack(ids)}
  if name == "quantile_disc" and #keys == 0 and own.x[ids[1]].dtype == "text" then uncovered "quantiles of words" end
  if name == "median" and kind == "text" then uncovered "quantiles of words" end
  if word.skip_nan ~= false then spec.skip_nan = true end
  spec.correction, spec.interpolation = word.correction, word.interpolation
  if name == "product" then spec.dtype = "float64" end
  if name == "mode" and e.order then uncovered "an order of the commonest" end
  if word[1] == "quantile" then spec.q = quantile_share(self, relation, e) end
  if name == "arg_min" or name == "arg_max" then
    local found = at_extreme(own, keys, ids, name == "arg_max")
    result.x[id] = found.r
    if found.n:min():item() == 0 and is_number(kind) then result.x[id] = strew.full({1}, nan, {dtype = "float64"}) end
    return {text = id, kind = kind}
  end
  result.x[id] = aggregated(own, keys, spec)[id]
  kind = kind_of_result(name, kind)
  if name == "count" or name == "total" or not is_number(kind) then return {text = id, kind = kind} end
  -- SQL's result of no rows is NULL.
  local counted = {"n", "count", ids[1]}
  counted.skip_nan = word.skip_nan ~= false or nil
  local n = aggregated(own, keys, counted).n
  if result.n > 0 and n:min():item() == 0 then
    result.x[id] = strew.where(n:gt(0), result.x[id]:to "float64", nan)
  end
  return {text = id, kind = kind}
end

-- Arguments in the place of names: of a template's tree.
local function substituted(e, by)
  if type(e) ~= "table" then return e end
  if e.k == "column" and by[e.name] then return by[e.name] end
  local copy = {}
  for name, part in pairs(e) do copy[name] = substituted(part, by) end
  return copy
end

local function expanded(e)
  if type(e) ~= "table" then return e end
  if e.k == "call" and templates[e.name] then
    local template = templates[e.name]
    if e.distinct or e.order or #e.args ~= #template.args then uncovered "other arguments" end
    local by = {}
    for i, name in ipairs(template.args) do
      by[name] = expanded(e.args[i])
      if e.filter then by[name] = {k = "case", whens = {{e.filter, by[name]}}, otherwise = {k = "null"}} end
    end
    return substituted(expanded(parser.parse("select " .. template.text).query.items[1].e), by)
  end
  local copy = {}
  for name, part in pairs(e) do copy[name] = expanded(part) end
  return copy
end

-- The relation of groups: its `groups` gives the values of keys and aggregates.
function sql:grouped(relation, q, keys)
  relation = {x = relation.x, n = relation.n, columns = relation.columns}
  local key_values = {}
  for i, key in ipairs(keys) do key_values[i] = value_of(self, relation, key) end
  local ids = materialized(relation, key_values)
  local names, seen = {}, {}
  for _, id in ipairs(ids) do
    if not seen[id] then names[#names + 1], seen[id] = id, true end
  end
  local result = {x = {}, columns = {}, rows = relation}
  local g = strew.group_by(relation.x, names)
  result.n = g.n
  for i, id in ipairs(names) do result.x[id] = g.keys[id] or g.keys[i] end
  with_constants(result.x, result.n)
  local found = {}
  for i, key in ipairs(keys) do
    found[written(resolved(relation, key))] = {text = ids[i], kind = key_values[i].kind}
  end
  function result.groups(e)
    local as = written(resolved(relation, e))
    if not found[as] and is_aggregate(e) then found[as] = self:aggregate(relation, e, names, result) end
    return found[as]
  end
  result.aliases = q.aliases
  return result
end

-- ------------------------------------------------------------------------------------------------------------ sources

local function without_constants(x)
  local y = copied(x)
  y.zero_, y.null_ = nil, nil
  return y
end

local function all_columns(a, b)
  local columns = {}
  for _, c in ipairs(a.columns) do columns[#columns + 1] = c end
  for _, c in ipairs(b.columns) do columns[#columns + 1] = c end
  return columns
end

-- New names, for a relation that is joined with itself.
local function with_new_ids(relation)
  local x, columns = {}, {}
  for i, c in ipairs(relation.columns) do
    local id = new_id()
    x[id] = relation.x[c.id]
    columns[i] = {table = c.table, name = c.name, kind = c.kind, id = id, hidden = c.hidden}
  end
  return {x = with_constants(x, relation.n), n = relation.n, columns = columns}
end

local function joined(a, b, left, right, how)
  local x, y, names = without_constants(a.x), without_constants(b.x), {}
  for i, id in ipairs(left) do
    local key = "k" .. i
    x[key], y[key], names[i] = a.x[id], b.x[right[i]], key
  end
  if #names == 0 then x.k, y.k, names[1] = a.x.zero_, b.x.zero_, "k" end
  local z = strew.join(x, y, names, {how = how})
  local n = #z[names[1]]
  for _, name in ipairs(names) do z[name] = nil end
  return {x = with_constants(z, n), n = n, columns = how == "semi" and a.columns or how == "anti" and a.columns
    or all_columns(a, b)}
end

local function conjuncts(e, list)
  list = list or {}
  if e.k == "operator" and e.op == "and" then
    conjuncts(e.a, list)
    conjuncts(e.b, list)
  else
    list[#list + 1] = e
  end
  return list
end

-- a.x OP b.y or the other way round: the columns and the operator with a on the left.
local mirrored = {["="] = "=", ["<"] = ">", [">"] = "<", ["<="] = ">=", [">="] = "<="}
local function pair_of(a, b, e)
  if e.k ~= "compare" or e.a.k ~= "column" or e.b.k ~= "column" then return nil end
  local l, r = find_column(a, e.a), find_column(b, e.b)
  if l and r and not (find_column(b, e.a) and find_column(a, e.b)) then return l, r, e.op end
  l, r = find_column(a, e.b), find_column(b, e.a)
  if l and r then return l, r, mirrored[e.op] end
end

local function joining(a, b, join)
  local equal, other, rest = {left = {}, right = {}}, nil, {}
  for i, name in ipairs(join.using or {}) do
    local l = find_column(a, {name = name}) or uncovered "using"
    local r = find_column(b, {name = name}) or uncovered "using"
    if join.asof and i == #join.using then
      other = {l, r, ">="}
    else
      equal.left[#equal.left + 1], equal.right[#equal.right + 1] = l, r
    end
    r.hidden = true
  end
  for _, e in ipairs(join.on and conjuncts(join.on) or {}) do
    local l, r, op = pair_of(a, b, e)
    if l and op == "=" then
      equal.left[#equal.left + 1], equal.right[#equal.right + 1] = l, r
    elseif l and join.asof and not other and op ~= "<>" then
      other = {l, r, op}
    else
      rest[#rest + 1] = e
    end
  end
  return equal, other, rest
end

local function ids_of(columns)
  local ids = {}
  for i, c in ipairs(columns) do ids[i] = c.id end
  return ids
end

local function without_missing(relation, ids)
  if #ids == 0 then return relation end
  return with_rows(relation, strew.dropna(relation.x, ids))
end

-- strew.dropna looks at null_, too, unless it is told the columns.
local function asof(a, b, join)
  local equal, on, rest = joining(a, b, join)
  if not on or #rest > 0 then uncovered "conditions of asof" end
  if join.how == "semi" or join.how == "anti" then uncovered "asof semi" end
  local left, right, l, r = ids_of(equal.left), ids_of(equal.right), on[1], on[2]
  local keys = {l.id, table.unpack(left)}
  local known = without_missing(a, keys)
  if known.n ~= a.n and join.how ~= "inner" and join.how ~= "right" then uncovered "asof of NULL" end
  local there = without_missing(b, {r.id, table.unpack(right)})
  if there.n ~= b.n and (join.how == "right" or join.how == "full") then uncovered "asof of NULL" end
  local x, y, by = without_constants(known.x), without_constants(there.x), {}
  x.on_, y.on_ = known.x[l.id], there.x[r.id]
  for i = 1, #left do
    by[i] = "k" .. i
    x[by[i]], y[by[i]] = known.x[left[i]], there.x[right[i]]
  end
  x.a_, y.b_ = strew.zeros(known.n), strew.zeros(there.n)
  x, y = strew.sort_by(x, "on_"), strew.sort_by(y, "on_")
  local how = ({inner = "inner", left = "left", right = "outer", full = "outer"})[join.how]
  local op = on[3]
  local z = strew.asof(x, y, "on_", {by = #by > 0 and by or nil, direction = op:find ">" and "backward" or "forward",
    strict = #op == 1, how = how})
  if join.how == "right" then z = strew.rows(z, "not isnan(b_)") end
  local n = #z.on_
  z.on_, z.a_, z.b_ = nil, nil, nil
  for _, name in ipairs(by) do z[name] = nil end
  if join.using and (join.how == "right" or join.how == "full") then uncovered "asof using, right" end
  return {x = with_constants(z, n), n = n, columns = all_columns(a, b)}
end

function sql:join(join)
  local a, b = self:source(join.left), with_new_ids(self:source(join.right))
  if join.asof then return asof(a, b, join) end
  if join.cross then return joined(a, b, {}, {}, "inner") end
  local equal, _, rest = joining(a, b, join)
  if join.how ~= "inner" and #rest > 0 then uncovered "conditions of outer joins" end
  local how = join.how == "full" and "outer" or join.how
  local left, right = ids_of(equal.left), ids_of(equal.right)
  for _, id in ipairs(left) do
    if how ~= "inner" and (strew.dropna(a.x, {id}).zero_:numel() ~= a.n) then uncovered "joins by NULL" end
  end
  if how == "inner" then a, b = without_missing(a, left), without_missing(b, right) end
  local result = joined(a, b, left, right, how)
  if join.using and how ~= "inner" and how ~= "left" then uncovered "using of outer joins" end
  for _, e in ipairs(rest) do result = self:filtered(result, e) end
  return result
end

function sql:series(e)
  local bounds = {}
  for i, argument in ipairs(e.args) do
    local v = value_of(self, {columns = {}}, argument)
    bounds[i] = v.is_constant and math.type(v.constant) == "integer" and v.constant or uncovered "range of others"
  end
  if #bounds == 1 then table.insert(bounds, 1, 0) end
  local first, last, step = bounds[1], bounds[2], bounds[3] or 1
  if e.name == "generate_series" then last = last + (step > 0 and 1 or -1) end
  local n = math.max(0, (last - first + step - (step > 0 and 1 or -1)) // step)
  if n > 2000000 then uncovered "large" end
  local x = with_constants({range = strew.arange(n, {dtype = "int64"}) * step + first}, n)
  local id = new_id()
  x[id], x.range = x.range, nil
  return {x = x, n = n, columns = {{table = e.name, name = e.name, kind = "int", id = id}}}
end

function sql:source(s)
  if not s then return {x = with_constants({}, 1), n = 1, columns = {}} end
  if s.k == "join" then return self:join(s) end
  local relation
  if s.k == "query" then
    relation = self:query(s.query)
  elseif s.k == "function" then
    if s.call.name ~= "range" and s.call.name ~= "generate_series" then uncovered(s.call.name .. "()") end
    relation = self:series(s.call)
    if s.alias ~= s.call.name and not s.columns then s.columns = nil end
  else
    relation = self:stored(s.name)
  end
  return renamed(relation, s.alias, s.columns)
end

function sql:stored(name)
  local scope = self.scope
  while scope do
    if scope[name] then return scope[name] end
    scope = scope.outer_
  end
  local t = self.tables[name] or uncovered("no table " .. name)
  if t.lost then uncovered(t.lost) end
  if t.view then return renamed(self:query(t.view), name, t.columns) end
  t.relation = t.relation or relation_of(t.columns, t.rows)
  return t.relation
end

-- ------------------------------------------------------------------------------------------------------------ queries

-- Columns with these values become the relation.
local function projected(relation, items)
  local values = {}
  for i, item in ipairs(items) do values[i] = item.value end
  local ids = materialized(relation, values)
  local x, columns = {}, {}
  for i, id in ipairs(ids) do
    local own = new_id()
    x[own] = relation.x[id]
    columns[i] = {name = items[i].name, kind = items[i].value.kind, id = own}
  end
  return {x = with_constants(x, relation.n), n = relation.n, columns = columns}
end

-- ORDER BY of results: by their names, numbers or texts.
function sql:sorted(result, q, inner, items)
  if not q.order then return result end
  local order = q.order
  if order == "all" then
    order = {}
    for i in ipairs(items) do order[i] = {e = {k = "number", v = i}} end
  end
  local by, descending, nulls = {}, {}, nil
  for i, item in ipairs(order) do
    local e, id = item.e, nil
    if e.k == "number" and result.columns[e.v] then id = result.columns[e.v].id end
    if e.k == "column" and not e.table then
      local c = find_column(result, e)
      id = c and c.id
    end
    for j, made in ipairs(items) do
      if not id and made.e and written(made.e) == written(e) then id = result.columns[j].id end
    end
    if not id then
      if inner.n ~= result.n or q.distinct or q.union then uncovered "an order of others" end
      id = new_id()
      local own = materialized(inner, {value_of(self, inner, e)})
      result.x[id] = inner.x[own[1]]
    end
    local place = item.nulls or self.nulls_first and (self.nulls_first == "always" or not item.descending) and "first"
      or "last"
    if nulls and nulls ~= place and result.n > 0 then
      nulls = strew.dropna(result.x, by).zero_:numel() == result.n and place
        or uncovered "orders with NULL at both ends"
    end
    by[i], descending[i], nulls = id, item.descending or false, nulls or place
  end
  return with_rows(result, strew.sort_by(result.x, by, {descending = descending, nulls = nulls}))
end

local function limited(self, result, q)
  if not q.limit and not q.offset then return result end
  local first = q.offset and value_of(self, result, q.offset).constant or 0
  local count = q.limit and value_of(self, result, q.limit).constant or result.n
  if math.type(first) ~= "integer" or math.type(count) ~= "integer" then uncovered "limit" end
  local stop = math.min(first + count, result.n)
  return with_rows(result, strew.rows(result.x, strew.arange(math.min(first, stop), stop, {dtype = "int64"})))
end

local function name_of(item)
  return item.alias or item.e.k == "column" and item.e.name or item.e.k == "call" and item.e.name or nil
end

local function items_of(q, relation)
  local items = {}
  for _, item in ipairs(q.items) do
    if item.star then
      for _, c in ipairs(relation.columns) do
        if not c.hidden then items[#items + 1] = {e = {k = "column", table = c.table, name = c.name}, name = c.name} end
      end
    else
      items[#items + 1] = {e = item.e, name = name_of(item), alias = item.alias}
    end
  end
  return items
end

local function uses_aggregates(list)
  local found = false
  each_part(list, function(e) found = found or is_aggregate(e) end)
  return found
end

-- GROUP BY of numbers, names of results, and ALL.
local function group_keys(q, items, relation)
  local keys = {}
  if q.group == "all" then
    for _, item in ipairs(items) do
      if not uses_aggregates(item.e) then keys[#keys + 1] = item.e end
    end
    return keys
  end
  for i, key in ipairs(q.group or {}) do
    if key.k == "number" then key = items[key.v] and items[key.v].e or uncovered "group by numbers" end
    if key.k == "column" and not key.table and not find_column(relation, key) then key = q.aliases[key.name] or key end
    keys[i] = key
  end
  return keys
end

function sql:select(q)
  local relation = self:source(q.from)
  q.items, q.having = expanded(q.items), expanded(q.having)
  if type(q.order) == "table" then q.order = expanded(q.order) end
  local items = items_of(q, relation)
  q.aliases = {}
  for _, item in ipairs(items) do if item.alias then q.aliases[item.alias] = item.e end end
  relation.aliases = q.aliases
  relation = self:filtered(relation, q.where)
  relation.aliases = q.aliases
  local inner = relation
  if q.group or uses_aggregates(q.items) or q.having or type(q.order) == "table" and uses_aggregates(q.order) then
    inner = self:grouped(relation, q, group_keys(q, items, relation))
    for _, item in ipairs(items) do item.value = value_of(self, inner, item.e) end
    if q.having then
      local having = self:condition(inner, q.having).t
      if type(q.order) == "table" then
        for _, o in ipairs(q.order) do if uses_aggregates(o.e) then value_of(self, inner, o.e) end end
      end
      if having == false then
        inner = with_rows(inner, strew.head(inner.x, 0))
      elseif having ~= true then
        inner = with_rows(inner, strew.rows(inner.x, having))
      end
      inner.aliases = q.aliases
    end
  end
  for _, item in ipairs(items) do item.value = item.value or value_of(self, inner, item.e) end
  return projected(inner, items), inner, items
end

function sql:union(q)
  local a, b = self:query(q.union[1]), self:query(q.union[2])
  if #a.columns ~= #b.columns then uncovered "union" end
  local x, y, columns = {}, {}, {}
  for i, c in ipairs(a.columns) do
    local other, id = b.columns[i], new_id()
    local kind = c.kind == "null" and other.kind or c.kind
    if other.kind ~= "null" and other.kind ~= kind then
      if not (is_number(kind) and is_number(other.kind)) then uncovered "union of kinds" end
      kind = "float"
    end
    x[id], y[id] = a.x[c.id], b.x[other.id]
    if not is_number(kind) and (c.kind == "null" or other.kind == "null") then uncovered "union of NULL" end
    if x[id].dtype ~= y[id].dtype then x[id], y[id] = x[id]:to "float64", y[id]:to "float64" end
    columns[i] = {name = c.name, kind = kind, id = id}
  end
  local n = a.n + b.n
  return {x = with_constants(strew.concat {x, y}, n), n = n, columns = columns}
end

-- The rows of VALUES as Lua values, and their kinds.
function sql:constants(q)
  local rows, kinds = {}, {}
  for r, row in ipairs(q.values) do
    rows[r], kinds[r] = {}, {}
    for i, e in ipairs(row) do
      local v = value_of(self, {columns = {}}, e)
      if v.time then v = constant(v.time, v.kind) end
      rows[r][i], kinds[r][i] = v.is_constant and v.constant or nil, v.kind
      if not v.is_constant then uncovered "values" end
    end
  end
  return rows, kinds
end

function sql:values(q)
  local rows, kinds = self:constants(q)
  local columns = {}
  for r = 1, #rows do
    for i, kind in ipairs(kinds[r]) do
      local c = columns[i] or {name = "col" .. i - 1, kind = "null"}
      if c.kind == "null" or c.kind == "int" and kind == "float" then c.kind = kind end
      if kind ~= c.kind and kind ~= "null" and not (c.kind == "float" and kind == "int") then
        uncovered "kinds of values"
      end
      columns[i] = c
    end
  end
  return relation_of(columns, rows)
end

function sql:query(q)
  local outer = self.scope
  if q.with then
    self.scope = {outer_ = outer}
    for _, w in ipairs(q.with) do self.scope[w.name] = renamed(self:query(w.query), w.name, w.columns) end
  end
  local result, inner, items
  if q.values then
    result = self:values(q)
  elseif q.union then
    result = self:union(q)
  else
    result, inner, items = self:select(q)
  end
  if q.distinct then
    result = with_rows(result, strew.drop_duplicates(result.x, ids_of(result.columns)))
  end
  result = self:sorted(result, q, inner or result, items or result.columns)
  result = limited(self, result, q)
  self.scope = outer
  return result
end

-- ---------------------------------------------------------------------------------------------------------- statements

local function rows_of(relation)
  local rows, lists = {}, {}
  for i, c in ipairs(relation.columns) do lists[i] = relation.x[c.id]:tolist() end
  for r = 1, relation.n do
    rows[r] = {}
    for i, c in ipairs(relation.columns) do
      local v = lists[i][r]
      if v == "" or v ~= v then v = nil end
      if is_time(c.kind) and v == "NaT" then v = nil end
      rows[r][i] = v
    end
  end
  return rows
end

local statements = {}

function statements.select(self, s)
  local relation = self:query(s.query)
  local kinds = {}
  for i, c in ipairs(relation.columns) do kinds[i] = c.kind end
  return rows_of(relation), kinds, s.query.order ~= nil
end

function statements.create(self, s)
  local t = {columns = s.columns or {}, rows = {}}
  self.tables[s.name] = {lost = "a table that could not be made"}
  if s.query then
    t.relation = self:query(s.query)
    for i, c in ipairs(t.relation.columns) do t.columns[i] = {name = c.name, kind = c.kind} end
    t.rows = rows_of(t.relation)
    t.relation = renamed(t.relation, s.name)
  else
    for _, c in ipairs(t.columns) do c.kind = kind_of_type(c.type) end
  end
  self.tables[s.name] = t
end

function statements.view(self, s) self.tables[s.name] = {view = s.query, columns = s.columns} end

local function stored_value(v, kind)
  if v == nil then return nil end
  if kind == "text" and type(v) ~= "string" then
    return math.type(v) == "integer" and ("%d"):format(v) or uncovered "words"
  end
  if kind == "float" and v == "infinity" then return math.huge end
  if kind == "float" and v == "-infinity" then return -math.huge end
  if kind == "float" then return (tonumber(v) or uncovered "a number") + 0.0 end
  if kind == "int" then return math.tointeger(tonumber(v)) or uncovered "an integer" end
  if kind == "bool" then
    if v == "true" or v == "t" then return 1 elseif v == "false" or v == "f" then return 0 end
    return v == 0 and 0 or v == 1 and 1 or uncovered "a bool"
  end
  return v
end

function statements.insert(self, s)
  local t = self.tables[s.name] or uncovered("no table " .. s.name)
  if t.lost then uncovered(t.lost) end
  local before = t.rows
  t.lost = "rows that could not be inserted"
  local places = {}
  for i, name in ipairs(s.columns or {}) do
    for j, c in ipairs(t.columns) do if c.name == name then places[i] = j end end
  end
  local new = s.query.values and self:constants(s.query) or rows_of(self:query(s.query))
  t.rows = table.move(before, 1, #before, 1, {})
  for _, row in ipairs(new) do
    local kept = {}
    for i = 1, #t.columns do
      local place = s.columns and places[i] or i
      if place then kept[place] = stored_value(row[i], t.columns[place].kind) end
    end
    t.rows[#t.rows + 1] = kept
  end
  t.relation, t.lost = nil, nil
end

function statements.drop(self, s) self.tables[s.name] = nil end
function statements.lost(self, s) self.tables[s.name] = {lost = "update and delete"} end
function statements.set(self, s)
  if s.name == "default_null_order" then self.nulls_first = s.value:lower():find "first" and "always" or nil end
end

-- dialect: sqlite (integers divide to integers, NULL is the least value) or duckdb.
function sql.new(dialect)
  return setmetatable({dialect = dialect, tables = {}, nulls_first = dialect == "sqlite" or nil}, sql)
end

-- True if a query reduces rows: has an aggregate, groups or an as-of join.
function sql.reduces(text)
  text = text:lower()
  if text:find "group%s+by" or text:find "asof" then return true end
  for name in text:gmatch "([%a_][%w_]*)%s*%(" do
    if words[name] or templates[name] or name == "count_star" then return true end
  end
  return false
end

function sql:execute(text)
  local s = parser.parse(text)
  return statements[s.k](self, s)
end

return sql
