-- showing.lua: strew.show draws a tensor with characters: two dimensions (or three, the last one red, green, blue) as a
-- picture, one as a line of blocks, any number as a histogram. A tensor larger than the screen is drawn as means of
-- equal parts, computed on its device part by part; only the means are read.
local strew, fail, use, inner = ...
local operands = use "operands.lua"

local LARGEST, DEFAULT_BINS, MOST_BINS = 1000, 10, 10000 -- LARGEST: most columns and lines
local STYLES = {[0] = "ascii", "blocks", "256", "truecolor"}
local ASCII, COLORS = 0, 2 -- from COLORS on in colour

----------------------------------------------------------------------------------------------------------- histograms

-- Calls f with all elements, as lines of limited length: few temporaries.
local PIECE = 1 << 18
local function each_piece(self, f)
  local flat, dtype = self:reshape(-1), operands.widest(self)
  for start = 0, #flat - 1, PIECE do f(flat:narrow(0, start, math.min(PIECE, #flat - start)):to(dtype)) end
end

-- Returns the smallest and the largest finite element, inf and -inf if there is none.
local function finite_range(self)
  local low, high = math.huge, -math.huge
  each_piece(self, function(x)
    local is_finite = x:isfinite()
    low = math.min(low, strew.where(is_finite, x, math.huge):amin():item())
    high = math.max(high, strew.where(is_finite, x, -math.huge):amax():item())
  end)
  return low, high
end

-- Returns the counts of elements in bins of equal width, on the CPU, and the range: by default that of the elements.
local function count_bins(self, bins, low, high)
  if not (low and high) then
    local least, most = finite_range(self)
    if least > most then least, most = 0, 0 end
    low, high = low or least, high or most
  end
  if low >= high then low, high = low - 0.5, low + 0.5 end -- as NumPy does
  local counts = strew.zeros(bins, {dtype = "int64", device = self.device})
  if low < high then
    each_piece(self, function(x) counts:add_(x:histc(bins, low, high):to("int64")) end)
  else -- 0.5 is less than the last digit
    counts[0] = self:eq(low):sum():item()
  end
  return counts:to("cpu"), low, high
end

local BLANK = 0x2590 -- less a number of eighths: the block that is so wide, up to a full one

