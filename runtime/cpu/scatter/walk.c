/* walk.c: one thread's part of a scatter.

   A plan is walked in tiles (scatter.h): a line of index values with a contribution each or, where the index stands
   still along the last dimension while self moves, one value for each row of contributions. Values come as int64, in
   order: straight from the index where it lies so, else through a block on the stack that also applies the mode.

   What the index looks like is seen while it is read, block by block: ascending values (a sorted index) are joined in
   streams side by side, equal ones in a register. */
#include "runtime/cpu/loops/index_loops.h"
#include "scattering.h"

enum { BLOCK = 1024, NEAREST_BYTES = 1 << 14 }; /* the latter: half of the nearest cache */

struct part {
  const struct scatter_plan *plan; /* its dimensions; the walk goes over `outer`, without the columns */
  const struct plan *outer;        /* the plan's own, or the one below: a small call would pay for a copy */
  struct plan without_columns;
  struct tile tile;
  const struct scatter_loops *loops;
  struct scatter_loops of_rows;       /* where these are the loops */
  convert_row *convert_src;           /* where src is not of self's dtype */
  int64_t index_at_once, src_at_once; /* rows that are brought at once; 1: each is read where it lies */
  atomic_bool *bad;
};

/* -------------------------------------------------------------------------------------------------------- the index */

CHOOSE_LOOPS(row)

static int64_t position_of(const struct part *part, int64_t place) {
  const struct plan *outer = part->outer;
  int64_t position = outer->operands[POSITION].offset;
  for (int d = outer->rank - 1; d >= 0; d--) {
    position += place % outer->sizes[d] * outer->operands[POSITION].strides[d];
    place /= outer->sizes[d];
  }
  return position;
}

/* ------------------------------------------------------------------------------------------------------------ lines */

static struct tile rows_of(const struct tile *tile, int64_t begin, int64_t end) {
  struct tile rows = *tile;
  rows.rows = end - begin;
  rows.index += begin;
  rows.self += begin * tile->self_row;
  rows.src += begin * tile->src_row;
  rows.index_stream.at += (uintptr_t)begin * rows.index_stream.step;
  rows.src_stream.at += (uintptr_t)begin * rows.src_stream.step;
  return rows;
}

/* Where the run ends that begins there: where values ascend, what lies between two equal ones is equal. */
static int64_t end_of_run(const struct tile *tile, int64_t begin) {
  enum { LEAP = 64 };
  const int64_t *index = tile->index;
  int64_t end = begin + 1;
  while (end + LEAP <= tile->rows && index[end + LEAP - 1] == index[begin]) end += LEAP;
  while (end < tile->rows && index[end] == index[begin]) end++;
  return end;
}

static void join_runs(const struct scatter_loops *loops, const struct tile *tile) {
  for (int64_t begin = 0, end; begin < tile->rows; begin = end) {
    end = end_of_run(tile, begin);
    struct tile run = rows_of(tile, begin, end);
    loops->join_sorted(&run, NULL);
  }
}

/* Streams begin where a new value does. Few values make long runs, which streams would join slowly: 10 M float32 into
   one place take 33 ms in memory, 8 in a register; a sorted index of 1 M places 12 ms in order, 7.5 in streams. */
static void join_ascending(const struct scatter_loops *loops, const struct tile *tile) {
  int64_t rows = tile->rows, cuts[STREAMS + 1] = {0};
  if (runs_are_long(tile->index, rows)) {
    join_runs(loops, tile);
    return;
  }
  for (int s = 1; s <= STREAMS; s++) {
    int64_t cut = rows / STREAMS * s > cuts[s - 1] ? rows / STREAMS * s : cuts[s - 1];
    if (s == STREAMS) cut = rows;
    while (cut < rows && tile->index[cut] == tile->index[cut - 1]) cut++;
    cuts[s] = cut;
  }
  loops->join_sorted(tile, cuts);
}

enum { LOOK = 32768, FEWEST = 64 };

static bool join_piece(const struct part *part, const struct tile *piece) {
  if (piece->rows < FEWEST || !index_ascends(piece->index, piece->rows) || piece->index[piece->rows - 1] >= piece->size)
    return part->loops->join(piece, piece->rows, NULL);
  join_ascending(part->loops, piece);
  return false;
}

/* A line that meets each place again at its index value alone: pieces of it may ascend. */
static bool join_line(const struct part *part, const struct tile *tile) {
  bool nobodys = false;
  if (tile->rows <= LOOK) return join_piece(part, tile); /* copying the tile takes long beside a short one */
  for (int64_t begin = 0, end; begin < tile->rows; begin = end) {
    end = tile->rows - begin < LOOK ? tile->rows : begin + LOOK;
    struct tile piece = rows_of(tile, begin, end);
    nobodys |= join_piece(part, &piece);
  }
  return nobodys;
}

