-- describing.lua: a summary of the columns of a table.
local strew, fail, use = ...
local operands, tables, missing = use "operands.lua", use "tables.lua", use "missing.lua"

local NUMBERS <const> = {"mean", "std", "min", "25%", "50%", "75%", "max"}

local MOST <const> = 1 << 16 -- elements of columns that are reduced at once

-- Returns lines of one length as the rows of a matrix.
local function matrix(lines) return lines[2] and strew.stack(lines) or lines[1]:reshape(1, -1) end

-- Writes the NUMBERS of lines of floats into the rows of `out` at their places, of one without elements none; returns
-- how many elements of each are NaN, which are left out.
local function add_numbers(out, lines, places)
  local x, same = matrix(lines), {}
  local gaps = x:ne(x):sum(1):tolist()
  for k, line in ipairs(lines) do
    local list = same[gaps[k]] or {lines = {}, places = {}}
    same[gaps[k]], list.places[#list.places + 1] = list, places[k]
    list.lines[#list.lines + 1] = gaps[k] > 0 and line[line:eq(line)] or line
  end
  local at = strew.tensor({0.25, 0.5, 0.75}, {dtype = out.dtype, device = out.device})
  for n, list in next, same do
    if n > 0 or #list.lines < #lines then x = matrix(list.lines) end
    if x:numel() > 0 then
      out:index_copy_(0, strew.tensor(list.places, {device = out.device}), strew.cat({x:mean(1, true, {exact = true}),
        x:std(1, true), x:amin(1, true), x:quantile(at, 1):t(), x:amax(1, true)}, 1))
    end
  end
  return gaps
end

-- Returns the NUMBERS of a line of times without NaT, as times: of std, which is seconds, none.
local function times_of(line)
  local none = strew.full({1}, "NaT", {dtype = "time", device = line.device})
  if #line == 0 then return none:expand(#NUMBERS) end
  local at = strew.tensor({0.25, 0.5, 0.75}, {dtype = "float64", device = operands.float64_device(line)})
  local function one(x) return x:reshape(1) end
  local quartiles = line:to(at.device):quantile(at):to(line.device)
  return strew.cat{one(line:mean()), none, one(line:amin()), quartiles, one(line:amax())}
end

-- Returns statistic k of all columns: of times and of others as words.
local function mixed(numbers, instants, k)
  if not next(instants) or NUMBERS[k] == "std" then return numbers end
  local words, is_all = strew.text(numbers):tolist(), true
  for i in ipairs(words) do
    local t = instants[i] and instants[i][k - 1]
    is_all = is_all and t ~= nil
    words[i] = t and (t ~= "NaT" and t or "") or words[i]
  end
  local text = strew.tensor(words, {device = numbers.device})
  return is_all and strew.time(text) or text
end

local function describe(x)
  local columns = tables.read(x, "x")
  local device = columns.device
  local dtype = operands.widest(columns.tensors[1])
  local count, gaps, dtypes, names, instants = {}, {}, {}, {}, {}
  local numbers = strew.full({#columns.names, #NUMBERS}, 0 / 0, {dtype = dtype, device = device})
  local lines, places = {}, {} -- of columns of numbers that are still to be reduced
  local function reduce()
    for k, n in ipairs(lines[1] and add_numbers(numbers, lines, places) or {}) do gaps[places[k] + 1] = n end
    lines, places = {}, {}
  end
  for i, name in ipairs(columns.names) do
    local t, kind, shown = columns.tensors[i], tables.kind(columns, i)
    local is_line, is_number = t:dim() == 1, t:dim() == 1 and kind ~= "text" and kind ~= "time"
    local is_missing = is_line and not is_number and missing.of(t)
    names[i], dtypes[i] = tostring(name), is_line and shown or shown .. operands.text{table.unpack(t.shape, 2)}
    gaps[i] = is_missing and is_missing:sum():item() or 0
    if is_number then
      local line, value = t, nil
      if dtype == "float32" and not operands.is_float(t) then line, value = missing.as_exact(t, dtype) end
      if not line then
        local quoted = tables.quoted(name)
        fail("x", format("has column %s with value %s, which float32 cannot hold, and the device has no float64",
          quoted, value), format('x[%s]:to("float32") rounds', quoted), "value", tonumber(value))
      end
      lines[#lines + 1], places[#places + 1] = line:to(dtype), i - 1
      if (#lines + 1) * columns.rows > MOST then reduce() end
    elseif is_line and kind == "time" then
      local line = t[~is_missing]
      instants[i] = times_of(line)
      numbers:select(0, i - 1)[1] = #line > 0 and line:to(operands.float64_device(line)):std():item() or 0 / 0
    end
  end
  reduce()
  for i, n in ipairs(gaps) do count[i] = columns.rows - n end
  local out = {{"column", names}, {"dtype", dtypes}, {"count", strew.tensor(count, {device = device})},
    {"missing", strew.tensor(gaps, {device = device})}}
  for k, name in ipairs(NUMBERS) do out[k + 4] = {name, mixed(numbers:select(1, k - 1):contiguous(), instants, k)} end
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
