/* indexed_rows.c: rows of a tensor, addressed by one index or by several.

   A single index goes to the engine as it is, and is checked there. Several are joined first, by the device's
   index_join: one pass checks their values and makes row-major positions of the addressed dimensions. Then these
   dimensions count as one, and positions are an index of it. */
#include "indexed_rows.h"
#include "gather.h"
#include "runtime/base/copy.h"
#include "runtime/base/device.h"

#include <string.h>

void rows_start(struct rows *rows, int addressed) {
  rows->addressed = addressed;
  rows->count = rows->rank = rows->made_count = 0;
}

bool rows_add(struct rows *rows, const strew_tensor *index, struct index_limits limits, const char *name) {
  if (!broadcast_sizes(&rows->rank, rows->sizes, index->rank, index->sizes)) return false;
  struct component *component = &rows->at[rows->count++];
  component->index = *index;
  component->addressing = (struct addressing)ADDRESSING(&component->index, &component->index, limits);
  component->addressing.name = name;
  return true;
}

void rows_release(struct rows *rows) {
  for (int i = 0; i < rows->made_count; i++) strew_release(rows->made[i]);
}

strew_status rows_shape(const struct call *call, const struct rows *rows, const strew_tensor *self,
                        struct shape1 *shape) {
  const int inner = self->rank - rows->addressed, lead = rows->rank ? rows->rank : 1;
  if (lead + inner > MAX_RANK)
    return fail(call, (struct fault){.code = STREW_ESHAPE, .argument = "self"},
                "has %d dimensions beside the %d that are addressed: the result would have more than %d", inner,
                rows->addressed, MAX_RANK);
  shape->rank = rows->rank + inner;
  memcpy(shape->sizes, rows->sizes, (size_t)rows->rank * sizeof *shape->sizes);
  memcpy(shape->sizes + rows->rank, self->sizes + rows->addressed, (size_t)inner * sizeof *shape->sizes);
  return check_sizes(call, self->dtype, shape->rank, shape->sizes);
}

/* The view of a tensor, broadcast to a shape, whose first `lead` dimensions are one. False if strides do not allow it. */
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

/* The same of a copy, if strides do not allow a view: *made, which the caller releases. */
static strew_status merged(const struct call *call, const strew_tensor *tensor, const struct shape1 *shape, int lead,
                           strew_tensor *out, strew_tensor **made) {
  if (merge_leading(tensor, shape->rank, shape->sizes, lead, out)) return STREW_OK;
  strew_tensor wide;
  tensor_broadcast(&wide, tensor, shape);
  strew_status status = copy_as(call, &wide, tensor->dtype, made);
  if (status == STREW_OK) merge_leading(*made, shape->rank, shape->sizes, lead, out);
  return status;
}

strew_status flatten(const struct call *call, const strew_tensor *tensor, strew_tensor *out, strew_tensor **made) {
  struct shape1 shape = {.rank = tensor->rank};
  memcpy(shape.sizes, tensor->sizes, (size_t)tensor->rank * sizeof *shape.sizes);
  return merged(call, tensor, &shape, shape.rank, out, made);
}

/* --------------------------------------------------------------------------------------------------- components */

/* The positions of a mask's true elements in row-major order, int64[count]. Memory that a host may change is copied,
   because devices read it twice. */
static strew_status true_positions(const struct call *call, const strew_tensor *mask, strew_tensor **out) {
  strew_device *device = mask->storage->device;
  strew_tensor flat, *dense = NULL;
  struct plan plan;
  int64_t count = 0;
  strew_status status = STREW_OK;
  if (mask->storage->wrapped) status = copy_as(call, mask, STREW_BOOL, &dense);
  if (status == STREW_OK && dense)
    merge_leading(dense, dense->rank, dense->sizes, dense->rank, &flat);
  else if (status == STREW_OK)
    status = flatten(call, mask, &flat, &dense);
  if (status != STREW_OK) return status;
  plan_start(&plan, flat.rank, flat.sizes);
  plan_add(&plan, &flat);
  if (flat.sizes[0]) status = device->ops->nonzero(call, device, &plan, NULL, &count);
  if (status == STREW_OK) status = tensor_create(call, device, STREW_INT64, 1, &count, out);
  if (status == STREW_OK && count) {
    struct operand written = {.storage = (*out)->storage, .dtype = STREW_INT64, .strides = {1, 1}};
    status = device->ops->nonzero(call, device, &plan, &written, &count);
    if (status != STREW_OK) strew_release(*out), *out = NULL;
  }
  strew_release(dense);
  return status;
}

