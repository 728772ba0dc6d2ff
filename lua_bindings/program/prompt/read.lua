-- read.lua: turns typed or pasted lines into entries. A paste is one chunk if it compiles as one; otherwise its lines
-- run one by one, as if typed. A pasted transcript is known by its prompt marks: the marks and the session's output are
-- removed.
local prompt = ...
local host = prompt.host
local insert, remove = table.insert, table.remove
local find, gsub, match, sub = string.find, string.gsub, string.match, string.sub
local ipairs, pcall, rawget, rawset, select, tostring, globals = ipairs, pcall, rawget, rawset, select, tostring, _G

local waiting = {} -- entries and lines of a paste, still to run
local is_paste = false -- true if they may have been typed ahead

-- Drops the rest of a paste after an error: it builds on what failed.
function prompt.drop()
  if is_paste then waiting = {} end
end

-- Returns the entries of a transcript; nil: it is none.
local function transcript(text)
  if not find(text, "^%s*>[> ]") then return nil end
  local entries = {}
  for _, line in ipairs(prompt.lines_of(text)) do
    local more, code = match(line, "^%s*>(>?) ?(.*)$")
    if more == ">" and #entries > 0 then
      entries[#entries] = entries[#entries] .. "\n" .. code
    elseif code then
      insert(entries, code)
    end
  end
  return entries
end

-- True if the last token is a semicolon: the result is hidden.
local function is_hidden(text)
  local tokens = prompt.tokens(text)
  local i = #tokens
  while i > 0 and tokens[i].kind == "comment" do i = i - 1 end
  return i > 0 and tokens[i].text == ";"
end

-- Returns the name of a global if the text is only that name and it has no value.
local function unknown_name(text)
  local name = match(text, "^%s*([%a_][%w_]*)%s*$")
  if not name or name == "_" or select(2, prompt.value_of_local(name)) then return nil end
  return not prompt.keywords[name] and rawget(globals, name) == nil and name or nil
end

-- Returns "run", function, "show" | "hide" | "quiet"; "error", message; "more"; or "end".
local function evaluate(text, is_last)
  prompt.unknown = nil
  local command = match(text, "^%s*([:?].*)$")
  if command and sub(command, 1, 2) ~= "::" then return prompt.command(command) end
  local code = gsub(text, "^%s*=", "return ")
  local f, how, is_incomplete = prompt.compile(code, "=stdin")
  prompt.unknown = unknown_name(text)
  if f then
    local remark = prompt.remark(text)
    if remark then host.note(remark) end
    return "run", f, is_hidden(text) and "hide" or "show"
  end
  if is_incomplete and not is_last then return "more", how end
  return "error", how
end

-- Returns what to show before a line: a global _PROMPT or _PROMPT2 replaces the usual text, as in stock Lua. One that
-- fails is removed, or no line could be read any more. No metamethod of the globals is called.
local function mark(name, usual)
  local value = rawget(globals, name)
  if value == nil then return usual end
  rawset(globals, name, nil)
  local ok, text = pcall(tostring, value)
  if ok then rawset(globals, name, value) end
  return ok and text or usual
end

local function read_line(above)
  return host.read(above and mark("_PROMPT2", ">> ") or mark("_PROMPT", "> "), above)
end

-- Returns the next text, as continuation of `text` unless that is nil; or nil and "interrupt" or "end". A paste is one
-- text, even if it comes line by line, as input typed ahead does.
local function next_line(text)
  if #waiting > 0 then return remove(waiting, 1) end
  local line, what = read_line(text)
  is_paste = true
  while line and host.waits() do
    local above = line
    line, what = read_line(above)
    line, is_paste = line and above .. "\n" .. line, false
  end
  if not line then return nil, what end
  local entries = transcript(line)
  if not entries then return line end
  waiting, is_paste = entries, true
  return remove(waiting, 1)
end

-- True if several lines that came at once are no chunk and must run one by one. (A last line that is an expression may
-- also begin an assignment.)
local function is_no_chunk(text, kind, message)
  return find(text, "\n") and (kind == "error" or kind == "more" and find(message, "syntax error near <eof>$"))
end

local has_explained = false -- the first continuation of the session

-- Says what >> means, once, and what a block of Python is here.
local function explain(text)
  if #waiting > 0 then return end
  local hint = prompt.foreign_block(text)
  if hint then host.note("hint  " .. hint) end
  if not has_explained then host.note("the entry continues; Ctrl-C drops it") end
  has_explained = true
end

-- Reads one entry and returns what to do: as `evaluate`, or "none".
function prompt.read()
  local text
  repeat
    local line, reason = next_line(text)
    if reason == "interrupt" then
      waiting = {}
      return "none"
    elseif not line and not text then
      return "end"
    end
    local joined = line and (text and text .. "\n" .. line or line) or text
    local kind, a, b = evaluate(joined, not line)
    if line and not text and is_no_chunk(joined, kind, a) then
      for i, part in ipairs(prompt.lines_of(joined)) do insert(waiting, i, part) end
    elseif kind ~= "more" then
      if find(joined, "%S") then host.remember(joined) end
      return kind, a, b
    else
      text = joined
      explain(text)
    end
  until false
end
