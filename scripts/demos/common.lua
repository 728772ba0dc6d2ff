-- common.lua: what the demonstrations share: a computation on every device with its times, checks of what is known, and
-- an end that says whether the bits agree.
local strew = require "strew"
local common = {}
local all_right, verdict = true, "nothing was compared"

-- Where files are written: what is given as argument, else where one is.
common.folder = arg and arg[1] and not arg[1]:find "^%-" and arg[1] or "."
-- Where the demonstrations are.
common.here = (arg and arg[0] or ""):match "^.*/" or ""

function common.check(what, found, expected)
  local is_right = found == expected
  print(("%-52s %12s  %s"):format(what, found, is_right and "as it should be" or "EXPECTED " .. tostring(expected)))
  all_right = all_right and is_right
end

-- The results of the second run. What the first took longer went to memory and threads, and to kernels that were
-- compiled: strew keeps those, so that this happens once on a machine.
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

-- Zeros differ by their sign: so do their inverses.
local function same_bits(a, b)
  return strew.equal(a, b) and (not a.dtype:find "float" or strew.equal(1 / a, 1 / b))
end

-- compute(device) gives a sequence of tensors; those of the CPU are returned. dtype: one that a device has to have.
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

-- The last line; exit status 1 if anything was not as it should be.
function common.finish()
  print(verdict)
  if not all_right then os.exit(1, true) end
end

return common
