/* fuzz_png.c: any bytes as a .png, as they are, and with each chunk's checksum corrected. */
#include "fuzz.h"

static uint32_t big(const uint8_t *at) {
  return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void repair(uint8_t *bytes, size_t size) {
  enum { HEAD_BYTES = 8, CRC_BYTES = 4 };
  for (size_t at = 8; at + HEAD_BYTES + CRC_BYTES <= size;) {
    size_t length = big(bytes + at);
    if (length > size - at - HEAD_BYTES - CRC_BYTES) return;
    uint8_t *end = bytes + at + HEAD_BYTES + length;
    uint32_t crc = fuzz_crc(bytes + at + 4, length + 4);
    for (int i = 0; i < CRC_BYTES; i++) end[i] = (uint8_t)(crc >> 8 * (3 - i));
    at += HEAD_BYTES + length + CRC_BYTES;
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  const strew_save_options plain = {0};
  fuzz_load(".png", bytes, size, NULL, &plain);
  fuzz_load_repaired(".png", bytes, size, repair, &plain);
  return 0;
}
