-- showing.lua: what strew.show draws: a histogram as text, and means of equal parts.
local strew, _, use, inner = ...
local operands = use "operands.lua"

-- Returns the dtype in which self is drawn.
local function exact(self) return inner.has_float64(self) and "float64" or "float32" end

----------------------------------------------------------------------------------------------------------- histograms

-- Calls f with all elements, as lines of limited length: few temporaries.
local PIECE = 1 << 18
local function each_piece(self, f)
  local flat, dtype = self:reshape(-1), exact(self)
  for start = 0, #flat - 1, PIECE do f(flat:narrow(0, start, math.min(PIECE, #flat - start)):to(dtype)) end
end

-- Returns the smallest and the largest finite element, 0 and 0 if there is none.
local function finite_range(self)
  local low, high = math.huge, -math.huge
  each_piece(self, function(x)
    local is_finite = x:isfinite()
    low = math.min(low, strew.where(is_finite, x, math.huge):amin():item())
    high = math.max(high, strew.where(is_finite, x, -math.huge):amax():item())
  end)
  if low > high then return 0, 0 end
  return low, high
end

-- Returns the counts of elements in bins of equal width, on the CPU, and the range: by default that of the elements.
local function count_bins(self, bins, low, high)
  if not (low and high) then
    local least, most = finite_range(self)
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
  if is_ascii then return ("#"):rep(math.ceil(level * width)) end
  local eighths = math.ceil(level * width * 8)
  return utf8.char(BLANK - 8):rep(eighths // 8) .. (eighths % 8 > 0 and utf8.char(BLANK - eighths % 8) or "")
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
  local form, lines = ("[%%%ds, %%%ds%%s  %%%dd"):format(widest, widest, #tostring(most)), {}
  for i, count in ipairs(counts:tolist()) do
    lines[i] = form:format(edges[i - 1], edges[i], i < bins and ")" or "]", count)
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
  local dtype, last = exact(self), self:dim() > 1 and 1 or 0
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

return {
  histogram = {"self:tensor bins:integer width:integer is_ascii:boolean min?number max?number", histogram},
  means = {"self:tensor rows:integer columns:integer", means},
}
