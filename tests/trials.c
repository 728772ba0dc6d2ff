/* trials.c: see trials.h */
#define _GNU_SOURCE /* gettid */
#include "trials.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ------------------------------------------------------------------------------------------------- the allocator */

enum { HEAD = 64 }; /* bytes before each block, which hold its size */

static struct {
  long calls, failed;  /* since `limit` */
  long failing;        /* the number of the call that fails; 0: none */
  bool stays;          /* those after it fail, too */
  size_t blocks, held; /* live blocks, and their bytes */
} memory;

static void limit_memory(long failing, bool stays) {
  memory.calls = memory.failed = 0;
  memory.failing = failing;
  memory.stays = stays;
}

/* The context's thread, which is the test's first one. */
static void check_thread(void) {
  if (gettid() != getpid()) ck_abort_msg("the allocator is called on another thread");
}

static void *allocate(void *user, size_t size_bytes, size_t alignment) {
  void *block;
  check_thread();
  if (user != &memory || !size_bytes || alignment > HEAD || (alignment & (alignment - 1)))
    ck_abort_msg("allocation of %zu bytes, aligned to %zu", size_bytes, alignment);
  memory.calls++;
  bool fails = memory.calls == memory.failing || (memory.stays && memory.calls > memory.failing);
  if (memory.failing && fails) return memory.failed++, NULL;
  if (posix_memalign(&block, HEAD, HEAD + size_bytes)) return NULL;
  memset(block, 0xa5, HEAD + size_bytes); /* no code may rely on zeros */
  memcpy(block, &size_bytes, sizeof size_bytes);
  memory.blocks++;
  memory.held += size_bytes;
  return (char *)block + HEAD;
}

static void deallocate(void *user, void *block, size_t size_bytes) {
  char *whole = (char *)block - HEAD;
  size_t asked;
  check_thread();
  memcpy(&asked, whole, sizeof asked);
  if (user != &memory || asked != size_bytes)
    ck_abort_msg("a block of %zu bytes is freed with a size of %zu", asked, size_bytes);
  memset(whole, 0x5a, HEAD + size_bytes);
  free(whole);
  memory.blocks--;
  memory.held -= size_bytes;
}

const strew_allocator counting_allocator = {allocate, deallocate, &memory};
size_t blocks_held(void) { return memory.blocks; }
size_t bytes_held(void) { return memory.held; }

void empty_context(void) {
  static const int64_t one[] = {1};
  strew_tensor *made = NULL;
  limit_memory(1, true);
  if (strew_empty(device, STREW_FLOAT32, 1, one, &made, NULL) != STREW_EMEMORY) ck_abort_msg("nothing failed");
  limit_memory(0, false);
}

size_t blocks_in_use(void) {
  empty_context();
  return blocks_held();
}

static long failed_allocations(void) { return memory.failed; }

static void check_lack(const char *what, strew_status status, bool is_told) {
  if (status != STREW_EMEMORY) ck_abort_msg("%s: %s", what, strew_enum_name(STREW_WORDS_STATUS, status));
  if (is_told && !strstr(failure.message, ": out of memory: ")) ck_abort_msg("%s: %s", what, failure.message);
}

const struct source allocations = {"allocation", limit_memory, failed_allocations, check_lack, false, 0};
const struct source *trial_source = &allocations;

/* --------------------------------------------------------------------------------------------------- operands */

static struct {
  strew_tensor *tensor, *saved;
  char *elements; /* the original elements, on the host */
} operands[64];
static int operand_count;

/* Checks a tensor until the test ends. */
static strew_tensor *operand(strew_tensor *tensor) {
  operands[operand_count].tensor = tensor;
  operands[operand_count].elements = host_of(tensor);
  ok(strew_clone(tensor, &operands[operand_count++].saved, &failure));
  return tensor;
}

static void check_operands(const char *what, const strew_tensor *but) {
  for (int i = 0; i < operand_count; i++)
    if (operands[i].tensor != but)
      assert_elements(operands[i].tensor, strew_tensor_dtype(operands[i].tensor), operands[i].elements, "%s", what);
}

static void restore(strew_tensor *target) {
  for (int i = 0; i < operand_count; i++)
    if (operands[i].tensor == target) ok(strew_copy(target, operands[i].saved, &failure));
}

static void begin(void) {
  operand_count = 0;
  trial_source->limit(0, false);
}

static void finish(void) {
  for (int i = 0; i < operand_count; i++) {
    strew_release(operands[i].tensor), strew_release(operands[i].saved);
    free(operands[i].elements);
  }
  operand_count = 0;
  if (on_device()) return; /* keeps its kernels until the context is closed */
  use_threads(1);          /* without a pool */
  empty_context();
  ck_assert_msg(memory.blocks == 1, "%zu blocks are left over beside the context", memory.blocks - 1);
}

/* --------------------------------------------------------------------------------------------------- attempts */

enum { OUT_COUNT = 3 };
static strew_tensor *out[OUT_COUNT], *expected[OUT_COUNT];
static strew_error *report; /* NULL in every other attempt: an error struct is optional */
#define TO &out[0], report
static bool answer;

/* A call, by its number if there are several of a kind, and its result without failures. */
struct trial {
  const char *name;
  strew_status (*call)(int i);
  int i;
  strew_tensor *target; /* its destination, if that exists before */
  strew_status status;
};

/* Shared by the tests' processes. */
static struct tally { long trials, failures, done_without, lost; } * tally;

/* A device blocks Ctrl-C within a call alone. */
static void check_signals(const char *name) {
  sigset_t blocked;
  pthread_sigmask(SIG_BLOCK, NULL, &blocked);
  if (sigismember(&blocked, SIGINT)) ck_abort_msg("%s has left Ctrl-C blocked", name);
}

static strew_status run(const struct trial *trial) {
  for (int k = 0; k < OUT_COUNT; k++) out[k] = k ? NULL : trial->target;
  clear_failure();
  const strew_status status = trial->call(trial->i);
  check_signals(trial->name);
  return status;
}

static void finish_success(const struct trial *trial, const char *what) {
  check_operands(what, trial->target);
  for (int k = 0; k < OUT_COUNT; k++) {
    if (!out[k] != !expected[k]) ck_abort_msg("%s: result %d", what, k);
    if (out[k]) assert_same(out[k], expected[k], what);
    if (out[k] != trial->target) strew_release(out[k]);
  }
  restore(trial->target);
  strew_context_seed(context, 7);
}

