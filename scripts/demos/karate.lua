-- Message passing on Zachary's karate club, whose members took sides in a quarrel.
local strew = require "strew"
local common = dofile((arg and arg[0] or ""):gsub("[^/]*$", "common.lua"))

local club = dofile(common.here .. "karate_club.lua")
local friends, members = strew.tensor(club.friends), club.members

-- Members count from 1, tensors from 0. A friendship has two directions.
local a, b = friends:select(1, 0) - 1, friends:select(1, 1) - 1
local both_from, both_to = strew.cat {a, b}, strew.cat {b, a}

local function compute(device)
  local from, to = both_from:to(device), both_to:to(device)
  local degree = strew.scatter_sum(strew.ones(#to, {dtype = "int64", device = device}), to, {dim_size = members})

  -- Closed walks of three steps: six for each triangle.
  local pairs = strew.zeros(members * members, {device = device}):scatter_(0, from * members + to, 1)
  local adjacent = pairs:view(members, members)
  local walks = (adjacent:mm(adjacent) * adjacent):sum()

  -- Two members have decided. All others repeatedly take the mean of their friends' opinions.
  local opinion = strew.zeros(members, {device = device})
  for _ = 1, 100 do
    opinion[0], opinion[members - 1] = 1, -1
    opinion = strew.scatter_mean(opinion:gather(0, from), to, {dim_size = members})
  end
  return {degree, walks, opinion, adjacent}
end

local degree, walks, opinion, adjacent = table.unpack(common.on_devices(compute))
local check = common.check
check("friendships, counted from both ends", degree:sum():item(), 156)
check("most friends", degree:max():item(), 17)
check("... of member", degree:argmax():item() + 1, 34)
check("triangles", walks:to("int64"):item() // 6, 45)
local stayed = strew.zeros(members, {dtype = "bool"}):scatter_(0, strew.tensor(club.instructors) - 1, true):to "cpu"
local right = opinion:gt(0):eq(stayed)
check("members on the side that they took in the split", right:sum():item(), 33)
check("... all but member", right:logical_not():nonzero():item() + 1, 9)

print "Who is whose friend, in the order of their opinions:"
local order = opinion:argsort(0, true)
local rows = order:unsqueeze(1):expand(members, members)
strew.show(adjacent:gather(0, rows):gather(1, rows:t()))
common.finish()
