/* indexed_rows.c: rows of a tensor, addressed by one index or by several.

   A single index goes to the engine as it is, and is checked there. Several are joined first, by the device's
   index_join: one pass checks their values and makes row-major positions of the addressed dimensions. Then these
   dimensions count as one, and positions are an index of it. */
#include "indexed_rows.h"
#include "order_ops.h"
#include "runtime/core/base/device.h"

#include <string.h>

void rows_start(struct rows *rows, int addressed) {
  rows->addressed = addressed;
  rows->count = rows->rank = 0;
}

bool rows_add(struct rows *rows, const strew_tensor *index, struct index_limits limits, const char *name) {
  if (!broadcast_sizes(&rows->rank, rows->sizes, index->rank, index->sizes)) return false;
  struct component *component = &rows->at[rows->count++];
  component->index = *index;
  component->addressing = (struct addressing)ADDRESSING(&component->index, &component->index, limits);
  component->addressing.name = name;
  return true;
}

strew_status rows_shape(const struct call *call, const struct rows *rows, const strew_tensor *self,
                        struct shape1 *shape) {
  const int inner = self->rank - rows->addressed, lead = rows->rank ? rows->rank : 1;
  if (lead + inner > MAX_RANK)
    return fail(call, FAULT(STREW_ESHAPE, "self"),
                "has %d dimensions beside the %d that are addressed: the result would have more than %d", inner,
                rows->addressed, MAX_RANK);
  shape->rank = rows->rank + inner;
  memcpy(shape->sizes, rows->sizes, (size_t)rows->rank * sizeof *shape->sizes);
  memcpy(shape->sizes + rows->rank, self->sizes + rows->addressed, (size_t)inner * sizeof *shape->sizes);
  return check_sizes(call, self->dtype, shape->rank, shape->sizes);
}

/* The view of a tensor, broadcast to a shape, whose first `lead` dimensions are one. False if strides do not allow
   it. */
static bool merge_leading(const strew_tensor *tensor, int rank, const int64_t *sizes, int lead, strew_tensor *out) {
  struct plan plan;
  plan_start(&plan, rank, sizes);
  const struct operand *wide = plan_add(&plan, tensor);
  int64_t size = 1, stride = 0;
  bool merges = true;
  for (int d = lead - 1; d >= 0; d--) {
    if (sizes[d] == 1) continue;
    if (size == 1) stride = wide->strides[d];
    merges = merges && wide->strides[d] == stride * size;
    size *= sizes[d];
  }
  *out = *tensor;
  out->rank = 1 + rank - lead;
  out->sizes[0] = size;
  out->strides[0] = stride;
  for (int d = lead; d < rank; d++) {
    out->sizes[1 + d - lead] = sizes[d];
    out->strides[1 + d - lead] = wide->strides[d];
  }
  return merges || size == 0;
}

/* The same of a copy, if strides do not allow a view. */
static void merge(struct steps *steps, const strew_tensor *tensor, const struct shape1 *shape, int lead,
                  strew_tensor *out) {
  if (steps->status != STREW_OK || merge_leading(tensor, shape->rank, shape->sizes, lead, out)) return;
  strew_tensor wide;
  tensor_broadcast(&wide, tensor, shape);
  strew_tensor *copy = step_copy(steps, &wide, tensor->dtype);
  if (copy) merge_leading(copy, shape->rank, shape->sizes, lead, out);
}

void flatten(struct steps *steps, const strew_tensor *tensor, strew_tensor *out) {
  struct shape1 shape = {.rank = tensor->rank};
  memcpy(shape.sizes, tensor->sizes, (size_t)tensor->rank * sizeof *shape.sizes);
  merge(steps, tensor, &shape, shape.rank, out);
}

/* --------------------------------------------------------------------------------------------------- components */

strew_tensor *rows_mask(struct steps *steps, const strew_tensor *mask) {
  strew_device *device = mask->storage->device;
  const int mark = steps->count;
  strew_tensor flat;
  struct plan plan;
  flatten(steps, mask, &flat);
  if (steps->status != STREW_OK) return NULL;
  PLAN(&plan, flat.rank, flat.sizes, &flat);
  if (!flat.sizes[0]) return steps_keep(steps, mark, step_new(steps, device, STREW_INT64, 1, flat.sizes));
  STEP_INTO(steps, found, device->ops->order->nonzero(steps->call, device, &plan, found));
  return steps_keep(steps, mark, step_view(steps, *found, 1, (int64_t[]){-1}));
}