static bool is_lost(void) { return on_device() && strew_device_finish(device, NULL) != STREW_OK; }

/* A failing call reports whether it has written a part of its result. (Other devices than the CPU do not know: enqueued
   kernels run later.) */
static void check_spoiled(const char *what, strew_tensor *target, const char *message) {
  if (on_device()) return;
  for (int i = 0; i < operand_count; i++) {
    if (operands[i].tensor != target) continue;
    char *is = host_of(target);
    size_t size_bytes = (size_t)strew_tensor_numel(target) * strew_dtype_size_bytes(strew_tensor_dtype(target));
    if (report && memcmp(is, operands[i].elements, size_bytes) && !strstr(message, "' may hold a part"))
      ck_abort_msg("%s has changed its target, but reports: %s", what, message);
    free(is);
  }
}

static void check_failed(const struct trial *trial, const char *what, strew_status status) {
  strew_error told = failure; /* cleared by reading tensors */
  if (report && failure.code != status) ck_abort_msg("%s: %s", what, failure.message);
  if (status != trial->status) trial_source->check(what, status, report);
  if (is_lost()) return; /* after a write that cannot be undone */
  check_operands(what, trial_source->spoils ? trial->target : NULL);
  if (trial_source->spoils) check_spoiled(what, trial->target, told.message), restore(trial->target);
  for (int k = 0; k < OUT_COUNT; k++)
    if (out[k] != (k ? NULL : trial->target)) ck_abort_msg("%s: result %d was set", what, k);
}

static bool fresh_pool; /* every attempt starts the worker threads again, because they allocate memory, too */

/* One attempt; returns true if an event failed. */
static bool attempt(const struct trial *trial, long failing, bool stays) {
  char what[128];
  snprintf(what, sizeof what, "%s %d, at %s %ld%s", trial->name, trial->i, trial_source->event, failing,
           stays ? " and after" : "");
  if (fresh_pool) use_threads(2);
  empty_context();
  size_t blocks = memory.blocks, held = memory.held, tensors = strew_context_bytes(context);
  trial_source->limit(failing, stays);
  strew_status status = run(trial);
  long failed = trial_source->failed();
  trial_source->limit(0, false);
  tally->failures += failed;
  tally->done_without += failed && status == trial->status;
  if (status == STREW_OK)
    finish_success(trial, what);
  else
    check_failed(trial, what, status);
  if (fresh_pool) use_threads(2);
  empty_context();
  bool is_even = on_device() || (memory.blocks == blocks && memory.held == held); /* a device may have built kernels */
  if (!is_even || strew_context_bytes(context) != tensors)
    ck_abort_msg("%s: %zu blocks before, %zu after", what, blocks, memory.blocks);
  tally->lost += is_lost();
  return failed > 0 && !is_lost();
}

/* True if the call is in the sample that a device runs: another one for each source of failures. */
static bool is_tried(const char *name, int i) {
  unsigned mixed = (unsigned)i + (unsigned)trial_source->event[0];
  for (; *name; name++) mixed = mixed * 31 + (unsigned char)*name;
  return chosen((int)(mixed & 0xffffff), on_device() ? 1 : 6);
}

/* First without failures, to get the expected result of the attempts. */
static void exercise(const char *name, strew_status (*call)(int i), int i, strew_tensor *target) {
  if (is_lost() || !is_tried(name, i)) return; /* lost: the next test gets another context */
  struct trial trial = {name, call, i, target, STREW_OK};
  report = &failure;
  strew_context_seed(context, 7);
  trial.status = run(&trial);
  if (trial.status == STREW_EDEVICE) ck_abort_msg("%s: %s", name, failure.message);
  for (int k = 0; k < OUT_COUNT; k++) {
    expected[k] = NULL;
    if (out[k]) ok(strew_clone(out[k], &expected[k], &failure));
    if (out[k] != target) strew_release(out[k]);
  }
  restore(target);
  for (int stays = 0; stays < 2; stays++) {
    report = stays ? NULL : &failure;
    strew_context_seed(context, 7);           /* failing attempts do not use them up */
    int step = stays && on_device() ? 19 : 1; /* such a call has hundreds of events, most of them alike */
    if (getenv("STREW_TEST_STEP")) step *= atoi(getenv("STREW_TEST_STEP"));
    long close = trial_source->close;
    for (long failing = 1; attempt(&trial, failing, stays); failing += step * (1 + (close ? failing / close : 0)))
      continue;
    if (is_lost()) break;
  }
  for (int k = 0; k < OUT_COUNT; k++) strew_release(expected[k]);
  tally->trials++;
}

/* ------------------------------------------------------------------------------------------- a script of calls */

static strew_tensor *a, *b, *row, *column, *half, *whole, *narrow, *mask, *cube, *none; /* see start_script */
static strew_tensor *many, *many_halves, *many_doubles, *spread, *crowd, *far, *huge, *handful, *rows, *columns,
    *halves, *integers, *figure, *odd, *even;
static const int64_t wide[] = {6, 5}, five[] = {5}, six[] = {6, 1}, four[] = {4}, thousands[] = {6000};

/* Few different integers, far from one another. */
static strew_tensor *draw_far(int64_t count) {
  int64_t *values = malloc((size_t)count * sizeof *values);
  for (int64_t i = 0; i < count; i++) values[i] = draw_below(1100) << 40;
  strew_tensor *made = tensor_of(STREW_INT64, 1, &count, CONTIGUOUS, values);
  free(values);
  return made;
}

