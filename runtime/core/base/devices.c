/* devices.c: contexts, the list of devices, and how scripts name them. The only file of the runtime that names the back
   ends. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "runtime/core/cpu/cpu.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* A second thread is used from two grains on. One thread processes two grains in 5 us (add in place), 45 us (gather) or
   190 us (exp); waking one worker costs a call 6 us, waking six 25 us. */
enum { DEFAULT_GRAIN = 256 << 10 };
/* Its multiples do not overflow int64; those of 32 bits never do. */
#define MOST_GRAIN (SIZE_MAX >> (sizeof(size_t) > 4 ? 10 : 0))

/* ------------------------------------------------------------------------------------------------------ context */

static int usable_processors(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set)) return 1;
  int count = CPU_COUNT(&set);
  return count < 1 ? 1 : count > STREW_MAX_THREADS ? STREW_MAX_THREADS : count;
}

strew_status strew_context_set_threads(strew_context *context, int threads, strew_error *error) {
  CALL(call, "set_threads", error, {0});
  if (threads < 0 || threads > STREW_MAX_THREADS)
    return fail(&call, VALUED(STREW_EARGUMENT, "threads", strew_int(threads)),
                "is %d, valid 1..%d, or 0 for the processors that this process may use", threads, STREW_MAX_THREADS);
  pool_destroy(context);
  context->threads = threads ? threads : usable_processors();
  return STREW_OK;
}

static strew_status context_setup(strew_context *context, const strew_options *options, strew_error *error) {
  context->grain_bytes = options->grain_bytes ? options->grain_bytes : DEFAULT_GRAIN;
  if (context->grain_bytes > MOST_GRAIN) context->grain_bytes = MOST_GRAIN;
  context->cpu = (strew_device){.ops = &cpu_ops, .context = context, .name = "cpu"};
  RETURN_IF_FAILED(strew_context_set_threads(context, options->threads, error));
  return strew_device_find(context, options->device ? options->device : "cpu", &context->default_device, error);
}

/* Fails if the environment names an instruction set that this processor lacks, or that does not exist. */
static strew_status check_isa(strew_error *error) {
  char available[ISA_NAMES_BYTES], text[TEXT_BYTES];
  const char *word = isa_wrong_setting(available);
  if (!word) return STREW_OK;
  strew_error named = {.alias = "$STREW_CPU"}; /* whatever alias the context's options have */
  const struct call call = {.op = named.alias, .error = &named};
  fail(&call, (struct fault){.code = STREW_EARGUMENT}, "no such instruction set: %.40s; this processor has %s",
       text_of_name(word, text), available);
  return report_inner(STREW_EARGUMENT, &named, error);
}

strew_status strew_context_create(const strew_options *options, strew_context **out, strew_error *error) {
  options = options ? options : &(const strew_options){0};
  CALL(call, "context_create", error, {0});
  RETURN_IF_FAILED(check_options(&call, options));
  RETURN_IF_FAILED(check_isa(error));
  strew_allocator allocator = options->allocator;
  if (!allocator.allocate) allocator = default_allocator;
  strew_context *context = allocator.allocate(allocator.user, sizeof *context, MEMORY_ALIGNMENT);
  if (!context) return fail(&call, (struct fault){.code = STREW_EMEMORY}, "out of memory: a context");
  *context = (strew_context){
      .references = 1, .allocator = allocator, .progress = options->progress, .progress_user = options->progress_user};
  context->memory_limit_bytes = options->memory_limit_bytes;
  context_use(context);
  context->now_ns = clock_ns;
  strew_context_limit_time(context, options->time_limit_seconds);
  strew_status status = context_setup(context, options, error);
  if (status != STREW_OK) return strew_context_release(context), status;
  *out = context;
  return STREW_OK;
}

/* ------------------------------------------------------------------------------------------------------ devices */

static const struct device_list *devices_found(strew_context *context) {
  struct device_list *found = &context->found;
  if (!found->searched) {
    found->searched = true;
#if STREW_OPENCL
    struct float_mode host_mode; /* drivers start threads */
    float_mode_enter(&host_mode);
    opencl_find_devices(context);
    float_mode_leave(&host_mode);
#else
    snprintf(found->problems[found->problem_count++], sizeof *found->problems, "no OpenCL: strew was built without it");
    snprintf(found->advice, sizeof found->advice, "make OPENCL=1 builds it in; on Debian that needs opencl-headers");
#endif
  }
  return found;
}

int strew_device_count(strew_context *context) { return 1 + devices_found(context)->count; }
int strew_problem_count(strew_context *context) { return devices_found(context)->problem_count; }

/* Device i of 0..count-1. */
static strew_device *device_at(strew_context *context, int i) {
  return i == 0 ? &context->cpu : context->found.devices[i - 1];
}

strew_device *strew_device_at(strew_context *context, int i) {
  return i == 0 || (i > 0 && i < strew_device_count(context)) ? device_at(context, i) : NULL;
}

const char *strew_problem_at(strew_context *context, int i) {
  const struct device_list *found = devices_found(context);
  return i >= 0 && i < found->problem_count ? found->problems[i] : NULL;
}

/* True if `text` contains `word`, ignoring case. */
static bool contains_word(const char *text, const char *word) {
  for (size_t length = strlen(word); *text; text++)
    if (!strncasecmp(text, word, length)) return true;
  return false;
}

