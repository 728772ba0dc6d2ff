/* long_functions.c: scalar kernels of the long functions, for float64 and for processors whose vector loops
   elementwise.inc lacks. They share parts, as functions, and are optimised for size. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("Os")
#endif
#define INLINED static inline
#include "elementwise_loops.h"

#include "runtime/elementwise/shared/arithmetic.h"

#define UNARY_ROW(s, op)                                                                                               \
  static void op##_row_##s(int64_t count, void *out, const void *const *in) {                                          \
    W_##s *to = out;                                                                                                   \
    const W_##s *x = in[0];                                                                                            \
    for (int64_t i = 0; i < count; i++) to[i] = op##_##s(x[i]);                                                        \
  }
#define BINARY_ROW(s, op)                                                                                              \
  static void op##_row_##s(int64_t count, void *out, const void *const *in) {                                          \
    T_##s *to = out;                                                                                                   \
    const T_##s *a = in[0], *b = in[1];                                                                                \
    for (int64_t i = 0; i < count; i++) to[i] = op##_##s(a[i], b[i]);                                                  \
  }
#define UNARY(ENUM, name, op, ...)  UNARY_ROW(f32, op) UNARY_ROW(f64, op)
#define BINARY(ENUM, name, op, ...) BINARY_ROW(f32, op) BINARY_ROW(f64, op)
STREW_UNARY_LONG(UNARY)
STREW_BINARY_LONG(BINARY)

#define ROW_f32(ENUM, name, op, ...) [STREW_##ENUM] = op##_row_f32,
#define ROW_f64(ENUM, name, op, ...) [STREW_##ENUM] = op##_row_f64,
const struct long_functions long_functions_f32 = {{STREW_UNARY_LONG(ROW_f32)}, {STREW_BINARY_LONG(ROW_f32)}};
const struct long_functions long_functions_f64 = {{STREW_UNARY_LONG(ROW_f64)}, {STREW_BINARY_LONG(ROW_f64)}};

BINARY_ROW(f16, nextafter)
BINARY_ROW(bf16, nextafter)
kernel *const nextafter_halves[] = {nextafter_row_f16, nextafter_row_bf16};

#define TIE_RULE(ENUM, name, cancels) [STREW_##ENUM] = {name##_off_tie, cancels},
const struct tie_rule tie_rules[STREW_BINARY_COUNT] = {STREW_TIED(TIE_RULE)};
