-- counts.lua: what a call asks of OpenCL, for cases of the benchmark on 200,000 elements, compared with
-- tests/data/opencl_counts.txt, or written there.
-- usage: STREW_OPENCL_ASSUME=gpu SCALE=50 build/tests/counts/counts tests/counts/counts.lua DEVICE [write]
local strew = strew
package.loaded.strew = strew
rawset(_G, "arg", {[0] = "scripts/bench/bench.lua"})
local counts, device, write = ...
local path = "tests/data/opencl_counts.txt"
local names = {"launches", "waits", "blocking", "markers", "flushes", "arguments", "items"}

package.path = "scripts/bench/?.lua;" .. package.path
local known = {}
for _, case in ipairs(require "cases".choose()) do known[case.key] = case end

local n = 200000
local function values() return strew.rand(n), strew.randint(0, 100, {n}) end
local function own(make, call) return {make = make, call = call} end
known.four_add = own(function() return strew.rand(4), strew.rand(4) end, function(a, b) return a + b end)
known.item = own(function() return strew.rand(4) end, function(a) return a[2] end)
known.dense_lt = own(function() return strew.rand(n), strew.rand(n) end, function(a, b) return a:lt(b) end)
known.gather_bad = own(function() return strew.rand(n), strew.full({n}, n) end, function(a, index)
  assert(not pcall(a.gather, a, 0, index))
end)
known.group_by_sum = own(values, function(a, keys) return strew.group_by(keys):sum(a) end)
known.group_by_three = own(values, function(a, keys)
  local groups = strew.group_by(keys)
  return groups:sum(a), groups:mean(a), groups:max(a)
end)
known.agg_six = own(values, function(a, keys)
  local what = {}
  for i = 1, 6 do what["sum_" .. i] = {"sum", a} end
  return strew.group_by(keys):agg(what)
end)
known.grouped_sum = own(function()
  local a, keys = values()
  return a, strew.group_by(keys:to(device))
end, function(a, groups) return groups:sum(a) end)
local EXACT = {exact = true}
known.exact_sum = own(values, function(a) return a:sum(EXACT) end)
known.exact_rows = own(function() return strew.rand(1000, 200) end, function(a) return a:mean(0, EXACT) end)
known.exact_into_1 = own(function() return strew.rand(n), strew.zeros(n, {dtype = "int64"}) end,
  function(a, index) return strew.scatter_sum(a, index, {dim_size = 1, exact = true}) end)
known.exact_into_20k = own(function() return strew.rand(n), strew.randint(0, 20000, {n}) end,
  function(a, index) return strew.scatter_sum(a, index, {dim_size = 20000, exact = true}) end)
known.exact_mean = own(known.exact_into_20k.make,
  function(a, index) return strew.scatter_mean(a, index, {dim_size = 20000, exact = true}) end)
known.exact_wide = own(known.exact_into_20k.make,
  function(a, index) return strew.scatter_sum((a * 160 - 80):exp(), index, {dim_size = 20000, exact = true}) end)
known.exact_std = own(values, function(a) return a:std(EXACT) end)
known.exact_std_rows = own(known.exact_rows.make, function(a) return a:std(0, EXACT) end)
known.exact_std_20k = own(known.exact_into_20k.make,
  function(a, index) return strew.scatter_std(a, index, {dim_size = 20000, exact = true}) end)
known.exact_dot = own(function() return strew.rand(n), strew.rand(n) end, function(a, b) return a:dot(b, EXACT) end)
known.exact_cumsum = own(values, function(a) return a:cumsum(0, EXACT) end)
known.exact_add_20k = own(known.exact_into_20k.make,
  function(a, index) return strew.exact_sums(20000, {squares = true}):add(a, index) end)
-- of so many elements, groups' findings fill what one staged read takes
local many = 2000000
known.no_size_2M = own(function() return strew.rand(many), strew.randint(0, 20000, {many}) end, strew.scatter_sum)
known.exact_into_2M = own(function() return strew.rand(many), strew.randint(0, 20000, {many}) end,
  function(a, index) return strew.scatter_sum(a, index, {exact = true}) end)
known.exact_dot_2M = own(function() return strew.rand(many), strew.rand(many) end, known.exact_dot.call)
known.exact_in_place = own(function() return strew.rand(20000), strew.rand(n), strew.randint(0, 20000, {n}) end,
  function(self, a, index) return self:index_add_(0, index, a, EXACT) end)

local keys = [[four_add item dense_add dense_exp dense_lt dense_where dense_sum dense_max dense_cat dense_transpose
  gather_1M gather_bad rows_gather index_select take masked_select select_few dense_sort select_bytes add_1 add_100
  add_1M add_10M add_sorted add_int64 set_1M amax_1M mean_1M rows_add index_put index_put_add group_sum
  scatter_softmax scatter_std scatter_quantile csr_wide_sum csr_long_sum softmax_rows searchsorted bincount histc
  dense_cumsum group_by_sum group_by_three agg_six grouped_sum exact_sum exact_rows exact_into_1 exact_into_20k
  exact_mean exact_wide exact_in_place exact_std exact_std_rows exact_std_20k exact_dot exact_cumsum exact_add_20k
  no_size_2M exact_into_2M exact_dot_2M text_gelu_10M]]

local function is_tensor(t) return pcall(function() return assert(t.dtype) end) end
local function there(t) return is_tensor(t) and t:to(device) or t end
local function count(case)
  strew.manual_seed(1)
  local operands = table.pack(case.make())
  for k = 1, operands.n do operands[k] = there(operands[k]) end
  case.call(table.unpack(operands, 1, operands.n)) -- kernels are compiled
  strew.clock() -- waits
  local before = {counts()}
  case.call(table.unpack(operands, 1, operands.n))
  local after = {counts()}
  for k, was in ipairs(before) do after[k] = after[k] - was end
  return after
end

local lines, expected, wrong = {}, {}, 0
for line in io.lines(path) do
  local key = line:match("^[%w_]+")
  if key then expected[key] = line end
  if line:find("^%-%-") and not line:find("^%-%- case") then table.insert(lines, line) end
end
local row = ("%-16s" .. (" %9s"):rep(#names))
table.insert(lines, "-- " .. row:format("case", table.unpack(names)):gsub("^case   ", "case"))
for key in keys:gmatch "%S+" do
  local case = assert(known[key], key)
  local line = row:format(key, table.unpack(count(case)))
  table.insert(lines, line)
  if line ~= expected[key] then
    wrong = wrong + 1
    if not write then print("expected " .. (expected[key] or "nothing"), "\ngot      " .. line) end
  end
end
if write then
  local file <close> = assert(io.open(path, "w"))
  file:write(table.concat(lines, "\n"), "\n")
else
  print(("counts: %d cases, %d failed"):format(#lines, wrong))
  assert(wrong == 0, "counts differ: " .. path)
end
