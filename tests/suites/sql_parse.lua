-- sql_parse.lua: the syntax of SQL that sql.lua translates. parse(text) -> a tree, or an error {uncovered = reason}.
local parser = {}

local function uncovered(reason) error({uncovered = reason}, 0) end
parser.uncovered = uncovered

local two = {["<>"] = true, ["!="] = true, ["<="] = true, [">="] = true, ["||"] = true, ["::"] = true, ["=="] = true,
  ["//"] = true}

local function string_token(text, at) -- with '' for a quote
  local stop = at
  repeat
    stop = text:find("'", stop + 1, true)
    if not stop then uncovered "syntax" end
    local doubled = text:sub(stop + 1, stop + 1) == "'"
    if doubled then stop = stop + 1 end
  until not doubled
  return {kind = "string", text = text:sub(at + 1, stop - 1):gsub("''", "'")}, stop + 1
end

local function number_token(text, at)
  local digits = text:match("^%d*%.?%d*[eE][+-]?%d+", at) or text:match("^%d*%.?%d*", at)
  return {kind = "number", text = digits}, at + #digits
end

local function token(text, at)
  local c = text:sub(at, at)
  if c == "'" then return string_token(text, at) end
  if c == '"' then
    local name = text:match('^"([^"]*)"', at) or uncovered "syntax"
    return {kind = "name", text = name:lower()}, at + #name + 2
  end
  if text:find("^%.?%d", at) then return number_token(text, at) end
  local word = text:match("^[%a_][%w_]*", at)
  if word then return {kind = "word", text = word:lower(), written = word}, at + #word end
  local operator = text:sub(at, at + 1)
  if not two[operator] then operator = c end
  return {kind = "operator", text = operator}, at + #operator
end

