-- describing.lua: a summary of the columns of a table.
local strew, fail, use = ...
local operands, tables, missing = use "operands.lua", use "tables.lua", use "missing.lua"

local NUMBERS <const> = {"mean", "std", "min", "25%", "50%", "75%", "max"}

-- Returns the NUMBERS of a line of floats without NaN.
local function numbers_of(line, dtype)
  if #line == 0 then return strew.full(#NUMBERS, 0 / 0, {dtype = dtype, device = line.device}) end
  line = line:to(dtype)
  local at = strew.tensor({0.25, 0.5, 0.75}, {dtype = dtype, device = line.device})
  local function one(x) return x:reshape(1) end
  return strew.cat{one(line:mean{exact = true}), one(line:std()), one(line:amin()), line:quantile(at), one(line:amax())}
end

-- Returns the same of a line of times without NaT, as times: of std, which is seconds, none.
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
  local count, gaps, rows, dtypes, names, instants = {}, {}, {}, {}, {}, {}
  for i, name in ipairs(columns.names) do
    local t, kind, shown = columns.tensors[i], tables.kind(columns, i)
    local is_line, is_missing = t:dim() == 1, t:dim() == 1 and missing.of(t) or nil
    names[i], dtypes[i] = tostring(name), is_line and shown or shown .. operands.text{table.unpack(t.shape, 2)}
    gaps[i] = is_missing and is_missing:sum():item() or 0
    count[i] = columns.rows - gaps[i]
    local is_number = is_line and kind ~= "text" and kind ~= "time"
    local line = not is_number and t:narrow(0, 0, 0):reshape(-1) or gaps[i] > 0 and t[~is_missing] or t
    if dtype == "float32" and is_number and not operands.is_float(t) then
      local floats, value = missing.as_exact(line, dtype)
      if not floats then
        local quoted = tables.quoted(name)
        fail("x", format("has column %s with value %s, which float32 cannot hold, and the device has no float64",
          quoted, value), format('x[%s]:to("float32") rounds', quoted), "value", tonumber(value))
      end
    end
    rows[i] = numbers_of(line, dtype)
    if is_line and kind == "time" then
      line = t[~is_missing]
      instants[i] = times_of(line)
      rows[i][1] = #line > 0 and line:to(operands.float64_device(line)):std():item() or 0 / 0
    end
  end
  local numbers = strew.stack(rows)
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
