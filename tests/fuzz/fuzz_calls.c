/* fuzz_calls.c: any calls of the Lua module; see calls.lua. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  fuzz_script("tests/fuzz/calls.lua", bytes, size);
  return 0;
}