-- Returns a bar of `level` (0..1) times `width` characters; that of a number other than 0 is visible.
local function bar_of(level, width, is_ascii)
  if is_ascii then return string.rep("#", math.ceil(level * width)) end
  local eighths = math.ceil(level * width * 8)
  return string.rep(utf8.char(BLANK - 8), eighths // 8) .. (eighths % 8 > 0 and utf8.char(BLANK - eighths % 8) or "")
end

-- Returns lines "[ 0.5,   1)  count bar", and how many elements are in no bin.
local function histogram(self, bins, width, is_ascii, min, max)
  local counts, low, high = count_bins(self, bins, min, max)
  local most, others, edges, widest = counts:max():item(), self:numel() - counts:sum():item(), {}, 0
  for i = 0, bins do
    local part = i / bins
    edges[i] = inner.drawn(i == bins and high or low * (1 - part) + high * part)
    widest = math.max(widest, #edges[i])
  end
  local form, lines = format("[%%%ds, %%%ds%%s  %%%dd", widest, widest, #tostring(most)), {}
  for i, count in ipairs(counts:tolist()) do
    lines[i] = format(form, edges[i - 1], edges[i], i < bins and ")" or "]", count)
    local bar = count > 0 and bar_of(count / most, math.max(1, width - #lines[i] - 2), is_ascii)
    lines[i] = bar and lines[i] .. "  " .. bar or lines[i]
  end
  if others > 0 then table.insert(lines, others .. " outside, or not finite") end
  return table.concat(lines, "\n")
end

---------------------------------------------------------------------------------------------------------------- means

-- What means are of: the elements, with 0 for NaN, or 1 for each that is none and 0 for NaN.
local contents = {
  elements = function(x) return x end,
  without_nan = function(x) return strew.where(x:eq(x), x, 0) end,
  numbers = function(x) return x:eq(x):to(x.dtype) end,
}

-- Returns the means of `count` equal parts of dimension dim, of f(part); of a dimension no larger than that, f(t).
local function shrink(t, dim, count, f)
  local size, parts, start = t:size(dim), {}, 0
  if size <= count then return f(t) end
  for i = 1, count do
    local stop = size // count * i + size % count * i // count -- size * i may overflow
    parts[i] = f(t:narrow(dim, start, stop - start)):mean(dim, true)
    start = stop
  end
  return strew.cat(parts, dim)
end

-- Returns self shrunk to rows x columns, or to `columns` if it has one dimension, as float64 on the CPU.
local function means_of(self, rows, columns, content)
  local dtype, last = operands.widest(self), self:dim() > 1 and 1 or 0
  local lower = shrink(self, 0, last == 1 and rows or columns, function(x) return contents[content](x:to(dtype)) end)
  return shrink(lower, last, columns, contents.elements):to("cpu"):to("float64"):contiguous()
end

-- The same without NaN, unless a cell has nothing else: the mean with 0 for NaN, divided by the part of numbers.
local function means(self, rows, columns)
  self = operands.line(self)
  local all = means_of(self, rows, columns, "elements")
  if all:numel() == self:numel() or all:eq(all):all():item() then return all end
  return means_of(self, rows, columns, "without_nan") / means_of(self, rows, columns, "numbers")
end

------------------------------------------------------------------------------------------------------------ drawings

-- Returns "0 .. 1.5", and "12.5 x 4" if each cell stands for that many elements.
local function caption(low, high, sizes, cells)
  local text = low <= high and inner.drawn(low) .. " .. " .. inner.drawn(high) or "no finite element"
  local parts, is_shrunk = {}, false
  for d, count in ipairs(cells) do
    parts[d], is_shrunk = inner.drawn(sizes[d] / count), is_shrunk or count < sizes[d]
  end
  return "\n" .. text .. (is_shrunk and ", a cell is the mean of " .. table.concat(parts, " x ") or "")
end

-- The range from darkest to brightest: of colours and booleans that of the dtype.
local function range_of(self, cells, page)
  local is_fixed = self:dim() == 3 or self.dtype == "bool"
  return inner.range(cells, is_fixed and (self.dtype == "uint8" and 255 or 1) or nil, page.min, page.max)
end

local function line(self, page)
  local cells = means(self, 1, math.min(self:numel(), page.width))
  local low, high = range_of(self, cells, page)
  return inner.draw(cells, nil, low, high, page.style) .. caption(low, high, {self:numel()}, cells.shape)
end

local function at_least_1(x) return math.max(1, (x + 0.5) // 1 | 0) end

-- A cell of a coloured picture is one column wide and half a line high; one of an ASCII picture is a line high, and two
-- columns wide if all fit.
local function picture(self, page)
  local height, width, is_ascii = self:size(0), self:size(1), page.style < COLORS
  local scale = math.min(1, page.width / width, 2 * page.height / height)
  local is_double = is_ascii and 2 * width <= page.width and height <= page.height
  if is_double then scale = 1 end
  local rows = at_least_1(height * scale / (is_ascii and not is_double and 2 or 1))
  local cells = means(self, rows, at_least_1(width * scale))
  local low, high = range_of(self, cells, page)
  local colors
  if self:dim() == 2 and not is_ascii then -- without finite elements the runtime chooses a range
    local bounds = low <= high and {low, high} or {}
    colors = inner.image(cells, {colormap = page.colormap, min = bounds[1], max = bounds[2]})
  end
  return inner.draw(cells, colors, low, high, page.style, is_double and 2 or 1)
    .. (self:dim() == 2 and caption(low, high, self.shape, cells.shape) or "")
end

---------------------------------------------------------------------------------------------------------- the call

local function check_extent(value, name, most)
  if value and (value < 1 or value > most) then
    fail(name, format("is %d, expected 1..%d", value, most), nil, "value")
  end
end

local function check_bound(value, name)
  if value and not (value > -math.huge and value < math.huge) then
    fail(name, format("is %s, expected a finite number", inner.text(value)), nil, "value")
  end
  return value and value + 0.0
end

-- Returns the number of a style: without a word the terminal's; and the lines of the terminal, 0: unknown.
local function style_of(word)
  local own, lines = inner.terminal()
  for style = ASCII, #STYLES do
    if style == math.min(own, #STYLES) and not word or STYLES[style] == word then return style, lines end
  end
  fail("style", format("is %s, expected ascii, blocks, 256 or truecolor", inner.text(word)))
end

-- Defaults: the width of printed tensors, the height of the terminal. A given width takes at least the lines of a
-- square.
local function extents(width, height, terminal_lines)
  local columns = math.min(width or inner.line_width(), LARGEST)
  local square, lines = (columns + 1) // 2, terminal_lines - 2 -- lines for the caption and the prompt
  local takes_all = terminal_lines > 0 and not (width and lines < square)
  return columns, height or math.max(1, takes_all and lines or square)
end

-- Raises an error unless the shape and dtype can be drawn.
local function check_shape(self)
  local channels = self:dim() == 3 and self:size(2)
  if self:dim() < 3 then return end
  if channels ~= 3 and channels ~= 4 then
    fail("self", format("is %s, expected [h, w], [h, w, 3] (red, green, blue), [h, w, 4] (and alpha) or [n]",
      operands.describe(self)), "a part of it: self[0]; or how its values spread: {histogram = true}", "shape")
  elseif not operands.is_float(self) and self.dtype ~= "uint8" then
    fail("self", format("is %s, colours are uint8, or floats in 0..1", self.dtype), 'self:to("uint8")', "dtype")
  end
end

-- Returns the text.
local function show(self, width, height, min, max, colormap, style, has_histogram, bins)
  check_extent(width, "width", LARGEST)
  check_extent(height, "height", LARGEST)
  min, max = check_bound(min, "min"), check_bound(max, "max")
  local number, lines = style_of(style)
  check_extent(bins, "bins", MOST_BINS)
  if min and max and min >= max then
    fail("min", format("is %s, expected less than 'max', which is %s", inner.drawn(min), inner.drawn(max)), nil,
      "value")
  end
  if bins and not has_histogram then fail("bins", "is given without histogram = true") end
  local page = {min = min, max = max, style = number, colormap = colormap}
  page.width, page.height = extents(width, height, lines)
  if self:numel() == 0 then return operands.describe(self) .. "  (empty)" end
  if has_histogram then return histogram(self, bins or DEFAULT_BINS, page.width, number == ASCII, min, max) end
  check_shape(self)
  return (self:dim() > 1 and picture or line)(self, page)
end

return {
  show = {"self:tensor width=integer height=integer min=number max=number colormap=colormap style=word "
    .. "histogram=boolean bins=integer", show},
}
