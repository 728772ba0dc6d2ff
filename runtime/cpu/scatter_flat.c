/* scatter_flat.c: full rows that are too short to be lines of their own, for their places could not be fetched ahead,
   go block by block as one line: index values become numbers of places, counted from the target's first one, and src's
   elements are brought side by side. The order of contributions stays. */
#include "scatter.h"

enum { BLOCK = 1024 };

struct flat {
  const struct scatter_plan *plan;
  int64_t columns, self_column, index_column, src_column; /* the last dimension: its size, and steps in bytes */
  convert_row *widen, *bring;                             /* of index and src */
  bool straight;                                          /* values can be read where they lie, side by side ... */
  bool plain;                                             /* ... and so can elements of src */
  const struct scatter_loops *loops;
  struct tile tile; /* of a block, as far as it is the same for all */
  atomic_bool *bad;
};

/* A row of the walk, whose coordinates are rows of the plan, cut to a block's: begin .. begin + count - 1. */
static struct row block_of(const struct row *row, int64_t begin, int64_t count) {
  struct row block = *row;
  block.count = count;
  for (int k = SELF; k <= SRC; k++) block.address[k] += begin * row->step_bytes[k];
  return block;
}

static const int64_t *values_of(const struct flat *flat, const struct row *rows, int64_t *block) {
  const char *index = rows->address[INDEX];
  if (flat->straight && rows->step_bytes[INDEX] == flat->columns * flat->index_column)
    return (const int64_t *)(const void *)index;
  for (int64_t i = 0; i < rows->count; i++, index += rows->step_bytes[INDEX])
    flat->widen(flat->columns, (char *)(block + i * flat->columns), sizeof *block, index, flat->index_column);
  apply_mode(flat->plan->mode, flat->plan->size, rows->count * flat->columns, block);
  return block;
}

/* In elements, as self's steps are; -1 for values that are nobody's. Was there one? */
static bool number_places(const struct flat *flat, const struct row *rows, const int64_t *values, int64_t *places) {
  const int64_t columns = flat->columns, element = flat->tile.step, step = flat->plan->step;
  const int64_t down = rows->step_bytes[SELF] / element, across = flat->self_column / element;
  const uint64_t size = (uint64_t)flat->plan->size;
  int64_t first = (rows->address[SELF] - flat->tile.self) / element;
  bool nobodys = false;
  for (int64_t i = 0; i < rows->count; i++, first += down, values += columns, places += columns)
    for (int64_t j = 0; j < columns; j++) {
      const bool fits = (uint64_t)values[j] < size;
      places[j] = fits ? first + j * across + values[j] * step : -1;
      nobodys |= !fits;
    }
  return nobodys;
}

static void bring_src(const struct flat *flat, const struct row *rows, char *block, struct tile *tile) {
  const char *src = rows->address[SRC];
  const int64_t line = flat->columns * tile->step;
  tile->src = src;
  tile->src_row = flat->src_column;
  if (flat->plain && rows->step_bytes[SRC] == flat->columns * flat->src_column) return;
  for (int64_t i = 0; i < rows->count; i++, src += rows->step_bytes[SRC])
    flat->bring(flat->columns, block + i * line, tile->step, src, flat->src_column);
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
    if (flat->bad && atomic_load_explicit(flat->bad, memory_order_relaxed)) return;
    bool nobodys = number_places(flat, &rows, values_of(flat, &rows, values), places);
    bring_src(flat, &rows, (char *)elements, &tile);
    tile.rows = rows.count * flat->columns;
    flat->loops->join(&tile, tile.rows, NULL);
    if (nobodys && flat->bad) atomic_store_explicit(flat->bad, true, memory_order_relaxed);
  }
}

/* ns for a contribution, row by row and as one line, for rows of so many columns. 2: 11 / 1.3; 8: 3.3 / 1.0; 31: 1.4 /
   1.2; 48: 1.1 / 1.5. Into places that a core's own cache does not hold, 2: 14 / 2.2; 32: 11 / 5.4; 128: 4.9 / 3.9;
   250: 4.6 / 4.9. */
bool scatter_is_flat(const struct scatter_plan *plan, bool far) {
  enum { LONGEST = 31, LONGEST_FAR = 128, FEWEST_ROWS = 16 };
  const struct plan *p = &plan->plan;
  int last = p->rank - 1;
  return has_full_rows(p) && p->count <= ARG && p->sizes[last - 1] >= FEWEST_ROWS &&
         p->sizes[last] <= (far ? LONGEST_FAR : LONGEST);
}

void scatter_walk_flat(const struct scatter_plan *plan, bool far, atomic_bool *bad) {
  const struct operand *self = &plan->plan.operands[SELF], *index = self + INDEX, *src = self + SRC;
  struct plan rows;
  int last = plan->plan.rank - 1;
  plan_copy(&rows, &plan->plan);
  rows.rank = last;
  int64_t element = (int64_t)dtype_bytes(self->dtype), places = scatter_places(plan);
  struct flat flat = {.plan = plan,
                      .columns = plan->plan.sizes[last],
                      .self_column = operand_step(self, last),
                      .index_column = operand_step(index, last),
                      .src_column = operand_step(src, last),
                      .widen = converter(STREW_INT64, index->dtype),
                      .bring = converter(self->dtype, src->dtype),
                      .loops = scatter_loops(self->dtype, plan->reduction, false),
                      .tile = {.columns = 1, .count = places, .size = places, .step = element, .far = far},
                      .bad = bad};
  flat.straight = index_is_straight(index->dtype, flat.index_column, plan->mode);
  flat.plain = src->dtype == self->dtype;
  flat.tile.self = operand_address(self);
  walk_rows(&rows, 0, plan_numel(&rows), rows_of_stretch(INT64_MAX, flat.columns), visit, &flat);
}
