/* check_pool.c: worker threads: the same bits on any number of threads, several contexts, fork, and threads that cannot
   be created. Under ThreadSanitizer it shows that the loops have no data races.
   (devices: no, these threads are the CPU's.) */
#define _GNU_SOURCE /* pthread_setattr_default_np */
#include "runtime/core/cpu/cpu.h"
#include "testing.h"

#include <dirent.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* --------------------------------------------------------------------------------------------------------- work */

/* Host memory from which the tensors of every context are copied, so that contexts on several threads can share it. */
enum { COUNT = 12000, PLACES = 900, ROWS = 400, COLUMNS = 30 };
static float numbers[COUNT];
static int64_t places[COUNT]; /* 0..PLACES-1 */
static int32_t columns[COUNT];

static void start_numbers(void) {
  for (int i = 0; i < COUNT; i++) {
    numbers[i] = (float)(draw_below(2000001) - 1000000) / 1024;
    places[i] = draw_below(PLACES);
    columns[i] = (int32_t)draw_below(COLUMNS);
  }
}

struct inputs {
  strew_tensor *line, *to;                  /* COUNT elements, and their destinations */
  strew_tensor *table, *to_row, *to_column; /* ROWS x COLUMNS, an index for each row, for each element */
  strew_tensor *self;                       /* PLACES elements */
};

static strew_status make_inputs(strew_device *on, struct inputs *in) {
  const int64_t count = COUNT, self = PLACES, shape[] = {ROWS, COLUMNS};
  *in = (struct inputs){.line = NULL};
  strew_status status = strew_from(on, STREW_FLOAT32, 1, &count, numbers, &in->line, NULL);
  if (status == STREW_OK) status = strew_from(on, STREW_INT64, 1, &count, places, &in->to, NULL);
  if (status == STREW_OK) status = strew_from(on, STREW_FLOAT32, 2, shape, numbers, &in->table, NULL);
  if (status == STREW_OK) status = strew_from(on, STREW_INT64, 1, shape, places, &in->to_row, NULL);
  if (status == STREW_OK) status = strew_from(on, STREW_INT32, 2, shape, columns, &in->to_column, NULL);
  if (status == STREW_OK) status = strew_full(on, STREW_FLOAT32, 1, &self, strew_int(1), &in->self, NULL);
  return status;
}

static void release_inputs(struct inputs *in) {
  strew_release(in->line), strew_release(in->to), strew_release(in->table);
  strew_release(in->to_row), strew_release(in->to_column), strew_release(in->self);
}

static strew_status scatter(const struct inputs *in, strew_reduction reduction, strew_tensor **out) {
  strew_scatter_options options = {.reduction = reduction, .exclude_self = true};
  return strew_scatter(in->self, 0, in->to, strew_of(in->line), &options, out, NULL);
}

static strew_status group(const struct inputs *in, strew_reduction reduction, strew_tensor **out, strew_tensor **arg) {
  struct group_form options = {.dim_size = PLACES, .reduction = reduction};
  return group_form(strew_by_index(in->to_row), in->table, &options, out, arg, NULL);
}

static strew_status fold(strew_fold fold, strew_tensor *tensor, int count, strew_tensor **out) {
  return strew_reduce_with(fold, tensor,
                           &(strew_reduce_options){.dim_count = count, .dims = (const int64_t[]){(int){0}}}, out, NULL);
}

typedef strew_status work(const struct inputs *in, strew_tensor **out);

