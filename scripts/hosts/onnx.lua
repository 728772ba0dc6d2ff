-- onnx.lua: reads models of ONNX and runs those whose operators strew has (onnx_operators.lua).
-- strew onnx.lua MODEL.onnx INPUT.pb ...   prints the results
local strew = require "strew"
local folder = debug.getinfo(1, "S").source:match "^@(.*/)" or ""
local onnx = {}

-- ---------------------------------------------------------------------------------------------------------- messages

-- The fields of Protocol Buffers' messages that are read: {name, type, whether it repeats}.
local messages = {
  model = {[7] = {"graph", "graph"}, [25] = {"functions", "bytes", true}},
  graph = {[1] = {"nodes", "node", true}, [5] = {"initializers", "tensor", true}, [11] = {"inputs", "value", true},
    [12] = {"outputs", "value", true}},
  value = {[1] = {"name", "bytes"}, [2] = {"type", "type"}},
  type = {[1] = {"tensor", "bytes"}, [4] = {"sequence", "bytes"}},
  node = {[1] = {"inputs", "bytes", true}, [2] = {"outputs", "bytes", true}, [4] = {"operator", "bytes"},
    [5] = {"attributes", "attribute", true}, [7] = {"domain", "bytes"}},
  attribute = {[1] = {"name", "bytes"}, [2] = {"f", "float"}, [3] = {"i", "int"}, [4] = {"s", "bytes"},
    [5] = {"t", "tensor"}, [6] = {"g", "graph"}, [7] = {"floats", "float", true}, [8] = {"ints", "int", true},
    [9] = {"strings", "bytes", true}, [20] = {"kind", "int"}},
  tensor = {[1] = {"sizes", "int", true}, [2] = {"dtype", "int"}, [4] = {"floats", "float", true},
    [5] = {"ints", "int", true}, [6] = {"words", "bytes", true}, [7] = {"ints", "int", true}, [8] = {"name", "bytes"},
    [9] = {"raw", "bytes"}, [10] = {"floats", "double", true}, [11] = {"ints", "int", true}},
  sequence = {[1] = {"name", "bytes"}, [2] = {"kind", "int"}, [3] = {"values", "tensor", true}},
}
local kinds = {"f", "i", "s", "t", "g", "floats", "ints", "strings"} -- the field that an attribute's kind names
local letters = {float = "<f", double = "<d"}

local function varint(bytes, at)
  local value, shift = 0, 0
  repeat
    local byte = bytes:byte(at) or error("the message ends within a number", 0)
    value, shift, at = value | (byte & 127) << shift, shift + 7, at + 1
  until byte < 128
  return value, at
end

local read

local function element(kind, bytes, at)
  if kind == "int" then return varint(bytes, at) end
  return string.unpack(letters[kind], bytes, at)
end

