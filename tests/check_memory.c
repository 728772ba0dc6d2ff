/* check_memory.c: out of memory: the context's allocator fails at the first, the second, the third ... call of an
   operation; see trials.h. (devices: no, they allocate memory that the context does not count.) */
#include "trials.h"

#include <string.h>

static const int64_t five[] = {5};

static void set_flag(void *flag) { *(bool *)flag = true; }

/* A failing call does not release wrapped host memory; the last view does. */
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
               "context_create: out of memory: a context");
  ck_assert_ptr_null(made);
  allocations.limit(0, false);
  options.device = "nowhere";
  assert_fails(strew_context_create(&options, &made, &failure), STREW_EDEVICE, NULL);
  ck_assert_uint_eq(blocks_held(), blocks);
}
END_TEST

/* The scratch memory of a small call in place is on the stack. */
START_TEST(test_small_calls_in_place) {
  strew_tensor *self = tensor_from_integers(STREW_FLOAT32, 4, (int64_t[]){1, 2, 3, 4});
  strew_tensor *index = tensor_from_integers(STREW_INT64, 4, (int64_t[]){0, 3, 3, 1}), *target = self;
  strew_tensor *src = tensor_from_integers(STREW_FLOAT32, 4, (int64_t[]){5, 6, 7, 8});
  const strew_scatter_options sum = {.reduction = STREW_SUM};
  const int64_t second[] = {1};
  strew_scalar got;
  use_threads(1);
  allocations.limit(1, true);
  strew_status added = strew_scatter(self, 0, index, strew_of(src), &sum, &target, &failure);
  strew_status doubled = strew_binary(STREW_MUL, strew_of(self), strew_number(strew_int(2)), &target, &failure);
  strew_status asked = strew_get(self, 1, second, &got, &failure);
  long failed = allocations.failed();
  allocations.limit(0, false);
  ck_assert(added == STREW_OK && doubled == STREW_OK && asked == STREW_OK);
  ck_assert_int_eq(failed, 0);
  ck_assert_double_eq(got.as.f, 20);
  strew_release(self), strew_release(index), strew_release(src);
}
END_TEST

/* -------------------------------------------------------------------------------------------- memory kept for reuse */

enum { MEBIBYTE = 1 << 20, SMALL = 1 << 14 /* more than a few tensors without elements use */ };

static strew_tensor *take(int64_t size_bytes) {
  strew_tensor *made = NULL;
  ok(strew_empty(device, STREW_UINT8, 1, &size_bytes, &made, &failure));
  return made;
}

/* A released result serves the next one of a similar size. */
START_TEST(test_reuse) {
  strew_tensor *made = NULL;
  const int64_t about = MEBIBYTE - 5000;
  empty_context();
  size_t held = bytes_held();
  strew_release(take(MEBIBYTE));
  ck_assert_uint_eq(strew_context_bytes(context), 0);
  ck_assert_uint_eq(bytes_held(), held + MEBIBYTE);
  allocations.limit(3, true); /* a storage and a tensor, but no elements */
  ck_assert_int_eq(strew_empty(device, STREW_UINT8, 1, &about, &made, &failure), STREW_OK);
  ck_assert_int_eq(allocations.failed(), 0);
  allocations.limit(0, false);
  ck_assert_uint_eq(strew_context_bytes(context), (size_t)about);
  strew_release(made);
  strew_release(take(MEBIBYTE / 2));
  ck_assert_uint_eq(bytes_held(), held + MEBIBYTE + MEBIBYTE / 2);
  empty_context();
  ck_assert_uint_eq(bytes_held(), held);
}
END_TEST

/* A failing allocation is retried after the kept blocks are freed; if it fails again, nothing is kept. */
START_TEST(test_kept_on_failure) {
  for (int stays = 0; stays < 2; stays++) {
    strew_tensor *made = NULL;
    const int64_t other = 3 * MEBIBYTE;
    empty_context();
    size_t held = bytes_held();
    strew_release(take(MEBIBYTE));
    allocations.limit(2, stays); /* the elements */
    strew_status status = strew_empty(device, STREW_UINT8, 1, &other, &made, &failure);
    ck_assert_int_eq(allocations.failed(), 1 + stays);
    allocations.limit(0, false);
    ck_assert_int_eq(status, stays ? STREW_EMEMORY : STREW_OK);
    ck_assert_uint_lt(bytes_held(), held + (size_t)(stays ? 0 : other) + SMALL);
    strew_release(made);
  }
}
END_TEST

