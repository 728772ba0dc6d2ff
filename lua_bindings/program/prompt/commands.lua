-- commands.lua: entries that begin with : or ? at the prompt.
local prompt = ...
local host = prompt.host
local strew = host.strew
local ipairs, next, pcall, print, rawequal, rawget = ipairs, next, pcall, print, rawequal, rawget
local collectgarbage, error, setmetatable, tostring, type = collectgarbage, error, setmetatable, tostring, type
local debug, loaded, open, getenv = host.debug, host.loaded, io and io.open, os and os.getenv
local concat, insert, pack, sort, unpack = table.concat, table.insert, table.pack, table.sort, table.unpack
local find, format, gsub, lower = string.find, string.format, string.gsub, string.lower
local match, rep, sub = string.match, string.rep, string.sub
local max, width_of, globals = math.max, utf8.len, _G
local clock, memory, strew_type = rawget(strew, "clock"), rawget(strew, "memory"), rawget(strew, "type")

-- Raises an error without a traceback.
local function complain(...)
  local text = format(...)
  error(setmetatable({}, {__tostring = function() return text end}))
end

---------------------------------------------------------------------------------------------------- numbers as words

local function time_text(seconds)
  for _, unit in ipairs{{0.1, 1, "s"}, {1e-3, 1e-3, "ms"}, {1e-6, 1e-6, "us"}} do
    if seconds >= unit[1] then return format("%.3g %s", seconds / unit[2], unit[3]) end
  end
  return format("%.3g ns", seconds * 1e9)
end

local function bytes_text(bytes)
  local unit = 1
  local units = {"bytes", "KiB", "MiB", "GiB", "TiB"}
  while bytes >= 1024 and unit < #units do bytes, unit = bytes / 1024, unit + 1 end
  return format(unit == 1 and "%d %s" or "%.1f %s", bytes, units[unit])
end

-- "1.2 s, 0.9 s of it compiling"
function prompt.duration(seconds, compiling)
  local text = time_text(seconds)
  return compiling > 0 and format("%s, %s of it compiling", text, time_text(compiling)) or text
end

