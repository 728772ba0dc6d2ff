/* group_keys.c: the numbering of keys on the CPU.

   Elements of all columns become one code: a number in 0 .. range - 1 in the order of the keys, made of the columns'
   sort keys less their least ones (mixed radix). Where 64 bits are too few for that, columns are numbered by themselves
   first: of n elements there are no more than n numbers. Codes are written where the ids will be.

   Codes of a small range are numbered by a table, which holds the position of each code's first element, then its
   number. Others are sorted. Both take time proportional to the elements, whatever the keys.

   Groups numbered by their first elements: a bitmap of those positions tells how many of them lie before one. */
#include "cpu.h"
#include "runtime/tensor.h"

#include <stdatomic.h>
#include <string.h>

enum {
  KEYS_AT_ONCE = 1024,     /* of a column, made into codes */
  LEAST_TABLE = 1 << 12,   /* entries that a table may have whatever the number of elements */
  MOST_TABLE = 1 << 24,    /* entries of the largest table */
  MOST_COLUMN_PARTS = 1024 /* of the pass for a column's bounds */
};

/* ------------------------------------------------------------------------------------------------------------ numbering */

/* Codes, to become ids in place. */
struct numbering {
  const struct call *call;
  strew_context *context;
  strew_device *device;
  uint64_t *codes;
  int64_t count, parts;
  uint64_t range;     /* codes are less; 0: any */
  bool first;         /* groups are numbered by their first elements */
  int64_t groups;     /* the result: their number */
  int64_t *positions; /* and the positions of their first elements; NULL: not wanted */
};

/* Work on elements begin .. end - 1. */
typedef void phase(void *argument, int64_t part, int64_t begin, int64_t end);

/* Runs a phase over a part in chunks, between which the call may stop. */
static void run_phase(const struct numbering *n, int64_t part, phase *run, void *argument) {
  int64_t begin = part_begin(n->count, n->parts, part);
  const int64_t end = part_begin(n->count, n->parts, part + 1);
  for (int64_t next; begin < end && !context_stops(n->context); begin = next) {
    next = least(begin + CHUNK, end);
    run(argument, part, begin, next);
  }
}

/* -------------------------------------------------------------------------------------------------------------- bitmap */

/* A set of positions; before[w]: how many of them lie before word w. */
struct bitmap {
  size_t bytes;
  uint64_t *words;
  int64_t *before;
};

static int64_t words_of(int64_t count) { return (count + 63) / 64; }

static strew_status bitmap_open(const struct numbering *n, struct bitmap *bitmap) {
  const size_t words = (size_t)words_of(n->count);
  bitmap->bytes = words * (sizeof *bitmap->words + sizeof *bitmap->before);
  bitmap->words = memory_allocate(n->context, bitmap->bytes);
  if (!bitmap->words) return fail_memory(n->call, n->context, bitmap->bytes);
  bitmap->before = (int64_t *)(bitmap->words + words);
  memset(bitmap->words, 0, words * sizeof *bitmap->words);
  return STREW_OK;
}

static void bitmap_close(const struct numbering *n, struct bitmap *bitmap) {
  memory_free(n->context, bitmap->words, bitmap->bytes);
}

static void bitmap_add(struct bitmap *bitmap, int64_t position) {
  bitmap->words[position / 64] |= UINT64_C(1) << position % 64;
}

/* Ends the set; writes its positions in order to `positions`, unless that is NULL. */
static void bitmap_count(const struct numbering *n, struct bitmap *bitmap, int64_t *positions) {
  int64_t found = 0;
  for (int64_t w = 0; w < words_of(n->count) && (w % CHUNK || !context_stops(n->context)); w++) {
    bitmap->before[w] = found;
    for (uint64_t word = bitmap->words[w]; word; word &= word - 1, found++)
      if (positions) positions[found] = w * 64 + __builtin_ctzll(word);
  }
}

/* Returns how many positions of the set lie before one of them. */
static int64_t bitmap_rank(const struct bitmap *bitmap, int64_t position) {
  const uint64_t before = bitmap->words[position / 64] & ((UINT64_C(1) << position % 64) - 1);
  return bitmap->before[position / 64] + __builtin_popcountll(before);
}

/* ------------------------------------------------------------------------------------------------------------- by table */

enum { NO_ENTRY = UINT32_MAX };

/* Entry c: the position of the first element of code c, then the number of its group. */
struct table {
  struct numbering *n;
  _Atomic uint32_t *entries;
};

