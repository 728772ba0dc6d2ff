/* sort.c: sorting of lines on the CPU.

   An element becomes an item: a key, an unsigned number in the same order (sort.inc), and its position in the line,
   which breaks ties. So the order is total and stable, and the same for every method. Keys are relative to the least of
   the line. A line that rises is stored as it is read, one that falls from its end on. Items are narrow (key and
   position in a word of 64 bits) or broad, if one of the two needs more than 32.

   Methods: insertion sort for few elements; networks for short lines, several side by side; a merge for short lines
   that rise except for few elements, which are taken out and sorted; a heap for the first few of a long line; counting
   for bytes; else an LSD radix sort. Lines that exceed the cache are first partitioned by the most significant digit;
   then each bucket is sorted in cache, and threads share one only if it is too large.

   Narrow items have the size of a position: they are stored where the positions are written in the end, if those are
   contiguous and all are kept. The scratch for 10 M float32 is then a sixth of that of two arrays of items.

   Threads share many lines line by line; each of few lines is sorted by all threads together. */
#include "runtime/core/cpu/cpu.h"
#include "runtime/core/shared/scalar.h"
#include "runtime/order/order_ops.h"
#include "sort_loops.h"

#include <string.h>

enum { DIGITS = 1 << SORT_DIGIT_BITS }; /* values of a digit */

/* A range of bits of a key. */
struct digit {
  int shift, bits;
};

typedef uint64_t narrow;
typedef struct broad {
  uint64_t key, position;
} broad;

static inline int64_t digit_in(uint64_t key, struct digit digit) {
  return (int64_t)(key >> digit.shift & ((UINT64_C(1) << digit.bits) - 1));
}

static inline narrow make_narrow(uint64_t key, uint64_t position) { return key << 32 | position; }
static inline uint64_t key_in_narrow(narrow item) { return item >> 32; }
static inline uint64_t position_in_narrow(narrow item) { return item & 0xffffffffu; }
static inline bool less_narrow(narrow a, narrow b) { return a < b; }
static inline int64_t digit_of_narrow(narrow item, struct digit digit) { return digit_in(key_in_narrow(item), digit); }

static inline broad make_broad(uint64_t key, uint64_t position) { return (broad){key, position}; }
static inline uint64_t key_in_broad(broad item) { return item.key; }
static inline uint64_t position_in_broad(broad item) { return item.position; }
static inline bool less_broad(broad a, broad b) { return a.key < b.key || (a.key == b.key && a.position < b.position); }
static inline int64_t digit_of_broad(broad item, struct digit digit) { return digit_in(item.key, digit); }

/* Memory of a line. */
struct sort_line {
  const char *in;
  char *values, *positions; /* values NULL: not needed */
  int64_t in_step, values_step, positions_step;
  int64_t n, keep;
  uint64_t flip, base;
};

/* rises, falls: no key is less, or greater, than the one before. apart: nor equal to it; only of a line that falls. */
struct order {
  bool rises, falls, apart;
};

/* Bounds of keys, before the base is subtracted. */
struct bounds {
  uint64_t least, most;
  struct order order;
};

enum { NARROW, BROAD, KINDS };

struct keys {
  /* `load` makes keys of elements from `position` on; `store` writes values of sorted items from `rank` on */
  void (*load)(uint64_t *keys, const struct sort_line *line, int64_t position, int64_t count);
  void (*find_order)(const struct sort_line *line, int64_t begin, int64_t end, struct order *order);
  void (*store[KINDS])(const struct sort_line *line, const void *items, int64_t rank, int64_t count);
};

struct sorts {
  int64_t bytes; /* of an item */
  void (*make_items)(void *items, const uint64_t *keys, int64_t count, uint64_t base, int64_t position);
  bool (*insert)(void *items, int64_t count, int64_t most);
  void (*count)(const void *items, int64_t count, struct digit digit, int64_t *counts);
  void (*partition)(void *to, const void *items, int64_t count, struct digit digit, int64_t *places);
  void (*select)(void *kept, int64_t *held, int64_t keep, const void *items, int64_t count);
  void (*sort_heap)(void *kept, int64_t count);
  void (*store_positions)(const struct sort_line *line, const void *items, int64_t rank, int64_t count);
};

#define ITEM narrow
#include "items.inc"
#define ITEM broad
#include "items.inc"

enum { ORDER_BLOCK = 32 }; /* adjacent elements compared together: compilers vectorise that */
#define LOOPS_SIGNED
#define LOOPS "runtime/order/cpu/sort.inc"
#include "runtime/core/cpu/each_dtype.h"

ORDER_ENTRIES(CPU_FUNCTION, CPU_FUNCTION)
CPU_TABLE(order_ops, ORDER_ENTRIES)

static const struct sorts *const sorts_of[] = {[NARROW] = &sorts_narrow, [BROAD] = &sorts_broad};

struct sort_job {
  strew_context *context;
  struct plan lines;     /* the plan without the sorted dimension */
  struct sort_line line; /* what all lines have in common */
  int64_t count;         /* of lines */
  const struct keys *keys;
  int kind; /* for keys of all bits */
  int value_bytes, position_bits;
  bool select;   /* by a heap */
  bool in_lanes; /* lines are sorted side by side */
  int64_t rows;  /* of the network that sorts a line alone; 0: another method does */
  bool in_place; /* narrow items may be stored in the memory of positions */
  int64_t parts;
  int64_t line_bytes; /* of scratch for a line that one thread sorts */
  char *scratch;
};

static int kind_for(int bits, int64_t n) { return bits <= 32 && n <= UINT32_MAX ? NARROW : BROAD; }

static struct sort_line line_at(const struct sort_job *job, int64_t i) {
  struct sort_line line = job->line;
  const struct plan *lines = &job->lines;
  line.values = lines->operands[0].storage ? operand_at(lines, 0, i) : NULL;
  line.positions = operand_at(lines, 1, i);
  line.in = operand_at(lines, 2, i);
  return line;
}

/* Makes items of the elements from `position` on. */
static void load_items(const struct sort_job *job, const struct sort_line *line, int kind, void *items,
                       int64_t position, int64_t count) {
  uint64_t keys[SORT_CHUNK];
  char *to = items;
  for (int64_t taken; count > 0; position += taken, count -= taken, to += taken * sorts_of[kind]->bytes) {
    taken = count < SORT_CHUNK ? count : SORT_CHUNK;
    job->keys->load(keys, line, position, taken);
    sorts_of[kind]->make_items(to, keys, taken, line->base, position);
  }
}

