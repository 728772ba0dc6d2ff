-- foreign.lua: hints for entries that do not compile because they are written as in Python, NumPy, Julia or C. Each
-- rule matches tokens that no Lua program has.
local prompt = ...
local find, format, ipairs, insert = string.find, string.format, ipairs, table.insert
local strew_type = rawget(prompt.host.strew, "type")

local closes, opens = {[")"] = true, ["]"] = true, ["}"] = true}, {["("] = true, ["["] = true, ["{"] = true}

-- True if the token ends a value: an operator or an index may follow.
local function is_value(token)
  return token and (token.kind == "name" or token.kind == "number" or token.kind == "string" or closes[token.text])
end

-- True if token i follows the one before without a space.
local function touches(tokens, i) return tokens[i - 1] and tokens[i] and tokens[i - 1].last + 1 == tokens[i].first end

local function text_at(tokens, i) return tokens[i] and tokens[i].text or "" end

-- True if the colon at i calls a method.
local function is_method(tokens, i)
  local argument = tokens[i + 2]
  return tokens[i - 1].kind ~= "number" and tokens[i + 1] and tokens[i + 1].kind == "name"
    and argument and (find(argument.text, "^[({]") or argument.kind == "string")
end

-- Returns the position of the bracket that closes the one at i (or the end), and whether there is a comma or a colon
-- that belongs to no inner bracket and to no call of a method.
local function inside(tokens, i)
  local depth, has_comma, has_colon = 0, false, false
  for k = i, #tokens do
    local text = tokens[k].text
    depth = depth + (opens[text] and 1 or closes[text] and -1 or 0)
    if depth == 0 then return k, has_comma, has_colon end
    if depth == 1 and text == "," then has_comma = true end
    if depth == 1 and (text == "::" or text == ":" and not is_method(tokens, k)) then has_colon = true end
  end
  return #tokens + 1, has_comma, has_colon
end

local function index(tokens, i)
  if tokens[i].text ~= "[" then return nil end
  local before = tokens[i - 1]
  local last, has_comma, has_colon = inside(tokens, i)
  if is_value(before) then
    local name = before.kind == "name" and before.text or "t"
    if has_colon then return format("%s:slice(0, start, stop) is [start:stop] of dimension 0", name) end
    return has_comma and format("%s[i][j], or %s:get(i, j)", name, name) or nil
  end
  local is_key = before and find(before.text, "^[{,;]$") and text_at(tokens, last + 1) == "="
  return not is_key and "lists are in braces: {1, 2, 3}" or nil
end

local joined = {["!="] = "not equal is ~=: x ~= y", ["!=="] = "not equal is ~=: x ~= y",
                ["&&"] = "masks are joined by &: x:gt(1) & x:lt(3); conditions by `and`: i > 1 and i < 3",
                ["||"] = "masks are joined by |: x:lt(1) | x:gt(3); conditions by `or`: i < 1 or i > 3",
                ["**"] = "power is ^: x ^ y",
                ["++"] = "Lua has no ++: x = x + 1"}
local negation = "a mask is inverted by ~: ~x:gt(1); a condition by `not`: not (i > 1)"
local changes = {["+"] = true, ["-"] = true, ["*"] = true, ["/"] = true, ["%"] = true, ["^"] = true, ["&"] = true,
                 ["|"] = true, [".."] = true}

local function operator(tokens, i)
  local text, next_text = tokens[i].text, text_at(tokens, i + 1)
  if not touches(tokens, i + 1) then return text == "!" and negation or nil end
  if joined[text .. next_text] then return joined[text .. next_text] end
  if changes[text] and next_text == "=" then
    local twice = text == "/" and touches(tokens, i) and tokens[i - 1].text == "/"
    text = twice and "//" or text
    return format("Lua has no %s=: x = x %s y", text, text)
  end
  if text == "." and find(next_text, "^[-+*/^%%=<>]") then return "operators work element by element: x * y, x ^ 2" end
  return text == "!" and negation or nil
end

-- f(x, name = value)
local function option(tokens, i)
  local name, before = tokens[i - 1], text_at(tokens, i - 2)
  if tokens[i].text ~= "=" or not name or name.kind ~= "name" or before ~= "," and before ~= "(" then return nil end
  local open = prompt.bracket_around(tokens, i - 1)
  local is_call = open and tokens[open].text == "(" and is_value(tokens[open - 1])
  if not is_call or text_at(tokens, open - 2) == "function" then return nil end
  return format("options go in braces: {%s = %s}", name.text, text_at(tokens, i + 1))
end

