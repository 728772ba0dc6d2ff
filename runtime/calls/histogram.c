/* histogram.c: counts of values: bincount and histc. */
#include "runtime/base/copy.h"
#include "runtime/base/device.h"
#include "runtime/base/pieces.h"
#include "scatter.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* --------------------------------------------------------------------------------------------------------- bincount */

static strew_status check_counted(const struct call *call, const strew_tensor *self, const strew_tensor *weights,
                                  int64_t minlength) {
  struct fault fault = {.code = STREW_EDTYPE, .argument = "self", .hint = "self:to(\"int64\")"};
  char text[TEXT_BYTES];
  if (self->dtype != STREW_INT64 && self->dtype != STREW_INT32)
    return fail(call, fault, "is %s, expected int64 or int32", strew_dtype_name(self->dtype));
  fault = (struct fault){.code = STREW_ESHAPE, .argument = "self", .hint = "self:flatten()"};
  if (self->rank != 1) return fail(call, fault, "has %d dimensions, expected 1", self->rank);
  fault = (struct fault){.code = STREW_ESHAPE, .argument = "weights"};
  if (weights && (weights->rank != 1 || weights->sizes[0] != self->sizes[0]))
    return fail(call, fault, "has shape %s, expected self's [%" PRId64 "]",
                text_of_sizes(weights->rank, weights->sizes, text), self->sizes[0]);
  strew_scalar value = strew_int(minlength);
  fault = (struct fault){.code = STREW_EARGUMENT, .argument = "minlength", .value = &value};
  if (minlength < 0) return fail(call, fault, "is %" PRId64 ", expected 0 or more", minlength);
  return check_devices(call);
}

/* Fails for the first value outside of lowest..highest. */
static strew_status fail_value(const struct call *call, strew_status code, const strew_tensor *self, int64_t lowest,
                               int64_t highest, const char *rule) {
  struct plan values;
  strew_scalar value = strew_int(0);
  int64_t number = 0, position[MAX_RANK] = {0};
  char at[TEXT_BYTES];
  strew_device *device = self->storage->device;
  plan_index_values(&values, self);
  strew_status status = device->ops->index_check(call, device, &values, lowest, highest, &number);
  if (status == STREW_OK) status = index_value(call, self, number < 0 ? 0 : number, position, &value);
  if (status != STREW_OK) return status;
  struct fault fault = {.code = code, .argument = "self", .value = &value, .position = position};
  fault.position_rank = 1;
  return fail(call, fault, "has value %" PRId64 " at %s, %s", value.as.i, text_of_sizes(1, position, at), rule);
}

/* The number of counts: the largest value + 1, at least minlength. */
static strew_status find_length(const struct call *call, const strew_tensor *self, int64_t minlength, int64_t *length) {
  struct index_range range;
  strew_status status = find_index_range(call, self, &range);
  if (status == STREW_OK && range.lowest < 0)
    return fail_value(call, STREW_EINDEX, self, 0, INT64_MAX, "expected 0 or more");
  *length = range.highest < minlength ? minlength : range.highest < INT64_MAX ? range.highest + 1 : INT64_MAX;
  return status;
}

/* Adds the weights, or 1, to their counts: the index is known to be in range. */
static strew_status add_counts(const struct call *call, const strew_tensor *self, const strew_tensor *weights,
                               strew_tensor *counts) {
  struct addressing addressing = ADDRESSING(self, self, {counts->sizes[0], 0, "the result", STREW_ERROR, false});
  struct scatter_job job = {.addressing = &addressing,
                            .self = counts,
                            .start = counts,
                            .disposable = true,
                            .src = weights,
                            .number = {.i64 = 1},
                            .reduction = STREW_SUM};
  addressing.checked = true;
  strew_status status = fill_tensor(call, counts, (union element){.i64 = 0});
  return status == STREW_OK && strew_tensor_numel(self) ? scatter_run(call, &job) : status;
}

strew_status strew_bincount(strew_tensor *self, strew_tensor *weights, int64_t minlength, strew_tensor **out,
                            strew_error *error) {
  CALL(call, "bincount", error, {"self", self}, {"weights", weights});
  strew_tensor *counts = NULL;
  int64_t length = 0;
  strew_device *device = self->storage->device;
  strew_status status = check_counted(&call, self, weights, minlength);
  if (status == STREW_OK) status = find_length(&call, self, minlength, &length);
  if (status != STREW_OK) return status;
  status = tensor_create(&call, device, weights ? weights->dtype : STREW_INT64, 1, &length, &counts);
  if ((status == STREW_EMEMORY || status == STREW_ESHAPE) && length > minlength && length > self->sizes[0])
    return fail_value(&call, status, self, INT64_MIN, length - 2, "counts up to it do not fit in memory");
  if (status == STREW_OK) status = add_counts(&call, self, weights, counts);
  if (status == STREW_OK)
    *out = counts;
  else
    strew_release(counts);
  return status;
}

