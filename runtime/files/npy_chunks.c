/* npy_chunks.c: .npy files, and members of archives, in chunks of rows. The elements are in row-major order: the next
   rows are the next bytes. */
#include "archive.h"
#include "format.h"
#include "npy.h"
#include "stream.h"

#include <inttypes.h>
#include <string.h>

struct npy_state {
  strew_device *device;
  struct npy_source source;
  struct npy_header header;
  struct stream *stream;   /* NULL: a member of */
  struct archive *archive; /* this; NULL: a stream */
  uint64_t at;             /* bytes read so far */
  uint64_t row_bytes;      /* in the file */
  int64_t row;             /* the next one */
  bool is_checked;         /* the file ends where it should */
};

/* --------------------------------------------------------------------------------------------------------- source */

static strew_status fail_short(const struct call *call, const struct npy_state *state) {
  if (!state->row_bytes) return fail_file(call, state->source.path, NULL, "is truncated in its header");
  return fail_file(call, state->source.path, NULL,
                   "is truncated: it ends at byte %" PRIu64 ", after row %" PRId64 " of %" PRId64, state->at,
                   state->row, state->header.sizes[0]);
}

/* Reads exactly size_bytes. */
static strew_status read_stream(const struct call *call, void *user, void *to, size_t size_bytes) {
  struct npy_state *state = user;
  for (size_t done = 0; done < size_bytes;) {
    size_t got;
    RETURN_IF_FAILED(stream_read(call, state->stream, (char *)to + done, size_bytes - done, &got));
    if (!got) return fail_short(call, state);
    done += got;
    state->at += got;
  }
  return STREW_OK;
}

/* Fails if bytes follow the last row. Reaching the end verifies compressed data. */
static strew_status check_npy_end(const struct call *call, struct npy_state *state) {
  char more;
  size_t got = 0;
  if (state->is_checked) return STREW_OK;
  strew_status status =
      state->archive ? archive_end_member(call, state->archive) : stream_read(call, state->stream, &more, 1, &got);
  if (status != STREW_OK) return status;
  if (got)
    return fail_file(call, state->source.path, "arrays saved one after the other into a file: save them in an .npz",
                     "has bytes after its last element, at byte %" PRIu64, state->at);
  state->is_checked = true;
  return STREW_OK;
}

/* ----------------------------------------------------------------------------------------------- open, next, close */

static void close_npy(void *user) {
  struct npy_state *state = user;
  if (state->archive) archive_close(state->archive);
}

static strew_status open_npy_member(const struct call *call, const struct chunk_source *source,
                                    struct npy_state *state) {
  struct archive_member member;
  int64_t i;
  const struct file *file = source->file;
  if (!file->is_regular)
    return fail_file(call, file->path, "strew_load reads archives from pipes, into memory",
                     "is not a regular file: the list of an archive's members is at its end");
  strew_status status = archive_open(call, state->device->context, file, &state->archive);
  TRY(status, npz_find(call, state->archive, file->path, "member", source->member, &i, &member));
  TRY(status, archive_open_member(call, state->archive, i));
  if (status != STREW_OK) return status;
  state->source =
      (struct npy_source){file->path, member.name, member.size_bytes, archive_read, state->archive, NULL, 0};
  return STREW_OK;
}

/* Fails unless the elements are rows in order. */
static strew_status check_rows(const struct call *call, const struct npy_state *state) {
  const struct npy_header *header = &state->header;
  const struct npy_source *source = &state->source;
  if (header->rank == 0)
    return fail_member(call, source->path, source->member, "strew_load reads it",
                       "holds a single number, without rows");
  if (header->is_fortran && header->rank > 1)
    return fail_member(call, source->path, source->member, "in NumPy: save np.ascontiguousarray(a)",
                       "is in Fortran's order: its rows are not consecutive");
  return STREW_OK;
}

static strew_status open_npy(const struct call *call, const struct chunk_source *source, void *user) {
  struct npy_state *state = user;
  state->device = source->device;
  state->stream = source->stream;
  strew_status status = STREW_OK;
  if (state->stream) {
    bool is_known = source->file->is_regular && !state->stream->codec;
    uint64_t size_bytes = is_known ? source->file->size_bytes : NPY_UNKNOWN_BYTES;
    state->source = (struct npy_source){source->file->path, NULL, size_bytes, read_stream, state, NULL, 0};
  } else {
    status = open_npy_member(call, source, state);
  }
  uint64_t data_at, data_bytes;
  TRY(status, npy_read_header(call, &state->source, state->device->context, &state->header, &data_at, &data_bytes));
  TRY(status, check_rows(call, state));
  if (status != STREW_OK) return status;
  int64_t rows = state->header.sizes[0];
  state->row_bytes = rows ? data_bytes / (uint64_t)rows : 0;
  return STREW_OK;
}

static strew_status next_npy(const struct call *call, void *user, int64_t rows, strew_tensor **out, strew_table **table,
                             bool *is_lost) {
  (void)table;
  struct npy_state *state = user;
  const struct npy_header *header = &state->header;
  int64_t sizes[MAX_RANK], left = header->sizes[0] - state->row;
  memcpy(sizes, header->sizes, sizeof sizes);
  sizes[0] = rows < left ? rows : left;
  if (!left) {
    strew_status status = check_npy_end(call, state);
    return *is_lost = status != STREW_OK, status;
  }
  size_t size_bytes = (size_t)(state->row_bytes * (uint64_t)sizes[0]), memory_bytes = size_bytes / header->file_bytes;
  strew_tensor *tensor;
  strew_status status = check_machine_memory(call, state->device, memory_bytes * dtype_bytes(header->dtype), NULL);
  TRY(status, npy_create(call, state->device, header, sizes, &tensor));
  if (status != STREW_OK) return status;
  state->source.done = state->row * (int64_t)(state->row_bytes / header->file_bytes);
  status = npy_read_elements(call, &state->source, header, tensor, size_bytes);
  if (status == STREW_OK && sizes[0] == left) status = check_npy_end(call, state);
  if (status != STREW_OK) return *is_lost = true, strew_release(tensor), status;
  state->row += sizes[0];
  *out = tensor;
  return STREW_OK;
}

const struct chunk_functions npy_chunks = {sizeof(struct npy_state), open_npy, next_npy, close_npy};
