/* normal.h: from uniform words to the normal distribution, by the inverse of its cumulative distribution function:
   Wichura's rational approximations (Applied Statistics 37, 1988, AS 241), the 7-digit ones for float32 and the
   16-digit ones for float64. Nothing but + - * / sqrt and whole numbers is used, each correctly rounded, the logarithm
   included, so that every device gives the same bits.

   A word is a sign and a magnitude r: its tail holds p = (2 r + 1) / 2^33 (2^65), and 1/2 - p is as exact, so that
   neither the far tail nor the neighbourhood of 0 is coarse. */
#ifndef STREW_NORMAL_H
#define STREW_NORMAL_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/* 2 artanh(s) = log((1 + s) / (1 - s)), for log(m) with m in 0.7..1.5, where s * s < 0.03. */
static inline float normal_log_f32(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  int exponent = (int)(bits >> 23) - 127;
  bits = (bits & 0x7fffffu) | 0x3f800000u;
  if (bits > 0x3fb504f3u) bits -= 0x800000u, exponent++; /* above sqrt 2: halved */
  float m;
  memcpy(&m, &bits, sizeof m);
  float s = (m - 1) / (m + 1), z = s * s;
  float series = ((((z * (1 / 11.0f) + 1 / 9.0f) * z + 1 / 7.0f) * z + 1 / 5.0f) * z + 1 / 3.0f) * z + 1;
  return (float)exponent * 0.693147181f + 2 * s * series;
}

static inline double normal_log_f64(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  int exponent = (int)(bits >> 52) - 1023;
  bits = (bits & 0xfffffffffffffu) | 0x3ff0000000000000u;
  if (bits > 0x3ff6a09e667f3bccu) bits -= 0x10000000000000u, exponent++;
  double m;
  memcpy(&m, &bits, sizeof m);
  static const double parts[] = {1 / 25.0, 1 / 23.0, 1 / 21.0, 1 / 19.0, 1 / 17.0, 1 / 15.0,
                                 1 / 13.0, 1 / 11.0, 1 / 9.0,  1 / 7.0,  1 / 5.0,  1 / 3.0};
  double s = (m - 1) / (m + 1), z = s * s, series = 0;
  for (int i = 0; i < 12; i++) series = (series + parts[i]) * z;
  return exponent * 0.693147180559945309 + 2 * s * (series + 1);
}

/* |q| <= 0.425, q = 1/2 - p */
static inline float normal_center_f32(float q) {
  float r = 0.180625f - q * q;
  float above = ((59.109374720f * r + 159.29113202f) * r + 50.434271938f) * r + 3.3871327179f;
  float below = ((67.187563600f * r + 78.757757664f) * r + 17.895169469f) * r + 1;
  return q * above / below;
}

static inline float normal_tail_f32(float p) {
  float r = sqrtf(-normal_log_f32(p)) - 1.6f; /* p >= 2^-33: the farthest tail, beyond 5, is never met */
  float above = ((0.17023821103f * r + 1.3067284816f) * r + 2.7568153900f) * r + 1.4234372777f;
  float below = (0.12021132975f * r + 0.73700164250f) * r + 1;
  return above / below;
}

static inline double normal_ratio(double r, const double *above, const double *below) {
  double a = above[0], b = below[0];
  for (int i = 1; i < 8; i++) a = a * r + above[i], b = b * r + below[i];
  return a / b;
}

static inline double normal_center_f64(double q) {
  static const double above[] = {2509.0809287301226727, 33430.575583588128105, 67265.770927008700853,
                                 45921.953931549871457, 13731.693765509461125, 1971.5909503065514427,
                                 133.14166789178437745, 3.3871328727963666080};
  static const double below[] = {
      5226.4952788528545610, 28729.085735721942674, 39307.895800092710610, 21213.794301586595867,
      5394.1960214247511077, 687.18700749205790830, 42.313330701600911252, 1};
  return q * normal_ratio(0.180625 - q * q, above, below);
}

static inline double normal_tail_f64(double p) {
  static const double near_above[] = {7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1,
                                      1.27045825245236838258,    3.64784832476320460504,    5.76949722146069140550,
                                      4.63033784615654529590,    1.42343711074968357734};
  static const double near_below[] = {
      1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2, 1.48103976427480074590e-1,
      6.89767334985100004550e-1, 1.67638483018380384940,    2.05319162663775882187,    1};
  static const double far_above[] = {2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3,
                                     2.65321895265761230930e-2, 2.96560571828504891230e-1, 1.78482653991729133580,
                                     5.46378491116411436990,    6.65790464350110377720};
  static const double far_below[] = {
      2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5, 7.86869131145613259100e-4,
      1.48753612908506148525e-2,  1.36929880922735805310e-1, 5.99832206555887937690e-1, 1};
  double r = sqrt(-normal_log_f64(p));
  return r <= 5 ? normal_ratio(r - 1.6, near_above, near_below) : normal_ratio(r - 5, far_above, far_below);
}

/* The upper half of the words is positive. */
static inline float normal_f32(uint32_t word) {
  uint32_t odd = word << 1 | 1;
  float q = (float)(0 - odd) * 0x1p-33f;
  float magnitude = q <= 0.425f ? normal_center_f32(q) : normal_tail_f32((float)odd * 0x1p-33f);
  return word >> 31 ? magnitude : -magnitude;
}

static inline double normal_f64(uint64_t word) {
  uint64_t odd = word << 1 | 1;
  double q = (double)(0 - odd) * 0x1p-65;
  double magnitude = q <= 0.425 ? normal_center_f64(q) : normal_tail_f64((double)odd * 0x1p-65);
  return word >> 63 ? magnitude : -magnitude;
}

#endif
