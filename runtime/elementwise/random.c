/* random.c: random numbers and ramps. Devices fill dense tensors; the result is copied to a given one that is not. */
#include "elementwise.h"
#include "random_ops.h"
#include "runtime/core/base/device.h"
#include "runtime/core/base/steps.h"
#include "runtime/order/order_ops.h"

#include <inttypes.h>
#include <math.h>

/* Fails unless dtype can hold `reached`, which is computed from the argument. */
static strew_status check_reached(const struct call *call, const char *argument, strew_scalar reached,
                                  strew_conversion how, strew_dtype dtype) {
  struct call quiet = *call;
  union element element;
  char text[TEXT_BYTES];
  quiet.error = NULL;
  if (element_from(&quiet, argument, reached, how, dtype, &element) == STREW_OK) return STREW_OK;
  return fail(call, VALUED(STREW_EVALUE, argument, reached), "leads to %s, which %s cannot hold",
              text_of_scalar(reached, text), strew_dtype_name(dtype));
}

/* Fails unless dtype holds this whole number exactly. */
static strew_status check_whole(const struct call *call, const char *argument, int64_t whole, strew_dtype dtype) {
  strew_scalar value = strew_int(whole);
  int64_t most = dtype_is_float(dtype) ? (int64_t)1 << dtype_digits(dtype) : 0;
  if (!most || (whole <= most && whole >= -most)) return check_reached(call, argument, value, STREW_EXACT, dtype);
  return fail(call, VALUED(STREW_EVALUE, argument, value),
              "leads to %" PRId64 ", %s holds whole numbers exactly from %" PRId64 " to %" PRId64, whole,
              strew_dtype_name(dtype), -most, most);
}

/* A dense tensor to fill: *out itself if it is dense, else a new one. */
struct dense {
  strew_tensor *target, *tensor;
};

static struct dense dense_start(struct steps *steps, strew_device *device, strew_dtype dtype, int rank,
                                const int64_t *sizes, strew_tensor *out) {
  STEP(steps, check_sizes(steps->call, dtype, rank, sizes));
  strew_tensor *target = steps_out(steps, "out", device, dtype, rank, sizes, out);
  const bool is_dense = steps->status != STREW_OK || strew_tensor_is_contiguous(target);
  return (struct dense){target, is_dense ? target : step_new(steps, device, dtype, rank, sizes)};
}

static strew_status dense_finish(struct steps *steps, const struct dense *dense, strew_tensor **out) {
  if (dense->tensor != dense->target) STEP(steps, copy_tensor(steps->call, dense->target, dense->tensor));
  return steps_give(steps, dense->target, out);
}

static struct operand operand_of(const strew_tensor *tensor) {
  return (struct operand){.storage = tensor->storage, .offset = tensor->offset, .dtype = tensor->dtype};
}

/* ----------------------------------------------------------------------------------------------- random numbers */

/* Fills a dense tensor. On success the context's draws advance. */
static strew_status draw(const struct call *call, strew_tensor *dense, enum random_kind kind, int64_t low,
                         uint64_t range) {
  strew_device *device = dense->storage->device;
  strew_context *context = device->context;
  struct random_plan plan = {.out = operand_of(dense), .count = strew_tensor_numel(dense), .kind = kind};
  if (!plan.count) return STREW_OK;
  plan.seed = context->seed;
  plan.block = context->draws;
  plan.low = low;
  plan.range = range;
  strew_status status = device->ops->random->random(call, device, &plan);
  if (status == STREW_OK)
    context->draws += (uint64_t)(plan.count - 1) / (uint64_t)random_per_block(kind, dense->dtype) + 1;
  return status;
}

static strew_status draw_tensor(const struct call *call, strew_device *device, strew_dtype dtype, int rank,
                                const int64_t *sizes, enum random_kind kind, int64_t low, uint64_t range,
                                strew_tensor **out) {
  STEPS(steps, call);
  const uint64_t draws = device->context->draws;
  const struct dense dense = dense_start(&steps, device, dtype, rank, sizes, *out);
  STEP(&steps, draw(call, dense.tensor, kind, low, range));
  dense_finish(&steps, &dense, out);
  if (steps.status != STREW_OK) device->context->draws = draws;
  return steps.status;
}

