/* scatter.c: the scatter family on OpenCL devices: how a call is seen, and which way it goes. */
#include "scatter.h"

/* ------------------------------------------------------------------------------------------------------- launches */

void scatter_launch_start(struct launch *launch, const struct scattering *s, const char *file, const char *kernel,
                          int outer, const char *more) {
  const struct operand *operands = s->plan.operands;
  launch_start(launch, s->call, s->device, file, kernel, "S=%s SRC=%s I=%s REDUCE=%s OUTER=%d%s%s%s",
               dtype_suffix(operands[SELF].dtype), dtype_suffix(operands[SRC].dtype), index_type(operands[INDEX].dtype),
               strew_reduction_name(s->given->reduction), outer, operands[SRC].storage ? "" : " NUMBER",
               s->with_arg ? " ARG" : "", more);
}

void launch_target(struct launch *launch, const struct scattering *s, const struct space *space) {
  launch_operand(launch, space, SELF);
  launch_int(launch, s->given->step);
  if (!s->with_arg) return;
  launch_operand(launch, space, ARG);
  launch_int(launch, s->given->arg_step);
  launch_int(launch, s->given->arg_none);
  launch_flag(launch, s->given->fresh);
}

void launch_source(struct launch *launch, const struct scattering *s, const struct space *space) {
  const struct operand *src = &s->plan.operands[SRC];
  launch_operand(launch, space, SRC);
  launch_value(launch, src->number.bytes, strew_dtype_size_bytes(s->plan.operands[SELF].dtype));
}

void launch_columnwise(struct launch *launch, const struct scattering *s, const struct walked *walked) {
  launch_target(launch, s, &walked->space);
  launch_source(launch, s, &walked->space);
  launch_limits(launch, s->given->size, s->given->mode);
  launch_int(launch, walked->width);
  launch_int(launch, walked->column[SELF]);
  launch_int(launch, walked->column[SRC]);
  launch_int(launch, walked->column[ARG]);
}

/* ----------------------------------------------------------------------------------------------------- the call */

/* The plan in the order of struct scattering: self stands still along one dimension at most. */
static void scattering_start(struct scattering *s, const struct call *call, strew_device *device,
                             const struct scatter_plan *given) {
  s->call = call;
  s->device = device;
  s->given = given;
  s->plan = given->plan;
  s->with_arg = s->plan.count > ARG;
  s->tiny = opencl_assumed("tiny");
  s->verdict = s->draft = (struct block){NULL, 0};
  s->bad = false;
  int line = -1;
  for (int d = 0; d < s->plan.rank; d++)
    if (s->plan.operands[SELF].strides[d] == 0) line = d;
  if (line < 0) { /* a line of one contribution */
    line = s->plan.rank++;
    s->plan.sizes[line] = 1;
    for (int i = 0; i < s->plan.count; i++) s->plan.operands[i].strides[line] = 0;
  }
  plan_lines(&s->plan, line);
  s->batches = 1;
  for (int d = 0; d < s->plan.rank - 1; d++)
    if (s->plan.operands[INDEX].strides[d] != 0) s->batches *= s->plan.sizes[d];
  s->line = s->plan.sizes[s->plan.rank - 1];
  s->rows = plan_numel(&s->plan) / s->line;
  struct plan values;
  plan_operand_values(&values, &s->plan, INDEX);
  plan_simplify_any_order(&values);
  index_pass_start(&s->pass, call, device, &values);
}

/* -------------------------------------------------------------------------------------------- checks and drafts */

strew_status scatter_check(struct scattering *s) {
  if (!s->given->check) return STREW_OK;
  return index_pass_check(&s->pass, s->given->lowest, s->given->size - 1, &s->bad);
}

strew_status scatter_checked(struct scattering *s) {
  int known = 0;
  strew_status status = verdict_read(s->call, s->device, &s->verdict, &known);
  s->bad = known & VERDICT_BAD;
  return status;
}

