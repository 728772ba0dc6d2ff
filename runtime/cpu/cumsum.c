/* cumsum.c: running sums on the CPU, in the order that core.h gives: every block for itself, plus its carry, the sum of
   the earlier blocks' totals.

   Lines are walked one by one, or, where neighbouring lines lie closer than the elements of one, a tile of them at a
   time. Where there are few, they are split among the threads by blocks, too: a first pass finds the blocks' totals,
   and leaves their running sums where the result will be, if it is dense and of their dtype. */
#include "cpu.h"
#include "scalar.h"

#include <string.h>

enum { GROUP = 4, TILE_BYTES = 1024 };

struct sums {
  int64_t bytes; /* of one */
  void (*plus)(void *sums, const void *elements, int64_t count);
  void (*scan_group)(void *elements, int64_t count, void *totals);
  void (*add_carry)(void *elements, int64_t count, const void *carry);
  void (*scan_row)(void *to, const void *elements, void *sums, const void *carries, int64_t width);
};

#define S f32
#include "cumsum.inc"
#undef S
#define S f64
#include "cumsum.inc"
#undef S
#define S i64
#include "cumsum.inc"
#undef S

struct job {
  strew_context *context;
  const struct sums *sums;
  convert_row *load, *store;
  bool in_direct, out_direct; /* elements are already, or may be left, in the dtype of sums */
  struct plan lines;          /* without the scanned dimension, and across without the columns' */
  int64_t n, blocks, in_step, out_step;
  bool across;
  int64_t columns, column_in, column_out; /* number and steps; 1 column where lines are walked one by one */
  int64_t width, tiles_per_row, tiles;
  int64_t chunk, chunks; /* blocks in one piece of work, pieces of a tile */
  char *carries;         /* first the totals, then the carries: [tile][block][width]; NULL for one piece */
  bool find_totals;      /* is this the first pass? */
};

struct desk {
  _Alignas(64) char in[GROUP * SUM_BLOCK * sizeof(int64_t)];
  _Alignas(64) char out[TILE_BYTES];
  _Alignas(64) char sums[TILE_BYTES];
  _Alignas(64) char carries[TILE_BYTES];
};

static void choose_sums(struct job *job, strew_dtype out, strew_dtype in) {
  strew_dtype dtype = dtype_is_float(in) ? dtype_wide(in) : STREW_INT64;
  job->sums = dtype == STREW_FLOAT32 ? &sums_f32 : dtype == STREW_FLOAT64 ? &sums_f64 : &sums_i64;
  job->load = converter(dtype, in);
  job->store = converter(out, dtype);
  job->in_direct = in == dtype;
  job->out_direct = out == dtype;
}

static void lay_out(struct job *job, const struct plan *plan) {
  const struct operand *out = &plan->operands[0], *in = &plan->operands[1];
  int last = plan->rank - 1, next = last - 1;
  job->lines = *plan;
  job->lines.rank = last;
  job->n = plan->sizes[last];
  job->blocks = (job->n - 1) / SUM_BLOCK + 1;
  job->in_step = operand_step(in, last);
  job->out_step = operand_step(out, last);
  job->columns = 1;
  job->across = next >= 0 && (in->strides[next] < in->strides[last] || job->n < SUM_LANES);
  if (job->across) {
    job->columns = plan->sizes[next];
    job->column_in = operand_step(in, next);
    job->column_out = operand_step(out, next);
    job->lines.rank = next;
  }
  int64_t widest = TILE_BYTES / job->sums->bytes;
  job->width = job->columns < widest ? job->columns : widest;
  job->tiles_per_row = (job->columns - 1) / job->width + 1;
  job->tiles = job->tiles_per_row * plan_numel(&job->lines);
}

struct tile {
  const char *in;
  char *out;
  int64_t width;
  char *carries; /* of block 0 */
};

