/* scattering.c: see scattering.h. */
#include "scattering.h"

/* --------------------------------------------------------------------------------------------------------- launches */

struct launch *scattering_launch(const struct scattering *s, const char *file, const char *kernel, int outer,
                                 const char *more) {
  const struct operand *operands = s->plan.operands;
  launch_start(s->launch, file, kernel, "%s%s=%s SRC=%s I=%s REDUCE=%s OUTER=%d%s%s%s",
               s->src->program ? s->src->described.settings : "", s->src->program ? " SELF" : "S",
               dtype_suffix(operands[SELF].dtype), dtype_suffix(operands[SRC].dtype), index_type(operands[INDEX].dtype),
               reduction_name(s->given->reduction), outer, operands[SRC].storage ? "" : " NUMBER",
               s->with_arg ? " ARG" : "", more);
  return s->launch;
}

void launch_target(struct launch *launch, const struct scattering *s, const struct space *space) {
  launch_operand(launch, space, SELF);
  launch_ints(launch, s->given->step);
  if (!s->with_arg) return;
  launch_operand(launch, space, ARG);
  launch_ints(launch, s->given->arg_step, s->given->arg_none);
  launch_flags(launch, s->given->fresh);
}

void launch_source(struct launch *launch, const struct scattering *s, const struct space *space) {
  const struct operand *src = &s->plan.operands[SRC];
  launch_operand(launch, space, SRC);
  launch_value(launch, src->number.bytes, strew_dtype_size_bytes(s->plan.operands[SELF].dtype));
  computed_bind(launch, s->src);
}

void launch_scatter(struct launch *launch, const struct scattering *s, const struct space *space) {
  launch_space(launch, space);
  launch_target(launch, s, space);
  launch_operand(launch, space, INDEX);
  launch_source(launch, s, space);
  launch_limits(launch, s->given->size, s->given->mode);
}

void launch_columnwise(struct launch *launch, const struct scattering *s, const struct column_walk *walk) {
  launch_space(launch, &walk->space);
  launch_target(launch, s, &walk->space);
  launch_source(launch, s, &walk->space);
  launch_limits(launch, s->given->size, s->given->mode);
  launch_ints(launch, walk->width, walk->column[SELF], walk->column[SRC], walk->column[ARG]);
}

/* --------------------------------------------------------------------------------------------------------- the call */

/* Reorders the plan as struct scattering says: self is constant along at most one dimension. */
void scattering_start(struct scattering *s, struct launch *launch, const struct scatter_plan *given) {
  *s = (struct scattering){.launch = launch, .given = given, .plan = given->plan, .tiny = opencl_assumed("tiny")};
  s->with_arg = s->plan.count > ARG;
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
  index_pass_start(&s->pass, launch, &values);
}

/* ------------------------------------------------------------------------------------------------ checks and drafts */

void scattering_check(struct scattering *s) {
  if (s->given->check) s->bad = index_pass_check(&s->pass, s->given->lowest, s->given->size - 1);
}

void scattering_read_verdict(struct scattering *s) {
  const int known = verdict_read(s->launch, s->verdict);
  s->bad = known & VERDICT_BAD;
  if (known & VERDICT_UNSORTED) *s->given->unsorted = true;
}

/* Copies between self and its draft in chunks, because a copy cannot be stopped. */
static strew_status draft_copy(const struct scattering *s, bool back) {
  enum { TURN_BYTES = 4 };
  const struct call *call = s->launch->call;
  strew_device *device = s->launch->device;
  struct opencl *on = opencl_of(device);
  const struct operand *self = &s->given->plan.operands[SELF];
  const struct block *own = self->storage->data, *from = back ? s->draft : own, *to = back ? own : s->draft;
  size_t at = (size_t)self->offset * strew_dtype_size_bytes(self->dtype), all = scatter_target_bytes(s->given);
  cl_int error = CL_SUCCESS;
  for (size_t done = 0, bytes; done < all && error == CL_SUCCESS; done += bytes) {
    bytes = all - done < DRAFT_CHUNK_BYTES ? all - done : DRAFT_CHUNK_BYTES;
    RETURN_IF_FAILED(opencl_throttle(call, device, (int64_t)bytes / TURN_BYTES));
    on->busy = true;
    error = cl.clEnqueueCopyBuffer(on->queue, from->memory, to->memory, done + (back ? 0 : at), done + (back ? at : 0),
                                   bytes, 0, NULL, NULL);
    on->lost = on->lost || (error != CL_SUCCESS && back && done > 0); /* half-written */
  }
  return error == CL_SUCCESS ? STREW_OK : opencl_fail(call, device, "clEnqueueCopyBuffer", error);
}

void scattering_draft_start(struct scattering *s) {
  if (s->given->disposable || s->given->size < 1) return;
  s->draft = launch_scratch(s->launch, scatter_target_bytes(s->given));
  TRY(s->launch->status, draft_copy(s, false));
  s->drafted = (struct storage){.device = s->launch->device, .data = s->draft};
  s->plan.operands[SELF].storage = &s->drafted;
  s->plan.operands[SELF].offset = 0;
}

void scattering_draft_finish(struct scattering *s) {
  if (s->draft) TRY(s->launch->status, draft_copy(s, true));
}

void scattering_walk(const struct scattering *s, bool moving, int64_t block, struct column_walk *walk) {
  const struct plan *plan = &s->plan;
  int last = plan->rank - 1, inner = last - 1;
  *walk = (struct column_walk){.plan = *plan, .width = 1, .block = 1, .columns = "one"};
  bool has_columns = inner >= 0 && plan->operands[SELF].strides[inner] < s->given->step &&
                     (moving || plan->operands[INDEX].strides[inner] == 0);
  if (has_columns) {
    walk->width = plan->sizes[inner];
    walk->block = block < walk->width ? block : walk->width;
    walk->plan.sizes[inner] = plan->sizes[last];
    walk->plan.rank = last;
    for (int i = 0; i < plan->count; i++) {
      if (i <= ARG) walk->column[i] = plan->operands[i].strides[inner];
      walk->plan.operands[i].strides[inner] = plan->operands[i].strides[last];
    }
    bool even = walk->column[SELF] == 1 && walk->column[INDEX] <= 1;
    even = even && (walk->column[SRC] == 1 || !plan->operands[SRC].storage);
    walk->columns = even && !s->with_arg ? "dense" : "strided";
  }
  walk->space = space_of(&walk->plan);
}
