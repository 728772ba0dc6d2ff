-- distributed.lua: strew.mpi, the functions of scripts. A chunk called with the module strew and the functions of C.
--
-- Each operation is a body that runs on all ranks: see ranks.h. A body may fail anywhere; it may not catch errors.
-- `same(call)` tells the ranks' calls apart before they exchange anything: shapes and options that must be equal.
local strew, inner = ...
local rank, size, together, same = inner.rank, inner.size, inner.together, inner.same
local mpi, methods, meta = {}, {}, {}

-------------------------------------------------------------------------------------------------------------- checks

local function shape_text(t) return format("%s[%s]", t.dtype, table.concat(t.shape, ", ")) end

local function value_text(x)
  if x == nil then return "nil" end
  if type(x) == "string" then return format('"%s"', string.sub(x, 1, 40)) end
  if type(x) == "number" or type(x) == "boolean" then return tostring(x) end
  return strew.type(x) and "a tensor" or "a " .. (getmetatable(x) == meta and "distributed tensor" or type(x))
end

local function name_text(x) return type(x) == "string" and x or value_text(x) end

-- Returns t unless it is text: codes of words that other ranks lack.
local function no_text(op, name, t)
  if t.dtype ~= "text" then return t end
  inner.fail(op, name, "is text, whose words are those of one rank", "t:codes(), and strew.text(codes, words) with the "
    .. "same words on all ranks", "dtype")
end

-- The tensor x: this rank's block, if x is distributed.
local function tensor_of(op, name, x)
  if type(x) == "table" and getmetatable(x) == meta then return x._block end
  if strew.type(x) ~= "tensor" then inner.fail(op, name, format("is %s, expected a tensor", value_text(x))) end
  return no_text(op, name, x)
end

local function check_self(op, d)
  if type(d) == "table" and getmetatable(d) == meta then return d end
  local hint = format("use : to call a method: d:%s(...)", op)
  inner.fail(op, "self", format("is %s, expected a distributed tensor", value_text(d)), hint)
end

local function check_device(op, name, t, d)
  if t.device == d.device then return end
  inner.fail(op, name, format("is on %s, self on %s", t.device, d.device), format('%s:to("%s")', name, d.device),
    "device")
end

-------------------------------------------------------------------------------------------------------------- blocks

-- n rows are split into blocks of near equal size: the first n % size ranks have one row more.
local function rows_of(n, r) return n // size + (r < n % size and 1 or 0) end
local function first_of(n, r) return n // size * r + math.min(r, n % size) end
local function all_rows(n)
  local counts = {}
  for r = 1, size do counts[r] = rows_of(n, r - 1) end
  return counts
end

local function sum_of(counts)
  local sum = 0
  for _, count in ipairs(counts) do sum = sum + count end
  return sum
end

-- The shape of n rows like those of t.
local function with_rows(n, t)
  local sizes = t.shape
  sizes[1] = n
  return sizes
end

local function width_of(t)
  local width = 1
  for d = 1, t:dim() - 1 do width = width * t:size(d) end
  return width
end

-- A contiguous tensor in host memory, from which MPI sends.
local function host(t) return t:to("cpu"):contiguous() end
local function scratch(shape, dtype) return strew.empty(shape, {dtype = dtype, device = "cpu"}) end

local function distributed(n, block) return setmetatable({_rows = n, _block = block}, meta) end

function meta.__index(d, name)
  if name == "shape" then return with_rows(d._rows, d._block) end
  if name == "dtype" or name == "device" then return d._block[name] end
  if methods[name] then return methods[name] end
  inner.fail("mpi", nil, format("a distributed tensor has no '%s'", name_text(name)),
    "d:block() is the rank's own part, d:collect() everything; both are tensors")
end
function meta.__len(d) return d._rows end
function meta.__tostring(d)
  local first = first_of(d._rows, rank)
  return format("distributed %s, rank %d of %d has rows %d to %d, %s", shape_text(d), rank, size, first,
    first + rows_of(d._rows, rank) - 1, d.device)
