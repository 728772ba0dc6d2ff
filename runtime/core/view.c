/* view.c: tensors that share another's storage under other sizes and strides. Names and rules are PyTorch's. */
#include "runtime/core/base/device.h"

#include <inttypes.h>
#include <string.h>

/* A shape under construction. */
struct view_shape {
  int rank;
  int64_t offset;
  int64_t sizes[MAX_RANK], strides[MAX_RANK];
};

static struct view_shape shape_of(const strew_tensor *tensor) {
  struct view_shape shape = {.rank = tensor->rank, .offset = tensor->offset};
  memcpy(shape.sizes, tensor->sizes, (size_t)tensor->rank * sizeof *tensor->sizes);
  memcpy(shape.strides, tensor->strides, (size_t)tensor->rank * sizeof *tensor->strides);
  return shape;
}

static strew_status view_of(const struct call *call, const strew_tensor *base, const struct view_shape *shape,
                            strew_tensor **out) {
  return tensor_view(call, base, shape->rank, shape->sizes, shape->strides, shape->offset, out);
}

/* ------------------------------------------------------------------------------------- view, reshape, flatten */

/* Fills in the one size that may be -1; the product must be the number of elements. */
static strew_status infer_sizes(const struct call *call, const strew_tensor *tensor, int rank, const int64_t *wanted,
                                int64_t *sizes) {
  struct fault fault = {.code = STREW_ESHAPE, .argument = "shape"};
  if (rank < 0 || rank > MAX_RANK) return fail(call, fault, "has %d dimensions, valid 0..%d", rank, MAX_RANK);
  int64_t numel = strew_tensor_numel(tensor), known = 1;
  int inferred = -1;
  char text[TEXT_BYTES];
  for (int d = 0; d < rank; d++) {
    sizes[d] = wanted[d];
    if (wanted[d] == -1 && inferred < 0)
      inferred = d;
    else if (wanted[d] < 0)
      return fail(call, fault, "is %s, expected sizes of 0 or more, one of which may be -1",
                  text_of_sizes(rank, wanted, text));
    else if (__builtin_mul_overflow(known, wanted[d], &known))
      return fail(call, fault, "is %s, more than can be addressed", text_of_sizes(rank, wanted, text));
  }
  if (inferred >= 0 && known == 0)
    return fail(call, fault, "is %s: -1 is ambiguous beside a size of 0", text_of_sizes(rank, wanted, text));
  if (inferred >= 0) sizes[inferred] = numel / known, known *= sizes[inferred];
  if (known == numel) return check_sizes(call, tensor->dtype, rank, sizes);
  return fail(call, fault, "is %s, which does not hold the %" PRId64 " elements of self",
              text_of_sizes(rank, wanted, text), numel);
}

/* True if the tensor has a view of the new sizes, in row-major order; sets its strides. Old dimensions form groups that
   are dense in themselves; each new dimension must lie within one group. */
static bool restride(const strew_tensor *tensor, int rank, const int64_t *sizes, int64_t *strides) {
  dense_strides(rank, sizes, strides);
  if (strew_tensor_is_contiguous(tensor)) return true;
  int to = rank - 1;
  int64_t group = 1; /* elements of the group of old dimensions d..last so far */
  int last = tensor->rank - 1;
  for (int d = tensor->rank - 1; d >= 0; d--) {
    group *= tensor->sizes[d];
    bool ends = d == 0 || (tensor->sizes[d - 1] != 1 && tensor->strides[d - 1] != group * tensor->strides[last]);
    if (!ends) continue;
    int64_t step = tensor->strides[last], covered = 1;
    for (; to >= 0 && (covered < group || sizes[to] == 1); to--) {
      strides[to] = covered * step;
      covered *= sizes[to];
    }
    if (covered != group) return false;
    last = d - 1;
    group = 1;
  }
  return to < 0;
}

strew_status strew_view(strew_tensor *tensor, int rank, const int64_t *sizes, strew_tensor **out, strew_error *error) {
  CALL(call, "view", error, {"self", tensor, MOVED});
  struct view_shape shape = {.rank = rank, .offset = tensor->offset};
  RETURN_IF_FAILED(infer_sizes(&call, tensor, rank, sizes, shape.sizes));
  if (!restride(tensor, rank, shape.sizes, shape.strides))
    return fail(&call, HINTED(STREW_ESHAPE, "self", "strew_reshape(self, ...) copies where it must"),
                "has strides that do not allow a view of the new shape");
  return view_of(&call, tensor, &shape, out);
}

