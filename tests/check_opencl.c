/* check_opencl.c: tests of OpenCL devices alone: functions that fail one after the other, in calls of every family and
   while a device is opened; a lost device; kernels cached on disk; several contexts and processes at a time. On
   STREW_TEST_DEVICE, else the first device. */
#define _GNU_SOURCE
#include "opencl_faults.h"
#include "runtime/core/base/context.h"
#include "system_faults.h"
#include "trials.h"

#include <dirent.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *device_spec(void) { return getenv("STREW_TEST_DEVICE"); }

/* ------------------------------------------------------------------------------------------------ failing functions */

static long failed_functions(void) { return faults.failed; }

/* The report names the function, its error and the device. */
static void check_told(const char *what, strew_status status, bool is_told) {
  if (status != STREW_EDEVICE && status != STREW_EMEMORY)
    ck_abort_msg("%s: %s", what, strew_enum_name(STREW_WORDS_STATUS, status));
  bool is_clear = !is_told || (strstr(failure.message, faults.function) && strstr(failure.message, " returned CL_") &&
                               (!faults.error || strstr(failure.message, faults.error)) &&
                               strstr(failure.message, strew_device_name(device)));
  if (!is_clear)
    ck_abort_msg("%s: %s with %s is reported as: %s", what, faults.function, faults.error, failure.message);
}

static const struct source functions = {"OpenCL function", opencl_faults_limit, failed_functions, check_told, false, 0};

static void use_functions(void) { trial_source = &functions; }
static void use_allocations(void) { trial_source = &allocations; }

static void check_nothing_left(const char *what) {
  static const char *const names[MADE_COUNT] = {"contexts", "queues", "buffers", "programs",
                                                "kernels",  "events", "loans"};
  for (int i = 0; i < MADE_COUNT; i++)
    ck_assert_msg(faults.alive[i] == 0, "%s: %ld %s are left over", what, (long)faults.alive[i], names[i]);
  ck_assert_msg(blocks_held() == 0, "%s: %zu blocks of host memory are left over", what, blocks_held());
}

/* Tests with contexts of their own close the fixture's first, so that every resource can be counted. */
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

/* A call of several launches, with its correct result. */
static strew_status use_device(strew_device *on) {
  const int64_t sizes[] = {3, 4};
  static const int16_t expected[] = {5, 5, 5, 5, 7, 7, 7, 7, 5, 5, 5, 5};
  int16_t got[12] = {0};
  strew_tensor *t = NULL, *row = NULL;
  strew_status status = strew_full(on, STREW_INT16, 2, sizes, strew_int(5), &t, &failure);
  if (status == STREW_OK) status = strew_narrow(t, 0, 1, 1, &row, &failure);
  if (status == STREW_OK) status = strew_fill(row, strew_int(7), &failure);
  if (status == STREW_OK) status = strew_read(t, got, sizeof got, &failure);
  if (status == STREW_OK) ck_assert_mem_eq(got, expected, sizeof expected);
  strew_release(t), strew_release(row);
  return status;
}

/* From finding devices to the first results, each OpenCL function that is called fails, alone or with all after it.
   Then the context is closed, and the next one works. _i: binaries are cached on disk, or not at all. */
static long fail_opening(long failing, bool stays) {
  char what[64];
  snprintf(what, sizeof what, "opening, function %ld%s", failing, stays ? " and after" : "");
  strew_context *opened = new_context();
  strew_device *found = NULL;
  clear_failure();
  opencl_faults_limit(failing, stays);
  strew_status status = strew_device_find(opened, device_spec(), &found, &failure);
  if (status == STREW_OK) status = use_device(found);
  long failed = faults.failed;
  opencl_faults_limit(0, false);
  if (status != STREW_OK && status != STREW_EDEVICE && status != STREW_EMEMORY)
    ck_abort_msg("%s, %s: %s", what, faults.function, failure.message);
  if (status != STREW_OK && !failed) ck_abort_msg("%s: %s", what, failure.message);
  ok(use_device(strew_device_at(opened, 0))); /* the CPU */
  strew_context_release(opened);
  check_nothing_left(what);
  return failed;
}

static char kept_folder[512];

static void keep_folder(void) {
  const char *folder = getenv("XDG_CACHE_HOME");
  snprintf(kept_folder, sizeof kept_folder, "%s", folder ? folder : "");
}

static void restore_folder(void) {
  if (*kept_folder)
    setenv("XDG_CACHE_HOME", kept_folder, 1);
  else
    unsetenv("XDG_CACHE_HOME");
}

START_TEST(opening_fails) {
  /* without a cache each opening compiles */
  const char *step = _i ? getenv("STREW_TEST_STEP") : NULL;
  if (_i) setenv("XDG_CACHE_HOME", "/dev/null/nowhere", 1);
  release_context();
  for (int stays = 0; stays < 2; stays++) {
    long failing = 1;
    while (fail_opening(failing, stays)) failing += step ? atoi(step) : 1;
    if (!stays) printf("%ld OpenCL functions failed while the device was opened\n", failing - 1);
  }
}
END_TEST

