/* png.c: pictures as .png files, through libpng.

   libpng reports errors by longjmp, here only while a step runs under attempt(). A step works on a struct picture alone
   and owns neither memory nor an open file, so nothing leaks when it is left early. A callback that fails fills in the
   call's error; its status is kept. */
#include "file.h"
#include "format.h"
#include "runtime/core/base/library.h"
#include "runtime/core/base/tensor.h"

#if __has_include(<png.h>)
#include <png.h>

#include <inttypes.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

struct picture {
  const struct call *call;
  strew_context *context;
  const char *path;
  png_structp png;
  png_infop info;
  jmp_buf escape;
  char words[160];         /* libpng's error message */
  strew_status status;     /* of a callback that failed */
  const struct file *file; /* that is read */
  struct draft draft;      /* that is written */
  uint64_t at;             /* offset of the next byte */
  png_uint_32 width, height;
  int channels, bits;    /* bits per channel: 8 or 16 */
  int passes;            /* over the rows: 7 if interlaced, each fills in pixels; else 1 */
  size_t file_row_bytes; /* of a row in the file, uncompressed */
  char *rows;            /* contiguous, in this machine's byte order */
  size_t row_bytes;
  uint64_t size_bytes; /* of the tensor's elements */
};

/* --------------------------------------------------------------------------------------------------- the library */

#define PNG_CALLS(X)                                                                                                   \
  X(png_create_read_struct)                                                                                            \
  X(png_create_write_struct)                                                                                           \
  X(png_create_info_struct)                                                                                            \
  X(png_destroy_read_struct)                                                                                           \
  X(png_destroy_write_struct)                                                                                          \
  X(png_get_error_ptr)                                                                                                 \
  X(png_get_io_ptr)                                                                                                    \
  X(png_error)                                                                                                         \
  X(png_set_read_fn)                                                                                                   \
  X(png_set_write_fn)                                                                                                  \
  X(png_set_user_limits)                                                                                               \
  X(png_set_crc_action)                                                                                                \
  X(png_set_keep_unknown_chunks)                                                                                       \
  X(png_read_info)                                                                                                     \
  X(png_get_IHDR)                                                                                                      \
  X(png_get_rowbytes)                                                                                                  \
  X(png_get_channels)                                                                                                  \
  X(png_get_bit_depth)                                                                                                 \
  X(png_set_expand)                                                                                                    \
  X(png_set_swap)                                                                                                      \
  X(png_set_interlace_handling)                                                                                        \
  X(png_read_update_info)                                                                                              \
  X(png_read_row)                                                                                                      \
  X(png_read_end)                                                                                                      \
  X(png_set_IHDR)                                                                                                      \
  X(png_write_info)                                                                                                    \
  X(png_write_row)                                                                                                     \
  X(png_write_end)

static struct { PNG_CALLS(LIBRARY_MEMBER) } png;

static strew_status check_libpng(const struct call *call, const char *path) {
  static const char *const names[] = {"libpng16.so.16", NULL}, *const symbols[] = {PNG_CALLS(LIBRARY_SYMBOL) NULL};
  static struct library library = {.names = names, .symbols = symbols, .table = &png};
  if (library_find(&library) == LIBRARY_FOUND) return STREW_OK;
  return fail_file(call, path, "on Debian: apt install libpng-dev", "needs the library libpng, which is not installed");
}

/* ------------------------------------------------------------------------------------------------------- failures */

static void jump_out(png_structp from, png_const_charp words) {
  struct picture *picture = png.png_get_error_ptr(from);
  snprintf(picture->words, sizeof picture->words, "%s", words);
  longjmp(picture->escape, 1);
}

static void ignore(png_structp from, png_const_charp words) { (void)from, (void)words; }

/* Runs a step; false if libpng left it by longjmp. run_step: that is a failure. */
static bool attempt(struct picture *picture, void (*step)(struct picture *)) {
  if (setjmp(picture->escape)) return false;
  step(picture);
  return true;
}

