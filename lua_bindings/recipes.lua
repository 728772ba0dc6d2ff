-- recipes.lua: common tasks in a few lines each: the page "recipes" of the help, as data.
--
-- A recipe is {title, text, code, output}. A test runs every code, on each device, and compares the output.
-- build/strew tests/examples.lua --write writes outputs anew.
return {
  {"Filter", [[
A mask has true for each element or row to keep. Masks are joined by `&` (and), `|` (or) and `~` (not).]],
  [[
local city = strew.tensor{0, 1, 0, 2}
local price = strew.tensor{3.5, 12, 8, 20}
local mask = price:gt(5) & city:ne(2)
print(price[mask])
print(strew.rows({city = city, price = price}, mask))]],
  [[
float32[2] cpu
 12   8
table: 2 rows, 2 columns, cpu
  city    price
 int64  float32
     1       12
     0        8]]},

  {"Group a table", [[
group_by makes groups of rows with equal keys; agg reduces each of them to a row. Keys may be several columns.]],
  [[
local x = strew.columns({city = strew.tensor{0, 1, 0, 1, 0}, rain = strew.tensor{2.0, 5, 4, 1, 3}}, {"city", "rain"},
  {city = {"Rome", "Oslo"}})
local g = strew.group_by(x, "city")
print(g:agg{days = "count", total = {"sum", "rain"}, most = {"max", "rain"}})]],
  [[
table: 2 rows, 4 columns, cpu
 city   days     most    total
 text  int64  float32  float32
 Oslo      2        5        6
 Rome      3        4        9]]},

  {"Join two tables", [[
join puts rows with the same key beside each other. A left join keeps the rows without a match, with NaN.]],
  [[
local sales = {item = strew.tensor{3, 1, 3, 2}, pieces = strew.tensor{5, 2, 1, 4}}
local prices = {item = strew.tensor{1, 3}, price = strew.tensor{9.5, 2}}
local both = strew.join(sales, prices, "item", {how = "left"})
both.total = both.price * both.pieces
print(both)]],
  [[
table: 4 rows, 4 columns, cpu
  item  pieces    price    total
 int64   int64  float32  float32
     3       5      2.0       10
     1       2      9.5       19
     3       1      2.0        2
     2       4      nan      nan]]},

  {"Append tables", [[
concat puts the rows of tables below one another, columns by their names. `fill` allows columns that a table lacks.]],
  [[
local jan = strew.table{city = {"Oslo", "Rome"}, rain = {2, 5}}
local feb = strew.table{city = {"Rome", "Bari"}, rain = {4, 1}, snow = {"no", "yes"}}
print(strew.concat({jan, feb}, {fill = true}))]],
  [[
table: 4 rows, 3 columns, cpu
 city   rain  snow
 text  int64  text
 Oslo      2
 Rome      5
 Rome      4  no
 Bari      1  yes]]},

  {"Count", [[
bincount counts the integers 0, 1, 2, ...; value_counts counts values of any size and dtype, the most frequent first.]],
  [[
print(strew.tensor{2, 0, 2, 2, 0}:bincount())
print(strew.value_counts(strew.tensor{40, 7, 40, 9, 7, 40}))]],
  [[
int64[3] cpu
 2  0  3
table: 3 rows, 2 columns, cpu
 value  count
 int64  int64
    40      3
     7      2
     9      1]]},

  {"One-hot", [[
Each code becomes a row of zeros with a 1. With num_classes, codes that do not occur have a column as well.]],
  [[
local color = strew.tensor{2, 0, 1, 2}
print(color:one_hot())
print(color:one_hot{num_classes = 4}:to("float32"))]],
  [[
int64[4, 3] cpu
 0  0  1
 1  0  0
 0  1  0
 0  0  1
float32[4, 4] cpu
 0  0  1  0
 1  0  0  0
 0  1  0  0
 0  0  1  0]]},

  {"Top-k per group", [[
rank counts from 0 within each group, true: from the largest value.]],
  [[
local x = strew.table{shop = {0, 1, 0, 1, 0, 1}, price = {3, 8, 9, 6, 7, 5}}
local rank = x:group_by("shop"):rank(x.price, true)
print(x:rows(rank:lt(2)):sort_by{"shop", "price"})]],
  [[
table: 4 rows, 2 columns, cpu
 price   shop
 int64  int64
     7      0
     9      0
     6      1
     8      1]]},

  {"Median per group", [[
The median of a grouping, and of agg, is the mean of two middle values, as in pandas; scatter_median the lower, as in
PyTorch.]],
  [[
local shop = strew.tensor{0, 1, 0, 1, 0, 1, 1}
local price = strew.tensor{3.0, 8, 9, 6, 7, 5, 9}
print(strew.group_by(shop):median(price))
print(strew.scatter_median(price, shop))]],
  [[
float32[2] cpu
 7  7
float32[2] cpu
 7  6]]},

  {"Fill gaps", [[
A gap is NaN. It becomes the average of its group, or the last value before it (in time, for sorted readings).]],
  [[
local nan = 0 / 0
local station = strew.tensor{0, 1, 0, 1, 0}
local rain = strew.tensor{2.0, 5, nan, nan, 4}
local average = strew.scatter_mean(rain, station, {skip_nan = true})
print(strew.where(rain:isnan(), average[station], rain))
local last = strew.where(rain:isnan(), 0, strew.arange(#rain)):cummax(0)
print(rain[last])]],
  [[
float32[5] cpu
 2  5  3  5  4
float32[5] cpu
 2  5  5  5  4]]},

  {"Histogram", [[
histc counts in equal bins; bucketize and bincount in bins between any edges, with one below and one above.]],
  [[
local age = strew.tensor{3.0, 18, 25, 41, 67, 80}
print(age:histc(4, 0, 80))
local bin = age:bucketize(strew.tensor{18.0, 65}, {right = true})
print(bin:bincount{minlength = 3})]],
  [[
float32[4] cpu
 2  1  1  2
int64[3] cpu
 1  3  2]]},

  {"Sums per calendar month", [[
`dates` reads days as times; calendar gives their parts as columns, and floor_time the beginning of a month, a week or
900 seconds as one key.]],
  [[
local name = os.tmpname()
local file <close> = assert(io.open(name, "w"))
file:write("day;rain\n2024-02-29;1\n2023-12-31;4\n2024-02-01;3\n2024-03-01;8\n"):flush()
local x = strew.load(name, {format = "csv", header = true, separator = ";", dates = {"day"}})
os.remove(name)
local parts = strew.calendar(x.day)
x.year, x.month = parts.year, parts.month
print(strew.group_by(x, {"year", "month"}):agg{days = "count", rain = {"sum", "rain"}})]],
  [[
table: 3 rows, 4 columns, cpu
  year  month   days   rain
 int64  int64  int64  int64
  2023     12      1      4
  2024      2      2      4
  2024      3      1      8]]},

  {"Resample", [[
floor_time gives the beginning of each element's period: a key of groups.]],
  [[
local x = strew.table{at = strew.time{"2024-05-01 09:05", "2024-05-01 09:50", "2024-05-01 11:20"}, load = {2, 4, 5}}
x.hour = x.at:floor_time("hour")
print(x:group_by("hour"):agg{{"readings", "count"}, {"most", "max", "load"}, {"last", "last", "load"}})]],
  [[
table: 2 rows, 4 columns, cpu
             hour  readings   most   last
             time     int64  int64  int64
 2024-05-01T09:00         2      4      4
 2024-05-01T11:00         1      5      5]]},

  {"Pivot table", [[
pivot makes a table of any two columns. Of two codes, row * columns + column is one: a reduction by it, reshaped, is a
matrix with a cell for each pair.]],
  [[
local city, year = strew.tensor{0, 1, 0, 2, 0}, strew.tensor{1, 0, 1, 1, 0}
local sales = strew.tensor{5.0, 3, 2, 8, 1}
local cities, years = 3, 2
local cell = city * years + year
print(strew.scatter_sum(sales, cell, {dim_size = cities * years}):reshape(cities, years))
print(strew.pivot({city = city, year = year, sales = sales}, "city", "year", "sales", "sum"))]],
  [[
float32[3, 2] cpu
 1  7
 3  0
 0  8
table: 3 rows, 3 columns, cpu
  city        0        1
 int64  float32  float32
     0        1        7
     1        3      nan
     2      nan        8]]},

  {"Reduction of your own", [[
`strew.reduction` combines elements one by one (custom aggregation). Any function of a group's elements: `g:order()` has
the positions of all groups, one after the other, `g:starts()` where each begins.]],
  [[
local shop = strew.tensor{1, 0, 1, 0, 1}
local price = strew.tensor{3.0, 8, 9, 6, 4}
local g = strew.group_by(shop)
local sorted, starts, range = price[g:order()], g:starts(), {}
for k = 0, g.n - 1 do
  local group = sorted:narrow(0, starts[k], starts[k + 1] - starts[k])
  range[k + 1] = (group:max() - group:min()):item()
end
print(strew.tensor(range))]],
  [[
float32[2] cpu
 2  6]]},

  {"Message passing", [[
A layer of a graph network: the mean of the neighbours' rows, and graph attention, their sum with weights that are a
softmax of scores within each node. `scripts/demos/gcn.lua` trains one, `scripts/demos/attention.lua` the other, over a
batch of graphs with Adam.]],
  [[
local from, to = strew.tensor{0, 1, 2, 2}, strew.tensor{1, 2, 0, 1}
local x = strew.tensor{{1.0, 0}, {0, 1}, {1, 1}}
local messages = x:index_select(0, from)
print(strew.scatter_mean(messages, to, {dim = 0}))
local scores = (messages * x:index_select(0, to)):sum(1)
local weights = strew.scatter_softmax(scores, to)
print(strew.scatter_sum(messages * weights:unsqueeze(1), to, {dim = 0}))]],
  [[
float32[3, 2] cpu
 1.0000  1.0000
 1.0000  0.5000
 0.0000  1.0000
float32[3, 2] cpu
 1.0000  1.0000
 1.0000  0.7311
 0.0000  1.0000]]},

  {"Training", [[
Parameters are a table, and gradients are of its form; Adam steps along those of each batch. The optimizer's state goes
to a file, from which training goes on. `scripts/demos/attention.lua` plots the loss, too.]],
  [[
strew.manual_seed(1)
local x = strew.linspace(-1, 1, 64)
local y = x * 3 - 1
local p = {slope = strew.zeros(1), offset = strew.zeros(1)}
local o, file = strew.optim.adam(p, {rate = 0.1}), os.tmpname()
for epoch = 1, 30 do
  for _, rows in ipairs(strew.randperm(64):split(16)) do
    local u, v = x[rows], y[rows]
    local loss, grads = strew.value_and_grad(function(q) return strew.mse_loss(u * q.slope + q.offset, v) end)(p)
    o:step(grads)
    strew.progress(("training, loss %.4f"):format(loss:item()), epoch / 30)
  end
end
strew.progress()
strew.save(file, o:state(), {format = "safetensors"})
o = strew.optim.adam(p, {rate = 0.01, state = strew.load(file, {format = "safetensors"})})
os.remove(file)
print(("%.2f x + %.2f"):format(p.slope:item(), p.offset:item()))]],
  [[
3.00 x + -1.00]]},

  {"Shares", [[
The sum of its group for each element, as `sums[group]`, divides the element: the shares of a group add up to 1. Running
sums, from the largest element, give cumulative shares; a count of words has its own.]],
  [[
local x = strew.table{team = {0, 1, 0, 1, 1}, points = strew.tensor{3.0, 2, 1, 4, 2}}
x = x:sort_by("points", true)
local g = x:group_by("team")
x.share = x.points / g:sum(x.points)[g.ids]
x.cumulative = g:cumsum(x.share)
print(x:rows(x.team:eq(1)))
print(strew.value_counts(strew.tensor{7, 9, 7, 7}, {shares = true}).share:to("float32"))]],
  [[
table: 3 rows, 4 columns, cpu
  points   team  cumulative    share
 float32  int64     float32  float32
       4      1        0.50     0.50
       2      1        0.75     0.25
       2      1        1.00     0.25
float32[2] cpu
 0.7500  0.2500]]},

  {"Rolling mean", [[
A window ends at each row; within groups it is of the group's last rows. Ranges may be any, as the last 10 seconds.]],
  [[
local x = {day = strew.tensor{1, 1, 2, 2, 3, 3}, city = strew.tensor{0, 1, 0, 1, 0, 1},
  rain = strew.tensor{1.0, 2, 6, 4, 8, 3}}
print(strew.rolling(x.rain, 3, "mean"))
print(strew.rolling(x.rain, 2, "mean", {by = x.city, min_count = 1}))
local time = strew.tensor{0, 4, 9, 11, 30, 31}
local starts = time:searchsorted(time - 10)
print(strew.ranges(x.rain, starts, strew.arange(1, #time + 1), "max"))]],
  [[
float32[6] cpu
 nan  nan    3    4    6    5
float32[6] cpu
 1.0000  2.0000  3.5000  3.0000  7.0000  3.5000
float32[6] cpu
 1  2  6  6  8  8]]},

  {"Nearest neighbours on a grid", [[
Each point is compared with those of the 9 cells around it. Cells of size 1 are numbered in rows of 8, the last of a row
stays empty; 3 cells side by side hold one run of the sorted points. A point alone has an infinite distance.]],
  [[
local p = strew.tensor{{0.5, 0.5}, {0.5, 1.25}, {2.5, 2.5}, {3.5, 2.5}, {1.5, 5.5}}
local cell = (p:floor():to("int64") * strew.tensor{8, 1}):sum(1)
local order = cell:argsort()
local middle = (cell:unsqueeze(1) + strew.tensor{-8, 0, 8}):flatten()
local first = strew.searchsorted(cell[order], middle - 1)
local size = strew.searchsorted(cell[order], middle + 1, {right = true}) - first
local run = strew.arange(#middle):repeat_interleave(size)      -- of each pair
local at = strew.arange(#run) + (first + size - size:cumsum(0))[run]
local i, j = run // 3, order[at]
local distance = (p[i] - p[j]):norm(2, 1):masked_fill(i:eq(j), math.huge)
local nearest, pair = strew.scatter_min(distance, i)
print(nearest)
print(j[pair])]],
  [[
float32[5] cpu
 0.7500  0.7500  1.0000  1.0000     inf
int64[5] cpu
 1  0  3  2  4]]},

  {"z-scores by group", [[
An expression takes a grouping as an index: m[g] is the mean of each element's group.]],
  [[
local v, g = strew.tensor{1.0, 3, 10, 20, 30}, strew.grouping(strew.tensor{0, 0, 1, 1, 1})
local f = strew.expr("(v - m[g]) / s[g]")
print(f{v = v, g = g, m = g:mean(v), s = g:std(v)})]],
  [[
float32[5] cpu
 -0.7071   0.7071  -1.0000   0.0000   1.0000]]},

  {"Exponential moving average", [[
A scan gives all partial results of a reduction of one's own.]],
  [[
local average = strew.reduction{init = 0, combine = "where(i == 0, x, acc * 0.5 + x * 0.5)"}
print(strew.tensor{4.0, 2, 6, 8}:scan(average, 0))]],
  [[
float32[4] cpu
 4.0000  3.0000  4.5000  6.2500]]},

  {"Distance to a point", [[
One text is one pass over its inputs; numbers are inputs, too.]],
  [[
local f = strew.expr("sqrt((x - cx) ^ 2 + (y - cy) ^ 2)")
print(f{x = strew.tensor{3.0, 6, 0}, y = strew.tensor{4.0, 8, 1}, cx = 0, cy = 0})]],
  [[
float32[3] cpu
  5  10   1]]},
}
