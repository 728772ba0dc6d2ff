/* computed.h: kernels that read elements of S from memory, or compute them where they read them: by a program of one
   dimension (program.h) that the host writes in place of S, or beside SELF, which then is S. A kernel or function has
   PROGRAM behind its parameters, of which it passes PROGRAM_PASSED, and reads ELEMENT_AT(memory, at). UNIT: the program's
   inputs have unit stride. */
#include "space.h"

#include "runtime/core/shared/scalar.h"

#ifdef GIVES
#include "program.h"
#ifdef SELF
#define S SELF
#else
#define S GIVES
#endif
#ifdef UNIT
#define ELEMENT(x) x[x##_offset + i]
#else
#define ELEMENT(x) x[x##_offset + i * x##_step]
#endif
#define PARAMETER_INPUT(s, x) , __global const T_##s *x, const long x##_offset, const long x##_step
#define PROGRAM               OPERANDS(PARAMETER_INPUT, PARAMETER_INPUT, PARAMETER_NUMBER) PARAMETER_BAD
static inline CAT(T_, GIVES) element_at(long i PROGRAM) {
  OPERANDS(ELEMENT_INPUT, NOTHING, NOTHING)
  STEPS
  return RESULT;
}
#undef ELEMENT
#define PASSED_INPUT(s, x)     , x, x##_offset, x##_step
#define PASSED_NUMBER(s, x)    , x
#define PROGRAM_PASSED         OPERANDS(PASSED_INPUT, PASSED_INPUT, PASSED_NUMBER) PASSED_BAD
#define ELEMENT_AT(memory, at) element_at(at PROGRAM_PASSED)
#else
#define PROGRAM
#define PROGRAM_PASSED
#define ELEMENT_AT(memory, at) memory[at]
#endif
