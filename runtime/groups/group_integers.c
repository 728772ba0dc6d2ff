/* group_integers.c: sums, products and means of integers and bools in groups. They join in int64, which wraps. A wrapped
   sum or product is an error, and a mean is right all the same. Sums are looked at only where the range of elements and
   the greatest count let one wrap. */
#include "groups.h"
#include "runtime/base/copy.h"
#include "runtime/base/device.h"

#include <inttypes.h>

static const int64_t radix = INT64_C(1) << 32; /* of the two digits of an int64 */

/* A reduction whose elements have joined in int64. */
struct joined {
  const struct call *call;
  strew_grouping *grouping;
  const strew_aggregate *aggregate;
  int dim;
  strew_tensor *values;    /* the sums or products, modulo 2^64 */
  enum may_wrap *may_wrap; /* of sums of src */
};

bool joins_integers(const strew_aggregate *aggregate) {
  const strew_reduction reduction = aggregate->options.reduction;
  const strew_dtype src = aggregate->src->dtype, dtype = result_dtype(aggregate);
  if (dtype_is_float(src) || (reduction != STREW_SUM && reduction != STREW_PROD && reduction != STREW_MEAN))
    return false;
  return dtype == (reduction == STREW_MEAN ? STREW_FLOAT64 : STREW_INT64) || dtype == STREW_INT64 ||
         (dtype == src && src != STREW_BOOL);
}

strew_dtype result_dtype(const strew_aggregate *aggregate) {
  const strew_dtype src = aggregate->src->dtype;
  const strew_reduction reduction = aggregate->options.reduction;
  if (aggregate->options.dtype) return *aggregate->options.dtype;
  if (dtype_is_float(src) || reduction == STREW_AMAX || reduction == STREW_AMIN) return src;
  return reduction == STREW_MEAN ? STREW_FLOAT64 : STREW_INT64;
}

strew_status grouping_join_integers(strew_grouping *grouping, const strew_aggregate *aggregate,
                                    strew_reduction reduction, strew_dtype dtype, strew_tensor *src, strew_tensor **out,
                                    strew_error *error) {
  strew_group_options options = aggregate->options;
  options.reduction = reduction;
  options.dtype = &dtype;
  options.fill = NULL;
  return strew_grouping_reduce(grouping, src, &options, out, NULL, error);
}

strew_status grouping_counts_along(strew_grouping *grouping, int rank, int dim, strew_tensor **out,
                                   strew_error *error) {
  int64_t sizes[MAX_RANK];
  strew_tensor *counts = NULL;
  strew_status status = strew_grouping_counts(grouping, &counts, error);
  for (int d = 0; d < rank; d++) sizes[d] = d == dim ? strew_grouping_size(grouping) : 1;
  if (status == STREW_OK) status = strew_view(counts, rank, sizes, out, error);
  strew_release(counts);
  return status;
}

/* --------------------------------------------------------------------------------------------------------- failures */

/* Fails if an element of `wrong` is not 0. */
static strew_status check_none(const struct joined *j, strew_tensor *wrong, const char *what, strew_dtype dtype) {
  strew_tensor *found = NULL;
  strew_scalar group;
  strew_status status = strew_nonzero(wrong, &found, j->call->error);
  const bool is_right = status != STREW_OK || !found->sizes[0];
  if (!is_right) status = strew_get(found, 2, (int64_t[]){0, j->dim}, &group, j->call->error);
  strew_release(found);
  if (is_right || status != STREW_OK) return status;
  return fail(j->call,
              (struct fault){.code = STREW_EVALUE,
                             .argument = "src",
                             .value = &group,
                             .hint = dtype == STREW_INT64 ? "{.dtype = STREW_FLOAT64} computes in floats"
                                                          : "without 'dtype' it is int64"},
              "has a %s in group %" PRId64 " that %s cannot hold", what, group.as.i, strew_dtype_name(dtype));
}

/* ------------------------------------------------------------------------------------------------------------- sums */

static bool exceeds(uint64_t magnitude, int64_t count) {
  uint64_t product;
  return __builtin_mul_overflow(magnitude, (uint64_t)count, &product) || product > INT64_MAX;
}

