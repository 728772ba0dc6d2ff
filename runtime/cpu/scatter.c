/* scatter.c: the scatter family on the CPU.

   A plan is walked in tiles (scatter.h): a line of index values with a contribution each or, where the index stands
   still along the last dimension while self moves, one value for each row of contributions. Values come as int64, in
   order: straight from the index where it lies so, else through a block on the stack that also applies the mode.

   Threads share out *places*, never contributions to one place, so that each place is joined in row-major order
   whatever their number. Two ways to share: a dimension along which self moves is cut (then each thread walks its part
   of the index), or the range of index values is (then each walks all of it and passes over what is others'). */
#include "scatter.h"

#include <stdatomic.h>
#include <string.h>

#define LOOPS "scatter.inc"
#include "each_dtype.h"

enum { BLOCK = 1024, CACHE_LINE = 64 };

static scatter_kernel *const *const kernels[STREW_DTYPE_COUNT] = {
#define ROW(ENUM, s, ...) [STREW_##ENUM] = scatter_kernels_##s,
    STREW_DTYPES(ROW)
#undef ROW
};
static scatter_kernel *const *const arg_kernels[STREW_DTYPE_COUNT] = {
#define ROW(ENUM, s, ...) [STREW_##ENUM] = scatter_arg_kernels_##s,
    STREW_DTYPES(ROW)
#undef ROW
};

/* Operands as struct scatter_plan numbers them. */
enum { SELF, INDEX, SRC, ARG, POSITION };

/* Without a branch: whether a value is this tile's is as good as random. */
int64_t select_rows(const struct tile *tile, int64_t begin, int64_t *select, bool *nobodys) {
  int64_t end = tile->rows - begin < SELECT_ROWS ? tile->rows : begin + SELECT_ROWS, count = 0;
  uint64_t lowest = (uint64_t)tile->lowest, owned = (uint64_t)tile->count, met = 0;
  for (int64_t i = begin; i < end; i++) {
    uint64_t value = (uint64_t)tile->index[i];
    select[count] = i;
    count += value - lowest < owned;
    met |= IS_NOBODYS(tile, value);
  }
  *nobodys |= met != 0;
  return count;
}

/* ------------------------------------------------------------------------------------------------ one thread's part */

struct part {
  const struct scatter_plan *plan; /* its dimensions; the walk goes over `outer`, without the columns */
  struct plan outer;
  struct tile tile;
  scatter_kernel *kernel;
  convert_row *convert_src; /* where src is not of self's dtype */
  bool straight;            /* index values are used where they lie */
  atomic_bool *bad;         /* set where a value is nobody's, and then nobody goes on; NULL: that is no fault */
};

/* The line of index values of a row of the walk, as int64. Values to be dropped become -1, which is nobody's. */
static void load_index(const struct part *part, const struct row *row, int64_t *block) {
  const struct scatter_plan *plan = part->plan;
  converter(STREW_INT64, plan->plan.operands[INDEX].dtype)(row->count, (char *)block, sizeof *block,
                                                           row->address[INDEX], row->step_bytes[INDEX]);
  apply_mode(plan->mode, plan->size, row->count, block);
}

void apply_mode(strew_mode mode, int64_t size, int64_t count, int64_t *values) {
  if (mode == STREW_WRAP)
    for (int64_t i = 0; i < count; i++) values[i] += values[i] < 0 ? size : 0;
  else if (mode == STREW_CLIP)
    for (int64_t i = 0; i < count; i++) values[i] = values[i] < 0 ? 0 : values[i] >= size ? size - 1 : values[i];
  else if (mode == STREW_DROP)
    for (int64_t i = 0; i < count; i++) values[i] = values[i] < 0 || values[i] >= size ? -1 : values[i];
}

static int64_t position_of(const struct part *part, int64_t place) {
  const struct plan *outer = &part->outer;
  int64_t position = 0;
  for (int d = outer->rank - 1; d >= 0; d--) {
    position += place % outer->sizes[d] * outer->operands[POSITION].strides[d];
    place /= outer->sizes[d];
  }
  return position;
}

