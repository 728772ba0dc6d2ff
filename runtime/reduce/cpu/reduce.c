/* reduce.c: folds on the CPU, in the order of summation that device.h defines.

   The outputs are cut into tiles of adjacent columns. The elements of a tile are folded block by block in one of two
   ways, which add in the same order but traverse memory differently:
     along    one output at a time: its block is gathered into one row, in which lanes are adjacent. One call of a loop
              folds and joins BLOCKS_AT_ONCE blocks of contiguous elements. Outputs of at most that many blocks are
              folded several per tile, which halves the time of rows of 100
     across   a row of outputs at a time: every output has 16 lanes, and a row of elements is added to one lane of each
   Block values are joined as a binary tree, whose pending nodes are on a stack, like the carries of a binary counter.
   Threads share the tiles, and subtrees of 2^k blocks if there are few tiles, so results do not depend on the split.
   16-bit floats, unsigned integers and non-contiguous elements are converted into a buffer first. */
#include "reduce_loops.h"

#include "feed.h"
#include "runtime/core/base/operations.h"
#include "runtime/core/cpu/program.h"

#include <string.h>

REDUCE_ENTRIES(CPU_FUNCTION, CPU_FUNCTION)
CPU_TABLE(reduce_ops, REDUCE_ENTRIES)

enum { BUFFER_BYTES = SUM_BLOCK * (int)sizeof(int64_t) };
enum { MAX_DEPTH = 54 };

CHOOSE_LOOPS(reduce)

static const struct fold *fold_of(int fold, strew_dtype dtype) { return reduce_loops()->folds[dtype][fold]; }

/* ------------------------------------------------------------------------------------------------------- geometry */

/* A range of dimensions of the plan, with steps in bytes. */
struct space {
  int rank;
  int64_t sizes[MAX_RANK], in[MAX_RANK], out[MAX_RANK];
};

struct reduce_job {
  strew_context *context;
  const struct reduce_plan *plan;
  strew_dtype dtype;
  int64_t element_bytes, wide_bytes;
  struct feed feed;          /* into the computed dtype */
  bool flips;                /* uint64 is folded as int64 in the same order */
  bool direct;               /* elements are already in it, in memory or a window */
  struct space kept, folded; /* `across`: kept without its last dimension, which is the columns' */
  char *in, *out;
  int64_t n;                            /* elements folded into one output */
  int64_t blocks, chunk_blocks, chunks; /* blocks of those, blocks per chunk of work, chunks */
  int64_t at_once;                      /* blocks that one call of the fold's loop folds */
  bool across, whole;                   /* whole: `along`, several outputs per tile, one call each */
  /* `across`: kept without its last dimension, the columns: number and steps; 1 column if the way is `along` but not
     `whole` */
  int64_t columns, column_in, column_out;
  int64_t width, tiles_per_row, tiles;
  int lanes;                          /* of an output, across: a power of two, no more than it needs */
  const char *factors;                /* of the elements, or NULL */
  bool finds;                         /* positions of extremes */
  bool prefetch;                      /* across adjacent columns, and the input is larger than L2 */
  const struct fold *fold, *extremes; /* extremes: across, of columns whose positions `fold` then finds */
  char *partial; /* values of outputs that are folded in several chunks: [tile][chunk][width] ... */
  char *means;   /* ... and, for the second pass of a variance, those of gaps, [tile][width] */
};

static void space_of(struct space *space, const struct plan *plan, int begin, int end) {
  const struct operand *out = &plan->operands[0], *in = &plan->operands[1];
  space->rank = 0;
  for (int d = begin; d < end; d++) {
    space->sizes[space->rank] = plan->sizes[d];
    space->out[space->rank] = out->strides[d] * (int64_t)dtype_bytes(out->dtype);
    space->in[space->rank++] = in->strides[d] * (int64_t)dtype_bytes(in->dtype);
  }
}

/* True if a row of outputs is folded at a time: adjacent outputs are closer in memory than adjacent elements of one,
   or there are too few elements to fill a block. */
static bool folds_across(const struct reduce_job *job) {
  if (!job->kept.rank) return false;
  if (job->feed.program) return job->kept.in[job->kept.rank - 1] == job->element_bytes;
  if (job->n < FOLD_ACROSS_MAX) return true;
  return job->kept.in[job->kept.rank - 1] < job->folded.in[job->folded.rank - 1];
}