local libraries = {numpy = true, pandas = true, torch = true, torch_scatter = true, jax = true, tensorflow = true,
                   strew = true}
local declares = {var = true, let = true, const = true, auto = true}

-- The first word of an entry.
local function statement(tokens, i)
  local word, name = tokens[i].text, tokens[i + 1]
  if i == 1 and word == "%" then return "commands begin with a colon: :time, :bench, :help" end
  if i > 1 and text_at(tokens, i - 1) ~= ";" or tokens[i].kind ~= "name" or not name then return nil end
  if name.kind ~= "name" then
    return word == "print" and (name.kind == "number" or name.kind == "keyword") and "print(x): calls have parentheses"
      or nil
  end
  if word == "import" or word == "from" or word == "using" then
    return libraries[name.text] and "strew is there already, as a global" or 'require "name" loads a Lua module'
  end
  if word == "def" or word == "func" or word == "fn" then return "function f(x) ... return y end" end
  if declares[word] then return "variables: local x = 1" end
  return word == "print" and "print(x): calls have parentheses" or nil
end

local function word(tokens, i)
  local text, before = tokens[i].text, tokens[i - 1]
  if text == "elif" then return "elseif x then" end
  if text == "lambda" then return "function(x) return y end" end
  if text == "#" and is_value(before) then return "comments begin with --" end
  local is_key = tokens[i].kind == "string" and before and find(before.text, "^[{,]$")
  return is_key and text_at(tokens, i + 1) == ":" and '{a = 1} is a table with the key "a"' or nil
end

-- Python's blocks, which a Lua entry continues.
local blocks = {["for"] = "for i = 0, n - 1 do ... end", ["while"] = "while x do ... end", ["if"] = "if x then ... end"}

local rules = {statement, operator, option, index, word}

local function code_of(text)
  local tokens = {}
  for _, token in ipairs(prompt.tokens(text)) do
    if token.kind ~= "comment" then insert(tokens, token) end
  end
  return tokens
end

-- Returns a hint for a text that does not compile, or nil.
function prompt.foreign(text)
  local tokens = code_of(text)
  for i = 1, #tokens do
    for _, rule in ipairs(rules) do
      local hint = rule(tokens, i)
      if hint then return hint end
    end
  end
end

-- Returns a hint for an unfinished text that ends in a colon, or nil.
function prompt.foreign_block(text)
  local tokens = code_of(text)
  return #tokens > 0 and tokens[#tokens].text == ":" and blocks[tokens[1].text] or nil
end

local compares = {["=="] = "eq", ["~="] = "ne"}
local elementwise = {all = true, any = true, eq = true, ne = true, lt = true, le = true, gt = true, ge = true,
                     isnan = true, isinf = true, isfinite = true}
local is_remarked = {} -- each remark is made once

local function is_tensor(tokens, i) return strew_type((prompt.value_at(tokens, i))) == "tensor" end

-- t == x, where t is a variable or a field.
local function compares_tensor(tokens, i)
  local method, other = compares[tokens[i].text], tokens[i + 1]
  if not method or not other or other.text == "nil" or not is_tensor(tokens, i - 1) then return nil end
  local last = i + 1
  while text_at(tokens, last + 1) == "." do last = last + 2 end
  if is_tensor(tokens, last) then return nil end -- the same tensor?
  local owner, first = tokens[i - 1].text, i - 1
  while text_at(tokens, first - 1) == "." do
    first = first - 2
    owner = tokens[first].text .. "." .. owner
  end
  local value = (other.kind == "number" or other.kind == "string") and other.text or "..."
  return format("%s compares tensors as a whole: %s:%s(%s)", tokens[i].text, owner, method, value)
end

-- if t:gt(0):all() then
local function tests_tensor(tokens, i)
  local text, before = tokens[i].text, text_at(tokens, i - 1)
  if text ~= "then" and text ~= "do" or before ~= ")" then return nil end
  local open = prompt.bracket_around(tokens, i - 1)
  local method = open and tokens[open - 1]
  if not method or text_at(tokens, open - 2) ~= ":" or not elementwise[method.text] then return nil end
  return format("a tensor counts as true in a condition: %s(...):item() is its boolean", method.text)
end

-- Returns a remark on a text that compiles, but means something else than it does in NumPy, or nil.
function prompt.remark(text)
  local tokens = code_of(text)
  for i = 1, #tokens do
    for _, rule in ipairs{compares_tensor, tests_tensor} do
      local remark = not is_remarked[rule] and rule(tokens, i)
      if remark then
        is_remarked[rule] = true
        return remark
      end
    end
  end
end
