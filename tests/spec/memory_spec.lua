local strew = require "strew"
local support = dofile "tests/spec/support.lua"

local MEBIBYTE = 2 ^ 20

-- The maximum of tensor memory that f uses in addition, in MiB, at its calls of its argument. (The peak of the process
-- may be that of an earlier spec.)
local function growth(f)
  collectgarbage()
  collectgarbage()
  local before, most = strew.memory(), 0
  f(function() most = math.max(most, strew.memory() - before) end)
  return most / MEBIBYTE
end

describe("tensor memory", function()
  for _, mode in ipairs{"incremental", "generational"} do
    it("is known to the collector in " .. mode .. " mode", function()
      local before = collectgarbage(mode)
      finally(function() collectgarbage(before) end)
      assert.is_true(growth(function(look)
        for _ = 1, 2000 do
          strew.empty(1024, 1024)
          look()
        end
      end) <= 24)
      assert.is_true(growth(function(look)
        local x = strew.empty(512, 1024)
        for _ = 1, 300 do
          local y = x:view(1024, 512):clone()
          local z = y:clone()
          x = z:clone()
          look()
        end
      end) <= 160)
    end)
  end

  -- Loops of temporaries that two collections in turn would find in use: the local and the new result.
  it("has little garbage beside large tensors", function()
    local kept = strew.empty({400, 1024, 1024}, {dtype = "uint8"})
    assert.is_true(growth(function(look)
      local y
      for _ = 1, 100 do
        y = strew.empty({16, 1024, 1024}, {dtype = "uint8"})
        look()
      end
      return y
    end) <= 32 + 5 * 16)
    assert.equal(400, kept.shape[1])
  end)

  it("waits for full collections where they take long", function()
    local before = collectgarbage("incremental")
    finally(function() collectgarbage(before) end)
    local kept, is_finalized = {}, false
    for k = 1, 100000 do kept[k] = {k, tostring(k)} end -- 14 MB
    kept.old = setmetatable({}, {__gc = function() is_finalized = true end})
    collectgarbage()
    collectgarbage("generational") -- makes all objects old: steps do not visit them
    kept.old = nil
    local y
    for _ = 1, 200 do y = strew.empty(1024, 1024) end
    assert.is_false(is_finalized)
    collectgarbage()
    collectgarbage()
    assert.is_true(is_finalized)
    assert.equal(100000, #kept)
    return y
  end)

  it("stays while the collector is stopped", function()
    collectgarbage("stop")
    finally(function() collectgarbage("restart") end)
    local before = strew.memory()
    for _ = 1, 8 do strew.empty(1024, 1024) end
    assert.is_true(strew.memory() - before >= 32 * MEBIBYTE)
  end)

  it("is freed by free and by <close>", function()
    collectgarbage()
    local before = strew.memory()
    do
      local a <close> = strew.empty(1024, 1024)
      local b = strew.empty(1024, 1024)
      assert.is_true(strew.memory() >= before + 8 * MEBIBYTE)
      b:free()
      assert.equal("tensor (freed)", tostring(b))
      assert.equal(4, a.device and (strew.memory() - before) // MEBIBYTE)
    end
    assert.is_true(strew.memory() < before + MEBIBYTE)
  end)

  it("may be freed twice by <close>", function()
    local a = strew.ones(1)
    do
      local b <close> = a
      b:free()
    end
    assert.equal("tensor (freed)", tostring(a))
    assert.equal("tensor", getmetatable(a))
    local metatable = debug.getmetatable(a)
    for _, f in ipairs{metatable.__gc, metatable.__close} do f(a) f(a) f(5) f() f(io.stdout) end
  end)

  it("survives finalizers", function()
    local victim
    local function hurt()
      if victim then pcall(victim.free, victim) end
      setmetatable({}, {__gc = hurt})
    end
    hurt()
    local before = collectgarbage("incremental", 1, 10000)
    finally(function()
      hurt = function() end
      collectgarbage(before)
    end)
    for i = 1, 300 do
      victim = strew.ones(8)
      pcall(function()
        local pieces = victim:split(1)
        assert.equal(8, #pieces)
        return victim:tolist(), victim + 1, tostring(victim), victim:sort(), victim:view(2, 4), strew.cat{victim}
      end)
      assert.is_true(i > 0)
    end
    victim = nil
  end)

  it("survives finalizers that add to an option", function()
    local chunk = [[
      local strew = require "strew"
      collectgarbage("incremental", 1, 1000, 1)
      local path = os.tmpname() .. ".csv"
      local dates, count = nil, 0
      local function add()
        if dates then
          count = count + 1
          for i = 1, 400 do dates[("key%d_%d"):format(i, count)] = "%d.%m.%Y" end
          dates = nil
        end
        setmetatable({}, {__gc = add})
      end
      for _ = 1, 20 do add() end
      strew.save(path, {a = strew.tensor{1, 2}})
      for _ = 1, 200 do
        local given = {a = "%d.%m.%Y"}
        dates = given
        assert(not pcall(strew.load, path, {dates = given}))
      end
      dates = nil
      os.remove(path)
      os.remove(path:sub(1, -5))
      io.write "done"]]
    assert.equal("done", support.output(chunk))
  end)

  it("survives a finalizer that frees the tensor being shown", function()
    local chunk = [[
      local strew = require "strew"
      collectgarbage("incremental", 110, 1000, 30)
      local captions = {}
      function print(text) captions[#captions + 1] = text:match "[^\n]*$" end
      for i = 1, 400 do
        local shown = strew.zeros(90, 70)
        collectgarbage()
        setmetatable({}, {__gc = function() shown:free() taken = strew.zeros(90, 7) end}) -- where it was
        local filler = ("x"):rep(100 * i) -- the collector comes a little earlier each time
        pcall(strew.show, shown, {style = "ascii", width = 70, height = 90})
      end
      for _, caption in ipairs(captions) do assert(caption == captions[1], caption) end
      io.write(captions[1])]]
    assert.equal("0 .. 0, a cell is the mean of 2 x 1", support.output(chunk))
  end)

  it("survives the end of a Lua state", function()
    local chunk = [[
      early = setmetatable({}, {__gc = function() print(pcall(strew.ones, 1)) end})
      strew = require "strew"
      t = strew.ones(2)
      late = setmetatable({}, {__gc = function() u = t + 1; print(u) end})
      os.exit(0, true)]]
    assert.equal("float32[2] " .. strew.zeros(1).device
                 .. "\n 2  2\nfalse\t(command line):1: ones: the Lua state is being closed\n", support.output(chunk))
  end)

  it("works in coroutines", function()
    local total = 0
    local each = coroutine.wrap(function()
      for i = 0, 2 do coroutine.yield(strew.full(4, i)) end
    end)
    for t in each do total = total + t:sum():item() end
    assert.equal(12, total)
  end)
end)