static void find_first(void *table_, int64_t part, int64_t begin, int64_t end) {
  const struct table *table = table_;
  (void)part;
  for (int64_t i = begin; i < end; i++) {
    _Atomic uint32_t *entry = &table->entries[table->n->codes[i]];
    uint32_t first = atomic_load_explicit(entry, memory_order_relaxed);
    while ((uint32_t)i < first && !atomic_compare_exchange_weak_explicit(entry, &first, (uint32_t)i,
                                                                         memory_order_relaxed, memory_order_relaxed)) {
    }
  }
}

static void look_up(void *table_, int64_t part, int64_t begin, int64_t end) {
  const struct table *table = table_;
  uint64_t *codes = table->n->codes;
  (void)part;
  for (int64_t i = begin; i < end; i++)
    codes[i] = atomic_load_explicit(&table->entries[codes[i]], memory_order_relaxed);
}

static void find_part(void *table, int64_t part) { run_phase(((struct table *)table)->n, part, find_first, table); }
static void look_part(void *table, int64_t part) { run_phase(((struct table *)table)->n, part, look_up, table); }

static uint32_t entry_at(const struct table *table, uint64_t code) {
  return atomic_load_explicit(&table->entries[code], memory_order_relaxed);
}

static void set_entry(const struct table *table, uint64_t code, int64_t number) {
  atomic_store_explicit(&table->entries[code], (uint32_t)number, memory_order_relaxed);
}

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

/* Makes the tensor of first positions, of as many as there are groups. */
static strew_status make_positions(struct numbering *n, strew_tensor **positions) {
  if (!positions) return STREW_OK;
  strew_status status = tensor_create(n->call, n->device, STREW_INT64, 1, &n->groups, positions);
  if (status == STREW_OK) n->positions = (*positions)->storage->data;
  return status;
}

static strew_status number_by_table(struct numbering *n, strew_tensor **positions) {
  struct table table = {.n = n};
  struct bitmap bitmap = {0, NULL, NULL};
  const size_t bytes = (size_t)n->range * sizeof *table.entries;
  table.entries = memory_allocate(n->context, bytes);
  if (!table.entries) return fail_memory(n->call, n->context, bytes);
  memset((void *)table.entries, 0xff, bytes);
  strew_status status = n->first ? bitmap_open(n, &bitmap) : STREW_OK;
  if (status == STREW_OK) {
    pool_run(n->context, n->parts, find_part, &table);
    count_codes(&table, n->first ? &bitmap : NULL);
    status = context_end(n->call, n->context, NULL);
  }
  if (status == STREW_OK) status = make_positions(n, positions);
  if (status == STREW_OK) {
    if (n->first) bitmap_count(n, &bitmap, n->positions);
    number_codes(&table, n->first ? &bitmap : NULL);
    pool_run(n->context, n->parts, look_part, &table);
    status = context_end(n->call, n->context, NULL);
  }
  bitmap_close(n, &bitmap);
  memory_free(n->context, (void *)table.entries, bytes);
  return status;
}

/* ----------------------------------------------------------------------------------------------------------- by sorting */

