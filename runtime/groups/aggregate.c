/* aggregate.c: several reductions of a grouping. Those of 1-D columns that need no more than sums, products and
   extremes share one walk over the ids, if the device has one; others are made one by one. */
#include "group_ops.h"
#include "reduce.h"
#include "runtime/reduce/times.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

/* A call. Aggregate i has column number column[i], -1 if it does not share the walk. */
struct aggregating {
  const struct call *call;
  strew_grouping *grouping;
  strew_device *device;
  strew_tensor *counts; /* NULL: not needed */
  int64_t size;         /* groups */
  int count, columns;   /* of aggregates, of columns */
  const struct aggregate *aggregates;
  const strew_group_aggregate *given;
  int *column;
  struct aggregate_column *at;
  struct exact_sums *exact; /* by column: of one that has parts */
  enum may_wrap *may_wrap;  /* by column */
  size_t bytes;             /* of the arrays, which share memory */
};

/* ---------------------------------------------------------------------------------------------------------- columns */

static strew_dtype computed_of(const struct aggregate *aggregate) {
  const strew_dtype dtype = result_dtype(aggregate);
  return dtype_is_float(dtype) && !joins_integers(aggregate) ? dtype_wide(dtype) : STREW_INT64;
}

/* True for a column of the grouping's length and device. */
static bool is_column(const struct aggregating *a, const struct aggregate *aggregate) {
  const strew_tensor *src = aggregate->src;
  const int dim = aggregate->options.dim;
  if (!src || src->rank != 1 || (dim != 0 && dim != -1)) return false;
  return src->sizes[0] == strew_grouping_length(a->grouping) && src->storage->device == a->device;
}

/* True for what the walk takes. Everything else, including errors, goes to group_by_grouping. */
static bool is_shared(const struct aggregating *a, const struct aggregate *aggregate) {
  const struct group_options *options = &aggregate->options;
  const strew_tensor *src = aggregate->src;
  if (!is_column(a, aggregate)) return false;
  if (src->dtype == STREW_UINT64 && !joins_integers(aggregate)) return false;
  if (!group_row_of(options->reduction) || (options->skip_nan && dtype_is_float(src->dtype))) return false;
  if (options->dim_size != -1 || options->mode != STREW_ERROR) return false;
  if (aggregate->is_exact && a->device != &a->device->context->cpu) return false;
  const bool is_extreme = options->reduction == STREW_AMAX || options->reduction == STREW_AMIN;
  const strew_dtype dtype = result_dtype(aggregate);
  if (joins_integers(aggregate) || (dtype == src->dtype && (is_extreme || dtype != STREW_BOOL))) return true;
  return !is_extreme && dtype == STREW_FLOAT64;
}

/* The slot from which an aggregate is made. */
static strew_reduction slot_of(const struct aggregate *aggregate) {
  const strew_reduction reduction = aggregate->options.reduction;
  return reduction == STREW_MEAN ? STREW_SUM : reduction;
}

/* Returns the number of the column for an aggregate, a new one if need be: products have columns of their own. */
static int find_column(struct aggregating *a, const struct aggregate *aggregate) {
  const strew_dtype computed = computed_of(aggregate);
  const bool is_product = slot_of(aggregate) == STREW_PROD;
  for (int c = 0; c < a->columns; c++)
    if (a->at[c].src == aggregate->src && a->at[c].computed == computed &&
        (a->at[c].out[STREW_PROD] != NULL) == is_product && !a->at[c].parts)
      return c;
  a->at[a->columns] = (struct aggregate_column){.src = aggregate->src, .computed = computed};
  return a->columns++;
}

static struct exact_job job_of(const struct aggregating *a, const struct aggregate *aggregate, struct group_call *g) {
  const bool is_mean = aggregate->options.reduction == STREW_MEAN;
  *g = (struct group_call){.grouping = a->grouping, .src = aggregate->src};
  return (struct exact_job){.result = is_mean ? EXACT_MEAN : EXACT_SUM,
                            .x = aggregate->src,
                            .dtype = result_dtype(aggregate),
                            .rank = 1,
                            .sizes = &a->size,
                            .counts = strew_of(is_mean ? a->counts : NULL),
                            .join = group_walk_terms,
                            .user = g};
}

