/* matmul.c: matrix products. Each element is the chain s = fma(a[k], b[k], s) in order of k, from +0, on every device;
   integers wrap. 16-bit floats are widened first, and the product is rounded once. A matrix with unit stride along
   neither rows nor columns is copied. dot is a sum of products, in the order of sum. */
#include "linalg_ops.h"
#include "runtime/core/base/device.h"
#include "runtime/core/base/elementwise_ops.h"
#include "runtime/core/base/steps.h"
#include "runtime/reduce/reduce_ops.h"

#include <inttypes.h>
#include <string.h>

static const char *const product_names[] = {
    [STREW_MATMUL] = "matmul", [STREW_MM] = "mm", [STREW_MV] = "mv", [STREW_DOT] = "dot"};

/* ------------------------------------------------------------------------------------------------------- checks */

static strew_status check_rank(const struct call *call, const char *name, const strew_tensor *tensor, int rank) {
  struct fault fault = {.code = STREW_ESHAPE, .argument = name};
  if (rank && tensor->rank != rank)
    return fail(call, fault, "has %d dimension%s, expected %d", tensor->rank, tensor->rank == 1 ? "" : "s", rank);
  if (!tensor->rank) return fail(call, fault, "has no dimension, expected at least 1");
  return STREW_OK;
}

static strew_status check_operands(const struct call *call, strew_product kind, const strew_tensor *a,
                                   const strew_tensor *b) {
  static const int ranks[][2] = {
      [STREW_MATMUL] = {0, 0}, [STREW_MM] = {2, 2}, [STREW_MV] = {2, 1}, [STREW_DOT] = {1, 1}};
  RETURN_IF_FAILED(check_rank(call, "self", a, ranks[kind][0]));
  RETURN_IF_FAILED(check_rank(call, "other", b, ranks[kind][1]));
  RETURN_IF_FAILED(check_devices(call));
  RETURN_IF_FAILED(check_equal_dtypes(call, "other", b->dtype, "self", a->dtype));
  if (a->dtype == STREW_BOOL) return fail(call, FAULT(STREW_EDTYPE, "self"), "is bool, expected a number dtype");
  int inner = b->rank > 1 ? b->rank - 2 : 0;
  if (a->sizes[a->rank - 1] != b->sizes[inner])
    return fail(call, FAULT(STREW_ESHAPE, "other"),
                "has size %" PRId64 " in dimension %d, expected %" PRId64 ", as self's last", b->sizes[inner], inner,
                a->sizes[a->rank - 1]);
  return STREW_OK;
}

/* --------------------------------------------------------------------------------------------------------- shapes */

/* The shape of a product of batches of matrices; vectors count as matrices. */
struct product {
  int batch_rank;
  int64_t batch_sizes[MAX_RANK];
  int64_t m, k, n;
  int out_rank;
  int64_t out_sizes[MAX_RANK];
};

static int batch_rank(const strew_tensor *tensor) { return tensor->rank > 2 ? tensor->rank - 2 : 0; }

static strew_status shape_product(const struct call *call, const strew_tensor *a, const strew_tensor *b,
                                  struct product *product) {
  char its[TEXT_BYTES], selfs[TEXT_BYTES];
  product->batch_rank = batch_rank(a);
  memcpy(product->batch_sizes, a->sizes, (size_t)product->batch_rank * sizeof *a->sizes);
  if (!broadcast_sizes(&product->batch_rank, product->batch_sizes, batch_rank(b), b->sizes))
    return fail(call, FAULT(STREW_ESHAPE, "other"), "has leading dimensions %s, self has %s: they do not broadcast",
                text_of_sizes(batch_rank(b), b->sizes, its), text_of_sizes(batch_rank(a), a->sizes, selfs));
  product->m = a->rank > 1 ? a->sizes[a->rank - 2] : 1;
  product->k = a->sizes[a->rank - 1];
  product->n = b->rank > 1 ? b->sizes[b->rank - 1] : 1;
  product->out_rank = product->batch_rank;
  memcpy(product->out_sizes, product->batch_sizes, sizeof product->out_sizes);
  if (a->rank > 1) product->out_sizes[product->out_rank++] = product->m;
  if (b->rank > 1) product->out_sizes[product->out_rank++] = product->n;
  return STREW_OK;
}

