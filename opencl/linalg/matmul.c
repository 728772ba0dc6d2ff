/* matmul.c: matrix products. CPUs pack blocks of b into vectors and caches. GPUs stage square tiles of a and b in local
   memory. A product with a vector has kernels of its own. The kernels are in kernels/matmul.cl. */
#include "opencl/core/opencl.h"
#include "opencl/core/tuning.h"
#include "runtime/linalg/linalg_ops.h"

#include <stdio.h>

LINALG_ENTRIES(OPENCL_FUNCTION, OPENCL_NONE)
OPENCL_TABLE(linalg_ops, LINALG_ENTRIES)

enum { SIDE = 8, LONG_VECTOR_BYTES = 64 };

struct gemm {
  struct launch *launch;
  struct plan batches;
  struct space space; /* of the batches */
  int64_t batch_count, m, n, k;
  int64_t a_row, a_column, b_row, b_column;
  strew_dtype dtype;
  int64_t k_chunk; /* terms of the sum over k per launch */
  int64_t cost;    /* of a multiplication and addition: 1, or MATMUL_SOFT_FUSED */
  bool many_cores; /* as a GPU; else few cores with vectors, whose fma is exact */
};

/* A column on the right is a row on the left of the transposed product. */
static void transpose_column(struct gemm *product) {
  struct operand a = product->batches.operands[1];
  int64_t row = product->a_row;
  product->batches.operands[1] = product->batches.operands[2];
  product->batches.operands[2] = a;
  product->n = product->m;
  product->m = 1;
  product->a_row = 0;
  product->b_column = row;
  row = product->b_row;
  product->b_row = product->a_column;
  product->a_column = row;
}

static void product_start(struct gemm *product, const struct plan *plan, int64_t k) {
  enum { K_STEP = 16 }; /* k_chunk is a multiple of it */
  const struct opencl *on = opencl_of(product->launch->device);
  int rows = plan->rank - 2, columns = plan->rank - 1;
  const struct operand *a = &plan->operands[1], *b = &plan->operands[2];
  product->batches = *plan;
  product->batches.rank = rows;
  product->space = space_of(&product->batches);
  product->batch_count = plan_numel(&product->batches);
  product->m = plan->sizes[rows], product->n = plan->sizes[columns], product->k = k;
  product->a_row = a->strides[rows], product->a_column = a->strides[columns];
  product->b_row = b->strides[rows], product->b_column = b->strides[columns];
  product->dtype = a->dtype;
  const unsigned soft = a->dtype == STREW_FLOAT32 ? SOFT_FUSED : a->dtype == STREW_FLOAT64 ? SOFT_FUSED64 : 0;
  product->cost = on->software & soft ? MATMUL_SOFT_FUSED : 1;
  product->k_chunk = on->longest_loop / MATMUL_MOST_TURNS / K_STEP * K_STEP;
  if (product->k_chunk < K_STEP) product->k_chunk = K_STEP;
  product->many_cores = on->is_gpu || product->k_chunk < k || product->cost > 1;
  if (product->n == 1) transpose_column(product);
}

/* Bounds the work of one launch, in which a work-item or a group computes `elements` elements of c. The cuts fall on
   the kernels' own blocks, so the order of additions does not change. */
static void bound_chunk(struct gemm *product, int64_t elements) {
  enum { BLOCK = 128 };
  int64_t longest =
      launch_iterations(product->launch->device, product->cost) * MATMUL_PRODUCTS / elements / BLOCK * BLOCK;
  if (longest < BLOCK) longest = BLOCK;
  if (product->k_chunk > longest) product->k_chunk = longest;
}

static int64_t turns_of(const struct gemm *product, int64_t elements) {
  int64_t k = product->k < product->k_chunk ? product->k : product->k_chunk;
  return k * elements * product->cost / MATMUL_PRODUCTS + 1;
}

/* ------------------------------------------------------------------------------------------------------ own kernels */

/* Integers wrap, so signed and unsigned ones of a size share a kernel. */
static const char *type_of(strew_dtype dtype) {
  if (dtype == STREW_FLOAT32) return "float S=f32";
  if (dtype == STREW_FLOAT64) return "double S=f64";
  return word_type(dtype);
}

