-- Tables of many columns: the steps of each call grow as the columns do, not by their square. Steps are instructions of
-- Lua, of the calls' own Lua code; time is not measured.
-- devices: no, steps of Lua are the same there.
local strew = require "strew"

local function wide(n, first)
  local given = {}
  for i = 1, n do given[i] = {"c" .. i, {first, i % 7 + 1.5}} end
  return strew.table(given)
end

-- f is called with a table of n columns, their names, and n. `prepare` makes another argument from these.
local function by_name(n, make)
  local what = {}
  for i = 2, n do what[(make(i))] = select(2, make(i)) end
  return what
end
local calls = {
  {"table", function(_, _, n) return wide(n, 1) end},
  {"concat", function(x) return strew.concat{x, x, x} end},
  {"concat with fill", function(x, y) return strew.concat({x, y}, {fill = true}) end,
    function(_, _, n) return strew.table(by_name(n, function(i) return "d" .. i, {1, 2} end)) end},
  {"rows by text", function(x) return x:rows "c1 > 2" end}, {"rows by mask", function(x) return x[x.c1:gt(2)] end},
  {"head", function(x) return x:head(1) end}, {"tail", function(x) return x:tail(1) end},
  {"sort_by one", function(x) return x:sort_by "c2" end}, {"sort_by text", function(x) return x:sort_by "c1 * 2" end},
  {"sort_by all", function(x, names) return x:sort_by(names) end},
  {"assign one", function(x) return x:assign{k = "c1 + c2"} end},
  {"assign a number", function(x) return x:assign{k = 1} end},
  {"assign texts", function(x, what) return x:assign(what) end,
    function(_, _, n) return by_name(n, function(i) return "s" .. i, ("c%d + c%d"):format(i, i - 1) end) end},
  {"assign a chain", function(x, what) return x:assign(what) end,
    function(_, _, n)
      return by_name(n, function(i) return "s" .. i, i == 2 and "c1" or ("s%d + 1"):format(i - 1) end)
    end},
  {"assign tensors", function(x, what) return x:assign(what) end,
    function(x, _, n) return by_name(n, function(i) return "s" .. i, x.c1 end) end},
  {"assign over all", function(x, what) return x:assign(what) end,
    function(_, _, n) return by_name(n, function(i) return "c" .. i, ("c%d * 2"):format(i) end) end},
  {"a misspelt column", function(x) pcall(x.assign, x, {k = "d + 1"}) end},
  {"a column that is missing", function(x) pcall(function() return x.cc1 end) end},
  {"x.new = tensor", function(x) x.new = x.c1 end}, {"x.new = number", function(x) x.new = 3 end},
  {"x.new = tensor, n times", function(x, _, n) for i = 1, n do x["n" .. i] = x.c1 end end},
  {"x.new = number, n times", function(x, _, n) for i = 1, n do x["n" .. i] = i end end},
  {"x.new = word, n times, of one column", function(_, x, n) for i = 1, n do x["n" .. i] = "a" end end,
    function() return wide(1, 1) end},
  {"x.new, n times, without the first columns", function(x, _, n)
    for i = 1, n // 2 do x["c" .. i] = nil end
    for i = 1, n do x["n" .. i] = i end
  end},
  {"x.new, n times, without columns of its own", function(_, x, n)
    x.n0, x.c1 = x.c1, nil
    for i = 1, n do x["n" .. i] = 0.5 end
  end, function() return wide(1, 1) end},
  {"x.new, n times, beside one that is to be filled", function(x, _, n)
    x.c1 = 7
    for i = 1, n do x["n" .. i] = i end
    assert(x.c1:sum():item() == 14)
    for i = n + 1, 2 * n do
      x.c2, x["n" .. i] = i, i
    end
    assert(#x == 2 and x.c2:sum():item() == 4 * n)
  end},
  {"x[n] = tensor, n times", function(_, x, n) for i = 2, n do x[i] = x[1] end end,
    function() return strew.columns({strew.tensor{1, 2}}, {1}) end},
  {"#x", function(x) return #x end}, {"names", function(x) return strew.columns(x) end},
  {"columns, one", function(x) return x:columns "c2" end},
  {"columns, all", function(x, names) return x:columns(names) end},
  {"describe", function(x) return x:describe() end}, {"drop_duplicates", function(x) return x:drop_duplicates() end},
  {"melt", function(x) return x:melt "c1" end},
  {"pivot", function(x) return x:pivot("c1", "c2", "c3", "sum") end},
  {"join", function(x, y) return x:join(y, "c1") end, function(_, _, n) return wide(n, 1) end},
  {"outer join", function(x, y) return x:join(y, "c1", {how = "outer"}) end, function(_, _, n) return wide(n, 2) end},
  {"semi join", function(x) return x:join(x, "c1", {how = "semi"}) end},
  {"asof", function(x, y) return x:asof(y, "c1") end, function(_, _, n) return wide(n, 0) end},
  {"group_by", function(x) return x:group_by "c1" end}, {"group_by text", function(x) return x:group_by "c1 * 2" end},
  {"agg, one", function(x) return x:group_by("c1"):agg{s = {"sum", "c2"}} end},
  {"agg, one text", function(x) return x:group_by("c1"):agg{s = {"sum", "c2 * 2"}} end},
  {"agg, all", function(x, what) return x:group_by("c1"):agg(what) end,
    function(_, _, n) return by_name(n, function(i) return "s" .. i, {"sum", "c" .. i} end) end},
  {"agg, all in order", function(x, what) return x:group_by("c1"):agg(what) end, function(_, _, n)
    return by_name(n, function(i) return i - 1, {"s" .. i, "sum", "c" .. i} end) end},
  {"value_counts", function(x) return x:value_counts "c1" end}, {"print", function(x) return tostring(x) end},
  {"words", function(x) return x.words end}, {"to_arrow", function(x) return strew.to_arrow(x) end},
  {"expression", function(x) return strew.expr "c1 + c2"(x) end},
}

-- Returns the steps of a call on a table of n columns, each step 100 instructions.
local function steps_of(f, prepare, n)
  local x, names, count = wide(n, 1), {}, 0
  for i = 1, n do names[i] = "c" .. n + 1 - i end
  local second = prepare and prepare(x, names, n) or names
  debug.sethook(function() count = count + 1 end, "", 100)
  local ok, message = pcall(f, x, second, n)
  debug.sethook()
  assert(ok, message)
  return count
end

describe("steps grow as the columns:", function()
  for _, row in ipairs(calls) do
    it(row[1], function()
      local few, many = steps_of(row[2], row[3], 400), steps_of(row[2], row[3], 800)
      assert.is_true(many < 2.5 * few + 20, ("%d steps for 400 columns, %d for 800"):format(few, many))
    end)
  end
end)

-- Columns that are reduced at once, or by groups of groups, have the results of each alone.
describe("many columns", function()
  local nan, n, rows = 0 / 0, 150, 1200 -- more rows than the parts of describe have of one
  local given = {}
  for i = 1, n do
    local v = strew.arange(rows):mul(i * 37 % 101):remainder(97):to "float32" / 7
    if i % 5 == 0 then v = v:masked_fill(strew.arange(rows):remainder(6):lt(i % 7), nan) end
    if i % 7 == 0 then v = v:to "float16" elseif i % 11 == 0 then v = strew.arange(rows) * i end
    if i % 13 == 0 then v = strew.time((v:to "float64" * 10 ^ (i // 10)):nan_to_num(0):to "int64") end
    if i % 26 == 0 then v = v:masked_fill(strew.arange(rows):remainder(5):lt(i % 4), "NaT") end
    given[i] = {"c" .. i, i == 31 and v:gt(3) or i == 32 and v * nan or i == 33 and v:to "text" or v}
  end
  local x = strew.table(given)

  it("are described", function()
    local d = x:describe()
    for i = 1, n do
      local alone = x:columns{"c" .. i}:describe()
      for _, name in ipairs(strew.columns(d)) do
        local a, b = d[name][i - 1], (d[name].dtype == "text" and strew.text(alone[name]) or alone[name])[0]
        assert(a == b or a ~= a and b ~= b, ("%s of column %d: %s, alone %s"):format(name, i, a, b))
      end
    end
  end)

  it("are aggregated", function()
    local g, what = x:group_by "c31", {}
    for i = 1, n do what[i] = {"a" .. i, i % 3 == 0 and "count" or i % 2 == 0 and "mean" or "std", "c" .. i} end
    what[31], what[33] = {"a31", "any", "c31"}, {"a33", "max", "c33"}
    local all = g:agg(what)
    for i = 1, n do
      local alone = g:agg{what[i]}["a" .. i]
      assert(strew.equal(alone, all["a" .. i]) or alone:isnan():all():item(), "column " .. i)
    end
    x.big = strew.full(rows, math.maxinteger)
    what[n + 1] = {"big", "sum", "big"}
    local ok, message = pcall(function() return x:group_by("c31"):agg(what) end)
    x.big = nil
    assert.is_false(ok)
    assert.matches("'big'", message, 1, true)
  end)

  it("are compared", function()
    local few = x:rows(strew.arange(rows) % 400)
    few.c149[900], few.c64[901], few.c2[902] = -1, -1, -1
    assert.equal(403, #few:drop_duplicates())
    assert.same({{900}, {901}, {902}}, few:duplicated():logical_not():nonzero():narrow(0, 400, 3):tolist())
  end)
  it("of text and times are compared, and are keys", function()
    local words, times = strew.text{"b", "a", "b", "c"},
      strew.time{"2024-02-01", "2024-01-01", "2024-02-01", "2025-01-01"}
    for _, keys in ipairs{words, times} do
      local columns, list = {}, {}
      for i = 1, 70 do columns["c" .. i], list[i] = keys, keys end
      assert.same({0, 1, 3}, strew.table(columns):duplicated():logical_not():nonzero():view(-1):tolist())
      assert.same({1, 0, 1, 2}, strew.group_by{table.unpack(list, 1, 64)}.ids:tolist())
    end
  end)
end)
