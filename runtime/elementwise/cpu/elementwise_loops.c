/* elementwise_loops.c: kernels of elementwise operations, for one instruction set. */
#include "elementwise_loops.h"

#include "runtime/core/base/operations.h"
#include "runtime/elementwise/shared/arithmetic.h"
#include "runtime/elementwise/shared/exact.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

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

/* Operations of 16-bit floats in memory. Signs: some bits are kept, others inverted. NaN gets the bits of a conversion to
   float32 and back. */
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

/* Others are computed as float32, in registers. */
#if defined(__F16C__) && defined(__AVX2__)
enum { HALVES = 16 };
typedef __m256 many;
typedef many many_op(many, many);

static INLINE many root_many(many x, many unused) { return (void)unused, _mm256_sqrt_ps(x); }
static INLINE many floor_many(many x, many unused) { return (void)unused, _mm256_floor_ps(x); }
static INLINE many relu_many(many x, many zero) { return _mm256_andnot_ps(_mm256_cmp_ps(x, zero, _CMP_LT_OQ), x); }
static INLINE many plus_many(many a, many b) { return _mm256_add_ps(a, b); }
static INLINE many minus_many(many a, many b) { return _mm256_sub_ps(a, b); }
static INLINE many times_many(many a, many b) { return _mm256_mul_ps(a, b); }
static INLINE many divide_many(many a, many b) { return _mm256_div_ps(a, b); }
/* Either way round, as the instruction returns b if one is NaN, or both are zeros. */
static INLINE many maximum_many(many a, many b) {
  const many either = _mm256_and_ps(_mm256_max_ps(a, b), _mm256_max_ps(b, a));
  return _mm256_or_ps(either, _mm256_cmp_ps(a, b, _CMP_UNORD_Q));
}
static INLINE many minimum_many(many a, many b) {
  const many either = _mm256_or_ps(_mm256_min_ps(a, b), _mm256_min_ps(b, a));
  return _mm256_or_ps(either, _mm256_cmp_ps(a, b, _CMP_UNORD_Q));
}

static INLINE many many_of_halves(const uint16_t *from, bool is_bfloat16) {
  const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)from);
  return is_bfloat16 ? _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(x), 16)) : _mm256_cvtph_ps(x);
}

/* The same as store_f16. */
static INLINE __m256i f16_of_many(many x, many y) {
  const __m128i low = _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  const __m256i both = _mm256_set_m128i(_mm256_cvtps_ph(y, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC), low);
  const __m256i sign = _mm256_and_si256(both, _mm256_set1_epi16(INT16_MIN));
  const __m256i is_nan = _mm256_cmpgt_epi16(_mm256_xor_si256(both, sign), _mm256_set1_epi16(0x7c00));
  return _mm256_blendv_epi8(both, _mm256_or_si256(sign, _mm256_set1_epi16(0x7e00)), is_nan);
}

/* The same as store_bf16. */
static INLINE __m256i rounded_bf16(many x) {
  const __m256i bits = _mm256_castps_si256(x), high = _mm256_srli_epi32(bits, 16);
  const __m256i half = _mm256_add_epi32(_mm256_and_si256(high, _mm256_set1_epi32(1)), _mm256_set1_epi32(0x7fff));
  const __m256i rounded = _mm256_srli_epi32(_mm256_add_epi32(bits, half), 16);
  const __m256i nan = _mm256_or_si256(high, _mm256_set1_epi32(0x40));
  return _mm256_blendv_epi8(rounded, nan, _mm256_castps_si256(_mm256_cmp_ps(x, x, _CMP_UNORD_Q)));
}
static INLINE __m256i bf16_of_many(many x, many y) {
  return _mm256_permute4x64_epi64(_mm256_packus_epi32(rounded_bf16(x), rounded_bf16(y)), 0xd8);
}

/* b: of one input, NULL. */
static INLINE void step_halves(uint16_t *to, const uint16_t *a, const uint16_t *b, many_op *op, bool is_bfloat16) {
  many made[2];
  UNROLLED for (int k = 0; k < 2; k++) {
    const int at = k * HALVES / 2;
    made[k] = op(many_of_halves(a + at, is_bfloat16), b ? many_of_halves(b + at, is_bfloat16) : _mm256_setzero_ps());
  }
  const __m256i halves = is_bfloat16 ? bf16_of_many(made[0], made[1]) : f16_of_many(made[0], made[1]);
  _mm256_storeu_si256((__m256i *)(void *)to, halves);
}

static INLINE void halves_loop(int64_t count, uint16_t *to, const uint16_t *a, const uint16_t *b, many_op *op,
                               bool is_bfloat16) {
  uint16_t rest[2][HALVES] = {{0}};
  const int64_t whole = count & -HALVES;
  const size_t rest_bytes = (size_t)(count - whole) * sizeof *to;
  for (int64_t i = 0; i < whole; i += HALVES) step_halves(to + i, a + i, b ? b + i : NULL, op, is_bfloat16);
  if (!rest_bytes) return;
  memcpy(rest[0], a + whole, rest_bytes);
  if (b) memcpy(rest[1], b + whole, rest_bytes);
  step_halves(rest[0], rest[0], b ? rest[1] : NULL, op, is_bfloat16);
  memcpy(to + whole, rest[0], rest_bytes);
}

#define HALF_UNARY(X, s) X(SQRT, root, s) X(RELU, relu, s) X(FLOOR, floor, s)
#define HALF_BINARY(X, s)                                                                                              \
  X(ADD, plus, s) X(SUB, minus, s) X(MUL, times, s) X(DIV, divide, s) X(MAXIMUM, maximum, s) X(MINIMUM, minimum, s)
#define UNARY_ROW(ENUM, op, s)                                                                                         \
  static void op##_row_##s(int64_t count, void *out, const void *const *in) {                                          \
    halves_loop(count, out, in[0], NULL, op##_many, CODE_##s == CODE_bf16);                                            \
  }
#define BINARY_ROW(ENUM, op, s)                                                                                        \
  static void op##_row_##s(int64_t count, void *out, const void *const *in) {                                          \
    halves_loop(count, out, in[0], in[1], op##_many, CODE_##s == CODE_bf16);                                           \
  }
HALF_UNARY(UNARY_ROW, f16)
HALF_BINARY(BINARY_ROW, f16)
HALF_UNARY(UNARY_ROW, bf16)
HALF_BINARY(BINARY_ROW, bf16)
#define HALF_ENTRY(ENUM, op, s) [STREW_##ENUM] = op##_row_##s,
#else
#define HALF_UNARY(X, s)
#define HALF_BINARY(X, s)
#endif

#define IN_MEMORY(s)                                                                                                   \
  {                                                                                                                    \
    .unary = {[STREW_ABS] = sign_abs_##s, [STREW_NEG] = sign_neg_##s, HALF_UNARY(HALF_ENTRY, s)}, .binary = {          \
      [STREW_POW] = NULL,                                                                                              \
      HALF_BINARY(HALF_ENTRY, s)                                                                                       \
    }                                                                                                                  \
  }

const struct elementwise_loops LOOPS_TABLE(elementwise) = {
    {BY_DTYPE(&kernels)}, break_ties, move_off_ties, {IN_MEMORY(f16), IN_MEMORY(bf16)}};
