/* group_reduce.c: strew_group_reduce: of groups by an index or a grouping (reduce.c), of text and times by their order, and
   of segments: what joins values in order does not look at each element's group, other reductions take the index that
   ends stand for. */
#include "reduce.h"
#include "runtime/reduce/times.h"
#include "segment.h"

#include <inttypes.h>
#include <math.h>

/* --------------------------------------------------------------------------------------------- calls that reduce */

/* A call that reduces segments. */
struct segment_call {
  struct group_call g;
  struct segments given;
  strew_tensor *ends;          /* of lengths: made here */
  bool by_lengths, has_axis;   /* has_axis: segment_reduce, with PyTorch's values of segments without elements */
  int64_t count;               /* of segments */
  int axis;                    /* if it has one */
  const strew_scalar *initial; /* NULL: none */
  strew_scalar empty;          /* of values that join: that of segments without elements */
  union element start;         /* if there is an initial value */
};

static strew_status check_count(const struct call *call, const struct segments *given, int64_t count,
                                const int64_t *dim_size) {
  if (!dim_size || *dim_size == count) return STREW_OK;
  return fail(call, FAULT(STREW_ESHAPE, "dim_size"), "is %" PRId64 ", %s has %" PRId64 " segments", *dim_size,
              given->name, count);
}

static strew_status check_no_mode(const struct call *call, const struct segments *given, strew_mode mode) {
  if (mode == STREW_ERROR) return STREW_OK;
  return fail(call, FAULT(STREW_EARGUMENT, "mode"), "cannot be combined with '%s', whose values are checked",
              given->name);
}

/* Joins values of each segment: sums, products, means, extremes. */
static bool is_joined(const struct segment_call *c) { return c->g.row->options & WITH_SIZES; }

/* Values of segments without elements: by PyTorch's rules the identity, and for a mean of floats NaN. */
static strew_scalar empty_of(const struct segment_call *c, strew_dtype dtype) {
  const strew_reduction reduction = c->g.row->reduction;
  if (c->g.given->fill) return *c->g.given->fill;
  if (c->initial) return *c->initial;
  if (!c->has_axis) return group_empty(c->g.row, false, dtype);
  if (reduction == STREW_MEAN && dtype_is_float(dtype)) return strew_float((double)NAN);
  return strew_scalar_load(dtype, element_identity(reduction, dtype).bytes);
}

/* What only values that join have: an initial value, and a dtype that is known before. */
static void check_joined(struct segment_call *c, strew_tensor *out) {
  struct group_call *g = &c->g;
  struct steps *steps = g->steps;
  const struct call *call = steps->call;
  const strew_dtype dtype = g->given->dtype ? *g->given->dtype : g->src->dtype;
  union element checked;
  STEP(steps, group_check_dtype(call, &g->options, g->src));
  if (c->initial && g->given->fill)
    STEP(steps, fail(call, FAULT(STREW_EARGUMENT, "fill"),
                     "cannot be combined with 'initial', the value of segments without elements"));
  if (steps->status != STREW_OK) return;
  c->empty = empty_of(c, dtype);
  if (c->initial) STEP(steps, element_from(call, "initial", *c->initial, STREW_EXACT, dtype, &c->start));
  if (g->given->fill) STEP(steps, element_from(call, "fill", *g->given->fill, STREW_EXACT, dtype, &checked));
  segments_check_out(steps, &c->given, c->count, dtype, out);
}

/* The ends of segments: those given, or of lengths. */
static strew_tensor *checked_ends(struct steps *steps, const struct segments *given, bool by_lengths) {
  STEP(steps, by_lengths ? segments_check_lengths(steps, given) : segments_check_ends(steps->call, given));
  return by_lengths && steps->status == STREW_OK ? segments_ends_of_lengths(steps, given->tensor) : given->tensor;
}

/* All checks of a call, and its ends. */
static void check_call(struct segment_call *c, strew_tensor *out) {
  struct group_call *g = &c->g;
  struct steps *steps = g->steps;
  const struct call *call = steps->call;
  STEP(steps, group_call_check(g, false));
  if (c->initial && !is_joined(c))
    STEP(steps, fail(call, FAULT(STREW_EARGUMENT, "initial"), "is given, but \"%s\" does not take it", g->row->word));
  if (STEP(steps, segments_check(call, &c->given)) != STREW_OK) return;
  c->count = c->by_lengths ? c->given.tensor->sizes[c->given.dim] : segments_between(&c->given, c->given.tensor);
  STEP(steps,
       segments_check_axis(call, &c->given, c->has_axis ? "axis" : "dim", c->has_axis ? &c->axis : g->given->dim));
  STEP(steps, check_count(call, &c->given, c->count, g->given->dim_size));
  STEP(steps, check_no_mode(call, &c->given, g->given->mode));
  if (is_joined(c)) check_joined(c, out);
  c->ends = checked_ends(steps, &c->given, c->by_lengths);
}

