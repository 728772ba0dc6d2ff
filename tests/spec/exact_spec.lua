-- exact_spec.lua: exact sums against whole numbers of any length.
local strew = require "strew"
local oracle = require "tests.spec.exact_oracle"
local support = require "tests.spec.support"

local round, check, tensor, draw, chosen, is_zero, sum = oracle.round, oracle.check, oracle.tensor, oracle.draw,
  oracle.chosen, oracle.is_zero, oracle.sum
local EXACT <const> = {exact = true}

local dtypes = {"float32", "float16", "bfloat16"}
if not support.lacks_float64 then table.insert(dtypes, "float64") end

describe("exact sums", function()
  before_each(function() math.randomseed(11) end)

  for _, dtype in ipairs(dtypes) do
    it("of " .. dtype .. " are the real sum, rounded once", function()
      for trial = 1, 20 do
        local n, k = ({0, 1, 2, 3, 17, 100, 1100})[math.random(7)], math.random(4)
        local list, ids = draw(n, dtype, trial % 5), {}
        if trial % 3 == 0 then
          for i = 1, n do table.insert(list, -list[i]) end -- cancels
          n = #list
        end
        for i = 1, n do ids[i] = math.random(0, k - 1) end
        local x, index = tensor(list, dtype), strew.tensor(ids, {dtype = "int64"})
        check(x:sum(EXACT), {sum(list, dtype)}, "sum")
        if n > 0 then
          check(x:mean(EXACT), {is_zero(list) and -0.0 or round(list, n, dtype)}, "mean")
          check(strew.dot(x, strew.ones_like(x), EXACT), {round(list, 1, dtype)}, "dot")
          local prefixes, so_far = {}, {}
          for i = 1, math.min(n, 50) do
            so_far[i] = list[i]
            prefixes[i] = sum(so_far, dtype)
          end
          check(x:narrow(0, 0, #prefixes):cumsum(0, EXACT), prefixes, "cumsum")
          local self, of_self, sums, means, groups, averages = draw(k, dtype, trial % 5), {}, {}, {}, {}, {}
          for g = 0, k - 1 do
            local own = chosen(list, ids, g)
            sums[g + 1] = round(own, 1, dtype)
            means[g + 1] = #own > 0 and round(own, #own, dtype) or 0.0
            if #own > 0 then table.insert(groups, sums[g + 1]) end
            if #own > 0 then table.insert(averages, means[g + 1]) end
            table.insert(own, self[g + 1])
            of_self[g + 1] = sum(own, dtype)
          end
          check(strew.scatter_sum(x, index, {dim_size = k, exact = true}), sums, "scatter_sum")
          check(strew.scatter_mean(x, index, {dim_size = k, exact = true}), means, "scatter_mean")
          local by = strew.group_by(index)
          check(by:sum(x, EXACT), groups, "g:sum")
          check(by:mean(x), averages, "g:mean")
          local made = by:agg{total = {"sum", x}, mean = {"mean", x}, n = "count", most = {"max", x}}
          check(made.total, groups, "agg's sum")
          check(made.mean, averages, "agg's mean")
          local ids_of_groups = strew.grouping(index, {dim_size = k}) -- some may be empty
          check(ids_of_groups:agg{total = {"sum", x}}.total, sums, "agg's sum by ids")
          check(tensor(self, dtype):scatter_add_(0, index, x, EXACT), of_self, "scatter_add_")
          check(tensor(self, dtype):index_add_(0, index, x, EXACT), of_self, "index_add_")
          local at = math.random(0, n)
          local csr = strew.segment_csr(x, strew.tensor{0, at, n}, EXACT)
          local first, last = {table.unpack(list, 1, at)}, {table.unpack(list, at + 1)}
          check(csr, {round(first, 1, dtype), round(last, 1, dtype)}, "csr")
        end
      end
    end)

    it("of " .. dtype .. " are those of windows and ranges, which do not drift", function()
      for trial = 1, 10 do
        local n, width = math.random(1, 60), math.random(1, 8)
        local list, starts, ends = draw(n, dtype, trial % 5), {}, {}
        local sums, means, windows = {}, {}, {}
        for i = 1, 20 do
          starts[i] = math.random(0, n)
          ends[i] = math.random(starts[i], n)
          local own = {table.unpack(list, starts[i] + 1, ends[i])}
          sums[i], means[i] = round(own, 1, dtype), #own > 0 and round(own, #own, dtype) or 0 / 0
        end
        for i = 1, n do
          local own = {table.unpack(list, math.max(i - width + 1, 1), i)}
          windows[i] = round(own, 1, dtype)
        end
        local x, from, to = tensor(list, dtype), strew.tensor(starts), strew.tensor(ends)
        check(strew.ranges(x, from, to, "sum"), sums, "ranges")
        check(strew.ranges(x, from, to, "mean"), means, "means of ranges")
        check(strew.rolling(x, width, "sum", {min_count = 1}), windows, "windows")
        local both = strew.stack({x, x}, 1)
        check(strew.rolling(both, width, "sum", {min_count = 1}):select(1, 1), windows, "windows of rows")
      end
      local x = tensor({1.0, 2 ^ 14, 3.0, 0 / 0, 4.0, 1 / 0, 5.0, 6.0}, dtype)
      local big = 2.0 ^ 14
      check(strew.rolling(x, 2, {"mean", skip_nan = true, exact = true}):narrow(0, 6, 2), {1 / 0, 5.5}, "after inf")
      check(strew.rolling(x, 2, {"sum", skip_nan = true}, {min_count = 1}):narrow(0, 2, 3),
        {tensor({big + 3}, dtype):to("cpu"):to("float32"):item(), 3.0, 4.0}, "without NaN")
      check(strew.rolling(x, 1, "sum"), x:to("cpu"):to("float32"):tolist(), "alone")
    end)

    it("of " .. dtype .. " are those of long blocks whose bits are far apart", function()
      local digits = ({float64 = 53, float32 = 24, float16 = 11, bfloat16 = 8})[dtype]
      local function full() return math.random(1 << digits - 1, (1 << digits) - 1) * 2.0 ^ -digits end
      for apart = 0, dtype == "float16" and 2 or dtype == "float64" and 90 or 70, 3 do
        local list = {}
        for _ = 1, 448 do table.insert(list, full()) end
        for _ = 1, 128 do table.insert(list, full() * 2.0 ^ -apart) end
        local small = {table.unpack(list, 449)}
        for i = 1, 448 do table.insert(list, -list[i]) end
        local x = tensor(list, dtype)
        check(x:sum(EXACT), {round(small, 1, dtype)}, "sum, " .. apart)
        check(x:cumsum(0, EXACT):narrow(0, 1023, 1), {round(small, 1, dtype)}, "cumsum, " .. apart)
        local part = {table.unpack(list, 400, 599)}
        check(tensor(part, dtype):cumsum(0, EXACT):narrow(0, 199, 1), {round(part, 1, dtype)}, "a prefix, " .. apart)
      end
    end)

    it("of " .. dtype .. " are rounded once next to a tie", function()
      local digits = ({float64 = 53, float32 = 24, float16 = 11, bfloat16 = 8})[dtype]
      local half = 2.0 ^ -digits
      for _, far in ipairs(dtype == "float16" and {12} or {12, 40, 90}) do
        for k = 0, 7 do
          local one, sign = 1 + (k & 1) * 2 * half, k & 2 > 0 and -1 or 1
          local tiny = (k & 4 > 0 and -1 or 1) * half * 2.0 ^ -far
          local list = {sign * one, sign * half, tiny}
          local expected = {sign * one, round({sign * one, sign * half}, 1, dtype), round(list, 1, dtype)}
          check(tensor(list, dtype):cumsum(0, EXACT), expected, ("cumsum, %d %d"):format(far, k))
          check(tensor(list, dtype):sum(EXACT), {expected[3]}, ("sum, %d %d"):format(far, k))
          local ends = strew.tensor{0, 1, 3}
          check(strew.segment_csr(tensor({-list[1], table.unpack(list)}, dtype), ends + 1, EXACT):narrow(0, 1, 1),
            {round({sign * half, tiny}, 1, dtype)}, "csr")
        end
      end
      check(strew.scatter_sum(tensor({-0.0, -0.0}, dtype), strew.tensor{0, 0}, EXACT), {0.0}, "zeros")
    end)

    it("of " .. dtype .. " are those of segments of rows, with any ends", function()
      local ends, n = {{0, 3, 3, 20}, {5, 5, 6, 50}}, 50
      for trial = 1, 5 do
        local lists, sums, means = {draw(n, dtype, trial), draw(n, dtype, trial)}, {}, {}
        for r = 1, 2 do
          for k = 1, 3 do
            local own = {table.unpack(lists[r], ends[r][k] + 1, ends[r][k + 1])}
            table.insert(sums, round(own, 1, dtype))
            table.insert(means, #own > 0 and round(own, #own, dtype) or 7.0)
          end
        end
        local x = strew.stack({tensor(lists[1], dtype), tensor(lists[2], dtype)}, 0)
        for _, index_dtype in ipairs{"int64", "int32"} do
          local at = strew.tensor(ends, {dtype = index_dtype})
          check(x:segment_csr(at, EXACT):reshape({-1}), sums, "csr of rows")
          check(x:segment_csr(at, "mean", {exact = true, fill = 7}):reshape({-1}), means, "means of rows")
          local columns = x:unsqueeze(-1):expand({2, n, 2})
          check(columns:segment_csr(at, EXACT):select(2, 1):reshape({-1}), sums, "csr of columns")
        end
      end
    end)

    it("of " .. dtype .. " do not depend on the order, the layout or the way", function()
      local list = draw(600, dtype, 4)
      local x = tensor(list, dtype)
      local whole = x:sum(EXACT)
      for _ = 1, 5 do
        for i = #list, 2, -1 do
          local j = math.random(i)
          list[i], list[j] = list[j], list[i]
        end
        check(tensor(list, dtype):sum(EXACT), whole:to("cpu"):to("float64"):reshape({-1}):tolist(), "permuted")
      end
      local square = x:view({20, 30})
      local rows, zeros = square:sum(1, EXACT), strew.zeros({30}, {dtype = "int64"})
      local expected = rows:to("cpu"):to("float64"):tolist()
      check(square:t():sum(0, EXACT), expected, "columns")
      check(square:t():contiguous():sum(0, {exact = true, keepdim = true}), expected, "kept")
      check(strew.scatter_sum(square, zeros, 1, EXACT), expected, "scatter")
      check(square:sum({0, 1}, EXACT), whole:to("cpu"):to("float64"):reshape({-1}):tolist(), "dims")
    end)

    it("of " .. dtype .. " have variances about any offset", function()
      local offset = dtype == "float64" and 1e9 or dtype == "float32" and 1e5 or 16
      local list, n, s, q = {}, 40, 0, 0
      for i = 1, n do
        local v = math.random(-8, 8)
        list[i], s, q = offset + v, s + v, q + v * v
      end
      local x, zeros = tensor(list, dtype), strew.zeros({n}, {dtype = "int64"})
      local var = round({(n * q - s * s) + 0.0}, n * (n - 1), dtype)
      check(x:var(EXACT), {var}, "var")
      check(strew.scatter_var(x, zeros, EXACT), {var}, "scatter_var")
      check(strew.group_by(zeros):var(x, EXACT), {var}, "g:var")
      check(x:var{exact = true, correction = 0}, {round({(n * q - s * s) + 0.0}, n * n, dtype)}, "divisor n")
      check(x:var{exact = true, correction = -math.huge}, {0}, "an infinite divisor")
      check(tensor({3.0, 3, 3, 7, 7, 7}, dtype):std{exact = true, unbiased = false}, {2.0}, "std")
      check(tensor({5.0}, dtype):var(EXACT), {0 / 0}, "one element")
      check(strew.scatter_var(tensor({5.0}, dtype), strew.tensor{1}, EXACT), {0.0, 0.0}, "one element, by index")
    end)
  end

  it("are those of tables unless they ask for the loop's", function()
    local list = {1e8, 1.0, 0.25, -1e8, 2.5, 0 / 0}
    local v, k = strew.tensor(list, {dtype = "float32"}), strew.tensor{0, 0, 1, 0, 1, 2}
    local x = strew.table{k = k, v = v, half = v:to "bfloat16"}
    local g, loop = x:group_by "k", {exact = false}
    check(g:sum(v), {1.0, 2.75, 0 / 0}, "sum")
    check(g:sum(v, loop), {0.0, 2.75, 0 / 0}, "sum of the loop")
    check(g:sum(v, {skip_nan = true}), {1.0, 2.75, 0.0}, "skip_nan")
    check(g:mean(v), {0x1.555556p-2, 1.375, 0 / 0}, "mean")
    check(g:mean(v, loop), {0.0, 1.375, 0 / 0}, "mean of the loop")
    check(g:sum(v:view({6, 1}), {dim = 0}), {1.0, 2.75, 0 / 0}, "columns")
    check(g:agg{a = {"sum", "v"}}.a, {1.0, 2.75, 0 / 0}, "agg")
    check(g:agg{a = {"sum", "v", exact = false}}.a, {0.0, 2.75, 0 / 0}, "agg of the loop")
    check(g:agg{a = {"sum", "v * 2"}}.a, {2.0, 5.5, 0 / 0}, "agg of a text")
    if not support.lacks_float64 then
      check(g:agg{a = {"sum", "v", dtype = "float64"}}.a, {1.0, 2.75, 0 / 0}, "agg in float64")
    end
    check(strew.pivot(strew.table{r = k, c = k:mul(0), v = v}, "r", "c", "v", "sum")["0"], {1.0, 2.75, 0 / 0}, "pivot")
    local y = strew.table{v = v:narrow(0, 0, 4)}
    check(strew.assign(y, {s = "0 * v + sum(v)", m = "0 * v + mean(v)"}).s, {1.25, 1.25, 1.25, 1.25}, "text of columns")
    check(strew.expr "sum(v)":with{v = v:narrow(0, 0, 4)}:sum(), {v:narrow(0, 0, 4):sum():item()}, "text of tensors")
    assert.are.equal(0.3125, strew.describe(y).mean:item())
    check(x.v:sum(), {0 / 0}, "tensors")
    check(strew.scatter_sum(v, k), {0.0, 2.75, 0 / 0}, "scatter_sum")
  end)

  it("have the cases of Math.sumPrecise", function()
    local MAX <const>, inf <const>, nan <const> = 0x1.fffffffffffffp1023, math.huge, 0 / 0
    local dtype = dtypes[4]
    if not dtype then return end
    for _, case in ipairs{
      {{1.0, 2.0, 3.0}, 6.0}, {{1e308}, 1e308}, {{1e308, -1e308}, 0.0}, {{0.1}, 0.1}, {{0.1, 0.1}, 0.2},
      {{0.1, -0.1}, 0.0},
      {{1e308, 1e308, 0.1, 0.1, 1e30, 0.1, -1e30, -1e308, -1e308}, 0.30000000000000004},
      {{1e30, 0.1, -1e30}, 0.1}, {{8.98846567431158e307, 8.988465674311579e307, -MAX}, 9.9792015476736e291},
      {{MAX, MAX, -MAX}, MAX}, {{-MAX}, -MAX}, {{MAX, MAX}, inf}, {{-MAX, -MAX}, -inf}, {{inf, inf}, inf},
      {{-inf, -inf}, -inf}, {{inf, -inf}, nan}, {{nan, 1.0}, nan}, {{-0.0, -0.0}, -0.0}, {{-0.0, 0.0}, 0.0}, {{}, 0.0},
      {{0x1p1023, 0x1p1023, 0x1p-1074, -0x1p1023}, 0x1p1023}, {{9007199254740992.0, 1.0, 1.0}, 9007199254740994.0},
      {{9007199254740992.0, 1.0, 0x1p-1074}, 9007199254740994.0}} do
      check(tensor(case[1], dtype):sum(EXACT), {case[2]}, table.concat(case[1], " "))
    end
  end)

  it("have infinities and NaN where there is one", function()
    local inf <const>, nan <const> = math.huge, 0 / 0
    local x, g = strew.tensor{1.0, inf, nan, -inf, inf, -inf, 2}, strew.tensor{0, 1, 2, 3, 4, 4, 0}
    check(strew.scatter_sum(x, g, EXACT), {3.0, inf, nan, -inf, nan}, "groups")
    check(strew.scatter_sum(x, g, {exact = true, skip_nan = true}), {3.0, inf, 0.0, -inf, nan}, "without NaN")
    local options = {fill = 5, dim_size = 2, exact = true}
    local filled = strew.scatter_sum(strew.tensor{-0.0, -0.0}, strew.tensor{0, 0}, options)
    check(filled, {0.0, 5.0}, "zeros in groups")
    check(strew.group_by(g):mean(x, EXACT), {1.5, inf, nan, -inf, nan}, "means")
    check(strew.tensor{1.0, nan, 3}:cumsum(0, EXACT), {1.0, nan, nan}, "cumsum")
    check(strew.tensor{1.0, nan, 3}:nanmean(EXACT), {2.0}, "nanmean")
    check(strew.tensor{1.0, nan, 3}:nansum(EXACT), {4.0}, "nansum")
    check(strew.tensor{1.0, nan, 3}:var{exact = true, skip_nan = true}, {2.0}, "var")
    check(strew.tensor{3e38, 3e38}:dot(strew.tensor{3e38, -3e38}, EXACT), {0.0}, "products beyond the range")
    check(strew.tensor{inf, 1.0}:dot(strew.tensor{2.0, 3e38}, EXACT), {inf}, "products")
    check(strew.tensor{inf, 1.0}:var(EXACT), {nan}, "variance")
  end)

  it("of no elements are 0, means and variances NaN", function()
    local nan <const>, none <const>, ids = 0 / 0, strew.zeros({0}), strew.zeros({0}, {dtype = "int64"})
    check(strew.zeros({0, 2}):sum(0, EXACT), {0.0, 0.0}, "sum")
    check(strew.zeros({0, 2}):mean(0, EXACT), {nan, nan}, "mean")
    check(strew.zeros({0, 2}):var(0, EXACT), {nan, nan}, "var")
    check(strew.zeros({0, 1 << 30, 1 << 30}):sum({1, 2}, EXACT), {}, "results of none")
    check(none:cumsum(0, EXACT), {}, "cumsum")
    check(strew.scatter_sum(none, ids, {dim_size = 2, exact = true}), {0.0, 0.0}, "scatter_sum")
    check(strew.segment_csr(none, strew.tensor{0, 0}, EXACT), {0.0}, "segment_csr")
    local gaps = strew.grouping(strew.tensor{0, 2}, {dim_size = 4})
    check(gaps:mean(strew.tensor{1.0, 2}, EXACT), {1.0, nan, 2.0, nan}, "empty groups")
  end)

  it("are an option of other dtypes, and an error of other reductions", function()
    assert.are.equal(6, strew.tensor{1, 2, 3}:sum(EXACT):item())
    assert.are.equal(6, strew.scatter_sum(strew.tensor{1, 2, 3}, strew.tensor{0, 0, 0}, EXACT)[0])
    assert.has_error(function() return strew.tensor{1.0}:prod(EXACT) end)
    assert.has_error(function() return strew.scatter_max(strew.tensor{1.0}, strew.tensor{0}, EXACT) end)
    local x = strew.tensor{1.0, 2}
    assert.has_error(function() return x:scatter_add_(0, strew.tensor{0, 5}, strew.tensor{1.0, 1}, EXACT) end)
    check(x, {1.0, 2.0}, "nothing is written")
  end)

  it("of windows have the gradients of sums", function()
    local x = strew.tensor{1.0, 2, 3, 4}
    local function f(v) return strew.rolling(v, 2, "sum", {min_count = 1}):sum() end
    check(strew.grad(f)(x), {2.0, 2.0, 2.0, 1.0}, "windows")
  end)

  it("of many negative terms are those of one thread, whatever the threads", function()
    if support.lacks_float64 then return end
    local before = strew.get_num_threads()
    local x = strew.ones(1 << 19, {dtype = "float64"}):neg()
    for threads = 1, 5 do
      strew.set_num_threads(threads)
      assert.are.equal(-(1 << 19), x:sum(EXACT):item())
      assert.are.equal(-1, x:mean(EXACT):item())
      assert.are.equal(-0x1p-1000, (x * 0x1p-1000):mean(EXACT):item())
    end
    strew.set_num_threads(before)
  end)

  it("have the gradients of sums", function()
    local g = strew.tensor{0, 1, 0}
    local function of(options)
      return strew.grad(function(x) return (strew.scatter_sum(x, g, options) * strew.tensor{2.0, 3}):sum() end)(
        strew.tensor{1.0, 2, 3})
    end
    check(of(EXACT), of{}:tolist(), "gradient")
  end)
end)