static strew_status scatter_sum(const struct inputs *in, strew_tensor **out) { return scatter(in, STREW_SUM, out); }
static strew_status scatter_mean(const struct inputs *in, strew_tensor **out) { return scatter(in, STREW_MEAN, out); }
static strew_status scatter_last(const struct inputs *in, strew_tensor **out) { return scatter(in, STREW_ASSIGN, out); }
static strew_status scatter_columns(const struct inputs *in, strew_tensor **out) {
  strew_scatter_options options = {.reduction = STREW_SUM};
  return strew_scatter(in->table, 1, in->to_column, strew_of(in->table), &options, out, NULL);
}
/* In place with an invalid index: the tensor is unchanged. */
static strew_status scatter_bad(const struct inputs *in, strew_tensor **out) {
  strew_scatter_options options = {.reduction = STREW_SUM};
  strew_status status = strew_clone(in->to_row, out, NULL);
  if (status != STREW_OK) return status;
  status = strew_scatter(*out, 0, in->to, strew_of(in->to), &options, out, NULL);
  return status == STREW_EINDEX ? STREW_OK : STREW_EARGUMENT;
}
static strew_status group_sum(const struct inputs *in, strew_tensor **out) { return group(in, STREW_SUM, out, NULL); }
static strew_status group_winners(const struct inputs *in, strew_tensor **out) {
  strew_tensor *values = NULL;
  strew_status status = group(in, STREW_AMAX, &values, out);
  strew_release(values);
  return status;
}
static strew_status gather(const struct inputs *in, strew_tensor **out) {
  return strew_gather_with(in->line, 0, in->to, NULL, out, NULL);
}
static strew_status gather_columns(const struct inputs *in, strew_tensor **out) {
  return strew_gather_with(in->table, 1, in->to_column, NULL, out, NULL);
}
static strew_status multiply(const struct inputs *in, strew_tensor **out) {
  return strew_binary(STREW_MUL, strew_of(in->table), strew_of(in->to_column), out, NULL);
}
static strew_status convert(const struct inputs *in, strew_tensor **out) {
  return strew_to(in->line, strew_tensor_device(in->line), STREW_INT8, out, NULL);
}
static strew_status sum(const struct inputs *in, strew_tensor **out) { return fold(STREW_FOLD_SUM, in->line, 0, out); }
static strew_status variances(const struct inputs *in, strew_tensor **out) {
  return fold(STREW_FOLD_VAR, in->table, 1, out);
}
static strew_status winner(const struct inputs *in, strew_tensor **out) {
  return fold(STREW_FOLD_ARGMAX, in->line, 0, out);
}
static strew_status cumsum(const struct inputs *in, strew_tensor **out) {
  return strew_cumsum_with(in->line, 0, NULL, out, NULL);
}
static strew_status order(const struct inputs *in, strew_tensor **out) {
  strew_tensor *values = NULL;
  strew_status status = strew_sort_with(in->line, 0, NULL, &values, out, NULL);
  strew_release(values);
  return status;
}
static strew_status nonzero(const struct inputs *in, strew_tensor **out) { return strew_nonzero(in->to, out, NULL); }
static strew_status normal(const struct inputs *in, strew_tensor **out) {
  strew_device *on = strew_tensor_device(in->line);
  strew_context_seed(strew_device_context(on), 5);
  return strew_randn(on, STREW_FLOAT32, 1, &(int64_t){COUNT}, out, NULL);
}

