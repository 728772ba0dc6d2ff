-- lua_bindings/strew.lua, the one text: its examples print the documented output; it documents every name and no other;
-- the documented arguments are those of the calls.
local strew = require "strew"
local support = require "tests.spec.support"
local examples = dofile "tests/examples.lua"

local which = dofile "lua_bindings/which.lua"
local help = assert(loadfile "lua_bindings/help.lua")(examples.source(), which, dofile "lua_bindings/recipes.lua",
  debug.getregistry()["strew.methods"])
local recipes = help.find("recipes").recipes
local device = strew.zeros(1).device

local function by_kind(kind)
  local list = {}
  for _, entry in ipairs(help.entries) do
    if entry.kind == kind then list[entry.name] = entry end
  end
  return list
end
local functions = by_kind "function"

-- The keys that only one of two tables has, as text: "-here +there".
local function difference(a, b)
  local list = {}
  for key in pairs(a) do if b[key] == nil then table.insert(list, "-" .. key) end end
  for key in pairs(b) do if a[key] == nil then table.insert(list, "+" .. key) end end
  table.sort(list)
  return table.concat(list, " ")
end

local function set(list)
  local keys = {}
  for _, key in ipairs(list) do keys[key] = true end
  return keys
end

-- The function strew.NAME, or strew.GROUP.NAME; nil: there is none.
local function function_of(name)
  local value = strew
  for part in name:gmatch "[^.]+" do value = type(value) == "table" and rawget(value, part) or nil end
  return value
end

-- The table of methods: the one among the upvalues of __index.
local metatable = debug.getmetatable(strew.zeros(1))
local function methods()
  for i = 1, math.huge do
    local name, value = debug.getupvalue(metatable.__index, i)
    if not name then error "__index has no methods" end
    if type(value) == "table" and value.scatter_add_ then return value end
  end
end

-- What an example prints, as on the CPU.
local function output_of(entry)
  return (examples.run(strew, entry.example):gsub(device:gsub("%p", "%%%0"), "cpu"))
end

describe("an example", function()
  for i, entry in ipairs(help.entries) do
    local takes_float64 = (entry.example or ""):find "float64" or (entry.output or ""):find "float64"
    if entry.example and support.is_tried(i) and not (support.lacks_float64 and takes_float64) then
      it("of " .. entry.name, function()
        local output = output_of(entry)
        assert.equal(entry.output, output)
        assert.is_nil(output:find "[^\n]\t%l+%d*%[", "the header of a tensor begins a line")
      end)
    end
  end
end)

describe("a recipe", function()
  for _, recipe in ipairs(recipes) do
    it("prints its output: " .. recipe.title, function() assert.equal(recipe.output, output_of(recipe)) end)
  end
end)

-- The output of strew.help.
local function printed(...)
  local lines, real_print = {}, print
  _G.print = function(text) table.insert(lines, text) end
  local results = table.pack(pcall(strew.help, ...))
  _G.print = real_print
  assert(results[1], results[2])
  assert.equal(1, results.n)
  return table.concat(lines, "\n")
end