/* After the first failure that means it, the device is lost, whatever the driver does later. */
START_TEST(a_device_is_lost) {
  static const char *const last[] = {"clEnqueueNDRangeKernel", "clEnqueueReadBuffer", "clEnqueueWriteBuffer"};
  const int64_t two = 2;
  int64_t read[2] = {0};
  strew_scalar item;
  strew_tensor *t = NULL, *none = NULL;
  char lost[400];
  snprintf(lost, sizeof lost, "%s (%s) was lost to this process by an earlier failure", strew_device_name(device),
           strew_device_description(device));
  ok(strew_full(device, STREW_INT64, 1, &two, strew_int(1), &t, &failure));
  faults.only = last[_i], faults.code = -2; /* CL_DEVICE_NOT_AVAILABLE */
  opencl_faults_limit(1, false);
  strew_status status = _i == 0   ? strew_fill(t, strew_int(2), &failure)
                        : _i == 1 ? strew_read(t, read, sizeof read, &failure)
                                  : strew_set(t, 1, (int64_t[]){0}, strew_int(2), &failure);
  ck_assert_int_eq(status, STREW_EDEVICE);
  ck_assert_msg(strstr(failure.message, "CL_DEVICE_NOT_AVAILABLE (-2), the device is lost to this process"), "%s",
                failure.message);
  opencl_faults_limit(0, false);
  faults.only = NULL, faults.code = 0;
#define ASSERT_LOST(call)                                                                                              \
  assert_fails(call, STREW_EDEVICE, NULL);                                                                             \
  ck_assert_msg(strstr(failure.message, lost), "%s", failure.message)
  ASSERT_LOST(strew_fill(t, strew_int(2), &failure));
  ASSERT_LOST(strew_read(t, read, sizeof read, &failure));
  ASSERT_LOST(strew_set(t, 1, (int64_t[]){0}, strew_int(2), &failure));
  ASSERT_LOST(strew_get(t, 1, (int64_t[]){0}, &item, &failure));
  ASSERT_LOST(strew_clone(t, &none, &failure));
  ASSERT_LOST(strew_unary(STREW_NEG, t, &t, &failure));
  ASSERT_LOST(strew_empty(device, STREW_INT8, 1, &two, &none, &failure));
  ASSERT_LOST(strew_to(t, strew_device_at(context, 0), STREW_INT64, &none, &failure));
  ASSERT_LOST(strew_device_finish(device, &failure));
  ck_assert_ptr_null(none);
  ok(use_device(strew_device_at(context, 0)));
  strew_release(t);
  release_context();
  check_nothing_left("after a device was lost");
  context = new_context(); /* another context may have it again */
  ok(strew_device_find(context, device_spec(), &device, &failure));
  ok(use_device(device));
}
END_TEST

/* Buffers kept for reuse are freed before a tensor is refused. */
START_TEST(memory_is_short) {
  const int64_t many = 1 << 20, more = 3 << 20;
  strew_tensor *t = NULL, *other = NULL;
  char expected[600], most[AMOUNT_BYTES];
  strew_capabilities can;
  ok(strew_device_capabilities(device, &can, &failure));
  ok(strew_empty(device, STREW_INT8, 1, &many, &t, &failure));
  strew_release(t), t = NULL;
  faults.only = "clCreateBuffer";
  opencl_faults_limit(1, false);
  ok(strew_empty(device, STREW_INT8, 1, &more, &t, &failure));
  ck_assert(faults.failed == 1 && faults.calls == 2);
  opencl_faults_limit(1, true);
  assert_fails(strew_empty(device, STREW_INT16, 1, &many, &other, &failure), STREW_EMEMORY, NULL);
  snprintf(expected, sizeof expected,
           "empty: 'device' out of memory: 2 MiB on %s (%s): clCreateBuffer returned "
           "CL_MEM_OBJECT_ALLOCATION_FAILURE (-4)\n"
           "  hint  3 MiB in use by tensors, the device has %s; free tensors or work in smaller chunks",
           strew_device_name(device), strew_device_description(device), text_of_amount(can.memory_bytes, most));
  ck_assert_str_eq(failure.message, expected);
  opencl_faults_limit(0, false);
  faults.only = NULL;
  ok(strew_empty(device, STREW_INT16, 1, &many, &other, &failure));
  strew_release(t), strew_release(other);
}
END_TEST

/* A freed block serves the next tensor of its size, any number of times. */
START_TEST(memory_is_used_again) {
  enum { TIMES = 12 };
  strew_capabilities can;
  ok(strew_device_capabilities(device, &can, &failure));
  int64_t size = (int64_t)can.memory_bytes / 16, largest = (int64_t)can.largest_block_bytes;
  if (largest && size > largest / 2) size = largest / 2;
  faults.only = "clCreateBuffer";
  opencl_faults_limit(TIMES + 1, false); /* calls are counted, none fails */
  for (int i = 0; i < TIMES; i++) {
    strew_tensor *t = NULL;
    ok(strew_empty(device, STREW_INT8, 1, &size, &t, &failure));
    strew_release(t);
  }
  ck_assert_int_le(faults.calls, 1);
  opencl_faults_limit(0, false);
  faults.only = NULL;
}
END_TEST

/* ---------------------------------------------------------------------------------------------------- invalid input */

