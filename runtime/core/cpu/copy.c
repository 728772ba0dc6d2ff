/* copy.c: conversion and filling on the CPU. Copies between equal dtypes keep all bits, those of NaNs included. */
#include "core_loops.h"

#include "tuning.h"

#include <string.h>

/* Integers are truncated to others: the sign of the result does not matter, nor that of what is no narrower. */
convert_row *converter(strew_dtype to, strew_dtype from) {
  if (!dtype_is_float(from)) {
    if (!dtype_is_float(to) && dtype_bytes(to) <= dtype_bytes(from)) from = dtype_signed(from);
    to = dtype_signed(to);
  }
  return to != from ? copy_loops()->convert_from[from][to] : copy_loops()->copy[dtype_bytes(to)];
}

void flip_signs(int64_t count, char *to, int64_t to_step, const char *from, int64_t from_step) {
  for (int64_t i = 0; i < count; i++, to += to_step, from += from_step)
    *(uint64_t *)(void *)to = *(const uint64_t *)(const void *)from ^ dtype_sign(STREW_UINT64);
}

static void copy_visit(void *convert, const struct row *row) {
  (*(convert_row **)convert)(row->count, row->address[0], row->step_bytes[0], row->address[1], row->step_bytes[1]);
}

/* ------------------------------------------------------------------------------------------------- transposition

   If the source is contiguous along another dimension than the last, plain rows would use one element of each cache
   line that they load. Tiles of both are copied instead, whose cache lines stay in L1. */

enum { TILE_BYTES = 256, LEAST = 8 };

struct transposition {
  struct plan plan; /* the source has unit stride along the last dimension but one */
  transpose_block *transpose;
  int64_t rows, columns, side, tiles_down, tiles_along;
};

/* Dimension along which the source's elements are adjacent, if tiles are worth it; else -1. */
static int transposed_dim(const struct plan *plan) {
  const struct operand *to = &plan->operands[0], *from = &plan->operands[1];
  int last = plan->rank - 1;
  if (last < 1 || to->dtype != from->dtype || !from->storage) return -1;
  if (to->strides[last] != 1 || from->strides[last] <= 1 || plan->sizes[last] < LEAST) return -1;
  for (int d = 0; d < last; d++)
    if (from->strides[d] == 1 && plan->sizes[d] >= LEAST) return d;
  return -1;
}

static void transpose_tile(void *work_, int64_t tile) {
  const struct transposition *work = work_;
  const struct plan *plan = &work->plan;
  int64_t r = tile / work->tiles_along % work->tiles_down * work->side, c = tile % work->tiles_along * work->side;
  int64_t place = tile / work->tiles_along / work->tiles_down * work->rows * work->columns + r * work->columns + c;
  work->transpose(least(work->rows - r, work->side), least(work->columns - c, work->side), operand_at(plan, 0, place),
                  operand_step(&plan->operands[0], plan->rank - 2), operand_at(plan, 1, place),
                  operand_step(&plan->operands[1], plan->rank - 1));
}

static void copy_transposed(strew_context *context, const struct plan *plan, int dim) {
  int64_t size_bytes = (int64_t)dtype_bytes(plan->operands[0].dtype);
  struct transposition work = {.transpose = copy_loops()->transpose[size_bytes], .side = TILE_BYTES / size_bytes};
  plan_copy(&work.plan, plan);
  for (; dim < plan->rank - 2; dim++) plan_swap_dims(&work.plan, dim, dim + 1); /* their order does not matter */
  work.rows = work.plan.sizes[plan->rank - 2];
  work.columns = work.plan.sizes[plan->rank - 1];
  work.tiles_down = (work.rows - 1) / work.side + 1;
  work.tiles_along = (work.columns - 1) / work.side + 1;
  const int64_t tiles = plan_numel(plan) / (work.rows * work.columns) * work.tiles_down * work.tiles_along;
  pool_run_items(context, pool_parts(context, 2 * plan_numel(plan) * size_bytes), tiles, transpose_tile, &work);
}

