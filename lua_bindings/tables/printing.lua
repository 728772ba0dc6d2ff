-- printing.lua: the text of a table of columns: its first and last rows, aligned.
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
--
-- And the print options, of tensors, too; and what strew.help prints.
local strew, fail, use, inner = ...
local errors, operands, tables = use "errors.lua", use "operands.lua", use "tables.lua"

-- The options in the order of inner.print_options: name, least, greatest value, word for 0. The greatest integer, no
-- limit, is math.huge in scripts.
local OPTIONS = {{"precision", 0, 30}, {"threshold", 0, math.maxinteger}, {"edgeitems", 1, 1 << 30},
  {"linewidth", 1, 1 << 30, "auto"}}
-- PyTorch's profiles and names.
local PROFILES = {default = {4, 1000, 3, 0}, short = {2, 1000, 2, 0}, full = {4, math.maxinteger, 3, 0}}

local function read_option(option, value)
  local name, least, most, word = table.unpack(option)
  if value == math.huge and most == math.maxinteger then return most end
  if word and value == word then return 0 end
  local number = type(value) == "number" and math.tointeger(value)
  if not number then
    fail(name, format("is %s, expected an integer%s", inner.text(value), word and type(value) == "string"
      and format(' or "%s"', word) or ""), nil, nil, value)
  elseif number < least or number > most then
    fail(name, format("is %d, expected %d..%d", number, least, most), nil, "value", number)
  end
  return number
end

-- The profile applies first.
local function set_printoptions(precision, threshold, edgeitems, linewidth, profile)
  local values, given = {inner.print_options()}, {precision, threshold, edgeitems, linewidth}
  if profile then errors.check_word("profile", profile, {"default", "short", "full"}) end
  for k, option in ipairs(OPTIONS) do
    if profile then values[k] = PROFILES[profile][k] end
    if given[k] ~= nil then values[k] = read_option(option, given[k]) end
  end
  inner.print_options(table.unpack(values))
end

-- Returns the table with which set_printoptions restores the current options.
local function get_printoptions()
  local values, options = {inner.print_options()}, {}
  for k, option in ipairs(OPTIONS) do
    local is_word = values[k] < option[2]
    options[option[1]] = is_word and option[4] or values[k] == math.maxinteger and math.huge or values[k]
  end
  return options
end

local MOST_ROWS, MOST_ENTRIES, LONGEST_CELL = 20, 40, 30
local DOTS = "..."

local escapes = {["\n"] = "\\n", ["\t"] = "\\t", ["\r"] = "\\r"}

-- Ranges of characters that take two columns of a terminal, or none, by Unicode's East Asian width: {first, last,
-- width}. All others take one.
local RANGES = {{0x300, 0x36f, 0}, {0x483, 0x489, 0}, {0x591, 0x5bd, 0}, {0x610, 0x61a, 0}, {0x64b, 0x65f, 0},
  {0x900, 0x902, 0}, {0x93c, 0x93c, 0}, {0x941, 0x948, 0}, {0x94d, 0x94d, 0}, {0xe31, 0xe31, 0}, {0xe34, 0xe3a, 0},
  {0xe47, 0xe4e, 0}, {0x1100, 0x115f, 2}, {0x1160, 0x11ff, 0}, {0x1ab0, 0x1aff, 0}, {0x1dc0, 0x1dff, 0},
  {0x200b, 0x200f, 0}, {0x202a, 0x202e, 0}, {0x2060, 0x2064, 0}, {0x20d0, 0x20f0, 0}, {0x231a, 0x231b, 2},
  {0x23e9, 0x23ec, 2}, {0x25fd, 0x25fe, 2}, {0x2614, 0x2615, 2}, {0x2648, 0x2653, 2}, {0x26bd, 0x26be, 2},
  {0x26c4, 0x26c5, 2}, {0x2705, 0x2705, 2}, {0x274c, 0x274c, 2}, {0x2753, 0x2755, 2}, {0x2795, 0x2797, 2},
  {0x2b1b, 0x2b1c, 2}, {0x2b50, 0x2b50, 2}, {0x2e80, 0x303e, 2}, {0x3041, 0x3098, 2}, {0x3099, 0x309a, 0},
  {0x309b, 0xa4c6, 2}, {0xa960, 0xa97c, 2}, {0xac00, 0xd7a3, 2}, {0xf900, 0xfaff, 2}, {0xfe00, 0xfe0f, 0},
  {0xfe10, 0xfe19, 2}, {0xfe20, 0xfe2f, 0}, {0xfe30, 0xfe6b, 2}, {0xfeff, 0xfeff, 0}, {0xff01, 0xff60, 2},
  {0xffe0, 0xffe6, 2}, {0x16fe0, 0x18cff, 2}, {0x1b000, 0x1b2ff, 2}, {0x1f18e, 0x1f19a, 2}, {0x1f200, 0x1f320, 2},
  {0x1f32d, 0x1f335, 2}, {0x1f337, 0x1f37c, 2}, {0x1f37e, 0x1f393, 2}, {0x1f3a0, 0x1f3ca, 2}, {0x1f3cf, 0x1f3d3, 2},
  {0x1f3e0, 0x1f3f0, 2}, {0x1f3f8, 0x1f43e, 2}, {0x1f440, 0x1f4fc, 2}, {0x1f4ff, 0x1f53d, 2}, {0x1f54b, 0x1f567, 2},
  {0x1f5fb, 0x1f64f, 2}, {0x1f680, 0x1f6c5, 2}, {0x1f6d0, 0x1f6d7, 2}, {0x1f6eb, 0x1f6fc, 2}, {0x1f7e0, 0x1f7eb, 2},
  {0x1f90c, 0x1f9ff, 2}, {0x1fa70, 0x1faff, 2}, {0x20000, 0x3fffd, 2}, {0xe0100, 0xe01ef, 0}}

