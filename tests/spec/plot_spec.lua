-- strew.plot: the text of each kind, axes, series, what is left out; SVG as XML; errors; that nothing is lost where
-- many values share a column of pixels.
local strew = require "strew"
local support = require "tests.spec.support"

local F = {dtype = "float64", device = "cpu"}

-- What a function prints.
local function printed(f, ...)
  local texts, print = {}, _G.print
  _G.print = function(text, ...) -- luacheck: ignore
    assert.equal(0, select("#", ...))
    texts[#texts + 1] = text
  end
  local result = table.pack(pcall(f, ...))
  _G.print = print -- luacheck: ignore
  assert.is_true(result[1], result[2])
  assert.equal(1, result.n) -- no results
  return table.concat(texts, "\n--\n")
end

-- The same of code, in which @a and @b stand for the size and style of a page.
local SIZE = "width = 34, height = 9, style = "
local function plotted(code, environment)
  code = code:gsub("@a", SIZE .. "'ascii'"):gsub("@b", SIZE .. "'blocks'")
  local env = setmetatable(environment or {}, {__index = _G})
  env.strew, env.F = strew, F
  return printed(assert(load(code, "=" .. code, "t", env)))
end

local function rain()
  return strew.table{{"city", {"Oslo", "Rome", "Paris"}}, {"rain", {3.5, 1, 2}}, {"wind", {1, 5, -2.5}}}
end

-- Each row: code, and the text.
local rows = {
  {"strew.plot(strew.tensor{1, 4, 9, 16, 25}, {@b})", [[
40┤
  │
  │                             ⣀⡠
20┤                        ⣀⡠⠔⠊⠉
  │                 ⢀⣀⡠⠤⠒⠊⠉
  │         ⢀⣀⣀⠤⠤⠔⠒⠉⠁
 0┤⠤⠤⠤⠔⠒⠒⠒⠉⠉⠁
  └┬──────────────┬──────────────┬
   0              2              4]]},
  {"strew.plot(strew.tensor{1, 4, 0/0, 16, 25, 0/0, 3}, {@a})", [[
40+
  |
  |                    *
20+                ****
  |               *
  |    **
 0+****                          *
  ++---------+---------+---------+
   0         2         4         6]]},
  {"strew.plot{y = {{1, 2, 3}, {3, 2, 1}}, labels = {'up', 'down'}, title = 'Two', xlabel = 'x', ylabel = 'y', @b}", [[
               Two
* up  + down
y
3┤++++++++                ********
2┤        +++++++++++++++*
1┤*********              +++++++++
 └┬───────────────┬──────────────┬
  0               1              2
                x]]},
  {"strew.plot{x = {1, 2, 3, 4}, y = {1, 3, 2, 4}, kind = 'points', @b}", [[
4┤                               ⠁
 │          ⢀
 │
2┤                     ⠄
 │
 │⠈
0┤
 └─┬─────────┬────────┬─────────┬─
   1         2        3         4]]},
  {"strew.plot{y = {1, -2, 2}, kind = 'area', @b}", [[
 2┤                            ⢀⣠⣾
  │⣀                         ⢀⣴⣿⣿⣿
  │⣿⣷⣦⣀                    ⣠⣴⣿⣿⣿⣿⣿
 0┤⠿⠿⠿⠿⠷⠦⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⡤⠾⠿⠿⠿⠿⠿⠿⠿
  │       ⠙⠻⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⡿⠋
  │          ⠙⠻⣿⣿⣿⣿⣿⣿⠟⠁
-2┤             ⠙⠻⣿⠟⠁
  └┬──────────────┬──────────────┬
   0              1              2]]},
  {"strew.plot{{1, 2, 2, 3, 3, 3}, kind = 'histogram', bins = 3, @b}", [[
count
4┤
 │                     ⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤
 │                     ⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿
2┤          ⢸⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿
 │⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣾⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿
0┤⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿
 └┬───────────────┬──────────────┬
  1               2              3]]},
  {"strew.plot{{1, 2, 2, 3}, {1, 1, 3, 3}, kind = 'histogram', bins = 2, @a}", [[
* 1  + 2
count
4+
 |                ****************
2+++++++++++++++++++++++++++++++++
 |+****************              +
0++                              +
 ++---------------+--------------+
  1               2              3]]},
  {"x:plot{x = 'city', y = 'rain', width = 30, style = 'blocks'}", [[
      rain
 Oslo │███████████████████ 3.5
 Rome │█████▌ 1
Paris │██████████▉ 2
city]]},
  {"x:plot{x = 'city', y = {'rain', 'wind'}, width = 30, style = 'blocks'}", [[
█ rain  ▒ wind
 Oslo       │████████▌ 3.5
            │▒▒ 1
 Rome       │██▌ 1
            │▒▒▒▒▒▒▒▒▒▒▒▒ 5
Paris       │████▉ 2
      ▒▒▒▒▒▒│ -2.5
city]]},
  {"x:plot{x = 'city', y = 'wind', width = 30, style = 'ascii', title = 'Wind'}", [[
             Wind
      wind
 Oslo       |## 1
 Rome       |############ 5
Paris ######| -2.5
city]]},
  {"x:plot{x = 'city', kind = 'line', @a}", [[
* rain  + wind
 5+            +++++
  |     *++++++**   +++******
 0+     +        ****  ++++
  |                        ++
-5+
  +-----+---------+---------+-----
      Oslo      Rome      Paris
               city]]},
  {"strew.plot{y = strew.tensor{'low', 'high', '', 'low'}, @a}", [[
    |
    |
high+       ***
    |    ***
    | ***
 low+*                           *
    |
    ++--------+---------+--------+
     0        1         2        3]]},
  {"strew.plot{y = strew.text(strew.tensor{'high', 'low', 'mid'}, {words = {'low', 'mid', 'high'}, ordered = true}), "
    .. "@a}", [[
    |
high+**
    |  ****
    |      ***                ****
    |         ****     *******
 low+             *****
    |
    ++-------------+-------------+
     0             1             2]]},
  {"strew.plot{x = strew.time{'2024-05-01', '2024-05-03', '', '2024-05-04'}, y = {1, 2, 3, 4}, @a}", [[
4+                               *
 |
 |
2+               *******
 | **************
 |*
0+
 ++--------------------+----------
2024-05-01        2024-05-03]]},
  {"strew.plot{x = strew.time{'2024-05-01 10:00', '2024-05-01 12:30'}, y = {1, 2}, @a}", [[
2+                             ***
 |                        *****
 |                   *****
 |             ******
 |        *****
 |   *****
1+***
 ++-----------+------------+------
10:00       11:00        12:00
            2024-05-01]]},
  {"strew.plot{x = strew.time{'2024-05-01 22:00', '2024-05-02 04:00'}, y = {1, 2}, @a}", [[
2+                             ***
 |                        *****
 |                   *****
 |             ******
 |        *****
 |   *****
1+***
 +----------+---------------+-----
       05-02 00:00     05-02 03:00
               2024]]},
  {"strew.plot{x = strew.time{'2021-02-01', '2024-05-02'}, y = {1, 2}, @a}", [[
2+                             ***
 |                        *****
 |                   *****
 |             ******
 |        *****
 |   *****
1+***
 +---------+--------+---------+---
         2022     2023      2024]]},
  {"strew.plot{x = strew.time{'1800-02-01', '2024-05-02'}, y = {1, 2}, @a}", [[
2+                             ***
 |                        *****
 |                   *****
 |             ******
 |        *****
 |   *****
1+***
 +--------------+-------------+---
              1900          2000]]},
  {"strew.plot{x = strew.time({7, 9}, 'us'), y = {1, 2}, @a}", [[
2+                             ***
 |                        *****
 |                   *****
 |             ******
 |        *****
 |   *****
1+***
 +----------------+---------------
           00:00:00.000008
            1970-01-01]]},
  {"strew.plot{y = {1, 10, 0, 1000, -1}, log = true, @a}", [[
   |                      *
   |
100+
   |       *
   |   ****
  1+***
   ++--------------+-------------+
    0              2             4
(2 values of 0 or less not shown: they have no logarithm)]]},
  {"strew.plot{x = {0.01, 1}, y = {2, 3}, log = 'xy', @a}", [[
3.0+                           ***
   |                      *****
   |                 *****
2.5+             ****
   |        *****
   |   *****
2.0+***
   ++--------------+-------------+
  0.01            0.1            1]]},
  {"strew.plot{y = {1, 1/0, 3, -1/0}, @a}", [[
3+                     *
 |
 |
2+
 |
1+*
 ++---------+----------+---------+
  0         1          2         3
(2 infinite values not shown)]]},
  {"strew.plot{y = strew.arange(8), xlim = {2, 5}, ylim = {nil, 4}, @a}", [[
4+                 ********
 |        *********
 | ********
2+*
 |
0+
 ++---------+----------+---------+
  2         3          4         5
(5 points outside of the axes)]]},
  {"strew.plot{x = strew.time{'2024-05-01', '2024-05-03'}, y = {1, 2}, xlim = {'2024-05-02', '2024-05-04'}, @a}", [[
2+             ****
 |       ******
 | ******
 |*
 |
1+
 +----------------+---------------
             2024-05-03
(1 point outside of the axes)]]},
  {"strew.plot(strew.zeros(0), {@a})", [[
1.0+
   |
   |
0.5+
   |
  0+
   ++----------------------------+
    0                            1
(no values)]]},
  {"strew.plot(strew.tensor(5), {@a})", [[
6+
 |
 |
5+                *
 |
 |
4+
 +----------------+---------------
                  0]]},
  {"strew.plot(strew.full({3}, 7), {@a})", [[
8+
 |
 |
7+********************************
 |
 |
6+
 ++---------------+--------------+
  0               1              2]]},
  {"strew.plot(strew.full({3}, 0/0), {@a})", [[
1.0+
   |
   |
0.5+
   |
  0+
   ++--------------+-------------+
    0              1             2
(no values)]]},
  {"strew.plot{y = {0/0, 1/0}, x = {'a', 'b'}, width = 20, style = 'ascii'}", [[
a | nan
b | nan
(no values)
(1 infinite value not shown)]]},
  {"strew.plot{strew.zeros(0), kind = 'bars', width = 30}", [[
(no values)]]},
  {"strew.plot{strew.zeros(0), kind = 'histogram', @a}", [[
count
1+
 |
 |
 |
0+
 ++---------------+--------------+
  0              0.5           1.0
(no values)]]},
  {"strew.plot(strew.tensor{1 << 60, (1 << 60) + 1, (1 << 60) + 4}, {width = 44, height = 9, style = 'ascii'})", [[
1152921504606846980+                      **
                   |                    **
                   |                 ***
1152921504606846978+              ***
                   |            **
                   |     ********
1152921504606846976+*****
                   ++-----------+----------+
                    0           1          2]]},
  {"strew.plot(strew.tensor{math.mininteger, math.maxinteger}, {@a})", [[
 1e19+                          **
     |                     *****
     |                *****
    0+            ****
     |       *****
     |  *****
-1e19+**
     ++--------------------------+
      0                          1]]},
  {"strew.plot(strew.tensor{1, 2, 3}:to('uint64') * 6000000000000000000, {@a})", [[
2e19+
    |                      *******
    |              ********
1e19+      ********
    |******
    |
   0+
    ++-------------+-------------+
     0             1             2]]},
  {"strew.plot(strew.tensor{true, false, true}, {@a})", [[
1+**                            **
 |  **                        **
 |    ***                  ***
 |       ***            ***
 |          **        **
 |            ***  ***
0+               **
 ++---------------+--------------+
  0               1              2]]},
  {"strew.plot(strew.tensor({-1.7e308, 1.7e308}, F), {@a})", [[
      |                        ***
 1e308+                    ****
      |                ****
     0+           *****
      |       ****
-1e308+   ****
      |***
      ++-------------------------+
       0                         1]]},
  {"strew.plot(strew.tensor({1e-30, 3e-30}, F), {@a})", [[
3e-30+                         ***
     |                     ****
     |                *****
2e-30+            ****
     |       *****
     |   ****
1e-30+***
     ++--------------------------+
      0                          1]]},
  {"strew.plot(strew.tensor({1e9, 1e9 + 1e-3}, F), {@a})", [[
1000000000.001+                 **
              |              ***
              |           ***
              |        ***
              |     ***
              |  ***
1000000000.000+**
              ++-----------------+
               0                 1]]},
  {"strew.plot{y = {{1, 2}, {2, 1}}, width = 30, height = 6, style = '256'}",
    "\27[38;5;33m■\27[0m 1  \27[38;5;208m■\27[0m 2\n" ..
    "2┤\27[38;5;208m⠉⠑⠒⠒⠤⠤⢄⣀⣀\27[0m          \27[38;5;33m⣀⣀⡠⠤⠤⠒⠒⠊⠉\27[0m\n" ..
    " │         \27[38;5;208m⣉⣉⡱⠶⠶⠶⠶⢎⣉⣉\27[0m\n" ..
    "1┤\27[38;5;33m⣀⡠⠤⠤⠒⠒⠊⠉⠉\27[0m          \27[38;5;208m⠉⠉⠑⠒⠒⠤⠤⢄⣀\27[0m\n" ..
    " └┬──────────────────────────┬\n" ..
    "  0                          1"},
  {"x:plot{x = 'city', y = {'rain', 'wind'}, width = 24, style = '256'}",
    "\27[38;5;33m■\27[0m rain  \27[38;5;208m■\27[0m wind\n" ..
    " Oslo     │\27[38;5;33m█████▋\27[0m 3.5\n" ..
    "          │\27[38;5;208m█▋\27[0m 1\n" ..
    " Rome     │\27[38;5;33m█▋\27[0m 1\n" ..
    "          │\27[38;5;208m████████\27[0m 5\n" ..
    "Paris     │\27[38;5;33m███▎\27[0m 2\n" ..
    "      \27[38;5;208m████\27[0m│ -2.5\n" ..
    "city"},
  {"strew.plot{strew.arange(30), kind = 'bars', width = 20, height = 12, style = 'ascii'}", [[
0 | 0
1 |# 1
2 |# 2
3 |# 3
4 |## 4
5 |## 5
6 |### 6
7 |### 7
8 |#### 8
9 |#### 9
(20 more bars)]]},
  {"strew.plot{x = strew.tensor{'a', ''}, y = {2, -1}, width = 30, style = 'ascii'}", [[
      a       |############ 2
(empty) ######| -1]]},
  {"strew.plot{x = strew.time{'2024-01-01', 'NaT'}, y = {2, 1}, kind = 'bars', width = 30, style = 'ascii'}", [[
2024-01-01 |################ 2
       NaT |######## 1]]},
  {"strew.plot(strew.table{{'東京', {1, 2}}, {'b', {2, 1}}}, {y = '東京', @b})", [[
東京
2┤                           ⣀⡠⠔⠒⠉
 │                     ⢀⣀⠤⠒⠊⠉
 │                ⣀⡠⠔⠒⠉⠁
 │          ⢀⣀⠤⠔⠊⠉
 │     ⣀⡠⠤⠒⠉⠁
1┤⣀⠤⠔⠊⠉
 └┬──────────────────────────────┬
  0                              1]]},
}

describe("plots as text", function()
  for _, row in ipairs(rows) do
    it("draw " .. row[1], function() assert.equal(row[2], plotted(row[1], {x = rain()})) end)
  end

  it("take the size and the style of the terminal, without one 80 x 24", function()
    local text = plotted "strew.plot(strew.arange(4), {style = 'ascii'})"
    local lines, widest = 0, 0
    for line in (text .. "\n"):gmatch "(.-)\n" do lines, widest = lines + 1, math.max(widest, #line) end
    assert.equal(22, lines) -- without the prompt and the line before it
    assert.equal(80, widest)
  end)

  it("are the same in every form of the call", function()
    for _, forms in ipairs{
      {"strew.plot(strew.tensor{3, 1, 2}, {@a})", "strew.tensor{3, 1, 2}:plot{@a}",
       "strew.plot{strew.tensor{3, 1, 2}, @a}",
       "strew.plot{y = strew.tensor{3, 1, 2}, @a}", "strew.plot{{3, 1, 2}, @a}", "strew.plot{y = {3, 1, 2}, @a}",
       "strew.plot({3, 1, 2}, {@a})", "strew.plot(strew.arange(3), strew.tensor{3, 1, 2}, {@a})",
       "strew.plot{x = {0, 1, 2}, y = {3, 1, 2}, kind = 'line', @a}", "strew.plot(nil, {y = {3, 1, 2}, @a})"},
      {"x:plot{x = 'rain', y = {'rain', 'wind'}, @a}", "strew.plot(x, {x = 'rain', y = {'rain', 'wind'}, @a})",
       "strew.plot({rain = x.rain, wind = x.wind}, {x = 'rain', y = {'rain', 'wind'}, @a})",
       "strew.plot{x = x.rain, y = {x.rain, x.wind}, labels = {'rain', 'wind'}, xlabel = 'rain', @a}",
       "strew.plot{x = x.rain, y = x:columns{'rain', 'wind'}, xlabel = 'rain', @a}"},
      {"x:plot{x = 'city', y = 'rain * 2', @a}", "x:plot{x = 'city', y = {'rain * 2'}, kind = 'bars', @a}",
       "strew.plot{x = x.city, y = x.rain * 2, xlabel = 'city', ylabel = 'rain * 2', @a}",
       "strew.plot{x = {'Oslo', 'Rome', 'Paris'}, y = {7, 2, 4}, xlabel = 'city', ylabel = 'rain * 2', @a}"},
    } do
      local first
      for _, form in ipairs(forms) do
        local text = plotted(form, {x = rain()})
        first = first or text
        assert.equal(first, text, form)
      end
    end
  end)

  it("split rows by a key", function()
    local x = strew.table{{"t", {0, 1, 0, 1, 0}}, {"v", {3.0, 2, 1, 5, 0}}, {"k", {"u", "u", "v", "v", ""}}}
    local both = plotted("x:plot{x = 't', y = 'v', by = 'k', @a}", {x = x})
    assert.matches("^%* %(empty%)  %+ u  o v\n", both)
    assert.equal(both, plotted("strew.plot{x = x.t, y = x.v, by = x.k, xlabel = 't', ylabel = 'v', @a}", {x = x}))
    local parts = plotted("strew.plot{x = {0, 1}, y = {{0, 0}, {3, 2}, {1, 5}}, xlabel = 't', ylabel = 'v', @a}")
    assert.equal(select(2, both:gsub("o", "")), select(2, parts:gsub("o", ""))) -- the third one
  end)

  it("cost no more for text than for what it draws, and keep every value of a column of dots", function()
    local n, width = 6000, 40
    strew.manual_seed(5)
    local y = strew.randn(n, {device = "cpu"}):to("float64")
    local x = strew.rand(n, {device = "cpu"}):to("float64"):sort(0)
    y[17], y[4000], y[31] = 9, -9, 0 / 0
    local page = {width = width, height = 10, style = "blocks", xlim = {0, 1}}
    local function drawn(a, b)
      local options = {x = a, y = b}
      for key, value in pairs(page) do options[key] = value end
      return printed(strew.plot, options)
    end
    local whole = drawn(x, y)
    local dots = 2 * (width - 1 - #whole:match "^ *%-?[%d.]*")
    -- The same in a plain loop: of each column of dots, and on each side of the gap, all that can be seen.
    local kept, xs, ys = {}, x:tolist(), y:tolist()
    for i = 1, n do
      local column = math.floor(xs[i] * dots)
      local part = kept[#kept]
      if not part or part.column ~= column or ys[i] ~= ys[i] or part.is_gap then
        part = {column = column, first = i, low = i, high = i, is_gap = ys[i] ~= ys[i]}
        kept[#kept + 1] = part
      end
      part.last = i
      if ys[i] < ys[part.low] then part.low = i end
      if ys[i] > ys[part.high] then part.high = i end
    end
    local a, b = {}, {}
    for _, part in ipairs(kept) do
      local places = {part.first, part.low, part.high, part.last}
      table.sort(places)
      for _, at in ipairs(places) do a[#a + 1], b[#b + 1] = xs[at], ys[at] end
    end
    assert(#a > 4 * dots - 100)
    local few = {x = strew.tensor(a, F), y = strew.tensor(b, F)}
    local plain = drawn(few.x, few.y)
    assert.equal(plain, whole)
  end)

  it("count as NumPy does", function() -- numpy.histogram([0, 1, 1, 2, 5, 5, 5, 9, 10, 10], 5) and with range (1, 9)
    local function counts(options)
      local text = printed(strew.plot, {{0, 1, 1, 2, 5, 5, 5, 9, 10, 10}, kind = "histogram", bins = options.bins,
        xlim = options.xlim, style = "svg"})
      local list, unit = {}, nil
      for height in text:gmatch "<rect\tclass='f1' [^>]-height='([%d.]+)'" do
        unit = unit or tonumber(height) / options[1]
        list[#list + 1] = math.floor(tonumber(height) / unit + 0.5)
      end
      return list
    end
    assert.same({3, 1, 3, 3}, counts{3, bins = 5}) -- and one bin is empty
    assert.same({2, 1, 3, 1}, counts{2, bins = 8, xlim = {1, 9}})
  end)
end)

----------------------------------------------------------------------------------------------------------------- SVG

-- Checks that a text is one XML element, with quoted attributes, known escapes, and nothing loaded from elsewhere.
local function check_xml(text)
  local open, at, roots = {}, 1, 0
  assert.is_nil(text:find "[%c]" and text:gsub("[\n\t]", ""):find "%c")
  while at <= #text do
    local content, tag, stop = text:match("^([^<]*)<([^>]*)>()", at)
    if not tag then
      assert.equal("", (text:sub(at):gsub("%s", "")))
      break
    end
    assert.is_nil((content:gsub("&%a+;", ""):gsub("&#%d+;", "")):find "[&]", content)
    if tag:sub(1, 1) == "/" then
      assert.equal(table.remove(open), tag:match "^/(%a+)%s*$")
    else
      local name, rest, is_empty = tag:match "^(%a+)(.-)(/?)$"
      assert.is_truthy(name, tag)
      local seen = {}
      local left = rest:gsub("%s+([%a-]+)='([^'<&]*)'", function(key)
        assert.is_nil(seen[key])
        seen[key] = true
        return ""
      end)
      assert.equal("", (left:gsub("%s", "")), tag)
      roots = roots + (#open == 0 and 1 or 0)
      if is_empty == "" then open[#open + 1] = name end
    end
    at = stop
  end
  assert.equal(0, #open)
  assert.equal(1, roots)
  assert.is_nil(text:gsub("xmlns='http://www.w3.org/2000/svg'", ""):find "http")
  assert.is_nil(text:find "<image" or text:find "<script" or text:find "@import" or text:find "<foreignObject")
end

describe("plots as SVG", function()
  local base = os.tmpname()
  local path = base .. ".svg"
  teardown(function() os.remove(base) os.remove(path) end)

  local function written()
    local file <close> = assert(io.open(path))
    return file:read "a"
  end

  it("are XML of every kind, with the words as text, in light and dark", function()
    local odd = 'a <b> & "c" \'d\' é 東京'
    for _, code in ipairs{
      "strew.plot(path, {x = {1, 2, 3}, y = {{1, 0 / 0, 3}, {3, 2, 1}}, labels = {odd, 'b'}, title = odd})",
      "strew.plot(path, {x = {1, 2, 3}, y = {1, 2, 3}, kind = 'points', xlabel = odd, ylabel = 'b'})",
      "strew.plot(path, {x = {odd, 'b', 'c'}, y = {{1, 2, -3}, {2, 1, 0 / 0}}, kind = 'bars'})",
      "strew.plot(path, {{1, 2, 2, 5}, kind = 'histogram', title = odd})",
      "strew.plot(path, {{1, -2, 2, 5}, kind = 'area', title = odd})",
      "x:plot(path, {x = 'city', y = 'rain', title = odd})", "strew.plot(path, x, {x = 'city', title = odd})",
      "strew.plot{path = path, y = strew.zeros(0), title = odd}",
    } do
      assert.equal("", plotted(code, {path = path, odd = odd, x = rain()}))
      local text = written()
      check_xml(text)
      assert.matches("&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39; é 東京</text>", text, 1, true)
      assert.matches("@media(prefers-color-scheme:dark){", text, 1, true)
      assert.matches("^<svg\txmlns='http://www.w3.org/2000/svg' viewBox='0 0 720 432'", text)
    end
  end)

  it("have a legend in as many lines as it takes, the first series first", function()
    local y = {labels = {}, title = "t", width = 40, height = 12, style = "ascii"}
    for k = 1, 4 do y[k], y.labels[k] = strew.arange(3) + k, "series " .. k end
    local lines = {}
    for line in printed(strew.plot, y):gmatch "[^\n]+" do lines[#lines + 1] = line end
    assert.equal(12, #lines)
    assert.same({"* series 1  + series 2  o series 3", "x series 4"}, {lines[2], lines[3]})
    y.style, y.width, y.height = "svg", 300, 200
    local last = {0, 0}
    for x, at, k in printed(strew.plot, y):gmatch "<text\tx='([%d.]+)' y='([%d.]+)' class=''>series (%d)" do
      assert.is_true(tonumber(at) > last[2] or tonumber(at) == last[2] and tonumber(x) > last[1], k)
      last = {tonumber(x), tonumber(at)}
    end
    assert.is_true(last[2] > 0)
  end)

  it("show an element alone between gaps as a point, and all of the first and last tick's text", function()
    local text = printed(strew.plot, strew.tensor({1, 0 / 0, 3, 4}, F), {style = "svg"})
    assert.matches("<path\tclass='l p l1' d='M[%d. ]+h0'/>", text)
    assert.is_nil(printed(strew.plot, strew.arange(4), {style = "svg"}):find("l p l1", 1, true))
    local hours = strew.date_range("2024-03-01", "2024-03-03", "1h")
    text = printed(strew.plot, {strew.arange(#hours), x = hours, style = "svg"})
    local count = 0
    for x, tick in text:gmatch "<text\tx='([%d.]+)' y='[%d.]+' class='m'>([%d-]+ [%d:]+)<" do
      assert.is_true(tonumber(x) >= #tick * 3.4 and tonumber(x) <= 720 - #tick * 3.4, tick)
      count = count + 1
    end
    assert.is_true(count > 2)
  end)

  it("print the file's text where the style is svg", function()
    strew.plot(path, strew.arange(5), {width = 300, height = 200})
    local text = printed(strew.plot, strew.arange(5), {style = "svg", width = 300, height = 200})
    assert.equal(written(), text .. "\n")
  end)

  it("have points where the values are", function() -- the axes: 0..2 and 1..3
    local text = printed(strew.plot, strew.tensor{1, 3, 2}, {style = "svg"})
    local a, b, c, d, e, f = text:match "<path\tclass='l l1' d='M([%d.]+) ([%d.]+)L([%d.]+) ([%d.]+)L([%d.]+) ([%d.]+)'"
    assert.near(tonumber(c), (a + e) / 2, 0.11)
    assert.near(tonumber(f), (b + d) / 2, 0.11)
    assert(tonumber(b) > tonumber(f) and tonumber(f) > tonumber(d))
    local top = text:match "y='([%d.]+)' class='e'>3</text>"
    assert.near(tonumber(top) - 4, tonumber(d), 0.11)
  end)

  it("begin bars at 0, and mark where", function()
    local text = printed(strew.plot, {x = {"a", "b"}, y = {2, -1}, style = "svg"})
    local y, height, low, depth = text:match("class='f1' x='[%d.]+' y='([%d.]+)' width='[%d.]+' height='([%d.]+)'/>\n"
      .. "<rect\tclass='f1' x='[%d.]+' y='([%d.]+)' width='[%d.]+' height='([%d.]+)'")
    assert.near(y + height, tonumber(low), 0.21)
    assert.near(2 * depth, tonumber(height), 0.31)
    assert.matches("class='a' d='M[%d.]+ " .. low:gsub("%p", "%%%0"), text)
  end)

  it("stay small for many values, and keep the extremes", function()
    local y = strew.randn(200000)
    y[123456] = 55
    strew.plot(path, y)
    local text = written()
    check_xml(text)
    assert(#text < 100000, #text)
    assert.matches(">60</text>", text, 1, true)
    local least = math.huge
    for v in text:match("d='(M[^']*L[^']*)'"):gmatch "[ML][%d.]+ ([%d.]+)" do least = math.min(least, tonumber(v)) end
    local sixty = text:match "y='([%d.]+)' class='e'>60</text>"
    local forty = text:match "y='([%d.]+)' class='e'>40</text>"
    assert.near(sixty - 4 + (forty - sixty) / 4, least, 0.2)
    strew.plot(path, {x = strew.randn(200000), y = y, kind = "points"})
    assert(#written() < 500000)
  end)

  it("leave the file that is there if they fail", function()
    strew.plot(path, strew.arange(3))
    local before = written()
    assert.is_false(pcall(strew.plot, path, {y = {1, 2}, x = {1}}))
    assert.equal(before, written())
    assert.matches("^plot: 'path' is \".-\", which cannot be written: No such file or directory",
      select(2, pcall(strew.plot, "/nonexistent/a.svg", strew.arange(3))):gsub("^%S+ ", ""))
  end)
end)

-------------------------------------------------------------------------------------------------------------- errors

describe("plots", function()
  it("say what is wrong", function()
    support.fail({
      {"strew.plot()",
       "plot: 'y' is missing, expected values"},
      {"strew.plot{}",
       "plot: 'y' is missing, expected values"},
      {"strew.plot(3)",
       "plot: 'y' is 3, expected a tensor"},
      {"strew.plot(strew.ones(2, 2))",
       "plot: 'y' has 2 dimensions, expected 1\n  hint  y:select(1, 0) is a column"},
      {"strew.plot('a.png', t)",
       "plot: 'path' is \"a.png\", expected a name that ends in .svg"},
      {"strew.plot{path = 3, y = t}",
       "plot: 'path' is 3, expected a string"},
      {"strew.plot{y = 'rain'}",
       "plot: 'y' is \"rain\", expected a tensor\n  hint  names are of columns: x:plot{y = \"name\"}"},
      {"x:plot{x = 'day', y = 'rain'}",
       "plot: 'x' has \"day\", not found in x\n  hint  the columns are \"city\", \"rain\", \"wind\""},
      {"strew.plot{y = t, titel = 'a'}",
       "plot: 'options' has unknown key \"titel\", expected path, x, y, kind, by, title, xlabel, ylabel, "
         .. "labels, log, xlim, ylim, bins, width, height, style\n"
         .. "  hint  did you mean 'title'?"},
      {"strew.plot{y = t, [true] = 'a'}",
       "plot: 'options' has unknown key true, expected path, x, y, kind, by, title, xlabel, ylabel, labels, "
         .. "log, xlim, ylim, bins, width, height, style"},
      {"strew.plot{y = t, title = 3}",
       "plot: 'title' is 3, expected a string"},
      {"strew.plot{y = t, x = strew.ones(2)}",
       "plot: 'x' has 2 elements, y has 3"},
      {"strew.plot(t, {y = t})",
       "plot: 'y' is given twice, by position and in options"},
      {"strew.plot(t, t, t)",
       "plot: too many arguments: 3, expected [path,] y, or x and y, and options"},
      {"strew.plot{y = t, kind = 'scatter'}",
       "plot: 'kind' is \"scatter\", expected line, points, bars, histogram or area\n  hint  did you mean 'points'?"},
      {"strew.plot{y = t, kind = 'lin'}",
       "plot: 'kind' is \"lin\", expected line, points, bars, histogram or area\n  hint  did you mean 'line'?"},
      {"strew.plot{y = t, kind = 3}",
       "plot: 'kind' is 3, expected line, points, bars, histogram or area"},
      {"strew.plot{y = t, log = 'z'}",
       "plot: 'log' is \"z\", expected \"x\", \"y\", \"xy\" or true, which is \"y\""},
      {"strew.plot{y = t, kind = 'bars', log = true}",
       "plot: 'log' is true, but bars begin at 0, which has no logarithm\n"
         .. "  hint  kind = \"line\" or \"points\" needs no 0"},
      {"strew.plot{y = t, x = {'a', 'b', 'c'}, kind = 'line', log = 'x'}",
       "plot: 'log' names an axis of words, which has no logarithms"},
      {"strew.plot{y = t, kind = 'histogram', log = true}",
       "plot: 'log' is true, but bars begin at 0, which has no logarithm\n"
         .. "  hint  kind = \"line\" or \"points\" needs no 0"},
      {"strew.plot{y = strew.ones(2000), kind = 'bars'}",
       "plot: 'y' has 2000 values, expected at most 1000 bars\n  hint  kind = \"histogram\""},
      {"strew.plot{y = t, kind = 'bars', ylim = {1, 5}}",
       "plot: 'ylim' is {1, 5}, but bars begin at 0\n  hint  kind = \"line\" or \"points\" needs no 0"},
      {"strew.plot{y = t, kind = 'bars', xlim = {1, 5}}",
       "plot: 'xlim' is given with bars, which are all drawn"},
      {"strew.plot{y = t, by = strew.tensor{1}}",
       "plot: 'by' has 1 element, y has 3"},
      {"strew.plot{y = strew.ones(30), by = strew.arange(30)}",
       "plot: 'by' makes 30 series, expected at most 24"},
      {"strew.plot{y = strew.tensor{'a'}, kind = 'area'}",
       "plot: 'y' is text, expected numbers: the picture begins at 0\n  hint  kind = \"points\""},
      {"strew.plot{y = strew.tensor{'a'}, kind = 'histogram'}",
       "plot: 'y' is text, expected numbers or times\n"
         .. "  hint  bars of counts: strew.value_counts(x, \"name\"):plot()"},
      {"strew.plot{y = {t, strew.tensor{'a', 'b', 'c'}}}",
       "plot: 'y' has int64 and text, which have no common axis"},
      {"strew.plot{y = t, bins = 3}",
       "plot: 'bins' is given without kind = \"histogram\""},
      {"strew.plot{y = t, bins = 0, kind = 'histogram'}",
       "plot: 'bins' is 0, expected an integer 1..1000"},
      {"strew.plot{x = t, y = t, kind = 'histogram'}",
       "plot: 'x' is given with y: a histogram has values alone"},
      {"strew.plot{y = t, width = 3}",
       "plot: 'width' is 3, expected an integer 20..1000"},
      {"strew.plot{y = t, height = 2.5}",
       "plot: 'height' is 2.5, expected an integer"},
      {"strew.plot{y = t, style = 'x'}",
       "plot: 'style' is \"x\", expected ascii, blocks, 256, truecolor or svg"},
      {"strew.plot{y = t, labels = {'a', 'b'}}",
       "plot: 'labels' is a sequence of 2, expected a name for each of 1 series"},
      {"strew.plot{y = t, labels = {3}}",
       "plot: 'labels' has 3 at [1], expected a string"},
      {"strew.plot{y = t, ylim = 3}",
       "plot: 'ylim' is 3, expected {low, high}"},
      {"strew.plot{y = t, xlim = {3, 1}}",
       "plot: 'xlim' is {3, 1}, expected a low and a high limit"},
      {"strew.plot{y = t, xlim = {'a', 1}}",
       "plot: 'xlim' has \"a\", expected finite numbers"},
      {"strew.plot{y = t, ylim = {0/0}}",
       "plot: 'ylim' has nan, expected finite numbers"},
      {"strew.plot{y = t, log = true, ylim = {0, 1}}",
       "plot: 'ylim' has 0, which has no logarithm"},
      {"strew.plot{x = {'a', 'b', 'c'}, y = t, kind = 'line', xlim = {0, 1}}",
       "plot: 'xlim' has 0, expected no limits of words"},
      {"strew.plot{x = strew.time{'2024-05-01', '', ''}, y = t, xlim = {'x', nil}}",
       "plot: 'xlim' is \"x\", expected a time\n"
         .. "  hint  as 2024-05-17 or 2024-05-17T12:30:00.25+02:00; format reads other forms"},
      {"x:plot{x = {'city', 'rain'}, y = 'wind'}",
       "plot: 'x' has 2 columns, expected one"},
      {"x:columns{'city'}:plot{x = 'city'}",
       "plot: 'y' is missing, and x has no other columns of numbers"},
      {"strew.plot{x = {'a', 'a'}, y = {1, 2}, by = {'k', 'k'}}",
       "plot: 'x' has \"a\" twice in series \"k\", expected a row for each bar\n"
         .. "  hint  x:group_by{\"a\", \"b\"}:agg{...} makes one row of several"},
      {"strew.plot{y = {a = t, b = strew.ones(2)}}",
       "plot: 'y' has a column \"b\" of 2 elements, expected 3, as in the first one, \"a\""},
      {"strew.plot{y = {t, 3}}",
       "plot: 'y' is 3, expected a tensor"},
      {"strew.plot{y = {1, 'a'}}",
       "plot: 'y' has \"a\" at y[2], words and numbers do not mix"},
    }, {strew = strew, x = rain(), t = strew.arange(3)})
  end)
end)
