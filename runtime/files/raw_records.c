/* raw_records.c: raw records of a file as a tensor: memory-mapped, or copied where the elements cannot be used in place. */
#include "file.h"
#include "npy.h"

#include <inttypes.h>
#include <string.h>

struct records {
  const struct file *file;
  strew_dtype dtype;
  bool is_swapped;
  int rank;
  uint64_t offset;                            /* in bytes */
  int64_t sizes[MAX_RANK], strides[MAX_RANK]; /* in bytes */
};

static strew_status find_order(const struct call *call, const char *word, bool *is_swapped) {
  char text[TEXT_BYTES];
  *is_swapped = word && strcmp(word, IS_LITTLE_ENDIAN ? "big" : "little") == 0;
  if (!word || *is_swapped || strcmp(word, IS_LITTLE_ENDIAN ? "little" : "big") == 0) return STREW_OK;
  return fail(call, FAULT(STREW_EARGUMENT, "byte_order"), "is \"%s\", expected one of little, big",
              text_of_name(word, text));
}

/* Size -1 in dimension 0: as many records as the file has; without strides they take all of its bytes. */
static strew_status count_records(const struct call *call, struct records *r, uint64_t left, bool is_dense) {
  const int64_t element = (int64_t)dtype_bytes(r->dtype), stride = r->strides[0];
  r->sizes[0] = 1;
  const int64_t record = reach_of_view(r->rank, r->sizes, r->strides) - 1 + element;
  if (stride <= 0)
    return fail(call, VALUED(STREW_ESHAPE, "strides", strew_int(stride)),
                "is %" PRId64 " in dimension 0, expected 1 or more to count the records", stride);
  r->sizes[0] =
      record > 0 && (uint64_t)record <= left ? (int64_t)((left - (uint64_t)record) / (uint64_t)stride) + 1 : 0;
  const uint64_t rest = left % (uint64_t)stride;
  if (!is_dense || !rest) return STREW_OK;
  return fail_file(call, r->file->path, NULL,
                   "has %" PRIu64 " bytes from byte %" PRIu64 " on, no multiple of the %" PRId64 " of a record", left,
                   r->offset, stride);
}

/* Completes and checks the shape. */
static strew_status check_records(const struct call *call, struct records *r, const int64_t *sizes,
                                  const int64_t *strides) {
  const int64_t element = (int64_t)dtype_bytes(r->dtype);
  const bool is_counted = r->rank > 0 && r->rank <= MAX_RANK && sizes[0] == -1;
  char text[TEXT_BYTES], more[TEXT_BYTES];
  if (r->rank > 0 && r->rank <= MAX_RANK) memcpy(r->sizes, sizes, (size_t)r->rank * sizeof *sizes);
  if (is_counted) r->sizes[0] = 1;
  RETURN_IF_FAILED(check_sizes(call, r->dtype, r->rank, r->sizes));
  dense_strides(r->rank, r->sizes, r->strides);
  for (int d = 0; d < r->rank; d++) {
    r->strides[d] = strides ? strides[d] : r->strides[d] * element;
    if (r->strides[d] < 0)
      return fail(call, FAULT(STREW_ESHAPE, "strides"), "is %s, expected strides of 0 or more",
                  text_of_sizes(r->rank, strides, text));
  }
  const uint64_t size_bytes = r->file->size_bytes;
  if (r->offset > size_bytes)
    return fail_file(call, r->file->path, NULL, "has %" PRIu64 " bytes, expected records from byte %" PRIu64 " on",
                     size_bytes, r->offset);
  const uint64_t left = size_bytes - r->offset;
  if (is_counted) RETURN_IF_FAILED(count_records(call, r, left, !strides));
  const int64_t reached = reach_of_view(r->rank, r->sizes, r->strides);
  if (reached >= 0 && (!reached || (uint64_t)reached - 1 + (uint64_t)element <= left)) return STREW_OK;
  return fail_file(call, r->file->path, NULL,
                   "has %" PRIu64 " bytes, too few for %s%s with strides %s in bytes from byte %" PRIu64 " on",
                   size_bytes, strew_dtype_name(r->dtype), text_of_sizes(r->rank, r->sizes, text),
                   text_of_sizes(r->rank, r->strides, more), r->offset);
}

