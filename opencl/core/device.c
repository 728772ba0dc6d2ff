/* device.c: the OpenCL entries of the device table: properties, opening and closing, storage. */
#include "opencl.h"

#include "tuning.h"

#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------------------------- opening */

static void query(struct opencl *on, cl_device_info what, void *value, size_t size_bytes) {
  memset(value, 0, size_bytes); /* a property that the driver does not know reads as 0 */
  if (cl.clGetDeviceInfo(on->device, what, size_bytes, value, NULL) != CL_SUCCESS) memset(value, 0, size_bytes);
}

static void read_extensions(struct opencl *on, bool *float64) {
  char extensions[8192];
  query(on, CL_DEVICE_EXTENSIONS, extensions, sizeof extensions - 1);
  extensions[sizeof extensions - 1] = 0;
  cl_device_fp_config doubles;
  query(on, CL_DEVICE_DOUBLE_FP_CONFIG, &doubles, sizeof doubles);
  *float64 = (doubles || strstr(extensions, "cl_khr_fp64")) && !opencl_assumed("nofloat64");
  on->int64_atomics = strstr(extensions, "cl_khr_int64_base_atomics") &&
                      strstr(extensions, "cl_khr_int64_extended_atomics") && !opencl_assumed("noatomics64");
}

/* A loop iteration takes 1 to 10 ns of one core (PoCL, 2 cores). Integer emulation of floats is ten times slower; so is
   everything on llvmpipe: a CPU whose fma is not exact, and which stops long loops before Mesa 25. */
static void set_most_turns(struct opencl *on) {
  enum { TURNS_OF_TESTS = 64 };
  const unsigned quick = SOFT_WIDEN | SOFT_INTEGERS | SOFT_FUSED64 | (on->is_gpu ? SOFT_FUSED : 0);
  bool is_slow = on->software & ~quick || on->longest_loop < INT64_MAX;
  on->most_turns = (on->is_gpu ? TURNS_OF_GPU_LAUNCH : TURNS_OF_CPU_LAUNCH) / (is_slow ? EMULATION_FACTOR : 1);
  if (opencl_assumed("cuts")) on->most_turns = TURNS_OF_TESTS;
}

static void read_properties(strew_device *device) {
  enum { MOST_UNITS = 1 << 16 };
  struct opencl *on = opencl_of(device);
  cl_device_type type;
  cl_ulong memory, largest;
  cl_device_fp_config singles;
  bool float64;
  query(on, CL_DEVICE_TYPE, &type, sizeof type);
  query(on, CL_DEVICE_MAX_COMPUTE_UNITS, &on->units, sizeof on->units);
  on->units = on->units < 1 ? 1 : on->units < MOST_UNITS ? on->units : MOST_UNITS; /* work is divided by it */
  query(on, CL_DEVICE_MAX_WORK_GROUP_SIZE, &on->largest_group, sizeof on->largest_group);
  query(on, CL_DEVICE_GLOBAL_MEM_SIZE, &memory, sizeof memory);
  query(on, CL_DEVICE_MAX_MEM_ALLOC_SIZE, &largest, sizeof largest);
  query(on, CL_DEVICE_MAX_PARAMETER_SIZE, &on->argument_bytes, sizeof on->argument_bytes);
  if (opencl_assumed("packed")) on->argument_bytes = 0;
  query(on, CL_DEVICE_SINGLE_FP_CONFIG, &singles, sizeof singles);
  char driver[512];
  query(on, CL_DRIVER_VERSION, driver, sizeof driver - 1);
  snprintf(on->driver, sizeof on->driver, "%.100s", driver);
  read_extensions(on, &float64);
  on->is_gpu = opencl_assumed("gpu") || (!(type & CL_DEVICE_TYPE_CPU) && !opencl_assumed("cpu"));
  on->memory_bytes = (size_t)memory;
  on->largest_bytes = (size_t)largest;
  on->longest_loop = INT64_MAX;
  set_most_turns(on);
  device->lacks_float64 = float64 ? NULL : "it lacks the extension cl_khr_fp64";
  snprintf(on->options, sizeof on->options, "-cl-std=CL1.2 -w%s",
           singles & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT ? " -cl-fp32-correctly-rounded-divide-sqrt" : "");
}

