/* walk.c: scatter by walking the index in order. Work-items divide rows, columns and destinations among them.
   A sorted index they divide into chunks, on CPUs: samples tell if it may be sorted, a pass whether it is; the host
   waits for the answer. */
#include "scattering.h"

#include <stdio.h>

/* --------------------------------------------------------------------------------------------------- a sorted index */

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
  launch->turns = chunk * walk->width * s->src->cost;
  launch_groups(launch, (to - from - 1) / chunk + 1, 1);
}

/* Split into launches, because one destination may get all contributions, and one work-item then combines them. */
static void join_sorted_runs(const struct scattering *s, const struct column_walk *walk) {
  int64_t most = launch_iterations(s->launch->device, walk->width * s->src->cost);
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
  if (*given->unsorted || walk.space.rows != 1 || given->mode == STREW_WRAP) return false;
  s->verdict = verdict_sample(&s->pass);
  verdict_order(&s->pass, given->check, given->lowest, given->size - 1, 0, s->verdict);
  const int known = verdict_read(s->launch, s->verdict);
  s->bad = known & VERDICT_BAD;
  *given->unsorted = known & VERDICT_UNSORTED;
  if (!s->bad && *given->unsorted) return false;
  if (!s->bad) join_sorted_runs(s, &walk);
  return true;
}

/* -------------------------------------------------------------------------------------------------------- any index */

/* Loop iterations per contribution: adjacent columns are computed by vectors. */
static int64_t turns_of(const struct column_walk *walk) {
  return *walk->columns == 'd' ? (walk->block - 1) / WALK_VECTOR + 1 : walk->block;
}

/* Combines contributions from .. to - 1 of every line. */
static void walk_chunk(struct scattering *s, const struct column_walk *walk, int64_t owners, bool check, int64_t from,
                       int64_t to) {
  char more[64];
  snprintf(more, sizeof more, " COLUMNS=%s%s", walk->columns, walk->column[INDEX] ? " MOVING" : "");
  struct launch *launch = scattering_launch(s, "scatter_walk.cl", "walk", walk->space.outer, more);
  launch_scatter(launch, s, &walk->space);
  launch_ints(launch, walk->width, walk->block);
  for (int i = 0; i <= ARG; i++) launch_ints(launch, walk->column[i]);
  launch_ints(launch, from, to, owners);
  launch_flags(launch, check);
  launch_blocks(launch, s->verdict);
  int64_t items = owners * walk->space.rows * ((walk->width - 1) / walk->block + 1);
  launch->continues = from > 0 && !s->draft;
  launch->turns = (to - from) * turns_of(walk) * s->src->cost;
  bool in_groups =
      opencl_of(s->launch->device)->is_gpu || items >= WALK_MANY_GROUPS * GROUP; /* else CPU cores would idle */
  launch->status = in_groups ? launch_items(launch, items) : launch_groups(launch, items, 1);
}

/* Columns per work-item, on a CPU whose cores the rows do not occupy: one block per core, at least some cache lines
   wide. 10,000 lines of 1000 columns: 69 ms of both cores in two blocks, 94 ms in eight. */
static int64_t column_block(const struct scattering *s, int64_t owners) {
  struct column_walk walk;
  scattering_walk(s, true, INT64_MAX, &walk);
  int64_t units = (int64_t)opencl_of(s->launch->device)->units, block = (walk.width - 1) / units + 1;
  if (owners > 1 || walk.space.rows >= 4 * units) return INT64_MAX;
  return block < WALK_NARROWEST_BLOCK ? WALK_NARROWEST_BLOCK : block;
}

/* True if values can be checked while they are combined: self is disposable, or so small that a draft costs less than a
   pass over the index (10 M into 10,000: 4 ms of 15). */
static bool checks_while_walking(const struct scattering *s) {
  const struct scatter_plan *given = s->given;
  if (!given->check || given->disposable || s->with_arg || given->size < 1) return given->check && given->disposable;
  size_t index_bytes = (size_t)plan_numel(&s->pass.values) * strew_dtype_size_bytes(s->pass.values.operands[0].dtype);
  return scatter_target_bytes(s->given) <= index_bytes / WALK_DRAFT_SHARE;
}

/* Launches over at most `most` contributions of each line, and of bounded work. */
static void walk_all(struct scattering *s, int64_t owners, int64_t most, bool check) {
  const struct opencl *on = opencl_of(s->launch->device);
  bool single = on->is_gpu || on->longest_loop < INT64_MAX;
  struct column_walk walk;
  scattering_walk(s, true, single ? 1 : column_block(s, owners), &walk);
  int64_t longest = launch_iterations(s->launch->device, turns_of(&walk) * s->src->cost);
  most = most < longest ? most : longest;
  for (int64_t from = 0, to; s->launch->status == STREW_OK && from < s->line; from = to) {
    to = s->line - from > most ? from + most : s->line;
    walk_chunk(s, &walk, owners, check, from, to);
  }
}

void opencl_scatter_walk(struct scattering *s, int64_t owners, bool order) {
  const struct opencl *on = opencl_of(s->launch->device);
  bool bounded = on->longest_loop < INT64_MAX, check = checks_while_walking(s);
  int64_t most = s->tiny ? TINY_BLOCK : bounded ? on->longest_loop / 2 : INT64_MAX; /* contributions per launch */
  if (order && !bounded && opencl_scatter_if_sorted(s)) return;
  if (!check) scattering_check(s);
  if (s->bad) return;
  if (check || s->line > most) scattering_draft_start(s);
  if (check && !s->verdict) s->verdict = verdict_clear(s->launch);
  walk_all(s, owners, most, check);
  if (check) scattering_read_verdict(s);
}
