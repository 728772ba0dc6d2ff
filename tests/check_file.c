/* check_file.c: files: every dtype and layout is saved and loaded. Each function of the operating system that file.c
   calls fails in turn (system_faults.h), reads and writes are short, the disk is full, and targets are links, folders,
   pipes or files of other users; pipes are read, too. File contents and NumPy: file_spec.lua. */
#define _GNU_SOURCE /* unshare */
#include "system_faults.h"
#include "trials.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ------------------------------------------------------------------------------------------------------ test folder */

static char folder[64];

static void make_folder(void) {
  strcpy(folder, "/tmp/strew-check-XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(folder));
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *walk) {
  (void)about, (void)kind, (void)walk;
  return remove(path);
}

static void remove_folder(void) {
  system_faults_limit(0, 0);
  system_faults.hiccups = false;
  nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Returns a path in the test folder; valid for the next four calls. */
static const char *in_folder(const char *name) {
  static char paths[4][256];
  static int next;
  char *path = paths[next++ % 4];
  snprintf(path, sizeof *paths, "%s/%s", folder, name);
  return path;
}

static int count_files(void) {
  DIR *entries = opendir(folder);
  int count = 0;
  for (struct dirent *entry; (entry = readdir(entries));) count += entry->d_name[0] != '.' || entry->d_name[1] == 's';
  closedir(entries);
  return count;
}

static void put_bytes(const char *path, const void *bytes, size_t size_bytes) {
  FILE *file = fopen(path, "wb");
  ck_assert_ptr_nonnull(file);
  ck_assert_uint_eq(fwrite(bytes, 1, size_bytes, file), size_bytes);
  ck_assert_int_eq(fclose(file), 0);
}

/* The file holds exactly this text. */
static void assert_text(const char *path, const char *text) {
  char is[4096];
  FILE *file = fopen(path, "rb");
  ck_assert_msg(file != NULL, "%s is gone", path);
  size_t length = fread(is, 1, sizeof is - 1, file);
  is[length] = '\0';
  fclose(file);
  ck_assert_str_eq(is, text);
}

/* The call fails with "'path' is "PATH", which " + this. */
#define assert_refused(call, path, text)                                                                               \
  do {                                                                                                                 \
    clear_failure();                                                                                                   \
    check_refusal(#call, (call), (path), (text));                                                                      \
  } while (0)
static void check_refusal(const char *what, strew_status status, const char *path, const char *text) {
  char expected[512];
  ck_assert_msg(status == STREW_EFILE, "%s gave status %s: %s", what, strew_enum_name(STREW_WORDS_STATUS, status),
                failure.message);
  snprintf(expected, sizeof expected, ": 'path' is \"%s\", which %s", path, text);
  ck_assert_msg(strstr(failure.message, expected) != NULL, "%s failed with\n%s\nexpected\n%s", what, failure.message,
                expected);
}

/* ---------------------------------------------------------------------------------------------------------- formats */

enum {
  NUMPY,
  ARCHIVE,
  DEFLATED,
  NUMPY_GZIP,
  CSV,
  CSV_GZIP,
  PNG,
  SAFETENSORS,
  KINDS,
  NUMPY_KINDS = CSV,
  MAPPED = KINDS, /* loading */
  MAPPED_SAFETENSORS,
  LOADED
};
static const char *const names[LOADED] = {"t.npy",    "t.npz", "t.npz",         "t.npy.gz", "t.csv",
                                          "t.csv.gz", "t.png", "t.safetensors", "t.npy",    "t.safetensors"};
static bool is_table(int kind) {
  return kind == ARCHIVE || kind == DEFLATED || kind == SAFETENSORS || kind == MAPPED_SAFETENSORS;
}
static bool is_csv(int kind) { return kind == CSV || kind == CSV_GZIP; }

static strew_dtype saved_dtype; /* dtype of the last column: a .csv file does not record it */

/* A tensor that a file of this format can hold. */
static strew_tensor *random_content(int kind, strew_dtype dtype, const int64_t *sizes, enum layout layout) {
  return random_tensor(kind == PNG ? STREW_UINT8 : dtype, 2, sizes, layout);
}

static strew_status save_as(int kind, strew_tensor *tensor, const char *path) {
  strew_table *table = NULL;
  strew_save_options options = {.compress = kind == DEFLATED};
  saved_dtype = strew_tensor_dtype(tensor);
  if (!is_table(kind)) return strew_save(tensor, path, NULL, &failure);
  strew_status status = strew_table_create(context, &table, &failure);
  if (status == STREW_OK) status = strew_table_add(table, "first", tensor, &failure);
  if (status == STREW_OK) status = strew_table_add(table, "second", tensor, &failure);
  if (status == STREW_OK) status = strew_save_table(table, path, &options, &failure);
  strew_table_release(table);
  return status;
}

/* The columns of a .csv file, concatenated. */
static strew_status load_columns(const char *path, strew_tensor **out) {
  strew_load_options options = {.dtype = &saved_dtype};
  strew_tensor *columns[100];
  strew_table *table = NULL;
  strew_status status = strew_load(device, path, &options, NULL, &table, &failure);
  if (status != STREW_OK) return status;
  int64_t count = strew_table_count(table);
  ck_assert_int_le(count, 100);
  for (int64_t i = 0; i < count; i++) columns[i] = strew_table_tensor(table, i);
  status = strew_stack(count, columns, 1, out, &failure);
  strew_table_release(table);
  return status;
}

static strew_status load_as(int kind, const char *path, strew_tensor **out) {
  const bool is_little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__; /* as .safetensors */
  strew_load_options options = {.map = kind == MAPPED || (kind == MAPPED_SAFETENSORS && is_little)};
  strew_table *table = NULL;
  *out = NULL;
  if (is_csv(kind)) return load_columns(path, out);
  strew_status status =
      strew_load(device, path, &options, is_table(kind) ? NULL : out, is_table(kind) ? &table : NULL, &failure);
  if (is_table(kind) && status == STREW_OK) *out = strew_retain(strew_table_find(table, "second"));
  strew_table_release(table);
  return status;
}

START_TEST(test_every_dtype) {
  strew_dtype dtype = (strew_dtype)_i;
  if (lacks(dtype)) return;
  static const int64_t shapes[][4] = {{3, 1, 5, 2}, {7, 300, 1, 1}, {2, 0, 3, 1}, {1, 1, 1, 1}};
  enum { KINDS_HERE = NUMPY_KINDS + 1 };
  for (int i = 0; i < 4 * 5 * LAYOUT_COUNT * KINDS_HERE; i++) {
    int kind = i % KINDS_HERE < NUMPY_KINDS ? i % KINDS_HERE : SAFETENSORS, layout = i / KINDS_HERE % LAYOUT_COUNT,
        rank = i / KINDS_HERE / LAYOUT_COUNT % 5;
    if ((dtype == STREW_BFLOAT16 && kind != SAFETENSORS) || !chosen(997 * _i + i, 2)) continue;
    const int64_t *sizes = shapes[i / KINDS_HERE / LAYOUT_COUNT / 5];
    strew_tensor *saved = random_tensor(dtype, rank, sizes, (enum layout)layout), *loaded;
    ok(save_as(kind, saved, in_folder(names[kind])));
    ok(load_as(kind, in_folder(names[kind]), &loaded));
    assert_same(saved, loaded, names[kind]);
    strew_release(saved), strew_release(loaded);
    unlink(in_folder(names[kind])); /* replacing a file waits for the disk */
  }
}
END_TEST

START_TEST(test_more_than_a_piece) {
  const int64_t count = 1200007; /* 4.8 MB, more than a device reads at once */
  strew_tensor *saved = NULL, *loaded;
  ok(strew_arange(device, STREW_INT32, strew_int(0), strew_int(count), strew_int(1), &saved, &failure));
  for (int kind = 0; kind < KINDS; kind++) {
    if (kind == DEFLATED || is_csv(kind) || kind == PNG) continue;
    ok(save_as(kind, saved, in_folder(names[kind])));
    ok(load_as(kind, in_folder(names[kind]), &loaded));
    assert_same(saved, loaded, names[kind]);
    strew_release(loaded);
  }
  strew_release(saved);
}
END_TEST

/* --------------------------------------------------------------------------------- failures of the operating system */

START_TEST(test_hiccups) {
  const int64_t sizes[] = {50, 60};
  system_faults.hiccups = true;
  system_faults.syncs = 0;
  for (int kind = 0; kind < KINDS; kind++) {
    strew_tensor *saved = random_content(kind, STREW_INT32, sizes, PERMUTED), *loaded;
    ok(save_as(kind, saved, in_folder(names[kind])));
    ok(load_as(kind, in_folder(names[kind]), &loaded));
    assert_same(saved, loaded, names[kind]);
    strew_release(saved), strew_release(loaded);
  }
  ck_assert_int_eq(system_faults.syncs, 2); /* of the archive that was replaced */
}
END_TEST

/* The old file is unchanged until the new one is complete, and nothing else is left in the folder. */
START_TEST(test_saving_fails) {
  int kind = _i % KINDS;
  bool replaces = _i / KINDS;
  const char *path = in_folder(names[kind]);
  const int64_t sizes[] = {5, 6};
  strew_tensor *saved = random_content(kind, STREW_FLOAT32, sizes, STRIDED), *loaded;
  long failing = 0;
  for (bool is_limited = true; is_limited;) {
    if (replaces) put_bytes(path, "old", 3);
    system_faults_limit(++failing, ENOSPC);
    strew_status status = save_as(kind, saved, path);
    /* The last call releases the lock of the draft after the file was renamed. */
    is_limited = system_faults.failed > 0 && (status != STREW_OK || system_faults.calls > failing);
    system_faults_limit(0, 0);
    ck_assert_int_eq(status, is_limited ? STREW_EFILE : STREW_OK);
    ck_assert_int_eq(count_files(), replaces || !is_limited);
    if (!is_limited) break;
    ck_assert_msg(strstr(failure.message, ": No space left on device\n") || strchr(failure.message, '\n') == NULL, "%s",
                  failure.message);
    if (replaces) assert_text(path, "old");
  }
  ck_assert_int_gt(failing, replaces ? 7 : 5);
  ok(load_as(kind, path, &loaded));
  assert_same(saved, loaded, path);
  strew_release(saved), strew_release(loaded);
}
END_TEST

START_TEST(test_loading_fails) {
  int kind = _i;
  const char *path = in_folder(names[kind]);
  const int64_t sizes[] = {5, 6};
  strew_tensor *saved = random_content(kind, STREW_INT64, sizes, CONTIGUOUS);
  ok(save_as(kind, saved, path));
  long failing = 0;
  for (bool is_limited = true; is_limited;) {
    strew_tensor *loaded = NULL;
    system_faults_limit(++failing, EIO);
    strew_status status = load_as(kind, path, &loaded);
    is_limited = system_faults.failed > 0;
    system_faults_limit(0, 0);
    bool is_closing = is_limited && status == STREW_OK; /* data already read is still valid */
    ck_assert(is_closing || status == (is_limited ? STREW_EFILE : STREW_OK));
    ck_assert(!loaded == (status != STREW_OK));
    if (loaded) assert_same(saved, loaded, path);
    if (status != STREW_OK) ck_assert_ptr_nonnull(strstr(failure.message, ": Input/output error"));
    strew_release(loaded);
  }
  ck_assert_int_gt(failing, 4);
  strew_release(saved);
}
END_TEST

START_TEST(test_memory_fails) {
  int kind = _i;
  const int64_t sizes[] = {300, is_csv(kind) ? 10 : 300};
  strew_tensor *saved = random_content(kind, STREW_FLOAT32, sizes, STRIDED), *loaded;
  const char *path = in_folder(names[kind]);
  ok(save_as(kind, saved, path)); /* starts the context's threads, which allocate memory of their own */
  ck_assert_int_eq(unlink(path), 0);
  for (int turn = 0; turn < 2; turn++) {
    bool is_limited = true;
    for (long failing = 1; is_limited; failing += is_emulated() ? 5 : 1) {
      size_t blocks = blocks_in_use();
      loaded = NULL;
      allocations.limit(failing, true);
      strew_status status = turn ? load_as(kind, path, &loaded) : save_as(kind, saved, path);
      is_limited = allocations.failed() > 0;
      allocations.limit(0, false);
      ck_assert_int_eq(status, is_limited ? STREW_EMEMORY : STREW_OK);
      ck_assert_int_eq(count_files(), turn || status == STREW_OK);
      if (loaded) assert_same(saved, loaded, path);
      strew_release(loaded);
      ck_assert_uint_eq(blocks_in_use(), blocks);
    }
  }
  strew_release(saved);
}
END_TEST

static void interrupt(void) { strew_context_interrupt(context); }

/* Stopped between two chunks: no file is created or left over. */
START_TEST(test_interrupted) {
  int kind = _i;
  const int64_t rows = kind == CSV_GZIP                      ? 1 << 21
                       : kind == NUMPY || kind == NUMPY_GZIP ? 3 << 19
                       : kind == CSV                         ? 1 << 19
                                                             : 1 << 16,
                sizes[] = {rows, 1}; /* more than one chunk */
  const char *path = in_folder(names[kind]);
  strew_tensor *tensor = NULL, *loaded;
  ok(strew_full(device, kind == PNG ? STREW_UINT16 : STREW_INT32, 2, sizes, strew_int(7), &tensor, &failure));
  for (int turn = 0; turn < 4; turn++) {
    bool is_saved = turn < 2, is_before = turn % 2;
    if (is_before) strew_context_interrupt(context);
    system_faults_limit(0, 0);
    system_faults.on_call = is_before ? 0 : 4;
    system_faults.then = interrupt;
    strew_status status = is_saved ? save_as(kind, tensor, path) : load_as(kind, path, &loaded);
    system_faults.on_call = 0;
    strew_context_clear_interrupt(context);
    ck_assert_int_eq(status, STREW_EINTERRUPTED);
    ck_assert_ptr_nonnull(strstr(failure.message, ": interrupted!"));
    ck_assert_int_eq(count_files(), !is_saved);
    if (turn == 1) ok(save_as(kind, tensor, path));
  }
  ok(load_as(kind, path, &loaded));
  assert_same(tensor, loaded, path);
  strew_release(tensor), strew_release(loaded);
}
END_TEST

/* A small file system in memory, private to this process. */
static bool mount_small(const char *path) {
  bool is_mounted = mkdir(path, 0700) == 0 && unshare(CLONE_NEWNS) == 0 &&
                    mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) == 0 &&
                    mount("none", path, "tmpfs", 0, "size=64k") == 0;
  if (!is_mounted) printf("without a small tmpfs, a full disk is only simulated: %s\n", strerror(errno));
  return is_mounted;
}

START_TEST(test_full_disk) {
  if (on_device() || !mount_small(in_folder("small"))) return;
  const int64_t few[] = {10, 10}, many[] = {1000, 100};
  for (int kind = 0; kind < KINDS; kind++) {
    strew_tensor *small = random_content(kind, STREW_INT16, few, CONTIGUOUS), *loaded;
    strew_tensor *large = random_content(kind, STREW_INT16, many, CONTIGUOUS);
    char name[32];
    snprintf(name, sizeof name, "small/%s", names[kind]);
    const char *path = in_folder(name);
    ok(save_as(kind, small, path));
    assert_refused(save_as(kind, large, path), path, "cannot be written: No space left on device");
    ok(load_as(kind, path, &loaded));
    assert_same(small, loaded, path);
    strew_release(small), strew_release(large), strew_release(loaded);
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(rmdir(in_folder("small")), -1);
    ck_assert_int_eq(errno, EBUSY); /* empty like the folder, but a mount point */
  }
  umount(in_folder("small"));
}
END_TEST

/* ------------------------------------------------------------------------------------------------ where it is saved */

static mode_t mode_of(const char *path) {
  struct stat about;
  ck_assert_int_eq(stat(path, &about), 0);
  return about.st_mode & 07777;
}

static void assert_saved(strew_tensor *tensor, const char *path, const char *at) {
  strew_tensor *loaded = NULL;
  ok(strew_save(tensor, path, NULL, &failure));
  ok(strew_load(device, at, NULL, &loaded, NULL, &failure));
  assert_same(tensor, loaded, path);
  strew_release(loaded);
}

/* -------------------------------------------------------------------------------------------------- leftover drafts */

static int told[2]; /* a pipe */

static void die(void) { raise(SIGKILL); }
static void tell_and_wait(void) {
  if (write(told[1], "", 1) == 1) pause();
}

/* A process that saves a file and calls `then` in the middle of it. */
static pid_t save_until(strew_tensor *tensor, void (*then)(void)) {
  pid_t child = fork();
  if (child) return child;
  system_faults_limit(0, 0);
  system_faults.on_call = 4; /* lstat, open, fstat, pwrite */
  system_faults.then = then;
  strew_save(tensor, in_folder("child.npy"), NULL, NULL);
  _exit(0);
}

static const char *draft_of(pid_t maker) {
  char name[64];
  snprintf(name, sizeof name, ".strew-%ld-0", (long)maker);
  return in_folder(name);
}

static pid_t die_saving(strew_tensor *tensor) {
  int status;
  struct stat about;
  pid_t child = save_until(tensor, die);
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert(WIFSIGNALED(status) && lstat(draft_of(child), &about) == 0);
  return child;
}

START_TEST(test_leftovers) {
  strew_tensor *tensor = tensor_from_integers(STREW_INT64, 3, (int64_t[]){1, 2, 3});
  pid_t dead = die_saving(tensor);
  ok(strew_save(tensor, in_folder("a.npy"), NULL, &failure));
  ck_assert_int_eq(count_files(), 1);
  die_saving(tensor);
  ok(strew_save(tensor, in_folder("b.csv"), NULL, &failure));
  ck_assert_int_eq(count_files(), 2);

  /* Drafts that stay: one that is being written, one that another machine has locked, and files that only resemble
     drafts. */
  char byte, name[64];
  ck_assert_int_eq(pipe(told), 0);
  pid_t busy = save_until(tensor, tell_and_wait);
  ck_assert_int_eq(read(told[0], &byte, 1), 1);
  int locked = open(draft_of(dead), O_CREAT | O_WRONLY, 0600);
  ck_assert_int_eq(flock(locked, LOCK_EX), 0);
  snprintf(name, sizeof name, ".strew-%ld-1", (long)dead);
  ck_assert_int_eq(symlink("a.npy", in_folder(name)), 0);
  put_bytes(in_folder(strcat(name, "x")), "", 0);
  ok(strew_save(tensor, in_folder("a.npy"), NULL, &failure));
  ck_assert_int_eq(count_files(), 6);

  kill(busy, SIGKILL);
  waitpid(busy, NULL, 0);
  close(locked);
  ok(strew_save(tensor, in_folder("a.npy"), NULL, &failure));
  ck_assert_int_eq(count_files(), 4);
  close(told[0]), close(told[1]);
  strew_release(tensor);
}
END_TEST

static void remove_draft(void) { unlink(draft_of(getpid())); }

/* Another save removes the draft before it is locked: a new draft is created. */
START_TEST(test_taken_for_a_leftover) {
  strew_tensor *tensor = tensor_from_integers(STREW_INT64, 3, (int64_t[]){1, 2, 3});
  system_faults_limit(0, 0);
  system_faults.on_call = 3;
  system_faults.then = remove_draft;
  ok(strew_save(tensor, in_folder("a.npy"), NULL, &failure));
  system_faults.on_call = 0;
  ck_assert_int_eq(count_files(), 1);
  strew_release(tensor);
}
END_TEST

START_TEST(test_modes_and_links) {
  strew_tensor *tensor = tensor_from_integers(STREW_INT32, 3, (int64_t[]){1, 2, 3});
  struct stat about;
  umask(027);
  assert_saved(tensor, in_folder("new.npy"), in_folder("new.npy"));
  ck_assert_int_eq(mode_of(in_folder("new.npy")), 0640);
  ck_assert_int_eq(chmod(in_folder("new.npy"), 0604), 0);
  assert_saved(tensor, in_folder("new.npy"), in_folder("new.npy"));
  ck_assert_int_eq(mode_of(in_folder("new.npy")), 0604);

  ck_assert_int_eq(mkdir(in_folder("deep"), 0700), 0);
  put_bytes(in_folder("deep/old.npy"), "old", 3);
  ck_assert_int_eq(symlink("deep/old.npy", in_folder("link.npy")), 0);
  assert_saved(tensor, in_folder("link.npy"), in_folder("deep/old.npy"));
  ck_assert_int_eq(lstat(in_folder("link.npy"), &about), 0);
  ck_assert(S_ISLNK(about.st_mode));

  ck_assert_int_eq(symlink("nowhere.npy", in_folder("dangling.npy")), 0);
  assert_refused(strew_save(tensor, in_folder("dangling.npy"), NULL, &failure), in_folder("dangling.npy"),
                 "is a symbolic link that cannot be followed: No such file or directory");
  ck_assert_int_eq(symlink("ring.npy", in_folder("ring.npy")), 0);
  assert_refused(strew_save(tensor, in_folder("ring.npy"), NULL, &failure), in_folder("ring.npy"),
                 "is a symbolic link that cannot be followed: Too many levels of symbolic links");
  ck_assert_int_eq(chdir(folder), 0);
  assert_saved(tensor, "here.npy", in_folder("here.npy"));
  ck_assert_int_eq(chdir("/"), 0);
  ck_assert_int_eq(count_files(), 6);
  strew_release(tensor);
}
END_TEST

START_TEST(test_no_regular_file) {
  strew_tensor *tensor = tensor_from_integers(STREW_INT32, 1, (int64_t[]){1}), *loaded = NULL;
  const char *directory = in_folder("d.npy"), *pipe = in_folder("p.npy"), *device_file = in_folder("z.npz");
  ck_assert_int_eq(mkdir(directory, 0700), 0);
  ck_assert_int_eq(mkfifo(pipe, 0600), 0);
  ck_assert_int_eq(symlink("/dev/zero", device_file), 0);
  assert_refused(strew_load(device, directory, NULL, &loaded, NULL, &failure), directory,
                 "is a directory, expected a file or pipe");
  assert_refused(load_as(1, device_file, &loaded), device_file, "is a device, expected a file or pipe");
  assert_refused(strew_save(tensor, directory, NULL, &failure), directory, "is a directory, expected a regular file");
  assert_refused(strew_save(tensor, pipe, NULL, &failure), pipe, "is a pipe, expected a regular file");
  assert_refused(save_as(1, tensor, device_file), device_file, "is a device, expected a regular file");
  assert_refused(strew_save(tensor, in_folder("no/x.npy"), NULL, &failure), in_folder("no/x.npy"),
                 "cannot be written: No such file or directory");
  ck_assert_int_eq(count_files(), 3);
  ck_assert_ptr_null(loaded);
  strew_release(tensor);
}
END_TEST

/* ------------------------------------------------------------------------------------------------------------ pipes */

/* Puts these bytes into the pipe: they are read, and then its end, while `held` is open. */
static int fill_pipe(const char *path, const void *bytes, size_t size_bytes) {
  int held = open(path, O_RDONLY | O_NONBLOCK), to = open(path, O_WRONLY);
  ck_assert(held >= 0 && to >= 0);
  ck_assert_int_eq(write(to, bytes, size_bytes), (ssize_t)size_bytes);
  close(to);
  return held;
}

/* Bytes of a saved file of at most 4096. */
static size_t bytes_of_file(const char *path, char *bytes) {
  FILE *file = fopen(path, "rb");
  ck_assert_ptr_nonnull(file);
  size_t length = fread(bytes, 1, 4096, file);
  fclose(file);
  return length;
}

START_TEST(test_pipe) {
  const char *pipe = in_folder("pipe");
  char bytes[4096];
  const int64_t sizes[] = {5, 6};
  strew_load_options options = {.dtype = NULL};
  ck_assert_int_eq(mkfifo(pipe, 0600), 0);
  for (int kind = 0; kind < KINDS; kind++) {
    if (is_table(kind) || is_csv(kind)) continue; /* tables: file_spec.lua */
    strew_tensor *saved = random_content(kind, STREW_INT64, sizes, CONTIGUOUS), *loaded = NULL;
    ok(save_as(kind, saved, in_folder(names[kind])));
    size_t length = bytes_of_file(in_folder(names[kind]), bytes);
    options.format = names[kind] + 2;
    long failing = -1; /* with hiccups, without, then each call fails */
    for (bool is_limited = true; is_limited; failing++) {
      int held = fill_pipe(pipe, bytes, length);
      loaded = NULL;
      system_faults.hiccups = failing < 0;
      system_faults_limit(failing < 0 ? 0 : failing, EIO);
      strew_status status = strew_load(device, pipe, &options, &loaded, NULL, &failure);
      is_limited = failing <= 0 || system_faults.failed > 0;
      system_faults_limit(0, 0);
      system_faults.hiccups = false;
      close(held);
      ck_assert_int_eq(status, failing > 0 && !loaded ? STREW_EFILE : STREW_OK); /* closing may fail */
      if (loaded) assert_same(saved, loaded, names[kind]);
      if (!loaded) ck_assert_ptr_nonnull(strstr(failure.message, ": Input/output error"));
      strew_release(loaded);
    }
    ck_assert_int_gt(failing, 6);
    strew_release(saved);
  }
}
END_TEST

/* A pipe that no process opens for writing, and one whose writer writes nothing. */
START_TEST(test_waiting) {
  strew_load_options options = {.format = "csv"};
  strew_table *table = NULL;
  const char *pipe = in_folder("pipe");
  ck_assert_int_eq(mkfifo(pipe, 0600), 0);
  for (int turn = 0; turn < 2; turn++) {
    int both = turn ? open(pipe, O_RDWR) : -1;
    system_faults_limit(0, 0);
    system_faults.on_call = 6;
    system_faults.then = interrupt;
    assert_fails(strew_load(device, pipe, &options, NULL, &table, &failure), STREW_EINTERRUPTED, NULL);
    system_faults.on_call = 0;
    strew_context_clear_interrupt(context);
    strew_context_limit_time(context, 0.2);
    assert_fails(strew_load(device, pipe, &options, NULL, &table, &failure), STREW_ETIME, NULL);
    strew_context_limit_time(context, 0);
    if (turn) close(both);
  }
  ck_assert_ptr_null(table);
}
END_TEST

/* Standard input, as a pipe and as a file, from where it was read before; it stays open. */
START_TEST(test_standard_input) {
  strew_load_options options = {.format = "csv"};
  const char *pipe = in_folder("pipe"), *file = in_folder("file");
  strew_table *table = NULL;
  strew_scalar element;
  ck_assert_int_eq(mkfifo(pipe, 0600), 0);
  put_bytes(file, "1,2\n3,4\n", 8);
  for (int turn = 0; turn < 3; turn++) {
    int input = turn ? open(file, O_RDONLY) : fill_pipe(pipe, "3,4\n", 4);
    if (turn) ck_assert_int_eq(lseek(input, 4, SEEK_SET), 4);
    ck_assert_int_eq(dup2(input, STDIN_FILENO), STDIN_FILENO);
    close(input);
    system_faults.hiccups = turn == 2;
    ok(strew_load(device, "-", &options, NULL, &table, &failure));
    system_faults.hiccups = false;
    ck_assert_int_eq(strew_table_count(table), 2);
    ok(strew_get(strew_table_tensor(table, 1), 1, (int64_t[]){0}, &element, &failure));
    ck_assert_int_eq(element.as.i, 4);
    strew_table_release(table);
    assert_refused(strew_load(device, "-", &options, NULL, &table, &failure), "-", "is empty, expected lines of cells");
  }
  int folder_input = open(folder, O_RDONLY);
  dup2(folder_input, STDIN_FILENO);
  close(folder_input);
  assert_refused(strew_load(device, "-", &options, NULL, &table, &failure), "-",
                 "is a directory, expected a file or pipe");
  close(STDIN_FILENO);
  assert_refused(strew_load(device, "-", &options, NULL, &table, &failure), "-",
                 "cannot be examined: Bad file descriptor");
  put_bytes(in_folder("x.csv"), "1\n", 2); /* gets descriptor 0 */
  ok(strew_load(device, in_folder("x.csv"), NULL, NULL, &table, &failure));
  strew_table_release(table);
  ck_assert_int_eq(fcntl(STDIN_FILENO, F_GETFD), -1);
}
END_TEST

/* A few KiB that inflate to more than a context may use. */
START_TEST(test_bomb) {
  strew_options options = {.memory_limit_bytes = 8 << 20};
  const int64_t count = 16 << 20;
  strew_context *small = NULL;
  strew_device *cpu = NULL;
  strew_tensor *zeros = NULL, *loaded = NULL;
  strew_table *table = NULL;
  strew_load_options csv = {.format = "csv.gz"};
  struct stat about;
  ok(strew_full(device, STREW_UINT8, 1, &count, strew_int(0), &zeros, &failure));
  ok(strew_save(zeros, in_folder("zeros.npy.gz"), NULL, &failure));
  strew_release(zeros);
  ck_assert_int_eq(stat(in_folder("zeros.npy.gz"), &about), 0);
  ck_assert_int_lt(about.st_size, 32 << 10);
  ok(strew_context_create(&options, &small, &failure));
  ok(strew_device_find(small, "cpu", &cpu, &failure));
  assert_fails(strew_load(cpu, in_folder("zeros.npy.gz"), NULL, &loaded, NULL, &failure), STREW_EMEMORY, NULL);
  assert_fails(strew_load(cpu, in_folder("zeros.npy.gz"), &csv, NULL, &table, &failure), STREW_EMEMORY, NULL);
  ck_assert(!loaded && !table);
  ck_assert_uint_le(strew_context_peak_bytes(small), 8 << 20);
  strew_context_release(small);
}
END_TEST

/* Files of another user; the test, run as root, takes his identity. */
START_TEST(test_no_permission) {
  enum { NOBODY = 65534 };
  strew_tensor *tensor = tensor_from_integers(STREW_INT32, 1, (int64_t[]){1}), *loaded = NULL;
  const char *path = in_folder("x.npy"), *other = in_folder("y.npy");
  put_bytes(path, "old", 3);
  ck_assert_int_eq(chmod(path, 0), 0);
  bool is_root = geteuid() == 0;
  if (is_root) ck_assert_int_eq(chown(path, NOBODY, 0) + chown(folder, NOBODY, 0) + seteuid(NOBODY), 0);
  assert_refused(strew_load(device, path, NULL, &loaded, NULL, &failure), path, "cannot be opened: Permission denied");
  assert_refused(strew_save(tensor, path, NULL, &failure), path, "cannot be written: Permission denied");
  ck_assert_int_eq(chmod(path, 0444), 0); /* a read-only file is not replaced, even if the folder allows it */
  assert_refused(strew_save(tensor, path, NULL, &failure), path, "cannot be written: Permission denied");
  assert_text(path, "old");
  ck_assert_int_eq(chmod(folder, 0500), 0);
  assert_refused(strew_save(tensor, other, NULL, &failure), other, "cannot be written: Permission denied");
  ck_assert_int_eq(chmod(folder, 0700), 0);
  if (is_root) ck_assert_int_eq(seteuid(0), 0);
  ck_assert_int_eq(count_files(), 1);
  strew_release(tensor);
}
END_TEST

/* If the old file's owner and group cannot be set, no user gains rights. */
START_TEST(test_another_owner) {
  enum { NOBODY = 65534, STRANGERS = 54321 };
  const char *path = in_folder("x.npy");
  struct stat about;
  if (geteuid() != 0) return;
  strew_tensor *tensor = tensor_from_integers(STREW_INT32, 1, (int64_t[]){1});
  put_bytes(path, "old", 3);
  ck_assert_int_eq(chown(path, 0, STRANGERS) + chmod(path, 0662) + chown(folder, NOBODY, 0), 0);
  ck_assert_int_eq(seteuid(NOBODY), 0);
  ok(strew_save(tensor, path, NULL, &failure));
  ck_assert_int_eq(seteuid(0) + stat(path, &about), 0);
  ck_assert(about.st_uid == NOBODY && about.st_gid == getegid());
  ck_assert_int_eq(about.st_mode & 07777, 0622);
  strew_release(tensor);
}
END_TEST

/* A file that replaces a private one is private from the start. */
START_TEST(test_private) {
  const char *path = in_folder("x.npy");
  strew_tensor *tensor = tensor_from_integers(STREW_INT32, 1, (int64_t[]){1});
  ok(strew_save(tensor, path, NULL, &failure));
  ck_assert_int_eq(system_faults.creation_mode, 0666);
  ok(strew_save(tensor, path, NULL, &failure));
  ck_assert_int_eq(system_faults.creation_mode, 0600);
  strew_release(tensor);
}
END_TEST

/* A file that root replaces keeps its owner. */
START_TEST(test_owner) {
  enum { NOBODY = 65534 };
  const char *path = in_folder("x.npy");
  struct stat about;
  if (geteuid() != 0) return;
  strew_tensor *tensor = tensor_from_integers(STREW_INT32, 1, (int64_t[]){1});
  put_bytes(path, "old", 3);
  ck_assert_int_eq(chmod(path, 0640) + chown(path, NOBODY, NOBODY), 0);
  ok(strew_save(tensor, path, NULL, &failure));
  ck_assert_int_eq(stat(path, &about), 0);
  ck_assert(about.st_uid == NOBODY && about.st_gid == NOBODY && (about.st_mode & 07777) == 0640);
  strew_release(tensor);
}
END_TEST

/* ------------------------------------------------------------------------------------------------------ large files */

/* Creates a sparse .npy of that many bytes; false if the file system cannot. */
static bool put_sparse(const char *path, int64_t count) {
  char header[128];
  memset(header, ' ', sizeof header);
  memcpy(header, "\x93NUMPY\1\0\x76\0", 10);
  int length = sprintf(header + 10, "{'descr': '|u1', 'fortran_order': False, 'shape': (%lld,), }", (long long)count);
  header[10 + length] = ' ';
  put_bytes(path, header, sizeof header);
  if (truncate(path, (off_t)sizeof header + count) == 0) return true;
  printf("without a file of %lld bytes: %s\n", (long long)count, strerror(errno));
  return false;
}

/* (Valgrind has a smaller address space.) */
static bool is_mappable(int64_t count) {
  void *place = mmap(NULL, (size_t)count, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place != MAP_FAILED) return munmap(place, (size_t)count) == 0;
  printf("without a map of %lld bytes: %s\n", (long long)count, strerror(errno));
  return false;
}

/* A context of a host with the C library's allocator. */
START_TEST(test_larger_than_memory) {
  const int64_t last[] = {-1};
  strew_load_options map = {.map = true};
  strew_context *plain = NULL;
  strew_device *cpu = NULL;
  strew_tensor *loaded = NULL;
  strew_scalar element;
  const int64_t count = (int64_t)1 << 42;
  if (on_device() || !is_mappable(count) || !put_sparse(in_folder("large.npy"), count)) return;
  ok(strew_context_create(NULL, &plain, &failure));
  ok(strew_device_find(plain, "cpu", &cpu, &failure));
  assert_fails(strew_load(cpu, in_folder("large.npy"), NULL, &loaded, NULL, &failure), STREW_EMEMORY, NULL);
  ck_assert_str_eq(failure.hint, "a .npy file can be mapped: {.map = true}");
  ck_assert_uint_eq(strew_context_peak_bytes(plain), 0);
  ok(strew_load(cpu, in_folder("large.npy"), &map, &loaded, NULL, &failure));
  strew_context_release(plain);
  ok(strew_get(loaded, 1, last, &element, &failure));
  ck_assert_int_eq(element.as.i, 0);
  ok(strew_set(loaded, 1, last, strew_int(5), &failure));
  ok(strew_get(loaded, 1, last, &element, &failure));
  ck_assert_int_eq(element.as.i, 5);
  strew_release(loaded);
}
END_TEST

/* ------------------------------------------------------------------------------------------------------ safetensors */

/* A file with this header, and `data_bytes` zeros. */
static strew_status load_header(const char *header, size_t header_bytes, size_t data_bytes, strew_table **table) {
  static char bytes[1 << 16];
  memset(bytes, 0, sizeof bytes);
  for (int i = 0; i < 8; i++) bytes[i] = (char)((uint64_t)header_bytes >> 8 * i);
  memcpy(bytes + 8, header, strlen(header));
  put_bytes(in_folder("t.safetensors"), bytes, 8 + strlen(header) + data_bytes);
  *table = NULL;
  return strew_load(device, in_folder("t.safetensors"), NULL, NULL, table, &failure);
}

START_TEST(test_safetensors) {
  strew_table *table;
  static const struct {
    const char *header, *message; /* NULL: it is loaded */
    size_t data_bytes;
  } rows[] = {
      {"{}", NULL, 0},
      {"{} \n\t ", NULL, 0},
      {"{\"a\" : {\"shape\": [ 2 ,1],\"data_offsets\":[0,8], \"dtype\":\"I32\"} }", NULL, 8},
      {"{\"\\u00fc\\ud83d\\ude00\\n\":{\"dtype\":\"U8\",\"shape\":[],\"data_offsets\":[0,1]}}", NULL, 1},
      {"{\"__metadata__\":{\"a\":\"b\",\"c\":\"\"},\"x\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]}}",
       NULL, 0},
      {"{\"b\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[1,3]},\"a\":{\"dtype\":\"U8\",\"shape\":[1],"
       "\"data_offsets\":[0,1]}}",
       NULL, 3},
      {"", "has an invalid header: expected { at its byte 0", 0},
      {"[]", "has an invalid header: expected { at its byte 0", 0},
      {"{", "has an invalid header: expected a string at its byte 1", 0},
      {"{}x", "has an invalid header: expected nothing more at its byte 2", 0},
      {"{\"a", "has an invalid header: expected the end of a string at its byte 3", 0},
      {"{\"a\\x\":", "has an invalid header: expected an escape at its byte 4", 0},
      {"{\"\\u0000\":", "has an invalid header: expected a character other than zero at its byte 8", 0},
      {"{\"\\ud800\":", "has an invalid header: expected a character other than zero at its byte 8", 0},
      {"{\"\\ud83d\\u0041\":", "has an invalid header: expected a character other than zero at its byte 14", 0},
      {"{\"\n\":", "has an invalid header: expected no control character at its byte 2", 0},
      {"{\"a\":{\"dtype\":\"F8_E4M3\",", "has a member \"a\" that has dtype \"F8_E4M3\", which strew does not have", 0},
      {"{\"a\":{\"dtype\":\"F32\",\"dtype\"", "has an invalid header: expected one each of dtype, shape, data_offsets",
       0},
      {"{\"a\":{\"dtypes\"", "has an invalid header: expected one each of dtype, shape, data_offsets", 0},
      {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1]}}", "has a member \"a\" that has no data_offsets in the header", 0},
      {"{\"a\":{\"shape\":[1.5]", "has an invalid header: expected , or ] at its byte 16", 0},
      {"{\"a\":{\"shape\":[-1]", "has an invalid header: expected a whole number at its byte 15", 0},
      {"{\"a\":{\"shape\":[01]", "has an invalid header: expected a whole number at its byte 17", 0},
      {"{\"a\":{\"shape\":[9223372036854775808]", "has an invalid header: expected a number below 2^63", 0},
      {"{\"a\":{\"shape\":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]", "has a list of more than 16 numbers at byte 47", 0},
      {"{\"a\":{\"data_offsets\":[1,2,3]", "has a list of more than 2 numbers at byte 26 of its header", 0},
      {"{\"a\":{\"data_offsets\":[1]", "has an invalid header: expected two offsets before here", 0},
      {"{\"a\":{\"dtype\":\"I8\",\"shape\":[3],\"data_offsets\":[0,2]}}",
       "has a member \"a\" that is int8[3], but has the offsets 0 and 2, expected the bytes of its elements", 2},
      {"{\"a\":{\"dtype\":\"I8\",\"shape\":[3],\"data_offsets\":[3,0]}}", "has a member \"a\" that is int8[3], but", 3},
      {"{\"a\":{\"dtype\":\"I64\",\"shape\":[4611686018427387904,4],\"data_offsets\":[0,0]}}",
       "has a member \"a\" that is int64[4611686018427387904, 4], but", 0},
      {"{\"a\":{\"dtype\":\"I8\",\"shape\":[3],\"data_offsets\":[0,3]}}",
       "is truncated: its tensors end at offset 3, found 2 bytes", 2},
      {"{\"a\":{\"dtype\":\"I8\",\"shape\":[3],\"data_offsets\":[0,3]}}", "has tensors up to offset 3, and 4 bytes", 4},
      {"{\"a\":{\"dtype\":\"I8\",\"shape\":[3],\"data_offsets\":[1,4]}}",
       "has a tensor from offset 1 on, expected 0, the end of the one before", 4},
      {"{\"a\":{\"dtype\":\"I8\",\"shape\":[2],\"data_offsets\":[0,2]},\"b\":{\"dtype\":\"I8\",\"shape\":[2],"
       "\"data_offsets\":[1,3]}}",
       "has a tensor from offset 1 on, expected 2", 3},
      {"{\"a\":{\"dtype\":\"I8\",\"shape\":[1],\"data_offsets\":[0,1]},\"a\":{\"dtype\":\"I8\",\"shape\":[1],"
       "\"data_offsets\":[0,1]}}",
       "has two tensors named \"a\"", 1},
      {"{\"__metadata__\":{\"a\":1}}", "has an invalid header: expected a string", 0},
      {"{\"__metadata__\":{},\"__metadata__\":{}}", "has an invalid header: expected no second __metadata__", 0},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    strew_status status = load_header(rows[i].header, strlen(rows[i].header), rows[i].data_bytes, &table);
    const bool as_said = rows[i].message ? status == STREW_EFILE && strstr(failure.message, rows[i].message) : !status;
    if (!as_said || !table != !!status) ck_abort_msg("%s: %s", rows[i].header, failure.message);
    strew_table_release(table);
    clear_failure();
  }
  ck_assert_int_eq(load_header("{}", 3, 0, &table), STREW_EFILE);
  ck_assert_ptr_nonnull(
      strstr(failure.message, "claims a header of 3 bytes, expected at most 100000000, and 2 in all"));
  ck_assert_int_eq(load_header("{}", SIZE_MAX, 0, &table), STREW_EFILE);
}
END_TEST

