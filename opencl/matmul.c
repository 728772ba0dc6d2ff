/* matmul.c: matrix products. CPUs pack blocks of b into vectors and caches. GPUs stage square tiles of a and b in local
   memory, or leave large float products to CLBlast. A product with a vector has kernels of its own. The kernels are in
   kernels/matmul.cl. */
#include "clblast.h"
#include "opencl.h"

#include <stdio.h>

enum { SIDE = 8, LONG_VECTOR_BYTES = 64 };

struct job {
  const struct call *call;
  strew_device *device;
  struct plan batches;
  struct space space; /* of the batches */
  int64_t batch_count, m, n, k;
  int64_t a_row, a_column, b_row, b_column;
  strew_dtype dtype;
  int64_t piece;        /* terms of the sum over k per launch */
  bool many_processors; /* as a GPU; else few cores with vectors */
};

/* A column on the right is a row on the left of the transposed product. */
static void turn_column(struct job *job) {
  struct operand a = job->batches.operands[1];
  int64_t row = job->a_row;
  job->batches.operands[1] = job->batches.operands[2];
  job->batches.operands[2] = a;
  job->n = job->m;
  job->m = 1;
  job->a_row = 0;
  job->b_column = row;
  row = job->b_row;
  job->b_row = job->a_column;
  job->a_column = row;
}

static void lay_out(struct job *job, const struct plan *plan, int64_t k) {
  enum { TURNS_PER_PRODUCT = 128, STEP = 16 }; /* at most; k_chunk is a multiple of K_STEP */
  const struct opencl *on = opencl_of(job->device);
  int rows = plan->rank - 2, columns = plan->rank - 1;
  const struct operand *a = &plan->operands[1], *b = &plan->operands[2];
  job->batches = *plan;
  job->batches.rank = rows;
  job->space = space_of(&job->batches);
  job->batch_count = plan_numel(&job->batches);
  job->m = plan->sizes[rows], job->n = plan->sizes[columns], job->k = k;
  job->a_row = a->strides[rows], job->a_column = a->strides[columns];
  job->b_row = b->strides[rows], job->b_column = b->strides[columns];
  job->dtype = a->dtype;
  job->piece = on->longest_loop / TURNS_PER_PRODUCT / STEP * STEP;
  if (job->piece < STEP) job->piece = STEP;
  job->many_processors = on->is_gpu || job->piece < k;
  if (job->n == 1) turn_column(job);
}

/* PRODUCTS multiplications count as one loop iteration; those for an element of a vector, by itself, as long as for
   ELEMENT elements of a matrix. */
enum { PRODUCTS = 8, ELEMENT = 2 };

/* Bounds the work of one launch, in which a work-item or a group computes `elements` elements of c. The cuts fall on
   the kernels' own blocks, so the order of additions does not change. */
static void bound_piece(struct job *job, int64_t elements) {
  enum { BLOCK = 128 };
  int64_t longest = longest_run(job->device, 1) * PRODUCTS / elements / BLOCK * BLOCK;
  if (longest < BLOCK) longest = BLOCK;
  if (job->piece > longest) job->piece = longest;
}

static int64_t turns_of(const struct job *job, int64_t elements) {
  return (job->k < job->piece ? job->k : job->piece) * elements / PRODUCTS + 1;
}

/* -------------------------------------------------------------------------------------------------- our own kernels */

/* Integers wrap, so signed and unsigned ones of a size share a kernel. */
static const char *type_of(strew_dtype dtype) {
  if (dtype == STREW_FLOAT32) return "float";
  if (dtype == STREW_FLOAT64) return "double";
  size_t size_bytes = strew_dtype_size_bytes(dtype);
  return size_bytes == 8 ? "ulong" : size_bytes == 4 ? "uint" : size_bytes == 2 ? "ushort" : "uchar";
}

