/* tensor.c: tensors: creation and release, properties, reading and writing of elements. */
#include "device.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* --------------------------------------------------------------------------------------------------- shapes */

int64_t count_of_sizes(int rank, const int64_t *sizes) {
  int64_t count = 1;
  for (int d = 0; d < rank; d++)
    if (__builtin_mul_overflow(count, sizes[d], &count)) count = INT64_MAX;
  return count;
}

void dense_strides(int rank, const int64_t *sizes, int64_t *strides) {
  int64_t step = 1;
  for (int d = rank - 1; d >= 0; d--) {
    strides[d] = step;
    step *= sizes[d] > 1 ? sizes[d] : 1;
  }
}

strew_status check_dim(const struct call *call, int rank, int *dim) { return check_named_dim(call, "dim", rank, dim); }

strew_status check_named_dim(const struct call *call, const char *name, int rank, int *dim) {
  int wrapped = rank ? rank : 1;
  if (*dim >= -wrapped && *dim < wrapped) return *dim += *dim < 0 ? wrapped : 0, STREW_OK;
  return fail(call, VALUED(STREW_ESHAPE, name, strew_int(*dim)),
              "is %d, out of range for %d dimension%s (valid %d..%d)", *dim, rank, rank == 1 ? "" : "s", -wrapped,
              wrapped - 1);
}

strew_status read_dim(const struct call *call, const char *name, int rank, int64_t given, int *dim) {
  *dim = given < -MAX_RANK ? -MAX_RANK - 1 : given > MAX_RANK ? MAX_RANK : (int)given;
  return check_named_dim(call, name, rank, dim);
}

strew_status mark_dims(const struct call *call, const char *name, int rank, int count, const int64_t *dims,
                       bool *marked) {
  if (count < 0 || (count && !dims))
    return fail(call, VALUED(STREW_EARGUMENT, "dim_count", strew_int(count)), "is %d, expected %s", count,
                dims ? "0 or more" : "0 without dims: NULL stands for all dimensions");
  for (int d = 0; d < MAX_RANK; d++) marked[d] = !dims && d < rank;
  for (int i = 0, dim; i < count; i++) {
    RETURN_IF_FAILED(read_dim(call, name, rank, dims[i], &dim));
    if (marked[dim]) return fail(call, VALUED(STREW_ESHAPE, name, strew_int(dims[i])), "names dimension %d twice", dim);
    marked[dim] = true;
  }
  return STREW_OK;
}

static strew_status fail_bytes(const struct call *call, int rank, const int64_t *sizes) {
  char text[TEXT_BYTES];
  return fail(call, FAULT(STREW_ESHAPE, "shape"), "is %s, more bytes than can be addressed",
              text_of_sizes(rank, sizes, text));
}

/* No product of sizes may overflow, even in an empty tensor: its strides are products of sizes, too. */
strew_status check_sizes(const struct call *call, strew_dtype dtype, int rank, const int64_t *sizes) {
  struct fault fault = {.code = STREW_ESHAPE, .argument = "shape"};
  RETURN_IF_FAILED(check_dtype(call, dtype));
  if (rank < 0 || rank > MAX_RANK) return fail(call, fault, "has %d dimensions, valid 0..%d", rank, MAX_RANK);
  int64_t bytes = (int64_t)dtype_bytes(dtype);
  for (int d = 0; d < rank; d++) {
    strew_scalar value = strew_int(sizes[d]);
    fault.value = &value;
    if (sizes[d] < 0) return fail(call, fault, "has size %" PRId64 " in dimension %d, expected 0 or more", sizes[d], d);
    if (__builtin_mul_overflow(bytes, sizes[d] > 1 ? sizes[d] : 1, &bytes)) return fail_bytes(call, rank, sizes);
  }
  return STREW_OK;
}

strew_status(fail_context)(const struct call *call, const char *argument, const char *fact) {
  return fail(call, HINTED(STREW_EDEVICE, argument, "strew_to and strew_copy take a tensor of another context"),
              "%s another context, all operands must belong to one", fact);
}

strew_status check_devices(const struct call *call) {
  const strew_tensor *first = NULL;
  for (int i = 0; i < MAX_OPERANDS && call->operands[i].name; i++) {
    const strew_tensor *tensor = call->operands[i].tensor;
    if (!tensor) continue;
    if (!first) first = tensor;
    if (tensor->storage->device == first->storage->device) continue;
    if (tensor_context(tensor) != tensor_context(first))
      return fail_context(call, call->operands[i].name, "belongs to");
    const char *name = call->operands[i].name;
    return fail(call,
                HINTED(STREW_EDEVICE, name, hint_of(call, "strew_to(%s, %s)", name, first->storage->device->name)),
                "is on %s, all operands must be on one device", tensor->storage->device->name);
  }
  return STREW_OK;
}