/* A view if the strides allow one, else a copy. */
static strew_status reshape(const struct call *call, strew_tensor *tensor, int rank, const int64_t *sizes,
                            strew_tensor **out) {
  struct view_shape shape = {.rank = rank, .offset = tensor->offset};
  RETURN_IF_FAILED(infer_sizes(call, tensor, rank, sizes, shape.sizes));
  if (restride(tensor, rank, shape.sizes, shape.strides)) return view_of(call, tensor, &shape, out);
  strew_tensor *dense = NULL;
  RETURN_IF_FAILED(copy_as(call, tensor, tensor->dtype, &dense));
  shape.offset = 0;
  dense_strides(rank, shape.sizes, shape.strides);
  strew_status status = view_of(call, dense, &shape, out);
  strew_release(dense);
  return status;
}

strew_status strew_reshape(strew_tensor *tensor, int rank, const int64_t *sizes, strew_tensor **out,
                           strew_error *error) {
  CALL(call, "reshape", error, {"self", tensor, MOVED});
  return reshape(&call, tensor, rank, sizes, out);
}

strew_status strew_flatten(strew_tensor *tensor, int first, int last, strew_tensor **out, strew_error *error) {
  CALL(call, "flatten", error, {"self", tensor, MOVED});
  RETURN_IF_FAILED(check_named_dim(&call, "start_dim", tensor->rank, &first));
  RETURN_IF_FAILED(check_named_dim(&call, "end_dim", tensor->rank, &last));
  if (last < first)
    return fail(&call, VALUED(STREW_ESHAPE, "end_dim", strew_int(last)),
                "is dim %d, expected start_dim, dim %d, or a later one", last, first);
  int64_t sizes[MAX_RANK], merged = 1;
  int rank = 0;
  for (int d = 0; d < first; d++) sizes[rank++] = tensor->sizes[d];
  for (int d = first; d <= last && d < tensor->rank; d++) merged *= tensor->sizes[d];
  sizes[rank++] = merged;
  for (int d = last + 1; d < tensor->rank; d++) sizes[rank++] = tensor->sizes[d];
  return reshape(&call, tensor, rank, sizes, out);
}

/* ---------------------------------------------------------------------------------- the order of dimensions */

strew_status strew_permute(strew_tensor *tensor, int rank, const int64_t *dims, strew_tensor **out,
                           strew_error *error) {
  CALL(call, "permute", error, {"self", tensor, MOVED});
  struct fault fault = {.code = STREW_ESHAPE, .argument = "dims"};
  char text[TEXT_BYTES];
  if (rank != tensor->rank)
    return fail(&call, fault, "has %d entr%s, self has %d dimension%s", rank, rank == 1 ? "y" : "ies", tensor->rank,
                tensor->rank == 1 ? "" : "s");
  struct view_shape shape = {.rank = rank, .offset = tensor->offset};
  unsigned seen = 0;
  for (int d = 0; d < rank; d++) {
    int64_t from = dims[d] < 0 ? dims[d] + rank : dims[d];
    if (from < 0 || from >= rank || seen >> from & 1)
      return fail(&call, fault, "is %s, expected each of 0..%d once", text_of_sizes(rank, dims, text), rank - 1);
    seen |= 1u << from;
    shape.sizes[d] = tensor->sizes[from];
    shape.strides[d] = tensor->strides[from];
  }
  return view_of(&call, tensor, &shape, out);
}

static strew_status swap_dims(const struct call *call, const strew_tensor *tensor, int a, int b, strew_tensor **out) {
  struct view_shape shape = shape_of(tensor);
  if (tensor->rank) {
    shape.sizes[a] = tensor->sizes[b], shape.strides[a] = tensor->strides[b];
    shape.sizes[b] = tensor->sizes[a], shape.strides[b] = tensor->strides[a];
  }
  return view_of(call, tensor, &shape, out);
}

strew_status strew_transpose(strew_tensor *tensor, int a, int b, strew_tensor **out, strew_error *error) {
  CALL(call, "transpose", error, {"self", tensor, MOVED});
  strew_status status = check_named_dim(&call, "dim0", tensor->rank, &a);
  TRY(status, check_named_dim(&call, "dim1", tensor->rank, &b));
  return TRY(status, swap_dims(&call, tensor, a, b, out));
}

strew_status strew_t(strew_tensor *tensor, strew_tensor **out, strew_error *error) {
  CALL(call, "t", error, {"self", tensor, MOVED});
  if (tensor->rank > 2)
    return fail(&call, HINTED(STREW_ESHAPE, "self", "strew_transpose(self, a, b) or strew_permute(self, ...)"),
                "has %d dimensions, expected at most 2", tensor->rank);
  return swap_dims(&call, tensor, 0, tensor->rank == 2 ? 1 : 0, out);
}

