/* file.c: see file.h. Every system call is checked, and repeated if a signal interrupted it. */
#define _DEFAULT_SOURCE /* MAP_NORESERVE */
#define _XOPEN_SOURCE   700
#include "file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert(sizeof(off_t) == 8, "files have more than 2 GiB: -D_FILE_OFFSET_BITS=64");

/* ------------------------------------------------------------------------------------------------------- failures */

strew_status(fail_member)(const struct call *call, const char *path, const char *member, const char *hint,
                          const char *format, ...) {
  char names[2][TEXT_BYTES], reason[TEXT_BYTES];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(reason, sizeof reason, format, arguments);
  va_end(arguments);
  return fail(call, HINTED(STREW_EFILE, "path", hint), "is \"%s\", which %s%s%s%s", text_of_name(path, names[0]),
              member ? "has a member \"" : "", member ? text_of_name(member, names[1]) : "", member ? "\" that " : "",
              reason);
}

strew_status(fail_system)(const struct call *call, const char *path, const char *what) {
  int code = errno;
  char words[128];
  if (strerror_r(code, words, sizeof words)) snprintf(words, sizeof words, "error %d", code);
  return fail_file(call, path, NULL, "%s: %s", what, words);
}

static strew_status fail_kind(const struct call *call, const char *path, mode_t mode, const char *expected) {
  const char *kind = S_ISDIR(mode) ? "directory" : S_ISFIFO(mode) ? "pipe" : S_ISSOCK(mode) ? "socket" : "device";
  return fail_file(call, path, NULL, "is a %s, expected a %s", kind, expected);
}

/* -------------------------------------------------------------------------------------------------------- reading */

bool file_is_input(const char *path) { return strcmp(path, "-") == 0; }

bool file_is_output(const char *path) {
  struct stat about, output;
  if (file_is_input(path)) return true;
  if (strncmp(path, "/dev/", 5) != 0 && strncmp(path, "/proc/", 6) != 0) return false;
  return stat(path, &about) == 0 && fstat(STDOUT_FILENO, &output) == 0 && about.st_dev == output.st_dev &&
         about.st_ino == output.st_ino;
}

uint64_t file_size(const char *path) {
  struct stat about;
  return stat(path, &about) == 0 ? (uint64_t)about.st_size : 0;
}

/* Devices by name may be endless. Standard input is the user's terminal, or whatever the user redirected. */
static bool is_readable(mode_t mode, bool is_input) {
  return S_ISREG(mode) || S_ISFIFO(mode) || (is_input && !S_ISDIR(mode));
}

static int64_t modified_ns(const struct stat *about) {
  return (int64_t)about->st_mtim.tv_sec * 1000000000 + about->st_mtim.tv_nsec;
}

static int open_to_read(const char *path) {
  int descriptor;
  do descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  while (descriptor < 0 && errno == EINTR);
  return descriptor;
}

strew_status file_open(const struct call *call, strew_context *context, const char *path, struct file *out) {
  struct stat about;
  bool is_input = file_is_input(path);
  int descriptor = is_input ? STDIN_FILENO : open_to_read(path);
  if (descriptor < 0) return fail_system(call, path, "cannot be opened");
  *out = (struct file){.path = path, .descriptor = descriptor, .is_input = is_input, .context = context};
  strew_status status = STREW_OK;
  if (fstat(descriptor, &about) != 0)
    status = fail_system(call, path, "cannot be examined");
  else if (!is_readable(about.st_mode, is_input))
    status = fail_kind(call, path, about.st_mode, "file or pipe");
  if (status != STREW_OK) return file_close(out), status;
  out->is_regular = S_ISREG(about.st_mode) && !is_input;
  out->size_bytes = S_ISREG(about.st_mode) ? (uint64_t)about.st_size : 0;
  out->modified_ns = S_ISREG(about.st_mode) ? modified_ns(&about) : 0;
  if (is_input) input_open(out, &about);
  return STREW_OK;
}

bool file_is_changed(const struct file *file) {
  struct stat about;
  if (!file->modified_ns || fstat(file->descriptor, &about) != 0) return false;
  return (uint64_t)about.st_size != file->size_bytes || modified_ns(&about) != file->modified_ns;
}

