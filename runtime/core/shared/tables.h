/* tables.h: the tables from which names, C loops, device kernels and rows of the script interface are made: dtypes,
   reductions, folds, reductions of groups, elementwise operations. Each fact about one of them has its home here. A new
   row needs its enumerator in strew.h, at the same place, and a body in arithmetic.inc if it is an elementwise
   operation. Only tokens that mean the same in C11 and OpenCL C are used in the cells that become code. */
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
   minimum and of the maximum. uint16 and uint32 are computed as wider signed integers, and rounded to their width. */
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
  X(BOOL, b8, "bool", uint8_t, uint8_t, b8, uint32_t, BOOLEAN, 0, 1, 0)                                                \
  X(UINT16, u16, "uint16", uint16_t, uint16_t, i32, uint32_t, INTEGER, 0, 65535, 0)                                    \
  X(UINT32, u32, "uint32", uint32_t, uint32_t, i64, uint64_t, INTEGER, 0, 4294967295, 0)                               \
  X(UINT64, u64, "uint64", uint64_t, uint64_t, u64, uint64_t, INTEGER, 0, 0xffffffffffffffffu, 0)

/* enumerator; suffix; name and its other words; 1 if the bits of a float result depend on the order of joining;
   identity; how b joins a; loops of the CPU's scatter, and how 16-bit floats are joined:
     BITS      for integers and bool; floats, moved as bits, share those of the integers of their width
     SUMS      for all but 16-bit floats, unsigned (shared with signed ones) and bool (its sum is a maximum, its
               product a minimum);
               16-bit floats are joined as float32, and rounded once at the end
     PAIRS     for dtypes of 32 bits and more, of pairs of a sum and a count; 16-bit floats as above
     COMPUTED  for all but 16-bit floats, which are joined as float32
     OWN       for every dtype: 16-bit floats are joined as stored, by higher_S of scalar.h
   A mean joins as a sum, which is divided at the end. */
#define STREW_REDUCTIONS(X)                                                                                            \
  X(ASSIGN, assign, "assign", NULL, NULL, 0, ZERO, (b), BITS)                                                          \
  X(SUM, sum, "sum", "add", NULL, 1, ZERO, PLUS(a, b), SUMS)                                                           \
  X(PROD, prod, "prod", "multiply", "mul", 1, ONE, TIMES(a, b), SUMS)                                                  \
  X(MEAN, mean, "mean", NULL, NULL, 1, ZERO, PLUS(a, b), PAIRS)                                                        \
  X(AMAX, amax, "amax", "max", NULL, 0, LOWEST, MAXIMUM(a, b), OWN)                                                    \
  X(AMIN, amin, "amin", "min", NULL, 0, HIGHEST, MINIMUM(a, b), OWN)

/* Folds of dimensions into one value each. enumerator, STREW_FOLD_...; suffix, which is the name; dtypes it takes (see
   below); what it gives and gathers: WIDE (a float as its computed dtype, others as int64), SAME (an element), PLACE
   (an element and its place, of which the place is given) or TRUTH (bool); what it gives of no elements: ZERO, ONE,
   UNDEFINED (NaN) or NOTHING (an error); what becomes of the joined value: PLAIN (nothing), MEAN, VARIANCE or
   DEVIATION; the row whose loops the CPU takes; the row whose kernels OpenCL takes, and whether every bit is flipped on
   the way in and out (-1) or not (0); identity; how b joins a. */
#define STREW_FOLDS(X)                                                                                                 \
  X(SUM, sum, ANY, WIDE, ZERO, PLAIN, sum, sum, 0, ZERO, PLUS(a, b))                                                   \
  X(PROD, prod, ANY, WIDE, ONE, PLAIN, prod, prod, 0, ONE, TIMES(a, b))                                                \
  X(MEAN, mean, FLOATS, WIDE, UNDEFINED, MEAN, sum, sum, 0, ZERO, PLUS(a, b))                                          \
  X(VAR, var, FLOATS, WIDE, UNDEFINED, VARIANCE, sum, sum, 0, ZERO, PLUS(a, b))                                        \
  X(STD, std, FLOATS, WIDE, UNDEFINED, DEVIATION, sum, sum, 0, ZERO, PLUS(a, b))                                       \
  X(AMIN, amin, ANY, SAME, NOTHING, PLAIN, amin, amax, -1, HIGHEST, MINIMUM(a, b))                                     \
  X(AMAX, amax, ANY, SAME, NOTHING, PLAIN, amax, amax, 0, LOWEST, MAXIMUM(a, b))                                       \
  X(ARGMIN, argmin, ANY, PLACE, NOTHING, PLAIN, argmin, argmax, -1, NO_PLACE, FIRST_MINIMUM(a, b))                     \
  X(ARGMAX, argmax, ANY, PLACE, NOTHING, PLAIN, argmax, argmax, 0, NO_PLACE, FIRST_MAXIMUM(a, b))                      \
  X(ALL, all, ANY, TRUTH, ONE, PLAIN, all, any, -1, ONE, ((a) & (b)))                                                  \
  X(ANY, any, ANY, TRUTH, ZERO, PLAIN, any, any, 0, ZERO, ((a) | (b)))

