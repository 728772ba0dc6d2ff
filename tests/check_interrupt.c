/* check_interrupt.c: interrupted calls. An interruption arrives at the first, the second, the third ... check of a call
   for interruptions, and is cleared at once or stays (trials.h). A clock function counts the checks: a context with a
   deadline reads the clock at each of them. */
#define _GNU_SOURCE
#include "runtime/core/base/device.h"
#include "runtime/reduce/pieces.h"
#include "trials.h"

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static struct {
  atomic_long looks, interrupted;
  long failing;
  bool stays;
} stop;

static int64_t count_look(void) {
  long look = atomic_fetch_add(&stop.looks, 1) + 1;
  if (look == stop.failing) {
    atomic_fetch_add(&stop.interrupted, 1);
    strew_context_interrupt(context);
  } else if (look > stop.failing && !stop.stays) {
    atomic_fetch_and(&context->stop, ~STOP_INTERRUPTED); /* as another thread might do by mistake */
  }
  return 0;
}

static void limit_looks(long failing, bool stays) {
  strew_context_clear_interrupt(context);
  if (failing) atomic_store(&stop.interrupted, 0);
  atomic_store(&stop.looks, 0);
  stop.failing = failing;
  stop.stays = stays;
  context->now_ns = failing ? count_look : clock_ns;
  context->deadline_ns = INT64_MAX;
  atomic_store(&context->stop, failing ? STOP_TIMED : 0);
}

static long interrupted_looks(void) { return atomic_load(&stop.interrupted); }

static void check_interrupted(const char *what, strew_status status, bool is_told) {
  if (status != STREW_EINTERRUPTED) ck_abort_msg("%s: %s", what, strew_enum_name(STREW_WORDS_STATUS, status));
  if (is_told && !strstr(failure.message, ": interrupted!")) ck_abort_msg("%s: %s", what, failure.message);
}

static const struct source looks = {"look", limit_looks, interrupted_looks, check_interrupted, true, 4};

/* ------------------------------------------------------------------------------------------ interrupted by the host */

static strew_tensor *ones_of(int64_t count) {
  strew_tensor *made = NULL;
  ok(strew_full(device, STREW_FLOAT32, 1, &count, strew_int(1), &made, &failure));
  return made;
}

/* An interruption without a running call stops every computation until it is cleared; nothing is written. */
START_TEST(test_before_a_call) {
  strew_tensor *self = ones_of(5), *made = NULL, *part = NULL;
  strew_context_interrupt(context);
  for (int again = 0; again < 2; again++) {
    assert_fails(strew_unary(STREW_NEG, self, &made, &failure), STREW_EINTERRUPTED, NULL);
    ck_assert_ptr_null(made);
    strew_tensor *target = self;
    assert_fails(strew_fill(self, strew_int(3), &failure), STREW_EINTERRUPTED,
                 "fill: interrupted!\n  self  float32[5] cpu\n  hint  'self' may hold a part of the result");
    assert_fails(strew_cumsum_with(self, 0, NULL, &target, &failure), STREW_EINTERRUPTED, NULL);
  }
  assert_fails(strew_context_check(context, 0, &failure), STREW_EINTERRUPTED, "check: interrupted!");
  ok(strew_narrow(self, 0, 1, 2, &part, &failure)); /* views read nothing */
  strew_context_clear_interrupt(context);
  ok(strew_context_check(context, 0, &failure));
  assert_elements(self, STREW_FLOAT32, (float[]){1, 1, 1, 1, 1}, "interrupted");
  ok(strew_unary(STREW_NEG, self, &made, &failure));
  assert_elements(made, STREW_FLOAT32, (float[]){-1, -1, -1, -1, -1}, "cleared");
  strew_release(self), strew_release(made), strew_release(part);
}
END_TEST

