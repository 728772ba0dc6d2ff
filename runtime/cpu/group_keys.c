/* group_keys.c: the numbering of keys on the CPU.

   Elements of all columns become one code: a number in 0 .. range - 1 in the order of the keys, made of the columns'
   sort keys less their least ones (mixed radix). Where 64 bits are too few for that, columns are numbered by themselves
   first: of n elements there are no more than n numbers. Codes are written where the ids will be.

   Codes of a small range are numbered by a table, others by hashing, or by sorting if most of them differ. All of this
   takes time proportional to the elements, whatever the keys. */
#include "group_keys.h"

enum { MOST_COLUMN_PARTS = 1024 }; /* of the pass for a column's bounds */

/* -------------------------------------------------------------------------------------------------------------- columns */

/* A column that is being added, and what parts of the elements found. */
struct adding {
  const struct numbering *n; /* of the codes that it is made into */
  struct column column;
  bool joins; /* codes become codes * range + the column's */
  struct {
    uint64_t least, most;
  } of[MOST_COLUMN_PARTS];
};

static void bound_elements(void *adding_, int64_t part, int64_t begin, int64_t end) {
  struct adding *adding = adding_;
  uint64_t keys[KEYS_AT_ONCE], lowest = adding->of[part].least, highest = adding->of[part].most;
  for (int64_t count; begin < end; begin += count) {
    count = least(KEYS_AT_ONCE, end - begin);
    group_read_keys(adding->column.key, begin, count, keys);
    for (int64_t i = 0; i < count; i++) {
      lowest = keys[i] < lowest ? keys[i] : lowest;
      highest = keys[i] > highest ? keys[i] : highest;
    }
  }
  adding->of[part].least = lowest;
  adding->of[part].most = highest;
}

static void code_elements(void *adding_, int64_t part, int64_t begin, int64_t end) {
  const struct adding *adding = adding_;
  uint64_t keys[KEYS_AT_ONCE];
  (void)part;
  for (int64_t count; begin < end; begin += count) {
    uint64_t *codes = adding->n->codes + begin;
    count = least(KEYS_AT_ONCE, end - begin);
    group_read_keys(adding->column.key, begin, count, keys);
    group_code_keys(&adding->column, keys, count);
    for (int64_t i = 0; i < count; i++) codes[i] = adding->joins ? codes[i] * adding->column.range + keys[i] : keys[i];
  }
}

static void bound_part(void *adding, int64_t part) {
  run_phase(((struct adding *)adding)->n, part, bound_elements, adding);
}
static void code_part(void *adding, int64_t part) {
  run_phase(((struct adding *)adding)->n, part, code_elements, adding);
}

static strew_status find_bounds(const struct numbering *n, struct adding *adding) {
  struct column *column = &adding->column;
  column->least = UINT64_MAX, column->most = 0;
  for (int64_t part = 0; part < n->parts; part++) adding->of[part].least = UINT64_MAX, adding->of[part].most = 0;
  pool_run(n->context, n->parts, bound_part, adding);
  for (int64_t part = 0; part < n->parts; part++) {
    if (adding->of[part].least < column->least) column->least = adding->of[part].least;
    if (adding->of[part].most > column->most) column->most = adding->of[part].most;
  }
  column->range = column->most - column->least + 1;
  return context_end(n->call, n->context, NULL);
}

static strew_status code_column(const struct numbering *n, struct adding *adding) {
  pool_run(n->context, n->parts, code_part, adding);
  return context_end(n->call, n->context, NULL);
}

/* ------------------------------------------------------------------------------------------------------ several columns */

/* Replaces codes by the numbers of their groups. `positions` NULL: not wanted. */
static strew_status number_groups(struct numbering *n, strew_tensor **positions) {
  bool done = false;
  if (table_fits(n)) return number_by_table(n, positions);
  strew_status status = number_by_hash(n, positions, &done);
  return status == STREW_OK && !done ? number_by_sorting(n, positions) : status;
}

/* True if codes of n->range and of another range can be joined; *range: of those. */
static bool fits_together(const struct numbering *n, uint64_t other, uint64_t *range) {
  return n->range && other && !__builtin_mul_overflow(n->range, other, range);
}

/* Replaces codes by their groups' numbers in order, if that makes their range smaller. */
static strew_status condense(struct numbering *n) {
  struct numbering dense = *n;
  dense.first = false;
  dense.positions = NULL;
  if (n->range && n->range <= (uint64_t)n->count) return STREW_OK;
  strew_status status = number_groups(&dense, NULL);
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
static void join_part(void *joining, int64_t part) {
  run_phase(((struct joining *)joining)->n, part, join_codes, joining);
}

/* Joins a column that is numbered by itself first, in memory of its own. */
static strew_status join_condensed(struct numbering *n, struct adding *adding) {
  struct numbering own = *n;
  strew_tensor *codes = NULL;
  uint64_t range;
  strew_status status = tensor_create(n->call, n->device, STREW_INT64, 1, &n->count, &codes);
  if (status != STREW_OK) return status;
  own.codes = codes->storage->data;
  own.range = adding->column.range;
  adding->n = &own;
  adding->joins = false;
  status = code_column(n, adding);
  if (status == STREW_OK) status = condense(&own);
  if (status == STREW_OK && !fits_together(n, own.range, &range))
    status = fail(n->call, (struct fault){.code = STREW_ESHAPE, .argument = "keys"},
                  "have more than 2^64 combinations of values");
  if (status == STREW_OK) {
    struct joining joining = {n, &own};
    pool_run(n->context, n->parts, join_part, &joining);
    n->range = range;
    status = context_end(n->call, n->context, NULL);
  }
  strew_release(codes);
  return status;
}

/* Joins a column to the codes. */
static strew_status add_column(struct numbering *n, const strew_tensor *key) {
  struct adding adding = {.n = n, .column.key = key, .joins = true};
  uint64_t range = 0;
  strew_status status = find_bounds(n, &adding);
  if (status == STREW_OK && !fits_together(n, adding.column.range, &range)) {
    status = condense(n);
    if (status == STREW_OK && !fits_together(n, adding.column.range, &range)) return join_condensed(n, &adding);
  }
  if (status == STREW_OK) status = code_column(n, &adding);
  n->range = range;
  return status;
}

/* Begins with a column. Codes of a single one that a table numbers are not written. */
static strew_status begin_column(struct numbering *n, const strew_tensor *key, bool is_single, struct column *column) {
  struct adding adding = {.n = n, .column.key = key};
  strew_status status = find_bounds(n, &adding);
  n->range = adding.column.range;
  *column = adding.column;
  if (status != STREW_OK) return status;
  if (is_single && table_fits(n)) return n->column = column, STREW_OK;
  return code_column(n, &adding);
}

strew_status cpu_number_keys(const struct call *call, strew_device *device, int count, strew_tensor *const *keys,
                             strew_key_order order, strew_tensor *ids, strew_tensor **positions) {
  strew_context *context = device->context;
  struct column column;
  struct numbering n = {.call = call,
                        .context = context,
                        .device = device,
                        .codes = ids->storage->data,
                        .count = ids->sizes[0],
                        .first = order == STREW_KEYS_FIRST};
  n.parts = least(pool_parts(context, n.count * 2 * (int64_t)sizeof *n.codes), MOST_COLUMN_PARTS);
  strew_status status = begin_column(&n, keys[0], count == 1, &column);
  for (int i = 1; i < count && status == STREW_OK; i++) status = add_column(&n, keys[i]);
  return status == STREW_OK ? number_groups(&n, positions) : status;
}
