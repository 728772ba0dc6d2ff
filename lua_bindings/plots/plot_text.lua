-- plot_text.lua: a plot with characters. Lines, points and areas are drawn with the dots of braille characters, eight
-- in a character; without UTF-8, or where several series have no colours, with a sign of each series.
local _, _, use, inner = ...
local data, axes, printing = use "plot_data.lua", use "plot_axes.lua", use "printing.lua"

local ASCII <const>, COLORS <const> = 0, 2 -- of styles: from COLORS on in colour
local HUES <const> = {33, 208, 36, 170, 178, 74, 160, 245} -- of xterm's 256 colours, on light and dark
local SIGNS <const> = {"*", "+", "o", "x", "#", "@", "%", "&"}
local FILLS <const> = {"█", "▒", "░", "▓"}

local function width_of(text) return select(2, printing.word(text)) end

local function cycled(list, k) return list[(k - 1) % #list + 1] end

local function colored(text, k, style)
  if style < COLORS or text == "" then return text end
  return format("\27[38;5;%dm%s\27[0m", cycled(HUES, k), text)
end

-------------------------------------------------------------------------------------------------------------- canvas

-- Returns an empty canvas: `wide` x `tall` dots, of which across x down are a character.
local function make_canvas(page)
  local has_dots = page.style ~= ASCII and (page.style >= COLORS or page.series == 1)
  local across, down = has_dots and 2 or 1, has_dots and 4 or 1
  return {across = across, down = down, wide = page.columns * across, tall = page.lines * down, bits = {}, owner = {}}
end

local BITS <const> = {[0] = {[0] = 1, 8}, {[0] = 2, 16}, {[0] = 4, 32}, {[0] = 64, 128}} -- by row, column

-- Sets the dot at column u and row v, from 0 at the top left, if it is on the canvas.
local function dot(canvas, u, v, k)
  if u < 0 or v < 0 or u >= canvas.wide or v >= canvas.tall then return end
  local cell = (v // canvas.down) * canvas.wide + u // canvas.across
  canvas.bits[cell] = (canvas.bits[cell] or 0) | BITS[v % canvas.down][u % canvas.across]
  canvas.owner[cell] = k
end

-- Returns the line of characters of a row; those of one colour that follow one another share its selection.
local function row_of(canvas, row, style)
  local parts, run, owner, blanks = {}, {}, nil, 0
  local function close()
    if owner then parts[#parts + 1] = colored(table.concat(run), owner, style) end
    run, owner = {}, nil
  end
  for column = 0, canvas.wide // canvas.across - 1 do
    local cell = row * canvas.wide + column
    local bits, k = canvas.bits[cell], canvas.owner[cell]
    if k ~= owner or not bits then close() end
    if bits then
      if blanks > 0 then parts[#parts + 1] = string.rep(" ", blanks) end
      run[#run + 1], owner, blanks = canvas.down > 1 and utf8.char(0x2800 + bits) or cycled(SIGNS, k), k, 0
    else
      blanks = blanks + 1
    end
  end
  close()
  return table.concat(parts)
end

-- Returns functions from positions to columns and rows of dots, floats.
local function scales(canvas, plot) return data.scales(plot, 0, 0, canvas.wide - 1, canvas.tall - 1) end

local function nearest(x) return math.floor(x + 0.5) end

-- Returns the part of a segment from a to b, 0..1, in which low <= a + (b - a) * part <= high; nil: none.
local function within(a, b, low, high, from, to)
  if a == b then return a >= low and a <= high and from, to end
  local first, last = (low - a) / (b - a), (high - a) / (b - a)
  if first > last then first, last = last, first end
  from, to = math.max(from, first), math.min(to, last)
  return from <= to and from, to
end

local function segment(canvas, a, b, c, d, k)
  local from, to = within(a, c, -1, canvas.wide, 0, 1)
  if from then from, to = within(b, d, -1, canvas.tall, from, to) end
  if not from then return end
  local steps = math.max(1, math.ceil(math.max(math.abs(c - a), math.abs(d - b)) * (to - from)))
  for i = 0, steps do
    local part = from + (to - from) * i / steps
    dot(canvas, nearest(a + (c - a) * part), nearest(b + (d - b) * part), k)
  end
end

-- Fills columns a..c between a line from row b to d, and row zero.
local function fill(canvas, a, b, c, d, zero, k)
  for u = math.max(nearest(a), 0), math.min(nearest(c), canvas.wide - 1) do
    local v = a == c and b or b + (d - b) * math.min(math.max((u - a) / (c - a), 0), 1)
    local top, bottom = nearest(math.min(v, zero)), nearest(math.max(v, zero))
    for row = math.max(top, 0), math.min(bottom, canvas.tall - 1) do dot(canvas, u, row, k) end
  end
end

--------------------------------------------------------------------------------------------------------------- kinds

local kinds = {}

-- Draws a line, and of an area what is between it and row zero.
function kinds.line(canvas, plot, series, k)
  local to_u, to_v = scales(canvas, plot)
  local a, b, zero = nil, nil, plot.kind == "area" and to_v(0)
  for _, point in ipairs(data.line(plot.x_axis, series.x, series.y, canvas.wide)) do
    local c, d = to_u(point[1]), to_v(point[2])
    if point[3] then a, b = c, d end
    if zero and a <= c then fill(canvas, a, b, c, d, zero, k) elseif zero then fill(canvas, c, d, a, b, zero, k) end
    segment(canvas, a, b, c, d, k)
    a, b = c, d
  end
end

kinds.area = kinds.line

function kinds.points(canvas, plot, series, k)
  local to_u, to_v = scales(canvas, plot)
  for _, point in ipairs(data.points(plot.x_axis, plot.y_axis, series.x, series.y, canvas.wide, canvas.tall)) do
    dot(canvas, nearest(to_u(point[1])), nearest(to_v(point[2])), k)
  end
end

-- One series is filled; of several the outlines are drawn.
function kinds.histogram(canvas, plot, series, k)
  local to_u, to_v = scales(canvas, plot)
  local zero, last = to_v(0), to_v(0)
  for i, count in ipairs(series.counts) do
    local a, c, v = to_u(plot.edges[i]), to_u(plot.edges[i + 1]), to_v(count)
    if #plot.series == 1 and count > 0 then
      fill(canvas, a, v, i < #series.counts and c - 1 or c, v, zero, k)
    elseif #plot.series > 1 then
      segment(canvas, a, last, a, v, k)
      segment(canvas, a, v, c, v, k)
      if i == #series.counts then segment(canvas, c, v, c, zero, k) end
    end
    last = v
  end
end

-------------------------------------------------------------------------------------------------------------- layout

local function centered(text, room) return string.rep(" ", math.max((room - width_of(text)) // 2, 0)) .. text end

local function padded(text, width) return string.rep(" ", width - width_of(text)) .. text end

-- Adds the names of the series with their signs, in as many lines as they take.
local function add_legend(plot, page, lines)
  local sign, used = plot.kind == "bars" and page.style ~= ASCII and FILLS or SIGNS, page.width
  if page.style >= COLORS then sign = {"■"} end
  for k, series in ipairs(plot.series) do
    local word, width = printing.word(series.name)
    local part = colored(cycled(sign, k), k, page.style) .. " " .. word
    if used + 4 + width > page.width then
      lines[#lines + 1], used = part, 2 + width
    else
      lines[#lines], used = lines[#lines] .. "  " .. part, used + 4 + width
    end
  end
end

-- Adds the title, and the legend in lines of its own.
local function begin(plot, page, lines)
  if plot.title then lines[#lines + 1] = centered(plot.title, page.width) end
  if plot.has_legend then add_legend(plot, page, lines) end
end

local function add_notes(plot, lines)
  for _, note in ipairs(plot.notes) do lines[#lines + 1] = "(" .. note .. ")" end
end

-- Returns the texts of the ticks of y, by row from 0 on, and their width.
local function left_texts(plot, page)
  local texts, width = {}, 0
  for _, tick in ipairs(axes.ticks(plot.y_axis, math.max(page.lines // 4, 2))) do
    local row = nearest((1 - data.part(plot.y_axis, tick[1])) * (page.lines - 1))
    if row >= 0 and row < page.lines and not texts[row] then
      texts[row], width = tick[2], math.max(width, width_of(tick[2]))
    end
  end
  return texts, width
end

-- Returns the line of the x axis, with marks, and the line of texts below it.
local function bottom(plot, page, left)
  local is_ascii, marks, texts, used = page.style == ASCII, {}, {}, 0
  for column = 1, page.columns do marks[column] = is_ascii and "-" or "─" end
  local start = string.rep(" ", left + 1)
  for _, tick in ipairs(axes.fitting(plot.x_axis, math.max(page.columns // 8, 1), page.columns, function(text)
    return width_of(text) + 2
  end)) do
    local column, width = nearest(data.part(plot.x_axis, tick[1]) * (page.columns - 1)), width_of(tick[2])
    local at = math.max(math.min(left + 1 + column - width // 2, page.width - width), used)
    marks[column + 1] = is_ascii and "+" or "┬"
    texts[#texts + 1] = string.rep(" ", at - math.max(used - 1, 0)) .. tick[2]
    used = at + width + 1
  end
  return string.sub(start, 1, left) .. (is_ascii and "+" or "└") .. table.concat(marks), table.concat(texts)
end

-- Returns the text of a plot on a canvas.
local function canvas_text(plot, page)
  local lines = {}
  begin(plot, page, lines)
  if plot.y_label then lines[#lines + 1] = plot.y_label end
  page.lines = math.max(page.height - #lines - 2 - (plot.x_label and 1 or 0) - #plot.notes, 3)
  axes.settle(plot.y_axis, plot.y_limits, "ylim", math.max(page.lines // 4, 2), plot.has_zero)
  local texts, left = left_texts(plot, page)
  page.columns = math.max(page.width - left - 1, 10)
  local canvas = make_canvas(page)
  for k, series in ipairs(plot.series) do kinds[plot.kind](canvas, plot, series, k) end
  for row = 0, page.lines - 1 do
    local edge = page.style == ASCII and (texts[row] and "+" or "|") or texts[row] and "┤" or "│"
    lines[#lines + 1] = padded(texts[row] or "", left) .. edge .. row_of(canvas, row, page.style)
  end
  lines[#lines + 1], lines[#lines + 2] = bottom(plot, page, left)
  local label = axes.label(plot.x_axis, plot.x_label)
  if label then lines[#lines + 1] = centered(label, page.width) end
  add_notes(plot, lines)
  return table.concat(lines, "\n")
end

---------------------------------------------------------------------------------------------------------------- bars

local BLANK <const> = 0x2590 -- less a number of eighths: the block that is so wide, up to a full one

-- Returns the bar of a value, from column zero on, in `room` columns of which each is `unit`.
local function bar(value, zero, unit, k, page)
  local length, sign = math.abs(value) / unit, cycled(page.style == ASCII and SIGNS or FILLS, k)
  if page.style >= COLORS or page.series == 1 then sign = page.style == ASCII and "#" or FILLS[1] end
  local whole = nearest(length)
  if page.style ~= ASCII and value > 0 and sign == FILLS[1] then
    local eighths = math.ceil(length * 8)
    return string.rep(" ", zero), string.rep(sign, eighths // 8)
      .. (eighths % 8 > 0 and utf8.char(BLANK - eighths % 8) or "")
  end
  if value ~= 0 then whole = math.max(whole, 1) end
  if value >= 0 then return string.rep(" ", zero), string.rep(sign, whole) end
  whole = math.min(whole, zero)
  return string.rep(" ", zero - whole), string.rep(sign, whole)
end

-- Returns the texts of values: nan, or nothing where a series lacks the bar.
local function value_texts(plot)
  local texts, width = {}, 0
  for k, series in ipairs(plot.series) do
    texts[k] = {}
    for i, value in ipairs(series.bars) do
      texts[k][i] = value and (value == value and inner.drawn(value) or "nan") or ""
      width = math.max(width, #texts[k][i])
    end
  end
  return texts, width
end

-- Bars are lines from left to right, with their values: the axis of values begins at 0.
local function bars_text(plot, page)
  local lines, left, labels = {}, 0, {}
  begin(plot, page, lines)
  axes.settle(plot.y_axis, plot.y_limits, "ylim", nil, true)
  local low, high = plot.y_axis.low, plot.y_axis.high
  local most = math.max(1, (page.height - #lines - 2) // #plot.series)
  local shown = #plot.labels > most + 1 and most or #plot.labels
  for i = 1, shown do
    labels[i] = printing.word(plot.labels[i])
    left = math.max(left, width_of(labels[i]))
  end
  local texts, width = value_texts(plot)
  local room = math.max(page.width - left - width - 3, 10)
  local unit = (high * 0.5 - low * 0.5) / room * 2
  local zero = nearest(-low / unit)
  if plot.y_label then lines[#lines + 1] = string.rep(" ", left + 1) .. plot.y_label end
  for i = 1, shown do
    for k, series in ipairs(plot.series) do
      local value = series.bars[i]
      local space, text = bar(value and value == value and value or 0, zero, unit, k, page)
      local edge = page.style == ASCII and "|" or "│"
      local drawn = space .. colored(text, k, page.style)
      if low < 0 then drawn = value and value > 0 and space .. edge .. colored(text, k, page.style) or drawn .. edge end
      lines[#lines + 1] = (string.gsub(padded(k == 1 and labels[i] or "", left) .. " " .. (low < 0 and "" or edge)
        .. drawn .. " " .. texts[k][i], " +$", ""))
    end
  end
  if shown < #plot.labels then lines[#lines + 1] = format("(%d more bars)", #plot.labels - shown) end
  lines[#lines + 1] = plot.x_label
  add_notes(plot, lines)
  return table.concat(lines, "\n")
end

-- Returns the text of a plot. page: width and height in characters, style, series: their number.
return function(plot, page) return (plot.kind == "bars" and bars_text or canvas_text)(plot, page) end
