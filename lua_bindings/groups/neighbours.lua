-- neighbours.lua: elements beside each other within groups, in the order of positions: shifts, differences, gaps that
-- are filled. Of a whole column g is nil: it is one group.
local strew, fail, use, inner = ...
local operands, errors, missing = use "operands.lua", use "errors.lua", use "missing.lua"
local times = use "times.lua"
local is_float = operands.is_float

-- Raises an error unless v is a line, of the grouping's length and device; and, if is_number, of numbers.
local function check(g, v, name, is_number)
  if g then
    operands.check_grouped(g, v, name)
  else
    operands.check_rank(v, name, 1, 1, "1")
  end
  if is_number and (v.dtype == "text" or v.dtype == "time") then
    fail(name, format("is %s, expected numbers", v.dtype), nil, "dtype")
  end
end

-- Returns the numbers n places before each element, and `fill` where there is none.
local function moved(g, x, n, fill)
  local count = x:size(0)
  n = math.max(-count, math.min(n, count))
  if g then return errors.own("value", "fill", nil, inner.group_shift, g, x, n, fill) end
  local gap = errors.own("value", "fill", nil, strew.full, math.abs(n), fill, {dtype = x.dtype, device = x.device})
  return strew.cat(n < 0 and {x:narrow(0, -n, count + n), gap} or {gap, x:narrow(0, 0, count - n)})
end

-- Returns true where there is an element n places before.
local function has_moved(g, x, n) return moved(g, strew.ones_like(x, {dtype = "bool"}), n, false) end

-- Returns integers as floats, NaN where is_there is false; an error if those do not hold them.
local function with_gaps(x, is_there, name, hint)
  if is_there:all():item() then return x end
  local dtype = operands.widest(x)
  local floats, value = missing.as_exact(x:masked_fill(~is_there, 0), dtype)
  if not floats then
    fail(name, format("gives %s, which %s cannot hold: the dtype of integers among which some are missing, as NaN",
      value, dtype), hint, "value", tonumber(value))
  end
  return floats:masked_fill_(~is_there, 0 / 0)
end

local function shifted(g, v, n, fill, name)
  if v.dtype == "text" then -- words of which the last is that of `fill`
    if fill ~= nil and type(fill) ~= "string" then
      fail("fill", format("is %s, expected a word", inner.text(fill)), nil, "dtype")
    end
    local all = strew.cat{v:narrow(0, 0, 0), strew.tensor({fill or ""}, {device = v.device})}
    return strew.text(moved(g, v:codes(), n, all:codes():item()), all)
  elseif v.dtype == "time" then
    local none = fill == nil and math.mininteger or times.instant(fill, "fill")
    return moved(g, v:to("int64"), n, operands.is_tensor(none) and none:item() or none):to("time")
  elseif is_float(v) then
    return moved(g, v, n, fill == nil and 0 / 0 or fill)
  elseif fill ~= nil or v:numel() == 0 then
    return moved(g, v, n, fill or 0)
  end
  local floats = n ~= 0 and missing.as_exact(v, operands.widest(v))
  if floats then return moved(g, floats, n, 0 / 0) end
  return with_gaps(moved(g, v, n, 0), has_moved(g, v, n), name, format("{fill = 0} instead of NaN keeps %s", v.dtype))
end

local function shift(g, v, name, n, fill)
  check(g, v, name)
  return shifted(g, v, n or 1, fill, name)
end

local function diff(g, v, name, n)
  check(g, v, name)
  n = n or 1
  if v.dtype == "text" then check(g, v, name, true) end
  if is_float(v) or v.dtype == "time" then return v - shifted(g, v, n, nil, name) end
  if v.dtype == "bool" then v = v:to("int64") end
  local other, is_there = moved(g, v, n, 0), has_moved(g, v, n)
  local gap = v:to("int64") - other:to("int64")
  operands.check_none(is_there & gap:ge(0):ne(v:ge(other)), v, name, "a difference that int64 holds",
    format("%s:to(%q) computes in floats", name, operands.widest(v)))
  return with_gaps(gap, is_there, name, format("%s:to(%q) rounds", name, operands.widest(v)))
end

local function pct_change(g, v, name, n)
  check(g, v, name, true)
  if not is_float(v) then v = v:to(operands.widest(v)) end
  return v / moved(g, v, n or 1, 0 / 0) - 1
end

local function share(g, v, name, skip_nan)
  check(g, v, name, true)
  if not is_float(v) then v = v:to(operands.widest(v)) end -- no sum of integers wraps
  local sums = g and g:sum(v, {skip_nan = skip_nan}) or not g and v:sum{skip_nan = skip_nan or false}
  if not g then return v / sums end
  local own = sums:index_select(0, g.ids, {mode = "drop"})
  return v / (select(3, inner.ids(g)) and own:masked_fill(g.ids:lt(0), 0 / 0) or own)