describe("strew.help", function()
  it("finds a name in any form", function()
    local page = printed "scatter_add"
    assert.truthy(page:find("strew.scatter_add(self, dim, index, src [, {mode =, exact =}]) -> t", 1, true))
    local forms = {"strew.scatter_add", "t:scatter_add", "rain.scatter_add", " scatter_add() ", "t:scatter_add(0)",
      strew.scatter_add, strew.zeros(1).scatter_add}
    for _, name in ipairs(forms) do assert.equal(page, printed(name)) end
    assert.truthy(printed("t:relu_"):find "^t:relu_%(%) %-> t, in place")
    assert.equal(printed "add", printed "+")
    assert.equal(printed "bitwise_not", printed(strew.bitwise_not))
    assert.equal(printed "scatter_reduce", printed "include_self")
    assert.equal(printed "Tensor", printed "shape")
  end)

  it("lists the names of a topic", function()
    assert.truthy(printed("files"):find "^Files\n  load  ")
    assert.equal(printed("sorting, finding"), printed " Sorting")
    assert.truthy(select(2, pcall(strew.help, "sortin")):find("no help found", 1, true))
  end)

  it("knows the options of a call, where its table comes last", function()
    local function names(...)
      local list = {}
      for i, option in ipairs(help.options(...)) do list[i] = option.name end
      return table.concat(list, " ")
    end
    assert.equal("mode exact", names("scatter_add", 5))
    assert.equal("mode exact", names("scatter_add_", 5))
    assert.equal("", names("scatter_add", 4))
    assert.equal("", names("scatter_add", 6))
    assert.equal("dtype device", names("zeros", 3))
    assert.equal("", names("zeros", 1))
    assert.equal("search name", names("help", 1))
    assert.equal("fill mode skip_nan fill_index dim out dim_size", names("scatter_max", 3)) -- those of both forms
    assert.equal("fill mode skip_nan fill_index", names("scatter_max", 6))
    assert.equal("", names("memory", 1)) -- it takes no arguments
    assert.equal("", names("nothing", 1))
  end)

  it("shows an example as typed, and its output", function()
    assert.truthy(printed("numel"):find("\n> print(strew.zeros(2, 3):numel())\n6\n", 1, true))
  end)

  it("keeps to the width of a terminal, except in calls and examples", function()
    for _, entry in ipairs(help.entries) do
      local inside = printed(entry.name):gsub("\n> .*\nmore:", "\nmore:")
      if entry.kind == "function" then inside = inside:gsub("^.-\n\n", "") end
      for line in inside:gmatch "[^\n]+" do assert(utf8.len(line) <= 80, line) end
    end
  end)

  it("lists everything", function()
    local overview = printed():gsub("%s+", " ") .. " "
    for _, entry in ipairs(help.entries) do assert.truthy(overview:find(" " .. entry.name .. " ", 1, true)) end
  end)

  it("looks for words, names first", function()
    assert.truthy(printed{search = "LARGEST position"}:find "^  max ")
    assert.truthy(printed{search = "hyperbolic"}:find "^  tanh   Returns the hyperbolic tangent%.\n")
  end)

  it("finds the names of other libraries, with a hyphen or without", function()
    local rows = {
      {"one hot", "scatter"}, {"one-hot", "scatter"}, {"filter", "nonzero"}, {"average", "mean"}, {"lookup", "gather"},
      {"select rows", "gather"}, {"index_select", "gather"}, {"operator", "operators"},
    }
    for _, row in ipairs(rows) do
      assert.truthy(("\n" .. printed{search = row[1]}):find("\n  " .. row[2] .. " ", 1, true), row[1])
    end
  end)

  it("finds what users search for, whole words first", function()
    for words, first in pairs{["sum per group"] = "agg", ["mean per group"] = "agg", ["select rows"] = "rows",
      date = "load", describe = "describe", null = "isnan", plot = "plot", chart = "plot", ggplot = "plot",
      sample = "sample", shuffle = "shuffle",
      duplicates = "drop_duplicates", ["append rows"] = "concat", ["concat tables"] = "concat",
      ["moving average"] = "rolling",
      timestamp = "load", correlation = "corr", sparse = "scatter_add", graph = "scatter_add", sandbox = "limits",
      ["apply function"] = "reduction", read_csv = "load", median = "median", pow = "pow", rank = "rank"} do
      assert.matches("^  " .. first .. "%f[^%w_]", printed{search = words}, 1, false)
    end
    assert.matches("\n  recipes rolling mean ", printed{search = "moving average"}, 1, false)
    assert.matches("\n  recipes append tables ", printed{search = "concat tables"}, 1, false)
    for topic, name in pairs{tables = "join", csv = "load", limits = "%-%-sandbox"} do
      assert.matches(name, printed(topic), 1, false)
    end
  end)

  -- Words that users searched for in vain.
  it("finds all of a list of words, and has texts with them", function()
    for words, name in pairs{replace = "replace", lag = "shift", ["previous row"] = "shift", iterate = "each",
      apply = "reduction", adam = "optim.adam", optimizer = "optim.adam", json = "load", sql = "rows",
      notebook = "notebook", config = "set_printoptions", split = "split", regex = "match",
      embedding = "index_select", dropout = "bernoulli", ["percent change"] = "pct_change", ["fill forward"] = "ffill",
      history = "prompt", ["message passing"] = "scatter_softmax", attention = "scatter_softmax",
      ["time zone"] = "times", substring = "sub", cancel = "limits", quit = "prompt"} do
      local found = printed{search = words}
      assert.truthy(("\n" .. found):find("\n  " .. name .. " ", 1, true), words)
      assert.matches("^  " .. name .. "%f[^%w_.]", found, 1, false)
    end
  end)

  it("finds calls by their names in polars, R and Matplotlib", function()
    for name, call in pairs{["df.with_columns"] = "strew.assign", ["pl.concat"] = "strew.concat",
      forward_fill = "v:ffill", group_by_dynamic = "strew.resample", ["str.strip_chars"] = 'strew.tensor{" Oslo"}:trim',
      join_asof = "strew.asof", unpivot = "strew.melt", ["data.frame"] = "strew.table", grepl = "contains",
      tapply = "strew.group_by", strsplit = "split", ["na.omit"] = "strew.dropna", pivot_wider = "strew.pivot",
      mutate = "strew.assign", paste0 = "join_words", ["plt.imshow"] = "strew.image",
      ["plt.hist"] = "strew.plot{v, kind"} do
      local page = printed(name)
      assert.truthy(page:find(call, 1, true), name .. ": " .. page)
    end
    assert.matches("Matplotlib", printed "which imshow", 1, true)
  end)

  it("names other libraries once on a page", function()
    for _, entry in ipairs(help.entries) do
      local known = {}
      for part in (help.elsewhere(help.all_names(entry)) .. ";"):gmatch "[^;]+" do
        local library, names = part:match "^%s*(%S+) (.*)$"
        assert.is_nil(known[library or part], entry.name)
        known[library or part] = true
        for name in (names or ""):gmatch "[^,]+" do
          assert.is_nil(known[library .. name], entry.name)
          known[library .. name] = true
        end
      end
      if #entry.rows > 0 then
        local page = help.page(entry.name)
        assert.is_true(select(2, page:gsub("\nelsewhere: ", "")) <= 1, entry.name)
        for _, row in ipairs(entry.rows) do
          for _, other in ipairs(row.names) do
            assert.matches(other.name, page:gsub("%s+", " "), 1, true)
          end
        end
      end
    end
  end)

  it("finds a call by its name in another library", function()
    local rows = {
      {"jax.ops.segment_sum", "strew.scatter_sum(v, index)"}, {"segment_sum", "strew.scatter_sum(v, index)"},
      {"plt.scatter", 'strew.plot{x = v, y = v, kind = "points"}'},
      {"numpy.add.at", "t:index_add_(0, rows, u)"}, {"np.add.at(a, i, b)", "t:index_add_(0, rows, u)"},
      {"x.at[0].add", "t:index_add_(0, rows, u)"}, {"pd.factorize", "v:unique{return_inverse = true}"},
      {"groupby.sum", "strew.scatter_sum(v, index)"},
    }
    for _, row in ipairs(rows) do assert.truthy(printed(row[1]):find("  " .. row[2] .. "\n", 1, true), row[1]) end
    assert.truthy(printed{search = "segment_sum"}:find "^  scatter_sum .* JAX: jax.ops.segment_sum%.\n")
    assert.truthy(printed{search = "torch_scatter.segment_coo"}:find "^  segment_coo ")
    assert.truthy(printed{search = "get_dummies"}:find "^  get_dummies ")
    assert.truthy(printed("take"):find("\nelsewhere: PyTorch take; NumPy np.take", 1, true))
    for call, names in pairs{
      inv = "PyTorch linalg.inv, inverse; NumPy np.linalg.inv; JAX jnp.linalg.inv; MindSpore inverse;",
      isin = "PyTorch isin; NumPy np.isin; pandas Series.isin; JAX jnp.isin; MindSpore isin",
      cummax = "PyTorch cummax; NumPy np.maximum.accumulate; pandas df.cummax; JAX lax.cummax;"} do
      assert.truthy(printed(call):gsub("%s+", " "):find("elsewhere: " .. names, 1, true), call)
    end
  end)

  it("lists calls by task", function()
    local page = printed "which"
    for line in page:gmatch "[^\n]+" do assert(utf8.len(line) <= 80, line) end
    for _, task in ipairs(which.tasks) do
      assert.truthy(page:find("\n\n" .. task[1] .. "\n", 1, true), task[1])
      for k = 2, #task do assert.truthy(page:find("\n  " .. task[k][1] .. "\n      ", 1, true), task[k][1]) end
    end
  end)

  it("lists the calls of a task", function()
    local page = printed "which masks"
    assert.truthy(page:find("\n\nMasks\n  t:masked_select(mask)\n", 1, true))
    assert.falsy(page:find("index_select", 1, true))
    local segments = printed "which segment_sum"
    assert.truthy(segments:find("\n\nReduce groups\n  strew.scatter_sum(v, index)\n", 1, true))
    assert.falsy(segments:find("scatter_mean", 1, true))
    assert.truthy(support.message(strew.help, "which qqq"):find("no help found", 1, true))
  end)

  it("shows the recipes, all of them and those with a word", function()
    local page = printed "recipes"
    for _, recipe in ipairs(recipes) do
      local alone = printed(recipe.name)
      assert.equal(recipe.title, alone:match "^[^\n]*")
      assert.truthy(alone:find("\n" .. recipe.output, 1, true))
      assert.truthy(page:find("\n\n" .. alone .. "\n\n", 1, true), recipe.title)
      for line in alone:gmatch "[^\n]+" do assert(line:find "^> " or utf8.len(line) <= 80, line) end
      assert.truthy(printed{search = recipe.title}:find("  " .. recipe.name, 1, true), recipe.title)
    end
    assert.equal(printed "recipes shares", printed " recipes  SHARE ")
    assert.truthy(printed("recipes cummax"):find "^Fill gaps\n")
    assert.truthy(support.message(strew.help, "recipes qqq"):find("no help found", 1, true))
  end)

  it("has a page for each operator", function()
    local page = printed "operators"
    for symbol in ("+ - * / // % ^ & | ~ # == <"):gmatch "%S+" do
      assert.truthy(page:find("\n  " .. symbol .. " ", 1, true), symbol)
      printed(symbol)
    end
    assert.equal(page, printed "#")
    assert.equal(page, printed "==")
  end)

  it("describes ways to select elements and rows that work", function()
    local t, rows = strew.tensor{{1, 2}, {3, 4}, {5, 6}}, strew.tensor{2, 0}
    assert.equal("int64[2, 2] {{5, 6}, {1, 2}}",
      support.on_cpu(support.text(t:gather(0, rows:unsqueeze(1):expand(-1, t.shape[2])))))
    local u = strew.tensor{5, -6, 7}
    assert.equal("int64[2] {5, 7}", support.on_cpu(support.text(u:gather(0, u:gt(0):nonzero():squeeze(1)))))
  end)

  it("refuses unknown names", function()
    support.fail({
      {'strew.help "scater_add"', [[help: 'name' is "scater_add", no help found
  hint  did you mean 'scatter_add'?]]},
      {'strew.help "t:sume"', [[help: 'name' is "t:sume", no help found
  hint  did you mean 'sum'?]]},
      {'strew.help ""', [[help: 'name' is "", no help found
  hint  strew.help() lists all names, strew.help{search = "word"} searches their texts]]},
      {'strew.help{search = "qqq"}', [[help: 'search' is "qqq", nothing found]]},
      {'strew.help("add", {search = "qqq"})', [[help: 'search' is given with 'name', expected one of the two]]},
      {'strew.help(print)', [[help: 'name' is a function, expected a string]]},
    }, {strew = strew})
  end)
end)