/* Joins the elements of each segment in order, into *out, which is given or made. */
static void join_segments(struct segment_call *c, strew_tensor **out) {
  struct group_call *g = &c->g;
  struct steps *steps = g->steps;
  struct segments given = c->given;
  if (g->given->dtype && *g->given->dtype != g->src->dtype) given.src = step_to(steps, g->src, NULL, *g->given->dtype);
  if (steps->status != STREW_OK) return;
  struct segment_reduction reducing = segments_reduction(&given, g->row->reduction);
  reducing.ends = c->ends;
  if (c->initial) reducing.start = c->start;
  STEP(steps, element_from(steps->call, "fill", c->empty, STREW_EXACT, given.src->dtype, &reducing.empty));
  segments_reduce(steps, &reducing, out, g->arg);
}

/* Into given sums, which stay their owner's. */
static strew_status join_ends_of(const struct call *call, const struct segment_call *c, strew_tensor *term,
                                 strew_tensor *sums) {
  STEPS(steps, call);
  struct segments given = c->given;
  given.src = term;
  struct segment_reduction reducing = segments_reduction(&given, STREW_SUM);
  reducing.ends = c->ends;
  segments_reduce(&steps, &reducing, &sums, NULL);
  return steps_status(&steps);
}

static void join_ends(struct steps *steps, void *c, int count, strew_tensor *const *terms, strew_tensor *const *sums) {
  for (int i = 0; i < count; i++) STEP(steps, join_ends_of(steps->call, c, terms[i], sums[i]));
}

/* The number of elements of each segment, broadcast to the results' shape. */
static strew_tensor *lengths_of(struct steps *steps, const struct segment_call *c, const struct shape1 *shape) {
  const int dim = c->given.dim;
  if (steps->status != STREW_OK) return NULL;
  strew_tensor *ends = step_to(steps, c->ends, NULL, STREW_INT64);
  strew_tensor *from = step_narrow(steps, ends, dim, 0, c->count), *to = step_narrow(steps, ends, dim, 1, c->count);
  strew_tensor *lengths = step_binary(steps, STREW_SUB, to, from, NULL);
  int64_t sizes[MAX_RANK];
  for (int d = 0; d < shape->rank; d++) sizes[d] = lengths && d <= dim ? lengths->sizes[d] : 1;
  return step_expand(steps, step_view(steps, lengths, shape->rank, sizes), shape->rank, shape->sizes);
}

/* Exact sums or means, on devices that do not add by number: limbs are joined by the ends. */
static bool joins_exactly(const struct segment_call *c) {
  const struct group_call *g = &c->g;
  const bool is_sum = g->row->reduction == STREW_SUM || g->row->reduction == STREW_MEAN;
  return is_joined(c) && is_sum && !group_skips(g) && !c->initial && !g->src->storage->device->ops->exact->by;
}

static strew_tensor *join_exactly(struct segment_call *c) {
  struct group_call *g = &c->g;
  struct steps *steps = g->steps;
  struct shape1 shape = c->given.shape;
  const bool is_mean = g->row->reduction == STREW_MEAN;
  const strew_dtype dtype = g->given->dtype ? *g->given->dtype : g->src->dtype;
  strew_tensor *x = g->src;
  if (dtype_wide(x->dtype) != dtype_wide(dtype)) x = step_to(steps, x, NULL, dtype);
  x = step_view(steps, x, shape.rank, shape.sizes);
  if (steps->status != STREW_OK) return NULL;
  const int64_t most = shape.sizes[c->given.dim];
  shape.sizes[c->given.dim] = c->count;
  strew_tensor *lengths = is_mean || g->given->fill ? lengths_of(steps, c, &shape) : NULL;
  const struct exact_job job = {.result = is_mean ? EXACT_MEAN : EXACT_SUM,
                                .x = x,
                                .dtype = dtype,
                                .rank = shape.rank,
                                .sizes = shape.sizes,
                                .most = most,
                                .counts = strew_of(lengths),
                                .join = join_ends,
                                .user = c};
  strew_tensor *result = exact_results(steps, &job);
  if (!lengths || steps->status != STREW_OK) return result;
  strew_tensor *is_empty = step_binary(steps, STREW_EQ, lengths, 0, NULL);
  STEP(steps, strew_masked_fill(result, is_empty, strew_number(c->empty), &result, steps->error));
  return result;
}

