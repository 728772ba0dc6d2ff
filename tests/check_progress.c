/* check_progress.c: progress reports to hosts: the number of steps done, which only grows, and the end, whether the
   work fails or not. (devices: no, its contexts are of the CPU.) */
#define _POSIX_C_SOURCE 200809L /* mkdtemp */
#include "testing.h"

#include <string.h>
#include <unistd.h>

enum { LARGE = 4 << 20, ROWS = 20000 };

static struct {
  int steps, ends;
  double done; /* so far; -1 before the first step */
  char doing[600];
} told;

static void listen(void *user, const char *doing, double done) {
  ck_assert_ptr_eq(user, &told);
  if (!doing) {
    told.ends++;
    return;
  }
  ck_assert_int_eq(told.ends, 0);
  ck_assert(done >= told.done && done <= 1);
  if (told.steps) ck_assert_str_eq(doing, told.doing);
  snprintf(told.doing, sizeof told.doing, "%s", doing);
  told.done = done;
  told.steps++;
}

static void start(void) {
  memset(&told, 0, sizeof told);
  told.done = -1;
}

/* There were at least that many reports and one end; the text is "DOING" and the path. */
static void check_told(const char *doing, const char *path, int steps) {
  ck_assert_int_ge(told.steps, steps);
  ck_assert_int_eq(told.ends, 1);
  ck_assert(strncmp(told.doing, doing, strlen(doing)) == 0 && strstr(told.doing, strrchr(path, '/') + 1));
}

static strew_context *listening;
static char folder[] = "/tmp/strew_progress_XXXXXX", path[64];

static void open_context(void) {
  const strew_options options = {.progress = listen, .progress_user = &told};
  strcpy(folder + strlen(folder) - 6, "XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(folder));
  ok(strew_context_create(&options, &listening, &failure));
}

static void close_context(void) {
  unlink(path);
  ck_assert_int_eq(rmdir(folder), 0);
  strew_context_release(listening);
}

static const char *name_file(const char *name) {
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static strew_tensor *make(int64_t count) {
  strew_tensor *tensor = NULL;
  ok(strew_full(strew_device_at(listening, 0), STREW_FLOAT64, 1, &count, strew_float(0.5), &tensor, &failure));
  return tensor;
}

START_TEST(files_of_one_tensor_tell_how_far_they_are) {
  strew_tensor *tensor = make(LARGE), *read = NULL;
  name_file("large.npy");
  start();
  ok(strew_save(tensor, path, NULL, &failure));
  check_told("saving", path, 3);
  start();
  ok(strew_load(strew_device_at(listening, 0), path, NULL, &read, NULL, &failure));
  check_told("loading", path, 3);
  ck_assert(told.done > 0.99); /* all but the header */
  strew_release(tensor);
  strew_release(read);
}
END_TEST

START_TEST(tables_tell_how_far_they_are) {
  strew_tensor *tensor = make(ROWS);
  strew_table *table = NULL, *read = NULL;
  ok(strew_table_create(listening, &table, &failure));
  ok(strew_table_add(table, "a", tensor, &failure));
  strew_release(tensor);
  name_file("rows.csv");
  start();
  ok(strew_save_table(table, path, NULL, &failure));
  check_told("saving", path, ROWS >> 14);
  ck_assert(told.done > 0.9);
  const strew_load_options options = {.header = STREW_HEADER_YES};
  start();
  ok(strew_load(strew_device_at(listening, 0), path, &options, NULL, &read, &failure));
  check_told("loading", path, 2 * (ROWS / 1024)); /* the text is read twice */
  ck_assert(told.done > 0.9);
  strew_table_release(table);
  strew_table_release(read);
}
END_TEST

START_TEST(a_failure_is_an_end_too) {
  strew_tensor *tensor = make(10), *read = NULL;
  name_file("short.npy");
  start();
  ok(strew_save(tensor, path, NULL, &failure));
  strew_release(tensor);
  ck_assert_int_eq(truncate(path, 100), 0);
  start();
  ck_assert_int_eq(strew_load(strew_device_at(listening, 0), path, NULL, &read, NULL, NULL), STREW_EFILE);
  check_told("loading", path, 1);
  ok(strew_set(tensor = make(1), 1, (int64_t[]){0}, strew_int(1), &failure)); /* other calls do not report */
  ck_assert_int_eq(told.ends, 1);
  strew_release(tensor);
}
END_TEST

START_TEST(a_host_tells_of_its_own_work) {
  start();
  strew_context_progress(listening, "waiting", 0.25);
  ck_assert_str_eq(told.doing, "waiting");
  ck_assert_double_eq(told.done, 0.25);
  strew_context_progress(listening, NULL, 0);
  ck_assert_int_eq(told.ends, 1);
  strew_context_progress(context, "nobody listens", 0);
  name_file("none");
}
END_TEST

Suite *make_suite(void) {
  Suite *suite = suite_create("progress");
  TCase *tests = new_case(suite, "reports");
  tcase_add_checked_fixture(tests, open_context, close_context);
  tcase_add_test(tests, files_of_one_tensor_tell_how_far_they_are);
  tcase_add_test(tests, tables_tell_how_far_they_are);
  tcase_add_test(tests, a_failure_is_an_end_too);
  tcase_add_test(tests, a_host_tells_of_its_own_work);
  return suite;
}
