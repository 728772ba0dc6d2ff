/* storage.c: reference-counted blocks of device memory. Their tensors keep the context alive. */
#include "device.h"

strew_status storage_create(const struct call *call, strew_device *device, size_t size_bytes, struct storage **out) {
  strew_context *context = device->context;
  context_use(context);
  if (atomic_load_explicit(&context->released, memory_order_relaxed)) context_drain(context);
  struct storage *storage = memory_allocate(context, sizeof *storage);
  if (!storage) return fail_memory(call, context, sizeof *storage);
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
  } else if (storage->release) {
    storage->release(storage->user);
  }
  memory_free(context, storage, sizeof *storage);
}