/* What a reduction of groups takes besides src, the groups, dim, dim_size, mode and skip_nan. WITH_SIZES: in scripts,
   out and dim_size by position, too. BY_ORDER: it also takes text and times, whose order is all that it needs. */
enum { WITH_OUT = 1, WITH_ARG = 2, WITH_FILL = 4, WITH_DTYPE = 8, WITH_UNBIASED = 16, WITH_Q = 32, WITH_SIZES = 64 };
enum { WITH_EXACT = 128, BY_ORDER = 256 };

/* Reductions of groups. enumerator, STREW_GROUP_...; its word: g:WORD, and in agg and pivot; NAME of scatter_NAME;
   dtypes of src: ANY or FLOATS; value of a group without elements: ZERO, ONE or UNDEFINED (NaN; 0 of integers); the
   same in agg and methods of groupings, where none passes for a number; what it takes; 1 if a gradient passes; how it
   is computed: a function of runtime/groups/reduce.h; the reduction that joins its values there. */
#define STREW_GROUP_REDUCTIONS(X)                                                                                      \
  X(SUM, "sum", "sum", ANY, ZERO, ZERO, WITH_EXACT | WITH_OUT | WITH_FILL | WITH_DTYPE | WITH_SIZES, 1, join, SUM)     \
  X(PROD, "prod", "mul", ANY, ONE, ONE, WITH_OUT | WITH_FILL | WITH_DTYPE | WITH_SIZES, 1, join, PROD)                 \
  X(MEAN, "mean", "mean", ANY, ZERO, UNDEFINED, WITH_EXACT | WITH_OUT | WITH_FILL | WITH_DTYPE | WITH_SIZES, 1, join,  \
    MEAN)                                                                                                              \
  X(VAR, "var", "var", FLOATS, ZERO, UNDEFINED, WITH_EXACT | WITH_DTYPE | WITH_UNBIASED, 1, variance, SUM)             \
  X(STD, "std", "std", FLOATS, ZERO, UNDEFINED, WITH_EXACT | WITH_DTYPE | WITH_UNBIASED, 1, deviation, SUM)            \
  X(MIN, "min", "min", ANY, ZERO, UNDEFINED, BY_ORDER | WITH_OUT | WITH_ARG | WITH_FILL | WITH_SIZES, 1, join, AMIN)   \
  X(MAX, "max", "max", ANY, ZERO, UNDEFINED, BY_ORDER | WITH_OUT | WITH_ARG | WITH_FILL | WITH_SIZES, 1, join, AMAX)   \
  X(ANY, "any", "any", ANY, ZERO, ZERO, WITH_OUT, 0, truth, SUM)                                                       \
  X(ALL, "all", "all", ANY, ONE, ONE, WITH_OUT, 0, truth, PROD)                                                        \
  X(FIRST, "first", "first", ANY, ZERO, UNDEFINED, BY_ORDER | WITH_FILL, 1, choice, AMIN)                              \
  X(LAST, "last", "last", ANY, ZERO, UNDEFINED, BY_ORDER | WITH_FILL, 1, choice, AMAX)                                 \
  X(MEDIAN, "median", "median", ANY, UNDEFINED, UNDEFINED, WITH_FILL, 1, median, ASSIGN)                               \
  X(QUANTILE, "quantile", "quantile", ANY, UNDEFINED, UNDEFINED, WITH_FILL | WITH_Q, 1, quantile, ASSIGN)              \
  X(COUNT, "count", "count", ANY, ZERO, ZERO, BY_ORDER, 0, count, SUM)                                                 \
  X(NUNIQUE, "nunique", "nunique", ANY, ZERO, ZERO, BY_ORDER, 0, nunique, SUM)                                         \
  X(LOGSUMEXP, "logsumexp", "logsumexp", FLOATS, ZERO, ZERO, WITH_OUT | WITH_FILL, 1, logsumexp, SUM)                  \
  X(LOWER_MEDIAN, "lower_median", "lower_median", ANY, UNDEFINED, UNDEFINED, WITH_FILL, 1, median, ASSIGN)

