/* walk.c: one thread's part of a scatter.

   A plan is walked in tiles (tile.h): a line of index values with a contribution each or, if the index stands still
   along the last dimension while self moves, one index value for each row of contributions. Index values come as int64,
   in order: in place if they lie so, else through a block on the stack that also applies the mode.

   Order in the index is found while it is read, block by block: ascending values (a sorted index) are joined in
   parallel streams, equal ones in a register. */
#include "scattering.h"

struct walk_part {
  const struct scatter_plan *plan; /* its dimensions; the walk goes over `outer`, without the columns */
  const struct plan *outer;        /* the plan's own, or the one below: a small call would pay for a copy */
  struct plan without_columns;
  struct tile tile;
  struct window window; /* of src */
  const struct scatter_loops *loops;
  struct scatter_loops of_rows;       /* row.inc's, if these are the loops */
  struct conversion conversion;       /* convert NULL: src has self's dtype */
  int64_t index_at_once, src_at_once; /* rows copied at a time; 1: each is read in place */
  const struct tuning *tuning;
  atomic_bool *bad;
};

static int64_t position_of(const struct walk_part *part, int64_t number) {
  const struct plan *outer = part->outer;
  int64_t position = outer->operands[POSITION].offset;
  for (int d = outer->rank - 1; d >= 0; d--) {
    position += number % outer->sizes[d] * outer->operands[POSITION].strides[d];
    number /= outer->sizes[d];
  }
  return position;
}

/* -------------------------------------------------------------------------------------------------------- lines */

/* Returns the end of the run that begins there. Index values ascend: between two equal ones all are equal. */
static int64_t end_of_run(const struct tile *tile, int64_t begin) {
  const int64_t *index = tile->source.index;
  int64_t end = begin + 1;
  while (end + RUN_LEAP <= tile->rows && index[end + RUN_LEAP - 1] == index[begin]) end += RUN_LEAP;
  while (end < tile->rows && index[end] == index[begin]) end++;
  return end;
}

static void join_runs(const struct scatter_loops *loops, const struct tile *tile) {
  for (int64_t begin = 0, end; begin < tile->rows; begin = end) {
    end = end_of_run(tile, begin);
    struct tile run = tile_rows(tile, begin, end);
    loops->join_sorted(&run, NULL);
  }
}

/* Streams begin at a new index value. Few values make long runs, which streams would join slowly. */
static void join_ascending(const struct scatter_loops *loops, const struct tile *tile) {
  const int64_t *index = tile->source.index;
  int64_t rows = tile->rows, cuts[STREAMS + 1] = {0};
  if (runs_are_long(index, rows)) {
    join_runs(loops, tile);
    return;
  }
  for (int s = 1; s <= STREAMS; s++) {
    int64_t cut = rows / STREAMS * s > cuts[s - 1] ? rows / STREAMS * s : cuts[s - 1];
    if (s == STREAMS) cut = rows;
    while (cut < rows && index[cut] == index[cut - 1]) cut++;
    cuts[s] = cut;
  }
  loops->join_sorted(tile, cuts);
}

static bool join_chunk(const struct scatter_loops *loops, const struct tile *chunk) {
  const int64_t *index = chunk->source.index;
  if (chunk->rows < SORTED_MIN || !index_ascends(index, chunk->rows) ||
      OUT_OF_RANGE(&chunk->target.owned, index[chunk->rows - 1]))
    return loops->join(chunk, chunk->rows, NULL);
  join_ascending(loops, chunk);
  return false;
}

/* A line in which only equal index values share a destination: chunks of it may ascend. */
static bool join_line(const struct scatter_loops *loops, const struct tile *tile) {
  bool out_of_range = false;
  if (tile->rows <= SORTED_CHUNK) return join_chunk(loops, tile); /* a short line costs less than a copy of the tile */
  for (int64_t begin = 0, end; begin < tile->rows; begin = end) {
    end = tile->rows - begin < SORTED_CHUNK ? tile->rows : begin + SORTED_CHUNK;
    struct tile chunk = tile_rows(tile, begin, end);
    out_of_range |= join_chunk(loops, &chunk);
  }
  return out_of_range;
}

/* Few destinations that many contributions are about to meet, all at once: each row of a tensor has its own. */
ALWAYS_INLINE void prefetch_all_dst(const struct tuning *tuning, const struct tile *tile) {
  int64_t bytes = (int64_t)tile->target.owned.size * tile->target.step;
  if (bytes > tuning->l1_bytes || tile->rows < bytes / CACHE_LINE) return;
  prefetch_write((uintptr_t)tile->target.self, bytes);
}

static bool join_tile(const struct scatter_loops *loops, const struct tile *tile) {
  const struct owned *owned = &tile->target.owned;
  if (owned->count != owned->size) return scatter_join_owned(loops, tile);
  if (tile->columns != 1 || tile->target.row != 0 || tile->winners.arg) return loops->join(tile, tile->rows, NULL);
  prefetch_all_dst(tuning_in_use(), tile);
  return join_line(loops, tile);
}

/* ----------------------------------------------------------------------------------------------------- the walk */

