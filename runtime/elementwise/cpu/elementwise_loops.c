/* elementwise_loops.c: kernels of elementwise operations, for one instruction set. */
#include "elementwise_loops.h"

#include "runtime/core/base/operations.h"
#include "runtime/elementwise/shared/arithmetic.h"
#include "runtime/elementwise/shared/exact.h"

#define INLINE inline __attribute__((always_inline))
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed" /* loops that call libm are not vectorised */
#endif

/* Long functions of float32 have vector loops, but for x86-64 without AVX2; others scalar ones (long_functions.c). 10 M
   silu, one thread of Zen 4: AVX2 27 ms, AVX-512 14; all long ones 1.4 to 1.9 times as fast. */
enum { PADDED = 16 };
#define LONG_IN_avx2   1
#define LONG_IN_avx512 1
#ifndef X86_LOOPS
#define LONG_IN_plain 1
#endif
#if CAT(LONG_IN_, ISA)
#define LONG_f32 1
#endif

#define HAS_NEAR_f32  1 /* near angles of trigonometric.h */
#define HAS_PARTS_f64 1 /* of exact sums */
#define HAS_HELD_i64  1 /* integers that floats hold, to divide them */
#define HAS_HELD_i32  1
#define HAS_HELD_i16  1
#define HAS_HELD_i8   1
#define HAS_HELD_u8   1
typedef double held_i64, held_i32;
typedef float held_i16, held_i8, held_u8;
#define UNUSED_AT_TIMES __attribute__((unused))
#define LOOPS_WIDE
#define LOOPS "runtime/elementwise/cpu/elementwise.inc"
#include "runtime/core/cpu/each_dtype.h"
#define S u64
#include "runtime/elementwise/cpu/elementwise.inc"
#undef S

/* 16-bit floats are computed as float32, uint16 and uint32 as int32 and int64. */
#define kernels_f16  kernels_f32
#define kernels_bf16 kernels_f32
static const struct kernels kernels_u16, kernels_u32;

static void break_ties(int64_t count, float *y, const float *x, const uint32_t *ties) {
  for (int k = 1; k < TIES && ties[k]; k += 2) {
    const uint32_t compared = ties[0], first = ties[k], second = ties[k + 1];
    INDEPENDENT
    for (int64_t i = 0; i < count; i++)
      y[i] = break_tie(x[i], break_tie(x[i], y[i], compared, first), compared, second);
  }
}

/* Most blocks have no tie. */
static void move_off_ties(int64_t count, float *y, const float *a, const float *b, const struct tie_rule *by,
                          uint32_t dropped) {
  enum { MOST = 64 };
  for (int64_t left = count, n; left > 0; left -= n, y += n, a += n, b += n) {
    uint32_t found = 0;
    n = left < MOST ? left : MOST;
    INDEPENDENT
    for (int64_t i = 0; i < n; i++)
      found |= bits_of_float(tie_near(y[i], tolerance_of_sum(a[i], b[i], by->cancels), dropped));
    for (int64_t i = 0; i < n && found; i++) y[i] = by->off_tie(a[i], b[i], y[i], dropped);
  }
}

/* Signs of 16-bit floats: some bits are kept, others inverted. NaN gets the bits of a conversion to float32 and back. */
#define SIGN_ROW(op, s, kept, inverted, infinity, of_nan, quiet)                                                       \
  static void sign_##op##_##s(int64_t count, void *out, const void *const *in) {                                       \
    uint16_t *to = out;                                                                                                \
    const uint16_t *x = in[0];                                                                                         \
    INDEPENDENT                                                                                                        \
    for (int64_t i = 0; i < count; i++) {                                                                              \
      const uint16_t made = (uint16_t)((x[i] & kept) ^ inverted), nan = (uint16_t)((made & of_nan) | quiet);           \
      to[i] = (int16_t)(x[i] & 0x7fff) > infinity ? nan : made;                                                        \
    }                                                                                                                  \
  }
SIGN_ROW(abs, f16, 0x7fff, 0, 0x7c00, 0x8000, 0x7e00)
SIGN_ROW(neg, f16, 0xffff, 0x8000, 0x7c00, 0x8000, 0x7e00)
SIGN_ROW(abs, bf16, 0x7fff, 0, 0x7f80, 0xffff, 0x40)
SIGN_ROW(neg, bf16, 0xffff, 0x8000, 0x7f80, 0xffff, 0x40)

const struct elementwise_loops LOOPS_TABLE(elementwise) = {
    {BY_DTYPE(&kernels)}, break_ties, move_off_ties, {{sign_abs_f16, sign_neg_f16}, {sign_abs_bf16, sign_neg_bf16}}};