/* Few places that many contributions are about to meet are asked for at once: each row of a tensor has its own. */
ALWAYS_INLINE void fetch_places(const struct tile *tile) {
  int64_t bytes = tile->size * tile->step;
  if (bytes > NEAREST_BYTES || tile->rows < bytes / CACHE_LINE) return;
  for (int64_t at = 0; at < bytes; at += CACHE_LINE) __builtin_prefetch(tile->self + at, 1);
}

static bool join_tile(const struct part *part, const struct tile *tile) {
  if (tile->count != tile->size) return scatter_join_owned(part->loops, tile);
  if (tile->columns != 1 || tile->self_row != 0 || tile->arg) return part->loops->join(tile, tile->rows, NULL);
  fetch_places(tile);
  return join_line(part, tile);
}

/* Where src is of another dtype, contributions pass through a block, which holds BLOCK of any dtype; the walk brings no
   more than BLOCK rows at once then. */
union converted {
  double align;
  char bytes[BLOCK * 8];
};

static bool join_converted_line(const struct part *part, const struct tile *tile, struct tile *piece, char *block) {
  const int64_t size = piece->src_column;
  part->convert_src(tile->rows, block, size, tile->src, tile->src_row);
  piece->src_row = size;
  return join_tile(part, piece);
}

/* Do rows lie one behind the other? */
static bool is_dense(const struct part *part, const struct tile *tile) {
  const int64_t size = (int64_t)dtype_bytes(part->plan->plan.operands[SRC].dtype);
  return tile->src_column == size && tile->src_row == tile->columns * size;
}

static bool join_converted_rows(const struct part *part, const struct tile *tile, struct tile *piece, char *block) {
  const int64_t size = piece->src_column, most = (int64_t)sizeof(union converted) / (size * tile->columns);
  bool nobodys = false;
  piece->src_row = size * tile->columns;
  for (int64_t begin = 0, end; begin < tile->rows; begin = end) {
    end = least(tile->rows, begin + most);
    const struct tile rows = rows_of(tile, begin, end);
    part->convert_src(rows.rows * rows.columns, block, size, rows.src, rows.src_column);
    piece->rows = rows.rows;
    piece->index = rows.index;
    piece->self = rows.self;
    nobodys |= join_tile(part, piece);
  }
  return nobodys;
}

/* The tile's own rows alone: one after the other is converted, and those that share their self are joined together. */
static bool join_converted_own(const struct part *part, const struct tile *tile, const struct tile *piece,
                               char *block) {
  const int64_t size = piece->src_column, most = (int64_t)sizeof(union converted) / (size * tile->columns);
  int64_t list[BLOCK], values[BLOCK];
  struct tile own = *piece;
  bool nobodys = false;
  const int64_t count = scatter_list_owned(tile, 0, tile->rows, list, &nobodys);
  own.src_row = size * tile->columns;
  own.index = values;
  own.rows = 0;
  for (int64_t k = 0; k < count; k++) {
    const int64_t i = list[k];
    part->convert_src(tile->columns, block + own.rows * own.src_row, size, tile->src + i * tile->src_row,
                      tile->src_column);
    values[own.rows++] = tile->index[i];
    own.self = tile->self + i * tile->self_row;
    if (own.rows < most && tile->self_row == 0) continue;
    part->loops->join(&own, own.rows, NULL);
    own.rows = 0;
  }
  if (own.rows) part->loops->join(&own, own.rows, NULL);
  return nobodys;
}

/* Rows longer than a block come piece by piece. */
static bool join_converted_long(const struct part *part, const struct tile *tile, struct tile *piece, char *block) {
  int64_t list[BLOCK];
  bool nobodys = false;
  const int64_t count = scatter_list_owned(tile, 0, tile->rows, list, &nobodys);
  piece->rows = 1;
  for (int64_t k = 0; k < count; k++) {
    const int64_t i = list[k];
    piece->index = tile->index + i;
    for (int64_t j = 0; j < tile->columns; j += BLOCK) {
      piece->columns = least(tile->columns - j, BLOCK);
      part->convert_src(piece->columns, block, piece->src_column, tile->src + i * tile->src_row + j * tile->src_column,
                        tile->src_column);
      piece->self = tile->self + i * tile->self_row + j * tile->self_column;
      part->loops->join(piece, 1, NULL);
    }
  }
  return nobodys;
}