static void choose_way(struct reduce_job *job) {
  job->across = folds_across(job);
  if (!job->across && job->feed.program && !job->feed.convert) job->direct = true;
  bool adjacent = job->folded.rank == 1 && job->folded.in[0] == job->element_bytes;
  bool converts = !job->direct && !job->feed.program && job->n <= BUFFER_BYTES / job->wide_bytes;
  bool dense = adjacent && (job->direct || (converts && job->kept.rank));
  job->at_once = dense && !job->across ? BLOCKS_AT_ONCE : 1;
  if (job->at_once > 1 && job->feed.program)
    job->at_once = least(job->at_once, FED_BYTES / (SUM_BLOCK * job->element_bytes));
  job->whole = job->kept.rank && dense && !job->across && job->blocks <= BLOCKS_AT_ONCE;
}

/* Outputs per tile for `whole`: about as many tiles for each of `parts`, within the limits above. */
static int64_t outputs_at_once(const struct reduce_job *job, int64_t parts) {
  int64_t outputs = job->columns * count_of_sizes(job->kept.rank, job->kept.sizes);
  int64_t fit = FOLD_TILE_ELEMENTS / job->n;
  int64_t rounds = (outputs - 1) / (parts * (fit ? fit : 1)) + 1, width = outputs / (parts * rounds);
  return width ? width : 1;
}

static void reduce_start(struct reduce_job *job, const struct reduce_plan *plan, int64_t parts) {
  const struct operand *out = &plan->plan.operands[0], *in = &plan->plan.operands[1];
  const strew_dtype wide = dtype_wide(in->dtype);
  const enum fold_gives gives = fold_row_of(plan->fold)->gives;
  job->plan = plan;
  job->dtype = in->dtype;
  job->element_bytes = (int64_t)dtype_bytes(in->dtype);
  job->wide_bytes = (int64_t)dtype_bytes(wide);
  job->direct = !feed_open(&job->feed, in, wide);
  job->flips = in->dtype == STREW_UINT64 && (gives == FOLD_SAME || gives == FOLD_PLACE);
  if (job->flips) job->direct = false, job->feed.convert = flip_signs;
  const bool multiplies = plan->plan.count == 3;
  job->factors = multiplies ? operand_address(&plan->plan.operands[2]) : NULL;
  job->fold = fold_of(multiplies ? PRODUCTS : fold_is_spread(plan->fold) ? GAPS : (int)plan->fold, in->dtype);
  job->in = operand_address(in);
  job->out = operand_address(out);
  space_of(&job->kept, &plan->plan, 0, plan->kept);
  space_of(&job->folded, &plan->plan, plan->kept, plan->plan.rank);
  if (!job->folded.rank) job->folded = (struct space){1, {1}, {0}, {0}};
  job->n = count_of_sizes(job->folded.rank, job->folded.sizes);
  job->blocks = (job->n - 1) / SUM_BLOCK + 1;
  job->chunk_blocks = 1;
  choose_way(job);
  job->columns = 1;
  if (job->across || job->whole) {
    int last = --job->kept.rank;
    job->columns = job->kept.sizes[last];
    job->column_in = job->kept.in[last];
    job->column_out = job->kept.out[last];
  }
  int64_t widest =
      FOLD_TILE_BYTES / (job->fold->value_bytes > job->wide_bytes ? job->fold->value_bytes : job->wide_bytes);
  if (job->whole) widest = least(widest, outputs_at_once(job, parts));
  job->width = least(job->columns, widest);
  job->tiles_per_row = (job->columns - 1) / job->width + 1;
  job->tiles = job->tiles_per_row * count_of_sizes(job->kept.rank, job->kept.sizes);
  job->finds = gives == FOLD_PLACE;
  if (job->finds && job->across)
    job->extremes = fold_of(plan->fold == STREW_FOLD_ARGMIN ? STREW_FOLD_AMIN : STREW_FOLD_AMAX, in->dtype);
  for (job->lanes = 1; job->lanes < SUM_LANES && job->lanes < job->n;) job->lanes *= 2;
  job->prefetch = job->across && !job->feed.program && job->column_in <= (int64_t)sizeof(int64_t) &&
                  plan_numel(&plan->plan) * job->element_bytes > tuning_in_use()->l2_bytes;
}

