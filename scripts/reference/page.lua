-- page.lua: the frame that the pages of the reference share. A page is self-contained.
local strew = require "strew"
local page = {}

function page.read(path)
  local file <close> = assert(io.open(path))
  return file:read("a")
end

local entities = {["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;"}
function page.escape(words) return (words:gsub('[&<>"]', entities)) end

-- A word as a part of an id.
function page.id_of(title) return "group-" .. title:lower():gsub("%A+", "-") end

local pages = {{"index.html", "Lua"}, {"c.html", "C and C++"}}

-- Returns the page: `file` is its name, `navigation` and `body` are lists of lines.
function page.frame(file, navigation, body)
  local lines = {}
  local function add(format, ...) table.insert(lines, format:format(...)) end
  local titles = {}
  for _, other in ipairs(pages) do titles[other[1]] = other[2] end
  add('<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">')
  add('<title>%s: reference, %s</title>', strew._VERSION, titles[file])
  add '<meta name="viewport" content="width=device-width, initial-scale=1">'
  add('<style>\n%s</style>\n</head>\n<body>', page.read "scripts/reference/page.css")
  add('<header><h1>%s</h1>', strew._VERSION)
  for _, other in ipairs(pages) do
    if other[1] == file then add("<b>%s</b>", other[2]) else add('<a href="%s">%s</a>', other[1], other[2]) end
  end
  add '<input id="search" type="search" placeholder="Search: name or words" aria-label="Search" autocomplete="off">'
  add '</header>\n<nav><details open><summary>Contents</summary>'
  table.move(navigation, 1, #navigation, #lines + 1, lines)
  add '</details></nav>\n<main><p id="found" hidden></p>'
  table.move(body, 1, #body, #lines + 1, lines)
  add('</main>\n<script>\n%s</script>\n</body>\n</html>\n', page.read "scripts/reference/page.js")
  return table.concat(lines, "\n")
end

return page
