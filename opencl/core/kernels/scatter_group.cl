/* scatter_group.cl: a small scatter by one work-group in one launch. For each tile of the index the group writes the
   destinations' owners to local memory; then every work-item scans the tile for its own. */
#include "join.h"

#define OUT_OF_RANGE 0xffffffffu

/* Contribution i's row, and its position in the line. */
#define CONTRIBUTION(i)                                                                                                \
  const long row = (i) / columns, at_line = (i)-row * columns;                                                         \
  const coordinates at = coordinates_of(row, rows, sizes)
#define DESTINATION IN_MODE(WIDE(index[ROW_OF(index) + at_line * index_step]), size)

GROUP_KERNEL scatter_group(SPACE, TARGET, OPERAND(const I, index), SOURCE, LIMITS) {
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
      JOIN_AT(ROW_OF(self) + dst * self_dim_stride, VALUE(src[ROW_OF(src) + at_line * src_step]),
              ROW_OF(arg) + dst * arg_dim_stride, at_line);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