START_TEST(operands_on_different_devices) {
  strew_device *cpu = strew_device_at(context, 0);
  const int64_t three = 3, places[] = {0, 2, 1};
  const char *name = strew_device_name(device);
  strew_tensor *there = NULL, *here = NULL, *index = NULL, *out = NULL;
  char expected[600];
  ok(strew_full(device, STREW_FLOAT32, 1, &three, strew_int(1), &there, &failure));
  ok(strew_full(cpu, STREW_FLOAT32, 1, &three, strew_int(1), &here, &failure));
  ok(strew_from(cpu, STREW_INT64, 1, &three, places, &index, &failure));
  assert_fails(strew_binary(STREW_ADD, strew_of(there), strew_of(here), &out, &failure), STREW_EDEVICE, NULL);
  snprintf(expected, sizeof expected,
           "add: 'other' is on cpu, all operands must be on one device\n"
           "  self   float32[3] %s\n  other  float32[3] cpu\n  hint   strew_to(other, %s)",
           name, name);
  ck_assert_str_eq(failure.message, expected);
  strew_scatter_options options = {.reduction = STREW_SUM};
  out = there;
  assert_fails(strew_scatter(there, 0, index, strew_of(here), &options, &out, &failure), STREW_EDEVICE, NULL);
  snprintf(expected, sizeof expected,
           "scatter: 'index' is on cpu, all operands must be on one device\n"
           "  self   float32[3] %s\n  index  int64[3] cpu\n  src    float32[3] cpu\n  hint   strew_to(index, %s)",
           name, name);
  ck_assert_str_eq(failure.message, expected);
  out = NULL;
  assert_fails(strew_cat(2, (strew_tensor *[]){there, here}, 0, &out, &failure), STREW_EDEVICE, NULL);
  snprintf(expected, sizeof expected,
           "cat: 'tensors' is on cpu at [2], on %s at [1]: all must be on one device\n  hint  strew_to(tensors[2], %s)",
           name, name);
  ck_assert_str_eq(failure.message, expected);
  ck_assert_ptr_null(out);
  strew_release(there), strew_release(here), strew_release(index);
}
END_TEST

START_TEST(tensors_beyond_the_largest) {
  strew_capabilities can;
  ok(strew_device_capabilities(device, &can, &failure));
  int64_t size = (int64_t)can.largest_block_bytes + 1;
  strew_tensor *out = NULL;
  char expected[400], most[AMOUNT_BYTES], asked[AMOUNT_BYTES], all[AMOUNT_BYTES];
  if (!can.largest_block_bytes) return;
  snprintf(expected, sizeof expected,
           "empty: 'device' %s allows at most %s in one tensor, got %s\n"
           "  hint  0 bytes in use by tensors, the device has %s; free tensors or work in smaller chunks",
           strew_device_name(device), text_of_amount(can.largest_block_bytes, most),
           text_of_amount(can.largest_block_bytes + 1, asked), text_of_amount(can.memory_bytes, all));
  assert_fails(strew_empty(device, STREW_INT8, 1, &size, &out, &failure), STREW_EMEMORY, expected);
  ck_assert_ptr_null(out);
}
END_TEST

START_TEST(float64_where_there_is_none) {
  const int64_t two = 2;
  strew_tensor *out = NULL, *half = NULL;
  if (!lacks(STREW_FLOAT64)) return;
  assert_fails(strew_empty(device, STREW_FLOAT64, 1, &two, &out, &failure), STREW_EDTYPE, NULL);
  ck_assert_msg(strstr(failure.message, "empty: 'dtype' is float64, which ") &&
                    strstr(failure.message, strew_device_name(device)) && strstr(failure.message, "\n  hint  "),
                "%s", failure.message);
  ok(strew_full(device, STREW_FLOAT16, 1, &two, strew_float(0.5), &half, &failure));
  assert_fails(strew_to(half, device, STREW_FLOAT64, &out, &failure), STREW_EDTYPE, NULL);
  ck_assert_ptr_null(out);
  ok(strew_to(half, strew_device_at(context, 0), STREW_FLOAT64, &out, &failure)); /* the CPU has it */
  assert_elements(out, STREW_FLOAT64, (double[]){0.5, 0.5}, "carried to the CPU");
  strew_release(out), out = NULL;
  strew_release(half);
}
END_TEST

/* In the last of many elements, and nothing is written; the report is the same as the CPU's. */
START_TEST(a_bad_index_at_the_end) {
  enum { N = 100001 };
  const int64_t n = N, ten = 10, last = N - 1;
  strew_tensor *index = random_integers(STREW_INT64, 1, &n, CONTIGUOUS, 0, 10);
  strew_tensor *src = random_tensor(STREW_FLOAT32, 1, &n, CONTIGUOUS);
  strew_tensor *self = random_tensor(STREW_FLOAT32, 1, &ten, CONTIGUOUS), *out = self;
  void *before = host_of(self);
  strew_scatter_options options = {.reduction = STREW_SUM};
  ok(strew_set(index, 1, &last, strew_int(_i ? 10 : -1), &failure));
  assert_fails(
      strew_scatter(self, 0, index, strew_of(src), &options, &out, &failure), STREW_EINDEX,
      _i ? "scatter: 'index' has value 10 at [100000], out of range for dim 0 of self (size 10, valid 0..9)\n"
           "  self   float32[10] cpu\n  index  int64[100001] cpu\n  src    float32[100001] cpu\n  hint   was "
           "it counted from 1? index - 1 counts from 0"
         : "scatter: 'index' has value -1 at [100000], out of range for dim 0 of self (size 10, valid 0..9)\n"
           "  self   float32[10] cpu\n  index  int64[100001] cpu\n  src    float32[100001] cpu\n"
           "  hint   mode = STREW_WRAP counts negative values from the end, STREW_DROP skips them, as padding");
  assert_elements(self, STREW_FLOAT32, before, "after a bad index");
  free(before);
  strew_release(index), strew_release(src), strew_release(self);
}
END_TEST

