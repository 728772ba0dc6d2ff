/* trigonometric.h: sine, cosine and tangent of all angles. They use only + - * / and integers, all correctly rounded, so every
   device gives the same bits; they have no branch, so loops of them are vectorised. C11 and OpenCL C.

   |x| = (quadrant + f) pi / 2, where |f| <= 1/2. Multiples of four quadrants do not matter. So 96 bits of 2 / pi (192
   for float64) are enough, a window that the exponent of x chooses (Payne and Hanek). x is an integer n times a power
   of two; n times the window, without its overflow, is the quadrant and f. |f| pi / 2 becomes a sum of two floats.
   Of float32 below NEAR, quadrants times pi / 2 are subtracted in four parts (Cody and Waite).

   Largest error in units in the last place, of every float32 and of 20 million float64: 0.78; of tan, of every
   97th float32 and of 200,000 float64: 0.89. */
#ifndef STREW_TRIGONOMETRIC_H
#define STREW_TRIGONOMETRIC_H

#include "double_sums.h"

/* pi / 2 as a sum, the first of so few bits that its products have no error; and rounded */
#define QUARTER_f32 0x1.922p0f, -0x1.2aeef4p-18f, 0x1.921fb6p0f

/* (sin r - r) / r^3 and (cos r - 1 + r^2/2) / r^4, where z = r^2 < 0.617 */
INLINED float sin_series_f32(float z) {
  return horner3_f32(2.80450263e-6f, z, -0.000198503025f, 0.00833337288f, -0.166666672f);
}
INLINED float cos_series_f32(float z) {
  return horner_f32(horner_f32(2.44329676e-5f, z, -0.0013887313f), z, 0.0416666456f);
}
#ifdef HAS_FLOAT64
#define QUARTER_f64 0x1.921fb58p0, -0x1.dde973dcb3b3ap-27, 0x1.921fb54442d18p0

INLINED double sin_series_f64(double z) {
  double series = horner_f64(1.5896187024336542e-10, z, -2.5050746417278611e-8);
  series = horner3_f64(series, z, 2.7557313606915393e-6, -0.00019841269829520489, 0.0083333333333219725);
  return horner_f64(series, z, -0.1666666666666663);
}
INLINED double cos_series_f64(double z) {
  double series = horner_f64(-1.1359080451679331e-11, z, 2.0875711420840462e-9);
  series = horner3_f64(series, z, -2.7557314256919247e-7, 2.4801587289115185e-5, -0.0013888888888873457);
  return horner_f64(series, z, 0.041666666666666595);
}
#endif

/* ----------------------------------------------------------------------------------------------------- reduction */

/* |x| = quadrant * pi / 2 + high + low, or - high - low if the sign bit is set in `sign`. */
#define ANGLE(s)                                                                                                       \
  typedef struct {                                                                                                     \
    W_##s high, low;                                                                                                   \
    B_##s quadrant, sign;                                                                                              \
  } angle_##s;                                                                                                         \
  /* (a + b + c) pi / 2, where a is 0 or much larger than b, which is much larger than c. */                           \
  INLINED angle_##s angle_of_sum_##s(W_##s a, W_##s b, W_##s c, W_##s first, W_##s second, W_##s quarter) {            \
    const W_##s sum = plus_##s(a, b), rest = plus_##s(rest_of_sum_##s(a, b, sum), c);                                  \
    const W_##s upper = upper_##s(sum), product = times_##s(upper, first);                                             \
    W_##s more = times_##s(plus_##s(minus_##s(sum, upper), rest), quarter);                                            \
    more = plus_##s(times_##s(upper, second), more);                                                                   \
    angle_##s angle;                                                                                                   \
    angle.high = plus_##s(product, more);                                                                              \
    angle.low = rest_of_sum_##s(product, more, angle.high);                                                            \
    return angle;                                                                                                      \
  }
ANGLE(f32)
#ifdef HAS_FLOAT64
ANGLE(f64)
#endif
#undef ANGLE

