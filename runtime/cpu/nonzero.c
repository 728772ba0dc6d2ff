/* nonzero.c: coordinates of nonzero elements. Threads first count those of their parts, which gives the position of
   each part's first coordinates. */
#include "cpu.h"

struct loops {
  int64_t (*count)(const char *from, int64_t step, int64_t count);
  int64_t (*find)(const char *from, int64_t step, int64_t count, int64_t first, int64_t *at);
};
#define LOOPS_SIGNED
#define LOOPS "runtime/cpu/nonzero.inc"
#include "runtime/cpu/loops/each_dtype.h"

enum { MOST_PARTS = 256, LONGEST = 512 };

static const struct loops *const loops_of[] = {SIGNED_BY_DTYPE(&loops)};

struct nonzero_job {
  const struct plan *plan;
  const struct loops *loops;
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

static void count_row(void *walk_, const struct row *row) {
  struct nonzero_walk *walk = walk_;
  walk->found += walk->job->loops->count(row->address[0], row->step_bytes[0], row->count);
}

static void count_part(void *job_, int64_t part) {
  struct nonzero_walk walk = {.found = 0};
  walk_nonzero(job_, part, count_row, &walk);
  ((struct nonzero_job *)job_)->found[part] = walk.found;
}

static void find_row(void *walk_, const struct row *row) {
  struct nonzero_walk *walk = walk_;
  const struct plan *plan = walk->job->plan;
  int last = plan->rank - 1;
  int64_t at[LONGEST], coordinates[MAX_RANK], place = row->place;
  for (int d = last; d >= 0; d--) {
    coordinates[d] = place % plan->sizes[d];
    place /= plan->sizes[d];
  }
  int64_t first = last < 0 ? 0 : coordinates[last];
  int64_t found = walk->job->loops->find(row->address[0], row->step_bytes[0], row->count, first, at);
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
  struct nonzero_job job = {.plan = plan, .loops = loops_of[dtype_signed(dtype)], .places = plan_numel(plan)};
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