/* Copies the elements in row-major order. */
static strew_status copy_records(const struct call *call, const struct records *r, const unsigned char *from,
                                 strew_tensor *to) {
  enum { CHECKED = 1 << 20 };
  const size_t element = dtype_bytes(r->dtype);
  const int64_t count = strew_tensor_numel(to);
  int64_t at[MAX_RANK] = {0};
  unsigned char *place = dense_at(to, 0);
  for (int64_t i = 0; i < count; i++, place += element) {
    if (i % CHECKED == 0) RETURN_IF_FAILED(context_check(call, tensor_context(to)));
    memcpy(place, from, element);
    for (int d = r->rank - 1; d >= 0; d--) {
      from += r->strides[d];
      if (++at[d] < r->sizes[d]) break;
      from -= r->strides[d] * r->sizes[d];
      at[d] = 0;
    }
  }
  if (r->is_swapped) swap_bytes(dense_at(to, 0), (size_t)count * element, element);
  return r->dtype == STREW_BOOL ? normalize_bools(call, tensor_context(to), dense_at(to, 0), (size_t)count) : STREW_OK;
}

/* True if the elements can be used in place; strides, in bytes, become those in elements. */
static bool is_in_place(const struct records *r, int64_t *strides) {
  const int64_t element = (int64_t)dtype_bytes(r->dtype);
  bool is_aligned = r->offset % (uint64_t)element == 0;
  for (int d = 0; d < r->rank; d++) {
    is_aligned = is_aligned && (r->sizes[d] == 1 || r->strides[d] % element == 0);
    strides[d] = r->strides[d] / element;
  }
  return is_aligned && r->dtype != STREW_BOOL && !(r->is_swapped && element > 1);
}

static strew_status map_records(const struct call *call, strew_device *device, const struct records *r,
                                strew_tensor **out) {
  struct mapping *mapping;
  int64_t strides[MAX_RANK];
  if (!count_of_sizes(r->rank, r->sizes)) return tensor_create(call, device, r->dtype, r->rank, r->sizes, out);
  RETURN_IF_FAILED(mapping_create(call, device, r->file, &mapping));
  strew_status status;
  if (is_in_place(r, strides)) {
    status = mapping_tensor(call, device, mapping, r->offset, r->dtype, r->rank, r->sizes, strides, out);
  } else {
    status = tensor_create(call, device, r->dtype, r->rank, r->sizes, out);
    if (status == STREW_OK)
      status = release_if_failed(copy_records(call, r, mapping_at(mapping, r->offset), *out), out);
  }
  mapping_release(mapping);
  return status;
}

strew_status strew_map(strew_device *device, const char *path, strew_dtype dtype, int rank, const int64_t *sizes,
                       const strew_map_options *options, strew_tensor **out, strew_error *error) {
  CALL(call, "map", error, {0});
  const strew_map_options chosen = options ? *options : (strew_map_options){0};
  struct file file;
  struct records records = {.file = &file, .dtype = dtype, .rank = rank, .offset = (uint64_t)chosen.offset};
  strew_tensor *made = NULL;
  strew_status status = check_options(&call, &chosen);
  TRY(status, check_dtype(&call, dtype));
  TRY(status, find_order(&call, chosen.byte_order, &records.is_swapped));
  if (status != STREW_OK) return status;
  if (!path) return fail(&call, FAULT(STREW_EARGUMENT, "path"), "is missing");
  if (chosen.offset < 0)
    return fail(&call, VALUED(STREW_EARGUMENT, "offset", strew_int(chosen.offset)),
                "is %" PRId64 ", expected 0 or more", chosen.offset);
  if (!device->ops->host_memory)
    return fail(&call, HINTED(STREW_EDEVICE, "device", "strew_to(..., device) copies it there"), "is %s, expected cpu",
                device->name);
  RETURN_IF_FAILED(file_open(&call, device->context, path, &file));
  if (!file.is_regular) status = fail_file(&call, path, NULL, "cannot be mapped: it is not a regular file");
  TRY(status, check_records(&call, &records, sizes, chosen.strides));
  TRY(status, map_records(&call, device, &records, &made));
  file_close(&file);
  if (status == STREW_OK) *out = made;
  return status;
}
