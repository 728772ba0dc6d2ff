/* isclose.c: comparisons of whole tensors, and of elements within tolerances. */
#include "runtime/base/operations.h"

#include <math.h>
#include <string.h>

static strew_status check_same_dtype(const struct call *call, const strew_tensor *a, const strew_tensor *b) {
  strew_status status = check_devices(call);
  return status == STREW_OK ? check_equal_dtypes(call, "other", b->dtype, "self", a->dtype) : status;
}

strew_status strew_equal(strew_tensor *a, strew_tensor *b, bool *out, strew_error *error) {
  strew_error inner = {.alias = alias_of(error, "equal")};
  CALL(call, "equal", &inner, {"self", a}, {"other", b});
  strew_status status = check_same_dtype(&call, a, b);
  if (status != STREW_OK) return report_inner(status, &inner, error);
  if (a->rank != b->rank || memcmp(a->sizes, b->sizes, (size_t)a->rank * sizeof *a->sizes) != 0)
    return *out = false, STREW_OK;
  strew_tensor *same = NULL;
  status = strew_binary(STREW_EQ, strew_of(a), strew_of(b), &same, &inner);
  if (status == STREW_OK) status = all_true(same, out, &inner);
  strew_release(same);
  return report_inner(status, &inner, error);
}

/* Float dtype of distances: one in which small integers are exact. */
static strew_dtype distance_dtype(strew_dtype dtype) {
  bool wide = dtype == STREW_FLOAT64 || dtype == STREW_INT64 || dtype == STREW_INT32;
  return wide ? STREW_FLOAT64 : STREW_FLOAT32;
}

/* *out = |a - b|, of dtype. */
static strew_status distance(strew_tensor *a, strew_tensor *b, strew_dtype dtype, strew_tensor **out,
                             strew_error *error) {
  strew_tensor *wide = NULL;
  strew_device *device = a->storage->device;
  strew_status status = strew_to(a, device, dtype, &wide, error);
  if (status == STREW_OK) status = strew_binary(STREW_SUB, strew_of(wide), strew_of(b), out, error);
  strew_release(wide);
  return status == STREW_OK ? strew_unary(STREW_ABS, *out, out, error) : status;
}

/* *out = atol + rtol * |b|; b is of a float dtype. */
static strew_status tolerance(strew_tensor *b, double rtol, double atol, strew_tensor **out, strew_error *error) {
  strew_status status = strew_unary(STREW_ABS, b, out, error);
  if (status == STREW_OK) status = strew_binary(STREW_MUL, strew_of(*out), strew_number(strew_float(rtol)), out, error);
  if (status == STREW_OK) status = strew_binary(STREW_ADD, strew_of(*out), strew_number(strew_float(atol)), out, error);
  return status;
}

/* near |= distance is finite and within the tolerance. */
static strew_status join_near(strew_tensor *near, strew_tensor *far, strew_tensor *limit, strew_error *error) {
  strew_tensor *within = NULL, *finite = NULL;
  strew_status status = strew_binary(STREW_LE, strew_of(far), strew_of(limit), &within, error);
  if (status == STREW_OK)
    status = strew_binary(STREW_LT, strew_of(far), strew_number(strew_float(1.0 / 0.0)), &finite, error);
  if (status == STREW_OK) status = strew_binary(STREW_LOGICAL_AND, strew_of(within), strew_of(finite), &within, error);
  if (status == STREW_OK) status = strew_binary(STREW_LOGICAL_OR, strew_of(near), strew_of(within), &near, error);
  strew_release(within);
  strew_release(finite);
  return status;
}

/* near |= |a - b| <= atol + rtol * |b| */
static strew_status add_near(strew_tensor *near, strew_tensor *a, strew_tensor *b, double rtol, double atol,
                             strew_error *error) {
  strew_tensor *wide = NULL, *far = NULL, *limit = NULL;
  strew_dtype dtype = distance_dtype(a->dtype);
  strew_status status = strew_to(b, b->storage->device, dtype, &wide, error);
  if (status == STREW_OK) status = distance(a, wide, dtype, &far, error);
  if (status == STREW_OK) status = tolerance(wide, rtol, atol, &limit, error);
  if (status == STREW_OK) status = join_near(near, far, limit, error);
  strew_release(wide);
  strew_release(far);
  strew_release(limit);
  return status;
}