/* ------------------------------------------------------------------------------------------------------------ histc */

struct histogram {
  const struct call *call;
  strew_tensor *flat;
  int64_t bins;
  double min, max;
  bool is_own;  /* the range is that of the elements */
  double scale; /* of elements and range: with it no product overflows */
  strew_tensor *counts;
};

static strew_operand number(double value) { return strew_number(strew_float(value)); }

static strew_status extreme(strew_fold fold, strew_tensor *flat, double *out, strew_error *error) {
  strew_tensor *value = NULL;
  strew_scalar scalar = strew_float(0);
  strew_status status = strew_reduce(fold, flat, 0, NULL, false, 0, &value, error);
  if (status == STREW_OK) status = strew_item(value, &scalar, error);
  strew_release(value);
  *out = scalar.as.f;
  return status;
}

/* Fails for an end that the elements' dtype cannot hold. */
static strew_status check_range(const struct histogram *histogram) {
  const strew_dtype dtype = dtype_wide(histogram->flat->dtype);
  char low[TEXT_BYTES], high[TEXT_BYTES];
  union element held;
  if (!isfinite(histogram->min) || !isfinite(histogram->max))
    return fail(histogram->call, (struct fault){.code = STREW_EVALUE, .hint = "min and max set the range"},
                "the range from %s to %s is not finite", text_of_scalar(strew_float(histogram->min), low),
                text_of_scalar(strew_float(histogram->max), high));
  strew_status status = element_from(histogram->call, "min", strew_float(histogram->min), STREW_EXACT, dtype, &held);
  if (status != STREW_OK) return status;
  return element_from(histogram->call, "max", strew_float(histogram->max), STREW_EXACT, dtype, &held);
}

/* An empty range is that of the elements. */
static strew_status find_range(struct histogram *histogram, strew_error *error) {
  const double most = dtype_wide(histogram->flat->dtype) == STREW_FLOAT64 ? DBL_MAX : (double)FLT_MAX;
  strew_status status = STREW_OK;
  histogram->is_own = histogram->min == histogram->max;
  if (histogram->is_own && strew_tensor_numel(histogram->flat)) {
    status = extreme(STREW_FOLD_AMIN, histogram->flat, &histogram->min, error);
    if (status == STREW_OK) status = extreme(STREW_FOLD_AMAX, histogram->flat, &histogram->max, error);
    if (status != STREW_OK) return status;
  }
  const double quarter = (histogram->max / 4 - histogram->min / 4) * (double)histogram->bins;
  histogram->scale = quarter < most / 8 ? 1 : 0x1p-64;
  return check_range(histogram);
}

/* The bins of elements in range: (x - min) * bins / (max - min), rounded toward 0; the last one has max, too. */
static strew_status find_bins(const struct histogram *histogram, strew_tensor *x, strew_tensor **out,
                              strew_error *error) {
  const strew_operand zero = strew_number(strew_int(0)), last = strew_number(strew_int(histogram->bins - 1));
  const double scale = histogram->scale, min = histogram->min * scale, max = histogram->max * scale;
  strew_tensor *scaled = NULL, *bin = NULL, *whole = NULL;
  strew_status status = scale == 1 ? STREW_OK : strew_binary(STREW_MUL, strew_of(x), number(scale), &scaled, error);
  if (status == STREW_OK) status = strew_binary(STREW_SUB, strew_of(scaled ? scaled : x), number(min), &bin, error);
  strew_release(scaled);
  if (status == STREW_OK) status = strew_binary(STREW_MUL, strew_of(bin), number((double)histogram->bins), &bin, error);
  if (status == STREW_OK) status = strew_binary(STREW_DIV, strew_of(bin), number(max - min), &bin, error);
  if (status == STREW_OK) status = strew_to(bin, x->storage->device, STREW_INT64, &whole, error);
  if (status == STREW_OK) status = strew_clamp(whole, &zero, &last, &whole, error);
  strew_release(bin);
  if (status == STREW_OK)
    *out = whole;
  else
    strew_release(whole);
  return status;
}

