/* gpu.c: two scatter methods for GPUs: one work-group for small calls, and atomics for reductions whose result does not
   depend on the order. */
#include "opencl/radix.h"
#include "ways.h"

#include <stdio.h>

strew_status scatter_group(struct scattering *s) {
  enum { TILE = 1024 };
  struct space space = space_of(&s->plan);
  struct launch launch;
  char more[64];
  strew_status status = scatter_check(s);
  if (status != STREW_OK || s->bad) return status;
  snprintf(more, sizeof more, " TILE=%d GROUP_SIZE=%zu", TILE, large_group(s->device));
  scatter_launch_start(&launch, s, "scatter_group.cl", "scatter_group", space.outer, more);
  launch_space(&launch, &space);
  launch_target(&launch, s, &space);
  launch_operand(&launch, &space, INDEX);
  launch_source(&launch, s, &space);
  launch_limits(&launch, s->given->size, s->given->mode);
  return launch_groups(&launch, 1, large_group(s->device));
}

/* True if the device has atomics for such elements and the order does not change the result. Atomics to the same
   address serialise, and sorting is then faster. So they are used if most contributions do not write (amax, amin), if
   the device has a native atomic add, or if destinations are many. */
bool atomics_serve(const struct scattering *s) {
  enum { MANY_PLACES = 1 << 16 };
  const struct opencl *on = opencl_of(s->device);
  const struct operand *operands = s->plan.operands;
  strew_dtype dtype = operands[SELF].dtype;
  strew_reduction reduction = s->given->reduction;
  size_t size_bytes = strew_dtype_size_bytes(dtype);
  bool many = s->rows >= MANY_PLACES || s->given->size * s->rows >= MANY_PLACES || s->tiny;
  if (s->with_arg || (size_bytes == 8 && !on->int64_atomics)) return false;
  switch (reduction) {
  case STREW_AMAX:
  case STREW_AMIN: return true;
  case STREW_ASSIGN: return !operands[SRC].storage; /* all write the same number */
  default: break;
  }
  if (dtype_category(dtype) == BOOLEAN) return true;
  if (dtype_is_float(dtype)) return s->device->context->any_order && many;
  return many || (reduction == STREW_SUM && size_bytes >= 4);
}

strew_status scatter_atomic(struct scattering *s) {
  enum { TURNS = 4 }; /* per atomic */
  const struct scatter_plan *given = s->given;
  bool check = given->check && given->disposable; /* checked while it runs */
  strew_dtype dtype = s->plan.operands[SELF].dtype;
  size_t size_bytes = strew_dtype_size_bytes(dtype);
  bool adds = given->reduction == STREW_SUM && dtype_category(dtype) == INTEGER && size_bytes >= 4;
  struct walked walked;
  struct launch launch;
  char more[64];
  strew_status status = check ? verdict_start(&s->pass, VERDICT_NONE, false, &s->verdict) : scatter_check(s);
  if (status != STREW_OK || s->bad) return status;
  walk_shape(s, true, 1, &walked);
  snprintf(more, sizeof more, " BITS=%d%s", (int)size_bytes * 8, adds ? " ADDS" : "");
  scatter_launch_start(&launch, s, "scatter_atomic.cl", "scatter_atomic", walked.space.outer, more);
  launch_space(&launch, &walked.space);
  launch_target(&launch, s, &walked.space);
  launch_operand(&launch, &walked.space, INDEX);
  launch_source(&launch, s, &walked.space);
  launch_limits(&launch, given->size, given->mode);
  launch_int(&launch, walked.width);
  for (int i = 0; i < ARG; i++) launch_int(&launch, walked.column[i]);
  launch_flag(&launch, check);
  launch_block(&launch, &s->verdict);
  launch.turns = TURNS;
  status = launch_items(&launch, s->rows * s->line);
  return status == STREW_OK && check ? scatter_checked(s) : status;
}