/* An expired deadline stops every computation until the deadline is changed or removed. */
START_TEST(test_time) {
  strew_tensor *self = ones_of(5), *made = NULL;
  strew_context_limit_time(context, 1e-12);
  for (int again = 0; again < 2; again++)
    assert_fails(strew_unary(STREW_NEG, self, &made, &failure), STREW_ETIME,
                 "neg: time limit of 1e-12 s exceeded\n  self  float32[5] cpu");
  assert_fails(strew_context_check(context, 0, &failure), STREW_ETIME, NULL);
  strew_context_clear_interrupt(context); /* which has no deadline */
  assert_fails(strew_fill(self, strew_int(3), &failure), STREW_ETIME, NULL);
  ck_assert_double_eq(strew_context_time_limit(context), 1e-12);
  strew_context_limit_time(context, 1e300);
  ok(strew_unary(STREW_NEG, self, &made, &failure));
  strew_context_interrupt(context);
  assert_fails(strew_fill(self, strew_int(3), &failure), STREW_EINTERRUPTED, NULL);
  strew_context_clear_interrupt(context);
  strew_context_limit_time(context, 0);
  ok(strew_fill(self, strew_int(3), &failure));
  strew_release(self), strew_release(made);
}
END_TEST

/* Work that would end after the deadline is refused, and so is all that follows. */
START_TEST(test_time_ahead) {
  strew_tensor *self = ones_of(5);
  ok(strew_context_check(context, 1e300, &failure)); /* no deadline */
  strew_context_limit_time(context, 1000);
  ok(strew_context_check(context, 100, &failure));
  ok(strew_fill(self, strew_int(3), &failure));
  assert_fails(strew_context_check(context, 1001, &failure), STREW_ETIME, "check: time limit of 1000 s exceeded");
  assert_fails(strew_fill(self, strew_int(4), &failure), STREW_ETIME, NULL);
  strew_context_limit_time(context, 0);
  ok(strew_fill(self, strew_int(4), &failure));
  strew_release(self);
}
END_TEST

static void *interrupt(void *context_) {
  strew_context_interrupt(context_);
  return NULL;
}

static void on_alarm(int signal_number) {
  (void)signal_number;
  strew_context_interrupt(context);
}

/* Calls continue until the interruption. */
static strew_status sort_for_ever(strew_tensor *from) {
  strew_status status = STREW_OK;
  while (status == STREW_OK) {
    strew_tensor *values = NULL, *positions = NULL;
    status = strew_sort_with(from, 0, NULL, &values, &positions, &failure);
    strew_release(values), strew_release(positions);
  }
  return status;
}

START_TEST(test_by_a_thread) {
  pthread_t thread;
  strew_tensor *from = ones_of(1 << 20);
  ck_assert(!pthread_create(&thread, NULL, interrupt, context));
  ck_assert_int_eq(sort_for_ever(from), STREW_EINTERRUPTED);
  pthread_join(thread, NULL);
  strew_context_clear_interrupt(context);
  strew_release(from);
}
END_TEST

START_TEST(test_by_a_signal) {
  struct itimerval soon = {.it_value = {.tv_usec = 20000}};
  strew_tensor *from = ones_of(1 << 20);
  signal(SIGALRM, on_alarm);
  setitimer(ITIMER_REAL, &soon, NULL);
  ck_assert_int_eq(sort_for_ever(from), STREW_EINTERRUPTED);
  signal(SIGALRM, SIG_DFL);
  strew_context_clear_interrupt(context);
  strew_release(from);
}
END_TEST

/* --------------------------------------------------------------------------------------- number of interruption checks

   A call processes at most one chunk of elements between two checks, on one thread as on several. So a call on twice
   the elements makes as many more checks as these elements have chunks. */

enum { LONG = 1 << 20, SIDE = 900, CHUNKS = LONG / 2 >> 17 };
static int64_t length;
static strew_tensor *floats, *places, *counts, *matrix, *integers;

static void start_long(int64_t long_side, int64_t count) {
  const int64_t square[] = {long_side, long_side};
  length = count;
  floats = random_tensor(STREW_FLOAT32, 1, &count, CONTIGUOUS);
  places = random_integers(STREW_INT64, 1, &count, CONTIGUOUS, 0, 1000);
  counts = random_integers(STREW_INT64, 1, &count, STRIDED, 0, 9);
  matrix = random_tensor(STREW_FLOAT32, 2, square, CONTIGUOUS);
  integers = random_integers(STREW_INT32, 2, square, CONTIGUOUS, -9, 9);
}

static strew_status scatter(strew_reduction reduction, strew_tensor **out) {
  struct group_form options = {.dim_size = 1000, .reduction = reduction};
  return group_form(strew_by_index(places), floats, &options, out, NULL, &failure);
}