/* The same by an index, for exact sums on other devices, and where elements that are NaN are skipped. */
static strew_tensor *join_by_index(struct segment_call *c) {
  struct group_call *g = &c->g;
  struct steps *steps = g->steps;
  struct shape1 shape = c->given.shape;
  strew_tensor **target = steps_place(steps);
  const strew_dtype dtype = g->given->dtype ? *g->given->dtype : g->src->dtype;
  shape.sizes[c->given.dim] = c->count;
  g->options.fill = c->initial ? NULL : &c->empty;
  if (c->initial)
    STEP(steps, strew_full(g->src->storage->device, dtype, shape.rank, shape.sizes, *c->initial, target, steps->error));
  STEP(steps, group_by_index(g->src, g->index, &g->options, target, g->arg, steps->error));
  return *target;
}

static strew_tensor *reduce_by_index(struct segment_call *c) {
  struct group_call *g = &c->g;
  if (g->steps->status != STREW_OK) return NULL;
  g->index = segments_index(g->steps, &c->given, c->ends);
  g->options.dim = c->given.dim;
  g->options.dim_size = c->count;
  g->options.mode = STREW_DROP;
  if (is_joined(c)) return join_by_index(c);
  STEP(g->steps, operand_store(g->steps->call, g->src));
  return group_call_run(g, NULL);
}

static strew_status reduce_segments(struct segment_call *c, strew_tensor **out) {
  struct steps *steps = c->g.steps;
  check_call(c, *out);
  if (steps->status != STREW_OK) return steps_status(steps);
  const bool is_exact = c->g.given->exact && c->g.row->options & WITH_EXACT && dtype_is_float(c->g.src->dtype);
  if (is_joined(c) && !is_exact && !group_skips(&c->g)) {
    join_segments(c, out);
    return steps_status(steps);
  }
  if (is_exact && joins_exactly(c)) STEP(steps, operand_store(steps->call, c->g.src));
  strew_tensor *result = is_exact && joins_exactly(c) ? join_exactly(c) : reduce_by_index(c);
  groups_close(&c->g.groups);
  if (!*out || steps->status != STREW_OK) return steps_give(steps, result, out);
  segments_check_out(steps, &c->given, c->count, result->dtype, *out);
  STEP(steps, copy_tensor(steps->call, *out, result));
  return steps_status(steps);
}

static strew_status by_ends(strew_tensor *indptr, strew_group_reduction reduction, strew_tensor *src,
                            const strew_group_reduce_options *options, strew_tensor **out, strew_tensor **arg,
                            strew_error *error) {
  CALL_STEPS(call, steps, "segment_csr", error, {"src", src, READ_ONCE}, {"indptr", indptr}, {"out", *out});
  INDEX(&call, indptr);
  if (!src) return fail(&call, FAULT(STREW_EARGUMENT, "src"), "is NULL");
  struct segment_call c = {.given = segments_of("indptr", indptr, "src", src)};
  group_call_start(&c.g, &steps, reduction, strew_by_index(NULL), src, options);
  c.g.arg = arg;
  return reduce_segments(&c, out);
}

/* ------------------------------------------------------------------------------------------------- by their order

   Reductions of groups of text and times that need no more than their order: extremes, first and last elements, counts.
   They are those of order keys (tensor.h). Missing elements, empty words and NaT, are what NaN is to floats; of a group
   without elements the result is one, or `fill`. */

/* A call of strew_group_reduce whose src is text or times. */
struct ordered_call {
  struct steps *steps;
  strew_groups groups;
  strew_group_reduction reduction;
  const strew_group_reduce_options *given;
  strew_tensor *src, *out; /* out: NULL, or with codes of the call's list */
  strew_tensor **arg;
  enum order_key kind;
  bool is_least; /* of a minimum, or a first element */
};

static bool is_of_text(const struct ordered_call *c) { return c->src->dtype == STREW_TEXT; }

static bool is_of_order(strew_group_reduction reduction, const strew_tensor *src) {
  if (!src || dtype_is_number(src->dtype) || (unsigned)reduction >= STREW_GROUP_REDUCTION_COUNT) return false;
  return group_rows[reduction].options & BY_ORDER || group_is_timed(reduction, src);
}

/* The key that no element has but missing ones: it never wins. NaT has it by the kind of key. */
static int64_t none_of(const struct ordered_call *c) {
  if (is_of_text(c)) return c->is_least ? INT32_MAX : -1;
  return c->is_least ? INT64_MAX : INT64_MIN;
}

/* Where elements are missing; NULL: nowhere. */
static strew_tensor *missing_of(const struct ordered_call *c, strew_tensor *x) {
  int64_t code = INT64_MIN, below;
  struct steps *steps = c->steps;
  if (is_of_text(c)) STEP(steps, text_ops.find_word(steps->call, "", false, &code, &below));
  if (is_of_text(c) && code < 0) return NULL;
  return step_binary(steps, STREW_EQ, step_key(steps, x, KEY_EQUAL), code, NULL);
}