/* First output of a tile, and that output's first element. */
struct fold_tile {
  const char *in;
  char *out;
  int64_t width;
};

static struct fold_tile fold_tile_at(const struct reduce_job *job, int64_t i) {
  int64_t column = i % job->tiles_per_row * job->width, rest = i / job->tiles_per_row;
  struct fold_tile tile = {job->in + column * job->column_in, job->out + column * job->column_out,
                           least(job->columns - column, job->width)};
  for (int d = job->kept.rank - 1; d >= 0; d--) {
    int64_t at = rest % job->kept.sizes[d];
    rest /= job->kept.sizes[d];
    tile.in += at * job->kept.in[d];
    tile.out += at * job->kept.out[d];
  }
  return tile;
}

/* Position in the folded space, which is read one run of its last dimension after another. */
struct cursor {
  const struct space *space;
  const char *at;
  int64_t coordinates[MAX_RANK];
};

static void cursor_start(struct cursor *cursor, const struct space *space, const char *base, int64_t place) {
  cursor->space = space;
  cursor->at = base;
  for (int d = space->rank - 1; d >= 0; d--) {
    cursor->coordinates[d] = place % space->sizes[d];
    place /= space->sizes[d];
    cursor->at += cursor->coordinates[d] * space->in[d];
  }
}

/* Elements left in this run, at most `most`. */
static int64_t cursor_run(const struct cursor *cursor, int64_t most) {
  int last = cursor->space->rank - 1;
  return least(cursor->space->sizes[last] - cursor->coordinates[last], most);
}

static int64_t cursor_step(const struct cursor *cursor) { return cursor->space->in[cursor->space->rank - 1]; }

static void cursor_advance(struct cursor *cursor, int64_t count) {
  const struct space *space = cursor->space;
  int d = space->rank - 1;
  cursor->coordinates[d] += count;
  cursor->at += count * space->in[d];
  for (; d > 0 && cursor->coordinates[d] == space->sizes[d]; d--) {
    cursor->coordinates[d] = 0;
    cursor->coordinates[d - 1]++;
    cursor->at += space->in[d - 1] - space->sizes[d] * space->in[d];
  }
}

/* ---------------------------------------------------------------------------------------------------- one block */

/* Scratch of one thread, aligned for the widest value. */
struct fold_scratch {
  _Alignas(64) char buffer[BUFFER_BYTES]; /* elements in the computed dtype */
  _Alignas(64) char lanes[SUM_LANES * FOLD_TILE_BYTES];
  /* first elements of the columns and, MEANS_AT, means of their gaps, once per lane; or the winner of the blocks so
     far */
  _Alignas(64) char centers[2 * MEANS_AT];
  _Alignas(64) char values[FOLD_TILE_BYTES];
  _Alignas(64) char places[FOLD_TILE_BYTES]; /* of winners among a few rows */
  _Alignas(64) char waiting[MAX_DEPTH][FOLD_TILE_BYTES];
  struct window window;
  _Alignas(64) char fed[FED_BYTES]; /* of the window */
};

/* Returns `count` elements, contiguous and in the computed dtype: in place or in the window if they are, else converted
   into the buffer. */
static const void *load_elements(const struct reduce_job *job, struct fold_scratch *scratch, const char *from,
                                 int64_t step, int64_t count) {
  if (job->direct && (step == job->element_bytes || count == 1)) return window_at(&scratch->window, from, count);
  feed_read(&job->feed, count, scratch->buffer, from, step);
  return scratch->buffer;
}

static void block_along(const struct reduce_job *job, struct fold_scratch *scratch, struct cursor *cursor,
                        const void *centers, int64_t place, int64_t count) {
  int64_t run = cursor_run(cursor, count);
  const void *elements = scratch->buffer;
  if (run == count) {
    elements = load_elements(job, scratch, cursor->at, cursor_step(cursor), count);
    cursor_advance(cursor, count);
  } else {
    for (int64_t i = 0; i < count; i += run) {
      run = cursor_run(cursor, count - i);
      feed_read(&job->feed, run, scratch->buffer + i * job->wide_bytes, cursor->at, cursor_step(cursor));
      cursor_advance(cursor, run);
    }
  }
  job->fold->block(scratch->values, elements, centers, count, place);
}

