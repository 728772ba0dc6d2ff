-- Operations that copy elements elsewhere (lua_bindings/core/rearranging.lua, views.lua), against plain loops.
-- devices: no, each random dtype and layout would compile kernels; the digest calls every operation there.
local strew = require "strew"
local loops = dofile "tests/spec/loops.lua"
local any, list, same = loops.any, loops.list, loops.same

local TIMES = 40

-- Checks `times` random cases on 1, 2 and 3 threads.
local function sweep(check)
  loops.on_threads(function()
    for _ = 1, TIMES do check() end
  end)
end

-- The elements of t at the positions from(position) of the result.
local function read(t, shape, from)
  local values, result = list(t), {}
  for i, position in loops.positions(shape) do result[i] = values[loops.number(t.shape, from(position))] end
  return result
end

describe("elements elsewhere", function()
  before_each(function() math.randomseed(11) end)

  it("roll along dimensions", function()
    sweep(function()
      local shape = loops.shape(1, 3)
      local t, shifts, dims = loops.random(shape, any(loops.dtypes), true), {}, {}
      for i = 1, math.random(1, 3) do shifts[i], dims[i] = math.random(-9, 9), math.random(-#shape, #shape - 1) end
      local expected = read(t, shape, function(position)
        local from = {table.unpack(position)}
        for i, dim in ipairs(dims) do
          local d = dim % #shape + 1
          from[d] = (from[d] - shifts[i]) % shape[d]
        end
        return from
      end)
      same(expected, shape, t.dtype, t:roll(shifts, dims))
      if #dims == 1 then same(expected, shape, t.dtype, t:roll(shifts[1], {dims = dims[1]})) end
    end)
  end)

  -- Rows are copied as a whole, column by column, or by a call for each, by their width.
  it("short rows, of every width", function()
    loops.on_threads(function()
      for width = 1, 21 do
        for _, dtype in ipairs{"uint8", "int16", "float32", "int64"} do
          local rows, times = math.random(30), math.random(3)
          local t = loops.random({rows, times, 2 * width}, dtype, false)
          local part, shape = t:slice(2, 1, 2 * width, math.random(2)):narrow(2, 0, width), {rows, times, width}
          local values = list(part)
          local function at(i, k, c) return values[((i - 1) * times + k - 1) * width + c] end
          local expected = {plain = {}, turned = {}, back = {}}
          for i = 1, rows do
            for k = 1, times do
              for c = 1, width do
                table.insert(expected.plain, at(i, k, c))
                table.insert(expected.back, at(i, k, width + 1 - c))
              end
            end
          end
          for k = 1, times do
            for i = 1, rows do
              for c = 1, width do table.insert(expected.turned, at(i, k, c)) end
            end
          end
          same(expected.plain, shape, dtype, part:clone())
          same(expected.back, shape, dtype, part:flip(2))
          same(expected.turned, {times, rows, width}, dtype, part:transpose(0, 1):clone())
        end
      end
    end)
  end)

  it("roll as one dimension", function()
    sweep(function()
      local shape = loops.shape(0, 3)
      local t, shift = loops.random(shape, any(loops.dtypes)), any{-30, -2, 0, 1, 5, math.maxinteger, math.mininteger}
      local values, expected = list(t), {}
      for i = 1, #values do expected[i] = values[(i - 1 - shift % #values) % #values + 1] end
      same(expected, shape, t.dtype, t:roll(shift))
    end)
  end)

  it("repeat as a whole", function()
    sweep(function()
      local shape, counts = loops.shape(0, 3), {}
      local t = loops.random(shape, any(loops.dtypes), true)
      for i = 1, math.random(0, 4) do counts[i] = math.random(0, 3) end
      local rank = math.max(#counts, #shape)
      local sizes, small = {}, {}
      for d = 1, rank do
        small[d] = shape[d - rank + #shape] or 1
        sizes[d] = small[d] * (counts[d - rank + #counts] or 1)
      end
      local expected = read(t, sizes, function(position)
        local from = {}
        for d = rank - #shape + 1, rank do table.insert(from, position[d] % small[d]) end
        return from
      end)
      same(expected, sizes, t.dtype, t:tile(counts))
      if #counts >= #shape then
        same(expected, sizes, t.dtype, t["repeat"](t, counts))
        same(expected, sizes, t.dtype, strew["repeat"](t, table.unpack(counts)))
      end
    end)
  end)

  it("repeat along as many dimensions as there are", function()
    local counts = {}
    for d = 1, 16 do counts[d] = 2 end
    local t = strew.arange(3):tile(counts)
    assert.same({2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 6}, t.shape)
    assert.same({0, 1, 2, 0, 1, 2}, t:view{-1, 6}:amax(0):tolist())
    assert.same({0, 1, 2, 0, 1, 2}, t:view{-1, 6}:amin(0):tolist())
  end)

  it("repeat one by one", function()
    sweep(function()
      local shape = loops.shape(0, 3)
      local dim = #shape > 0 and math.random(2) == 1 and math.random(-#shape, #shape - 1) or nil
      local t = loops.random(shape, any(loops.dtypes), true)
      local line = dim and shape or {loops.count(shape)}
      local at = (dim or 0) % #line + 1
      local counts, from = {}, {}
      for i = 1, line[at] do
        counts[i] = math.random(0, 3)
        for _ = 1, counts[i] do table.insert(from, i - 1) end
      end
      local sizes = {table.unpack(line)}
      sizes[at] = #from
      local function expected()
        return read(t:reshape(line), sizes, function(position)
          return loops.moved(position, at - 1, from[position[at] + 1])
        end)
      end
      local repeats = loops.tensor(counts, {#counts}, any{"int64", "int32"})
      same(expected(), sizes, t.dtype, t:repeat_interleave(repeats, dim, {output_size = #from}))
      same(from, {#from}, "int64", strew.repeat_interleave(repeats))
      -- a number, as such and as a tensor of one element
      local number = math.random(0, 3)
      from = {}
      for i = 0, number * line[at] - 1 do from[i + 1] = i // number end
      sizes[at] = #from
      same(expected(), sizes, t.dtype, t:repeat_interleave(number, dim))
      same(expected(), sizes, t.dtype, t:repeat_interleave(strew.tensor(number), dim))
      same(expected(), sizes, t.dtype, t:repeat_interleave(strew.tensor{number}, dim))
    end)
  end)

  it("are new even if nothing moves", function()
    for _, t in ipairs{strew.ones(1), strew.ones(1, 1), strew.tensor(1.0)} do
      local ones = {table.unpack(t.shape)}
      for name, out in pairs{
        roll = t:roll(0), tile = t:tile(1), ["repeat"] = t["repeat"](t, ones), repeats = t:repeat_interleave(1),
        tiled = t:tile(3), tril = t:dim() == 2 and t:tril() or nil, diag = t:dim() > 0 and t:diag() or nil,
      } do
        out:fill_(7)
        assert.is_true(out:eq(7):all():item(), name)
        assert.equal(1.0, t:sum():item(), name)
      end
    end
  end)

  it("keep to a triangle", function()
    sweep(function()
      local shape = loops.shape(2, 4)
      local dtype, k = any(loops.dtypes), any{-5, -2, -1, 0, 1, 2, 5, math.maxinteger, math.mininteger}
      for name, keeps in pairs{
        tril = function(row, column) return column - row <= k end,
        triu = function(row, column) return column - row >= k end,
      } do
        local t = loops.random(shape, dtype, true)
        local values, expected = list(t), {}
        for i, position in loops.positions(shape) do
          expected[i] = values[i]
          if not keeps(position[#shape - 1], position[#shape]) then expected[i] = loops.zero(dtype) end
        end
        same(expected, shape, dtype, t[name](t, k))
        same(values, shape, dtype, t)
        assert.equal(t, t[name .. "_"](t, k))
        same(expected, shape, dtype, t)
      end
    end)
  end)

  it("lie on a diagonal", function()
    sweep(function()
      local dtype, k, n = any(loops.dtypes), math.random(-5, 5), math.random(0, 4)
      local t = loops.random({n}, dtype, true)
      local size = n + math.abs(k)
      local values, expected = list(t), {}
      for i, position in loops.positions{size, size} do
        local row, column = position[1], position[2]
        expected[i] = loops.zero(dtype)
        if column - row == k then expected[i] = values[math.min(row, column) + 1] end
      end
      same(expected, {size, size}, dtype, t:diag(k))
      same(values, {n}, dtype, t:diag(k):diag(k))
      local shape = loops.shape(2, 2)
      local matrix, diagonal = loops.random(shape, dtype, true), {}
      values = list(matrix)
      for i, position in loops.positions(shape) do
        if position[2] - position[1] == k then table.insert(diagonal, values[i]) end
      end
      same(diagonal, {#diagonal}, dtype, matrix:diag{diagonal = k})
    end)
    assert.equal(0, strew.ones(2, 2):diag(math.mininteger):numel())
    assert.equal(0, strew.ones(2, 2):diag(math.maxinteger):numel())
  end)

  it("meet in pairs", function()
    sweep(function()
      local dtype = any{"float32", "int64", "uint8", "bool"}
      local a, b = loops.random(loops.shape(1, 1), dtype), loops.random(loops.shape(1, 1), dtype)
      local x, y, expected = list(a), list(b), {}
      for i, position in loops.positions{#x, #y} do
        local p, q = x[position[1] + 1], y[position[2] + 1]
        if dtype == "bool" then expected[i] = p and q else expected[i] = p * q end
      end
      same(expected, {#x, #y}, dtype, a:outer(b))
    end)
    assert.equal("float32", strew.tensor{1}:outer(strew.tensor{0.5}).dtype)
  end)

  it("are the same in large tensors on every number of threads", function()
    local t, counts = strew.arange(300000):view(600, 500), strew.arange(600) % 4
    local expected
    loops.on_threads(function()
      local is = {}
      for i, out in ipairs{
        t:roll({7, -3}, {0, 1}), t:tile(2, 3), t:repeat_interleave(counts, 0), t:tril(5), t:triu(-5), t:diag(2),
      } do is[i] = ("%s %d %d"):format(table.concat(out.shape, "x"), out:sum():item(),
        (out:reshape(-1) * strew.arange(out:numel())):sum():item()) end
      local text = table.concat(is, "\n")
      expected = expected or text
      assert.equal(expected, text)
    end)
  end)

  it("are functions and methods", function()
    local t = strew.tensor{{3, 1, 2}, {0, 5, 4}}
    for name, arguments in pairs{
      roll = {1, {dims = 1}}, tile = {2, 2}, ["repeat"] = {{2, 2}}, repeat_interleave = {2, {dim = 1}},
      tril = {{diagonal = -1}}, triu = {1}, diag = {{diagonal = 1}},
    } do loops.same_forms(name, t, table.unpack(arguments)) end
    loops.same_forms("outer", t[0], t[1])
    for _, name in ipairs{"roll", "tile", "repeat", "repeat_interleave", "diag", "outer"} do
      assert.is_nil(rawget(strew, name .. "_"), name)
    end
  end)

  it("are refused by the names of their arguments", function()
    local t, refused = strew.tensor{{3, 1, 2}, {0, 5, 4}}, loops.refused
    refused("roll: 'shifts' has 2 entries, expected 1", t.roll, t, {1, 1})
    refused("roll: 'shifts' has 1 entry, expected 2", t.roll, t, 1, {0, 1})
    refused("roll: 'shifts' has 0 entries, expected 1", t.roll, t, {})
    refused("roll: 'shifts' is 0.5, expected an integer", t.roll, t, 0.5)
    refused("roll: 'dims' is 2, out of range for 2 dimensions (valid -2..1)", t.roll, t, {1, 1}, {0, 2})
    refused("repeat: 'repeats' has 1 entry, expected at least self's 2 dimensions", t["repeat"], t, 2)
    refused("repeat: 'repeats' has value -1 at [2], expected 0 or more", t["repeat"], t, 2, -1)
    refused("tile: 'dims' is missing, expected counts", t.tile, t)
    refused("tile: 'dims' has value -2 at [1], expected 0 or more", t.tile, t, {-2, 1, 1})
    refused("tile: 'dims' has value 9223372036854775807 at [2], the size of the result overflows", t.tile, t, 1,
      math.maxinteger)
    refused("tile: 'dims' has more than 16 entries, the greatest rank", t.tile, t, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
      1, 1, 1, 1, 1)
    local f = t.repeat_interleave
    refused("repeat_interleave: 'repeats' is -1, expected 0 or more", f, t, -1)
    refused("repeat_interleave: 'repeats' is 9223372036854775807, the size of the result overflows", f, t,
      math.maxinteger)
    refused("repeat_interleave: 'repeats' is 1.5, expected an integer or a tensor of integers", f, t, 1.5)
    refused("repeat_interleave: 'repeats' is true, expected an integer or a tensor of integers", f, t, true)
    refused("repeat_interleave: 'repeats' is float32, expected an integer dtype", f, t, strew.ones(2), 0)
    refused("repeat_interleave: 'repeats' has value -2 at [1], expected 0 or more", f, t, strew.tensor{1, -2}, 0)
    refused("repeat_interleave: 'repeats' has 3 values, expected 1 or 2, the size of dim 0 of self", f, t,
      strew.tensor{1, 2, 3}, 0)
    refused("repeat_interleave: 'repeats' has 2 dimensions, expected 0 or 1", f, t, t, 0)
    refused("repeat_interleave: 'repeats' adds up to more than int64 can hold", f, t,
      strew.tensor{math.maxinteger, math.maxinteger}, 0)
    refused("repeat_interleave: 'output_size' is 5, the repeats add up to 4", f, t, 2, 0, {output_size = 5})
    refused("repeat_interleave: 'dim' is 2, out of range for 2 dimensions (valid -2..1)", f, t, 2, 2)
    refused("repeat_interleave: 'dim' is given without 'repeats'", f, strew.tensor{1}, {dim = 0})
    refused("repeat_interleave: 'self' has 2 dimensions, expected 1", f, t)
    refused("repeat_interleave: 'self' has value -1 at [1], expected 0 or more", f, strew.tensor{2, -1})
    refused("repeat_interleave: 'self' is float32, expected an integer dtype", f, strew.tensor{2.0})
    refused("tril: 'self' has 1 dimension, expected at least 2", strew.tril, strew.ones(2))
    refused("triu_: 'self' has 0 dimensions, expected at least 2", strew.triu_, strew.tensor(2))
    refused("diag: 'self' has 0 dimensions, expected 1 or 2", strew.diag, strew.tensor(2))
    refused("diag: 'self' has 3 dimensions, expected 1 or 2", strew.diag, strew.ones(1, 1, 1))
    refused("diag: 'diagonal' is 0.5, expected an integer", strew.diag, t, 0.5)
    for _, diagonal in ipairs{math.maxinteger, math.mininteger} do
      refused(("diag: 'diagonal' is %d, the size of the result overflows"):format(diagonal), strew.diag, t[0], diagonal)
    end
    refused("outer: 'self' has 2 dimensions, expected 1", strew.outer, t, t[0])
    refused("outer: 'other' has 2 dimensions, expected 1", strew.outer, t[0], t)
    refused("tril_: 'self' overlaps itself (an expanded view?) and cannot be written in place",
      strew.tril_, strew.ones(1, 1):expand(2, 2))
  end)
end)
