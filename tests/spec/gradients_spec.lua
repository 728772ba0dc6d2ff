-- Gradients beside central differences in float64, and beside PyTorch's (tests/data/gradients.lua).
-- devices: no, each operation's would compile kernels; they are composed of operations that the digest calls there.
local strew = require "strew"
local support = dofile "tests/spec/support.lua"

local trials = tonumber(os.getenv "TRIALS") or support.runs_all and 12 or 1
local unpack, random = table.unpack, math.random

------------------------------------------------------------------------------------------------------- operands

local function shape(least, most)
  local sizes = {}
  for d = 1, random(least, most) do sizes[d] = random(1, 4) end
  return sizes
end

-- Numbers that are not near zero or one another, so that small changes do not reorder them. Sometimes a strided view.
local function x(sizes, low)
  local n = 1
  for _, size in ipairs(sizes) do n = n * size end
  local steps = strew.randperm(n):to("float64") + strew.rand(n, {dtype = "float64"}) * 0.5
  local t = steps * (3 / n) + (low or -1.4)
  t = strew.where(t:abs():lt(0.02), 0.05, t):view(sizes)
  if #sizes == 2 and random(2) == 1 then return t:t():contiguous():t() end
  return t
end

-- The same with some zeros.
local function with_zeros(sizes) return x(sizes) * strew.rand(sizes, {dtype = "float64"}):gt(0.35) end

-- Positions below n; is_apart: without duplicates.
local function index(sizes, n, is_apart)
  if not is_apart then return strew.randint(0, n, sizes) end
  return strew.randperm(n):narrow(0, 0, sizes[1])
end

local function sum(sizes)
  local total = 1
  for _, size in ipairs(sizes) do total = total * size end
  return total
end