/* 220,000 names make a header; 96 of a MiB do not. */
START_TEST(test_safetensors_names) {
  enum { LONG = 1 << 20 };
  const int many = under_qemu(220000, 10);
  strew_table *table = NULL, *back = NULL;
  strew_tensor *t = NULL;
  char *name = malloc(LONG + 1);
  ck_assert_ptr_nonnull(name);
  ok(strew_empty(device, STREW_INT8, 1, (int64_t[]){0}, &t, &failure));
  ok(strew_table_create(context, &table, &failure));
  for (int i = 0; i < many; i++) {
    sprintf(name, "layer.%d", i);
    ok(strew_table_add(table, name, t, &failure));
  }
  ok(strew_save_table(table, in_folder("n.safetensors"), NULL, &failure));
  ok(strew_load(device, in_folder("n.safetensors"), NULL, NULL, &back, &failure));
  ck_assert_int_eq(strew_table_count(back), many);
  strew_table_release(table), strew_table_release(back);
  ok(strew_table_create(context, &table, &failure));
  memset(name, 'x', LONG), name[LONG] = 0;
  for (int i = 0; i < 96; i++, name[i]++) ok(strew_table_add(table, name, t, &failure));
  assert_fails(strew_save_table(table, in_folder("n.safetensors"), NULL, &failure), STREW_EVALUE,
               "save: 'x' has 96 names, too many for a header of 100000000 bytes");
  strew_table_release(table), strew_release(t), free(name);
}
END_TEST

