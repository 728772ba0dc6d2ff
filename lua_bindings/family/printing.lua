-- printing.lua: the text of a table of columns: its first and last rows, aligned, text columns by their words.
--
--   table: 958 rows, 3 columns, cpu
--    package  section     kb
--    text     text     int64
--    bash     shells    7164
--    ...
--    zlib1g   libs       168
--
-- Only elements that are shown are read. Columns in the middle that do not fit the line are left out. A table of
-- tensors that are not columns of one length is a list of names and shapes.
local strew, _, use, inner = ...
local tables = use "tables.lua"

local MOST_ROWS, MOST_ENTRIES, LONGEST_CELL = 20, 40, 30
local DOTS = "..."

local escapes = {["\n"] = "\\n", ["\t"] = "\\t", ["\r"] = "\\r"}

-- Returns a name or a word as the text of a cell, without control characters, shortened.
local function cell(text)
  text = tostring(text)
  local start = text:sub(1, 4 * LONGEST_CELL):gsub("%c", function(c) return escapes[c] or "?" end)
  local length, invalid = utf8.len(start)
  if not length and #text > 4 * LONGEST_CELL and invalid > #start - 4 then start = start:sub(1, invalid - 1) end
  length = utf8.len(start)
  if not length then
    start = start:gsub("[\x80-\xff]", "?")
    length = #start
  end
  if length <= LONGEST_CELL and #text <= 4 * LONGEST_CELL then return start end
  return start:sub(1, utf8.offset(start, math.min(length, LONGEST_CELL - #DOTS) + 1) - 1) .. DOTS
end

local function width_of(text) return utf8.len(text) or #text end

local function aligned(text, width, is_left)
  local space = (" "):rep(width - width_of(text))
  return is_left and text .. space or space .. text
end

-- Returns the part of a column that is shown, on the CPU if rows are left out.
local function part_of(t, page)
  if not page.edge then return t end
  return strew.cat{t:narrow(0, 0, page.edge):to("cpu"), t:narrow(0, page.rows - page.edge, page.edge):to("cpu")}
end

local function words_of(codes, words)
  local texts = {}
  for i, code in ipairs(codes:tolist()) do texts[i] = cell(words[code + 1] or code) end
  return texts
end

-- Digits after the decimal point. Columns of files are float64, and have more than a tensor shows: as pandas, 6.
local function precision_of(t)
  local precision = strew.get_printoptions().precision
  return t.dtype == "float64" and precision >= 4 and math.max(precision, 6) or precision
end

-- Removes the zeros with which all numbers end, unless nothing else is after the point.
local function trim(texts)
  local most, digits
  for _, text in ipairs(texts) do
    local decimals = text:match "^%-?%d+%.(%d+)$"
    if decimals then
      most = math.min(most or #decimals, #decimals:match "0*$")
      digits = #decimals
    elseif not text:find "[na]" then -- inf, nan
      return texts
    end
  end
  for i, text in ipairs(most and most < digits and texts or {}) do
    if text:find(".", 1, true) then texts[i] = text:sub(1, #text - most) end
  end
  return texts
end

-- Returns a column's texts (name, dtype, cells), width, and true if it is left-aligned: text.
local function column_of(columns, i, page)
  local t, words = columns.tensors[i], columns.words[i]
  local is_text = words ~= nil and t:dim() == 1 and tables.holds_codes(t)
  local texts
  if t:dim() > 1 then
    texts = {}
    for k = 1, page.count do texts[k] = DOTS end
  else
    local part = part_of(t, page)
    texts = is_text and words_of(part, words) or trim(inner.texts(part, precision_of(t)))
  end
  local dtype = t:dim() == 1 and t.dtype or t.dtype .. "[" .. table.concat(t.shape, ", ", 2) .. "]"
  table.insert(texts, 1, is_text and "text" or dtype)
  table.insert(texts, 1, cell(columns.names[i]))
  local width = 0
  for _, text in ipairs(texts) do width = math.max(width, width_of(text)) end
  return {texts = texts, width = width, is_left = is_text}
end

-- Returns the columns that fit the line, from both ends, with dots in the middle for those left out.
local function fitting(columns, page)
  local head, tail, used, count = {}, {}, -1, #columns.names
  while #head + #tail < count do
    local is_head = #head <= #tail
    local column = column_of(columns, is_head and #head + 1 or count - #tail, page)
    local is_last = #head + #tail + 1 == count
    if #head > 0 and used + column.width + 2 + (is_last and 0 or #DOTS + 2) > page.width then
      local dots = {texts = {}, width = #DOTS, is_left = true}
      for k = 1, page.count + 2 do dots.texts[k] = DOTS end
      table.insert(head, dots)
      break
    end
    used = used + column.width + 2
    table.insert(is_head and head or tail, column)
  end
  for k = #tail, 1, -1 do table.insert(head, tail[k]) end
  return head
end

local function plural(n, word) return ("%d %s%s"):format(n, word, n == 1 and "" or "s") end

local function rows_of(columns)
  local options, rows = strew.get_printoptions(), columns.rows
  local page = {rows = rows, count = rows, width = inner.line_width()}
  if rows > math.max(MOST_ROWS, 2 * options.edgeitems) and options.threshold ~= math.huge then
    page.edge, page.count = options.edgeitems, 2 * options.edgeitems
  end
  local lines = {("table: %s, %s, %s"):format(plural(rows, "row"), plural(#columns.names, "column"), columns.device)}
  local shown = fitting(columns, page)
  for k = 1, page.count + 2 do
    local cells = {}
    for i, column in ipairs(shown) do cells[i] = aligned(column.texts[k], column.width, column.is_left) end
    if page.edge and k == page.edge + 3 then table.insert(lines, " " .. DOTS) end
    table.insert(lines, ((" " .. table.concat(cells, "  ")):gsub(" +$", "")))
  end
  return table.concat(lines, "\n")
end

local function describe(value)
  if strew.type(value) ~= "tensor" then return type(value) end
  if not inner.is_open(value) or value:dim() == 0 then return tostring(value) end
  return ("%s[%s] %s"):format(value.dtype, table.concat(value.shape, ", "), value.device)
end

local function list_of(x)
  local names, stray = tables.names(x)
  if stray ~= nil then table.insert(names, stray) end
  local lines, width = {"table: " .. plural(#names, "tensor")}, 0
  for i = 1, math.min(#names, MOST_ENTRIES) do width = math.max(width, width_of(cell(names[i]))) end
  for i = 1, math.min(#names, MOST_ENTRIES) do
    local name = aligned(cell(names[i]), width, true)
    table.insert(lines, (" %s  %s"):format(name, describe(rawget(x, names[i]))))
  end
  if #names > MOST_ENTRIES then table.insert(lines, (" ... %d more"):format(#names - MOST_ENTRIES)) end
  return table.concat(lines, "\n")
end

return {
  tostring = {"x:table", function(x)
    local columns, problem, _, hint = tables.try(x)
    return columns and rows_of(columns) or list_of(x) .. (hint and "\n the table " .. problem or "")
  end},
}