end
meta.__name = "distributed tensor"

local function call_text(op, d) return format("calls %s of %s", op, shape_text(d)) end

-- The rank's rows of a tensor that all ranks have.
local function own_rows(op, name, t)
  if t:dim() == 0 then inner.fail(op, name, "has rank 0, expected 1 or more", nil, "shape") end
  same(format("calls %s of %s", op, shape_text(t)))
  local n = t:size(0)
  return distributed(n, t:narrow(0, first_of(n, rank), rows_of(n, rank)):clone())
end

-- Defines mpi.NAME, and a method of distributed tensors, whose bodies run on all ranks.
local function define(name, body)
  mpi[name] = function(...) return together(name, "calls " .. name, nil, body, ...) end
end
local function define_method(name, body)
  methods[name] = function(d, ...)
    check_self(name, d)
    return together(name, call_text(name, d), nil, body, d, ...)
  end
end

----------------------------------------------------------------------------------------------------------- functions

function mpi.rank() return rank end
function mpi.size() return size end
function mpi.sent_bytes() return inner.sent_bytes() end

define("barrier", function() end)

function mpi.bcast(t, root)
  root = root or 0
  return together("bcast", format("calls bcast from rank %s", value_text(root)), nil, function()
    if math.type(root) ~= "integer" or root < 0 or root >= size then
      inner.fail("bcast", "root", format("is %s, expected a rank, 0..%d", value_text(root), size - 1))
    end
    local device = strew.type(t) and t.device
    local head = rank == root and {tensor_of("bcast", "t", t).dtype, table.unpack(t.shape)} or {}
    local dtype, sizes = nil, {}
    for word in string.gmatch(inner.tell(root, table.concat(head, " ")), "%S+") do
      if dtype then table.insert(sizes, math.tointeger(word)) else dtype = word end
    end
    local copy = rank == root and host(t) or scratch(sizes, dtype)
    inner.bcast(copy, root)
    if rank == root then return t end
    return copy:to(device or strew.empty(0).device)
  end)
end

-- The bytes of each rank's state, if it has `bytes`.
local function counts_of(bytes)
  local counts, each = scratch(size, "int64"), {}
  for r = 1, size do each[r] = 1 end
  inner.share(counts, each, strew.tensor({bytes}, {dtype = "int64", device = "cpu"}))
  return counts:tolist()
end

