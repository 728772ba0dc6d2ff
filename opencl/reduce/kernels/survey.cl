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

__kernel void survey(SPACE, OPERAND(const CAT(T_, S), x), volatile __global int *found) {
  const long begin = (long)get_global_id(0) * STRIP, row = (long)get_global_id(1);
  if (begin >= columns || row >= rows) return;
  const long end = columns - begin < STRIP ? columns : begin + STRIP;
  const coordinates at = coordinates_of(row, rows, sizes);
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
  if (low < found[0]) atomic_min(found, low);
  if (top > found[1]) atomic_max(found + 1, top);
  if (kinds & ~found[2]) atomic_or(found + 2, kinds);
}
