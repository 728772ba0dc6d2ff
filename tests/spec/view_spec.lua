local strew = require "strew"
local support = dofile "tests/spec/support.lua"
local evaluate, fail = support.evaluate, support.fail

local function fresh()
  return {strew = strew, t = strew.tensor{{1, 2, 3}, {4, 5, 6}}, v = strew.tensor{1, 2, 3, 4, 5}}
end

describe("views", function()
  it("have PyTorch's names and rules", function()
    evaluate({
      {"t:view(3, 2)", "int64[3, 2] {{1, 2}, {3, 4}, {5, 6}}"},
      {"t:view{-1}", "int64[6] {1, 2, 3, 4, 5, 6}"},
      {"t:t():reshape(6)", "int64[6] {1, 4, 2, 5, 3, 6}"},
      {"t:permute(1, 0)", "int64[3, 2] {{1, 4}, {2, 5}, {3, 6}}"},
      {"t:permute{-1, 0}:t()", "int64[2, 3] {{1, 2, 3}, {4, 5, 6}}"},
      {"t:transpose(0, -1)", "int64[3, 2] {{1, 4}, {2, 5}, {3, 6}}"},
      {"t:flatten()", "int64[6] {1, 2, 3, 4, 5, 6}"},
      {"t:unsqueeze(0):flatten(0, 1)", "int64[2, 3] {{1, 2, 3}, {4, 5, 6}}"},
      {"t:unsqueeze(0):flatten{end_dim = 1}", "int64[2, 3] {{1, 2, 3}, {4, 5, 6}}"},
      {"v:unsqueeze(1).shape[2], v:unsqueeze(-1):squeeze().shape[1]", "1; 5"},
      {"strew.zeros(1, 2, 1):squeeze(0)", "float32[2, 1] {{0.0}, {0.0}}"},
      {"strew.tensor{{1}, {2}}:expand(2, 3)", "int64[2, 3] {{1, 1, 1}, {2, 2, 2}}"},
      {"strew.tensor{{1}, {2}}:expand{-1, 2}", "int64[2, 2] {{1, 1}, {2, 2}}"},
      {"strew.tensor{1.5, -2}:to('float32'):view_as('int32')", "int32[2] {1069547520, -1073741824}"},
      {"strew.tensor{1, -1}:view_as('uint16')", "uint16[8] {1, 0, 0, 0, 65535, 65535, 65535, 65535}"},
      {"strew.tensor{{1, 2, 3, 4}, {5, 6, 7, 8}}:to('int8'):view_as('int32')", "int32[2, 1] {{67305985}, {134678021}}"},
      {"strew.zeros(0, 4):view_as('int8')", "int8[0, 16] {}"},
      {"strew.tensor(1):view_as('uint64')", "uint64[] 1"},
      {"strew.tensor{{1}, {2}}:expand_as(t)", "int64[2, 3] {{1, 1, 1}, {2, 2, 2}}"},
      {"t:select(1, -1)", "int64[2] {3, 6}"},
      {"t:narrow(1, 1, 2)", "int64[2, 2] {{2, 3}, {5, 6}}"},
      {"v:slice(0, 1, 4, 2)", "int64[2] {2, 4}"},
      {"v:slice(0, -2)", "int64[2] {4, 5}"},
      {"v:slice(0, {stop = 2})", "int64[2] {1, 2}"},
      {"v:slice(0, 0, -9223372036854775807 - 1)", "int64[0] {}"},
      {"v:as_strided({2, 2}, {1, 2}, 1)", "int64[2, 2] {{2, 4}, {3, 5}}"},
      {"v:slice(0, 1):as_strided({2}, {2})", "int64[2] {2, 4}"},
      {"strew.view(t, 6)", "int64[6] {1, 2, 3, 4, 5, 6}"},
    }, fresh())
  end)

  it("share storage", function()
    local x = fresh()
    x.t:t()[2]:fill_(0)
    assert.equal("int64[2, 3] {{1, 2, 0}, {4, 5, 0}}", support.text(x.t))
    local row = x.t[0]
    x.t:free()
    assert.equal("int64[3] {1, 2, 0}", support.text(row))
  end)

  it("in place change the tensor's own shape", function()
    local t = strew.tensor{{1, 2, 3}, {4, 5, 6}}
    assert.equal(t, t:t_())
    assert.same({3, 2}, t.shape)
    assert.equal(t, strew.transpose_(t, 0, 1):unsqueeze_(0))
    assert.same({1, 2, 3}, t.shape)
    assert.equal(t, t:squeeze_())
    assert.equal("int64[2] {1, 6}", support.text(t:as_strided_({2}, {5})))
    assert.same({2}, t.shape)
    assert.is_false(pcall(t.unsqueeze_, t, 7))
    assert.same({2}, t.shape)
  end)

end)