static void start_script(void) {
  a = operand(random_tensor(STREW_FLOAT32, 2, wide, CONTIGUOUS));
  b = operand(random_tensor(STREW_FLOAT32, 2, wide, STRIDED));
  row = operand(random_tensor(STREW_FLOAT32, 1, five, STRIDED));
  column = operand(random_tensor(STREW_FLOAT32, 2, six, CONTIGUOUS));
  half = operand(random_tensor(STREW_FLOAT16, 2, wide, CONTIGUOUS));
  halves = operand(random_tensor(STREW_FLOAT16, 2, wide, STRIDED));
  whole = operand(random_integers(STREW_INT64, 2, wide, PERMUTED, 1, 9));
  integers = operand(random_integers(STREW_INT64, 2, wide, CONTIGUOUS, 1, 9));
  narrow = operand(random_integers(STREW_INT8, 2, wide, CONTIGUOUS, 1, 9));
  mask = operand(random_tensor(STREW_BOOL, 2, wide, STRIDED));
  cube = operand(random_tensor(STREW_FLOAT32, 3, (int64_t[]){2, 5, 3}, STRIDED));
  none = operand(random_integers(STREW_INT64, 2, (int64_t[]){0, 5}, CONTIGUOUS, 0, 1));
  many = operand(random_tensor(STREW_FLOAT32, 1, thousands, CONTIGUOUS));
  many_halves = operand(random_tensor(STREW_FLOAT16, 1, thousands, CONTIGUOUS));
  many_doubles = lacks(STREW_FLOAT64) ? many_halves : operand(random_tensor(STREW_FLOAT64, 1, thousands, CONTIGUOUS));
  spread = operand(tensor_from_doubles(STREW_FLOAT32, 4, (double[]){1e30, -1e30, 1, 2}));
  figure = operand(scalar_tensor(STREW_FLOAT32, strew_int(5)));
  crowd = operand(random_integers(STREW_INT64, 1, thousands, CONTIGUOUS, 0, 4));
  far = operand(draw_far(thousands[0]));
  huge = operand(random_integers(STREW_INT64, 1, thousands, CONTIGUOUS, -(INT64_C(1) << 61), INT64_C(1) << 61));
  handful = operand(random_tensor(STREW_FLOAT32, 1, four, CONTIGUOUS));
  odd = operand(random_tensor(STREW_FLOAT32, 6, (int64_t[]){1, 2, 1, 2, 1, 2}, CONTIGUOUS));
  even = operand(random_tensor(STREW_INT16, 6, (int64_t[]){2, 1, 2, 1, 2, 1}, CONTIGUOUS));
  rows = operand(random_integers(STREW_INT64, 2, wide, CONTIGUOUS, 0, 5));
  columns = operand(random_integers(STREW_INT32, 2, wide, EXPANDED, -5, 5));
}

static strew_operand number(double value) { return strew_number(strew_float(value)); }

static strew_status wrap_host_memory(void) {
  static float host[30];
  return strew_wrap(device, STREW_FLOAT32, 2, wide, NULL, host, sizeof host, NULL, NULL, TO);
}

static strew_status read_strided(void) {
  float host[30];
  return strew_read(b, host, sizeof host, report);
}

static strew_status clamp(strew_tensor *tensor, strew_operand low, strew_operand high) {
  return strew_clamp_with(tensor, low, high, TO);
}

static strew_status scatter_sum(strew_tensor *self, strew_tensor *index, strew_tensor *src, strew_mode mode) {
  strew_scatter_options options = {.reduction = STREW_SUM, .mode = mode};
  return strew_scatter(self, 0, index, strew_of(src), &options, TO);
}

static strew_status put_at(strew_tensor *self, int count, strew_tensor *first, strew_tensor *second,
                           strew_operand values, strew_reduction reduction) {
  strew_tensor *const indices[] = {first, second};
  strew_scatter_options options = {.reduction = reduction, .exclude_self = reduction == STREW_MEAN};
  return strew_index_put(self, count, indices, values, &options, TO);
}

/* Evaluates a text, or sums what it gives. */
static strew_status evaluate(const char *text, strew_tensor *x, strew_tensor *y, bool sums) {
  const strew_operand inputs[] = {{.tensor = x}, {.tensor = y}};
  const strew_expr_values values = {.inputs = inputs};
  strew_expr *expr = NULL;
  strew_status status = strew_expr_parse(context, text, strlen(text), &expr, report);
  if (status == STREW_OK && sums)
    status = strew_expr_reduce(expr, &values, STREW_FOLD_SUM, NULL, TO);
  else if (status == STREW_OK)
    status = strew_expr_evaluate(expr, &values, TO);
  strew_expr_release(expr);
  return status;
}

/* Adds x[y] * 2, computed as it is read, to elements y of self. */
static strew_status scatter_computed(strew_tensor *self, strew_tensor *x, strew_tensor *y) {
  const strew_operand inputs[] = {{.tensor = x}, {.tensor = y}};
  strew_expr *expr = NULL;
  strew_tensor *bound = NULL;
  strew_status status = strew_expr_parse(context, "x[y] * 2", 8, &expr, report);
  if (status == STREW_OK) status = strew_expr_bind(expr, &(strew_expr_values){.inputs = inputs}, &bound, report);
  if (status == STREW_OK) status = scatter_sum(self, y, bound, STREW_ERROR);
  strew_release(bound), strew_expr_release(expr);
  return status;
}

/* A mean with its count, of groups or partial. */
static strew_status combine(strew_tensor *x, strew_tensor *index, bool partial) {
  const strew_accumulator accumulators[] = {{.name = "m", .init = strew_float(0), .combine = "m + (x - m) / (n + 1)"},
                                            {.name = "n", .init = strew_int(0), .combine = "n + i // 3"}};
  strew_combination *combination = NULL;
  strew_combine_options options = {.sources = &x, .partial = partial};
  strew_status status = strew_combination_create(context, 2, accumulators, "m * n", &combination, report);
  if (status == STREW_OK) status = strew_grouping_create_with(index, NULL, &options.grouping, report);
  if (status == STREW_OK) status = strew_combine(combination, x, &options, TO);
  strew_grouping_release(options.grouping);
  strew_combination_release(combination);
  return status;
}

/* The tensors of a grouping that a call has made. */
static strew_status take_apart(strew_status status, strew_grouping *grouping) {
  strew_tensor *made[OUT_COUNT] = {NULL};
  if (status == STREW_OK) status = strew_grouping_ids(grouping, &made[0], report);
  if (status == STREW_OK) status = strew_grouping_order(grouping, &made[1], report);
  if (status == STREW_OK) status = strew_grouping_starts(grouping, &made[2], report);
  for (int k = 0; k < OUT_COUNT; k++)
    if (status == STREW_OK)
      out[k] = made[k];
    else
      strew_release(made[k]);
  strew_grouping_release(grouping);
  return status;
}