/* Elementwise operations. enumerator; name; function of scalar.h or arithmetic.inc, without its suffix; dtypes it
   takes: ANY, NUMBERS (integers and floats), FLOATS (of others, each element as float32), BITS (integers and bools),
   INTEGERS or STORED (floats alone; 16-bit ones are not computed as float32); what it gives: COMMON (the dtype in which
   the operands meet), or bool: ORDER (a comparison, in which a number stands for its value) or TRUTH (of what is zero
   and what is not, numbers too); time of an element, in times that a sum takes (PoCL on one core: a sum, a comparison
   or a move takes 1 to 4 ns); names in scripts, see enum form.
   Rows of SHORT have loops for every dtype and instruction set, those of LONG for some (long_functions.c). */
#define STREW_UNARY_SHORT(X)                                                                                           \
  X(NEG, "neg", neg, NUMBERS, COMMON, 1, EVERY)                                                                        \
  X(ABS, "abs", abs, NUMBERS, COMMON, 1, EVERY)                                                                        \
  X(FLOOR, "floor", floor, NUMBERS, COMMON, 1, EVERY | CONSTANT)                                                       \
  X(CEIL, "ceil", ceil, NUMBERS, COMMON, 1, EVERY | CONSTANT)                                                          \
  X(ROUND, "round", round, NUMBERS, COMMON, 1, EVERY | CONSTANT)                                                       \
  X(RELU, "relu", relu, NUMBERS, COMMON, 1, EVERY)                                                                     \
  X(EXP, "exp", exp, FLOATS, COMMON, 8, EVERY)                                                                         \
  X(LOG, "log", log, FLOATS, COMMON, 8, EVERY)                                                                         \
  X(SQRT, "sqrt", root, FLOATS, COMMON, 8, EVERY)                                                                      \
  X(RSQRT, "rsqrt", rsqrt, FLOATS, COMMON, 8, EVERY)                                                                   \
  X(SIN, "sin", sin, FLOATS, COMMON, 8, EVERY)                                                                         \
  X(COS, "cos", cos, FLOATS, COMMON, 8, EVERY)                                                                         \
  X(TANH, "tanh", tanh, FLOATS, COMMON, 8, EVERY)                                                                      \
  X(SIGMOID, "sigmoid", sigmoid, FLOATS, COMMON, 8, EVERY)                                                             \
  X(LOGICAL_NOT, "logical_not", logical_not, ANY, TRUTH, 1, EVERY)                                                     \
  X(BITWISE_NOT, "bitwise_not", bitwise_not, BITS, COMMON, 1, EVERY)                                                   \
  X(LOG2, "log2", log2, FLOATS, COMMON, 8, EVERY)                                                                      \
  X(LOG10, "log10", log10, FLOATS, COMMON, 8, EVERY)                                                                   \
  X(LOG1P, "log1p", log1p, FLOATS, COMMON, 8, EVERY)                                                                   \
  X(EXPM1, "expm1", expm1, FLOATS, COMMON, 8, EVERY)                                                                   \
  X(SIGN, "sign", sign, ANY, COMMON, 1, EVERY | CONSTANT)                                                              \
  X(SIGNBIT, "signbit", signbit, ANY, TRUTH, 1, EVERY)
#define STREW_UNARY_LONG(X)                                                                                            \
  X(TAN, "tan", tan, FLOATS, COMMON, 16, EVERY)                                                                        \
  X(ASIN, "asin", asin, FLOATS, COMMON, 16, EVERY)                                                                     \
  X(ACOS, "acos", acos, FLOATS, COMMON, 16, EVERY)                                                                     \
  X(ATAN, "atan", atan, FLOATS, COMMON, 16, EVERY)                                                                     \
  X(SINH, "sinh", sinh, FLOATS, COMMON, 16, EVERY)                                                                     \
  X(COSH, "cosh", cosh, FLOATS, COMMON, 16, EVERY)                                                                     \
  X(ASINH, "asinh", asinh, FLOATS, COMMON, 32, EVERY)                                                                  \
  X(ACOSH, "acosh", acosh, FLOATS, COMMON, 32, EVERY)                                                                  \
  X(ATANH, "atanh", atanh, FLOATS, COMMON, 16, EVERY)                                                                  \
  X(EXP2, "exp2", exp2, FLOATS, COMMON, 8, EVERY)                                                                      \
  X(ERF, "erf", erf, FLOATS, COMMON, 32, EVERY)                                                                        \
  X(ERFC, "erfc", erfc, FLOATS, COMMON, 32, EVERY)                                                                     \
  X(GELU, "gelu", gelu, FLOATS, COMMON, 32, EVERY)                                                                     \
  X(CBRT, "cbrt", cbrt, FLOATS, COMMON, 8, EVERY)                                                                      \
  X(SILU, "silu", silu, FLOATS, COMMON, 16, EVERY)                                                                     \
  X(GELU_TANH, "gelu_tanh", gelu_tanh, FLOATS, COMMON, 16, EVERY)
