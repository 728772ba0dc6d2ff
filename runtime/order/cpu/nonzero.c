/* nonzero.c: coordinates of nonzero elements, and rows of a tensor beside them, in two passes: the first makes a bit of
   each element and counts those of each part, which gives the position of the part's coordinates or rows; the second
   writes them by the bits, and reads no element. */
#include "compress_loops.h"
#include "runtime/core/base/tensor.h"
#include "runtime/core/cpu/program.h"
#include "runtime/core/cpu/tuning.h"
#include "runtime/order/order_ops.h"
#include "runtime/reduce/cpu/feed.h"

#include <string.h>

ORDER_ENTRIES(CPU_FUNCTION, CPU_FUNCTION)

enum { MOST_PARTS = 256, BITS = 64 };

struct nonzero_job {
  struct plan lines; /* the plan, simplified */
  struct feed feed;  /* to flags: bytes, 0 for a zero */
  int64_t places, words, parts;
  strew_context *context;
  uint64_t *bits;
  int64_t found[MOST_PARTS + 1]; /* counts of parts; then, total before each part, and of all */
  const struct plan *plan;
  char *out;
  const char *rows; /* a row beside each element */
  int64_t row_bytes;
};

/* The flags of the elements from `begin` on. */
struct flagging {
  const struct nonzero_job *job;
  int64_t begin;
  uint8_t flags[NONZERO_FLAGS];
};

static void flag_row(void *flagging_, const struct row *row) {
  struct flagging *flagging = flagging_;
  feed_read(&flagging->job->feed, row->count, (char *)flagging->flags + (row->place - flagging->begin), row->address[0],
            row->step_bytes[0]);
}

static void flag_part(void *job_, int64_t part) {
  struct nonzero_job *job = job_;
  const int64_t begin = part_begin(job->words, job->parts, part), end = part_begin(job->words, job->parts, part + 1);
  struct flagging flagging = {.job = job};
  int64_t found = 0;
  for (int64_t first = begin, words; first < end; first += words) {
    words = least(end - first, NONZERO_FLAGS / BITS);
    flagging.begin = first * BITS;
    const int64_t stop = least(flagging.begin + words * BITS, job->places);
    walk_rows(&job->lines, flagging.begin, stop, NONZERO_FLAGS, flag_row, &flagging);
    memset(flagging.flags + (stop - flagging.begin), 0, (size_t)(flagging.begin + words * BITS - stop));
    found += compress_loops()->pack_flags(words, flagging.flags, job->bits + first);
  }
  job->found[part] = found;
}

/* Writes the positions of a word's bits, counted from `first`, ascending, by AT_ONCE: up to AT_ONCE - 1 more are written
   behind them, because a branch for each would be unpredictable. */
static void find_bits(uint64_t word, int64_t first, int64_t *at) {
  enum { AT_ONCE = 4 };
  for (; word; at += AT_ONCE)
    for (int i = 0; i < AT_ONCE; i++) {
      at[i] = first + __builtin_ctzll(word | UINT64_C(1) << (BITS - 1));
      word &= word - 1;
    }
}

/* Where the plan's last dimension begins, and ends, around a position, whose other coordinates are `at`. */
struct line {
  int64_t begin, end, at[MAX_RANK];
};

static void line_seek(struct line *line, const struct plan *plan, int64_t position) {
  const int last = plan->rank - 1;
  int64_t number = position / plan->sizes[last];
  line->begin = number * plan->sizes[last];
  line->end = line->begin + plan->sizes[last];
  for (int d = last - 1; d >= 0; d--) {
    line->at[d] = number % plan->sizes[d];
    number /= plan->sizes[d];
  }
}

/* Writes the coordinates of `count` positions, ascending. */
ALWAYS_INLINE void write_coordinates(const struct plan *plan, int rank, int64_t count, const int64_t *at,
                                     struct line *line, int64_t *out) {
  for (int64_t i = 0; i < count;) {
    if (at[i] >= line->end) line_seek(line, plan, at[i]);
    const int64_t begin = line->begin, end = line->end;
    for (; i < count && at[i] < end; i++, out += rank) {
      for (int d = 0; d < rank - 1; d++) out[d] = line->at[d];
      out[rank - 1] = at[i] - begin;
    }
  }
}

