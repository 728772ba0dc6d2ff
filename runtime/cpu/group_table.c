/* group_table.c: the numbering of codes of a small range: a table holds the position of each code's first element, then
   the number of its group. */
#include "group_keys.h"

#include <stdatomic.h>
#include <string.h>

/* --------------------------------------------------------------------------------------------------------------- table */

enum {
  LEAST_TABLE = 1 << 12, /* entries that a table may have whatever the number of elements */
  MOST_TABLE = 1 << 24   /* entries of the largest table */
};
#define NO_ENTRY UINT32_MAX

struct table {
  struct numbering *n;
  _Atomic uint32_t *entries; /* of each code */
};

bool table_fits(const struct numbering *n) {
  const uint64_t most = n->count > LEAST_TABLE ? (uint64_t)n->count : LEAST_TABLE;
  return n->range && n->range <= most && n->range <= MOST_TABLE && n->count < NO_ENTRY;
}

static uint32_t entry_at(const struct table *table, uint64_t code) {
  return atomic_load_explicit(&table->entries[code], memory_order_relaxed);
}

static void set_entry(const struct table *table, uint64_t code, int64_t number) {
  atomic_store_explicit(&table->entries[code], (uint32_t)number, memory_order_relaxed);
}

/* Elements come in order within a part: few precede the first one so far. */
static void find_first(void *table_, const uint64_t *codes, int64_t first, int64_t count) {
  const struct table *table = table_;
  for (int64_t i = 0; i < count; i++) {
    _Atomic uint32_t *entry = &table->entries[codes[i]];
    const uint32_t position = (uint32_t)(first + i);
    uint32_t found = atomic_load_explicit(entry, memory_order_relaxed);
    while (position < found && !atomic_compare_exchange_weak_explicit(entry, &found, position, memory_order_relaxed,
                                                                      memory_order_relaxed)) {
    }
  }
}

static void look_up(void *table_, const uint64_t *codes, int64_t first, int64_t count) {
  const struct table *table = table_;
  uint64_t *ids = table->n->codes + first;
  for (int64_t i = 0; i < count; i++) { /* a code is new only if keys are changed meanwhile, in a mapped file */
    const uint32_t entry = entry_at(table, codes[i]);
    ids[i] = entry == NO_ENTRY ? 0 : entry;
  }
}

static void find_elements(void *table, int64_t part, int64_t begin, int64_t end) {
  (void)part;
  each_codes(((struct table *)table)->n, begin, end, find_first, table);
}
static void look_elements(void *table, int64_t part, int64_t begin, int64_t end) {
  (void)part;
  each_codes(((struct table *)table)->n, begin, end, look_up, table);
}
static void find_part(void *table, int64_t part) { run_phase(((struct table *)table)->n, part, find_elements, table); }
static void look_part(void *table, int64_t part) { run_phase(((struct table *)table)->n, part, look_elements, table); }

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
  for (uint64_t code = 0; code < n->range && (code % CHUNK || !context_stops(n->context)); code++) {
    const uint32_t first = entry_at(table, code);
    if (first == NO_ENTRY) continue;
    if (!bitmap && n->positions) n->positions[number] = first;
    set_entry(table, code, bitmap ? bitmap_rank(bitmap, first) : number++);
  }
}

static strew_status number_all(struct table *table, struct bitmap *bitmap, strew_tensor **positions) {
  struct numbering *n = table->n;
  pool_run(n->context, n->parts, find_part, table);
  count_codes(table, bitmap);
  strew_status status = context_end(n->call, n->context, NULL);
  if (status == STREW_OK) status = make_positions(n, positions);
  if (status != STREW_OK) return status;
  if (bitmap) bitmap_count(n, bitmap, n->positions);
  number_codes(table, bitmap);
  pool_run(n->context, n->parts, look_part, table);
  return context_end(n->call, n->context, NULL);
}

strew_status number_by_table(struct numbering *n, strew_tensor **positions) {
  struct table table = {.n = n};
  struct bitmap bitmap = {0, NULL, NULL};
  const size_t bytes = (size_t)n->range * sizeof *table.entries;
  table.entries = memory_allocate(n->context, bytes);
  if (!table.entries) return fail_memory(n->call, n->context, bytes);
  memset((void *)table.entries, 0xff, bytes);
  strew_status status = n->first ? bitmap_open(n, &bitmap) : STREW_OK;
  if (status == STREW_OK) status = number_all(&table, n->first ? &bitmap : NULL, positions);
  bitmap_close(n, &bitmap);
  memory_free(n->context, (void *)table.entries, bytes);
  return status;
}
