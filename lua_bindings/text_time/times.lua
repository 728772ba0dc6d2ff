-- times.lua: quantiles, windows and calendar of times. The library moves, compares, sorts, adds, subtracts and groups
-- them; here they are int64 microseconds, in which NaT is the least number.
--
-- NaT is to times what NaN is to floats: it equals nothing, and is the greatest in an order. So an order is that of
-- keys, microseconds - 1, which wrap: NaT becomes the greatest int64.
local strew, fail, use, inner = ...
local operands, errors = use "operands.lua", use "errors.lua"
local times = {}
local NAT <const>, SECOND <const> = math.mininteger, 1000000

function times.is(x) return operands.is_tensor(x) and x.dtype == "time" end
local is_time = times.is

-- Returns the microseconds of times; other values as they are.
function times.whole(x) return is_time(x) and x:to("int64") or x end
function times.from_whole(t) return t:to("time") end

-- Returns what sorts and compares as times do, and the times back.
function times.key(x) return is_time(x) and x:to("int64"):sub_(1) or x end
function times.from_key(key) return (key + 1):to("time") end
local whole, key = times.whole, times.key

-- Returns the time that a script's text is; errors name the argument.
function times.read(text, name, device) return errors.own("x", name, nil, strew.time, text, {device = device}) end

-- Returns a script's operand, times or the text of one, as microseconds.
local function instant(x, name)
  if is_time(x) then return whole(x) end
  if type(x) == "string" then return times.read(x, name, "cpu"):to("int64"):item() end
  local is = operands.is_tensor(x) and x.dtype or inner.text(x)
  fail(name, format("is %s, expected a time, or its text as \"2024-05-17\"", is), nil, "dtype")
end

times.instant = instant

-------------------------------------------------------------------------------------------------------------- order

-- Interpolates the distances from the first time of each line: exact to the microsecond, if they are less than 285
-- years. That is taken as even, so that halves of a microsecond are rounded to even times.
function times.quantile(self, q, options)
  local device = operands.float64_device(self)
  if operands.is_tensor(q) then
    operands.check_device(self, q, "q")
    q = q:to(device)
    if q.dtype ~= "text" then q = q:to("float64") end
  end
  local all = whole(self:to(device))
  local gaps = strew.eq(all, NAT)
  local dim, first = options.dim, 0
  if all:numel() > 0 then first = all:masked_fill(gaps, math.maxinteger):amin(dim, true) // 2 * 2 end
  local distances = (all - first):to("float64"):masked_fill(gaps, 0 / 0)
  local seconds = strew.quantile(distances, q, options)
  local gap = strew.isnan(seconds)
  if first ~= 0 and not (options.keepdim and dim) then first = dim and first:squeeze(dim) or first:reshape({}) end
  return strew.where(gap, NAT, seconds:masked_fill(gap, 0):round():to("int64") + first):to("time"):to(self.device)
end

local function is_missing(x) return strew.eq(x, NAT) end

---------------------------------------------------------------------------------------------------------- arithmetic

-- Returns a tensor of numbers of a unit, of integers exact, of floats the nearest, as microseconds, and where they have
-- none. A unit is a number of microseconds, or, below 0, the part 1 / -unit of one.
local function microseconds(seconds, unit)
  if operands.is_float(seconds) then
    local near, device = seconds:to(operands.float64_device(seconds)), seconds.device
    near = near:to("float64")
    local all = (unit > 0 and near * unit or near / -unit):round()
    return all:to("int64"):to(device), (~all:abs():lt(2.0 ^ 63)):to(device)
  end
  if unit < 0 then return seconds:to("int64") // -unit, seconds:gt(math.maxinteger) end
  local most <const> = math.maxinteger // unit
  return seconds:to("int64") * unit, seconds:gt(most) | seconds:lt(-most)
end

local UNITS <const> = {s = SECOND, ms = 1000, us = 1, ns = -1000}

-- Returns numbers, counted in a unit since 1970, as times; nil: it is no unit, or they are no numbers.
function times.counted(x, unit, device)
  if not UNITS[unit] then return nil end
  local function read(dtype) return select(2, pcall(strew.tensor, x, {dtype = dtype, device = "cpu"})) end
  local t = operands.is_tensor(x) and x or read()
  if t ~= x and (not operands.is_tensor(t) or operands.is_float(t)) then t = read "float64" end
  if not operands.is_tensor(t) or t.dtype == "bool" or t.dtype == "text" or t.dtype == "time" then return nil end
  local all, is_none = microseconds(t, UNITS[unit])
  device = device or not operands.is_tensor(x) and strew.empty(0).device
  local out = strew.where(is_none, NAT, all):to("time")
  return device and out:to(device) or out
