/* from_ids.c: groupings of ids, which are copied first: a copy is checked, which nobody else can change (others may write to
   memory that a file is mapped to). */
#include "groups.h"
#include "runtime/base/copy.h"

static strew_status check_ids(const struct call *call, const strew_tensor *index, int64_t dim_size, strew_mode mode) {
  struct fault fault = {.code = STREW_ESHAPE, .argument = "index", .hint = "strew_flatten(index)"};
  strew_status status = check_words(call, STREW_ASSIGN, mode);
  if (status == STREW_OK && strew_tensor_numel(index)) status = check_index_dtype(call, index, "index");
  if (status != STREW_OK) return status;
  if (index->rank > 1) return fail(call, fault, "has %d dimensions, expected 1", index->rank);
  return check_dim_size(call, dim_size);
}

/* A new dense int64 tensor of the values, 1-D. */
static strew_status copy_ids(const struct call *call, const strew_tensor *index, strew_tensor **out) {
  const struct shape1 shape = shape_at_least_1d(index);
  strew_tensor *copy = NULL;
  strew_status status = tensor_create(call, index->storage->device, STREW_INT64, 1, shape.sizes, &copy);
  if (status == STREW_OK && shape.sizes[0]) status = copy_tensor(call, copy, index);
  if (status != STREW_OK) return strew_release(copy), status;
  return *out = copy, STREW_OK;
}

/* Checks the copied ids, and writes the values that the mode makes of them. *drops: some are -1. */
static strew_status settle_ids(const struct call *call, strew_tensor *ids, int64_t size, strew_mode mode, bool *drops) {
  struct addressing addressing = ADDRESSING(ids, ids, {size, 0, "the grouping", mode, false});
  struct index_range range = {0, 0};
  if (!strew_tensor_numel(ids)) return STREW_OK;
  strew_status status = addressing_check(call, &addressing);
  if (status == STREW_OK && mode != STREW_ERROR) status = groups_apply_mode(call, ids, mode, size, &ids);
  if (status == STREW_OK && mode == STREW_DROP) status = find_index_range(call, ids, &range);
  *drops = range.lowest < 0;
  return status;
}

static strew_status group_ids(const struct call *call, strew_tensor *index, int64_t dim_size, strew_mode mode,
                              strew_grouping **out) {
  int64_t size = dim_size;
  bool drops = false;
  strew_tensor *ids = NULL;
  strew_status status = check_ids(call, index, dim_size, mode);
  TRY(status, copy_ids(call, index, &ids));
  if (status == STREW_OK && dim_size < 0) status = find_index_size(call, ids, &size);
  TRY(status, settle_ids(call, ids, size, mode, &drops));
  if (status != STREW_OK) return strew_release(ids), status;
  status = grouping_create(call, ids, size, drops, 0, out);
  if (status == STREW_OK) grouping_complete(*out);
  return status;
}

strew_status strew_grouping_create(strew_tensor *index, int64_t dim_size, strew_mode mode, strew_grouping **out,
                                   strew_error *error) {
  strew_error inner = {.alias = alias_of(error, "grouping")};
  CALL(call, "grouping", &inner, {"index", index});
  return report_inner(group_ids(&call, index, dim_size, mode, out), &inner, error);
}