strew_status rows_mask(const struct call *call, struct rows *rows, const strew_tensor *mask, strew_tensor **out) {
  strew_status status = true_positions(call, mask, out);
  if (status == STREW_OK) rows->made[rows->made_count++] = *out;
  return status;
}

strew_status rows_numbers(const struct call *call, struct rows *rows, strew_device *device, int64_t count,
                          strew_tensor **out) {
  strew_status status = tensor_create(call, device, STREW_INT64, 1, &count, out);
  if (status != STREW_OK) return status;
  rows->made[rows->made_count++] = *out;
  struct ramp_plan ramp = {.out = {.storage = (*out)->storage, .dtype = STREW_INT64, .strides = {1}},
                           .count = count,
                           .start = strew_int(0),
                           .step = strew_int(1)};
  return count ? device->ops->ramp(call, device, &ramp) : STREW_OK;
}

/* Makes row-major positions of all components, int64 of the rows' shape; checks their values. */
static strew_status join(const struct call *call, struct rows *rows, strew_tensor **out) {
  enum { AT_ONCE = MAX_OPERANDS - 1 };
  strew_device *device = rows->at[0].index.storage->device;
  strew_status status = tensor_create(call, device, STREW_INT64, rows->rank, rows->sizes, out);
  bool bad = false;
  for (int first = 0; first < rows->count && status == STREW_OK && !bad; first += AT_ONCE) {
    struct join_plan join = {.mode = rows->at[0].addressing.limits.mode, .continues = first > 0};
    plan_start(&join.plan, rows->rank, rows->sizes);
    plan_add(&join.plan, *out);
    for (int i = first; i < rows->count && i < first + AT_ONCE; i++) {
      join.sizes[i - first] = rows->at[i].addressing.limits.size;
      plan_add(&join.plan, &rows->at[i].index);
    }
    plan_simplify(&join.plan);
    status = device->ops->index_join(call, device, &join, &bad);
  }
  for (int i = 0; i < rows->count && status == STREW_OK && bad; i++)
    status = addressing_check(call, &rows->at[i].addressing);
  if (status == STREW_OK && bad)
    status = fail(call, (struct fault){.code = STREW_EINDEX, .argument = rows->at[0].addressing.name},
                  "has changed while it was read");
  if (status != STREW_OK) strew_release(*out), *out = NULL;
  return status;
}

/* One position of row 0. */
static strew_status zero_positions(const struct call *call, strew_device *device, strew_tensor **out) {
  const int64_t one = 1;
  strew_status status = tensor_create(call, device, STREW_INT64, 1, &one, out);
  if (status == STREW_OK) status = fill_tensor(call, *out, (union element){.i64 = 0});
  if (status != STREW_OK) strew_release(*out), *out = NULL;
  return status;
}

static strew_status check_clips(const struct call *call, const struct rows *rows) {
  strew_status status = STREW_OK;
  for (int i = 0; i < rows->count && status == STREW_OK; i++) status = check_clip(call, &rows->at[i].addressing.limits);
  return status;
}

/* How rows are addressed: by the only component, or by positions made of all (*made, which the caller releases), which
   are in range. `index` has the rows' shape, which is not empty. `flat`: it must have a view of one dimension. */
