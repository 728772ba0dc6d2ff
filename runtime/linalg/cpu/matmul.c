/* matmul.c: matrix products on the CPU, by tiles (product_loops.c). Every element of c is computed by one thread,
   in order of k. */
#include "linalg_loops.h"
#include "runtime/core/cpu/core_loops.h"
#include "runtime/linalg/linalg_ops.h"

#include <string.h>

LINALG_ENTRIES(CPU_FUNCTION, CPU_FUNCTION)

/* A product of one batch, or a part of one: c[m, n] = a[m, k] b[k, n]. Strides in elements. */
struct matrices {
  char *c;
  const char *a, *b;
  int64_t m, n, k, c_row, c_column, a_row, a_column, b_row, b_column;
};

/* Size of the product made between two polls for interrupts. */
struct chunk {
  int64_t rows, columns, depth;
};

/* Part of a product: rows from `row`, columns from `column`, inner elements from `at`. */
static struct matrices chunk_of(const struct matrices *x, int64_t row, int64_t column, int64_t at, struct chunk chunk,
                                int64_t size) {
  struct matrices cut = *x;
  cut.c += (row * x->c_row + column * x->c_column) * size;
  cut.a += (row * x->a_row + at * x->a_column) * size;
  cut.b += (at * x->b_row + column * x->b_column) * size;
  cut.m = least(chunk.rows, x->m - row);
  cut.n = least(chunk.columns, x->n - column);
  cut.k = least(chunk.depth, x->k - at);
  return cut;
}

/* c transposed, of b and a transposed. */
static struct matrices transposed(const struct matrices *x) {
  return (struct matrices){x->c,        x->b,     x->a,        x->n,     x->m,        x->k,
                           x->c_column, x->c_row, x->b_column, x->b_row, x->a_column, x->a_row};
}

/* The work of `count` batches as bytes: a million products take about the time of a megabyte of memory traffic. */
static int64_t bytes_of_products(const struct matrices *x, int64_t count) {
  double products = (double)x->m * (double)x->n * (double)x->k * (double)count;
  return products < 0x1p62 ? (int64_t)products : INT64_MAX;
}

/* Each batch's c is cut into blocks, which workers take one after another, `at_once` of them. A block is made depth by
   depth, each of packed panels of columns of b and packed strips of rows of a. Small matrices are read in place. */
struct gemm {
  strew_context *context;
  const struct plan *batches;
  int64_t batch_count;
  struct matrices x;  /* of a batch; c, a and b are its own */
  bool is_transposed; /* x is the transposed product */
  const struct product_tiles *tiles;
  multiply_tile *line, *column; /* c has one row, or one column: its tile; else NULL */
  int64_t column_rows;          /* of its tile: where a is in memory, few are prefetched in time */
  int64_t size;                 /* bytes of an element */
  int64_t panel, depth;         /* columns and rows of a panel of b */
  bool is_direct, is_thin;      /* b is read in place; c has a vector of columns at most */
  int64_t down, across;         /* blocks of a batch */
  int64_t at_once;
  atomic_int_fast64_t next; /* block of all */
  int64_t workers;
  char *scratch; /* of each worker: panels of b, then a strip of a */
  int64_t panels_bytes, worker_bytes;
};

/* Copies `count` lines of `depth` elements: to[k * width + i] = from[k * k_step + i * step], with zeros for i from
   count to width - 1. One of the steps is 1. */
static void pack(const struct gemm *gemm, char *to, int64_t width, int64_t depth, int64_t count, const char *from,
                 int64_t k_step, int64_t step) {
  const int64_t size = gemm->size;
  transpose_block *transpose = copy_loops()->transpose[size];
  if (step == 1 || count == 1)
    for (int64_t k = 0; k < depth; k++) memcpy(to + k * width * size, from + k * k_step * size, (size_t)(count * size));
  else
    transpose(depth, count, to, width * size, from, step * size);
  if (count < width)
    for (int64_t k = 0; k < depth; k++) memset(to + (k * width + count) * size, 0, (size_t)((width - count) * size));
}

/* Chooses the tile for what is left of a panel, and its rows. */
static multiply_tile *next_tile(const struct gemm *gemm, struct product_tile *tile, int64_t left, bool is_strip) {
  const struct product_tiles *tiles = gemm->tiles;
  tile->rows = least(left, gemm->column ? gemm->column_rows : SOME_ROWS);
  if (gemm->column) return gemm->column;
  if (tiles->thin && tile->columns <= tiles->lanes) {
    if (left > SOME_ROWS) tile->rows = least(left, THIN_ROWS);
    return left > SOME_ROWS ? tiles->thin : tiles->few;
  }
  if (is_strip) tile->rows = left;
  return gemm->line ? gemm->line : is_strip ? tiles->strip : tiles->some;
}

/* Computes all rows of one panel. The tile has a packed strip, if is_strip, or all of a. */
static void multiply_panel(const struct gemm *gemm, struct product_tile tile, bool is_strip) {
  for (int64_t left = tile.rows; left > 0; left -= tile.rows) {
    next_tile(gemm, &tile, left, is_strip)(&tile);
    tile.a = (const char *)tile.a + tile.rows * tile.a_row * gemm->size;
    tile.c = (char *)tile.c + tile.rows * tile.c_row * gemm->size;
  }
}