/* Floats of a row; all columns have one index: as few index values as possible. */
static strew_status scatter_columns(strew_tensor **out) {
  strew_tensor *row = NULL, *zero = NULL, *index = NULL;
  const int64_t wide[] = {1, length}, one[] = {1, 1};
  struct group_form options = {.dim_size = 1, .reduction = STREW_SUM};
  ok(strew_view(floats, 2, wide, &row, &failure));
  ok(strew_full(device, STREW_INT64, 2, one, strew_int(0), &zero, &failure));
  ok(strew_expand(zero, 2, wide, &index, &failure));
  strew_status status = group_form(strew_by_index(index), row, &options, out, NULL, &failure);
  strew_release(row), strew_release(zero), strew_release(index);
  return status;
}

/* A mean of rows: a count, a sum and a division. */
static strew_status mean_of_rows(strew_tensor **out) {
  enum { COLUMNS = 16 };
  strew_tensor *rows = NULL, *index = NULL;
  const int64_t tall[] = {length / COLUMNS, COLUMNS};
  struct group_form options = {.dim_size = 1000, .reduction = STREW_MEAN};
  ok(strew_view(floats, 2, tall, &rows, &failure));
  ok(strew_narrow(places, 0, 0, length / COLUMNS, &index, &failure));
  strew_status status = group_form(strew_by_index(index), rows, &options, out, NULL, &failure);
  strew_release(rows), strew_release(index);
  return status;
}

/* One segment with all floats. */
static strew_status reduce_segment(strew_reduction reduction, strew_tensor **out, strew_tensor **more) {
  strew_tensor *ends = tensor_from_integers(STREW_INT64, 2, (int64_t[]){0, length});
  strew_status status =
      strew_group_reduce(strew_by_ends(ends), group_reduction_of(reduction), floats, NULL, out, more, &failure);
  strew_release(ends);
  return status;
}

static strew_status transpose(strew_tensor **out) {
  strew_tensor *turned = NULL;
  ok(strew_t(matrix, &turned, &failure));
  strew_status status = strew_clone(turned, out, &failure);
  strew_release(turned);
  return status;
}

static strew_status long_call(int i, strew_tensor **out, strew_tensor **more) {
  static char host[LONG * sizeof(float)];
  strew_operand half = strew_number(strew_float(0.5));
  switch (i) {
  case 0: return strew_sort_with(floats, 0, NULL, out, more, &failure);
  case 1: return strew_topk_with(floats, 20, 0, NULL, out, more, &failure);
  case 2: return strew_sort_with(counts, 0, &(strew_sort_options){.descending = true}, out, more, &failure);
  case 3: return scatter(STREW_SUM, out);
  case 4: return scatter(STREW_AMAX, out);
  case 5: return scatter(STREW_MEAN, out);
  case 6: return scatter_columns(out);
  case 7: return strew_gather_with(floats, 0, places, NULL, out, &failure);
  case 8: return strew_cumsum_with(floats, 0, NULL, out, &failure);
  case 9: return strew_reduce_with(STREW_FOLD_SUM, floats, NULL, out, &failure);
  case 10: return strew_reduce_with(STREW_FOLD_VAR, floats, NULL, out, &failure);
  case 11: return strew_reduce_with(STREW_FOLD_ARGMAX, floats, NULL, out, &failure);
  case 12: return strew_unary(STREW_EXP, floats, out, &failure);
  case 13: return strew_binary(STREW_MUL, strew_of(counts), half, out, &failure);
  case 14: return strew_clone(floats, out, &failure);
  case 15: return strew_clone(counts, out, &failure);
  case 16: return strew_nonzero(floats, out, &failure);
  case 17: return strew_randn(device, STREW_FLOAT32, 1, &length, out, &failure);
  case 18: return strew_arange(device, STREW_INT64, strew_int(0), strew_int(length), strew_int(1), out, &failure);
  case 19: return strew_from(device, STREW_FLOAT32, 1, &length, host, out, &failure);
  case 20: return strew_read(floats, host, (size_t)length * sizeof(float), &failure);
  case 21: return strew_unique(places, out, NULL, NULL, &failure);
  case 22: return transpose(out);
  case 23: return mean_of_rows(out);
  case 24: return strew_cumprod(floats, 0, out, &failure);
  case 25: return reduce_segment(STREW_SUM, out, NULL);
  case 26: return reduce_segment(STREW_AMAX, out, more);
  default: return strew_matmul(STREW_MM, integers, integers, out, &failure);
  }
}
enum { LONG_CALLS = 28 };

