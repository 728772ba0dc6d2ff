/* fuzz.c: see fuzz.h. */
#define _XOPEN_SOURCE 700
#include "fuzz.h"

#include "runtime/core/base/utf8.h"

#include <dirent.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define ADDRESS_SANITIZER
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define ADDRESS_SANITIZER
#endif

const char *fuzz_input = "(bytes)";

void fuzz_break(const char *file, int line, const char *fact) {
  fprintf(stderr, "%s:%d: %s: broken: %s\n", file, line, fuzz_input, fact);
  abort();
}

/* ----------------------------------------------------------------------------------------------------------- memory */

static size_t held_bytes;

static void *allocate(void *user, size_t size_bytes, size_t alignment) {
  (void)user;
  void *block = NULL;
  if (posix_memalign(&block, alignment, size_bytes) != 0) return NULL;
  held_bytes += size_bytes;
  return block;
}

static void deallocate(void *user, void *block, size_t size_bytes) {
  (void)user;
#ifdef ADDRESS_SANITIZER
  PROMISE(malloc_usable_size(block) == size_bytes); /* ASan's allocator would report the request */
#endif
  PROMISE(held_bytes >= size_bytes);
  held_bytes -= size_bytes;
  free(block);
}

const strew_allocator fuzz_allocator = {allocate, deallocate, NULL};

size_t fuzz_held_bytes(void) { return held_bytes; }

strew_device *fuzz_device(void) {
  static strew_device *device;
  const strew_options options = {.threads = 1, .memory_limit_bytes = 256 << 20, .allocator = fuzz_allocator};
  strew_context *context = NULL; /* kept until the process ends */
  if (device) return device;
  PROMISE(strew_context_create(&options, &context, NULL) == STREW_OK);
  PROMISE(strew_device_find(context, "cpu", &device, NULL) == STREW_OK);
  return device;
}

void fuzz_expect_nothing(void) { PROMISE(strew_context_bytes(strew_device_context(fuzz_device())) == 0); }

/* ------------------------------------------------------------------------------------------------------------ files */

/* libFuzzer exits at once when it finds something: then the folder stays. */
static char folder[64];

static void remove_folder(void) {
  char path[512];
  DIR *files = opendir(folder);
  for (struct dirent *file; files && (file = readdir(files));) {
    snprintf(path, sizeof path, "%s/%s", folder, file->d_name);
    unlink(path);
  }
  if (files) closedir(files);
  rmdir(folder);
}

/* In memory, if the system has a file system for it. */
const char *fuzz_folder(void) {
  if (*folder) return folder;
  strcpy(folder, access("/dev/shm", W_OK) == 0 ? "/dev/shm/strew-fuzz-XXXXXX" : "/tmp/strew-fuzz-XXXXXX");
  PROMISE(mkdtemp(folder));
  atexit(remove_folder);
  return folder;
}

static const char *path_of(const char *name, const char *suffix, char *path) {
  sprintf(path, "%s/%s%s", fuzz_folder(), name, suffix);
  return path;
}

