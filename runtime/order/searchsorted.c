/* searchsorted.c: searches in sorted lines: searchsorted, bucketize and isin. */
#include "order_ops.h"
#include "runtime/core/base/device.h"
#include "runtime/core/base/steps.h"
#include "runtime/elementwise/elementwise.h"

#include <string.h>

/* A call: its arguments, and their names in messages. */
struct search {
  const struct call *call;
  strew_tensor *sorted;
  strew_operand values;
  const char *sorted_name, *values_name;
  bool right;
};

/* Fails unless there is one line, or a line for each of the values' last dimension. */
static strew_status check_shapes(const struct search *search) {
  const strew_tensor *sorted = search->sorted, *values = search->values.tensor;
  const int rank = values ? values->rank : 0;
  const size_t leading_bytes = (size_t)(sorted->rank - 1) * sizeof *sorted->sizes;
  if (sorted->rank == 1) return STREW_OK;
  if (values && rank == sorted->rank && !memcmp(values->sizes, sorted->sizes, leading_bytes)) return STREW_OK;
  char has[TEXT_BYTES], expected[TEXT_BYTES];
  return fail(search->call, FAULT(STREW_ESHAPE, search->values_name),
              "has shape %s, expected the leading sizes of %s, %s",
              text_of_sizes(rank, values ? values->sizes : NULL, has), search->sorted_name,
              text_of_sizes(sorted->rank, sorted->sizes, expected));
}

/* A tensor of a number: of itself, or of the nearest smaller element, which is then to be passed (right). */
static strew_tensor *number_to_tensor(struct steps *steps, struct search *search) {
  const strew_dtype dtype = search->sorted->dtype;
  strew_scalar number;
  union element element;
  const enum standing standing = number_standing(search->values.number, dtype, &number);
  STEP(steps, element_from(steps->call, search->values_name, number, STREW_EXACT, dtype, &element));
  if (standing == STANDS_NOWHERE) element = element_identity(STREW_AMIN, dtype); /* NaN is above all integers */
  if (standing == STANDS_NOWHERE || standing == STANDS_ABOVE) search->right = true;
  if (standing == STANDS_BELOW) search->right = false;
  strew_tensor *made = step_new(steps, search->sorted->storage->device, dtype, 0, NULL);
  STEP(steps, fill_tensor(steps->call, made, element));
  return made;
}

static strew_status search_lines(const struct search *search, strew_tensor *out) {
  const int last = search->sorted->rank - 1;
  strew_tensor lines = *search->sorted;
  struct search_plan plan; /* not zeroed first: plans are large */
  plan.size = lines.sizes[last];
  plan.step = lines.strides[last];
  plan.right = search->right;
  if (!strew_tensor_numel(out)) return STREW_OK;
  if (!plan.size) return fill_tensor(search->call, out, (union element){.i64 = 0});
  lines.sizes[last] = 1;
  if (!last) lines.rank = 0;
  PLAN(&plan.plan, out->rank, out->sizes, out, search->values.tensor, &lines);
  plan_simplify_any_order(&plan.plan);
  return RUN_ON(out, order->search, search->call, &plan);
}

static strew_tensor *promoted(struct steps *steps, strew_tensor *tensor, strew_dtype dtype) {
  return tensor->dtype == dtype ? tensor : step_copy(steps, tensor, dtype);
}

/* True where an integer is below all elements of the other dtype, uint64, or above them. */
static strew_tensor *find_beyond(struct steps *steps, strew_tensor *values) {
  return values->dtype == STREW_UINT64 ? step_binary(steps, STREW_GT, values, INT64_MAX, NULL)
                                       : step_binary(steps, STREW_LT, values, 0, NULL);
}

/* Gives the search keys of text or times. A word has the number of those below it, from which one that is none of them
   is searched as if left of it. */
static void take_keys(struct steps *steps, struct search *search) {
  strew_operand sorted = strew_of(search->sorted), *values = &search->values;
  const strew_dtype first = search->sorted->dtype, second = values->tensor ? values->tensor->dtype : first;
  if (steps->status != STREW_OK || (dtype_is_number(first) && dtype_is_number(second))) return;
  const strew_dtype dtype = first == STREW_TEXT || second == STREW_TEXT ? STREW_TEXT : STREW_TIME;
  int64_t code = 0, key = 0;
  STEP(steps, check_comparable(steps->call, search->sorted_name, dtype, &sorted));
  STEP(steps, check_comparable(steps->call, search->values_name, dtype, values));
  if (steps->status != STREW_OK) return;
  if (values->tensor)
    *values = strew_of(step_key(steps, values->tensor, KEY_SORTED));
  else if (dtype == STREW_TEXT)
    STEP(steps, text_ops.find_word(steps->call, values->number.as.s, true, &code, &key));
  else
    key = (int64_t)((uint64_t)values->number.as.i - 1);
  if (code < 0) search->right = false;
  search->sorted = step_key(steps, search->sorted, KEY_SORTED);
  if (!values->tensor) *values = operand_of_int(key);
}

