-- read.lua: from lines that are typed or pasted to entries. What is pasted is one chunk where it compiles as one; else
-- its lines are taken one after the other, as if typed. Of a transcript, which the prompt's own marks give away, the
-- marks and what the session answered are left out.
local prompt = ...
local host = prompt.host
local insert, remove = table.insert, table.remove
local find, gmatch, gsub, match, sub = string.find, string.gmatch, string.gsub, string.match, string.sub
local ipairs, rawget, select, globals = ipairs, rawget, select, _G

local waiting = {} -- entries and lines of what was pasted, still to be taken
local is_paste = false -- or may they have been typed ahead?

-- After an error: what follows in a paste builds on what failed.
function prompt.drop()
  if is_paste then waiting = {} end
end

local function lines_of(text)
  local lines = {}
  for line in gmatch(text .. "\n", "([^\n]*)\n") do insert(lines, line) end
  return lines
end

-- The entries of a transcript; nil where it is none.
local function transcript(text)
  if not find(text, "^%s*>[> ]") then return nil end
  local entries = {}
  for _, line in ipairs(lines_of(text)) do
    local more, code = match(line, "^%s*>(>?) ?(.*)$")
    if more == ">" and #entries > 0 then
      entries[#entries] = entries[#entries] .. "\n" .. code
    elseif code then
      insert(entries, code)
    end
  end
  return entries
end

-- The last thing that counts is a semicolon: nothing is to be shown.
local function is_hidden(text)
  local tokens = prompt.tokens(text)
  local i = #tokens
  while i > 0 and tokens[i].kind == "comment" do i = i - 1 end
  return i > 0 and tokens[i].text == ";"
end

-- The name of a global, if the text is just that and it has no value.
local function unknown_name(text)
  local name = match(text, "^%s*([%a_][%w_]*)%s*$")
  if not name or name == "_" or select(2, prompt.value_of_local(name)) then return nil end
  return not prompt.keywords[name] and rawget(globals, name) == nil and name or nil
end

-- "run", function, "show" | "hide" | "quiet"; "error", message; "more"; "end".
local function evaluate(text, is_last)
  local command = match(text, "^%s*([:?].*)$")
  if command and sub(command, 1, 2) ~= "::" then return prompt.command(command) end
  local code = gsub(text, "^%s*=", "return ")
  local f, how, is_incomplete = prompt.compile(code, "=stdin")
  prompt.asked = unknown_name(text)
  if f then return "run", f, is_hidden(text) and "hide" or "show" end
  if is_incomplete and not is_last then return "more", how end
  return "error", how
end

-- What is to be taken next: the text so far, or nil, is continued. nil: "interrupt" or "end" says why.
local function next_line(text)
  if #waiting > 0 then return remove(waiting, 1) end
  local line, what = host.read(text)
  if not line then return nil, what end
  is_paste = not what
  local entries = transcript(line)
  if not entries then return line end
  waiting, is_paste = entries, true
  return remove(waiting, 1)
end

-- Several lines that came at once: are they no chunk, so that they are to be taken one by one? (A last line that is an
-- expression might also be the beginning of an assignment.)
local function is_no_chunk(text, kind, message)
  return find(text, "\n") and (kind == "error" or kind == "more" and find(message, "syntax error near <eof>$"))
end

-- Reads one entry and says what to do: as `evaluate` does, or "none".
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
      for i, part in ipairs(lines_of(joined)) do insert(waiting, i, part) end
    elseif kind ~= "more" then
      if find(joined, "%S") then host.remember(joined) end
      return kind, a, b
    else
      text = joined
    end
  until false
end
