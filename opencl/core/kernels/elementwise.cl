/* elementwise.cl: programs of elementwise instructions. The host defines the kernel to compile, since each takes a
   compiler its time, and what space.h needs:
     DENSE      `dense`, for contiguous operands; on a GPU EACH elements per work-item
     ROWS       `rows`, for any strides
     PACKED     the same, whose offsets, strides and numbers are in memory: drivers limit the bytes of arguments
   of a program (program.h), or
     GENERAL    `general`, for a single operation on up to three inputs of any dtypes, chosen at run time
     S, R, VIA  see elements.h
     INPUTS     number of inputs
     FUNCTION   the operation, such as clamp_, without its suffix; or
     TABLE      STREW_UNARY or STREW_BINARY: the operation is one of its rows, chosen at run time, too
     TESTS      with TABLE: only rows that give bool; else only those that do not
     TIES       suffix of functions of floats, if it is not S: of a 16-bit float that is computed as float32
     MOVES      values are moved, not computed with */
#include "space.h"
#include "runtime/elementwise/shared/arithmetic.h"

/* A work-item computes STRIP columns. On a GPU adjacent columns go to adjacent work-items, a few to each at the group's
   distance: so more bytes are in flight. Else they are many and adjacent, so that the loop over them is vectorised. A
   row's coordinates are computed once. */
#ifdef IS_GPU
#define COLUMN_STEP (long)get_local_size(0)
#define FIRST_COLUMN (((long)get_global_id(0) - (long)get_local_id(0)) * STRIP + (long)get_local_id(0))
#define LAST_COLUMN (begin + (STRIP - 1) * COLUMN_STEP)
#else
#define COLUMN_STEP 1
#define FIRST_COLUMN ((long)get_global_id(0) * STRIP)
#define LAST_COLUMN (begin + STRIP - 1)
#endif
#define STRIP_START                                                                                                    \
  const long begin = FIRST_COLUMN, row = (long)get_global_id(1);                                                       \
  if (begin >= columns || row >= rows) return;                                                                         \
  const long end = min(columns, LAST_COLUMN + 1);                                                                      \
  const coordinates at = coordinates_of(row, rows, sizes)
#define EACH_COLUMN                                                                                                    \
  STRIP_START;                                                                                                         \
  for (long column = begin; column < end; column += COLUMN_STEP)

#ifdef GENERAL
#include "elements.h"
#ifndef MOVES
#include "runtime/elementwise/shared/arithmetic.inc"
#endif

#ifndef TIES
#define TIES S
#endif

static inline VALUE CAT(convert_, S)(VALUE x) { return x; }
static inline VALUE CAT(where_, S)(VALUE condition, VALUE a, VALUE b) { return condition != 0 ? a : b; }

#if INPUTS == 1
#define EACH_INPUT(form) form(a)
#define VALUES           a
#define PARAMETERS       VALUE a
#elif INPUTS == 2
#define EACH_INPUT(form) form(a), form(b)
#define VALUES           a, b
#define PARAMETERS       VALUE a, VALUE b
#else
#define EACH_INPUT(form) form(a), form(b), form(c)
#define VALUES           a, b, c
#define PARAMETERS       VALUE a, VALUE b, VALUE c
#endif

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
#define SUFFIX_ANY      S
#define SUFFIX_NUMBERS  S
#define SUFFIX_BITS     S
#define SUFFIX_FLOATS   TIES
#define SUFFIX_INTEGERS S
#define SUFFIX_STORED   S
#define CASE(code, function, suffix)                                                                                   \
  case code: return (RESULT)CAT(function, suffix)(VALUES);
#define ROW(ENUM, name, function, takes, gives, work, asks)                                                            \
  FOR_##takes(GIVES_##gives(CASE(CODE_##ENUM, function##_, SUFFIX_##takes)))
    TABLE(ROW)
#undef ROW
  }
  return 0;
#else
  return (RESULT)CAT(FUNCTION, TIES)(VALUES);
#endif
}

/* A negative dtype means that the input is a number. */
#define GENERAL_INPUT(x) OPERAND(const uchar, x), const int x##_dtype, const VALUE x##_number
#define GENERAL_VALUE(x) (x##_dtype < 0 ? x##_number : value_at(x##_dtype, x, AT(x)))

