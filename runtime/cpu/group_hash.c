/* group_hash.c: the numbering of codes by hashing. Each thread numbers a part of the elements in a hash table of its own,
   in the order in which codes first appear, and leaves these numbers in place of the codes. Parts follow one another:
   adding their codes in turn to the first part's table numbers all in order of first appearance. Only these different
   codes are sorted, if that is the wanted order.

   Before and meanwhile the share of different codes is watched: where it is high, sorting takes less time and memory. So
   does it where codes collide too often, by chance or by intent: the codes are then restored. */
#include "group_keys.h"

#include <stdatomic.h>
#include <string.h>

enum {
  LEAST_HASHED = 64,      /* fewer elements are sorted */
  MOST_SAMPLED = 1 << 14, /* codes */
  DIFFERENT = 4,          /* at most every fourth element may begin a group */
  FIRST_SLOTS = 1 << 10,
  AT_ONCE = 64,           /* slots that are prefetched */
  QUICK_GROWTH = 1 << 16, /* entries up to which a table grows fourfold */
  LONGEST_PROBE = 256     /* slots from a code's first one to its own */
};

/* A code, and its number + 1; 0: free. */
struct slot {
  uint64_t code, number;
};

/* An entry for each code: the code and the position of its first element, in order of appearance. */
struct hashed {
  int64_t groups, capacity; /* of entries: half of the slots */
  struct slot *slots;       /* 2 * capacity of them */
  uint64_t *codes;
  int64_t *firsts;
};

static size_t bytes_for(int64_t capacity) {
  return (size_t)capacity * (2 * sizeof(struct slot) + sizeof(uint64_t) + sizeof(int64_t));
}

/* Mixes all bits: multiples of any number spread. */
static inline uint64_t hash_of(uint64_t code) {
  code ^= code >> 32;
  code *= UINT64_C(0xd6e8feb86659fd93);
  code ^= code >> 32;
  code *= UINT64_C(0xd6e8feb86659fd93);
  return code ^ code >> 32;
}

static inline uint64_t slot_of(const struct hashed *hashed, uint64_t code) {
  return hash_of(code) & (uint64_t)(2 * hashed->capacity - 1);
}

/* Returns the slot of a code, free if it is new; NULL: too far. */
static inline struct slot *find_slot(const struct hashed *hashed, uint64_t code) {
  const uint64_t mask = (uint64_t)(2 * hashed->capacity - 1);
  uint64_t at = slot_of(hashed, code);
  for (int probe = 0; probe < LONGEST_PROBE; probe++, at = (at + 1) & mask) {
    struct slot *slot = &hashed->slots[at];
    if (!slot->number || slot->code == code) return slot;
  }
  return NULL;
}

static void hashed_close(strew_context *context, struct hashed *hashed) {
  memory_free(context, hashed->slots, bytes_for(hashed->capacity));
  hashed->slots = NULL;
}

/* What stops a hashing: memory lacks, or sorting is better. */
enum verdict { GOES_ON, NO_MEMORY, TOO_MANY };

/* --------------------------------------------------------------------------------------------------------------- growth */

/* Larger tables are made between phases, when parts have filled theirs: the allocator is the host's, for one thread. */
static enum verdict grow(strew_context *context, struct hashed *hashed, int64_t capacity) {
  struct hashed larger = {.groups = hashed->groups, .capacity = capacity};
  larger.slots = memory_allocate(context, bytes_for(capacity));
  if (!larger.slots) return NO_MEMORY;
  larger.codes = (uint64_t *)(larger.slots + 2 * capacity);
  larger.firsts = (int64_t *)(larger.codes + capacity);
  memset(larger.slots, 0, (size_t)(2 * capacity) * sizeof *larger.slots);
  enum verdict verdict = GOES_ON;
  for (int64_t g = 0; g < hashed->groups && verdict == GOES_ON; g++) {
    struct slot *slot = find_slot(&larger, hashed->codes[g]);
    if (!slot) verdict = TOO_MANY;
    if (slot) *slot = (struct slot){hashed->codes[g], (uint64_t)g + 1};
    larger.codes[g] = hashed->codes[g];
    larger.firsts[g] = hashed->firsts[g];
  }
  if (verdict != GOES_ON) return hashed_close(context, &larger), verdict;
  if (hashed->slots) hashed_close(context, hashed);
  *hashed = larger;
  return GOES_ON;
}

/* ---------------------------------------------------------------------------------------------------------------- parts */

/* A part of the elements, numbered up to `done`. */
struct hashed_part {
  struct hashed hashed;
  int64_t begin, end, done;
  bool is_full, is_stuck; /* its table; a code is too far from its first slot */
  int64_t own;            /* groups of its own elements */
  int64_t *numbers;       /* the numbers of these among all */
};

struct hashing {
  struct numbering *n;
  int64_t parts;
  struct hashed_part *at;
};