bool rows_compress(struct steps *steps, const strew_tensor *mask, const strew_tensor *self, strew_tensor **out) {
  strew_device *device = self->storage->device;
  strew_tensor lines, flat;
  struct plan plan;
  if (steps->status != STREW_OK || *out || !device->ops->order->compress || !strew_tensor_numel(self)) return false;
  if (!merge_leading(self, self->rank, self->sizes, mask->rank, &lines)) return false;
  int64_t row = 1;
  for (int d = lines.rank - 1; d > 0; row *= lines.sizes[d--])
    if (lines.sizes[d] > 1 && lines.strides[d] != row) return false;
  if (lines.sizes[0] > 1 && lines.strides[0] != row) return false;
  flatten(steps, mask, &flat);
  if (steps->status != STREW_OK) return true;
  strew_tensor first = lines;
  first.rank = 1;
  PLAN(&plan, 1, flat.sizes, &flat, &first);
  plan.operands[1].strides[0] = row;
  STEP(steps, device->ops->order->compress(steps->call, device, &plan, lines.rank, lines.sizes, out));
  if (steps->status != STREW_OK) return true;
  if (self->dtype == STREW_TEXT) text_ops.mark(*out, steps->call->words);
  (*out)->dtype = self->dtype;
  return true;
}

/* Makes row-major positions of all components, int64 of the rows' shape; checks their values. */
static strew_tensor *join_components(struct steps *steps, struct rows *rows) {
  enum { AT_ONCE = MAX_OPERANDS - 1 };
  const struct call *call = steps->call;
  strew_device *device = rows->at[0].index.storage->device;
  strew_tensor *out = step_new(steps, device, STREW_INT64, rows->rank, rows->sizes);
  bool bad = false;
  for (int first = 0; first < rows->count && steps->status == STREW_OK && !bad; first += AT_ONCE) {
    struct join_plan join = {.mode = rows->at[0].addressing.limits.mode, .continues = first > 0};
    plan_start(&join.plan, rows->rank, rows->sizes);
    plan_add(&join.plan, out);
    for (int i = first; i < rows->count && i < first + AT_ONCE; i++) {
      join.sizes[i - first] = rows->at[i].addressing.limits.size;
      plan_add(&join.plan, &rows->at[i].index);
    }
    plan_simplify(&join.plan);
    STEP(steps, device->ops->order->index_join(call, device, &join, &bad));
  }
  for (int i = 0; i < rows->count && bad; i++) STEP(steps, addressing_check(call, &rows->at[i].addressing));
  if (bad) STEP(steps, fail(call, FAULT(STREW_EINDEX, rows->at[0].addressing.name), "has changed while it was read"));
  return out;
}

/* How rows are addressed: by the only component, or by positions made of all, which are in range. `index` has the rows'
   shape, which is not empty. `flat`: it must have a view of one dimension. */
static void address(struct steps *steps, struct rows *rows, const strew_tensor *self, bool flat, strew_tensor *index,
                    struct addressing *addressing) {
  const struct component *first = &rows->at[0];
  const int64_t length = count_of_sizes(rows->addressed, self->sizes), one = 1;
  strew_tensor line;
  for (int i = 0; i < rows->count; i++) STEP(steps, check_clip(steps->call, &rows->at[i].addressing.limits));
  if (rows->count == 1 && (!flat || merge_leading(&first->index, rows->rank, rows->sizes, rows->rank, &line))) {
    struct shape1 shape = {.rank = rows->rank};
    memcpy(shape.sizes, rows->sizes, (size_t)rows->rank * sizeof *shape.sizes);
    tensor_broadcast(index, &first->index, &shape);
    *addressing = first->addressing;
    return;
  }
  const strew_tensor *positions =
      rows->count ? join_components(steps, rows)
                  : step_full(steps, self->storage->device, STREW_INT64, 1, &one, strew_int(0)); /* of row 0 */
  if (steps->status != STREW_OK) return;
  const bool drops = rows->count && first->addressing.limits.mode == STREW_DROP;
  *index = *positions;
  index->rank = rows->rank;
  for (int d = 0; d < rows->rank && !rows->count; d++) index->sizes[d] = rows->sizes[d], index->strides[d] = 0;
  *addressing =
      (struct addressing)ADDRESSING(index, index, {length, 0, "self", drops ? STREW_DROP : STREW_ERROR, false});
  addressing->checked = true;
}

static bool is_empty(const struct rows *rows) { return count_of_sizes(rows->rank, rows->sizes) == 0; }

/* ------------------------------------------------------------------------------------------------------ reading */

