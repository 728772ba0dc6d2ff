-- The scatter family in other libraries' documents and tests, as data: tests/data/cases.lua.
local strew = require "strew"
local support = dofile "tests/spec/support.lua"

local cases = dofile "tests/data/cases.lua"
local words = {nan = 0 / 0, inf = math.huge, ["-inf"] = -math.huge}

-- The tensor of a case, in memory laid out by its strides.
local function tensor_of(spec, built)
  if type(spec) ~= "table" then return spec end
  if spec.alias_of then return built[spec.alias_of] end
  if not spec.data then return spec end
  local values = {}
  for i, value in ipairs(spec.data) do values[i] = words[value] or value end
  local dense = strew.tensor(values, {dtype = spec.dtype}):view(spec.shape)
  if not spec.strides then return dense end
  local reach = 1
  for d, stride in ipairs(spec.strides) do reach = reach + (spec.shape[d] - 1) * stride end
  local t = strew.zeros(reach, {dtype = spec.dtype}):as_strided(spec.shape, spec.strides, 0)
  return reach == #values and t:copy_(dense) or t
end

local function arguments(specs)
  local args = {}
  for name, spec in pairs(specs) do args[name] = tensor_of(spec, args) end
  for name, spec in pairs(specs) do -- aliases, after all others exist
    if type(spec) == "table" and spec.alias_of then args[name] = args[spec.alias_of] end
  end
  return args
end

local function differs(got, expected, tol)
  if expected ~= expected then return got == got end
  if type(expected) == "boolean" then return got ~= expected end
  local gap = tol and got ~= expected and math.abs(got - expected)
  if gap then return gap ~= gap or gap > tol end
  return got ~= expected or 1 / got ~= 1 / expected and expected ~= 0
end

local function check(name, got, spec, tol)
  assert.equal(spec.dtype, got.dtype, name)
  assert.same(spec.shape, got.shape, name)
  local expected = tensor_of(spec) -- rounded to the dtype, like the result
  local a, b = got:reshape(-1):tolist(), expected:reshape(-1):tolist()
  for i = 1, #b do
    if differs(a[i], b[i], tol) then error(("%s: element %d is %s, expected %s"):format(name, i - 1, a[i], b[i]), 2) end
  end
end

local function scatter_words(reduction) return {reduce = reduction ~= "none" and reduction or nil} end

-- Rows of a matrix by an index of any rank: the position form, with the index expanded over the columns.
local function scatter_rows(a)
  local columns = a.data:size(1)
  local index = a.indices:reshape(-1, 1):expand(-1, columns)
  return a.data:scatter_reduce(0, index, a.updates:reshape(-1, columns), a.reduction)
end

-- Calls the operation `name` out of place, then in place.
local function both(name, self, ...)
  local out = strew[name](self, ...)
  return {out = strew[name .. "_"](self, ...), again = out}
end

