-- plotting.lua: strew.plot: reads what a script gives, makes series of it, and has them drawn.
--
-- A plot is {kind, series, x_axis, y_axis, x_label, y_label, title, notes, ...}; a series is {name, x, y}: tensors at
-- first, then positions on the axes (plot_data.lua).
local strew, fail, use, inner = ...
local operands, errors, tables = use "operands.lua", use "errors.lua", use "tables.lua"
local about, expressions = use "columns.lua", use "expressions.lua"
local data, axes, missing = use "plot_data.lua", use "plot_axes.lua", use "missing.lua"

local OPTIONS <const> = "columns~any path=word x=any y=any kind=any by=any title=word xlabel=word ylabel=word "
  .. "labels=any log=any xlim=any ylim=any bins=integer width=integer height=integer style=any"
local KINDS <const> = {"line", "points", "bars", "histogram", "area"}
local STYLES <const> = {[0] = "ascii", "blocks", "256", "truecolor", "svg"}
local OTHERS <const> = {scatter = "points", point = "points", hist = "histogram", barh = "bars", bar = "bars",
  lines = "line", fill = "area"} -- kinds of other libraries
local LOGS <const> = {[false] = "none", [true] = "y", x = "x", y = "y", xy = "xy", both = "xy"}
local EMPTY <const> = "(empty)" -- the label of a missing word
local MOST_SERIES <const>, MOST_BARS <const>, MOST_BINS <const> = 24, 1000, 1000

------------------------------------------------------------------------------------------------------------ arguments

local function is_columns(value) return type(value) == "table" and about.about(value) ~= nil end

