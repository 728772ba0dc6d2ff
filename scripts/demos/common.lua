-- common.lua: shared by the demonstrations: a computation on every device with its times, checks of known facts, and a
-- last line that says whether the bits agree.
local strew = require "strew"
local common = {}
local all_right, verdict = true, "nothing was compared"

-- The folder of output files: the argument, else the current folder.
common.folder = arg and arg[1] and not arg[1]:find "^%-" and arg[1] or "."
-- The folder of the demonstrations.
common.here = (arg and arg[0] or ""):match "^.*/" or ""

function common.check(what, found, expected)
  local is_right = found == expected
  print(("%-52s %12s  %s"):format(what, found, is_right and "ok" or "EXPECTED " .. tostring(expected)))
  all_right = all_right and is_right
end

-- Results of the second run. The first also allocates memory, starts threads and compiles kernels, which strew caches
-- on disk.
local function timed(device, compute)
  local start = strew.clock()
  compute(device)
  local between = strew.clock()
  local results = compute(device)
  local again = strew.clock() - between
  print(("  %-12s %9.3f ms, and %.3f ms to compile and warm up"):format(device, again * 1e3,
    math.max(between - start - again, 0) * 1e3))
  return results
end

-- Zeros differ in sign if their inverses differ; a NaN's bits do not matter.
local function same_bits(a, b)
  if not a.dtype:find "float" then return strew.equal(a, b) end
  local is_nan = a:isnan()
  if not strew.equal(is_nan, b:isnan()) then return false end
  a, b = strew.where(is_nan, 1, a), strew.where(is_nan, 1, b)
  return strew.equal(a, b) and strew.equal(1 / a, 1 / b)
end

-- compute(device) returns a sequence of tensors; returns those of the CPU. dtype: one that a device must have.
function common.on_devices(compute, dtype)
  local expected = timed("cpu", compute)
  local there, probe = pcall(strew.zeros, 1, {device = "opencl", dtype = dtype or "float32"})
  if not there then
    verdict = "the CPU alone: " .. tostring(probe):gsub("\n.*", ""):gsub("^.-:%d+: ", "")
    return expected
  end
  local same = true
  for i, result in ipairs(timed(probe.device, compute)) do
    same = same and same_bits(result:to "cpu", expected[i])
  end
  verdict = ("cpu and %s %s bit for bit"):format(probe.device, same and "agree" or "DO NOT AGREE")
  all_right = all_right and same
  return expected
end

-- The last line; exit status 1 if a check failed.
function common.finish()
  print(verdict)
  if not all_right then os.exit(1, true) end
end

return common