static void start(struct launch *launch, const struct job *job, const char *kernel, int64_t k_begin,
                  const char *settings) {
  bool is_long = strew_dtype_size_bytes(job->dtype) == sizeof(int64_t), narrow = strew_dtype_size_bytes(job->dtype) < 4;
  launch_start(launch, job->call, job->device, "matmul.cl", kernel, "T=%s LENGTH=%d NARROW=%d OUTER=%d %s",
               type_of(job->dtype), is_long ? 8 : 16, narrow, job->space.outer, settings);
  launch_space(launch, &job->space);
  for (int i = 0; i < 3; i++) launch_operand(launch, &job->space, i);
  launch_int(launch, job->m);
  launch_int(launch, job->n);
  launch_int(launch, k_begin);
  launch_int(launch, job->k - k_begin < job->piece ? job->k : k_begin + job->piece);
  launch_int(launch, job->a_row);
  launch_int(launch, job->a_column);
  launch_int(launch, job->b_row);
  launch_int(launch, job->b_column);
  launch->goes_on = k_begin > 0;
}

static int64_t parts_of(int64_t count, int64_t part) { return (count - 1) / part + 1; }

static strew_status multiply_vector(const struct job *job, int64_t k_begin) {
  enum { LONG = 256, MANY_PER_UNIT = 1024 };
  const struct opencl *on = opencl_of(job->device);
  bool dense = (job->a_column == 1 || job->k == 1) && (job->b_row == 1 || job->k == 1);
  int64_t items = job->batch_count * job->n;
  bool groups =
      job->many_processors && job->k >= LONG && (job->b_row == 1 || items < (int64_t)on->units * MANY_PER_UNIT);
  struct launch launch;
  start(&launch, job, groups ? "vector_groups" : "vector_items", k_begin,
        dense ? "WAY=WAY_VECTOR DENSE=1" : "WAY=WAY_VECTOR DENSE=0");
  launch.turns = turns_of(job, ELEMENT);
  if (groups) return launch_groups(&launch, items, GROUP);
  launch_int(&launch, job->batch_count);
  return items < (int64_t)on->units * GROUP * 4 ? launch_groups(&launch, items, 1) : launch_items(&launch, items);
}

/* Uses the largest tiles that still occupy all compute units. */
static strew_status multiply_tiles(const struct job *job, int64_t k_begin) {
  enum { GROUPS_PER_UNIT = 4, LARGEST = 8, LARGEST_LONG = 4 };
  const struct opencl *on = opencl_of(job->device);
  int64_t groups;
  int per = strew_dtype_size_bytes(job->dtype) == sizeof(int64_t) ? LARGEST_LONG : LARGEST;
  for (;; per /= 2) {
    groups = job->batch_count * parts_of(job->m, SIDE * per) * parts_of(job->n, SIDE * per);
    if (per == 2 || groups >= (int64_t)on->units * GROUPS_PER_UNIT) break;
  }
  char settings[32];
  snprintf(settings, sizeof settings, "WAY=WAY_TILE PER=%d", per);
  struct launch launch;
  start(&launch, job, "multiply_tile", k_begin, settings);
  launch.turns = turns_of(job, SIDE * per * SIDE * per);
  return launch_groups(&launch, groups, GROUP);
}

/* Rows per work-item: enough to repay packing b, few enough to occupy all compute units. */
static strew_status multiply_panels(const struct job *job, int64_t k_begin) {
  enum { ITEMS_PER_UNIT = 8, LEAST_ROWS = 16, MOST_ROWS = 256 };
  const struct opencl *on = opencl_of(job->device);
  int64_t width = 2 * LONG_VECTOR_BYTES / (int64_t)strew_dtype_size_bytes(job->dtype);
  if (width > 32) width = 32;
  int64_t panels = job->batch_count * parts_of(job->n, width),
          rows = parts_of(job->m * panels, (int64_t)on->units * ITEMS_PER_UNIT);
  rows = rows < LEAST_ROWS ? LEAST_ROWS : rows > MOST_ROWS ? MOST_ROWS : rows / 4 * 4;
  struct launch launch;
  start(&launch, job, "multiply_panel", k_begin, "WAY=WAY_PANEL");
  launch_int(&launch, rows);
  launch_int(&launch, job->batch_count);
  launch.turns = turns_of(job, rows * width);
  return launch_groups(&launch, panels * parts_of(job->m, rows), 1);
}