/* Elements of a program stay in the window until the row is joined. */
static void place_src(struct walk_part *part, const struct row *row) {
  struct tile *tile = &part->tile;
  struct window *window = &part->window;
  tile->source.src = row->address[SRC];
  tile->source.row = row->step_bytes[SRC];
  if (window->program) {
    tile->source.src = window_rows(window, row->address[SRC], row->step_bytes[SRC], row->count, tile->columns);
    tile->source.row = tile->columns * window->bytes;
  }
  tile->prefetch.src = stream_of(part->tuning, tile->source.src, tile->source.row, part->src_at_once);
}

static bool join_row(struct walk_part *part, const struct row *row) {
  int64_t block[INDEX_BLOCK];
  struct tile *tile = &part->tile; /* the next row sets these members again */
  tile->rows = row->count;
  tile->target.self = row->address[SELF];
  tile->target.row = row->step_bytes[SELF];
  place_src(part, row);
  tile->prefetch.index = stream_of(part->tuning, row->address[INDEX], row->step_bytes[INDEX], part->index_at_once);
  const struct scatter_plan *plan = part->plan;
  tile->source.index = index_values(row, INDEX, plan->plan.operands[INDEX].dtype, plan->mode, plan->size, block);
  if (tile->winners.arg) {
    tile->winners.arg = row->address[ARG];
    tile->winners.row = row->step_bytes[ARG];
    tile->winners.position = position_of(part, row->place);
  }
  return part->conversion.convert ? scatter_join_converted(&part->conversion, tile) : join_tile(part->loops, tile);
}

static void scatter_visit(void *part_, const struct row *row) {
  struct walk_part *part = part_;
  if (bad_is_set(part->bad)) return;
  if (join_row(part, row)) set_bad(part->bad);
}

/* Takes the columns out of the plan, if it has any: the last dimension, if the index stands still along it and self
   moves. */
static void split_columns(const struct plan *plan, struct walk_part *part) {
  const struct operand *operands = plan->operands;
  int last = plan->rank - 1;
  const bool has_columns = last >= 0 && operands[INDEX].strides[last] == 0 && operands[SELF].strides[last] != 0;
  part->tile.columns = 1;
  part->tile.target.column = part->tile.source.column = part->tile.winners.column = 0;
  part->outer = plan;
  if (!has_columns && plan->count <= POSITION) return;
  plan_copy(&part->without_columns, plan);
  part->outer = &part->without_columns;
  if (plan->count > POSITION) part->without_columns.count = POSITION; /* which has no memory to walk */
  if (!has_columns) return;
  part->without_columns.rank = last;
  part->tile.columns = plan->sizes[last];
  part->tile.target.column = operand_step(&operands[SELF], last);
  part->tile.source.column = operand_step(&operands[SRC], last);
  if (plan->count > ARG) part->tile.winners.column = operand_step(&operands[ARG], last);
}

/* Rows of unit stride have loops of their own, except the narrow ones of scatter.inc. */
static void choose_loops(struct walk_part *part) {
  const struct scatter_plan *plan = part->plan;
  struct tile *tile = &part->tile;
  strew_dtype dtype = plan->plan.operands[SELF].dtype;
  part->conversion.loops = part->loops = scatter_loops(dtype, plan->reduction, tile->winners.arg);
  tile->prefetch.row_ahead = row_distance(part->tuning, tile->columns * (tile->target.column + tile->winners.column));
  if (tile->columns == 1) return;
  const int64_t size = (int64_t)dtype_bytes(dtype);
  const bool unit_stride = tile->target.column == size && (part->conversion.convert || tile->source.column == size);
  const struct joins *rows = &row_loops()->of[dtype];
  if (!rows->join[STREW_AMAX]) rows = &row_loops_plain.of[dtype];
  tile->winner = rows->win[plan->reduction];
  part->of_rows.join = rows->join[plan->reduction];
  if (unit_stride && part->of_rows.join && !tile->winners.arg && tile->columns > NARROW_COLUMNS)
    part->conversion.loops = part->loops = &part->of_rows;
}

static void set_winners(const struct scatter_plan *plan, struct walk_part *part) {
  const struct operand *operands = plan->plan.operands;
  int last = part->outer->rank - 1;
  struct winners *winners = &part->tile.winners;
  winners->arg = operand_address(&operands[ARG]);
  winners->step = plan->arg_step * (int64_t)sizeof(int64_t);
  winners->position_row = last < 0 ? 0 : operands[POSITION].strides[last];
  winners->none = plan->arg_none;
  winners->fresh = plan->fresh;
}

/* True if destinations are prefetched. A load, before an addition, starts early by itself if the destination is in L2;
   a plain store does not, unless it is in L1. */
static bool destinations_are_far(const struct tuning *tuning, const struct scatter_plan *plan) {
  const int64_t range = scatter_range_bytes(plan);
  if (plan->reduction == STREW_ASSIGN && tuning->dst_in_l2) return range > tuning->l1_bytes;
  return range / tuning->dst_min_l2s > tuning->l2_bytes;
}