static void find_part(void *job_, int64_t part) {
  const struct nonzero_job *job = job_;
  const int rank = job->plan->rank;
  const int64_t end = part_begin(job->words, job->parts, part + 1);
  struct line line = {.end = 0};
  int64_t *const all = (int64_t *)job->out;
  int64_t *out = all + job->found[part] * rank, *const stop = all + job->found[part + 1] * rank;
  for (int64_t w = part_begin(job->words, job->parts, part); w < end; w++) {
    const uint64_t word = job->bits[w];
    const int64_t count = __builtin_popcountll(word);
    int64_t at[BITS];
    const bool in_place = rank == 1 && stop - out >= BITS;
    find_bits(word, w * BITS, in_place ? out : at);
    if (rank == 2) /* with a loop of its own */
      write_coordinates(job->plan, 2, count, at, &line, out);
    else if (!in_place)
      write_coordinates(job->plan, rank, count, at, &line, out);
    out += count * rank;
  }
}

static void compress_part(void *job_, int64_t part) {
  const struct nonzero_job *job = job_;
  const int64_t begin = part_begin(job->words, job->parts, part), end = part_begin(job->words, job->parts, part + 1);
  const size_t bytes = (size_t)job->row_bytes;
  const char *from = job->rows + begin * BITS * job->row_bytes;
  char *to = job->out + job->found[part] * job->row_bytes, *to_end = job->out + job->found[part + 1] * job->row_bytes;
  compress_words *compress = bytes <= sizeof(double) ? compress_loops()->by_size[bytes] : NULL;
  for (int64_t at = begin, stop; at < end && !context_stops(job->context); at = stop) {
    stop = least(end, at + NONZERO_FLAGS / BITS);
    if (compress) {
      to = compress(job->bits + at, stop - at, from, to, to_end);
      from += (stop - at) * BITS * job->row_bytes;
      continue;
    }
    for (int64_t w = at; w < stop; w++, from += BITS * bytes)
      for (uint64_t word = job->bits[w]; word; word &= word - 1, to += bytes)
        memcpy(to, from + (size_t)__builtin_ctzll(word) * bytes, bytes);
  }
}

/* The two passes; the second, `write`, if there is anything to write. Sets the first size. */
static strew_status find(const struct call *call, strew_device *device, struct nonzero_job *job,
                         void (*write)(void *job, int64_t part), strew_dtype dtype, int rank, int64_t *sizes,
                         strew_tensor **out) {
  int64_t before = 0;
  pool_run(device->context, job->parts, flag_part, job);
  RETURN_IF_FAILED(context_end(call, device->context, NULL));
  for (int64_t part = 0; part < job->parts; part++) {
    const int64_t found = job->found[part];
    job->found[part] = before;
    before += found;
  }
  job->found[job->parts] = sizes[0] = before;
  RETURN_IF_FAILED(tensor_create(call, device, dtype, rank, sizes, out));
  if (strew_tensor_numel(*out) == 0) return STREW_OK;
  job->out = (*out)->storage->data;
  pool_run(device->context, job->parts, write, job);
  return context_end(call, device->context, (*out)->storage);
}

static strew_status search(const struct call *call, strew_device *device, struct nonzero_job *job,
                           void (*write)(void *job, int64_t part), strew_dtype dtype, int rank, int64_t *sizes,
                           strew_tensor **out) {
  const struct operand *operand = &job->plan->operands[0];
  struct program program;
  job->context = device->context;
  job->lines = *job->plan;
  job->lines.count = 1;
  job->places = plan_numel(job->plan);
  plan_simplify(&job->lines);
  job->words = (job->places + BITS - 1) / BITS;
  const int64_t read_bytes = job->places * ((int64_t)dtype_bytes(operand->dtype) + job->row_bytes);
  job->parts = least(least(pool_parts(device->context, read_bytes), MOST_PARTS), job->words);
  const uint64_t bytes = (uint64_t)job->words * sizeof *job->bits;
  ALLOCATE(job->bits, call, device->context, bytes);
  strew_status status = feed_begin(call, operand, &program);
  if (status == STREW_OK) {
    feed_open(&job->feed, operand, STREW_BOOL);
    status = release_if_failed(find(call, device, job, write, dtype, rank, sizes, out), out);
    feed_end(operand);
  }
  memory_free(device->context, job->bits, bytes);
  return status;
}

strew_status cpu_nonzero(const struct call *call, strew_device *device, const struct plan *plan, strew_tensor **out) {
  struct nonzero_job job = {.plan = plan};
  return search(call, device, &job, find_part, STREW_INT64, 2, (int64_t[]){0, plan->rank}, out);
}

strew_status cpu_compress(const struct call *call, strew_device *device, const struct plan *plan, int rank,
                          int64_t *sizes, strew_tensor **out) {
  const struct operand *rows = &plan->operands[1];
  const int64_t bytes = (int64_t)dtype_bytes(rows->dtype);
  struct nonzero_job job = {.plan = plan, .rows = operand_address(rows), .row_bytes = rows->strides[0] * bytes};
  return search(call, device, &job, compress_part, rows->dtype, rank, sizes, out);
}
