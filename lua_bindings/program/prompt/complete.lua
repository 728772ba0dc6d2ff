-- complete.lua: completions at the cursor. Only tables are read, without their metamethods: completion runs no code of
-- the user's.
local prompt = ...
local host = prompt.host
local strew = host.strew
local debug, ipairs, next, rawequal, rawget, type = host.debug, ipairs, next, rawequal, rawget, type
local insert, sort = table.insert, table.sort
local find, gmatch, match, sub = string.find, string.gmatch, string.match, string.sub
local globals, max = _G, math.max
local strew_type, bracket_around = rawget(strew, "type"), prompt.bracket_around

local properties = {"device", "dtype", "shape"}
local grouping_fields = {"counts", "device", "ids", "keys", "length", "n", "positions"}
local grouping_methods = {"agg", "all", "any", "argsort", "bfill", "corr", "count", "cov", "cumsum", "describe", "diff",
  "each", "ffill", "first", "free", "head", "interpolate", "last", "log_softmax", "logsumexp", "lower_median", "max",
  "mean", "median", "min", "mode", "nunique", "order", "pct_change", "prod", "quantile", "rank", "reduce", "scan",
  "share", "shift", "skew", "softmax", "starts", "std", "sum", "tail", "to", "topk", "transform", "var"}

-------------------------------------------------------------------------------------------------------------- words

-- Words that are computed at first use, by kind.
local later = {}

function later.device()
  local names = host.device_names()
  if #names > 1 then insert(names, "opencl") end
  return names
end

local function keys_of(tables)
  local names = {}
  for _, t in ipairs(tables) do
    for name in next, t do insert(names, name) end
  end
  return names
end

function later.module() return keys_of{host.loaded, host.preload} end
function later.name() return keys_of{strew, host.methods} end

-- Values that the help of a type lists, but for second names.
for kind, page in next, {aggregate = "aggregates", dtype = "dtype", mode = "index_mode", reduce = "reduce_word"} do
  later[kind] = function()
    local names = {}
    for _, value in ipairs(host.help().find(page).values) do
      if not find(value.text or "", "^the same as") then insert(names, match(value.name, "[%w_]+")) end
    end
    return names
  end
end

local function words_of(kinds)
  local words = {}
  for kind in gmatch(kinds, "%a+") do
    for _, word in ipairs(later[kind]()) do insert(words, word) end
  end
  return words
end

-- Words by the name x in x = "...", {x = "..."}, x("...") and x "...". The strings of by_path are file names.
local by_key = {dtype = "dtype", device = "device", mode = "mode", reduce = "reduce"}
local by_call = {to = "dtype device", scatter_reduce = "reduce", scatter_reduce_ = "reduce", index_reduce = "reduce",
                 index_reduce_ = "reduce", segment_reduce = "aggregate", segment_csr = "aggregate",
                 segment_coo = "aggregate", help = "name", require = "module"}
local by_path = {path = true, load = true, save = true, chunks = true, open = true, lines = true, input = true,
                 output = true, remove = true, rename = true, dofile = true, loadfile = true}
-- What the arguments of calls are whose first one is a table of columns, or a column of text.
local COLUMN, WORD, OWN_WORD, AGGREGATE = "column", "word", "own word", "aggregate"
local of_columns = {group_by = {[2] = COLUMN}, columns = {[2] = COLUMN}, sort_by = {[2] = COLUMN},
                    rows = {[2] = COLUMN}, assign = {[2] = COLUMN},
                    join = {[3] = COLUMN}, value_counts = {[2] = COLUMN}, words = {[2] = COLUMN},
                    asof = {[3] = COLUMN}, melt = {[2] = COLUMN, [3] = COLUMN},
                    code = {[2] = COLUMN, [3] = WORD}, resample = {[3] = COLUMN},
                    pivot = {[2] = COLUMN, [3] = COLUMN, [4] = COLUMN, [5] = AGGREGATE}}
for name in gmatch("dropna drop duplicated drop_duplicates explode get_dummies", "[%a_]+") do
  of_columns[name] = {[2] = COLUMN}
