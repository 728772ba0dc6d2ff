/* number_by_table.c: the numbering of codes of a small range: a table holds the position of each code's first element,
   then the number of its group. Codes are made of the columns once, and kept where the ids will be, if these are as
   wide. */
#include "numbering.h"

#include <string.h>

/* ------------------------------------------------------------------------------------------------------------ table */

#define NO_ENTRY UINT32_MAX

struct table {
  struct numbering *n;
  const struct column *columns;
  int count;
  strew_tensor *codes, *ids; /* of dtypes of ids */
  _Atomic uint32_t *entries; /* of each code */
  bool is_numbered;          /* numbers are the codes */
};

bool table_fits(const struct numbering *n) {
  const uint64_t most = n->count > TABLE_MIN ? (uint64_t)n->count : TABLE_MIN;
  return n->range && n->range <= most && n->range <= TABLE_MAX && n->count < NO_ENTRY;
}

static uint32_t entry_at(const struct table *table, uint64_t code) {
  return atomic_load_explicit(&table->entries[code], memory_order_relaxed);
}

static void set_entry(const struct table *table, uint64_t code, int64_t number) {
  atomic_store_explicit(&table->entries[code], (uint32_t)number, memory_order_relaxed);
}

/* ------------------------------------------------------------------------------------------------------------ codes */

/* Makes the codes of some elements of all columns. */
static void join_codes(const struct table *table, int64_t first, int64_t count, uint32_t *codes) {
  uint32_t own[CODES_BLOCK];
  read_small_codes(&table->columns[0], first, count, codes);
  for (int c = 1; c < table->count; c++) {
    const uint32_t range = (uint32_t)table->columns[c].range;
    read_small_codes(&table->columns[c], first, count, own);
    for (int64_t i = 0; i < count; i++) codes[i] = codes[i] * range + own[i];
  }
}

/* Elements come in order within a part: few precede the first one so far. */
static void find_first(const struct table *table, const uint32_t *codes, int64_t first, int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    _Atomic uint32_t *entry = &table->entries[codes[i]];
    const uint32_t position = (uint32_t)(first + i);
    uint32_t found = atomic_load_explicit(entry, memory_order_relaxed);
    while (position < found && !atomic_compare_exchange_weak_explicit(entry, &found, position, memory_order_relaxed,
                                                                      memory_order_relaxed)) {
    }
  }
}

static void keep_codes(const uint32_t *codes, int64_t count, strew_dtype dtype, void *to) {
  uint8_t *bytes = to;
  uint16_t *halves = to;
  for (int64_t i = 0; i < count && dtype == STREW_UINT8; i++) bytes[i] = (uint8_t)codes[i];
  for (int64_t i = 0; i < count && dtype == STREW_INT16; i++) halves[i] = (uint16_t)codes[i];
}

static void find_elements(void *table_, int64_t part, int64_t begin, int64_t end) {
  const struct table *table = table_;
  const strew_dtype dtype = table->codes->dtype;
  uint32_t block[CODES_BLOCK];
  (void)part;
  for (int64_t count; begin < end; begin += count) {
    void *to = dense_at(table->codes, begin);
    uint32_t *codes = dtype == STREW_INT32 ? to : block;
    count = least(CODES_BLOCK, end - begin);
    join_codes(table, begin, count, codes);
    find_first(table, codes, begin, count);
    keep_codes(codes, count, dtype, to);
  }
}

/* Looks up the numbers of codes of type F, as ids of type T. */
#define LOOK(F, T)                                                                                                     \
  static void look_##F##_##T(const struct table *table, int64_t begin, int64_t end) {                                  \
    const F *codes = dense_at(table->codes, 0);                                                                        \
    T *ids = dense_at(table->ids, 0);                                                                                  \
    for (int64_t i = begin; i < end; i++) ids[i] = (T)entry_at(table, codes[i]);                                       \
  }
LOOK(uint8_t, uint8_t)
LOOK(uint16_t, uint8_t)
LOOK(uint16_t, uint16_t)
LOOK(uint32_t, uint8_t)
LOOK(uint32_t, uint16_t)
LOOK(uint32_t, uint32_t)

