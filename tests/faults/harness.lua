-- harness.lua: busted's words for specs that run inside of faults.c, in a Lua state that may run out of memory at any
-- time; and demonstrations as bodies of their own. Arguments: the file, a folder to write to, and said(command), which
-- runs a command once and later repeats its output and exit status. Returns the bodies' names and functions: run(i),
-- with failures, then finish(), without failures; close() at the end.
local file, folder, said = ...
local names, bodies, setups, teardowns, endings = {}, {}, {}, {}, {}

-- ------------------------------------------------------------------------------------------------- the outside world

-- Processes are slow, and do not fail here.
local pipes = {}
pipes.__index = pipes
function pipes:read() return self.text end
function pipes:close() return self.text ~= nil end
pipes.__close = pipes.close
function io.popen(command) return setmetatable({text = (said(command))}, pipes) end -- luacheck: ignore

local execute = os.execute
function os.execute(command) -- luacheck: ignore
  if command:find "^rm " then return true end -- the folder is requested again, and removed at the end
  if command:find "^mkdir " then return execute((command:gsub("mkdir", "mkdir -p"))) end
  if command:find "^mkfifo " then return nil end -- writers of pipes would have to run each time
  local _, code = said(command)
  return code == 0 or nil
end

local files = 0
function os.tmpname() -- luacheck: ignore
  files = files + 1
  return folder .. "/" .. files
end

function os.exit(code) error("ends with " .. tostring(code)) end -- luacheck: ignore

-- ------------------------------------------------------------------------------------------------------ busted's words

local function text(value) return type(value) == "table" and "a table" or tostring(value) end
local function fail(what, expected, is) error(("expected: %s %s, not %s"):format(what, text(expected), text(is)), 3) end

local function same(a, b)
  if type(a) ~= "table" or type(b) ~= "table" then return a == b end
  for key, value in pairs(a) do
    if not same(value, b[key]) then return false end
  end
  for key in pairs(b) do
    if a[key] == nil then return false end
  end
  return true
end

local checks = {
  equal = function(expected, is) if expected ~= is then fail("equal", expected, is) end end,
  not_equal = function(a, b) if a == b then fail("other than", a, b) end end,
  same = function(expected, is) if not same(expected, is) then fail("same", expected, is) end end,
  matches = function(pattern, is, ...) if not is:find(pattern, ...) then fail("matches", pattern, is) end end,
  is_true = function(is, why) if is ~= true then fail("is", true, why or is) end end,
  is_false = function(is) if is ~= false then fail("is", false, is) end end,
  is_nil = function(is) if is ~= nil then fail("is", nil, is) end end,
  is_not_nil = function(is) if is == nil then fail("is not", nil, is) end end,
  is_function = function(is) if type(is) ~= "function" then fail("is a", "function", is) end end,
  is_string = function(is) if type(is) ~= "string" then fail("is a", "string", is) end end,
  has_error = function(f) if pcall(f) then fail("has", "an error", "none") end end,
  truthy = function(is, why) if not is then fail("is", "truthy", why or is) end end,
  falsy = function(is) if is then fail("is", "falsy", is) end end,
}
checks.is_truthy = checks.truthy
checks.are = checks
local plain_assert = assert
assert = setmetatable(checks, {__call = function(_, ...) return plain_assert(...) end}) -- luacheck: ignore

-- What runs before and after each body of a group, with what its outer groups say.
local before, after = {}, {}

function describe(_, body) -- luacheck: ignore
  local outer_before, outer_after = before, after
  before, after = {table.unpack(before)}, {table.unpack(after)}
  body()
  before, after = outer_before, outer_after
end

function it(name, body) -- luacheck: ignore
  local first, last = before, after
  names[#names + 1] = name
  bodies[#bodies + 1] = function()
    for _, f in ipairs(last) do endings[#endings + 1] = f end
    for _, f in ipairs(first) do f() end
    return body()
  end
end

function before_each(f) before[#before + 1] = f end -- luacheck: ignore
function after_each(f) after[#after + 1] = f end -- luacheck: ignore
function setup(f) setups[#setups + 1] = f end -- luacheck: ignore
function teardown(f) teardowns[#teardowns + 1] = f end -- luacheck: ignore
function finally(f) endings[#endings + 1] = f end -- luacheck: ignore
function pending() end -- luacheck: ignore

-- ----------------------------------------------------------------------------------------------------------- bodies

arg = {[0] = file, folder} -- luacheck: ignore
local chunk = plain_assert(loadfile(file))
if file:find "_spec.lua$" then
  chunk()
else
  it("runs", chunk) -- luacheck: ignore
end
for _, f in ipairs(setups) do f() end

local function run(i) return bodies[i]() end

local print = print
local function finish()
  for i = #endings, 1, -1 do endings[i]() end
  endings = {}
  _G.print = print -- luacheck: ignore
  collectgarbage "restart"
  collectgarbage "incremental"
end

local function close()
  for _, f in ipairs(teardowns) do f() end
end

-- The next call works: a scatter with a known sum, read from the default device (or another one).
local strew = require "strew"
local function probe(device)
  local options = {device = device}
  local t = strew.zeros(3, options):scatter_add_(0, strew.tensor({0, 2, 2}, options), strew.ones(3, options))
  local read = t:tolist()
  return read[1] == 1 and read[2] == 0 and read[3] == 2 and strew.ones(1000, options):sum():item() == 1000
end

return names, run, finish, close, probe