/* Dense rows are converted together where none of them is another owner's, and where they are so narrow that one would
   not be worth a call (1 M rows of 3 float16: 13 ms each by each, 3 together). */
static bool join_converted(const struct part *part, const struct tile *tile) {
  enum { NARROW = 32 };
  union converted block;
  struct tile piece = *tile;
  piece.src = block.bytes;
  piece.src_column = (int64_t)dtype_bytes(part->plan->plan.operands[SELF].dtype);
  if (tile->columns == 1) return join_converted_line(part, tile, &piece, block.bytes);
  if (tile->columns > BLOCK) return join_converted_long(part, tile, &piece, block.bytes);
  if (is_dense(part, tile) && (tile->columns < NARROW || tile->count == tile->size))
    return join_converted_rows(part, tile, &piece, block.bytes);
  return join_converted_own(part, tile, &piece, block.bytes);
}

/* --------------------------------------------------------------------------------------------------------- the walk */

static bool join_part_row(struct part *part, const struct row *row) {
  int64_t block[BLOCK];
  struct tile *tile = &part->tile; /* the next row sets it anew */
  tile->rows = row->count;
  tile->self = row->address[SELF];
  tile->self_row = row->step_bytes[SELF];
  tile->src = row->address[SRC];
  tile->src_row = row->step_bytes[SRC];
  tile->index_stream = stream_of(row->address[INDEX], row->step_bytes[INDEX], part->index_at_once);
  tile->src_stream = stream_of(row->address[SRC], row->step_bytes[SRC], part->src_at_once);
  const struct scatter_plan *plan = part->plan;
  tile->index = index_values(row, INDEX, plan->plan.operands[INDEX].dtype, plan->mode, plan->size, block);
  if (tile->arg) {
    tile->arg = row->address[ARG];
    tile->arg_row = row->step_bytes[ARG];
    tile->position = position_of(part, row->place);
  }
  return part->convert_src ? join_converted(part, tile) : join_tile(part, tile);
}

static void visit(void *part_, const struct row *row) {
  struct part *part = part_;
  if (bad_is_set(part->bad)) return;
  if (join_part_row(part, row)) set_bad(part->bad);
}

/* Takes the columns out of the plan, if it has any: the last dimension, where the index stands still and self moves. */
static void split_columns(const struct plan *plan, struct part *part) {
  const struct operand *operands = plan->operands;
  int last = plan->rank - 1;
  const bool has_columns = last >= 0 && operands[INDEX].strides[last] == 0 && operands[SELF].strides[last] != 0;
  part->tile.columns = 1;
  part->tile.self_column = part->tile.src_column = part->tile.arg_column = 0;
  part->outer = plan;
  if (!has_columns && plan->count <= POSITION) return;
  plan_copy(&part->without_columns, plan);
  part->outer = &part->without_columns;
  if (plan->count > POSITION) part->without_columns.count = POSITION; /* which has no memory to walk */
  if (!has_columns) return;
  part->without_columns.rank = last;
  part->tile.columns = plan->sizes[last];
  part->tile.self_column = operand_step(&operands[SELF], last);
  part->tile.src_column = operand_step(&operands[SRC], last);
  if (plan->count > ARG) part->tile.arg_column = operand_step(&operands[ARG], last);
}

/* Dense rows have loops of their own, but for the narrow ones of scatter.inc. */
static void choose_loops(struct part *part) {
  const struct scatter_plan *plan = part->plan;
  const struct tile *tile = &part->tile;
  strew_dtype dtype = plan->plan.operands[SELF].dtype;
  part->loops = scatter_loops(dtype, plan->reduction, tile->arg);
  if (tile->columns == 1) return;
  const int64_t size = (int64_t)dtype_bytes(dtype);
  part->tile.row_ahead = rows_fetched_ahead(tile->columns * (tile->self_column + tile->arg_column));
  const bool dense = tile->self_column == size && (part->convert_src || tile->src_column == size);
  const struct joins *rows = &(size < 4 ? &row_loops_plain : row_loops())->of[dtype];
  part->tile.winner = rows->win[plan->reduction];
  part->of_rows.join = rows->join[plan->reduction];
  if (dense && part->of_rows.join && !tile->arg && tile->columns > WIDEST_NARROW) part->loops = &part->of_rows;
}

static void set_arg(const struct scatter_plan *plan, struct part *part) {
  const struct operand *operands = plan->plan.operands;
  int last = part->outer->rank - 1;
  part->tile.arg = operand_address(&operands[ARG]);
  part->tile.arg_step = plan->arg_step * (int64_t)sizeof(int64_t);
  part->tile.position_row = last < 0 ? 0 : operands[POSITION].strides[last];
  part->tile.arg_none = plan->arg_none;
  part->tile.fresh = plan->fresh;
}

