/* steps.c: the steps of composed calls, see steps.h. */
#include "steps.h"

#include "device.h"

void steps_open(struct steps *steps, const struct call *call) {
  steps->call = call;
  steps->error = call->error;
  steps->alias = call->error ? call->error->alias : NULL;
  steps->status = STREW_OK;
  steps->count = 0;
  if (call->error) call->error->alias = alias_of(call->error, call->op);
}

void steps_close(struct steps *steps) {
  steps_keep(steps, 0, NULL);
  if (steps->error) steps->error->alias = steps->alias;
}

strew_tensor **steps_place(struct steps *steps) {
  if (steps->count == MOST_MADE)
    STEP(steps, fail(steps->call, (struct fault){.code = STREW_EMEMORY}, "more than %d tensors are made", MOST_MADE));
  strew_tensor **place = &steps->made[steps->count];
  if (steps->count < MOST_MADE) steps->count++;
  return *place = NULL, place;
}

strew_tensor *steps_keep(struct steps *steps, int mark, strew_tensor *kept) {
  int count = mark;
  for (int i = mark; i < steps->count; i++)
    if (kept && steps->made[i] == kept && count == mark)
      count++;
    else
      strew_release(steps->made[i]);
  if (count > mark) steps->made[mark] = kept;
  steps->count = count;
  return steps->status == STREW_OK ? kept : NULL;
}

strew_tensor *steps_out(struct steps *steps, const char *name, strew_device *device, strew_dtype dtype, int rank,
                        const int64_t *sizes, strew_tensor *given) {
  bool made = false;
  strew_tensor **out = given ? &given : steps_place(steps);
  STEP(steps, out_prepare(steps->call, device, dtype, rank, sizes, out, &made));
  if (given) STEP(steps, check_result(steps->call, name, given));
  return *out;
}

strew_status steps_give(struct steps *steps, strew_tensor *result, strew_tensor **out) {
  for (int i = 0; i < steps->count && steps->status == STREW_OK; i++) {
    if (steps->made[i] != result) continue;
    *out = result;
    steps->made[i] = NULL;
    break;
  }
  return steps_status(steps);
}

strew_tensor *step_key(struct steps *steps, strew_tensor *x, enum order_key kind) {
  if (dtype_is_number(x->dtype)) return x;
  STEP_INTO(steps, keys, HAS_TEXT ? text_ops.key(steps->call, x, kind, keys) : check_is_number(steps->call, "self", x));
  return steps->status == STREW_OK ? *keys : NULL;
}

strew_status steps_give_key(struct steps *steps, const char *name, strew_tensor *result, strew_dtype dtype,
                            enum order_key kind, strew_tensor **out) {
  bool made;
  if (dtype_is_number(dtype)) return steps_give(steps, result, out);
  STEP(steps, text_ops.from_key(steps->call, result, dtype, kind));
  if (!*out || steps->status != STREW_OK) return steps_give(steps, result, out);
  struct call written = *steps->call;
  written.words = NULL; /* which strew_copy adds to those of *out */
  STEP(steps, out_prepare(&written, result->storage->device, dtype, result->rank, result->sizes, out, &made));
  STEP(steps, check_result(&written, name, *out));
  STEP(steps, strew_copy(*out, result, steps->error));
  return steps_status(steps);
}

strew_status steps_status(const struct steps *steps) {
  return report_call(steps->call, steps->status, steps->error, steps->error);
}