local function tokens_of(text)
  text = text:gsub("%-%-[^\n]*", " "):gsub("/%*.-%*/", " ")
  local list, at = {}, text:find "%S"
  while at do
    list[#list + 1], at = token(text, at)
    at = text:find("%S", at)
  end
  return list
end

-- ---------------------------------------------------------------------------------------------------------- reading

local tokens, at

local function peek(ahead) return tokens[at + (ahead or 0)] or {kind = "end", text = "the end"} end

local function is_next(text, ahead)
  local t = peek(ahead)
  return (t.kind == "word" or t.kind == "operator") and t.text == text
end

-- Takes these words or operators if they are next.
local function take(...)
  for i = 1, select("#", ...) do
    if not is_next(select(i, ...), i - 1) then return false end
  end
  at = at + select("#", ...)
  return true
end

local function expect(text)
  if not take(text) then uncovered("syntax: " .. peek().text) end
end

local reserved = {}
for word in ([[select from where group by having order limit offset union all distinct as on using join cross left right
    inner outer full natural asof and or not in is null between case when then else end filter over cast values with asc
    desc nulls window qualify except intersect positional semi anti lateral like ilike]]):gmatch "%S+" do
  reserved[word] = true
end

local function take_name()
  local t = peek()
  if t.kind == "name" or t.kind == "word" and not reserved[t.text] then
    at = at + 1
    return t.text
  end
end

local function name() return take_name() or uncovered("syntax: " .. peek().text) end

local function list_of(read, stop)
  local list = {}
  repeat
    if stop and is_next(stop) or is_next ";" then break end -- a comma at the end
    list[#list + 1] = read()
  until not take ","
  return list
end

local function names_in_parentheses()
  if not take "(" then return nil end
  local list = list_of(name)
  expect ")"
  return list
end

local function type_name()
  local words = {take_name() or uncovered "a type"}
  if words[1] == "double" then take "precision" end
  if take "(" then
    while not take ")" do at = at + 1 end
  end
  if is_next "[" then uncovered "lists" end
  if take "with" then uncovered "time zones" end
  return words[1]
end

-- ------------------------------------------------------------------------------------------------------ expressions

local expression, query

local function order_item()
  local e = expression()
  local item = {e = e, descending = take "desc"}
  if not item.descending then take "asc" end
  if take("nulls", "first") then item.nulls = "first" end
  if take("nulls", "last") then item.nulls = "last" end
  return item
end

local function order_list() return take("order", "by") and list_of(order_item) or nil end

local function call(called)
  local e = {k = "call", name = called, args = {}}
  if take "*" then
    e.star = true
  elseif not is_next ")" then
    e.distinct = take "distinct"
    if not e.distinct then take "all" end
    e.args = list_of(expression)
    e.order = order_list()
  end
  expect ")"
  if take("within", "group", "(") then
    e.within = order_list()
    expect ")"
  end
  if take("filter", "(") then
    take "where"
    e.filter = expression()
    expect ")"
  end
  if is_next "over" then uncovered "windows" end
  return e
end

local function case()
  local e = {k = "case", whens = {}}
  if not is_next "when" then e.base = expression() end
  while take "when" do
    local condition = expression()
    expect "then"
    e.whens[#e.whens + 1] = {condition, expression()}
  end
  e.otherwise = take "else" and expression() or {k = "null"}
  expect "end"
  return e
end

local function cast()
  expect "("
  local e = expression()
  expect "as"
  e = {k = "cast", a = e, type = type_name()}
  expect ")"
  return e
end

local typed_literals = {date = true, timestamp = true, time = true, interval = true}

local function word_value()
  if take "null" then return {k = "null"} end
  if take "true" then return {k = "bool", v = true} end
  if take "false" then return {k = "bool", v = false} end
  if take "case" then return case() end
  if take "cast" or take "try_cast" then return cast() end
  if typed_literals[peek().text] and peek(1).kind == "string" then
    local kind = name()
    if kind == "interval" or kind == "time" then uncovered(kind) end
    at = at + 1
    return {k = "cast", a = {k = "string", v = peek(-1).text}, type = kind}
  end
  if is_next "interval" then uncovered "interval" end
  if (is_next "left" or is_next "right") and is_next("(", 1) then uncovered "left, right" end
  local first = name()
  if take "(" then return call(first) end
  if take "." then
    if is_next "*" then uncovered "table.*" end
    return {k = "column", table = first, name = name()}
  end
  return {k = "column", name = first}
end

local function value()
  local t = peek()
  if t.kind == "number" then
    at = at + 1
    return {k = "number", v = math.tointeger(tonumber(t.text)) and not t.text:find "[.eE]" and math.tointeger(t.text)
      or tonumber(t.text) + 0.0}
  end
  if t.kind == "string" then
    at = at + 1
    return {k = "string", v = t.text}
  end
  if take "(" then
    if is_next "select" or is_next "with" then uncovered "subqueries" end
    local e = expression()
    if is_next "," then uncovered "rows as values" end
    expect ")"
    return e
  end
  if is_next "[" or is_next "{" then uncovered "lists" end
  return word_value()
end

local function postfix()
  local e = value()
  while true do
    if take "::" then
      e = {k = "cast", a = e, type = type_name()}
    elseif is_next "[" or is_next "." then
      uncovered "lists"
    else
      return e
    end
  end
end

local function unary()
  if take "-" then return {k = "negative", a = unary()} end
  if take "+" then return unary() end
  return postfix()
end

local function left_to_right(below, ...)
  local operators = {...}
  return function()
    local e = below()
    repeat
      local found = false
      for _, operator in ipairs(operators) do
        if take(operator) then
          e, found = {k = "operator", op = operator, a = e, b = below()}, true
          break
        end
      end
    until not found
    return e
  end
end

local product = left_to_right(unary, "*", "/", "//", "%", "div")
local sum = left_to_right(product, "+", "-")
local joined = left_to_right(sum, "||")

local comparisons = {"<=", ">=", "<>", "!=", "==", "=", "<", ">"}

local function predicate(e)
  local no = take "not"
  if take "in" then
    expect "("
    if is_next "select" then uncovered "subqueries" end
    e = {k = "in", a = e, list = is_next ")" and {} or list_of(expression), no = no}
    expect ")"
    return e
  end
  if take "between" then
    local low = joined()
    expect "and"
    return {k = "between", a = e, low = low, high = joined(), no = no}
  end
  uncovered(peek().text)
end

local function comparison()
  local e = joined()
  while true do
    local operator
    for _, candidate in ipairs(comparisons) do
      if not operator and take(candidate) then operator = candidate end
    end
    if operator then
      e = {k = "compare", op = operator == "==" and "=" or operator == "!=" and "<>" or operator, a = e, b = joined()}
    elseif take "is" then
      local no = take "not"
      if not take "null" then uncovered "is" end
      e = {k = "is_null", a = e, no = no}
    elseif is_next "in" or is_next "between" or is_next "not" or is_next "like" or is_next "ilike" then
      e = predicate(e)
    else
      return e
    end
  end
end

local function negation()
  if take "not" then return {k = "not", a = negation()} end
  return comparison()
end

local conjunction = left_to_right(negation, "and")
expression = left_to_right(conjunction, "or")

-- ---------------------------------------------------------------------------------------------------------- queries

local function values_rows()
  return list_of(function()
    expect "("
    local row = list_of(expression)
    expect ")"
    return row
  end)
end

local function alias_of(source)
  take "as"
  source.alias = take_name() or source.alias
  if source.alias then source.columns = names_in_parentheses() end
  return source
end

local from

local function source()
  if take "(" then
    local inner
    if is_next "select" or is_next "with" or is_next "from" then
      inner = {k = "query", query = query()}
    elseif take "values" then
      inner = {k = "query", query = {values = values_rows()}}
    else
      inner = from()
    end
    expect ")"
    return alias_of(inner)
  end
  if take "values" then return alias_of {k = "query", query = {values = values_rows()}} end
  local named = name()
  if take "(" then
    local e = call(named)
    return alias_of {k = "function", call = e, alias = named}
  end
  if is_next "." then uncovered "schemas" end
  return alias_of {k = "table", name = named, alias = named}
end

local function join_kind()
  if take "," then return {cross = true} end
  if take("cross", "join") then return {cross = true} end
  local join, start = {how = "inner"}, at
  join.asof = take "asof"
  for _, how in ipairs {"left", "right", "full", "inner", "semi", "anti"} do
    if take(how) then join.how = how end
  end
  take "outer"
  if take "join" then return join end
  if is_next "natural" or is_next "positional" then uncovered(peek().text) end
  at = start
end

function from()
  local left = source()
  while true do
    local join = join_kind()
    if not join then return left end
    join.k, join.left, join.right = "join", left, source()
    if not join.cross then
      if take "on" then join.on = expression() else
        join.using = take "using" and names_in_parentheses() or nil
        if not join.using then join.cross = true end
      end
    end
    left = join
  end
end

local function select_item()
  if take "*" then return {star = true} end
  local e = expression()
  local alias = take "as" and name() or take_name()
  if alias == "export_state" then uncovered "export_state" end
  if not alias and peek().kind == "string" then uncovered "names in quotes" end
  return {e = e, alias = alias}
end

local function group_items()
  if take "all" then return "all" end
  for _, word in ipairs {"grouping", "rollup", "cube"} do
    if is_next(word) then uncovered "grouping sets" end
  end
  if is_next "(" and is_next(")", 1) then uncovered "grouping sets" end
  return list_of(expression)
end

local function select()
  local q = {}
  if take "from" then
    q.from = from()
    q.items = {{star = true}}
    if take "select" then q.items = list_of(select_item) end
  else
    expect "select"
    q.distinct = take "distinct"
    if q.distinct and is_next "on" then uncovered "distinct on" end
    if not q.distinct then take "all" end
    q.items = list_of(select_item, "from")
    if take "from" then q.from = from() end
  end
  if take "where" then q.where = expression() end
  if take("group", "by") then q.group = group_items() end
  if take "having" then q.having = expression() end
  if is_next "qualify" or is_next "window" then uncovered "windows" end
  return q
end

local function one_query()
  if take "values" then return {values = values_rows()} end
  if take "(" then
    local q = query()
    expect ")"
    return q
  end
  return select()
end

function query()
  local with
  if take "with" then
    if take "recursive" then uncovered "recursive" end
    with = list_of(function()
      local named = name()
      local columns = names_in_parentheses()
      take "as"
      take "materialized"
      expect "("
      local inner = query()
      expect ")"
      return {name = named, columns = columns, query = inner}
    end)
  end
  local q = one_query()
  while take "union" do
    q = {union = {q}, distinct = not take "all"}
    q.union[2] = one_query()
  end
  if is_next "except" or is_next "intersect" then uncovered(peek().text) end
  q.with = with
  if take("order", "by") then
    q.order = take "all" and "all" or list_of(order_item)
  end
  if take "limit" then q.limit = expression() end
  if take "offset" then q.offset = expression() end
  return q
end

-- ------------------------------------------------------------------------------------------------------- statements

local function create()
  local replaces = take("or", "replace")
  local _ = take "temporary" or take "temp"
  if take "view" then
    local s = {k = "view", name = name(), columns = names_in_parentheses(), replaces = replaces}
    expect "as"
    s.query = query()
    return s
  end
  expect "table"
  take("if", "not", "exists")
  local s = {k = "create", name = name(), replaces = replaces}
  if take "as" then
    s.query = query()
    return s
  end
  expect "("
  s.columns = list_of(function()
    local column = {name = name(), type = type_name()}
    while not is_next "," and not is_next ")" do at = at + 1 end -- keys and constraints
    return column
  end)
  expect ")"
  return s
end

local function insert()
  expect "into"
  local s = {k = "insert", name = name(), columns = names_in_parentheses()}
  s.query = query()
  return s
end

local function statement()
  if take "create" then return create() end
  if take "insert" then return insert() end
  if take "drop" then
    local _ = take "table" or take "view" or uncovered "drop"
    take("if", "exists")
    return {k = "drop", name = name()}
  end
  if take "update" then return {k = "lost", name = name()} end
  if take("delete", "from") then return {k = "lost", name = name()} end
  if take "set" then
    local option = name()
    local _ = take "=" or take "to"
    return {k = "set", name = option, value = peek().text}
  end
  for _, word in ipairs {"select", "with", "from", "values"} do
    if is_next(word) then return {k = "select", query = query()} end
  end
  uncovered(peek().text)
end

function parser.parse(text)
  tokens, at = tokens_of(text), 1
  local s = statement()
  take ";"
  if at <= #tokens and s.k ~= "set" and s.k ~= "lost" then uncovered("syntax: " .. peek().text) end
  return s
end

return parser