START_TEST(tensors_of_nothing) {
  const int64_t sizes[] = {0, 3}, none = 0, three = 3;
  strew_tensor *t = NULL, *out = NULL, *index = NULL, *self = NULL, *places = NULL;
  ok(strew_full(device, STREW_FLOAT32, 2, sizes, strew_int(1), &t, &failure));
  ok(strew_full(device, STREW_INT64, 1, &none, strew_int(1), &index, &failure));
  ok(strew_full(device, STREW_FLOAT32, 1, &three, strew_int(1), &self, &failure));
  ok(strew_read(t, NULL, 0, &failure));
  ok(strew_clone(t, &out, &failure));
  strew_release(out), out = NULL;
  ok(strew_to(t, strew_device_at(context, 0), STREW_INT8, &out, &failure));
  assert_sizes(out, 2, sizes);
  strew_release(out), out = NULL;
  ok(strew_binary(STREW_MUL, strew_of(t), strew_of(self), &out, &failure));
  assert_sizes(out, 2, sizes);
  strew_release(out), out = NULL;
  ok(strew_reduce_with(STREW_FOLD_SUM, t, &(strew_reduce_options){.dim_count = 1, .dims = (const int64_t[]){0}}, &out,
                       &failure));
  assert_elements(out, STREW_FLOAT32, (float[]){0, 0, 0}, "the sum of nothing");
  strew_release(out), out = NULL;
  ok(strew_gather_with(self, 0, index, NULL, &out, &failure));
  assert_sizes(out, 1, &none);
  strew_release(out), out = self;
  strew_scatter_options options = {.reduction = STREW_SUM};
  ok(strew_scatter(self, 0, index, strew_number(strew_int(1)), &options, &out, &failure));
  assert_elements(self, STREW_FLOAT32, (float[]){1, 1, 1}, "nothing was added");
  out = NULL;
  ok(strew_sort_with(t, 0, NULL, &out, &places, &failure));
  strew_release(out), strew_release(places), strew_release(t), strew_release(index), strew_release(self);
}
END_TEST

/* --------------------------------------------------------------------------------------------------- cached kernels */

/* A process of its own finds the device, uses it and reports. (The tests' process must not have used OpenCL: drivers do
   not survive a fork.) */
static struct told {
  strew_status status;
  long compiled;
  char message[sizeof failure.message];
} * told;
enum { MOST_PROCESSES = 4 };
static bool lacks_zlib;

static pid_t start_process(int i) {
  pid_t made = fork();
  if (made) return made;
  context = new_context();
  if (lacks_zlib) strew_device_find(context, "opencl:99", &device, &failure); /* this loads OpenCL's library */
  system_faults.lacks_libraries = lacks_zlib;
  clear_failure();
  told[i].status = strew_device_find(context, device_spec(), &device, &failure);
  if (told[i].status == STREW_OK) told[i].status = use_device(device);
  told[i].compiled = faults.compiled;
  memcpy(told[i].message, failure.message, sizeof failure.message);
  strew_context_release(context);
  _exit(0);
}

/* Starts that many processes at once; returns how many programs they compiled in all. */
static long run_processes(int count) {
  pid_t ids[MOST_PROCESSES];
  long compiled = 0;
  for (int i = 0; i < count; i++) told[i].status = STREW_EFREED, ids[i] = start_process(i);
  for (int i = 0; i < count; i++) {
    int end = -1;
    waitpid(ids[i], &end, 0);
    ck_assert_msg(end == 0, "a process ended with %d", end);
    ck_assert_msg(told[i].status == STREW_OK, "%s: %s", strew_enum_name(STREW_WORDS_STATUS, told[i].status),
                  told[i].message);
    compiled += told[i].compiled;
  }
  return compiled;
}

static char folder[256];

