-- Hints: their advice works. error_spec.lua has their texts; here they are followed, and those of devices are provoked.
local strew = require "strew"
local support = dofile "tests/spec/support.lua"
local default = strew.zeros(1).device

-- Runs code with the names of `environment`, which fails; returns message and hint.
local function provoke(code, environment)
  environment.strew = strew
  local ok, message = pcall(assert(load(code, "=chunk", "t", environment)))
  assert.is_false(ok, code .. " gives no error")
  assert.equal("string", type(message), code)
  local detail = strew.last_error()
  assert.equal("chunk:1: " .. detail.message, message)
  return detail.message, detail.hint
end

-- Fails once. Then, with the `wrong` part of the code replaced by the hint's advice, it gives the expected result.
local function follow(code, wrong, advised, environment, expected)
  local _, hint = provoke(code, environment)
  assert.matches(advised, hint, 1, true)
  local first, last = code:find(wrong, 1, true)
  local better = code:sub(1, first - 1) .. advised .. code:sub(last + 1)
  assert.equal(expected, support.on_cpu(support.text(assert(load("return " .. better, "=chunk", "t", environment))())),
    better)
end

local function operands()
  return {
    t = strew.zeros(3, 2), v = strew.zeros(3), i = strew.tensor{0, 2, 1},
    index = strew.tensor{{0, 2}, {1, 0}, {2, 1}}, src = strew.ones(3, 2), w = strew.ones(3),
  }
end

