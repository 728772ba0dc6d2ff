/* context.c: contexts, their allocator, and the registry of devices.

   A context is released by its host, but lives as long as any storage made in it: each storage holds a reference, so
   that hosts and garbage collectors may let go in any order. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "cpu/cpu.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ALIGNMENT = 64, HUGE_PAGE = 2 << 20, DEFAULT_GRAIN = 256 << 10 };

/* ---------------------------------------------------------------------------------------------------- allocator */

/* Large blocks start on a huge page and ask for them: fewer faults and misses where indices jump about. */
static void *default_allocate(void *user, size_t size_bytes, size_t alignment) {
  (void)user;
  bool large = size_bytes >= 2 * HUGE_PAGE;
  void *block = NULL;
  if (posix_memalign(&block, large ? HUGE_PAGE : alignment, size_bytes)) return NULL;
  if (large) madvise(block, size_bytes, MADV_HUGEPAGE); /* a wish: refusal changes nothing */
  return block;
}

static void default_deallocate(void *user, void *block, size_t size_bytes) {
  (void)user, (void)size_bytes;
  free(block);
}

void *memory_take(strew_context *context, size_t size_bytes) {
  return context->allocator.allocate(context->allocator.user, size_bytes ? size_bytes : 1, ALIGNMENT);
}

void memory_give(strew_context *context, void *block, size_t size_bytes) {
  if (block) context->allocator.deallocate(context->allocator.user, block, size_bytes ? size_bytes : 1);
}

strew_status fail_memory(const struct call *call, strew_context *context, size_t size_bytes) {
  char hint[sizeof call->error->hint];
  snprintf(hint, sizeof hint, "asked for %zu bytes, %zu in use by tensors; free tensors or work in smaller pieces",
           size_bytes, context->bytes);
  return fail(call, (struct fault){.code = STREW_EMEMORY, .hint = hint}, "memory does not suffice for %zu bytes",
              size_bytes);
}

/* ------------------------------------------------------------------------------------------------------ context */

static int usable_processors(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set)) return 1;
  int count = CPU_COUNT(&set);
  return count < 1 ? 1 : count > MAX_THREADS ? MAX_THREADS : count;
}

strew_status strew_context_set_threads(strew_context *context, int threads, strew_error *error) {
  struct call call = CALL("set_threads", error, {0});
  strew_scalar value = strew_int(threads);
  if (threads < 0 || threads > MAX_THREADS)
    return fail(&call, (struct fault){.code = STREW_EARGUMENT, .argument = "threads", .value = &value},
                "is %d, valid 1..%d, or 0 for the processors that this process may use", threads, MAX_THREADS);
  pool_destroy(context);
  context->threads = threads ? threads : usable_processors();
  return STREW_OK;
}

static strew_status context_setup(strew_context *context, const strew_options *options, strew_error *error) {
  context->grain_bytes = options->grain_bytes ? options->grain_bytes : DEFAULT_GRAIN;
  context->cpu = (strew_device){.ops = &cpu_ops, .context = context, .name = "cpu"};
  strew_status status = strew_context_set_threads(context, options->threads, error);
  if (status != STREW_OK) return status;
  return strew_device_find(context, options->device ? options->device : "cpu", &context->default_device, error);
}

strew_status strew_context_create(const strew_options *options, strew_context **out, strew_error *error) {
  static const strew_options defaults;
  if (!options) options = &defaults;
  struct call call = CALL("context_create", error, {0});
  strew_allocator allocator = options->allocator;
  if (!allocator.allocate) allocator = (strew_allocator){default_allocate, default_deallocate, NULL};
  strew_context *context = allocator.allocate(allocator.user, sizeof *context, ALIGNMENT);
  if (!context) return fail(&call, (struct fault){.code = STREW_EMEMORY}, "memory does not suffice for a context");
  *context = (strew_context){.references = 1, .allocator = allocator};
  strew_status status = context_setup(context, options, error);
  if (status != STREW_OK) return strew_context_release(context), status;
  *out = context;
  return STREW_OK;
}

void strew_context_release(strew_context *context) {
  if (!context || --context->references) return;
  pool_destroy(context);
  strew_allocator allocator = context->allocator;
  allocator.deallocate(allocator.user, context, sizeof *context);
}

int strew_context_threads(const strew_context *context) { return context->threads; }
size_t strew_context_bytes(const strew_context *context) { return context->bytes; }
size_t strew_context_peak_bytes(const strew_context *context) { return context->peak_bytes; }
void strew_context_seed(strew_context *context, uint64_t seed) {
  context->seed = seed;
  context->draws = 0;
}

/* ------------------------------------------------------------------------------------------------------ devices */

int strew_device_count(const strew_context *context) { return (void)context, 1; }
strew_device *strew_device_at(strew_context *context, int i) { return i == 0 ? &context->cpu : NULL; }
const char *strew_device_name(const strew_device *device) { return device->name; }
strew_context *strew_device_context(const strew_device *device) { return device->context; }

strew_status strew_device_find(strew_context *context, const char *spec, strew_device **out, strew_error *error) {
  if (!spec) return *out = context->default_device, STREW_OK;
  char known[TEXT_BYTES] = "";
  for (int i = 0; i < strew_device_count(context); i++) {
    strew_device *device = strew_device_at(context, i);
    if (!strcmp(spec, device->name)) return *out = device, STREW_OK;
    size_t used = strlen(known);
    snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", device->name);
  }
  struct call call = CALL("device", error, {0});
  return fail(&call, (struct fault){.code = STREW_EDEVICE, .argument = "device"},
              "is \"%s\", which is not there; there is: %s", spec, known);
}

/* Read when asked for: a script that never asks opens no file. */
const char *strew_device_description(strew_device *device) {
  if (device->description[0]) return device->description;
  snprintf(device->description, sizeof device->description, "processor");
  FILE *file = fopen("/proc/cpuinfo", "r");
  char line[256];
  while (file && fgets(line, sizeof line, file)) {
    char *name = strchr(line, ':');
    if (!name || strncmp(line, "model name", 10)) continue;
    name += strspn(name, ": \t");
    name[strcspn(name, "\n")] = 0;
    snprintf(device->description, sizeof device->description, "%.*s", (int)sizeof device->description - 1, name);
    break;
  }
  if (file) fclose(file);
  return device->description;
}

strew_status strew_device_finish(strew_device *device, strew_error *error) {
  struct call call = CALL("finish", error, {0});
  return device->ops->finish(&call, device);
}
