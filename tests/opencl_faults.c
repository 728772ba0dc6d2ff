/* opencl_faults.c: see opencl_faults.h. Drivers and loaders call one another by the same names: only calls from outside
   of all of them count. */
#define _GNU_SOURCE
#include "opencl_faults.h"

#include "opencl/core/opencl.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

struct opencl_faults faults;
static _Thread_local int depth;        /* depth of calls within calls */
static _Thread_local bool from_source; /* the latest program */

void opencl_faults_limit(long failing, bool stays) {
  faults.failing = failing;
  faults.stays = stays;
  if (!failing) return;
  faults.calls = faults.failed = 0;
  faults.function = faults.error = NULL;
}

static void *own(const char *name) {
  static void *loader;
  if (!loader) loader = dlopen("libOpenCL.so.1", RTLD_NOW);
  void *function = loader ? dlsym(loader, name) : NULL;
  if (!function) abort();
  return function;
}

/* The error with which each function fails, its own if it has one. None of them means that the device is lost. */
static cl_int suited(const char *function) {
  static const struct {
    const char *function;
    cl_int code;
    const char *name;
  } errors[] = {
#define ERROR(function, code) {#function, code, #code}
      ERROR(clGetPlatformIDs, CL_OUT_OF_HOST_MEMORY),
      ERROR(clGetDeviceIDs, CL_OUT_OF_RESOURCES),
      ERROR(clCreateContext, CL_DEVICE_NOT_AVAILABLE),
      ERROR(clCreateBuffer, CL_MEM_OBJECT_ALLOCATION_FAILURE),
      ERROR(clCreateProgramWithBinary, CL_INVALID_BINARY),
      ERROR(clBuildProgram, CL_BUILD_PROGRAM_FAILURE),
      ERROR(clCreateKernel, CL_INVALID_KERNEL_NAME),
      ERROR(clSetKernelArg, CL_INVALID_ARG_VALUE),
      ERROR(clGetKernelWorkGroupInfo, CL_INVALID_KERNEL),
      ERROR(clEnqueueNDRangeKernel, CL_INVALID_WORK_GROUP_SIZE),
      ERROR(clEnqueueReadBuffer, CL_OUT_OF_RESOURCES),
      ERROR(clEnqueueWriteBuffer, CL_OUT_OF_RESOURCES),
      ERROR(clEnqueueCopyBuffer, CL_OUT_OF_RESOURCES),
      ERROR(clEnqueueMapBuffer, CL_MAP_FAILURE),
      ERROR(clEnqueueMarkerWithWaitList, CL_OUT_OF_RESOURCES),
      ERROR(clGetEventInfo, CL_OUT_OF_RESOURCES),
      ERROR(clFlush, CL_OUT_OF_HOST_MEMORY),
      ERROR(clFinish, CL_OUT_OF_RESOURCES),
#undef ERROR
  };
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
    if (!strcmp(function, errors[i].function)) {
      if (faults.failed == 1) faults.error = errors[i].name;
      return errors[i].code;
    }
  return CL_OUT_OF_HOST_MEMORY;
}

/* Counts the call; returns the error with which it has to fail, or none. */
static cl_int expected_error(const char *function) {
  if (depth || (faults.only && strcmp(faults.only, function) != 0)) return CL_SUCCESS;
  faults.calls++;
  if (faults.seen) faults.seen();
  bool fails = faults.calls == faults.failing || (faults.stays && faults.calls > faults.failing);
  if (!faults.failing || !fails) return CL_SUCCESS;
  if (!faults.failed++) faults.function = function;
  cl_int code = suited(function);
  return faults.code ? faults.code : code;
}

static cl_event asked; /* whose status was queried last */

static void note(enum made what, int step) {
  if (!depth) faults.alive[what] += step;
}

static void note_event(cl_int error, const cl_event *event) {
  if (error == CL_SUCCESS && event) note(MADE_EVENT, 1);
}