/* --------------------------------------------------------------------------------------- creation and release */

static void tensor_give_back(strew_context *context, struct released *released) {
  strew_tensor *tensor = (strew_tensor *)(void *)((char *)released - offsetof(strew_tensor, released));
  struct storage *storage = tensor->storage;
  tensor->storage = NULL;
  if (KEEPS_RELEASED)
    context_keep_released(context, tensor, sizeof *tensor);
  else
    memory_free(context, tensor, sizeof *tensor);
  storage_release(storage);
}

static strew_status tensor_over(const struct call *call, struct storage *storage, strew_dtype dtype, int rank,
                                const int64_t *sizes, const int64_t *strides, int64_t offset, strew_tensor **out) {
  strew_context *context = storage->device->context;
  ALLOCATE_NEW(strew_tensor *, tensor, call, context, sizeof *tensor);
  strew_context_retain(context);
  atomic_init(&tensor->references, 1);
  tensor->released.give_back = tensor_give_back;
  tensor->dtype = dtype;
  context->has_others |= !dtype_is_number(dtype);
  tensor->rank = rank;
  tensor->offset = offset;
  tensor->storage = storage;
  for (int d = 0; d < rank; d++) { /* sizes of rank 0 may be NULL, which memcpy does not take */
    tensor->sizes[d] = sizes[d];
    tensor->strides[d] = strides[d];
  }
  *out = tensor;
  return STREW_OK;
}

strew_status tensor_view(const struct call *call, const strew_tensor *base, int rank, const int64_t *sizes,
                         const int64_t *strides, int64_t offset, strew_tensor **out) {
  RETURN_IF_FAILED(tensor_over(call, base->storage, base->dtype, rank, sizes, strides, offset, out));
  return storage_retain(base->storage), STREW_OK;
}

/* float32 in place of float64 where the device lacks that. */
static strew_dtype dtype_on(const strew_device *device, strew_dtype dtype) {
  return dtype == STREW_FLOAT64 && device->lacks_float64 ? STREW_FLOAT32 : dtype;
}

const char *dtype_name_on(const strew_device *device, strew_dtype dtype) {
  return strew_dtype_name(dtype_on(device, dtype));
}

const char *hint_of_floats(const strew_device *device) {
  return device->lacks_float64 ? "strew_to(src, float32) computes in floats"
                               : "{.dtype = STREW_FLOAT64} computes in floats";
}

const char *hint_to_floats(const struct call *call, const strew_tensor *tensor, const char *name) {
  return hint_of(call, tensor->dtype == STREW_TIME ? "strew_to(strew_to(%s, int64), %s)" : "strew_to(%s, %s)", name,
                 dtype_name_on(tensor->storage->device, STREW_FLOAT64));
}

strew_status check_dtype_of_device(const struct call *call, const strew_device *device, strew_dtype dtype,
                                   const char *hint) {
  if (dtype != STREW_FLOAT64 || !device->lacks_float64) return STREW_OK;
  return fail(call, HINTED(STREW_EDTYPE, "dtype", hint ? hint : "float32, or device = \"cpu\""),
              "is float64, which device %s does not have: %s", device->name, device->lacks_float64);
}

/* Of numbers no call makes text. */
static strew_status fail_text(const struct call *call) {
  return fail(call, HINTED(STREW_EDTYPE, "dtype", "strew_text makes text of codes and words"),
              "is text, expected a number dtype");
}

strew_status tensor_create(const struct call *call, strew_device *device, strew_dtype dtype, int rank,
                           const int64_t *sizes, strew_tensor **out) {
  RETURN_IF_FAILED(check_sizes(call, dtype, rank, sizes));
  RETURN_IF_FAILED(check_dtype_of_device(call, device, dtype, NULL));
  if (dtype == STREW_TEXT && !call->words) return fail_text(call);
  int64_t strides[MAX_RANK];
  dense_strides(rank, sizes, strides);
  const uint64_t size_bytes = (uint64_t)count_of_sizes(rank, sizes) * dtype_bytes(dtype);
  struct storage *storage;
  if (!is_addressable(size_bytes)) return fail_bytes(call, rank, sizes);
  RETURN_IF_FAILED(storage_create(call, device, (size_t)size_bytes, &storage));
  strew_status status = tensor_over(call, storage, dtype, rank, sizes, strides, 0, out);
  if (status != STREW_OK) return storage_release(storage), status;
  if (dtype == STREW_TEXT) text_ops.set(storage, call->words);
  return STREW_OK;
}

