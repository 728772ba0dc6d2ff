-- Writes and reads at positions that indices, coordinates, masks and slices name (lua_bindings: indexing.lua,
-- coordinates.lua, views.lua), against plain loops over random shapes, dtypes, memory layouts, modes and threads.
-- devices: no, each random dtype and layout would compile kernels; the digest calls every operation there.
local strew = require "strew"
local support, loops = dofile "tests/spec/support.lua", dofile "tests/spec/loops.lua"
local pick, random_shape, product, each, offset = loops.any, loops.shape, loops.count, loops.each, loops.number

local on_cpu = strew.zeros(1).device == "cpu"
local TIMES = on_cpu and 120 or 12
local threads = strew.get_num_threads()

------------------------------------------------------------------------------------------------------- random operands

local dtypes = {"float32", "int64", "float16", "bfloat16", "int32", "int16", "int8", "uint8", "bool"}
if not support.lacks_float64 then table.insert(dtypes, "float64") end
-- Small integers, which every dtype holds, or fractions whose sums depend on their order.
local function random_tensor(shape, dtype)
  if dtype == "float32" or dtype == "float64" then return strew.rand(shape):to(dtype) end
  return strew.randint(0, 3, shape):to(dtype)
end

-- Returns a tensor of the same values in memory of another layout; and a function that fails if anything but these
-- values has changed there.
local function laid_out(t)
  local kind = math.random(3)
  if t:dim() == 0 or kind == 1 then return t:clone(), function() end end
  if kind == 2 then return t:transpose(0, -1):clone():contiguous():transpose(0, -1), function() end end
  local sizes = t.shape
  for d, size in ipairs(sizes) do sizes[d] = 2 * size + 1 end
  local whole = strew.full(sizes, 1, {dtype = t.dtype})
  local part = whole
  for d = 0, #sizes - 1 do part = part:slice(d, 1, nil, 2) end
  part:zero_()
  local before = whole:clone()
  part:copy_(t)
  return part, function()
    part:zero_()
    assert.is_true(strew.equal(before, whole), "elements beside the view changed")
  end
end

local function random_mode(sizes)
  for _, size in ipairs(sizes) do
    if size == 0 then return "drop" end
  end
  return pick{"error", "wrap", "clip", "drop", false} or nil
end

-- Returns an index into a dimension of `size`.
local function random_index(shape, size, mode)
  local low, high = 0, size
  if mode == "wrap" then low = -size elseif mode == "clip" or mode == "drop" then low, high = -2, size + 2 end
  local index = product(shape) == 0 and strew.zeros(shape, {dtype = "int64"}) or strew.randint(low, high, shape)
  return (laid_out(index:to(pick{"int64", "int32"})))
end

-- Returns the position that an index value means, nil if it is dropped.
local function resolve(value, size, mode)
  if mode == "wrap" and value < 0 then return value + size end
  if mode == "clip" then return math.max(0, math.min(size - 1, value)) end
  if mode == "drop" and (value < 0 or value >= size) then return nil end
  return value
end

---------------------------------------------------------------------------------------------------------- plain loops

local function list_of(t) return t:reshape(t:numel()):tolist() end

-- Returns x as the dtype stores it.
local function rounded(x, dtype)
  if dtype == "bool" then return x end
  if dtype:find "float" then return strew.tensor(x + 0.0, {dtype = dtype, device = "cpu"}):item() end
  return strew.tensor(x, {device = "cpu"}):to(dtype):item()
end

local join = {
  sum = function(a, b) if type(a) == "boolean" then return a or b end return a + b end,
  prod = function(a, b) if type(a) == "boolean" then return a and b end return a * b end,
  amax = function(a, b) if type(a) == "boolean" then return a or b end return math.max(a, b) end,
  amin = function(a, b) if type(a) == "boolean" then return a and b end return math.min(a, b) end,
}
join.mean = join.sum

-- Returns self's elements after writes, a list of {offset, value}, in their order.
local function written(t, writes, reduce, excludes_self)
  local list, counts = list_of(t), {}
  for _, write in ipairs(writes) do
    local at, value = write[1], write[2]
    local is_first = excludes_self and not counts[at]
    counts[at] = (counts[at] or 0) + 1
    if reduce and not is_first then value = rounded(join[reduce](list[at], value), t.dtype) end
    list[at] = value
  end
  if reduce == "mean" then
    for at, count in pairs(counts) do
      count = excludes_self and count or count + 1
      local is_float = t.dtype:find "float"
      list[at] = is_float and rounded(list[at] / count, t.dtype) or list[at] // count
    end
  end
  return list
