-- pager.lua: shows a text that is longer than the terminal a page at a time.
local prompt = ...
local host, print, utf8_len = prompt.host, print, utf8.len
local concat, find, gmatch, insert, max = table.concat, string.find, string.gmatch, table.insert, math.max

local PROMPT = "-- more: Space, Enter, q --"

function prompt.lines_of(text)
  local lines = {}
  for line in gmatch(text .. "\n", "([^\n]*)\n") do insert(lines, line) end
  return lines
end

-- Prints lines from `first` on that fill up to `rows` rows, at least one; returns the number of the next line.
local function print_rows(lines, first, rows, columns)
  local shown, last = {}, first - 1
  while last < #lines do
    local line = lines[last + 1]
    rows = rows - max(1, ((utf8_len(line) or #line) + columns - 1) // columns)
    if rows < 0 and #shown > 0 then break end
    last = last + 1
    insert(shown, line)
  end
  print(concat(shown, "\n"))
  return last + 1
end

-- Prints a text, in pages if it does not fit the terminal. Space and most keys show the next page, Enter the next line;
-- q, Escape, Ctrl-C and Ctrl-D leave it.
function prompt.page(text)
  local lines = prompt.lines_of(text)
  local rows, columns = host.size()
  if rows < 3 then return print(text) end
  local at, step = 1, rows - 1
  repeat
    at = print_rows(lines, at, step, columns)
    if at > #lines then return end
    local key = host.key(PROMPT)
    if not key or find(key, "^[qQ\3\4\27]") then return end
    step = find(key, "^[\r\n]") and 1 or rows - 1
  until false
end