static void start_folder(void) {
  keep_folder();
  told = mmap(NULL, MOST_PROCESSES * sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  snprintf(folder, sizeof folder, "/tmp/strew-check-XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(folder));
  setenv("XDG_CACHE_HOME", folder, 1);
}

static void finish_folder(void) {
  char command[300];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  ck_assert_int_eq(system(command), 0);
  munmap(told, MOST_PROCESSES * sizeof *told);
  restore_folder();
}

/* Applies `change` to every file of the cache and returns their number. All files must be complete. */
static int each_file(void (*change)(const char *path, long size_bytes)) {
  char path[600];
  int count = 0;
  snprintf(path, sizeof path, "%s/strew", folder);
  DIR *entries = opendir(path);
  ck_assert_ptr_nonnull(entries);
  for (struct dirent *entry; (entry = readdir(entries));) {
    struct stat about;
    if (entry->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "%s/strew/%s", folder, entry->d_name);
    size_t length = strlen(path);
    ck_assert_msg(length > 4 && !strcmp(path + length - 4, ".bin"), "%s was left behind", path);
    ck_assert_int_eq(stat(path, &about), 0);
    if (change) change(path, (long)about.st_size);
    count++;
  }
  closedir(entries);
  return count;
}

static void change_byte(const char *path, long at) {
  FILE *file = fopen(path, "r+b");
  fseek(file, at, SEEK_SET);
  int byte = fgetc(file);
  fseek(file, at, SEEK_SET);
  fputc(byte ^ 0x5a, file);
  fclose(file);
}

static void halve(const char *path, long size) { ck_assert_int_eq(truncate(path, size / 2), 0); }
static void empty(const char *path, long size) { ck_assert_int_eq(truncate(path, 0 * size), 0); }
static void shorten(const char *path, long size) { ck_assert_int_eq(truncate(path, size - 1), 0); }
static void garble_middle(const char *path, long size) { change_byte(path, size / 2); }
static void garble_end(const char *path, long size) { change_byte(path, size - 1); }
static void garble_start(const char *path, long size) { change_byte(path, 0 * size); }
static void garble_key(const char *path, long size) { change_byte(path, 8 + 0 * size); }
static void garble_size(const char *path, long size) { change_byte(path, 31 + 0 * size); }
static void make_folder(const char *path, long size) {
  (void)size;
  remove(path);
  mkdir(path, 0700);
}
static void (*const damages[])(const char *path, long size) = {halve,      empty,        shorten,    garble_middle,
                                                               garble_end, garble_start, garble_key, garble_size};
enum { DAMAGES = sizeof damages / sizeof *damages };
static int damage; /* the next file's */

static void damage_file(const char *path, long size) { damages[damage++ % DAMAGES](path, size); }

START_TEST(a_second_process_compiles_nothing) {
  long first = run_processes(1);
  ck_assert_int_gt(first, 0);
  ck_assert_int_eq(each_file(NULL), first);
  ck_assert_int_eq(run_processes(1), 0);
}
END_TEST

START_TEST(zlib_is_missing) {
  int end = -1;
  lacks_zlib = true;
  waitpid(start_process(0), &end, 0);
  lacks_zlib = false;
  ck_assert_int_eq(end, 0);
  ck_assert_int_eq(told[0].status, STREW_EDEVICE);
  ck_assert_msg(strstr(told[0].message, "needs the library zlib, which is not installed"), "%s", told[0].message);
}
END_TEST

/* It is compiled and cached again. */
START_TEST(damaged_files_are_replaced) {
  long first = run_processes(1);
  while (damage < DAMAGES) {
    ck_assert_int_eq(each_file(damage_file), first);
    ck_assert_int_eq(run_processes(1), first);
  }
  ck_assert_int_eq(run_processes(1), 0);
}
END_TEST

/* A binary that its driver rejects. */
START_TEST(refused_binaries_are_compiled) {
  long first = run_processes(1);
  faults.only = "clCreateProgramWithBinary";
  opencl_faults_limit(1, true);
  ck_assert_int_eq(run_processes(1), first);
  opencl_faults_limit(0, false);
  faults.only = NULL;
}
END_TEST

/* Binaries compiled for another device, by another driver or with other options are not used. */
START_TEST(other_devices_compile_their_own) {
  long first = run_processes(1);
  for (int i = NO_DISGUISE + 1; i < DISGUISES; i++) {
    faults.disguise = (enum disguise)i;
    long compiled = run_processes(1);
    faults.disguise = NO_DISGUISE;
    ck_assert_msg(compiled == first, "disguise %d: %ld programs were compiled, expected %ld", i, compiled, first);
  }
  ck_assert_int_eq(run_processes(1), 0);
}
END_TEST

START_TEST(folders_that_cannot_be_used) {
  char path[300], home[300], drivers[300];
  snprintf(home, sizeof home, "%s", getenv("HOME") ? getenv("HOME") : folder);
  snprintf(path, sizeof path, "%s/file", folder);
  fclose(fopen(path, "w"));
  snprintf(drivers, sizeof drivers, "%s/drivers", folder);
  setenv("POCL_CACHE_DIR", drivers, 1); /* drivers have caches of their own, and would trust the changed files */
  setenv("MESA_SHADER_CACHE_DIR", drivers, 1);
  setenv("XDG_CACHE_HOME", path, 1); /* no folder */
  long first = run_processes(1);
  ck_assert_int_gt(first, 0);
  setenv("XDG_CACHE_HOME", "relative", 1); /* counts as unset */
  setenv("HOME", folder, 1);
  ck_assert_int_eq(run_processes(1), first);
  ck_assert_int_eq(run_processes(1), 0); /* in ~/.cache */
  unsetenv("HOME");
  ck_assert_int_eq(run_processes(1), first);
  setenv("HOME", home, 1);
  setenv("XDG_CACHE_HOME", folder, 1);
  ck_assert_int_eq(run_processes(1), first);
  each_file(make_folder); /* folders with the names of the files */
  ck_assert_int_eq(run_processes(1), first);
}
END_TEST

START_TEST(several_processes_at_once) {
  ck_assert_int_gt(run_processes(MOST_PROCESSES), 0);
  ck_assert_int_gt(each_file(NULL), 0);
  ck_assert_int_eq(run_processes(MOST_PROCESSES), 0);
}
END_TEST

/* ------------------------------------------------------------------------------------------------------ wrong sorts */

/* Sorts three elements in a context: returns STREW_OK or the failure, and the device's promise. */
static strew_status sort_three(strew_context *in, char promise[256]) {
  const int64_t three = 3;
  static const int32_t unsorted[] = {2, 1, 3}, expected[] = {1, 2, 3};
  strew_device *on = NULL;
  strew_tensor *t = NULL, *values = NULL, *positions = NULL;
  strew_capabilities can;
  strew_error none = {0};
  ok(strew_device_find(in, device_spec(), &on, &failure));
  ok(strew_from(on, STREW_INT32, 1, &three, unsorted, &t, &failure));
  clear_failure();
  strew_status status = strew_sort_with(t, 0, NULL, &values, &positions, &failure);
  if (status == STREW_OK) assert_elements(values, STREW_INT32, expected, "sorted");
  ck_assert_int_eq(strew_device_capabilities(on, &can, &none), STREW_OK);
  memcpy(promise, can.promise, sizeof can.promise);
  strew_release(t), strew_release(values), strew_release(positions);
  return status;
}

/* A compiler that breaks sorts by optimising is detected, and optimisation is off: in later processes from the
   start. */
START_TEST(sorts_that_optimisations_spoil) {
  char promise[256];
  long compiled[2];
  release_context();
  faults.spoils = OPTIMISED;
  for (int i = 0; i < 2; i++) {
    strew_context *in = new_context();
    compiled[i] = faults.compiled;
    ck_assert_int_eq(sort_three(in, promise), STREW_OK);
    compiled[i] = faults.compiled - compiled[i];
    ck_assert_ptr_nonnull(strstr(promise, "sorts compiled without optimisation"));
    strew_context_release(in);
  }
  faults.spoils = NOTHING;
  ck_assert_int_gt(compiled[0], 2);
  ck_assert_int_eq(compiled[1], 0);
  check_nothing_left("after sorts without optimisations");
}
END_TEST

START_TEST(sorts_that_stay_wrong) {
  char promise[256];
  release_context();
  faults.spoils = EVERYTHING;
  strew_context *in = new_context();
  for (int i = 0; i < 2; i++) {
    ck_assert_int_eq(sort_three(in, promise), STREW_EDEVICE);
    ck_assert_ptr_nonnull(strstr(failure.message, "sorts wrongly, with and without compiler optimisation"));
  }
  faults.spoils = NOTHING;
  strew_context_release(in);
  check_nothing_left("after sorts that stay wrong");
}
END_TEST

/* --------------------------------------------------------------------------------------------- several contexts */

enum { THREADS = 2, ROUNDS = 40, PLACES = 300, MANY = 5000 };

static strew_status scatter_and_sort(strew_device *on, uint64_t seed, float *values, int64_t *order,
                                     strew_error *error) {
  const int64_t places = PLACES, many = MANY;
  strew_tensor *t[5] = {NULL}, *sorted = NULL, *positions = NULL;
  strew_scatter_options options = {.reduction = STREW_SUM};
  strew_context_seed(strew_device_context(on), seed);
  strew_status status = strew_rand(on, STREW_FLOAT32, 1, &places, &t[0], error);
  if (status == STREW_OK) status = strew_randint(on, STREW_INT64, 0, places, 1, &many, &t[1], error);
  if (status == STREW_OK) status = strew_randn(on, STREW_FLOAT32, 1, &many, &t[2], error);
  if (status == STREW_OK) status = strew_scatter(t[0], 0, t[1], strew_of(t[2]), &options, &t[3], error);
  if (status == STREW_OK) status = strew_binary(STREW_MUL, strew_of(t[3]), strew_of(t[0]), &t[4], error);
  if (status == STREW_OK) status = strew_sort_with(t[4], 0, NULL, &sorted, &positions, error);
  if (status == STREW_OK) status = strew_read(sorted, values, PLACES * sizeof *values, error);
  if (status == STREW_OK) status = strew_read(positions, order, PLACES * sizeof *order, error);
  for (int i = 0; i < 5; i++) strew_release(t[i]);
  strew_release(sorted), strew_release(positions);
  return status;
}

/* A thread with a context of its own compares the device with the CPU; returns an error text, or NULL. */
static void *work(void *number) {
  static strew_error errors[THREADS];
  uint64_t start = *(uint64_t *)number * 1000;
  strew_error *error = &errors[*(uint64_t *)number];
  strew_options options = {.threads = 1};
  strew_context *own = NULL;
  strew_device *mine = NULL;
  float values[2][PLACES];
  int64_t order[2][PLACES];
  strew_status status = strew_context_create(&options, &own, error);
  if (status == STREW_OK) status = strew_device_find(own, device_spec(), &mine, error);
  for (uint64_t i = 0; status == STREW_OK && i < ROUNDS; i++) {
    status = scatter_and_sort(mine, start + i, values[0], order[0], error);
    if (status == STREW_OK) status = scatter_and_sort(strew_device_at(own, 0), start + i, values[1], order[1], error);
    if (status != STREW_OK ||
        (!memcmp(values[0], values[1], sizeof *values) && !memcmp(order[0], order[1], sizeof *order)))
      continue;
    status = STREW_EVALUE;
    snprintf(error->message, sizeof error->message, "round %d differs", (int)i);
  }
  strew_context_release(own);
  return status == STREW_OK ? NULL : error->message;
}

START_TEST(contexts_on_two_threads) {
  uint64_t numbers[THREADS];
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) {
    numbers[i] = (uint64_t)i;
    ck_assert_int_eq(pthread_create(&threads[i], NULL, work, &numbers[i]), 0);
  }
  for (int i = 0; i < THREADS; i++) {
    void *wrong;
    pthread_join(threads[i], &wrong);
    ck_assert_msg(!wrong, "thread %d: %s", i, (const char *)wrong);
  }
}
END_TEST

/* The work of a thread with a context of its own beside another one, and its expected result. */
struct neighbour {
  const char *device;
  strew_options options;
  float expected[PLACES];
  int64_t expected_order[PLACES];
  strew_error error;
  int wrong;
};

static strew_status compute(struct neighbour *neighbour, uint64_t seed, float *values, int64_t *order) {
  strew_context *own = NULL;
  strew_device *mine = NULL;
  strew_status status = strew_context_create(&neighbour->options, &own, &neighbour->error);
  if (status == STREW_OK) status = strew_device_find(own, neighbour->device, &mine, &neighbour->error);
  for (int i = 0; status == STREW_OK && i < ROUNDS; i++) {
    status = scatter_and_sort(mine, seed, values, order, &neighbour->error);
    if (status != STREW_OK || !neighbour->options.memory_limit_bytes) continue;
    const int64_t too_much = (int64_t)neighbour->options.memory_limit_bytes;
    strew_tensor *large = NULL; /* limits that are exceeded again and again */
    neighbour->wrong += strew_empty(mine, STREW_INT8, 1, &too_much, &large, NULL) != STREW_EMEMORY;
    strew_context_limit_time(own, 1e-9);
    while (strew_context_check(own, 0, NULL) == STREW_OK) continue; /* a coarse clock */
    neighbour->wrong += scatter_and_sort(mine, seed, values, order, NULL) != STREW_ETIME;
    strew_context_limit_time(own, 0);
    status = scatter_and_sort(mine, seed, values, order, &neighbour->error);
  }
  strew_context_release(own);
  return status;
}

static void *compute_again(void *neighbour_) {
  struct neighbour *neighbour = neighbour_;
  float values[PLACES] = {0};
  int64_t order[PLACES] = {0};
  if (compute(neighbour, 7, values, order) != STREW_OK) return neighbour->error.message;
  bool is_same =
      !memcmp(values, neighbour->expected, sizeof values) && !memcmp(order, neighbour->expected_order, sizeof order);
  return is_same && !neighbour->wrong ? NULL : "its results, or its limits, are others than when it was alone";
}

/* Contexts with different devices, threads and limits at the same time: each gets the same results as alone. */
START_TEST(contexts_on_different_devices) {
  static struct neighbour neighbours[] = {
      {.device = NULL, .options = {.threads = 1}},
      {.device = "cpu", .options = {.threads = 3, .grain_bytes = 64, .memory_limit_bytes = 1 << 23}}};
  pthread_t threads[2];
  neighbours[0].device = device_spec();
  for (int i = 0; i < 2; i++)
    ck_assert_msg(compute(&neighbours[i], 7, neighbours[i].expected, neighbours[i].expected_order) == STREW_OK,
                  "alone: %s", neighbours[i].error.message);
  ck_assert_mem_eq(neighbours[0].expected, neighbours[1].expected, sizeof neighbours[0].expected);
  for (int i = 0; i < 2; i++) ck_assert_int_eq(pthread_create(&threads[i], NULL, compute_again, &neighbours[i]), 0);
  for (int i = 0; i < 2; i++) {
    void *wrong;
    pthread_join(threads[i], &wrong);
    ck_assert_msg(!wrong, "%s: %s", neighbours[i].device, (const char *)wrong);
  }
}
END_TEST

/* Events in one context do not affect the other. */
START_TEST(contexts_side_by_side) {
  const int64_t two = 2;
  strew_context *other = new_context();
  strew_device *there = NULL;
  strew_tensor *t = NULL, *mine = NULL;
  ok(strew_device_find(other, device_spec(), &there, &failure));
  ok(strew_full(there, STREW_INT32, 1, &two, strew_int(7), &t, &failure));
  ok(strew_full(device, STREW_INT32, 1, &two, strew_int(8), &mine, &failure));
  release_context(); /* lives on with `mine` */
  ok(strew_fill(t, strew_int(9), &failure));
  assert_elements(t, STREW_INT32, (int32_t[]){9, 9}, "the other context's");
  assert_elements(mine, STREW_INT32, (int32_t[]){8, 8}, "of a context that its host has let go");
  strew_release(mine);
  ok(use_device(there));
  strew_release(t);
  strew_context_release(other);
  check_nothing_left("after two contexts");
}
END_TEST

/* -------------------------------------------------------------------------------------------------------- programs */

/* x is the first input. */
static long compiled_for(const char *text, const strew_operand *inputs, double expected) {
  const long before = faults.compiled;
  const strew_expr_values values = {.inputs = inputs};
  strew_expr *expr = NULL;
  strew_tensor *out = NULL;
  strew_scalar last;
  ok(strew_expr_parse(context, text, strlen(text), &expr, &failure));
  ok(strew_expr_evaluate(expr, &values, &out, &failure));
  const long compiled = faults.compiled - before;
  ok(strew_get(out, 1, (int64_t[]){-1}, &last, &failure));
  ck_assert_msg(last.as.f == expected, "%s is %g, expected %g", text, last.as.f, expected);
  strew_expr_release(expr), strew_release(out);
  return compiled;
}

/* Programs that differ in names, numbers and shapes alone are compiled once. */
START_TEST(programs_share_kernels) {
  strew_tensor *x = tensor_from_doubles(STREW_FLOAT32, 3, (double[]){1, 2, 3});
  strew_tensor *y = tensor_from_doubles(STREW_FLOAT32, 4, (double[]){1, 2, 4, 5});
  const strew_operand first[] = {strew_of(x), strew_number(strew_float(7))};
  const strew_operand second[] = {strew_of(y), strew_number(strew_float(8))};
  ck_assert_int_eq(compiled_for("x * k - x / 2", first, 19.5), 1);
  ck_assert_int_eq(compiled_for("x * k - x / 2", second, 37.5), 0);
  ck_assert_int_eq(compiled_for("(other*number) - other/4", second, 38.75), 0);
  ck_assert_int_eq(compiled_for("x * k + x / 2", second, 42.5), 1);
  strew_release(x), strew_release(y);
}
END_TEST

/* The tags are those of devices.sh: thirds that take about equally long. */
Suite *make_suite(void) {
  Suite *suite = suite_create("opencl");
  if (!on_device()) setenv("STREW_TEST_DEVICE", "opencl", 1);
  test_allocator = counting_allocator;
  TCase *disk = tcase_create("cached kernels"); /* first: this process has not used OpenCL yet */
  suite_add_tcase(suite, disk);
  tcase_set_tags(disk, "third_0");
  tcase_add_checked_fixture(disk, start_folder, finish_folder);
  tcase_add_test(disk, zlib_is_missing);
  tcase_add_test(disk, a_second_process_compiles_nothing);
  tcase_add_test(disk, damaged_files_are_replaced);
  tcase_add_test(disk, refused_binaries_are_compiled);
  tcase_add_test(disk, other_devices_compile_their_own);
  tcase_add_test(disk, folders_that_cannot_be_used);
  tcase_add_test(disk, several_processes_at_once);
  TCase *wrong = new_case(suite, "wrong sorts");
  tcase_set_tags(wrong, "third_0");
  tcase_add_checked_fixture(wrong, start_folder, finish_folder);
  tcase_add_test(wrong, sorts_that_optimisations_spoil);
  tcase_add_test(wrong, sorts_that_stay_wrong);
  TCase *programs = new_case(suite, "programs");
  tcase_set_tags(programs, "third_0");
  tcase_add_checked_fixture(programs, start_folder, finish_folder);
  tcase_add_test(programs, programs_share_kernels);
  TCase *failing = new_case(suite, "failing functions");
  tcase_set_tags(failing, "third_1");
  tcase_add_unchecked_fixture(failing, use_functions, NULL);
  add_trials(failing);
  TCase *lacking = new_case(suite, "failing allocations");
  tcase_set_tags(lacking, "third_2");
  tcase_add_unchecked_fixture(lacking, use_allocations, NULL);
  add_trials(lacking);
  TCase *own = new_case(suite, "whole devices");
  tcase_set_tags(own, "third_0");
  tcase_add_checked_fixture(own, keep_folder, restore_folder);
  tcase_add_test(own, nothing_is_left_over);
  tcase_add_loop_test(own, opening_fails, 0, 2);
  tcase_add_loop_test(own, a_device_is_lost, 0, 3);
  tcase_add_test(own, memory_is_short);
  tcase_add_test(own, memory_is_used_again);
  tcase_add_test(own, contexts_on_two_threads);
  tcase_add_test(own, contexts_on_different_devices);
  tcase_add_test(own, contexts_side_by_side);
  TCase *bad = new_case(suite, "invalid input");
  tcase_set_tags(bad, "third_2");
  tcase_add_test(bad, operands_on_different_devices);
  tcase_add_test(bad, tensors_beyond_the_largest);
  tcase_add_test(bad, float64_where_there_is_none);
  tcase_add_loop_test(bad, a_bad_index_at_the_end, 0, 2);
  tcase_add_test(bad, tensors_of_nothing);
  return suite;
}