static void look_elements(void *table_, int64_t part, int64_t begin, int64_t end) {
  static void (*const by_bytes[][5])(const struct table *, int64_t, int64_t) = {
      [1] = {[1] = look_uint8_t_uint8_t},
      [2] = {[1] = look_uint16_t_uint8_t, [2] = look_uint16_t_uint16_t},
      [4] = {[1] = look_uint32_t_uint8_t, [2] = look_uint32_t_uint16_t, [4] = look_uint32_t_uint32_t}};
  const struct table *table = table_;
  (void)part;
  by_bytes[dtype_bytes(table->codes->dtype)][dtype_bytes(table->ids->dtype)](table, begin, end);
}

/* ---------------------------------------------------------------------------------------------------------- numbers */

/* Counts the codes that occur, and adds their first positions to a bitmap, unless it is NULL. */
static void count_codes(struct table *table, struct bitmap *bitmap) {
  struct numbering *n = table->n;
  n->groups = 0;
  for (uint64_t code = 0; code < n->range && (code % CHUNK || !context_stops(n->context)); code++) {
    const uint32_t first = entry_at(table, code);
    if (first == NO_ENTRY) continue;
    n->groups++;
    if (bitmap) bitmap_add(bitmap, first);
  }
}

/* Replaces positions by numbers: those of the codes' order, or by a bitmap. */
static void number_codes(struct table *table, const struct bitmap *bitmap) {
  struct numbering *n = table->n;
  int64_t number = 0;
  table->is_numbered = true;
  for (uint64_t code = 0; code < n->range && (code % CHUNK || !context_stops(n->context)); code++) {
    const uint32_t first = entry_at(table, code);
    if (first == NO_ENTRY) continue;
    if (!bitmap && n->positions) n->positions[number] = first;
    const int64_t own = bitmap ? bitmap_rank(bitmap, first) : number++;
    set_entry(table, code, own);
    table->is_numbered &= own == (int64_t)code;
  }
}

/* Makes the ids of the codes: in their place, if they are as wide. */
static strew_status look_up(struct table *table) {
  struct numbering *n = table->n;
  RETURN_IF_FAILED(make_ids(n, (uint64_t)n->groups, &table->ids));
  if (table->ids->dtype == table->codes->dtype) {
    strew_release(table->ids);
    table->ids = strew_retain(table->codes);
    if (table->is_numbered) return context_end(n->call, n->context, NULL);
  }
  return run_phase(n, look_elements, table);
}

static strew_status number_all(struct table *table, struct bitmap *bitmap, strew_tensor **positions) {
  struct numbering *n = table->n;
  RETURN_IF_FAILED(make_ids(n, n->range, &table->codes));
  strew_status status = run_phase(n, find_elements, table);
  if (status == STREW_OK) count_codes(table, bitmap);
  TRY(status, context_end(n->call, n->context, NULL));
  TRY(status, make_positions(n, positions));
  if (status != STREW_OK) return status;
  if (bitmap) bitmap_count(n, bitmap);
  number_codes(table, bitmap);
  return look_up(table);
}

strew_status number_by_table(struct numbering *n, const struct column *columns, int count, strew_tensor **ids,
                             strew_tensor **positions) {
  struct table table = {.n = n, .columns = columns, .count = count};
  struct bitmap bitmap = {0, NULL, NULL};
  const uint64_t bytes = (uint64_t)n->range * sizeof *table.entries;
  ALLOCATE(table.entries, n->call, n->context, bytes);
  memset((void *)table.entries, 0xff, bytes);
  strew_status status = n->first ? bitmap_open(n, &bitmap) : STREW_OK;
  TRY(status, number_all(&table, n->first ? &bitmap : NULL, positions));
  bitmap_close(n, &bitmap);
  memory_free(n->context, (void *)table.entries, bytes);
  strew_release(table.codes);
  if (status != STREW_OK) return strew_release(table.ids), status;
  return *ids = table.ids, STREW_OK;
}
