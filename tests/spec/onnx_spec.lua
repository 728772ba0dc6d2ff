-- Models of ONNX, run by scripts/hosts/onnx.lua: the smallest node test of each operator that strew has, of ONNX 1.22.0
-- (Apache-2.0, Copyright (c) ONNX Project Contributors), packed by tests/suites/onnx_nodes.lua, which runs all of them.
local support = dofile "tests/spec/support.lua"
local nodes = assert(loadfile "tests/suites/onnx_nodes.lua")()

local function content(path)
  local file <close> = assert(io.open(path, "rb"))
  return file:read "a"
end

describe("ONNX's node tests", function()
  local cases = nodes.unpack(content "tests/data/onnx_nodes.bin")
  assert(#cases == 147)
  for _, case in ipairs(cases) do
    it(case.name, function()
      local result, how = nodes.check(case)
      if result == "differs" and support.lacks_float64 and how:find "float64" then
        return pending "without float64, which the device lacks"
      end
      assert.same({"passed"}, {result, how})
    end)
  end

  it("tell a wrong value, dtype and shape, and what is not covered", function()
    -- The outcome of a case in whose bytes `from` became `to`.
    local function outcome(part, name, from, to)
      for _, case in ipairs(cases) do
        if case.name == name then
          local is_model = part == "model"
          local bytes, n = (is_model and case.model or case.outputs[1]):gsub(from, to)
          assert.equal(1, n)
          return table.pack(nodes.check{model = is_model and bytes or case.model, inputs = case.inputs,
            outputs = is_model and case.outputs or {bytes}})
        end
      end
    end
    assert.same({"missing", "Exq", n = 2}, outcome("model", "test_exp_example", "Exp", "Exq"))
    local one = string.pack("<f", 1):gsub("%W", "%%%0")
    local wrong = outcome("outputs", "test_elu_example", one, string.pack("<f", 1.01))
    assert.same({"differs", "output 0: 1.0 at 2, expected 1.0099999904633"}, {table.unpack(wrong)})
    wrong = outcome("outputs", "test_elu_example", one, string.pack("<f", math.huge):gsub("%%", "%%%%"))
    assert.same({"differs", "output 0: 1.0 at 2, expected inf"}, {table.unpack(wrong)})
    wrong = outcome("model", "test_add_int8", "Add", "Mul")
    assert.same({"differs", "output 0: 0 at 0, expected 22"}, {table.unpack(wrong)})
    wrong = outcome("model", "test_exp_example", "Exp", "Not")
    assert.same({"differs", "output 0: dtype bool, expected float32"}, {table.unpack(wrong)})
    wrong = outcome("model", "test_size_example", "Size", "Sign")
    assert.equal("output 0: dtype float32, expected int64", wrong[2])
  end)
end)

describe("bytes that are no model", function()
  it("are an error", function()
    local onnx = dofile "scripts/hosts/onnx.lua"
    for bytes, message in pairs{
      ["\8"] = "the message ends within a number", [("\255"):rep(9)] = "the message ends within a number",
      ["\8\1"] = "this is no model: it has no graph",
    } do
      assert.same({false, message}, {pcall(onnx.model, bytes)})
    end
  end)
end)
