/* exact.c: exact sums. A survey finds which bits the terms have. They are cut into limbs, as few as leave room for the
   carries of all additions; limbs are summed as integers, in any order; their sums are one number, which is rounded
   once. Terms that are not finite, and zeros whose sign counts, are counted apart. */
#include "exact.h"
#include "runtime/core/base/elementwise_ops.h"
#include "runtime/core/base/operations.h"
#include "runtime/elementwise/shared/exact.h"

#include <inttypes.h>
#include <math.h>

enum {
  LIMB_BITS = 62,  /* of an int64, but for its sign and a carry */
  PART_BITS = 54,  /* of a float64: 53 digits, and parts are rounded to nearest */
  PART_MOST = 900, /* of the exponents of parts, whose bounds are finite and have reciprocals */
  PART_LEAST = 24, /* bits of a part that is worth a pass */
  PART_WIDEST = 50 /* bits of a part that adding 1.5 * 2^52 of its units cuts */
};

static strew_dtype limb_dtype(const struct exact_window *window) {
  return window->has_parts ? STREW_FLOAT64 : STREW_INT64;
}

/* ------------------------------------------------------------------------------------------------------------ terms */

/* What computes the limbs of a tensor as they are read. */
struct source {
  struct elementwise_plan plan;
  strew_tensor *x, *y;
};

static void source_release(void *source_) {
  struct source *source = source_;
  strew_context *context = source->x->storage->device->context;
  strew_release(source->x);
  strew_release(source->y);
  memory_free(context, source, sizeof *source);
}

static int unit_of(const strew_tensor *x) { return dtype_wide(x->dtype) == STREW_FLOAT64 ? -1074 : -149; }

double exact_bound(const strew_tensor *x, int place) { return ldexp(1, place + unit_of(x) + 52); }

static struct instruction_input bound_at(const strew_tensor *x, int place) {
  return (struct instruction_input){
      .from = FROM_NUMBER, .dtype = STREW_FLOAT64, .number = {.f64 = exact_bound(x, place)}};
}

/* The instruction that computes a limb, or a part. */
static struct instruction part_of(const strew_tensor *x, int from, int width) {
  return (struct instruction){.kind = ELEMENTWISE_PART,
                              .common = STREW_FLOAT64,
                              .compute = STREW_FLOAT64,
                              .result = STREW_FLOAT64,
                              .inputs = 3,
                              .in = {{.from = 1, .dtype = x->dtype}, bound_at(x, from), bound_at(x, from + width)}};
}
static struct instruction limb_of(const strew_tensor *x, bool is_product, int from, int width) {
  const strew_dtype wide = dtype_wide(x->dtype);
  struct instruction instruction = {.kind = is_product ? ELEMENTWISE_PRODUCT : ELEMENTWISE_LIMB,
                                    .common = wide,
                                    .compute = wide,
                                    .result = STREW_INT64,
                                    .inputs = 2 + is_product};
  for (int i = 0; i <= is_product; i++)
    instruction.in[i] = (struct instruction_input){.from = 1 + i, .dtype = x->dtype};
  instruction.in[1 + is_product] = (struct instruction_input){
      .from = FROM_NUMBER, .dtype = STREW_FLOAT64, .number = {.f64 = (double)from * EXACT_WIDTHS + width}};
  return instruction;
}

/* A tensor of limbs of x, or of x * y, or of parts, without memory. */
static strew_status limbs_create(const struct call *call, strew_tensor *x, strew_tensor *y, int from,
                                 const struct exact_window *window, strew_tensor **out) {
  strew_context *context = x->storage->device->context;
  ALLOCATE_NEW(struct source *, source, call, context, sizeof *source);
  const strew_status status = deferred_create(call, x->storage->device, limb_dtype(window), x->rank, x->sizes, out);
  if (status != STREW_OK) return memory_free(context, source, sizeof *source), status;
  source->x = strew_retain(x);
  source->y = y ? strew_retain(y) : NULL;
  source->plan.count = 1;
  source->plan.instructions[0] =
      window->has_parts ? part_of(x, from, window->width) : limb_of(x, y != NULL, from, window->width);
  PLAN(&source->plan.plan, x->rank, x->sizes, *out, x, y ? y : x);
  if (!y) source->plan.plan.count = 2;
  plan_simplify(&source->plan.plan);
  deferred_give(*out, &source->plan, NULL, source_release, source);
  return STREW_OK;
}

