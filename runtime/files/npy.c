/* npy.c: tensors as .npy files and members of archives. On the CPU, elements are read and written in place; on other
   devices, in chunks. A header must agree with the number of bytes before memory is allocated for its elements. */
#include "npy.h"
#include "format.h"
#include "stream.h"

#include <inttypes.h>
#include <string.h>

enum { CHUNK_BYTES = 4 << 20 };

#define fail_source(call, source, ...) fail_member(call, (source)->path, (source)->member, __VA_ARGS__)

/* --------------------------------------------------------------------------------------------------------- header */

/* Fails unless the source has exactly the bytes of a tensor of this header. */
static strew_status check_size(const struct call *call, const struct npy_source *source,
                               const struct npy_header *header, uint64_t data_at, uint64_t *data_bytes) {
  char text[TEXT_BYTES];
  const char *shape = text_of_sizes(header->rank, header->sizes, text), *dtype = header->file_dtype;
  uint64_t found = source->size_bytes - data_at, expected = header->file_bytes;
  bool is_countable = check_sizes(&(struct call){0}, header->dtype, header->rank, header->sizes) == STREW_OK;
  if (!is_countable)
    return fail_source(call, source, NULL, "claims to hold %s%s, more bytes than can be addressed", dtype, shape);
  expected *= (uint64_t)count_of_sizes(header->rank, header->sizes);
  *data_bytes = expected;
  if (source->size_bytes == NPY_UNKNOWN_BYTES) return STREW_OK;
  if (found < expected)
    return fail_source(call, source, NULL,
                       "is truncated: %s%s takes %" PRIu64 " bytes from byte %" PRIu64 " on, found %" PRIu64, dtype,
                       shape, expected, data_at, found);
  if (found > expected)
    return fail_member(
        call, source->path, source->member, "arrays saved one after the other into a file: save them in an .npz",
        "has %" PRIu64 " bytes after its last element, at byte %" PRIu64, found - expected, data_at + expected);
  return STREW_OK;
}

strew_status npy_read_header(const struct call *call, const struct npy_source *source, strew_context *context,
                             struct npy_header *header, uint64_t *data_at, uint64_t *data_bytes) {
  unsigned char prefix[NPY_PREFIX_BYTES];
  struct npy_refusal refusal;
  size_t begin, length;
  bool is_known = source->size_bytes != NPY_UNKNOWN_BYTES;
  if (is_known && source->size_bytes < sizeof prefix)
    return fail_source(call, source, NULL, "has %" PRIu64 " bytes, too short for a .npy file", source->size_bytes);
  RETURN_IF_FAILED(source->read(call, source->user, prefix, sizeof prefix));
  if (!npy_parse_prefix(prefix, &begin, &length, &refusal)) return fail_source(call, source, NULL, "%s", refusal.fact);
  *data_at = begin + length;
  if (*data_at < sizeof prefix)
    return fail_source(call, source, NULL, "claims a header of %zu bytes, too short for one", length);
  if (is_known && *data_at > source->size_bytes)
    return fail_source(call, source, NULL, "claims a header of %zu bytes, and has %" PRIu64 " in all", length,
                       source->size_bytes);
  ALLOCATE_NEW(char *, text, call, context, length);
  size_t known = sizeof prefix - begin; /* its bytes in `prefix` */
  memcpy(text, prefix + begin, known);
  strew_status status = source->read(call, source->user, text + known, length - known);
  if (status == STREW_OK && !npy_parse_header(text, length, header, &refusal))
    status = fail_source(call, source, source->hint && refusal.hint ? source->hint : refusal.hint, "%s", refusal.fact);
  memory_free(context, text, length);
  return TRY(status, check_size(call, source, header, *data_at, data_bytes));
}

/* ------------------------------------------------------------------------------------------------------- elements */

#define SWAP_ALL(type, swap)                                                                                           \
  for (size_t i = 0; i < size_bytes; i += sizeof(type)) {                                                              \
    type word;                                                                                                         \
    memcpy(&word, bytes + i, sizeof word);                                                                             \
    word = swap(word);                                                                                                 \
    memcpy(bytes + i, &word, sizeof word);                                                                             \
  }

void swap_bytes(unsigned char *bytes, size_t size_bytes, size_t element_bytes) {
  switch (element_bytes) {
  case 2: SWAP_ALL(uint16_t, __builtin_bswap16) break;
  case 4: SWAP_ALL(uint32_t, __builtin_bswap32) break;
  case 8: SWAP_ALL(uint64_t, __builtin_bswap64) break;
  }
}

/* Bytes of an element in memory for one in the file. */
static size_t widening(const struct npy_header *header) {
  return header->text_unit ? 1 : dtype_bytes(header->dtype) / header->file_bytes;
}

