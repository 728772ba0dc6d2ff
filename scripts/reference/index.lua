-- usage: build/strew scripts/reference/index.lua FILE
-- Writes the manual of the Lua module and the program: one page, which shows a section at a time. It begins with tasks.
local text = dofile "scripts/reference/text.lua"
local page = dofile "scripts/reference/page.lua"
local elsewhere = dofile "scripts/reference/coming_from.lua"
local tasks = dofile "scripts/reference/tasks.lua"
local escape = page.escape

-- A name in `backquotes` with an entry becomes a link.
local function code(words)
  local plain = words:match "^[%w_]+$" or words:match "^strew%.[%w_.]+$" or words:match "^t:[%w_]+$"
  local entry = plain and #plain > 1 and text.find(plain)
  local shown = "<code>" .. escape(words) .. "</code>"
  return entry and ('<a href="#%s">%s</a>'):format(entry.name, shown) or shown
end

local function inline(words)
  local parts, position = {}, 1
  for before, quoted, after in words:gmatch "([^`]*)`([^`]*)`()" do
    table.insert(parts, escape(before) .. code(quoted))
    position = after
  end
  return table.concat(parts) .. escape(words:sub(position))
end

-- Syntax colours: comments, strings and Lua's keywords.
local keywords = {}
local words_of_lua = "and break do else elseif end false for function if in local nil not or return then true while"
for word in words_of_lua:gmatch "%a+" do keywords[word] = true end

