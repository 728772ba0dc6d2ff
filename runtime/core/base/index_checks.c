/* index_checks.c: the checks of index tensors, and their messages. */
#include "index_checks.h"
#include "device.h"
#include "elementwise_ops.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct shape1 shape_at_least_1d(const strew_tensor *tensor) {
  struct shape1 shape;
  shape.rank = tensor->rank ? tensor->rank : 1;
  shape.sizes[0] = 1;
  for (int d = 0; d < tensor->rank; d++) shape.sizes[d] = tensor->sizes[d];
  return shape;
}

void tensor_broadcast(strew_tensor *wide, const strew_tensor *tensor, const struct shape1 *shape) {
  struct plan plan;
  plan_start(&plan, shape->rank, shape->sizes);
  const struct operand *operand = plan_add(&plan, tensor);
  *wide = *tensor;
  wide->rank = shape->rank;
  memcpy(wide->sizes, shape->sizes, (size_t)shape->rank * sizeof *wide->sizes);
  memcpy(wide->strides, operand->strides, (size_t)shape->rank * sizeof *wide->strides);
}

strew_status check_words(const struct call *call, strew_reduction reduction, strew_mode mode) {
  if ((unsigned)reduction >= STREW_REDUCTION_COUNT)
    return fail_unknown(call, "reduce", (int)reduction, STREW_REDUCTION_COUNT - 1);
  if ((unsigned)mode >= STREW_MODE_COUNT) return fail_unknown(call, "mode", (int)mode, STREW_MODE_COUNT - 1);
  return STREW_OK;
}

/* The hint for a mask given as an index; NULL: it may be an index of two positions. */
static const char *hint_of_mask(const struct call *call) {
  static const char *const reads[] = {"gather", "gather_nd", "take", "take_along_dim"};
  for (size_t i = 0; i < sizeof reads / sizeof *reads; i++)
    if (strcmp(call->op, reads[i]) == 0) return "strew_get_rows(self, index) has the elements where a mask is true";
  if (strncmp(call->op, "index_", 6) == 0)
    return "strew_flatten(strew_nonzero(index)) has the positions where a mask is true";
  return NULL;
}

strew_status check_index_dtype(const struct call *call, const strew_tensor *index, const char *name) {
  if (dtype_category(index->dtype) == INTEGER) return STREW_OK;
  const char *hint = index->dtype == STREW_BOOL ? hint_of_mask(call) : NULL;
  if (!hint) hint = hint_of(call, "strew_to(%s, int64)", name);
  return fail(call, HINTED(STREW_EDTYPE, name, hint), "is %s, expected an integer dtype",
              strew_dtype_name(index->dtype));
}

/* Copies uint64 to int64; what that does not hold becomes its highest value. */
static strew_status copy_unsigned(const struct call *call, strew_tensor *to, const strew_tensor *from) {
  const union element most = {.i64 = INT64_MAX};
  const strew_dtype dtype = STREW_UINT64;
  struct elementwise_plan least;
  PLAN(&least.plan, to->rank, to->sizes, to, from);
  least.plan.operands[0].dtype = dtype; /* the same bits */
  least.count = 1;
  least.instructions[0] = (struct instruction){
      ELEMENTWISE_BINARY, STREW_MINIMUM, dtype, dtype, dtype, 2, .in = {{1, dtype}, {FROM_NUMBER, dtype, most}}};
  plan_simplify_any_order(&least.plan);
  if (!to->storage->device->ops->elementwise)
    return fail(call, FAULT(STREW_EDTYPE, "index"), "is uint64, expected another integer dtype in this build");
  return RUN_ON(to, elementwise->elementwise, call, &least);
}

void release_settled(strew_tensor **settled) { strew_release(*settled); }

strew_status settle_index(const struct call *call, strew_tensor **index, strew_tensor **settled) {
  strew_tensor *given = *index;
  if (!given || given->dtype == STREW_INT64 || given->dtype == STREW_INT32) return STREW_OK;
  if (dtype_category(given->dtype) != INTEGER || !strew_tensor_numel(given)) return STREW_OK;
  RETURN_IF_FAILED(operand_store(call, given));
  RETURN_IF_FAILED(tensor_create(call, given->storage->device, STREW_INT64, given->rank, given->sizes, settled));
  *index = *settled;
  return (given->dtype == STREW_UINT64 ? copy_unsigned : copy_tensor)(call, *settled, given);
}