/* ------------------------------------------------------------------------------------- squeeze, unsqueeze, expand */

strew_status strew_squeeze(strew_tensor *tensor, int dim_count, const int64_t *dims, strew_tensor **out,
                           strew_error *error) {
  CALL(call, "squeeze", error, {"self", tensor, MOVED});
  bool chosen[MAX_RANK];
  RETURN_IF_FAILED(mark_dims(&call, "dim", tensor->rank, dim_count, dims, chosen));
  struct view_shape shape = {.offset = tensor->offset};
  for (int d = 0; d < tensor->rank; d++) {
    if (tensor->sizes[d] == 1 && chosen[d]) continue;
    shape.sizes[shape.rank] = tensor->sizes[d];
    shape.strides[shape.rank++] = tensor->strides[d];
  }
  return view_of(&call, tensor, &shape, out);
}

strew_status strew_unsqueeze(strew_tensor *tensor, int dim, strew_tensor **out, strew_error *error) {
  CALL(call, "unsqueeze", error, {"self", tensor, MOVED});
  RETURN_IF_FAILED(check_dim(&call, tensor->rank + 1, &dim));
  if (tensor->rank == MAX_RANK)
    return fail(&call, FAULT(STREW_ESHAPE, "self"), "has %d dimensions, the largest rank", MAX_RANK);
  struct view_shape shape = {.rank = tensor->rank + 1, .offset = tensor->offset};
  for (int d = 0, from = 0; d < shape.rank; d++) {
    bool new = d == dim;
    bool last = from == tensor->rank;
    shape.sizes[d] = new ? 1 : tensor->sizes[from];
    /* the stride in a dense tensor, so that a dense one stays dense */
    shape.strides[d] = !new ? tensor->strides[from] : last ? 1 : tensor->strides[from] * tensor->sizes[from];
    from += !new;
  }
  return view_of(&call, tensor, &shape, out);
}

strew_status strew_expand(strew_tensor *tensor, int rank, const int64_t *sizes, strew_tensor **out,
                          strew_error *error) {
  CALL(call, "expand", error, {"self", tensor, MOVED});
  struct fault fault = {.code = STREW_ESHAPE, .argument = "shape"};
  char text[TEXT_BYTES];
  if (rank < tensor->rank || rank > MAX_RANK)
    return fail(&call, fault, "has %d dimension%s, valid %d..%d", rank, rank == 1 ? "" : "s", tensor->rank, MAX_RANK);
  struct view_shape shape = {.rank = rank, .offset = tensor->offset};
  int added = rank - tensor->rank;
  for (int d = 0; d < rank; d++) {
    int64_t size = d < added ? 1 : tensor->sizes[d - added];
    bool keeps = d >= added && (sizes[d] == -1 || sizes[d] == size);
    if (!keeps && (sizes[d] < 0 || size != 1))
      return fail(&call, fault,
                  "is %s: dimension %d of size %" PRId64 " cannot become %" PRId64 ", only size 1 expands",
                  text_of_sizes(rank, sizes, text), d, size, sizes[d]);
    shape.sizes[d] = keeps ? size : sizes[d];
    shape.strides[d] = keeps ? tensor->strides[d - added] : 0;
  }
  strew_status status = check_sizes(&call, tensor->dtype, rank, shape.sizes);
  return TRY(status, view_of(&call, tensor, &shape, out));
}

/* ------------------------------------------------------------------------------------------------ the same bits */

static strew_status check_bits(const struct call *call, const char *name, strew_dtype dtype) {
  if (dtype_is_number(dtype) && dtype != STREW_BOOL) return STREW_OK;
  return fail(call, FAULT(STREW_EDTYPE, name), "is %s, whose bits are not seen as another dtype's",
              strew_dtype_name(dtype));
}

/* Counts in elements of `to` bytes what is counted in those of `from` bytes; fails if they are none. */
static strew_status rescale(const struct call *call, int64_t from, int64_t to, const char *what, int64_t *count) {
  struct fault fault = {.code = STREW_ESHAPE, .argument = "self"};
  if (*count * from % to == 0) return *count = *count * from / to, STREW_OK;
  return fail(call, fault, "has %s of %" PRId64 " bytes, expected a multiple of %" PRId64, what, *count * from, to);
}

