/* loops.c: the loops of scatter.inc for every dtype, and what they share: places fetched ahead of their turn.
   Memory is what a scatter waits for: the places that are due soon are known from the index, and asking for them early
   brought 19 ms to 16 (10 M float32 into 1 M places) and 44 to 23 (1 M rows of 64 into 100 k); where places fit in a
   core's nearest cache it costs a little (4 k places: 8.5 to 9.9). */
#include "prefetch.h"
#include "runtime/shared/scalar.h"

#include <string.h>

/* Index values and contributions, read once, would push places out of the caches of an AMD EPYC: asked for aside, they
   do not. 10 M float32 into 10 k places took Zen 4 9.7 ms instead of 12, into 1 M 15.3 instead of 17.4 (160 rows
   ahead), and Zen 5 4.5 instead of 7.5 and 6.8 instead of 12 (640 rows ahead; 160: 6.7 and 7.9). An Intel Xeon, asked
   so, waits for memory: into 10 k 19.7 ms, into 1 M 30. Asked for the second cache it takes 8.3 and 23.5 ms; into 100
   places, 6.6 ms, and 10.5 if nothing is asked for. */
ALWAYS_INLINE void fetch_aside(uintptr_t address, uintptr_t bytes) {
  for (uintptr_t at = 0; at < bytes; at += CACHE_LINE) __builtin_prefetch((const void *)(address + at), 0, 0);
}

/* Rows at once. */
enum { PASSAGE = 16, NEAR_PASSAGE = 32 };

ALWAYS_INLINE void fetch_stream(const struct tile *t, struct stream stream, int64_t i, const uintptr_t bytes) {
  const uintptr_t at = stream.at + (uintptr_t)i * stream.step;
  t->processor == PROCESSOR_OTHER ? prefetch_l2(at, bytes) : fetch_aside(at, bytes);
}

/* Of narrower elements than int64, and than self's, lines are asked for twice: numbers of bytes that are no constants
   would cost more. */
ALWAYS_INLINE void fetch_passage(const struct tile *t, int64_t i, const uintptr_t rows, const uintptr_t src_bytes) {
  fetch_stream(t, t->index_stream, i, rows * sizeof *t->index);
  fetch_stream(t, t->src_stream, i, rows * src_bytes);
}

/* By how many rows a passage asks for places, where so many rows are left after it: for all of its rows or for none, as
   a question for each would cost more than the last ones that are not asked for (amax of 10 M float32 into 1 M: 8.1 ms,
   not 7.8; of int32 9.1, not 7.3; Zen 5). */
ALWAYS_INLINE int64_t places_ahead(int64_t left, int64_t ahead) { return left < ahead ? 0 : ahead; }

/* A compiler tests four values and joins them in less than four times what it takes for one: 10 M float32 into 100
   places take 5.4 ms instead of 6.1. */
enum { AT_ONCE = 4 };

/* A whole line. (A function of its own: within the others it would cost them registers. On a line of its own: the time
   of 10 M int64 hung by a tenth on where the linker had put it.) */
typedef bool join_crowded(const struct tile *tile);
#define NOINLINE __attribute__((noinline, aligned(CACHE_LINE)))

/* One maximum, or minimum, alone: processors have an instruction for b > a ? b : a, which is wrong only where b is NaN,
   and for a < b ? a : b, where a is; and both where -0 is held and +0 comes. Those are jumped over. (10 M float32 into
   10 places take 8.7 ms instead of 10.6, into 100 8.0 instead of 9.4.)

   A contribution b is plain if it is neither NaN nor the zero that wins (of float64, for want of an instruction,
   neither zero): b > a ? b : a is the maximum then and b < a ? b : a the minimum, whatever a is. Four are tested at
   once, in vectors that every 64-bit processor has; zeros are compared as the type of that name (1 M float32 into 1000
   places: 0.44 ms instead of 0.66, Zen 5). */
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
  ALWAYS_INLINE bool are_plain_##s(const char *src, T_##s winning_zero) {                                              \
    vector_##s x[AT_ONCE * sizeof(T_##s) / VECTOR_BYTES];                                                              \
    memcpy(x, src, sizeof x);                                                                                          \
    const zeros_##s winning = (zeros_##s)(winning_zero - (vector_##s){0}); /* in each lane, for -0 - 0 is -0 */        \
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

/* Of 16 bits NaNs are jumped over as well (10 M float16 into 100 places: 13 ms, 17 if all is computed). */
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

/* Loops are shared where they do the same to the bits. */
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
