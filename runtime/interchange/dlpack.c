/* dlpack.c: tensors to and from other libraries of the process, without a copy: see dlpack.h. */
#include "dlpack.h"
#include "runtime/core/base/device.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct dlpack_type types[] = {
    [STREW_FLOAT32] = {DLPACK_FLOAT, 32, 1}, [STREW_FLOAT64] = {DLPACK_FLOAT, 64, 1},
    [STREW_FLOAT16] = {DLPACK_FLOAT, 16, 1}, [STREW_BFLOAT16] = {DLPACK_BFLOAT, 16, 1},
    [STREW_INT64] = {DLPACK_INT, 64, 1},     [STREW_INT32] = {DLPACK_INT, 32, 1},
    [STREW_INT16] = {DLPACK_INT, 16, 1},     [STREW_INT8] = {DLPACK_INT, 8, 1},
    [STREW_UINT8] = {DLPACK_UINT, 8, 1},     [STREW_BOOL] = {DLPACK_BOOL, 8, 1},
    [STREW_UINT16] = {DLPACK_UINT, 16, 1},   [STREW_UINT32] = {DLPACK_UINT, 32, 1},
    [STREW_UINT64] = {DLPACK_UINT, 64, 1},
};
_Static_assert(sizeof types / sizeof *types == STREW_DTYPE_COUNT, "a dtype without a type of DLPack");

/* --------------------------------------------------------------------------------------------------------- export */

/* An export, which begins with the struct that the consumer has. It keeps the tensor. */
struct exported {
  union {
    struct DLManagedTensor plain;
    struct DLManagedTensorVersioned versioned;
  } managed;
  struct released released;
  strew_tensor *tensor;
  int64_t sizes[MAX_RANK], strides[MAX_RANK];
};

static void export_give_back(strew_context *context, struct released *released) {
  memory_free(context, (char *)released - offsetof(struct exported, released), sizeof(struct exported));
}

/* The deleters: the consumer may call them on any thread. */
static void end_export(struct exported *exported) {
  strew_tensor *tensor = exported->tensor;
  context_give_back(tensor_context(tensor), &exported->released);
  strew_release(tensor);
}
static void end_plain(struct DLManagedTensor *self) { end_export((struct exported *)(void *)self); }
static void end_versioned(struct DLManagedTensorVersioned *self) { end_export((struct exported *)(void *)self); }

static strew_status check_export(const struct call *call, const strew_tensor *tensor, bool is_plain) {
  const struct storage *storage = tensor->storage;
  if (!storage->device->ops->host_memory)
    return fail(call, HINTED(STREW_EDEVICE, "self", "strew_to(self, cpu)"), "is on %s, expected a tensor on cpu",
                storage->device->name);
  if (storage->constant && is_plain)
    return fail(call, HINTED(STREW_EARGUMENT, "self", "strew_clone(self) may be written"),
                "is read-only, which only versioned structs can say");
  return STREW_OK;
}

strew_status strew_to_dlpack(strew_tensor *tensor, const strew_dlpack_options *options, void **out,
                             strew_error *error) {
  CALL(call, "to_dlpack", error, {"self", tensor});
  const bool is_plain = options && options->unversioned;
  if (options) RETURN_IF_FAILED(check_options(&call, options));
  RETURN_IF_FAILED(check_export(&call, tensor, is_plain));
  strew_context *context = tensor_context(tensor);
  ALLOCATE_NEW(struct exported *, exported, &call, context, sizeof *exported);
  exported->released.give_back = export_give_back;
  exported->tensor = strew_retain(tensor);
  memcpy(exported->sizes, tensor->sizes, sizeof exported->sizes);
  memcpy(exported->strides, tensor->strides, sizeof exported->strides);
  const struct dlpack_tensor described = {dense_at(tensor, 0), DLPACK_CPU,        0, tensor->rank, types[tensor->dtype],
                                          exported->sizes,     exported->strides, 0};
  if (is_plain)
    exported->managed.plain = (struct DLManagedTensor){described, exported, end_plain};
  else
    exported->managed.versioned = (struct DLManagedTensorVersioned){
        DLPACK_MAJOR, 0, exported, end_versioned, tensor->storage->constant ? DLPACK_READ_ONLY : 0, described};
  return *out = &exported->managed, STREW_OK;
}

/* --------------------------------------------------------------------------------------------------------- import */

