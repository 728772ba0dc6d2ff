-- help.lua: parses strew.lua, the text about every name, into entries, and formats pages for a terminal. The module
-- embeds it for strew.help; the reference and the tests use it, too. A chunk with four arguments: the text, what
-- which.lua and recipes.lua return, and the methods of tensors, which tell the forms of each function.
--
-- An entry is {name, kind = "function" | "class" | "alias" | "rule", group, summary, body = lines of markdown, example,
-- output, params, returns, overloads, fields, values, operators, forms = {method =, inplace =}}. A parameter, result or
-- field is {name, optional, type, text}; `shown` is its name in messages, `place` its number where it may be given by
-- position, `fields` are the options of a table, or of one behind "...". `rows` are those of which.lua that begin with
-- its call, each with its `entry` and `names`; the entry "which" has all `tasks`, the entry "recipes" all `recipes`:
-- entries of their own, {title, name = "recipes title", summary = the text, example, output}.
local entries, groups, by_name = {}, {}, {}
local contents, which, recipes, methods = ...
local format = string.format

----------------------------------------------------------------------------------------------------------- reading

-- The sentences about parameters and results, by name: {shown, type, text}. Those of an entry come before those of its
-- group, which come before those of the file.
local function sentences(above)
  return {params = setmetatable({}, {__index = above and above.params}),
          returns = setmetatable({}, {__index = above and above.returns})}
end

local of_file, of_group = sentences(), nil

local function new_entry()
  return {body = {}, params = {}, returns = {}, overloads = {}, fields = {}, values = {}, operators = {}, forms = {},
          rows = {}, told = sentences(of_group or of_file)}
end

local function trim(text) return (string.gsub(string.gsub(text, "^%s+", ""), "%s+$", "")) end

local read = {} -- parsers of the text after a tag, by tag

function read.param(entry, text)
  local name, type, rest = string.match(text, "^(%S+)%s+(%S+)%s*(.*)$")
  local shown, words = string.match(rest, '^as "(.-)"%s*(.*)$')
  entry.told.params[name] = {shown = shown, type = type, text = words or rest}
end

read["return"] = function(entry, text)
  local type, name, rest = string.match(text, "^(%S+)%s+(%S+)%s*(.*)$")
  entry.told.returns[name] = {type = type, text = rest}
end