describe("a hint can be followed:", function()
  local twos = "float32[3, 2] {{1.0, 1.0}, {1.0, 1.0}, {1.0, 1.0}}"
  -- Each row: failing code, its wrong part, the advised replacement, the result.
  local rows = {
    {"counted from 1", "v:scatter_add_(0, index, w)", "index", "index - 1",
     "float32[3] {1.0, 1.0, 1.0}", {index = strew.tensor{1, 2, 3}}},
    {"negative values", "v:gather(0, index, {})", "{}", '{mode = "wrap"}', "float32[1] {0.0}",
     {index = strew.tensor{-1}}, 'mode = "wrap"'},
    {"padding", "v:scatter_add_(0, index, w, {})", "{}", '{mode = "drop"}', "float32[3] {1.0, 0.0, 1.0}",
     {index = strew.tensor{-1, 0, 2}}, '"drop"'},
    {"lower rank, first dimension", "t:scatter_add_(0, index, src)", "index", "index:unsqueeze(-1):expand_as(src)",
     twos, {index = strew.tensor{0, 1, 2}}},
    {"lower rank, last dimension", "t:scatter_add_(1, index, src)", "index", "index:expand_as(src)",
     twos, {index = strew.tensor{0, 1}}},
    {"lower rank, the group form", "t:scatter_add_(0, index, src)", "t:scatter_add_(0, index, src)",
     "strew.scatter(src, index, {dim = 0})", twos, {index = strew.tensor{0, 1, 2}}},
    {"lower rank, two dimensions less", "u:scatter_add_(0, index, src)", "index",
     "index:unsqueeze(-1):unsqueeze(-1):expand_as(src)", "float32[2, 1, 1] {{{1.0}}, {{1.0}}}",
     {index = strew.tensor{0, 1}, u = strew.zeros(2, 1, 1), src = strew.ones(2, 1, 1)}},
    {"groups along another dimension", "strew.scatter_sum(src, index)", "index)", "index, {dim = 0})",
     "float32[2, 2] {{2.0, 2.0}, {1.0, 1.0}}", {index = strew.tensor{0, 0, 1}}, "{dim = 0}: index has the size of"},
    {"a table of one dimension", "v:gather(0, index)", "gather(0, index)", "take(index)",
     "float32[3, 2] {{0.0, 0.0}, {0.0, 0.0}, {0.0, 0.0}}", {}, "self:take(index)"},
    {"a shift to the left", "strew.clone(i << 3)", "<< 3", "* (1 << 3)", "int64[3] {0, 16, 8}", {}, "t * (1 << n)"},
    {"a shift to the right", "strew.clone(i >> 1)", ">> 1", "// (1 << 1)", "int64[3] {0, 1, 0}", {}, "t // (1 << n)"},
    {"float index", "v:gather(0, index)", "index", 'index:to("int64")', "float32[1] {0.0}",
     {index = strew.tensor{2.0}}},
    {"dtypes", "t:scatter_add_(0, index, src)", "src", 'src:to("float32")', twos, {src = strew.ones(3, 2):to("int32")}},
    {"a tensor that repeats itself", "u:scatter_add_(0, index, src)", "u", "u:clone()",
     twos, {u = strew.zeros(1, 2):expand(3, 2)}, "write into self:clone()"},
    {"index and self share elements", "i:scatter_add_(0, index, ones)", "index", "index:clone()", "int64[1] {1}",
     (function() local i = strew.tensor{0} return {i = i, index = i, ones = strew.tensor{1}} end)()},
    {"a method without its colon", "t.add(src)", "t.add(", "t:add(", twos, {}},
    {"a method without anything", "t.sum()", "t.sum(", "t:sum(", "float32[] 0.0", {}},
    {"a method whose first argument is taken for self", "t.scatter_add_(0, index, src)", "t.", "t:", twos, {}, "t:"},
    {"a function with a colon", "strew:ones(1)", "strew:ones(", "strew.ones(", "float32[1] {1.0}", {}},
    {"a word instead of options", "strew.ones(1, 'int8')", "'int8'", '{dtype = "int8"}', "int8[1] {1}", {}},
    {"a method misspelt", "t:scater_add_(0, index, src)", "scater_add_", "scatter_add_", twos, {}},
    {"a function misspelt", "strew.scater_add(t, 0, index, src)", "scater_add", "scatter_add", twos, {}},
    {"an option misspelt", "t:sum{keepdims = true, dim = 0}", "keepdims", "keepdim", "float32[1, 2] {{0.0, 0.0}}", {}},
    {"options among elements", "strew.zeros({2, dtype = 'int8'})", "{2, dtype = 'int8'}", "{2}, {dtype = 'int8'}",
     "int8[2] {0, 0}", {}, "a table of their own, after this one: {dtype = ...}"},
    {"options among elements of a tensor", "strew.tensor{2, device = 'cpu'}", "{2, device = 'cpu'}", "{2}",
     "int64[1] {2}", {}, "a table of their own, after this one: {device = ...}"},
    {"a table as operand", "i:add({1, 1, 1})", "{1, 1, 1}", "strew.tensor{1, 1, 1}", "int64[3] {1, 3, 2}", {},
     "strew.tensor(other)"},
    {"a table as index of groups", "strew.scatter(w, {0, 0, 1})", "{0, 0, 1}", "strew.tensor{0, 0, 1}",
     "float32[2] {2.0, 1.0}", {}, "strew.tensor(index)"},
    {"a dtype as a name", "src:to(strew.int8)", "strew.int8", '"int8"', "int8[3, 2] {{1, 1}, {1, 1}, {1, 1}}", {},
     't:to("int8")'},
    {"another library's dtype", "strew.ones(1, {dtype = 'long'})", "long", "int64", "int64[1] {1}", {}},
  }
  for _, row in ipairs(rows) do
    it(row[1], function()
      local environment = operands()
      for name, value in pairs(row[6]) do environment[name] = value end
      if row[7] then
        local _, hint = provoke(row[2], environment)
        assert.matches(row[7], hint, 1, true)
        local first, last = row[2]:find(row[3], 1, true)
        local better = "return " .. row[2]:sub(1, first - 1) .. row[4] .. row[2]:sub(last + 1)
        assert.equal(row[5], support.text(assert(load(better, "=chunk", "t", environment))()))
      else
        follow(row[2], row[3], row[4], environment, row[5])
      end
    end)
  end
end)

