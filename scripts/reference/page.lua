-- page.lua: the frame that the pages of the manual share. A page is self-contained, and works from a disk.
local strew = require "strew"
local page = {}

function page.read(path)
  local file <close> = assert(io.open(path))
  return file:read("a")
end

local entities = {["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;"}
function page.escape(words) return (words:gsub('[&<>"]', entities)) end

-- A word as a part of an id.
function page.id_of(title, kind) return (kind or "group") .. "-" .. title:lower():gsub("%A+", "-") end

-- A list of {id, title} as links.
function page.links(list, between)
  local links = {}
  for k, link in ipairs(list) do links[k] = ('<a href="#%s">%s</a>'):format(link[1], page.escape(link[2])) end
  return table.concat(links, between or "\n")
end

local pages = {{"index.html", "Lua"}, {"c.html", "C and C++"}}

-- Returns the page: `file` is its name, `contents` a list of {id, title, links = {{id, title}, ...}}, `body` a list of
-- lines. `phrases`, as JavaScript: [words that users search for; ..., ids of articles].
function page.frame(file, contents, body, phrases)
  local lines = {}
  local function add(format, ...) table.insert(lines, format:format(...)) end
  local titles = {}
  for _, other in ipairs(pages) do titles[other[1]] = other[2] end
  add('<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">')
  add('<title>%s: manual, %s</title>', strew._VERSION, titles[file])
  add '<meta name="viewport" content="width=device-width, initial-scale=1">'
  add('<style>\n%s</style>\n</head>\n<body>', page.read "scripts/reference/page.css")
  add('<header><h1><a href="#%s">%s</a></h1>', contents[1][1], strew._VERSION)
  for _, other in ipairs(pages) do
    if other[1] == file then add("<b>%s</b>", other[2]) else add('<a href="%s">%s</a>', other[1], other[2]) end
  end
  add '<input id="search" type="search" placeholder="Search: a name, words, np.take" aria-label="Search"'
  add 'autocomplete="off">'
  add '<button id="theme" title="Light or dark">&#9680;</button></header>'
  add '<nav><details id="contents" open><summary>Contents</summary>'
  for _, part in ipairs(contents) do
    local link = page.links{{part[1], part[2]}}
    if #(part.links or "") > 0 then
      add('<details data-of="%s"><summary>%s</summary><p>%s</p></details>', part[1], link, page.links(part.links))
    else
      add('<p data-of="%s">%s</p>', part[1], link)
    end
  end
  add '<p><a href="#everything">All on one page</a></p></details></nav>'
  add '<main id="everything"><div id="found" hidden></div>'
  table.move(body, 1, #body, #lines + 1, lines)
  add('</main>\n<script>\nconst phrases = [%s];\n%s</script>\n</body>\n</html>\n', phrases or "",
    page.read "scripts/reference/page.js")
  return table.concat(lines, "\n")
end

return page
