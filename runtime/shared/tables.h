/* tables.h: the two tables from which enums' names, C loops and device kernels are made. Every fact about a
   dtype or a reduction has its home here; a new row plus its enumerator in strew.h is all that a new one takes.
   Only tokens that mean the same in C11 and OpenCL C are used in the cells that become code. */
#ifndef STREW_TABLES_H
#define STREW_TABLES_H

/* In C there always is a float64. An OpenCL program is told by its host, and knows nothing of that row where the device
   has none. */
#ifndef __OPENCL_VERSION__
#define HAS_FLOAT64
#endif
#ifdef HAS_FLOAT64
#define STREW_FLOAT64_ROW(X)                                                                                           \
  X(FLOAT64, f64, "float64", double, uint64_t, f64, double, FLOATING, (double)INFINITY, -(double)INFINITY)
#else
#define STREW_FLOAT64_ROW(X)
#endif

/* enumerator; suffix of functions; name; stored as; unsigned of that width; suffix of what it is
   computed as; unsigned type in which sums wrap; category in type promotion; identities of the minimum and of the
   maximum. */
#define STREW_DTYPES(X)                                                                                                \
  X(FLOAT32, f32, "float32", float, uint32_t, f32, float, FLOATING, INFINITY, -INFINITY)                               \
  STREW_FLOAT64_ROW(X)                                                                                                 \
  X(FLOAT16, f16, "float16", uint16_t, uint16_t, f32, float, FLOATING, INFINITY, -INFINITY)                            \
  X(BFLOAT16, bf16, "bfloat16", uint16_t, uint16_t, f32, float, FLOATING, INFINITY, -INFINITY)                         \
  X(INT64, i64, "int64", int64_t, uint64_t, i64, uint64_t, INTEGER, 9223372036854775807, (-9223372036854775807 - 1))   \
  X(INT32, i32, "int32", int32_t, uint32_t, i32, uint32_t, INTEGER, 2147483647, (-2147483647 - 1))                     \
  X(INT16, i16, "int16", int16_t, uint16_t, i16, uint32_t, INTEGER, 32767, (-32767 - 1))                               \
  X(INT8, i8, "int8", int8_t, uint8_t, i8, uint32_t, INTEGER, 127, (-127 - 1))                                         \
  X(UINT8, u8, "uint8", uint8_t, uint8_t, u8, uint32_t, INTEGER, 255, 0)                                               \
  X(BOOL, b8, "bool", uint8_t, uint8_t, b8, uint32_t, BOOLEAN, 1, 0)

/* enumerator; suffix; the name and its other words; 1 if the bits of a float result depend on the order of joining, so
   that 16-bit floats are joined in float32; identity; how b joins a; the loops of the CPU's scatter for it:
     BITS   for integers and bool; floats share those of the integers of their width
     SUMS   for all but 16-bit floats, uint8 (which shares int8's) and bool (whose sum is a maximum, its product a minimum)
     PAIRS  for dtypes of 32 bits and more, of pairs of a sum and a count
     OWN    for every dtype
   A mean is a sum with a finishing division, so it joins as one. */
#define STREW_REDUCTIONS(X)                                                                                            \
  X(ASSIGN, assign, "assign", NULL, NULL, 0, ZERO, (b), BITS)                                                          \
  X(SUM, sum, "sum", "add", NULL, 1, ZERO, PLUS(a, b), SUMS)                                                           \
  X(PROD, prod, "prod", "multiply", "mul", 1, ONE, TIMES(a, b), SUMS)                                                  \
  X(MEAN, mean, "mean", NULL, NULL, 1, ZERO, PLUS(a, b), PAIRS)                                                        \
  X(AMAX, amax, "amax", "max", NULL, 0, LOWEST, MAXIMUM(a, b), OWN)                                                    \
  X(AMIN, amin, "amin", "min", NULL, 0, HIGHEST, MINIMUM(a, b), OWN)

#endif
