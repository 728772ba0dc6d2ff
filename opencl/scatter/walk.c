/* walk.c: scatter by walking the index in order. Work-items divide rows, columns and destinations among them. */
#include "ways.h"

#include <stdio.h>

static void walk_launch(struct launch *launch, const struct scattering *s, const struct walked *walked,
                        const char *kernel) {
  char more[64];
  snprintf(more, sizeof more, " COLUMNS=%s%s", walked->columns, walked->column[INDEX] ? " MOVING" : "");
  scatter_launch_start(launch, s, "scatter_walk.cl", kernel, walked->space.outer, more);
  launch_space(launch, &walked->space);
  launch_target(launch, s, &walked->space);
  launch_operand(launch, &walked->space, INDEX);
  launch_source(launch, s, &walked->space);
  launch_limits(launch, s->given->size, s->given->mode);
  launch_int(launch, walked->width);
  launch_int(launch, walked->block);
  for (int i = 0; i <= ARG; i++) launch_int(launch, walked->column[i]);
}

/* Loop iterations per contribution: adjacent columns are computed by vectors. */
static int64_t turns_of(const struct walked *walked) {
  enum { VECTOR = 4 };
  return *walked->columns == 'd' ? (walked->block - 1) / VECTOR + 1 : walked->block;
}

/* Combines contributions from .. to - 1 of every line. */
static strew_status walk_piece(struct scattering *s, const struct walked *walked, int64_t owners, bool check,
                               int64_t from, int64_t to) {
  enum { MANY = 64 * GROUP };
  struct launch launch;
  walk_launch(&launch, s, walked, "walk");
  launch_int(&launch, from);
  launch_int(&launch, to);
  launch_int(&launch, owners);
  launch_flag(&launch, check);
  launch_block(&launch, &s->verdict);
  int64_t items = owners * walked->space.rows * ((walked->width - 1) / walked->block + 1);
  launch.goes_on = from > 0 && !s->draft.memory;
  launch.turns = (to - from) * turns_of(walked);
  bool in_groups = opencl_of(s->device)->is_gpu || items >= MANY; /* else CPU cores would idle */
  return in_groups ? launch_items(&launch, items) : launch_groups(&launch, items, 1);
}

/* Columns per work-item, on a CPU whose cores the rows do not occupy: one block per core, at least some cache lines
   wide. 10,000 lines of 1000 columns: 69 ms of both cores in two blocks, 94 ms in eight. */
static int64_t column_block(const struct scattering *s, int64_t owners) {
  enum { NARROWEST = 16 };
  struct walked walked;
  walk_shape(s, true, INT64_MAX, &walked);
  int64_t units = (int64_t)opencl_of(s->device)->units, block = (walked.width - 1) / units + 1;
  if (owners > 1 || walked.space.rows >= 4 * units) return INT64_MAX;
  return block < NARROWEST ? NARROWEST : block;
}

/* True if values can be checked while they are combined: self is disposable, or so small that a draft costs less than a
   pass over the index (10 M into 10,000: 4 ms of 15). */
static bool checks_in_passing(const struct scattering *s) {
  enum { TIMES = 4 };
  const struct scatter_plan *given = s->given;
  if (!given->check || given->disposable || s->with_arg || given->size < 1) return given->check && given->disposable;
  size_t index_bytes = (size_t)plan_numel(&s->pass.values) * strew_dtype_size_bytes(s->pass.values.operands[0].dtype);
  return scatter_target_bytes(s->given) <= index_bytes / TIMES;
}

/* Launches over at most `most` contributions of each line, and of bounded work. */
static strew_status walk_all(struct scattering *s, int64_t owners, int64_t most, bool check) {
  const struct opencl *on = opencl_of(s->device);
  bool single = on->is_gpu || on->longest_loop < INT64_MAX;
  struct walked walked;
  strew_status status = STREW_OK;
  walk_shape(s, true, single ? 1 : column_block(s, owners), &walked);
  int64_t longest = longest_run(s->device, turns_of(&walked));
  most = most < longest ? most : longest;
  for (int64_t from = 0; status == STREW_OK && from < s->line;) {
    int64_t to = s->line - from > most ? from + most : s->line;
    status = walk_piece(s, &walked, owners, check, from, to);
    from = to;
  }
  return status;
}

strew_status scatter_walk(struct scattering *s, int64_t owners, bool order) {
  const struct opencl *on = opencl_of(s->device);
  bool bounded = on->longest_loop < INT64_MAX, check = checks_in_passing(s), done = false;
  int64_t most = s->tiny ? 32 : bounded ? on->longest_loop / 2 : INT64_MAX; /* contributions per launch */
  strew_status status = order && !bounded ? scatter_if_sorted(s, &done) : STREW_OK;
  if (status == STREW_OK && !done && !check) status = scatter_check(s);
  if (status != STREW_OK || done || s->bad) return status;
  if (check || s->line > most) status = draft_start(s);
  if (status == STREW_OK && check && !s->verdict.memory)
    status = verdict_start(&s->pass, VERDICT_NONE, false, &s->verdict);
  if (status == STREW_OK) status = walk_all(s, owners, most, check);
  return status == STREW_OK && check ? scatter_checked(s) : status;
}