void file_close(struct file *file) {
  if (file->descriptor >= 0 && !(file->is_input && file->descriptor == STDIN_FILENO)) close(file->descriptor);
  memory_free(file->context, file->bytes, file->held_bytes);
  file->descriptor = -1;
  file->bytes = NULL;
}

/* Waits until there is something to read, or the end: 1; 0 after some time, or if a signal interrupts; -1: a failure. A
   pipe that no process has opened for writing yet is waited for. */
static int wait_for(int descriptor) {
  enum { MILLISECONDS = 50 };
  struct pollfd wanted = {.fd = descriptor, .events = POLLIN};
  int count = poll(&wanted, 1, MILLISECONDS);
  return count < 0 && errno == EINTR ? 0 : count;
}

/* Standard input may block: it is waited for before it is read. A pipe's first bytes are waited for, because it seems
   to be at its end as long as it has no writer: of standard input, the shell has waited for one, which only the
   descriptor of that time shows. */
enum attempt file_try(struct file *file, void *to, size_t size_bytes, size_t *got) {
  bool waits = file->is_input || file->is_drained || !(file->is_regular || file->is_begun);
  int ready = waits ? wait_for(file->is_input ? STDIN_FILENO : file->descriptor) : 1;
  if (!ready) return FILE_WAITED;
  ssize_t count = ready < 0        ? -1
                  : file->is_input ? input_read(file, to, size_bytes)
                                   : read(file->descriptor, to, size_bytes);
  file->is_drained = ready > 0 && count < 0 && errno == EAGAIN;
  if (count < 0) return ready > 0 && (errno == EINTR || errno == EAGAIN) ? FILE_WAITED : FILE_FAILED;
  file->is_begun = true;
  return *got = (size_t)count, FILE_READ;
}

strew_status file_next(const struct call *call, struct file *file, void *to, size_t size_bytes, size_t *got) {
  for (enum attempt attempt = FILE_WAITED; attempt == FILE_WAITED;) {
    RETURN_IF_FAILED(context_check(call, file->context));
    attempt = file_try(file, to, size_bytes, got);
    if (attempt == FILE_FAILED) return fail_system(call, file->path, "cannot be read");
  }
  return STREW_OK;
}

static strew_status fail_end(const struct call *call, const struct file *file, uint64_t end, size_t missing_bytes) {
  return fail_file(call, file->path, NULL, "ends at byte %llu, expected %zu more", (unsigned long long)end,
                   missing_bytes);
}

static strew_status read_held(const struct call *call, const struct file *file, uint64_t at, void *to,
                              size_t size_bytes) {
  uint64_t left = at < file->size_bytes ? file->size_bytes - at : 0;
  if (size_bytes > left) return fail_end(call, file, file->size_bytes, size_bytes - (size_t)left);
  memcpy(to, file->bytes + at, size_bytes);
  return STREW_OK;
}

strew_status file_read(const struct call *call, const struct file *file, uint64_t at, void *to, size_t size_bytes) {
  if (file->bytes) return read_held(call, file, at, to, size_bytes);
  for (size_t done = 0; done < size_bytes;) {
    ssize_t got = pread(file->descriptor, (char *)to + done, size_bytes - done, (off_t)(at + done));
    size_t left = size_bytes - done;
    if (got == 0) return fail_end(call, file, at + done, left);
    if (got > 0)
      done += (size_t)got;
    else if (errno != EINTR)
      return fail_system(call, file->path, "cannot be read");
  }
  return STREW_OK;
}

/* ----------------------------------------------------------------------------------------------------------- mapped */

struct mapping {
  strew_context *context; /* lives as long as the tensors */
  char *address;
  size_t size_bytes;
  int64_t references;
};

/* MAP_NORESERVE: only written pages take memory, so the system reserves none. */
static strew_status map_whole(const struct call *call, const struct file *file, void **out) {
  if (file->size_bytes > SIZE_MAX) errno = EFBIG;
  void *address = file->size_bytes > SIZE_MAX ? MAP_FAILED
                                              : mmap(NULL, (size_t)file->size_bytes, PROT_READ | PROT_WRITE,
                                                     MAP_PRIVATE | MAP_NORESERVE, file->descriptor, 0);
  if (address == MAP_FAILED) return fail_system(call, file->path, "cannot be mapped");
  *out = address;
  return STREW_OK;
}