/* A column of parts, unless there are too many for one walk, or limbs. */
static strew_status add_exact(struct aggregating *a, int i) {
  struct group_call g;
  struct exact_sums sums;
  struct aggregate_column column;
  struct exact_job job = job_of(a, &a->aggregates[i], &g);
  for (int c = 0; c < a->columns; c++)
    if (a->at[c].src == job.x && a->at[c].parts) return a->column[i] = c, STREW_OK;
  STEPS(steps, a->call);
  job.most = step_most(&steps, a->grouping);
  exact_open(&steps, &job, &sums);
  if (steps.status != STREW_OK || !exact_is_cut(&sums)) return steps_status(&steps);
  group_cut(&steps, job.x, &sums, &column);
  if (steps.status != STREW_OK) return steps_status(&steps);
  for (int k = 0; k < column.parts; k++) strew_retain(column.part[k]);
  strew_retain(sums.sums);
  a->exact[a->columns] = sums;
  a->at[a->columns] = column;
  a->column[i] = a->columns++;
  return STREW_OK;
}

static strew_status add_slot(struct aggregating *a, int i) {
  const struct aggregate *aggregate = &a->aggregates[i];
  if (aggregate->is_exact) return add_exact(a, i);
  a->column[i] = find_column(a, aggregate);
  struct aggregate_column *column = &a->at[a->column[i]];
  strew_tensor **out = &column->out[slot_of(aggregate)];
  return *out ? STREW_OK : tensor_create(a->call, a->device, column->computed, 1, &a->size, out);
}

/* True if groups without elements need a value: joined sums and products have it. (Groups of keys have elements.) */
static bool has_gaps(const struct aggregating *a, const struct aggregate *aggregate) {
  const bool is_mean = aggregate->options.reduction == STREW_MEAN;
  return !a->grouping->key_count && (aggregate->options.fill || is_mean || !joins_integers(aggregate));
}

/* True if a result is made of the counts: it is one, a mean, or may have groups without elements. */
static bool needs_counts(const struct aggregating *a) {
  bool needs = false;
  for (int i = 0; i < a->count; i++) {
    const struct aggregate *aggregate = &a->aggregates[i];
    const bool is_mean = aggregate->options.reduction == STREW_MEAN;
    needs |= !aggregate->src || (a->column[i] >= 0 && (is_mean || has_gaps(a, aggregate)));
  }
  return needs;
}

static strew_status add_counts(struct aggregating *a) {
  struct aggregate_column *column = &a->at[a->columns++];
  *column = (struct aggregate_column){.computed = STREW_INT64};
  return tensor_create(a->call, a->device, STREW_INT64, 1, &a->size, &column->out[STREW_SUM]);
}

static strew_status walk(struct aggregating *a) {
  const struct group_ids ids = groups_narrow(&a->grouping->groups);
  const bool counts = needs_counts(a) && !a->grouping->groups.counts;
  if (counts) RETURN_IF_FAILED(add_counts(a));
  RETURN_IF_FAILED(groups_walks(&a->grouping->groups)->group_aggregate(a->call, a->device, &ids, a->columns, a->at));
  if (counts) a->grouping->groups.counts = grouping_seal(strew_retain(a->at[a->columns - 1].out[STREW_SUM]));
  return STREW_OK;
}

/* Stores what is read more than once: by others than a walk of all columns, or after it. */
static strew_status store_others(const struct aggregating *a) {
  for (int i = 0; i < a->count; i++) {
    const struct aggregate *aggregate = &a->aggregates[i];
    const bool is_read_once = is_shared(a, aggregate) && !joins_integers(aggregate) && !aggregate->is_exact;
    if (aggregate->src && !is_read_once) RETURN_IF_FAILED(operand_store(a->call, aggregate->src));
  }
  return STREW_OK;
}

