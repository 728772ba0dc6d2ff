-- Segments, searches and histograms, against plain loops.
-- devices: no, each random dtype and layout would compile kernels; the digest calls every operation there.
local strew = require "strew"
local support, loops = dofile "tests/spec/support.lua", dofile "tests/spec/loops.lua"
local any_of, is_float, each, made, relaid, with = loops.any, loops.is_float, loops.each, loops.made, loops.relaid,
  loops.moved
local FLOATS = loops.floats

local inf, nan = math.huge, 0 / 0
local TIMES = strew.zeros(1).device == "cpu" and 60 or 6
local NUMBERS = {"int64", "int32", "int16", "int8", "uint8", table.unpack(FLOATS)}
local REDUCTIONS = {"sum", "add", "prod", "mul", "mean", "max", "amin", "min", "amax"}

local function maybe(value) return math.random(2) == 1 and value or nil end
-- The message without its lines about tensors.
local function without_tensors(message) return (message:gsub("\n  %w+ +%w+%[[^\n]*", ""):gsub("hint +", "hint  ")) end
local function same(expected, got, what) assert.equal(support.text(expected), support.text(got), what) end

local function random_values(shape, dtype)
  local special = is_float(dtype) and math.random(3) == 1
  return made(shape, dtype, function()
    if special and math.random(6) == 1 then return any_of{nan, inf, -inf} end
    return is_float(dtype) and math.random(-6, 6) / 4 or math.random(0, 5)
  end)
end

-- n + 1 sorted numbers of 0..size as the ends of n segments.
local function random_ends(n, size, is_whole)
  local ends = {}
  for i = 1, n + 1 do ends[i] = math.random(0, size) end
  if is_whole then ends[1], ends[n + 1] = n == 0 and size or 0, size end
  table.sort(ends)
  return ends
end

-- Operands: src, ends of segments along dim (leading sizes of src, or 1) as tensor, n segments.
local function random_case(dtypes, is_whole)
  local case, shape, rank = {dtype = any_of(dtypes)}, {}, math.random(1, 3)
  for d = 1, rank do shape[d] = math.random(6) == 1 and math.random(0, 1) or math.random(2, 5) end
  local dim = math.random(0, rank - 1)
  local n = is_whole and math.random(1, 4) or math.random(0, 4)
  local leading = {}
  for d = 1, dim do leading[d] = math.random(3) == 1 and 1 or shape[d] end
  local ends = {}
  each(leading, function()
    for _, x in ipairs(random_ends(n, shape[dim + 1], is_whole)) do table.insert(ends, x) end
  end)
  local sizes = {table.unpack(leading)}
  sizes[dim + 1] = n + 1
  case.ends = #ends == 0 and strew.zeros(sizes, {dtype = "int64"}) or strew.tensor(ends):view(sizes)
  case.src, case.dim, case.n, case.shape, case.leading = random_values(shape, case.dtype), dim, n, shape, leading
  case.result_shape = with(shape, dim, n)
  -- An end of the segments of a row.
  function case.end_of(row, i)
    local at = {}
    for d = 1, dim do at[d] = leading[d] == 1 and 0 or row[d] end
    at[dim + 1] = i
    return case.ends:get(table.unpack(at))
  end
  return case
end

-- The values of a segment; `row` is a position of the result.
local function members(case, row)
  local values, dim = {}, case.dim
  local i = row[dim + 1]
  for j = case.end_of(row, i), case.end_of(row, i + 1) - 1 do
    table.insert(values, case.src:get(table.unpack(with(row, dim, j))))
  end
  return values, case.end_of(row, i)
end

local wrapped = {int8 = {8, true}, uint8 = {8, false}, int16 = {16, true}, int32 = {32, true}, int64 = {64, true}}

local function wrap(x, dtype)
  local bits, is_signed = table.unpack(wrapped[dtype])
  if bits == 64 then return x end
  x = x & (1 << bits) - 1
  return is_signed and x >> (bits - 1) == 1 and x - (1 << bits) or x
end

