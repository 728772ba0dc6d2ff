/* key_table.c: see key_table.h. Open addressing with linear probing; at most half of the slots are used. A slot holds
   the hash of a key, of 64 bits, and its id + 1, or 0. The hash of a single word is a bijection: equal hashes are equal
   keys. Of several words it is not, and rows are compared. The place of a key comes from the low bits of the hash. The
   slots' address seeds it, so that no data can be made whose keys all collide; ids do not depend on it. */
#include "key_table.h"

#include <string.h>

enum {
  INITIAL_CAPACITY = 256,  /* keys */
  QUICK_GROWTH = 1 << 16,  /* keys up to which a table grows fourfold */
  KEYS_PER_LOOK = 1 << 16, /* keys or slots between looks whether the call must stop */
};

/* ----------------------------------------------------------------------------------------------------------- words */

#define LOAD_ALL(type)                                                                                                 \
  for (int64_t i = 0; i < count; i++) {                                                                                \
    type element;                                                                                                      \
    memcpy(&element, from + i * stride_bytes, sizeof element);                                                         \
    to[i * step] = element;                                                                                            \
  }

/* The bits of infinity, above which magnitudes are NaN; 0: not a float. */
static const uint64_t infinities[STREW_DTYPE_COUNT] = {[STREW_FLOAT64] = 0x7ff0000000000000u,
                                                       [STREW_FLOAT32] = 0x7f800000u,
                                                       [STREW_FLOAT16] = 0x7c00u,
                                                       [STREW_BFLOAT16] = 0x7f80u};

void key_words_load(const strew_tensor *tensor, int64_t first, int64_t count, uint64_t *to, int step) {
  size_t bytes = dtype_bytes(tensor->dtype);
  int64_t stride_bytes = tensor->strides[0] * (int64_t)bytes;
  const char *from =
      (const char *)tensor->storage->data + (tensor->offset + first * tensor->strides[0]) * (int64_t)bytes;
  switch (bytes) {
  case 1: LOAD_ALL(uint8_t) break;
  case 2: LOAD_ALL(uint16_t) break;
  case 4: LOAD_ALL(uint32_t) break;
  default: LOAD_ALL(uint64_t) break;
  }
  uint64_t infinity = infinities[tensor->dtype], sign = (uint64_t)1 << (8 * bytes - 1);
  for (int64_t i = 0; infinity && i < count; i++) {
    uint64_t magnitude = to[i * step] & ~sign;
    if (magnitude > infinity) to[i * step] = infinity | (infinity & -infinity) >> 1; /* the first bit below: quiet */
    if (!magnitude) to[i * step] = 0;
  }
}

#define STORE_ALL(type)                                                                                                \
  for (int64_t i = 0; i < count; i++) {                                                                                \
    type element = (type)from[i * step];                                                                               \
    memcpy((char *)to + (size_t)i * sizeof element, &element, sizeof element);                                         \
  }

void key_words_store(strew_dtype dtype, const uint64_t *from, int step, int64_t count, void *to) {
  switch (dtype_bytes(dtype)) {
  case 1: STORE_ALL(uint8_t) break;
  case 2: STORE_ALL(uint16_t) break;
  case 4: STORE_ALL(uint32_t) break;
  default: STORE_ALL(uint64_t) break;
  }
}

/* ----------------------------------------------------------------------------------------------------------- slots */

static inline uint64_t seed_of(const struct key_table *table) { return (uint64_t)(uintptr_t)table->slots; }

static inline bool is_row(const struct key_table *table, const struct key_slot *slot, const uint64_t *row,
                          const int columns) {
  const uint64_t *other = table->rows + (slot->number - 1) * columns;
  for (int c = 0; c < columns; c++)
    if (other[c] != row[c]) return false;
  return true;
}

/* Returns the slot of this key, or an empty one for it. There always is one: half of the slots are empty. */
static inline struct key_slot *find_slot(const struct key_table *table, const uint64_t *row, uint64_t code,
                                         const int columns) {
  uint64_t mask = table->slot_count - 1, at = code & mask;
  for (; table->slots[at].number; at = (at + 1) & mask)
    if (table->slots[at].code == code && (columns == 1 || is_row(table, &table->slots[at], row, columns))) break;
  return &table->slots[at];
}

/* Hashes rows and prefetches their slots. */
static inline void hash_rows(const struct key_table *table, const uint64_t *rows, int64_t count, uint64_t *codes,
                             const int columns) {
  for (int64_t i = 0; i < count; i++) {
    codes[i] = key_hash(seed_of(table), rows + i * columns, columns);
    __builtin_prefetch(&table->slots[codes[i] & (table->slot_count - 1)]);
  }
}

/* Fills new slots from the rows. They differ: none is compared. Returns false if the call must stop. */
static bool enter_all(struct key_table *table) {
  uint64_t codes[KEY_BLOCK], mask = table->slot_count - 1;
  for (uint64_t at = 0, count; at < table->slot_count; at += count) {
    count = table->slot_count - at < KEYS_PER_LOOK ? table->slot_count - at : KEYS_PER_LOOK;
    if (context_stops(table->context)) return false;
    memset(table->slots + at, 0, (size_t)count * sizeof *table->slots);
  }
  for (int64_t first = 0; first < table->count; first += KEY_BLOCK) {
    int64_t count = table->count - first < KEY_BLOCK ? table->count - first : KEY_BLOCK;
    if (first % KEYS_PER_LOOK == 0 && context_stops(table->context)) return false;
    hash_rows(table, table->rows + first * table->columns, count, codes, table->columns);
    for (int64_t i = 0; i < count; i++) {
      uint64_t at = codes[i] & mask;
      while (table->slots[at].number) at = (at + 1) & mask;
      table->slots[at] = (struct key_slot){codes[i], first + i + 1};
    }
  }
  return true;
}

