/* strew_search.c: searches and counts of values. */
#include "strew_bind.h"

/* searchsorted(sorted, values [, {right}]) */
static int searchsorted(lua_State *L, struct script_call *call) {
  strew_tensor **out = bind_result(L, call), *sorted;
  strew_operand values;
  bool right = false;
  const struct parameter parameters[] = {{"sorted", REQUIRED, bind_tensor, &sorted},
                                         {"values", REQUIRED, bind_operand, &values},
                                         {"right", KEYED, bind_boolean, &right},
                                         LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return -1;
  return bind_end(strew_searchsorted(sorted, values, right, out, &call->error), 1);
}

/* bucketize(values, boundaries [, {right}]) */
static int bucketize(lua_State *L, struct script_call *call) {
  strew_tensor **out = bind_result(L, call), *boundaries;
  strew_operand values;
  bool right = false;
  const struct parameter parameters[] = {{"values", REQUIRED, bind_operand, &values},
                                         {"boundaries", REQUIRED, bind_tensor, &boundaries},
                                         {"right", KEYED, bind_boolean, &right},
                                         LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return -1;
  return bind_end(strew_bucketize(values, boundaries, right, out, &call->error), 1);
}

/* bincount([{weights, minlength}]) */
static int bincount(lua_State *L, struct script_call *call) {
  strew_tensor **out = bind_result(L, call), *self, *weights = NULL;
  int64_t minlength = 0;
  const struct parameter parameters[] = {{"self", REQUIRED, bind_tensor, &self},
                                         {"weights", KEYED, bind_tensor, &weights},
                                         {"minlength", KEYED, bind_integer, &minlength},
                                         LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return -1;
  return bind_end(strew_bincount(self, weights, minlength, out, &call->error), 1);
}

/* histc([bins = 100 [, min [, max]]]) */
static int histc(lua_State *L, struct script_call *call) {
  strew_tensor **out = bind_result(L, call), *self;
  int64_t bins = 100;
  double min = 0, max = 0;
  const struct parameter parameters[] = {{"self", REQUIRED, bind_tensor, &self},
                                         {"bins", OPTIONAL, bind_integer, &bins},
                                         {"min", OPTIONAL, bind_float, &min},
                                         {"max", OPTIONAL, bind_float, &max},
                                         LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return -1;
  return bind_end(strew_histc(self, bins, min, max, out, &call->error), 1);
}

const struct script_function bind_bucketize_row = {"bucketize", bucketize, 0, FUNCTION};
const struct script_function bind_search_rows[] = {{"searchsorted", searchsorted, 0, ALWAYS},
                                                   {"bincount", bincount, 0, ALWAYS},
                                                   {"histc", histc, 0, ALWAYS},
                                                   {NULL, NULL, 0, 0}};
