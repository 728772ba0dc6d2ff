/* check_grouping.c: groupings against plain loops: keys of every dtype and layout, one to three of them, in both
   orders; ids with every mode; what is derived; reductions and running sums; keys that are hard for tables and sorts;
   tensors that no call may write; failures. */
#include "oracle.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------ the plain loop's groups */

enum { MOST_KEYS = 3 };

/* Keys of a case, as tensors and as dense elements. */
struct keys {
  int count;
  int64_t length;
  strew_tensor *tensors[MOST_KEYS];
  char *elements[MOST_KEYS];
};

/* The groups of the plain loop. */
struct groups {
  int64_t length, size;
  int64_t *ids, *counts, *positions, *order, *starts;
};

/* Order of two elements, NaN the largest: -1, 0 or 1. */
static int compare(strew_dtype dtype, const void *a, const void *b) {
  const strew_scalar x = strew_scalar_load(dtype, a), y = strew_scalar_load(dtype, b);
  if (x.dtype != STREW_FLOAT64) return (x.as.i > y.as.i) - (x.as.i < y.as.i);
  if (isnan(x.as.f) || isnan(y.as.f)) return isnan(x.as.f) - isnan(y.as.f);
  return (x.as.f > y.as.f) - (x.as.f < y.as.f);
}

static int compare_rows(const struct keys *keys, int64_t a, int64_t b) {
  for (int k = 0; k < keys->count; k++) {
    const strew_dtype dtype = strew_tensor_dtype(keys->tensors[k]);
    const size_t bytes = strew_dtype_size_bytes(dtype);
    int order = compare(dtype, keys->elements[k] + (size_t)a * bytes, keys->elements[k] + (size_t)b * bytes);
    if (order) return order;
  }
  return 0;
}

static int64_t *integers(int64_t count) { return calloc((size_t)count + 1, sizeof(int64_t)); }

static const struct keys *sorted_keys; /* of by_row */
static int by_row(const void *a_, const void *b_) {
  const int64_t a = *(const int64_t *)a_, b = *(const int64_t *)b_;
  int order = compare_rows(sorted_keys, a, b);
  return order ? order : (a > b) - (a < b);
}

