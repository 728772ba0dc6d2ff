/* copy.c: copies, conversions, fills and joins, all by the device's `copy`. */
#include "device.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static strew_status run_copy(const struct call *call, strew_device *device, struct plan *plan) {
  if (plan_numel(plan) == 0) return STREW_OK;
  plan_simplify_any_order(plan);
  return device->ops->copy(call, device, plan);
}

strew_status copy_tensor(const struct call *call, strew_tensor *to, const strew_tensor *from) {
  struct plan plan;
  PLAN(&plan, to->rank, to->sizes, to, from);
  return run_copy(call, to->storage->device, &plan);
}

strew_status fill_tensor(const struct call *call, strew_tensor *to, union element value) {
  struct plan plan;
  plan_start(&plan, to->rank, to->sizes);
  plan_add(&plan, to);
  plan_add_number(&plan, to->dtype, value);
  return run_copy(call, to->storage->device, &plan);
}

/* A new tensor of the shape of `from`, which is to be copied there: text with its words, or those of the call. */
static strew_status create_copy(const struct call *call, const strew_tensor *from, strew_device *device,
                                strew_dtype dtype, strew_tensor **out) {
  struct word_list *words = from->storage->words;
  if (dtype != STREW_TEXT) return tensor_create(call, device, dtype, from->rank, from->sizes, out);
  if (text_ops.begins(call, words)) words = call->words;
  RETURN_IF_FAILED(text_ops.in(call, device->context, words, &words));
  strew_status status = tensor_create(call, device, dtype_stored(dtype), from->rank, from->sizes, out);
  if (status == STREW_OK) text_ops.mark(*out, words);
  text_ops.release(words);
  return status;
}

strew_status copy_as(const struct call *call, const strew_tensor *from, strew_dtype dtype, strew_tensor **out) {
  strew_tensor *made;
  RETURN_IF_FAILED(create_copy(call, from, from->storage->device, dtype, &made));
  RETURN_IF_FAILED(release_if_failed(copy_tensor(call, made, from), &made));
  return *out = made, STREW_OK;
}

strew_status tensor_full(const struct call *call, strew_device *device, strew_dtype dtype, int rank,
                         const int64_t *sizes, union element value, strew_tensor **out) {
  RETURN_IF_FAILED(tensor_create(call, device, dtype, rank, sizes, out));
  return release_if_failed(fill_tensor(call, *out, value), out);
}

/* ------------------------------------------------------------------------------------------ between devices */

strew_status transfer(const struct call *call, const strew_tensor *from, strew_device *device, strew_tensor **out) {
  strew_context *context = device->context;
  const size_t element_bytes = dtype_bytes(from->dtype), size_bytes = (size_t)strew_tensor_numel(from) * element_bytes;
  if (device == from->storage->device) return *out = strew_retain((strew_tensor *)from), STREW_OK;
  strew_status status = create_copy(call, from, device, from->dtype, out);
  if (status != STREW_OK || !size_bytes) return status;
  const bool is_dense = from->storage->device->ops->host_memory && strew_tensor_is_contiguous(from);
  void *host = is_dense ? dense_at(from, 0) : memory_allocate(context, size_bytes);
  if (!host) status = fail_memory(call, context, size_bytes);
  TRY(status, is_dense ? STREW_OK : strew_read(from, host, size_bytes, call->error));
  TRY(status, device->ops->write(call, (*out)->storage, 0, host, size_bytes));
  if (!is_dense) memory_free(context, host, size_bytes);
  return release_if_failed(status, out);
}

strew_status transfer_as(const struct call *call, const strew_tensor *from, strew_device *device, strew_dtype dtype,
                         strew_tensor **out) {
  strew_tensor *first = NULL;
  bool before = from->dtype == STREW_FLOAT64 && device->lacks_float64;
  if (dtype == from->dtype) return transfer(call, from, device, out);
  strew_status status = before ? copy_as(call, from, dtype, &first) : transfer(call, from, device, &first);
  TRY(status, before ? transfer(call, first, device, out) : copy_as(call, first, dtype, out));
  strew_release(first);
  return status;
}

strew_status strew_clone(const strew_tensor *tensor, strew_tensor **out, strew_error *error) {
  CALL(call, "clone", error, {"self", tensor, MOVED});
  return copy_as(&call, tensor, tensor->dtype, out);
}

strew_status strew_contiguous(strew_tensor *tensor, strew_tensor **out, strew_error *error) {
  if (strew_tensor_is_contiguous(tensor)) return *out = strew_retain(tensor), STREW_OK;
  CALL(call, "contiguous", error, {"self", tensor, MOVED});
  return copy_as(&call, tensor, tensor->dtype, out);
}

/* ------------------------------------------------------------------------------------------------- in place */