/* True if rows are adjacent: together they are one long row, which is added to several lanes at once. */
static bool rows_are_dense(const struct reduce_job *job, const struct cursor *cursor, int64_t width) {
  return job->column_in == job->element_bytes && cursor_step(cursor) == width * job->element_bytes;
}

/* Number of adjacent rows to load at once, at most `most`. */
static int64_t dense_rows(const struct reduce_job *job, const struct cursor *cursor, int64_t most, int64_t width) {
  const int64_t rows = cursor_run(cursor, most);
  return job->direct ? rows : least(rows, BUFFER_BYTES / (width * job->wide_bytes));
}

/* True if a block's rows are equally far apart. They are added lane by lane, to keep few values in use at once. */
static bool rows_are_regular(const struct reduce_job *job, const struct fold *fold, const struct cursor *cursor,
                             int64_t count) {
  return job->direct && fold->rows && job->column_in == job->element_bytes && cursor_run(cursor, count) == count;
}

static void rows_by_lane(const struct reduce_job *job, const struct fold *fold, struct fold_scratch *scratch,
                         struct cursor *cursor, const void *centers, int64_t count, int64_t width) {
  int64_t step = cursor_step(cursor);
  for (int lane = 0; lane < job->lanes && lane < count; lane++)
    fold->rows(scratch->lanes + lane * width * fold->value_bytes, cursor->at + lane * step, job->lanes * step,
               (count - lane - 1) / job->lanes + 1, centers, width);
  cursor_advance(cursor, count);
}

/* The same of adjacent rows: a row for each lane is one long row. (Counts of flags over dimension 0 of 100 k x 100, one
   thread of Zen 4: 1.1 ms -> 0.37 ms.) */
static void dense_rows_by_lane(const struct reduce_job *job, const struct fold *fold, struct fold_scratch *scratch,
                               struct cursor *cursor, const void *centers, int64_t count, int64_t width) {
  const int64_t step = cursor_step(cursor), most = FOLD_ROWS_AT_ONCE * job->lanes;
  for (int64_t left = count, rows; left; left -= rows) {
    rows = least(left, most);
    const int64_t rest = rows % job->lanes;
    prefetch_onward(cursor->at, (uintptr_t)(rows * step));
    fold->rows(scratch->lanes, cursor->at, job->lanes * step, rows / job->lanes, centers, job->lanes * width);
    fold->row(scratch->lanes, cursor->at + (rows - rest) * step, centers, rest * width, 0);
    cursor_advance(cursor, rows);
  }
}

/* Prefetch a chunk of a later row: it is on another page, where no hardware prefetcher looks. Sums over dimension 0
   of 1000 x 10 k float16: 3.3 ms -> 1.0 ms; amax of float32: 2.9 ms -> 1.4 ms. */
static void prefetch_row(const struct reduce_job *job, const struct cursor *cursor, int64_t width) {
  prefetch_l2((uintptr_t)cursor->at + FOLD_ROWS_AHEAD * (uintptr_t)cursor_step(cursor),
              (uintptr_t)(width * job->column_in));
}

/* Folds the rows of a block into scratch->lanes, and those into their first lane. */
static void block_in_lanes(const struct reduce_job *job, const struct fold *fold, struct fold_scratch *scratch,
                           struct cursor *cursor, const void *centers, int64_t count, int64_t width) {
  bool dense = rows_are_dense(job, cursor, width), regular = rows_are_regular(job, fold, cursor, count);
  if (dense && job->element_bytes > 1 && job->lanes * cursor_step(cursor) < FOLD_LANES_APART) regular = false;
  fold->start(scratch->lanes, job->lanes * width);
  if (regular) (dense ? dense_rows_by_lane : rows_by_lane)(job, fold, scratch, cursor, centers, count, width);
  for (int64_t i = regular ? count : 0, rows; i < count; i += rows) {
    int64_t lane = i & (job->lanes - 1);
    rows = dense ? dense_rows(job, cursor, least(count - i, job->lanes - lane), width) : 1;
    if (!dense && job->prefetch) prefetch_row(job, cursor, width);
    const void *elements = load_elements(job, scratch, cursor->at, job->column_in, rows * width);
    fold->row(scratch->lanes + lane * width * fold->value_bytes, elements, centers, rows * width, 0);
    cursor_advance(cursor, rows);
  }
  for (int half = job->lanes / 2; half; half /= 2)
    fold->join(scratch->lanes, scratch->lanes + half * width * fold->value_bytes, half * width);
}

