-- combinations.lua: reductions of one's own, r = strew.reduction{...}: in place of the word of a reduction, and scans.
--
-- inner.combine reduces along dimension 0. `to_rows` reshapes tensors of the elements' shape for it.
local strew, fail, use, inner = ...
local operands, errors = use "operands.lua", use "errors.lua"
local is_tensor, product = operands.is_tensor, operands.product

---------------------------------------------------------------------------------------------------------- reductions

-- The names of each reduction's accumulators.
local accumulators = setmetatable({}, {__mode = "k"})

-- Raises an error if the argument of that name is to begin several accumulators.
local function check_begins(r, argument, hint)
  if accumulators[r] and accumulators[r][2] then
    fail(argument, format("cannot begin %d accumulators, expected one", #accumulators[r]), hint)
  end
end

-- Returns the keys of a table in alphabetical order.
local function keys_of(t, argument)
  local names = {}
  for name in next, t do
    if type(name) ~= "string" then
      fail(argument, format("has key %s, expected names of accumulators", inner.text(name)))
    end
    table.insert(names, name)
  end
  table.sort(names)
  return names
end

-- Raises an error if t, with values by accumulators, has a name that is none.
local function check_keys(t, names, argument)
  for _, name in ipairs(keys_of(t, argument)) do
    local nearest = select(2, errors.meant(name, names))
    if not string.find(table.concat(names, ","), "%f[^%z,]" .. name .. "%f[%z,]") then
      fail(argument, format("has '%s', the accumulators are %s", name, table.concat(names, ", ")),
        nearest and format("did you mean '%s'?", nearest))
    end
  end
end

local function reduction(init, combine, finish, dtype)
  if init == nil or combine == nil then
    fail(init == nil and "init" or "combine", "is missing", '{init = 0, combine = "acc + x"}')
  end
  local is_table = type(init) == "table"
  if not is_table then init, combine = {acc = init}, {acc = combine} end
  local names, inits, combines, dtypes, texts = keys_of(init, "init"), {}, {}, {}, {}
  if not names[1] then fail("init", "is an empty table, expected a first value for each accumulator") end
  for _, name in ipairs(names) do
    local is_name = #name < 64 and string.find(name, "^[%a_][%w_]*$")
    if not is_name or name == "i" then
      fail("init", format("has %s, expected names of 1 to 63 letters and digits, and not i, the element's position",
        inner.text(name)))
    end
  end
  if type(combine) ~= "table" then
    fail("combine", format("is %s, expected a table with a text for each accumulator", inner.text(combine)))
  end
  check_keys(combine, names, "combine")
  if type(dtype) == "table" then check_keys(dtype, names, "dtype") end
  for k, name in ipairs(names) do
    inits[k], combines[k], dtypes[k] = init[name], combine[name], dtype or false
    if type(dtype) == "table" then dtypes[k] = dtype[name] or false end
    if type(combines[k]) ~= "string" then
      fail("combine", format("has %s for '%s', expected a text", inner.text(combines[k]), name),
        format(is_table and 'combine = {%s = "%s + x"}' or 'combine = "%s + x"', name, name))
    end
    texts[k] = name .. " = " .. combines[k]
  end
  local text = table.concat(texts, ", ") .. (finish and "; " .. finish or "")
  local r = inner.combination(names, inits, combines, dtypes, finish, inner.printable(text))
  accumulators[r] = names
  return r
end

------------------------------------------------------------------------------------------------------------ sources

-- Returns the sources of r in its order, and the first tensor of the script's src: a tensor, or tensors by names.
local function read_sources(r, src)
  if not inner.is_combination(r) then
    fail("reduce", format("is %s, expected a reduction as of strew.reduction", inner.text(r)),
      'strew.reduction{init = 0, combine = "acc + x"} makes one')
  end
  local names, list, by = inner.combination_sources(r), {}, src
  if is_tensor(src) then
    by = {x = src}
  elseif type(src) ~= "table" then
    fail("src", format("is %s, expected a tensor or a table of tensors by name", inner.text(src)))
  end
  for k, name in ipairs(names) do
    list[k] = by[name]
    if not is_tensor(list[k]) then
      local of = is_tensor(src) and "is one tensor, x, but the reduction reads '%s'" or "has no tensor '%s'"
      if by[name] ~= nil then
        fail("src", format("has %s as '%s', expected a tensor", inner.text(by[name]), name))
      end
      local meant = errors.meant(name, accumulators[r])
      fail("src", format(of, name), meant or format("%s is a source: {%s = ...}; the accumulators are %s", name, name,
        table.concat(accumulators[r], ", ")))
    end
  end
  local first = list[1] or is_tensor(src) and src or src[keys_of(src, "src")[1]]
  if not is_tensor(first) then fail("src", "has no tensor") end
  for k, t in ipairs(list) do
    operands.check_device(first, t, names[k])
    operands.check_shape(t, first.shape, names[k])
  end
  return list, first
end

-- Returns r's result of the sources, made rows; `given`: self, starts, grouping, partial, and positions, a function.
local function combine(r, list, first, to_rows, given)
  local rows, _, has_position = {}, inner.combination_sources(r)
  for k, t in ipairs(list) do rows[k] = to_rows(t) end
  local positions = has_position and given.positions and given.positions() or nil
  return inner.combine(r, to_rows(first), rows, given.partial == true, positions, given.starts, given.self,
    given.grouping)
end

-------------------------------------------------------------------------------------------------------- along dim

-- Returns the sizes of t with those in `middle` in place of that of dim.
local function replaced(t, dim, middle)
  local shape, sizes = t.shape, {}
  table.move(shape, 1, dim, 1, sizes)
  table.move(middle, 1, #middle, dim + 1, sizes)
  return table.move(shape, dim + 2, #shape, dim + #middle + 1, sizes)
end

local function check_dim(t, dim)
  local rank = math.max(t:dim(), 1)
  if dim < -rank or dim >= rank then
    fail("dim", format("is %d, out of range (valid %d..%d)", dim, -rank, rank - 1))
  end
  return dim % rank
end

-- Lines along dim, one after another: what `combine` takes, and the number of lines.
local function lines_along(first, dim)
  local shape = first.shape
  local lines, n, columns = product(shape, 1, dim), shape[dim + 1], product(shape, dim + 2, #shape)
  local function to_rows(t) return t:reshape(lines * n, columns) end
  local function positions() return strew.arange(n, {device = first.device}):tile(lines) end
  return to_rows, lines, n, positions
end

local function along(r, src, dim, partial)
  local list, first = read_sources(r, src)
  dim = check_dim(first, dim)
  for k, t in ipairs(list) do list[k] = operands.line(t) end
  first = operands.line(first)
  local to_rows, lines, n, positions = lines_along(first, dim)
  local starts = strew.arange(lines + 1, {device = first.device}) * n
  return combine(r, list, first, to_rows, {starts = starts, positions = positions, partial = partial}), first, dim
end

local function reduce(src, r, dim, keepdim)
  if dim then
    local result, first, at = along(r, src, dim)
    return result:reshape(replaced(first, at, keepdim and {1} or {}))
  end
  local list, first = read_sources(r, src)
  local sizes = {}
  for d = 1, keepdim and first:dim() or 0 do sizes[d] = 1 end
  return combine(r, list, first, function(t) return t:reshape(-1) end, {}):reshape(sizes)
end

local function scan(src, r, dim)
  local _, first = read_sources(r, src)
  return (along(r, src, dim, true):reshape(first.shape))
end

------------------------------------------------------------------------------------------------------------- groups

-- Groups of rows along dim.
local function by_grouping(r, src, g, dim, self, partial)
  local list, first = read_sources(r, src)
  dim = check_dim(first, dim)
  local order, back = {dim}, {}
  for d = 0, math.max(first:dim(), 1) - 1 do
    if d ~= dim then table.insert(order, d) end
  end
  for k, d in ipairs(order) do back[d + 1] = k - 1 end
  local function front(t) return operands.line(t):permute(order) end
  if operands.line(first):size(dim) ~= g.length then
    fail("src", format("has size %d in dim %d, the grouping has %d elements", operands.line(first):size(dim), dim,
      g.length), nil, "shape")
  end
  if first.device ~= g.device then
    fail("src", format("is on %s, the grouping on %s", first.device, g.device), nil, "device")
  end
  local given = {grouping = g, self = self and front(self), partial = partial}
  return combine(r, list, first, front, given):permute(back)
end

-- Groups of elements whose ids (-1: none) have their shape; the result has `sizes`, other than theirs along dim alone.
local function by_ids(r, list, first, ids, dim, sizes, self)
  local device, shape, at, stride, own = first.device, first.shape, nil, 1, nil
  for d = #sizes, 1, -1 do
    local ones = {}
    for k = 1, #sizes do ones[k] = k == d and shape[d] or 1 end
    local line = d == dim + 1 and ids or strew.arange(shape[d], {device = device}):view(ones)
    if d == dim + 1 then own = strew.arange(shape[d], {device = device}):view(ones) end
    at = at and at + line * stride or line * stride
    stride = stride * sizes[d]
  end
  at = strew.where(ids:lt(0), -1, at:expand(shape)):reshape(-1)
  local g = strew.grouping(at, {dim_size = stride, mode = "drop"})
  local function flat(t) return t:reshape(-1) end
  local given = {grouping = g, self = self and flat(self), positions = function() return flat(own:expand(shape)) end}
  return combine(r, list, first, flat, given):view(sizes), g.counts:view(sizes)
end

-- Stores a result in out, which holds its dtype's category.
local function store(out, result, name)
  local is_narrow = operands.is_float(result) and not operands.is_float(out)
    or out.dtype == "bool" and result.dtype ~= "bool"
  if is_narrow or out.dtype == "time" or out.dtype == "text" then
    fail(name, format("is %s, which does not hold a result of %s", out.dtype, result.dtype), nil, "dtype")
  end
  return out:copy_(result)
end

local function groups(src, index, dim, out, dim_size, mode, skip_nan, r)
  local list, first = read_sources(r, src)
  local is_line = not is_tensor(index) or index:dim() <= 1
  dim = check_dim(first, dim or -1)
  if out then
    check_begins(r, "out", "without out all begin with init")
    for _, t in ipairs(list) do errors.check_overlap(out, t) end
    local line, given = operands.line(first), operands.line(out)
    if given:dim() ~= line:dim() then
      fail("out", format("has %d dimensions, src has %d", given:dim(), line:dim()), nil, "shape")
    end
    dim_size = given:size(dim)
    operands.check_shape(given, replaced(line, dim, {dim_size}), "out")
  end
  local result
  if is_line and not skip_nan and (not is_tensor(index) or index:numel() == operands.line(first):size(dim)) then
    local g = is_tensor(index) and strew.grouping(index, {dim_size = dim_size, mode = mode}) or index
    if out and dim_size > g.n then g = strew.grouping(g.ids, {dim_size = dim_size, mode = "drop"}) end
    if out and dim_size < g.n then fail("out", format("has size %d in dim %d, the grouping has %d groups", dim_size,
      dim, g.n), nil, "shape") end
    result = errors.own("self", "out", nil, by_grouping, r, src, g, dim, out)
  else
    for k, t in ipairs(list) do list[k] = operands.line(t) end
    first = operands.line(first)
    local ids = inner.group_ids(first, index, {dim = dim, dim_size = dim_size, mode = mode, skip_nan = skip_nan})
    local n = dim_size or not is_tensor(index) and index.n or index:numel() > 0 and index:max():item() + 1 or 0
    result = errors.own("self", "out", nil, by_ids, r, list, first, ids, dim, replaced(first, dim, {n}), out)
  end
  return out and store(out, result, "out") or result
end

----------------------------------------------------------------------------------------------------- position form

-- Destinations at which nothing arrives keep self's value.
local function scatter(self, dim, index, src, r, include_self, mode, underscore)
  if type(src) == "number" or type(src) == "boolean" then
    src = strew.full(index.shape, src, {dtype = self.dtype, device = self.device})
  end
  local list, first = read_sources(r, src)
  local names = is_tensor(src) and {} or inner.combination_sources(r)
  if include_self ~= false then check_begins(r, "self", "{include_self = false} begins with init") end
  for k, t in ipairs(list[1] and list or {first}) do -- checks all as the call with a word does
    errors.own("src", names[k] or "src", nil, self.scatter_reduce, self, dim, index, t, "amax", {mode = mode})
    if underscore == "_" then errors.check_overlap(self, t) end
  end
  local function used(t)
    t = operands.line(t)
    for d = 0, index:dim() - 1 do t = t:narrow(d, 0, index:size(d)) end
    return t
  end
  for k, t in ipairs(list) do list[k] = used(t) end
  local line, part, own = operands.line(self), used(first), operands.line(index)
  dim = dim % line:dim()
  local ids = inner.group_ids(part, own, {dim = dim, dim_size = line:size(dim), mode = mode})
  local result, counts = by_ids(r, list, part, ids, dim, line.shape, include_self ~= false and line or nil)
  local out = underscore == "_" and self or strew.empty(self.shape, {dtype = self.dtype, device = self.device})
  return store(out, strew.where(counts:gt(0), result, line):view(self.shape), "self")
end

----------------------------------------------------------------------------------------------------------- segments

-- Between the segments of two lines is one more, which is dropped.
local function segment_csr(src, indptr, r, out)
  local list, first = read_sources(r, src)
  strew.segment_csr(first:detach(), indptr, {reduce = "max"})
  for _, t in ipairs(out and list or {}) do errors.check_overlap(out, t) end
  local dim = indptr:dim() - 1
  local to_rows, lines, n, positions = lines_along(first, dim)
  local m, shape = indptr:size(dim), first.shape
  local starts = indptr:to("int64"):expand(table.move({m}, 1, 1, dim + 1, table.move(shape, 1, dim, 1, {})))
  starts = starts:reshape(lines, m) + strew.arange(lines, {device = first.device}):view(lines, 1) * n
  starts = strew.cat{starts:reshape(-1), strew.tensor({lines * n}, {device = first.device})}
  local result = combine(r, list, first, to_rows, {starts = starts, positions = positions})
  result = result:reshape(replaced(first, dim, {m})):narrow(dim, 0, m - 1)
  if out then operands.check_shape(out, result.shape, "out") end
  return out and store(out, result, "out") or result:clone()
end

------------------------------------------------------------------------------------------------------------ ranges

-- For groups/ranges.lua: the first tensor of src; and the result for copies of rows, whose segments begin at `starts`.
local function first_source(r, src) return (select(2, read_sources(r, src))) end
local function combine_copies(r, src, rows, starts)
  local list, first = read_sources(r, src)
  local function copied(t) return t:index_select(0, rows) end
  return combine(r, list, first, copied, {starts = starts, positions = function() return rows end})
end

return {
  first_source = first_source, combine_copies = combine_copies,
  reduction = {"init=any combine=any finish=word dtype=any", reduction},
  reduce = {"src:any reduce:any dim?dim keepdim?boolean", reduce},
  scan = {"src:any reduce:any dim:dim", scan},
  ["g:reduce"] = {"self:grouping src:any reduce:any dim?dim", function(g, src, r, dim)
    return by_grouping(r, src, g, dim or -1)
  end},
  ["g:scan"] = {"self:grouping src:any reduce:any dim?dim", function(g, src, r, dim)
    return by_grouping(r, src, g, dim or -1, nil, true)
  end},
  combined_groups = {"src:any index:any dim?dim out?tensor dim_size?integer mode=word skip_nan=boolean reduce=any",
                     groups},
  combined_scatter = {"self:tensor dim:dim index:tensor src:any mode=word reduce=any",
                      function(self, dim, index, src, mode, r, underscore)
    return scatter(self, dim, index, src, r, true, mode, underscore)
  end},
  combined_scatter_reduce = {
    "self:tensor dim:dim index:tensor src:any reduce:any include_self=boolean mode=word", scatter},
  combined_segment_csr = {"src:any indptr:tensor reduce?any out=tensor", segment_csr},
}