static void number_part(void *hashing_, int64_t i) {
  const struct hashing *hashing = hashing_;
  struct hashed_part *part = &hashing->at[i];
  struct hashed hashed = part->hashed;
  uint64_t *codes = hashing->n->codes;
  int64_t at = part->done;
  part->is_full = false;
  for (int64_t next; at < part->end && !part->is_full && !part->is_stuck; at = next) {
    next = least(at + AT_ONCE, part->end);
    if (at % CHUNK < AT_ONCE && context_stops(hashing->n->context)) break;
    for (int64_t k = at; k < next; k++)
      prefetch_write((uintptr_t)hashed.slots + (uintptr_t)(slot_of(&hashed, codes[k]) * sizeof *hashed.slots), 1);
    for (int64_t k = at; k < next; k++) {
      struct slot *slot = find_slot(&hashed, codes[k]);
      if (!slot || (!slot->number && hashed.groups == hashed.capacity)) {
        part->is_stuck = !slot, part->is_full = slot != NULL, next = k;
        break;
      }
      if (!slot->number) {
        hashed.codes[hashed.groups] = codes[k];
        hashed.firsts[hashed.groups++] = k;
        *slot = (struct slot){codes[k], (uint64_t)hashed.groups};
      }
      codes[k] = slot->number - 1;
    }
  }
  part->done = at;
  part->hashed = hashed;
}

static void restore_part(void *hashing_, int64_t i) {
  const struct hashing *hashing = hashing_;
  const struct hashed_part *part = &hashing->at[i];
  uint64_t *codes = hashing->n->codes;
  for (int64_t k = part->begin; k < part->done; k++) codes[k] = part->hashed.codes[codes[k]];
}

/* Numbers all parts, with larger tables where they are full. */
static enum verdict number_parts(struct hashing *hashing) {
  strew_context *context = hashing->n->context;
  enum verdict verdict = GOES_ON;
  for (bool again = true; again && verdict == GOES_ON && !context_stops(context);) {
    again = false;
    pool_run(context, hashing->parts, number_part, hashing);
    for (int64_t i = 0; i < hashing->parts && verdict == GOES_ON; i++) {
      struct hashed_part *part = &hashing->at[i];
      const int64_t capacity = part->hashed.capacity, larger = capacity * (capacity < QUICK_GROWTH ? 4 : 2);
      if (part->is_stuck) verdict = TOO_MANY;
      if (!part->is_full || verdict != GOES_ON) continue;
      again = true;
      verdict = part->hashed.groups > (part->end - part->begin) / DIFFERENT + FIRST_SLOTS
                    ? TOO_MANY
                    : grow(context, &part->hashed, larger);
    }
  }
  return verdict;
}

/* Adds the codes of later parts to the first one's table, and notes the numbers of all. */
static enum verdict merge_parts(struct hashing *hashing) {
  strew_context *context = hashing->n->context;
  struct hashed *all = &hashing->at[0].hashed;
  for (int64_t i = 1; i < hashing->parts; i++) {
    struct hashed_part *part = &hashing->at[i];
    for (int64_t g = 0; g < part->own; g++) {
      if (g % CHUNK == 0 && context_stops(context)) return GOES_ON;
      struct slot *slot = find_slot(all, part->hashed.codes[g]);
      if (slot && !slot->number && all->groups == all->capacity) {
        const enum verdict verdict = grow(context, all, 2 * all->capacity);
        if (verdict != GOES_ON) return verdict;
        slot = find_slot(all, part->hashed.codes[g]);
      }
      if (!slot) return TOO_MANY;
      if (!slot->number) {
        all->codes[all->groups] = part->hashed.codes[g];
        all->firsts[all->groups++] = part->hashed.firsts[g];
        *slot = (struct slot){part->hashed.codes[g], (uint64_t)all->groups};
      }
      part->numbers[g] = (int64_t)slot->number - 1;
    }
  }
  return GOES_ON;
}

/* -------------------------------------------------------------------------------------------------------------- numbers */

static void write_part(void *hashing_, int64_t i) {
  const struct hashing *hashing = hashing_;
  const struct hashed_part *part = &hashing->at[i];
  uint64_t *codes = hashing->n->codes;
  for (int64_t k = part->begin; k < part->end && (k % CHUNK || !context_stops(hashing->n->context)); k++)
    codes[k] = (uint64_t)part->numbers[codes[k]];
}

/* Replaces numbers in order of appearance by those in the order of codes, and writes positions in that order. */
static strew_status number_by_codes(struct hashing *hashing) {
  struct numbering *n = hashing->n;
  struct hashed *all = &hashing->at[0].hashed;
  strew_tensor *values = NULL, *order = NULL;
  const size_t bytes = (size_t)all->groups * sizeof(int64_t);
  int64_t *ranks = memory_allocate(n->context, bytes);
  strew_status status = ranks ? STREW_OK : fail_memory(n->call, n->context, bytes);
  if (status == STREW_OK) status = sort_codes(n, all->codes, all->groups, &values, &order);
  if (status == STREW_OK) {
    const int64_t *sorted = order->storage->data;
    for (int64_t g = 0; g < all->groups; g++) ranks[sorted[g]] = g;
    for (int64_t g = 0; n->positions && g < all->groups; g++) n->positions[g] = all->firsts[sorted[g]];
    for (int64_t i = 0; i < hashing->parts; i++) {
      struct hashed_part *part = &hashing->at[i];
      for (int64_t g = 0; g < part->own; g++) part->numbers[g] = ranks[i ? part->numbers[g] : g];
    }
  }
  strew_release(values);
  strew_release(order);
  memory_free(n->context, ranks, bytes);
  return status;
}

