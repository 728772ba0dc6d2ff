-- expressions.lua: expressions: their inputs by name, columns of tables as inputs, and, for gradients, their operations
-- one by one.
local strew, fail, use, inner = ...
local operands, errors, tables = use "operands.lua", use "errors.lua", use "tables.lua"
local about = use "columns.lua"
local expressions = {}

-- Of each expression the names of its inputs, its words, the number of the input that each is compared with, 0: none;
-- its nodes, and whether an input is computed with.
local known = setmetatable({}, {__mode = "k"})

local COMPARES = {eq = true, ne = true}

-- Returns the median of a column, of all elements or along a dimension, as in tables: the mean of the two middle ones.
local function median_of_column(x, dim, keepdim, skip_nan)
  local line = dim and operands.line(x) or x:reshape(-1)
  local rows = strew.zeros(line:size(dim or 0), {dtype = "int64", device = x.device})
  local one = strew.grouping(rows, {dim_size = 1})
  local out = errors.own("src", "self", nil, one.median, one, line, {dim = dim, skip_nan = skip_nan})
  if dim and x:dim() > 0 then return keepdim and out or out:squeeze(dim) end
  local ones = {}
  for d = 1, keepdim and x:dim() or 0 do ones[d] = 1 end
  return out:reshape(ones)
end

-- Calls that texts have and the library leaves to this file: of_columns, x, then more.
local function median(name, skip_nan)
  return function(of_columns, x, dim, keepdim)
    if of_columns then return median_of_column(x, dim, keepdim, skip_nan) end
    return (strew[name](x, dim, keepdim))
  end
end
local medians <const> = {median = median "median", nanmedian = median("nanmedian", true)}

-- Returns for each input whether an operation but eq or ne with a word takes it.
local function computed_with(nodes)
  local is_computed = {}
  local function is_word(i) return nodes[i] and nodes[i].op == "word" end
  for i, node in ipairs(nodes) do
    local compares = COMPARES[node.op] and (is_word(node[1]) or is_word(node[2]))
    for k = 1, node.op ~= "word" and not compares and #node or 0 do
      local child = nodes[node[k]]
      if child.op == "input" then is_computed[child.of] = true end
    end
    if i == #nodes and node.op == "input" then is_computed[node.of] = true end
  end
  return is_computed
end

-- Returns the name of a node's call for its errors: the function in the text that it is part of; nil: its own.
local function name_of(node, text)
  if node.op == "index" then return "m[i]" end
  local name = string.sub(text, node.at, node.at + node.length - 1)
  return node.op ~= "to" and string.find(name, "^[%a_][%w_]*$") and name or nil
end

local function parts_of(f)
  local parts = known[f]
  if not parts then
    local nodes, words, of = inner.expr_nodes(f)
    parts = {names = f.inputs, words = words, of = of, nodes = nodes, is_computed = computed_with(nodes)}
    for _, node in ipairs(nodes) do
      node.name = name_of(node, f.text)
      if node.op == "round" and node.more then node.more[2] = nil end -- keepdim
      parts.has_calls = parts.has_calls or node.is_call
    end
    known[f] = parts
  end
  return parts
end

------------------------------------------------------------------------------------------------------------- inputs

-- Returns the position of a word in a list, 0: it has none; and whether it has two.
local function find(list, word)
  local found = 0
  for at = 1, #list do
    if list[at] == word then
      if found > 0 then return found, true end
      found = at
    end
  end
  return found
end

-- Returns a hint for an expression where a column is expected; nil: the value is another.
function expressions.hint(value)
  return inner.text(value) == "an expression" and "f:with(x) has the columns of x as its inputs" or nil
end

-- Raises an error if a column whose name is none of an expression is in a text that has failed.
local function check_names(names, text, argument)
  for _, name in ipairs(names) do
    local is_name = type(name) == "string" and string.find(name, "^[%a_][%w_]*$") and pcall(strew.expr, name)
    if type(name) == "string" and not is_name and string.find(text, name, 1, true) then
      local other = string.gsub(string.gsub(name, "[^%w_]", "_"), "^%f[%d]", "_")
      other = pcall(strew.expr, other) and other or other .. "_"
      fail(argument, format("has column %s, which is no name of an expression", tables.quoted(name)),
        format("strew.assign(x, {%s = %s}) adds it as %s", other, tables.quoted(name), other))
    end
  end