strew_status mapping_create(const struct call *call, strew_device *device, const struct file *file,
                            struct mapping **out) {
  strew_context *context = device->context;
  if (!file->is_regular)
    return fail_file(call, file->path, "leave out map, to read it", "cannot be mapped: it is not a regular file");
  if (!device->ops->host_memory)
    return fail(call, HINTED(STREW_EDEVICE, "map", "device = \"cpu\", or no map"),
                "is true, but only tensors on the cpu can be mapped, not on %s", device->name);
  ALLOCATE_NEW(struct mapping *, mapping, call, context, sizeof *mapping);
  void *address = NULL;
  strew_status status = map_whole(call, file, &address);
  if (status != STREW_OK) return memory_free(context, mapping, sizeof *mapping), status;
  *mapping = (struct mapping){context, address, (size_t)file->size_bytes, 1};
  return *out = mapping, STREW_OK;
}

void mapping_release(void *user) {
  struct mapping *mapping = user;
  if (!mapping || --mapping->references) return;
  munmap(mapping->address, mapping->size_bytes);
  memory_free(mapping->context, mapping, sizeof *mapping);
}

unsigned char *mapping_at(const struct mapping *mapping, uint64_t at) { return (unsigned char *)mapping->address + at; }

strew_status mapping_tensor(const struct call *call, strew_device *device, struct mapping *mapping, uint64_t at,
                            strew_dtype dtype, int rank, const int64_t *sizes, const int64_t *strides,
                            strew_tensor **out) {
  const struct storage memory = {.data = mapping->address + at,
                                 .size_bytes = mapping->size_bytes - (size_t)at,
                                 .release = mapping_release,
                                 .user = mapping};
  RETURN_IF_FAILED(tensor_wrap(call, device, dtype, rank, sizes, strides, &memory, out));
  return mapping->references++, STREW_OK;
}

strew_status normalize_bools(const struct call *call, strew_context *context, unsigned char *bytes, size_t size_bytes) {
  enum { CHUNK_BYTES = 4 << 20 };
  for (size_t at = 0; at < size_bytes; at++) {
    if (at % CHUNK_BYTES == 0) RETURN_IF_FAILED(context_check(call, context));
    if (bytes[at] > 1) bytes[at] = 1;
  }
  return STREW_OK;
}

/* -------------------------------------------------------------------------------------------------------- writing */

/* Resolves the path and checks that it may be written; fills *old if the file exists. */
static strew_status find_target(const struct call *call, struct draft *draft, struct stat *old) {
  const char *path = draft->path;
  draft->replaces = lstat(path, old) == 0;
  if (!draft->replaces && errno != ENOENT) return fail_system(call, path, "cannot be written");
  if (draft->replaces && S_ISLNK(old->st_mode)) {
    if (!realpath(path, draft->target) || stat(draft->target, old) != 0)
      return fail_system(call, path, "is a symbolic link that cannot be followed");
  } else if (strlen(path) < sizeof draft->target) {
    strcpy(draft->target, path);
  } else {
    errno = ENAMETOOLONG;
    return fail_system(call, path, "cannot be written");
  }
  if (!draft->replaces) return STREW_OK;
  if (!S_ISREG(old->st_mode)) return fail_kind(call, path, old->st_mode, "regular file");
  return faccessat(AT_FDCWD, draft->target, W_OK, AT_EACCESS) == 0 ? STREW_OK
                                                                   : fail_system(call, path, "cannot be written");
}

/* A killed save leaves its draft behind. A draft holds an advisory lock, which the system releases with the process: a
   draft without a lock is a leftover. The process number in its name is not enough: other machines and containers have
   their own. It is checked first, so that drafts of living processes are not even opened. On file systems without
   locks across machines it is the only check.
   A draft is unlocked between open and flock. A process that removes a leftover holds its lock meanwhile. So the owner
   of a draft that was removed too early finds it locked or without a link, and takes another name. */
