-- show.lua: shows results. Tables are expanded, to a depth and up to a number of entries; tensors in them take one
-- line; no metamethod runs but __tostring.
local prompt = ...
local host = prompt.host
local strew = host.strew
local print, tostring, type, next, pcall, ipairs = print, tostring, type, next, pcall, ipairs
local rawget, rawlen, rawset, rawequal, select, math_type = rawget, rawlen, rawset, rawequal, select, math.type
local concat, insert, pack, sort = table.concat, table.insert, table.pack, table.sort
local find, format, gsub, sub = string.find, string.format, string.gsub, string.sub
local byte = string.byte
local getmetatable, globals = host.debug.getmetatable, _G

local DEPTH, ENTRIES, BUDGET, LONGEST_STRING, SORTED = 4, 40, 400, 200, 10000
local strew_type = rawget(strew, "type")
local CHUNK = "strew prompt" -- the name of these files in tracebacks

local escapes = {["\n"] = "\\n", ["\t"] = "\\t", ["\r"] = "\\r", ["\\"] = "\\\\", ['"'] = '\\"'}
local function escape(c) return escapes[c] or format("\\x%02X", byte(c)) end

local function quote(text)
  local rest = ""
  if #text > LONGEST_STRING then
    rest = format("... (%d bytes)", #text)
    text = sub(text, 1, LONGEST_STRING)
  end
  return '"' .. gsub(text, '[%c\\"]', escape) .. '"' .. rest
end

-- Returns a tensor in one line.
function prompt.summary(t)
  local ok, text = pcall(function()
    return t:dim() == 0 and tostring(t) or t.dtype .. "[" .. concat(t.shape, ", ") .. "] " .. t.device
  end)
  return ok and text or "tensor (freed)"
end

-- Returns any value but an expanded table in one line.
local function brief(value)
  if type(value) == "string" then return quote(value) end
  if strew_type(value) == "tensor" then return prompt.summary(value) end
  local ok, text = pcall(tostring, value)
  if not ok then return "(__tostring failed)" end
  return (gsub(text, "\n.*", " ..."))
end

local function is_closed(value)
  if type(value) ~= "table" then return true end
  local metatable = getmetatable(value)
  return metatable ~= nil and rawget(metatable, "__tostring") ~= nil
end

local order = {boolean = 1, number = 2, string = 3}
local function precedes(a, b)
  local kind, other = type(a), type(b)
  if kind ~= other then return (order[kind] or 4) < (order[other] or 4) end
  if kind == "number" or kind == "string" then return a < b end
  return false
end

-- Returns the number of keys outside 1..n, and the first of them in order.
local function other_keys(t, n)
  local keys, count = {}, 0
  for key in next, t do
    if not (math_type(key) == "integer" and key >= 1 and key <= n) then
      count = count + 1
      if count <= SORTED then insert(keys, key) end
    end
  end
  sort(keys, precedes)
  return keys, count
end

local function key_text(key)
  if type(key) == "string" and find(key, "^[%a_][%w_]*$") and not prompt.keywords[key] then return key end
  return "[" .. brief(key) .. "]"
end

local render

-- Returns the entries of a table as texts. `state`: tables being shown, and the remaining number of entries.
local function parts_of(t, depth, indent, width, state)
  local parts, n = {}, rawlen(t)
  local keys, count = other_keys(t, n)
  local function add(text)
    insert(parts, text)
    state.budget = state.budget - 1
    return #parts < ENTRIES and state.budget > 0
  end
  local i, k = 1, 1
  while i <= n and add(render(rawget(t, i), depth, indent, width, state)) do i = i + 1 end
  while i > n and keys[k] ~= nil and #parts < ENTRIES and state.budget > 0 do
    local key = key_text(keys[k])
    add(key .. " = " .. render(rawget(t, keys[k]), depth, indent, width - #key - 3, state))
    k = k + 1
  end
  if n + count > #parts then insert(parts, format("... %d more", n + count - #parts)) end
  return parts
end

-- Fills lines with texts.
local function fill(parts, indent, width)
  local lines, line = {}, ""
  for i, part in ipairs(parts) do
    if i < #parts then part = part .. "," end
    if line ~= "" and #line + #part + 1 > width then
      insert(lines, line)
      line = ""
    end
    line = line == "" and part or line .. " " .. part
  end
  insert(lines, line)
  return concat(lines, "\n" .. indent)
end

function render(value, depth, indent, width, state)
  if is_closed(value) then return brief(value) end
  if state.open[value] then return "<cycle>" end
  if next(value) == nil then return "{}" end
  if depth == 0 then return "{...}" end
  rawset(state.open, value, true)
  local inner = indent .. "  "
  local parts = parts_of(value, depth - 1, inner, width - 2, state)
  state.open[value] = nil
  local line = "{" .. concat(parts, ", ") .. "}"
  if #line <= width and not find(line, "\n") then return line end
  local is_plain = true
  for _, part in ipairs(parts) do is_plain = is_plain and #part <= 24 and not find(part, "[\n=]") end
  local body = is_plain and fill(parts, inner, width - 2) or concat(parts, ",\n" .. inner)
  return "{\n" .. inner .. body .. "\n" .. indent .. "}"
end

-- Returns any value in one line of up to `width` characters.
function prompt.line_of(value, width)
  local line = is_closed(value) and brief(value) or render(value, 2, "", 1 << 20, {open = {}, budget = 20})
  return #line > width and sub(line, 1, width - 3) .. "..." or line
end

-- Returns the call of a function of strew's and its page, or nil.
local function call_of(f)
  for _, names in ipairs{strew, host.methods} do
    for name, value in next, names do
      if rawequal(value, f) then
        local pages = host.help()
        local entry, inplace = pages.find(name)
        return entry and pages.signatures(entry, inplace)[1] .. "    ?" .. name
      end
    end
  end
end

-- Returns a result as text: like tostring, except that tables are expanded, and strew's functions have their names.
local function text_of(value)
  if type(value) == "function" then return call_of(value) or tostring(value) end
  if is_closed(value) then return tostring(value) end
  return render(value, DEPTH, "", select(2, host.size()), {open = {}, budget = BUDGET})
end

local function show(...)
  local texts, separator = pack(...), "\t"
  for i = 1, texts.n do
    if not is_closed(texts[i]) then separator = "\n" end
    texts[i] = text_of(texts[i])
    if find(texts[i], "\n", 1, true) then separator = "\n" end
  end
  print(concat(texts, separator, 1, texts.n))
end

-- Returns an error message without the prompt's own functions, for which an entry is the main chunk, and without a
-- traceback that says no more than the message.
function prompt.shorten(message)
  local text = gsub(message, "^" .. CHUNK .. ":.-: ", "")
  text = sub(text, 1, (find(text, "\n\t" .. CHUNK .. ":", 1, true) or 0) - 1)
  text = gsub(text, "\nstack traceback:$", "")
  text = gsub(text, "(\n\t[^\n]-)in function <[^\n]-:1>[^\n]*$", "%1in main chunk")
  local first, last = find(text, "\nstack traceback:\n\t", 1, true)
  return first and find(text, "^[^\n]*: in main chunk$", last + 1) and sub(text, 1, first - 1) or text
end

-- Keeps an entry's results as _, and shows them. A script's own print has precedence.
function prompt.results(is_hidden, ...)
  local n, first, _, _, chunks = select("#", ...), ...
  if n == 0 then return end
  if first ~= nil then rawset(globals, "_", first) end
  if is_hidden then return end
  local chosen = rawget(globals, "print")
  if not rawequal(chosen, print) then return chosen(...) end
  if n == 4 and rawequal(first, chunks) then return print "an iterator: for x in strew.chunks(...) do ... end" end
  show(...)
  local hint = n == 1 and first == nil and prompt.unknown and host.hints().global(prompt.unknown, prompt.cells)
  if hint then print("  hint  " .. hint) end
end