static struct launch *matmul_launch(const struct gemm *product, const char *kernel, int64_t k_begin,
                                    const char *settings) {
  struct launch *launch = product->launch;
  bool is_long = strew_dtype_size_bytes(product->dtype) == sizeof(int64_t),
       narrow = strew_dtype_size_bytes(product->dtype) < 4;
  launch_start(launch, "matmul.cl", kernel, "T=%s LENGTH=%d NARROW=%d OUTER=%d %s", type_of(product->dtype),
               is_long ? 8 : 16, narrow, product->space.outer, settings);
  launch_plan(launch, &product->space, 0, 1, 2);
  launch_ints(launch, product->m, product->n, k_begin,
              product->k - k_begin < product->k_chunk ? product->k : k_begin + product->k_chunk, product->a_row,
              product->a_column, product->b_row, product->b_column);
  launch->continues = k_begin > 0;
  return launch;
}

static int64_t parts_of(int64_t count, int64_t part) { return (count - 1) / part + 1; }

static strew_status multiply_vector(const struct gemm *product, int64_t k_begin) {
  const struct opencl *on = opencl_of(product->launch->device);
  bool is_staged = product->many_cores && product->b_row == 1 && product->k > 1;
  int64_t items = product->batch_count * product->n;
  struct launch *launch =
      matmul_launch(product, is_staged ? "vector_staged" : "vector_items", k_begin, "WAY=WAY_VECTOR");
  launch->turns = turns_of(product, MATMUL_VECTOR_FACTOR);
  if (is_staged) return launch_groups(launch, product->batch_count * parts_of(product->n, GROUP), GROUP);
  launch_ints(launch, product->batch_count);
  return items < (int64_t)on->units * GROUP * 4 ? launch_groups(launch, items, 1) : launch_items(launch, items);
}

/* Uses the largest tiles that still occupy all compute units. */
static strew_status multiply_tiles(const struct gemm *product, int64_t k_begin) {
  enum { LARGEST = 8, LARGEST_LONG = 4 };
  const struct opencl *on = opencl_of(product->launch->device);
  int64_t groups;
  int per = strew_dtype_size_bytes(product->dtype) == sizeof(int64_t) ? LARGEST_LONG : LARGEST;
  for (;; per /= 2) {
    groups = product->batch_count * parts_of(product->m, SIDE * per) * parts_of(product->n, SIDE * per);
    if (per == 2 || groups >= (int64_t)on->units * MATMUL_TILES_PER_UNIT) break;
  }
  char settings[32];
  snprintf(settings, sizeof settings, "WAY=WAY_TILE PER=%d", per);
  struct launch *launch = matmul_launch(product, "multiply_tile", k_begin, settings);
  launch->turns = turns_of(product, SIDE * per * SIDE * per);
  return launch_groups(launch, groups, GROUP);
}

/* Rows per work-item: enough to repay packing b, few enough to occupy all compute units. */
static strew_status multiply_panels(const struct gemm *product, int64_t k_begin) {
  const struct opencl *on = opencl_of(product->launch->device);
  int64_t width = 2 * LONG_VECTOR_BYTES / (int64_t)strew_dtype_size_bytes(product->dtype);
  if (width > 32) width = 32;
  int64_t panels = product->batch_count * parts_of(product->n, width),
          rows = parts_of(product->m * panels, (int64_t)on->units * MATMUL_PANELS_PER_UNIT);
  rows = rows < MATMUL_LEAST_ROWS ? MATMUL_LEAST_ROWS : rows > MATMUL_MOST_ROWS ? MATMUL_MOST_ROWS : rows / 4 * 4;
  struct launch *launch = matmul_launch(product, "multiply_panel", k_begin, "WAY=WAY_PANEL");
  launch_ints(launch, rows, product->batch_count);
  launch->turns = turns_of(product, rows * width);
  return launch_groups(launch, panels * parts_of(product->m, rows), 1);
}

strew_status opencl_matmul(const struct call *call, strew_device *device, const struct plan *plan, int64_t k) {
  enum { MOST_ELEMENTS = 8192 }; /* 256 rows of 32 columns */
  struct launch launch = {.call = call, .device = device};
  struct gemm product = {.launch = &launch};
  product_start(&product, plan, k);
  bool vector = product.m == 1 && (product.many_cores || product.b_row == 1);
  bound_chunk(&product, vector ? MATMUL_VECTOR_FACTOR : MOST_ELEMENTS);
  strew_status (*multiply)(const struct gemm *, int64_t) = vector               ? multiply_vector
                                                           : product.many_cores ? multiply_tiles
                                                                                : multiply_panels;
  for (int64_t begin = 0; begin < k && launch.status == STREW_OK; begin += product.k_chunk) multiply(&product, begin);
  return launch_end(&launch);
}