/* True if the line's items are stored in the memory of its positions. */
static bool is_in_place(const struct sort_job *job, int kind) { return job->in_place && kind == NARROW; }

/* Writes sorted items, from rank `rank` on. Values first: the items may be in the memory of the positions. */
static void store(const struct sort_job *job, const struct sort_line *line, int kind, const void *items, int64_t rank,
                  int64_t count) {
  if (line->values) job->keys->store[kind](line, items, rank, count);
  sorts_of[kind]->store_positions(line, items, rank, count);
}

/* ------------------------------------------------------------------------------------------------------- radix sort */

/* Results of one part of a radix sort. */
struct radix_part {
  struct bounds bounds;
  int64_t counts[DIGITS]; /* counts, then destinations */
};

struct radix;
typedef void radix_chunk(struct radix *radix, int64_t part, int64_t begin, int64_t end);

/* A line or a bucket, sorted by one thread or by many, in `parts` parts. */
struct radix {
  const struct sort_job *job;
  struct sort_line line;
  int kind;
  int64_t parts, count;
  int64_t rank;  /* of the first item */
  char *items;   /* NULL: still elements of the line */
  char *to;      /* destination of a partition */
  int bits;      /* of keys, not sorted by yet */
  bool in_order; /* the line rises or falls */
  struct order order;
  struct digit digit;
  struct radix_part *found; /* of each part */
  radix_chunk *phase;       /* now running */
  int64_t phase_count;
};

/* Calls `work` for items begin .. end - 1: at once, or chunk by chunk while they are still elements. */
static void each_chunk(struct radix *radix, int64_t part, int64_t begin, int64_t end,
                       void (*work)(struct radix *radix, int64_t part, const void *items, int64_t count)) {
  _Alignas(16) char items[SORT_CHUNK * sizeof(broad)];
  if (radix->items) {
    work(radix, part, radix->items + begin * sorts_of[radix->kind]->bytes, end - begin);
    return;
  }
  for (int64_t at = begin, count; at < end; at += count) {
    count = end - at < SORT_CHUNK ? end - at : SORT_CHUNK;
    load_items(radix->job, &radix->line, radix->kind, items, at, count);
    work(radix, part, items, count);
  }
}

static void bound_keys(struct bounds *bounds, const uint64_t *keys, int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    bounds->least = keys[i] < bounds->least ? keys[i] : bounds->least;
    bounds->most = keys[i] > bounds->most ? keys[i] : bounds->most;
  }
}

/* Bounds of keys that are in order are the first and the last one. */
static void bound_chunk(struct radix *radix, int64_t part, int64_t begin, int64_t end) {
  const struct sort_line *line = &radix->line;
  const struct keys *of = radix->job->keys;
  struct bounds *bounds = &radix->found[part].bounds;
  uint64_t keys[SORT_CHUNK];
  if (bounds->order.rises || bounds->order.falls) of->find_order(line, begin, end, &bounds->order);
  if (bounds->order.rises || bounds->order.falls) {
    of->load(keys, line, begin, 1);
    of->load(keys + 1, line, end - 1, 1);
    bound_keys(bounds, keys, 2);
    return;
  }
  for (int64_t at = begin, taken; at < end; at += taken) {
    taken = least(end - at, SORT_CHUNK);
    of->load(keys, line, at, taken);
    bound_keys(bounds, keys, taken);
  }
}

static void load_chunk(struct radix *radix, int64_t part, int64_t begin, int64_t end) {
  (void)part;
  load_items(radix->job, &radix->line, radix->kind, radix->items + begin * sorts_of[radix->kind]->bytes, begin,
             end - begin);
}

static void count_items(struct radix *radix, int64_t part, const void *items, int64_t count) {
  sorts_of[radix->kind]->count(items, count, radix->digit, radix->found[part].counts);
}

static void count_chunk(struct radix *radix, int64_t part, int64_t begin, int64_t end) {
  each_chunk(radix, part, begin, end, count_items);
}

static void partition_items(struct radix *radix, int64_t part, const void *items, int64_t count) {
  sorts_of[radix->kind]->partition(radix->to, items, count, radix->digit, radix->found[part].counts);
}

static void partition_chunk(struct radix *radix, int64_t part, int64_t begin, int64_t end) {
  each_chunk(radix, part, begin, end, partition_items);
}

static void store_chunk(struct radix *radix, int64_t part, int64_t begin, int64_t end) {
  const int64_t bytes = sorts_of[radix->kind]->bytes;
  (void)part;
  store(radix->job, &radix->line, radix->kind, radix->items + begin * bytes, radix->rank + begin, end - begin);
}

#define PICK_VALUES(bytes)                                                                                             \
  for (int64_t i = 0; i < count; i++, to += step) memcpy(to, in + (int64_t)order[i] * in_step, bytes)

/* Writes values from rank `rank` on: elements at the positions in `order`. */
static void pick_values(const struct sort_line *line, const uint64_t *order, int bytes, int64_t rank, int64_t count) {
  const int64_t step = line->values_step, in_step = line->in_step;
  const char *in = line->in;
  char *to = line->values + rank * step;
  switch (bytes) {
  case 1: PICK_VALUES(1); break;
  case 2: PICK_VALUES(2); break;
  case 4: PICK_VALUES(4); break;
  default: PICK_VALUES(8);
  }
}

/* Writes the positions in `order`, from rank `rank` on. */
static void store_order(const struct sort_line *line, const uint64_t *order, int64_t rank, int64_t count) {
  char *to = line->positions + rank * line->positions_step;
  if (line->positions_step == (int64_t)sizeof *order) {
    memcpy(to, order, (size_t)count * sizeof *order);
    return;
  }
  for (int64_t i = 0; i < count; i++, to += line->positions_step) *(int64_t *)(void *)to = (int64_t)order[i];
}

/* Returns the position, of those from `at` to `end`, that is furthest from `at` with an equal key. The line is in
   order. */
static int64_t last_equal(const struct radix *radix, int64_t at, int64_t end) {
  uint64_t key, other;
  radix->job->keys->load(&key, &radix->line, at, 1);
  const int64_t one = end < at ? -1 : 1;
  for (int64_t middle = at + one; at != end; middle = at + (end - at + one) / 2) { /* most runs are short */
    radix->job->keys->load(&other, &radix->line, middle, 1);
    if (other == key)
      at = middle;
    else
      end = middle - one;
  }
  return at;
}

