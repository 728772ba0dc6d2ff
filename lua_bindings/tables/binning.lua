-- binning.lua: numbers and times as words of intervals, and words as columns of bools.
local strew, fail, use, inner = ...
local operands, errors, tables, missing = use "operands.lua", use "errors.lua", use "tables.lua", use "missing.lua"
local expressions = use "expressions.lua"

-- Returns a number with so many digits: as pandas, of the fraction, or significant ones of a fraction alone; halves
-- become even.
local function rounded(value, digits)
  local whole, fraction = math.modf(value)
  if value ~= value or fraction == 0 or math.abs(value) == math.huge then return value end
  if whole == 0 then digits = digits - 1 - math.floor(math.log(math.abs(fraction), 10)) end
  return strew.tensor({value}, {dtype = "float64", device = "cpu"}):round(digits):item()
end

-- Returns edges as words with as few digits, 3 or more, as tell them apart.
local function words_of(edges)
  local is_whole, list = true, nil
  for _, edge in ipairs(edges) do is_whole = is_whole and math.type(edge) == "integer" end
  if is_whole then return strew.text(strew.tensor(edges)):tolist() end
  for digits = 3, 17 do
    local seen, are_different = {}, true
    list = {}
    for k, edge in ipairs(edges) do
      list[k] = rounded(edge + 0.0, digits)
      are_different, seen[list[k]] = are_different and not seen[list[k]], true
    end
    if are_different then break end
  end
  return strew.text(strew.tensor(list, {dtype = "float64", device = "cpu"})):tolist()
end

-- Returns the labels of intervals.
local function labels_of(edges, right)
  local labels = {}
  for k = 1, #edges - 1 do
    labels[k] = format(right and "(%s, %s]" or "[%s, %s)", edges[k], edges[k + 1])
  end
  return labels
end

-- Returns the script's labels of n intervals.
local function read_labels(labels, n)
  local seen = {}
  if type(labels) ~= "table" or operands.is_tensor(labels) then
    fail("labels", format("is %s, expected a sequence of words, or false for numbers", inner.text(labels)))
  elseif rawlen(labels) ~= n then
    fail("labels", format("has %d entries, expected %d, one for each interval", rawlen(labels), n), nil, "shape")
  end
  for k, label in ipairs(labels) do
    if type(label) ~= "string" or seen[label] or label == "" then
      fail("labels", format("has %s at [%d], expected different words", inner.text(label), k))
    end
    seen[label] = true
  end
  return table.move(labels, 1, n, 1, {})
end