/* Between self and its draft, a piece after the other: nothing stops a copy. */
static strew_status draft_copy(const struct scattering *s, bool back) {
  enum { PIECE = 1 << 27, TURN_BYTES = 4 };
  struct opencl *on = opencl_of(s->device);
  const struct operand *self = &s->given->plan.operands[SELF];
  const struct block *own = self->storage->data, *from = back ? &s->draft : own, *to = back ? own : &s->draft;
  size_t at = (size_t)self->offset * strew_dtype_size_bytes(self->dtype), all = scatter_target_bytes(s->given);
  cl_int error = CL_SUCCESS;
  for (size_t done = 0, bytes; done < all && error == CL_SUCCESS; done += bytes) {
    bytes = all - done < PIECE ? all - done : PIECE;
    strew_status status = opencl_throttle(s->call, s->device, (int64_t)bytes / TURN_BYTES);
    if (status != STREW_OK) return status;
    on->busy = true;
    error = cl.clEnqueueCopyBuffer(on->queue, from->memory, to->memory, done + (back ? 0 : at), done + (back ? at : 0),
                                   bytes, 0, NULL, NULL);
    on->lost = on->lost || (error != CL_SUCCESS && back && done > 0); /* half-written */
  }
  return error == CL_SUCCESS ? STREW_OK : fail_opencl(s->call, s->device, "clEnqueueCopyBuffer", error);
}

strew_status draft_start(struct scattering *s) {
  if (s->given->disposable || s->given->size < 1) return STREW_OK;
  strew_status status = block_take(s->call, s->device, scatter_target_bytes(s->given), &s->draft);
  if (status == STREW_OK) status = draft_copy(s, false);
  s->drafted = (struct storage){.device = s->device, .data = &s->draft};
  s->plan.operands[SELF].storage = &s->drafted;
  s->plan.operands[SELF].offset = 0;
  return status;
}

strew_status draft_finish(struct scattering *s) { return s->draft.memory ? draft_copy(s, true) : STREW_OK; }

/* ------------------------------------------------------------------------------------------------ which way when */

enum way { ALONE, WALK, PARTITION, GROUP_ALONE, ATOMICS, SORT };
struct choice {
  enum way way;
  int64_t owners; /* WALK: ranges of places */
  bool order;     /* look first whether the index is sorted */
};

/* For tests, whose calls are small: each way can be asked for by a word of STREW_OPENCL_ASSUME, and is taken where it
   serves the call at all. */
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

/* Which way a call goes on a device that stops long loops: all other ways have some. */
static struct choice choose_bounded(const struct scattering *s) {
  int64_t most = opencl_of(s->device)->longest_loop / 4, shares = 4 * (int64_t)opencl_of(s->device)->units;
  if (s->line * s->rows <= most) return (struct choice){.way = ALONE};
  return (struct choice){.way = WALK, .owners = s->rows >= shares ? 1 : shares};
}

/* On a GPU. Nothing was measured on one yet: the limits are what the ways cost on paper. One group looks at every
   contribution once per work-item, some 5 us per thousand, while a sort takes a dozen launches. Rows of their own keep
   a GPU busy where there are some ten thousand; short lines are not worth sorting. */
static struct choice choose_gpu(const struct scattering *s) {
  enum { SMALL = 4096, SHORT_LINE = 64, MANY_ROWS = 16384, MANY = 65536 };
  if (s->given->size == 0) return (struct choice){.way = WALK, .owners = 1};
  if (!sort_serves(s)) return (struct choice){.way = WALK, .owners = GROUP * (int64_t)opencl_of(s->device)->units};
  if (s->line * s->rows <= SMALL) return (struct choice){.way = GROUP_ALONE};
  if (s->line <= SHORT_LINE || s->batches >= MANY_ROWS) return (struct choice){.way = WALK, .owners = 1};
  if (atomics_serve(s)) return (struct choice){.way = ATOMICS};
  return (struct choice){.way = SORT, .order = s->line >= MANY};
}

/* On a processor, from measurements on two cores, in ms: 10 M float32 into 1 M places: partition 24, one work-item 35,
   owners that walk all of the index 52; into 100 places: 23, 11, 81; 1 M rows of 64 into 100 k places: 24, 30, 19. A
   launch takes 5 us, as long as some thousand contributions. */
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
  block_give(device, &s.verdict);
  block_give(device, &s.draft);
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