/* Searches in the promoted dtype; values of uint64 in signed integers as int64, and signed ones in uint64 as that. */
static strew_status find_places(struct search search, strew_tensor **out) {
  STEPS(steps, search.call);
  strew_device *device = search.sorted->storage->device;
  STEP(&steps, check_devices(search.call));
  take_keys(&steps, &search);
  if (steps.status != STREW_OK) return steps_status(&steps);
  strew_tensor *sorted = search.sorted, *values = search.values.tensor;
  const int rank = values ? values->rank : 0;
  const int64_t *sizes = values ? values->sizes : NULL;
  const bool is_mixed = values && dtypes_mix(values->dtype, sorted->dtype);
  strew_tensor *beyond = NULL;
  if (is_mixed) beyond = find_beyond(&steps, values);
  if (values && steps.status == STREW_OK) {
    strew_dtype dtype = dtype_promote(values->dtype, sorted->dtype);
    if (is_mixed) dtype = sorted->dtype == STREW_UINT64 ? STREW_UINT64 : STREW_INT64;
    search.sorted = promoted(&steps, sorted, dtype);
    search.values = strew_of(promoted(&steps, values, dtype));
  }
  STEP(&steps, check_operand(search.call, search.values_name, search.values));
  STEP(&steps, check_shapes(&search));
  if (!values && steps.status == STREW_OK) search.values = strew_of(number_to_tensor(&steps, &search));
  strew_tensor *target = steps_out(&steps, "out", device, STREW_INT64, rank, sizes, *out);
  STEP(&steps, search_lines(&search, target));
  if (is_mixed && steps.status == STREW_OK) {
    const int64_t place = values->dtype == STREW_UINT64 ? sorted->sizes[sorted->rank - 1] : 0;
    STEP(&steps, strew_masked_fill(target, beyond, operand_of_int(place), &target, steps.error));
  }
  return steps_give(&steps, target, out);
}

strew_status strew_searchsorted_with(strew_tensor *sorted, strew_operand values,
                                     const strew_searchsorted_options *options, strew_tensor **out,
                                     strew_error *error) {
  CALL(call, "searchsorted", error, {"sorted", sorted, ORDERED}, {"values", values.tensor, ORDERED}, {"out", *out});
  OPTIONS(strew_searchsorted_options);
  const struct search search = {&call, sorted, values, "sorted", "values", options->right};
  if (!sorted->rank) return fail(&call, FAULT(STREW_ESHAPE, "sorted"), "has no dimension, expected at least 1");
  return find_places(search, out);
}

strew_status strew_bucketize_with(strew_operand values, strew_tensor *boundaries,
                                  const strew_searchsorted_options *options, strew_tensor **out, strew_error *error) {
  CALL(call, "bucketize", error, {"values", values.tensor, ORDERED}, {"boundaries", boundaries, ORDERED},
       {"out", *out});
  OPTIONS(strew_searchsorted_options);
  const struct search search = {&call, boundaries, values, "boundaries", "values", options->right};
  if (boundaries->rank != 1)
    return fail(&call, FAULT(STREW_ESHAPE, "boundaries"), "has %d dimensions, expected 1", boundaries->rank);
  return find_places(search, out);
}

/* ------------------------------------------------------------------------------------------------------------ isin */

/* True where an element of a set, of x's dtype and 1-D, equals that of x. Few pairs are compared all at once (4 with
   4: 3.8 us -> 1.9 us), few elements of the set one by one. */
static strew_tensor *find_members(struct steps *steps, strew_tensor *x, strew_tensor *set) {
  enum { FEW = 4, FEW_PAIRS = 1 << 9 };
  if (steps->status != STREW_OK) return NULL;
  const int64_t count = set->sizes[0];
  const strew_operand none = operand_of_int(0), last = operand_of_int(count - 1);
  if (!count) return step_full(steps, x->storage->device, STREW_BOOL, x->rank, x->sizes, strew_bool(false));
  if (count > 1 && x->rank < MAX_RANK && strew_tensor_numel(x) <= FEW_PAIRS / count) {
    const strew_reduce_options last_dim = {.dim_count = 1, .dims = (const int64_t[]){x->rank}};
    STEP_INTO(steps, lines, strew_unsqueeze(x, x->rank, lines, steps->error));
    strew_tensor *equal = step_binary(steps, STREW_EQ, *lines, set, NULL);
    STEP_INTO(steps, found, strew_reduce_with(STREW_FOLD_ANY, equal, &last_dim, found, steps->error));
    return *found;
  }
  if (count > FEW) {
    STEP_INTO(steps, ordered, strew_sort_with(set, 0, NULL, ordered, NULL, steps->error));
    STEP_INTO(steps, at, strew_searchsorted_with(*ordered, strew_of(x), NULL, at, steps->error));
    STEP(steps, strew_clamp_with(*at, none, last, at, steps->error));
    STEP_INTO(steps, nearest, strew_take_with(*ordered, *at, NULL, nearest, steps->error));
    return step_binary(steps, STREW_EQ, *nearest, x, NULL);
  }
  strew_tensor *found = NULL;
  for (int64_t i = 0; i < count; i++) {
    strew_tensor *one = step_view(steps, step_narrow(steps, set, 0, i, 1), 0, NULL);
    strew_tensor *equal = step_binary(steps, STREW_EQ, x, one, NULL);
    found = found ? step_binary(steps, STREW_LOGICAL_OR, found, equal, found) : equal;
  }
  return found;
}

