/* elementwise_loops.c: kernels of elementwise operations, for one instruction set. */
#include "elementwise_loops.h"

#include "runtime/shared/arithmetic.h"

#define INLINE inline __attribute__((always_inline))
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed" /* loops that call libm are not vectorised */
#endif

/* Long functions of float32 have loops for one instruction set, others scalar ones (long_functions.c). */
enum { PADDED = 16 };
#ifdef X86_LOOPS
#define LONG_IN_avx2 1
#else
#define LONG_IN_plain 1
#endif
#if CAT(LONG_IN_, ISA)
#define LONG_f32 1
#endif

#define LOOPS_WIDE
#define LOOPS "elementwise.inc"
#include "each_dtype.h"

/* 16-bit floats are computed as float32. */
#define kernels_f16  kernels_f32
#define kernels_bf16 kernels_f32
const struct elementwise_loops LOOPS_TABLE(elementwise) = {{BY_DTYPE(&kernels)}};
