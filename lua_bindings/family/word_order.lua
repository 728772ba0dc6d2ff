-- word_order.lua: the order of the words of text columns.
local _, fail, _, inner = ...
local words = {}

-- The orders of lists that are in use. A list may change, so each order has a copy to compare with.
local orders = setmetatable({}, {__mode = "k"})

local function is_same(list, copy)
  if #list ~= #copy then return false end
  for code, word in ipairs(copy) do
    if list[code] ~= word then return false end
  end
  return true
end

local function copy_of(list, column)
  local copy, is_ascending = {}, true
  for code = 1, #list do
    local word = list[code]
    if type(word) ~= "string" then
      fail("x", ("has %s among the words of column %s, expected strings"):format(inner.text(word), column))
    end
    copy[code], is_ascending = word, is_ascending and (code == 1 or copy[code - 1] < word)
  end
  return copy, is_ascending
end

-- Returns {sorted, ranks, has_twins}. sorted: the distinct words in the order of their bytes. ranks: for each code the
-- position of its word in `sorted`, from 0; nil if each is the code itself. has_twins: a word has two codes.
function words.order(list, column)
  local order = orders[list]
  if order and is_same(list, order.copy) then return order end
  local copy, is_ascending = copy_of(list, column)
  order = {copy = copy, sorted = copy}
  if not is_ascending then
    local rank_of, all, ranks = {}, table.move(copy, 1, #copy, 1, {}), {}
    table.sort(all)
    order.sorted = {}
    for _, word in ipairs(all) do
      if not rank_of[word] then
        rank_of[word] = #order.sorted
        table.insert(order.sorted, word)
      end
    end
    for code, word in ipairs(copy) do ranks[code] = rank_of[word] end
    order.ranks, order.has_twins = ranks, #order.sorted < #copy
  end
  orders[list] = order
  return order
end

-- Returns the narrowest dtype of `count` codes.
function words.dtype(count)
  return count <= 1 << 8 and "uint8" or count <= 1 << 15 and "int16" or count <= 1 << 31 and "int32" or "int64"
end

return words
