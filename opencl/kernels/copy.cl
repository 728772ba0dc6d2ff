/* copy.cl: WORD is the unsigned type of an element's size. */
#include "prelude.h"
#include "space.h"

__kernel void move(SPACE, OPERAND(WORD, to), OPERAND(const WORD, from)) {
  ROW_AND_COLUMN;
  to[AT(to)] = from[AT(from)];
}

__kernel void fill(SPACE, OPERAND(WORD, to), const WORD value) {
  ROW_AND_COLUMN;
  to[AT(to)] = value;
}