static strew_status run_step(struct picture *picture, void (*step)(struct picture *)) {
  char words[sizeof picture->words + TEXT_BYTES];
  if (attempt(picture, step)) return STREW_OK;
  if (picture->status != STREW_OK) return picture->status;
  return fail_file(picture->call, picture->path, NULL, "%s: %s",
                   picture->file ? "is not a readable PNG file" : "cannot be written",
                   text_of_name(picture->words, words));
}

static void create_structs(struct picture *picture) {
  picture->png = (picture->file ? png.png_create_read_struct : png.png_create_write_struct)(PNG_LIBPNG_VER_STRING,
                                                                                            picture, jump_out, ignore);
  if (picture->png) picture->info = png.png_create_info_struct(picture->png);
}

static strew_status create(struct picture *picture) {
  if (attempt(picture, create_structs) && picture->info) return STREW_OK;
  return fail_memory(picture->call, picture->context, sizeof *picture);
}

/* -------------------------------------------------------------------------------------------------------- reading */

/* Reads a few KiB at most, inflated in a few milliseconds, and checks for interruption. */
static void read_png_bytes(png_structp from, png_bytep to, size_t length) {
  struct picture *picture = png.png_get_io_ptr(from);
  picture->status = context_check(picture->call, picture->context);
  if (picture->status == STREW_OK) picture->status = file_read(picture->call, picture->file, picture->at, to, length);
  picture->at += length;
  if (picture->status != STREW_OK) png.png_error(from, "cannot be read");
}