/* The shape in elements of another size: the last dimension has others. */
static strew_status resize(const struct call *call, const strew_tensor *tensor, strew_dtype dtype,
                           struct view_shape *shape) {
  const int64_t from = (int64_t)dtype_bytes(tensor->dtype), to = (int64_t)dtype_bytes(dtype);
  const int last = tensor->rank - 1;
  if (from == to) return STREW_OK;
  if (last < 0)
    return fail(call, FAULT(STREW_ESHAPE, "self"), "has no dimensions, expected at least 1 for elements of %s",
                strew_dtype_name(dtype));
  if (tensor->sizes[last] > 1 && tensor->strides[last] != 1)
    return fail(call, HINTED(STREW_ESHAPE, "self", "strew_clone(self)"),
                "has stride %" PRId64 " in its last dimension, expected 1", tensor->strides[last]);
  RETURN_IF_FAILED(rescale(call, from, to, "a last dimension", &shape->sizes[last]));
  RETURN_IF_FAILED(rescale(call, from, to, "an offset", &shape->offset));
  for (int d = 0; d < last; d++)
    if (tensor->sizes[d] > 1) RETURN_IF_FAILED(rescale(call, from, to, "a stride", &shape->strides[d]));
  shape->strides[last] = 1;
  return STREW_OK;
}

strew_status strew_view_as(strew_tensor *tensor, strew_dtype dtype, strew_tensor **out, strew_error *error) {
  CALL(call, "view_as", error, {"self", tensor, MOVED});
  struct view_shape shape = shape_of(tensor);
  RETURN_IF_FAILED(check_dtype(&call, dtype));
  RETURN_IF_FAILED(check_bits(&call, "self", tensor->dtype));
  RETURN_IF_FAILED(check_bits(&call, "dtype", dtype));
  RETURN_IF_FAILED(check_dtype_of_device(&call, tensor->storage->device, dtype, NULL));
  RETURN_IF_FAILED(resize(&call, tensor, dtype, &shape));
  if (tensor->storage->device->ops->host_memory && (uintptr_t)tensor->storage->data % dtype_bytes(dtype))
    return fail(&call, HINTED(STREW_ESHAPE, "self", "strew_clone(self)"),
                "begins at no multiple of %d bytes, which elements of %s need", (int)dtype_bytes(dtype),
                strew_dtype_name(dtype));
  RETURN_IF_FAILED(view_of(&call, tensor, &shape, out));
  (*out)->dtype = dtype;
  return STREW_OK;
}

/* ---------------------------------------------------------------------------------------- parts of a dimension */

static strew_status check_has_dims(const struct call *call, const strew_tensor *tensor, int *dim) {
  if (tensor->rank) return check_dim(call, tensor->rank, dim);
  return fail(call, HINTED(STREW_ESHAPE, "self", "strew_item(self) gives its number"),
              "has no dimensions, expected at least 1");
}

strew_status strew_select(strew_tensor *tensor, int dim, int64_t position, strew_tensor **out, strew_error *error) {
  CALL(call, "select", error, {"self", tensor, MOVED});
  RETURN_IF_FAILED(check_has_dims(&call, tensor, &dim));
  int64_t size = tensor->sizes[dim];
  if (position < -size || position >= size) return fail_position(&call, dim, size, 0, NULL, position);
  struct view_shape shape = shape_of(tensor);
  shape.offset += (position < 0 ? position + size : position) * tensor->strides[dim];
  shape.rank--;
  for (int d = dim; d < shape.rank; d++) shape.sizes[d] = shape.sizes[d + 1], shape.strides[d] = shape.strides[d + 1];
  return view_of(&call, tensor, &shape, out);
}

strew_status strew_narrow(strew_tensor *tensor, int dim, int64_t start, int64_t length, strew_tensor **out,
                          strew_error *error) {
  CALL(call, "narrow", error, {"self", tensor, MOVED});
  RETURN_IF_FAILED(check_has_dims(&call, tensor, &dim));
  int64_t size = tensor->sizes[dim];
  int64_t first = start < 0 && start >= -size ? start + size : start;
  if (first < 0 || first > size)
    return fail(&call, VALUED(STREW_EINDEX, "start", strew_int(start)),
                "is %" PRId64 ", out of range for dim %d of self (size %" PRId64 ", valid %" PRId64 "..%" PRId64 ")",
                start, dim, size, -size, size);
  if (length < 0 || length > size - first)
    return fail(&call, VALUED(STREW_EINDEX, "length", strew_int(length)),
                "is %" PRId64 ", out of range from start %" PRId64 " in dim %d of self (size %" PRId64
                ", valid 0..%" PRId64 ")",
                length, start, dim, size, size - first);
  struct view_shape shape = shape_of(tensor);
  shape.offset += length ? first * tensor->strides[dim] : 0;
  shape.sizes[dim] = length;
  return view_of(&call, tensor, &shape, out);
}