/* True if each column has a winner. A winner begins with its place (-1: none yet). */
static bool all_are_found(const char *winners, int64_t winner_bytes, int64_t width) {
  bool open = false;
  for (int64_t i = 0; i < width; i++) open |= *(const int64_t *)(const void *)(winners + i * winner_bytes) < 0;
  return !open;
}

/* Finds winners, whose columns' extremes are in scratch->lanes. Every FOLD_SOON rows winners get the places found in
   these, and if values repeat, all are found early (argmax over dimension 0 of 1 M x 8 zeros and ones: 10 ms -> 1.8
   ms). If rows are narrow, that many at a time are tested for winners, as one long row. */
static void find_in_block(const struct reduce_job *job, struct fold_scratch *scratch, struct cursor *cursor,
                          int64_t place, int64_t count, int64_t width) {
  const bool dense = rows_are_dense(job, cursor, width), narrow = dense && width <= FOLD_NARROW;
  char *best = scratch->centers, *places = scratch->places;
  for (int k = 0; narrow && k < FOLD_SOON; k++)
    memcpy(best + k * width * job->wide_bytes, scratch->lanes, (size_t)(width * job->wide_bytes));
  job->fold->start(scratch->values, width);
  memset(places, 0xff, (size_t)(width * job->wide_bytes));
  for (int64_t i = 0, rows; i < count; i += rows) {
    const int64_t at = i % FOLD_SOON;
    rows = dense ? dense_rows(job, cursor, least(count - i, FOLD_SOON - at), width) : 1;
    const char *elements = load_elements(job, scratch, cursor->at, job->column_in, rows * width);
    const bool met = !narrow || job->fold->has_winner(elements, best, rows * width);
    for (int64_t k = 0; k < rows && met; k++, elements += width * job->wide_bytes)
      job->fold->row(places, elements, scratch->lanes, width, at + k);
    cursor_advance(cursor, rows);
    if (at + rows < FOLD_SOON && i + rows < count) continue;
    job->fold->take_winners(scratch->values, places, scratch->lanes, width, place + i - at);
    if (all_are_found(scratch->values, job->fold->value_bytes, width)) return;
  }
}

/* Winners take two passes over a block: its extremes first, then their places, from cache (over dimension 0 of 1000
   x 10 k float32: 8.7 ms with value and place in one pass -> 5.5 ms). */
static void block_across(const struct reduce_job *job, struct fold_scratch *scratch, struct cursor *cursor,
                         const void *centers, int64_t place, int64_t count, int64_t width) {
  struct cursor again = *cursor;
  block_in_lanes(job, job->extremes ? job->extremes : job->fold, scratch, cursor, centers, count, width);
  if (job->extremes)
    find_in_block(job, scratch, &again, place, count, width);
  else
    memcpy(scratch->values, scratch->lanes, (size_t)(width * job->fold->value_bytes));
}

/* ----------------------------------------------------------------------------------------------------- the tree */

/* Adds scratch->values to the tree as leaf number `leaf`, and joins every pair that it completes. */
static void tree_push(const struct fold *fold, struct fold_scratch *scratch, int64_t leaf, int64_t width) {
  size_t bytes = (size_t)(width * fold->value_bytes);
  int level = 0;
  for (; leaf & 1; leaf >>= 1, level++) {
    fold->join(scratch->waiting[level], scratch->values, width);
    memcpy(scratch->values, scratch->waiting[level], bytes);
  }
  memcpy(scratch->waiting[level], scratch->values, bytes);
}

