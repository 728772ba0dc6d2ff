/* create.c: new tensors: empty, full, from host memory, eye. */
#include "runtime/core/base/device.h"

static strew_status make_text(const struct call *call, strew_device *device, const char *word, int rank,
                              const int64_t *sizes, strew_tensor **out) {
  if (!HAS_TEXT) return fail(call, FAULT(STREW_EDTYPE, "dtype"), "is text, which this build is without");
  return text_ops.full(call, device, word, rank, sizes, out);
}

strew_status strew_empty(strew_device *device, strew_dtype dtype, int rank, const int64_t *sizes, strew_tensor **out,
                         strew_error *error) {
  CALL(call, "empty", error, {0});
  if (dtype == STREW_TEXT) return make_text(&call, device, "", rank, sizes, out);
  return tensor_create(&call, device, dtype, rank, sizes, out);
}

strew_status strew_full(strew_device *device, strew_dtype dtype, int rank, const int64_t *sizes, strew_scalar value,
                        strew_tensor **out, strew_error *error) {
  CALL(call, "full", error, {0});
  union element element;
  const bool is_word = value.dtype == STREW_STRING;
  if (dtype == STREW_TEXT && (is_word || (value.dtype == STREW_INT64 && !value.as.i)))
    return make_text(&call, device, is_word ? value.as.s : "", rank, sizes, out);
  RETURN_IF_FAILED(check_sizes(&call, dtype, rank, sizes));
  RETURN_IF_FAILED(element_from(&call, "value", value, STREW_EXACT, dtype, &element));
  return tensor_full(&call, device, dtype, rank, sizes, element, out);
}

strew_status strew_from(strew_device *device, strew_dtype dtype, int rank, const int64_t *sizes, const void *data,
                        strew_tensor **out, strew_error *error) {
  CALL(call, "from", error, {0});
  strew_status status = tensor_create(&call, device, dtype, rank, sizes, out);
  if (status != STREW_OK || !(*out)->storage->size_bytes) return status;
  status = device->ops->write(&call, (*out)->storage, 0, data, (*out)->storage->size_bytes);
  return release_if_failed(status, out);
}

/* The diagonal is a 1-D view of stride columns + 1. */
strew_status strew_eye(strew_device *device, strew_dtype dtype, int64_t rows, int64_t columns, strew_tensor **out,
                       strew_error *error) {
  CALL(call, "eye", error, {0});
  RETURN_IF_FAILED(check_number_dtype(&call, dtype));
  int64_t sizes[] = {rows, columns}, shorter = rows < columns ? rows : columns;
  union element zero = {.i64 = 0}, one = element_identity(STREW_PROD, dtype);
  RETURN_IF_FAILED(tensor_full(&call, device, dtype, 2, sizes, zero, out));
  strew_tensor diagonal = **out; /* a view on the stack, without a reference to the storage */
  diagonal.rank = 1;
  diagonal.sizes[0] = shorter;
  diagonal.strides[0] = shorter ? columns + 1 : 0; /* without rows, columns + 1 might overflow */
  return release_if_failed(fill_tensor(&call, &diagonal, one), out);
}
