/* index_put.c: calls that write and read rows: at several indices (index_put), at one (get_rows, set_rows), at
   row-major positions (take, put), at coordinates (scatter_nd, gather_nd), at a mask's true elements, at one row
   (set_row), and at lines along a dimension (index_add). */
#include "indexed_rows.h"

#include "runtime/core/base/device.h"

#include <inttypes.h>
#include <string.h>

static strew_status check_rows_index(const struct call *call, const strew_tensor *index, const char *name) {
  return strew_tensor_numel(index) ? check_index_dtype(call, index, name) : STREW_OK;
}

static struct shape1 shape_of(const strew_tensor *tensor) {
  struct shape1 shape = {.rank = tensor->rank};
  memcpy(shape.sizes, tensor->sizes, (size_t)tensor->rank * sizeof *shape.sizes);
  return shape;
}

/* Fails unless a source broadcasts to the shape; `exact`: unless it has it. */
static strew_status check_shape(const struct call *call, const char *name, const strew_tensor *source,
                                const struct shape1 *shape, bool exact) {
  struct shape1 both = shape_of(source);
  char is[TEXT_BYTES], expected[TEXT_BYTES];
  const bool fits = source->rank <= shape->rank && (!exact || source->rank == shape->rank) &&
                    (exact || broadcast_sizes(&both.rank, both.sizes, shape->rank, shape->sizes)) &&
                    memcmp(both.sizes, shape->sizes, (size_t)shape->rank * sizeof *both.sizes) == 0;
  if (fits) return STREW_OK;
  return fail(call, FAULT(STREW_ESHAPE, name),
              exact ? "has shape %s, expected %s" : "has shape %s, which does not broadcast to %s",
              text_of_sizes(source->rank, source->sizes, is), text_of_sizes(shape->rank, shape->sizes, expected));
}

/* The checks that all writing calls begin with. */
static strew_status write_start(const struct call *call, const strew_tensor *self, const strew_scatter_options *options,
                                const char *name, strew_operand source, struct scatter_job *job) {
  *job = scatter_job_of(NULL, options);
  strew_status status = check_options(call, options);
  TRY(status, check_words(call, options->reduction, options->mode));
  TRY(status, check_devices(call));
  TRY(status, check_mean(call, options->reduction, self->dtype));
  return TRY(status, check_scatter_source(call, self, name, source, job));
}

/* ------------------------------------------------------------------------------------------ index_put, get_rows */

static const char *const entry_names[MAX_RANK] = ENTRIES("indices");

/* The arguments of index_put; their names in messages. */
struct put {
  const char *const *names;
  const char *values_name;
  strew_tensor *self;
  int count;
  strew_tensor *const *indices;
  strew_tensor *values, *other; /* or NULL; a given result that is not self */
};

/* Lists the operands of messages: self, the entries, values, the result; of entries beyond the room the one `shown`. */
static void show_entry(struct call *call, const struct put *put, int shown) {
  const int room = MAX_OPERANDS - 1 - (put->values != NULL) - (put->other != NULL);
  int n = 1;
  for (int i = 0; i < put->count && i < room; i++, n++) {
    const int entry = i == room - 1 && shown > i ? shown : i;
    call->operands[n].name = put->names[entry];
    call->operands[n].tensor = put->indices[entry];
  }
  if (put->values) call->operands[n].name = put->values_name, call->operands[n++].tensor = put->values;
  if (put->other) call->operands[n].name = "out", call->operands[n].tensor = put->other;
}

/* Returns how many dimensions an entry addresses. */
static int dims_of(const strew_tensor *index) { return index->dtype == STREW_BOOL ? index->rank : 1; }

static strew_status check_mask(const struct call *call, const strew_tensor *self, int dim, const strew_tensor *mask,
                               const char *name) {
  struct shape1 expected = {.rank = mask->rank};
  memcpy(expected.sizes, self->sizes + dim, (size_t)mask->rank * sizeof *expected.sizes);
  return check_shape(call, name, mask, &expected, true);
}

