-- Message passing on Zachary's karate club: 34 members, 78 friendships, and the quarrel that split it in two.
-- W. W. Zachary, An information flow model for conflict and fission in small groups, J. Anthropol. Res. 33 (1977).
local strew = require "strew"
local common = dofile((arg and arg[0] or ""):gsub("[^/]*$", "common.lua"))

-- Pairs of friends, counted from 1 as in the paper.
local friends = strew.tensor {
  {1, 2}, {1, 3}, {1, 4}, {1, 5}, {1, 6}, {1, 7}, {1, 8}, {1, 9}, {1, 11}, {1, 12}, {1, 13}, {1, 14}, {1, 18},
  {1, 20}, {1, 22}, {1, 32}, {2, 3}, {2, 4}, {2, 8}, {2, 14}, {2, 18}, {2, 20}, {2, 22}, {2, 31}, {3, 4}, {3, 8},
  {3, 9}, {3, 10}, {3, 14}, {3, 28}, {3, 29}, {3, 33}, {4, 8}, {4, 13}, {4, 14}, {5, 7}, {5, 11}, {6, 7}, {6, 11},
  {6, 17}, {7, 17}, {9, 31}, {9, 33}, {9, 34}, {10, 34}, {14, 34}, {15, 33}, {15, 34}, {16, 33}, {16, 34}, {19, 33},
  {19, 34}, {20, 34}, {21, 33}, {21, 34}, {23, 33}, {23, 34}, {24, 26}, {24, 28}, {24, 30}, {24, 33}, {24, 34},
  {25, 26}, {25, 28}, {25, 32}, {26, 32}, {27, 30}, {27, 34}, {28, 34}, {29, 32}, {29, 34}, {30, 33}, {30, 34},
  {31, 33}, {31, 34}, {32, 33}, {32, 34}, {33, 34},
}
-- Members who stayed with the instructor (member 1); the others followed the president (member 34).
local instructors = {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 17, 18, 20, 22}
local members = 34

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
local stayed = strew.zeros(members, {dtype = "bool"}):scatter_(0, strew.tensor(instructors) - 1, true):to "cpu"
local right = opinion:gt(0):eq(stayed)
check("members on the side that they took in the split", right:sum():item(), 33)
check("... all but member", right:logical_not():nonzero():item() + 1, 9)

print "Who is whose friend, in the order of their opinions:"
local order = opinion:argsort(0, true)
local rows = order:unsqueeze(1):expand(members, members)
strew.show(adjacent:gather(0, rows):gather(1, rows:t()))
common.finish()
