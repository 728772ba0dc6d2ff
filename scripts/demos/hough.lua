-- Hough transform: finds three lines under salt noise by voting. Each bright pixel votes for all lines through it, and
-- a scatter counts the votes. Writes hough_noisy.png, reads it back, writes hough_votes.png and hough_found.png.
local strew = require "strew"
local common = dofile((arg and arg[0] or ""):gsub("[^/]*$", "common.lua"))
local size, angles, distances = 256, 180, 640 -- distances of lines from the corner, -256..383

-- A line is x cos(angle) + y sin(angle) = distance. These are drawn, and should be found.
local drawn = {{30, 150}, {75, 200}, {140, -60}}

local x, y = strew.arange(size):expand(size, size), strew.arange(size):unsqueeze(1)
local function pixels_of(angle, distance)
  return (x * math.cos(math.rad(angle)) + y * math.sin(math.rad(angle)) - distance):abs():lt(0.5)
end

strew.manual_seed(1)
local picture = strew.rand(size, size):lt(0.05)
for _, line in ipairs(drawn) do picture = picture:logical_or(pixels_of(table.unpack(line))) end
strew.save(common.folder .. "/hough_noisy.png", picture:to "uint8" * 255)
local noisy = strew.load(common.folder .. "/hough_noisy.png")

local radians = strew.arange(angles) * (math.pi / 180)
local cosines, sines = radians:cos(), radians:sin() -- once, on the CPU: devices compute sines with other last bits

local function vote(device)
  local bright = noisy:to(device):gt(128):nonzero()
  local rows, columns = bright:select(1, 0):unsqueeze(1), bright:select(1, 1):unsqueeze(1)
  local distance = (columns * cosines:to(device) + rows * sines:to(device)):round():to "int64" + size
  local index = distance + strew.arange(angles, {device = device}) * distances
  return {strew.zeros(angles * distances, {dtype = "int32", device = device}):scatter_reduce_(0, index:flatten(),
    strew.ones(1, {dtype = "int32", device = device}):expand(index:numel()), "sum")}
end

local votes = common.on_devices(vote)[1]
common.check("votes", votes:sum():item(), noisy:gt(128):sum():item() * angles)

-- The three lines with the most votes, each at least some distance from the others.
local found, left = {}, votes:clone():view(angles, distances)
for i = 1, #drawn do
  local place = left:argmax():item()
  local angle, distance = place // distances, place % distances - size
  found[i] = {angle, distance}
  left:slice(0, math.max(angle - 5, 0), angle + 6):slice(1, distance + size - 20, distance + size + 21):zero_()
end
table.sort(found, function(a, b) return a[1] < b[1] end)
for i, line in ipairs(drawn) do
  common.check("line " .. i, table.concat(found[i], " degrees, "), table.concat(line, " degrees, "))
end

local shown, red = noisy:unsqueeze(2), strew.tensor({255, 60, 60}, "uint8")
for _, line in ipairs(found) do shown = strew.where(pixels_of(table.unpack(line)):unsqueeze(2), red, shown) end
strew.save(common.folder .. "/hough_votes.png", strew.image(votes:view(angles, distances):sqrt(), {scale = 2}))
strew.save(common.folder .. "/hough_found.png", shown)
strew.show(shown)
common.finish()