/* A tile whose src is converted on the way: contributions pass through a block, row by row. */
static bool run_converted(const struct part *part, struct tile *tile) {
  union {
    double align;
    char bytes[BLOCK * 8];
  } block;
  strew_dtype to = part->plan->plan.operands[SELF].dtype;
  struct tile piece = *tile;
  piece.src = block.bytes;
  if (tile->columns == 1) { /* no longer than BLOCK, as the walk was told */
    part->convert_src(tile->rows, block.bytes, (int64_t)strew_dtype_size_bytes(to), tile->src, tile->src_row);
    piece.src_row = (int64_t)strew_dtype_size_bytes(to);
    return part->kernel(&piece);
  }
  bool nobodys = false;
  piece.rows = 1;
  piece.src_column = (int64_t)strew_dtype_size_bytes(to);
  for (int64_t i = 0; i < tile->rows; i++)
    for (int64_t j = 0; j < tile->columns; j += BLOCK) {
      piece.columns = tile->columns - j < BLOCK ? tile->columns - j : BLOCK;
      part->convert_src(piece.columns, block.bytes, piece.src_column,
                        tile->src + i * tile->src_row + j * tile->src_column, tile->src_column);
      piece.index = tile->index + i;
      piece.self = tile->self + i * tile->self_row + j * tile->self_column;
      nobodys |= part->kernel(&piece);
    }
  return nobodys;
}

static void visit(void *part_, const struct row *row) {
  const struct part *part = part_;
  int64_t block[BLOCK];
  struct tile tile = part->tile;
  if (part->bad && atomic_load_explicit(part->bad, memory_order_relaxed)) return;
  if (!part->straight) load_index(part, row, block);
  tile.rows = row->count;
  tile.index = part->straight ? (const int64_t *)(const void *)row->address[INDEX] : block;
  tile.self = row->address[SELF];
  tile.self_row = row->step_bytes[SELF];
  tile.src = row->address[SRC];
  tile.src_row = row->step_bytes[SRC];
  if (tile.arg) {
    tile.arg = row->address[ARG];
    tile.arg_row = row->step_bytes[ARG];
    tile.position = position_of(part, row->place);
  }
  bool nobodys = part->convert_src ? run_converted(part, &tile) : part->kernel(&tile);
  if (nobodys && part->bad) atomic_store_explicit(part->bad, true, memory_order_relaxed);
}

/* Takes the columns out of the plan, if it has any: the last dimension, where the index stands still and self moves. */
static void split_columns(const struct plan *plan, struct part *part) {
  plan_copy(&part->outer, plan);
  if (plan->count > POSITION) part->outer.count = POSITION; /* which has no memory to walk */
  part->tile.columns = 1;
  part->tile.self_column = part->tile.src_column = part->tile.arg_column = 0;
  int last = plan->rank - 1;
  if (last < 0 || plan->operands[INDEX].strides[last] != 0 || plan->operands[SELF].strides[last] == 0) return;
  part->outer.rank = last;
  part->tile.columns = plan->sizes[last];
  part->tile.self_column =
      plan->operands[SELF].strides[last] * (int64_t)strew_dtype_size_bytes(plan->operands[SELF].dtype);
  part->tile.src_column =
      plan->operands[SRC].strides[last] * (int64_t)strew_dtype_size_bytes(plan->operands[SRC].dtype);
  if (plan->count <= ARG) return;
  part->tile.arg_column = plan->operands[ARG].strides[last] * (int64_t)sizeof(int64_t);
}

