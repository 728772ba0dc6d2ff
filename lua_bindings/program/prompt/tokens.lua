-- tokens.lua: splits Lua text, complete or not, into tokens: where a name, a string or a comment begins and ends, and
-- whether it ends at all. Numbers may be split.
local prompt = ...
local find, match, sub = string.find, string.match, string.sub

prompt.keywords = {}
for word in string.gmatch([[and break do else elseif end false for function goto if in local nil not or repeat return
    then true until while]], "%a+") do prompt.keywords[word] = true end

-- Returns the last character of a long bracket whose opening ends at `at`; nil: unfinished.
local function end_of_long(text, at, level)
  local _, last = find(text, "]" .. level .. "]", at + 1, true)
  return last
end

-- Returns the last character of the string that begins at `at`; nil: unfinished.
local function end_of_string(text, at)
  local stop = "[\\\n" .. sub(text, at, at) .. "]"
  local place = find(text, stop, at + 1)
  while place and sub(text, place, place) == "\\" do
    local _, skipped = find(text, "^z%s*", place + 1) -- \z skips white space and newlines
    place = find(text, stop, (skipped or place + 1) + 1)
  end
  return place and sub(text, place, place) ~= "\n" and place or nil
end

-- {kind, pattern}: the first match counts. A long string or comment continues to its closing bracket.
local kinds = {
  {"comment", "^%-%-%[(=*)%[", long = true}, {"comment", "^%-%-[^\n]*"}, {"string", "^%[(=*)%[", long = true},
  {"string", "^[\"']", quoted = true}, {"name", "^[%a_][%w_]*"}, {"number", "^%.?%d[%w.]*"}, {"symbol", "^::"},
  {"symbol", "^%.%.%.?"}, {"symbol", "^[=~<>]="}, {"symbol", "^."},
}

local function token_at(text, at)
  for i = 1, #kinds do
    local kind = kinds[i]
    local _, last, level = find(text, kind[2], at)
    if last then
      if kind.long then last = end_of_long(text, last, level) elseif kind.quoted then last = end_of_string(text, at) end
      return {kind = kind[1], first = at, last = last or #text, is_open = not last}
    end
  end
end

-- Returns the position of the innermost bracket that is open at token i, or nil, and the number of commas after it.
function prompt.bracket_around(tokens, i)
  local depth, commas = 0, 0
  for k = i - 1, 2, -1 do
    local text = tokens[k].text
    if text == ")" or text == "}" or text == "]" then
      depth = depth + 1
    elseif text == "(" or text == "{" or text == "[" then
      depth = depth - 1
      if depth < 0 then return k, commas end
    elseif text == "," and depth == 0 then
      commas = commas + 1
    end
  end
end

-- Returns all tokens in order, as {kind = "name" | "keyword" | "string" | "number" | "comment" | "symbol", text, first,
-- last, is_open = true if its end is missing}.
function prompt.tokens(text)
  local tokens, at = {}, find(text, "%S")
  while at do
    local token = token_at(text, at)
    token.text = sub(text, at, token.last)
    if prompt.keywords[token.text] then token.kind = "keyword" end
    tokens[#tokens + 1] = token
    -- an unfinished string ends with its line
    if token.is_open and match(token.text, "^[\"']") then token.last = (find(text, "\n", at, true) or #text + 1) - 1 end
    at = find(text, "%S", token.last + 1)
  end
  return tokens
end