/* The bounds that strew.h documents. */
START_TEST(test_bounds) {
  empty_context();
  size_t held = bytes_held();
  strew_release(take(40 * MEBIBYTE));
  ck_assert_uint_eq(bytes_held(), held + 40 * MEBIBYTE);
  strew_tensor *more = take(48 * MEBIBYTE); /* with 40 it would be more than 32 above */
  ck_assert_uint_lt(bytes_held(), held + 48 * MEBIBYTE + SMALL);
  strew_release(more);
  strew_release(take(257 * MEBIBYTE)); /* if nothing else is in use, only the previous blocks are kept */
  ck_assert_uint_le(bytes_held(), held + 48 * MEBIBYTE);
  for (int i = 0; i < 40; i++) strew_release(take(8 * MEBIBYTE + i * (MEBIBYTE / 2)));
  ck_assert_uint_le(bytes_held(), held + 256 * MEBIBYTE);
  ck_assert_uint_gt(bytes_held(), held + 200 * MEBIBYTE);
}
END_TEST

/* Kept blocks are freed before a limit is exceeded, and wrapped host memory counts. */
START_TEST(test_limit) {
  strew_options options = {.allocator = counting_allocator, .memory_limit_bytes = 8 * MEBIBYTE, .threads = 1};
  strew_context *made = NULL;
  strew_device *cpu = NULL;
  strew_tensor *first = NULL, *second = NULL;
  const int64_t three = 3 * MEBIBYTE, six = 6 * MEBIBYTE;
  ok(strew_context_create(&options, &made, &failure));
  ok(strew_device_find(made, "cpu", &cpu, &failure));
  ck_assert_uint_eq(strew_context_charged_bytes(made), 0);
  ck_assert_uint_eq(strew_context_memory_limit_bytes(made), 8 * MEBIBYTE);
  ok(strew_empty(cpu, STREW_UINT8, 1, &six, &first, &failure));
  assert_fails(strew_empty(cpu, STREW_UINT8, 1, &three, &second, &failure), STREW_EMEMORY, NULL);
  ck_assert_ptr_nonnull(strstr(failure.message, "out of memory: 3 MiB\n"));
  ck_assert_ptr_nonnull(strstr(failure.hint, "limit 8 MiB"));
  strew_release(first); /* kept blocks leave no room for another size */
  ok(strew_empty(cpu, STREW_UINT8, 1, &three, &second, &failure));
  ck_assert(strew_context_charge(made, 4 * MEBIBYTE));
  ck_assert(!strew_context_charge(made, 2 * MEBIBYTE));
  ck_assert(!strew_context_charge(made, SIZE_MAX));
  assert_fails(strew_empty(cpu, STREW_UINT8, 1, &three, &first, &failure), STREW_EMEMORY, NULL);
  ck_assert_uint_le(strew_context_charged_bytes(made), 8 * MEBIBYTE);
  strew_context_discharge(made, 4 * MEBIBYTE);
  ok(strew_empty(cpu, STREW_UINT8, 1, &three, &first, &failure));
  strew_release(first), strew_release(second);
  strew_context_release(made);
}
END_TEST

/* A context frees its kept blocks with itself. */
START_TEST(test_kept_to_the_end) {
  strew_context *made = NULL;
  strew_device *cpu = NULL;
  strew_tensor *tensor = NULL;
  const int64_t size_bytes = MEBIBYTE;
  size_t held = bytes_held(), blocks = blocks_held();
  ok(strew_context_create(&(strew_options){.allocator = counting_allocator}, &made, &failure));
  ok(strew_device_find(made, "cpu", &cpu, &failure));
  for (int last = 0; last < 2; last++) {
    ok(strew_empty(cpu, STREW_UINT8, 1, &size_bytes, &tensor, &failure));
    if (last) strew_context_release(made);
    strew_release(tensor), tensor = NULL;
    if (!last) ck_assert_uint_gt(bytes_held(), held + MEBIBYTE);
  }
  ck_assert_uint_eq(bytes_held(), held);
  ck_assert_uint_eq(blocks_held(), blocks);
}
END_TEST

Suite *make_suite(void) {
  Suite *suite = suite_create("memory");
  test_allocator = counting_allocator;
  TCase *all = new_case(suite, "failing allocations");
  add_trials(all);
  tcase_add_test(all, test_wrapped_memory);
  tcase_add_test(all, test_context);
  tcase_add_test(all, test_small_calls_in_place);
  TCase *kept = new_case(suite, "kept blocks");
  tcase_add_test(kept, test_reuse);
  tcase_add_test(kept, test_kept_on_failure);
  tcase_add_test(kept, test_bounds);
  tcase_add_test(kept, test_kept_to_the_end);
  tcase_add_test(kept, test_limit);
  return suite;
}