static strew_status range_of(const struct call *call, strew_tensor *tensor, struct index_range *range) {
  struct plan values;
  strew_device *device = tensor->storage->device;
  *range = (struct index_range){0, 0};
  if (!strew_tensor_numel(tensor)) return STREW_OK;
  plan_index_values(&values, tensor);
  return device->ops->index_range(call, device, &values, range);
}

/* The greatest magnitude that an element has, or less. */
static strew_status find_magnitude(const struct joined *j, uint64_t *magnitude) {
  strew_tensor *src = j->aggregate->src;
  struct index_range range;
  *magnitude = UINT64_C(1) << 32; /* of narrower dtypes */
  if (src->dtype != STREW_INT64) return STREW_OK;
  strew_status status = range_of(j->call, src, &range);
  const uint64_t below = range.lowest < 0 ? -(uint64_t)range.lowest : 0;
  const uint64_t above = range.highest > 0 ? (uint64_t)range.highest : 0;
  *magnitude = below > above ? below : above;
  return status;
}

/* Decides whether a sum may leave int64, by the greatest magnitude and the greatest group, unless that is known. */
static strew_status decide(const struct joined *j) {
  uint64_t magnitude;
  struct index_range range;
  strew_tensor *counts = NULL;
  if (*j->may_wrap != UNKNOWN_WRAP) return STREW_OK;
  strew_status status = find_magnitude(j, &magnitude);
  bool may = status == STREW_OK && exceeds(magnitude, strew_grouping_length(j->grouping));
  if (may) status = strew_grouping_counts(j->grouping, &counts, j->call->error);
  if (may && status == STREW_OK) status = range_of(j->call, counts, &range);
  if (may && status == STREW_OK) may = exceeds(magnitude, range.highest);
  strew_release(counts);
  if (status == STREW_OK) *j->may_wrap = may ? MAY_WRAP : NEVER_WRAPS;
  return status;
}

/* The sums of src / 2^32, rounded down. */
static strew_status sum_high(const struct joined *j, strew_tensor **out) {
  strew_error *error = j->call->error;
  strew_tensor *src = j->aggregate->src, *wide = NULL, *parts = NULL;
  strew_status status = strew_to(src, src->storage->device, STREW_INT64, &wide, error);
  if (status == STREW_OK)
    status = strew_binary(STREW_FLOOR_DIVIDE, strew_of(wide), strew_number(strew_int(radix)), &parts, error);
  if (status == STREW_OK)
    status = grouping_join_integers(j->grouping, j->aggregate, STREW_SUM, STREW_INT64, parts, out, error);
  strew_release(wide);
  strew_release(parts);
  return status;
}

/* A sum exceeds 2^32 times the sum of high parts by less than 2^32 for each element: else it has wrapped. */
static strew_status check_sums(const struct joined *j, strew_tensor *high) {
  const strew_operand divisor = strew_number(strew_int(radix));
  strew_error *error = j->call->error;
  strew_tensor *rest = NULL;
  strew_status status = strew_binary(STREW_FLOOR_DIVIDE, strew_of(j->values), divisor, &rest, error);
  if (status == STREW_OK) status = strew_binary(STREW_SUB, strew_of(rest), strew_of(high), &rest, error);
  if (status == STREW_OK) status = strew_binary(STREW_FLOOR_DIVIDE, strew_of(rest), divisor, &rest, error);
  if (status == STREW_OK) status = check_none(j, rest, "sum", STREW_INT64);
  strew_release(rest);
  return status;
}

/* -------------------------------------------------------------------------------------------------------- products */

/* True where float64 products exceed int64, or have another sign than the wrapped ones. Those below 2^64 are exact to
   2^-45: at most 64 of their factors are not 1. Products that are NaN have a factor 0. */
static strew_status find_wrapped(const struct joined *j, strew_tensor *floats, strew_tensor **out) {
  static const double most = 0x1.6a09e667f3bcdp63; /* between 2^63 and 2^64, where signs differ */
  const strew_operand zero = strew_number(strew_int(0));
  strew_error *error = j->call->error;
  strew_tensor *sizes = NULL, *below = NULL, *large = NULL;
  strew_status status = strew_unary(STREW_ABS, floats, &sizes, error);
  if (status == STREW_OK)
    status = strew_binary(STREW_GE, strew_of(sizes), strew_number(strew_float(most)), &large, error);
  if (status == STREW_OK) status = strew_binary(STREW_LT, strew_of(floats), zero, &below, error);
  if (status == STREW_OK) status = strew_binary(STREW_LT, strew_of(j->values), zero, out, error);
  if (status == STREW_OK) status = strew_binary(STREW_NE, strew_of(*out), strew_of(below), out, error);
  if (status == STREW_OK) status = strew_binary(STREW_LOGICAL_OR, strew_of(*out), strew_of(large), out, error);
  strew_release(sizes);
  strew_release(below);
  strew_release(large);
  return status;
}

