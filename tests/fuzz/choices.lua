-- Shared by the generators: the fuzzer's bytes as choices, in sequence; 0 at the end.
local Choices = {}
Choices.__index = Choices

function Choices.new(bytes) return setmetatable({bytes = bytes, at = 0}, Choices) end

function Choices:byte()
  self.at = self.at + 1
  return self.bytes:byte(self.at) or 0
end

function Choices:has_more() return self.at < #self.bytes end
function Choices:below(n) return (n > 256 and self:byte() << 8 | self:byte() or self:byte()) % n end
function Choices:one_of(list) return list[self:below(#list) + 1] end
-- True in one of n cases; false at the end of the bytes.
function Choices:rarely(n) return self:below(n) == n - 1 end

local ends = {
  math.maxinteger, math.mininteger, math.maxinteger // 2, math.maxinteger // 8 + 1, -math.maxinteger // 8,
  1 << 31, (1 << 31) - 1, -(1 << 31), 1 << 32, 1 << 40, 255, 256, -129, 65536, 17, 64,
}
function Choices:integer()
  local byte = self:byte()
  return byte < 232 and byte % 10 - 3 or self:one_of(ends)
end

local floats = {
  0.0, -0.0, 0.5, -1.5, 2.0, 1e-45, 3.4e38, 65520.0, 1e300, -1e300, 2^53, 2^63, -2^63, 1 / 0, -1 / 0, 0 / 0, 1e-320,
  -0.0, 1.0, 0.25, -1e-45, -(0 / 0),
}
function Choices:float() return self:one_of(floats) end

Choices.dtypes = {"float32", "float64", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool"}

return Choices