/* Counts the looks of each call on one thread and on two. */
static void count_looks(int64_t long_side, int64_t count, long looked[LONG_CALLS][2]) {
  start_long(long_side, count);
  for (int i = 0; i < LONG_CALLS; i++)
    for (int t = 0; t < 2 && chosen(i, 4); t++) {
      strew_tensor *out = NULL, *more = NULL;
      use_threads(t + 1);
      limit_looks(LONG_MAX, false);
      ok(long_call(i, &out, &more));
      looked[i][t] = atomic_load(&stop.looks);
      limit_looks(0, false);
      strew_release(out), strew_release(more);
    }
  strew_release(floats), strew_release(places), strew_release(counts), strew_release(matrix), strew_release(integers);
}

/* On two threads chunks are shorter anyway. */
START_TEST(test_looks) {
  long half[LONG_CALLS][2] = {{0}}, whole[LONG_CALLS][2] = {{0}};
  count_looks(SIDE / 3 * 2, LONG / 2, half);
  count_looks(SIDE, LONG, whole);
  for (int i = 0; i < LONG_CALLS; i++)
    for (int t = 0; t < 2 && chosen(i, 4); t++)
      if ((t ? whole[i][t] : whole[i][t] - half[i][t]) < (t + 1) * CHUNKS)
        ck_abort_msg("call %d on %d threads: %ld checks, then %ld", i, t + 1, half[i][t], whole[i][t]);
}
END_TEST

/* A group with all elements, which are collected first: quantiles pass through them several times, and stop in each
   pass: a count of signs and, unless all are zero, two for the first digit. */
START_TEST(test_quantile_of_one_group) {
  const int64_t all = LONG;
  strew_tensor *values[2] = {NULL}, *ids = NULL, *starts = NULL, *out = NULL;
  strew_grouping *grouping = NULL;
  use_threads(1);
  ok(strew_rand(device, STREW_FLOAT32, 1, &all, &values[0], &failure));
  ok(strew_full(device, STREW_FLOAT32, 1, &all, strew_int(0), &values[1], &failure));
  ok(strew_to(values[1], device, STREW_INT64, &ids, &failure));
  ok(strew_grouping_create_with(ids, &(strew_grouping_options){.dim_size = &(int64_t){1}}, &grouping, &failure));
  ok(strew_grouping_starts(grouping, &starts, &failure)); /* which are kept */
  const strew_group_reduce_options low = {.q = 0.3};
  for (int i = 0; i < 2; i++) {
    limit_looks(LONG_MAX, false);
    ok(strew_group_reduce(strew_by_grouping(grouping), STREW_GROUP_QUANTILE, values[i], &low, &out, NULL, &failure));
    strew_release(out), out = NULL;
    const long looked = atomic_load(&stop.looks);
    ck_assert_int_ge(looked, (i ? 2 : 4) * 2 * CHUNKS);
    for (long failing = looked; failing > 0; failing--) {
      limit_looks(failing, true);
      const strew_status status =
          strew_group_reduce(strew_by_grouping(grouping), STREW_GROUP_QUANTILE, values[i], &low, &out, NULL, &failure);
      check_interrupted("quantile", status, true);
    }
    limit_looks(0, false);
  }
  strew_grouping_release(grouping);
  strew_release(values[0]), strew_release(values[1]), strew_release(ids), strew_release(starts);
}
END_TEST

/* A table of keys that is stopped, also while it grows, keeps its keys, and their numbers. */
START_TEST(test_keys) {
  const int64_t few = 1000;
  strew_key_table *table = NULL;
  strew_tensor *all = NULL, *some = NULL, *ids = NULL;
  use_threads(1);
  ok(strew_arange(device, STREW_INT64, strew_int(0), strew_int(LONG), strew_int(1), &all, &failure));
  ok(strew_narrow(all, 0, 0, few, &some, &failure));
  ok(strew_key_table_create(context, 1, &table, &failure));
  ok(strew_key_table_ids(table, &some, &ids, &failure));
  strew_release(ids), ids = NULL;
  strew_status status = STREW_EINTERRUPTED;
  for (long failing = 1; status != STREW_OK; failing = failing * 9 / 8 + 1) {
    limit_looks(failing, true);
    status = strew_key_table_ids(table, &all, &ids, &failure);
    limit_looks(0, false);
    if (status == STREW_OK) break;
    check_interrupted("keys", status, true);
    ck_assert_int_eq(strew_key_table_size(table), few);
    ok(strew_key_table_ids(table, &some, &ids, &failure));
    assert_same(ids, some, "numbers of the keys before");
    strew_release(ids), ids = NULL;
  }
  assert_same(ids, all, "numbers of all keys");
  strew_release(ids), strew_release(all), strew_release(some);
  strew_key_table_release(table);
}
END_TEST