-- Calls f with each row of which.lua.
local function each_row(f)
  for _, task in ipairs(which.tasks) do
    for k = 2, #task do f(task[k]) end
  end
end

local function is_plot(row) return row[1]:find "^strew%.plot" ~= nil end

-- Returns what a chunk prints.
local function drawn(chunk)
  local texts, print = {}, _G.print
  _G.print = function(text) table.insert(texts, text) end -- luacheck: ignore
  local is_done, message = pcall(chunk)
  _G.print = print -- luacheck: ignore
  assert(is_done, message)
  return table.concat(texts)
end

describe("the table of calls", function()
  it("has calls that work on its operands, of functions that exist", function()
    each_row(function(row)
      local names = 0
      for name in row[1]:gsub("strew%.", "strew:"):gmatch "[.:%[]\"?([%a_][%w_.]*)\"?%]?[({]" do
        names = names + 1
        local is_method = row[1]:find(":" .. name, 1, true) -- of a grouping, if tensors have none
        assert.truthy(function_of(name) or is_method, row[1] .. ": no function " .. name)
        assert.truthy(help.find(name), row[1] .. ": no help on " .. name)
      end
      assert(names > 0, row[1])
      local chunk = assert(load(which.operands .. "\nreturn " .. row[1], "=" .. row[1], "t", {strew = strew}))
      assert.is_true(is_plot(row) and drawn(chunk) ~= "" or chunk() ~= nil)
    end)
  end)

  it("has every function of the family", function()
    local named = {}
    each_row(function(row) named[row.entry.name] = true end)
    for _, group in ipairs(help.groups) do
      local is_family = group.title:find "^Scatter" or group.title:find "^Se[gl]" or group.title:find "^Writing"
      for _, entry in ipairs(is_family and group.entries or {}) do
        assert(entry.kind ~= "function" or named[entry.name], entry.name .. " is in no row")
      end
    end
  end)

  it("has rows of a call, a result and names by library", function()
    local keys = {[1] = true, [2] = true, entry = true, names = true}
    for _, library in ipairs(which.libraries) do keys[library[1]] = true end
    each_row(function(row)
      for key, value in pairs(row) do
        assert(keys[key], row[1] .. ": unknown library " .. key)
        assert(type(key) == "number" or key == "entry" or #value > 0, row[1])
      end
      assert(not row[2]:find "%.$", row[1] .. ": the result ends in a point")
    end)
  end)
end)

describe("the text", function()
  it("says where a result is a view", function()
    local operands, names = which.operands, {}
    for list in operands:gmatch "local ([%w_, ]+) =" do table.insert(names, list) end
    each_row(function(row)
      if row[1]:find "^%a+%p+[%w_]+_[({]" or is_plot(row) then return end -- in place; a picture
      local code = ("%s\nlocal result = %s\nreturn result, {%s}"):format(operands, row[1], table.concat(names, ", "))
      local result, tensors = assert(load(code, "=" .. row[1], "t", {strew = strew}))()
      if type(result) == "table" then result = rawget(result, 1) end
      if strew.type(result) ~= "tensor" then return end -- a table of columns, or names
      local is_number = result.dtype ~= "time" and result.dtype ~= "text"
      local function numbers() return is_number and result:nan_to_num() or result:clone() end
      local before = numbers()
      for _, t in ipairs(tensors) do
        if strew.type(t) == "tensor" and t.dtype == "bool" then t:logical_not_() end
        if strew.type(t) == "tensor" and t.dtype ~= "bool" then t:fill_(77) end
      end
      local is_view = not strew.equal(numbers(), before)
      local text = row.entry.summary
      for _, value in ipairs(row.entry.returns) do text = text .. " " .. value.name .. " " .. value.text end
      assert.equal(is_view, text:find "%f[%a]views?%f[%A]" ~= nil, row[1])
    end)
  end)

  it("names each class once", function()
    local there = {}
    for name in examples.source():gmatch "%-%-%-@class ([%w_.]+)" do
      assert(not there[name], name .. " is declared twice")
      there[name] = true
    end
  end)

  it("has only tags of LuaCATS, and calls", function()
    local known = " meta class field operator alias param return call "
    for tag in examples.source():gmatch "%-%-%-@(%a+)" do assert(known:find(" " .. tag .. " ", 1, true), tag) end
  end)

  it("has a sentence about a name where its calls need it, once", function()
    local uses = {} -- {[the table that has the sentence] = {[name] = count}}
    local function use(told, name)
      local about = told[name]
      while told and rawget(told, name) == nil do told = getmetatable(told).__index end
      if not told then return end
      uses[told] = uses[told] or {}
      uses[told][name] = (uses[told][name] or 0) + 1
      local above = getmetatable(told).__index
      local same = above and above[name] or {}
      assert(about.type ~= same.type or about.text ~= same.text or about.shown, name .. " repeats: " .. about.text)
    end
    for _, entry in pairs(functions) do
      local names, returned = {}, {}
      for _, call in ipairs{entry, table.unpack(entry.overloads)} do
        for _, param in ipairs(call.params) do
          names[param.name], names[param.shown] = true, true
          for _, field in ipairs(param.fields or {}) do names[field.name] = true end
        end
        for _, result in ipairs(call.returns) do returned[result.name] = true end
      end
      for name in pairs(names) do use(entry.told.params, name) end
      for name in pairs(returned) do use(entry.told.returns, name) end
    end
    for name, entry in pairs(functions) do
      for _, told in pairs(entry.told) do
        local least = 1
        while told do
          for word, about in pairs(told) do
            assert((uses[told] and uses[told][word] or 0) >= least, ("%s: %s %s"):format(name, word, about.text))
          end
          told, least = getmetatable(told).__index, 2
        end
      end
    end
  end)

  it("has whole sentences", function()
    for _, entry in ipairs(help.entries) do
      for _, row in ipairs(help.rows_of(entry)) do
        assert.falsy(row[3]:find "[,;]$" or row[3]:find " of a$", entry.name .. ": " .. row[3])
      end
    end
  end)

  it("has an example for every function, rule, and class", function()
    for _, entry in ipairs(help.entries) do
      local is_plain = entry.kind == "class" and entry.name:find "^[a-z]" and entry.name ~= "strew"
      assert(entry.example or is_plain, entry.name .. " has no example")
      assert(entry.summary:find "^%u.*[.?]", entry.name .. " has no summary that is a sentence")
      assert(#entry.summary <= 120, entry.name .. " has too long a summary")
    end
  end)

  it("documents every function, and no other", function()
    local told, there = {_VERSION = true, pi = true, inf = true, nan = true, null = true}, {} -- and constants
    for name, entry in pairs(functions) do
      told[name] = true
      if entry.forms.inplace then told[name .. "_"] = true end
    end
    for name, value in pairs(strew) do
      if type(value) ~= "table" then there[name] = true end
      for own in pairs(type(value) == "table" and value or {}) do there[name .. "." .. own] = true end
    end
    assert.equal("", difference(there, told))
  end)

  it("documents every method, field and operator, and no other", function()
    local told, events = {}, {}
    for name, entry in pairs(functions) do
      if entry.forms.method then told[name] = true end
      if entry.forms.method and entry.forms.inplace then told[name .. "_"] = true end
    end
    assert.equal("", difference(methods(), told))
    local Tensor = help.find "Tensor"
    for _, field in ipairs(Tensor.fields) do
      if not field.name:find "^%[" and not field.optional then assert.is_not_nil(strew.zeros(1)[field.name]) end
    end
    for event in pairs(metatable) do events[event:sub(3)] = true end
    local others = {"index", "newindex", "gc", "close", "tostring", "name", "metatable", "lt", "le", "shl", "shr",
      "concat", "pairs", "call"}
    for _, event in ipairs(others) do events[event] = nil end
    assert.equal("", difference(events, set(Tensor.operators)))
  end)

  -- Error messages of calls without arguments list the expected arguments; of calls without required arguments, the
  -- options.
  it("lists the arguments and options of a call", function()
    local compared = 0
    for name, entry in pairs(functions) do
      local is_free = not entry.params[1] or entry.params[1].optional or entry.params[1].name == "..."
      local message = support.message(function_of(name), is_free and {["no option"] = 1} or nil)
      local expected = message:match "the arguments are (%b())" or message:match "unknown key [^,]*, (expected [^\n]*)"
      local said = {}
      for _, line in ipairs(help.signatures(entry)) do
        said[line:match "^strew[^(]*(%b())" or ""] = true
        said["expected " .. (line:match "{(.*)}" or ""):gsub(" =", "")] = true
      end
      compared = compared + (expected and 1 or 0)
      if expected and not said[expected] then error(("%s: %s"):format(name, expected)) end
    end
    assert.is_true(compared > 100)
  end)

  it("lists the words that a call accepts", function()
    local t = strew.zeros(1)
    local index = strew.tensor{0}
    local messages = {
      dtype = support.message(strew.zeros, 1, {dtype = "no dtype"}),
      reduce_word = support.message(t.scatter_reduce, t, 0, index, t, "no reduction"),
      index_mode = support.message(t.gather, t, 0, index, {mode = "no mode"}),
      colormap = support.message(strew.image, strew.zeros(1, 1), {colormap = "no colormap"}),
    }
    for name, message in pairs(messages) do
      local said, known = {}, {}
      for _, value in ipairs(help.find(name).values) do said[value.name:gsub('"', "")] = true end
      local list = message:match "expected one of ([^\n]*)"
      for word in list:gmatch "%w+" do known[word] = true end
      assert.equal("", difference(known, said), name)
    end
  end)
end)
