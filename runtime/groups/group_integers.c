/* group_integers.c: sums, products and means of integers and bools in groups, and sums and products of columns in texts.
   They join in int64, which wraps: of unsigned ones, whose sums are uint64, the same bits. A sum or product that leaves
   64 bits is an error, and a mean is right all the same. Sums are looked at only where the range of elements and the
   greatest count let one wrap. */
#include "groups.h"
#include "runtime/core/base/steps.h"

#include <inttypes.h>

static const int64_t radix = INT64_C(1) << 32; /* of the two digits of an int64 */

/* A reduction whose elements have joined in int64: in groups, or, if `grouping` is NULL, along dimensions. */
struct joined {
  struct steps *steps;
  strew_tensor *src;
  strew_grouping *grouping;
  const struct aggregate *aggregate;
  const strew_reduce_options *options;
  int dim;
  strew_dtype dtype;       /* dtype_table_sums */
  strew_tensor *values;    /* the sums or products in it, modulo 2^64 */
  enum may_wrap *may_wrap; /* of sums of src */
};

bool joins_integers(const struct aggregate *aggregate) {
  const strew_reduction reduction = aggregate->options.reduction;
  const strew_dtype src = aggregate->src->dtype, dtype = result_dtype(aggregate);
  if (dtype_is_float(src) || (reduction != STREW_SUM && reduction != STREW_PROD && reduction != STREW_MEAN))
    return false;
  return dtype == dtype_table_sums(src) || dtype == STREW_INT64 || (dtype == src && src != STREW_BOOL) ||
         (dtype == STREW_FLOAT64 && reduction == STREW_MEAN);
}

strew_dtype result_dtype(const struct aggregate *aggregate) {
  const strew_dtype src = aggregate->src->dtype;
  const strew_reduction reduction = aggregate->options.reduction;
  if (aggregate->options.dtype) return *aggregate->options.dtype;
  if (dtype_is_float(src) || reduction == STREW_AMAX || reduction == STREW_AMIN) return src;
  return reduction == STREW_MEAN ? STREW_FLOAT64 : dtype_table_sums(src);
}

strew_status grouping_join_integers(strew_grouping *grouping, const struct aggregate *aggregate,
                                    strew_reduction reduction, strew_dtype dtype, strew_tensor *src, strew_tensor **out,
                                    strew_error *error) {
  struct group_options options = aggregate->options;
  options.reduction = reduction;
  options.dtype = &dtype;
  options.fill = NULL;
  return group_by_grouping(grouping, src, &options, out, NULL, error);
}

/* --------------------------------------------------------------------------------------------------------- failures */

/* Fails if an element of `wrong` is not 0. */
static void check_none(const struct joined *j, strew_tensor *wrong, const char *what, strew_dtype dtype) {
  struct steps *steps = j->steps;
  strew_tensor **found = steps_place(steps);
  strew_scalar group = strew_int(0);
  STEP(steps, strew_nonzero(wrong, found, steps->error));
  if (steps->status != STREW_OK || !(*found)->sizes[0]) return;
  if (!j->grouping) {
    STEP(steps, fail(steps->call, HINTED(STREW_EVALUE, "self", hint_to_floats(steps->call, j->src, "self")),
                     "has a %s that %s cannot hold", what, strew_dtype_name(dtype)));
    return;
  }
  STEP(steps, strew_get(*found, 2, (int64_t[]){0, j->dim}, &group, steps->error));
  STEP(steps, fail(steps->call,
                   (struct fault){.code = STREW_EVALUE,
                                  .argument = "src",
                                  .value = &group,
                                  .hint = dtype == STREW_INT64 || dtype == STREW_UINT64
                                              ? hint_of_floats(j->values->storage->device)
                                          : j->dtype == STREW_UINT64 ? "without 'dtype' it is uint64"
                                                                     : "without 'dtype' it is int64"},
                   "has a %s in group %" PRId64 " that %s cannot hold", what, group.as.i, strew_dtype_name(dtype)));
}

/* The counts, of sizes that broadcast to the results'. */
static strew_tensor *counts_of(const struct joined *j) {
  STEP_INTO(j->steps, counts, grouping_counts_along(j->grouping, j->values->rank, j->dim, counts, j->steps->error));
  return *counts;
}

