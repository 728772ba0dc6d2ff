-- Calls of every family, so that a device builds its kernels: see scripts/compile_kernels.sh.
-- usage: build/strew -d opencl scripts/kernel_calls.lua [DTYPE...]
local strew = require "strew"
local dtypes = #arg > 0 and arg or {"float32", "float64", "int64", "float16"}
local made, failed = 0, {}

local function try(name, call, ...)
  local ok, message = pcall(call, ...)
  made = made + 1
  if not ok then failed[#failed + 1] = name .. ": " .. tostring(message):match("[^\n]*") end
end

local function values(dtype, ...)
  if dtype:find("float") then return strew.rand({...}, {dtype = dtype}) end
  return strew.randint(1, dtype == "int64" and 1 << 40 or 100, {...}, {dtype = dtype})
end

local function elementwise(dtype)
  local a, b, row = values(dtype, 50, 40), values(dtype, 50, 40), values(dtype, 40)
  for _, op in ipairs{"add", "sub", "mul", "div", "floor_divide", "remainder", "pow", "minimum", "lt"} do
    try(op, strew[op], a, b)
  end
  try("add", strew.add, a, row)
  try("add", strew.add, a:t(), 3)
  for _, op in ipairs{"neg", "abs", "exp", "log", "sqrt", "rsqrt", "sin", "cos", "tanh", "sigmoid", "relu", "floor",
                      "ceil", "round", "logical_not"} do
    try(op, strew[op], a)
  end
  try("where", strew.where, a:lt(b), a, b)
  try("clamp", strew.clamp, a, 1, 2)
  for _, other in ipairs{"float16", "int64", "bool"} do try("to", a.to, a, other) end
  try("mixed", strew.add, a, strew.randint(1, 9, {50, 40}):to("int32"))
end

local function reductions(dtype)
  for _, shape in ipairs{{300, 200}, {3, 70000}, {70000, 3}} do
    local t = values(dtype, table.unpack(shape))
    local ops = {"sum", "amin", "argmax"}
    if dtype:find("float") then ops = {"sum", "amin", "argmax", "mean", "var"} end
    for _, op in ipairs(ops) do
      try(op, function() t[op](t) end)
      for dim = 0, #shape - 1 do try(op, function() t[op](t, dim) end) end
    end
    for dim = 0, #shape - 1 do try("cumsum", t.cumsum, t, dim) end
  end
end

local function sorts(dtype)
  for _, shape in ipairs{{5}, {1000}, {50000}, {30, 100}, {3, 9000}, {9000, 3}} do
    local t = values(dtype, table.unpack(shape))
    try("sort", t.sort, t)
    try("sort", t.sort, t, 0, true)
    try("topk", t.topk, t, 3)
    try("nonzero", t.nonzero, t)
    try("unique", t.unique, t)
  end
end

local function scatters(dtype)
  for _, sizes in ipairs{{20, 100}, {100, 30000}, {100000, 300000}} do
    local places, count = sizes[1], sizes[2]
    for _, kind in ipairs{"int64", "int32"} do
      local index = strew.randint(0, places, {count}):to(kind)
      local src, self = values(dtype, count), values(dtype, places)
      local rows, wide = values(dtype, count // 10, 16), values(dtype, places, 16)
      local row_index = strew.randint(0, places, {count // 10, 1}):to(kind):expand(count // 10, 16)
      for _, reduce in ipairs{"sum", "mean", "amax"} do
        try("scatter_reduce", strew.scatter_reduce, self, 0, index, src, reduce)
        try("scatter_reduce", strew.scatter_reduce, wide, 0, row_index, rows, reduce)
      end
      try("scatter", strew.scatter, self, 0, index, src)
      try("scatter", strew.scatter, self, 0, index, 1, {mode = "wrap"})
      try("scatter_max", strew.scatter_max, src, index)
      try("sorted", strew.scatter_add, self, 0, index:to("int64"):sort(), src)
      try("gather", strew.gather, self, 0, index)
      try("gather", strew.gather, wide, 0, row_index)
    end
  end
end

local function others(dtype)
  local opts = {dtype = dtype}
  if dtype:find("float") then
    try("rand", strew.rand, 1000, opts)
    try("randn", strew.randn, 1000, opts)
  end
  try("randint", strew.randint, 0, 9, {1000}, opts)
  try("arange", strew.arange, 0, 100, 1, opts)
  try("linspace", strew.linspace, 0, 1, 100)
  local a, b = values(dtype, 130, 70), values(dtype, 70, 90)
  try("matmul", strew.matmul, a, b)
  try("matmul", strew.matmul, a, b:t():contiguous():t())
  try("mv", strew.mv, a, values(dtype, 70))
  try("dot", strew.dot, values(dtype, 7000), values(dtype, 7000))
end

for _, dtype in ipairs(dtypes) do
  for _, family in ipairs{elementwise, reductions, sorts, scatters, others} do family(dtype) end
end
table.sort(failed)
print(("%d calls, %d failed"):format(made, #failed))
for i, message in ipairs(failed) do
  if message ~= failed[i - 1] then print("  " .. message) end
end
