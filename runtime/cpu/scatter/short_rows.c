/* short_rows.c: rows of an index that are too short to be lines of their own, for each takes a while to begin and its
   places could not be fetched ahead. The order of contributions stays.

   Where nothing is to be brought, and each row has places of its own, one loop goes through several: lines. Others go
   block by block as one line: index values become numbers of places, counted from the target's first one, and src's
   elements are brought side by side. */
#include "runtime/cpu/loops/index_loops.h"
#include "scattering.h"

CHOOSE_LOOPS(index)

enum { BLOCK = 1024 };

struct flat {
  const struct scatter_plan *plan;
  int64_t columns, index_column, src_column; /* the last dimension: its size, and steps in bytes */
  const int64_t *offsets; /* of a block's contributions: where self is at index value 0, in elements from the first's */
  convert_row *widen, *bring; /* of index and src */
  bool straight;              /* values can be read where they lie, side by side ... */
  bool plain;                 /* ... and so can elements of src */
  const struct scatter_loops *loops;
  struct tile tile;    /* of a block, or a line, as far as it is the same for all */
  int64_t lines_ahead; /* as struct lines has it */
  atomic_bool *bad;
};

/* --------------------------------------------------------------------------------------------------------- one line */

/* A row of the walk, whose coordinates are rows of the plan, cut to a block's: begin .. begin + count - 1. */
static struct row block_of(const struct row *row, int64_t begin, int64_t count) {
  struct row block = *row;
  block.count = count;
  for (int k = SELF; k <= SRC; k++) block.address[k] += begin * row->step_bytes[k];
  return block;
}

/* Rows of elements come side by side, at once where they lie so. */
static void bring_rows(convert_row *convert, int64_t rows, int64_t columns, char *to, int64_t to_step, const char *from,
                       int64_t row_step, int64_t step) {
  if (row_step == columns * step) columns *= rows, rows = 1;
  for (int64_t i = 0; i < rows; i++, to += columns * to_step, from += row_step)
    convert(columns, to, to_step, from, step);
}

/* Do rows lie one behind the other? */
static bool rows_are_dense(const struct flat *flat, const struct row *rows, int i, int64_t column) {
  return rows->step_bytes[i] == flat->columns * column;
}

static struct stream stream_of_rows(const struct flat *flat, const struct row *rows, int i, int64_t column) {
  return stream_of(rows->address[i], rows_are_dense(flat, rows, i, column) ? column : 0, BLOCK);
}

static const int64_t *values_of(const struct flat *flat, const struct row *rows, int64_t *block) {
  const char *index = rows->address[INDEX];
  if (flat->straight && rows_are_dense(flat, rows, INDEX, flat->index_column))
    return (const int64_t *)(const void *)index;
  bring_rows(flat->widen, rows->count, flat->columns, (char *)block, sizeof *block, index, rows->step_bytes[INDEX],
             flat->index_column);
  apply_mode(flat->plan->mode, flat->plan->size, rows->count * flat->columns, block);
  return block;
}

static void bring_src(const struct flat *flat, const struct row *rows, char *block, struct tile *tile) {
  const char *src = rows->address[SRC];
  tile->src = src;
  tile->src_row = flat->src_column;
  if (flat->plain && rows_are_dense(flat, rows, SRC, flat->src_column)) return;
  bring_rows(flat->bring, rows->count, flat->columns, block, tile->step, src, rows->step_bytes[SRC], flat->src_column);
  tile->src = block;
  tile->src_row = tile->step;
}

static void visit(void *flat_, const struct row *row) {
  const struct flat *flat = flat_;
  int64_t values[BLOCK], places[BLOCK], most = BLOCK / flat->columns;
  double elements[BLOCK]; /* of any dtype */
  struct tile tile = flat->tile;
  tile.index = places;
  for (int64_t begin = 0; begin < row->count; begin += most) {
    struct row rows = block_of(row, begin, row->count - begin < most ? row->count - begin : most);
    if (bad_is_set(flat->bad)) return;
    tile.rows = rows.count * flat->columns;
    bool nobodys =
        index_loops()->number_places(values_of(flat, &rows, values), flat->offsets, tile.rows, flat->plan->size,
                                     (rows.address[SELF] - tile.self) / tile.step, flat->plan->step, places);
    tile.index_stream = stream_of_rows(flat, &rows, INDEX, flat->index_column);
    tile.src_stream = stream_of_rows(flat, &rows, SRC, flat->src_column);
    bring_src(flat, &rows, (char *)elements, &tile);
    flat->loops->join(&tile, tile.rows, NULL);
    if (nobodys) set_bad(flat->bad);
  }
}

