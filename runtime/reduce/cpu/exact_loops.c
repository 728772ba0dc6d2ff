/* exact_loops.c: loops of exact sums, for one instruction set. */
#include "exact_loops.h"

#include "runtime/elementwise/shared/exact.h"

#include <math.h>

/* Of surveys: signed integers as wide as a float, its sign and infinity, and the place of a power of two below
   2^(digits - 1), of which the last one is known by 0. */
typedef int32_t I_f32;
typedef int64_t I_f64;
#define SIGN_f32          0x80000000u
#define SIGN_f64          0x8000000000000000u
#define MAGNITUDE_f32     0x7fffffff
#define MAGNITUDE_f64     0x7fffffffffffffff
#define FRACTION_f32      0x7fffffu
#define FRACTION_f64      0xfffffffffffffu
#define OF_BITS_f32       float_of_bits
#define OF_BITS_f64       double_of_bits
#define TO_BITS_f32       bits_of_float
#define TO_BITS_f64       bits_of_double
#define INFINITE_BITS_f32 0x7f800000
#define INFINITE_BITS_f64 0x7ff0000000000000
/* Of blocks: the place of the lowest bit of 1, cuts, and how far places may be apart: sums of 2^10 rests, below 2^(exponent
   - 41) and 2^(exponent - 82), take 53 bits at most. */
#define PLACE_OF_ONE_f32 (127 - 1)
#define PLACE_OF_ONE_f64 (1023 - 1)
#define EXACT_CUTS_f32   2
#define EXACT_CUTS_f64   3
#define EXACT_SPAN_f32   (84 - 23)
#define EXACT_SPAN_f64   (125 - 52)
static inline int32_t lowest_place_f32(int32_t digits) {
  return (int32_t)(bits_of_float((float)(digits & -digits)) >> 23) - 127;
}
static inline int64_t lowest_place_f64(int64_t digits) {
  const uint64_t fraction = (uint64_t)digits & 0xfffffffffffffu, lowest = fraction & (0 - fraction);
  const double power = double_of_bits(lowest | 0x4330000000000000u) - 0x1p52;
  const int64_t place = (int64_t)(bits_of_double(power) >> 52) - 1023, is_last = -(int64_t)(fraction == 0);
  return (place & ~is_last) | (52 & is_last);
}

#define S f32
#include "exact.inc"
#undef S
#define S f64
#include "exact.inc"
#undef S

const struct exact_loops LOOPS_TABLE(exact) = {{survey_row_f32, exact_block_f32}, {survey_row_f64, exact_block_f64}};
