/* matmul.cl: c[m, n] = a[m, k] b[k, n] for each batch. Integers wrap, so signed and unsigned ones share kernels. Floats
   are the chain s = fma(a[k], b[k], s) in order of k, whatever kernel computes them.
     multiply_panel   one work-item computes some rows of c in a panel of neighbouring columns and packs b block by
                      block: for CPUs
     multiply_tile    64 work-items compute a square tile of c, PER * PER elements each, through local memory
     vector_items     m is 1: one work-item per element of c
     vector_staged    the same; b has unit stride along k and goes through local memory
   The host defines
     T            element type; S its suffix, of floats
     LENGTH       of its vectors, 8 or 16
     OUTER        of the batches, see space.h
     WAY          WAY_PANEL, WAY_TILE or WAY_VECTOR: which kernels to compile
     PER          WAY_TILE: 2, 4 or 8 */
#include "opencl/core/kernels/space.h"
#include "runtime/core/shared/scalar.h"

#define WAY_PANEL  0
#define WAY_TILE   1
#define WAY_VECTOR 2

#define GROUP        64
#define PASTE_(a, b) a##b
#define PASTE(a, b)  PASTE_(a, b)

/* Operands below 32 bits are promoted to int, whose product must not overflow: compute with uint. */
#ifdef S
#define PLUS_PRODUCT(c, a, b) fma(a, b, c)
#define PLUS_SCALARS(c, a, b) CAT(fused_, S)(a, b, c)
#else
#define PLUS_PRODUCT(c, a, b) ((c) + (a) * (b))
#if NARROW
#define PLUS_SCALARS(c, a, b) ((T)((uint)(c) + (uint)(a) * (uint)(b)))
#else
#define PLUS_SCALARS(c, a, b) PLUS_PRODUCT(c, a, b)
#endif
#endif

/* The space is that of the batches; each has m * n contiguous elements of c. A launch adds terms k_begin .. k_end - 1
   of the sum to c, or stores their sum if they are the first. */
#define MATRICES                                                                                                       \
  SPACE, OPERAND(T, c), OPERAND(const T, a), OPERAND(const T, b), const long m, const long n, const long k_begin,      \
      const long k_end, const long a_row, const long a_column, const long b_row, const long b_column
#define BATCH(batch)                                                                                                   \
  PLACE_OF(batch);                                                                                                     \
  c += AT(c);                                                                                                          \
  a += AT(a);                                                                                                          \
  b += AT(b)

#if WAY == WAY_PANEL
#define VECTOR PASTE(T, LENGTH)
#define LOAD   PASTE(vload, LENGTH)
#define STORE  PASTE(vstore, LENGTH)
#define WIDTH  (2 * LENGTH)
#define DEPTH  128 /* rows of b in a block */
#define ROWS   4   /* rows of c in registers */

/* Packs a block of b row by row, padded with zeros to WIDTH columns. */
static inline void pack(T *packed, __global const T *b, long b_row, long b_column, int depth, int width) {
  if (b_column == 1 && width == WIDTH)
    for (int k = 0; k < depth; k++)
      for (int part = 0; part < 2; part++) STORE(LOAD(0, b + k * b_row + part * LENGTH), 2 * k + part, packed);
  else
    for (int k = 0; k < depth; k++)
      for (int j = 0; j < WIDTH; j++) packed[k * WIDTH + j] = j < width ? b[k * b_row + j * b_column] : 0;
}

/* A row's sums of the blocks before. */
static inline void load_sums(VECTOR sums[2], __global const T *from, int width, bool is_first) {
  sums[0] = sums[1] = 0;
  if (is_first) return;
  if (width == WIDTH) {
    sums[0] = LOAD(0, from);
    sums[1] = LOAD(1, from);
  } else {
    T parts[WIDTH];
    for (int j = 0; j < WIDTH; j++) parts[j] = j < width ? from[j] : 0;
    sums[0] = LOAD(0, parts);
    sums[1] = LOAD(1, parts);
  }
}

static inline void store_sums(__global T *to, const VECTOR sums[2], int width) {
  if (width == WIDTH) {
    STORE(sums[0], 0, to);
    STORE(sums[1], 1, to);
  } else {
    T parts[WIDTH];
    STORE(sums[0], 0, parts);
    STORE(sums[1], 1, parts);
    for (int j = 0; j < width; j++) to[j] = parts[j];
  }
}

/* `count` rows of c, 1 or ROWS, over one block of b. */
#define MULTIPLY_ROWS(count)                                                                                           \
  {                                                                                                                    \
    VECTOR sums[count][2];                                                                                             \
    for (int r = 0; r < count; r++) load_sums(sums[r], to + r * n, width, is_first);                                   \
    for (int k = 0; k < depth; k++) {                                                                                  \
      const VECTOR left = LOAD(2 * k, packed), right = LOAD(2 * k + 1, packed);                                        \
      for (int r = 0; r < count; r++) {                                                                                \
        const VECTOR by = (VECTOR)(from[r * a_row + k * a_column]);                                                    \
        sums[r][0] = PLUS_PRODUCT(sums[r][0], by, left);                                                               \
        sums[r][1] = PLUS_PRODUCT(sums[r][1], by, right);                                                              \
      }                                                                                                                \
    }                                                                                                                  \
    for (int r = 0; r < count; r++) store_sums(to + r * n, sums[r], width);                                            \
  }

