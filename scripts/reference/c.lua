-- usage: build/strew scripts/reference/c.lua FILE [HEADER...]
-- Writes the reference of the C interface: one page, made from the comments and declarations of the headers.
local page = dofile "scripts/reference/page.lua"
local escape = page.escape

-- ---- the headers: sections of entries, each a comment and the declarations below it

local function lines_of(path)
  local list = {}
  for line in page.read(path):gmatch "([^\n]*)\n" do table.insert(list, line) end
  return list
end

local function takes_more(kind, line)
  if kind == "comment" then return not line:find "%*/%s*$" end
  if kind == "macro" then return line:find "\\$" end
  if kind == "body" then return not line:find "^}" end
  return not line:find ";%s*$" and not line:find ";%s*/%*.*%*/%s*$"
end

local function kind_of(line)
  if line:find "^/%*" then return "comment" end
  if line:find "^#define" then return "macro" end
  if line:find "^typedef .*{$" or line:find "^STREW_INLINE" then return "body" end
  if line:find "^typedef" or line:find "^STREW_API" then return "declaration" end
end

-- Calls visit(kind, lines) for each comment and declaration in the first column, and for each empty line.
local function walk(lines, visit)
  local i = 1
  while i <= #lines do
    local kind, first = kind_of(lines[i]), i
    if kind then
      while takes_more(kind, lines[i]) do i = i + 1 end
      visit(kind, table.move(lines, first, i, 1, {}))
    elseif lines[i] == "" then
      visit("empty")
    end
    i = i + 1
  end
end

-- The text of a comment, without its marks and its indentation.
local function text_of(comment)
  local list = {}
  for i, line in ipairs(comment) do
    line = line:gsub(i == 1 and "^/%*%s?" or "^   ", ""):gsub("%s*%*/%s*$", "")
    table.insert(list, line)
  end
  return list
end

local function name_of(declaration)
  local text = table.concat(declaration, " ")
  return text:match "^#define ([%w_]+)" or text:match "^STREW_API.-([%w_]+)%("
    or text:match "^STREW_INLINE.-([%w_]+)%(" or text:match "([%w_]+);[^;}]*$"
end

-- Macros of the header's own: they end in an underscore, guard it, or mark declarations.
local function is_public(kind, name)
  return kind ~= "macro" or not (name:find "_$" or name:find "_H$" or name == "STREW_API")
end

