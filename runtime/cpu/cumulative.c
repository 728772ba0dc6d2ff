/* cumulative.c: cumulative products and extremes on the CPU. A line's elements are taken one after the other; several
   lines at once, to overlap the latencies of multiplications. */
#include "cpu.h"
#include "runtime/shared/scalar.h"

enum { LINES_AT_ONCE = 64, STEPS = 4096 };

/* Steps in bytes. */
struct cumulative_tile {
  const char *in;
  char *out;
  int64_t width, column_in, column_out;
};

struct cumulative_job {
  strew_context *context;
  struct plan rows; /* without the scanned dimension and the columns */
  int64_t n, in_step, out_step, columns, column_in, column_out, width, tiles_per_row, tiles;
  bool largest; /* for extremes */
  int64_t flip; /* of their bits: unsigned elements are read as signed ones */
  void (*scan)(const struct cumulative_job *job, const struct cumulative_tile *tile);
};

/* Defines NAME(job, tile): runs `start` for the first element of each column, then `step` for each element, row by row.
   In these, c is the column, i the row, and `from` and `to` are addresses. A single column keeps its state in
   registers. */
#define SCAN(name, state, start, step)                                                                                 \
  ALWAYS_INLINE void name##_columns(const struct cumulative_job *job, const struct cumulative_tile *tile,              \
                                    const int64_t width) {                                                             \
    state;                                                                                                             \
    for (int64_t c = 0; c < width; c++) {                                                                              \
      const void *from = tile->in + c * tile->column_in;                                                               \
      start;                                                                                                           \
    }                                                                                                                  \
    for (int64_t i = 0; i < job->n && (i % STEPS || !context_stops(job->context)); i++)                                \
      for (int64_t c = 0; c < width; c++) {                                                                            \
        const void *from = tile->in + i * job->in_step + c * tile->column_in;                                          \
        void *to = tile->out + i * job->out_step + c * tile->column_out;                                               \
        step;                                                                                                          \
      }                                                                                                                \
  }                                                                                                                    \
  static void name(const struct cumulative_job *job, const struct cumulative_tile *tile) {                             \
    if (tile->width == 1)                                                                                              \
      name##_columns(job, tile, 1);                                                                                    \
    else                                                                                                               \
      name##_columns(job, tile, tile->width);                                                                          \
  }

#define PRODUCTS(s)                                                                                                    \
  SCAN(products_##s, T_##s product[LINES_AT_ONCE], ((void)from, product[c] = 1),                                       \
       *(T_##s *)to = product[c] = times_##s(product[c], *(const T_##s *)from))
PRODUCTS(f32)
PRODUCTS(f64)
PRODUCTS(i64)

/* x takes the place of `best` if it is NaN, or as good a number. */
#define WINS(s, x, best, largest)                                                                                      \
  (CAT(isnan_, s)(x) || (!CAT(isnan_, s)(best) && !((largest) ? CAT(less_, s)(x, best) : CAT(less_, s)(best, x))))
#define EXTREMES(s, flipped)                                                                                           \
  struct extreme_##s {                                                                                                 \
    CAT(T_, EXACT_##s) best;                                                                                           \
    int64_t at;                                                                                                        \
  };                                                                                                                   \
  ALWAYS_INLINE struct extreme_##s first_extreme_##s(const void *from, int64_t flip) {                                 \
    return (void)flip, (struct extreme_##s){exact_##s(*(const T_##s *)from) flipped, 0};                               \
  }                                                                                                                    \
  ALWAYS_INLINE int64_t next_extreme_##s(struct extreme_##s *extreme, const void *from, int64_t i, bool largest,       \
                                         int64_t flip) {                                                               \
    const CAT(T_, EXACT_##s) x = exact_##s(*(const T_##s *)from) flipped;                                              \
    (void)flip;                                                                                                        \
    if (WINS(EXACT_##s, x, extreme->best, largest)) {                                                                  \
      extreme->best = x;                                                                                               \
      extreme->at = i;                                                                                                 \
    }                                                                                                                  \
    return extreme->at;                                                                                                \
  }                                                                                                                    \
  SCAN(extremes_##s, struct extreme_##s extreme[LINES_AT_ONCE], extreme[c] = first_extreme_##s(from, job->flip),       \
       *(int64_t *)to = next_extreme_##s(&extreme[c], from, i, job->largest, job->flip))
EXTREMES(f32, )
EXTREMES(f64, )
EXTREMES(f16, )
EXTREMES(bf16, )
EXTREMES(i64, ^flip)
EXTREMES(i32, ^flip)
EXTREMES(i16, ^flip)
EXTREMES(i8, ^flip)
EXTREMES(b8, )

static void cumulative_start(struct cumulative_job *job, const struct plan *plan) {
  const struct operand *out = &plan->operands[0], *in = &plan->operands[1];
  int last = plan->rank - 1, next = last - 1;
  plan_copy(&job->rows, plan);
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
}

static void scan_tile(void *job_, int64_t i) {
  const struct cumulative_job *job = job_;
  int64_t column = i % job->tiles_per_row * job->width, row = i / job->tiles_per_row;
  struct cumulative_tile tile = {.in = operand_at(&job->rows, 1, row) + column * job->column_in,
                                 .out = operand_at(&job->rows, 0, row) + column * job->column_out,
                                 .width = least(job->columns - column, job->width),
                                 .column_in = job->column_in,
                                 .column_out = job->column_out};
  job->scan(job, &tile);
}

static strew_status scan_all(const struct call *call, strew_device *device, const struct scan_plan *scan,
                             struct cumulative_job *job) {
  job->context = device->context;
  cumulative_start(job, &scan->plan);
  pool_run_items(job->context, pool_parts(job->context, walk_bytes(&scan->plan)), job->tiles, scan_tile, job);
  return context_end(call, job->context, scan->plan.operands[0].storage);
}

strew_status cpu_cumprod(const struct call *call, strew_device *device, const struct scan_plan *scan) {
  strew_dtype dtype = scan->plan.operands[0].dtype;
  struct cumulative_job job = {.scan = dtype == STREW_FLOAT32   ? products_f32
                                       : dtype == STREW_FLOAT64 ? products_f64
                                                                : products_i64};
  return scan_all(call, device, scan, &job);
}

strew_status cpu_cumextreme(const struct call *call, strew_device *device, const struct scan_plan *scan, bool largest) {
  static void (*const scans[])(const struct cumulative_job *job,
                               const struct cumulative_tile *tile) = {SIGNED_BY_DTYPE(extremes)};
  const strew_dtype dtype = scan->plan.operands[1].dtype;
  /* elements are widened with their sign, and so is the flipped bit */
  struct cumulative_job job = {
      .scan = scans[dtype_signed(dtype)], .largest = largest, .flip = (int64_t)(0 - dtype_sign(dtype))};
  return scan_all(call, device, scan, &job);
}
