/* number_by_hash.c: the numbering of codes by hashing. Each thread numbers a part of the elements in a key table of its
   own (runtime/groups/key_table.h), in the order in which codes first appear, and leaves these numbers in place of the
   codes. Parts follow one another: adding their codes in turn to the first part's table numbers all in order of first
   appearance. Only these different codes are sorted, if that is the wanted order.

   A sample before, and counts during the pass, estimate how many codes are distinct: where most are, partitioning and
   sorting take less time and memory, and the codes are restored. */
#include "numbering.h"
#include "runtime/groups/key_table.h"

#include <string.h>

/* A part of the elements, numbered up to `done`. */
struct hashed_part {
  struct key_table table;
  int64_t begin, end, done;
  bool is_full;     /* its table */
  int64_t own;      /* groups of its own elements */
  int64_t known;    /* groups of the parts before it */
  int64_t *numbers; /* the numbers of its groups among all */
};

struct hashing {
  struct numbering *n;
  int64_t parts;
  struct hashed_part *at;
  bool is_over;   /* another way is better */
  int64_t *ranks; /* of all groups in the order of codes; NULL: not needed */
};

/* ------------------------------------------------------------------------------------------------------------ parts */

static void number_part(void *hashing_, int64_t i) {
  const struct hashing *hashing = hashing_;
  struct hashed_part *part = &hashing->at[i];
  struct key_table table = part->table;
  uint64_t *codes = hashing->n->codes;
  int64_t at = part->done;
  part->is_full = false;
  for (int64_t count; at < part->end; at += count) {
    count = least(KEY_BLOCK, part->end - at);
    if (at % CHUNK < KEY_BLOCK && context_stops(hashing->n->context)) break;
    part->is_full = !key_table_has_room(&table, count);
    if (part->is_full) break;
    key_table_find(&table, codes + at, count, (int64_t *)codes + at);
  }
  part->done = at;
  part->table = table;
}

static void restore_part(void *hashing_, int64_t i) {
  const struct hashing *hashing = hashing_;
  const struct hashed_part *part = &hashing->at[i];
  uint64_t *codes = hashing->n->codes;
  for (int64_t k = part->begin; k < part->done && (k % CHUNK || !context_stops(hashing->n->context)); k++)
    codes[k] = part->table.rows[codes[k]];
}

/* Makes room in the table of a part that is full, unless it has too many groups. Tables grow between phases: the
   allocator is the host's, for one thread. */
static strew_status grow(struct hashing *hashing, struct hashed_part *part) {
  const int64_t count = part->table.count;
  hashing->is_over = count > (part->end - part->begin) / HASH_GROUP_MIN + HASH_FIRST_ROOM;
  if (hashing->is_over) return STREW_OK;
  return key_table_reserve(hashing->n->call, &part->table, KEY_BLOCK);
}

/* Numbers all parts, with larger tables where they are full: each round doubles one, up to a bound of codes. */
static strew_status number_parts(struct hashing *hashing) {
  strew_context *context = hashing->n->context;
  strew_status status = STREW_OK;
  for (bool again = true; again && status == STREW_OK && !hashing->is_over && !context_stops(context);) {
    again = false;
    pool_run(context, hashing->parts, number_part, hashing);
    for (int64_t i = 0; i < hashing->parts && status == STREW_OK && !hashing->is_over; i++) {
      if (!hashing->at[i].is_full) continue;
      again = true;
      status = grow(hashing, &hashing->at[i]);
    }
  }
  return status;
}

static uint64_t numbers_bytes(const struct hashed_part *part) { return (uint64_t)part->own * sizeof *part->numbers; }

/* Adds the codes of later parts to the first one's table, and notes the numbers of all. */
static strew_status merge_parts(struct hashing *hashing) {
  const struct call *call = hashing->n->call;
  struct key_table *all = &hashing->at[0].table;
  strew_status status = STREW_OK;
  for (int64_t i = 0; i < hashing->parts && status == STREW_OK; i++) {
    struct hashed_part *part = &hashing->at[i];
    part->own = part->table.count;
    part->known = i ? all->count : 0;
    ALLOCATE(part->numbers, call, hashing->n->context, numbers_bytes(part));
    for (int64_t g = 0; !i && g < part->own; g++) part->numbers[g] = g;
    if (i) status = key_table_ids(call, all, part->table.rows, part->own, part->numbers);
  }
  return status;
}

/* ---------------------------------------------------------------------------------------------------------- numbers */

/* Notes the first positions of groups that no part before has: a part's groups are numbered as they appear. */
static void note_positions(const struct hashing *hashing, const struct hashed_part *part) {
  const uint64_t *codes = hashing->n->codes;
  int64_t *positions = hashing->n->positions;
  int64_t next = 0;
  for (int64_t k = part->begin; next < part->own && (k % CHUNK || !context_stops(hashing->n->context)); k++) {
    if (codes[k] != (uint64_t)next) continue;
    const int64_t number = part->numbers[next++];
    if (number >= part->known) positions[hashing->ranks ? hashing->ranks[number] : number] = k;
  }
}

static void write_part(void *hashing_, int64_t i) {
  const struct hashing *hashing = hashing_;
  const struct hashed_part *part = &hashing->at[i];
  uint64_t *codes = hashing->n->codes;
  if (hashing->n->positions) note_positions(hashing, part);
  for (int64_t g = 0; hashing->ranks && g < part->own && (g % CHUNK || !context_stops(hashing->n->context)); g++)
    part->numbers[g] = hashing->ranks[part->numbers[g]];
  for (int64_t k = part->begin; k < part->end && (k % CHUNK || !context_stops(hashing->n->context)); k++)
    codes[k] = (uint64_t)part->numbers[codes[k]];
}