static struct tile tile_at(const struct job *job, int64_t i) {
  int64_t column = i % job->tiles_per_row * job->width, line = i / job->tiles_per_row;
  struct tile tile = {.width = job->columns - column};
  if (tile.width > job->width) tile.width = job->width;
  tile.out = operand_at(&job->lines, 0, line) + column * job->column_out;
  tile.in = operand_at(&job->lines, 1, line) + column * job->column_in;
  if (job->carries) tile.carries = job->carries + i * job->blocks * job->width * job->sums->bytes;
  return tile;
}

/* ---------------------------------------------------------------------------------------------------- one by one */

/* The blocks of a group have their running sums: adds the carries, known ones or the one that runs along. */
static void carry_group(const struct job *job, const struct tile *tile, char *elements, int64_t count, int64_t block,
                        const char *totals, char *running) {
  const struct sums *sums = job->sums;
  for (int64_t i = 0, g = 0; i < count; i += SUM_BLOCK, g++) {
    const char *carry = tile->carries ? tile->carries + (block + g) * sums->bytes : running;
    sums->add_carry(elements + i * sums->bytes, count - i < SUM_BLOCK ? count - i : SUM_BLOCK, carry);
    if (!tile->carries) sums->plus(running, totals + g * sums->bytes, 1);
  }
}

static void scan_along(const struct job *job, struct desk *desk, const struct tile *tile, int64_t begin, int64_t end) {
  int64_t bytes = job->sums->bytes, totals[GROUP] = {0}, running = 0;
  bool in_place = job->out_direct && job->out_step == bytes, scanned = in_place && tile->carries && !job->find_totals;
  for (int64_t block = begin; block < end && !context_stops(job->context); block += GROUP) {
    int64_t place = block * SUM_BLOCK, blocks = end - block < GROUP ? end - block : GROUP, count = blocks * SUM_BLOCK;
    if (count > job->n - place) count = job->n - place;
    const char *from = tile->in + place * job->in_step;
    char *to = tile->out + place * job->out_step, *elements = in_place ? to : desk->in;
    if (elements != from && !scanned) job->load(count, elements, bytes, from, job->in_step);
    if (!scanned) job->sums->scan_group(elements, count, totals);
    if (job->find_totals) {
      /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): where totals are looked for, there is room for them */
      memcpy(tile->carries + block * bytes, totals, (size_t)(blocks * bytes));
      continue;
    }
    carry_group(job, tile, elements, count, block, (char *)totals, (char *)&running);
    if (!in_place) job->store(count, to, job->out_step, elements, bytes);
  }
}

/* ---------------------------------------------------------------------------------------------- a tile at a time */

static void scan_rows(const struct job *job, struct desk *desk, const struct tile *tile, int64_t place, int64_t count,
                      const char *carries) {
  const struct sums *sums = job->sums;
  bool in_direct = job->in_direct && job->column_in == sums->bytes;
  bool out_direct = job->out_direct && job->column_out == sums->bytes;
  memset(desk->sums, 0, (size_t)(tile->width * sums->bytes));
  for (int64_t i = place; i < place + count; i++) {
    const char *from = tile->in + i * job->in_step, *elements = in_direct ? from : desk->in;
    char *to = tile->out + i * job->out_step;
    if (!in_direct) job->load(tile->width, desk->in, sums->bytes, from, job->column_in);
    if (job->find_totals) {
      sums->plus(desk->sums, elements, tile->width);
      continue;
    }
    sums->scan_row(out_direct ? to : desk->out, elements, desk->sums, carries, tile->width);
    if (!out_direct) job->store(tile->width, to, job->column_out, desk->out, sums->bytes);
  }
}