static const struct {
  const char *name;
  work *run;
} works[] = {
#define WORK(name)                                                                                                     \
  { #name, name }
    WORK(scatter_sum), WORK(scatter_mean),  WORK(scatter_last), WORK(scatter_columns), WORK(scatter_bad),
    WORK(group_sum),   WORK(group_winners), WORK(gather),       WORK(gather_columns),  WORK(multiply),
    WORK(convert),     WORK(sum),           WORK(variances),    WORK(winner),          WORK(cumsum),
    WORK(order),       WORK(nonzero),       WORK(normal),
#undef WORK
};
enum { WORK_COUNT = sizeof works / sizeof *works };

/* FNV-1a of the bytes of the result of a work item; 0 if it fails. */
static uint64_t digest_of(const struct inputs *in, work *run) {
  strew_tensor *out = NULL;
  uint64_t digest = 0xcbf29ce484222325u;
  if (run(in, &out) != STREW_OK) return 0;
  size_t size = (size_t)strew_tensor_numel(out) * strew_dtype_size_bytes(strew_tensor_dtype(out));
  unsigned char *bytes = malloc(size);
  strew_status status = strew_read(out, bytes, size, NULL);
  for (size_t i = 0; i < size; i++) digest = (digest ^ bytes[i]) * 0x100000001b3u;
  free(bytes);
  strew_release(out);
  return status == STREW_OK ? digest : 0;
}

static uint64_t expected[WORK_COUNT];

/* Returns how many work items differ from their bits on one thread. May run on any thread and in any process. */
static int count_wrong(strew_device *on) {
  struct inputs in;
  int wrong = 0;
  if (make_inputs(on, &in) != STREW_OK) return WORK_COUNT;
  for (int i = 0; i < WORK_COUNT; i++) wrong += digest_of(&in, works[i].run) != expected[i];
  release_inputs(&in);
  return wrong;
}

/* Sets the expected digests, from one thread; leaves the context with `threads`. */
static void expect(int threads) {
  struct inputs in;
  start_numbers();
  use_threads(1);
  ck_assert_int_eq(make_inputs(device, &in), STREW_OK);
  for (int i = 0; i < WORK_COUNT; i++) {
    expected[i] = digest_of(&in, works[i].run);
    ck_assert_msg(expected[i] != 0, "%s failed", works[i].name);
  }
  release_inputs(&in);
  use_threads(threads);
}

/* -------------------------------------------------------------------------------------------------- one context */

START_TEST(test_same_bits) {
  struct inputs in;
  expect(1);
  ck_assert_int_eq(make_inputs(device, &in), STREW_OK); /* which live on while the number of threads changes */
  for (int threads = 2; threads <= 7; threads = threads == 3 ? 7 : threads + 1) {
    use_threads(threads);
    ck_assert_int_eq(strew_context_threads(context), threads);
    for (int i = 0; i < WORK_COUNT; i++)
      ck_assert_msg(digest_of(&in, works[i].run) == expected[i], "%s on %d threads", works[i].name, threads);
  }
  release_inputs(&in);
}
END_TEST

START_TEST(test_number_of_threads) {
  use_threads(0); /* the processors available to the process */
  ck_assert_int_ge(strew_context_threads(context), 1);
  use_threads(3);
  assert_fails(strew_context_set_threads(context, 257, &failure), STREW_EARGUMENT,
               "set_threads: 'threads' is 257, valid 1..256, or 0 for the processors that this process may use");
  assert_fails(strew_context_set_threads(context, -1, &failure), STREW_EARGUMENT, NULL);
  ck_assert_int_eq(strew_context_threads(context), 3);
}
END_TEST

/* With stacks larger than the address space, no thread can be created. */
START_TEST(test_no_threads_to_be_had) {
  pthread_attr_t before, impossible;
  pthread_getattr_default_np(&before);
  pthread_attr_init(&impossible);
  pthread_attr_setstacksize(&impossible, SIZE_MAX >> (sizeof(size_t) == 8 ? 17 : 1));
  expect(7);
  ck_assert_int_eq(pthread_setattr_default_np(&impossible), 0);
  ck_assert_int_eq(count_wrong(device), 0);
  ck_assert_int_eq(pthread_setattr_default_np(&before), 0);
  use_threads(2);
  ck_assert_int_eq(count_wrong(device), 0);
}
END_TEST

/* ------------------------------------------------------------------------------------------------- processors */

/* True if the process has exactly that many threads (-1: any number) beside the `known` ones, which then include
   them. */
static bool finds_threads(int new_count, pid_t *known, int *count, pid_t *found) {
  int are_new = 0;
  DIR *tasks = opendir("/proc/self/task");
  ck_assert_ptr_nonnull(tasks);
  for (struct dirent *task; (task = readdir(tasks));) {
    pid_t thread = (pid_t)atoi(task->d_name);
    bool is_known = thread == 0;
    for (int i = 0; i < *count; i++) is_known |= known[i] == thread;
    if (!is_known) found[are_new++] = thread;
  }
  closedir(tasks);
  if (new_count >= 0 && are_new != new_count) return false;
  for (int i = 0; i < are_new; i++) known[(*count)++] = found[i];
  return true;
}

/* A joined thread is still listed for a moment. */
static void find_threads(int new_count, pid_t *known, int *count, pid_t *found) {
  int tries = 500;
  while (!finds_threads(new_count, known, count, found) && --tries) usleep(10000);
  ck_assert_int_gt(tries, 0);
}

static cpu_set_t processors_of(pid_t thread) {
  cpu_set_t set;
  ck_assert_int_eq(sched_getaffinity(thread, sizeof set, &set), 0);
  return set;
}

static void run_on(int processor) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(processor, &one);
  ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
  ck_assert_int_eq(count_wrong(device), 0);
}