/* Joins the pending nodes, from the last leaf on, into scratch->values. */
static void tree_finish(const struct fold *fold, struct fold_scratch *scratch, int64_t leaves, int64_t width) {
  size_t bytes = (size_t)(width * fold->value_bytes);
  bool found = false;
  for (int level = 0; leaves; leaves >>= 1, level++) {
    if (!(leaves & 1)) continue;
    if (found) fold->join(scratch->waiting[level], scratch->values, width);
    memcpy(scratch->values, scratch->waiting[level], bytes);
    found = true;
  }
}

/* Of outputs whose elements are converted: as many at a time as the buffer holds, if those are adjacent. */
static void fold_converted(const struct reduce_job *job, struct fold_scratch *scratch, const struct fold_tile *tile,
                           const void *centers, int64_t place, int64_t count) {
  const bool adjacent = job->column_in == count * job->element_bytes;
  const int64_t bytes = count * job->wide_bytes, most = adjacent ? BUFFER_BYTES / bytes : 1;
  const char *from = tile->in + place * job->element_bytes, *center = centers;
  for (int64_t i = 0, outputs; i < tile->width; i += outputs) {
    outputs = least(tile->width - i, most);
    feed_read(&job->feed, outputs * count, scratch->buffer, from + i * job->column_in, job->element_bytes);
    for (int64_t k = 0; k < outputs; k++)
      job->fold->block(scratch->values + (i + k) * job->fold->value_bytes, scratch->buffer + k * bytes,
                       center ? center + (i + k) * job->wide_bytes : NULL, count, place);
  }
}

static void fold_whole(const struct reduce_job *job, struct fold_scratch *scratch, const struct fold_tile *tile,
                       const void *centers, int64_t place, int64_t count) {
  const char *from = tile->in + place * job->element_bytes, *center = centers;
  const bool is_fed = scratch->window.program != NULL;
  for (int64_t i = 0; i < tile->width; i++)
    job->fold->block(scratch->values + i * job->fold->value_bytes,
                     is_fed ? window_at(&scratch->window, from + i * job->column_in, count) : from + i * job->column_in,
                     center ? center + i * job->wide_bytes : NULL, count, place);
}

/* Folds blocks begin..end-1 of a tile into scratch->values; false if the call must stop. A leaf of the tree is what
   one call of a loop folds. */
static bool fold_blocks(const struct reduce_job *job, struct fold_scratch *scratch, const struct fold_tile *tile,
                        const void *centers, int64_t begin, int64_t end) {
  struct cursor cursor;
  int64_t place = begin * SUM_BLOCK, last = end < job->blocks ? end * SUM_BLOCK : job->n,
          most = job->at_once * SUM_BLOCK;
  int64_t leaves = (last - place - 1) / most + 1;
  bool has_best = job->finds && !job->across && !job->whole; /* lets the loop skip blocks that cannot win */
  if (has_best) job->fold->start(scratch->centers, 1), centers = scratch->centers;
  if (!job->whole) cursor_start(&cursor, &job->folded, tile->in, place);
  for (int64_t leaf = 0; leaf < leaves; leaf++, place += most) {
    int64_t count = least(most, last - place);
    if (context_stops(job->context)) return false;
    if (job->factors) centers = job->factors + place * job->wide_bytes;
    if (job->whole && !job->direct)
      fold_converted(job, scratch, tile, centers, place, count);
    else if (job->whole)
      fold_whole(job, scratch, tile, centers, place, count);
    else if (job->across)
      block_across(job, scratch, &cursor, centers, place, count, tile->width);
    else
      block_along(job, scratch, &cursor, centers, place, count);
    if (has_best) job->fold->join(scratch->centers, scratch->values, 1);
    if (leaves > 1) tree_push(job->fold, scratch, leaf, tile->width);
  }
  if (leaves > 1) tree_finish(job->fold, scratch, leaves, tile->width);
  return true;
}

/* ----------------------------------------------------------------------------------------------------- the result */

static void divide(const struct reduce_job *job, void *values, int64_t count, double divisor, bool root) {
  bool is_double = dtype_wide(job->dtype) == STREW_FLOAT64;
  (is_double ? reduce_loops()->finish_f64 : reduce_loops()->finish_f32)(values, count, divisor, root);
}

