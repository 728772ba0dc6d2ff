/* walk.c: scatter by walking the index in order. Work-items divide rows, columns and destinations among them. */
#include "ways.h"

#include <stdio.h>

static void walk_launch(struct launch *launch, const struct scattering *s, const struct column_walk *walk,
                        const char *kernel) {
  char more[64];
  snprintf(more, sizeof more, " COLUMNS=%s%s", walk->columns, walk->column[INDEX] ? " MOVING" : "");
  scattering_launch(launch, s, "scatter_walk.cl", kernel, walk->space.outer, more);
  launch_space(launch, &walk->space);
  launch_target(launch, s, &walk->space);
  launch_operand(launch, &walk->space, INDEX);
  launch_source(launch, s, &walk->space);
  launch_limits(launch, s->given->size, s->given->mode);
  launch_ints(launch, walk->width, walk->block);
  for (int i = 0; i <= ARG; i++) launch_ints(launch, walk->column[i]);
}

/* Loop iterations per contribution: adjacent columns are computed by vectors. */
static int64_t turns_of(const struct column_walk *walk) {
  return *walk->columns == 'd' ? (walk->block - 1) / WALK_VECTOR + 1 : walk->block;
}

/* Combines contributions from .. to - 1 of every line. */
static strew_status walk_chunk(struct scattering *s, const struct column_walk *walk, int64_t owners, bool check,
                               int64_t from, int64_t to) {
  struct launch launch;
  walk_launch(&launch, s, walk, "walk");
  launch_ints(&launch, from, to, owners);
  launch_flags(&launch, check);
  launch_blocks(&launch, &s->verdict);
  int64_t items = owners * walk->space.rows * ((walk->width - 1) / walk->block + 1);
  launch.continues = from > 0 && !s->draft.memory;
  launch.turns = (to - from) * turns_of(walk);
  bool in_groups = opencl_of(s->device)->is_gpu || items >= WALK_MANY_GROUPS * GROUP; /* else CPU cores would idle */
  return in_groups ? launch_items(&launch, items) : launch_groups(&launch, items, 1);
}

/* Columns per work-item, on a CPU whose cores the rows do not occupy: one block per core, at least some cache lines
   wide. 10,000 lines of 1000 columns: 69 ms of both cores in two blocks, 94 ms in eight. */
static int64_t column_block(const struct scattering *s, int64_t owners) {
  struct column_walk walk;
  scattering_walk(s, true, INT64_MAX, &walk);
  int64_t units = (int64_t)opencl_of(s->device)->units, block = (walk.width - 1) / units + 1;
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
static strew_status walk_all(struct scattering *s, int64_t owners, int64_t most, bool check) {
  const struct opencl *on = opencl_of(s->device);
  bool single = on->is_gpu || on->longest_loop < INT64_MAX;
  struct column_walk walk;
  strew_status status = STREW_OK;
  scattering_walk(s, true, single ? 1 : column_block(s, owners), &walk);
  int64_t longest = launch_iterations(s->device, turns_of(&walk));
  most = most < longest ? most : longest;
  for (int64_t from = 0; status == STREW_OK && from < s->line;) {
    int64_t to = s->line - from > most ? from + most : s->line;
    status = walk_chunk(s, &walk, owners, check, from, to);
    from = to;
  }
  return status;
}

strew_status opencl_scatter_walk(struct scattering *s, int64_t owners, bool order) {
  const struct opencl *on = opencl_of(s->device);
  bool bounded = on->longest_loop < INT64_MAX, check = checks_while_walking(s), done = false;
  int64_t most = s->tiny ? TINY_BLOCK : bounded ? on->longest_loop / 2 : INT64_MAX; /* contributions per launch */
  strew_status status = order && !bounded ? opencl_scatter_if_sorted(s, &done) : STREW_OK;
  if (status == STREW_OK && !done && !check) status = scattering_check(s);
  if (status != STREW_OK || done || s->bad) return status;
  if (check || s->line > most) status = scattering_draft_start(s);
  if (status == STREW_OK && check && !s->verdict.memory)
    status = verdict_start(&s->pass, VERDICT_NONE, false, &s->verdict);
  TRY(status, walk_all(s, owners, most, check));
  return status == STREW_OK && check ? scattering_read_verdict(s) : status;
}
