/* exact_loops.c: loops of exact sums, for one instruction set. */
#include "reduce_loops.h"

#include "runtime/core/cpu/prefetch.h"
#include "runtime/elementwise/shared/exact.h"
#include "runtime/elementwise/shared/float_parts.h"

#include <math.h>
#include <string.h>

/* Of surveys: signed integers as wide as a float, its sign and infinity, and the place of a power of two below
   2^(digits - 1), of which the last one is known by 0. */
typedef int32_t I_f32;
typedef int64_t I_f64;
#define SIGN_f32          0x80000000u
#define SIGN_f64          0x8000000000000000u
#define MAGNITUDE_f32     0x7fffffff
#define MAGNITUDE_f64     0x7fffffffffffffff
#define FRACTION_MASK_f32 0x7fffffu
#define FRACTION_MASK_f64 0xfffffffffffffu
#define OF_BITS_f32       float_of_bits
#define OF_BITS_f64       double_of_bits
#define TO_BITS_f32       bits_of_float
#define TO_BITS_f64       bits_of_double
#define INFINITE_BITS_f32 0x7f800000
#define INFINITE_BITS_f64 0x7ff0000000000000
/* Of blocks: the place of the lowest bit of 1, and how many bits may be between the highest and the lowest one of elements
   in one, two or three parts: sums of 2^10 elements, of rests below 2^(exponent - 41) or below 2^(exponent - 82) take 53
   bits at most. */
#define PLACE_OF_ONE_f32 (127 - 1)
#define PLACE_OF_ONE_f64 (1023 - 1)
#define DIGITS_f32       24
#define DIGITS_f64       53
enum { EXACT_SPAN_1 = 43, EXACT_SPAN_2 = 85, EXACT_SPAN_3 = 126 };
#if defined(__AVX2__)
enum { REALS = 4 };
#else
enum { REALS = 2 };
#endif
enum { VECTORS = 4, LANES = VECTORS * REALS };
typedef double reals __attribute__((vector_size(REALS * sizeof(double))));
typedef reals read_f64;
typedef float read_f32 __attribute__((vector_size(REALS * sizeof(float))));
static inline int32_t lowest_place_f32(int32_t digits) {
  return (int32_t)(bits_of_float((float)(digits & -digits)) >> 23) - 127;
}
static inline int64_t lowest_place_f64(int64_t digits) {
  const uint64_t fraction = (uint64_t)digits & 0xfffffffffffffu, lowest = fraction & (0 - fraction);
  const double power = double_of_bits(lowest | 0x4330000000000000u) - 0x1p52;
  const int64_t place = (int64_t)(bits_of_double(power) >> 52) - 1023, is_last = -(int64_t)(fraction == 0);
  return (place & ~is_last) | (52 & is_last);
}

/* x + y, rounded to the odd one of two neighbours: what is rounded from there to fewer bits is rounded once. */
INLINED double add_to_odd(double x, double y) {
  double rest;
  const double sum = add_wholly(x, y, &rest);
  const uint64_t bits = bits_of_double(sum), moves = (uint64_t)(rest != 0) & ~bits & 1;
  return double_of_bits(bits + moves - 2 * (moves & (bits_of_double(rest) ^ bits) >> 63));
}

#define S f32
#include "exact.inc"
#undef S
#define S f64
#include "exact.inc"
#undef S

const struct exact_loops LOOPS_TABLE(exact) = {{survey_row_f32, exact_block_f32, exact_round_f32},
                                               {survey_row_f64, exact_block_f64, exact_round_f64}};