#define COUNT(member, step)                                                                                            \
  if (!depth) faults.counts.member += (step)

static void count_transfer(cl_bool blocks) {
  COUNT(blocking, blocks != CL_FALSE);
  COUNT(waits, blocks != CL_FALSE);
}

static void count_launch(cl_uint dimensions, const size_t *global) {
  long items = 1;
  for (cl_uint d = 0; d < dimensions; d++) items *= (long)global[d];
  COUNT(launches, 1);
  COUNT(items, items);
}

/* Mapped memory of drivers. */
enum { MAPPED = 64 };
static struct mapped {
  const char *bytes;
  size_t size;
} mapped[MAPPED];

static void note_map(const void *bytes, size_t size, const void *before) {
  for (int i = 0; !depth && i < MAPPED; i++)
    if (mapped[i].bytes == before) {
      mapped[i] = (struct mapped){bytes, size};
      return;
    }
}

/* A failing driver may write to the host's memory long after the call, unless it is the driver's own. */
static void note_loan(cl_bool blocks, const void *host, size_t size) {
  const char *at = host;
  for (int i = 0; i < MAPPED; i++)
    if (mapped[i].bytes && at >= mapped[i].bytes && at + size <= mapped[i].bytes + mapped[i].size) return;
  if (!blocks) note(MADE_LOAN, 1);
}

/* The answer with another last letter, or with correctly rounded division inverted. */
static void change_answer(cl_device_info what, void *value) {
  if (depth || !value) return;
  if (faults.disguise == OTHER_ROUNDING && what == CL_DEVICE_SINGLE_FP_CONFIG)
    *(cl_device_fp_config *)value ^= CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
  bool is_named = faults.disguise == OTHER_NAME && what == CL_DEVICE_NAME;
  if ((is_named || (faults.disguise == OTHER_DRIVER && what == CL_DRIVER_VERSION)) && *(char *)value)
    ((char *)value)[strlen(value) - 1] ^= 1;
}

static _Thread_local char *spoilt_text;

/* A program's text, with the order of its items reversed if it is to be broken. Its first line has the options. */
static const char **spoilt(const char **texts) {
  static const char right[] = "bool is_before(item a, item b) { return a < b; }", wrong[] = "a > b; }";
  const char *order = strstr(*texts, right), *plain = strstr(*texts, "-cl-opt-disable");
  if (depth > 1 || faults.spoils == NOTHING || !order || !strstr(*texts, "sort_tiles")) return texts;
  if (faults.spoils == OPTIMISED && plain && plain < strchr(*texts, '\n')) return texts;
  spoilt_text = strdup(*texts);
  if (!spoilt_text) return texts;
  memcpy(spoilt_text + (order - *texts) + sizeof right - sizeof wrong, wrong, sizeof wrong - 1);
  return (const char **)&spoilt_text;
}

static void drop_spoilt(void) {
  if (depth) return;
  free(spoilt_text);
  spoilt_text = NULL;
}