/* Runs a plan over the index values lowest .. lowest + count - 1. */
static void run_part(const struct scatter_plan *plan, int64_t lowest, int64_t count, atomic_bool *bad) {
  struct part part;
  part.plan = plan;
  part.bad = bad;
  part.convert_src = NULL;
  part.tile.lowest = lowest; /* member by member: clearing it first would cost a small call more than its work */
  part.tile.count = count;
  part.tile.size = plan->size;
  part.tile.arg = NULL;
  const struct operand *operands = plan->plan.operands;
  bool with_arg = plan->plan.count > ARG;
  split_columns(&plan->plan, &part);
  int last = part.outer.rank - 1;
  part.kernel = (with_arg ? arg_kernels : kernels)[operands[SELF].dtype][plan->reduction];
  if (operands[SRC].dtype != operands[SELF].dtype)
    part.convert_src = converter(operands[SELF].dtype, operands[SRC].dtype);
  part.straight = operands[INDEX].dtype == STREW_INT64 && (last < 0 || operands[INDEX].strides[last] == 1) &&
                  (plan->mode == STREW_ERROR || plan->mode == STREW_DROP);
  part.tile.step = plan->step * (int64_t)strew_dtype_size_bytes(operands[SELF].dtype);
  if (with_arg) {
    part.tile.arg = operand_address(&operands[ARG]);
    part.tile.arg_step = plan->arg_step * (int64_t)sizeof(int64_t);
    part.tile.position_row = last < 0 ? 0 : operands[POSITION].strides[last];
    part.tile.arg_none = plan->arg_none;
    part.tile.fresh = plan->fresh;
  }
  bool blocks = !part.straight || part.convert_src;
  walk_rows(&part.outer, 0, plan_numel(&part.outer), blocks ? BLOCK : INT64_MAX, visit, &part);
}

/* ------------------------------------------------------------------------------------------------------ threads */

struct shares {
  const struct scatter_plan *plan;
  int64_t parts;
  int dim; /* that is cut; -1: the range of index values is */
  atomic_bool *bad;
};

static int64_t share_begin(int64_t size, int64_t parts, int64_t i) {
  return size / parts * i + size % parts * i / parts;
}

static void run_share(void *shares_, int64_t i) {
  const struct shares *shares = shares_;
  const struct scatter_plan *plan = shares->plan;
  int d = shares->dim;
  int64_t size = d < 0 ? plan->size : plan->plan.sizes[d];
  int64_t begin = share_begin(size, shares->parts, i), end = share_begin(size, shares->parts, i + 1);
  if (begin == end) return;
  if (d < 0) {
    run_part(plan, begin, end - begin, shares->bad);
    return;
  }
  struct scatter_plan cut = *plan;
  cut.plan.sizes[d] = end - begin;
  for (int k = 0; k < plan->plan.count; k++) cut.plan.operands[k].offset += begin * cut.plan.operands[k].strides[d];
  run_part(&cut, 0, plan->size, shares->bad);
}

/* The dimension to cut: an outer one along which self moves; else the last one where index moves, too, and a share is
   still some cache lines wide. -1: none will do. */
static int dim_to_cut(const struct plan *plan, int64_t threads) {
  const struct operand *self = &plan->operands[SELF];
  int last = plan->rank - 1;
  for (int d = 0; d < last; d++)
    if (self->strides[d] != 0 && plan->sizes[d] >= threads) return d;
  if (last < 0 || self->strides[last] == 0 || plan->operands[INDEX].strides[last] == 0) return -1;
  int64_t row_bytes = plan->sizes[last] * self->strides[last] * (int64_t)strew_dtype_size_bytes(self->dtype);
  return row_bytes >= threads * CACHE_LINE ? last : -1;
}

/* Bytes from the first to the last that a target of the plan may write. */
static size_t target_bytes(const struct scatter_plan *plan, int i, int64_t step) {
  int64_t last = (plan->size - 1) * step;
  for (int d = 0; d < plan->plan.rank; d++) last += (plan->plan.sizes[d] - 1) * plan->plan.operands[i].strides[d];
  return (size_t)(last + 1) * strew_dtype_size_bytes(plan->plan.operands[i].dtype);
}

/* Owners of values each walk the whole index: that is no gain where all of self lies in a core's cache and a
   contribution costs no more than to look whose it is (10 M float32 into 10 k places: 13 ms on one thread, as much on
   two owners). */
static int64_t owners(const strew_context *context, const struct scatter_plan *plan) {
  enum { GRAINS_OF_CACHE = 4, WIDE_ROW = 8 };
  int64_t threads = context->threads;
  const struct plan *p = &plan->plan;
  int last = p->rank - 1;
  bool wide = last >= 0 && p->operands[INDEX].strides[last] == 0 && p->sizes[last] >= WIDE_ROW;
  if (!wide && target_bytes(plan, SELF, plan->step) < GRAINS_OF_CACHE * context->grain_bytes) return 1;
  return plan->size < threads ? plan->size : threads;
}

