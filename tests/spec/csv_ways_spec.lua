-- Tables of columns as text: hints that can be followed until the file loads, and options for single columns and cells.
-- (Messages and the format itself: csv_spec.lua.)
local strew = require "strew"
local support = dofile "tests/spec/support.lua"
local message = support.message

local path = os.tmpname() .. ".csv"

-- The table of these bytes as one line: "a int64 1 2; city text Oslo Rome".
local function text_of(x)
  local parts = {}
  for i, name in ipairs(getmetatable(x).__index.names) do
    local t = rawget(x, name)
    local cells = t:tolist()
    for k, cell in ipairs(cells) do cells[k] = tostring(cell):gsub("^%-nan$", "nan") end
    parts[i] = ("%s %s %s"):format(name, t.dtype, table.concat(cells, " "))
  end
  return table.concat(parts, "; ")
end

local function read(bytes, options)
  support.put(path, bytes)
  return text_of(strew.load(path, options))
end

local function hint_of(bytes, options)
  support.put(path, bytes)
  return message(strew.load, path, options):match "\n  hint  (.*)$"
end

-- Adds the options of a hint's first way to those that were given; lists and tables by column grow.
local function follow(hint, options)
  local way = load("return " .. hint:match "^(%b{})")()
  for name, value in pairs(way) do
    local old = options[name]
    if type(old) == "table" and type(value) == "table" then
      for key, one in pairs(value) do
        local is_entry = math.type(key) == "integer" and name ~= "unit" and name ~= "dtype"
        old[is_entry and #old + 1 or key] = one
      end
    else
      options[name] = value
    end
    if name == "text" and options.dates then options.dates = nil end
  end
end

-- Follows hints until the bytes load; returns the table's text and the number of hints.
local function follow_all(bytes, options)
  support.put(path, bytes)
  for steps = 0, 8 do
    local ok, x = pcall(strew.load, path, options)
    if ok then return text_of(x), steps end
    follow(x:match "\n  hint  (.*)$", options)
  end
  return "no end"
end

describe("the ways of a .csv file", function()
  if support.lacks_float64 then
    return it("are left out", function() pending "without float64, which the device lacks" end)
  end
  teardown(function() os.remove(path) end)

  it("have numbers that mean missing by their value", function()
    local cells = "a;b\n-999.0;1\n1;2\n-999;-999\n-999.00;3\n-9.99e2;4\n\"-999\";5\n -999 ;6\n"
    local expected = "a float64 nan 1.0 nan nan nan nan nan; b float64 1.0 2.0 nan 3.0 4.0 5.0 6.0"
    for _, missing in ipairs{{-999}, {-999.0}, {"?", -999}} do
      assert.equal(expected, read(cells, {separator = ";", missing = missing}))
    end
    for bytes, row in pairs{
      ["a\n-9.5\n-9.50\n-95e-1\n1\n"] = {{-9.5}, "a float64 nan nan nan 1.0"},
      ["a\n0.1\n0.10000000000000000001\n0.2\n"] = {{0.1}, "a float64 nan nan 0.2"},
      ["a\n1e20\n100000000000000000000\n1\n"] = {{1e20}, "a float64 nan nan 1.0"},
      ["a\n9007199254740993\n9007199254740992\n"] = {{(1 << 53) + 1}, "a float64 nan 9.007199254741e+15"},
      ["a\n-9223372036854775808\n5\n"] = {{math.mininteger}, "a float64 nan 5.0"},
      ["a\ninf\n1\n"] = {{math.huge}, "a float64 nan 1.0"},
      ["a\n1\n2\n"] = {{0 / 0}, "a int64 1 2"},
      ["a\nx\n-999\n"] = {{-999}, "a text x -999", true}, -- no number there
      ["a\n-999\nx\n"] = {{-999}, "a text -999 x", true},
      ["a\nx\n-999.0\n-999\n"] = {{"-999"}, "a text x -999.0 ", true}, -- words as they are written
      ["a\n-999\n-999.0\n"] = {{"-999"}, "a float64 nan -999.0"},
      ["a\n-999\n-999.0\n\"-999\"\n"] = {{-999}, "a float64 nan nan nan", true},
    } do assert.equal(row[2], read(bytes, {missing = row[1], header = row[3]}), bytes) end
    assert.equal("a float64 nan nan 1234.5", read("a;b\n-9.999,00;x\n-9999;x\n1.234,5;x\n", {separator = ";",
      decimal = ",", thousands = ".", missing = {-9999}, columns = {"a"}}))
    assert.equal("d time 2024-01-01 NaT", read("d\n2024-01-01\n-999.0\n", {dates = {"d"}, missing = {-999}}))
    assert.equal("a float32 nan 1.0", read("a\n-999.0\n1\n", {dtype = "float32", missing = {-999}}))
    assert.equal("a int64 1; b text -999", read("a,b\n1,-999\n", {text = {"b"}, missing = {-999}, header = true}))
    -- in parts and in chunks
    local lines, sum = {"a,b,w"}, 0
    for i = 1, 60000 do
      lines[i + 1] = ("%s,%d,%s"):format(i % 7 == 0 and "-999.00" or i % 11 == 0 and "-999" or i .. ".5", i,
        i % 5 == 0 and "-999" or "x")
      if i % 7 ~= 0 and i % 11 ~= 0 then sum = sum + i + 0.5 end
    end
    support.put(path, table.concat(lines, "\n") .. "\n")
    local x = strew.load(path, {missing = {-999}})
    assert.equal(sum, x.a:nansum():item())
    assert.equal(12000, x.w:eq("-999"):sum():item())
    local total = 0
    for part in strew.chunks(path, {missing = {-999.0}, rows = 7000}) do total = total + part.a:nansum():item() end
    assert.equal(sum, total)
    assert.equal("load: 'missing' has true, expected words or numbers", message(strew.load, path, {missing = {true}}))
  end)

  it("keep all data where hints are followed", function()
    for bytes, expected in pairs{
      ["d,n\n6/1/1930,1\n6/30/1930,2\n"] = "d time 1930-06-01 1930-06-30; n int64 1 2",
      ["d,n\n1/6/1930,1\n,2\n30/6/1930,3\n"] = "d time 1930-06-01 NaT 1930-06-30; n int64 1 2 3",
      ["d,n\n6/1/1930,1\n6/3/1930,2\n"] = "d time 1930-01-06 1930-03-06; n int64 1 2",
      ["d,n\n6/13/1930,1\n13/6/1930,2\n"] = "d text 6/13/1930 13/6/1930; n int64 1 2",
      ["d,n\n6/1/1930,1\nsee note,2\n"] = "d text 6/1/1930 see note; n int64 1 2",
      ["d,n\n2024-01-05,1\n6/1/1930,2\n"] = "d text 2024-01-05 6/1/1930; n int64 1 2",
      ["d,n\n6/1/1930 10:30,1\n6/30/1930 11:00,2\n"] = "d time 1930-06-01T10:30 1930-06-30T11:00; n int64 1 2",
      ["ticket,n\n113803,1\nA/5 21171,2\nLINE,3\n"] = "ticket text 113803 A/5 21171 LINE; n int64 1 2 3",
      ["doors,n\n4,1\nrotary,2\n"] = "doors text 4 rotary; n int64 1 2",
      ["dial,n\n93,1\n1-684,2\n"] = "dial text 93 1-684; n int64 1 2",
      ["dial,n\n93,1\n+1684555,2\n"] = "dial text 93 +1684555; n int64 1 2",
      ["zip,n\n10001,1\n00501,2\n"] = "zip text 10001 00501; n int64 1 2",
      ["id,n\n1,1\n99999999999999999999,2\n"] = "id text 1 99999999999999999999; n int64 1 2",
      ["id,n\n9007199254740993,1\n,2\n"] = "id text 9007199254740993 ; n int64 1 2",
      ["a,n\n1,1\n#5,2\n"] = "a text 1 #5; n int64 1 2",
      ["a,n\n1,1\n-,2\n?,3\n"] = "a float64 1.0 nan nan; n int64 1 2 3",
      ["a,n\n1,1\nn/d,2\nx,3\n"] = false, -- the word after the mark leads on to text
      ["p,q\n20%,\"$1,234.50\"\n-3.5%,$2\n"] = "p float64 20.0 -3.5; q float64 1234.5 2.0",
      ["p;q\n90€;\"1.234,5 €\"\n-5 €;2\n"] = "p int64 90 -5; q float64 1234.5 2.0",
      ["a b   c\n1 2   3\n4 5 6\n"] = "a int64 1 4; b int64 2 5; c int64 3 6",
      ["a;b\n1;2\n"] = "a int64 1; b int64 2",
    } do
      local text, steps = follow_all(bytes, bytes:find "^p;q" and {separator = ";"} or {})
      assert.is_true(text ~= "no end" and steps > 0, bytes)
      if expected then assert.equal(expected, text) end
    end
    -- the order that contradicts is replaced by the other one, in chunks too
    local bytes = "d,n\n6/1/1930,1\n6/30/1930,2\n"
    assert.matches('^{dates = {d = "%%m/%%d/%%Y"}}', hint_of(bytes, {dates = {d = "%d/%m/%Y"}}))
    assert.matches('^{dates = {d = "%%d/%%m/%%Y"}}',
      hint_of("d,n\n1/6/1930,1\n30/6/1930,2\n", {dates = {d = "%m/%d/%Y"}}))
    support.put(path, bytes)
    local function last()
      local x
      for part in strew.chunks(path, {rows = 1, dates = {d = "%d/%m/%Y"}}) do x = part end
      return x
    end
    assert.matches('hint  {dates = {d = "%%m/%%d/%%Y"}}', message(last))
  end)

  it("have dates of years, months and counts", function()
    for cell, row in pairs{
      ["2024"] = {'{dates = {d = "%Y"}} reads years', "2024-01-01"},
      ["202405"] = {'{dates = {d = "%Y%m"}} reads months', "2024-05-01"},
      ["1704153600"] = {'without dates: strew.time(x.d, "s")', "2024-01-02"},
      ["1704153600.5"] = {'without dates: strew.time(x.d, "s")', "2024-01-02T00:00:00.5"},
      ["1704153600123"] = {'without dates: strew.time(x.d, "ms")', "2024-01-02T00:00:00.123"},
      ["1704153600123456"] = {'without dates: strew.time(x.d, "us")', "2024-01-02T00:00:00.123456"},
      ["1704153600123456789"] = {'without dates: strew.time(x.d, "ns")', "2024-01-02T00:00:00.123456"},
      ["45000"] = {'without dates: strew.time("1899-12-30") + x.d * 86400', "2023-03-15"},
      ["45000.5"] = {'without dates: strew.time("1899-12-30") + x.d * 86400', "2023-03-15T12:00"},
    } do
      local bytes = "d\n" .. cell .. "\n"
      local hint = hint_of(bytes, {dates = {"d"}})
      assert.equal(row[1] .. ', {text = {"d"}} reads the column as words', hint)
      local options = load("return " .. (hint:match "^%b{}" or "nil"))()
      local x = strew.load(path, options)
      local d = options and x.d or load("local strew, x = ... return " .. hint:match ": (.*), {text")(strew, x)
      assert.equal(row[2], d[0], cell)
    end
    assert.equal("{text = {\"d\"}} reads the column as words", hint_of("d\n7\n", {dates = {"d"}}))
    assert.matches('strew.time%(x%["the day"%], "s"%)', hint_of("the day\n1704153600\n", {dates = {"the day"}}))
    assert.matches('^without dates: strew.time%(x%[1%], "s"%)', hint_of("1704153600\n", {dates = {1}}))
    for cell, format in pairs{["Jan 1 2000"] = "%b %d %Y", ["January 1, 2000"] = "%b %d, %Y",
      ["1 Jan 2000"] = "%d %b %Y", ["01-Jan-2000"] = "%d-%b-%Y", ["Sat Jan 1 2000 10:30"] = "%a %b %d %Y %R"} do
      local bytes = 'd\n"' .. cell .. '"\n'
      assert.equal(('{dates = {d = "%s"}} reads dates, {text = {"d"}} reads the column as words'):format(format),
        hint_of(bytes, {dates = true, header = true}))
      assert.matches("^d time 2000%-01%-01", read(bytes, {dates = {d = format}, header = true}))
      assert.matches("^d text ", read(bytes, {header = true}))
    end
  end)

  it("name columns whole, or by number", function()
    local long = ("abcdefghij"):rep(30)
    for _, name in ipairs{long, ("x"):rep(49), 'say "hi"', "back\\slash", "line\nend", "\xff\xfe",
      "tab\tbed", "é\xc2\x9b"} do
      local bytes = '"' .. name:gsub('"', '""') .. '",b\n1,2\nx,3\n'
      local hint = hint_of(bytes)
      assert.equal("{text = {1}} reads the column as words", hint, name)
      local options = {}
      follow(hint, options)
      support.put(path, bytes)
      assert.equal("text", strew.load(path, options)[name].dtype)
    end
    for _, name in ipairs{"end", "2", "a b", "x-y", "日本", ("x"):rep(48)} do
      local bytes = name .. ",b\n1,2\nx,3\n"
      assert.equal(('{text = {"%s"}} reads the column as words'):format(name), hint_of(bytes, {header = true}))
      support.put(path, bytes)
      assert.equal("text", strew.load(path, {header = true, text = {name}})[name].dtype)
    end
    for _, option in ipairs{{"text", {2}, "text"}, {"dates", {2}, "time"}, {"dates", {["2"] = "%Y"}, "time"},
      {"dtype", {[2] = "float32"}, "float32"}, {"dtype", {[2] = "text"}, "text"}, {"unit", {[2] = "%"}, "int64"}} do
      support.put(path, "a," .. long .. "\n5,2024\n")
      local cell = option[3] == "time" and option[2][1] and "20240101" or "2024"
      support.put(path, "a," .. long .. "\n5," .. cell .. "\n")
      assert.equal(option[3], strew.load(path, {[option[1]] = option[2]})[long].dtype)
      for part in strew.chunks(path, {[option[1]] = option[2]}) do assert.equal(option[3], part[long].dtype) end
    end
    support.put(path, long .. "1," .. long .. "2\n1,2\n")
    assert.same({long .. "2"}, strew.columns(strew.load(path, {columns = {2}})))
    local shown = message(strew.load, path, {columns = {"q"}})
    local cut = '"' .. long:sub(1, 32) .. '..."'
    assert.equal("load: 'columns' has \"q\", not found among the columns: " .. cut .. ", " .. cut, shown)
    -- a column whose name is the number of another one
    assert.equal("{names = {...}} gives the columns other names", hint_of(long .. ",1\n1,2\nx,3\n", {header = true}))
    assert.equal("1 text 2 3", read(long .. ",1\n1,2\nx,3\n", {header = true, columns = {1}, text = {1}}))
    for _, key in ipairs{0, 3, "02", "1.0", "-1", ""} do
      assert.matches("not found among the columns", message(strew.load, path, {header = true, text = {key}}))
    end
  end)

  it("may be columns between blanks", function()
    local blanks = {separator = "blanks"}
    for bytes, expected in pairs{
      ["a  b\n1   2\n"] = "a int64 1; b int64 2",
      ["  a\tb \t\n \t1 2\n\n   \n3   4   \n"] = "a int64 1 3; b int64 2 4",
      ["1 2\r\n3\t4\r\n"] = "1 int64 1 3; 2 int64 2 4",
      ['n  "two words"  c\n"x y"  1.5  NA\nz 2 7'] = "n text x y z; two words float64 1.5 2.0; c float64 nan 7.0",
      ['18.0   8   307.0\t"chevrolet  malibu"\n 15. 8 350 ""\n'] =
        "1 float64 18.0 15.0; 2 int64 8 8; 3 float64 307.0 350.0; 4 text chevrolet  malibu ",
      ["x\n1\n 2 \n"] = "x int64 1 2",
    } do assert.equal(expected, read(bytes, blanks), bytes) end
    assert.equal("a float64 1.0 nan 3.0; b int64 2 4 6",
      read("# head\n a b\n1 2\n  # note\n-999.0 4\n3 6\n", {separator = "blanks", comment = "#", missing = {-999}}))
    assert.equal("a float64 1.5; b int64 2", read("x\na b\n1,5  2\n", {separator = "blanks", decimal = ",", skip = 1}))
    assert.matches("^has 3 cells in line 3, expected 2, as in line 1", (message(strew.load, (support.put(path,
      "a b\n1 2\n1 2 3\n") or path), blanks):gsub("^.-which ", "")))
    local lines = {" a   b"}
    for i = 1, 60000 do
      lines[i + 1] = ("%s%d%s%d "):format(i % 2 == 0 and "   " or "", i, i % 3 == 0 and "\t " or "  ", i * 2)
    end
    support.put(path, table.concat(lines, "\n"))
    local x = strew.load(path, blanks)
    assert.same({60000 * 60001 // 2, 60000 * 60001}, {x.a:sum():item(), x.b:sum():item()})
    local rows = 0
    for part in strew.chunks(path, {separator = "blanks", rows = 7001}) do
      rows = rows + #part
      assert.is_true(strew.equal(part.a * 2, part.b))
    end
    assert.equal(60000, rows)
    for bytes, is_refused in pairs{["a  b\n1   2\n"] = true, ["1 2\n3 4\n"] = true, ["a b c\n1 2 3\n"] = true,
      [" PID TTY   TIME CMD\n   1 ?  00:00:00 bash\n"] = true, ["Elm 5\nOak 6\n"] = false, ["a b\nx y\n"] = false,
      ["110 001\n110 002\n"] = false, ["030 1234567\n0171 998877\n"] = false, ["17 May 2024\n18 May 2024\n"] = false,
      ["1 2\n"] = false} do
      local hint = '{separator = "blanks"} splits them, {text = {1}} reads the lines as words'
      support.put(path, bytes)
      local ok = pcall(strew.load, path)
      assert.equal(not is_refused, ok, bytes)
      if is_refused then
        assert.equal(hint, hint_of(bytes))
        read(bytes, blanks)
        assert.matches("^%S.* text ", read(bytes, {text = {1}}))
      end
    end
    assert.equal('{separator = "blanks"} takes a run of blanks for one', hint_of("a  b\n1   2\n", {separator = " "}))
    assert.equal("a int64 1; 2 float64 nan; b int64 2", read("a  b\n1  2\n", {separator = " ", header = true}))
    assert.equal('load: \'separator\' is "b", expected a character other than a letter, or "blanks"',
      message(strew.load, path, {separator = "b"}))
  end)

  it("may have units and dtypes by column", function()
    assert.equal("p float64 20.0 -3.5 7.0 nan 1234.5; q int64 1 2 3 4 5",
      read("p;q\n20%;1\n-3.5 %;2\n7;3\n;4\n% 1,234.5;5\n", {unit = {p = "%"}, thousands = ",", separator = ";"}))
    assert.equal("p float64 -5.25 7.0 1000.0; q int64 1 2 3", read("p;q\n-€5,25;€1\n€7;€ 2\n1.000 €;€3\n",
      {unit = {p = "€", q = "€"}, separator = ";", decimal = ",", thousands = "."}))
    assert.equal("p float64 nan 5.0; q text x y",
      read("p,q\n-999.0km,x\n5 km,y\n", {unit = {p = "km"}, missing = {-999}, header = true}))
    assert.equal("p uint8 20 30", read("p\n20%\n30%\n", {unit = {p = "%"}, dtype = {p = "uint8"}}))
    assert.matches('{text = {"p"}} reads the column as words$', hint_of("p,q\n20%,1\n5€,2\n", {unit = {p = "%"}}))
    assert.is_nil(hint_of("p,q\n20%,1\n5€,2\n", {unit = {p = "%"}}):find "unit") -- one unit a column
    assert.equal("ok bool true false true false; n int64 1 2 3 4",
      read("ok,n\nTrue,1\nFALSE,2\n1,3\n 0 ,4\n", {dtype = {ok = "bool"}}))
    for cell in ("yes 2 t -1"):gmatch "%S+" do
      assert.matches(('has "%s" in line 3, column 1 (ok), expected a '):format(cell),
        message(strew.load, (support.put(path, "ok,n\ntrue,1\n" .. cell .. ",2\n") or path), {dtype = {ok = "bool"}}),
        1, true)
    end
    for dtype, cells in pairs{bool = "yes no", int32 = "x -", float32 = "$5 1,000 -", uint8 = "true 2024-01-05"} do
      for cell in cells:gmatch "%S+" do -- from the first row on
        support.put(path, "w;n\n" .. cell .. ";1\n")
        assert.matches(('has "%s" in line 2, column 1 (w), expected %s: the dtype is %s'):format(cell,
          dtype == "bool" and "true or false" or "a number", dtype),
          message(strew.load, path, {dtype = {w = dtype}, separator = ";"}), 1, true)
        local hint = strew.last_error().hint
        assert.matches('{text = {"w"}} reads the column as words', hint, 1, true)
        assert.equal(cell == "-" and dtype == "float32", hint:find "missing" ~= nil) -- integers have no NaN
        assert.equal("w text " .. cell .. "; n int64 1", read("w;n\n" .. cell .. ";1\n",
          {dtype = {w = dtype}, separator = ";", text = {"w"}}))
      end
    end
    assert.equal("w text x; n int8 1", read("w,n\nx,1\n", {dtype = "int8"})) -- of columns of numbers
    assert.matches("has no true or false in line 3, column 1 %(ok%), expected bool, which has no NaN",
      message(strew.load, (support.put(path, "ok,n\ntrue,1\n,2\n") or path), {dtype = {ok = "bool"}}))
    assert.equal('{text = {"ok"}} reads the column as words', strew.last_error().hint)
    assert.equal("zip int64 501 7; w text 1 2; t time 2024-01-01 2024-01-02; f float32 1.0 nan",
      read("zip,w,t,f\n00501,1,2024-01-01,1\n7,2,2024-01-02,\n",
        {dtype = {zip = "int64", w = "text", t = "time", f = "float32"}}))
    for options, expected in pairs{
      [{unit = {p = 5}}] = "load: 'unit' has 5 for column \"p\", expected a unit, as \"%\"",
      [{unit = {p = ""}}] = "load: 'unit' has an empty unit, expected one as \"%\"",
      [{unit = {[true] = "%"}}] = "load: 'unit' has key true, expected names or numbers of columns",
      [{unit = {x = "%"}}] = "load: 'unit' has \"x\", not found among the columns: \"p\", \"q\"",
      [{unit = "%"}] = "load: 'unit' is \"%\", expected a table",
    } do
      support.put(path, "p,q\n1,2\n")
      options.header = true
      assert.equal(expected, message(strew.load, path, options))
    end
    assert.equal("load: 'unit' is an option of .csv, .tsv and .jsonl files, not of .npy files",
      message(strew.load, "x.npy", {unit = {a = "%"}}))
    assert.equal("load: 'dtype' is an option of .csv, .tsv and .jsonl files, not of .npy files",
      message(strew.load, "x.npy", {dtype = {a = "bool"}}))
  end)

  it("are saved as other programs read them", function()
    local x = strew.table{{"a", {1.5, 0 / 0, -2}}, {"w", {"x", "", "y;z"}},
      {"d", strew.time(strew.tensor{"2024-01-01", "", "2024-01-02T03:04"})}}
    local function saved(t, options)
      os.remove(path)
      strew.save(path, t, options)
      return support.get(path)
    end
    local plain = 'a,w,d\n1.5,x,2024-01-01\n,"",\n-2.0,y;z,2024-01-02T03:04\n'
    assert.equal(plain, saved(x))
    local back = strew.load(path, {dates = true})
    assert.same({"x", "", "y;z"}, back.w:tolist())
    assert.same({"2024-01-01", "NaT", "2024-01-02T03:04"}, back.d:tolist())
    assert.same({1.5, -2.0}, back.a[back.a:eq(back.a)]:tolist())
    assert.equal('a\tw\td\n1.5\tx\t2024-01-01\nnan\t""\tnan\n-2.0\ty;z\t2024-01-02T03:04\n',
      saved(x, {separator = "\t", missing = "nan"}))
    local commas = {separator = ";", decimal = ","}
    assert.equal('a;w;d\n1,5;x;2024-01-01\n;"";\n-2,0;"y;z";2024-01-02T03:04\n', saved(x, commas))
    assert.equal("a float64 1.5 nan -2.0", (read(support.get(path), {separator = ";", decimal = ",", columns = {"a"}})))
    commas.separator = ","
    assert.equal('a\n"1,5"\n""\n"-2,0"\n', saved(strew.table{{"a", {1.5, 0 / 0, -2}}}, commas))
    for _, one in ipairs{strew.table{{"a", {0 / 0, 1.5, 0 / 0}}}, strew.table{{"a", {"", "x", ""}}},
      strew.table{{"a", strew.time(strew.tensor{"", "2024-01-01", ""})}}} do
      local bytes = saved(one)
      assert.equal(2, select(2, bytes:gsub('""\n', "")))
      local again = strew.load(path, {header = true, dates = true})
      assert.equal(one.a.dtype == "float32" and "float64" or one.a.dtype, again.a.dtype)
      assert.equal(bytes, saved(again))
    end
    assert.equal("1.5,\ninf,2.0\n", saved(strew.tensor{{1.5, 0 / 0}, {1 / 0, 2}}))
    local plain_text = support.output([[local strew = require "strew"
      local t = strew.table{{"a", {1.5, 0 / 0}}}
      print "head"
      strew.save("-", t, {format = "csv"})
      io.write "mid\n"
      strew.save("/dev/stdout", t, {format = "tsv", header = false})
      print "tail"]], "")
    assert.equal('head\na\n1.5\n""\nmid\n1.5\n""\ntail\n', plain_text)
    for options, expected in pairs{
      [{decimal = ","}] = "'decimal' is \",\", as the separator of cells, which the call has to name then\n"
        .. "  hint  separator = \";\"",
      [{decimal = "x"}] = "'decimal' is \"x\", expected a point or a comma",
      [{separator = "blanks"}] = "'separator' is \"blanks\", which is for load: among runs of blanks an empty cell "
        .. "has no place\n  hint  {separator = \" \"} writes one blank",
      [{missing = "a\0"}] = "'missing' has a zero byte, which no file can hold",
    } do assert.equal("save: " .. expected, message(strew.save, path, x, options)) end
    for _, option in ipairs{"missing", "decimal"} do
      assert.equal(("save: '%s' is an option of .csv and .tsv files, not of .npz files"):format(option),
        message(strew.save, "x.npz", x, {[option] = ","}))
    end
    assert.equal("save: 'x' has times, \"d\", .safetensors files take numbers\n  hint  .npz files hold it",
      message(strew.save, "x.safetensors", {d = x.d}))
  end)
end)
