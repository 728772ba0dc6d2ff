-- require.lua: the stock interpreter with strew as one module among others: lua5.4 require.lua
local strew = require "strew"

local votes = strew.tensor{2, 0, 1, 2, 2, 1}
print(strew._VERSION .. ", " .. _VERSION)
print(strew.scatter_sum(strew.ones(6):to("int64"), votes))
print(select(2, pcall(strew.gather, votes, 0, strew.tensor{6})))
