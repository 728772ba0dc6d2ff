/* number_by_partition.c: the numbering of codes by first elements, where most codes differ: a hash join's partitioning.
   Elements are partitioned by the highest bits of their hashes, those of a partition stay in order of position; then
   each partition is looked up in a table that the cache holds. The hash is a bijection (key_hash): codes are not
   needed. */
#include "numbering.h"
#include "runtime/groups/key_table.h"

#include <string.h>

struct hashed {
  uint64_t hash;
  int64_t position;
};

struct partitioning {
  struct numbering *n;
  uint64_t seed;
  int bits;        /* highest ones of a hash: the number of its partition */
  int64_t *starts; /* of each partition in `items`; one more for the end */
  int64_t *places; /* of each part, for each partition: a count, then where its next item goes */
  struct hashed *items;
  int64_t most;   /* items of a partition that threads look up side by side */
  int64_t *slots; /* of each part, table_size(most) of them */
  struct bitmap bitmap;
};

static int64_t partitions_of(const struct partitioning *p) { return INT64_C(1) << p->bits; }

static int64_t partition_of(const struct partitioning *p, uint64_t hash) {
  return (int64_t)(hash >> 1 >> (63 - p->bits));
}

/* ------------------------------------------------------------------------------------------------------- partitions */

static void count_items(void *partitioning, int64_t part, int64_t begin, int64_t end) {
  const struct partitioning *p = partitioning;
  int64_t *counts = p->places + part * partitions_of(p);
  for (int64_t i = begin; i < end; i++) counts[partition_of(p, key_hash(p->seed, &p->n->codes[i], 1))]++;
}

static void place_items(void *partitioning, int64_t part, int64_t begin, int64_t end) {
  const struct partitioning *p = partitioning;
  int64_t *places = p->places + part * partitions_of(p);
  for (int64_t i = begin; i < end; i++) {
    const uint64_t hash = key_hash(p->seed, &p->n->codes[i], 1);
    p->items[places[partition_of(p, hash)]++] = (struct hashed){hash, i};
  }
}

/* Turns counts into places: partition by partition, in each part by part. */
static void add_up(const struct partitioning *p) {
  int64_t before = 0;
  for (int64_t k = 0; k < partitions_of(p); k++) {
    p->starts[k] = before;
    for (int64_t part = 0; part < p->n->parts; part++) {
      int64_t *place = &p->places[part * partitions_of(p) + k];
      const int64_t count = *place;
      *place = before;
      before += count;
    }
  }
  p->starts[partitions_of(p)] = before;
}

/* ----------------------------------------------------------------------------------------------------------- tables */

/* Slots of a table for `count` items, of which at least half stay free. */
static int64_t table_size(int64_t count) {
  int64_t size = 1;
  while (size < 2 * count) size *= 2;
  return size;
}

static int64_t items_in(const struct partitioning *p, int64_t partition) {
  return p->starts[partition + 1] - p->starts[partition];
}

/* Replaces the codes of items begin .. end - 1 by the positions of the first ones that have them. A slot has the number
   of an item + 1; 0: free. */
static void find_in_chunk(const struct partitioning *p, const struct hashed *items, int64_t begin, int64_t end,
                          int64_t *slots, int64_t mask) {
  for (int64_t i = begin; i < end; i++) {
    int64_t at = (int64_t)items[i].hash & mask;
    while (slots[at] && items[slots[at] - 1].hash != items[i].hash) at = (at + 1) & mask;
    if (!slots[at]) slots[at] = i + 1;
    p->n->codes[items[i].position] = (uint64_t)items[slots[at] - 1].position;
  }
}

static void find_first(const struct partitioning *p, int64_t partition, int64_t *slots) {
  const int64_t count = items_in(p, partition), mask = table_size(count) - 1;
  memset(slots, 0, (size_t)(mask + 1) * sizeof *slots);
  for (int64_t i = 0; i < count && !context_stops(p->n->context); i += CHUNK)
    find_in_chunk(p, p->items + p->starts[partition], i, least(count, i + CHUNK), slots, mask);
}

static void find_part(void *partitioning, int64_t part) {
  const struct partitioning *p = partitioning;
  const int64_t end = part_begin(partitions_of(p), p->n->parts, part + 1);
  int64_t *slots = p->slots + part * table_size(p->most);
  for (int64_t k = part_begin(partitions_of(p), p->n->parts, part); k < end; k++)
    if (items_in(p, k) <= p->most) find_first(p, k, slots);
}

