-- grouped.lua: groupings by columns of tables.
local _, fail = ...

return {
  group_by = {"table:table by:any", function()
    fail("keys", "is a table, expected tensors")
  end},
}
