/* program.h: a program of elementwise instructions, which the host writes (instructions.c):
     GIVES                           suffix of the result's dtype
     OPERANDS(INPUT, TABLE, NUMBER)  for each input, table and number its form (dtype, name)
     STEPS                           SET(dtype, name, expression) for each instruction but the last, of numbers and of
                                     x_element, the element of input x; INT if dtype is neither float32 nor float64
     RESULT                          the expression of the last
     TAKES                           an instruction that takes elements of a table notes where the index is out of
                                     range, in the kernel's last argument, `bad` */
#include "runtime/elementwise/shared/arithmetic.h"
#include "runtime/elementwise/shared/exact.h"

#define S f32
#include "runtime/elementwise/shared/arithmetic.inc"
#undef S
#ifdef HAS_FLOAT64
#define S f64
#include "runtime/elementwise/shared/arithmetic.inc"
#undef S
#endif
#define S i64
#include "runtime/elementwise/shared/arithmetic.inc"
#undef S
#define S i32
#include "runtime/elementwise/shared/arithmetic.inc"
#undef S
#define S i16
#include "runtime/elementwise/shared/arithmetic.inc"
#undef S
#define S i8
#include "runtime/elementwise/shared/arithmetic.inc"
#undef S
#define S u8
#include "runtime/elementwise/shared/arithmetic.inc"
#undef S
#define S u64
#include "runtime/elementwise/shared/arithmetic.inc"
#undef S
#define S b8
#include "runtime/elementwise/shared/arithmetic.inc"
#undef S

/* An element of dtype `from` as one of dtype `to`. */
#define TO(to, from, x)     CAT(to, CAT(_from_, CAT(EXACT_, from)))(CAT(exact_, from)(x))
#define SET(s, name, value) const T_##s name = value;
/* Mesa's llvmpipe takes a float times or by a 0 that its compiler knows for 0; Oclgrind converts a bool that it knows to
   be negated to 1, not -1: they do not get to know integers. */
#ifdef HIDES_INTEGERS
#define INT(s, name, value) const T_##s name = (T_##s)(value) ^ (T_##s)get_local_id(2);
#else
#define INT(s, name, value) SET(s, name, value)
#endif
/* ELEMENT(x) is the element of input x. */
#define ELEMENT_INPUT(s, x) const T_##s x##_element = ELEMENT(x);
#define NOTHING(s, x)
#define PARAMETER_NUMBER(s, x) , const T_##s x

#ifdef TAKES
#define PARAMETER_BAD , __global uint *bad
#define PASSED_BAD    , bad
#define NOTE(bit)     atomic_or(bad, bit)
#else
#define PARAMETER_BAD
#define PASSED_BAD
#define NOTE(bit)
#endif
/* The position that an index value names in a table. Of one out of range it is 0, and the instruction's bit is set. */
#define TAKEN(instruction, index, size) taken(index, size, 1u << instruction PASSED_BAD)
static inline long taken(long index, long size, uint bit PARAMETER_BAD) {
  if (index >= 0 && index < size) return index;
  NOTE(bit);
  return 0;
}