-- Prints rows in columns; those in `right` are right-aligned.
local function print_rows(rows, right)
  local widths = {}
  for _, row in ipairs(rows) do
    for i, cell in ipairs(row) do
      row[i] = gsub(cell, "%c", "?") -- a name of a global may be any text
    end
    for i, cell in ipairs(row) do widths[i] = max(widths[i] or 0, width_of(cell) or #cell) end
  end
  for _, row in ipairs(rows) do
    local line = ""
    for i, cell in ipairs(row) do
      local blanks = rep(" ", widths[i] - (width_of(cell) or #cell))
      line = line .. (i > 1 and "  " or "") .. (right[i] and blanks .. cell or cell .. blanks)
    end
    print((gsub(line, "%s+$", "")))
  end
end

----------------------------------------------------------------------------------------------------------- commands

-- Compiles the argument of a command.
local function compile(text, command)
  if not find(text, "%S") then complain(":%s expects an expression or statement", command) end
  local f, message = prompt.compile(gsub(text, ";%s*$", ""), "=stdin")
  if not f then complain("%s", message) end
  return f
end

local function time(text)
  local f = compile(text, "time")
  local start, compiled = clock(), host.compiling()
  local results = pack(f())
  local seconds = clock() - start
  prompt.results(find(text, ";%s*$") ~= nil, unpack(results, 1, results.n))
  print(prompt.duration(seconds, host.compiling() - compiled))
end

-- Runs f `times` times; returns seconds per run.
local function sample(f, times)
  local start = clock()
  for _ = 1, times do f() end
  return (clock() - start) / times
end

local function bench(text)
  local f = compile(text, "bench")
  local compiled = host.compiling()
  local first = sample(f, 1)
  compiled = host.compiling() - compiled
  local times = 1
  while sample(f, times) * times < 1e-3 do times = times * 4 end
  local samples, stop = {}, clock() + 1
  repeat insert(samples, sample(f, times)) until #samples >= 5 and clock() >= stop
  sort(samples)
  print(format("median %s, fastest %s, slowest %s of %d runs; the first %s", time_text(samples[#samples // 2 + 1]),
    time_text(samples[1]), time_text(samples[#samples]), #samples * times, prompt.duration(first, compiled)))
end

local sizes = {float64 = 8, int64 = 8, float32 = 4, int32 = 4, float16 = 2, bfloat16 = 2, int16 = 2}

local function tensor_row(name, kind, t)
  if not pcall(t.dim, t) then return {name, kind, "tensor", "freed", "", ""} end
  local bytes = t:numel() * (sizes[t.dtype] or 1)
  return {name, kind, t.dtype, "[" .. concat(t.shape, ", ") .. "]", bytes_text(bytes), t.device}
end

local ignored = {_G = true, _VERSION = true, arg = true}

-- True for globals of the user's own, not of the standard libraries or strew.
local function is_own(name, value)
  if type(name) ~= "string" or ignored[name] or rawequal(loaded[name], value) then return false end
  return type(value) ~= "function" or debug.getinfo(value, "S").what ~= "C"
end

local function vars()
  local rows = {}
  local function add(name, kind, value)
    local row = strew_type(value) == "tensor" and tensor_row(name, kind, value)
    insert(rows, row or {name, kind, type(value), prompt.line_of(value, 40), "", ""})
  end
  for _, name in ipairs(prompt.locals()) do
    if name ~= "_ENV" then add(name, "local", (prompt.value_of_local(name))) end
  end
  for name, value in next, globals do
    if is_own(name, value) then add(name, "global", value) end
  end
  if #rows == 0 then print("no variables") end
  sort(rows, function(a, b) return a[1] < b[1] or a[1] == b[1] and a[2] > b[2] end)
  print_rows(rows, {[5] = true})
  print("all tensors, named or not: " .. bytes_text((memory())))
end

local function mem()
  local held, peak = memory()
  print_rows({{"tensors", bytes_text(held)}, {"tensors, at most", bytes_text(peak)},
              {"Lua", bytes_text(collectgarbage("count") * 1024)}}, {[2] = true})
end

-- Returns a path whose ~ at the start is the home directory.
function prompt.expand_home(path)
  local home = getenv and getenv("HOME")
  return home and match(path, "^~/") and home .. sub(path, 2) or path
end

-- Returns the entry that a file is, as if it had been typed: "run", function, "show"; or "error", message.
local function load_file(text)
  local path = prompt.expand_home(match(text, '^%s*"(.*)"%s*$') or match(text, "^%s*(.-)%s*$"))
  if not open then return "error", "files are not available in a sandbox" end
  if path == "" then return "error", ":load expects a file name" end
  local file, message = open(path, "rb")
  if not file then return "error", "cannot open " .. message end
  local source, problem = file:read("a")
  file:close()
  if not source then return "error", format("cannot read %s: %s", path, problem) end
  source = gsub(gsub(source, "^\239\187\191", ""), "^#[^\n]*", "")
  if sub(source, 1, 4) == "\27Lua" then return "error", path .. " is compiled: only text can be loaded" end
  local f, trouble = prompt.compile(source, "@" .. path)
  if not f then return "error", trouble end
  return "run", f, "show"
end

-- Shows a page of help.lua: `find` is the name of its function. strew.help reports what is not found.
local LONGEST = 1000 -- longer names and words are not searched for
local function help(find_page, text, ...)
  local _, columns = host.size()
  local page = #(text or "") <= LONGEST and host.help().within(columns)[find_page](text)
  if page then return prompt.page(page) end
  local ok, message = pcall(rawget(strew, "help"), ...)
  if not ok then complain("%s", gsub(message, "^[^\n]-:%d+: ", "")) end
end

local list -- commands, in the order of :help

local function overview()
  for _, command in ipairs(list) do
    local usage = ":" .. command.name .. (command.argument and " " .. command.argument or "")
    print(format("%-14s  %s", usage, command.text))
  end
  print([[
?name           help on a function: arguments, results, an example
?topic          the functions of a topic; ? lists the topics
?which [word]   calls by task, and their names in other libraries
?recipes [word] common tasks, in a few lines each
??word          functions whose help has the word, with names of other libraries
??              all functions

=expr           as expr; a final ; hides the result; _ is the last result
Tab             completes names, methods, words in strings, files
Ctrl-C          stops the running code, or clears the line
Ctrl-D          ends the session]])
end

list = {
  {name = "vars", run = vars, text = "variables: dtype, shape, bytes, device"},
  {name = "mem", run = mem, text = "memory in use"},
  {name = "devices", run = host.devices, text = "devices and their capabilities"},
  {name = "time", argument = "expr", run = time, text = "runs it once and prints the time"},
  {name = "bench", argument = "expr", run = bench, text = "runs it repeatedly for a second"},
  {name = "load", argument = "file", entry = load_file, text = "runs a file as if it had been typed"},
  {name = "help", run = overview, text = "this list"},
  {name = "quit", text = "ends the session"},
}

function prompt.command_names()
  local names = {}
  for i, command in ipairs(list) do names[i] = command.name end
  return names
end

-- Returns the command of that name, or the only one with that prefix.
local function find_command(word)
  local found
  for _, command in ipairs(list) do
    if command.name == word then return command end
    if sub(command.name, 1, #word) == word then
      if found then return nil end
      found = command
    end
  end
  return found
end

local function unknown(word)
  local names = {}
  for _, command in ipairs(list) do names[command.name] = true end
  local nearest = host.hints().nearest(word, names)
  return nearest and format("unknown command :%s; did you mean ':%s'?", word, nearest)
    or format("unknown command :%s; :help lists the commands", word)
end

-- Words whose search is answered by the list of commands.
local of_prompt = {quit = true, exit = true, history = true, prompt = true, editor = true, completion = true}

-- Returns what to do for an entry that begins with : or ?, in the words of prompt.read.
function prompt.command(text)
  local words = match(text, "^%?%?%s*(.-)%s*$")
  local name = not words and match(text, "^%?%s*(.-)%s*$")
  if words == "" then return "run", function() help("overview") end, "quiet" end
  if words and of_prompt[lower(words)] then return "run", overview, "quiet" end
  if words then return "run", function() help("search", words, {search = words}) end, "quiet" end
  if name == "" then return "run", function() help("topics") end, "quiet" end
  if name == "prompt" or match(name or "", "^:") then return "run", overview, "quiet" end
  if name then return "run", function() help("page", name, name) end, "quiet" end
  local word, rest = match(text, "^:%s*(%a*)%s*(.-)%s*$")
  local command = word ~= "" and find_command(word)
  if not command then return "error", unknown(lower(word)) end
  if command.name == "quit" then return "end" end
  if rest ~= "" and not command.argument then
    return "error", format(":%s takes no argument, found '%s'", command.name, tostring(rest))
  end
  if command.entry then return command.entry(rest) end
  return "run", function() command.run(rest) end, "quiet"
end
