/* deferred.c: tensors without memory, whose elements a program computes as they are read (struct storage). Every call
   stores them first, unless it reads them once and in order: it then names the operand with READ_ONCE, and the device
   decides. The caller's tensor becomes an ordinary one where it is stored. */
#include "device.h"
#include "operations.h"

int64_t program_cost(const struct elementwise_plan *program) {
  int64_t cost = 0;
  for (int k = 0; k < program->count; k++) {
    const struct instruction *instruction = &program->instructions[k];
    cost += operation_of(instruction->kind, instruction->op)->cost;
  }
  return cost;
}

strew_status deferred_create(const struct call *call, strew_device *device, strew_dtype dtype, int rank,
                             const int64_t *sizes, strew_tensor **out) {
  struct storage *storage;
  strew_tensor like = {.dtype = dtype};
  RETURN_IF_FAILED(storage_create(call, device, 0, &storage));
  like.storage = storage;
  dense_strides(rank, sizes, like.strides);
  const strew_status status = tensor_view(call, &like, rank, sizes, like.strides, 0, out);
  storage_release(storage);
  return status;
}

void deferred_give(strew_tensor *tensor, const struct elementwise_plan *program,
                   strew_status (*check)(const struct call *call, struct storage *storage, bool now),
                   void (*release)(void *user), void *user) {
  struct storage *storage = tensor->storage;
  storage->program = program;
  storage->data = (void *)(uintptr_t)program; /* an address to count elements from */
  storage->check = check;
  storage->store = tensor_store;
  storage->release = release;
  storage->user = user;
  storage->device->context->deferred++;
}

/* Fails if an index is out of range: see struct storage. */
static strew_status check_indices(const struct call *call, struct storage *storage, bool now) {
  return storage->check ? storage->check(call, storage, now) : STREW_OK;
}

strew_status deferred_close(const struct call *call, const strew_tensor *tensor) {
  return tensor && is_deferred(tensor) ? check_indices(call, tensor->storage, false) : STREW_OK;
}

strew_status tensor_store(const struct call *call, const strew_tensor *tensor) {
  strew_tensor *given = (strew_tensor *)(uintptr_t)tensor, *stored = NULL;
  struct elementwise_plan program = *tensor->storage->program;
  RETURN_IF_FAILED(tensor_create(call, given->storage->device, given->dtype, given->rank, given->sizes, &stored));
  program.plan.operands[0].storage = stored->storage;
  strew_status status = RUN_ON(stored, elementwise->elementwise, call, &program);
  TRY(status, deferred_close(call, given));
  if (status == STREW_OK) {
    storage_release(given->storage);
    given->storage = storage_retain(stored->storage);
  }
  strew_release(stored);
  return status;
}

static bool shares_memory(const struct storage *a, const struct storage *b) {
  if (a == b || !storages_may_meet(a, b)) return a == b;
  const uintptr_t at = (uintptr_t)a->data, other = (uintptr_t)b->data;
  return at < other + b->size_bytes && other < at + a->size_bytes;
}

/* True if the program reads memory of the tensor's storage. */
static bool program_reads(const struct elementwise_plan *program, const strew_tensor *tensor) {
  for (int i = 1; i < program->plan.count; i++) {
    const struct storage *storage = program->plan.operands[i].storage;
    if (storage && shares_memory(storage, tensor->storage)) return true;
  }
  return false;
}

/* On the CPU, threads of a walk over ids, and owners of a scatter's destinations, may each compute all elements. */
static bool is_cheap(const struct elementwise_plan *program, const strew_device *device, enum reader reader) {
  enum { CHEAP = 16 };
  const int64_t threads = device->context->threads;
  if (!(reader & (READ_BY_AGGREGATE | READ_BY_SCATTER)) || threads == 1 || !device->ops->host_memory) return true;
  return program_cost(program) * threads <= CHEAP;
}

strew_status deferred_open(const struct call *call, const strew_tensor *tensor, enum reader reader,
                           const strew_tensor *written) {
  if (!tensor || !is_deferred(tensor)) return STREW_OK;
  struct storage *storage = tensor->storage;
  const bool may_read = storage->device->ops->reads & reader && strew_tensor_is_contiguous(tensor);
  if (!may_read || !is_cheap(storage->program, storage->device, reader) ||
      (written && program_reads(storage->program, written)))
    return tensor_store(call, tensor);
  return written ? check_indices(call, storage, true) : STREW_OK;
}