static int by_value(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* Fills counts, positions, order and starts from ids; -1: none. */
static void derive(struct groups *groups) {
  groups->counts = integers(groups->size);
  groups->positions = integers(groups->size);
  groups->order = integers(groups->length);
  groups->starts = integers(groups->size + 1);
  for (int64_t g = 0; g < groups->size; g++) groups->positions[g] = groups->length;
  for (int64_t i = groups->length; i-- > 0;)
    if (groups->ids[i] >= 0) groups->counts[groups->ids[i]]++, groups->positions[groups->ids[i]] = i;
  for (int64_t g = 0; g < groups->size; g++) groups->starts[g + 1] = groups->starts[g] + groups->counts[g];
  int64_t *next = integers(groups->size);
  for (int64_t g = 0; g < groups->size; g++) next[g] = groups->starts[g];
  for (int64_t i = 0; i < groups->length; i++)
    if (groups->ids[i] >= 0) groups->order[next[groups->ids[i]]++] = i;
  free(next);
}

/* Rows sorted by the C library give groups in the order of keys; those numbers are replaced for the other order. */
static struct groups oracle_groups(const struct keys *keys, strew_key_order order) {
  struct groups groups = {.length = keys->length, .ids = integers(keys->length)};
  int64_t *rows = integers(keys->length), *firsts = integers(keys->length);
  for (int64_t i = 0; i < keys->length; i++) rows[i] = i;
  sorted_keys = keys;
  qsort(rows, (size_t)keys->length, sizeof *rows, by_row);
  for (int64_t i = 0; i < keys->length; i++) {
    if (i == 0 || compare_rows(keys, rows[i - 1], rows[i])) firsts[groups.size++] = rows[i];
    groups.ids[rows[i]] = groups.size - 1;
  }
  if (order == STREW_KEYS_FIRST) {
    int64_t *sorted = integers(groups.size);
    memcpy(sorted, firsts, (size_t)groups.size * sizeof *sorted);
    qsort(sorted, (size_t)groups.size, sizeof *sorted, by_value);
    for (int64_t i = 0; i < keys->length; i++) {
      const int64_t *found = bsearch(&firsts[groups.ids[i]], sorted, (size_t)groups.size, sizeof *sorted, by_value);
      groups.ids[i] = found - sorted;
    }
    free(sorted);
  }
  free(rows), free(firsts);
  derive(&groups);
  return groups;
}

static void free_groups(struct groups *groups) {
  free(groups->ids), free(groups->counts), free(groups->positions), free(groups->order), free(groups->starts);
}

/* ------------------------------------------------------------------------------------------------------ comparisons */

static void check_tensor(strew_status (*get)(strew_grouping *, strew_tensor **, strew_error *), const char *name,
                         strew_grouping *grouping, const int64_t *expected, int64_t count, const char *what) {
  strew_tensor *tensor = NULL, *again = NULL;
  ok(get(grouping, &tensor, &failure));
  assert_sizes(tensor, 1, &count);
  assert_elements(tensor, STREW_INT64, expected, "%s of %s", name, what);
  ok(get(grouping, &again, &failure));
  ck_assert_ptr_eq(tensor, again);
  strew_release(tensor), strew_release(again);
}

static void check_groups(strew_grouping *grouping, const struct groups *groups, const char *what) {
  ck_assert_msg(strew_grouping_size(grouping) == groups->size, "%s: %" PRId64 " groups, not %" PRId64, what,
                strew_grouping_size(grouping), groups->size);
  ck_assert_int_eq(strew_grouping_length(grouping), groups->length);
  ck_assert_int_eq(strew_grouping_drops(grouping), groups->starts[groups->size] < groups->length);
  ck_assert_ptr_eq(strew_grouping_device(grouping), device);
  check_tensor(strew_grouping_ids, "ids", grouping, groups->ids, groups->length, what);
  if (draw_below(2)) check_tensor(strew_grouping_counts, "counts", grouping, groups->counts, groups->size, what);
  check_tensor(strew_grouping_order, "order", grouping, groups->order, groups->starts[groups->size], what);
  check_tensor(strew_grouping_starts, "starts", grouping, groups->starts, groups->size + 1, what);
  check_tensor(strew_grouping_counts, "counts", grouping, groups->counts, groups->size, what);
  check_tensor(strew_grouping_positions, "positions", grouping, groups->positions, groups->size, what);
}

/* The keys of groups have the bits of their first elements. */
static void check_keys(strew_grouping *grouping, const struct keys *keys, const struct groups *groups,
                       const char *what) {
  ck_assert_int_eq(strew_grouping_key_count(grouping), keys->count);
  for (int k = 0; k < keys->count; k++) {
    const strew_dtype dtype = strew_tensor_dtype(keys->tensors[k]);
    const size_t bytes = strew_dtype_size_bytes(dtype);
    char *expected = malloc((size_t)(groups->size + 1) * bytes);
    strew_tensor *key = NULL;
    for (int64_t g = 0; g < groups->size; g++)
      memcpy(expected + (size_t)g * bytes, keys->elements[k] + (size_t)groups->positions[g] * bytes, bytes);
    ok(strew_grouping_key(grouping, k, &key, &failure));
    assert_sizes(key, 1, &groups->size);
    assert_elements(key, dtype, expected, "key %d of %s", k, what);
    strew_release(key);
    free(expected);
  }
}

static void check_order(const struct keys *keys, strew_key_order order, const struct groups *groups, const char *what) {
  strew_grouping *grouping = NULL;
  ok(strew_group_by_with(keys->count, keys->tensors, &(strew_group_by_options){.order = order}, &grouping, &failure));
  check_groups(grouping, groups, what);
  check_keys(grouping, keys, groups, what);
  strew_grouping_release(grouping);
}

static void check_group_by(const struct keys *keys, const char *what) {
  for (int order = STREW_KEYS_SORTED; order <= STREW_KEYS_FIRST; order++) {
    struct groups groups = oracle_groups(keys, (strew_key_order)order);
    check_order(keys, (strew_key_order)order, &groups, what);
    free_groups(&groups);
  }
}

/* ------------------------------------------------------------------------------------------------------ random keys */

/* Few different values, special ones among them, or any. */
static strew_tensor *draw_key(strew_dtype dtype, int64_t length) {
  const int64_t sizes[] = {length};
  const enum layout layout = (enum layout)draw_below(LAYOUT_COUNT);
  if (dtype == STREW_BOOL || draw_below(2)) return random_tensor(dtype, 1, sizes, layout);
  const int64_t high = 1 + draw_below(draw_below(2) ? 4 : 100), low = is_unsigned_dtype(dtype) ? 0 : -draw_below(20);
  if (!is_float_dtype(dtype)) return random_integers(dtype, 1, sizes, layout, low, high);
  double *values = malloc((size_t)(length + 1) * sizeof *values);
  for (int64_t i = 0; i < length; i++) values[i] = (double)(low + draw_below(high)) / 2 * (draw_below(2) ? 1 : -1);
  strew_tensor *made = tensor_from_doubles(dtype, length, values);
  free(values);
  return made;
}

static struct keys draw_keys(strew_dtype dtype, int count, int64_t length) {
  struct keys keys = {.count = count, .length = length};
  for (int k = 0; k < count; k++) {
    keys.tensors[k] = draw_key(k ? dtype_here((strew_dtype)draw_below(STREW_DTYPE_COUNT)) : dtype, length);
    keys.elements[k] = host_of(keys.tensors[k]);
  }
  return keys;
}

static void free_keys(struct keys *keys) {
  for (int k = 0; k < keys->count; k++) strew_release(keys->tensors[k]), free(keys->elements[k]);
}

START_TEST(test_random_keys) {
  const strew_dtype dtype = (strew_dtype)(_i / MOST_KEYS);
  const int count = 1 + _i % MOST_KEYS;
  char what[100];
  if (lacks(dtype) || !chosen(_i, 3)) return;
  for (int turn = 0; turn < sweep(4); turn++) {
    use_threads((const int[]){1, 2, 3, 7}[turn]);
    seed_draws((uint64_t)_i + 1);
    for (int n = 0; n < some(20); n++) {
      const int64_t length = n % 5 == 0 ? draw_below(3) : draw_below(n % 7 == 0 ? 3000 : 80);
      struct keys keys = draw_keys(dtype, count, length);
      snprintf(what, sizeof what, "%d keys, the first of %s, %" PRId64 " elements, %d threads", count,
               strew_dtype_name(dtype), length, strew_context_threads(context));
      check_group_by(&keys, what);
      free_keys(&keys);
    }
  }
}
END_TEST

/* Devices number keys by a table if they are at least 0 and below a bound, which grows with the elements. */
START_TEST(test_ranges_of_keys) {
  static const int64_t lengths[] = {1, 70, 4097, 20000}, highs[] = {1, 127, 255, 2049, 4096, 4097, 16384, 16385, 40000};
  const strew_dtype dtype = (strew_dtype)_i;
  if (lacks(dtype) || is_float_dtype(dtype) || dtype == STREW_BOOL) return;
  const size_t bits = 8 * strew_dtype_size_bytes(dtype) - !is_unsigned_dtype(dtype);
  seed_draws((uint64_t)_i + 1);
  for (int n = 0; n < 4 * 9; n++) {
    const int64_t length = lengths[n % 4], high = highs[n / 4];
    struct keys keys = {.count = 1, .length = length};
    char what[80];
    if (!chosen(n + _i, 2) || (bits < 32 && high >> bits)) continue;
    snprintf(what, sizeof what, "%" PRId64 " %s up to %" PRId64, length, strew_dtype_name(dtype), high);
    keys.tensors[0] = random_integers(dtype, 1, &length, (enum layout)draw_below(LAYOUT_COUNT),
                                      is_unsigned_dtype(dtype) ? 0 : -(int64_t)(draw_below(4) == 0), high);
    keys.elements[0] = host_of(keys.tensors[0]);
    check_group_by(&keys, what);
    free_keys(&keys);
  }
}
END_TEST

/* A key of which every value is computed. */
static struct keys keys_of(int count, int64_t length, uint64_t (*value)(int key, uint64_t i)) {
  struct keys keys = {.count = count, .length = length};
  for (int k = 0; k < count; k++) {
    uint64_t *values = malloc((size_t)length * sizeof *values);
    for (int64_t i = 0; i < length; i++) values[i] = value(k, (uint64_t)i);
    keys.elements[k] = (char *)values;
    keys.tensors[k] = tensor_of(STREW_INT64, 1, &length, CONTIGUOUS, values);
  }
  return keys;
}

static uint64_t equal(int key, uint64_t i) { return (void)i, (uint64_t)key + 5; }
static uint64_t distinct(int key, uint64_t i) { return (i * 7919 + (uint64_t)key) % 200003; }
static uint64_t spread(int key, uint64_t i) { return (i * 2654435761u + (uint64_t)key) << 32; }
static uint64_t low_bits(int key, uint64_t i) { return (i % 997) << 40 | (uint64_t)key; }
static uint64_t multiples(int key, uint64_t i) { return (uint64_t)key + i * UINT64_C(0x9e3779b97f4a7c15); }
static uint64_t inverses(int key, uint64_t i) { return (uint64_t)key + (i << 48 | i) * UINT64_C(0xf1de83e19937733d); }
static uint64_t colliding(int key, uint64_t i) { /* as a code, which is a distance from the least key */
  return (UINT64_C(1) << 63 ^ colliding_key(i % 30000)) + (uint64_t)key;
}
static uint64_t ends(int key, uint64_t i) { return (i + (uint64_t)key) % 3 ? UINT64_C(1) << 63 : INT64_MAX - i % 2; }
static uint64_t mixed(int key, uint64_t i) { return key == 1 ? i % 10 : multiples(key, i % 3000); }
static uint64_t half(int key, uint64_t i) { return i % 2 ? multiples(key, i) : 7; }
static uint64_t (*const patterns[])(int key, uint64_t i) = {equal,    distinct,  spread, low_bits, multiples,
                                                            inverses, colliding, ends,   mixed,    half};
enum { PATTERNS = sizeof patterns / sizeof *patterns };

/* Over several chunks of threads, too. */
START_TEST(test_patterns_of_keys) {
  const bool is_short = on_device() || !chosen(_i, 3);
  struct keys keys = keys_of(1 + _i % MOST_KEYS, is_short ? 3000 : 150000, patterns[_i / MOST_KEYS]);
  char what[60];
  snprintf(what, sizeof what, "pattern %d, %d keys", _i / MOST_KEYS, 1 + _i % MOST_KEYS);
  for (int order = STREW_KEYS_SORTED; order <= STREW_KEYS_FIRST; order++) {
    struct groups groups = oracle_groups(&keys, (strew_key_order)order);
    for (int turn = 0; turn < sweep(2); turn++) {
      use_turn(turn, _i);
      check_order(&keys, (strew_key_order)order, &groups, what);
    }
    free_groups(&groups);
  }
  free_keys(&keys);
}
END_TEST

/* -------------------------------------------------------------------------------------------------------------- ids */

START_TEST(test_random_ids) {
  const strew_mode mode = (strew_mode)(_i % STREW_MODE_COUNT);
  const strew_dtype dtype = _i / STREW_MODE_COUNT ? STREW_INT32 : STREW_INT64;
  for (int turn = 0; turn < sweep(TURNS); turn++) {
    use_turn(turn, _i);
    seed_draws((uint64_t)_i + 1);
    for (int n = 0; n < some(60); n++) {
      const int64_t size = 1 + draw_below(9), length = draw_below(50), sizes[] = {length};
      const int64_t low = mode == STREW_ERROR ? 0 : mode == STREW_WRAP ? -size : -3;
      const int64_t high = mode == STREW_CLIP || mode == STREW_DROP ? size + 3 : size;
      strew_tensor *index = random_integers(dtype, 1, sizes, (enum layout)draw_below(LAYOUT_COUNT), low, high);
      char *values = host_of(index);
      struct groups groups = {.length = length, .size = size, .ids = integers(length)};
      for (int64_t i = 0; i < length; i++)
        groups.ids[i] =
            oracle_place(mode, size, strew_scalar_load(dtype, values + (size_t)i * strew_dtype_size_bytes(dtype)).as.i);
      derive(&groups);
      strew_grouping *grouping = NULL;
      ok(strew_grouping_create_with(index, &(strew_grouping_options){.dim_size = &(int64_t){size}, .mode = mode},
                                    &grouping, &failure));
      /* later changes of the index do not reach the grouping */
      if (strew_tensor_is_contiguous(index)) ok(strew_fill(index, strew_int(1000), &failure));
      ck_assert_int_eq(strew_grouping_key_count(grouping), 0);
      check_groups(grouping, &groups, strew_enum_name(STREW_WORDS_MODE, mode));
      strew_grouping_release(grouping);
      strew_release(index);
      free_groups(&groups), free(values);
    }
  }
}
END_TEST

START_TEST(test_sizes_of_ids) {
  strew_tensor *index = tensor_from_integers(STREW_INT64, 3, (int64_t[]){4, 0, 4}), *none = NULL, *one = NULL;
  strew_grouping *grouping = NULL;
  ok(strew_grouping_create_with(index, NULL, &grouping, &failure));
  ck_assert_int_eq(strew_grouping_size(grouping), 5);
  strew_grouping_release(grouping), grouping = NULL;
  ok(strew_empty(device, STREW_FLOAT32, 1, (int64_t[]){0}, &none, &failure));
  ok(strew_grouping_create_with(none, NULL, &grouping, &failure));
  ck_assert_int_eq(strew_grouping_size(grouping), 0);
  strew_grouping_release(grouping), grouping = NULL;
  ok(strew_grouping_create_with(none, &(strew_grouping_options){.dim_size = &(int64_t){3}}, &grouping, &failure));
  check_tensor(strew_grouping_counts, "counts", grouping, (int64_t[]){0, 0, 0}, 3, "nothing");
  check_tensor(strew_grouping_order, "order", grouping, (int64_t[]){0}, 0, "nothing");
  strew_grouping_release(grouping), grouping = NULL;
  one = scalar_tensor(STREW_INT64, strew_int(1));
  ok(strew_grouping_create_with(one, NULL, &grouping, &failure));
  check_tensor(strew_grouping_ids, "ids", grouping, (int64_t[]){1}, 1, "a number");
  ck_assert_ptr_eq(strew_grouping_retain(grouping), grouping);
  strew_grouping_release(grouping);
  ck_assert_int_eq(strew_grouping_length(grouping), 1);
  strew_grouping_release(grouping);
  strew_grouping_release(NULL);
  strew_release(index), strew_release(none), strew_release(one);
}
END_TEST

/* ------------------------------------------------------------------------------------------------------- reductions */

/* A random grouping of `length` elements, a few of which have no group. */
static strew_grouping *draw_grouping(int64_t length, int64_t size) {
  const int64_t sizes[] = {length};
  const bool drops = draw_below(2);
  strew_tensor *index = random_integers(STREW_INT64, 1, sizes, CONTIGUOUS, drops ? -2 : 0, size);
  strew_grouping *grouping = NULL;
  ok(strew_grouping_create_with(
      index, &(strew_grouping_options){.dim_size = &(int64_t){size}, .mode = drops ? STREW_DROP : STREW_ERROR},
      &grouping, &failure));
  strew_release(index);
  return grouping;
}

/* As the group form by the same ids. */
START_TEST(test_random_reductions) {
  const strew_dtype dtype = (strew_dtype)(_i / STREW_REDUCTION_COUNT);
  const strew_reduction reduction = (strew_reduction)(_i % STREW_REDUCTION_COUNT);
  if (reduction == STREW_ASSIGN || (dtype == STREW_BOOL && reduction == STREW_MEAN) || lacks(dtype)) return;
  if (!chosen(_i, 4)) return;
  for (int turn = 0; turn < sweep(TURNS); turn++) {
    use_turn(turn, _i);
    seed_draws((uint64_t)_i + 1);
    for (int n = 0; n < some(30); n++) {
      const int64_t size = 1 + draw_below(6);
      int64_t sizes[] = {1 + draw_below(12), 1 + draw_below(12), 1 + draw_below(4)};
      const int rank = 1 + (int)draw_below(3), dim = (int)draw_below(rank);
      const bool with_arg = (reduction == STREW_AMAX || reduction == STREW_AMIN) && draw_below(2);
      strew_grouping *grouping = draw_grouping(sizes[dim], size);
      strew_tensor *src = random_tensor(dtype, rank, sizes, (enum layout)draw_below(LAYOUT_COUNT)), *ids = NULL;
      strew_tensor *copy = NULL, *out = NULL, *expected = NULL, *arg = NULL, *expected_arg = NULL;
      ok(strew_grouping_ids(grouping, &ids, &failure));
      ok(strew_clone(ids, &copy, &failure));
      struct group_form options = {.dim = dim, .dim_size = -1, .reduction = reduction, .skip_nan = draw_below(2)};
      ok(group_form(strew_by_grouping(grouping), src, &options, &out, with_arg ? &arg : NULL, &failure));
      options.dim_size = size, options.mode = STREW_DROP;
      ok(group_form(strew_by_index(copy), src, &options, &expected, with_arg ? &expected_arg : NULL, &failure));
      assert_same(out, expected, strew_enum_name(STREW_WORDS_REDUCTION, reduction));
      if (with_arg) assert_same(arg, expected_arg, "arg");
      /* into a given one */
      options.dim_size = -1, options.mode = STREW_ERROR;
      ok(group_form(strew_by_grouping(grouping), src, &options, &out, NULL, &failure));
      options.mode = STREW_DROP;
      ok(group_form(strew_by_index(copy), src, &options, &expected, NULL, &failure));
      assert_same(out, expected, "given");
      strew_release(src), strew_release(ids), strew_release(copy), strew_release(out), strew_release(expected);
      strew_release(arg), strew_release(expected_arg);
      strew_grouping_release(grouping);
    }
  }
}
END_TEST

static struct form_of draw_aggregate(int columns, strew_tensor *const src[], const strew_scalar *fill) {
  static const strew_dtype float64 = STREW_FLOAT64;
  struct form_of aggregate = {.src = draw_below(8) ? src[draw_below(columns)] : NULL, .options = GROUP_FORM};
  struct group_form *options = &aggregate.options;
  if (!aggregate.src) return aggregate;
  const bool is_float = is_float_dtype(strew_tensor_dtype(aggregate.src));
  do options->reduction = (strew_reduction)(1 + draw_below(STREW_REDUCTION_COUNT - 1));
  while (!is_float && lacks(STREW_FLOAT64) && options->reduction == STREW_MEAN);
  const bool is_extreme = options->reduction == STREW_AMAX || options->reduction == STREW_AMIN;
  options->skip_nan = draw_below(6) == 0;
  if (draw_below(2)) options->fill = fill;
  if (!is_extreme && draw_below(3) == 0 && !lacks(STREW_FLOAT64)) options->dtype = &float64;
  return aggregate;
}

/* The mean of integers as a quotient of float64. */
static strew_tensor *mean_of_integers(strew_grouping *grouping, const struct form_of *aggregate) {
  static const strew_dtype int64 = STREW_INT64;
  strew_tensor *sums = NULL, *counts = NULL, *out = NULL, *floats = NULL, *is_empty = NULL;
  struct group_form options = {.dim_size = -1, .reduction = STREW_SUM, .dtype = &int64};
  ok(group_form(strew_by_grouping(grouping), aggregate->src, &options, &sums, NULL, &failure));
  ok(strew_grouping_counts(grouping, &counts, &failure));
  ok(strew_to(sums, strew_tensor_device(sums), STREW_FLOAT64, &out, &failure));
  ok(strew_to(counts, strew_tensor_device(sums), STREW_FLOAT64, &floats, &failure));
  ok(strew_binary(STREW_DIV, strew_of(out), strew_of(floats), &out, &failure));
  ok(strew_binary(STREW_EQ, strew_of(counts), strew_number(strew_int(0)), &is_empty, &failure));
  if (aggregate->options.fill)
    ok(strew_masked_fill(out, is_empty, strew_number(*aggregate->options.fill), &out, &failure));
  strew_release(sums), strew_release(counts), strew_release(floats), strew_release(is_empty);
  return out;
}

/* An aggregate by itself, of small integers. */
static strew_tensor *alone(strew_grouping *grouping, const struct form_of *aggregate) {
  strew_dtype sums;
  const strew_scalar nan = strew_float(NAN);
  struct group_form options = aggregate->options;
  strew_tensor *out = NULL;
  if (!aggregate->src) {
    ok(strew_grouping_counts(grouping, &out, &failure));
    return out;
  }
  const bool is_float = is_float_dtype(strew_tensor_dtype(aggregate->src));
  const bool joins = options.reduction == STREW_SUM || options.reduction == STREW_PROD;
  if (!is_float && options.reduction == STREW_MEAN) return mean_of_integers(grouping, aggregate);
  if (is_float && !joins && !options.fill) options.fill = &nan;
  sums = dtype_of_sums(strew_tensor_dtype(aggregate->src));
  const bool is_table = !is_float && joins && !options.dtype;
  if (is_table) options.dtype = &sums;
  ok(group_form(strew_by_grouping(grouping), aggregate->src, &options, &out, NULL, &failure));
  if (!is_table) return out;
  strew_tensor *own = NULL;
  ok(strew_to(out, strew_tensor_device(out), dtype_of_table_sums(strew_tensor_dtype(aggregate->src)), &own, &failure));
  strew_release(out);
  return own;
}

/* Products of which fit. */
static strew_tensor *draw_column(strew_dtype dtype, const int64_t *sizes) {
  const enum layout layout = (enum layout)draw_below(LAYOUT_COUNT);
  if (is_float_dtype(dtype)) return random_tensor(dtype, 1, sizes, layout);
  return random_integers(dtype, 1, sizes, layout, dtype == STREW_BOOL || is_unsigned_dtype(dtype) ? 0 : -1, 2);
}

/* The same aggregates in the form whose zeros are the defaults. */
static void assert_same_with(strew_grouping *grouping, int count, const struct form_of aggregates[],
                             strew_tensor *const expected[]) {
  static const strew_group_reduction by_scatter[] = {[STREW_SUM] = STREW_GROUP_SUM,
                                                     [STREW_PROD] = STREW_GROUP_PROD,
                                                     [STREW_MEAN] = STREW_GROUP_MEAN,
                                                     [STREW_AMAX] = STREW_GROUP_MAX,
                                                     [STREW_AMIN] = STREW_GROUP_MIN};
  enum { MOST = 12 };
  strew_group_aggregate own[MOST] = {{NULL}};
  strew_tensor *out[MOST];
  for (int i = 0; i < count; i++) {
    const struct group_form *options = &aggregates[i].options;
    own[i].src = aggregates[i].src;
    own[i].reduction = own[i].src ? by_scatter[options->reduction] : STREW_GROUP_COUNT;
    if (!own[i].src) continue;
    own[i].options.fill = options->fill;
    own[i].options.dtype = options->dtype;
    own[i].options.skip_nan = options->skip_nan;
  }
  ok(strew_grouping_aggregate_with(grouping, count, own, out, &failure));
  for (int i = 0; i < count; i++) {
    assert_same(out[i], expected[i], "with options of zeros");
    strew_release(out[i]);
  }
}

/* As each of them by itself. */
START_TEST(test_random_aggregates) {
  enum { COLUMNS = 4, MOST = 12 };
  const strew_scalar one = strew_int(1);
  for (int turn = 0; turn < sweep(4); turn++) {
    use_threads((const int[]){1, 2, 3, 7}[turn]);
    seed_draws((uint64_t)_i + 1);
    for (int n = 0; n < some(12); n++) {
      const bool is_large = n == 5 && !on_device(); /* ids of 32 bits, records beyond L2 */
      const int64_t length = is_large ? 90000 : draw_below(n % 4 ? 100 : 9000);
      const int64_t size = is_large ? 60000 : draw_below(n % 3 ? 7 : 2000), sizes[] = {length};
      strew_grouping *grouping = NULL;
      strew_tensor *src[COLUMNS], *out[MOST], *index = NULL;
      struct form_of aggregates[MOST];
      const int count = (int)draw_below(MOST + 1);
      for (int c = 0; c < COLUMNS; c++)
        src[c] = draw_column(dtype_here(c ? (strew_dtype)draw_below(STREW_DTYPE_COUNT) : (strew_dtype)_i), sizes);
      index = random_integers(STREW_INT64, 1, sizes, CONTIGUOUS, -1, size + 1);
      if (n % 2)
        ok(strew_group_by_with(1, &index, &(strew_group_by_options){.order = STREW_KEYS_FIRST}, &grouping, &failure));
      else
        ok(strew_grouping_create_with(
            index, &(strew_grouping_options){.dim_size = &(int64_t){size}, .mode = STREW_DROP}, &grouping, &failure));
      for (int i = 0; i < count; i++) aggregates[i] = draw_aggregate(COLUMNS, src, &one);
      ok(aggregate_forms(grouping, count, aggregates, out, &failure));
      assert_same_with(grouping, count, aggregates, out);
      for (int i = 0; i < count; i++) {
        strew_tensor *expected = alone(grouping, &aggregates[i]);
        assert_same(out[i], expected,
                    aggregates[i].src ? strew_enum_name(STREW_WORDS_REDUCTION, aggregates[i].options.reduction)
                                      : "count");
        strew_release(out[i]), strew_release(expected);
      }
      for (int c = 0; c < COLUMNS; c++) strew_release(src[c]);
      strew_release(index), strew_grouping_release(grouping);
    }
  }
}
END_TEST

/* All reductions at once: as each of them, but that no group without elements passes for a number. */
START_TEST(test_aggregates_of_all_reductions) {
  enum { ALL = STREW_GROUP_REDUCTION_COUNT };
  strew_tensor *index = tensor_from_integers(STREW_INT64, 4, (int64_t[]){0, 2, 0, 2}), *out[ALL];
  strew_tensor *src = tensor_from_doubles(STREW_FLOAT32, 4, (double[]){3, _i ? NAN : 1, 4, 1});
  strew_group_aggregate aggregates[ALL + 1] = {{NULL}};
  strew_grouping *grouping = NULL;
  ok(strew_grouping_create_with(index, &(strew_grouping_options){.dim_size = &(int64_t){3}}, &grouping, &failure));
  for (int i = 0; i < ALL; i++)
    aggregates[i] = (strew_group_aggregate){src, (strew_group_reduction)i, {.skip_nan = _i == 2}};
  ok(strew_grouping_aggregate_with(grouping, ALL, aggregates, out, &failure));
  for (int i = 0; i < ALL; i++) {
    strew_tensor *expected = NULL, *empty = NULL;
    ok(strew_group_reduce(strew_by_grouping(grouping), (strew_group_reduction)i, src, &aggregates[i].options, &expected,
                          NULL, &failure));
    ok(strew_narrow(expected, 0, 1, 1, &empty, &failure));
    const bool has_number = i == STREW_GROUP_SUM || i == STREW_GROUP_PROD || i == STREW_GROUP_LOGSUMEXP;
    if (is_float_dtype(strew_tensor_dtype(expected)) && !has_number) ok(strew_fill(empty, strew_float(NAN), &failure));
    const bool is_of_table = i == STREW_GROUP_VAR || i == STREW_GROUP_STD || i == STREW_GROUP_MEDIAN; /* below */
    if (!is_of_table)
      assert_same(out[i], expected, strew_enum_name(STREW_WORDS_GROUP_REDUCTION, (strew_group_reduction)i));
    strew_release(out[i]), strew_release(expected), strew_release(empty);
    out[i] = NULL;
  }
  aggregates[ALL].reduction = STREW_GROUP_VAR; /* src is NULL: nothing is made */
  assert_fails(strew_grouping_aggregate_with(grouping, ALL + 1, aggregates, out, &failure), STREW_EARGUMENT, NULL);
  ck_assert_str_eq(failure.argument, "src");
  ck_assert_ptr_null(out[0]);
  assert_fails(strew_grouping_aggregate_with(grouping, INT64_MAX, aggregates, out, &failure), STREW_EARGUMENT, NULL);
  assert_fails(strew_grouping_aggregate_with(grouping, -1, aggregates, out, &failure), STREW_EARGUMENT, NULL);
  aggregates[0].options.q = 0.5;
  assert_fails(strew_grouping_aggregate_with(grouping, ALL, aggregates, out, &failure), STREW_EARGUMENT, NULL);
  ck_assert_str_eq(failure.argument, "q");
  strew_release(index), strew_release(src), strew_grouping_release(grouping);
}
END_TEST

/* Statistics by the rules of tables, of three groups: 3 and 4, none, 1 1 5. */
START_TEST(test_aggregates_of_tables) {
  static const double two = 2, minus = -1, none = 0, part = 1.5;
  static const struct {
    strew_group_reduction what;
    strew_group_reduce_options options;
    double expected[3];
    bool is_chosen; /* an element: of src's dtype */
  } rows[] = {{STREW_GROUP_MEDIAN, {.fill = NULL}, {3.5, NAN, 1}, false},
              {STREW_GROUP_LOWER_MEDIAN, {.fill = NULL}, {3, NAN, 1}, true},
              {STREW_GROUP_QUANTILE, {.q = 0.25}, {3.25, NAN, 1}, false},
              {STREW_GROUP_QUANTILE, {.q = 0.25, .interpolation = STREW_MIDPOINT}, {3.5, NAN, 1}, false},
              {STREW_GROUP_QUANTILE, {.q = 0.25, .interpolation = STREW_HIGHER}, {4, NAN, 1}, true},
              {STREW_GROUP_VAR, {.fill = NULL}, {0.5, NAN, 16.0 / 3}, false},
              {STREW_GROUP_STD, {.fill = NULL}, {0.70710678118654752, NAN, 2.3094010767585031}, false},
              {STREW_GROUP_VAR, {.biased = true}, {0.25, NAN, 32.0 / 9}, false},
              {STREW_GROUP_STD, {.correction = &none}, {0.5, NAN, 1.8856180831641267}, false},
              {STREW_GROUP_VAR, {.correction = &two}, {NAN, NAN, 32.0 / 3}, false},
              {STREW_GROUP_VAR, {.correction = &part}, {1, NAN, 64.0 / 9}, false},
              {STREW_GROUP_VAR, {.correction = &minus, .biased = true}, {0.5 / 3, NAN, 8.0 / 3}, false}};
  static const strew_dtype dtypes[] = {STREW_FLOAT32, STREW_FLOAT64, STREW_INT64, STREW_UINT8, STREW_FLOAT16};
  const strew_dtype dtype = dtypes[_i];
  const bool is_float = is_float_dtype(dtype), lacks_results = lacks(STREW_FLOAT64) && !is_float;
  if (lacks(dtype)) return;
  strew_tensor *index = tensor_from_integers(STREW_INT64, 5, (int64_t[]){0, 2, 0, 2, 2}), *out = NULL, *wide = NULL;
  strew_tensor *src = tensor_from_doubles(dtype, 5, (double[]){3, 1, 4, 1, 5});
  strew_grouping *grouping = NULL;
  const int64_t size = 3;
  ok(strew_grouping_create_with(index, &(strew_grouping_options){.dim_size = &size}, &grouping, &failure));
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const strew_group_aggregate aggregate = {src, rows[i].what, rows[i].options};
    if (lacks_results && !rows[i].is_chosen) {
      assert_fails(strew_grouping_aggregate_with(grouping, 1, &aggregate, &out, &failure), STREW_EDTYPE, NULL);
      continue;
    }
    ok(strew_grouping_aggregate_with(grouping, 1, &aggregate, &out, &failure));
    ck_assert_int_eq(strew_tensor_dtype(out), is_float || rows[i].is_chosen ? dtype : STREW_FLOAT64);
    ok(strew_to(out, strew_device_at(context, 0), STREW_FLOAT64, &wide, &failure));
    double *found = host_of(wide);
    for (int k = 0; k < 3; k++) {
      const double expected = !is_float && rows[i].is_chosen && k == 1 ? 0 : rows[i].expected[k];
      const double tolerance = dtype == STREW_FLOAT16 ? 1e-3 : dtype == STREW_FLOAT32 ? 1e-7 : 3e-16;
      ck_assert_msg(isnan(expected) ? isnan(found[k]) : fabs(found[k] - expected) <= tolerance * expected,
                    "row %zu, group %d: %.17g, expected %.17g", i, k, found[k], expected);
    }
    free(found);
    strew_release(out), strew_release(wide);
    out = wide = NULL;
  }
  strew_release(index), strew_release(src), strew_grouping_release(grouping);
}
END_TEST

