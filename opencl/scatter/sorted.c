/* sorted.c: scatter through a sorted index, on CPUs. Samples tell if it may be sorted, a pass whether it is; the host
   waits for the answer. */
#include "ways.h"

#include <stdio.h>

/* Combines contributions from .. to - 1 of the line. */
static strew_status join_sorted(const struct scattering *s, const struct column_walk *walk, int64_t from, int64_t to) {
  bool dense = walk->plan.operands[INDEX].strides[walk->plan.rank - 1] == 1;
  bool simple = walk->width == 1 && !s->with_arg;
  int64_t chunk = s->tiny ? TINY_BLOCK : SORTED_CHUNK;
  struct launch launch;
  char more[32];
  snprintf(more, sizeof more, "%s%s", dense ? " DENSE" : "", simple ? " SIMPLE" : "");
  scattering_launch(&launch, s, "scatter_sorted.cl", "join_sorted", walk->space.outer, more);
  launch_space(&launch, &walk->space);
  launch_columnwise(&launch, s, walk);
  launch_operand(&launch, &walk->space, INDEX);
  launch_ints(&launch, chunk, from, to);
  launch.continues = from > 0;
  launch.turns = chunk * walk->width;
  return launch_groups(&launch, (to - from - 1) / chunk + 1, 1);
}

/* Split into launches, because one destination may get all contributions, and one work-item then combines them. */
static strew_status join_sorted_runs(const struct scattering *s, const struct column_walk *walk) {
  int64_t most = launch_iterations(s->device, walk->width);
  strew_status status = STREW_OK;
  for (int64_t from = 0, to; status == STREW_OK && from < s->line; from = to) {
    to = s->line - from > most ? from + most : s->line;
    status = join_sorted(s, walk, from, to);
  }
  return status;
}

/* Not in mode wrap: negative values would be out of order. */
strew_status opencl_scatter_if_sorted(struct scattering *s, bool *done) {
  const struct scatter_plan *given = s->given;
  struct column_walk walk;
  int known = 0;
  *done = false;
  scattering_walk(s, false, INT64_MAX, &walk);
  if (walk.space.rows != 1 || given->mode == STREW_WRAP) return STREW_OK;
  strew_status status = verdict_start(&s->pass, VERDICT_NONE, true, &s->verdict);
  TRY(status, verdict_order(&s->pass, given->check, given->lowest, given->size - 1, &s->verdict));
  TRY(status, verdict_read(s->call, s->device, &s->verdict, &known));
  s->bad = known & VERDICT_BAD;
  *done = s->bad || !(known & VERDICT_UNSORTED);
  return status == STREW_OK && *done && !s->bad ? join_sorted_runs(s, &walk) : status;
}