/* One aggregate alone has better ways, if the ids are an index. */
static strew_status share_walk(struct aggregating *a) {
  int shared = 0;
  for (int i = 0; i < a->count; i++) a->column[i] = -1;
  if (!groups_walks(&a->grouping->groups)->group_aggregate) return STREW_OK;
  for (int i = 0; i < a->count; i++) shared += is_shared(a, &a->aggregates[i]);
  if (shared < 1 + (a->grouping->groups.wide != NULL)) return STREW_OK;
  for (int i = 0; i < a->count; i++) {
    if (!is_shared(a, &a->aggregates[i])) continue;
    RETURN_IF_FAILED(deferred_open(a->call, a->aggregates[i].src, READ_BY_AGGREGATE, NULL));
    RETURN_IF_FAILED(add_slot(a, i));
  }
  RETURN_IF_FAILED(walk(a));
  for (int i = 0; i < a->count; i++)
    if (a->column[i] >= 0) RETURN_IF_FAILED(deferred_close(a->call, a->aggregates[i].src));
  return STREW_OK;
}

/* ---------------------------------------------------------------------------------------------------------- results */

static strew_status divide(const struct aggregating *a, strew_tensor *sums) {
  struct plan plan;
  PLAN(&plan, 1, sums->sizes, sums, a->counts);
  plan_simplify_any_order(&plan);
  return a->device->ops->divide_by_count(a->call, a->device, &plan, 0);
}

/* The value of groups without elements. */
static strew_scalar empty_value(const struct aggregate *aggregate) {
  const struct group_options *options = &aggregate->options;
  return options->fill ? *options->fill : group_empty(group_row_of(options->reduction), true, result_dtype(aggregate));
}

static void fill_empty(struct steps *steps, const struct aggregating *a, const struct aggregate *aggregate,
                       strew_tensor *result) {
  const strew_scalar value = empty_value(aggregate);
  union element checked;
  int dim = aggregate->options.dim;
  if (steps->status != STREW_OK) return;
  STEP(steps, element_from(steps->call, "fill", value, STREW_EXACT, result->dtype, &checked));
  if (!has_gaps(a, aggregate)) return;
  strew_tensor **counts = steps_place(steps);
  STEP(steps, check_dim(steps->call, result->rank, &dim));
  STEP(steps, grouping_counts_along(a->grouping, result->rank, dim, counts, steps->error));
  strew_tensor *is_empty = step_binary(steps, STREW_EQ, *counts, 0, NULL);
  STEP(steps, strew_masked_fill(result, is_empty, strew_number(value), &result, steps->error));
}

/* Makes the result of an aggregate from its slot, which others may share. */
static strew_tensor *make_result(struct steps *steps, const struct aggregating *a, int i) {
  const struct aggregate *aggregate = &a->aggregates[i];
  struct group_call g;
  const struct exact_job job = job_of(a, aggregate, &g);
  if (aggregate->is_exact) return exact_finish(steps, &job, &a->exact[a->column[i]]);
  strew_tensor *sums = a->at[a->column[i]].out[slot_of(aggregate)];
  if (aggregate->options.reduction == STREW_MEAN) {
    sums = step_copy(steps, sums, sums->dtype);
    STEP(steps, divide(a, sums));
  }
  return step_copy(steps, sums, result_dtype(aggregate));
}

/* The same for integers, of a slot or made here. */
static strew_tensor *make_of_integers(struct steps *steps, const struct aggregating *a, int i) {
  const struct aggregate *aggregate = &a->aggregates[i];
  const int column = a->column[i];
  enum may_wrap unknown = UNKNOWN_WRAP;
  strew_tensor **made = steps_place(steps), **out = steps_place(steps);
  if (column < 0)
    STEP(steps, grouping_join_integers(a->grouping, aggregate, slot_of(aggregate), STREW_INT64, aggregate->src, made,
                                       steps->error));
  STEP(steps, grouping_finish_integers(steps->call, a->grouping, aggregate,
                                       column < 0 ? *made : a->at[column].out[slot_of(aggregate)],
                                       column < 0 ? &unknown : &a->may_wrap[column], out));
  return *out;
}

