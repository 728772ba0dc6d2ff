-- common-strew.lua, for groupby-strew.lua and join-strew.lua: asks a question twice, and logs times, memory and checks
-- as _helpers/helpers.py does.
local strew = require "strew"
local common = {}

local function lines_of(path)
  local file <close> = io.open(path)
  return file and file:read "l" or ""
end

local function environment(name, default) return os.getenv(name) or default end

common.data_name = assert(os.getenv "SRC_DATANAME", "SRC_DATANAME is not set")
common.folder = environment("DATA_FOLDER", "data") .. "/"

-- Gigabytes that the process has in memory.
local function memory_usage()
  local pages = lines_of("/proc/self/statm"):match "^%d+ (%d+)"
  return pages and pages * 4096 / 1024 ^ 3 or 0
end

-- As Python writes a number rounded to three digits.
local function rounded(v)
  if math.type(v) == "integer" then return ("%d"):format(v) end
  return (("%.3f"):format(v):gsub("(%.%d-)0+$", "%1"):gsub("%.$", ".0"))
end

local function check(sums)
  local list = {}
  for i, v in ipairs(sums) do list[i] = rounded(v:item()) end
  return table.concat(list, ";")
end

local header = "nodename,batch,timestamp,task,data,in_rows,question,out_rows,out_cols,solution,version,git,fun,run,"
  .. "time_sec,mem_gb,cache,chk,chk_time_sec,comment,on_disk,machine_type\n"

local function write_log(fields)
  local path = environment("CSV_TIME_FILE", "time.csv")
  local is_new = lines_of(path) == ""
  local file <close> = assert(io.open(path, is_new and "w" or "a"))
  assert(file:write(is_new and header or "", table.concat(fields, ","), "\n"))
end

-- question, in_rows: of the log; answer() -> a table; sums(answer) -> a list of tensors without dimensions.
function common.ask(task, fun, in_rows, question, answer, sums)
  for run = 1, 2 do
    collectgarbage()
    local start = strew.clock()
    local result = answer()
    local columns = strew.columns(result)
    local rows = #result[columns[1]]
    print(("%s: %d, %d"):format(question, rows, #columns))
    local seconds, memory = strew.clock() - start, memory_usage()
    start = strew.clock()
    local chk = check(sums(result))
    local chk_seconds = strew.clock() - start
    write_log{lines_of "/proc/sys/kernel/hostname", environment("BATCH", ""), os.time(), task, common.data_name,
      in_rows, question, rows, #columns, "strew", (strew._VERSION:gsub("[^%d.]", "")), lines_of "strew/REVISION", fun,
      run, rounded(seconds), rounded(memory), "TRUE", chk, rounded(chk_seconds), "", "FALSE",
      environment("MACHINE_TYPE", "")}
    if run == 2 then print(strew.head(result, 3)) end
  end
end

-- Loads a file of the data folder; ints: columns of int32, unless elements are missing, which are NaN of float64.
function common.load(name, ints, words)
  local dtype = {}
  if name:match "_(%d+)_%d+$" == "0" then
    for _, column in ipairs(ints) do dtype[column] = "int32" end
  end
  return strew.load(common.folder .. name .. ".csv", {header = true, text = words, dtype = dtype, device = "cpu"})
end

return common