/* near |= both are NaN */
static strew_status join_nan(strew_tensor *near, strew_tensor *a, strew_tensor *b, strew_error *error) {
  strew_tensor *first = NULL, *second = NULL, *both = NULL;
  strew_status status = strew_binary(STREW_NE, strew_of(a), strew_of(a), &first, error);
  if (status == STREW_OK) status = strew_binary(STREW_NE, strew_of(b), strew_of(b), &second, error);
  if (status == STREW_OK) status = strew_binary(STREW_LOGICAL_AND, strew_of(first), strew_of(second), &both, error);
  if (status == STREW_OK) status = strew_binary(STREW_LOGICAL_OR, strew_of(near), strew_of(both), &near, error);
  strew_release(first);
  strew_release(second);
  strew_release(both);
  return status;
}

/* Distances of long integers need float64. For devices without it, compares copies on the CPU; the result is there. */
static strew_status close_on_cpu(strew_tensor *a, strew_tensor *b, double rtol, double atol, bool equal_nan,
                                 strew_tensor **out, strew_error *error) {
  strew_device *cpu = &tensor_context(a)->cpu;
  strew_tensor *near_a = NULL, *near_b = NULL;
  strew_status status = strew_to(a, cpu, a->dtype, &near_a, error);
  if (status == STREW_OK) status = strew_to(b, cpu, b->dtype, &near_b, error);
  if (status == STREW_OK) status = strew_isclose(near_a, near_b, rtol, atol, equal_nan, out, error);
  strew_release(near_a);
  strew_release(near_b);
  return status;
}

/* The comparison of each pair, on the device or on the CPU. */
static strew_status find_close(const struct call *call, strew_tensor *a, strew_tensor *b, double rtol, double atol,
                               bool equal_nan, strew_tensor **out) {
  strew_scalar bad = strew_float(rtol >= 0 ? atol : rtol);
  struct fault fault = {.code = STREW_EVALUE, .argument = rtol >= 0 ? "atol" : "rtol", .value = &bad};
  strew_error *error = call->error;
  strew_tensor *near = NULL;
  char text[TEXT_BYTES];
  strew_status status = check_same_dtype(call, a, b);
  if (status == STREW_OK && !(rtol >= 0 && atol >= 0))
    status = fail(call, fault, "is %s, tolerances are 0 or more", text_of_scalar(bad, text));
  if (status != STREW_OK) return status;
  if (distance_dtype(a->dtype) == STREW_FLOAT64 && a->storage->device->lacks_float64)
    return close_on_cpu(a, b, rtol, atol, equal_nan, out, error);
  status = strew_binary(STREW_EQ, strew_of(a), strew_of(b), &near, error);
  if (status == STREW_OK && (rtol > 0 || atol > 0)) status = add_near(near, a, b, rtol, atol, error);
  if (status == STREW_OK && equal_nan) status = join_nan(near, a, b, error);
  if (status == STREW_OK)
    *out = near;
  else
    strew_release(near);
  return status;
}

strew_status strew_isclose(strew_tensor *a, strew_tensor *b, double rtol, double atol, bool equal_nan,
                           strew_tensor **out, strew_error *error) {
  strew_error inner = {.alias = alias_of(error, "isclose")};
  CALL(call, "isclose", &inner, {"self", a}, {"other", b});
  strew_tensor *near = NULL;
  strew_status status = find_close(&call, a, b, rtol, atol, equal_nan, &near);
  if (status == STREW_OK) status = strew_to(near, a->storage->device, STREW_BOOL, out, &inner);
  strew_release(near);
  return report_inner(status, &inner, error);
}

strew_status strew_allclose(strew_tensor *a, strew_tensor *b, double rtol, double atol, bool *out, strew_error *error) {
  strew_error inner = {.alias = alias_of(error, "allclose")};
  CALL(call, "allclose", &inner, {"self", a}, {"other", b});
  strew_tensor *near = NULL;
  strew_status status = find_close(&call, a, b, rtol, atol, false, &near);
  if (status == STREW_OK) status = all_true(near, out, &inner);
  strew_release(near);
  return report_inner(status, &inner, error);
}