static strew_status check_entries(struct call *call, const struct put *put) {
  const strew_tensor *self = put->self;
  struct fault fault = {.code = STREW_EARGUMENT, .argument = "indices"};
  if (put->count < 1) return fail(call, fault, "is empty, expected a sequence of tensors");
  fault.code = STREW_ESHAPE;
  for (int i = 0, dim = 0; i < put->count; i++) {
    const strew_tensor *index = put->indices[i];
    RETURN_IF_FAILED(check_listed(call, "indices", i, index, 0));
    if (i < MAX_RANK) show_entry(call, put, i);
    if (dim + dims_of(index) > self->rank || i == MAX_RANK)
      return fail(call, fault, "address more than the %d dimension%s of self", self->rank, self->rank == 1 ? "" : "s");
    RETURN_IF_FAILED(check_devices(call));
    RETURN_IF_FAILED(index->dtype == STREW_BOOL ? check_mask(call, self, dim, index, put->names[i])
                                                : check_rows_index(call, index, put->names[i]));
    dim += dims_of(index);
  }
  return STREW_OK;
}

/* Makes the components of checked entries. */
static strew_status add_entries(struct steps *steps, struct call *call, const struct put *put, strew_mode mode,
                                struct rows *rows) {
  char is[TEXT_BYTES], others[TEXT_BYTES];
  for (int i = 0; i < put->count; i++) {
    strew_tensor *index = put->indices[i], **settled = steps_place(steps);
    const int64_t size = count_of_sizes(dims_of(index), put->self->sizes + rows->addressed);
    const struct index_limits limits = {size, rows->addressed, "self", mode, false};
    show_entry(call, put, i);
    STEP(steps, settle_index(call, &index, settled));
    if (index->dtype == STREW_BOOL) index = rows_mask(steps, index);
    if (!index || steps->status != STREW_OK) return steps->status;
    text_of_sizes(rows->rank, rows->sizes, others);
    if (!rows_add(rows, index, limits, put->names[i]))
      return fail(call, FAULT(STREW_ESHAPE, put->names[i]),
                  "has shape %s, which does not broadcast with %s, that of the others",
                  text_of_sizes(index->rank, index->sizes, is), others);
    rows->addressed += dims_of(put->indices[i]);
  }
  return STREW_OK;
}

static strew_status check_put_target(const struct call *call, const struct put *put, strew_tensor *target) {
  strew_status status = check_scatter_target(call, put->self, target);
  TRY(status, check_scatter_overlap(call, target, put->values_name, put->values));
  for (int i = 0; i < put->count && status == STREW_OK; i++)
    status = check_scatter_overlap(call, target, put->names[i], put->indices[i]);
  return status;
}

static strew_status put_rows(struct call *call, const struct put *put, strew_operand values,
                             const strew_scatter_options *options, strew_tensor **out) {
  struct scatter_job job;
  struct shape1 shape;
  struct rows rows;
  STEPS(steps, call);
  rows_start(&rows, 0);
  STEP(&steps, check_entries(call, put));
  STEP(&steps, operand_settle(call, put->values_name, put->self->dtype, &values));
  STEP(&steps, write_start(call, put->self, options, put->values_name, values, &job));
  STEP(&steps, add_entries(&steps, call, put, options->mode, &rows));
  STEP(&steps, rows_shape(call, &rows, put->self, &shape));
  if (values.tensor) STEP(&steps, check_shape(call, put->values_name, values.tensor, &shape, false));
  STEP(&steps, check_put_target(call, put, *out));
  rows_scatter(&steps, &rows, put->self, &job, &shape, rows.rank, out);
  return steps_status(&steps);
}

strew_status strew_index_put(strew_tensor *self, int count, strew_tensor *const *indices, strew_operand values,
                             const strew_scatter_options *options, strew_tensor **out, strew_error *error) {
  if (!options) options = &scatter_defaults;
  TAKE_WORD(word, "index_put", error, self->dtype == STREW_TEXT, self, values);
  CALL(call, "index_put", error, {"self", self, MOVED}, {"values", values.tensor, word ? MOVED | UNSEEN : MOVED});
  const struct put put = {entry_names, "values", self, count, indices, values.tensor, *out == self ? NULL : *out};
  return put_rows(&call, &put, values, options, out);
}

static const char *const index_name[] = {"index"}, *const mask_name[] = {"mask"};

