/* reduce.c: folds on the CPU, in the order that core.h gives.

   The outputs are cut into tiles of neighbouring columns, and each tile's elements are folded block by block in one of
   two ways, which add in the same order and differ in how they go through memory:
     along    one output at a time, its block brought together in one row: lanes are neighbours in it. Where elements
              lie side by side, BLOCKS_AT_ONCE blocks are met, and joined, by one call of a loop; outputs that need no
              more than one make tiles of several, so that little is spent between them: rows of 100 take half the time
     across   a row of outputs at a time: every output has its 16 lanes, and a row of elements is added to one of them
   Block values go up a binary tree whose waiting nodes lie on a stack, as carries in a binary counter. Work is split
   among the threads by tiles; where there are few, also by subtrees of 2^k blocks. So no way of splitting shows in a
   result. 16-bit floats, and whatever does not lie side by side, are converted into a buffer first. */
#include "runtime/cpu/loops/reduce_loops.h"

#include "cpu.h"
#include "runtime/operations.h"

#include <string.h>

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

struct job {
  strew_context *context;
  const struct reduce_plan *plan;
  strew_dtype dtype;
  int64_t element_bytes, wide_bytes;
  convert_row *load;         /* into the computed dtype */
  bool direct;               /* elements are already in it */
  struct space kept, folded; /* `across`: kept without its last dimension, which is the columns' */
  char *in, *out;
  int64_t n;                              /* elements that meet in one output */
  int64_t blocks, chunk, chunks;          /* blocks of them, blocks in one piece of work, pieces */
  int64_t at_once;                        /* blocks that one call of the fold's loop meets */
  bool across, whole;                     /* whole: `along` with outputs in a row, one call each */
  int64_t columns, column_in, column_out; /* number and steps; 1 column where the way is `along`, but not `whole` */
  int64_t width, tiles_per_row, tiles;    /* columns in a tile */
  int lanes;                              /* of an output, across: a power of two, no more than it needs */
  bool finds;                             /* winners with their places? */
  bool far;                               /* across neighbouring columns, and more than a grain is read */
  const struct fold *fold, *extremes;     /* extremes: of winners that are found across, else NULL */
  char *partial; /* where outputs are folded in several pieces: their values, [tile][chunk][width] ... */
  char *means;   /* ... and, in the second pass of a variance, [tile][width] */
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

/* Neighbouring outputs are worth more than neighbouring elements of one where the former lie closer, and where there is
   little to fold: a block would not be worth its trouble. */
static bool goes_across(const struct job *job) {
  if (!job->kept.rank) return false;
  if (job->n < tuning_in_use()->fold_across_max) return true;
  return job->kept.in[job->kept.rank - 1] < job->folded.in[job->folded.rank - 1];
}

static void choose_way(struct job *job) {
  job->across = goes_across(job);
  bool dense = job->direct && job->folded.rank == 1 && job->folded.in[0] == job->element_bytes;
  job->at_once = dense && !job->across ? BLOCKS_AT_ONCE : 1;
  job->whole = job->kept.rank && dense && !job->across && job->blocks <= BLOCKS_AT_ONCE;
}

/* How many outputs of `whole` make a tile: so many that each part of the work gets about as many tiles of that size. */
static int64_t outputs_at_once(const struct job *job, int64_t parts) {
  int64_t outputs = job->columns * count_of_sizes(job->kept.rank, job->kept.sizes);
  const struct tuning *tuning = tuning_in_use();
  int64_t fit = (fold_is_spread(job->plan->fold) ? tuning->fold_tile_twice : tuning->fold_tile_elements) / job->n;
  int64_t rounds = (outputs - 1) / (parts * (fit ? fit : 1)) + 1, width = outputs / (parts * rounds);
  return width ? width : 1;
}

static void lay_out(struct job *job, const struct reduce_plan *plan, int64_t parts) {
  const struct operand *out = &plan->plan.operands[0], *in = &plan->plan.operands[1];
  strew_dtype wide = dtype_wide(in->dtype);
  job->plan = plan;
  job->dtype = in->dtype;
  job->element_bytes = (int64_t)dtype_bytes(in->dtype);
  job->wide_bytes = (int64_t)dtype_bytes(wide);
  job->load = converter(wide, in->dtype);
  job->direct = wide == in->dtype;
  job->fold = fold_of((int)plan->fold, in->dtype);
  job->in = operand_address(in);
  job->out = operand_address(out);
  space_of(&job->kept, &plan->plan, 0, plan->kept);
  space_of(&job->folded, &plan->plan, plan->kept, plan->plan.rank);
  if (!job->folded.rank) job->folded = (struct space){1, {1}, {0}, {0}};
  job->n = count_of_sizes(job->folded.rank, job->folded.sizes);
  job->blocks = (job->n - 1) / SUM_BLOCK + 1;
  job->chunk = 1;
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
  job->finds = fold_row_of(plan->fold)->gives == FOLD_PLACE;
  if (job->finds && job->across)
    job->extremes = fold_of(plan->fold == STREW_FOLD_ARGMIN ? STREW_FOLD_AMIN : STREW_FOLD_AMAX, in->dtype);
  for (job->lanes = 1; job->lanes < SUM_LANES && job->lanes < job->n;) job->lanes *= 2;
  job->far = job->across && job->column_in <= (int64_t)sizeof(int64_t) &&
             plan_numel(&plan->plan) * job->element_bytes > tuning_in_use()->l2_bytes;
}

/* One tile: where its first output and that one's first element lie. */
struct tile {
  const char *in;
  char *out;
  int64_t width;
};

static struct tile tile_at(const struct job *job, int64_t i) {
  int64_t column = i % job->tiles_per_row * job->width, rest = i / job->tiles_per_row;
  struct tile tile = {job->in + column * job->column_in, job->out + column * job->column_out,
                      least(job->columns - column, job->width)};
  for (int d = job->kept.rank - 1; d >= 0; d--) {
    int64_t at = rest % job->kept.sizes[d];
    rest /= job->kept.sizes[d];
    tile.in += at * job->kept.in[d];
    tile.out += at * job->kept.out[d];
  }
  return tile;
}

/* Walks through the folded space from one run of its last dimension to the next. */
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

/* How many elements, `most` at the most, follow in this run? */
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

/* What a thread needs for itself. Alignment is that of the widest value. */
struct desk {
  _Alignas(64) char buffer[BUFFER_BYTES]; /* elements in the computed dtype */
  _Alignas(64) char lanes[SUM_LANES * FOLD_TILE_BYTES];
  /* the columns' means, repeated for each lane; or the winner of the blocks so far */
  _Alignas(64) char centers[SUM_LANES * FOLD_TILE_BYTES];
  _Alignas(64) char values[FOLD_TILE_BYTES];
  _Alignas(64) char waiting[MAX_DEPTH][FOLD_TILE_BYTES];
};

/* `count` elements side by side, in the computed dtype: where they lie, or in the buffer. */
static const void *brought(const struct job *job, char *buffer, const char *from, int64_t step, int64_t count) {
  if (job->direct && (step == job->element_bytes || count == 1)) return from;
  job->load(count, buffer, job->wide_bytes, from, step);
  return buffer;
}

static void block_along(const struct job *job, struct desk *desk, struct cursor *cursor, const void *centers,
                        int64_t place, int64_t count) {
  int64_t run = cursor_run(cursor, count);
  const void *elements = desk->buffer;
  if (run == count) {
    elements = brought(job, desk->buffer, cursor->at, cursor_step(cursor), count);
    cursor_advance(cursor, count);
  } else {
    for (int64_t i = 0; i < count; i += run) {
      run = cursor_run(cursor, count - i);
      job->load(run, desk->buffer + i * job->wide_bytes, job->wide_bytes, cursor->at, cursor_step(cursor));
      cursor_advance(cursor, run);
    }
  }
  job->fold->block(desk->values, elements, centers, count, place);
}

/* Rows that lie one behind the other are one long row, which meets several lanes at once. */
static bool rows_are_dense(const struct job *job, const struct cursor *cursor, int64_t width) {
  return job->column_in == job->element_bytes && cursor_step(cursor) == width * job->element_bytes;
}

/* How many of them, `most` at the most, are brought at once? */
static int64_t dense_rows(const struct job *job, const struct cursor *cursor, int64_t most, int64_t width) {
  const int64_t rows = cursor_run(cursor, most);
  return job->direct ? rows : least(rows, BUFFER_BYTES / (width * job->wide_bytes));
}

/* The rows of a block, equally far apart: lane by lane, so that few values are at work at once. */
static bool rows_are_regular(const struct job *job, const struct fold *fold, const struct cursor *cursor,
                             int64_t count) {
  return job->direct && fold->rows && job->column_in == job->element_bytes && cursor_run(cursor, count) == count;
}

static void rows_by_lane(const struct job *job, const struct fold *fold, struct desk *desk, struct cursor *cursor,
                         const void *centers, int64_t count, int64_t width) {
  int64_t step = cursor_step(cursor);
  for (int lane = 0; lane < job->lanes && lane < count; lane++)
    fold->rows(desk->lanes + lane * width * fold->value_bytes, cursor->at + lane * step, job->lanes * step,
               (count - lane - 1) / job->lanes + 1, centers, width);
  cursor_advance(cursor, count);
}

/* A piece of a row to come: pieces lie a row apart, on other pages, which no processor foresees (sums of float16 over
   dimension 0 of 1000 x 10 k: 3.3 ms, 1.0 so; the greatest of float32 2.9 and 1.4). */
static void fetch_row_ahead(const struct job *job, const struct cursor *cursor, int64_t width) {
  prefetch_l2((uintptr_t)cursor->at + FOLD_ROWS_AHEAD * (uintptr_t)cursor_step(cursor),
              (uintptr_t)(width * job->column_in));
}

/* The rows' values in desk->lanes. */
static void block_in_lanes(const struct job *job, const struct fold *fold, struct desk *desk, struct cursor *cursor,
                           const void *centers, int64_t count, int64_t width) {
  bool dense = rows_are_dense(job, cursor, width), regular = rows_are_regular(job, fold, cursor, count) && !dense;
  fold->start(desk->lanes, job->lanes * width);
  if (regular) rows_by_lane(job, fold, desk, cursor, centers, count, width);
  for (int64_t i = regular ? count : 0, rows; i < count; i += rows) {
    int64_t lane = i & (job->lanes - 1);
    rows = dense ? dense_rows(job, cursor, least(count - i, job->lanes - lane), width) : 1;
    if (!dense && job->far) fetch_row_ahead(job, cursor, width);
    const void *elements = brought(job, desk->buffer, cursor->at, job->column_in, rows * width);
    fold->row(desk->lanes + lane * width * fold->value_bytes, elements, centers, rows * width, 0);
    cursor_advance(cursor, rows);
  }
  for (int half = job->lanes / 2; half; half /= 2)
    fold->join(desk->lanes, desk->lanes + half * width * fold->value_bytes, half * width);
}

/* Has each column its winner, which begins with its place (-1: none yet)? */
static bool all_are_found(const char *winners, int64_t winner_bytes, int64_t width) {
  bool open = false;
  for (int64_t i = 0; i < width; i++) open |= *(const int64_t *)(const void *)(winners + i * winner_bytes) < 0;
  return !open;
}

/* Winners whose columns' extremes are in desk->lanes. Where values repeat, all are found soon (argmax over dimension 0
   of 1 M x 8 zeros and ones: 1.8 ms, 10 if the whole block is looked through). */
static void find_in_block(const struct job *job, struct desk *desk, struct cursor *cursor, int64_t place, int64_t count,
                          int64_t width) {
  bool dense = rows_are_dense(job, cursor, width);
  job->fold->start(desk->values, width);
  for (int64_t i = 0, look = FOLD_SOON, rows; i < count; i += rows) {
    if (i >= look) {
      if (all_are_found(desk->values, job->fold->value_bytes, width)) return;
      look = i + FOLD_SOON;
    }
    rows = dense ? dense_rows(job, cursor, least(count - i, FOLD_SOON), width) : 1;
    const char *elements = brought(job, desk->buffer, cursor->at, job->column_in, rows * width);
    for (int64_t k = 0; k < rows; k++, elements += width * job->wide_bytes)
      job->fold->row(desk->values, elements, desk->lanes, width, place + i + k);
    cursor_advance(cursor, rows);
  }
}

/* Of winners the extremes first; then the rows, which are near now, are looked through for them (over dimension 0 of
   1000 x 10 k float32: 5.5 ms; 8.7 if each element meets the best so far and its place). */
static void block_across(const struct job *job, struct desk *desk, struct cursor *cursor, const void *centers,
                         int64_t place, int64_t count, int64_t width) {
  struct cursor again = *cursor;
  block_in_lanes(job, job->extremes ? job->extremes : job->fold, desk, cursor, centers, count, width);
  if (job->extremes)
    find_in_block(job, desk, &again, place, count, width);
  else
    memcpy(desk->values, desk->lanes, (size_t)(width * job->fold->value_bytes));
}

/* ----------------------------------------------------------------------------------------------------- the tree */

/* desk->values becomes leaf number `leaf`: wherever it completes a pair, the pair becomes one. */
static void tree_push(const struct fold *fold, struct desk *desk, int64_t leaf, int64_t width) {
  size_t bytes = (size_t)(width * fold->value_bytes);
  int level = 0;
  for (; leaf & 1; leaf >>= 1, level++) {
    fold->join(desk->waiting[level], desk->values, width);
    memcpy(desk->values, desk->waiting[level], bytes);
  }
  memcpy(desk->waiting[level], desk->values, bytes);
}

/* What waits is joined from the last leaves on, into desk->values. */
static void tree_finish(const struct fold *fold, struct desk *desk, int64_t leaves, int64_t width) {
  size_t bytes = (size_t)(width * fold->value_bytes);
  bool found = false;
  for (int level = 0; leaves; leaves >>= 1, level++) {
    if (!(leaves & 1)) continue;
    if (found) fold->join(desk->waiting[level], desk->values, width);
    memcpy(desk->values, desk->waiting[level], bytes);
    found = true;
  }
}

static void fold_whole(const struct job *job, struct desk *desk, const struct tile *tile, const void *centers,
                       int64_t place, int64_t count) {
  const char *from = tile->in + place * job->element_bytes, *center = centers;
  for (int64_t i = 0; i < tile->width; i++)
    job->fold->block(desk->values + i * job->fold->value_bytes, from + i * job->column_in,
                     center ? center + i * job->wide_bytes : NULL, count, place);
}

/* Folds blocks begin..end-1 of a tile into desk->values; false where the call has to stop before. The leaves of their
   tree are what is met at once. */
static bool fold_blocks(const struct job *job, struct desk *desk, const struct tile *tile, const void *centers,
                        int64_t begin, int64_t end) {
  struct cursor cursor;
  int64_t place = begin * SUM_BLOCK, last = end < job->blocks ? end * SUM_BLOCK : job->n,
          most = job->at_once * SUM_BLOCK;
  int64_t leaves = (last - place - 1) / most + 1;
  bool has_best = job->finds && !job->across && !job->whole; /* for the block's loop: what it has to beat */
  if (has_best) job->fold->start(desk->centers, 1), centers = desk->centers;
  if (!job->whole) cursor_start(&cursor, &job->folded, tile->in, place);
  for (int64_t leaf = 0; leaf < leaves; leaf++, place += most) {
    int64_t count = least(most, last - place);
    if (context_stops(job->context)) return false;
    if (job->whole)
      fold_whole(job, desk, tile, centers, place, count);
    else if (job->across)
      block_across(job, desk, &cursor, centers, place, count, tile->width);
    else
      block_along(job, desk, &cursor, centers, place, count);
    if (has_best) job->fold->join(desk->centers, desk->values, 1);
    if (leaves > 1) tree_push(job->fold, desk, leaf, tile->width);
  }
  if (leaves > 1) tree_finish(job->fold, desk, leaves, tile->width);
  return true;
}

/* ----------------------------------------------------------------------------------------------------- the result */

static void divide(const struct job *job, void *values, int64_t count, double divisor, bool root) {
  bool is_double = dtype_wide(job->dtype) == STREW_FLOAT64;
  (is_double ? reduce_loops()->finish_f64 : reduce_loops()->finish_f32)(values, count, divisor, root);
}

/* From folded values to outputs. */
static void finish_tile(const struct job *job, struct desk *desk, const struct tile *tile) {
  enum fold_finish finish = fold_row_of(job->plan->fold)->finish;
  strew_dtype out = job->plan->plan.operands[0].dtype, from = out;
  double divisor = (double)job->n - job->plan->correction;
  if (finish == FINISH_MEAN)
    divide(job, desk->values, tile->width, (double)job->n, false);
  else if (finish != FINISH_PLAIN)
    divide(job, desk->values, tile->width, divisor > 0 ? divisor : 0, finish == FINISH_DEVIATION);
  if (dtype_is_float(out)) from = dtype_wide(out);
  converter(out, from)(tile->width, tile->out, job->column_out, desk->values, job->fold->value_bytes);
}

/* The means of a tile's columns, once for each lane that they meet. */
static void set_centers(const struct job *job, struct desk *desk, const void *means, int64_t width) {
  size_t bytes = (size_t)(width * job->wide_bytes);
  for (int l = 0; l < (job->across ? job->lanes : 1); l++) memcpy(desk->centers + (size_t)l * bytes, means, bytes);
}

/* ------------------------------------------------------------------------------------------- split by outputs */

/* False where the call has to stop before. */
static bool whole_tile(const struct job *job, struct desk *desk, int64_t i) {
  struct tile tile = tile_at(job, i);
  if (!fold_blocks(job, desk, &tile, NULL, 0, job->blocks)) return false;
  if (fold_is_spread(job->plan->fold)) {
    struct job second = *job;
    second.fold = fold_of(DEVIATIONS, job->dtype);
    divide(job, desk->values, tile.width, (double)job->n, false);
    set_centers(job, desk, desk->values, tile.width);
    if (!fold_blocks(&second, desk, &tile, desk->centers, 0, job->blocks)) return false;
  }
  finish_tile(job, desk, &tile);
  return true;
}

struct share {
  const struct job *job;
  int64_t parts;
};

static void part_of_tiles(void *share_, int64_t part) {
  const struct share *share = share_;
  int64_t i = part_begin(share->job->tiles, share->parts, part);
  int64_t end = part_begin(share->job->tiles, share->parts, part + 1);
  struct desk desk;
  while (i < end && whole_tile(share->job, &desk, i)) i++;
}

/* ------------------------------------------------------------------------- split by outputs and subtrees of blocks */

static char *partial_at(const struct job *job, int64_t piece) {
  return job->partial + piece * job->width * job->fold->value_bytes;
}
static char *means_at(const struct job *job, int64_t tile) { return job->means + tile * job->width * job->wide_bytes; }

static void fold_piece(void *job_, int64_t piece) {
  const struct job *job = job_;
  struct desk desk;
  struct tile tile = tile_at(job, piece / job->chunks);
  int64_t begin = piece % job->chunks * job->chunk, end = begin + job->chunk;
  if (job->means) set_centers(job, &desk, means_at(job, piece / job->chunks), tile.width);
  if (!fold_blocks(job, &desk, &tile, job->means ? desk.centers : NULL, begin, least(end, job->blocks))) return;
  memcpy(partial_at(job, piece), desk.values, (size_t)(tile.width * job->fold->value_bytes));
}

/* The pieces of a tile are the leaves of the tree's top. */
static void join_pieces(const struct job *job, struct desk *desk, int64_t i, int64_t width) {
  for (int64_t chunk = 0; chunk < job->chunks; chunk++) {
    memcpy(desk->values, partial_at(job, i * job->chunks + chunk), (size_t)(width * job->fold->value_bytes));
    tree_push(job->fold, desk, chunk, width);
  }
  tree_finish(job->fold, desk, job->chunks, width);
}

static void find_means(struct job *job, char *means) {
  struct desk desk;
  pool_run(job->context, job->tiles * job->chunks, fold_piece, job);
  job->means = means;
  for (int64_t i = 0; i < job->tiles && !context_stops(job->context); i++) {
    int64_t width = tile_at(job, i).width;
    join_pieces(job, &desk, i, width);
    divide(job, desk.values, width, (double)job->n, false);
    memcpy(means_at(job, i), desk.values, (size_t)(width * job->wide_bytes));
  }
  job->fold = fold_of(DEVIATIONS, job->dtype);
}

static strew_status fold_in_pieces(const struct call *call, struct job *job) {
  struct desk desk;
  int64_t partial_bytes = job->tiles * job->chunks * job->width * job->fold->value_bytes;
  size_t bytes = (size_t)(partial_bytes + job->tiles * job->width * job->wide_bytes);
  job->partial = memory_allocate(job->context, bytes);
  if (!job->partial) return fail_memory(call, job->context, bytes);
  if (fold_is_spread(job->plan->fold)) find_means(job, job->partial + partial_bytes);
  pool_run(job->context, job->tiles * job->chunks, fold_piece, job);
  for (int64_t i = 0; i < job->tiles && !context_stops(job->context); i++) {
    struct tile tile = tile_at(job, i);
    join_pieces(job, &desk, i, tile.width);
    finish_tile(job, &desk, &tile);
  }
  memory_free(job->context, job->partial, bytes);
  return context_end(call, job->context, job->plan->plan.operands[0].storage);
}

strew_status cpu_reduce(const struct call *call, strew_device *device, const struct reduce_plan *plan) {
  struct job job = {.context = device->context};
  int64_t bytes = plan_numel(&plan->plan) * (int64_t)dtype_bytes(plan->plan.operands[1].dtype);
  bool light = !fold_is_spread(plan->fold) && !dtype_is_half(plan->plan.operands[1].dtype);
  int64_t parts = light ? pool_parts_light(job.context, bytes) : pool_parts(job.context, bytes);
  lay_out(&job, plan, parts);
  int64_t wanted = (FOLD_PIECES * parts - 1) / job.tiles + 1; /* pieces of each tile */
  while ((job.blocks - 1) / job.chunk + 1 > wanted) job.chunk *= 2;
  job.chunks = (job.blocks - 1) / job.chunk + 1;
  if (parts > 1 && job.tiles < parts && job.chunks > 1) return fold_in_pieces(call, &job);
  struct share share = {&job, parts < job.tiles ? parts : job.tiles};
  pool_run(job.context, share.parts, part_of_tiles, &share);
  return context_end(call, job.context, plan->plan.operands[0].storage);
}
