/* fake_opencl.c: a faulty OpenCL, built as libOpenCL.so.1 and found instead of the loader's. It has one device, whose
   kernels do not compute. $FAKE_OPENCL holds words for its faults:

     slow        platforms are found after one second; a file $FAKE_OPENCL_ASKED records the query
     platforms   reports more platforms than anyone has room for; unset: does not set their number
     devices     the same for devices; nodevices: there is none; pocl, rusticl: names of the platform
     names       texts fill their whole buffer, without an end, and claim to be longer
     zeros       every numeric property of the device is 0; units: only the number of processors
     ones        every numeric property is the greatest number
     null        new objects are NULL, without an error
     unknown     queue functions fail with undefined error numbers; positive: with positive ones
     binary      binaries claim to be endless; garbage: they are
     log         compilation fails, with an endless log; text: with a log without an end
     fill=N      kernels fill all their buffers with bytes of N; noise: with random bytes
     never       enqueued work never ends
     crash       the process crashes where platforms are queried; leave=N: it ends with status N */
#define _POSIX_C_SOURCE                   200809L
#define CL_TARGET_OPENCL_VERSION          120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS /* clCreateCommandQueue */
#include <CL/cl.h>

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#pragma GCC visibility push(default)

enum { MOST_ARGUMENTS = 64, MANY = 1000000 };
#define ENDLESS ((size_t)1 << 50)

struct _cl_mem {
  size_t size_bytes;
  unsigned char bytes[];
};
struct _cl_kernel {
  cl_mem buffers[MOST_ARGUMENTS]; /* arguments that may be handles */
};

static const char *setting(const char *word) {
  const char *words = getenv("FAKE_OPENCL");
  return words ? strstr(words, word) : NULL;
}
static bool is(const char *word) { return setting(word) != NULL; }

static struct thing { int unused; } platform, device, context, queue, program, event;

static bool is_null(const char *function) {
  const char *null = setting("null:");
  return null && !strcmp(null + 5, function);
}
/* Returns a handle, or NULL without an error. */
#define MADE(type, thing) (error ? *error = CL_SUCCESS : CL_SUCCESS, is_null(__func__) ? NULL : (type)(void *)(thing))

/* Returns the status of the queue's functions. */
static cl_int done(void) { return is("unknown") ? -98765 : is("positive") ? 77 : CL_SUCCESS; }

static cl_int give(const void *value, size_t size, size_t room, void *to, size_t *told) {
  if (told) *told = size;
  if (to && room < size) return CL_INVALID_VALUE;
  if (to) memcpy(to, value, size);
  return CL_SUCCESS;
}

static cl_int give_text(const char *text, size_t room, void *to, size_t *told) {
  if (!is("names")) return give(text, strlen(text) + 1, room, to, told);
  if (told) *told = ENDLESS;
  if (to) memset(to, 'x', room);
  return CL_SUCCESS;
}

static cl_int give_number(cl_ulong number, size_t size, size_t room, void *to, size_t *told) {
  if (is("zeros")) number = 0;
  if (is("ones")) number = ~(cl_ulong)0;
  return give(&number, size, room, to, told); /* its low bytes */
}

/* ------------------------------------------------------------------------------------------------------- discovery */

static void give_handles(const char *many, const char *untold, void *handle, cl_uint room, void **handles,
                         cl_uint *count) {
  if (count) *count = is(many) ? MANY : is(untold) ? 3 : 1;
  for (cl_uint i = 0; handles && !is(untold) && i < (is(many) ? room : 1); i++) handles[i] = i ? NULL : handle;
}