end

local function same(shape, dtype, list, got, name)
  assert.same(shape, got.shape, name)
  assert.equal(dtype, got.dtype, name)
  for i, value in ipairs(list_of(got)) do
    if value ~= list[i] then error(("%s: element %d is %s, expected %s"):format(name, i - 1, value, list[i]), 2) end
  end
end

-- Checks the forms of an operation that writes: function and method, out of place and in place, in several layouts.
local function check(name, t, list, ...)
  local shape, dtype, before = t.shape, t.dtype, t:clone()
  local self, is_intact = laid_out(t)
  same(shape, dtype, list, strew[name](self, ...), name)
  same(shape, dtype, list, self[name](self, ...), name)
  assert.is_true(strew.equal(before, self), name .. " changed self")
  assert.equal(self, self[name .. "_"](self, ...), name .. "_ returns self")
  same(shape, dtype, list, self, name .. "_")
  is_intact()
  self, is_intact = laid_out(t)
  same(shape, dtype, list, strew[name .. "_"](self, ...), name .. "_")
  is_intact()
end

local function times(f)
  for i = 1, TIMES do
    strew.set_num_threads(i % 3 + 1)
    f(i)
  end
end

-- Returns self, a dimension of it as passed and from 0, its size, a mode and an index.
local function random_line()
  local t = random_tensor(random_shape(0, 3), pick(dtypes))
  local sizes = t:dim() == 0 and {1} or t.shape
  local at = math.random(#sizes) - 1
  local mode = random_mode{sizes[at + 1]}
  local n = math.random(0, 5)
  local index = random_index(n == 1 and math.random(2) == 1 and {} or {n}, sizes[at + 1], mode)
  local dim = math.random(2) == 1 and at or at - #sizes
  sizes = {table.unpack(sizes)}
  local size = sizes[at + 1]
  sizes[at + 1] = n
  return t, dim, at, size, mode, index, sizes
end

-- Returns the writes of index_add and its like.
local function line_writes(t, at, size, mode, index, sizes, value_at)
  local writes, values, shape = {}, list_of(index), t:dim() == 0 and {1} or t.shape
  each(sizes, function(position)
    local target = {table.unpack(position)}
    target[at + 1] = resolve(values[position[at + 1] + 1], size, mode)
    if target[at + 1] then table.insert(writes, {offset(shape, target), value_at(position)}) end
  end)
  return writes
end

-- Returns a random source of that shape, in some layout or expanded.
local function random_source(sizes, dtype)
  if #sizes > 0 and math.random(4) == 1 then
    local narrow = {table.unpack(sizes)}
    narrow[math.random(#narrow)] = 1
    return random_tensor(narrow, dtype):expand(sizes)
  end
  return (laid_out(random_tensor(sizes, dtype)))
end

describe("indexing", function()
  before_each(function()
    math.randomseed(11)
    strew.manual_seed(11)
  end)
  after_each(function() strew.set_num_threads(threads) end)

  it("adds, copies and reduces along a dimension like a loop", function()
    times(function()
      local t, dim, at, size, mode, index, sizes = random_line()
      local source = random_source(sizes, t.dtype)
      if t:dim() == 0 and source:numel() == 1 and math.random(2) == 1 then source = source:view({}) end
      local values = list_of(source)
      local function value_at(position) return values[offset(sizes, position)] end
      local writes = line_writes(t, at, size, mode, index, sizes, value_at)
      check("index_copy", t, written(t, writes), dim, index, source, {mode = mode})
      check("index_add", t, written(t, writes, "sum"), dim, index, source, {mode = mode})
      local reduce, excludes = pick{"sum", "prod", "amax", "amin", t.dtype ~= "bool" and "mean" or "sum"},
        math.random(2) == 1
      check("index_reduce", t, written(t, writes, reduce, excludes), dim, index, source, reduce,
        {include_self = not excludes, mode = mode})
      local alpha = pick{0, 1, 2, -1, 200}
      if t.dtype == "bool" then alpha = pick{true, false, 0, 1} end
      local scaled = {}
      for i, write in ipairs(writes) do
        local value = write[2]
        if t.dtype == "bool" then value = value and (alpha == true or alpha == 1)
        else value = rounded(value * alpha, t.dtype) end
        scaled[i] = {write[1], value}
      end
      check("index_add", t, written(t, scaled, "sum"), dim, index, source, {alpha = alpha, mode = mode})
    end)
  end)

  it("fills along a dimension like a loop", function()
    times(function()
      local t, dim, at, size, mode, index, sizes = random_line()
      local value = pick(t.dtype == "bool" and {true, false} or {0, 1, 2})
      local stored = list_of(strew.tensor(value, t.dtype))[1]
      local list = written(t, line_writes(t, at, size, mode, index, sizes, function() return stored end))
      check("index_fill", t, list, dim, index, value, {mode = mode})
      check("index_fill", t, list, dim, index, strew.tensor(value, t.dtype), {mode = mode})
    end)
  end)

  it("puts at several indices like a loop", function()
    times(function()
      local shape = random_shape(1, 4)
      local t = random_tensor(shape, pick(dtypes))
      local count = math.random(#shape)
      local mode = random_mode{table.unpack(shape, 1, count)}
      local both, indices = {}, {}
      for d = 1, math.random(0, 2) do both[d] = math.random(0, 3) end
      for d = 1, count do
        local own = {table.unpack(both, d > 1 and math.random(2) or 1)}
        for k, n in ipairs(own) do own[k] = d > 1 and math.random(3) == 1 and 1 or n end
        indices[d] = random_index(own, shape[d], mode)
      end
      local value_shape = {table.unpack(both)}
      table.move(shape, count + 1, #shape, #value_shape + 1, value_shape)
      local narrow = {table.unpack(value_shape, math.random(2))}
      for k, n in ipairs(narrow) do narrow[k] = math.random(3) == 1 and 1 or n end
      local values = (laid_out(random_tensor(narrow, t.dtype)))
      local wide, at_list = list_of(values:expand(value_shape)), {}
      for d, index in ipairs(indices) do at_list[d] = list_of(index:expand(both)) end
      local writes = {}
      each(value_shape, function(position)
        local target, is_kept = {}, true
        for d = 1, count do
          target[d] = resolve(at_list[d][offset(both, position)], shape[d], mode)
          is_kept = is_kept and target[d]
        end
        table.move(position, #both + 1, #position, count + 1, target)
        if is_kept then table.insert(writes, {offset(shape, target), wide[offset(value_shape, position)]}) end
      end)
      check("index_put", t, written(t, writes), indices, values, {mode = mode})
      check("index_put", t, written(t, writes, "sum"), indices, values, {accumulate = true, mode = mode})
      if t.dtype ~= "bool" then
        for _, write in ipairs(writes) do write[2] = rounded(2, t.dtype) end
        check("index_put", t, written(t, writes), indices, 2, {mode = mode, accumulate = false})
      end
    end)
  end)

  it("puts at masks like a loop", function()
    times(function()
      local shape = random_shape(1, 4)
      local t = random_tensor(shape, pick(dtypes))
      local count = math.random(#shape)
      local mask = strew.randint(0, 2, {table.unpack(shape, 1, count)}):to("bool")
      local is_chosen, positions = list_of(mask), {}
      each(mask.shape, function(position)
        if is_chosen[offset(mask.shape, position)] then table.insert(positions, position) end
      end)
      local indices = {(laid_out(mask))}
      local next_dim = count + 1
      if next_dim <= #shape and shape[next_dim] > 0 and math.random(2) == 1 then
        local index = strew.randint(0, shape[next_dim], {1})
        table.insert(indices, index)
        for _, position in ipairs(positions) do table.insert(position, index[0]) end
      else
        next_dim = next_dim - 1
      end
      local value_shape = {#positions, table.unpack(shape, next_dim + 1)}
      local values, writes = random_tensor(value_shape, t.dtype), {}
      local list = list_of(values)
      each(value_shape, function(position)
        local target = table.move(position, 2, #position, next_dim + 1, {table.unpack(positions[position[1] + 1])})
        table.insert(writes, {offset(shape, target), list[offset(value_shape, position)]})
      end)
      check("index_put", t, written(t, writes, "sum"), indices, values, {accumulate = true})
      check("index_put", t, written(t, writes), indices, values)
    end)
  end)

  it("takes and puts at row-major positions like a loop", function()
    times(function()
      local t = random_tensor(random_shape(0, 3), pick(dtypes))
      local n, list = t:numel(), list_of(t)
      local mode = random_mode{n}
      local index = random_index(random_shape(0, 2), n, mode)
      local source = random_source(math.random(2) == 1 and index.shape or {index:numel()}, t.dtype)
      local writes, taken, values = {}, {}, list_of(source)
      for i, value in ipairs(list_of(index)) do
        local at = resolve(value, n, mode)
        if at then table.insert(writes, {at + 1, values[i]}) end
        if at then taken[i] = list[at + 1] else taken[i] = t.dtype ~= "bool" and 0 end
      end
      check("put", t, written(t, writes), index, source, {mode = mode})
      check("put", t, written(t, writes, "sum"), index, source, {accumulate = true, mode = mode})
      local self = laid_out(t)
      same(index.shape, t.dtype, taken, self:take(index, {mode = mode}), "take")
      same({index:numel()}, t.dtype, taken, strew.take_along_dim(self, index, {mode = mode}), "take_along_dim")
      same({index:numel()}, t.dtype, taken, self:take_along_dim(index, nil, {mode = mode}), "take_along_dim")
    end)
  end)

  it("takes along a dimension like a loop", function()
    times(function()
      local shape = random_shape(0, 3)
      local t = random_tensor(shape, pick(dtypes))
      local sizes = #shape == 0 and {1} or shape
      local at = math.random(#sizes)
      local mode = random_mode{sizes[at]}
      local own, wide = {table.unpack(shape)}, {table.unpack(shape)}
      for d = 1, #shape do if math.random(3) == 1 then own[d] = 1 end end
      if #shape > 0 then own[at], wide[at] = math.random(0, 4), nil end
      if #shape > 0 then wide[at] = own[at] end
      local self = t
      if #shape > 1 and math.random(3) == 1 then -- self broadcasts as well
        local other = at % #shape + 1
        if own[other] == shape[other] then self = t:narrow(other - 1, 0, math.min(1, shape[other])) end
      end
      local index = random_index(own, sizes[at], mode)
      local values, list, expected = list_of(index:expand(wide)), list_of(self:expand(shape)), {}
      each(wide, function(position)
        local target, i = {table.unpack(position)}, offset(wide, position)
        target[at] = resolve(values[i], sizes[at], mode)
        if target[at] then expected[i] = list[offset(sizes, target)] else expected[i] = t.dtype ~= "bool" and 0 end
      end)
      local got = laid_out(self):take_along_dim(index, at - 1 - (math.random(2) - 1) * #sizes, {mode = mode})
      same(wide, t.dtype, expected, got, "take_along_dim")
    end)
  end)

  it("writes and reads at coordinates like a loop", function()
    times(function()
      local shape = random_shape(0, 4)
      local t = random_tensor(shape, pick(dtypes))
      local count = math.random(0, #shape)
      local mode = random_mode{table.unpack(shape, 1, count)}
      local lead = random_shape(0, 2)
      local columns = {}
      for d = 1, count do columns[d] = random_index(lead, shape[d], mode):to("int64") end
      local indices = count > 0 and strew.stack(columns, -1) or strew.zeros({lead[1] or 1, lead[2] or 1, 0})
      if count == 0 then lead = {lead[1] or 1, lead[2] or 1} end
      local update_shape = table.move(shape, count + 1, #shape, #lead + 1, {table.unpack(lead)})
      local updates = random_source(update_shape, t.dtype)
      local list, values, at_list = list_of(t), list_of(updates), {}
      for d = 1, count do at_list[d] = list_of(columns[d]) end
      local writes, read = {}, {}
      each(update_shape, function(position)
        local target, is_kept, i = {}, true, offset(update_shape, position)
        for d = 1, count do
          target[d] = resolve(at_list[d][offset(lead, position)], shape[d], mode)
          is_kept = is_kept and target[d]
        end
        table.move(position, #lead + 1, #position, count + 1, target)
        if is_kept then table.insert(writes, {offset(shape, target), values[i]}) end
        if is_kept then read[i] = list[offset(shape, target)] else read[i] = t.dtype ~= "bool" and 0 end
      end)
      local at = laid_out(count > 0 and indices:to(pick{"int64", "int32"}) or indices)
      local reduce = pick{"sum", "prod", "amax", "amin", t.dtype ~= "bool" and "mean" or "sum", false} or nil
      check("scatter_nd", t, written(t, writes, reduce), at, updates, {reduce = reduce, mode = mode})
      local zeros = strew.zeros(shape, {dtype = t.dtype})
      same(shape, t.dtype, written(zeros, writes, reduce or "sum"),
        strew.scatter_nd(at, updates, shape, {reduce = reduce, mode = mode}), "scatter_nd of zeros")
      same(update_shape, t.dtype, read, laid_out(t):gather_nd(at, {mode = mode}), "gather_nd")
    end)
  end)

  it("reads at coordinates within batches like a loop", function()
    times(function()
      local shape = random_shape(1, 4)
      local t = random_tensor(shape, pick(dtypes))
      local batches = math.random(1, math.max(1, #shape - 1))
      local count = math.random(0, #shape - batches)
      local mode = random_mode{table.unpack(shape, batches + 1, batches + count)}
      local lead = {table.unpack(shape, 1, batches)}
      if math.random(2) == 1 then table.insert(lead, math.random(0, 3)) end
      local columns, at_list = {}, {}
      for d = 1, count do
        columns[d] = random_index(lead, shape[batches + d], mode):to("int64")
        at_list[d] = list_of(columns[d])
      end
      local none = {table.unpack(lead)}
      table.insert(none, 0)
      local indices = count > 0 and strew.stack(columns, -1) or strew.zeros(none)
      local out = table.move(shape, batches + count + 1, #shape, #lead + 1, {table.unpack(lead)})
      local list, expected = list_of(t), {}
      each(out, function(position)
        local target, is_kept, i = {table.unpack(position, 1, batches)}, true, offset(out, position)
        for d = 1, count do
          target[batches + d] = resolve(at_list[d][offset(lead, position)], shape[batches + d], mode)
          is_kept = is_kept and target[batches + d]
        end
        table.move(position, #lead + 1, #position, batches + count + 1, target)
        if is_kept then expected[i] = list[offset(shape, target)] else expected[i] = t.dtype ~= "bool" and 0 end
      end)
      same(out, t.dtype, expected, laid_out(t):gather_nd(indices, {batch_dims = batches, mode = mode}), "gather_nd")
    end)
  end)

  it("scatters a source to a mask like a loop", function()
    times(function()
      local shape = random_shape(0, 3)
      local t = random_tensor(shape, pick(dtypes))
      local narrow = {table.unpack(shape, math.random(2))}
      for k, n in ipairs(narrow) do narrow[k] = math.random(3) == 1 and 1 or n end
      local mask = strew.randint(0, 2, narrow):to("bool")
      local is_chosen, count = list_of(mask:expand(shape)), 0
      for _, flag in ipairs(is_chosen) do count = count + (flag and 1 or 0) end
      local source = laid_out(random_tensor({count + math.random(0, 2)}, t.dtype))
      if count % 2 == 0 and source:numel() == count then source = source:reshape(2, count // 2) end
      local values, writes = list_of(source), {}
      for i, flag in ipairs(is_chosen) do
        if flag then table.insert(writes, {i, values[#writes + 1]}) end
      end
      check("masked_scatter", t, written(t, writes), laid_out(mask), source)
    end)
    local out = strew.tensor{5, 6}:masked_scatter(strew.tensor{{true, false}, {false, true}}, strew.tensor{1, 2})
    same({2, 2}, "int64", {1, 6, 5, 2}, out, "masked_scatter broadcasts self")
  end)

  it("replaces parts like a loop", function()
    times(function()
      local shape = random_shape(2, 4)
      local t = random_tensor(shape, pick(dtypes))
      -- Checks a part: in(position) returns its position in src, or nil.
      local function check_part(name, src_shape, inside, ...)
        local src, writes = random_source(src_shape, t.dtype), {}
        local values = list_of(src)
        each(shape, function(position)
          local at = inside(position)
          if at then table.insert(writes, {offset(shape, position), values[offset(src_shape, at)]}) end
        end)
        check(name, t, written(t, writes), src, ...)
      end
      local d = math.random(#shape)
      local dim, n = d - 1 - (math.random(2) - 1) * #shape, shape[d]
      if n > 0 then
        local i = math.random(0, n - 1)
        local rest = {table.unpack(shape)}
        table.remove(rest, d)
        check_part("select_scatter", rest, function(position)
          local at = {table.unpack(position)}
          return table.remove(at, d) == i and at
        end, dim, i - (math.random(2) - 1) * n)
      end
      local start, stop, step = math.random(0, 4), math.random(0, 5), math.random(3)
      local sliced = {table.unpack(shape)}
      sliced[d] = math.max(0, (math.min(stop, n) - math.min(start, n) + step - 1) // step)
      check_part("slice_scatter", sliced, function(position)
        local at, from = {table.unpack(position)}, position[d] - start
        at[d] = from // step
        return from >= 0 and from % step == 0 and position[d] < stop and at
      end, dim, start, stop, step)
      local e = d % #shape + 1
      local shift = math.random(-3, 3)
      local diagonal, length = {}, 0
      for k = 1, #shape do if k ~= d and k ~= e then table.insert(diagonal, shape[k]) end end
      for k = 0, n - 1 do length = length + ((k + shift >= 0 and k + shift < shape[e]) and 1 or 0) end
      table.insert(diagonal, length)
      local function inside(position)
        if position[e] - position[d] ~= shift then return nil end
        local at = {}
        for k = 1, #shape do if k ~= d and k ~= e then table.insert(at, position[k]) end end
        table.insert(at, math.min(position[d], position[e]))
        return at
      end
      check_part("diagonal_scatter", diagonal, inside, shift, d - 1, e - 1 - #shape)
      local list, expected = list_of(t), {}
      each(shape, function(position)
        local at = inside(position)
        if at then expected[offset(diagonal, at)] = list[offset(shape, position)] end
      end)
      same(diagonal, t.dtype, expected, laid_out(t):diagonal(shift, d - 1, e - 1), "diagonal")
    end)
    local t = strew.zeros(2, 3)
    t:diagonal():fill_(1)
    same({2, 3}, "float32", {1, 0, 0, 0, 1, 0}, t, "a diagonal is a view")
    same({2, 2}, "float32", {0, 0, 1, 1}, strew.zeros(2, 2):slice_scatter(strew.ones(1, 2), {start = 1}), "by name")
    same({0}, "float32", {}, t:diagonal(math.mininteger), "diagonal")
    same({0}, "float32", {}, t:diagonal(math.maxinteger), "diagonal")
  end)

  it("adds many values in order, on every thread count", function()
    local n, size = on_cpu and 30000 or 3000, 64
    local t, source = strew.rand(size), strew.rand(n)
    local index = strew.randint(0, size, {n})
    local values, at, list = list_of(source), list_of(index), list_of(t)
    for i = 1, n do
      list[at[i] + 1] = ("f"):unpack(("f"):pack(list[at[i] + 1] + values[i]))
    end
    local square = {index // 8, index % 8}
    for count = 1, 3 do
      strew.set_num_threads(count)
      same({size}, "float32", list, t:index_add(0, index, source), "index_add")
      same({size}, "float32", list, t:put(index, source, {accumulate = true}), "put")
      same({8, 8}, "float32", list, t:view(8, 8):index_put(square, source, {accumulate = true}), "index_put")
      same({8, 8}, "float32", list,
        t:view(8, 8):clone():scatter_nd_(strew.stack(square, 1), source, {reduce = "sum"}), "scatter_nd_")
    end
  end)

  it("checks every value before it writes", function()
    times(function()
      local shape = random_shape(1, 3)
      for d, size in ipairs(shape) do shape[d] = math.max(size, 1) end
      local t = strew.rand(shape)
      local mode = pick{"error", "wrap", false} or nil
      local d = math.random(#shape)
      local n = math.random(1, 5)
      local bad, lead = pick{shape[d], shape[d] + 7, -shape[d] - 1}, {math.random(2) == 1 and 1 or 2, n}
      local function spoiled(size, sizes, value)
        local index = random_index(sizes, size, mode)
        if value then index = index:contiguous() end
        local i = value and math.random(0, index:numel() - 1)
        if value then index:view(index:numel())[i] = value end
        return index, i
      end
      local function refused(name, arg, position, value, self, ...)
        local before = self:clone()
        for _, form in ipairs(name == "gather_nd" and {""} or {"_", ""}) do
          local ok, message = pcall(strew[name .. form], self, ...)
          assert.is_false(ok, name)
          local detail = strew.last_error()
          assert.equal(arg, detail.arg, message)
          assert.equal("index", detail.code, message)
          assert.equal(value, detail.value, message)
          assert.same(position, detail.pos, message)
          assert.equal(name .. form, detail.op, message)
          local place = table.concat(position, ", ")
          local shown = ("'%s' has value %d at [%s], out of range for "):format(arg, value, place)
          assert.truthy(message:find(shown, 1, true), message)
          assert.is_true(strew.equal(before, self), name)
        end
      end
      local self = laid_out(t)
      local index, i = spoiled(shape[d], {n}, bad)
      local sizes = {table.unpack(shape)}
      sizes[d] = n
      refused("index_add", "index", {i}, bad, self, d - 1, index, strew.ones(sizes), {mode = mode})
      refused("index_copy", "index", {i}, bad, self, d - 1, index, strew.ones(sizes), {mode = mode})
      refused("index_reduce", "index", {i}, bad, self, d - 1, index, strew.ones(sizes), "prod", {mode = mode})
      refused("index_fill", "index", {i}, bad, self, d - 1, index, 7, {mode = mode})
      local indices, columns, at = {}, {}, nil
      for k = 1, math.random(d, #shape) do
        if k == d then indices[k], at = spoiled(shape[k], lead, bad) else indices[k] = spoiled(shape[k], lead) end
        columns[k] = indices[k]:to("int64")
      end
      local position = {at // n, at % n}
      refused("index_put", ("indices[%d]"):format(d), position, bad, self, indices, 7, {mode = mode})
      local updates = strew.ones(table.move(shape, #indices + 1, #shape, 3, {table.unpack(lead)}))
      table.insert(position, d - 1)
      refused("scatter_nd", "indices", position, bad, self, strew.stack(columns, -1), updates, {mode = mode})
      refused("gather_nd", "indices", position, bad, self, strew.stack(columns, -1), {mode = mode})
      local flat, j = spoiled(t:numel(), lead, t:numel() + 3)
      refused("put", "index", {j // n, j % n}, t:numel() + 3, self, flat, strew.ones(lead), {mode = mode})
    end)
  end)

  it("refuses bad values even if nothing would be written", function()
    local none = strew.zeros(3, 0)
    local function refused(f, ...)
      assert.is_false(pcall(f, ...))
      assert.equal("index", strew.last_error().code)
    end
    refused(strew.index_add, none, 0, strew.tensor{3}, strew.zeros(1, 0))
    refused(strew.index_fill, none, 0, strew.tensor{-1}, 1)
    refused(strew.index_put, none, {strew.tensor{3}}, 1)
    refused(strew.scatter_nd, none, strew.tensor{{3}}, strew.zeros(1, 0))
    refused(strew.gather_nd, none, strew.tensor{{3}})
    refused(strew.take_along_dim, none, strew.tensor{{3}}, 0)
    refused(strew.take, none, strew.tensor{0})
    refused(strew.put, none, strew.tensor{0}, strew.tensor{1.0})
  end)

  it("takes what PyTorch's own samples pass", function()
    local t = strew.tensor(5.0)
    same({}, "float32", {7}, t:index_add(-1, strew.tensor{0}, strew.tensor(1.0), {alpha = 2}), "index_add")
    same({}, "float32", {1}, t:index_copy(0, strew.tensor(0), strew.tensor{1.0}), "index_copy")
    same({}, "float32", {4}, t:index_fill(-1, strew.tensor(0), 4), "index_fill")
    same({}, "float32", {5}, t:take(strew.tensor(0)), "take")
    same({}, "float32", {5}, t:take_along_dim(strew.tensor(0), 0), "take_along_dim")
    same({}, "float32", {2}, t:put(strew.tensor{0}, strew.tensor(2.0)), "put")
    same({}, "float32", {3}, t:masked_scatter(strew.tensor(true), strew.tensor{3.0, 4}), "masked_scatter")
    local nothing = strew.zeros(0, {dtype = "bool"})
    same({0, 3}, "float32", {}, strew.zeros(0, 3):index_put({nothing}, strew.ones(3)), "index_put")
    local none = strew.zeros({4}, {dtype = "bool"})
    same({4}, "float32", {0, 0, 0, 0}, strew.zeros(4):index_put({none}, 1, {accumulate = true}), "index_put")
    same({2}, "float32", {0, 0}, strew.zeros(2):index_add(0, strew.zeros(0), strew.zeros(0)), "an empty index")
  end)

  it("takes an expanded self out of place, and operands beside self in its memory", function()
    local narrow, index, rows = strew.tensor{{1.0}, {2}, {3}}, strew.tensor{2, 0}, strew.ones(2, 4)
    local wide, dense = narrow:expand(3, 4), narrow:expand(3, 4):contiguous()
    local function check_both(name, ...)
      same({3, 4}, "float32", list_of(dense[name](dense, ...)), wide[name](wide, ...), name)
      assert.same({{1}, {2}, {3}}, narrow:tolist(), name)
    end
    check_both("index_add", 0, index, rows)
    check_both("index_put", {index, index}, 7)
    check_both("put", index, strew.tensor{8.0, 9})
    check_both("scatter_nd", index:view(2, 1), rows)
    check_both("masked_scatter", wide:gt(2), rows)
    check_both("select_scatter", rows[0], 0, 1)
    check_both("slice_scatter", rows, 0, 0, 2)
    check_both("diagonal_scatter", rows[0]:narrow(0, 0, 3))

    local whole = strew.zeros(3, 4)
    local left, right = whole:narrow(1, 0, 2), whole:narrow(1, 2, 2):fill_(3)
    left:index_put_({strew.tensor{0}}, right:narrow(0, 0, 1))
    left:index_add_(0, strew.tensor{2, 2}, right:narrow(0, 0, 2), {alpha = 2})
    left:scatter_nd_(strew.tensor{{1}}, right:narrow(0, 1, 1))
    left:select_scatter_(right[2], 0, 1)
    assert.same({{3, 3, 3, 3}, {3, 3, 3, 3}, {12, 12, 3, 3}}, whole:tolist())
  end)

  it("gives the same on every device", function()
    local function results(device)
      local on = {device = device}
      local t, index = strew.tensor({{3.5, 1, 2}, {0, 5, 4}}, on), strew.tensor({1, 0, 1}, on)
      local rows, mask = strew.tensor({{0.1, 0.2, 0.3}, {1, 2, 3}, {0.7, 0.8, 0.9}}, on), t:gt(1)
      local pairs_of = strew.tensor({{0, 1}, {1, 2}, {0, 1}}, on)
      local values = strew.tensor({0.5, 0.25, 0.1}, on)
      return {
        t:index_add(0, index, rows, {alpha = 3}), t:index_copy(0, index, rows), t:index_fill(1, index, 9),
        t:index_reduce(0, index, rows, "mean"), t:index_put({index, index + 1}, values, {accumulate = true}),
        t:index_put({mask}, 7), t:put(index, values), t:take(index), t:take_along_dim(index:view(1, 3), 1),
        t:scatter_nd(pairs_of, values), strew.scatter_nd(pairs_of, values, {2, 3}), t:gather_nd(pairs_of),
        t:gather_nd(index:narrow(0, 0, 2):view(2, 1), {batch_dims = 1}), t:masked_scatter(mask, rows),
        t:select_scatter(values, 0, 1), t:slice_scatter(values:view(1, 3), 0, 1), t:diagonal(1),
        t:diagonal_scatter(values:narrow(0, 0, 2), 1), t:index_put({index - 1}, 5, {mode = "wrap"}),
        t:scatter_nd(pairs_of + 1, values, {mode = "clip"}), t:scatter_nd(pairs_of + 1, values, {mode = "drop"}),
      }
    end
    local expected = results "cpu"
    for _, device in ipairs(strew.devices()) do
      for i, result in ipairs(results(device.name)) do
        assert.equal(device.name, result.device)
        assert.equal(support.text(expected[i]), support.text(result))
      end
    end
  end)
end)
