-- ranks.lua: ranks of values with ties, as pandas has them.
local strew, _, use, inner = ...
local operands, errors, missing = use "operands.lua", use "errors.lua", use "missing.lua"

local TIES <const> = {"average", "min", "max", "dense", "first"}

-- Returns where the elements of src have a rank: those that are missing, or in no group, have none.
local function ranked(src, first)
  local gaps = missing.of(src)
  return gaps and first:ge(0) & ~gaps or first:ge(0)
end

-- Returns ranks without ties of a grouping, from 0 on, missing elements last; -1: in no group.
local function first_of(g, src, is_descending, nulls)
  return inner.group_rank(g, missing.order(src:detach(), is_descending, nulls))
end

-- Returns the number of different values up to each element, within its group. c: the numbers of values in a group, in
-- ascending order.
local function dense_of(g, c, is_ranked, is_descending)
  if is_descending then return g:max(c:masked_fill(~is_ranked, -1))[g.ids] - c + 1 end
  return c - g:min(c)[g.ids] + 1
end

-- Returns ranks of the elements of a line within their groups: "first" from 0, others from 1 on, those of missing
-- elements NaN.
local function rank(g, src, is_descending, nulls, ties)
  errors.check_word("ties", ties, TIES)
  local first = first_of(g, src, is_descending, nulls)
  if ties == "first" or #src == 0 then return ties == "average" and operands.floats(first) or first end
  local is_ranked, key = ranked(src, first), missing.order(src:detach(), false)
  local same = strew.group_by(g.ids, key)
  local out
  if ties == "dense" then
    out = dense_of(g, same.ids, is_ranked, is_descending)
  elseif ties == "average" then
    out = operands.floats((same:min(first)) + (same:max(first)) + 2)[same.ids] / 2
  else
    out = (same[ties](same, first))[same.ids] + 1
  end
  if is_ranked:all():item() then return out end
  return operands.floats(out):masked_fill(~is_ranked, 0 / 0)
end

return {
  of = rank,
  rank = {"v:tensor ties=word descending=boolean", function(v, ties, descending)
    operands.check_rank(v, "v", 1, 1, "1")
    local ids = strew.zeros(#v, {dtype = "int64", device = v.device})
    return rank(strew.grouping(ids, {dim_size = 1}), v, descending == true, nil, ties or "average")
  end},
}
