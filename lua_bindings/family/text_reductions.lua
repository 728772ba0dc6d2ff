-- text_reductions.lua: reductions of text columns.
local _, fail, use = ...
local tables, words = use "tables.lua", use "word_order.lua"
local texts = {}

-- min and max compare words, nunique counts them; first and last choose a code.
local WAYS = {min = "rank", max = "rank", nunique = "rank", first = "code", last = "code", count = "code"}
local NUMBERS = {nunique = true, count = true} -- results without words

-- Returns the tensor to reduce for column i of any dtype, and the words of the result or nil.
function texts.operand(columns, i, reduction, argument)
  local t, list, name = columns.tensors[i], columns.words[i], tables.quoted(columns.names[i])
  if not list then return t end
  local way = WAYS[reduction]
  if not way then
    fail(argument, ('has "%s" for column %s of text, expected count, first, last, max, min or nunique'):format(
      reduction, name))
  end
  local is_number = NUMBERS[reduction]
  if way == "code" then return t, not is_number and list or nil end
  return tables.key(columns, i, argument), not is_number and words.order(list, name).sorted or nil
end

return texts