const char *fuzz_file(const char *suffix, const uint8_t *bytes, size_t size) {
  static char path[128];
  int file = open(path_of("file", suffix, path), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  PROMISE(file >= 0 && write(file, bytes, size) == (ssize_t)size);
  close(file);
  return path;
}

/* True if the codes stand for the same words. */
static bool are_same_words(const strew_tensor *a, const strew_tensor *b, const int32_t *codes, const int32_t *others) {
  for (int64_t i = 0; i < strew_tensor_numel(a); i++)
    if (strcmp(strew_word(a, codes[i], NULL), strew_word(b, others[i], NULL)) != 0) return false;
  return true;
}

bool fuzz_is_same(const strew_tensor *a, const strew_tensor *b) {
  int rank = strew_tensor_rank(a);
  if (rank != strew_tensor_rank(b) || strew_tensor_dtype(a) != strew_tensor_dtype(b)) return false;
  if (memcmp(strew_tensor_sizes(a), strew_tensor_sizes(b), (size_t)rank * sizeof(int64_t)) != 0) return false;
  size_t size = (size_t)strew_tensor_numel(a) * strew_dtype_size_bytes(strew_tensor_dtype(a));
  void *left = malloc(size + 1), *right = malloc(size + 1);
  PROMISE(left && right);
  PROMISE(strew_read(a, left, size, NULL) == STREW_OK && strew_read(b, right, size, NULL) == STREW_OK);
  const bool is_text = strew_tensor_dtype(a) == STREW_TEXT;
  const bool is_same = is_text ? are_same_words(a, b, left, right) : memcmp(left, right, size) == 0;
  free(left), free(right);
  return is_same;
}

/* True if texts have the same words, with the same codes; of other tensors, always. */
static bool are_same_lists(const strew_tensor *a, const strew_tensor *b) {
  if (strew_word_count(a) != strew_word_count(b)) return false;
  for (int64_t k = 0; k < strew_word_count(a); k++)
    if (strcmp(strew_word(a, k, NULL), strew_word(b, k, NULL)) != 0) return false;
  return true;
}

bool fuzz_is_same_column(const strew_table *a, const strew_table *b, int64_t i) {
  const strew_tensor *x = strew_table_tensor(a, i), *y = strew_table_tensor(b, i);
  return fuzz_is_same(x, y) && are_same_lists(x, y);
}

static bool are_same(const strew_table *a, const strew_table *b) {
  if (strew_table_count(a) != strew_table_count(b)) return false;
  for (int64_t i = 0; i < strew_table_count(a); i++) {
    if (strcmp(strew_table_name(a, i), strew_table_name(b, i)) != 0) return false;
    if (!fuzz_is_same_column(a, b, i)) return false;
  }
  return true;
}

/* True if a word of the text is not UTF-8. */
static bool has_other_bytes(const strew_tensor *text) {
  for (int64_t k = 0; k < strew_word_count(text); k++) {
    const unsigned char *at = (const unsigned char *)strew_word(text, k, NULL);
    int length = 1;
    while (*at && length) at += length = utf8_length(at);
    if (*at) return true;
  }
  return false;
}

static bool has_other_words(const strew_tensor *tensor, const strew_table *table) {
  for (int64_t i = 0; table && i < strew_table_count(table); i++)
    if (has_other_bytes(strew_table_tensor(table, i))) return true;
  return tensor && has_other_bytes(tensor);
}

/* What was loaded can be saved and loaded again. (A .csv file does not record an empty column's words, or float32:
   compared with the options of loading. NumPy's S may hold words that are not UTF-8, which <U cannot.) */
static void save_again(const char *suffix, strew_tensor *tensor, const strew_table *table,
                       const strew_load_options *options, const strew_save_options *save) {
  char path[128];
  strew_tensor *back = NULL;
  strew_table *table_back = NULL;
  strew_error error = {0};
  path_of("again", suffix, path);
  strew_status status = tensor ? strew_save(tensor, path, save, &error) : strew_save_table(table, path, save, &error);
  if (strstr(error.message, "which is not UTF-8")) {
    PROMISE(status == STREW_EVALUE && has_other_words(tensor, table));
    return;
  }
  if (status == STREW_OK) status = strew_load(fuzz_device(), path, options, &back, &table_back, &error);
  if (status != STREW_OK) fprintf(stderr, "%s\n", error.message);
  PROMISE(status == STREW_OK);
  PROMISE(tensor ? back && fuzz_is_same(tensor, back) : table_back && are_same(table, table_back));
  strew_release(back);
  strew_table_release(table_back);
}

bool fuzz_load(const char *suffix, const uint8_t *bytes, size_t size, const strew_load_options *options,
               const strew_save_options *save) {
  strew_tensor *tensor = NULL;
  strew_table *table = NULL;
  strew_error error = {0};
  strew_status status = strew_load(fuzz_device(), fuzz_file(suffix, bytes, size), options, &tensor, &table, &error);
  if (status != STREW_OK)
    PROMISE(!tensor && !table && error.code == status && *error.message);
  else if (save)
    save_again(suffix, tensor, table, options, save);
  strew_release(tensor);
  strew_table_release(table);
  fuzz_expect_nothing();
  return status == STREW_OK;
}

void fuzz_load_repaired(const char *suffix, const uint8_t *bytes, size_t size,
                        void (*repair)(uint8_t *bytes, size_t size), const strew_save_options *save) {
  uint8_t *repaired = malloc(size + 1);
  PROMISE(repaired);
  memcpy(repaired, bytes, size);
  repair(repaired, size);
  if (memcmp(bytes, repaired, size) != 0) fuzz_load(suffix, repaired, size, NULL, save);
  free(repaired);
}

uint32_t fuzz_crc(const uint8_t *bytes, size_t size) {
  uint32_t crc = 0xffffffff;
  for (size_t i = 0; i < size; i++) {
    crc ^= bytes[i];
    for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc;
}

static uint8_t *put_little(uint8_t *to, size_t value, int count) {
  for (int i = 0; i < count; i++) *to++ = (uint8_t)(value >> 8 * i);
  return to;
}

uint8_t *fuzz_put_member(uint8_t *to, const uint8_t *text, size_t size) {
  static const uint8_t head[10] = {0x1f, 0x8b, 8};
  size_t first = size / 3;
  memcpy(to, head, sizeof head);
  to += sizeof head;
  for (int last = !first; last < 2; last++) {
    size_t at = last ? first : 0, length = last ? size - first : first;
    *to++ = (uint8_t)last;
    to = put_little(put_little(to, length, 2), ~length, 2);
    memcpy(to, text + at, length);
    to += length;
  }
  return put_little(put_little(to, fuzz_crc(text, size), 4), size, 4);
}

/* ------------------------------------------------------------------------------------------------------------ bytes */

uint8_t fuzz_byte(struct bytes *bytes) { return bytes->at < bytes->end ? *bytes->at++ : 0; }

int fuzz_below(struct bytes *bytes, int n) { return fuzz_byte(bytes) % n; }

int64_t fuzz_integer(struct bytes *bytes) {
  static const int64_t ends[] = {INT64_MAX,         INT64_MIN,          INT64_MAX - 1, INT64_MAX / 2,
                                 INT64_MAX / 8 + 1, INT32_MAX,          INT32_MIN,     UINT32_MAX,
                                 (int64_t)1 << 40,  -1 - INT64_MAX / 8, 255,           -129};
  enum { ENDS = sizeof ends / sizeof *ends };
  int byte = fuzz_byte(bytes);
  return byte < 256 - ENDS ? byte % 32 - 8 : ends[byte - (256 - ENDS)];
}
