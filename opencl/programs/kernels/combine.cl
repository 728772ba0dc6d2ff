/* combine.cl: reductions of one's own. A work-item combines the elements of one column of a sequence, in order. A
   launch takes the elements of places from .. to - 1; accumulators stay in memory meanwhile. The host defines
     ORDERED                places are those in `order`; else elements are in order themselves
     PARTIAL                the accumulators' values after each element are stored, too
     ACCUMULATORS(FORM)     FORM(dtype, name) for each
     SOURCES(FORM)          FORM(dtype that programs see, dtype in memory, name) for each
     POSITION               name of the element's number, if programs may read it
     NUMBERS(NUMBER)        NUMBER(dtype, name) for each
     STEPS                  SET(dtype, name, expression) for each instruction
     CHANGES(TEST, CHANGE)  TEST(value) for each test, CHANGE(value, name) for each accumulator's next value */
#include "opencl/core/kernels/space.h"
#include "opencl/core/kernels/program.h"

#ifdef ORDERED
#define PLACE order[order_offset + k]
#else
#define PLACE k
#endif

#ifdef PARTIAL
#define PARAMETER_PARTIAL(s, x) , __global T_##s *x##_partial, const long x##_partial_offset
#define STORE_PARTIAL(s, x)     x##_partial[x##_partial_offset + place * columns + column] = x##_element;
#else
#define PARAMETER_PARTIAL(s, x)
#define STORE_PARTIAL(s, x)
#endif
#define PARAMETER_ACCUMULATOR(s, x) , __global T_##s *x, const long x##_offset PARAMETER_PARTIAL(s, x)
#define PARAMETER_SOURCE(seen, s, x)                                                                                   \
  , __global const T_##s *x, const long x##_offset, const long x##_row, const long x##_column
/* PoCL 6.0's compiler (LLVM 18) aborts at an integer remainder of a loop-carried variable. */
#ifdef POCL_DEVICE_ADDRESS_BITS
#define CARRIED volatile
#else
#define CARRIED
#endif
#define LOAD(s, x)       CARRIED T_##s x##_element = x[x##_offset + id];
#define STORE(s, x)      x[x##_offset + id] = x##_element;
#define READ(seen, s, x)                                                                                               \
  const T_##seen x##_element = TO(seen, s, x[x##_offset + place * x##_row + column * x##_column]);
#define TEST(value)      holds = holds && value;
#define CHANGE(value, x) x##_element = value;

__kernel void combine(const long count, const long columns, const long from, const long to, __global const long *starts,
                      const long starts_offset, __global const long *order, const long order_offset,
                      __global int *bad ACCUMULATORS(PARAMETER_ACCUMULATOR) SOURCES(PARAMETER_SOURCE)
                          NUMBERS(PARAMETER_NUMBER)) {
  const long id = (long)get_global_id(0);
  if (id >= count * columns) return;
  const long sequence = quotient(id, columns), column = id - sequence * columns;
  const long begin = starts[starts_offset + sequence], end = starts[starts_offset + sequence + 1];
  const long low = max(begin, from), high = min(end, to);
  if (low >= high) return;
  bool holds = true;
  ACCUMULATORS(LOAD)
  IN_ORDER for (long k = low; k < high; k++) {
    const long place = PLACE;
#ifdef POSITION
    const long POSITION = place;
#endif
    SOURCES(READ)
    STEPS
    CHANGES(TEST, CHANGE)
    ACCUMULATORS(STORE_PARTIAL)
  }
  ACCUMULATORS(STORE)
  if (!holds) atomic_or(bad, 1);
}