end

-- Returns the places of times in order as floats, NaN for NaT, and a function that makes those of a result times.
function times.numbered(t)
  local keys, places = key(t):unique{return_inverse = true}
  local numbers = operands.floats(places):masked_fill(is_missing(whole(t)), 0 / 0)
  return numbers, function(out)
    local at = out:nan_to_num(0):to("int64")
    return strew.where(out:ne(out), NAT, keys:numel() > 0 and keys[at] + 1 or at):to("time")
  end
end

-- Returns seconds since the first time, and that, NaT of none; what is no time as it is. is_time_again: as a result
-- times.after makes times of, on any device.
function times.seconds(x, is_time_again)
  if not is_time(x) then return x end
  local first = x:numel() > 0 and x:nanmin() or strew.full({}, "NaT", {dtype = "time", device = x.device})
  local device = is_time_again and operands.float64_device(x) or x.device
  return x:to(device) - first:to(device), first
end

function times.after(first, seconds)
  return first and (first:to(seconds.device) + seconds):to(first.device) or seconds
end

------------------------------------------------------------------------------------------------------------ calendar

local DAY <const> = 86400 * SECOND

-- Returns the days from 1970-01-01 to the first day of a month. The year of these formulas begins in March.
local FIRST_DAY <const> = "(y - int64(m <= 2)) * 365 + (y - int64(m <= 2)) // 4 - (y - int64(m <= 2)) // 100"
  .. " + (y - int64(m <= 2)) // 400 + (153 * ((m + 9) % 12) + 2) // 5 - 719468"
local function first_day(year, month) return operands.compute(FIRST_DAY, {y = year, m = month}) end

-- Returns year, month and day of days since 1970-01-01, in the proleptic Gregorian calendar. It repeats after 146097
-- days, 400 years.
local function date_of(days)
  local from_march = days + 719468
  local era = from_march // 146097
  local n = from_march - era * 146097
  local year = operands.compute("(n - n // 1460 + n // 36524 - n // 146096) // 365", {n = n})
  local of_year = operands.compute("n - (365 * y + y // 4 - y // 100)", {n = n, y = year})
  local m = (of_year * 5 + 2) // 153
  local month = operands.compute("m + 3 - 12 * int64(m >= 10)", {m = m})
  return operands.compute("y + era * 400 + int64(m <= 2)", {y = year, era = era, m = month}), month,
    operands.compute("d - (153 * m + 2) // 5 + 1", {d = of_year, m = m})
end

local PARTS <const> = {"year", "month", "day", "hour", "minute", "second", "weekday", "day_of_year", "quarter",
  "iso_year", "iso_week", "days_in_month"}

-- Returns the number of days of a month, 1 to 12.
local function days_in(year, month)
  return first_day(year + month:eq(12):to("int64"), month % 12 + 1) - first_day(year, month)
end

local function check_time(t)
  if is_time(t) then return t end
  if type(t) == "string" then return strew.time(t) end
  fail("t", format("is %s, expected times", operands.what(t)),
    "strew.time reads them from text", "dtype")
end

-- Each part of days since 1970 and of the microseconds since midnight, from the others.
local PART_OF <const> = {
  hour = function(p) return p.rest // (3600 * SECOND) end,
  minute = function(p) return p.rest // (60 * SECOND) % 60 end,
  second = function(p) return p.rest // SECOND % 60 end,
  microsecond = function(p) return p.rest % SECOND end,
  weekday = function(p) return (p.days + 3) % 7 end,
  day_of_year = function(p) return p.days - first_day(p.year, 1) + 1 end,
  quarter = function(p) return (p.month + 2) // 3 end,
  thursday = function(p) return p.days - p.weekday + 3 end, -- whose year the week has
  iso_year = function(p) return (date_of(p.thursday)) end,
  iso_week = function(p) return (p.thursday - first_day(p.iso_year, 1)) // 7 + 1 end,
  days_in_month = function(p) return days_in(p.year, p.month) end,
}