static strew_status join(const struct joined *j, strew_grouping *grouping, strew_reduction reduction, strew_dtype dtype,
                         strew_tensor *src, strew_tensor **out) {
  if (grouping) return grouping_join_integers(grouping, j->aggregate, reduction, dtype, src, out, j->steps->error);
  return strew_reduce_with(reduction == STREW_PROD ? STREW_FOLD_PROD : STREW_FOLD_SUM, src, j->options, out,
                           j->steps->error);
}

/* Elements that join once more: src's in another dtype, or parts of them. grouping: on src's device. */
STEP_MAKES(step_join, NULL, join(j, grouping, reduction, dtype, src, out), const struct joined *j,
           strew_grouping *grouping, strew_reduction reduction, strew_dtype dtype, strew_tensor *src)

/* ------------------------------------------------------------------------------------------------------------- sums */

static bool exceeds(const struct joined *j, uint64_t magnitude, int64_t count) {
  uint64_t product;
  return __builtin_mul_overflow(magnitude, (uint64_t)count, &product) ||
         (j->dtype == STREW_INT64 && product > INT64_MAX);
}

/* The greatest magnitude that an element has, or less. */
static uint64_t find_magnitude(const struct joined *j) {
  strew_tensor *src = j->src;
  struct index_range range = {0, 0};
  if (src->dtype == STREW_UINT64)
    return strew_tensor_numel(src) ? (uint64_t)step_number(j->steps, STREW_FOLD_AMAX, src).as.i : 0;
  if (src->dtype != STREW_INT64) return UINT64_C(1) << 32; /* of narrower dtypes */
  STEP(j->steps, find_index_range(j->steps->call, src, &range));
  const uint64_t below = range.lowest < 0 ? -(uint64_t)range.lowest : 0;
  const uint64_t above = range.highest > 0 ? (uint64_t)range.highest : 0;
  return below > above ? below : above;
}

/* Decides whether a sum may leave int64, by the greatest magnitude and the greatest group, unless that is known. */
static void decide(const struct joined *j) {
  struct index_range range = {0, 0};
  if (*j->may_wrap != UNKNOWN_WRAP) return;
  const uint64_t magnitude = find_magnitude(j);
  bool may = exceeds(j, magnitude, j->grouping ? strew_grouping_length(j->grouping) : strew_tensor_numel(j->src));
  if (may && j->grouping) {
    const strew_tensor *counts = counts_of(j);
    STEP(j->steps, find_index_range(j->steps->call, counts, &range));
    may = range.highest > 0 && exceeds(j, magnitude, range.highest);
  }
  if (j->steps->status == STREW_OK) *j->may_wrap = may ? MAY_WRAP : NEVER_WRAPS;
}

/* The sums of src / 2^32, rounded down. */
static strew_tensor *sum_high(const struct joined *j) {
  strew_tensor *wide = step_to(j->steps, j->src, NULL, j->dtype);
  strew_tensor *parts =
      step_to(j->steps, step_binary(j->steps, STREW_FLOOR_DIVIDE, wide, radix, NULL), NULL, STREW_INT64);
  return step_join(j->steps, j, j->grouping, STREW_SUM, STREW_INT64, parts);
}

/* A sum exceeds 2^32 times the sum of high parts by less than 2^32 for each element: else it has wrapped. */
static void check_sums(const struct joined *j, strew_tensor *high) {
  strew_tensor *rest = step_binary(j->steps, STREW_FLOOR_DIVIDE, j->values, radix, NULL);
  rest = step_to(j->steps, rest, NULL, STREW_INT64);
  step_binary(j->steps, STREW_SUB, rest, high, rest);
  step_binary(j->steps, STREW_FLOOR_DIVIDE, rest, radix, rest);
  check_none(j, rest, "sum", j->dtype);
}

/* -------------------------------------------------------------------------------------------------------- products */

/* True where float64 products exceed the dtype, or tell another highest bit than the wrapped ones have. Those below 2^64
   are exact to 2^-45: at most 64 of their factors are not 1. Products that are NaN have a factor 0. */