/* Converts folded values to outputs. */
static void finish_tile(const struct reduce_job *job, struct fold_scratch *scratch, const struct fold_tile *tile) {
  enum fold_finish finish = fold_row_of(job->plan->fold)->finish;
  const strew_dtype out = job->plan->plan.operands[0].dtype;
  convert_row *convert = job->flips && !job->finds ? flip_signs : converter(out, dtype_wide(out));
  double divisor = (double)job->n - job->plan->correction;
  if (finish == FINISH_MEAN)
    divide(job, scratch->values, tile->width, (double)job->n, false);
  else if (finish != FINISH_PLAIN)
    divide(job, scratch->values, tile->width, divisor > 0 ? divisor : 0, finish == FINISH_DEVIATION);
  convert(tile->width, tile->out, job->column_out, scratch->values, job->fold->value_bytes);
}

/* Copies a value of each column of a tile, once per lane. */
static void set_centers(const struct reduce_job *job, char *centers, const void *values, int64_t width) {
  size_t bytes = (size_t)(width * job->wide_bytes);
  for (int l = 0; l < (job->across ? job->lanes : 1); l++) memcpy(centers + (size_t)l * bytes, values, bytes);
}

/* Returns the centers of a tile, of which those of its first elements are set; NULL: the fold has none. */
static const void *start_centers(const struct reduce_job *job, struct fold_scratch *scratch,
                                 const struct fold_tile *tile) {
  if (!fold_is_spread(job->plan->fold)) return NULL;
  const void *firsts = load_elements(job, scratch, tile->in, job->column_in, tile->width);
  set_centers(job, scratch->centers, firsts, tile->width);
  return scratch->centers;
}

/* The outputs of a tile may be adjacent: their elements are computed together. */
static void open_window(const struct reduce_job *job, struct fold_scratch *scratch, const struct fold_tile *tile) {
  const bool is_adjacent = job->whole && job->column_in == job->n * job->element_bytes;
  window_open(&scratch->window, &job->plan->plan.operands[1],
              is_adjacent ? tile->in + tile->width * job->column_in : NULL, scratch->fed);
}

/* ------------------------------------------------------------------------------------------- split by outputs */

static void whole_tile(void *job_, int64_t i) {
  const struct reduce_job *job = job_;
  struct fold_scratch scratch;
  struct fold_tile tile = fold_tile_at(job, i);
  open_window(job, &scratch, &tile);
  const void *centers = start_centers(job, &scratch, &tile);
  if (!fold_blocks(job, &scratch, &tile, centers, 0, job->blocks)) return;
  if (fold_is_spread(job->plan->fold)) {
    struct reduce_job second = *job;
    second.fold = fold_of(DEVIATIONS, job->dtype);
    divide(job, scratch.values, tile.width, (double)job->n, false);
    set_centers(job, scratch.centers + MEANS_AT, scratch.values, tile.width);
    if (!fold_blocks(&second, &scratch, &tile, centers, 0, job->blocks)) return;
  }
  finish_tile(job, &scratch, &tile);
}

/* ------------------------------------------------------------------------- split by outputs and subtrees of blocks */

static char *partial_at(const struct reduce_job *job, int64_t chunk) {
  return job->partial + chunk * job->width * job->fold->value_bytes;
}
static char *means_at(const struct reduce_job *job, int64_t tile) {
  return job->means + tile * job->width * job->wide_bytes;
}

static void fold_chunk(void *job_, int64_t chunk) {
  const struct reduce_job *job = job_;
  struct fold_scratch scratch;
  struct fold_tile tile = fold_tile_at(job, chunk / job->chunks);
  int64_t begin = chunk % job->chunks * job->chunk_blocks, end = begin + job->chunk_blocks;
  open_window(job, &scratch, &tile);
  const void *centers = start_centers(job, &scratch, &tile);
  if (job->means) set_centers(job, scratch.centers + MEANS_AT, means_at(job, chunk / job->chunks), tile.width);
  if (!fold_blocks(job, &scratch, &tile, centers, begin, least(end, job->blocks))) return;
  memcpy(partial_at(job, chunk), scratch.values, (size_t)(tile.width * job->fold->value_bytes));
}