CL_API_ENTRY cl_int CL_API_CALL clGetPlatformIDs(cl_uint room, cl_platform_id *ids, cl_uint *count) {
  const char *asked = getenv("FAKE_OPENCL_ASKED");
  FILE *mark = asked ? fopen(asked, "w") : NULL;
  if (mark) fclose(mark);
  if (is("crash")) raise(SIGSEGV);
  if (is("leave=")) _exit(atoi(setting("leave=") + 6));
  if (is("slow")) nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
  give_handles("platforms", "hidden", &platform, room, (void **)ids, count);
  return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id id, cl_platform_info what, size_t room, void *value,
                                                  size_t *size) {
  (void)id, (void)what;
  const char *name = is("pocl") ? "Portable Computing Language" : is("rusticl") ? "rusticl" : "Fake";
  return give_text(name, room, value, size);
}

CL_API_ENTRY cl_int CL_API_CALL clGetDeviceIDs(cl_platform_id id, cl_device_type type, cl_uint room, cl_device_id *ids,
                                               cl_uint *count) {
  (void)type;
  if (!id) return CL_INVALID_PLATFORM;
  if (is("nodevices")) return CL_DEVICE_NOT_FOUND;
  give_handles("devices", "absent", &device, room, (void **)ids, count);
  return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clGetDeviceInfo(cl_device_id id, cl_device_info what, size_t room, void *value,
                                                size_t *size) {
  if (!id) return CL_INVALID_DEVICE;
  switch (what) {
  case CL_DEVICE_NAME: return give_text("a device that lies", room, value, size);
  case CL_DRIVER_VERSION: return give_text("1", room, value, size);
  case CL_DEVICE_VERSION: return give_text("OpenCL 1.2 fake", room, value, size);
  case CL_DEVICE_EXTENSIONS: return give_text("cl_khr_fp64 cl_khr_int64_base_atomics", room, value, size);
  case CL_DEVICE_TYPE: return give_number(CL_DEVICE_TYPE_CPU, sizeof(cl_device_type), room, value, size);
  case CL_DEVICE_MAX_COMPUTE_UNITS: return give_number(is("units") ? 0 : 2, sizeof(cl_uint), room, value, size);
  case CL_DEVICE_MAX_WORK_GROUP_SIZE: return give_number(256, sizeof(size_t), room, value, size);
  case CL_DEVICE_GLOBAL_MEM_SIZE: return give_number(1 << 28, sizeof(cl_ulong), room, value, size);
  case CL_DEVICE_MAX_MEM_ALLOC_SIZE: return give_number(1 << 26, sizeof(cl_ulong), room, value, size);
  case CL_DEVICE_SINGLE_FP_CONFIG:
  case CL_DEVICE_DOUBLE_FP_CONFIG: return give_number(CL_FP_FMA, sizeof(cl_device_fp_config), room, value, size);
  default: return give_number(1, sizeof(cl_bool), room, value, size);
  }
}

/* ------------------------------------------------------------------------------------------- contexts and programs */

CL_API_ENTRY cl_context CL_API_CALL
clCreateContext(const cl_context_properties *properties, cl_uint count, const cl_device_id *devices,
                void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *user, cl_int *error) {
  (void)properties, (void)count, (void)devices, (void)notify, (void)user;
  return MADE(cl_context, &context);
}

CL_API_ENTRY cl_command_queue CL_API_CALL clCreateCommandQueue(cl_context in, cl_device_id id,
                                                               cl_command_queue_properties properties, cl_int *error) {
  (void)in, (void)id, (void)properties;
  return MADE(cl_command_queue, &queue);
}

CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithSource(cl_context in, cl_uint count, const char **texts,
                                                              const size_t *lengths, cl_int *error) {
  (void)in, (void)count, (void)texts, (void)lengths;
  return MADE(cl_program, &program);
}

CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithBinary(cl_context in, cl_uint count, const cl_device_id *devices,
                                                              const size_t *sizes, const unsigned char **binaries,
                                                              cl_int *states, cl_int *error) {
  (void)in, (void)count, (void)devices, (void)sizes, (void)binaries, (void)states;
  return MADE(cl_program, &program);
}

CL_API_ENTRY cl_int CL_API_CALL clBuildProgram(cl_program made, cl_uint count, const cl_device_id *devices,
                                               const char *options, void(CL_CALLBACK *notify)(cl_program, void *),
                                               void *user) {
  (void)made, (void)count, (void)devices, (void)options, (void)notify, (void)user;
  return is("log") || is("text") ? CL_BUILD_PROGRAM_FAILURE : CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clGetProgramBuildInfo(cl_program made, cl_device_id id, cl_program_build_info what,
                                                      size_t room, void *value, size_t *size) {
  (void)made, (void)id, (void)what;
  if (size) *size = is("log") ? ENDLESS : 4000;
  if (value) memset(value, 'x', room);
  return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clGetProgramInfo(cl_program made, cl_program_info what, size_t room, void *value,
                                                 size_t *size) {
  (void)made;
  size_t bytes = is("binary") ? ENDLESS : 100;
  if (what == CL_PROGRAM_BINARY_SIZES) return give(&bytes, sizeof bytes, room, value, size);
  if (is("garbage")) memset(*(unsigned char **)value, rand(), bytes);
  return CL_SUCCESS;
}

CL_API_ENTRY cl_kernel CL_API_CALL clCreateKernel(cl_program of, const char *name, cl_int *error) {
  (void)of, (void)name;
  return MADE(cl_kernel, is_null(__func__) ? NULL : calloc(1, sizeof(struct _cl_kernel)));
}

/* An argument with the size of a handle is a buffer only if it is one of ours. */
struct known {
  struct known *next;
  cl_mem buffer;
};
static struct known *all_buffers;

CL_API_ENTRY cl_int CL_API_CALL clSetKernelArg(cl_kernel kernel, cl_uint i, size_t size, const void *value) {
  cl_mem buffer = NULL;
  if (i >= MOST_ARGUMENTS) return CL_INVALID_ARG_INDEX;
  if (value && size == sizeof buffer) memcpy(&buffer, value, size);
  const struct known *known = all_buffers;
  while (known && known->buffer != buffer) known = known->next;
  kernel->buffers[i] = known ? buffer : NULL;
  return CL_SUCCESS;
}

/* --------------------------------------------------------------------------------------------------------- buffers */

CL_API_ENTRY cl_mem CL_API_CALL clCreateBuffer(cl_context in, cl_mem_flags flags, size_t size, void *host,
                                               cl_int *error) {
  (void)in, (void)flags, (void)host;
  cl_mem made = is_null(__func__) || size > ENDLESS ? NULL : calloc(1, sizeof *made + size);
  struct known *known = made ? malloc(sizeof *known) : NULL;
  if (known) {
    made->size_bytes = size;
    *known = (struct known){all_buffers, made};
    all_buffers = known;
  }
  if (error) *error = CL_SUCCESS;
  return made;
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseMemObject(cl_mem buffer) {
  struct known **link = &all_buffers, *known;
  while (*link && (*link)->buffer != buffer) link = &(*link)->next;
  if (!(known = *link)) return CL_INVALID_MEM_OBJECT;
  *link = known->next;
  free(known);
  free(buffer);
  return CL_SUCCESS;
}

static bool fits(cl_mem buffer, size_t offset, size_t size) {
  return buffer && offset <= buffer->size_bytes && size <= buffer->size_bytes - offset;
}

static cl_int enqueued(const char *function, cl_event *made) {
  if (made) *made = is_null(function) ? NULL : (cl_event)(void *)&event;
  return done();
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueReadBuffer(cl_command_queue in, cl_mem buffer, cl_bool blocks, size_t offset,
                                                    size_t size, void *to, cl_uint waits, const cl_event *list,
                                                    cl_event *made) {
  (void)in, (void)blocks, (void)waits, (void)list;
  if (!fits(buffer, offset, size)) return CL_INVALID_VALUE;
  memcpy(to, buffer->bytes + offset, size);
  return enqueued(__func__, made);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueWriteBuffer(cl_command_queue in, cl_mem buffer, cl_bool blocks, size_t offset,
                                                     size_t size, const void *from, cl_uint waits, const cl_event *list,
                                                     cl_event *made) {
  (void)in, (void)blocks, (void)waits, (void)list;
  if (!fits(buffer, offset, size)) return CL_INVALID_VALUE;
  memcpy(buffer->bytes + offset, from, size);
  return enqueued(__func__, made);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyBuffer(cl_command_queue in, cl_mem from, cl_mem to, size_t from_offset,
                                                    size_t to_offset, size_t size, cl_uint waits, const cl_event *list,
                                                    cl_event *made) {
  (void)in, (void)waits, (void)list;
  if (!fits(from, from_offset, size) || !fits(to, to_offset, size)) return CL_INVALID_VALUE;
  memmove(to->bytes + to_offset, from->bytes + from_offset, size);
  return enqueued(__func__, made);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueNDRangeKernel(cl_command_queue in, cl_kernel kernel, cl_uint dimensions,
                                                       const size_t *offset, const size_t *global, const size_t *local,
                                                       cl_uint waits, const cl_event *list, cl_event *made) {
  (void)in, (void)dimensions, (void)offset, (void)global, (void)local, (void)waits, (void)list;
  const char *fill = setting("fill=");
  for (int i = 0; i < MOST_ARGUMENTS && (fill || is("noise")); i++)
    for (size_t k = 0; kernel->buffers[i] && k < kernel->buffers[i]->size_bytes; k++)
      kernel->buffers[i]->bytes[k] = (unsigned char)(fill ? atoi(fill + 5) : rand() >> 8);
  return enqueued(__func__, made);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueMarkerWithWaitList(cl_command_queue in, cl_uint waits, const cl_event *list,
                                                            cl_event *made) {
  (void)in, (void)waits, (void)list;
  return enqueued(__func__, made);
}

CL_API_ENTRY cl_int CL_API_CALL clGetEventInfo(cl_event of, cl_event_info what, size_t room, void *value,
                                               size_t *size) {
  cl_int state = is("never") ? CL_RUNNING : CL_COMPLETE;
  (void)what;
  return of ? give(&state, sizeof state, room, value, size) : CL_INVALID_EVENT;
}

/* -------------------------------------------------------------------------------------------------- other functions */

CL_API_ENTRY void *CL_API_CALL clEnqueueMapBuffer(cl_command_queue in, cl_mem buffer, cl_bool blocks,
                                                  cl_map_flags flags, size_t offset, size_t size, cl_uint waits,
                                                  const cl_event *list, cl_event *made, cl_int *error) {
  (void)in, (void)blocks, (void)flags, (void)waits, (void)list, (void)made;
  if (error) *error = done();
  return is_null(__func__) || !fits(buffer, offset, size) ? NULL : buffer->bytes + offset;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueUnmapMemObject(cl_command_queue in, cl_mem buffer, void *bytes, cl_uint waits,
                                                        const cl_event *list, cl_event *made) {
  (void)in, (void)buffer, (void)bytes, (void)waits, (void)list, (void)made;
  return done();
}

CL_API_ENTRY cl_int CL_API_CALL clFlush(cl_command_queue in) { return (void)in, done(); }
CL_API_ENTRY cl_int CL_API_CALL clFinish(cl_command_queue in) { return (void)in, done(); }
CL_API_ENTRY cl_int CL_API_CALL clReleaseContext(cl_context made) { return made ? CL_SUCCESS : CL_INVALID_CONTEXT; }
CL_API_ENTRY cl_int CL_API_CALL clReleaseProgram(cl_program made) { return made ? CL_SUCCESS : CL_INVALID_PROGRAM; }
CL_API_ENTRY cl_int CL_API_CALL clReleaseEvent(cl_event made) { return made ? CL_SUCCESS : CL_INVALID_EVENT; }
CL_API_ENTRY cl_int CL_API_CALL clReleaseKernel(cl_kernel made) { return free(made), CL_SUCCESS; }
CL_API_ENTRY cl_int CL_API_CALL clReleaseCommandQueue(cl_command_queue made) {
  return made ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE;
}
