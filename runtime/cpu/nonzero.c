/* nonzero.c: coordinates of nonzero elements. Threads first count those of their parts, which gives the position of
   each part's first coordinates. */
#include "cpu.h"
#include "tuning.h"

#include <string.h>

#define LOOPS_SIGNED
#define LOOPS "runtime/cpu/nonzero.inc"
#include "runtime/cpu/loops/each_dtype.h"

enum { MOST_PARTS = 256, LONGEST = 512, BITS = 64 };

typedef void (*flagger)(const char *from, int64_t step, int64_t count, uint8_t *is_nonzero);
static const flagger flaggers[] = {SIGNED_BY_DTYPE(flag)};

struct nonzero_job {
  const struct plan *plan;
  flagger flag;
  int64_t places, parts;
  int64_t found[MOST_PARTS]; /* counts of parts; then, total before each part */
  int64_t *out;
};

/* Position of a part. */
struct nonzero_walk {
  const struct nonzero_job *job;
  int64_t found;
};

static void walk_nonzero(void *job_, int64_t part, void (*visit)(void *walk, const struct row *row),
                         struct nonzero_walk *walk) {
  const struct nonzero_job *job = job_;
  walk->job = job;
  int64_t begin = part_begin(job->places, job->parts, part), end = part_begin(job->places, job->parts, part + 1);
  walk_rows(job->plan, begin, end, LONGEST, visit, walk);
}

/* Returns how many of at most LONGEST flags, bytes of 0 and 1, are set: adds them up in the bytes of a word. */
static int64_t count_flags(const uint8_t *is_nonzero, int64_t count) {
  uint64_t sums = 0, bytes;
  int64_t i = 0, found = 0;
  for (; i + 8 <= count; i += 8) memcpy(&bytes, is_nonzero + i, 8), sums += bytes;
  for (; i < count; i++) found += is_nonzero[i];
  const uint64_t every_other = UINT64_C(0x00ff00ff00ff00ff);
  sums = (sums & every_other) + (sums >> 8 & every_other);
  return found + (int64_t)(sums * UINT64_C(0x0001000100010001) >> 48);
}

static void count_row(void *walk_, const struct row *row) {
  struct nonzero_walk *walk = walk_;
  uint8_t is_nonzero[LONGEST];
  walk->job->flag(row->address[0], row->step_bytes[0], row->count, is_nonzero);
  walk->found += count_flags(is_nonzero, row->count);
}

static void count_part(void *job_, int64_t part) {
  struct nonzero_walk walk = {.found = 0};
  walk_nonzero(job_, part, count_row, &walk);
  ((struct nonzero_job *)job_)->found[part] = walk.found;
}

/* Writes the positions of nonzero elements, counted from `first`, ascending, and returns how many: without a branch,
   which would be unpredictable. */
static int64_t find_many(const uint8_t *is_nonzero, int64_t count, int64_t first, int64_t *at) {
  int64_t found = 0;
  for (int64_t i = 0; i < count; i++) {
    at[found] = first + i;
    found += is_nonzero[i];
  }
  return found;
}

/* Returns 8 flags as bits, the first one the lowest: a product adds up byte k at bit 56 + k. */
static uint64_t bits_of(const uint8_t *is_nonzero) {
  uint64_t bytes;
  memcpy(&bytes, is_nonzero, 8);
  bool is_little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
  return bytes * (is_little ? UINT64_C(0x0102040810204080) : UINT64_C(0x8040201008040201)) >> 56;
}

/* The same if they are few: by words of one bit an element, one branch for each word and each position. */
static int64_t find_few(const uint8_t *is_nonzero, int64_t count, int64_t first, int64_t *at) {
  int64_t found = 0;
  uint8_t tail[BITS] = {0};
  for (int64_t i = 0; i < count; i += BITS, is_nonzero += BITS) {
    const uint8_t *flags = i + BITS <= count ? is_nonzero : memcpy(tail, is_nonzero, (size_t)(count - i));
    uint64_t word = 0;
    for (int k = 0; k < BITS; k += 8) word |= bits_of(flags + k) << k;
    for (; word; word &= word - 1) at[found++] = first + i + __builtin_ctzll(word);
  }
  return found;
}

static void find_row(void *walk_, const struct row *row) {
  struct nonzero_walk *walk = walk_;
  const struct plan *plan = walk->job->plan;
  uint8_t is_nonzero[LONGEST];
  walk->job->flag(row->address[0], row->step_bytes[0], row->count, is_nonzero);
  bool few = row->count >= BITS && count_flags(is_nonzero, row->count) <= row->count / NONZERO_FEW;
  int last = plan->rank - 1;
  int64_t at[LONGEST], coordinates[MAX_RANK], place = row->place;
  for (int d = last; d >= 0; d--) {
    coordinates[d] = place % plan->sizes[d];
    place /= plan->sizes[d];
  }
  int64_t first = last < 0 ? 0 : coordinates[last];
  int64_t found = (few ? find_few : find_many)(is_nonzero, row->count, first, at);
  int64_t *out = walk->job->out + walk->found * plan->rank;
  for (int64_t i = 0; i < found; i++) {
    for (int d = 0; d < last; d++) *out++ = coordinates[d];
    if (last >= 0) *out++ = at[i];
  }
  walk->found += found;
}

static void find_part(void *job_, int64_t part) {
  struct nonzero_walk walk = {.found = ((struct nonzero_job *)job_)->found[part]};
  walk_nonzero(job_, part, find_row, &walk);
}

strew_status cpu_nonzero(const struct call *call, strew_device *device, const struct plan *plan, struct operand *out,
                         int64_t *count) {
  strew_dtype dtype = plan->operands[0].dtype;
  struct nonzero_job job = {.plan = plan, .flag = flaggers[dtype_signed(dtype)], .places = plan_numel(plan)};
  job.parts = pool_parts(device->context, job.places * (int64_t)dtype_bytes(dtype));
  if (job.parts > MOST_PARTS) job.parts = MOST_PARTS;
  if (job.parts > job.places) job.parts = job.places;
  if (!out || job.parts > 1) pool_run(device->context, job.parts, count_part, &job);
  int64_t before = 0;
  for (int64_t part = 0; part < job.parts; part++) {
    int64_t found = job.found[part];
    job.found[part] = before;
    before += found;
  }
  if (!out) return *count = before, context_end(call, device->context, NULL);
  job.out = (int64_t *)(void *)operand_address(out);
  pool_run(device->context, job.parts, find_part, &job);
  return context_end(call, device->context, out->storage);
}
