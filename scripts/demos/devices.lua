-- devices.lua: one computation on the processor and on OpenCL, with both times, and whether the bits agree.
--   local results = on_devices(function(device) ... return {tensor, ...} end)
-- gives the processor's results. The first run on a device compiles kernels, where they are not kept from earlier.
local strew = require "strew"

local function timed(compute, device)
  local start = strew.clock()
  local results = compute(device)
  return strew.clock() - start, results
end

local function report(name, first, again, note)
  print(("  %-11s %8.4f s, the first time %.4f s%s"):format(name, again, first, note))
end

return function(compute)
  local first, expected = timed(compute, "cpu")
  report("cpu", first, timed(compute, "cpu"), "")
  local there, tensor = pcall(strew.zeros, 1, {device = "opencl", dtype = "float64"})
  if not there then
    print("  opencl      not used: " .. tostring(tensor):gsub("\n.*", ""))
    return expected
  end
  local found
  first, found = timed(compute, tensor.device)
  local same = true
  for i, result in ipairs(found) do same = same and strew.equal(result:to("cpu"), expected[i]) end
  report(tensor.device, first, timed(compute, tensor.device), same and ", the same bits" or ", OTHER BITS")
  if not same then os.exit(1) end
  return expected
end
