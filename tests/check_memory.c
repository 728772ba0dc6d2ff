/* check_memory.c: out of memory: the context's allocator fails at the first, the second, the third ... call of an
   operation; see trials.h. (devices: no, they allocate memory that the context does not count.) */
#define _GNU_SOURCE /* MAP_FAILED */
#include "runtime/core/base/device.h"
#include "trials.h"

#include <string.h>
#include <sys/mman.h>

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

static int64_t fake_now_ns;
static int64_t fake_clock(void) { return fake_now_ns; }

static void pass_seconds(int seconds) {
  fake_now_ns = context->now_ns() + seconds * (int64_t)1000000000;
  context->now_ns = fake_clock;
}

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
  ck_assert_uint_le(bytes_held(), held + (272 + 32) * MEBIBYTE); /* 257 are rounded up */
  ck_assert_uint_gt(bytes_held(), held + 200 * MEBIBYTE);
}
END_TEST

/* A large block stays when many small ones are freed. */
START_TEST(test_many_small_blocks) {
  strew_tensor *small[2 * MOST_KEPT];
  empty_context();
  size_t held = bytes_held();
  for (int i = 0; i < 2 * MOST_KEPT; i++) small[i] = take(20 << 10);
  strew_release(take(30 * MEBIBYTE));
  for (int i = 0; i < 2 * MOST_KEPT; i++) strew_release(small[i]);
  ck_assert_uint_eq(bytes_held(), held + 30 * MEBIBYTE + (MOST_KEPT - 1) * (20 << 10));
}
END_TEST

enum { BLOCKS = 6, BLOCK = 60 * MEBIBYTE };

/* More than 256 MiB at once. */
static void take_and_release_many(void) {
  strew_tensor *many[BLOCKS];
  for (int i = 0; i < BLOCKS; i++) many[i] = take(BLOCK);
  for (int i = 0; i < BLOCKS; i++) strew_release(many[i]);
}