static strew_status draw_floats(const struct call *call, strew_device *device, strew_dtype dtype, int rank,
                                const int64_t *sizes, enum random_kind kind, strew_tensor **out) {
  strew_status status = check_sizes(call, dtype, rank, sizes);
  if (status == STREW_OK && !dtype_is_float(dtype))
    status = fail(call, FAULT(STREW_EDTYPE, "dtype"), "is %s, expected a float dtype", strew_dtype_name(dtype));
  return TRY(status, draw_tensor(call, device, dtype, rank, sizes, kind, 0, 0, out));
}

strew_status strew_rand(strew_device *device, strew_dtype dtype, int rank, const int64_t *sizes, strew_tensor **out,
                        strew_error *error) {
  CALL(call, "rand", error, {"out", *out});
  return draw_floats(&call, device, dtype, rank, sizes, RANDOM_UNIFORM, out);
}

strew_status strew_randn(strew_device *device, strew_dtype dtype, int rank, const int64_t *sizes, strew_tensor **out,
                         strew_error *error) {
  CALL(call, "randn", error, {"out", *out});
  return draw_floats(&call, device, dtype, rank, sizes, RANDOM_NORMAL, out);
}

strew_status strew_randint(strew_device *device, strew_dtype dtype, int64_t low, int64_t high, int rank,
                           const int64_t *sizes, strew_tensor **out, strew_error *error) {
  CALL(call, "randint", error, {"out", *out});
  if (low >= high)
    return fail(&call, VALUED(STREW_EVALUE, "high", strew_int(high)),
                "is %" PRId64 ", expected more than low, which is %" PRId64, high, low);
  RETURN_IF_FAILED(check_number_dtype(&call, dtype));
  RETURN_IF_FAILED(check_sizes(&call, dtype, rank, sizes));
  RETURN_IF_FAILED(check_whole(&call, "low", low, dtype));
  RETURN_IF_FAILED(check_whole(&call, "high", high - 1, dtype));
  return draw_tensor(&call, device, dtype, rank, sizes, RANDOM_INTEGER, low, (uint64_t)high - (uint64_t)low, out);
}

/* Items: the leading 32 bits of a draw, above its position. */
static bool is_above(const int64_t *draws, uint64_t a, uint64_t b) {
  return (a ^ b) >> 32 ? a > b : draws[(uint32_t)a] > draws[(uint32_t)b];
}

/* One pass of bubble sort, without branches: it orders most of the pairs that are in the wrong order. */
static void bubble_once(uint64_t *items, int64_t count) {
  uint64_t greatest = items[0];
  for (int64_t i = 1; i < count; i++) {
    const uint64_t item = items[i];
    items[i - 1] = item < greatest ? item : greatest;
    greatest = item < greatest ? greatest : item;
  }
  items[count - 1] = greatest;
}

/* Writes the positions that sort `count` draws, which are spread evenly. They go by their leading bits to 1 << bits
   buckets, more than there are draws, and then by insertion. ends: of buckets, all 0. */
static void order_draws(const int64_t *draws, int64_t count, int bits, int32_t *ends, int64_t *order) {
  const uint64_t sign = UINT64_C(1) << 63;
  uint64_t *items = (uint64_t *)order; /* in place of positions */
  for (int64_t i = 0; i < count; i++) ends[((uint64_t)draws[i] ^ sign) >> (64 - bits)]++;
  for (int32_t at = 0, bucket = 0, size; bucket < 1 << bits; bucket++, at += size)
    size = ends[bucket], ends[bucket] = at;
  for (int64_t i = 0; i < count; i++) {
    const uint64_t key = (uint64_t)draws[i] ^ sign;
    items[ends[key >> (64 - bits)]++] = (key >> 32 << 32) | (uint64_t)i;
  }
  bubble_once(items, count);
  for (int64_t i = 0; i < count; i++) {
    const uint64_t item = items[i];
    int64_t at = i;
    for (; at > 0 && is_above(draws, items[at - 1], item); at--) items[at] = items[at - 1];
    items[at] = item;
  }
  for (int64_t i = 0; i < count; i++) order[i] = (uint32_t)items[i];
}

