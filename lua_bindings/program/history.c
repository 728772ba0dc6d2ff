/* history.c: the file has a line per entry, in which \n and \\ stand for newline and backslash. Sessions append to it
   under a lock. A starting session removes duplicates and old entries: it writes a new file beside the old one and
   renames it. So a lock counts only while the file still has its name. */
#define _GNU_SOURCE /* flock */
#include "history.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
  MAX_ENTRIES = 1000,
  MAX_READ_BYTES = 4 << 20,    /* bytes read from the end of the file */
  MAX_ENTRY_BYTES = 256 << 10, /* bytes of a saved entry */
  TRIES = 100,
  PAUSE_US = 10000, /* between attempts to lock: locks are held briefly */
};

static char path[PATH_MAX], problem[PATH_MAX + 128];
static char **entries;
static size_t count;
static bool is_saved;

static const char *fail(const char *what) {
  is_saved = false;
  snprintf(problem, sizeof problem, "history is not saved: %s: %s", what, strerror(errno));
  return problem;
}

/* ------------------------------------------------------------------------------------------------------ in memory */

static void remove_entry(size_t i) {
  free(entries[i]);
  memmove(entries + i, entries + i + 1, (--count - i) * sizeof *entries);
}

/* Adds an entry; takes ownership of the string. */
static bool add_entry(char *entry) {
  if (!entries) entries = malloc((MAX_ENTRIES + 1) * sizeof *entries);
  if (!entries || !entry) {
    free(entry);
    return false;
  }
  for (size_t i = count; i-- > 0;)
    if (strcmp(entries[i], entry) == 0) remove_entry(i);
  entries[count++] = entry;
  if (count > MAX_ENTRIES) remove_entry(0);
  return true;
}

/* ------------------------------------------------------------------------------------------------------ as a line */

/* Returns an entry as a line of the file, with newline; NULL: out of memory. */
static char *to_line(const char *entry) {
  char *line = malloc(2 * strlen(entry) + 2), *to = line;
  if (!line) return NULL;
  for (; *entry; entry++) {
    if (*entry == '\n' || *entry == '\\') *to++ = '\\';
    *to++ = (char)(*entry == '\n' ? 'n' : *entry);
  }
  *to++ = '\n';
  *to = '\0';
  return line;
}

static char *from_line(const char *line, size_t length) {
  char *entry = malloc(length + 1), *to = entry;
  if (!entry) return NULL;
  for (const char *end = line + length; line < end; line++) {
    bool is_mark = *line == '\\' && line + 1 < end;
    if (is_mark) line++;
    *to++ = (char)(is_mark && *line == 'n' ? '\n' : *line);
  }
  *to = '\0';
  return entry;
}

/* ------------------------------------------------------------------------------------------------------- the file */

/* Creates the folders above the file. */
static bool make_folders(void) {
  for (char *slash = path + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
    *slash = '\0';
    bool ok = mkdir(path, 0700) == 0 || errno == EEXIST;
    *slash = '/';
    if (!ok) return false;
  }
  return true;
}

/* Opens and locks the file for reading and appending; -1: errno says why. */
static int open_locked(void) {
  for (int tries = 0; tries < TRIES; tries++) {
    struct stat opened, named;
    int file = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600);
    if (file < 0) return -1;
    if (fstat(file, &opened) == 0 && !S_ISREG(opened.st_mode))
      errno = EINVAL;
    else if (flock(file, LOCK_EX | LOCK_NB) == 0 && stat(path, &named) == 0 && named.st_ino == opened.st_ino &&
             named.st_dev == opened.st_dev) {
      if (opened.st_mode & 077) fchmod(file, 0600);
      return file;
    }
    int error = errno;
    close(file);
    errno = error;
    if (error == EINVAL) return -1;
    usleep(PAUSE_US);
  }
  errno = EWOULDBLOCK;
  return -1;
}

static bool write_all(int file, const char *text) {
  size_t left = strlen(text);
  while (left > 0) {
    ssize_t n = write(file, text, left);
    if (n < 0 && errno != EINTR) return false;
    if (n > 0) text += n, left -= (size_t)n;
  }
  return true;
}

