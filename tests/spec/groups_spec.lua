-- Reductions of groups beyond sums, products and extremes, and skip_nan, against plain loops over random shapes,
-- dtypes, layouts, indices and modes.
-- devices: no, each random dtype and layout would compile kernels; the digest calls every operation there.
local strew = require "strew"
local support, loops = dofile "tests/spec/support.lua", dofile "tests/spec/loops.lua"
local any_of, is_float, each, made, relaid, with = loops.any, loops.is_float, loops.each, loops.made, loops.relaid,
  loops.moved
local FLOATS, INTEGERS = loops.floats, loops.integers

local inf, nan = math.huge, 0 / 0
local MODES = {"error", "wrap", "clip", "drop"}
local TIMES = strew.zeros(1).device == "cpu" and 40 or 4

local function maybe(value) return math.random(2) == 1 and value or nil end

-- Rounds to float32, unless the dtype is float64: so are results of one operation on 16-bit floats.
local function rounder(dtype)
  if dtype == "float64" then return function(x) return x + 0.0 end end
  return function(x) return x - x ~= 0 and x + 0.0 or (string.unpack("f", string.pack("f", x))) end
end

local function random_values(shape, dtype)
  local special = is_float(dtype) and math.random(2) == 1
  return made(shape, dtype, function()
    if special and math.random(5) == 1 then return any_of{nan, nan, inf, -inf, -0.0} end
    if dtype == "bool" then return math.random(2) == 1 end
    return is_float(dtype) and math.random(-6, 6) / 4 or math.random(0, 5)
  end)
end

-- Random operands: {src, index, options, n}, group(position) of an element, shape of the result.
local function random_case(dtypes)
  local case, shape = {dtype = any_of(dtypes)}, {}
  local rank = math.random(1, 3)
  for d = 1, rank do shape[d] = math.random(6) == 1 and math.random(0, 1) or math.random(2, 5) end
  local dim, n, mode = math.random(0, rank - 1), math.random(1, 4), any_of(MODES)
  local sizes = {}
  if math.random(2) == 1 then
    sizes[1] = shape[dim + 1]
  else
    for d = 1, math.random(1, rank) do sizes[d] = math.random(5) == 1 and 1 or shape[d] end
    if #sizes == 1 then sizes[1] = math.random(5) == 1 and 1 or shape[dim + 1] end
  end
  local low, high = 0, n - 1
  if mode == "wrap" then low = -n elseif mode ~= "error" then low, high = -2, n + 1 end
  local index = made(sizes, any_of{"int64", "int32"}, function() return math.random(low, high) end)
  case.src, case.index, case.dim, case.n, case.shape = random_values(shape, case.dtype), index, dim, n, shape
  case.options = {dim = math.random(2) == 1 and dim or dim - rank, dim_size = n, mode = mode}
  if is_float(case.dtype) and math.random(2) == 1 then case.options.skip_nan = true end
  local first = #sizes == 1 and dim or 0
  function case.group(position)
    local at = {}
    for d = 1, #sizes do at[d] = sizes[d] == 1 and 0 or position[first + d] end
    local value = index:get(table.unpack(at))
    local x = case.src:get(table.unpack(position))
    if case.options.skip_nan and x ~= x then return nil end
    if mode == "wrap" then return value % n end
    if mode == "clip" then return math.max(0, math.min(value, n - 1)) end
    return value >= 0 and value < n and value or nil
  end
  case.result_shape = with(shape, dim, n)
  return case
end

-- Values and positions along dim of the elements of a group.
local function members(case, row)
  local values, positions = {}, {}
  for j = 0, case.shape[case.dim + 1] - 1 do
    local position = with(row, case.dim, j)
    if case.group(position) == row[case.dim + 1] then
      table.insert(values, case.src:get(table.unpack(position)))
      table.insert(positions, j)
    end
  end
  return values, positions
end

local function same(expected, got, what)
  assert.equal(support.text(expected), support.text(got), what)
end

local function describe_case(name, case)
  local o = case.options
  return ("%s of %s by %s, dim = %d, mode = %s, skip_nan = %s, %s"):format(name, support.text(case.src),
    support.text(case.index), case.dim, o.mode, o.skip_nan, o.interpolation)
