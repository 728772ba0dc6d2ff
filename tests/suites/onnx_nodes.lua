-- usage: strew tests/suites/onnx_nodes.lua FOLDER [NAME]
--        strew tests/suites/onnx_nodes.lua pack FOLDER FILE   (names of cases on standard input)
-- Runs ONNX's node tests by scripts/hosts/onnx.lua: a folder for each case, with a model, inputs and expected outputs.
-- A case is covered if strew has its operators and dtypes. It passes if dtypes, shapes and integers are equal, floats
-- within ONNX's own tolerances. pack writes cases into one file, as tests/spec/onnx_spec.lua reads it.
local onnx = assert(loadfile "scripts/hosts/onnx.lua")()
local nodes = {}
local RELATIVE, ABSOLUTE = 1e-3, 1e-7 -- those of onnx.backend.test

local function content(path)
  local file = io.open(path, "rb")
  if not file then return nil end
  local bytes <close> = file
  return bytes:read "a"
end

local function files(folder, name)
  local list = {}
  repeat
    list[#list + 1] = content(("%s/test_data_set_0/%s_%d.pb"):format(folder, name, #list))
  until #list == 0 or not content(("%s/test_data_set_0/%s_%d.pb"):format(folder, name, #list))
  return list
end

function nodes.from_folder(folder)
  return {model = content(folder .. "/model.onnx"), inputs = files(folder, "input"), outputs = files(folder, "output")}
end

-- ---------------------------------------------------------------------------------------------------------- comparing

local function is_close(a, b)
  if a == b or a ~= a and b ~= b then return true end
  return math.abs(b) < math.huge and math.abs(a - b) <= ABSOLUTE + RELATIVE * math.abs(b)
end

-- Nil, or how a result differs from what is expected: tensors or sequences of them.
local function difference(got, expected)
  if type(expected) == "table" then
    if type(got) ~= "table" or #got ~= #expected then return "another length of the sequence" end
    for i, one in ipairs(expected) do
      local differs = difference(got[i], one)
      if differs then return differs end
    end
    return nil
  end
  if type(got) ~= "userdata" then return "no result" end
  local dtype = tostring(expected.dtype)
  if tostring(got.dtype) ~= dtype then return ("dtype %s, expected %s"):format(got.dtype, dtype) end
  if tostring(got.shape) ~= tostring(expected.shape) then
    return ("shape %s, expected %s"):format(got.shape, expected.shape)
  end
  local a, b = got:flatten():tolist(), expected:flatten():tolist()
  for i, v in ipairs(b) do
    local is_equal = a[i] == v
    if dtype:find "float" then is_equal = is_close(a[i], v) end
    if not is_equal then return ("%s at %d, expected %s"):format(a[i], i - 1, v) end
  end
  return nil
end

-- "passed", "differs" and how, or "missing" and which operator or dtype.
function nodes.check(case)
  local ok, result, differs = pcall(function()
    local model, inputs = onnx.model(case.model), {}
    for i, bytes in ipairs(case.inputs) do inputs[i] = model.inputs[i](bytes) end
    local expected = {}
    for i, bytes in ipairs(case.outputs) do expected[i] = model.outputs[i](bytes) end
    local results = model.run(inputs)
    for i, one in ipairs(expected) do
      local how = difference(results[i], one)
      if how then return "differs", ("output %d: %s"):format(i - 1, how) end
    end
    return "passed"
  end)
  if ok then return result, differs end
  if type(result) == "table" and result.missing then return "missing", result.missing end
  return "differs", tostring(result)
end

-- ------------------------------------------------------------------------------------------------------------ packing

local function strings(list)
  local parts = {string.pack("<I2", #list)}
  for _, one in ipairs(list) do parts[#parts + 1] = string.pack("<s4", one) end
  return table.concat(parts)
end

-- A sequence of {name, model =, inputs =, outputs =} of a packed file.
function nodes.unpack(bytes)
  local cases, at = {}, 1
  local function list()
    local n, values
    n, at = string.unpack("<I2", bytes, at)
    values = {}
    for i = 1, n do values[i], at = string.unpack("<s4", bytes, at) end
    return values
  end
  while at <= #bytes do
    local head = list()
    cases[#cases + 1] = {name = head[1], model = head[2], inputs = list(), outputs = list()}
  end
  return cases
end

local function pack(folder, path)
  local file <close> = assert(io.open(path, "wb"))
  for name in io.lines() do
    local case = nodes.from_folder(folder .. "/" .. name)
    file:write(strings{name, case.model}, strings(case.inputs), strings(case.outputs))
  end
end

-- ------------------------------------------------------------------------------------------------------------ running

local function run(folder, only)
  local counts, missing = {passed = 0, differs = 0, missing = 0}, {}
  local listing <close> = assert(io.popen(("ls '%s'"):format(folder)))
  for name in listing:lines() do
    if not only or name == only then
      local result, how = nodes.check(nodes.from_folder(folder .. "/" .. name))
      counts[result] = counts[result] + 1
      if result == "missing" then missing[how] = (missing[how] or 0) + 1 end
      if result == "differs" then print(("FAILED %s: %s"):format(name, how)) end
    end
  end
  local names, covered = {}, counts.passed + counts.differs
  for name, n in pairs(missing) do names[#names + 1] = ("%s (%d)"):format(name, n) end
  table.sort(names)
  print("not covered: " .. table.concat(names, ", "))
  print(("%d cases, %d covered"):format(covered + counts.missing, covered))
  print(("onnx: %d passed, %d failed"):format(counts.passed, counts.differs))
  return counts.differs == 0
end

if arg and arg[0] and arg[0]:match "onnx_nodes%.lua$" then
  if arg[1] == "pack" then
    pack(arg[2], arg[3])
  else
    os.exit(run(arg[1], arg[2]), true)
  end
end
return nodes
