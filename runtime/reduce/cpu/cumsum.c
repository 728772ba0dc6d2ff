/* cumsum.c: cumulative sums on the CPU, in the order of summation that device.h defines: runs, the pairs before
   them, and carries, which are the pairs of earlier blocks.

   Lines are summed one by one, or a tile of lines at a time if many adjacent lines are closer in memory than the
   elements of one. If there are few, threads share the blocks of a line: a first pass finds the blocks' pairs, and stores the
   sums of halves in the result, if that is contiguous and has their dtype. */
#include "runtime/core/cpu/cpu.h"
#include "runtime/elementwise/shared/double_sums.h"
#include "runtime/reduce/reduce_ops.h"

#include <string.h>

enum { TILE_BYTES = 1024, PAIR_ROW_BYTES = 2 * TILE_BYTES };

/* See cumsum.inc. A pair has twice the bytes of a sum, and so has a row of pairs. */
struct sums {
  int64_t bytes;
  void (*scan_halves)(void *to, const void *elements, int64_t count);
  void (*total_of_block)(void *total, const void *sums, int64_t count);
  void (*carry_block)(void *sums, int64_t count, const void *carry, void *total);
  void (*add_pair)(void *to, const void *pair);
  void (*add_row)(void *to, const void *elements, int64_t width);
  void (*add_pairs_row)(void *to, const void *a, const void *b, int64_t width);
  void (*add_sums_row)(void *to, const void *sums, int64_t width);
  void (*scan_row)(void *to, const void *elements, void *sums, const void *pairs, int64_t width);
};

#define S f32
#include "cumsum.inc"
#undef S
#define S f64
#include "cumsum.inc"
#undef S
#define S i64
#include "cumsum.inc"

REDUCE_ENTRIES(CPU_FUNCTION, CPU_FUNCTION)

struct cumsum_job {
  strew_context *context;
  const struct sums *sums;
  convert_row *load, *store;
  bool in_direct, out_direct; /* elements already have the dtype of sums; results may be stored in it */
  struct plan lines;          /* without the scanned dimension and, across, without the columns */
  int64_t n, blocks, in_step, out_step;
  bool across;
  int64_t columns, column_in, column_out; /* number and steps; 1 column if lines are summed one by one */
  int64_t width, tiles_per_row, tiles;
  int64_t chunk_blocks, chunks; /* blocks per chunk of work, chunks per tile */
  char *carries;    /* the blocks' pairs, then the carries: [tile][block][2][width]; NULL if lines are not split */
  bool find_totals; /* first pass */
};

struct cumsum_scratch {
  _Alignas(64) char in[SUM_BLOCK * sizeof(int64_t)];
  _Alignas(64) char out[TILE_BYTES];
  _Alignas(64) char sums[TILE_BYTES];        /* of half a run */
  _Alignas(64) char half[TILE_BYTES];        /* of its first half */
  _Alignas(64) char runs[PAIR_ROW_BYTES];    /* of the block's runs so far */
  _Alignas(64) char before[PAIR_ROW_BYTES];  /* those and the carries */
  _Alignas(64) char carries[PAIR_ROW_BYTES]; /* of the earlier blocks */
};

static void choose_sums(struct cumsum_job *job, strew_dtype out, strew_dtype in) {
  strew_dtype dtype = dtype_is_float(in) ? dtype_wide(in) : STREW_INT64;
  job->sums = dtype == STREW_FLOAT32 ? &sums_f32 : dtype == STREW_FLOAT64 ? &sums_f64 : &sums_i64;
  job->load = converter(dtype, in);
  job->store = converter(out, dtype);
  job->in_direct = in == dtype;
  job->out_direct = out == dtype;
}

