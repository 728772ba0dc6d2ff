/* strew_statistics.c: softmax and quantiles, along a dimension and within groups. */
#include "strew_bind.h"

enum { PLAIN, LOGARITHM };

/* PyTorch's dtype: self is converted first. */
static strew_status softmax(struct arguments *a) {
  const strew_softmax_options options = {.logarithm = a->call->row->code == LOGARITHM};
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

/* ---------------------------------------------------------------------------------------------------- within groups */

static strew_status group_softmax(struct arguments *a) {
  const strew_group_options own = {.dim_size = a->dim_size, .mode = a->mode};
  const strew_group_softmax_options options = {.dim = &a->dim,
                                               .dim_size = a->dim_size < 0 ? NULL : &a->dim_size,
                                               .mode = a->mode,
                                               .logarithm = a->call->row->code == LOGARITHM};
  if (!bind_check_grouping(a->call, &a->groups, &own)) return a->error->code;
  return strew_group_softmax_with((strew_groups){a->groups.tensor, a->groups.grouping}, a->src, &options, a->out,
                                  a->error);
}

#define GROUPS  "src:tensor index:index dim?dim(-1) dim_size=size(-1) mode=mode"
#define SOFTMAX "self:tensor dim:dim dtype=dtype"

const struct script_function bind_statistics_rows[] = {
    {"softmax", bind_one, PLAIN, ALWAYS, SOFTMAX, softmax},
    {"log_softmax", bind_one, LOGARITHM, ALWAYS, SOFTMAX, softmax},
    {"quantile", bind_one, 0, ALWAYS, "self:tensor q:operand dim?dim keepdim?boolean interpolation=interpolation",
     quantile},
    {"scatter_softmax", bind_one, PLAIN, ALWAYS, GROUPS, group_softmax},
    {"scatter_log_softmax", bind_one, LOGARITHM, ALWAYS, GROUPS, group_softmax},
    {NULL, NULL, 0, 0}};
