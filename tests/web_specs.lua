-- usage: node tests/web_node.js build/web tests/web_specs.lua SPEC...
-- Runs specs under node, where busted cannot: it needs modules in C. Prints failures, and how many tests passed.
package.path = "/usr/share/lua/5.1/?.lua;/usr/share/lua/5.1/?/init.lua;./?.lua" -- files, not the links of 5.4
local assertions = require "luassert"
local passed, failed, pending_count = 0, 0, 0
local pending_mark = {}
-- What emscripten lacks: processes, named pipes, and the libraries that the page is built without.
local absent = {"'popen' not supported", "built without zlib", "built without libzip", "built without libpng",
  "needs libpng, and strew was built without it", 'pipe", which cannot be opened'}

-- The blocks around the running one: their names and what runs before and after each of their tests.
local function root() return {name = "the file", before = {}, after = {}, last = {}} end
local around = {root()}
local function run_all(kind)
  for _, block in ipairs(around) do
    for _, f in ipairs(block[kind]) do f() end
  end
end
local function add(kind)
  return function(f) table.insert(around[#around][kind], f) end
end

local tests = {}
function tests.describe(name, f)
  table.insert(around, {name = name, before = {}, after = {}, last = {}})
  f()
  for _, last in ipairs(table.remove(around).last) do last() end
end
function tests.it(name, f)
  local ok, message = xpcall(function()
    run_all "before"
    f()
  end, function(problem) return problem == pending_mark and problem or debug.traceback(tostring(problem), 2) end)
  local done, trouble = pcall(run_all, "after")
  for _, words in ipairs(absent) do
    if type(message) == "string" and message:find(words, 1, true) then message = pending_mark end
  end
  if message == pending_mark then
    pending_count = pending_count + 1
  elseif ok and done then
    passed = passed + 1
  else
    failed = failed + 1
    print(("FAILED %s, %s: %s"):format(around[#around].name, name, message or trouble))
  end
end
function tests.pending() error(pending_mark, 0) end
tests.before_each, tests.after_each, tests.teardown = add "before", add "after", add "last"
tests.lazy_setup, tests.setup = function(f) f() end, function(f) f() end
tests.lazy_teardown, tests.assert = tests.teardown, assertions
function tests.finally(f) table.insert(around[#around].last, f) end
for name, value in pairs(tests) do _G[name] = value end

for _, path in ipairs(arg) do
  local chunk, message = loadfile(path)
  local before = failed
  local ok, problem = xpcall(chunk or error, debug.traceback, message)
  if not ok then
    failed = failed + 1
    print(("FAILED %s: %s"):format(path, problem))
  end
  around = {root()}
  if failed > before then print(("  of %s: %d"):format(path, failed - before)) end
  collectgarbage()
end
print(("%d passed, %d failed, %d pending"):format(passed, failed, pending_count))
os.exit(failed == 0)
