/* operations.c: see operations.h. */
#include "operations.h"

#define ROW(ENUM, name, function, takes, gives, cost, forms)                                                           \
  [STREW_##ENUM] = {name, TAKES_##takes, GIVES_##gives, cost},
static const struct operation unary[] = {STREW_UNARY(ROW)}, binary[] = {STREW_BINARY(ROW)};
#undef ROW
static const struct operation choosing[] = {[ELEMENTWISE_WHERE] = {"where", TAKES_ANY, GIVES_COMMON, 1},
                                            [ELEMENTWISE_CLAMP] = {"clamp", TAKES_ANY, GIVES_COMMON, 1}};

static const struct fold_row folds[] = {
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

const struct operation *operation_of(enum elementwise_kind kind, int op) {
  if (kind == ELEMENTWISE_UNARY) return &unary[op];
  return kind == ELEMENTWISE_BINARY ? &binary[op] : &choosing[kind];
}

const struct fold_row *fold_row_of(strew_fold fold) { return &folds[fold]; }
