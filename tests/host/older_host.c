/* older_host.c: a host built with the strew.h of version 0.1.0, which runs with later libraries of the same number.

   The lists below are that header's structs, and stay as they are until the library's number changes. strew.h may only
   give members names and places within `reserved`: then this file compiles, and the library neither reads nor writes
   more than the host has allocated. */
#include "runtime/base/old_forms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef void *allocate_function(void *, size_t, size_t);
typedef void deallocate_function(void *, void *, size_t);
typedef void progress_function(void *, const char *, double);

/* X(struct, type, member, dimensions) */
#define SCALAR(X)  X(scalar, int, dtype, ) X(scalar, int64_t, as, )
#define OPERAND(X) X(operand, strew_tensor *, tensor, ) X(operand, struct scalar, number, )
#define ERROR(X)                                                                                                       \
  X(error, const char *, alias, )                                                                                      \
  X(error, const char *, op, )                                                                                         \
  X(error, int, code, )                                                                                                \
  X(error, const char *, argument, )                                                                                   \
  X(error, bool, has_value, )                                                                                          \
  X(error, struct scalar, value, )                                                                                     \
  X(error, int, position_rank, )                                                                                       \
  X(error, int64_t, position, [16])                                                                                    \
  X(error, char, hint, [256])                                                                                          \
  X(error, char, message, [2048])
#define ALLOCATOR(X)                                                                                                   \
  X(allocator, allocate_function *, allocate, )                                                                        \
  X(allocator, deallocate_function *, deallocate, )                                                                    \
  X(allocator, void *, user, )
#define OPTIONS(X)                                                                                                     \
  X(options, const char *, device, )                                                                                   \
  X(options, int, threads, )                                                                                           \
  X(options, size_t, grain_bytes, )                                                                                    \
  X(options, struct allocator, allocator, )                                                                            \
  X(options, progress_function *, progress, )                                                                          \
  X(options, void *, progress_user, )                                                                                  \
  X(options, size_t, memory_limit_bytes, )                                                                             \
  X(options, double, time_limit_seconds, )                                                                             \
  X(options, bool, sandbox, )
#define CAPABILITIES(X)                                                                                                \
  X(capabilities, bool, float64, )                                                                                     \
  X(capabilities, bool, int64_atomics, )                                                                               \
  X(capabilities, bool, exact_division, )                                                                              \
  X(capabilities, bool, denormals, )                                                                                   \
  X(capabilities, int, units, )                                                                                        \
  X(capabilities, size_t, memory_bytes, )                                                                              \
  X(capabilities, size_t, largest_block_bytes, )                                                                       \
  X(capabilities, size_t, work_group_size, )                                                                           \
  X(capabilities, int64_t, launches, )                                                                                 \
  X(capabilities, int64_t, read_bytes, )                                                                               \
  X(capabilities, char, driver, [128])                                                                                 \
  X(capabilities, char, promise, [256])
#define SCATTER_OPTIONS(X)                                                                                             \
  X(scatter_options, int, reduction, )                                                                                 \
  X(scatter_options, bool, exclude_self, )                                                                             \
  X(scatter_options, int, mode, )
#define GROUP_OPTIONS(X)                                                                                               \
  X(group_options, int, dim, )                                                                                         \
  X(group_options, int64_t, dim_size, )                                                                                \
  X(group_options, int, reduction, )                                                                                   \
  X(group_options, int, mode, )                                                                                        \
  X(group_options, const struct scalar *, fill, )                                                                      \
  X(group_options, const int *, dtype, )                                                                               \
  X(group_options, bool, skip_nan, )
#define LOAD_OPTIONS(X)                                                                                                \
  X(load_options, bool, map, )                                                                                         \
  X(load_options, int, header, )                                                                                       \
  X(load_options, char, separator, )                                                                                   \
  X(load_options, const int *, dtype, )                                                                                \
  X(load_options, int64_t, text_count, )                                                                               \
  X(load_options, const char *const *, text, )                                                                         \
  X(load_options, const char *, format, )                                                                              \
  X(load_options, char, decimal, )                                                                                     \
  X(load_options, int64_t, date_count, )                                                                               \
  X(load_options, const char *const *, dates, )
#define SAVE_OPTIONS(X)                                                                                                \
  X(save_options, bool, compress, )                                                                                    \
  X(save_options, int, header, )                                                                                       \
  X(save_options, char, separator, )                                                                                   \
  X(save_options, const char *, format, )
#define IMAGE_OPTIONS(X)                                                                                               \
  X(image_options, int, colormap, )                                                                                    \
  X(image_options, int64_t, scale, )                                                                                   \
  X(image_options, const double *, min, )                                                                              \
  X(image_options, const double *, max, )                                                                              \
  X(image_options, const unsigned char *, nan, )
#define GUESS(X) X(guess, const char *, wanted, ) X(guess, const char *, nearest, ) X(guess, int, distance, )