static bool lock(int descriptor) {
  int result;
  do result = flock(descriptor, LOCK_EX | LOCK_NB);
  while (result != 0 && errno == EINTR);
  return result == 0;
}

#define PREFIX ".strew-"

/* Returns the number of the process that made the draft of this name; 0: not a draft. */
static pid_t process_of(const char *name) {
  const char *digits = "0123456789";
  if (strncmp(name, PREFIX, sizeof PREFIX - 1) != 0) return 0;
  const char *number = name + sizeof PREFIX - 1;
  size_t length = strspn(number, digits),
         rest = length && number[length] == '-' ? strspn(number + length + 1, digits) : 0;
  long process = strtol(number, NULL, 10);
  return length < 10 && rest && !number[length + 1 + rest] && process > 0 ? (pid_t)process : 0;
}

/* True if the process has ended. For this process's number the lock decides: a container's process 1 had it before. */
static bool has_ended(pid_t process) { return process == getpid() || (kill(process, 0) != 0 && errno == ESRCH); }

static void remove_leftover(int folder, const char *name) {
  struct stat about;
  int descriptor = openat(folder, name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) return;
  bool is_ours = fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode) && about.st_uid == geteuid();
  if (is_ours && lock(descriptor) && fstat(descriptor, &about) == 0 && about.st_nlink) unlinkat(folder, name, 0);
  close(descriptor);
}

/* Removes leftovers among the first MAX_NAMES names in the target's folder, and ignores failures. */
static void remove_leftovers(const char *target) {
  enum { MAX_NAMES = 10000 };
  char folder[PATH_BYTES] = ".";
  const char *slash = strrchr(target, '/');
  if (slash) snprintf(folder, sizeof folder, "%.*s", (int)(slash + 1 - target), target);
  DIR *names = opendir(folder);
  if (!names) return;
  const struct dirent *entry;
  for (int i = 0; i < MAX_NAMES && (entry = readdir(names)); i++) {
    pid_t process = process_of(entry->d_name);
    if (process && has_ended(process)) remove_leftover(dirfd(names), entry->d_name);
  }
  closedir(names);
}

/* Locks a new draft and returns its descriptor. -1 with EEXIST: another save has removed it as a leftover. */
static int lock_draft(const struct draft *draft, int descriptor) {
  struct stat about;
  bool is_locked = !lock(descriptor) && errno == EWOULDBLOCK; /* other errors: no locks here */
  if (fstat(descriptor, &about) == 0) {
    if (!is_locked && about.st_nlink) return descriptor;
    errno = EEXIST;
  }
  int code = errno;
  if (code != EEXIST) unlink(draft->temporary);
  close(descriptor);
  return errno = code, -1;
}

/* Creates a file with an unused name in the target's folder, since rename works within one file system only. open
   applies the umask to its mode: the umask is shared by threads, so it is not read. A draft that replaces a file is
   private until it has that file's mode: otherwise another process could open it early and read all later writes. */