STEP_MAKES(step_limbs, NULL, limbs_create(steps->call, x, y, from, window, out), strew_tensor *x, strew_tensor *y,
           int from, const struct exact_window *window)

/* ---------------------------------------------------------------------------------------------------------- windows */

static void survey(struct steps *steps, strew_tensor *x, struct exact_survey *found) {
  struct plan plan;
  *found = (struct exact_survey){EXACT_NONE, -1, 0};
  if (steps->status != STREW_OK || !x || !strew_tensor_numel(x)) return;
  PLAN(&plan, x->rank, x->sizes, x);
  plan_simplify_any_order(&plan);
  STEP(steps, RUN_ON(x, exact->survey, steps->call, &plan, found));
}

static int bits_of_count(int64_t count) { return count > 1 ? 64 - __builtin_clzll((unsigned long long)count - 1) : 0; }

/* The places of the terms' bits, and the limbs that hold them and the carries of all additions. */
static struct exact_window window_of(const struct exact_job *job, struct exact_survey x, struct exact_survey y) {
  const bool is_none = x.low == EXACT_NONE || (job->y && y.low == EXACT_NONE);
  const int low = is_none ? 0 : x.low + (job->y ? y.low : 0);
  const int top = is_none ? 0 : x.top + (job->y ? y.top + 1 : 0);
  const int carries = bits_of_count(job->most + (job->self != NULL));
  const bool has_digits = exact_is_spread(job->result) && exact_goes_by(job);
  const int room = has_digits ? EXACT_DIGIT : LIMB_BITS - carries, width = room > 0 ? room : 1, unit = unit_of(job->x);
  const int part = PART_BITS - carries < PART_WIDEST ? PART_BITS - carries : PART_WIDEST;
  const strew_context *context = job->x->storage->device->context;
  const bool is_sum = !job->y && !exact_is_spread(job->result),
             is_near = low + unit > -PART_MOST && top + unit < PART_MOST;
  const bool has_parts = is_sum && is_near && part >= PART_LEAST && job->x->storage->device == &context->cpu;
  return (struct exact_window){.low = low,
                               .width = has_parts ? part : width,
                               .exponent = low + (job->y ? 2 * unit : unit),
                               .bits = is_none ? 0 : top - low + 1 + carries,
                               .limbs = has_parts ? (top + 1 - low) / part + 1 : (top - low) / width + 1,
                               .square_limbs = exact_is_spread(job->result) ? (2 * (top - low) + 1) / width + 1 : 0,
                               .has_parts = has_parts};
}

/* ------------------------------------------------------------------------------------------------------------- sums */

static strew_tensor *stored_limbs(struct steps *steps, strew_tensor *x, int from, const struct exact_window *window) {
  return step_to(steps, step_limbs(steps, x, NULL, from, window), NULL, limb_dtype(window));
}

strew_tensor *exact_part(struct steps *steps, strew_tensor *x, const struct exact_sums *sums, int k) {
  return stored_limbs(steps, x, sums->window.low + k * sums->window.width, &sums->window);
}

static void join_self(struct steps *steps, strew_tensor *self, int from, const struct exact_window *window,
                      strew_tensor *sums) {
  if (self) STEP(steps, copy_tensor(steps->call, sums, stored_limbs(steps, self, from, window)));
}

/* Row `k` of the sums. */
static strew_tensor *row_of(struct steps *steps, const struct exact_job *job, strew_tensor *sums, int k) {
  return step_view(steps, step_narrow(steps, sums, 0, k, 1), job->rank, job->sizes);
}

/* Joins `count` limbs from `from` on into rows of the sums: several at once. */
static void join_limbs(struct steps *steps, const struct exact_job *job, strew_tensor *y, int from,
                       const struct exact_window *window, int count, strew_tensor *sums, int first) {
  for (int k = 0; k < count; k += EXACT_TOGETHER) {
    strew_tensor *terms[EXACT_TOGETHER], *rows[EXACT_TOGETHER];
    const int mark = steps->count, together = count - k < EXACT_TOGETHER ? count - k : EXACT_TOGETHER;
    for (int i = 0; i < together; i++) {
      const int place = from + (k + i) * window->width;
      terms[i] = step_limbs(steps, job->x, y, place, window);
      rows[i] = row_of(steps, job, sums, first + k + i);
      join_self(steps, y ? NULL : job->self, place, window, rows[i]);
    }
    if (steps->status == STREW_OK) job->join(steps, job->user, together, terms, rows);
    steps_keep(steps, mark, NULL);
  }
}

