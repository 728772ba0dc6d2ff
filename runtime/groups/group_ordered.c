/* group_ordered.c: reductions of groups of text and times that need no more than their order: extremes, first and last
   elements, counts. They are those of order keys (tensor.h). Missing elements, empty words and NaT, are what NaN is to
   floats; of a group without elements the result is one, or `fill`. */
#include "reduce.h"

#include <limits.h>

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

static bool is_text(const struct ordered_call *c) { return c->src->dtype == STREW_TEXT; }

bool group_is_of_order(strew_group_reduction reduction, const strew_tensor *src) {
  if (!src || dtype_is_number(src->dtype) || (unsigned)reduction >= STREW_GROUP_REDUCTION_COUNT) return false;
  return reduction == STREW_GROUP_MIN || reduction == STREW_GROUP_MAX || reduction == STREW_GROUP_FIRST ||
         reduction == STREW_GROUP_LAST || reduction == STREW_GROUP_COUNT || reduction == STREW_GROUP_NUNIQUE;
}

/* ----------------------------------------------------------------------------------------------------------- missing */

/* The key that no element has but missing ones: it never wins. NaT has it by the kind of key. */
static int64_t none_of(const struct ordered_call *c) {
  if (is_text(c)) return c->is_least ? INT32_MAX : -1;
  return c->is_least ? INT64_MAX : INT64_MIN;
}

/* Where elements are missing; NULL: nowhere. */
static strew_tensor *missing_of(const struct ordered_call *c, strew_tensor *x) {
  int64_t code = INT64_MIN, below;
  struct steps *steps = c->steps;
  if (is_text(c)) STEP(steps, text_ops.find_word(steps->call, "", false, &code, &below));
  if (is_text(c) && code < 0) return NULL;
  return step_binary(steps, STREW_EQ, step_key(steps, x, KEY_EQUAL), code, NULL);
}

/* Keys of src, in which missing elements never win if they are skipped. */
static strew_tensor *keys_of_src(const struct ordered_call *c) {
  strew_tensor *keys = step_key(c->steps, c->src, c->kind);
  if (!c->given->skip_nan || (!is_text(c) && !c->out)) return keys;
  strew_tensor *is_missing = missing_of(c, c->src);
  return is_missing ? step_where(c->steps, is_missing, none_of(c), keys) : keys;
}

/* ------------------------------------------------------------------------------------------------------------- steps */

static strew_tensor *reduce(const struct ordered_call *c, strew_group_reduction reduction, strew_tensor *x,
                            const strew_scalar *fill, bool skips, strew_tensor *into, strew_tensor **arg) {
  strew_group_reduce_options own = *c->given;
  strew_tensor **out = steps_place(c->steps), *given = into;
  own.fill = fill;
  own.skip_nan = skips;
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
  at = reduce(c, c->is_least ? STREW_GROUP_MIN : STREW_GROUP_MAX, at, &none, false, NULL, NULL);
  *is_none = step_binary(steps, STREW_EQ, at, none, NULL);
  return step_gather(steps, step_reshape(steps, keys, shape.rank, shape.sizes), dim, at, STREW_DROP);
}

/* ------------------------------------------------------------------------------------------------------------ results */

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
  strew_tensor *is_any = step_reduce(steps, STREW_FOLD_ANY, is_none, 0, NULL);
  strew_scalar any = strew_int(0);
  STEP(steps, strew_item(is_any, &any, steps->error));
  if (steps->status != STREW_OK) return NULL;
  if (!any.as.i) return text_ops.from_key(steps->call, keys, STREW_TEXT, c->kind), keys;
  STEP_INTO(steps, word, text_ops.word(steps->call, keys->storage->device, fill.number.as.s, word));
  if (steps->status != STREW_OK) return NULL;
  if (!strew_tensor_numel(c->src))
    return step_copy(steps, step_expand(steps, *word, keys->rank, keys->sizes), STREW_TEXT);
  strew_tensor *text = step_where(steps, is_none, 0, keys);
  if (steps->status == STREW_OK) STEP(steps, text_ops.from_key(steps->call, text, STREW_TEXT, c->kind));
  STEP(steps, strew_masked_fill(text, is_none, strew_of(*word), &text, steps->error));
  return text;
}