/* Lists of words that meet are stopped at every block of words, and stay. */
START_TEST(test_words) {
  enum { COUNT = 20000, BLOCK = 4096, AT_ONCE = 32, WORD_BYTES = 16 };
  static char words[COUNT][WORD_BYTES];
  static const char *list[COUNT];
  const int64_t count = COUNT;
  strew_tensor *texts[3], *made = NULL, *ordered[2];
  use_threads(1);
  for (int t = 0; t < 3; t++) { /* the last has the words of the first, the other way round */
    for (int i = 0; i < COUNT; i++) {
      snprintf(words[i], WORD_BYTES, "%c%d", t == 1 ? 'b' : 'a', t == 2 ? COUNT - i : i + 1);
      list[i] = words[i];
    }
    ok(strew_text_from(device, 1, &count, list, NULL, &texts[t], &failure));
  }
  for (int other = 1; other < 3; other++) {
    strew_tensor *const pair[] = {texts[0], texts[other]};
    limit_looks(LONG_MAX, false);
    ok(strew_cat(2, pair, 0, &made, &failure));
    ck_assert_int_ge(atomic_load(&stop.looks), COUNT / BLOCK + (other == 1 ? COUNT / AT_ONCE : 0));
    strew_release(made), made = NULL;
    limit_looks(LONG_MAX, false);
    ok(strew_text_align(1, &pair[1], true, ordered, &failure));
    ck_assert_int_ge(atomic_load(&stop.looks), COUNT / BLOCK);
    strew_release(ordered[0]);
    strew_status status = STREW_EINTERRUPTED;
    for (long failing = 1; status != STREW_OK; failing = failing * 9 / 8 + 1) {
      limit_looks(failing, true);
      status = strew_cat(2, pair, 0, &made, &failure);
      limit_looks(0, false);
      if (status != STREW_OK) check_interrupted("words", status, true);
      ck_assert_int_eq(strew_word_count(pair[0]), COUNT);
      ck_assert_int_eq(strew_word_count(pair[1]), COUNT);
    }
    ck_assert_int_eq(strew_word_count(made), other == 1 ? 2 * COUNT : COUNT);
    strew_release(made), made = NULL;
  }
  for (int t = 0; t < 3; t++) strew_release(texts[t]);
}
END_TEST

/* Large products are made in bounded chunks. */
START_TEST(test_pieces_of_products) {
  const int64_t large[] = {1100, 1100};
  strew_tensor *a = random_integers(STREW_FLOAT32, 2, large, CONTIGUOUS, -3, 4), *whole = NULL, *pieces = NULL;
  strew_tensor *a64 = NULL;
  use_threads(1);
  ok(strew_to(a, device, STREW_INT32, &a64, &failure));
  ok(strew_matmul(STREW_MM, a64, a64, &whole, &failure)); /* small integers are exact in floats, too */
  limit_looks(LONG_MAX, false);
  ok(strew_matmul(STREW_MM, a, a, &pieces, &failure));
  ck_assert_int_ge(atomic_load(&stop.looks), 5);
  limit_looks(0, false);
  strew_tensor *expected = NULL;
  ok(strew_to(whole, device, STREW_FLOAT32, &expected, &failure));
  assert_same(pieces, expected, "1100 x 1100 in pieces");
  strew_release(a), strew_release(a64), strew_release(whole), strew_release(pieces), strew_release(expected);
}
END_TEST

