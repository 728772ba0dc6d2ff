/* cumulative.c: cumulative products, extremes, and sums of short lines on the CPU. A line's elements are taken one after
   the other; several lines at once, to overlap the latencies of multiplications. */
#include "runtime/core/cpu/cpu.h"
#include "runtime/core/cpu/tuning.h"
#include "runtime/core/shared/scalar.h"
#include "runtime/reduce/reduce_ops.h"

REDUCE_ENTRIES(CPU_FUNCTION, CPU_FUNCTION)

enum { STEPS = 4096 }; /* between tests whether the call must stop */

/* Steps in bytes. */
struct cumulative_tile {
  const char *in;
  char *out, *values; /* of extremes */
  int64_t width, column_in, column_out, column_values;
};

struct cumulative_job {
  strew_context *context;
  struct plan rows; /* without the scanned dimension and the columns */
  int64_t n, in_step, out_step, value_step, columns, column_in, column_out, column_values, width, tiles_per_row, tiles;
  int64_t flip; /* of extremes: the bits to invert, so that the largest one is wanted and integers are signed */
  void (*scan)(const struct cumulative_job *job, const struct cumulative_tile *tile);
};

/* Returns lines first .. first + count - 1 of a tile. */
static struct cumulative_tile lines_of(const struct cumulative_tile *tile, int64_t first, int64_t count) {
  struct cumulative_tile part = *tile;
  part.in += first * tile->column_in;
  part.out += first * tile->column_out;
  if (tile->values) part.values += first * tile->column_values;
  part.width = count;
  return part;
}

/* Defines NAME(job, tile): runs `start` for each column, then `step` for each element, row by row. In these, c is the
   column, i the row, x the element, of type T, and `to` an address. A group has SCAN_GROUP lines: the last one repeats if
   there are fewer, and elements are read before results are written, which may be in their place. */
#define SCAN(name, T, state, start, step)                                                                              \
  ALWAYS_INLINE void name##_lines(const struct cumulative_job *job, const struct cumulative_tile *tile,                \
                                  const int64_t width, const bool is_group) {                                          \
    state;                                                                                                             \
    int64_t line[SCAN_GROUP];                                                                                          \
    for (int64_t c = 0; c < SCAN_GROUP; c++) line[c] = least(c, tile->width - 1);                                      \
    for (int64_t c = 0; c < width; c++) start;                                                                         \
    const int64_t n = job->n, in_step = job->in_step, out_step = job->out_step, value_step = job->value_step;          \
    const int64_t column_in = tile->column_in, column_out = tile->column_out, column_value = tile->column_values;      \
    const int64_t flip = job->flip;                                                                                    \
    const char *const in = tile->in;                                                                                   \
    char *row = tile->out, *values = tile->values;                                                                     \
    (void)flip, (void)value_step, (void)column_value, (void)values;                                                    \
    for (int64_t i = 0, end; i < n && !context_stops(job->context);)                                                   \
      for (end = least(i + STEPS, n); i < end; i++, row += out_step) {                                                 \
        T group[SCAN_GROUP];                                                                                           \
        for (int64_t c = 0; is_group && c < SCAN_GROUP; c++)                                                           \
          group[c] = *(const T *)(const void *)(in + i * in_step + line[c] * column_in);                               \
        INDEPENDENT /* GCC 14 leaves out the last lines where it tests for overlaps itself */                          \
            for (int64_t c = 0; c < width; c++) {                                                                      \
          const int64_t l = is_group ? line[c] : c;                                                                    \
          const T x = is_group ? group[c] : *(const T *)(const void *)(in + i * in_step + c * column_in);              \
          void *to = row + l * column_out;                                                                             \
          step;                                                                                                        \
        }                                                                                                              \
      }                                                                                                                \
  }                                                                                                                    \
  static void name(const struct cumulative_job *job, const struct cumulative_tile *tile) {                             \
    if (tile->width == 1) {                                                                                            \
      name##_lines(job, tile, 1, false);                                                                               \
    } else if (tile->width > 2 * SCAN_GROUP && tile->column_in == (int64_t)sizeof(T)) {                                \
      name##_lines(job, tile, tile->width, false);                                                                     \
    } else {                                                                                                           \
      for (int64_t c = 0; c < tile->width; c += SCAN_GROUP) {                                                          \
        const struct cumulative_tile lines = lines_of(tile, c, least(tile->width - c, SCAN_GROUP));                    \
        name##_lines(job, &lines, SCAN_GROUP, true);                                                                   \
      }                                                                                                                \
    }                                                                                                                  \
  }