-- Returns the parameters, and the options as a table behind them, or with "..." if that is the last one.
local function with_options(params, options, told, is_optional)
  local list, last = table.move(params, 1, #params, 1, {}), params[#params]
  if #options > 0 and last and last.name == "..." then
    last.fields = options
  elseif #options > 0 then
    local text = told.options and told.options.text or ""
    table.insert(list, {name = "options", shown = "options", optional = is_optional, type = "table", text = text,
                        fields = options})
  end
  return list
end

-- Reads "strew.f(self, dim?, shape..., dtype=) -> values, indices", whose marks strew.lua explains. Optional arguments
-- may be passed by name, all of them: a second way of calling f.
function read.call(entry, text)
  local name, parameters, results = string.match(text, "^strew%.([%w_.]+)%((.-)%)[ %->]*(.*)$")
  local params, options, required, named, returns = {}, {}, {}, {}, {}
  for label, mark in string.gmatch(parameters, "([%w_.]+)([?~=:]?)") do
    local about, is_rest = entry.told.params[label], string.find(label, "...", 1, true)
    local param = {name = is_rest and "..." or label, shown = about.shown or label, type = about.type,
                   text = about.text, optional = string.find(mark, "[?~=]") ~= nil}
    if mark == "=" or mark == ":" then
      table.insert(options, param)
    else
      table.insert(params, param)
      param.place = #params
      if mark ~= "~" then table.insert(mark == "?" and named or required, param) end
    end
  end
  for label, mark in string.gmatch(results, "([^, ?]+)(%??)") do
    local about = entry.told.returns[label] or {type = label, text = ""}
    table.insert(returns, {name = label, optional = mark ~= "", type = about.type, text = about.text})
  end
  local is_optional = #options > 0 and options[1].optional
  local call = {params = with_options(params, options, entry.told.params, is_optional), returns = returns}
  if entry.kind then
    table.insert(entry.overloads, call)
  else
    entry.kind, entry.name, entry.params, entry.returns = "function", name, call.params, returns
  end
  if #named > 0 then
    table.move(options, 1, #options, #named + 1, named)
    params = with_options(required, named, entry.told.params, false)
    table.insert(entry.overloads, {params = params, returns = returns, most = #call.params})
  end
end

function read.field(entry, text)
  local name, mark, type, rest = string.match(text, "^(%S-)(%??)%s+(%S+)%s*(.*)$")
  table.insert(entry.fields, {name = name, shown = name, optional = mark ~= "", type = type, text = rest})
end

function read.operator(entry, text) table.insert(entry.operators, string.match(text, "^%a+")) end

local function add_line(entry, line)
  local tag, rest = string.match(line, "^@(%a+)%s*(.*)$")
  local value, words = string.match(line, "^| (%S+)%s*#?%s*(.*)$")
  if tag == "class" or tag == "alias" then
    entry.kind, entry.name = tag, string.match(rest, "^strew%.(.+)$") or rest
  elseif tag then
    if read[tag] then read[tag](entry, rest) end
  elseif value then
    table.insert(entry.values, {name = value, text = words})
  elseif string.find(line, "^# ") then
    entry.kind, entry.name = "rule", string.sub(line, 3)
  else
    table.insert(entry.body, line)
  end
end

-- Moves summary, example and output out of the body.
local function finish(entry)
  local body, code, target = {}, {}, nil
  for _, line in ipairs(entry.body) do
    local fence = string.match(line, "^```(%a*)")
    if fence then
      target = fence ~= "" and fence or nil
      if target then code[target] = {} end
    else
      table.insert(target and code[target] or body, line)
    end
  end
  entry.summary = table.remove(body, 1) or ""
  while body[1] == "" do table.remove(body, 1) end
  while body[#body] == "" do table.remove(body) end
  entry.body = body
  entry.example = code.lua and table.concat(code.lua, "\n")
  entry.output = code.text and table.concat(code.text, "\n")
end

local function file(entry)
  by_name[entry.name] = entry
  finish(entry)
  if entry.kind == "function" then
    entry.forms = {method = methods[entry.name] ~= nil, inplace = methods[entry.name .. "_"] ~= nil}
  end
  entry.group = groups[#groups]
  table.insert(entry.group.entries, entry)
  table.insert(entries, entry)
end

local function read_all(source)
  local entry = new_entry()
  local function add(line) -- a tag goes on in lines that begin with blanks
    local is_more = entry.tag and string.find(line, "^ ")
    if entry.tag and not is_more then add_line(entry, entry.tag) end
    entry.tag = is_more and entry.tag .. " " .. trim(line) or string.match(line, "^@.*")
    if not entry.tag then add_line(entry, line) end
  end
  local function close()
    if entry.tag then add_line(entry, entry.tag) end
    if entry.kind then
      file(entry)
    elseif #groups == 0 then
      of_file = entry.told
    else
      of_group = entry.told
    end
    entry = new_entry()
  end
  for line in string.gmatch(source, "([^\n]*)\n") do
    local title = string.match(line, "^%-%-%-%-%-+ (.*)$")
    local doc = string.match(line, "^%-%-%-(.*)$")
    if title then
      table.insert(groups, {title = title, entries = {}})
      of_group = sentences(of_file)
      entry = new_entry()
    elseif doc then
      add(doc)
    elseif line == "" then
      close()
    end
  end
  close()
end

------------------------------------------------------------------------------------------------------------- names

-- Returns the name of a type without the module's.
local function type_name(type) return (string.gsub(type, "strew%.", "")) end

local function options_text(param)
  local keys = {}
  for i, field in ipairs(param.fields or {}) do keys[i] = field.name .. " =" end
  return #keys > 0 and "{" .. table.concat(keys, ", ") .. "}" or nil
end

-- "(dim, index, src [, {mode =}])", from parameter `first` on.
local function arguments(params, first)
  local text = ""
  local function add(what, optional)
    local comma = text == "" and "" or ", "
    text = text .. (optional and format("%s[%s%s]", text == "" and "" or " ", comma, what) or comma .. what)
  end
  for i = first, #params do
    local param, options = params[i], options_text(params[i])
    if param.name == "..." or not options then add(param.shown, param.optional) end
    if options then add(options, param.optional or param.name == "...") end
  end
  return "(" .. text .. ")"
end

-- Returns the options that a call of `name` may have in a table as its argument number `place`, self included.
local function options(name, place)
  local entry = by_name[name] or by_name[string.gsub(name, "_$", "")]
  local list, seen = {}, {}
  local function add(params, most)
    local required = 0
    for _, param in ipairs(params) do
      if param.name == "..." or not (param.optional or options_text(param)) then required = required + 1 end
    end
    local last = params[#params]
    local is_last = last and place > required and (place <= most or last.name == "...")
    for _, param in ipairs(is_last and params or {}) do
      for _, field in ipairs(param.fields or {}) do
        local is_given = field.place and field.place < place -- by position
        if not is_given and not seen[field.name] then table.insert(list, field) end
        seen[field.name] = true
      end
    end
  end
  if not entry then return list end
  add(entry.params, #entry.params)
  for _, overload in ipairs(entry.overloads) do add(overload.params, overload.most or #overload.params) end
  return list
end

local function results(list)
  local text = ""
  for i, result in ipairs(list) do
    local name = (i > 1 and ", " or "") .. type_name(result.name)
    text = text .. (result.optional and " [" .. name .. "]" or name)
  end
  return text == "" and "" or " -> " .. text
end

-- Returns all ways of calling an entry's function, the in-place ones first if `inplace`.
local function signatures(entry, inplace)
  local lines, name = {}, entry.name
  local function add(call, params, first, result, at)
    table.insert(lines, at or #lines + 1, call .. arguments(params, first) .. result)
  end
  add("strew." .. name, entry.params, 1, results(entry.returns))
  if entry.forms.method then add("t:" .. name, entry.params, 2, results(entry.returns)) end
  for _, overload in ipairs(entry.overloads) do
    local is_method = overload.params[1].name == "self"
    add((is_method and "t:" or "strew.") .. name, overload.params, is_method and 2 or 1, results(overload.returns))
  end
  if entry.forms.inplace then add("t:" .. name .. "_", entry.params, 2, " -> t, in place", inplace and 1 or nil) end
  return lines
end

-- Returns the names of all entries, in order.
local function names()
  local list = {}
  for _, entry in ipairs(entries) do
    table.insert(list, entry.name)
    if entry.forms.inplace then table.insert(list, entry.name .. "_") end
  end
  return list
end

--------------------------------------------------------------------------------------------------- other libraries

local imported = {}
for prefix in string.gmatch("np numpy pd pandas df series pl polars jnp jax lax torch torch_scatter nn functional ops "
  .. "mindspore oneflow flow plt matplotlib", "%S+") do
  imported[prefix] = true
end

-- "jax.numpy.add.at(a, b)" -> "add.at": without arguments, indices, prefixes of modules, and the underscore at the end.
local function bare(name)
  local plain = string.gsub(string.gsub(string.gsub(string.lower(trim(name)), "%s*%b()$", ""), "%b[]", "[]"), "_$", "")
  while true do
    local prefix, rest = string.match(plain, "^([%a_]+)%.(.+)$")
    if not imported[prefix] then return plain end
    plain = rest
  end
end

-- Calls f with each row of which.lua.
local function each_row(f)
  for _, task in ipairs(which.tasks) do
    for k = 2, #task do f(task[k]) end
  end
end

-- Returns the names of a row in other libraries: "PyTorch index_select, t[rows]; NumPy np.take".
local function elsewhere(row)
  local parts, last = {}, nil
  for _, other in ipairs(row.names) do
    table.insert(parts, other.library == last and ", " or (last and "; " or "") .. other.library .. " ")
    table.insert(parts, other.name)
    last = other.library
  end
  return table.concat(parts)
end

------------------------------------------------------------------------------------------------------------- pages

local width = 80 -- of lines, in characters
local TITLE = 27 -- characters of a group's title in the list of topics

-- Adds words wrapped to lines, the first one after `first`, all others after `rest`.
local function wrap(lines, text, first, rest)
  local line, is_empty = first, true
  for word in string.gmatch(text, "%S+") do
    if not is_empty and utf8.len(line .. word) + 1 > width then
      table.insert(lines, line)
      line, is_empty = rest, true
    end
    line = line .. (is_empty and "" or " ") .. word
    is_empty = false
  end
  table.insert(lines, (string.gsub(line, "%s+$", "")))
end

-- Wraps paragraphs again: the source breaks its lines elsewhere.
local function add_body(lines, body)
  local paragraph = ""
  for _, line in ipairs(body) do
    if line == "" then
      wrap(lines, paragraph, "", "")
      table.insert(lines, "")
      paragraph = ""
    else
      paragraph = paragraph .. " " .. line
    end
  end
  if paragraph ~= "" then wrap(lines, paragraph, "", "") end
end

-- Adds rows of a name, a type and a text, in columns.
local function add_rows(lines, rows)
  local widths = {0, 0}
  for _, row in ipairs(rows) do
    for i = 1, 2 do widths[i] = math.max(widths[i], math.min(#row[i], 26)) end
  end
  local indent = string.rep(" ", 2 + widths[1] + 2 + (widths[2] > 0 and widths[2] + 2 or 0))
  if width < 80 and 2 * #indent > width then indent = string.rep(" ", 6) end -- a narrow terminal: texts are below
  for _, row in ipairs(rows) do
    local left = "  "
    for i = 1, 2 do left = left .. (widths[i] > 0 and row[i] .. string.rep(" ", widths[i] - #row[i]) .. "  " or "") end
    if #left > #indent and row[3] ~= "" then
      table.insert(lines, (string.gsub(left, "%s+$", "")))
      left = indent
    end
    wrap(lines, row[3], left, indent)
  end
end

-- Returns {name, type, text} for each parameter, option, result, field and word. An option that may be passed by
-- position as well has one row, with the text of either.
local function rows_of(entry)
  local rows, by_row = {}, {}
  local function add(name, type, text)
    local row = by_row[name] or by_row[string.gsub(name, " =$", "")]
    if row and row[3] == "" then row[3] = text end
    if row then return end
    by_row[name] = {name, type_name(type), text}
    table.insert(rows, by_row[name])
  end
  local function add_options(params)
    for _, param in ipairs(params) do
      for _, field in ipairs(param.fields or {}) do add(field.name .. " =", field.type, field.text) end
    end
  end
  for _, param in ipairs(entry.params) do
    if not options_text(param) or param.name == "..." then add(param.shown, param.type, param.text) end
  end
  add_options(entry.params)
  for _, overload in ipairs(entry.overloads) do add_options(overload.params) end
  for _, result in ipairs(entry.returns) do add("-> " .. result.name, result.type, result.text) end
  for _, field in ipairs(entry.fields) do add(field.name, field.type, field.text) end
  for _, value in ipairs(entry.values) do add(value.name, "", value.text) end
  return rows
end

-- Returns the entry of a name in any form ("scatter_add_", "t:scatter_add_()", "strew.add", "+", "keepdim"), or nil,
-- and whether the name is in place.
local function find(name)
  local plain = string.match(string.gsub(trim(name), "%s*%b()$", ""), "[^.:]*$")
  for _, entry in ipairs(entries) do
    if entry.name == plain or string.match(entry.name, "%.(.*)") == plain then return entry, false end
    if entry.forms.inplace and entry.name .. "_" == plain then return entry, true end
    if string.match(entry.summary, "`%a* ?(%p+) ?%a+`%.") == plain then return entry, false end
  end
  for _, entry in ipairs(entries) do -- fields, options and operators: where they first appear
    for _, row in ipairs(rows_of(entry)) do
      local stands_alone = #entry.fields > 0 or entry.kind == "rule"
      if row[1] == plain .. " =" or (row[1] == plain and stands_alone) then return entry, false end
    end
  end
end

local function add_example(lines, entry)
  for line in string.gmatch(entry.example .. "\n", "([^\n]*)\n") do table.insert(lines, "> " .. line) end
  table.insert(lines, entry.output)
end

-- Returns the names of the group whose title, or a part of it, begins with these words, with their summaries; or nil.
local function topic(words)
  local wanted = string.lower(trim(words))
  for _, group in ipairs(wanted == "" and {} or groups) do
    local title = ", " .. string.lower(group.title)
    local at = string.find(title, ", " .. wanted, 1, true)
    if at and not string.find(title, "^%a", at + 2 + #wanted) then
      local lines, rows = {group.title}, {}
      for i, entry in ipairs(group.entries) do rows[i] = {entry.name, "", entry.summary} end
      add_rows(lines, rows)
      return table.concat(lines, "\n")
    end
  end
end

-- Adds a row of which.lua: the call, its result, the names in other libraries.
local function add_choice(lines, row)
  local others = elsewhere(row)
  table.insert(lines, "  " .. row[1])
  wrap(lines, row[2] .. (others == "" and "" or ". ") .. others, "      ", "      ")
end

-- Returns the names of an entry's rows in other libraries, each once, in the form of a row.
local function all_names(entry)
  local list, is_known = {}, {}
  for _, library in ipairs(which.libraries) do
    for _, row in ipairs(entry.rows) do
      for _, other in ipairs(row.names) do
        local text = library[2] .. " " .. other.name
        if other.library == library[2] and not is_known[text] then table.insert(list, other) end
        if other.library == library[2] then is_known[text] = true end
      end
    end
  end
  return {names = list}
end

-- Adds the list in other libraries.
local function add_elsewhere(lines, entry)
  local text = elsewhere(all_names(entry))
  if text ~= "" then table.insert(lines, "") end
  if text ~= "" then wrap(lines, text, "elsewhere: ", "           ") end
end

-- Returns the calls for a name in another library, or nil. but: for the name as it is written there, if no row of that
-- entry has it.
local function choices(name, but)
  local lines, plain, is_own = {}, bare(name), false
  each_row(function(row)
    for _, other in ipairs(row.names) do
      if not but and other.plain == plain or but and other.name == trim(name) then
        is_own = is_own or row.entry == but
        return add_choice(lines, row)
      end
    end
  end)
  return #lines > 0 and not (but and is_own) and table.concat(lines, "\n") or nil
end

-- Adds the operands, and the tasks whose title, calls, results or names contain the word.
local function add_tasks(lines, word)
  for line in string.gmatch(which.operands .. "\n", "([^\n]*)\n") do table.insert(lines, "> " .. line) end
  for _, task in ipairs(which.tasks) do
    local title, rows = task[1], {}
    local has_title = string.find(string.lower(title), word, 1, true)
    for k = 2, #task do
      local text = task[k][1] .. " " .. task[k][2] .. " " .. elsewhere(task[k])
      if has_title or string.find(string.lower(text), word, 1, true) then add_choice(rows, task[k]) end
    end
    if #rows > 0 then
      table.insert(lines, "")
      table.insert(lines, title)
      table.move(rows, 1, #rows, #lines + 1, lines)
    end
  end
end

-- Returns the tasks with a word, or nil.
local function tasks_with(word)
  local lines = {}
  add_tasks(lines, string.lower(trim(word)))
  return string.find(lines[#lines], "^> ") == nil and table.concat(lines, "\n") or nil
end

-- Adds the title, the text and the example of a recipe.
local function add_recipe(lines, recipe)
  table.insert(lines, recipe.title)
  wrap(lines, recipe.summary, "", "")
  add_example(lines, recipe)
end

-- Adds recipes, with an empty line between them.
local function add_recipes(lines, list)
  for i, recipe in ipairs(list) do
    if i > 1 then table.insert(lines, "") end
    add_recipe(lines, recipe)
  end
end

-- Returns the recipes with a word in their title, else those with it in text or code, or nil.
local function recipes_with(word)
  local wanted, titled, others, lines = string.lower(trim(word)), {}, {}, {}
  for _, recipe in ipairs(by_name.recipes.recipes) do
    local text = recipe.summary .. " " .. recipe.example
    if string.find(string.lower(recipe.title), wanted, 1, true) then table.insert(titled, recipe) end
    if string.find(string.lower(text), wanted, 1, true) then table.insert(others, recipe) end
  end
  add_recipes(lines, #titled > 0 and titled or others)
  return #lines > 0 and table.concat(lines, "\n") or nil
end

local filtered = {which = tasks_with, recipes = recipes_with} -- pages of a name and a word

-- Returns the entries of a phrase all of whose words are in `words`, by their places.
local function phrased(words)
  local places, count, is_word = {}, 0, {}
  for word in string.gmatch(string.lower(words), "%S+") do is_word[word] = true end
  local function add(entry)
    count = count + 1
    if entry then places[entry] = places[entry] or count end
  end
  for _, row in ipairs(which.search) do
    for phrase in string.gmatch(row[1], "[^;]+") do
      local has_all = true
      for word in string.gmatch(phrase, "%S+") do has_all = has_all and is_word[word] end
      if has_all then
        for name in string.gmatch(row[2], "%S+") do add((find(name))) end
        for _, recipe in ipairs(by_name.recipes.recipes) do
          if recipe.name == row[3] then add(recipe) end
        end
        break
      end
    end
  end
  return places
end

local search -- of words

-- Returns the page of a name, of a name in another library, or of a topic, or nil. ("groupby.sum" is not sum.)
local function page(name)
  local first, word = string.match(name, "^%s*(%l+)%s+(%S.*)$")
  if filtered[first] then return filtered[first](word) end
  local elsewhere_first = string.find(bare(name), ".", 1, true) and choices(name)
  if elsewhere_first then return elsewhere_first end
  local entry, inplace = find(name)
  if entry and string.find(name, ".", 1, true) then -- plt.scatter is not scatter
    local others = choices(name, entry)
    if others then return others end
  end
  if not entry then return choices(name) or topic(name) or next(phrased(name)) and search(name) end
  local lines = {}
  if entry.kind == "function" then
    lines = signatures(entry, inplace)
    table.insert(lines, "")
  end
  wrap(lines, entry.summary, "", "")
  if #entry.body > 0 then table.insert(lines, "") end
  add_body(lines, entry.body)
  local rows = rows_of(entry)
  if #rows > 0 then table.insert(lines, "") end
  add_rows(lines, rows)
  if entry.tasks then
    table.insert(lines, "")
    add_tasks(lines, "")
  end
  if entry.recipes then
    table.insert(lines, "")
    add_recipes(lines, entry.recipes)
  end
  add_elsewhere(lines, entry)
  if entry.example then
    table.insert(lines, "")
    add_example(lines, entry)
  end
  local others = {}
  for _, other in ipairs(entry.group.entries) do
    if other ~= entry then table.insert(others, other.name) end
  end
  if entry.name == string.lower(entry.group.title) then -- a text of the group
    table.insert(lines, "")
    table.insert(lines, topic(entry.name))
  elseif #others > 0 then
    table.insert(lines, "")
    wrap(lines, table.concat(others, " "), "more: ", "      ")
  end
  return table.concat(lines, "\n")
end

-- Returns a line for each group: its title, and as many names as fit.
local function topics()
  local lines = {"?name or ?topic describes it, ??word searches all texts, :help lists commands"}
  for _, group in ipairs(groups) do
    local title = string.lower(group.title)
    if #title > TITLE then title = string.gsub(string.sub(title, 1, TITLE), "%s*%S*$", "") .. " ..." end
    local line, k = title .. string.rep(" ", TITLE + 4 - #title), 0
    while group.entries[k + 1] do
      local more = line .. "  " .. group.entries[k + 1].name
      if #more > width - (group.entries[k + 2] and 4 or 0) then break end
      line, k = more, k + 1
    end
    table.insert(lines, line .. (group.entries[k + 1] and " ..." or ""))
  end
  return table.concat(lines, "\n")
end

-- Returns all names, by group.
local function overview()
  local lines = {}
  wrap(lines, 'strew.help("name") describes one of these, strew.help{search = "words"} searches their texts.', "", "")
  for _, group in ipairs(groups) do
    local list = {}
    for i, entry in ipairs(group.entries) do list[i] = entry.name end
    table.insert(lines, "")
    table.insert(lines, group.title)
    wrap(lines, table.concat(list, " "), "  ", "  ")
  end
  return table.concat(lines, "\n")
end

-- Returns the entry's name in another library that contains a bare name, and whether it is the same.
local function other_name(entry, plain)
  local found
  for _, row in ipairs(entry.rows) do
    for _, other in ipairs(row.names) do
      if other.plain == plain then return other, true end
      if string.find(other.plain, plain, 1, true) then found = found or other end
    end
  end
  return found, false
end

-- Returns the texts of an entry in which words are searched for, the best matches first: name, summary, description,
-- rows, and an example's comments.
local function texts_of(entry)
  local rows, comments = {}, {}
  for _, row in ipairs(rows_of(entry)) do table.insert(rows, table.concat(row, " ")) end
  for _, row in ipairs(entry.rows) do table.insert(rows, row[2]) end
  for comment in string.gmatch(entry.example or "", "%-%-([^\n]*)") do table.insert(comments, comment) end
  local texts = {entry.name, entry.summary, table.concat(entry.body, " "), table.concat(rows, " "),
                 table.concat(comments, " ")}
  for k, text in ipairs(texts) do texts[k] = string.lower(text) end
  return texts
end

-- Returns how well an entry matches a word: its name, whole words before parts of words, in the order of its texts; a
-- whole name in another library counts as one in the summary. `plain` is the word as a bare name.
local function rank(entry, word, plain)
  entry.texts = entry.texts or texts_of(entry)
  if entry.texts[1] == word then return 0 end
  local other, is_whole = other_name(entry, plain)
  local pattern = "%f[%w]" .. string.gsub(word, "%p", "%%%0") .. "%f[%W]"
  for k, text in ipairs(entry.texts) do
    if string.find(text, pattern) or k == 2 and is_whole then return k end
  end
  for k, text in ipairs(entry.texts) do
    if string.find(text, word, 1, true) then return #entry.texts + k end
  end
  return other and 2 * #entry.texts or nil
end

-- Returns a line for each entry that has all the words, or that which.lua names for them, best first; nil: there is
-- none. A hyphen may be typed as a space.
function search(words)
  local found, wanted, plain = {}, {}, bare(words)
  for word in string.gmatch(string.gsub(string.lower(words), "(%w)%-(%w)", "%1 %2"), "%S+") do
    table.insert(wanted, {word, bare(word)})
  end
  local first = phrased(words)
  local function consider(entry, place)
    local worst = 0
    for _, word in ipairs(wanted) do worst = math.max(worst, rank(entry, word[1], word[2]) or math.huge) end
    if first[entry] then worst, place = 0, first[entry] end
    if worst < math.huge then table.insert(found, {entry = entry, order = worst * 1000 + place}) end
  end
  for place, entry in ipairs(entries) do consider(entry, place) end
  for k, recipe in ipairs(by_name.recipes.recipes) do consider(recipe, #entries + k) end
  table.sort(found, function(a, b) return a.order < b.order end)
  local rows, lines = {}, {}
  for i, hit in ipairs(found) do
    local other, is_whole = other_name(hit.entry, plain)
    local also = is_whole and format(" %s: %s.", other.library, other.name) or ""
    rows[i] = {hit.entry.name, "", hit.entry.summary .. also}
  end
  add_rows(lines, rows)
  return #found > 0 and table.concat(lines, "\n") or nil
end

-- Gives each row its names, {library, name, plain = the bare name}, and each entry its rows.
local function file_rows()
  by_name.which.tasks = which.tasks
  each_row(function(row)
    row.names = {}
    for _, library in ipairs(which.libraries) do
      for name in string.gmatch(row[library[1]] or "", "[^;]+") do
        table.insert(row.names, {library = library[2], name = trim(name), plain = bare(name)})
      end
    end
    row.entry = find(string.match(row[1], "^%a+%p+([%w_.]+)"))
    table.insert(row.entry.rows, row)
  end)
end

-- Gives the entry "recipes" what recipes.lua returns, as entries.
local function file_recipes()
  by_name.recipes.recipes = {}
  for i, recipe in ipairs(recipes) do
    local entry = new_entry()
    entry.title, entry.summary, entry.example, entry.output = table.unpack(recipe)
    entry.name = "recipes " .. string.lower(entry.title)
    by_name.recipes.recipes[i] = entry
  end
end

read_all(contents)
file_rows()
file_recipes()
local pages

-- Returns the pages, with lines of at most `columns`, and 80.
local function within(columns)
  width = columns > 0 and math.max(20, math.min(80, columns)) or 80
  return pages
end

pages = {within = within, entries = entries, groups = groups, find = find, names = names, signatures = signatures,
         rows_of = rows_of, options = options, page = page, topics = topics, overview = overview, search = search,
         elsewhere = elsewhere, all_names = all_names, operands = which.operands, libraries = which.libraries,
         phrases = which.search}
return pages