/* The products in float64, on the CPU if the device lacks it; and the wrapped ones there. */
static strew_status multiply_floats(const struct joined *j, strew_tensor **floats, strew_tensor **values) {
  strew_error *error = j->call->error;
  strew_device *device = j->values->storage->device, *at = device->lacks_float64 ? &device->context->cpu : device;
  strew_grouping *grouping = NULL;
  strew_tensor *src = NULL;
  strew_status status = strew_grouping_to(j->grouping, at, &grouping, error);
  if (status == STREW_OK) status = strew_to(j->aggregate->src, at, j->aggregate->src->dtype, &src, error);
  if (status == STREW_OK) status = strew_to(j->values, at, STREW_INT64, values, error);
  if (status == STREW_OK)
    status = grouping_join_integers(grouping, j->aggregate, STREW_PROD, STREW_FLOAT64, src, floats, error);
  strew_release(src);
  strew_grouping_release(grouping);
  return status;
}

static strew_status check_products(const struct joined *j) {
  strew_tensor *floats = NULL, *wrapped = NULL;
  struct joined there = *j;
  if (j->aggregate->src->dtype == STREW_BOOL) return STREW_OK;
  there.values = NULL;
  strew_status status = multiply_floats(j, &floats, &there.values);
  if (status == STREW_OK) status = find_wrapped(&there, floats, &wrapped);
  if (status == STREW_OK) status = check_none(j, wrapped, "product", STREW_INT64);
  strew_release(floats);
  strew_release(wrapped);
  strew_release(there.values);
  return status;
}

/* ------------------------------------------------------------------------------------------------------------ means */

/* Writes to `high` and makes `rest` the parts of the exact sums: high * 2^32 + rest, of which `high` is a float64
   written as int64. */
static strew_status split_sums(const struct joined *j, strew_tensor *high, strew_tensor **rest, strew_tensor **top) {
  const strew_operand factor = strew_number(strew_int(radix)), mask = strew_number(strew_int(radix - 1));
  strew_error *error = j->call->error;
  strew_tensor *part = NULL, *whole = NULL;
  strew_status status = strew_binary(STREW_MUL, strew_of(high), factor, &part, error);
  if (status == STREW_OK) status = strew_binary(STREW_SUB, strew_of(j->values), strew_of(part), &part, error);
  if (status == STREW_OK) status = strew_binary(STREW_BITWISE_AND, strew_of(part), mask, rest, error);
  if (status == STREW_OK) status = strew_binary(STREW_FLOOR_DIVIDE, strew_of(part), factor, &part, error);
  if (status == STREW_OK) status = strew_binary(STREW_ADD, strew_of(high), strew_of(part), &high, error);
  if (status == STREW_OK) status = strew_to(high, high->storage->device, STREW_FLOAT64, top, error);
  if (status == STREW_OK) status = strew_to(*top, high->storage->device, STREW_INT64, &whole, error);
  if (status == STREW_OK) status = strew_binary(STREW_SUB, strew_of(high), strew_of(whole), &high, error);
  if (status == STREW_OK) status = strew_binary(STREW_MUL, strew_of(high), factor, &high, error);
  if (status == STREW_OK) status = strew_binary(STREW_ADD, strew_of(*rest), strew_of(high), rest, error);
  strew_release(part);
  strew_release(whole);
  return status;
}

/* The exact sums, rounded to float64 once. high: NULL, or the sums of high parts; it is used up. */
static strew_status round_sums(const struct joined *j, strew_tensor *high, strew_tensor **out) {
  strew_device *device = j->values->storage->device;
  strew_error *error = j->call->error;
  strew_tensor *rest = NULL, *low = NULL;
  if (!high) return strew_to(j->values, device, STREW_FLOAT64, out, error);
  strew_status status = split_sums(j, high, &rest, out);
  if (status == STREW_OK) status = strew_to(rest, device, STREW_FLOAT64, &low, error);
  if (status == STREW_OK) status = strew_binary(STREW_MUL, strew_of(*out), strew_number(strew_int(radix)), out, error);
  if (status == STREW_OK) status = strew_binary(STREW_ADD, strew_of(*out), strew_of(low), out, error);
  strew_release(rest);
  strew_release(low);
  return status;
}

