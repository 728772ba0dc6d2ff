/* sorted.c: scatter through a sorted index, on CPUs. Samples tell if it may be sorted, a pass whether it is; the host
   waits for the answer. */
#include "ways.h"

#include <stdio.h>

/* Combines contributions from .. to - 1 of the line. */
static strew_status join_sorted(const struct scattering *s, const struct walked *walked, int64_t from, int64_t to) {
  enum { CHUNK = 65536, TINY = 32 };
  bool dense = walked->plan.operands[INDEX].strides[walked->plan.rank - 1] == 1;
  bool simple = walked->width == 1 && !s->with_arg;
  int64_t chunk = s->tiny ? TINY : CHUNK;
  struct launch launch;
  char more[32];
  snprintf(more, sizeof more, "%s%s", dense ? " DENSE" : "", simple ? " SIMPLE" : "");
  scatter_launch_start(&launch, s, "scatter_sorted.cl", "join_sorted", walked->space.outer, more);
  launch_space(&launch, &walked->space);
  launch_columnwise(&launch, s, walked);
  launch_operand(&launch, &walked->space, INDEX);
  launch_int(&launch, chunk);
  launch_int(&launch, from);
  launch_int(&launch, to);
  launch.goes_on = from > 0;
  launch.turns = chunk * walked->width;
  return launch_groups(&launch, (to - from - 1) / chunk + 1, 1);
}

/* Split into launches, because one destination may get all contributions, and one work-item then combines them. */
static strew_status join_pieces(const struct scattering *s, const struct walked *walked) {
  int64_t most = longest_run(s->device, walked->width);
  strew_status status = STREW_OK;
  for (int64_t from = 0, to; status == STREW_OK && from < s->line; from = to) {
    to = s->line - from > most ? from + most : s->line;
    status = join_sorted(s, walked, from, to);
  }
  return status;
}

/* Not in mode wrap: negative values would be out of order. */
strew_status scatter_if_sorted(struct scattering *s, bool *done) {
  const struct scatter_plan *given = s->given;
  struct walked walked;
  int known = 0;
  *done = false;
  walk_shape(s, false, INT64_MAX, &walked);
  if (walked.space.rows != 1 || given->mode == STREW_WRAP) return STREW_OK;
  strew_status status = verdict_start(&s->pass, VERDICT_NONE, true, &s->verdict);
  if (status == STREW_OK) status = verdict_order(&s->pass, given->check, given->lowest, given->size - 1, &s->verdict);
  if (status == STREW_OK) status = verdict_read(s->call, s->device, &s->verdict, &known);
  s->bad = known & VERDICT_BAD;
  *done = s->bad || !(known & VERDICT_UNSORTED);
  return status == STREW_OK && *done && !s->bad ? join_pieces(s, &walked) : status;
}
