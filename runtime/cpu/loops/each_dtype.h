/* each_dtype.h: includes the file named by LOOPS once per dtype, with
     S         the dtype's suffix in the table
     FLOATING  1 for floats, else 0
     HALF      1 for 16-bit floats, which are left out if LOOPS_WIDE is defined (loops over computed dtypes)
     IS_BOOL   1 for bool
     WORD      1 for dtypes of 32 bits and more
     SIGNED    1 for signed integers
   CAT(load_, S) and the like name functions of scalar.h. LOOPS and LOOPS_WIDE are undefined at the end. */
#ifndef LOOPS
#error "define LOOPS, the file of loops, before including each_dtype.h"
#endif

#include "runtime/base/dtype.h"
#include "runtime/shared/scalar.h"

_Static_assert(STREW_DTYPE_COUNT == 10, "each_dtype.h needs one block per row of the dtype table");

#define FLOATING 1
#define IS_BOOL  0
#define HALF     0
#define WORD     1
#define SIGNED   0
#define S        f32
#include LOOPS
#undef S
#define S f64
#include LOOPS
#undef S
#undef HALF
#undef WORD
#define WORD 0
#ifndef LOOPS_WIDE
#define HALF 1
#define S    f16
#include LOOPS
#undef S
#define S bf16
#include LOOPS
#undef S
#undef HALF
#endif
#define HALF 0
#undef FLOATING
#undef WORD
#undef SIGNED
#define FLOATING 0
#define WORD     1
#define SIGNED   1
#define S        i64
#include LOOPS
#undef S
#define S i32
#include LOOPS
#undef S
#undef WORD
#define WORD 0
#define S    i16
#include LOOPS
#undef S
#define S i8
#include LOOPS
#undef S
#undef SIGNED
#define SIGNED 0
#define S      u8
#include LOOPS
#undef S
#undef IS_BOOL
#define IS_BOOL 1
#define S       b8
#include LOOPS
#undef S
#undef IS_BOOL
#undef FLOATING
#undef HALF
#undef WORD
#undef SIGNED
#undef LOOPS
#undef LOOPS_WIDE