/* Adds the entries of a text; returns its number of lines. */
static size_t read_lines(const char *text, size_t length) {
  size_t lines = 0;
  for (const char *end = text + length, *stop; text < end; text = stop + 1, lines++) {
    stop = memchr(text, '\n', (size_t)(end - text));
    if (!stop) stop = end; /* a line truncated by a full disk */
    if (stop > text) add_entry(from_line(text, (size_t)(stop - text)));
  }
  return lines;
}

/* Adds the entries of the file; returns its number of lines, or -1. */
static long read_file(int file) {
  struct stat about;
  if (fstat(file, &about) != 0) return -1;
  off_t start = about.st_size > MAX_READ_BYTES ? about.st_size - MAX_READ_BYTES : 0;
  size_t size = (size_t)(about.st_size - start), length = 0;
  char *text = malloc(size + 1);
  if (!text) return -1;
  while (length < size) {
    ssize_t n = pread(file, text + length, size - length, start + (off_t)length);
    if (n <= 0) break;
    length += (size_t)n;
  }
  if (length > 0 && text[length - 1] != '\n')
    write_all(file, "\n"); /* or the next entry would be appended to a truncated line */
  const char *first = start > 0 ? memchr(text, '\n', length) : NULL; /* the first line may be incomplete */
  size_t skipped = first ? (size_t)(first - text) + 1 : 0;
  long lines = (long)read_lines(text + skipped, length - skipped) + (start > 0 ? MAX_ENTRIES : 0);
  free(text);
  return lines;
}

/* Rewrites the file; on failure the old one stays. */
static void rewrite(void) {
  char beside[PATH_MAX + 16];
  snprintf(beside, sizeof beside, "%s.new", path);
  unlink(beside); /* opening a pipe of that name would wait */
  int file = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  bool ok = file >= 0;
  for (size_t i = 0; i < count && ok; i++) {
    char *line = to_line(entries[i]);
    ok = line && write_all(file, line);
    free(line);
  }
  if (file >= 0 && close(file) != 0) ok = false;
  if (!ok || rename(beside, path) != 0) unlink(beside);
}

/* Finds the path of the file; false: errno says why. */
static bool find_path(void) {
  const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
  int n = -1;
  if (state && state[0] == '/')
    n = snprintf(path, sizeof path, "%s/strew/history", state);
  else if (home && home[0] == '/')
    n = snprintf(path, sizeof path, "%s/.local/state/strew/history", home);
  errno = n < 0 ? ENOENT : ENAMETOOLONG;
  return n > 0 && (size_t)n < sizeof path;
}

static void follow_links(void) {
  char *real = realpath(path, NULL);
  if (real && strlen(real) < sizeof path) strcpy(path, real);
  free(real);
}

const char *history_open(void) {
  is_saved = true;
  if (!find_path()) return fail(errno == ENOENT ? "neither $XDG_STATE_HOME nor $HOME is set" : "$XDG_STATE_HOME");
  if (!make_folders()) return fail(path);
  follow_links();
  int file = open_locked();
  if (file < 0) return fail(path);
  long lines = read_file(file);
  if (lines > (long)count + MAX_ENTRIES / 2 || lines > 2 * MAX_ENTRIES) rewrite();
  close(file);
  return lines < 0 ? fail(path) : NULL;
}

const char *history_add(const char *entry) {
  if (strlen(entry) > MAX_ENTRY_BYTES || (count > 0 && strcmp(entries[count - 1], entry) == 0)) return NULL;
  char *copy = strdup(entry);
  if (!add_entry(copy) || !is_saved) return NULL;
  char *line = to_line(entry);
  int file = line ? open_locked() : -1;
  bool ok = file >= 0 && write_all(file, line);
  const char *why = ok ? NULL : fail(path);
  if (file >= 0) close(file);
  free(line);
  return why;
}

const char *const *history_entries(size_t *n) {
  *n = count;
  return (const char *const *)entries;
}

void history_close(void) {
  for (size_t i = 0; i < count; i++) free(entries[i]);
  free(entries);
  entries = NULL;
  count = 0;
}
