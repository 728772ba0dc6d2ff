/* times.h: statistics of times, which are microseconds, int64, in which NaT is the least number (times.c). */
#ifndef STREW_REDUCE_TIMES_H
#define STREW_REDUCE_TIMES_H

#include "runtime/core/base/steps.h"

/* A new tensor: sums of int64, or of bools as such. */
typedef strew_tensor *times_sums(struct steps *steps, void *user, strew_tensor *x);
/* The nearest microseconds to the means of such numbers, halves to even; NaT of those whose count is 0. */
strew_tensor *times_mean(struct steps *steps, strew_tensor *x, strew_tensor *counts, times_sums *sum, void *user);
/* The same of times: of those with a NaT NaT, unless `skips` leaves them out. */
strew_tensor *times_mean_of(struct steps *steps, strew_tensor *times, bool skips, times_sums *sum, void *user);
/* Quantiles of so many elements, of which a and b are those below and above their ranks: the nearest microseconds to
   a + (b - a) * share, halves to even. is_midpoint: between the two. */
strew_tensor *times_between(struct steps *steps, strew_tensor *a, strew_tensor *b, strew_tensor *counts, double q,
                            bool is_midpoint);
/* Seconds since the first time, float64: NaN for NaT. reduce.c */
strew_tensor *times_seconds(struct steps *steps, strew_tensor *times);

#endif
