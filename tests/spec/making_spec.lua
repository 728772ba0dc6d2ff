-- Operations that make, join, rearrange and count, losses and random numbers, beside NumPy and PyTorch
-- (tests/data/making.lua); their errors, empty tensors, dtypes and layouts.
-- devices: no, each would compile kernels; the digest calls every operation there.
local strew = require "strew"
local support, data = dofile "tests/spec/support.lua", dofile "tests/data/making.lua"
if support.lacks_float64 then
  return it("is left out", function() pending "needs float64, which the device lacks" end)
end

local nan, inf = 0 / 0, math.huge
local function operands()
  local function floats(x) return strew.tensor(x, {dtype = "float64"}) end
  return {
    t = floats{{1.5, 2, -3}, {4, 0.25, 6}}, n = floats{{1.0, nan, 3}, {nan, nan, nan}}, i = strew.tensor{0, 5, 3},
    b = strew.tensor{true, false, true}, u = strew.arange(24):to("float64"):view(2, 3, 4), w = strew.tensor{2, 1, 3},
    x = floats{{2, -1, 0.5}, {1000, 0, -1000}, {0.1, 0.2, 0.3}, {-3, 4, 1}}, y = strew.tensor{0, 1, 2, 1},
    y2 = strew.tensor{0, -100, 2, 2}, cw = floats{0.5, 2, 1}, z = floats{0, 1, 1, 0, 0.25},
    z5 = floats{1, 2, 0.5, 0, 3},
    q = floats{{0.2, 0.3, 0.5}, {1, 0, 0}, {0, 0.5, 0.5}, {0.1, 0.1, 0.8}}, p = floats{0.1, 0.999, 0, 1, 0.5},
    s = floats{-1000, -30, -1, -1e-3, 0.5, 20, 800},
    a = floats{0.5, 2, 1.5}, r = strew.tensor{{1, 2}, {0, 5}, {1, 2}, {0, 4}}, nan = nan, strew = strew,
  }
end

local function environment() return setmetatable(operands(), {__index = _G}) end

