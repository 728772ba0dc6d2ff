/* histogram.c: counts of values: bincount, histc and histogram. */
#include "groups.h"
#include "runtime/core/base/device.h"
#include "runtime/core/base/steps.h"
#include "runtime/core/scatter.h"
#include "runtime/reduce/pieces.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* --------------------------------------------------------------------------------------------------------- bincount */

static strew_status check_counted(const struct call *call, const strew_tensor *self, const strew_tensor *weights,
                                  int64_t minlength) {
  struct fault fault = {.code = STREW_EDTYPE, .argument = "self", .hint = "strew_to(self, int64)"};
  char text[TEXT_BYTES];
  if (dtype_category(self->dtype) != INTEGER)
    return fail(call, fault, "is %s, expected an integer dtype", strew_dtype_name(self->dtype));
  fault = HINTED(STREW_ESHAPE, "self", "strew_flatten(self)");
  if (self->rank != 1) return fail(call, fault, "has %d dimensions, expected 1", self->rank);
  fault = FAULT(STREW_ESHAPE, "weights");
  if (weights && (weights->rank != 1 || weights->sizes[0] != self->sizes[0]))
    return fail(call, fault, "has shape %s, expected self's [%" PRId64 "]",
                text_of_sizes(weights->rank, weights->sizes, text), self->sizes[0]);
  fault = VALUED(STREW_EARGUMENT, "minlength", strew_int(minlength));
  if (minlength < 0) return fail(call, fault, "is %" PRId64 ", expected 0 or more", minlength);
  return check_devices(call);
}

/* Fails for the first value outside of lowest..highest. */
static strew_status fail_value(const struct call *call, strew_status code, const strew_tensor *self, int64_t lowest,
                               int64_t highest, const char *rule) {
  strew_scalar value = strew_int(0);
  int64_t number, position[MAX_RANK] = {0};
  char is[TEXT_BYTES], at[TEXT_BYTES];
  RETURN_IF_FAILED(find_outside(call, self, lowest, highest, &number));
  RETURN_IF_FAILED(index_value(call, self, number < 0 ? 0 : number, position, &value));
  struct fault fault = {.code = code, .argument = "self", .value = &value, .position = position};
  fault.position_rank = 1;
  RETURN_IF_FAILED(given_value(call, "self", 1, position, &value));
  return fail(call, fault, "has value %s at %s, %s", text_of_scalar(value, is), text_of_sizes(1, position, at), rule);
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
  return strew_tensor_numel(self) ? TRY(status, scatter_run(call, &job)) : status;
}

strew_status strew_bincount(strew_tensor *self, strew_tensor *weights, int64_t minlength, strew_tensor **out,
                            strew_error *error) {
  CALL_STEPS(call, steps, "bincount", error, {"self", self}, {"weights", weights});
  INDEX(&call, self);
  int64_t length = 0;
  STEP(&steps, check_counted(&call, self, weights, minlength));
  if (STEP(&steps, find_length(&call, self, minlength, &length)) != STREW_OK) return steps.status;
  const strew_dtype dtype = weights ? weights->dtype : STREW_INT64;
  strew_tensor *counts = step_new(&steps, self->storage->device, dtype, 1, &length);
  if ((steps.status == STREW_EMEMORY || steps.status == STREW_ESHAPE) && length > minlength && length > self->sizes[0])
    return fail_value(&call, steps.status, self, INT64_MIN, length - 2, "counts up to it do not fit in memory");
  STEP(&steps, add_counts(&call, self, weights, counts));
  return steps_give(&steps, counts, out);
}

/* ------------------------------------------------------------------------------------------------------------ histc */

struct histogram {
  strew_tensor *flat;
  int64_t bins;
  double min, max;
  bool is_own;  /* the range is that of the elements */
  double scale; /* of elements and range: with it no product overflows */
};

/* Fails for an end that the elements' dtype cannot hold. */
static strew_status check_range(const struct call *call, const struct histogram *histogram, strew_dtype dtype) {
  char low[TEXT_BYTES], high[TEXT_BYTES];
  union element held;
  if (!isfinite(histogram->min) || !isfinite(histogram->max))
    return fail(call, (struct fault){.code = STREW_EVALUE, .hint = "min and max set the range"},
                "the range from %s to %s is not finite", text_of_scalar(strew_float(histogram->min), low),
                text_of_scalar(strew_float(histogram->max), high));
  strew_status status = element_from(call, "min", strew_float(histogram->min), STREW_EXACT, dtype, &held);
  return TRY(status, element_from(call, "max", strew_float(histogram->max), STREW_EXACT, dtype, &held));
}