/* Writes a hint that gives an index src's rank: a 1-D index lies along dim, others along src's first dimensions. */
static const char *hint_of_rank(const strew_tensor *index, const strew_tensor *src, int dim, char *text) {
  int trailing = src->rank - (index->rank == 1 ? dim + 1 : index->rank);
  const int more = index->rank && trailing > 0 ? trailing : 0;
  int length = snprintf(text, TEXT_BYTES, "strew_expand(");
  for (int i = 0; i < more; i++) length += snprintf(text + length, TEXT_BYTES - (size_t)length, "strew_unsqueeze(");
  length += snprintf(text + length, TEXT_BYTES - (size_t)length, "index");
  for (int i = 0; i < more; i++) length += snprintf(text + length, TEXT_BYTES - (size_t)length, ", -1)");
  snprintf(text + length, TEXT_BYTES - (size_t)length,
           ", sizes of src), or the group form strew_group_reduce(index, src, {.dim = %d})", dim);
  return text;
}

strew_status check_index_rank(const struct call *call, const strew_tensor *index, const strew_tensor *other,
                              const char *name, int dim, const char *hint) {
  int rank = index->rank ? index->rank : 1, expected = other->rank ? other->rank : 1;
  if (rank == expected) return STREW_OK;
  char text[TEXT_BYTES];
  if (rank < expected && !strcmp(name, "src")) hint = hint_of_rank(index, other, dim, text);
  return fail(call, HINTED(STREW_ESHAPE, "index", hint), "has %d dimension%s, %s has %d: ranks must be equal",
              index->rank, index->rank == 1 ? "" : "s", name, other->rank);
}

strew_status check_index_sizes(const struct call *call, const strew_tensor *index, const strew_tensor *other,
                               const char *name, int free_dim) {
  for (int d = 0; d < index->rank; d++) {
    int64_t size = index->sizes[d], most = other->rank ? other->sizes[d] : 1;
    if (d == free_dim || size <= most) continue;
    return fail(call, VALUED(STREW_ESHAPE, "index", strew_int(size)),
                "has size %" PRId64 " in dim %d, %s has %" PRId64 ": index must not be larger than %s there", size, d,
                name, most, name);
  }
  return STREW_OK;
}

void plan_index_values(struct plan *plan, const strew_tensor *index) {
  struct shape1 shape = shape_at_least_1d(index);
  struct plan whole;
  PLAN(&whole, shape.rank, shape.sizes, index);
  plan_operand_values(plan, &whole, 0);
  plan_simplify(plan);
}

strew_status find_outside(const struct call *call, const strew_tensor *index, int64_t lowest, int64_t highest,
                          int64_t *number) {
  struct plan values;
  *number = -1;
  if (!strew_tensor_numel(index)) return STREW_OK;
  plan_index_values(&values, index);
  return RUN_ON(index, index_check, call, &values, lowest, highest, number);
}

/* ------------------------------------------------------------------------------------------------ out of range */

/* Coordinates of distinct element number `number` of an index, in row-major order; repetitions have coordinate 0. */
static void coordinates(const strew_tensor *index, int64_t number, int64_t *position) {
  for (int d = index->rank - 1; d >= 0; d--) {
    int64_t size = index->strides[d] == 0 ? 1 : index->sizes[d];
    position[d] = number % size;
    number /= size;
  }
}

/* False for t[index] and t[index] = v. */
static bool takes_mode(const struct call *call) {
  return strcmp(call->op, "get_rows") != 0 && strcmp(call->op, "set_rows") != 0;
}

static const char *hint_for(const struct call *call, const struct addressing *addressing, const struct plan *values,
                            int64_t value) {
  const struct index_limits *limits = &addressing->limits;
  struct index_range range = {0, 0};
  if (value >= 0 && limits->size == 0 && !strcmp(limits->of, "the result"))
    return "dim_size 0 fits no index value: leave it out";
  if (value == limits->size && value > 0) {
    strew_status status = RUN_ON(addressing->given, index_range, call, values, &range);
    if (status == STREW_OK && range.lowest == 1 && range.highest == limits->size)
      return hint_of(call, "all values lie in 1..%" PRId64 ": were they counted from 1? %s - 1 counts from 0",
                     limits->size, addressing->name);
    return hint_of(call, "was it counted from 1? %s - 1 counts from 0", addressing->name);
  }
  if (value >= 0 || limits->mode != STREW_ERROR) return NULL;
  const bool can_wrap = value >= -limits->size;
  if (!takes_mode(call) && can_wrap)
    return hint_of(call, "%s %% %" PRId64 " counts negative values from the end", addressing->name, limits->size);
  if (!takes_mode(call)) return NULL;
  return can_wrap ? "mode = STREW_WRAP counts negative values from the end, STREW_DROP skips them, as padding"
                  : "mode = STREW_DROP skips negative values, as padding";
}

