-- Whole error messages: tests/data/errors.txt has a mistake and its message in each entry.
local strew = require "strew"
local support = dofile "tests/spec/support.lua"

-- The names that chunks may use: new tensors for each.
local function operands()
  local t = {
    t = strew.tensor{{1.0, 2}, {3, 4}, {5, 6}}, src = strew.tensor{{1.0, 2}, {3, 4}},
    row = strew.tensor{1.0, 2, 3}, half = strew.tensor({1, 2, 3}, "float16"),
    v = strew.tensor{1, 2, 3}, zero = strew.tensor{1, 0, 3}, bytes = strew.tensor({1, 2, 3}, "uint8"),
    flags = strew.tensor{true, false, true}, none = strew.zeros(0),
    grown = strew.tensor{{1.0, 2}}:expand(3, 2), freed = strew.ones(2),
    index = strew.tensor{{0, 2}, {1, 0}}, at = strew.tensor{0, 2, 2},
    empty = strew.zeros(0, 5, {dtype = "float16"}), -- an empty index may be of any dtype
  }
  t.freed:free()
  return t
end

local function texts(tensors)
  local result = {}
  for name, tensor in pairs(tensors) do result[name] = name == "freed" and tostring(tensor) or support.text(tensor) end
  return result
end

-- "= code value at [position]"
local function last_line(detail)
  local value = detail.value == nil and "" or " " .. support.number(detail.value):gsub("-nan", "nan")
  local position = detail.pos and " at [" .. table.concat(detail.pos, ", ") .. "]" or ""
  return "= " .. detail.code .. value .. position
end

-- The parts that last_error() returns occur in the message.
local function agrees(detail)
  local start = detail.op .. ": " .. (detail.arg and "'" .. detail.arg .. "'" or "")
  if detail.op == "t[i]" and not detail.arg then start = "tensor has no '" end
  if detail.op == "strew[name]" then start = "strew has no '" end
  return detail.message:sub(1, #start) == start and detail.message:match("\n  hint +([^\n]*)$") == detail.hint
end

local function run(code)
  local tensors = operands()
  local before = texts(tensors)
  local environment = setmetatable({strew = strew}, {__index = tensors})
  local f = load("return " .. code, "=chunk", "t", environment) or assert(load(code, "=chunk", "t", environment))
  local ok, message = pcall(f)
  if ok then return "> " .. code .. "\nno error" end
  local detail = strew.last_error()
  assert.same(before, texts(tensors), code)
  assert.is_true(agrees(detail), code)
  assert.equal("chunk:1: " .. detail.message, message, code)
  return ("> %s\n%s\n%s"):format(code, support.on_cpu(detail.message), last_line(detail))
end

describe("errors of", function()
  local section
  for line in io.lines "tests/data/errors.txt" do
    if line:match "^# " then
      section = {}
      local blocks = section
      it(line:sub(3), function()
        for _, block in ipairs(blocks) do
          local expected = table.concat(block, "\n")
          local is = run(block[1]:sub(3))
          if support.lacks_float64 then -- hints name what the device has, and in which a new result is
            expected = expected:gsub(':to%("float64"%)', ':to("float32")')
              :gsub('(self is float32: .*hint +other:to%("float32"%)), self:to%("float32"%)', "%1")
              :gsub("('other' is float32, .*hint +)other:to%(\"float32\"%), ", "%1")
              :gsub('(of float32\n.*:to%("float32"%) holds it)',
                "%1; without the underscore the result is a new tensor")
          end
          local is_left_out = support.lacks_float64 and block[1]:find("float64", 1, true)
          if is ~= expected and not is_left_out then error(("is\n%s\ndue\n%s"):format(is, expected), 0) end
        end
      end)
    elseif line:match "^> " then
      section[#section + 1] = {line}
    elseif section and line ~= "" then
      table.insert(section[#section], line)
    end
  end

  it("memory", function()
    -- a device has limits of its own, and 32 bits cannot address this
    if strew.zeros(1).device ~= "cpu" or string.packsize "T" < 8 then return end
    local message = support.message(strew.empty, 2 ^ 25, 2 ^ 25)
    assert.matches("^empty: out of memory: 4194304 GiB\n"
      .. "  hint  [%d.]+ %w+ in use by tensors, the machine has [%d.]+ [MG]iB; "
      .. "free tensors or work in smaller chunks$",
      message)
    assert.equal("memory", strew.last_error().code)
    -- of an inner call: with the arguments of the outer one
    message = support.message(strew.softmax, strew.zeros(1):expand(2 ^ 50), 0)
    assert.matches("^softmax: out of memory: 4194304 GiB\n  self  float32%[1125899906842624%] cpu\n", message)
  end)

  it("quote the end of a long word, so that the known ones follow", function()
    local long = ("x"):rep(1000)
    for _, call in ipairs {
      {"dtype", "[%w ]+ float32", function() strew.ones(1, {dtype = long}) end},
      {"device", "no such device; available: ", function() strew.ones(1, {device = long}) end},
      {"mode", "[%w ]+ error", function() strew.tensor{1}:gather(0, strew.tensor{0}, {mode = long}) end},
    } do
      local name, known, f = table.unpack(call)
      local ok, message = pcall(f)
      assert.is_false(ok)
      assert.truthy(message:find("'" .. name .. "' is \"%.%.%.x+\", " .. known), message)
    end
  end)
end)