static strew_status group_ids(strew_tensor *index, strew_mode mode) {
  strew_grouping *grouping = NULL;
  strew_status status = strew_grouping_create_with(
      index, &(strew_grouping_options){.dim_size = &(int64_t){4}, .mode = mode}, &grouping, report);
  return take_apart(status, grouping);
}

static strew_status group_keys(int count, strew_tensor *first, strew_tensor *second, strew_key_order order) {
  strew_grouping *grouping = NULL;
  strew_status status = strew_group_by_with(count, (strew_tensor *[]){first, second},
                                            &(strew_group_by_options){.order = order}, &grouping, report);
  return take_apart(status, grouping);
}

static strew_status with_groups(strew_status (*work)(strew_grouping *grouping)) {
  strew_grouping *grouping = NULL;
  strew_status status =
      strew_grouping_create_with(crowd, &(strew_grouping_options){.dim_size = &(int64_t){5}}, &grouping, report);
  if (status == STREW_OK) status = work(grouping);
  strew_grouping_release(grouping);
  return status;
}

static strew_status reduce_them(strew_grouping *grouping) {
  struct form_of aggregates[OUT_COUNT] = {{many, GROUP_FORM}, {many, GROUP_FORM}, {.src = NULL}};
  aggregates[1].options.reduction = STREW_MEAN;
  return aggregate_forms(grouping, OUT_COUNT, aggregates, out, report);
}
static strew_status reduce_integers(strew_grouping *grouping) {
  struct form_of aggregates[OUT_COUNT] = {{crowd, GROUP_FORM}, {huge, GROUP_FORM}, {crowd, GROUP_FORM}};
  aggregates[1].options.reduction = STREW_MEAN;
  aggregates[2].options.reduction = STREW_PROD;
  return aggregate_forms(grouping, OUT_COUNT, aggregates, out, report);
}
static strew_status add_them_up(strew_grouping *grouping) {
  return strew_grouping_cumsum(grouping, many_halves, &out[0], report);
}
static strew_status shift_them(strew_grouping *grouping) {
  return strew_grouping_shift(grouping, many_halves, 2, strew_float(0.5), &out[0], report);
}
static strew_status take_their_first(strew_grouping *grouping) {
  return strew_grouping_topk_with(grouping, many_halves, 2, NULL, &out[0], &out[1], report);
}
static strew_status reduce_groups(void) { return with_groups(reduce_them); }
static strew_status add_up_groups(void) { return with_groups(add_them_up); }
static strew_status shift_groups(void) { return with_groups(shift_them); }
static strew_status take_first_of_groups(void) { return with_groups(take_their_first); }

static strew_status find_log(void) {
  strew_tensor *square = NULL;
  strew_status status = strew_narrow(a, 0, 0, five[0], &square, report);
  if (status == STREW_OK) status = strew_slogdet(square, &out[0], &out[1], report);
  strew_release(square);
  return status;
}

static strew_status count_points(void) {
  strew_tensor *edges = NULL;
  const strew_scalar low = strew_int(-2), high = strew_int(3), step = strew_int(1);
  strew_status status = strew_arange(device, strew_tensor_dtype(many), low, high, step, &edges, report);
  if (status == STREW_OK) status = strew_histogram(1, &many, &edges, NULL, &out[0], &out[1], report);
  strew_release(edges);
  return status;
}

