/* fuzz_views.c: views of views of a tensor, chosen by the bytes: any op with any sizes, often as_strided. Every view's
   elements lie within the storage. It reads as its strides say, and computes like its dense copy, bit for bit. Written
   elements appear, and nothing else in the storage changes. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ELEMENTS = 4096, MOST_VIEWS = 12 };

struct base {
  strew_tensor *tensor;
  int64_t count; /* of elements in the storage */
  size_t size_bytes, element_bytes;
};

/* --------------------------------------------------------------------------------------------------- creating views */

static struct base new_base(struct bytes *bytes) {
  struct base base = {0};
  int64_t sizes[4];
  int rank = fuzz_below(bytes, 5);
  strew_dtype dtype = (strew_dtype)fuzz_below(bytes, STREW_DTYPE_COUNT);
  strew_tensor *flat = NULL;
  base.count = 1;
  for (int d = 0; d < rank; d++) base.count *= sizes[d] = fuzz_below(bytes, 6);
  strew_scalar start = strew_int(0), step = strew_int(1), stop = strew_int(base.count);
  PROMISE(strew_arange(fuzz_device(), STREW_INT64, start, stop, step, &flat, NULL) == STREW_OK);
  strew_tensor *reshaped = NULL;
  PROMISE(strew_view(flat, rank, sizes, &reshaped, NULL) == STREW_OK);
  PROMISE(strew_to(reshaped, fuzz_device(), dtype, &base.tensor, NULL) == STREW_OK);
  strew_release(flat), strew_release(reshaped);
  base.element_bytes = strew_dtype_size_bytes(dtype);
  base.size_bytes = (size_t)base.count * base.element_bytes;
  return base;
}

static int take_list(struct bytes *bytes, int64_t *list) {
  int count = fuzz_below(bytes, 8);
  if (count == 7) count = fuzz_below(bytes, STREW_MAX_RANK + 2);
  for (int i = 0; i < count; i++) list[i] = fuzz_integer(bytes);
  return count;
}

/* A view of `tensor`, or NULL if it is refused. */
static strew_tensor *new_view(struct bytes *bytes, strew_tensor *tensor) {
  enum { VIEW, PERMUTE, EXPAND, AS_STRIDED, TRANSPOSE, T, SQUEEZE, UNSQUEEZE, SELECT, NARROW, SLICE, KINDS };
  int64_t list[STREW_MAX_RANK + 2] = {0}, strides[STREW_MAX_RANK + 2] = {0};
  strew_tensor *made = NULL;
  strew_error error = {0};
  strew_status status = STREW_OK;
  int kind = fuzz_below(bytes, KINDS), count, dim;
  switch (kind) {
  case VIEW: count = take_list(bytes, list), status = strew_view(tensor, count, list, &made, &error); break;
  case PERMUTE: count = take_list(bytes, list), status = strew_permute(tensor, count, list, &made, &error); break;
  case EXPAND: count = take_list(bytes, list), status = strew_expand(tensor, count, list, &made, &error); break;
  case AS_STRIDED:
    count = take_list(bytes, list);
    for (int i = 0; i < count; i++) strides[i] = fuzz_integer(bytes);
    status = strew_as_strided(tensor, count, list, strides, fuzz_integer(bytes), &made, &error);
    break;
  case T: status = strew_t(tensor, &made, &error); break;
  default:
    dim = (int)fuzz_integer(bytes);
    list[0] = fuzz_integer(bytes), list[1] = fuzz_integer(bytes), list[2] = fuzz_integer(bytes);
    if (kind == TRANSPOSE) status = strew_transpose(tensor, dim, (int)list[0], &made, &error);
    list[1] = kind == SQUEEZE ? dim : list[1];
    if (kind == SQUEEZE) status = strew_squeeze(tensor, list[0] % 2 != 0, list[0] % 2 ? list + 1 : NULL, &made, &error);
    if (kind == UNSQUEEZE) status = strew_unsqueeze(tensor, dim, &made, &error);
    if (kind == SELECT) status = strew_select(tensor, dim, list[0], &made, &error);
    if (kind == NARROW) status = strew_narrow(tensor, dim, list[0], list[1], &made, &error);
    if (kind == SLICE) status = strew_slice(tensor, dim, list[0], list[1], list[2], &made, &error);
  }
  PROMISE(status == STREW_OK ? made != NULL : !made && error.code == status && *error.message);
  return made;
}

/* --------------------------------------------------------------------------------------------------------- elements */

static void check_reach(const struct base *base, const strew_tensor *view) {
  const int64_t *sizes = strew_tensor_sizes(view), *strides = strew_tensor_strides(view);
  int64_t last = strew_tensor_offset(view), count = 1;
  PROMISE(last >= 0); /* a view without elements may begin anywhere */
  for (int d = 0; d < strew_tensor_rank(view); d++) {
    PROMISE(sizes[d] >= 0 && strides[d] >= 0);
    PROMISE(!__builtin_mul_overflow(count, sizes[d], &count));
  }
  PROMISE(count == strew_tensor_numel(view));
  for (int d = 0; count > 0 && d < strew_tensor_rank(view); d++) {
    int64_t reach;
    PROMISE(!__builtin_mul_overflow(sizes[d] - 1, strides[d], &reach));
    PROMISE(!__builtin_add_overflow(last, reach, &last));
  }
  PROMISE(count == 0 || last < base->count);
}