-- The value of a field, and where the next one begins. Wire types: 0 a varint, 1 eight bytes, 2 a length and bytes, 5
-- four bytes.
local function value(field, wire, bytes, at)
  if wire ~= 2 then
    if field then
      local one, after = element(field[2], bytes, at)
      return {one}, after
    end
    if wire == 0 then return nil, select(2, varint(bytes, at)) end
    return nil, at + (wire == 1 and 8 or 4)
  end
  local length, from = varint(bytes, at)
  local part, after = bytes:sub(from, from + length - 1), from + length
  if not field then return nil, after end
  local kind = field[2]
  if messages[kind] then return {read(kind, part)}, after end
  if kind == "bytes" then return {part}, after end
  local values, place = {}, 1 -- packed numbers
  while place <= length do values[#values + 1], place = element(kind, part, place) end
  return values, after
end

function read(name, bytes)
  local fields, message, at = messages[name], {}, 1
  for _, field in pairs(fields) do message[field[1]] = field[3] and {} or nil end
  while at <= #bytes do
    local tag, values
    tag, at = varint(bytes, at)
    local field = fields[tag >> 3]
    values, at = value(field, tag & 7, bytes, at)
    if field and field[3] then
      local list = message[field[1]]
      for _, one in ipairs(values) do list[#list + 1] = one end
    elseif field then
      message[field[1]] = values[1]
    end
  end
  return message
end

-- ------------------------------------------------------------------------------------------------------------ tensors

local dtypes = {"float32", "uint8", "int8", "uint16", "int16", "int32", "int64", "text", "bool", "float16", "float64",
  "uint32", "uint64", [16] = "bfloat16"}
-- How elements are stored: a letter of string.unpack, and the dtype of those numbers, whose bits or values they are.
local stored = {float32 = {"f"}, float64 = {"d"}, uint8 = {"B"}, int8 = {"b"}, uint16 = {"H"}, int16 = {"h"},
  int32 = {"i4"}, int64 = {"i8"}, uint32 = {"I4"}, uint64 = {"i8", "int64"}, float16 = {"H", "uint16"},
  bfloat16 = {"H", "uint16"}, bool = {"B", "uint8"}}

-- True for a dtype that strew has.
function onnx.dtype(number)
  return dtypes[number] or error({missing = "dtype " .. number}, 0)
end

local function numbers(message, dtype)
  if not message.raw then return #message.ints > 0 and message.ints or message.floats end
  local list, letter, at = {}, "<" .. stored[dtype][1], 1
  while at <= #message.raw do list[#list + 1], at = string.unpack(letter, message.raw, at) end
  return list
end

local function to_tensor(message, device)
  local dtype, opts = onnx.dtype(message.dtype), {device = device}
  if dtype == "text" then
    return (#message.words > 0 and strew.tensor(message.words, opts) or strew.text({}, opts)):reshape(message.sizes)
  end
  local first = stored[dtype][2] or dtype
  local list = numbers(message, dtype)
  opts.dtype = first
  local t = #list > 0 and strew.tensor(list, opts):reshape(message.sizes) or strew.zeros(message.sizes, opts)
  if first == dtype or #list == 0 or dtype == "bool" then return t:to(dtype) end
  return t:view_as(dtype)
end

-- A tensor of the bytes of a TensorProto, such as an input_0.pb.
function onnx.tensor(bytes, device)
  return to_tensor(read("tensor", bytes), device)
end

-- A sequence of tensors, of a SequenceProto.
function onnx.sequence(bytes, device)
  local message, list = read("sequence", bytes), {}
  if (message.kind or 0) > 1 then error({missing = "sequence of kind " .. message.kind}, 0) end
  for i, one in ipairs(message.values) do list[i] = to_tensor(one, device) end
  return list
end

-- ------------------------------------------------------------------------------------------------------------- models

onnx.operators = assert(loadfile(folder .. "onnx_operators.lua"))(strew, onnx)

-- The attributes of a node, by name.
local function attributes(node, device)
  local a = {}
  for _, one in ipairs(node.attributes) do
    local kind = kinds[one.kind] or error({missing = "attribute of kind " .. tostring(one.kind)}, 0)
    local default = kind == "i" and 0 or kind == "f" and 0.0 or kind == "s" and "" or nil
    a[one.name] = kind == "t" and to_tensor(one.t, device) or one[kind] or default
  end
  return a
end

local function run_node(node, scope, device)
  local operator = onnx.operators[node.operator]
  if not operator or (node.domain or "") == "ai.onnx.preview.training" then error({missing = node.operator}, 0) end
  local a, inputs = attributes(node, device), {}
  if a.broadcast then error({missing = "broadcasting before version 7"}, 0) end
  a.outputs, a.scope, a.device = node.outputs, scope, device
  for i, name in ipairs(node.inputs) do inputs[i] = name ~= "" and scope[name] or nil end
  local results = table.pack(operator(a, table.unpack(inputs, 1, #node.inputs)))
  for i, name in ipairs(node.outputs) do scope[name] = results[i] end
  return results
end

-- Runs a graph on inputs in its order; names that it lacks are those of `outer`. Returns its outputs.
function onnx.run_graph(graph, inputs, outer, device)
  local scope, results = setmetatable({}, {__index = outer}), {}
  for _, one in ipairs(graph.initializers) do scope[one.name] = to_tensor(one, device) end
  for i, input in ipairs(graph.inputs) do
    if inputs[i] ~= nil then scope[input.name] = inputs[i] end
  end
  for _, node in ipairs(graph.nodes) do run_node(node, scope, device) end
  for i, output in ipairs(graph.outputs) do results[i] = scope[output.name] end
  return results
end

-- What reads the file of a model's input or output: onnx.tensor or onnx.sequence.
local function readers(values)
  local list = {}
  for i, one in ipairs(values) do
    list[i] = one.type.tensor and onnx.tensor or one.type.sequence and onnx.sequence
      or function() error({missing = "a type of " .. one.name}, 0) end
  end
  return list
end

-- A model of the bytes of a ModelProto: m.run{x, y} returns its outputs in a sequence.
function onnx.model(bytes, device)
  local message = read("model", bytes)
  if not message.graph then error("this is no model: it has no graph", 0) end
  local m = {inputs = readers(message.graph.inputs), outputs = readers(message.graph.outputs)}
  function m.run(inputs)
    if #message.functions > 0 then error({missing = "functions of a model"}, 0) end
    return onnx.run_graph(message.graph, inputs, nil, device)
  end
  return m
end

-- Runs the node of the bytes of a NodeProto on inputs, of which some may be nil; returns its outputs in a sequence.
function onnx.run_node(bytes, inputs, device)
  local node, scope = read("node", bytes), {}
  for i, name in ipairs(node.inputs) do scope[name] = inputs[i] end
  local results = run_node(node, scope, device)
  return table.move(results, 1, #node.outputs, 1, {})
end

if arg and arg[0] and arg[0]:match "onnx%.lua$" and arg[1] then
  local function content(path)
    local file <close> = assert(io.open(path, "rb"))
    return file:read "a"
  end
  local inputs = {}
  for i = 2, #arg do inputs[i - 1] = onnx.tensor(content(arg[i])) end
  for _, result in ipairs(onnx.model(content(arg[1])).run(inputs)) do print(result) end
end
return onnx