#define MEMBER(name, type, member, dimensions) type member dimensions;
#define SAME_PLACE(name, type, member, dimensions)                                                                     \
  _Static_assert(offsetof(struct name, member) == offsetof(strew_##name, member) &&                                    \
                     sizeof(((struct name *)0)->member) == sizeof(((strew_##name *)0)->member),                        \
                 "strew_" #name "." #member " has another place or size");
#define SAME_SIZE(name) _Static_assert(sizeof(struct name) == sizeof(strew_##name), "strew_" #name " has another size")
#define FIXED(name, LIST)                                                                                              \
  struct name {                                                                                                        \
    LIST(MEMBER)                                                                                                       \
  };                                                                                                                   \
  LIST(SAME_PLACE) SAME_SIZE(name)
#define GROWING(name, LIST, words)                                                                                     \
  struct name {                                                                                                        \
    LIST(MEMBER) uint64_t reserved[words];                                                                             \
  };                                                                                                                   \
  LIST(SAME_PLACE) SAME_SIZE(name)

FIXED(scalar, SCALAR);
FIXED(operand, OPERAND);
FIXED(allocator, ALLOCATOR);
FIXED(guess, GUESS);
GROWING(error, ERROR, 8);
GROWING(options, OPTIONS, 8);
GROWING(capabilities, CAPABILITIES, 8);
GROWING(scatter_options, SCATTER_OPTIONS, 4);
GROWING(group_options, GROUP_OPTIONS, 4);
GROWING(load_options, LOAD_OPTIONS, 4);
GROWING(save_options, SAVE_OPTIONS, 4);
GROWING(image_options, IMAGE_OPTIONS, 4);

static int passed, failed;

static void expect(bool fact, const char *what) {
  if (fact)
    passed++;
  else
    failed++, printf("older_host: %s\n", what);
}

/* The structs that the library writes, in blocks of exactly their size, in which a sanitizer or the words behind catch
   a longer write. */
enum { GUARD = 0x5a, GUARD_BYTES = 256 };
static void *guarded(size_t size_bytes) {
  char *block = calloc(1, size_bytes + GUARD_BYTES);
  if (!block) exit(EXIT_FAILURE);
  memset(block + size_bytes, GUARD, GUARD_BYTES);
  return block;
}
static bool is_guarded(const void *block, size_t size_bytes) {
  const char *guard = (const char *)block + size_bytes;
  for (int i = 0; i < GUARD_BYTES; i++)
    if (guard[i] != GUARD) return false;
  return true;
}

#define CASE(status, what) expect((status) == STREW_OK, what)

static void use(strew_device *cpu, struct error *error) {
  const int64_t sizes[] = {2, 2}, numbers[] = {0, 1, 1, 0};
  strew_tensor *x = NULL, *out = NULL;
  strew_error *later = (strew_error *)error;
  CASE(strew_from(cpu, STREW_INT64, 2, sizes, numbers, &x, later), "from");

  struct scatter_options scattering = {.reduction = STREW_SUM};
  CASE(strew_scatter(x, 0, x, strew_of(x), (strew_scatter_options *)&scattering, &out, later), "scatter");
  strew_release(out), out = NULL;
  struct group_options grouping = {.dim = -1, .dim_size = -1, .reduction = STREW_SUM};
  CASE(strew_group(x, x, (strew_group_options *)&grouping, &out, NULL, later), "group");
  strew_release(out), out = NULL;
  struct image_options painting = {.colormap = STREW_GREY};
  CASE(strew_image(x, (strew_image_options *)&painting, &out, later), "image");
  strew_release(out), out = NULL;

  char path[64];
  snprintf(path, sizeof path, "/tmp/older_host.%ld.npy", (long)getpid());
  struct save_options saving = {.compress = false};
  struct load_options loading = {.map = true};
  CASE(strew_save(x, path, (strew_save_options *)&saving, later), "save");
  CASE(strew_load(cpu, path, (strew_load_options *)&loading, &out, NULL, later), "load");
  strew_release(out), out = NULL;
  remove(path);

  expect(strew_gather(x, 5, x, STREW_ERROR, &out, later) == STREW_ESHAPE, "a failure");
  expect(error->code == STREW_ESHAPE && strstr(error->message, "gather: 'dim' is 5") == error->message, error->message);
  strew_release(x);
}

int main(void) {
  struct error *error = guarded(sizeof *error);
  struct capabilities *can = guarded(sizeof *can);
  struct options options = {.threads = 2};
  strew_context *context = NULL;
  strew_device *cpu = NULL;
  CASE(strew_context_create((strew_options *)&options, &context, (strew_error *)error), "context_create");
  CASE(strew_device_find(context, NULL, &cpu, (strew_error *)error), "device_find");
  CASE(strew_device_capabilities(cpu, (strew_capabilities *)can, (strew_error *)error), "capabilities");
  expect(can->units == 2 && can->float64, "what the device can do");
  use(cpu, error);
  strew_context_release(context);
  expect(is_guarded(error, sizeof *error), "memory behind the error was written");
  expect(is_guarded(can, sizeof *can), "memory behind the capabilities was written");
  free(error), free(can);
  printf("older_host: %d passed, %d failed\n", passed, failed);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
