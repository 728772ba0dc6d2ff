/* columns.h: for kernels in which one work-item combines all columns of a destination. Rows, columns and line are those
   of scatter_walk.cl, but index is constant along the columns. DENSE: the index values of a line are contiguous. */
#ifdef DENSE
#define INDEX_STEP 1
#else
#define INDEX_STEP index_step
#endif

#define COLUMNS_OF(source_at, position)                                                                                \
  for (long c = 0; c < width; c++)                                                                                     \
    JOIN_AT(self_at + dst * self_dim_stride + c * self_column, VALUE(src[(source_at) + c * src_column]),               \
            ARG_AT(dst) + c * arg_column, position);
#ifdef ARG
#define ARG_AT(dst) (arg_at + (dst)*arg_dim_stride)
#else
#define ARG_AT(dst) 0
#endif
#define COLUMNWISE                                                                                                     \
  SPACE, TARGET, SOURCE, LIMITS, const long width, const long self_column, const long src_column, const long arg_column
#ifdef ARG
#define ARG_START const long arg_at = arg_offset + inner_product(at, arg_strides);
#else
#define ARG_START
#endif
#define ROW_STARTS                                                                                                     \
  const coordinates at = coordinates_of(row, rows, sizes);                                                             \
  const long self_at = self_offset + inner_product(at, self_strides);                                                  \
  const long src_at = src_offset + inner_product(at, src_strides);                                                     \
  ARG_START