/* Makes the groups' ranks in the order of their codes. */
static strew_status rank_codes(struct hashing *hashing) {
  struct numbering *n = hashing->n;
  const struct key_table *all = &hashing->at[0].table;
  strew_tensor *values = NULL, *order = NULL;
  const uint64_t bytes = (uint64_t)all->count * sizeof *hashing->ranks;
  ALLOCATE(hashing->ranks, n->call, n->context, bytes);
  strew_status status = sort_codes(n, all->rows, all->count, &values, &order);
  const int64_t *sorted = status == STREW_OK ? order->storage->data : NULL;
  for (int64_t g = 0; status == STREW_OK && g < all->count && (g % CHUNK || !context_stops(n->context)); g++)
    hashing->ranks[sorted[g]] = g;
  strew_release(values);
  strew_release(order);
  return TRY(status, context_end(n->call, n->context, NULL)); /* ranks are indices */
}

/* Ids of all elements, once parts are merged. */
static strew_status write_numbers(struct hashing *hashing, strew_tensor **positions) {
  struct numbering *n = hashing->n;
  n->groups = hashing->at[0].table.count;
  RETURN_IF_FAILED(make_positions(n, positions));
  if (!n->first) RETURN_IF_FAILED(rank_codes(hashing));
  pool_run(n->context, hashing->parts, write_part, hashing);
  return context_end(n->call, n->context, NULL);
}

/* ------------------------------------------------------------------------------------------------------- whole call */

/* Sets is_over unless a sample has few enough different codes: of s codes, s * s / (2 * groups) equal an earlier
   one. */
static strew_status take_sample(struct hashing *hashing) {
  const struct numbering *n = hashing->n;
  const int64_t sampled = least(n->count / HASH_GROUP_MIN, HASH_SAMPLE);
  struct key_table table = {.context = n->context, .columns = 1};
  strew_status status = key_table_reserve(n->call, &table, sampled);
  for (int64_t at = 0, count; at < sampled && status == STREW_OK; at += count) {
    uint64_t codes[KEY_BLOCK];
    count = least(KEY_BLOCK, sampled - at);
    for (int64_t i = 0; i < count; i++) { /* of the first few of each part, by the bits of a product */
      const uint64_t random = (uint64_t)(at + i) * UINT64_C(0x9e3779b97f4a7c15) >> 32;
      codes[i] = n->codes[part_begin(n->count, sampled, at + i) + (int64_t)(random % HASH_GROUP_MIN)];
    }
    key_table_find(&table, codes, count, (int64_t *)codes);
  }
  const int64_t repeated = sampled - table.count;
  key_table_release(&table);
  hashing->is_over = repeated * 2 * (n->count / HASH_GROUP_MIN) < sampled * sampled;
  return status;
}

static strew_status hash_all(struct hashing *hashing) {
  strew_context *context = hashing->n->context;
  strew_status status = STREW_OK;
  for (int64_t i = 0; i < hashing->parts && status == STREW_OK; i++) {
    struct hashed_part *part = &hashing->at[i];
    part->begin = part->done = part_begin(hashing->n->count, hashing->parts, i);
    part->end = part_begin(hashing->n->count, hashing->parts, i + 1);
    part->table = (struct key_table){.context = context, .columns = 1};
    status = key_table_reserve(hashing->n->call, &part->table, HASH_FIRST_ROOM);
  }
  TRY(status, number_parts(hashing));
  if (status == STREW_OK && !hashing->is_over) status = merge_parts(hashing);
  return TRY(status, context_end(hashing->n->call, context, NULL));
}

static void hashing_close(struct hashing *hashing) {
  strew_context *context = hashing->n->context;
  memory_free(context, hashing->ranks, (size_t)hashing->at[0].table.count * sizeof *hashing->ranks);
  for (int64_t i = 0; i < hashing->parts; i++) {
    struct hashed_part *part = &hashing->at[i];
    memory_free(context, part->numbers, numbers_bytes(part));
    if (part->table.context) key_table_release(&part->table);
  }
  memory_free(context, hashing->at, (size_t)hashing->parts * sizeof *hashing->at);
}

strew_status number_by_hash(struct numbering *n, strew_tensor **positions) {
  struct hashing hashing = {.n = n, .parts = n->parts > 1 ? n->context->threads : 1};
  const size_t bytes = (size_t)hashing.parts * sizeof *hashing.at;
  if (n->count < HASH_MIN) return STREW_DECLINED;
  RETURN_IF_FAILED(take_sample(&hashing));
  if (hashing.is_over) return STREW_DECLINED;
  ALLOCATE(hashing.at, n->call, n->context, bytes);
  memset(hashing.at, 0, bytes);
  strew_status status = hash_all(&hashing);
  if (status == STREW_OK && !hashing.is_over) status = write_numbers(&hashing, positions);
  if (status == STREW_OK && hashing.is_over) {
    pool_run(n->context, hashing.parts, restore_part, &hashing);
    status = context_end(n->call, n->context, NULL);
    TRY(status, STREW_DECLINED);
  }
  hashing_close(&hashing);
  return status;
}