/* Divides sums by the counts: 0 / 0, NaN, for a group without elements, and 0 of integers. */
static strew_status divide_sums(const struct joined *j, strew_tensor *sums, strew_tensor **out) {
  const bool is_float = dtype_is_float(sums->dtype);
  const strew_operand one = strew_number(strew_int(1));
  strew_error *error = j->call->error;
  strew_tensor *counts = NULL, *divisors = NULL;
  strew_status status = grouping_counts_along(j->grouping, sums->rank, j->dim, &counts, error);
  if (status == STREW_OK)
    status = is_float ? strew_to(counts, sums->storage->device, sums->dtype, &divisors, error)
                      : strew_clamp(counts, &one, NULL, &divisors, error);
  if (status == STREW_OK)
    status = strew_binary(is_float ? STREW_DIV : STREW_FLOOR_DIVIDE, strew_of(sums), strew_of(divisors), out, error);
  strew_release(counts);
  strew_release(divisors);
  return status;
}

/* ---------------------------------------------------------------------------------------------------------- results */

/* A converted copy of int64 values, which must fit; or the values, if no result has them and no fill changes them. */
static strew_status narrow(const struct joined *j, strew_tensor *values, const char *what, strew_tensor **out) {
  const strew_dtype dtype = result_dtype(j->aggregate);
  strew_device *device = values->storage->device;
  strew_error *error = j->call->error;
  strew_tensor *again = NULL, *differs = NULL;
  if (dtype == STREW_INT64 && values->references == 1 && !j->aggregate->options.fill)
    return *out = strew_retain(values), STREW_OK;
  strew_status status = copy_as(j->call, values, dtype, out);
  if (status != STREW_OK || dtype == STREW_INT64) return status;
  status = strew_to(*out, device, STREW_INT64, &again, error);
  if (status == STREW_OK) status = strew_binary(STREW_NE, strew_of(again), strew_of(values), &differs, error);
  if (status == STREW_OK) status = check_none(j, differs, what, dtype);
  strew_release(again);
  strew_release(differs);
  return status;
}

static strew_status finish(const struct joined *j, strew_tensor **out) {
  const bool is_mean = j->aggregate->options.reduction == STREW_MEAN;
  const bool is_product = j->aggregate->options.reduction == STREW_PROD;
  const bool rounds = is_mean && result_dtype(j->aggregate) == STREW_FLOAT64;
  strew_tensor *high = NULL, *sums = NULL, *means = NULL;
  strew_status status = is_product ? check_products(j) : decide(j);
  const bool may = !is_product && *j->may_wrap == MAY_WRAP;
  if (status == STREW_OK && may) status = sum_high(j, &high);
  if (status == STREW_OK && may && !rounds) status = check_sums(j, high);
  if (status == STREW_OK && rounds) status = round_sums(j, high, &sums);
  if (status == STREW_OK && rounds) status = divide_sums(j, sums, out);
  if (status == STREW_OK && is_mean && !rounds) status = divide_sums(j, j->values, &means);
  if (status == STREW_OK && !rounds) status = narrow(j, means ? means : j->values, is_product ? "product" : "sum", out);
  strew_release(high);
  strew_release(sums);
  strew_release(means);
  return status;
}

strew_status grouping_finish_integers(const struct call *call, strew_grouping *grouping,
                                      const strew_aggregate *aggregate, strew_tensor *values, enum may_wrap *may_wrap,
                                      strew_tensor **out) {
  struct joined joined = {.call = call,
                          .grouping = grouping,
                          .aggregate = aggregate,
                          .dim = aggregate->options.dim,
                          .values = values,
                          .may_wrap = may_wrap};
  strew_tensor *made = NULL;
  strew_status status = check_dim(call, aggregate->src->rank, &joined.dim);
  if (status == STREW_OK) status = finish(&joined, &made);
  if (status != STREW_OK) return strew_release(made), status;
  return *out = made, STREW_OK;
}
