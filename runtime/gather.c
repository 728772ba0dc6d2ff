/* gather.c: out[c] = self[c with c[dim] replaced by index[c]]. */
#include "index.h"

strew_status strew_gather(strew_tensor *self, int dim, strew_tensor *index, strew_mode mode, strew_tensor **out,
                          strew_error *error) {
  struct call call = CALL("gather", error, {"self", self}, {"index", index});
  bool made, empty = strew_tensor_numel(index) == 0;
  strew_device *device = self->storage->device;
  strew_status status = check_words(&call, STREW_ASSIGN, mode);
  if (status == STREW_OK) status = check_devices(&call);
  if (status == STREW_OK) status = check_dim(&call, self->rank, &dim);
  if (status != STREW_OK) return status;
  if (!empty) status = check_index_dtype(&call, index);
  if (status == STREW_OK && !empty) status = check_index_rank(&call, index, self, "self");
  if (status == STREW_OK && !empty) status = check_index_sizes(&call, index, self, "self", dim);
  int64_t size = self->rank ? self->sizes[dim] : 1;
  struct index_limits limits = {size, dim, "self", mode};
  if (status == STREW_OK && !empty) status = check_index_values(&call, index, &limits);
  if (status == STREW_OK) status = out_prepare(&call, device, self->dtype, index->rank, index->sizes, out, &made);
  if (status != STREW_OK || (made && empty)) return status;
  if (!made) {
    status = check_overlap(&call, *out, "out", NULL, false);
    if (status == STREW_OK) status = check_overlap(&call, *out, "self", self, false);
    if (status == STREW_OK) status = check_overlap(&call, *out, "index", index, false);
    if (status != STREW_OK || empty) return status;
  }
  struct shape1 shape = shape_at_least_1d(index);
  struct gather_plan plan = {.size = size, .step = self->rank ? self->strides[dim] : 0, .mode = mode};
  plan_start(&plan.plan, shape.rank, shape.sizes);
  plan_add(&plan.plan, *out);
  plan_add(&plan.plan, index);
  plan_add(&plan.plan, self)->strides[dim] = 0;
  plan_simplify(&plan.plan);
  status = device->ops->gather(&call, device, &plan);
  if (status != STREW_OK && made) strew_release(*out), *out = NULL;
  return status;
}
