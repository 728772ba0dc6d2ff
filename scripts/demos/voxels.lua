-- A LiDAR turns once in a courtyard and measures a million distances; the points are pooled into voxels of half a
-- metre. Writes voxels.png: the heights seen from above; dark areas are hidden behind the houses.
local strew = require "strew"
local common = dofile((arg and arg[0] or ""):gsub("[^/]*$", "common.lua"))
local beams, turns, eye = 64, 15625, 2.0 -- 64 x 15625 = 1,000,000; the LiDAR is 2 m above the ground
local voxel, wide, high = 0.5, 160, 32   -- the grid: 80 m x 80 m x 16 m
local yard = {{-39.25, -39.25, 0}, {39.25, 39.25, 100}} -- in metres from the LiDAR to east, south, and up
local houses = {{{8, 6, 0}, {20, 14, 2.8}}, {{-25, -20, 0}, {-15, 10, 4.3}}, {{5, -30, 0}, {12, -12, 3.3}}}

-- The directions of all rays, [beams, turns] each.
local rise = (strew.linspace(-30, 12, beams) * (math.pi / 180)):unsqueeze(1)
local turn = strew.arange(turns) * (2 * math.pi / turns) + 0.001
local ray = {rise:cos() * turn:cos(), rise:cos() * turn:sin(), rise:sin():expand(beams, turns)}

-- The distances at which each ray enters and leaves a box.
local function crossing(box)
  local near, far
  for axis = 1, 3 do
    local start = axis == 3 and eye or 0
    local a, b = (box[1][axis] - start) / ray[axis], (box[2][axis] - start) / ray[axis]
    local first, last = a:minimum(b), a:maximum(b)
    near, far = near and near:maximum(first) or first, far and far:minimum(last) or last
  end
  return near, far
end

strew.manual_seed(1)
local _, distance = crossing(yard)
for _, house in ipairs(houses) do
  local near, far = crossing(house)
  distance = strew.where(near:gt(0):logical_and(near:lt(far)), distance:minimum(near), distance)
end
distance = distance + strew.randn(beams, turns) * 0.01 -- its resolution is a centimetre
local x, y = (distance * ray[1]):flatten(), (distance * ray[2]):flatten()
local z = (distance * ray[3] + eye):flatten():clamp(0)

local function pool(device)
  local points = strew.stack({x, y, z}, 1):to(device)
  local place = ((points + strew.tensor({40.0, 40.0, 0.0}, {device = device})) / voxel):floor():to "int64"
  local column = place:select(1, 1) * wide + place:select(1, 0)
  local inside = column * high + place:select(1, 2)
  local ones = strew.ones(1, {dtype = "int64", device = device}):expand(#inside)
  local count = strew.scatter_sum(ones, inside, {dim_size = wide * wide * high})
  local centre = strew.scatter_mean(points, inside, {dim = 0, dim_size = wide * wide * high})
  local height = strew.scatter_max(points:select(1, 2), column, {dim_size = wide * wide, fill = -1})
  return {count:view(wide, wide, high), centre:view(wide, wide, high, 3), height:view(wide, wide)}
end

local function cell(metres) return math.floor((metres + 40) / voxel) end
local count, centre, height = table.unpack(common.on_devices(pool))
common.check("points", count:sum():item(), 1000000)
for i, house in ipairs(houses) do
  local west, north, east, south = cell(house[1][1]), cell(house[1][2]), cell(house[2][1]), cell(house[2][2])
  local roof = height:slice(0, north, south):slice(1, west, east):max():item()
  common.check(("the highest voxel of house %d"):format(i), math.floor(roof / voxel), math.floor(house[2][3] / voxel))
end
-- The east wall: the centres of its voxels, from 2 m to 6 m above the ground.
local wall = centre:select(1, cell(yard[2][1])):narrow(1, 4, 8):select(2, 0)
local there = count:select(1, cell(yard[2][1])):narrow(1, 4, 8):gt(0)
local far = (strew.where(there, wall, 0):sum() / there:sum()):item()
common.check("metres to the wall in the east", ("%.2f"):format(far), "39.25")
strew.save(common.folder .. "/voxels.png", strew.image(height, {scale = 4, max = 5}))
strew.show(height, {max = 5})
common.finish()
