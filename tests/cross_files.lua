-- usage: build/strew tests/cross_files.lua write FOLDER | read FILE   (by cross.sh)
-- write: files of every format and dtype, with the same values on every processor. read: a number (hash) of the
-- contents.
local strew = require "strew"
local hash = dofile "tests/calls.lua".hash
local action, path = arg[1], arg[2]
local dtypes = {"bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64",
  "float16", "bfloat16", "float32", "float64"}

local function values(dtype)
  local integers = (strew.arange(24, {dtype = "int64"}) * 2654435761 % 1201):view(2, 3, 4)
  return (dtype:find "uint" and integers or integers - 600):to(dtype)
end

if action == "write" then
  local all = {}
  for _, dtype in ipairs(dtypes) do
    all[dtype] = values(dtype)
    if dtype ~= "bfloat16" then strew.save(("%s/%s.npy"):format(path, dtype), all[dtype]) end
  end
  strew.save(path .. "/all.safetensors", all)
  all.bfloat16 = nil
  strew.save(path .. "/all.npz", all)
  strew.save(path .. "/deflated.npz", all, {compress = true})
  strew.save(path .. "/zipped.npy.gz", all.float32)
  strew.save(path .. "/colour.png", all.uint8)
  strew.save(path .. "/deep.png", all.uint16:reshape(6, 4) * 54)
  strew.save(path .. "/table.csv", {a = all.float64:reshape(-1) / 7, b = all.int64:reshape(-1)})
else
  local loaded, names = strew.load(path, {header = path:find "%.csv$" and true or nil}), {}
  if strew.type(loaded) then loaded = {loaded = loaded} end
  for name in pairs(loaded) do table.insert(names, name) end
  table.sort(names)
  local digest = 0
  for _, name in ipairs(names) do digest = hash(hash(digest, name), loaded[name]) end
  print(("%016x"):format(digest))
end