/* Memory that is used once goes back; a loop's stays from its second turn on, and 5 seconds longer. */
START_TEST(test_recent_peak) {
  empty_context();
  size_t held = bytes_held();
  pass_seconds(0);
  take_and_release_many();
  ck_assert_uint_lt(bytes_held(), held + 256 * MEBIBYTE);
  for (int turn = 0; turn < 2; turn++) {
    take_and_release_many();
    ck_assert_uint_eq(bytes_held(), held + (size_t)BLOCKS * BLOCK);
  }
  allocations.limit(1 + 2 * BLOCKS, true); /* storages and tensors, but no elements */
  take_and_release_many();
  ck_assert_int_eq(allocations.failed(), 0);
  allocations.limit(0, false);
  pass_seconds(4); /* a turn every 4 seconds */
  take_and_release_many();
  pass_seconds(4);
  take_and_release_many();
  ck_assert_uint_eq(bytes_held(), held + (size_t)BLOCKS * BLOCK);
  for (int turn = 0; turn < 3; turn++) { /* one block serves */
    strew_release(take(BLOCK));
    pass_seconds(6);
  }
  ck_assert_uint_le(bytes_held(), held + 2 * BLOCK);
  ck_assert_uint_ge(bytes_held(), held + BLOCK);
  take_and_release_many(); /* the loop has been forgotten */
  ck_assert_uint_lt(bytes_held(), held + 256 * MEBIBYTE);
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

/* -------------------------------------------------------------------------------------------- the default allocator */

enum { HUGE_PAGE = 2 * MEBIBYTE };
static int mremap_calls, mremap_fails; /* the number of the call that fails; 0: none */

void *__real_mremap(void *from, size_t old_bytes, size_t new_bytes, int flags, void *to);
void *__wrap_mremap(void *from, size_t old_bytes, size_t new_bytes, int flags, void *to);
void *__wrap_mremap(void *from, size_t old_bytes, size_t new_bytes, int flags, void *to) {
  if (++mremap_calls == mremap_fails) return MAP_FAILED;
  return __real_mremap(from, old_bytes, new_bytes, flags, to);
}

static strew_context *own;
static strew_device *own_cpu;

static void make_default_context(size_t limit_bytes) {
  own = NULL, own_cpu = NULL;
  mremap_calls = mremap_fails = 0;
  ok(strew_context_create(&(strew_options){.memory_limit_bytes = limit_bytes, .threads = 1}, &own, &failure));
  ok(strew_device_find(own, "cpu", &own_cpu, &failure));
}

/* A new tensor of these MiB; counts its bytes that are `old`, and sets all to `value`. */
static strew_tensor *take_mapped(int64_t mebibytes, int old, int value, int64_t *found) {
  const int64_t size_bytes = mebibytes * MEBIBYTE;
  strew_tensor *taken = NULL;
  if (strew_empty(own_cpu, STREW_UINT8, 1, &size_bytes, &taken, &failure) != STREW_OK) return NULL;
  void *data = NULL;
  ok(strew_data(taken, &data, &failure));
  unsigned char *bytes = data;
  ck_assert_uint_eq((uintptr_t)bytes % HUGE_PAGE, 0);
  *found = 0;
  for (int64_t i = 0; i < size_bytes; i++) *found += bytes[i] == old;
  memset(bytes, value, (size_t)size_bytes);
  return taken;
}

/* Pages are the same if they hold what was written to an earlier tensor. */
START_TEST(test_moved_pages) {
  int64_t found;
  make_default_context(0);
  strew_tensor *first = take_mapped(40, 0, 7, &found);
  ck_assert_int_eq(found, 40 * MEBIBYTE);
  strew_release(first);
  ck_assert_uint_eq(strew_context_charged_bytes(own), 40 * MEBIBYTE);
  first = take_mapped(24, 7, 8, &found); /* a part of the block */
  ck_assert_int_eq(found, 24 * MEBIBYTE);
  strew_tensor *second = take_mapped(15, 7, 8, &found); /* 7 pages, and an eighth in part */
  ck_assert_int_eq(found, 14 * MEBIBYTE);
  ck_assert_uint_le(strew_context_charged_bytes(own), 41 * MEBIBYTE + SMALL);
  strew_release(first), strew_release(second);
  first = take_mapped(80, 8, 9, &found); /* all that there is, and new ones */
  ck_assert_int_eq(found, 38 * MEBIBYTE);
  ck_assert_uint_le(strew_context_charged_bytes(own), 80 * MEBIBYTE + SMALL);
  strew_release(first);
  int calls = mremap_calls;
  strew_release(take_mapped(80, 9, 9, &found)); /* of the same size: nothing moves */
  ck_assert_int_eq(found, 80 * MEBIBYTE);
  ck_assert_int_eq(mremap_calls, calls);
  ck_assert_uint_eq(strew_context_charged_bytes(own), 80 * MEBIBYTE);
  strew_context_release(own);
}
END_TEST

/* Sizes that differ in each turn of a loop need no new pages: none holds zeros. (Under QEMU 10 MiB do.) */
START_TEST(test_changing_sizes) {
  int64_t found, zeros = 0;
  if (is_emulated()) return;
  make_default_context(0);
  strew_tensor *largest = take_mapped(64, 0, 7, &found);
  strew_release(largest);
  for (int i = 0; i < 20; i++) {
    strew_tensor *one = take_mapped(8 + 2 * (i * 7 % 11), 0, 7, &found), *other;
    zeros += found;
    other = take_mapped(8 + 2 * (i * 5 % 12), 0, 7, &found);
    zeros += found;
    strew_release(one), strew_release(other);
  }
  ck_assert_int_eq(zeros, 0);
  strew_context_release(own);
}
END_TEST

/* Kept pages count against a limit, and leave room for what is new. */
START_TEST(test_mapped_limit) {
  int64_t found;
  make_default_context(100 * MEBIBYTE);
  strew_release(take_mapped(60, 0, 7, &found));
  strew_tensor *first = take_mapped(90, 0, 7, &found), *second;
  ck_assert_ptr_nonnull(first);
  ck_assert_uint_le(strew_context_charged_bytes(own), 100 * MEBIBYTE);
  ck_assert_ptr_null(take_mapped(20, 0, 7, &found));
  strew_release(first);
  first = take_mapped(48, 7, 8, &found), second = take_mapped(40, 7, 8, &found);
  ck_assert(first && second);
  ck_assert_uint_le(strew_context_charged_bytes(own), 100 * MEBIBYTE);
  strew_release(first), strew_release(second);
  strew_context_release(own);
}
END_TEST

/* A failure while pages move is a lack of memory, and loses no count. */
START_TEST(test_failing_move) {
  for (int failing = 1; failing <= 12; failing += 11) { /* the first page, the last page */
    int64_t found;
    make_default_context(0);
    strew_release(take_mapped(40, 0, 7, &found));
    mremap_fails = failing;
    ck_assert_ptr_null(take_mapped(24, 0, 7, &found));
    ck_assert_str_eq(strew_enum_name(STREW_WORDS_STATUS, failure.code), "memory");
    strew_tensor *next = take_mapped(24, 0, 7, &found);
    ck_assert_ptr_nonnull(next);
    ck_assert_uint_le(strew_context_charged_bytes(own), 40 * MEBIBYTE + SMALL);
    strew_release(next);
    strew_context_release(own);
  }
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
  tcase_add_test(kept, test_many_small_blocks);
  tcase_add_test(kept, test_recent_peak);
  tcase_add_test(kept, test_kept_to_the_end);
  tcase_add_test(kept, test_limit);
  TCase *mapped = new_case(suite, "mapped blocks");
  tcase_add_test(mapped, test_moved_pages);
  tcase_add_test(mapped, test_changing_sizes);
  tcase_add_test(mapped, test_mapped_limit);
  tcase_add_test(mapped, test_failing_move);
  return suite;
}