-- Returns the words of the intervals' numbers, in the order of the intervals, or these numbers; is_out: those of none.
local function labelled(codes, is_out, labels, shown)
  local has_gaps = is_out:any():item()
  if labels == false then
    return has_gaps and operands.floats(codes):masked_fill(is_out, 0 / 0) or codes
  end
  local words = labels == nil and shown() or read_labels(labels, #shown())
  if has_gaps then words[#words + 1] = "" end
  return inner.make_text(has_gaps and codes:masked_fill(is_out, #words - 1) or codes, words, true)
end

-- Returns a script's edges as a sequence in ascending order.
local function read_edges(v, edges)
  if v.dtype == "time" then
    edges = errors.own("x", "edges", nil, strew.time, edges, {device = "cpu"}):to("int64"):tolist()
  elseif operands.is_tensor(edges) then
    operands.check_rank(edges, "edges", 1, 1, "1")
    edges = edges:tolist()
  end
  if type(edges) ~= "table" or #edges < 2 then
    fail("edges", format("is %s, expected two numbers or more, or a number of intervals", inner.text(edges)),
      "strew.qcut(v, 4) has as many in each")
  end
  for k = 1, #edges do
    local edge = edges[k]
    if type(edge) ~= "number" or edge ~= edge or k > 1 and edges[k - 1] >= edge then
      fail("edges", format("has %s at [%d], expected numbers in ascending order", inner.text(edge), k), nil, "value")
    end
  end
  return edges
end

-- Returns the numbers of the intervals, and where there is none. Intervals have their right edge, or their left one; if
-- it takes the least, the first one has both.
local function places(v, edges, right, takes_least)
  local at = strew.bucketize(v, edges, {right = not right}) - 1
  local is_out, gaps = at:lt(0) | at:ge(#edges - 1), missing.of(v)
  if gaps then is_out = is_out | gaps end
  if not takes_least then return at, is_out end
  local is_least = v:eq(edges[1])
  return at:masked_fill(is_least, 0), is_out & ~is_least
end

local function check_numbers(v)
  if v.dtype == "text" then fail("v", "is text, expected numbers or times", 'v:to("float64")', "dtype") end
end

-- Returns the numbers that are not missing, as a line of floats.
local function line_of(v)
  local wide, gaps = v:to(operands.widest(v)), missing.of(v)
  local line = (gaps and wide[~gaps] or wide):reshape(-1)
  if #line == 0 then fail("v", "has no number") end
  return line
end

-- Returns the edges of n intervals of equal width, of which the open end is moved by a thousandth of all: pandas'.
local function even_edges(v, n, right)
  if n < 1 then fail("edges", format("is %d, expected 1 or more intervals", n), nil, "value", n) end
  if v.dtype == "time" then fail("edges", format("is %d, expected times", n)) end
  local line, list = line_of(v), {}
  local least, most = line:amin():item() + 0.0, line:amax():item() + 0.0
  local width = most - least
  if width ~= width or width == math.huge then fail("v", "has an infinity, expected finite numbers") end
  if width == 0 then
    local around = least == 0 and 0.001 or 0.001 * math.abs(least)
    least, most = least - around, most + around
  end
  for k = 0, n do list[k + 1] = k == n and most or least + (most - least) / n * k end
  local open = right and 1 or n + 1
  if width > 0 then list[open] = list[open] + (right and -width or width) * 0.001 end
  return list
end

-- Returns the words of edges, the first one less by its last digit: that interval has both.
local function with_both(edges)
  local floats = {}
  for k, edge in ipairs(edges) do floats[k] = edge + 0.0 end
  local words = words_of(floats)
  words[1] = words_of{rounded(tonumber(words[1]) - 0.001, 3) + 0.0, math.huge}[1]
  return words
end

local function cut(v, edges, labels, right, include_lowest)
  check_numbers(v)
  right = right ~= false
  edges = math.type(edges) == "integer" and even_edges(v, edges, right) or read_edges(v, edges)
  local is_time, takes_least = v.dtype == "time", right and include_lowest
  local codes, is_out = places(is_time and v:to("int64") or v, edges, right, takes_least)
  if is_time then is_out = is_out | missing.of(v) end
  return labelled(codes, is_out, labels, function()
    if is_time then return labels_of(strew.text(strew.tensor(edges, {device = "cpu"}):to "time"):tolist(), right) end
    return labels_of(takes_least and with_both(edges) or words_of(edges), right)
  end)
end

-- Returns the shares at which a script wants to cut: of a number of equal parts, or a sequence.
local function shares_of(q)
  if math.type(q) == "integer" and q >= 1 then
    local list = {}
    for k = 0, q do list[k + 1] = k / q end
    return list
  end
  if type(q) ~= "table" or #q < 2 then
    fail("q", format("is %s, expected the number of parts, or a sequence of shares from 0 to 1", inner.text(q)))
  end
  return q
end

local function qcut(v, q, labels)
  check_numbers(v)
  if v.dtype == "time" then fail("v", "is time, expected numbers", nil, "dtype") end
  local wide, line = v:to(operands.widest(v)), line_of(v)
  local edges = errors.own("q", "q", nil, strew.quantile, line, operands.quantiles(line, shares_of(q))):tolist()
  for k = 2, #edges do
    if edges[k] == edges[k - 1] then
      fail("q", format("gives %s twice: too many values are equal", inner.text(edges[k])), nil, "value")
    end
  end
  local codes, is_out = places(wide, edges, true, true)
  return labelled(codes, is_out, labels, function() return labels_of(with_both(edges), true) end)
end

-- Adds a bool column for each different element of v to those of a table; prefix: of their names.
local function add_dummies(out, v, prefix)
  local g, gaps = strew.group_by(v), missing.of(v)
  local keys = v:index_select(0, g.positions)
  local none = gaps and gaps:index_select(0, g.positions):tolist()
  for k, label in ipairs(missing.labels(keys)) do
    if not (none and none[k]) then
      out.names[#out.names + 1], out.tensors[#out.tensors + 1] = prefix .. label, g.ids:eq(k - 1)
    end
  end
end

local function get_dummies(v, names)
  local out, columns, chosen = {names = {}, tensors = {}}, tables.read_any(v, "v"), {}
  local is_line = operands.is_tensor(v)
  if is_line and names ~= nil then fail("names", "is given, but v is a tensor, expected a table of columns") end
  if names == nil then
    names = {}
    for i, name in ipairs(columns.names) do
      if is_line or columns.tensors[i].dtype == "text" then names[#names + 1] = name end
    end
    if #names == 0 then fail("v", "has no column of text") end
  end
  local order = expressions.positions(v, columns, names, "names")
  for _, i in ipairs(order) do
    tables.check_key(columns, i, "names")
    chosen[i] = true
  end
  for i, name in ipairs(columns.names) do
    if not chosen[i] then out.names[#out.names + 1], out.tensors[#out.tensors + 1] = name, columns.tensors[i] end
  end
  for _, i in ipairs(order) do add_dummies(out, columns.tensors[i], is_line and "" or columns.names[i] .. "_") end
  if #out.names == 0 then fail("v", "has no word that is not missing") end
  return tables.make_different(out, "names")
end

return {
  cut = {"v:tensor edges:any labels=any right=boolean include_lowest=boolean", cut},
  qcut = {"v:tensor q:any labels=any", qcut},
  get_dummies = {"v:any names?any", get_dummies},
}
