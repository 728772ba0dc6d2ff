/* ramp.cl: start + i * step, one number per work-item. It is computed in S (and R), i64 or f64, and rounded to OUT.
   SOFT_FLOAT64: S is f64, emulated with integers. */
#include "opencl/core/kernels/prelude.h"
#include "runtime/elementwise/shared/random.h"

#ifndef SOFT_FLOAT64
#include "opencl/core/kernels/elements.h"
__kernel void ramp(__global CAT(T_, OUT) * to, const long offset, const long count, const VALUE start,
                   const VALUE step) {
  const long i = (long)get_global_id(0);
  if (i < count) to[offset + i] = stored(CAT(ramp_, S)(start, step, i));
}
#else

static inline ulong ramp_bits(ulong start, ulong step, long i) {
  return soft_plus(start, soft_times(round_integer(i, FORMAT_FLOAT64), step, FORMAT_FLOAT64), FORMAT_FLOAT64);
}
static inline float f32_from_bits(ulong x) {
  return float_of_bits((uint)convert_format(x, FORMAT_FLOAT64, FORMAT_FLOAT32));
}
static inline ushort f16_from_bits(ulong x) { return (ushort)convert_format(x, FORMAT_FLOAT64, FORMAT_FLOAT16); }
static inline ushort bf16_from_bits(ulong x) { return (ushort)convert_format(x, FORMAT_FLOAT64, FORMAT_BFLOAT16); }
static inline uchar b8_from_bits(ulong x) { return magnitude_in(x, FORMAT_FLOAT64) != 0; }
#define FROM_BITS(s)                                                                                                   \
  static inline T_##s s##_from_bits(ulong x) {                                                                         \
    return (T_##s)clamp(truncate_float(x, FORMAT_FLOAT64), (long)lowest_##s(), (long)highest_##s());                   \
  }
FROM_BITS(i64)
FROM_BITS(i32)
FROM_BITS(i16)
FROM_BITS(i8)
FROM_BITS(u8)
FROM_BITS(u16)
FROM_BITS(u32)
static inline ulong u64_from_bits(ulong x) {
  const ulong top = 0x43e0000000000000u, end = 0x43f0000000000000u; /* 2^63, 2^64 */
  if (x >= end && x <= infinity_of(FORMAT_FLOAT64)) return UINT64_MAX;
  if (x >= top && x < end) return 0x8000000000000000u | (x & 0xfffffffffffffu) << 11;
  return (ulong)max(truncate_float(x, FORMAT_FLOAT64), 0l);
}

__kernel void ramp(__global CAT(T_, OUT) * to, const long offset, const long count, const ulong start,
                   const ulong step) {
  const long i = (long)get_global_id(0);
  if (i < count) to[offset + i] = CAT(OUT, _from_bits)(ramp_bits(start, step, i));
}
#endif