end

local function options_of(case, more)
  local options = {}
  for key, value in pairs(case.options) do options[key] = value end
  for key, value in pairs(more or {}) do options[key] = value end
  return options
end

-- Compares an operation with expected(values, positions) for each group.
local function check_rows(name, dtypes, result_dtype, expected, more, times)
  for _ = 1, times or TIMES do
    local case, extra = random_case(dtypes), more and more() or {}
    local wanted = made(case.result_shape, result_dtype or case.dtype, function(row)
      local values, positions = members(case, row)
      return expected(values, case, extra, positions)
    end)
    local got = strew[name](relaid(case.src), relaid(case.index), options_of(case, extra))
    same(wanted, got, describe_case(name, case))
  end
end

-- A stable sort: both zeros are equal.
local function sorted(values)
  local list = {}
  for _, x in ipairs(values) do
    local i = #list
    while i > 0 and list[i] > x do i = i - 1 end
    table.insert(list, i + 1, x)
  end
  return list
end

local function has_nan(values)
  for _, x in ipairs(values) do if x ~= x then return true end end
  return false
end

local function empty_value(case, extra)
  if extra.fill ~= nil then return extra.fill end
  return is_float(case.dtype) and nan or 0
end

-- The variance in plain loops, in float64. Of float64 the first element is subtracted before.
local function variance(values, case, extra, offset)
  local sum, squares, count = 0.0, 0.0, #values
  local first = case.dtype == "float64" and values[1] or 0
  for _, x in ipairs(values) do sum = sum + (x - first) end
  local mean = sum / math.max(count, 1)
  for _, x in ipairs(values) do squares = squares + (x - first - mean) ^ 2 end
  return squares / (math.max(extra.unbiased == false and count or count - 1, 1) + (offset or 0))
end

local function unbiased() return {unbiased = any_of{true, false}} end
local function fills() return {fill = maybe(7)} end

local function close(expected, got, tolerance)
  return expected == got or expected ~= expected and got ~= got
    or math.abs(expected - got) <= tolerance * math.max(1, math.abs(expected))
end

local tolerances = {float64 = 1e-14, float32 = 1e-6, float16 = 1e-3, bfloat16 = 1e-2}

local function check_close(wanted, got, dtype, what)
  assert.equal(dtype, got.dtype, what)
  assert.same(wanted.shape, got.shape, what)
  local a, b = wanted:reshape(-1):tolist(), got:reshape(-1):tolist()
  for i = 1, #a do
    if not close(a[i], b[i], tolerances[dtype]) then
      error(("%s: element %d is %s, expected %s"):format(what, i - 1, b[i], a[i]), 2)
    end
  end
end

local function is_larger(a, b) return a > b or a == 0 and b == 0 and 1 / a > 1 / b end

local function log_sum(values)
  local largest = -inf
  for _, x in ipairs(values) do
    if x ~= x then return nan end
    largest = math.max(largest, x)
  end
  if largest - largest ~= 0 then return largest end
  local sum = 0.0
  for _, x in ipairs(values) do sum = sum + math.exp(x - largest) end
  return largest + math.log(sum)
end

