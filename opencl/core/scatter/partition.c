/* partition.c: scatter on CPUs by block-local partition. Each block of the index is partitioned stably by owner, a
   range of destinations; then each owner combines its own contributions, block after block. There is no global
   histogram, and data moves within its block only. A sorted index needs no partition. */
#include "scattering.h"

#include <stdio.h>
#include <string.h>

struct block_partition {
  struct column_walk walk;
  int owners, block;
  int64_t blocks; /* per row */
  const char *keep, *kept;
  size_t kept_bytes; /* per contribution */
  struct block *starts, *destinations, *contributions;
};

static int owners_of(const struct opencl *on) {
  int owners = PARTITION_LEAST_OWNERS;
  while (owners < PARTITION_MOST_OWNERS && owners < PARTITION_OWNERS_PER_UNIT * (int)on->units) owners *= 2;
  return owners;
}

static void partition_plan(const struct scattering *s, struct block_partition *part) {
  const struct operand *src = &s->plan.operands[SRC];
  memset(part, 0, sizeof *part);
  scattering_walk(s, false, INT64_MAX, &part->walk);
  bool positions = s->with_arg || (part->walk.width > 1 && src->storage);
  part->owners = owners_of(opencl_of(s->launch->device));
  part->block = s->tiny ? TINY_BLOCK : PARTITION_BLOCK;
  part->blocks = (s->line - 1) / part->block + 1;
  part->keep = positions ? "positions" : src->storage ? "values" : "nothing";
  part->kept = positions ? "uint" : "TSRC";
  if (positions || src->storage) part->kept_bytes = positions ? sizeof(cl_uint) : strew_dtype_size_bytes(src->dtype);
}

static void partition_allocate(const struct scattering *s, struct block_partition *part) {
  uint64_t count = (uint64_t)(part->walk.space.rows * s->line), owners = (uint64_t)part->owners;
  uint64_t blocks = (uint64_t)(part->walk.space.rows * part->blocks);
  part->starts = launch_scratch(s->launch, blocks * (owners + 1) * sizeof(cl_uint));
  part->destinations = launch_scratch(s->launch, count * sizeof(cl_uint));
  if (part->kept_bytes) part->contributions = launch_scratch(s->launch, count * part->kept_bytes);
}

static struct launch *partition_launch(const struct scattering *s, const struct block_partition *part,
                                       const char *kernel) {
  bool dense = part->walk.plan.operands[INDEX].strides[part->walk.plan.rank - 1] == 1;
  char more[96];
  snprintf(more, sizeof more, " KEEP=%s KEPT=%s OWNERS=%d BLOCK=%d%s", part->keep, part->kept, part->owners,
           part->block, dense ? " DENSE" : "");
  return scattering_launch(s, "scatter_partition.cl", kernel, part->walk.space.outer, more);
}

static void partition_blocks(const struct scattering *s, const struct block_partition *part) {
  const cl_ulong size = (cl_ulong)s->given->size;
  const cl_ulong scale = size ? ((cl_ulong)part->owners << 32) / size : 0;
  struct launch *launch = partition_launch(s, part, "partition");
  launch_plan(launch, &part->walk.space, INDEX);
  launch_source(launch, s, &part->walk.space);
  launch_limits(launch, s->given->size, s->given->mode);
  launch_value(launch, &scale, sizeof scale);
  launch_flags(launch, s->given->check);
  launch_blocks(launch, s->verdict, part->starts, part->destinations, part->contributions);
  launch->turns = part->block * s->src->cost;
  launch_groups(launch, part->walk.space.rows * part->blocks, 1);
}

/* Combines blocks from .. to - 1 of each row. */
static void join_blocks(const struct scattering *s, const struct block_partition *part, int64_t from, int64_t to) {
  struct launch *launch = partition_launch(s, part, "join");
  launch_columnwise(launch, s, &part->walk);
  launch_blocks(launch, part->starts, part->destinations, part->contributions);
  launch_ints(launch, from, to);
  launch->continues = from > 0;
  launch->turns = (to - from) * part->block / part->owners * part->walk.width * s->src->cost + 1;
  launch_groups(launch, part->walk.space.rows * part->owners, 1);
}

/* Launches over as many blocks as are bounded work even if one owner has all their contributions. */
static void join_all(const struct scattering *s, const struct block_partition *part) {
  int64_t most = launch_iterations(s->launch->device, part->block * part->walk.width * s->src->cost);
  for (int64_t from = 0, to; s->launch->status == STREW_OK && from < part->blocks; from = to) {
    to = part->blocks - from > most ? from + most : part->blocks;
    join_blocks(s, part, from, to);
  }
}

void opencl_scatter_partition(struct scattering *s, bool order) {
  struct block_partition part;
  if (order && opencl_scatter_if_sorted(s)) return;
  partition_plan(s, &part);
  partition_allocate(s, &part);
  if (s->launch->status == STREW_EMEMORY) { /* slower, but needs no memory */
    s->launch->status = STREW_OK;
    launch_free(s->launch, part.starts);
    launch_free(s->launch, part.destinations);
    opencl_scatter_walk(s, part.owners, false);
    return;
  }
  if (s->given->check && !s->verdict) s->verdict = verdict_clear(s->launch);
  partition_blocks(s, &part);
  if (s->given->check) scattering_read_verdict(s);
  if (!s->bad) join_all(s, &part);
}
