-- Files in chunks of rows: the same tables and tensors as strew.load, row after row. (Failures of the system:
-- check_file.c; pipes of the program: program_test.sh.)
local strew = require "strew"
local support, loops = dofile "tests/spec/support.lua", dofile "tests/spec/loops.lua"
local message = support.message

local base = os.tmpname()
local path = base .. ".csv"
local unpack = table.unpack

local function put(bytes, to) support.put(to or path, bytes) end

local function words_of(x) return strew.words(x) end

-- Rows as lines of text, with words.
local function rows_of(x, into)
  local names = strew.columns(x)
  for i = 0, #x[names[1]] - 1 do
    local cells = {}
    for k, name in ipairs(names) do
      local value = x[name]:select(0, i)
      cells[k] = value.dtype == "text" and ("%q"):format(value:item()) or support.text(value)
    end
    table.insert(into, table.concat(cells, " "))
  end
  return into
end

-- All rows of the chunks, each of which but the last has n rows.
local function chunked(n, options, from)
  local given, lines, last = {rows = n}, {}, n
  for key, value in pairs(options or {}) do given[key] = value end
  for chunk in strew.chunks(from or path, given) do
    assert.equal(n, last)
    local before = #lines
    rows_of(chunk, lines)
    last = #lines - before
    assert.is_true(last > 0 and last <= n)
  end
  return table.concat(lines, "\n")
end

