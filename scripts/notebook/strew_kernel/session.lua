-- session.lua: makes the prompt of `strew -i` a server of requests: what the kernel sends to the program first, with a
-- token and the path of the requests. A request is "KIND BYTES\n" and so many bytes. Answers, on the standard output,
-- and marks, on the standard error as well, are "\30TOKEN KIND BYTES\n" and so many bytes; all else there is output.
--
-- The prompt's own functions read, complete and show: this file replaces those of its host that meet a terminal.
local token, path = ...
local prompt = debug.getregistry()["strew.prompt"]
local host, strew = prompt.host, prompt.host.strew
local requests = assert(io.open(path, "rb"))
local out, err = assert(io.open("/dev/stdout", "wb")), assert(io.open("/dev/stderr", "wb"))
local files = {[out] = io.stdout, [err] = io.stderr}
local open, remove, scratch, globals, load = io.open, os.remove, os.tmpname, _G, load
local getmetatable, next = debug.getmetatable, next
local ipairs, pcall, print, rawget, rawset, tostring = ipairs, pcall, print, rawget, rawset, tostring
local select, tonumber, type, pack, unpack, concat = select, tonumber, type, table.pack, table.unpack, table.concat
local find, gsub, match, max = string.find, string.gsub, string.match, math.max
local strew_type, save, image = rawget(strew, "type"), rawget(strew, "save"), rawget(strew, "image")

