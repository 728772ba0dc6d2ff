/* pieces.c: pieces of tensors, see pieces.h. */
#include "pieces.h"

#include "device.h"

enum { PIECE_BYTES = 1 << 19 };

struct pieces pieces_of(const strew_tensor *tensor, int whole) {
  struct pieces pieces = {.dim = 0, .size = 1, .length = 1};
  if (!tensor->rank) return pieces;
  for (int d = tensor->rank - 1; d >= 0; d--)
    if (d != whole && tensor->sizes[d] > 1) pieces.dim = d;
  pieces.size = pieces.length = tensor->sizes[pieces.dim];
  if (!tensor->storage->device->ops->host_memory || pieces.dim == whole) return pieces;
  const int64_t bytes = strew_tensor_numel(tensor) / pieces.size * (int64_t)dtype_bytes(tensor->dtype);
  pieces.length = bytes < PIECE_BYTES ? PIECE_BYTES / bytes : 1;
  if (pieces.length > pieces.size) pieces.length = pieces.size;
  return pieces;
}

strew_status piece_at(const struct pieces *pieces, int64_t at, strew_tensor *tensor, strew_tensor **out,
                      strew_error *error) {
  const int64_t left = pieces->size - at, length = left < pieces->length ? left : pieces->length;
  if (!tensor->rank)
    return strew_as_strided(tensor, tensor->rank, tensor->sizes, tensor->strides, tensor->offset, out, error);
  return strew_narrow(tensor, pieces->dim, at, length, out, error);
}
