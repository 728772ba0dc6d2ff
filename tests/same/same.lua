-- same.lua: records a digest of each of many calls, and compares the recordings of two builds; see tests/same.sh.
-- usage: strew same.lua record FILE DEVICE STEP   every STEP-th call, a line each: key, tab, digest or message
--        strew same.lua call KEY [DEVICE]         prints that call as Lua, and its results
--        strew same.lua compare FILES OF EXCEPT   FILES: "OLD NEW TITLE", a line each; OF: a word for each call
-- An old build runs the same draws: a call that needs what only one build has is listed, not compared.
local strew = require "strew"
local SCRIPT <const> = "tests/same/same.lua"
local WRONG <const>, FAMILY <const>, EACH <const> = 5000, 9000, 45

-- ------------------------------------------------------------------------------------------------------- digests

local draws, hash
local function load_draws()
  draws = dofile "tests/same/draws.lua"
  hash = draws.calls.hash
end

local function is_grouping(value) return type(value) == "userdata" and tostring(value):find "^grouping of" end
local sampled <const>, largest <const> = 1000, 1 << 21 -- elements; views of more are known by their facts

local function sorted_keys(t)
  local list = {}
  for k in pairs(t) do table.insert(list, k) end
  table.sort(list, function(a, b) return tostring(a) < tostring(b) end)
  return list
end