/* Keys of src, in which missing elements never win if they are skipped. */
static strew_tensor *keys_of_src(const struct ordered_call *c) {
  strew_tensor *keys = step_key(c->steps, c->src, c->kind);
  if (!c->given->skip_nan || (!is_of_text(c) && !c->out)) return keys;
  strew_tensor *is_missing = missing_of(c, c->src);
  return is_missing ? step_where(c->steps, is_missing, none_of(c), keys) : keys;
}

static strew_tensor *reduce_keys(const struct ordered_call *c, strew_group_reduction reduction, strew_tensor *x,
                                 const strew_scalar *fill, strew_tensor *into, strew_tensor **arg) {
  strew_group_reduce_options own = *c->given;
  strew_tensor **out = steps_place(c->steps), *given = into;
  own.fill = fill;
  own.skip_nan = false;
  STEP(c->steps, strew_group_reduce(c->groups, reduction, x, &own, into ? &given : out, arg, c->steps->error));
  return into ? into : *out;
}

/* The dimension of groups along which positions count. */
static int positions_dim(const struct ordered_call *c, int rank) {
  int dim = c->given->dim ? *c->given->dim : -1;
  const strew_tensor *ends = c->groups.ends ? c->groups.ends : c->groups.is_sorted ? c->groups.index : NULL;
  if (ends) dim = ends->rank ? ends->rank - 1 : 0;
  STEP(c->steps, check_dim(c->steps->call, rank, &dim));
  return dim;
}

/* src's size along it, which is the place of no element. */
static int64_t length_along(const struct ordered_call *c) {
  const struct shape1 shape = shape_at_least_1d(c->src);
  const int dim = positions_dim(c, shape.rank);
  return c->steps->status == STREW_OK ? shape.sizes[dim] : 0;
}

/* First or last elements that are not missing: by their positions. */
static strew_tensor *choose_present(const struct ordered_call *c, strew_tensor *keys, strew_tensor *is_missing,
                                    strew_tensor **is_none) {
  struct steps *steps = c->steps;
  const struct shape1 shape = shape_at_least_1d(c->src);
  const int dim = positions_dim(c, shape.rank);
  int64_t sizes[MAX_RANK];
  if (steps->status != STREW_OK) return NULL;
  for (int d = 0; d < shape.rank; d++) sizes[d] = d == dim ? shape.sizes[d] : 1;
  const strew_scalar none = strew_int(c->is_least ? shape.sizes[dim] : -1);
  strew_tensor *line = step_count(steps, c->src->storage->device, sizes[dim]);
  strew_tensor *at = step_expand(steps, step_view(steps, line, shape.rank, sizes), shape.rank, shape.sizes);
  strew_tensor *seen = step_reshape(steps, is_missing, shape.rank, shape.sizes);
  at = step_where(steps, seen, none, at);
  at = reduce_keys(c, c->is_least ? STREW_GROUP_MIN : STREW_GROUP_MAX, at, &none, NULL, NULL);
  *is_none = step_binary(steps, STREW_EQ, at, none, NULL);
  return step_gather(steps, step_reshape(steps, keys, shape.rank, shape.sizes), dim, at, STREW_DROP);
}

/* Finds the key that a group of times without elements has. */
static strew_scalar time_fill(const struct ordered_call *c) {
  strew_operand fill = strew_number(c->given->fill ? *c->given->fill : strew_int(INT64_MIN));
  if (c->given->fill) STEP(c->steps, check_comparable(c->steps->call, "fill", STREW_TIME, &fill));
  return strew_int((int64_t)((uint64_t)fill.number.as.i - (c->kind == KEY_SORTED)));
}

/* is_none: NULL if the keys have their fill. */
static strew_tensor *times_of(const struct ordered_call *c, strew_tensor *keys, strew_tensor *is_none) {
  struct steps *steps = c->steps;
  if (is_none) keys = step_where(steps, is_none, time_fill(c), keys);
  if (steps->status == STREW_OK) STEP(steps, text_ops.from_key(steps->call, keys, STREW_TIME, c->kind));
  return keys;
}

