/* strew_statistics.c: softmax and quantiles, along a dimension and within groups. */
#include "strew_bind.h"

#include <limits.h>

enum { PLAIN, LOGARITHM };

/* PyTorch's dtype: self is converted first. */
static strew_status soften(struct script_call *call, strew_tensor *self, int dim, int dtype, strew_tensor **out) {
  const bool is_log = call->row->code == LOGARITHM;
  if (dtype < 0) return strew_softmax(self, dim, is_log, out, &call->error);
  strew_tensor *converted = NULL;
  strew_status status = strew_to(self, strew_tensor_device(self), (strew_dtype)dtype, &converted, &call->error);
  if (status == STREW_OK) status = strew_softmax(converted, dim, is_log, out, &call->error);
  strew_release(converted);
  return status;
}

/* softmax(dim [, {dtype}]), log_softmax */
static int softmax(lua_State *L, struct script_call *call) {
  strew_tensor **out = bind_result(L, call), *self;
  int dim, dtype = -1;
  const struct parameter parameters[] = {{"self", REQUIRED, bind_tensor, &self},
                                         {"dim", REQUIRED, bind_dim, &dim},
                                         {"dtype", KEYED, bind_wanted_dtype, &dtype},
                                         LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return -1;
  if (dtype >= 0 && !bind_is_float((strew_dtype)dtype))
    return bind_fail(call, STREW_EDTYPE, "dtype", "is %s, expected a float dtype",
                     strew_dtype_name((strew_dtype)dtype));
  return bind_end(soften(call, self, dim, dtype, out), 1);
}

/* quantile(q [, dim [, keepdim]] [, {interpolation}]) */
static int quantile(lua_State *L, struct script_call *call) {
  strew_tensor **out = bind_result(L, call), *self;
  strew_operand q;
  enum { ALL = INT_MIN };
  int dim = ALL;
  bool keepdim = false;
  strew_interpolation interpolation = STREW_LINEAR;
  const struct parameter parameters[] = {{"self", REQUIRED, bind_tensor, &self},
                                         {"q", REQUIRED, bind_operand, &q},
                                         {"dim", OPTIONAL, bind_dim, &dim},
                                         {"keepdim", OPTIONAL, bind_boolean, &keepdim},
                                         {"interpolation", KEYED, bind_interpolation, &interpolation},
                                         LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return -1;
  if (!q.tensor && q.number.dtype == STREW_BOOL)
    return bind_fail(call, STREW_EARGUMENT, "q", "is %s, expected a number or a tensor",
                     q.number.as.i ? "true" : "false");
  return bind_end(strew_quantile(self, q, dim == ALL ? NULL : &dim, keepdim, interpolation, out, &call->error), 1);
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

const struct script_function bind_statistics_rows[] = {{"softmax", softmax, PLAIN, ALWAYS},
                                                       {"log_softmax", softmax, LOGARITHM, ALWAYS},
                                                       {"quantile", quantile, 0, ALWAYS},
                                                       {"scatter_softmax", group_softmax, PLAIN, ALWAYS},
                                                       {"scatter_log_softmax", group_softmax, LOGARITHM, ALWAYS},
                                                       {NULL, NULL, 0, 0}};