strew_status strew_get_rows(strew_tensor *self, strew_tensor *index, strew_tensor **out, strew_error *error) {
  CALL_STEPS(call, steps, "get_rows", error, {"self", self, MOVED});
  const char *const *names = index->dtype == STREW_BOOL ? mask_name : index_name;
  const struct put put = {names, "values", self, 1, &index, NULL, *out};
  struct rows rows;
  rows_start(&rows, 0);
  STEP(&steps, check_entries(&call, &put));
  STEP(&steps, check_gather_out(&call, *out, self, *names, index));
  if (index->dtype == STREW_BOOL && rows_compress(&steps, index, self, out)) return steps_status(&steps);
  STEP(&steps, add_entries(&steps, &call, &put, STREW_ERROR, &rows));
  rows_gather(&steps, &rows, self, out);
  return steps_status(&steps);
}

const struct row_ops row_ops = {strew_get_rows};

strew_status strew_index_get(strew_tensor *self, int count, strew_tensor *const *indices,
                             const strew_index_options *options, strew_tensor **out, strew_error *error) {
  static const strew_index_options zeros;
  if (!options) options = &zeros;
  CALL_STEPS(call, steps, "index_get", error, {"self", self, MOVED});
  const struct put put = {entry_names, "values", self, count, indices, NULL, *out};
  struct rows rows;
  rows_start(&rows, 0);
  STEP(&steps, check_options(&call, options));
  STEP(&steps, check_words(&call, STREW_ASSIGN, options->mode));
  STEP(&steps, check_entries(&call, &put));
  STEP(&steps, add_entries(&steps, &call, &put, options->mode, &rows));
  for (int i = 0; i < count && steps.status == STREW_OK; i++)
    STEP(&steps, check_gather_out(&call, *out, self, entry_names[i], indices[i]));
  rows_gather(&steps, &rows, self, out);
  return steps_status(&steps);
}

/* True if the value is a number that masked_fill converts as put_rows does, and the index a stored mask of self's leading
   dimensions. */
static bool is_filled(const strew_tensor *self, const strew_tensor *index, strew_operand value) {
  const strew_dtype dtype = self->dtype, number = value.number.dtype;
  if (value.tensor || index->dtype != STREW_BOOL || index->rank > self->rank || !index->rank) return false;
  if (!index->storage || is_deferred(index) || !dtype_is_number(dtype) || dtype == STREW_BOOL) return false;
  if (dtype != dtype_wide(dtype)) return false;
  if (number != STREW_INT64 && !(number == STREW_FLOAT64 && dtype_is_float(dtype))) return false;
  return memcmp(index->sizes, self->sizes, (size_t)index->rank * sizeof *index->sizes) == 0;
}

strew_status strew_set_rows(strew_tensor *self, strew_tensor *index, strew_operand value, strew_error *error) {
  TAKE_WORD(word, "set_rows", error, self->dtype == STREW_TEXT, self, value);
  CALL_STEPS(call, steps, "set_rows", error, {"self", self, MOVED},
             {"value", value.tensor, word ? MOVED | UNSEEN : MOVED});
  if (is_filled(self, index, value)) { /* without positions; what is wrong with the arguments, put_rows reports */
    struct strew_tensor mask = *index; /* a view on the stack */
    for (; mask.rank < self->rank; mask.rank++) mask.sizes[mask.rank] = 1, mask.strides[mask.rank] = 0;
    const strew_status status = strew_masked_fill(self, &mask, value, &self, steps.error);
    if (status == STREW_OK) return status;
    if (is_stopped(status)) return STEP(&steps, status), steps_status(&steps);
  }
  const char *const *names = index->dtype == STREW_BOOL ? mask_name : index_name;
  const struct put put = {names, "value", self, 1, &index, value.tensor, NULL};
  return put_rows(&call, &put, value, &scatter_defaults, &self);
}

/* --------------------------------------------------------------------------------------------- row-major positions */

/* The only component: an index of all elements of self. */
static strew_status positions_start(const struct call *call, struct rows *rows, const strew_tensor *self,
                                    const strew_tensor *index, strew_mode mode) {
  const struct index_limits limits = {strew_tensor_numel(self), 0, "self", mode, true};
  strew_status status = check_rows_index(call, index, "index");
  rows_start(rows, self->rank);
  rows_add(rows, index, limits, "index");
  return status;
}

strew_status strew_take_with(strew_tensor *self, strew_tensor *index, const strew_index_options *options,
                             strew_tensor **out, strew_error *error) {
  CALL_STEPS(call, steps, "take", error, {"self", self, MOVED}, {"index", index}, {"out", *out, MOVED});
  OPTIONS(strew_index_options);
  INDEX(&call, index);
  struct rows rows;
  STEP(&steps, check_words(&call, STREW_ASSIGN, options->mode));
  STEP(&steps, check_devices(&call));
  STEP(&steps, positions_start(&call, &rows, self, index, options->mode));
  STEP(&steps, check_gather_out(&call, *out, self, "index", index));
  rows_gather(&steps, &rows, self, out);
  return steps_status(&steps);
}

