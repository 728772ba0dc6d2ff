/* horner.h: polynomials by Horner's rule. C11 and OpenCL C. */
#ifndef STREW_HORNER_H
#define STREW_HORNER_H

#include "float_parts.h"

#define HORNER(s)                                                                                                      \
  /* sum * r + a; and on with b and c */                                                                               \
  INLINED W_##s horner_##s(W_##s sum, W_##s r, W_##s a) { return plus_##s(times_##s(sum, r), a); }                     \
  INLINED W_##s horner3_##s(W_##s sum, W_##s r, W_##s a, W_##s b, W_##s c) {                                           \
    return horner_##s(horner_##s(horner_##s(sum, r, a), r, b), r, c);                                                  \
  }
HORNER(f32)
#ifdef HAS_FLOAT64
HORNER(f64)
#endif
#undef HORNER

#endif
