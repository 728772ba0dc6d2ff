/* tables.h: the tables from which names, C loops, device kernels and rows of the script interface are made: dtypes,
   reductions, folds, elementwise operations. Each fact about one of them has its home here. A new row needs its
   enumerator in strew.h, at the same place, and a body in arithmetic.inc if it is an elementwise operation.
   Only tokens that mean the same in C11 and OpenCL C are used in the cells that become code. */
#ifndef STREW_TABLES_H
#define STREW_TABLES_H

/* C always has a float64 row. An OpenCL program has it only if its host defines HAS_FLOAT64. */
#ifndef __OPENCL_VERSION__
#define HAS_FLOAT64
#endif
#ifdef HAS_FLOAT64
#define STREW_FLOAT64_ROW(X)                                                                                           \
  X(FLOAT64, f64, "float64", double, uint64_t, f64, double, FLOATING, 53, (double)INFINITY, -(double)INFINITY)
#else
#define STREW_FLOAT64_ROW(X)
#endif

/* enumerator; suffix of functions; name; stored as; unsigned of that width; suffix of the computed dtype; unsigned type
   in which sums wrap; category in type promotion; binary digits of the significand (0: no float); identities of the
   minimum and of the maximum. */
#define STREW_DTYPES(X)                                                                                                \
  X(FLOAT32, f32, "float32", float, uint32_t, f32, float, FLOATING, 24, INFINITY, -INFINITY)                           \
  STREW_FLOAT64_ROW(X)                                                                                                 \
  X(FLOAT16, f16, "float16", uint16_t, uint16_t, f32, float, FLOATING, 11, INFINITY, -INFINITY)                        \
  X(BFLOAT16, bf16, "bfloat16", uint16_t, uint16_t, f32, float, FLOATING, 8, INFINITY, -INFINITY)                      \
  X(INT64, i64, "int64", int64_t, uint64_t, i64, uint64_t, INTEGER, 0, 9223372036854775807,                            \
    (-9223372036854775807 - 1))                                                                                        \
  X(INT32, i32, "int32", int32_t, uint32_t, i32, uint32_t, INTEGER, 0, 2147483647, (-2147483647 - 1))                  \
  X(INT16, i16, "int16", int16_t, uint16_t, i16, uint32_t, INTEGER, 0, 32767, (-32767 - 1))                            \
  X(INT8, i8, "int8", int8_t, uint8_t, i8, uint32_t, INTEGER, 0, 127, (-127 - 1))                                      \
  X(UINT8, u8, "uint8", uint8_t, uint8_t, u8, uint32_t, INTEGER, 0, 255, 0)                                            \
  X(BOOL, b8, "bool", uint8_t, uint8_t, b8, uint32_t, BOOLEAN, 0, 1, 0)

/* enumerator; suffix; name and its other words; 1 if the bits of a float result depend on the order of joining;
   identity; how b joins a; loops of the CPU's scatter, and how 16-bit floats are joined:
     BITS      for integers and bool; floats, moved as bits, share those of the integers of their width
     SUMS      for all but 16-bit floats, uint8 (shares int8's) and bool (its sum is a maximum, its product a minimum);
               16-bit floats are joined as float32, and rounded once at the end
     PAIRS     for dtypes of 32 bits and more, of pairs of a sum and a count; 16-bit floats as above
     COMPUTED  for all but 16-bit floats, which are joined as float32
     OWN       for every dtype: 16-bit floats are joined as stored, by stored_... of scalar.h
   A mean joins as a sum, which is divided at the end. */
#define STREW_REDUCTIONS(X)                                                                                            \
  X(ASSIGN, assign, "assign", NULL, NULL, 0, ZERO, (b), BITS)                                                          \
  X(SUM, sum, "sum", "add", NULL, 1, ZERO, PLUS(a, b), SUMS)                                                           \
  X(PROD, prod, "prod", "multiply", "mul", 1, ONE, TIMES(a, b), SUMS)                                                  \
  X(MEAN, mean, "mean", NULL, NULL, 1, ZERO, PLUS(a, b), PAIRS)                                                        \
  X(AMAX, amax, "amax", "max", NULL, 0, LOWEST, MAXIMUM(a, b), OWN)                                                    \
  X(AMIN, amin, "amin", "min", NULL, 0, HIGHEST, MINIMUM(a, b), OWN)

#endif