/* Writes a line that falls: from its end on, but equal elements in their order. */
static void store_falling(struct radix *radix, int64_t part, int64_t begin, int64_t end) {
  const struct sort_line *line = &radix->line;
  uint64_t keys[SORT_CHUNK], order[SORT_CHUNK];
  int64_t begins[SORT_CHUNK];
  (void)part;
  for (int64_t at = begin, count; at < end; at += count) {
    count = least(end - at, SORT_CHUNK);
    const int64_t first = line->n - at - count;
    radix->job->keys->load(keys, line, first, count);
    int64_t run_begin = last_equal(radix, first, 0), run_end = last_equal(radix, first + count - 1, line->n - 1);
    begins[0] = run_begin;
    /* without branches: equal elements are often unpredictable */
    for (int64_t i = 1; i < count; i++)
      begins[i] = run_begin += (first + i - run_begin) & -(int64_t)(keys[i] != keys[i - 1]);
    for (int64_t i = count - 1; i > 0; i--) {
      order[count - 1 - i] = (uint64_t)(begins[i] + run_end - first - i);
      run_end += (first + i - 1 - run_end) & -(int64_t)(keys[i] != keys[i - 1]);
    }
    order[count - 1] = (uint64_t)(begins[0] + run_end - first);
    if (line->values) pick_values(line, order, radix->job->value_bytes, at, count);
    store_order(line, order, at, count);
  }
}

/* Writes the positions first, first + by, ... from rank `rank` on. */
static void store_steps(const struct sort_line *line, int64_t first, int64_t by, int64_t rank, int64_t count) {
  char *to = line->positions + rank * line->positions_step;
  if (line->positions_step == (int64_t)sizeof(int64_t))
    for (int64_t i = 0; i < count; i++) ((int64_t *)(void *)to)[i] = first + i * by;
  else
    for (int64_t i = 0; i < count; i++, to += line->positions_step) *(int64_t *)(void *)to = first + i * by;
}

/* Copies elements; steps in bytes. Compilers vectorise the loop of reversed ones. */
#define COPY(T)                                                                                                        \
  static void copy_##T(int64_t count, char *to, int64_t to_step, const char *from, int64_t from_step) {                \
    const T *restrict in = (const T *)(const void *)from;                                                              \
    T *restrict out = (T *)(void *)to;                                                                                 \
    if (to_step == (int64_t)sizeof(T) && from_step == -to_step)                                                        \
      for (int64_t i = 0; i < count; i++) out[i] = in[-i];                                                             \
    else                                                                                                               \
      for (int64_t i = 0; i < count; i++, to += to_step, from += from_step)                                            \
        *(T *)(void *)to = *(const T *)(const void *)from;                                                             \
  }
EACH_WIDTH(COPY)

/* Writes values and positions of a line from rank `rank` on: those from position `first` on, `by` apart. */
static void store_run(const struct radix *radix, int64_t rank, int64_t first, int64_t by, int64_t count) {
  static void (*const copy[])(int64_t, char *, int64_t, const char *, int64_t) = {BY_WIDTH(copy)};
  const struct sort_line *line = &radix->line;
  const int bytes = radix->job->value_bytes;
  const char *from = line->in + first * line->in_step;
  char *to = line->values ? line->values + rank * line->values_step : NULL;
  if (to && line->values_step == bytes && by * line->in_step == bytes)
    memcpy(to, from, (size_t)(count * bytes));
  else if (to)
    copy[bytes](count, to, line->values_step, from, by * line->in_step);
  store_steps(line, first, by, rank, count);
}

/* Writes a line that falls, no two elements of which are equal. */
static void store_reversed(struct radix *radix, int64_t part, int64_t begin, int64_t end) {
  (void)part;
  store_run(radix, begin, radix->line.n - 1 - begin, -1, end - begin);
}

/* Writes a line that rises. */
static void store_rising(struct radix *radix, int64_t part, int64_t begin, int64_t end) {
  (void)part;
  store_run(radix, begin, begin, 1, end - begin);
}

static void radix_part(void *radix_, int64_t part) {
  struct radix *radix = radix_;
  int64_t begin = part_begin(radix->phase_count, radix->parts, part);
  const int64_t end = part_begin(radix->phase_count, radix->parts, part + 1);
  if (radix->phase == count_chunk) memset(radix->found[part].counts, 0, sizeof(int64_t) << radix->digit.bits);
  for (int64_t next; begin < end && !context_stops(radix->job->context); begin = next) {
    next = least(begin + CHUNK, end);
    radix->phase(radix, part, begin, next);
  }
}

/* Runs a phase for the first `count` items or elements, in parts; each part goes in chunks. */
static void run_phase(struct radix *radix, int64_t count, radix_chunk *phase) {
  radix->phase = phase;
  radix->phase_count = count;
  pool_run(radix->job->context, radix->parts, radix_part, radix);
}

/* Turns counts into destinations, by digit, then by part. Returns the largest number of items that share a digit. */
static int64_t places_of_counts(struct radix *radix) {
  int64_t place = 0, most = 0;
  for (int64_t digit = 0; digit < INT64_C(1) << radix->digit.bits; digit++) {
    int64_t begin = place;
    for (int64_t part = 0; part < radix->parts; part++) {
      int64_t count = radix->found[part].counts[digit];
      radix->found[part].counts[digit] = place;
      place += count;
    }
    if (place - begin > most) most = place - begin;
  }
  return most;
}

static void partition(struct radix *radix) {
  run_phase(radix, radix->count, partition_chunk);
  char *partitioned = radix->to;
  radix->to = radix->items;
  radix->items = partitioned;
}

/* Writes the items, which are sorted, or a line that is in order. */
static void store_all(struct radix *radix) {
  if (context_stops(radix->job->context)) return;
  const struct order *order = &radix->order;
  radix_chunk *ordered = order->rises ? store_rising : order->apart ? store_reversed : store_falling;
  run_phase(radix, least(radix->line.keep - radix->rank, radix->count), radix->in_order ? ordered : store_chunk);
}

/* Sorts by the highest `bits` bits of those that keys need. Skips digits that all items share. */
static void sort_by_digits(struct radix *radix, int bits) {
  const int most = radix->count < SORT_FEW ? SORT_FEW_BITS : SORT_DIGIT_BITS, digits = (bits + most - 1) / most,
            lowest = radix->bits - bits;
  for (int i = 0; i < digits; i++) {
    radix->digit.shift = lowest + bits * i / digits;
    radix->digit.bits = lowest + bits * (i + 1) / digits - radix->digit.shift;
    run_phase(radix, radix->count, count_chunk);
    if (context_stops(radix->job->context)) return;
    if (places_of_counts(radix) < radix->count) partition(radix);
  }
}

