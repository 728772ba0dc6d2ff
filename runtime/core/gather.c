/* gather.c: out[c] = self[c with c[dim] replaced by index[c]]. */
#include "runtime/core/base/device.h"
#include "runtime/core/base/steps.h"
#include "scatter.h"

strew_status check_gather_out(const struct call *call, const strew_tensor *out, const strew_tensor *self,
                              const char *name, const strew_tensor *index) {
  if (!out) return STREW_OK;
  strew_status status = check_overlap(call, out, "out", NULL, false);
  TRY(status, check_overlap(call, out, "self", self, false));
  return TRY(status, check_overlap(call, out, name, index, false));
}

static strew_status gather_into(const struct call *call, const strew_tensor *out, const strew_tensor *self,
                                struct addressing *addressing) {
  const struct index_limits *limits = &addressing->limits;
  struct shape1 shape = shape_at_least_1d(addressing->index);
  struct gather_plan plan; /* not zeroed first: plans are large */
  bool bad;
  plan.size = limits->size;
  plan.step = self->rank ? self->strides[limits->dim] : 0;
  plan.mode = limits->mode;
  plan.check = addressing_needs_check(addressing, &plan.lowest);
  plan_start(&plan.plan, shape.rank, shape.sizes);
  plan_add(&plan.plan, out);
  plan_add(&plan.plan, addressing->index);
  /* nothing is read from a dimension of size 0: such a self, which may have no memory, is replaced */
  plan_add(&plan.plan, limits->size ? self : out)->strides[limits->dim] = 0;
  plan_simplify(&plan.plan);
  RETURN_IF_FAILED(RUN_ON(out, gather, call, &plan, &bad));
  return bad ? addressing_check(call, addressing) : STREW_OK;
}

/* Of text and times: dropped positions give 0, and that is the key of the missing element. */
static strew_status gather_keys(const struct call *call, struct addressing *addressing, const strew_tensor *self,
                                int rank, const int64_t *sizes, strew_tensor **out) {
  STEPS(steps, call);
  strew_tensor *keys = step_key(&steps, (strew_tensor *)(uintptr_t)self, KEY_MISSING);
  STEP_INTO(&steps, made, gather_call(call, addressing, keys, rank, sizes, made));
  return steps_give_key(&steps, "out", *made, self->dtype, KEY_MISSING, out);
}

strew_status gather_call(const struct call *call, struct addressing *addressing, const strew_tensor *self, int rank,
                         const int64_t *sizes, strew_tensor **out) {
  const bool empty = strew_tensor_numel(addressing->index) == 0;
  if (addressing->limits.mode == STREW_DROP && !empty && !dtype_is_number(self->dtype))
    return gather_keys(call, addressing, self, rank, sizes, out);
  bool made = !*out; /* then the device checks values while it fills the result */
  strew_status status = STREW_OK;
  if (strew_tensor_numel(addressing->given))
    status = made && !empty ? check_clip(call, &addressing->limits) : addressing_check(call, addressing);
  TRY(status, out_prepare(call, self->storage->device, self->dtype, rank, sizes, out, &made));
  if (status != STREW_OK || empty) return status;
  status = gather_into(call, *out, self, addressing);
  return made ? release_if_failed(status, out) : status;
}

strew_status strew_gather_with(strew_tensor *self, int dim, strew_tensor *index, const strew_index_options *options,
                               strew_tensor **out, strew_error *error) {
  CALL(call, "gather", error, {"self", self, MOVED}, {"index", index}, {"out", *out, MOVED});
  OPTIONS(strew_index_options);
  INDEX(&call, index);
  bool empty = strew_tensor_numel(index) == 0;
  const char *hint =
      self->rank <= 1 ? "strew_take_with(self, index) reads one dimension at an index of any shape" : NULL;
  RETURN_IF_FAILED(check_words(&call, STREW_ASSIGN, options->mode));
  RETURN_IF_FAILED(check_devices(&call));
  RETURN_IF_FAILED(check_dim(&call, self->rank, &dim));
  if (!empty) RETURN_IF_FAILED(check_index_dtype(&call, index, "index"));
  if (!empty) RETURN_IF_FAILED(check_index_rank(&call, index, self, "self", dim, hint));
  if (!empty) RETURN_IF_FAILED(check_index_sizes(&call, index, self, "self", dim));
  RETURN_IF_FAILED(check_gather_out(&call, *out, self, "index", index));
  int64_t size = self->rank ? self->sizes[dim] : 1;
  struct addressing addressing = ADDRESSING(index, index, {size, dim, "self", options->mode, false});
  return gather_call(&call, &addressing, self, index->rank, index->sizes, out);
}