/* Lists the devices that are wanted in text, for messages: their names, and what they are if a word chooses them. */
static void list_devices(strew_context *context, bool (*wanted)(const strew_device *, const char *), const char *word,
                         char *text, size_t size) {
  size_t used = 0;
  *text = 0;
  for (int i = 0; i < strew_device_count(context) && used < size; i++) {
    strew_device *device = device_at(context, i);
    if (!wanted(device, word)) continue;
    used += (size_t)snprintf(text + used, size - used, "%s%s", !used ? "" : word ? "; " : ", ", device->name);
    if (word && used < size)
      used += (size_t)snprintf(text + used, size - used, ", %s", strew_device_description(device));
  }
}

/* Appends why there is no OpenCL device. */
static void list_problems(strew_context *context, char *text, size_t size) {
  size_t used = strlen(text);
  for (int i = 0; i < strew_problem_count(context) && used < size; i++)
    used += (size_t)snprintf(text + used, size - used, "; %s", strew_problem_at(context, i));
}

static bool is_any(const strew_device *device, const char *word) { return (void)device, (void)word, true; }

static bool matches(const strew_device *device, const char *word) {
  if (device == &device->context->cpu) return false;
  return contains_word(device->description, word);
}

/* Names of GPUs in other libraries. */
static bool means_opencl(const char *spec) {
  static const char *const words[] = {"gpu", "cuda", "hip", "rocm", "xpu", "mps"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (!strncasecmp(spec, words[i], strlen(words[i]))) return true;
  return false;
}

/* True if an OpenCL device is wanted, and there is none. */
static bool lacks_opencl(const strew_context *context, const char *spec) {
  return (!strncasecmp(spec, "opencl", strlen("opencl")) || means_opencl(spec)) && context->found.advice[0];
}

/* How to get an OpenCL device if there is none, or the nearest name; NULL: no hint. */
static const char *hint_of_device(const struct call *call, strew_context *context, const char *spec) {
  if (lacks_opencl(context, spec)) return context->found.advice;
  strew_guess guess = {.wanted = means_opencl(spec) ? "opencl" : spec};
  strew_guess_name(&guess, "opencl");
  for (int i = 0; i < strew_device_count(context); i++) strew_guess_name(&guess, device_at(context, i)->name);
  return hint_of_guess(call, &guess);
}

static strew_status fail_device(const struct call *call, strew_context *context, const char *spec) {
  char known[1024], text[TEXT_BYTES];
  list_devices(context, is_any, NULL, known, sizeof known);
  if (lacks_opencl(context, spec)) list_problems(context, known, sizeof known);
  struct fault fault = {.code = STREW_EDEVICE, .argument = "device", .hint = hint_of_device(call, context, spec)};
  return fail(call, fault, "is \"%s\", no such device; available: %s", text_of_name(spec, text), known);
}

/* "opencl": the first device that opens; if none does, the failure of the first one. */
static strew_status find_usable(const struct call *call, strew_context *context, strew_device **out) {
  const struct call quietly = {.op = call->op};
  int count = strew_device_count(context);
  for (int i = 1; i < count; i++) {
    strew_device *device = device_at(context, i);
    if (device->ops->open(&quietly, device) == STREW_OK) return *out = device, STREW_OK;
  }
  if (count == 1) return fail_device(call, context, "opencl");
  *out = device_at(context, 1);
  return (*out)->ops->open(call, *out);
}

static strew_status find_by_word(const struct call *call, strew_context *context, const char *spec,
                                 strew_device **out) {
  const char *word = spec + strlen("opencl:");
  strew_device *found = NULL;
  for (int i = 1; i < strew_device_count(context); i++) {
    strew_device *device = device_at(context, i);
    if (!strcmp(spec, device->name)) return *out = device, device->ops->open(call, device);
    if (!*word || !matches(device, word)) continue;
    if (found) {
      char several[1024], text[TEXT_BYTES];
      list_devices(context, matches, word, several, sizeof several);
      return fail(call, FAULT(STREW_EDEVICE, "device"), "is \"%s\", which matches several devices: %s",
                  text_of_name(spec, text), several);
    }
    found = device;
  }
  if (!found) return fail_device(call, context, spec);
  return *out = found, found->ops->open(call, found);
}

strew_status strew_device_find(strew_context *context, const char *spec, strew_device **out, strew_error *error) {
  CALL(call, "device", error, {0});
  strew_device *found = NULL;
  strew_status status = STREW_OK;
  if (!spec)
    found = context->default_device;
  else if (!strcmp(spec, "cpu"))
    found = &context->cpu;
  else if (!strcmp(spec, "opencl"))
    status = find_usable(&call, context, &found);
  else if (!strncmp(spec, "opencl:", strlen("opencl:")))
    status = find_by_word(&call, context, spec, &found);
  else
    status = fail_device(&call, context, spec);
  if (status == STREW_OK) *out = found;
  return status;
}

strew_status strew_device_capabilities(strew_device *device, strew_capabilities *out, strew_error *error) {
  CALL(call, "device", error, {0});
  strew_status status = device->ops->open(&call, device);
  *out = (strew_capabilities){0};
  if (status == STREW_OK) device->ops->capabilities(device, out);
  return status;
}

strew_status strew_device_finish(strew_device *device, strew_error *error) {
  CALL(call, "finish", error, {0});
  context_use(device->context);
  return device->ops->finish(&call, device);
}

/* Does not look for devices. */
strew_status strew_context_finish(strew_context *context, strew_error *error) {
  strew_status status = strew_device_finish(&context->cpu, error);
  for (int i = 0; status == STREW_OK && i < context->found.count; i++)
    status = strew_device_finish(context->found.devices[i], error);
  return status;
}