static int64_t clamp_end(int64_t end, int64_t size) {
  if (end < 0) end = end < -size ? 0 : end + size;
  return end > size ? size : end;
}

strew_status strew_slice(strew_tensor *tensor, int dim, int64_t start, int64_t stop, int64_t step, strew_tensor **out,
                         strew_error *error) {
  CALL(call, "slice", error, {"self", tensor, MOVED});
  RETURN_IF_FAILED(check_has_dims(&call, tensor, &dim));
  if (step <= 0)
    return fail(&call, VALUED(STREW_EARGUMENT, "step", strew_int(step)), "is %" PRId64 ", expected 1 or more", step);
  struct view_shape shape = shape_of(tensor);
  int64_t size = tensor->sizes[dim];
  start = clamp_end(start, size);
  stop = clamp_end(stop, size);
  int64_t count = stop > start ? (stop - start - 1) / step + 1 : 0;
  shape.sizes[dim] = count;
  shape.offset += count ? start * tensor->strides[dim] : 0;
  shape.strides[dim] = count > 1 ? step * tensor->strides[dim] : tensor->strides[dim];
  return view_of(&call, tensor, &shape, out);
}

strew_status strew_split(strew_tensor *tensor, int dim, int count, const int64_t *sizes, strew_tensor *out[],
                         strew_error *error) {
  CALL(call, "split", error, {"self", tensor, MOVED});
  struct fault fault = VALUED(STREW_EARGUMENT, "count", strew_int(count));
  if (count < 0) return fail(&call, fault, "is %d, expected 0 or more", count);
  RETURN_IF_FAILED(check_has_dims(&call, tensor, &dim));
  const int64_t size = tensor->sizes[dim];
  int64_t start = 0;
  fault = FAULT(STREW_ESHAPE, "sizes");
  for (int k = 0; k < count; k++) {
    if (sizes[k] < 0) return fail(&call, fault, "holds %" PRId64 ", expected 0 or more", sizes[k]);
    if (sizes[k] > size - start) return fail(&call, fault, "exceed the %" PRId64 " of dim %d", size, dim);
    start += sizes[k];
  }
  if (start != size)
    return fail(&call, fault, "sum to %" PRId64 ", expected %" PRId64 ", the size of dim %d", start, size, dim);
  struct view_shape shape = shape_of(tensor);
  start = 0;
  for (int k = 0; k < count; start += sizes[k++]) {
    shape.sizes[dim] = sizes[k];
    shape.offset = tensor->offset + (sizes[k] ? start * tensor->strides[dim] : 0);
    strew_tensor *made = NULL;
    strew_status status = view_of(&call, tensor, &shape, &made);
    if (status == STREW_OK) out[k] = made;
    while (status != STREW_OK && k > 0) strew_release(out[--k]), out[k] = NULL;
    RETURN_IF_FAILED(status);
  }
  return STREW_OK;
}

strew_status strew_diagonal(strew_tensor *tensor, int64_t offset, int dim1, int dim2, strew_tensor **out,
                            strew_error *error) {
  CALL(call, "diagonal", error, {"self", tensor, MOVED});
  struct fault fault = FAULT(STREW_ESHAPE, "self");
  if (tensor->rank < 2)
    return fail(&call, fault, "has %d dimension%s, expected at least 2", tensor->rank, tensor->rank == 1 ? "" : "s");
  RETURN_IF_FAILED(check_named_dim(&call, "dim1", tensor->rank, &dim1));
  RETURN_IF_FAILED(check_named_dim(&call, "dim2", tensor->rank, &dim2));
  fault.argument = "dim2";
  if (dim1 == dim2) return fail(&call, fault, "is dimension %d, as dim1 is", dim2);
  struct view_shape shape = {.offset = tensor->offset};
  const int shifted = offset < 0 ? dim1 : dim2, other = offset < 0 ? dim2 : dim1;
  const int64_t most = tensor->sizes[shifted];
  const int64_t shift = offset < -most || offset > most ? most : offset < 0 ? -offset : offset;
  const int64_t length = most - shift < tensor->sizes[other] ? most - shift : tensor->sizes[other];
  for (int d = 0; d < tensor->rank; d++) {
    if (d == dim1 || d == dim2) continue;
    shape.sizes[shape.rank] = tensor->sizes[d];
    shape.strides[shape.rank++] = tensor->strides[d];
  }
  if (length) shape.offset += shift * tensor->strides[shifted];
  shape.sizes[shape.rank] = length;
  shape.strides[shape.rank++] = tensor->strides[dim1] + tensor->strides[dim2];
  return view_of(&call, tensor, &shape, out);
}
