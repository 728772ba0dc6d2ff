/* device.c: the CPU as a device: its table and its memory, which is the host's. */
#include "cpu.h"
#include "isa.h"

#include <stdio.h>
#include <string.h>

strew_status cpu_open(const struct call *call, strew_device *device) {
  (void)call, (void)device;
  return STREW_OK;
}

/* Read at first use: scripts that do not show it open no file. */
void cpu_describe(strew_device *device) {
  snprintf(device->description, sizeof device->description, "processor");
  FILE *file = fopen("/proc/cpuinfo", "r");
  char line[256];
  while (file && fgets(line, sizeof line, file)) {
    char *name = strchr(line, ':');
    if (!name || strncmp(line, "model name", 10) != 0) continue;
    name += strspn(name, ": \t");
    name[strcspn(name, "\n")] = 0;
    snprintf(device->description, sizeof device->description, "%.*s", (int)sizeof device->description - 32, name);
    break;
  }
  if (file) fclose(file);
  size_t used = strlen(device->description);
  snprintf(device->description + used, sizeof device->description - used, ", %s loops", isa_name(isa_in_use()));
}

void cpu_capabilities(const strew_device *device, strew_capabilities *out) {
  *out = (strew_capabilities){.float64 = true,
                              .int64_atomics = true,
                              .exact_division = true,
                              .denormals = true,
                              .units = device->context->threads};
}

strew_status cpu_allocate(const struct call *call, strew_device *device, size_t size_bytes, struct storage *storage) {
  storage->data = memory_allocate(device->context, size_bytes);
  return storage->data ? STREW_OK : fail_memory(call, device->context, size_bytes);
}

void cpu_release(struct storage *storage) { memory_free(storage->device->context, storage->data, storage->size_bytes); }

static strew_status move(const struct call *call, strew_device *device, char *to, const char *from, size_t size_bytes,
                         const struct storage *written) {
  enum { CHUNK_BYTES = CHUNK * sizeof(float) };
  for (size_t at = 0; at < size_bytes && !context_stops(device->context); at += CHUNK_BYTES)
    memcpy(to + at, from + at, size_bytes - at < CHUNK_BYTES ? size_bytes - at : CHUNK_BYTES);
  return context_end(call, device->context, written);
}

strew_status cpu_write(const struct call *call, struct storage *to, size_t offset_bytes, const void *from,
                       size_t size_bytes) {
  return move(call, to->device, (char *)to->data + offset_bytes, from, size_bytes, to);
}

strew_status cpu_read(const struct call *call, const struct storage *from, size_t offset_bytes, void *to,
                      size_t size_bytes) {
  return move(call, from->device, to, (const char *)from->data + offset_bytes, size_bytes, NULL);
}

/* Calls return when their work is done. */
strew_status cpu_finish(const struct call *call, strew_device *device) {
  (void)call, (void)device;
  return STREW_OK;
}

#define TABLE(member, functions, ENTRIES) extern const struct functions cpu_##functions TABLE_OF_ROOM;
DEVICE_FAMILIES(TABLE)
#define FAMILY(member, functions, ENTRIES) .member = &cpu_##functions,

const struct device_ops cpu_ops = {DEVICE_ENTRIES(CPU_ENTRY, CPU_ENTRY) DEVICE_FAMILIES(FAMILY).host_memory = true,
                                   .reads = READ_BY_REDUCE | READ_BY_AGGREGATE | READ_BY_SEGMENTS | READ_BY_SCATTER |
                                            READ_BY_NONZERO,
                                   .mean = &cpu_mean};