__kernel void general(SPACE, OPERAND(uchar, to), const int to_dtype, const int op, EACH_INPUT(GENERAL_INPUT)) {
  EACH_COLUMN { store_at(to_dtype, to, AT(to), function(op, EACH_INPUT(GENERAL_VALUE))); }
}

#else
#include "program.h"

#define COMPUTE_TO(result)                                                                                             \
  OPERANDS(ELEMENT_INPUT, NOTHING, NOTHING)                                                                            \
  STEPS                                                                                                                \
  result = RESULT;
#define COMPUTE COMPUTE_TO(ELEMENT(to))

#ifdef DENSE
#define MEMORY(type, x) __global type *x, const long x##_offset
#define ELEMENT(x)      x[x##_offset + i]
#else
#define MEMORY(type, x) OPERAND(type, x)
#define ELEMENT(x)      x[AT(x)]
#endif
#ifndef PACKED
#define PARAMETER_INPUT(s, x) , MEMORY(const T_##s, x)
#define PARAMETER_TABLE(s, x) , MEMORY(const T_##s, x)
#endif
#define PARAMETERS OPERANDS(PARAMETER_INPUT, PARAMETER_TABLE, PARAMETER_NUMBER) PARAMETER_BAD

/* Computes all of a work-item's elements before it stores the first: no load may pass a store to memory that an operand
   may share. So all are in flight. For UNROLLED, short programs on a GPU. */
#define COMPUTE_ALL(count, position, first, step)                                                                      \
  {                                                                                                                    \
    CAT(T_, GIVES) results[count];                                                                                     \
    UNROLL for (int e = 0; e < count; e++) {                                                                           \
      const long position = (first) + e * (step);                                                                      \
      COMPUTE_TO(results[e])                                                                                           \
    }                                                                                                                  \
    UNROLL for (int e = 0; e < count; e++) {                                                                           \
      const long position = (first) + e * (step);                                                                      \
      ELEMENT(to) = results[e];                                                                                        \
    }                                                                                                                  \
    return;                                                                                                            \
  }

#if defined(DENSE) && defined(EACH)
/* A work-item computes EACH elements, at the group's distance. Whole groups test no bounds. */
GROUP_KERNEL dense(const long count, MEMORY(CAT(T_, GIVES), to) PARAMETERS) {
  const long begin = (long)group_id() * (EACH * GROUP_SIZE), first = begin + (long)get_local_id(0);
#ifdef UNROLLED
  if (begin + EACH * GROUP_SIZE <= count) COMPUTE_ALL(EACH, i, first, GROUP_SIZE)
#endif
  const long end = min(count, begin + EACH * GROUP_SIZE);
  for (long i = first; i < end; i += GROUP_SIZE) { COMPUTE }
}
#elif defined(DENSE)
__kernel void dense(const long count, MEMORY(CAT(T_, GIVES), to) PARAMETERS) {
  const long i = (long)get_global_id(0);
  if (i < count) { COMPUTE }
}
#elif !defined(PACKED)
__kernel void rows(SPACE, MEMORY(CAT(T_, GIVES), to) PARAMETERS) {
#ifdef UNROLLED
  STRIP_START;
  if (end == LAST_COLUMN + 1) COMPUTE_ALL(STRIP, column, begin, COLUMN_STEP)
  for (long column = begin; column < end; column += COLUMN_STEP) { COMPUTE }
#else
  EACH_COLUMN { COMPUTE }
#endif
}
#else
#define PARAMETER_INPUT(s, x) , __global const T_##s *x
#if OUTER == 1
#define COORDINATES_AT(p) *(p)
#else
#define COORDINATES_AT(p) CAT(vload, OUTER)(0, p)
#endif
#define UNPACK_INPUT(s, x)                                                                                             \
  const long x##_offset = packed[0], x##_step = packed[1];                                                             \
  const coordinates x##_strides = COORDINATES_AT(packed + 2);                                                          \
  packed += 2 + OUTER;
#define UNPACK_NUMBER(s, x) const T_##s x = *(__global const T_##s *)packed++;

__kernel void rows(SPACE, __global const long *packed,
                   __global CAT(T_, GIVES) *to OPERANDS(PARAMETER_INPUT, PARAMETER_INPUT, NOTHING) PARAMETER_BAD) {
  UNPACK_INPUT(GIVES, to)
  OPERANDS(UNPACK_INPUT, UNPACK_INPUT, UNPACK_NUMBER)
  EACH_COLUMN { COMPUTE }
}
#endif
#endif