/* Joins a tile's chunks: they are the leaves of the tree's top. */
static void join_chunks(const struct reduce_job *job, struct fold_scratch *scratch, int64_t i, int64_t width) {
  for (int64_t chunk = 0; chunk < job->chunks; chunk++) {
    memcpy(scratch->values, partial_at(job, i * job->chunks + chunk), (size_t)(width * job->fold->value_bytes));
    tree_push(job->fold, scratch, chunk, width);
  }
  tree_finish(job->fold, scratch, job->chunks, width);
}

static void find_means(struct reduce_job *job, char *means) {
  struct fold_scratch scratch;
  pool_run(job->context, job->tiles * job->chunks, fold_chunk, job);
  job->means = means;
  for (int64_t i = 0; i < job->tiles && !context_stops(job->context); i++) {
    int64_t width = fold_tile_at(job, i).width;
    join_chunks(job, &scratch, i, width);
    divide(job, scratch.values, width, (double)job->n, false);
    memcpy(means_at(job, i), scratch.values, (size_t)(width * job->wide_bytes));
  }
  job->fold = fold_of(DEVIATIONS, job->dtype);
}

static strew_status fold_in_chunks(const struct call *call, struct reduce_job *job) {
  struct fold_scratch scratch;
  int64_t partial_bytes = job->tiles * job->chunks * job->width * job->fold->value_bytes;
  const uint64_t bytes = (uint64_t)(partial_bytes + job->tiles * job->width * job->wide_bytes);
  job->partial = memory_allocate(job->context, bytes);
  if (!job->partial) return fail_memory(call, job->context, bytes);
  if (fold_is_spread(job->plan->fold)) find_means(job, job->partial + partial_bytes);
  pool_run(job->context, job->tiles * job->chunks, fold_chunk, job);
  for (int64_t i = 0; i < job->tiles && !context_stops(job->context); i++) {
    struct fold_tile tile = fold_tile_at(job, i);
    join_chunks(job, &scratch, i, tile.width);
    finish_tile(job, &scratch, &tile);
  }
  memory_free(job->context, job->partial, bytes);
  return context_end(call, job->context, job->plan->plan.operands[0].storage);
}

/* Bytes that pass through a sum in the time that a fold takes: each result of short rows has a price. */
static int64_t fold_bytes(const struct reduce_plan *plan) {
  const struct operand *in = &plan->plan.operands[1];
  const int last = plan->plan.rank - 1;
  const bool are_rows = plan->kept && last >= plan->kept && in->strides[last] == 1;
  const int64_t results = are_rows ? count_of_sizes(plan->kept, plan->plan.sizes) : 0;
  return plan_numel(&plan->plan) * (int64_t)dtype_bytes(in->dtype) + results * FOLD_RESULT_BYTES;
}

static strew_status reduce(const struct call *call, strew_device *device, const struct reduce_plan *plan) {
  const struct operand *in = &plan->plan.operands[1];
  struct reduce_job job = {.context = device->context};
  const int64_t bytes = fold_bytes(plan);
  bool light = !fold_is_spread(plan->fold) && dtype_wide(in->dtype) == in->dtype && !in->storage->program;
  int64_t parts = light ? pool_parts_light(job.context, bytes) : pool_parts(job.context, bytes);
  reduce_start(&job, plan, parts);
  int64_t wanted = (FOLD_PIECES * parts - 1) / job.tiles + 1; /* chunks of each tile */
  while ((job.blocks - 1) / job.chunk_blocks + 1 > wanted) job.chunk_blocks *= 2;
  job.chunks = (job.blocks - 1) / job.chunk_blocks + 1;
  if (parts > 1 && job.tiles < parts && job.chunks > 1) return fold_in_chunks(call, &job);
  pool_run_items(job.context, parts, job.tiles, whole_tile, &job);
  return context_end(call, device->context, plan->plan.operands[0].storage);
}

strew_status cpu_reduce(const struct call *call, strew_device *device, const struct reduce_plan *plan) {
  struct program program;
  RETURN_IF_FAILED(feed_begin(call, &plan->plan.operands[1], &program));
  const strew_status status = reduce(call, device, plan);
  feed_end(&plan->plan.operands[1]);
  return status;
}
