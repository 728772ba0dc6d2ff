/* sorted.c: scatter through a sorted index, on CPUs. Samples tell if it may be sorted, a pass whether it is; the host
   waits for the answer. */
#include "scattering.h"

#include <stdio.h>

/* Combines contributions from .. to - 1 of the line. */
static void join_sorted(const struct scattering *s, const struct column_walk *walk, int64_t from, int64_t to) {
  bool dense = walk->plan.operands[INDEX].strides[walk->plan.rank - 1] == 1;
  bool simple = walk->width == 1 && !s->with_arg;
  int64_t chunk = s->tiny ? TINY_BLOCK : SORTED_CHUNK;
  char more[32];
  snprintf(more, sizeof more, "%s%s", dense ? " DENSE" : "", simple ? " SIMPLE" : "");
  struct launch *launch = scattering_launch(s, "scatter_sorted.cl", "join_sorted", walk->space.outer, more);
  launch_columnwise(launch, s, walk);
  launch_operand(launch, &walk->space, INDEX);
  launch_ints(launch, chunk, from, to);
  launch->continues = from > 0;
  launch->turns = chunk * walk->width;
  launch_groups(launch, (to - from - 1) / chunk + 1, 1);
}

/* Split into launches, because one destination may get all contributions, and one work-item then combines them. */
static void join_sorted_runs(const struct scattering *s, const struct column_walk *walk) {
  int64_t most = launch_iterations(s->launch->device, walk->width);
  for (int64_t from = 0, to; s->launch->status == STREW_OK && from < s->line; from = to) {
    to = s->line - from > most ? from + most : s->line;
    join_sorted(s, walk, from, to);
  }
}

/* Not in mode wrap: negative values would be out of order. */
bool opencl_scatter_if_sorted(struct scattering *s) {
  const struct scatter_plan *given = s->given;
  struct column_walk walk;
  scattering_walk(s, false, INT64_MAX, &walk);
  if (walk.space.rows != 1 || given->mode == STREW_WRAP) return false;
  s->verdict = verdict_start(&s->pass, VERDICT_NONE, true);
  verdict_order(&s->pass, given->check, given->lowest, given->size - 1, s->verdict);
  const int known = verdict_read(s->launch, s->verdict);
  s->bad = known & VERDICT_BAD;
  if (!s->bad && (known & VERDICT_UNSORTED)) return false;
  if (!s->bad) join_sorted_runs(s, &walk);
  return true;
}
