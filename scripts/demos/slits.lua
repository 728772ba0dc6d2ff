-- Waves in a tank pass two slits and interfere: the step of the wave equation is one text, evaluated in one pass over
-- views of the grid, and written in place. Writes slits.png: crests, and between their beams calm.
local strew = require "strew"
local common = dofile((arg and arg[0] or ""):gsub("[^/]*$", "common.lua"))
local high, wide, steps = 161, 200, 500
local period = 0.4 -- of the paddle, in radians a step
local wall, slit, apart, screen = 50, 3, 16, 170 -- column; half widths and distance of the slits; column

-- h is the height of the water, old that of a step before; at the left a paddle moves it. Losses keep waves from
-- coming back from the borders.
local step = strew.expr [[
  where(paddle, drive,
    water * ((2 - loss) * h - (1 - loss) * old + speed * ((north + south) + (west + east) - 4 * h)))]]
local average = strew.expr "power + h * h"

-- The same step by calls.
local function calls(i)
  local around = (i.north + i.south) + (i.west + i.east) - 4 * i.h
  local moved = (2 - i.loss) * i.h - (1 - i.loss) * i.old + i.speed * around
  return strew.where(i.paddle, i.drive, i.water * moved)
end

local function tank(device)
  local options = {device = device}
  local row = strew.arange(high, options):unsqueeze(1):expand(high, wide)
  local column = strew.arange(wide, options):expand(high, wide)
  local from_middle = (row - high // 2):abs()
  local is_open = strew.expr "x < wall or x > wall + 3 or (abs(y - apart) <= slit)"
  local border = strew.expr "clamp(maximum(maximum(x - 0.9 * wide, y - 0.4 * high), 0) / 30, 0, 1) ^ 2 * 0.3"
  return {
    water = is_open{x = column, y = from_middle, wall = wall, apart = apart, slit = slit}:to "float32",
    loss = border{x = column:to "float32", y = from_middle:to "float32", wide = wide, high = high},
    paddle = column:eq(0), speed = 0.25,
  }
end

-- A grid with a border of zeros; the points, and their neighbours, are views.
local function grid(device)
  local all = strew.zeros(high + 2, wide + 2, {device = device})
  local function shifted(down, right) return all:narrow(0, 1 + down, high):narrow(1, 1 + right, wide) end
  return {h = shifted(0, 0), north = shifted(-1, 0), south = shifted(1, 0), west = shifted(0, -1), east = shifted(0, 1)}
end

local by_calls -- the last step
local function waves(device)
  local inputs, now, before = tank(device), grid(device), grid(device)
  local power = strew.zeros(high, wide, {device = device})
  for t = 1, steps do
    for name, view in pairs(now) do inputs[name] = view end
    inputs.old, inputs.drive = before.h, math.sin(period * t)
    if t == steps and device == "cpu" then by_calls = calls(inputs) end
    step(inputs, {out = before.h})
    now, before = before, now
    if t > steps // 2 then average({power = power, h = now.h}, {out = power}) end
  end
  return {now.h:contiguous(), power}
end

local height, power = table.unpack(common.on_devices(waves))
common.check("the last step by calls has the same bits", strew.equal(height, by_calls), true)
common.check("both halves are mirror images, bit for bit", strew.equal(height, height:flip(0)), true)
local line = power:select(1, screen)
common.check("the middle is brightest, at row", line:argmax():item(), high // 2)
-- Beside it the ways from the slits differ by half a wave, and it is calm.
local length, away = math.pi / period, screen - wall -- the speed is half a point a step
local function way(y, from) return math.sqrt(away ^ 2 + (y - from) ^ 2) end
local calm = 0
while way(calm, -apart) - way(calm, apart) < length / 2 do calm = calm + 1 end
local there = line[high // 2 + calm] / line[high // 2]
common.check(("waves %d rows beside it, below 10 %% of those"):format(calm), there < 0.1, true)
print(("%.1f %%"):format(100 * there))
strew.save(common.folder .. "/slits.png", strew.image(height, {scale = 2, min = -0.5, max = 0.5}))
strew.show(power, {max = line:max():item() * 2})
common.finish()