/* Sorts by all bits, and writes the result. A few broad items are in order by their highest bits, but for some that
   are moved. */
static void radix_sort(struct radix *radix) {
  const int64_t count = radix->count;
  const bool by_high = count < SORT_FEW && radix->kind == BROAD && radix->bits > SORT_HIGH_BITS;
  if (by_high) sort_by_digits(radix, SORT_HIGH_BITS);
  if (!by_high || !sorts_of[BROAD]->insert(radix->items, count, SORT_HIGH_MOVES * count))
    sort_by_digits(radix, radix->bits);
  store_all(radix);
}

static void set_order(struct radix *radix, struct order order) {
  radix->order = order;
  radix->in_order = order.rises || order.falls;
}

/* Finds the number of bits that a line's keys need. */
static void find_bits(struct radix *radix) {
  struct bounds all = {UINT64_MAX, 0, {true, true, true}};
  /* a part may be skipped when the call stops */
  for (int64_t part = 0; part < radix->parts; part++) radix->found[part].bounds = all;
  run_phase(radix, radix->count, bound_chunk);
  for (int64_t part = 0; part < radix->parts; part++) {
    const struct bounds *bounds = &radix->found[part].bounds;
    if (bounds->least < all.least) all.least = bounds->least;
    if (bounds->most > all.most) all.most = bounds->most;
    all.order.rises &= bounds->order.rises, all.order.falls &= bounds->order.falls;
    all.order.apart &= bounds->order.apart;
  }
  set_order(radix, all.order);
  radix->line.base = all.least;
  for (radix->bits = 0; radix->bits < 64 && (all.most - all.least) >> radix->bits;) radix->bits++;
  radix->kind = kind_for(radix->bits, radix->count);
}

/* ------------------------------------------------------------------------------------------ one line, other methods */

static void sort_handful(const struct sort_job *job, const struct sort_line *line) {
  _Alignas(16) char items[SORT_INSERTION * sizeof(broad)];
  load_items(job, line, job->kind, items, 0, line->n);
  sorts_of[job->kind]->insert(items, line->n, INT64_MAX);
  store(job, line, job->kind, items, 0, line->keep);
}

/* Writes the first `keep` of a chunk of a line, unordered, to `kept`. */
static int64_t select_chunk(const struct sort_job *job, const struct sort_line *line, int64_t begin, int64_t end,
                            char *kept) {
  _Alignas(16) char items[SORT_CHUNK * sizeof(broad)];
  int64_t held = 0;
  for (int64_t at = begin, count; at < end && !context_stops(job->context); at += count) {
    count = end - at < SORT_CHUNK ? end - at : SORT_CHUNK;
    load_items(job, line, job->kind, items, at, count);
    sorts_of[job->kind]->select(kept, &held, line->keep, items, count);
  }
  return held;
}

/* True if lines are sorted by sort_bytes. */
static bool counts_bytes(const struct sort_job *job) {
  return job->value_bytes == 1 && !job->select && job->line.n <= UINT32_MAX;
}

/* Counts of keys in the halves of a part of a line; then ranks of the next elements. */
typedef uint32_t byte_counts[2][1 << 8];

/* A line of bytes, sorted by counting: each position goes to its rank at once. The halves of each part take turns, as a
   rank waits for the last element with that key. */
struct byte_sort {
  const struct sort_job *job;
  struct sort_line line; /* its values NULL if they are written key by key, to `values` */
  char *values;
  int64_t parts;
  byte_counts *counts; /* of each part */
  uint32_t *ends;      /* of keys */
  uint8_t flip;        /* from an element's bits to its key */
};

ALWAYS_INLINE uint8_t byte_key(const struct byte_sort *sort, int64_t i, int64_t step) {
  return (uint8_t)sort->line.in[i * step] ^ sort->flip;
}

/* Writes the element at position i to the next rank of its key. */
ALWAYS_INLINE void place_byte(const struct byte_sort *sort, uint32_t *ranks, int64_t i, int64_t step, int64_t to_step) {
  const struct sort_line *line = &sort->line;
  const int64_t rank = ranks[byte_key(sort, i, step)]++;
  if (rank >= line->keep) return;
  if (line->values) line->values[rank * line->values_step] = line->in[i * step];
  *(int64_t *)(void *)(line->positions + rank * to_step) = i;
}

/* Counts keys, or places them, of `count` elements from `first` on, and of as many from `second` on. */
ALWAYS_INLINE void walk_halves(const struct byte_sort *sort, byte_counts *counts, bool places, int64_t first,
                               int64_t second, int64_t count, int64_t step, int64_t to_step) {
  uint32_t *of_first = (*counts)[0], *of_second = (*counts)[1];
  for (int64_t i = 0; i < count; i++) {
    if (places) {
      place_byte(sort, of_first, first + i, step, to_step);
      place_byte(sort, of_second, second + i, step, to_step);
    } else {
      of_first[byte_key(sort, first + i, step)]++;
      of_second[byte_key(sort, second + i, step)]++;
    }
  }
}

ALWAYS_INLINE void walk_part(const struct byte_sort *given, int64_t part, bool places) {
  const struct byte_sort sort = *given;
  const int64_t begin = part_begin(sort.line.n, sort.parts, part), end = part_begin(sort.line.n, sort.parts, part + 1);
  const int64_t half = (end - begin) / 2, step = sort.line.in_step, to_step = sort.line.positions_step;
  byte_counts *counts = &sort.counts[part];
  for (int64_t at = 0, count; at < half && !context_stops(sort.job->context); at += count) {
    count = least(half - at, CHUNK);
    if (step == 1 && to_step == (int64_t)sizeof(int64_t))
      walk_halves(&sort, counts, places, begin + at, begin + half + at, count, 1, sizeof(int64_t));
    else
      walk_halves(&sort, counts, places, begin + at, begin + half + at, count, step, to_step);
  }
  if (begin + 2 * half < end && places) place_byte(&sort, (*counts)[1], end - 1, step, to_step);
  if (begin + 2 * half < end && !places) (*counts)[1][byte_key(&sort, end - 1, step)]++;
}

static void count_bytes(void *sort, int64_t part) { walk_part(sort, part, false); }
static void place_bytes(void *sort, int64_t part) { walk_part(sort, part, true); }

