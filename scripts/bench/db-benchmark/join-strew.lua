#!/usr/bin/env -S ./strew/local/bin/strew
print "# join-strew.lua"
local strew = require "strew"
local common = dofile(arg[0]:gsub("[^/]*$", "common-strew.lua"))

-- J1_1e7_NA_0_0 has its right sides in J1_1e7_1e1_0_0, J1_1e7_1e4_0_0 and J1_1e7_1e7_0_0.
local digits = common.data_name:match "^J1_1e(%d+)_"
local function right_side(exponent)
  return (common.data_name:gsub("NA", ("1e%d"):format(digits - exponent), 1))
end

print("loading datasets of " .. common.data_name)
local x = common.load(common.data_name, {"id1", "id2", "id3"}, {"id4", "id5", "id6"})
local small = common.load(right_side(6), {"id1"}, {"id4"})
local medium = common.load(right_side(3), {"id1", "id2"}, {"id4", "id5"})
local big = common.load(right_side(0), {"id1", "id2", "id3"}, {"id4", "id5", "id6"})

local function ask(question, right, key, how)
  common.ask("join", "join", #x.v1, question, function() return strew.join(x, right, key, {how = how}) end,
    function(result) return {strew.nansum(result.v1), strew.nansum(result.v2)} end)
end

print "joining..."
ask("small inner on int", small, "id1")
ask("medium inner on int", medium, "id2")
ask("medium outer on int", medium, "id2", "left")
ask("medium inner on factor", medium, "id5")
ask("big inner on int", big, "id3")
print "joining finished"