it("a name of another library is translated", function()
  local names = {"double", "float", "half", "long", "int", "short", "char", "byte", "astype", "cpu", "numpy", "T",
    "ndim", "nelement", "swapaxes", "array", "asarray", "concat", "concatenate", "zeros_like", "ones_like",
    "empty_like", "full_like", "nElement", "nDimension", "ndims", "length", "FloatTensor", "DoubleTensor", "LongTensor",
    "IntTensor", "ShortTensor", "CharTensor", "ByteTensor", "uniform", "normal", "cmul", "cdiv", "index", "indexAdd",
    "take_along_axis", "groupby", "accumarray", "hist", "histogram", "digitize", "clip", "power",
    "square", "reciprocal", "absolute", "multiply", "subtract", "divide", "ravel", "resize", "view_as", "expand_dims",
    "argwhere", "nnz", "fillna", "dropna", "isna", "head", "vstack"}
  local environment = {t = strew.ones(2, 3), x = 1, dtype = "int8", index = strew.tensor{0, 1},
    boundaries = strew.tensor{0.5}, strew = strew}
  for _, name in ipairs(names) do
    for _, owner in ipairs{"t", "strew"} do
      local _, hint = provoke(("return %s.%s"):format(owner, name), environment)
      local here = hint:match "^here it is (.*)$"
      assert.is_truthy(here, name)
      local call = assert(load("return " .. here, here, "t", environment))
      if support.lacks_float64 and here:find("float64", 1, true) then
        assert.has_error(call) -- in its own words, which error_spec.lua has
      else
        assert.is_not_nil(call())
      end
    end
  end
  assert.equal('here it is t:to("opencl")', select(2, provoke("t.cuda()", environment)))
  assert.equal("here it is #t", select(2, provoke("t:len()", environment)))
  assert.equal("here it is t.dtype", select(2, provoke("t:type()", environment)))
  assert.equal("here it is t:clamp(0, 1)", select(2, provoke("t:clip(0, 1)", environment)))
  for _, name in ipairs{"shape", "dtype", "device"} do
    assert.equal("here it is t." .. name, select(2, provoke(("strew.%s(t)"):format(name), environment)))
  end
  for _, name in ipairs{"map", "apply"} do
    local _, hint = provoke(("t:%s(math.sin)"):format(name), {t = environment.t, math = math})
    assert.equal("operators and calls take all elements at once: t * 2, t:exp()", hint)
  end
end)