local run = {
  scatter = function(a)
    local out = a.self:scatter(a.dim, a.index, a.src, {reduce = a.reduce})
    return {out = a.self:scatter_(a.dim, a.index, a.src, {reduce = a.reduce}), again = out}
  end,
  scatter_add = function(a)
    local out = a.self:scatter_add(a.dim, a.index, a.src)
    return {out = a.self:scatter_add_(a.dim, a.index, a.src), again = out}
  end,
  scatter_reduce = function(a)
    local opts = {include_self = a.include_self}
    local out = a.self:scatter_reduce(a.dim, a.index, a.src, a.reduce, opts)
    return {out = a.self:scatter_reduce_(a.dim, a.index, a.src, a.reduce, opts), again = out}
  end,
  gather = function(a) return {out = a.self:gather(a.dim, a.index)} end,
  ts_scatter = function(a)
    local opts = {dim = a.dim, dim_size = a.dim_size, out = a.out}
    local out, arg = strew["scatter_" .. (a.reduce == "add" and "sum" or a.reduce)](a.src, a.index, opts)
    return {out = out, arg = arg}
  end,
  scatter_elements = function(a)
    local opts = scatter_words(a.reduction)
    opts.mode = "wrap"
    return {out = a.data:scatter(a.axis, a.indices, a.updates, opts)}
  end,
  gather_elements = function(a) return {out = a.data:gather(a.axis, a.indices, {mode = "wrap"})} end,
  scatter_mode = function(a)
    local opts = scatter_words(a.reduction)
    local wraps = a.wrap_negative and a.index:min():item() < 0
    opts.mode = wraps and "wrap" or a.mode
    return {out = a.data:scatter(0, a.index, a.updates, opts)}
  end,
  segment_drop = function(a)
    return {out = strew.scatter(a.data, a.segment_ids, {dim = 0, reduce = a.reduce, dim_size = a.num_segments,
                                                        mode = "drop"})}
  end,
  unsorted_segment = function(a)
    return {out = strew.scatter(a.data, a.segment_ids, {dim = 0, reduce = a.reduce, dim_size = a.num_segments})}
  end,
  scatter_rows = function(a) return {out = scatter_rows(a)} end,
  index_select = function(a) return {out = a.self:index_select(a.dim, a.index, {mode = a.negative})} end,
  index_add = function(a) return both("index_add", a.self, a.dim, a.index, a.source, {alpha = a.alpha}) end,
  index_copy = function(a) return both("index_copy", a.self, a.dim, a.index, a.source) end,
  index_reduce = function(a)
    return both("index_reduce", a.self, a.dim, a.index, a.source, a.reduce, {include_self = a.include_self})
  end,
  index_fill = function(a) return both("index_fill", a.self, a.dim, a.index, a.value) end,
  put = function(a) return both("put", a.self, a.index, a.source, {accumulate = a.accumulate}) end,
  take = function(a) return {out = a.self:take(a.index)} end,
  masked_scatter = function(a) return both("masked_scatter", a.self, a.mask, a.source) end,
  diagonal_scatter = function(a) return both("diagonal_scatter", a.self, a.src, a.offset) end,
  scatter_nd = function(a)
    local is_sub = a.reduction == "sub"
    local opts = is_sub and {reduce = "sum"} or scatter_words(a.reduction)
    return both("scatter_nd", a.data, a.indices, is_sub and -a.updates or a.updates, opts)
  end,
  scatter_nd_new = function(a) return {out = strew.scatter_nd(a.indices, a.updates, a.shape)} end,
  gather_nd = function(a) return {out = a.data:gather_nd(a.indices, {batch_dims = a.batch_dims})} end,
  ts_segment_csr = function(a)
    local out, arg = strew.segment_csr(a.src, a.indptr, {reduce = a.reduce, out = a.out})
    return {out = out, arg = arg}
  end,
  ts_segment_coo = function(a)
    local out, arg = strew.segment_coo(a.src, a.index, {reduce = a.reduce, out = a.out, dim_size = a.dim_size})
    return {out = out, arg = arg}
  end,
  ts_gather_csr = function(a) return {out = strew.gather_csr(a.src, a.indptr)} end,
  ts_gather_coo = function(a) return {out = strew.gather_coo(a.src, a.index)} end,
  segment_reduce = function(a)
    return {out = strew.segment_reduce(a.data, a.reduce, {lengths = a.lengths, offsets = a.offsets, axis = a.axis,
                                                          initial = a.initial})}
  end,
  ts_scatter_std = function(a)
    return {out = strew.scatter_std(a.src, a.index, {dim = a.dim, unbiased = a.unbiased})}
  end,
  ts_scatter_logsumexp = function(a)
    return {out = strew.scatter_logsumexp(a.src, a.index, {dim = a.dim, out = a.out})}
  end,
  ts_scatter_log_softmax = function(a) return {out = strew.scatter_log_softmax(a.src, a.index, {dim = a.dim})} end,
}

local lacks_float64 = not pcall(strew.zeros, 1, {dtype = "float64"})
local function takes_float64(value)
  if type(value) ~= "table" then return value == "float64" end
  for _, part in pairs(value) do
    if takes_float64(part) then return true end
  end
  return false
end

describe("documented cases of other libraries", function()
  for i, case in ipairs(cases) do
    if not support.is_tried(i) then goto continue end
    if case.args.reduction == "div" then goto continue end -- not one of our reductions
    if lacks_float64 and takes_float64(case) then goto continue end
    it(case.id, function()
      local args = arguments(case.args)
      local before = args.self and args.self:clone()
      local ok, results = pcall(run[case.op], args)
      if case.expect.error then
        assert.is_false(ok, case.id .. " should fail: " .. case.expect.why)
        if before then assert.is_true(strew.equal(before, args.self), case.id .. " changed self") end
        return
      end
      if not ok then error(results, 0) end
      for name, spec in pairs(case.expect) do check(case.id .. " " .. name, results[name], spec, case.tol) end
      if results.again then check(case.id .. " out of place", results.again, case.expect.out, case.tol) end
    end)
    ::continue::
  end
end)
