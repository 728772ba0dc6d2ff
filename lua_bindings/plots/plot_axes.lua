-- plot_axes.lua: ranges of axes, and their ticks: round numbers, powers of ten, calendar times, words.
local strew, fail, use, inner = ...
local printing, times = use "printing.lua", use "times.lua"
local axes = {}

------------------------------------------------------------------------------------------------------------- numbers

-- Returns the exponent of a positive number's first digit.
local function exponent(x) return math.floor(math.log(x, 10) + 1e-9) end

-- Returns the least of 1, 2 and 5 times a power of ten that is at least x.
local function round_up(x)
  if x == math.huge then return x end
  local power = exponent(x)
  for _, digit in ipairs{1, 2, 5, 10} do
    local step = tonumber(format("%de%d", digit, power))
    if step >= x * (1 - 1e-9) then return step end
  end
end

-- Returns the texts of numbers that are multiples of step, all in one form, the shorter of two.
local function number_texts(values, step)
  local most = 0
  for _, value in ipairs(values) do most = math.max(most, math.abs(value)) end
  if most == 0 then return {"0"} end
  local digits = math.max(exponent(most) - exponent(step), 0)
  local plain = format("%%.%df", math.min(math.max(-exponent(step), 0), 99)) -- 99 digits: the most that format takes
  local short = format("%%.%de", math.min(digits, 17))
  local function text(value, form)
    if math.abs(value) < step / 2 then return "0" end
    return (string.gsub(string.gsub(format(form, value), "e[+]?(-?)0*(%d)", "e%1%2"), "^(-?%d+)[.]0+e", "%1e"))
  end
  local form = (most < 1e15 and #text(most, plain) <= math.max(#text(most, short), 7)) and plain or short
  local texts = {}
  for k, value in ipairs(values) do texts[k] = text(value, form) end
  return texts
end

-- Returns the ticks of an axis, {position, text} each, multiples of a round step, and the step.
local function number_ticks(axis, low, high, most)
  local step = round_up((high * 0.5 - low * 0.5) / math.max(most, 1) * 2)
  step = math.min(step, 1e308)
  if axis.is_whole then step = math.max(step, 1.0) end
  local shift = axis.base ~= 0 and axis.base % math.tointeger(step) or 0
  local first, last = math.ceil((low + shift) / step - 1e-9), math.floor((high + shift) / step + 1e-9)
  local places, values, ticks = {}, {}, {}
  for k = first, math.min(last, first + 100) do
    places[#places + 1] = k * step - shift
    values[#values + 1] = axis.base == 0 and k * step or nil
  end
  local texts = axis.base == 0 and number_texts(values, step)
  for k, place in ipairs(places) do
    ticks[k] = {place, texts and texts[k] or format("%d", axis.base + math.floor(place + 0.5))}
  end
  return ticks, step
end

-- Returns the ticks of logarithms.
local function log_ticks(_, low, high, most)
  local ticks, step = {}, math.max(1, math.ceil((high - low) / math.max(most, 1) - 1e-9))
  local digits = high - low >= 2 and {1} or {1, 2, 5}
  for power = math.ceil((low - 1) / step) * step, math.floor(high + 1e-9), step do
    for _, digit in ipairs(digits) do
      local at = power + math.log(digit, 10)
      if at >= low - 1e-9 and at <= high + 1e-9 then
        local form = power >= -4 and power < 6 and format("%%.%df", math.max(-power, 0)) or "%.0e"
        ticks[#ticks + 1] = {at, (string.gsub(format(form, 10.0 ^ power * digit), "e[+]?(-?)0*(%d)", "e%1%2"))}
      end
    end
  end
  if #ticks > 1 then return ticks end
  ticks = number_ticks({base = 0}, 10.0 ^ low, 10.0 ^ high, most) -- less than a decade
  for _, tick in ipairs(ticks) do tick[1] = math.log(tick[1], 10) end
  return ticks
end

--------------------------------------------------------------------------------------------------------------- times

local HOUR <const>, DAY <const> = 3600000000, 86400000000
-- Steps: {span, the form of their texts, microseconds}.
local STEPS <const> = {}
local function add_steps(unit, form, length, ...)
  for _, count in ipairs{...} do STEPS[#STEPS + 1] = {count .. unit, form, count * length} end
end
local function add_powers(unit, form, length)
  for power = 0, 5 do
    local one = math.tointeger(10 ^ power)
    add_steps(unit, form, length, one, 2 * one, 5 * one)
  end
end
add_powers("us", "%H:%M:%S.%f", 1)
add_steps("s", "%H:%M:%S", 1000000, 1, 2, 5, 10, 15, 30)
add_steps("min", "%H:%M", 60000000, 1, 2, 5, 10, 15, 30)
add_steps("h", "%H:%M", HOUR, 1, 2, 3, 6, 12)
add_steps("d", "%Y-%m-%d", DAY, 1, 2)
add_steps("w", "%Y-%m-%d", 7 * DAY, 1, 2)
add_steps("month", "%Y-%m", 30 * DAY, 1, 2, 3, 6)
add_powers("year", "%Y", 365 * DAY)

local function to_time(whole) return strew.tensor({whole}, {dtype = "int64", device = "cpu"}):to("time") end

local function time_ticks(axis, low, high, most)
  local from, to = axis.base + math.ceil(low), axis.base + math.floor(high)
  local step, ticks = STEPS[#STEPS], {}
  for k = #STEPS, 1, -1 do step = STEPS[k][3] * math.max(most, 1) >= high - low and STEPS[k] or step end
  local is_one_day, form, first = from // DAY == to // DAY, step[2], to_time(from)
  axis.note = nil
  if step[3] < DAY then -- what the texts lack
    axis.note = strew.format(first, is_one_day and "%Y-%m-%d" or "%Y"):tolist()[1]
    form = is_one_day and form or "%m-%d " .. form
  end
  local is_known, all = pcall(strew.date_range, strew.floor_time(first, step[1]), to_time(to), step[1])
  if not is_known then return ticks end -- before the first time that there is, or beyond the last one
  all = all:masked_select(all:ge(first))
  local texts, places = strew.format(all, form):tolist(), all:to("int64"):tolist()
  for k, place in ipairs(places) do
    ticks[k] = {place - axis.base + 0.0, (string.gsub(string.gsub(texts[k], "([.]%d-)0+$", "%1"), "[.]$", ""))}
  end
  return ticks
end

local function word_ticks(axis, low, high, most)
  local words, ticks = axis.words, {}
  local step = math.max(1, math.ceil(#words / math.max(most, 1)))
  for k = 1, #words, step do
    if k - 1 >= low and k - 1 <= high then ticks[#ticks + 1] = {k - 1, (printing.word(words[k]))} end
  end
  return ticks
end

local makers <const> = {number = number_ticks, time = time_ticks, words = word_ticks}

-------------------------------------------------------------------------------------------------------------- ranges

-- Returns at most about `most` ticks of the axis within its range.
function axes.ticks(axis, most)
  return (axis.is_log and log_ticks or makers[axis.kind])(axis, axis.low, axis.high, most)
end

-- Returns the label of an axis with what the texts of its ticks lack; nil: nothing.
function axes.label(axis, label) return label and axis.note and label .. ", " .. axis.note or label or axis.note end

-- Returns as many of the ticks as have room: width(text) of each, and a gap, in `room`.
function axes.fitting(axis, most, room, width)
  for count = most, 1, -1 do
    local ticks, used = axes.ticks(axis, count), 0
    for _, tick in ipairs(ticks) do used = math.max(used, width(tick[2])) end
    if used * #ticks <= room then return ticks end
  end
  return {}
end

-- Returns the position of a limit that a script gives.
local function position(axis, value, name)
  if axis.kind == "time" and type(value) == "string" then return times.instant(value, name) - axis.base + 0.0 end
  if type(value) ~= "number" or axis.kind ~= "number" or value - value ~= 0 then
    fail(name, format("has %s, expected %s", inner.text(value), axis.kind == "time" and 'times, as "2024-05-17"'
      or axis.kind == "words" and "no limits of words" or "finite numbers"))
  elseif axis.is_log and value <= 0 then
    fail(name, format("has %s, which has no logarithm", inner.text(value)))
  end
  return axis.is_log and math.log(value, 10) or value - axis.base + 0.0
end

-- Sets the range to the limits of a script, {low, high} of which each may be nil.
local function limit(axis, limits, name)
  if type(limits) ~= "table" then fail(name, format("is %s, expected {low, high}", inner.text(limits))) end
  local low, high = limits[1], limits[2]
  if low ~= nil then axis.low = position(axis, low, name) end
  if high ~= nil then axis.high = position(axis, high, name) end
  if axis.low and axis.high and axis.low >= axis.high then
    fail(name, format("is {%s, %s}, expected a low and a high limit", inner.text(low), inner.text(high)), nil, "value")
  end
  return low ~= nil, high ~= nil
end

-- Sets the range of an axis. limits: a script's, or nil. most: ticks to whose places the range grows; nil: it does
-- not. has_zero: it includes 0. margin: the part by which it grows at each end.
function axes.settle(axis, limits, name, most, has_zero, margin)
  if axis.kind == "words" and limits == nil then return end
  if has_zero and axis.low then axis.low, axis.high = math.min(axis.low, 0), math.max(axis.high, 0) end
  local has_low, has_high
  if limits ~= nil then has_low, has_high = limit(axis, limits, name) end
  local low = axis.low or axis.high and axis.high - 1 or axis.is_log and -0.5 or 0
  local high = axis.high or low + 1
  if axis.kind == "time" and not axis.low and not axis.high then high = DAY + 0.0 end
  local least = math.max(math.abs(low), math.abs(high)) * 1e-13
  if high - low <= math.max(least, 1e-290) then -- one value, as NumPy has it
    local half = axis.kind == "time" and HOUR / 2 or math.max(0.5, least * 100)
    low, high = has_low and low or low - (has_zero and low == 0 and 0 or half), has_high and high or high + half
  end
  local room = margin and math.min(margin * (high - low), 1e300) or 0
  axis.low, axis.high = has_low and low or low - room, has_high and high or high + room
  if not most or axis.kind ~= "number" or axis.is_log and high - low < 1 then return end
  local ticks, step = axes.ticks(axis, most)
  if axis.is_log then low, high, step = math.floor(low + 1e-9) + 0.0, math.ceil(high - 1e-9) + 0.0, nil end
  if step and ticks[1] then
    if ticks[1][1] - low > step * 1e-9 then low = ticks[1][1] - step end
    if high - ticks[#ticks][1] > step * 1e-9 then high = ticks[#ticks][1] + step end
  end
  if not has_low and low > -math.huge then axis.low = low end
  if not has_high and high < math.huge then axis.high = high end
end

return axes