/* Integers and bools as float64, if the reduction, called `word`, has results between them. */
static strew_tensor *source_of(struct steps *steps, const strew_group_aggregate *given, const char *word) {
  const strew_group_reduction what = given->reduction;
  const bool is_any_spread = what == STREW_GROUP_VAR || what == STREW_GROUP_STD;
  const bool is_spread = is_any_spread && !given->options.dtype;
  if (given->src->dtype == STREW_TIME) return is_any_spread ? times_seconds(steps, given->src) : given->src;
  const strew_interpolation way = given->options.interpolation;
  const bool is_between = what == STREW_GROUP_QUANTILE && (way == STREW_LINEAR || way == STREW_MIDPOINT);
  if (dtype_is_float(given->src->dtype) || !(is_spread || is_between)) return given->src;
  STEP(steps, check_floats_of_device(steps->call, word, given->src));
  return step_to(steps, given->src, NULL, STREW_FLOAT64);
}

/* The result of a reduction that does not join values. No group without elements passes for a number. */
static strew_tensor *make_other(struct steps *steps, const struct aggregating *a, int i) {
  strew_group_aggregate own = a->given[i], *given = &own;
  const bool is_lower = own.reduction == STREW_GROUP_LOWER_MEDIAN;
  if (is_lower || own.reduction == STREW_GROUP_MEDIAN) {
    own.reduction = STREW_GROUP_QUANTILE;
    own.options.q = 0.5;
    own.options.interpolation = is_lower ? STREW_LOWER : STREW_LINEAR;
  }
  const struct group_row *row = &group_rows[given->reduction];
  const strew_group_reduce_options counted = {.dim = given->options.dim, .skip_nan = given->options.skip_nan};
  const strew_groups groups = strew_by_grouping(a->grouping);
  strew_tensor **out = steps_place(steps), **counts = steps_place(steps), *src;
  src = source_of(steps, given, group_rows[a->given[i].reduction].word);
  STEP(steps, src->dtype == STREW_TIME
                  ? strew_group_reduce(groups, given->reduction, src, &given->options, out, NULL, steps->error)
                  : group_reduce(groups, given->reduction, src, &given->options, true, out, NULL, steps->error));
  const bool has_gaps = !a->grouping->key_count || given->options.skip_nan;
  if (steps->status != STREW_OK || !has_gaps || given->options.fill) return *out;
  if (row->empty == row->exact || !dtype_is_float((*out)->dtype)) return *out;
  const strew_scalar empty = group_empty(row, true, (*out)->dtype);
  STEP(steps, strew_group_reduce(groups, STREW_GROUP_COUNT, src, &counted, counts, NULL, steps->error));
  strew_tensor *is_empty = step_binary(steps, STREW_EQ, *counts, 0, NULL);
  STEP(steps, strew_masked_fill(*out, is_empty, strew_number(empty), out, steps->error));
  return *out;
}

static strew_status make_any(const struct aggregating *a, int i, strew_tensor **out) {
  const struct aggregate *aggregate = &a->aggregates[i];
  struct group_options options = aggregate->options;
  *out = NULL;
  if (!aggregate->src) return strew_clone(a->counts, out, a->call->error);
  if (options.reduction == STREW_ASSIGN || (aggregate->is_exact && a->column[i] < 0)) {
    STEPS(steps, a->call);
    return steps_give(&steps, make_other(&steps, a, i), out);
  }
  const bool is_integer = joins_integers(aggregate);
  if (is_integer || a->column[i] >= 0) {
    STEPS(steps, a->call);
    strew_tensor *result = is_integer ? make_of_integers(&steps, a, i) : make_result(&steps, a, i);
    fill_empty(&steps, a, aggregate, result);
    return steps_give(&steps, result, out);
  }
  const strew_scalar value = empty_value(aggregate);
  if (!a->grouping->key_count || options.skip_nan) options.fill = &value; /* else no group is empty */
  return group_by_grouping(a->grouping, aggregate->src, &options, out, NULL, a->call->error);
}