/* --------------------------------------------------------------------------------------------------------- CLBlast */

/* The matrix as CLBlast sees it: contiguous rows, or the transpose of that. */
static struct clblast_matrices clblast_of(const struct job *job, int operand, int64_t rows, int64_t columns,
                                          int64_t row, int64_t column) {
  const struct operand *it = &job->batches.operands[operand];
  const struct block *block = it->storage->data;
  bool by_rows = (columns <= 1 || column == 1) && (rows <= 1 || row >= columns);
  int64_t leading = by_rows ? (rows > 1 ? row : columns) : (columns > 1 ? column : rows);
  return (struct clblast_matrices){.memory = block->memory,
                                   .offset = (size_t)it->offset,
                                   .leading = (size_t)leading,
                                   .stride = job->batches.rank ? (size_t)it->strides[0] : 0,
                                   .transposed = !by_rows};
}

/* True if the product is large enough to repay CLBlast's overhead. */
static bool suits_clblast(const struct job *job) {
  enum { LEAST_SIZE = 64 };
  const double least_products = 0x1p32;
  bool large = job->m >= LEAST_SIZE && job->n >= LEAST_SIZE && job->k >= LEAST_SIZE &&
               (double)job->m * (double)job->n * (double)job->k * (double)job->batch_count >= least_products;
  return opencl_of(job->device)->is_gpu && large && dtype_is_float(job->dtype) && job->batches.rank <= 1;
}

/* Computes rows begin .. begin + m - 1 of c. */
static bool multiply_by_clblast(const struct job *job, int64_t begin, int64_t m) {
  struct clblast_matrices c = clblast_of(job, 0, job->m, job->n, job->n, 1);
  struct clblast_matrices a = clblast_of(job, 1, job->m, job->k, job->a_row, job->a_column);
  struct clblast_matrices b = clblast_of(job, 2, job->k, job->n, job->b_row, job->b_column);
  c.offset += (size_t)(begin * job->n);
  a.offset += (size_t)(begin * job->a_row);
  return clblast_multiply(job->device, job->dtype, (size_t)m, (size_t)job->n, (size_t)job->k, (size_t)job->batch_count,
                          &c, &a, &b);
}

/* Computes c in bands of rows, each of bounded work. *done is false if CLBlast is absent or fails; then all of c is
   still to be computed. */
static strew_status multiply_in_bands(const struct job *job, bool *done) {
  const double most_products = 0x1p38, row = (double)job->n * (double)job->k * (double)job->batch_count;
  const int64_t rows = row * (double)job->m <= most_products ? job->m : (int64_t)(most_products / row) + 1;
  strew_status status = STREW_OK;
  *done = true;
  for (int64_t begin = 0, m; status == STREW_OK && *done && begin < job->m; begin += m) {
    m = job->m - begin < rows ? job->m - begin : rows;
    status = opencl_throttle(job->call, job->device, opencl_of(job->device)->most_turns);
    if (status == STREW_OK) *done = multiply_by_clblast(job, begin, m);
  }
  return status;
}

strew_status opencl_matmul(const struct call *call, strew_device *device, const struct plan *plan, int64_t k) {
  enum { MOST_ELEMENTS = 8192 }; /* 256 rows of 32 columns */
  struct job job = {.call = call, .device = device};
  lay_out(&job, plan, k);
  strew_status status = STREW_OK;
  if (suits_clblast(&job)) {
    bool done;
    status = multiply_in_bands(&job, &done);
    if (status != STREW_OK || done) return status;
  }
  bool vector = job.m == 1 && (job.many_processors || job.b_row == 1);
  bound_piece(&job, vector ? ELEMENT : MOST_ELEMENTS);
  for (int64_t begin = 0; begin < k && status == STREW_OK; begin += job.piece)
    status = vector                ? multiply_vector(&job, begin)
             : job.many_processors ? multiply_tiles(&job, begin)
                                   : multiply_panels(&job, begin);
  return status;
}