/* Each element is added to its group's sum, in order. */
static void *oracle_cumsum(strew_dtype dtype, int64_t length, int64_t size, const int64_t *ids, const char *src) {
  const strew_dtype to = dtype_of_table_sums(dtype);
  struct cell *sums = calloc((size_t)size + 1, sizeof *sums), none = {0};
  char *out = malloc((size_t)(length + 1) * strew_dtype_size_bytes(to));
  for (int64_t i = 0; i < length; i++) {
    const char *element = src + (size_t)i * strew_dtype_size_bytes(dtype);
    int64_t whole = 0;
    if (!is_float_dtype(to)) whole = strew_scalar_load(dtype, element).as.i;
    struct cell value = oracle_load(to, to == dtype ? element : (const char *)&whole);
    if (ids[i] >= 0) oracle_join(STREW_SUM, to, &sums[ids[i]], &value);
    oracle_store(to, ids[i] >= 0 ? &sums[ids[i]] : &none, out + (size_t)i * strew_dtype_size_bytes(to));
  }
  free(sums);
  return out;
}

static const struct sorted_by {
  const char *elements;
  strew_dtype dtype;
  int sign;
} * sorted_by; /* of by_element */
static int by_element(const void *a_, const void *b_) {
  const int64_t a = *(const int64_t *)a_, b = *(const int64_t *)b_;
  const size_t bytes = strew_dtype_size_bytes(sorted_by->dtype);
  const int order =
      compare(sorted_by->dtype, sorted_by->elements + (size_t)a * bytes, sorted_by->elements + (size_t)b * bytes);
  return order ? order * sorted_by->sign : (a > b) - (a < b);
}