end
for name in gmatch("eq ne lt le gt ge isin", "%a+") do of_columns[name] = {[2] = OWN_WORD} end
-- Options that are columns, and methods of tables whose results have the same columns.
local column_options = {x = true, y = true, by = true, on = true}
local keeps_columns = {rows = true, sort_by = true, head = true, tail = true, dropna = true, fillna = true,
                       sample = true, drop_duplicates = true, assign = true}
local is_grouping_method = {}
for _, name in ipairs(grouping_methods) do is_grouping_method[name] = true end

------------------------------------------------------------------------------------------------------------- values

-- Returns the value of the chain of names that ends with token i, and whether it is known: a.b.c, "text", (a).
local function value_at(tokens, i)
  local token, before = tokens[i], tokens[i - 1]
  if not token then return nil, false end
  if token.text == ")" and tokens[i - 2] and tokens[i - 2].text == "("
    and not (tokens[i - 3] and tokens[i - 3].kind == "name") then -- f(a) is a call
    return value_at(tokens, i - 1)
  end
  if token.kind == "string" then return "", true end
  if token.kind ~= "name" then return nil, false end
  if before and before.text == "." then
    local owner = value_at(tokens, i - 2)
    if type(owner) ~= "table" then return nil, false end
    return rawget(owner, token.text), true
  elseif before and before.text == ":" then
    return nil, false
  end
  local value, is_local = prompt.value_of_local(token.text)
  if is_local then return value, true end
  return rawget(globals, token.text), true
end

prompt.value_at = value_at

-- The name of a userdata's type, or nil.
local function kind_of(value)
  local metatable = type(value) == "userdata" and debug.getmetatable(value)
  return metatable and rawget(metatable, "__name")
end

local function is_grouping(value) return kind_of(value) == "grouping" end

-- What may follow "." and ":" after expressions; nil: as after a tensor.
local expression_fields = {expression = {["."] = {"inputs", "text"}, [":"] = {"with"}},
                           ["bound expression"] = {["."] = {"dtype", "shape"}}}

-- Adds the names of a table that code can have, and those inherited from tables.
local function add_keys(names, t, depth, wanted)
  for key, value in next, t do
    local is_name = type(key) == "string" and find(key, "^[%a_][%w_]*$")
    if is_name and (not wanted or type(value) == wanted) then insert(names, key) end
  end
  local metatable = debug.getmetatable(t)
  local parent = metatable and rawget(metatable, "__index")
  if type(parent) == "table" and depth > 0 then add_keys(names, parent, depth - 1, wanted) end
  local methods = metatable and rawget(metatable, "methods") -- of tables of columns
  if type(methods) == "table" and depth > 0 then add_keys(names, methods, 0, wanted) end
end

-- Returns the names that may follow a value and "." or ":". An unknown value is most likely a tensor.
local function fields_of(value, is_known, separator, makes_grouping)
  local names, wanted = {}, separator == ":" and "function" or nil
  if makes_grouping or is_grouping(value) then
    return separator == "." and grouping_fields or grouping_methods
  end
  local fields = expression_fields[kind_of(value)]
  if fields and fields[separator] then
    return fields[separator]
  elseif strew_type(value) == "tensor" or fields or not is_known then
    if separator == "." then return properties end
    add_keys(names, host.methods, 0, wanted)
  elseif type(value) == "table" then
    add_keys(names, value, 8, wanted)
  else
    local metatable = debug.getmetatable(value)
    local parent = metatable and rawget(metatable, "__index")
    if type(parent) == "table" then add_keys(names, parent, 8, wanted) end
  end
  return names
end

local function names_in_scope()
  local names = prompt.locals()
  add_keys(names, globals, 0)
  for word in next, prompt.keywords do insert(names, word) end
  return names
end

-------------------------------------------------------------------------------------------------------------- places

