-- entry.lua: compiles the text of an entry to a function that runs it, with the locals of earlier entries.
--
-- A session acts as one block: a local lives on, whoever changes it and whichever functions have captured it. Lua
-- shares variables among closures, so each entry is compiled as the body of a function that has the older locals as
-- upvalues, and debug.upvaluejoin makes them the same variables. At its end an entry passes on closures that have
-- captured the locals visible there. All names in the text are tried, and the compiler decides which of them are
-- locals. The invariant: cells[name] holds the variable that `name` means.
local prompt = ...
local debug, load, ipairs, next, pack, rawequal = prompt.host.debug, load, ipairs, next, table.pack, rawequal
local concat, find, insert, remove, sub = table.concat, string.find, table.insert, table.remove, string.sub
local setmetatable, pcall, error, tostring = setmetatable, pcall, error, tostring

local CAPTURE = "_strew_capture" -- the name of the function that receives an entry's locals
local MARK = prompt.host.mark    -- a local at the start of the outermost block and of its parts with inner blocks
local GROUP = 100                -- names per closure, which has at most 255 upvalues

local cells = {} -- name -> {closure over this variable alone, is_const}
prompt.cells = cells
local closing = {} -- values of variables with <close>, in order, closed at the session's end

local absent = {}
local catch = setmetatable({}, {__index = function() return absent end}) -- globals of a closure that captures locals

local function new_cell(value, is_const)
  return {function() return value end, is_const}
end

local function value_of(name)
  local _, value = debug.getupvalue(cells[name][1], 1)
  return value
end

-- name -> number of the upvalue.
local function upvalues(f)
  local places, i = {}, 1
  local name = debug.getupvalue(f, i)
  while name do
    places[name] = i
    i = i + 1
    name = debug.getupvalue(f, i)
  end
  return places
end

-- Records which of the names are locals: an upvalue of f, or a constant folded by the compiler.
local function take(f, names, consts)
  local values, places = pack(f(catch)), upvalues(f)
  for k, name in ipairs(names) do
    if places[name] then
      cells[name] = new_cell(nil, consts[name])
      debug.upvaluejoin(cells[name][1], 1, f, places[name])
    elseif not rawequal(values[k], absent) then
      cells[name] = new_cell(values[k], true)
    end
  end
end

-- Registers a value to be closed at the session's end.
local function take_closing(name)
  local value = cells[name] and value_of(name)
  if not value then return end
  local metatable = debug.getmetatable(value)
  if not metatable or metatable.__close == nil then error("variable '" .. name .. "' got a non-closable value", 0) end
  insert(closing, value)
end

-- Returns the names in the text that may be locals of the session, without duplicates, and whether the text has the
-- word `local`. (`_` is always the last result.)
local function names_in(tokens)
  local names, seen, has_local = {}, {[CAPTURE] = true, [MARK] = true, _ = true}, false
  for _, token in ipairs(tokens) do
    if token.kind == "name" and not seen[token.text] then
      seen[token.text] = true
      insert(names, token.text)
    elseif token.text == "local" then
      has_local = true
    end
  end
  return names, has_local
end

local deeper = {["function"] = 1, ["do"] = 1, ["if"] = 1, ["repeat"] = 1, ["end"] = -1, ["until"] = -1}

-- Returns the position of the `return` that ends the outermost block, or the text's end.
local function end_of_block(text, tokens)
  local depth = 0
  for _, token in ipairs(tokens) do
    depth = depth + (deeper[token.text] or 0)
    if token.text == "return" and depth == 0 then return token.first end
  end
  return #text + 1
end

-- Calls visit(name, attribute token, depth) for each attribute of a local variable.
local function each_attribute(tokens, visit)
  local depth, in_list = 0, false
  for i, token in ipairs(tokens) do
    depth = depth + (deeper[token.text] or 0)
    if token.text == "local" then
      in_list = true
    elseif in_list and token.text == "<" and tokens[i + 2] and tokens[i + 2].text == ">" then
      visit(tokens[i - 1].text, tokens[i + 1], depth)
    elseif token.kind ~= "name" and token.kind ~= "comment" and not find(token.text, "^[,>]$") then
      in_list = false
    end
  end