/* Fills `order` with a random permutation of 0..n-1: the indices that sort n draws of 64 bits. */
static void random_order(struct steps *steps, strew_device *device, int64_t n, strew_tensor *order) {
  enum { MOST_BITS = 18 }; /* the draws of more are sorted by all threads */
  struct sort_plan sort = {.keep = n};
  int bits = 1;
  if (!n) return;
  strew_tensor *draws = step_new(steps, device, STREW_INT64, 1, &n);
  if (STEP(steps, draw(steps->call, draws, RANDOM_BITS, 0, 0)) != STREW_OK) return;
  while (bits <= MOST_BITS && n >> bits) bits++;
  if (device->ops->host_memory && bits <= MOST_BITS) {
    strew_tensor *ends = step_full(steps, device, STREW_INT32, 1, (int64_t[]){1 << bits}, strew_int(0));
    if (steps->status == STREW_OK) order_draws(dense_at(draws, 0), n, bits, dense_at(ends, 0), dense_at(order, 0));
    return;
  }
  plan_start(&sort.plan, 1, &n);
  plan_add_number(&sort.plan, STREW_INT64, (union element){.i64 = 0});
  plan_add(&sort.plan, order);
  plan_add(&sort.plan, draws);
  STEP(steps, device->ops->order->sort(steps->call, device, &sort));
}

strew_status strew_randperm(strew_device *device, strew_dtype dtype, int64_t n, strew_tensor **out,
                            strew_error *error) {
  CALL_STEPS(call, steps, "randperm", error, {"out", *out});
  const uint64_t draws = device->context->draws;
  if (n < 0) return fail(&call, VALUED(STREW_EARGUMENT, "n", strew_int(n)), "is %" PRId64 ", expected 0 or more", n);
  STEP(&steps, check_number_dtype(&call, dtype));
  STEP(&steps, check_sizes(&call, dtype, 1, &n));
  if (n) STEP(&steps, check_whole(&call, "n", n - 1, dtype));
  struct dense order = {.target = steps_out(&steps, "out", device, dtype, 1, &n, *out)};
  order.tensor = dtype == STREW_INT64 ? order.target : step_new(&steps, device, STREW_INT64, 1, &n);
  random_order(&steps, device, n, order.tensor);
  dense_finish(&steps, &order, out);
  if (steps.status != STREW_OK) device->context->draws = draws;
  return steps.status;
}

/* -------------------------------------------------------------------------------------------------------- ramps */

static double as_double(strew_scalar scalar) {
  return scalar.dtype == STREW_FLOAT64 ? scalar.as.f : (double)scalar.as.i;
}

/* Fails if an argument is not finite, or if step is 0 or leads away from stop. */
static strew_status check_step(const struct call *call, strew_scalar start, strew_scalar stop, strew_scalar step,
                               bool whole) {
  double from = as_double(start), to = as_double(stop), by = as_double(step);
  bool is_zero = whole ? step.as.i == 0 : by == 0;
  bool leads_away =
      whole ? (step.as.i > 0 ? start.as.i > stop.as.i : start.as.i < stop.as.i) : (by > 0 ? from > to : from < to);
  char text[3][TEXT_BYTES];
  if (!isfinite(from) || !isfinite(to) || !isfinite(by)) {
    const char *name = !isfinite(from) ? "start" : !isfinite(to) ? "stop" : "step";
    const strew_scalar *value = !isfinite(from) ? &start : !isfinite(to) ? &stop : &step;
    return fail(call, (struct fault){.code = STREW_EVALUE, .argument = name, .value = value},
                "is %s, expected a finite number", text_of_scalar(*value, text[0]));
  }
  struct fault fault = {.code = STREW_EVALUE, .argument = "step", .value = &step};
  if (is_zero) return fail(call, fault, "is 0, so that stop is never reached");
  if (leads_away)
    return fail(call, fault, "is %s, which leads away from stop: start is %s, stop is %s",
                text_of_scalar(step, text[0]), text_of_scalar(start, text[1]), text_of_scalar(stop, text[2]));
  return STREW_OK;
}