/* -------------------------------------------------------------------------------------------------------- libraries */

START_TEST(test_kinds) {
  strew_tensor *tensor = tensor_from_integers(STREW_INT32, 1, (int64_t[]){1}), *loaded = NULL;
  strew_table *table = NULL;
  strew_load_options map = {.map = true};
  ok(save_as(0, tensor, in_folder("t.npy")));
  ok(save_as(1, tensor, in_folder("t.npz")));
  assert_fails(strew_load(device, in_folder("t.npy"), NULL, NULL, &table, &failure), STREW_EARGUMENT,
               "load: 'path' ends in .npy, expected one of .npz, .csv, .tsv, .jsonl, .safetensors, .jsonl.gz, .csv.gz, "
               ".tsv.gz for a table");
  assert_fails(strew_load(device, in_folder("t.npz"), NULL, &loaded, NULL, &failure), STREW_EARGUMENT,
               "load: 'path' ends in .npz, expected one of .npy, .png, .npy.gz for one tensor");
  assert_fails(strew_load(device, NULL, NULL, &loaded, NULL, &failure), STREW_EARGUMENT, "load: 'path' is missing");
  ck_assert(!loaded && !table);
  table = (strew_table *)(void *)&map; /* any address: it is replaced */
  ok(strew_load(device, in_folder("t.npy"), NULL, &loaded, &table, &failure));
  ck_assert(loaded && !table);
  strew_release(loaded);
  ok(strew_load(device, in_folder("t.npz"), NULL, &loaded, &table, &failure));
  ck_assert(!loaded && table);
  ck_assert_int_eq(strew_table_count(table), 2);
  strew_table_release(table);
  if (on_device())
    assert_fails(strew_load(device, in_folder("t.npy"), &map, &loaded, NULL, &failure), STREW_EDEVICE, NULL);
  strew_release(tensor);
}
END_TEST

