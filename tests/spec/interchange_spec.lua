-- Tensors and tables to and from other libraries, by addresses: here this module is both sides. With others in one
-- process: tests/interchange_peers.py. (devices: no, memory is the host's.)
local strew = require "strew"
local support = dofile "tests/spec/support.lua"

local function message(...) return (support.message(...):gsub("\n.*", "")) end

describe("DLPack", function()
  -- A tensor of the other side. The address that an import without memory leaves is taken after the test.
  local lent = {false}
  local function shared(t, options)
    lent[1] = t:to_dlpack(options)
    local same = strew.from_dlpack(lent[1])
    lent[1] = false
    return same
  end
  after_each(function()
    if lent[1] then strew.from_dlpack(lent[1]) end
    lent[1] = false
  end)

  it("shares memory", function()
    local t = strew.arange(6):view(2, 3)
    for _, versioned in ipairs{true, false} do
      local same = shared(t:t(), {versioned = versioned})
      assert.same({3, 2}, same.shape)
      same:set(0, 1, 50)
      assert.equal(50, t[1][0])
      t[1][0] = 3
    end
    local kept = shared(strew.ones(3))
    collectgarbage()
    assert.equal(3, kept:sum():item())
  end)

  it("is known to share memory", function()
    local t, index = strew.arange(9):to "float32", strew.zeros(9, {dtype = "int64"})
    local same = shared(t)
    assert.equal("scatter_add_: 'src' shares elements with the tensor written in place",
      message(t.scatter_add_, t, 0, index, same))
    local ahead, behind = t:narrow(0, 1, 8), same:narrow(0, 0, 8)
    assert.equal("add_: 'other' shares elements with the tensor written in place", message(ahead.add_, ahead, behind))
    t:narrow(0, 0, 4):add_(same:narrow(0, 5, 4)) -- other elements
    assert.same({5, 7, 9, 11, 4, 5, 6, 7, 8}, t:to("int64"):tolist())
    local e = strew.expr("x * 2"){x = same} -- reads the memory that is written
    t:copy_(e:flip(0))
    assert.same({16, 14, 12, 10, 8, 22, 18, 14, 10}, t:to("int64"):tolist())
  end)

  it("refuses what is no address", function()
    local expected = "expected an address: a light userdata or an integer"
    assert.equal("from_dlpack: 'managed' is 0x5, which is no address of a struct", message(strew.from_dlpack, 5))
    assert.equal("from_dlpack: 'managed' is 0x1001, which is no address of a struct", message(strew.from_dlpack, 4097))
    assert.equal("from_dlpack: 'managed' is \"x\", " .. expected, message(strew.from_dlpack, "x"))
    assert.equal("from_dlpack: 'managed' is 4096.0, " .. expected, message(strew.from_dlpack, 4096.0))
  end)
end)

describe("Arrow", function()
  it("shares numbers, which are read-only then", function()
    local x = {n = strew.arange(4), f = strew.tensor{0.5, 0 / 0, 1, 2}, b = strew.tensor{true, false, true, true}}
    local y = strew.from_arrow(strew.to_arrow(x))
    for name, t in pairs(x) do assert.is_true(t.dtype == y[name].dtype and t:equal(y[name]) or name == "f") end
    x.n[0] = 7
    assert.equal(7, y.n[0])
    local function zero(t) t:narrow(0, 0, 2):zero_() end
    for _, write in ipairs{function(t) t[0] = 1 end, function(t) t:add_(1) end, zero} do
      assert.truthy(message(write, y.n):find("'self' is read-only memory of the host, it cannot be written", 1, true))
    end
    assert.same({true, false}, strew.from_arrow(strew.to_arrow(strew.tensor{true, false})):tolist())
  end)

  it("has text as dictionaries", function()
    local text = strew.columns({city = strew.tensor{1, 0, 1}}, nil, {city = {"Oslo", "Rome"}})
    local y = strew.from_arrow(strew.to_arrow(text))
    assert.same({{1, 0, 1}, {"Oslo", "Rome"}}, {y.city:codes():tolist(), y.words.city})
  end)

  it("refuses words and names that are not UTF-8, which Arrow's texts are", function()
    local word = "to_arrow[%w_]*: 'x' has the word \"Jos%?\" at %[1%]"
    local t = strew.tensor{"a", "Jos\xe9", "b"}
    local rows = {
      {function() return strew.to_arrow(t) end, word .. ", which is not UTF%-8"},
      {function() return strew.to_arrow{w = t} end, word .. " of column \"w\", which is not UTF%-8"},
      {function() return strew.to_arrow{w = t:flip(0):narrow(0, 0, 2)} end, word},
      {function() return strew.to_arrow_stream{w = t} end, word},
      {function() return strew.to_arrow{["Jos\xe9"] = strew.ones(2)} end,
       "'x' has the name \"Jos%?\", expected UTF%-8"},
    }
    for _, row in ipairs(rows) do assert.matches(row[2], (select(2, pcall(row[1])))) end
    assert.same({"b"}, strew.from_arrow(strew.to_arrow(t:narrow(0, 2, 1))):tolist()) -- which no element has
  end)

  it("has streams, whose chunks know their words", function()
    local x = strew.columns({city = strew.tensor{1, 0, 1}, n = strew.arange(3)}, nil, {city = {"Oslo", "Rome"}})
    local seen = {}
    for chunk in strew.from_arrow_stream(strew.to_arrow_stream(x)) do
      seen[#seen + 1] = {chunk.city:codes():tolist(), chunk.n:tolist(), chunk.words.city}
      x.n[0] = 7
      assert.equal(7, chunk.n[0])
    end
    assert.same({{{1, 0, 1}, {0, 1, 2}, {"Oslo", "Rome"}}}, seen)
    for chunk in strew.from_arrow_stream(strew.to_arrow_stream(strew.arange(3))) do seen = chunk:tolist() end
    assert.same({0, 1, 2}, seen)
  end)

  it("has tensors of each dtype as bare arrays", function()
    local line = strew.tensor{"b", "a", "b"}
    for _, t in ipairs{line, line:narrow(0, 0, 0), strew.tensor{1, 2}, strew.tensor{true}, strew.time{"2024-05-17"}} do
      local seen = {strew.from_arrow(strew.to_arrow(t))}
      for chunk in strew.from_arrow_stream(strew.to_arrow_stream(t)) do table.insert(seen, chunk) end
      assert.equal(2, #seen)
      for _, got in ipairs(seen) do assert.same({t.dtype, t:tolist()}, {got.dtype, got:tolist()}) end
    end
    local pair = strew.from_arrow(strew.to_arrow{line, strew.arange(3)})
    assert.same({"1", "2"}, strew.columns(pair))
    assert.same({"b", "a", "b"}, pair["1"]:tolist())
  end)

  it("leaves streams", function()
    collectgarbage()
    collectgarbage()
    local before = strew.memory()
    local function stream() return strew.to_arrow_stream{n = strew.ones(1000)} end
    for _ = 1, 10 do
      stream()
      strew.from_arrow_stream(stream())
      strew.from_arrow_stream(stream())()
      pcall(function()
        for _ in strew.from_arrow_stream(stream()) do error() end
      end)
    end
    do
      local chunks <close> = strew.from_arrow_stream(stream())
      assert.is_true(strew.memory() >= before + 4000)
      assert.equal(1000, chunks().n:numel())
    end
    collectgarbage()
    collectgarbage()
    assert.equal(before, strew.memory())
    local given = stream()
    local chunks, _, _, closing = strew.from_arrow_stream(given)
    assert.equal(chunks, closing)
    assert.equal("from_arrow_stream: 'stream' is NULL or was released", message(strew.from_arrow_stream, given))
    assert.equal(1000, chunks().n:numel())
    assert.is_nil(chunks())
    assert.is_nil(chunks())
    do local _ <close> = chunks end
    assert.equal("from_arrow_stream: the iterator is closed", message(chunks))
    local array = strew.to_arrow{n = strew.ones(2)}
    assert.truthy(message(strew.from_arrow_stream, array):find "'stream' is a strew.arrow_array")
    assert.truthy(message(strew.from_dlpack, given):find "'managed' is a strew.arrow_stream")
    assert.equal("to_arrow_stream: 'x' is \"a\", expected a tensor or a table of columns",
      message(strew.to_arrow_stream, "a"))
  end)

  it("moves structs, and releases those that nobody takes", function()
    local array, schema = strew.to_arrow{n = strew.ones(1000)}
    assert.truthy(support.message(strew.from_arrow, schema, array):find "^from_arrow: 'array' is ")
    strew.from_arrow(array, schema)
    assert.equal("from_arrow: 'array' is NULL or was released", message(strew.from_arrow, array, schema))
    assert.equal("to_arrow: 'x' is 5, expected a tensor or a table of columns", message(strew.to_arrow, 5))
    assert.same({1, 1}, strew.from_arrow(strew.to_arrow{x = strew.ones(2), y = strew.ones(2)}).x:tolist())
    assert.equal("to_arrow: 'x' has a column \"a\" of shape [2, 2], expected columns of equal length",
      message(strew.to_arrow, {a = strew.ones(2, 2)}))
    collectgarbage()
    local before = strew.memory()
    for _ = 1, 10 do strew.to_arrow{n = strew.ones(1000)} end
    collectgarbage()
    collectgarbage()
    assert.equal(before, strew.memory())
  end)
end)
