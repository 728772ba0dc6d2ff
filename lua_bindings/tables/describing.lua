-- describing.lua: a summary of the columns of a table.
local strew, fail, use = ...
local operands, tables, missing = use "operands.lua", use "tables.lua", use "missing.lua"

local NUMBERS <const> = {"mean", "std", "min", "25%", "50%", "75%", "max"}

local MOST <const> = 1 << 16 -- elements of columns that are reduced at once

-- Returns the NUMBERS of the rows of a matrix without missing elements; of times: of std, which is seconds, none, and
-- that, second.
local function numbers_of(x)
  if x.dtype ~= "time" then
    local at = strew.tensor({0.25, 0.5, 0.75}, {dtype = x.dtype, device = x.device})
    return strew.cat({x:mean(1, true, {exact = true}), x:std(1, true), x:amin(1, true), x:quantile(at, 1):t(),
      x:amax(1, true)}, 1)
  end
  local here = x:to(operands.float64_device(x))
  local at, least = strew.tensor({0.25, 0.5, 0.75}, {dtype = "float64", device = here.device}), here:amin(1, true)
  return strew.cat({x:mean(1, true), strew.full({#x, 1}, "NaT", {dtype = "time", device = x.device}),
    x:amin(1, true), here:quantile(at, 1):t():to(x.device), x:amax(1, true)}, 1), (here - least):std(1)
end

-- Writes the NUMBERS of lines of floats or of times into the rows of `out` at their places, deviations of times into
-- `seconds`, of one without elements none; returns how many elements of each are missing, which are left out.
local function add_numbers(out, seconds, lines, places)
  local x, same, device = strew.stack(lines), {}, {device = out.device}
  local present, to = x:eq(x), strew.tensor(places, device)
  local gaps = (~present):sum(1):tolist()
  for k, n in ipairs(gaps) do
    same[n] = same[n] or {}
    table.insert(same[n], k - 1)
  end
  for n, list in next, same do
    if n < x:size(1) then
      local some, at = x, strew.tensor(list, device)
      if n > 0 or #list < #lines then some = x:index_select(0, at):masked_select(present:index_select(0, at)) end
      local numbers, deviations = numbers_of(some:reshape(#list, -1))
      at = to:index_select(0, at)
      out:index_copy_(0, at, numbers)
      if deviations then seconds:index_copy_(0, at, deviations:to(out.device):to(seconds.dtype)) end
    end
  end
  return gaps
end

-- Returns statistic k of all columns: of those where is_time is true, as words.
local function mixed(numbers, instants, is_time, k)
  numbers = numbers:select(1, k - 1):contiguous()
  if not instants or NUMBERS[k] == "std" then return numbers end
  instants = instants:select(1, k - 1):contiguous()
  return is_time:all():item() and instants or strew.where(is_time, strew.text(instants), strew.text(numbers))
end

local function describe(x)
  local columns = tables.read(x, "x")
  local device, n = columns.device, #columns.names
  local dtype = operands.widest(columns.tensors[1])
  local count, gaps, dtypes, names, are_times, instants = {}, {}, {}, {}, {}, nil
  local numbers = strew.full({n, #NUMBERS}, 0 / 0, {dtype = dtype, device = device})
  local lists = {[true] = {lines = {}, places = {}}, [false] = {lines = {}, places = {}}} -- still to be reduced
  local function reduce(is_time)
    local list = lists[is_time]
    local out = is_time and instants or numbers
    for k, of in ipairs(list.lines[1] and add_numbers(out, numbers:select(1, 1), list.lines, list.places) or {}) do
      gaps[list.places[k] + 1] = of
    end
    list.lines, list.places = {}, {}
  end
  for i, name in ipairs(columns.names) do
    local t, kind, shown = columns.tensors[i], tables.kind(columns, i)
    local is_line, is_time = t:dim() == 1, kind == "time"
    names[i], dtypes[i] = tostring(name), is_line and shown or shown .. operands.text{table.unpack(t.shape, 2)}
    gaps[i], are_times[i] = is_line and kind == "text" and missing.of(t):sum():item() or 0, is_line and is_time
    if is_line and kind ~= "text" then
      local line, value = t, nil
      if is_time then
        instants = instants or strew.full({n, #NUMBERS}, "NaT", {dtype = "time", device = device})
      elseif dtype == "float32" and not operands.is_float(t) then
        line, value = missing.as_exact(t, dtype)
      end
      if not line then
        local quoted = tables.quoted(name)
        fail("x", format("has column %s with value %s, which float32 cannot hold, and the device has no float64",
          quoted, value), format('x[%s]:to("float32") rounds', quoted), "value", tonumber(value))
      end
      local list = lists[is_time]
      list.lines[#list.lines + 1], list.places[#list.places + 1] = is_time and line or line:to(dtype), i - 1
      if (#list.lines + 1) * columns.rows > MOST then reduce(is_time) end
    end
  end
  reduce(true)
  reduce(false)
  for i, of in ipairs(gaps) do count[i] = columns.rows - of end
  local out = {{"column", names}, {"dtype", dtypes}, {"count", strew.tensor(count, {device = device})},
    {"missing", strew.tensor(gaps, {device = device})}}
  local is_time = instants and strew.tensor(are_times, {device = device})
  for k, name in ipairs(NUMBERS) do out[k + 4] = {name, mixed(numbers, instants, is_time, k)} end
  return strew.table(out)
end

local QUARTILES <const> = {["25%"] = 0.25, ["50%"] = 0.5, ["75%"] = 0.75}

-- Returns a row for each group: the number of its elements that are not missing, and their statistics.
local function of_groups(g, src)
  if src.dtype == "text" then fail("src", "is text, expected numbers or times", nil, "dtype") end
  local what = {{"count", "count", src, skip_nan = true}}
  for _, name in ipairs(NUMBERS) do
    what[#what + 1] = {name, QUARTILES[name] and "quantile" or name, src, q = QUARTILES[name], skip_nan = true}
  end
  return g:agg(what)
end

return {describe = {"x:table", describe}, ["g:describe"] = {"self:grouping src:tensor", of_groups}}
