/* loops.c: the loops of scatter.inc for every dtype, and the tables of them.

   A scatter waits for memory. Which destinations come next is known from the index: prefetched, they arrive in time.
   How far ahead, and where that pays, stands in tuning.h. */
#include "scattering.h"

#include "runtime/core/cpu/core_loops.h"

/* A line in chunks. (A function of its own: inlined it would cost the others registers. Aligned: the time of 10 M int64
   varied by a tenth with its address.) */
typedef bool join_blocked(const struct tile *tile);
#define NOINLINE __attribute__((noinline, aligned(CACHE_LINE)))

/* For scatter.inc: vectors that test floats, whose zeros are compared as type ZEROS_. */
enum { VECTOR_BYTES = 16 };
typedef uint32_t ZEROS_f32;
typedef double ZEROS_f64;
#define BITS_OF_f32 bits_of_float
#define BITS_OF_f64 bits_of_double

#define UNUSED_AT_TIMES __attribute__((unused))
#define LOOPS           "runtime/core/cpu/scatter/scatter.inc"
#define LOOPS_UNSIGNED
#include "runtime/core/cpu/each_dtype.h"

/* Loops are shared if they do the same to the bits. */
static strew_dtype dtype_of_loops(strew_dtype dtype, strew_reduction reduction) {
  static const strew_dtype integers[] = {[1] = STREW_INT8, [2] = STREW_INT16, [4] = STREW_INT32, [8] = STREW_INT64};
  if (reduction == STREW_ASSIGN && dtype != STREW_BOOL) return integers[dtype_bytes(dtype)];
  return dtype_joined(dtype, reduction);
}

static strew_reduction reduction_of_loops(strew_dtype dtype, strew_reduction reduction) {
  if (dtype != STREW_BOOL) return reduction;
  return reduction == STREW_SUM ? STREW_AMAX : reduction == STREW_PROD ? STREW_AMIN : reduction;
}

int64_t scatter_flip(strew_dtype dtype, strew_reduction reduction) {
  return dtype_is_half(dtype) ? order_flip(dtype, reduction == STREW_AMIN) : 0;
}

const struct scatter_loops *scatter_loops(strew_dtype dtype, strew_reduction reduction, bool with_arg) {
  static const struct scatter_loops *const plain[] = {BY_DTYPE(scatter_loops)};
  static const struct scatter_loops *const with_args[] = {BY_DTYPE(scatter_arg_loops)};
  return &(with_arg ? with_args : plain)[dtype_of_loops(dtype, reduction)][reduction_of_loops(dtype, reduction)];
}

const struct pair_loops *scatter_pair_loops(strew_dtype dtype) {
  static const struct pair_loops loops[STREW_DTYPE_COUNT] = {
#define ROW(ENUM, s) [STREW_##ENUM] = {start_pairs_##s, divide_pairs_##s},
      ROW(FLOAT32, f32) ROW(FLOAT64, f64) ROW(INT32, i32) ROW(INT64, i64)};
  return &loops[dtype];
}

divide_row *scatter_divider(strew_dtype dtype) {
  static divide_row *const divide[STREW_DTYPE_COUNT] = {
#define DIVIDER(ENUM, s) [STREW_##ENUM] = divide_row_##s,
      DIVIDER(FLOAT32, f32) DIVIDER(FLOAT64, f64) DIVIDER(INT64, i64) DIVIDER(INT32, i32) DIVIDER(INT16, i16)
          DIVIDER(INT8, i8) DIVIDER(UINT8, u8) DIVIDER(UINT16, u16) DIVIDER(UINT32, u32) DIVIDER(UINT64, u64)};
  return divide[dtype];
}