/* Codes in order, and their positions; the number of groups that begin in each part, then before it. */
struct sorting {
  struct numbering *n;
  strew_tensor *values, *order;
  const int64_t *codes, *positions;
  struct bitmap bitmap;
  int64_t begun[MOST_COLUMN_PARTS + 1];
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

static void renumber(void *sorting_, int64_t part, int64_t begin, int64_t end) {
  const struct sorting *sorting = sorting_;
  const struct numbering *n = sorting->n;
  (void)part;
  for (int64_t i = begin; i < end; i++)
    n->codes[i] = (uint64_t)bitmap_rank(&sorting->bitmap, n->positions[n->codes[i]]);
}

static void count_part(void *sorting, int64_t part) {
  run_phase(((struct sorting *)sorting)->n, part, count_begun, sorting);
}
static void number_part(void *sorting, int64_t part) {
  run_phase(((struct sorting *)sorting)->n, part, number_sorted, sorting);
}
static void renumber_part(void *sorting, int64_t part) {
  run_phase(((struct sorting *)sorting)->n, part, renumber, sorting);
}

static void turn_codes(void *n_, int64_t part, int64_t begin, int64_t end) {
  const struct numbering *n = n_;
  (void)part;
  for (int64_t i = begin; i < end; i++) n->codes[i] ^= UINT64_C(1) << 63;
}
static void turn_part(void *n, int64_t part) { run_phase(n, part, turn_codes, n); }

/* Sorts the codes, which are read as int64: those of all 64 bits have their highest one turned. */
static strew_status sort_codes(struct sorting *sorting) {
  struct numbering *n = sorting->n;
  struct storage codes = {.device = n->device, .data = n->codes, .size_bytes = (size_t)n->count * sizeof *n->codes};
  const strew_tensor in = {.dtype = STREW_INT64, .rank = 1, .storage = &codes, .sizes = {n->count}, .strides = {1}};
  struct sort_plan sort = {.keep = n->count};
  if (!n->range || n->range > INT64_MAX) pool_run(n->context, n->parts, turn_part, n);
  strew_status status = tensor_create(n->call, n->device, STREW_INT64, 1, &n->count, &sorting->values);
  if (status == STREW_OK) status = tensor_create(n->call, n->device, STREW_INT64, 1, &n->count, &sorting->order);
  if (status != STREW_OK) return status;
  plan_start(&sort.plan, 1, &n->count);
  plan_add(&sort.plan, sorting->values);
  plan_add(&sort.plan, sorting->order);
  plan_add(&sort.plan, &in);
  sorting->codes = sorting->values->storage->data;
  sorting->positions = sorting->order->storage->data;
  return cpu_sort(n->call, n->device, &sort);
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

/* Renumbers groups by their first elements, and sorts these. */
static strew_status number_by_first(struct sorting *sorting) {
  struct numbering *n = sorting->n;
  strew_status status = bitmap_open(n, &sorting->bitmap);
  if (status != STREW_OK) return status;
  for (int64_t g = 0; g < n->groups; g++) bitmap_add(&sorting->bitmap, n->positions[g]);
  bitmap_count(n, &sorting->bitmap, NULL);
  pool_run(n->context, n->parts, renumber_part, sorting);
  bitmap_count(n, &sorting->bitmap, n->positions);
  return context_end(n->call, n->context, NULL);
}

static strew_status number_by_sorting(struct numbering *n, strew_tensor **positions) {
  struct sorting sorting = {.n = n};
  strew_status status = sort_codes(&sorting);
  if (status == STREW_OK) {
    pool_run(n->context, n->parts, count_part, &sorting);
    add_up(&sorting);
    status = context_end(n->call, n->context, NULL);
  }
  if (status == STREW_OK) status = make_positions(n, positions);
  if (status == STREW_OK) {
    pool_run(n->context, n->parts, number_part, &sorting);
    status = context_end(n->call, n->context, NULL);
  }
  strew_release(sorting.values);
  strew_release(sorting.order);
  if (status == STREW_OK && n->first) status = number_by_first(&sorting);
  bitmap_close(n, &sorting.bitmap);
  return status;
}

static bool fits_table(const struct numbering *n) {
  const uint64_t most = n->count > LEAST_TABLE ? (uint64_t)n->count : LEAST_TABLE;
  return n->range && n->range <= most && n->range <= MOST_TABLE && n->count < NO_ENTRY;
}

/* Replaces codes by the numbers of their groups. `positions` NULL: not wanted. */
static strew_status number_groups(struct numbering *n, strew_tensor **positions) {
  return fits_table(n) ? number_by_table(n, positions) : number_by_sorting(n, positions);
}

/* -------------------------------------------------------------------------------------------------------------- columns */

/* A key, whose sort keys lie in least .. most, while codes are made of it. */
struct column {
  const struct numbering *n; /* of the codes that it is made into */
  const strew_tensor *key;
  uint64_t least, most;
  uint64_t range; /* most - least + 1; 0: 2^64 */
  bool joins;     /* codes become codes * range + the column's */
  struct {
    uint64_t least, most;
  } of[MOST_COLUMN_PARTS];
};

/* Calls work(column, part, keys, first, count) for some sort keys at a time. */
static void each_keys(struct column *column, int64_t part, int64_t begin, int64_t end,
                      void (*work)(struct column *column, int64_t part, const uint64_t *keys, int64_t first,
                                   int64_t count)) {
  uint64_t keys[KEYS_AT_ONCE];
  const strew_tensor *key = column->key;
  const int64_t bytes = (int64_t)dtype_bytes(key->dtype), step = key->strides[0] * bytes;
  const char *from = (const char *)key->storage->data + key->offset * bytes;
  for (int64_t count; begin < end; begin += count) {
    count = least(KEYS_AT_ONCE, end - begin);
    cpu_sort_keys(key->dtype, from + begin * step, step, count, keys);
    work(column, part, keys, begin, count);
  }
}

static void bound_keys(struct column *column, int64_t part, const uint64_t *keys, int64_t first, int64_t count) {
  uint64_t lowest = column->of[part].least, highest = column->of[part].most;
  (void)first;
  for (int64_t i = 0; i < count; i++) {
    lowest = keys[i] < lowest ? keys[i] : lowest;
    highest = keys[i] > highest ? keys[i] : highest;
  }
  column->of[part].least = lowest;
  column->of[part].most = highest;
}

/* Keys are read a second time: a host that changes wrapped memory meanwhile does not get codes out of range. */
static void code_keys(struct column *column, int64_t part, const uint64_t *keys, int64_t first, int64_t count) {
  uint64_t *codes = column->n->codes + first;
  const uint64_t lowest = column->least, highest = column->most - column->least, range = column->range;
  (void)part;
  for (int64_t i = 0; i < count; i++) {
    const uint64_t code = keys[i] - lowest, own = code < highest ? code : highest;
    codes[i] = column->joins ? codes[i] * range + own : own;
  }
}

static void bound_elements(void *column, int64_t part, int64_t begin, int64_t end) {
  each_keys(column, part, begin, end, bound_keys);
}
static void code_elements(void *column, int64_t part, int64_t begin, int64_t end) {
  each_keys(column, part, begin, end, code_keys);
}
static void bound_part(void *column, int64_t part) {
  run_phase(((struct column *)column)->n, part, bound_elements, column);
}
static void code_part(void *column, int64_t part) {
  run_phase(((struct column *)column)->n, part, code_elements, column);
}

static strew_status find_bounds(const struct numbering *n, struct column *column) {
  column->least = UINT64_MAX, column->most = 0;
  for (int64_t part = 0; part < n->parts; part++) column->of[part].least = UINT64_MAX, column->of[part].most = 0;
  pool_run(n->context, n->parts, bound_part, column);
  for (int64_t part = 0; part < n->parts; part++) {
    if (column->of[part].least < column->least) column->least = column->of[part].least;
    if (column->of[part].most > column->most) column->most = column->of[part].most;
  }
  column->range = column->most - column->least + 1;
  return context_end(n->call, n->context, NULL);
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

static void join_codes(void *column_, int64_t part, int64_t begin, int64_t end) {
  const struct column *column = column_;
  const uint64_t *own = (const uint64_t *)column->key->storage->data;
  uint64_t *codes = column->n->codes;
  (void)part;
  for (int64_t i = begin; i < end; i++) codes[i] = codes[i] * column->range + own[i];
}
static void join_part(void *column, int64_t part) { run_phase(((struct column *)column)->n, part, join_codes, column); }

static strew_status fail_keys(const struct numbering *n) {
  return fail(n->call, (struct fault){.code = STREW_ESHAPE, .argument = "keys"},
              "have too many different values together: more than 2^64 combinations");
}

/* Joins a column that is numbered by itself first, in memory of its own. */
static strew_status join_condensed(struct numbering *n, struct column *column) {
  struct numbering own = *n;
  strew_tensor *codes = NULL;
  uint64_t range;
  strew_status status = tensor_create(n->call, n->device, STREW_INT64, 1, &n->count, &codes);
  if (status != STREW_OK) return status;
  own.codes = codes->storage->data;
  own.range = column->range;
  struct column alone = {.n = &own, .key = column->key, .least = column->least, .most = column->most};
  pool_run(n->context, n->parts, code_part, &alone);
  status = context_end(n->call, n->context, NULL);
  if (status == STREW_OK) status = condense(&own);
  if (status == STREW_OK && !fits_together(n, own.range, &range)) status = fail_keys(n);
  if (status == STREW_OK) {
    alone = (struct column){.n = n, .key = codes, .range = own.range};
    pool_run(n->context, n->parts, join_part, &alone);
    n->range = range;
    status = context_end(n->call, n->context, NULL);
  }
  strew_release(codes);
  return status;
}

/* Joins a column to the codes, the first one with nothing. */
static strew_status add_column(struct numbering *n, const strew_tensor *key, bool is_first) {
  struct column column = {.n = n, .key = key, .joins = !is_first};
  uint64_t range;
  strew_status status = find_bounds(n, &column);
  if (status != STREW_OK) return status;
  if (is_first) {
    range = column.range;
  } else if (!fits_together(n, column.range, &range)) {
    status = condense(n);
    if (status == STREW_OK && !fits_together(n, column.range, &range)) return join_condensed(n, &column);
  }
  if (status != STREW_OK) return status;
  pool_run(n->context, n->parts, code_part, &column);
  n->range = range;
  return context_end(n->call, n->context, NULL);
}

strew_status cpu_number_keys(const struct call *call, strew_device *device, int count, strew_tensor *const *keys,
                             strew_key_order order, strew_tensor *ids, strew_tensor **positions) {
  strew_context *context = device->context;
  struct numbering n = {.call = call,
                        .context = context,
                        .device = device,
                        .codes = ids->storage->data,
                        .count = ids->sizes[0],
                        .first = order == STREW_KEYS_FIRST};
  n.parts = least(pool_parts(context, n.count * 2 * (int64_t)sizeof *n.codes), MOST_COLUMN_PARTS);
  strew_status status = STREW_OK;
  for (int i = 0; i < count && status == STREW_OK; i++) status = add_column(&n, keys[i], i == 0);
  return status == STREW_OK ? number_groups(&n, positions) : status;
}
