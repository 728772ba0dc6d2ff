/* launch.c: binding kernel arguments and enqueueing launches. */
#include "opencl.h"
#include "tuning.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *dtype_suffix(strew_dtype dtype) {
  static const char *const suffixes[STREW_DTYPE_COUNT] = {
#define ROW(ENUM, s, ...) [STREW_##ENUM] = #s,
      STREW_DTYPES(ROW)};
  return suffixes[dtype];
}

const char *word_type(strew_dtype dtype) {
  static const char *const types[] = {[1] = "uchar", [2] = "ushort", [4] = "uint", [8] = "ulong"};
  return types[strew_dtype_size_bytes(dtype)];
}

strew_dtype word_of(strew_dtype dtype) {
  static const strew_dtype words[] = {[1] = STREW_UINT8, [2] = STREW_INT16, [4] = STREW_INT32, [8] = STREW_INT64};
  return words[strew_dtype_size_bytes(dtype)];
}

struct space space_of(const struct plan *plan) {
  int last = plan->rank - 1;
  struct space space = {.plan = plan, .columns = plan->rank ? plan->sizes[last] : 1};
  space.rows = count_of_sizes(last > 0 ? last : 0, plan->sizes);
  space.outer = last <= 1 ? 1 : last <= 4 ? 4 : 16;
  return space;
}

const char *space_width(const strew_device *device, const struct plan *plan) {
  bool fits = opencl_of(device)->is_gpu && plan_numel(plan) <= INT32_MAX;
  for (int i = 0; fits && i < plan->count; i++) {
    int64_t extent = 0;
    for (int d = 0; d < plan->rank && extent <= INT32_MAX; d++) {
      const int64_t stride = plan->operands[i].strides[d], step = stride < 0 ? -stride : stride;
      extent += step <= INT32_MAX ? (plan->sizes[d] - 1) * step : INT64_MAX / 2; /* sizes are below 2^31 */
    }
    fits = extent <= INT32_MAX;
  }
  return fits ? " NARROW" : "";
}

struct block *launch_scratch(struct launch *launch, uint64_t size_bytes) {
  struct block *block = launch->scratch;
  while (block->memory) block++;
  TRY(launch->status, block_allocate(launch->call, launch->device, size_bytes, block));
  return launch->status == STREW_OK ? block : NULL;
}

void launch_free(struct launch *launch, struct block *block) {
  if (block) block_free(launch->device, block);
}

strew_status launch_end(struct launch *launch) {
  opencl_let_signals(opencl_of(launch->device));
  for (int i = 0; i < MOST_SCRATCH; i++) block_free(launch->device, &launch->scratch[i]);
  return launch->status;
}

void launch_write(struct launch *launch, const struct block *to, const void *from, size_t size_bytes) {
  TRY(launch->status, block_transfer(launch->call, launch->device, to, 0, from, size_bytes, true));
}

void launch_read(struct launch *launch, const struct block *from, size_t offset_bytes, void *to, size_t size_bytes) {
  TRY(launch->status, block_transfer(launch->call, launch->device, from, offset_bytes, to, size_bytes, false));
}

static void recipe_add(struct recipe *recipe, const void *bytes, size_t size_bytes) {
  if (recipe->size_bytes + size_bytes <= sizeof recipe->bytes)
    memcpy(recipe->bytes + recipe->size_bytes, bytes, size_bytes);
  recipe->size_bytes += size_bytes;
}

/* A long text is compared by its characters, since it may lie where another did. */
static void recipe_of(struct recipe *recipe, const char *file, const char *name, const char *format,
                      va_list arguments) {
  recipe->size_bytes = 0;
  recipe_add(recipe, (const char *[]){file, name, format}, 3 * sizeof format);
  while ((format = strchr(format, '%'))) {
    const char kind = format[1];
    format += 2;
    if (kind == 's') {
      const char *text = va_arg(arguments, const char *);
      recipe_add(recipe, text, strlen(text) + 1);
    } else if (kind == 'd') {
      recipe_add(recipe, (int[]){va_arg(arguments, int)}, sizeof(int));
    } else {
      recipe_add(recipe, (size_t[]){va_arg(arguments, size_t)}, sizeof(size_t));
    }
  }
  recipe_add(recipe, (uint64_t[]){0}, -recipe->size_bytes % sizeof(uint64_t));
}

