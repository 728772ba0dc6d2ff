/* context.c: contexts, their properties and those of devices; storages, the reference-counted blocks of device memory.

   Each tensor holds a reference to its context, so hosts and garbage collectors may release both in any order. */
#include "device.h"
#include "pool.h"
#include "tensor.h"

strew_context *strew_context_retain(strew_context *context) {
  atomic_fetch_add_explicit(&context->references, 1, memory_order_relaxed);
  return context;
}

void strew_context_release(strew_context *context) {
  if (!context || atomic_fetch_sub_explicit(&context->references, 1, memory_order_acq_rel) != 1) return;
  context_drain(context); /* nobody else can use it any more */
  pool_destroy(context);
  if (context->found.forget) context->found.forget(context);
  memory_drop_kept(context);
  context_bury(context);
  strew_allocator allocator = context->allocator;
  allocator.deallocate(allocator.user, context, sizeof *context);
}

const char *strew_version(void) { return STREW_VERSION; }
int strew_context_threads(const strew_context *context) { return context->threads; }
size_t strew_context_bytes(const strew_context *context) {
  strew_context *own = (strew_context *)(uintptr_t)context; /* a caller never declares one const */
  context_use(own);
  context_drain(own);
  return context->bytes;
}
size_t strew_context_charged_bytes(const strew_context *context) { return context->charged_bytes; }
size_t strew_context_memory_limit_bytes(const strew_context *context) { return context->memory_limit_bytes; }
double strew_context_time_limit(const strew_context *context) { return context->time_limit_seconds; }
size_t strew_context_peak_bytes(const strew_context *context) { return context->peak_bytes; }
bool strew_context_deterministic(const strew_context *context) { return !context->any_order; }
void strew_context_set_deterministic(strew_context *context, bool deterministic) {
  context->any_order = !deterministic;
}
void strew_context_seed(strew_context *context, uint64_t seed) {
  context->seed = seed;
  context->draws = 0;
}

const char *strew_device_name(const strew_device *device) { return device->name; }
strew_context *strew_device_context(const strew_device *device) { return device->context; }

const char *strew_device_description(strew_device *device) {
  if (!device->description[0] && device->ops->describe) device->ops->describe(device);
  return device->description;
}

/* --------------------------------------------------------------------------------------------------------- storage */

/* Its tensors keep the context alive. */
strew_status storage_create(const struct call *call, strew_device *device, size_t size_bytes, struct storage **out) {
  strew_context *context = device->context;
  context_use(context);
  context_drain(context);
  ALLOCATE_NEW(struct storage *, storage, call, context, sizeof *storage);
  *storage = (struct storage){.references = 1, .device = device, .size_bytes = size_bytes};
  strew_status status = size_bytes ? device->ops->allocate(call, device, size_bytes, storage) : STREW_OK;
  if (status != STREW_OK) return memory_free(context, storage, sizeof *storage), status;
  context->bytes += size_bytes;
  if (context->bytes > context->peak_bytes) context->peak_bytes = context->bytes;
  *out = storage;
  return STREW_OK;
}

struct storage *storage_retain(struct storage *storage) {
  storage->references++;
  return storage;
}

void storage_release(struct storage *storage) {
  if (--storage->references) return;
  strew_context *context = storage->device->context;
  if (!storage->wrapped) {
    if (storage->size_bytes) storage->device->ops->release(storage);
    context->bytes -= storage->size_bytes;
  }
  if (storage->store) context->deferred--;
  if (storage->release) storage->release(storage->user);
  if (storage->words) text_ops.release(storage->words);
  memory_free(context, storage, sizeof *storage);
}