strew_tensor *strew_retain(strew_tensor *tensor) {
  atomic_fetch_add_explicit(&tensor->references, 1, memory_order_relaxed);
  return tensor;
}

void strew_release(strew_tensor *tensor) {
  if (!tensor || !drop_reference(&tensor->references)) return;
  strew_context *context = tensor_context(tensor);
  context_give_back(context, &tensor->released);
  strew_context_release(context);
}

strew_status release_if_failed(strew_status status, strew_tensor **out) {
  if (status != STREW_OK) strew_release(*out), *out = NULL;
  return status;
}

strew_status check_float(const struct call *call, const char *name, const strew_tensor *tensor) {
  if (dtype_is_float(tensor->dtype)) return STREW_OK;
  return fail(call, HINTED(STREW_EDTYPE, name, hint_to_floats(call, tensor, name)), "is %s, expected a float dtype",
              strew_dtype_name(tensor->dtype));
}

/* Fails for different dtypes; the hint converts to `common`. */
static strew_status fail_unequal(const struct call *call, const char *name, strew_dtype dtype, const char *other,
                                 strew_dtype expected, strew_dtype common) {
  common = dtype_on(call->operands[0].tensor->storage->device, common);
  const char *to = strew_dtype_name(common), *first = common == dtype ? other : name;
  const char *both = common != dtype && common != expected ? "strew_to(%s, %s), strew_to(%s, %s)" : "strew_to(%s, %s)";
  const char *hint = hint_of(call, both, first, to, other, to);
  return fail(call, HINTED(STREW_EDTYPE, name, hint), "is %s, %s is %s: dtypes must be equal", strew_dtype_name(dtype),
              other, strew_dtype_name(expected));
}

static bool is_wide_integer(strew_dtype dtype) {
  return !dtype_is_float(dtype) && dtype_bytes(dtype) >= sizeof(int32_t);
}

strew_status check_equal_dtypes(const struct call *call, const char *name, strew_dtype dtype, const char *other,
                                strew_dtype expected) {
  if (dtype == expected) return STREW_OK;
  const strew_dtype promoted = dtype_promote(dtype, expected);
  const bool is_rounded = dtype_is_float(promoted) && (is_wide_integer(dtype) || is_wide_integer(expected));
  return fail_unequal(call, name, dtype, other, expected, is_rounded ? STREW_FLOAT64 : promoted);
}

strew_status check_stored_dtype(const struct call *call, const char *name, strew_dtype dtype, strew_dtype self) {
  if (dtype != self && dtype_promote(dtype, self) == self) return fail_unequal(call, name, dtype, "self", self, self);
  return check_equal_dtypes(call, name, dtype, "self", self);
}

strew_status operand_word(const char *op, strew_error *error, const strew_tensor *beside, strew_operand *x,
                          strew_tensor **word) {
  const struct call call = {.op = op, .error = error};
  if (!HAS_TEXT || !beside->storage) return STREW_OK; /* released, as CALL says */
  RETURN_IF_FAILED(text_ops.full(&call, beside->storage->device, x->number.as.s, 0, NULL, word));
  return *x = strew_of(*word), STREW_OK;
}

void word_release(strew_tensor **word) { strew_release(*word); }

strew_status operand_settle(const struct call *call, const char *name, strew_dtype dtype, strew_operand *value) {
  if (is_string(*value)) {
    union element time; /* of text none is left */
    RETURN_IF_FAILED(dtype == STREW_TIME ? element_from(call, name, value->number, STREW_EXACT, dtype, &time)
                                         : check_operand(call, name, *value));
    return *value = strew_number((strew_scalar){.dtype = STREW_TIME, .as.i = time.i64}), STREW_OK;
  }
  const strew_tensor *tensor = value->tensor;
  union element element;
  if (!tensor || tensor->rank || tensor->dtype == dtype) return STREW_OK;
  RETURN_IF_FAILED(check_devices(call));
  RETURN_IF_FAILED(tensor_read(call, tensor, tensor->offset, element.bytes, 1));
  return *value = strew_number(strew_scalar_load(tensor->dtype, element.bytes)), STREW_OK;
}

