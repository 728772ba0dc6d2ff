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

local text = debug.getregistry()["strew.help"]()
local page, manual = read(build .. "/doc/index.html"), read(build .. "/strew.1")
-- The words of the page, without roff's backslashes.
local words = manual:gsub("\\f.", ""):gsub("\\", "")

-- ---- the pages: complete, self-contained, without dead links
local pages = {["index.html"] = page, ["c.html"] = read(build .. "/doc/c.html")}
local void, ids = {meta = true, input = true, br = true, wbr = true, ["!DOCTYPE"] = true}, {}
for name, whole in pairs(pages) do
  local markup, open = whole:gsub("<style>.-</style>", ""):gsub("<script>.-</script>", ""), {}
  for slash, tag in markup:gmatch "<(/?)([%w!]+)[^>]*>" do
    if slash == "/" then
      check(table.remove(open) == tag, name .. ": </" .. tag .. "> closes another tag")
    elseif not void[tag] then
      table.insert(open, tag)
    end
  end
  check(#open == 0, name .. ": tags are left open: " .. table.concat(open, " "))
  check(not (whole:find "https?:" or whole:find 'src=' or whole:find "@import"), name .. " needs something else")
  for id in markup:gmatch 'id="(.-)"' do
    check(not ids[name .. "#" .. id], name .. ": two things are called " .. id)
    ids[name .. "#" .. id] = true
  end
  pages[name] = markup
end
for name, markup in pairs(pages) do
  for target in markup:gmatch 'href="(.-)"' do
    local known = target:find "^#" and ids[name .. target] or pages[target]
    check(known, name .. ": a link leads nowhere: " .. target)
  end
end
local markup = pages["index.html"]
check(markup:find('<a href="c.html">', 1, true), "index.html does not lead to c.html")
for _, name in ipairs(text.names()) do check(ids["index.html#" .. name], "nothing is said of " .. name) end

-- ---- the page of the C interface: each function once, in a heading and in a declaration; each comment
local characters = {lt = "<", gt = ">", quot = '"', amp = "&"}
local function plain(block) return (block:gsub("<[^>]*>", ""):gsub("&(%a+);", characters)) end
local words_of_c = " " .. pages["c.html"]:gsub("<[^>]*>", ""):gsub("&(%a+);", characters):gsub("%s+", " ")
local declared = {}
for block in pages["c.html"]:gmatch '<pre class="declared">(.-)</pre>' do
  table.insert(declared, (block:gsub("<span.->.-</span>", ""):gsub("<[^>]*>", "")))
end
local declarations, functions = table.concat(declared, "\n"), 0
local function times(where, what) return select(2, where:gsub(what:gsub("%p", "%%%0"), "")) end
for _, header in ipairs {"runtime/strew_core.h", "runtime/strew.h", "lua_bindings/strew_lua.h"} do
  local source = read(header)
  for declaration in source:gsub("\n#[^\n]*", ""):gmatch "STREW_API([^;]*);" do
    local name = declaration:match "([%w_]+)%("
    functions = functions + 1
    check(ids["c.html#" .. name], "c.html says nothing of " .. name)
    check(times(declarations, name .. "(") == 1, "c.html does not declare once " .. name)
    check(words_of_c:find(declaration:gsub("%s+", " "), 1, true), "c.html declares otherwise " .. name)
  end
  for comment in source:gsub("\n#include[^\n]*", ""):gmatch "/%*(.-)%*/" do
    local private = comment:find "^ %-%-%-" or comment:find "^ %(Macros in" or comment:find "clang%-format"
    local as_shown = comment:gsub("%*(%a[%a ]*%.?)%*", "%1"):gsub("%s+", " "):gsub("^ ", ""):gsub(" $", "")
    local found = words_of_c:find(as_shown, 1, true) or words_of_c:find((as_shown:gsub("`", "")), 1, true)
    check(private or found, "c.html lacks a comment of " .. header .. ": " .. as_shown)
  end
end
check(functions > 120, "few functions are found: " .. functions)

-- ---- the beginning of each page, and what a search finds
local start = markup:match '<section id="start">(.-)</section>' or ""
for paragraph in read("README.md"):match("^# strew\n\n(.-)\n```"):gmatch "[^\n]+" do
  local shown = plain(start):gsub("%s+", " "):find(paragraph:gsub("`", ""), 1, true)
  check(shown, "index.html does not begin with " .. paragraph)
end
for _, task in ipairs(dofile "scripts/reference/tasks.lua") do
  check(start:find(('<a href="#task-%s"><b>%s</b>'):format(task[1], task[2]), 1, true), "no card leads to " .. task[2])
  check(ids["index.html#task-" .. task[1]], "index.html has no task " .. task[2])
end
for _, row in ipairs(text.phrases) do
  for name in row[2]:gmatch "%S+" do check(text.find(name), "a search leads nowhere: " .. name) end
end
local index = pages["c.html"]:match '<section id="index">(.-)</section>' or ""
for name in declarations:gmatch "(strew_[%w_]+)%(" do
  check(index:find(">" .. name .. "<", 1, true), "c.html has no line in the index for " .. name)
end
check(pages["c.html"]:find 'id="strew_context_interrupt" data%-words="cancel', "c.html has no cancel")
check(pages["c.html"]:find '<pre class="example">.-strew_scatter', "c.html has no example of strew_scatter")

-- ---- the text for language servers: Lua that declares the functions and methods of the module
local editors = {Tensor = {}, strew = {}}
local luacats = read(build .. "/luacats/strew.lua"):gsub("\nlocal Tensor = {}\n", "\n")
assert(load(luacats, "=luacats", "t", editors))()
for owner, there in pairs{strew = strew, Tensor = debug.getregistry()["strew.methods"]} do
  for name in pairs(there) do
    check(editors[owner][name] or name == "_VERSION", ("the text for editors lacks %s.%s"):format(owner, name))
  end
  for name in pairs(editors[owner]) do
    check(rawget(there, name), ("the text for editors has %s.%s"):format(owner, name))
  end
end

-- ---- the tables of calls by task
for _, task in ipairs(text.find("which").tasks) do
  check(markup:find(">" .. task[1] .. "</h4>", 1, true), "the page lacks the table " .. task[1])
  for k = 2, #task do
    local link = ('<a href="#%s"><code>'):format(task[k].entry.name)
    check(markup:find(link, 1, true), "the page lacks the call " .. task[k][1])
  end
end

-- ---- the recipes: their code without colours, and their outputs
local blocks = {}
for class, block in markup:gmatch '<pre class="(%a+)">(.-)</pre>' do blocks[class .. plain(block)] = true end
for _, recipe in ipairs(text.find("recipes").recipes) do
  check(markup:find(">" .. recipe.title .. "</h3>", 1, true), "the page lacks the recipe " .. recipe.title)
  check(blocks["example" .. recipe.example], "the page lacks the code of the recipe " .. recipe.title)
  check(blocks["output" .. recipe.output], "the page lacks the output of the recipe " .. recipe.title)
end

-- ---- the pages for those who come from elsewhere: their codes, results and words
local seen = plain(markup)
for _, from in ipairs(dofile "scripts/reference/coming_from.lua") do
  for _, row in ipairs(from.rows) do
    for _, part in pairs(row) do
      check(seen:find((part:gsub("`", "")), 1, true), ("the page lacks of %s, %s: %s"):format(from[1], row[1], part))
    end
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