static uint64_t whole_count(int64_t start, int64_t stop, int64_t step) {
  uint64_t span = step > 0 ? (uint64_t)stop - (uint64_t)start : (uint64_t)start - (uint64_t)stop;
  uint64_t by = step > 0 ? (uint64_t)step : 0 - (uint64_t)step;
  return span ? (span - 1) / by + 1 : 0;
}

/* The width of a range in steps, also if it is not finite itself. */
static double width_in(double from, double to, double unit) {
  return isfinite(to - from) ? (to - from) / unit : to / unit - from / unit;
}

/* start + i * step, without overflow on the way. */
static strew_scalar ramp_at(strew_scalar start, strew_scalar step, int64_t i) {
  if (start.dtype != STREW_FLOAT64)
    return strew_int((int64_t)((uint64_t)start.as.i + (uint64_t)i * (uint64_t)step.as.i));
  const double distance = (double)i * step.as.f;
  if (isfinite(distance)) return strew_float(start.as.f + distance);
  return strew_float((start.as.f / 2 + (double)i * (step.as.f / 2)) * 2);
}

/* The sign of a - b, both floats or both integers. */
static int order_of(strew_scalar a, strew_scalar b) {
  return a.dtype == STREW_FLOAT64 ? (a.as.f > b.as.f) - (a.as.f < b.as.f) : (a.as.i > b.as.i) - (a.as.i < b.as.i);
}

static strew_scalar as_held(strew_scalar number, strew_dtype dtype) {
  union element element;
  strew_scalar_store(number, STREW_SATURATE, dtype, element.bytes, NULL);
  return strew_scalar_load(dtype, element.bytes);
}

/* True if element i of a ramp lies before stop, by its value and as dtype holds the two. */
static bool is_before(strew_dtype dtype, strew_scalar start, strew_scalar stop, strew_scalar step, int64_t i) {
  const bool is_float = start.dtype == STREW_FLOAT64;
  const int before = as_double(step) < 0 ? 1 : -1;
  const strew_scalar exact = ramp_at(start, step, i), end = is_float ? strew_float(as_double(stop)) : stop;
  strew_scalar limit;
  const enum standing standing = number_standing(stop, dtype, &limit);
  if (order_of(exact, end) != before) return false;
  const int order = order_of(as_held(exact, dtype), as_held(limit, dtype));
  return order == before || (order == 0 && standing == (before < 0 ? STANDS_ABOVE : STANDS_BELOW));
}

/* The number of the first `count` elements of a ramp that lie before stop: rounded ones may reach it. */
static int64_t count_before(strew_dtype dtype, strew_scalar start, strew_scalar stop, strew_scalar step,
                            int64_t count) {
  int64_t low = 0;
  if (count && is_before(dtype, start, stop, step, count - 1)) return count; /* as most do */
  BISECT(low, count, i, is_before(dtype, start, stop, step, i));
  return low;
}

static strew_status ramp_count(const struct call *call, strew_dtype dtype, strew_scalar start, strew_scalar stop,
                               strew_scalar step, bool whole, int64_t *count) {
  RETURN_IF_FAILED(check_step(call, start, stop, step, whole));
  const uint64_t exact = whole ? whole_count(start.as.i, stop.as.i, step.as.i) : 0;
  const double steps = whole ? (double)exact : ceil(width_in(as_double(start), as_double(stop), as_double(step)));
  if (!(steps < 0x1p62))
    return fail(call, VALUED(STREW_ESHAPE, "step", step), "makes more elements than can be addressed");
  if (!whole) start = strew_float(as_double(start)), step = strew_float(as_double(step));
  *count = count_before(dtype, start, stop, step, whole ? (int64_t)exact : (int64_t)steps + 1);
  if (*count == 0 && steps > 0 && dtype_is_float(dtype)) *count = 1; /* start, even if stop is rounded to it */
  return STREW_OK;
}