strew_status index_value(const struct call *call, const strew_tensor *index, int64_t number, int64_t *position,
                         strew_scalar *value) {
  coordinates(index, number, position);
  return strew_get(index, index->rank, position, value, call->error);
}

/* Writes "dim 1 of self" or "the elements of self" to text (TEXT_BYTES) and returns it. */
static const char *text_of_limits(const struct index_limits *limits, char *text) {
  if (limits->all_elements)
    snprintf(text, TEXT_BYTES, "the elements of %s", limits->of);
  else
    snprintf(text, TEXT_BYTES, "dim %d of %s", limits->dim, limits->of);
  return text;
}

strew_status given_value(const struct call *call, const char *name, int rank, const int64_t *position,
                         strew_scalar *value) {
  for (int i = 0; i < MAX_OPERANDS && call->operands[i].name && value->as.i == INT64_MAX; i++) {
    const strew_tensor *tensor = call->operands[i].tensor;
    if (tensor && tensor->dtype == STREW_UINT64 && tensor->rank == rank && !strcmp(call->operands[i].name, name))
      return strew_get(tensor, rank, position, value, call->error);
  }
  return STREW_OK;
}

static strew_status fail_out_of_range(const struct call *call, const struct addressing *addressing,
                                      const struct plan *values, int64_t number) {
  const struct index_limits *limits = &addressing->limits;
  const strew_tensor *index = addressing->given;
  int64_t position[MAX_RANK];
  strew_scalar value;
  char at[TEXT_BYTES], of[TEXT_BYTES], number_text[TEXT_BYTES], valid[TEXT_BYTES] = "nothing is valid";
  RETURN_IF_FAILED(index_value(call, index, number, position, &value));
  int64_t size = limits->size;
  if (size > 0)
    snprintf(valid, sizeof valid, "valid %" PRId64 "..%" PRId64, limits->mode == STREW_WRAP ? -size : (int64_t)0,
             size - 1);
  struct fault fault = {.code = STREW_EINDEX,
                        .argument = addressing->name,
                        .value = &value,
                        .position = position,
                        .position_rank = index->rank};
  if (addressing->coordinate >= 0) position[fault.position_rank++] = addressing->coordinate;
  fault.hint = hint_for(call, addressing, values, value.as.i);
  RETURN_IF_FAILED(given_value(call, addressing->name, fault.position_rank, position, &value));
  return fail(call, fault, "has value %s at %s, out of range for %s (size %" PRId64 ", %s)",
              text_of_scalar(value, number_text), text_of_sizes(fault.position_rank, position, at),
              text_of_limits(limits, of), size, valid);
}

bool addressing_needs_check(const struct addressing *addressing, int64_t *lowest) {
  const struct index_limits *limits = &addressing->limits;
  const int64_t known = addressing->index->storage->index_size;
  *lowest = limits->mode == STREW_WRAP ? -limits->size : 0;
  if (known && known <= limits->size) return false; /* the index is part of a grouping, which has checked it */
  return !addressing->checked && (limits->mode == STREW_ERROR || limits->mode == STREW_WRAP);
}

strew_status check_clip(const struct call *call, const struct index_limits *limits) {
  if (limits->mode != STREW_CLIP || limits->size > 0) return STREW_OK;
  struct fault fault = {.code = STREW_EINDEX, .argument = "mode"};
  if (limits->all_elements)
    return fail(call, fault, "is \"clip\", but %s has no elements: there is nothing to clip to", limits->of);
  return fail(call, fault, "is \"clip\", but dim %d of %s has size 0: there is nothing to clip to", limits->dim,
              limits->of);
}

strew_status addressing_check(const struct call *call, struct addressing *addressing) {
  const strew_tensor *index = addressing->given;
  const struct index_limits *limits = &addressing->limits;
  struct plan values;
  int64_t lowest, bad = -1;
  if (!addressing_needs_check(addressing, &lowest)) return check_clip(call, limits);
  plan_index_values(&values, index);
  strew_status status = RUN_ON(index, index_check, call, &values, lowest, limits->size - 1, &bad);
  addressing->checked = status == STREW_OK && bad < 0;
  if (status != STREW_OK || bad < 0) return status;
  return fail_out_of_range(call, addressing, &values, bad);
}