end

-- Replaces <close> in the outermost block by <const>, which is as long: the variable must live on. Returns the text and
-- the names of these variables.
local function hold_open(text, tokens)
  local held = {}
  each_attribute(tokens, function(name, attribute, depth)
    if attribute.text ~= "close" or depth > 0 then return end
    text = sub(text, 1, attribute.first - 1) .. "const" .. sub(text, attribute.last + 1)
    insert(held, name)
  end)
  return text, held
end

-- Asks the compiler which names are constants at the end of the block.
local function constants(block, tokens)
  local consts = {}
  each_attribute(tokens, function(name)
    local _, message = load(block .. "\n" .. name .. " = nil", "=", "t")
    consts[name] = message ~= nil and find(message, "const variable '" .. name .. "'", 1, true) ~= nil
  end)
  return consts
end

-- Returns the call that passes on the locals, and the function that it calls.
local function capture_of(names, held, consts)
  local groups, closures, group = {}, {}, nil
  for _, name in ipairs(names) do
    if name == "_ENV" then
      insert(groups, {"_ENV"})
      insert(closures, "function() return _ENV end")
    else
      if not group or #group == GROUP then
        group = {}
        insert(groups, group)
        insert(closures, group)
      end
      insert(group, name)
    end
  end
  for i, closure in ipairs(closures) do
    if closure == groups[i] then closures[i] = "function(_ENV) return " .. concat(closure, ", ") .. " end" end
  end
  local function capture(...)
    for i, f in ipairs{...} do take(f, groups[i], consts) end
    for _, name in ipairs(held) do take_closing(name) end
  end
  return CAPTURE .. "(" .. concat(closures, ", ") .. ") ", capture
end

-- Compiles `body` as a function with the locals that it mentions; returns nil and a message if it does not compile.
local function wrap(body, names, chunk_name, capture)
  local mentioned, head = {}, "local " .. CAPTURE
  for _, name in ipairs(names) do
    if cells[name] and name ~= "_ENV" then insert(mentioned, name) end
  end
  if cells._ENV then insert(mentioned, "_ENV") end -- each global is a field of it
  for _, name in ipairs(mentioned) do head = head .. ", " .. name .. (cells[name][2] and " <const>" or "") end
  local make, message = load(head .. " = ... return function(...) " .. body .. "\nend", chunk_name, "t")
  if not make then return nil, message end
  local f = make(capture)
  local places = upvalues(f)
  for _, name in ipairs(mentioned) do
    if places[name] then debug.upvaluejoin(f, places[name], cells[name][1], 1) end
  end
  return f
end

local opens_blocks = {["do"] = true, ["for"] = true, ["if"] = true, ["repeat"] = true, ["while"] = true}
local ends_part = {["local"] = true, ["::"] = true}

-- Adds marks to the outermost block, by which the handler of errors tells its locals, between the first mark and the
-- second, from those of inner blocks. From a statement with blocks to the next local or label, which must stay visible,
-- it becomes one inner block, so that loops contain no mark.
local function mark_blocks(block, tokens)
  local parts, from, depth, is_inside = {"local " .. MARK .. " "}, 1, 0, false
  for _, token in ipairs(tokens) do
    if token.first > #block then break end
    if depth == 0 and (is_inside and ends_part or opens_blocks)[token.text] then
      insert(parts, sub(block, from, token.first - 1) .. (is_inside and "end " or "do local " .. MARK .. " "))
      from, is_inside = token.first, not is_inside
    end
    depth = depth + (deeper[token.text] or 0)
  end
  return concat(parts) .. sub(block, from) .. (is_inside and " end " or "")
end