/* Factorizations look at least once in 2^18 elements of rows, and in about as much of other work, whatever the sizes. */
START_TEST(test_factorizations) {
  const int64_t eight[] = {8, 8}, wide[] = {8, 1 << 20}, flat[] = {4, 1 << 20}, tall[] = {1 << 20, 3},
                square[] = {2100, 2100};
  strew_tensor *diagonal = NULL, *made[3] = {NULL};
  const struct {
    const int64_t *sizes;
    long looks; /* those of this order of steps; a loop without looks takes more than is left of them here */
  } rows[] = {{wide, 400},      {flat, 160},     {tall, 1210},    {tall, 1790},
              {square, 107000}, {square, 14900}, {square, 20200}, {square, 4200}};
  use_threads(1);
  ok(strew_full(device, STREW_FLOAT32, 2, eight, strew_int(0), &diagonal, &failure));
  for (int64_t i = 0; i < 8; i++) {
    strew_tensor *one = NULL;
    ok(strew_select(diagonal, 0, i, &one, &failure));
    ok(strew_set(one, 1, &i, strew_int(1), &failure));
    strew_release(one);
  }
  strew_tensor *a = random_integers(STREW_FLOAT32, 2, rows[_i].sizes, CONTIGUOUS, -9, 9);
  limit_looks(LONG_MAX, false);
  strew_status status = STREW_OK;
  switch (_i) {
  case 0: status = strew_solve(diagonal, a, &made[0], &failure); break;
  case 1: status = strew_qr(a, NULL, &made[0], &made[1], &failure); break;
  case 2: status = strew_qr(a, NULL, &made[0], &made[1], &failure); break;
  case 3: status = strew_svd(a, NULL, &made[0], &made[1], &made[2], &failure); break;
  case 4: status = strew_inv(a, &made[0], &failure); break;
  case 5: status = strew_det(a, &made[0], &failure); break;
  case 6: status = strew_qr(a, NULL, &made[0], &made[1], &failure); break;
  default: status = strew_cholesky(a, NULL, &made[0], &failure);
  }
  if (status != STREW_OK) ck_assert_int_eq(status, STREW_EVALUE);
  const long looked = atomic_load(&stop.looks);
  limit_looks(0, false);
  if (looked < rows[_i].looks) ck_abort_msg("call %d: %ld looks, expected %ld", _i, looked, rows[_i].looks);
  strew_release(a), strew_release(diagonal);
  for (int i = 0; i < 3; i++) strew_release(made[i]);
}
END_TEST

/* Makes a file with this text at a path that ends in XXXXXX and four more characters. */
static void make_file(char *path, const char *text) {
  const ssize_t size_bytes = (ssize_t)strlen(text);
  int descriptor = mkstemps(path, 4);
  ck_assert_int_ge(descriptor, 0);
  ck_assert_int_eq(write(descriptor, text, (size_t)size_bytes), size_bytes);
  close(descriptor);
}

/* Lines of .csv files are checked by number of cells; saved ones once for 2^15, which a thread writes in a millisecond. */
START_TEST(test_wide_lines) {
  const int64_t wide[] = {2, 1 << 15};
  char path[] = "/tmp/strew-check-XXXXXX.csv";
  make_file(path, "");
  strew_tensor *saved = random_integers(STREW_INT32, 2, wide, CONTIGUOUS, -9, 9);
  strew_table *loaded = NULL;
  limit_looks(LONG_MAX, false);
  ok(strew_save(saved, path, NULL, &failure));
  ck_assert_int_ge(atomic_load(&stop.looks), 2 * wide[1] >> 15);
  limit_looks(LONG_MAX, false);
  ok(strew_load(device, path, NULL, NULL, &loaded, &failure));
  ck_assert_int_ge(atomic_load(&stop.looks), 7 * wide[1] / 1024); /* two passes; names, columns and table */
  limit_looks(0, false);
  unlink(path);
  strew_table_release(loaded), strew_release(saved);
}
END_TEST

/* A fill by mask that is interrupted is not begun again in another way. */
START_TEST(test_filled_rows) {
  const int64_t count = 40000;
  strew_tensor *self = ones_of(count), *mask = NULL, *least = NULL;
  ok(strew_full(device, STREW_BOOL, 1, &count, strew_bool(true), &mask, &failure));
  for (long failing = 1;; failing++) {
    const bool stays = failing % 2;
    ok(strew_fill(self, strew_int(1), &failure));
    limit_looks(failing, stays);
    const strew_status status = strew_set_rows(self, mask, strew_number(strew_int(7)), &failure);
    const bool is_interrupted = interrupted_looks() > 0;
    limit_looks(0, false);
    if (!is_interrupted) break;
    if (status == STREW_OK && !stays) { /* another thread's look cleared it first, so the call is complete */
      strew_release(least), least = NULL;
      ok(strew_reduce_with(STREW_FOLD_AMIN, self, NULL, &least, &failure));
      assert_elements(least, STREW_FLOAT32, (float[]){7}, "cleared");
      continue;
    }
    check_interrupted("set_rows", status, true);
    ck_assert_ptr_nonnull(strstr(failure.message, "'self' may hold a part of the result"));
  }
  strew_release(self), strew_release(mask), strew_release(least);
}
END_TEST

