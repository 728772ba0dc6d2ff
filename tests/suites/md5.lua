-- md5.lua: the MD5 of a string, in hexadecimal (RFC 1321): results of more than a few values are hashes in .test files.
local shifts = {7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21}
local sines = {}
for i = 1, 64 do sines[i] = math.floor(2 ^ 32 * math.abs(math.sin(i))) end

local function rotated(v, n) return (v << n | v >> 32 - n) & 0xffffffff end

local function mixed(i, b, c, d)
  if i < 16 then return b & c | ~b & d, i end
  if i < 32 then return d & b | ~d & c, (5 * i + 1) % 16 end
  if i < 48 then return b ~ c ~ d, (3 * i + 5) % 16 end
  return c ~ (b | ~d), 7 * i % 16
end

return function(text)
  local length = #text
  text = text .. "\x80" .. ("\0"):rep((55 - length) % 64) .. ("<I8"):pack(8 * length)
  local a, b, c, d = 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476
  for at = 1, #text, 64 do
    local words = {}
    for i = 1, 16 do words[i] = ("<I4"):unpack(text, at + 4 * i - 4) end
    local e, f, g, h = a, b, c, d
    for i = 0, 63 do
      local m, word = mixed(i, f, g, h)
      local sum = (e + m + sines[i + 1] + words[word + 1]) & 0xffffffff
      e, h, g, f = h, g, f, (f + rotated(sum, shifts[i // 16 * 4 + i % 4 + 1])) & 0xffffffff
    end
    a, b, c, d = (a + e) & 0xffffffff, (b + f) & 0xffffffff, (c + g) & 0xffffffff, (d + h) & 0xffffffff
  end
  return (("%08x"):rep(4):format(table.unpack((function()
    local bytes = {}
    for i, v in ipairs {a, b, c, d} do bytes[i] = (">I4"):unpack(("<I4"):pack(v)) end
    return bytes
  end)())))
end
