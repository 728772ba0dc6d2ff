/* buffer.c: device memory. A new buffer costs page faults (80 MB on a CPU: 18 ms new, 4 ms from the pool), so freed
   buffers are kept, up to a quarter of the device's memory. They are released when memory runs out. */
#include "opencl.h"
#include "tuning.h"

#include <string.h>

/* Rounds sizes up so that freed buffers fit again: multiples of 256 up to a page, then eighths of powers of two. */
static size_t rounded(size_t size_bytes) {
  size_t step = 256;
  while (step * 16 < size_bytes && step <= SIZE_MAX / 16) step *= 2;
  return size_bytes <= SIZE_MAX - step ? (size_bytes + step - 1) / step * step : size_bytes;
}

static void release_free(strew_device *device, int i) {
  struct opencl *on = opencl_of(device);
  cl.clReleaseMemObject(on->free_blocks[i].memory);
  strew_context_discharge(device->context, on->free_blocks[i].size_bytes);
  on->free_bytes -= on->free_blocks[i].size_bytes;
  on->free_count--;
  memmove(&on->free_blocks[i], &on->free_blocks[i + 1], (size_t)(on->free_count - i) * sizeof(struct block));
}

/* Releases the oldest blocks until at most keep_bytes are kept. */
void blocks_trim(strew_device *device, size_t keep_bytes) {
  struct opencl *on = opencl_of(device);
  while (on->free_count && on->free_bytes > keep_bytes) release_free(device, 0);
}

/* Safe without waiting: OpenCL retains buffers that enqueued commands use. */
void opencl_drop_kept(strew_context *context) {
  for (int i = 0; i < context->found.count; i++) blocks_trim(context->found.devices[i], 0);
}

/* Waits first: OpenCL retains buffers that enqueued commands use. */
bool blocks_reclaim(strew_device *device) {
  struct opencl *on = opencl_of(device);
  if (on->free_count == 0) return false;
  cl.clFinish(on->queue); /* an error here shows in the next call as well */
  blocks_trim(device, 0);
  return true;
}

/* The newest free block of exactly this size. */
static bool reuse_free(struct opencl *on, size_t size_bytes, struct block *block) {
  for (int i = on->free_count - 1; i >= 0; i--) {
    if (on->free_blocks[i].size_bytes != size_bytes) continue;
    *block = on->free_blocks[i];
    on->free_count--;
    on->free_bytes -= size_bytes;
    memmove(&on->free_blocks[i], &on->free_blocks[i + 1], (size_t)(on->free_count - i) * sizeof *block);
    return true;
  }
  return false;
}

/* The message has the size that failed, the hint memory in use and the limit. */
static strew_status fail_buffer(const struct call *call, strew_device *device, size_t size_bytes, cl_int error) {
  char asked[AMOUNT_BYTES];
  return fail(call, HINTED(STREW_EMEMORY, "device", opencl_memory_hint(call, device)),
              "out of memory: %s on %s (%s): clCreateBuffer returned %s (%d)", text_of_amount(size_bytes, asked),
              device->name, strew_device_description(device), opencl_error_name(error), error);
}

static strew_status fail_too_large(const struct call *call, strew_device *device, uint64_t size_bytes) {
  char most[AMOUNT_BYTES], asked[AMOUNT_BYTES];
  return fail(call, HINTED(STREW_EMEMORY, "device", opencl_memory_hint(call, device)),
              "%s allows at most %s in one tensor, got %s", device->name,
              text_of_amount(opencl_of(device)->largest_bytes, most), text_of_amount(size_bytes, asked));
}

static cl_int make_buffer(struct opencl *on, size_t size_bytes, struct block *block) {
  cl_int error = CL_SUCCESS;
  *block = (struct block){cl.clCreateBuffer(on->context, CL_MEM_READ_WRITE, size_bytes, NULL, &error), size_bytes};
  return block->memory || error != CL_SUCCESS
             ? error
             : CL_MEM_OBJECT_ALLOCATION_FAILURE; /* some drivers return NULL without an error */
}

strew_status block_allocate(const struct call *call, strew_device *device, uint64_t asked_bytes, struct block *block) {
  const size_t size_bytes = (size_t)asked_bytes;
  struct opencl *on = opencl_of(device);
  *block = (struct block){NULL, 0};
  if (on->lost) return opencl_fail_lost(call, device);
  if (on->largest_bytes && asked_bytes > on->largest_bytes) return fail_too_large(call, device, asked_bytes);
  if (!is_addressable(asked_bytes)) return fail_memory(call, device->context, asked_bytes);
  size_t whole = rounded(size_bytes ? size_bytes : 1);
  if (on->largest_bytes && whole > on->largest_bytes) whole = size_bytes;
  if (reuse_free(on, whole, block)) return STREW_OK;
  if (!strew_context_charge(device->context, whole)) return fail_memory(call, device->context, size_bytes);
  cl_int error = make_buffer(on, whole, block);
  if (error != CL_SUCCESS && blocks_reclaim(device)) error = make_buffer(on, whole, block);
  if (error == CL_SUCCESS) return STREW_OK;
  strew_context_discharge(device->context, whole);
  return fail_buffer(call, device, size_bytes, error);
}

