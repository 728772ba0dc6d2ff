-- plot_svg.lua: a plot as SVG: text stays text, nothing is loaded from elsewhere, and colours follow the light or dark
-- style of the reader. Each element has a line, with a tab behind its name: so a .tsv file of two columns is the SVG.
local strew, _, use, inner = ...
local data, axes, printing = use "plot_data.lua", use "plot_axes.lua", use "printing.lua"

-- Colours of series on light and on dark, the first ones apart for colour-blind readers.
local LIGHT <const> = {"#0072b2", "#d55e00", "#009e73", "#aa4499", "#b8860b", "#3399cc", "#cc3311", "#777777"}
local DARK <const> = {"#4da6e8", "#ff8a4c", "#2fc79a", "#e08fcf", "#e5b53c", "#8fd0f5", "#ff7a66", "#aaaaaa"}

local FONT <const>, CHARACTER <const> = 12, 6.8 -- pixels: the height of texts, and about the width of a character

local escapes <const> = {["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;", ["'"] = "&#39;"}
local function escaped(text) return (string.gsub(inner.printable(text), "[&<>\"']", escapes)) end

local function width_of(text) return select(2, printing.word(text)) * CHARACTER end

-- Returns a coordinate with one digit behind the point.
local function at(x) return (string.gsub(format("%.1f", x), "[.]0$", "")) end

-- Adds a line: an element with attributes, a text, and content.
local function add(lines, tag, attributes, content)
  local rest = content and format(">%s</%s>", content, tag) or "/>"
  lines[#lines + 1] = {"<" .. tag, attributes .. rest}
end

local function add_text(lines, x, y, class, text, rest)
  add(lines, "text", format("x='%s' y='%s' class='%s'%s", at(x), at(y), class, rest or ""), escaped(text))
end

local function style_of(count)
  local function rules(colors, ink, grid, back)
    local list = {format(".b{fill:%s}text{fill:%s;font:%dpx system-ui,sans-serif}.t{font-size:15px;"
      .. "font-weight:600}.m{text-anchor:middle}.e{text-anchor:end}.g{stroke:%s}.a{stroke:%s}", back, ink, FONT, grid,
      ink)}
    for k = 1, math.min(count, #colors) do
      list[k + 1] = format(".l%d{stroke:%s;fill:none}.f%d{fill:%s}", k, colors[k], k, colors[k])
    end
    return table.concat(list)
  end
  return rules(LIGHT, "#222", "#ddd", "#fff") .. ".l{stroke-width:1.8;stroke-linejoin:round;stroke-linecap:round}"
    .. ".d{stroke-dasharray:6 4}.p{stroke-width:5}.o{fill-opacity:.3}.n{font-size:11px;opacity:.7}"
    .. "@media(prefers-color-scheme:dark){" .. rules(DARK, "#ddd", "#444", "#1b1b1f") .. "}"
end

-- Returns the number of the colour of series k, and the class of its lines: of colours used again dashed.
local function colors_of(k) return (k - 1) % #LIGHT + 1, k > #LIGHT and " d" or "" end

--------------------------------------------------------------------------------------------------------------- kinds

local kinds = {}

-- Returns functions from positions to pixels.
local function scales(plot, box) return data.scales(plot, box.left, box.top, box.width, box.height) end

-- Returns the path of a line, and that of points that are alone. With a `zero` line the path of the area.
local function path_of(points, to_x, to_y, zero)
  local parts, alone, first, last = {}, {}, nil, nil
  local function close()
    if zero and first then parts[#parts + 1] = format("L%s %sL%s %sZ", last, zero, first, zero) end
  end
  for k, point in ipairs(points) do
    if point[3] then close() end
    local x, y = at(to_x(point[1])), at(to_y(point[2]))
    if point[3] then first = x end
    last = x
    if point[3] and (not points[k + 1] or points[k + 1][3]) then alone[#alone + 1] = format("M%s %sh0", x, y) end
    parts[#parts + 1] = format("%s%s %s", point[3] and "M" or "L", x, y)
  end
  close()
  return table.concat(parts), table.concat(alone)
end

-- Draws a line, and of an area what is between it and 0 first.
function kinds.line(lines, plot, box, series, k)
  local to_x, to_y = scales(plot, box)
  local color, dashes = colors_of(k)
  local points = data.line(plot.x_axis, series.x, series.y, math.ceil(box.width))
  local path, alone = path_of(points, to_x, to_y)
  if plot.kind == "area" then
    add(lines, "path", format("class='o f%d' d='%s'", color, (path_of(points, to_x, to_y, at(to_y(0))))))
  end
  add(lines, "path", format("class='l l%d%s' d='%s'", color, dashes, path))
  if alone ~= "" then add(lines, "path", format("class='l p l%d' d='%s'", color, alone)) end
end

kinds.area = kinds.line

local CELL <const> = 3 -- pixels: of many points one in each cell is drawn

function kinds.points(lines, plot, box, series, k)
  local to_x, to_y = scales(plot, box)
  local parts = {}
  for i, point in ipairs(data.points(plot.x_axis, plot.y_axis, series.x, series.y, box.width // CELL,
    box.height // CELL)) do
    parts[i] = format("M%s %sh0", at(to_x(point[1])), at(to_y(point[2])))
  end
  add(lines, "path", format("class='l p l%d' d='%s'", colors_of(k), table.concat(parts)))
end

local function rectangle(lines, class, a, b, c, d)
  add(lines, "rect", format("class='%s' x='%s' y='%s' width='%s' height='%s'", class, at(math.min(a, c)),
    at(math.min(b, d)), at(math.abs(c - a)), at(math.abs(d - b))))
end

function kinds.histogram(lines, plot, box, series, k)
  local to_x, to_y = scales(plot, box)
  local zero, class = to_y(0), (#plot.series > 1 and "o f" or "f") .. colors_of(k)
  for i, count in ipairs(series.counts) do
    local gap = plot.bins < box.width / 4 and 0.5 or 0
    if count > 0 then
      rectangle(lines, class, to_x(plot.edges[i]) + gap, to_y(count), to_x(plot.edges[i + 1]) - gap, zero)
    end
  end
end

function kinds.bars(lines, plot, box, series, k)
  local _, to_y = scales(plot, box)
  local slot = box.width / math.max(#plot.labels, 1)
  local width = slot * 0.8 / #plot.series
  for i, value in ipairs(series.bars) do
    if value and value == value then
      local a = box.left + (i - 0.9) * slot + (k - 1) * width
      rectangle(lines, "f" .. colors_of(k), a, to_y(value), a + width, to_y(0))
    end
  end
end

-------------------------------------------------------------------------------------------------------------- layout

-- Adds the lines and texts of the y axis.
local function add_y(lines, plot, box, ticks)
  local _, to_y = scales(plot, box)
  for _, tick in ipairs(ticks) do
    local y = to_y(tick[1])
    add(lines, "path", format("class='g' d='M%s %sh%s'", at(box.left), at(y), at(box.width)))
    add_text(lines, box.left - 6, y + 4, "e", tick[2])
  end
  if plot.y_label then
    local x, y = 14, box.top + box.height / 2
    add_text(lines, x, y, "m", plot.y_label, format(" transform='rotate(-90 %s %s)'", at(x), at(y)))
  end
end

-- Adds the line and the texts of the x axis, slanted if they are many.
local function add_x(lines, plot, box)
  local below, to_x, to_y = box.top + box.height, scales(plot, box)
  for _, y in ipairs(plot.has_zero and plot.y_axis.low < 0 and {below, to_y(0)} or {below}) do -- and where bars begin
    add(lines, "path", format("class='a' d='M%s %sh%s'", at(box.left), at(y), at(box.width)))
  end
  for _, tick in ipairs(box.ticks) do
    local x = to_x(tick[1])
    add(lines, "path", format("class='a' d='M%s %sv4'", at(x), at(below)))
    if box.is_slanted then
      local turned = format(" transform='rotate(-35 %s %s)'", at(x + 4), at(below + 14))
      add_text(lines, x + 4, below + 14, "e", tick[2], turned)
    else
      add_text(lines, x, below + 17, "m", tick[2])
    end
  end
  local label = axes.label(plot.x_axis, plot.x_label)
  if label then add_text(lines, box.left + box.width / 2, box.bottom - 8 - 15 * #plot.notes, "m", label) end
end

-- Returns how many lines the legend takes, in `room` pixels, and the place of each series: {x, line}.
local function legend_of(plot, room)
  local count, x, places = plot.has_legend and 1 or 0, 0, {}
  for k, series in ipairs(plot.has_legend and plot.series or {}) do
    local width = 36 + width_of(series.name)
    if x > 0 and x + width - 12 > room then count, x = count + 1, 0 end
    places[k], x = {x, count}, x + width
  end
  return count, places
end

local function add_legend(lines, plot, box)
  local count, places = legend_of(plot, box.width)
  local is_line = plot.kind == "line" or plot.kind == "area"
  for k, place in ipairs(places) do
    local x, y = box.left + place[1], box.top + 5 - 17 * (count + 1 - place[2])
    local class = format(is_line and "l l%d%s" or "l p l%d", colors_of(k))
    add(lines, "path", format("class='%s' d='M%s %sh%d'", class, at(x), at(y), is_line and 14 or 0))
    add_text(lines, x + 19, y + 4, "", (printing.word(plot.series[k].name)))
  end
end

-- Returns the ticks of x that have room, and whether they are slanted.
local function x_ticks(plot, width)
  local function across(text) return width_of(text) + 12 end
  if plot.x_axis.kind ~= "words" then return axes.fitting(plot.x_axis, 10, width, across), false end
  local count, widest = #plot.x_axis.words, 0
  local all = axes.ticks(plot.x_axis, count)
  for _, tick in ipairs(all) do widest = math.max(widest, across(tick[2])) end
  if widest * #all <= width then return all, false end
  return axes.ticks(plot.x_axis, math.min(count, width // (FONT + 6))), true
end

-- Returns the box of the picture between its axes.
local function box_of(plot, page)
  local top = 18 + (plot.title and 22 or 0)
  axes.settle(plot.y_axis, plot.y_limits, "ylim", math.max(page.height // 60, 2), plot.has_zero)
  local ticks, widest = axes.ticks(plot.y_axis, math.max(page.height // 60, 2)), 0
  for _, tick in ipairs(ticks) do widest = math.max(widest, width_of(tick[2])) end
  local left = 14 + math.ceil(widest) + (plot.y_label and 20 or 0)
  local box = {left = left, bottom = page.height, y_ticks = ticks}
  box.ticks, box.is_slanted = x_ticks(plot, page.width - left - 20)
  local below, slanted = 26, 0
  for _, tick in ipairs(box.is_slanted and box.ticks or {}) do slanted = math.max(slanted, width_of(tick[2]) * 0.58) end
  local right, first, last = 20, box.ticks[1], box.ticks[#box.ticks]
  if box.is_slanted then
    box.left = math.max(left, math.ceil(width_of(first[2]) * 0.82))
  elseif first then -- texts of ticks are in the middle of theirs
    local room = page.width - left - right
    local function beyond(tick, part) return math.ceil(width_of(tick[2]) / 2 + 2 - part * room) end
    box.left = math.max(left, beyond(first, data.part(plot.x_axis, first[1])))
    right = math.max(right, beyond(last, 1 - data.part(plot.x_axis, last[1])))
  end
  box.width = math.max(page.width - box.left - right, 20)
  box.top = top + 17 * legend_of(plot, box.width)
  if axes.label(plot.x_axis, plot.x_label) then below = below + 20 end
  box.height = math.max(page.height - box.top - below - math.ceil(slanted) - 15 * #plot.notes, 20)
  return box
end

-- Returns the lines, each {text before the tab, text behind it}.
local function lines_of(plot, page)
  local lines, box = {}, box_of(plot, page)
  lines[1] = {"<svg", format("xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' width='%d' height='%d' "
    .. "role='img'>", page.width, page.height, page.width, page.height)}
  add(lines, "title", "", escaped(plot.title or plot.kind))
  add(lines, "style", "", style_of(#plot.series))
  add(lines, "rect", "class='b' width='100%' height='100%'")
  if plot.title then add_text(lines, page.width / 2, 24, "t m", plot.title) end
  add_legend(lines, plot, box)
  add_y(lines, plot, box, box.y_ticks)
  add(lines, "clipPath", "id='c'", format("<rect x='%s' y='%s' width='%s' height='%s'/>", at(box.left - 3),
    at(box.top - 3), at(box.width + 6), at(box.height + 6)))
  lines[#lines + 1] = {"<g", "clip-path='url(#c)'>"}
  for k, series in ipairs(plot.series) do kinds[plot.kind](lines, plot, box, series, k) end
  lines[#lines + 1] = {"</g", ">"}
  add_x(lines, plot, box)
  for k, note in ipairs(plot.notes) do
    add_text(lines, box.left, page.height - 8 - 15 * (#plot.notes - k), "n", "(" .. note .. ")")
  end
  lines[#lines + 1] = {"</svg", ">"}
  return lines
end

local svg = {}

-- Returns the plot as a text. page: width and height in pixels.
function svg.text(plot, page)
  local lines = lines_of(plot, page)
  for k, line in ipairs(lines) do lines[k] = line[1] .. "\t" .. line[2] end
  return table.concat(lines, "\n")
end

-- Writes the plot to a file.
function svg.save(path, plot, page)
  local names, rests = {}, {}
  for k, line in ipairs(lines_of(plot, page)) do names[k], rests[k] = line[1], line[2] end
  local columns = {strew.tensor(names, {device = "cpu"}), strew.tensor(rests, {device = "cpu"})}
  strew.save(path, columns, {format = "tsv"})
end

return svg