strew_status copy_operand(const struct call *call, strew_tensor *tensor, const strew_tensor *src, const char *name) {
  RETURN_IF_FAILED(operand_store(call, src)); /* CALL looks at self's context, which may be another */
  RETURN_IF_FAILED(check_kind(call, name, src->dtype, "self", tensor->dtype));
  int rank = tensor->rank;
  int64_t sizes[MAX_RANK];
  memcpy(sizes, tensor->sizes, sizeof sizes);
  bool fits = src->rank <= rank && broadcast_sizes(&rank, sizes, src->rank, src->sizes) &&
              !memcmp(sizes, tensor->sizes, (size_t)rank * sizeof *sizes);
  char is[TEXT_BYTES], expected[TEXT_BYTES];
  if (!fits)
    return fail(call, FAULT(STREW_ESHAPE, name), "has shape %s, which does not broadcast to self's %s",
                text_of_sizes(src->rank, src->sizes, is), text_of_sizes(tensor->rank, tensor->sizes, expected));
  strew_status status = check_overlap(call, tensor, "self", NULL, false);
  TRY(status, check_overlap(call, tensor, name, src, true));
  if (status != STREW_OK || tensors_are_same_view(tensor, src)) return status;
  if (src->storage->device == tensor->storage->device) return copy_tensor(call, tensor, src);
  strew_tensor *transferred = NULL;
  status = transfer_as(call, src, tensor->storage->device, tensor->dtype, &transferred);
  TRY(status, copy_tensor(call, tensor, transferred));
  strew_release(transferred);
  return status;
}

strew_status strew_copy(strew_tensor *tensor, const strew_tensor *src, strew_error *error) {
  CALL(call, "copy", error, {"self", tensor, MOVED}, {"src", src, MOVED});
  return copy_operand(&call, tensor, src, "src");
}

strew_status strew_set(strew_tensor *tensor, int rank, const int64_t *position, strew_scalar value,
                       strew_error *error) {
  strew_operand x = strew_number(value);
  TAKE_WORD(word, "set", error, tensor->dtype == STREW_TEXT, tensor, x);
  CALL(call, "set", error, {"self", tensor, MOVED}, {"value", word, MOVED | UNSEEN});
  int64_t offset;
  union element element;
  RETURN_IF_FAILED(check_writable(&call, tensor, "self"));
  RETURN_IF_FAILED(tensor_locate(&call, tensor, rank, position, &offset));
  if (word) {
    strew_tensor at = *tensor; /* a view on the stack */
    at.rank = 0, at.offset = offset;
    return copy_operand(&call, &at, word, "value");
  }
  RETURN_IF_FAILED(element_from(&call, "value", value, STREW_EXACT, tensor->dtype, &element));
  size_t size = dtype_bytes(tensor->dtype);
  return tensor->storage->device->ops->write(&call, tensor->storage, (size_t)offset * size, element.bytes, size);
}

strew_status strew_fill(strew_tensor *tensor, strew_scalar value, strew_error *error) {
  strew_operand x = strew_number(value);
  TAKE_WORD(word, "fill", error, tensor->dtype == STREW_TEXT, tensor, x);
  CALL(call, "fill", error, {"self", tensor, MOVED}, {"value", word, MOVED | UNSEEN});
  union element element;
  if (word) return copy_operand(&call, tensor, word, "value");
  strew_status status = element_from(&call, "value", value, STREW_EXACT, tensor->dtype, &element);
  TRY(status, check_overlap(&call, tensor, "self", NULL, false));
  return TRY(status, fill_tensor(&call, tensor, element));
}

/* ------------------------------------------------------------------------------------------------- cat, stack */

/* cat skips empty 1-D tensors, as PyTorch does. */
static bool is_empty_1d(const strew_tensor *tensor) { return tensor->rank == 1 && tensor->sizes[0] == 0; }

/* Messages number entries from 1, as Lua's tables do. */
strew_status check_listed_device(const struct call *call, const char *name, strew_tensor *const *tensors, int64_t i,
                                 int64_t first) {
  const strew_device *device = tensors[i]->storage->device, *expected = tensors[first]->storage->device;
  if (device == expected) return STREW_OK;
  char fact[TEXT_BYTES];
  if (device->context != expected->context) {
    snprintf(fact, sizeof fact, "has a tensor at [%" PRId64 "] that belongs to", i + 1);
    return fail_context(call, name, fact);
  }
  const char *hint = hint_of(call, "strew_to(%s[%" PRId64 "], %s)", name, i + 1, expected->name);
  return fail(call, HINTED(STREW_EDEVICE, name, hint),
              "is on %s at [%" PRId64 "], on %s at [%" PRId64 "]: all must be on one device", device->name, i + 1,
              expected->name, first + 1);
}

