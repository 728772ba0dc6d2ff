-- The codes of strew in scripts/reference/coming_from.lua give the results written there, and calls in the words beside
-- them run. Codes of Torch7 are Lua, too: they are parsed. (Those of Python: tests/coming_from_peers.py.)
local support = require "tests.spec.support"
local results = dofile "tests/results.lua"
local pages = dofile "scripts/reference/coming_from.lua"

local folder, files = os.tmpname(), {}

-- A code with its files in the folder of temporary files.
local function placed(code)
  return (code:gsub('"(%w+%.%l+)"', function(name)
    files[name] = folder .. "_" .. name
    return ('"%s"'):format(files[name])
  end))
end

describe("coming from elsewhere", function()
  teardown(function()
    os.remove(folder)
    for _, path in pairs(files) do os.remove(path) end
  end)

  for _, page in ipairs(pages) do
    local key, _, _, rows = page[1], page[2], page[3], page.rows
    local is_tried = not (support.lacks_float64 and page.here:find "float64")

    it("has twenty steps: " .. key, function()
      local titles = {}
      for _, row in ipairs(rows) do
        assert.is_nil(titles[row[1]], row[1])
        titles[row[1]] = true
        assert.are_not.equal(row[4], row.there, "the same result, written twice: " .. row[1])
      end
      assert.equal(20, #rows)
    end)

    for _, row in ipairs(is_tried and rows or {}) do
      it(("%s: %s"):format(key, row[1]), function()
        local code = placed(page.here .. "\n" .. row[3])
        assert.equal(row[4], results.of(code))
        local _, before = results.chunk(code)
        for call in row[5]:gmatch "`([%w_.]+[.:][%w_]+%b()[%w_.:()]*)`" do results.of(before .. "\n" .. call) end
        if not page.peer then results.chunk(page.there .. "\n" .. row[2]) end
      end)
    end
  end
end)