void launch_start(struct launch *launch, const char *file, const char *name, const char *settings_format, ...) {
  struct recipe recipe;
  va_list arguments;
  va_start(arguments, settings_format);
  recipe_of(&recipe, file, name, settings_format, arguments);
  va_end(arguments);
  launch->bound = 0;
  launch->turns = 1;
  launch->continues = false;
  if (opencl_of(launch->device)->lost) TRY(launch->status, opencl_fail_lost(launch->call, launch->device));
  if (recipe.size_bytes > sizeof recipe.bytes)
    TRY(launch->status, fail(launch->call, (struct fault){.code = STREW_EDEVICE}, "%s: settings are too long", file));
  if (launch->status != STREW_OK || (launch->kernel = kernel_find(launch->device, &recipe))) return;
  char key[LONGEST_KEY]; /* all that callers write fits */
  const int length = snprintf(key, sizeof key, "%s\n", file);
  va_start(arguments, settings_format);
  vsnprintf(key + length, sizeof key - (size_t)length, settings_format, arguments);
  va_end(arguments);
  launch->status = program_kernel(launch->call, launch->device, key, name, &recipe, &launch->kernel);
}

void launch_value(struct launch *launch, const void *value, size_t size_bytes) {
  if (launch->status != STREW_OK) return;
  cl_int error = cl.clSetKernelArg(launch->kernel, launch->bound++, size_bytes, value);
  if (error != CL_SUCCESS) launch->status = opencl_fail(launch->call, launch->device, "clSetKernelArg", error);
}

void launch_list(struct launch *launch, const void *values, size_t count, size_t size_bytes) {
  for (size_t i = 0; i < count; i++) launch_value(launch, (const char *)values + i * size_bytes, size_bytes);
}
void launch_block_list(struct launch *launch, const struct block *const *blocks, size_t count) {
  static const cl_mem none;
  for (size_t i = 0; i < count; i++) launch_value(launch, blocks[i] ? &blocks[i]->memory : &none, sizeof none);
}

/* ----------------------------------------------------------------------------------------------- arguments of plans */

void space_vector(const struct space *space, const int64_t *numbers, int64_t filling, int64_t *vector) {
  int rank = space->plan->rank - 1, first = space->outer - (rank > 0 ? rank : 0);
  for (int d = 0; d < space->outer; d++) vector[d] = d < first ? filling : numbers[d - first];
}

static void launch_vector(struct launch *launch, const struct space *space, const int64_t *numbers, int64_t filling) {
  int64_t vector[MAX_RANK];
  space_vector(space, numbers, filling, vector);
  launch_value(launch, vector, (size_t)space->outer * sizeof *vector);
}

void launch_space(struct launch *launch, const struct space *space) {
  launch_ints(launch, space->columns, space->rows);
  launch_vector(launch, space, space->plan->sizes, 1);
}

void launch_memory(struct launch *launch, const struct operand *operand) {
  launch_blocks(launch, operand->storage ? operand->storage->data : NULL); /* empty tensors have no block */
  launch_ints(launch, operand->offset);
}

void launch_strides(struct launch *launch, const struct space *space, int i) {
  const int64_t *strides = space->plan->operands[i].strides;
  int last = space->plan->rank - 1;
  launch_ints(launch, last < 0 ? 0 : strides[last]);
  launch_vector(launch, space, strides, 0);
}

void launch_operand(struct launch *launch, const struct space *space, int i) {
  launch_memory(launch, &space->plan->operands[i]);
  launch_strides(launch, space, i);
}

void launch_plan_list(struct launch *launch, const struct space *space, const int *operands, size_t count) {
  launch_space(launch, space);
  for (size_t i = 0; i < count; i++) launch_operand(launch, space, operands[i]);
}

/* ------------------------------------------------------------------------------------------------------- enqueueing */

