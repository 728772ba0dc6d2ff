/* replay.c: feeds a target the bytes of files, of the files in folders (libFuzzer's findings), and random ones, with
   any compiler. A missing folder is empty. usage: fuzz_TARGET [FILE | FOLDER | random=COUNT,SEED]... */
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

/* Input i of a seed: the same bytes each time. */
static void replay_random(long i, unsigned long seed) {
  static char name[64];
  uint64_t state = ((uint64_t)seed << 32 | (uint64_t)i) * 2 + 1;
  uint8_t bytes[200];
  for (size_t k = 0; k < sizeof bytes; k++) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    bytes[k] = (uint8_t)(state >> 56);
  }
  snprintf(name, sizeof name, "random input %ld of seed %lu", i, seed);
  fuzz_input = name;
  LLVMFuzzerTestOneInput(bytes, 8 + bytes[0] % (sizeof bytes - 8));
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
  for (int i = 1; i < count; i++) {
    long inputs = 0;
    unsigned long seed = 0;
    if (sscanf(arguments[i], "random=%ld,%lu", &inputs, &seed) != 2) replay(arguments[i]);
    for (long k = 0; k < inputs; k++) replay_random(k, seed);
  }
  const char *name = strrchr(arguments[0], '/');
  printf("%s: %ld passed, 0 failed\n", name ? name + 1 : arguments[0], replayed); /* a broken promise aborts */
  return EXIT_SUCCESS;
}