-- Returns the parts as columns by name, computed when they are read.
local function parts_of(days, rest)
  return setmetatable({days = days, rest = rest}, {__index = function(parts, name)
    if PART_OF[name] then
      parts[name] = PART_OF[name](parts)
    else
      parts.year, parts.month, parts.day = date_of(days)
    end
    return rawget(parts, name)
  end})
end

-- Returns the parts of times with these names.
local function calendar(t, names)
  local all, columns = whole(check_time(t)), {}
  local days, gaps = all // DAY, is_missing(all)
  local parts, has_gaps = parts_of(days, all - days * DAY), gaps:any():item()
  for i, name in ipairs(names) do
    local part = parts[name]
    columns[i] = has_gaps and part:to(operands.widest(part)):masked_fill(gaps, 0 / 0) or part
  end
  return columns
end

-- Returns a function of times for each part, by its name: the calls of texts, as year(t).
function times.parts()
  local calls_of_parts = {}
  for _, name in ipairs(PARTS) do
    calls_of_parts[name] = function(t) return calendar(t, {name})[1] end
  end
  return calls_of_parts
end

-- Names of spans of time: microseconds, or months below 0.
local SPANS <const> = {us = 1, microsecond = 1, ms = 1000, millisecond = 1000, s = SECOND, second = SECOND,
  min = 60 * SECOND, minute = 60 * SECOND, h = 3600 * SECOND, hour = 3600 * SECOND, d = DAY, day = DAY, w = 7 * DAY,
  week = 7 * DAY, month = -1, quarter = -3, year = -12}

-- Returns a script's span, seconds or as "day", "2h" or "3 months": microseconds, or nil and months.
function times.span(x, name)
  local count, unit = string.match(type(x) == "string" and x or "", "^%s*([%d.]*)%s*(%a+)%s*$")
  local size = unit and (SPANS[unit] or SPANS[string.match(unit, "^(.-)s$")])
  count = type(x) == "number" and x or count == "" and 1 or tonumber(count)
  local all = count and (size or type(x) == "number" and SECOND) and count * math.abs(size or SECOND)
  local whole_ = all and all > 0 and all < 2.0 ^ 62 and math.tointeger(math.floor(all + 0.5))
  if not whole_ or whole_ == 0 or size and size < 0 and whole_ ~= all then
    fail(name, format('is %s, expected seconds above 0, or a span as "day", "2h", "15min" or "month"', inner.text(x)))
  end
  if size and size < 0 then return nil, whole_ end
  return whole_
end

-- Returns the microseconds of a script's step of one length, and how long one had run at 1970-01-01; or nil, and its
-- months.
local function step_of(unit)
  local size, months = times.span(unit, "unit")
  if months then return nil, months end
  local is_of_weeks = type(unit) == "string" and string.find(unit, "w", 1, true)
  return size, is_of_weeks and size - 4 * DAY or 0 -- 1970-01-05 was a Monday
end