-- Exact sums of all ranks: in each round half of those that are left send their state, and are done.
local function merged(e)
  same(format("calls sum of %d exact sums%s", e.n, e.squares and " with squares" or ""))
  local sum, step = strew.exact_sums(e:state(), {device = "cpu"}), 1
  local state = sum:state()
  while step < size do
    local from, to = rank + step, rank - step
    local sends, takes = rank % (2 * step) == step, rank % (2 * step) == 0 and from < size
    local counts, sent, received = counts_of(sends and #state or 0), {}, {}
    for r = 0, size - 1 do
      sent[r + 1] = sends and r == to and #state or 0
      received[r + 1] = takes and r == from and counts[r + 1] or 0
    end
    local other = scratch(sum_of(received), "uint8")
    inner.exchange(other, received, sends and state or scratch(0, "uint8"), sent)
    if takes then state = sum:merge(strew.exact_sums(other)):state() end
    step = 2 * step
  end
  local bytes = counts_of(#state)[1]
  if rank ~= 0 then state = scratch(bytes, "uint8") end
  inner.bcast(state, 0)
  return strew.exact_sums(state, {device = e.device})
end

-- Each rank adds the parts of all ranks for some of the elements, in rank order.
define("sum", function(t)
  if getmetatable(t) == "exact_sums" then return merged(t) end
  tensor_of("sum", "t", t)
  same(format("calls sum of %s", shape_text(t)))
  if size == 1 then return t:clone() end
  local n, sent, received = t:numel(), {}, {}
  for r = 1, size do sent[r], received[r] = rows_of(n, r - 1), rows_of(n, rank) end
  local parts = scratch({size, rows_of(n, rank)}, t.dtype)
  inner.exchange(parts:view(-1), received, host(t):view(-1), sent)
  local sum = parts:select(0, 0):clone()
  for r = 1, size - 1 do sum:add_(parts:select(0, r)) end
  local whole = scratch(n, t.dtype)
  inner.share(whole, sent, sum)
  return whole:view(t.shape):to(t.device)
end)

define("zeros", function(...)
  local arguments = table.pack(...)
  local sizes = type(arguments[1]) == "table" and {table.unpack(arguments[1])} or arguments
  local n = sizes[1]
  if math.type(n) ~= "integer" or n < 0 then -- strew has the message
    strew.zeros(table.unpack(arguments, 1, arguments.n))
    inner.fail("zeros", "shape", "has rank 0, expected 1 or more", nil, "shape")
  end
  sizes[1] = rows_of(n, rank)
  if sizes ~= arguments then arguments[1] = sizes end
  local d = distributed(n, no_text("zeros", "dtype", strew.zeros(table.unpack(arguments, 1, arguments.n))))
  same(call_text("zeros", d))
  return d
end)

define("distribute", function(t)
  return own_rows("distribute", "t", tensor_of("distribute", "t", t))
end)

define("load", function(path)
  local t = strew.load(path, {map = true, device = "cpu"})
  if strew.type(t) ~= "tensor" then inner.fail("load", "path", "is not a .npy file", nil, "file") end
  local d = own_rows("load", "path", no_text("load", "path", t))
  return distributed(d._rows, d._block:to(strew.empty(0).device))
end)

------------------------------------------------------------------------------------------------------------- methods

-- A handle of its own, which a script may free or view otherwise in place.
function methods.block(d) return check_self("block", d)._block:detach() end

define_method("collect", function(d)
  local whole = scratch(d.shape, d.dtype)
  inner.share(whole, all_rows(d._rows), host(d._block))
  return whole:to(d.device)
end)

-- An index has one dimension, and names rows; or self's rank, and names elements, as in strew's position form.
local function check_index(op, d, index)
  local rank_of_self = d._block:dim()
  if not string.find(index.dtype, "int") and index:numel() > 0 then
    inner.fail(op, "index", format("is %s, expected an integer dtype", index.dtype), 'index:to("int64")', "dtype")
  end
  if index.dtype ~= "int32" then index = index:to "int64" end
  if index:dim() == 0 and rank_of_self == 1 then return index:view(1), false end
  if index:dim() == 1 then return index, false end
  if index:dim() ~= rank_of_self then
    inner.fail(op, "index", format("has rank %d, expected 1, for rows, or self's rank %d, for elements", index:dim(),
      rank_of_self), nil, "shape")
  end
  for k = 1, rank_of_self - 1 do
    if index:size(k) > d._block:size(k) then
      inner.fail(op, "index", format("has size %d in dim %d, self has %d", index:size(k), k, d._block:size(k)), nil,
        "shape")
    end
  end
  return index, true
end

-- src, as large as index is: rows like self's, or elements at index's coordinates.
local function check_src(op, d, index, src, by_element)
  check_device(op, "src", src, d)
  if src.dtype ~= d.dtype then
    local promoted = strew.result_type(src.dtype, d.dtype)
    inner.fail(op, "src", format("is %s, self is %s: dtypes must be equal", src.dtype, d.dtype),
      format(promoted == d.dtype and 'src:to("%s")' or 'self made with {dtype = "%s"}', promoted), "dtype")
  end
  if src:dim() == 0 and d._block:dim() == 1 then src = src:view(1) end
  local fits = src:dim() == d._block:dim()
  for k = 0, fits and src:dim() - 1 or -1 do
    local needed = (by_element or k == 0) and index:size(k) or d._block:size(k)
    fits = fits and (src:size(k) == needed or (by_element or d._block:dim() == 1) and src:size(k) > needed)
    if fits then src = src:narrow(k, 0, needed) end
  end
  if fits then return src end
  local needed = by_element and index.shape or with_rows(index:size(0), d._block)
  inner.fail(op, "src", format("has shape [%s], expected [%s], for index [%s]", table.concat(src.shape, ", "),
    table.concat(needed, ", "), table.concat(index.shape, ", ")), nil, "shape")
end

-- Raises strew's own error for an index value that is out of range; the operand stands for all of self.
local function fail_index(op, d, index, by_element, mode)
  local ones = {}
  for k = 1, d._block:dim() do ones[k] = 1 end
  local options = {dtype = d.dtype, device = d.device}
  local self = d._rows > 0 and strew.zeros(ones, options):expand(d.shape) or strew.zeros(d.shape, options)
  local read = by_element and strew.gather or strew.index_select
  read(self, 0, index, {mode = mode})
  inner.fail(op, "index", "has changed during the call")
end

-- Sorts values, which name some of n rows, by the ranks that have these: the number of values for each rank, their
-- order, and places, the rows in the ranks' blocks, of a dtype that holds rows * width. nil: a value is not valid.
local function split(values, n, mode, width)
  local counts = inner.count(values, n, mode)
  if not counts then return nil end
  local total, is_narrow = sum_of(counts), rows_of(n, 0) * width < 1 << 31
  local order, places = scratch(total, "int64"), scratch(total, is_narrow and "int32" or "int64")
  inner.split(values, n, mode, counts, order, places)
  return counts, order, places
end

-- Sends rows to the ranks that own them; returns what arrives.
local function send(rows, counts, received)
  local arrived = scratch(with_rows(sum_of(received), rows), rows.dtype)
  inner.exchange(arrived, received, rows, counts)
  return arrived
end

-- Tells the ranks what an index names: of how many values each one has the rows, in which order, how many it gets in
-- turn, and in which places.
local function partition(op, d, index, by_element, mode)
  local values, width = host(index:to("int64")):view(-1), by_element and width_of(d._block) or 1
  local counts, order, places = split(values, d._rows, mode, width)
  if not counts then fail_index(op, d, index, by_element, mode) end
  if by_element and width ~= 1 then
    local columns = strew.arange(width, {device = "cpu"}):to(places.dtype):view(with_rows(1, d._block))
    for k = 1, index:dim() - 1 do columns = columns:narrow(k, 0, index:size(k)) end
    columns = columns:expand(index.shape):reshape(-1)
    places:mul_(width):add_(columns:index_select(0, order))
  end
  local received = inner.swap(counts)
  local arrived = send(places, counts, received):to(d.device)
  places:free()
  return counts, order, received, arrived
end

-- A 1-D index of rows, as an index of all of their elements.
local function widened(index, t)
  local sizes = with_rows(index:size(0), t)
  local ones = {table.unpack(sizes)}
  for k = 2, #ones do ones[k] = 1 end
  return index:view(ones):expand(sizes)
end

-- "reduce mean, include_self false": what all ranks must pass alike.
local function options_text(...)
  local parts = {}
  for k = 1, select("#", ...) do
    local option = select(k, ...)
    if type(option) == "string" then table.insert(parts, "reduce " .. option) end
    for key, value in pairs(type(option) == "table" and option or {}) do
      table.insert(parts, key .. " " .. tostring(value))
    end
  end
  table.sort(parts)
  return #parts > 0 and table.concat(parts, ", ") or "no options"
end

local function mode_of(options) return type(options) == "table" and options.mode or "error" end
local function without_mode(options)
  local rest = {}
  for key, value in pairs(options or {}) do rest[key] = value end
  rest.mode = nil
  return rest
end

-- Checks the arguments behind index, by a call of strew without elements.
local function check_options(call, d, ...)
  local sizes = {}
  for k = 1, d._block:dim() do sizes[k] = 0 end
  call(d._block:narrow(0, 0, 0), 0, strew.empty(sizes, {dtype = "int64", device = d.device}), ...)
end

-- strew.NAME (scatter, scatter_add, scatter_reduce) of all of self; returns the new block of this rank.
local function scatter(name, op, d, index, src, ...)
  local call, arguments = strew[name], table.pack(...)
  local at = name == "scatter_reduce" and 2 or 1
  index = tensor_of(op, "index", index)
  local is_number = type(src) == "number" or type(src) == "boolean"
  if not is_number then src = tensor_of(op, "src", src) end
  if is_number then check_options(call, d, src, ...) else check_options(call, d, d._block:narrow(0, 0, 0), ...) end
  check_device(op, "index", index, d)
  local mode = mode_of(arguments[at])
  local by_element
  index, by_element = check_index(op, d, index)
  if not is_number then src = check_src(op, d, index, src, by_element) end
  same(format("calls %s of %s by %s, src %s, %s", op, shape_text(d), by_element and "elements" or "rows",
    is_number and format("%q", src) or "a tensor", options_text(table.unpack(arguments, 1, at))))
  local block = d._block
  if size == 1 then
    if by_element or block:dim() == 1 then return call(block, 0, index, src, ...) end
    local values = host(index:to("int64"))
    if not inner.count(values, d._rows, mode) then fail_index(op, d, index, false, mode) end
    return call(block, 0, widened(index, block), src, ...)
  end
  local counts, order, received, places = partition(op, d, index, by_element, mode)
  if not is_number then
    local rows = host(by_element and src:reshape(-1) or src):index_select(0, order)
    src = send(rows, counts, received):to(d.device)
    rows:free()
  end
  order:free()
  arguments[at] = without_mode(arguments[at])
  local target = by_element and block:view(-1) or block
  local result = call(target, 0, widened(places, target), src, table.unpack(arguments, 1, math.max(at, arguments.n)))
  return result:view(block.shape)
end

for _, name in ipairs{"scatter", "scatter_add", "scatter_reduce"} do
  methods[name .. "_"] = function(d, index, src, ...)
    local op = name .. "_"
    check_self(op, d)
    together(op, call_text(op, d), d._block, scatter, name, op, d, index, src, ...)
    return d
  end
  methods[name] = function(d, index, src, ...)
    check_self(name, d)
    return distributed(d._rows, together(name, call_text(name, d), nil, scatter, name, name, d, index, src, ...))
  end
end

define_method("gather", function(d, index, options)
  index = tensor_of("gather", "index", index)
  check_options(strew.gather, d, options)
  check_device("gather", "index", index, d)
  local mode, shape = mode_of(options), index.shape
  local by_element
  index, by_element = check_index("gather", d, index)
  same(format("calls gather of %s by %s, %s", shape_text(d), by_element and "elements" or "rows", mode))
  local block = d._block
  if size == 1 then
    local read = by_element and strew.gather or strew.index_select
    local found = read(block, 0, index, {mode = mode})
    return #shape == 0 and found:view(shape) or found
  end
  local counts, order, received, places = partition("gather", d, index, by_element, mode)
  local target = by_element and block:view(-1) or block
  local values = send(host(target:index_select(0, places)), received, counts)
  local sorted = strew.zeros(with_rows(index:numel(), values), {dtype = d.dtype, device = "cpu"})
  sorted:index_copy_(0, order, values)
  if by_element or #shape == 0 then sorted = sorted:view(shape) end
  return sorted:to(d.device)
end)

----------------------------------------------------------------------------------------------------- groups by keys

-- A grouping is {_of = {n, ids, counts, positions, keys}}; a script gets handles of its own.
local group_methods, group_meta = {}, {}
function group_meta.__index(g, name)
  if group_methods[name] then return group_methods[name] end
  local value = rawget(g, "_of")[name]
  if strew.type(value) == "tensor" then return value:detach() end
  if type(value) == "table" then
    local keys = {}
    for i, key in ipairs(value) do keys[i] = key:detach() end
    return keys
  elseif value ~= nil then
    return value
  end
  inner.fail("mpi", nil, format("a distributed grouping has no '%s'", name_text(name)),
    "it has n, ids, counts, positions, keys and agg")
end
group_meta.__name = "distributed grouping"

-- The same number to all ranks; returns those of all ranks.
local function numbers(x)
  local counts = {}
  for r = 1, size do counts[r] = x end
  return inner.swap(counts)
end

-- The sum of the entries before this rank's.
local function before(counts)
  local sum = 0
  for r = 1, rank do sum = sum + counts[r] end
  return sum
end

-- All ranks' rows, in rank order, on all ranks.
local function gathered(t, counts)
  local whole = scratch(sum_of(counts), t.dtype)
  inner.share(whole, counts, host(t))
  return whole
end

local function inverse(order)
  return scratch(#order, "int64"):scatter_(0, order, strew.arange(#order, {device = "cpu"}))
end

-- Numbers the distinct keys of all ranks. columns: for each key a tensor of all ranks' distinct keys; first: the
-- position of each in the whole. Returns the number of each key, and the order of the keys.
local function number(columns, first, order)
  if order == "first" then
    local by_position = first:argsort()
    return inverse(by_position), by_position
  end
  local ids = strew.group_by(columns).ids
  return ids, inverse(ids)
end

local function group_by(keys, options)
  local dtypes = {}
  for i, key in ipairs(keys) do keys[i] = tensor_of("group_by", format("keys[%d]", i), key) end
  local order = type(options) == "table" and options.order or "sorted"
  local own, none = strew.group_by(keys, {order = "first"}), {}
  for i, key in ipairs(keys) do dtypes[i], none[i] = key.dtype, key:narrow(0, 0, 0) end
  strew.group_by(none, options) -- checks the options
  same(format("calls group_by of %s, order %s", table.concat(dtypes, ", "), order))
  -- Each distinct key goes to its owner, with its first position in the whole and its count.
  local m, sent = own.n, {}
  for i, key in ipairs(own.keys) do sent[i] = host(key) end
  local columns = #sent
  table.insert(sent, host(own.positions) + before(numbers(own.length)))
  table.insert(sent, host(own.counts))
  local owners = scratch(m, "int64")
  inner.owners(owners, table.unpack(sent, 1, columns))
  local counts, to_owner = split(owners, size, "error", 1)
  local received, arrived = inner.swap(counts), {}
  for i, t in ipairs(sent) do arrived[i] = send(t:index_select(0, to_owner), counts, received) end
  local owned = strew.group_by({table.unpack(arrived, 1, columns)}, {order = "first"})
  -- Every rank receives the distinct keys of all owners, and numbers them.
  local owned_counts, all = numbers(owned.n), {}
  for i = 1, columns do all[i] = gathered(owned.keys[i], owned_counts) end
  local first = gathered(arrived[columns + 1]:index_select(0, owned.positions), owned_counts)
  local all_counts = gathered(strew.scatter_sum(arrived[columns + 2], owned), owned_counts)
  local ids, by_number = number({table.unpack(all, 1, columns)}, first, order)
  -- The numbers go back to the ranks that asked.
  local answers = ids:narrow(0, before(owned_counts), owned.n):index_select(0, owned.ids)
  local own_ids = scratch(m, "int64"):index_copy_(0, to_owner, send(answers, received, counts))
  local device, g = keys[1].device, {n = #ids, keys = {}}
  for i = 1, columns do g.keys[i] = all[i]:index_select(0, by_number):to(device) end
  g.ids = own_ids:index_select(0, host(own.ids)):to(device)
  g.positions = first:index_select(0, by_number):to(device)
  g.counts = all_counts:index_select(0, by_number):to(device)
  return setmetatable({_of = g}, group_meta)
end

define("group_by", function(...)
  local keys, options = table.pack(...), nil
  local last = keys[keys.n]
  if keys.n > 1 and type(last) == "table" and getmetatable(last) ~= meta then
    options, keys[keys.n] = last, nil
  end
  if keys.n == 0 then inner.fail("group_by", "keys", "is missing") end
  for i = 1, keys.n - (options and 1 or 0) do
    if keys[i] == nil then tensor_of("group_by", format("keys[%d]", i), nil) end
  end
  keys.n = nil
  return group_by(keys, options)
end)

-- The entries of agg by name: {word, src or nil, options by name}; and a text of all but the tensors.
local function read_entries(what)
  if type(what) ~= "table" then inner.fail("agg", "what", format("is %s, expected a table", value_text(what))) end
  local names, entries, texts = {}, {}, {}
  for name in next, what do
    if type(name) ~= "string" then
      inner.fail("agg", "what", format("has key %s, expected names of the result's columns", value_text(name)))
    end
    table.insert(names, name)
  end
  table.sort(names)
  for i, name in ipairs(names) do
    local entry, options = {}, {}
    for key, value in next, type(what[name]) == "table" and what[name] or {what[name]} do entry[key] = value end
    if entry[2] ~= nil then entry[2] = tensor_of("agg", "what", entry[2]) end
    for key, value in next, entry do
      if type(key) == "string" then table.insert(options, key .. "=" .. tostring(value)) end
    end
    table.sort(options)
    entries[name] = entry
    texts[i] = table.concat({name, tostring(entry[1]), entry[2] and entry[2].dtype or "-", table.unpack(options)}, " ")
  end
  return names, entries, table.concat(texts, ", ")
end

-- Each rank has a block of the groups, and all elements of these; kept after the first call.
local function place(g)
  local placed = rawget(g, "_placed")
  if placed then return placed end
  local of = rawget(g, "_of")
  local counts, order, places = split(host(of.ids), of.n, "error", 1)
  local received = inner.swap(counts)
  local ids = send(places, counts, received)
  placed = {counts = counts, order = order, received = received}
  placed.grouping = strew.grouping(ids, {dim_size = rows_of(g.n, rank)})
  rawset(g, "_placed", placed)
  return placed
end

function group_methods.agg(g, what)
  if getmetatable(g) ~= group_meta then
    inner.fail("agg", "self", format("is %s, expected a distributed grouping", value_text(g)), "use g:agg{...}")
  end
  return together("agg", format("calls agg of %d groups", g.n), nil, function()
    local names, entries, text = read_entries(what)
    local of, result, columns = rawget(g, "_of"), {}, {}
    for i, key in ipairs(of.keys) do
      columns[i] = #of.keys == 1 and "key" or "key" .. i
      result[columns[i]] = key:clone()
      if entries[columns[i]] then inner.fail("agg", "what", format('has the name of a key, "%s"', columns[i])) end
    end
    for _, name in ipairs(names) do
      local src = entries[name][2]
      if src and (src:dim() ~= 1 or #src ~= #of.ids) then
        inner.fail("agg", "what", format('has a tensor of shape [%s] at key "%s", expected [%d]',
          table.concat(src.shape, ", "), name, #of.ids), nil, "shape")
      elseif src then
        check_device("agg", "what", src, of.ids)
      end
    end
    same(format("calls agg of %s", text))
    local placed, arrived = place(g), {}
    for _, name in ipairs(names) do
      local src = entries[name][2]
      if src and not arrived[src] then
        arrived[src] = send(host(src):index_select(0, placed.order), placed.counts, placed.received)
      end
      if src then entries[name][2] = arrived[src] end
    end
    local own = placed.grouping:agg(entries)
    for _, name in ipairs(names) do
      result[name] = gathered(own[name], all_rows(g.n)):to(of.ids.device)
      table.insert(columns, name)
    end
    return strew.columns(result, columns)
  end)
end

return mpi