-- Returns the columns that a character takes.
local function width_of_code(code)
  local low, high = 1, #RANGES
  while low < high do
    local middle = (low + high) // 2
    if code <= RANGES[middle][2] then high = middle else low = middle + 1 end
  end
  local range = RANGES[low]
  return code >= range[1] and code <= range[2] and range[3] or 1
end

-- Returns the columns that a printable text takes.
local function width_of(text)
  if not string.find(text, "[\xcc-\xf4]") then return utf8.len(text) end
  local width = 0
  for _, code in utf8.codes(text) do width = width + width_of_code(code) end
  return width
end

-- Returns a name or a word as the text of a cell, printable and shortened.
local function cell(text)
  text = tostring(text)
  local part = string.sub(text, 1, 4 * LONGEST_CELL)
  if #part < #text then part = string.gsub(part, "[\xc0-\xff][\x80-\xbf]*$", "") end
  local start = inner.printable((string.gsub(part, "[\n\t\r]", escapes)))
  if #part == #text and width_of(start) <= LONGEST_CELL then return start end
  local width, bytes = 0, 0
  for at, code in utf8.codes(start) do
    width = width + width_of_code(code)
    if width > LONGEST_CELL - #DOTS then break end
    bytes = utf8.offset(start, 2, at) - 1
  end
  return string.sub(start, 1, bytes) .. DOTS
end

local function aligned(text, width, is_left)
  local space = string.rep(" ", width - width_of(text))
  return is_left and text .. space or space .. text
end

-- Returns the part of a column that is shown, on the CPU if rows are left out.
local function part_of(t, page)
  if not page.edge then return t end
  return strew.cat{t:narrow(0, 0, page.edge):to("cpu"), t:narrow(0, page.rows - page.edge, page.edge):to("cpu")}
end

local function words_of(part)
  local texts = part:tolist()
  for i, word in ipairs(texts) do texts[i] = cell(word) end
  return texts
end

-- Digits after the decimal point. Columns of files are float64, and have more than a tensor shows: as pandas, 6.
local function precision_of(t)
  local precision = get_printoptions().precision
  return t.dtype == "float64" and precision >= 4 and math.max(precision, 6) or precision
end