/* Text with `fill`, else the empty word, where there is none. */
static strew_tensor *words_of_keys(const struct ordered_call *c, strew_tensor *keys, strew_tensor *is_none) {
  struct steps *steps = c->steps;
  strew_operand fill = strew_number(c->given->fill ? *c->given->fill : strew_string(""));
  STEP(steps, check_comparable(steps->call, "fill", STREW_TEXT, &fill));
  if (fill.number.dtype == STREW_TEXT)
    STEP(steps, fail(steps->call, FAULT(STREW_EDTYPE, "fill"), "is a code of text, expected a string"));
  if (!is_none && steps->status == STREW_OK) STEP(steps, text_ops.from_key(steps->call, keys, STREW_TEXT, c->kind));
  if (!is_none || steps->status != STREW_OK) return keys;
  const strew_scalar any = step_number(steps, STREW_FOLD_ANY, is_none);
  if (steps->status != STREW_OK) return NULL;
  if (!any.as.i) return text_ops.from_key(steps->call, keys, STREW_TEXT, c->kind), keys;
  STEP_INTO(steps, word, text_ops.full(steps->call, keys->storage->device, fill.number.as.s, 0, NULL, word));
  if (steps->status != STREW_OK) return NULL;
  if (!strew_tensor_numel(c->src))
    return step_copy(steps, step_expand(steps, *word, keys->rank, keys->sizes), STREW_TEXT);
  strew_tensor *text = step_where(steps, is_none, 0, keys);
  if (steps->status == STREW_OK) STEP(steps, text_ops.from_key(steps->call, text, STREW_TEXT, c->kind));
  STEP(steps, strew_masked_fill(text, is_none, strew_of(*word), &text, steps->error));
  return text;
}

/* Minima, maxima, first and last elements. */
static strew_tensor *choose_keys(struct ordered_call *c) {
  struct steps *steps = c->steps;
  const bool is_extreme = c->reduction == STREW_GROUP_MIN || c->reduction == STREW_GROUP_MAX;
  const bool skips = c->given->skip_nan;
  const bool is_filled = c->out || (!skips && !is_of_text(c)); /* else what no element is gets its fill afterwards */
  const strew_scalar none = is_filled ? time_fill(c) : strew_int(none_of(c));
  strew_tensor *is_missing = skips && !is_extreme ? missing_of(c, c->src) : NULL, *is_none = NULL, *found;
  strew_tensor *keys = keys_of_src(c), *out = NULL;
  if (c->out && steps->status == STREW_OK) out = step_copy(steps, step_key(steps, c->out, c->kind), keys->dtype);
  if (is_missing) {
    found = choose_present(c, keys, is_missing, &is_none);
  } else {
    found = reduce_keys(c, c->reduction, keys, out ? NULL : &none, out, c->arg);
    if (!is_filled) is_none = step_binary(steps, STREW_EQ, found, none, NULL);
  }
  if (skips && is_none && c->arg && steps->status == STREW_OK) {
    strew_tensor *places = *c->arg;
    STEP(steps, strew_masked_fill(places, is_none, OPERAND(length_along(c)), &places, steps->error));
  }
  if (steps->status != STREW_OK) return NULL;
  return is_of_text(c) ? words_of_keys(c, found, is_none) : times_of(c, found, is_none);
}

static strew_tensor *count_keys(struct ordered_call *c) {
  struct steps *steps = c->steps;
  strew_tensor *keys = step_key(steps, c->src, KEY_EQUAL);
  strew_tensor *is_missing = c->given->skip_nan ? missing_of(c, c->src) : NULL;
  if (!is_missing) return reduce_keys(c, c->reduction, keys, NULL, NULL, NULL);
  if (c->reduction == STREW_GROUP_COUNT) {
    strew_tensor *is_there = step_to(steps, step_unary(steps, STREW_LOGICAL_NOT, is_missing, NULL), NULL, STREW_INT64);
    return reduce_keys(c, STREW_GROUP_SUM, is_there, NULL, NULL, NULL);
  }
  strew_tensor *counts = reduce_keys(c, c->reduction, keys, NULL, NULL, NULL);
  strew_tensor *has_missing = reduce_keys(c, STREW_GROUP_ANY, is_missing, NULL, NULL, NULL);
  return step_binary(steps, STREW_SUB, counts, step_to(steps, has_missing, NULL, STREW_INT64), counts);
}

/* ------------------------------------------------------------------------------------------- statistics of times

   Of microseconds, in int64. Missing elements leave their groups, or make the results of these NaT. */

bool group_is_timed(strew_group_reduction reduction, const strew_tensor *src) {
  static const bool are[STREW_GROUP_REDUCTION_COUNT] = {
      [STREW_GROUP_MEAN] = true,         [STREW_GROUP_VAR] = true,    [STREW_GROUP_STD] = true,
      [STREW_GROUP_LOWER_MEDIAN] = true, [STREW_GROUP_MEDIAN] = true, [STREW_GROUP_QUANTILE] = true};
  return src && src->dtype == STREW_TIME && are[reduction];
}

