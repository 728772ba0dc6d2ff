/* softmax.c: softmax and its logarithm along a dimension. The largest element is subtracted first, so that no exponential
   overflows. 16-bit floats are computed as float32 and rounded once. */
#include "runtime/base/steps.h"

static void soften(struct steps *steps, bool logarithm, int dim, strew_tensor *x, strew_tensor *out) {
  strew_tensor *largest = step_reduce(steps, STREW_FOLD_AMAX, x, 1, &dim);
  step_binary(steps, STREW_SUB, x, largest, out);
  strew_tensor *powers = step_unary(steps, STREW_EXP, out, logarithm ? NULL : out);
  strew_tensor *sums = step_reduce(steps, STREW_FOLD_SUM, powers, 1, &dim);
  if (logarithm) step_unary(steps, STREW_LOG, sums, sums);
  step_binary(steps, logarithm ? STREW_SUB : STREW_DIV, out, sums, out);
}

static void soften_pieces(struct steps *steps, bool logarithm, int dim, strew_tensor *x, strew_tensor *out) {
  if (steps->status != STREW_OK || !strew_tensor_numel(x)) return;
  const struct pieces pieces = pieces_of(x, x->rank ? dim : -1);
  for (int64_t at = 0; at < pieces.size && steps->status == STREW_OK; at += pieces.length) {
    const int mark = steps->count;
    soften(steps, logarithm, dim, step_piece(steps, &pieces, at, x), step_piece(steps, &pieces, at, out));
    steps_keep(steps, mark, NULL);
  }
}

strew_status strew_softmax(strew_tensor *tensor, int dim, bool logarithm, strew_tensor **out, strew_error *error) {
  CALL_STEPS(call, steps, logarithm ? "log_softmax" : "softmax", error, {"self", tensor});
  STEP(&steps, check_float(&call, "self", tensor));
  STEP(&steps, check_dim(&call, tensor->rank, &dim));
  const strew_dtype wide = dtype_wide(tensor->dtype);
  strew_tensor *x = step_to(&steps, tensor, NULL, wide);
  strew_tensor *soft = step_new(&steps, tensor->storage->device, wide, tensor->rank, tensor->sizes);
  soften_pieces(&steps, logarithm, dim, x, soft);
  return steps_give(&steps, step_to(&steps, soft, NULL, tensor->dtype), out);
}