/* Name, destination if it exists before, call. The tests after this one sweep families. */
#define SCRIPT(X)                                                                                                      \
  X(empty, NULL, strew_empty(device, STREW_INT16, 2, wide, TO))                                                        \
  X(empty_of_nothing, NULL, strew_empty(device, STREW_INT16, 1, (int64_t[]){0}, TO))                                   \
  X(full, NULL, strew_full(device, STREW_BFLOAT16, 2, wide, strew_float(2.5), TO))                                     \
  X(from, NULL, strew_from(device, STREW_INT64, 1, (int64_t[]){2}, wide, TO))                                          \
  X(wrap, NULL, wrap_host_memory())                                                                                    \
  X(arange, NULL, strew_arange(device, STREW_INT32, strew_int(3), strew_int(90), strew_int(2), TO))                    \
  X(linspace, NULL, strew_linspace(device, STREW_FLOAT16, 0, 1, 50, TO))                                               \
  X(eye, NULL, strew_eye(device, STREW_INT8, 4, 6, TO))                                                                \
  X(rand, NULL, strew_rand(device, dtype_here(STREW_FLOAT64), 2, wide, TO))                                            \
  X(rand_in_place, b, strew_rand(device, STREW_FLOAT32, 2, wide, TO))                                                  \
  X(randn, NULL, strew_randn(device, STREW_BFLOAT16, 2, wide, TO))                                                     \
  X(randn_in_place, halves, strew_randn(device, STREW_FLOAT16, 2, wide, TO))                                           \
  X(randint, NULL, strew_randint(device, STREW_INT16, -5, 5, 2, wide, TO))                                             \
  X(randint_in_place, whole, strew_randint(device, STREW_INT64, -5, 5, 2, wide, TO))                                   \
  X(randperm, NULL, strew_randperm(device, STREW_INT64, 700, TO))                                                      \
  X(randperm_int16, NULL, strew_randperm(device, STREW_INT16, 700, TO))                                                \
  X(randperm_in_place, row, strew_randperm(device, STREW_FLOAT32, 5, TO))                                              \
  X(view, NULL, strew_view(a, 2, (int64_t[]){3, -1}, TO))                                                              \
  X(reshape, NULL, strew_reshape(a, 1, (int64_t[]){-1}, TO))                                                           \
  X(reshape_with_copy, NULL, strew_reshape(whole, 1, (int64_t[]){30}, TO))                                             \
  X(flatten, NULL, strew_flatten(a, 0, -1, TO))                                                                        \
  X(flatten_with_copy, NULL, strew_flatten(cube, 1, 2, TO))                                                            \
  X(permute, NULL, strew_permute(cube, 3, (int64_t[]){2, 0, 1}, TO))                                                   \
  X(transpose, NULL, strew_transpose(cube, 0, -1, TO))                                                                 \
  X(t, NULL, strew_t(a, TO))                                                                                           \
  X(squeeze, NULL, strew_squeeze(column, 0, NULL, TO))                                                                 \
  X(unsqueeze, NULL, strew_unsqueeze(a, -1, TO))                                                                       \
  X(expand, NULL, strew_expand(row, 2, wide, TO))                                                                      \
  X(select, NULL, strew_select(a, 0, 2, TO))                                                                           \
  X(narrow, NULL, strew_narrow(a, 1, 1, 2, TO))                                                                        \
  X(slice, NULL, strew_slice(a, 0, 1, 6, 2, TO))                                                                       \
  X(as_strided, NULL, strew_as_strided(a, 1, five, (int64_t[]){3}, 2, TO))                                             \
  X(to, NULL, strew_to(b, device, STREW_INT8, TO))                                                                     \
  X(to_itself, NULL, strew_to(b, device, STREW_FLOAT32, TO))                                                           \
  X(clone, NULL, strew_clone(b, TO))                                                                                   \
  X(contiguous, NULL, strew_contiguous(b, TO))                                                                         \
  X(copy, halves, strew_copy(halves, row, report))                                                                     \
  X(fill, b, strew_fill(b, strew_int(3), report))                                                                      \
  X(set, b, strew_set(b, 2, (int64_t[]){1, -1}, strew_int(3), report))                                                 \
  X(read, NULL, read_strided())                                                                                        \
  X(cat, NULL, strew_cat(3, (strew_tensor *[]){narrow, b, half}, 1, TO))                                               \
  X(stack, NULL, strew_stack(2, (strew_tensor *[]){narrow, b}, 1, TO))                                                 \
  X(floor_divide, integers, strew_binary(STREW_FLOOR_DIVIDE, strew_of(whole), strew_of(narrow), TO))                   \
  X(add_into_halves, halves, strew_binary(STREW_ADD, strew_of(a), strew_of(row), TO))                                  \
  X(add_in_place, b, strew_binary(STREW_ADD, strew_of(b), strew_of(row), TO))                                          \
  X(sub_from_number, NULL, strew_binary(STREW_SUB, number(1), strew_of(whole), TO))                                    \
  X(exp_in_place, b, strew_unary(STREW_EXP, b, TO))                                                                    \
  X(where, NULL, strew_where(mask, strew_of(a), strew_of(narrow), TO))                                                 \
  X(where_into, b, strew_where(mask, strew_of(a), number(2), TO))                                                      \
  X(masked_fill, NULL, strew_masked_fill(half, mask, number(7), TO))                                                   \
  X(masked_fill_in_place, b, strew_masked_fill(b, mask, number(7), TO))                                                \
  X(clamp, NULL, clamp(a, number(-1), number(1)))                                                                      \
  X(clamp_between, NULL, clamp(whole, strew_of(row), strew_of(column)))                                                \
  X(clamp_in_place, b, clamp(b, number(-1), strew_of(row)))                                                            \
  X(equal, NULL, strew_equal(a, b, &answer, report))                                                                   \
  X(allclose, NULL, strew_allclose(a, half, 1e-5, 1e-8, &answer, report))                                              \
  X(allclose_of_integers, NULL, strew_allclose(whole, integers, 1e-5, 1e-8, &answer, report))                          \
  X(cumsum, NULL, strew_cumsum_with(many, 0, NULL, TO))                                                                \
  X(cumsum_of_halves, NULL, strew_cumsum_with(half, 1, NULL, TO))                                                      \
  X(cumsum_of_bools, NULL, strew_cumsum_with(mask, 0, NULL, TO))                                                       \
  X(cumsum_in_place, b, strew_cumsum_with(b, 0, NULL, TO))                                                             \
  X(cumprod, NULL, strew_cumprod(many, 0, TO))                                                                         \
  X(cumprod_of_halves, NULL, strew_cumprod(half, 1, TO))                                                               \
  X(cumprod_in_place, b, strew_cumprod(b, 0, TO))                                                                      \
  X(cummax, NULL, strew_cummax(many, 0, &out[0], &out[1], report))                                                     \
  X(sort, NULL, strew_sort_with(b, 0, NULL, &out[0], &out[1], report))                                                 \
  X(sort_many, NULL, strew_sort_with(many, 0, &(strew_sort_options){.descending = true}, &out[0], &out[1], report))    \
  X(topk, NULL, strew_topk_with(b, 2, 1, NULL, &out[0], &out[1], report))                                              \
  X(topk_few_of_many, NULL, strew_topk_with(many, 5, 0, NULL, &out[0], &out[1], report))                               \
  X(topk_most_of_many, NULL,                                                                                           \
    strew_topk_with(many_halves, 5990, 0, &(strew_topk_options){.smallest = true}, &out[0], &out[1], report))          \
  X(unique, NULL, strew_unique(whole, &out[0], &out[1], &out[2], report))                                              \
  X(unique_values, NULL, strew_unique(many, &out[0], NULL, NULL, report))                                              \
  X(unique_of_nothing, NULL, strew_unique(none, &out[0], &out[1], &out[2], report))                                    \
  X(nonzero, NULL, strew_nonzero(mask, TO))                                                                            \
  X(gather, NULL, strew_gather_with(a, 1, columns, &(strew_index_options){.mode = STREW_WRAP}, TO))                    \
  X(gather_into, b, strew_gather_with(a, 1, rows, NULL, TO))                                                           \
  X(gather_bad_index, b, strew_gather_with(a, 1, columns, NULL, TO))                                                   \
  X(scatter_many, NULL, scatter_sum(handful, crowd, many, STREW_ERROR))                                                \
  X(scatter_many_in_place, handful, scatter_sum(handful, crowd, many, STREW_ERROR))                                    \
  X(scatter_many_into, row, scatter_sum(row, crowd, many, STREW_CLIP))                                                 \
  X(scatter_nothing, NULL, scatter_sum(whole, none, integers, STREW_ERROR))                                            \
  X(scatter_bad_index, halves, scatter_sum(halves, columns, half, STREW_ERROR))                                        \
  X(index_select, NULL, strew_index_select_with(handful, 0, crowd, NULL, TO))                                          \
  X(index_add, NULL, strew_index_add_with(handful, 0, crowd, many, strew_int(2), NULL, TO))                            \
  X(index_put_in_place, b, put_at(b, 2, rows, rows, strew_of(row), STREW_SUM))                                         \
  X(index_put_mean_of_halves, halves, put_at(halves, 2, rows, rows, number(2), STREW_MEAN))                            \
  X(index_put_at_mask, b, put_at(b, 1, mask, NULL, number(7), STREW_ASSIGN))                                           \
  X(index_put_bad_index, b, put_at(b, 2, rows, columns, number(7), STREW_ASSIGN))                                      \
  X(slogdet, NULL, find_log())                                                                                         \
  X(svd, NULL, strew_svd(a, NULL, &out[0], &out[1], &out[2], report))                                                  \
  X(qr_of_halves, NULL, strew_qr(half, NULL, &out[0], &out[1], report))                                                \
  X(isin, NULL, strew_isin(whole, many, NULL, TO))                                                                     \
  X(roll, NULL, strew_roll(b, 2, (int64_t[]){1, 2}, (int64_t[]){0, 1}, TO))                                            \
  X(repeat_interleave, NULL, strew_repeat_interleave(handful, number(2), 0, TO))                                       \
  X(histogram, NULL, count_points())                                                                                   \
  X(take, NULL, strew_take_with(b, columns, &(strew_index_options){.mode = STREW_WRAP}, TO))                           \
  X(put_in_place, b, strew_put(b, rows, a, NULL, TO))                                                                  \
  X(grouping, NULL, group_ids(crowd, STREW_ERROR))                                                                     \
  X(grouping_dropping, NULL, group_ids(crowd, STREW_DROP))                                                             \
  X(group_by_table, NULL, group_keys(1, crowd, NULL, STREW_KEYS_FIRST))                                                \
  X(program, NULL, evaluate("where(x > 0.5, x * x + 1, exp(x) / y)", many, many_doubles, false))                       \
  X(program_in_place, b, evaluate("(x - y) * 2", a, b, false))                                                         \
  X(program_of_six_dims, NULL, evaluate("x * y + 1.5", odd, even, false))                                              \
  X(program_of_rows, NULL, evaluate("x[y] * 2 + y", handful, crowd, false))                                            \
  X(sum_of_program, NULL, evaluate("x[y] * y", handful, crowd, true))                                                  \
  X(sum_of_stored_program, NULL, evaluate("x * y", odd, even, true))                                                   \
  X(combination, NULL, combine(crowd, crowd, false))                                                                   \
  X(combination_partial, NULL, combine(crowd, crowd, true))                                                            \
  X(group_by_hash, NULL, group_keys(1, far, NULL, STREW_KEYS_SORTED))                                                  \
  X(group_by_hash_in_order, NULL, group_keys(1, far, NULL, STREW_KEYS_FIRST))                                          \
  X(group_by_sorting, NULL, group_keys(1, many, NULL, STREW_KEYS_FIRST))                                               \
  X(group_by_two, NULL, group_keys(2, far, many, STREW_KEYS_SORTED))                                                   \
  X(grouping_aggregate, NULL, reduce_groups())                                                                         \
  X(grouping_integers, NULL, with_groups(reduce_integers))                                                             \
  X(std_of_scaled, NULL, strew_reduce_with(STREW_FOLD_STD, spread, NULL, TO))                                          \
  X(std_of_scaled_into, figure, strew_reduce_with(STREW_FOLD_STD, spread, NULL, TO))                                   \
  X(grouping_topk, NULL, take_first_of_groups())                                                                       \
  X(grouping_cumsum, NULL, add_up_groups())                                                                            \
  X(grouping_shift, NULL, shift_groups())                                                                              \
  X(masked_select, NULL, strew_masked_select(b, mask, TO))                                                             \
  X(masked_scatter, NULL, strew_masked_scatter(b, mask, many, TO))                                                     \
  X(masked_scatter_in_place, b, strew_masked_scatter(b, mask, many, TO))

