/* operations.c: see operations.h. */
#include "operations.h"

#define ROW(ENUM, name, function, takes, gives, cost, forms)                                                           \
  [STREW_##ENUM] = {name, TAKES_##takes, GIVES_##gives, cost},
const struct operation unary_operations[] = {STREW_UNARY(ROW)}, binary_operations[] = {STREW_BINARY(ROW)};
#undef ROW
const struct operation other_operations[] = {[ELEMENTWISE_WHERE] = {"where", TAKES_ANY, GIVES_COMMON, 1},
                                             [ELEMENTWISE_CLAMP] = {"clamp", TAKES_ANY, GIVES_COMMON, 1}};

const struct fold_row fold_rows[] = {
#define ROW(ENUM, f, takes, gives, empty, finish, ...)                                                                 \
  [STREW_FOLD_##ENUM] = {#f, TAKES_##takes, FOLD_##gives, EMPTY_##empty, FINISH_##finish},
    STREW_FOLDS(ROW)
#undef ROW
};

/* strew.h has the tables' rows, in the tables' order: kernels number operations by it. */
#define ROW(ENUM, ...) ROW_##ENUM,
enum { STREW_UNARY(ROW) UNARY_ROWS };
enum { STREW_BINARY(ROW) BINARY_ROWS };
enum { STREW_FOLDS(ROW) FOLD_ROWS };
#undef ROW
#define ROW(ENUM, ...) _Static_assert((int)ROW_##ENUM == (int)STREW_##ENUM, "strew.h and a table differ: " #ENUM);
STREW_UNARY(ROW)
STREW_BINARY(ROW)
#undef ROW
#define ROW(ENUM, ...) _Static_assert((int)ROW_##ENUM == (int)STREW_FOLD_##ENUM, "strew.h and a table differ: " #ENUM);
STREW_FOLDS(ROW)
#undef ROW
_Static_assert((int)UNARY_ROWS == (int)STREW_UNARY_COUNT && (int)BINARY_ROWS == (int)STREW_BINARY_COUNT &&
                   (int)FOLD_ROWS == (int)STREW_FOLD_COUNT,
               "an operation of strew.h has no row");
