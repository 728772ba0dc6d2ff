/* fuzz_gzip.c: any bytes as a .csv.gz, as they are; and as a text in several members of stored blocks, which loads as the
   text does. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

static uint8_t *put_little(uint8_t *to, size_t value, int count) {
  for (int i = 0; i < count; i++) *to++ = (uint8_t)(value >> 8 * i);
  return to;
}

/* A member of one or two stored blocks; returns its end. */
static uint8_t *put_member(uint8_t *to, const uint8_t *text, size_t size) {
  static const uint8_t head[10] = {0x1f, 0x8b, 8};
  size_t first = size / 3;
  memcpy(to, head, sizeof head);
  to += sizeof head;
  for (int last = !first; last < 2; last++) {
    size_t at = last ? first : 0, length = last ? size - first : first;
    *to++ = (uint8_t)last;
    to = put_little(put_little(to, length, 2), ~length, 2);
    memcpy(to, text + at, length);
    to += length;
  }
  return put_little(put_little(to, fuzz_crc(text, size), 4), size, 4);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  enum { MEMBER_BYTES = 200, MOST_ADDED = 28 };
  const strew_save_options plain = {0};
  fuzz_load(".csv.gz", bytes, size, NULL, &plain);
  uint8_t *made = malloc((size / MEMBER_BYTES + 1) * (MEMBER_BYTES + MOST_ADDED)), *end = made;
  PROMISE(made);
  for (size_t at = 0; at == 0 || at < size; at += MEMBER_BYTES)
    end = put_member(end, bytes + at, size - at < MEMBER_BYTES ? size - at : MEMBER_BYTES);
  bool is_text = fuzz_load(".csv", bytes, size, NULL, &plain);
  PROMISE(fuzz_load(".csv.gz", made, (size_t)(end - made), NULL, &plain) == is_text);
  free(made);
  return 0;
}