/* Writes values, key by key. */
static void store_bytes(void *sort_, int64_t part) {
  const struct byte_sort *sort = sort_;
  const int64_t step = sort->line.values_step, end = part_begin(1 << 8, sort->parts, part + 1);
  for (int64_t key = part_begin(1 << 8, sort->parts, part); key < end; key++) {
    const int64_t rank = key ? sort->ends[key - 1] : 0, count = least(sort->ends[key], sort->line.keep) - rank;
    char *to = sort->values + rank * step, value = (char)((uint8_t)key ^ sort->flip);
    if (count > 0 && step == 1) memset(to, value, (size_t)count);
    for (int64_t i = 0; i < count && step != 1; i++) to[i * step] = value;
  }
}

static void sort_bytes(const struct sort_job *job, const struct sort_line *line, byte_counts *counts, int64_t parts) {
  static const char zero;
  uint32_t ends[1 << 8], rank = 0;
  struct byte_sort sort = {.job = job, .line = *line, .parts = parts, .counts = counts, .ends = ends};
  struct sort_line one = {.in = &zero, .flip = line->flip};
  if (line->n >= BYTES_BY_KEY) sort.values = line->values, sort.line.values = NULL;
  uint64_t flip = 0;
  job->keys->load(&flip, &one, 0, 1);
  sort.flip = (uint8_t)flip;
  memset(counts, 0, (size_t)parts * sizeof *counts);
  pool_run(job->context, parts, count_bytes, &sort);
  for (int key = 0; key < 1 << 8; key++) {
    for (int64_t part = 0; part < parts; part++) {
      const uint32_t first = counts[part][0][key], second = counts[part][1][key];
      counts[part][0][key] = rank;
      counts[part][1][key] = rank + first;
      rank += first + second;
    }
    ends[key] = rank;
  }
  if (!context_stops(job->context)) pool_run(job->context, parts, place_bytes, &sort);
  if (sort.values) pool_run(job->context, parts, store_bytes, &sort);
}

/* Selection by all threads: each selects from a chunk, then one from their results. */
struct line_selection {
  const struct sort_job *job;
  struct sort_line line;
  int64_t parts;
  int64_t held[SORT_PARTS];
};

static char *chosen_at(const struct line_selection *choice, int64_t part) {
  return choice->job->scratch + part * choice->line.keep * sorts_of[choice->job->kind]->bytes;
}

static void choose_part(void *choice_, int64_t part) {
  struct line_selection *choice = choice_;
  int64_t begin = part_begin(choice->line.n, choice->parts, part),
          end = part_begin(choice->line.n, choice->parts, part + 1);
  choice->held[part] = select_chunk(choice->job, &choice->line, begin, end, chosen_at(choice, part));
}

static void select_together(const struct sort_job *job, const struct sort_line *line) {
  struct line_selection choice = {.job = job, .line = *line, .parts = job->parts};
  char *kept = chosen_at(&choice, choice.parts);
  int64_t held = 0;
  pool_run(job->context, choice.parts, choose_part, &choice);
  if (context_stops(job->context)) return;
  for (int64_t part = 0; part < choice.parts; part++)
    sorts_of[job->kind]->select(kept, &held, line->keep, chosen_at(&choice, part), choice.held[part]);
  sorts_of[job->kind]->sort_heap(kept, held);
  store(job, line, job->kind, kept, 0, held);
}

/* ------------------------------------------------------------------------------------------- one line, by buckets */

/* A long line, sorted by all threads. */
struct buckets {
  struct radix radix; /* its found[parts] has the end of each bucket, after the partition */
  int64_t most;       /* of items in a bucket */
  char *spare;        /* scratch for items of buckets, if there are more bits to sort by */
  int64_t workers;    /* threads that each sort one bucket after another ... */
  int64_t share;      /* ... of at most that many items, and at most `most` */
  atomic_llong next;
};

/* Counts the items of each bucket. */
static void measure(struct buckets *buckets, const struct sort_job *job, int64_t i) {
  struct radix *radix = &buckets->radix;
  radix->line = line_at(job, i);
  radix->items = NULL;
  find_bits(radix);
  buckets->most = buckets->share = radix->digit.shift = 0;
  if (radix->in_order) return;
  radix->digit.bits = radix->bits < SORT_DIGIT_BITS ? radix->bits : SORT_DIGIT_BITS;
  radix->digit.shift = radix->bits - radix->digit.bits;
  run_phase(radix, radix->count, count_chunk);
  buckets->most = context_stops(job->context) ? 0 : places_of_counts(radix);
  buckets->share = radix->count / (BUCKET_PARTS * buckets->workers) + 1;
  if (buckets->share > buckets->most) buckets->share = buckets->most;
}

/* Scratch of the line, in items: to sort a bucket in each thread, or one that all share. */
static int64_t spare_of(const struct buckets *buckets) {
  const struct radix *radix = &buckets->radix;
  int64_t alone = buckets->workers * buckets->share;
  return !radix->digit.shift ? 0 : buckets->most > alone ? buckets->most : alone;
}

static uint64_t bytes_of(const struct buckets *buckets) {
  if (buckets->radix.in_order) return 0;
  int64_t items = (is_in_place(buckets->radix.job, buckets->radix.kind) ? 0 : buckets->radix.count) + spare_of(buckets);
  return (uint64_t)(items * sorts_of[buckets->radix.kind]->bytes);
}

static void sort_bucket(const struct buckets *buckets, int64_t i, char *spare, int64_t parts,
                        struct radix_part *found) {
  struct radix bucket = buckets->radix;
  const int64_t *ends = bucket.found[bucket.parts].counts, bytes = sorts_of[bucket.kind]->bytes;
  bucket.rank = i ? ends[i - 1] : 0;
  bucket.count = ends[i] - bucket.rank;
  if (!bucket.count || bucket.rank >= bucket.line.keep) return;
  bucket.bits = bucket.digit.shift;
  bucket.items += bucket.rank * bytes;
  bucket.to = spare;
  bucket.parts = parts;
  bucket.found = found;
  if (bucket.count <= SORT_INSERTION) {
    sorts_of[bucket.kind]->insert(bucket.items, bucket.count, INT64_MAX);
    bucket.bits = 0;
  }
  radix_sort(&bucket);
}

static int64_t size_of_bucket(const struct buckets *buckets, int64_t i) {
  const int64_t *ends = buckets->radix.found[buckets->radix.parts].counts;
  return ends[i] - (i ? ends[i - 1] : 0);
}

static void sort_shares(void *buckets_, int64_t part) {
  struct buckets *buckets = buckets_;
  const struct radix *radix = &buckets->radix;
  struct radix_part found;
  char *spare = buckets->spare ? buckets->spare + part * buckets->share * sorts_of[radix->kind]->bytes : NULL;
  for (int64_t i; (i = atomic_fetch_add(&buckets->next, 1)) < INT64_C(1) << radix->digit.bits;)
    if (size_of_bucket(buckets, i) <= buckets->share) sort_bucket(buckets, i, spare, 1, &found);
}

