/* replay.c: feeds a target the bytes of files, and of the files in folders (libFuzzer's findings), with any compiler. A
   missing folder is empty. */
#define _XOPEN_SOURCE 700
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static long replayed;

static void replay_file(const char *path, size_t size) {
  FILE *file = fopen(path, "rb");
  uint8_t *bytes = malloc(size + 1);
  PROMISE(file && bytes && fread(bytes, 1, size, file) == size);
  uint8_t *exact = realloc(bytes, size ? size : 1); /* sanitizers find reads past its end */
  fclose(file);
  fuzz_input = path;
  LLVMFuzzerTestOneInput(exact, size);
  free(exact);
  replayed++;
}

static void replay(const char *path) {
  struct stat about;
  if (stat(path, &about) != 0) return;
  if (!S_ISDIR(about.st_mode)) {
    replay_file(path, (size_t)about.st_size);
    return;
  }
  DIR *folder = opendir(path);
  PROMISE(folder);
  for (struct dirent *entry; (entry = readdir(folder));) {
    char below[4096];
    if (*entry->d_name == '.') continue;
    snprintf(below, sizeof below, "%s/%s", path, entry->d_name);
    replay(below);
  }
  closedir(folder);
}

int main(int count, char **arguments) {
  for (int i = 1; i < count; i++) replay(arguments[i]);
  const char *name = strrchr(arguments[0], '/');
  printf("%s: %ld inputs, no promise broken\n", name ? name + 1 : arguments[0], replayed);
  return EXIT_SUCCESS;
}
