/* strew_reduce.c: folds, cumulative sums, sorts and functions based on them. */
#include "runtime/shared/tables.h"
#include "strew_bind.h"

/* Cells of the table of folds. */
enum { PLAIN, MEAN, VARIANCE, DEVIATION, WIDE, SAME, PLACE, TRUTH };

/* Arguments of folds: (self [, dim [, keepdim]]); dim is one dimension or a list. */
struct folding {
  strew_tensor *self;
  struct list dims; /* not given: all */
  bool keepdim;
  double correction;
};

static const struct {
  bool has_correction, has_place; /* has_place: gives a place, counted in one dimension or in all elements */
} folds[] = {
#define ROW(ENUM, f, takes, gives, empty, finish, ...)                                                                 \
  [STREW_FOLD_##ENUM] = {finish == VARIANCE || finish == DEVIATION, gives == PLACE},
    STREW_FOLDS(ROW)
#undef ROW
};

static bool read_folding(lua_State *L, struct script_call *call, strew_fold fold, struct folding *folding) {
  *folding = (struct folding){.correction = 1};
  const struct parameter parameters[] = {
      {"self", REQUIRED, bind_tensor, &folding->self},
      {"dim", LISTED, bind_dims, &folding->dims},
      {"keepdim", OPTIONAL, bind_boolean, &folding->keepdim},
      {folds[fold].has_correction ? "correction" : NULL, KEYED, bind_float, &folding->correction},
      LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return false;
  if (!folds[fold].has_place || !folding->dims.is_given || folding->dims.count == 1) return true;
  bind_fail(call, STREW_EARGUMENT, "dim", "names %d dimensions, expected one", folding->dims.count);
  return false;
}

static strew_status run_fold(struct script_call *call, strew_fold fold, const struct folding *folding,
                             strew_tensor **out) {
  int dims[STREW_MAX_RANK];
  for (int i = 0; i < folding->dims.count; i++) dims[i] = (int)folding->dims.at[i];
  return strew_reduce(fold, folding->self, folding->dims.count, folding->dims.is_given ? dims : NULL, folding->keepdim,
                      folding->correction, out, &call->error);
}

static int fold(lua_State *L, struct script_call *call) {
  strew_tensor **out = bind_result(L, call);
  strew_fold kind = (strew_fold)call->row->code;
  struct folding folding;
  if (!read_folding(L, call, kind, &folding)) return -1;
  return bind_end(run_fold(call, kind, &folding, out), 1);
}

/* min() and max(): of all elements; with (dim [, keepdim]) -> values, indices; of two tensors. */
static int extreme(lua_State *L, struct script_call *call) {
  bool is_max = call->row->code == STREW_FOLD_AMAX;
  if (call->arguments > 1 && bind_to_box(L, call->binding, 2))
    return bind_binary(L, call, is_max ? STREW_MAXIMUM : STREW_MINIMUM);
  strew_tensor **values = bind_result(L, call), **indices = bind_result(L, call);
  struct folding folding;
  strew_fold arg = is_max ? STREW_FOLD_ARGMAX : STREW_FOLD_ARGMIN;
  if (!read_folding(L, call, arg, &folding) ||
      run_fold(call, (strew_fold)call->row->code, &folding, values) != STREW_OK)
    return -1;
  if (folding.dims.count) return bind_end(run_fold(call, arg, &folding, indices), 2);
  lua_pop(L, 1);
  return 1;
}

enum { CUMSUM, CUMPROD };

static int cumulate(lua_State *L, struct script_call *call) {
  strew_tensor **out = bind_result(L, call), *self;
  int dim;
  const struct parameter parameters[] = {
      {"self", REQUIRED, bind_tensor, &self}, {"dim", REQUIRED, bind_dim, &dim}, LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return -1;
  strew_status (*run)(strew_tensor *, int, strew_tensor **, strew_error *) =
      call->row->code == CUMSUM ? strew_cumsum : strew_cumprod;
  return bind_end(run(self, dim, out, &call->error), 1);
}

/* cummax(dim), cummin(dim) -> values, indices */
static int cumulative_extreme(lua_State *L, struct script_call *call) {
  strew_tensor **values = bind_result(L, call), **indices = bind_result(L, call), *self;
  int dim;
  const struct parameter parameters[] = {
      {"self", REQUIRED, bind_tensor, &self}, {"dim", REQUIRED, bind_dim, &dim}, LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return -1;
  bool is_max = call->row->code == STREW_FOLD_AMAX;
  return bind_end((is_max ? strew_cummax : strew_cummin)(self, dim, values, indices, &call->error), 2);
}

enum { SORT, ARGSORT };

/* sort(dim = -1, descending = false) -> values, indices; argsort gives the indices alone. */
static int sort(lua_State *L, struct script_call *call) {
  strew_tensor **values = bind_result(L, call), **indices = bind_result(L, call), *self;
  int dim = -1;
  bool descending = false;
  const struct parameter parameters[] = {{"self", REQUIRED, bind_tensor, &self},
                                         {"dim", OPTIONAL, bind_dim, &dim},
                                         {"descending", OPTIONAL, bind_boolean, &descending},
                                         LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return -1;
  return bind_end(strew_sort(self, dim, descending, values, indices, &call->error), call->row->code == SORT ? 2 : 1);
}

/* topk(k, dim = -1, largest = true) -> values, indices */
static int topk(lua_State *L, struct script_call *call) {
  strew_tensor **values = bind_result(L, call), **indices = bind_result(L, call), *self;
  int64_t k;
  int dim = -1;
  bool largest = true;
  const struct parameter parameters[] = {{"self", REQUIRED, bind_tensor, &self},
                                         {"k", REQUIRED, bind_integer, &k},
                                         {"dim", OPTIONAL, bind_dim, &dim},
                                         {"largest", OPTIONAL, bind_boolean, &largest},
                                         LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return -1;
  return bind_end(strew_topk(self, k, dim, largest, values, indices, &call->error), 2);
}

/* unique([{return_inverse, return_counts}]) -> values [, inverse] [, counts] */
static int unique(lua_State *L, struct script_call *call) {
  strew_tensor **values = bind_result(L, call), **inverse = bind_result(L, call), **counts = bind_result(L, call);
  strew_tensor *self;
  bool has_inverse = false, has_counts = false;
  const struct parameter parameters[] = {{"self", REQUIRED, bind_tensor, &self},
                                         {"return_inverse", KEYED, bind_boolean, &has_inverse},
                                         {"return_counts", KEYED, bind_boolean, &has_counts},
                                         LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters) ||
      strew_unique(self, values, has_inverse ? inverse : NULL, has_counts ? counts : NULL, &call->error) != STREW_OK)
    return -1;
  if (!has_inverse) lua_remove(L, -2);
  if (!has_counts) lua_pop(L, 1);
  return 1 + has_inverse + has_counts;
}

static int nonzero(lua_State *L, struct script_call *call) {
  strew_tensor **out = bind_result(L, call), *self;
  const struct parameter parameters[] = {{"self", REQUIRED, bind_tensor, &self}, LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return -1;
  return bind_end(strew_nonzero(self, out, &call->error), 1);
}

const struct script_function bind_reduce_rows[] = {
#define ROW(ENUM, f, ...) {#f, fold, STREW_FOLD_##ENUM, ALWAYS},
    STREW_FOLDS(ROW)
#undef ROW
        {"min", extreme, STREW_FOLD_AMIN, ALWAYS},
    {"max", extreme, STREW_FOLD_AMAX, ALWAYS},
    {"cumsum", cumulate, CUMSUM, EVERY},
    {"cumprod", cumulate, CUMPROD, EVERY},
    {"cummax", cumulative_extreme, STREW_FOLD_AMAX, ALWAYS},
    {"cummin", cumulative_extreme, STREW_FOLD_AMIN, ALWAYS},
    {"sort", sort, SORT, ALWAYS},
    {"argsort", sort, ARGSORT, ALWAYS},
    {"topk", topk, 0, ALWAYS},
    {"unique", unique, 0, ALWAYS},
    {"nonzero", nonzero, 0, ALWAYS},
    {NULL, NULL, 0, 0},
};