-- Of tensors, groupings, tables of columns and tables of these: bits, layout and names.
local function digest(before, value)
  if strew.type(value) then
    for d = 0, value:dim() - 1 do before = hash(before, value:stride(d)) end
    local n = value:numel()
    if n <= sampled then return hash(before, value) end
    before = hash(hash(before, value.dtype), value.shape)
    if n > largest then return before end
    local line = value:to("cpu"):reshape(-1)
    if line.dtype == "text" then line = line:codes() end
    return hash(hash(before, line:sum():item()), line:slice(0, 0, n, n // sampled))
  elseif is_grouping(value) then
    return digest(before, {value.n, value.ids, value.counts, value.positions, value.keys or false})
  elseif type(value) == "table" then
    if getmetatable(value) and pcall(strew.columns, value) then
      for _, name in ipairs(strew.columns(value)) do
        local word = strew.words(value, name)
        before = digest(digest(hash(before, name), value[name]), word or false)
      end
      return before
    end
    if #value > 2 * sampled then return digest(before, {#value, table.unpack(value, 1, sampled)}) end
    for _, k in ipairs(sorted_keys(value)) do before = digest(hash(before, k), value[k]) end
    return before
  end
  return hash(before, value == nil and "nil" or type(value) == "function" and "function" or value)
end

-- Messages without what another run gives otherwise: the place of the call and the bytes in use.
local function message_of(failure)
  local text = tostring(failure):gsub("^[^\n]-:%d+: ", ""):gsub("[%d.]+ %w+ in use", "N bytes in use")
    :gsub("the machine has [%d.]+ [MG]iB", "the machine has N"):gsub("0x%x+", "0x")
  return (text:gsub("\\", "\\\\"):gsub("\n", "\\n"):gsub("\t", "\\t"))
end

-- The digest of a call's tensors afterwards and of its results, or with its message; "lacks ..." if the build has no
-- such function.
local function made(kind, k, device, is_large)
  local ok, call = pcall(draws.draw, kind, k, device, is_large)
  if not ok then return "not drawn: " .. message_of(call) end
  if not call.f then return "lacks " .. call.name, call end
  local results = table.pack(pcall(call.f, table.unpack(call, 1, call.n)))
  local after = draws.calls.no_value
  for i = 1, call.n do
    local is_live = strew.type(call[i]) and pcall(function() return call[i].dtype end) and call[i]:numel() <= 400
    if is_live then after = hash(after, call[i]) end
  end
  if not results[1] then return ("%016x %s"):format(after, message_of(results[2])), call, results end
  for i = 2, results.n do after = digest(after, results[i]) end
  return ("%016x"):format(after), call, results
end

local function gradients(kind, k, device)
  local ok, call = pcall(draws.calls.draw, kind, k, device, false, true, true)
  return ("%016x"):format(hash(draws.calls.no_value, ok and draws.calls.gradients(call) or {}))
end

-- ---------------------------------------------------------------------------------------------------------- recording

local function is_large(kind, k) return k == EACH and draws.calls.rows[kind] ~= nil end

-- Calls f(kind, k) for each call; kind begins with "gradients of " for gradients.
local function each_call(f)
  for k = 1, WRONG do f("wrong", k) end
  for k = 1, FAMILY do f("family", k) end
  for _, name in ipairs(draws.names) do
    for k = 1, EACH do f(name, k) end
    for k = 1, 3 do f("gradients of " .. name, k) end
  end
end

local function run(kind, k, device)
  local name = kind:match "^gradients of (.*)"
  if name then return gradients(name, k, device) end
  return made(kind, k, device, is_large(kind, k))
end

local function record(path, device, every)
  load_draws()
  device = strew.zeros(1, {device = device}).device
  local temporary = os.tmpname()
  local file <close> = assert(io.open(temporary, "w"))
  local at = 0
  each_call(function(kind, k)
    at = at + 1
    if at % tonumber(every) ~= 0 or device ~= "cpu" and kind:find "^gradients" then return end
    file:write(kind, " ", k, "\t", (run(kind, k, device)), "\n")
  end)
  for name, value in pairs(strew) do
    if type(value) == "function" then file:write("name ", name, "\tin the module\n") end
  end
  file:close()
  assert(os.execute(("mv %s '%s'"):format(temporary, path)))
end

-- -------------------------------------------------------------------------------------------------------- calls as Lua

local text_of
local function tensor_text(t)
  local ok, shape = pcall(function() return t.shape end)
  if not ok then return "FREED" end
  local head = ("{dtype = %q, device = %q}"):format(t.dtype, t.device)
  if t:numel() > 3000 then return ("LARGE(%s, %s)"):format(text_of(shape), head) end
  if t:is_contiguous() or t:numel() == 0 then
    return ("strew.tensor(%s, %s):view(%s)"):format(text_of(t:reshape(-1):tolist()), head, text_of(shape))
  end
  local storage, strides, most = {}, {}, 0
  for d, size in ipairs(shape) do
    strides[d] = t:stride(d - 1)
    most = most + (size - 1) * strides[d]
  end
  for i = 1, most + 1 do storage[i] = t.dtype == "bool" and false or 0 end
  local flat = t:reshape(-1):tolist()
  for i = 0, #flat - 1 do
    local at, rest = 1, i
    for d = #shape, 1, -1 do
      at = at + rest % shape[d] * strides[d]
      rest = rest // shape[d]
    end
    storage[at] = flat[i + 1]
  end
  return ("strew.tensor(%s, %s):as_strided(%s, %s)"):format(text_of(storage), head, text_of(shape), text_of(strides))
end

function text_of(value)
  if strew.type(value) then return tensor_text(value) end
  if is_grouping(value) then
    return ("strew.grouping(%s, {dim_size = %d, mode = \"drop\"})"):format(tensor_text(value.ids), value.n)
  end
  if value ~= value then return "0/0" end
  if value == 1 / 0 then return "1/0" elseif value == -1 / 0 then return "-1/0" end
  if math.type(value) == "float" then return (("%.17g"):format(value):gsub("^-?%d+$", "%0.0")) end
  if type(value) == "string" then return ("%q"):format(value) end
  if type(value) ~= "table" then return tostring(value) end
  local parts = {}
  for i, part in ipairs(value) do parts[i] = text_of(part) end
  for _, k in ipairs(sorted_keys(value)) do
    if type(k) == "string" then table.insert(parts, k .. " = " .. text_of(value[k])) end
  end
  return "{" .. table.concat(parts, ", ") .. "}"
end

local function call_text(call)
  local parts = {}
  for i = 1, call.n do parts[i] = text_of(call[i]) end
  if call.name:sub(1, 1) ~= ":" then return ("%s(%s)"):format(call.name, table.concat(parts, ", ")) end
  return ("%s%s(%s)"):format(parts[1] or "nil", call.name, table.concat(parts, ", ", math.min(2, #parts + 1)))
end

-- Returns the kind and the number of a key, the name of an operation if its gradients are meant, and the call as Lua.
local function parse(key, device)
  if not draws then load_draws() end
  local kind, k = key:match "^(.*) (%d+)$"
  k = tonumber(k)
  local name = kind:match "^gradients of (.*)"
  local ok, call = pcall(draws.draw, name or kind, k, device or "cpu", is_large(kind, k))
  return kind, k, name, (name and "the gradients of " or "") .. (ok and call_text(call) or call)
end

local function show(key, device)
  local kind, k, name, text = parse(key, device)
  print(text)
  if name then return end
  local _, _, results = made(kind, k, device or "cpu", is_large(kind, k))
  for i = 2, results and results.n or 1 do print(" -- gives", results[i]) end
end

-- ---------------------------------------------------------------------------------------------------------- comparison

local function read(path)
  local map, order = {}, {}
  for line in io.lines(path) do
    local key, result = line:match "^([^\t]*)\t(.*)$"
    map[key] = result
    table.insert(order, key)
  end
  return map, order
end

local function is_message(result) return result and result:find "^%x+ %S" ~= nil end

local function lacks_method(result) return result:match "attempt to call a nil value.*" end

local program = arg[-1]
for i = -2, -9, -1 do program = arg[i] or program end

local total = {compared = 0, messages = 0, excepted = 0, different = 0}
local shown, lacking = 0, {}
local MOST <const> = 12

local function report(title, key, was, is)
  total.different = total.different + 1
  shown = shown + 1
  if shown > MOST then return end
  print(("---- %s: %s"):format(title, key))
  if is_message(was) or is_message(is) then
    print("  was  " .. was:gsub("\\n", "\n       "))
    print("  is   " .. is:gsub("\\n", "\n       "))
  else
    print(("  was  %s\n  is   %s"):format(was, is))
  end
  local _, _, _, text = parse(key)
  if #text > 500 then text = text:sub(1, 500) .. "..." end
  print(("  call %s\n  (%s -E %s call '%s')"):format(text, program, SCRIPT, key))
end

local function matches(result, except)
  return except ~= "" and is_message(result) and result:gsub("\\n", "\n"):find(except) ~= nil
end

local function compare_files(old, new, title, except)
  local was, is, order = read(old), read(new)
  for _, key in ipairs(order) do
    local a, b = was[key], is[key]
    local lacks = not a and "only in the new build" or a:match "^lacks .*" or b:match "^lacks .*"
    if a ~= b and not lacks then lacks = lacks_method(a) or lacks_method(b) end
    if key:find "^name " then
      if not a then lacking[key:sub(6) .. ": only in the new build"] = true end
    elseif lacks then
      lacking[key .. ": " .. lacks] = true
    elseif a ~= b and (matches(a, except) or matches(b, except)) then
      total.excepted = total.excepted + 1
    else
      total.compared = total.compared + 1
      if is_message(b) then total.messages = total.messages + 1 end
      if a ~= b then report(title, key, a, b) end
    end
  end
  for key in pairs(was) do
    if key:find "^name " and not is[key] then lacking[key:sub(6) .. ": only in the old build"] = true end
  end
end

local function compare(list, except)
  for line in io.lines(list) do
    local old, new, title = line:match "^(%S+) (%S+) (.*)$"
    compare_files(old, new, title, except)
  end
  local names = sorted_keys(lacking)
  for i = 1, math.min(#names, 20) do print("not compared: " .. names[i]) end
  if #names > 20 then print(("not compared: %d more"):format(#names - 20)) end
  print(("same: %d calls compared, %d of them messages: %d differ; %d messages left out by EXCEPT, %d not compared")
    :format(total.compared, total.messages, total.different, total.excepted, #names))
  os.exit(total.different == 0)
end

local commands = {record = record, call = show, compare = compare}
commands[arg[1]](table.unpack(arg, 2))
