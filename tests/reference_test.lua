-- The reference and the manual page, as written by make doc and make: build/strew tests/reference_test.lua [BUILD]
local build = arg[1] or "build"
local passed, failed = 0, 0

local function read(path)
  local file <close> = assert(io.open(path))
  return file:read("a")
end

local function check(ok, what)
  if ok then passed = passed + 1 else failed = failed + 1 end
  if not ok then print("reference: " .. what) end
end

local function output(command)
  local pipe <close> = assert(io.popen(command))
  return pipe:read("a")
end

local text = assert(loadfile "lua_bindings/help.lua")(read "lua_bindings/strew.lua", dofile "lua_bindings/which.lua")
local page, manual = read(build .. "/doc/index.html"), read(build .. "/strew.1")
-- The words of the page, without roff's backslashes.
local words = manual:gsub("\\f.", ""):gsub("\\", "")

-- ---- the page: complete, self-contained, without dead links
local markup = page:gsub("<style>.-</style>", ""):gsub("<script>.-</script>", "")
local void, open = {meta = true, input = true, ["!DOCTYPE"] = true}, {}
for slash, tag in markup:gmatch "<(/?)([%w!]+)[^>]*>" do
  if slash == "/" then
    check(table.remove(open) == tag, "</" .. tag .. "> closes another tag")
  elseif not void[tag] then
    table.insert(open, tag)
  end
end
check(#open == 0, "tags are left open: " .. table.concat(open, " "))
check(not page:find "https?:" and not page:find 'src=' and not page:find "@import", "the page needs something else")

local ids = {}
for id in markup:gmatch 'id="(.-)"' do
  check(not ids[id], "two things are called " .. id)
  ids[id] = true
end
for target in markup:gmatch 'href="(.-)"' do check(ids[target:match "^#(.*)$"], "a link leads nowhere: " .. target) end
for _, name in ipairs(text.names()) do check(ids[name], "nothing is said of " .. name) end

-- ---- the tables of calls by task
for _, task in ipairs(text.find("which").tasks) do
  check(markup:find("<h4>" .. task[1] .. "</h4>", 1, true), "the page lacks the table " .. task[1])
  for k = 2, #task do
    local link = ('<a href="#%s"><code>'):format(task[k].entry.name)
    check(markup:find(link, 1, true), "the page lacks the call " .. task[k][1])
  end
end

-- ---- the manual page: every function and option, and no warnings of man
for _, entry in ipairs(text.entries) do
  local call = entry.kind == "function" and "\nstrew." .. entry.name .. "("
  check(not call or words:find(call, 1, true), "strew.1 says nothing of " .. entry.name)
end
for option in output(("'%s' --help"):format(build .. "/strew")):gmatch "\n  (%-%S*)" do
  check(words:find("\n" .. option, 1, true), "strew.1 says nothing of " .. option)
end
if not output("man --version 2>&1"):find "^man %d" then
  print "reference: strew.1 is not shown, man is missing (Debian: man-db)"
else
  local shown = output(("LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -l '%s/strew.1' 2>&1"):format(build))
  check(shown:find "NAME\n +strew +%- " and not shown:find "%d: warning", "man complains of strew.1: " .. shown)
end

print(("reference: %d passed, %d failed"):format(passed, failed))
os.exit(failed == 0)