__kernel void multiply_panel(MATRICES, const long rows_each, const long batches) {
  const long panels = (n + WIDTH - 1) / WIDTH, bands = (m + rows_each - 1) / rows_each, id = (long)get_global_id(0);
  const long band_of_all = quotient(id, panels), panel = id - band_of_all * panels;
  const long batch = quotient(band_of_all, bands), begin = (band_of_all - batch * bands) * rows_each;
  if (batch >= batches) return;
  BATCH(batch);
  const long first = panel * WIDTH, end = min(begin + rows_each, m);
  const int width = (int)min((long)WIDTH, n - first);
  T packed[DEPTH * WIDTH];
  for (long block = k_begin; block < k_end; block += DEPTH) {
    const int depth = (int)min((long)DEPTH, k_end - block);
    const bool is_first = block == 0;
    pack(packed, b + block * b_row + first * b_column, b_row, b_column, depth, width);
    for (long i = begin; i < end;) {
      __global const T *from = a + i * a_row + block * a_column;
      __global T *to = c + i * n + first;
      if (i + ROWS <= end) {
        MULTIPLY_ROWS(ROWS)
        i += ROWS;
      } else {
        MULTIPLY_ROWS(1)
        i++;
      }
    }
  }
}
#endif

#if WAY == WAY_TILE
#define SIDE  8 /* of the group's square */
#define TILE  (SIDE * PER)
#define DEPTH 16

__kernel void multiply_tile(MATRICES) {
  __local T left[DEPTH][TILE + 1], right[DEPTH][TILE + 1];
  const long across = (n + TILE - 1) / TILE, down = (m + TILE - 1) / TILE, group = (long)group_id();
  const long tile_of_all = quotient(group, across), batch = quotient(tile_of_all, down);
  const long first_column = (group - tile_of_all * across) * TILE, first_row = (tile_of_all - batch * down) * TILE;
  const int id = (int)get_local_id(0), x = id % SIDE, y = id / SIDE;
  BATCH(batch);
  T sums[PER][PER];
  UNROLL for (int r = 0; r < PER; r++) UNROLL for (int s = 0; s < PER; s++) {
    const long i = first_row + y + r * SIDE, j = first_column + x + s * SIDE;
    sums[r][s] = k_begin > 0 && i < m && j < n ? c[i * n + j] : 0;
  }
  for (long block = k_begin; block < k_end; block += DEPTH) {
    /* coalesced: neighbouring work-items load neighbouring elements */
    for (int e = id; e < TILE * DEPTH; e += GROUP) {
      const int ka = a_column == 1 ? e % DEPTH : e / TILE, ia = a_column == 1 ? e / DEPTH : e % TILE;
      const int kb = b_column == 1 ? e / TILE : e % DEPTH, jb = b_column == 1 ? e % TILE : e / DEPTH;
      const long i = first_row + ia, j = first_column + jb;
      left[ka][ia] = i < m && block + ka < k_end ? a[i * a_row + (block + ka) * a_column] : 0;
      right[kb][jb] = j < n && block + kb < k_end ? b[(block + kb) * b_row + j * b_column] : 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const int depth = (int)min((long)DEPTH, k_end - block);
    for (int k = 0; k < depth; k++) {
      T by[PER];
      UNROLL for (int s = 0; s < PER; s++) by[s] = right[k][x + s * SIDE];
      UNROLL for (int r = 0; r < PER; r++) {
        const T factor = left[k][y + r * SIDE];
        UNROLL for (int s = 0; s < PER; s++) sums[r][s] = PLUS_SCALARS(sums[r][s], factor, by[s]);
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  UNROLL for (int r = 0; r < PER; r++) UNROLL for (int s = 0; s < PER; s++) {
    const long i = first_row + y + r * SIDE, j = first_column + x + s * SIDE;
    if (i < m && j < n) c[i * n + j] = sums[r][s];
  }
}
#endif

#if WAY == WAY_VECTOR
__kernel void vector_items(MATRICES, const long batches) {
  const long id = (long)get_global_id(0), batch = quotient(id, n), j = id - batch * n;
  if (batch >= batches) return;
  BATCH(batch);
  b += j * b_column;
  T sum = k_begin > 0 ? c[j] : 0;
  IN_ORDER for (long k = k_begin; k < k_end; k++) sum = PLUS_SCALARS(sum, a[k * a_column], b[k * b_row]);
  c[j] = sum;
}

#define DEPTH 16

__kernel void vector_staged(MATRICES) {
  __local T staged[GROUP][DEPTH + 1];
  const long across = (n + GROUP - 1) / GROUP, group = (long)group_id(), batch = quotient(group, across);
  const long first = (group - batch * across) * GROUP;
  const int id = (int)get_local_id(0);
  const long j = first + id;
  BATCH(batch);
  T sum = k_begin > 0 && j < n ? c[j] : 0;
  for (long block = k_begin; block < k_end; block += DEPTH) {
    /* coalesced: neighbouring work-items load neighbouring elements */
    for (int e = id; e < GROUP * DEPTH; e += GROUP) {
      const int at = e / DEPTH, k = e % DEPTH;
      staged[at][k] = first + at < n && block + k < k_end ? b[(first + at) * b_column + block + k] : 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const int depth = (int)min((long)DEPTH, k_end - block);
    IN_ORDER for (int k = 0; k < depth; k++) sum = PLUS_SCALARS(sum, a[(block + k) * a_column], staged[id][k]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (j < n) c[j] = sum;
}
#endif