static void read_png_header(struct picture *picture) {
  enum { MAX_SIZE = 0x7fffffff };
  int bits, color;
  png.png_set_read_fn(picture->png, picture, read_png_bytes);
  png.png_set_user_limits(picture->png, MAX_SIZE, MAX_SIZE); /* check_claim sets the limits */
  /* Skips chunks that are not part of the picture (texts, profiles): they may inflate to any size. */
  png.png_set_keep_unknown_chunks(picture->png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
  /* Every damaged chunk is an error: without its tRNS a picture would silently lose its alpha, and libpng's default for
     IEND changed (1.6.48 continues reading). */
  png.png_set_crc_action(picture->png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
  png.png_read_info(picture->png, picture->info);
  picture->file_row_bytes = png.png_get_rowbytes(picture->png, picture->info);
  png.png_get_IHDR(picture->png, picture->info, &picture->width, &picture->height, &bits, &color, NULL, NULL, NULL);
}

/* Fails if the file is too small for its pixels: deflate's largest ratio is 1032. */
static strew_status check_claim(const struct picture *picture) {
  enum { MAX_RATIO = 1032 };
  uint64_t max_bytes = picture->file->size_bytes * MAX_RATIO;
  if (picture->file_row_bytes <= max_bytes / picture->height) return STREW_OK;
  return fail_file(picture->call, picture->path, NULL,
                   "claims to hold %u x %u pixels of %zu bytes a row, more than its %" PRIu64 " bytes can",
                   (unsigned)picture->width, (unsigned)picture->height, picture->file_row_bytes,
                   picture->file->size_bytes);
}

/* Requests 8 or 16 bits in this machine's byte order, separate alpha and no palette. */
static void prepare_rows(struct picture *picture) {
  const uint16_t one = 1;
  bool is_little;
  memcpy(&is_little, &one, 1);
  png.png_set_expand(picture->png);
  if (is_little && png.png_get_bit_depth(picture->png, picture->info) == 16) png.png_set_swap(picture->png);
  picture->passes = png.png_set_interlace_handling(picture->png);
  png.png_read_update_info(picture->png, picture->info);
  picture->channels = png.png_get_channels(picture->png, picture->info);
  picture->bits = png.png_get_bit_depth(picture->png, picture->info);
  picture->row_bytes = png.png_get_rowbytes(picture->png, picture->info);
}

/* Checks for interruption. */
static void check_row(struct picture *picture) {
  picture->status = context_check(picture->call, picture->context);
  if (picture->status != STREW_OK) png.png_error(picture->png, "interrupted");
}

static void read_rows(struct picture *picture) {
  for (int pass = 0; pass < picture->passes; pass++)
    for (png_uint_32 y = 0; y < picture->height; y++) {
      check_row(picture); /* a pass reads nothing for the rows that it skips */
      png.png_read_row(picture->png, (png_bytep)picture->rows + y * picture->row_bytes, NULL);
    }
  png.png_read_end(picture->png, NULL);
}

static strew_status read_tensor(struct picture *picture, strew_device *device, strew_tensor **out) {
  const int64_t sizes[] = {picture->height, picture->width, picture->channels};
  strew_dtype dtype = picture->bits == 16 ? STREW_UINT16 : STREW_UINT8;
  strew_tensor *tensor = NULL;
  picture->size_bytes = (uint64_t)count_of_sizes(3, sizes) * dtype_bytes(dtype);
  strew_status status = check_machine_memory(picture->call, device, picture->size_bytes, NULL);
  strew_device *cpu = &picture->context->cpu;
  TRY(status, tensor_create(picture->call, cpu, dtype, picture->channels == 1 ? 2 : 3, sizes, &tensor));
  if (status == STREW_OK) {
    picture->rows = tensor->storage->data;
    status = run_step(picture, read_rows);
  }
  TRY(status, transfer(picture->call, tensor, device, out));
  strew_release(tensor);
  return status;
}

strew_status png_load(const struct call *call, strew_device *device, struct file *file,
                      const strew_load_options *options, strew_tensor **out) {
  (void)options;
  struct picture picture = {.call = call, .context = device->context, .path = file->path, .file = file};
  RETURN_IF_FAILED(check_libpng(call, file->path));
  strew_status status = create(&picture);
  TRY(status, run_step(&picture, read_png_header));
  TRY(status, check_claim(&picture));
  TRY(status, run_step(&picture, prepare_rows));
  TRY(status, read_tensor(&picture, device, out));
  png.png_destroy_read_struct(&picture.png, &picture.info, NULL);
  return status;
}

/* -------------------------------------------------------------------------------------------------------- writing */

/* Checks that the tensor is a picture, and fills in height, width, channels and bits. */
static strew_status check_picture(struct picture *picture, const strew_tensor *tensor) {
  struct fault fault = {.code = STREW_EDTYPE, .argument = "x", .hint = "strew_image(x) makes colours of numbers"};
  if (tensor->dtype != STREW_UINT8 && tensor->dtype != STREW_UINT16 && tensor->dtype != STREW_INT32)
    return fail(picture->call, fault, "is %s, expected uint8, uint16, or int32 with 0..65535 for 16 bits",
                strew_dtype_name(tensor->dtype));
  fault = FAULT(STREW_ESHAPE, "x");
  if (tensor->rank != 2 && tensor->rank != 3)
    return fail(picture->call, fault, "is of rank %d, expected [height, width] or [height, width, channels]",
                tensor->rank);
  int64_t channels = tensor->rank == 3 ? tensor->sizes[2] : 1;
  if (channels < 1 || channels > 4) {
    if (tensor->sizes[0] >= 1 && tensor->sizes[0] <= 4)
      fault.hint = "strew_permute(x, 1, 2, 0) moves channels to the end";
    return fail(picture->call, fault, "has %" PRId64 " channels, expected 1 to 4: [height, width, channels]", channels);
  }
  for (int d = 0; d < 2; d++)
    if (tensor->sizes[d] < 1 || tensor->sizes[d] > INT32_MAX)
      return fail(picture->call, fault, "has size %" PRId64 " in dim %d, expected 1..%d", tensor->sizes[d], d,
                  INT32_MAX);
  picture->height = (png_uint_32)tensor->sizes[0];
  picture->width = (png_uint_32)tensor->sizes[1];
  picture->channels = (int)channels;
  picture->bits = tensor->dtype == STREW_UINT8 ? 8 : 16;
  return STREW_OK;
}

/* Makes the elements 16 bits in place, high byte first. Fails if one is out of range. */
static strew_status png_narrow(const struct picture *picture, const strew_tensor *tensor, char *elements) {
  int64_t count = strew_tensor_numel(tensor), position[3];
  for (int64_t i = 0; i < count; i++) {
    const size_t size = dtype_bytes(tensor->dtype);
    const int64_t wide = strew_scalar_load(tensor->dtype, elements + (size_t)i * size).as.i;
    if (wide < 0 || wide > UINT16_MAX) {
      strew_scalar value = strew_int(wide);
      char text[TEXT_BYTES];
      int64_t rest = i;
      for (int d = tensor->rank - 1; d >= 0; rest /= tensor->sizes[d--]) position[d] = rest % tensor->sizes[d];
      return fail(picture->call,
                  (struct fault){.code = STREW_EVALUE,
                                 .argument = "x",
                                 .value = &value,
                                 .position = position,
                                 .position_rank = tensor->rank},
                  "has value %d at %s, valid 0..65535", (int)wide, text_of_sizes(tensor->rank, position, text));
    }
    elements[2 * i] = (char)(wide >> 8);
    elements[2 * i + 1] = (char)wide;
  }
  return STREW_OK;
}

static void write_png_bytes(png_structp to, png_bytep from, size_t length) {
  struct picture *picture = png.png_get_io_ptr(to);
  picture->status = draft_write(picture->call, &picture->draft, picture->at, from, length);
  picture->at += length;
  if (picture->status != STREW_OK) png.png_error(to, "cannot be written");
}

static void flush_nothing(png_structp to) { (void)to; }

static void write_all(struct picture *picture) {
  static const int colors[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                               PNG_COLOR_TYPE_RGB_ALPHA};
  png.png_set_write_fn(picture->png, picture, write_png_bytes, flush_nothing);
  png.png_set_user_limits(picture->png, picture->width, picture->height);
  png.png_set_IHDR(picture->png, picture->info, picture->width, picture->height, picture->bits,
                   colors[picture->channels - 1], PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_BASE, PNG_FILTER_TYPE_BASE);
  png.png_write_info(picture->png, picture->info);
  for (png_uint_32 y = 0; y < picture->height; y++) {
    check_row(picture);
    png.png_write_row(picture->png, (png_const_bytep)picture->rows + y * picture->row_bytes);
  }
  png.png_write_end(picture->png, picture->info);
}

static strew_status write_png(struct picture *picture) {
  RETURN_IF_FAILED(draft_create(picture->call, picture->path, &picture->draft));
  strew_status status = create(picture);
  TRY(status, run_step(picture, write_all));
  png.png_destroy_write_struct(&picture->png, &picture->info);
  if (status == STREW_OK) return draft_commit(picture->call, &picture->draft);
  draft_discard(&picture->draft);
  return status;
}

strew_status png_save(const struct call *call, const strew_tensor *tensor, const char *path,
                      const strew_save_options *options) {
  (void)options;
  struct picture picture = {.call = call, .context = tensor_context(tensor), .path = path};
  strew_status status = check_libpng(call, path);
  TRY(status, check_picture(&picture, tensor));
  if (status != STREW_OK) return status;
  picture.size_bytes = (uint64_t)strew_tensor_numel(tensor) * dtype_bytes(tensor->dtype);
  picture.row_bytes = (size_t)picture.width * (size_t)picture.channels * (size_t)picture.bits / 8;
  ALLOCATE(picture.rows, call, picture.context, picture.size_bytes);
  status = strew_read(tensor, picture.rows, (size_t)picture.size_bytes, call->error);
  if (status == STREW_OK && picture.bits == 16) status = png_narrow(&picture, tensor, picture.rows);
  TRY(status, write_png(&picture));
  memory_free(picture.context, picture.rows, picture.size_bytes);
  return status;
}

#else

#pragma GCC diagnostic ignored "-Wunused-parameter"

static strew_status fail_built(const struct call *call, const char *path) {
  return fail_file(call, path, "on Debian: apt install libpng-dev, and make again",
                   "needs libpng, and strew was built without it");
}

strew_status png_load(const struct call *call, strew_device *device, struct file *file,
                      const strew_load_options *options, strew_tensor **out) {
  return fail_built(call, file->path);
}

strew_status png_save(const struct call *call, const strew_tensor *tensor, const char *path,
                      const strew_save_options *options) {
  return fail_built(call, path);
}
#endif
