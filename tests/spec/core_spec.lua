-- The calls of the core, which are all that the Lua module of a build with PARTS=core computes (make core runs this
-- file there, too), and what that says of the others.
local strew = require "strew"
local PARTS = os.getenv "STREW_TEST_PARTS" -- of the build; nil: all

local function values(t) return t:tolist() end

local function samples()
  local t = strew.ones(2)
  return {{}, {t}, {strew.ones(2, 2), 0, strew.tensor{{0, 1}}}, {"a"}, {{a = 1}}, {3, 4}, {{1, 2}}, {{a = {1, 2}}, "a"},
          {strew.tensor{1, 2}, strew.tensor{0, 1}}, {t, "x * 2"}, {t, t, {exact = true}}, {t, {dtype = "text"}}, {t, 1}}
end

describe("the core", function()
  it("makes tensors, reads and writes elements", function()
    local t = strew.tensor{{1, 2, 3}, {4, 5, 6}}
    assert.are.same({2, 3}, {t.shape[1], t.shape[2]})
    assert.are.same({{0, 0}, {0, 0}}, values(strew.zeros(2, 2)))
    assert.are.same({7, 7}, values(strew.full({2}, 7, {dtype = "int16"})))
    assert.are.equal(6, t:get(1, 2))
    t:set(0, 0, -1)
    assert.are.equal(-1, t:select(0, 0):get(0))
    assert.are.same({{1, 0}, {0, 1}}, values(strew.eye(2, {dtype = "uint8"})))
    assert.is_truthy(tostring(t):find("int64[2, 3] " .. tostring(t.device), 1, true))
  end)

  it("makes views, copies and joins", function()
    local t = strew.tensor{{1, 2, 3}, {4, 5, 6}}
    assert.are.same({{1, 4}, {2, 5}, {3, 6}}, values(t:t()))
    assert.are.same({{1, 2}, {3, 4}, {5, 6}}, values(t:view(3, 2)))
    assert.are.same({{2, 3}, {5, 6}}, values(t:narrow(1, 1, 2)))
    assert.are.same({4, 5, 6}, values(t[1]))
    assert.are.same({1, 5}, values(t:diagonal()))
    assert.are.same({{1, 2, 3}, {4, 5, 6}, {1, 2, 3}, {4, 5, 6}}, values(strew.cat{t, t}))
    assert.are.same({1.0, 2.0}, values(t:to("float32"):flatten():narrow(0, 0, 2)))
    assert.are.same({{{1}, {2}, {3}}}, values(t:narrow(0, 0, 1):unsqueeze(2)))
  end)

  it("scatters, gathers and selects at an index", function()
    local index = strew.tensor{0, 2, 0}
    assert.are.same({4.0, 0.0, 2.0}, values(strew.zeros(3):scatter_add_(0, index, strew.tensor{1.0, 2.0, 3.0})))
    assert.are.same({3, 9, 2}, values(strew.tensor{9, 9, 9}:scatter_(0, index, strew.tensor{1, 2, 3})))
    assert.are.same({3, 9, 9}, values(strew.tensor{1, 9, 1}:scatter_reduce_(0, index, strew.tensor{2, 9, 3}, "amax")))
    local t = strew.tensor{{1, 2}, {3, 4}, {5, 6}}
    assert.are.same({{1, 2}, {5, 6}, {1, 2}}, values(t:index_select(0, index)))
    assert.are.same({{1, 6}}, values(t:gather(0, strew.tensor{{0, 2}})))
    assert.are.same({{0, 0}, {3, 4}, {0, 0}}, values(t:index_fill(0, index, 0)))
    assert.are.same({{1, 2}, {9, 9}, {5, 6}}, values(t:index_copy(0, strew.tensor{1}, strew.tensor{{9, 9}})))
  end)

  it("names a bad index, and changes nothing", function()
    local t = strew.zeros(3)
    local done, message = pcall(t.scatter_add_, t, 0, strew.tensor{1, 3}, strew.ones(2))
    assert.is_false(done)
    assert.is_truthy(message:find("scatter_add_: 'index' has value 3 at [1], out of range for dim 0 of self", 1, true))
    assert.are.same({0.0, 0.0, 0.0}, values(t))
  end)

  it("says of a call of another room that the build lacks it", function()
    local done, message = pcall(strew.sort, strew.tensor{2, 1})
    assert.are.equal(not PARTS, done)
    if PARTS then
      assert.is_truthy(message:find("sort: is no call of this build, which has PARTS=" .. PARTS, 1, true), message)
    end
  end)

  -- Whatever a name of the module is given, a build without the call's room fails in order.
  it("calls every name without what it lacks", function()
    if not PARTS then return end
    local tried = 0
    for _, names in ipairs {strew, debug.getregistry()["strew.methods"]} do
      for name, f in pairs(names) do
        local prints = name:find "help" or name == "show"
        for _, arguments in ipairs(type(f) == "function" and not prints and samples() or {}) do
          pcall(f, table.unpack(arguments))
          tried = tried + 1
        end
      end
    end
    assert.is_true(tried > 5000, tried)
  end)
end)
