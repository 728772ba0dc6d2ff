/* sorted_ends.c: where each value of a sorted index ends. */
#include "runtime/core/cpu/cpu.h"
#include "runtime/groups/group_ops.h"

#include <string.h>

GROUP_ENTRIES(CPU_FUNCTION, CPU_FUNCTION)

/* Writes i + 1 behind value number i, for values begin .. end - 1 of a line: the last of equal ones stays. */
#define SORTED_ENDS(T)                                                                                                 \
  static void set_ends_##T(const char *index, int64_t step, int64_t begin, int64_t end, int64_t *ends) {               \
    for (int64_t i = begin; i < end; i++) ends[*(const T *)(const void *)(index + i * step) + 1] = i + 1;              \
  }
SORTED_ENDS(int64_t)
SORTED_ENDS(int32_t)

struct ends {
  strew_context *context;
  struct plan lines; /* without the last dimension */
  void (*set)(const char *index, int64_t step, int64_t begin, int64_t end, int64_t *ends);
  strew_dtype dtype;
  int64_t size, step, count, parts; /* of the index, step in bytes; of the ends; of a line */
};

static int64_t *ends_at(const struct ends *job, int64_t line) {
  return (int64_t *)(void *)operand_at(&job->lines, 0, line);
}

static int64_t index_at(const struct ends *job, const char *index, int64_t i) {
  return strew_scalar_load(job->dtype, index + i * job->step).as.i;
}

/* Moves a cut in front of values that are equal to the one behind it: a part sets the ends of all values equal to its
   last one, or of none. */
static int64_t cut_before(const struct ends *job, const char *index, int64_t cut) {
  if (cut == job->size) return cut;
  int64_t value = index_at(job, index, cut), low = 0, high = cut;
  BISECT(low, high, i, index_at(job, index, i) < value);
  return low;
}

static void set_part(void *job_, int64_t i) {
  const struct ends *job = job_;
  int64_t line = i / job->parts, part = i % job->parts;
  const char *index = operand_at(&job->lines, 1, line);
  int64_t begin = cut_before(job, index, part_begin(job->size, job->parts, part));
  const int64_t end = cut_before(job, index, part_begin(job->size, job->parts, part + 1));
  for (int64_t next; begin < end && !context_stops(job->context); begin = next) {
    next = least(begin + CHUNK, end);
    job->set(index, job->step, begin, next, ends_at(job, line));
  }
}

static void clear_line(void *job, int64_t line) {
  memset(ends_at(job, line), 0, (size_t)((const struct ends *)job)->count * sizeof(int64_t));
}

/* A value that does not occur ends where the one before it does. */
static void fill_line(void *job_, int64_t line) {
  const struct ends *job = job_;
  int64_t *ends = ends_at(job, line), end = 0;
  for (int64_t v = 0; v < job->count && (v % CHUNK || !context_stops(job->context)); v++)
    end = ends[v] = ends[v] > end ? ends[v] : end;
}

strew_status cpu_sorted_ends(const struct call *call, strew_device *device, const struct plan *plan, int64_t size,
                             int64_t step) {
  const strew_dtype dtype = plan->operands[1].dtype;
  struct ends job = {.context = device->context,
                     .lines = *plan,
                     .set = dtype == STREW_INT64 ? set_ends_int64_t : set_ends_int32_t,
                     .dtype = dtype,
                     .size = size,
                     .step = step * (int64_t)dtype_bytes(dtype),
                     .count = plan->sizes[plan->rank - 1]};
  job.lines.rank--;
  const int64_t lines = plan_numel(&job.lines), bytes = work_bytes(size, dtype_bytes(dtype) + sizeof(int64_t));
  job.parts = pool_parts(device->context, bytes);
  pool_run_sized(device->context, work_bytes(lines, (size_t)bytes), lines, clear_line, &job);
  pool_run_sized(device->context, work_bytes(lines, (size_t)bytes), lines * job.parts, set_part, &job);
  pool_run_sized(device->context, work_bytes(lines, (size_t)bytes), lines, fill_line, &job);
  return context_end(call, device->context, plan->operands[0].storage);
}
