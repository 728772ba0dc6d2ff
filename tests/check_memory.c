/* check_memory.c: memory that runs out. The context's allocator fails at the first, the second, the third ... call that
   an operation makes: see trials.h. */
#include "trials.h"

static const int64_t five[] = {5};

static void set_flag(void *flag) { *(bool *)flag = true; }

/* Host memory is not let go by a call that fails, and is by the last view's end. */
START_TEST(test_wrapped_memory) {
  float host[5] = {0};
  bool is_released = false, is_limited = true;
  strew_tensor *wrapped = NULL;
  for (long failing = 1; is_limited; failing++) {
    allocations.limit(failing, false);
    strew_status status =
        strew_wrap(device, STREW_FLOAT32, 1, five, NULL, host, sizeof host, set_flag, &is_released, &wrapped, &failure);
    is_limited = allocations.failed() > 0;
    allocations.limit(0, false);
    ck_assert_int_eq(status, is_limited ? STREW_EMEMORY : STREW_OK);
    ck_assert(!is_released && !wrapped == is_limited);
  }
  strew_release(wrapped);
  ck_assert(is_released);
}
END_TEST

START_TEST(test_context) {
  strew_options options = {.allocator = counting_allocator};
  strew_context *made = NULL;
  size_t blocks = blocks_held();
  allocations.limit(1, false);
  assert_fails(strew_context_create(&options, &made, &failure), STREW_EMEMORY,
               "context_create: memory does not suffice for a context");
  ck_assert_ptr_null(made);
  allocations.limit(0, false);
  options.device = "nowhere";
  assert_fails(strew_context_create(&options, &made, &failure), STREW_EDEVICE, NULL);
  ck_assert_uint_eq(blocks_held(), blocks);
}
END_TEST

Suite *make_suite(void) {
  Suite *suite = suite_create("memory");
  test_allocator = counting_allocator;
  TCase *all = new_case(suite, "allocations that fail");
  add_trials(all);
  tcase_add_test(all, test_wrapped_memory);
  tcase_add_test(all, test_context);
  return suite;
}
