-- Pictures: samples of every kind of .png file, saved files read by an independent reader (png_files.py), invalid
-- files, and numbers as colours. (Failures of the system: check_file.c.)
local strew = require "strew"
local support = dofile "tests/spec/support.lua"
local message = support.message

local samples = "tests/data/png/"
local width, height = 11, 9
local folder -- of this run

-- The rule of png_files.py: [height, width, channels].
local function values(channels, bits)
  local t = {}
  for y = 0, height - 1 do
    t[y + 1] = {}
    for x = 0, width - 1 do
      t[y + 1][x + 1] = {}
      for c = 0, channels - 1 do
        t[y + 1][x + 1][c + 1] = (x * 37 + y * 101 + c * 53 + x * y * 7) * (bits == 16 and 131 or 1) % (1 << bits)
      end
    end
  end
  return t
end

-- The picture whose channels `to` computes from those of the file.
local function picture(channels, bits, to)
  local rows = values(channels, bits)
  for _, row in ipairs(rows) do
    for x, pixel in ipairs(row) do row[x] = to and to(pixel) or pixel end
  end
  local t = strew.tensor(rows, {dtype = bits == 16 and "uint16" or "uint8"})
  return t:size(2) == 1 and t:squeeze(2) or t
end

local function stretched(bits)
  return function(pixel) return {pixel[1] * 255 // ((1 << bits) - 1)} end
end

local function colored(alpha)
  return function(pixel)
    local i = pixel[1]
    return {i * 29 % 256, i * 71 % 256, 255 - i, alpha and (i < 8 and i * 11 % 256 or 255) or nil}
  end
end

-- The pixel at x = 3, y = 2 is transparent.
local function keyed(channels, bits, stretch)
  local key = values(channels, bits)[3][4]
  return function(pixel)
    local result, same = stretch and stretch(pixel) or {table.unpack(pixel)}, true
    for c in ipairs(pixel) do same = same and pixel[c] == key[c] end
    result[#result + 1] = same and 0 or bits == 16 and 65535 or 255
    return result
  end
end

local function same(expected, is, what)
  assert.equal(expected.dtype, is.dtype, what)
  assert.same(expected.shape, is.shape, what)
  assert.is_true(strew.equal(expected, is), what)
end

local function read(path)
  local file <close> = assert(io.open(path, "rb"))
  return file:read("a")
end

local function write(name, bytes)
  local file <close> = assert(io.open(folder .. name, "wb"))
  file:write(bytes)
  return folder .. name
end

-- The error for these bytes, without the path.
local function refusal(bytes)
  local path = write("bad.png", bytes)
  local text = message(strew.load, path)
  local start = ("load: 'path' is \"%s\", which "):format(path)
  return text:sub(1, #start) == start and text:sub(#start + 1) or text
end

local function crc32(bytes)
  local crc = 0xffffffff
  for i = 1, #bytes do
    crc = crc ~ bytes:byte(i)
    for _ = 1, 8 do crc = crc >> 1 ~ (crc & 1) * 0xedb88320 end
  end
  return crc ~ 0xffffffff
end

local function chunk(kind, data)
  return string.pack(">I4", #data) .. kind .. data .. string.pack(">I4", crc32(kind .. data))
end

-- A file of grey8's pixels with another size in its header.
local function claiming(w, h, bits)
  local grey = read(samples .. "grey8.png")
  return grey:sub(1, 8) .. chunk("IHDR", string.pack(">I4I4BBBBB", w, h, bits or 8, 0, 0, 0, 0)) .. grey:sub(34)
end

describe("pictures", function()
  setup(function()
    folder = os.tmpname()
    os.remove(folder)
    assert(os.execute("mkdir " .. folder))
    folder = folder .. "/"
  end)
  teardown(function() os.execute("rm -rf " .. folder) end)

  it("of every kind are read", function()
    local expected = {
      grey1 = picture(1, 1, stretched(1)), grey2 = picture(1, 2, stretched(2)), grey4 = picture(1, 4, stretched(4)),
      grey8 = picture(1, 8), grey16 = picture(1, 16), grey_alpha8 = picture(2, 8), grey_alpha16 = picture(2, 16),
      rgb8 = picture(3, 8), rgb16 = picture(3, 16), rgba8 = picture(4, 8), rgba16 = picture(4, 16),
      palette1 = picture(1, 1, colored()), palette2 = picture(1, 2, colored()), palette4 = picture(1, 4, colored()),
      palette8 = picture(1, 8, colored()), palette4_alpha = picture(1, 4, colored(true)),
      grey4_key = picture(1, 4, keyed(1, 4, stretched(4))), grey8_key = picture(1, 8, keyed(1, 8)),
      rgb8_key = picture(3, 8, keyed(3, 8)), rgb16_key = picture(3, 16, keyed(3, 16)),
    }
    for _, name in ipairs{"grey1", "grey16", "rgb8", "rgba16", "palette4"} do
      expected[name .. "_interlaced"] = expected[name]
    end
    local count = 0
    for name, tensor in pairs(expected) do
      same(tensor, strew.load(samples .. name .. ".png"), name)
      count = count + 1
    end
    assert.equal(25, count)
  end)

  it("that are saved are read by others, and loaded again", function()
    local pictures = folder .. "pictures/"
    assert(os.execute("mkdir " .. pictures))
    for channels = 1, 4 do
      for _, bits in ipairs{8, 16} do
        local path = ("%s%d_%d.png"):format(pictures, channels, bits)
        local t = picture(channels, bits)
        strew.save(path, t)
        same(t, strew.load(path), path)
        local turned = t:dim() == 3 and t:permute(1, 0, 2) or t:t()
        os.remove(folder .. "turned.PNG") -- replacing one waits for the disk
        strew.save(folder .. "turned.PNG", turned) -- not contiguous
        same(turned:contiguous(), strew.load(folder .. "turned.PNG"), path)
      end
    end
    local python = os.getenv("PYTHON") or "python3"
    if not os.execute(python .. " -c 'import zlib' 2>/dev/null") then
      print("without Python (" .. python .. "): pictures that are saved are read by libpng alone")
      return
    end
    local pipe <close> = io.popen(python .. " -B tests/png_files.py check " .. pictures .. " 2>&1")
    local text = pipe:read("a")
    assert.is_nil(text:find("Error"), text)
    for channels = 1, 4 do
      for _, bits in ipairs{8, 16} do
        local line = ("%d_%d.png %d %d %d %d "):format(channels, bits, width, height, channels, bits)
        assert.is_truthy(text:find(line, 1, true), text)
      end
    end
  end)

  it("that are truncated or changed are refused", function()
    for _, name in ipairs{"rgb8_interlaced", "palette4_alpha", "grey16"} do
      local bytes = read(samples .. name .. ".png")
      for length = 0, #bytes - 1 do
        local text = refusal(bytes:sub(1, length))
        assert.is_truthy(text:find("^ends at byte %d+, expected %d+ more$"), text)
      end
      for at = 1, #bytes do
        for _, bit in ipairs{1, 128} do
          local changed = bytes:sub(1, at - 1) .. string.char(bytes:byte(at) ~ bit) .. bytes:sub(at + 1)
          assert.not_equal("no error", refusal(changed), name .. at)
        end
      end
    end
    assert.equal("is not a readable PNG file: Not a PNG file", refusal("GIF89a, or what else it may be"))
    assert.equal("ends at byte 0, expected 8 more", refusal(""))
  end)

  it("that claim more than their bytes can hold are refused before anything is allocated", function()
    local bytes = #claiming(1, 1)
    assert.equal(("claims to hold 60000 x 60000 pixels of 60000 bytes a row, more than its %d bytes can")
      :format(bytes), refusal(claiming(60000, 60000)))
    for _, rows in ipairs{0x7fffffff, 1} do -- libpng of 32 bits refuses the width itself
      local said = refusal(claiming(0x7fffffff, rows, 16))
      assert.is_truthy(said:find("^claims to hold 2147483647 x " .. rows) or said:find "Invalid IHDR data", said)
    end
    assert.is_truthy(refusal(claiming(1, 0x7fffffff)):find("^claims to hold 1 x 2147483647"))
    local grey = read(samples .. "grey8.png")
    local before = support.peak_kib()
    local text = refusal(grey:sub(1, 33) .. "\x7f\xff\xff\xfftEXt" .. grey:sub(34)) -- 2 GiB
    assert.equal(("ends at byte %d, "):format(#grey + 8), text:match("^ends at byte %d+, "))
    assert.is_true(support.peak_kib() - before < 100000)
    assert.is_truthy(refusal(claiming(0, 5)):find("^is not a readable PNG file"))
    assert.is_truthy(refusal(claiming(0xffffffff, 5)):find("^is not a readable PNG file"))
    assert.is_truthy(refusal(claiming(width, height + 1)):find("^is not a readable PNG file"))
  end)

  it("are refused if the tensor is not one", function()
    local path = folder .. "x.png"
    local function refused(x, options) return message(strew.save, path, x, options) end
    assert.equal("save: 'x' is float32, expected uint8, uint16, or int32 with 0..65535 for 16 bits\n" ..
      "  x     float32[2, 2] cpu\n  hint  strew.image(x) makes colours of numbers", refused(strew.zeros(2, 2)))
    local bytes = {dtype = "uint8"}
    assert.equal("save: 'x' is of rank 1, expected [height, width] or [height, width, channels]\n  x  uint8[2] cpu",
      refused(strew.zeros(2, bytes)))
    assert.equal("save: 'x' has 7 channels, expected 1 to 4: [height, width, channels]\n" ..
      "  x     uint8[3, 5, 7] cpu\n  hint  x:permute(1, 2, 0) moves channels to the end",
      refused(strew.zeros(3, 5, 7, bytes)))
    assert.equal("save: 'x' has size 0 in dim 1, expected 1..2147483647\n  x  uint8[2, 0] cpu",
      refused(strew.zeros(2, 0, bytes)))
    local wide = strew.zeros(2, 3, 2, {dtype = "int32"})
    wide:set(1, 2, 0, 65536)
    assert.equal("save: 'x' has value 65536 at [1, 2, 0], valid 0..65535\n  x  int32[2, 3, 2] cpu",
      refused(wide))
    assert.same({1, 2, 0}, strew.last_error().pos)
    wide:set(1, 2, 0, -1)
    assert.is_truthy(refused(wide):find("^save: 'x' has value %-1 at %[1, 2, 0%]"))
    assert.equal("save: 'header' is an option of .csv and .tsv files, not of .png files\n  x  int32[2, 3, 2] cpu",
      refused(wide, {header = true}))
    assert.equal("save: 'path' ends in .png, " ..
      "expected one of .npz, .csv, .tsv, .jsonl, .safetensors, .jsonl.gz, .csv.gz, .tsv.gz for a table of tensors",
      refused({a = wide}))
    assert.is_nil(io.open(path))
  end)
end)

describe("strew.image", function()
  local function pixels(...) return strew.image(...):to("int64"):tolist() end

  it("gives the first colour to the smallest number and the last one to the largest", function()
    local expected = {
      viridis = {{68, 1, 84}, {253, 231, 37}}, magma = {{0, 0, 4}, {252, 253, 191}},
      inferno = {{0, 0, 4}, {252, 255, 164}}, coolwarm = {{59, 76, 192}, {180, 4, 38}},
      grey = {{0, 0, 0}, {255, 255, 255}},
    }
    for colormap, ends in pairs(expected) do
      for _, dtype in ipairs{"float32", "int64", "uint8", "float16"} do
        assert.same({ends}, pixels(strew.tensor({{3, 70}}, dtype), {colormap = colormap}))
      end
    end
    assert.same({expected.viridis}, pixels(strew.tensor{{false, true}}))
    assert.same({expected.magma}, pixels(strew.tensor{{-1 / 0, 1 / 0}}, {colormap = "magma"}))
    assert.same({expected.grey}, pixels(strew.tensor{{-3e38, 3e38}}, {colormap = "grey"}))
    assert.same({expected.grey}, pixels(strew.tensor{{-3e38, 3e38}}, {colormap = "gray"}))
  end)

  it("keeps bytes unchanged in grey", function()
    local bytes = strew.arange(256, {dtype = "uint8"}):view(16, 16)
    local image = strew.image(bytes, {colormap = "grey", min = 0, max = 255})
    assert.equal("uint8", image.dtype)
    assert.same({16, 16, 3}, image.shape)
    assert.is_true(strew.equal(image, bytes:unsqueeze(2):expand(16, 16, 3):contiguous()))
  end)

  it("takes a range, the colour of NaN, and pixels for a number", function()
    local t = strew.tensor{{0, 1}, {2, 0 / 0}}
    local black, white, magenta = {0, 0, 0}, {255, 255, 255}, {255, 0, 255}
    assert.same({{black, white}, {white, magenta}}, pixels(t, {colormap = "grey", max = 1}))
    assert.same({{black, black}, {white, magenta}}, pixels(t, {colormap = "grey", min = 1}))
    assert.same({{black, black}, {black, {1, 2, 3}}}, pixels(t, {colormap = "grey", min = 5, nan = {1, 2, 3}}))
    assert.same({{white, white}, {white, magenta}}, pixels(t, {colormap = "grey", max = -1}))
    assert.same({{magenta}}, pixels(strew.tensor{{0 / 0}}))
    local a, b = {0, 0, 0}, {255, 255, 255}
    assert.same({{a, a, b, b}, {a, a, b, b}}, pixels(strew.tensor{{0, 1}}, {colormap = "grey", scale = 2}))
    assert.same({{a, a, a}, {a, a, a}, {a, a, a}, {b, b, b}, {b, b, b}, {b, b, b}},
      pixels(strew.tensor{{0, 1}}:t(), {colormap = "grey", scale = 3}))
    assert.same({0, 12, 3}, strew.zeros(0, 3):image{scale = 4}.shape)
  end)

  it("names invalid arguments", function()
    local t = strew.zeros(2, 2)
    local function refused(...) return (message(strew.image, ...):gsub("\n.*", "")) end
    assert.equal("image: 'self' has 1 dimension, expected 2", refused(strew.zeros(3)))
    assert.equal("image: 'colormap' is \"jet\", expected one of viridis, magma, inferno, coolwarm, grey",
      refused(t, {colormap = "jet"}))
    assert.equal("image: 'scale' is 0, expected 1 or more", refused(t, {scale = 0}))
    assert.equal("image: 'scale' is 9223372036854775807, more pixels than can be addressed",
      refused(t, {scale = math.maxinteger}))
    assert.equal("image: 'max' is 1.0, less than min", refused(t, {min = 2, max = 1}))
    assert.equal("image: 'min' is nan, expected a finite number", refused(t, {min = 0 / 0}))
    assert.equal("image: 'max' is inf, expected a finite number", refused(t, {max = 1 / 0}))
    assert.equal("image: 'nan' has 2 entries, expected red, green and blue", refused(t, {nan = {1, 2}}))
    assert.equal("image: 'nan' has 256, expected 0..255", refused(t, {nan = {1, 2, 256}}))
  end)
end)
