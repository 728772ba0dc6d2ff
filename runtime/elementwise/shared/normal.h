/* normal.h: uniform words to the normal distribution, by its inverse cumulative distribution function: Wichura's
   rational approximations (Applied Statistics 37, 1988, AS 241), with 7 digits for float32 and 16 for float64. They
   use only + - * / sqrt and integers, all correctly rounded (the logarithm, too), so every device gives the same
   bits. C11 and OpenCL C.

   A word is a sign and a magnitude r. The tail probability is p = (2 r + 1) / 2^33 (2^65); 1/2 - p is as exact, so
   values are fine-grained both in the far tail and near 0. */
#ifndef STREW_NORMAL_H
#define STREW_NORMAL_H

#include "float_parts.h"

/* ------------------------------------------------------------------------------------------------------- float32 */

/* 2 artanh(s) = log((1 + s) / (1 - s)), for log(m) with m in 0.7..1.5, where s * s < 0.03. */
static inline float normal_log_f32(float x) {
  uint32_t bits = bits_of_float(x);
  int exponent = (int)(bits >> 23) - 127;
  bits = (bits & 0x7fffffu) | 0x3f800000u;
  if (bits > 0x3fb504f3u) bits -= 0x800000u, exponent++; /* above sqrt 2: halved */
  float m = float_of_bits(bits);
  float s = divide_f32(minus_f32(m, 1), plus_f32(m, 1)), z = times_f32(s, s);
  float series = horner3_f32(1 / 11.0f, z, 1 / 9.0f, 1 / 7.0f, 1 / 5.0f);
  series = horner_f32(horner_f32(series, z, 1 / 3.0f), z, 1);
  return plus_f32(times_f32((float)exponent, 0.693147181f), times_f32(times_f32(2, s), series));
}

/* |q| <= 0.425, q = 1/2 - p */
static inline float normal_center_f32(float q) {
  float r = minus_f32(0.180625f, times_f32(q, q));
  float above = horner3_f32(59.109374720f, r, 159.29113202f, 50.434271938f, 3.3871327179f);
  float below = horner3_f32(67.187563600f, r, 78.757757664f, 17.895169469f, 1);
  return divide_f32(times_f32(q, above), below);
}

/* Of the logarithm of p >= 2^-33: the farthest tail, beyond 5, does not occur. */
static inline float normal_tail_f32(float log) {
  float r = minus_f32(root_f32(negate_f32(log)), 1.6f);
  float above = horner3_f32(0.17023821103f, r, 1.3067284816f, 2.7568153900f, 1.4234372777f);
  float below = horner_f32(horner_f32(0.12021132975f, r, 0.73700164250f), r, 1);
  return divide_f32(above, below);
}

static inline float normal_p_f32(uint32_t word) { return times_f32(f32_from_u32(word << 1 | 1), 0x1p-33f); }

/* Words of the upper half give positive numbers. log: of normal_p_f32, needed in the tail. */
static inline float normal_of_log_f32(uint32_t word, float log) {
  float q = times_f32(f32_from_u32(0 - (word << 1 | 1)), 0x1p-33f);
  float magnitude = q <= 0.425f ? normal_center_f32(q) : normal_tail_f32(log);
  return word >> 31 ? magnitude : negate_f32(magnitude);
}

static inline float normal_f32(uint32_t word) { return normal_of_log_f32(word, normal_log_f32(normal_p_f32(word))); }

/* ------------------------------------------------------------------------------------------------------- float64 */

#ifdef HAS_FLOAT64
static inline double normal_log_f64(double x) {
  uint64_t bits = bits_of_double(x);
  int exponent = (int)(bits >> 52) - 1023;
  bits = (bits & 0xfffffffffffffu) | 0x3ff0000000000000u;
  if (bits > 0x3ff6a09e667f3bccu) bits -= 0x10000000000000u, exponent++;
  double m = double_of_bits(bits);
  double s = divide_f64(minus_f64(m, 1), plus_f64(m, 1)), z = times_f64(s, s);
  double series = horner3_f64(1 / 25.0, z, 1 / 23.0, 1 / 21.0, 1 / 19.0);
  series = horner3_f64(series, z, 1 / 17.0, 1 / 15.0, 1 / 13.0);
  series = horner3_f64(series, z, 1 / 11.0, 1 / 9.0, 1 / 7.0);
  series = horner3_f64(series, z, 1 / 5.0, 1 / 3.0, 1);
  return plus_f64(times_f64((double)exponent, 0.693147180559945309), times_f64(times_f64(2, s), series));
}

static inline double normal_center_f64(double q) {
  double r = minus_f64(0.180625, times_f64(q, q));
  double above =
      horner3_f64(2509.0809287301226727, r, 33430.575583588128105, 67265.770927008700853, 45921.953931549871457);
  above = horner3_f64(above, r, 13731.693765509461125, 1971.5909503065514427, 133.14166789178437745);
  above = horner_f64(above, r, 3.3871328727963666080);
  double below =
      horner3_f64(5226.4952788528545610, r, 28729.085735721942674, 39307.895800092710610, 21213.794301586595867);
  below = horner3_f64(below, r, 5394.1960214247511077, 687.18700749205790830, 42.313330701600911252);
  below = horner_f64(below, r, 1);
  return times_f64(q, divide_f64(above, below));
}

static inline double normal_near_tail_f64(double r) {
  double above = horner3_f64(7.74545014278341407640e-4, r, 2.27238449892691845833e-2, 2.41780725177450611770e-1,
                             1.27045825245236838258);
  above = horner3_f64(above, r, 3.64784832476320460504, 5.76949722146069140550, 4.63033784615654529590);
  above = horner_f64(above, r, 1.42343711074968357734);
  double below = horner3_f64(1.05075007164441684324e-9, r, 5.47593808499534494600e-4, 1.51986665636164571966e-2,
                             1.48103976427480074590e-1);
  below = horner3_f64(below, r, 6.89767334985100004550e-1, 1.67638483018380384940, 2.05319162663775882187);
  below = horner_f64(below, r, 1);
  return divide_f64(above, below);
}

static inline double normal_far_tail_f64(double r) {
  double above = horner3_f64(2.01033439929228813265e-7, r, 2.71155556874348757815e-5, 1.24266094738807843860e-3,
                             2.65321895265761230930e-2);
  above = horner3_f64(above, r, 2.96560571828504891230e-1, 1.78482653991729133580, 5.46378491116411436990);
  above = horner_f64(above, r, 6.65790464350110377720);
  double below = horner3_f64(2.04426310338993978564e-15, r, 1.42151175831644588870e-7, 1.84631831751005468180e-5,
                             7.86869131145613259100e-4);
  below = horner3_f64(below, r, 1.48753612908506148525e-2, 1.36929880922735805310e-1, 5.99832206555887937690e-1);
  below = horner_f64(below, r, 1);
  return divide_f64(above, below);
}

static inline double normal_tail_f64(double p) {
  double r = root_f64(negate_f64(normal_log_f64(p)));
  return r <= 5 ? normal_near_tail_f64(minus_f64(r, 1.6)) : normal_far_tail_f64(minus_f64(r, 5));
}

static inline double normal_f64(uint64_t word) {
  uint64_t odd = word << 1 | 1;
  double q = times_f64((double)(0 - odd), 0x1p-65);
  double magnitude = q <= 0.425 ? normal_center_f64(q) : normal_tail_f64(times_f64((double)odd, 0x1p-65));
  return word >> 63 ? magnitude : negate_f64(magnitude);
}
#endif

#endif
