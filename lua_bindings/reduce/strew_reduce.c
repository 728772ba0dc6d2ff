/* strew_reduce.c: folds, cumulative sums, softmax, quantiles, sorts, searches and counts. */
#include "lua_bindings/core/strew_bind.h"
#include "runtime/core/shared/tables.h"

/* Cells of the table of folds. */
enum { PLAIN, MEAN, VARIANCE, DEVIATION, WIDE, SAME, PLACE, TRUTH };

static const struct {
  const char *parameters;
  bool has_place; /* gives a place, counted in one dimension or in all elements */
} folds[] = {
#define FOLDING   "self:tensor! dim?dims keepdim?boolean"
#define SKIPPING  " skip_nan=boolean"
#define CORRECTED " correction=number(1) unbiased=boolean(true)"
#define EXACT     " exact=boolean"
#define ROW(ENUM, f, takes, gives, empty, finish, ...)                                                                 \
  [STREW_FOLD_##ENUM] = {finish == VARIANCE || finish == DEVIATION               ? FOLDING CORRECTED SKIPPING EXACT    \
                         : STREW_FOLD_##ENUM == STREW_FOLD_SUM || finish == MEAN ? FOLDING SKIPPING                    \
                             " dtype=dtype" EXACT                                                                      \
                         : gives == WIDE ? FOLDING SKIPPING " dtype=dtype"                                             \
                                         : FOLDING SKIPPING,                                                           \
                         gives == PLACE},
    STREW_FOLDS(ROW)
#undef ROW
};

static bool read_folding(lua_State *L, struct script_call *call, strew_fold fold, struct arguments *a) {
  a->correction = 1;
  a->unbiased = true;
  a->exact = a->skip_nan = false;
  if (!bind_read_as(L, call, folds[fold].parameters, a) || !bind_check_correction(L, call, a)) return false;
  if (!folds[fold].has_place || !a->dims.is_given || a->dims.count == 1) return true;
  bind_fail(call, STREW_EARGUMENT, "dim", "names %d dimensions, expected one", a->dims.count);
  return false;
}

static strew_status run_fold(const struct arguments *a, strew_fold fold, strew_tensor **out) {
  const strew_reduce_options options = {.dim_count = a->dims.count,
                                        .dims = a->dims.is_given ? a->dims.at : NULL,
                                        .keepdim = a->keepdim,
                                        .correction = &a->correction,
                                        .exact = a->exact,
                                        .skip_nan = a->skip_nan};
  return strew_reduce_with(fold, a->self, &options, out, a->error);
}

static int fold(lua_State *L, struct script_call *call) {
  struct arguments a;
  const bool is_exact = bind_names(L, call, "exact"), skips = bind_names(L, call, "skip_nan");
  if ((skips && !is_exact) || bind_names(L, call, "dtype")) return bind_run_with_options(L, call);
  const strew_fold kind = (strew_fold)call->row->code;
  a.out = bind_result(L, call);
  if (!read_folding(L, call, kind, &a)) return -1;
  return bind_end(run_fold(&a, kind, a.out), 1);
}

/* min() and max(): of all elements; with (dim [, keepdim]) -> values, indices; of two tensors. */
static int extreme(lua_State *L, struct script_call *call) {
  bool is_max = call->row->code == STREW_FOLD_AMAX;
  if (call->arguments > 1 && bind_to_box(L, call->binding, 2))
    return bind_binary(L, call, is_max ? STREW_MAXIMUM : STREW_MINIMUM);
  bind_note_bound(L, call, 2);
  if (bind_names(L, call, "skip_nan")) return bind_run_with_options(L, call);
  struct arguments a;
  const strew_fold arg = is_max ? STREW_FOLD_ARGMAX : STREW_FOLD_ARGMIN;
  a.out = bind_result(L, call);
  a.second = bind_result(L, call);
  if (!read_folding(L, call, arg, &a)) return -1;
  if (run_fold(&a, (strew_fold)call->row->code, a.out) != STREW_OK) return -1;
  if (a.dims.count) return bind_end(run_fold(&a, arg, a.second), 2);
  lua_pop(L, 1);
  return 1;
}