static void scan_across(const struct job *job, struct desk *desk, const struct tile *tile, int64_t begin, int64_t end) {
  int64_t row_bytes = job->width * job->sums->bytes;
  memset(desk->carries, 0, sizeof desk->carries);
  for (int64_t block = begin; block < end && !context_stops(job->context); block++) {
    int64_t place = block * SUM_BLOCK, count = job->n - place < SUM_BLOCK ? job->n - place : SUM_BLOCK;
    char *known = tile->carries ? tile->carries + block * row_bytes : NULL;
    scan_rows(job, desk, tile, place, count, known ? known : desk->carries);
    if (!known)
      job->sums->plus(desk->carries, desk->sums, tile->width);
    else if (job->find_totals)
      memcpy(known, desk->sums, (size_t)(tile->width * job->sums->bytes));
  }
}

/* ------------------------------------------------------------------------------------------------------ the split */

static void scan_piece(void *job_, int64_t piece) {
  const struct job *job = job_;
  struct desk desk;
  struct tile tile = tile_at(job, piece / job->chunks);
  int64_t begin = piece % job->chunks * job->chunk, end = begin + job->chunk;
  if (end > job->blocks) end = job->blocks;
  if (job->across)
    scan_across(job, &desk, &tile, begin, end);
  else
    scan_along(job, &desk, &tile, begin, end);
}

struct share {
  struct job *job;
  int64_t parts;
};

static void part_of_tiles(void *share_, int64_t part) {
  const struct share *share = share_;
  int64_t end = part_begin(share->job->tiles, share->parts, part + 1);
  strew_context *context = share->job->context;
  for (int64_t i = part_begin(share->job->tiles, share->parts, part); i < end && !context_stops(context); i++)
    scan_piece(share->job, i);
}

/* Each block's total gives way to the sum of those before it. */
static void carries_of_totals(const struct job *job, struct desk *desk) {
  int64_t row_bytes = job->width * job->sums->bytes;
  for (int64_t i = 0; i < job->tiles; i++) {
    memset(desk->carries, 0, sizeof desk->carries);
    for (int64_t block = 0; block < job->blocks; block++) {
      char *at = job->carries + (i * job->blocks + block) * row_bytes;
      memcpy(desk->sums, at, (size_t)row_bytes);
      memcpy(at, desk->carries, (size_t)row_bytes);
      job->sums->plus(desk->carries, desk->sums, job->width);
    }
  }
}

static strew_status scan_in_pieces(const struct call *call, struct job *job) {
  struct desk desk;
  size_t bytes = (size_t)(job->tiles * job->blocks * job->width * job->sums->bytes);
  job->carries = memory_take(job->context, bytes);
  if (!job->carries) return fail_memory(call, job->context, bytes);
  memset(job->carries, 0, bytes); /* the last tile may be narrower */
  job->find_totals = true;
  pool_run(job->context, job->tiles * job->chunks, scan_piece, job);
  carries_of_totals(job, &desk);
  job->find_totals = false;
  pool_run(job->context, job->tiles * job->chunks, scan_piece, job);
  memory_give(job->context, job->carries, bytes);
  return context_end(call, job->context, job->lines.operands[0].storage);
}

strew_status cpu_cumsum(const struct call *call, strew_device *device, const struct scan_plan *scan) {
  const struct plan *plan = &scan->plan;
  struct job job = {.context = device->context};
  choose_sums(&job, plan->operands[0].dtype, plan->operands[1].dtype);
  lay_out(&job, plan);
  int64_t parts = pool_parts(job.context, plan_numel(plan) * job.sums->bytes);
  int64_t wanted = (parts - 1) / job.tiles + 1; /* pieces of each tile, whole groups of blocks */
  job.chunk = ((job.blocks - 1) / wanted / GROUP + 1) * GROUP;
  job.chunks = (job.blocks - 1) / job.chunk + 1;
  if (parts > 1 && job.tiles < parts && job.chunks > 1) return scan_in_pieces(call, &job);
  job.chunk = job.blocks;
  job.chunks = 1;
  struct share share = {&job, parts < job.tiles ? parts : job.tiles};
  pool_run(job.context, share.parts, part_of_tiles, &share);
  return context_end(call, job.context, plan->operands[0].storage);
}
