/* operations.c: see operations.h. */
#include "operations.h"

#include <math.h>

#define ROW(ENUM, name, function, takes, gives, cost, forms)                                                           \
  [STREW_##ENUM] = {name, TAKES_##takes, GIVES_##gives, cost},
const struct operation unary_operations[] = {STREW_UNARY(ROW)}, binary_operations[] = {STREW_BINARY(ROW)};
#undef ROW
const struct operation other_operations[] = {[ELEMENTWISE_WHERE] = {"where", TAKES_ANY, GIVES_COMMON, 1},
                                             [ELEMENTWISE_CLAMP] = {"clamp", TAKES_ANY, GIVES_COMMON, 1},
                                             [ELEMENTWISE_LIMB] = {"limb", TAKES_FLOATS, GIVES_LIMB, 2},
                                             [ELEMENTWISE_PRODUCT] = {"product_limb", TAKES_FLOATS, GIVES_LIMB, 4},
                                             [ELEMENTWISE_PART] = {"part", TAKES_FLOATS, GIVES_COMMON, 2},
                                             [ELEMENTWISE_CONVERT] = {"convert", TAKES_ANY, GIVES_COMMON, 1},
                                             [ELEMENTWISE_TAKE] = {"m[i]", TAKES_ANY, GIVES_COMMON, COST_OF_TAKE}};

const struct group_row group_rows[] = {
#define ROW(ENUM, word, name, takes, empty, exact, options, passes, body, reduction)                                   \
  [STREW_GROUP_##                                                                                                      \
      ENUM] = {word, "scatter_" name, TAKES_##takes, EMPTY_##empty, EMPTY_##exact, options, STREW_##reduction},
    STREW_GROUP_REDUCTIONS(ROW)
#undef ROW
};

const struct group_row *group_row_of(strew_reduction reduction) {
  for (int i = 0; i < STREW_GROUP_REDUCTION_COUNT; i++)
    if (group_rows[i].options & WITH_SIZES && group_rows[i].reduction == reduction) return &group_rows[i];
  return NULL;
}

strew_scalar group_empty(const struct group_row *row, bool is_exact, strew_dtype dtype) {
  const enum fold_empty empty = !row ? EMPTY_ZERO : is_exact ? row->exact : row->empty;
  if (empty == EMPTY_UNDEFINED && dtype_is_float(dtype)) return strew_float((double)NAN);
  return strew_int(empty == EMPTY_ONE);
}

/* strew.h has the tables' rows, in the tables' order: kernels number operations by it. */
#define ROW(ENUM, ...)       ROW_##ENUM,
#define GROUP_ROW(ENUM, ...) GROUP_ROW_##ENUM,
enum { STREW_UNARY(ROW) UNARY_ROWS };
enum { STREW_BINARY(ROW) BINARY_ROWS };
enum { STREW_GROUP_REDUCTIONS(GROUP_ROW) GROUP_ROWS };
#define SAME(row, number)         _Static_assert((int)row == (int)number, "strew.h and a table differ: " #number);
#define SAME_OPERATION(ENUM, ...) SAME(ROW_##ENUM, STREW_##ENUM)
#define SAME_GROUP(ENUM, ...)     SAME(GROUP_ROW_##ENUM, STREW_GROUP_##ENUM)
STREW_UNARY(SAME_OPERATION)
STREW_BINARY(SAME_OPERATION)
STREW_GROUP_REDUCTIONS(SAME_GROUP)
_Static_assert((int)UNARY_ROWS == (int)STREW_UNARY_COUNT && (int)BINARY_ROWS == (int)STREW_BINARY_COUNT &&
                   (int)GROUP_ROWS == (int)STREW_GROUP_REDUCTION_COUNT,
               "an operation of strew.h has no row");
