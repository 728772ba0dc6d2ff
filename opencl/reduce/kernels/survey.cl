/* survey.cl: which bits the elements of a tensor have, and which kinds there are (exact.h). S: suffix of their dtype, R:
   that of float32 or float64, as which they are surveyed; STRIP: columns of a work-item. found: the lowest place, the
   highest, and kinds. */
#include "opencl/core/kernels/space.h"
#include "runtime/elementwise/shared/exact.h"

#define BITS_f32(x) bits_of_float(x)
#define BITS_f64(x) bits_of_double(x)
#define INFINITE_f32 0x7f800000u
#define INFINITE_f64 0x7ff0000000000000ul
#define SIGN_f32     0x80000000u
#define SIGN_f64     0x8000000000000000ul

__kernel void survey(SPACE, OPERAND(const CAT(T_, S), x), __global int *found) {
  __local int here[3];
  const bool is_first = get_local_id(0) + get_local_id(1) == 0;
  const long begin = (long)get_global_id(0) * STRIP, row = (long)get_global_id(1);
  const long end = row >= rows ? begin : columns - begin < STRIP ? columns : begin + STRIP;
  const coordinates at = coordinates_of(row < rows ? row : 0, rows, sizes);
  int low = EXACT_NONE, top = -1, kinds = 0;
  for (long column = begin; column < end; column++) {
    const CAT(B_, R) bits = CAT(BITS_, R)(CAT(exact_, S)(x[AT(x)])), magnitude = bits & ~CAT(SIGN_, R);
    const ulong digits = CAT(exact_digits_, R)(bits);
    const int place = CAT(exact_place_, R)(bits), zeros = digits ? (int)clz(digits & (0ul - digits)) : 0;
    low = digits ? min(low, place + 63 - zeros) : low;
    top = digits ? max(top, place + 63 - (int)clz(digits)) : top;
    kinds |= magnitude > CAT(INFINITE_, R) ? EXACT_NAN : 0;
    kinds |= magnitude != CAT(INFINITE_, R) ? 0 : bits == magnitude ? EXACT_POSITIVE : EXACT_NEGATIVE;
    kinds |= bits == CAT(SIGN_, R) ? EXACT_MINUS_ZERO : 0;
  }
  if (is_first) here[0] = EXACT_NONE, here[1] = -1, here[2] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_min(here, low);
  atomic_max(here + 1, top);
  atomic_or(here + 2, kinds);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (!is_first) return;
  atomic_min(found, here[0]);
  atomic_max(found + 1, here[1]);
  atomic_or(found + 2, here[2]);
}