/* True if aggregates i and j are the same exact reduction, without options, of two columns of one dtype. */
static bool are_lines(const struct aggregating *a, int i, int j) {
  const struct aggregate *one = &a->aggregates[i], *other = &a->aggregates[j];
  const struct group_options *options = &other->options;
  if (!one->is_exact || !other->is_exact || one->src->dtype != other->src->dtype) return false;
  if (options->reduction != one->options.reduction || options->fill || options->dtype || options->skip_nan)
    return false;
  return is_column(a, other);
}

/* Where columns share no walk, short ones of aggregate i's reduction become lines of one tensor, which is reduced once:
   launches and waits take longer than the copy, up to so many elements. If that fails, none is made. */
static void make_lines(const struct aggregating *a, int i, strew_tensor *lines[], strew_tensor *made[]) {
  enum { MOST_ELEMENTS = 1 << 21 };
  const int dim = 1;
  int none = -1, count = 0, given_back = 0;
  strew_tensor *src = NULL, *out = NULL;
  for (int j = i; j < a->count; j++)
    if (are_lines(a, i, j)) lines[count++] = a->aggregates[j].src;
  if (count < 2 || strew_grouping_length(a->grouping) > MOST_ELEMENTS / count) return;
  strew_status status = strew_stack(count, lines, 0, &src, a->call->error);
  if (status != STREW_OK) return;
  struct aggregate aggregate = a->aggregates[i];
  strew_group_aggregate given = a->given[i];
  struct aggregating whole = *a;
  aggregate.src = given.src = src;
  aggregate.options.dim = dim;
  given.options.dim = &dim;
  whole.aggregates = &aggregate, whole.given = &given, whole.column = &none;
  status = make_any(&whole, 0, &out);
  for (int j = i; j < a->count && status == STREW_OK; j++)
    if (are_lines(a, i, j)) status = strew_select(out, 0, given_back++, &made[j], a->call->error);
  for (int j = i; j < a->count && status != STREW_OK; j++)
    if (are_lines(a, i, j)) strew_release(made[j]), made[j] = NULL;
  strew_release(src), strew_release(out);
}

static strew_status make_all(struct aggregating *a, strew_tensor *out[]) {
  const size_t bytes = 2 * (size_t)a->count * sizeof(strew_tensor *);
  strew_status status = STREW_OK;
  ALLOCATE_NEW(strew_tensor **, made, a->call, a->device->context, bytes);
  memset(made, 0, bytes);
  for (int i = 0; i < a->count && status == STREW_OK; i++) {
    if (!made[i] && !groups_walks(&a->grouping->groups)->group_aggregate) make_lines(a, i, made + a->count, made);
    if (!made[i]) status = make_any(a, i, &made[i]);
  }
  for (int i = 0; i < a->count; i++)
    if (status == STREW_OK)
      out[i] = made[i];
    else
      strew_release(made[i]);
  memory_free(a->device->context, made, bytes);
  return status;
}

/* ------------------------------------------------------------------------------------------------------------- call */

static strew_status aggregating_open(struct aggregating *a) {
  const size_t columns = (size_t)a->count + 1; /* that of the counts */
  a->bytes = columns * (sizeof *a->at + sizeof *a->exact + sizeof *a->column + sizeof *a->may_wrap);
  ALLOCATE(a->at, a->call, a->device->context, a->bytes);
  a->exact = (struct exact_sums *)(void *)(a->at + columns);
  a->column = (int *)(void *)(a->exact + columns);
  a->may_wrap = (enum may_wrap *)(void *)(a->column + columns);
  for (size_t c = 0; c < columns; c++) a->may_wrap[c] = UNKNOWN_WRAP;
  return STREW_OK;
}