/* Fails unless the shape of entry i fits that of entry `first`. */
static strew_status check_joined(const struct call *call, strew_tensor *const *tensors, int64_t i, int64_t first,
                                 int dim, bool new_dim) {
  const strew_tensor *tensor = tensors[i], *model = tensors[first];
  struct fault fault = {.code = STREW_ESHAPE, .argument = "tensors"};
  RETURN_IF_FAILED(check_listed_device(call, "tensors", tensors, i, first));
  if (!new_dim && is_empty_1d(tensor)) return STREW_OK;
  if (tensor->rank != model->rank)
    return fail(call, fault, "has %d dimension%s at [%" PRId64 "], %d at [%" PRId64 "]: ranks must be equal",
                tensor->rank, tensor->rank == 1 ? "" : "s", i + 1, model->rank, first + 1);
  int d = 0;
  while (d < tensor->rank && (tensor->sizes[d] == model->sizes[d] || (!new_dim && d == dim))) d++;
  if (d == tensor->rank) return STREW_OK;
  char rule[50] = "sizes must be equal";
  if (!new_dim) snprintf(rule, sizeof rule, "only in dim %d may sizes differ", dim);
  return fail(call, fault, "has size %" PRId64 " in dim %d at [%" PRId64 "], %" PRId64 " at [%" PRId64 "]: %s",
              tensor->sizes[d], d, i + 1, model->sizes[d], first + 1, rule);
}

/* Checks for interruption every ENTRIES entries: there may be millions. */
static strew_status check_entry(const struct call *call, const strew_tensor *tensor, int64_t i) {
  enum { ENTRIES = 4096 };
  return i % ENTRIES ? STREW_OK : context_check(call, tensor->storage->device->context);
}

/* Checks all entries; adds up the sizes along dim; promotes the dtype. */
static strew_status join_shapes(const struct call *call, int64_t count, strew_tensor *const *tensors, int64_t first,
                                int dim, bool new_dim, strew_dtype *dtype, int64_t *total) {
  *dtype = tensors[0]->dtype;
  *total = 0;
  for (int64_t i = 0; i < count; i++) {
    RETURN_IF_FAILED(check_entry(call, tensors[i], i));
    RETURN_IF_FAILED(check_joined(call, tensors, i, first, dim, new_dim));
    RETURN_IF_FAILED(check_kind(call, "tensors", tensors[i]->dtype, "the first", tensors[0]->dtype));
    *dtype = dtype_promote(*dtype, tensors[i]->dtype);
    int64_t size = new_dim ? 1 : is_empty_1d(tensors[i]) ? 0 : tensors[i]->sizes[dim];
    if (__builtin_add_overflow(*total, size, total))
      return fail(call, FAULT(STREW_ESHAPE, "tensors"), "has more elements in dim %d than can be addressed", dim);
  }
  return STREW_OK;
}

/* Copies tensors[i] into its part of out along dim. */
static strew_status join_parts(const struct call *call, int64_t count, strew_tensor *const *tensors, int dim,
                               bool new_dim, strew_tensor *out) {
  struct strew_tensor part = *out; /* a view on the stack, without a reference to the storage */
  for (int64_t i = 0; i < count; i++) {
    struct strew_tensor from = *tensors[i];
    if (!new_dim && is_empty_1d(&from)) continue;
    part.sizes[dim] = new_dim ? 1 : from.sizes[dim];
    if (new_dim) { /* with the new dimension, of size 1 */
      memmove(from.sizes + dim + 1, from.sizes + dim, (size_t)(from.rank - dim) * sizeof *from.sizes);
      memmove(from.strides + dim + 1, from.strides + dim, (size_t)(from.rank - dim) * sizeof *from.strides);
      from.sizes[dim] = 1;
      from.rank++;
    }
    RETURN_IF_FAILED(check_entry(call, out, i));
    RETURN_IF_FAILED(copy_tensor(call, &part, &from));
    part.offset += part.sizes[dim] * part.strides[dim];
  }
  return STREW_OK;
}

/* Makes the result of joined tensors, and copies them to it. */
static strew_status join_into(const struct call *call, int64_t count, strew_tensor *const *tensors, int dim,
                              bool new_dim, strew_dtype dtype, int rank, const int64_t *sizes, strew_tensor **out) {
  RETURN_IF_FAILED(tensor_create(call, tensors[0]->storage->device, dtype, rank, sizes, out));
  return release_if_failed(join_parts(call, count, tensors, dim, new_dim, *out), out);
}