/* Rows of one strip, or all of them: a times all panels. */
static void multiply_strip(const struct gemm *gemm, const struct matrices *cut, const char *panels, bool is_strip,
                           bool is_first) {
  for (int64_t column = 0; column < cut->n; column += gemm->panel) {
    bool packed = panels != NULL;
    struct product_tile tile = {.a = cut->a,
                                .b = packed ? panels + column * cut->k * gemm->size : cut->b + column * gemm->size,
                                .c = cut->c + column * cut->c_column * gemm->size,
                                .rows = cut->m,
                                .columns = least(gemm->panel, cut->n - column),
                                .depth = cut->k,
                                .a_row = cut->a_row,
                                .a_k = cut->a_column,
                                .b_k = packed ? gemm->panel : cut->b_row,
                                .c_row = cut->c_row,
                                .c_column = cut->c_column,
                                .is_first = is_first,
                                .is_padded = packed};
    multiply_panel(gemm, tile, is_strip);
  }
}

/* The panels are packed; so is a, by strips, if they are read several times. */
static void multiply_packed(const struct gemm *gemm, const struct matrices *cut, char *scratch, bool is_first) {
  const int64_t size = gemm->size, height = gemm->tiles->strip_rows;
  char *packed = scratch + gemm->panels_bytes;
  for (int64_t column = 0; column < cut->n; column += gemm->panel)
    pack(gemm, scratch + column * cut->k * size, gemm->panel, cut->k, least(gemm->panel, cut->n - column),
         cut->b + column * cut->b_column * size, cut->b_row, cut->b_column);
  const struct chunk chunk = {gemm->is_thin ? THIN_STRIP : height, cut->n, cut->k};
  for (int64_t row = 0; row < cut->m && !context_stops(gemm->context); row += chunk.rows) {
    struct matrices strip = chunk_of(cut, row, 0, 0, chunk, size);
    bool is_strip = !gemm->is_thin && strip.m == height;
    if (is_strip) {
      pack(gemm, packed, height, cut->k, height, strip.a, strip.a_column, strip.a_row);
      strip.a = packed, strip.a_row = 1, strip.a_column = height;
    }
    multiply_strip(gemm, &strip, scratch, is_strip, is_first);
  }
}

static void multiply_direct(const struct gemm *gemm, const struct matrices *cut, bool is_first) {
  const struct chunk chunk = {THIN_STRIP, cut->n, cut->k};
  for (int64_t row = 0; row < cut->m && !context_stops(gemm->context); row += chunk.rows) {
    const struct matrices strip = chunk_of(cut, row, 0, 0, chunk, gemm->size);
    multiply_strip(gemm, &strip, NULL, false, is_first);
  }
}

/* Block `part` of a batch, which has several. */
static struct matrices block_of(const struct gemm *gemm, const struct matrices *x, int64_t part) {
  const int64_t panels = (x->n - 1) / gemm->panel + 1, down = part % gemm->down, across = part / gemm->down;
  int64_t row = part_begin(x->m, gemm->down, down), column = part_begin(panels, gemm->across, across) * gemm->panel;
  struct chunk chunk = {part_begin(x->m, gemm->down, down + 1) - row,
                        part_begin(panels, gemm->across, across + 1) * gemm->panel - column, x->k};
  return chunk_of(x, row, column, 0, chunk, gemm->size);
}

static void multiply_block(const struct gemm *gemm, const struct matrices *x, char *scratch) {
  const struct chunk chunk = {x->m, x->n, gemm->depth};
  for (int64_t k = 0; k < x->k && !context_stops(gemm->context); k += gemm->depth) {
    struct matrices cut = chunk_of(x, 0, 0, k, chunk, gemm->size);
    if (gemm->is_direct)
      multiply_direct(gemm, &cut, k == 0);
    else
      multiply_packed(gemm, &cut, scratch, k == 0);
  }
}

static void multiply_blocks(void *gemm_, int64_t worker) {
  struct gemm *gemm = gemm_;
  const int64_t each = gemm->down * gemm->across, all = gemm->batch_count * each;
  const int left = gemm->is_transposed ? 2 : 1;
  struct matrices x = gemm->x;
  for (int64_t first; (first = atomic_fetch_add(&gemm->next, gemm->at_once)) < all;)
    for (int64_t block = first; block < all && block < first + gemm->at_once; block++) {
      const int64_t batch = each == 1 ? block : block / each;
      x.c = operand_at(gemm->batches, 0, batch);
      x.a = operand_at(gemm->batches, left, batch), x.b = operand_at(gemm->batches, 3 - left, batch);
      const struct matrices part = each == 1 ? x : block_of(gemm, &x, block % each);
      multiply_block(gemm, &part, gemm->scratch + worker * gemm->worker_bytes);
    }
}

static int64_t quotient_up(int64_t a, int64_t b) { return (a - 1) / b + 1; }