#define DEFINE(name, target, ...)                                                                                      \
  static strew_status call_##name(int i) { return (void)i, __VA_ARGS__; }                                              \
  static strew_tensor *target_of_##name(void) { return target; }
SCRIPT(DEFINE)
#undef DEFINE

static const struct {
  const char *name;
  strew_status (*call)(int i);
  strew_tensor *(*target)(void);
} script[] = {
#define ROW(name, ...) {#name, call_##name, target_of_##name},
    SCRIPT(ROW)
#undef ROW
};
enum { SCRIPT_LENGTH = sizeof script / sizeof *script };

START_TEST(test_script) {
  if (on_device() && script[_i].call == call_wrap) return;
  if (!is_tried(script[_i].name, 0)) return;
  start_script();
  exercise(script[_i].name, script[_i].call, 0, script[_i].target());
}
END_TEST

/* ------------------------------------------------------------------------------------------------ whole families */

static strew_status call_unary(int op) {
  return strew_unary((strew_unary_op)op, op == STREW_BITWISE_NOT ? narrow : b, TO);
}

START_TEST(test_unary) {
  if (!chosen(_i, 4)) return;
  if (!is_tried("unary", _i)) return;
  start_script();
  exercise("unary", call_unary, _i, NULL);
}
END_TEST

static strew_status call_binary(int op) {
  bool bits = op == STREW_BITWISE_AND || op == STREW_BITWISE_OR || op == STREW_BITWISE_XOR ||
              (op >= STREW_BITWISE_LEFT_SHIFT && op <= STREW_LCM);
  return strew_binary((strew_binary_op)op, strew_of(whole), strew_of(bits ? narrow : b), TO);
}

START_TEST(test_binary) {
  if (!chosen(_i, 4)) return;
  if (!is_tried("binary", _i)) return;
  start_script();
  exercise("binary", call_binary, _i, NULL);
}
END_TEST

static strew_status call_fold(int i) {
  strew_fold fold = (strew_fold)(i / 4);
  if (i % 4 == 0) return strew_reduce_with(fold, many, NULL, TO);
  if (i % 4 == 1)
    return strew_reduce_with(
        fold, cube,
        &(strew_reduce_options){
            .dim_count = 2, .dims = (const int64_t[]){0, 2}, .keepdim = true, .correction = &(double){0}},
        TO);
  if (i % 4 == 2) return strew_reduce_with(fold, many_halves, NULL, TO);
  return strew_reduce_with(fold, narrow, &(strew_reduce_options){.dim_count = 1, .dims = (const int64_t[]){1}}, TO);
}