void block_free(strew_device *device, struct block *block) {
  struct opencl *on = opencl_of(device);
  if (!block->memory) return;
  if (on->free_count == FREE_BLOCKS) release_free(device, 0);
  on->free_blocks[on->free_count++] = *block;
  on->free_bytes += block->size_bytes;
  block->memory = NULL;
  blocks_trim(device, on->memory_bytes / 4);
}

/* -------------------------------------------------------------------------------------------------------- transfers */

/* Bytes of the staging memory that no transfer in the queue uses. */
static strew_status stage(const struct call *call, strew_device *device, size_t size_bytes, char **bytes) {
  struct opencl *on = opencl_of(device);
  RETURN_IF_FAILED(on->staging.used + size_bytes > STAGING_BYTES ? opencl_wait(call, device)
                                                                 : context_check(call, device->context));
  *bytes = on->staging.bytes + on->staging.used;
  on->staging.used += (size_bytes + 63) / 64 * 64;
  on->busy = true;
  return STREW_OK;
}

static strew_status write_staged(const struct call *call, strew_device *device, const struct block *block, size_t at,
                                 const void *host, size_t size_bytes) {
  struct opencl *on = opencl_of(device);
  char *bytes;
  RETURN_IF_FAILED(stage(call, device, size_bytes, &bytes));
  memcpy(bytes, host, size_bytes);
  cl_int error = cl.clEnqueueWriteBuffer(on->queue, block->memory, CL_FALSE, at, size_bytes, bytes, 0, NULL, NULL);
  return error == CL_SUCCESS ? STREW_OK : opencl_fail(call, device, "clEnqueueWriteBuffer", error);
}

/* One round trip: the host polls the read itself. */
static strew_status read_staged(const struct call *call, strew_device *device, const struct block *block, size_t at,
                                void *host, size_t size_bytes) {
  struct opencl *on = opencl_of(device);
  char *bytes;
  cl_event done;
  RETURN_IF_FAILED(stage(call, device, size_bytes, &bytes));
  cl_int error = cl.clEnqueueReadBuffer(on->queue, block->memory, CL_FALSE, at, size_bytes, bytes, 0, NULL, &done);
  if (error != CL_SUCCESS) return opencl_fail(call, device, "clEnqueueReadBuffer", error);
  RETURN_IF_FAILED(opencl_wait_last(call, device, done));
  memcpy(host, bytes, size_bytes);
  return STREW_OK;
}

strew_status block_transfer(const struct call *call, strew_device *device, const struct block *block, size_t at,
                            const void *host, size_t size_bytes, bool writes) {
  struct opencl *on = opencl_of(device);
  char *bytes_at = (char *)(uintptr_t)host;
  if (on->lost) return opencl_fail_lost(call, device);
  if (!writes) on->read_bytes += (int64_t)size_bytes;
  if (size_bytes && size_bytes <= STAGED_BYTES)
    return writes ? write_staged(call, device, block, at, host, size_bytes)
                  : read_staged(call, device, block, at, bytes_at, size_bytes);
  strew_status status = opencl_wait(call, device);
  for (size_t bytes; status == STREW_OK && size_bytes; at += bytes, bytes_at += bytes, size_bytes -= bytes) {
    bytes = size_bytes < TRANSFER_CHUNK_BYTES ? size_bytes : TRANSFER_CHUNK_BYTES;
    cl_int error = writes
                       ? cl.clEnqueueWriteBuffer(on->queue, block->memory, CL_TRUE, at, bytes, bytes_at, 0, NULL, NULL)
                       : cl.clEnqueueReadBuffer(on->queue, block->memory, CL_TRUE, at, bytes, bytes_at, 0, NULL, NULL);
    if (error != CL_SUCCESS)
      return opencl_fail(call, device, writes ? "clEnqueueWriteBuffer" : "clEnqueueReadBuffer", error);
    status = context_check(call, device->context);
  }
  return status;
}

void opencl_release(struct storage *storage) {
  struct block *block = storage->data;
  block_free(storage->device, block);
  memory_free(storage->device->context, block, sizeof *block);
}

strew_status opencl_write(const struct call *call, struct storage *to, size_t offset_bytes, const void *from,
                          size_t size_bytes) {
  return block_transfer(call, to->device, to->data, offset_bytes, from, size_bytes, true);
}

strew_status opencl_read(const struct call *call, const struct storage *from, size_t offset_bytes, void *to,
                         size_t size_bytes) {
  return block_transfer(call, from->device, from->data, offset_bytes, to, size_bytes, false);
}

strew_status opencl_finish(const struct call *call, strew_device *device) {
  struct opencl *on = opencl_of(device);
  if (!on->open) return STREW_OK;
  if (on->lost) return opencl_fail_lost(call, device);
  return opencl_wait(call, device);
}
