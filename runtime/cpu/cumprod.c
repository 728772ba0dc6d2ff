/* cumprod.c: cumulative products on the CPU. A line's elements are multiplied one after the other; several lines at
   once, to overlap the latencies of multiplications. */
#include "cpu.h"
#include "runtime/shared/scalar.h"

enum { LINES_AT_ONCE = 64, STEPS = 4096 };

/* Steps in bytes. */
struct tile {
  const char *in;
  char *out;
  int64_t width, column_in, column_out;
};

struct job {
  strew_context *context;
  struct plan rows; /* without the scanned dimension and the columns */
  int64_t n, in_step, out_step, columns, column_in, column_out, width, tiles_per_row, tiles, parts;
  void (*scan)(const struct job *job, const struct tile *tile);
};

#define SCAN(s)                                                                                                        \
  static void scan_##s(const struct job *job, const struct tile *tile) {                                               \
    T_##s products[LINES_AT_ONCE];                                                                                     \
    for (int64_t c = 0; c < tile->width; c++) products[c] = 1;                                                         \
    for (int64_t i = 0; i < job->n && (i % STEPS || !context_stops(job->context)); i++) {                              \
      const char *from = tile->in + i * job->in_step;                                                                  \
      char *to = tile->out + i * job->out_step;                                                                        \
      for (int64_t c = 0; c < tile->width; c++) {                                                                      \
        products[c] = times_##s(products[c], *(const T_##s *)(from + c * tile->column_in));                            \
        *(T_##s *)(to + c * tile->column_out) = products[c];                                                           \
      }                                                                                                                \
    }                                                                                                                  \
  }
SCAN(f32)
SCAN(f64)
SCAN(i64)

static void job_start(struct job *job, const struct plan *plan) {
  const struct operand *out = &plan->operands[0], *in = &plan->operands[1];
  int last = plan->rank - 1, next = last - 1;
  job->rows = *plan;
  job->rows.rank = next < 0 ? 0 : next;
  job->n = plan->sizes[last];
  job->in_step = operand_step(in, last);
  job->out_step = operand_step(out, last);
  job->columns = next < 0 ? 1 : plan->sizes[next];
  job->column_in = next < 0 ? 0 : operand_step(in, next);
  job->column_out = next < 0 ? 0 : operand_step(out, next);
  job->width = job->columns < LINES_AT_ONCE ? job->columns : LINES_AT_ONCE;
  job->tiles_per_row = (job->columns - 1) / job->width + 1;
  job->tiles = job->tiles_per_row * plan_numel(&job->rows);
  job->scan = out->dtype == STREW_FLOAT32 ? scan_f32 : out->dtype == STREW_FLOAT64 ? scan_f64 : scan_i64;
}

static void scan_part(void *job_, int64_t part) {
  const struct job *job = job_;
  int64_t end = part_begin(job->tiles, job->parts, part + 1);
  for (int64_t i = part_begin(job->tiles, job->parts, part); i < end && !context_stops(job->context); i++) {
    int64_t column = i % job->tiles_per_row * job->width, row = i / job->tiles_per_row, left = job->columns - column;
    struct tile tile = {.in = operand_at(&job->rows, 1, row) + column * job->column_in,
                        .out = operand_at(&job->rows, 0, row) + column * job->column_out,
                        .width = left < job->width ? left : job->width,
                        .column_in = job->column_in,
                        .column_out = job->column_out};
    job->scan(job, &tile);
  }
}

strew_status cpu_cumprod(const struct call *call, strew_device *device, const struct scan_plan *scan) {
  struct job job = {.context = device->context};
  job_start(&job, &scan->plan);
  job.parts = pool_parts(job.context, walk_bytes(&scan->plan));
  if (job.parts > job.tiles) job.parts = job.tiles;
  pool_run(job.context, job.parts, scan_part, &job);
  return context_end(call, job.context, scan->plan.operands[0].storage);
}