/* Elements where is_missing is true belong to no group. own: the options from then on, by an index along *dim. */
static void leave_missing(struct ordered_call *c, strew_tensor *is_missing, strew_group_reduce_options *own, int *dim,
                          int64_t *size) {
  struct steps *steps = c->steps;
  strew_tensor *counts = reduce_keys(c, STREW_GROUP_COUNT, c->src, NULL, NULL, NULL);
  if (steps->status != STREW_OK) return;
  *dim = positions_dim(c, c->src->rank);
  *size = counts->sizes[*dim];
  own->dim = dim;
  STEP_INTO(steps, ids, strew_group_ids(c->groups, c->src, own, ids, steps->error));
  STEP(steps, strew_masked_fill(*ids, is_missing, operand_of_int(-1), ids, steps->error));
  c->groups = strew_by_index(*ids);
  own->dim_size = size;
  own->mode = STREW_DROP;
}

static strew_tensor *sum_groups(struct steps *steps, void *c, strew_tensor *x) {
  (void)steps;
  return reduce_keys(c, STREW_GROUP_SUM, x, NULL, NULL, NULL);
}

static strew_tensor *ranked(const struct ordered_call *c, strew_tensor *x, double q, strew_interpolation way) {
  strew_group_reduce_options own = *c->given;
  own.q = q;
  own.interpolation = way;
  STEP_INTO(c->steps, out, strew_group_reduce(c->groups, STREW_GROUP_QUANTILE, x, &own, out, NULL, c->steps->error));
  return *out;
}

static strew_tensor *quantile_of_times(const struct ordered_call *c, strew_tensor *x, strew_tensor *counts, double q,
                                       strew_interpolation way) {
  if (way != STREW_LINEAR && way != STREW_MIDPOINT) return ranked(c, x, q, way);
  strew_tensor *low = ranked(c, x, q, STREW_LOWER), *high = ranked(c, x, q, STREW_HIGHER);
  return times_between(c->steps, low, high, counts, q, way == STREW_MIDPOINT);
}

static strew_tensor *statistic_of_times(struct ordered_call *c) {
  struct steps *steps = c->steps;
  const strew_group_reduce_options *given = c->given;
  strew_group_reduce_options own = {.dim = given->dim, .dim_size = given->dim_size, .mode = given->mode};
  int dim;
  int64_t size;
  const struct shape1 shape = shape_at_least_1d(c->src);
  strew_tensor *x = c->src = step_view(steps, step_key(steps, c->src, KEY_EQUAL), shape.rank, shape.sizes), *out;
  strew_tensor *is_missing = step_binary(steps, STREW_EQ, x, INT64_MIN, NULL), *has_missing = NULL;
  const strew_scalar fill = time_fill(c);
  c->given = &own;
  const bool is_any = step_number(steps, STREW_FOLD_ANY, is_missing).as.i;
  if (is_any && given->skip_nan)
    leave_missing(c, is_missing, &own, &dim, &size);
  else if (is_any)
    has_missing = reduce_keys(c, STREW_GROUP_ANY, is_missing, NULL, NULL, NULL);
  strew_tensor *counts = reduce_keys(c, STREW_GROUP_COUNT, x, NULL, NULL, NULL);
  if (c->reduction == STREW_GROUP_MEAN)
    out = times_mean(steps, x, counts, sum_groups, c);
  else if (c->reduction == STREW_GROUP_QUANTILE)
    out = quantile_of_times(c, x, counts, given->q, given->interpolation);
  else
    out = ranked(c, x, 0.5, STREW_LOWER);
  if (has_missing) out = step_where(steps, has_missing, INT64_MIN, out);
  out = step_where(steps, step_binary(steps, STREW_EQ, counts, 0, NULL), fill, out);
  return times_of(c, out, NULL);
}

static void check_order(struct ordered_call *c, strew_tensor *out) {
  struct steps *steps = c->steps;
  struct group_options options;
  const bool is_timed = group_is_timed(c->reduction, c->src);
  if (is_timed && (c->out || c->given->dtype))
    STEP(steps, fail(steps->call, FAULT(STREW_EARGUMENT, c->out ? "out" : "dtype"),
                     "is given, but a statistic of times is a new tensor of times"));
  STEP(steps, group_take_options(steps->call, c->reduction, c->given, out && !is_timed, c->arg != NULL, &options));
  if (c->given->dtype && *c->given->dtype != c->src->dtype)
    STEP(steps, fail(steps->call, FAULT(STREW_EDTYPE, "dtype"), "is %s, the result has src's, %s",
                     strew_dtype_name(*c->given->dtype), strew_dtype_name(c->src->dtype)));
  if (out && out->dtype != c->src->dtype)
    STEP(steps, fail(steps->call, FAULT(STREW_EDTYPE, "out"), "is %s, expected %s", strew_dtype_name(out->dtype),
                     strew_dtype_name(c->src->dtype)));
  if (c->out && c->given->fill)
    STEP(steps, fail(steps->call, FAULT(STREW_EARGUMENT, "fill"),
                     "cannot be combined with 'out', which keeps the values of empty groups"));
}