static strew_tensor *find_wrapped(struct steps *steps, strew_tensor *values, strew_tensor *floats, bool is_unsigned) {
  static const double middle = 0x1.6a09e667f3bcdp63; /* between 2^63 and 2^64, where the highest bit tells */
  strew_tensor *size = step_unary(steps, STREW_ABS, floats, NULL);
  strew_tensor *large = step_binary(steps, STREW_GE, size, is_unsigned ? 2 * middle : middle, NULL);
  strew_tensor *out = step_binary(steps, STREW_LT, values, 0, NULL);
  if (is_unsigned) { /* those near 2^63 are right either way */
    step_binary(steps, STREW_LT, out, step_binary(steps, STREW_GE, floats, middle, NULL), out);
  } else {
    step_binary(steps, STREW_NE, out, step_binary(steps, STREW_LT, floats, 0, NULL), out);
  }
  return step_binary(steps, STREW_LOGICAL_OR, out, large, out);
}

/* Multiplies in float64, on the CPU if the device lacks it. */
static void check_products(const struct joined *j) {
  struct steps *steps = j->steps;
  strew_tensor *src = j->src;
  strew_device *device = j->values->storage->device, *at = device->lacks_float64 ? &device->context->cpu : device;
  strew_grouping *near = NULL;
  if (src->dtype == STREW_BOOL) return;
  if (j->grouping) STEP(steps, strew_grouping_to(j->grouping, at, &near, steps->error));
  strew_tensor *near_src = step_to(steps, src, at, near ? src->dtype : STREW_FLOAT64);
  strew_tensor *values = step_to(steps, j->values, at, STREW_INT64);
  strew_tensor *floats = step_join(steps, j, near, STREW_PROD, STREW_FLOAT64, near_src);
  check_none(j, find_wrapped(steps, values, floats, j->dtype == STREW_UINT64), "product", j->dtype);
  strew_grouping_release(near);
}

/* ------------------------------------------------------------------------------------------------------------ means */

/* The exact sums, rounded to float64 once. high: NULL, or the sums of high parts; it is used up. The exact sums are
   high * 2^32 + rest, of which `top` is a float64 near `high`, and what it leaves goes to `rest`. */
static strew_tensor *round_sums(const struct joined *j, strew_tensor *high) {
  struct steps *steps = j->steps;
  if (!high) return step_to(steps, j->values, NULL, STREW_FLOAT64);
  strew_tensor *part = step_binary(steps, STREW_MUL, high, radix, NULL);
  step_binary(steps, STREW_SUB, step_to(steps, j->values, NULL, STREW_INT64), part, part);
  strew_tensor *rest = step_binary(steps, STREW_BITWISE_AND, part, radix - 1, NULL);
  step_binary(steps, STREW_FLOOR_DIVIDE, part, radix, part);
  step_binary(steps, STREW_ADD, high, part, high);
  strew_tensor *top = step_to(steps, high, NULL, STREW_FLOAT64);
  step_binary(steps, STREW_SUB, high, step_to(steps, top, NULL, STREW_INT64), high);
  step_binary(steps, STREW_MUL, high, radix, high);
  step_binary(steps, STREW_ADD, rest, high, rest);
  step_binary(steps, STREW_MUL, top, radix, top);
  return step_binary(steps, STREW_ADD, top, step_to(steps, rest, NULL, STREW_FLOAT64), top);
}

/* Divides sums by the counts: 0 / 0, NaN, for a group without elements, and 0 of integers. */
static strew_tensor *divide_sums(const struct joined *j, strew_tensor *sums, bool is_float) {
  struct steps *steps = j->steps;
  strew_tensor *counts = counts_of(j);
  if (is_float) return step_binary(steps, STREW_DIV, sums, step_to(steps, counts, NULL, STREW_FLOAT64), NULL);
  strew_tensor *by = step_binary(steps, STREW_MAXIMUM, counts, 1, NULL);
  return step_binary(steps, STREW_FLOOR_DIVIDE, sums, step_to(steps, by, NULL, j->dtype), NULL);
}

/* ---------------------------------------------------------------------------------------------------------- results */

