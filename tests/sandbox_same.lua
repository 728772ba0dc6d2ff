-- luacheck: ignore 211 212 631
-- Prints results of the functions that a sandbox replaces: the same inside and outside of a sandbox (limits_test.sh
-- compares). Patterns and subjects are random, from a grammar of well-formed patterns.
math.randomseed(tonumber(arg and arg[2]) or 7)
local draw = math.random

local function pick(t) return t[draw(#t)] end

local singles = {"a", "b", "c", ".", "%a", "%d", "%S", "%w", "%%", "[ab]", "[^a]", "[a-c]", "[%d_]", "[]x]", "[^]]", "[a-]", "%.", "-"}
local function item(captures, depth)
  local kind = draw(20)
  if kind == 1 and depth < 3 then
    captures.count = captures.count + 1
    local number = captures.count
    local inner = {}
    for i = 1, draw(0, 3) do inner[i] = item(captures, depth + 1) end
    captures.closed[#captures.closed + 1] = number
    return "(" .. table.concat(inner) .. ")"
  elseif kind == 2 and #captures.closed > 0 then
    local number = pick(captures.closed)
    if number < 10 then return "%" .. number end
  elseif kind == 3 then
    return "%b" .. pick {"ab", "()", "aa", "xy"}
  elseif kind == 4 then
    return "%f" .. pick {"[%a]", "[^a]", "[ab]", "[%z]"}
  end
  local single = pick(singles)
  return single == "-" and "%-" or single .. pick {"", "", "", "*", "+", "-", "?"}
end

local function pattern()
  local captures, items = {count = 0, closed = {}}, {}
  for i = 1, draw(0, 6) do items[i] = item(captures, 1) end
  return pick {"", "", "", "^"} .. table.concat(items) .. pick {"", "", "", "$"}
end

local function subject()
  local t = {}
  for i = 1, draw(0, 14) do t[i] = pick {"a", "b", "c", "a", "b", "1", "_", " ", "(", ")", "x", "y", "%", "]", ".", "-", "\0"} end
  return table.concat(t)
end

local function show(...)
  local t = table.pack(...)
  for i = 1, t.n do t[i] = ("%q"):format(t[i]) end
  return table.concat(t, " ", 1, t.n)
end

-- Error messages are not compared: they differ between releases of Lua.
local function attempt(f, ...)
  local results = table.pack(pcall(f, ...))
  return results[1] and show(table.unpack(results, 2, results.n)) or "error"
end

for _ = 1, tonumber(arg and arg[1]) or 20000 do
  local s, p, init = subject(), pattern(), pick {1, 1, 1, 2, 5, -1, -3, 0, 20}
  local replacement = pick {"<%0>", "%%", "%1", "", "-%1-", {a = "A", b = false, ab = 3}, string.upper,
                            function(a) return #tostring(a) end}
  local all = {}
  for a, b in s:gmatch(p, init) do all[#all + 1] = show(a, b) end
  print(show(s, p, init), attempt(string.find, s, p, init), attempt(string.match, s, p, init), table.concat(all, "|"),
    attempt(string.gsub, s, p, replacement), attempt(string.gsub, s, p, replacement, draw(0, 3)))
end

-- Errors for any subject.
for _, p in ipairs {"%", "a%", "[a", "[", "[^", "[]", "[%", "%b", "%bx", "%f", "%fa", "(", "(a", ")", "a)", "%1", "(%1)", "(%2", "()%2", ("()"):rep(33), "$a", "a$a", "a\0", "\0", ("a?"):rep(30)} do
  print(show(p), attempt(string.find, "aaa", p), attempt(string.match, "aaa", p))
end
print(attempt(string.gsub, "abc", "b", "%"), attempt(string.gsub, "abc", "b", "%x"), attempt(string.gsub, "abc", "b", "%2"))
print(attempt(string.gsub, "abc", "b", "%!"), attempt(string.gsub, "abc", "b", 5), attempt(string.find, "a\0b", "\0"))
print(attempt(string.find, ("a"):rep(300), ("a?"):rep(300)), select("#", ("ab"):rep(5000):gsub("b", "%%c")),
  (("ab"):rep(5000):gsub("b", "%%c"):sub(1020, 1030)), (("ab"):rep(5000):gsub("b", "")):sub(-3))
print(attempt(string.gsub, "abc", "b", true), attempt(string.gsub, "abc", "b", function() return {} end))
print(attempt(string.find, "a.b", ".", 1, true), attempt(string.find, "abc", "", 4), attempt(string.find, "abc", "", 5))
print(attempt(string.find, "ab\0cd", "b\0c", 1, true), attempt(string.find, "aab", "b", -1, true), attempt(string.rep, "", 5, ""))
print(attempt(string.rep, "ab", 3, ","), attempt(string.rep, "ab", -1), attempt(string.find), attempt(string.match, {}, "a"))

local function changed(f, t, ...) return attempt(f, t, ...) .. " : " .. table.concat(t, ",") end
print(changed(table.insert, {1, 2, 3}, 9), changed(table.insert, {1, 2, 3}, 1, 9), changed(table.insert, {1, 2, 3}, 5, 9))
print(changed(table.insert, {1}, 4, 9), changed(table.insert, {1}), changed(table.insert, {1}, 1, 2, 3), attempt(table.insert, 5, 1))
print(changed(table.remove, {1, 2, 3}), changed(table.remove, {1, 2, 3}, 1), changed(table.remove, {1, 2, 3}, 4), changed(table.remove, {}))
print(changed(table.remove, {}, 0), changed(table.remove, {1, 2, 3}, 5), changed(table.remove, {1, 2, 3}, 7))
print(table.concat(table.move({1, 2, 3, 4}, 1, 3, 2), ","), table.concat(table.move({1, 2, 3, 4}, 2, 4, 1), ","))
print(table.concat(table.move({1, 2, 3}, 1, 3, 1, {7, 8, 9, 10}), ","), attempt(table.move, {}, 1, math.maxinteger, 2))
local same = {1, 2, 3}
print(table.concat(table.move(same, 1, 3, 2, same), ","), table.concat(table.move({1, 2, 3}, 1, 3, 2, {7, 8, 9, 10}), ","))
print(#table.move({1}, 2, 1, 3), table.concat(table.move({[-1] = 4, [0] = 5}, -1, 0, 1), ","), attempt(table.move, {}, -1, math.maxinteger, 2))
print(attempt(table.move, {1, 2, 3}, 1, 3, math.maxinteger), attempt(table.move, 5, 1, 2, 3), attempt(table.move, {}, 1, 2, 3, 5))
local strings = getmetatable("")
local methods = strings.__index
function strings.__len(s) return methods.len(s) end
function strings.__index(s, i) return math.type(i) and methods.sub(s, i, i) or methods[i] end
print(attempt(table.concat, "abc", "-"), attempt(table.insert, "abc", 1))
strings.__len, strings.__index = nil, methods
print(attempt(table.concat, {1, 2, "x"}, "-", 2, 3), attempt(table.concat, {1, {}, 3}), attempt(table.concat, {}, ",", 1, 2))
local t = {5, 3, 9, 1, 7}
table.sort(t)
print(table.concat(t, ","))
table.sort(t, function(a, b) return a > b end)
print(table.concat(t, ","), attempt(table.sort, {1, "x"}), attempt(table.sort, t, 5))

print(pcall(error, "x", 0), pcall(pcall), pcall(error), xpcall(error, function(m) return m, 2 end, "y"))
print(xpcall(function(...) return select("#", ...), ... end, print, 1, nil, 3), pcall(xpcall, print))
local c = coroutine.wrap(function(...)
  print("in", ...)
  print("in", pcall(function(...) return coroutine.yield(...) end, 1, nil))
  print("in", xpcall(function() return coroutine.yield() end, print))
  local x <close> = setmetatable({}, {__close = function(_, e) print("closed", e) end})
  error("end", 0)
end)
print(c(1, 2), "out")
print(c("a", "b"))
print(pcall(c))
print(pcall(c))
local co = coroutine.create(function() local x <close> = setmetatable({}, {__close = function() print "shut" end}) coroutine.yield(1) end)
print(coroutine.resume(co), coroutine.status(co), coroutine.close(co), coroutine.status(co))
print(coroutine.resume(co), pcall(coroutine.resume), coroutine.resume(coroutine.running()))
print(load("return 1 + 1")(), load("x ="), type(load(function() return nil end)), load(5))
local outer
outer = coroutine.create(function() return coroutine.wrap(function() return coroutine.resume(outer) end)() end)
print(coroutine.resume(outer))
local broken = coroutine.create(function() local x <close> = setmetatable({}, {__close = error}) coroutine.yield(1) end)
print(coroutine.resume(broken), select("#", coroutine.close(broken)), coroutine.resume(broken))
local failing = coroutine.create(error)
print(coroutine.resume(failing, "failed"), coroutine.resume(failing), coroutine.close(failing), coroutine.close(failing))
print(coroutine.wrap(function(...) return "all", ... end)(1, nil), select(2, pcall(coroutine.wrap(error), 7)))
print(pcall(coroutine.wrap(function() error({}, 0) end)) == false, pcall(coroutine.wrap, 5))
-- More values than a stack can hold.
local some, many = 400000, 620000
local wide = coroutine.create(function(...) return coroutine.yield(select("#", ...)), ... end)
print(coroutine.resume(wide, table.unpack({}, 1, some)))
print(coroutine.resume(wide, table.unpack({}, 1, many)))
print((function(...) return coroutine.resume(coroutine.create(table.unpack), {}, 1, many) end)(table.unpack({}, 1, many)))
local pieces = {"return ", "...", " * 2"}
print(load(function() return table.remove(pieces, 1) end, "n", "t", {})(21), load("return y", "n", "t", {y = 6})(), (load("return 1", "n", "b")))
local long = {("x = 1 "):rep(30000), "return x"}
print(load(function() return table.remove(long, 1) end)(), setmetatable({}, nil) ~= nil)
print(load(function() return 5 > 4 end), pcall(setmetatable, 1, {}), getmetatable(setmetatable({}, {__metatable = 8})))

-- Texts of up to 1 MiB, the most that many functions of a sandbox take.
local function digest(...)
  local values = table.pack(...)
  for i = 1, values.n do
    if type(values[i]) == "string" and #values[i] > 1000 then
      local sum = 0
      for k = 1, #values[i] do sum = (sum * 31 + values[i]:byte(k)) & 0xffffffff end
      values[i] = #values[i] .. " bytes, " .. sum
    end
    values[i] = tostring(values[i])
  end
  return table.concat(values, " ")
end
local piece = 1 << 18
local mixed = ("aB1\0\r9\xc3\xa9%"):rep(60000)
print(digest(mixed:upper(), mixed:lower(), mixed:reverse(), ("%q"):format(mixed), ("%s, %5.1f, %s"):format(mixed, 2, "x")))
for k = 0, 3 do print(digest(("%q"):format(("a"):rep(piece - k) .. "\0\r\r99\n" .. ("\r9"):rep(piece // 2) .. "\0"))) end
print(digest((("x%%y"):rep(100000) .. "%d%-8s|%q|%c"):format(7, "z", "q", 65), (("%s"):rep(200) .. (" "):rep(piece)):format(table.unpack({}, 1, 200))))
print(attempt(string.format, (" "):rep(piece) .. " %d"), attempt(string.format, (" "):rep(piece) .. "%", 1), attempt(string.format, (" "):rep(piece) .. "%y", 1))
for _, count in ipairs {1, 2, 3, 4, 5, 7, 8} do
  print(digest(("xy"):rep(piece):rep(count), ("xy"):rep(piece):rep(count, ("-"):rep(9)), ("ab"):rep(piece + count)))
end
print(digest(("ab"):rep(200000, ","), ("x"):rep(piece + 1), ("x"):rep(3 * piece, "\0"), ("y"):rep(1000):rep(300), string.rep(5, 300000, 6)))
local letters = ("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"):rep(60000)
print(digest(utf8.len(letters), utf8.len(letters, 2), utf8.len(letters, 3), utf8.len(letters, 1, -1), utf8.len(letters, -600000, -5)))
for k = -8, 8 do
  local s = ("x"):rep(piece + k) .. "\xe2\x82\xac" .. ("y"):rep(piece)
  print(digest(utf8.len(s), utf8.offset(s, piece + k + 2), utf8.offset(s, -piece - 1), utf8.len(s .. "\xff"), utf8.len(s:sub(1, piece + k + 1) .. s)))
  print(digest(utf8.offset(s, 2 * piece + 99), utf8.offset(s, piece, 3), utf8.len(("x"):rep(piece + k) .. ("\x80"):rep(9) .. ("y"):rep(piece))))
  print(digest(utf8.len(s .. "\xe2\x82")))
end
print(attempt(utf8.len, letters, 0), attempt(utf8.len, letters, 1, 1e7 // 1 | 0), attempt(utf8.offset, letters, 1e7 // 1 | 0), attempt(utf8.offset, letters, 5, 3))
local as = ("a"):rep(piece * 20)
local lengthy = as:rep(3) .. "b" .. as:sub(piece) .. "b" .. as .. "c" .. as:sub(1, piece)
print(digest(lengthy:find("b" .. as .. "c", 1, true), lengthy:find("b" .. as .. "d", 1, true), lengthy:find("ab", 1, true)))
print(digest(lengthy:find("ca", -piece - 2, true), lengthy:find("ca", -piece, true), lengthy:find("cb", 1, true), lengthy:find("c", 1, true)))
print(digest(lengthy:sub(1, piece):gsub("a", "%0%%"), lengthy:sub(-piece - 1):gsub("^c", ("c"):rep(piece)), lengthy:sub(1, 5):gsub("", ("%0-"):rep(piece))))
print(digest(table.concat({mixed, "x", mixed, 5}, mixed), string.pack("zs4c300000", "z", mixed, ("x"):rep(300000)), string.unpack("s4", string.pack("s4", mixed))))
