local strew = require "strew"
local support = dofile "tests/spec/support.lua"

-- The output of strew.show, with the options as code.
local function shown(code, ...)
  local texts, print = {}, _G.print
  _G.print = function(text, ...) -- luacheck: ignore
    assert.equal(0, select("#", ...))
    texts[#texts + 1] = text
  end
  local environment = setmetatable({strew = strew}, {__index = _G})
  local show = assert(load("return strew.show(" .. code .. ")", code, "t", environment))
  local result = table.pack(pcall(show, ...))
  _G.print = print -- luacheck: ignore
  assert.is_true(result[1], result[2])
  assert.equal(1, result.n)
  return table.concat(texts, "\n--\n")
end

-- Each row: arguments, and the text.
local rows = {
  -- lines
  {"strew.arange(8), {style = 'blocks'}", "▁▂▃▄▅▆▇█\n0 .. 7"},
  {"strew.arange(10), {style = 'ascii'}", "_.:-=+*#%@\n0 .. 9"},
  {"strew.arange(8), {style = 'truecolor'}", "▁▂▃▄▅▆▇█\n0 .. 7"},
  {"strew.tensor{2.5, 2.5}, {style = 'blocks'}", "▁▁\n2.5 .. 2.5"},
  {"strew.tensor{true, true, false}, {style = 'blocks'}", "██▁\n0 .. 1"},
  {"strew.tensor{0, 0/0, 1, 1/0, -1/0}, {style = 'blocks'}", "▁?██▁\n0 .. 1"},
  {"strew.tensor{0/0, 1/0}, {style = 'blocks'}", "?█\nno finite element"},
  {"strew.tensor(-5), {style = 'blocks'}", "▁\n-5 .. -5"},
  {"strew.tensor{1, 2, 3, 4}, {style = 'blocks', min = 0, max = 2}", "▅███\n0 .. 2"},
  {"strew.tensor{1, 2, 3, 4}, {style = 'blocks', min = 10}", "▁▁▁▁\n10 .. 10"},
  {"strew.arange(12), {style = 'blocks', width = 4}", "▁▃▆█\n1 .. 10, a cell is the mean of 3"},
  {"strew.arange(7), {style = 'blocks', width = 2}", "▁█\n1 .. 4.5, a cell is the mean of 3.5"},
  -- a cell is the mean of its numbers; of NaN alone it is ?
  {"strew.tensor{0/0, 1, 2, 3, 0/0, 0/0}, {style = 'blocks', width = 3}", "▁█?\n1 .. 2.5, a cell is the mean of 2"},
  {"strew.tensor{1/0, 0/0, 2, 0/0, 4, -1/0}, {style = 'blocks', width = 3}", "█▁▁\n2 .. 2, a cell is the mean of 2"},
  {"strew.tensor{{0/0, 1, 5}, {0/0, 0/0, 7}, {1, 0/0, 0/0}}, {style = 'ascii', width = 3, height = 1}",
   " @\n1 .. 4.333, a cell is the mean of 3 x 1.5"},
  {"strew.tensor{{{0.0, 1, 0.5}, {0/0, 0/0, 0.5}}}, {style = 'truecolor', width = 1}",
   "\27[38;2;0;255;128m▀\27[0m"},
  {"strew.tensor{math.mininteger, math.maxinteger}, {style = 'blocks'}", "▁█\n-9.223e+18 .. 9.223e+18"},
  {"strew.tensor({3e38, 3e38, -3e38, -3e38}), {style = 'blocks', width = 2}",
   "█▁\n-3e+38 .. 3e+38, a cell is the mean of 2"},
  {"strew.tensor({-1.7e308, 0, 1.7e308}, 'float64'), {style = 'blocks'}", "▁▅█\n-1.7e+308 .. 1.7e+308"},
  -- pictures of ASCII
  {"strew.eye(3), {style = 'ascii'}", "@@    \n  @@  \n    @@\n0 .. 1"},
  {"strew.eye(3), {style = 'blocks', width = 5}", "@  \n ++\n0 .. 1, a cell is the mean of 1.5 x 1"},
  {"strew.tensor{{0, 0/0}, {5, 10}}, {style = 'ascii'}", "  ??\n++@@\n0 .. 10"},
  {"strew.tensor{{0/0}}, {style = 'ascii'}", "??\nno finite element"},
  {"strew.tensor{{0/0, 1/0}}, {style = '256', colormap = 'grey'}",
   "\27[38;5;201m▀\27[38;5;231m▀\27[0m\nno finite element"},
  {"strew.arange(10000):view(100, 100), {style = 'ascii', width = 10, height = 5}",
   "          \n::::::::::\n=====+++++\n##########\n@@@@@@@@@@\n"
    .. "954.5 .. 9044, a cell is the mean of 20 x 10"},
  {"strew.full({2, 2, 3}, 255, {dtype = 'uint8'}), {style = 'ascii'}", "@@@@\n@@@@"},
  {"strew.full({1, 2, 4}, 0.55), {style = 'ascii'}", "++++"},
  {"strew.tensor{{{255, 0, 0}, {0, 255, 0}, {0, 0, 255}}}:to'uint8', {style = 'ascii'}", "::++.."},
  -- pictures in colour: two rows a line
  {"strew.tensor{{0, 1}, {1, 0}, {0, 0}}, {style = 'truecolor', colormap = 'grey'}",
   "\27[38;2;0;0;0m\27[48;2;255;255;255m▀\27[38;2;255;255;255m\27[48;2;0;0;0m▀\27[0m\n\27[38;2;0;0;0m▀▀\27[0m\n0 .. 1"},
  {"strew.tensor{{0, 1}, {1, 0}}, {style = '256', colormap = 'grey'}",
   "\27[38;5;16m\27[48;5;231m▀\27[38;5;231m\27[48;5;16m▀\27[0m\n0 .. 1"},
  {"strew.tensor{{0.5}}, {style = '256', colormap = 'grey', min = 0, max = 1}", "\27[38;5;244m▀\27[0m\n0 .. 1"},
  {"strew.tensor{{0, 1}}, {style = 'truecolor'}", "\27[38;2;68;1;84m▀\27[38;2;253;231;37m▀\27[0m\n0 .. 1"},
  {"strew.tensor{{{255, 0, 0}, {1, 2, 3}}, {{255, 0, 0}, {95, 135, 0}}}:to'uint8', {style = '256'}",
   "\27[38;5;196m\27[48;5;196m▀\27[38;5;16m\27[48;5;64m▀\27[0m"},
  {"strew.tensor{{{0.0, 1.0, 0/0}}}, {style = 'truecolor'}", "\27[38;2;0;255;128m▀\27[0m"},
  {"strew.tensor{{{0, 255, 100, 7}}}:to'uint8', {style = 'truecolor'}", "\27[38;2;0;255;100m▀\27[0m"},
  -- histograms
  {"strew.tensor{0, 1, 1, 2, 2, 2, 2}, {histogram = true, bins = 3, style = 'ascii', width = 40}",
   "[     0, 0.6667)  1  #####\n[0.6667,  1.333)  2  ##########\n[ 1.333,      2]  4  ###################"},
  {"strew.tensor{0, 1, 1/0, 0/0}, {histogram = true, bins = 2, style = 'blocks', width = 20}",
   "[  0, 0.5)  1  █████\n[0.5,   1]  1  █████\n2 outside, or not finite"},
  {"strew.arange(10), {histogram = true, bins = 2, min = 0, max = 4, style = 'ascii', width = 12}",
   "[0, 2)  2  #\n[2, 4]  3  #\n5 outside, or not finite"},
  {"strew.tensor{3, 3}, {histogram = true, bins = 2, style = 'ascii', width = 20}",
   "[2.5,   3)  0\n[  3, 3.5]  2  #####"},
  {"strew.tensor{0/0}, {histogram = true, bins = 1, style = 'ascii'}", "[-0.5,  0.5]  0\n1 outside, or not finite"},
  {"strew.ones(100, 100, 100), {histogram = true, bins = 1, style = 'ascii', width = 30}",
   "[0.5, 1.5]  1000000  #########"},
  -- nothing
  {"strew.zeros(0)", "float32[0] cpu  (empty)"},
  {"strew.zeros(3, 0, 2), {histogram = true}", "float32[3, 0, 2] cpu  (empty)"},
}

-- Each row: a chunk, and its error message.
local failures = {
  {"strew.show()", "show: 'self' is missing, the arguments are (self [, {width =, height =, min =, max =, colormap =, "
    .. "style =, histogram =, bins =}])"},
  {"strew.show{1}", "show: 'self' is a table, expected a tensor\n  hint  strew.tensor(self) makes a tensor of a table"},
  {"strew.show(t, {width = 0})", "show: 'width' is 0, expected 1..1000"},
  {"strew.show(t, {height = 1001})", "show: 'height' is 1001, expected 1..1000"},
  {"strew.show(t, {histogram = true, bins = 10001})",
   "show: 'bins' is 10001, expected 1..10000"},
  {"strew.show(t, {bins = 2})", "show: 'bins' is given without histogram = true"},
  {"strew.show(t, {min = 1/0})", "show: 'min' is inf, expected a finite number"},
  {"strew.show(t, {min = 2, max = 2})", "show: 'min' is 2, expected less than 'max', which is 2"},
  {"strew.show(t, {colour = 'viridis'})", "show: 'options' has unknown key \"colour\", expected width, height, min, "
    .. "max, colormap, style, histogram, bins"},
  {"strew.show(t, {colormap = 'virdis'})",
   "show: 'colormap' is \"virdis\", expected one of viridis, magma, inferno, coolwarm, grey\n" ..
   "  hint  did you mean 'viridis'?"},
  {"strew.show(t, {max = 'x'})", "show: 'max' is \"x\", expected a number"},
  {"strew.show(t, {style = 'sixel'})",
   "show: 'style' is \"sixel\", expected ascii, blocks, 256 or truecolor"},
  {"strew.zeros(2, 2, 2, {device = 'cpu'}):show()",
   "show: 'self' is float32[2, 2, 2] cpu, expected [h, w], [h, w, 3] (red, green, blue), [h, w, 4] (and alpha) or [n]\n"
    .. "  hint  a part of it: self[0]; or how its values spread: {histogram = true}"},
  {"strew.show(strew.zeros(2, 2, 3, {dtype = 'int32'}))",
   "show: 'self' is int32, colours are uint8, or floats in 0..1\n  hint  self:to(\"uint8\")"},
}

describe("strew.show", function()
  for _, row in ipairs(rows) do
    if not (support.lacks_float64 and row[1]:find "e3%d") then
      it("draws " .. row[1], function()
        assert.equal(row[2], support.on_cpu(shown(row[1])))
      end)
    end
  end

  it("names invalid arguments", function()
    support.fail(failures, {strew = strew, t = strew.zeros(2)})
  end)

  it("copies only means from a device", function()
    for _, case in ipairs{{"strew.arange(1000000), {width = 50}", 50},
                          {"strew.arange(1000000):view(1000, 1000), {width = 20, height = 10, style = '256'}", 400},
                          {"strew.arange(1000000), {histogram = true, bins = 20, min = 0, max = 1e6}", 20}} do
      local before = support.read_bytes()
      shown(case[1])
      local bytes = support.read_bytes() - before
      if strew.zeros(1).device == "cpu" then
        assert.equal(0, bytes, case[1]) -- nothing is copied
      else -- and the result of an index check, for each chunk of a histogram
        assert.is_true(bytes >= case[2] * 4 and bytes <= case[2] * 8 + 200, case[1] .. ": " .. bytes)
      end
    end
  end)

  it("fits every size into width and height", function()
    for _, sizes in ipairs{{1, 1}, {1, 1000}, {1000, 1}, {7, 300}, {300, 7}, {123, 457}, {64, 64}} do
      for _, style in ipairs{"ascii", "truecolor"} do
        for _, width in ipairs{1, 2, 17, 80} do
          local options = ("{width = %d, height = 9, style = '%s'}"):format(width, style)
          local text = shown(("strew.ones(%d, %d), %s"):format(sizes[1], sizes[2], options))
          local lines = 0
          for line in text:gsub("\n[^\n]*$", ""):gmatch "[^\n]+" do
            lines = lines + 1
            assert.is_true(utf8.len((line:gsub("\27%[[%d;]*m", ""))) <= width)
          end
          assert.is_true(lines >= 1 and lines <= 9)
        end
      end
    end
  end)

  it("counts like a loop", function()
    strew.manual_seed(3)
    local values = strew.randn(3000)
    local text, counts = shown("..., {histogram = true, bins = 7, min = -2, max = 1.5}", values), {}
    for _, value in ipairs(values:tolist()) do
      local bin = value == 1.5 and 6 or math.floor((value + 2) * 2)
      if bin >= 0 and bin < 7 then counts[bin] = (counts[bin] or 0) + 1 end
    end
    local i = 0
    for count in text:gmatch "[%])]  *(%d+)" do
      assert.equal(counts[i], tonumber(count))
      i = i + 1
    end
    assert.equal(7, i)
  end)

  it("writes through print, and obeys the environment", function()
    local line = 'strew = require "strew" strew.show(strew.arange(8)) strew.show(strew.eye(2))'
    local ascii, blocks = "_.:=+#%@\n0 .. 7\n@@  \n  @@\n0 .. 1\n", "▁▂▃▄▅▆▇█\n0 .. 7\n@@  \n  @@\n0 .. 1\n"
    for _, case in ipairs{{"LC_ALL=C", ascii}, {"LC_ALL=C.UTF-8", blocks},
                          {"LC_ALL= LC_CTYPE= LANG=de_DE.utf8", blocks},
                          {"LC_ALL= LC_CTYPE=C LANG=C.UTF-8", ascii},
                          {"LC_ALL=C.UTF-8 COLORTERM=truecolor", blocks}} do
      assert.equal(case[2], support.output(line, case[1]), case[1])
    end
    assert.matches("attempt to call a nil value", support.output(line, nil, "-e print=nil"))
  end)
end)