/* An empty range is that of the elements. */
static void find_range(struct steps *steps, struct histogram *histogram, strew_tensor *self) {
  const strew_dtype dtype = dtype_wide(self->dtype);
  const double most = dtype == STREW_FLOAT64 ? DBL_MAX : (double)FLT_MAX;
  histogram->is_own = histogram->min == histogram->max;
  if (histogram->is_own && strew_tensor_numel(self)) {
    histogram->min = step_number(steps, STREW_FOLD_AMIN, histogram->flat).as.f;
    histogram->max = step_number(steps, STREW_FOLD_AMAX, histogram->flat).as.f;
  }
  const double quarter = (histogram->max / 4 - histogram->min / 4) * (double)histogram->bins;
  histogram->scale = quarter < most / 8 ? 1 : 0x1p-64;
  STEP(steps, check_range(steps->call, histogram, dtype));
}

/* The bins of elements in range: (x - min) * bins / (max - min), rounded toward 0; the last one has max, too. */
static strew_tensor *find_bins(struct steps *steps, const struct histogram *histogram, strew_tensor *x) {
  const strew_operand zero = operand_of_int(0), last = operand_of_int(histogram->bins - 1);
  const double scale = histogram->scale, min = histogram->min * scale, max = histogram->max * scale;
  const int mark = steps->count;
  strew_tensor *scaled = scale == 1 ? x : step_binary(steps, STREW_MUL, x, scale, NULL);
  strew_tensor *bin = steps_keep(steps, mark, step_binary(steps, STREW_SUB, scaled, min, NULL));
  step_binary(steps, STREW_MUL, bin, (double)histogram->bins, bin);
  step_binary(steps, STREW_DIV, bin, max - min, bin);
  strew_tensor *whole = steps_keep(steps, mark, step_to(steps, bin, NULL, STREW_INT64));
  STEP(steps, strew_clamp_with(whole, zero, last, &whole, steps->error));
  return whole;
}

/* Replaces the bins of elements out of range, and of NaN, by -1. */
static void drop_outside(struct steps *steps, const struct histogram *histogram, strew_tensor *x, strew_tensor *bins) {
  const strew_operand low = operand_of_float(histogram->min), high = operand_of_float(histogram->max);
  STEP_INTO(steps, nearest, strew_clamp_with(x, low, high, nearest, steps->error));
  strew_tensor *is_inside = step_binary(steps, STREW_EQ, *nearest, x, NULL);
  STEP(steps, strew_where(is_inside, strew_of(bins), operand_of_int(-1), &bins, steps->error));
}

static void count_piece(struct steps *steps, const struct histogram *histogram, strew_tensor *piece,
                        strew_tensor *counts) {
  static const strew_scatter_options add = {.reduction = STREW_SUM, .mode = STREW_DROP};
  strew_tensor *x = step_to(steps, piece, NULL, dtype_wide(histogram->flat->dtype));
  strew_tensor *bins = find_bins(steps, histogram, x);
  if (!histogram->is_own) drop_outside(steps, histogram, x, bins);
  STEP(steps, strew_scatter(counts, 0, bins, operand_of_int(1), &add, &counts, steps->error));
}

static void count_pieces(struct steps *steps, const struct histogram *histogram, strew_tensor *counts) {
  const struct pieces pieces = pieces_of(histogram->flat, -1);
  for (int64_t at = 0; at < pieces.size && steps->status == STREW_OK; at += pieces.length) {
    const int mark = steps->count;
    count_piece(steps, histogram, step_piece(steps, &pieces, at, histogram->flat), counts);
    steps_keep(steps, mark, NULL);
  }
}

static strew_tensor *count_all(struct steps *steps, const struct histogram *histogram, strew_tensor *self) {
  strew_device *device = self->storage->device;
  const int64_t numel = strew_tensor_numel(self), middle = histogram->bins / 2;
  strew_tensor *counts = step_full(steps, device, STREW_INT64, 1, &histogram->bins, strew_int(0));
  if (histogram->min == histogram->max) /* all are equal: the bin in the middle */
    STEP(steps, strew_set(counts, 1, &middle, strew_int(numel), steps->error));
  else if (steps->status == STREW_OK && numel)
    count_pieces(steps, histogram, counts);
  return step_to(steps, counts, NULL, self->dtype);
}