/* ---------------------------------------------------------------------------------------------------------- growth */

static uint64_t rows_bytes(const struct key_table *table, int64_t capacity) {
  return (uint64_t)capacity * (uint64_t)table->columns * sizeof *table->rows;
}

static strew_status grow_rows(const struct call *call, struct key_table *table, int64_t capacity) {
  const uint64_t old_bytes = rows_bytes(table, table->capacity), new_bytes = rows_bytes(table, capacity);
  ALLOCATE_NEW(uint64_t *, rows, call, table->context, new_bytes);
  for (int64_t at = 0, count; at < table->count; at += count) {
    count = table->count - at < KEYS_PER_LOOK ? table->count - at : KEYS_PER_LOOK;
    if (context_stops(table->context)) {
      memory_free(table->context, rows, new_bytes);
      return context_end(call, table->context, NULL);
    }
    memcpy(rows + at * table->columns, table->rows + at * table->columns, rows_bytes(table, count));
  }
  memory_free(table->context, table->rows, old_bytes);
  table->rows = rows;
  table->capacity = capacity;
  return STREW_OK;
}

static strew_status grow_slots(const struct call *call, struct key_table *table, uint64_t slot_count) {
  const uint64_t new_bytes = slot_count * sizeof *table->slots;
  ALLOCATE_NEW(struct key_slot *, slots, call, table->context, new_bytes);
  struct key_table grown = *table;
  grown.slots = slots, grown.slot_count = slot_count;
  if (!enter_all(&grown)) {
    memory_free(table->context, slots, new_bytes);
    return context_end(call, table->context, NULL);
  }
  memory_free(table->context, table->slots, (size_t)table->slot_count * sizeof *table->slots);
  *table = grown;
  return STREW_OK;
}

strew_status key_table_reserve(const struct call *call, struct key_table *table, int64_t more) {
  int64_t capacity = table->capacity ? table->capacity : INITIAL_CAPACITY;
  while (capacity < table->count + more) capacity *= capacity < QUICK_GROWTH ? 4 : 2;
  strew_status status =
      2 * (uint64_t)capacity > table->slot_count ? grow_slots(call, table, 2 * (uint64_t)capacity) : STREW_OK;
  return status == STREW_OK && capacity > table->capacity ? grow_rows(call, table, capacity) : status;
}

/* No probe sequence passes through the key that was entered last. */
void key_table_shrink(struct key_table *table, int64_t count) {
  const uint64_t mask = table->slot_count - 1;
  for (; table->count > count; table->count--) {
    uint64_t at = key_hash(seed_of(table), table->rows + (table->count - 1) * table->columns, table->columns) & mask;
    while (table->slots[at].number != table->count) at = (at + 1) & mask;
    table->slots[at].number = 0;
  }
}

void key_table_release(struct key_table *table) {
  memory_free(table->context, table->rows, rows_bytes(table, table->capacity));
  memory_free(table->context, table->slots, (size_t)table->slot_count * sizeof *table->slots);
}

/* ------------------------------------------------------------------------------------------------------------- ids */

/* The rows' slots are prefetched together, and then the keys that these name. */
static inline void find_ids(struct key_table *table, const uint64_t *rows, int64_t count, int64_t *ids,
                            const int columns) {
  uint64_t codes[KEY_BLOCK];
  hash_rows(table, rows, count, codes, columns);
  for (int64_t i = 0; columns > 1 && i < count; i++) {
    const struct key_slot *slot = &table->slots[codes[i] & (table->slot_count - 1)];
    if (slot->number) __builtin_prefetch(table->rows + (slot->number - 1) * columns);
  }
  for (int64_t i = 0; i < count; i++) {
    const uint64_t *row = rows + i * columns;
    struct key_slot *slot = find_slot(table, row, codes[i], columns);
    if (!slot->number) {
      memcpy(table->rows + table->count * columns, row, (size_t)columns * sizeof *row);
      *slot = (struct key_slot){codes[i], ++table->count};
    }
    ids[i] = slot->number - 1;
  }
}

void key_table_find(struct key_table *table, const uint64_t *rows, int64_t count, int64_t *ids) {
  if (table->columns == 1)
    find_ids(table, rows, count, ids, 1);
  else
    find_ids(table, rows, count, ids, table->columns);
}

strew_status key_table_ids(const struct call *call, struct key_table *table, const uint64_t *rows, int64_t count,
                           int64_t *ids) {
  for (int64_t at = 0; at < count; at += KEY_BLOCK) {
    int64_t length = count - at < KEY_BLOCK ? count - at : KEY_BLOCK;
    RETURN_IF_FAILED(context_check(call, table->context));
    if (!key_table_has_room(table, length)) RETURN_IF_FAILED(key_table_reserve(call, table, length));
    key_table_find(table, rows + at * table->columns, length, ids + at);
  }
  return STREW_OK;
}