local function compile_statements(text, tokens, chunk_name)
  local names, has_local = names_in(tokens)
  if not has_local or #names == 0 then return wrap(text, names, chunk_name) end
  local last = end_of_block(text, tokens)
  local living, held = hold_open(text, tokens)
  local block, rest = sub(living, 1, last - 1), sub(living, last)
  local call, capture = capture_of(names, held, constants(block, tokens))
  if rest == "" then block = block .. "\n" end -- it may end in a comment
  local f = wrap(mark_blocks(block, tokens) .. call .. rest, names, chunk_name, capture)
    or wrap(block .. call .. rest, names, chunk_name, capture) -- for example, without a free slot for another local
  if f then return f end
  return wrap(text, names, chunk_name) -- for example, if a goto jumps to the end, over locals
end

local no_expression = {["break"] = true, ["do"] = true, ["for"] = true, ["goto"] = true, ["if"] = true,
                       ["local"] = true, ["repeat"] = true, ["return"] = true, ["while"] = true, ["::"] = true,
                       [";"] = true}

-- Returns the compiler's message about a text that is neither an expression nor a statement, whose tokens from `i` may
-- be an expression: the expression's own if they begin like one and the compiler of statements saw no more of it.
local function message_of(tokens, i, as_expression, as_statement)
  while tokens[i] and tokens[i].kind == "comment" do i = i + 1 end
  local first, second = tokens[i] and tokens[i].text or "", tokens[i + 1]
  if no_expression[first] or first == "function" and second and second.kind == "name" then return as_statement end
  local no_statement = find(as_statement, ": unexpected symbol near '" .. first, 1, true)
    or first == "function" and find(as_statement, ": <name> expected near ", 1, true)
  local no_call = find(as_statement, ": syntax error near ", 1, true) and not find(as_expression, "<eof> expected near")
  return (no_statement or no_call) and as_expression or as_statement
end

-- Returns the text with `return` before its last part, which may be an expression after statements, "a = 1; a + 1", and
-- the position of the token where that part begins.
local function with_result(text, tokens)
  local i = #tokens
  while i > 0 and (tokens[i].text == ";" or tokens[i].kind == "comment") do i = i - 1 end
  while i > 0 and tokens[i].text ~= ";" do i = i - 1 end
  local head = i > 0 and sub(text, 1, tokens[i].last)
  if not head or not load(head, "=", "t") then return "return " .. text, 1 end
  return head .. " return " .. sub(text, tokens[i].last + 1), i + 1
end

-- Returns a function for the text and whether it is an expression; or nil, a message, and whether more text may
-- complete it. (The text alone is compiled first: the code around it must not change its meaning.)
function prompt.compile(text, chunk_name)
  local tokens = prompt.tokens(text)
  if load("return " .. text, chunk_name, "t") then
    local f, message = wrap("return " .. text, names_in(tokens), chunk_name)
    return f, f and true or message
  end
  local f, message = load(text, chunk_name, "t")
  local ended, first = with_result(text, tokens)
  local has_result, own = load(ended, chunk_name, "t")
  if not f and has_result then
    text, tokens = ended, prompt.tokens(ended)
  elseif not f then
    message = message_of(tokens, first, own, message)
    if find(message, "<eof>$") then return nil, message, true end
    local hint = prompt.foreign(text)
    return nil, hint and message .. "\n  hint  " .. hint or message, false
  end
  f, message = compile_statements(text, tokens, chunk_name)
  return f, not f and message or false
end

-- Keeps locals of the outermost block of an entry that an error ended, by name. They are no longer shared with the
-- functions that captured them.
function prompt.rescue(values)
  for name, value in next, values do
    if name ~= CAPTURE and name ~= "_" then cells[name] = new_cell(value) end
  end
end

-- Return the names of all locals; and the value of one, with whether it exists.
function prompt.locals()
  local names = {}
  for name in next, cells do insert(names, name) end
  return names
end

function prompt.value_of_local(name)
  if cells[name] then return value_of(name), true end
  return nil, false
end

-- Ends the block.
function prompt.close()
  local problems = {}
  while #closing > 0 do
    local value = remove(closing)
    local ok, message = pcall(debug.getmetatable(value).__close, value, nil)
    if not ok then insert(problems, tostring(message)) end
  end
  if #problems > 0 then error(concat(problems, "\n"), 0) end
end
