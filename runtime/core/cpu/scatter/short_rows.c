/* short_rows.c: rows of an index that are too short to be lines of their own: each takes a while to begin, and its
   destinations could not be prefetched. The order of contributions stays.

   If nothing has to be copied, and each row has destinations of its own, one loop goes through several rows: lines.
   Others go block by block as one line: index values become numbers of destinations, counted from the target's first
   element, and elements of src are copied side by side. */
#include "scattering.h"

struct flat {
  const struct scatter_plan *plan;
  int64_t columns, index_column, src_column; /* the last dimension: its size, and steps in bytes */
  const int64_t *offsets;        /* of a block's contributions: self at index value 0, in elements from the first's */
  convert_row *widen, *copy_src; /* of index and src */
  bool index_direct, src_direct; /* index values, and elements of src, can be read in place if they are adjacent */
  const struct scatter_loops *loops;
  const struct tuning *tuning;
  struct tile tile;    /* of a block, or a line: its members that are the same for all */
  int64_t lines_ahead; /* as in struct lines */
  atomic_bool *bad;
};

/* ----------------------------------------------------------------------------------------------------- one line */

/* Returns the part begin .. begin + count - 1 of a row of the walk, whose coordinates are rows of the plan. */
static struct row block_of(const struct row *row, int64_t begin, int64_t count) {
  struct row block = *row;
  block.count = count;
  for (int k = SELF; k <= SRC; k++) block.address[k] += begin * row->step_bytes[k];
  return block;
}

/* Converts rows of elements to adjacent ones; in one call, if they are adjacent. */
static void convert_rows(convert_row *convert, int64_t rows, int64_t columns, char *to, int64_t to_step,
                         const char *from, int64_t row_step, int64_t step) {
  if (row_step == columns * step) columns *= rows, rows = 1;
  for (int64_t i = 0; i < rows; i++, to += columns * to_step, from += row_step)
    convert(columns, to, to_step, from, step);
}

static bool rows_are_adjacent(const struct flat *flat, const struct row *rows, int i, int64_t column) {
  return rows->step_bytes[i] == flat->columns * column;
}

static struct stream stream_of_rows(const struct flat *flat, const struct row *rows, int i, int64_t column) {
  return stream_of(flat->tuning, rows->address[i], rows_are_adjacent(flat, rows, i, column) ? column : 0, INDEX_BLOCK);
}

static const int64_t *values_of(const struct flat *flat, const struct row *rows, int64_t *block) {
  const char *index = rows->address[INDEX];
  if (flat->index_direct && rows_are_adjacent(flat, rows, INDEX, flat->index_column))
    return (const int64_t *)(const void *)index;
  convert_rows(flat->widen, rows->count, flat->columns, (char *)block, sizeof *block, index, rows->step_bytes[INDEX],
               flat->index_column);
  apply_mode(flat->plan->mode, flat->plan->size, rows->count * flat->columns, block);
  return block;
}

static void set_src(const struct flat *flat, const struct row *rows, char *block, struct tile *tile) {
  const char *src = rows->address[SRC];
  tile->source.src = src;
  tile->source.row = flat->src_column;
  if (flat->src_direct && rows_are_adjacent(flat, rows, SRC, flat->src_column)) return;
  convert_rows(flat->copy_src, rows->count, flat->columns, block, tile->target.step, src, rows->step_bytes[SRC],
               flat->src_column);
  tile->source.src = block;
  tile->source.row = tile->target.step;
}

