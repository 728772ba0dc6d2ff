/* fuzz_npy.c: any bytes as a .npy, read and mapped: what can be mapped (elements as this machine has them) can be read.
 */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  const strew_load_options mapped = {.map = true};
  const strew_save_options plain = {0};
  bool was_read = fuzz_load(".npy", bytes, size, NULL, &plain);
  PROMISE(was_read >= fuzz_load(".npy", bytes, size, &mapped, &plain));
  return 0;
}
