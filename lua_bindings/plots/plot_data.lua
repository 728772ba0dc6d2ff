-- plot_data.lua: what a plot shows, as positions: lines of float64 in which NaN is a gap, and what the numbers of an
-- axis stand for.
--
-- An axis is {kind = "number", "time" or "words", base = the integer that position 0 stands for, is_whole, is_log,
-- words = {...}, low, high = the range of the positions; nil: there are none}.
local strew, fail, use, inner = ...
local operands = use "operands.lua"
local data = {}

-- Integers up to here are floats, too.
local EXACT <const> = 1 << 53

local function kind_of(t) return t.dtype == "text" and "words" or t.dtype == "time" and "time" or "number" end

local function count(mask) return mask:numel() > 0 and mask:sum():item() or 0 end

-- Returns the least and the greatest element of the tensors but NaN; nil: there is none.
local function extremes(tensors)
  local low, high
  for _, t in ipairs(tensors) do
    local is_float, least, most = operands.is_float(t), nil, nil
    if t:numel() > 0 then
      least, most = (is_float and t:nanmin() or t:amin()):item(), (is_float and t:nanmax() or t:amax()):item()
    end
    if least == least and least then low, high = math.min(low or least, least), math.max(high or most, most) end
  end
  return low, high
end

-- Returns the positions of words, and the axis.
local function of_words(tensors)
  local all = strew.cat(tensors):to(operands.float64_device(tensors[1]))
  local is_ordered = #all > 0 and inner.is_ordered(tensors[1])
  local g = strew.group_by(all:masked_select(all:ne("")), {order = is_ordered and "sorted" or "first"})
  local words = g.n > 0 and g.keys[1]:tolist() or {}
  local ids = strew.full(#all, 0 / 0, {dtype = "float64", device = all.device})
  ids:masked_scatter_(all:ne(""), g.ids:to("float64"))
  local positions, start = {}, 0
  for k, t in ipairs(tensors) do
    positions[k], start = ids:narrow(0, start, #t), start + #t
  end
  return {kind = "words", base = 0, is_whole = true, words = words, low = -0.5, high = math.max(#words, 1) - 0.5},
    positions
end

-- Returns integers, int64, as positions: from the least one on, if floats do not hold them.
local function of_integers(tensors, kind)
  local has_gaps, base, present, positions = kind == "time", 0, {}, {}
  for k, t in ipairs(tensors) do present[k] = has_gaps and t:masked_select(t:ne(math.mininteger)) or t end
  local low, high = extremes(present)
  if low and (high + 0.0) - (low + 0.0) < 0x1p62 and (has_gaps or high > EXACT or low < -EXACT) then base = low end
  for k, t in ipairs(tensors) do
    positions[k] = (base == 0 and t or t - base):to("float64")
    if has_gaps then positions[k] = positions[k]:masked_fill(t:eq(math.mininteger), 0 / 0) end
  end
  return {kind = kind, base = base, is_whole = true}, positions
end

-- Returns t, integers or times, as int64, if that holds all.
local function as_integers(t)
  if t.dtype == "time" then return t:to("int64") end
  if not operands.is_index(t) then return nil end
  if t.dtype == "uint64" and #t > 0 and t:to("float64"):amax():item() >= 0x1p63 then return nil end
  return t:to("int64")
end

-- Returns the positions of values that are no words, and the axis. needs_zero: position 0 is the number 0.
local function of_values(tensors, kind, needs_zero)
  local whole, is_whole = {}, true
  for k, t in ipairs(tensors) do
    t = t:to(operands.float64_device(t))
    whole[k] = as_integers(t)
    tensors[k], is_whole = t, is_whole and (t.dtype == "bool" or operands.is_index(t))
  end
  if #whole == #tensors and not needs_zero then return of_integers(whole, kind) end
  local positions = {}
  for k, t in ipairs(tensors) do positions[k] = t:to("float64") end
  return {kind = kind, base = 0, is_whole = is_whole}, positions
end

-- Sets the range of the positions; makes gaps of those that the axis cannot show, and counts them; takes logarithms.
local function clean(axis, positions)
  local low, high = extremes(positions)
  local has_infinite = low and (high == math.huge or low == -math.huge)
  axis.infinite, axis.not_positive = 0, 0
  for k, t in ipairs(has_infinite and positions or {}) do
    axis.infinite = axis.infinite + count(t:isinf())
    positions[k] = t:masked_fill(t:isinf(), 0 / 0)
  end
  for k, t in ipairs(axis.is_log and positions or {}) do
    axis.not_positive = axis.not_positive + count(t:le(0))
    positions[k] = t:masked_fill(t:le(0), 0 / 0):log10()
  end
  if has_infinite or axis.is_log then low, high = extremes(positions) end
  if axis.kind ~= "words" then axis.low, axis.high = low, high end
end

-- Returns the axis of the tensors of all series, and their positions. Errors name the script's argument.
function data.measure(tensors, argument, is_log, needs_zero)
  local kind = kind_of(tensors[1])
  for _, t in ipairs(tensors) do
    if kind_of(t) ~= kind then
      fail(argument, format("has %s and %s, which have no common axis", tensors[1].dtype, t.dtype), nil, "dtype")
    end
  end
  if is_log and kind ~= "number" then
    fail("log", format("names an axis of %s, which has no logarithms", kind == "time" and "times" or "words"))
  elseif needs_zero and kind ~= "number" then
    fail(argument, format("is %s, expected numbers: the picture begins at 0", tensors[1].dtype),
      kind == "words" and 'kind = "points"' or 'kind = "line"', "dtype")
  end
  local axis, positions
  if kind == "words" then
    axis, positions = of_words(tensors)
  else
    axis, positions = of_values(table.move(tensors, 1, #tensors, 1, {}), kind, needs_zero or is_log)
    axis.is_log = is_log
  end
  clean(axis, positions)
  return axis, positions
end

------------------------------------------------------------------------------------------------- rows that are drawn

-- Returns the part of the axis from its low end, 0..1, of positions or a number. (The extent may overflow.)
function data.part(axis, positions)
  local scale = axis.high - axis.low < math.huge and 1 or 0.25
  return (positions * scale - axis.low * scale) / (axis.high * scale - axis.low * scale)
end

-- Returns functions from positions to places in a box, whose top is the high end of the y axis.
function data.scales(plot, left, top, width, height)
  return function(x) return left + data.part(plot.x_axis, x) * width end,
    function(y) return top + (1 - data.part(plot.y_axis, y)) * height end
end

-- Returns the ends of segments of neighbours, those in one of `columns` columns of pixels, before and behind them, or
-- where x is not in ascending order equal parts of the line; and of what the extremes are to be drawn.
local function neighbours(axis, x, y, columns)
  local n, to = #x, {dtype = "int64", device = x.device}
  if n > 1 and not x:narrow(0, 1, n - 1):ge(x:narrow(0, 0, n - 1)):all():item() then
    return strew.arange(columns + 1, {device = x.device}) * n // columns, {x, y}
  end
  local edges = strew.linspace(axis.low, axis.high, columns + 1, {dtype = "float64", device = x.device})
  return strew.cat{strew.zeros(1, to), x:searchsorted(edges), strew.full(1, n, to)}, {y}
end

-- Returns the places of elements that draw as all do: of each segment the first, the last, and the extremes.
local function outline(axis, x, y, columns)
  local ends, drawn = neighbours(axis, x, y, columns)
  local starts, stops = ends:narrow(0, 0, #ends - 1), ends:narrow(0, 1, #ends - 1)
  local is_some, places = stops:gt(starts), {starts, stops - 1}
  for _, values in ipairs(drawn) do
    places[#places + 1] = select(2, strew.segment_csr(values, ends, "min"))
    places[#places + 1] = select(2, strew.segment_csr(values, ends, "max"))
  end
  for k, place in ipairs(places) do places[k] = place:masked_select(is_some) end
  return strew.cat(places):unique()
end

local DENSE <const> = 4 -- points a column, from which on an outline is drawn

-- Returns the points of a line, {x, y, is_begin} by position: the first one behind a gap begins a part.
function data.line(axis, x, y, columns)
  local is_some, rows = x:eq(x) & y:eq(y), strew.arange(#x, {device = x.device})
  if not is_some:all():item() then
    rows = is_some:nonzero():squeeze(1)
    x, y = x[rows], y[rows]
  end
  if #rows > DENSE * columns then
    local places = outline(axis, x, y, columns)
    x, y, rows = x[places], y[places], rows[places] - places
  else
    rows = rows - strew.arange(#rows, {device = rows.device})
  end
  local points, gaps = {}, rows:tolist()
  local xs, ys = x:tolist(), y:tolist()
  for k, value in ipairs(xs) do points[k] = {value, ys[k], gaps[k] ~= gaps[k - 1]} end
  return points
end

-- Returns points, of which one in each of columns x lines cells, if there are many.
function data.points(x_axis, y_axis, x, y, columns, lines)
  local u, v = data.part(x_axis, x), data.part(y_axis, y)
  local is_inside = u:ge(0) & u:le(1) & v:ge(0) & v:le(1)
  if count(is_inside) > columns * lines // DENSE then
    local function cells(part, n) return (part[is_inside] * n):floor():clamp(0, n - 1):to("int64") end
    local at = strew.bincount(cells(u, columns) * lines + cells(v, lines), {minlength = columns * lines})
    at = at:nonzero():squeeze(1)
    local function center(cell, n, axis)
      local part = (cell:to("float64") + 0.5) / n
      return part * axis.high + (1 - part) * axis.low
    end
    x, y = center(at // lines, columns, x_axis), center(at % lines, lines, y_axis)
  else
    x, y = x[is_inside], y[is_inside]
  end
  local points, ys = x:tolist(), y:tolist()
  for k, value in ipairs(points) do points[k] = {value, ys[k]} end
  return points
end

-- Returns how many points of a series lie outside of the axes.
function data.outside(x_axis, y_axis, x, y)
  return count(x:lt(x_axis.low) | x:gt(x_axis.high) | y:lt(y_axis.low) | y:gt(y_axis.high))
end

-- Returns the counts of positions in bins of equal width, which cover the axis.
function data.counts(axis, x, bins)
  if not axis.low then return strew.zeros(bins):tolist() end
  x = x:masked_select(x:ge(axis.low) & x:le(axis.high))
  if axis.high - axis.low < math.huge then return x:histc(bins, axis.low, axis.high):tolist() end
  return data.part(axis, x):histc(bins, 0, 1):tolist()
end

return data
