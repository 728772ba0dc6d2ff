/* logarithm.h: logarithms to base e, 2 and 10, and of 1 + x. They use only + - * / and integers, all correctly rounded,
   so every device gives the same bits; they have no branch and no table, so loops of them are vectorised. C11 and
   OpenCL C.

   x = 2^k (1 + f), where 1 + f is between sqrt(1/2) and sqrt(2). With t = f / (2 + f), log(1 + f) = 2 artanh t
   = f - f^2/2 + t (f^2/2 + t^2 series(t^2)). f - f^2/2 is kept without error, as a sum. Of it the upper half is split
   off, whose products with the upper halves of constants have no error. So nearly all of the error comes from the last
   sum, which is rounded once.

   Largest error in units in the last place, of every float32 and of 25 million float64:
     log 0.66, 0.66   log2 0.77, 0.72   log10 0.69, 0.66   log1p 0.66, 0.66 */
#ifndef STREW_LOGARITHM_H
#define STREW_LOGARITHM_H

#include "double_sums.h"

/* sqrt(1/2), rounded down */
#define ROOT_OF_HALF_f32 0x3f3504f3u

/* In base b: log 2 and log e as sums of two, the first of so few bits that its products have no error; log e. */
#define IN_E_f32  0x1.62e4p-1f, 0x1.7f7d1cp-20f, 1, 0, 1
#define IN_2_f32  1, 0, 0x1.716p0f, -0x1.7135a8p-13f, 0x1.715476p0f
#define IN_10_f32 0x1.3442p-2f, -0x1.95ec1p-19f, 0x1.bccp-2f, -0x1.09d5b2p-15f, 0x1.bcb7b2p-2f

/* (2 artanh(t) - 2 t) / t, where z = t^2 < 0.0296 */
INLINED float log_series_f32(float z) {
  return times_f32(horner3_f32(0.24028334f, z, 0.285101622f, 0.4000085f, 0.666666627f), z);
}

#ifdef HAS_FLOAT64
#define ROOT_OF_HALF_f64 0x3fe6a09e667f3bccu
#define IN_E_f64         0x1.62e42fefa38p-1, 0x1.ef35793c7673p-45, 1, 0, 1
#define IN_2_f64         1, 0, 0x1.7154768p0, -0x1.6a3e80f444178p-27, 0x1.71547652b82fep0
#define IN_10_f64                                                                                                      \
  0x1.34413509f78p-2, 0x1.fef311f12b358p-46, 0x1.bcb7b18p-2, -0x1.6c8d78e6acaa4p-29, 0x1.bcb7b1526e50ep-2

INLINED double log_series_f64(double z) {
  double series = horner_f64(0.14806476550030362, z, 0.15313024763447428);
  series = horner3_f64(series, z, 0.18183603499020431, 0.22222197833440932, 0.28571428749527999);
  return times_f64(horner_f64(horner_f64(series, z, 0.39999999999382257), z, 0.66666666666667396), z);
}
#endif

#define REALS f32
#include "logarithm.inc"
#ifdef HAS_FLOAT64
#define REALS f64
#include "logarithm.inc"
#endif

#endif