static void cumsum_start(struct cumsum_job *job, const struct plan *plan) {
  const struct operand *out = &plan->operands[0], *in = &plan->operands[1];
  int last = plan->rank - 1, next = last - 1;
  plan_copy(&job->lines, plan);
  job->lines.rank = last;
  job->n = plan->sizes[last];
  job->blocks = (job->n - 1) / SUM_BLOCK + 1;
  job->in_step = operand_step(in, last);
  job->out_step = operand_step(out, last);
  job->columns = 1;
  const bool is_adjacent = next >= 0 && in->strides[next] < in->strides[last] && plan->sizes[next] >= SCAN_LINES_MIN;
  job->across = next >= 0 && (is_adjacent || job->n < SUM_LANES);
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

struct scan_tile {
  const char *in;
  char *out;
  int64_t width;
  char *carries; /* of block 0 */
};

static int64_t pair_row_bytes(const struct cumsum_job *job) { return 2 * job->width * job->sums->bytes; }

static struct scan_tile cumsum_tile_at(const struct cumsum_job *job, int64_t i) {
  int64_t column = i % job->tiles_per_row * job->width, line = i / job->tiles_per_row;
  struct scan_tile tile = {.width = job->columns - column};
  if (tile.width > job->width) tile.width = job->width;
  tile.out = operand_at(&job->lines, 0, line) + column * job->column_out;
  tile.in = operand_at(&job->lines, 1, line) + column * job->column_in;
  if (job->carries) tile.carries = job->carries + i * job->blocks * pair_row_bytes(job);
  return tile;
}

/* ----------------------------------------------------------------------------------------------- one line at a time */

/* Returns the sums of a block's halves of runs, in the result or in scratch. After a first pass they are there. */
static char *halves_of_block(const struct cumsum_job *job, struct cumsum_scratch *scratch, const struct scan_tile *tile,
                             int64_t place, int64_t count) {
  int64_t bytes = job->sums->bytes;
  bool in_place = job->out_direct && job->out_step == bytes;
  const char *from = tile->in + place * job->in_step;
  char *to = in_place ? tile->out + place * job->out_step : scratch->in;
  if (in_place && tile->carries && !job->find_totals) return to;
  if (job->in_direct && job->in_step == bytes) {
    job->sums->scan_halves(to, from, count);
  } else {
    job->load(count, to, bytes, from, job->in_step);
    job->sums->scan_halves(to, to, count);
  }
  return to;
}

static void scan_along(const struct cumsum_job *job, struct cumsum_scratch *scratch, const struct scan_tile *tile,
                       int64_t begin, int64_t end) {
  const struct sums *sums = job->sums;
  char *running = scratch->carries, *total = scratch->before;
  memset(running, 0, (size_t)(2 * sums->bytes));
  for (int64_t block = begin; block < end && !context_stops(job->context); block++) {
    int64_t place = block * SUM_BLOCK, count = least(job->n - place, SUM_BLOCK);
    char *elements = halves_of_block(job, scratch, tile, place, count);
    char *carry = tile->carries ? tile->carries + 2 * block * sums->bytes : running;
    if (job->find_totals) {
      sums->total_of_block(carry, elements, count);
      continue;
    }
    sums->carry_block(elements, count, carry, total);
    if (!tile->carries) sums->add_pair(running, total);
    if (elements == scratch->in)
      job->store(count, tile->out + place * job->out_step, job->out_step, elements, sums->bytes);
  }
}

/* ---------------------------------------------------------------------------------------------- a tile at a time */

/* Scans half a run: adds its rows to scratch->sums and, if wanted, writes the result. */
static void scan_half(const struct cumsum_job *job, struct cumsum_scratch *scratch, const struct scan_tile *tile,
                      int64_t place, int64_t count) {
  const struct sums *sums = job->sums;
  bool in_direct = job->in_direct && job->column_in == sums->bytes;
  bool out_direct = job->out_direct && job->column_out == sums->bytes;
  memset(scratch->sums, 0, (size_t)(tile->width * sums->bytes));
  for (int64_t i = place; i < place + count; i++) {
    const char *from = tile->in + i * job->in_step, *elements = in_direct ? from : scratch->in;
    char *to = tile->out + i * job->out_step;
    if (!in_direct) job->load(tile->width, scratch->in, sums->bytes, from, job->column_in);
    if (job->find_totals) {
      sums->add_row(scratch->sums, elements, tile->width);
      continue;
    }
    sums->scan_row(out_direct ? to : scratch->out, elements, scratch->sums, scratch->before, tile->width);
    if (!out_direct) job->store(tile->width, to, job->column_out, scratch->out, sums->bytes);
  }
}

/* Scans a run, after the pairs scratch->before; leaves its totals in scratch->sums. */
static void scan_run(const struct cumsum_job *job, struct cumsum_scratch *scratch, const struct scan_tile *tile,
                     int64_t place, int64_t count) {
  int64_t bytes = tile->width * job->sums->bytes;
  scan_half(job, scratch, tile, place, least(count, SUM_HALF));
  if (count <= SUM_HALF) return;
  memcpy(scratch->half, scratch->sums, (size_t)bytes);
  job->sums->add_row(scratch->before + bytes, scratch->half, tile->width); /* the low parts */
  scan_half(job, scratch, tile, place + SUM_HALF, count - SUM_HALF);
  job->sums->add_row(scratch->sums, scratch->half, tile->width);
}

/* Scans a block, after the pairs `carries`; leaves its own pairs in scratch->runs. */
static void scan_rows(const struct cumsum_job *job, struct cumsum_scratch *scratch, const struct scan_tile *tile,
                      int64_t place, int64_t count, const char *carries) {
  const struct sums *sums = job->sums;
  memset(scratch->runs, 0, (size_t)(2 * tile->width * sums->bytes));
  for (int64_t i = 0; i < count; i += SUM_RUN) {
    if (i)
      sums->add_pairs_row(scratch->before, carries, scratch->runs, tile->width);
    else
      memcpy(scratch->before, carries, (size_t)(2 * tile->width * sums->bytes));
    scan_run(job, scratch, tile, place + i, least(count - i, SUM_RUN));
    if (place + i + SUM_RUN < job->n) sums->add_sums_row(scratch->runs, scratch->sums, tile->width);
  }
}

static void scan_across(const struct cumsum_job *job, struct cumsum_scratch *scratch, const struct scan_tile *tile,
                        int64_t begin, int64_t end) {
  size_t used_bytes = (size_t)(2 * tile->width * job->sums->bytes);
  memset(scratch->carries, 0, used_bytes);
  for (int64_t block = begin; block < end && !context_stops(job->context); block++) {
    int64_t place = block * SUM_BLOCK, count = least(job->n - place, SUM_BLOCK);
    char *known = tile->carries ? tile->carries + block * pair_row_bytes(job) : NULL;
    scan_rows(job, scratch, tile, place, count, known ? known : scratch->carries);
    if (!known)
      job->sums->add_pairs_row(scratch->carries, scratch->carries, scratch->runs, tile->width);
    else if (job->find_totals)
      memcpy(known, scratch->runs, used_bytes);
  }
}

/* ---------------------------------------------------------------------------------------------- split among threads */

static void scan_chunk(void *job_, int64_t chunk) {
  const struct cumsum_job *job = job_;
  struct cumsum_scratch scratch;
  struct scan_tile tile = cumsum_tile_at(job, chunk / job->chunks);
  int64_t begin = chunk % job->chunks * job->chunk_blocks, end = begin + job->chunk_blocks;
  if (end > job->blocks) end = job->blocks;
  if (job->across)
    scan_across(job, &scratch, &tile, begin, end);
  else
    scan_along(job, &scratch, &tile, begin, end);
}

/* Replaces each block's pair by the sum of those before it. */
static void carries_of_totals(const struct cumsum_job *job, char *carries, struct cumsum_scratch *scratch) {
  size_t bytes = (size_t)pair_row_bytes(job);
  for (int64_t i = 0; i < job->tiles; i++) {
    int64_t width = cumsum_tile_at(job, i).width;
    memset(scratch->carries, 0, bytes);
    for (int64_t block = 0; block < job->blocks; block++) {
      char *at = carries + (i * job->blocks + block) * pair_row_bytes(job);
      memcpy(scratch->runs, at, bytes);
      memcpy(at, scratch->carries, bytes);
      job->sums->add_pairs_row(scratch->carries, scratch->carries, scratch->runs, width);
    }
  }
}

static strew_status scan_in_chunks(const struct call *call, struct cumsum_job *job) {
  struct cumsum_scratch scratch;
  const uint64_t bytes = (uint64_t)(job->tiles * job->blocks * pair_row_bytes(job));
  ALLOCATE(job->carries, call, job->context, bytes);
  job->find_totals = true;
  pool_run(job->context, job->tiles * job->chunks, scan_chunk, job);
  carries_of_totals(job, job->carries, &scratch);
  job->find_totals = false;
  pool_run(job->context, job->tiles * job->chunks, scan_chunk, job);
  memory_free(job->context, job->carries, bytes);
  return context_end(call, job->context, job->lines.operands[0].storage);
}

strew_status cpu_cumsum(const struct call *call, strew_device *device, const struct scan_plan *scan) {
  const struct plan *plan = &scan->plan;
  struct cumsum_job job = {.context = device->context};
  choose_sums(&job, plan->operands[0].dtype, plan->operands[1].dtype);
  if (plan->sizes[plan->rank - 1] <= SUM_RUN && job.in_direct && job.out_direct)
    return cpu_cumsum_short(call, device, scan);
  cumsum_start(&job, plan);
  int64_t parts = pool_parts(job.context, plan_numel(plan) * job.sums->bytes);
  int64_t wanted = (parts - 1) / job.tiles + 1; /* chunks of each tile */
  job.chunk_blocks = (job.blocks - 1) / wanted + 1;
  job.chunks = (job.blocks - 1) / job.chunk_blocks + 1;
  if (parts > 1 && job.tiles < parts && job.chunks > 1) return scan_in_chunks(call, &job);
  job.chunk_blocks = job.blocks;
  job.chunks = 1;
  pool_run_items(job.context, parts, job.tiles, scan_chunk, &job);
  return context_end(call, job.context, plan->operands[0].storage);
}
