-- Solutions, factorizations, norms and products by subscripts, against identities, plain loops and central differences.
local strew = require "strew"
local support = dofile "tests/spec/support.lua"
local random = math.random

local dtypes = support.lacks_float64 and {"float32"} or {"float32", "float64"}
local function eps(t) return strew.finfo(t.dtype).eps end
local function mt(t) return t:transpose(-2, -1) end
local function eye_like(t, n)
  local shape = t.shape
  shape[#shape - 1], shape[#shape] = n, n
  return strew.eye(n, {dtype = t.dtype}):expand(shape)
end

local function fails(message, f, ...)
  local ok, got = pcall(f, ...)
  assert.is_false(ok)
  assert.matches(message, got)
end

-- Fails unless |a - b| is at most `ulps` units of the largest element of b, or of `scale`.
local function close(what, a, b, ulps, scale)
  assert.are.same(b.shape, a.shape, what)
  assert.are.equal(b.dtype, a.dtype, what)
  if a:numel() == 0 then return end
  scale = scale or math.max(b:abs():max():item(), 1e-30)
  local off = (a - b):abs():max():item()
  if off ~= off or off > ulps * eps(a) * scale then
    error(("%s: differs by %g, %g units; %s"):format(what, off, off / eps(a) / scale, support.text(b):sub(1, 300)), 2)
  end
end

local sizes = {0, 1, 2, 3, 4, 7, 8, 9, 16, 33, support.runs_all and 100 or nil}
local batches = {{}, {3}, {2, 1, 2}, {0}}

-- Calls f with matrices [..., m, n] of both dtypes: dense, transposed, strided and broadcast; and a label.
local function each(m_of, f)
  for _, dtype in ipairs(dtypes) do
    for _, n in ipairs(sizes) do
      for k, batch in ipairs(batches) do
        if n < 33 or k == 1 then
          local m = m_of(n)
          local shape, turned, wide = {table.unpack(batch)}, {table.unpack(batch)}, {table.unpack(batch)}
          table.move({m, n}, 1, 2, #batch + 1, shape)
          table.move({n, m}, 1, 2, #batch + 1, turned)
          table.move({m, 2 * n + 1}, 1, 2, #batch + 1, wide)
          local layout = random(3)
          local a = layout == 1 and strew.randn(shape, {dtype = dtype}) or layout == 2
            and mt(strew.randn(turned, {dtype = dtype})) or strew.randn(wide, {dtype = dtype}):slice(-1, 1, nil, 2)
          f(a, ("%s%s, layout %d"):format(dtype, table.concat(shape, "x"), layout), m, n)
        end
      end
    end
  end
end
local function same(n) return n end

-- The condition of the worst matrix.
local function condition(a)
  local s = a:svdvals()
  return s:numel() == 0 and 1 or (s:select(-1, 0) / s:select(-1, s:size(-1) - 1)):max():item()
end

describe("linear algebra", function()
  it("inverts and solves", function()
    each(same, function(a, label, _, n)
      local bound = 8 * (n + 1) * condition(a)
      close("inv " .. label, a:inv():matmul(a), eye_like(a, n), bound)
      close("inv right " .. label, a:matmul(a:inv()), eye_like(a, n), bound)
      local shape = a.shape
      shape[#shape] = random(0, 5)
      local x = strew.randn(shape, {dtype = a.dtype})
      close("solve " .. label, a:solve(a:matmul(x)), x, bound, 4)
      local vector = strew.randn(n, {dtype = a.dtype})
      close("solve a vector " .. label, a:matmul(a:solve(vector):unsqueeze(-1)),
        vector:unsqueeze(-1):expand(a:matmul(vector:unsqueeze(-1)).shape), bound, 4)
    end)
  end)

  it("broadcasts the batches of solve", function()
    local a, b = strew.randn(2, 1, 3, 3), strew.randn(4, 3, 2)
    local x = a:solve(b)
    assert.are.same({2, 4, 3, 2}, x.shape)
    for i = 0, 1 do
      for j = 0, 3 do assert.is_true(strew.equal(x[i][j], a[i][0]:solve(b[j]))) end
    end
    assert.is_true(strew.equal(a:solve(strew.eye(3)), a:inv()))
    assert.is_true(strew.equal(a[1][0]:solve(b), x[1]))
  end)

  it("gives determinants and their logarithms", function()
    each(same, function(a, label, _, n)
      if n > 33 then return end
      local det, sign, logs = a:det(), a:slogdet()
      close("slogdet " .. label, sign * logs:exp(), det, 100 * (n + 1))
      local values = a:svdvals()
      local product = values:prod(-1)
      close("det " .. label, det:abs(), product, 20 * (n + 1) * condition(a))
    end)
    local a = strew.tensor({{0.0, 2, 1}, {1, 0, 3}, {4, 5, 6}})
    assert.are.equal(17.0, a:det():item())
    assert.are.equal(0.0, strew.zeros(2, 2):det():item())
    local sign, logs = strew.ones(2, 2):slogdet()
    assert.are.equal(0.0, sign:item())
    assert.are.equal(-math.huge, logs:item())
    assert.are.equal(1.0, strew.zeros(0, 0):det():item())
  end)

  it("factors positive definite matrices", function()
    each(same, function(a, label, _, n)
      local spd = a:matmul(mt(a)) + eye_like(a, n)
      local l, u = spd:cholesky(), spd:cholesky(true)
      close("lower " .. label, l:matmul(mt(l)), spd, 4 * (n + 1))
      close("upper " .. label, mt(u):matmul(u), spd, 4 * (n + 1))
      assert.is_true(strew.equal(l, l:tril()))
      assert.is_true(strew.equal(u, u:triu()))
      -- one triangle is read
      local other = strew.where(spd:tril():eq(spd), spd, 0 / 0)
      if n > 1 and spd:numel() > 0 then assert.is_true(strew.equal(l, other:cholesky())) end
    end)
  end)

  it("makes triangles by reflections", function()
    for _, of in ipairs{same, function(n) return n + 3 end, function(n) return n // 2 end} do
      each(of, function(a, label, m, n)
        local q, r = a:qr()
        local k = math.min(m, n)
        close("q r " .. label, q:matmul(r), a, 8 * (n + 1))
        close("q " .. label, mt(q):matmul(q), eye_like(a, k), 4 * (m + 1))
        assert.is_true(strew.equal(r, r:triu()))
        assert.is_true(strew.equal(r, a:qr("r")))
        local whole, rest = a:qr{mode = "complete"}
        close("complete " .. label, whole:matmul(rest), a, 8 * (n + 1))
        close("complete q " .. label, mt(whole):matmul(whole), eye_like(a, m), 4 * (m + 1))
      end)
    end
  end)

  it("finds eigenvalues of symmetric matrices", function()
    each(same, function(a, label, _, n)
      local s = a + mt(a)
      local values, vectors = s:eigh()
      close("eigh " .. label, vectors:matmul(values:unsqueeze(-1) * mt(vectors)), s, 8 * (n + 1))
      close("vectors " .. label, mt(vectors):matmul(vectors), eye_like(a, n), 4 * (n + 1))
      assert.is_true(strew.equal(values, (values:sort(-1))))
      close("eigvalsh " .. label, s:eigvalsh(), values, 4 * (n + 1), n > 0 and s:numel() > 0 and s:norm():item() or 1)
      assert.is_true(strew.equal(s:eigvalsh(), s:triu():eigvalsh(true)))
    end)
    local values = strew.tensor({{2.0, 1}, {1, 2}}):eigvalsh()
    close("known", values, strew.tensor{1.0, 3}, 2)
    -- values that repeat, and matrices that come apart
    close("diagonal", strew.tensor{3.0, 1, 2, 2, 0}:diag():eigvalsh(), strew.tensor{0.0, 1, 2, 2, 3}, 0)
  end)

  it("finds singular values", function()
    for _, of in ipairs{same, function(n) return n + 3 end, function(n) return n // 2 end} do
      each(of, function(a, label, m, n)
        local k = math.min(m, n)
        for _, full in ipairs{true, false} do
          local u, s, vh = a:svd(full)
          close("svd " .. label, u:narrow(-1, 0, k):matmul(s:unsqueeze(-1) * vh:narrow(-2, 0, k)), a, 16 * (k + 1))
          close("u " .. label, mt(u):matmul(u), eye_like(a, full and m or k), 8 * (m + 1))
          close("vh " .. label, vh:matmul(mt(vh)), eye_like(a, full and n or k), 8 * (n + 1))
          assert.is_true(strew.equal(s, (s:sort(-1, true))))
          close("svdvals " .. label, a:svdvals(), s, 8 * (k + 1))
        end
      end)
    end
    -- matrices of low rank: the vectors are orthonormal, too
    for _, n in ipairs{3, 20} do
      local low = strew.randn(n, 2):matmul(strew.randn(2, n))
      for _, a in ipairs{low, strew.zeros(n, n), strew.ones(n, n), strew.eye(n):cumsum(0)} do
        local u, s, vh = a:svd()
        close("low rank", u:matmul(s:unsqueeze(-1) * vh), a, 40 * n, math.max(1, s[0]))
        close("u of low rank", mt(u):matmul(u), strew.eye(n), 8 * n)
        close("vh of low rank", vh:matmul(mt(vh)), strew.eye(n), 8 * n)
      end
    end
  end)

  it("takes large and small elements", function()
    for _, scale in ipairs{2.0 ^ 100, 2.0 ^ -100} do
      local a = strew.randn(5, 5) * scale
      local s, unit = a:svdvals(), (a / scale):svdvals()
      assert.is_true(strew.equal(s / scale, unit))
      local b = a + mt(a)
      assert.is_true(strew.equal(b:eigvalsh() / scale, (b / scale):eigvalsh()))
      local q, r = a:qr()
      close("qr", q:matmul(r / scale), a / scale, 20)
    end
  end)

  it("names the matrix without a result", function()
    local a = strew.eye(3):expand(2, 4, 3, 3):clone()
    a[1][2] = strew.ones(3, 3)
    fails("inv: 'self' has at %[1, 2%] a singular matrix: column 1 has no pivot"
      .. ".*hint  self:pinv%(%) and self:lstsq%(other%) take any", strew.inv, a)
    assert.are.same({1, 2}, strew.last_error().pos)
    fails("solve: 'self' has at %[1, 2%] a singular matrix", strew.solve, a, strew.ones(3))
    fails("inv: 'self' is a singular matrix: column 0 has no pivot", strew.inv, strew.zeros(2, 2))
    a[1][2] = -strew.eye(3)
    fails("cholesky: 'self' has at %[1, 2%] a matrix that is not positive definite: pivot 0 is not.*self:eigh%(%)",
      strew.cholesky, a)
    a[1][2] = strew.full({3, 3}, 0 / 0)
    for _, f in ipairs{"eigh", "svd", "eigvalsh", "svdvals", "pinv", "matrix_rank"} do
      fails("'self' has at %[1, 2%] a matrix with infinite or NaN elements", strew[f], a)
    end
    assert.is_true(a:inv()[1][2]:isnan():all():item())
    a[1][2][0] = 0 -- column 0 is 0, NaN, NaN
    a[1][2][1] = 1
    a[1][2][0][0], a[1][2][1][0] = 0.0, 0 / 0
    assert.is_true(a:det()[1]:isnan()[2])
    for _, f in ipairs{"inv", "det", "slogdet", "cholesky", "eigh"} do
      fails("matrices of size 2 x 3, expected square ones", strew[f], strew.ones(2, 3))
      fails('is int64, expected a float dtype.*self:to%("float%d%d"%)', strew[f], strew.eye(3, {dtype = "int64"}))
      fails("has 1 dimension, expected at least 2", strew[f], strew.ones(3))
    end
    fails("'other' has 2 rows, expected 3", strew.solve, strew.eye(3), strew.ones(2))
    fails("other:unsqueeze%(%-1%)", strew.solve, strew.eye(3), strew.ones(2, 3))
    fails("do not broadcast", strew.solve, strew.ones(2, 3, 3), strew.ones(4, 3, 3))
    fails('is "full", expected "reduced", "complete" or "r"', strew.qr, strew.eye(2), "full")
  end)

  it("rounds once to 16-bit floats", function()
    local a = strew.randn(3, 4, 4)
    for _, dtype in ipairs{"float16", "bfloat16"} do
      local half = a:to(dtype)
      assert.is_true(strew.equal(half:inv(), half:to("float32"):inv():to(dtype)))
      assert.is_true(strew.equal(half:det(), half:to("float32"):det():to(dtype)))
      assert.is_true(strew.equal(half:pinv(), half:to("float32"):pinv():to(dtype)))
    end
  end)

  it("has the same bits in a batch, alone, and on any number of threads", function()
    local before = strew.get_num_threads()
    for _, n in ipairs{1, 3, 4, 8, 12, 40} do
      local a = strew.randn(n < 9 and 3000 or 60, n, n)
      local s = a + mt(a)
      local function all(x, y)
        local spd = x:matmul(mt(x)) + strew.eye(n)
        local list = {x:inv(), x:solve(x), x:det(), spd:cholesky()}
        for _, results in ipairs{{x:qr()}, {y:eigh()}, {x:svd()}, {x:slogdet()}} do
          table.move(results, 1, #results, #list + 1, list)
        end
        return list
      end
      strew.set_num_threads(1)
      local expected = all(a, s)
      for _, threads in ipairs{2, 3, 7} do
        strew.set_num_threads(threads)
        for k, got in ipairs(all(a, s)) do assert.is_true(strew.equal(got, expected[k])) end
      end
      local i = random(0, #a - 1)
      for k, got in ipairs(all(a[i], s[i])) do assert.is_true(strew.equal(got, expected[k]:select(0, i))) end
    end
    strew.set_num_threads(before)
  end)

  it("solves least squares and ranks", function()
    each(function(n) return n + 2 end, function(a, label, m, n)
      local p = a:pinv()
      local bound = 20 * (n + 1) * condition(a)
      close("pinv " .. label, p:matmul(a), eye_like(a, n), bound)
      assert.is_true(a:matrix_rank():eq(n):all():item())
      local x = strew.randn(n, 2, {dtype = a.dtype})
      local got, residuals, rank, s = a:lstsq(a:matmul(x))
      close("lstsq " .. label, got, x:expand(got.shape), bound, 4)
      assert.are.same(rank.shape, {table.unpack(a.shape, 1, a:dim() - 2)})
      if m > n and a:numel() > 0 then
        assert.is_true(residuals:abs():max():item() <= (bound * eps(a)) ^ 2 * m * 16)
      end
      assert.is_true(strew.equal(s, (s:sort(-1, true))))
    end)
    local a = strew.tensor({{1.0, 2}, {2, 4}, {3, 6}})
    assert.are.equal(1, a:matrix_rank():item())
    assert.are.equal(2, strew.tensor{1.0, 1e-10}:diag():matrix_rank(0):item())
    assert.are.equal(1, strew.tensor{1.0, 1e-10}:diag():matrix_rank():item())
    local one, bounds = strew.tensor{1.0, 0.1}:diag(), strew.tensor{0.5, 0.05}
    local pair = strew.stack{one, one}
    assert.is_true(strew.equal(strew.tensor{1, 2}, pair:matrix_rank(bounds)))
    assert.is_true(strew.equal(strew.stack{pair[0]:pinv(0.5), pair[1]:pinv(0.05)}, pair:pinv(bounds)))
    fails("'rtol' has value %-0.5 at %[0%], expected 0 or more", strew.pinv, pair, -bounds)
    fails("'rtol' has shape %[3%], self has matrices of shape %[2%]", strew.matrix_rank, pair, strew.ones(3))
    fails("'rtol' is true, expected a number or a tensor", strew.pinv, pair, true)
    fails("'rtol' is false, expected a number or a tensor", strew.pinv, pair, false)
    local x, residuals, rank = a:lstsq(strew.tensor{1.0, 2, 3})
    close("least norm", x, strew.tensor{0.2, 0.4}, 8)
    assert.are.equal(0, residuals:numel())
    assert.are.equal(1, rank:item())
  end)

  it("converges for eigenvalues of few magnitudes", function()
    for _, dtype in ipairs(dtypes) do
      for _, large in ipairs{1, 50} do
        local n = 150
        local q = strew.randn(n, n, {dtype = dtype}):qr()
        local d = strew.where(strew.arange(n):lt(large), 1e8, 1.0):to(dtype)
        local a = (q * d):matmul(q:t())
        a = (a + a:t()) / 2
        local values, vectors = a:eigh()
        close("eigenvectors", a:matmul(vectors), vectors * values, n, 1e8)
      end
    end
  end)

  it("multiplies by subscripts as loops do", function()
    local letters = {"i", "j", "k", "l"}
    for _ = 1, support.runs_all and 300 or 40 do
      local size, terms, tensors = {}, {}, {}
      for _, letter in ipairs(letters) do size[letter] = random(0, 3) end
      if random(4) > 1 then for _, letter in ipairs(letters) do size[letter] = math.max(1, size[letter]) end end
      local count, seen = random(3), {}
      for k = 1, count do
        local shape, term = {}, {}
        for d = 1, random(0, 3) do
          term[d] = letters[random(#letters)]
          shape[d] = size[term[d]]
          seen[term[d]] = true
        end
        terms[k] = table.concat(term)
        tensors[k] = strew.randint(-5, 6, shape, {dtype = random(2) == 1 and "int32" or "int64"}):to("int64")
      end
      local result = {}
      for _, letter in ipairs(letters) do
        if seen[letter] and random(2) == 1 then table.insert(result, random(#result + 1), letter) end
      end
      local equation = table.concat(terms, ",") .. "->" .. table.concat(result)
      local shape = {}
      for d, letter in ipairs(result) do shape[d] = size[letter] end
      local expected = strew.zeros(shape, {dtype = "int64"})
      local at = {}
      local function add(depth)
        local letter = letters[depth]
        if not letter then
          local product = 1
          for k, t in ipairs(tensors) do
            local place = {}
            for one in terms[k]:gmatch "." do place[#place + 1] = at[one] end
            product = product * (#place == 0 and t:item() or t:get(place))
          end
          local place = {}
          for d, one in ipairs(result) do place[d] = at[one] end
          if #place == 0 then expected:fill_(expected:item() + product) else
            place[#place + 1] = expected:get({table.unpack(place)}) + product
            expected:set(table.unpack(place))
          end
          return
        end
        for i = 0, (seen[letter] and size[letter] or 1) - 1 do
          at[letter] = i
          add(depth + 1)
        end
      end
      add(1)
      local got = strew.einsum(equation, tensors)
      if not strew.equal(got, expected) then
        error(equation .. ": " .. support.text(got) .. ", expected " .. support.text(expected))
      end
    end
    local a, b = strew.randn(2, 3, 4), strew.randn(4, 5)
    assert.is_true(strew.equal(strew.einsum("...j,jk", a, b), a:matmul(b)))
    assert.is_true(strew.equal(strew.einsum("...ij->...ji", a), mt(a)))
    assert.is_true(strew.equal(strew.einsum("...,...->...", a, a[0]), a * a[0]))
    assert.is_true(strew.equal(strew.einsum("i,j", a[0][0], b[0]), a[0][0]:outer(b[0])))
    assert.is_true(strew.equal(strew.einsum("b a c", a), strew.einsum("bac->abc", a)))
    for _, case in ipairs{{"ij->ik", "has 'k' in the result, but in no operand"},
        {"ij,jk", "has 2 terms, for 1 operand"},
        {"ijk", 'the term "ijk" for an operand of 2 dimensions'}, {"i1", "expected letters"},
        {"ii->i", "repeats 'i', whose sizes are 2 and 3"}, {"ij->ii", "has 'i' in the result twice"},
        {"i->j->k", "has several"}, {"ij>i", 'the term "ij>i"'}} do
      local ok, message = pcall(strew.einsum, case[1], strew.ones(2, 3))
      assert.is_false(ok, case[1])
      assert.matches(case[2], message, 1, true)
    end
    fails("'equation' has operands of dtypes float32 and int64", strew.einsum, "i,i", {strew.ones(2), strew.arange(2)})
    fails("'equation' has a product of bools", strew.einsum, "i,i", {strew.tensor{true}, strew.tensor{true}})
  end)

  it("multiplies along dimensions", function()
    local a, b = strew.randn(2, 3, 4), strew.randn(4, 3, 5)
    close("tensordot", a:tensordot(b, {{1, 2}, {1, 0}}), strew.einsum("ijk,kjl->il", a, b), 8)
    close("tensordot 1", a:tensordot(b, 1), strew.einsum("ijk,klm->ijlm", a, b), 8)
    close("tensordot 0", a[0]:tensordot(b, 0), strew.einsum("ij,klm->ijklm", a[0], b), 8)
    assert.are.same({2, 3}, strew.zeros(2, 0):tensordot(strew.zeros(0, 3), 1).shape)
    assert.is_false(pcall(strew.tensordot, a, b, {{1}, {0}}))
    assert.is_false(pcall(strew.tensordot, a, b, 4))
    assert.is_false(pcall(strew.tensordot, a, b, {{1, 1}, {1, 1}}))
    local v = strew.tensor{{1, 2, 3}, {4, 5, 6}}
    assert.is_true(strew.equal(v:vecdot(v), strew.tensor{14, 77}))
    assert.is_true(strew.equal(v:vecdot(v, 0), strew.tensor{17, 29, 45}))
    assert.are.equal("int8", v:to("int8"):vecdot(v:to("int8")).dtype)
    assert.is_true(strew.equal(v:cross(strew.tensor{0, 0, 1}), strew.tensor{{2, -1, 0}, {5, -4, 0}}))
    assert.is_true(strew.equal(v:t():cross(v:t():roll(1, 0), 0), v:cross(v:roll(1, 1)):t()))
    assert.is_false(pcall(strew.cross, v, v, 0))
    for _ = 1, 8 do -- the same one, though both are wrong
      assert.truthy(select(2, pcall(strew.cross, v, v, 0)):find("cross: 'self' has size 2 in dimension -2", 1, true))
    end
    local m, n = strew.tensor{{1, 2}, {3, 4}}, strew.tensor{{0, 1, 2}}
    assert.is_true(strew.equal(m:kron(n), strew.tensor{{0, 1, 2, 0, 2, 4}, {0, 3, 6, 0, 4, 8}}))
    assert.is_true(strew.equal(strew.tensor{1, 2}:kron(m), strew.tensor{{1, 2, 2, 4}, {3, 4, 6, 8}}))
    assert.are.equal(5, m:trace():item())
    assert.are.equal(2, m:trace(1):item())
    assert.is_true(strew.equal(strew.stack{m, m + 1}:trace(), strew.tensor{5, 7}))
    for _, p in ipairs{0, 1, 1.5, 2, 3, math.huge} do
      local x, y = strew.randn(2, 5, 3), strew.randn(4, 3)
      close("cdist", x:cdist(y, p), (x:unsqueeze(-2) - y):norm(p, -1), 8)
    end
    assert.is_true(strew.equal(m:matrix_power(5), m:mm(m):mm(m):mm(m):mm(m)))
    assert.is_true(strew.equal(m:matrix_power(0), strew.eye(2, {dtype = "int64"})))
    local f = m:to("float32")
    assert.is_true(strew.equal((f * 0 + strew.eye(2) * 2):matrix_power(math.mininteger), f * 0))
    close("power", f:matrix_power(-3):matmul(f:matrix_power(3)), strew.eye(2), 2000)
  end)

  it("measures matrices", function()
    local a = strew.randn(2, 4, 3)
    close("fro", a:matrix_norm(), (a * a):sum({-2, -1}):sqrt(), 8)
    close("nuc", a:matrix_norm("nuc"), a:svdvals():sum(-1), 8)
    close("2", a:matrix_norm(2), a:svdvals():amax(-1), 8)
    close("-2", a:matrix_norm(-2), a:svdvals():amin(-1), 8)
    close("1", a:matrix_norm(1), a:abs():sum(-2):amax(-1), 8)
    close("-1", a:matrix_norm(-1), a:abs():sum(-2):amin(-1), 8)
    close("inf", a:matrix_norm(math.huge), a:abs():sum(-1):amax(-1), 8)
    close("-inf", a:matrix_norm(-math.huge), a:abs():sum(-1):amin(-1), 8)
    close("dim", a:matrix_norm(1, {0, 2}), a:abs():sum(0):amax(-1), 8)
    assert.are.same({1, 4, 1}, a:matrix_norm("nuc", {0, 2}, true).shape)
    fails("matrix_norm: 'dim' names dimension 0 twice", strew.matrix_norm, a, 1, {0, 0})
    close("vector", a:vector_norm(3, -1), a:norm(3, -1), 0)
    assert.is_false(pcall(strew.matrix_norm, a, "max"))
    assert.is_false(pcall(strew.matrix_norm, a, 3))
  end)

  it("joins a column as one of two", function()
    for _, rows in ipairs{7, 33, 100} do
      for _, k in ipairs{17, 263, 512, 1024} do
        local a, b = strew.randn(rows, k), strew.randn(k, 2)
        local one, both = a:mv(b:select(1, 0):contiguous()), a:mm(b):select(1, 0)
        assert.is_true(one:eq(both):all():item(), rows .. " x " .. k)
      end
    end
  end)
end)
