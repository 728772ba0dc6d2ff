-- The calls that endless.c makes, in a sandbox: each function of the module, found automatically, with each tuple of
-- operands with which a script could keep it busy: views of 2^50 elements, empty tensors with huge counts, strings of
-- `bytes` bytes, tables of 10^7 entries, and 10^7 small calls. Most are errors at once.
--
-- A chunk of the device, the length of strings, and the table of the tensors' methods; it returns
--   count                  the number of functions
--   prepare(i, j, met)     tuple j for function i: true, the function, its operands; false: left out; nil: there are no
--                          more. `met`: the group of the last one, if it took long.
--   name(i, j)             its name, for messages
local device, bytes, methods = ...
local HUGE, MANY = 1 << 50, 1e7
local on = {device = device}

---------------------------------------------------------------------------------------------------------- operands

-- Operands that take long to create: created at first use, and kept.
local kept = {}
local function keep(name, make)
  return function()
    if kept[name] == nil then kept[name] = make() end
    return kept[name]
  end
end

local function one(dtype) return strew.ones(1, {device = device, dtype = dtype}) end
local text = keep("text", function() return ("x"):rep(bytes) end)
local operands = {
  huge = function() return one():expand(HUGE) end,
  index = function() return one("int64"):mul(0):expand(HUGE) end,
  mask = function() return one("bool"):expand(HUGE) end,
  bytes = function() return one("uint8"):expand(HUGE) end,
  matrix = function() return strew.ones(1, 1, on):expand(1 << 25, 1 << 25) end,
  deep = function()
    local shape = {}
    for d = 1, 16 do shape[d] = 8 end
    return one():as_strided(shape, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})
  end,
  empty = function() return strew.ones(0, 1, on):expand(0, HUGE) end,
  ["empty rows"] = function() return strew.ones(1, 0, on):expand(HUGE, 0) end,
  small = function() return strew.ones(3, on) end,
  positions = function() return strew.zeros(3, {device = device, dtype = "int64"}) end,
  text = text,
  -- If a number is expected, Lua converts strings twice: a second for 1 GiB, which cannot be interrupted.
  spaces = keep("spaces", function() return (" "):rep(math.min(bytes, 1 << 28)) end),
  zeros = keep("zeros", function() return ("\0"):rep(bytes) end),
  escapes = keep("escapes", function() return ("%a"):rep(bytes // 2) end),
  list = keep("list", function()
    local t = table.move({0}, 1, 1, 1, {})
    for i = 1, MANY do t[i] = i end
    return t
  end),
  tensors = keep("tensors", function()
    local t, element = {}, strew.ones(1, on)
    for i = 1, MANY do t[i] = element end
    return t
  end),
  sizes = keep("sizes", function()
    local t = {}
    for i = 1, MANY do t[i] = 0 end
    return t
  end),
  keys = keep("keys", function()
    local t = {}
    for i = 1, MANY // 10 do t["key " .. i] = i end
    return t
  end),
  many = function() return HUGE end,
  ["0"] = function() return 0 end,
  ["1"] = function() return 1 end,
  ["-1"] = function() return -1 end,
  ["function"] = function() return function(a) return a end end,
}
for _, key in ipairs {"dtype", "device", "mode", "reduce", "search", "style", "colormap", "profile", "reduction"} do
  operands[key] = function() return {[key] = text()} end
end
operands.dim_size = function() return {dim_size = HUGE} end
local endless = {__index = function() return 1 end, __len = function() return HUGE end}
operands.chars = function() return setmetatable({}, endless) end

local function words(line)
  local list = {}
  for word in line:gmatch "[^,]+" do list[#list + 1] = word end
  return list
end

-- Operands by position. Of a tensor's functions, and of others.
local for_tensors = {
  words "huge,matrix,deep,empty,empty rows,small,index,mask,bytes,text,list,tensors,many",
  words("huge,matrix,index,mask,small,positions,text,list,sizes,many,0,1,"
    .. "dtype,device,mode,reduce,search,style,colormap,profile,reduction,dim_size"),
  words "index,positions,many,1",
  words "huge,small,1",
}
local for_libraries = {
  words "text,spaces,zeros,escapes,list,tensors,chars,many,keys,function,small",
  words "text,spaces,zeros,escapes,many,1,-1,0,list,function",
  words "text,many,1",
}

local function tuples(places)
  local list = {{}}
  local function add(tuple, place)
    for _, operand in ipairs(places[place] or {}) do
      local longer = table.move(tuple, 1, #tuple, 1, {})
      longer[#longer + 1] = operand
      list[#list + 1] = longer
      add(longer, place + 1)
    end
  end
  add({}, 1)
  table.sort(list, function(a, b) return #a < #b end)
  return list
end

local tensor_tuples, library_tuples = tuples(for_tensors), tuples(for_libraries)

---------------------------------------------------------------------------------------------------------- functions

local functions = {} -- {name, f, tuples}

local function add(name, f, list) functions[#functions + 1] = {name = name, f = f, tuples = list} end
local takes_texts = {string = true, table = true, utf8 = true}

local function sorted(library)
  local names = {}
  for name, f in pairs(library) do
    if type(f) == "function" then names[#names + 1] = name end
  end
  table.sort(names)
  return names
end

for _, name in ipairs(sorted(strew)) do add("strew." .. name, strew[name], tensor_tuples) end
for _, name in ipairs(sorted(methods)) do
  if not rawget(strew, name) then add("t:" .. name, methods[name], tensor_tuples) end
end
for _, library in ipairs {"string", "table", "math", "utf8", "os", "coroutine"} do
  for _, name in ipairs(sorted(_G[library])) do add(library .. "." .. name, _G[library][name], library_tuples) end
end
for _, name in ipairs(sorted(_G)) do add(name, _G[name], library_tuples) end

-- Operators.
local pairs_of_tensors = tuples {for_tensors[1], for_tensors[2]}
for sign in ("+ - * / // % ^ & | .. < <= =="):gmatch "%S+" do
  if sign ~= ".." and sign ~= "<" and sign ~= "<=" and sign ~= "&" and sign ~= "|" then
    add("a " .. sign .. " b", load("local a, b = ... return a " .. sign .. " b"), pairs_of_tensors)
  end
end
add("-t", function(t) return -t end, pairs_of_tensors)
add("#t", function(t) return #t end, pairs_of_tensors)
add("t[i]", function(t, i) return t[i] end, pairs_of_tensors)
add("t[i] = 1", function(t, i) t[i] = 1 end, pairs_of_tensors)

-- Calls with operands of their own: `make` returns function and operands, without a deadline.
local function special(name, make) functions[#functions + 1] = {name = name, make = make, tuples = {}} end

-- Functions that read a text byte by byte get one of half a second.
local long = keep("long", function() return ("x"):rep(math.min(8 * bytes, 1 << 30)) end)
local blanks = keep("blanks", function() return (" "):rep(#long()) end)
for _, name in ipairs {"upper", "lower", "reverse", "format"} do
  special("string." .. name .. " of a long text", function() return string[name], long() end)
end
for _, name in ipairs {"pack", "packsize", "unpack"} do
  special("string." .. name .. " by a long text", function() return string[name], blanks(), "" end)
end
special("string.pack of a little in much", function() return string.pack, "c" .. (1 << 29), "x" end)
special("os.date by a long text", function() return os.date, ("%Y"):rep(bytes // 8) end)
special("utf8.len of a long text", function() return utf8.len, long() end)
special("utf8.offset in a long text", function() return utf8.offset, long(), -#long() end)
special("string.find, a long plain needle", function()
  return string.find, long(), ("x"):rep(bytes // 2) .. "y", 1, true
end)
special("string.format, control characters", function() return string.format, "%q", operands.zeros() end)
special("string.rep of a byte", function() return string.rep, "x", #long() end)
special("a long replacement of nothing", function() return string.gsub, ("a"):rep(1000), "(z?)", ("%1"):rep(5e6) end)
special("a long replacement of little", function() return string.gsub, ("a"):rep(100000), "z?", ("%0"):rep(5e6) end)
special("a long plain replacement", function() return string.gsub, ("a"):rep(100000), "z?", ("b"):rep(5e6) end)
special("a pattern of classes", function() return string.find, "a", "[" .. ("%a"):rep(5e6) .. "]" end)
special("a pattern of ranges", function() return string.find, "a", "[" .. ("\0-\255"):rep(5e6) .. "]" end)
special("table.concat of long texts", function()
  local t, element = {}, ("x"):rep(1 << 20)
  for i = 1, 1500 do t[i] = element end
  return table.concat, t
end)
special("a product with an inner dimension of 1", function()
  local t = strew.ones(1, 1, on):expand(16000, 1):contiguous()
  return t.matmul, t, t:t()
end)
local function printed(name, options, rows, columns)
  special(name, function()
    strew.set_printoptions(options)
    return tostring, strew.rand(1, on):expand(rows, columns)
  end)
end
printed("much printed", {threshold = 1 << 60}, 100, 60000)
printed("wide rows printed", {threshold = 1 << 60, linewidth = 1 << 30}, 10, 600000)
printed("many edges printed", {threshold = 0, edgeitems = 1 << 30}, 1, 6000000)
special("printed as at first", function() return strew.set_printoptions, {profile = "default"} end)
special("many names guessed", function()
  for i = 1, 1e6 do strew[("%030d"):format(i)] = i end
  return function() return strew[("%030d"):format(0)] end
end)
special("names taken away", function()
  for i = 1, 1e6 do strew[("%030d"):format(i)] = nil end
  return type, nil
end)
special("a chain of tables as a tensor", function()
  local t = {1, 2, 3}
  for _ = 1, 14 do
    local u = {}
    for k = 1, 100 do u[k] = t end
    t = u
  end
  return strew.tensor, t
end)
special("help on a long name", function() return strew.help, "x" .. (" "):rep(1e6) .. "x" end)

---------------------------------------------------------------------------------------------------------- the calls

-- A slow call represents all calls of its function with as many operands and the same first one (of string, table and
-- utf8: the same first two).
local over = {}

local function small_calls(f)
  local t, i = operands.small(), operands.positions()
  return function()
    for _ = 1, MANY do pcall(f, t, 0, i, t) end
  end
end

local function name(i, j)
  local entry = functions[i]
  if entry.make then return entry.name end
  local tuple = entry.tuples[j - 1]
  return entry.name .. (tuple and "(" .. table.concat(tuple, ", ") .. ")" or ", 10^7 times")
end

local skipped = {["coroutine.yield"] = true, print = true}

local function prepare(i, j, met)
  local entry = functions[i]
  if skipped[entry.name] then return nil end
  if met then over[met] = true end
  if entry.make then
    if j > 1 then return nil end
    return true, "", entry.make()
  end
  if j == 1 then
    over = {}
    return true, "", small_calls(entry.f)
  end
  local tuple = entry.tuples[j - 1]
  if not tuple then return nil end
  local group = #tuple .. (tuple[1] or "") .. (takes_texts[entry.name:match "^%l*"] and tuple[2] or "")
  if over[group] then return false end
  local list = {}
  for k, operand in ipairs(tuple) do list[k] = operands[operand]() end
  return true, group, entry.f, table.unpack(list, 1, #tuple)
end

return #functions, prepare, name
