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

/* scatter_softmax(src, index [, dim] [, {dim_size, mode}]), scatter_log_softmax */
static int group_softmax(lua_State *L, struct script_call *call) {
  strew_tensor **out = bind_result(L, call), *src;
  struct given_index index;
  strew_group_options options = {.dim = -1, .dim_size = -1};
  const struct parameter parameters[] = {
      {"src", REQUIRED, bind_tensor, &src},      {"index", REQUIRED, bind_index, &index},
      {"dim", OPTIONAL, bind_dim, &options.dim}, {"dim_size", KEYED, bind_size, &options.dim_size},
      {"mode", KEYED, bind_mode, &options.mode}, LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters) || !bind_check_grouping(call, &index, &options)) return -1;
  const bool is_log = call->row->code == LOGARITHM;
  if (index.grouping)
    return bind_end(strew_grouping_softmax(index.grouping, src, &options, is_log, out, &call->error), 1);
  return bind_end(strew_group_softmax(src, index.tensor, &options, is_log, out, &call->error), 1);
}

#define SOFTMAX "self:tensor dim:dim dtype=dtype"

const struct script_function bind_statistics_rows[] = {
    {"softmax", bind_one, PLAIN, ALWAYS, SOFTMAX, softmax},
    {"log_softmax", bind_one, LOGARITHM, ALWAYS, SOFTMAX, softmax},
    {"quantile", bind_one, 0, ALWAYS, "self:tensor q:operand dim?dim keepdim?boolean interpolation=interpolation",
     quantile},
    {"scatter_softmax", group_softmax, PLAIN, ALWAYS},
    {"scatter_log_softmax", group_softmax, LOGARITHM, ALWAYS},
    {NULL, NULL, 0, 0}};