/* Do places fill more than half of the nearest cache? */
static bool places_are_crowded(const struct scatter_plan *plan) { return scatter_range_bytes(plan) > NEAREST_BYTES; }

/* Are places to be fetched ahead? What is read before it is written is asked for in time by itself, if it is near; what
   is just written is not, unless it is nearest (10 M into 1000 x 1000 along the last dimension: 6.1 ms, 7.4 if asked
   for one by one). Zen 5 has time for all of its second cache (10 M into 100 k places: sums 5.4 ms, 7.0 if asked for;
   assigned 5.4, 6.6). */
static bool places_are_far(const struct scatter_plan *plan, enum processor processor) {
  enum { ZEN5_GRAINS = 4 };
  const int64_t grain = (int64_t)plan->plan.operands[SELF].storage->device->context->grain_bytes;
  if (processor == PROCESSOR_ZEN5) return scatter_range_bytes(plan) / ZEN5_GRAINS > grain;
  return plan->reduction == STREW_ASSIGN ? places_are_crowded(plan) : scatter_range_bytes(plan) > grain;
}

/* Where sums wait for one place, those behind it are to be asked for all the same: Zipf's index (1.3) takes Zen 5 11.4
   ms if asked for so far ahead, 15.1 if 32 are; 10 M into 1 M 8.5 instead of 8.0. Other reductions wait less, and
   blocks are so short that many places at their ends would not be asked for. */
static int64_t places_fetched_ahead(const struct part *part, bool blocks) {
  enum { ZEN5_AHEAD = 96 };
  const bool waits = reduction_is_ordered(part->plan->reduction) && !blocks;
  return part->tile.processor == PROCESSOR_ZEN5 && waits ? ZEN5_AHEAD : LINE_AHEAD;
}

/* Rows that are longer than a stretch are gone through several times, a stretch of columns each time. */
static void walk_columns(struct part *part, int64_t longest) {
  struct operand *operands = part->without_columns.operands;
  int64_t columns = part->tile.columns, whole = plan_numel(part->outer), done = 0;
  const struct operand *given = part->plan->plan.operands;
  for (int64_t count; done < columns; done += count) {
    count = least(columns - done, CHUNK);
    part->tile.columns = count;
    choose_loops(part);
    walk_rows(part->outer, 0, whole, rows_of_chunk(longest, count), visit, part);
    int last = part->outer->rank;
    for (int i = 0; done + count < columns && i < part->outer->count; i++)
      operands[i].offset += count * given[i].strides[last];
  }
}

void cpu_scatter_walk(const struct scatter_plan *plan, int64_t lowest, int64_t count, atomic_bool *bad) {
  struct part part;
  const struct operand *operands = plan->plan.operands;
  strew_dtype dtype = operands[SELF].dtype;
  const enum processor processor = processor_in_use();
  bool with_arg = plan->plan.count > ARG, far = places_are_far(plan, processor);
  if (count == plan->size && scatter_walk_short_rows(plan, far, bad)) return;
  part.plan = plan;
  part.bad = bad;
  part.convert_src = operands[SRC].dtype != dtype ? converter(dtype, operands[SRC].dtype) : NULL;
  part.tile.lowest = lowest; /* member by member: clearing it first would cost a small call more than its work */
  part.tile.count = count;
  part.tile.size = plan->size;
  part.tile.arg = NULL;
  part.tile.step = plan->step * (int64_t)dtype_bytes(dtype);
  part.tile.far = far;
  part.tile.processor = processor;
  part.tile.row_ahead = LINE_AHEAD;
  part.tile.crowded = places_are_crowded(plan) && (far || processor != PROCESSOR_ZEN5);
  split_columns(&plan->plan, &part);
  int last = part.outer->rank - 1;
  if (with_arg) set_arg(plan, &part);
  int64_t step = last < 0 ? (int64_t)sizeof(int64_t) : operand_step(&operands[INDEX], last);
  const bool straight = index_is_straight(operands[INDEX].dtype, step, plan->mode);
  const bool blocks = part.convert_src || !straight;
  part.tile.place_ahead = places_fetched_ahead(&part, blocks);
  part.tile.asks = last >= 0 && scatter_asks(processor, part.outer->sizes[last], blocks);
  part.index_at_once = straight ? 1 : BLOCK;
  part.src_at_once = part.convert_src ? BLOCK : 1;
  walk_columns(&part, blocks ? BLOCK : INT64_MAX);
}