static void set_prelude(strew_device *device) {
  struct opencl *on = opencl_of(device);
  char *end = on->prelude, *limit = on->prelude + sizeof on->prelude;
  end +=
      snprintf(end, (size_t)(limit - end), "#define %s\n", device->lacks_float64 ? "STREW_NO_FLOAT64" : "HAS_FLOAT64");
  if (on->is_gpu) end += snprintf(end, (size_t)(limit - end), "#define IS_GPU\n");
  if (on->int64_atomics) end += snprintf(end, (size_t)(limit - end), "#define HAS_INT64_ATOMICS\n");
#define ROW(flag, bit, results, macro, text)                                                                           \
  if (on->software & SOFT_##flag) end += snprintf(end, (size_t)(limit - end), "#define %s\n", macro);
  SOFTWARE(ROW)
#undef ROW
}

/* Fails if the device lacks a feature that strew needs. */
static strew_status check_device(const struct call *call, strew_device *device) {
  struct opencl *on = opencl_of(device);
  cl_bool available, compiler, little;
  char version[256];
  query(on, CL_DEVICE_AVAILABLE, &available, sizeof available);
  query(on, CL_DEVICE_COMPILER_AVAILABLE, &compiler, sizeof compiler);
  query(on, CL_DEVICE_ENDIAN_LITTLE, &little, sizeof little);
  query(on, CL_DEVICE_VERSION, version, sizeof version - 1);
  const char *lacks = !available  ? "is not available"
                      : !compiler ? "has no compiler"
                      : !little   ? "is not little-endian"
                      : !strncmp(version, "OpenCL 1.0", 10) || !strncmp(version, "OpenCL 1.1", 10) ? "lacks OpenCL 1.2"
                      : on->largest_group < GROUP ? "has work-groups of fewer than 64 work-items"
                                                  : NULL;
  if (!lacks) return STREW_OK;
  return fail(call, FAULT(STREW_EDEVICE, "device"), "%s (%s) %s", device->name, strew_device_description(device),
              lacks);
}

static strew_status make_queue(const struct call *call, strew_device *device) {
  struct opencl *on = opencl_of(device);
  cl_int error = CL_SUCCESS;
  sigset_t before;
  opencl_block_signals(&before);
  on->context = cl.clCreateContext(NULL, 1, &on->device, NULL, NULL, &error);
  if (on->context) on->queue = cl.clCreateCommandQueue(on->context, on->device, 0, &error);
  opencl_restore_signals(&before);
  if (!on->context) return opencl_fail(call, device, "clCreateContext", error);
  return on->queue ? STREW_OK : opencl_fail(call, device, "clCreateCommandQueue", error);
}

static strew_status make_staging(const struct call *call, strew_device *device) {
  struct opencl *on = opencl_of(device);
  cl_int error = CL_SUCCESS;
  on->staging.used = 0;
  on->staging.memory =
      cl.clCreateBuffer(on->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, STAGING_BYTES, NULL, &error);
  if (!on->staging.memory) return opencl_fail(call, device, "clCreateBuffer", error);
  on->staging.bytes = cl.clEnqueueMapBuffer(on->queue, on->staging.memory, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                            STAGING_BYTES, 0, NULL, NULL, &error);
  return on->staging.bytes ? STREW_OK : opencl_fail(call, device, "clEnqueueMapBuffer", error);
}

static void drop_staging(struct opencl *on) {
  if (on->staging.bytes && !on->lost)
    cl.clEnqueueUnmapMemObject(on->queue, on->staging.memory, on->staging.bytes, 0, NULL, NULL);
  if (on->queue && !on->lost)
    cl.clFinish(on->queue); /* no command may still use what is released; throttle.c bounds the wait */
  if (on->staging.memory) cl.clReleaseMemObject(on->staging.memory);
  on->staging.memory = NULL, on->staging.bytes = NULL;
}

static strew_status open_device(const struct call *call, strew_device *device) {
  read_properties(device);
  set_prelude(device);
  strew_status status = check_device(call, device);
  TRY(status, make_queue(call, device));
  TRY(status, make_staging(call, device));
  TRY(status, opencl_probe(call, device));
  program_release_all(device); /* programs built for the probe have the wrong prelude */
  set_prelude(device);
  set_most_turns(opencl_of(device));
  return status;
}

/* Some drivers copy the calling thread's rounding and flush modes; within a call these are the defaults
   (float_mode.h). */
strew_status opencl_open(const struct call *call, strew_device *device) {
  struct opencl *on = opencl_of(device);
  if (on->open) return on->lost ? opencl_fail_lost(call, device) : STREW_OK;
  strew_status status = open_device(call, device);
  on->open = status == STREW_OK;
  if (status != STREW_OK) opencl_close(device);
  return status;
}

void opencl_close(strew_device *device) {
  struct opencl *on = opencl_of(device);
  drop_staging(on);
  blocks_trim(device, 0);
  program_release_all(device);
  if (on->batch_end) cl.clReleaseEvent(on->batch_end);
  if (on->queue) cl.clReleaseCommandQueue(on->queue);
  if (on->context) cl.clReleaseContext(on->context);
  on->batch_end = NULL;
  on->batch.launches = on->batch.turns = 0;
  on->queue = NULL;
  on->context = NULL;
  on->open = false;
  on->sorts_tried = 0;
}

/* ----------------------------------------------------------------------------------------- storage and capabilities */

strew_status opencl_allocate(const struct call *call, strew_device *device, size_t size_bytes,
                             struct storage *storage) {
  strew_context *context = device->context;
  RETURN_IF_FAILED(opencl_open(call, device));
  ALLOCATE_NEW(struct block *, block, call, context, sizeof *block);
  strew_status status = block_allocate(call, device, size_bytes, block);
  if (status != STREW_OK) return memory_free(context, block, sizeof *block), status;
  storage->data = block;
  return STREW_OK;
}

/* How the device differs from others, in words. */
static void describe_promise(const strew_device *device, char *text, size_t size) {
  const struct opencl *on = opencl_of(device);
  size_t used = 0;
  *text = 0;
  if (device->lacks_float64) used = (size_t)snprintf(text, size, "no float64 tensors: %s", device->lacks_float64);
  if (on->software & ~(unsigned)(SOFT_WIDEN | SOFT_INTEGERS))
    used += (size_t)snprintf(text + used, size - used, "%semulated with integers (exact, slower):", used ? "; " : "");
#define ROW(flag, bit, results, macro, words)                                                                          \
  if (on->software & SOFT_##flag && used < size) used += (size_t)snprintf(text + used, size - used, "%s", words);
  SOFTWARE(ROW)
  if (on->plain_sorts && used < size)
    snprintf(text + used, size - used, "%ssorts compiled without optimisation (right, slower)", used ? "; " : "");
}

void opencl_capabilities(const strew_device *device, strew_capabilities *out) {
  const struct opencl *on = opencl_of(device);
  *out = (strew_capabilities){.float64 = !device->lacks_float64,
                              .int64_atomics = on->int64_atomics,
                              .exact_division = !(on->software & (SOFT_DIVIDE | SOFT_ROOT)),
                              .denormals = !(on->software & (SOFT_SUM | SOFT_PRODUCT | SOFT_COMPARE)),
                              .units = (int)on->units,
                              .memory_bytes = on->memory_bytes,
                              .largest_block_bytes = on->largest_bytes,
                              .work_group_size = on->largest_group,
                              .launches = on->launches,
                              .read_bytes = on->read_bytes};
  snprintf(out->driver, sizeof out->driver, "%s", on->driver);
  describe_promise(device, out->promise, sizeof out->promise);
}

/* No optional functions. */
#define TABLE(member, functions, ENTRIES) extern const struct functions opencl_##functions TABLE_OF_ROOM;
DEVICE_FAMILIES(TABLE)
#define FAMILY(member, functions, ENTRIES) .member = &opencl_##functions,

const struct device_ops opencl_ops = {DEVICE_ENTRIES(OPENCL_ENTRY, OPENCL_NONE) DEVICE_FAMILIES(FAMILY).reads =
                                          READ_BY_REDUCE | READ_BY_SCATTER | READ_BY_SEGMENTS};