/* Widens unsigned integers, which begin in the second half of the memory, to twice their size. Ascending: an element is
   read before its bytes are overwritten. */
#define WIDEN_ALL(narrow, wide)                                                                                        \
  for (size_t i = 0; i < count; i++) {                                                                                 \
    narrow from;                                                                                                       \
    memcpy(&from, bytes + (count + i) * sizeof from, sizeof from);                                                     \
    wide to = from;                                                                                                    \
    memcpy(bytes + i * sizeof to, &to, sizeof to);                                                                     \
  }

/* Static: with external linkage gcc 12.2 drops the call at -O2. */
static void npy_widen(unsigned char *bytes, size_t count, size_t file_bytes) {
  switch (file_bytes) {
  case 2: WIDEN_ALL(uint16_t, int32_t) break;
  case 4: WIDEN_ALL(uint32_t, int64_t) break;
  }
}

/* Converts the file's bytes to the tensor's, in place. Those that widen are at the memory's end. */
static void convert(const struct npy_header *header, void *to, size_t file_bytes) {
  size_t bytes = file_bytes * widening(header);
  if (header->is_swapped) swap_bytes((unsigned char *)to + (bytes - file_bytes), file_bytes, header->file_bytes);
  if (bytes > file_bytes) npy_widen(to, file_bytes / header->file_bytes, header->file_bytes);
}

/* Converts times of another unit to microseconds. */
static strew_status convert_times(const struct call *call, const struct npy_source *source,
                                  const struct npy_header *header, void *elements, size_t count) {
  for (size_t i = 0; i < count; i++) {
    int64_t *const at = (int64_t *)elements + i;
    if (*at == INT64_MIN) continue;
    const bool is_exact =
        header->unit > 0 ? !__builtin_mul_overflow(*at, header->unit, at) && *at != INT64_MIN : *at % header->unit == 0;
    if (!is_exact)
      return fail_source(call, source,
                         header->unit > 0 ? "in NumPy: a.astype(\"int64\") has the numbers of that unit"
                                          : "in NumPy: a.astype(\"datetime64[us]\") cuts fractions off",
                         "holds a %s that microseconds in int64 do not", header->file_dtype);
    if (header->unit < 0) *at /= -header->unit;
  }
  return STREW_OK;
}

strew_status npy_read_elements(const struct call *call, const struct npy_source *source,
                               const struct npy_header *header, strew_tensor *tensor, size_t size_bytes) {
  if (header->text_unit) return npy_read_texts(call, source, header, tensor, size_bytes);
  struct storage *to = tensor->storage;
  strew_device *device = to->device;
  bool is_host = device->ops->host_memory;
  size_t wide = widening(header), chunk_bytes = size_bytes < CHUNK_BYTES ? size_bytes : CHUNK_BYTES;
  char *chunk = is_host ? to->data : memory_allocate(device->context, chunk_bytes * wide);
  if (!chunk && size_bytes) return fail_memory(call, device->context, chunk_bytes * wide);
  strew_status status = STREW_OK;
  for (size_t at = 0; at < size_bytes && status == STREW_OK; at += chunk_bytes) {
    size_t bytes = size_bytes - at < chunk_bytes ? size_bytes - at : chunk_bytes;
    char *destination = is_host ? chunk + at * wide : chunk;
    status = context_check(call, device->context);
    TRY(status, source->read(call, source->user, destination + bytes * (wide - 1), bytes));
    if (status != STREW_OK) break;
    convert(header, destination, bytes);
    if (header->dtype == STREW_BOOL)
      status = normalize_bools(call, device->context, (unsigned char *)destination, bytes);
    if (header->unit && header->unit != 1)
      TRY(status, convert_times(call, source, header, destination, bytes / sizeof(int64_t)));
    if (!is_host) TRY(status, device->ops->write(call, to, at * wide, destination, bytes * wide));
    progress_step(device->context, bytes);
  }
  if (!is_host) memory_free(device->context, chunk, chunk_bytes * wide);
  return status;
}

/* Sizes in memory order: the last dimension has unit stride. */
static void sizes_in_memory(const struct npy_header *header, int64_t *sizes) {
  for (int d = 0; d < header->rank; d++) sizes[d] = header->sizes[header->is_fortran ? header->rank - 1 - d : d];
}

/* Replaces a tensor of sizes_in_memory by a view with the header's sizes. On failure *tensor is NULL. */
static strew_status restore_order(const struct call *call, const struct npy_header *header, strew_tensor **tensor) {
  if (!header->is_fortran || header->rank < 2) return STREW_OK;
  strew_tensor *stored = *tensor;
  int64_t strides[MAX_RANK];
  for (int d = 0; d < header->rank; d++) strides[d] = stored->strides[header->rank - 1 - d];
  strew_status status = tensor_view(call, stored, header->rank, header->sizes, strides, 0, tensor);
  if (status != STREW_OK) *tensor = NULL;
  strew_release(stored);
  return status;
}