/* 32 bits of high and low, from bit number `shift` of high on; shift is below 32. */
INLINED uint32_t window(uint32_t high, uint32_t low, uint32_t shift) {
  return high << shift | low >> 1 >> (31 - shift);
}

/* Up to here, the parts of pi / 2 that follow have exact products with the quadrant, and each sum is that of a number and
   a lesser one, or exact. */
#define NEAR_f32 2560
INLINED bool is_near_f32(float x) { return bits_of_magnitude_f32(x) < bits_of_float(NEAR_f32); }
INLINED angle_f32 near_angle_of_f32(uint32_t bits) {
  const float x = float_of_bits(bits), shifted = plus_f32(times_f32(x, 0x1.45f306p-1f), UNIT_f32);
  const float k = minus_f32(shifted, UNIT_f32), first = minus_f32(x, times_f32(k, 0x1.922p0f));
  const float second = times_f32(k, 0x1.2afp-18f), sum = plus_f32(first, second);
  const float third = times_f32(k, -0x1.0b4p-34f), rest = plus_f32(sum, third);
  float low = plus_f32(rest_of_sum_f32(first, second, sum), rest_of_sum_f32(sum, third, rest));
  low = plus_f32(low, times_f32(k, -0x1.84698ap-48f));
  angle_f32 angle;
  angle.high = plus_f32(rest, low);
  angle.low = rest_of_sum_f32(rest, low, angle.high);
  angle.quadrant = bits_of_float(shifted);
  angle.sign = 0;
  return angle;
}

INLINED angle_f32 far_angle_of_f32(uint32_t bits) {
  const uint32_t exponent = bits >> FRACTION_f32, start = (exponent < BIAS_f32 ? 0 : exponent - BIAS_f32) & 127;
  const uint32_t significand = (bits & 0x7fffffu) | 0x800000u, n = exponent < BIAS_f32 ? significand : significand << 1;
  /* 26 zeros and 2 / pi as words, the four in which the window starts at bit `start`. */
  const bool late = (start & 64) != 0, odd = (start & 32) != 0;
  const uint32_t w0 = late ? 0x91054a7fu : 0x00000028u, w1 = late ? 0x09d5f47du : 0xbe60db93u;
  const uint32_t w2 = late ? 0x4d377036u : 0x91054a7fu, w3 = late ? 0xd8a5664fu : 0x09d5f47du;
  const uint32_t w4 = late ? 0x10e4107fu : 0x4d377036u, shift = start & 31;
  const uint32_t a = odd ? w1 : w0, b = odd ? w2 : w1, c = odd ? w3 : w2, d = odd ? w4 : w3;
  const uint64_t last = (uint64_t)n * window(c, d, shift), middle = (uint64_t)n * window(b, c, shift) + (last >> 32);
  const uint32_t top = n * window(a, b, shift) + (uint32_t)(middle >> 32), quadrant = (top + 0x20000000u) >> 30;
  /* What remains, in units of 2^-62 quadrants, in three parts. */
  const uint32_t signed_high = top - (quadrant << 30), flip = 0 - (signed_high >> 31);
  const uint32_t high = signed_high ^ flip, low = (uint32_t)middle ^ flip;
  const float first = times_f32(whole_f32(high >> 8), 0x1p-22f);
  const float second = times_f32(whole_f32((high & 0xffu) << 14 | low >> 18), 0x1p-44f);
  const float third = times_f32(whole_f32(low & 0x3ffffu), 0x1p-62f);
  angle_f32 angle = angle_of_sum_f32(first, second, third, QUARTER_f32);
  angle.quadrant = quadrant;
  angle.sign = flip & SIGN_f32;
  return angle;
}

INLINED angle_f32 angle_of_f32(uint32_t bits) {
  const angle_f32 near = near_angle_of_f32(bits), far = far_angle_of_f32(bits);
  return is_near_f32(float_of_bits(bits)) ? near : far;
}