strew_status strew_put(strew_tensor *self, strew_tensor *index, strew_tensor *source,
                       const strew_scatter_options *options, strew_tensor **out, strew_error *error) {
  if (!options) options = &scatter_defaults;
  CALL_STEPS(call, steps, "put", error, {"self", self, MOVED}, {"index", index}, {"source", source, MOVED}, OTHER_OUT);
  INDEX(&call, index);
  const int64_t numel = strew_tensor_numel(source), expected = strew_tensor_numel(index);
  const struct shape1 shape = shape_of(source);
  struct scatter_job job;
  struct rows rows;
  STEP(&steps, write_start(&call, self, options, "source", strew_of(source), &job));
  STEP(&steps, positions_start(&call, &rows, self, index, options->mode));
  if (steps.status == STREW_OK && numel != expected)
    return fail(&call, FAULT(STREW_ESHAPE, "source"),
                "has %" PRId64 " element%s, expected as many as index, which has %" PRId64, numel,
                numel == 1 ? "" : "s", expected);
  STEP(&steps, check_scatter_out(&call, self, *out, "source", source, "index", index));
  rows_scatter(&steps, &rows, self, &job, &shape, shape.rank, out);
  return steps_status(&steps);
}

/* -------------------------------------------------------------------------------------------------- coordinates */

/* Coordinates of elements or parts of a tensor, the argument `of`, beside `batches` leading dimensions. */
struct coordinates {
  const char *of;
  int batches;
  strew_mode mode;
};

/* Makes a component of each coordinate, that is, column of indices. */
static strew_status add_coordinates(const struct call *call, const struct coordinates *what, struct rows *rows,
                                    const strew_tensor *self, const strew_tensor *indices) {
  struct fault fault = {.code = STREW_ESHAPE, .argument = "indices"};
  const int last = indices->rank - 1, most = self->rank - what->batches;
  char is[TEXT_BYTES];
  if (last < 0) return fail(call, fault, "has no dimension, expected at least 1: the last one holds the coordinates");
  RETURN_IF_FAILED(check_rows_index(call, indices, "indices"));
  const int64_t count = indices->sizes[last];
  if (count > most)
    return fail(call, fault, "has shape %s: rows of %" PRId64 " coordinates, but %s%s has %d dimension%s",
                text_of_sizes(indices->rank, indices->sizes, is), count, what->batches ? "after batch_dims " : "",
                what->of, most, most == 1 ? "" : "s");
  strew_tensor column = *indices;
  column.rank = last;
  rows->addressed += (int)count;
  rows->rank = last;
  memcpy(rows->sizes, indices->sizes, (size_t)last * sizeof *rows->sizes);
  for (int k = 0; k < count; k++, column.offset += indices->strides[last]) {
    const int dim = what->batches + k;
    rows_add(rows, &column, (struct index_limits){self->sizes[dim], dim, what->of, what->mode, false}, "indices");
    rows->at[rows->count - 1].addressing.coordinate = k;
  }
  return STREW_OK;
}

static strew_status write_nd(const struct call *call, const char *of, strew_tensor *self, strew_tensor *indices,
                             strew_tensor *updates, const strew_scatter_options *options, bool disposable,
                             strew_tensor **out) {
  const struct coordinates what = {of, 0, options->mode};
  struct scatter_job job;
  struct shape1 shape;
  struct rows rows;
  rows_start(&rows, 0);
  INDEX(call, indices);
  STEPS(steps, call);
  STEP(&steps, write_start(call, self, options, "updates", strew_of(updates), &job));
  STEP(&steps, add_coordinates(call, &what, &rows, self, indices));
  STEP(&steps, rows_shape(call, &rows, self, &shape));
  STEP(&steps, check_shape(call, "updates", updates, &shape, true));
  STEP(&steps, check_scatter_out(call, self, *out, "updates", updates, "indices", indices));
  job.disposable = disposable;
  rows_scatter(&steps, &rows, self, &job, &shape, rows.rank, out);
  return steps_status(&steps);
}