/* Returns the offset in the storage of element i, in row-major order. */
static size_t place_of(const strew_tensor *view, int64_t i) {
  const int64_t *sizes = strew_tensor_sizes(view), *strides = strew_tensor_strides(view);
  int64_t offset = strew_tensor_offset(view);
  for (int d = strew_tensor_rank(view) - 1; d >= 0; i /= sizes[d--]) offset += i % sizes[d] * strides[d];
  return (size_t)offset;
}

static char *copy_of_storage(const struct base *base) {
  char *copy = malloc(base->size_bytes + 1);
  PROMISE(copy && strew_read(base->tensor, copy, base->size_bytes, NULL) == STREW_OK);
  return copy;
}

static void check_elements(const struct base *base, const strew_tensor *view) {
  int64_t count = strew_tensor_numel(view);
  size_t bytes = base->element_bytes;
  char *storage = copy_of_storage(base), *read = malloc((size_t)count * bytes + 1);
  PROMISE(read && strew_read(view, read, (size_t)count * bytes, NULL) == STREW_OK);
  for (int64_t i = 0; i < count; i++)
    PROMISE(memcmp(read + (size_t)i * bytes, storage + place_of(view, i) * bytes, bytes) == 0);
  free(storage), free(read);
}

/* ------------------------------------------------------------------------------------------------------- operations */

/* Returns the op's result, or NULL. */
static strew_tensor *compute(struct bytes bytes, strew_tensor *tensor) {
  strew_tensor *made = NULL, *second = NULL;
  int op = fuzz_below(&bytes, 9), dim = (int)fuzz_integer(&bytes);
  strew_fold fold = (strew_fold)fuzz_below(&bytes, STREW_FOLD_COUNT);
  if (op == 0)
    strew_reduce_with(fold, tensor,
                      &(strew_reduce_options){.dim_count = 1, .dims = (const int64_t[]){dim}, .keepdim = op % 2}, &made,
                      NULL);
  if (op == 1) strew_reduce_with(fold, tensor, NULL, &made, NULL);
  if (op == 2) strew_cumsum_with(tensor, dim, NULL, &made, NULL);
  if (op == 3) strew_sort_with(tensor, dim, &(strew_sort_options){.descending = fold % 2}, &made, &second, NULL);
  if (op == 4) strew_binary((strew_binary_op)(fold % STREW_POW), strew_of(tensor), strew_of(tensor), &made, NULL);
  if (op == 5) strew_unary((strew_unary_op)(fold % STREW_EXP), tensor, &made, NULL);
  if (op == 6) strew_nonzero(tensor, &made, NULL);
  if (op == 7) strew_cat(2, (strew_tensor *[]){tensor, tensor}, dim, &made, NULL);
  if (op == 8) strew_flatten(tensor, 0, dim, &made, NULL);
  strew_release(second);
  return made;
}

static void check_results(struct bytes *bytes, strew_tensor *view) {
  strew_tensor *dense = NULL;
  PROMISE(strew_clone(view, &dense, NULL) == STREW_OK && strew_tensor_is_contiguous(dense));
  strew_tensor *of_view = compute(*bytes, view), *of_dense = compute(*bytes, dense);
  PROMISE(of_view ? of_dense && fuzz_is_same(of_view, of_dense) : !of_dense);
  strew_release(of_view), strew_release(of_dense), strew_release(dense);
}

static bool lies_in(const strew_tensor *view, size_t place) {
  for (int64_t i = 0; i < strew_tensor_numel(view); i++)
    if (place_of(view, i) == place) return true;
  return false;
}

static void check_writing(const struct base *base, strew_tensor *view) {
  char *before = copy_of_storage(base), element[8];
  strew_status status = strew_fill(view, strew_int(1), NULL);
  PROMISE(strew_scalar_store(strew_int(1), STREW_EXACT, strew_tensor_dtype(view), element, NULL) == STREW_OK);
  char *after = copy_of_storage(base);
  for (size_t i = 0; i < (size_t)base->count; i++) {
    const char *expected = status == STREW_OK && lies_in(view, i) ? element : before + i * base->element_bytes;
    PROMISE(memcmp(after + i * base->element_bytes, expected, base->element_bytes) == 0);
  }
  free(before), free(after);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct bytes bytes = {data, data + size};
  struct base base = new_base(&bytes);
  strew_tensor *view = strew_retain(base.tensor);
  for (int i = 0; i < MOST_VIEWS && bytes.at < bytes.end; i++) {
    strew_tensor *next = new_view(&bytes, view);
    if (!next) continue;
    strew_release(view), view = next;
    check_reach(&base, view);
    if (strew_tensor_numel(view) > MOST_ELEMENTS) continue;
    check_elements(&base, view);
    check_results(&bytes, view);
    if (fuzz_below(&bytes, 4) == 3) check_writing(&base, view);
  }
  strew_release(view), strew_release(base.tensor);
  fuzz_expect_nothing();
  return 0;
}