static strew_tensor *zeros_of(struct steps *steps, const struct exact_job *job, strew_dtype dtype, int rows) {
  const int64_t sizes[] = {rows, count_of_sizes(job->rank, job->sizes)};
  return step_full(steps, job->x->storage->device, dtype, 2, sizes, strew_int(0));
}

/* ---------------------------------------------------------------------------------------------------------- results */

/* An operand that is not needed is all zeros. */
static void add_operand(struct steps *steps, struct plan *plan, strew_operand operand, strew_dtype dtype) {
  union element number = {.i64 = 0};
  if (operand.tensor) {
    plan_add(plan, operand.tensor);
  } else {
    if (operand.number.dtype)
      STEP(steps, element_from(steps->call, "number", operand.number, STREW_SATURATE, dtype, &number));
    plan_add_number(plan, dtype, number);
  }
}

strew_tensor *exact_divisors(struct steps *steps, const struct exact_divisor *divisor, strew_tensor *counts) {
  if (steps->status != STREW_OK) return NULL;
  strew_tensor *by = step_to(steps, counts, NULL, STREW_FLOAT64);
  by = step_binary(steps, STREW_SUB, by, divisor->correction, NULL);
  if (divisor->otherwise == divisor->least)
    step_binary(steps, STREW_MAXIMUM, by, divisor->least, by);
  else
    by = step_where(steps, step_binary(steps, STREW_LE, by, divisor->least, NULL), divisor->otherwise, by);
  return divisor->plus != 0 ? step_binary(steps, STREW_ADD, by, divisor->plus, by) : by;
}
static strew_operand divisors_of(struct steps *steps, const struct exact_job *job, strew_operand counts) {
  const struct exact_divisor *d = &job->divisor;
  if (counts.tensor) return strew_of(exact_divisors(steps, d, counts.tensor));
  const double n = (double)counts.number.as.i - d->correction;
  return operand_of_float((n <= d->least ? d->otherwise : n) + d->plus);
}

/* Means and sums on the device if it makes them, others on the CPU. */
strew_tensor *exact_round(struct steps *steps, const struct exact_job *job, const struct exact_sums *of) {
  if (steps->status != STREW_OK) return NULL;
  const struct exact_window *window = &of->window;
  strew_tensor *sums = of->sums;
  strew_device *own = sums->storage->device, *cpu = &own->context->cpu;
  const bool is_spread = exact_is_spread(job->result), is_near = own == cpu || (!is_spread && job->most < UINT32_MAX);
  strew_device *device = own->ops->exact->exact && is_near ? own : cpu;
  strew_operand counts = job->counts;
  if (device != own) {
    sums = step_to(steps, sums, device, STREW_INT64);
    if (counts.tensor) counts.tensor = step_to(steps, counts.tensor, device, STREW_INT64);
  }
  const strew_operand divisors = is_spread ? divisors_of(steps, job, counts) : operand_of_int(0);
  strew_tensor *out = step_new(steps, device, job->dtype, job->rank, job->sizes);
  strew_tensor *first = row_of(steps, job, sums, 0);
  if (steps->status != STREW_OK || !strew_tensor_numel(out)) return step_to(steps, out, own, job->dtype);
  struct exact_plan plan = {.result = job->result,
                            .exponent = window->exponent,
                            .width = window->width,
                            .limbs = window->limbs,
                            .square_limbs = window->square_limbs,
                            .step = strew_tensor_numel(out)};
  PLAN(&plan.plan, job->rank, job->sizes, out, first);
  add_operand(steps, &plan.plan, counts, STREW_INT64);
  add_operand(steps, &plan.plan, divisors, STREW_FLOAT64);
  plan_simplify_any_order(&plan.plan);
  STEP(steps, RUN_ON(out, exact->exact, steps->call, &plan));
  return device == own ? out : step_to(steps, out, own, job->dtype);
}