static strew_status check_histogram(const struct call *call, const struct histogram *histogram,
                                    const strew_tensor *self) {
  strew_scalar value = strew_int(histogram->bins);
  char max[TEXT_BYTES], min[TEXT_BYTES];
  RETURN_IF_FAILED(check_float(call, "self", self));
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
  CALL_STEPS(call, steps, "histc", error, {"self", self});
  struct histogram histogram = {.bins = bins, .min = min, .max = max};
  STEP(&steps, check_histogram(&call, &histogram, self));
  histogram.flat = step_reshape(&steps, self, 1, (int64_t[]){-1});
  find_range(&steps, &histogram, self);
  return steps_give(&steps, count_all(&steps, &histogram, self), out);
}

/* ------------------------------------------------------------------------------------------------------- histogram */

/* Points, and the edges of bins, in each dimension. */
struct grid {
  int count;
  strew_tensor *const *coordinates, *const *edges;
  int64_t sizes[MAX_RANK], cells; /* the number of bins, in each dimension and in all */
};

/* Errors keep the names. */
static const char *const entries_of_coordinates[MAX_RANK] = ENTRIES("coordinates");
static const char *const entries_of_edges[MAX_RANK] = ENTRIES("edges");

/* Fails unless the edges ascend, without NaN. */
static void check_ascending(struct steps *steps, strew_tensor *edges, const char *name) {
  const int mark = steps->count;
  const int64_t n = edges->sizes[0];
  strew_scalar value = strew_int(0);
  char text[TEXT_BYTES];
  strew_tensor *after = step_narrow(steps, edges, 0, 1, n - 1), *before = step_narrow(steps, edges, 0, 0, n - 1);
  strew_tensor *less = step_binary(steps, STREW_GE, after, before, NULL);
  step_unary(steps, STREW_LOGICAL_NOT, less, less);
  if (step_number(steps, STREW_FOLD_ANY, less).as.i && steps->status == STREW_OK) {
    const int64_t at = step_number(steps, STREW_FOLD_ARGMAX, less).as.i + 1;
    STEP(steps, strew_get(edges, 1, &at, &value, steps->error));
    struct fault fault = {STREW_EVALUE, name, &value, &at, 1, NULL, false};
    STEP(steps, fail(steps->call, fault, "has value %s at [%" PRId64 "], expected values in ascending order",
                     strew_scalar_text(value, edges->dtype, text), at));
  }
  steps_keep(steps, mark, NULL);
}

static strew_status check_dimension(struct call *call, const strew_tensor *const first, const strew_tensor *coordinate,
                                    const strew_tensor *edges, const char *const names[2]) {
  char is[TEXT_BYTES], expected[TEXT_BYTES];
  call->operands[0].name = names[0], call->operands[0].tensor = coordinate;
  call->operands[1].name = names[1], call->operands[1].tensor = edges;
  RETURN_IF_FAILED(check_devices(call));
  if (coordinate->rank != first->rank ||
      memcmp(coordinate->sizes, first->sizes, (size_t)first->rank * sizeof *first->sizes) != 0)
    return fail(call, FAULT(STREW_ESHAPE, names[0]), "has shape %s, expected %s",
                text_of_sizes(coordinate->rank, coordinate->sizes, is),
                text_of_sizes(first->rank, first->sizes, expected));
  RETURN_IF_FAILED(check_equal_dtypes(call, names[1], edges->dtype, names[0], coordinate->dtype));
  if (edges->rank == 1 && edges->sizes[0] >= 2) return STREW_OK;
  return fail(call, FAULT(STREW_ESHAPE, names[1]), "has shape %s, expected one dimension of at least 2 edges",
              text_of_sizes(edges->rank, edges->sizes, is));
}

