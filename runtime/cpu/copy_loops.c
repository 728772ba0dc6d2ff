/* copy_loops.c: rows copied and converted, for one instruction set. */
#include "copy_loops.h"

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

const struct copy_loops LOOPS_TABLE(copy) = {
    .copy8 = copy_uint8_t,
    .copy16 = copy_uint16_t,
    .copy32 = copy_uint32_t,
    .copy64 = copy_uint64_t,
    .convert_from =
        {
#define ROW(ENUM, s, ...) [STREW_##ENUM] = converters_from_##s,
            STREW_DTYPES(ROW)
#undef ROW
        },
};