/* Replaces the bins of elements out of range, and of NaN, by -1. */
static strew_status drop_outside(const struct histogram *histogram, strew_tensor *x, strew_tensor *bins,
                                 strew_error *error) {
  const strew_operand low = number(histogram->min), high = number(histogram->max);
  strew_tensor *nearest = NULL, *is_inside = NULL;
  strew_status status = strew_clamp(x, &low, &high, &nearest, error);
  if (status == STREW_OK) status = strew_binary(STREW_EQ, strew_of(nearest), strew_of(x), &is_inside, error);
  if (status == STREW_OK) status = strew_where(is_inside, strew_of(bins), strew_number(strew_int(-1)), &bins, error);
  strew_release(nearest);
  strew_release(is_inside);
  return status;
}

static strew_status count_piece(const struct histogram *histogram, strew_tensor *piece, strew_error *error) {
  static const strew_scatter_options add = {.reduction = STREW_SUM, .mode = STREW_DROP};
  strew_tensor *x = NULL, *bins = NULL, *counts = histogram->counts;
  strew_status status = strew_to(piece, piece->storage->device, dtype_wide(piece->dtype), &x, error);
  if (status == STREW_OK) status = find_bins(histogram, x, &bins, error);
  if (status == STREW_OK && !histogram->is_own) status = drop_outside(histogram, x, bins, error);
  if (status == STREW_OK) status = strew_scatter(counts, 0, bins, strew_number(strew_int(1)), &add, &counts, error);
  strew_release(x);
  strew_release(bins);
  return status;
}

static strew_status count_all(struct histogram *histogram, strew_tensor **out, strew_error *error) {
  strew_tensor *flat = histogram->flat;
  strew_device *device = flat->storage->device;
  strew_status status = strew_full(device, STREW_INT64, 1, &histogram->bins, strew_int(0), &histogram->counts, error);
  if (status == STREW_OK && histogram->min == histogram->max) { /* all are equal: the bin in the middle */
    const int64_t middle = histogram->bins / 2;
    status = strew_set(histogram->counts, 1, &middle, strew_int(strew_tensor_numel(flat)), error);
  } else if (status == STREW_OK && strew_tensor_numel(flat)) {
    const struct pieces pieces = pieces_of(flat, -1);
    for (int64_t at = 0; at < pieces.size && status == STREW_OK; at += pieces.length) {
      strew_tensor *piece = NULL;
      status = piece_at(&pieces, at, flat, &piece, error);
      if (status == STREW_OK) status = count_piece(histogram, piece, error);
      strew_release(piece);
    }
  }
  return status == STREW_OK ? strew_to(histogram->counts, device, flat->dtype, out, error) : status;
}

static strew_status check_histogram(const struct histogram *histogram, const strew_tensor *self) {
  const struct call *call = histogram->call;
  strew_scalar value = strew_int(histogram->bins);
  char max[TEXT_BYTES], min[TEXT_BYTES];
  strew_status status = check_float(call, "self", self);
  if (status != STREW_OK) return status;
  struct fault fault = {.code = STREW_EARGUMENT, .argument = "bins", .value = &value};
  if (histogram->bins < 1) return fail(call, fault, "is %" PRId64 ", expected 1 or more", histogram->bins);
  value = strew_float(histogram->max);
  fault.argument = "max";
  if (histogram->min > histogram->max)
    return fail(call, fault, "is %s, expected at least min, which is %s", text_of_scalar(value, max),
                text_of_scalar(strew_float(histogram->min), min));
  return STREW_OK;
}

strew_status strew_histc(strew_tensor *self, int64_t bins, double min, double max, strew_tensor **out,
                         strew_error *error) {
  strew_error inner = {.alias = alias_of(error, "histc")};
  CALL(call, "histc", &inner, {"self", self});
  struct histogram histogram = {.call = &call, .bins = bins, .min = min, .max = max};
  strew_status status = check_histogram(&histogram, self);
  if (status == STREW_OK) status = strew_reshape(self, 1, (int64_t[]){-1}, &histogram.flat, &inner);
  if (status == STREW_OK) status = find_range(&histogram, &inner);
  if (status == STREW_OK) status = count_all(&histogram, out, &inner);
  strew_release(histogram.flat);
  strew_release(histogram.counts);
  return report_inner(status, &inner, error);
}
