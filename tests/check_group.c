/* check_group.c: the group form against the plain loop: broadcasting of the index, the size of the result, empty rows
   and their fill value, positions of winners, a given out. */
#include "oracle.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

struct group_call {
  struct scatter_case c; /* self: the result; index: broadcast to src's sizes */
  bool arg, given;
  strew_tensor *src, *index;
};

/* src of rank 1..4; index 1-D along dim, or aligned with src's leading dimensions, some of size 1. */
static struct group_call draw_group(strew_dtype dtype, strew_reduction reduction) {
  struct group_call call = {
      .c = {.dtype = dtype, .reduction = reduction, .mode = (strew_mode)draw_below(STREW_MODE_COUNT)}};
  struct scatter_case *c = &call.c;
  c->rank = 1 + (int)draw_below(4);
  c->dim = (int)draw_below(c->rank);
  for (int d = 0; d < c->rank; d++) c->src_sizes[d] = draw_below(15) == 0 ? 0 : 1 + draw_below(d == c->dim ? 12 : 4);
  memcpy(c->index_sizes, c->src_sizes, sizeof c->src_sizes);
  memcpy(c->self_sizes, c->src_sizes, sizeof c->src_sizes);
  int64_t size = c->self_sizes[c->dim] = 1 + draw_below(7);
  int64_t low = c->mode == STREW_ERROR  ? 0
                : c->mode == STREW_WRAP ? -size
                                        : -2,
          high = c->mode == STREW_CLIP || c->mode == STREW_DROP ? size + 2 : size;
  int64_t sizes[STREW_MAX_RANK];
  int rank = 1 + (int)draw_below(c->rank);
  for (int d = 0; d < rank; d++) sizes[d] = draw_below(5) ? c->src_sizes[d] : 1;
  if (draw_below(3) == 0) rank = 1, sizes[0] = c->src_sizes[c->dim];
  if (rank == 1 && sizes[0] != 1) sizes[0] = c->src_sizes[c->dim];
  call.index =
      random_integers(draw_below(2) ? STREW_INT64 : STREW_INT32, rank, sizes, (enum layout)draw_below(4), low, high);
  call.src = random_tensor(dtype, c->rank, c->src_sizes, (enum layout)draw_below(4));
  call.given = draw_below(2);
  call.arg = (reduction == STREW_AMAX || reduction == STREW_AMIN) && draw_below(4);
  return call;
}

/* Returns the index broadcast by torch_scatter's rules, dense. */
static int64_t *broadcast(const struct group_call *call) {
  const struct scatter_case *c = &call->c;
  int rank = strew_tensor_rank(call->index);
  const int64_t *sizes = strew_tensor_sizes(call->index);
  strew_dtype dtype = strew_tensor_dtype(call->index);
  int64_t count = 1, at[STREW_MAX_RANK] = {0};
  for (int d = 0; d < c->rank; d++) count *= c->src_sizes[d];
  char *values = host_of(call->index);
  int64_t *wide = malloc((size_t)(count + 1) * sizeof *wide);
  for (int64_t i = 0; i < count; i++) {
    int64_t place = 0;
    for (int d = 0; d < rank; d++) {
      int from = rank == 1 ? c->dim : d;
      place = place * sizes[d] + (sizes[d] == 1 ? 0 : at[from]);
    }
    wide[i] = strew_scalar_load(dtype, values + (size_t)place * strew_dtype_size_bytes(dtype)).as.i;
    for (int d = c->rank - 1; d >= 0 && ++at[d] == c->src_sizes[d]; d--) at[d] = 0;
  }
  free(values);
  return wide;
}

