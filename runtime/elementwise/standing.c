/* standing.c: see standing.h. */
#include "standing.h"

#include <math.h>

const double largest_floats[STREW_DTYPE_COUNT] = {[STREW_FLOAT16] = 65504,
                                                  [STREW_BFLOAT16] = 0x1.fep127,
                                                  [STREW_FLOAT32] = 0x1.fffffep127,
                                                  [STREW_FLOAT64] = 0x1.fffffffffffffp1023};

static enum standing standing_among_floats(strew_scalar number, strew_dtype dtype, strew_scalar *element) {
  union element stored;
  *element = number;
  dtype_saturate(number, dtype, stored.bytes);
  const bool is_infinite = number.dtype == STREW_FLOAT64 && isinf(number.as.f);
  if (is_infinite || !isinf(dtype_load(dtype, stored.bytes).as.f)) return STANDS_AT;
  bool negative = number.dtype == STREW_FLOAT64 ? number.as.f < 0 : number.dtype == STREW_INT64 && number.as.i < 0;
  *element = strew_float(negative ? -(double)INFINITY : largest_floats[dtype]);
  return STANDS_ABOVE;
}

/* Above INT64_MAX, among uint64. */
static enum standing standing_above(double below, strew_scalar number, strew_scalar *element) {
  if (number.dtype == STREW_UINT64) return *element = number, STANDS_AT;
  *element = unsigned_number(below < 0x1p64 ? (uint64_t)below : UINT64_MAX);
  return below < 0x1p64 ? STANDS_AT : STANDS_ABOVE;
}

enum standing number_standing(strew_scalar number, strew_dtype dtype, strew_scalar *element) {
  if (dtype_is_float(dtype)) return standing_among_floats(number, dtype, element);
  bool is_bool = dtype == STREW_BOOL;
  int64_t least = strew_scalar_load(dtype, element_identity(STREW_AMAX, dtype).bytes).as.i;
  int64_t greatest =
      dtype == STREW_UINT64 ? INT64_MAX : strew_scalar_load(dtype, element_identity(STREW_AMIN, dtype).bytes).as.i;
  int64_t whole = number.as.i;
  bool beyond_above = number.dtype == STREW_UINT64, beyond_below = false, between = false;
  *element = is_bool ? strew_bool(least != 0) : strew_int(least);
  if (number.dtype == STREW_FLOAT64) {
    double below = floor(number.as.f);
    if (isnan(below)) return STANDS_NOWHERE;
    beyond_above = below >= 0x1p63;
    beyond_below = below < -0x1p63;
    between = below != number.as.f;
    whole = beyond_above || beyond_below ? 0 : (int64_t)below;
  }
  if (beyond_above && dtype == STREW_UINT64)
    return standing_above(number.dtype == STREW_FLOAT64 ? number.as.f : 0, number, element);
  if (beyond_below || (!beyond_above && whole < least)) return STANDS_BELOW;
  if (beyond_above || whole > greatest) whole = greatest, between = true;
  *element = is_bool ? strew_bool(whole != 0) : strew_int(whole);
  return between ? STANDS_ABOVE : STANDS_AT;
}