/* Places that are sparse are asked for as well as far ones (1000 x 10 x 64 into 1000 x 100 x 64 along the middle, on
   Zen 5: sums 5.1 ms, 2.2 so). */
static bool is_sparse(const struct scatter_plan *plan) {
  const int64_t bytes = (int64_t)scatter_target_bytes(plan);
  const strew_context *context = plan->plan.operands[SELF].storage->device->context;
  return places_are_sparse(context, plan_numel(&plan->plan), bytes, bytes);
}

/* ns for a contribution, row by row and as one line, for rows of so many columns. 2: 8.4 / 1.1; 8: 2.6 / 1.0; 31: 1.2 /
   1.0; 48: 1.0 / 1.0; 128: 0.9 / 1.0. Into places that a core's own cache does not hold, 2: 11 / 3.0; 31: 2.7 / 2.5;
   128: 2.7 / 2.4; 200: 2.4 / 3.1. Where each row has places of its own, 2: 8.6 / 1.4; 12: 2.2 / 1.1; 40: 1.2 / 1.2. So
   on Zen 4; on Zen 5 56: 0.85 / 0.66; 96: 0.79 / 0.68; 128: 1.1 / 1.2. *ahead, are places asked for, is true of far
   ones before. */
static bool is_flat(const struct scatter_plan *plan, bool *ahead) {
  enum { LONGEST = 96, LONGEST_AHEAD = 128, FEWEST_ROWS = 2 };
  const struct plan *p = &plan->plan;
  const int last = p->rank - 1;
  if (p->operands[INDEX].strides[last] == 0 || p->count > ARG) return false;
  if (p->sizes[last] > LONGEST_AHEAD || p->sizes[last - 1] < FEWEST_ROWS) return false;
  *ahead |= is_sparse(plan);
  return *ahead || p->sizes[last] <= LONGEST;
}

/* For as many rows as a block has. */
static void set_offsets(const struct plan *plan, int64_t *offsets) {
  const int last = plan->rank - 1;
  const int64_t *strides = plan->operands[SELF].strides, columns = plan->sizes[last];
  const int64_t rows = least(BLOCK / columns, plan->sizes[last - 1]);
  for (int64_t i = 0; i < rows; i++)
    for (int64_t j = 0; j < columns; j++) *offsets++ = i * strides[last - 1] + j * strides[last];
}

static void walk_flat(const struct scatter_plan *plan, bool ahead, atomic_bool *bad) {
  const struct operand *self = &plan->plan.operands[SELF], *index = self + INDEX, *src = self + SRC;
  const enum processor processor = processor_in_use();
  struct plan rows;
  int64_t offsets[BLOCK];
  int last = plan->plan.rank - 1;
  set_offsets(&plan->plan, offsets);
  plan_copy(&rows, &plan->plan);
  rows.rank = last;
  int64_t element = (int64_t)dtype_bytes(self->dtype), places = scatter_places(plan);
  struct flat flat = {
      .plan = plan,
      .columns = plan->plan.sizes[last],
      .offsets = offsets,
      .index_column = operand_step(index, last),
      .src_column = operand_step(src, last),
      .widen = converter(STREW_INT64, index->dtype),
      .bring = converter(self->dtype, src->dtype),
      .loops = scatter_loops(self->dtype, plan->reduction, false),
      .tile = {.columns = 1,
               .count = places,
               .size = places,
               .step = element,
               .far = ahead,
               .crowded = ahead,
               .place_ahead = LINE_AHEAD,
               .processor = processor,
               .asks = scatter_asks(processor, plan->plan.sizes[last - 1] * plan->plan.sizes[last], true)},
      .bad = bad};
  flat.straight = index_is_straight(index->dtype, flat.index_column, plan->mode);
  flat.plain = src->dtype == self->dtype;
  flat.tile.self = operand_address(self);
  walk_rows(&rows, 0, plan_numel(&rows), rows_of_chunk(INT64_MAX, flat.columns), visit, &flat);
}