end

-- Returns the expression of a text of columns.
function expressions.parse(text, names, argument)
  local is_parsed, f = pcall(strew.expr, text)
  if is_parsed then return f end
  local is_of_memory = string.find(f, "out of memory", 1, true) or string.find(f, "not enough memory", 1, true)
  if not is_of_memory then check_names(names, text, argument) end
  error(f, 0)
end

local constants = {pi = "math.pi", inf = "math.huge", nan = "0 / 0"}

local function fail_missing(f, missing, inputs, argument)
  local names, hints, number = tables.names(inputs), {}, constants[missing[1]]
  for _, name in ipairs(missing) do
    local _, nearest = errors.meant(name, names)
    if nearest then table.insert(hints, format("'%s' for '%s'", nearest, name)) end
  end
  local what, hint = table.concat(missing, ", "), hints[1] and "did you mean " .. table.concat(hints, ", ") .. "?"
  if number then hint = format("a number is an input as well: {%s = %s}", missing[1], number) end
  if argument == "inputs" then
    if rawget(inputs, 1) ~= nil then hint = format("inputs have names: {%s = ...}", missing[1]) end
    fail(argument, format("has no %s", what), hint, nil, nil, nil, f, missing[1])
  end
  for _, t in next, inputs do
    local is_text = operands.is_tensor(t) and inner.is_open(t) and t.dtype == "text"
    if is_text and inner.word_code(t, missing[1]) >= 0 then hint = "a word is in quotes: " .. inner.text(missing[1]) end
  end
  check_names(names, f.text, argument)
  fail(argument, format("reads %s, not found in the table", what), hint, nil, nil, nil, f, missing[1])
end

local function is_of(value, dtype)
  return operands.is_tensor(value) and inner.is_open(value) and value.dtype == dtype
end

-- Raises an error for a word that is compared with an input that has none.
local function check_words(f, parts, values, argument)
  for k, word in ipairs(parts.words) do
    local value, name = values[parts.of[k]], parts.names[parts.of[k]]
    if name and not is_of(value, "text") and not is_of(value, "time") then
      if operands.is_tensor(value) and not inner.is_open(value) then fail(name, "was freed", nil, "freed") end
      fail(argument, format("has no words at %s, which the text compares with %s", tables.quoted(name),
        inner.text(word)), "words compare with text and times alone", nil, nil, nil, f, name)
    end
  end
end

-- True if the operations are calls: those that texts leave to this file, those of times, and of texts but a comparison
-- with a word by its code.
local function takes_calls(parts, values)
  if parts.has_calls then return true end
  for k in ipairs(parts.words) do
    if parts.of[k] == 0 then return true end
  end
  for i in ipairs(parts.names) do
    if is_of(values[i], "time") or parts.is_computed[i] and is_of(values[i], "text") then return true end
  end
  return false
end

-- Returns the codes of the words; texts among the values become their codes.
local function codes_of(parts, values)
  local texts, codes = {}, {}
  for i in ipairs(parts.names) do
    if is_of(values[i], "text") then texts[i], values[i] = values[i], values[i]:codes() end
  end
  for k, word in ipairs(parts.words) do codes[k] = inner.word_code(texts[parts.of[k]], word) end
  return codes
end

local one_by_one

