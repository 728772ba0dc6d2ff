/* check_chunks.c: files in chunks, and key tables: each function of the operating system fails in turn, on the thread
   that reads ahead, too; reads are short; each allocation fails, after which a call can be repeated; pipes are waited
   for and interrupted. Contents: chunks_spec.lua, keys_spec.lua. */
#define _GNU_SOURCE /* mkdtemp, preadv2 */
#include "system_faults.h"
#include "trials.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/* ------------------------------------------------------------------------------------------------------ test folder */

static char folder[64], path[256];
static const char *const names[] = {"t.csv", "t.csv.gz", "t.npy", "t.npy.gz", "t.npz"};
enum { CSV, CSV_GZIP, NUMPY, NUMPY_GZIP, ARCHIVE, KINDS, ROWS = 11 };

static void make_folder(void) {
  strcpy(folder, "/tmp/strew-check-XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(folder));
  system_faults.any_thread = true;
}

static void remove_folder(void) {
  char command[128];
  system_faults_limit(0, 0);
  system_faults.hiccups = false;
  snprintf(command, sizeof command, "rm -rf %s", folder);
  ck_assert_int_eq(system(command), 0);
}

static const char *in_folder(const char *name) {
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

/* A file of this kind, with ROWS rows of two numbers: 0, 1, 2, ... */
static const char *put_file(int kind) {
  strew_tensor *all = NULL, *pairs = NULL;
  strew_table *table = NULL;
  ok(strew_arange(device, STREW_INT64, strew_int(0), strew_int(2 * ROWS), strew_int(1), &all, &failure));
  ok(strew_reshape(all, 2, (int64_t[]){ROWS, 2}, &pairs, &failure));
  in_folder(names[kind]);
  if (kind == ARCHIVE) {
    ok(strew_table_create(context, &table, &failure));
    ok(strew_table_add(table, "first", all, &failure));
    ok(strew_table_add(table, "second", pairs, &failure));
    ok(strew_save_table(table, path, NULL, &failure));
  } else {
    ok(strew_save(pairs, path, NULL, &failure));
  }
  strew_table_release(table);
  strew_release(all), strew_release(pairs);
  return path;
}

static const strew_reader_options options = {.rows = 3, .member = NULL};
static strew_reader_options options_of(int kind) {
  strew_reader_options chosen = options;
  if (kind == ARCHIVE) chosen.member = "second";
  return chosen;
}

/* Checks the next chunk, which begins with row `row`; returns the number of its rows. */
static int64_t check_chunk(strew_tensor *tensor, strew_table *table, int64_t row) {
  int64_t rows = strew_tensor_sizes(table ? strew_table_tensor(table, 0) : tensor)[0];
  for (int64_t i = 0; i < rows; i++)
    for (int64_t k = 0; k < 2; k++) {
      strew_scalar element;
      ok(table ? strew_get(strew_table_tensor(table, k), 1, &i, &element, &failure)
               : strew_get(tensor, 2, (int64_t[]){i, k}, &element, &failure));
      ck_assert_int_eq(element.as.i, 2 * (row + i) + k);
    }
  return rows;
}

/* Reads all chunks; what was read before a failure is right. */
static strew_status read_all(const char *from, const strew_reader_options *chosen, int64_t *rows) {
  strew_reader *reader = NULL;
  strew_status status = strew_reader_open(device, from, chosen, &reader, &failure);
  for (*rows = 0; status == STREW_OK;) {
    strew_tensor *tensor = NULL;
    strew_table *table = NULL;
    status = strew_reader_next(reader, &tensor, &table, &failure);
    if (status != STREW_OK) ck_assert(!tensor && !table);
    if (!tensor && !table) break;
    long failing = system_faults.failing;
    system_faults.failing = 0;
    *rows += check_chunk(tensor, table, *rows);
    system_faults.failing = failing;
    strew_release(tensor);
    strew_table_release(table);
  }
  strew_reader_close(reader);
  return status;
}

/* Reads all chunks of a file of this kind, or, from ARCHIVE on, of a pipe: they are read ahead by a thread. */
static strew_status read_kind(int i, int64_t *rows) {
  static char bytes[4096];
  int kind = i % KINDS;
  strew_reader_options chosen = options_of(kind);
  strew_load_options load = {.format = names[kind] + 2};
  if (i < KINDS) return read_all(path, &chosen, rows);
  chosen.load = &load;
  FILE *file = fopen(path, "rb");
  size_t length = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  char pipe[128];
  snprintf(pipe, sizeof pipe, "%s/pipe", folder);
  if (mkfifo(pipe, 0600)) ck_assert_int_eq(errno, EEXIST);
  long failing = system_faults.failing;
  bool has_hiccups = system_faults.hiccups;
  system_faults.failing = system_faults.hiccups = 0;
  int held = open(pipe, O_RDONLY | O_NONBLOCK), to = open(pipe, O_WRONLY);
  ck_assert_int_eq(write(to, bytes, length), (ssize_t)length);
  close(to);
  system_faults_limit(failing, EIO);
  system_faults.hiccups = has_hiccups;
  strew_status status = read_all(pipe, &chosen, rows);
  failing = system_faults.failing;
  system_faults.failing = system_faults.hiccups = 0;
  close(held);
  system_faults.failing = failing;
  return status;
}
enum { SOURCES = KINDS + ARCHIVE }; /* files, and pipes of all kinds but archives */

/* -------------------------------------------------------------------------------------------------------- failures */

START_TEST(test_hiccups) {
  int64_t rows;
  put_file(_i % KINDS);
  system_faults.hiccups = true;
  ok(read_kind(_i, &rows));
  ck_assert_int_eq(rows, ROWS);
}
END_TEST

/* Closing, and the look whether the file was changed, may fail unnoticed. */
START_TEST(test_system_fails) {
  long failing = 0, failed = 0;
  put_file(_i % KINDS);
  for (bool is_limited = true; is_limited;) {
    int64_t rows;
    system_faults_limit(++failing, EIO);
    strew_status status = read_kind(_i, &rows);
    is_limited = system_faults.failed > 0;
    system_faults_limit(0, 0);
    ck_assert(status == STREW_OK || (is_limited && status == STREW_EFILE));
    if (status == STREW_OK) ck_assert_int_eq(rows, ROWS);
    if (status != STREW_OK) ck_assert_ptr_nonnull(strstr(failure.message, ": Input/output error"));
    failed += status != STREW_OK;
  }
  ck_assert_int_ge(failed, 3);
}
END_TEST

/* Calls until one has no failing allocation; every failure is of memory, and leaves the reader as it was. */
START_TEST(test_memory_fails) {
  strew_reader_options chosen = options_of(_i);
  put_file(_i);
  size_t blocks = blocks_in_use();
  strew_reader *reader = NULL;
  bool is_limited = true;
  for (long failing = 1; is_limited; failing++) {
    allocations.limit(failing, true);
    strew_status status = strew_reader_open(device, path, &chosen, &reader, &failure);
    is_limited = allocations.failed() > 0;
    allocations.limit(0, false);
    ck_assert_int_eq(status, is_limited ? STREW_EMEMORY : STREW_OK);
    if (is_limited) ck_assert_uint_eq(blocks_in_use(), blocks);
  }
  int64_t rows = 0;
  for (bool is_end = false; !is_end;) {
    strew_tensor *tensor = NULL;
    strew_table *table = NULL;
    is_limited = true;
    for (long failing = 1; is_limited; failing++) {
      empty_context();
      allocations.limit(failing, true);
      strew_status status = strew_reader_next(reader, &tensor, &table, &failure);
      is_limited = allocations.failed() > 0;
      allocations.limit(0, false);
      ck_assert_int_eq(status, is_limited ? STREW_EMEMORY : STREW_OK);
      ck_assert(!is_limited || (!tensor && !table));
    }
    is_end = !tensor && !table;
    if (!is_end) rows += check_chunk(tensor, table, rows);
    strew_release(tensor);
    strew_table_release(table);
  }
  ck_assert_int_eq(rows, ROWS);
  strew_reader_close(reader);
  ck_assert_uint_eq(blocks_in_use(), blocks);
}
END_TEST

/* ----------------------------------------------------------------------------------------------------------- pipes */

static void interrupt(void) { strew_context_interrupt(context); }

/* A pipe that no process opens for writing, and one whose writer writes nothing, or a part of a line. */
START_TEST(test_waiting) {
  strew_load_options load = {.format = "csv"};
  strew_reader_options chosen = {.rows = 1, .load = &load};
  strew_reader *reader = NULL;
  strew_tensor *tensor = NULL;
  strew_table *table = NULL;
  const char *pipe = in_folder("pipe");
  ck_assert_int_eq(mkfifo(pipe, 0600), 0);
  for (int turn = 0; turn < 2; turn++) {
    int both = turn ? open(pipe, O_RDWR) : -1;
    system_faults_limit(0, 0);
    system_faults.on_call = 6;
    system_faults.then = interrupt;
    assert_fails(strew_reader_open(device, pipe, &chosen, &reader, &failure), STREW_EINTERRUPTED, NULL);
    system_faults.on_call = 0;
    strew_context_clear_interrupt(context);
    strew_context_limit_time(context, 0.2);
    assert_fails(strew_reader_open(device, pipe, &chosen, &reader, &failure), STREW_ETIME, NULL);
    strew_context_limit_time(context, 0);
    if (turn) close(both);
  }
  int both = open(pipe, O_RDWR);
  ck_assert_int_eq(write(both, "1,2\n3,4\n5,", 10), 10);
  ok(strew_reader_open(device, pipe, &chosen, &reader, &failure));
  for (int i = 0; i < 2; i++) {
    ok(strew_reader_next(reader, &tensor, &table, &failure));
    strew_table_release(table);
    table = NULL;
  }
  strew_context_limit_time(context, 0.2);
  assert_fails(strew_reader_next(reader, &tensor, &table, &failure), STREW_ETIME, NULL);
  strew_context_limit_time(context, 0);
  assert_fails(strew_reader_next(reader, &tensor, &table, &failure), STREW_ETIME, NULL); /* bytes may be lost */
  strew_reader_close(reader);
  close(both);
  ck_assert(!tensor && !table);
}
END_TEST

enum { PIPE, FIXED_PIPE, SOCKET, OLD_PIPE, INPUTS };

/* Standard input becomes a pipe or a socket with these bytes; returns the other end. */
static int put_input(int kind, const char *text) {
  int ends[2];
  ck_assert_int_eq(kind == SOCKET ? socketpair(AF_UNIX, SOCK_STREAM, 0, ends) : pipe(ends), 0);
  ck_assert_int_eq(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
  close(ends[0]);
  ck_assert_int_eq(write(ends[1], text, strlen(text)), (ssize_t)strlen(text));
  return ends[1];
}

/* As another process does that shares standard input. */
static void take_input(void) {
  char bytes[64];
  struct iovec piece = {bytes, sizeof bytes};
  system_faults.ready = NULL;
  ck_assert_int_gt(readv(STDIN_FILENO, &piece, 1), 0);
}

static bool has_nowait(void) {
  char byte;
  struct iovec piece = {&byte, 1};
  int ends[2];
  ck_assert_int_eq(pipe(ends), 0);
  bool result = preadv2(ends[0], &piece, 1, -1, RWF_NOWAIT) < 0 && errno == EAGAIN;
  close(ends[0]), close(ends[1]);
  return result;
}

static void interrupt_at_signal(int number) {
  (void)number;
  interrupt();
}

/* Signals from now on, so that one comes while a call blocks. */
static void signal_often(bool is_on) {
  const struct sigaction action = {.sa_handler = interrupt_at_signal};
  const struct itimerval often = {{0, 100000}, {0, 100000}}, never = {{0, 0}, {0, 0}};
  ck_assert_int_eq(sigaction(SIGALRM, &action, NULL), 0);
  ck_assert_int_eq(setitimer(ITIMER_REAL, is_on ? &often : &never, NULL), 0);
}

static strew_status read_input(bool in_chunks) {
  strew_load_options load = {.format = "csv"};
  strew_reader_options chosen = {.rows = 1, .load = &load};
  strew_reader *reader = NULL;
  strew_table *table = NULL;
  strew_tensor *tensor = NULL;
  strew_status status = in_chunks ? strew_reader_open(device, "-", &chosen, &reader, &failure)
                                  : strew_load(device, "-", &load, NULL, &table, &failure);
  if (in_chunks && status == STREW_OK) status = strew_reader_next(reader, &tensor, &table, &failure);
  if (status == STREW_OK) ck_assert_int_eq(check_chunk(NULL, table, 0), 1);
  strew_table_release(table);
  strew_reader_close(reader);
  return status;
}

/* Reads a line of standard input, which another process may take between poll and read. */
static strew_status read_line(int kind, bool in_chunks, bool is_taken) {
  enum { NUMBER_OF_OPEN = 2 };
  int to = put_input(kind, "0,1\n"), flags = fcntl(STDIN_FILENO, F_GETFL);
  bool is_old = kind == OLD_PIPE;
  if (!is_taken) close(to);
  if (is_taken && is_old) signal_often(true);
  if (is_taken && !is_old) strew_context_limit_time(context, 0.2);
  system_faults.lacks_nowait = is_old;
  system_faults.ready = is_taken ? take_input : NULL;
  system_faults_limit(kind == FIXED_PIPE || is_old ? NUMBER_OF_OPEN : 0, EACCES);
  strew_status status = read_input(in_chunks);
  system_faults_limit(0, 0);
  ck_assert(!system_faults.ready);
  system_faults.lacks_nowait = false;
  signal_often(false);
  strew_context_limit_time(context, 0);
  strew_context_clear_interrupt(context);
  ck_assert_int_eq(fcntl(STDIN_FILENO, F_GETFL), flags);
  if (is_taken) close(to);
  return status;
}

/* Returns the number of open descriptors of standard input's file. (A driver's threads open and close others.) */
static int count_inputs(void) {
  enum { MOST = 1024 };
  struct stat input, other;
  int count = 0;
  ck_assert_int_eq(fstat(STDIN_FILENO, &input), 0);
  for (int i = 0; i < MOST; i++)
    count += fstat(i, &other) == 0 && other.st_dev == input.st_dev && other.st_ino == input.st_ino;
  return count;
}

/* If the bytes are taken, a limit of time ends the waiting, or a signal where the system has no way to read without
   waiting. A fixed pipe cannot be opened again; an old one's system has no RWF_NOWAIT either. */
START_TEST(test_shared_input) {
  int kind = _i / 2, before = dup(STDIN_FILENO);
  bool in_chunks = _i % 2;
  if (kind == FIXED_PIPE && !has_nowait()) {
    printf("chunks: a pipe that cannot be opened again is left out: this system's pipes have no RWF_NOWAIT\n");
    kind = OLD_PIPE;
  }
  ck_assert_int_eq(read_line(kind, in_chunks, true), kind == OLD_PIPE ? STREW_EINTERRUPTED : STREW_ETIME);
  ok(read_line(kind, in_chunks, false));
  ck_assert_int_eq(count_inputs(), 1);
  dup2(before, STDIN_FILENO);
  close(before);
}
END_TEST

/* ------------------------------------------------------------------------------------------------- words, processes */

/* The texts of chunks outlive the reader; later ones have the words of earlier ones, with the same codes, and not the
   other way round. A word that a call adds to an earlier text is not in the way. */
START_TEST(test_words) {
  static const char text[] = "w\na\nb\nc\n";
  strew_load_options load = {.header = STREW_HEADER_YES};
  strew_reader_options chosen = {.rows = 2, .load = &load};
  strew_reader *reader = NULL;
  strew_tensor *tensor = NULL, *other, *both[2];
  strew_table *first = NULL, *second = NULL;
  FILE *file = fopen(in_folder("w.csv"), "wb");
  fwrite(text, 1, sizeof text - 1, file);
  fclose(file);
  ok(strew_reader_open(device, path, &chosen, &reader, &failure));
  ok(strew_reader_next(reader, &tensor, &first, &failure));
  const strew_tensor *ab = strew_table_tensor(first, 0);
  ck_assert_int_eq(strew_tensor_dtype(ab), STREW_TEXT);
  ck_assert_int_eq(strew_word_count(ab), 2);
  const char *const z = "z";
  ok(strew_text_from(device, 0, NULL, &z, NULL, &other, &failure));
  ok(strew_text_align(2, (strew_tensor *[]){strew_table_tensor(first, 0), other}, false, both, &failure));
  ok(strew_reader_next(reader, &tensor, &second, &failure));
  strew_reader_close(reader);
  const strew_tensor *c = strew_table_tensor(second, 0);
  ck_assert(strew_word_count(ab) == 2 && strew_word_code(ab, "c", 1) == -1 && strew_word_code(ab, "z", 1) == -1);
  ck_assert(strew_word_code(c, "a", 1) == 0 && strew_word_code(c, "b", 1) == 1 && strew_word_code(c, "c", 1) >= 2);
  ck_assert(strew_word_code(both[1], "z", 1) == 2 && strew_word_count(both[1]) == 3);
  strew_table_release(first), strew_table_release(second);
  strew_release(other), strew_release(both[0]), strew_release(both[1]);
  ck_assert_ptr_null(tensor);
}
END_TEST

START_TEST(test_fork) {
  strew_reader *reader = NULL;
  strew_tensor *tensor = NULL;
  strew_table *table = NULL;
  in_folder("pipe");
  ck_assert_int_eq(mkfifo(path, 0600), 0);
  strew_load_options load = {.format = "csv"};
  strew_reader_options chosen = {.rows = 1, .load = &load};
  int both = open(path, O_RDWR);
  ck_assert_int_eq(write(both, "1\n2\n3\n", 6), 6);
  ok(strew_reader_open(device, path, &chosen, &reader, &failure));
  pid_t child = fork();
  if (!child) {
    strew_status status = STREW_OK;
    for (int i = 0; i < 9 && status == STREW_OK; i++) status = strew_reader_next(reader, &tensor, &table, &failure);
    strew_reader_close(reader);
    _exit(status == STREW_OK || status == STREW_EFILE ? 0 : 1);
  }
  int state;
  ck_assert_int_eq(waitpid(child, &state, 0), child);
  ck_assert(WIFEXITED(state) && WEXITSTATUS(state) == 0);
  strew_reader_close(reader);
  close(both);
}
END_TEST

/* ------------------------------------------------------------------------------------------------------ key tables */

/* A failed call adds no key. */
START_TEST(test_keys_fail) {
  strew_key_table *table = NULL;
  strew_tensor *some = NULL, *all = NULL, *ids = NULL;
  strew_tensor *keys[2];
  ok(strew_arange(device, STREW_INT64, strew_int(0), strew_int(3000), strew_int(1), &all, &failure));
  ok(strew_narrow(all, 0, 0, 100, &some, &failure));
  ok(strew_key_table_create(context, 2, &table, &failure));
  keys[0] = keys[1] = some;
  ok(strew_key_table_ids(table, keys, &ids, &failure));
  strew_release(ids);
  ids = NULL;
  keys[0] = keys[1] = all;
  strew_context_interrupt(context);
  assert_fails(strew_key_table_ids(table, keys, &ids, &failure), STREW_EINTERRUPTED, NULL);
  strew_context_clear_interrupt(context);
  bool is_limited = true;
  for (long failing = 1; is_limited; failing++) {
    ck_assert_int_eq(strew_key_table_size(table), 100);
    empty_context();
    allocations.limit(failing, true);
    strew_status status = strew_key_table_ids(table, keys, &ids, &failure);
    is_limited = allocations.failed() > 0;
    allocations.limit(0, false);
    ck_assert_int_eq(status, is_limited ? STREW_EMEMORY : STREW_OK);
  }
  assert_same(ids, all, "ids");
  strew_release(ids);
  strew_release(some), strew_release(all);
  strew_key_table_release(table);
  strew_key_table_release(NULL);
}
END_TEST

/* Key i of the keys that differ in their high bits, their low bits, or by multiples of large powers of 2 or of the
   hash's factor; that a hash without a seed puts into one slot; that are equal. */
static uint64_t many_key(int kind, uint64_t i) {
  switch (kind) {
  case 0: return colliding_key(i);
  case 1: return i * UINT64_C(0x9e3779b97f4a7c15);
  case 2: return 7;
  default: return i << 11 * (kind - 3);
  }
}
enum { KEY_KINDS = 8 };

/* Linear time, or this test takes longer than its limit. The second of two columns is the first one backwards. */
START_TEST(test_many_keys) {
  enum { MANY = 1 << 19 };
  const int kind = _i % KEY_KINDS, columns = 1 + _i / KEY_KINDS;
  const int64_t many = MANY;
  static uint64_t values[2][MANY];
  strew_key_table *table = NULL;
  strew_tensor *keys[2] = {NULL, NULL}, *expected = NULL, *ids = NULL;
  if (!chosen(_i, 2)) return;
  for (int i = 0; i < MANY; i++) values[0][i] = values[1][MANY - 1 - i] = many_key(kind, (uint64_t)i);
  for (int c = 0; c < columns; c++) ok(strew_from(device, STREW_INT64, 1, &many, values[c], &keys[c], &failure));
  ok(strew_arange(device, STREW_INT64, strew_int(0), strew_int(MANY), strew_int(1), &expected, &failure));
  if (kind == 2) ok(strew_fill(expected, strew_int(0), &failure));
  ok(strew_key_table_create(context, columns, &table, &failure));
  ok(strew_key_table_ids(table, keys, &ids, &failure));
  assert_same(ids, expected, "ids");
  ck_assert_int_eq(strew_key_table_size(table), kind == 2 ? 1 : MANY);
  strew_release(keys[0]), strew_release(keys[1]), strew_release(expected), strew_release(ids);
  strew_key_table_release(table);
}
END_TEST

Suite *make_suite(void) {
  Suite *suite = suite_create("chunks");
  if (!on_device()) test_allocator = counting_allocator; /* drivers allocate memory on threads of their own */
  TCase *all = new_case(suite, "chunks");
  tcase_add_checked_fixture(all, make_folder, remove_folder);
  tcase_add_loop_test(all, test_hiccups, 0, SOURCES);
  tcase_add_loop_test(all, test_system_fails, 0, SOURCES);
  if (!on_device()) tcase_add_loop_test(all, test_memory_fails, 0, KINDS);
  tcase_add_test(all, test_waiting);
  tcase_add_loop_test(all, test_shared_input, 0, 2 * INPUTS);
  tcase_add_test(all, test_words);
  if (!follows_forks())
    printf("chunks: fork is left out: ThreadSanitizer reports the parent's thread in a child\n");
  else if (!on_device())
    tcase_add_test(all, test_fork);
  if (!on_device()) tcase_add_test(all, test_keys_fail);
  if (!on_device()) tcase_add_loop_test(all, test_many_keys, 0, 2 * KEY_KINDS);
  return suite;
}