local function refusal(bytes, options)
  put(bytes)
  local text = message(function()
    for _ in strew.chunks(path, options) do end -- luacheck: ignore
  end)
  local start = ("chunks: 'path' is \"%s\", which "):format(path)
  return text:sub(1, #start) == start and text:sub(#start + 1) or text
end

describe("chunks of text", function()
  local ends = {"\n", "\r\n", "\r", "\n\n", "\r\n\r\n", "\r\r"}
  local cells = {
    text = {"Oslo", '"Rome"', '"a ""b"" c"', '"x,y"', '"two\nlines"', '"\r\n"', "a\"b", "", '""', '"q""\nr"',
      '"a"",\n""b"', "\xc3\xa9", " b "},
    whole = {"1", "-7", "+0", '"12"', "9223372036854775807", " 3 "},
    number = {"1.5", "-0.0", "1e300", "nan", "", "NA", '"2.25"', "inf", "7"},
    date = {"2024-05-17", "1969-12-31T23:59:59Z", "2000-02-29 12:00"}}

  -- A file of n rows; the first ones show the kind of each column.
  local function random_file(n)
    local kinds, lines, line_end = {}, {}, ends[math.random(#ends)]
    for k = 1, math.random(4) do kinds[k] = ({"text", "whole", "number", "date"})[math.random(4)] end
    if #kinds == 1 and kinds[1] ~= "whole" then kinds[2] = "whole" end -- a line of one empty cell is no row
    local names = {}
    for k in ipairs(kinds) do names[k] = "c" .. k end
    lines[1] = table.concat(names, ",")
    for i = 1, n do
      local row = {}
      for k, kind in ipairs(kinds) do row[k] = i == 1 and cells[kind][1] or cells[kind][math.random(#cells[kind])] end
      lines[i + 1] = table.concat(row, ",")
    end
    local options = {header = true, dates = {}, text = {}}
    for k, kind in ipairs(kinds) do
      if kind == "date" then table.insert(options.dates, names[k]) end
      if kind == "text" then table.insert(options.text, names[k]) end
    end
    options.skip = math.random(0, 3)
    if math.random(2) == 1 then
      options.comment = "#"
      for _ = 1, math.random(4) do table.insert(lines, math.random(#lines + 1), '# a "comment,') end
    end
    for _ = 1, options.skip do table.insert(lines, 1, '"' .. ("x"):rep(math.random(9))) end
    if #line_end > 1 and line_end ~= "\r\n" then options.skip = 2 * options.skip end -- empty lines count
    return (math.random(2) == 1 and "\xef\xbb\xbf" or "") .. table.concat(lines, line_end)
      .. (math.random(2) == 1 and line_end or ""), options
  end

  it("are the rows of the whole file", function()
    if support.lacks_float64 then return pending "without float64, which the device lacks" end
    math.randomseed(1)
    for _ = 1, 60 do
      local bytes, options = random_file(math.random(12))
      put(bytes)
      local whole = table.concat(rows_of(strew.load(path, options), {}), "\n")
      for _, n in ipairs{1, 2, 3, 7, 1000} do assert.equal(whole, chunked(n, options)) end
    end
  end)

  it("of files without names, and beyond every buffer", function()
    if support.lacks_float64 then return pending "without float64, which the device lacks" end
    local lines = {}
    for i = 1, 300000 do lines[i] = ('%d,"%s",%g'):format(i, ("w"):rep(i % 50), i / 4) end
    put(table.concat(lines, "\r\n"))
    local sum, count, total = 0, 0, 0.0
    for chunk in strew.chunks(path, {header = false, rows = 70001}) do
      sum, total = sum + chunk[1]:sum():item(), total + chunk[3]:sum():item()
      count = count + #chunk[2]
      assert.equal(50, #words_of(chunk)[2])
    end
    assert.same({300000 * 300001 // 2, 300000, 300000 * 300001 / 8}, {sum, count, total})
  end)

  it("end before many lines that are skipped, which take no memory", function()
    local empty, note = ("\n"):rep(70000), ("#" .. ("x"):rep(99) .. "\r\n"):rep(70000)
    put("a\n1\n" .. empty .. "2\n\n3\n" .. note .. "4\nx\n")
    local parts, chunks = {}, strew.chunks(path, {header = true, comment = "#"})
    for k = 1, 3 do parts[k] = table.concat(k < 3 and chunks().a:tolist() or {}, " ") end
    assert.same({"1", "2 3", ""}, parts)
    assert.truthy(message(chunks):find('has "x" in line 140007', 1, true))
    put(note .. "a\n" .. empty .. note .. "1\n")
    assert.equal("int64[] 1", chunked(1, {header = true, comment = "#"}))
  end)

  it("of one long cell", function()
    local long = ("x"):rep(9000000)
    put('a,b\n1,"' .. long .. '"\n2,y\n')
    local lengths = {}
    for chunk in strew.chunks(path, {header = true, rows = 1}) do
      table.insert(lengths, #chunk.b:item())
    end
    assert.same({9000000, 1}, lengths)
  end)

  it("keep codes of words, in lists that grow", function()
    put("w\na\nb\na\nc\nb\n")
    local codes, last = {}, nil
    for chunk in strew.chunks(path, {header = true, rows = 2}) do
      last = words_of(chunk).w
      table.move(chunk.w:codes():tolist(), 1, 2, #codes + 1, codes)
    end
    assert.same({0, 1, 0, 2, 1}, codes)
    assert.same({"a", "b", "c"}, last)
  end)

  it("have the chosen columns in their order", function()
    if support.lacks_float64 then return pending "without float64, which the device lacks" end
    put("a,b,c\n1,x,2.5\n2,y,3.5\n")
    for chunk in strew.chunks(path, {header = true, columns = {"c", "a"}}) do
      assert.same({"c", "a"}, strew.columns(chunk))
      assert.same({2.5, 3.5}, chunk.c:tolist())
    end
    assert.same({"b"}, strew.columns(strew.load(path, {header = true, columns = {"b"}})))
    put("1,x,2.5\n2,y,3.5\n")
    for chunk in strew.chunks(path, {header = false, columns = {3, 2}, rows = 1}) do
      assert.equal("float64[1]", chunk[1].dtype .. "[" .. #chunk[1] .. "]")
      assert.equal("table", type(words_of(chunk)[2]))
    end
    assert.equal("'columns' has \"d\", not found among the columns: \"1\", \"2\", \"3\"",
      refusal("1,x,2.5\n", {header = false, columns = {"d"}}):match("'columns'.*"))
    assert.equal("'columns' has \"1\" twice", refusal("1,x\n", {header = false, columns = {1, 1}}):match("'columns'.*"))
    assert.equal("'columns' is an option of .csv, .tsv, .jsonl, .npz and .safetensors files, not of .npy files",
      message(strew.chunks, base .. ".npy", {columns = {1}}):match("'columns'.*"))
  end)

  it("skip cells of other columns, whatever they hold", function()
    put("1,x\n2,3\n3,1.5\n4,\n")
    local all = {}
    for chunk in strew.chunks(path, {header = false, columns = {1}, rows = 3}) do
      table.move(chunk[1]:tolist(), 1, #chunk[1], #all + 1, all)
    end
    assert.same({1, 2, 3, 4}, all)
  end)

  it("have the caller's names and words for missing values", function()
    if support.lacks_float64 then return pending "without float64, which the device lacks" end
    put("a,a\n1.5,?\n-9,y\n?,-9\n")
    assert.equal('1.5 ""\nnan "y"\nnan "-9"', (chunked(1, {header = true, names = {"p", "q"}, missing = {"?", -9},
      text = {"q"}}):gsub("float64%[%] ", ""):gsub("[^\n]*{(.-)}", "%1")))
  end)

  it("take tabs, commas and gzip", function()
    if support.lacks_float64 then return pending "without float64, which the device lacks" end
    put("a\tb\n1\t2,5\n2\t3,5\n", base .. ".tsv")
    local expected = 'int64[] 1 float64[] 2.5\nint64[] 2 float64[] 3.5'
    assert.equal(expected, chunked(1, {header = true, decimal = ","}, base .. ".tsv"))
    local x = strew.load(base .. ".tsv", {header = true, decimal = ","})
    for _, name in ipairs{base .. ".csv.gz", base .. ".tsv.gz"} do
      strew.save(name, x)
      assert.equal(expected, chunked(1, {header = true}, name))
      assert.equal(expected, chunked(7, {header = true}, name))
    end
  end)

  it("have the dtype of the option", function()
    put("a,b\n1,2\n3,4.5\n")
    for chunk in strew.chunks(path, {header = true, dtype = "float32", rows = 1}) do
      assert.equal("float32 float32", chunk.a.dtype .. " " .. chunk.b.dtype)
    end
  end)

  it("end at once for a file without rows", function()
    put("a,b\n")
    for _ in strew.chunks(path, {header = true}) do error "a chunk" end
    put("a,b\n\n\r\n")
    for _ in strew.chunks(path, {header = true}) do error "a chunk" end
  end)
end)

describe("errors of chunks of text", function()
  it("name line and column, and the option that decides", function()
    if support.lacks_float64 then return pending "without float64, which the device lacks" end
    for _, row in ipairs{
      {"a,b\n1,2\n3,4\n5,6\n7\n", "has 1 cell in line 5, expected 2, as in line 1"},
      {"a,b\n1,2\n3,4\n5,6,7\n", "has 3 cells in line 4, expected 2, as in line 1\n"
        .. "  hint  a cell with ',' in it is in quotes"},
      {"a,b\n1,2\n3,4\n5,x\n", [[has "x" in line 4, column 2 (b), expected a number, as in line 2
  hint  {text = {"b"}} reads the column as words]]},
      {"a,b\n1,2\n3,4\n5,1.5\n", [[has "1.5" in line 4, column 2 (b), ]]
        .. [[expected an int64, as in all rows of the first chunk
  hint  {dtype = "float64"} reads columns of numbers as float64, which rounds integers beyond 2^53]]},
      {"a,b\n1,2\n3,4\n,6\n", [[has "" in line 4, column 1 (a), expected an int64, as in all rows of the first chunk
  hint  {dtype = "float64"} reads columns of numbers as float64, which rounds integers beyond 2^53]]},
      {"a,b\n1,2\n3,4\n5,99999999999999999999\n", [[has "99999999999999999999" in line 4, column 2 (b), ]]
        .. [[expected an integer that int64 holds
  hint  {text = {"b"}} reads the column as words, {dtype = "float64"} rounds]]},
      {"a,b\n1,2\n3,4\n5,1e999\n", [[has "1e999" in line 4, column 2 (b), expected a number that float64 holds
  hint  {text = {"b"}} reads the column as words]]},
      {"a,b\n1,2\n3,4\n5,06\n", [[has "06" in line 4, column 2 (b), expected a number without leading zeros or plus ]]
        .. [[sign
  hint  {text = {"b"}} reads the column as words, {dtype = "int64"}, with fractions "float64", reads ]]
        .. [[numbers without leading zeros and signs]]},
      {"a,b\n1,2.5\n3,4\n5,9007199254740993\n", [[has "9007199254740993" in line 4, column 2 (b), expected an integer ]]
        .. [[that float64 holds: the column has a fraction in line 2
  hint  {text = {"b"}} reads the column as words, {dtype = "float64"} rounds]]},
      {"a,b\n1,\n3,4\n5,9007199254740993\n", [[has "9007199254740993" in line 4, column 2 (b), expected an integer ]]
        .. [[that float64 holds: the column has no number in line 2
  hint  {text = {"b"}} reads the column as words, {dtype = "float64"} rounds]]},
      {"a,b\n1,?\n3,4\n", [[has "?" in line 2, column 2 (b), expected a number, as in line 3
  hint  {missing = {"?"}} reads it as an empty cell, {text = {"b"}} reads the column as words]]},
      {"a,b\n1,\n3,\n5,x\n", [[has "x" in line 4, column 2 (b), expected a number: the first chunk has no words there
  hint  {text = {"b"}} reads the column as words]]},
      {'a,b\n1,2\n3,4\n5,"6', "has a quote in line 4, column 2 (b) that is never closed"},
      {'a,b\n1,2\n3,4\r\n5,"6"7\n', [[has characters after a closing quote in line 4, column 2 (b), expected a ]]
        .. [[separator or line end
  hint  a quote inside of quotes is written twice: ""]]},
      {"a,b\n1,2\n3,4\n5,\0\n", "has a zero byte in line 4 (byte 14 of the file), expected text"},
      {'a,b\n1,2\n"3\n",4\n5,x\n', nil},
    } do
      if row[2] then assert.equal(row[2], refusal(row[1], {header = true, rows = 2})) end
      local is_other = row[2] and (row[2]:find("chunk", 1, true) or row[2]:find "^has %d cells?")
      if row[2] and not is_other then assert.equal(row[2], refusal(row[1], {header = true})) end
    end
    assert.equal('has "2024-13-01" in line 3, column 1 (d), expected a date and time of the calendar',
      refusal("d\n2024-01-01\n2024-13-01\n", {header = true, dates = {"d"}, rows = 1}):match("[^\n]*"))
    for _, long in ipairs{"", ("# " .. ("x"):rep(997) .. "\n"):rep(300)} do
      local said = 'has a zero byte in line %d (byte %d of the file), expected text'
      assert.equal(said:format(#long // 1000 + 2, #long + 6), refusal(long .. "a,b\n1,\0\n", {comment = "#"}))
    end
    assert.equal("is empty, expected lines of cells", refusal("", {header = true}))
    assert.equal("has a line of words above numbers, line 2: are they units?",
      refusal("a,b\nx,mm\n1,2\n3,4\n", {header = true, rows = 3}):match("[^\n]*"))
    assert.equal("no error", refusal("a,b\nx,mm\n1,2\nz,w\n", {header = true, rows = 2}))
    for _, options in ipairs{{rows = 1}, {rows = 1, skip = 1}, {rows = 1, comment = "\x1f"}} do
      assert.equal("is compressed by gzip, expected text", refusal("\x1f\x8b\8\na\n", options):match("[^\n]*"))
    end
  end)

  it("find names as load does, however far the next line is", function()
    local options = {comment = "#", dtype = support.lacks_float64 and "float32" or nil}
    for _, between in ipairs{"", "\n\n", ("# " .. ("x"):rep(997) .. "\n"):rep(200)} do
      for bytes, names in pairs{["a,\n%s1,2\n3,4\n"] = {"a", "2"}, ["a,b\n%sc,d\n3,x\n"] = {1, 2},
        ["a,b\n%sx,NA\nx,\n%sy,4\n"] = {"a", "b"}, ["a,b\n%s" .. ("x,\n"):rep(5) .. "y,4\n"] = {"a", "b"},
        ["a,b\n%s" .. ("x,\n"):rep(6) .. "y,z\n"] = {1, 2}} do
        put((bytes:gsub("%%s", between)))
        local whole = strew.load(path, options)
        assert.same(names, strew.columns(whole))
        assert.equal(table.concat(rows_of(whole, {}), "\n"), chunked(1, options))
        for chunk in strew.chunks(path, options) do assert.same(names, strew.columns(chunk)) end
      end
    end
    put('n\n"1,234"\n7\n')
    assert.equal("int64[] 1234\nint64[] 7", chunked(1, {thousands = ","}))
  end)

  it("leave what came before", function()
    put("a\n1\n2\n3\nx\n5\n")
    local got, chunks = {}, strew.chunks(path, {header = true, rows = 1})
    for _ = 1, 3 do table.insert(got, chunks().a:item()) end
    assert.same({1, 2, 3}, got)
    local first = message(chunks)
    assert.truthy(first:find('has "x" in line 5', 1, true))
    assert.equal(first, message(chunks))
  end)

  it("tell that the file was changed", function()
    put("a\n1\n2\n3\n")
    local chunks = strew.chunks(path, {header = true, rows = 1})
    assert.equal(1, chunks().a:item())
    put("a\n1\n2\n3\n4\n")
    assert.equal(('chunks: \'path\' is "%s", which was changed while it was read, after row 1'):format(path),
      message(chunks))
    assert.truthy(message(chunks):find("was changed", 1, true))
  end)

  it("refuse arguments", function()
    put("a\n1\n")
    for _, row in ipairs{
      {"'rows' is 0, expected 1 or more", path, {rows = 0}},
      {"'rows' is -3, expected 1 or more", path, {rows = -3}},
      {"'member' is an option of .npz files, not of .csv files", path, {member = "a"}},
      {"'options' has unknown key \"map\"", path, {map = true}},
      {"'path' ends in .png, expected one of .npy, .npz, .csv, .tsv, .jsonl, .npy.gz, .jsonl.gz, .csv.gz, .tsv.gz "
        .. "for chunks", "a.png"},
      {"cannot be opened: No such file or directory", base .. ".none.csv"},
    } do
      local text = message(strew.chunks, unpack(row, 2))
      assert.is_true(text:find(row[1], 1, true) ~= nil, text)
    end
  end)
end)

describe("chunks of tensors", function()
  local function joined(name, n, options)
    local parts, given = {}, {rows = n}
    for key, value in pairs(options or {}) do given[key] = value end
    for chunk in strew.chunks(name, given) do
      assert.is_true(#chunk <= n and (#parts == 0 or #parts[#parts] == n))
      table.insert(parts, chunk)
    end
    return #parts > 0 and strew.cat(parts, 0) or nil
  end

  it("are the rows of the whole file", function()
    for _, dtype in ipairs{"float32", "int64", "int16", "uint8", "bool"} do
      for _, shape in ipairs{{11}, {5, 3}, {4, 2, 3}, {3, 0}} do
        local t = strew.randint(0, 2, shape, {dtype = dtype})
        for _, suffix in ipairs{".npy", ".npy.gz"} do
          strew.save(base .. suffix, t)
          for _, n in ipairs{1, 2, 3, 7, 100} do
            local all = joined(base .. suffix, n)
            assert.is_true(strew.equal(t, all) and all.dtype == dtype)
          end
        end
        strew.save(base .. ".npz", {t = t, other = strew.ones(2)})
        for _, n in ipairs{1, 4} do assert.is_true(strew.equal(t, joined(base .. ".npz", n, {member = "t"}))) end
        strew.save(base .. ".npz", {t = t}, {compress = true})
        assert.is_true(strew.equal(t, joined(base .. ".npz", 2)))
      end
    end
    strew.save(base .. ".npy", strew.zeros(0, 3))
    assert.is_nil(joined(base .. ".npy", 2))
  end)

  it("refuse what has no rows in order", function()
    strew.save(base .. ".npy", strew.tensor(7))
    assert.truthy(message(strew.chunks, base .. ".npy"):find("holds a single number, without rows", 1, true))
    strew.save(base .. ".npy", strew.arange(6):view(2, 3):t())
    assert.truthy(message(strew.chunks, base .. ".npy"):find("is in Fortran's order: its rows are not", 1, true))
    strew.save(base .. ".npz", {a = strew.ones(2), b = strew.ones(2)})
    assert.truthy(message(strew.chunks, base .. ".npz"):find('has the members "a", "b"', 1, true))
    local text = message(strew.chunks, base .. ".npz", {member = "c"})
    assert.truthy(text:find('is "c", expected one of "a", "b"', 1, true))
  end)

  it("of truncated files are errors", function()
    strew.save(base .. ".npy", strew.arange(100):view(50, 2))
    local file <close> = assert(io.open(base .. ".npy", "rb"))
    local bytes = file:read("a")
    put(bytes:sub(1, -5), base .. ".npy")
    assert.truthy(message(strew.chunks, base .. ".npy"):find("is truncated: int64[50, 2] takes 800 bytes", 1, true))
    put(bytes .. "x", base .. ".npy")
    assert.truthy(message(strew.chunks, base .. ".npy"):find("has 1 bytes after its last element", 1, true))
    strew.save(base .. ".npy.gz", strew.arange(100):view(50, 2))
    local packed <close> = assert(io.open(base .. ".npy.gz", "rb"))
    local whole = packed:read("a")
    for cut = 1, 9, 4 do -- the last chunk is not given before the sum of all bytes is verified
      put(whole:sub(1, -1 - cut), base .. ".npy.gz")
      assert.truthy(message(strew.chunks(base .. ".npy.gz")):find("is truncated: its gzip data has no end", 1, true))
      local text = message(joined, base .. ".npy.gz", 7)
      assert.truthy(text:find("is truncated: its gzip data has no end", 1, true))
    end
  end)
end)

describe("the iterator of chunks", function()
  it("is closed by break, error, <close> and the collector", function()
    put("a\n1\n2\n3\n")
    local function descriptors() -- of the other tests: some close theirs when collected
      local count = 0
      collectgarbage()
      for number = 0, 99 do
        local file <close> = io.open("/proc/self/fdinfo/" .. number)
        count = count + (file and 1 or 0)
      end
      return count
    end
    local before = descriptors()
    for _ in strew.chunks(path, {header = true, rows = 1}) do break end -- luacheck: ignore
    assert.equal(before, descriptors())
    pcall(function() for _ in strew.chunks(path, {header = true, rows = 1}) do error "x" end end) -- luacheck: ignore
    assert.equal(before, descriptors())
    do
      local chunks <close> = strew.chunks(path, {header = true, rows = 1})
      assert.equal(1, chunks().a:item())
    end
    assert.equal(before, descriptors())
    strew.chunks(path, {header = true, rows = 1})
    collectgarbage()
    assert.equal(before, descriptors())
  end)

  it("ends more than once", function()
    put("a\n1\n")
    local chunks = strew.chunks(path, {header = true})
    assert.equal("table", type(chunks()))
    assert.is_nil(chunks())
    assert.is_nil(chunks())
  end)

  it("outlives nothing", function()
    put("a\n1\n2\n")
    local kept
    do
      local chunks <close> = strew.chunks(path, {header = true, rows = 1})
      kept = chunks
    end
    assert.equal("chunks: the iterator is closed", message(kept))
  end)
end)

describe("sums over chunks", function()
  it("have the bits of the sum over the whole", function()
    if support.lacks_float64 then return pending "without float64, which the device lacks" end
    math.randomseed(3)
    local lines = {"k,v"}
    for i = 1, 5000 do
      lines[i + 1] = ("%d,%.17g"):format(math.random(0, 40), math.random() * 10 ^ math.random(-8, 8))
    end
    put(table.concat(lines, "\n"))
    local whole = strew.load(path, {header = true})
    loops.on_threads(function()
      local expected = strew.scatter_sum(whole.v, whole.k, {dim_size = 50})
      local placed = strew.zeros(50, {dtype = "float64"})
      local sums = strew.zeros(50, {dtype = "float64"})
      for chunk in strew.chunks(path, {header = true, rows = 331}) do
        strew.scatter_sum(chunk.v, chunk.k, {out = sums})
        placed:scatter_add_(0, chunk.k, chunk.v)
      end
      assert.is_true(strew.equal(expected, sums) and strew.equal(expected, placed))
    end)
  end)
end)

teardown(function()
  for _, suffix in ipairs{"", ".csv", ".tsv", ".csv.gz", ".tsv.gz", ".npy", ".npy.gz", ".npz"} do
    os.remove(base .. suffix)
  end
end)