/* In a process of its own, which QEMU has not: a library stays loaded, or absent. */
START_TEST(test_no_library) {
  const int64_t sizes[] = {2, 2};
  const char *const expected[KINDS] = {[ARCHIVE] = "needs the library libzip, which is not installed",
                                       [NUMPY_GZIP] = "needs the library zlib, which is not installed",
                                       [CSV_GZIP] = "needs the library zlib, which is not installed",
                                       [PNG] = "needs the library libpng, which is not installed"};
  const char *const hints[KINDS] = {[ARCHIVE] = "on Debian: apt install libzip-dev",
                                    [NUMPY_GZIP] = "on Debian: apt install zlib1g",
                                    [CSV_GZIP] = "on Debian: apt install zlib1g",
                                    [PNG] = "on Debian: apt install libpng-dev"};
  system_faults.lacks_libraries = true;
  for (int kind = 0; kind < KINDS; kind++) {
    if (!expected[kind]) continue;
    strew_tensor *tensor = random_content(kind, STREW_INT32, sizes, CONTIGUOUS), *loaded = NULL;
    const char *path = in_folder(names[kind]);
    put_bytes(path, "old", 3);
    assert_refused(save_as(kind, tensor, path), path, expected[kind]);
    ck_assert_str_eq(failure.hint, hints[kind]);
    assert_refused(load_as(kind, path, &loaded), path, expected[kind]);
    assert_text(path, "old");
    ck_assert_int_eq(count_files(), 1);
    ck_assert_int_eq(unlink(path), 0);
    strew_release(tensor);
  }
}
END_TEST