/* Enqueues one launch of `turns` iterations. Drivers that allocate buffers at first use may run out of memory here. */
static strew_status enqueue(struct launch *launch, cl_uint dimensions, const size_t *first, const size_t *global,
                            const size_t *local, int64_t turns) {
  if (launch->status != STREW_OK) return launch->status;
  struct opencl *on = opencl_of(launch->device);
  if (on->lost) return opencl_fail_lost(launch->call, launch->device);
  RETURN_IF_FAILED(opencl_throttle(launch->call, launch->device, turns));
  on->busy = true;
  cl_int error;
  opencl_hold_signals(on); /* some drivers link a kernel at its first launch */
  do error = cl.clEnqueueNDRangeKernel(on->queue, launch->kernel, dimensions, first, global, local, 0, NULL, NULL);
  while (error == CL_MEM_OBJECT_ALLOCATION_FAILURE && blocks_reclaim(launch->device));
  if (error != CL_SUCCESS) return opencl_fail(launch->call, launch->device, "clEnqueueNDRangeKernel", error);
  return STREW_OK;
}

int64_t launch_iterations(const strew_device *device, int64_t each) {
  int64_t run = opencl_of(device)->most_turns / 2 / each;
  return run > 1 ? run : 1;
}

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

/* Enqueues `across` * `down` groups of `turns` iterations each, in launches of at most most_turns; between launches the
   host tests whether the call must stop. The launches have the same arguments and differ by the global offset. GPUs may
   limit the number of groups in the second dimension. */
static strew_status enqueue_all(struct launch *launch, cl_uint dimensions, size_t across, size_t down,
                                const size_t *local, int64_t turns) {
  enum { MOST_GROUPS = 65535 };
  const struct opencl *on = opencl_of(launch->device);
  size_t most = turns < on->most_turns ? (size_t)(on->most_turns / turns) : 1, widest = smaller(across, most);
  strew_status status = launch->status;
  if (widest == 0) return status;
  size_t highest = smaller(most / widest, on->is_gpu ? MOST_GROUPS : SIZE_MAX);
  for (size_t y = 0, high; status == STREW_OK && y < down; y += high) {
    high = smaller(down - y, highest);
    for (size_t x = 0, wide; status == STREW_OK && x < across; x += wide) {
      wide = smaller(across - x, widest);
      const size_t first[2] = {x * local[0], y * local[1]}, global[2] = {wide * local[0], high * local[1]};
      status = enqueue(launch, dimensions, first, global, local, (int64_t)(wide * high) * turns);
      if (status == STREW_OK) launch->continues = true;
    }
  }
  /* After a failure behind launches that have written, the device's data cannot be trusted. A call that was stopped
     reports that itself. */
  if (status != STREW_OK && !is_stopped(status) && launch->continues) opencl_of(launch->device)->lost = true;
  return launch->status = status;
}

static size_t groups_for(int64_t count, size_t part) { return ((size_t)count + part - 1) / part; }

/* Groups are as wide as rows are long, so that few work-items are idle. Only three shapes, since drivers compile for
   each. */
strew_status launch_rows(struct launch *launch, const struct space *space) {
  size_t wide = space->columns >= GROUP / 2 || space->rows == 1 ? GROUP : space->columns >= 4 ? 8 : 1;
  size_t local[2] = {wide, GROUP / wide};
  return enqueue_all(launch, 2, groups_for(space->columns, local[0]), groups_for(space->rows, local[1]), local,
                     launch->turns * GROUP);
}

/* A CPU core runs the work-items of a group one after another, so long work-items get groups of one. */
strew_status launch_items(struct launch *launch, int64_t count) {
  const struct opencl *on = opencl_of(launch->device);
  bool is_long = !on->is_gpu && launch->turns > on->most_turns / (LONG_ITEM_SHARE * GROUP) && launch->turns > GROUP;
  size_t local[2] = {is_long ? 1 : GROUP, 1};
  return enqueue_all(launch, 1, groups_for(count, local[0]), 1, local, launch->turns * (int64_t)local[0]);
}

strew_status launch_groups(struct launch *launch, int64_t groups, size_t size) {
  return enqueue_all(launch, 1, (size_t)groups, 1, (size_t[]){size, 1}, launch->turns);
}
