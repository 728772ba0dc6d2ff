-- Prints the names of OpenCL devices that devices.sh does not test by name: GPUs, other vendors' drivers for
-- processors.
local strew = require "strew"
for _, one in ipairs(strew.devices()) do
  local known = one.description:find "Portable Computing Language" or one.description:find "llvmpipe"
    or one.description:find "Oclgrind" or one.name == "cpu"
  if not known and not one.error then print(one.name) end
end