/* Chooses the tiles: of a row; of a column; of a vector of columns; else of several of both. */
static void gemm_tiles(struct gemm *gemm, const struct matrices *x, strew_dtype dtype) {
  const struct product_tiles *tiles = gemm->tiles = &product_loops()->tiles[dtype_is_float(dtype)][gemm->size];
  bool is_narrow = x->n <= tiles->lanes && x->n < x->m, goes_down = x->a_row == 1 && x->a_column != 1;
  gemm->is_transposed = tiles->thin && is_narrow && goes_down;
  gemm->x = gemm->is_transposed ? transposed(x) : *x;
  const int64_t left_bytes = least(x->m * gemm->size, INT64_MAX / x->k) * x->k;
  gemm->column_rows = left_bytes <= tuning_in_use()->llc_bytes ? COLUMN_ROWS : THIN_ROWS;
  if (gemm->x.n == 1 && (gemm->x.a_column == 1 || x->k == 1))
    gemm->column = tiles->column;
  else if (gemm->x.m == 1)
    gemm->line = tiles->line;
  gemm->is_thin = tiles->thin && gemm->x.n <= tiles->lanes;
  gemm->panel = tiles->lanes * (gemm->is_thin ? 1 : gemm->line ? LINE_VECTORS : TILE_VECTORS);
  gemm->depth = least(x->k, gemm->line ? LINE_DEPTH : gemm->column ? COLUMN_DEPTH : PANEL_DEPTH);
}

/* True if what tiles read of b, and of a by columns, stays in L1. */
static bool fits_l1(const struct gemm *gemm, const struct matrices *x) {
  const int64_t most = DIRECT_BYTES / gemm->size / gemm->depth;
  return x->b_row <= most && (x->a_column == 1 || x->a_column <= most);
}

/* Cuts c into blocks, and sizes the scratch of a worker. */
static void gemm_blocks(struct gemm *gemm) {
  const struct matrices *x = &gemm->x;
  int64_t panels = quotient_up(x->n, gemm->panel), strips = quotient_up(x->m, gemm->tiles->strip_rows);
  gemm->is_direct =
      (x->b_column == 1 || x->n == 1) && (x->m < gemm->tiles->strip_rows || gemm->column || fits_l1(gemm, x));
  gemm->workers = pool_parts(gemm->context, bytes_of_products(x, gemm->batch_count));
  gemm->workers = least(gemm->context->threads, gemm->workers);
  int64_t wanted = gemm->workers > 1 ? quotient_up(gemm->workers * BLOCKS_PER_WORKER, gemm->batch_count) : 1;
  gemm->across = quotient_up(x->n, PANELS_BYTES / gemm->size / gemm->depth);
  gemm->down = least(strips, quotient_up(wanted, gemm->across));
  if (gemm->across * gemm->down < wanted) gemm->across = quotient_up(wanted, gemm->down);
  gemm->across = least(panels, gemm->across);
  const int64_t all = gemm->across * gemm->down * gemm->batch_count;
  gemm->workers = least(gemm->workers, all);
  gemm->at_once = all / (gemm->workers * BLOCKS_PER_WORKER) < PRODUCTS_AT_ONCE ? 1 : PRODUCTS_AT_ONCE;
  gemm->panels_bytes = quotient_up(panels, gemm->across) * gemm->panel * gemm->depth * gemm->size;
  gemm->worker_bytes = gemm->panels_bytes + gemm->tiles->strip_rows * gemm->depth * gemm->size;
  gemm->worker_bytes = quotient_up(gemm->worker_bytes, CACHE_LINE) * CACHE_LINE;
}

strew_status cpu_matmul(const struct call *call, strew_device *device, const struct plan *plan, int64_t k) {
  enum { LOCAL_BYTES = 1 << 14 }; /* scratch on the stack */
  strew_context *context = device->context;
  _Alignas(CACHE_LINE) char local[LOCAL_BYTES];
  int rows = plan->rank - 2, columns = plan->rank - 1;
  const struct operand *a = &plan->operands[1], *b = &plan->operands[2];
  struct matrices x = {.m = plan->sizes[rows], .n = plan->sizes[columns], .k = k, .c_column = 1};
  x.c_row = x.n;
  x.a_row = a->strides[rows], x.a_column = a->strides[columns];
  x.b_row = b->strides[rows], x.b_column = b->strides[columns];
  struct plan batches = *plan;
  batches.rank = rows;
  struct gemm gemm = {.context = context,
                      .batches = &batches,
                      .batch_count = plan_numel(&batches),
                      .size = (int64_t)dtype_bytes(a->dtype),
                      .scratch = local};
  gemm_tiles(&gemm, &x, a->dtype);
  gemm_blocks(&gemm);
  const uint64_t bytes = gemm.is_direct ? 0 : (uint64_t)(gemm.workers * gemm.worker_bytes);
  if (bytes > LOCAL_BYTES) ALLOCATE(gemm.scratch, call, context, bytes);
  pool_run(context, gemm.workers, multiply_blocks, &gemm);
  if (bytes > LOCAL_BYTES) memory_free(context, gemm.scratch, bytes);
  return context_end(call, context, plan->operands[0].storage);
}
