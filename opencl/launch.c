/* launch.c: kernels bound to their arguments and given to the queue. */
#include "opencl.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_SETTINGS = 512 };

const char *dtype_suffix(strew_dtype dtype) {
  static const char *const suffixes[STREW_DTYPE_COUNT] = {
#define ROW(ENUM, s, ...) [STREW_##ENUM] = #s,
      STREW_DTYPES(ROW)
#undef ROW
  };
  return suffixes[dtype];
}

struct space space_of(const struct plan *plan) {
  int last = plan->rank - 1;
  struct space space = {.plan = plan, .columns = plan->rank ? plan->sizes[last] : 1};
  space.rows = count_of_sizes(last > 0 ? last : 0, plan->sizes);
  space.outer = last <= 1 ? 1 : last <= 4 ? 4 : 16;
  return space;
}

void launch_start(struct launch *launch, const struct call *call, strew_device *device, const char *file,
                  const char *name, const char *settings_format, ...) {
  char settings[LONGEST_SETTINGS];
  va_list arguments;
  va_start(arguments, settings_format);
  vsnprintf(settings, sizeof settings, settings_format, arguments);
  va_end(arguments);
  *launch = (struct launch){.call = call, .device = device};
  if (opencl_of(device)->lost)
    launch->status = fail_lost(call, device);
  else
    launch->status = kernel_find(call, device, file, name, settings, &launch->kernel);
}

void launch_value(struct launch *launch, const void *value, size_t size_bytes) {
  if (launch->status != STREW_OK) return;
  cl_int error = cl.clSetKernelArg(launch->kernel, launch->bound++, size_bytes, value);
  if (error != CL_SUCCESS) launch->status = fail_opencl(launch->call, launch->device, "clSetKernelArg", error);
}

void launch_int(struct launch *launch, int64_t value) { launch_value(launch, &value, sizeof value); }
void launch_block(struct launch *launch, const struct block *block) {
  launch_value(launch, &block->memory, sizeof block->memory);
}

/* ------------------------------------------------------------------------------------------------------- plans */

/* The outer dimensions' numbers, the last one last, in a vector of `outer`; those in front are `filling`. */
static void launch_vector(struct launch *launch, const struct space *space, const int64_t *numbers, int64_t filling) {
  int64_t vector[MAX_RANK];
  int rank = space->plan->rank - 1, first = space->outer - (rank > 0 ? rank : 0);
  for (int d = 0; d < space->outer; d++) vector[d] = d < first ? filling : numbers[d - first];
  launch_value(launch, vector, (size_t)space->outer * sizeof *vector);
}

void launch_space(struct launch *launch, const struct space *space) {
  launch_int(launch, space->columns);
  launch_int(launch, space->rows);
  launch_vector(launch, space, space->plan->sizes, 1);
}

void launch_memory(struct launch *launch, const struct operand *operand) {
  static const struct block none = {NULL, 0};
  const struct block *block = operand->storage ? operand->storage->data : NULL; /* tensors of nothing have no block */
  launch_block(launch, block ? block : &none);
  launch_int(launch, operand->offset);
}

void launch_strides(struct launch *launch, const struct space *space, int i) {
  const int64_t *strides = space->plan->operands[i].strides;
  int last = space->plan->rank - 1;
  launch_int(launch, last < 0 ? 0 : strides[last]);
  launch_vector(launch, space, strides, 0);
}

void launch_operand(struct launch *launch, const struct space *space, int i) {
  launch_memory(launch, &space->plan->operands[i]);
  launch_strides(launch, space, i);
}

/* --------------------------------------------------------------------------------------------------------- running */

/* Drivers that find memory for buffers when they are first used may not find it then. */
static strew_status enqueue(struct launch *launch, cl_uint dimensions, const size_t *first, const size_t *global,
                            const size_t *local) {
  if (launch->status != STREW_OK) return launch->status;
  struct opencl *on = opencl_of(launch->device);
  if (on->lost) return fail_lost(launch->call, launch->device);
  strew_status status = opencl_throttle(launch->call, launch->device);
  if (status != STREW_OK) return status;
  on->busy = true;
  cl_int error;
  sigset_t before;
  shield_raise(&before); /* some drivers link a kernel when it is first launched */
  do error = cl.clEnqueueNDRangeKernel(on->queue, launch->kernel, dimensions, first, global, local, 0, NULL, NULL);
  while (error == CL_MEM_OBJECT_ALLOCATION_FAILURE && blocks_make_room(launch->device));
  shield_lower(&before);
  if (error != CL_SUCCESS) return fail_opencl(launch->call, launch->device, "clEnqueueNDRangeKernel", error);
  return STREW_OK;
}

static size_t rounded_up(int64_t count, size_t step) { return ((size_t)count + step - 1) / step * step; }

/* Groups as wide as rows are long, so that few work-items have nothing to do; three shapes in all, since drivers
   compile for each. GPUs may have a bound on the groups of the second dimension: launches go on where they stop. */
strew_status launch_rows(struct launch *launch, const struct space *space) {
  enum { MOST_GROUPS = 65535 };
  size_t wide = space->columns >= GROUP / 2 || space->rows == 1 ? GROUP : space->columns >= 4 ? 8 : 1;
  size_t local[2] = {wide, GROUP / wide};
  size_t global[2] = {rounded_up(space->columns, local[0]), rounded_up(space->rows, local[1])};
  size_t rows = global[1], most = opencl_of(launch->device)->is_gpu ? MOST_GROUPS * local[1] : rows;
  strew_status status = launch->status;
  for (size_t first[2] = {0, 0}; status == STREW_OK && first[1] < rows; first[1] += global[1]) {
    global[1] = rows - first[1] < most ? rows - first[1] : most;
    status = enqueue(launch, 2, first, global, local);
  }
  return status;
}

strew_status launch_items(struct launch *launch, int64_t count) {
  size_t local = GROUP, global = rounded_up(count, local);
  return enqueue(launch, 1, NULL, &global, &local);
}

strew_status launch_groups(struct launch *launch, int64_t groups, size_t size) {
  size_t global = (size_t)groups * size;
  return enqueue(launch, 1, NULL, &global, &size);
}