RUN(cumsum, strew_cumsum_with, a->self, a->dim, &(strew_cumsum_options){.exact = a->exact})
RUN(cumprod, strew_cumprod, a->self, a->dim)

static int cumulative(lua_State *L, struct script_call *call) {
  const bool is_optioned = bind_names(L, call, "dtype") || bind_names(L, call, "include_initial");
  return is_optioned ? bind_run_with_options(L, call) : bind_one(L, call);
}

RUN_TWO(cummax, strew_cummax, a->self, a->dim)
RUN_TWO(cummin, strew_cummin, a->self, a->dim)

/* -> values, indices */
RUN_TWO(sort, strew_sort_with, a->self, a->dim, &(strew_sort_options){.descending = a->descending})
RUN(argsort, strew_sort_with, a->self, a->dim, &(strew_sort_options){.descending = a->descending}, NULL)

/* -> values, indices */
RUN_TWO(topk, strew_topk_with, a->self, a->k, a->dim, &(strew_topk_options){.smallest = !a->largest})

/* -> values [, inverse] [, counts]; with dim, return_index or order as in groups/counting.lua */
static int unique(lua_State *L, struct script_call *call) {
  struct arguments a;
  if (bind_names(L, call, "dim") || bind_names(L, call, "return_index") || bind_names(L, call, "order"))
    return bind_run_row(L, call, &bind_unique_row);
  a.out = bind_result(L, call);
  strew_tensor **inverse = bind_result(L, call), **counts = bind_result(L, call);
  if (!bind_read(L, call, &a) || strew_unique(a.self, a.out, a.return_inverse ? inverse : NULL,
                                              a.return_counts ? counts : NULL, a.error) != STREW_OK)
    return -1;
  if (!a.return_inverse) lua_remove(L, -2);
  if (!a.return_counts) lua_pop(L, 1);
  return 1 + a.return_inverse + a.return_counts;
}

RUN(nonzero, strew_nonzero, a->self)
RUN(searchsorted, strew_searchsorted_with, a->sorted, a->values, &(strew_searchsorted_options){.right = a->is_right})

static int searchsorted_by(lua_State *L, struct script_call *call) {
  return bind_names(L, call, "sorter") ? bind_run_with_options(L, call) : bind_one(L, call);
}

RUN(bucketize, strew_bucketize_with, a->values, a->boundaries, &(strew_searchsorted_options){.right = a->is_right})
RUN(bincount, strew_bincount, a->self, a->weights, a->minlength)
RUN(histc, strew_histc, a->self, a->bins, a->min, a->max)
RUN(isin, strew_isin, a->self, a->set, &(strew_isin_options){.invert = a->invert})

#define POINTS a->coordinates.count, a->coordinates.at, a->edges.at, NULL
static strew_status histogram(struct arguments *a) { return strew_histogram(POINTS, a->out, NULL, a->error); }
static strew_status histogram_bins(struct arguments *a) { return strew_histogram(POINTS, NULL, a->out, a->error); }

/* PyTorch's dtype: self is converted first. */
static strew_status softmax(struct arguments *a) {
  const strew_softmax_options options = {.logarithm = a->call->row->code};
  if (a->dtype < 0) return strew_softmax_with(a->self, a->dim, &options, a->out, a->error);
  const strew_dtype dtype = (strew_dtype)a->dtype;
  if (!bind_is_float(dtype)) {
    bind_fail(a->call, STREW_EDTYPE, "dtype", "is %s, expected a float dtype", strew_dtype_name(dtype));
    return STREW_EDTYPE;
  }
  strew_tensor *converted = NULL;
  strew_status status = strew_to(a->self, strew_tensor_device(a->self), dtype, &converted, a->error);
  if (status == STREW_OK) status = strew_softmax_with(converted, a->dim, &options, a->out, a->error);
  strew_release(converted);
  return status;
}