strew_tensor *exact_any(struct steps *steps, const struct exact_job *job, strew_tensor *is, strew_tensor *of_self) {
  const int mark = steps->count;
  strew_tensor *terms = step_to(steps, is, NULL, STREW_INT64), *sums = zeros_of(steps, job, STREW_INT64, 1);
  strew_tensor *row = row_of(steps, job, sums, 0);
  strew_tensor *first = of_self ? step_to(steps, of_self, NULL, STREW_INT64) : NULL;
  if (first) STEP(steps, copy_tensor(steps->call, row, first));
  if (steps->status == STREW_OK) job->join(steps, job->user, 1, &terms, &row);
  return steps_keep(steps, mark, step_binary(steps, STREW_GT, row, 0, NULL));
}

static strew_tensor *is_finite(struct steps *steps, strew_tensor *x) {
  return step_binary(steps, STREW_LT, step_unary(steps, STREW_ABS, x, NULL), (double)INFINITY, NULL);
}

/* Products of which one factor is not finite; of others, which may only be rounded to an infinity, 0. */
static strew_tensor *endless_products(struct steps *steps, const struct exact_job *job) {
  strew_tensor *are = step_binary(steps, STREW_LOGICAL_AND, is_finite(steps, job->x), is_finite(steps, job->y), NULL);
  return step_where(steps, are, 0.0, step_binary(steps, STREW_MUL, job->x, job->y, NULL));
}

/* Where terms are not finite: an infinity, or NaN of NaN and of infinities of both signs. */
static void add_infinities(struct steps *steps, const struct exact_job *job, strew_tensor *terms, strew_tensor *out) {
  strew_tensor *found[2], *self = job->self, *of_self = NULL;
  for (int i = 0; i < 2; i++) {
    const double bound = i ? -(double)INFINITY : (double)INFINITY;
    const strew_binary_op op = i ? STREW_GT : STREW_LT;
    /* not a number that is nearer to 0: this infinity or NaN; or, if NaN is left out, this infinity */
    strew_tensor *is = job->skips_nan
                           ? step_binary(steps, STREW_EQ, terms, bound, NULL)
                           : step_unary(steps, STREW_LOGICAL_NOT, step_binary(steps, op, terms, bound, NULL), NULL);
    if (self) of_self = step_unary(steps, STREW_LOGICAL_NOT, step_binary(steps, op, self, bound, NULL), NULL);
    found[i] = exact_any(steps, job, is, of_self);
  }
  strew_tensor *both = step_binary(steps, STREW_LOGICAL_AND, found[0], found[1], NULL);
  for (int i = 0; i < 2; i++) {
    const double infinity = i ? -(double)INFINITY : (double)INFINITY;
    const strew_operand value = operand_of_float(exact_is_spread(job->result) ? (double)NAN : infinity);
    STEP(steps, strew_masked_fill(out, found[i], value, &out, steps->error));
  }
  STEP(steps, strew_masked_fill(out, both, operand_of_float((double)NAN), &out, steps->error));
}

strew_tensor *exact_minus_zeros(struct steps *steps, const struct exact_job *job) {
  strew_tensor *found[2];
  for (int i = 0; i < 2; i++) { /* -0; others */
    strew_tensor *of[2] = {job->x, job->self};
    for (int k = 0; k < 2 && of[k]; k++) {
      strew_tensor *is_zero = step_binary(steps, STREW_EQ, of[k], 0, NULL),
                   *has_sign = step_unary(steps, STREW_SIGNBIT, of[k], NULL);
      strew_tensor *is = step_binary(steps, STREW_LOGICAL_AND, is_zero, has_sign, NULL);
      of[k] = i ? step_unary(steps, STREW_LOGICAL_NOT, is, NULL) : is;
    }
    found[i] = exact_any(steps, job, of[0], of[1]);
  }
  strew_tensor *none = step_unary(steps, STREW_LOGICAL_NOT, found[1], NULL);
  return step_binary(steps, STREW_LOGICAL_AND, found[0], none, NULL);
}

/* ------------------------------------------------------------------------------------------------------------- call */

void exact_open(struct steps *steps, const struct exact_job *job, struct exact_sums *out) {
  struct exact_survey x, y, self;
  survey(steps, job->x, &x);
  survey(steps, job->y, &y);
  survey(steps, job->self, &self);
  if (self.low < x.low) x.low = self.low;
  if (self.top > x.top) x.top = self.top;
  const struct exact_window window = window_of(job, x, y);
  *out = (struct exact_sums){.window = window, .kinds = x.kinds | y.kinds | self.kinds};
  if (steps->status == STREW_OK)
    out->sums = zeros_of(steps, job, limb_dtype(&window), window.limbs + window.square_limbs);
}

