/* standing.h: numbers among the elements of a dtype. */
#ifndef STREW_STANDING_H
#define STREW_STANDING_H

#include "runtime/core/base/dtype.h"

/* The largest finite element of each float dtype. */
extern const double largest_floats[STREW_DTYPE_COUNT];

/* Position of a number among the elements of dtype: at *element (floats are rounded to one), between *element and
   the next greater one, below all (*element is the least), or nowhere (NaN among integers). */
enum standing { STANDS_AT, STANDS_ABOVE, STANDS_BELOW, STANDS_NOWHERE };
enum standing number_standing(strew_scalar number, strew_dtype dtype, strew_scalar *element);

#endif