static strew_status quantile(struct arguments *a) {
  const strew_quantile_options options = {
      .dim = a->dim == NO_DIM ? NULL : &a->dim, .keepdim = a->keepdim, .interpolation = a->interpolation};
  if (a->q.tensor || a->q.number.dtype != STREW_BOOL)
    return strew_quantile_with(a->self, a->q, &options, a->out, a->error);
  bind_fail(a->call, STREW_EARGUMENT, "q", "is %s, expected a number or a tensor", a->q.number.as.i ? "true" : "false");
  return STREW_EARGUMENT;
}

/* In reduce/nan_skipping.lua a table of numbers becomes a tensor, and quantiles of times are made of integers. */
static int quantile_of(lua_State *L, struct script_call *call) {
  const bool is_list = call->arguments > 1 && lua_istable(L, 2) && lua_rawlen(L, 2) > 0;
  const bool is_composed = is_list || bind_names(L, call, "skip_nan") || bind_names(L, call, "q") ||
                           bind_dtype_at(L, call->binding, 1) == STREW_TIME;
  return is_composed ? bind_run_with_options(L, call) : bind_one(L, call);
}

#define ALONG   "self:tensor dim:dim"
#define SOFTMAX "self:tensor dim:dim dtype=dtype"
#define SORTED  "self:tensor dim?dim(-1) descending?boolean"

const struct script_function bind_reduce_rows[] = {
#define ROW(ENUM, f, takes, gives, ...)                                                                                \
  {#f, fold, STREW_FOLD_##ENUM, gives == PLACE || gives == TRUTH ? ALWAYS | CONSTANT : ALWAYS, NULL, NULL},
    STREW_FOLDS(ROW)
#undef ROW
        {"min", extreme, STREW_FOLD_AMIN, ALWAYS, NULL, NULL},
    {"max", extreme, STREW_FOLD_AMAX, ALWAYS, NULL, NULL},
    {"cumsum", cumulative, 0, EVERY, ALONG " dtype=dtype include_initial=boolean exact=boolean", cumsum},
    {"cumprod", cumulative, 0, EVERY, ALONG " dtype=dtype include_initial=boolean", cumprod},
    {"cummax", bind_two, 0, ALWAYS, ALONG, cummax},
    {"cummin", bind_two, 0, ALWAYS, ALONG, cummin},
    {"sort", bind_two, 0, ALWAYS, SORTED, sort},
    {"argsort", bind_one, 0, ALWAYS | CONSTANT, SORTED, argsort},
    {"topk", bind_two, 0, ALWAYS, "self:tensor k:integer dim?dim(-1) largest?boolean(true)", topk},
    {"unique", unique, 0, ALWAYS,
     "self:tensor dim=dim return_index=boolean return_inverse=boolean return_counts=boolean "
     "order=word",
     NULL},
    {"nonzero", bind_one, 0, ALWAYS | CONSTANT, "self:tensor!", nonzero},
    {"argwhere", bind_one, 0, ALWAYS | CONSTANT, "self:tensor!", nonzero},
    {"searchsorted", searchsorted_by, 0, ALWAYS | CONSTANT,
     "sorted:tensor values:comparand right=boolean sorter=tensor", searchsorted},
    {"bucketize", bind_one, 0, INNER | CONSTANT, "values:comparand boundaries:tensor right=boolean", bucketize},
    {"bincount", bind_one, 0, ALWAYS, "self:tensor weights=tensor minlength=integer(0)", bincount},
    {"histc", bind_one, 0, ALWAYS | CONSTANT, "self:tensor bins?integer(100) min?number max?number", histc},
    {"isin", bind_one, 0, INNER | CONSTANT, "self:tensor test_elements:tensor invert=boolean", isin},
    {"histogram", bind_one, 0, INNER | CONSTANT, "coordinates:entries edges:entries", histogram},
    {"histogram_bins", bind_one, 0, INNER | CONSTANT, "coordinates:entries edges:entries", histogram_bins},
    {"softmax", bind_one, false, ALWAYS, SOFTMAX, softmax},
    {"log_softmax", bind_one, true, ALWAYS, SOFTMAX, softmax},
    {"quantile", quantile_of, 0, ALWAYS,
     "self:tensor q:operand dim?dim keepdim?boolean interpolation=interpolation skip_nan=boolean", quantile},
    {NULL},
};