-- Returns f with its inputs, from the script's table of that name; or nil and the values that calls give. A text of
-- columns, which has NumPy's dtypes, is one of a table, or has an argument for one.
local function bound(f, inputs, argument)
  local parts, values, missing = parts_of(f), {}, nil
  values.columns = argument ~= nil or about.about(inputs) ~= nil
  argument = argument or "inputs"
  for i, name in ipairs(parts.names) do
    values[i] = rawget(inputs, name)
    if type(values[i]) ~= "userdata" and getmetatable(inputs) then
      tables.names(inputs) -- settles columns
      values[i] = rawget(inputs, name)
    end
    if values[i] == nil then
      missing = missing or {}
      table.insert(missing, name)
    end
  end
  if missing then fail_missing(f, missing, inputs, argument) end
  check_words(f, parts, values, argument)
  local is_called = takes_calls(parts, values)
  values.codes = is_called and parts.words or codes_of(parts, values)
  local e = inner.expr_bind(f, parts.names, values, is_called and {} or values.codes) -- settles the values, too
  if not is_called then return e end
  local result = one_by_one(f, values)
  return nil, parts.nodes[#parts.nodes].op == "input" and result:clone() or result
end

---------------------------------------------------------------------------------------------------------- one by one

-- Calls strew[op] with numbers alone, `n` operands and then options, in int64, float64 or bool; gives a number. What
-- makes floats of integers computes in float64, and so does pow.
local function of_numbers(op, n, values)
  local function result(dtype)
    local given = table.move(values, 1, #values, 1, {})
    for k = 1, n do
      local own = type(values[k]) == "boolean" and "bool" or math.type(values[k]) == "float" and "float64" or "int64"
      given[k] = strew.tensor(values[k], {dtype = dtype or own, device = "cpu"})
    end
    return (medians[op] and medians[op](false, table.unpack(given)) or strew[op](table.unpack(given)))
  end
  local made = result(op == "pow" and "float64" or nil)
  return (op ~= "to" and made.dtype == "float32" and result "float64" or made):item()
end

-- Returns an operand of and, or, not.
local function bools(a, name)
  if type(a) == "boolean" or operands.is_tensor(a) and a.dtype == "bool" then return a end
  local is_text = operands.is_tensor(a) and a.dtype == "text"
  fail(name or "self", format("is %s, expected bool", operands.what(a)),
    is_text and 'x ~= "" is a bool' or nil, "dtype")
end

-- Raises an error for an operand that is no bool beside a comparison: strew_expr_node in strew.h has the bits.
local function check_written(written, a, b)
  local function is_bool(x) return type(x) == "boolean" or operands.is_tensor(x) and x.dtype == "bool" end
  local first, second = is_bool(a), is_bool(b)
  local is_first = not first and (written & 2 ~= 0 or written & 4 ~= 0 and second)
  if not is_first and (second or written & 1 == 0 and (written & 4 == 0 or not first)) then return end
  local x = is_first and a or b
  fail(is_first and "self" or "other", format("is %s beside a bool, expected bool",
    operands.what(x)), nil, "dtype")
end

-- Returns the number in place of NaN (which: 1), inf (2) or -inf (3), from the library also where calls are recorded.
function expressions.replacement(which, dtype)
  local x = strew.tensor({({0 / 0, 1 / 0, -1 / 0})[which]}, {dtype = dtype, device = "cpu"})
  return inner.expr_evaluate(operands.formula("nan_to_num(x)"):with{x = x}, nil, true):item()
end

-- Returns the operands of a call with integers as float64. is_any: of any width, not of 32 and 64 bits alone.
local function widened(taken, is_any)
  local wide, is_wide = {}, false
  for k, t in ipairs(taken) do
    local is = operands.is_tensor(t) and t.dtype ~= "text" and t.dtype ~= "time" and not operands.is_float(t)
    is = is and (is_any or operands.is_long(t))
    wide[k], is_wide = is and t:to "float64" or t, is_wide or is
  end
  return is_wide and wide
end

-- Nodes that are no calls of that name with their operands alone.
local special = {
  number = function(node) return node.number end,
  input = function(node, values) return values[node.of] end,
  word = function(node, values) return values.codes[node.of] end,
  index = function(_, _, rows, index) return rows[index] end,
  replacement = function(node, _, x, given)
    local dtype = operands.is_tensor(x) and x.dtype or "float64"
    if operands.is_tensor(x) and not operands.is_float(x) then return dtype ~= "bool" and 0 end
    return given or expressions.replacement(node.of, dtype)
  end,
  wide = function(_, values, x)
    if not operands.is_tensor(x) then return x end
    x = values.columns and widened({x}, true) or {x}
    operands.check_float(x[1], "self")
    return operands.computed(x[1])
  end,
  like = function(_, _, x, other)
    return operands.is_tensor(x) and operands.is_tensor(other) and operands.is_float(other) and x:to(other.dtype) or x
  end,
  ["and"] = function(_, _, a, b) return strew.logical_and(bools(a), bools(b, "other")) end,
  ["or"] = function(_, _, a, b) return strew.logical_or(bools(a), bools(b, "other")) end,
  ["not"] = function(_, _, a) return strew.logical_not(bools(a)) end,
}
for name, part in next, use "times.lua".parts() do
  special[name] = function(_, _, t) return part(t) end
end

-- Functions that the parser writes as comparisons with numbers, which words and times lack: these take the call.
local WHOLE <const> = {isnan = true, isinf = true, isfinite = true, nan_to_num = true}

-- Functions that the parser writes with numbers in place of NaN. Returns what such a node gives of words or times, none
-- for others: the last one the call, all before it the operand.
local SKIPS <const> = {nansum = "sum", nanmax = "where", nanmin = "where", nanmean = "like", nanstd = "like"}
local function skipping(nodes, node, taken)
  local x
  for _, t in ipairs(taken) do
    if is_of(t, "text") or is_of(t, "time") then x = x or t end
  end
  if not x or node.op == "eq" then return end
  local first = nodes[node[1]].op
  local is_last = SKIPS[node.name] == node.op and (node.op == "sum" or (first == "any") == (node.op == "where"))
  if not is_last or node.op == "like" and first == "eq" then return x end
  while node.op ~= "sum" and node.op ~= "any" do node = nodes[node[1]] end
  return x, node.more or {}
end

local SPREADS <const> = {mean = true, var = true, std = true}

-- True if a tensor among them is of floats.
local function has_floats(taken)
  for _, t in ipairs(taken) do
    if operands.is_tensor(t) and operands.is_float(t) then return true end
  end
  return false
end

-- Returns the sums or products of a column of integers; an error where they leave 64 bits.
local function sums_of_columns(op, x, dim, keepdim)
  local f = operands.formula(format(dim and "%s(x, %d, %s)" or "%s(x)", op, dim, keepdim or false))
  return inner.expr_evaluate(inner.expr_bind(f, {"x"}, {x, columns = true}, {}), nil, true)
end

-- Calls strew[op] as texts of columns do: integers of 32 and 64 bits are float64 where they meet floats or become some.
local function of_columns(op, ...)
  if medians[op] then return medians[op](true, ...) end
  local taken = {...}
  if (op == "sum" or op == "prod") and not operands.is_float(taken[1]) then return sums_of_columns(op, ...) end
  local wide = op ~= "to" and (SPREADS[op] or has_floats(taken)) and widened(taken, SPREADS[op])
  if op == "sum" or op == "mean" then
    return strew[op]((wide or taken)[1], {dim = taken[2], keepdim = taken[3], exact = true})
  end
  local made = strew[op](table.unpack(wide or taken))
  if wide or op == "to" or not operands.is_float(made) or made.dtype == "float64" then return made end
  wide = widened(taken)
  return wide and strew[op](table.unpack(wide)) or made
end

-- Returns what f gives of its values, by a call for each operation.
function one_by_one(f, values, out)
  local results, is_formula, nodes = {}, operands.is_formula(f), parts_of(f).nodes
  for i, node in ipairs(nodes) do
    -- What the function gives: its errors are those of a call in the text, except of a formula.
    local function made(call, ...)
      if is_formula then return call(...) end
      return inner.expr_call(f, i, node.name, call, ...)
    end
    local taken, is_number, own = {}, #node > 0, special[node.op]
    local call = not own and (values.columns and function(...) return of_columns(node.op, ...) end or strew[node.op])
    for k, child in ipairs(node) do
      taken[k] = results[child]
      is_number = is_number and type(taken[k]) ~= "string" and not operands.is_tensor(taken[k])
    end
    if node.op == "sub" and not node.name and is_of(taken[1], "text") then
      call = function(a, b) return a - b end -- no part of it
    end
    table.move(node.more or {}, 1, 2, #node + 1, taken)
    if node.written then made(check_written, node.written, taken[1], taken[2]) end
    local x, more
    if SKIPS[node.name] then x, more = skipping(nodes, node, taken) end
    if x then
      results[i] = more and made(strew[node.name], x, table.unpack(more)) or x
    elseif #node == 0 then
      results[i] = own(node, values)
    elseif WHOLE[node.name] and (is_of(taken[1], "text") or is_of(taken[1], "time")) then
      results[i] = made(strew[node.name], taken[1])
    elseif own then
      results[i] = made(own, node, values, table.unpack(taken))
    elseif is_number then
      results[i] = made(of_numbers, node.op, #node, taken)
    else
      results[i] = made(call, table.unpack(taken))
    end
  end
  local result = results[#results]
  return out and out:copy_(result) or result
end

function expressions.one_by_one(e, out)
  local f, values = inner.expr_parts(e)
  return one_by_one(f, values, out)
end

function expressions.evaluate(e, out) return inner.expr_evaluate(e, out) or expressions.one_by_one(e, out) end

-------------------------------------------------------------------------------------------------------------- tables

-- Returns what expressions.column does of a text that a script gives in place of a column's name; nil: it is none.
function expressions.try(x, columns, name, argument, reads)
  if type(name) ~= "string" or string.find(name, "^[%a_][%w_]*$") or tables.place(columns, name) then return nil end
  return expressions.column(x, columns, name, argument, reads, nil, true)
end

-- Returns the positions of columns, as tables.positions; texts of columns of x among them become columns behind these.
function expressions.positions(x, columns, which, argument)
  for _, name in ipairs(type(x) == "table" and (type(which) == "table" and which or {which}) or {}) do
    local t, at = expressions.try(x, columns, name, argument, false), #columns.names + 1
    if t then columns.names[at], columns.tensors[at] = name, t end
  end
  return tables.positions(columns, which, argument)
end

-- Returns e's values, and whether they are a line of that length that no call has recorded. reads: for a call that
-- reads them; they may be deferred.
function expressions.line(e, length, reads)
  local _, t, is_line = inner.expr_line(e, nil, length, reads)
  return t or expressions.one_by_one(e), is_line
end

-- Returns a column that a text computes from the columns of x, and whether no call has recorded it. reads: as of
-- expressions.line. f: the text's expression, if it is known. is_name: text may be a name, of which it returns nil.
function expressions.column(x, columns, text, argument, reads, f, is_name)
  local own, t, is_line = inner.expr_line(f or text, x, columns.rows, reads)
  if not own and is_name and (not string.find(text, "[-+*/%%^&|~<>=(%[]") or errors.meant(text, columns.names)) then
    return nil
  end
  f = own or expressions.parse(text, columns.names, argument)
  if not t then
    if not f.inputs[1] then
      fail(argument, format("has %s, which reads no column", inner.text(text)),
        argument == "what" and "a number fills a column: {name = 1}" or nil)
    end
    local e
    e, t = bound(f, x, argument)
    if e then t, is_line = expressions.line(e, columns.rows, reads) end
  end
  if is_line then return t, true end
  if t:dim() == 0 then return t:expand(columns.rows):clone() end
  operands.check_shape(t, {columns.rows}, argument)
  return t
end

---------------------------------------------------------------------------------------------------------- operations

-- Raises an error for an option among the inputs of a plain table that has nothing else which f does not read.
local function check_options(f, inputs)
  local option
  if getmetatable(inputs) then return end
  for name in next, inputs do
    if find(parts_of(f).names, name) == 0 then
      if option or name ~= "out" and name ~= "device" then return end
      option = name
    end
  end
  if option then
    fail("inputs", format("has '%s', which the expression does not read", option),
      format("options are a table of their own: f(inputs, {%s = ...})", option))
  end
end

local function call(self, inputs, out, device)
  check_options(self, inputs)
  if out and device then fail("device", "cannot be combined with 'out'") end
  local e, result = bound(self, inputs)
  if e then result = expressions.evaluate(e, out) elseif out then result = out:copy_(result) end
  return device and result:to(device) or result
end

local function with(self, inputs)
  local e, t = bound(self, inputs)
  if e then return e end
  if t.dtype == "text" or t.dtype == "time" then
    fail("inputs", format("make %s, which no bound expression has", t.dtype), "f(inputs) gives a tensor of it")
  end
  return operands.formula("x"):with{x = t}
end

local function tostring_of(self)
  local f = self
  if inner.is_bound(self) then
    local is_whole, own = pcall(inner.expr_parts, self)
    if not is_whole then return "expression of an input that was freed" end
    f = own
  end
  local names = f.inputs
  local text = format("expression%s: %s", #names > 0 and " of " .. table.concat(names, ", ") or "",
    inner.printable(f.text))
  if rawequal(f, self) then return text end
  local ok, about_it = pcall(function() return ", " .. self.dtype .. operands.text(self.shape) end)
  return ok and text .. about_it or text
end

expressions.expression = {"self:expression inputs:table out=tensor device=word", call}
expressions.with = {"self:expression inputs:table", with}
expressions.expr_tostring = {"self:expression", tostring_of}
return expressions
