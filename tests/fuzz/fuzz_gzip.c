/* fuzz_gzip.c: any bytes as a .csv.gz, as they are; and as a text in several members of stored blocks, which loads as
   the text does. */
#include "fuzz.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  enum { MEMBER_BYTES = 200 };
  const strew_save_options plain = {0};
  fuzz_load(".csv.gz", bytes, size, NULL, &plain);
  uint8_t *made = malloc((size / MEMBER_BYTES + 1) * (MEMBER_BYTES + FUZZ_MEMBER_BYTES)), *end = made;
  PROMISE(made);
  for (size_t at = 0; at == 0 || at < size; at += MEMBER_BYTES)
    end = fuzz_put_member(end, bytes + at, size - at < MEMBER_BYTES ? size - at : MEMBER_BYTES);
  bool is_text = fuzz_load(".csv", bytes, size, NULL, &plain);
  PROMISE(fuzz_load(".csv.gz", made, (size_t)(end - made), NULL, &plain) == is_text);
  free(made);
  return 0;
}