local function send(kind, text, to)
  to = to or out
  pcall(files[to].flush, files[to]) -- a script may have closed it
  to:write("\30", token, " ", kind, " ", #text, "\n", text)
  to:flush()
end

local function receive()
  local kind, count = match(requests:read("l") or "", "^(%a+) (%d+)$")
  if kind == nil or count == "0" then return kind, "" end -- a read of 0 bytes would wait for one
  return kind, requests:read(tonumber(count)) or ""
end

------------------------------------------------------------------------------------------------------------ cells

local number, problem = nil, nil -- of the running cell; why it does not compile

local function is_code(text) return (load(text, "=", "t")) ~= nil end

-- Returns the cell with `return` before the expression at its end, whose results are shown as those of a line at the
-- prompt. Of code that compiles it is an expression only if it begins with a name: f\n(x) is one call.
local function with_result(text)
  local lines, is_chunk = prompt.lines_of(text), is_code(text)
  for k = #lines, max(2, #lines - 100), -1 do
    local tail = concat(lines, "\n", k)
    local is_wanted = find(tail, is_chunk and "^%s*[%a_]" or "%S") and not find(tail, "^%s*%-%-")
    local ended = is_wanted and is_code("return " .. tail) and concat(lines, "\n", 1, k - 1) .. "\nreturn " .. tail
    if ended and is_code(ended) then return ended end
  end
  return text
end

-- Returns what the prompt reads for a cell: ":" for one that does not compile, so that none of it runs. Cells with
-- lines of the prompt, ?name and :vars, run line by line.
local function entry_of(text)
  if not find(text, "\n") or find("\n" .. text, "\n%s*[?=>]") or find("\n" .. text, "\n%s*:%a") then return text end
  text = with_result(text)
  local f, message = prompt.compile(text, "=stdin")
  if f then return text end
  problem = message
  return ":"
end

local command, compile = prompt.command, prompt.compile
function prompt.command(text)
  if not problem then return command(text) end
  local message = problem
  problem = nil
  return "error", message
end

function prompt.compile(text, name)
  return compile(text, name == "=stdin" and number and "=In [" .. number .. "]" or name)
end

local function finish()
  if not number then return end
  send("done", number, err)
  send("done", number)
  number = nil
end

local answers = {}

function answers.complete(text)
  local above, line = match(text, "^(.*)\n([^\n]*)$")
  line = line or text
  local start = #line - #match(line, "[^%s\"\\'`@$><=;|&{}()%[%].:,+*/%%^#~!?-]*$")
  return start .. "\n" .. concat(prompt.completions(above, line, start + 1), "\n")
end

function answers.inspect(name) return host.help().within(80).page(name) or "" end

function answers.check(text)
  if match(text, "^%s*[:?]") then return "complete" end
  local f, _, is_more = compile(with_result(text), "=")
  return f and "complete" or is_more and "incomplete" or "invalid"
end

-- The prompt asks for the next entry, or for more of one.
function host.read(_, above)
  if above then return nil, "end" end
  finish()
  repeat
    local kind, text = receive()
    if kind == "run" then
      local count, code = match(text, "^(%d+)\n(.*)$")
      number = count
      send("start", count)
      return entry_of(code)
    elseif kind then
      local ok, answer = pcall(answers[kind], text)
      send(kind, ok and answer or "")
    end
  until not kind
  return nil, "end"
end

-- An interruption of what comes before a cell's run is the cell's; without a cell it is none.
local read_entry = prompt.read
function prompt.read()
  local results = pack(pcall(read_entry))
  if results[1] then return unpack(results, 2, results.n) end
  if not number then return "none" end
  return "error", (gsub(tostring(results[2]), "^strew %S+:%d+: ", ""))
end

function host.note(text)
  if not find(text, "^the entry continues") then print("(" .. text .. ")") end -- a cell has an end
end

----------------------------------------------------------------------------------------------------------- results

-- The hook of pictures: shows the file that write(path) makes, by its suffix: ".png" or ".svg". Returns false if that
-- fails.
local kinds = {[".png"] = "png", [".svg"] = "svg"}
local function show_file(suffix, write)
  local name = scratch()
  local ok = pcall(write, name .. suffix)
  local file = ok and open(name .. suffix, "rb")
  if file then
    send(kinds[suffix], file:read("a"))
    file:close()
  end
  remove(name)
  remove(name .. suffix)
  return ok
end

local LEAST, LARGEST = 256, 4096 -- pixels of a picture's longer side

-- Shows a picture, [h, w, 3 or 4] of uint8, its pixels as squares if there are few.
local function show_image(t)
  local size = max(t:size(0), t:size(1))
  local times = LEAST // size
  if size > LARGEST then return end
  if times > 1 then t = t:repeat_interleave(times, 0):repeat_interleave(times, 1) end
  show_file(".png", function(name) save(name, t:contiguous()) end)
end

local function is_picture(x)
  return strew_type(x) == "tensor" and x.dtype == "uint8" and x:dim() == 3 and find("34", x:size(2), 1, true)
    and x:size(2) < 10 and x:size(0) > 0 and x:size(1) > 0
end

-- Sends other forms of a value than its text: a table's HTML, by its metatable's function __html, or a picture.
local function send_forms(value)
  local metatable = getmetatable(value)
  local html = type(metatable) == "table" and rawget(metatable, "__html")
  local ok, text = pcall(html or tostring, value)
  if html and ok and text then send("html", text) end
  if pcall(is_picture, value) and is_picture(value) then pcall(show_image, value) end
end

-- Shows what f prints and its other forms as one output, a result or a display, which an error ends.
local function display(kind, f, ...)
  send(kind, "")
  f(...)
  send("shown", "")
end

local results, shorten = prompt.results, prompt.shorten
function prompt.results(is_hidden, ...)
  local values = pack(...)
  display("result", function()
    results(is_hidden, unpack(values, 1, values.n))
    if not is_hidden and values.n == 1 then send_forms(values[1]) end
  end)
end

-- The error of a cell is what follows on the standard error: without this file's functions in the traceback.
function prompt.shorten(message)
  local text = gsub(shorten(message), "\n\t%[C%]: in [^\n]*(\n\tstrew%.notebook)", "%1")
  text = gsub(text, "\n\t[^\n]*strew%.notebook[^\n]*", "")
  text = gsub(gsub(text, "\n\t%(%.%.%.tail calls%.%.%.%)$", ""), "\nstack traceback:$", "")
  send("error", "", err)
  text = shorten(text)
  return find(text, "^[%a_]+: '") and number and "In [" .. number .. "]: " .. text or text -- from a tail call
end

------------------------------------------------------------------------------------- what scripts call in a notebook

-- display(x, ...) shows values as a cell's result is shown.
rawset(globals, "display", function(...)
  for i = 1, select("#", ...) do
    local value = select(i, ...)
    display("display", function()
      local last = rawget(globals, "_")
      results(false, value)
      rawset(globals, "_", last)
      send_forms(value)
    end)
  end
end)

-- Puts wrap(f) in the place of a function of strew's, also as a method.
local function replace(name, wrap)
  local f = rawget(strew, name)
  if not f then return end
  rawset(strew, name, wrap(f))
  local columns = getmetatable(strew.table{a = {1}}).__index
  for _, methods in ipairs{host.methods, getmetatable(columns).methods} do
    if rawget(methods, name) then rawset(methods, name, wrap(rawget(methods, name))) end
  end
end

-- strew.show of a matrix or picture is a picture.
replace("show", function(show)
  return function(self, ...)
    local given = pack(...)
    local options = type(given[given.n]) == "table" and given[given.n] or {}
    local is_drawn = strew_type(self) == "tensor" and self:dim() > 1 and not options.histogram
    if not is_drawn then return show(self, ...) end
    display("display", function()
      show(self, unpack(given, 1, given.n))
      pcall(function()
        show_image(is_picture(self) and self
          or image(self, {min = options.min, max = options.max, colormap = options.colormap}))
      end)
    end)
  end
end)

-- True if a plot has a file or a style of its own: a path comes first, or is an option.
local function is_placed(given)
  if type(given[1]) == "string" then return true end
  for i = 1, given.n do
    local options = type(given[i]) == "table" and given[i] or {}
    if rawget(options, "path") or rawget(options, "style") then return true end
  end
end

-- Returns the arguments without sizes in characters.
local function without_sizes(given)
  local others = {}
  for i = 1, given.n do
    others[i] = given[i]
    if type(given[i]) == "table" and (rawget(given[i], "width") or rawget(given[i], "height")) then
      others[i] = {}
      for key, value in next, given[i] do others[i][key] = key ~= "width" and key ~= "height" and value or nil end
    end
  end
  return unpack(others, 1, given.n)
end

-- strew.plot without a path is a picture.
local draw = rawget(strew, "plot")
replace("plot", function(plot)
  return function(...)
    local given = pack(...)
    if is_placed(given) then return plot(...) end
    display("display", function()
      plot(unpack(given, 1, given.n))
      local is_drawn = show_file(".svg", function(name) draw(name, unpack(given, 1, given.n)) end)
      if not is_drawn then show_file(".svg", function(name) draw(name, without_sizes(given)) end) end
    end)
  end
end)

-- io.read asks the notebook for a line.
if io and io.read then
  local read = io.read
  rawset(io, "read", function(...)
    send("input", "")
    return read(...)
  end)
end