/* Gives a text that is to be written the call's words. */
static strew_status take_words(const struct call *call, const strew_tensor *self, const char *name) {
  if (!text_ops.begins(call, self->storage->words))
    return fail(call, HINTED(STREW_EDTYPE, name, "leave it out: the call makes a new tensor"),
                "has other words than the text that is written to it");
  return text_ops.set(self->storage, call->words), STREW_OK;
}

strew_status check_writable(const struct call *call, const strew_tensor *self, const char *name) {
  RETURN_IF_FAILED(operand_store(call, self));
  if (!self->storage->constant)
    return self->dtype == STREW_TEXT && call->words ? take_words(call, self, name) : STREW_OK;
  const char *hint = hint_of(call, "strew_clone(%s) may be written", name);
  if (self->storage->wrapped)
    return fail(call, HINTED(STREW_EARGUMENT, name, hint), "is read-only memory of the host, it cannot be written");
  return fail(call, HINTED(STREW_EOVERLAP, name, hint), "belongs to a grouping, which never changes");
}

strew_status out_prepare(const struct call *call, strew_device *device, strew_dtype dtype, int rank,
                         const int64_t *sizes, strew_tensor **out, bool *made) {
  *made = !*out;
  if (*made) return tensor_create(call, device, dtype, rank, sizes, out);
  strew_tensor *given = *out;
  char is[TEXT_BYTES], expected[TEXT_BYTES];
  if (given->rank != rank || (rank && memcmp(given->sizes, sizes, (size_t)rank * sizeof *sizes) != 0))
    return fail(call, FAULT(STREW_ESHAPE, "out"), "has shape %s, expected %s",
                text_of_sizes(given->rank, given->sizes, is), text_of_sizes(rank, sizes, expected));
  if (given->dtype != dtype)
    return fail(call, FAULT(STREW_EDTYPE, "out"), "is %s, expected %s", strew_dtype_name(given->dtype),
                strew_dtype_name(dtype));
  if (given->storage->device->context != device->context) return fail_context(call, "out", "belongs to");
  if (given->storage->device != device)
    return fail(call, FAULT(STREW_EDEVICE, "out"), "is on %s, expected %s", given->storage->device->name, device->name);
  return STREW_OK;
}

/* Even for an empty tensor it may overflow: later views multiply sizes and strides. */
int64_t reach_of_view(int rank, const int64_t *sizes, const int64_t *strides) {
  int64_t reached = 1, span;
  for (int d = 0; d < rank; d++) {
    if (__builtin_mul_overflow(sizes[d], strides[d], &span)) return -1;
    if (sizes[d] && __builtin_add_overflow(reached, span - strides[d], &reached)) return -1;
  }
  return count_of_sizes(rank, sizes) ? reached : 0;
}

/* Fails unless a view of this shape from `offset` on lies within a storage of `elements`. */
static strew_status check_view(const struct call *call, int rank, const int64_t *sizes, const int64_t *strides,
                               int64_t offset, int64_t elements) {
  struct fault fault = {.code = STREW_ESHAPE};
  char text[TEXT_BYTES], more[TEXT_BYTES];
  for (int d = 0; d < rank; d++) {
    if (strides[d] >= 0) continue;
    fault.argument = "strides";
    return fail(call, fault, "is %s, expected strides of 0 or more", text_of_sizes(rank, strides, text));
  }
  int64_t reached = reach_of_view(rank, sizes, strides);
  fault.argument = "offset";
  if (offset < 0 || offset > elements) return fail(call, fault, "is %" PRId64 ", valid 0..%" PRId64, offset, elements);
  fault.argument = "shape";
  if (reached < 0 || reached > elements - offset)
    return fail(call, fault,
                "%s with strides %s from offset %" PRId64 " reaches beyond the storage's %" PRId64 " elements",
                text_of_sizes(rank, sizes, text), text_of_sizes(rank, strides, more), offset, elements);
  return STREW_OK;
}

strew_status strew_as_strided(strew_tensor *tensor, int rank, const int64_t *sizes, const int64_t *strides,
                              int64_t offset, strew_tensor **out, strew_error *error) {
  CALL(call, "as_strided", error, {"self", tensor, MOVED});
  int64_t elements = (int64_t)(tensor->storage->size_bytes / dtype_bytes(tensor->dtype));
  strew_status status = check_sizes(&call, tensor->dtype, rank, sizes);
  TRY(status, check_view(&call, rank, sizes, strides, offset, elements));
  return TRY(status, tensor_view(&call, tensor, rank, sizes, strides, offset, out));
}