/* The first contribution equal to the result, if the previous value differs from it or does not count. */
static int64_t *oracle_arg(const struct group_call *call, const void *before, const void *after, const int64_t *index,
                           const void *src) {
  const struct scatter_case *c = &call->c;
  size_t size = strew_dtype_size_bytes(c->dtype);
  int64_t places = 1, count = 1, at[STREW_MAX_RANK] = {0}, none = c->src_sizes[c->dim];
  for (int d = 0; d < c->rank; d++) places *= c->self_sizes[d], count *= c->src_sizes[d];
  int64_t *arg = malloc((size_t)(places + 1) * sizeof *arg);
  for (int64_t i = 0; i < places; i++) arg[i] = none;
  for (int64_t i = 0; i < count; i++) {
    int64_t value = oracle_place(c->mode, c->self_sizes[c->dim], index[i]), to = 0;
    for (int d = 0; d < c->rank; d++) to = to * c->self_sizes[d] + (d == c->dim ? value : at[d]);
    const char *result = (const char *)after + (size_t)to * size;
    if (value >= 0 && arg[to] == none && same_element(c->dtype, (const char *)src + (size_t)i * size, result) &&
        !(call->given && same_element(c->dtype, (const char *)before + (size_t)to * size, result)))
      arg[to] = at[c->dim];
    for (int d = c->rank - 1; d >= 0 && ++at[d] == c->src_sizes[d]; d--) at[d] = 0;
  }
  return arg;
}

/* A mean into a given out divides by the number of contributions alone: first the whole sum, then the division. */
static void oracle_given_mean(const struct group_call *call, const void *before, const int64_t *index, const void *src,
                              void *after) {
  const struct scatter_case *c = &call->c;
  size_t size = strew_dtype_size_bytes(c->dtype);
  int64_t places = 1, count = 1, at[STREW_MAX_RANK] = {0};
  for (int d = 0; d < c->rank; d++) places *= c->self_sizes[d], count *= c->src_sizes[d];
  struct cell *cells = calloc((size_t)places + 1, sizeof *cells);
  for (int64_t i = 0; i < places; i++) cells[i] = oracle_load(c->dtype, (const char *)before + (size_t)i * size);
  for (int64_t i = 0; i < count; i++) {
    int64_t value = oracle_place(c->mode, c->self_sizes[c->dim], index[i]), to = 0;
    for (int d = 0; d < c->rank; d++) to = to * c->self_sizes[d] + (d == c->dim ? value : at[d]);
    struct cell contribution = oracle_load(c->dtype, (const char *)src + (size_t)i * size);
    if (value >= 0) oracle_join(STREW_MEAN, c->dtype, &cells[to], &contribution);
    for (int d = c->rank - 1; d >= 0 && ++at[d] == c->src_sizes[d]; d--) at[d] = 0;
  }
  for (int64_t i = 0; i < places; i++) {
    if (!cells[i].count) continue;
    oracle_divide(c->dtype, &cells[i], 0);
    oracle_store(c->dtype, &cells[i], (char *)after + (size_t)i * size);
  }
  free(cells);
}

/* Converts dense elements to float64 and frees them. */
static double *as_float64(strew_dtype dtype, void *elements, int64_t count) {
  double *made = malloc((size_t)(count + 1) * sizeof *made);
  for (int64_t i = 0; i < count; i++) {
    strew_scalar number = strew_scalar_load(dtype, (char *)elements + (size_t)i * strew_dtype_size_bytes(dtype));
    made[i] = number.dtype == STREW_FLOAT64 ? number.as.f : (double)number.as.i;
  }
  free(elements);
  return made;
}

