/* platform.c: finding the OpenCL devices. This loads the drivers, so it happens once per context, when a device is
   first named. Devices that cannot be used are listed with the reason. Counts that drivers return are not trusted: they
   may exceed the arrays passed. */
#include "opencl.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PLATFORMS = 32, MOST_DEVICES = 64 };

/* Records why something cannot be used, if the list has room. */
static void add_problem(struct device_list *list, const char *format, ...) {
  if (list->problem_count == MOST_PROBLEMS) return;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(list->problems[list->problem_count++], sizeof *list->problems, format, arguments);
  va_end(arguments);
}

/* Removes spaces at both ends, with which drivers pad names. */
static void trim(char *text) {
  size_t begin = strspn(text, " "), length = strlen(text + begin);
  memmove(text, text + begin, length + 1);
  while (length && text[length - 1] == ' ') text[--length] = 0;
}

static void platform_text(cl_platform_id platform, cl_platform_info what, char *text, size_t size) {
  memset(text, 0, size);
  if (cl.clGetPlatformInfo(platform, what, size - 1, text, NULL) != CL_SUCCESS) snprintf(text, size, "unnamed");
  trim(text);
}

static void add_device(strew_context *context, int p, int d, cl_platform_id platform, cl_device_id id) {
  struct device_list *list = &context->found;
  char model[512] = "", vendor[512];
  if (!id) return;
  struct found_device *found = memory_allocate(context, sizeof *found);
  struct opencl *state = memory_allocate(context, sizeof *state);
  if (!found || !state || list->count == MOST_FOUND) {
    memory_free(context, found, sizeof *found);
    memory_free(context, state, sizeof *state);
    add_problem(list, "opencl:%d.%d: out of memory, or too many devices", p, d);
    return;
  }
  *state = (struct opencl){.platform = platform, .device = id};
  *found = (struct found_device){.device = {.ops = &opencl_ops, .context = context, .state = state}};
  snprintf(found->name, sizeof found->name, "opencl:%d.%d", p, d);
  found->device.name = found->name;
  if (cl.clGetDeviceInfo(id, CL_DEVICE_NAME, sizeof model - 1, model, NULL) != CL_SUCCESS)
    snprintf(model, sizeof model, "unnamed");
  trim(model);
  platform_text(platform, CL_PLATFORM_NAME, vendor, sizeof vendor);
  snprintf(found->device.description, sizeof found->device.description, "%.60s (%.60s)", model, vendor);
  list->devices[list->count++] = &found->device;
}

/* What a driver lacks that reports no devices, by the platform's name. */
static const struct needs {
  const char *platform, *text;
  bool is_for_cpu; /* of the package that set_advice names */
} needs[] = {
    {"Portable Computing Language", "a folder to write to (POCL_CACHE_DIR, XDG_CACHE_HOME)", true},
    {"rusticl", "the names of its drivers (RUSTICL_ENABLE=llvmpipe)", false},
};

static void add_empty_platform(struct device_list *list, int p, const char *name) {
  for (size_t i = 0; i < sizeof needs / sizeof *needs; i++) {
    if (strcmp(name, needs[i].platform) != 0) continue;
    if (needs[i].is_for_cpu)
      snprintf(list->advice, sizeof list->advice, "%s needs %s", needs[i].platform, needs[i].text);
    add_problem(list, "platform %d, %s: the driver reports no devices; it needs %s", p, needs[i].platform,
                needs[i].text);
    return;
  }
  add_problem(list, "platform %d, %.60s: the driver reports no devices", p, name);
}

static void add_platform(strew_context *context, int p, cl_platform_id platform) {
  cl_device_id ids[MOST_DEVICES] = {NULL};
  cl_uint count = 0;
  char name[512];
  if (!platform) return;
  platform_text(platform, CL_PLATFORM_NAME, name, sizeof name);
  cl_int error = cl.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, MOST_DEVICES, ids, &count);
  if (error == CL_DEVICE_NOT_FOUND || (error == CL_SUCCESS && count == 0))
    add_empty_platform(&context->found, p, name);
  else if (error != CL_SUCCESS)
    add_problem(&context->found, "platform %d, %.60s: clGetDeviceIDs returned %s (%d)", p, name,
                opencl_error_name(error), error);
  else
    for (cl_uint d = 0; d < count && d < MOST_DEVICES; d++) add_device(context, p, (int)d, platform, ids[d]);
}

/* If no device was found: what the CPU's driver needs, if it is installed; else where the loader looks for drivers
   (environment variables may mislead it) and which package has one for the CPU. */
static void set_advice(struct device_list *list) {
  if (*list->advice) return;
  const char *where = getenv("OCL_ICD_VENDORS")     ? "where $OCL_ICD_VENDORS says"
                      : getenv("OCL_ICD_FILENAMES") ? "where $OCL_ICD_FILENAMES says"
                                                    : "in /etc/OpenCL/vendors";
  snprintf(list->advice, sizeof list->advice,
           "the loader looks for drivers %s; on Debian: apt install ocl-icd-libopencl1 pocl-opencl-icd (the "
           "processor), or the "
           "package of the GPU's vendor",
           where);
}

static void find_devices(strew_context *context) {
  struct device_list *list = &context->found;
  cl_platform_id ids[MOST_PLATFORMS] = {NULL};
  cl_uint count = 0;
  const char *trouble = opencl_library();
  if (trouble) {
    add_problem(list, "no OpenCL: %s", trouble);
    return;
  }
  cl_int error = cl.clGetPlatformIDs(MOST_PLATFORMS, ids, &count);
  if (error == CL_SUCCESS && count)
    for (cl_uint p = 0; p < count && p < MOST_PLATFORMS; p++) add_platform(context, (int)p, ids[p]);
  else if (error == CL_SUCCESS || error == -1001 /* CL_PLATFORM_NOT_FOUND_KHR */)
    add_problem(list, "no OpenCL: the loader found no driver");
  else
    add_problem(list, "no OpenCL: clGetPlatformIDs returned %s (%d)", opencl_error_name(error), error);
}

static void forget_devices(strew_context *context) {
  struct device_list *list = &context->found;
  for (int i = 0; i < list->count; i++) {
    opencl_close(list->devices[i]);
    memory_free(context, list->devices[i]->state, sizeof(struct opencl));
    memory_free(context, list->devices[i], sizeof(struct found_device));
  }
  list->count = 0;
}

void opencl_find_devices(strew_context *context) {
  context->found.drop_kept = opencl_drop_kept;
  context->found.forget = forget_devices;
  sigset_t before;
  opencl_block_signals(&before); /* drivers create threads here */
  find_devices(context);
  opencl_restore_signals(&before);
  if (context->found.count == 0)
    set_advice(&context->found);
  else
    *context->found.advice = 0;
}
