/* atomic.c: scatter by atomics, for GPUs: for reductions whose result does not depend on the order. */
#include "scattering.h"

#include <stdio.h>

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
    s->verdict = verdict_start(&s->pass, VERDICT_NONE, false);
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
  launch->turns = ATOMIC_TURNS;
  launch_items(launch, s->rows * s->line);
  if (check) scattering_read_verdict(s);
}