/* Sorts line `i`, which is measured. */
static void sort_by_buckets(struct buckets *buckets, char *scratch) {
  struct radix *radix = &buckets->radix;
  const struct sort_job *job = radix->job;
  if (radix->in_order) {
    store_all(radix);
    return;
  }
  bool in_place = is_in_place(job, radix->kind);
  radix->to = in_place ? radix->line.positions : scratch;
  buckets->spare = NULL;
  if (radix->digit.shift) buckets->spare = in_place ? scratch : scratch + radix->count * sorts_of[radix->kind]->bytes;
  partition(radix);
  if (context_stops(job->context)) return;
  memcpy(&radix->found[radix->parts], &radix->found[radix->parts - 1],
         sizeof *radix->found); /* partitioning has advanced each */
  atomic_init(&buckets->next, 0);
  pool_run(job->context, buckets->workers, sort_shares, buckets);
  for (int64_t i = 0; i < INT64_C(1) << radix->digit.bits && !context_stops(job->context); i++)
    if (size_of_bucket(buckets, i) > buckets->share)
      sort_bucket(buckets, i, buckets->spare, radix->parts, radix->found);
}

/* Measures all lines before the first is sorted, since memory may be exhausted; the first one last, to sort it
   without a second measurement. */
static strew_status sort_long_lines(const struct call *call, const struct sort_job *job) {
  const size_t found_bytes = (size_t)(job->parts + 1) * sizeof(struct radix_part);
  ALLOCATE_NEW(struct radix_part *, found, call, job->context, found_bytes);
  struct buckets buckets = {.radix = {.job = job, .parts = job->parts, .count = job->line.n, .found = found}};
  buckets.workers = job->parts < job->context->threads ? job->parts : job->context->threads;
  uint64_t bytes = 0;
  for (int64_t i = job->count; i-- > 0 && !context_stops(job->context);) {
    measure(&buckets, job, i);
    if (bytes_of(&buckets) > bytes) bytes = bytes_of(&buckets);
  }
  if (context_stops(job->context)) bytes = 0;
  char *scratch = bytes ? memory_allocate(job->context, bytes) : NULL;
  strew_status status = bytes && !scratch ? fail_memory(call, job->context, bytes) : STREW_OK;
  for (int64_t i = 0; status == STREW_OK && i < job->count && !context_stops(job->context); i++) {
    if (i) measure(&buckets, job, i);
    if (!context_stops(job->context)) sort_by_buckets(&buckets, scratch);
  }
  if (scratch) memory_free(job->context, scratch, bytes);
  memory_free(job->context, found, found_bytes);
  return status;
}

/* ------------------------------------------------------------------------------------------- short lines, by networks

   An item is a double, as that is what all instruction sets compare in vectors: 1.x with the key in the upper bits of
   its fraction and the position below. A wider key loses its last bits; ties between what is left of keys are settled
   after the sort. */

enum { FRACTION_BITS = 52 };

/* A line in its lane. */
struct lane {
  struct sort_line line;
  double *items; /* LANES apart */
  int lost;      /* bits of keys that items lack */
};

static inline uint64_t bits_of_item(double item) { return bits_of_double(item) & ((UINT64_C(1) << FRACTION_BITS) - 1); }

/* Makes items of keys, `apart` from one another. */
ALWAYS_INLINE void make_doubles(double *items, const uint64_t *keys, int64_t n, uint64_t base, int lost,
                                int position_bits, const int64_t apart) {
  const uint64_t one = bits_of_double(1.0);
  for (int64_t i = 0; i < n; i++)
    items[i * apart] = double_of_bits(one | (keys[i] - base) >> lost << position_bits | (uint64_t)i);
}

/* Returns how many bits keys lose that differ in `bits` bits. */
static int lost_bits(const struct sort_job *job, int bits) {
  const int lost = bits + job->position_bits - FRACTION_BITS;
  return lost > 0 ? lost : 0;
}

/* Finds the least of n keys, and returns the number of bits of differences to it. */
static int bits_of_keys(const uint64_t *keys, int64_t n, uint64_t *least_key) {
  struct bounds bounds = {.least = UINT64_MAX};
  bound_keys(&bounds, keys, n);
  int bits = 0;
  while (bits < 64 && (bounds.most - bounds.least) >> bits) bits++;
  return *least_key = bounds.least, bits;
}

/* Returns whether the line rises. */
static bool load_lane(const struct sort_job *job, struct lane *lane, uint64_t *keys) {
  const int64_t n = lane->line.n;
  uint64_t least_key = 0;
  int64_t below = 0;
  job->keys->load(keys, &lane->line, 0, n);
  for (int64_t i = 1; i < n; i++) below += keys[i] < keys[i - 1];
  lane->lost = job->kind == BROAD ? lost_bits(job, bits_of_keys(keys, n, &least_key)) : 0;
  make_doubles(lane->items, keys, n, least_key, lane->lost, job->position_bits, LANES);
  return !below;
}

/* Sorts items with equal keys by what these have lost. False if that would take long. */
static bool settle_ties(const struct sort_job *job, int64_t n, const uint64_t *keys, uint64_t *items) {
  const uint64_t positions = (UINT64_C(1) << job->position_bits) - 1;
  int64_t left = SETTLING_MOVES * n;
  for (int64_t i = 1; i < n; i++) {
    if ((items[i] ^ items[i - 1]) >> job->position_bits) continue;
    const uint64_t item = items[i], key = keys[item & positions];
    int64_t at = i;
    for (; at > 0 && keys[items[at - 1] & positions] > key && left > 0; at--, left--) items[at] = items[at - 1];
    items[at] = item;
  }
  return left > 0;
}

/* Writes items in order, which become their positions. `keys`: those of the line if the items lack bits. False if the line
   is to be sorted by another method. */
static bool store_items(const struct sort_job *job, const struct sort_line *line, int lost, const uint64_t *keys,
                        uint64_t *items) {
  const uint64_t positions = (UINT64_C(1) << job->position_bits) - 1;
  if (lost && !settle_ties(job, line->n, keys, items)) return false;
  for (int64_t i = 0; i < line->keep; i++) items[i] &= positions;
  if (line->values) pick_values(line, items, job->value_bytes, 0, line->keep);
  store_order(line, items, 0, line->keep);
  return true;
}