-- A reduction in a plain loop: with a start, it is joined first. 16-bit floats join in float32.
local function reduce_loop(values, reduce, dtype, start)
  local function round(x)
    if dtype == "float64" or x - x ~= 0 then return x end
    if not is_float(dtype) then return wrap(x, dtype) end
    return (string.unpack("f", string.pack("f", x)))
  end
  local result, at = start, nil
  for i, x in ipairs(values) do
    if result == nil then
      result, at = x, i
    elseif reduce == "max" or reduce == "amax" then
      if result == result and (x ~= x or x > result) then result, at = x, i end
    elseif reduce == "min" or reduce == "amin" then
      if result == result and (x ~= x or x < result) then result, at = x, i end
    elseif reduce == "prod" or reduce == "mul" then
      result = round(result * x)
    else
      result = round(result + x)
    end
  end
  if reduce == "mean" then
    result = is_float(dtype) and result / #values or wrap(result // #values, dtype)
  end
  return result, at
end

local function row_text(case) return support.text(case.src) .. " by " .. support.text(case.ends) end

local function is_extreme(reduce) return reduce:find "max" or reduce:find "min" end
local function is_product(reduce) return reduce == "prod" or reduce == "mul" end

describe("segments", function()
  before_each(function()
    math.randomseed(5)
    strew.manual_seed(5)
  end)

  it("by their ends are reduced like a loop", function()
    for _ = 1, 4 * TIMES do
      local case, reduce = random_case(NUMBERS), any_of(REDUCTIONS)
      local what = reduce .. " of " .. row_text(case)
      local wanted = made(case.result_shape, case.dtype, function(row)
        local values = members(case, row)
        if #values == 0 then return is_product(reduce) and 1 or 0 end
        return (reduce_loop(values, reduce, case.dtype))
      end)
      local ends = relaid(case.ends:to(any_of{"int64", "int32"}))
      local got = table.pack(strew.segment_csr(relaid(case.src), ends, {reduce = reduce}))
      same(wanted, got[1], what)
      assert.equal(is_extreme(reduce) and 2 or 1, got.n)
      local args = is_extreme(reduce) and made(case.result_shape, "int64", function(row)
        local values, first = members(case, row)
        local _, at = reduce_loop(values, reduce, case.dtype)
        return at and first + at - 1 or case.shape[case.dim + 1]
      end)
      if args then same(args, got[2], what) end
      local out = relaid(random_values(case.result_shape, case.dtype))
      local given, arg = case.src:segment_csr(ends, {reduce = reduce, out = out})
      assert.equal(out, given)
      same(wanted, out, what)
      if args then same(args, arg, what) end
    end
  end)

  it("are reduced from lengths and offsets like a loop, empty ones by PyTorch's rule", function()
    local empty = {sum = 0, add = 0, prod = 1, mul = 1, mean = nan, max = -inf, amax = -inf, min = inf, amin = inf}
    local lowest = {int64 = math.mininteger, int32 = -1 << 31, int16 = -1 << 15, int8 = -128, uint8 = 0}
    local highest = {int64 = math.maxinteger, int32 = (1 << 31) - 1, int16 = (1 << 15) - 1, int8 = 127, uint8 = 255}
    for _ = 1, 4 * TIMES do
      local case, reduce = random_case(NUMBERS, true), any_of(REDUCTIONS)
      local initial = maybe(3)
      local wanted = made(case.result_shape, case.dtype, function(row)
        local values = members(case, row)
        if #values == 0 and initial then return initial end
        if #values > 0 then return (reduce_loop(values, reduce, case.dtype, initial)) end
        if is_float(case.dtype) or math.abs(empty[reduce]) < inf then return empty[reduce] end
        return reduce == "mean" and 0 or empty[reduce] == -inf and lowest[case.dtype]
          or empty[reduce] == inf and highest[case.dtype] or 0
      end)
      local what = ("%s from %s of %s"):format(reduce, initial, row_text(case))
      local axis = case.dim - (math.random(2) == 1 and #case.shape or 0)
      local options = {offsets = case.ends, axis = axis, initial = initial}
      same(wanted, strew.segment_reduce(relaid(case.src), reduce, options), what)
      local lengths = case.ends:diff():to(any_of{"int64", "int32"})
      same(wanted, case.src:segment_reduce(reduce, {lengths = relaid(lengths), axis = axis, initial = initial}), what)
    end
    same(strew.tensor{true, false}, strew.tensor{true}:segment_reduce("min", {lengths = strew.tensor{0, 1}}) &
      strew.tensor{true, false})
    same(strew.tensor{false}, strew.zeros(0, {dtype = "bool"}):segment_reduce("max", {lengths = strew.tensor{0}}))
  end)

  it("give their values back to their elements", function()
    for _ = 1, 2 * TIMES do
      local case = random_case(NUMBERS, true)
      local src = random_values(case.result_shape, case.dtype)
      local has_rows = case.ends:numel() > 0
      local shape = has_rows and case.shape or with(case.shape, case.dim, 0)
      local wanted = made(shape, case.dtype, function(position)
        local i = 0
        while position[case.dim + 1] >= case.end_of(position, i + 1) do i = i + 1 end
        return src:get(table.unpack(with(position, case.dim, i)))
      end)
      same(wanted, strew.gather_csr(relaid(src), relaid(case.ends)))
    end
  end)

  it("by a sorted index are the group form, and back", function()
    for _ = 1, 2 * TIMES do
      local case, reduce = random_case(NUMBERS), any_of(REDUCTIONS)
      local sizes = {table.unpack(case.leading)}
      sizes[case.dim + 1] = case.shape[case.dim + 1]
      local index = strew.randint(0, 4, sizes):sort(-1)
      if math.random(2) == 1 then index = index:to("int32") end
      local options = {dim = case.dim, dim_size = maybe(any_of{4, 6})}
      local expected = table.pack(pcall(strew.scatter_max, case.src, index, options))
      if not is_extreme(reduce) then
        options.reduce = reduce
        expected = table.pack(pcall(strew.scatter, case.src, index, options))
      elseif reduce:find "min" then
        expected = table.pack(pcall(strew.scatter_min, case.src, index, options))
      end
      options.dim, options.reduce = nil, reduce
      local got = table.pack(pcall(strew.segment_coo, relaid(case.src), relaid(index), options))
      assert.equal(expected.n, got.n)
      for i = 1, got.n do same(expected[i], got[i]) end

      local values = random_values(with(case.shape, case.dim, 4), case.dtype)
      same(made(case.shape, case.dtype, function(position)
        local at = {}
        for d = 1, case.dim + 1 do at[d] = sizes[d] == 1 and 0 or position[d] end
        return values:get(table.unpack(with(position, case.dim, index:get(table.unpack(at)))))
      end), strew.gather_coo(relaid(values), relaid(index)))
    end
    local out = strew.tensor{1.0, 1, 1}
    assert.equal(out, strew.segment_coo(strew.tensor{1.0, 2, 3}, strew.tensor{0, 0, 2}, {out = out}))
    same(strew.tensor{4.0, 1, 4}, out)
  end)

  it("may be empty, and tensors of rank 0", function()
    local none, indices = strew.zeros(0), strew.zeros(0, {dtype = "int64"})
    same(none, none:segment_csr(indices))
    same(none, none:segment_csr(strew.tensor{0}))
    same(strew.zeros(2), none:segment_csr(strew.tensor{0, 0, 0}))
    same(none, none:gather_csr(strew.tensor{0}))
    same(none, none:gather_csr(indices))
    same(none, strew.ones(3):segment_csr(indices))
    for _, f in ipairs{strew.segment_csr, function(x, at) return x:segment_reduce("mean", {offsets = at}) end} do
      same(strew.zeros(3), strew.grad(function(x) return f(x, indices):sum() end)(strew.ones(3)))
    end
    same(none, strew.grad(function(x) return strew.gather_csr(x, indices):sum() end)(none))
    same(none, none:segment_coo(indices))
    same(none, none:gather_coo(indices))
    same(none, none:segment_reduce("sum", {lengths = indices}))
    same(strew.tensor{2.0}, strew.tensor(2.0):segment_csr(strew.tensor{0, 1}))
    same(strew.tensor{2.0, 2}, strew.tensor(2.0):gather_csr(strew.tensor{0, 2}))
    same(strew.tensor{2.0}, strew.tensor(2.0):segment_coo(strew.tensor(0)))
    same(strew.tensor{2.0}, strew.tensor(2.0):segment_reduce("max", {lengths = strew.tensor{1}}))
  end)

  it("give the same bits on 1, 2 and 3 threads", function()
    if strew.zeros(1).device ~= "cpu" then return end
    local n = 60000
    local src, index = strew.randn(n), strew.randint(0, 1000, {n}):sort()
    local ends = strew.cat{strew.tensor{0}, index:bincount{minlength = 1000}:cumsum(0)}
    local sequence, values = strew.randn(5000):sort(), strew.randn(n)
    local function results()
      return {
        src:segment_csr(ends), src:segment_csr(ends, {reduce = "max"}), src:segment_coo(index, {reduce = "mean"}),
        src:segment_reduce("prod", {offsets = ends}), src:segment_csr(ends):gather_csr(ends),
        src:segment_coo(index):gather_coo(index), sequence:searchsorted(values), values:bucketize(sequence),
        src:histc(100, -2, 2), src:histc(),
      }
    end
    local expected = loops.same_on_threads(results)
    assert.is_true(strew.equal(src:scatter_sum(index), expected[1]))
  end)

  it("have every reduction of groups, with its options", function()
    local out = strew.zeros(4)
    support.evaluate({ -- values of NumPy, of each segment
      {"x:segment_csr(p, 'var')", "float64[4] {2.3333333333333, 0.0, 0.0, 9.8958333333333}"},
      {"x:segment_csr(p, 'var', {unbiased = false})", "float64[4] {1.5555555555556, 0.0, 0.0, 7.421875}"},
      {"x:segment_csr(p, 'var', {correction = 0})", "float64[4] {1.5555555555556, 0.0, 0.0, 7.421875}"},
      {"strew.segment_csr{src = x, indptr = p, reduce = 'median'}", "float64[4] {2.0, nan, 9.0, 3.0}"},
      {"x:segment_csr(p, {reduce = 'lower_median', fill = -1})", "float64[4] {2.0, -1.0, 9.0, 3.0}"},
      {"x:segment_csr(p, 'quantile', {q = 0.3, interpolation = 'nearest'})", "float64[4] {2.0, nan, 9.0, 3.0}"},
      {"x:segment_csr(p, 'quantile', {q = 0.5})", "float64[4] {2.0, nan, 9.0, 3.0}"},
      {"x:segment_csr(p, 'nunique'), x:segment_csr(p, 'count')", "int64[4] {3, 0, 1, 3}; int64[4] {3, 0, 1, 4}"},
      {"x:segment_csr(p, 'first'), x:segment_csr(p, 'last')",
       "float64[4] {4.0, 0.0, 9.0, 3.0}; float64[4] {2.0, 0.0, 9.0, 0.5}"},
      {"x:gt(2):segment_csr(p, 'any'), x:gt(2):segment_csr(p, 'all')",
       "bool[4] {true, false, true, true}; bool[4] {false, true, true, false}"},
      {"x:segment_coo(i, 'var'), x:segment_coo(i, 'median')",
       "float64[4] {2.3333333333333, 0.0, 0.0, 9.8958333333333}; float64[4] {2.0, nan, 9.0, 3.0}"},
      {"x:segment_reduce('var', {lengths = n}), x:segment_reduce('count', {offsets = p})",
       "float64[4] {2.3333333333333, 0.0, 0.0, 9.8958333333333}; int64[4] {3, 0, 1, 4}"},
      {"x:to('int64'):segment_csr(p, 'mean', {dtype = 'float64'})", "float64[4] {2.3333333333333, 0.0, 9.0, 3.5}"},
      {"x:segment_csr(p, 'sum', {fill = -1}), x:segment_reduce('max', {lengths = n, fill = 0})",
       "float64[4] {7.0, -1.0, 9.0, 14.5}; float64[4] {4.0, 0.0, 9.0, 8.0}"},
      {"z:segment_csr(p, 'sum', {skip_nan = true}), "
        .. "z:segment_reduce('sum', {offsets = p, skip_nan = true, initial = 2})",
       "float64[4] {4.0, 0.0, 9.0, 11.0}; float64[4] {6.0, 2.0, 11.0, 13.0}"},
      {"z:segment_csr(p, 'max', {skip_nan = true})", "float64[4] {4.0, 0.0, 9.0, 8.0}; int64[4] {0, 8, 3, 6}"},
      {"(strew.tensor{1e16, 1.0, -1e16}):to('float64'):segment_csr(strew.tensor{0, 3}, 'sum', {exact = true})",
       "float64[1] {1.0}"},
      {"strew.segment_reduce(strew.tensor{0.5}, 'mean', {lengths = strew.tensor{1, 0}, exact = true, initial = 0.25})",
       "float32[2] {0.75, 0.25}"},
      {"strew.tensor{{1.0, 2.0, 5.0}, {4.0, 8.0, 0.0}}:segment_csr(strew.tensor{{0, 2}, {1, 3}}, 'var')",
       "float32[2, 1] {{0.5}, {32.0}}"},
      {"strew.tensor(2.0):segment_csr(strew.tensor{0, 1}, 'std'), strew.zeros(0):segment_csr(p * 0, 'median')",
       "float32[1] {0.0}; float32[4] {nan, nan, nan, nan}"},
      {"x:segment_csr(p, 'var', {out = strew.ones(4, {dtype = 'float64'})})",
       "float64[4] {2.3333333333333, 0.0, 0.0, 9.8958333333333}"},
      {"w:segment_csr(q, 'max'), w:segment_csr(q, 'first'), w:segment_csr(q, 'count'), w:segment_csr(q, 'nunique')",
       "text[3] {c, , b}; text[3] {a, , b}; int64[3] {2, 0, 1}; int64[3] {2, 0, 1}"},
      {"w:segment_coo(strew.tensor{0, 0, 2}, 'last'), w:segment_reduce('min', {lengths = strew.tensor{2, 0, 1}})",
       "text[3] {c, , b}; text[3] {a, , b}"},
      {"t:segment_csr(q, 'mean'), t:segment_csr(q, 'quantile', {q = 1}), t:segment_csr(q, 'last')",
       "time[3] {2024-05-02, NaT, 2024-05-09}; time[3] {2024-05-03, NaT, 2024-05-09}; "
       .. "time[3] {2024-05-03, NaT, 2024-05-09}"},
    }, {
      strew = strew, x = strew.tensor({4, 1, 2, 9, 3, 3, 8, 0.5}, {dtype = "float64"}), p = strew.tensor{0, 3, 3, 4, 8},
      z = strew.tensor({4, nan, nan, 9, 3, nan, 8, nan}, {dtype = "float64"}), i = strew.tensor{0, 0, 0, 2, 3, 3, 3, 3},
      n = strew.tensor{3, 0, 1, 4}, w = strew.text{"a", "c", "b"}, q = strew.tensor{0, 2, 2, 3},
      t = strew.time{"2024-05-01", "2024-05-03", "2024-05-09"},
    })
    support.fail({
      {"x:segment_csr(p, 'quantile')", "segment_csr: 'q' is missing, expected a number\n  hint  {q = 0.5}"},
      {"x:segment_csr(p, 'sum', {q = 0.5})", "segment_csr: 'q' is given, but \"sum\" does not take it\n"
        .. "  src     float32[2] cpu\n  indptr  int64[2] cpu"},
      {"x:segment_reduce('var', {lengths = p:diff(), initial = 1})",
       "segment_reduce: 'initial' is given, but \"var\" does not take it\n  data     float32[2] cpu\n"
       .. "  lengths  int64[1] cpu"},
      {"x:segment_reduce('sum', {offsets = p, initial = 1, fill = 2})",
       "segment_reduce: 'fill' cannot be combined with 'initial', the value of segments without elements\n"
       .. "  data     float32[2] cpu\n  offsets  int64[2] cpu"},
      {"x:segment_csr(p, 'count', {out = out})", "segment_csr: 'out' is float32, expected int64\n"
        .. "  src     float32[2] cpu\n  indptr  int64[2] cpu\n  out     float32[1] cpu"},
      {"x:to('int64'):segment_reduce('var', {offsets = p})", "segment_reduce: 'data' is int64, expected a float dtype\n"
        .. "  data     int64[2] cpu\n  offsets  int64[2] cpu\n  hint     data:to(\"float64\")"},
    }, {x = strew.tensor{1.0, 2}, p = strew.tensor{0, 2}, out = strew.zeros(1)})
    same(strew.zeros(4), out)
  end)

  it("have the gradients of the group form", function()
    for _ = 1, TIMES // 2 do
      local case = random_case({"float64"})
      local src, dim, n = case.src:to("float64"), case.dim, case.n
      src = strew.where((src - src):eq(0), src, 0.5) + strew.rand(src.shape, {dtype = "float64"})
      local shape = {table.unpack(case.leading)}
      shape[dim + 1] = case.shape[dim + 1]
      local ids = made(shape, "int64", function(row)
        for i = 0, n - 1 do
          local at = row[dim + 1]
          if at >= case.end_of(row, i) and at < case.end_of(row, i + 1) then return i end
        end
        return -1
      end)
      for word in string.gmatch("sum prod mean var std max min first last median logsumexp quantile", "%a+") do
        local name = word == "prod" and "mul" or word
        local options = {dim = dim, dim_size = n, mode = "drop"}
        local function by_ids(x)
          if word == "quantile" then return (strew.scatter_quantile(x, ids, 0.3, options)) end
          return (strew["scatter_" .. name](x, ids, options))
        end
        local function by_ends(x) return (x:segment_csr(case.ends, word, {q = word == "quantile" and 0.3 or nil})) end
        local function squares(f) return strew.grad(function(x) return f(x):square():sum() end)(src) end
        same(squares(by_ids), squares(by_ends), word .. " of " .. row_text(case))
      end
    end
  end)

  it("refuse bad ends, lengths and indices by their first place, and write nothing", function()
    local out = strew.tensor{7.0, 7, 7}
    local environment = {
      strew = strew, src = strew.tensor{1.0, 2, 3, 4}, wide = strew.ones(2, 4), out = out,
      i = function(...) return strew.tensor{...} end,
    }
    local function refused(code, message, position)
      local f = assert(load(code, code, "t", environment))
      assert.equal(message, (support.message(f):gsub("\n.*", "")))
      assert.same(position, strew.last_error().pos)
      same(strew.tensor{7.0, 7, 7}, out)
    end
    refused("src:segment_csr(i(0, 3, 2, 4), {out = out})",
      "segment_csr: 'indptr' has value 2 at [2], less than the 3 before it: expected values that do not decrease", {2})
    refused("src:segment_csr(i(0, 3, 5, 4), {out = out})",
      "segment_csr: 'indptr' has value 5 at [2], out of range for dim 0 of src (valid 0..4)", {2})
    refused("src:segment_csr(i(-1, 3, 2, 4))",
      "segment_csr: 'indptr' has value -1 at [0], out of range for dim 0 of src (valid 0..4)", {0})
    refused("wide:segment_csr(i(i(0, 4):tolist(), {2, 1}))",
      "segment_csr: 'indptr' has value 1 at [1, 1], less than the 2 before it: expected values that do not decrease",
      {1, 1})
    refused("src:segment_csr(src)", "segment_csr: 'indptr' is float32, expected an integer dtype")
    refused("src:segment_csr(strew.tensor(0))", "segment_csr: 'indptr' has no dimension, expected at least 1")
    refused("src:segment_csr(strew.zeros(1, 2))", "segment_csr: 'indptr' has 2 dimensions, src only 1")
    refused("wide:segment_csr(strew.zeros({3, 2}, {dtype = 'int64'}))",
      "segment_csr: 'indptr' has size 3 where src has 2 in dim 0: it does not broadcast to src's shape [2, 4]")
    refused("src:segment_csr(i(0, 4), {out = out})",
      "segment_csr: 'out' has size 3 in dim 0, expected 1, the number of segments")
    refused("src:segment_csr(i(0, 1, 2, 4), {out = strew.zeros(1):expand(3)})",
      "segment_csr: 'out' overlaps itself (an expanded view?) and cannot be written in place")
    refused("src:segment_csr(i(0, 1, 2, 4), {out = src:narrow(0, 0, 3)})",
      "segment_csr: 'src' shares elements with the tensor written in place")
    refused("local t = i(0, 1, 2, 4) i(5, 6, 7, 8):segment_csr(t, {out = t:narrow(0, 0, 3)})",
      "segment_csr: 'indptr' shares elements with the tensor written in place")
    refused("src:segment_csr(i(0, 1, 2, 4), {out = i(1, 2, 3)})", "segment_csr: 'out' is int64, expected float32")
    refused("src:segment_csr(i(0, 4), {reduce = 'avg'})", "segment_csr: 'reduce' is \"avg\", expected one of sum, "
      .. "prod, mean, var, std, min, max, any, all, first, last, median, quantile, count, "
      .. "nunique, logsumexp, lower_median")
    refused("src:gather_csr(i(0, 2, 4))",
      "gather_csr: 'src' has size 4 in dim 0, expected 2, the number of segments of indptr")
    refused("src:gather_csr(i(0, 2, 1, 4, 4))",
      "gather_csr: 'indptr' has value 1 at [2], less than the 2 before it: expected values that do not decrease", {2})
    refused("src:gather_csr(i(1, 2, 3, 4, 5))",
      "gather_csr: 'indptr' has value 1 at [0], expected 0: every position belongs to a segment", {0})
    refused("strew.ones(2, 1):gather_csr(i({0, 3}, {0, 2}))",
      "gather_csr: 'indptr' has value 2 at [1, 1], expected 3: every position belongs to a segment", {1, 1})
    refused("src:gather_csr(i(0, 1, 2, 3, 1 << 62))",
      "gather_csr: 'indptr' has value 4611686018427387904 at [4], the result's size in dim 0: out of memory", {4})
    refused("src:segment_coo(i(0, 2, 1, 0))",
      "segment_coo: 'index' has value 1 at [2], less than the 2 before it: expected sorted values", {2})
    refused("src:segment_coo(i(0, 1, 2, 3), {dim_size = 3, out = nil})",
      "segment_coo: 'index' has value 3 at [3], out of range for dim 0 of the result (size 3, valid 0..2)", {3})
    refused("src:segment_coo(i(0, 1, 2, 3), {out = out})",
      "segment_coo: 'index' has value 3 at [3], out of range for dim 0 of out (size 3, valid 0..2)", {3})
    refused("src:gather_coo(i(0, 1, 4))",
      "gather_coo: 'index' has value 4 at [2], out of range for dim 0 of src (valid 0..3)", {2})
    refused("src:gather_coo(i(0, 2, 1))",
      "gather_coo: 'index' has value 1 at [2], less than the 2 before it: expected sorted values", {2})
    refused("src:segment_reduce('sum', {lengths = i(2, -1, 3)})",
      "segment_reduce: 'lengths' has value -1 at [1], expected 0..4, the size of data in dim 0", {1})
    refused("src:segment_reduce('sum', {lengths = i(2, 1)})",
      "segment_reduce: 'lengths' adds up to 3, expected 4, the size of data in dim 0")
    refused("wide:segment_reduce('sum', {lengths = i({2, 2}, {1, 4}), axis = 1})",
      "segment_reduce: 'lengths' adds up to 5 at [1], expected 4, the size of data in dim 1")
    refused("src:segment_reduce('sum', {offsets = i(0, 3, 2)})",
      "segment_reduce: 'offsets' has value 2 at [2], less than the 3 before it: expected values that do not decrease",
      {2})
    refused("i(1, 2):segment_reduce('sum', {lengths = i(2), initial = 0.5})",
      "segment_reduce: 'initial' is 0.5, which int64 cannot hold: expected an integer in its range")
    refused("src:segment_reduce('sum')", "segment_reduce: 'lengths' or 'offsets' is missing")
    refused("src:segment_reduce('sum', {lengths = i(4), offsets = i(0, 4)})",
      "segment_reduce: 'lengths' and 'offsets' are both given, expected one")
    refused("wide:segment_reduce('sum', {lengths = i(2), axis = 1})",
      "segment_reduce: 'axis' is 1, expected 0, the last dimension of lengths")
  end)
end)

-- A binary search by the comparisons that runtime/core/base/device.h defines; NaN is the largest.
local function search(get, size, value, right)
  local function is_before(x)
    if value ~= value then return right or x == x end
    return x < value or right and x == value
  end
  local place, n = 0, size
  while n > 0 do
    local first = math.max(n // 2, 1)
    if is_before(get(place + first - 1)) then place = place + first end
    n = n > 1 and n - first or 0
  end
  return place
end

describe("searches", function()
  before_each(function() math.randomseed(6) end)

  it("find the place of values like a loop, NaN and unsorted sequences included", function()
    for _ = 1, 4 * TIMES do
      local dtype, right, leading, sizes = any_of(NUMBERS), any_of{true, false}, {}, {}
      for d = 1, math.random(0, 2) do leading[d] = math.random(1, 3) end
      for d = 1, #leading do sizes[d] = leading[d] end
      local size = math.random(0, 9)
      sizes[#sizes + 1] = size
      local sequences = random_values(sizes, dtype)
      if math.random(4) > 1 then sequences = sequences:sort(-1) end
      local shape = {table.unpack(leading)}
      if #leading == 0 then for d = 1, math.random(0, 2) do shape[d] = math.random(0, 4) end end
      if #leading > 0 then shape[#shape + 1] = math.random(0, 4) end
      local values = random_values(shape, dtype)
      local wanted = made(shape, "int64", function(position)
        return search(function(i)
          return sequences:get(table.unpack(with(#leading == 0 and {} or position, #leading, i)))
        end, size, values:get(table.unpack(position)), right)
      end)
      if #shape == 0 then wanted = wanted:view({}) end
      same(wanted, strew.searchsorted(relaid(sequences), #shape > 0 and relaid(values) or values, {right = right}))
      if #leading == 0 then same(wanted, strew.bucketize(values, sequences, {right = right})) end
    end
    same(strew.tensor(2), strew.searchsorted(strew.tensor{1, 3, 5}, 3.5)) -- numbers compare by their value
    same(strew.tensor(1), strew.bucketize(3, strew.tensor{1.0, 3, 5}))
    same(strew.tensor(2), strew.tensor({1, 2, 255}, "uint8"):searchsorted(254))
  end)

  it("refuse other shapes", function()
    local environment = {strew = strew, t = strew.tensor{1, 2}, wide = strew.ones(2, 3), f = strew.tensor{1.0}}
    support.fail({
      {"strew.bucketize(f, wide)", "bucketize: 'boundaries' has 2 dimensions, expected 1"},
      {"strew.searchsorted(strew.tensor(1), t)", "searchsorted: 'sorted' has no dimension, expected at least 1"},
      {"strew.searchsorted(wide, strew.ones(3, 3))",
        "searchsorted: 'values' has shape [3, 3], expected the leading sizes of sorted, [2, 3]"},
      {"strew.searchsorted(wide, 1)",
        "searchsorted: 'values' has shape [], expected the leading sizes of sorted, [2, 3]"},
    }, environment, without_tensors)
  end)
end)

describe("histc", function()
  before_each(function() math.randomseed(8) end)

  it("counts like a loop", function()
    for _ = 1, 2 * TIMES do
      local dtype, bins = any_of(FLOATS), math.random(1, 8)
      local shape = {math.random(0, 5), math.random(0, 5)}
      local low = math.random(-4, 2)
      local high = low + 2 ^ math.random(-1, 3) -- exact: all dtypes find the same bins
      local t = random_values(shape, dtype)
      local counts = {}
      for i = 1, bins do counts[i] = 0 end
      each(shape, function(position)
        local x = t:get(table.unpack(position))
        if x >= low and x <= high then
          local product = (x - low) * bins / (high - low)
          local bin = math.min(math.floor(product), bins - 1)
          counts[bin + 1] = counts[bin + 1] + 1
        end
      end)
      same(strew.tensor(counts, dtype), relaid(t):histc(bins, low, high))
    end
    same(strew.tensor{1.0, 0, 2}, strew.tensor{1.0, 4, 3.5}:histc(3)) -- the elements' own range
    same(strew.tensor{0.0, 0, 2, 0}, strew.tensor{3.0, 3}:histc{bins = 4}) -- an empty range is widened
    same(strew.zeros(100), strew.zeros(0):histc())
    local many = strew.ones(1, {dtype = "float16"}):expand(5000)
    same(strew.tensor({5000}, "float16"), many:histc(1, 0, 2)) -- counted exactly, rounded once
  end)

  it("refuses what PyTorch refuses", function()
    support.fail({
      {"strew.histc(strew.tensor{1})", "histc: 'self' is int64, expected a float dtype\n  hint  self:to(\""
        .. (support.lacks_float64 and "float32" or "float64") .. "\")"},
      {"strew.histc(t, 0)", "histc: 'bins' is 0, expected 1 or more"},
      {"strew.histc(t, 2, 3, 1)", "histc: 'max' is 1.0, expected at least min, which is 3.0"},
      {"strew.histc(t / 0)", "histc: the range from inf to inf is not finite\n  hint  min and max set the range"},
      {"strew.histc(t, {min = 0 / 0})", "histc: the range from nan to 0.0 is not finite\n"
        .. "  hint  min and max set the range"},
    }, {strew = strew, t = strew.tensor{1.0, 2}}, without_tensors)
  end)
end)