local function floor_to(all, unit)
  local step, past = step_of(unit)
  if step and past > 0 then return all - (all % step + past) % step end
  if step then return all - all % step end
  local days, size = all // DAY, past -- in months
  local year, month, day = date_of(days)
  if size == 1 then return (days - day + 1) * DAY end
  local months = year * 12 + month - 1
  months = months - months % size
  return first_day(months // 12, months % 12 + 1) * DAY
end

-- Returns the number of its step for each time, from 0 of the first one, -1 for NaT; and the first and last steps as
-- times. nil: there is none, or steps have no one length, or one begins before the first time.
function times.places(t, unit)
  local step, past = step_of(unit)
  if not step then return nil end
  local all = whole(check_time(t))
  local gaps = is_missing(all)
  local has_gaps = gaps:any():item()
  local numbers = past > 0 and (all // DAY + past // DAY) // (step // DAY) or all // step
  local line = has_gaps and numbers[~gaps] or numbers
  if #line == 0 then return nil end
  local low, high = line:amin():item(), line:amax():item()
  if low < (math.mininteger + past) // step + 2 then return nil end
  local function time(number) return strew.tensor(number * step - past, {device = t.device}):to("time") end
  local places = numbers - low
  return has_gaps and places:masked_fill_(gaps, -1) or places, time(low), time(high)
end

local function floor_time(t, unit)
  local all = whole(check_time(t))
  local floor = floor_to(all, unit)
  return strew.where(is_missing(all) | floor:gt(all), NAT, floor):to("time")
end

local MONTHS <const> = {"January", "February", "March", "April", "May", "June", "July", "August", "September",
  "October",
  "November", "December"}
local DAYS <const> = {"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}

-- Returns a writer of a part plus `more`.
local function number(form, name, more)
  return function(parts, i) return format(form, parts[name][i] + (more or 0)) end
end

-- Returns a writer of the first `length` letters of a name.
local function named(names, part, first, length)
  return function(parts, i) return string.sub(names[parts[part][i] + first], 1, length) end
end

-- What writes the letters of a format that strew.time reads, of an element's parts, and texts that stand for others.
local LETTERS <const> = {
  Y = function(parts, i)
    local year = parts.year[i]
    return format(year >= 0 and year <= 9999 and "%04d" or "%+06d", year)
  end,
  y = function(parts, i) return format("%02d", parts.year[i] % 100) end,
  m = number("%02d", "month"), B = named(MONTHS, "month", 0), b = named(MONTHS, "month", 0, 3), h = "%b",
  d = number("%02d", "day"), e = number("%2d", "day"), j = number("%03d", "day_of_year"),
  A = named(DAYS, "weekday", 1), a = named(DAYS, "weekday", 1, 3),
  H = number("%02d", "hour"), M = number("%02d", "minute"), S = number("%02d", "second"),
  I = function(parts, i) return format("%02d", (parts.hour[i] + 11) % 12 + 1) end,
  p = function(parts, i) return parts.hour[i] < 12 and "AM" or "PM" end,
  f = number("%06d", "microsecond"), z = "+0000",
  F = "%Y-%m-%d", T = "%H:%M:%S", R = "%H:%M", D = "%m/%d/%y",
}

-- What letters of the clock are of, {microseconds, of so many}, so that many times have few different ones; others are
-- of days.
local MINUTE <const>, OF_MINUTE <const> = {60 * SECOND, DAY}, {SECOND, 60 * SECOND}
local OF_CLOCK <const> = {H = MINUTE, M = MINUTE, I = MINUTE, p = MINUTE, S = OF_MINUTE, f = {1, SECOND}}

-- Returns the texts and writers of a format as runs, each of letters of one kind: of OF_CLOCK, or true, of days.
local function runs_of(form)
  local run = {}
  local runs = {run}
  form = string.gsub(form, "%%(.)", function(letter)
    return type(LETTERS[letter]) == "string" and LETTERS[letter] or nil
  end)
  form = string.gsub(form, "%%h", LETTERS.h)
  for plain, letter in string.gmatch(form, "([^%%]*)%%?(.?)") do
    if plain ~= "" then table.insert(run, plain) end
    local writer = LETTERS[letter]
    local kind = writer and (OF_CLOCK[letter] or true)
    if kind and run.kind and run.kind ~= kind then
      run = {}
      table.insert(runs, run)
    end
    run.kind = run.kind or kind
    if letter ~= "" then table.insert(run, writer or letter) end
  end
  return runs
end

-- Returns the words of a run, each different one written once. days, rest: as of parts_of.
local function words_of(run, days, rest)
  local clock = type(run.kind) == "table" and run.kind
  local units, places = (clock and rest % clock[2] // clock[1] or days):unique{return_inverse = true}
  local none, list = strew.zeros_like(units), {}
  local parts = clock and parts_of(none, units * clock[1]) or parts_of(units, none)
  local lists = setmetatable({}, {__index = function(lists, name)
    lists[name] = parts[name]:tolist()
    return lists[name]
  end})
  for i = 1, units:numel() do
    local word = {}
    for k, writer in ipairs(run) do word[k] = type(writer) == "string" and writer or writer(lists, i) end
    list[i] = table.concat(word)
  end
  return strew.text(places, list)
end

-- Returns times as words, of a format's letters.
local function written(t, form)
  local all, out = whole(check_time(t)), nil
  if type(form) ~= "string" then
    fail("format", format("is %s, expected a string, as \"%%Y-%%m\"", inner.text(form)), nil, "dtype")
  elseif string.find(form, "\0", 1, true) then
    fail("format", "has a zero byte", nil, "value")
  end
  errors.own(nil, "format", nil, strew.time, "", form, {device = "cpu"}) -- checks the letters
  local here = all:to("cpu")
  local days = here // DAY
  local rest = here - days * DAY
  for _, run in ipairs(runs_of(form)) do
    local made = words_of(run, days, rest)
    out = out and strew.join_words(out, made) or made
  end
  return out:to(all.device):masked_fill(is_missing(all), "")
end

local MOST_DAYS <const> = math.maxinteger // DAY

local function add_months(t, n)
  local all = whole(check_time(t))
  if operands.is_tensor(n) then
    operands.check_index(n, "n")
    operands.check_device(all, n, "n")
    if n.dtype == "uint64" then n = n:clamp(0, 1 << 31) end
    n = n:to("int64"):clamp(-1 << 31, 1 << 31)
  elseif math.type(n) ~= "integer" then
    fail("n", format("is %s, expected a number of months, an integer", inner.text(n)))
  else
    n = math.max(-1 << 31, math.min(n, 1 << 31))
  end
  local days = all // DAY
  local year, month, day = date_of(days)
  local months = (year * 12 + month - 1 + n):clamp(-12 * 300000, 12 * 300000)
  year, month = months // 12, months % 12 + 1
  local moved = first_day(year, month) + day:minimum(days_in(year, month)) - 1
  local sum = moved * DAY + (all - days * DAY)
  local is_none = is_missing(all) | moved:abs():gt(MOST_DAYS + 1) | moved:lt(0):ne(sum:lt(0))
  return strew.where(is_none, NAT, sum):to("time")
end

-- Returns the time, one, that a script gives, as microseconds.
local function moment(x, name)
  local at = instant(x, name)
  if operands.is_tensor(at) then
    if at:numel() ~= 1 then fail(name, format("has %d times, expected one", at:numel()), nil, "shape") end
    at = at:item()
  end
  if at == NAT then fail(name, "is NaT, expected a time", nil, "value") end
  return at
end

-- Returns the times from first to last, which is one of them if a step meets it.
local function date_range(first, last, step)
  local device = is_time(first) and first.device or is_time(last) and last.device or nil
  if type(last) == "number" or type(last) == "table" then
    fail("last", format("is %s, expected a time", inner.text(last)),
      "strew.time(first) + strew.arange(n) * 86400 are n days")
  end
  local from, to = moment(first, "first"), moment(last, "last")
  local size, months = times.span(step == nil and "day" or step, "step")
  local options = {dtype = "int64", device = device}
  if size then
    local count = to >= from and math.ult(to - from, 1 << 62) and (to - from) // size + 1 or to >= from and -1 or 0
    if count < 0 then fail("last", "is too far from first", nil, "value") end
    return (strew.arange(count, options) * size + from):to("time")
  end
  local most = to >= from and (to / DAY - from / DAY) // (28 * months) + 2 or 0
  local all = add_months(strew.full({}, from, options):to("time"), strew.arange(math.tointeger(most), options) * months)
  return all:masked_select(all:le(strew.full({}, to, options):to("time")))
end

-- Interpolates in seconds after the first of xp.
function times.interp(self, xp, fp, options)
  for _, name in ipairs{"self", "xp"} do
    local t = name == "self" and self or xp
    if not is_time(t) then
      local hint = (type(t) == "table" or type(t) == "string") and "strew.time(" .. name .. ")"
      fail(name, format("is %s, expected time, as the other one", operands.what(t)), hint or nil, "dtype")
    end
  end
  if is_time(fp) then fail("fp", "is time, expected numbers", "(fp - fp:select(0, 0)) are seconds", "dtype") end
  if xp:dim() ~= 1 or xp:numel() == 0 then return strew.interp(whole(self), whole(xp), fp, options) end -- fails
  local device, first = operands.float64_device(self), xp:select(0, 0)
  operands.check_device(self, xp, "xp")
  operands.check_device(self, fp, "fp")
  first = first:to(device)
  local out = strew.interp(self:to(device) - first, xp:to(device) - first, fp:to(device), options)
  return out:to(operands.widest(self)):to(self.device)
end

-- Errors of the calls that they make are the script's call's, with its tensors.
for _, name in ipairs{"quantile", "interp"} do
  local f = times[name]
  times[name] = function(...) return errors.own(nil, nil, nil, f, ...) end
end

times.calendar = {"t:any", function(t)
  return use "tables.lua".make{names = table.move(PARTS, 1, #PARTS, 1, {}), tensors = calendar(t, PARTS)}
end}
times.floor_time = {"t:any unit:any", floor_time}
times.add_months = {"t:any n:any", add_months}
times.date_range = {"first:any last:any step?any", date_range}
times.format = {"t:any format:any", written}
return times