strew_tensor *exact_finish(struct steps *steps, const struct exact_job *job, const struct exact_sums *sums) {
  const unsigned endless = job->skips_nan ? EXACT_INFINITIES : EXACT_INFINITIES | EXACT_NAN;
  strew_tensor *out = exact_round(steps, job, sums);
  if (sums->kinds & endless) add_infinities(steps, job, job->y ? endless_products(steps, job) : job->x, out);
  if (sums->kinds & EXACT_MINUS_ZERO && job->signs_zero && !exact_is_spread(job->result)) {
    strew_tensor *zeros = exact_minus_zeros(steps, job);
    STEP(steps, strew_masked_fill(out, zeros, operand_of_float(-0.0), &out, steps->error));
  }
  return out;
}

void exact_limbs(struct steps *steps, const struct exact_job *job, struct exact_sums *out) {
  const struct exact_window *window = &out->window;
  exact_open(steps, job, out);
  if (steps->status != STREW_OK) return;
  if (job->cut && exact_is_cut(out)) {
    job->cut(steps, job->user, out);
  } else {
    join_limbs(steps, job, job->y, window->low, window, window->limbs, out->sums, 0);
    join_limbs(steps, job, job->x, 2 * window->low, window, window->square_limbs, out->sums, window->limbs);
  }
}

/* ------------------------------------------------------------------------------------------------------- by number */

bool exact_goes_by(const struct exact_job *job) {
  const strew_device *device = job->x->storage->device;
  if (!job->by || !device->ops->exact->by || !device->ops->exact->by->suits(device)) return false;
  if (exact_is_spread(job->result)) return job->most <= EXACT_MOST_SPREAD && !device->lacks_float64;
  return job->result == EXACT_SUM || job->most < UINT32_MAX; /* what counts divide by */
}

static void row_major(int rank, const int64_t *sizes, int64_t *strides) {
  int64_t step = 1;
  for (int d = rank - 1; d >= 0; d--) strides[d] = step, step *= sizes[d];
}

struct exact_by exact_by_index(const struct addressing *addressing, int rank, const int64_t *sizes) {
  const struct index_limits *limits = &addressing->limits;
  struct exact_by by = {.index = addressing->index, .size = limits->size, .mode = limits->mode};
  by.checks = addressing_needs_check(addressing, &by.lowest);
  row_major(rank, sizes, by.numbers);
  by.step = by.numbers[limits->dim];
  by.numbers[limits->dim] = 0;
  return by;
}

static void plan_numbers(struct plan *plan, int rank, const int64_t *sizes, const int64_t *numbers) {
  plan_start(plan, rank, sizes);
  struct operand *number = plan_add_number(plan, STREW_INT64, (union element){.i64 = 0});
  for (int d = 0; d < rank; d++) number->strides[d] = sizes[d] == 1 ? 0 : numbers[d];
}

/* `out` NULL: words are read. */
static void plan_by(struct steps *steps, const struct exact_job *job, strew_tensor *out, struct exact_by_plan *plan) {
  const struct exact_by *by = job->by;
  int64_t numbers[MAX_RANK];
  row_major(job->rank, job->sizes, numbers);
  *plan = (struct exact_by_plan){.count = count_of_sizes(job->rank, job->sizes),
                                 .step = by->step,
                                 .size = by->size,
                                 .lowest = by->lowest,
                                 .mode = by->mode,
                                 .checks = by->checks,
                                 .counts = by->counts,
                                 .from_start = by->from_start,
                                 .signs_zero = job->signs_zero,
                                 .is_product = job->y != NULL,
                                 .result = job->result,
                                 .divisor = job->divisor,
                                 .extra = by->extra};
  plan_numbers(&plan->terms, job->x->rank, job->x->sizes, by->numbers);
  plan_add(&plan->terms, job->x);
  if (by->index || job->y) plan_add(&plan->terms, job->y ? job->y : by->index);
  plan_simplify_any_order(&plan->terms);
  plan_numbers(&plan->results, job->rank, job->sizes, numbers);
  add_operand(steps, &plan->results, strew_of(out), job->x->dtype);
  add_operand(steps, &plan->results, strew_of(by->from_start ? by->start : job->self), job->dtype);
  add_operand(steps, &plan->results, job->counts, STREW_INT64);
  plan_simplify_any_order(&plan->results);
}