static strew_status find_dtype(const struct call *call, struct dlpack_type type, strew_dtype *out) {
  for (int dtype = 0; dtype < STREW_DTYPE_COUNT; dtype++)
    if (types[dtype].code == type.code && types[dtype].bits == type.bits && type.lanes == 1)
      return *out = (strew_dtype)dtype, STREW_OK;
  const char *hint = type.code == DLPACK_COMPLEX ? "pass the real and the imaginary part, x.real and x.imag" : NULL;
  return fail(call, HINTED(STREW_EDTYPE, "managed", hint),
              "has elements of code %d, %d bits and %d lanes, expected floats, bfloat16, integers or bools of one lane",
              type.code, type.bits, type.lanes);
}

/* Fails unless the tensor can be used in place. strides: those that matter, others as in dense memory; *size_bytes: the
   extent in memory, which the struct does not say. */
static strew_status check_import(const struct call *call, const struct dlpack_tensor *given, strew_dtype *dtype,
                                 int64_t *strides, size_t *size_bytes) {
  if (given->device_type != DLPACK_CPU)
    return fail(call, HINTED(STREW_EDEVICE, "managed", "copy it to the CPU first, in PyTorch by x.cpu()"),
                "is on a device of type %" PRId32 ", expected %d, the CPU", given->device_type, DLPACK_CPU);
  RETURN_IF_FAILED(find_dtype(call, given->type, dtype));
  if (given->rank > 0 && !given->sizes)
    return fail(call, FAULT(STREW_EARGUMENT, "managed"), "has %" PRId32 " dimensions without sizes", given->rank);
  RETURN_IF_FAILED(check_sizes(call, *dtype, given->rank, given->sizes));
  char text[TEXT_BYTES];
  dense_strides(given->rank, given->sizes, strides);
  const bool is_given = given->strides && count_of_sizes(given->rank, given->sizes);
  for (int d = 0; is_given && d < given->rank; d++) {
    if (given->sizes[d] == 1) continue;
    strides[d] = given->strides[d];
    if (strides[d] < 0)
      return fail(call, HINTED(STREW_ESHAPE, "managed", "copy it first: x.copy() in NumPy, x.contiguous() in PyTorch"),
                  "has strides %s, expected strides of 0 or more", text_of_sizes(given->rank, given->strides, text));
  }
  int64_t bytes = reach_of_view(given->rank, given->sizes, strides);
  if (bytes < 0 || __builtin_mul_overflow(bytes, (int64_t)dtype_bytes(*dtype), &bytes))
    return fail(call, FAULT(STREW_ESHAPE, "managed"), "has strides %s, which reach more bytes than can be addressed",
                text_of_sizes(given->rank, strides, text));
  return *size_bytes = (size_t)bytes, STREW_OK;
}

static void delete_plain(void *user) {
  struct DLManagedTensor *managed = user;
  if (managed->deleter) managed->deleter(managed);
}
static void delete_versioned(void *user) {
  struct DLManagedTensorVersioned *managed = user;
  if (managed->deleter) managed->deleter(managed);
}

/* True for a versioned struct: its first bytes are small numbers. Those of others are an address, or 0; that of no
   elements may be a small number, too, but where a versioned one has its deleter they have a number of lanes in the
   highest 16 bits, which no address of 64 bits has. */
static bool is_versioned(const struct DLManagedTensorVersioned *managed) {
  const uintptr_t deleter = (uintptr_t)managed->deleter;
  return managed->major > 0 && managed->major < 256 && managed->minor < 256 && (uint64_t)deleter >> 48 == 0;
}

strew_status strew_from_dlpack(strew_device *device, void *managed, strew_tensor **out, strew_error *error) {
  CALL(call, "from_dlpack", error, {0});
  const struct DLManagedTensorVersioned *versioned = managed;
  strew_dtype dtype;
  struct storage memory = {.release = delete_plain, .user = managed};
  int64_t strides[MAX_RANK];
  if (!managed) return fail(&call, FAULT(STREW_EARGUMENT, "managed"), "is NULL, expected a struct of DLPack");
  const bool has_version = is_versioned(versioned);
  if (has_version && versioned->major != DLPACK_MAJOR)
    return fail(&call, FAULT(STREW_EARGUMENT, "managed"), "is of DLPack %" PRIu32 ".%" PRIu32 ", expected 1.x",
                versioned->major, versioned->minor);
  const struct dlpack_tensor *given =
      has_version ? &versioned->tensor : &((const struct DLManagedTensor *)managed)->tensor;
  RETURN_IF_FAILED(check_import(&call, given, &dtype, strides, &memory.size_bytes));
  if (has_version) memory.release = delete_versioned;
  memory.constant = has_version && versioned->flags & DLPACK_READ_ONLY;
  memory.data = given->data ? (void *)((uintptr_t)given->data + (uintptr_t)given->offset_bytes) : NULL;
  return tensor_wrap(&call, device, dtype, given->rank, given->sizes, strides, &memory, out);
}