static void check_grid(struct steps *steps, struct call *call, struct grid *grid, const strew_tensor *weights) {
  struct fault fault = VALUED(STREW_EARGUMENT, "count", strew_int(grid->count));
  char is[TEXT_BYTES], expected[TEXT_BYTES];
  if (grid->count < 1 || grid->count > MAX_RANK)
    STEP(steps, fail(call, fault, "is %d, expected 1..%d", grid->count, MAX_RANK));
  grid->cells = 1;
  for (int d = 0; d < grid->count && steps->status == STREW_OK; d++) {
    const strew_tensor *first = grid->coordinates[0];
    STEP(steps, check_listed(call, "coordinates", d, grid->coordinates[d], 0));
    STEP(steps, check_listed(call, "edges", d, grid->edges[d], 0));
    const char *const names[2] = {entries_of_coordinates[d], entries_of_edges[d]};
    if (STEP(steps, check_dimension(call, first, grid->coordinates[d], grid->edges[d], names))) break;
    check_ascending(steps, grid->edges[d], names[1]);
    grid->sizes[d] = grid->edges[d]->sizes[0] - 1;
    if (__builtin_mul_overflow(grid->cells, grid->sizes[d], &grid->cells))
      STEP(steps, fail(call, FAULT(STREW_ESHAPE, "edges"), "make more bins than int64 can count"));
  }
  if (steps->status != STREW_OK || !weights) return;
  const strew_tensor *first = grid->coordinates[0];
  if (weights->rank != first->rank || memcmp(weights->sizes, first->sizes, (size_t)first->rank * sizeof *first->sizes))
    STEP(steps,
         fail(call, FAULT(STREW_ESHAPE, "weights"), "has shape %s, expected %s",
              text_of_sizes(weights->rank, weights->sizes, is), text_of_sizes(first->rank, first->sizes, expected)));
}

/* The bin of each coordinate, which is less than 0, or too large, beside the edges. */
static strew_tensor *find_bin(struct steps *steps, strew_tensor *x, strew_tensor *edges) {
  const int mark = steps->count;
  STEP_INTO(
      steps, bin,
      strew_searchsorted_with(edges, strew_of(x), &(strew_searchsorted_options){.right = true}, bin, steps->error));
  strew_tensor *last = step_view(steps, step_narrow(steps, edges, 0, -1, 1), 0, NULL);
  strew_tensor *at_end = step_to(steps, step_binary(steps, STREW_EQ, x, last, NULL), NULL, STREW_INT64);
  step_binary(steps, STREW_SUB, *bin, at_end, *bin);
  return steps_keep(steps, mark, step_binary(steps, STREW_SUB, *bin, 1, *bin));
}

/* The row-major number of each point's bin; -1 outside of them. */
static strew_tensor *find_cells(struct steps *steps, const struct grid *grid) {
  strew_tensor *cells = NULL, *inside = NULL;
  for (int d = 0; d < grid->count; d++) {
    const int mark = steps->count;
    strew_tensor *bin = find_bin(steps, grid->coordinates[d], grid->edges[d]);
    strew_tensor *is_above = step_binary(steps, STREW_GE, bin, 0, NULL);
    strew_tensor *is_below = step_binary(steps, STREW_LT, bin, grid->sizes[d], NULL);
    step_binary(steps, STREW_LOGICAL_AND, is_above, is_below, is_above);
    if (!d) {
      cells = bin, inside = is_above;
      continue;
    }
    step_binary(steps, STREW_LOGICAL_AND, inside, is_above, inside);
    step_binary(steps, STREW_MUL, cells, grid->sizes[d], cells);
    step_binary(steps, STREW_ADD, cells, bin, cells);
    steps_keep(steps, mark, NULL);
  }
  return step_where(steps, inside, cells, -1);
}

strew_status strew_histogram(int count, strew_tensor *const *coordinates, strew_tensor *const *edges,
                             strew_tensor *weights, strew_tensor **counts, strew_tensor **bins, strew_error *error) {
  static const strew_scatter_options add = {.reduction = STREW_SUM, .mode = STREW_DROP};
  CALL_STEPS(call, steps, "histogram", error, {0}, {0}, {"weights", weights});
  struct grid grid = {.count = count, .coordinates = coordinates, .edges = edges};
  check_grid(&steps, &call, &grid, weights);
  strew_tensor *cells = steps.status == STREW_OK ? find_cells(&steps, &grid) : NULL, *sums = NULL;
  if (counts) {
    strew_tensor *flat = step_view(&steps, cells, 1, (int64_t[]){-1}), *added = NULL;
    if (weights) added = step_reshape(&steps, weights, 1, (int64_t[]){-1});
    if (steps.status == STREW_OK)
      sums = step_full(&steps, cells->storage->device, weights ? weights->dtype : STREW_INT64, 1, &grid.cells,
                       strew_int(0));
    STEP(&steps, strew_scatter(sums, 0, flat, added ? strew_of(added) : operand_of_int(1), &add, &sums, steps.error));
    sums = step_view(&steps, sums, count, grid.sizes);
  }
  if (counts) steps_give(&steps, sums, counts);
  if (bins) steps_give(&steps, cells, bins);
  return steps_status(&steps);
}