/* Fails unless `memory` holds such a tensor. *strides: `dense` if they are NULL. */
static strew_status check_wrap(const struct call *call, const strew_device *device, strew_dtype dtype, int rank,
                               const int64_t *sizes, const int64_t **strides, int64_t *dense,
                               const struct storage *memory) {
  RETURN_IF_FAILED(check_sizes(call, dtype, rank, sizes));
  if (dtype == STREW_TEXT) return fail_text(call);
  if (!device->ops->host_memory) return fail(call, FAULT(STREW_EDEVICE, "device"), "is %s, expected cpu", device->name);
  dense_strides(rank, sizes, dense);
  if (!*strides) *strides = dense;
  RETURN_IF_FAILED(check_view(call, rank, sizes, *strides, 0, (int64_t)(memory->size_bytes / dtype_bytes(dtype))));
  if ((uintptr_t)memory->data % dtype_bytes(dtype) || (!memory->data && count_of_sizes(rank, sizes)))
    return fail(call, FAULT(STREW_EARGUMENT, "data"), "is %p, expected an address aligned to the %zu bytes of %s",
                memory->data, dtype_bytes(dtype), strew_dtype_name(dtype));
  return STREW_OK;
}

strew_status tensor_wrap(const struct call *call, strew_device *device, strew_dtype dtype, int rank,
                         const int64_t *sizes, const int64_t *strides, const struct storage *memory,
                         strew_tensor **out) {
  int64_t dense[MAX_RANK];
  struct storage *storage;
  RETURN_IF_FAILED(check_wrap(call, device, dtype, rank, sizes, &strides, dense, memory));
  RETURN_IF_FAILED(storage_create(call, device, 0, &storage));
  strew_status status = tensor_over(call, storage, dtype, rank, sizes, strides, 0, out);
  if (status != STREW_OK) return storage_release(storage), status;
  *storage = *memory;
  storage->references = 1, storage->device = device, storage->wrapped = true;
  return STREW_OK;
}

strew_status strew_wrap(strew_device *device, strew_dtype dtype, int rank, const int64_t *sizes, const int64_t *strides,
                        void *data, size_t size_bytes, void (*release)(void *user), void *user, strew_tensor **out,
                        strew_error *error) {
  CALL(call, "wrap", error, {0});
  const struct storage memory = {.data = data, .size_bytes = size_bytes, .release = release, .user = user};
  return tensor_wrap(&call, device, dtype, rank, sizes, strides, &memory, out);
}

strew_status strew_wrap_const(strew_device *device, strew_dtype dtype, int rank, const int64_t *sizes,
                              const int64_t *strides, const void *data, size_t size_bytes, void (*release)(void *user),
                              void *user, strew_tensor **out, strew_error *error) {
  CALL(call, "wrap_const", error, {0});
  const struct storage memory = {
      .data = (void *)(uintptr_t)data, .size_bytes = size_bytes, .constant = true, .release = release, .user = user};
  return tensor_wrap(&call, device, dtype, rank, sizes, strides, &memory, out);
}

/* ------------------------------------------------------------------------------------------------ properties */

strew_dtype strew_tensor_dtype(const strew_tensor *tensor) { return tensor->dtype; }
strew_device *strew_tensor_device(const strew_tensor *tensor) { return tensor->storage->device; }
int strew_tensor_rank(const strew_tensor *tensor) { return tensor->rank; }
const int64_t *strew_tensor_sizes(const strew_tensor *tensor) { return tensor->sizes; }
const int64_t *strew_tensor_strides(const strew_tensor *tensor) { return tensor->strides; }
const void *strew_tensor_storage(const strew_tensor *tensor) { return tensor->storage; }
int64_t strew_tensor_offset(const strew_tensor *tensor) { return tensor->offset; }
int64_t strew_tensor_numel(const strew_tensor *tensor) { return count_of_sizes(tensor->rank, tensor->sizes); }
strew_context *tensor_context(const strew_tensor *tensor) { return tensor->storage->device->context; }