START_TEST(test_folds) {
  if (!chosen(_i, 3)) return;
  start_script();
  for (int way = 0; way < 4; way++) exercise(way == 3 ? "reduce integers" : "reduce", call_fold, _i * 4 + way, NULL);
}
END_TEST

static strew_tensor *left, *right;
static strew_status call_product(int kind) { return strew_matmul((strew_product)kind, left, right, TO); }

/* Dense operands, and others that must be copied; into a new tensor and a strided one. */
START_TEST(test_products) {
  static const struct {
    strew_product kind;
    int rank[3];
    int64_t left[3], right[3], out[3];
  } shapes[] = {{STREW_MM, {2, 2, 2}, {4, 3}, {3, 5}, {4, 5}},
                {STREW_MV, {2, 1, 1}, {4, 3}, {3}, {4}},
                {STREW_DOT, {1, 1, 0}, {700}, {700}, {0}},
                {STREW_MATMUL, {3, 2, 3}, {2, 4, 3}, {3, 5}, {2, 4, 5}}};
  strew_dtype dtype = (strew_dtype)_i;
  if (lacks(dtype) || !chosen(_i, 4)) return;
  for (size_t i = 0; i < 2 * sizeof shapes / sizeof *shapes; i++) {
    enum layout layout = i % 2 ? STRIDED : CONTIGUOUS;
    const int *rank = shapes[i / 2].rank;
    left = operand(random_tensor(dtype, rank[0], shapes[i / 2].left, layout));
    right = operand(random_tensor(dtype, rank[1], shapes[i / 2].right, layout));
    strew_tensor *given = operand(random_tensor(dtype, rank[2], shapes[i / 2].out, STRIDED));
    exercise(strew_dtype_name(dtype), call_product, (int)shapes[i / 2].kind, NULL);
    exercise(strew_dtype_name(dtype), call_product, (int)shapes[i / 2].kind, given);
  }
}
END_TEST

static strew_status call_factors(int i) {
  switch (i) {
  case 0: return strew_solve(left, right, TO);
  case 1: return strew_inv(left, TO);
  case 2: return strew_det(left, TO);
  case 3: return strew_slogdet(left, &out[0], &out[1], report);
  case 4: return strew_cholesky(right, NULL, TO);
  case 5: return strew_qr(left, NULL, &out[0], &out[1], report);
  case 6: return strew_eigh(left, NULL, &out[0], &out[1], report);
  default: return strew_svd(left, NULL, &out[0], &out[1], &out[2], report);
  }
}
enum { FACTOR_CALLS = 8 };

/* Matrices of floats, of 16-bit ones, and such that must be copied. right: the identity. */
START_TEST(test_linear_algebra) {
  const strew_dtype dtypes[] = {STREW_FLOAT32, STREW_FLOAT16, STREW_FLOAT32};
  for (int i = 0; i < 3; i++) {
    strew_tensor *eye = NULL;
    left = operand(random_tensor(dtypes[i], 3, (int64_t[]){2, 4, 4}, i == 2 ? STRIDED : CONTIGUOUS));
    ok(strew_eye(strew_tensor_device(left), dtypes[i], 4, 4, &eye, &failure));
    right = operand(eye);
    exercise("linear algebra", call_factors, _i, NULL);
  }
}
END_TEST

/* If worker threads cannot be created, the caller's thread does all the work. */
START_TEST(test_pool) {
  start_script();
  fresh_pool = true;
  exercise("sum", call_fold, STREW_FOLD_SUM * 4, NULL);
  exercise("var", call_fold, STREW_FOLD_VAR * 4, NULL);
  exercise("scatter", call_scatter_many_in_place, 0, handful);
  exercise("sort", call_sort_many, 0, NULL);
}
END_TEST

/* ----------------------------------------------------------------------------------------------------- scatters */

static strew_tensor *self, *other, *index_, *src;
static strew_reduction reduction;

static strew_operand contribution(int i) { return i & 1 ? strew_number(strew_bool(true)) : strew_of(src); }

static strew_status call_scatter(int i) {
  strew_scatter_options options = {.reduction = reduction, .exclude_self = i & 2, .mode = STREW_WRAP};
  return strew_scatter(self, 1, index_, contribution(i), &options, TO);
}

static strew_status call_group(int i) {
  bool has_arg = (i & 1) && (reduction == STREW_AMAX || reduction == STREW_AMIN);
  bool in_float64 = (i & 1) && (reduction == STREW_SUM || reduction == STREW_MEAN) && !out[0] && !lacks(STREW_FLOAT64);
  const strew_dtype dtype = STREW_FLOAT64;
  struct group_form options = {
      .dim_size = i & 2 || out[0] ? -1 : 9, .reduction = reduction, .dtype = in_float64 ? &dtype : NULL};
  return group_form(strew_by_index(index_), src, &options, &out[0], has_arg ? &out[1] : NULL, report);
}

static void start_scatter(int i, int64_t lowest) {
  strew_dtype dtype = (strew_dtype)(i / STREW_REDUCTION_COUNT);
  reduction = (strew_reduction)(i % STREW_REDUCTION_COUNT);
  self = operand(random_tensor(dtype, 2, wide, CONTIGUOUS));
  other = operand(random_tensor(dtype, 2, wide, STRIDED));
  src = operand(random_tensor(dtype, 2, wide, STRIDED));
  index_ = operand(random_integers(i % 2 ? STREW_INT64 : STREW_INT32, 2, wide, (enum layout)(i % 4), lowest, 5));
}

START_TEST(test_scatters) {
  start_scatter(_i, -5);
  for (int way = 0; way < 4; way++) { /* a tensor or a number; self or the identity */
    exercise("scatter", call_scatter, way, NULL);
    exercise("scatter in place", call_scatter, way, self);
    exercise("scatter into another", call_scatter, way, other);
  }
}
END_TEST

START_TEST(test_groups) {
  start_scatter(_i, 0);
  if (reduction == STREW_ASSIGN) return;
  for (int way = 0; way < 4; way++) { /* without arg or dtype, with it; a given size, one that is computed */
    exercise("group", call_group, way, NULL);
    exercise("group into", call_group, way, other);
  }
}
END_TEST

/* -------------------------------------------------------------------------------------------------- larger operands */