/* Minima, maxima, first and last elements. */
static strew_tensor *choose(struct ordered_call *c) {
  struct steps *steps = c->steps;
  const bool is_extreme = c->reduction == STREW_GROUP_MIN || c->reduction == STREW_GROUP_MAX;
  const bool skips = c->given->skip_nan;
  const bool is_filled = c->out || (!skips && !is_text(c)); /* else what no element is gets its fill afterwards */
  const strew_scalar none = is_filled ? time_fill(c) : strew_int(none_of(c));
  strew_tensor *is_missing = skips && !is_extreme ? missing_of(c, c->src) : NULL, *is_none = NULL, *found;
  strew_tensor *keys = keys_of_src(c), *out = NULL;
  if (c->out && steps->status == STREW_OK) out = step_copy(steps, step_key(steps, c->out, c->kind), keys->dtype);
  if (is_missing) {
    found = choose_present(c, keys, is_missing, &is_none);
  } else {
    found = reduce(c, c->reduction, keys, out ? NULL : &none, false, out, c->arg);
    if (!is_filled) is_none = step_binary(steps, STREW_EQ, found, none, NULL);
  }
  if (skips && is_none && c->arg && steps->status == STREW_OK) {
    strew_tensor *places = *c->arg;
    STEP(steps, strew_masked_fill(places, is_none, OPERAND(length_along(c)), &places, steps->error));
  }
  if (steps->status != STREW_OK) return NULL;
  return is_text(c) ? words_of_keys(c, found, is_none) : times_of(c, found, is_none);
}

static strew_tensor *count(struct ordered_call *c) {
  struct steps *steps = c->steps;
  strew_tensor *keys = step_key(steps, c->src, KEY_EQUAL);
  strew_tensor *is_missing = c->given->skip_nan ? missing_of(c, c->src) : NULL;
  if (!is_missing) return reduce(c, c->reduction, keys, NULL, false, NULL, NULL);
  if (c->reduction == STREW_GROUP_COUNT) {
    strew_tensor *is_there = step_to(steps, step_unary(steps, STREW_LOGICAL_NOT, is_missing, NULL), NULL, STREW_INT64);
    return reduce(c, STREW_GROUP_SUM, is_there, NULL, false, NULL, NULL);
  }
  strew_tensor *counts = reduce(c, c->reduction, keys, NULL, false, NULL, NULL);
  strew_tensor *has_missing = reduce(c, STREW_GROUP_ANY, is_missing, NULL, false, NULL, NULL);
  return step_binary(steps, STREW_SUB, counts, step_to(steps, has_missing, NULL, STREW_INT64), counts);
}

/* --------------------------------------------------------------------------------------------------------------- call */

static void check(struct ordered_call *c, strew_tensor *out) {
  struct steps *steps = c->steps;
  struct group_options options;
  STEP(steps, group_take_options(steps->call, c->reduction, c->given, out != NULL, c->arg != NULL, &options));
  if (c->given->dtype && *c->given->dtype != c->src->dtype)
    STEP(steps, fail(steps->call, FAULT(STREW_EDTYPE, "dtype"), "is %s, the result has src's, %s",
                     strew_dtype_name(*c->given->dtype), strew_dtype_name(c->src->dtype)));
  if (out && out->dtype != c->src->dtype)
    STEP(steps, fail(steps->call, FAULT(STREW_EDTYPE, "out"), "is %s, expected %s", strew_dtype_name(out->dtype),
                     strew_dtype_name(c->src->dtype)));
  if (out && c->given->fill)
    STEP(steps, fail(steps->call, FAULT(STREW_EARGUMENT, "fill"),
                     "cannot be combined with 'out', which keeps the values of empty groups"));
}

strew_status group_reduce_ordered(strew_groups groups, strew_group_reduction reduction, strew_tensor *src,
                                  const strew_group_reduce_options *options, strew_tensor **out, strew_tensor **arg,
                                  strew_error *error) {
  strew_tensor seen; /* has codes of the call's list, *out those of its own */
  if (*out) seen = **out;
  CALL_STEPS(call, steps, group_rows[reduction].call, error, {"src", src, ORDERED}, GROUPS_OF(groups),
             {"out", *out ? &seen : NULL, ORDERED});
  strew_group_reduce_options own = *options;
  own.dtype = NULL;
  struct ordered_call c = {.steps = &steps, .groups = groups, .reduction = reduction, .given = options, .src = src};
  c.out = *out ? &seen : NULL;
  c.arg = arg;
  c.is_least = reduction == STREW_GROUP_MIN || reduction == STREW_GROUP_FIRST;
  const bool is_extreme = reduction == STREW_GROUP_MIN || reduction == STREW_GROUP_MAX;
  const bool nat_is_least = c.is_least != (options->skip_nan && is_extreme && !*out);
  c.kind = src->dtype == STREW_TIME && nat_is_least ? KEY_LEAST : KEY_SORTED;
  check(&c, *out);
  c.given = &own;
  if (steps.status != STREW_OK) return steps_status(&steps);
  const bool is_counted = reduction == STREW_GROUP_COUNT || reduction == STREW_GROUP_NUNIQUE;
  strew_tensor *result = is_counted ? count(&c) : choose(&c);
  if (!*out || steps.status != STREW_OK) return steps_give(&steps, result, out);
  STEP(&steps, strew_copy(*out, result, steps.error));
  return steps_status(&steps);
}
