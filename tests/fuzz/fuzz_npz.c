/* fuzz_npz.c: any bytes as a .npz. A changed member would fail its checksum: the bytes are tried as they are, and with
   corrected checksums of stored members. */
#include "fuzz.h"

#include <string.h>

static uint32_t little(const uint8_t *at, int count) {
  uint32_t value = 0;
  for (int i = count - 1; i >= 0; i--) value = value << 8 | at[i];
  return value;
}

static void put_little(uint8_t *at, uint32_t value) {
  for (int i = 0; i < 4; i++) at[i] = (uint8_t)(value >> 8 * i);
}

/* The member described by `entry` in the archive's directory. */
static void repair_member(uint8_t *bytes, size_t size, uint8_t *entry) {
  enum { LOCAL_BYTES = 30 };
  size_t begin = little(entry + 42, 4), length = little(entry + 20, 4);
  if (little(entry + 10, 2) != 0 || begin > size || size - begin < LOCAL_BYTES) return;
  uint8_t *local = bytes + begin;
  if (memcmp(local, "PK\3\4", 4) != 0) return;
  begin += LOCAL_BYTES + little(local + 26, 2) + little(local + 28, 2);
  if (begin > size || length > size - begin) return;
  uint32_t crc = fuzz_crc(bytes + begin, length);
  put_little(entry + 16, crc);
  put_little(local + 14, crc);
}

static void repair(uint8_t *bytes, size_t size) {
  enum { ENTRY_BYTES = 46 };
  for (size_t i = 0; i + ENTRY_BYTES <= size; i++)
    if (memcmp(bytes + i, "PK\1\2", 4) == 0) repair_member(bytes, size, bytes + i);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  const strew_save_options stored = {0}, deflated = {.compress = true};
  fuzz_load(".npz", bytes, size, NULL, size % 2 ? &stored : &deflated);
  fuzz_load_repaired(".npz", bytes, size, repair, &stored);
  return 0;
}