local function near(expected, got, code)
  if type(expected) == "table" then
    if strew.type(got) then got = got:tolist() end
    assert.equal("table", type(got), code)
    assert.equal(#expected, #got, code)
    for k, part in ipairs(expected) do near(part, got[k], code) end
  elseif type(expected) == "number" and expected == expected and math.abs(expected) ~= math.huge then
    if strew.type(got) then got = got:item() end
    assert.equal("number", type(got), code)
    local difference = math.abs(expected - got)
    assert.is_true(difference <= 1e-7 * math.max(1, math.abs(expected)), ("%s: %s, not %s"):format(code, got, expected))
  else
    if strew.type(got) then got = got:item() end
    assert.equal(tostring(expected):gsub("^-(nan)", "%1"), tostring(got):gsub("^-(nan)", "%1"), code)
  end
end

-- The same with other strides: every second element of a larger tensor, or as if transposed.
local layouts = {
  dense = function(t) return t end,
  sliced = function(t)
    return t:dim() == 0 and t or strew.stack({t, t}, -1):flatten(-2):slice(-1, 0, 2 * t:size(-1), 2)
  end,
  turned = function(t) return t:dim() == 0 and t or t:transpose(0, -1):contiguous():transpose(0, -1) end,
}

describe("values are those of NumPy and PyTorch:", function()
  for _, row in ipairs(data.values) do
    it(row[1], function()
      for layout, laid_out in pairs(layouts) do
        local env = environment()
        for name, x in pairs(env) do if strew.type(x) then env[name] = laid_out(x) end end
        local results = table.pack(assert(load("return " .. row[1], row[1], "t", env))())
        near(row[2], results.n == 1 and results[1] or results, row[1] .. ", " .. layout)
      end
    end)
  end
end)

describe("gradients are those of PyTorch:", function()
  for _, row in ipairs(data.gradients) do
    it(row[1], function()
      local code, names = row[1]:match "^(.-) @(.*)$"
      local env, inputs, list = environment(), {}, {}
      for name in names:gmatch "%w+" do
        table.insert(list, name)
        table.insert(inputs, env[name])
      end
      local f = assert(load("return " .. code, code, "t", env))
      local gradients = {strew.grad(function(...)
        for k, x in ipairs{...} do env[list[k]] = x end
        local out = f():reshape(-1)
        return (out * strew.arange(1, out:numel() + 1):to(out.dtype)):sum()
      end)(table.unpack(inputs))}
      near(row[2], #list == 1 and gradients[1] or gradients, code)
    end)
  end
end)

it("every dtype is moved, joined and counted", function()
  local x = strew.tensor{{0, 1, 1}, {1, 0, 1}}
  local moved = {"x:pad{1, 1}", "x:rot90()", "strew.hstack{x, x}", "strew.vstack{x, x}",
    "strew.column_stack{x[0], x[1]}", "x:movedim(0, 1)", "x:unstack()[2]", "x:tensor_split(2, 1)[2]", "(x:mode(1))",
    "(x:kthvalue(2))", "x:nanmax(1)",
    "x:slice(1, {step = -1})", "x[{at, at}]", "x:unique{dim = 1}", "x:ones_like()", "x:full_like(1)", "x:zeros_like()"}
  local counted = {"x:count_nonzero(0)", "x:isin{1}", "select(2, x:mode(1))", "x:argwhere()",
    "select(2, x:unique{return_index = true})"}
  for _, dtype in ipairs{"float32", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool"} do
    for list, is_moved in pairs{[moved] = true, [counted] = false} do
      for _, code in ipairs(list) do
        local function of(t)
          local env = {x = t, at = strew.tensor{1, 0}, strew = strew, select = select}
          return assert(load("return " .. code, code, "t", env))()
        end
        local expected = of(x)
        local wanted = is_moved and expected:to(dtype) or expected
        assert.equal(support.text(wanted), support.text(of(x:to(dtype))), code .. " of " .. dtype)
      end
    end
  end
  for _, dtype in ipairs{"float32", "float16", "bfloat16"} do
    local y = strew.tensor({{1.0, nan, 3}, {2, 5, 4}}, {dtype = dtype})
    for _, code in ipairs{"nansum(1)", "nanmean(1)", "nanstd(0)", "nanmin(0)", "logcumsumexp(1)", "cov()", "trapz()",
      "percentile(50)", "corrcoef()"} do
      local out = assert(load("local y = ... return y:" .. code))(y)
      assert.equal(dtype, out.dtype, code)
      near(assert(load("local y = ... return y:" .. code))(y:to("float32")):to(dtype):tolist(), out, code)
    end
  end
end)

it("skip_nan leaves NaN out of norms, sums of exponentials and counts", function()
  local t = strew.tensor{{3.0, 0 / 0, -4.0, 0.0}, {0 / 0, 0 / 0, 0 / 0, 0 / 0}}
  local line = strew.tensor{3.0, -4.0, 0.0}
  for _, p in ipairs{0, 1, 2, 3, -1, math.huge, -math.huge} do
    assert.equal(line:norm(p):item(), t:norm{p = p, skip_nan = true}:item(), p)
    assert.equal(line:norm(p):item(), t:norm(p, 1, {skip_nan = true})[0], p)
  end
  assert.is_true(t:norm(2, 1)[0] ~= t:norm(2, 1)[0])
  assert.equal(line:logsumexp(0):item(), t:logsumexp{skip_nan = true}:item())
  assert.equal(line:logsumexp(0):item(), line:logsumexp():item())
  assert.same({line:logsumexp(0):item(), -math.huge}, t:logsumexp(1, {skip_nan = true}):tolist())
  assert.same({2, 0}, t:count_nonzero(1, {skip_nan = true}):tolist())
  assert.equal(7, t:count_nonzero():item())
  assert.matches("'skip_nan' is true, which has no gradient", select(2, pcall(strew.grad(function(x)
    return x:norm{skip_nan = true}
  end), line)), 1, true)
end)

it("skip_nan leaves NaN out of a line as if it were not there", function()
  math.randomseed(7)
  local of_nothing = {sum = 0.0, prod = 1.0, any = false, all = true}
  local function is_same(a, b) -- but for the rounding of means and squares
    if type(a) ~= "number" or a ~= a or a == math.huge then return a == b or a ~= a and b ~= b end
    return math.abs(a - b) <= 1e-6 * math.abs(a)
  end
  for _ = 1, 40 do
    local t = strew.zeros(math.random(4), math.random(5), math.random(3))
    for i = 0, t:numel() - 1 do t:view(-1)[i] = math.random(3) == 1 and nan or math.random(-3, 3) end
    for name in ("sum prod any all amin amax argmin argmax min max mean var std median quantile"):gmatch "%a+" do
      local is_place = name:find "^arg"
      local function expected(line)
        local rest = line[line:eq(line)]
        if rest:numel() == 0 then return is_place and 0 or of_nothing[name] == nil and nan or of_nothing[name] end
        local value = (rest[is_place and name:gsub("arg", "a") or name](rest, name == "quantile" and 0.5 or nil)):item()
        return is_place and line:eq(value):nonzero()[0]:item() or value
      end
      local function of(options)
        options.skip_nan = true
        if name == "quantile" then return t:quantile(0.5, options) end
        return t[name](t, options)
      end
      assert.is_true(is_same(expected(t:reshape(-1)), (of{}):item()), name)
      local found = (of{dim = 1})
      assert.same({t:size(0), t:size(2)}, found.shape)
      assert.same({t:size(0), 1, t:size(2)}, (of{dim = 1, keepdim = true}).shape)
      for i = 0, t:size(0) - 1 do
        for k = 0, t:size(2) - 1 do
          local wanted = expected(t[i]:t()[k])
          assert.is_true(is_same(wanted, found[i][k]),
            ("%s: %s, not %s, of %s"):format(name, found[i][k], wanted, t[i]:t()[k]))
        end
      end
    end
  end
end)

it("empty tensors and those of rank 0 have results, or errors", function()
  support.evaluate({
    {"o:pad{1, 1}", "float32[2] {0.0, 0.0}"}, {"o:count_nonzero()", "int64[] 0"}, {"o:isin{1}", "bool[0] {}"},
    {"s:isin{5}", "bool[] true"}, {"s:isin{}", "bool[] false"}, {"s:count_nonzero()", "int64[] 1"},
    {"o:nansum()", "float32[] 0.0"}, {"o:nanmean()", "float32[] nan"}, {"o:nanmedian()", "float32[] nan"},
    {"o:logcumsumexp(0)", "float32[0] {}"}, {"o:unique{return_index = true}", "float32[0] {}; int64[0] {}"},
    {"z:unique{dim = 0}", "float32[1, 0] {{}}"}, {"z:t():unique{dim = 0}", "float32[0, 2] {}"},
    {"s:unique{dim = 0, return_index = true}", "int64[1] {5}; int64[1] {0}"}, {"z:trapz()", "float32[2] {0.0, 0.0}"},
    {"s:kthvalue(1)", "int64[] 5; int64[] 0"}, {"s:mode()", "int64[] 5; int64[] 0"}, {"#z:unstack(1)", "0"},
    {"strew.hstack{s, s}", "int64[2] {5, 5}"}, {"strew.vstack{s, s}", "int64[2, 1] {{5}, {5}}"},
    {"strew.meshgrid{s, o}", "int64[1, 0] {{}}; float32[1, 0] {{}}"}, {"z:rot90()", "float32[0, 2] {}"},
    {"(o:histogram(2))", "float32[2] {0.0, 0.0}"}, {"o:slice(0, {step = -1})", "float32[0] {}"},
    {"strew.triu_indices(0, 4)", "int64[2, 0] {{}, {}}"}, {"s:unravel_index{2, 3}", "int64[] 1; int64[] 2"},
    {"o:interp(strew.tensor{1.0}, strew.tensor{2.0})", "float32[0] {}"}, {"o[{at}]", "float32[0] {}"},
    {"strew.tensor(0.5):interp(strew.tensor{0}, strew.tensor{3})", "float32[] 3.0"}, {"s:movedim({}, {})", "int64[] 5"},
    {"s:movedim(0, -1)", "int64[] 5"},
    {"strew.zeros(3, 100):unique{dim = 0, return_counts = true}",
     support.text(strew.zeros(1, 100)) .. "; int64[1] {3}"},
    {"strew.arange(390):view(3, 130):flip(0):unique{dim = 0, return_inverse = true}",
     support.text(strew.arange(390):view(3, 130)) .. "; int64[3] {2, 1, 0}"},
  }, {strew = strew, o = strew.zeros(0), s = strew.tensor(5), z = strew.zeros(2, 0),
      at = strew.zeros(0, {dtype = "int64"})})
end)

it("constants and limits", function()
  assert.equal(math.pi, strew.pi)
  assert.equal(math.huge, strew.inf)
  assert.is_true(strew.nan ~= strew.nan)
  local function limits(x) return {x.bits, x.eps or 0, x.max, x.min, x.smallest_normal or 0} end
  assert.same({16, 2.0 ^ -10, 65504.0, -65504.0, 2.0 ^ -14}, limits(strew.finfo "float16"))
  assert.same({16, 2.0 ^ -7, 0x1.fep127, -0x1.fep127, 2.0 ^ -126}, limits(strew.finfo "bfloat16"))
  assert.same({32, 2.0 ^ -23, 0x1.fffffep127, -0x1.fffffep127, 2.0 ^ -126}, limits(strew.finfo "float32"))
  local most = 0x1.fffffffffffffp1023
  assert.same({64, 2.0 ^ -52, most, -most, 2.0 ^ -1022}, limits(strew.finfo "float64"))
  assert.same({8, 0, 255, 0, 0}, limits(strew.iinfo "uint8"))
  assert.same({8, 0, 127, -128, 0}, limits(strew.iinfo "int8"))
  assert.same({64, 0, math.maxinteger, math.mininteger, 0}, limits(strew.iinfo "int64"))
end)

it("what cannot be done names argument, value and place", function()
  local function first_line(message) return message:match "^[^\n]*" end
  support.fail({
    {"i:rand_like()", "rand_like: 'dtype' is int64, expected a float dtype"},
    {"t:full_like(1e400, {dtype = 'int8'})",
     "full_like: 'value' is inf, which int8 cannot hold: expected an integer in its range"},
    {"strew.logspace(0, 1, -1)", "logspace: 'steps' is -1, expected 0 or more"},
    {"strew.logspace(0, 19, 2, 10, {dtype = 'int64'})",
     "logspace: 'stop' gives 1e+19, which int64 cannot hold: expected an integer in its range"},
    {"strew.linspace(0, 1, 1 << 61, {dtype = 'int64'})",
     "linspace: 'shape' is [2305843009213693952], more bytes than can be addressed"},
    {"strew.meshgrid(t)", "meshgrid: 'tensors' is a tensor, expected a sequence of tensors"},
    {"strew.meshgrid{t}", "meshgrid: 'tensors' has 2 dimensions at [1], expected 0 or 1"},
    {"strew.meshgrid({a}, {indexing = 'xz'})", "meshgrid: 'indexing' is \"xz\", expected \"ij\" or \"xy\""},
    {"strew.hstack{}", "hstack: 'tensors' is an empty table, expected a sequence of tensors"},
    {"strew.vstack{a, 1}", "vstack: 'tensors' is 1 at [2], expected a tensor"},
    {"strew.tril_indices(-1)", "tril_indices: 'n' is -1, expected 0 or more"},
    {"strew.triu_indices(1, -2)", "triu_indices: 'm' is -2, expected 0 or more"},
    {"t:movedim(0, 2)", "movedim: 'destination' is 2, out of range for 2 dimensions (valid -2..1)"},
    {"strew.tensor(5):movedim(0, 1)", "movedim: 'destination' is 1, out of range for 0 dimensions (valid -1..0)"},
    {"t:movedim({0, -2}, {0, 1})", "movedim: 'source' names dimension 0 twice"},
    {"t:moveaxis({0, 1}, {1, 1})", "moveaxis: 'destination' names dimension 1 twice"},
    {"t:movedim({0}, {0, 1})", "movedim: 'destination' names 2 dimensions, source 1"},
    {"t:tensor_split(0)", "tensor_split: 'sections' is 0, expected at least 1"},
    {"a:rot90()", "rot90: 'self' has 1 dimension, expected at least 2"},
    {"t:rot90(1, {0, -2})", "rot90: 'dims' names dimension 0 twice"},
    {"t:rot90(1, {0})", "rot90: 'dims' names 1 dimension, expected 2"},
    {"t:pad{1}", "pad: 'pad' has 1 entries, expected two for each of the last dimensions, at most 4"},
    {"t:pad{-2, -2}", "pad: 'pad' removes 2 and 2 elements of dim 1, of size 3"},
    {"t:pad({3, 0}, 'reflect')", "pad: 'pad' has value 3 for dim 1 of size 3, reflect takes at most 2"},
    {"t:pad({4, 0}, 'circular')", "pad: 'pad' has value 4 for dim 1 of size 3, circular takes at most 3"},
    {"t:pad({1, 0}, 'wrap')",
     "pad: 'mode' is \"wrap\", expected \"constant\", \"reflect\", \"replicate\" or \"circular\""},
    {"t:pad({1, 0}, 'reflect', 2)", "pad: 'value' is given, but mode is reflect"},
    {"i:pad({1, 0}, 'constant', 0.5)",
     "pad: 'value' is 0.5, which int64 cannot hold: expected an integer in its range"},
    {"t:pad{math.maxinteger, 1}", "pad: 'pad' has value 9223372036854775807, the size of the result overflows"},
    {"i:unravel_index{2, 2}", "unravel_index: 'self' has value 5 at [1], expected 0..3 of shape [2, 2]"},
    {"t:unravel_index{9}", "unravel_index: 'self' is float64, expected integers"},
    {"strew.tensor({-1}):to('uint64'):unravel_index{4}",
     "unravel_index: 'self' has value 18446744073709551615 at [0], expected 0..3 of shape [4]"},
    {"i:repeat_interleave(strew.tensor({-1, 1, 0}):to('uint64'))",
     "repeat_interleave: 'repeats' adds up to more than int64 can hold"},
    {"i:unravel_index{2, 0}", "unravel_index: 'shape' has size 0 at [2], expected at least 1"},
    {"i:unravel_index{1 << 40, 1 << 40}", "unravel_index: 'shape' has more elements than int64 can count"},
    {"strew.ravel_multi_index({i, w}, {6, 3})",
     "ravel_multi_index: 'indices' has value 3 at [2], expected 0..2 for dim 1"},
    {"strew.ravel_multi_index({i}, {6, 3})", "ravel_multi_index: 'indices' has 1 tensors, shape 2 sizes"},
    {"i:isin('x')", "isin: 'test_elements' is \"x\", expected a tensor"},
    {"t:kthvalue(4)", "kthvalue: 'k' is 4, expected 1..3: the size of dim -1"},
    {"t:kthvalue(0, 0)", "kthvalue: 'k' is 0, expected 1..2: the size of dim 0"},
    {"strew.zeros(2, 0):mode()", "mode: 'self' has size 0 along dim -1, expected at least 1"},
    {"strew.zeros(2, 0):nanmedian(1)", "nanmedian: 'self' has size 0 along dim 1, expected at least 1"},
    {"strew.zeros(0):nanmax()", "nanmax: 'self' has size 0 in dimension 0, expected at least one element"},
    {"i:nanmean()", "nanmean: 'self' is int64, expected a float dtype"},
    {"t:percentile(101)", "percentile: 'q' is 101, expected 0 to 100"},
    {"t:percentile(n)", "percentile: 'q' has value nan at [0, 1], expected 0 to 100"},
    {"u:cov()", "cov: 'self' has 3 dimensions, expected at most 2"},
    {"t:cov{fweights = a}", "cov: 'fweights' is float64, expected integers: counts of columns"},
    {"t:cov{aweights = -w}", "cov: 'aweights' has value -2 at [0], expected 0 or more"},
    {"t:cov{aweights = i:narrow(0, 0, 2)}", "cov: 'aweights' has shape [2], expected [3]"},
    {"t:interp(i, a)", "interp: 'xp' has value 3.0 at [2], expected values in ascending order"},
    {"t:interp(w:narrow(0, 0, 0), a)", "interp: 'xp' is empty, expected at least one point"},
    {"t:interp(w, t)", "interp: 'fp' has shape [2, 3], expected [3]"},
    {"w:interp(w:sort(), a:to('float16'), {left = 1e30})",
     "interp: 'left' is 1e+30, which float16 cannot hold: the number is too large"},
    {"t:to('float32'):interp(w:sort(), w, {right = 1e39})",
     "interp: 'right' is 1e+39, which float32 cannot hold: the number is too large"},
    {"t:trapz(w:narrow(0, 0, 2))", "trapz: 'x' has 2 elements, expected 3, the size of dim -1 of self"},
    {"t:trapz(w, {dx = 1})", "trapz: 'dx' cannot be combined with 'x'"},
    {"i:logcumsumexp(0)", "logcumsumexp: 'self' is int64, expected a float dtype"},
    {"i:histogram(3)", "histogram: 'self' is int64, expected a float dtype"},
    {"t:histogram(0)", "histogram: 'bins' is 0, expected an integer of at least 1, or edges"},
    {"t:histogram{0, 2, 1}", "histogram: 'bins' has value 1.0 at [2], expected values in ascending order"},
    {"t:histogram(1 << 62)", "histogram: 'bins' is [4611686018427387905], more bytes than can be addressed"},
    {"t:histogram{0}", "histogram: 'bins' has 1 edge, expected at least 2"},
    {"n:histogram(3)", "histogram: 'self' has infinities or NaN, which have no bin"},
    {"t:histogram{0, 'x'}", "histogram: 'bins' has \"x\" at bins[2], expected numbers or booleans"},
    {"t:to('float16'):histogram(3, {range = {0, 1e30}})",
     "histogram: 'range' is 1e+30, which float16 cannot hold: the number is too large"},
    {"t:histogramdd(1 << 21)", "histogramdd: 'bins' make more bins than int64 can count"},
    {"t:histogramdd{2, {1, 0}, 2}", "histogramdd: 'bins[2]' has value 0.0 at [1], expected values in ascending order"},
    {"strew.ones(2, 17):histogramdd(1)", "histogramdd: 'self' has size 17 along dim 1, expected 1..16"},
    {"t:histogram(3, {range = {3, 1}})", "histogram: 'range' has 1 at [2], less than 3"},
    {"t:histogram(3, {range = {3, nan}})", "histogram: 'range' has nan at [2], expected a finite number"},
    {"t:histogram(3, {range = {3}})", "histogram: 'range' is a table of 1, expected a sequence of 2 numbers"},
    {"t:histogram(3, {weights = a})", "histogram: 'weights' has shape [3], expected [2, 3]"},
    {"a:histogramdd(2)", "histogramdd: 'self' has 1 dimension, expected 2"},
    {"t:histogramdd{2, 2}", "histogramdd: 'bins' has 2 entries, expected 3, the size of dim 1 of self"},
    {"t:unique{dim = 2}", "unique: 'dim' is 2, out of range for 2 dimensions (valid -2..1)"},
    {"return t[{i, i}]",
     "t[i]: 'indices[1]' has value 5 at [1], out of range for dim 0 of self (size 2, valid 0..1)"},
    {"return t[{w, w:narrow(0, 0, 2)}]",
     "t[i]: 'indices[2]' has shape [2], which does not broadcast with [3], that of the others"},
    {"return t[{t}]", "t[i]: 'indices[1]' is float64, expected an integer dtype"},
    {"return t[{i, i, i}]", "t[i]: 'indices' address more than the 2 dimensions of self"},
    {"return t[{strew.tensor{true, false, true}}]", "t[i]: 'indices[1]' has shape [3], expected [2]"},
    {"t:rot90(1, {0, 7})", "rot90: 'dims' names dimension 7, expected -2..1"},
    {"strew.tensor{3e38, 3e38}:multinomial(1)", "multinomial: 'self' has sum inf, expected above 0, and finite"},
    {"return t[{i, 2}]", "t[i]: 'indices' holds 2 at [2], expected a tensor"},
    {"t[{i}] = 1", "t[i] = v: 'indices[1]' has value 5 at [1], out of range for dim 0 of self (size 2, valid 0..1)"},
    {"i:mse_loss(w)", "mse_loss: 'self' is int64, expected a float dtype"},
    {"t:mse_loss(a)", "mse_loss: 'target' has shape [3], expected [2, 3]"},
    {"a:mse_loss(a, {reduction = 'all'})", "mse_loss: 'reduction' is \"all\", expected \"mean\", \"sum\" or \"none\""},
    {"x:cross_entropy(y + 1)", "cross_entropy: 'target' has value 3 at [2], expected 0..2"},
    {"x:cross_entropy(i)", "cross_entropy: 'target' has shape [3], expected [4]"},
    {"x:cross_entropy(y, {label_smoothing = 2})", "cross_entropy: 'label_smoothing' is 2, expected 0 to 1"},
    {"x:cross_entropy(q, {ignore_index = 1})", "cross_entropy: 'ignore_index' is given, but target has probabilities"},
    {"x:cross_entropy(y, {weight = a:narrow(0, 0, 2)})", "cross_entropy: 'weight' has shape [2], expected [3]"},
    {"x:nll_loss(y - 1)", "nll_loss: 'target' has value -1 at [0], expected 0..2"},
    {"x:nll_loss(b)", "nll_loss: 'target' is bool, expected integers: classes"},
    {"(p * 2):binary_cross_entropy(z)",
     "binary_cross_entropy: 'self' has value 1.998 at [1], expected probabilities, 0 to 1"},
    {"p:binary_cross_entropy(i)", "binary_cross_entropy: 'target' has shape [3], expected [5]"},
    {"strew.finfo('int8')", "finfo: 'dtype' is int8, expected a float dtype"},
    {"strew.iinfo('bool')", "iinfo: 'dtype' is bool, expected an integer dtype"},
    {"strew.eye(-1, {k = 1})", "eye: 'shape' has size -1 in dimension 0, expected 0 or more"},
  }, operands(), first_line)
end)

it("elements are written by several indices", function()
  local t, i, j = strew.zeros(2, 3), strew.tensor{{0}, {1}}, strew.tensor{2, 0}
  t[{i, j}] = 7
  assert.equal("float32[2, 3] {{7.0, 0.0, 7.0}, {7.0, 0.0, 7.0}}", support.text(t))
  t[{strew.tensor{1, 0}}] = strew.tensor{{1.0, 2, 3}, {4, 5, 6}}
  assert.equal("float32[2, 3] {{4.0, 5.0, 6.0}, {1.0, 2.0, 3.0}}", support.text(t))
  t[{strew.tensor{false, true}, j}] = strew.tensor(9)
  assert.equal("float32[2, 3] {{4.0, 5.0, 6.0}, {9.0, 2.0, 9.0}}", support.text(t))
end)

it("gradients of interp have no NaN beyond the points, and those of logcumsumexp none at -inf", function()
  local x, xp, fp = strew.tensor{0.25, 1, 2, 3}, strew.tensor{0.0, 1, 2}, strew.tensor{0.0, 10, 0}
  local gx, gxp, gfp = strew.grad(function(a, b, c) return a:interp(b, c):sum() end)(x, xp, fp)
  assert.equal("float32[4] {10.0, -10.0, 0.0, 0.0}", support.text(gx))
  assert.equal("float32[3] {-7.5, 7.5, 0.0}", support.text(gxp))
  assert.equal("float32[3] {0.75, 1.25, 2.0}", support.text(gfp))
  local g = strew.grad(function(a) return a:logcumsumexp(0):narrow(0, 1, 2):sum() end)(strew.tensor{-math.huge, 2, 3})
  assert.is_true(g:isfinite():all():item() and g:get{0} == 0)
  local second = strew.grad(function(a)
    return strew.grad(function(b) return b:logcumsumexp(0):sum() end)(a):narrow(0, 0, 1):sum()
  end)(strew.tensor{1.0, 2})
  assert.is_true((second - strew.tensor{0.19661, -0.19661}):abs():max():item() < 1e-4)
end)

it("sums of 16-bit weights do not overflow", function()
  local x, target = strew.zeros({70000, 4}, {dtype = "float16"}), strew.zeros(70000, {dtype = "int64"})
  target[0] = -100
  assert.equal(1.38671875, x:cross_entropy(target):item())
  local big = strew.tensor({{-300, 300, 0}, {300, -300, 1}}, {dtype = "float16"})
  assert.equal("float16[2, 2] {{1.0, -1.0}, {-1.0, 1.0}}", support.text(big:corrcoef()))
end)

it("one variable has a number as covariance and correlation, as a line or a row", function()
  local line = strew.tensor{1.0, 2, 6}
  for _, t in ipairs{line, line:view(1, 3)} do
    assert.equal("float32[] 7.0, float32[] 1.0", support.text(t:cov()) .. ", " .. support.text(t:corrcoef()))
    assert.equal("float32[] 0.75", support.text(t:cov{aweights = strew.tensor{1, 1, 0}, correction = 0} * 3))
  end
end)

it("points between infinities have NumPy's values", function()
  local x, xp = strew.arange(0.0, 4.1, 0.5), strew.arange(0.0, 5.0)
  assert.equal("float32[9] {0.0, inf, inf, inf, inf, inf, 1.0, -inf, -inf}",
    support.text(x:interp(xp, strew.tensor{0, inf, inf, 1, -inf})))
  assert.equal("float32[9] {-inf, nan, inf, inf, 2.0, nan, nan, nan, -inf}",
    (support.text(x:interp(xp, strew.tensor{-inf, inf, 2, nan, -inf})):gsub("%-nan", "nan")))
end)

it("NaN is the mode of nothing but NaN", function()
  for _, row in ipairs{{{nan, nan, 1.0}, 1.0, 2}, {{nan, 1.0, nan, 2.0, 2.0}, 2.0, 4},
                       {{nan, nan, nan, 2.0, 1.0}, 1.0, 4}} do
    local value, at = strew.tensor(row[1]):mode()
    assert.same({row[2], row[3]}, {value:item(), at:item()})
  end
  assert.is_true(strew.isnan((strew.tensor{nan, nan}:mode())):item())
end)

it("a large common part takes no digits from nanstd and cov", function()
  local n, sum, squares = 4096, 0, 0
  local part = strew.arange(n) * 7919 % 1021
  for _, k in ipairs(part:tolist()) do sum, squares = sum + k, squares + k * k end
  local variance = (squares - sum * sum / n) / n
  local x = (part + (1 << 23)):to("float32") -- exact
  local with_nan = strew.cat{strew.tensor{nan}, x, strew.tensor{nan}}
  local function is_near(expected, found) assert.is_true(math.abs(found - expected) < 1e-6 * expected, found) end
  is_near(variance ^ 0.5, with_nan:nanstd():item())
  is_near(variance ^ 0.5, with_nan:view(1, -1):nanstd(1):item())
  is_near(variance, x:cov{correction = 0}:item())
  local pair = strew.stack{x, x:flip()}
  is_near(variance, pair:cov{correction = 0}:get(1, 1))
  local expected = part:to("float32"):mul(part:flip()):sum():item() / n - (sum / n) ^ 2
  assert.is_true(math.abs(pair:cov{correction = 0}:get(0, 1) - expected) < 0.5)
  is_near(variance, x:cov{correction = 0, fweights = strew.full(n, 2)}:item())
end)

it("elements are members by value, whatever the dtypes", function()
  local half = strew.tensor({1, 2, 65504}, {dtype = "float16"})
  local function found(expected, x, ...)
    local is_found = strew.isin(x, ...)
    assert.equal(expected, support.text(is_found))
    assert.is_true(strew.isin(x:tile{600}, ...):equal(is_found:tile{600})) -- few pairs are compared all at once
  end
  found("bool[3] {false, true, false}", half, {70000.0, 2})
  found("bool[3] {false, true, false}", half, {70000, 2, 1e300, 5, 6, 7})
  found("bool[2] {true, false}", strew.tensor{0.1, 0.2}, {0.1})
  found("bool[3] {false, true, false}", strew.tensor{1, 2, 3}, {1.5, 2.0, 1e300})
  found("bool[2] {true, false}", strew.tensor{true, false}, {1})
  found("bool[2] {false, true}", strew.tensor{nan, inf}, {nan, inf})
  found("bool[2] {true, true}", strew.tensor{1, 2}, {nan, inf}, {invert = true})
  found("bool[1] {true}", strew.tensor{16777217}, strew.tensor({16777217}, {dtype = "int32"}))
  found("bool[2] {false, true}", strew.tensor{16777217, 16777216}, strew.tensor{16777216.0})
  found("bool[2] {false, true}", strew.tensor{0.5, 16777216.0}, strew.tensor{16777217, 16777216, 3, 4, 5})
  if not support.lacks_float64 then
    local wide = strew.tensor({0x1p53, -0x1p63, 0x1p63}, {dtype = "float64"})
    found("bool[3] {false, true, false}", strew.tensor{(1 << 53) + 1, 1 << 53, math.maxinteger}, wide)
    found("bool[3] {false, false, false}", wide, strew.tensor{(1 << 53) + 1, math.maxinteger})
    found("bool[3] {false, true, false}", wide, strew.tensor{math.mininteger})
    found("bool[3] {true, false, true}", wide, strew.tensor({1 << 53, 1 << 63}, {dtype = "int64"}):to("uint64"))
    local most = strew.tensor({-1, 1 << 63, (1 << 53) + 1}):to("uint64")
    found("bool[3] {false, true, false}", most, {-1.0, 2 ^ 63, 2 ^ 53})
    found("bool[3] {false, false, false}", most, {-1, 1 << 63, 1 << 53})
    found("bool[3] {false, false, true}", most, strew.tensor{-1, 1 << 63, (1 << 53) + 1, 4, 5})
    found("bool[3] {false, false, true}", strew.tensor{-1, 1 << 63, (1 << 53) + 1}, most)
  end
end)

it("numbers are looked for as elements of the set", function()
  assert.is_true(strew.isin(3, strew.tensor{3, 4}):item())
  assert.is_false(strew.isin(3, strew.zeros(0)):item())
  assert.is_true(strew.isin(3, strew.tensor{4}, {invert = true}):item())
  if not support.lacks_float64 then
    assert.is_true(strew.isin(0.1, strew.tensor({0.1}, {dtype = "float64"})):item())
    assert.equal(2.0, strew.tensor({1.0, 2, 3}, {dtype = "float64"}):percentile(strew.tensor{50}):item())
  end
  assert.equal(100.0, strew.tensor({100, 100}, {dtype = "int8"}):trapz():item())
  local few = strew.tensor{1.0, 3}:nanstd{correction = 2}:item()
  assert.is_true(few ~= few)
end)