-- Returns the names that begin with `word`, without duplicates, sorted; private ones only if `word` begins with _. No
-- name has a character that would command the terminal, or end a string.
local function filter(names, word)
  local found, seen = {}, {}
  for _, name in ipairs(names) do
    local is_wanted = type(name) == "string" and sub(name, 1, #word) == word and not seen[name]
      and not find(name, "[%c\\\"']") and not find(name, "\xc2[\x80-\x9f]")
    if is_wanted and (sub(name, 1, 1) ~= "_" or sub(word, 1, 1) == "_") then
      seen[name] = true
      insert(found, name)
    end
  end
  sort(found)
  return found
end

-- `in_home`: a path that begins with ~ is in the home directory.
local function files(line, path_start, in_home)
  local path = sub(line, path_start)
  local folder = match(path, "^(.*/)[^/]*$") or ""
  local word = sub(path, #folder + 1)
  local names = {}
  for _, name in ipairs(host.list(folder == "" and "." or in_home and prompt.expand_home(folder) or folder)) do
    if sub(name, 1, 1) ~= "." or sub(word, 1, 1) == "." then insert(names, name) end
  end
  return path_start + #folder, filter(names, word)
end

local function is_name(token) return token and token.kind == "name" end

-- Returns the position of the name of the call whose arguments contain token i, and the number of that argument, which
-- may be a table that contains the token: f(a, "i"), f(a, {"i"}), f{"i"}, f "i".
local function call_around(tokens, i)
  if is_name(tokens[i - 1]) then return i - 1, 1 end
  local bracket, commas = bracket_around(tokens, i)
  if bracket and tokens[bracket].text == "{" then
    if is_name(tokens[bracket - 1]) then return bracket - 1, 1 end
    bracket, commas = bracket_around(tokens, bracket)
  end
  if bracket and tokens[bracket].text == "(" and is_name(tokens[bracket - 1]) then return bracket - 1, commas + 1 end
end

-- Returns the value of the first argument of the call whose parenthesis is token `open`.
local function first_argument(tokens, open)
  local depth = 0
  for k = open + 1, #tokens do
    local text = tokens[k].text
    depth = depth + (find(text, "^[({%[]$") and 1 or find(text, "^[)}%]]$") and -1 or 0)
    if text == "," and depth == 0 then return (value_at(tokens, k - 1)) end
  end
end

local subject_of

-- Returns the position of the name of the call strew.NAME(...) or x:NAME(...) that ends with token i, and the name.
local function call_ending(tokens, i)
  if not tokens[i] or tokens[i].text ~= ")" then return nil end
  local open = bracket_around(tokens, i)
  local name = open and tokens[open].text == "(" and tokens[open - 1]
  if not is_name(name) then return nil end
  local is_method = tokens[open - 2] and tokens[open - 2].text == ":"
  if is_method or rawequal(value_at(tokens, open - 3), strew) then return open - 1, name.text end
end

-- Returns what the call is of whose name is token i, the value of its first argument, and whether it is a method. A
-- call of a table before it is the table, if it has the same columns.
function subject_of(tokens, i)
  if not tokens[i - 1] or tokens[i - 1].text ~= ":" then return first_argument(tokens, i + 1), false end
  local call, name = call_ending(tokens, i - 2)
  if call and keeps_columns[name] then return subject_of(tokens, call), true end
  return value_at(tokens, i - 2), true
end

-- Returns the options that the call around token i may have in the table that contains it: fields of help.lua; {}.
local function options_around(tokens, i)
  local brace = bracket_around(tokens, i)
  if not brace or tokens[brace].text ~= "{" then return {} end
  local name, place = brace - 1, 1 -- f{...}
  if tokens[name].kind ~= "name" then
    local parenthesis, commas = bracket_around(tokens, brace)
    if not parenthesis or tokens[parenthesis].text ~= "(" then return {} end
    name, place = parenthesis - 1, commas + 1
  end
  local separator = tokens[name - 1] and tokens[name - 1].text
  local is_method = separator == ":"
  if not is_method and not (separator == "." and rawequal(value_at(tokens, name - 2), strew)) then return {} end
  return host.help().options(tokens[name].text, is_method and place + 1 or place)
end

-- Returns "mode = ", ... for a key of a table of options at token i.
local function keys_at(tokens, i)
  local names = {}
  if not find(tokens[i - 1] and tokens[i - 1].text or "", "^[{,;]$") then return names end
  for _, option in ipairs(options_around(tokens, i)) do insert(names, option.name .. " = ") end
  return names
end

-- Returns the words in quotes in the type and the text of the option whose value is at token i.
local function words_of_option(tokens, i, key)
  local words = {}
  for _, option in ipairs(options_around(tokens, i)) do
    if option.name == key then
      for word in gmatch(option.type .. " " .. option.text, '"([%w_]+)"') do insert(words, word) end
    end
  end
  return words
end

-- Returns the names of the columns of a table, and the words of one of them.
local function columns_of(t)
  local names = {}
  for key, value in next, type(t) == "table" and t or {} do
    if type(key) == "string" and strew_type(value) == "tensor" then insert(names, key) end
  end
  return names
end

local function words_of_text(column)
  return strew_type(column) == "tensor" and column.dtype == "text" and column.words or {}
end

-- Returns the table of columns that the grouping before ":agg", token i, was made from.
local function table_of_grouping(tokens, i)
  local call, name = call_ending(tokens, i - 2)
  if call then return name == "group_by" and subject_of(tokens, call) or nil end
  local value = value_at(tokens, i - 2)
  local COLUMNS_VALUE = 2
  return is_grouping(value) and debug.getuservalue(value, COLUMNS_VALUE) or nil
end

-- Returns words for agg{NAME = "...", NAME = {"...", "..."}}: a reduction, then a column; nil: the string is elsewhere.
local function words_of_agg(tokens, i)
  local brace, commas = bracket_around(tokens, i)
  if brace and tokens[brace - 1].text == "=" then brace = bracket_around(tokens, brace) else commas = 0 end
  if not brace or tokens[brace].text ~= "{" then return nil end
  local name = tokens[brace - 1].text == "(" and brace - 2 or brace - 1
  if not tokens[name] or tokens[name].text ~= "agg" then return nil end
  return commas == 0 and words_of(AGGREGATE) or columns_of(table_of_grouping(tokens, name))
end

-- Returns the dtypes of a sum or mean at token i, which help names: those for src, and src's own.
local function dtypes_at(tokens, i)
  local named, words = words_of_option(tokens, i, "dtype"), {}
  if #named == 0 then return words_of("dtype") end
  local brace = bracket_around(tokens, i)
  local open = bracket_around(tokens, brace)
  local name = tokens[(open or brace) - 2]
  local src
  if name and name.text == ":" then src = value_at(tokens, (open or brace) - 3)
  elseif open then src = first_argument(tokens, open) end
  if strew_type(src) ~= "tensor" then return named end
  for _, word in ipairs(named) do
    if find(word, "float", 1, true) or not find(src.dtype, "float", 1, true) then insert(words, word) end
  end
  insert(words, src.dtype)
  return words
end

-- Returns the columns of the table of the call around token i, an option's value or in a sequence of them.
local function columns_of_option(tokens, i)
  local call = call_around(tokens, i)
  return columns_of(call and subject_of(tokens, call))
end

-- Returns the words that the string at token i may be, an argument of a call.
local function words_of_argument(tokens, i)
  local call, argument = call_around(tokens, i)
  local name = call and tokens[call].text
  local brace = bracket_around(tokens, i)
  if brace and tokens[brace].text == "{" and tokens[brace - 1].text == "=" then -- {y = {"a", "b"}}
    return column_options[tokens[brace - 2].text] and columns_of_option(tokens, brace) or {}
  end
  if is_grouping_method[name] and tokens[call - 1] and tokens[call - 1].text == ":" then
    local names = columns_of(table_of_grouping(tokens, call))
    if #names > 0 then return names end
  end
  if of_columns[name] then
    local subject, is_method = subject_of(tokens, call)
    local kind = of_columns[name][is_method and argument + 1 or argument]
    if kind == COLUMN then return columns_of(subject) end
    if kind == OWN_WORD then return words_of_text(subject) end
    if kind == WORD then
      return words_of_text(type(subject) == "table" and rawget(subject, sub(tokens[i - 2].text, 2, -2)))
    end
    return kind and words_of(kind) or {}
  end
  if by_call[name] then return words_of(by_call[name]) end
  return by_path[name] and argument == 1 and "files" or {}
end

-- Returns the words that the string at token i may be; "files": any file name; or nothing.
local function words_at(tokens, i)
  local before = tokens[i - 1]
  local words = words_of_agg(tokens, i)
  if words then return words end
  if before and before.text == "[" then return columns_of(value_at(tokens, i - 2)) end
  if not before or not find(before.text, "^[=~]=?$") then return words_of_argument(tokens, i) end
  local key = tokens[i - 2] and tokens[i - 2].text
  if key == "dtype" then return dtypes_at(tokens, i) end
  if key == "mode" then
    for _, option in ipairs(options_around(tokens, i)) do
      if option.name == key and not find(option.type, "index_mode", 1, true) then
        return words_of_option(tokens, i, key)
      end
    end
  end
  if by_key[key] then return words_of(by_key[key]) end
  if by_path[key] then return "files" end
  local call = call_around(tokens, i)
  if column_options[key] or call and tokens[call].text == "assign" then
    local names = columns_of_option(tokens, i)
    if #names > 0 then return names end
  end
  return key and before.text == "=" and words_of_option(tokens, i, key) or {}
end

-- Returns the words of a column of text, and where one begins that a text of columns compares it with: city == 'Os.
local function words_in_text(tokens, i, text)
  local name, place = match(text, "([%a_][%w_]*)%s*[=~]=%s*'()[^']*$")
  local call = name and call_around(tokens, i)
  local subject = call and subject_of(tokens, call)
  return words_of_text(type(subject) == "table" and rawget(subject, name) or nil), place
end

local function complete_string(tokens, i, line, start)
  local words, text = words_at(tokens, i), sub(line, start)
  if words == "files" or find(text, "^[.~]?[^/]*/") then return files(line, start) end
  local found = filter(words, text)
  local own, place = words_in_text(tokens, i, text)
  if #found == 0 and #own > 0 then return start + place - 1, filter(own, sub(text, place)) end
  local word = match(text, "^.*[^%w_]()[%a_][%w_]*$") -- the last one of an expression
  if #found > 0 or not word then return start, found end
  return start + word - 1, filter(words, sub(text, word))
end

local function complete_code(text, line)
  local tokens = prompt.tokens(text)
  local last = tokens[#tokens]
  local touched = last and last.last == #text and last or nil
  local offset = #text - #line
  if touched and (touched.kind == "comment" or touched.kind == "number") then return nil end
  if touched and touched.kind == "string" then
    if not touched.is_open or not find(touched.text, "^[\"']") or touched.first <= offset then return nil end
    return complete_string(tokens, #tokens, line, touched.first - offset + 1)
  end
  local is_word = touched and (touched.kind == "name" or touched.kind == "keyword")
  local word, i = is_word and touched.text or "", is_word and #tokens - 1 or #tokens
  local separator = tokens[i] and tokens[i].text
  local names
  if separator == "." or separator == ":" then
    local value, is_known = value_at(tokens, i - 1)
    local _, call = call_ending(tokens, i - 1)
    names = fields_of(value, is_known, separator, call == "group_by" or call == "grouping")
  else
    names = filter(keys_at(tokens, i + 1), word)
    if #names == 0 then names = names_in_scope() end
  end
  return #line - #word + 1, filter(names, word)
end

-- Returns, for the line up to the cursor and the lines of its entry above it (or nil), where the word begins and its
-- completions.
local function complete(above, line)
  if not above then
    local start, word = match(line, "^%s*:()(%a*)$")
    if start then return start, filter(prompt.command_names(), word) end
    start, word = match(line, "^%s*%?+%s*()([%w_]*)$")
    if start then return start, filter(words_of("name"), word) end
    start = match(line, "^%s*:lo?a?d?%s+()")
    if start then return files(line, start, true) end
    local rest = match(line, "^%s*:%a+%s()") or match(line, "^%s*=()") or match(line, "^%s*>+ ()")
    if rest then
      local place, names = complete(nil, sub(line, rest))
      return place and place + rest - 1, names
    end
  end
  if not find(line, "%S") then return #line + 1, {"  "} end -- an indentation
  return complete_code(above and above .. "\n" .. line or line, line)
end

-- Returns the completions for the line up to the cursor, as replacements of what begins at `start`.
function prompt.completions(above, line, start)
  local place, names = complete(above, line)
  if not place then return {} end
  for i, name in ipairs(names) do
    names[i] = sub(line, start, place - 1) .. sub(name, max(start - place, 0) + 1)
  end
  return names
end
