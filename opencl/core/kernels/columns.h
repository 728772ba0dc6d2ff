/* columns.h: for kernels in which one work-item combines all columns of a destination. Rows, columns and line are those
   of scatter_walk.cl, but index is constant along the columns. DENSE: the index values of a line are contiguous. */
#include "join.h"

#ifdef DENSE
#define INDEX_STEP 1
#else
#define INDEX_STEP index_step
#endif

#define COLUMNS_OF(source_at, position)                                                                                \
  for (long c = 0; c < width; c++)                                                                                     \
    JOIN_AT(self_at + dst * self_dim_stride + c * self_column, VALUE(ELEMENT_AT(src, (source_at) + c * src_column)),   \
            ARG_AT(dst) + c * arg_column, position);
#define COLUMNWISE                                                                                                     \
  SPACE, TARGET, SOURCE, LIMITS, const long width, const long self_column, const long src_column, const long arg_column
#define ROW_STARTS                                                                                                     \
  const coordinates at = coordinates_of(row, rows, sizes);                                                             \
  const long self_at = ROW_OF(self), src_at = ROW_OF(src);                                                             \
  ARG_START(0);
