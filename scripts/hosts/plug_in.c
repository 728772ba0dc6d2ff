/* plug_in.c: a plug-in that computes with strew, and a program that loads and unloads it ten thousand times. Nothing is
   left over: no memory, no thread, no file; libstrew is unloaded with it.
   cc -shared -fPIC -DPLUG_IN plug_in.c $(pkg-config --cflags --libs strew) -o plug_in.so
   cc plug_in.c -ldl -o plug_in && ./plug_in ./plug_in.so */
#ifdef PLUG_IN

#include <strew.h>

/* Returns the count of the most frequent of these values, or -1 on an error. */
int64_t plug_in_run(const int64_t *values, int64_t count, int64_t highest, int threads);
int64_t plug_in_run(const int64_t *values, int64_t count, int64_t highest, int threads) {
  strew_options options = {.threads = threads, .grain_bytes = 1};
  strew_context *context = NULL;
  strew_device *cpu = NULL;
  strew_tensor *index = NULL, *counts = NULL, *most = NULL;
  const int64_t size = highest + 1;
  const strew_group_reduce_options of_size = {.dim_size = &size};
  strew_scalar answer = strew_int(-1);
  strew_status status = strew_context_create(&options, &context, NULL);
  if (status == STREW_OK) status = strew_device_find(context, "cpu", &cpu, NULL);
  if (status == STREW_OK) status = strew_from(cpu, STREW_INT64, 1, &count, values, &index, NULL);
  if (status == STREW_OK)
    status = strew_group_reduce(strew_by_index(index), STREW_GROUP_COUNT, NULL, &of_size, &counts, NULL, NULL);
  if (status == STREW_OK) status = strew_reduce_with(STREW_FOLD_AMAX, counts, NULL, &most, NULL);
  if (status == STREW_OK) strew_item(most, &answer, NULL);
  strew_release(index);
  strew_release(counts);
  strew_release(most);
  strew_context_release(context);
  return answer.as.i;
}

#else

#define _GNU_SOURCE /* mallinfo2 */
#include <dirent.h>
#include <dlfcn.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* (Starting and ending threads is slow: only each hundredth time.) */
enum { ROUNDS = 10000, WARM = 999, THREADS_EACH = 100, VALUES = 4000, HIGHEST = 9, SLACK_KIB = 512 };

static int64_t values[VALUES];

static int64_t load_and_run(const char *path, int threads) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) return fprintf(stderr, "%s\n", dlerror()), -1;
  int64_t (*run)(const int64_t *, int64_t, int64_t, int) = NULL;
  *(void **)&run = dlsym(library, "plug_in_run");
  int64_t answer = run ? run(values, VALUES, HIGHEST, threads) : -1;
  dlclose(library);
  return answer;
}

/* The resources of this process, from /proc if it exists. */
struct holdings {
  size_t allocated_bytes;
  long resident_kib, threads, files, mappings;
};

static long count_lines(const char *path, const char *key) {
  char line[512];
  long number = 0, lines = 0;
  FILE *file = fopen(path, "r");
  while (file && fgets(line, sizeof line, file)) {
    lines++;
    if (key && strncmp(line, key, strlen(key)) == 0) number = strtol(line + strlen(key), NULL, 10);
  }
  if (file) fclose(file);
  return key ? number : lines;
}

static struct holdings look(void) {
  struct holdings now = {.allocated_bytes = mallinfo2().uordblks,
                         .resident_kib = count_lines("/proc/self/status", "VmRSS:"),
                         .threads = count_lines("/proc/self/status", "Threads:"),
                         .mappings = count_lines("/proc/self/maps", NULL)};
  DIR *files = opendir("/proc/self/fd");
  while (files && readdir(files)) now.files++;
  if (files) closedir(files);
  return now;
}

int main(int count, char **arguments) {
  if (count != 2) return fprintf(stderr, "usage: %s PLUG_IN.so\n", arguments[0]), EXIT_FAILURE;
  for (int i = 0; i < VALUES; i++) values[i] = i % 7;
  int64_t expected = load_and_run(arguments[1], 2), wrong = 0;
  struct holdings warm = look(), end;
  for (int i = 1; i < ROUNDS; i++) {
    wrong += load_and_run(arguments[1], i % THREADS_EACH ? 1 : 2) != expected;
    if (i == WARM) warm = look();
  }
  end = look();
  bool is_gone = !dlopen("libstrew.so.0", RTLD_NOLOAD | RTLD_NOW);
  printf("loaded %d times, the answer is %d, others %d; libstrew is %s\n", ROUNDS, (int)expected, (int)wrong,
         is_gone ? "gone" : "still there");

  /* Less than a byte for each round is no growth; memory in use varies by some pages. */
  bool has_grown =
      end.allocated_bytes >= warm.allocated_bytes + ROUNDS || end.resident_kib >= warm.resident_kib + SLACK_KIB;
  has_grown = has_grown || end.threads > warm.threads || end.files > warm.files || end.mappings > warm.mappings;
  printf("since the %dth time: %s\n", WARM, has_grown ? "it has grown" : "no memory, thread, file or mapping more");
  if (has_grown)
    printf("%zu -> %zu bytes allocated, %ld -> %ld KiB resident, %ld -> %ld threads, %ld -> %ld files, %ld -> %ld "
           "mappings\n",
           warm.allocated_bytes, end.allocated_bytes, warm.resident_kib, end.resident_kib, warm.threads, end.threads,
           warm.files, end.files, warm.mappings, end.mappings);
  return wrong || !is_gone || has_grown ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
