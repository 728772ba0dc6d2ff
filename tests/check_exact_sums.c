/* check_exact_sums.c: strew_exact_sums: calls that fail leave sums as they are; arguments that only C can pass. The values
   are tested in tests/spec/exact_sums_spec.lua. */
#include "trials.h"

static strew_exact_sums *sums;
static strew_tensor *src, *whole, *indices, *positions, *before;
static strew_grouping *grouping;

static strew_tensor *state_of(const strew_exact_sums *of) {
  strew_tensor *state = NULL;
  ok(strew_exact_sums_state(of, &state, &failure));
  return state;
}

/* Three sums with squares, and terms that widen both by many words. */
static void make_sums(void) {
  ok(strew_exact_sums_create(device, 3, &(strew_exact_sums_options){.squares = true}, &sums, &failure));
  src = tensor_from_doubles(STREW_FLOAT32, 4, (double[]){1e30, -2e-30, 0.5, 3});
  whole = tensor_from_doubles(STREW_INT64, 4, (double[]){1, -2, 1e15, 3});
  indices = tensor_from_doubles(STREW_INT64, 4, (double[]){0, 2, 1, 2});
  positions = tensor_from_doubles(STREW_INT32, 3, (double[]){2, 0, 2});
  ok(strew_grouping_create_with(indices, NULL, &grouping, &failure));
  strew_tensor *one = tensor_from_doubles(STREW_FLOAT32, 1, (double[]){1}),
               *at = tensor_from_doubles(STREW_INT32, 1, (double[]){1});
  ok(strew_exact_sums_add(sums, one, strew_by_index(at), NULL, &failure));
  before = state_of(sums);
  strew_release(one), strew_release(at);
}

static void release_sums(void) {
  strew_exact_sums_release(sums);
  strew_grouping_release(grouping);
  strew_release(src), strew_release(whole), strew_release(indices), strew_release(positions), strew_release(before);
}

enum { ADD, ADD_GROUPS, ADD_INTEGERS, MERGE, MERGE_AT, STATE, READ, SUM, STD, CALLS };
static strew_status run_call(int call, strew_exact_sums *other) {
  strew_exact_sums *read = NULL;
  strew_tensor *out = NULL;
  strew_status status = STREW_OK;
  switch (call) {
  case ADD: status = strew_exact_sums_add(sums, src, strew_by_index(indices), NULL, &failure); break;
  case ADD_GROUPS: status = strew_exact_sums_add(sums, src, strew_by_grouping(grouping), NULL, &failure); break;
  case ADD_INTEGERS: status = strew_exact_sums_add(sums, whole, strew_by_index(indices), NULL, &failure); break;
  case MERGE: status = strew_exact_sums_merge(sums, other, NULL, &failure); break;
  case MERGE_AT: status = strew_exact_sums_merge(sums, other, positions, &failure); break;
  case STATE: status = strew_exact_sums_state(sums, &out, &failure); break;
  case READ: status = strew_exact_sums_from_state(before, device, &read, &failure); break;
  case SUM: status = strew_exact_sums_result(sums, STREW_GROUP_SUM, NULL, &out, &failure); break;
  default: status = strew_exact_sums_result(sums, STREW_GROUP_STD, NULL, &out, &failure); break;
  }
  ck_assert((out || read) == (status == STREW_OK && call >= STATE));
  strew_exact_sums_release(read);
  strew_release(out);
  return status;
}

static void assert_unchanged(void) {
  strew_tensor *now = state_of(sums);
  assert_same(now, before, "sums");
  strew_release(now);
}

/* Each allocation fails in turn, alone and with all later ones; then the call is interrupted. */
START_TEST(test_failures) {
  strew_exact_sums *other = NULL;
  make_sums();
  ok(strew_exact_sums_create(device, 3, &(strew_exact_sums_options){.squares = true}, &other, &failure));
  ok(strew_exact_sums_add(other, src, strew_by_index(indices), NULL, &failure));
  for (int stays = 0; stays < 2; stays++) {
    bool is_limited = true;
    for (long failing = 1; is_limited; failing++) {
      empty_context();
      allocations.limit(failing, stays);
      const strew_status status = run_call(_i, other);
      is_limited = allocations.failed() > 0;
      allocations.limit(0, false);
      if (status == STREW_OK) break; /* without that allocation, too */
      ck_assert_int_eq(status, STREW_EMEMORY);
      assert_unchanged();
    }
    strew_exact_sums_release(sums);
    ok(strew_exact_sums_from_state(before, device, &sums, &failure));
  }
  strew_context_interrupt(context);
  ck_assert_int_eq(run_call(_i, other), STREW_EINTERRUPTED);
  strew_context_clear_interrupt(context);
  assert_unchanged();
  strew_exact_sums_release(other);
  release_sums();
}
END_TEST

START_TEST(test_arguments) {
  const strew_dtype wrong = STREW_INT32, integer = STREW_INT64, text = STREW_TEXT;
  const double correction = 0;
  strew_exact_sums *made = NULL;
  strew_tensor *out = NULL;
  make_sums();
  assert_fails(strew_exact_sums_create(device, -1, NULL, &made, &failure), STREW_EARGUMENT,
               "exact_sums: 'n' is -1, expected 0 or more");
  assert_fails(strew_exact_sums_create(device, 1, &(strew_exact_sums_options){.dtype = &wrong}, &made, &failure),
               STREW_EDTYPE, NULL);
  assert_fails(strew_exact_sums_create(device, 1, &(strew_exact_sums_options){.dtype = &text}, &made, &failure),
               STREW_EDTYPE, NULL);
  assert_fails(strew_exact_sums_create(device, 1, &(strew_exact_sums_options){.reserved = {1}}, &made, &failure),
               STREW_EARGUMENT, NULL);
  assert_fails(strew_exact_sums_result(sums, STREW_GROUP_MAX, NULL, &out, &failure), STREW_EARGUMENT, NULL);
  assert_fails(strew_exact_sums_result(sums, (strew_group_reduction)99, NULL, &out, &failure), STREW_EARGUMENT, NULL);
  assert_fails(strew_exact_sums_result(sums, STREW_GROUP_COUNT, &(strew_exact_sums_result_options){.dtype = &integer},
                                       &out, &failure),
               STREW_EARGUMENT, NULL);
  assert_fails(strew_exact_sums_result(sums, STREW_GROUP_MEAN,
                                       &(strew_exact_sums_result_options){.correction = &correction}, &out, &failure),
               STREW_EARGUMENT, NULL);
  const strew_exact_sums_add_options unknown = {.mode = (strew_mode)9};
  assert_fails(strew_exact_sums_add(sums, src, strew_by_index(indices), &unknown, &failure), STREW_EARGUMENT, NULL);
  assert_unchanged();
  strew_exact_sums_description its;
  strew_exact_sums_describe(sums, &its);
  ck_assert(its.n == 3 && its.dtype == STREW_FLOAT32 && its.device == device && its.squares);
  ck_assert(!made && !out);
  strew_exact_sums_release(NULL);
  release_sums();
}
END_TEST

Suite *make_suite(void) {
  Suite *suite = suite_create("exact_sums");
  if (!on_device()) test_allocator = counting_allocator; /* drivers allocate memory on threads of their own */
  TCase *all = new_case(suite, "exact sums");
  if (!on_device()) tcase_add_loop_test(all, test_failures, 0, CALLS);
  tcase_add_test(all, test_arguments);
  return suite;
}