static void run_shares(strew_context *context, const struct scatter_plan *plan, atomic_bool *bad) {
  const struct operand *operands = plan->plan.operands;
  size_t bytes_per_place = strew_dtype_size_bytes(operands[INDEX].dtype) + strew_dtype_size_bytes(operands[SRC].dtype);
  struct shares shares = {.plan = plan, .dim = -1, .bad = bad};
  int64_t threads = context->threads, parts = pool_parts(context, plan_numel(&plan->plan) * (int64_t)bytes_per_place);
  if (parts <= 1) {
    run_part(plan, 0, plan->size, bad);
    return;
  }
  shares.dim = dim_to_cut(&plan->plan, threads);
  int64_t most = shares.dim < 0 ? owners(context, plan) : plan->plan.sizes[shares.dim];
  shares.parts = parts < most ? parts : most;
  if (shares.parts <= 1)
    run_part(plan, 0, plan->size, bad);
  else
    pool_run(context, shares.parts, run_share, &shares);
}

/* ------------------------------------------------------------------------------------------------------- checks */

/* Is it worth while to keep a copy of self? */
static bool is_small(const struct scatter_plan *plan, size_t bytes) {
  enum { TIMES = 4 };
  struct plan values;
  plan_operand_values(&values, &plan->plan, INDEX);
  return bytes * TIMES <= (size_t)plan_numel(&values) * strew_dtype_size_bytes(values.operands[0].dtype);
}

/* Checks values on the way, with a copy of self to put back. False where that does not pay or memory lacks: nothing was
   done then. */
static bool run_checking(strew_context *context, const struct scatter_plan *plan, bool *bad) {
  char *self = operand_address(&plan->plan.operands[SELF]), little[1024];
  void *copy = NULL;
  size_t bytes = 0;
  if (plan->size < 1) return false;
  if (!plan->disposable) {
    bytes = target_bytes(plan, SELF, plan->step);
    bool wrapped = plan->plan.operands[SELF].storage->wrapped; /* a host may be writing between self's elements */
    if (plan->plan.count > ARG || wrapped) return false;
    if (bytes <= sizeof little)
      copy = little;
    else if (!is_small(plan, bytes) || !(copy = memory_take(context, bytes)))
      return false;
    memcpy(copy, self, bytes);
  }
  atomic_bool met;
  atomic_init(&met, false);
  run_shares(context, plan, &met);
  *bad = atomic_load(&met);
  if (*bad && copy) memcpy(self, copy, bytes);
  if (copy != little) memory_give(context, copy, bytes);
  return true;
}

static strew_status check_first(const struct call *call, strew_device *device, const struct scatter_plan *plan,
                                bool *bad) {
  struct plan values;
  int64_t place;
  plan_operand_values(&values, &plan->plan, INDEX);
  plan_simplify(&values);
  strew_status status = cpu_index_check(call, device, &values, plan->lowest, plan->size - 1, &place);
  *bad = place >= 0;
  return status;
}

strew_status cpu_scatter(const struct call *call, strew_device *device, const struct scatter_plan *plan, bool *bad) {
  strew_status status = STREW_OK;
  *bad = false;
  if (plan->check && run_checking(device->context, plan, bad)) return status;
  if (plan->check) status = check_first(call, device, plan, bad);
  if (status == STREW_OK && !*bad) run_shares(device->context, plan, NULL);
  return status;
}

/* ------------------------------------------------------------------------------------------------------- means */

struct division {
  void (*divide)(const struct row *row, int64_t extra);
  int64_t extra;
};

static void divide_visit(void *division_, const struct row *row) {
  const struct division *division = division_;
  division->divide(row, division->extra);
}

strew_status cpu_divide_by_count(const struct call *call, strew_device *device, const struct plan *plan,
                                 int64_t extra) {
  (void)call;
  static void (*const divide[STREW_DTYPE_COUNT])(const struct row *row, int64_t extra) = {
#define ROW(ENUM, s, ...) [STREW_##ENUM] = divide_row_##s,
      STREW_DTYPES(ROW)
#undef ROW
  };
  struct division division = {divide[plan->operands[0].dtype], extra};
  walk_rows_parallel(device->context, plan, INT64_MAX, divide_visit, &division);
  return STREW_OK;
}