describe("joining and splitting", function()
  local function pieces(list)
    local texts = {}
    for i, piece in ipairs(list) do texts[i] = support.text(piece) end
    return table.concat(texts, "; ")
  end

  it("joins a table of tensors, or tensors", function()
    evaluate({
      {"strew.cat{v, v}:numel()", "10"},
      {"strew.cat({t, t}, 1)", "int64[2, 6] {{1, 2, 3, 1, 2, 3}, {4, 5, 6, 4, 5, 6}}"},
      {"strew.cat({t, t}, {dim = -1}):size(1)", "6"},
      {"t:cat(t, t, 0):size(0), t:cat(t):size(0), strew.cat(t, t, nil):size(0)", "6; 4; 4"},
      {"strew.stack{v, v}.shape[1], strew.stack({v, v}, 1).shape[2], v:stack(v, -1).shape[2]", "2; 2; 2"},
      {"strew.cat{v:to('float32'), v}.dtype", "float32"},
    }, fresh())
  end)

  it("splits into views", function()
    local v = strew.tensor{1, 2, 3, 4, 5}
    assert.equal("int64[2] {1, 2}; int64[2] {3, 4}; int64[1] {5}", pieces(v:split(2)))
    assert.equal("int64[2] {1, 2}; int64[0] {}; int64[3] {3, 4, 5}", pieces(v:split{2, 0, 3}))
    assert.equal("int64[3] {1, 2, 3}; int64[2] {4, 5}", pieces(v:chunk(2)))
    assert.equal("int64[1] {1}; int64[1] {2}; int64[1] {3}; int64[1] {4}; int64[1] {5}", pieces(v:chunk(100)))
    assert.equal("int64[2, 1] {{1}, {3}}; int64[2, 1] {{2}, {4}}", pieces(strew.tensor{{1, 2}, {3, 4}}:split(1, 1)))
    assert.equal("float32[0] {}", pieces(strew.zeros(0):split(3)))
    assert.equal("float32[0] {}", pieces(strew.zeros(0):split(0)))
    assert.equal("float32[0] {}; float32[0] {}", pieces(strew.zeros(0):chunk(2)))
    v:split(2)[2][0] = 30
    assert.equal(30, v[2])
  end)

  it("refuses sizes that do not match", function()
    local x = fresh()
    x.freed = strew.ones(2)
    x.freed:free()
    fail({
      {"v:split{2, 2}", "split: 'sizes' sum to 4, expected 5, the size of dim 0\n  self  int64[5] cpu"},
      {"v:split{2, 4}", "split: 'sizes' exceed the 5 of dim 0\n  self  int64[5] cpu"},
      {"v:split{-1, 6}", "split: 'sizes' holds -1, expected 0 or more\n  self  int64[5] cpu"},
      {"v:split{2.5}", "split: 'sizes' is 2.5, expected an integer"},
      {"v:split(0)", "split: 'size' is 0, expected 1 or more"},
      {"v:split(2, 1)", "split: 'dim' is 1, out of range for 1 dimension (valid -1..0)"},
      {"v:chunk(0)", "chunk: 'chunks' is 0, expected at least 1"},
      {"strew.cat{}", "cat: 'tensors' is empty, expected at least one tensor"},
      {"strew.cat()", "cat: 'tensors' is missing, the arguments are (tensors [, dim])"},
      {"v:view_as('bool')",
       "view_as: 'dtype' is bool, whose bits are not seen as another dtype's\n  self  int64[5] cpu"},
      {"strew.tensor{'a'}:view_as('int32')", "view_as: 'self' is text, whose bits are not seen as another dtype's\n"
       .. "  self  text[1] cpu"},
      {"strew.zeros(2, 3):view_as('int64')",
       "view_as: 'self' has a last dimension of 12 bytes, expected a multiple of 8\n  self  float32[2, 3] cpu"},
      {"strew.zeros(4):narrow(0, 1, 2):view_as('int64')",
       "view_as: 'self' has an offset of 4 bytes, expected a multiple of 8\n  self  float32[2] cpu"},
      {"strew.tensor(1):view_as('int8')",
       "view_as: 'self' has no dimensions, expected at least 1 for elements of int8\n"
       .. "  self  int64[] cpu"},
      {"strew.cat(1)", "cat: 'tensors' is 1, expected a table"},
      {"strew.cat{v, 1}", "cat: 'tensors' holds 1 at [2], expected a tensor"},
      {"strew.stack{v, freed}", "stack: 'tensors' holds a tensor at [2] that was freed"},
      {"v:cat(v, 0, 1)", "cat: 2 arguments follow the tensors, only dim may"},
      {"v:cat(v, 'a')", "cat: 'dim' is \"a\", expected an integer"},
      {"t:as_strided({2}, {1, 1})", "as_strided: 'strides' has 2 entries, shape has 1"},
      {"t:squeeze{0, -2}", "squeeze: 'dim' names dimension 0 twice\n  self  int64[2, 3] cpu"},
      {"t:squeeze{0, 2}", "squeeze: 'dim' is 2, out of range for 2 dimensions (valid -2..1)\n  self  int64[2, 3] cpu"},
      {"t:select(2^40, 0)", "select: 'dim' is 1099511627776, tensors have at most 16 dimensions"},
    }, x)
  end)
end)
