/* scatter_group.cl: a small scatter by one work-group in one launch. For each tile of the index the group writes the
   destinations' owners to local memory; then every work-item scans the tile for its own. */
#include "prelude.h"
#include "space.h"
#include "join.h"

#define OUT_OF_RANGE 0xffffffffu

/* Contribution i's row, and its position in the line. */
#define CONTRIBUTION(i)                                                                                                \
  const long row = (i) / columns, at_line = (i)-row * columns;                                                         \
  const coordinates at = coordinates_of(row, rows, sizes)
#define DESTINATION IN_MODE(WIDE(index[index_offset + inner_product(at, index_strides) + at_line * index_step]), size)

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void
scatter_group(SPACE, TARGET, OPERAND(const I, index), SOURCE, LIMITS) {
  __local uint tile[TILE];
  const uint lane = (uint)get_local_id(0);
  const long count = rows * columns;
  for (long begin = 0; begin < count; begin += TILE) {
    const int here = count - begin < TILE ? (int)(count - begin) : TILE;
    for (int t = (int)lane; t < here; t += GROUP_SIZE) {
      CONTRIBUTION(begin + t);
      const long dst = DESTINATION;
      tile[t] = (ulong)dst < (ulong)size ? (uint)(row * size + dst) % GROUP_SIZE : OUT_OF_RANGE;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int t = 0; t < here; t++) {
      if (tile[t] != lane) continue;
      CONTRIBUTION(begin + t);
      const long dst = DESTINATION;
      JOIN_AT(self_offset + inner_product(at, self_strides) + dst * self_dim_stride,
              VALUE(src[src_offset + inner_product(at, src_strides) + at_line * src_step]),
              arg_offset + inner_product(at, arg_strides) + dst * arg_dim_stride, at_line);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
