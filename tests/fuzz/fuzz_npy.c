/* fuzz_npy.c: any bytes as a .npy, read and mapped: a file that can be mapped (elements in this machine's format) can
   be read. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  const strew_load_options mapped = {.map = true};
  const strew_save_options plain = {0};
  bool was_read = fuzz_load(".npy", bytes, size, NULL, &plain);
  PROMISE(was_read >= fuzz_load(".npy", bytes, size, &mapped, &plain));
  return 0;
}
