/* fuzz_tensor.c: strew.tensor of nested tables; see tensor.lua. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  fuzz_script("tests/fuzz/tensor.lua", bytes, size);
  return 0;
}