/* c.dtype is the result's dtype: src's own, or float64 by option. */
static void run_group(struct group_call *call, bool in_float64, const char *what) {
  struct scatter_case *c = &call->c;
  if (in_float64) c->dtype = STREW_FLOAT64;
  strew_scalar fill = strew_int(draw_below(2));
  strew_tensor *out = NULL, *arg = NULL, *before;
  if (call->given)
    before = random_tensor(c->dtype, c->rank, c->self_sizes, (enum layout)draw_below(3));
  else
    ok(strew_full(device, c->dtype, c->rank, c->self_sizes, fill, &before, &failure));
  void *held = host_of(before), *src = host_of(call->src);
  if (in_float64) src = as_float64(strew_tensor_dtype(call->src), src, strew_tensor_numel(call->src));
  int64_t *index = broadcast(call);
  c->exclude_self = !call->given;
  void *expected = oracle_scatter(c, held, STREW_INT64, index, src);
  if (call->given && c->reduction == STREW_MEAN) oracle_given_mean(call, held, index, src, expected);
  struct group_form options = {.dim = c->dim,
                               .dim_size = call->given ? -1 : c->self_sizes[c->dim],
                               .reduction = c->reduction,
                               .mode = c->mode,
                               .fill = call->given ? NULL : &fill,
                               .dtype = in_float64 ? &c->dtype : NULL};
  if (call->given) out = before;
  ok(group_form(strew_by_index(call->index), call->src, &options, &out, call->arg ? &arg : NULL, &failure));
  assert_elements(out, c->dtype, expected, "%s dim %d of %d, %s", what, c->dim, c->rank, call->given ? "given" : "new");
  if (call->arg) {
    int64_t *winners = oracle_arg(call, held, expected, index, src);
    assert_elements(arg, STREW_INT64, winners, "%s: arg, dim %d of %d, %s", what, c->dim, c->rank,
                    call->given ? "given" : "new");
    free(winners);
  }
  if (!call->given) strew_release(out);
  strew_release(before), strew_release(arg), strew_release(call->src), strew_release(call->index);
  free(held), free(src), free(index), free(expected);
}

START_TEST(test_random_groups) {
  strew_dtype dtype = (strew_dtype)(_i / STREW_REDUCTION_COUNT);
  strew_reduction reduction = (strew_reduction)(_i % STREW_REDUCTION_COUNT);
  if (reduction == STREW_ASSIGN || (dtype == STREW_BOOL && reduction == STREW_MEAN) || lacks(dtype)) return;
  if (!chosen(_i, 4)) return;
  char what[64];
  for (int turn = 0; turn < sweep(TURNS); turn++) {
    use_turn(turn, _i);
    seed_draws((uint64_t)_i + 1);
    snprintf(what, sizeof what, "%s %s on %d threads", strew_dtype_name(dtype),
             strew_enum_name(STREW_WORDS_REDUCTION, reduction), strew_context_threads(context));
    for (int n = 0; n < some(80); n++) {
      struct group_call call = draw_group(dtype, reduction);
      run_group(&call, false, what);
    }
  }
}
END_TEST

/* Sums and means of any dtype, computed in float64. */
START_TEST(test_random_groups_in_float64) {
  strew_dtype dtype = (strew_dtype)(_i / 2);
  strew_reduction reduction = _i % 2 ? STREW_MEAN : STREW_SUM;
  if (lacks(STREW_FLOAT64)) return;
  char what[64];
  for (int turn = 0; turn < sweep(4); turn++) {
    use_threads((const int[]){1, 2, 3, 7}[turn]);
    seed_draws((uint64_t)_i + 1);
    snprintf(what, sizeof what, "%s of %s in float64 on %d threads", strew_enum_name(STREW_WORDS_REDUCTION, reduction),
             strew_dtype_name(dtype), strew_context_threads(context));
    for (int n = 0; n < some(60); n++) {
      struct group_call call = draw_group(dtype, reduction);
      run_group(&call, true, what);
    }
  }
}
END_TEST

/* ----------------------------------------------------------------------------------------- results computed by hand */