START_TEST(test_table) {
  enum { NAMES = 5000 };
  char name[32];
  strew_table *table = NULL;
  strew_tensor *tensor = tensor_from_integers(STREW_INT32, 1, (int64_t[]){1});
  strew_tensor *other = tensor_from_integers(STREW_INT32, 1, (int64_t[]){2});
  ok(strew_table_create(context, &table, &failure));
  ck_assert_ptr_null(strew_table_find(table, ""));
  for (int i = 0; i < NAMES; i++) {
    snprintf(name, sizeof name, "%d", i * 7919);
    ok(strew_table_add(table, name, i % 2 ? tensor : other, &failure));
  }
  assert_fails(strew_table_add(table, "7919", tensor, &failure), STREW_EVALUE,
               "table_add: 'name' is \"7919\", which is in the table already");
  ck_assert_int_eq(strew_table_count(table), NAMES);
  for (int i = 0; i < NAMES; i++) {
    snprintf(name, sizeof name, "%d", i * 7919);
    ck_assert_str_eq(strew_table_name(table, i), name);
    ck_assert_ptr_eq(strew_table_tensor(table, i), i % 2 ? tensor : other);
    ck_assert_ptr_eq(strew_table_find(table, name), i % 2 ? tensor : other);
  }
  ck_assert(!strew_table_name(table, -1) && !strew_table_name(table, NAMES) && !strew_table_tensor(table, NAMES));
  ck_assert_ptr_null(strew_table_find(table, "1"));
  strew_release(tensor), strew_release(other);
  strew_table_release(table);
  strew_table_release(NULL);
}
END_TEST

