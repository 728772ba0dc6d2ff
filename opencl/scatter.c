/* scatter.c: the scatter family on OpenCL devices: how a call is seen, and which way it goes. */
#include "scatter.h"

/* ------------------------------------------------------------------------------------------------------- launches */

void scatter_launch_start(struct launch *launch, const struct scattering *s, const char *file, const char *kernel,
                          int outer, const char *more) {
  const struct operand *operands = s->plan.operands;
  launch_start(launch, s->call, s->device, file, kernel, "S=%s SRC=%s I=%s REDUCE=%s MODE=%s OUTER=%d%s%s%s",
               dtype_suffix(operands[SELF].dtype), dtype_suffix(operands[SRC].dtype), index_type(operands[INDEX].dtype),
               strew_reduction_name(s->given->reduction), index_mode(s->given->mode), outer,
               operands[SRC].storage ? "" : " NUMBER", s->with_arg ? " ARG" : "", more);
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
  s->verdict = (struct block){NULL, 0};
  int line = -1;
  for (int d = 0; d < s->plan.rank; d++)
    if (s->plan.operands[SELF].strides[d] == 0) line = d;
  if (line < 0) { /* a line of one contribution */
    line = s->plan.rank++;
    s->plan.sizes[line] = 1;
    for (int i = 0; i < s->plan.count; i++) s->plan.operands[i].strides[line] = 0;
  }
  plan_lines(&s->plan, line);
  s->line = s->plan.sizes[s->plan.rank - 1];
  s->rows = plan_numel(&s->plan) / s->line;
  struct plan values;
  plan_operand_values(&values, &s->plan, INDEX);
  plan_simplify_any_order(&values);
  index_pass_start(&s->pass, call, device, &values);
}

enum way { ALONE, WALK, PARTITION, SORT };
struct choice {
  enum way way;
  int64_t owners; /* WALK */
  bool order;     /* look whether the index is sorted */
};

static bool forced(const char *way, enum way then, struct choice *choice) {
  if (!opencl_assumed(way)) return false;
  choice->way = then;
  choice->order = opencl_assumed("order");
  return true;
}

/* For tests, whose calls are small: each way can be asked for by a word of STREW_OPENCL_ASSUME. */
static bool is_forced(const struct scattering *s, struct choice *choice) {
  choice->owners = 5;
  if (opencl_of(s->device)->longest_loop < INT64_MAX) return false;
  return forced("way=walk", WALK, choice) || forced("way=alone", ALONE, choice) ||
         forced("way=partition", PARTITION, choice) || (sort_serves(s) && forced("way=sort", SORT, choice));
}

static struct choice choose(const struct scattering *s) {
  const struct opencl *on = opencl_of(s->device);
  int64_t work = s->line * s->rows;
  bool bounded = on->longest_loop < INT64_MAX;
  int64_t little = bounded && on->longest_loop / 4 < 16384 ? on->longest_loop / 4 : 16384;
  struct choice choice = {.way = WALK, .owners = 1};
  if (is_forced(s, &choice)) return choice;
  if (work <= little) {
    choice.way = ALONE;
    return choice;
  }
  choice.owners = s->rows < 4 * (int64_t)on->units ? 4 * (int64_t)on->units : 1;
  if (!bounded) choice.way = PARTITION;
  choice.order = true;
  return choice;
}

static strew_status run(struct scattering *s) {
  struct choice choice = choose(s);
  switch (choice.way) {
  case ALONE: return scatter_alone(s);
  case SORT: return scatter_sort(s, choice.order);
  case PARTITION: return scatter_partition(s, choice.order);
  default: return scatter_walk(s, choice.owners);
  }
}

strew_status opencl_scatter(const struct call *call, strew_device *device, const struct scatter_plan *plan, bool *bad) {
  struct scattering s;
  int verdict = 0;
  *bad = false;
  scattering_start(&s, call, device, plan);
  strew_status status = run(&s);
  if (status == STREW_OK && plan->check) status = verdict_read(call, device, &s.verdict, &verdict);
  *bad = verdict & VERDICT_BAD;
  block_give(device, &s.verdict);
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
