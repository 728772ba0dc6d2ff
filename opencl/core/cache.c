/* cache.c: driver binaries on disk, so that a kernel is compiled once per machine and not once per process.

   A file is named after a hash of its key. Its header holds a second hash of the key and one of the binary; a file that
   is truncated, of another key or of another version is ignored. Files are written under a temporary name and renamed.
   No function here fails: on an error the kernel is compiled. */
#define _DEFAULT_SOURCE
#include "opencl.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONGEST_PATH = 512, MOST_BYTES = 256 << 20 };
#define MAGIC 0x31776572745346ull

struct header {
  uint64_t magic, key, binary, size_bytes;
};

static uint64_t hash(uint64_t state, const void *bytes, size_t size_bytes) {
  const unsigned char *at = bytes;
  for (size_t i = 0; i < size_bytes; i++) state = (state ^ at[i]) * 0x100000001b3ull;
  state = (state ^ state >> 32) * 0xd6e8feb86659fd93ull;
  return state ^ state >> 32;
}

/* $XDG_CACHE_HOME/strew, else ~/.cache/strew; creates it. */
static bool folder(char *path) {
  const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  int length = base && *base == '/'   ? snprintf(path, LONGEST_PATH, "%s", base)
               : home && *home == '/' ? snprintf(path, LONGEST_PATH, "%s/.cache", home)
                                      : -1;
  if (length < 0 || length + 64 > LONGEST_PATH) return false;
  mkdir(path, 0700); /* may exist already */
  strcat(path, "/strew");
  mkdir(path, 0700);
  struct stat about; /* binaries are not loaded from a folder that others may write */
  return lstat(path, &about) == 0 && S_ISDIR(about.st_mode) && about.st_uid == geteuid() && !(about.st_mode & 022);
}

bool cache_is_usable(void) {
  char path[LONGEST_PATH];
  return folder(path);
}

static bool path_of(const char *key, char *path) {
  if (!folder(path)) return false;
  size_t used = strlen(path);
  snprintf(path + used, LONGEST_PATH - used, "/%016llx.bin",
           (unsigned long long)hash(0xcbf29ce484222325ull, key, strlen(key)));
  return true;
}

static uint64_t second_hash(const char *key) { return hash(0x9e3779b97f4a7c15ull, key, strlen(key)); }

static void *read_file(strew_context *context, FILE *file, const char *key, size_t *size_bytes) {
  struct header header;
  if (fread(&header, sizeof header, 1, file) != 1 || header.magic != MAGIC || header.key != second_hash(key))
    return NULL;
  if (!header.size_bytes || header.size_bytes > MOST_BYTES) return NULL;
  *size_bytes = (size_t)header.size_bytes;
  void *binary = memory_allocate(context, *size_bytes);
  if (!binary) return NULL;
  if (fread(binary, 1, *size_bytes, file) == *size_bytes && hash(0, binary, *size_bytes) == header.binary)
    return binary;
  memory_free(context, binary, *size_bytes);
  return NULL;
}

/* A pipe under the name of a file is not waited for. */
static FILE *open_file(const char *path) {
  struct stat about;
  const int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (descriptor < 0) return NULL;
  FILE *file = fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode) ? fdopen(descriptor, "rb") : NULL;
  if (!file) close(descriptor);
  return file;
}

void *cache_find(strew_context *context, const char *key, size_t *size_bytes) {
  char path[LONGEST_PATH];
  FILE *file = path_of(key, path) ? open_file(path) : NULL;
  if (!file) return NULL;
  void *binary = read_file(context, file, key, size_bytes);
  fclose(file);
  return binary;
}

/* Empties the folder once it exceeds its bound; binaries in use are stored again when they are next compiled. */
static void bound_folder(size_t more_bytes) {
  char path[LONGEST_PATH];
  DIR *entries = folder(path) ? opendir(path) : NULL;
  if (!entries) return;
  int descriptor = dirfd(entries);
  off_t total = (off_t)more_bytes;
  struct stat about;
  for (struct dirent *entry; (entry = readdir(entries));)
    if (fstatat(descriptor, entry->d_name, &about, 0) == 0 && S_ISREG(about.st_mode)) total += about.st_size;
  rewinddir(entries);
  if (total > MOST_BYTES)
    for (struct dirent *entry; (entry = readdir(entries));)
      if (strstr(entry->d_name, ".bin")) unlinkat(descriptor, entry->d_name, 0);
  closedir(entries);
}

static bool write_file(const char *path, const struct header *header, const void *binary) {
  FILE *file = fopen(path, "wbxe");
  if (!file) return false;
  bool written = fwrite(header, sizeof *header, 1, file) == 1 &&
                 fwrite(binary, 1, (size_t)header->size_bytes, file) == header->size_bytes;
  return fclose(file) == 0 && written;
}

void cache_store(const char *key, const void *binary, size_t size_bytes) {
  char path[LONGEST_PATH], aside[LONGEST_PATH + 32];
  if (!path_of(key, path) || size_bytes > MOST_BYTES / 4) return;
  bound_folder(size_bytes);
  struct header header = {MAGIC, second_hash(key), hash(0, binary, size_bytes), size_bytes};
  snprintf(aside, sizeof aside, "%s.%ld.%p", path, (long)getpid(), (void *)&header);
  if (!write_file(aside, &header, binary) || rename(aside, path) != 0) unlink(aside);
}
