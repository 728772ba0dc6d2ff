/* alone.c: scatters in one launch: small ones of one work-item, the index check included if self is disposable; or, on
   GPUs, of one work-group; or by atomics, on GPUs, for reductions whose result does not depend on the order. */
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

/* --------------------------------------------------------------------------------------------------------- atomics */

/* True if the device has atomics for such elements and the order does not change the result. Atomics to the same
   address serialise, and sorting is then faster. So they are used if most contributions do not write (amax, amin), if
   the device has a native atomic add, or if destinations are many. */
bool opencl_scatter_suits_atomics(const struct scattering *s) {
  const struct opencl *on = opencl_of(s->launch->device);
  const struct operand *operands = s->plan.operands;
  strew_dtype dtype = operands[SELF].dtype;
  strew_reduction reduction = s->given->reduction;
  size_t size_bytes = strew_dtype_size_bytes(dtype);
  bool many = s->rows >= ATOMIC_MANY_DESTINATIONS || s->given->size * s->rows >= ATOMIC_MANY_DESTINATIONS || s->tiny;
  if (s->with_arg || (size_bytes == 8 && !on->int64_atomics) || opencl_assumed("noexchange")) return false;
  switch (reduction) {
  case STREW_AMAX:
  case STREW_AMIN: return true;
  case STREW_ASSIGN: return !operands[SRC].storage; /* all write the same number */
  default: break;
  }
  if (dtype_category(dtype) == BOOLEAN) return true;
  if (dtype_is_float(dtype)) return s->launch->device->context->any_order && many;
  return many || (reduction == STREW_SUM && size_bytes >= 4);
}

void opencl_scatter_atomic(struct scattering *s) {
  const struct scatter_plan *given = s->given;
  bool check = given->check && given->disposable; /* checked while it runs */
  strew_dtype dtype = s->plan.operands[SELF].dtype;
  size_t size_bytes = strew_dtype_size_bytes(dtype);
  bool adds = given->reduction == STREW_SUM && dtype_category(dtype) == INTEGER && size_bytes >= 4;
  struct column_walk walk;
  char more[64];
  if (check)
    s->verdict = verdict_clear(s->launch);
  else
    scattering_check(s);
  if (s->bad) return;
  scattering_walk(s, true, 1, &walk);
  snprintf(more, sizeof more, " BITS=%d%s", (int)size_bytes * 8, adds ? " ADDS" : "");
  struct launch *launch = scattering_launch(s, "scatter_atomic.cl", "scatter_atomic", walk.space.outer, more);
  launch_scatter(launch, s, &walk.space);
  launch_ints(launch, walk.width);
  for (int i = 0; i < ARG; i++) launch_ints(launch, walk.column[i]);
  launch_flags(launch, check);
  launch_blocks(launch, s->verdict);
  launch->turns = ATOMIC_TURNS * s->src->cost;
  launch_items(launch, s->rows * s->line);
  if (check) scattering_read_verdict(s);
}
