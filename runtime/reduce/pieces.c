/* pieces.c: see pieces.h. */
#include "pieces.h"

#include "runtime/core/base/device.h"

struct pieces pieces_of(const strew_tensor *tensor, int whole) {
  /* LINES: fewest elements side by side, unless that many take MOST_BYTES. softmax over dimension 0, one thread of Zen 4:
     10 k x 1000, 64 lines 40 ms, 256 lines 35, 1024 lines 16; 100 k x 100, 64 lines 30, all 18 */
  enum { PIECE_BYTES = 1 << 19, LINES = 1024, FEWEST_LINES = 64, MOST_BYTES = 1 << 26 };
  struct pieces pieces = {.dim = 0, .size = 1, .length = 1};
  if (!tensor->rank) return pieces;
  for (int d = tensor->rank - 1; d >= 0; d--)
    if (d != whole && tensor->sizes[d] > 1) pieces.dim = d;
  pieces.size = pieces.length = tensor->sizes[pieces.dim];
  if (!tensor->storage->device->ops->host_memory || pieces.dim == whole) return pieces;
  const int64_t bytes = strew_tensor_numel(tensor) / pieces.size * (int64_t)dtype_bytes(tensor->dtype);
  int64_t least = 1;
  if (tensor->strides[pieces.dim] == 1) { /* short rows cost calls, and prefetches */
    least = MOST_BYTES / bytes < LINES ? MOST_BYTES / bytes : LINES;
    if (least < FEWEST_LINES) least = FEWEST_LINES;
  }
  pieces.length = bytes * least < PIECE_BYTES ? PIECE_BYTES / bytes : least;
  if (pieces.length > pieces.size) pieces.length = pieces.size;
  return pieces;
}
