/* group.c: a small scatter by one work-group, for GPUs. */
#include "ways.h"

#include <stdio.h>

strew_status opencl_scatter_group(struct scattering *s) {
  struct space space = space_of(&s->plan);
  struct launch launch;
  char more[64];
  strew_status status = scattering_check(s);
  if (status != STREW_OK || s->bad) return status;
  snprintf(more, sizeof more, " TILE=%d GROUP_SIZE=%zu", GROUP_TILE, opencl_large_group(s->device));
  scattering_launch(&launch, s, "scatter_group.cl", "scatter_group", space.outer, more);
  launch_space(&launch, &space);
  launch_target(&launch, s, &space);
  launch_operand(&launch, &space, INDEX);
  launch_source(&launch, s, &space);
  launch_limits(&launch, s->given->size, s->given->mode);
  return launch_groups(&launch, 1, opencl_large_group(s->device));
}