#ifdef HAS_FLOAT64
/* 55 zeros and 2 / pi */
#ifdef __OPENCL_VERSION__
__constant
#else
static
#endif
    const uint64_t two_over_pi[] = {0x0000000000000145u, 0xf306dc9c882a53f8u, 0x4eafa3ea69bb81b6u, 0xc52b3278872083fcu,
                                    0xa2c757bd778ac36eu, 0x48dc74849ba5c00cu, 0x925dd413a32439fcu, 0x3bd63962534e7dd1u,
                                    0x046bea5d768909d3u, 0x38e04d68befc8273u, 0x23ac7306a673e939u, 0x08bf177bf250763fu,
                                    0xf12fffbc0b301fdeu, 0x5e2316b414da3edau, 0x6cfd9e4f96136e9eu, 0x8c7ecd3cbfd45aeau,
                                    0x4f758fd7cbe2f67au, 0x0e73ef14a525d4d7u, 0xf6bf623f1aba10acu};

INLINED uint64_t window_f64(uint64_t at, uint64_t shift) {
  return two_over_pi[at] << shift | two_over_pi[at + 1] >> 1 >> (63 - shift);
}

/* n times the window, of which 128 bits are kept: in units of 2^-126 quadrants. */
typedef struct {
  uint64_t top, middle;
} turn_f64;
INLINED turn_f64 turn_of_f64(uint64_t bits) {
  const uint64_t exponent = bits >> FRACTION_f64;
  const uint64_t start = (exponent < BIAS_f64 ? 0 : exponent - BIAS_f64) & 1023, at = start >> 6, shift = start & 63;
  const uint64_t significand = (bits & 0xfffffffffffffu) | 0x10000000000000u;
  const uint64_t n = exponent < BIAS_f64 ? significand : significand << 1;
  const uint64_t a = window_f64(at, shift), b = window_f64(at + 1, shift), c = window_f64(at + 2, shift);
  const uint64_t part = n * b;
  turn_f64 turn;
  turn.middle = part + upper_product(n, c);
  turn.top = n * a + upper_product(n, b) + (turn.middle < part);
  return turn;
}

INLINED angle_f64 angle_of_turn_f64(uint64_t bits, turn_f64 turn) {
  const uint64_t quadrant = (turn.top + 0x2000000000000000u) >> 62;
  /* What remains, in units of 2^-126 quadrants, in three parts. */
  const uint64_t signed_high = turn.top - (quadrant << 62), flip = 0 - (signed_high >> 63);
  const uint64_t high = signed_high ^ flip, low = turn.middle ^ flip;
  const double first = times_f64(whole_f64(high >> 20), 0x1p-42);
  const double second = times_f64(whole_f64((high & 0xfffffu) << 24 | low >> 40), 0x1p-86);
  const double third = times_f64(whole_f64(low & 0xffffffffffu), 0x1p-126);
  angle_f64 angle = angle_of_sum_f64(first, second, third, QUARTER_f64);
  const bool small = bits < ONE_f64 - ((uint64_t)1 << FRACTION_f64); /* below 1/2 nothing is reduced */
  angle.high = small ? double_of_bits(bits) : angle.high;
  angle.low = small ? 0 : angle.low;
  angle.quadrant = small ? 0 : quadrant;
  angle.sign = small ? 0 : flip & SIGN_f64;
  return angle;
}
INLINED angle_f64 angle_of_f64(uint64_t bits) { return angle_of_turn_f64(bits, turn_of_f64(bits)); }
#endif

/* ------------------------------------------------------------------------------------------------ sine and cosine */