#define PRODUCTS(s)                                                                                                    \
  SCAN(products_##s, T_##s, T_##s product[SCAN_LINES], product[c] = 1,                                                 \
       *(T_##s *)to = product[c] = times_##s(product[c], x))
PRODUCTS(f32)
PRODUCTS(f64)
PRODUCTS(i64)

/* Lines of at most SUM_RUN elements, in the order of device.h: what comes before their run is 0. */
#define SUMS(s)                                                                                                        \
  struct sum_##s {                                                                                                     \
    T_##s first, sum; /* of the first half, while in the second; of the half so far */                                 \
  };                                                                                                                   \
  ALWAYS_INLINE T_##s next_sum_##s(struct sum_##s *sums, T_##s x, int64_t i) {                                         \
    if (i == SUM_HALF) sums->first = sums->sum, sums->sum = 0;                                                         \
    sums->sum = plus_##s(sums->sum, x);                                                                                \
    return plus_##s(sums->first, sums->sum);                                                                           \
  }                                                                                                                    \
  SCAN(sums_##s, T_##s, struct sum_##s sums[SCAN_LINES], (sums[c].first = sums[c].sum = 0),                            \
       *(T_##s *)to = next_sum_##s(&sums[c], x, i))
SUMS(f32)
SUMS(f64)
SUMS(i64)

/* Elements as integers: the largest one, or the last of several, is wanted. NaN is larger than all numbers; +0 and -0
   are equal. */
static inline int32_t key_f32(float x, int64_t flip) {
  const int32_t bits = (int32_t)bits_of_float(plus_f32(x, 0));
  const int32_t key = bits ^ (bits >> 31 & INT32_MAX) ^ (int32_t)flip;
  return isnan_f32(x) ? INT32_MAX : key;
}
static inline int64_t key_f64(double x, int64_t flip) {
  const int64_t bits = (int64_t)bits_of_double(plus_f64(x, 0));
  const int64_t key = bits ^ (bits >> 63 & INT64_MAX) ^ flip;
  return isnan_f64(x) ? INT64_MAX : key;
}
static inline int64_t key_i64(int64_t x, int64_t flip) { return x ^ flip; }
#define KEY_f32 int32_t
#define KEY_f64 int64_t
#define KEY_i64 int64_t

#define SHORT_EXTREMES(s)                                                                                              \
  struct extreme_##s {                                                                                                 \
    CAT(KEY_, EXACT_##s) best;                                                                                         \
    int64_t at;                                                                                                        \
  };                                                                                                                   \
  ALWAYS_INLINE int64_t next_extreme_##s(struct extreme_##s *extreme, T_##s x, int64_t i, int64_t flip) {              \
    const CAT(KEY_, EXACT_##s) key = CAT(key_, EXACT_##s)(exact_##s(x), flip), best = extreme->best;                   \
    extreme->at += (i - extreme->at) & -(int64_t)(key >= best);                                                        \
    extreme->best = key >= best ? key : best;                                                                          \
    return extreme->at;                                                                                                \
  }                                                                                                                    \
  ALWAYS_INLINE void write_extreme_##s(int64_t at, void *to, void *value, const char *line, int64_t step) {            \
    *(int64_t *)to = at;                                                                                               \
    *(T_##s *)value = *(const T_##s *)(const void *)(line + at * step);                                                \
  }                                                                                                                    \
  SCAN(short_extremes_##s, T_##s, struct extreme_##s extreme[SCAN_LINES],                                              \
       extreme[c] = ((struct extreme_##s){sizeof extreme[c].best == 4 ? INT32_MIN : INT64_MIN, 0}),                    \
       write_extreme_##s(next_extreme_##s(&extreme[c], x, i, flip), to, values + i * value_step + l * column_value,    \
                         in + l * column_in, in_step))
/* Elements whose largest one is wanted, by the same bits. */
static inline float turned_f32(float x, int64_t flip) { return flip ? negate_f32(x) : x; }
static inline double turned_f64(double x, int64_t flip) { return flip ? negate_f64(x) : x; }
static inline int64_t turned_i64(int64_t x, int64_t flip) { return x ^ flip; }

/* A long line. */
#define LONG_EXTREMES(s)                                                                                               \
  static void long_extremes_##s(const struct cumulative_job *job, const struct cumulative_tile *tile) {                \
    const int64_t n = job->n, in_step = job->in_step, out_step = job->out_step, value_step = job->value_step;          \
    const int64_t flip = job->flip;                                                                                    \
    const char *from = tile->in;                                                                                       \
    char *to = tile->out, *value = tile->values;                                                                       \
    T_##s found = *(const T_##s *)(const void *)from;                                                                  \
    CAT(T_, EXACT_##s) best = CAT(turned_, EXACT_##s)(exact_##s(found), flip);                                         \
    int64_t at = 0;                                                                                                    \
    for (int64_t i = 0, end; i < n && !context_stops(job->context);)                                                   \
      for (end = least(i + STEPS, n); i < end; i++, from += in_step, to += out_step, value += value_step) {            \
        const T_##s element = *(const T_##s *)(const void *)from;                                                      \
        const CAT(T_, EXACT_##s) x = CAT(turned_, EXACT_##s)(exact_##s(element), flip);                                \
        if (!CAT(less_, EXACT_##s)(x, best) && (CAT(isnan_, EXACT_##s)(x) || !CAT(isnan_, EXACT_##s)(best)))           \
          best = x, at = i, found = element;                                                                           \
        *(int64_t *)(void *)to = at;                                                                                   \
        *(T_##s *)(void *)value = found;                                                                               \
      }                                                                                                                \
  }                                                                                                                    \
  static void extremes_##s(const struct cumulative_job *job, const struct cumulative_tile *tile) {                     \
    if (job->n < SCAN_LONG_LINE || (tile->width > 2 * SCAN_GROUP && tile->column_in == (int64_t)sizeof(T_##s))) {      \
      short_extremes_##s(job, tile);                                                                                   \
      return;                                                                                                          \
    }                                                                                                                  \
    for (int64_t c = 0; c < tile->width; c++) {                                                                        \
      const struct cumulative_tile one = lines_of(tile, c, 1);                                                         \
      long_extremes_##s(job, &one);                                                                                    \
    }                                                                                                                  \
  }

#define EXTREMES(s) SHORT_EXTREMES(s) LONG_EXTREMES(s)
EXTREMES(f32)
EXTREMES(f64)
EXTREMES(f16)
EXTREMES(bf16)
EXTREMES(i64)
EXTREMES(i32)
EXTREMES(i16)
EXTREMES(i8)
EXTREMES(b8)

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
  if (plan->count > SCAN_VALUES) {
    job->value_step = operand_step(&plan->operands[SCAN_VALUES], last);
    job->column_values = next < 0 ? 0 : operand_step(&plan->operands[SCAN_VALUES], next);
  }
  job->width = job->columns < SCAN_LINES ? job->columns : SCAN_LINES;
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
                                 .column_out = job->column_out,
                                 .column_values = job->column_values};
  if (job->rows.count > SCAN_VALUES)
    tile.values = operand_at(&job->rows, SCAN_VALUES, row) + column * job->column_values;
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

strew_status cpu_cumsum_short(const struct call *call, strew_device *device, const struct scan_plan *scan) {
  const strew_dtype dtype = scan->plan.operands[0].dtype;
  struct cumulative_job job = {.scan = dtype == STREW_FLOAT32   ? sums_f32
                                       : dtype == STREW_FLOAT64 ? sums_f64
                                                                : sums_i64};
  return scan_all(call, device, scan, &job);
}

strew_status cpu_cumextreme(const struct call *call, strew_device *device, const struct scan_plan *scan, bool largest) {
  static void (*const scans[])(const struct cumulative_job *job,
                               const struct cumulative_tile *tile) = {SIGNED_BY_DTYPE(extremes)};
  const strew_dtype dtype = scan->plan.operands[1].dtype;
  struct cumulative_job job = {.scan = scans[dtype_signed(dtype)], .flip = order_flip(dtype, !largest)};
  return scan_all(call, device, scan, &job);
}
