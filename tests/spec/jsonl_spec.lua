-- JSON lines: tables of columns as .jsonl files; values as Python's json and polars read and write them.
local strew = require "strew"
local support = require "tests.spec.support"
local base = os.tmpname()
local path = base .. ".jsonl"
local nan = 0 / 0
if not pcall(strew.zeros, 1, {dtype = "float64"}) then
  return it("is left out", function() pending "without float64, which the device lacks" end)
end

local function write(text)
  local file <close> = assert(io.open(path, "wb"))
  file:write(text)
end

local function load(text, options)
  write(text)
  return strew.load(path, options)
end

local function same(expected, t)
  local list = t:tolist()
  assert.equal(#expected, #list)
  for i, x in ipairs(expected) do assert.is_true(x == list[i] or x ~= x and list[i] ~= list[i], tostring(list[i])) end
end

-- The fact of the error, with FILE for the path, and its hint.
local function refused(text, options)
  write(text)
  local ok, message = pcall(strew.load, path, options)
  assert.is_false(ok)
  local fact = message:gsub("\n.*", ""):gsub("^.-: load: ", ""):gsub("^'path' is \"[^\"]*\", which ", "")
  return fact, message:match "hint  ([^\n]*)"
end

describe("JSON lines", function()
  teardown(function()
    os.remove(base)
    os.remove(path)
    os.remove(path .. ".gz")
  end)

  it("become columns, by key, in the order of their appearance", function()
    local x = load('{"id": 1, "name": "Oslo \\"x\\"\\n\\u00e9\\ud83d\\ude00\\/", "ok": true, "f": 1.5}\r\n'
      .. '{"id": 2, "ok": false, "f": 2, "name": null, "extra": null}\n\n  \n'
      .. ' { "f" : -1E+3 , "name":"a,b", "ok":true,"id":3,"late":7}')
    assert.same({"id", "name", "ok", "f", "extra", "late"}, x.names)
    assert.same({"int64", "text", "bool", "float64", "float64", "float64"},
      {x.id.dtype, x.name.dtype, x.ok.dtype, x.f.dtype, x.extra.dtype, x.late.dtype})
    same({1, 2, 3}, x.id)
    same({'Oslo "x"\né😀/', "", "a,b"}, x.name)
    same({true, false, true}, x.ok)
    same({1.5, 2, -1000}, x.f)
    same({nan, nan, nan}, x.extra)
    same({nan, nan, 7}, x.late)
  end)

  it("keep strings words, and numbers numbers", function()
    local x = load('{"zip": "00501", "n": "12", "t": "2024-05-17", "e": ""}\n'
      .. '{"zip": "x", "n": "", "t": "", "e": "nan"}\n')
    for _, name in ipairs(x.names) do assert.equal("text", x[name].dtype) end
    same({"00501", "x"}, x.zip)
    same({"", "nan"}, x.e)
    same({1, 0, 9007199254740993}, load('{"n": 1}\n{"n": -0}\n{"n": 9007199254740993}\n').n)
    same({nan, math.huge, -math.huge}, load('{"n": NaN}\n{"n": Infinity}\n{"n": -Infinity}\n').n)
    same({1, nan, 0}, load('{"b": true}\n{}\n{"b": false}\n').b)
    same({"only", ""}, load('{"w": "only"}\n{"w": null}\n').w)
    same({1, nan}, load('{"v": 1}\n{"v": null}\n').v)
    same({1}, load('\xef\xbb\xbf{"a\\u0062": 1}')["ab"])
    assert.equal(2, #load('{"a": 1}\n{"\\u0061": 2}').a)
  end)

  it("take the options of values and columns", function()
    local text = '{"t": "2024-05-17", "d": "17.05.2024", "n": 1, "w": "-", "p": "5%", "in": {"a": ["}", {}]}}\n'
      .. '{"t": "2024-05-18T01:00", "d": "18.05.2024", "n": -999, "w": "b", "p": "7.5%", "in": [1]}\n'
    local all = {"t", "d", "n", "w", "p"}
    local x = load(text, {columns = all, dates = true,
      missing = {-999, "-"}, unit = {p = "%"}, dtype = {p = "float32"}})
    assert.same(all, x.names)
    assert.same({"time", "text", "float64", "text", "float32"},
      {x.t.dtype, x.d.dtype, x.n.dtype, x.w.dtype, x.p.dtype})
    same({1, nan}, x.n)
    same({"", "b"}, x.w)
    same({5, 7.5}, x.p)
    x = load(text, {columns = {"d", "n"}, dates = {d = "%d.%m.%Y"}, dtype = {n = "int16"}, text = {"w"}})
    same({1, -999}, x.n)
    assert.same({"int16", "time"}, {x.n.dtype, x.d.dtype})
    assert.equal("2024-05-18", tostring(x.d[1]))
    x = load(text, {columns = {"n", "w"}, rows = 1, ordered = {w = {"-", "a"}}})
    assert.equal(1, #x)
    same({"1", "x", "true"}, load('{"a": 1}\n{"a": "x"}\n{"a": true}\n', {text = {"a"}}).a)
    same({1}, strew.load(path, {format = "jsonl", text = {"a"}, rows = 1}).a:to "float64")
  end)

  it("are refused with an error that names line and key", function()
    for text, expected in pairs{
      ['{"a": 1}\n{"a": 1, "b": {"c": 2}}'] =
        'has an object at key "b" in line 2, expected numbers, words, true, false or null',
      ['{"a": [1]}'] = 'has a list at key "a" in line 1, expected numbers, words, true, false or null',
      ['{"a": 1}\n\n{"a": "x"}'] = 'has a word at key "a" in line 3, where line 1 has a number',
      ['{"a": true}\n{"a": 1}'] = 'has a number at key "a" in line 2, where line 1 has true or false',
      ['{"a": 1, "a": 2}'] = 'has key "a" twice in line 1',
      ['{"a": tru}'] = "has an invalid line 1: expected a value",
      ['{"a": 01}'] = "has an invalid line 1: expected a value",
      ['{"a": 1.}'] = "has an invalid line 1: expected a value",
      ['{"a": }'] = "has an invalid line 1: expected a value",
      ['{"a":'] = "has an invalid line 1: expected a value",
      ['{"a" 1}'] = "has an invalid line 1: expected : behind a key",
      ['{"a": 1} x'] = "has an invalid line 1: expected the end of the line behind }",
      ['{"a": 1,}'] = "has an invalid line 1: expected a key",
      ['{"a": 1\n}'] = "has an invalid line 1: expected a comma or }",
      ['{"": 1}'] = "has an invalid line 1: expected a key that is not empty",
      ['{"a": "x'] = "has an invalid line 1: expected the end of a string",
      ['{"a": "\\q"}'] = "has an invalid line 1: expected an escape",
      ['{"a": "\\ud800"}'] = "has an invalid line 1: expected a character other than zero",
      ['{"a": "\\u0000"}'] = "has an invalid line 1: expected a character other than zero",
      ['{"a": "\t"}'] = "has an invalid line 1: expected no control character",
      ['[{"a": 1}]'] = 'has an invalid line 1: expected an object, as {"a": 1, "b": "x"}',
      ["\n \n"] = "has no lines, expected a JSON object a line",
      [""] = "has no lines, expected a JSON object a line",
      ["{}\n{}"] = "has no keys, expected a JSON object a line",
    } do
      assert.equal(expected, (refused(text)))
    end
    assert.same({"load: 'separator' is an option of .csv and .tsv files, not of .jsonl files"},
      {(select(2, pcall(strew.load, path, {separator = ";"})):gsub("^[^:]*:%d+: ", ""))})
    assert.same({2}, (function() refused '{"a": 1}\n{"a": [1]}' return strew.last_error().pos end)())
    assert.equal('text = {"a"} reads words', select(2, refused '{"a": 1}\n{"a": "x"}'))
    assert.equal('columns = {"name", ...} leaves other keys out', select(2, refused '{"a": {}}'))
    assert.equal("jq -c '.[]' FILE.json writes an object a line", select(2, refused "[1]"))
  end)

  it("are saved, with null for missing elements, and read back", function()
    local x = strew.table{{"x", {1.5, nan, -2}}, {"n", {1, 2, 3}}, {"b", {true, false, true}},
      {'w "\\', {"a", "", 'q"\\\n\1é'}}, {"t", strew.time{"2024-01-01", "NaT", "2024-01-01T01:02:03.5"}},
      {"f", strew.tensor({0.5, 1e30, 3}, {dtype = "float64"})}, {"u", strew.tensor({1, 2, 3}, {dtype = "uint64"})}}
    strew.save(path, x)
    local file <close> = assert(io.open(path, "rb"))
    assert.equal([[
{"x":1.5,"n":1,"b":true,"w \"\\":"a","t":"2024-01-01","f":0.5,"u":1}
{"x":null,"n":2,"b":false,"w \"\\":null,"t":null,"f":1e+30,"u":2}
{"x":-2.0,"n":3,"b":true,"w \"\\":"q\"\\\u000a\u0001é","t":"2024-01-01T01:02:03.5","f":3.0,"u":3}
]], file:read "a")
    for _, name in ipairs{path, path .. ".gz"} do
      strew.save(name, x)
      local back = strew.load(name, {dates = true})
      assert.same(x.names, back.names)
      for _, column in ipairs(x.names) do same(x[column]:tolist(), back[column]) end
    end
    local long = strew.table{{"w", {("\1"):rep(300000), "b"}}, {"v", {1, 2}}}
    strew.save(path, long)
    assert.same({300000, 1}, strew.load(path).w:length():tolist())
    strew.save(path, strew.table{{"v", strew.arange(100000)}})
    assert.is_true(strew.equal(strew.arange(100000, {device = "cpu"}), strew.load(path, {device = "cpu"}).v))
  end)

  it("are not saved of what they cannot hold", function()
    local function message(...) return (support.message(strew.save, ...):gsub("\n.*", "")) end
    write "kept"
    assert.equal([[save: 'x' has -inf at [1] of column "v", which no .jsonl file holds]],
      message(path, strew.table{{"v", {1, -math.huge}}}))
    assert.equal("save: 'x' has no names, which .jsonl files need", message(path, {strew.ones(2)}))
    assert.equal([[save: 'x' has a column "m" of rank 2, expected rank 1]], message(path, {m = strew.ones(2, 2)}))
    assert.truthy(message(path, strew.ones(2)):find("'path' ends in .jsonl, expected one of .npy", 1, true))
    local file <close> = assert(io.open(path, "rb"))
    assert.equal("kept", file:read "a")
  end)

  it("of random values are those of the table", function()
    local words, seed = {"a", "", '"', "\\", "\n", ",", "é", "nan", "1", "true", "null"}, math.random(2 ^ 40)
    math.randomseed(seed)
    for _ = 1, support.runs_all and 200 or 20 do
      local rows, x = math.random(1, 9), {}
      for k = 1, math.random(4) do
        local column, kind = {}, math.random(3)
        for i = 1, rows do
          column[i] = kind == 1 and math.random(-9, 9) or kind == 2 and (math.random(3) == 1 and nan or math.random())
            or words[math.random(#words)]
        end
        x[k] = {"k" .. k, column}
      end
      local t = strew.table(x)
      strew.save(path, t)
      local back = strew.load(path)
      for _, pair in ipairs(x) do
        if back[pair[1]].dtype == t[pair[1]].dtype then same(t[pair[1]]:tolist(), back[pair[1]]) else -- all missing
          assert.is_true(t[pair[1]]:isnan():all():item(), ("seed %d"):format(seed))
        end
      end
    end
  end)

  it("come in chunks, whose keys and dtypes the first one decides", function()
    local function chunks(text, options)
      options = options or {}
      options.rows = options.rows or 2
      write(text)
      local list = {}
      for chunk in strew.chunks(path, options) do list[#list + 1] = chunk end
      return list
    end
    local function refused_chunk(text, options)
      local ok, message = pcall(chunks, text, options)
      assert.is_false(ok)
      return message:gsub("\n.*", ""):gsub("^.-, which ", "")
    end
    local list = chunks('{"n":1,"w":"x\\"y\\n","ok":true}\n\n{"n":2.5,"w":null,"ok":false}\n'
      .. '{"w":"z","ok":true,"n":3}\n\n\n'
      .. '{"n":null,"w":"x\\"y\\n","ok":true}\n \n')
    assert.equal(2, #list)
    same({1, 2.5}, list[1].n)
    same({3, nan}, list[2].n)
    same({'x"y\n', ""}, list[1].w)
    same({"z", 'x"y\n'}, list[2].w)
    same({2, 0}, list[2].w:codes())
    assert.same({"bool", "bool"}, {list[1].ok.dtype, list[2].ok.dtype})
    list = chunks('\xef\xbb\xbf{"a":1,"b":{"c":2}}\r\n{"a":2,"d":1}\r\n{"d":[],"a":3}', {columns = {"a"}, rows = 1,
      dtype = {a = "int8"}})
    assert.same({3, "int8", 3}, {#list, list[3].a.dtype, list[3].a[0]})
    list = chunks('{"t":"2024-01-01"}\n{"t":null}\n{"t":"2024-01-03"}', {dates = true})
    assert.same({"2024-01-01", "2024-01-03"}, {list[1].t[0], list[2].t[0]})
    list = chunks('{"d":"Sun"}\n{"d":"Sat"}\n{"d":"Mon"}', {ordered = {d = {"Mon", "Sat", "Sun"}}})
    same({"Sat", "Sun"}, (list[1].d:sort()))
    assert.equal('has key "b" in line 4, which the first chunk lacks',
      refused_chunk '{"a":1}\n{"a":2}\n\n{"a":3,"b":4}')
    assert.equal('has a word at key "a" in line 3, where line 1 has a number',
      refused_chunk '{"a":1}\n{"a":2}\n{"a":"x"}')
    assert.equal('has "3.5" in line 3, column 1 (a), expected an int64, as in all rows of the first chunk',
      refused_chunk '{"a":1}\n{"a":2}\n{"a":3.5}')
    assert.equal("has no true or false in line 3, column 1 (a), expected bool, which has no NaN",
      refused_chunk '{"a":true}\n{"a":true}\n{"a":null}')
    assert.equal('has key "a" twice in line 3', refused_chunk '{"a":1}\n{"a":2}\n{"a":3,"a":4}')
    assert.equal("has an invalid line 3: expected a value", refused_chunk '{"a":1}\n{"a":2}\n{"a":')
    assert.equal("has no lines, expected a JSON object a line", refused_chunk "\n\n")
  end)

  it("come in the chunks of any size that the whole file has", function()
    local lines = {}
    for i = 1, 300 do
      lines[i] = ('{"i":%d,"f":%s,"w":"w\\u00e9%d","b":%s}'):format(i, i / 8, i % 100, tostring(i % 3 == 0))
    end
    write(table.concat(lines, "\n"))
    local whole = strew.load(path)
    strew.save(path .. ".gz", whole, {format = "jsonl.gz"})
    for _, rows in ipairs{100, 77, 1000} do
      local parts = {}
      for chunk in strew.chunks(path .. ".gz", {format = "jsonl.gz", rows = rows}) do parts[#parts + 1] = chunk end
      assert.equal((300 + rows - 1) // rows, #parts)
      local all = strew.concat(parts)
      for _, name in ipairs(whole.names) do assert.is_true(all[name]:eq(whole[name]):all():item(), name) end
    end
  end)
end)