static strew_status reduce_in_order(strew_groups groups, strew_group_reduction reduction, strew_tensor *src,
                                    const strew_group_reduce_options *options, strew_tensor **out, strew_tensor **arg,
                                    strew_error *error) {
  strew_tensor seen; /* has codes of the call's list, *out those of its own */
  if (*out) seen = **out;
  CALL_STEPS(call, steps, group_rows[reduction].call, error, {"src", src, ORDERED}, GROUPS_OF(groups),
             {"out", *out ? &seen : NULL, ORDERED});
  if (reduction == STREW_GROUP_VAR || reduction == STREW_GROUP_STD) {
    strew_tensor *seconds = times_seconds(&steps, src);
    STEP(&steps, strew_group_reduce(groups, reduction, seconds, options, out, arg, steps.error));
    return steps_status(&steps);
  }
  strew_group_reduce_options own = *options;
  own.dtype = NULL;
  struct ordered_call c = {.steps = &steps, .groups = groups, .reduction = reduction, .given = options, .src = src};
  const bool is_timed = group_is_timed(reduction, src);
  c.out = *out && !groups.ends && !(is_timed && groups.is_sorted) ? &seen : NULL; /* segments do not take part */
  c.arg = arg;
  c.is_least = reduction == STREW_GROUP_MIN || reduction == STREW_GROUP_FIRST;
  const bool is_extreme = reduction == STREW_GROUP_MIN || reduction == STREW_GROUP_MAX;
  const bool nat_is_least = c.is_least != (options->skip_nan && is_extreme && !c.out);
  c.kind = src->dtype == STREW_TIME && (nat_is_least || is_timed) ? KEY_LEAST : KEY_SORTED;
  check_order(&c, *out);
  c.given = &own;
  if (steps.status != STREW_OK) return steps_status(&steps);
  const bool is_counted = reduction == STREW_GROUP_COUNT || reduction == STREW_GROUP_NUNIQUE;
  strew_tensor *result = is_counted ? count_keys(&c) : is_timed ? statistic_of_times(&c) : choose_keys(&c);
  if (!*out || steps.status != STREW_OK) return steps_give(&steps, result, out);
  bool made;
  STEP(&steps, out_prepare(&call, result->storage->device, result->dtype, result->rank, result->sizes, out, &made));
  STEP(&steps, strew_copy(*out, result, steps.error));
  return steps_status(&steps);
}

/* -------------------------------------------------------------------------------------------- calls of segments */

/* Segments of text and times. */
static strew_status by_order(struct steps *steps, const struct segments *given, bool by_lengths, const int *axis,
                             strew_group_reduction reduction, const strew_scalar *initial,
                             const strew_group_reduce_options *options, strew_tensor **out) {
  const struct call *call = steps->call;
  STEP(steps, segments_check(call, given));
  STEP(steps, segments_check_axis(call, given, "axis", axis));
  if (initial)
    STEP(steps, fail(call, FAULT(STREW_EARGUMENT, "initial"), "is given, but 'data' is %s",
                     strew_dtype_name(given->src->dtype)));
  strew_tensor *ends = checked_ends(steps, given, by_lengths);
  STEP(steps, strew_group_reduce(strew_by_ends(ends), reduction, given->src, options, out, NULL, steps->error));
  return steps_status(steps);
}

strew_status strew_segment_reduce_with(strew_tensor *data, strew_tensor *lengths, strew_tensor *offsets, int axis,
                                       strew_group_reduction reduction, const strew_scalar *initial,
                                       const strew_group_reduce_options *options, strew_tensor **out,
                                       strew_error *error) {
  const bool is_ordered = is_of_order(reduction, data);
  CALL_STEPS(call, steps, "segment_reduce", error, {"data", data, is_ordered ? ORDERED : READ_ONCE},
             {"lengths", lengths}, {"offsets", offsets}, {"out", *out, is_ordered ? RESULT : 0});
  OPTIONS(strew_group_reduce_options);
  INDEX(&call, lengths);
  INDEX(&call, offsets);
  if ((unsigned)reduction >= STREW_GROUP_REDUCTION_COUNT)
    return fail_unknown(&call, "reduction", (int)reduction, STREW_GROUP_REDUCTION_COUNT - 1);
  if (!lengths == !offsets)
    return fail(&call, FAULT(STREW_EARGUMENT, "lengths"), "%s",
                lengths ? "and 'offsets' are both given, expected one" : "or 'offsets' is missing");
  const struct segments given = segments_of(lengths ? "lengths" : "offsets", lengths ? lengths : offsets, "data", data);
  if (is_ordered) return by_order(&steps, &given, lengths != NULL, &axis, reduction, initial, options, out);
  struct segment_call c = {
      .given = given, .by_lengths = lengths != NULL, .has_axis = true, .axis = axis, .initial = initial};
  group_call_start(&c.g, &steps, reduction, strew_by_index(NULL), data, options);
  return reduce_segments(&c, out);
}

