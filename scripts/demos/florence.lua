-- Graph attention over the marriages of Florence's leading families, about 1430: whom does each of them look to?
-- J. F. Padgett, C. K. Ansell, Robust action and the rise of the Medici, Am. J. Sociol. 98 (1993).
local strew = require "strew"
local common = dofile((arg and arg[0] or ""):gsub("[^/]*$", "common.lua"))

local names = {"Acciaiuoli", "Albizzi", "Barbadori", "Bischeri", "Castellani", "Ginori", "Guadagni", "Lamberteschi",
  "Medici", "Pazzi", "Peruzzi", "Pucci", "Ridolfi", "Salviati", "Strozzi", "Tornabuoni"}
local riches = {10, 36, 55, 44, 20, 32, 8, 42, 103, 48, 49, 3, 27, 10, 146, 48} -- in thousands of lire
local marriages = strew.tensor({ -- families counted from 1, as in the table
  {1, 9}, {2, 6}, {2, 7}, {2, 9}, {3, 5}, {3, 9}, {4, 7}, {4, 11}, {4, 15}, {5, 11}, {5, 15}, {7, 8}, {7, 16},
  {9, 13}, {9, 14}, {9, 16}, {10, 14}, {11, 15}, {13, 15}, {13, 16},
}, {device = "cpu"}) - 1
local n, limits = #names, {20, 40, 80} -- of wealth: four classes

-- Each marriage is an edge in both directions, sorted by the family that looks.
local one, other = marriages:select(1, 0), marriages:select(1, 1)
local who, order = strew.cat{one, other}:sort()
local whom = strew.cat{other, one}:take(order)

local function compute(device)
  local to, from = who:to(device), whom:to(device)
  local wealth = strew.tensor(riches, {device = device, dtype = "float32"})
  local seen = wealth:index_select(0, from) -- the wealth at the other end of each edge

  -- Attention: a softmax over the edges of each family. What it sees is the mean by these weights.
  local weight = strew.scatter_softmax(seen / 40, to, {dim_size = n})
  local view = strew.scatter_sum(weight * seen, to, {dim_size = n})
  local _, first = strew.scatter_max(weight, to, {dim_size = n})
  local picture = strew.scatter_nd(strew.stack({to, from}, 1), weight, {n, n})

  -- The edges are sorted: segments, which start where a binary search finds them.
  local starts = strew.searchsorted(to, strew.arange(n + 1, {device = device}))
  local mean = strew.segment_csr(seen, starts, {reduce = "mean"})
  local median = strew.scatter_quantile(seen, to, 0.5, {dim_size = n, fill = 0})

  -- Marriages between classes of wealth: each edge adds 1 where its two classes meet.
  local class = strew.bucketize(wealth, strew.tensor(limits, {device = device, dtype = "float32"}), {right = true})
  local classes = strew.zeros({#limits + 1, #limits + 1}, {dtype = "int64", device = device})
  classes:index_put_({class:take(to), class:take(from)}, 1, {accumulate = true})
  return {strew.scatter_count(to, {dim_size = n}), weight, view, first, picture, mean, median, classes}
end
local count, weight, view, first, picture, mean, median, classes = table.unpack(common.on_devices(compute))

print(("%-14s %6s %6s %6s %6s %6s   %s"):format("", "wealth", "allies", "mean", "median", "seen", "looks to"))
for i, name in ipairs(names) do
  local edge = first[i - 1]
  local ally = edge < #whom and ("%s, %.0f %%"):format(names[whom[edge] + 1], weight[edge] * 100) or "nobody"
  print(("%-14s %6d %6d %6.1f %6.1f %6.1f   %s"):format(name, riches[i], count[i - 1], mean[i - 1], median[i - 1],
    view[i - 1], ally))
end
strew.show(picture)

-- The same in plain Lua.
local same = 0
for i = 1, n do
  local list, sum, total = {}, 0, 0
  for e = 0, #who - 1 do
    if who[e] == i - 1 then table.insert(list, riches[whom[e] + 1]) end
  end
  for _, x in ipairs(list) do
    sum, total = sum + math.exp(x / 40), total + x
  end
  local seen = 0
  for _, x in ipairs(list) do seen = seen + x * math.exp(x / 40) / sum end
  table.sort(list)
  local middle = #list == 0 and 0 or (list[(#list + 1) // 2] + list[#list // 2 + 1]) / 2
  local is_near = math.abs(view[i - 1] - seen) < 1e-3 and math.abs(mean[i - 1] - total / math.max(#list, 1)) < 1e-3
  if count[i - 1] == #list and median[i - 1] == middle and is_near then same = same + 1 end
end
common.check("families as plain Lua finds them", same, n)
common.check("most allies", names[count:argmax():item() + 1], "Medici")
common.check("... their number", count:max():item(), 6)
local chosen = whom:take(first:masked_select(first:lt(#whom)))
common.check("families that look to the Strozzi", chosen:eq(14):sum():item(), 4)
common.check("marriages, counted from both ends", classes:sum():item(), 40)
common.check("... within a class of wealth, once", classes:diagonal():sum():item() // 2, 2)
common.finish()