#define STREW_UNARY(X) STREW_UNARY_SHORT(X) STREW_UNARY_LONG(X)
#define STREW_BINARY_SHORT(X)                                                                                          \
  X(ADD, "add", plus, ANY, COMMON, 1, EVERY)                                                                           \
  X(SUB, "sub", minus, NUMBERS, COMMON, 1, EVERY)                                                                      \
  X(MUL, "mul", times, ANY, COMMON, 1, EVERY)                                                                          \
  X(DIV, "div", divide, FLOATS, COMMON, 1, EVERY)                                                                      \
  X(FLOOR_DIVIDE, "floor_divide", floor_divide, NUMBERS, COMMON, 8, EVERY | CONSTANT)                                  \
  X(REMAINDER, "remainder", remainder, NUMBERS, COMMON, 8, EVERY)                                                      \
  X(POW, "pow", pow, NUMBERS, COMMON, 64, EVERY)                                                                       \
  X(MINIMUM, "minimum", minimum, ANY, COMMON, 1, EVERY)                                                                \
  X(MAXIMUM, "maximum", maximum, ANY, COMMON, 1, EVERY)                                                                \
  X(EQ, "eq", eq, ANY, ORDER, 1, EVERY)                                                                                \
  X(NE, "ne", ne, ANY, ORDER, 1, EVERY)                                                                                \
  X(LT, "lt", lt, ANY, ORDER, 1, EVERY)                                                                                \
  X(LE, "le", le, ANY, ORDER, 1, EVERY)                                                                                \
  X(GT, "gt", gt, ANY, ORDER, 1, EVERY)                                                                                \
  X(GE, "ge", ge, ANY, ORDER, 1, EVERY)                                                                                \
  X(LOGICAL_AND, "logical_and", logical_and, ANY, TRUTH, 1, EVERY)                                                     \
  X(LOGICAL_OR, "logical_or", logical_or, ANY, TRUTH, 1, EVERY)                                                        \
  X(BITWISE_AND, "bitwise_and", bitwise_and, BITS, COMMON, 1, EVERY)                                                   \
  X(BITWISE_OR, "bitwise_or", bitwise_or, BITS, COMMON, 1, EVERY)                                                      \
  X(BITWISE_XOR, "bitwise_xor", bitwise_xor, BITS, COMMON, 1, EVERY)                                                   \
  X(FMOD, "fmod", fmod, NUMBERS, COMMON, 8, EVERY)                                                                     \
  X(COPYSIGN, "copysign", copysign, FLOATS, COMMON, 1, EVERY)                                                          \
  X(BITWISE_LEFT_SHIFT, "bitwise_left_shift", bitwise_left_shift, INTEGERS, COMMON, 1, EVERY)                          \
  X(BITWISE_RIGHT_SHIFT, "bitwise_right_shift", bitwise_right_shift, INTEGERS, COMMON, 1, EVERY)                       \
  X(GCD, "gcd", gcd, INTEGERS, COMMON, 64, EVERY)                                                                      \
  X(LCM, "lcm", lcm, INTEGERS, COMMON, 64, EVERY)
#define STREW_BINARY_LONG(X)                                                                                           \
  X(ATAN2, "atan2", atan2, FLOATS, COMMON, 32, EVERY)                                                                  \
  X(HYPOT, "hypot", hypot, FLOATS, COMMON, 16, EVERY)                                                                  \
  X(LOGADDEXP, "logaddexp", logaddexp, FLOATS, COMMON, 32, EVERY)                                                      \
  X(NEXTAFTER, "nextafter", nextafter, STORED, COMMON, 1, EVERY)
#define STREW_BINARY(X) STREW_BINARY_SHORT(X) STREW_BINARY_LONG(X)

#endif
