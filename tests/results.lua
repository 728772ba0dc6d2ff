-- results.lua: the codes of scripts/reference/coming_from.lua, and their results as text: dtype and elements, at most
-- six digits. coming_from_peers.py writes those of other libraries alike.
local strew = require "strew"
local results = {}

local function number(x)
  if type(x) == "string" then return x end
  if x ~= x then return "nan" end -- whatever its sign
  return math.type(x) == "float" and ("%.6g"):format(x) or tostring(x)
end

local function list(values, write)
  local parts = {}
  for i, value in ipairs(values) do parts[i] = write(value) end
  return "{" .. table.concat(parts, ", ") .. "}"
end

local function elements(value) return type(value) == "table" and list(value, elements) or number(value) end

local function columns(x)
  local parts = {}
  for name, column in pairs(x) do table.insert(parts, ("%s = %s"):format(name, results.text(column))) end
  table.sort(parts)
  return "{" .. table.concat(parts, ", ") .. "}"
end

-- A tensor, a table of columns, a sequence, a number or another value.
function results.text(x)
  if strew.type(x) == "tensor" then return x.dtype .. " " .. elements(x:tolist()) end
  if type(x) == "table" then return (rawget(x, 1) == nil and columns or list)(x, results.text) end
  return math.type(x) == "float" and x == x // 1 and ("%.1f"):format(x) or number(x)
end

-- Returns the chunk of a code that ends in an expression, the shortest one, and the lines before the expression.
function results.chunk(code)
  local lines = {}
  for line in (code .. "\n"):gmatch "([^\n]*)\n" do table.insert(lines, line) end
  for i = #lines, 1, -1 do
    local before, last = table.concat(lines, "\n", 1, i - 1), table.concat(lines, "\n", i)
    local chunk = load(("local strew = ...\n%s\nreturn %s"):format(before, last), "=" .. last, "t")
    if chunk then return chunk, before end
  end
  return error("no expression ends " .. code)
end

function results.of(code)
  local values = table.pack(results.chunk(code)(strew))
  for i = 1, values.n do values[i] = results.text(values[i]) end
  return table.concat(values, "; ")
end

return results