strew_status strew_scatter_nd(strew_tensor *self, strew_tensor *indices, strew_tensor *updates,
                              const strew_scatter_options *options, strew_tensor **out, strew_error *error) {
  CALL(call, "scatter_nd", error, {"self", self, MOVED}, {"indices", indices}, {"updates", updates, MOVED}, OTHER_OUT);
  return write_nd(&call, "self", self, indices, updates, options ? options : &scatter_defaults, false, out);
}

strew_status strew_scatter_nd_new(int rank, const int64_t *sizes, strew_tensor *indices, strew_tensor *updates,
                                  const strew_scatter_options *options, strew_tensor **out, strew_error *error) {
  CALL_STEPS(call, steps, "scatter_nd", error, {"indices", indices}, {"updates", updates});
  strew_tensor *zeros = step_new(&steps, updates->storage->device, updates->dtype, rank, sizes);
  STEP(&steps, fill_tensor(&call, zeros, (union element){.i64 = 0}));
  if (!options) options = &scatter_defaults;
  STEP(&steps, write_nd(&call, "shape", zeros, indices, updates, options, true, &zeros));
  return steps_give(&steps, zeros, out);
}

/* The first component of indices with batches: the row-major number of the batch. */
static strew_status add_batches(struct steps *steps, struct rows *rows, const strew_tensor *self,
                                const strew_tensor *indices, int batches, strew_mode mode) {
  const int64_t count = count_of_sizes(batches, self->sizes);
  rows->addressed = batches;
  if (batches == 0) return STREW_OK;
  strew_tensor *numbers = step_count(steps, self->storage->device, count);
  if (!numbers) return steps->status;
  strew_tensor wide = *numbers;
  wide.rank = indices->rank - 1;
  for (int d = 0; d < wide.rank; d++) wide.sizes[d] = d < batches ? self->sizes[d] : 1;
  dense_strides(wide.rank, wide.sizes, wide.strides);
  rows_add(rows, &wide, (struct index_limits){count, 0, "self", mode, false}, "indices");
  return STREW_OK;
}

static strew_status check_batches(const struct call *call, const strew_tensor *self, const strew_tensor *indices,
                                  int batches) {
  const int most = self->rank < indices->rank - 1 ? self->rank : indices->rank - 1;
  if (batches < 0 || (batches > 0 && batches > most))
    return fail(call, VALUED(STREW_ESHAPE, "batch_dims", strew_int(batches)), "is %d, out of range (valid 0..%d)",
                batches, most > 0 ? most : 0);
  for (int d = 0; d < batches; d++)
    if (indices->sizes[d] != self->sizes[d])
      return fail(call, FAULT(STREW_ESHAPE, "indices"),
                  "has size %" PRId64 " in dim %d, self has %" PRId64 ": batch dimensions must be equal",
                  indices->sizes[d], d, self->sizes[d]);
  return STREW_OK;
}

strew_status strew_gather_nd_with(strew_tensor *self, strew_tensor *indices, int batch_dims,
                                  const strew_index_options *options, strew_tensor **out, strew_error *error) {
  CALL_STEPS(call, steps, "gather_nd", error, {"self", self, MOVED}, {"indices", indices}, {"out", *out, MOVED});
  OPTIONS(strew_index_options);
  INDEX(&call, indices);
  const struct coordinates what = {"self", batch_dims, options->mode};
  struct rows rows;
  rows_start(&rows, 0);
  STEP(&steps, check_words(&call, STREW_ASSIGN, options->mode));
  STEP(&steps, check_devices(&call));
  STEP(&steps, check_batches(&call, self, indices, batch_dims));
  STEP(&steps, add_batches(&steps, &rows, self, indices, batch_dims, options->mode));
  STEP(&steps, add_coordinates(&call, &what, &rows, self, indices));
  STEP(&steps, check_gather_out(&call, *out, self, "indices", indices));
  rows_gather(&steps, &rows, self, out);
  return steps_status(&steps);
}

/* -------------------------------------------------------------------------------------------------------- masks */