/* Strides of dimensions of size 1 do not matter, nor do those of an empty tensor. */
bool strew_tensor_is_contiguous(const strew_tensor *tensor) {
  int64_t step = 1;
  for (int d = tensor->rank - 1; d >= 0; d--) {
    if (tensor->sizes[d] == 1) continue;
    if (tensor->strides[d] != step) return strew_tensor_numel(tensor) == 0;
    step *= tensor->sizes[d];
  }
  return true;
}

/* ----------------------------------------------------------------------------------------- reading and writing */

strew_status strew_data(const strew_tensor *tensor, void **data, strew_error *error) {
  CALL(call, "data", error, {"self", tensor, MOVED});
  if (tensor->dtype == STREW_TEXT) RETURN_IF_FAILED(check_is_number(&call, "self", tensor));
  if (!tensor->storage->device->ops->host_memory)
    return fail(&call, HINTED(STREW_EDEVICE, "self", "strew_to(self, cpu)"), "is on %s, expected a tensor on cpu",
                tensor->storage->device->name);
  return *data = dense_at(tensor, 0), STREW_OK;
}

strew_status tensor_read(const struct call *call, const strew_tensor *tensor, int64_t offset, void *to, int64_t count) {
  const size_t size = dtype_bytes(tensor->dtype);
  strew_device *device = tensor->storage->device;
  RETURN_IF_FAILED(device->ops->read(call, tensor->storage, (size_t)offset * size, to, (size_t)count * size));
  if (tensor->dtype != STREW_TEXT || device->ops->host_memory) return STREW_OK;
  const int64_t words = text_ops.count(tensor->storage->words);
  int32_t code;
  for (int64_t i = 0; i < count; i++) /* a driver may compute anything: codes address words */
    if (memcpy(&code, (char *)to + (size_t)i * sizeof code, sizeof code), code < 0 || code >= words)
      return fail(call, FAULT(STREW_EDEVICE, "device"),
                  "%s gave code %d of a text of %" PRId64 " words: its driver failed", device->name, (int)code, words);
  return STREW_OK;
}

strew_status fail_position(const struct call *call, int dim, int64_t size, int rank, const int64_t *position,
                           int64_t at) {
  strew_scalar value = strew_int(at);
  struct fault fault = {.code = STREW_EINDEX, .argument = "position", .value = &value, .position_rank = rank};
  fault.position = position;
  if (size == 0) return fail(call, fault, "%" PRId64 " is out of range for dim %d of self, which has size 0", at, dim);
  if (at == size) fault.hint = "counted from 1? positions count from 0, and -1 is the last";
  return fail(call, fault,
              "%" PRId64 " is out of range for dim %d of self (size %" PRId64 ", valid %" PRId64 "..%" PRId64 ")", at,
              dim, size, -size, size - 1);
}

strew_status tensor_locate(const struct call *call, const strew_tensor *tensor, int rank, const int64_t *position,
                           int64_t *offset) {
  if (rank != tensor->rank)
    return fail(call, FAULT(STREW_ESHAPE, "position"), "has %d entr%s, self has %d dimension%s", rank,
                rank == 1 ? "y" : "ies", tensor->rank, tensor->rank == 1 ? "" : "s");
  *offset = tensor->offset;
  for (int d = 0; d < rank; d++) {
    int64_t size = tensor->sizes[d], at = position[d];
    if (at < -size || at >= size) return fail_position(call, d, size, rank, position, at);
    *offset += (at < 0 ? at + size : at) * tensor->strides[d];
  }
  return STREW_OK;
}

strew_status strew_get(const strew_tensor *tensor, int rank, const int64_t *position, strew_scalar *out,
                       strew_error *error) {
  CALL(call, "get", error, {"self", tensor, MOVED});
  int64_t offset;
  union element element;
  RETURN_IF_FAILED(tensor_locate(&call, tensor, rank, position, &offset));
  RETURN_IF_FAILED(tensor_read(&call, tensor, offset, element.bytes, 1));
  return *out = strew_scalar_load(tensor->dtype, element.bytes), STREW_OK;
}

strew_status strew_item(const strew_tensor *tensor, strew_scalar *out, strew_error *error) {
  CALL(call, "item", error, {"self", tensor, MOVED});
  int64_t count = strew_tensor_numel(tensor);
  if (count != 1) return fail(&call, FAULT(STREW_ESHAPE, "self"), "has %" PRId64 " elements, expected 1", count);
  union element element;
  RETURN_IF_FAILED(tensor_read(&call, tensor, tensor->offset, element.bytes, 1));
  return *out = strew_scalar_load(tensor->dtype, element.bytes), STREW_OK;
}
