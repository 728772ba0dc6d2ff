/* isclose.c: comparisons of whole tensors, and of elements within tolerances. */
#include "pieces.h"
#include "runtime/core/base/dtype.h"
#include "runtime/core/base/steps.h"

#include <float.h>
#include <string.h>

static strew_status check_same_dtype(const struct call *call, const strew_tensor *a, const strew_tensor *b) {
  RETURN_IF_FAILED(check_devices(call));
  return check_equal_dtypes(call, "other", b->dtype, "self", a->dtype);
}

strew_status strew_equal(strew_tensor *a, strew_tensor *b, bool *out, strew_error *error) {
  CALL_STEPS(call, steps, "equal", error, {"self", a, ORDERED}, {"other", b, ORDERED});
  if (a->dtype != b->dtype) STEP(&steps, check_is_number(&call, "self", a));
  if (a->dtype != b->dtype) STEP(&steps, check_is_number(&call, "other", b));
  STEP(&steps, check_same_dtype(&call, a, b));
  strew_scalar all = strew_int(0);
  if (a->rank == b->rank && memcmp(a->sizes, b->sizes, (size_t)a->rank * sizeof *a->sizes) == 0)
    all = step_number(&steps, STREW_FOLD_ALL, step_binary(&steps, STREW_EQ, a, b, NULL));
  if (steps.status == STREW_OK) *out = all.as.i != 0;
  return steps_status(&steps);
}

/* Float dtype of distances: one in which small integers are exact. */
static strew_dtype distance_dtype(strew_dtype dtype) {
  const bool wide = dtype == STREW_FLOAT64 || (dtype != STREW_FLOAT32 && dtype_bytes(dtype) >= sizeof(int32_t));
  return wide ? STREW_FLOAT64 : STREW_FLOAT32;
}

/* near |= |a - b| is finite, and at most atol + rtol * |b| */
static void add_near(struct steps *steps, strew_tensor *near, strew_tensor *a, strew_tensor *b, double rtol,
                     double atol) {
  const strew_dtype dtype = distance_dtype(a->dtype);
  const int mark = steps->count;
  strew_tensor *wide = step_to(steps, b, NULL, dtype);
  const int start = steps->count;
  strew_tensor *far = step_binary(steps, STREW_SUB, step_to(steps, a, NULL, dtype), wide, NULL);
  steps_keep(steps, start, far);
  step_unary(steps, STREW_ABS, far, far);
  strew_tensor *limit = step_unary(steps, STREW_ABS, wide, NULL);
  step_binary(steps, STREW_MUL, limit, rtol, limit);
  step_binary(steps, STREW_ADD, limit, atol, limit);
  step_binary(steps, STREW_MINIMUM, limit, dtype == STREW_FLOAT64 ? DBL_MAX : (double)FLT_MAX, limit);
  step_binary(steps, STREW_LOGICAL_OR, near, step_binary(steps, STREW_LE, far, limit, NULL), near);
  steps_keep(steps, mark, NULL);
}

/* The same of whole tensors. */
static void add_pieces(struct steps *steps, strew_tensor *near, strew_tensor *a, strew_tensor *b, double rtol,
                       double atol) {
  strew_tensor *first = step_expand(steps, a, near->rank, near->sizes);
  strew_tensor *second = step_expand(steps, b, near->rank, near->sizes);
  if (steps->status != STREW_OK || !strew_tensor_numel(near)) return;
  const struct pieces pieces = pieces_of(first, -1);
  if (pieces.length == pieces.size) {
    add_near(steps, near, a, b, rtol, atol);
    return;
  }
  for (int64_t at = 0; at < pieces.size && steps->status == STREW_OK; at += pieces.length) {
    const int mark = steps->count;
    add_near(steps, step_piece(steps, &pieces, at, near), step_piece(steps, &pieces, at, first),
             step_piece(steps, &pieces, at, second), rtol, atol);
    steps_keep(steps, mark, NULL);
  }
}

/* near |= both are NaN */
static void add_nan(struct steps *steps, strew_tensor *near, strew_tensor *a, strew_tensor *b) {
  strew_tensor *first = step_binary(steps, STREW_NE, a, a, NULL), *second = step_binary(steps, STREW_NE, b, b, NULL);
  strew_tensor *both = step_binary(steps, STREW_LOGICAL_AND, first, second, NULL);
  step_binary(steps, STREW_LOGICAL_OR, near, both, near);
}

/* The comparison of each pair: distances of long integers need float64, so devices without it leave them to the CPU. */
static strew_tensor *find_close(struct steps *steps, strew_tensor *a, strew_tensor *b, double rtol, double atol,
                                bool equal_nan) {
  const struct call *call = steps->call;
  strew_scalar bad = strew_float(rtol >= 0 ? atol : rtol);
  struct fault fault = {.code = STREW_EVALUE, .argument = rtol >= 0 ? "atol" : "rtol", .value = &bad};
  char text[TEXT_BYTES];
  STEP(steps, check_same_dtype(call, a, b));
  if (!(rtol >= 0 && atol >= 0))
    STEP(steps, fail(call, fault, "is %s, tolerances are 0 or more", text_of_scalar(bad, text)));
  if (distance_dtype(a->dtype) == STREW_FLOAT64 && a->storage->device->lacks_float64) {
    strew_device *cpu = &tensor_context(a)->cpu;
    a = step_to(steps, a, cpu, a->dtype);
    b = step_to(steps, b, cpu, b->dtype);
  }
  strew_tensor *near = step_binary(steps, STREW_EQ, a, b, NULL);
  if (near && (rtol > 0 || atol > 0)) add_pieces(steps, near, a, b, rtol, atol);
  if (equal_nan) add_nan(steps, near, a, b);
  return near;
}

strew_status strew_isclose_with(strew_tensor *a, strew_tensor *b, double rtol, double atol,
                                const strew_isclose_options *options, strew_tensor **out, strew_error *error) {
  CALL_STEPS(call, steps, "isclose", error, {"self", a}, {"other", b});
  OPTIONS(strew_isclose_options);
  strew_tensor *near = find_close(&steps, a, b, rtol, atol, options->equal_nan);
  return steps_give(&steps, step_to(&steps, near, a->storage->device, STREW_BOOL), out);
}

strew_status strew_allclose(strew_tensor *a, strew_tensor *b, double rtol, double atol, bool *out, strew_error *error) {
  CALL_STEPS(call, steps, "allclose", error, {"self", a}, {"other", b});
  const strew_scalar all = step_number(&steps, STREW_FOLD_ALL, find_close(&steps, a, b, rtol, atol, false));
  if (steps.status == STREW_OK) *out = all.as.i != 0;
  return steps_status(&steps);
}