#define WAVE(s)                                                                                                        \
  /* sin(high + low) = sin(high) + low cos(high) */                                                                    \
  INLINED pair_##s sin_of_angle_##s(angle_##s angle) {                                                                 \
    const W_##s r = angle.high, z = times_##s(r, r), low = angle.low;                                                  \
    const W_##s rest = minus_##s(low, times_##s(times_##s(z, (W_##s)0.5f), low));                                      \
    return make_pair_##s(r, plus_##s(rest, times_##s(times_##s(r, z), sin_series_##s(z))));                            \
  }                                                                                                                    \
  INLINED pair_##s cos_of_angle_##s(angle_##s angle) {                                                                 \
    const W_##s r = angle.high, z = times_##s(r, r), halved = half_square_##s(r), sum = minus_##s(1, halved);          \
    const W_##s rest = plus_##s(rest_of_half_square_##s(r), times_##s(r, angle.low));                                  \
    const W_##s series = minus_##s(times_##s(times_##s(z, z), cos_series_##s(z)), rest);                               \
    return make_pair_##s(sum, plus_##s(minus_##s(minus_##s(1, sum), halved), series));                                 \
  }                                                                                                                    \
  /* The sine of x, or with 1 turn its cosine. */                                                                      \
  INLINED W_##s wave_by_##s(W_##s x, angle_##s angle, B_##s turns) {                                                   \
    const B_##s magnitude = bits_of_magnitude_##s(x), quadrant = angle.quadrant + turns;                               \
    const bool turned = (quadrant & 1) != 0;                                                                           \
    const W_##s sine = sum_of_pair_##s(sin_of_angle_##s(angle)), cosine = sum_of_pair_##s(cos_of_angle_##s(angle));    \
    const W_##s result = turned ? cosine : sine;                                                                       \
    const B_##s sign = (turns ? 0 : bits_of_##s(x) ^ magnitude) ^ (turned ? 0 : angle.sign);                           \
    const B_##s signed_bits = bits_of_##s(result) ^ sign ^ (quadrant & 2) * (SIGN_##s >> 1);                           \
    return magnitude < INFINITE_##s ? s##_of_bits(signed_bits) : (W_##s)NAN;                                           \
  }                                                                                                                    \
  INLINED W_##s wave_##s(W_##s x, B_##s turns) {                                                                       \
    return wave_by_##s(x, angle_of_##s(bits_of_magnitude_##s(x)), turns);                                              \
  }                                                                                                                    \
  INLINED W_##s sin_##s(W_##s x) { return wave_##s(x, 0); }                                                            \
  INLINED W_##s cos_##s(W_##s x) { return wave_##s(x, 1); }                                                            \
  /* In odd quadrants -1 / tan(angle). */                                                                              \
  INLINED W_##s tan_by_##s(W_##s x, angle_##s angle) {                                                                 \
    const B_##s magnitude = bits_of_magnitude_##s(x);                                                                  \
    const bool turned = (angle.quadrant & 1) != 0;                                                                     \
    const pair_##s sine = settle_pair_##s(sin_of_angle_##s(angle));                                                    \
    const pair_##s cosine = settle_pair_##s(cos_of_angle_##s(angle));                                                  \
    const pair_##s above = either_pair_##s(turned, cosine, sine), below = either_pair_##s(turned, sine, cosine);       \
    const B_##s sign = (bits_of_##s(x) ^ magnitude) ^ angle.sign ^ (turned ? SIGN_##s : 0);                            \
    const W_##s result = s##_of_bits(bits_of_##s(sum_of_pair_##s(divide_pairs_##s(above, below))) ^ sign);             \
    return magnitude < TINY_##s ? x : magnitude < INFINITE_##s ? result : (W_##s)NAN;                                  \
  }                                                                                                                    \
  INLINED W_##s tan_##s(W_##s x) { return tan_by_##s(x, angle_of_##s(bits_of_magnitude_##s(x))); }
WAVE(f32)
#ifdef HAS_FLOAT64
WAVE(f64)
#endif
#undef WAVE

#ifdef HAS_FLOAT64
INLINED double wave_of_turn_f64(double x, turn_f64 turn, uint64_t turns) {
  return wave_by_f64(x, angle_of_turn_f64(bits_of_magnitude_f64(x), turn), turns);
}
#endif

/* The same below NEAR. */
INLINED float near_wave_f32(float x, uint32_t turns) {
  return wave_by_f32(x, near_angle_of_f32(bits_of_magnitude_f32(x)), turns);
}
INLINED float near_tan_f32(float x) { return tan_by_f32(x, near_angle_of_f32(bits_of_magnitude_f32(x))); }

#endif
