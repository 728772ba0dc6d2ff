-- ten.lua: the ten group-by questions of the db-benchmark (H2O.ai, DuckDB Labs), and random data of its kind: three
-- columns of words and three of integers as keys, three of values. questions.lua checks the answers, scripts/bench
-- times them.
--   local ten = dofile "ten.lua"
--   local x = ten.data(rows)
--   for _, question in ipairs(ten.questions) do question.answer(x, strew.group_by(x, question.keys)) end
local strew = require "strew"
local ten = {names = {"id1", "id2", "id3", "id4", "id5", "id6", "v1", "v2", "v3"}}

------------------------------------------------------------------------------------------------------------- the data

local function words(format, count)
  local list = {}
  for k = 1, count do list[k] = format:format(k) end
  return list
end

-- Returns the columns in the order of their names, on the default device, and the words.
function ten.columns(rows)
  local few, many = 100, math.max(rows // 100, 1) -- distinct values
  local function keys(count, dtype) return strew.randint(0, count, {rows}):to(dtype) end
  local few_words = words("id%03d", few)
  return {
    keys(few, "uint8"), keys(few, "uint8"), keys(many, "int32"), -- codes of words
    keys(few, "int32") + 1, keys(few, "int32") + 1, keys(many, "int32") + 1,
    keys(5, "int32") + 1, keys(15, "int32") + 1,
    (strew.rand(rows, {dtype = "float64"}) * 1e8):round() / 1e6,
  }, {id1 = few_words, id2 = few_words, id3 = words("id%010d", many)}
end

-- Returns the table of these columns.
function ten.table(tensors, lists)
  local x = {}
  for k, name in ipairs(ten.names) do x[name] = tensors[k] end
  return strew.columns(x, ten.names, lists)
end

-- Returns a table with that number of rows, on the CPU.
function ten.data(rows)
  strew.manual_seed(1)
  local tensors, lists = ten.columns(rows)
  for k, t in ipairs(tensors) do tensors[k] = t:to("cpu") end
  return ten.table(tensors, lists)
end

-------------------------------------------------------------------------------------------------------- the questions

-- Reductions in plain Lua.
local plain = {}
function plain.count(list) return #list end
function plain.sum(list)
  local sum = 0
  for _, value in ipairs(list) do sum = sum + value end
  return sum
end
function plain.mean(list) return plain.sum(list) / #list end
function plain.var(list)
  local mean, sum = plain.mean(list), 0
  for _, value in ipairs(list) do sum = sum + (value - mean) ^ 2 end
  return sum / math.max(#list - 1, 1)
end
function plain.max(list) return math.max(table.unpack(list)) end
function plain.min(list) return math.min(table.unpack(list)) end
function plain.sorted(list)
  local sorted = table.move(list, 1, #list, 1, {})
  table.sort(sorted)
  return sorted
end
function plain.median(list)
  local sorted, middle = plain.sorted(list), #list // 2
  return #list % 2 == 1 and sorted[middle + 1] or (sorted[middle] + sorted[middle + 1]) / 2
end
function plain.products(a, b)
  local products = {}
  for k, value in ipairs(a) do products[k] = value * b[k] end
  return products
end

-- The square of the correlation, from sums.
local function r2(n, x, y, xx, yy, xy) return (n * xy - x * y) ^ 2 / ((n * xx - x * x) * (n * yy - y * y)) end

-- Each: title, keys, names of the columns it reads, the answer, and columns of the answer's row for one group in plain
-- Lua: v has lists of values.
ten.questions = {
  {
    title = "sum of v1 by id1", keys = {"id1"}, reads = "id1 v1",
    answer = function(_, g) return g:agg{v1 = {"sum", "v1"}} end,
    plain = function(v) return {v1 = plain.sum(v.v1)} end,
  },
  {
    title = "sum of v1 by id1, id2", keys = {"id1", "id2"}, reads = "id1 id2 v1",
    answer = function(_, g) return g:agg{v1 = {"sum", "v1"}} end,
    plain = function(v) return {v1 = plain.sum(v.v1)} end,
  },
  {
    title = "sum of v1, mean of v3 by id3", keys = {"id3"}, reads = "id3 v1 v3",
    answer = function(_, g) return g:agg{v1 = {"sum", "v1"}, v3 = {"mean", "v3"}} end,
    plain = function(v) return {v1 = plain.sum(v.v1), v3 = plain.mean(v.v3)} end,
  },
  {
    title = "mean of v1, v2, v3 by id4", keys = {"id4"}, reads = "id4 v1 v2 v3",
    answer = function(_, g)
      return g:agg{v1 = {"mean", "v1", dtype = "float64"}, v2 = {"mean", "v2", dtype = "float64"},
        v3 = {"mean", "v3"}}
    end,
    plain = function(v) return {v1 = plain.mean(v.v1), v2 = plain.mean(v.v2), v3 = plain.mean(v.v3)} end,
  },
  {
    title = "sum of v1, v2, v3 by id6", keys = {"id6"}, reads = "id6 v1 v2 v3",
    answer = function(_, g) return g:agg{v1 = {"sum", "v1"}, v2 = {"sum", "v2"}, v3 = {"sum", "v3"}} end,
    plain = function(v) return {v1 = plain.sum(v.v1), v2 = plain.sum(v.v2), v3 = plain.sum(v.v3)} end,
  },
  {
    title = "median, deviation of v3 by id4, id5", keys = {"id4", "id5"}, reads = "id4 id5 v3",
    answer = function(_, g)
      local answer = g:agg{median = {"quantile", "v3", q = 0.5}, deviation = {"var", "v3"}}
      answer.deviation:sqrt_()
      return answer
    end,
    plain = function(v) return {median = plain.median(v.v3), deviation = math.sqrt(plain.var(v.v3))} end,
  },
  {
    title = "max of v1 - min of v2 by id3", keys = {"id3"}, reads = "id3 v1 v2",
    answer = function(_, g)
      local answer = g:agg{range = {"max", "v1"}, least = {"min", "v2"}}
      answer.range, answer.least = answer.range - answer.least, nil
      return answer
    end,
    plain = function(v) return {range = plain.max(v.v1) - plain.min(v.v2)} end,
  },
  {
    title = "largest two v3 by id6", keys = {"id6"}, reads = "id6 v3",
    answer = function(x, g)
      local values, _, groups = g:topk(x.v3, 2)
      return {id6 = g.keys.id6[groups], v3 = values}
    end,
    plain = function(v)
      local sorted = plain.sorted(v.v3)
      return {v3 = {sorted[#sorted], sorted[#sorted - 1]}}
    end,
  },
  {
    title = "r2 of v1, v2 by id2, id4", keys = {"id2", "id4"}, reads = "id2 id4 v1 v2",
    answer = function(x, g)
      local s = g:agg{n = "count", x = {"sum", "v1"}, y = {"sum", "v2"}, xx = {"sum", x.v1 * x.v1},
        yy = {"sum", x.v2 * x.v2}, xy = {"sum", x.v1 * x.v2}}
      local function f(t) return t:to("float64") end
      s.r2 = r2(f(s.n), f(s.x), f(s.y), f(s.xx), f(s.yy), f(s.xy))
      return strew.columns(s, {"id2", "id4", "r2"})
    end,
    plain = function(v)
      local sum, products = plain.sum, plain.products
      return {r2 = r2(#v.v1, sum(v.v1), sum(v.v2), sum(products(v.v1, v.v1)), sum(products(v.v2, v.v2)),
        sum(products(v.v1, v.v2)))}
    end,
  },
  {
    title = "sum of v3, count by all six keys", keys = {"id1", "id2", "id3", "id4", "id5", "id6"},
    reads = "id1 id2 id3 id4 id5 id6 v3",
    answer = function(_, g) return g:agg{v3 = {"sum", "v3"}, count = "count"} end,
    plain = function(v) return {v3 = plain.sum(v.v3), count = #v.v3} end,
  },
}

return ten