strew_status npy_create(const struct call *call, strew_device *device, const struct npy_header *header,
                        const int64_t *sizes, strew_tensor **out) {
  RETURN_IF_FAILED(check_dtype_of_device(call, device, header->dtype, "device = \"cpu\""));
  return tensor_create(call, device, header->text_unit ? STREW_INT32 : header->dtype, header->rank, sizes, out);
}

strew_status npy_read(const struct call *call, const struct npy_source *source, strew_device *device,
                      strew_tensor **out) {
  struct npy_header header;
  uint64_t data_at, data_bytes;
  int64_t sizes[MAX_RANK];
  strew_status status = npy_read_header(call, source, device->context, &header, &data_at, &data_bytes);
  TRY(status,
      check_machine_memory(call, device, data_bytes * widening(&header), "a .npy file can be mapped: {.map = true}"));
  if (status != STREW_OK) return status;
  sizes_in_memory(&header, sizes);
  strew_tensor *tensor = NULL;
  status = npy_create(call, device, &header, sizes, &tensor);
  TRY(status, npy_read_elements(call, source, &header, tensor, (size_t)data_bytes));
  TRY(status, restore_order(call, &header, &tensor));
  if (status != STREW_OK) return strew_release(tensor), status;
  *out = tensor;
  return STREW_OK;
}

/* --------------------------------------------------------------------------------------------------------- mapped */

/* Fails unless the elements can be used in place. */
static strew_status check_mapped(const struct call *call, const struct npy_source *source,
                                 const struct npy_header *header, uint64_t data_at) {
  const char *hint = "leave out map, to read it";
  if (header->is_swapped)
    return fail_source(call, source, hint, "cannot be mapped: its byte order is not this machine's");
  if (header->text_unit)
    return fail_source(call, source, hint, "cannot be mapped: its elements are characters, not text's codes");
  if (widening(header) > 1 || (header->unit && header->unit != 1))
    return fail_source(call, source, hint, "cannot be mapped: its elements are %s, not %s", header->file_dtype,
                       strew_dtype_name(header->dtype));
  if (data_at % dtype_bytes(header->dtype))
    return fail_source(call, source, hint,
                       "cannot be mapped: its elements begin at byte %" PRIu64 ", not a multiple of their %zu bytes",
                       data_at, dtype_bytes(header->dtype));
  return STREW_OK;
}

static strew_status map_file(const struct call *call, const struct npy_source *source, const struct file *file,
                             strew_device *device, strew_tensor **out) {
  struct npy_header header;
  struct mapping *mapping;
  uint64_t data_at, data_bytes;
  int64_t sizes[MAX_RANK];
  RETURN_IF_FAILED(npy_read_header(call, source, device->context, &header, &data_at, &data_bytes));
  RETURN_IF_FAILED(mapping_create(call, device, file, &mapping));
  strew_status status = check_mapped(call, source, &header, data_at);
  if (status == STREW_OK && header.dtype == STREW_BOOL)
    status = normalize_bools(call, device->context, mapping_at(mapping, data_at), (size_t)data_bytes);
  sizes_in_memory(&header, sizes);
  TRY(status, mapping_tensor(call, device, mapping, data_at, header.dtype, header.rank, sizes, NULL, out));
  mapping_release(mapping);
  return TRY(status, restore_order(call, &header, out));
}

/* ------------------------------------------------------------------------------------------------- loading a file */

strew_status npy_read_next(const struct call *call, void *user, void *to, size_t size_bytes) {
  struct npy_position *position = user;
  strew_status status = file_read(call, position->file, position->at, to, size_bytes);
  position->at += size_bytes;
  return status;
}

strew_status npy_load(const struct call *call, strew_device *device, struct file *file,
                      const strew_load_options *options, strew_tensor **out) {
  struct npy_position position = {file, 0};
  struct npy_source source = {file->path, NULL, file->size_bytes, npy_read_next, &position, NULL, 0};
  return options->map ? map_file(call, &source, file, device, out) : npy_read(call, &source, device, out);
}

/* -------------------------------------------------------------------------------------------------------- writing */

/* True if the first dimension has unit stride and there are no gaps, as in the transpose of a matrix. */
static bool is_fortran(const strew_tensor *tensor) {
  int64_t step = 1;
  if (strew_tensor_is_contiguous(tensor)) return false;
  for (int d = 0; d < tensor->rank; d++) {
    if (tensor->sizes[d] == 1) continue;
    if (tensor->strides[d] != step) return false;
    step *= tensor->sizes[d];
  }
  return true;
}