/* A ramp so wide that i * step overflows is made in halves. */
static strew_status fill_ramp(const struct call *call, strew_tensor *dense, int64_t first, int64_t count,
                              strew_scalar start, strew_scalar step) {
  strew_device *device = dense->storage->device;
  const bool is_wide = start.dtype == STREW_FLOAT64 && !isfinite((double)(count - 1) * step.as.f);
  const int64_t rest = is_wide ? count - count / 2 : 0;
  struct ramp_plan plan = {.out = operand_of(dense), .count = count - rest, .start = start, .step = step};
  plan.out.offset += first;
  strew_status status = count > 0 ? device->ops->random->ramp(call, device, &plan) : STREW_OK;
  if (status != STREW_OK || !rest) return status;
  plan.out.offset += plan.count;
  plan.start = ramp_at(start, step, plan.count), plan.count = rest;
  return device->ops->random->ramp(call, device, &plan);
}

/* Fails for bool: a ramp needs numbers. */
static strew_status check_countable(const struct call *call, strew_dtype dtype) {
  if (dtype == STREW_BOOL) return fail(call, FAULT(STREW_EDTYPE, "dtype"), "is bool, expected a number dtype");
  return check_number_dtype(call, dtype);
}

/* A float that is an int64 becomes one. */
static strew_scalar whole_number(strew_scalar number) {
  int64_t held;
  return strew_scalar_store(number, STREW_EXACT, STREW_INT64, &held, NULL) == STREW_OK ? strew_int(held) : number;
}

strew_status strew_arange(strew_device *device, strew_dtype dtype, strew_scalar start, strew_scalar stop,
                          strew_scalar step, strew_tensor **out, strew_error *error) {
  CALL_STEPS(call, steps, "arange", error, {"out", *out});
  int64_t count = 0;
  union element held;
  STEP(&steps, check_sizes(&call, dtype, 0, NULL));
  STEP(&steps, check_countable(&call, dtype));
  STEP(&steps, check_scalar(&call, "start", start));
  STEP(&steps, check_scalar(&call, "stop", stop));
  STEP(&steps, check_scalar(&call, "step", step));
  if (steps.status == STREW_OK && !dtype_is_float(dtype))
    start = whole_number(start), stop = whole_number(stop), step = whole_number(step);
  const bool whole = start.dtype != STREW_FLOAT64 && stop.dtype != STREW_FLOAT64 && step.dtype != STREW_FLOAT64;
  STEP(&steps, ramp_count(&call, dtype, start, stop, step, whole, &count));
  if (!whole) start = strew_float(as_double(start)), step = strew_float(as_double(step));
  STEP(&steps, element_from(&call, "start", start, STREW_TRUNCATE, dtype, &held));
  if (count) STEP(&steps, check_reached(&call, "stop", ramp_at(start, step, count - 1), STREW_TRUNCATE, dtype));
  const struct dense dense = dense_start(&steps, device, dtype, 1, &count, *out);
  STEP(&steps, fill_ramp(&call, dense.tensor, 0, count, start, step));
  return dense_finish(&steps, &dense, out);
}

strew_status strew_linspace(strew_device *device, strew_dtype dtype, double start, double stop, int64_t count,
                            strew_tensor **out, strew_error *error) {
  CALL_STEPS(call, steps, "linspace", error, {"out", *out});
  union element held;
  if (count < 0)
    return fail(&call, VALUED(STREW_EARGUMENT, "steps", strew_int(count)), "is %" PRId64 ", expected 0 or more", count);
  STEP(&steps, check_sizes(&call, dtype, 1, &count));
  STEP(&steps, check_countable(&call, dtype));
  STEP(&steps, element_from(&call, "start", strew_float(start), STREW_TRUNCATE, dtype, &held));
  STEP(&steps, element_from(&call, "stop", strew_float(stop), STREW_TRUNCATE, dtype, &held));
  const struct dense dense = dense_start(&steps, device, dtype, 1, &count, *out);
  const double step = count < 2 ? 0 : width_in(start, stop, (double)(count - 1));
  STEP(&steps, fill_ramp(&call, dense.tensor, 0, count, strew_float(start), strew_float(step)));
  if (count > 1) /* the last element is exactly stop, however the steps are rounded */
    STEP(&steps, fill_ramp(&call, dense.tensor, count - 1, 1, strew_float(stop), strew_float(0)));
  return dense_finish(&steps, &dense, out);
}
