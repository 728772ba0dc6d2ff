/* strew_reduce.c: folds, cumulative sums, sorts and functions based on them. */
#include "runtime/shared/tables.h"
#include "strew_bind.h"

/* Cells of the table of folds. */
enum { PLAIN, MEAN, VARIANCE, DEVIATION, WIDE, SAME, PLACE, TRUTH };

static const struct {
  const char *parameters;
  bool has_place; /* gives a place, counted in one dimension or in all elements */
} folds[] = {
#define FOLDING "self:tensor dim?dims keepdim?boolean"
#define ROW(ENUM, f, takes, gives, empty, finish, ...)                                                                 \
  [STREW_FOLD_##                                                                                                       \
      ENUM] = {finish == VARIANCE || finish == DEVIATION ? FOLDING " correction=number(1)" : FOLDING, gives == PLACE},
    STREW_FOLDS(ROW)
#undef ROW
};

static bool read_folding(lua_State *L, struct script_call *call, strew_fold fold, struct arguments *a) {
  a->correction = 1;
  if (!bind_read_as(L, call, folds[fold].parameters, a)) return false;
  if (!folds[fold].has_place || !a->dims.is_given || a->dims.count == 1) return true;
  bind_fail(call, STREW_EARGUMENT, "dim", "names %d dimensions, expected one", a->dims.count);
  return false;
}

static strew_status run_fold(const struct arguments *a, strew_fold fold, strew_tensor **out) {
  const strew_reduce_options options = {.dim_count = a->dims.count,
                                        .dims = a->dims.is_given ? a->dims.at : NULL,
                                        .keepdim = a->keepdim,
                                        .correction = &a->correction};
  return strew_reduce_with(fold, a->self, &options, out, a->error);
}

static int fold(lua_State *L, struct script_call *call) {
  struct arguments a;
  const strew_fold kind = (strew_fold)call->row->code;
  a.out = bind_result(L, call);
  return read_folding(L, call, kind, &a) ? bind_end(run_fold(&a, kind, a.out), 1) : -1;
}

/* min() and max(): of all elements; with (dim [, keepdim]) -> values, indices; of two tensors. */
static int extreme(lua_State *L, struct script_call *call) {
  bool is_max = call->row->code == STREW_FOLD_AMAX;
  if (call->arguments > 1 && bind_to_box(L, call->binding, 2))
    return bind_binary(L, call, is_max ? STREW_MAXIMUM : STREW_MINIMUM);
  struct arguments a;
  const strew_fold arg = is_max ? STREW_FOLD_ARGMAX : STREW_FOLD_ARGMIN;
  a.out = bind_result(L, call);
  a.second = bind_result(L, call);
  if (!read_folding(L, call, arg, &a) || run_fold(&a, (strew_fold)call->row->code, a.out) != STREW_OK) return -1;
  if (a.dims.count) return bind_end(run_fold(&a, arg, a.second), 2);
  lua_pop(L, 1);
  return 1;
}

static strew_status cumsum(struct arguments *a) { return strew_cumsum(a->self, a->dim, a->out, a->error); }
static strew_status cumprod(struct arguments *a) { return strew_cumprod(a->self, a->dim, a->out, a->error); }
static strew_status cummax(struct arguments *a) { return strew_cummax(a->self, a->dim, a->out, a->second, a->error); }
static strew_status cummin(struct arguments *a) { return strew_cummin(a->self, a->dim, a->out, a->second, a->error); }

/* -> values, indices */
static strew_status sort(struct arguments *a) {
  return strew_sort_with(a->self, a->dim, &(strew_sort_options){.descending = a->descending}, a->out, a->second,
                         a->error);
}

static strew_status argsort(struct arguments *a) {
  return strew_sort_with(a->self, a->dim, &(strew_sort_options){.descending = a->descending}, NULL, a->out, a->error);
}

/* -> values, indices */
static strew_status topk(struct arguments *a) {
  const strew_topk_options options = {.smallest = !a->largest};
  return strew_topk_with(a->self, a->k, a->dim, &options, a->out, a->second, a->error);
}

/* -> values [, inverse] [, counts] */
static int unique(lua_State *L, struct script_call *call) {
  struct arguments a;
  a.out = bind_result(L, call);
  strew_tensor **inverse = bind_result(L, call), **counts = bind_result(L, call);
  if (!bind_read(L, call, &a) || strew_unique(a.self, a.out, a.return_inverse ? inverse : NULL,
                                              a.return_counts ? counts : NULL, a.error) != STREW_OK)
    return -1;
  if (!a.return_inverse) lua_remove(L, -2);
  if (!a.return_counts) lua_pop(L, 1);
  return 1 + a.return_inverse + a.return_counts;
}

static strew_status nonzero(struct arguments *a) { return strew_nonzero(a->self, a->out, a->error); }

#define ALONG  "self:tensor dim:dim"
#define SORTED "self:tensor dim?dim(-1) descending?boolean"

const struct script_function bind_reduce_rows[] = {
#define ROW(ENUM, f, takes, gives, ...)                                                                                \
  {#f, fold, STREW_FOLD_##ENUM, gives == PLACE || gives == TRUTH ? ALWAYS | CONSTANT : ALWAYS, NULL, NULL},
    STREW_FOLDS(ROW)
#undef ROW
        {"min", extreme, STREW_FOLD_AMIN, ALWAYS, NULL, NULL},
    {"max", extreme, STREW_FOLD_AMAX, ALWAYS, NULL, NULL},
    {"cumsum", bind_one, 0, EVERY, ALONG, cumsum},
    {"cumprod", bind_one, 0, EVERY, ALONG, cumprod},
    {"cummax", bind_two, 0, ALWAYS, ALONG, cummax},
    {"cummin", bind_two, 0, ALWAYS, ALONG, cummin},
    {"sort", bind_two, 0, ALWAYS, SORTED, sort},
    {"argsort", bind_one, 0, ALWAYS | CONSTANT, SORTED, argsort},
    {"topk", bind_two, 0, ALWAYS, "self:tensor k:integer dim?dim(-1) largest?boolean(true)", topk},
    {"unique", unique, 0, ALWAYS, "self:tensor return_inverse=boolean return_counts=boolean", NULL},
    {"nonzero", bind_one, 0, ALWAYS | CONSTANT, "self:tensor", nonzero},
    {NULL},
};