/* An ordered reduction waits for a repeated destination, but the ones after it are prefetched nevertheless. Others wait
   less; and blocks are so short that many of their last destinations would not be prefetched. */
static int64_t dst_ahead(const struct tuning *tuning, const struct scatter_plan *plan, bool by_blocks) {
  return reduction_is_ordered(plan->reduction) && !by_blocks ? tuning->dst_ahead_sums : DST_AHEAD;
}

/* Of rows longer than a CHUNK, or a window, that many columns after another: the walk begins again for each. */
static void walk_columns(struct walk_part *part, int64_t longest) {
  struct operand *operands = part->without_columns.operands;
  int64_t columns = part->tile.columns, whole = plan_numel(part->outer), done = 0;
  const bool is_fed = part->window.program != NULL;
  const int64_t most = is_fed ? FED_BYTES / part->window.bytes : CHUNK;
  const struct operand *given = part->plan->plan.operands;
  for (int64_t count; done < columns; done += count) {
    count = least(columns - done, most);
    part->tile.columns = count;
    choose_loops(part);
    walk_rows(part->outer, 0, whole, is_fed ? least(longest, most / count) : rows_of_chunk(longest, count),
              scatter_visit, part);
    int last = part->outer->rank;
    for (int i = 0; done + count < columns && i < part->outer->count; i++)
      operands[i].offset += count * given[i].strides[last];
  }
}

/* Member by member: clearing the part would cost a small call more than its work. The streams are set row by row. */
static void start_part(struct walk_part *part, const struct scatter_plan *plan, int64_t lowest, int64_t count,
                       bool far) {
  const struct operand *operands = plan->plan.operands;
  const struct tuning *tuning = part->tuning;
  const strew_dtype to = operands[SELF].dtype, from = operands[SRC].dtype;
  part->plan = plan;
  part->conversion.convert = from != to ? converter(to, from) : NULL;
  part->conversion.from_bytes = (int64_t)dtype_bytes(from);
  part->conversion.to_bytes = (int64_t)dtype_bytes(to);
  part->conversion.join = join_tile;
  part->tile.target.owned = (struct owned){(uint64_t)lowest, (uint64_t)count, (uint64_t)plan->size};
  part->tile.target.step = plan->step * (int64_t)dtype_bytes(to);
  part->tile.flip = scatter_flip(to, plan->reduction);
  part->tile.winners.arg = NULL;
  part->tile.prefetch.dst = far;
  part->tile.prefetch.nta = tuning->streams_nta;
  part->tile.prefetch.foresees_order = tuning->foresees_order;
  part->tile.prefetch.row_ahead = DST_AHEAD;
  part->tile.prefetch.blocked = scatter_range_bytes(plan) > tuning->l1_bytes && (far || tuning->dst_in_l2);
}

/* The end of src's elements, if they are adjacent, one after the other; else NULL. */
static const char *end_of_src(const struct plan *plan) {
  const struct operand *src = &plan->operands[SRC];
  int64_t step = 1;
  for (int d = plan->rank - 1; d >= 0; step *= plan->sizes[d--])
    if (src->strides[d] != step && plan->sizes[d] > 1) return NULL;
  return operand_address(src) + step * (int64_t)dtype_bytes(src->dtype);
}

static __attribute__((noinline)) void walk_fed(struct walk_part *part, int64_t longest) {
  char block[FED_BYTES] __attribute__((aligned(64)));
  const struct plan *plan = &part->plan->plan;
  window_open(&part->window, &plan->operands[SRC], end_of_src(plan), block);
  walk_columns(part, longest);
}

void cpu_scatter_walk(const struct scatter_plan *plan, int64_t lowest, int64_t count, atomic_bool *bad) {
  struct walk_part part;
  const struct operand *operands = plan->plan.operands;
  part.tuning = tuning_in_use();
  const bool far = destinations_are_far(part.tuning, plan);
  const bool is_fed = operands[SRC].storage && operands[SRC].storage->started;
  if (count == plan->size && !is_fed && scatter_walk_short_rows(plan, far, bad)) return;
  part.bad = bad;
  start_part(&part, plan, lowest, count, far);
  split_columns(&plan->plan, &part);
  int last = part.outer->rank - 1;
  if (plan->plan.count > ARG) set_winners(plan, &part);
  int64_t step = last < 0 ? (int64_t)sizeof(int64_t) : operand_step(&operands[INDEX], last);
  const bool direct = index_is_direct(operands[INDEX].dtype, step, plan->mode);
  const bool by_blocks = part.conversion.convert || !direct;
  part.tile.prefetch.dst_ahead = dst_ahead(part.tuning, plan, by_blocks);
  part.tile.prefetch.streams = last >= 0 && scatter_prefetches_streams(part.tuning, by_blocks);
  part.index_at_once = direct ? 1 : INDEX_BLOCK;
  part.src_at_once = part.conversion.convert ? INDEX_BLOCK : 1;
  part.window.program = NULL;
  (is_fed ? walk_fed : walk_columns)(&part, by_blocks ? INDEX_BLOCK : INT64_MAX);
}
