/* loops.c: the loops of scatter.inc for every dtype, with the joining functions of float maxima and minima.

   A scatter waits for memory. Which destinations come next is known from the index: prefetched, they arrive in time.
   How far ahead, and where that pays, stands in tuning.h. */
#include "runtime/shared/scalar.h"
#include "scattering.h"

#include <string.h>

/* A line in chunks. (A function of its own: inlined it would cost the others registers. Aligned: the time of 10 M int64
   varied by a tenth with its address.) */
typedef bool join_blocked(const struct tile *tile);
#define NOINLINE __attribute__((noinline, aligned(CACHE_LINE)))

/* A single maximum or minimum. Processors have an instruction for b > a ? b : a, which is wrong only if b is NaN, and
   for a < b ? a : b, wrong if a is NaN; both are wrong if -0 is held and +0 comes. Branches skip those cases (10 M
   float32 into 10: 10.6 ms -> 8.7, into 100 9.4 -> 8.0).

   A contribution b is ordinary if it is neither NaN nor the zero that wins (of float64 neither zero, because there is
   no instruction): b > a ? b : a is the maximum then and b < a ? b : a the minimum, whatever a is. UNROLL of them are
   tested at once, in vectors that every 64-bit processor has (1 M float32 into 1000: 0.66 ms -> 0.44, Zen 5). Zeros are
   compared as type `zeros`. */
enum { VECTOR_BYTES = 16 };
#define ALONE(s, bits_of, zeros)                                                                                       \
  ALWAYS_INLINE bool is_lesser_zero_##s(T_##s x) { return __builtin_expect(bits_of(x) == bits_of(-(T_##s)0), 0); }     \
  ALWAYS_INLINE T_##s alone_maximum_##s(T_##s a, T_##s b) {                                                            \
    if (__builtin_expect(isnan_##s(b), 0)) return isnan_##s(a) ? a : b;                                                \
    if (is_lesser_zero_##s(a)) return b >= a ? b : a;                                                                  \
    return b > a ? b : a;                                                                                              \
  }                                                                                                                    \
  ALWAYS_INLINE T_##s alone_minimum_##s(T_##s a, T_##s b) {                                                            \
    if (__builtin_expect(isnan_##s(a), 0)) return a;                                                                   \
    if (is_lesser_zero_##s(a)) return b >= a ? a : b;                                                                  \
    return a < b ? a : b;                                                                                              \
  }                                                                                                                    \
  typedef T_##s vector_##s __attribute__((vector_size(VECTOR_BYTES)));                                                 \
  typedef B_##s mask_##s __attribute__((vector_size(VECTOR_BYTES)));                                                   \
  typedef zeros zeros_##s __attribute__((vector_size(VECTOR_BYTES)));                                                  \
  ALWAYS_INLINE bool are_ordinary_##s(const char *src, T_##s winning_zero) {                                           \
    vector_##s x[UNROLL * sizeof(T_##s) / VECTOR_BYTES];                                                               \
    memcpy(x, src, sizeof x);                                                                                          \
    const zeros_##s winning = (zeros_##s)(winning_zero - (vector_##s){0}); /* in each lane: -0 - 0 is -0 */            \
    mask_##s others = {0};                                                                                             \
    for (size_t k = 0; k < sizeof x / sizeof *x; k++)                                                                  \
      others |= (mask_##s)(x[k] != x[k]) | (mask_##s)((zeros_##s)x[k] == winning);                                     \
    uint64_t parts[VECTOR_BYTES / sizeof(uint64_t)];                                                                   \
    memcpy(parts, &others, sizeof parts);                                                                              \
    return (parts[0] | parts[1]) == 0;                                                                                 \
  }
ALONE(f32, bits_of_float, uint32_t)
ALONE(f64, bits_of_double, double)
#undef ALONE

/* The same for 16-bit floats, with a branch for NaN, too (10 M float16 into 100: 17 ms -> 13). */
#define RARE __attribute__((noinline))
#define ALONE_HALF(s)                                                                                                  \
  RARE static T_##s rare_maximum_##s(T_##s a, T_##s b) { return stored_maximum_##s(a, b); }                            \
  RARE static T_##s rare_minimum_##s(T_##s a, T_##s b) { return stored_minimum_##s(a, b); }                            \
  ALWAYS_INLINE bool is_rare_##s(T_##s a, T_##s b) {                                                                   \
    return __builtin_expect(stored_isnan_##s(a) || stored_isnan_##s(b), 0);                                            \
  }                                                                                                                    \
  ALWAYS_INLINE T_##s alone_maximum_##s(T_##s a, T_##s b) {                                                            \
    return is_rare_##s(a, b) ? rare_maximum_##s(a, b) : order_##s(b) > order_##s(a) ? b : a;                           \
  }                                                                                                                    \
  ALWAYS_INLINE T_##s alone_minimum_##s(T_##s a, T_##s b) {                                                            \
    return is_rare_##s(a, b) ? rare_minimum_##s(a, b) : order_##s(b) < order_##s(a) ? b : a;                           \
  }
ALONE_HALF(f16)
ALONE_HALF(bf16)
#undef ALONE_HALF
#undef RARE

#define UNUSED_AT_TIMES __attribute__((unused))
#define LOOPS           "runtime/cpu/scatter/scatter.inc"
#include "runtime/cpu/loops/each_dtype.h"

/* Loops are shared if they do the same to the bits. */
static strew_dtype dtype_of_loops(strew_dtype dtype, strew_reduction reduction) {
  static const strew_dtype integers[] = {[1] = STREW_INT8, [2] = STREW_INT16, [4] = STREW_INT32, [8] = STREW_INT64};
  if (reduction == STREW_ASSIGN && dtype != STREW_BOOL) return integers[dtype_bytes(dtype)];
  return dtype == STREW_UINT8 && (reduction == STREW_SUM || reduction == STREW_PROD) ? STREW_INT8 : dtype;
}

static strew_reduction reduction_of_loops(strew_dtype dtype, strew_reduction reduction) {
  if (dtype != STREW_BOOL) return reduction;
  return reduction == STREW_SUM ? STREW_AMAX : reduction == STREW_PROD ? STREW_AMIN : reduction;
}

const struct scatter_loops *scatter_loops(strew_dtype dtype, strew_reduction reduction, bool with_arg) {
  static const struct scatter_loops *const loops[STREW_DTYPE_COUNT][2] = {
#define ROW(ENUM, s, ...) [STREW_##ENUM] = {scatter_loops_##s, scatter_arg_loops_##s},
      STREW_DTYPES(ROW)
#undef ROW
  };
  return &loops[dtype_of_loops(dtype, reduction)][with_arg][reduction_of_loops(dtype, reduction)];
}

const struct pair_loops *scatter_pair_loops(strew_dtype dtype) {
  static const struct pair_loops loops[STREW_DTYPE_COUNT] = {
#define ROW(ENUM, s) [STREW_##ENUM] = {start_pairs_##s, divide_pairs_##s},
      ROW(FLOAT32, f32) ROW(FLOAT64, f64) ROW(INT32, i32) ROW(INT64, i64)
#undef ROW
  };
  return &loops[dtype];
}

divide_row *scatter_divider(strew_dtype dtype) {
  static divide_row *const divide[STREW_DTYPE_COUNT] = {
#define ROW(ENUM, s, ...) [STREW_##ENUM] = divide_row_##s,
      STREW_DTYPES(ROW)
#undef ROW
  };
  return divide[dtype];
}