static strew_status address(const struct call *call, struct rows *rows, const strew_tensor *self, bool flat,
                            strew_tensor *index, struct addressing *addressing, strew_tensor **made) {
  const struct component *first = &rows->at[0];
  const int64_t length = count_of_sizes(rows->addressed, self->sizes);
  strew_tensor line;
  strew_status status = check_clips(call, rows);
  if (status != STREW_OK) return status;
  if (rows->count == 1 && (!flat || merge_leading(&first->index, rows->rank, rows->sizes, rows->rank, &line))) {
    struct shape1 shape = {.rank = rows->rank};
    memcpy(shape.sizes, rows->sizes, (size_t)rows->rank * sizeof *shape.sizes);
    tensor_broadcast(index, &first->index, &shape);
    *addressing = first->addressing;
    return STREW_OK;
  }
  status = rows->count ? join(call, rows, made) : zero_positions(call, self->storage->device, made);
  if (status != STREW_OK) return status;
  const bool drops = rows->count && first->addressing.limits.mode == STREW_DROP;
  *index = **made;
  index->rank = rows->rank;
  for (int d = 0; d < rows->rank && !rows->count; d++) index->sizes[d] = rows->sizes[d], index->strides[d] = 0;
  *addressing =
      (struct addressing)ADDRESSING(index, index, {length, 0, "self", drops ? STREW_DROP : STREW_ERROR, false});
  addressing->checked = true;
  return STREW_OK;
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

strew_status rows_gather(const struct call *call, struct rows *rows, strew_tensor *self, strew_tensor **out) {
  struct shape1 shape, whole = {.rank = self->rank};
  strew_tensor lines, index, *dense = NULL, *made = NULL;
  struct addressing addressing;
  bool is_new;
  memcpy(whole.sizes, self->sizes, (size_t)self->rank * sizeof *whole.sizes);
  strew_status status = rows_shape(call, rows, self, &shape);
  if (status == STREW_OK && is_empty(rows))
    return out_prepare(call, self->storage->device, self->dtype, shape.rank, shape.sizes, out, &is_new);
  if (status == STREW_OK) status = merged(call, self, &whole, rows->addressed, &lines, &dense);
  if (status == STREW_OK) status = address(call, rows, self, false, &index, &addressing, &made);
  if (status == STREW_OK) {
    add_inner(&index, self, rows->addressed);
    spread_rows(&lines, rows->rank ? rows->rank : 1);
    addressing.index = &index;
    status = gather_call(call, &addressing, &lines, shape.rank, shape.sizes, out);
  }
  strew_release(dense);
  strew_release(made);
  return status;
}

/* ------------------------------------------------------------------------------------------------------ writing */

/* Scatters into the rows of *out, of a new tensor, or of a copy that is then moved to *out. */
static strew_status scatter_rows(const struct call *call, int addressed, strew_tensor *self, struct scatter_job *job,
                                 strew_tensor **out) {
  strew_tensor from, to, *target = *out, *made = NULL;
  bool direct = merge_leading(self, self->rank, self->sizes, addressed, &from);
  if (target) direct = direct && merge_leading(target, target->rank, target->sizes, addressed, &to);
  strew_status status = STREW_OK;
  if (!direct)
    status = copy_as(call, self, self->dtype, &made);
  else if (!target)
    status = tensor_create(call, self->storage->device, self->dtype, self->rank, self->sizes, &made);
  if (status != STREW_OK) return status;
  if (made) merge_leading(made, made->rank, made->sizes, addressed, &to);
  job->self = &to;
  job->start = !direct || target == self ? &to : &from;
  job->disposable = job->disposable || made;
  status = scatter_run(call, job);
  if (status == STREW_OK && made && target) status = copy_tensor(call, target, made);
  if (status == STREW_OK && !target) return *out = made, STREW_OK;
  strew_release(made);
  return status;
}

/* Nothing is scattered. */
static strew_status copy_self(const struct call *call, strew_tensor *self, strew_tensor **out) {
  if (!*out) return copy_as(call, self, self->dtype, out);
  return *out == self ? STREW_OK : copy_tensor(call, *out, self);
}

strew_status rows_scatter(const struct call *call, struct rows *rows, strew_tensor *self, struct scatter_job *job,
                          const struct shape1 *shape, int lead, strew_tensor **out) {
  strew_tensor source, index, line, *dense = NULL, *made = NULL;
  struct addressing addressing;
  if (is_empty(rows)) return copy_self(call, self, out);
  strew_status status = address(call, rows, self, true, &index, &addressing, &made);
  if (status == STREW_OK) {
    merge_leading(&index, rows->rank, rows->sizes, rows->rank, &line);
    add_inner(&line, self, rows->addressed);
    addressing.index = &line;
    job->addressing = &addressing;
  }
  if (status == STREW_OK && strew_tensor_numel(&line) == 0) {
    status = addressing_check(call, &addressing);
    if (status == STREW_OK) status = copy_self(call, self, out);
  } else if (status == STREW_OK) {
    if (job->src) status = merged(call, job->src, shape, lead, &source, &dense);
    if (job->src) job->src = &source;
    if (status == STREW_OK) status = scatter_rows(call, rows->addressed, self, job, out);
  }
  strew_release(dense);
  strew_release(made);
  return status;
}
