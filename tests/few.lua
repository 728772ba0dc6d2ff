-- A few calls of each family on a device, compared with the CPU to the last bit: for implementations on which the Check
-- programs would take hours.
-- usage: build/strew tests/few.lua DEVICE [WORD [STEP]]: only expressions with this word, every STEP-th of them, from
-- one that SEED of the environment chooses
local strew = require "strew"
local support = dofile "tests/spec/support.lua"
local name = arg[1] or "opencl"

-- The names that expressions may use, created anew for each, on a device.
local function operands(device)
  local on = {device = device}
  strew.manual_seed(1)
  local t = {
    device = device, a = strew.randn(7, 20, on), b = strew.randn(20, on) * 3, v = strew.randn(3000, on),
    half = strew.randn(5, 9, on):to("float16"), brain = strew.randn(300, on):to("bfloat16"),
    n = strew.randint(-50, 50, 7, 20, {device = device, dtype = "int32"}), bytes = strew.randint(0, 200, 90, on),
    at = strew.randint(0, 40, 3000, on), rows = strew.randint(0, 7, 30, 1, {device = device, dtype = "int32"}),
    few = strew.zeros(40, on), places = strew.randint(0, 3000, 500, on),
    ends = strew.tensor({0, 1700, 1700, 3000}, on),
  }
  t.turned, t.rows = t.a:t(), t.rows:expand(30, 20)
  t.every = t.v:slice(0, 1, 2999, 3)
  t.odd, t.even = t.v:slice(0, 0, 8, 1):view(1, 2, 1, 2, 1, 2), t.v:slice(0, 8, 16, 1):view(2, 1, 2, 1, 2, 1)
  t.special = strew.tensor({0.0, -0.0, 0 / 0, 1, -(0 / 0), -1, 1 / 0, -1 / 0, 0 / 0, 0.0, -0.0}, on)
  function t.all(...) -- several results, of which a list would keep the first
    local texts = {}
    for i = 1, select("#", ...) do texts[i] = support.text((select(i, ...))) end
    return table.concat(texts, " and ")
  end
  -- Groupings whose making reads no result of a kernel but a check, and of keys: made when first named.
  local combine = {m = "m + (x - m) / (n + 1)", n = "where(x > m, n + 1, i % 9)"}
  local made = {own = function() return strew.reduction{init = {m = 0.0, n = 0}, finish = "m", combine = combine} end,
    ids = function() return strew.grouping(t.at, {dim_size = 40}) end,
    keys = function() return strew.group_by(t.at // 3) end}
  setmetatable(t, {__index = function(_, key)
    if made[key] then t[key] = made[key]() end
    return rawget(t, key) or _G[key]
  end})
  t.sides = {left = {k = t.places, x = t.v:slice(0, 0, 500, 1)}, right = {k = strew.arange(0, 3000, 7, on)}}
  function t.columns(x) -- as texts, by name
    local texts = {}
    for key, column in pairs(x) do table.insert(texts, key .. " " .. support.text(column)) end
    table.sort(texts)
    return table.concat(texts, ", ")
  end
  function t.state(from, options) -- of exact sums, whose rows come in that order, on the CPU in their own
    local e, x = strew.exact_sums(40, options), (t.v * 9):exp()
    for _, k in ipairs(device == "cpu" and {0, 1000, 2000} or from) do
      e:add(x:narrow(0, k, 1000), t.at:narrow(0, k, 1000))
    end
    return e:state():to "cpu"
  end
  function t.whole(x, options) return strew.exact_sums(1, options):add(x):state():to "cpu" end
  function t.after_failure(x, method, ...) return not pcall(x[method], x, ...) and x end
  return t
end

local expressions = {
  "a + b, a * 2 - b, a // b, a % 3, a / b",
  "n // 7, n % -7, -n, n & 12, n:to('int8') * 3",
  "a:sqrt(), a:floor(), a:round()",
  "half * 3, half + half:t():contiguous():view(5, 9), brain:abs() // 2",
  "a:lt(b), n:ge(0):logical_not(), a:clamp(-1, 1)",
  "strew.where(a:gt(0), a, b), a:masked_fill(n:gt(3), 0)",
  "strew.expr('where(x > y, x * y - 2, exp(y) / 3)'){x = a, y = b}, strew.expr('int8(x * 2) + x'){x = half}",
  "strew.expr('clamp(x + y, low, 9) * 0.1'){x = turned:t(), y = n, low = -2}, strew.expr('x // 3 == 2'){x = bytes}",
  "strew.expr('x * y + 1.5'){x = odd, y = even}",
  "strew.expr('x / float32(n > n)'){x = a, n = n}",
  "strew.expr('(x - m[i]) * m[j]'){x = v, m = b, i = at // 2, j = (at // 2):to('int32')}",
  "strew.expr('x * 2 + y'):with{x = v, y = v}:sum()",
  "strew.expr('x * m[i]'):with{x = every, m = b, i = at:slice(0, 0, 1500, 1) // 2}:max()",
  "strew.expr('x + y'):with{x = a, y = b}:sum(0), strew.expr('abs(x) + n'):with{x = a, n = n}:argmax(1)",
  "ids:reduce(v, own), ids:scan(v, own), a:reduce(own, 1), turned:scan(own, 0)",
  "strew.segment_csr(v, ends, {reduce = own})",
  "a:minimum(turned:t()), strew.maximum(n, 2)",
  "a:to('int8'), n:to('float16'), half:to('bool'), bytes:to('uint8'), brain:to('float32')",
  "strew.cat({a, n}, 0), strew.stack({b, b}, 1), turned:contiguous(), turned:clone()",
  "strew.rand(50, {device = device}), strew.randn(50, {device = device, dtype = 'float16'})",
  "strew.randperm(20, {device = device})",
  "strew.arange(3, 40, 3, {device = device}), strew.linspace(0, 1, 7, {device = device})",
  "strew.eye(3, {device = device})",
  "a:sum(), a:sum(0), turned:sum(0), v:sum(), every:mean(), n:sum(1), n:prod()",
  "a:var(1), v:std(), half:mean(1), brain:sum()",
  "a:amax(0), n:amin(1), v:argmax(), v:argmin(), half:argmax(1), a:gt(2):any(), n:ne(99):all(1)",
  "a:cumsum(1), turned:cumsum(0), v:cumsum(0), n:cumsum(0)",
  "a:cumprod(1), turned:cumprod(0), v:cumprod(0), n:cumprod(0)",
  "all(v:cummax(0)), all(turned:cummin(0)), all(n:to('int8'):cummax(0)), all(half:cummin(1))",
  "all(v:sort()), all(a:sort(1, true)), all(turned:sort(0)), half:argsort(1)",
  "all(special:sort()), all(special:sort(0, true)), all(special:to('float16'):sort()), all(special:topk(5))",
  "all(v:topk(7)), all(bytes:unique()), n:nonzero(), all(bytes:sort())",
  "few:scatter_add(0, at, v), few:scatter_add_(0, places % 40, v)",
  "few:scatter(0, places % 40, v), few:scatter_reduce(0, at, v, 'amax'), few:scatter_reduce(0, at, v, 'mean')",
  "a:scatter_add(0, rows, strew.ones(30, 20, {device = device})), a:gather(0, rows), v:gather(0, places)",
  "all(strew.scatter_max(v, at)), strew.scatter_mean(v, at), strew.scatter_mul(brain, at:slice(0, 0, 300, 1))",
  "strew.scatter_sum(n, n % 5, {dim = 1, dim_size = 5}), few:scatter_add(0, at - 10, v, {mode = 'drop'})",
  "few:scatter_add(0, at + 1, v)",
  "strew.scatter_sum(v, at, {exact = true}), strew.scatter_mean(brain, at:slice(0, 0, 300, 1), {exact = true})",
  "strew.scatter_sum(v.exp(v * 25), at, {dim_size = 900, fill = 7, exact = true})",
  "few:index_add(0, at, v * v * v, {exact = true}), few:scatter_add(0, at - 10, v, {mode = 'drop', exact = true})",
  "few:scatter_reduce(0, at, v, 'mean', {exact = true})",
  "(few + 1):scatter_add(0, at + 1, v, {exact = true})",
  "a:scatter_reduce(1, n % 20, turned:t(), 'mean', {include_self = false, exact = true})",
  "(-few):scatter_add(0, places % 30, every:narrow(0, 0, 500) * -0.0, {exact = true})",
  "v:slice(0, 7, 47, 1):scatter_add_(0, places % 40, special:repeat_interleave(50):narrow(0, 0, 500), {exact = true})",
  "v:sum({exact = true}), turned:sum(1, {exact = true}), a:mean(0, {exact = true}), v.exp(v * 25):sum({exact = true})",
  "half:sum({exact = true}), special:sum({exact = true}), special:nansum({exact = true}), (-few):sum({exact = true})",
  "ids:sum(v.exp(v * 25)), ids:mean(v:to('float16')), keys:mean(v * 1e30, {skip_nan = true}), "
    .. "ids:sum(-few:repeat_interleave(75))",
  "v:segment_csr(ends, {reduce = 'mean', exact = true}), a:segment_csr(ends // 500, {exact = true})",
  "v:var({exact = true}), turned:std(1, {exact = true, correction = 2.5}), (v + 1e6):std({exact = true})",
  "v.exp(v * 25):var({exact = true}), half:std(0, {exact = true}), special:var({exact = true, skip_nan = true})",
  "strew.scatter_var(v, at, {dim_size = 50, exact = true}), strew.scatter_std(v.exp(v * 25), at, {exact = true})",
  "strew.scatter_std(special, special:ne(special):to('int64') + 1, {exact = true, dim_size = 4, skip_nan = true})",
  "ids:std(v, {exact = true}), keys:var(v, {exact = true})",
  "strew.scatter_std(v, at, {dim_size = 30, exact = true})",
  "v:dot(every:repeat_interleave(3), {exact = true}), v.exp(v * 25):dot(v, {exact = true})",
  "special:dot(special, {exact = true}), special:nan_to_num():dot(special:nan_to_num(), {exact = true})",
  "v:cumsum(0, {exact = true}), turned:cumsum(1, {exact = true}), v.exp(v * 25):cumsum(0, {exact = true})",
  "state({0, 2000, 1000}), state({1000, 0, 2000}, {squares = true}), whole(-few), whole(special, {squares = true})",
  "few:scatter_add(0, at, strew.expr('x * 2 + y'):with{x = v, y = v})",
  "all(strew.scatter_max(strew.expr('abs(x + m[i])'):with{x = v, m = b, i = at // 2}, places:repeat_interleave(6)))",
  "strew.scatter_sum(strew.expr('x * y - 1'):with{x = v, y = v}, (at:sort()))",
  "few:to('float16'):scatter_add(0, at, strew.expr('float16(x * 3)'):with{x = v})",
  "strew.scatter_mean(strew.expr('x - 1'):with{x = v}, at), few:scatter(0, at, strew.expr('-x'):with{x = v})",
  "a:scatter_add(0, rows, strew.expr('x / 3'):with{x = v:slice(0, 0, 600, 1):view(30, 20)})",
  "few:scatter_reduce(0, at, strew.expr('x + 1'):with{x = v}, 'amax')",
  "strew.scatter_sum(strew.expr('x + m[i]'):with{x = v, m = b, i = at}, at)",
  "after_failure(few + 1, 'scatter_add_', 0, at, strew.expr('m[i]'):with{m = b, i = at})",
  "ids:sum(strew.expr('x * x'):with{x = v}), all(ids:max(strew.expr('x * x'):with{x = v}))",
  "few:index_add(0, at, v, {alpha = 3}), few:index_copy(0, at, v), a:index_select(1, places % 20), few:put(at, v)",
  "a:view(7, 4, 5):index_put({at % 7, at % 4, at % 5}, v, {accumulate = true}), a:index_put({a:gt(0)}, 7)",
  "a:gather_nd(strew.stack({places % 7, places % 21 - 1}, 1), {mode = 'drop'}), a:take(places % 140)",
  "a:index_put({at % 7, at % 21}, v)",
  "a:masked_select(a:gt(0)), a:masked_scatter(turned:t():gt(0), v)",
  "few:scatter_add(0, (at:sort()), v), few:scatter_reduce(0, (at:sort()), v, 'amin')",
  "few:scatter_add(0, strew.arange(41, {device = device}), strew.ones(41, {device = device}))",
  "half:scatter_add(1, half:to('int64') % 9, half), few:to('int8'):scatter_add(0, at, (v * 9):to('int8'))",
  "all(strew.scatter_max(v:slice(0, 0, 500, 1), places)), few:to('int32'):scatter_add(0, at + 1, at:to('int32'))",
  "v:slice(0, 7, 47, 1):scatter_add_(0, places % 40, every:clone())",
  "after_failure(few + 1, 'scatter_add_', 0, at + 1, v)",
  "v:segment_csr(ends), all(v:segment_csr(ends, {reduce = 'max'})), v:segment_reduce('mean', {lengths = ends:diff()})",
  "v:to('float16'):segment_csr(ends), v:segment_csr(ends, {reduce = 'mul'}), at:segment_csr(ends, {reduce = 'mean'})",
  "a:segment_csr(ends // 500), all(turned:segment_csr(ends // 200, {reduce = 'min'})), n:segment_csr(ends // 500)",
  "half:segment_csr(ends // 700, {reduce = 'mean'}), brain:segment_csr(ends // 10), brain:segment_csr(ends * 2)",
  "half:segment_csr((ends // 400):view(1, 4):expand(5, 4)), all(half:segment_csr(ends // 700, {reduce = 'max'}))",
  "v:segment_coo((at:sort()), {reduce = 'mean'}), all(v:segment_coo((at:sort()), {reduce = 'max'})), v:segment_coo(at)",
  "a:narrow(0, 0, 3):gather_csr(ends), b:narrow(0, 0, 3):gather_csr(ends), b:gather_coo((at:sort() // 2))",
  "strew.group_by(at, places:repeat_interleave(6)).ids, strew.group_by(special, {order = 'first'}).keys[1]",
  "strew.grouping(at):sum(v), all(strew.group_by(at):topk(v, 2)), strew.group_by(at // 7):cumsum(v)",
  "ids.n, ids.ids, ids.counts, ids.positions, ids:order(), ids:starts()",
  "keys.n, keys.ids, keys.keys[1], keys.counts, keys:order()",
  "ids:sum(v), ids:prod(v), ids:mean(v), all(ids:min(v)), all(ids:max(v))",
  "ids:var(v), ids:std(v), ids:logsumexp(v), ids:softmax(v), ids:log_softmax(v)",
  "ids:median(v), ids:quantile(v, 0.3), ids:nunique(v), ids:first(v), ids:last(v)",
  "ids:any(v:gt(2)), ids:all(v:gt(-2)), ids:count(), ids:count(v)",
  "ids:cumsum(v)",
  "ids:cumsum(at), keys:cumsum(v:to('float16'))",
  "ids:argsort(v), ids:rank(v)",
  "all(ids:topk(v, 2)), all(ids:topk(v, 40))",
  "columns(ids:agg{s = {'sum', v}, m = {'max', v}, n = 'count', q = {'median', v}})",
  "columns(keys:agg{{'s', 'sum', v}, {'m', 'mean', v}, {'t', 'sum', v * 2}, {'n', 'mean', -v}})",
  "columns(strew.join(sides.left, sides.right, 'k'))",
  "few:gather(0, at - 1)",
  "n // (n - n)",
  "strew.equal(a, a), strew.allclose(a, a + 1e-7)",
  "(n:to('float32'):mm(n:to('float32'):t())), n:mm(n:t()), b:to('int64'):dot(b:to('int64'))",
  "v:dot(v), strew.arange(600, {device = device}):view(2, 300):mm(strew.arange(900, {device = device}):view(300, 3))",
}

-- Only with the word "large": sizes that take another way.
if arg[2] == "large" then
  expressions = {
    "strew.randn(70000, {device = device}):cumsum(0):slice(0, 0, 70000, 333)",
    "strew.zeros(66000, 34, {device = device}):slice(1, 0, 33, 1):add(2):sum()",
    "strew.randn(70000, {device = device}):sum()",
    "strew.randn(300000, {device = device}):argsort():slice(0, 0, 300000, 997)",
    "all(strew.cat({strew.randn(8000, {device = device}) + 9, strew.randn(292000, {device = device})}, 0):topk(900))",
    "few:scatter_add(0, strew.randint(0, 3, 70000, {device = device}), strew.randn(70000, {device = device}))",
    "few:scatter_add(0, (strew.randint(0, 40, 70000, {device = device}):sort()), strew.rand(70000, {device = device}))",
    "strew.randint(0, 9, 70000, {device = device}):eq(3):nonzero():slice(0, 0, 7000, 99)",
  }
end

local function results(expression, device)
  local f = assert(load("return " .. expression, expression, "t", operands(device)))
  local ok, text = pcall(support.texts, f)
  return ok and text or (support.message(function() error(text, 0) end):gsub("%] " .. name:gsub("%p", "%%%0"), "] cpu"))
end

name = strew.zeros(1, {device = name}).device
local passed, failed, candidates = 0, 0, 0
local word, step = arg[2] ~= "large" and arg[2] or "", tonumber(arg[3]) or 1
local seed = tonumber(os.getenv "SEED") or 0
for _, expression in ipairs(expressions) do
  local wanted = expression:find(word, 1, true)
  if wanted then candidates = candidates + 1 end
  wanted = wanted and (candidates + seed) % step == 0
  local expected, is = wanted and results(expression, "cpu"), wanted and results(expression, name)
  if expected ~= is then
    failed = failed + 1
    print(("FAILED %s\n  is        %s\n  expected  %s"):format(expression, is:sub(1, 600), expected:sub(1, 600)))
  elseif wanted then
    passed = passed + 1
  end
end
print(("%d passed, %d failed"):format(passed, failed))
os.exit(failed == 0)