/* Workers avoid the caller's processor if there is another one for each, unless the host says otherwise. */
START_TEST(test_processors) {
  enum { MOST = 600, ANY = -1 };
  pid_t known[MOST], workers[MOST];
  int count = 0, processors[2], found = 0;
  cpu_set_t all = processors_of(0);
  expect(2);
  for (int i = 0; i < CPU_SETSIZE && found < 2; i++)
    if (CPU_ISSET(i, &all)) processors[found++] = i;
  ck_assert_int_eq(count_wrong(device), 0); /* ThreadSanitizer starts a thread of its own with the first one */
  use_threads(1);
  find_threads(ANY, known, &count, workers);
  use_threads(2);
  ck_assert_int_eq(count_wrong(device), 0);
  find_threads(1, known, &count, workers);
  for (int turn = 0; turn < 4; turn++) {
    cpu_set_t others = all, now;
    run_on(processors[turn % 2]);
    CPU_CLR(processors[turn % 2], &others);
    now = processors_of(workers[0]);
    ck_assert(CPU_EQUAL(&now, &others));
  }
  ck_assert_int_eq(sched_setaffinity(workers[0], sizeof all, &all), 0);
  run_on(processors[0]);
  cpu_set_t kept = processors_of(workers[0]);
  ck_assert(CPU_EQUAL(&kept, &all));
  ck_assert_int_eq(sched_setaffinity(0, sizeof all, &all), 0);
  if (CPU_COUNT(&all) >= 256) return; /* as many threads as a context can have: never too few processors */
  use_threads(CPU_COUNT(&all) + 1);
  ck_assert_int_eq(count_wrong(device), 0);
  int made = CPU_COUNT(&all);
  find_threads(made, known, &count, workers);
  run_on(processors[1]);
  for (int i = 0; i < made; i++) {
    cpu_set_t now = processors_of(workers[i]);
    ck_assert(CPU_EQUAL(&now, &all));
  }
}
END_TEST

static bool has_processors(void) {
  cpu_set_t all;
  return !sched_getaffinity(0, sizeof all, &all) && CPU_COUNT(&all) > 1;
}

/* --------------------------------------------------------------------------------------------------- contexts */

static strew_device *new_device_of_grain(int threads, size_t grain_bytes) {
  strew_options options = {.threads = threads, .grain_bytes = grain_bytes};
  strew_context *made = NULL;
  strew_device *on = NULL;
  if (strew_context_create(&options, &made, NULL) != STREW_OK) return NULL;
  strew_device_find(made, NULL, &on, NULL);
  return on;
}

static strew_device *new_device(int threads) { return new_device_of_grain(threads, 64); }

/* A grain larger than any work: no work is split, and all of it is done. */
START_TEST(test_endless_grain) {
  static const size_t grains[] = {1, SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / 2 + 1, SIZE_MAX / 64 + 1};
  expect(2);
  for (int i = 0; i < 5; i++) {
    strew_device *on = new_device_of_grain(3, grains[i]);
    ck_assert_ptr_nonnull(on);
    ck_assert_int_eq(count_wrong(on), 0);
    strew_context_release(strew_device_context(on));
  }
}
END_TEST

/* A grain that a host chose is kept, whatever bits size_t has. */
START_TEST(test_large_grain) {
  strew_device *on = new_device_of_grain(3, 64 << 20);
  ck_assert_int_eq(pool_parts(strew_device_context(on), 127 << 20), 1);
  ck_assert_int_gt(pool_parts(strew_device_context(on), 128 << 20), 1);
  strew_context_release(strew_device_context(on));
}
END_TEST

