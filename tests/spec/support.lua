-- Shared by the specs.
local strew = require "strew"

local support = {}

-- A message as on the CPU without other devices: $STREW_DEVICE may name one.
local default = strew.zeros(1).device
function support.on_cpu(message)
  message = message:gsub("(available: cpu)[;,] [^\n]*", "%1")
  return default == "cpu" and message or (message:gsub("(%]) " .. default:gsub("%p", "%%%0") .. "%f[ \n\0]", "%1 cpu"))
end

-- True if case i is tried: on another device than the CPU, one in $STREW_TEST_THIN (testing.h).
local thinning = default ~= "cpu" and tonumber(os.getenv "STREW_TEST_THIN") or 1
function support.is_tried(i) return i % thinning == 0 end

-- True if all random cases are drawn: on the CPU, without $STREW_TEST_FEW (testing.h).
support.runs_all = default == "cpu" and not os.getenv "STREW_TEST_FEW"

-- True if the default device lacks float64. Cases with it are left out there.
support.lacks_float64 = not pcall(strew.zeros, 1, {dtype = "float64"})

-- The number of bytes copied from the default device so far.
function support.read_bytes()
  for _, one in ipairs(strew.devices()) do
    if one.name == default then return one.read_bytes end
  end
end

-- A number as Lua 5.4 writes it: 5.5 writes the digits that tell all floats apart.
function support.number(x)
  if math.type(x) ~= "float" then return tostring(x) end
  local text = ("%.14g"):format(x)
  return text:find "^-?%d+$" and text .. ".0" or text
end

-- The elements of a tensor (or a value that is none) as one line: "int64[2] {0, 1}".
function support.text(x)
  local function list(value)
    if value ~= value then return "nan" end -- whatever its sign
    if type(value) ~= "table" then return support.number(value) end
    local parts = {}
    for i, part in ipairs(value) do parts[i] = list(part) end
    return "{" .. table.concat(parts, ", ") .. "}"
  end
  if strew.type(x) ~= "tensor" then return support.number(x) end
  return ("%s[%s] %s"):format(x.dtype, table.concat(x.shape, ", "), list(x:tolist()))
end

-- Writes bytes to a file; reads them.
function support.put(path, bytes)
  local file <close> = assert(io.open(path, "wb"))
  file:write(bytes)
end

function support.get(path)
  local file <close> = assert(io.open(path, "rb"))
  return file:read("a")
end

-- The maximum memory of this process so far; 0 if the system does not report it.
function support.peak_kib()
  local file <close> = io.open("/proc/self/status")
  return file and tonumber(file:read("a"):match("VmHWM:%s*(%d+)")) or 0
end

-- All results of a function, as text.
function support.texts(f, ...)
  local results = table.pack(f(...))
  for i = 1, results.n do results[i] = support.text(results[i]) end
  return table.concat(results, "; ")
end

-- The error message of a function, without "file:line: " before it.
function support.message(f, ...)
  local ok, message = pcall(f, ...)
  if ok then return "no error" end
  return support.on_cpu((tostring(message):gsub("^[^\n]-:%d+: ", "")))
end

-- The output of a Lua chunk in a process of its own, errors and warnings included.
function support.output(chunk, environment, options)
  local lua = "lua" .. _VERSION:match "%d%.%d"
  local command = ("%s %s %s -e '%s' 2>&1"):format(environment or "", lua, options or "", chunk)
  local pipe <close> = assert(io.popen(command))
  return pipe:read("a")
end

-- For each row {code, expected}: the code, an expression that may use the names of `environment`, gives that text.
function support.evaluate(rows, environment)
  for _, row in ipairs(rows) do
    local code, expected = row[1], row[2]
    local f = assert(load("return " .. code, code, "t", setmetatable(environment, {__index = _G})))
    local ok, text = pcall(support.texts, f)
    if text ~= expected then
      error(("%s\n  gives    %s%s\n  expected %s"):format(code, ok and "" or "error ", text, expected), 2)
    end
  end
end

-- For each row {code, message}: the code, a chunk, fails with exactly that message.
-- shorten: if given, its result for the message is compared.
function support.fail(rows, environment, shorten)
  for _, row in ipairs(rows) do
    local code, expected = row[1], row[2]
    local f = assert(load(code, code, "t", setmetatable(environment, {__index = _G})))
    local message = support.message(f)
    if shorten then message = shorten(message) end
    if message ~= expected then
      error(("%s\n  fails with\n%s\n  expected\n%s"):format(code, message, expected), 2)
    end
  end
end

return support
