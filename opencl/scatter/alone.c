/* alone.c: small scatters in one launch: of one work-item, the index check included if self is disposable; or, on GPUs,
   of one work-group. */
#include "scattering.h"

#include <stdio.h>

/* The kernel numbers REDUCTION_... by the table. */
enum {
#define ROW(ENUM, ...) REDUCTION_##ENUM,
  STREW_REDUCTIONS(ROW)
#undef ROW
};
#define ROW(ENUM, ...) _Static_assert((int)REDUCTION_##ENUM == (int)STREW_##ENUM, "the table is in strew.h's order");
STREW_REDUCTIONS(ROW)
#undef ROW

static void launch_all(const struct scattering *s, const struct column_walk *walk) {
  struct launch *launch = s->launch;
  const struct operand *operands = s->plan.operands;
  const struct scatter_plan *given = s->given;
  const int arg = s->with_arg ? ARG : SELF; /* without arg any operand will do */
  launch_plan(launch, &walk->space, SELF);
  launch_ints(launch, given->step);
  launch_operand(launch, &walk->space, arg);
  launch_ints(launch, given->arg_step, given->arg_none);
  launch_flags(launch, given->fresh, s->with_arg);
  launch_operand(launch, &walk->space, INDEX);
  launch_flags(launch, operands[INDEX].dtype == STREW_INT64);
  launch_source(launch, s, &walk->space);
  launch_flags(launch, operands[SRC].storage != NULL);
  launch_limits(launch, given->size, given->mode);
  launch_ints(launch, walk->width);
  for (int i = 0; i <= ARG; i++) launch_ints(launch, walk->column[i]);
  launch_flags(launch, (cl_int)given->reduction);
}

void opencl_scatter_alone(struct scattering *s) {
  struct column_walk walk;
  struct launch *launch = s->launch;
  bool check = s->given->check && s->given->disposable; /* checked while it runs */
  const struct operand *operands = s->plan.operands;
  scattering_walk(s, true, INT64_MAX, &walk);
  if (walk.space.outer < 4) walk.space.outer = 4; /* two programs per dtype are enough */
  if (check)
    s->verdict = verdict_allocate(launch);
  else
    scattering_check(s);
  if (s->bad) return;
  launch_start(launch, "scatter_alone.cl", "scatter_alone", "S=%s SRC=%s OUTER=%d", dtype_suffix(operands[SELF].dtype),
               dtype_suffix(operands[SRC].dtype), walk.space.outer);
  launch_all(s, &walk);
  launch_flags(launch, check);
  launch_blocks(launch, s->verdict);
  launch_groups(launch, 1, 1);
  if (check) scattering_read_verdict(s);
}

void opencl_scatter_group(struct scattering *s) {
  struct space space = space_of(&s->plan);
  const size_t group = opencl_large_group(s->launch->device);
  char more[64];
  scattering_check(s);
  if (s->bad) return;
  snprintf(more, sizeof more, " TILE=%d GROUP_SIZE=%zu", GROUP_TILE, group);
  scattering_launch(s, "scatter_group.cl", "scatter_group", space.outer, more);
  launch_scatter(s->launch, s, &space);
  launch_groups(s->launch, 1, group);
}