/* Checks a mask. *wide, *wide_mask: self and the mask, broadcast. `to`: the mask must broadcast to self's shape. */
static strew_status mask_shapes(struct steps *steps, const strew_tensor *self, const strew_tensor *mask, bool to,
                                strew_tensor *wide, strew_tensor *wide_mask) {
  struct shape1 shape = shape_of(self);
  char is[TEXT_BYTES], other[TEXT_BYTES];
  const struct call *call = steps->call;
  if (mask->dtype != STREW_BOOL)
    return fail(call, HINTED(STREW_EDTYPE, "mask", "strew_binary(STREW_NE, x, 0) makes a bool tensor"),
                "is %s, expected bool", strew_dtype_name(mask->dtype));
  const bool fits = broadcast_sizes(&shape.rank, shape.sizes, mask->rank, mask->sizes);
  const bool same = fits && shape.rank == self->rank &&
                    memcmp(shape.sizes, self->sizes, (size_t)self->rank * sizeof *shape.sizes) == 0;
  if (!fits || (to && !same))
    return fail(call, FAULT(STREW_ESHAPE, "mask"), "has shape %s, which does not broadcast %s self's %s",
                text_of_sizes(mask->rank, mask->sizes, is), to ? "to" : "with",
                text_of_sizes(self->rank, self->sizes, other));
  tensor_broadcast(wide, self, &shape);
  tensor_broadcast(wide_mask, mask, &shape);
  return check_sizes(call, self->dtype, shape.rank, shape.sizes);
}

/* Makes the component of a mask's true elements. */
static void mask_start(struct steps *steps, struct rows *rows, const strew_tensor *mask) {
  const strew_tensor *positions = steps->status == STREW_OK ? rows_mask(steps, mask) : NULL;
  rows_start(rows, mask->rank);
  if (!positions) return;
  rows_add(rows, positions,
           (struct index_limits){count_of_sizes(mask->rank, mask->sizes), 0, "self", STREW_ERROR, true}, "mask");
  rows->at[0].addressing.checked = true;
}

strew_status strew_masked_select(strew_tensor *self, strew_tensor *mask, strew_tensor **out, strew_error *error) {
  CALL_STEPS(call, steps, "masked_select", error, {"self", self, MOVED}, {"mask", mask}, {"out", *out, MOVED});
  struct rows rows;
  strew_tensor wide, wide_mask;
  STEP(&steps, check_devices(&call));
  STEP(&steps, mask_shapes(&steps, self, mask, false, &wide, &wide_mask));
  STEP(&steps, check_gather_out(&call, *out, self, "mask", mask));
  if (steps.status == STREW_OK && rows_compress(&steps, &wide_mask, &wide, out)) return steps_status(&steps);
  mask_start(&steps, &rows, &wide_mask);
  rows_gather(&steps, &rows, &wide, out);
  return steps_status(&steps);
}

strew_status strew_masked_scatter(strew_tensor *self, strew_tensor *mask, strew_tensor *source, strew_tensor **out,
                                  strew_error *error) {
  CALL_STEPS(call, steps, "masked_scatter", error, {"self", self, MOVED}, {"mask", mask}, {"source", source, MOVED},
             OTHER_OUT);
  struct rows rows;
  struct scatter_job job;
  strew_tensor wide, wide_mask, values, *base = *out == self ? self : &wide;
  STEP(&steps, write_start(&call, self, &scatter_defaults, "source", strew_of(source), &job));
  STEP(&steps, mask_shapes(&steps, self, mask, *out == self, &wide, &wide_mask));
  mask_start(&steps, &rows, &wide_mask);
  if (steps.status == STREW_OK && strew_tensor_numel(source) < rows.sizes[0])
    STEP(&steps, fail(&call, FAULT(STREW_ESHAPE, "source"), "has %" PRId64 " element%s, mask selects %" PRId64,
                      strew_tensor_numel(source), strew_tensor_numel(source) == 1 ? "" : "s", rows.sizes[0]));
  STEP(&steps, check_scatter_out(&call, base, *out, "source", source, "mask", mask));
  flatten(&steps, source, &values);
  if (steps.status == STREW_OK) {
    values.sizes[0] = rows.sizes[0];
    const struct shape1 shape = shape_of(&values);
    job.src = &values;
    rows_scatter(&steps, &rows, base, &job, &shape, 1, out);
  }
  return steps_status(&steps);
}

/* --------------------------------------------------------------------------------------------------------- one row */