/* Ids of all elements, once parts are merged. */
static strew_status write_numbers(struct hashing *hashing, strew_tensor **positions) {
  struct numbering *n = hashing->n;
  const struct hashed *all = &hashing->at[0].hashed;
  n->groups = all->groups;
  strew_status status = make_positions(n, positions);
  if (status == STREW_OK && n->first) {
    for (int64_t g = 0; g < hashing->at[0].own; g++) hashing->at[0].numbers[g] = g;
    if (n->positions) memcpy(n->positions, all->firsts, (size_t)all->groups * sizeof *n->positions);
  } else if (status == STREW_OK) {
    status = number_by_codes(hashing);
  }
  if (status != STREW_OK) return status;
  pool_run(n->context, hashing->parts, write_part, hashing);
  return context_end(n->call, n->context, NULL);
}

/* ----------------------------------------------------------------------------------------------------------- whole call */

/* True if a sample has few enough different codes: of s codes, s * s / (2 * groups) equal an earlier one. */
static bool sample_repeats(const struct numbering *n) {
  const int64_t sampled = least(n->count / DIFFERENT, MOST_SAMPLED);
  struct hashed sample = {.groups = 0};
  int64_t capacity = AT_ONCE;
  while (capacity < sampled) capacity *= 2;
  if (grow(n->context, &sample, capacity) != GOES_ON) return false;
  int64_t repeated = 0;
  for (int64_t i = 0; i < sampled; i++) {
    const uint64_t offset = hash_of((uint64_t)i) % (uint64_t)DIFFERENT;
    const uint64_t code = n->codes[part_begin(n->count, sampled, i) + (int64_t)offset % (n->count / sampled)];
    struct slot *slot = find_slot(&sample, code);
    repeated += !slot || slot->number;
    if (slot) *slot = (struct slot){code, 1};
  }
  hashed_close(n->context, &sample);
  return repeated * 2 * (n->count / DIFFERENT) >= sampled * sampled;
}

static size_t numbers_bytes(const struct hashed_part *part) { return (size_t)part->own * sizeof *part->numbers; }

static enum verdict hash_all(struct hashing *hashing) {
  strew_context *context = hashing->n->context;
  enum verdict verdict = GOES_ON;
  for (int64_t i = 0; i < hashing->parts && verdict == GOES_ON; i++) {
    struct hashed_part *part = &hashing->at[i];
    part->begin = part->done = part_begin(hashing->n->count, hashing->parts, i);
    part->end = part_begin(hashing->n->count, hashing->parts, i + 1);
    verdict = grow(context, &part->hashed, FIRST_SLOTS);
  }
  if (verdict == GOES_ON) verdict = number_parts(hashing);
  for (int64_t i = 0; i < hashing->parts && verdict == GOES_ON; i++) {
    struct hashed_part *part = &hashing->at[i];
    part->own = part->hashed.groups;
    part->numbers = memory_allocate(context, numbers_bytes(part));
    if (!part->numbers) verdict = NO_MEMORY;
  }
  return verdict == GOES_ON ? merge_parts(hashing) : verdict;
}

static void hashing_close(struct hashing *hashing) {
  strew_context *context = hashing->n->context;
  for (int64_t i = 0; i < hashing->parts; i++) {
    struct hashed_part *part = &hashing->at[i];
    memory_free(context, part->numbers, numbers_bytes(part));
    if (part->hashed.slots) hashed_close(context, &part->hashed);
  }
  memory_free(context, hashing->at, (size_t)hashing->parts * sizeof *hashing->at);
}

strew_status number_by_hash(struct numbering *n, strew_tensor **positions, bool *done) {
  struct hashing hashing = {.n = n, .parts = n->parts > 1 ? n->context->threads : 1};
  const size_t bytes = (size_t)hashing.parts * sizeof *hashing.at;
  *done = false;
  if (n->count < LEAST_HASHED || !sample_repeats(n)) return STREW_OK;
  hashing.at = memory_allocate(n->context, bytes);
  if (!hashing.at) return fail_memory(n->call, n->context, bytes);
  memset(hashing.at, 0, bytes);
  const enum verdict verdict = hash_all(&hashing);
  strew_status status = context_end(n->call, n->context, NULL);
  *done = verdict == GOES_ON;
  if (status == STREW_OK && *done) status = write_numbers(&hashing, positions);
  if (status == STREW_OK && !*done) {
    pool_run(n->context, hashing.parts, restore_part, &hashing);
    status = context_end(n->call, n->context, NULL);
  }
  hashing_close(&hashing);
  return status;
}