-- Removes the zeros with which all numbers end, unless nothing else is after the point.
local function trim(texts)
  local most, digits
  for _, text in ipairs(texts) do
    local decimals = string.match(text, "^%-?%d+%.(%d+)$")
    if decimals then
      most = math.min(most or #decimals, #string.match(decimals, "0*$"))
      digits = #decimals
    elseif not string.find(text, "[na]") then -- inf, nan
      return texts
    end
  end
  for i, text in ipairs(most and most < digits and texts or {}) do
    if string.find(text, ".", 1, true) then texts[i] = string.sub(text, 1, #text - most) end
  end
  return texts
end

-- Returns a column's texts (name, dtype, cells), width, and true if it is left-aligned: text.
local function column_of(columns, i, page)
  local t = columns.tensors[i]
  local is_text = t:dim() == 1 and t.dtype == "text"
  local texts
  if t:dim() > 1 then
    texts = {}
    for k = 1, page.count do texts[k] = DOTS end
  else
    local part = part_of(t, page)
    texts = is_text and words_of(part) or trim(inner.texts(part, precision_of(t)))
  end
  local dtype = t:dim() == 1 and t.dtype or t.dtype .. "[" .. table.concat(t.shape, ", ", 2) .. "]"
  table.insert(texts, 1, dtype)
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

local function plural(n, word) return format("%d %s%s", n, word, n == 1 and "" or "s") end

-- Returns the caption; the columns that fit `width`, by default the line; and the page: {rows = all, count = those
-- shown, edge = how many of the first and of the last ones if others are left out}.
local function layout_of(columns, width)
  local options, rows = get_printoptions(), columns.rows
  local page = {rows = rows, count = rows, width = width or inner.line_width()}
  if rows > math.max(MOST_ROWS, 2 * options.edgeitems) and options.threshold ~= math.huge then
    page.edge, page.count = options.edgeitems, 2 * options.edgeitems
  end
  local caption = format("table: %s, %s, %s", plural(rows, "row"), plural(#columns.names, "column"), columns.device)
  return caption, fitting(columns, page), page
end

local function rows_of(columns)
  local caption, shown, page = layout_of(columns)
  local lines = {caption}
  for k = 1, page.count + 2 do
    local cells = {}
    for i, column in ipairs(shown) do cells[i] = aligned(column.texts[k], column.width, column.is_left) end
    if page.edge and k == page.edge + 3 then table.insert(lines, " " .. DOTS) end
    table.insert(lines, (string.gsub(" " .. table.concat(cells, "  "), " +$", "")))
  end
  return table.concat(lines, "\n")
end

local ENTITIES <const> = {["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;"}

-- Returns a row of HTML's: the texts of all shown columns at k, or dots.
local function html_row(shown, k, tag)
  local cells = {}
  for i, column in ipairs(shown) do
    local text = string.gsub(k and column.texts[k] or DOTS, "[&<>]", ENTITIES)
    cells[i] = format('<%s style="text-align: %s">%s</%s>', tag, column.is_left and "left" or "right", text, tag)
  end
  return "<tr>" .. table.concat(cells) .. "</tr>"
end

local HTML_WIDTH <const> = 400 -- characters: a notebook scrolls

-- Returns the table as HTML, for notebooks: the same cells, and more columns.
local function html_of(columns)
  local caption, shown, page = layout_of(columns, HTML_WIDTH)
  local lines = {"<table>", "<caption>" .. string.gsub(caption, "^table: ", "") .. "</caption>", "<thead>",
    html_row(shown, 1, "th"), html_row(shown, 2, "td"), "</thead>", "<tbody>"}
  for k = 3, page.count + 2 do
    if page.edge and k == page.edge + 3 then table.insert(lines, html_row(shown, nil, "td")) end
    table.insert(lines, html_row(shown, k, "td"))
  end
  return table.concat(lines, "\n") .. "\n</tbody>\n</table>"
end

local function describe(value)
  if strew.type(value) ~= "tensor" then return type(value) end
  if not inner.is_open(value) or value:dim() == 0 then return tostring(value) end
  return operands.describe(value)
end

local function list_of(x)
  local names, stray = tables.names(x)
  if stray ~= nil then table.insert(names, stray) end
  local lines, width = {"table: " .. plural(#names, "tensor")}, 0
  for i = 1, math.min(#names, MOST_ENTRIES) do width = math.max(width, width_of(cell(names[i]))) end
  for i = 1, math.min(#names, MOST_ENTRIES) do
    local name = aligned(cell(names[i]), width, true)
    table.insert(lines, format(" %s  %s", name, describe(rawget(x, names[i]))))
  end
  if #names > MOST_ENTRIES then table.insert(lines, format(" ... %d more", #names - MOST_ENTRIES)) end
  return table.concat(lines, "\n")
end

local LONGEST = 1000 -- longer names and words are not searched for: patterns would take long

local function help(name, words)
  if name and words then fail("search", "is given with 'name', expected one of the two") end
  local pages, wanted = inner.help_pages().within(inner.line_width()), inner.name_of(name) or words
  if not wanted then return pages.overview() end
  wanted = string.match(wanted, "^[^\0]*")
  local text = #wanted <= LONGEST and (name and pages.page or pages.search)(wanted)
  if text then return text end
  if words then fail("search", format('is "%s", nothing found', string.sub(wanted, 1, 60))) end
  local last, hints = string.match(wanted, "[^.:]*$"), inner.hints()
  fail("name", format('is "%s", no help found', string.sub(wanted, 1, 60)),
      hints.name(last) or hints.grouping(last) or errors.meant(last, pages.names())
    or 'strew.help() lists all names, strew.help{search = "word"} searches their texts')
end

return {
  -- Returns a word as it is shown, and the columns that it takes.
  word = function(text)
    local shown = cell(text)
    return shown, width_of(shown)
  end,
  help = {"name?topic search=word", help},
  set_printoptions = {"precision=any threshold=any edgeitems=any linewidth=any profile=word", set_printoptions},
  get_printoptions = {"", get_printoptions},
  tostring = {"x:table", function(x)
    local columns = tables.try(x)
    return columns and rows_of(columns) or list_of(x)
  end},
  -- nil: x has no columns of one length.
  html = {"x:table", function(x)
    local columns = tables.try(x)
    return columns and html_of(columns) or nil
  end},
}