/* The first k of each group's sorted positions. */
static void check_topk(strew_grouping *grouping, strew_tensor *src, int64_t k, bool largest, const int64_t *positions,
                       const int64_t *begins) {
  const int64_t size = strew_grouping_size(grouping);
  int64_t *expected = integers(strew_grouping_length(grouping)), *numbers = integers(strew_grouping_length(grouping));
  int64_t count = 0;
  strew_tensor *out = NULL, *groups = NULL, *alone = NULL;
  for (int64_t g = 0; g < size; g++)
    for (int64_t i = begins[g]; i < begins[g + 1] && i - begins[g] < k; i++, count++)
      expected[count] = positions[i], numbers[count] = g;
  ok(strew_grouping_topk_with(grouping, src, k, &(strew_topk_options){.smallest = !largest}, &out, &groups, &failure));
  ok(strew_grouping_topk_with(grouping, src, k, &(strew_topk_options){.smallest = !largest}, &alone, NULL, &failure));
  assert_sizes(out, 1, &count);
  assert_elements(out, STREW_INT64, expected, "the first %" PRId64, k);
  assert_elements(groups, STREW_INT64, numbers, "groups of the first %" PRId64, k);
  assert_same(alone, out, "positions alone");
  strew_release(out), strew_release(groups), strew_release(alone);
  free(expected), free(numbers);
}

