/* copy.c: conversion and filling on the CPU. Between equal dtypes bits are copied as they are, NaNs included. */
#include "cpu.h"

#include <string.h>

#define LOOPS "copy.inc"
#include "each_dtype.h"

#define COPY_SAME(T)                                                                                                   \
  static void copy_##T(int64_t count, char *to, int64_t to_step, const char *from, int64_t from_step) {                \
    if (to_step == (int64_t)sizeof(T) && from_step == (int64_t)sizeof(T)) {                                            \
      memcpy(to, from, (size_t)count * sizeof(T));                                                                     \
    } else if (to_step == (int64_t)sizeof(T) && from_step == 0) {                                                      \
      T value = *(const T *)(const void *)from;                                                                        \
      for (int64_t i = 0; i < count; i++) ((T *)(void *)to)[i] = value;                                                \
    } else {                                                                                                           \
      for (int64_t i = 0; i < count; i++, to += to_step, from += from_step)                                            \
        *(T *)(void *)to = *(const T *)(const void *)from;                                                             \
    }                                                                                                                  \
  }
COPY_SAME(uint8_t)
COPY_SAME(uint16_t)
COPY_SAME(uint32_t)
COPY_SAME(uint64_t)

static convert_row *const *const converters_from[STREW_DTYPE_COUNT] = {
#define ROW(ENUM, s, ...) [STREW_##ENUM] = converters_from_##s,
    STREW_DTYPES(ROW)
#undef ROW
};

convert_row *converter(strew_dtype to, strew_dtype from) {
  if (to != from) return converters_from[from][to];
  switch (strew_dtype_size_bytes(to)) {
  case 1: return copy_uint8_t;
  case 2: return copy_uint16_t;
  case 4: return copy_uint32_t;
  default: return copy_uint64_t;
  }
}

static void copy_visit(void *convert, const struct row *row) {
  (*(convert_row **)convert)(row->count, row->address[0], row->step_bytes[0], row->address[1], row->step_bytes[1]);
}

strew_status cpu_copy(const struct call *call, strew_device *device, const struct plan *plan) {
  (void)call;
  convert_row *convert = converter(plan->operands[0].dtype, plan->operands[1].dtype);
  walk_rows_parallel(device->context, plan, INT64_MAX, copy_visit, &convert);
  return STREW_OK;
}