/* Partitions larger than `most` have codes with many duplicates: one table serves them in turn. */
static strew_status find_in_large(struct partitioning *p) {
  const struct numbering *n = p->n;
  int64_t largest = 0;
  for (int64_t k = 0; k < partitions_of(p); k++)
    if (items_in(p, k) > largest) largest = items_in(p, k);
  if (largest <= p->most) return STREW_OK;
  const uint64_t bytes = (uint64_t)table_size(largest) * sizeof *p->slots;
  ALLOCATE_NEW(int64_t *, slots, n->call, n->context, bytes);
  for (int64_t k = 0; k < partitions_of(p); k++)
    if (items_in(p, k) > p->most) find_first(p, k, slots);
  memory_free(n->context, slots, bytes);
  return context_end(n->call, n->context, NULL);
}

static strew_status find_all(struct partitioning *p) {
  const struct numbering *n = p->n;
  const uint64_t bytes = (uint64_t)(n->parts * table_size(p->most)) * sizeof *p->slots;
  ALLOCATE(p->slots, n->call, n->context, bytes);
  pool_run(n->context, n->parts, find_part, p);
  memory_free(n->context, p->slots, bytes);
  RETURN_IF_FAILED(context_end(n->call, n->context, NULL));
  return find_in_large(p);
}

/* ---------------------------------------------------------------------------------------------------------- numbers */

/* Most elements are the first ones of their groups, whose numbers follow one another. */
static void number_elements(void *partitioning, int64_t part, int64_t begin, int64_t end) {
  const struct partitioning *p = partitioning;
  uint64_t *codes = p->n->codes;
  int64_t next = bitmap_rank(&p->bitmap, begin);
  (void)part;
  for (int64_t i = begin; i < end; i++)
    codes[i] = (uint64_t)(codes[i] == (uint64_t)i ? next++ : bitmap_rank(&p->bitmap, (int64_t)codes[i]));
}

static strew_status number_groups(struct partitioning *p, strew_tensor **positions) {
  struct numbering *n = p->n;
  n->groups = 0;
  for (int64_t i = 0; i < n->count && (i % CHUNK || !context_stops(n->context)); i += 64) {
    const int64_t count = least(64, n->count - i);
    uint64_t firsts = 0;
    for (int64_t k = 0; k < count; k++) firsts |= (uint64_t)(n->codes[i + k] == (uint64_t)(i + k)) << k;
    p->bitmap.words[i / 64] = firsts;
    n->groups += __builtin_popcountll(firsts);
  }
  RETURN_IF_FAILED(context_end(n->call, n->context, NULL));
  RETURN_IF_FAILED(make_positions(n, positions));
  bitmap_count(n, &p->bitmap);
  return run_phase(n, number_elements, p);
}

/* ------------------------------------------------------------------------------------------------------- whole call */

static strew_status partition(struct partitioning *p) {
  const struct numbering *n = p->n;
  const uint64_t bytes = (uint64_t)n->count * sizeof *p->items;
  ALLOCATE(p->items, n->call, n->context, bytes);
  p->seed = (uint64_t)(uintptr_t)p->items;
  strew_status status = run_phase(n, count_items, p);
  if (status == STREW_OK) add_up(p);
  TRY(status, run_phase(n, place_items, p));
  TRY(status, find_all(p));
  memory_free(n->context, p->items, bytes);
  return status;
}

strew_status number_by_partition(struct numbering *n, strew_tensor **positions) {
  struct partitioning p = {.n = n};
  while (p.bits < PARTITION_BITS && n->count >> p.bits > PARTITION_ITEMS) p.bits++;
  p.most = 2 * (n->count >> p.bits) + PARTITION_ITEMS;
  const uint64_t words = (uint64_t)((n->parts + 1) * partitions_of(&p) + 1), bytes = words * sizeof *p.starts;
  ALLOCATE(p.starts, n->call, n->context, bytes);
  memset(p.starts, 0, bytes);
  p.places = p.starts + partitions_of(&p) + 1;
  strew_status status = partition(&p);
  memory_free(n->context, p.starts, bytes);
  TRY(status, bitmap_open(n, &p.bitmap));
  TRY(status, number_groups(&p, positions));
  bitmap_close(n, &p.bitmap);
  return status;
}