/* Rows and columns of a tensor's matrices; a vector is a row on the left and a column on the right. */
struct matrix {
  int64_t rows, columns, row_stride, column_stride;
};

static struct matrix matrix_of(const strew_tensor *tensor, bool is_left) {
  int last = tensor->rank - 1;
  int64_t size = tensor->sizes[last], stride = tensor->strides[last];
  if (tensor->rank > 1) return (struct matrix){tensor->sizes[last - 1], size, tensor->strides[last - 1], stride};
  return is_left ? (struct matrix){1, size, 0, stride} : (struct matrix){size, 1, stride, 0};
}

/* True if the stride along `size` is 1, and the other one at least `size`. Strides of sizes 0 and 1 do not matter. */
static bool is_dense_along(int64_t size, int64_t stride, int64_t other_size, int64_t other_stride) {
  return (size <= 1 || stride == 1) && (other_size <= 1 || other_stride >= (size > 1 ? size : 1));
}
static bool is_regular(struct matrix matrix) {
  return is_dense_along(matrix.columns, matrix.column_stride, matrix.rows, matrix.row_stride) ||
         is_dense_along(matrix.rows, matrix.row_stride, matrix.columns, matrix.column_stride);
}

/* The tensor in a dtype and layout that the device takes: itself or a copy. */
static strew_tensor *regular(struct steps *steps, strew_tensor *tensor, bool is_left) {
  const strew_dtype wide = dtype_wide(tensor->dtype);
  const bool fits = wide == tensor->dtype && is_regular(matrix_of(tensor, is_left));
  return fits ? tensor : step_copy(steps, tensor, wide);
}

/* ---------------------------------------------------------------------------------------------------------- plans */

static void add_batches(struct plan *plan, const strew_tensor *tensor) {
  strew_tensor batches = *tensor;
  batches.rank = batch_rank(tensor);
  plan_add(plan, &batches);
}

static void append_dim(struct plan *plan, int64_t size, int64_t c, int64_t a, int64_t b) {
  plan->sizes[plan->rank] = size;
  plan->operands[0].strides[plan->rank] = c;
  plan->operands[1].strides[plan->rank] = a;
  plan->operands[2].strides[plan->rank++] = b;
}

/* c is dense: batches, rows, columns. */
static void plan_product(struct plan *plan, const struct product *product, const strew_tensor *c, const strew_tensor *a,
                         const strew_tensor *b) {
  struct matrix left = matrix_of(a, true), right = matrix_of(b, false);
  int64_t m = product->m, n = product->n, dense[MAX_RANK];
  plan_start(plan, product->batch_rank, product->batch_sizes);
  dense_strides(plan->rank, plan->sizes, dense);
  plan_add(plan, c);
  for (int d = 0; d < plan->rank; d++) plan->operands[0].strides[d] = dense[d] * m * n;
  add_batches(plan, a);
  add_batches(plan, b);
  plan_simplify(plan);
  /* one right matrix for all batches: the left ones form a single tall matrix, if that is regular */
  const struct operand *operands = plan->operands;
  if (plan->rank == 1 && !operands[2].strides[0] && operands[1].strides[0] == m * left.row_stride) {
    struct matrix tall = {m * plan->sizes[0], product->k, left.row_stride, left.column_stride};
    if (is_regular(tall)) m = tall.rows, plan->rank = 0;
  }
  append_dim(plan, m, n, left.row_stride, right.row_stride);
  append_dim(plan, n, 1, left.column_stride, right.column_stride);
}

static void multiply(struct steps *steps, const struct product *product, strew_tensor *c, strew_tensor *a,
                     strew_tensor *b) {
  struct plan plan;
  strew_tensor *left = regular(steps, a, true), *right = regular(steps, b, false);
  if (steps->status != STREW_OK) return;
  plan_product(&plan, product, c, left, right);
  STEP(steps, RUN_ON(a, linalg->matmul, steps->call, &plan, product->k));
}

