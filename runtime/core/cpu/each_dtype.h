/* each_dtype.h: includes the file named by LOOPS once per dtype, with
     S         the dtype's suffix in the table
     FLOATING  1 for floats, else 0
     HALF      1 for 16-bit floats, which are left out if LOOPS_WIDE is defined (loops over computed dtypes)
     IS_BOOL   1 for bool
     WORD      1 for dtypes of 32 bits and more
     SIGNED    1 for signed integers
   Unsigned integers, but for uint8, are left out unless LOOPS_UNSIGNED is defined, and all with LOOPS_SIGNED: loops of
   signed ones serve them. CAT(load_, S) and the like name functions of scalar.h. LOOPS and LOOPS_... are undefined at
   the end. Macros of that file need #undef only if their text differs between dtypes. */
#ifndef LOOPS
#error "define LOOPS, the file of loops, before including each_dtype.h"
#endif

#include "runtime/core/base/dtype.h"
#include "runtime/core/shared/scalar.h"

_Static_assert(STREW_DTYPE_COUNT == 13, "each_dtype.h needs one block per row of the dtype table");

/* A digit per fact, in the order above. */
#define FACTS_f32  0x10010
#define FACTS_f64  0x10010
#define FACTS_f16  0x11000
#define FACTS_bf16 0x11000
#define FACTS_i64  0x00011
#define FACTS_i32  0x00011
#define FACTS_i16  0x00001
#define FACTS_i8   0x00001
#define FACTS_u8   0x00000
#define FACTS_b8   0x00100
#define FACTS_u16  0x00000
#define FACTS_u32  0x00010
#define FACTS_u64  0x00010
#define FACT(at)   (1 & (CAT(FACTS_, S) >> 4 * (at)))
#define FLOATING   FACT(4)
#define HALF       FACT(3)
#define IS_BOOL    FACT(2)
#define WORD       FACT(1)
#define SIGNED     FACT(0)

#define S f32
#include LOOPS
#undef S
#define S f64
#include LOOPS
#undef S
#ifndef LOOPS_WIDE
#define S f16
#include LOOPS
#undef S
#define S bf16
#include LOOPS
#undef S
#endif
#define S i64
#include LOOPS
#undef S
#define S i32
#include LOOPS
#undef S
#define S i16
#include LOOPS
#undef S
#define S i8
#include LOOPS
#undef S
#ifndef LOOPS_SIGNED
#define S u8
#include LOOPS
#undef S
#endif
#ifdef LOOPS_UNSIGNED
#define S u16
#include LOOPS
#undef S
#define S u32
#include LOOPS
#undef S
#define S u64
#include LOOPS
#undef S
#endif
#define S b8
#include LOOPS
#undef S
#undef LOOPS
#undef LOOPS_WIDE
#undef LOOPS_SIGNED
#undef LOOPS_UNSIGNED