Suite *make_suite(void) {
  Suite *suite = suite_create("file");
  if (!on_device()) test_allocator = counting_allocator; /* drivers allocate memory on threads of their own */
  TCase *all = new_case(suite, "files");
  tcase_add_checked_fixture(all, make_folder, remove_folder);
  tcase_add_loop_test(all, test_every_dtype, 0, STREW_DTYPE_COUNT);
  tcase_add_test(all, test_more_than_a_piece);
  tcase_add_test(all, test_hiccups);
  tcase_add_test(all, test_safetensors);
  if (!on_device()) tcase_add_test(all, test_safetensors_names);
  tcase_add_loop_test(all, test_saving_fails, 0, 2 * KINDS);
  tcase_add_loop_test(all, test_loading_fails, 0, on_device() ? KINDS : LOADED);
  if (!on_device()) tcase_add_loop_test(all, test_memory_fails, 0, LOADED);
  tcase_add_loop_test(all, test_interrupted, 0, KINDS);
  tcase_add_test(all, test_full_disk);
  if (!on_device()) tcase_add_test(all, test_leftovers); /* OpenCL does not survive fork */
  tcase_add_test(all, test_taken_for_a_leftover);
  tcase_add_test(all, test_modes_and_links);
  tcase_add_test(all, test_no_regular_file);
  tcase_add_test(all, test_pipe);
  tcase_add_test(all, test_waiting);
  tcase_add_test(all, test_standard_input);
  tcase_add_test(all, test_bomb);
  tcase_add_test(all, test_no_permission);
  tcase_add_test(all, test_owner);
  tcase_add_test(all, test_another_owner);
  tcase_add_test(all, test_private);
  tcase_add_test(all, test_larger_than_memory);
  tcase_add_test(all, test_kinds);
  if (!on_device() && !is_emulated()) tcase_add_test(all, test_no_library);
  tcase_add_test(all, test_table);
  return suite;
}