/* The same of items in a lane. `keys` and `order` are scratch. */
static bool store_lane(const struct sort_job *job, const struct lane *lane, uint64_t *keys, uint64_t *order) {
  for (int64_t i = 0; i < lane->line.n; i++) order[i] = bits_of_item(lane->items[i * LANES]);
  if (lane->lost) job->keys->load(keys, &lane->line, 0, lane->line.n);
  return store_items(job, &lane->line, lane->lost, keys, order);
}

/* Scratch: items, keys and positions in order. */
static int64_t lanes_bytes(const struct sort_job *job) { return (LANES + 2) * job->line.n * (int64_t)sizeof(uint64_t); }

/* The same for a line alone. */
static int64_t network_bytes(const struct sort_job *job) {
  return job->rows ? (LANES * job->rows + 2 * job->line.n) * (int64_t)sizeof(uint64_t) : 0;
}

/* True if `a`, a position, is before b in order. */
static inline bool is_before(const uint64_t *keys, uint64_t a, uint64_t b) {
  return keys[a] < keys[b] || (keys[a] == keys[b] && a < b);
}

/* Sorts a line that rises but for some elements: these are taken out, sorted, and merged with the others. False, soon,
   if they are many and do not rise, either. order, out: scratch for the line's positions. */
static bool sort_nearly_risen(const struct sort_job *job, const struct sort_line *line, const uint64_t *keys,
                              uint64_t *order, uint64_t *out) {
  int64_t kept = 1, count = 0;
  bool rises = true; /* what is taken out */
  order[0] = 0;
  for (int64_t i = 1; i < line->n; i++) {
    order[kept] = (uint64_t)i;
    if (keys[i] >= keys[order[kept - 1]]) {
      kept++;
      continue;
    }
    int64_t above = 1; /* of the last ones kept */
    while (above <= RISING_BACK && above < kept && keys[i] < keys[order[kept - 1 - above]]) above++;
    const bool is_low = above > RISING_BACK || above == kept; /* the element is out of place; else they are */
    const int64_t first = is_low ? kept : kept - above, end = is_low ? kept + 1 : kept;
    for (int64_t k = first; k < end; k++) {
      rises = rises && (!count || is_before(keys, out[count - 1], order[k]));
      out[count++] = order[k];
    }
    if (!is_low) order[first] = (uint64_t)i, kept = first + 1;
    if (!rises && count > least(RISING_FEW + i / 16, RISING_MOST)) return false;
  }
  for (int64_t i = 1, at; i < count; i++) {
    const uint64_t one = out[i];
    for (at = i; at > 0 && is_before(keys, one, out[at - 1]); at--) out[at] = out[at - 1];
    out[at] = one;
  }
  while (count-- > 0) {
    const uint64_t one = out[count];
    for (; kept > 0 && is_before(keys, one, order[kept - 1]); kept--) order[kept + count] = order[kept - 1];
    order[kept + count] = one;
  }
  if (line->values) pick_values(line, order, job->value_bytes, 0, line->keep);
  store_order(line, order, 0, line->keep);
  return true;
}

/* Sorts a line that is not in order. False if it is to be sorted by another method. */
static bool sort_by_network(const struct sort_job *job, const struct sort_line *line, char *scratch) {
  const int64_t rows = job->rows, n = line->n;
  double *items = (double *)(void *)scratch;
  uint64_t *keys = (uint64_t *)(void *)(items + LANES * rows), *order = keys + n, base = 0;
  job->keys->load(keys, line, 0, n);
  if (sort_nearly_risen(job, line, keys, order, (uint64_t *)(void *)items)) return true;
  const int lost = job->kind == BROAD ? lost_bits(job, bits_of_keys(keys, n, &base)) : 0;
  make_doubles(items, keys, n, base, lost, job->position_bits, 1);
  for (int64_t i = n; i < LANES * rows; i++) items[i] = 2; /* behind all */
  sort_loops()->sort_line(items, rows);
  for (int64_t i = 0; i < n; i += rows, items++)
    for (int64_t k = 0, count = least(rows, n - i); k < count; k++) order[i + k] = bits_of_item(items[k * LANES]);
  return store_items(job, line, lost, keys, order);
}

/* ---------------------------------------------------------------------------------------------- split among threads */

static void sort_alone(const struct sort_job *job, const struct sort_line *line, char *scratch) {
  if (line->n <= SORT_INSERTION) {
    sort_handful(job, line);
  } else if (job->select) {
    int64_t held = select_chunk(job, line, 0, line->n, scratch);
    sorts_of[job->kind]->sort_heap(scratch, held);
    store(job, line, job->kind, scratch, 0, held);
  } else if (counts_bytes(job)) {
    byte_counts counts;
    sort_bytes(job, line, &counts, 1);
  } else {
    struct radix_part found;
    struct radix radix = {.job = job, .line = *line, .parts = 1, .count = line->n, .to = scratch, .found = &found};
    struct order order = {job->rows, job->rows, job->rows};
    if (job->rows) job->keys->find_order(line, 0, line->n, &order);
    set_order(&radix, order);
    if (job->rows && !radix.in_order && sort_by_network(job, line, scratch)) return;
    if (!radix.in_order) find_bits(&radix);
    if (radix.in_order) store_all(&radix);
    if (radix.in_order || context_stops(job->context)) return;
    radix.items = is_in_place(job, radix.kind) ? line->positions : scratch + line->n * sorts_of[radix.kind]->bytes;
    run_phase(&radix, line->n, load_chunk);
    radix_sort(&radix);
  }
}

/* Sorts `count` lines from line `i` on side by side, if there are enough. */
static void sort_block(const struct sort_job *job, int64_t i, int64_t count, char *scratch) {
  double *items = (double *)(void *)scratch;
  uint64_t *keys = (uint64_t *)(void *)(items + LANES * job->line.n), *order = keys + job->line.n;
  struct lane lanes[LANES];
  char *alone = scratch + lanes_bytes(job);
  const bool is_enough = count >= LANES_MIN;
  bool rise = true;
  for (int64_t k = 0; k < count; k++) {
    lanes[k] = (struct lane){.line = line_at(job, i + k), .items = items + k};
    if (is_enough && !load_lane(job, &lanes[k], keys)) rise = false;
  }
  for (int64_t k = count; k < LANES && is_enough; k++) /* any items */
    for (int64_t at = 0; at < job->line.n; at++) items[at * LANES + k] = 1;
  if (is_enough && !rise) sort_loops()->sort_lanes(items, job->line.n);
  for (int64_t k = 0; k < count; k++)
    if (!is_enough || !store_lane(job, &lanes[k], keys, order)) sort_alone(job, &lanes[k].line, alone);
}

