-- linear_algebra.lua: products of vectors and matrices by subscripts, norms and powers of matrices, and what is made of
-- their singular values: ranks, pseudo-inverses, least squares.
local strew, fail, use, inner = ...
local operands, errors = use "operands.lua", use "errors.lua"
local computed, product, is_tensor = operands.computed, operands.product, operands.is_tensor

local function check_matrices(t, name, is_square)
  operands.check_rank(t, name, 2, math.huge, "at least 2")
  if is_square and t:size(-1) ~= t:size(-2) then
    fail(name, format("has matrices of size %d x %d, expected square ones", t:size(-2), t:size(-1)), nil, "shape")
  end
end

-- Returns a sum over dims of t's dtype, which a product has.
local function summed(t, dims)
  return #dims == 0 and t or t:sum(dims):to(t.dtype)
end

-------------------------------------------------------------------------------------------------------- subscripts

-- A term of einsum is a sequence of labels, one for each dimension: a letter, or of "..." the dimension's number from
-- the right.

-- Returns the parts of text between commas.
local function split(text)
  local terms = {}
  for term in string.gmatch(text .. ",", "([^,]*),") do terms[#terms + 1] = term end
  return terms
end

local function fail_equation(fact, ...)
  fail("equation", format(fact, ...), '"ij,jk->ik" is a matrix product', "value")
end

-- Returns the labels of a term. width: the number of dimensions that "..." stands for.
local function labels_of(term, width)
  local labels, has_dots = {}, false
  local rest = string.gsub(term, "^(%a*)%.%.%.", function(before)
    for letter in string.gmatch(before, "%a") do labels[#labels + 1] = letter end
    for d = width, 1, -1 do labels[#labels + 1] = d end
    has_dots = true
    return ""
  end)
  if string.find(rest, "%A") then fail_equation('has the term "%s", expected letters and at most one "..."', term) end
  for letter in string.gmatch(rest, "%a") do labels[#labels + 1] = letter end
  return labels, has_dots
end

-- Returns the position of a label, or nil.
local function find(labels, wanted)
  for d, label in ipairs(labels) do
    if label == wanted then return d end
  end
end

-- Returns the tensor, and its labels, with the diagonal in place of dimensions of the same label.
local function without_repeats(t, labels)
  for d = #labels, 1, -1 do
    local first = find(labels, labels[d])
    if first < d then
      if t:size(first - 1) ~= t:size(d - 1) then
        fail_equation("repeats '%s', whose sizes are %d and %d", labels[d], t:size(first - 1), t:size(d - 1))
      end
      t = t:diagonal(0, first - 1, d - 1)
      labels[#labels + 1] = labels[d]
      table.remove(labels, d)
      table.remove(labels, first)
      return without_repeats(t, labels)
    end
  end
  return t, labels
end

-- Returns each operand as {t =, labels =}, the labels of the result, and the size of each label.
local function parse(equation, tensors)
  local text, arrows = string.gsub(string.gsub(equation, "%s", ""), "%->", "\n")
  local left, right = string.match(text, "^([^\n]*)\n?([^\n]*)$")
  if not left then fail_equation('has several "->"') end
  local terms, list, sizes, widest, counts = split(left), {}, {}, 0, {}
  if #terms ~= #tensors then
    fail_equation("has %d term%s, for %d operand%s", #terms, #terms == 1 and "" or "s", #tensors,
      #tensors == 1 and "" or "s")
  end
  for k, t in ipairs(tensors) do
    local letters, has_dots = labels_of(terms[k], 0)
    local width = has_dots and t:dim() - #letters or 0
    if width < 0 or not has_dots and #letters ~= t:dim() then
      fail_equation('has the term "%s" for an operand of %d dimension%s', terms[k], t:dim(), t:dim() == 1 and "" or "s")
    end
    widest = math.max(widest, width)
    local labels
    t, labels = without_repeats(t, (labels_of(terms[k], width)))
    for d, label in ipairs(labels) do
      local size, known = t:size(d - 1), sizes[label] or 1
      if size ~= known and size ~= 1 and known ~= 1 then
        fail_equation("has '%s' of size %d and of size %d", type(label) == "number" and "..." or label, known, size)
      end
      sizes[label] = known == 1 and size or known
    end
    for letter in string.gmatch(terms[k], "%a") do counts[letter] = (counts[letter] or 0) + 1 end
    list[k] = {t = t, labels = labels}
  end
  if arrows == 0 then -- the letters that occur once, in their order, after the dimensions of "..."
    local once = {}
    for letter, count in pairs(counts) do
      if count == 1 then once[#once + 1] = letter end
    end
    table.sort(once)
    right = (widest > 0 and "..." or "") .. table.concat(once)
  end
  local result = labels_of(right, widest)
  for d, label in ipairs(result) do
    if not sizes[label] then fail_equation("has '%s' in the result, but in no operand", label) end
    if find(result, label) ~= d then fail_equation("has '%s' in the result twice", label) end
  end
  return list, result, sizes
end

-- Returns the operand without the labels that nothing else needs: their sum.
local function reduced(operand, is_needed)
  local dims, labels = {}, {}
  for d, label in ipairs(operand.labels) do
    if is_needed[label] then labels[#labels + 1] = label else dims[#dims + 1] = d - 1 end
  end
  return {t = summed(operand.t, dims), labels = labels}
end

-- Returns the operand's tensor as [batch, rows, columns], of groups of labels.
local function grouped(operand, groups, sizes)
  local order, shape, expanded = {}, {}, {}
  for d, label in ipairs(operand.labels) do expanded[d] = operand.is_wide[label] and sizes[label] or -1 end
  for k, group in ipairs(groups) do
    shape[k] = 1
    for _, label in ipairs(group) do
      local d = find(operand.labels, label)
      order[#order + 1] = d - 1
      shape[k] = shape[k] * (operand.is_wide[label] and sizes[label] or operand.t:size(d - 1))
    end
  end
  return operand.t:expand(expanded):permute(order):reshape(shape)
end

-- Returns the product of two operands, summed over the labels that nothing else needs.
local function contracted(a, b, is_needed, sizes)
  local batch, rows, columns, summed_labels, is_wide = {}, {}, {}, {}, {}
  for _, label in ipairs(a.labels) do
    local is_shared = find(b.labels, label)
    local group = not is_shared and rows or is_needed[label] and batch or summed_labels
    group[#group + 1] = label
    is_wide[label] = is_shared and true
  end
  for _, label in ipairs(b.labels) do
    if not find(a.labels, label) then columns[#columns + 1] = label end
  end
  a.is_wide, b.is_wide = is_wide, is_wide
  local out = grouped(a, {batch, rows, summed_labels}, sizes):matmul(grouped(b, {batch, summed_labels, columns}, sizes))
  local labels, shape = {}, {}
  for _, group in ipairs{batch, rows, columns} do
    for _, label in ipairs(group) do
      labels[#labels + 1] = label
      local from = group == columns and b or a
      shape[#shape + 1] = is_wide[label] and sizes[label] or from.t:size(find(from.labels, label) - 1)
    end
  end
  return {t = out:reshape(shape), labels = labels}
end

local function einsum(equation, first, ...)
  local tensors = is_tensor(first) and {first, ...} or first
  if type(tensors) ~= "table" or #tensors == 0 then
    fail("a", format("is %s, expected a tensor or a sequence of tensors", inner.text(first)))
  end
  for k, t in ipairs(operands.tensors(tensors, "a")) do
    if t.dtype ~= tensors[1].dtype then
      fail("equation", format("has operands of dtypes %s and %s: they must be equal", tensors[1].dtype, t.dtype), nil,
        "dtype")
    elseif k > 1 and t.dtype == "bool" then
      fail("equation", "has a product of bools, expected numbers", 'a:to("int64")', "dtype")
    end
  end
  local list, result, sizes = parse(equation, tensors)
  local function needed_after(k) -- labels of the result and of the operands from k on
    local is_needed = {}
    for _, label in ipairs(result) do is_needed[label] = true end
    for i = k, #list do
      for _, label in ipairs(list[i].labels) do is_needed[label] = true end
    end
    return is_needed
  end
  local function of_both(k, operand) -- the same, and labels of another operand
    local is_needed = needed_after(k)
    for _, label in ipairs(operand.labels) do is_needed[label] = true end
    return is_needed
  end
  local out = list[1]
  for k = 2, #list do
    out = reduced(out, needed_after(k))
    out = contracted(out, reduced(list[k], of_both(k + 1, out)), needed_after(k + 1), sizes)
  end
  local last = reduced(out, needed_after(#list + 1))
  local order, shape = {}, {}
  for d, label in ipairs(result) do
    order[d], shape[d] = find(last.labels, label) - 1, sizes[label]
  end
  local t = last.t:permute(order)
  return (#list == 1 and #last.labels == #out.labels) and t:clone() or t:expand(shape)
end

-- Returns the numbers from 0 of t's dimensions that a sequence or a number names, as the call's dims[at].
local function named_dims(t, dims, at)
  local list, is_named = {}, {}
  for k, dim in ipairs(type(dims) == "table" and dims or {dims}) do
    local positive = math.type(dim) == "integer" and (dim < 0 and dim + t:dim() or dim)
    if not positive or positive < 0 or positive >= t:dim() or is_named[positive] then
      fail("dims", format("has %s at [%d][%d], expected different dimensions of %d", inner.text(dim), at, k, t:dim()),
        nil, "shape")
    end
    is_named[positive] = true
    list[k] = positive
  end
  return list, is_named
end

local function tensordot(self, other, dims)
  if type(dims) == "number" then
    local n, own, others = math.tointeger(dims), {}, {}
    if not n or n < 0 or n > math.min(self:dim(), other:dim()) then
      fail("dims", format("is %s, expected 0 to %d: as many last dimensions of self and first ones of other", dims,
        math.min(self:dim(), other:dim())), nil, "shape")
    end
    for k = 1, n do own[k], others[k] = self:dim() - n + k - 1, k - 1 end
    dims = {own, others}
  end
  if type(dims) ~= "table" or #dims ~= 2 then
    fail("dims", format("is %s, expected a number, or {dimensions of self, those of other}", inner.text(dims)))
  end
  local own, is_own = named_dims(self, dims[1], 1)
  local others, is_others = named_dims(other, dims[2], 2)
  if #own ~= #others then
    fail("dims", format("names %d dimensions of self and %d of other", #own, #others), nil, "shape")
  end
  local left, right, shape, count = {}, {}, {}, 1
  for d = 0, self:dim() - 1 do
    if not is_own[d] then left[#left + 1], shape[#shape + 1] = d, self:size(d) end
  end
  local rows = #left
  for k, d in ipairs(own) do
    if self:size(d) ~= other:size(others[k]) then
      fail("dims", format("pairs dimension %d of self, of size %d, with dimension %d of other, of size %d", d,
        self:size(d), others[k], other:size(others[k])), nil, "shape")
    end
    left[#left + 1], right[#right + 1], count = d, others[k], count * self:size(d)
  end
  for d = 0, other:dim() - 1 do
    if not is_others[d] then right[#right + 1], shape[#shape + 1] = d, other:size(d) end
  end
  local a = self:permute(left):reshape(product(shape, 1, rows), count)
  local b = other:permute(right):reshape(count, product(shape, rows + 1, #shape))
  return a:mm(b):reshape(shape)
end

---------------------------------------------------------------------------------------------------- products

local function cross(self, other, dim)
  local rank = math.max(self:dim(), other:dim())
  dim = dim or -1
  if dim < -rank or dim >= rank then
    fail("dim", format("is %d, out of range for %d dimensions", dim, rank), nil, "shape", dim)
  end
  if dim >= 0 then dim = dim - rank end -- counted from the end both have the same
  for k, t in ipairs{self, other} do
    if t:dim() < -dim or t:size(dim) ~= 3 then
      fail(k == 1 and "self" or "other", format("has size %s in dimension %d, expected 3",
        t:dim() < -dim and "none" or t:size(dim), dim), nil, "shape")
    end
  end
  local a, b = {}, {}
  for k = 0, 2 do a[k], b[k] = self:narrow(dim, k, 1), other:narrow(dim, k, 1) end
  return strew.cat({a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]}, dim)
end

local function kron(self, other)
  local rank = math.max(self:dim(), other:dim())
  operands.check_rank(self, "self", 0, 8, "at most 8")
  operands.check_rank(other, "other", 0, 8, "at most 8")
  local left, right, shape = {}, {}, {}
  for d = 1, rank do
    local own, others = self:dim() - rank + d, other:dim() - rank + d
    local n, m = own > 0 and self:size(own - 1) or 1, others > 0 and other:size(others - 1) or 1
    left[2 * d - 1], left[2 * d], right[2 * d - 1], right[2 * d], shape[d] = n, 1, 1, m, n * m
  end
  return (self:reshape(left) * other:reshape(right)):reshape(shape)
end

-- Distances of all pairs of rows; of p 2 without a tensor of all differences.
local function cdist(self, other, p)
  p = p or 2
  operands.check_float(self, "self")
  operands.check_values(self, other, "other")
  check_matrices(self, "self")
  check_matrices(other, "other")
  if p < 0 or p ~= p then fail("p", format("is %s, expected 0 or more", inner.text(p)), nil, "value", p) end
  if self:size(-1) ~= other:size(-1) then
    fail("other", format("has rows of size %d, expected %d, as self", other:size(-1), self:size(-1)), nil, "shape")
  end
  local values = {x = computed(self):unsqueeze(-2), y = computed(other):unsqueeze(-3), p = p}
  if p ~= 1 and p ~= 2 then return (values.x - values.y):norm(p, -1):to(self.dtype) end
  local gaps = operands.bound(p == 2 and "square(x - y)" or "abs(x - y)", values, self:numel() * other:size(-2))
  local sums = gaps:sum(-1)
  return operands.as(p == 2 and sums:sqrt_() or sums, self.dtype)
end

local function matrix_power(self, n)
  check_matrices(self, "self", true)
  n = math.tointeger(n) -- maybe a float
  if n < 0 then self, n = self:inv(), -n end
  local out, square
  while n ~= 0 do -- as unsigned: -math.mininteger is itself
    square = square and square:matmul(square) or self
    if n & 1 == 1 then out = out and out:matmul(square) or square end
    n = n >> 1
  end
  if out then return out == self and self:clone() or out end
  return strew.eye(self:size(-1), {dtype = self.dtype, device = self.device}):expand(self.shape):clone()
end

------------------------------------------------------------------------------------------------------- norms

-- Returns the matrices along two dimensions as the last two, and these dimensions.
local function matrices_along(self, dim)
  check_matrices(self, "self")
  if not dim then return self, {-2, -1} end
  if type(dim) ~= "table" or #dim ~= 2 then
    fail("dim", "names one dimension, expected two: of rows and of columns", nil, "shape")
  end
  return errors.own("source", "dim", nil, self.movedim, self, dim, {-2, -1}), dim
end

-- Returns norms of matrices with size 1 along the two dimensions, or without these.
local function kept(norms, self, dim, keepdim)
  if not keepdim then return norms end
  local shape = self.shape
  for _, d in ipairs(dim) do shape[d < 0 and d + #shape + 1 or d + 1] = 1 end
  return norms:reshape(shape)
end

local function matrix_norm(self, ord, dim, keepdim)
  operands.check_float(self, "self")
  local m
  m, dim = matrices_along(self, dim)
  if ord == nil or ord == "fro" then return kept(m:norm(2, {-2, -1}), self, dim, keepdim) end
  if ord == "nuc" then return kept(m:svdvals():sum(-1), self, dim, keepdim) end
  local size = type(ord) == "number" and math.abs(ord)
  if size ~= 1 and size ~= 2 and size ~= math.huge then
    fail("ord", format('is %s, expected "fro", "nuc", 1, -1, 2, -2, math.huge or -math.huge', inner.text(ord)), nil,
      "value")
  end
  local sums = size == 2 and m:svdvals() or m:abs():sum(size == 1 and -2 or -1)
  return kept(ord > 0 and sums:amax(-1) or sums:amin(-1), self, dim, keepdim)
end

---------------------------------------------------------------------------------------------- singular values

-- Returns the singular values that do not count as 0: larger than rtol times the largest one.
local function counted(s, m, n, rtol)
  rtol = rtol or math.max(m, n) * strew.finfo(s.dtype).eps
  if is_tensor(rtol) then rtol = rtol:unsqueeze(-1) end
  return s:size(-1) == 0 and s:gt(0) or s:gt(s:narrow(-1, 0, 1) * rtol)
end

-- Raises an error unless rtol is nil, a number from 0 on, or a tensor of these that broadcasts with the matrices.
local function check_rtol(self, rtol, name)
  if rtol == nil then return end
  local is_number = not is_tensor(rtol)
  if is_number and type(rtol) ~= "number" then
    fail(name, format("is %s, expected a number or a tensor", inner.text(rtol)))
  elseif is_number then
    if rtol >= 0 then return end
    fail(name, format("is %s, expected 0 or more", inner.text(rtol)), nil, "value", rtol)
  end
  local sizes, batch = rtol.shape, {table.unpack(self.shape, 1, self:dim() - 2)}
  local fits = #sizes <= #batch
  for d = 1, #sizes do fits = fits and (sizes[d] == 1 or sizes[d] == batch[#batch - #sizes + d]) end
  if not fits then
    fail(name, format("has shape %s, self has matrices of shape %s", operands.text(sizes), operands.text(batch)), nil,
      "shape")
  end
  operands.check_device(self, rtol, name)
  operands.check_none(rtol:ge(0):logical_not(), rtol, name, "0 or more")
end

-- Returns the pseudo-inverse's factors: v and u, transposed, with rows divided by the singular values; and these, with
-- a mask of those that count.
local function pseudo_inverse(self, rtol)
  local u, s, vh = computed(self):svd(false)
  local counts = counted(s, self:size(-2), self:size(-1), rtol)
  local factors = strew.where(counts, 1 / s, 0.0):unsqueeze(-1)
  return vh:transpose(-2, -1), u:transpose(-2, -1) * factors, s, counts
end

local function lstsq(self, other, rcond)
  operands.check_float(self, "self")
  operands.check_values(self, other, "other")
  check_matrices(self, "self")
  check_rtol(self, rcond, "rcond")
  local is_vector = other:dim() == 1
  operands.check_rank(other, "other", 1, math.huge, "at least 1")
  local sides = is_vector and other:unsqueeze(-1) or other
  local m, n = self:size(-2), self:size(-1)
  if sides:size(-2) ~= m then
    fail("other", format("has %d rows, expected %d, as self", sides:size(-2), m), nil, "shape")
  end
  local v, uh, s, counts = pseudo_inverse(self, rcond)
  local x = v:matmul(uh:matmul(computed(sides)))
  local rank, residuals = counts:sum(-1), strew.empty({0}, {dtype = self.dtype, device = self.device})
  if m > n and rank:eq(n):all():item() then
    local rest = computed(sides) - computed(self):matmul(x)
    residuals = (rest * rest):sum(-2):to(self.dtype)
  end
  return (is_vector and x:squeeze(-1) or x):to(self.dtype), residuals, rank, s:to(self.dtype)
end

return {
  einsum = {"equation:word a:any b?tensor c?tensor d?tensor", function(equation, first, ...)
    local rest = {}
    for k = 1, 3 do rest[k] = (select(k, ...)) end
    return einsum(equation, first, table.unpack(rest))
  end},
  tensordot = {"self:tensor other:tensor dims?any", function(self, other, dims)
    operands.check_device(self, other, "other")
    return tensordot(self, other, dims == nil and 2 or dims)
  end},
  vecdot = {"self:tensor other:tensor dim?dim", function(self, other, dim)
    local products = self * other
    if self.dtype == "bool" or other.dtype == "bool" then
      fail("self", format("is %s, other %s: expected numbers", self.dtype, other.dtype),
        'self:to("int64"), other:to("int64")', "dtype")
    end
    return products:sum(dim or -1):to(products.dtype)
  end},
  cross = {"self:tensor other:tensor dim?dim", cross},
  kron = {"self:tensor other:tensor", kron},
  trace = {"self:tensor offset?integer", function(self, offset)
    check_matrices(self, "self")
    return self:diagonal(offset or 0, -2, -1):sum(-1)
  end},
  matrix_power = {"self:tensor n:integer", matrix_power},
  cdist = {"self:tensor other:tensor p?number", cdist},
  vector_norm = {"self:tensor ord?number dim?dims keepdim?boolean", function(self, ord, dim, keepdim)
    return self:norm(ord or 2, dim, keepdim)
  end},
  matrix_norm = {"self:tensor ord?any dim?dims keepdim?boolean", matrix_norm},
  matrix_rank = {"self:tensor rtol?any", function(self, rtol)
    operands.check_float(self, "self")
    check_matrices(self, "self")
    check_rtol(self, rtol, "rtol")
    return counted(computed(self):svdvals(), self:size(-2), self:size(-1), rtol):sum(-1)
  end},
  pinv = {"self:tensor rtol?any", function(self, rtol)
    operands.check_float(self, "self")
    check_matrices(self, "self")
    check_rtol(self, rtol, "rtol")
    local v, uh = pseudo_inverse(self, rtol)
    return v:matmul(uh):to(self.dtype)
  end},
  lstsq = {"self:tensor other:tensor rcond?number", lstsq},
}
