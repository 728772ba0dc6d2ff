/* elementwise.cl: one operation on up to three inputs. The host defines what elements.h and space.h need, and
     FLOATING, IS_BOOL   of S, for arithmetic.inc
     INPUTS              number of inputs
     FUNCTION            the operation, such as plus_, without its suffix
     A, B, C             kinds of the inputs: tensor (of dtype IN), number, or condition (a tensor of bools)
     MOVES               values are moved, not computed with
   and the kernel to compile, since each takes a compiler its time:
     DENSE               `dense`, for contiguous operands
     ROWS                `rows`, for any strides
     GENERAL             `general`, for inputs of any dtypes, chosen at run time; in place of FUNCTION it takes
     TABLE               STREW_UNARY or STREW_BINARY: the operation is one of its rows, chosen at run time, too
     TESTS               with TABLE: only rows that give bool; else only those that do not */
#include "space.h"
#include "arithmetic.h"
#include "elements.h"
#ifndef MOVES
#include "arithmetic.inc"
#endif

static inline VALUE CAT(same_, S)(VALUE x) { return x; }
static inline VALUE CAT(where_, S)(VALUE condition, VALUE a, VALUE b) { return condition != 0 ? a : b; }

#if INPUTS == 1
#define EACH_INPUT(form) form(A, a)
#define VALUES           a
#define PARAMETERS       VALUE a
#elif INPUTS == 2
#define EACH_INPUT(form) form(A, a), form(B, b)
#define VALUES           a, b
#define PARAMETERS       VALUE a, VALUE b
#else
#define EACH_INPUT(form) form(A, a), form(B, b), form(C, c)
#define VALUES           a, b, c
#define PARAMETERS       VALUE a, VALUE b, VALUE c
#endif

#define APPLY CAT(FUNCTION, S)

/* A work-item computes STRIP adjacent columns: 1 on a GPU, where adjacent columns go to adjacent work-items; else many,
   so that a row's coordinates are computed once and the loop over columns is vectorised. */
#define EACH_COLUMN                                                                                                    \
  const long begin = (long)get_global_id(0) * STRIP, row = (long)get_global_id(1);                                     \
  if (begin >= columns || row >= rows) return;                                                                         \
  const long end = columns - begin < STRIP ? columns : begin + STRIP;                                                  \
  const coordinates at = coordinates_of(row, rows, sizes);                                                             \
  for (long column = begin; column < end; column++)

#ifndef GENERAL
#ifdef DENSE
#define MEMORY(type, x) __global type *x, const long x##_offset
#define ELEMENT(x)      x[x##_offset + i]
#else
#define MEMORY(type, x) OPERAND(type, x)
#define ELEMENT(x)      x[AT(x)]
#endif
#define INPUT(kind, x)     CAT(INPUT_, kind)(x)
#define INPUT_tensor(x)    MEMORY(const CAT(T_, IN), x)
#define INPUT_condition(x) MEMORY(const uchar, x)
#define INPUT_number(x)    const VALUE x
#define OF(kind, x)        CAT(OF_, kind)(x)
#define OF_tensor(x)       value_of(ELEMENT(x))
#define OF_condition(x)    ELEMENT(x)
#define OF_number(x)       x
#define COMPUTE            ELEMENT(to) = stored((RESULT)APPLY(EACH_INPUT(OF)))

#ifdef DENSE
__kernel void dense(const long count, MEMORY(CAT(T_, OUT), to), EACH_INPUT(INPUT)) {
  const long i = (long)get_global_id(0);
  if (i < count) COMPUTE;
}
#else
__kernel void rows(SPACE, MEMORY(CAT(T_, OUT), to), EACH_INPUT(INPUT)) {
  EACH_COLUMN { COMPUTE; }
}
#endif

#else
static inline RESULT function(int op, PARAMETERS) {
#ifdef TABLE
  switch (op) {
#ifdef TESTS
#define GIVES_COMMON(text)
#define GIVES_ORDER(text) text
#define GIVES_TRUTH(text) text
#else
#define GIVES_COMMON(text) text
#define GIVES_ORDER(text)
#define GIVES_TRUTH(text)
#endif
#define CASE(code, function)                                                                                           \
  case code: return (RESULT)CAT(function, S)(VALUES);
#define ROW(ENUM, name, function, takes, gives, work, asks) FOR_##takes(GIVES_##gives(CASE(CODE_##ENUM, function##_)))
    TABLE(ROW)
#undef ROW
  }
  return 0;
#else
  return (RESULT)APPLY(VALUES);
#endif
}

/* A negative dtype means that the input is a number. */
#define GENERAL_INPUT(kind, x) OPERAND(const uchar, x), const int x##_dtype, const VALUE x##_number
#define GENERAL_VALUE(kind, x) (x##_dtype < 0 ? x##_number : value_at(x##_dtype, x, AT(x)))

__kernel void general(SPACE, OPERAND(uchar, to), const int to_dtype, const int op, EACH_INPUT(GENERAL_INPUT)) {
  EACH_COLUMN { store_at(to_dtype, to, AT(to), function(op, EACH_INPUT(GENERAL_VALUE))); }
}
#endif