static void part_of_lanes(void *job_, int64_t part) {
  const struct sort_job *job = job_;
  const int64_t blocks = (job->count + LANES - 1) / LANES, end = part_begin(blocks, job->parts, part + 1);
  for (int64_t i = part_begin(blocks, job->parts, part); i < end && !context_stops(job->context); i++)
    sort_block(job, i * LANES, least(LANES, job->count - i * LANES), job->scratch + part * job->line_bytes);
}

static void part_of_lines(void *job_, int64_t part) {
  const struct sort_job *job = job_;
  int64_t end = part_begin(job->count, job->parts, part + 1);
  char *scratch = job->scratch ? job->scratch + part * job->line_bytes : NULL;
  for (int64_t i = part_begin(job->count, job->parts, part); i < end && !context_stops(job->context); i++) {
    struct sort_line line = line_at(job, i);
    sort_alone(job, &line, scratch);
  }
}

/* A heap costs most elements one comparison, and more for those that it keeps. */
static bool selection_pays(int64_t keep, int64_t n) { return keep <= HEAP_MAX && keep <= n / HEAP_PART; }

static const struct keys *const keys_of[] = {SIGNED_BY_DTYPE(&keys)};

void cpu_sort_keys(strew_dtype dtype, const char *elements, int64_t step_bytes, int64_t count, uint64_t *keys) {
  const struct sort_line line = {.in = elements, .in_step = step_bytes, .flip = dtype_sign(dtype)};
  keys_of[dtype_signed(dtype)]->load(keys, &line, 0, count);
}

/* Long lines take a network more steps than other methods. Wide keys take these more. */
static bool lanes_pay(const struct sort_job *job) {
  const int64_t n = job->line.n, per_byte = isa_in_use() == ISA_PLAIN ? LANES_PLAIN : LANES_VECTORS;
  const int64_t select = job->value_bytes > 4 ? LANES_SELECT / 2 : LANES_SELECT;
  const int64_t most = job->select ? select : least(LANES_MOST, job->value_bytes * per_byte);
  return job->count >= LANES_MIN && n >= LANES_LEAST && n <= most;
}

static void sort_start(struct sort_job *job, const struct sort_plan *plan) {
  const struct operand *operands = plan->plan.operands;
  strew_dtype dtype = operands[2].dtype;
  int last = plan->plan.rank - 1;
  job->lines = plan->plan;
  job->lines.rank = last;
  job->count = plan_numel(&job->lines);
  job->line = (struct sort_line){.in_step = operand_step(&operands[2], last),
                                 .positions_step = operand_step(&operands[1], last)};
  if (operands[0].storage) job->line.values_step = operand_step(&operands[0], last);
  job->line.n = plan->plan.sizes[last];
  job->line.keep = plan->keep;
  job->line.flip = (plan->descending ? UINT64_MAX : 0) ^ dtype_sign(dtype);
  job->keys = keys_of[dtype_signed(dtype)];
  job->kind = kind_for(8 * (int)dtype_bytes(dtype), job->line.n);
  job->select = selection_pays(plan->keep, job->line.n);
  job->value_bytes = (int)dtype_bytes(dtype);
  job->in_lanes = lanes_pay(job);
  while (job->line.n > INT64_C(1) << job->position_bits) job->position_bits++;
  const int64_t most = job->value_bytes > 1 ? (int64_t)NETWORK_MOST * job->value_bytes * job->value_bytes : 0;
  if (job->line.n <= most && sort_loops()->sort_line)
    for (job->rows = 8; LANES * job->rows < job->line.n;) job->rows *= 2;
  job->in_place = job->line.positions_step == sizeof(narrow) && plan->keep == job->line.n;
}

/* True if all threads sort one line after another: there are fewer lines than threads, or lines so long that one per
   thread would take much memory. */
static bool is_shared(const struct sort_job *job) {
  if (job->line.n <= SORT_INSERTION) return false;
  return job->count < job->parts ||
         (!job->select && job->line.n > SHARED_LINE && job->count < SHARED_LINES * job->context->threads);
}

static strew_status sort_all_lines(const struct call *call, struct sort_job *job, bool shared) {
  const int64_t n = job->line.n, keep = job->line.keep, bytes = sorts_of[job->kind]->bytes;
  int64_t scratch_bytes;
  if (shared) {
    scratch_bytes = job->select ? (job->parts + 1) * keep * bytes : job->parts * (int64_t)sizeof(byte_counts);
  } else {
    const bool in_place = is_in_place(job, job->kind);
    if (n > ALONE_LINE && job->parts > job->context->threads) job->parts = job->context->threads;
    if (job->parts > job->count) job->parts = job->count;
    if (n > SORT_INSERTION && !counts_bytes(job)) job->line_bytes = (job->select ? keep : in_place ? n : 2 * n) * bytes;
    if (job->line_bytes < network_bytes(job)) job->line_bytes = network_bytes(job);
    if (job->in_lanes) job->line_bytes += lanes_bytes(job);
    scratch_bytes = job->parts * job->line_bytes;
  }
  if (scratch_bytes && !(job->scratch = memory_allocate(job->context, (uint64_t)scratch_bytes)))
    return fail_memory(call, job->context, (uint64_t)scratch_bytes);
  if (!shared) pool_run(job->context, job->parts, job->in_lanes ? part_of_lanes : part_of_lines, job);
  for (int64_t i = 0; shared && i < job->count; i++) {
    struct sort_line line = line_at(job, i);
    if (job->select)
      select_together(job, &line);
    else
      sort_bytes(job, &line, (byte_counts *)(void *)job->scratch, job->parts);
  }
  if (job->scratch) memory_free(job->context, job->scratch, (size_t)scratch_bytes);
  return STREW_OK;
}

strew_status cpu_sort(const struct call *call, strew_device *device, const struct sort_plan *plan) {
  struct sort_job job = {.context = device->context};
  sort_start(&job, plan);
  /* an item is read and written several times */
  job.parts = pool_parts(job.context, work_bytes(job.count * job.line.n, (size_t)sorts_of[job.kind]->bytes));
  if (job.parts > SORT_PARTS) job.parts = SORT_PARTS;
  const bool shared = is_shared(&job);
  strew_status status =
      shared && !job.select && !counts_bytes(&job) ? sort_long_lines(call, &job) : sort_all_lines(call, &job, shared);
  return TRY(status, context_end(call, job.context, plan->plan.operands[1].storage));
}
