/* mapping.c: memory-mapped files: see mapping.h. */
#include "mapping.h"
#include "file.h"

struct mapping {
  strew_context *context; /* lives as long as the tensors */
  char *address;
  size_t size_bytes;
  int64_t references;
};

strew_status mapping_create(const struct call *call, strew_device *device, const struct file *file,
                            struct mapping **out) {
  strew_context *context = device->context;
  if (!file->is_regular)
    return fail_file(call, file->path, "leave out map, to read it", "cannot be mapped: it is not a regular file");
  if (!device->ops->host_memory)
    return fail(call, HINTED(STREW_EDEVICE, "map", "device = \"cpu\", or no map"),
                "is true, but only tensors on the cpu can be mapped, not on %s", device->name);
  ALLOCATE_NEW(struct mapping *, mapping, call, context, sizeof *mapping);
  void *address = NULL;
  strew_status status = file_map(call, file, &address);
  if (status != STREW_OK) return memory_free(context, mapping, sizeof *mapping), status;
  *mapping = (struct mapping){context, address, (size_t)file->size_bytes, 1};
  return *out = mapping, STREW_OK;
}

void mapping_release(void *user) {
  struct mapping *mapping = user;
  if (!mapping || --mapping->references) return;
  file_unmap(mapping->address, mapping->size_bytes);
  memory_free(mapping->context, mapping, sizeof *mapping);
}

unsigned char *mapping_at(const struct mapping *mapping, uint64_t at) { return (unsigned char *)mapping->address + at; }

strew_status mapping_tensor(const struct call *call, strew_device *device, struct mapping *mapping, uint64_t at,
                            strew_dtype dtype, int rank, const int64_t *sizes, const int64_t *strides,
                            strew_tensor **out) {
  const struct storage memory = {.data = mapping->address + at,
                                 .size_bytes = mapping->size_bytes - (size_t)at,
                                 .release = mapping_release,
                                 .user = mapping};
  RETURN_IF_FAILED(tensor_wrap(call, device, dtype, rank, sizes, strides, &memory, out));
  return mapping->references++, STREW_OK;
}

strew_status normalize_bools(const struct call *call, strew_context *context, unsigned char *bytes, size_t size_bytes) {
  enum { CHUNK_BYTES = 4 << 20 };
  for (size_t at = 0; at < size_bytes; at++) {
    if (at % CHUNK_BYTES == 0) RETURN_IF_FAILED(context_check(call, context));
    if (bytes[at] > 1) bytes[at] = 1;
  }
  return STREW_OK;
}