/* True where a number is an integer that int64, or uint64, holds. */
static strew_tensor *find_whole(struct steps *steps, strew_tensor *x, bool is_unsigned) {
  strew_tensor *whole = step_binary(steps, STREW_EQ, step_unary(steps, STREW_FLOOR, x, NULL), x, NULL);
  strew_tensor *inside = step_binary(steps, STREW_GE, x, is_unsigned ? 0 : -0x1p63, NULL);
  step_binary(steps, STREW_LOGICAL_AND, whole, inside, whole);
  step_binary(steps, STREW_LT, x, is_unsigned ? 0x1p64 : 0x1p63, inside);
  return step_binary(steps, STREW_LOGICAL_AND, whole, inside, whole);
}

/* Integers and floats, or uint64 and signed integers, are compared as int64, or as uint64 if that is one of the two:
   floats and signed integers that it does not hold equal none. */
strew_status strew_isin(strew_tensor *self, strew_tensor *given, const strew_isin_options *options, strew_tensor **out,
                        strew_error *error) {
  static const strew_isin_options zeros;
  if (!options) options = &zeros;
  CALL_STEPS(call, steps, "isin", error, {"self", self, ORDERED}, {"test_elements", given, ORDERED});
  strew_tensor *elements = self, *test_elements = given;
  if (!dtype_is_number(self->dtype) || !dtype_is_number(given->dtype)) {
    strew_operand x = strew_of(self), set = strew_of(given);
    const strew_dtype kind = self->dtype == STREW_TEXT || given->dtype == STREW_TEXT ? STREW_TEXT : STREW_TIME;
    STEP(&steps, check_comparable(&call, "self", kind, &x));
    STEP(&steps, check_comparable(&call, "test_elements", kind, &set));
    STEP(&steps, check_devices(&call));
    elements = steps.status == STREW_OK ? step_key(&steps, self, KEY_EQUAL) : NULL;
    test_elements = elements ? step_key(&steps, given, KEY_EQUAL) : NULL;
    if (!test_elements) return steps_status(&steps);
  }
  const strew_dtype of_set = test_elements->dtype;
  const bool is_unsigned = elements->dtype == STREW_UINT64 || of_set == STREW_UINT64;
  const bool is_mixed =
      dtype_is_float(elements->dtype) != dtype_is_float(of_set) || dtypes_mix(elements->dtype, of_set);
  const bool chooses = dtype_is_float(of_set) || (!dtype_is_float(elements->dtype) && of_set != STREW_UINT64);
  strew_dtype dtype = dtype_promote(elements->dtype, of_set);
  if (is_mixed) dtype = is_unsigned ? STREW_UINT64 : STREW_INT64;
  if (dtype == STREW_BOOL) dtype = STREW_UINT8; /* which can be sorted and searched alike */
  STEP(&steps, check_options(&call, options));
  STEP(&steps, check_devices(&call));
  strew_tensor *set = step_reshape(&steps, test_elements, 1, (int64_t[]){-1}), *whole = NULL;
  if (is_mixed) whole = find_whole(&steps, chooses ? set : elements, is_unsigned);
  if (is_mixed && chooses) {
    STEP_INTO(&steps, chosen, strew_masked_select(set, whole, chosen, steps.error));
    set = *chosen;
  }
  strew_tensor *x = step_to(&steps, elements, elements->storage->device, dtype);
  strew_tensor *found = find_members(&steps, x, step_to(&steps, set, elements->storage->device, dtype));
  if (is_mixed && !chooses) step_binary(&steps, STREW_LOGICAL_AND, found, whole, found);
  if (self->dtype == STREW_TIME) /* NaT equals none */
    step_binary(&steps, STREW_LOGICAL_AND, found, step_binary(&steps, STREW_NE, elements, INT64_MIN, NULL), found);
  if (options->invert) step_unary(&steps, STREW_LOGICAL_NOT, found, found);
  return steps_give(&steps, found, out);
}
