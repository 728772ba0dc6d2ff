#!/usr/bin/env -S ./strew/local/bin/strew
print "# groupby-strew.lua"
local strew = require "strew"
local common = dofile(arg[0]:gsub("[^/]*$", "common-strew.lua"))

print("loading dataset " .. common.data_name)
local x = common.load(common.data_name, {"id4", "id5", "id6", "v1", "v2"}, {"id1", "id2", "id3"})
local rows = #x.v1
local has_missing = common.data_name:match "_(%d+)_%d+$" ~= "0"

-- keys, {result, word, column} in order; missing elements are left out, as SQL does.
local function aggregates(keys, what)
  for _, spec in ipairs(what) do spec.skip_nan = has_missing and spec[3] and true or nil end
  return function() return strew.group_by(x, keys):agg(what) end
end

local function ask(question, answer, ...)
  local columns = {...}
  common.ask("groupby", "agg", rows, question, answer, function(result)
    local sums = {}
    for i, column in ipairs(columns) do
      local v = result[column]
      sums[i] = v.dtype:find "float" and strew.nansum(v:to "float64") or strew.sum(v)
    end
    return sums
  end)
end

print "grouping..."
ask("sum v1 by id1", aggregates("id1", {{"v1", "sum", "v1"}}), "v1")
ask("sum v1 by id1:id2", aggregates({"id1", "id2"}, {{"v1", "sum", "v1"}}), "v1")
ask("sum v1 mean v3 by id3", aggregates("id3", {{"v1", "sum", "v1"}, {"v3", "mean", "v3"}}), "v1", "v3")
ask("mean v1:v3 by id4", aggregates("id4", {{"v1", "mean", "v1"}, {"v2", "mean", "v2"}, {"v3", "mean", "v3"}}),
  "v1", "v2", "v3")
ask("sum v1:v3 by id6", aggregates("id6", {{"v1", "sum", "v1"}, {"v2", "sum", "v2"}, {"v3", "sum", "v3"}}),
  "v1", "v2", "v3")
ask("median v3 sd v3 by id4 id5", aggregates({"id4", "id5"}, {{"median_v3", "median", "v3"}, {"sd_v3", "std", "v3"}}),
  "median_v3", "sd_v3")

local extremes = aggregates("id3", {{"high", "max", "v1"}, {"low", "min", "v2"}})
ask("max v1 - min v2 by id3", function()
  return strew.drop(strew.assign(extremes(), {range_v1_v2 = "high - low"}), {"high", "low"})
end, "range_v1_v2")

ask("largest two v3 by id6", function()
  local y = has_missing and strew.dropna(x, {"v3"}) or x
  local g = strew.group_by(y, "id6")
  local largest, _, groups = g:topk(y.v3, 2)
  return {id6 = g.keys.id6[groups], largest2_v3 = largest}
end, "largest2_v3")

local correlations = aggregates({"id2", "id4"}, {{"r", "corr", "v1", "v2"}})
ask("regression v1 v2 by id2 id4", function()
  return strew.drop(strew.assign(correlations(), {r2 = "r * r"}), "r")
end, "r2")

local all = {"id1", "id2", "id3", "id4", "id5", "id6"}
ask("sum v3 count by id1:id6", aggregates(all, {{"v3", "sum", "v3"}, {"count", "count"}}), "v3", "count")
print "grouping finished"