/* The sum of rounded products in the order of sum, of which none is stored. */
static void dot_in_place(struct steps *steps, strew_tensor *c, const strew_tensor *a, const strew_tensor *b) {
  struct reduce_plan adding = {.fold = STREW_FOLD_SUM};
  plan_start(&adding.plan, 1, a->sizes);
  plan_add(&adding.plan, c)->strides[0] = 0;
  plan_add(&adding.plan, a);
  plan_add(&adding.plan, b);
  STEP(steps, RUN_ON(a, reduce->reduce, steps->call, &adding));
}

/* Rounded products, then their sum in the order of sum. */
static void dot(struct steps *steps, strew_tensor *c, const strew_tensor *a, const strew_tensor *b) {
  strew_device *device = a->storage->device;
  if (steps->status != STREW_OK) return; /* then c may not be there */
  if (device == &device->context->cpu && dtype_is_float(c->dtype) && a->dtype == c->dtype &&
      strew_tensor_is_contiguous(a) && strew_tensor_is_contiguous(b)) {
    dot_in_place(steps, c, a, b);
    return;
  }
  const strew_dtype wide = dtype_wide(a->dtype), summed = dtype_sums(wide);
  struct elementwise_plan times;
  struct reduce_plan adding = {.fold = STREW_FOLD_SUM};
  strew_tensor *products = step_new(steps, device, wide, 1, a->sizes), *sum = step_new(steps, device, summed, 0, NULL);
  if (steps->status != STREW_OK) return;
  times.count = 1;
  times.instructions[0] = (struct instruction){ELEMENTWISE_BINARY,
                                               STREW_MUL,
                                               wide,
                                               wide,
                                               wide,
                                               2,
                                               .in = {{.from = 1, .dtype = a->dtype}, {.from = 2, .dtype = b->dtype}}};
  PLAN(&times.plan, 1, a->sizes, products, a, b);
  plan_simplify(&times.plan);
  STEP(steps, device->ops->elementwise->elementwise(steps->call, device, &times));
  plan_start(&adding.plan, 1, a->sizes);
  plan_add(&adding.plan, sum)->strides[0] = 0;
  plan_add(&adding.plan, products);
  plan_simplify(&adding.plan);
  STEP(steps, device->ops->reduce->reduce(steps->call, device, &adding));
  STEP(steps, copy_tensor(steps->call, c, sum));
}

strew_status strew_matmul(strew_product kind, strew_tensor *a, strew_tensor *b, strew_tensor **out,
                          strew_error *error) {
  bool known = (unsigned)kind <= STREW_DOT;
  CALL_STEPS(call, steps, product_names[known ? kind : STREW_MATMUL], error, {"self", a}, {"other", b}, {"out", *out});
  if (!known) return fail_unknown(&call, "kind", (int)kind, STREW_DOT);
  struct product product;
  strew_device *device = a->storage->device;
  STEP(&steps, check_operands(&call, kind, a, b));
  if (STEP(&steps, shape_product(&call, a, b, &product)) != STREW_OK) return steps.status;
  strew_tensor *target = steps_out(&steps, "out", device, a->dtype, product.out_rank, product.out_sizes, *out),
               *c = target;
  if (steps.status != STREW_OK || !strew_tensor_numel(target)) return steps_give(&steps, target, out);
  if (!strew_tensor_is_contiguous(target) || dtype_wide(a->dtype) != a->dtype)
    c = step_new(&steps, device, dtype_wide(a->dtype), product.out_rank, product.out_sizes);
  if (!product.k)
    STEP(&steps, fill_tensor(&call, c, (union element){.i64 = 0}));
  else if (kind == STREW_DOT)
    dot(&steps, c, a, b);
  else
    multiply(&steps, &product, c, a, b);
  if (c != target) STEP(&steps, copy_tensor(&call, target, c));
  return steps_give(&steps, target, out);
}
