"""Pictures without libpng: "write FOLDER" makes the samples of tests/data/png, "check FOLDER" reads the .png files there.

Samples hold what png_spec.lua knows by the same rule: value (x * 37 + y * 101 + c * 53 + x * y * 7) of channel c, times
131 where it has 16 bits, in as many bits as it has. Nothing but Python's own zlib is needed.
"""
import os
import struct
import sys
import zlib

WIDTH, HEIGHT = 11, 9
SIGNATURE = b"\x89PNG\r\n\x1a\n"
CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}  # by colour type
ADAM7 = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]

# name: colour type, bits, transparency, interlaced
SAMPLES = {
    "grey1": (0, 1, None, 0), "grey2": (0, 2, None, 0), "grey4": (0, 4, None, 0), "grey8": (0, 8, None, 0),
    "grey16": (0, 16, None, 0), "grey_alpha8": (4, 8, None, 0), "grey_alpha16": (4, 16, None, 0),
    "rgb8": (2, 8, None, 0), "rgb16": (2, 16, None, 0), "rgba8": (6, 8, None, 0), "rgba16": (6, 16, None, 0),
    "palette1": (3, 1, None, 0), "palette2": (3, 2, None, 0), "palette4": (3, 4, None, 0), "palette8": (3, 8, None, 0),
    "palette4_alpha": (3, 4, "palette", 0), "grey4_key": (0, 4, "key", 0), "grey8_key": (0, 8, "key", 0),
    "rgb8_key": (2, 8, "key", 0), "rgb16_key": (2, 16, "key", 0),
    "grey1_interlaced": (0, 1, None, 1), "grey16_interlaced": (0, 16, None, 1), "rgb8_interlaced": (2, 8, None, 1),
    "rgba16_interlaced": (6, 16, None, 1), "palette4_interlaced": (3, 4, None, 1),
}


def value(x, y, c, bits):
    return (x * 37 + y * 101 + c * 53 + x * y * 7) * (131 if bits == 16 else 1) % 2 ** bits


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def pack_row(values, bits):
    if bits == 16:
        return struct.pack(">%dH" % len(values), *values)
    row, text = bytearray(), "".join(format(v, "0%db" % bits) for v in values)
    text += "0" * (-len(text) % 8)
    for i in range(0, len(text), 8):
        row.append(int(text[i:i + 8], 2))
    return bytes(row)


def sample(color, bits, transparency, interlaced):
    channels, rows = CHANNELS[color], b""
    for x0, y0, dx, dy in ADAM7 if interlaced else [(0, 0, 1, 1)]:
        for y in range(y0, HEIGHT, dy):
            values = [value(x, y, c, bits) for x in range(x0, WIDTH, dx) for c in range(channels)]
            if values:
                rows += b"\0" + pack_row(values, bits)
    data = SIGNATURE + chunk(b"IHDR", struct.pack(">IIBBBBB", WIDTH, HEIGHT, bits, color, 0, 0, interlaced))
    if color == 3:
        data += chunk(b"PLTE", b"".join(bytes([i * 29 % 256, i * 71 % 256, 255 - i]) for i in range(2 ** bits)))
    if transparency == "palette":
        data += chunk(b"tRNS", bytes(i * 11 % 256 for i in range(2 ** bits // 2)))
    if transparency == "key":  # the pixel at (3, 2)
        data += chunk(b"tRNS", struct.pack(">%dH" % channels, *(value(3, 2, c, bits) for c in range(channels))))
    return data + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")


def paeth(a, b, c):
    p = a + b - c
    return min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]


def read(data):
    """The values of a .png file of 8 or 16 bits that is not interlaced: (width, height, channels, bits, values)"""
    assert data[:8] == SIGNATURE
    at, deflated = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        assert struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0] == zlib.crc32(kind + body)
        if kind == b"IHDR":
            width, height, bits, color, _, _, interlaced = struct.unpack(">IIBBBBB", body)
            assert bits >= 8 and color != 3 and not interlaced
        elif kind == b"IDAT":
            deflated += body
        at += 12 + length
    assert kind == b"IEND"
    step = CHANNELS[color] * bits // 8
    raw, length, above, values = zlib.decompress(deflated), width * step, bytes(width * step), []
    assert len(raw) == height * (length + 1)
    for y in range(height):
        kind, row = raw[y * (length + 1)], bytearray(raw[y * (length + 1) + 1:(y + 1) * (length + 1)])
        for i in range(length):
            a = row[i - step] if i >= step else 0
            b, c = above[i], above[i - step] if i >= step else 0
            row[i] = (row[i] + (0, a, b, (a + b) // 2, paeth(a, b, c))[kind]) % 256
        values += struct.unpack(">%d%s" % (width * CHANNELS[color], "H" if bits == 16 else "B"), row)
        above = row
    return width, height, CHANNELS[color], bits, values


if __name__ == "__main__":
    task, folder = sys.argv[1:]
    if task == "write":
        for name, how in SAMPLES.items():
            with open(os.path.join(folder, name + ".png"), "wb") as file:
                file.write(sample(*how))
    else:
        for name in sorted(os.listdir(folder)):
            if name.endswith(".png"):
                with open(os.path.join(folder, name), "rb") as file:
                    width, height, channels, bits, values = read(file.read())
                print(name, width, height, channels, bits, zlib.crc32(struct.pack("<%di" % len(values), *values)))
                expected = [value(x, y, c, bits) for y in range(height) for x in range(width) for c in range(channels)]
                assert values == expected, name