static void aggregating_close(struct aggregating *a) {
  for (int c = 0; c < a->columns; c++) {
    for (int r = 0; r < STREW_REDUCTION_COUNT; r++) strew_release(a->at[c].out[r]);
    for (int k = 0; k < a->at[c].parts; k++) strew_release(a->at[c].part[k]);
    if (a->at[c].parts) strew_release(a->exact[c].sums);
  }
  strew_release(a->counts);
  memory_free(a->device->context, a->at, a->bytes);
}

static strew_status aggregate(struct aggregating *a, strew_tensor *out[]) {
  strew_status status = STREW_OK;
  a->device = strew_grouping_device(a->grouping);
  a->size = strew_grouping_size(a->grouping);
  for (int i = 0; i < a->count && status == STREW_OK; i++)
    if (a->aggregates[i].src) {
      status = check_alive(a->call, "aggregates", i, a->aggregates[i].src);
      if (!group_is_timed(a->given[i].reduction, a->aggregates[i].src))
        TRY(status, check_is_number(a->call, "src", a->aggregates[i].src));
    }
  TRY(status, aggregating_open(a));
  TRY(status, store_others(a));
  TRY(status, share_walk(a));
  if (status == STREW_OK && needs_counts(a)) status = groups_counts(a->call, &a->grouping->groups, &a->counts);
  TRY(status, make_all(a, out));
  aggregating_close(a);
  return status;
}

static strew_status check_count(const struct call *call, int64_t count) {
  if (count >= 0 && count < INT_MAX) return STREW_OK;
  if (count < 0) return fail(call, FAULT(STREW_EARGUMENT, "count"), "is %" PRId64 ", expected 0 or more", count);
  return fail(call, FAULT(STREW_EARGUMENT, "count"), "is %" PRId64 ", expected less than %d", count, INT_MAX);
}

/* Checks an aggregate, and gives every option its value. */
static strew_status read_aggregate(const struct call *call, const strew_group_aggregate *given,
                                   struct aggregate *read) {
  const bool is_known = (unsigned)given->reduction < STREW_GROUP_REDUCTION_COUNT;
  if (!is_known) return fail_unknown(call, "reduction", (int)given->reduction, STREW_GROUP_REDUCTION_COUNT - 1);
  *read = (struct aggregate){.src = given->src};
  if (!given->src && given->reduction != STREW_GROUP_COUNT) return fail(call, FAULT(STREW_EARGUMENT, "src"), "is NULL");
  strew_status status = group_take_options(call, given->reduction, &given->options, false, false, &read->options);
  const bool joins = group_rows[given->reduction].options & WITH_SIZES && !group_is_timed(given->reduction, given->src);
  read->is_exact = joins && given->options.exact && given->src && dtype_is_float(given->src->dtype);
  if (!joins) read->options.reduction = STREW_ASSIGN;
  return status;
}

strew_status strew_grouping_aggregate_with(strew_grouping *grouping, int64_t count,
                                           const strew_group_aggregate aggregates[], strew_tensor *out[],
                                           strew_error *error) {
  CALL_STEPS(call, steps, "grouping_aggregate", error, IDS_OF(grouping));
  strew_context *context = strew_grouping_device(grouping)->context;
  if (STEP(&steps, check_count(&call, count)) != STREW_OK || count == 0) return steps_status(&steps);
  const size_t bytes = (size_t)count * sizeof(struct aggregate);
  struct aggregate *read = memory_allocate(context, bytes);
  if (!read) STEP(&steps, fail_memory(&call, context, bytes));
  for (int64_t i = 0; i < count; i++) STEP(&steps, read_aggregate(&call, &aggregates[i], &read[i]));
  struct aggregating a = {.call = &call, .grouping = grouping, .count = (int)count, .aggregates = read};
  a.given = aggregates;
  STEP(&steps, aggregate(&a, out));
  memory_free(context, read, bytes);
  return steps_status(&steps);
}