describe("groups", function()
  before_each(function()
    math.randomseed(11)
    strew.manual_seed(11)
  end)

  it("have the variance and the deviation of two passes, to the bit", function()
    check_rows("scatter_var", FLOATS, nil, function(values, case, extra)
      return rounder(case.dtype)(variance(values, case, extra))
    end, unbiased)
    check_rows("scatter_std", FLOATS, nil, function(values, case, extra)
      local squared = variance(values, case, extra, 1e-6)
      return rounder(case.dtype)(squared == squared and squared < inf and math.sqrt(squared) or squared)
    end, unbiased)
  end)

  it("have a variance that what all values have in common does not change", function()
    -- offset + step * k is exact, and so is the variance in integers
    for _, row in ipairs{{"float32", 0, 1}, {"float32", 1e6, 0.0625}, {"float32", 1e8, 8}, {"float32", -1e30, 2.0 ^ 77},
                         {"float64", 1e15, 0.125}, {"float64", 1e300, 2.0 ^ 950}, {"float16", 1024, 1},
                         {"bfloat16", 256, 2}, {"float32", 1e-30, 2.0 ^ -120}, {"float64", 1e-300, 2.0 ^ -1040}} do
      local dtype, offset, step = table.unpack(row)
      if dtype ~= "float64" or not support.lacks_float64 then
        for _ = 1, TIMES // 4 do
          local n, length, sums, squares, counts = 4, math.random(1, 40), {}, {}, {}
          local values, ids = {}, {}
          for g = 0, n - 1 do sums[g], squares[g], counts[g] = 0, 0, 0 end
          for i = 1, length do
            local g = math.random(0, n - 1)
            local k = g == 0 and 3 or math.random(0, 60) -- the first group is constant
            values[i], ids[i] = offset + step * k, g
            sums[g], squares[g], counts[g] = sums[g] + k, squares[g] + k * k, counts[g] + 1
          end
          local index, src = strew.tensor(ids, {dtype = "int64"}), strew.tensor(values, {dtype = dtype})
          local exact = src:tolist() -- 1e6 and others are rounded: the step is what counts
          for i = 1, length do assert.equal(0, (exact[i] - exact[1]) / step % 1) end
          local options = {dim_size = n}
          local got = strew.scatter_std(src, index, {dim_size = n, unbiased = false}):tolist()
          local var, two = strew.scatter_var(src, index, options),
            strew.scatter_var(strew.stack({src, src}, 1), index, {dim = 0, dim_size = n})
          local g = strew.grouping(index, options)
          local own = var:masked_fill(g.counts:le(1), nan) -- methods have NaN where one less leaves no element
          same(own, g:var(src), dtype)
          same(own, g:agg{v = {"var", src}}.v, dtype)
          same(var, two:select(1, 1), dtype)
          local nan_too = strew.tensor({nan, table.unpack(values)}, {dtype = dtype})
          same(var, strew.scatter_var(nan_too, strew.tensor({0, table.unpack(ids)}, {dtype = "int64"}),
            {dim_size = n, skip_nan = true}), dtype)
          for k = 0, n - 1 do
            local count = counts[k]
            local exact_squares = (count * squares[k] - sums[k] ^ 2) / math.max(count, 1)
            local wanted = exact_squares / math.max(count - 1, 1) * step * step
            local tolerance = ({float64 = 1e-15, float32 = 1.2e-7, float16 = 1e-3, bfloat16 = 8e-3})[dtype]
            if wanted > 1e-30 and wanted < 1e30 then
              assert.is_true(math.abs(var:get(k) / wanted - 1) <= tolerance, dtype .. " " .. k)
            end
            wanted = math.sqrt(exact_squares / (math.max(count, 1) + 1e-6)) * step
            assert.is_true(math.abs(got[k + 1] - wanted) <= tolerance * wanted, dtype .. " " .. k)
          end
        end
      end
    end
  end)

  it("have a variance that many values do not change", function()
    if support.lacks_float64 then return pending "without float64, which the device lacks" end
    local n = 1000000
    local k = strew.arange(n) * 7919 % 1001
    local exact = strew.scatter_var(k, strew.zeros(n, {dtype = "int64"}), {dtype = "float64"}):item()
    local sum, squares = k:sum():item(), (k * k):sum():item()
    assert.is_true(math.abs((squares - sum * sum / n) / (n - 1) / exact - 1) < 1e-12)
    local got = strew.scatter_var((k + 1000 * 256):to("float32") / 256, strew.zeros(n, {dtype = "int64"})):item()
    assert.is_true(math.abs(got * 65536 / exact - 1) < 1e-7)
  end)

  it("have medians and numbers of distinct values like a loop", function()
    local all = {"float32", "float16", "bool", table.unpack(INTEGERS)}
    check_rows("scatter_median", {"float32", "bfloat16", table.unpack(INTEGERS)}, nil, function(values, case, extra)
      if #values == 0 then return empty_value(case, extra) end
      return has_nan(values) and nan or sorted(values)[(#values + 1) // 2]
    end, fills)
    check_rows("scatter_nunique", all, "int64", function(values)
      local seen, count = {}, 0
      for _, x in ipairs(values) do
        local key = x ~= x and "nan" or x == 0 and "zero" or x
        if not seen[key] then seen[key], count = true, count + 1 end
      end
      return count
    end)
  end)

  it("have quantiles like NumPy's", function()
    local function choices(words)
      return function()
        return {interpolation = any_of(words), q = any_of{0, 1, 0.5, 0.25, 0.3, 1 / 3, 0.9}, fill = maybe(7)}
      end
    end
    local strew_quantile = strew.scatter_quantile
    local function call(src, index, options)
      local q = options.q
      options.q = nil
      return strew_quantile(src, index, q, options)
    end
    local function expected(values, case, extra)
      if #values == 0 then return empty_value(case, extra) end
      if has_nan(values) then return nan end
      local list, rank = sorted(values), extra.q * (#values - 1)
      local below, above = math.floor(rank), math.ceil(rank)
      local part, word = rank - below, extra.interpolation
      if word == "lower" then return list[below + 1] end
      if word == "inverted_cdf" then return list[math.max(math.ceil(extra.q * #values), 1)] end
      if word == "higher" then return list[above + 1] end
      if word == "nearest" then
        local is_up = part > 0.5 or part == 0.5 and below % 2 == 1
        return list[is_up and above + 1 or below + 1]
      end
      local round = rounder(case.dtype)
      if word == "midpoint" and part > 0 then part = 0.5 end
      local a, b, t = list[below + 1], list[above + 1], round(part)
      if t == 0 or a == b then return a end
      local gap = round(b - a)
      return t < 0.5 and round(a + round(gap * t)) or round(b - round(gap * round(1 - t)))
    end
    strew.quantile_of_test = call
    check_rows("quantile_of_test", FLOATS, nil, expected, choices{"linear", "midpoint"}, 2 * TIMES)
    check_rows("quantile_of_test", {"float32", table.unpack(INTEGERS)}, nil, expected,
      choices{"lower", "higher", "nearest", "inverted_cdf"}, 2 * TIMES)
    strew.quantile_of_test = nil
  end)

  it("have quantiles of many elements as these have alone", function()
    local function bits(t) return support.text(loops.is_float(t.dtype) and strew.stack{t, 1 / t} or t) end
    local count, threads = 900, strew.get_num_threads()
    for _, dtype in ipairs{"bool", table.unpack(loops.dtypes, 2)} do
      local floats, words = loops.is_float(dtype), {"lower", "higher", "nearest", "inverted_cdf"}
      if floats then table.insert(words, "linear") table.insert(words, "midpoint") end
      for turn = 1, 2 * TIMES do
        local list = {}
        for i = 1, 2 * count do
          list[i] = math.random(-100, 100) / 8
          if turn % 2 == 0 then list[i] = any_of{-0.0, 0.0, -1.0, 2.0, math.huge, -math.huge, 0.5} end
          if not floats then list[i] = math.random(dtype == "uint8" and 0 or -120, 120) end
          if dtype == "bool" then list[i] = list[i] > 0 end
        end
        if floats and turn % 3 == 0 then list[math.random(#list)] = nan end
        local src = strew.tensor(list, {dtype = dtype}):view(count, 2)
        local index = strew.rand(count):pow(3):mul(6):to("int64")
        local q, word = any_of{0, 1, 0.5, 0.25, 0.75, 0.125}, any_of(words) -- exact in every dtype
        local sources = {src:select(1, 1), src, src:t():contiguous():t()}
        for _, one in ipairs(sources) do
          strew.set_num_threads(any_of{1, 2, 3, 7})
          local got = strew.scatter_quantile(one, index, q, {dim = 0, interpolation = word, dim_size = 6})
          if one:dim() == 1 then
            local g = strew.grouping(index, {dim_size = 6})
            assert.equal(bits(got), bits(g:quantile(one, q, {interpolation = word})))
          end
          for group = 0, 5 do
            for column = 0, one:dim() - 1 do
              local values = (one:dim() == 1 and one or one:select(1, column))[index:eq(group)]
              local result = one:dim() == 1 and got or got:select(1, column)
              if floats and #values > 0 then
                local alone = values:quantile(q, 0, {interpolation = word}):view(1)
                assert.equal(bits(alone), bits(result:narrow(0, group, 1)))
              elseif #values > 0 then
                local rank = q * (#values - 1)
                local at = word == "inverted_cdf" and math.max(math.ceil(q * #values) - 1, 0)
                  or word == "lower" and rank // 1 or word == "higher" and math.ceil(rank)
                  or rank % 1 == 0.5 and (rank // 1 + rank // 1 % 2) or (rank + 0.5) // 1
                assert.equal((values:sort())[at // 1 | 0], result[group])
              end
            end
          end
        end
      end
    end
    strew.set_num_threads(threads)
  end)

  it("have any, all, first and last like a loop", function()
    local all = {"float32", "bool", "float16", "int64", "uint8"}
    check_rows("scatter_any", all, "bool", function(values)
      for _, x in ipairs(values) do if x ~= 0 and x ~= false then return true end end
      return false
    end)
    check_rows("scatter_all", all, "bool", function(values)
      for _, x in ipairs(values) do if x == 0 or x == false then return false end end
      return true
    end)
    local numbers = {"float32", "float16", "int64", "uint8"}
    check_rows("scatter_first", numbers, nil, function(values, _, extra) return values[1] or extra.fill or 0 end, fills)
    check_rows("scatter_last", numbers, nil, function(values, _, extra)
      return values[#values] or extra.fill or 0
    end, fills)
  end)

  it("have logarithms of sums of exponentials that neither overflow nor lose -inf", function()
    for _ = 1, 2 * TIMES do
      local case = random_case(FLOATS)
      local scale = case.dtype == "float16" and 1 or any_of{1, 500}
      case.src = case.src * scale
      local what = describe_case("logsumexp", case)
      local wanted = made(case.result_shape, case.dtype, function(row)
        local values = members(case, row)
        return #values == 0 and 0 or log_sum(values)
      end)
      check_close(wanted, strew.scatter_logsumexp(relaid(case.src), case.index, options_of(case)), case.dtype, what)
      -- a given result takes part
      local start = random_values(case.result_shape, case.dtype)
      wanted = made(case.result_shape, case.dtype, function(row)
        local values = members(case, row)
        local old = start:get(table.unpack(row))
        if #values == 0 then return old end
        table.insert(values, 1, old)
        return log_sum(values)
      end)
      local out = relaid(start:clone())
      local options = options_of(case, {out = out})
      options.dim_size = nil
      assert.equal(out, strew.scatter_logsumexp(case.src, case.index, options))
      check_close(wanted, out, case.dtype, what .. " out " .. support.text(start))
    end
  end)

  it("have softmax and its logarithm like a loop", function()
    for _ = 1, 2 * TIMES do
      local case = random_case(FLOATS)
      case.options.skip_nan = nil
      local function wanted(is_log)
        return made(case.shape, case.dtype, function(position)
          local group = case.group(position)
          if not group then return 0 end
          local values = members(case, with(position, case.dim, group))
          local total = log_sum(values)
          local x = case.src:get(table.unpack(position))
          if total - total ~= 0 then return nan end -- NaN, inf, or nothing but -inf
          return is_log and x - total or math.exp(x - total)
        end)
      end
      local what = describe_case("softmax", case)
      local got = strew.scatter_softmax(relaid(case.src), case.index, options_of(case))
      check_close(wanted(false), got, case.dtype, what)
      check_close(wanted(true), strew.scatter_log_softmax(case.src, case.index, options_of(case)), case.dtype, what)
    end
  end)

  it("are counted like a loop, in any shape of the index", function()
    for _ = 1, TIMES do
      local case = random_case{"int64"}
      local counts = {}
      for i = 1, case.n do counts[i] = 0 end
      local src = case.index
      each(src.shape, function(position)
        local value, mode = src:get(table.unpack(position)), case.options.mode
        if mode == "wrap" then value = value % case.n end
        if mode == "clip" then value = math.max(0, math.min(value, case.n - 1)) end
        if counts[value + 1] then counts[value + 1] = counts[value + 1] + 1 end
      end)
      same(strew.tensor(counts), relaid(src):scatter_count{dim_size = case.n, mode = case.options.mode})
    end
    same(strew.tensor{0, 0, 1}, strew.scatter_count(strew.tensor(2)))
    same(strew.zeros(0, {dtype = "int64"}), strew.scatter_count(strew.zeros(0)))
  end)

  it("leave NaN out of sums, products, means and extremes, as if it were not there", function()
    local words = {"sum", "prod", "mean", "amax", "amin"}
    for _ = 1, 2 * TIMES do
      local case = random_case{"float32", "float16", "bfloat16"}
      case.options.skip_nan = true
      local kept = {}
      each(case.shape, function(position) if case.group(position) then table.insert(kept, position) end end)
      local reduce, dim = any_of(words), case.dim
      -- the same elements, one by one, joined with what came before
      local fill = maybe(7)
      local wanted = made(case.result_shape, case.dtype, function(row)
        local values = members(case, row)
        if #values == 0 then return fill or reduce == "prod" and 1 or 0 end
        local line = strew.tensor(values, {dtype = case.dtype})
        return strew.scatter(line, strew.zeros(#values, {dtype = "int64"}), {reduce = reduce}):item()
      end)
      local what = describe_case(reduce, case)
      same(wanted, strew.scatter(relaid(case.src), case.index, options_of(case, {reduce = reduce, fill = fill})), what)
      -- into a given result, and arg
      local start = made(case.result_shape, case.dtype, function() return math.random(-3, 3) end)
      local options = options_of(case, {out = start:clone()})
      options.dim_size = nil
      local out, arg = strew.scatter_max(case.src, case.index, options)
      same(made(case.result_shape, case.dtype, function(row)
        local largest = start:get(table.unpack(row))
        for _, x in ipairs(members(case, row)) do if is_larger(x, largest) then largest = x end end
        return largest
      end), out, what)
      same(made(case.result_shape, "int64", function(row)
        local largest, at = start:get(table.unpack(row)), case.shape[dim + 1]
        local values, positions = members(case, row)
        for i, x in ipairs(values) do if is_larger(x, largest) then largest, at = x, positions[i] end end
        return at
      end), arg, what)
    end
    local t, index = strew.tensor{1, nan, 3}, strew.tensor{0, 0, 1}
    if not support.lacks_float64 then
      same(strew.tensor({1, 3}, "float64"), t:scatter_mean(index, {skip_nan = true, dtype = "float64"}))
    end
    same(strew.tensor{1, 2}, strew.tensor{1, 2}:scatter_sum(strew.tensor{0, 1}, {skip_nan = true})) -- integers
  end)

  it("take operands of rank 0, and empty ones", function()
    local zero, none = strew.tensor(0), strew.zeros(0)
    for name, expected in pairs{
      scatter_var = "float32[1] {0.0}", scatter_std = "float32[1] {0.0}", scatter_logsumexp = "float32[1] {2.0}",
      scatter_softmax = "float32[] 1.0", scatter_log_softmax = "float32[] 0.0", scatter_median = "float32[1] {2.0}",
      scatter_nunique = "int64[1] {1}", scatter_any = "bool[1] {true}", scatter_all = "bool[1] {true}",
      scatter_first = "float32[1] {2.0}", scatter_last = "float32[1] {2.0}",
    } do
      local t = strew.tensor(2.0)
      assert.equal(expected, support.text(t[name](t, zero)), name)
      local is_soft = name:find "softmax"
      assert.same(is_soft and {0} or {3}, strew[name](none, none, {dim_size = 3}).shape, name)
      assert.same({0}, strew[name](none, none:to("int32")).shape, name)
      local wide = strew.zeros(2, 0):scatter_any(strew.zeros(2, 0):to("int64"), {dim = 0})
      assert.same({0, 0}, wide.shape)
    end
    for _, word in ipairs{"sum", "var", "std", "logsumexp", "softmax", "log_softmax", "median", "nunique", "any", "all",
                          "first", "last"} do -- values of an index that nothing goes with do not matter
      local f, is_soft = strew["scatter_" .. word], word:find "softmax"
      local wrapped = f(strew.zeros(3, 0), strew.full({3, 1}, -1), {dim = 0, mode = "wrap"})
      assert.same({is_soft and 3 or 0, 0}, wrapped.shape, word)
      local sized = f(strew.zeros(3, 0, 3), strew.tensor({5, -1, 0}, {dtype = "int32"}), {dim = 2, dim_size = 0})
      assert.same({3, 0, is_soft and 3 or 0}, sized.shape, word)
    end
    same(strew.tensor{2.0}, strew.scatter_quantile(strew.tensor(2.0), zero, 0.5))
    same(strew.tensor{nan, nan}, strew.scatter_quantile(none, none, 0.5, {dim_size = 2}))
  end)

  it("give the same bits on 1, 2 and 3 threads", function()
    if strew.zeros(1).device ~= "cpu" then return end
    local n = 60000
    local src, index = strew.randn(n), strew.randint(0, 997, {n})
    local wide, rows = strew.randn(1000, 50), strew.randint(0, 7, {1000})
    local names = {"var", "std", "logsumexp", "softmax", "log_softmax", "median", "nunique", "any", "all", "first",
      "last"}
    local function results()
      local list = {strew.scatter_quantile(src, index, 0.3), strew.scatter_count(index)}
      local holed = src:masked_fill(src:gt(1), nan)
      for _, name in ipairs(names) do
        table.insert(list, strew["scatter_" .. name](src, index))
        table.insert(list, strew["scatter_" .. name](wide, rows, {dim = 0}))
      end
      for _, word in ipairs{"sum", "prod", "mean", "amax", "amin"} do
        table.insert(list, strew.scatter(holed, index, {reduce = word, skip_nan = true}))
      end
      return list
    end
    loops.same_on_threads(results)
  end)

  it("refuse what the group form refuses, and name their own arguments", function()
    local environment = {
      strew = strew, src = strew.tensor{1.0, 2, 3}, int = strew.tensor{1, 2, 3}, index = strew.tensor{0, 1, 4},
      square = strew.tensor{{0, 1}, {2, -1}}, wide = strew.ones(2, 2),
    }
    local function refused(code, message)
      local f = assert(load(code, code, "t", environment))
      assert.equal(message, (support.message(f):gsub("\n.*", "")))
    end
    for _, name in ipairs{"var", "std", "logsumexp", "softmax", "log_softmax"} do
      refused(("strew.scatter_%s(int, index)"):format(name),
        ("scatter_%s: 'src' is int64, expected a float dtype"):format(name))
    end
    for _, name in ipairs{"var", "std", "logsumexp", "softmax", "log_softmax", "median", "nunique", "any", "all",
      "first", "last"} do
      local function each_refused(arguments, message)
        refused(("strew.scatter_%s(%s)"):format(name, arguments), ("scatter_%s: %s"):format(name, message))
      end
      each_refused("src, index, {dim_size = 3}",
        "'index' has value 4 at [2], out of range for dim 0 of the result (size 3, valid 0..2)")
      assert.same({2}, strew.last_error().pos)
      each_refused("wide, square, {dim_size = 3, mode = 'wrap', dim = 0.5}", "'dim' is 0.5, expected an integer")
      each_refused("wide, square, 2", "'dim' is 2, out of range for 2 dimensions (valid -2..1)")
      each_refused("wide, square, {dim = 0}",
        "'index' has value -1 at [1, 1], out of range for dim 0 of the result (size 3, valid 0..2)")
      each_refused("src, src", "'index' is float32, expected an integer dtype")
      each_refused("src, square", "'index' has 2 dimensions, src only 1: it does not broadcast to src")
      each_refused("wide, index, 0",
        "'index' has size 3 where src has 2 in dim 0: it does not broadcast to src's shape [2, 2]")
      each_refused("src, index, {dim_size = -1}", "'dim_size' is -1, expected 0 or more")
      each_refused("src, index, {mode = 'skip'}", "'mode' is \"skip\", expected one of error, wrap, clip, drop")
      each_refused("src, index, {dim_size = 0, mode = 'clip'}",
        "'mode' is \"clip\", but dim 0 of the result has size 0: there is nothing to clip to")
    end
    refused("strew.scatter_quantile(src, index, 1.5)", "scatter_quantile: 'q' is 1.5, expected a number from 0 to 1")
    refused("strew.scatter_quantile(src, index, 0/0)", "scatter_quantile: 'q' is nan, expected a number from 0 to 1")
    refused("strew.scatter_quantile(int, index, 0.5)",
      "scatter_quantile: 'src' is int64, expected a float dtype for interpolation = \"linear\"")
    refused("strew.scatter_quantile(src, index, 0.5, {interpolation = 'cubic'})",
      "scatter_quantile: 'interpolation' is \"cubic\", expected one of linear, lower, higher, midpoint, nearest, "
        .. "inverted_cdf")
    local found = support.message(strew.scatter_count, strew.tensor{0, -3})
    assert.matches("^scatter_count: 'index' has value %-3 at %[1%].-\n  index  int64%[2%] %g+\n  hint", found)
    assert.truthy(support.message(strew.fill_, strew.grouping(strew.tensor{0}), strew.tensor{"a"}):find(
      "fill_: 'self' is a grouping, expected a tensor", 1, true))
    refused("strew.scatter_count(square, {dim_size = 2})",
      "scatter_count: 'index' has value 2 at [1, 0], out of range for dim 0 of the result (size 2, valid 0..1)")
    assert.same({1, 0}, strew.last_error().pos)
    refused("strew.scatter_count(square - 3, {dim_size = 3, mode = 'wrap'})",
      "scatter_count: 'index' has value -4 at [1, 1], out of range for dim 0 of the result (size 3, valid -3..2)")
    refused("strew.scatter_count(index, {dim_size = 2})",
      "scatter_count: 'index' has value 4 at [2], out of range for dim 0 of the result (size 2, valid 0..1)")
    refused("strew.scatter_sum(src / 0 * 0, index, {dim_size = 3, skip_nan = true})",
      "scatter_sum: 'index' has value 4 at [2], out of range for dim 0 of the result (size 3, valid 0..2)")
    refused("strew.scatter_sum(src, index, {skip_nan = 1})", "scatter_sum: 'skip_nan' is 1, expected a boolean")
    refused("strew.scatter_median(int, index, {fill = 0.5})",
      "scatter_median: 'fill' is 0.5, which int64 cannot hold: expected an integer in its range")
    refused("strew.scatter_last(int, index, {fill = int})",
      "scatter_last: 'fill' is a tensor, expected a number or boolean")
  end)

  it("leave a given result alone if anything is wrong", function()
    local out = strew.tensor{1.0, 2}
    local function refused(message, src, index, options)
      options.out = options.out or out
      assert.equal(message, (support.message(strew.scatter_logsumexp, src, index, options):gsub("\n.*", "")))
      same(strew.tensor{1.0, 2}, out)
    end
    local src = strew.tensor{1.0, 2, 3}
    refused("scatter_logsumexp: 'index' has value 2 at [1], out of range for dim 0 of the result (size 2, valid 0..1)",
      src, strew.tensor{0, 2, 1}, {})
    refused("scatter_logsumexp: 'out' is int64, expected float32", src, strew.tensor{0, 1, 1},
      {out = strew.tensor{1, 2}})
    refused("scatter_logsumexp: 'src' shares elements with the tensor written in place", out, strew.tensor{0, 1}, {})
    refused("scatter_logsumexp: 'out' overlaps itself (an expanded view?) and cannot be written in place", src,
      strew.tensor{0, 1, 1}, {out = strew.zeros(1):expand(2)})
    refused("scatter_logsumexp: 'fill' cannot be combined with 'out', which keeps the values of empty groups",
      src, strew.tensor{0, 1, 1}, {fill = 1})
  end)
end)
