/* random.c: random numbers and ramps on the CPU, made in their computed dtype chunk by chunk, then converted. A
   chunk depends on its position alone, so any thread may make it. */
#include "runtime/elementwise/shared/random.h"
#include "elementwise_loops.h"
#include "runtime/core/cpu/cpu.h"
#include "runtime/elementwise/random_ops.h"
#include "runtime/elementwise/shared/normal.h"

RANDOM_ENTRIES(CPU_FUNCTION, CPU_FUNCTION)
CPU_TABLE(random_ops, RANDOM_ENTRIES)

enum { DRAWN = 1024 }; /* elements; a multiple of those in a block */

struct random_job {
  const struct random_plan *plan;
  convert_row *store;
  strew_dtype dtype; /* computed dtype */
  char *out;
  int64_t out_bytes, bytes;
};

/* Draw number i, of draws of 64 bits. */
/* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): there are as many blocks as draws need */
static uint64_t long_word(const uint32_t *words, int64_t i) { return words[2 * i] | (uint64_t)words[2 * i + 1] << 32; }

static void make_floats(const struct random_plan *plan, const uint32_t *words, int64_t count, float *to) {
  if (plan->kind == RANDOM_UNIFORM)
    random_loops()->uniform(count, words, dtype_digits(plan->out.dtype), to);
  else
    random_loops()->normal(count, words, to);
}

static void make_doubles(const struct random_plan *plan, const uint32_t *words, int64_t count, double *to) {
  if (plan->kind == RANDOM_UNIFORM)
    for (int64_t i = 0; i < count; i++) to[i] = uniform_f64(long_word(words, i));
  else
    for (int64_t i = 0; i < count; i++) to[i] = normal_f64(long_word(words, i));
}

static void make_integers(const struct random_plan *plan, const uint32_t *words, int64_t count, int64_t *to) {
  if (plan->kind == RANDOM_INTEGER)
    random_loops()->integer(count, words, plan->low, plan->range, to);
  else
    for (int64_t i = 0; i < count; i++) to[i] = (int64_t)long_word(words, i);
}

static void random_chunk(void *job_, int64_t chunk) {
  const struct random_job *job = job_;
  const struct random_plan *plan = job->plan;
  int64_t begin = chunk * DRAWN, count = plan->count - begin < DRAWN ? plan->count - begin : DRAWN;
  int64_t per_block = random_per_block(plan->kind, plan->out.dtype), blocks = (count - 1) / per_block + 1;
  char *out = job->out + begin * job->out_bytes;
  uint32_t words[2 * DRAWN]; /* at most two per element */
  union {
    float f32[DRAWN];
    double f64[DRAWN];
    int64_t i64[DRAWN];
  } block, *made = (void *)(job->dtype == plan->out.dtype ? out : (char *)&block);
  random_loops()->draw(plan->seed, plan->block + (uint64_t)(begin / per_block), blocks, words);
  if (job->dtype == STREW_FLOAT32)
    make_floats(plan, words, count, made->f32);
  else if (job->dtype == STREW_FLOAT64)
    make_doubles(plan, words, count, made->f64);
  else
    make_integers(plan, words, count, made->i64);
  if (made == &block) job->store(count, out, job->out_bytes, (const char *)&block, job->bytes);
}

strew_status cpu_random(const struct call *call, strew_device *device, const struct random_plan *plan) {
  bool is_float = plan->kind == RANDOM_UNIFORM || plan->kind == RANDOM_NORMAL;
  struct random_job job = {.plan = plan, .dtype = is_float ? dtype_wide(plan->out.dtype) : STREW_INT64};
  job.store = converter(plan->out.dtype, job.dtype);
  job.out = operand_address(&plan->out);
  job.out_bytes = (int64_t)dtype_bytes(plan->out.dtype);
  job.bytes = (int64_t)dtype_bytes(job.dtype);
  int64_t chunks = (plan->count - 1) / DRAWN + 1;
  pool_run_sized(device->context, plan->count * job.out_bytes, chunks, random_chunk, &job);
  return context_end(call, device->context, plan->out.storage);
}

/* --------------------------------------------------------------------------------------------------------- ramps */

/* Some elements at a time, which compilers vectorise. */
enum { RAMP_STEP = 8 };

static void ramp_integers(const struct ramp_plan *plan, int64_t begin, int64_t count, int64_t *to) {
  const uint64_t step = (uint64_t)plan->step.as.i;
  uint64_t first = (uint64_t)ramp_i64(plan->start.as.i, plan->step.as.i, begin), behind[RAMP_STEP];
  for (int k = 0; k < RAMP_STEP; k++) behind[k] = (uint64_t)k * step;
  for (; count >= RAMP_STEP; count -= RAMP_STEP, to += RAMP_STEP, first += RAMP_STEP * step)
    for (int k = 0; k < RAMP_STEP; k++) to[k] = (int64_t)(first + behind[k]);
  for (int k = 0; k < count; k++) to[k] = (int64_t)(first + behind[k]);
}

static void ramp_floats(const struct ramp_plan *plan, int64_t begin, int64_t count, double *to) {
  static const double behind[RAMP_STEP] = {0, 1, 2, 3, 4, 5, 6, 7};
  const double start = plan->start.as.f, step = plan->step.as.f;
  double first = f64_from_i64(begin); /* numbers of elements are exact */
  for (; count >= RAMP_STEP; count -= RAMP_STEP, to += RAMP_STEP, first += RAMP_STEP)
    for (int k = 0; k < RAMP_STEP; k++) to[k] = plus_f64(start, times_f64(first + behind[k], step));
  for (int k = 0; k < count; k++) to[k] = plus_f64(start, times_f64(first + behind[k], step));
}

static void ramp_chunk(void *plan_, int64_t chunk) {
  const struct ramp_plan *plan = plan_;
  int64_t begin = chunk * DRAWN, count = plan->count - begin < DRAWN ? plan->count - begin : DRAWN;
  int64_t out_bytes = (int64_t)dtype_bytes(plan->out.dtype);
  char *out = operand_address(&plan->out) + begin * out_bytes;
  bool whole = plan->start.dtype != STREW_FLOAT64;
  strew_dtype dtype = whole ? STREW_INT64 : STREW_FLOAT64;
  union {
    double f64[DRAWN];
    int64_t i64[DRAWN];
  } block, *made = plan->out.dtype == dtype ? (void *)out : &block;
  if (whole)
    ramp_integers(plan, begin, count, made->i64);
  else
    ramp_floats(plan, begin, count, made->f64);
  if (made == &block) converter(plan->out.dtype, dtype)(count, out, out_bytes, (const char *)made, sizeof *made->i64);
}

strew_status cpu_ramp(const struct call *call, strew_device *device, const struct ramp_plan *plan) {
  struct ramp_plan shared = *plan;
  int64_t bytes = plan->count * (int64_t)dtype_bytes(plan->out.dtype);
  pool_run_sized(device->context, bytes, (plan->count - 1) / DRAWN + 1, ramp_chunk, &shared);
  return context_end(call, device->context, plan->out.storage);
}
