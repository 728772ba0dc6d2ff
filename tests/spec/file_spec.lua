-- Files: written by NumPy, read by NumPy, and invalid ones. (Failures of the system: check_file.c.)
local strew = require "strew"
local support = dofile "tests/spec/support.lua"

local samples = "tests/data/numpy/"
local folder -- of this run

local dtypes = {"float32", "float64", "float16", "int64", "int32", "int16", "int8", "uint8", "bool"}
local shapes = {scalar = {}, empty = {0, 3}, line = {5}, block = {2, 3, 4}}

-- The rule of numpy_files.py.
local function values(dtype, shape)
  local numel = 1
  for _, size in ipairs(shape) do numel = numel * size end
  local i = strew.arange(numel):view(shape)
  if dtype == "bool" then return (i % 3):eq(0) end
  return dtype:find "int" and (i * 37 - 5):to(dtype) or (i:to("float32") * 0.5 - 1.25):to(dtype)
end

local function all_tensors()
  local result = {}
  for _, dtype in ipairs(dtypes) do
    if not (support.lacks_float64 and dtype == "float64") then
      for name, shape in pairs(shapes) do result[dtype .. "/" .. name] = values(dtype, shape) end
    end
  end
  return result
end

-- The byte orders in NumPy's letters: this machine's, and the other.
local is_little <const> = string.pack("=i2", 1) == "\1\0"
local native <const>, foreign <const> = is_little and "<" or ">", is_little and ">" or "<"

local function assert_same(expected, is, what)
  assert.equal(expected.dtype, is.dtype, what)
  assert.same(expected.shape, is.shape, what)
  assert.is_true(strew.equal(expected, is), what)
end

local function assert_all(is, what)
  local expected, count = all_tensors(), 0
  for name, tensor in pairs(is) do
    assert_same(expected[name], tensor, what .. name)
    count = count + 1
  end
  assert.equal(36, count, what)
end

local function read(path)
  local file <close> = assert(io.open(path, "rb"))
  return file:read("a")
end

local function write(name, bytes)
  local file <close> = assert(io.open(folder .. name, "wb"))
  file:write(bytes)
  return folder .. name
end

-- A .npy of version 1 or 2 with this header.
local function npy(header, elements, version)
  return "\x93NUMPY" .. string.pack(version == 2 and "BB<s4" or "BB<s2", version or 1, 0, header) .. (elements or "")
end