/* Functions that return a status. An object is released even if its release reports an error. */
#define STATUS(name, parameters, arguments, ...)                                                                       \
  __attribute__((visibility("default"))) cl_int name parameters {                                                      \
    static __typeof__(name) *real;                                                                                     \
    if (!real) *(void **)&real = own(#name);                                                                           \
    cl_int expected = expected_error(#name);                                                                           \
    if (expected != CL_SUCCESS && strncmp(#name, "clRelease", 9) != 0) return expected;                                \
    depth++;                                                                                                           \
    cl_int error = real arguments;                                                                                     \
    depth--;                                                                                                           \
    __VA_ARGS__;                                                                                                       \
    return expected != CL_SUCCESS ? expected : error;                                                                  \
  }
/* Functions that create an object; `error` is their parameter. */
#define MAKES(type, name, what, parameters, arguments, ...)                                                            \
  __attribute__((visibility("default"))) type name parameters {                                                        \
    static __typeof__(name) *real;                                                                                     \
    if (!real) *(void **)&real = own(#name);                                                                           \
    cl_int expected = expected_error(#name);                                                                           \
    if (expected != CL_SUCCESS) {                                                                                      \
      if (error) *error = expected;                                                                                    \
      return NULL;                                                                                                     \
    }                                                                                                                  \
    depth++;                                                                                                           \
    type made = real arguments;                                                                                        \
    depth--;                                                                                                           \
    if (made) note(what, 1);                                                                                           \
    __VA_ARGS__;                                                                                                       \
    return made;                                                                                                       \
  }

STATUS(clGetPlatformIDs, (cl_uint room, cl_platform_id *ids, cl_uint *count), (room, ids, count), (void)0)
STATUS(clGetPlatformInfo, (cl_platform_id id, cl_platform_info what, size_t room, void *value, size_t *size),
       (id, what, room, value, size), (void)0)
STATUS(clGetDeviceIDs, (cl_platform_id id, cl_device_type type, cl_uint room, cl_device_id *ids, cl_uint *count),
       (id, type, room, ids, count), (void)0)
STATUS(clGetDeviceInfo, (cl_device_id id, cl_device_info what, size_t room, void *value, size_t *size),
       (id, what, room, value, size), change_answer(what, value))
STATUS(clReleaseContext, (cl_context context), (context), note(MADE_CONTEXT, -1))
STATUS(clReleaseCommandQueue, (cl_command_queue queue), (queue), note(MADE_QUEUE, -1))
STATUS(clReleaseMemObject, (cl_mem memory), (memory), note(MADE_BUFFER, -1))
STATUS(clReleaseProgram, (cl_program program), (program), note(MADE_PROGRAM, -1))
STATUS(clReleaseKernel, (cl_kernel kernel), (kernel), note(MADE_KERNEL, -1))
STATUS(clBuildProgram,
       (cl_program program, cl_uint count, const cl_device_id *devices, const char *options,
        void(CL_CALLBACK *notify)(cl_program, void *), void *user),
       (program, count, devices, options, notify, user), if (!depth && from_source) faults.compiled++)
STATUS(clGetProgramInfo, (cl_program program, cl_program_info what, size_t room, void *value, size_t *size),
       (program, what, room, value, size), (void)0)
STATUS(clGetProgramBuildInfo,
       (cl_program program, cl_device_id id, cl_program_build_info what, size_t room, void *value, size_t *size),
       (program, id, what, room, value, size), (void)0)
STATUS(clGetKernelWorkGroupInfo,
       (cl_kernel kernel, cl_device_id id, cl_kernel_work_group_info what, size_t room, void *value, size_t *size),
       (kernel, id, what, room, value, size), (void)0)
STATUS(clSetKernelArg, (cl_kernel kernel, cl_uint i, size_t size, const void *value), (kernel, i, size, value),
       COUNT(arguments, 1))
STATUS(clEnqueueNDRangeKernel,
       (cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset, const size_t *global,
        const size_t *local, cl_uint waits, const cl_event *list, cl_event *event),
       (queue, kernel, dimensions, offset, global, local, waits, list, event), count_launch(dimensions, global))
STATUS(clEnqueueReadBuffer,
       (cl_command_queue queue, cl_mem memory, cl_bool blocks, size_t offset, size_t size, void *to, cl_uint waits,
        const cl_event *list, cl_event *event),
       (queue, memory, blocks, offset, size, to, waits, list, event), note_loan(blocks, to, size),
       note_event(error, event);
       count_transfer(blocks))
STATUS(clEnqueueMarkerWithWaitList, (cl_command_queue queue, cl_uint waits, const cl_event *list, cl_event *event),
       (queue, waits, list, event), note_event(error, event);
       COUNT(markers, 1))
STATUS(clReleaseEvent, (cl_event event), (event), asked = NULL; note(MADE_EVENT, -1))
STATUS(clEnqueueWriteBuffer,
       (cl_command_queue queue, cl_mem memory, cl_bool blocks, size_t offset, size_t size, const void *from,
        cl_uint waits, const cl_event *list, cl_event *event),
       (queue, memory, blocks, offset, size, from, waits, list, event), note_loan(blocks, from, size);
       count_transfer(blocks))
STATUS(clEnqueueCopyBuffer,
       (cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset, size_t size,
        cl_uint waits, const cl_event *list, cl_event *event),
       (queue, from, to, from_offset, to_offset, size, waits, list, event), (void)0)
STATUS(clEnqueueUnmapMemObject,
       (cl_command_queue queue, cl_mem memory, void *bytes, cl_uint waits, const cl_event *list, cl_event *event),
       (queue, memory, bytes, waits, list, event), note_map(NULL, 0, bytes))
STATUS(clFlush, (cl_command_queue queue), (queue), COUNT(flushes, 1))
STATUS(clFinish, (cl_command_queue queue), (queue), COUNT(waits, 1))

/* The number of status queries of an event depends on how busy the machine is: only the first one counts. */
__attribute__((visibility("default"))) cl_int clGetEventInfo(cl_event event, cl_event_info what, size_t room,
                                                             void *value, size_t *size) {
  static __typeof__(clGetEventInfo) *real;
  if (!real) *(void **)&real = own("clGetEventInfo");
  bool again = depth || event == asked;
  asked = event;
  COUNT(waits, !again);
  cl_int expected = again ? CL_SUCCESS : expected_error("clGetEventInfo");
  if (expected != CL_SUCCESS) return expected;
  depth++;
  cl_int error = real(event, what, room, value, size);
  depth--;
  return error;
}

MAKES(cl_context, clCreateContext, MADE_CONTEXT,
      (const cl_context_properties *properties, cl_uint count, const cl_device_id *devices,
       void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *user, cl_int *error),
      (properties, count, devices, notify, user, error), (void)0)
MAKES(cl_command_queue, clCreateCommandQueue, MADE_QUEUE,
      (cl_context context, cl_device_id id, cl_command_queue_properties properties, cl_int *error),
      (context, id, properties, error), (void)0)
MAKES(cl_mem, clCreateBuffer, MADE_BUFFER,
      (cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *error),
      (context, flags, size, host, error), (void)0)
/* Mappings are no objects: they go with their buffer. */
__attribute__((visibility("default"))) void *clEnqueueMapBuffer(cl_command_queue queue, cl_mem memory, cl_bool blocks,
                                                                cl_map_flags flags, size_t offset, size_t size,
                                                                cl_uint waits, const cl_event *list, cl_event *event,
                                                                cl_int *error) {
  static __typeof__(clEnqueueMapBuffer) *real;
  if (!real) *(void **)&real = own("clEnqueueMapBuffer");
  cl_int expected = expected_error("clEnqueueMapBuffer");
  if (expected != CL_SUCCESS) {
    if (error) *error = expected;
    return NULL;
  }
  depth++;
  void *bytes = real(queue, memory, blocks, flags, offset, size, waits, list, event, error);
  depth--;
  if (bytes) note_map(bytes, size, NULL);
  return bytes;
}
MAKES(cl_program, clCreateProgramWithSource, MADE_PROGRAM,
      (cl_context context, cl_uint count, const char **texts, const size_t *lengths, cl_int *error),
      (context, count, spoilt(texts), lengths, error), drop_spoilt();
      from_source = true)
MAKES(cl_program, clCreateProgramWithBinary, MADE_PROGRAM,
      (cl_context context, cl_uint count, const cl_device_id *devices, const size_t *sizes,
       const unsigned char **binaries, cl_int *states, cl_int *error),
      (context, count, devices, sizes, binaries, states, error), from_source = false)
MAKES(cl_kernel, clCreateKernel, MADE_KERNEL, (cl_program program, const char *name, cl_int *error),
      (program, name, error), (void)0)
