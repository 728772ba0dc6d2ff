/* number_keys.c: the numbering of keys on the CPU.

   Elements of all columns become one code: a number in 0 .. range - 1 in the order of the keys, made of the columns'
   sort keys less their least ones (mixed radix). Codes of a small range are numbered by a table, others by hashing; if
   most of them differ, by partitioning, or by sorting if that is the order of the groups. Where 64 bits are too few for
   codes, columns are numbered by themselves first: of n elements there are no more than n numbers. All of this takes
   time proportional to the elements, whatever the keys.

   Ids are of the narrowest dtype that holds the numbers of all groups: what walks over them reads less memory. */
#include "numbering.h"
#include "runtime/groups/group_ops.h"

GROUP_ENTRIES(CPU_FUNCTION, CPU_FUNCTION)

/* -------------------------------------------------------------------------------------------------- codes in memory */

/* A column that is being added. */
struct adding {
  const struct numbering *n; /* of the codes that it is made into */
  const struct column *column;
  bool joins; /* codes become codes * range + the column's */
};

static void code_elements(void *adding_, int64_t part, int64_t begin, int64_t end) {
  const struct adding *adding = adding_;
  uint64_t own[CODES_BLOCK];
  (void)part;
  for (int64_t count; begin < end; begin += count) {
    uint64_t *codes = adding->n->codes + begin;
    count = least(CODES_BLOCK, end - begin);
    read_codes(adding->column, begin, count, own);
    for (int64_t i = 0; i < count; i++) codes[i] = adding->joins ? codes[i] * adding->column->range + own[i] : own[i];
  }
}

static strew_status code_column(const struct numbering *n, const struct column *column, bool joins) {
  struct adding adding = {n, column, joins};
  return run_phase(n, code_elements, &adding);
}

/* Replaces codes by the numbers of their groups. `positions` may be NULL. */
static strew_status number_codes(struct numbering *n, strew_tensor **positions) {
  strew_status status = number_by_hash(n, positions);
  if (status != STREW_DECLINED) return status;
  return n->first ? number_by_partition(n, positions) : number_by_sorting(n, positions);
}

/* -------------------------------------------------------------------------------------------------- several columns */

/* True if codes of two ranges can be joined; *range: of those. */
static bool fit_together(uint64_t one, uint64_t other, uint64_t *range) {
  return one && other && !__builtin_mul_overflow(one, other, range);
}

/* Replaces codes by their groups' numbers in order, if that makes their range smaller. */
static strew_status condense(struct numbering *n) {
  struct numbering dense = *n;
  dense.first = false;
  dense.positions = NULL;
  if (n->range && n->range <= (uint64_t)n->count) return STREW_OK;
  strew_status status = number_codes(&dense, NULL);
  n->range = (uint64_t)dense.groups;
  return status;
}

/* Codes to join, and the codes of a column that was numbered by itself. */
struct joining {
  const struct numbering *n, *own;
};

static void join_codes(void *joining_, int64_t part, int64_t begin, int64_t end) {
  const struct joining *joining = joining_;
  uint64_t *codes = joining->n->codes;
  (void)part;
  for (int64_t i = begin; i < end; i++) codes[i] = codes[i] * joining->own->range + joining->own->codes[i];
}

/* Joins a column that is numbered by itself first, in memory of its own. */
static strew_status join_condensed(struct numbering *n, const struct column *column) {
  struct numbering own = *n;
  strew_tensor *codes = NULL;
  uint64_t range;
  RETURN_IF_FAILED(tensor_create(n->call, n->device, STREW_INT64, 1, &n->count, &codes));
  own.codes = codes->storage->data;
  own.range = column->range;
  strew_status status = code_column(&own, column, false);
  TRY(status, condense(&own));
  if (status == STREW_OK && !fit_together(n->range, own.range, &range))
    status = fail(n->call, FAULT(STREW_ESHAPE, "keys"), "have more than 2^64 combinations of values");
  if (status == STREW_OK) {
    struct joining joining = {n, &own};
    status = run_phase(n, join_codes, &joining);
    n->range = range;
  }
  strew_release(codes);
  return status;
}

/* Joins a column to the codes. */
static strew_status add_column(struct numbering *n, const struct column *column) {
  uint64_t range = 0;
  strew_status status = STREW_OK;
  if (!fit_together(n->range, column->range, &range)) {
    status = condense(n);
    if (status == STREW_OK && !fit_together(n->range, column->range, &range)) return join_condensed(n, column);
  }
  TRY(status, code_column(n, column, true));
  n->range = range;
  return status;
}

/* ------------------------------------------------------------------------------------------------------- narrow ids */

/* Makes ids of the numbers in place of the codes. */
static strew_status narrow(const struct numbering *n, strew_tensor *codes, strew_tensor **ids) {
  const int64_t count = n->count;
  struct plan plan;
  RETURN_IF_FAILED(make_ids(n, (uint64_t)n->groups, ids));
  PLAN(&plan, 1, &count, *ids, codes);
  return cpu_copy(n->call, n->device, &plan);
}

/* The codes of a small range in memory are a column for a table. */
static strew_status number_joined(struct numbering *n, strew_tensor *codes, strew_tensor **ids,
                                  strew_tensor **positions) {
  const uint64_t turned = UINT64_C(1) << 63; /* sort keys of int64 */
  const struct column column = {codes, turned, turned + n->range - 1, n->range};
  if (table_fits(n)) return number_by_table(n, &column, 1, ids, positions);
  strew_status status = number_codes(n, positions);
  return TRY(status, narrow(n, codes, ids));
}

static strew_status number_in_memory(struct numbering *n, const struct column *columns, int count, strew_tensor **ids,
                                     strew_tensor **positions) {
  strew_tensor *codes = NULL;
  RETURN_IF_FAILED(tensor_create(n->call, n->device, STREW_INT64, 1, &n->count, &codes));
  n->codes = codes->storage->data;
  n->range = columns[0].range;
  strew_status status = code_column(n, &columns[0], false);
  for (int c = 1; c < count && status == STREW_OK; c++) status = add_column(n, &columns[c]);
  TRY(status, number_joined(n, codes, ids, positions));
  strew_release(codes);
  return status;
}

/* ------------------------------------------------------------------------------------------------------- whole call */

static strew_status number_columns(struct numbering *n, struct column *columns, int count, strew_tensor **ids,
                                   strew_tensor **positions) {
  bool fits = true;
  n->range = 1;
  for (int c = 0; c < count; c++) {
    RETURN_IF_FAILED(find_bounds(n, &columns[c]));
    fits = fits && fit_together(n->range, columns[c].range, &n->range);
  }
  if (fits && table_fits(n)) return number_by_table(n, columns, count, ids, positions);
  return number_in_memory(n, columns, count, ids, positions);
}

strew_status cpu_number_keys(const struct call *call, strew_device *device, int count, strew_tensor *const *keys,
                             strew_key_order order, strew_tensor **ids, strew_tensor **positions) {
  strew_context *context = device->context;
  struct numbering n = {.call = call,
                        .context = context,
                        .device = device,
                        .count = keys[0]->sizes[0],
                        .first = order == STREW_KEYS_FIRST};
  const size_t bytes = (size_t)count * sizeof(struct column);
  ALLOCATE_NEW(struct column *, columns, call, context, bytes);
  n.parts = least(pool_parts(context, work_bytes(n.count, 2 * sizeof *n.codes)), NUMBERING_PARTS);
  for (int c = 0; c < count; c++) columns[c].key = keys[c];
  strew_status status = number_columns(&n, columns, count, ids, positions);
  memory_free(context, columns, bytes);
  return status;
}
