-- Results that PyTorch gives for its own sample inputs: tests/data/samples.lua. Each name of the family has rows.
local strew = require "strew"
local support = dofile "tests/spec/support.lua"

local words = {nan = 0 / 0, inf = 1 / 0, ["-inf"] = -1 / 0}
local lacks_float64 = not pcall(strew.zeros, 1, {dtype = "float64"})

-- On devices, which compile slowly, and for slow tools: one row of each name.
local is_brief = not support.runs_all

-- Returns the tensor that a text describes; nil for other texts.
local function tensor_of(text)
  local dtype, sizes, strides, rest = text:match "^(%l+%d*)%[([%d,]*):?([%d,]*)%](.*)$"
  if not dtype then return nil end
  local function integers(list)
    local out = {}
    for digits in list:gmatch "%d+" do table.insert(out, math.tointeger(digits)) end
    return out
  end
  local elements = {}
  for word in rest:gmatch "%S+" do
    local number = words[word] or tonumber(word)
    table.insert(elements, dtype == "bool" and number == 1 or dtype ~= "bool" and number)
  end
  if #elements == 0 then return strew.zeros(integers(sizes), {dtype = dtype}) end
  local memory = strew.tensor(elements, {dtype = dtype})
  if strides == "" then return memory:view(integers(sizes)) end
  return memory:as_strided(integers(sizes), integers(strides), 0)
end

-- Returns a value with tensors in place of the texts that describe them.
local function built(value)
  if type(value) == "string" then return tensor_of(value) or value end
  if type(value) ~= "table" then return value end
  local copy = {}
  for key, part in pairs(value) do copy[key] = built(part) end
  return copy
end

-- True if a value has a word in one of its texts.
local function has(value, word)
  if type(value) ~= "table" then return type(value) == "string" and value:find(word, 1, true) ~= nil end
  for _, part in pairs(value) do
    if has(part, word) then return true end
  end
  return false
end

-- The results of these have another last digit elsewhere: functions, and sums in another order.
local tolerance = {float32 = 0x1p-20, float64 = 0x1p-48, float16 = 0x1p-9, bfloat16 = 0x1p-6}
local is_near = {}
for name in ([[log2 log10 log1p expm1 pow var std logsumexp softmax log_softmax scatter_var scatter_std
  scatter_logsumexp scatter_softmax scatter_log_softmax]]):gmatch "%S+" do
  is_near[name] = true
end

local function differs(got, expected, room)
  if expected ~= expected then return got == got end
  if got == expected then return type(got) == "number" and room == 0 and 1 / got ~= 1 / expected end
  if type(got) == "boolean" then return true end
  local gap = math.abs(got - expected)
  return not (gap <= room * math.max(1, math.abs(expected)) and gap < math.huge)
end

local function same(name, got, expected)
  assert.equal(expected.dtype, got.dtype)
  assert.same(expected.shape, got.shape)
  local a, b = got:reshape(-1):tolist(), expected:reshape(-1):tolist()
  local room = is_near[name] and tolerance[got.dtype] or 0
  for i = 1, expected:numel() > 0 and #b or 0 do
    if differs(a[i], b[i], room) then error(("element %d is %s, expected %s"):format(i - 1, a[i], b[i]), 0) end
  end
end

-- Calls f with a row's arguments, and checks whether it fails; returns its results.
local function call(f, row)
  for tensor, before in pairs(row.written) do tensor:copy_(before) end -- what the call before wrote
  local got = table.pack(pcall(f, table.unpack(row.args)))
  if got[1] ~= (row.results ~= nil) then error(got[1] and "it should fail" or got[2], 0) end
  return {table.unpack(got, 2, row.results and got.n or 1)}
end

-- Tries all forms of a call: function, method, in place.
local function try(row)
  local name, self, expected = row.name, row.args[1], row.results or {}
  local function check(got)
    assert.equal(#expected, #got)
    for i, tensor in ipairs(expected) do same(name, got[i], tensor) end
  end
  check(call(strew[name], row))
  if not strew.type(self) then return end
  if row.before then same("clone", self, row.before) end
  check(call(self[name], row))
  if not row.inplace then return end
  call(row.inplace, row)
  same(name, self, expected[1] or row.before)
end

-- Builds the tensors of a row. Its function in place is wanted if the result fits self.
local function prepared(texts)
  local row = {name = texts[1], args = built(texts[2]), results = texts[3] and built(texts[3]), written = {}}
  local self, options = row.args[1], row.args[#row.args]
  if type(options) == "table" and options.out then row.written[options.out] = options.out:clone() end
  if not strew.type(self) or row.name == "scatter" and strew.type(row.args[2]) then return row end
  row.before = self:clone()
  local result = row.results and row.results[1] or self
  if result.dtype == self.dtype and table.concat(result.shape, ",") == table.concat(self.shape, ",") then
    row.inplace = rawget(strew, row.name .. "_")
    if row.inplace then row.written[self] = row.before end
  end
  return row
end

-- The names of the scatter family.
local function family()
  local names = {}
  for _, group in ipairs(debug.getregistry()["strew.help"]().groups) do
    if group.title:find "^Scatter by " or group.title:find "^Segments" or group.title:find "^Selecting,"
      or group.title == "Writing by index" then
      for _, entry in ipairs(group.entries) do
        if entry.kind == "function" then table.insert(names, entry.name) end
      end
    end
  end
  return names
end

local rows, names = {}, {}
for _, texts in ipairs(dofile "tests/data/samples.lua") do
  local name = texts[1]
  if not rows[name] then
    rows[name] = {}
    table.insert(names, name)
  end
  if not (is_brief and rows[name][1] or lacks_float64 and has(texts, "float64")) then
    table.insert(rows[name], prepared(texts))
  end
end

describe("samples of", function()
  for k, name in ipairs(names) do
    it(name, function()
      if not support.is_tried(k) then return end
      for i, row in ipairs(rows[name]) do
        local ok, message = pcall(try, row)
        if not ok then error(("row %d of %s: %s"):format(i, name, tostring(message)), 0) end
      end
    end)
  end

  it("every name of the family", function()
    local list = family()
    assert.is_true(#list >= 60)
    for _, name in ipairs(list) do assert.is_not_nil(rows[name], name .. " has no row in tests/data/samples.lua") end
  end)
end)