/* Above a part for each thread, there are as many for each. */
START_TEST(test_even_parts) {
  enum { THREADS = 3, GRAIN = 64 };
  strew_device *on = new_device_of_grain(THREADS, GRAIN);
  for (int64_t grains = 2; grains < 100; grains++) {
    const int64_t parts = pool_parts(strew_device_context(on), grains * GRAIN);
    ck_assert_int_le(parts, grains);
    if (grains <= THREADS)
      ck_assert_int_eq(parts, grains);
    else
      ck_assert_int_eq(parts % THREADS, 0);
    ck_assert_int_gt(parts, 1);
  }
  strew_context_release(strew_device_context(on));
}
END_TEST

/* A host thread with a context of its own, which differs from its neighbours' in threads, allocator and limits. */
struct neighbour {
  int threads;
  size_t limit_bytes, used_bytes; /* by the allocator, which runs on this thread alone */
};

static void *count_and_allocate(void *neighbour, size_t size_bytes, size_t alignment) {
  void *block = NULL;
  if (posix_memalign(&block, alignment < sizeof block ? sizeof block : alignment, size_bytes)) return NULL;
  ((struct neighbour *)neighbour)->used_bytes += size_bytes;
  return block;
}

static void count_and_free(void *neighbour, void *block, size_t size_bytes) {
  ((struct neighbour *)neighbour)->used_bytes -= size_bytes;
  free(block);
}

/* A context that was stopped, by its deadline or by its host, works again afterwards; no other context is affected.
   Returns the number of errors. */
static int count_wrong_stops(strew_device *on) {
  strew_context *own = strew_device_context(on);
  const int64_t many = 1000;
  strew_tensor *t = NULL;
  int wrong = 0;
  strew_context_limit_time(own, 1e-9);
  while (strew_context_check(own, 0, NULL) == STREW_OK) continue; /* a coarse clock */
  wrong += strew_full(on, STREW_INT32, 1, &many, strew_int(1), &t, NULL) != STREW_ETIME;
  strew_context_limit_time(own, 0);
  strew_context_interrupt(own);
  wrong += strew_full(on, STREW_INT32, 1, &many, strew_int(1), &t, NULL) != STREW_EINTERRUPTED;
  strew_context_clear_interrupt(own);
  wrong += strew_full(on, STREW_INT32, 1, &many, strew_int(1), &t, NULL) != STREW_OK;
  strew_release(t);
  return wrong;
}

/* Returns the number of errors in its work. (Check's macros work on the first thread only.) */
static void *host_thread(void *neighbour_) {
  struct neighbour *neighbour = neighbour_;
  enum { TOO_MUCH = 1 << 26 };
  strew_options options = {.threads = neighbour->threads,
                           .grain_bytes = 64,
                           .allocator = {count_and_allocate, count_and_free, neighbour},
                           .memory_limit_bytes = neighbour->limit_bytes};
  intptr_t wrong = 0;
  int64_t size = TOO_MUCH;
  strew_context *own = NULL;
  strew_device *on = NULL;
  strew_tensor *large = NULL;
  if (strew_context_create(&options, &own, NULL) != STREW_OK) return (void *)(intptr_t)-1;
  strew_device_find(own, NULL, &on, NULL);
  for (int i = 0; i < 5; i++) {
    wrong += count_wrong(on);
    if (neighbour->limit_bytes) wrong += count_wrong_stops(on);
  }
  strew_status status_expected = neighbour->limit_bytes ? STREW_EMEMORY : STREW_OK;
  wrong += strew_empty(on, STREW_UINT8, 1, &size, &large, NULL) != status_expected;
  strew_release(large);
  strew_context_release(own);
  return (void *)(wrong + (neighbour->used_bytes != 0));
}

START_TEST(test_contexts_side_by_side) {
  pthread_t host[3];
  struct neighbour neighbours[] = {{1, 1 << 25, 0}, {2, 0, 0}, {3, 1 << 24, 0}};
  void *wrong;
  expect(2);
  for (int i = 0; i < 3; i++) ck_assert_int_eq(pthread_create(&host[i], NULL, host_thread, &neighbours[i]), 0);
  ck_assert_int_eq(count_wrong(device), 0);
  for (int i = 0; i < 3; i++) {
    ck_assert_int_eq(pthread_join(host[i], &wrong), 0);
    ck_assert_msg(!wrong, "%d results of the context with %d threads are wrong", (int)(intptr_t)wrong,
                  neighbours[i].threads);
  }
}
END_TEST

