-- Ten questions to a table: the group-by questions of the db-benchmark, each answered by one grouping, and checked
-- against plain Lua on a sample of the groups. usage: questions.lua [FOLDER] [ROWS], a million by default
local strew = require "strew"
local common = dofile((arg and arg[0] or ""):gsub("[^/]*$", "common.lua"))
local ten = dofile(common.here .. "ten.lua")

local rows = 1000000
for _, word in ipairs(arg or {}) do rows = math.tointeger(tonumber(word)) or rows end

local x, on = ten.data(rows), {}
print(x)
local answers = {}

local function on_device(device)
  local tensors = {}
  for k, name in ipairs(ten.names) do tensors[k] = x[name]:to(device) end
  return ten.table(tensors, x.words)
end

local function compute(device)
  on[device] = on[device] or on_device(device)
  local results = {}
  for q, question in ipairs(ten.questions) do
    local start = strew.clock()
    local answer = question.answer(on[device], strew.group_by(on[device], question.keys))
    if device == "cpu" then answers[q] = {answer, (strew.clock() - start) * 1e3} end
    for _, name in ipairs(strew.columns(answer)) do table.insert(results, answer[name]) end
  end
  return results
end
common.on_devices(compute, "float64")

-- True if a column of the answer, at some rows, has the plain loop's value or values.
local function is_same(column, at, expected)
  local list = type(expected) == "table" and expected or {expected}
  for k, value in ipairs(list) do
    local found = column[at + k - 1]
    if found ~= value and not (found ~= found and value ~= value)
      and math.abs(found - value) > 1e-9 * math.max(math.abs(value), 1) then return false end
  end
  return true
end

-- Compares one row of an answer with a plain loop over the rows of its group.
local function is_right(question, answer, at)
  local mask
  for _, key in ipairs(question.keys) do
    local is_key = x[key]:eq(answer[key][at])
    mask = mask and mask & is_key or is_key
  end
  local group, v = strew.rows(x, mask), {}
  for _, name in ipairs{"v1", "v2", "v3"} do v[name] = group[name]:tolist() end
  for name, expected in pairs(question.plain(v)) do
    if not is_same(answer[name], at, expected) then return false end
  end
  return true
end

print(("%-36s %10s %9s"):format("question", "rows", "ms"))
local right, sample = 0, 5
for q, question in ipairs(ten.questions) do
  local answer, ms = table.unpack(answers[q])
  local n = #answer[question.keys[1]]
  print(("%-36s %10d %9.3f"):format(question.title, n, ms))
  for k = 0, sample - 1 do
    local at = n * k // sample
    if question.title:find "largest two" then -- the first row of a group
      local id = answer.id6
      while at > 0 and id[at - 1] == id[at] do at = at - 1 end
    end
    if is_right(question, answer, at) then right = right + 1 end
  end
end
print(answers[3][1])
common.check("groups as plain Lua finds them", right, #ten.questions * sample)
common.check("rows in all groups", answers[10][1].count:sum():item(), rows)
common.finish()
