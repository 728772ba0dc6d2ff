/* fuzz_safetensors.c: any bytes as a .safetensors, read and mapped; and as the header of one, with the right length before
   it and as many bytes of elements as the last byte says. What is mapped can be read. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

static void load(const uint8_t *bytes, size_t size) {
  const strew_load_options mapped = {.map = true};
  const strew_save_options plain = {0};
  bool was_read = fuzz_load(".safetensors", bytes, size, NULL, &plain);
  PROMISE(was_read >= fuzz_load(".safetensors", bytes, size, &mapped, &plain));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  enum { LENGTH_BYTES = 8 };
  load(bytes, size);
  if (!size) return 0;
  const size_t data_bytes = bytes[size - 1], length = size - 1;
  uint8_t *whole = calloc(1, LENGTH_BYTES + length + data_bytes);
  PROMISE(whole);
  for (int i = 0; i < LENGTH_BYTES; i++) whole[i] = (uint8_t)(length >> 8 * i);
  memcpy(whole + LENGTH_BYTES, bytes, length);
  load(whole, LENGTH_BYTES + length + data_bytes);
  free(whole);
  return 0;
}