START_TEST(test_dtypes_of_groups) {
  strew_tensor *src = tensor_from_integers(STREW_UINT8, 3, (int64_t[]){200, 200, 201}), *out = NULL;
  strew_tensor *index = tensor_from_integers(STREW_INT64, 3, (int64_t[]){0, 0, 0});
  strew_dtype dtype = STREW_UINT8;
  struct group_form options = {.dim_size = -1, .reduction = STREW_MEAN, .dtype = &dtype};
  ok(group_form(strew_by_index(index), src, &options, &out, NULL, &failure));
  assert_elements(out, STREW_UINT8, (uint8_t[]){89 / 3}, "src's own dtype");
  dtype = STREW_INT64;
  assert_fails(group_form(strew_by_index(index), src, &options, &out, NULL, &failure), STREW_EDTYPE, NULL);
  strew_release(out), out = NULL;
  ok(group_form(strew_by_index(index), src, &options, &out, NULL, &failure));
  assert_elements(out, STREW_INT64, (int64_t[]){601 / 3}, "a mean in int64");
  strew_release(out), out = NULL;
  options.reduction = STREW_PROD;
  ok(group_form(strew_by_index(index), src, &options, &out, NULL, &failure));
  assert_elements(out, STREW_INT64, (int64_t[]){200 * 200 * 201}, "a product in int64");
  strew_release(out), out = NULL;
  dtype = STREW_INT32;
  assert_fails(group_form(strew_by_index(index), src, &options, &out, NULL, &failure), STREW_EDTYPE,
               "scatter_mul: 'dtype' is int32, expected float64, int64 or src's own, uint8\n"
               "  src    uint8[3] cpu\n  index  int64[3] cpu");
  dtype = (strew_dtype)77;
  assert_fails(group_form(strew_by_index(index), src, &options, &out, NULL, &failure), STREW_EARGUMENT, NULL);
  dtype = STREW_FLOAT64;
  options.reduction = STREW_AMAX;
  assert_fails(
      group_form(strew_by_index(index), src, &options, &out, NULL, &failure), STREW_EDTYPE,
      "scatter_max: 'dtype' is float64, valid for sum, prod and mean only; \"amax\" is computed in src's dtype, "
      "uint8\n"
      "  src    uint8[3] cpu\n  index  int64[3] cpu");
  options.reduction = STREW_SUM;
  out = src;
  assert_fails(group_form(strew_by_index(index), src, &options, &out, NULL, &failure), STREW_EDTYPE,
               "scatter_sum: 'out' is uint8, expected float64\n  src    uint8[3] cpu\n  index  int64[3] cpu\n"
               "  out    uint8[3] cpu");
  strew_release(src), strew_release(index);
}
END_TEST

/* The repeated elements of an expanded src are converted once. */
START_TEST(test_float64_of_an_expanded_src) {
  if (lacks(STREW_FLOAT64)) return;
  strew_tensor *one = tensor_from_integers(STREW_INT8, 1, (int64_t[]){100}), *wide = NULL, *out = NULL;
  strew_tensor *index = tensor_from_integers(STREW_INT64, 1, (int64_t[]){1});
  const int64_t rows = 300000;
  const strew_dtype dtype = STREW_FLOAT64;
  ok(strew_expand(one, 1, &rows, &wide, &failure));
  size_t before = strew_context_peak_bytes(context);
  struct group_form options = {.dim_size = 2, .reduction = STREW_SUM, .dtype = &dtype};
  ok(group_form(strew_by_index(index), wide, &options, &out, NULL, &failure));
  assert_elements(out, STREW_FLOAT64, (double[]){0, 100.0 * 300000}, "an expanded src");
  if (!on_device()) ck_assert_uint_le(strew_context_peak_bytes(context) - before, 4096);
  strew_release(one), strew_release(wide), strew_release(index), strew_release(out);
}
END_TEST