/* Fails for floats to be written to integers, and for integers that self's dtype cannot hold. */
static strew_status check_holds(struct steps *steps, const strew_tensor *self, strew_tensor *value) {
  const struct call *call = steps->call;
  union element element;
  RETURN_IF_FAILED(check_kind(call, "value", value->dtype, "self", self->dtype));
  if (dtype_is_float(self->dtype) || dtype_holds(self->dtype, value->dtype)) return STREW_OK;
  const char *own = strew_dtype_name(self->dtype);
  if (dtype_is_float(value->dtype))
    return fail(call, HINTED(STREW_EDTYPE, "value", hint_of(call, "strew_to(value, %s)", own)),
                "is %s, which self, %s, does not hold", strew_dtype_name(value->dtype), own);
  for (int most = 0; most < 2 && strew_tensor_numel(value); most++) {
    const strew_scalar number = step_number(steps, most ? STREW_FOLD_AMAX : STREW_FOLD_AMIN, value);
    STEP(steps, element_from(call, "value", number, STREW_EXACT, self->dtype, &element));
  }
  return steps->status;
}

strew_status strew_set_row(strew_tensor *self, int64_t position, strew_operand value, strew_error *error) {
  TAKE_WORD(word, "set_row", error, self->dtype == STREW_TEXT, self, value);
  CALL_STEPS(call, steps, "set_row", error, {"self", self, MOVED},
             {"value", value.tensor, word ? MOVED | UNSEEN : MOVED});
  STEP(&steps, operand_settle(&call, "value", self->dtype, &value));
  if (!value.tensor && self->rank == 1) return STEP(&steps, strew_set(self, 1, &position, value.number, error));
  STEP_INTO(&steps, row, strew_select(self, 0, position, row, error));
  if (!value.tensor) return STEP(&steps, strew_fill(*row, value.number, error));
  STEP(&steps, check_holds(&steps, self, value.tensor));
  return STEP(&steps, copy_operand(&call, *row, value.tensor, "value"));
}

/* ------------------------------------------------------------------------------------------------------- index_add */

/* The factor as a number of self's dtype: integers wrap. */
static strew_status read_alpha(const struct call *call, strew_dtype dtype, strew_scalar alpha, strew_scalar *factor) {
  union element element;
  char text[TEXT_BYTES];
  struct fault fault = {.code = STREW_EARGUMENT, .argument = "alpha", .value = &alpha};
  int64_t value = 0;
  RETURN_IF_FAILED(check_scalar(call, "alpha", alpha));
  const bool whole = strew_scalar_store(alpha, STREW_EXACT, STREW_INT64, &value, NULL) == STREW_OK;
  const bool is_truth = whole && (value == 0 || value == 1);
  text_of_scalar(alpha, text);
  if (dtype == STREW_BOOL && !is_truth) return fail(call, fault, "is %s, expected true or false", text);
  if (dtype != STREW_BOOL && alpha.dtype == STREW_BOOL) return fail(call, fault, "is %s, expected a number", text);
  if (!dtype_is_float(dtype) && !whole)
    return fail(call, fault, "is %s, expected an integer for %s", text, strew_dtype_name(dtype));
  if (dtype_is_float(dtype)) /* fails if the dtype cannot hold it */
    return *factor = alpha, element_from(call, "alpha", alpha, STREW_EXACT, dtype, &element);
  RETURN_IF_FAILED(element_from(call, "alpha", strew_int(value), STREW_SATURATE, dtype, &element));
  return *factor = strew_scalar_load(dtype, element.bytes), STREW_OK;
}

static bool is_one(strew_scalar alpha) { return alpha.dtype == STREW_FLOAT64 ? alpha.as.f == 1 : alpha.as.i == 1; }

strew_status strew_index_add_with(strew_tensor *self, int dim, strew_tensor *index, strew_tensor *source,
                                  strew_scalar alpha, const strew_index_options *options, strew_tensor **out,
                                  strew_error *error) {
  CALL_STEPS(call, steps, "index_add", error, {"self", self}, {"index", index}, {"source", source}, OTHER_OUT);
  OPTIONS(strew_index_options);
  INDEX(&call, index);
  struct along along;
  strew_scalar factor = alpha;
  const strew_scatter_options sum = {.reduction = STREW_SUM, .mode = options->mode, .exact = options->exact};
  STEP(&steps, read_alpha(&call, self->dtype, alpha, &factor));
  STEP(&steps, index_join_start(&call, &along, self, dim, index, source, &sum, *out));
  if (!is_one(factor)) along.job.src = step_binary(&steps, STREW_MUL, source, factor, NULL);
  STEP(&steps, scatter_call(&call, &along.job, self, out));
  return steps_status(&steps);
}