strew_status npy_describe(const struct call *call, const strew_tensor *tensor, struct npy_image *out) {
  if (!npy_has_dtype(tensor->dtype))
    return fail(
        call,
        HINTED(STREW_EDTYPE, "x", "strew_to(x, float32) keeps every value; loaded, strew_to(x, bfloat16) restores it"),
        "is %s, a dtype that NumPy does not have", strew_dtype_name(tensor->dtype));
  const bool is_text = tensor->dtype == STREW_TEXT;
  struct npy_header header = {.dtype = tensor->dtype,
                              .file_bytes = dtype_bytes(tensor->dtype),
                              .is_fortran = !is_text && is_fortran(tensor),
                              .rank = tensor->rank};
  if (is_text) RETURN_IF_FAILED(npy_text_bytes(call, tensor, &header.file_bytes));
  memcpy(header.sizes, tensor->sizes, sizeof header.sizes);
  out->header_bytes = npy_write_header(&header, out->header);
  out->size_bytes = out->header_bytes + (uint64_t)strew_tensor_numel(tensor) * header.file_bytes;
  out->text_bytes = is_text ? header.file_bytes : 0;
  out->dense = NULL;
  return STREW_OK;
}

strew_status npy_open(const struct call *call, const strew_tensor *tensor, struct npy_image *image) {
  if (image->text_bytes) return npy_text_characters(call, tensor, image->text_bytes, &image->dense);
  if (!strew_tensor_is_contiguous(tensor) && !is_fortran(tensor))
    return copy_as(call, tensor, tensor->dtype, &image->dense);
  return tensor_view(call, tensor, tensor->rank, tensor->sizes, tensor->strides, tensor->offset, &image->dense);
}

void npy_close(struct npy_image *image) {
  strew_release(image->dense);
  image->dense = NULL;
}

strew_status npy_image_read(const struct call *call, const struct npy_image *image, uint64_t at, void *to,
                            size_t size_bytes) {
  if (at < image->header_bytes) {
    size_t bytes = image->header_bytes - (size_t)at;
    if (bytes > size_bytes) bytes = size_bytes;
    memcpy(to, image->header + at, bytes);
    at += bytes, to = (char *)to + bytes, size_bytes -= bytes;
  }
  if (!size_bytes) return STREW_OK;
  const strew_tensor *dense = image->dense;
  size_t before = (size_t)dense->offset * dtype_bytes(dense->dtype) + (size_t)(at - image->header_bytes);
  return dense->storage->device->ops->read(call, dense->storage, before, to, size_bytes);
}

/* Writes elements in the CPU's memory directly, others through `chunk`. */
static strew_status write_chunk(const struct call *call, const struct npy_image *image, struct sink *sink, uint64_t at,
                                char *chunk, size_t bytes) {
  const strew_tensor *dense = image->dense;
  RETURN_IF_FAILED(context_check(call, tensor_context(dense)));
  if (!chunk) {
    const char *data = dense_at(dense, 0);
    return sink_write(call, sink, data + (at - image->header_bytes), bytes);
  }
  strew_status status = npy_image_read(call, image, at, chunk, bytes);
  return TRY(status, sink_write(call, sink, chunk, bytes));
}

static strew_status write_image(const struct call *call, const struct npy_image *image, struct sink *sink) {
  strew_device *device = image->dense->storage->device;
  bool is_host = device->ops->host_memory;
  char *chunk = is_host ? NULL : memory_allocate(device->context, CHUNK_BYTES);
  if (!chunk && !is_host) return fail_memory(call, device->context, CHUNK_BYTES);
  strew_status status = sink_write(call, sink, image->header, image->header_bytes);
  for (uint64_t at = image->header_bytes; at < image->size_bytes && status == STREW_OK; at += CHUNK_BYTES) {
    uint64_t left = image->size_bytes - at;
    status = write_chunk(call, image, sink, at, chunk, left < CHUNK_BYTES ? (size_t)left : CHUNK_BYTES);
    progress_reach(device->context, at);
  }
  memory_free(device->context, chunk, CHUNK_BYTES);
  return status;
}

strew_status npy_save(const struct call *call, const strew_tensor *tensor, const char *path,
                      const strew_save_options *options) {
  struct npy_image image;
  struct sink sink;
  RETURN_IF_FAILED(npy_describe(call, tensor, &image));
  RETURN_IF_FAILED(sink_open(call, tensor_context(tensor), path, options->compress, &sink));
  strew_status status = npy_open(call, tensor, &image);
  TRY(status, write_image(call, &image, &sink));
  npy_close(&image);
  return sink_end(call, &sink, status);
}