static void short_rows_visit(void *flat_, const struct row *row) {
  const struct flat *flat = flat_;
  int64_t values[INDEX_BLOCK], numbers[INDEX_BLOCK], most = INDEX_BLOCK / flat->columns;
  double elements[INDEX_BLOCK]; /* of any dtype */
  struct tile tile = flat->tile;
  tile.source.index = numbers;
  for (int64_t begin = 0; begin < row->count; begin += most) {
    struct row rows = block_of(row, begin, row->count - begin < most ? row->count - begin : most);
    if (bad_is_set(flat->bad)) return;
    tile.rows = rows.count * flat->columns;
    const int64_t first = (rows.address[SELF] - tile.target.self) / tile.target.step;
    bool out_of_range = index_loops()->number_destinations(values_of(flat, &rows, values), flat->offsets, tile.rows,
                                                           flat->plan->size, first, flat->plan->step, numbers);
    tile.prefetch.index = stream_of_rows(flat, &rows, INDEX, flat->index_column);
    tile.prefetch.src = stream_of_rows(flat, &rows, SRC, flat->src_column);
    set_src(flat, &rows, (char *)elements, &tile);
    flat->loops->join(&tile, tile.rows, NULL);
    if (out_of_range) set_bad(flat->bad);
  }
}

/* Sparse destinations are prefetched as far ones are (1000 x 10 x 64 into 1000 x 100 x 64 along the middle, sums: 5.1
   ms -> 2.2, Zen 5). */
static bool hits_are_sparse(const struct tuning *tuning, const struct scatter_plan *plan) {
  const int64_t bytes = (int64_t)scatter_target_bytes(plan);
  return is_sparse(tuning, plan_numel(&plan->plan), bytes, bytes);
}

/* True if rows are better joined as one line. *far, if destinations are prefetched, becomes true if they are sparse. */
static bool is_flat(const struct tuning *tuning, const struct scatter_plan *plan, bool *far) {
  const struct plan *p = &plan->plan;
  const int last = p->rank - 1;
  if (p->operands[INDEX].strides[last] == 0 || p->count > ARG) return false;
  if (p->sizes[last] > FLAT_COLUMNS_FAR) return false;
  *far |= hits_are_sparse(tuning, plan);
  return *far || p->sizes[last] <= FLAT_COLUMNS;
}

/* For as many rows as a block has. */
static void set_offsets(const struct plan *plan, int64_t *offsets) {
  const int last = plan->rank - 1;
  const int64_t *strides = plan->operands[SELF].strides, columns = plan->sizes[last];
  const int64_t rows = least(INDEX_BLOCK / columns, plan->sizes[last - 1]);
  for (int64_t i = 0; i < rows; i++)
    for (int64_t j = 0; j < columns; j++) *offsets++ = i * strides[last - 1] + j * strides[last];
}

static struct tile flat_tile(const struct tuning *tuning, const struct scatter_plan *plan, bool far) {
  const struct operand *self = &plan->plan.operands[SELF];
  const uint64_t elements = (uint64_t)scatter_target_elements(plan);
  return (struct tile){.columns = 1,
                       .flip = scatter_flip(self->dtype, plan->reduction),
                       .target = {.self = operand_address(self),
                                  .step = (int64_t)dtype_bytes(self->dtype),
                                  .owned = {0, elements, elements}},
                       .prefetch = {.dst = far,
                                    .blocked = far,
                                    .dst_ahead = DST_AHEAD,
                                    .nta = tuning->streams_nta,
                                    .foresees_order = tuning->foresees_order,
                                    .streams = scatter_prefetches_streams(tuning, true)}};
}

static void walk_flat(const struct tuning *tuning, const struct scatter_plan *plan, bool far, atomic_bool *bad) {
  const struct operand *self = &plan->plan.operands[SELF], *index = self + INDEX, *src = self + SRC;
  struct plan rows;
  int64_t offsets[INDEX_BLOCK];
  int last = plan->plan.rank - 1;
  set_offsets(&plan->plan, offsets);
  plan_copy(&rows, &plan->plan);
  rows.rank = last;
  struct flat flat = {.plan = plan,
                      .columns = plan->plan.sizes[last],
                      .offsets = offsets,
                      .index_column = operand_step(index, last),
                      .src_column = operand_step(src, last),
                      .widen = converter(STREW_INT64, index->dtype),
                      .copy_src = converter(self->dtype, src->dtype),
                      .src_direct = src->dtype == self->dtype,
                      .loops = scatter_loops(self->dtype, plan->reduction, false),
                      .tuning = tuning,
                      .tile = flat_tile(tuning, plan, far),
                      .bad = bad};
  flat.index_direct = index_is_direct(index->dtype, flat.index_column, plan->mode);
  walk_rows(&rows, 0, plan_numel(&rows), rows_of_chunk(INT64_MAX, flat.columns), short_rows_visit, &flat);
}

