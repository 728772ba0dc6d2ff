/* strew_search.c: searches. */
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

const struct script_function bind_search_rows[] = {
    {"searchsorted", searchsorted, 0, ALWAYS}, {"bucketize", bucketize, 0, ALWAYS}, {NULL, NULL, 0, 0}};