-- The message of a failing load, without the path.
local function refusal(bytes, options, suffix)
  local path = write("bad" .. (suffix or ".npy"), bytes)
  local message = support.message(strew.load, path, options)
  local start = ("load: 'path' is \"%s\", which "):format(path)
  return message:sub(1, #start) == start and message:sub(#start + 1) or message
end

-- Runs NumPy with these arguments; if it is missing, prints once that it is left out.
local python = os.getenv("PYTHON") or "python3"
local has_numpy
local function numpy(...)
  if has_numpy == nil then
    has_numpy = os.execute(python .. " -c 'import numpy' 2>/dev/null") == true
    if not has_numpy then print("without NumPy (" .. python .. "): it reads none of our files, we read its samples") end
  end
  if not has_numpy then return nil end
  local pipe <close> = io.popen(("%s -B tests/numpy_files.py %s 2>&1"):format(python, table.concat({...}, " ")))
  return pipe:read("a")
end

describe("files", function()
  setup(function()
    folder = os.tmpname()
    os.remove(folder)
    assert(os.execute("mkdir " .. folder))
    folder = folder .. "/"
  end)
  teardown(function() os.execute("rm -rf " .. folder) end)

  it("of NumPy are read", function()
    if support.lacks_float64 then return end
    for _, name in ipairs{"stored", "deflated", "big_endian", "fortran"} do
      assert_all(strew.load(samples .. name .. ".npz"), name .. ": ")
    end
    for version = 1, 3 do
      assert_same(values("int32", {2, 3, 4}), strew.load(samples .. "version" .. version .. ".npy"))
    end
    local block = strew.load(samples .. "fortran.npz")["int16/block"]
    assert.same({1, 2, 6}, {block:stride()})
  end)

  it("of float64 are for a device that has it", function()
    local t = strew.tensor({1.5, 2.5}, {dtype = "float64", device = "cpu"})
    for _, ending in ipairs{"npy", "npz", "safetensors"} do
      local path = folder .. "wide." .. ending
      strew.save(path, ending == "npy" and t or {a = t})
      if support.lacks_float64 then
        local message = support.message(strew.load, path)
        assert.matches("load: 'dtype' is float64, which device", message, 1, true)
        assert.equal('device = "cpu"', message:match "\n  hint +([^\n]*)$")
      end
      local back = strew.load(path, {device = "cpu"})
      assert_same(t, ending == "npy" and back or back.a)
    end
  end)

  it("are read by NumPy", function()
    if support.lacks_float64 then return end
    local tensors, turned = all_tensors(), {}
    strew.save(folder .. "stored.npz", tensors)
    strew.save(folder .. "deflated.npz", tensors, {compress = true})
    for name, tensor in pairs(tensors) do
      strew.save(folder .. name:gsub("/", "_") .. ".npy", tensor)
      turned[name] = #tensor.shape == 3 and tensor:permute(2, 1, 0):contiguous():permute(2, 1, 0) or tensor
    end
    strew.save(folder .. "turned.npz", turned)
    local said = numpy("check", folder)
    if said then assert.equal("same\n", said) end
  end)

  it("that the installed NumPy writes equal the samples", function()
    if support.lacks_float64 or not numpy("write", folder) then return end
    for _, name in ipairs{"stored.npz", "deflated.npz", "big_endian.npz", "fortran.npz"} do
      assert_all(strew.load(folder .. name), name .. ": ")
    end
    for version = 1, 3 do
      local name = "version" .. version .. ".npy"
      assert.equal(read(samples .. name), read(folder .. name))
    end
  end)

  it("of unsigned integers keep their dtype", function()
    local unsigned = strew.load(samples .. "unsigned.npz")
    for name, row in pairs{u2 = {"uint16", 16}, u4 = {"uint32", 32}} do
      local dtype, bits = table.unpack(row)
      local half = 1 << bits - 1
      local expected = strew.tensor({0, 1, 127, 128, 255, 256, half - 1, half, 2 * half - 1}, dtype)
      assert_same(expected, unsigned["<" .. name], name)
      assert_same(expected, unsigned[">" .. name], name)
    end
    local elements = {}
    for i = 1, 6 do elements[i] = string.pack("<I2", 65530 + i - 1) end
    local bytes = npy("{'descr':'<u2','fortran_order':True,'shape':(2,3)}", table.concat(elements))
    local path = write("unsigned.npy", bytes)
    assert_same(strew.tensor({{65530, 65532, 65534}, {65531, 65533, 65535}}, "uint16"), strew.load(path))
    assert.equal("is truncated: uint16[2, 3] takes 12 bytes from byte 60 on, found 11", refusal(bytes:sub(1, -2)))
    local many = write("many.npy", npy("{'descr':'>u4','fortran_order':False,'shape':(1300000,)}",
      ("\xff\xff\xff\xfe"):rep(1300000)))
    assert.is_true(strew.equal(strew.full({1300000}, (1 << 32) - 2, {dtype = "uint32"}), strew.load(many)))
    if strew.zeros(1).device ~= "cpu" or not is_little then return end
    assert.equal("uint16", strew.load(path, {map = true}).dtype)
  end)

  it("compressed by gzip are loaded and saved", function()
    if support.lacks_float64 then return end
    local x = strew.load(samples .. "dates.tsv.gz", {header = true, decimal = ",", dates = {"date", "time"}})
    assert.is_true(strew.equal(x.days * 86400 * 1000000, x.date:to("int64")))
    assert.is_true(strew.equal(x.seconds * 1000000, x.time:to("int64")))
    for i = 0, #x.comma - 1 do
      assert.equal(tonumber(x.number[i]), x.comma[i])
    end
    local whole = strew.arange(100)
    local columns = {i = whole, half = whole:to("float64") / 2, word = whole % 3}
    local words = {word = {"a\tb", 'say "c"', "d,\ne"}}
    for _, name in ipairs{"columns.csv.gz", "columns.tsv.gz", "columns.tsv", "columns.CSV.GZ"} do
      strew.save(folder .. name, columns, {names = {"i", "half", "word"}, words = words})
      local back = strew.load(folder .. name, {header = true})
      assert.same(words, strew.words(back))
      back.word = back.word:codes():to("int64")
      for column, tensor in pairs(columns) do assert_same(tensor, back[column], name) end
    end
    assert.equal(read(folder .. "columns.csv.gz"), read(folder .. "columns.CSV.GZ"))
    assert.equal("i\thalf\tword\n0\t0.0\t\"a\tb\"\n1\t", read(folder .. "columns.tsv"):sub(1, 26))
    local bytes = strew.randint(0, 256, {5 << 19}, {dtype = "uint8"}) -- not compressible
    for i, tensor in ipairs{strew.arange(30000):view(100, 300):t(), strew.randn(50000), strew.zeros(0), bytes,
      bytes:narrow(0, 0, (1 << 20) - 128), bytes:narrow(0, 0, (1 << 20) - 127), strew.zeros(3 << 19)} do
      strew.save(folder .. i .. ".npy.gz", tensor) -- more than zlib's window and its buffers, and than a member
      assert_same(tensor, strew.load(folder .. i .. ".npy.gz"))
    end
    strew.save(folder .. "gzip.npy.gz", values("int32", {2, 3, 4}))
    local said = numpy("check_gzip", folder)
    if said then assert.equal("same\n", said) end
  end)

  it("compressed by gzip may have several members, and are verified", function()
    strew.save(folder .. "one.csv.gz", strew.arange(6):view(3, 2))
    local one = read(folder .. "one.csv.gz")
    local twice = strew.load(write("two.csv.gz", one .. one .. ("\0"):rep(700)))
    assert.equal("int64[6] {1, 3, 5, 1, 3, 5}", support.text(twice[2]))
    for length = 1, #one - 1 do
      assert.equal(("is truncated: its gzip data has no end before byte %d"):format(length),
        refusal(one:sub(1, length), nil, ".csv.gz"))
    end
    assert.equal(("is truncated: its gzip data has no end before byte %d"):format(2 * #one - 3),
      refusal(one .. one:sub(1, -4), nil, ".csv.gz"))
    assert.equal("is empty, expected gzip data", refusal("", nil, ".csv.gz"))
    local plain = "is not compressed by gzip: it does not begin with the bytes 1f 8b\n"
      .. '  hint  {format = "..."} overrides the suffix'
    assert.equal(plain, refusal("1,2\n", nil, ".csv.gz"))
    assert.equal(plain, refusal("\0" .. one, nil, ".csv.gz"))
    assert.equal(("has bytes after the end of its gzip data, at byte %d"):format(#one + 1),
      refusal(one .. "\0more", nil, ".csv.gz"))
    assert.equal(('is compressed by gzip, expected text\n  hint  {format = "csv.gz"} inflates it'),
      refusal(one, nil, ".csv"))
    assert.matches("^is damaged: its gzip data is invalid before byte %d+: incorrect data check$",
      refusal(one:sub(1, -8) .. string.char(one:byte(-8) ~ 1) .. one:sub(-6), nil, ".csv.gz"):gsub(" check$", " check"))
    for at = 1, #one do -- a changed byte of the header, or after the last bit, may be without meaning
      local changed = one:sub(1, at - 1) .. string.char(one:byte(at) ~ 0x20) .. one:sub(at + 1)
      local ok, result = pcall(strew.load, write("changed.csv.gz", changed))
      assert.is_true(not ok or strew.equal(result[2], strew.tensor{1, 3, 5}), tostring(at))
    end
    -- The size at its end, which memory is allocated for, may be a false one, or that of a member.
    local many = strew.arange(60000)
    strew.save(folder .. "one.csv.gz", many)
    one = read(folder .. "one.csv.gz")
    assert.is_true(strew.equal(many, strew.load(folder .. "one.csv.gz")[1]))
    assert.is_true(strew.equal(strew.cat{many, many}, strew.load(write("two.csv.gz", one .. one))[1]))
    for _, size in ipairs{0, 1, 70000, 400000, 600000, 1000000, 1 << 32 - 1} do
      assert.matches("^is damaged: its gzip data is invalid before byte %d+: incorrect length check$",
        refusal(one:sub(1, -5) .. ("<I4"):pack(size), nil, ".csv.gz"))
    end
    assert.equal("load: 'map' is true, but .npy.gz files cannot be mapped, only .npy, .safetensors",
      support.message(strew.load, "x.npy.gz", {map = true}))
  end)

  it("may be pipes, and have any name with a format", function()
    local pipe = folder .. "pipe"
    if not os.execute("mkfifo " .. pipe) then return end -- as under fault injection; check_file.c has pipes, too
    local function piped(command, ...) -- a writer that nobody reads ends, too
      os.execute("timeout 20 sh " .. write("writer", ("(%s) >%s"):format(command, pipe)) .. " 2>/dev/null &")
      return strew.load(pipe, ...)
    end
    local slow = piped("printf '1,2\\n'; sleep 0.2; printf '3,4\\n'", {format = "csv"})
    assert.equal("int64[2] {1, 3}", support.text(slow[1]))
    assert.equal("int64[1] {2}", support.text(piped("printf '1\\t2\\n'", {format = "TSV"})[2]))
    for _, name in ipairs{"version1.npy", not support.lacks_float64 and "stored.npz" or nil} do
      local back = piped("cat " .. samples .. name, {format = name:sub(-3)})
      back = type(back) == "table" and back["int32/block"] or back
      assert_same(values("int32", {2, 3, 4}), back)
    end
    strew.save(folder .. "long.csv.gz", strew.arange(200000):view(-1, 2))
    assert.equal(100000, #piped("cat " .. folder .. "long.csv.gz", {format = "csv.gz"})[1])
    assert.equal(200000, piped("gzip -dc " .. folder .. "long.csv.gz", {format = "csv"})[1]:max():item() + 2)
    local function refused(command, ...)
      local text = support.message(piped, command, ...)
      return (text:gsub("^load: 'path' is \"[^\"]*\", which ", ""))
    end
    assert.equal("is empty, expected lines of cells", refused("true", {format = "csv"}))
    assert.equal("has 0 bytes, too short for a .npy file", refused("true", {format = "npy"}))
    assert.equal("is truncated: its gzip data has no end before byte 700",
      refused("sh -c 'head -c 700 " .. folder .. "long.csv.gz; kill -9 $$'", {format = "csv.gz"}))
    assert.matches("^is truncated: int32%[2, 3, 4%] takes 96 bytes from byte 128 on, found 2$",
      refused("head -c 130 " .. samples .. "version1.npy", {format = "npy"}))
    assert.equal("cannot be mapped: it is not a regular file\n  hint  leave out map, to read it",
      refused("cat " .. samples .. "version1.npy", {format = "npy", map = true}))
    for name, format in pairs{x = "npy", ["x.txt"] = "csv", ["x.csv"] = "tsv.gz"} do
      strew.save(folder .. name, strew.arange(3), {format = format})
      local back = strew.load(folder .. name, {format = format})
      assert.same({0, 1, 2}, (type(back) == "table" and back[1] or back):tolist())
    end
    support.fail({
      {"strew.load('x', {format = 'xls'})",
        "load: 'format' is \"xls\", expected one of npy, npz, csv, tsv, jsonl, safetensors, "
          .. "png, npy.gz, jsonl.gz, csv.gz, tsv.gz"},
      {"strew.load('x', {format = '.csv'})",
        "load: 'format' is \".csv\", expected one of npy, npz, csv, tsv, jsonl, safetensors, "
          .. "png, npy.gz, jsonl.gz, csv.gz, tsv.gz"},
      {"strew.load('x', {format = 5})", "load: 'format' is 5, expected a string"},
      {"strew.load('x.parquet')",
        "load: 'path' is \"x.parquet\", expected a name ending in one of .npy, .npz, .csv, .tsv, .jsonl, .safetensors, "
        .. ".png, .npy.gz, .jsonl.gz, .csv.gz, .tsv.gz\n"
        .. "  hint  DuckDB and pandas change such files to .csv; strew.from_arrow_stream takes their Arrow streams"},
      {"strew.load('-')", "load: 'path' is \"-\", standard input, which needs a format\n"
        .. "  hint  {format = \"csv\"} names the format of other files"},
      {"strew.load('/dev/zero', {format = 'csv'})",
        "load: 'path' is \"/dev/zero\", which is a device, expected a file or pipe"},
      {"strew.save('/dev/full', {x}, {format = 'csv'})",
        "save: 'path' is \"/dev/full\", which is a device, expected a regular file"},
      {"strew.save('-', {x}, {format = 'npz'})",
        "save: 'path' is \"-\", standard output, which takes .csv, .tsv, .jsonl, .jsonl.gz, .csv.gz, "
        .. ".tsv.gz, not .npz\n"
        .. "  hint  \"./-\" is a file of that name"},
      {"strew.save('-', {x})", "save: 'path' is \"-\", standard output, which needs a format\n"
        .. "  hint  {format = \"csv\"} names the format of other files"},
      {"strew.save('x', {x}, {format = 'npy'})",
        "save: 'format' is .npy, expected one of .npz, .csv, .tsv, .jsonl, .safetensors, .jsonl.gz, .csv.gz, "
        .. ".tsv.gz "
          .. "for a table of tensors"},
      {"strew.save('x', {x}, {format = 'npx'})",
        "save: 'format' is \"npx\", expected one of npy, npz, csv, tsv, jsonl, safetensors, "
          .. "png, npy.gz, jsonl.gz, csv.gz, tsv.gz"},
    }, {strew = strew, x = strew.ones(1)})
  end)

  it("are the same after saving and loading", function()
    local tensors = {
      [""] = strew.tensor{1, 2}, ["a.npy"] = strew.tensor(1.5), ["a/b/c"] = strew.tensor{true, false},
      ["é ü"] = strew.full({2, 0, 3}, 1, {dtype = "int8"}), sixteen = strew.zeros(table.unpack({}, 1, 0)),
      special = strew.tensor{0 / 0, 1 / 0, -1 / 0, -0.0, 1e-45, 3.4028234e38},
      slice = strew.arange(100):view(10, 10):slice(1, 1, 9, 3), grown = strew.tensor{{1}, {2}}:expand(2, 1000),
    }
    for _, compress in ipairs{false, true} do
      strew.save(folder .. "back.npz", tensors, {compress = compress})
      local back = strew.load(folder .. "back.npz")
      for name, tensor in pairs(tensors) do
        assert.equal(support.text(tensor), support.text(back[name]), name)
        back[name] = nil
      end
      assert.same({}, back)
    end
    local rank16 = {1, 2, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2}
    for _, tensor in ipairs{strew.arange(8):view(rank16), tensors.special, tensors.slice, strew.zeros(0)} do
      strew.save(folder .. "back.NpY", tensor)
      assert.equal(support.text(tensor), support.text(strew.load(folder .. "back.NpY")))
    end
    strew.save(folder .. "none.npz", {})
    assert.same({}, strew.load(folder .. "none.npz"))
  end)

  it("of the same tensors have the same bytes", function()
    strew.save(folder .. "one.npz", {a = strew.ones(3), b = strew.zeros(2), c = strew.ones(1)})
    strew.save(folder .. "two.npz", {c = strew.ones(1), a = strew.ones(3), b = strew.zeros(2)})
    assert.equal(read(folder .. "one.npz"), read(folder .. "two.npz"))
    assert.equal("\0\0\33\0", read(folder .. "one.npz"):sub(11, 14)) -- 1980-01-01, 0:00
    local tensors, names = {}, {}
    for i = 10, 40 do tensors["name" .. i] = strew.ones(1) end
    strew.save(folder .. "order.npz", tensors)
    for name in read(folder .. "order.npz"):gmatch "PK\3\4.-(name%d%d)%.npy" do names[#names + 1] = name end
    for i = 10, 40 do assert.equal("name" .. i, names[i - 9]) end
  end)

  it("have headers that Python reads", function()
    local expected = strew.arange(6, {dtype = "int32"}):view(2, 3)
    for _, header in ipairs{
      "{'descr':'<i4','fortran_order':False,'shape':(2,3)}",
      '\t{ "shape" : ( 2L ,\n3 , ) , "fortran_order" : False,\r\n"descr":"<i4" , }  \n',
      "{'descr': 'i4', 'fortran_order': False, 'shape': (2, 3), }",
      "{'descr': '=i4', 'fortran_order': False, 'shape': (2, 3), }",
    } do
      for version = 1, 2 do
        local elements = string.pack((header:find "<i4" and "<" or "=") .. "i4i4i4i4i4i4", 0, 1, 2, 3, 4, 5)
        local path = write("header.npy", npy(header, elements, version))
        assert_same(expected, strew.load(path), header)
      end
    end
    local bools = write("bools.npy", npy("{'descr':'|b1','fortran_order':False,'shape':(4,)}", "\0\1\2\255"))
    strew.save(folder .. "mended.npy", strew.load(bools))
    assert.equal("\0\1\1\1", read(folder .. "mended.npy"):sub(-4))
  end)

  it("are mapped, and never written", function()
    if strew.zeros(1).device ~= "cpu" then return end
    local x = strew.arange(1000, {dtype = "float32"}):view(10, 100)
    for name, tensor in pairs{rows = x, columns = x:t()} do
      local path = folder .. name .. ".npy"
      strew.save(path, tensor)
      local before, mapped = read(path), strew.load(path, {map = true})
      assert_same(tensor, mapped)
      mapped:add_(1)
      strew.load(path, {map = true}):fill_(7)
      assert_same(tensor + 1, mapped)
      assert.equal(before, read(path))
      strew.save(path, strew.zeros(2)) -- another file of that name
      assert_same(tensor + 1, mapped)
      local view = mapped[1]
      mapped:free()
      assert.equal(name == "rows" and 101 or 2, view[0])
    end
    local bools = write("bools.npy", npy("{'descr':'|b1','fortran_order':False,'shape':(4,)}   ", "\0\1\2\255"))
    strew.save(folder .. "mended.npy", strew.load(bools, {map = true}))
    assert.equal("\0\1\1\1", read(folder .. "mended.npy"):sub(-4))
    assert.equal("\0\1\2\255", read(bools):sub(-4))
    strew.save(folder .. "empty.npy", strew.zeros(0, 3))
    assert.same({0, 3}, strew.load(folder .. "empty.npy", {map = true}).shape)
  end)

  it("that cannot be mapped are errors with the reason", function()
    if strew.zeros(1).device ~= "cpu" then return end
    local header, hint = "{'descr':'%si4','fortran_order':False,'shape':(1,)}", "\n  hint  leave out map, to read it"
    assert.equal("cannot be mapped: its byte order is not this machine's" .. hint,
      refusal(npy(header:format(foreign), "\0\0\0\1"), {map = true}))
    assert.equal("cannot be mapped: its elements begin at byte 61, not a multiple of their 4 bytes" .. hint,
      refusal(npy(header:format(native) .. " ", "\0\0\0\1"), {map = true}))
    assert.equal("load: 'map' is true, but .npz files cannot be mapped, only .npy, .safetensors",
      support.message(strew.load, samples .. "stored.npz", {map = true}))
  end)

  it("hold text, and load NumPy's in either order and of bytes", function()
    local t = strew.tensor{{"Oslo", "", "Z\u{fc}rich"}, {"\u{6771}\u{4eac}", "a", "Oslo"}}
    local path = folder .. "text.npy"
    for _, x in ipairs{t, t:t(), t[1], t[0]:narrow(0, 1, 1), strew.zeros(0, 2, {dtype = "text"}), strew.tensor("x")} do
      strew.save(path, x)
      assert.equal(tostring(x), tostring(strew.load(path)))
      strew.save(folder .. "text.npz", {x = x, n = strew.arange(3)})
      assert.equal(tostring(x), tostring(strew.load(folder .. "text.npz").x))
    end
    strew.save(path, t)
    local rows = {}
    for row in strew.chunks(path, {rows = 1}) do rows[#rows + 1] = row end
    assert.equal(tostring(t), tostring(strew.cat(rows)))
    local header = "{'descr': '%s', 'fortran_order': False, 'shape': (2,), }"
    for descr, bytes in pairs{["<U2"] = "Z\0\0\0\xfc\0\0\0a\0\0\0\0\0\0\0", ["|S3"] = "Z\xc3\xbca\0\0",
      [">U2"] = "\0\0\0Z\0\0\0\xfc\0\0\0a\0\0\0\0"} do
      write("numpy.npy", npy(header:format(descr)) .. bytes)
      assert.same({"Z\u{fc}", "a"}, strew.load(folder .. "numpy.npy"):tolist(), descr)
    end
    for at, number in pairs{["\0\xd8\0\0"] = 55296, ["\0\0\x11\0"] = 1114112, ["\0\0\0\0"] = 0} do
      assert.equal(("has the number %d among the characters of element 1, which is none in a text"):format(number),
        refusal(npy(header:format "<U2") .. "a\0\0\0\0\0\0\0" .. at .. "a\0\0\0"))
      write("numpy.npy", npy(header:format "<U2") .. "a\0\0\0\0\0\0\0" .. at .. "a\0\0\0")
      local next_row = strew.chunks(folder .. "numpy.npy", {rows = 1})
      next_row()
      assert.matches("the characters of element 1,", support.message(next_row), 1, true)
    end
    assert.equal("cannot be mapped: its elements are characters, not text's codes\n  hint  leave out map, to read it",
      refusal(npy(header:format(native .. "U1")) .. "a\0\0\0a\0\0\0", {map = true, device = "cpu"}))
    write("numpy.npy", npy(header:format "|S4") .. "caf\xe9" .. "a\0\0\0")
    local latin = strew.load(folder .. "numpy.npy")
    assert.same({"caf\xe9", "a"}, latin:tolist())
    assert.equal('save: \'x\' has the word "caf?", which is not UTF-8: NumPy\'s texts are made of its characters\n'
      .. "  x     text[2] cpu\n  hint  a .csv file keeps all bytes; iconv -f LATIN1 -t UTF-8 converts it",
      support.message(strew.save, path, latin))
    strew.save(folder .. "latin.csv", latin)
    local converted = io.popen(("iconv -f LATIN1 -t UTF-8 '%slatin.csv'"):format(folder))
    write("utf8.csv", converted:read "a")
    converted:close()
    strew.save(path, strew.load(folder .. "utf8.csv", {header = false})[1])
    assert.same({"caf\u{e9}", "a"}, strew.load(path):tolist())
  end)

  -- What NumPy's dtype() takes, as numpy 2.4 on x86-64 Linux.
  it("have NumPy's other names of dtypes", function()
    local names = {
      bool = "bool ? bool_ |b1", int8 = "int8 b byte i1 |i1", uint8 = "uint8 B ubyte", int16 = "int16 h short",
      uint16 = "uint16 ushort <H", int32 = "int32 i intc <i", uint32 = "uint32 I uintc",
      int64 = "int64 q l p <q int int_ long intp longlong", uint64 = "uint64 Q L P uint ulong uintp ulonglong",
      float16 = "float16 e half", float32 = "float32 f single <f", float64 = "float64 d double float =f8",
      time = "datetime64[us] M8[us] <M8[us] datetime64[D]", text = "U5 <U5 S5",
    }
    local bytes = {bool = 1, int8 = 1, uint8 = 1, int16 = 2, uint16 = 2, float16 = 2, int32 = 4, uint32 = 4,
      float32 = 4}
    for dtype, list in pairs(names) do
      for name in list:gmatch "%S+" do
        local size = name:find "U5" and 20 or name == "S5" and 5 or bytes[dtype] or 8
        write("named.npy", npy(("{'descr': '%s', 'fortran_order': False, 'shape': (1,), }"):format(name))
          .. ("\0"):rep(size))
        if dtype ~= "float64" or not support.lacks_float64 then
          assert.equal(dtype, strew.load(folder .. "named.npy").dtype, name)
        end
      end
    end
  end)

  it("of NumPy's other dtypes are errors with a hint", function()
    for _, row in ipairs{
      {"<c8", "complex numbers", "in NumPy: save a.real and a.imag"},
      {"<f16", "floats of that size", 'in NumPy: a.astype("float64")'},
      {"|O", "Python objects", "in NumPy: save an array of numbers"},
      {"<U0", "texts of that width", "in NumPy: a.astype(str)"},
      {"|S1000001", "texts of that width", "in NumPy: a.astype(str)"},
      {"<M8[Y]", "dates of that unit", 'in NumPy: a.astype("datetime64[us]")'},
      {"|V2", "raw bytes", "NumPy saves ml_dtypes' bfloat16 so; a.astype(\"float32\") keeps every value"},
    } do
      local descr, kind, hint = table.unpack(row)
      local expected = "holds elements of NumPy's dtype '%s', %s, which strew does not have\n  hint  %s"
      assert.equal(expected:format(descr, kind, hint),
        refusal(npy(("{'descr': '%s', 'fortran_order': False, 'shape': (2,), }"):format(descr))))
    end
    assert.matches("^holds elements of a structured dtype, '<f4,<f4', which strew does not have\n",
      refusal(npy("{'descr': '<f4,<f4', 'fortran_order': False, 'shape': (2,), }")))
    for word in ("<i4_ <float32 Float32 f4x float_ |b2"):gmatch "%S+" do
      local descr = word:gsub("i4_", "i4 ")
      assert.equal(("holds elements of an unknown dtype '%s'"):format(descr),
        refusal(npy(("{'descr': '%s', 'fortran_order': False, 'shape': (2,), }"):format(descr))))
    end
    assert.equal("holds elements of a structured dtype, which strew does not have\n"
      .. '  hint  in NumPy: save its fields one by one, a["name"]',
      refusal(npy("{'descr': [('a', '<f4'), ('b', '<i4')], 'fortran_order': False, 'shape': (2,), }")))
    assert.equal("holds elements of an unknown dtype 'x??'",
      refusal(npy("{'descr': 'x\27\1', 'fortran_order': False, 'shape': (2,), }")))
  end)

  it("with wrong headers are refused", function()
    local header = "{'descr': '<f4', 'fortran_order': False, 'shape': %s, }"
    for _, row in ipairs{
      {"(4,)", "is truncated: float32[4] takes 16 bytes from byte 67 on, found 12"},
      {"(1, 2)", "has 4 bytes after its last element, at byte 77\n"
        .. "  hint  arrays saved one after the other into a file: save them in an .npz"},
      {"(1000000000000000000,)",
        "is truncated: float32[1000000000000000000] takes 4000000000000000000 bytes from byte 85 on, found 12"},
      {"(4000000000000000000,)", "claims to hold float32[4000000000000000000], more bytes than can be addressed"},
      {"(2147483648, 0, 4294967296)",
        "claims to hold float32[2147483648, 0, 4294967296], more bytes than can be addressed"},
      {"(9223372036854775808,)", "has a size in its shape larger than 2^63 - 1"},
      {"(99999999999999999999999999,)", "has a size in its shape larger than 2^63 - 1"},
      {"(-3,)", "has a negative size in its shape"},
      {"(" .. ("1,"):rep(17) .. ")",
        "has more than 16 dimensions, the largest rank\n  hint  in NumPy: a.reshape(...)"},
      {"(3)", "has an invalid header: expected a comma before the end of a tuple of one at its byte 53"},
      {"[3]", "has an invalid header: expected ( at its byte 50"},
      {"(3 4)", "has an invalid header: expected , or ) at its byte 53"},
      {"(0x3,)", "has an invalid header: expected , or ) at its byte 52"},
      {"(,)", "has an invalid header: expected a whole number at its byte 51"},
    } do
      assert.equal(row[2], refusal(npy(header:format(row[1]), ("\0"):rep(12))), row[1])
    end
  end)

  it("without a header are refused", function()
    local function unreadable(expected, at)
      return ("has an invalid header: expected %s at its byte %d"):format(expected, at)
    end
    local good = "{'descr': '<f4', 'fortran_order': False, 'shape': ()}"
    for _, row in ipairs{
      {"", "has 0 bytes, too short for a .npy file"},
      {"\x93NUMPY\1\0\0", "has 9 bytes, too short for a .npy file"},
      {"\x93NUMPX" .. ("\0"):rep(20), "does not begin with the magic string of .npy files, \\x93NUMPY"},
      {"PK\3\4" .. ("\0"):rep(20), "does not begin with the magic string of .npy files, \\x93NUMPY"},
      {"\x93NUMPY\4\0" .. ("\0"):rep(20), "has version 4.0 of the format, expected 1.0, 2.0 or 3.0"},
      {"\x93NUMPY\1\2" .. ("\0"):rep(20), "has version 1.2 of the format, expected 1.0, 2.0 or 3.0"},
      {"\x93NUMPY\1\0\xff\xff" .. ("\0"):rep(20), "claims a header of 65535 bytes, and has 30 in all"},
      {"\x93NUMPY\1\0\0\0" .. ("\0"):rep(20), "claims a header of 0 bytes, too short for one"},
      {"\x93NUMPY\2\0\xff\xff\xff\xff" .. ("\0"):rep(20),
        "has a header of 4294967295 bytes, expected fewer than 65536"},
      {npy "  ", unreadable("{", 2)},
      {npy "None", unreadable("{", 0)},
      {npy "{}", "has a header without 'descr'"},
      {npy "{'descr': '<f4'}", "has a header without 'fortran_order'"},
      {npy "{'descr': '<f4', 'fortran_order': 1, 'shape': ()}", unreadable("True or False", 34)},
      {npy(good:sub(1, -2)), unreadable(", or }", 52)},
      {npy(good:sub(1, 30)), unreadable("a short and plain string", 17)},
      {npy(good:sub(1, 10)), unreadable("a string", 10)},
      {npy(good:sub(1, 51)), unreadable("a whole number", 51)},
      {npy(good:gsub("%(%)}", "(3")), unreadable(", or )", 52)},
      {npy(good:gsub("%(%)}", "(3L")), unreadable(", or )", 53)},
      {npy(good:gsub("<f4", ("f"):rep(32))), unreadable("a short and plain string", 10)},
      {npy(good:gsub("<f4", "")), "holds elements of an unknown dtype ''"},
      {npy(good:gsub("<f4", "\127\9")), "holds elements of an unknown dtype '??'"},
      {npy(good .. "x"), unreadable("nothing more", 53)},
      {npy(good:gsub("'shape'", "'descr'")), unreadable("one each of 'descr', 'fortran_order', 'shape'", 48)},
      {npy(good:gsub("shape", "shapes")), unreadable("one each of 'descr', 'fortran_order', 'shape'", 49)},
      {npy(good:gsub("<f4", "\\x3cf4")), unreadable("a short and plain string", 10)},
      {npy(good:gsub("'<f4'", "None")), unreadable("a string", 10)},
    } do
      assert.equal(row[2], refusal(row[1]), row[1])
    end
  end)

  it("cut short at any byte are refused", function()
    for _, name in ipairs{"version1.npy", "version3.npy"} do
      local whole = read(samples .. name)
      for length = 0, #whole - 1 do assert.not_equal("no error", refusal(whole:sub(1, length)), name .. length) end
    end
    for _, compress in ipairs{false, true} do
      local path = folder .. "whole.npz"
      strew.save(path, {a = strew.arange(3), b = strew.ones(2)}, {compress = compress})
      local whole = read(path)
      for length = 0, #whole - 1 do
        assert.not_equal("no error", refusal(whole:sub(1, length), nil, ".npz"), tostring(length))
      end
    end
  end)

  it("with a changed byte are refused or loaded", function()
    for _, compress in ipairs{false, true} do
      local path = folder .. "whole.npz"
      strew.save(path, {a = strew.arange(3, {dtype = "int16"}), b = strew.tensor{true, false}}, {compress = compress})
      local whole = read(path)
      for at = 1, #whole do
        local byte = whole:byte(at)
        for _, other in ipairs{byte ~ 1, byte ~ 0x80} do
          local changed = write("changed.npz", whole:sub(1, at - 1) .. string.char(other) .. whole:sub(at + 1))
          local ok, result = pcall(strew.load, changed)
          if ok then
            for _, tensor in pairs(result) do assert.equal("tensor", strew.type(tensor)) end
          else
            assert.matches("load: 'path' is", result, 1, true)
          end
        end
      end
    end
  end)

  it("with invalid names or members are refused", function()
    local path = folder .. "members.npz"
    strew.save(path, {a = strew.ones(2), b = strew.ones(2)})
    local whole = read(path)
    assert.equal('has two members named "a.npy"', refusal(whole:gsub("b%.npy", "a.npy"), nil, ".npz"))
    assert.equal('has a member "a.txt" that is not a .npy file\n  hint  {columns = {...}} reads the members that it '
      .. 'names, '
      .. 'without .npy',
      refusal(whole:gsub("a%.npy", "a.txt"), nil, ".npz"))
    assert.equal('has a member "a.npy" that cannot be read: CRC error',
      refusal(whole:gsub(string.pack("=f", 1):gsub("%?", "%%?"), string.pack("=f", 4)), nil, ".npz"))
    assert.equal('has a member "a.npy" that does not begin with the magic string of .npy files, \\x93NUMPY',
      refusal(whole:gsub("NUMPY", "numpy"), nil, ".npz"))
    assert.equal("is not a readable zip archive: Not a zip archive",
      refusal(read(samples .. "version1.npy"), nil, ".npz"))
    assert.equal("is empty, expected a zip archive", refusal("", nil, ".npz"))
    -- a size of 3 GiB in the directory at the end, made from 8 bytes
    local method, size = "\8\0", string.pack("<I4", 3 << 30)
    local first = assert(whole:find("PK\1\2", 1, true))
    local start, rest = whole:sub(1, first + 9) .. method .. whole:sub(first + 12, first + 23), whole:sub(first + 28)
    assert.equal('has a member "a.npy" that claims 3221225472 bytes, more than its 136 compressed ones can hold',
      refusal(start .. size .. rest, nil, ".npz"))
    local lying = whole:sub(1, first + 9) .. "\12\0" .. whole:sub(first + 12)
    assert.equal('has a member "a.npy" that is compressed by method 12, expected stored or deflated',
      refusal(lying, nil, ".npz"))
  end)

  -- As scipy.sparse.save_npz writes: one member that strew does not have among others.
  it("load the members that are named", function()
    local path = folder .. "chosen.npz"
    strew.save(path, {data = strew.tensor{1.5, 2}, form = strew.ones(3, {dtype = "int32"}), rows = strew.tensor{1, 2}})
    local bytes = read(path):gsub(native .. "i4", native .. "c4")
    assert.equal('has a member "form.npy" that holds elements of NumPy\'s dtype \'' .. native .. "c4', "
      .. 'complex numbers, which strew does not have\n'
      .. "  hint  {columns = {...}} reads the members that it names, without .npy", refusal(bytes, nil, ".npz"))
    write("chosen.npz", bytes)
    local x = strew.load(path, {columns = {"rows", "data"}})
    assert.same({"rows", "data"}, strew.columns(x))
    assert.same({1, 2}, x.rows:tolist())
    assert.same({1.5, 2}, x.data:tolist())
    assert.matches("hint  in NumPy: save a.real", refusal(bytes, {columns = {"form"}}, ".npz"), 1, true)
    assert.equal('load: \'columns\' is "x", expected one of "data", "form", "rows"',
      support.message(strew.load, path, {columns = {"rows", "x"}}))
    assert.equal("load: 'columns' has \"rows\" twice", support.message(strew.load, path, {columns = {"rows", "rows"}}))
    assert.equal("chunks: 'columns' is an option of load for .npz files, expected 'member' for chunks",
      support.message(strew.chunks, path, {columns = {"rows"}}))
    assert.equal("load: 'columns' is an option of .csv, .tsv, .jsonl, .npz and .safetensors files, not of .npy files",
      support.message(strew.load, "x.npy", {columns = {"rows"}}))
  end)

  it("with members of another length than recorded are refused", function()
    -- An archive of one deflated member, in a single stored block, whose header says `claimed` bytes.
    local function archive(bytes, claimed)
      local stream = "\1" .. string.pack("<I2I2", #bytes, #bytes ~ 0xffff) .. bytes
      local about = string.pack("<I2I2I2I2I2I4I4I4I2I2", 20, 0, 8, 0, 33, 0, #stream, claimed, 5, 0)
      local head = "PK\3\4" .. about .. "a.npy" .. stream
      local entry = "PK\1\2\20\0" .. about .. ("\0"):rep(14) .. "a.npy"
      return head .. entry .. "PK\5\6" .. string.pack("<I2I2I2I2I4I4I2", 0, 0, 1, 1, #entry, #head, 0)
    end
    local whole = npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", ("\0"):rep(8))
    local start = 'has a member "a.npy" that '
    assert.equal(start .. "cannot be read: CRC error", refusal(archive(whole, #whole), nil, ".npz"))
    assert.equal(start .. "has bytes after its end", refusal(archive(whole .. "more", #whole), nil, ".npz"))
    assert.equal(start .. "cannot be read: CRC error", refusal(archive(whole:sub(1, -2), #whole), nil, ".npz"))
    assert.equal(start .. ("is truncated: float32[2] takes 8 bytes from byte %d on, found 7"):format(#whole - 8),
      refusal(archive(whole, #whole - 1), nil, ".npz"))
    assert.equal(start .. "claims 4294967294 bytes, more than its " .. #whole + 5 .. " compressed ones can hold",
      refusal(archive(whole, 0xfffffffe), nil, ".npz"))
  end)

  it("hold tensors of every dtype as .safetensors", function()
    local name <const> = os.tmpname() .. ".safetensors"
    local x = {["b\"\n\xc3\xbc"] = strew.tensor{true, false}, a = strew.ones(2, 3):to("bfloat16")}
    x.c = strew.tensor(7)
    strew.save(name, x)
    for _, options in ipairs{{map = false}, {map = is_little, device = "cpu"}, {columns = strew.columns(x)}} do
      local y = strew.load(name, options)
      for key, t in pairs(x) do assert.is_true(t.dtype == y[key].dtype and t:equal(y[key]:to(t.device))) end
    end
    assert.same({"c", "a"}, strew.columns(strew.load(name, {columns = {"c", "a"}})))
    local before = read(name)
    strew.load(name, {map = is_little, device = "cpu"}).a:fill_(7) -- writes stay in memory
    assert.equal(before, read(name))
    assert.equal("load: 'columns' has \"d\", not found in the file",
      support.message(strew.load, name, {columns = {"d"}}))
    assert.equal("load: 'columns' has \"c\" twice", support.message(strew.load, name, {columns = {"c", "c"}}))
    assert.equal("save: 'x' has the name \"__metadata__\", expected another one, as this is not a tensor's",
      support.message(strew.save, name, {__metadata__ = x.a}))
    assert.equal("save: 'x' has the name \"?\", expected UTF-8", support.message(strew.save, name, {["\xff"] = x.a}))
    local text = strew.columns({city = strew.tensor{0}}, nil, {city = {"Oslo"}})
    assert.equal("save: 'x' has text, \"city\", .safetensors files take numbers\n  hint  .npz files hold it",
      support.message(strew.save, name, text))
    os.remove(name)
  end)

  it("of raw records are mapped", function()
    local name <const> = os.tmpname()
    local parts = {}
    for i = 0, 4 do parts[#parts + 1] = string.pack("=i4d", i, i + 0.5) end
    support.put(name, table.concat(parts))
    local function list(options) return strew.map(name, options):tolist() end
    assert.same({0, 1, 2, 3, 4}, list{dtype = "int32", strides = 12})
    local other = is_little and "big" or "little"
    assert.same({0, 1 << 24, 1 << 25}, list{dtype = "int32", strides = {12}, shape = 3, byte_order = other})
    assert.same({0.5, 1.5, 2.5, 3.5, 4.5}, list{dtype = "float64", offset = 4, strides = 12})
    assert.same({{0.5, 2.5}, {1.5, 3.5}}, list{dtype = "float64", offset = 4, strides = {12, 24}, shape = {2, 2}})
    assert.same({60}, strew.map(name).shape)
    assert.same({0}, strew.map(name, {offset = 60}).shape)
    assert.same(strew.map(name):ne(0):tolist(), strew.map(name, {dtype = "bool"}):tolist())
    assert.same({5, 0}, strew.map(name, {shape = {5, 0}}).shape)
    local t = strew.map(name, {dtype = "int32", strides = 12})
    t[0] = 77
    assert.same({0, 1, 2, 3, 4}, list{dtype = "int32", strides = 12}) -- writes stay in memory
    local is = ("map: 'path' is \"%s\", which "):format(name)
    for said, options in pairs{
      [is .. "has 60 bytes, too few for uint8[61] with strides [1] in bytes from byte 0 on"] = {shape = 61},
      [is .. "has 60 bytes, too few for uint8[2] with strides [60] in bytes from byte 0 on"] = {shape = 2,
        strides = 60},
      [is .. "has 60 bytes from byte 0 on, no multiple of the 8 of a record"] = {dtype = "float64"},
      [is .. "has 60 bytes, expected records from byte 61 on"] = {offset = 61},
      ["map: 'strides' is 0 in dimension 0, expected 1 or more to count the records"] = {strides = 0},
      ["map: 'strides' is [-1], expected strides of 0 or more"] = {strides = -1, shape = 3},
      ["map: 'strides' has 2 entries, expected 1, a stride for each dimension"] = {strides = {4, 4}},
      ["map: 'offset' is -1, expected 0 or more"] = {offset = -1},
      ["map: 'byte_order' is \"middle\", expected one of little, big"] = {byte_order = "middle"},
      ["map: 'shape' has size -1 in dimension 1, expected 0 or more"] = {shape = {2, -1}},
    } do assert.equal(said, support.message(strew.map, name, options)) end
    os.remove(name)
  end)

  it("are in the home folder behind ~", function()
    local home = os.tmpname()
    os.remove(home)
    assert(os.execute("mkdir " .. home))
    local function said(code, where)
      return (support.output("local s = require \"strew\" print(" .. code .. ")", "HOME=" .. where)
        :gsub("%(command line%):1: ", ""))
    end
    assert.equal("nil\t7\t4\n", said([[s.save("~/x.csv", {a = s.tensor{7}}), s.load("~/x.csv").a:item(),
      #s.map("~/x.csv")]], home))
    assert.equal("a\n7\n", support.get(home .. "/x.csv"))
    assert.equal("false\tload: 'path' is \"~x.csv\", which cannot be opened: No such file or directory\n",
      said([[pcall(s.load, "~x.csv")]], home))
    assert.equal("false\tload: 'path' is \"~/x.csv\", but HOME is not set\n  hint  \"./~\" is a file of that name\n",
      said([[pcall(s.load, "~/x.csv")]], ""))
    assert.equal("false\tload: 'path' is \"" .. home .. "\", expected a name ending in one of .npy",
      said([[pcall(s.load, "~")]], home):match "^.-%.npy")
    os.remove(home .. "/x.csv")
    os.remove(home)
  end)

  it("are named by their suffix", function()
    local x = strew.ones(1)
    local known = ".npy, .npz, .csv, .tsv, .jsonl, .safetensors, .png, .npy.gz, .jsonl.gz, .csv.gz, .tsv.gz"
    local hint = '\n  hint  {format = "csv"} names the format of other files'
    support.fail({
      {"strew.load 'x'", "load: 'path' is \"x\", expected a name ending in one of " .. known .. hint},
      {"strew.load ''", "load: 'path' is \"\", expected a name ending in one of " .. known .. hint},
      {"strew.load 'x.npy/y'", "load: 'path' is \"x.npy/y\", expected a name ending in one of " .. known .. hint},
      {"strew.save('x.npyz', x)", "save: 'path' is \"x.npyz\", expected a name ending in one of " .. known .. "\n"
        .. "  x     float32[1] cpu" .. hint},
      {"strew.load 'a\\0.npy'", "load: 'path' is \"a\" and more after a zero byte, which no file name can hold"},
      {"strew.load '/nowhere/\\27\\n.npy'",
        "load: 'path' is \"/nowhere/??.npy\", which cannot be opened: No such file or directory"},
      {"strew.load '/nowhere/\\u{202e}\\u{2028}\\u{2066}\\u{200f}\\u{61c}\\u{2070}.npy'", -- they break or reorder lines
       "load: 'path' is \"/nowhere/?????\u{2070}.npy\", which cannot be opened: No such file or directory"},
      {"strew.load '/nowhere/\\xc2\\x9b31m\\xc2\\xa0.npy'", -- a control character, and another one
        "load: 'path' is \"/nowhere/?31m\xc2\xa0.npy\", which cannot be opened: No such file or directory"},
      {"strew.load('/nowhere/' .. ('\xc3\xa9'):rep(200) .. '\127.npy')",
        "load: 'path' is \"..." .. ("\xc3\xa9"):rep(117) .. "?.npy\", "
          .. "which cannot be opened: No such file or directory"},
      {"strew.load(5)", "load: 'path' is 5, expected a string"},
      {"strew.load()", "load: 'path' is missing, the arguments are "
        .. "(path [, {device =, header =, separator =, dtype =, text =, decimal =, dates =, columns =, names =, "
        .. "missing =, skip =, comment =, thousands =, unit =, ordered =, format =, map =, rows =, ragged =}])"},
      {"strew.load('x.npy', {mapped = true})", "load: 'options' has unknown key \"mapped\", expected "
        .. "device, header, separator, dtype, text, decimal, dates, columns, names, missing, skip, comment, "
        .. "thousands, unit, ordered, format, map, rows, ragged"},
      {"strew.load('x.npy', {map = 1})", "load: 'map' is 1, expected a boolean"},
      {"strew.save('x.npy', x, {compress = true})",
        "save: 'compress' is true, but .npy files are not compressed, only .npz, .npy.gz, .jsonl.gz, .csv.gz, .tsv.gz\n"
          .. "  x  float32[1] cpu"},
      {"strew.save('x.npy', {a = x})",
        "save: 'path' ends in .npy, expected one of .npz, .csv, .tsv, .jsonl, .safetensors, .jsonl.gz, .csv.gz, "
        .. ".tsv.gz "
          .. "for a table of tensors"},
      {"strew.save('x.npz', x)",
        "save: 'path' ends in .npz, expected one of .npy, .csv, .tsv, .png, .npy.gz, .csv.gz, .tsv.gz for one tensor\n"
          .. "  x  float32[1] cpu"},
      {"strew.save('x.npz')", "save: 'x' is missing, the arguments are "
        .. "(path, x [, {compress =, header =, separator =, names =, words =, format =, missing =, "
        .. "decimal =}])"},
      {"strew.save('x.npz', {x})", "save: 'x' has no names, which .npz files need"},
      {"strew.save('x.npz', {a = 5})", "save: 'x' has 5 at key \"a\", expected a tensor"},
      {"strew.save('x.npz', {a = freed})", "save: 'x' has a tensor that was freed at key \"a\""},
      {"strew.save('x.npz', {['a\\0'] = x})",
        "save: 'x' has \"a\" and more after a zero byte, which no file can hold"},
      {"strew.save(folder .. 'x.npz', {['\\xff'] = x})",
        "save: 'x' has the name \"?.npy\", expected UTF-8"},
      {"strew.save(folder .. 'x.npy', x:to('bfloat16'))",
        "save: 'x' is bfloat16, a dtype that NumPy does not have\n  x     bfloat16[1] cpu\n"
        .. "  hint  x:to(\"float32\") keeps every value; loaded, x:to(\"bfloat16\") restores it"},
      {"strew.save(folder .. 'x.npz', {a = x, b = x:to('bfloat16')})",
        "save: 'x' is bfloat16, a dtype that NumPy does not have\n  x[\"b\"]  bfloat16[1] cpu\n"
        .. "  hint    x:to(\"float32\") keeps every value; loaded, x:to(\"bfloat16\") restores it"},
    }, {strew = strew, x = x, folder = folder, freed = (function() local t = strew.ones(1) t:free() return t end)()})
    assert.is_false(pcall(strew.load, "/nowhere.npy"))
    assert.equal("file", strew.last_error().code)
    local left = io.popen("ls " .. folder .. "x.np* " .. folder .. ".strew* 2>/dev/null"):read("a")
    assert.equal("", left)
  end)

  it("may have very many names", function()
    local many, tensor = {}, strew.tensor({1, 2}, {device = "cpu"})
    for i = 1, 70000 do many["name" .. i] = tensor end -- more than an archive without ZIP64 can hold
    strew.save(folder .. "many.npz", many)
    local back, count = strew.load(folder .. "many.npz", {device = "cpu"}), 0
    for name in pairs(back) do count = count + (many[name] and 1 or 0) end
    assert.equal(70000, count)
  end)
end)
