-- Each call of the module that takes a text or times, by position, beside the same call of integers in the same order:
-- the same, with words and instants in place of numbers. A new call that takes them is one of these or of `own`.
-- devices: no, the calls of integers run there, and text_dtype_spec.lua and time_spec.lua.
local strew = require "strew"
local support = require "tests.spec.support"

-- Word k, from 0 on, has the place k in the order of bytes; the missing one is 0. Time k is k days after 1970-01-01.
local WORDS <const>, DAY <const> = {"", "a", "ab", "b"}, 86400000000
local PLACES <const> = {3, 1, 0, 2}

local function numbers_of(shape) return strew.tensor(PLACES):view(shape) end

-- own: calls with other results than those of integers, which have tests in other files.
local KINDS <const> = {
  text = {
    word = "a",
    make = function(shape)
      local list = {}
      for k, place in ipairs(PLACES) do list[k] = WORDS[place + 1] end
      return strew.tensor(list):view(shape)
    end,
    place = function(word)
      for k, other in ipairs(WORDS) do
        if word == other then return k - 1 end
      end
    end,
    -- "" is missing
    own = [[bfill codes contains dropna ends_with ffill fillna isnan join_words length lower map match nanmin shift
      split starts_with sub text trim upper words]],
  },
  time = {
    word = "1970-01-02",
    make = function(shape) return (numbers_of(shape) * DAY):to("time") end,
    place = function(time) return time == "NaT" and 0 or strew.time(time):to("int64"):item() // DAY end,
    own = [[add add_ add_months bfill calendar clamp clamp_ diff dropna ffill fillna floor_time interpolate mean
      median nanmean nanmedian nanstd percentile quantile shift std scatter_mean scatter_std scatter_var sub sub_ text
      time var]],
  },
}
-- Of both: results that are no elements, or name the dtype, or whatever was in memory.
local OTHERS <const> = [[columns corr cut describe drop each empty_like free get_dummies get_printoptions grad
  group_by head help last_error melt qcut rank rename replace result_type round row sample show tail tensor
  to_arrow to_arrow_stream type value_and_grad value_counts wrap]]

local function set_of(list)
  local set = {}
  for name in list:gmatch "%S+" do set[name] = true end
  return set
end

-- Arguments: numbers as they are, T and W in place of a tensor and of a word.
local function forms_of(shape)
  local ids, line = strew.tensor{2, 0, 1, 1}, strew.tensor{1, 0}
  local at = #shape == 2 and (ids % 2):view(shape) or ids
  local mask = strew.tensor{true, false, true, false}:view(shape)
  return {
    {"T"}, {"T", 0}, {"T", 1}, {"T", -1}, {"T", "T"}, {"T", "W"}, {"T", at}, {"T", mask}, {"T", 0, at},
    {"T", 0, at, "T"}, {"T", 0, at, "W"}, {"T", mask, "W"}, {"T", mask, "T"}, {"T", {2, 2}}, {"T", 4}, {"T", 0, 1},
    {"T", 0, 0, 1},
    {"T", at, "W"}, {"T", 0, line}, {"T", 0, line, "T"}, {"T", 0, line, "W"}, {"T", {at}, "T"}, {"T", {at}, "W"},
    {"T", {1, 1}}, {"T", 0, {1, 3}}, {"T", "W", 0}, {"T", "T", 0, 0}, {"T", "T", 0, 0, 1}, {"T", {0}}, {"T", {1, 0}},
    {"T", 2, 0}, {"T", {1, 1}, "replicate"}, {"T", {-1, 2}}, {"T", {1, 0}, "constant", "W"}, {"T", ids},
    {mask, "T", "T"}, {mask, "T", "W"}, {mask, "W", "T"}, {{"T", "T"}}, {{"T", "T"}, 0}, {{"T", "T"}, -1}, {"W", "T"},
  }
end

local function built(form, make, word)
  local out = {}
  for k, value in ipairs(form) do
    local is_list = type(value) == "table"
    out[k] = is_list and built(value, make, word) or value == "T" and make() or value == "W" and word or value
  end
  return out
end

-- Returns a result as nested lists of numbers, with the shape; of other values than tensors and lists themselves.
local function plain(value, place)
  if type(value) == "string" then return place and place(value) or value end
  if strew.type(value) == "tensor" then
    local is_number = value.dtype ~= "text" and value.dtype ~= "time"
    return {shape = value.shape, plain(value:reshape(-1):tolist(), not is_number and place)}
  end
  if type(value) ~= "table" then return type(value) == "boolean" and (value and 1 or 0) or value end
  local out = {}
  for k = 1, rawlen(value) do out[k] = plain(rawget(value, k), place) end
  return out
end

-- Calls the function; returns whether it works, its results and then its first argument, as it is left.
local function called(f, given, place)
  strew.manual_seed(3)
  local results = table.pack(pcall(f, table.unpack(given)))
  if not results[1] then return false, results[2] end
  table.remove(results, 1)
  results[#results + 1] = given[1]
  return true, plain(results, place)
end

for kind, t in pairs(KINDS) do
  it(kind .. " is moved, chosen and ordered as integers are", function()
    local is_own, is_other, names, count = set_of(t.own), set_of(OTHERS), {}, 0
    for name, f in pairs(strew) do
      if type(f) == "function" and not is_other[name] then names[#names + 1] = name end
    end
    table.sort(names)
    for _, name in ipairs(names) do
      local takes = false
      for _, shape in ipairs(support.runs_all and {{4}, {2, 2}} or {{4}}) do
        for k, form in ipairs(forms_of(shape)) do
          local given = built(form, function() return t.make(shape) end, t.word)
          local is_done, results = called(strew[name], given, t.place)
          takes = takes or is_done
          if is_done and not is_own[name] then
            local wanted_done, wanted = called(strew[name], built(form, function() return numbers_of(shape) end, 1))
            local what = ("%s of %s, form %d of %d dimensions"):format(name, kind, k, #shape)
            -- a string stands for a tensor of one element in some calls that take no number there
            if wanted_done or not wanted:find('is "?%w+"?, expected a') then
              assert.is_true(wanted_done, what .. ": integers: " .. tostring(wanted))
              assert.same(wanted, results, what)
              count = count + 1
            end
          elseif not is_done then
            assert.matches("^[^\n]*" .. name .. ": ", results, ("%s of %s, form %d: %s"):format(name, kind, k, results))
          end
          if is_done and not support.runs_all then break end
        end
      end
      assert.is_true(takes or not is_own[name] or support.lacks_float64, name .. " takes no " .. kind)
    end
    assert.is_true(count > (support.runs_all and 600 or 80), tostring(count))
  end)
end
