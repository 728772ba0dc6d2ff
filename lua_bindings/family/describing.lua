-- describing.lua: a summary of the columns of a table.
local strew, fail, use = ...
local operands, tables, missing = use "operands.lua", use "tables.lua", use "take_rows.lua"

local NUMBERS <const> = {"mean", "std", "min", "25%", "50%", "75%", "max"}

-- Returns the NUMBERS of a line of floats without NaN.
local function numbers_of(line, dtype)
  if #line == 0 then return strew.full(#NUMBERS, 0 / 0, {dtype = dtype, device = line.device}) end
  line = line:to(dtype)
  local at = strew.tensor({0.25, 0.5, 0.75}, {dtype = dtype, device = line.device})
  local function one(x) return x:reshape(1) end
  return strew.cat{one(line:mean()), one(line:std()), one(line:amin()), line:quantile(at), one(line:amax())}
end

local function describe(x)
  local columns = tables.read(x, "x")
  local device = columns.device
  local dtype = operands.widest(columns.tensors[1])
  local count, gaps, rows, dtypes, names = {}, {}, {}, {}, {}
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
  end
  local numbers = strew.stack(rows)
  local out = {{"column", names}, {"dtype", dtypes}, {"count", strew.tensor(count, {device = device})},
    {"missing", strew.tensor(gaps, {device = device})}}
  for k, name in ipairs(NUMBERS) do out[k + 4] = {name, numbers:select(1, k - 1):contiguous()} end
  return strew.table(out)
end

return {describe = {"x:table", describe}}
