/* scatter.c: the scatter family on OpenCL devices: the choice of the method, and the entries. */
#include "ways.h"

/* ------------------------------------------------------------------------------------------------ which way when */

enum way { ALONE, WALK, PARTITION, GROUP_ALONE, ATOMICS, SORT };
struct choice {
  enum way way;
  int64_t owners; /* WALK: ranges of destinations */
  bool order;     /* first test whether the index is sorted */
};

/* For tests, whose calls are small: a word of STREW_OPENCL_ASSUME selects a method, if it can do the call. */
static bool is_forced(const struct scattering *s, struct choice *choice) {
  static const struct {
    const char *word;
    enum way way;
  } ways[] = {{"way=walk", WALK}, {"way=alone", ALONE},       {"way=partition", PARTITION},
              {"way=sort", SORT}, {"way=group", GROUP_ALONE}, {"way=atomics", ATOMICS}};
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    if (!opencl_assumed(ways[i].word)) continue;
    if (opencl_of(s->device)->longest_loop < INT64_MAX && ways[i].way != WALK) continue;
    if (ways[i].way == SORT && !sort_serves(s)) continue;
    if (ways[i].way == PARTITION && s->given->size == 0) continue;
    if (ways[i].way == ATOMICS && !atomics_serve(s)) continue;
    *choice = (struct choice){.way = ways[i].way, .owners = 5, .order = opencl_assumed("order")};
    return true;
  }
  return false;
}

/* On a device that stops long loops: only these two methods bound theirs. */
static struct choice choose_bounded(const struct scattering *s) {
  int64_t most = opencl_of(s->device)->longest_loop / 4, shares = 4 * (int64_t)opencl_of(s->device)->units;
  if (s->line * s->rows <= most) return (struct choice){.way = ALONE};
  return (struct choice){.way = WALK, .owners = s->rows >= shares ? 1 : shares};
}

/* On a GPU. No figure is measured; all are estimates. One group tests each contribution in every work-item, some 5 us
   per thousand, while a sort takes a dozen launches. Some ten thousand independent rows keep a GPU busy; short lines do
   not repay sorting. */
static struct choice choose_gpu(const struct scattering *s) {
  enum { SMALL = 4096, SHORT_LINE = 64, MANY_ROWS = 16384, MANY = 65536 };
  if (s->given->size == 0) return (struct choice){.way = WALK, .owners = 1};
  if (!sort_serves(s)) return (struct choice){.way = WALK, .owners = GROUP * (int64_t)opencl_of(s->device)->units};
  if (s->line * s->rows <= SMALL) return (struct choice){.way = GROUP_ALONE};
  if (s->line <= SHORT_LINE || s->batches >= MANY_ROWS) return (struct choice){.way = WALK, .owners = 1};
  if (atomics_serve(s)) return (struct choice){.way = ATOMICS};
  return (struct choice){.way = SORT, .order = s->line >= MANY};
}

/* On a CPU. Measured on 2 cores, in ms:
                                   partition   one work-item   owners that walk the whole index
     10 M f32 into 1 M                    24              35                                 52
     10 M f32 into 100                    23              11                                 81
     1 M rows of 64 into 100 k            24              30                                 19
   A launch takes 5 us, as long as about a thousand contributions. */
static struct choice choose_processor(const struct scattering *s) {
  enum { SMALL = 16384, WIDE = 16, FEW_UNITS = 4, CACHE_BYTES = 1 << 18, MANY = 65536 };
  int64_t units = (int64_t)opencl_of(s->device)->units, shares = 4 * units;
  struct walked walked;
  walk_shape(s, true, INT64_MAX, &walked);
  int64_t rows = walked.space.rows, size = s->given->size;
  int64_t bytes = s->rows * (int64_t)strew_dtype_size_bytes(s->plan.operands[SELF].dtype);
  if (s->line * s->rows <= SMALL) return (struct choice){.way = ALONE};
  if (rows >= shares) return (struct choice){.way = WALK, .owners = 1};
  if (walked.column[INDEX] && walked.width >= units * WIDE) return (struct choice){.way = WALK, .owners = 1};
  if (walked.width >= WIDE && !walked.column[INDEX]) return (struct choice){.way = WALK, .owners = units};
  bool in_cache = size <= CACHE_BYTES / bytes;
  if (in_cache && units <= FEW_UNITS) return (struct choice){.way = WALK, .owners = 1, .order = s->line >= MANY};
  if (size == 0 || size > UINT32_MAX || s->line > UINT32_MAX) return (struct choice){.way = WALK, .owners = shares};
  return (struct choice){.way = PARTITION, .order = s->line >= MANY};
}

static struct choice choose(const struct scattering *s) {
  const struct opencl *on = opencl_of(s->device);
  struct choice forced;
  if (is_forced(s, &forced)) return forced;
  if (on->longest_loop < INT64_MAX) return choose_bounded(s);
  return on->is_gpu ? choose_gpu(s) : choose_processor(s);
}

static strew_status run(struct scattering *s) {
  struct choice choice = choose(s);
  switch (choice.way) {
  case ALONE: return scatter_alone(s);
  case PARTITION: return scatter_partition(s, choice.order);
  case GROUP_ALONE: return scatter_group(s);
  case ATOMICS: return scatter_atomic(s);
  case SORT: return scatter_sort(s, choice.order);
  default: return scatter_walk(s, choice.owners, choice.order);
  }
}

strew_status opencl_scatter(const struct call *call, strew_device *device, const struct scatter_plan *plan, bool *bad) {
  struct scattering s;
  scattering_start(&s, call, device, plan);
  strew_status status = run(&s);
  if (status == STREW_OK && !s.bad) status = draft_finish(&s);
  *bad = s.bad;
  block_free(device, &s.verdict);
  block_free(device, &s.draft);
  return status;
}

/* ---------------------------------------------------------------------------------------------------------- means */

strew_status opencl_divide_by_count(const struct call *call, strew_device *device, const struct plan *plan,
                                    int64_t extra) {
  struct space space = space_of(plan);
  struct launch launch;
  launch_start(&launch, call, device, "divide.cl", "divide", "S=%s OUTER=%d", dtype_suffix(plan->operands[0].dtype),
               space.outer);
  launch_space(&launch, &space);
  launch_operand(&launch, &space, 0);
  launch_operand(&launch, &space, 1);
  launch_int(&launch, extra);
  return launch_rows(&launch, &space);
}