/* True of a reduction into a new result that ends may do: it joins values in order, by no option but dim_size. */
static bool is_simple(const struct group_row *row, const strew_group_reduce_options *given, bool has_arg) {
  if (given->fill || given->dtype || given->skip_nan || given->exact || given->mode != STREW_ERROR) return false;
  return row->options & WITH_SIZES && !find_untaken(row, given, false, has_arg);
}

static strew_status by_sorted(strew_tensor *index, strew_group_reduction reduction, strew_tensor *src,
                              const strew_group_reduce_options *options, strew_tensor **out, strew_tensor **arg,
                              strew_error *error) {
  CALL_STEPS(call, steps, "segment_coo", error, {"src", src, READ_ONCE}, {"index", index}, {"out", *out});
  INDEX(&call, index);
  if (!src) return fail(&call, FAULT(STREW_EARGUMENT, "src"), "is NULL");
  strew_tensor line = segments_line(index);
  struct segments given = segments_of("index", &line, "src", src);
  strew_group_reduce_options own = *options;
  struct group_options joined = {.dim = given.dim, .reduction = group_rows[reduction].reduction, .mode = STREW_ERROR};
  const bool is_index = dtype_category(index->dtype) == INTEGER, is_new = !*out;
  bool has_negative = false;
  if (own.dim) STEP(&steps, segments_check_axis(&call, &given, "dim", own.dim));
  own.dim = &given.dim;
  STEP(&steps, read_dim_size(&call, own.dim_size, &joined.dim_size));
  if (is_index) STEP(&steps, segments_check_sorted(&call, &given, &has_negative));
  if (steps.status == STREW_OK && is_index && is_new && !has_negative &&
      is_simple(&group_rows[reduction], &own, arg != NULL) && segments_are_plain(&given, src, &joined, arg))
    segments_reduce_sorted(&steps, &given, joined.dim_size, joined.reduction, out, arg);
  if (!(is_new && *out))
    STEP(&steps, group_reduce(strew_by_index(index), reduction, src, &own, false, out, arg, error));
  if (steps.status == STREW_EINDEX && has_negative) return segments_fail_negative(&call, &given);
  return steps_status(&steps);
}
strew_status strew_group_reduce(strew_groups groups, strew_group_reduction reduction, strew_tensor *src,
                                const strew_group_reduce_options *options, strew_tensor **out, strew_tensor **arg,
                                strew_error *error) {
  const bool is_known = (unsigned)reduction < STREW_GROUP_REDUCTION_COUNT;
  static const strew_group_reduce_options defaults;
  options = options ? options : &defaults;
  if (is_of_order(reduction, src)) return reduce_in_order(groups, reduction, src, options, out, arg, error);
  if (is_known && groups.ends) return by_ends(groups.ends, reduction, src, options, out, arg, error);
  if (is_known && groups.is_sorted) return by_sorted(groups.index, reduction, src, options, out, arg, error);
  return group_reduce(groups, reduction, src, options, false, out, arg, error);
}

/* -------------------------------------------------------------------------------------------------------------- ids */

strew_status strew_group_ids(strew_groups groups, strew_tensor *src, const strew_group_reduce_options *options,
                             strew_tensor **out, strew_error *error) {
  CALL_STEPS(call, steps, "group_ids", error, {"src", src}, GROUPS_OF(groups));
  strew_tensor *index = groups.index;
  INDEX(&call, index);
  groups.index = index;
  struct group_call g;
  group_call_start(&g, &steps, STREW_GROUP_COUNT, groups, src,
                   options ? options : &(const strew_group_reduce_options){0});
  strew_tensor **settled = steps_place(&steps);
  STEP(&steps, group_call_check(&g, false));
  if (groups.ends) g.index = group_index_of_ends(&steps, groups.ends, src, &g.options);
  group_open(&g, NULL);
  strew_tensor *ids = step_copy(&steps, &g.groups.index, STREW_INT64);
  STEP(&steps, groups_apply_mode(&call, ids, g.groups.addressing.limits.mode, group_size(&g), settled));
  groups_close(&g.groups);
  return steps_give(&steps, *settled, out);
}