/* An index value that needs more rows than memory allows is reported, with its position. */
START_TEST(test_too_many_groups) {
  strew_context *poor = NULL, *rich = context;
  strew_options limited = {.device = getenv("STREW_TEST_DEVICE"), .memory_limit_bytes = 1 << 20};
  strew_device *usual = device;
  ok(strew_context_create(&limited, &poor, &failure));
  context = poor;
  ok(strew_device_find(poor, NULL, &device, &failure));
  strew_tensor *src = tensor_from_doubles(STREW_FLOAT32, 2, (double[]){1, 2}), *out = NULL;
  strew_tensor *index = tensor_from_integers(STREW_INT64, 2, (int64_t[]){0, 10000000});
  struct group_form options = {.dim_size = -1, .reduction = STREW_SUM};
  assert_fails(group_form(strew_by_index(index), src, &options, &out, NULL, &failure), STREW_EMEMORY,
               "scatter_sum: 'index' has value 10000000 at [1], so the result is float32[10000001] and needs "
               "0.03725 GiB: out of memory\n"
               "  src    float32[2] cpu\n  index  int64[2] cpu\n"
               "  hint   dim_size = n sets the size of the result: an index value of n or more is an error then");
  ck_assert(failure.has_value && failure.value.as.i == 10000000 && failure.position_rank == 1 &&
            failure.position[0] == 1);
  ck_assert_int_eq(group_form(strew_by_index(index), src, &options, &out, NULL, NULL), STREW_EMEMORY);
  ok(strew_set(index, 1, (int64_t[]){0}, strew_int(INT64_MAX), &failure));
  assert_fails(group_form(strew_by_index(index), src, &options, &out, NULL, &failure), STREW_ESHAPE, NULL);
  ck_assert_ptr_nonnull(strstr(failure.message, "'index' has value 9223372036854775807 at [0], so"));
  options.dim_size = 10000000;
  assert_fails(group_form(strew_by_index(index), src, &options, &out, NULL, &failure), STREW_EMEMORY, NULL);
  ck_assert_ptr_null(strstr(failure.message, "'index'"));
  ck_assert_ptr_null(out);
  strew_release(src), strew_release(index);
  strew_context_release(poor);
  context = rich, device = usual;
}
END_TEST

START_TEST(test_empty_rows_are_counted) {
  double values[] = {-INFINITY, INFINITY, 0};
  int64_t places[] = {0, 2, 3};
  strew_tensor *src = tensor_from_doubles(STREW_FLOAT32, 3, values),
               *index = tensor_from_integers(STREW_INT64, 3, places);
  strew_scalar fill = strew_float(-7.5);
  struct group_form options = {.dim_size = 5, .reduction = STREW_AMAX, .fill = &fill};
  strew_tensor *out = NULL, *arg = NULL;
  ok(group_form(strew_by_index(index), src, &options, &out, &arg, &failure));
  assert_elements(out, STREW_FLOAT32, (float[]){-INFINITY, -7.5f, INFINITY, 0, -7.5f}, "amax with fill");
  assert_elements(arg, STREW_INT64, (int64_t[]){0, 3, 1, 2, 3}, "arg of amax");
  strew_release(out), strew_release(arg), strew_release(src), strew_release(index);
}
END_TEST

/* Elements that are NaN count as absent, but their index values are checked. */
START_TEST(test_skipped_nan) {
  strew_tensor *src = tensor_from_doubles(STREW_FLOAT32, 5, (double[]){1, NAN, 3, NAN, -2}), *out = NULL, *arg = NULL;
  strew_tensor *index = tensor_from_integers(STREW_INT32, 5, (int64_t[]){0, 0, 2, 1, -1});
  strew_scalar fill = strew_float(7);
  struct group_form options = {
      .dim_size = 3, .reduction = STREW_MEAN, .mode = STREW_WRAP, .fill = &fill, .skip_nan = true};
  ok(group_form(strew_by_index(index), src, &options, &out, NULL, &failure));
  assert_elements(out, STREW_FLOAT32, (float[]){1, 7, 0.5f}, "mean without NaN");
  strew_release(out), out = NULL;
  options.reduction = STREW_AMIN, options.mode = STREW_CLIP;
  ok(group_form(strew_by_index(index), src, &options, &out, &arg, &failure));
  assert_elements(out, STREW_FLOAT32, (float[]){-2, 7, 3}, "amin without NaN");
  assert_elements(arg, STREW_INT64, (int64_t[]){4, 5, 2}, "arg of amin without NaN");
  options.mode = STREW_ERROR, options.fill = NULL, options.reduction = STREW_SUM;
  ok(strew_set(index, 1, (int64_t[]){4}, strew_int(0), &failure));
  ok(group_form(strew_by_index(index), src, &options, &out, NULL, &failure));
  assert_elements(out, STREW_FLOAT32, (float[]){-3, 7, 6}, "sum without NaN, added to out");
  ok(strew_set(index, 1, (int64_t[]){3}, strew_int(3), &failure));
  assert_fails(group_form(strew_by_index(index), src, &options, &out, NULL, &failure), STREW_EINDEX, NULL);
  ck_assert_msg(strstr(failure.message, "has value 3 at [3], out of range for dim 0 of out"), "%s", failure.message);
  assert_elements(out, STREW_FLOAT32, (float[]){-3, 7, 6}, "out is left alone");
  strew_release(out), strew_release(arg), strew_release(src), strew_release(index);
}
END_TEST