/* Large enough for the ways that devices use for large work only. */
enum { LARGE = 70001, LARGE_PLACES = 9000, LARGE_ROWS = 1500, WIDE = 40 };
static strew_tensor *large, *spread, *places, *table, *table_rows, *table_src, *ends, *lengths, *sorted;

static void start_large(void) {
  const int64_t count = LARGE, held = LARGE_PLACES, rows_of[] = {LARGE_ROWS, 1}, wide_of[] = {LARGE_ROWS, WIDE};
  const int64_t table_sizes[] = {90, WIDE};
  strew_tensor *narrow_rows = random_integers(STREW_INT32, 2, rows_of, CONTIGUOUS, 0, 90), *expanded = NULL;
  large = operand(random_tensor(STREW_FLOAT32, 1, &count, CONTIGUOUS));
  spread = operand(random_integers(STREW_INT64, 1, &count, CONTIGUOUS, 0, LARGE_PLACES));
  places = operand(random_tensor(STREW_FLOAT32, 1, &held, CONTIGUOUS));
  ok(strew_expand(narrow_rows, 2, wide_of, &expanded, &failure));
  strew_release(narrow_rows);
  table_rows = operand(expanded);
  table = operand(random_tensor(STREW_FLOAT32, 2, table_sizes, CONTIGUOUS));
  table_src = operand(random_tensor(STREW_FLOAT32, 2, wide_of, CONTIGUOUS));
  int64_t numbers[LARGE_ROWS];
  for (int64_t i = 0; i < LARGE_ROWS; i++) numbers[i] = i / 20;
  sorted = operand(tensor_from_integers(STREW_INT64, LARGE_ROWS, numbers));
  for (int64_t i = 0; i < 90; i++) numbers[i] = i * i;
  numbers[90] = LARGE;
  ends = operand(tensor_from_integers(STREW_INT64, 91, numbers));
  for (int64_t i = 0; i < 90; i++) numbers[i] = numbers[i + 1] - numbers[i];
  lengths = operand(tensor_from_integers(STREW_INT64, 90, numbers));
}

static strew_status group_large(strew_reduction how) {
  struct group_form options = {.dim_size = LARGE_PLACES, .reduction = how};
  return group_form(strew_by_index(spread), large, &options, &out[0], how == STREW_AMAX ? &out[1] : NULL, report);
}

static strew_status call_large(int i) {
  switch (i) {
  case 0: return scatter_sum(places, spread, large, STREW_ERROR);
  case 1: return scatter_sum(table, table_rows, table_src, STREW_WRAP);
  case 2: return group_large(STREW_MEAN);
  case 3: return group_large(STREW_AMAX);
  case 4: return strew_gather_with(places, 0, spread, NULL, TO);
  case 5: return strew_sort_with(large, 0, &(strew_sort_options){.descending = true}, &out[0], &out[1], report);
  case 6: return strew_topk_with(spread, 20, 0, &(strew_topk_options){.smallest = true}, &out[0], &out[1], report);
  case 7: return strew_unique(spread, &out[0], &out[1], &out[2], report);
  case 8: return strew_nonzero(large, TO);
  case 9: return strew_cumsum_with(large, 0, NULL, TO);
  case 10: return strew_reduce_with(STREW_FOLD_SUM, large, NULL, TO);
  case 11: return strew_reduce_with(STREW_FOLD_VAR, large, NULL, TO);
  case 12:
    return strew_reduce_with(STREW_FOLD_ARGMAX, table_src,
                             &(strew_reduce_options){.dim_count = 1, .dims = (const int64_t[]){0}}, TO);
  case 13: return strew_group_reduce(strew_by_ends(ends), STREW_GROUP_MAX, large, NULL, &out[0], &out[1], report);
  case 14: return strew_segment_reduce_with(large, lengths, NULL, 0, STREW_GROUP_MEAN, NULL, NULL, TO);
  case 15:
    return strew_group_reduce(strew_by_sorted(sorted), STREW_GROUP_MIN, table_src, NULL, &out[0], &out[1], report);
  case 16: return strew_gather_csr(table, ends, TO);
  case 17: return scatter_computed(places, large, spread);
  default: return strew_binary(STREW_REMAINDER, strew_of(large), number(3), TO);
  }
}
enum { LARGE_CALLS = 19 };

/* New results, and, if there is a target, in place. */
START_TEST(test_large) {
  start_large();
  exercise("large", call_large, _i, NULL);
  strew_tensor *target = _i == 0 || _i == 17                ? places
                         : _i == 1                          ? table
                         : _i >= LARGE_CALLS - 1 || _i == 9 ? large
                                                            : NULL;
  if (target) exercise("large in place", call_large, _i, target);
}
END_TEST

/* ------------------------------------------------------------------------------------------------------- suite */

static void share_tally(void) {
  tally = mmap(NULL, sizeof *tally, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

static void print_tally(void) {
  printf("%ld times %s failed in %ld calls, which succeeded anyway %ld times; the device was lost %ld times\n",
         tally->failures, trial_source->event, tally->trials, tally->done_without, tally->lost);
  munmap(tally, sizeof *tally);
}

/* On other devices dtypes with the same code path are tried once. */
void add_trials(TCase *all) {
  int dtypes = on_device() ? 1 : STREW_DTYPE_COUNT; /* float32 */
  tcase_add_unchecked_fixture(all, share_tally, print_tally);
  tcase_add_checked_fixture(all, begin, finish);
  tcase_add_loop_test(all, test_script, 0, SCRIPT_LENGTH);
  tcase_add_loop_test(all, test_unary, 0, STREW_UNARY_COUNT);
  tcase_add_loop_test(all, test_binary, 0, STREW_BINARY_COUNT);
  tcase_add_loop_test(all, test_folds, 0, STREW_FOLD_COUNT);
  tcase_add_loop_test(all, test_products, 0, STREW_DTYPE_COUNT);
  tcase_add_loop_test(all, test_linear_algebra, 0, FACTOR_CALLS);
  if (!on_device()) tcase_add_test(all, test_pool);
  tcase_add_loop_test(all, test_large, 0, LARGE_CALLS);
  tcase_add_loop_test(all, test_scatters, 0, dtypes * STREW_REDUCTION_COUNT);
  tcase_add_loop_test(all, test_groups, 0, dtypes * STREW_REDUCTION_COUNT);
}