/* The index with the dimensions of rows, along which it is the same. */
static void add_inner(strew_tensor *index, const strew_tensor *self, int addressed) {
  if (index->rank == 0) index->sizes[0] = 1, index->strides[0] = 0, index->rank = 1;
  for (int d = addressed; d < self->rank; d++) {
    index->strides[index->rank] = 0;
    index->sizes[index->rank++] = self->sizes[d];
  }
}

/* Self's rows along dimension 0, with as many dimensions before a row's own as the index has. */
static void spread_rows(strew_tensor *rows, int lead) {
  const int inner = rows->rank - 1;
  memmove(rows->sizes + lead, rows->sizes + 1, (size_t)inner * sizeof *rows->sizes);
  memmove(rows->strides + lead, rows->strides + 1, (size_t)inner * sizeof *rows->strides);
  for (int d = 1; d < lead; d++) rows->sizes[d] = 1, rows->strides[d] = 0;
  rows->rank = lead + inner;
}

strew_status rows_gather(struct steps *steps, struct rows *rows, strew_tensor *self, strew_tensor **out) {
  const struct call *call = steps->call;
  if (steps->status != STREW_OK) return steps->status; /* then self may not be there yet */
  struct shape1 shape, whole = {.rank = self->rank};
  strew_tensor lines, index;
  struct addressing addressing;
  bool is_new;
  memcpy(whole.sizes, self->sizes, (size_t)self->rank * sizeof *whole.sizes);
  STEP(steps, rows_shape(call, rows, self, &shape));
  if (steps->status == STREW_OK && is_empty(rows))
    return STEP(steps, out_prepare(call, self->storage->device, self->dtype, shape.rank, shape.sizes, out, &is_new));
  merge(steps, self, &whole, rows->addressed, &lines);
  if (steps->status == STREW_OK) address(steps, rows, self, false, &index, &addressing);
  if (steps->status != STREW_OK) return steps->status;
  add_inner(&index, self, rows->addressed);
  spread_rows(&lines, rows->rank ? rows->rank : 1);
  addressing.index = &index;
  return STEP(steps, gather_call(call, &addressing, &lines, shape.rank, shape.sizes, out));
}

/* ------------------------------------------------------------------------------------------------------ writing */

/* Scatters into the rows of *out, of a new tensor, or of a copy that is then moved to *out. */
static strew_status scatter_rows(struct steps *steps, int addressed, strew_tensor *self, struct scatter_job *job,
                                 strew_tensor **out) {
  strew_tensor from, to, *target = *out, *made = NULL;
  bool direct = merge_leading(self, self->rank, self->sizes, addressed, &from);
  if (target) direct = direct && merge_leading(target, target->rank, target->sizes, addressed, &to);
  if (!direct)
    made = step_copy(steps, self, self->dtype);
  else if (!target)
    made = step_new(steps, self->storage->device, self->dtype, self->rank, self->sizes);
  if (steps->status != STREW_OK) return steps->status;
  if (made) merge_leading(made, made->rank, made->sizes, addressed, &to);
  job->self = &to;
  job->start = !direct || target == self ? &to : &from;
  job->disposable = job->disposable || made;
  STEP(steps, scatter_run(steps->call, job));
  if (made && target) STEP(steps, copy_tensor(steps->call, target, made));
  return target ? steps->status : steps_give(steps, made, out);
}

/* Nothing is scattered. */
static strew_status copy_self(const struct call *call, strew_tensor *self, strew_tensor **out) {
  if (!*out) return copy_as(call, self, self->dtype, out);
  return *out == self ? STREW_OK : copy_tensor(call, *out, self);
}

strew_status rows_scatter(struct steps *steps, struct rows *rows, strew_tensor *self, const struct scatter_job *given,
                          const struct shape1 *shape, int lead, strew_tensor **out) {
  strew_tensor source, index, line;
  struct addressing addressing;
  struct scatter_job job = *given;
  if (steps->status != STREW_OK) return steps->status;
  if (is_empty(rows)) return STEP(steps, copy_self(steps->call, self, out));
  address(steps, rows, self, true, &index, &addressing);
  if (steps->status != STREW_OK) return steps->status;
  merge_leading(&index, rows->rank, rows->sizes, rows->rank, &line);
  add_inner(&line, self, rows->addressed);
  addressing.index = &line;
  job.addressing = &addressing;
  if (strew_tensor_numel(&line) == 0) {
    STEP(steps, addressing_check(steps->call, &addressing));
    return STEP(steps, copy_self(steps->call, self, out));
  }
  if (job.src) {
    merge(steps, job.src, shape, lead, &source);
    job.src = &source;
  }
  return STEP(steps, scatter_rows(steps, rows->addressed, self, &job, out));
}