/* The same of texts, which get codes of one list first. */
static strew_status join_texts(struct call *call, int64_t count, strew_tensor *const *tensors, int dim, bool new_dim,
                               int rank, const int64_t *sizes, strew_tensor **out) {
  strew_context *context = tensor_context(tensors[0]);
  const uint64_t size_bytes = (uint64_t)count * sizeof *tensors;
  ALLOCATE_NEW(strew_tensor **, texts, call, context, size_bytes);
  strew_status status = text_ops.align(call, count, tensors, texts, &call->words);
  if (status == STREW_OK) {
    status = join_into(call, count, texts, dim, new_dim, STREW_TEXT, rank, sizes, out);
    for (int64_t i = 0; i < count; i++) strew_release(texts[i]);
    text_ops.release(call->words);
  }
  memory_free(context, texts, size_bytes);
  return status;
}

static strew_status join_tensors(struct call *call, int64_t count, strew_tensor *const *tensors, int dim, bool new_dim,
                                 strew_tensor **out) {
  if (count < 1) return fail(call, FAULT(STREW_EARGUMENT, "tensors"), "is empty, expected at least one tensor");
  strew_dtype dtype;
  int64_t total;
  int64_t first = 0;
  for (int64_t i = 0; i < count; i++) RETURN_IF_FAILED(check_listed(call, "tensors", i, tensors[i], MOVED));
  while (!new_dim && first < count - 1 && is_empty_1d(tensors[first])) first++;
  const strew_tensor *model = tensors[first];
  struct fault fault = {.code = STREW_ESHAPE, .argument = "tensors"};
  if (!new_dim && model->rank == 0)
    return fail(call, fault, "has no dimension at [%" PRId64 "], expected at least 1: stack joins single numbers",
                first + 1);
  if (new_dim && model->rank == MAX_RANK)
    return fail(call, fault, "has %d dimensions, the largest rank: none can be added", MAX_RANK);
  RETURN_IF_FAILED(check_dim(call, model->rank + new_dim, &dim));
  RETURN_IF_FAILED(join_shapes(call, count, tensors, first, dim, new_dim, &dtype, &total));
  int64_t sizes[MAX_RANK];
  int rank = model->rank + new_dim;
  for (int d = 0; d < rank; d++) sizes[d] = d == dim ? total : model->sizes[d - (new_dim && d > dim)];
  if (dtype == STREW_TEXT) return join_texts(call, count, tensors, dim, new_dim, rank, sizes, out);
  return join_into(call, count, tensors, dim, new_dim, dtype, rank, sizes, out);
}

strew_status strew_cat(int64_t count, strew_tensor *const *tensors, int dim, strew_tensor **out, strew_error *error) {
  CALL(call, "cat", error, {0});
  return join_tensors(&call, count, tensors, dim, false, out);
}

strew_status strew_stack(int64_t count, strew_tensor *const *tensors, int dim, strew_tensor **out, strew_error *error) {
  CALL(call, "stack", error, {0});
  return join_tensors(&call, count, tensors, dim, true, out);
}

strew_status strew_to(strew_tensor *tensor, strew_device *device, strew_dtype dtype, strew_tensor **out,
                      strew_error *error) {
  CALL(call, "to", error, {"self", tensor, MOVED});
  RETURN_IF_FAILED(check_dtype(&call, dtype));
  const bool is_here = device == tensor->storage->device, is_same = dtype == tensor->dtype;
  if (!is_same && (dtype == STREW_TEXT || tensor->dtype == STREW_TEXT))
    return HAS_TEXT ? text_ops.convert(&call, tensor, device, dtype, out)
                    : fail(&call, FAULT(STREW_EDTYPE, "dtype"), "is text, which this build is without");
  if (!is_same && dtype_stored(dtype) != dtype_stored(tensor->dtype))
    RETURN_IF_FAILED(check_kind(&call, "dtype", dtype, "self", tensor->dtype));
  if (!is_here) return transfer_as(&call, tensor, device, dtype, out);
  return is_same ? (*out = strew_retain(tensor), STREW_OK) : copy_as(&call, tensor, dtype, out);
}

strew_status strew_read(const strew_tensor *tensor, void *to, size_t size_bytes, strew_error *error) {
  CALL(call, "read", error, {"self", tensor, MOVED});
  int64_t count = strew_tensor_numel(tensor);
  const uint64_t expected = (uint64_t)count * dtype_bytes(tensor->dtype);
  if (size_bytes != expected)
    return fail(&call, FAULT(STREW_EARGUMENT, "size_bytes"), "is %zu, expected %" PRIu64 ", the bytes of all elements",
                size_bytes, expected);
  if (!count) return STREW_OK;
  if (strew_tensor_is_contiguous(tensor)) return tensor_read(&call, tensor, tensor->offset, to, count);
  strew_tensor *dense = NULL;
  strew_status status = copy_as(&call, tensor, tensor->dtype, &dense);
  TRY(status, tensor_read(&call, dense, 0, to, count));
  strew_release(dense);
  return status;
}