end

-------------------------------------------------------------------------------------------------------------- gaps

-- Elements group after group: {order = their positions, or nil: all, starts =, count =}.
local function in_order(g, v)
  if not g then return {starts = strew.tensor({0, #v}, {device = v.device}), count = #v} end
  local order = g:order()
  return {order = order, starts = g:starts(), count = #order}
end

local function sorted(places, x) return places.order and x:index_select(0, places.order) or x end

-- Returns x, a line of `places`, as elements of their positions; elements without a group are those of v.
local function unsorted(places, x, v)
  if not places.order then return x end
  return v:index_copy(0, places.order, x)
end

-- Returns for each place that of the last element up to it in its group that is there, or (is_next) of the first one
-- from it on; without one the place of the first (last) element of the group.
local function nearest(places, is_there, is_next)
  local n, starts, device = places.count, places.starts, is_there.device
  local at = strew.arange(n, {device = device})
  local ends = is_next and starts:narrow(0, 1, #starts - 1) - 1 or starts:narrow(0, 0, #starts - 1)
  local found = strew.where(is_there, at, is_next and math.max(n - 1, 0) or 0):scatter_(0, ends, ends, {mode = "drop"})
  if is_next then return (found:flip(0):cummin(0)):flip(0) end
  return (found:cummax(0))
end

-- Returns v with missing elements as the last one before (is_next: the first one behind) that is there.
local function filled(g, v, is_next, name)
  check(g, v, name)
  local gaps = missing.of(v)
  if not gaps then return v:clone() end
  local places = in_order(g, v)
  local at = nearest(places, ~sorted(places, gaps), is_next)
  if not places.order then return v:index_select(0, at) end
  local own = strew.arange(#v, {device = v.device})
  return v:index_select(0, own:index_copy_(0, places.order, places.order:index_select(0, at)))
end

local function interpolate(g, v, name, t)
  check(g, v, name)
  if v.dtype == "text" then check(g, v, name, true) end
  local places, gaps = in_order(g, v), missing.of(v)
  local along = t and sorted(places, times.whole(t))
  if t and (t.dtype == "text" or t.dtype == "bool") then
    fail("t", format("is %s, expected numbers or times", t.dtype), nil, "dtype")
  elseif t then
    operands.check_along(t, "t", v, along, places.order, g and sorted(places, g.ids), missing.of(t))
  end
  if not gaps or not gaps:any():item() then return v:clone() end
  local device = operands.float64_device(v)
  local seconds, first = times.seconds(v, true)
  local x, is_there = sorted(places, seconds), ~sorted(places, gaps)
  local before, behind = nearest(places, is_there), nearest(places, is_there, true)
  along = along or strew.arange(places.count, {device = v.device})
  local function of(t_, at) return t_:index_select(0, at) end
  local from, step = of(along, before), of(along, behind)
  local function float(gap) return gap:to(device):to(operands.widest(gap:to(device))) end
  local inputs = {a = of(x, before:to(x.device)):to(device), b = of(x, behind:to(x.device)):to(device)}
  inputs.s = (float(along - from) / float(step - from)):masked_fill(step:eq(from):to(device), 0)
  for _, input in ipairs{"a", "b"} do inputs[input] = inputs[input]:to(inputs.s.dtype) end
  local made = operands.compute("where(a == b or isnan(b), a, a + (b - a) * s)", inputs):to(x.dtype):to(x.device)
  made = strew.where(is_there, sorted(places, v), times.after(first, made))
  return unsorted(places, made, v)
end

local function filler(is_next)
  return function(g, v, name) return filled(g, v, is_next, name) end
end

-- Methods of groupings, and of tensors: but diff, which those have along dimensions.
local rows = {}
for name, own in next, {shift = {shift, "n?integer fill?any"}, diff = {diff, "n?integer"},
  pct_change = {pct_change, "n?integer"}, share = {share, "skip_nan=boolean"}, ffill = {filler(false), ""},
  bfill = {filler(true), ""}, interpolate = {interpolate, "t?tensor"}} do
  local f, parameters = own[1], own[2]
  rows["g:" .. name] = {"self:grouping src:tensor " .. parameters, function(g, v, ...) return f(g, v, "src", ...) end}
  rows[name] = name ~= "diff" and {"self:tensor " .. parameters, function(v, ...) return f(nil, v, "self", ...) end}
    or nil
end
return rows