/* -------------------------------------------------------------------------------------------------------- lines */

static void visit_lines(void *flat_, const struct row *row) {
  const struct flat *flat = flat_;
  const struct lines lines = {.count = row->count,
                              .index_values = row->step_bytes[INDEX] / (int64_t)sizeof(int64_t),
                              .self_bytes = row->step_bytes[SELF],
                              .src_bytes = row->step_bytes[SRC],
                              .ahead = flat->lines_ahead};
  struct tile tile = flat->tile;
  tile.source.index = (const int64_t *)(const void *)row->address[INDEX];
  tile.target.self = row->address[SELF];
  tile.source.src = row->address[SRC];
  if (!bad_is_set(flat->bad) && flat->loops->join_lines(&tile, &lines)) set_bad(flat->bad);
}

/* True if the first row and one in the middle do: in memory runs take long (1000 rows of 1000 equal values: 3.0 ms ->
   0.7, lines -> row by row). */
static bool has_long_runs(const struct plan *plan) {
  const int64_t columns = plan->sizes[plan->rank - 1], rows = plan_numel(plan) / columns;
  for (int64_t row = 0; row < rows; row += rows / 2 + 1) {
    const int64_t *values = (const int64_t *)(const void *)operand_at(plan, INDEX, row * columns);
    if (!index_ascends(values, columns) || !runs_are_long(values, columns)) return false;
  }
  return true;
}

/* True if rows are better joined as lines. A mean's destinations may be strided: others would gain nothing. */
static bool has_lines(const struct scatter_plan *plan, bool far) {
  const struct plan *p = &plan->plan;
  const struct operand *self = &p->operands[SELF], *index = self + INDEX, *src = self + SRC;
  const int last = p->rank - 1;
  if (far || p->count > ARG) return false;
  if (p->sizes[last] > LINES_COLUMNS) return false;
  if (!index_is_direct(index->dtype, operand_step(index, last), plan->mode) || src->dtype != self->dtype) return false;
  const bool unit_stride = self->strides[last] == 0 && plan->step == 1 && src->strides[last] == 1;
  return (unit_stride || plan->reduction == STREW_MEAN) &&
         scatter_loops(self->dtype, plan->reduction, false)->join_lines && !has_long_runs(p);
}

static void walk_lines(const struct tuning *tuning, const struct scatter_plan *plan, atomic_bool *bad) {
  const struct operand *self = &plan->plan.operands[SELF];
  struct plan rows;
  const int last = plan->plan.rank - 1;
  plan_copy(&rows, &plan->plan);
  rows.rank = last;
  const int64_t columns = plan->plan.sizes[last];
  struct flat flat = {
      .plan = plan,
      .loops = scatter_loops(self->dtype, plan->reduction, false),
      .tile = {.rows = columns,
               .flip = scatter_flip(self->dtype, plan->reduction),
               .source = {.row = operand_step(self + SRC, last)},
               .target = {.row = operand_step(self, last),
                          .step = plan->step * (int64_t)dtype_bytes(self->dtype),
                          .owned = {.size = (uint64_t)plan->size}}},
      .lines_ahead = line_distance(tuning, columns, scatter_range_bytes(plan), (int64_t)scatter_target_bytes(plan)),
      .bad = bad};
  walk_rows(&rows, 0, plan_numel(&rows), rows_of_chunk(INT64_MAX, columns), visit_lines, &flat);
}

/* --------------------------------------------------------------------------------------------------------- both */

bool scatter_walk_short_rows(const struct scatter_plan *plan, bool far, atomic_bool *bad) {
  if (plan->plan.rank < 2) return false;
  const struct tuning *tuning = tuning_in_use();
  const bool lines = has_lines(plan, far);
  if (!lines && !is_flat(tuning, plan, &far)) return false;
  if (lines)
    walk_lines(tuning, plan, bad);
  else
    walk_flat(tuning, plan, far, bad);
  return true;
}