/* Positions of each group, sorted by the C library. */
START_TEST(test_orders_within_groups) {
  const strew_dtype dtype = (strew_dtype)_i;
  if (lacks(dtype)) return;
  for (int turn = 0; turn < sweep(4); turn++) {
    use_threads((const int[]){1, 2, 3, 7}[turn]);
    seed_draws((uint64_t)_i + 1);
    for (int n = 0; n < some(20); n++) {
      const bool is_large = n == 7 && turn == 1 && !on_device(); /* too large a group to be sorted by itself */
      const int64_t length = is_large ? 150000 : draw_below(n % 5 ? 80 : 3000), sizes[] = {length};
      strew_grouping *grouping = draw_grouping(length, 1 + draw_below(is_large ? 2 : 9));
      strew_tensor *src = random_tensor(dtype, 1, sizes, (enum layout)draw_below(LAYOUT_COUNT)), *out = NULL;
      strew_tensor *order = NULL, *starts = NULL;
      const bool descending = draw_below(2);
      ok(strew_grouping_argsort_with(grouping, src, &(strew_sort_options){.descending = descending}, &out, &failure));
      ok(strew_grouping_order(grouping, &order, &failure));
      ok(strew_grouping_starts(grouping, &starts, &failure));
      char *elements = host_of(src);
      int64_t *positions = host_of(order), *begins = host_of(starts);
      sorted_by = &(struct sorted_by){elements, dtype, descending ? -1 : 1};
      for (int64_t g = 0; g < strew_grouping_size(grouping); g++)
        qsort(positions + begins[g], (size_t)(begins[g + 1] - begins[g]), sizeof *positions, by_element);
      assert_elements(out, STREW_INT64, positions, "order of %s", strew_dtype_name(dtype));
      check_topk(grouping, src, draw_below(n % 2 ? 10 : 40), descending, positions, begins);
      strew_release(src), strew_release(out), strew_release(order), strew_release(starts);
      strew_grouping_release(grouping);
      free(elements), free(positions), free(begins);
    }
  }
}
END_TEST

START_TEST(test_running_sums) {
  const strew_dtype dtype = (strew_dtype)_i;
  if (lacks(dtype)) return;
  seed_draws((uint64_t)_i + 1);
  for (int n = 0; n < some(40); n++) {
    const int64_t length = draw_below(60), size = 1 + draw_below(6), sizes[] = {length};
    strew_grouping *grouping = draw_grouping(length, size);
    const enum layout layout = (enum layout)draw_below(LAYOUT_COUNT);
    strew_tensor *src = dtype == STREW_INT64 || dtype == STREW_UINT64
                            ? random_integers(dtype, 1, sizes, layout, -1000, 1000) /* sums fit */
                            : random_tensor(dtype, 1, sizes, layout);
    strew_tensor *ids = NULL, *out = NULL;
    ok(strew_grouping_ids(grouping, &ids, &failure));
    int64_t *numbers = host_of(ids);
    char *elements = host_of(src);
    void *expected = oracle_cumsum(dtype, length, size, numbers, elements);
    ok(strew_grouping_cumsum(grouping, src, &out, &failure));
    assert_elements(out, dtype_of_table_sums(dtype), expected, "running sums of %s", strew_dtype_name(dtype));
    strew_release(src), strew_release(ids), strew_release(out), strew_grouping_release(grouping);
    free(numbers), free(elements), free(expected);
  }
}
END_TEST

START_TEST(test_shifts) {
  const strew_dtype dtype = (strew_dtype)_i;
  if (lacks(dtype)) return;
  for (int n = 0; n < some(40); n++) {
    const int64_t length = draw_below(60), size = 1 + draw_below(6), sizes[] = {length}, far = draw_below(9) - 4;
    strew_grouping *grouping = draw_grouping(length, size);
    strew_tensor *src = random_tensor(dtype, 1, sizes, (enum layout)draw_below(LAYOUT_COUNT)), *ids = NULL, *out = NULL;
    ok(strew_grouping_ids(grouping, &ids, &failure));
    int64_t *numbers = host_of(ids);
    const size_t bytes = strew_dtype_size_bytes(dtype), all = (size_t)length * bytes;
    char *elements = host_of(src), *expected = calloc(all + 1, 1);
    for (int64_t i = 0, j; i < length; i++) { /* j: the element before, `left` groupmates away */
      int64_t left = far < 0 ? -far : far;
      for (j = i; left && j >= 0 && j < length; left -= left && j >= 0 && j < length && numbers[j] == numbers[i])
        j += far < 0 ? 1 : -1;
      if (numbers[i] >= 0 && j >= 0 && j < length)
        memcpy(expected + (size_t)i * bytes, elements + (size_t)j * bytes, bytes);
    }
    ok(strew_grouping_shift(grouping, src, far, strew_int(0), &out, &failure));
    assert_elements(out, dtype, expected, "shifts of %s", strew_dtype_name(dtype));
    strew_release(src), strew_release(ids), strew_release(out), strew_grouping_release(grouping);
    free(numbers), free(elements), free(expected);
  }
}
END_TEST

/* The power of two by which a group's elements are multiplied, so that their squares neither overflow nor lose digits;
   of a NaN 1. */
static double scale_of(double largest) { return largest > 0x1p500 ? 0x1p-600 : largest < 0x1p-400 ? 0x1p600 : 1; }

/* The mean square about the mean of elements, or torch_scatter's root of it; if they are wide, of elements that are
   scaled, minus the first one of their group. */
static double *oracle_spreads(int64_t length, int64_t size, const int64_t *ids, const double *x, bool is_wide,
                              bool is_deviation) {
  double *sums = calloc((size_t)size + 1, sizeof *sums), *squares = calloc((size_t)size + 1, sizeof *squares);
  double *firsts = calloc((size_t)size + 1, sizeof *firsts), *scales = calloc((size_t)size + 1, sizeof *scales);
  int64_t *counts = integers(size);
  for (int64_t i = 0; i < length; i++)
    if (ids[i] >= 0 && !(fabs(x[i]) <= scales[ids[i]]) && !isnan(scales[ids[i]])) scales[ids[i]] = fabs(x[i]);
  for (int64_t i = 0; i < size; i++) scales[i] = is_wide ? scale_of(scales[i]) : 1;
  for (int64_t i = 0; i < length; i++) {
    if (ids[i] < 0) continue;
    const double own = x[i] * scales[ids[i]];
    if (is_wide && !counts[ids[i]]) firsts[ids[i]] = own;
    sums[ids[i]] += own - firsts[ids[i]], counts[ids[i]]++;
  }
  for (int64_t i = 0; i < length; i++) {
    if (ids[i] < 0) continue;
    const double gap = x[i] * scales[ids[i]] - firsts[ids[i]] - sums[ids[i]] / (double)counts[ids[i]];
    squares[ids[i]] += gap * gap;
  }
  for (int64_t i = 0; i < size; i++) {
    const double count = counts[i] > 1 ? (double)counts[i] : 1;
    squares[i] = is_deviation ? sqrt(squares[i] / (count + 1e-6)) : squares[i] / count / scales[i];
    squares[i] /= scales[i];
  }
  free(sums), free(counts), free(firsts), free(scales);
  return squares;
}

/* Elements of float64 about one magnitude, some about others, up to the ends of the range. */
static strew_tensor *draw_magnitudes(int64_t length) {
  const double magnitudes[] = {1, 0x1p490, 0x1p510, 0x1p1000, 0x1p-390, 0x1p-516, 0x1p-1000, 0x1p-1060};
  const int64_t most = draw_below(8);
  double *elements = malloc((size_t)(length + 1) * sizeof *elements);
  for (int64_t i = 0; i < length; i++)
    elements[i] = magnitudes[draw_below(200) ? most : draw_below(8)] * (1 + (double)draw_below(1000) / 1000);
  strew_tensor *src = tensor_of(STREW_FLOAT64, 1, &length, (enum layout)draw_below(EXPANDED), elements);
  free(elements);
  return src;
}

START_TEST(test_spreads) {
  const strew_dtype dtype = (strew_dtype)_i;
  if (lacks(dtype) || !is_float_dtype(dtype)) return;
  for (int turn = 0; turn < sweep(4); turn++) {
    use_threads((const int[]){1, 2, 3, 7}[turn]);
    seed_draws((uint64_t)_i + 1);
    for (int n = 0; n < some(20); n++) {
      const int64_t length = draw_below(n % 5 ? 80 : 9000), size = 1 + draw_below(n % 3 ? 6 : 600), sizes[] = {length};
      strew_grouping *grouping = draw_grouping(length, size);
      strew_tensor *src = dtype == STREW_FLOAT64 && n % 2
                              ? draw_magnitudes(length)
                              : random_tensor(dtype, 1, sizes, (enum layout)draw_below(LAYOUT_COUNT));
      strew_tensor *ids = NULL, *values = NULL, *out = NULL, *rounded = NULL;
      const strew_group_reduce_options biased = {.biased = true};
      const strew_groups by = strew_by_grouping(grouping);
      const bool is_deviation = n / 2 % 2;
      const strew_group_reduction what = is_deviation ? STREW_GROUP_STD : STREW_GROUP_VAR;
      ok(strew_group_reduce(by, what, src, &biased, &out, NULL, &failure));
      ok(strew_grouping_ids(grouping, &ids, &failure));
      ok(strew_to(src, strew_device_at(context, 0), STREW_FLOAT64, &values, &failure));
      const int64_t groups = strew_grouping_size(grouping);
      int64_t *numbers = host_of(ids);
      double *elements = host_of(values);
      double *expected = oracle_spreads(length, groups, numbers, elements, dtype == STREW_FLOAT64, is_deviation);
      strew_release(values), values = NULL;
      ok(strew_wrap(strew_device_at(context, 0), STREW_FLOAT64, 1, &groups, NULL, expected,
                    (size_t)groups * sizeof *expected, NULL, NULL, &values, &failure));
      ok(strew_to(values, device, dtype, &rounded, &failure));
      assert_same(out, rounded, is_deviation ? "deviations" : "variances");
      strew_release(src), strew_release(values), strew_release(ids), strew_release(out), strew_release(rounded);
      strew_grouping_release(grouping);
      free(numbers), free(elements), free(expected);
    }
  }
}
END_TEST

/* As the calls of the group form. */
START_TEST(test_softmax_and_quantiles) {
  seed_draws(3);
  for (int n = 0; n < some(20); n++) {
    int64_t sizes[] = {1 + draw_below(20), 1 + draw_below(4)};
    strew_grouping *grouping = draw_grouping(sizes[0], 4);
    strew_tensor *src = random_tensor(STREW_FLOAT32, n % 3 ? 2 : 1, sizes, CONTIGUOUS), *ids = NULL, *out = NULL;
    strew_tensor *expected = NULL;
    ok(strew_grouping_ids(grouping, &ids, &failure));
    const int first = 0;
    const int64_t four = 4;
    const strew_group_softmax_options own = {.dim = &first, .logarithm = n % 2};
    strew_group_softmax_options by_ids = own;
    by_ids.dim_size = &four, by_ids.mode = STREW_DROP;
    ok(strew_group_softmax_with(strew_by_grouping(grouping), src, &own, &out, &failure));
    ok(strew_group_softmax_with(strew_by_index(ids), src, &by_ids, &expected, &failure));
    assert_same(out, expected, "softmax");
    strew_release(out), strew_release(expected), out = expected = NULL;
    strew_group_reduce_options options = {.dim = &first, .q = 0.3};
    ok(strew_group_reduce(strew_by_grouping(grouping), STREW_GROUP_QUANTILE, src, &options, &out, NULL, &failure));
    options.dim_size = &four, options.mode = STREW_DROP;
    ok(strew_group_reduce(strew_by_index(ids), STREW_GROUP_QUANTILE, src, &options, &expected, NULL, &failure));
    assert_same(out, expected, "quantile");
    strew_release(out), strew_release(expected), strew_release(src), strew_release(ids);
    strew_grouping_release(grouping);
  }
}
END_TEST