/* Results move between contexts through host memory: tensors of two contexts do not mix, but coexist. */
START_TEST(test_contexts_taking_turns) {
  strew_device *other = new_device(3);
  expect(2);
  for (int i = 0; i < 3; i++) {
    ck_assert_int_eq(count_wrong(device), 0);
    ck_assert_int_eq(count_wrong(other), 0);
  }
  strew_context_release(strew_device_context(other));
}
END_TEST

static int count_threads(void) {
  int count = 0;
  DIR *tasks = opendir("/proc/self/task");
  while (tasks && readdir(tasks)) count++;
  if (tasks) closedir(tasks);
  return count;
}

START_TEST(test_contexts_come_and_go) {
  enum { WARM = 20 };
  const int contexts = under_qemu(200, 4);
  expect(1);
  int threads = 0;
  size_t held = 0;
  for (int i = 0; i < contexts; i++) {
    strew_device *on = new_device(2 + i % 2);
    struct inputs in;
    ck_assert_ptr_nonnull(on);
    ck_assert_int_eq(make_inputs(on, &in), STREW_OK);
    ck_assert(digest_of(&in, scatter_sum) == expected[0]);
    if (i % 2) strew_context_release(strew_device_context(on));
    release_inputs(&in); /* before the context, and after it */
    if (i % 2 == 0) strew_context_release(strew_device_context(on));
    if (i == WARM) threads = count_threads(), held = mallinfo2().uordblks;
  }
  ck_assert_int_le(count_threads(), threads);
  ck_assert_uint_le(mallinfo2().uordblks, held + (size_t)contexts * 128); /* less than a pool or a context uses */
}
END_TEST

/* -------------------------------------------------------------------------------------------------------- fork */

/* The exit status of a child of fork() that computes, has a child of its own compute, and computes again. */
static int status_of_child(int generations) {
  int status = -1;
  pid_t child = fork();
  if (child) return waitpid(child, &status, 0) == child ? status : -1;
  alarm(60); /* ends a child that hangs */
  bool well = count_wrong(device) == 0;
  if (generations > 1) well = well && status_of_child(generations - 1) == 0 && count_wrong(device) == 0;
  _exit(well ? EXIT_SUCCESS : EXIT_FAILURE);
}

START_TEST(test_fork_after_use) {
  expect(3);
  ck_assert_int_eq(count_wrong(device), 0);
  ck_assert_int_eq(status_of_child(2), 0);
  ck_assert_int_eq(count_wrong(device), 0);
  ck_assert_int_eq(status_of_child(1), 0);
}
END_TEST

START_TEST(test_fork_before_use) {
  expect(3);
  ck_assert_int_eq(status_of_child(2), 0);
  ck_assert_int_eq(count_wrong(device), 0);
}
END_TEST

Suite *make_suite(void) {
  Suite *suite = suite_create("pool");
  TCase *all = new_case(suite, "threads");
  tcase_add_test(all, test_same_bits);
  tcase_add_test(all, test_number_of_threads);
  tcase_add_test(all, test_endless_grain);
  tcase_add_test(all, test_large_grain);
  tcase_add_test(all, test_even_parts);
  tcase_add_test(all, test_no_threads_to_be_had);
  tcase_add_test(all, test_contexts_side_by_side);
  tcase_add_test(all, test_contexts_taking_turns);
  tcase_add_test(all, test_contexts_come_and_go);
  if (has_processors())
    tcase_add_test(all, test_processors);
  else
    printf("pool: workers that avoid the caller's processor are left out: there is one processor\n");
  if (follows_forks()) {
    tcase_add_test(all, test_fork_after_use);
    tcase_add_test(all, test_fork_before_use);
  } else {
    printf("pool: fork is left out: ThreadSanitizer cannot create threads in a child\n");
  }
  return suite;
}
