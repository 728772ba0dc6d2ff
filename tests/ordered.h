/* ordered.h: the documented order of float sums and products, written in the plainest way: blocks, lanes, a tree. */
#ifndef ORDERED_H
#define ORDERED_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

enum { ORDER_BLOCK = 1024, ORDER_LANES = 16, ORDER_RUN = 16 };

/* ordered_float(x, n, true) is the product. */
#define ORDERED(T)                                                                                                     \
  static T ordered_##T(const T *x, int64_t n, bool product) {                                                          \
    int64_t blocks = (n + ORDER_BLOCK - 1) / ORDER_BLOCK;                                                              \
    T *values = malloc((size_t)(blocks + 1) * sizeof(T)), result = product;                                            \
    for (int64_t b = 0; b < blocks; b++) {                                                                             \
      T lanes[ORDER_LANES];                                                                                            \
      for (int l = 0; l < ORDER_LANES; l++) {                                                                          \
        lanes[l] = product;                                                                                            \
        for (int64_t i = b * ORDER_BLOCK + l; i < n && i < (b + 1) * ORDER_BLOCK; i += ORDER_LANES)                    \
          lanes[l] = product ? lanes[l] * x[i] : lanes[l] + x[i];                                                      \
      }                                                                                                                \
      for (int h = 8; h > 0; h /= 2)                                                                                   \
        for (int l = 0; l < h; l++) lanes[l] = product ? lanes[l] * lanes[l + h] : lanes[l] + lanes[l + h];            \
      values[b] = lanes[0];                                                                                            \
    }                                                                                                                  \
    for (int64_t count = blocks; count > 1; count = (count + 1) / 2) {                                                 \
      for (int64_t i = 0; i < count / 2; i++)                                                                          \
        values[i] = product ? values[2 * i] * values[2 * i + 1] : values[2 * i] + values[2 * i + 1];                   \
      if (count % 2) values[count / 2] = values[count - 1];                                                            \
    }                                                                                                                  \
    if (blocks) result = values[0];                                                                                    \
    free(values);                                                                                                      \
    return result;                                                                                                     \
  }
ORDERED(float)
ORDERED(double)
#undef ORDERED

#endif