-- Reads a header. A comment begins an entry, an empty line ends it. Entries without names are remarks.
local function sections_of(path)
  local sections, section, entry = {}, nil, nil
  local function begin_section(title)
    section, entry = {title = title, entries = {}}, nil
    table.insert(sections, section)
  end
  local function begin_entry(comment)
    entry = {text = comment and text_of(comment) or {}, declarations = {}, names = {}}
    table.insert(section.entries, entry)
  end
  local function declare(kind, lines)
    local name = name_of(lines)
    if name == "STREW_INLINE" then return end -- it marks the functions of its entry
    if not entry then begin_entry() end
    if not is_public(kind, name) then entry.private = true end
    if lines[1]:find "^STREW_INLINE" then lines = {(lines[1]:gsub("^STREW_INLINE ", ""):gsub(" {$", ";"))} end
    if lines[1]:find "^STREW_API " then
      for i, line in ipairs(lines) do lines[i] = line:sub(#"STREW_API " + 1) end
    end
    table.insert(entry.declarations, lines)
    table.insert(entry.names, name)
  end
  walk(lines_of(path), function(kind, lines)
    local title = kind == "comment" and lines[1]:match "^/%* %-%-%-%-+ (.-) %*/$"
    if kind == "empty" then
      entry = nil
    elseif title then
      begin_section(title)
    elseif not section then
      begin_section(path:match "[^/]+$")
      section.head = text_of(lines)
    elseif kind ~= "comment" then
      declare(kind, lines)
    elseif not lines[1]:find "clang%-format" then
      begin_entry(lines)
    end
  end)
  for _, each in ipairs(sections) do
    for k = #each.entries, 1, -1 do
      if each.entries[k].private then table.remove(each.entries, k) end
    end
  end
  return sections
end

-- ---- markup

local places = {} -- of each name and enumerator: the id to link to

local function link(name, here)
  local place = places[name]
  if not place or place == here then return escape(name) end
  return ('<a href="#%s">%s</a>'):format(place, name)
end

-- Escapes a text and links the names in it.
local function linked(words, here)
  return (words:gsub("[^%w_]*[%w_]*", function(piece)
    local before, name = piece:match "^([^%w_]*)(.*)$"
    return escape(before) .. (name:find "^[sS][tT][rR][eE][wW]_" and link(name, here) or escape(name))
  end))
end

local function inline(words, here)
  local parts, position = {}, 1
  for before, quoted, after in words:gmatch "([^`]*)`([^`]*)`()" do
    table.insert(parts, linked(before, here) .. "<code>" .. linked(quoted, here) .. "</code>")
    position = after
  end
  local text = table.concat(parts) .. linked(words:sub(position), here)
  return (text:gsub("%f[%*]%*(%a[%a ]*%.?)%*", "<b>%1</b>"))
end

-- Lines that are rows or code: indented, begun by a dash, or by a word and two blanks.
local function is_verbatim(line) return (line:find "^%s" or line:find "^%- " or line:find "^%S+%s%s+%S") ~= nil end

-- True if a line begins a paragraph after the line before: "index: ..." after a full stop.
local function begins(line, before)
  local name = line:match "^([%w_%*, ]+): "
  return line == "" or name and #name < 30 and before:find "%.$"
end

local function add_text(add, lines, here)
  local i = 1
  while i <= #lines do
    local verbatim, first = is_verbatim(lines[i]), i
    while lines[i + 1] and is_verbatim(lines[i + 1]) == verbatim and not begins(lines[i + 1], lines[i]) do
      i = i + 1
    end
    local run = table.concat(lines, verbatim and "\n" or " ", first, i)
    if verbatim then
      local indent = #run -- that all lines share
      for blanks in ("\n" .. run):gmatch "\n( *)%S" do indent = math.min(indent, #blanks) end
      run = ("\n" .. run):gsub("\n" .. (" "):rep(indent), "\n"):sub(2)
      add('<pre class="note">%s</pre>', linked(run, here))
    elseif run:find "%S" then
      add("<p>%s</p>", inline(run:match "%S.*", here))
    end
    i = i + 1
  end
end

-- A declaration: comments are dim, names are links.
local function declared(lines, here)
  local text, parts, position = table.concat(lines, "\n"), {}, 1
  for from, to in text:gmatch "()/%*.-%*/()" do
    table.insert(parts, linked(text:sub(position, from - 1), here))
    table.insert(parts, '<span class="comment">' .. linked(text:sub(from, to - 1), here) .. "</span>")
    position = to
  end
  return table.concat(parts) .. linked(text:sub(position), here)
end

-- Words under which a search finds a name that its text does not have.
local synonyms = {
  strew_context_interrupt = "cancel abort stop kill ctrl-c",
  strew_context_limit_time = "timeout deadline",
  strew_context_clear_interrupt = "cancel resume",
  strew_from = "upload create array",
  strew_read = "download array",
  strew_wrap = "zero-copy borrow array numpy",
  strew_release = "free delete destroy",
  strew_options = "logging progress callback",
  strew_group_reduce = "group by aggregate",
  strew_group_by_with = "aggregate",
  strew_to = "cast astype convert device copy",
  strew_gather_with = "lookup",
  strew_cat = "append concatenate",
}

local function add_entry(add, entry)
  local id = entry.names[1]
  if not id then return add_text(add, entry.text) end
  local headings = {}
  for i, name in ipairs(entry.names) do
    headings[i] = ('<a%s href="#%s">%s</a>'):format(i > 1 and (' id="%s"'):format(name) or "", name, name)
  end
  local words = synonyms[id] and (' data-words="%s"'):format(synonyms[id]) or ""
  add('<article id="%s"%s><h3>%s</h3>', id, words, table.concat(headings, "<br>\n"))
  local declarations = {}
  for i, lines in ipairs(entry.declarations) do declarations[i] = declared(lines, id) end
  add('<pre class="declared">%s</pre>', table.concat(declarations, "\n"))
  add_text(add, entry.text, id)
  add '</article>'
end

-- ---- examples: functions of the sample hosts

-- Returns {title, lines, names = set of words} of each function in scripts/hosts that fits a page.
local function samples()
  local list = {}
  for path in io.popen("ls scripts/hosts/*.c scripts/hosts/*.cpp"):lines() do
    for body in page.read(path):gmatch "\n(%a[^\n]*%) {\n.-\n}\n)" do
      local sample = {path = path, body = body, names = {}}
      for name in body:gmatch "[%a_][%w_]*" do sample.names[name] = true end
      if select(2, body:gsub("\n", "")) <= 45 then table.insert(list, sample) end
    end
  end
  return list
end
local hosts = samples()

-- Adds the sample that calls the most functions of a section, once on the page.
local function add_sample(add, section)
  local best, most = nil, 0
  for _, sample in ipairs(hosts) do
    local count = 0
    for _, entry in ipairs(section.entries) do
      for _, name in ipairs(entry.names) do count = count + (sample.names[name] and name:find "^strew_" and 1 or 0) end
    end
    if count > most then best, most = sample, count end
  end
  if not best then return end
  local id = "example-" .. section.title:gsub("%A+", "-")
  if best.id then
    return add('<p>Example: <a href="#%s">%s</a>.</p>', best.id, best.path)
  end
  best.id = id
  add('<article id="%s"><h3><a href="#%s">An example</a></h3><p>From <code>%s</code>:</p>', id, id, best.path)
  add('<pre class="example">%s</pre></article>', linked(best.body:gsub("\n$", "")))
end

local function add_section(add, section)
  add('<section id="%s"><h2>%s</h2>', page.id_of(section.title), escape(section.title))
  if section.head then
    add('<article id="%s">', section.title)
    add_text(add, section.head)
    add '</article>'
  end
  for _, entry in ipairs(section.entries) do add_entry(add, entry) end
  add_sample(add, section)
  add '</section>'
end

-- ---- the page

-- The head of strew.hpp, which is a wrapper of all these functions.
local function wrapper()
  local head = {}
  for _, line in ipairs(lines_of "runtime/strew.hpp") do
    if not line:find "^//" then break end
    table.insert(head, (line:gsub("^//%s?", "")))
  end
  return {title = "strew.hpp", head = head, entries = {}}
end

local sections = {}
local all_headers = {"runtime/strew_core.h", "runtime/strew.h", "lua_bindings/strew_lua.h"}
for _, header in ipairs(arg[2] and table.move(arg, 2, #arg, 1, {}) or all_headers) do
  local own = sections_of(header)
  table.move(own, 1, #own, #sections + 1, sections)
end
if not arg[2] then table.insert(sections, wrapper()) end
for _, section in ipairs(sections) do
  for _, entry in ipairs(section.entries) do
    for i, name in ipairs(entry.names) do
      places[name] = name
      local body = table.concat(entry.declarations[i], "\n"):match "^typedef enum.-{(.*)}"
      for enumerator in (body or ""):gsub("/%*.-%*/", ""):gmatch "STREW_[%w_]+" do places[enumerator] = name end
    end
  end
end

local body, contents = {}, {}
local function add(format, ...) table.insert(body, select("#", ...) > 0 and format:format(...) or format) end
-- The index: all functions by the alphabet.
local function add_index()
  local names = {}
  for _, section in ipairs(sections) do
    for _, entry in ipairs(section.entries) do
      for _, name in ipairs(entry.names) do
        if name:find "^strew_" then table.insert(names, {name, name}) end
      end
    end
  end
  table.sort(names, function(a, b) return a[1] < b[1] end)
  add('<section id="index"><h2>Index</h2><p class="names">%s</p></section>', page.links(names))
end

for i, section in ipairs(sections) do
  if i == 2 then add_index() end
  add_section(add, section)
  local links = {}
  for _, entry in ipairs(section.entries) do
    for _, name in ipairs(entry.names) do table.insert(links, {name, name}) end
  end
  table.insert(contents, {page.id_of(section.title), section.title, links = links})
  if i == 1 then table.insert(contents, {"index", "Index of all names"}) end
end
local file <close> = assert(io.open(assert(arg[1], "usage: c.lua FILE"), "w"))
assert(file:write(page.frame("c.html", contents, body)))