/* Lines of missing values, which leave the names open, are read on, or the call fails. */
START_TEST(test_open_heads) {
  char path[] = "/tmp/strew-check-XXXXXX.csv";
  const char *text = "a,b\nnan,nan\nnan,nan\nnan,nan\n1,2\n3,4\n";
  make_file(path, text);
  const strew_load_options options = {.csv = &(const strew_csv_options){.rows = 2}};
  for (long failing = 1;; failing++) {
    strew_table *loaded = NULL;
    limit_looks(failing, false);
    const strew_status status = strew_load(device, path, &options, NULL, &loaded, &failure);
    const bool is_interrupted = interrupted_looks() > 0;
    limit_looks(0, false);
    if (status != STREW_OK) check_interrupted("heads", status, true);
    if (status == STREW_OK) ck_assert_str_eq(strew_table_name(loaded, 0), "a");
    strew_table_release(loaded);
    if (!is_interrupted) break;
  }
  unlink(path);
}
END_TEST

/* Each row of a picture is checked, in writing and in reading. */
START_TEST(test_rows_of_pictures) {
  const int64_t high[] = {3000, 1};
  char path[] = "/tmp/strew-check-XXXXXX.png";
  make_file(path, "");
  strew_tensor *saved = random_integers(STREW_UINT8, 2, high, CONTIGUOUS, 0, 9), *loaded = NULL;
  limit_looks(LONG_MAX, false);
  ok(strew_save(saved, path, NULL, &failure));
  ck_assert_int_ge(atomic_load(&stop.looks), high[0]);
  limit_looks(LONG_MAX, false);
  ok(strew_load(device, path, NULL, &loaded, NULL, &failure));
  ck_assert_int_ge(atomic_load(&stop.looks), high[0]);
  limit_looks(0, false);
  unlink(path);
  strew_release(loaded), strew_release(saved);
}
END_TEST

/* ------------------------------------------------------------------------------------------------- enqueued kernels

   Calls over views of any size, as scripts can create them: after the deadline, the kernels already enqueued end soon.
   If the device is a processor, the rest of their work is processor time of this process. */

enum { TALL = 1 << 20, ENDLESS_CALLS = 10 };
static strew_tensor *one, *zero, *window, *digits, *rows_of_seven, *five;

static strew_tensor *endless(strew_tensor *from, int64_t size) {
  strew_tensor *out = NULL;
  ok(strew_expand(from, 1, &size, &out, &failure));
  return out;
}

/* A view with TALL rows of as many elements, in the memory of two rows. */
static strew_tensor *overlapping(strew_tensor *from) {
  strew_tensor *out = NULL;
  ok(strew_as_strided(from, 2, (int64_t[]){TALL, TALL}, (int64_t[]){1, 1}, 0, &out, &failure));
  return out;
}

static void make_endless(void) {
  const int64_t single = 1, twice = 2 * TALL, tall[] = {TALL, 7}, few = 5;
  strew_tensor *values = NULL, *numbers = NULL;
  ok(strew_full(device, STREW_FLOAT32, 1, &single, strew_int(1), &one, &failure));
  ok(strew_full(device, STREW_INT64, 1, &single, strew_int(0), &zero, &failure));
  ok(strew_full(device, STREW_FLOAT32, 1, &few, strew_int(0), &five, &failure));
  ok(strew_full(device, STREW_FLOAT32, 2, tall, strew_int(0), &rows_of_seven, &failure));
  ok(strew_rand(device, STREW_FLOAT32, 1, &twice, &values, &failure));
  ok(strew_randint(device, STREW_INT64, 0, 7, 1, &twice, &numbers, &failure));
  window = overlapping(values), digits = overlapping(numbers);
  strew_release(values), strew_release(numbers);
}

