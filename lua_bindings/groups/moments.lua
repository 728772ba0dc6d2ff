-- moments.lua: statistics of groups that are made of others: the commonest element, skewness, covariance.
local strew, fail, use = ...
local operands, missing = use "operands.lua", use "missing.lua"
local is_float = operands.is_float

-- Returns the rows of v at positions, missing where they are -1.
local function chosen(v, positions, fill)
  local column = {names = {"src"}, tensors = {v}, argument = "src"}
  return missing.choose(column, 1, positions, missing.gaps(positions), fill)
end

-- The commonest element that is not missing, of several the least; a group without one has a missing element.
local function mode(g, v)
  operands.check_grouped(g, v)
  v = v:detach()
  local ids, gaps = g.ids, missing.of(v)
  if gaps then ids = ids:masked_fill(gaps, -1) end
  local values = strew.group_by(ids, v) -- by group, and within each in order
  local of_groups = strew.grouping(values.keys[1], {dim_size = g.n, mode = "drop"})
  local _, at = of_groups:max(values.counts)
  local positions = values.positions:index_select(0, at, {mode = "drop"})
  return chosen(v, strew.where(at:lt(values.n), positions, -1))
end

-- Returns columns as floats, and their dtype; of integers and bools the widest.
local function floats(g, list)
  for k, v in ipairs(list) do
    operands.check_grouped(g, v, list.names[k])
    if v.dtype == "text" or v.dtype == "time" then
      fail(list.names[k], format("is %s, expected numbers", v.dtype), nil, "dtype")
    end
    list[k] = is_float(v) and v or v:to(operands.widest(v))
  end
  return strew.result_type(table.unpack(list))
end

-- Returns the differences of x from the mean of their group; 0 exactly where all elements of that are equal.
local function centered(g, x, options)
  local mean, is_constant = g:mean(x, options), (g:max(x, options)):eq((g:min(x, options)))
  local at = {mode = "drop"}
  local apart = x - mean:index_select(0, g.ids, at)
  return apart:masked_fill(is_constant:index_select(0, g.ids, at) & x:eq(x), 0), is_constant
end

-- Returns sums of products of differences, and the number of elements, of two columns; NaN counts in neither.
local function products(g, a, b, skip_nan)
  local dtype = floats(g, {a, b, names = {"src", "other"}})
  local wide, options = operands.widest(a), {skip_nan = skip_nan}
  a, b = a:to(wide), b:to(wide)
  if skip_nan then a, b = a:masked_fill(b:ne(b), 0 / 0), b:masked_fill(a:ne(a), 0 / 0) end
  local x, y = centered(g, a, options), centered(g, b, options)
  local function sum(t) return g:sum(t, options) end
  return dtype, sum, x, y, g:count(a, options):to(wide)
end

local function cov(g, a, b, skip_nan, correction)
  local dtype, sum, x, y, n = products(g, a, b, skip_nan)
  local divisor = n - (correction or 1)
  return (sum(x * y) / divisor):masked_fill(divisor:le(0), 0 / 0):to(dtype)
end

local function corr(g, a, b, skip_nan)
  local dtype, sum, x, y = products(g, a, b, skip_nan)
  return (sum(x * y) / (sum(x * x):sqrt() * sum(y * y):sqrt())):clamp(-1, 1):to(dtype)
end

-- The adjusted Fisher-Pearson coefficient, as pandas has it.
local function skew(g, v, skip_nan)
  local dtype = floats(g, {v, names = {"src"}})
  local wide, options = operands.widest(v), {skip_nan = skip_nan}
  local x = centered(g, v:to(wide), options)
  local n = g:count(v, options):to(wide)
  local square = g:sum(x * x, options) / n
  local cube = g:sum(x * x * x, options) / n
  local out = cube / (square * square:sqrt()) * (n * (n - 1)):sqrt() / (n - 2)
  return out:masked_fill(square:eq(0), 0):masked_fill(n:lt(3), 0 / 0):to(dtype)
end

local TWO <const> = "self:grouping src:tensor other:tensor skip_nan=boolean"
return {
  ["g:mode"] = {"self:grouping src:tensor skip_nan=boolean", mode},
  ["g:cov"] = {TWO .. " correction=number", cov},
  ["g:corr"] = {TWO, corr},
  ["g:skew"] = {"self:grouping src:tensor skip_nan=boolean", skew},
  chosen = chosen,
}