describe("on devices", function()
  -- A device that is not the default one.
  local function find_other()
    if default ~= "cpu" then return "cpu" end
    for _, one in ipairs(strew.devices()) do
      if one.name ~= "cpu" and not one.error then return one.name end
    end
  end
  local other = find_other()

  it("that differ, each operand is named with its own", function()
    if not other then return pending "there is no device but the CPU" end
    local environment = operands()
    environment.src = environment.src:to(other)
    local message, hint = provoke("t:scatter_add_(0, index, src)", environment)
    assert.equal(("scatter_add_: 'src' is on %s, all operands must be on one device\n"):format(other)
      .. ("  self   float32[3, 2] %s\n  index  int64[3, 2] %s\n"):format(default, default)
      .. ("  src    float32[3, 2] %s\n  hint   src:to(\"%s\")"):format(other, default), message)
    assert.equal(('src:to("%s")'):format(default), hint)
    environment.src = assert(load("return " .. hint, "=hint", "t", environment))()
    environment.t:scatter_add_(0, environment.index, environment.src)
  end)

  it("that differ in a list, too", function()
    if not other then return pending "there is no device but the CPU" end
    local a, b = strew.ones(2), strew.ones(2):to(other)
    for _, name in ipairs{"cat", "stack"} do
      local message, hint = provoke("strew." .. name .. "(tensors)", {tensors = {a, a, b}})
      assert.equal(("%s: 'tensors' is on %s at [3], on %s at [1]: "):format(name, other, default)
        .. ('all must be on one device\n  hint  tensors[3]:to("%s")'):format(default), message)
      assert.equal(default, assert(load("return " .. hint, "=hint", "t", {tensors = {a, a, b}}))().device)
    end
  end)

  it("without float64, the error names the missing extension and another dtype", function()
    if not (default:match "opencl" or other) then return pending "there is no device but the CPU" end
    local device = default:match "opencl" and default or other
    local chunk = [[print(select(2, pcall(require "strew".zeros, 1, {dtype = "float64", device = "%s"})))]]
    local output = support.output(chunk:format(device), "STREW_OPENCL_ASSUME=nofloat64")
    assert.matches("zeros: 'dtype' is float64, which device " .. device
      .. " does not have: it lacks the extension cl_khr_fp64\n  hint  float32, or device = \"cpu\"\n", output, 1, true)
  end)

  it("where single reads take long, the thousandth one warns", function()
    if not (default:match "opencl" or other) then return pending "there is no device but the CPU" end
    local device = default:match "opencl" and default or other
    local chunk = [[local t = require "strew".zeros(999, {device = "%s"}) warn("@on")
      for i = 0, #t - 1 do local x = t[i] end for _ = 1, 3 do print(t:get(1), t:sum():item()) end]]
    assert.equal("Lua warning: get: 1000 elements were read one by one from " .. device
      .. ", which takes long; t:tolist() reads all at once\n" .. ("0.0\t0.0\n"):rep(3),
      support.output(chunk:format(device)))
    assert.equal(("0.0\t0.0\n"):rep(3), support.output(chunk:format("cpu")))
  end)

  it("memory: the size that failed, the bytes in use, and the limit", function()
    local message = support.message(strew.empty, 2 ^ 25, 2 ^ 25)
    local hint = strew.last_error().hint
    assert.matches("4503599627370496", message)
    assert.matches("%d+ bytes in use by tensors, the machine has %d+", (hint:gsub("the device has", "the machine has")))
    assert.equal("memory", strew.last_error().code)
  end)

  it("a failure leaves the device usable", function()
    for _ = 1, 3 do
      pcall(strew.scatter_add_, strew.zeros(3), 0, strew.tensor{7}, strew.ones(1))
      assert.equal("float32[3] {0.0, 1.0, 0.0}",
        support.text(strew.scatter_add(strew.zeros(3), 0, strew.tensor{1}, strew.ones(1))))
    end
  end)

  it("that are missing: the hint says where the loader looks for drivers", function()
    local chunk = [[print(select(2, pcall(require "strew".zeros, 1, {device = "opencl"})))]]
    local nowhere = "OCL_ICD_VENDORS=/nowhere OCL_ICD_FILENAMES="
    local output = support.output(chunk, nowhere)
    if output:match "built without" then return pending "strew was built without OpenCL" end
    assert.matches("\n  hint  the loader looks for drivers where $OCL_ICD_VENDORS says; on Debian: apt install "
      .. "ocl-icd-libopencl1 pocl-opencl-icd (the processor), or the package of the GPU's vendor\n", output, 1, true)
    for _, word in ipairs{"gpu", "cuda:0", "opencl:0.0", "OpenCL"} do
      local same = support.output(chunk:gsub('"opencl"', '"' .. word .. '"'), nowhere)
      assert.matches("the loader looks for drivers", same, 1, true)
    end
  end)

  it("misspelt ones are answered with the nearest", function()
    local function check(expected, words)
      for _, word in ipairs(words) do
        pcall(strew.zeros, 1, {device = word})
        assert.equal(("did you mean '%s'?"):format(expected), strew.last_error().hint, word)
      end
    end
    check("cpu", {"cup", "CPU", "cpuu"})
    check("opencl", {"opecnl", "Openc"})
    if default == "cpu" and not other then return end -- then the hint names the package for devices
    check("opencl", {"opencll", "OpenCL", "gpu", "cuda", "cuda:0", "hip"})
  end)
end)

describe("an error", function()
  it("is a plain string under pcall, and its detail a table", function()
    local ok, message = pcall(function() strew.zeros(3):scatter_add_(0, strew.tensor{1, 7}, strew.ones(2)) end)
    assert.is_false(ok)
    assert.equal("string", type(message))
    local detail = strew.last_error()
    assert.same({op = "scatter_add_", arg = "index", code = "index", value = 7, pos = {1}, message = detail.message},
      detail)
  end)

  it("inside coroutines names the line there", function()
    local co = coroutine.create(function() strew.zeros(3):get(9) end)
    local ok, message = coroutine.resume(co)
    local line = debug.getinfo(1, "l").currentline - 2
    assert.is_false(ok)
    assert.matches(("^[^\n]*hint_spec.lua:%d: get: 'position' 9"):format(line), message)
    ok, message = pcall(coroutine.wrap(function() strew.zeros(3):get(9) end))
    assert.is_false(ok)
    assert.matches("hint_spec.lua:%d+: get: 'position' 9", message)
  end)

  it("names the script's line, whatever calls are between", function()
    local rows = {
      "local t = strew.zeros(3) return t:get(9)", "return strew.zeros(3)[9]", "return strew.zeros(3) + {}",
      "for _ in ipairs(strew.zeros(3)) do end", "return (strew.zeros(3).nothing)", "strew.zeros(3)[9] = 1",
      "return strew.nothing", "return -strew.tensor(true)", "local a <const> = strew.zeros(3); a:item()",
    }
    for _, code in ipairs(rows) do
      local _, message = pcall(assert(load("\n" .. code, "=script", "t", {strew = strew, ipairs = ipairs})))
      assert.matches("^script:2: ", message, 1, false)
    end
  end)

  it("in stock Lua has one line above the script's own in its traceback: the call", function()
    local output = support.output([[local strew = require "strew" local function f(t) t:get(9) end f(strew.zeros(3))]])
    assert.matches("stack traceback:\n\t%[C%]: in [^\n]*get'\n\t%(command line%):1: in [^\n]*'f'", output)
  end)
end)