local function dims_of(sizes) return random(0, #sizes - 1) end
local function mask(sizes) return strew.rand(sizes):gt(0.4) end

-------------------------------------------------------------------------------------------------------- checking

-- Returns the gradients by central differences of the sum of f's result, weighted.
local function differences(f, inputs, k)
  local h, line = 1e-6, inputs[k]:clone():view(-1)
  local out = {}
  for i = 0, line:numel() - 1 do
    local sums = {}
    for side, step in ipairs{h, -h} do
      local moved = line:clone()
      moved[i] = line[i] + step
      local arguments = {unpack(inputs)}
      arguments[k] = moved:view(inputs[k].shape)
      sums[side] = f(unpack(arguments)):item()
    end
    out[i + 1] = (sums[1] - sums[2]) / (2 * h)
  end
  return out
end

-- Compares the gradients of op's result, a tensor, with central differences.
local function check(name, op, ...)
  local inputs = {...}
  local probe = op(...)
  local weights = strew.randn(probe.shape, {dtype = "float64"})
  local function f(...) return (op(...) * weights):sum() end
  local gradients = {strew.grad(f)(...)}
  for k, input in ipairs(inputs) do
    local got = gradients[k]:reshape(-1):tolist()
    assert.are.same(input.shape, gradients[k].shape)
    for i, expected in ipairs(differences(f, inputs, k)) do
      if math.abs(got[i] - expected) > 1e-5 * math.max(1, math.abs(expected)) then
        error(("%s: gradient of operand %d at %d is %.9g, central differences give %.9g\n%s"):format(name, k, i - 1,
          got[i], expected, support.text(input)), 2)
      end
    end
  end
end

-- Methods with one operand; the lowest input, and a factor of inputs.
local unary = {
  neg = {}, abs = {}, relu = {}, exp = {}, expm1 = {}, sin = {}, cos = {}, tanh = {}, sigmoid = {}, log = {0.1},
  log2 = {0.1}, log10 = {0.1}, log1p = {-0.8}, sqrt = {0.1}, rsqrt = {0.1}, clone = {}, contiguous = {},
  nan_to_num = {}, tan = {nil, 0.5}, asin = {nil, 0.5}, acos = {nil, 0.5}, atan = {}, sinh = {}, cosh = {}, asinh = {},
  acosh = {1.1},
  atanh = {nil, 0.5}, exp2 = {}, erf = {}, erfc = {}, gelu = {}, cbrt = {0.1},
  positive = {}, gelu_tanh = {}, square = {}, reciprocal = {0.1}, silu = {}, softplus = {}, elu = {}, leaky_relu = {},
}

-- By name: functions that check one random case.
local cases = {}

for name, limits in pairs(unary) do
  cases[name] = function()
    check(name, function(a) return a[name](a * (limits[2] or 1)) end, x(shape(0, 3), limits[1]))
  end
end

-- Two shapes that broadcast together.
local function pair()
  local sizes = shape(1, 3)
  local other = {unpack(sizes, random(1, #sizes))}
  for d = 1, #other do
    if random(3) == 1 then other[d] = 1 end
  end
  return sizes, other
end

for _, name in ipairs{"add", "sub", "mul", "div", "atan2", "hypot", "logaddexp", "copysign", "nextafter", "minimum",
  "maximum", "remainder"} do
  cases[name] = function()
    local one, two = pair()
    if random(2) == 1 then one, two = two, one end
    check(name, function(a, b) return strew[name](a, b) end, x(one), x(two, name == "remainder" and 5 or 0.3))
    check(name, function(a) return strew[name](a, 0.7123) end, x(one))
    check(name, function(a) return strew[name](0.7123, a) end, x(one, name == "remainder" and 5 or 0.3))
  end
end

function cases.lerp()
  local sizes = shape(1, 3)
  check("lerp", function(a, b, c) return a:lerp(b, c) end, x(sizes), x(sizes), x(sizes))
  check("lerp", function(a) return a:lerp(2, 0.25) + a:elu(2) + a:leaky_relu(0.3) end, x(sizes))
end

function cases.pow()
  local one, two = pair()
  check("pow", strew.pow, x(one, 0.2), x(two))
  check("pow", function(a) return a ^ 3 + a ^ 2 + a ^ 0 end, x(one))
  check("pow", function(a) return 2.5 ^ a end, x(one))
end

function cases.where()
  local one, two = pair()
  local m = mask(one)
  check("where", function(a, b) return strew.where(m, a, b) end, x(one), x(two))
end

function cases.masked_fill()
  local sizes = shape(0, 3)
  local m = mask(sizes)
  check("masked_fill", function(a, v) return a:masked_fill(m, v) end, x(sizes), x({}))
end

function cases.clamp()
  local sizes = shape(0, 3)
  check("clamp", function(a) return a:clamp(-0.51234, 0.71234) end, x(sizes))
  check("clamp", function(a, low, high) return a:clamp(low, high) end, x(sizes), x(sizes), x(sizes) + 0.0123)
end

-- Reductions over all, one or several dimensions.
local function reduction(name, make, ...)
  local rest = {...}
  cases[name] = function()
    local sizes = shape(1, 3)
    local d, keep = dims_of(sizes), random(2) == 1
    local function call(dim, keepdim)
      return function(a)
        if name == "norm" then return a:norm(rest[1], dim, keepdim) end
        return a[name](a, dim, keepdim)
      end
    end
    local t = make(sizes)
    if name ~= "logsumexp" then check(name, call(nil), t) end
    check(name, call(random(2) == 1 and d or d - #sizes, keep), t)
    if #sizes > 1 and name ~= "median" then check(name, call({0, #sizes - 1}, keep), t) end
    if name ~= "median" then check(name, call({}, random(2) == 1 or nil), t) end
  end
end

for _, name in ipairs{"sum", "mean", "amin", "amax", "logsumexp", "norm", "median"} do reduction(name, x) end
reduction("prod", with_zeros)
for _, name in ipairs{"var", "std"} do
  cases[name] = function()
    local sizes = {random(2, 4), random(2, 4)}
    check(name, function(a) return a[name](a) end, x(sizes))
    check(name, function(a) return a[name](a, 1, true) end, x(sizes))
    check(name, function(a) return a[name](a, 0, {correction = 0}) end, x(sizes))
  end
end

function cases.norm_p()
  local sizes = shape(1, 3)
  for _, p in ipairs{0, 1, 1.5, 2, 3, math.huge, -math.huge} do
    check("norm", function(a) return a:norm(p) end, x(sizes))
    check("norm", function(a) return a:norm(p, 0, true) end, x(sizes))
  end
end

for _, name in ipairs{"min", "max"} do
  cases[name] = function()
    local sizes = shape(1, 3)
    local d = dims_of(sizes)
    check(name, function(a) return a[name](a) end, x(sizes))
    check(name, function(a) return (a[name](a, d)) end, x(sizes))
    check(name, function(a) return (a[name](a, d, true)) end, x(sizes))
    check(name, function(a, b) return a[name](a, b) end, x(sizes), x(sizes) + 0.00321)
  end
end

-- Elements in any order, none close to another one.
local function apart(sizes)
  local like = x(sizes)
  return strew.randperm(like:numel()):reshape(sizes):to(like.dtype) / like:numel() * 4 - 2
end

for _, name in ipairs{"cumsum", "cumprod", "cummax", "cummin", "sort", "softmax", "log_softmax"} do
  cases[name] = function()
    local sizes = shape(1, 3)
    local d = dims_of(sizes)
    check(name, function(a) return (a[name](a, d)) end, name == "cumprod" and with_zeros(sizes) or apart(sizes))
  end
end

function cases.topk()
  local sizes = shape(1, 3)
  local d = dims_of(sizes)
  local k, largest = random(1, sizes[d + 1]), random(2) == 1
  check("topk", function(a) return (a:topk(k, d, largest)) end, x(sizes))
  check("sort", function(a) return (a:sort(-1, true)) end, x(sizes))
end

function cases.quantile()
  local sizes = shape(1, 3)
  local d = dims_of(sizes)
  for _, word in ipairs{"linear", "lower", "higher", "midpoint", "nearest", "inverted_cdf"} do
    check("quantile", function(a) return a:quantile(0.37, {interpolation = word}) end, x(sizes))
    check("quantile", function(a) return a:quantile(0.81, d, true, {interpolation = word}) end, x(sizes))
    check("quantile", function(a)
      return a:quantile(strew.tensor({0.1, 0.5, 1}, {dtype = "float64"}), d, {interpolation = word})
    end, x(sizes))
  end
end

-- Products.
function cases.matmul()
  local n, k, m = random(1, 4), random(1, 4), random(1, 4)
  local lefts, rights = {{k}, {n, k}, {2, n, k}, {1, 3, n, k}}, {{k}, {k, m}, {2, k, m}, {3, k, m}}
  for _, a in ipairs(lefts) do
    for _, b in ipairs(rights) do
      local batch_a, batch_b = #a > 2 and a[#a - 2] or 1, #b > 2 and b[1] or 1
      if batch_a == batch_b or batch_a == 1 or batch_b == 1 then
        check("matmul", strew.matmul, x(a), x(b))
      end
    end
  end
  check("mm", strew.mm, x({n, k}), x({k, m}))
  check("mv", strew.mv, x({n, k}), x({k}))
  check("dot", strew.dot, x({k}), x({k}))
  check("outer", strew.outer, x({n}), x({m}))
end

-- Small linear algebra. Matrices are far from singular ones, but for det.
function cases.linear_algebra()
  local n, is_batch = random(1, 4), random(2) == 1
  local function matrices(rows, columns) return x(is_batch and {2, rows, columns} or {rows, columns}) end
  local eye = strew.eye(n, {dtype = "float64"})
  local function regular(a) return a + eye * 6 end
  check("inv", function(a) return regular(a):inv() end, matrices(n, n))
  check("det", strew.det, matrices(n, n))
  check("det of a singular matrix", function(a) return (a:unsqueeze(-1) * a:unsqueeze(-2)):det() end, x({2, 2}))
  check("slogdet", function(a) return (select(2, regular(a):slogdet())) end, matrices(n, n))
  check("slogdet", function(a) return (select(2, (-regular(a)):slogdet())) * 2 end, matrices(n, n))
  for _, b in ipairs{{n}, {n, 2}, {3, 1, n, 2}} do
    check("solve", function(a, y) return regular(a):solve(y) end, matrices(n, n), x(b))
  end
  for _, upper in ipairs{false, true} do
    check("cholesky", function(a) return (a:matmul(a:transpose(-1, -2)) + eye):cholesky(upper) end, matrices(n, n))
  end
  check("einsum", function(a, b) return strew.einsum("...ij,kj->...ik", a, b) end, matrices(n, 3), x({2, 3}))
  check("einsum", function(a) return strew.einsum("...ii->...i", a) end, matrices(n, n))
  check("tensordot", function(a, b) return a:tensordot(b, 1) end, matrices(2, n), x({n, 3}))
  check("cross", function(a, b) return a:cross(b) end, matrices(n, 3), x({3}))
  check("kron", strew.kron, matrices(n, 2), x({2, 1}))
  check("vecdot", strew.vecdot, matrices(n, 2), x({2}))
  check("trace", strew.trace, matrices(n, 3))
  check("matrix_power", function(a) return a:matrix_power(3) end, matrices(n, n))
  check("matrix_power", function(a) return regular(a):matrix_power(-2) end, matrices(n, n))
  check("eigvalsh", function(a) return (a + a:transpose(-1, -2)):eigvalsh() end, matrices(n, n))
  check("svdvals", strew.svdvals, matrices(n, 3))
  check("matrix_norm", strew.matrix_norm, matrices(n, 3))
  check("matrix_norm", function(a) return a:matrix_norm(1) end, matrices(n, 3))
  for _, p in ipairs{1, 2, 3, math.huge} do
    check("cdist", function(a, b) return a:cdist(b, p) end, matrices(n, 3), x({4, 3}))
  end
end

-- Of the other tensor only the sizes count.
function cases.expand_as() check("expand_as", strew.expand_as, x({2, 1}), x({3, 2, 4})) end

-- Views and moves: each a function of a tensor of these sizes.
local moves = {
  view = {{2, 6}, function(a) return a:contiguous():view(3, -1) end},
  reshape = {{2, 6}, function(a) return a:t():reshape(4, 3) end},
  flatten = {{2, 3, 2}, function(a) return a:flatten(1) end},
  transpose = {{2, 3, 2}, function(a) return a:transpose(0, -1) end},
  t = {{2, 3}, function(a) return a:t() end},
  permute = {{2, 3, 4}, function(a) return a:permute(1, -1, 0) end},
  squeeze = {{2, 1, 3}, function(a) return a:squeeze(1) end},
  unsqueeze = {{2, 3}, function(a) return a:unsqueeze(-1) end},
  expand = {{2, 1}, function(a) return a:expand(3, 2, 4) end},
  select = {{2, 3, 2}, function(a) return a:select(-2, -1) end},
  narrow = {{5, 2}, function(a) return a:narrow(0, 1, 3) end},
  slice = {{5, 2}, function(a) return a:slice(0, 1, -1, 2) end},
  as_strided = {{6}, function(a) return a:as_strided({2, 3}, {1, 2}, 0) end},
  diagonal = {{3, 4, 2}, function(a) return a:diagonal(1, 0, 1) end},
  diag = {{3, 4}, function(a) return a:diag(-1) end},
  diag_of = {{3}, function(a) return a:diag(1) end},
  tril = {{3, 4}, function(a) return a:tril(1) end},
  triu = {{3, 4}, function(a) return a:triu(-1) end},
  flip = {{3, 2, 2}, function(a) return a:flip(0, -1) + 2 * a:flip() + 3 * a:flip{} end},
  roll = {{3, 4}, function(a) return a:roll({1, -2}, {0, 1}) end},
  roll_all = {{3, 4}, function(a) return a:roll(5) end},
  ["repeat"] = {{2, 3}, function(a) return a["repeat"](a, 2, 1, 3) end},
  tile = {{2, 3}, function(a) return a:tile(2) end},
  repeat_interleave = {{2, 3}, function(a) return a:repeat_interleave(2, 1) end},
  repeat_interleave_of = {{3, 2}, function(a) return a:repeat_interleave(strew.tensor{2, 0, 1}, 0) end},
  repeat_interleave_all = {{2, 2}, function(a) return a:repeat_interleave(3) end},
  diff = {{2, 4}, function(a) return a:diff(2) end},
  diff_one = {{4, 2}, function(a) return a:diff(1, 0) end},
  cat = {{2, 3}, function(a) return strew.cat({a, a * 2, a}, 1) end},
  cat_method = {{2, 3}, function(a) return a:cat(a * 3, -1) end},
  where_in_place = {{2, 3}, function(a)
    return strew.zeros({2, 3}, {dtype = a.dtype}):where_(strew.tensor{true, false, true}, a * a)
  end},
  maximum_in_place = {{2, 3}, function(a) return strew.full({2, 3}, -9.5, {dtype = a.dtype}):maximum_(a * a) end},
  stack = {{2, 3}, function(a) return strew.stack({a, a * 2}, -1) end},
  split = {{5, 2}, function(a) local p = a:split(2, 0) return p[1] * p[2] + p[3] end},
  chunk = {{2, 6}, function(a) local p = a:chunk(3, -1) return p[1] * p[3] end},
  to = {{2, 3}, function(a) return (a * 64):to("float32"):to("float64") * 0 + a:to("float64") end},
  tensor = {{2, 3}, function(a) return strew.tensor(a) * a end},
  copy = {{2, 3}, function(a) return strew.zeros(4, 2, 3, {dtype = "float64"}):copy(a) end},
  copy_ = {{2, 3}, function(a) return strew.zeros(2, 3, {dtype = "float64"}):copy_(a):mul(a) end},
  index = {{4, 3}, function(a) return a[strew.tensor{{0, 2}, {3, 0}}] end},
  mask = {{4, 3}, function(a) return a[strew.tensor{true, false, true, true}] end},
  mask_all = {{2, 2}, function(a) return a[strew.tensor{{true, false}, {false, true}}] end},
  row = {{4, 3}, function(a) return a[1] * a[-1] end},
  detach = {{3}, function(a) return a * a:detach():gt(0) end},
}
for name, row in pairs(moves) do
  cases[name] = function() check(name, row[2], x(row[1])) end
end
function cases.parts()
  local sizes = {random(2, 4), random(2, 4), random(2, 3)}
  check("select_scatter", function(a, b) return a:select_scatter(b, 1, -1) end, x(sizes), x{sizes[1], sizes[3]})
  check("slice_scatter", function(a, b) return a:slice_scatter(b, 1, 1, 2) end, x(sizes), x{sizes[1], 1, sizes[3]})
  check("diagonal_scatter", function(a, b) return a:diagonal_scatter(b, 0, 0, 1) end, x(sizes),
    x{sizes[3], math.min(sizes[1], sizes[2])})
end

------------------------------------------------------------------------------------------------------ position form

-- Sizes of self, index and src, which is larger than index.
local function placing(is_apart)
  local self = shape(1, 3)
  local d = dims_of(self)
  local at, src = {unpack(self)}, {}
  for k = 1, #self do
    at[k] = k == d + 1 and random(1, 5) or random(1, self[k])
    src[k] = at[k] + random(0, 1)
  end
  if is_apart then return {5}, 0, {3}, {4} end
  return self, d, at, src
end

local function mode_of() return ({nil, "wrap", "clip", "drop"})[random(0, 3)] end
local function spoiled(i, n, mode) -- with values that the mode takes
  if mode == "wrap" then return i - n * strew.randint(0, 2, i.shape) end
  if mode then return i + n * strew.randint(-1, 2, i.shape) end
  return i
end

function cases.scatter()
  local self, d, at, src = placing()
  local mode = mode_of()
  local i = spoiled(index(at, self[d + 1]), self[d + 1], mode)
  check("scatter", function(a, b) return a:scatter(d, i, b, {mode = mode}) end, x(self), x(src))
  check("scatter", function(a) return a:scatter(d, i, 0.5, {mode = mode}) end, x(self))
  check("scatter_add", function(a, b) return a:scatter_add(d, i, b, {mode = mode}) end, x(self), x(src))
  check("gather", function(a) return a:gather(d, i, {mode = mode}) end, x(self))
  check("scatter_add", function(b)
    return strew.zeros(self, {dtype = "float64"}):scatter_add_(d, i, b, {mode = mode})
  end, x(src))
  for _, word in ipairs{"sum", "prod", "mean", "amax", "amin"} do
    for _, include in ipairs{true, false} do
      check("scatter_reduce " .. word, function(a, b)
        return a:scatter_reduce(d, i, b, word, {include_self = include, mode = mode})
      end, word == "prod" and with_zeros(self) or x(self),
        word == "prod" and with_zeros(src) or x(src) + 0.000731)
    end
  end
  check("scatter", function(a, b) return a:scatter(d, i, b, {reduce = "mul", mode = mode}) end, x(self), x(src))
  check("scatter", function(a, b)
    return strew.scatter{self = a, dim = d, index = i, src = b, mode = mode}
  end, x(self), x(src))
end

function cases.index_family()
  local self = shape(1, 3)
  local d = dims_of(self)
  local n, mode = self[d + 1], mode_of()
  local source = {unpack(self)}
  source[d + 1] = random(1, 5)
  local i = spoiled(index({source[d + 1]}, n), n, mode)
  check("index_select", function(a) return a:index_select(d, i, {mode = mode}) end, x(self))
  check("index_add", function(a, b) return a:index_add(d, i, b, {alpha = 3, mode = mode}) end, x(self), x(source))
  check("index_copy", function(a, b) return a:index_copy(d, i, b, {mode = mode}) end, x(self), x(source))
  check("index_fill", function(a, v) return a:index_fill(d, i, v, {mode = mode}) end, x(self), x{})
  for _, word in ipairs{"prod", "mean", "amax", "amin"} do
    local include = random(2) == 1
    check("index_reduce " .. word, function(a, b)
      return a:index_reduce(d, i, b, word, {include_self = include, mode = mode})
    end, word == "prod" and with_zeros(self) or x(self), word == "prod" and with_zeros(source) or x(source) + 0.000731)
  end
  local flat = spoiled(index({2, 3}, sum(self)), sum(self), mode)
  check("take", function(a) return a:take(flat, {mode = mode}) end, x(self))
  check("put", function(a, b) return a:put(flat, b, {mode = mode}) end, x(self), x{2, 3})
  check("put", function(a, b) return a:put(flat, b, {accumulate = true, mode = mode}) end, x(self), x{2, 3})
  check("take_along_dim", function(a) return a:take_along_dim(flat, {mode = mode}) end, x(self))
end

function cases.take_along_dim()
  check("take_along_dim", function(a) return a:take_along_dim(strew.tensor{{0, 2, 1, 1}}, 1) end, x{3, 3})
  local i = index({4, 3}, 2)
  check("take_along_dim", function(a) return a:take_along_dim(i, -2) end, x{2, 1})
end

function cases.index_put()
  local self, mode = {random(1, 4), random(1, 4), random(1, 3)}, mode_of()
  local one, two = spoiled(index({2, 3}, self[1]), self[1], mode), spoiled(index({3}, self[2]), self[2], mode)
  for _, accumulate in ipairs{true, false} do
    local options = {accumulate = accumulate, mode = mode}
    check("index_put", function(a, b) return a:index_put({one, two}, b, options) end, x(self), x{2, 3, self[3]})
    check("index_put", function(a, b) return a:index_put({one}, b, options) end, x(self), x{self[3]})
  end
  local m = mask{self[1], self[2]}
  check("index_put", function(a, b) return a:index_put({m}, b) end, x(self), x{self[3]})
  check("index_put", function(a) return a:index_put({one, two}, 0.25, {mode = mode}) end, x(self))
  local both = strew.stack({one, two:expand(2, 3)}, -1)
  check("scatter_nd", function(a, b) return a:scatter_nd(both, b, {mode = mode}) end, x(self), x{2, 3, self[3]})
  for _, word in ipairs{"sum", "prod", "amax"} do
    check("scatter_nd", function(a, b) return a:scatter_nd(both, b, {reduce = word, mode = mode}) end, x(self),
      x{2, 3, self[3]} + 0.000731)
  end
  check("scatter_nd", function(b) return strew.scatter_nd(both, b, self, {mode = mode}) end, x{2, 3, self[3]})
  check("gather_nd", function(a) return a:gather_nd(both, {mode = mode}) end, x(self))
  local deep = index({self[1], 2, 1}, self[2])
  check("gather_nd", function(a) return a:gather_nd(deep, {batch_dims = 1}) end, x(self))
end

function cases.masks()
  local sizes = shape(1, 3)
  local m = mask(sizes)
  check("masked_select", function(a) return a:masked_select(m) end, x(sizes))
  check("masked_scatter", function(a, b) return a:masked_scatter(m, b) end, x(sizes), x{sum(sizes) + 1})
  check("masked_select", function(a) return a:masked_select(strew.tensor{true, false, true}) end, x{2, 3})
end

---------------------------------------------------------------------------------------------------------- group form

local function grouping()
  local src = shape(1, 3)
  local d, n, mode = dims_of(src), random(1, 5), mode_of()
  local i = spoiled(random(2) == 1 and index({src[d + 1]}, n) or index(src, n), n, mode)
  return src, i, {dim = d, dim_size = n, mode = mode}
end

function cases.groups()
  local src, i, options = grouping()
  check("scatter_sum", function(a) return strew.scatter_sum(a, i, options) end, x(src))
  check("scatter_mean", function(a) return strew.scatter_mean(a, i, options) end, x(src))
  check("scatter_mul", function(a) return strew.scatter_mul(a, i, options) end, with_zeros(src))
  check("scatter_min", function(a) return (strew.scatter_min(a, i, options)) end, x(src))
  check("scatter_max", function(a) return (strew.scatter_max(a, i, options)) end, x(src))
  check("scatter group", function(a) return strew.scatter(a, i, options) end, x(src))
  for _, word in ipairs{"max", "mul", "mean"} do
    check("scatter group", function(a)
      return strew.scatter(a, i, {dim = options.dim, dim_size = options.dim_size, mode = options.mode, reduce = word})
    end, x(src))
  end
  check("scatter_sum", function(a) return strew.scatter_sum(a:to("float32"), i, {dim = options.dim, mode = options.mode,
    dim_size = options.dim_size, dtype = "float64"}) * 0 + strew.scatter_sum(a, i, options) end, x(src))
  check("scatter_var", function(a) return strew.scatter_var(a, i, options) end, x(src))
  check("scatter_first", function(a) return strew.scatter_first(a, i, options) end, x(src))
  check("scatter_last", function(a) return strew.scatter_last(a, i, options) end, x(src))
  check("scatter_logsumexp", function(a) return strew.scatter_logsumexp(a, i, options) end, x(src))
  check("scatter_softmax", function(a) return strew.scatter_softmax(a, i, options) end, x(src))
  check("scatter_log_softmax", function(a) return strew.scatter_log_softmax(a, i, options) end, x(src))
  check("scatter_median", function(a) return strew.scatter_median(a, i, {dim = options.dim, mode = options.mode,
    dim_size = options.dim_size, fill = 0}) end, x(src))
  for _, word in ipairs{"linear", "lower", "higher", "midpoint", "nearest", "inverted_cdf"} do
    check("scatter_quantile", function(a) return strew.scatter_quantile(a, i, 0.3, {dim = options.dim, fill = 0,
      dim_size = options.dim_size, mode = options.mode, interpolation = word}) end, x(src))
  end
end

function cases.scatter_std() -- groups of two and more: the gradient of a group of one is not defined
  local i = strew.tensor{0, 1, 0, 1, 1}
  check("scatter_std", function(a) return strew.scatter_std(a, i) end, x{3, 5})
  check("scatter_std", function(a) return strew.scatter_std(a, i, {unbiased = false}) end, x{5})
end

function cases.skip_nan()
  local i, holes = strew.tensor{0, 1, 0, 1, 2}, strew.tensor{false, true, false, false, false}
  for _, name in ipairs{"scatter_sum", "scatter_mean", "scatter_mul", "scatter_var", "scatter_logsumexp"} do
    check(name, function(a) return strew[name](a:masked_fill(holes, 0 / 0), i, {skip_nan = true}) end, x{5})
  end
end

function cases.segments()
  local indptr = strew.tensor{0, 2, 2, 5}
  local lengths = strew.tensor{2, 0, 3}
  for _, word in ipairs{"sum", "mean", "min", "max", "mul"} do
    check("segment_csr " .. word, function(a) return (strew.segment_csr(a, indptr, {reduce = word})) end, x{5, 2})
    check("segment_csr " .. word, function(a)
      return (strew.segment_csr(a, indptr:expand(2, 4), {reduce = word}))
    end, x{2, 5, 3})
    check("segment_coo " .. word, function(a)
      return (strew.segment_coo(a, strew.tensor{0, 0, 2, 2, 2}, {reduce = word, dim_size = 4}))
    end, x{5, 2})
  end
  for _, word in ipairs{"sum", "mean", "min", "max", "prod"} do
    check("segment_reduce " .. word, function(a)
      return a:segment_reduce(word, {lengths = lengths, initial = 0.4567})
    end, x{5, 2})
    check("segment_reduce " .. word, function(a)
      return a:segment_reduce(word, {offsets = strew.tensor{0, 2, 4, 5}})
    end, x{5, 2})
  end
  check("gather_csr", function(a) return strew.gather_csr(a, indptr) end, x{3, 2})
  check("gather_coo", function(a) return strew.gather_coo(a, strew.tensor{0, 0, 2}) end, x{3, 2})
end

function cases.groupings()
  local n = random(2, 6)
  local g = strew.group_by(strew.tensor{3, 1, 3, 1, 2, 3}:narrow(0, 0, n))
  for _, name in ipairs{"sum", "mean", "prod", "min", "max", "var", "median", "first", "last", "logsumexp", "softmax",
                        "cumsum"} do
    check("g:" .. name, function(a) return (g[name](g, a)) end, x{n})
  end
  check("g:quantile", function(a) return g:quantile(a, 0.3) end, x{n})
  check("g:topk", function(a) return (g:topk(a, 2)) end, x{n})
  check("g:agg", function(a) local t = g:agg{s = {"sum", a}, m = {"mean", a}} return t.s * t.m end, x{n})
  check("scatter_max of a grouping", function(a) return (strew.scatter_max(a, g)) end, x{n})
end

-- Arguments by name, followed by nil, in tables that change afterwards.
function cases.other_ways()
  local n = random(2, 5)
  local i = index({n}, 3)
  local float64 = {dtype = "float64"}
  check("cat", function(a) return strew.cat{tensors = {a, a * 2}} end, x{n})
  check("stack", function(a) return strew.stack{tensors = {a, a * 2}, dim = 1} end, x{n})
  check("index_put", function(a)
    return strew.zeros(3, float64):index_put{indices = {i}, values = a, accumulate = true}
  end, x{n})
  check("index_add", function(a) return strew.zeros(3, float64):index_add(0, i, a, {alpha = 2}, nil) end, x{n})
  check("var", function(a) return a:var(nil, nil, {correction = 0}, nil) end, x{n})
  check("bincount", function(a) return strew.bincount(i, {weights = a}, nil) end, x{n})
  check("index_add", function(a)
    local options = setmetatable({alpha = 2}, {__pairs = function() return next, {} end})
    return strew.zeros(3, float64):index_add(0, i, a, options)
  end, x{n})
  check("cat", function(a)
    local list, out = {}, 0
    for k = 1, 3 do
      list[k] = a * k
      out = out + (strew.cat(list) ^ 2):sum()
    end
    return out
  end, x{n})
  check("chunk", function(a)
    local parts = a:chunk(2)
    parts[1] = parts[1] * 2
    return parts[1]:sum() * parts[2]
  end, x{n})
  check("permute", function(a)
    local dims = {1, 0}
    local out = a:permute(dims)
    dims[1], dims[2] = 0, 1
    return out
  end, x{n, 2})
  check("flip", function(a) return a:flip{dims = {0}} end, x{n})
  check("permute", function(a) return a:permute{dims = {1, 0}} end, x{n, 2})
  check("repeat", function(a) return a["repeat"](a, {repeats = {2}}) end, x{n})
  check("tile", function(a) return a:tile{dims = {2, 2}} end, x{n})
end

function cases.dropping_groupings()
  local g = strew.grouping(strew.tensor{0, 1, -1, 2, 1, 2}, {mode = "drop"})
  for _, name in ipairs{"sum", "mean", "prod", "min", "max", "var", "median", "first", "last", "logsumexp", "softmax",
                        "cumsum"} do
    check("g:" .. name, function(a) return (g[name](g, a)) end, x{6})
  end
  check("agg of a table", function(a)
    local of_table = strew.group_by({k = strew.tensor{0, 1, 0, 2, 1, 2}, v = a}, "k")
    return of_table:agg{m = {"mean", "v"}}.m
  end, x{6})
end

function cases.bincount()
  check("bincount", function(w) return strew.bincount(strew.tensor{0, 2, 2, 1}, {weights = w}) end, x{4})
end

------------------------------------------------------------------------------------------------------------ specs

-- Calls that take no tensor, and what draws one.
local is_left_out = {}
for name in ([[arange clock deterministic devices empty eye full get_num_threads get_printoptions last_error linspace
  load map manual_seed memory ones rand randint randn randperm set_num_threads set_printoptions show plot words chunks
  key_table exact_sums zeros]]):gmatch "%S+" do
  is_left_out[name] = true
end

local function lines(text) return (text:gsub("\n%s+", "\n")) end

describe("gradients", function()
  if support.lacks_float64 then
    it("are compared with central differences in float64, which this device lacks", function() end)
    return
  end
  local names = {}
  for name in pairs(cases) do table.insert(names, name) end
  table.sort(names)
  for _, name in ipairs(names) do
    it("of " .. name .. " are those of central differences", function()
      for _ = 1, trials do cases[name]() end
    end)
  end

  it("of calls whose results are not smooth are PyTorch's", function()
    for _, row in ipairs(dofile "tests/data/gradients.lua") do
      local f, inputs = assert(load("local strew, a, b = ... return " .. row[1])), {}
      for k, values in ipairs(row[2]) do inputs[k] = strew.tensor(values, {dtype = "float64"}) end
      local gradients = {strew.grad(function(...)
        local out = f(strew, ...)
        return (out * strew.arange(1, out:numel() + 1):view(out.shape)):sum()
      end)(unpack(inputs))}
      for k, g in ipairs(gradients) do
        local expected = strew.tensor(row[3][k], {dtype = "float64"})
        if not g:isclose(expected, 1e-11, 1e-11, true):all():item() then
          error(("%s: gradient %d\n%s\n%s"):format(row[1], k, support.text(g), support.text(expected)))
        end
      end
    end
  end)

  it("of products are products of the others, beside zeros, infinities and NaN", function()
    local inf, nan = math.huge, 0 / 0
    local function others(factors, i)
      local before, behind = 1.0, 1.0
      for k = 1, i - 1 do before = before * factors[k] end
      for k = #factors, i + 1, -1 do behind = behind * factors[k] end
      return before * behind
    end
    local function expect(what, wanted, got)
      got = got:reshape(-1):tolist()
      for i, value in ipairs(wanted) do
        local both_nan = value ~= value and got[i] ~= got[i]
        if not both_nan and got[i] ~= value then
          error(("%s: %s at %d, expected %s"):format(what, got[i], i, value))
        end
      end
    end
    local options = {dtype = "float64"}
    for _ = 1, trials * 10 do
      local n, values, ids, groups = random(1, 20), {}, {}, {{2.0}, {0.5}, {inf}}
      for i = 1, n do
        values[i] = random(3) > 1 and random(-8, 8) / 4 or ({0.0, -0.0, inf, -inf, nan, 1e-200, 1e200})[random(7)]
        ids[i] = random(0, 2)
        table.insert(groups[ids[i] + 1], values[i])
      end
      local src, ids_of = strew.tensor(values, options), strew.tensor(ids, {dtype = "int64"})
      local self = strew.tensor({2.0, 0.5, inf}, options)
      local with_self, alone, selves, at = {}, {}, {}, {2, 2, 2}
      for i = 1, n do
        local group = groups[ids[i] + 1]
        with_self[i] = others(group, at[ids[i] + 1])
        alone[i] = others({table.unpack(group, 2)}, at[ids[i] + 1] - 1)
        at[ids[i] + 1] = at[ids[i] + 1] + 1
      end
      for g = 1, 3 do selves[g] = others(groups[g], 1) end
      local whole, by_line = {}, {}
      for i = 1, n do whole[i] = others(values, i) end
      for i = 1, 2 * n do by_line[i] = whole[(i - 1) // 2 + 1] end
      expect("prod", whole, strew.grad(function(a) return a:prod() end)(src))
      local two = strew.stack({src, src}, 1)
      expect("prod(0)", by_line, strew.grad(function(a) return a:prod(0):sum() end)(two))
      expect("prod{0, 2}", by_line, strew.grad(function(a) return a:prod{0, 2}:sum() end)(two:unsqueeze(2)))
      expect("scatter_mul", alone, strew.grad(function(a) return strew.scatter_mul(a, ids_of):sum() end)(src))
      expect("g:prod", alone, strew.grad(function(a) return strew.group_by(ids_of):prod(a):sum() end)(src))
      for _, name in ipairs{"scatter_reduce", "index_reduce"} do
        local f = strew.grad(function(t, a) return t[name](t, 0, ids_of, a, "prod"):sum() end)
        local of_self, of_src = f(self, src)
        expect(name, selves, of_self)
        expect(name, with_self, of_src)
        local _, without = strew.grad(function(t, a)
          return t[name](t, 0, ids_of, a, "prod", {include_self = false}):sum()
        end)(self, src)
        expect(name .. " without self", alone, without)
      end
      local order = ids_of:argsort(0)
      local counts = strew.bincount(ids_of, {minlength = 3})
      local lengths = strew.grad(function(a) return strew.segment_reduce(a, "prod", {lengths = counts}):sum() end)
      expect("segment_reduce", strew.tensor(alone, options):gather(0, order):tolist(), lengths(src:gather(0, order)))
      local cuts = strew.cat({strew.zeros(1, {dtype = "int64"}), counts:cumsum(0)}, 0)
      local csr = strew.grad(function(a) return strew.segment_csr(a, cuts, {reduce = "prod"}):sum() end)
      expect("segment_csr", strew.tensor(alone, options):gather(0, order):tolist(), csr(src:gather(0, order)))
    end
    for _, row in ipairs{{{inf, 2, 3}, {9, inf, inf}}, {{nan, 2, 3}, {9, nan, nan}}, {{0, inf, 2}, {inf, 0, nan}},
                         {{2, 1e-300, 1e-300, 3}, {1, 2, 8e-300, 0}}} do
      local f = strew.grad(function(a) return a:cumprod(0):sum() end)
      expect("cumprod", row[2], f(strew.tensor(row[1], options)))
    end
  end)

  it("of variances do not change with what all elements have in common", function()
    local shifted = strew.tensor{1e8, 1e8 + 8, 1e8 + 16}
    for _, dtype in ipairs{"float32", "float64"} do
      local t, ids = shifted:to(dtype), strew.tensor{0, 0, 0}
      for _, f in ipairs{function(a) return a:var() end, function(a) return strew.scatter_var(a, ids):sum() end,
                         function(a) return strew.grouping(ids):var(a):sum() end} do
        assert.are.same({-8.0, 0.0, 8.0}, strew.grad(f)(t):tolist())
      end
      assert.are.same({-0.5, 0.0, 0.5}, strew.grad(function(a) return a:std() end)(t):tolist())
      local first = strew.grad(function(a) return strew.scatter_var(a, ids):sum() end)
      local second = strew.grad(function(a) return (first(a) * strew.tensor({1, 0, 0}, {dtype = dtype})):sum() end)
      for i, wanted in ipairs{2 / 3, -1 / 3, -1 / 3} do
        assert.is_true(math.abs(second(t)[i - 1] - wanted) < 1e-6)
      end
      local of_group = strew.grad(function(a) return strew.scatter_std(a, ids):sum() end)(t):tolist()
      for i, wanted in ipairs{-0.5, 0.0, 0.5} do assert.is_true(math.abs(of_group[i] - wanted) < 1e-6) end
    end
  end)

  it("go to the last of the elements that are assigned to one place", function()
    local function f(a, b) return (a:scatter(0, strew.tensor{1, 1, 0}, b) * strew.tensor{1.0, 2, 3}):sum() end
    assert.are.equal("float32[3] {0.0, 0.0, 3.0}; float32[3] {0.0, 2.0, 1.0}",
      support.texts(strew.grad(f), strew.zeros(3), strew.ones(3)))
  end)

  it("go to the winner in the group form", function()
    local function f(a) return (strew.scatter_max(a, strew.tensor{0, 0, 0}, {dim_size = 2})):sum() end
    assert.are.equal("float32[3] {0.0, 1.0, 0.0}", support.texts(strew.grad(f), strew.tensor{1.0, 2, 2}))
  end)

  it("have their operands' dtypes and shapes", function()
    for _, dtype in ipairs{"float32", "float64", "float16", "bfloat16"} do
      local a, b = strew.ones({2, 3}, {dtype = dtype}), strew.full({3}, 2, {dtype = "float32"})
      local one, two = strew.grad(function(u, v) return (u * v):sum() end)(a, b)
      assert.are.equal(dtype, one.dtype)
      assert.are.equal("float32[3] {2.0, 2.0, 2.0}", support.text(two))
    end
  end)

  it("of empty tensors and of constants are zeros", function()
    local empty = strew.zeros(0, 3)
    assert.are.equal("float32[0, 3] {}", support.text(strew.grad(function(a) return a:exp():sum() end)(empty)))
    local f = strew.grad(function() return strew.ones(1) end)
    assert.are.equal("float32[2] {0.0, 0.0}", support.text(f(strew.ones(2))))
    f = strew.grad(function(a) return a:gt(0):to("float32"):sum() + a:argmax():to("float32") end)
    assert.are.equal("float32[2] {0.0, 0.0}", support.text(f(strew.ones(2))))
  end)

  it("are those of the arguments, not of tensors outside", function()
    local a = strew.tensor{3.0}
    assert.are.equal("float32[1] {3.0}", support.text(strew.grad(function(u) return a * u end)(a)))
    assert.are.equal("float32[1] {3.0}; float32[1] {3.0}",
      support.texts(strew.grad(function(u, v) return u * v end), a, a))
  end)

  it("come with the value", function()
    assert.are.equal("float32[] 6.0; float32[2] {2.0, 2.0}; float32[] 3.0",
      support.texts(strew.value_and_grad(function(u, n, v) return u:sum() * v * n end),
        strew.tensor{1.0, 2}, 1, strew.tensor(2.0)))
  end)

  it("have gradients", function()
    local first = strew.grad(function(a) return (a ^ 4):sum() end)
    local second = strew.grad(function(a) return first(a):sum() end)
    local third = strew.grad(function(a) return second(a):sum() end)
    assert.are.equal("float32[2] {48.0, 108.0}; float32[2] {48.0, 72.0}",
      support.text(second(strew.tensor{2.0, 3})) .. "; " .. support.text(third(strew.tensor{2.0, 3})))
    local mixed = strew.grad(function(a)
      return (strew.grad(function(b) return (a * b * b):sum() end)(strew.tensor{5.0}) * a):sum()
    end)
    assert.are.equal("float32[1] {40.0}", support.text(mixed(strew.tensor{2.0})))
  end)

  it("do not share memory", function()
    local one, two = strew.grad(function(a, b) return (a + b):sum() end)(strew.ones(2), strew.ones(2))
    one:add_(1)
    assert.are.equal("float32[2] {1.0, 1.0}", support.text(two))
  end)

  it("are refused with an error that names the call", function()
    local function refused(f, ...) return lines(support.message(strew.grad(f), ...)) end
    local a = strew.ones(2)
    assert.are.equal("grad: 'f' is 3, expected a function", support.message(strew.grad, 3))
    assert.are.equal("grad: 'f' is missing, the arguments are (f)", support.message(strew.grad))
    assert.are.equal([[
grad: no argument is a tensor of floats, or a table that has one
hint  the arguments are those of f; t:to("float64")]], refused(function() end, 1, strew.tensor{1}))
    assert.are.equal([[
grad: 'f' returned float32[2], expected a float tensor of one element
hint  t:sum() adds up all elements]], refused(function(u) return u end, a))
    assert.are.equal([[
grad: 'f' returned int64[1], expected a float tensor of one element
hint  t:sum() adds up all elements]], refused(function() return strew.tensor{1} end, a))
    assert.are.equal([[
grad: 'f' returned a number, expected a float tensor of one element
hint  t:sum() is such a tensor]], refused(function() return 1 end, a))
    for name, f in pairs{unique = function(u) return u:unique():sum() end, item = function(u) return u:sum():item() end,
                         tolist = function(u) return u:tolist() end, get = function(u) return u:get(0) end} do
      assert.are.equal(name .. [[: has no gradient, and depends on an argument that is differentiated
hint  t:detach() is the tensor as a constant]], refused(f, a))
    end
    assert.are.equal([[
t[i]: 'self' is needed for a gradient, which a number would lose
hint  t:narrow(0, i, 1) is a tensor; t:detach() is the tensor as a constant]], refused(function(u) return u[0] end, a))
    local freed = strew.ones(2)
    freed:free()
    assert.are.equal("grad: 'argument 1' was freed", refused(function(u) return u:sum() end, freed))
    assert.are.equal("boo", refused(function() error("boo", 0) end, a))
  end)

  local write_hint = "hint  in a function that is differentiated: use the call without _, or write to t:clone()"

  it("refuse writes to what they need", function()
    local c = strew.ones(2)
    local function refused(f) return lines(support.message(strew.grad(f), strew.ones(2))) end
    local expected = "add_: 'self' is needed for a gradient, it cannot be written to\n" .. write_hint
    assert.are.equal(expected, refused(function(u) return u:add_(1):sum() end))
    assert.are.equal(expected, refused(function(u) local v = u * c c:add_(1) return v:sum() end))
    assert.are.equal(expected, refused(function(u) local v = u:exp() v:view(2):add_(1) return v:sum() end))
    assert.are.equal("t[i] = v: 'self' is needed for a gradient, it cannot be written to\n" .. write_hint,
      refused(function(u) local v = u * c c[0] = 3 return v:sum() end))
    assert.are.equal("free: 'self' is needed for a gradient, it cannot be freed yet",
      refused(function(u) local v = u * c c:free() return v:sum() end))
    assert.are.equal("free: 'self' is needed for a gradient, it cannot be freed yet",
      refused(function(u) local v = u * c strew.free{self = c} return v:sum() end))
    local grouped = {
      function(u, g) return strew.scatter(u, g) end, function(u, g) return strew.scatter_max(u, {index = g}) end,
      function(u, g) return g:mean(u) end, function(u, g) return g:max(u) end, function(u, g) return g:softmax(u) end,
      function(u, g) return g:quantile(u, 0.5) end, function(u, g) return g:cumsum(u) end,
      function(u, g) return g:agg{a = {"sum", u}}.a end}
    for _, f in ipairs(grouped) do
      local g = strew.grouping(strew.tensor{0, 1})
      assert.are.equal("free: 'self' is needed for a gradient, it cannot be freed yet",
        refused(function(u) local v = f(u, g) g:free() return v:sum() end))
      g:free()
    end
    assert.are.equal([[
scatter_sum: 'out' cannot be written to by a call that is recorded
hint  omit 'out' in a function that is differentiated]],
      refused(function(u) return strew.scatter_sum(u, strew.tensor{0, 1}, {out = strew.zeros(2)}):sum() end))
    local out_message = [[
scatter_sum: 'out' cannot be written to by a call that is recorded
hint  omit 'out' in a function that is differentiated]]
    local at, ones = strew.tensor{0, 1}, strew.ones(2)
    assert.are.equal(out_message, refused(function(u)
      local v = (u * c):sum()
      strew.scatter_sum(ones, at, 0, c)
      return v
    end))
    assert.are.equal(out_message, refused(function(u)
      local v = (u * c):sum()
      strew.scatter_sum(ones, at, {out = c}, nil)
      return v
    end))
    assert.are.equal("fill_: 'self' is needed for a gradient, it cannot be written to\n" .. write_hint,
      refused(function(u)
        local i = strew.tensor{0, 1}
        local v = strew.zeros(2):index_put{indices = {i}, values = u}
        i:fill_(1)
        return v:sum()
      end))
    assert.are.equal([[
sum: an operand shares memory with a tensor that a recorded call wrote to
hint  create the view after the write]],
      refused(function(u) local z = strew.zeros(2) local v = z:view(2) z:add_(u) return v:sum() end))
    assert.are.equal("float32[2] {1.0, 1.0}", support.text(c))
    c:add_(1):free() -- none of this holds afterwards
  end)

  it("let variables be closed", function()
    local f = strew.grad(function(a) local b <close> = a * a return b:sum() end)
    assert.are.equal("float32[1] {4.0}", support.text(f(strew.tensor{2.0})))
    f = strew.grad(function(a) local g <close> = strew.group_by(strew.tensor{7}) return g:sum(a) end)
    assert.are.equal("float32[1] {1.0}", support.text(f(strew.tensor{2.0})))
    f = strew.grad(function(a) strew.group_by(strew.tensor{7}):free() return a:sum() end) -- needed by no gradient
    assert.are.equal("float32[1] {1.0}", support.text(f(strew.tensor{2.0})))
  end)

  it("leave nothing behind", function()
    local function f(a) return (a:exp() * a):sum() end
    local a = strew.ones(1000)
    local function measured()
      collectgarbage()
      collectgarbage()
      return (strew.memory())
    end
    strew.grad(f)(a)
    local before = measured()
    for _ = 1, 20 do
      strew.grad(f)(a)
      pcall(strew.grad(function(u) local v = u:exp() error(v) end), a)
    end
    assert.is_true(measured() <= before)
    assert.are.equal("float32[] 1000.0", support.text(a:sum()))
  end)

  it("have a rule for each call, or a reason", function()
    local none, count = {}, 0
    local a = strew.tensor{1.0}
    for name, f in pairs(strew) do
      if type(f) == "function" and not name:find "_$" and not is_left_out[name] then
        strew.grad(function(u)
          local _, message = pcall(f, u)
          if tostring(message):find("has no gradient", 1, true) then table.insert(none, name) else count = count + 1 end
          return u
        end)(a)
      end
    end
    table.sort(none) -- no floats; numbers; reductions of one's own; tables
    assert.are.equal("asof bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor " ..
      "drop drop_duplicates dropna each eigh explode fillna gcd get item join lcm pivot qr reduce rename row rows " ..
      "sample scan sort_by svd tolist unique view_as", table.concat(none, " "))
    assert.is_true(count > 150)
  end)

  it("of logaddexp are 1 and 0 beside an infinity", function()
    local ends = strew.tensor{math.huge, 1e30, 0.0, -1e30, -math.huge}
    local of_both = strew.grad(function(a, b) return a:logaddexp(b):sum() end)
    local first, second = of_both(ends, strew.zeros_like(ends))
    assert.is_true(strew.equal(first, strew.tensor{1, 1, 0.5, 0, 0}))
    assert.is_true(strew.equal(second, strew.tensor{0, 0, 0.5, 1, 1}))
    local of_bools = strew.grad(function(a) return a:logaddexp(strew.tensor{true, false}):sum() end)
    local of_numbers = strew.grad(function(a) return a:logaddexp(strew.tensor{1.0, 0.0}):sum() end)
    assert.is_true(strew.equal(of_bools(strew.tensor{0.5, 1.0}), of_numbers(strew.tensor{0.5, 1.0})))
  end)

  it("reductions along dimension 0 of a tensor without dimensions", function()
    for _, name in ipairs{"sum", "mean", "prod", "amin", "amax", "logsumexp"} do
      local gradient = strew.grad(function(t) return strew[name](t, 0) end)
      assert.are.equal(1, gradient(strew.tensor(2.5)):item())
    end
    for _, name in ipairs{"var", "std"} do
      local gradient = strew.grad(function(t) return strew[name](t, 0, {correction = 0}) end)
      assert.are.equal(0, gradient(strew.tensor(2.5)):item())
    end
  end)
end)