START_TEST(test_sizes_of_results) {
  strew_tensor *src = tensor_from_doubles(STREW_FLOAT32, 3, (double[]){1, 2, 3});
  strew_tensor *index = tensor_from_integers(STREW_INT64, 3, (int64_t[]){4, 0, 4}), *out = NULL;
  strew_tensor *nothing = tensor_from_doubles(STREW_FLOAT32, 0, NULL),
               *none = tensor_from_doubles(STREW_FLOAT32, 0, NULL);
  strew_tensor *negative = tensor_from_integers(STREW_INT64, 3, (int64_t[]){-1, -5, -2});
  struct group_form options = {.dim = -1, .dim_size = -1, .reduction = STREW_SUM};
  ok(group_form(strew_by_index(index), src, &options, &out, NULL, &failure));
  assert_elements(out, STREW_FLOAT32, (float[]){2, 0, 0, 0, 4}, "as large as the index needs");
  strew_release(out), out = NULL;
  ok(group_form(strew_by_index(none), nothing, &options, &out, NULL, &failure));
  assert_sizes(out, 1, (int64_t[]){0});
  strew_release(out), out = NULL;
  options.mode = STREW_DROP;
  ok(group_form(strew_by_index(negative), src, &options, &out, NULL, &failure));
  assert_sizes(out, 1, (int64_t[]){0});
  strew_release(out), out = NULL;
  options.mode = STREW_CLIP;
  assert_fails(group_form(strew_by_index(negative), src, &options, &out, NULL, &failure), STREW_EINDEX, NULL);
  ck_assert_ptr_null(out);
  strew_release(src), strew_release(index), strew_release(nothing), strew_release(none), strew_release(negative);
}
END_TEST

/* Into a given out, which keeps its values, and into a new one, which is not created. */
static void check_bad_group(strew_tensor *src, strew_tensor *index, strew_tensor *given, strew_reduction reduction,
                            strew_mode mode, int64_t place, int64_t value) {
  bool has_arg = reduction == STREW_AMAX || reduction == STREW_AMIN;
  int64_t rows = strew_tensor_sizes(given)[0];
  void *before = host_of(given);
  for (int is_given = 0; is_given < 2; is_given++) {
    struct group_form options = {.dim_size = is_given ? -1 : rows, .reduction = reduction, .mode = mode};
    strew_tensor *out = is_given ? given : NULL, *arg = NULL;
    char expected[160];
    assert_fails(group_form(strew_by_index(index), src, &options, &out, has_arg ? &arg : NULL, &failure), STREW_EINDEX,
                 NULL);
    snprintf(expected, sizeof expected,
             "%s: 'index' has value %" PRId64 " at [%" PRId64 "], out of range for dim 0 of %s (size %" PRId64 ", ",
             failure.op, value, place, is_given ? "out" : "the result", rows);
    ck_assert_msg(!strncmp(failure.message, expected, strlen(expected)), "%s\nis not\n%s", failure.message, expected);
    ck_assert(out == (is_given ? given : NULL) && !arg);
    assert_elements(given, strew_tensor_dtype(given), before, "%s after a bad index",
                    strew_enum_name(STREW_WORDS_REDUCTION, reduction));
  }
  free(before);
}