-- Returns the options of a script's arguments by position, of which each may be one, and its columns or nil: [path,]
-- columns, y, or x and y, and a table of options, whose sequence is y.
local function read_arguments(...)
  local given, rest, last, columns = {}, {}, select("#", ...), nil
  while last > 0 and select(last, ...) == nil do last = last - 1 end
  for k = 1, last do
    local value = select(k, ...)
    local is_plain = type(value) == "table" and not is_columns(value)
    if type(value) == "string" and given.path == nil and rest[1] == nil then
      given.path = value
    elseif (is_columns(value) or is_plain and k < last and rawlen(value) == 0) and not (columns or rest[1]) then
      columns = value
    elseif is_plain and k == last and (rawlen(value) == 0 or next(value, rawlen(value)) ~= nil) then
      if rawlen(value) > 0 then rest[#rest + 1] = table.move(value, 1, rawlen(value), 1, {}) end
      given.options = value
    else
      rest[#rest + 1] = value
    end
  end
  if #rest > 2 then
    fail(nil, format("too many arguments: %d, expected [path,] y, or x and y, and options", last))
  end
  local options = {path = given.path, y = rest[#rest], x = rest[#rest - 1]}
  for _, name in ipairs{"path", "y", "x"} do
    if options[name] ~= nil and given.options and rawget(given.options, name) ~= nil then
      fail(name, "is given twice, by position and in options")
    end
  end
  for key, value in next, given.options or {} do
    if math.type(key) ~= "integer" then options[key] = value end
  end
  return options, columns
end

-- Returns a text in one line.
local function line_of_text(text) return text and (string.gsub(inner.printable(text), "[\n\t\r]", " ")) end

-- Returns the integer of an option; nil: none is given.
local function check_integer(given, name, least, most)
  local value = given[name]
  if value and (value < least or value > most) then
    fail(name, format("is %d, expected an integer %d..%d", value, least, most), nil, "value")
  end
  return value
end

-- Returns whether x and y have logarithms.
local function check_log(log)
  local axes_of = LOGS[log or false]
  if axes_of then return string.find(axes_of, "x") ~= nil, string.find(axes_of, "y") ~= nil end
  fail("log", format('is %s, expected "x", "y", "xy" or true, which is "y"', inner.text(log)))
end

-------------------------------------------------------------------------------------------------------------- series

-- Lines made of a script's sequences, which are where the others are.
local is_made = setmetatable({}, {__mode = "k"})

-- Returns a script's tensor, or sequence of numbers or words, as a line.
local function line_of(value, argument, columns)
  if type(value) == "table" and rawlen(value) > 0 then
    local function reword(fact, hint) return string.gsub(fact, " x%[", " " .. argument .. "["), hint end
    value = errors.own("x", argument, reword, strew.tensor, value, {device = "cpu"})
    is_made[value] = true
    return operands.check_rank(value, argument, 1, 1, "1") or value
  end
  if not operands.is_tensor(value) then
    fail(argument, format("is %s, expected a tensor%s", inner.text(value), columns and " or a column's name" or ""),
      type(value) == "string" and not columns and format('names are of columns: x:plot{%s = "name"}', argument) or nil)
  elseif not inner.is_open(value) then
    fail(argument, "was freed", nil, "freed")
  end
  value = operands.line(value:detach())
  operands.check_rank(value, argument, 1, 1, "1", argument .. ":select(1, 0) is a column")
  return value
end

-- Returns columns of x as series of their names; which: these, nil: all.
local function by_names(x, which, argument)
  local all, list = tables.read(x, which and "x" or argument), {}
  for k, i in ipairs(expressions.positions(x, all, which or all.names, argument)) do
    tables.check_key(all, i, argument)
    list[k] = {name = tostring(all.names[i]), values = all.tensors[i]:detach()}
  end
  return list
end

-- Returns a script's y or x as a list of {name, values}; name nil: it has none.
local function lines_of(value, argument, columns)
  local is_list = type(value) == "table" and rawlen(value) > 0
  local first = is_list and rawget(value, 1)
  if columns and (type(value) == "string" or is_list and type(first) == "string") then
    return by_names(columns, value, argument)
  elseif is_list and (operands.is_tensor(first) or type(first) == "table") then
    local list = {}
    for k = 1, rawlen(value) do list[k] = {values = line_of(rawget(value, k), argument, columns)} end
    return list
  elseif type(value) == "table" and not is_list and not operands.is_tensor(value) then
    return by_names(value, nil, argument)
  end
  return {{values = line_of(value, argument, columns)}}
end

-- Returns the one line of a script's argument, and its name.
local function one_line(value, argument, columns)
  local list = lines_of(value, argument, columns)
  if #list ~= 1 then fail(argument, format("has %d columns, expected one", #list)) end
  return list[1].values, list[1].name
end

-- Returns the columns of numbers but x and by, which y is if a script does not say.
local function columns_of_numbers(given)
  local all, names = tables.read(given.columns, "x"), {}
  for k, name in ipairs(all.names) do
    if tables.kind(all, k) == "number" and all.tensors[k]:dim() == 1 and name ~= given.x and name ~= given.by then
      names[#names + 1] = name
    end
  end
  return names
end

-- Returns x beside the values of all series: of as many elements, on their device.
local function beside(series, x, argument)
  for _, one in ipairs(series) do
    if is_made[x] then x = x:to(one.values.device) end
    if is_made[one.values] then one.values = one.values:to(x.device) end
    operands.check_device(x, one.values, "y")
    if #one.values ~= #x then
      fail(argument, format("has %d element%s, y has %d", #x, #x == 1 and "" or "s", #one.values), nil, "shape")
    end
  end
  return x
end

-- Returns each series split into those of the keys in `by`.
local function split(series, given)
  local by = beside(series, one_line(given.by, "by", given.columns), "by")
  local g, parts = strew.group_by(by), {}
  if g.n * #series > MOST_SERIES then
    fail("by", format("makes %d series, expected at most %d", g.n * #series, MOST_SERIES), nil, "value")
  end
  for _, one in ipairs(series) do
    for k, word in ipairs(g.n > 0 and missing.labels(g.keys[1], EMPTY) or {}) do
      local rows = g.ids:eq(k - 1):nonzero():squeeze(1)
      parts[#parts + 1] = {name = #series > 1 and one.name .. ", " .. word or word, values = one.values[rows],
        x = one.x[rows]}
    end
  end
  return parts
end

-- Returns the series, {name, values, x} each, and the names of x and y.
local function series_of(given)
  local columns = given.columns
  if given.y == nil and given.kind == "histogram" then given.x, given.y = nil, given.x end
  if given.y == nil and columns then given.y = columns_of_numbers(given) end
  if given.y == nil then fail("y", "is missing, expected values") end
  if type(given.y) == "table" and next(given.y) == nil then
    fail("y", columns and "is missing, and x has no other columns of numbers" or "is an empty table, expected values")
  end
  local series, x, x_name = lines_of(given.y, "y", columns), nil, nil
  local y_name = #series == 1 and series[1].name or nil
  if given.x ~= nil then
    if given.kind == "histogram" then fail("x", "is given with y: a histogram has values alone") end
    x, x_name = one_line(given.x, "x", columns)
    x = beside(series, x, "x")
  end
  for k, one in ipairs(series) do
    one.name = one.name or tostring(k)
    one.x = x or strew.arange(#one.values, {dtype = "int64", device = one.values.device})
  end
  if #series > MOST_SERIES then fail("y", format("makes %d series, expected at most %d", #series, MOST_SERIES)) end
  return given.by ~= nil and split(series, given) or series, x_name, y_name
end

-- Gives the series the names of a script.
local function name_series(series, labels)
  if labels == nil then return end
  if type(labels) == "string" then labels = {labels} end
  if type(labels) ~= "table" or rawlen(labels) ~= #series then
    fail("labels", format("is %s, expected a name for each of %d series", type(labels) == "table"
      and format("a sequence of %d", rawlen(labels)) or inner.text(labels), #series))
  end
  for k, one in ipairs(series) do
    one.name = rawget(labels, k)
    if type(one.name) ~= "string" then
      fail("labels", format("has %s at [%d], expected a string", inner.text(one.name), k))
    end
  end
end

--------------------------------------------------------------------------------------------------------------- kinds

local function pick(series, field)
  local list = {}
  for k, one in ipairs(series) do list[k] = one[field] end
  return list
end

-- Sets what lines, points and areas are drawn from.
local function set_lines(plot, given)
  plot.has_zero = plot.kind == "area"
  local xs, ys
  plot.x_axis, xs = data.measure(pick(plot.series, "x"), "x", plot.x_log)
  plot.y_axis, ys = data.measure(pick(plot.series, "values"), "y", plot.y_log, plot.has_zero)
  for k, one in ipairs(plot.series) do -- maybe one of them is on the CPU, in float64
    one.x, one.y = xs[k], ys[k]:to(xs[k].device)
    if xs[k].device ~= ys[k].device then one.x, one.y = xs[k]:to("cpu"), ys[k]:to("cpu") end
  end
  plot.is_empty = not (plot.x_axis.low and plot.y_axis.low)
  axes.settle(plot.x_axis, given.xlim, "xlim", nil, false, plot.kind == "points" and 0.02 or 0)
end

-- Sets the counts of a histogram.
local function set_histogram(plot, given)
  plot.bins, plot.has_zero = check_integer(given, "bins", 1, MOST_BINS) or 10, true
  local xs
  plot.x_axis, xs = data.measure(pick(plot.series, "values"), "y", plot.x_log)
  plot.is_empty = not plot.x_axis.low
  if plot.x_axis.kind == "words" then
    fail("y", "is text, expected numbers or times", 'bars of counts: strew.value_counts(x, "name"):plot()', "dtype")
  end
  axes.settle(plot.x_axis, given.xlim, "xlim")
  local low, high, most = plot.x_axis.low, plot.x_axis.high, 0
  plot.edges = {}
  for i = 0, plot.bins do plot.edges[i + 1] = high * (i / plot.bins) + low * (1 - i / plot.bins) end
  for k, one in ipairs(plot.series) do
    one.counts = data.counts(plot.x_axis, xs[k], plot.bins)
    one.x, one.y = xs[k], xs[k] * 0
    most = math.max(most, table.unpack(one.counts))
  end
  plot.y_axis = {kind = "number", base = 0, is_whole = true, low = 0.0, high = most + 0.0}
end

-- Returns the labels of bars: words, or the texts of numbers and times, by row; and the rows of each series, if it has
-- its own.
local function labels_of(series, is_split)
  if not is_split then return missing.labels(series[1].x, EMPTY), {} end
  local labels, row_of, rows = {}, {}, {}
  for k, one in ipairs(series) do
    local is_taken = {}
    rows[k] = {}
    for i, label in ipairs(missing.labels(one.x, EMPTY)) do
      if is_taken[label] then
        fail("x", format("has %s twice in series %s, expected a row for each bar", inner.text(label),
          inner.text(one.name)), 'x:group_by{"a", "b"}:agg{...} makes one row of several', "value")
      end
      row_of[label] = row_of[label] or #labels + 1
      labels[row_of[label]], rows[k][i], is_taken[label] = label, row_of[label], true
    end
  end
  return labels, rows
end

-- Sets the values of bars.
local function set_bars(plot, given)
  local count = 0
  for _, one in ipairs(plot.series) do count = math.max(count, #one.values) end
  if count > MOST_BARS then
    fail("y", format("has %d values, expected at most %d bars", count, MOST_BARS), 'kind = "histogram"', "value")
  end
  local ys
  plot.y_axis, ys = data.measure(pick(plot.series, "values"), "y", false, true)
  plot.is_empty = not plot.y_axis.low
  local labels, places = labels_of(plot.series, given.by ~= nil)
  plot.labels, plot.has_zero = labels, true
  for k, one in ipairs(plot.series) do
    one.bars, one.x, one.y = {}, nil, nil
    for i = 1, #labels do one.bars[i] = false end
    for i, value in ipairs(ys[k]:tolist()) do one.bars[places[k] and places[k][i] or i] = value end
  end
  plot.x_axis = {kind = "words", base = 0, words = labels, low = -0.5, high = math.max(#labels, 1) - 0.5}
  if given.xlim ~= nil then fail("xlim", "is given with bars, which are all drawn") end
end

local makers <const> = {line = set_lines, points = set_lines, area = set_lines, histogram = set_histogram,
  bars = set_bars}

local function add_note(plot, count, form)
  if count > 0 then plot.notes[#plot.notes + 1] = format(form, count, count == 1 and "" or "s") end
end

-- Adds notes for values that are not drawn, so that no picture lies.
local function add_notes(plot)
  local x, y = plot.x_axis, plot.y_axis
  if plot.is_empty then plot.notes[1] = "no values" end
  local function both(field) return (x[field] or 0) + (y[field] or 0) end
  add_note(plot, both "infinite", "%d infinite value%s not shown")
  add_note(plot, both "not_positive", "%d value%s of 0 or less not shown: they have no logarithm")
end

-- Checks the limits of y, and counts what they cut.
local function check_limits(plot, given)
  if given.xlim == nil and given.ylim == nil then return end
  local limits, outside = given.ylim, 0
  if plot.has_zero and type(limits) == "table" and (type(limits[1]) == "number" and limits[1] > 0
    or type(limits[2]) == "number" and limits[2] < 0) then
    fail("ylim", format("is {%s, %s}, but %s begin at 0", inner.text(limits[1]), inner.text(limits[2]),
      plot.kind == "area" and "areas" or "bars"), 'kind = "line" or "points" needs no 0', "value")
  end
  axes.settle(plot.y_axis, limits, "ylim", nil, plot.has_zero)
  for _, one in ipairs(plot.series) do
    if one.x then outside = outside + data.outside(plot.x_axis, plot.y_axis, one.x, one.y) end
  end
  add_note(plot, outside, "%d point%s outside of the axes")
end

---------------------------------------------------------------------------------------------------------------- page

-- Returns the number of the style, and the lines of the terminal.
local function style_of(given)
  local own, lines = inner.terminal()
  if given.path ~= nil then return 4, lines end
  for k = 0, #STYLES do
    if given.style == nil and k == own or STYLES[k] == given.style then return k, lines end
  end
  errors.check_word("style", given.style, table.move(STYLES, 0, #STYLES, 1, {}))
end

-- Returns the page of a terminal, 80 x 24 if it is none, or of a file.
local function page_of(given, count)
  local style, lines = style_of(given)
  if style == 4 then
    return {style = style, width = check_integer(given, "width", 100, 10000) or 720,
      height = check_integer(given, "height", 80, 10000) or 432}
  end
  local width = check_integer(given, "width", 20, 1000) or math.min(inner.line_width(), 1000)
  local height = check_integer(given, "height", 6, 1000)
    or math.min(lines > 0 and lines - 2 or 22, math.max(22, width // 3))
  return {style = style, width = width, height = math.max(height, 6), series = count}
end

local function check_path(path)
  if path == nil then return end
  if not strew.save then fail("path", "is given, but a sandbox has no files", 'style = "svg" prints the text') end
  if not string.find(string.lower(path), "[.]svg$") then
    fail("path", format("is %s, expected a name that ends in .svg", inner.text(path)))
  end
end

local function plot(given)
  check_path(given.path)
  local picture = {notes = {}, title = line_of_text(given.title), kind = given.kind, y_limits = given.ylim}
  errors.check_word("kind", given.kind or "line", KINDS, OTHERS[given.kind])
  picture.x_log, picture.y_log = check_log(given.log)
  local series, x_name, y_name = series_of(given)
  name_series(series, given.labels)
  picture.series = series
  if #series == 0 then picture.series = {{name = "", values = strew.zeros(0), x = strew.zeros(0)}} end
  local is_of_words = picture.series[1].x.dtype == "text"
  picture.kind = picture.kind or is_of_words and "bars" or "line"
  if picture.y_log and picture.kind ~= "line" and picture.kind ~= "points" then
    fail("log", format("is %s, but %s begin at 0, which has no logarithm", inner.text(given.log),
      picture.kind == "area" and "areas" or "bars"),
      'kind = "line" or "points" needs no 0', "value")
  end
  local page = page_of(given, #picture.series)
  if given.bins ~= nil and picture.kind ~= "histogram" then fail("bins", 'is given without kind = "histogram"') end
  makers[picture.kind](picture, given)
  local is_histogram = picture.kind == "histogram"
  picture.x_label = line_of_text(given.xlabel) or is_histogram and y_name or x_name
  picture.y_label = line_of_text(given.ylabel) or is_histogram and "count" or y_name
  picture.has_legend = #series > 1 or given.labels ~= nil or given.by ~= nil
  add_notes(picture)
  check_limits(picture, given)
  if page.style < 4 then return use "plot_text.lua"(picture, page) end
  local svg = use "plot_svg.lua"
  if not given.path then return svg.text(picture, page) end
  svg.save(given.path, picture, page)
end

local NAMES <const> = {}
for name in string.gmatch(OPTIONS, "(%w+)[=~]") do NAMES[#NAMES + 1] = name end

return {
  plot = {"a~any b~any c~any d~any", function(a, b, c, d)
    local options, columns = read_arguments(a, b, c, d)
    return inner.plotted(columns, options)
  end},
  plotted = {OPTIONS, function(...)
    local given = {}
    for k, name in ipairs(NAMES) do given[name] = select(k, ...) end
    return plot(given)
  end},
}
