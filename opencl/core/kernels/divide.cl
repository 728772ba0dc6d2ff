/* divide.cl: sums divided by their counts. S is self's dtype. */
#include "space.h"
#include "runtime/core/shared/scalar.h"

__kernel void divide(SPACE, OPERAND(CAT(T_, S), self), OPERAND(const long, count), const long extra) {
  ROW_AND_COLUMN;
  const long received = count[AT(count)];
  if (received > 0)
    self[AT(self)] = CAT(store_, S)(CAT(divide_by_count_, S)(CAT(load_, S)(self[AT(self)]), received + extra));
}