/* The invalid value comes first, in the middle and last. Small results are checked during the scatter, with a copy to
   restore; for large ones the index is checked before. */
START_TEST(test_bad_index) {
  enum { COUNT = 800 };
  strew_dtype dtype = (strew_dtype)(_i / STREW_REDUCTION_COUNT);
  strew_reduction reduction = (strew_reduction)(_i % STREW_REDUCTION_COUNT);
  if (reduction == STREW_ASSIGN || (dtype == STREW_BOOL && reduction == STREW_MEAN) || lacks(dtype)) return;
  if (!chosen(_i, 4)) return;
  for (int n = 0; n < some(6) * sweep(TURNS); n++) {
    if (n % 6 == 0) use_turn(n / 6, _i);
    int64_t rows = (n + _i) % 2 ? 5000 : 9, value = draw_below(2) ? rows : -rows - 1;
    const int64_t sizes[] = {COUNT, 3}, out_sizes[] = {rows, 3},
                  place = (const int64_t[]){0, 400, COUNT - 1}[(n + _i / 2) % 3];
    strew_tensor *src = random_tensor(dtype, 2, sizes, (enum layout)draw_below(4));
    strew_tensor *index = random_integers(STREW_INT64, 1, sizes, CONTIGUOUS, 0, rows);
    strew_tensor *given = random_tensor(dtype, 2, out_sizes, (enum layout)draw_below(3));
    ok(strew_set(index, 1, &place, strew_int(value), &failure));
    check_bad_group(src, index, given, reduction, draw_below(2) ? STREW_WRAP : STREW_ERROR, place, value);
    strew_release(src), strew_release(index), strew_release(given);
  }
}
END_TEST

/* An index as large as src, small: one invalid value, in its last column. */
START_TEST(test_bad_index_in_a_column) {
  const int64_t sizes[] = {7, 5}, last[] = {6, 4};
  strew_tensor *src = random_tensor(STREW_INT32, 2, sizes, CONTIGUOUS), *out = NULL;
  strew_tensor *index = random_integers(_i ? STREW_INT64 : STREW_INT32, 2, sizes, CONTIGUOUS, 0, 9);
  struct group_form options = {.dim_size = 9, .reduction = STREW_SUM};
  ok(strew_set(index, 2, last, strew_int(9), &failure));
  assert_fails(group_form(strew_by_index(index), src, &options, &out, NULL, &failure), STREW_EINDEX, NULL);
  ck_assert_msg(strstr(failure.message, "has value 9 at [6, 4], out of range for dim 0 of the result (size 9"), "%s",
                failure.message);
  ck_assert_ptr_null(out);
  strew_release(src), strew_release(index);
}
END_TEST

Suite *make_suite(void) {
  Suite *suite = suite_create("group");
  TCase *all = new_case(suite, "group form");
  tcase_add_loop_test(all, test_random_groups, 0, STREW_DTYPE_COUNT * STREW_REDUCTION_COUNT);
  tcase_add_loop_test(all, test_bad_index, 0, STREW_DTYPE_COUNT * STREW_REDUCTION_COUNT);
  tcase_add_loop_test(all, test_bad_index_in_a_column, 0, 2);
  tcase_add_test(all, test_empty_rows_are_counted);
  tcase_add_test(all, test_skipped_nan);
  tcase_add_test(all, test_sizes_of_results);
  tcase_add_loop_test(all, test_random_groups_in_float64, 0, 2 * STREW_DTYPE_COUNT);
  tcase_add_test(all, test_dtypes_of_groups);
  tcase_add_test(all, test_float64_of_an_expanded_src);
  tcase_add_test(all, test_too_many_groups);
  return suite;
}
