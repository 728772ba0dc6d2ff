/* repeat.c: the elements of a line, each as often as its count, in two passes: the first adds the counts of each part,
   the second writes elements. */
#include "runtime/core/cpu/cpu.h"
#include "runtime/core/cpu/tuning.h"
#include "runtime/order/order_ops.h"

ORDER_ENTRIES(CPU_FUNCTION, CPU_FUNCTION)

enum { MOST_PARTS = 256 };

struct repeat_job {
  strew_context *context;
  const strew_tensor *line, *counts;
  char *to;
  int64_t parts;
  uint64_t bits[MOST_PARTS];     /* those set in any count of a part */
  int64_t begin[MOST_PARTS + 1]; /* of each part in the result; first the sum of the part before */
};

static const int64_t *count_at(const struct repeat_job *job, int64_t i) {
  const strew_tensor *counts = job->counts;
  return (const int64_t *)counts->storage->data + counts->offset + i * counts->strides[0];
}

static void add_part(void *job_, int64_t part) {
  struct repeat_job *job = job_;
  const int64_t begin = part_begin(job->line->sizes[0], job->parts, part), step = job->counts->strides[0];
  const int64_t end = part_begin(job->line->sizes[0], job->parts, part + 1);
  uint64_t bits = 0, sum = 0;
  for (int64_t at = begin, count; at < end && !context_stops(job->context); at += count) {
    const int64_t *counts = count_at(job, at);
    count = least(end - at, CHUNK);
    for (int64_t i = 0; i < count; i++, counts += step) bits |= (uint64_t)*counts, sum += (uint64_t)*counts;
  }
  job->bits[part] = bits;
  job->begin[part + 1] = (int64_t)sum;
}

/* Writes the elements at begin .. end - 1, to `to` and not from `stop` on. The first few of each need no branch. Ends
   early, with any elements, if the call must stop: it looks once a chunk of counts and of elements. */
#define REPEAT(T)                                                                                                      \
  static void repeat_##T(const struct repeat_job *job, int64_t begin, int64_t end, int64_t to_, int64_t stop_) {       \
    const int64_t step = job->line->strides[0], counts_step = job->counts->strides[0], *count = count_at(job, begin);  \
    const T *from = (const T *)job->line->storage->data + job->line->offset + begin * step;                            \
    T *to = (T *)(void *)job->to + to_, *stop = (T *)(void *)job->to + stop_;                                          \
    int64_t done = 0;                                                                                                  \
    for (int64_t i = begin; i < end; i++, from += step, to += *count, count += counts_step) {                          \
      const T x = *from;                                                                                               \
      int64_t k = 0;                                                                                                   \
      if (stop - to >= REPEAT_AHEAD)                                                                                   \
        for (; k < REPEAT_AHEAD; k++) to[k] = x;                                                                       \
      for (int64_t chunk; k < *count && (k < CHUNK || !context_stops(job->context));)                                  \
        for (chunk = least(*count, k + CHUNK); k < chunk; k++) to[k] = x;                                              \
      if ((done += *count + 1) < CHUNK) continue;                                                                      \
      if (context_stops(job->context)) return;                                                                         \
      done = 0;                                                                                                        \
    }                                                                                                                  \
  }
EACH_WIDTH(REPEAT)

static void repeat_part(void *job_, int64_t part) {
  static void (*const repeat[])(const struct repeat_job *, int64_t, int64_t, int64_t, int64_t) = {BY_WIDTH(repeat)};
  const struct repeat_job *job = job_;
  const int64_t n = job->line->sizes[0];
  repeat[dtype_bytes(job->line->dtype)](job, part_begin(n, job->parts, part), part_begin(n, job->parts, part + 1),
                                        job->begin[part], job->begin[part + 1]);
}

/* Adds the counts of each of that many parts; returns the bits set in any count. */
static uint64_t add_counts(struct repeat_job *job, int64_t parts) {
  uint64_t bits = 0;
  job->parts = parts;
  pool_run(job->context, parts, add_part, job);
  for (int64_t i = 0; i < parts; i++) {
    bits |= job->bits[i];
    job->begin[i + 1] = (int64_t)((uint64_t)job->begin[i + 1] + (uint64_t)job->begin[i]);
  }
  return bits;
}

/* Declines counts of which one is negative, or whose sum int64 may not hold. */
strew_status cpu_repeat(const struct call *call, strew_device *device, const strew_tensor *line,
                        const strew_tensor *counts, strew_tensor **out) {
  struct repeat_job job = {.context = device->context, .line = line, .counts = counts};
  const int64_t n = line->sizes[0];
  const int64_t most = least(n, MOST_PARTS);
  const int64_t parts = least(pool_parts(device->context, work_bytes(n, 2 * sizeof(int64_t))), most);
  const uint64_t bits = add_counts(&job, parts);
  RETURN_IF_FAILED(context_end(call, device->context, NULL));
  if (bits > (uint64_t)(INT64_MAX / n)) return STREW_DECLINED;
  const int64_t bytes = work_bytes(job.begin[parts], (int64_t)dtype_bytes(line->dtype));
  if (pool_parts(device->context, bytes) > parts) add_counts(&job, most); /* few counts, many elements */
  RETURN_IF_FAILED(context_end(call, device->context, NULL));
  RETURN_IF_FAILED(tensor_create(call, device, line->dtype, 1, &job.begin[job.parts], out));
  job.to = (*out)->storage->data;
  pool_run(device->context, job.parts, repeat_part, &job);
  return context_end(call, device->context, (*out)->storage);
}