/* Which kinds of terms results depend on. */
static unsigned kinds_that_count(const struct exact_job *job, unsigned kinds) {
  unsigned endless = job->skips_nan ? EXACT_INFINITIES : EXACT_INFINITIES | EXACT_NAN;
  if (job->y && kinds & endless) kinds = endless; /* signs are multiplied, 0 times an infinity is NaN */
  const bool has_minus = job->signs_zero && kinds & EXACT_MINUS_ZERO;
  return (kinds & endless) | (has_minus ? EXACT_OTHER : 0);
}

/* Plans and surveys. */
static struct exact_window open_by(struct steps *steps, const struct exact_job *job, strew_tensor *out,
                                   struct exact_by_plan *plan) {
  strew_device *device = job->x->storage->device;
  struct exact_survey found = {EXACT_NONE, -1, 0}, factor = found;
  plan_by(steps, job, out, plan);
  STEP(steps, device->ops->exact->by->survey(steps->call, device, plan, &found, &factor, &job->by->bad));
  const struct exact_window window = window_of(job, found, factor);
  plan->low = window.low;
  plan->width = window.width;
  plan->exponent = window.exponent;
  plan->limbs = window.limbs;
  plan->square_limbs = window.square_limbs;
  plan->kinds = kinds_that_count(job, found.kinds | factor.kinds);
  return window;
}

static strew_tensor *results_by(struct steps *steps, const struct exact_job *job) {
  strew_device *device = job->x->storage->device;
  struct exact_by_plan plan;
  strew_tensor *out = job->by->out ? job->by->out : step_new(steps, device, job->dtype, job->rank, job->sizes);
  if (steps->status != STREW_OK) return NULL;
  open_by(steps, job, out, &plan);
  if (steps->status != STREW_OK || job->by->bad) return NULL;
  STEP(steps, device->ops->exact->by->run(steps->call, device, &plan, NULL));
  return out;
}

void exact_read(struct steps *steps, const struct exact_job *job, struct exact_words *out) {
  strew_device *device = job->x->storage->device;
  struct exact_by_plan plan;
  *out = (struct exact_words){.words = NULL};
  if (steps->status != STREW_OK) return;
  out->window = open_by(steps, job, NULL, &plan);
  out->layout = exact_layout_of(&plan);
  out->kinds = plan.kinds;
  out->bytes = (uint64_t)plan.count * (uint64_t)out->layout.stride * sizeof *out->words;
  if (steps->status != STREW_OK || job->by->bad ||
      STEP(steps, check_machine_memory(steps->call, &device->context->cpu, out->bytes, NULL)) != STREW_OK)
    return;
  out->words = memory_allocate(device->context, out->bytes);
  STEP(steps, out->words ? device->ops->exact->by->run(steps->call, device, &plan, out->words)
                         : fail_memory(steps->call, device->context, out->bytes));
  for (int64_t i = 0; steps->status == STREW_OK && out->layout.count_at >= 0 && i < plan.count; i++) {
    const int64_t count = out->words[i * out->layout.stride + out->layout.count_at];
    if (count < 0 || count > job->most)
      STEP(steps, fail(steps->call, FAULT(STREW_EDEVICE, NULL),
                       "has a count of %" PRId64 " terms, returned by %s: its driver is faulty", count, device->name));
  }
}

strew_tensor *exact_results(struct steps *steps, const struct exact_job *job) {
  struct exact_sums own;
  const int mark = steps->count;
  if (steps->status == STREW_OK && exact_goes_by(job) && strew_tensor_numel(job->x) &&
      count_of_sizes(job->rank, job->sizes))
    return results_by(steps, job);
  if (steps->status == STREW_OK && !count_of_sizes(job->rank, job->sizes))
    return step_new(steps, job->x->storage->device, job->dtype, job->rank, job->sizes);
  exact_limbs(steps, job, &own);
  return steps_keep(steps, mark, steps->status == STREW_OK ? exact_finish(steps, job, &own) : NULL);
}