static strew_status endless_call(int i) {
  const int64_t longest = (int64_t)1 << 36, of_topk = (int64_t)1 << 33, batches[] = {TALL, 1, TALL};
  strew_tensor *src = endless(one, i == 3 ? of_topk : longest), *index = endless(zero, longest);
  strew_tensor *out = NULL, *more = NULL, *vector = NULL;
  strew_scatter_options add = {.reduction = STREW_SUM}, largest = {.reduction = STREW_AMAX};
  struct group_form groups = {.dim = 1, .dim_size = -1, .reduction = STREW_SUM};
  strew_status status = STREW_OK;
  switch (i) {
  case 0: status = strew_reduce_with(STREW_FOLD_SUM, src, NULL, &out, &failure); break;
  case 1: status = strew_reduce_with(STREW_FOLD_ARGMAX, src, NULL, &out, &failure); break;
  case 2: status = strew_reduce_with(STREW_FOLD_VAR, src, NULL, &out, &failure); break;
  case 3: status = strew_topk_with(src, 3, 0, NULL, &out, &more, &failure); break;
  case 4: status = strew_scatter(five, 0, index, strew_of(src), &add, &five, &failure); break;
  case 5: status = strew_scatter(rows_of_seven, 1, digits, strew_of(window), &largest, &rows_of_seven, &failure); break;
  case 6: status = group_form(strew_by_index(digits), window, &groups, &out, NULL, &failure); break;
  case 7:
    ok(strew_select(window, 0, 0, &vector, &failure));
    ok(strew_expand(vector, 3, batches, &more, &failure));
    status = strew_matmul(STREW_MATMUL, more, vector, &out, &failure);
    break;
  case 8: /* finite, but slow for each element */
    ok(strew_narrow(window, 0, 0, 32, &more, &failure));
    status = strew_binary(STREW_POW, strew_of(more), strew_of(more), &out, &failure);
    break;
  default: status = strew_scatter(rows_of_seven, 1, digits, strew_number(strew_int(2)), &add, &rows_of_seven, &failure);
  }
  if (out != five && out != rows_of_seven) strew_release(out);
  strew_release(more), strew_release(vector), strew_release(src), strew_release(index);
  return status;
}

static double processor_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* (The first of two runs may spend its time compiling. A device with many processors may finish early.) */
START_TEST(test_endless_views) {
  const double enough = 8; /* of what takes hours; a busy machine makes the queue longer */
  float read[5];
  make_endless();
  for (int go = 0; go < 2; go++) {
    strew_context_limit_time(context, 0.3);
    strew_status status = endless_call(_i);
    strew_context_limit_time(context, 0);
    if (status != STREW_ETIME && status != STREW_OK)
      ck_abort_msg("call %d: %s, %s", _i, strew_enum_name(STREW_WORDS_STATUS, status), failure.message);
    double before = processor_seconds();
    ok(strew_read(five, read, sizeof read, &failure)); /* after all that is in the queue */
    double after = processor_seconds();
    if (after - before > enough) ck_abort_msg("call %d: the device still worked for %g s", _i, after - before);
  }
  strew_release(one), strew_release(zero), strew_release(five), strew_release(rows_of_seven);
  strew_release(window), strew_release(digits);
}
END_TEST

Suite *make_suite(void) {
  Suite *suite = suite_create("interrupt");
  test_allocator = counting_allocator;
  trial_source = &looks;
  TCase *all = new_case(suite, "interruptions");
  add_trials(all);
  if (on_device()) {
    TCase *left = new_case(suite, "enqueued kernels");
    tcase_add_loop_test(left, test_endless_views, 0, ENDLESS_CALLS);
    return suite;
  }
  TCase *words = new_case(suite, "interrupted by the host");
  tcase_add_test(words, test_before_a_call);
  tcase_add_test(words, test_time);
  tcase_add_test(words, test_time_ahead);
  tcase_add_test(words, test_by_a_thread);
  tcase_add_test(words, test_by_a_signal);
  TCase *often = new_case(suite, "number of checks");
  tcase_add_test(often, test_looks);
  tcase_add_test(often, test_quantile_of_one_group);
  tcase_add_test(often, test_keys);
  tcase_add_test(often, test_words);
  tcase_add_test(often, test_pieces_of_products);
  tcase_add_loop_test(often, test_factorizations, 0, 8);
  tcase_add_test(often, test_wide_lines);
  tcase_add_test(often, test_filled_rows);
  tcase_add_test(often, test_open_heads);
  tcase_add_test(often, test_rows_of_pictures);
  return suite;
}