static int open_temporary(struct draft *draft) {
  enum { MAX_TRIES = 1000 };
  mode_t mode = draft->replaces ? 0600 : 0666;
  const char *slash = strrchr(draft->target, '/');
  int folder = slash ? (int)(slash + 1 - draft->target) : 0, descriptor = -1;
  for (int i = 0; i < MAX_TRIES && descriptor < 0; i++) {
    int length = snprintf(draft->temporary, sizeof draft->temporary, "%.*s" PREFIX "%ld-%d", folder, draft->target,
                          (long)getpid(), i);
    if (length >= (int)sizeof draft->temporary) return errno = ENAMETOOLONG, -1;
    descriptor = open(draft->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (descriptor >= 0) descriptor = lock_draft(draft, descriptor);
    if (descriptor < 0 && errno != EEXIST && errno != EINTR) return -1;
  }
  draft->lock = descriptor < 0 ? -1 : fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  return descriptor;
}

/* Gives the draft the owner, group and mode of the file that it replaces, or at least the group, as far as permitted.
   Never widens access: if the group differs, it gets the rights of others. */
static bool copy_permissions(int descriptor, const struct stat *old) {
  struct stat made;
  if (fstat(descriptor, &made) != 0) return false;
  mode_t mode = old->st_mode & 07777;
  if (made.st_uid != old->st_uid || made.st_gid != old->st_gid)
    if (fchown(descriptor, old->st_uid, old->st_gid) != 0) {
      bool is_same_group = made.st_gid == old->st_gid || fchown(descriptor, (uid_t)-1, old->st_gid) == 0;
      mode &= is_same_group ? 0777 : 0707 | (mode & 07) << 3;
    }
  return fchmod(descriptor, mode) == 0;
}

strew_status draft_create(const struct call *call, const char *path, struct draft *out) {
  struct stat old;
  out->path = path;
  out->output = NULL;
  out->descriptor = out->lock = -1;
  strew_status status = find_target(call, out, &old);
  if (status != STREW_OK) return status;
  remove_leftovers(out->target);
  out->descriptor = open_temporary(out);
  if (out->descriptor < 0) return fail_system(call, path, "cannot be written");
  if (out->replaces && !copy_permissions(out->descriptor, &old)) {
    status = fail_system(call, path, "cannot be replaced by a file of its mode");
    draft_discard(out);
  }
  return status;
}

/* What was printed comes first. */
void draft_open_output(strew_context *context, const char *path, struct draft *out) {
  fflush(stdout);
  *out = (struct draft){.path = path, .descriptor = -1, .lock = -1, .output = context};
}

/* Waits until a piece that poll promises to take can be written, and checks for interruption meanwhile. */
static strew_status write_output(const struct call *call, const struct draft *draft, const char *from,
                                 size_t size_bytes) {
  enum { PIECE_BYTES = 4096, MILLISECONDS = 50 };
  while (size_bytes) {
    struct pollfd wanted = {.fd = STDOUT_FILENO, .events = POLLOUT};
    RETURN_IF_FAILED(context_check(call, draft->output));
    const int count = poll(&wanted, 1, MILLISECONDS);
    if (count == 0 || (count < 0 && errno == EINTR)) continue;
    const ssize_t put =
        count < 0 ? -1 : write(STDOUT_FILENO, from, size_bytes < PIECE_BYTES ? size_bytes : PIECE_BYTES);
    if (put == 0) errno = EIO;
    if (put > 0)
      from += put, size_bytes -= (size_t)put;
    else if (errno != EINTR && errno != EAGAIN)
      return fail_system(call, draft->path, "cannot be written");
  }
  return STREW_OK;
}

strew_status draft_write(const struct call *call, const struct draft *draft, uint64_t at, const void *from,
                         size_t size_bytes) {
  if (draft->output) return write_output(call, draft, from, size_bytes);
  for (size_t done = 0; done < size_bytes;) {
    ssize_t put = pwrite(draft->descriptor, (const char *)from + done, size_bytes - done, (off_t)(at + done));
    if (put == 0) errno = EIO; /* pwrite set none */
    if (put > 0)
      done += (size_t)put;
    else if (errno != EINTR)
      return fail_system(call, draft->path, "cannot be written");
  }
  return STREW_OK;
}

static bool sync_to_disk(int descriptor) {
  int result;
  do result = fsync(descriptor);
  while (result != 0 && errno == EINTR);
  return result == 0;
}

static void draft_close(struct draft *draft) {
  if (draft->descriptor >= 0) close(draft->descriptor);
  if (draft->lock >= 0) close(draft->lock);
  draft->descriptor = draft->lock = -1;
}

/* A draft that replaces a file is written to disk first: otherwise a crash could lose both files. */
strew_status draft_commit(const struct call *call, struct draft *draft) {
  if (draft->output) return STREW_OK;
  bool is_done = !draft->replaces || sync_to_disk(draft->descriptor);
  int descriptor = draft->descriptor;
  if (is_done) {
    draft->descriptor = -1;
    is_done = (close(descriptor) == 0 || errno == EINTR) && rename(draft->temporary, draft->target) == 0;
  }
  if (is_done) return draft_close(draft), STREW_OK;
  strew_status status = fail_system(call, draft->path, "cannot be written");
  draft_discard(draft);
  return status;
}

void draft_discard(struct draft *draft) {
  if (draft->output) return;
  unlink(draft->temporary);
  draft_close(draft);
}