/* -------------------------------------------------------------------------------------------------------- short rows

   A call for each row of few elements would take longer than its elements. */

struct short_rows {
  convert_row *convert;
  int64_t bytes; /* of a row, if it is copied whole; else 0 */
  int64_t count; /* lines of rows, or columns, that are walked side by side */
  int64_t step_bytes[2];
};

/* Rows of no less than `width` bytes, by moves of that width; the last one overlaps the one before. */
static inline void copy_by(size_t width, int64_t count, int64_t bytes, char *to, int64_t to_step, const char *from,
                           int64_t from_step) {
  const int64_t last = bytes - (int64_t)width;
  for (; count > 0; count--, to += to_step, from += from_step) {
    for (int64_t at = 0; at < last; at += (int64_t)width) memcpy(to + at, from + at, width);
    memcpy(to + last, from + last, width);
  }
}

static void copy_whole(int64_t count, int64_t bytes, char *to, int64_t to_step, const char *from, int64_t from_step) {
  if (bytes >= 64)
    copy_by(64, count, bytes, to, to_step, from, from_step);
  else if (bytes >= 16)
    copy_by(16, count, bytes, to, to_step, from, from_step);
  else if (bytes >= 8)
    copy_by(8, count, bytes, to, to_step, from, from_step);
  else if (bytes >= 4)
    copy_by(4, count, bytes, to, to_step, from, from_step);
  else
    copy_by(2, count, bytes, to, to_step, from, from_step);
}

static void short_visit(void *rows_, const struct row *row) {
  const struct short_rows *rows = rows_;
  char *to = row->address[0];
  const char *from = row->address[1];
  for (int64_t i = 0; i < rows->count; i++, to += rows->step_bytes[0], from += rows->step_bytes[1])
    if (rows->bytes)
      copy_whole(row->count, rows->bytes, to, row->step_bytes[0], from, row->step_bytes[1]);
    else
      rows->convert(row->count, to, row->step_bytes[0], from, row->step_bytes[1]);
}

/* Sets up rows without their last dimension or two, in `outer`; false: they are not short. */
static bool take_short(struct short_rows *rows, const struct plan *plan, struct plan *outer) {
  const struct operand *to = &plan->operands[0], *from = &plan->operands[1];
  int last = plan->rank - 1;
  if (last < 1 || plan->sizes[last] > SHORT_BYTES) return false;
  const int64_t bytes = plan->sizes[last] * (int64_t)dtype_bytes(to->dtype);
  const bool is_dense = to->strides[last] == 1 && from->strides[last] == 1,
             is_whole = is_dense && to->dtype == from->dtype;
  int64_t most = is_dense ? SHORT_CONVERTED : SHORT_ROW;
  plan_copy(outer, plan);
  if (is_whole && bytes <= SHORT_BYTES) {
    rows->bytes = bytes;
    outer->rank = last--;
    most = SHORT_ROW;
  }
  if (last > 0 && plan->sizes[last] <= most && plan->sizes[last - 1] > plan->sizes[last]) {
    rows->count = plan->sizes[last];
    for (int i = 0; i < 2; i++) rows->step_bytes[i] = operand_step(&plan->operands[i], last);
    outer->rank = last;
  }
  return outer->rank < plan->rank;
}

/* ------------------------------------------------------------------------------------------------------ all copies */

strew_status cpu_copy(const struct call *call, strew_device *device, const struct plan *plan) {
  int dim = transposed_dim(plan);
  struct plan outer;
  struct short_rows rows = {.convert = converter(plan->operands[0].dtype, plan->operands[1].dtype), .count = 1};
  if (dim >= 0)
    copy_transposed(device->context, plan, dim);
  else if (take_short(&rows, plan, &outer))
    walk_rows_sized(device->context, &outer, walk_bytes(plan) / LIGHT, SHORT_ROWS, short_visit, &rows);
  else
    walk_rows_parallel(device->context, plan, INT64_MAX, copy_visit, &rows.convert);
  return context_end(call, device->context, plan->operands[0].storage);
}