/* ------------------------------------------------------------------------------------------------------------ lines */

static void visit_lines(void *flat_, const struct row *row) {
  const struct flat *flat = flat_;
  const struct lines lines = {.count = row->count,
                              .index_values = row->step_bytes[INDEX] / (int64_t)sizeof(int64_t),
                              .self_bytes = row->step_bytes[SELF],
                              .src_bytes = row->step_bytes[SRC],
                              .ahead = flat->lines_ahead};
  struct tile tile = flat->tile;
  tile.index = (const int64_t *)(const void *)row->address[INDEX];
  tile.self = row->address[SELF];
  tile.src = row->address[SRC];
  if (!bad_is_set(flat->bad) && flat->loops->join_lines(&tile, &lines)) set_bad(flat->bad);
}

/* Do the first row and one in the middle? In memory runs take long (1000 rows of 1000 equal values: 3.0 ms, row by row
   0.7). */
static bool has_long_runs(const struct plan *plan) {
  const int64_t columns = plan->sizes[plan->rank - 1], rows = plan_numel(plan) / columns;
  for (int64_t row = 0; row < rows; row += rows / 2 + 1) {
    const int64_t *values = (const int64_t *)(const void *)operand_at(plan, INDEX, row * columns);
    if (!index_ascends(values, columns) || !runs_are_long(values, columns)) return false;
  }
  return true;
}

/* Sums of 1 M contributions on Zen 5, in ms, row by row or as one line, and as lines: 100,000 rows of 10 0.94 / 0.58,
   10,000 of 100 0.93 / 0.48, 1000 of 1000 0.71 / 0.49; means 5.2 / 1.7, 4.8 / 1.4, 4.4 / 1.3. Only a mean's places need
   not be dense: others would gain nothing. */
static bool has_lines(const struct scatter_plan *plan, bool far) {
  enum { LONGEST = 1024, FEWEST_ROWS = 4 };
  const struct plan *p = &plan->plan;
  const struct operand *self = &p->operands[SELF], *index = self + INDEX, *src = self + SRC;
  const int last = p->rank - 1;
  if (far || p->count > ARG || p->sizes[last] > LONGEST || p->sizes[last - 1] < FEWEST_ROWS) return false;
  if (!index_is_straight(index->dtype, operand_step(index, last), plan->mode) || src->dtype != self->dtype)
    return false;
  const bool dense = self->strides[last] == 0 && plan->step == 1 && src->strides[last] == 1;
  return (dense || plan->reduction == STREW_MEAN) && scatter_loops(self->dtype, plan->reduction, false)->join_lines &&
         !has_long_runs(p);
}

static void walk_lines(const struct scatter_plan *plan, atomic_bool *bad) {
  const struct operand *self = &plan->plan.operands[SELF];
  struct plan rows;
  const int last = plan->plan.rank - 1;
  plan_copy(&rows, &plan->plan);
  rows.rank = last;
  const int64_t columns = plan->plan.sizes[last];
  struct flat flat = {.plan = plan,
                      .loops = scatter_loops(self->dtype, plan->reduction, false),
                      .tile = {.rows = columns,
                               .self_row = operand_step(self, last),
                               .src_row = operand_step(self + SRC, last),
                               .step = plan->step * (int64_t)dtype_bytes(self->dtype),
                               .size = plan->size},
                      .lines_ahead =
                          lines_fetched_ahead(self->storage->device->context, columns, scatter_range_bytes(plan),
                                              (int64_t)scatter_target_bytes(plan)),
                      .bad = bad};
  walk_rows(&rows, 0, plan_numel(&rows), rows_of_chunk(INT64_MAX, columns), visit_lines, &flat);
}

/* ------------------------------------------------------------------------------------------------------------- both */

bool scatter_walk_short_rows(const struct scatter_plan *plan, bool far, atomic_bool *bad) {
  if (plan->plan.rank < 2) return false;
  bool ahead = far;
  const bool lines = has_lines(plan, far);
  if (!lines && !is_flat(plan, &ahead)) return false;
  if (lines)
    walk_lines(plan, bad);
  else
    walk_flat(plan, ahead, bad);
  return true;
}
