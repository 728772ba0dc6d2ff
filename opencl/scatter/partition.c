/* partition.c: scatter on CPUs by block-local partition. Each block of the index is partitioned stably by owner, a
   range of destinations; then each owner combines its own contributions, block after block. There is no global
   histogram, and data moves within its block only. A sorted index needs no partition: samples tell if it may be sorted,
   a pass whether it is. */
#include "ways.h"

#include <stdio.h>
#include <string.h>

/* Measured: 32 owners instead of 8 took a fifth longer (10 M f32 into 1 M). 8 owners of blocks of 32,768 keep a
   work-item's write streams in its cache. */
enum { BLOCK = 32768, TINY = 32 };

struct parted {
  struct walked walked;
  int owners, block;
  int64_t blocks; /* per row */
  const char *keep, *kept;
  size_t kept_bytes; /* per contribution */
  struct block starts, places, contributions;
};

static int owners_of(const struct opencl *on) {
  int owners = 8;
  while (owners < 64 && owners < 4 * (int)on->units) owners *= 2;
  return owners;
}

static void parted_shape(const struct scattering *s, struct parted *parted) {
  const struct operand *src = &s->plan.operands[SRC];
  memset(parted, 0, sizeof *parted);
  walk_shape(s, false, INT64_MAX, &parted->walked);
  bool positions = s->with_arg || (parted->walked.width > 1 && src->storage);
  parted->owners = owners_of(opencl_of(s->device));
  parted->block = s->tiny ? TINY : BLOCK;
  parted->blocks = (s->line - 1) / parted->block + 1;
  parted->keep = positions ? "positions" : src->storage ? "values" : "nothing";
  parted->kept = positions ? "uint" : "TSRC";
  if (positions || src->storage) parted->kept_bytes = positions ? sizeof(cl_uint) : strew_dtype_size_bytes(src->dtype);
}

static strew_status parted_take(const struct scattering *s, struct parted *parted) {
  size_t count = (size_t)(parted->walked.space.rows * s->line), owners = (size_t)parted->owners;
  size_t blocks = (size_t)(parted->walked.space.rows * parted->blocks);
  strew_status status = block_allocate(s->call, s->device, blocks * (owners + 1) * sizeof(cl_uint), &parted->starts);
  if (status == STREW_OK) status = block_allocate(s->call, s->device, count * sizeof(cl_uint), &parted->places);
  if (status == STREW_OK && parted->kept_bytes)
    status = block_allocate(s->call, s->device, count * parted->kept_bytes, &parted->contributions);
  return status;
}

static void parted_give(const struct scattering *s, struct parted *parted) {
  block_free(s->device, &parted->starts);
  block_free(s->device, &parted->places);
  block_free(s->device, &parted->contributions);
}

static void parted_launch(struct launch *launch, const struct scattering *s, const struct parted *parted,
                          const char *kernel) {
  const struct space *space = &parted->walked.space;
  bool dense = parted->walked.plan.operands[INDEX].strides[parted->walked.plan.rank - 1] == 1;
  char more[96];
  snprintf(more, sizeof more, " KEEP=%s KEPT=%s OWNERS=%d BLOCK=%d%s", parted->keep, parted->kept, parted->owners,
           parted->block, dense ? " DENSE" : "");
  scatter_launch_start(launch, s, "scatter_partition.cl", kernel, space->outer, more);
  launch_space(launch, space);
}

static strew_status partition(const struct scattering *s, const struct parted *parted) {
  const cl_ulong size = (cl_ulong)s->given->size;
  const cl_ulong scale = size ? ((cl_ulong)parted->owners << 32) / size : 0;
  struct launch launch;
  parted_launch(&launch, s, parted, "partition");
  launch_operand(&launch, &parted->walked.space, INDEX);
  launch_source(&launch, s, &parted->walked.space);
  launch_limits(&launch, s->given->size, s->given->mode);
  launch_value(&launch, &scale, sizeof scale);
  launch_flag(&launch, s->given->check);
  launch_block(&launch, &s->verdict);
  launch_block(&launch, &parted->starts);
  launch_block(&launch, &parted->places);
  launch_block(&launch, &parted->contributions);
  launch.turns = parted->block;
  return launch_groups(&launch, parted->walked.space.rows * parted->blocks, 1);
}

/* Combines blocks from .. to - 1 of each row. */
static strew_status join(const struct scattering *s, const struct parted *parted, int64_t from, int64_t to) {
  struct launch launch;
  parted_launch(&launch, s, parted, "join");
  launch_columnwise(&launch, s, &parted->walked);
  launch_block(&launch, &parted->starts);
  launch_block(&launch, &parted->places);
  launch_block(&launch, &parted->contributions);
  launch_int(&launch, from);
  launch_int(&launch, to);
  launch.goes_on = from > 0;
  launch.turns = (to - from) * parted->block / parted->owners * parted->walked.width + 1;
  return launch_groups(&launch, parted->walked.space.rows * parted->owners, 1);
}

/* Launches over as many blocks as are bounded work even if one owner has all their contributions. */
static strew_status join_pieces(const struct scattering *s, const struct parted *parted) {
  int64_t most = longest_run(s->device, parted->block * parted->walked.width);
  strew_status status = STREW_OK;
  for (int64_t from = 0, to; status == STREW_OK && from < parted->blocks; from = to) {
    to = parted->blocks - from > most ? from + most : parted->blocks;
    status = join(s, parted, from, to);
  }
  return status;
}

strew_status scatter_partition(struct scattering *s, bool order) {
  struct parted parted;
  bool done = false;
  strew_status status = order ? scatter_if_sorted(s, &done) : STREW_OK;
  if (status != STREW_OK || done) return status;
  parted_shape(s, &parted);
  status = parted_take(s, &parted);
  if (status == STREW_EMEMORY) { /* slower, but needs no memory */
    parted_give(s, &parted);
    return scatter_walk(s, parted.owners, false);
  }
  if (status == STREW_OK && s->given->check && !s->verdict.memory)
    status = verdict_start(&s->pass, VERDICT_NONE, false, &s->verdict);
  if (status == STREW_OK) status = partition(s, &parted);
  if (status == STREW_OK && s->given->check) status = scatter_checked(s);
  if (status == STREW_OK && !s->bad) status = join_pieces(s, &parted);
  parted_give(s, &parted);
  return status;
}
