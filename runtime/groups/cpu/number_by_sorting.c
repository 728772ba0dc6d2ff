/* number_by_sorting.c: the numbering of codes by sorting them: a group begins where a code differs from the one before
   it. */
#include "numbering.h"
#include "runtime/order/order_ops.h"

/* Codes in order, and their positions; the number of groups that begin in each part, then before it. */
struct sorting {
  struct numbering *n;
  const int64_t *codes, *positions;
  int64_t *begun;
};

static bool begins(const struct sorting *sorting, int64_t i) {
  return i == 0 || sorting->codes[i] != sorting->codes[i - 1];
}

static void count_begun(void *sorting_, int64_t part, int64_t begin, int64_t end) {
  struct sorting *sorting = sorting_;
  int64_t begun = 0;
  for (int64_t i = begin; i < end; i++) begun += begins(sorting, i);
  sorting->begun[part] += begun;
}

/* Elements of a group are sorted by position, so that the first one begins it. */
static void number_sorted(void *sorting_, int64_t part, int64_t begin, int64_t end) {
  struct sorting *sorting = sorting_;
  const struct numbering *n = sorting->n;
  int64_t number = sorting->begun[part] - 1; /* of the group that began last */
  for (int64_t i = begin; i < end; i++) {
    if (begins(sorting, i) && (number++, n->positions)) n->positions[number] = sorting->positions[i];
    n->codes[sorting->positions[i]] = (uint64_t)number;
  }
  sorting->begun[part] = number + 1;
}

/* Codes are sorted as int64: those of all 64 bits have their highest one turned. */
strew_status sort_codes(const struct numbering *n, uint64_t *codes, int64_t count, strew_tensor **values,
                        strew_tensor **order) {
  struct storage storage = {.device = n->device, .data = codes, .size_bytes = (size_t)count * sizeof *codes};
  const strew_tensor in = {.dtype = STREW_INT64, .rank = 1, .storage = &storage, .sizes = {count}, .strides = {1}};
  struct sort_plan sort = {.keep = count};
  if (!n->range || n->range > INT64_MAX)
    for (int64_t i = 0; i < count && (i % CHUNK || !context_stops(n->context)); i++) codes[i] ^= UINT64_C(1) << 63;
  RETURN_IF_FAILED(tensor_create(n->call, n->device, STREW_INT64, 1, &count, values));
  RETURN_IF_FAILED(tensor_create(n->call, n->device, STREW_INT64, 1, &count, order));
  PLAN(&sort.plan, 1, &count, *values, *order, &in);
  return n->device->ops->order->sort(n->call, n->device, &sort);
}

/* Turns what each part has into what all before it have. */
static void add_up(struct sorting *sorting) {
  int64_t before = 0;
  for (int64_t part = 0; part < sorting->n->parts; part++) {
    const int64_t begun = sorting->begun[part];
    sorting->begun[part] = before;
    before += begun;
  }
  sorting->n->groups = before;
}

static strew_status number_ordered(struct sorting *sorting, strew_tensor **positions) {
  struct numbering *n = sorting->n;
  const size_t bytes = (size_t)n->parts * sizeof *sorting->begun;
  ALLOCATE(sorting->begun, n->call, n->context, bytes);
  for (int64_t part = 0; part < n->parts; part++) sorting->begun[part] = 0;
  strew_status status = run_phase(n, count_begun, sorting);
  add_up(sorting);
  TRY(status, make_positions(n, positions));
  TRY(status, run_phase(n, number_sorted, sorting));
  memory_free(n->context, sorting->begun, bytes);
  return status;
}

strew_status number_by_sorting(struct numbering *n, strew_tensor **positions) {
  struct sorting sorting = {.n = n};
  strew_tensor *values = NULL, *order = NULL;
  strew_status status = sort_codes(n, n->codes, n->count, &values, &order);
  if (status == STREW_OK) {
    sorting.codes = values->storage->data;
    sorting.positions = order->storage->data;
    status = number_ordered(&sorting, positions);
  }
  strew_release(values);
  strew_release(order);
  return status;
}
