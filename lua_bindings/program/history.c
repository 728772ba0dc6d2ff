/* history.c: the file has a line per entry, in which \n and \\ stand for newline and backslash. Sessions read and change
   it under a lock. (readline's own functions lock nothing, read files of any size, and take a line like "#1" for a
   time.) */
#define _GNU_SOURCE /* flock */
#include "prompt.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
  MAX_READ_BYTES = 4 << 20,    /* bytes read from the end of the file */
  MAX_ENTRY_BYTES = 256 << 10, /* bytes of a saved entry */
  TRIES = 100,
  PAUSE_US = 10000, /* between attempts to lock: locks are held briefly */
};

static char path[PATH_MAX];
static bool is_saved;

/* True if ok; otherwise reports why nothing is saved from now on. */
static bool check(bool ok, const char *what) {
  if (!ok) fprintf(stderr, "history is not saved: %s: %s\n", what, strerror(errno));
  return ok;
}

/* Writes an entry as a line of the file; false: errno says why not. */
static bool write_entry(FILE *file, const char *entry) {
  for (; *entry; entry++) {
    if (*entry == '\n' || *entry == '\\') putc('\\', file);
    putc(*entry == '\n' ? 'n' : *entry, file);
  }
  putc('\n', file);
  return fflush(file) == 0 && !ferror(file);
}

/* Turns a line of the file into an entry. */
static void unescape(char *line) {
  char *to = line;
  line[strcspn(line, "\n")] = '\0';
  for (; *line; line++) {
    bool is_mark = line[0] == '\\' && line[1];
    if (is_mark) line++;
    *to++ = (char)(is_mark && *line == 'n' ? '\n' : *line);
  }
  *to = '\0';
}

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

/* Opens and locks the file for reading and writing; NULL: errno says why. */
static FILE *open_locked(void) {
  struct stat about;
  int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600), error = 0;
  if (file < 0) return NULL;
  if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode)) error = EINVAL;
  for (int tries = 0; !error && flock(file, LOCK_EX | LOCK_NB) != 0; usleep(PAUSE_US))
    if (++tries == TRIES) error = EWOULDBLOCK;
  if (!error && about.st_mode & 077) fchmod(file, 0600);
  FILE *stream = error ? NULL : fdopen(file, "r+");
  if (stream) return stream;
  close(file);
  errno = error ? error : ENOMEM;
  return NULL;
}

/* Reads the end of the file. Returns true if most of it is old or duplicate, or its last line was cut off. */
static bool read_entries(FILE *file) {
  char *line = NULL;
  size_t capacity = 0, lines = 0, kept = 0;
  bool is_cut = fseek(file, -1L - MAX_READ_BYTES, SEEK_END) == 0, is_whole = true;
  if (is_cut && getline(&line, &capacity, file) < 0) is_whole = false; /* the first line may be incomplete */
  for (ssize_t n; (n = getline(&line, &capacity, file)) > 0; lines++) {
    is_whole = line[n - 1] == '\n';
    unescape(line);
    if (*line) line_remember(line);
  }
  free(line);
  while (line_entry(kept)) kept++;
  return feof(file) && (is_cut || !is_whole || lines > kept + LINE_MAX_ENTRIES / 2);
}

/* Keeps the entries alone. Each moves toward the beginning or stays, so a crash damages one at most. */
static bool rewrite(FILE *file) {
  const char *entry;
  bool ok = fseek(file, 0, SEEK_SET) == 0;
  for (size_t i = 0; ok && (entry = line_entry(i)) != NULL; i++) ok = write_entry(file, entry);
  return ok && ftruncate(fileno(file), ftell(file)) == 0;
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

void history_open(void) {
  const char *what = find_path()       ? path
                     : errno == ENOENT ? "neither $XDG_STATE_HOME nor $HOME is set"
                                       : "$XDG_STATE_HOME";
  FILE *file = what == path && make_folders() ? open_locked() : NULL;
  is_saved = check(file && (!read_entries(file) || rewrite(file)), what);
  if (file) fclose(file);
}

void history_add(const char *entry) {
  if (strlen(entry) > MAX_ENTRY_BYTES || !line_remember(entry) || !is_saved) return;
  FILE *file = open_locked();
  is_saved = check(file && fseek(file, 0, SEEK_END) == 0 && write_entry(file, entry), path);
  if (file) fclose(file);
}