/* A converted copy of values, which must fit; or the values, if no result has them and no fill changes them. */
static strew_tensor *narrow(const struct joined *j, strew_tensor *values, const char *what) {
  const strew_dtype dtype = result_dtype(j->aggregate);
  struct steps *steps = j->steps;
  if (steps->status != STREW_OK) return NULL;
  if (dtype == j->dtype && values->references == 1 && !j->aggregate->options.fill)
    return *steps_place(steps) = strew_retain(values);
  strew_tensor *out = step_copy(steps, values, dtype);
  if (dtype == j->dtype) return out;
  const bool is_wrapped = dtype == STREW_INT64; /* the bits of uint64 */
  strew_tensor *wrong = is_wrapped ? step_binary(steps, STREW_LT, out, 0, NULL)
                                   : step_binary(steps, STREW_NE, step_to(steps, out, NULL, j->dtype), values, NULL);
  check_none(j, wrong, what, dtype);
  return out;
}

static strew_tensor *finish(const struct joined *j) {
  const bool is_mean = j->aggregate->options.reduction == STREW_MEAN;
  const bool is_product = j->aggregate->options.reduction == STREW_PROD;
  const bool rounds = is_mean && result_dtype(j->aggregate) == STREW_FLOAT64;
  (is_product ? check_products : decide)(j);
  strew_tensor *high = !is_product && *j->may_wrap == MAY_WRAP ? sum_high(j) : NULL;
  if (high && !rounds) check_sums(j, high);
  if (rounds) return divide_sums(j, round_sums(j, high), true);
  return narrow(j, is_mean ? divide_sums(j, j->values, false) : j->values, is_product ? "product" : "sum");
}

strew_status check_floats_of_device(const struct call *call, const char *word, const strew_tensor *src) {
  const strew_device *device = src->storage->device;
  if (!device->lacks_float64) return STREW_OK;
  return fail(call, HINTED(STREW_EDTYPE, "src", "strew_to(src, float32)"),
              "is %s, whose %s is float64, which device %s does not have", strew_dtype_name(src->dtype), word,
              device->name);
}

strew_status grouping_finish_integers(const struct call *call, strew_grouping *grouping,
                                      const struct aggregate *aggregate, strew_tensor *values, enum may_wrap *may_wrap,
                                      strew_tensor **out) {
  if (result_dtype(aggregate) == STREW_FLOAT64) RETURN_IF_FAILED(check_floats_of_device(call, "mean", aggregate->src));
  STEPS(steps, call);
  struct joined joined = {.steps = &steps,
                          .src = aggregate->src,
                          .grouping = grouping,
                          .aggregate = aggregate,
                          .dim = aggregate->options.dim,
                          .dtype = dtype_table_sums(aggregate->src->dtype),
                          .may_wrap = may_wrap};
  joined.values = joined.dtype == STREW_INT64 ? values : step_to(&steps, values, NULL, joined.dtype);
  STEP(&steps, check_dim(call, aggregate->src->rank, &joined.dim));
  strew_tensor *made = steps.status == STREW_OK ? finish(&joined) : NULL;
  return steps_give(&steps, made, out);
}

strew_status table_fold_integers(strew_fold fold, strew_tensor *src, const strew_reduce_options *options,
                                 strew_tensor **out, strew_error *error) {
  CALL_STEPS(call, steps, fold == STREW_FOLD_PROD ? "prod" : "sum", error, {"self", src});
  enum may_wrap may_wrap = UNKNOWN_WRAP;
  struct joined joined = {
      .steps = &steps, .src = src, .options = options, .dtype = dtype_table_sums(src->dtype), .may_wrap = &may_wrap};
  strew_tensor **made = steps_place(&steps);
  STEP(&steps, strew_reduce_with(fold, src, options, made, steps.error));
  joined.values = step_to(&steps, *made, NULL, joined.dtype);
  if (steps.status != STREW_OK) return steps_give(&steps, NULL, out);
  (fold == STREW_FOLD_PROD ? check_products : decide)(&joined);
  if (may_wrap == MAY_WRAP) check_sums(&joined, sum_high(&joined));
  return steps_give(&steps, joined.values, out);
}