/* ----------------------------------------------------------------------------------------------- one call for all */

static int by_number(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  if (isnan(x) || isnan(y)) return isnan(x) - isnan(y);
  return (x > y) - (x < y);
}

static bool equals(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

static double squares_about(const double *x, int64_t count, double mean) {
  double sum = 0;
  for (int64_t i = 0; i < count; i++) sum += (x[i] - mean) * (x[i] - mean);
  return sum;
}

/* What a reduction makes of the elements of a group, in order of position. They are sorted afterwards. */
static double reduce_plainly(strew_group_reduction what, double *x, int64_t count, bool is_float) {
  double sum = 0, product = 1, powers = 0, divisor = count > 2 ? (double)count - 1 : 1;
  int64_t zeros = 0, distinct = count > 0;
  const double first = count ? x[0] : 0, last = count ? x[count - 1] : 0;
  for (int64_t i = 0; i < count; i++) sum += x[i], product *= x[i], powers += exp(x[i]), zeros += x[i] == 0;
  const double squares = squares_about(x, count, sum / (double)count), mean = count ? sum / (double)count : 0;
  qsort(x, (size_t)count, sizeof *x, by_number);
  for (int64_t i = 1; i < count; i++) distinct += !equals(x[i], x[i - 1]);
  const bool has_nan = count && isnan(x[count - 1]);
  switch (what) {
  case STREW_GROUP_SUM: return sum;
  case STREW_GROUP_PROD: return product;
  case STREW_GROUP_MEAN: return is_float ? mean : floor(mean);
  case STREW_GROUP_VAR: return squares / divisor;
  case STREW_GROUP_STD: return sqrt(squares / (divisor + 1e-6));
  case STREW_GROUP_MIN: return !count ? 0 : has_nan ? NAN : x[0];
  case STREW_GROUP_MAX: return !count ? 0 : x[count - 1];
  case STREW_GROUP_ANY: return zeros < count;
  case STREW_GROUP_ALL: return zeros == 0;
  case STREW_GROUP_FIRST: return first;
  case STREW_GROUP_LAST: return last;
  case STREW_GROUP_LOWER_MEDIAN:
  case STREW_GROUP_MEDIAN: return count ? (has_nan ? NAN : x[(count - 1) / 2]) : is_float ? NAN : 0;
  case STREW_GROUP_QUANTILE: return count ? (has_nan ? NAN : x[count - 1]) : is_float ? NAN : 0; /* q = 1 */
  case STREW_GROUP_COUNT: return (double)count;
  case STREW_GROUP_NUNIQUE: return (double)distinct;
  case STREW_GROUP_LOGSUMEXP: return count ? log(powers) : 0;
  default: return 0;
  }
}

/* A result of src [length, width] along dimension 0, against the plain loop. */
static void check_reduction(strew_group_reduction what, strew_tensor *out, strew_tensor *src, const int64_t *ids,
                            int64_t size, bool skips) {
  const int64_t length = strew_tensor_sizes(src)[0], width = strew_tensor_sizes(src)[1];
  const bool is_float = is_float_dtype(strew_tensor_dtype(src));
  strew_tensor *wide = NULL, *values = NULL;
  ok(strew_to(src, strew_device_at(context, 0), STREW_FLOAT64, &wide, &failure));
  ok(strew_to(out, strew_device_at(context, 0), STREW_FLOAT64, &values, &failure));
  double *x = host_of(wide), *found = host_of(values), *one = calloc((size_t)length + 1, sizeof *one);
  assert_sizes(out, 2, (int64_t[]){size, width});
  for (int64_t g = 0; g < size * width; g++) {
    int64_t count = 0;
    for (int64_t i = 0; i < length; i++) {
      const double element = x[i * width + g % width];
      if (ids[i] == g / width && !(skips && isnan(element))) one[count++] = element;
    }
    const double expected = reduce_plainly(what, one, count, is_float);
    ck_assert_msg(equals(found[g], expected) || fabs(found[g] - expected) <= 1e-5 * (1 + fabs(expected)),
                  "reduction %d of %s, group %" PRId64 ": %g, expected %g", (int)what,
                  strew_dtype_name(strew_tensor_dtype(src)), g, found[g], expected);
  }
  strew_release(wide), strew_release(values);
  free(x), free(found), free(one);
}

/* By an index and by a grouping, of many equal elements and, of floats, NaN. */
START_TEST(test_all_reductions) {
  static const strew_dtype dtypes[] = {STREW_FLOAT32, STREW_FLOAT64, STREW_INT64, STREW_INT32, STREW_BOOL};
  const strew_group_reduction what = (strew_group_reduction)(_i % STREW_GROUP_REDUCTION_COUNT);
  const strew_dtype dtype = dtypes[_i / STREW_GROUP_REDUCTION_COUNT];
  const bool is_float = is_float_dtype(dtype), is_bool = dtype == STREW_BOOL;
  const bool is_spread = what == STREW_GROUP_VAR || what == STREW_GROUP_STD || what == STREW_GROUP_LOGSUMEXP;
  if (lacks(dtype) || (is_spread && !is_float)) return;
  if (is_bool && (what == STREW_GROUP_SUM || what == STREW_GROUP_MEAN)) return;
  seed_draws((uint64_t)_i + 1);
  for (int n = 0; n < some(20); n++) {
    const int64_t length = draw_below(n % 5 ? 30 : 400), sizes[] = {length, 1 + draw_below(3)},
                  size = 1 + draw_below(9);
    strew_tensor *src = random_integers(dtype, 2, sizes, CONTIGUOUS, is_bool ? 0 : -2, is_bool ? 2 : 4), *odd = NULL;
    strew_tensor *index = random_integers(STREW_INT64, 1, sizes, CONTIGUOUS, -1, size), *out = NULL;
    strew_grouping *grouping = NULL;
    const int dim = 0;
    const bool skips = draw_below(2);
    strew_group_reduce_options options = {.dim = &dim, .dim_size = &size, .mode = STREW_DROP, .skip_nan = skips};
    if (what == STREW_GROUP_QUANTILE) options.q = 1, options.interpolation = STREW_LOWER;
    if (is_float && n % 3) {
      ok(strew_binary(STREW_EQ, strew_of(src), strew_number(strew_int(3)), &odd, &failure));
      ok(strew_masked_fill(src, odd, strew_number(strew_float(NAN)), &src, &failure));
    }
    int64_t *ids = host_of(index);
    ok(strew_group_reduce(strew_by_index(index), what, src, &options, &out, NULL, &failure));
    check_reduction(what, out, src, ids, size, skips && is_float);
    strew_release(out), out = NULL;
    ok(strew_grouping_create_with(index, &(strew_grouping_options){.dim_size = &(int64_t){size}, .mode = STREW_DROP},
                                  &grouping, &failure));
    options.mode = STREW_ERROR;
    ok(strew_group_reduce(strew_by_grouping(grouping), what, src, &options, &out, NULL, &failure));
    check_reduction(what, out, src, ids, size, skips && is_float);
    strew_tensor *given = out; /* what joins it keeps its references */
    if (strew_group_reduce(strew_by_grouping(grouping), what, src, &options, &given, NULL, &failure) != STREW_OK)
      ck_assert_str_eq(failure.argument, "out");
    ck_assert_ptr_eq(given, out);
    strew_release(out), strew_release(src), strew_release(odd), strew_release(index), strew_grouping_release(grouping);
    free(ids);
  }
}
END_TEST

/* One line of a grouping has ways of its own: they give the bits of the way by its ids. */
START_TEST(test_reductions_of_a_line) {
  const strew_group_reduction what = (strew_group_reduction)_i;
  seed_draws((uint64_t)_i + 1);
  for (int n = 0; n < some(30); n++) {
    const int64_t length = draw_below(n % 5 ? 60 : 5000), size = 1 + draw_below(n % 3 ? 6 : 300), sizes[] = {length};
    const strew_dtype dtype = n % 2 || lacks(STREW_FLOAT64) ? STREW_FLOAT32 : STREW_FLOAT64;
    strew_grouping *grouping = draw_grouping(length, size);
    strew_tensor *src = random_tensor(dtype, 1, sizes, (enum layout)draw_below(LAYOUT_COUNT)), *ids = NULL;
    strew_tensor *out = NULL, *expected = NULL;
    strew_group_reduce_options options = {.skip_nan = draw_below(2)};
    ok(strew_group_reduce(strew_by_grouping(grouping), what, src, &options, &out, NULL, &failure));
    ok(strew_grouping_ids(grouping, &ids, &failure));
    options.dim_size = &size, options.mode = STREW_DROP;
    ok(strew_group_reduce(strew_by_index(ids), what, src, &options, &expected, NULL, &failure));
    assert_same(out, expected, "a line");
    strew_release(out), strew_release(expected), strew_release(src), strew_release(ids);
    strew_grouping_release(grouping);
  }
}
END_TEST

/* Ranks, and ids as reductions see them. */
START_TEST(test_ranks_and_ids) {
  strew_tensor *index = tensor_from_integers(STREW_INT64, 5, (int64_t[]){1, 0, 1, 7, 1}), *out = NULL;
  strew_tensor *src = tensor_from_doubles(STREW_FLOAT32, 5, (double[]){3, 9, NAN, 1, 2});
  strew_grouping *grouping = NULL;
  const int64_t size = 2;
  strew_group_reduce_options options = {.dim_size = &size, .mode = STREW_DROP};
  ok(strew_grouping_create_with(index, &(strew_grouping_options){.dim_size = &(int64_t){size}, .mode = STREW_DROP},
                                &grouping, &failure));
  ok(strew_grouping_rank(grouping, src, NULL, &out, &failure));
  assert_elements(out, STREW_INT64, ((int64_t[]){1, 0, 2, -1, 0}), "ranks");
  strew_release(out), out = NULL;
  ok(strew_group_ids(strew_by_index(index), src, &options, &out, &failure));
  assert_elements(out, STREW_INT64, ((int64_t[]){1, 0, 1, -1, 1}), "ids");
  strew_release(out), out = NULL;
  options.skip_nan = true;
  ok(strew_group_ids(strew_by_index(index), src, &options, &out, &failure));
  assert_elements(out, STREW_INT64, ((int64_t[]){1, 0, -1, -1, 1}), "ids without NaN");
  strew_release(out), out = NULL;
  /* counts of an index of any shape; the error has the position there */
  strew_tensor *square = NULL;
  ok(strew_view(index, 2, (int64_t[]){5, 1}, &square, &failure));
  options = (strew_group_reduce_options){.mode = STREW_ERROR};
  ok(strew_group_reduce(strew_by_index(square), STREW_GROUP_COUNT, NULL, &options, &out, NULL, &failure));
  assert_elements(out, STREW_INT64, ((int64_t[]){1, 3, 0, 0, 0, 0, 0, 1}), "counts");
  strew_release(out), out = NULL;
  options.dim_size = &size;
  assert_fails(strew_group_reduce(strew_by_index(square), STREW_GROUP_COUNT, NULL, &options, &out, NULL, &failure),
               STREW_EINDEX, NULL);
  ck_assert_int_eq(failure.position_rank, 2);
  ck_assert_int_eq(failure.position[0], 3);
  /* options that a reduction does not take */
  const strew_scalar one = strew_int(1);
  options = (strew_group_reduce_options){.fill = &one};
  assert_fails(
      strew_group_reduce(strew_by_grouping(grouping), STREW_GROUP_NUNIQUE, src, &options, &out, NULL, &failure),
      STREW_EARGUMENT,
      "scatter_nunique: 'fill' is given, but \"nunique\" does not take it\n"
      "  src  float32[5] cpu\n  ids  int64[5] cpu");
  assert_fails(strew_group_reduce(strew_by_grouping(grouping), STREW_GROUP_SUM, NULL, NULL, &out, NULL, &failure),
               STREW_EARGUMENT, NULL);
  ck_assert_ptr_null(out);
  strew_release(index), strew_release(src), strew_release(square), strew_grouping_release(grouping);
}
END_TEST

/* ---------------------------------------------------------------------------------------------------- other devices */

/* On the CPU of the context and back: the same grouping. */
START_TEST(test_devices) {
  seed_draws(5);
  struct keys keys = draw_keys(STREW_FLOAT32, 2, 50);
  strew_grouping *grouping = NULL, *same = NULL, *moved = NULL, *back = NULL;
  strew_tensor *order = NULL;
  strew_context *other = NULL;
  strew_device *cpu = NULL, *there = NULL;
  ok(strew_group_by_with(2, keys.tensors, &(strew_group_by_options){.order = STREW_KEYS_FIRST}, &grouping, &failure));
  ok(strew_grouping_order(grouping, &order, &failure));
  ok(strew_grouping_to(grouping, device, &same, &failure));
  ck_assert_ptr_eq(same, grouping);
  ok(strew_context_create(NULL, &other, &failure));
  ok(strew_device_find(context, "cpu", &cpu, &failure));
  ok(strew_device_find(other, "cpu", &there, &failure));
  ok(strew_grouping_to(grouping, there, &moved, &failure));
  ck_assert_ptr_eq(strew_grouping_device(moved), there);
  ok(strew_grouping_to(moved, device, &back, &failure));
  struct groups groups = oracle_groups(&keys, STREW_KEYS_FIRST);
  check_groups(back, &groups, "moved and back");
  check_keys(back, &keys, &groups, "moved and back");
  strew_grouping_release(grouping), strew_grouping_release(same), strew_grouping_release(moved);
  strew_grouping_release(back), strew_release(order);
  free_keys(&keys), free_groups(&groups);
  strew_context_release(other);
}
END_TEST

/* --------------------------------------------------------------------------------------------------------- failures */

#define READ_ONLY "'%s' belongs to a grouping, which never changes"

/* True if a failure says so. */
static void assert_read_only(strew_status status, const char *argument) {
  char text[100];
  snprintf(text, sizeof text, READ_ONLY, argument);
  ck_assert_msg(status == STREW_EOVERLAP, "status %d: %s", (int)status, failure.message);
  ck_assert_msg(strstr(failure.message, text) != NULL, "%s", failure.message);
}

START_TEST(test_tensors_that_no_call_writes) {
  strew_tensor *index = tensor_from_integers(STREW_INT64, 3, (int64_t[]){1, 0, 1}), *part = NULL, *source = NULL;
  strew_grouping *grouping = NULL;
  const strew_scatter_options sum = {.reduction = STREW_SUM};
  ok(strew_grouping_create_with(index, NULL, &grouping, &failure));
  source = tensor_from_integers(STREW_INT64, 3, (int64_t[]){7, 8, 9});
  strew_status (*const get[])(strew_grouping *, strew_tensor **, strew_error *) = {
      strew_grouping_ids, strew_grouping_counts, strew_grouping_positions, strew_grouping_order, strew_grouping_starts};
  for (size_t i = 0; i < sizeof get / sizeof *get; i++) {
    strew_tensor *kept = NULL;
    ok(get[i](grouping, &kept, &failure));
    ok(strew_narrow(kept, 0, 0, 1, &part, &failure));
    assert_read_only(strew_fill(kept, strew_int(0), &failure), "self");
    assert_read_only(strew_fill(part, strew_int(0), &failure), "self");
    assert_read_only(strew_set(kept, 1, (int64_t[]){0}, strew_int(0), &failure), "self");
    strew_release(kept), strew_release(part), part = NULL;
  }
  strew_tensor *ids = NULL;
  ok(strew_grouping_ids(grouping, &ids, &failure));
  assert_read_only(strew_copy(ids, source, &failure), "self");
  assert_read_only(strew_binary(STREW_ADD, strew_of(ids), strew_number(strew_int(1)), &ids, &failure), "self");
  assert_read_only(strew_unary(STREW_NEG, source, &ids, &failure), "out");
  assert_read_only(strew_scatter(ids, 0, index, strew_of(source), &sum, &ids, &failure), "self");
  assert_read_only(strew_gather_with(source, 0, index, NULL, &ids, &failure), "out");
  assert_read_only(strew_sort_with(source, 0, NULL, NULL, &ids, &failure), "indices");
  assert_read_only(strew_cumsum_with(source, 0, NULL, &ids, &failure), "out");
  assert_read_only(strew_index_fill_with(ids, 0, index, strew_number(strew_int(0)), NULL, &ids, &failure), "self");
  assert_read_only(strew_put(ids, index, source, &sum, &ids, &failure), "self");
  assert_read_only(strew_set_rows(ids, index, strew_number(strew_int(0)), &failure), "self");
  assert_read_only(strew_randint(device, STREW_INT64, 0, 9, 1, (int64_t[]){3}, &ids, &failure), "out");
  assert_read_only(strew_arange(device, STREW_INT64, strew_int(0), strew_int(3), strew_int(1), &ids, &failure), "out");
  assert_elements(ids, STREW_INT64, (int64_t[]){1, 0, 1}, "ids");
  strew_release(index), strew_release(source), strew_release(ids), strew_grouping_release(grouping);
}
END_TEST

START_TEST(test_bad_ids) {
  strew_tensor *index = tensor_from_integers(STREW_INT64, 3, (int64_t[]){1, -1, 4}), *square = NULL, *floats = NULL;
  strew_grouping *grouping = NULL;
  assert_fails(
      strew_grouping_create_with(index, &(strew_grouping_options){.dim_size = &(int64_t){3}}, &grouping, &failure),
      STREW_EINDEX,
      "grouping: 'index' has value -1 at [1], out of range for dim 0 of the grouping (size 3, valid 0..2)\n"
      "  index  int64[3] cpu\n"
      "  hint   mode = STREW_WRAP counts negative values from the end, STREW_DROP skips them, as padding");
  assert_fails(strew_grouping_create_with(index,
                                          &(strew_grouping_options){.dim_size = &(int64_t){3}, .mode = STREW_WRAP},
                                          &grouping, &failure),
               STREW_EINDEX, NULL);
  assert_fails(strew_grouping_create_with(index,
                                          &(strew_grouping_options){.dim_size = &(int64_t){0}, .mode = STREW_CLIP},
                                          &grouping, &failure),
               STREW_EINDEX, NULL);
  assert_fails(
      strew_grouping_create_with(index, &(strew_grouping_options){.dim_size = &(int64_t){-2}}, &grouping, &failure),
      STREW_ESHAPE, "grouping: 'dim_size' is -2, expected 0 or more\n  index  int64[3] cpu");
  assert_fails(strew_grouping_create_with(index,
                                          &(strew_grouping_options){.dim_size = &(int64_t){3}, .mode = (strew_mode)9},
                                          &grouping, &failure),
               STREW_EARGUMENT, NULL);
  ok(strew_view(index, 2, (int64_t[]){1, 3}, &square, &failure));
  assert_fails(
      strew_grouping_create_with(square, &(strew_grouping_options){.dim_size = &(int64_t){3}, .mode = STREW_DROP},
                                 &grouping, &failure),
      STREW_ESHAPE,
      "grouping: 'index' has 2 dimensions, expected 1\n  index  int64[1, 3] cpu\n  hint   strew_flatten(index)");
  floats = tensor_from_doubles(STREW_FLOAT32, 1, (double[]){0});
  assert_fails(strew_grouping_create_with(floats,
                                          &(strew_grouping_options){.dim_size = &(int64_t){3}, .mode = STREW_DROP},
                                          &grouping, &failure),
               STREW_EDTYPE, NULL);
  ck_assert_ptr_null(grouping);
  strew_release(index), strew_release(square), strew_release(floats);
}
END_TEST

START_TEST(test_bad_keys) {
  strew_tensor *three = tensor_from_integers(STREW_INT64, 3, (int64_t[]){1, -1, 4}), *square = NULL;
  strew_tensor *two = tensor_from_integers(STREW_INT64, 2, (int64_t[]){1, -1}), *key = NULL;
  strew_grouping *grouping = NULL;
  assert_fails(strew_group_by_with(2, (strew_tensor *[]){three, two}, NULL, &grouping, &failure), STREW_ESHAPE,
               "group_by: 'keys' has 2 elements at [2], 3 at [1]: lengths must be equal\n"
               "  keys[1]  int64[3] cpu\n  keys[2]  int64[2] cpu");
  assert_fails(strew_group_by_with(0, NULL, NULL, &grouping, &failure), STREW_EARGUMENT,
               "group_by: 'keys' has no tensor, expected at least 1");
  assert_fails(
      strew_group_by_with(1, &three, &(strew_group_by_options){.order = (strew_key_order)7}, &grouping, &failure),
      STREW_EARGUMENT, NULL);
  ok(strew_view(three, 2, (int64_t[]){3, 1}, &square, &failure));
  assert_fails(strew_group_by_with(1, &square, NULL, &grouping, &failure), STREW_ESHAPE, NULL);
  ok(strew_group_by_with(1, &three, NULL, &grouping, &failure));
  assert_fails(strew_grouping_key(grouping, 1, &key, &failure), STREW_EARGUMENT, NULL);
  strew_grouping_release(grouping);
  strew_release(three), strew_release(two), strew_release(square);
}
END_TEST

/* A message with the hint to floats that the device has. */
static const char *with_way(const char *lines) {
  static char message[300];
  snprintf(message, sizeof message, "%s  hint  %s computes in floats", lines,
           lacks(STREW_FLOAT64) ? "strew_to(src, float32)" : "{.dtype = STREW_FLOAT64}");
  return message;
}

/* Sums, products and running sums that leave int64: nothing is made. */
START_TEST(test_integers_that_wrap) {
  static const strew_dtype int32 = STREW_INT32;
  strew_tensor *index = tensor_from_integers(STREW_INT64, 3, (int64_t[]){1, 0, 1}), *out = NULL;
  strew_tensor *src = tensor_from_integers(STREW_INT64, 3, (int64_t[]){INT64_MAX, 5, 1});
  strew_tensor *narrow = tensor_from_integers(STREW_INT32, 3, (int64_t[]){INT32_MAX, 5, INT32_MAX});
  strew_grouping *grouping = NULL;
  struct form_of aggregates[2] = {{narrow, GROUP_FORM}, {src, GROUP_FORM}};
  strew_tensor *results[2] = {NULL, NULL};
  ok(strew_grouping_create_with(index, NULL, &grouping, &failure));
  assert_fails(aggregate_forms(grouping, 2, aggregates, results, &failure), STREW_EVALUE,
               with_way("grouping_aggregate: 'src' has a sum in group 1 that int64 cannot hold\n"
                        "  ids   int64[3] cpu\n"));
  ck_assert_int_eq(failure.value.as.i, 1);
  aggregates[1].options.reduction = STREW_PROD;
  ok(aggregate_forms(grouping, 2, aggregates, results, &failure));
  assert_elements(results[0], STREW_INT64, (int64_t[]){5, 2 * (int64_t)INT32_MAX}, "sums");
  assert_elements(results[1], STREW_INT64, (int64_t[]){5, INT64_MAX}, "products");
  strew_release(results[0]), strew_release(results[1]), results[0] = results[1] = NULL;
  aggregates[0].options.dtype = &int32;
  assert_fails(aggregate_forms(grouping, 2, aggregates, results, &failure), STREW_EVALUE, NULL);
  ck_assert(!results[0] && !results[1]);
  assert_fails(strew_grouping_cumsum(grouping, src, &out, &failure), STREW_EVALUE,
               with_way("grouping_cumsum: 'src' has a sum in group 1 at [2] that int64 cannot hold\n"
                        "  src   int64[3] cpu\n  ids   int64[3] cpu\n"));
  ck_assert_ptr_null(out);
  ok(group_form(strew_by_grouping(grouping), src, NULL, &out, NULL, &failure)); /* as the group form: it wraps */
  assert_elements(out, STREW_INT64, (int64_t[]){5, INT64_MIN}, "the group form");
  strew_release(index), strew_release(src), strew_release(narrow), strew_release(out);
  strew_grouping_release(grouping);
}
END_TEST

START_TEST(test_bad_operands) {
  strew_tensor *index = tensor_from_integers(STREW_INT64, 3, (int64_t[]){1, 0, 1}), *out = NULL;
  strew_tensor *src = tensor_from_doubles(STREW_FLOAT32, 2, (double[]){1, 2});
  strew_tensor *one = tensor_from_doubles(STREW_FLOAT32, 1, (double[]){1});
  strew_grouping *grouping = NULL;
  ok(strew_grouping_create_with(index, NULL, &grouping, &failure));
  assert_fails(group_form(strew_by_grouping(grouping), src, NULL, &out, NULL, &failure), STREW_ESHAPE,
               "scatter_sum: 'src' has size 2 in dim 0, the grouping has 3 elements\n"
               "  src  float32[2] cpu\n  ids  int64[3] cpu");
  assert_fails(group_form(strew_by_grouping(grouping), one, NULL, &out, NULL, &failure), STREW_ESHAPE, NULL);
  assert_fails(strew_grouping_cumsum(grouping, src, &out, &failure), STREW_ESHAPE, NULL);
  assert_fails(strew_grouping_shift(grouping, src, 1, strew_int(0), &out, &failure), STREW_ESHAPE, NULL);
  assert_fails(strew_group_reduce(strew_by_grouping(grouping), STREW_GROUP_VAR, src, NULL, &out, NULL, &failure),
               STREW_ESHAPE, NULL);
  assert_fails(strew_grouping_topk_with(grouping, src, 2, NULL, &out, NULL, &failure), STREW_ESHAPE, NULL);
  assert_fails(strew_group_reduce(strew_by_grouping(grouping), STREW_GROUP_VAR, index, NULL, &out, NULL, &failure),
               STREW_EDTYPE, NULL);
  assert_fails(strew_grouping_topk_with(grouping, index, -1, NULL, &out, NULL, &failure), STREW_EARGUMENT, NULL);
  struct group_form options = {.dim_size = 5, .reduction = STREW_SUM};
  assert_fails(group_form(strew_by_grouping(grouping), index, &options, &out, NULL, &failure), STREW_EARGUMENT, NULL);
  options.dim_size = 2, options.mode = STREW_DROP;
  assert_fails(group_form(strew_by_grouping(grouping), index, &options, &out, NULL, &failure), STREW_EARGUMENT, NULL);
  options.mode = STREW_ERROR, options.dim = 1;
  assert_fails(group_form(strew_by_grouping(grouping), index, &options, &out, NULL, &failure), STREW_ESHAPE, NULL);
  /* an out with fewer rows than there are groups */
  options.dim = 0, options.dim_size = -1;
  strew_tensor *few = tensor_from_integers(STREW_INT64, 1, (int64_t[]){0});
  assert_fails(group_form(strew_by_grouping(grouping), index, &options, &few, NULL, &failure), STREW_EINDEX, NULL);
  /* of several aggregates one fails: none is made */
  strew_tensor *results[2] = {NULL, NULL};
  struct form_of aggregates[2] = {{index, GROUP_FORM}, {src, GROUP_FORM}};
  assert_fails(aggregate_forms(grouping, 2, aggregates, results, &failure), STREW_ESHAPE, NULL);
  assert_fails(aggregate_forms(grouping, -1, aggregates, results, &failure), STREW_EARGUMENT, NULL);
  const strew_scalar half = strew_float(0.5);
  aggregates[1] = aggregates[0];
  aggregates[1].options.fill = &half;
  assert_fails(aggregate_forms(grouping, 2, aggregates, results, &failure), STREW_EVALUE, NULL);
  ck_assert(!results[0] && !results[1]);
  ck_assert_ptr_null(out);
  strew_release(index), strew_release(src), strew_release(one), strew_release(few);
  strew_grouping_release(grouping);
}
END_TEST

Suite *make_suite(void) {
  Suite *suite = suite_create("grouping");
  TCase *all = new_case(suite, "groupings");
  tcase_add_loop_test(all, test_random_keys, 0, STREW_DTYPE_COUNT * MOST_KEYS);
  tcase_add_loop_test(all, test_ranges_of_keys, 0, STREW_DTYPE_COUNT);
  tcase_add_loop_test(all, test_patterns_of_keys, 0, PATTERNS * MOST_KEYS);
  tcase_add_loop_test(all, test_random_ids, 0, 2 * STREW_MODE_COUNT);
  tcase_add_test(all, test_sizes_of_ids);
  tcase_add_loop_test(all, test_random_reductions, 0, STREW_DTYPE_COUNT * STREW_REDUCTION_COUNT);
  tcase_add_loop_test(all, test_random_aggregates, 0, STREW_DTYPE_COUNT);
  tcase_add_loop_test(all, test_aggregates_of_all_reductions, 0, 3);
  tcase_add_loop_test(all, test_aggregates_of_tables, 0, 5);
  tcase_add_loop_test(all, test_orders_within_groups, 0, STREW_DTYPE_COUNT);
  tcase_add_loop_test(all, test_running_sums, 0, STREW_DTYPE_COUNT);
  tcase_add_loop_test(all, test_shifts, 0, STREW_DTYPE_COUNT);
  tcase_add_loop_test(all, test_spreads, 0, STREW_DTYPE_COUNT);
  tcase_add_test(all, test_softmax_and_quantiles);
  tcase_add_loop_test(all, test_all_reductions, 0, 5 * STREW_GROUP_REDUCTION_COUNT);
  tcase_add_loop_test(all, test_reductions_of_a_line, 0, STREW_GROUP_REDUCTION_COUNT);
  tcase_add_test(all, test_ranks_and_ids);
  tcase_add_test(all, test_devices);
  tcase_add_test(all, test_tensors_that_no_call_writes);
  tcase_add_test(all, test_bad_ids);
  tcase_add_test(all, test_bad_keys);
  tcase_add_test(all, test_integers_that_wrap);
  tcase_add_test(all, test_bad_operands);
  return suite;
}
