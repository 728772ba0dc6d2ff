/* scatter.c: the scatter family on OpenCL devices: the choice of the method, and the entries. */
#include "scattering.h"

/* --------------------------------------------------------------------------------------------- choice of the method */

enum way { ALONE, WALK, PARTITION, ONE_GROUP, ATOMICS, SORT };
struct strategy {
  enum way way;
  int64_t owners; /* WALK: ranges of destinations */
  bool order;     /* first test whether the index is sorted */
};

/* For tests, whose calls are small: a word of STREW_OPENCL_ASSUME selects a method, if it can do the call. */
static bool choose_forced(const struct scattering *s, struct strategy *strategy) {
  static const struct {
    const char *word;
    enum way way;
  } ways[] = {{"way=walk", WALK}, {"way=alone", ALONE},     {"way=partition", PARTITION},
              {"way=sort", SORT}, {"way=group", ONE_GROUP}, {"way=atomics", ATOMICS}};
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    if (!opencl_assumed(ways[i].word)) continue;
    if (opencl_of(s->launch->device)->longest_loop < INT64_MAX && ways[i].way != WALK) continue;
    if (ways[i].way == SORT && !opencl_scatter_suits_sort(s)) continue;
    if (ways[i].way == PARTITION && s->given->size == 0) continue;
    if (ways[i].way == ATOMICS && !opencl_scatter_suits_atomics(s)) continue;
    *strategy = (struct strategy){.way = ways[i].way, .owners = 5, .order = opencl_assumed("order")};
    return true;
  }
  return false;
}

/* On a device that stops long loops: only these two methods bound theirs. */
static struct strategy choose_bounded(const struct scattering *s) {
  int64_t most = opencl_of(s->launch->device)->longest_loop / 4,
          owners = 4 * (int64_t)opencl_of(s->launch->device)->units;
  if (s->line * s->rows <= most) return (struct strategy){.way = ALONE};
  return (struct strategy){.way = WALK, .owners = s->rows >= owners ? 1 : owners};
}

/* On a GPU. Measured on an NVIDIA H200, in ms, float32, sums except the column of atomics, which serve what joins in
   any order (extremes; here of 1-D calls):
                          one group    sort    a work-item a line    atomics
     4 into 4                  0.04    0.11                  0.04
     1,024 into 256            0.12    0.14                            0.06
     4,096 into 1,024          0.37    0.14
     262,144 into 65,536         25    0.22                            0.05
     1,000 lines of 1,000              0.23                  0.40       0.06
     4,000 lines of 1,000              0.60                  0.62       0.10
     4,000 lines of 256                0.23                  0.14       0.06
     10,000 lines of 100               0.23                  0.10       0.06
   A sort takes a dozen launches; a work-item takes 0.5 us for a contribution. */
static struct strategy choose_gpu(const struct scattering *s) {
  if (s->given->size == 0) return (struct strategy){.way = WALK, .owners = 1};
  if (!opencl_scatter_suits_sort(s))
    return (struct strategy){.way = WALK, .owners = GROUP * (int64_t)opencl_of(s->launch->device)->units};
  if (s->line * s->rows <= SCATTER_GPU_SMALL) return (struct strategy){.way = ONE_GROUP};
  if (opencl_scatter_suits_atomics(s)) return (struct strategy){.way = ATOMICS};
  if (s->line <= SCATTER_GPU_SHORT_LINE || s->batches >= SCATTER_GPU_MANY_ROWS)
    return (struct strategy){.way = WALK, .owners = 1};
  return (struct strategy){.way = SORT, .order = s->line >= SCATTER_GPU_LONG_LINE};
}

/* On a CPU. Measured on 2 cores, in ms:
                                   partition   one work-item   owners that walk the whole index
     10 M f32 into 1 M                    24              35                                 52
     10 M f32 into 100                    23              11                                 81
     1 M rows of 64 into 100 k            24              30                                 19
   A launch takes 5 us, as long as about a thousand contributions. */
static struct strategy choose_cpu(const struct scattering *s) {
  int64_t units = (int64_t)opencl_of(s->launch->device)->units, owners = 4 * units;
  struct column_walk walk;
  scattering_walk(s, true, INT64_MAX, &walk);
  int64_t rows = walk.space.rows, size = s->given->size;
  int64_t bytes = s->rows * (int64_t)strew_dtype_size_bytes(s->plan.operands[SELF].dtype);
  if (s->line * s->rows <= SCATTER_CPU_SMALL) return (struct strategy){.way = ALONE};
  if (rows >= owners) return (struct strategy){.way = WALK, .owners = 1};
  if (walk.column[INDEX] && walk.width >= units * SCATTER_CPU_WIDE) return (struct strategy){.way = WALK, .owners = 1};
  if (walk.width >= SCATTER_CPU_WIDE && !walk.column[INDEX]) return (struct strategy){.way = WALK, .owners = units};
  bool in_cache = size <= SCATTER_CPU_CACHE_BYTES / bytes;
  if (in_cache && units <= SCATTER_CPU_FEW_UNITS)
    return (struct strategy){.way = WALK, .owners = 1, .order = s->line >= SCATTER_CPU_LONG_LINE};
  if (size == 0 || size > UINT32_MAX || s->line > UINT32_MAX) return (struct strategy){.way = WALK, .owners = owners};
  return (struct strategy){.way = PARTITION, .order = s->line >= SCATTER_CPU_LONG_LINE};
}

static struct strategy choose(const struct scattering *s) {
  const struct opencl *on = opencl_of(s->launch->device);
  struct strategy forced;
  if (choose_forced(s, &forced)) return forced;
  if (on->longest_loop < INT64_MAX) return choose_bounded(s);
  return on->is_gpu ? choose_gpu(s) : choose_cpu(s);
}

static void run_ways(struct scattering *s) {
  enum { WORDS = 40, VECTORS = 5 };
  struct strategy strategy = choose(s);
  const bool computes = strategy.way == WALK || strategy.way == PARTITION || strategy.way == ATOMICS;
  computed_start(s->src, s->launch, &s->plan.operands[SRC], WORDS + VECTORS * (size_t)space_of(&s->plan).outer,
                 computes ? s->line * s->rows : INT64_MAX);
  if (s->launch->status != STREW_OK) return;
  switch (strategy.way) {
  case ALONE: opencl_scatter_alone(s); break;
  case PARTITION: opencl_scatter_partition(s, strategy.order); break;
  case ONE_GROUP: opencl_scatter_group(s); break;
  case ATOMICS: opencl_scatter_atomic(s); break;
  case SORT: opencl_scatter_sort(s, strategy.order); break;
  default: opencl_scatter_walk(s, strategy.owners, strategy.order);
  }
}

strew_status opencl_scatter(const struct call *call, strew_device *device, const struct scatter_plan *plan, bool *bad) {
  struct launch launch = {.call = call, .device = device};
  struct scattering s;
  struct computed src;
  scattering_start(&s, &launch, plan);
  s.src = &src;
  run_ways(&s);
  if (!s.bad) scattering_draft_finish(&s);
  computed_end(&launch, &src);
  *bad = s.bad;
  return launch_end(&launch);
}
