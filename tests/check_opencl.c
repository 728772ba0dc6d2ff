/* check_opencl.c: what only OpenCL devices have: functions that fail one after the other, in calls of every family and
   while a device is opened; a device that is lost; kernels kept on disk; several contexts and processes at a time. On
   STREW_TEST_DEVICE, else the first device. */
#define _GNU_SOURCE
#include "opencl_faults.h"
#include "trials.h"

#include <dirent.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *device_spec(void) { return getenv("STREW_TEST_DEVICE"); }

/* ------------------------------------------------------------------------------------------- functions that fail */

static long failed_functions(void) { return faults.failed; }

/* The function, its error and the device are told. */
static void check_told(const char *what, strew_status status, bool is_told) {
  if (status != STREW_EDEVICE && status != STREW_EMEMORY) ck_abort_msg("%s: %s", what, strew_status_name(status));
  bool is_clear = !is_told || (strstr(failure.message, faults.function) && strstr(failure.message, " gave CL_") &&
                               (!faults.error || strstr(failure.message, faults.error)) &&
                               strstr(failure.message, strew_device_name(device)));
  if (!is_clear) ck_abort_msg("%s: %s with %s is told as: %s", what, faults.function, faults.error, failure.message);
}

static const struct source functions = {"OpenCL function", opencl_faults_limit, failed_functions, check_told};

static void use_functions(void) { trial_source = &functions; }
static void use_allocations(void) { trial_source = &allocations; }

static void check_nothing_left(const char *what) {
  static const char *const names[MADE_COUNT] = {"contexts", "queues", "buffers", "programs", "kernels"};
  for (int i = 0; i < MADE_COUNT; i++)
    ck_assert_msg(faults.alive[i] == 0, "%s: %ld %s are left over", what, (long)faults.alive[i], names[i]);
  ck_assert_msg(blocks_held() == 0, "%s: %zu blocks of host memory are left over", what, blocks_held());
}

/* Contexts of tests' own: the fixture's is given back first, so that everything can be counted. */
static void release_context(void) {
  strew_context_release(context);
  context = NULL;
}

static strew_context *new_context(void) {
  strew_options options = {.threads = 1, .allocator = counting_allocator};
  strew_context *made = NULL;
  ok(strew_context_create(&options, &made, &failure));
  return made;
}

START_TEST(nothing_is_left_over) {
  release_context();
  check_nothing_left("after all trials");
}
END_TEST

/* Something of several launches, with its right result. */
static strew_status use_device(strew_device *on) {
  const int64_t sizes[] = {3, 4}, twelve = 12;
  static const int16_t due[] = {5, 5, 5, 5, 7, 7, 7, 7, 5, 5, 5, 5};
  int16_t got[12] = {0};
  strew_tensor *t = NULL, *row = NULL;
  strew_status status = strew_full(on, STREW_INT16, 2, sizes, strew_int(5), &t, &failure);
  if (status == STREW_OK) status = strew_narrow(t, 0, 1, 1, &row, &failure);
  if (status == STREW_OK) status = strew_fill(row, strew_int(7), &failure);
  if (status == STREW_OK) status = strew_read(t, got, sizeof got, &failure);
  if (status == STREW_OK) ck_assert_mem_eq(got, due, sizeof due);
  ck_assert_int_eq(twelve, 12);
  strew_release(t), strew_release(row);
  return status;
}

/* From looking for devices to first results, each OpenCL function that is called fails once; then the context goes, and
   the next one works. _i: binaries are kept on disk, or nowhere. */
START_TEST(opening_fails) {
  if (_i) setenv("XDG_CACHE_HOME", "/dev/null/nowhere", 1);
  release_context();
  long failing = 0, done_without = 0;
  bool reached = true;
  while (reached) {
    char what[64];
    snprintf(what, sizeof what, "opening, function %ld", ++failing);
    strew_context *opened = new_context();
    strew_device *found = NULL;
    clear_failure();
    opencl_faults_limit(failing, false);
    strew_status status = strew_device_find(opened, device_spec(), &found, &failure);
    if (status == STREW_OK) status = use_device(found);
    reached = faults.failed > 0;
    opencl_faults_limit(0, false);
    if (status != STREW_OK && status != STREW_EDEVICE && status != STREW_EMEMORY)
      ck_abort_msg("%s, %s: %s", what, faults.function, failure.message);
    if (status != STREW_OK && !reached) ck_abort_msg("%s: %s", what, failure.message);
    done_without += reached && status == STREW_OK;
    ok(use_device(strew_device_at(opened, 0))); /* the CPU */
    strew_context_release(opened);
    check_nothing_left(what);
  }
  printf("%ld OpenCL functions failed while the device was opened, %ld were done without\n", failing - 1, done_without);
}
END_TEST

Suite *make_suite(void) {
  Suite *suite = suite_create("opencl");
  if (!on_device()) setenv("STREW_TEST_DEVICE", "opencl", 1);
  test_allocator = counting_allocator;
  TCase *failing = new_case(suite, "functions that fail");
  tcase_add_unchecked_fixture(failing, use_functions, NULL);
  add_trials(failing);
  TCase *lacking = new_case(suite, "allocations that fail");
  tcase_add_unchecked_fixture(lacking, use_allocations, NULL);
  add_trials(lacking);
  TCase *own = new_case(suite, "on its own");
  tcase_add_test(own, nothing_is_left_over);
  tcase_add_loop_test(own, opening_fails, 0, 2);
  return suite;
}
