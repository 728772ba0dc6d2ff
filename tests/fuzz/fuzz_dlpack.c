/* fuzz_dlpack.c: structs of DLPack over memory of exactly their size, with up to three members changed. The deleter runs
   once if the import succeeds, and never if it fails. A struct does not tell the size of its memory: a tensor that a
   change has made larger is not read. */
#include "fuzz.h"
#include "runtime/interchange/dlpack.h"

#include <stdlib.h>

enum { DIMS = 4, ROOM = STREW_MAX_RANK + 4, WIDEST = 8 };

static int deleted;
static void delete_plain(struct DLManagedTensor *self) { deleted += self->owner == &deleted; }
static void delete_versioned(struct DLManagedTensorVersioned *self) { deleted += self->owner == &deleted; }

struct given {
  bool is_versioned;
  struct DLManagedTensor plain;
  struct DLManagedTensorVersioned versioned;
  struct dlpack_tensor *tensor;
  int64_t sizes[ROOM], strides[ROOM];
  int64_t elements; /* of the widest dtype, in memory */
};

static void make(struct bytes *bytes, struct given *given) {
  static const struct dlpack_type types[] = {{DLPACK_FLOAT, 32, 1},  {DLPACK_FLOAT, 64, 1}, {DLPACK_FLOAT, 16, 1},
                                             {DLPACK_BFLOAT, 16, 1}, {DLPACK_INT, 64, 1},   {DLPACK_INT, 8, 1},
                                             {DLPACK_UINT, 16, 1},   {DLPACK_BOOL, 8, 1}};
  *given = (struct given){.is_versioned = fuzz_below(bytes, 2), .elements = 1};
  given->tensor = given->is_versioned ? &given->versioned.tensor : &given->plain.tensor;
  given->plain.owner = given->versioned.owner = &deleted;
  given->plain.deleter = delete_plain, given->versioned.deleter = delete_versioned;
  given->versioned.major = 1, given->versioned.minor = (uint32_t)fuzz_below(bytes, 3);
  given->versioned.flags = (uint64_t)fuzz_below(bytes, 8);
  const int rank = fuzz_below(bytes, DIMS + 1);
  for (int d = 0; d < ROOM; d++) given->sizes[d] = 1, given->strides[d] = fuzz_integer(bytes);
  for (int d = 0; d < rank; d++) {
    given->sizes[d] = fuzz_below(bytes, 5);
    if (given->sizes[d] != 1) given->strides[d] = fuzz_below(bytes, 6);
    if (given->sizes[d] > 1) given->elements += (given->sizes[d] - 1) * given->strides[d];
  }
  const bool is_dense = fuzz_below(bytes, 4) == 0;
  if (is_dense) given->elements = given->sizes[0] * given->sizes[1] * given->sizes[2] * given->sizes[3] + 1;
  *given->tensor = (struct dlpack_tensor){calloc((size_t)given->elements + 1, WIDEST),
                                          DLPACK_CPU,
                                          0,
                                          rank,
                                          types[fuzz_below(bytes, sizeof types / sizeof *types)],
                                          given->sizes,
                                          is_dense ? NULL : given->strides,
                                          fuzz_below(bytes, 2) ? WIDEST : 0};
  PROMISE(given->tensor->data);
}

static void change(struct bytes *bytes, struct given *given) {
  struct dlpack_tensor *tensor = given->tensor;
  const int d = fuzz_below(bytes, DIMS);
  switch (fuzz_below(bytes, 14)) {
  case 0: tensor->data = NULL; break;
  case 1: tensor->device_type = (int32_t)fuzz_integer(bytes); break;
  case 2: tensor->rank = (int32_t)fuzz_integer(bytes); break;
  case 3: tensor->type.code = fuzz_byte(bytes); break;
  case 4: tensor->type.bits = fuzz_byte(bytes); break;
  case 5: tensor->type.lanes = (uint16_t)fuzz_integer(bytes); break;
  case 6: tensor->sizes = NULL; break;
  case 7: tensor->strides = tensor->strides ? NULL : given->strides; break;
  case 8: tensor->offset_bytes = (uint64_t)fuzz_integer(bytes); break;
  case 9: given->sizes[d] = fuzz_integer(bytes); break;
  case 10: given->strides[d] = fuzz_integer(bytes); break;
  case 11: given->versioned.major = (uint32_t)fuzz_integer(bytes); break;
  case 12: given->versioned.minor = (uint32_t)fuzz_integer(bytes); break;
  default: given->plain.deleter = NULL, given->versioned.deleter = NULL; break;
  }
}

/* True if all elements are in the memory. */
static bool is_inside(const strew_tensor *t, const char *memory, size_t size_bytes) {
  const size_t element = strew_dtype_size_bytes(strew_tensor_dtype(t));
  void *data;
  PROMISE(strew_data(t, &data, NULL) == STREW_OK);
  uint64_t reached = (uint64_t)((uintptr_t)data - (uintptr_t)memory);
  if (!strew_tensor_numel(t)) return true;
  if (reached > size_bytes) return false;
  for (int d = 0; d < strew_tensor_rank(t); d++) {
    const int64_t stride = strew_tensor_strides(t)[d], size = strew_tensor_sizes(t)[d];
    PROMISE(stride >= 0 && size > 0);
    if (size > 1 << 16 || stride > 1 << 16) return false;
    reached += (uint64_t)(size - 1) * (uint64_t)stride * element;
  }
  return reached + element <= size_bytes && strew_tensor_numel(t) < 1 << 20;
}

/* Another library would see the same. */
static void pass_on(strew_tensor *t, bool unversioned) {
  const strew_dlpack_options options = {.unversioned = unversioned};
  void *managed = NULL;
  strew_tensor *back = NULL;
  const strew_status status = strew_to_dlpack(t, &options, &managed, NULL);
  PROMISE(status == STREW_OK || (unversioned && status == STREW_EARGUMENT && !managed));
  if (status != STREW_OK) return;
  PROMISE(strew_from_dlpack(fuzz_device(), managed, &back, NULL) == STREW_OK && fuzz_is_same(t, back));
  strew_release(back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct bytes bytes = {data, data + size};
  struct given given;
  strew_tensor *t = NULL;
  strew_error error = {0};
  const int changes = fuzz_below(&bytes, 4);
  make(&bytes, &given);
  char *memory = given.tensor->data;
  for (int i = 0; i < changes; i++) change(&bytes, &given);
  deleted = 0;
  void *managed = given.is_versioned ? (void *)&given.versioned : (void *)&given.plain;
  const strew_status status = strew_from_dlpack(fuzz_device(), managed, &t, &error);
  PROMISE(!deleted && !t == (status != STREW_OK) && (status == STREW_OK || *error.message));
  PROMISE(changes || status == STREW_OK);
  PROMISE(!t || (given.tensor->device_type == DLPACK_CPU && given.tensor->type.lanes == 1));
  if (t && is_inside(t, memory, (size_t)(given.elements + 1) * WIDEST)) pass_on(t, false), pass_on(t, true);
  PROMISE(!deleted);
  strew_release(t);
  PROMISE(deleted == (t && given.plain.deleter));
  fuzz_expect_nothing();
  free(memory);
  return 0;
}