local function highlight(line)
  local parts = {}
  local function token(class, words)
    table.insert(parts, ('<span class="%s">%s</span>'):format(class, escape(words)))
  end
  while line ~= "" do
    local comment, quoted, word = line:match "^%-%-.*", line:match '^".-"', line:match "^[%a_][%w_]*"
    local taken = comment or quoted or word or line:sub(1, 1)
    if comment then token("comment", comment)
    elseif quoted then token("string", quoted)
    elseif keywords[word] then token("keyword", word)
    else table.insert(parts, escape(taken)) end
    line = line:sub(#taken + 1)
  end
  return table.concat(parts)
end

local function highlighted(lines_of_code)
  local lines = {}
  for line in (lines_of_code .. "\n"):gmatch "([^\n]*)\n" do table.insert(lines, highlight(line)) end
  return table.concat(lines, "\n")
end

local out = {}
local function add(format, ...) table.insert(out, format:format(...)) end

-- Escapes a text of code, which may then be broken after its bars, commas, points, underscores and parentheses.
local function broken(code_text) return (escape(code_text):gsub("[|,._(]", "%0<wbr>")) end

local function add_table(rows)
  if #rows == 0 then return end
  add '<table>'
  for _, row in ipairs(rows) do
    local name, type, words = escape(row[1]), broken(row[2]), inline(row[3])
    add('<tr><th><code>%s</code></th><td class="type">%s</td><td>%s</td></tr>', name, type, words)
  end
  add '</table>'
end

-- The libraries that have a name in a task's rows, {key, title}.
local function libraries_of(task)
  local list = {}
  for _, library in ipairs(text.libraries) do
    for k = 2, #task do
      if task[k][library[1]] then table.insert(list, library) break end
    end
  end
  return list
end

-- A table of which.lua: a task's calls, and their names in each library. The call leads to its entry.
local function add_task(task)
  local libraries = libraries_of(task)
  add('<h4 id="%s">%s</h4><div class="wide"><table class="which">', page.id_of(task[1], "which"), escape(task[1]))
  add '<tr><th>strew</th><th></th>'
  for _, library in ipairs(libraries) do add("<th>%s</th>", library[2]) end
  add '</tr>'
  for k = 2, #task do
    local row = task[k]
    add('<tr><td><a href="#%s"><code>%s</code></a></td><td>%s</td>', row.entry.name, escape(row[1]), escape(row[2]))
    for _, library in ipairs(libraries) do
      add('<td data-of="%s">%s</td>', library[2], broken((row[library[1]] or ""):gsub(";", ",")))
    end
    add '</tr>'
  end
  add '</table></div>'
end

local function add_example(entry)
  add('<pre class="example">%s</pre>', highlighted(entry.example))
  add('<pre class="output">%s</pre>', escape(entry.output))
end

-- Recipes of recipes.lua, which tasks show.
local function recipe_links()
  local links = {}
  for k, recipe in ipairs(text.find("recipes").recipes) do links[k] = {page.id_of(recipe.title), recipe.title} end
  return links
end

local function add_entry(entry)
  add('<article id="%s">', entry.name)
  if entry.forms.inplace then add('<a id="%s_"></a>', entry.name) end
  add('<h3><a href="#%s">%s</a></h3>', entry.name, entry.name)
  if entry.kind == "function" then
    local calls = {}
    for i, call in ipairs(text.signatures(entry)) do calls[i] = ("<span>%s</span>"):format(escape(call)) end
    add('<pre class="calls">%s</pre>', table.concat(calls))
  end
  add('<p class="summary">%s</p>', inline(entry.summary))
  for _, paragraph in ipairs(text.paragraphs(entry.body)) do
    if paragraph ~= "" then add("<p>%s</p>", inline(paragraph)) end
  end
  add_table(text.rows_of(entry))
  if entry.tasks then
    add('<pre class="example">%s</pre>', highlighted(text.operands))
    for _, task in ipairs(entry.tasks) do add_task(task) end
  end
  if entry.recipes then add("<p>%s</p>", page.links(recipe_links())) end
  local names = text.elsewhere(text.all_names(entry))
  if names ~= "" then
    add('<p class="elsewhere">Elsewhere: %s</p>', escape(names))
  end
  if entry.example then add_example(entry) end
  add '</article>'
end

-- A page of coming_from.lua: the operands, then a step after the other, both codes side by side.
local function add_coming(from)
  local function side(library, lines, is_lua)
    add('<pre data-of="%s">%s</pre>', library, is_lua and highlighted(lines) or escape(lines))
  end
  local function sides(there, here, scatter)
    add '<div class="sides">'
    side(from.library, there, not from.peer)
    side("strew", here, true)
    if scatter then side("torch_scatter, not run by the tests", scatter) end
    add '</div>'
  end
  add('<article id="from-%s"><h3><a href="#from-%s">%s</a></h3><p>%s</p>', from[1], from[1], from[2], inline(from[3]))
  sides(from.there, from.here)
  for _, row in ipairs(from.rows) do
    add('<h4>%s</h4>', escape(row[1]))
    sides(row[2], row[3], row.scatter)
    add('<pre class="output">%s</pre>', escape(row[4]))
    if row.there then add('<pre class="output" data-of="%s">%s</pre>', from.library, escape(row.there)) end
    add('<p>%s</p>', inline(row[5]))
  end
  add '</article>'
end

-- ---- tasks

local recipes = {}
for _, recipe in ipairs(text.find("recipes").recipes) do recipes[recipe.title] = recipe end

-- What a task shows: a recipe, or the example of an entry.
local function add_shown(name)
  local recipe = recipes[name]
  local shown = recipe or assert(text.find(name), name)
  recipes[name] = nil
  if recipe then
    add('<article id="%s"><h3>%s</h3>', page.id_of(name), escape(name))
  else
    add('<article><h3><a href="#%s">%s</a></h3>', shown.name, shown.name)
  end
  add("<p>%s</p>", inline(shown.summary))
  add_example(shown)
  add '</article>'
end

local function add_task_page(task)
  local id, title, words, shown, calls, tables = table.unpack(task)
  add('<section id="task-%s"><article id="to-%s"><h2>%s</h2><p class="summary">%s</p></article>', id, id, escape(title),
    inline(words))
  for name in shown:gmatch "%s*([^;]+)" do add_shown(name) end
  add '<article><h3>More</h3><table>'
  for name in calls:gmatch "%S+" do
    local entry = assert(text.find(name), name)
    add('<tr><th><a href="#%s"><code>%s</code></a></th><td>%s</td></tr>', entry.name, name, inline(entry.summary))
  end
  add '</table>'
  local links = {}
  for named in (tables or ""):gmatch "%s*([^;]+)" do table.insert(links, {page.id_of(named, "which"), named}) end
  if #links > 0 then add("<p>Names in other libraries: %s.</p>", page.links(links, ", ")) end
  add '</article></section>'
end

local function add_cards()
  add '<h2 id="tasks">What do you want to do?</h2><div class="tasks">'
  for _, task in ipairs(tasks) do
    add('<a href="#task-%s"><b>%s</b> %s</a>', task[1], escape(task[2]), escape(task[3]))
  end
  add '</div>'
end

-- ---- the page

-- The blocks of a part of README.md, with what scripts print.
local function add_readme(words)
  local kinds = {csv = "output", lua = "example", text = "output"}
  for before, kind, body in (words .. "\n``` \n```"):gmatch "(.-)```(%S*)[^\n]*\n(.-)\n?```" do
    for paragraph in (before .. "\n\n"):gmatch "%s*(%S.-)\n\n" do add("<p>%s</p>", inline(paragraph)) end
    local lines = kind == "lua" and highlighted(body) or escape(body)
    if kinds[kind] then add('<pre class="%s">%s</pre>', kinds[kind], lines) end
  end
end

local from_links, group_links, task_links = {}, {}, {}
for k, from in ipairs(elsewhere) do from_links[k] = {"from-" .. from[1], from[2]} end
for k, group in ipairs(text.groups) do group_links[k] = {page.id_of(group.title), group.title} end
table.insert(group_links, {"program", "The program"})
for k, task in ipairs(tasks) do task_links[k] = {"task-" .. task[1], task[2]} end

-- The beginning: tasks, what README.md says that strew is, its first script, and where to find what.
local function add_start()
  local readme = page.read "README.md"
  add '<section id="start">'
  add_cards()
  add '<article id="strew-start"><h3>What strew is</h3>'
  add_readme(readme:match "^# strew\n\n(.-)\nWhat it promises")
  add '</article><article id="first-script"><h3>A first script</h3>'
  add_readme(readme:match "\n## A first script\n(.-)\nSave it as")
  add '</article><article id="find-what"><h3>Where to find what</h3>'
  add("<p>Coming from elsewhere, the twenty commonest steps side by side: %s.</p>", page.links(from_links, ", "))
  add("<p>The calls for each task, and their names in other libraries: %s.</p>", inline "`which`")
  add("<p>The reference: %s.</p></article></section>", page.links(group_links, ", "))
end

local function add_program()
  add '<section><h2>The program</h2><article id="program"><p><code>strew [options] [script [args]]</code></p>'
  local function rows(list)
    local made = {}
    for i, row in ipairs(list) do made[i] = {row[1], "", row[2]} end
    return made
  end
  add_table(rows(text.options()))
  add '<p>Variables of the environment:</p>'
  add_table(rows(text.environment))
  add '</article></section>'
end

add_start()
for _, task in ipairs(tasks) do add_task_page(task) end
assert(not next(recipes), "no task shows the recipe " .. tostring(next(recipes)))
add '<section id="coming"><h2>Coming from elsewhere</h2>'
for _, from in ipairs(elsewhere) do add_coming(from) end
add '</section>'
for _, group in ipairs(text.groups) do
  add('<section id="%s"><h2>%s</h2>', page.id_of(group.title), escape(group.title))
  for _, entry in ipairs(group.entries) do add_entry(entry) end
  add '</section>'
end
add_program()

local contents = {{"start", "Start"}, {"tasks", "Tasks", links = task_links},
  {"coming", "Coming from elsewhere", links = from_links}}
for _, group in ipairs(text.groups) do
  local links = {}
  for k, entry in ipairs(group.entries) do links[k] = {entry.name, entry.name} end
  table.insert(contents, {page.id_of(group.title), group.title, links = links})
end
table.insert(contents, {"program", "The program"})

-- What users search for, and the ids of articles that answer.
local phrases = {}
for k, row in ipairs(text.phrases) do
  local ids = {}
  for name in row[2]:gmatch "%S+" do table.insert(ids, assert(text.find(name), name).name) end
  if row[3] then table.insert(ids, 1, page.id_of(row[3]:match "^recipes (.*)")) end
  phrases[k] = ('["%s", "%s"]'):format(row[1]:lower(), table.concat(ids, " "))
end
local file = assert(arg[1], "usage: index.lua FILE")
text.write(file, page.frame("index.html", contents, out, table.concat(phrases, ",\n")))
