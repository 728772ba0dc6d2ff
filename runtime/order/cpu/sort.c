/* sort.c: sorting of lines on the CPU.

   An element becomes a word: a key, an unsigned number in the same order (sort.inc), and below it its position in the
   line, which breaks ties. So the order is total and stable, and the same for every method. Keys are relative to the
   least of the line. A wide key loses its last bits; ties between what is left of keys are settled after the sort. A
   line that rises is stored as it is read, one that falls from its end on.

   Methods: insertion sort for few words; networks for short lines side by side; a merge for short lines that rise except
   for few elements, which are taken out and sorted; a heap or a buffer for the first few of a long line; counting for
   bytes, and for long lines of few different keys, which get codes of a byte; else quicksort by vectors or, without
   these, an LSD radix sort. Longer lines are first partitioned by the most significant digit; then each bucket is sorted
   in cache, and threads share one only if it is too large.

   Words are stored where the positions are written in the end, if those are contiguous and all are kept.

   Threads share many lines line by line; each of few lines is sorted by all threads together. */
#include "runtime/core/cpu/cpu.h"
#include "runtime/core/shared/scalar.h"
#include "runtime/order/order_ops.h"
#include "sort_loops.h"

#include <string.h>

enum { DIGITS = 1 << SORT_DIGIT_BITS, PLACES = 8 }; /* values of a digit; places found at once */

/* A range of bits of a key. */
struct digit {
  int shift, bits;
};

static inline int64_t digit_of(uint64_t word, struct digit digit) {
  return (int64_t)(word >> digit.shift & ((UINT64_C(1) << digit.bits) - 1));
}

/* What a heap selects. */
typedef uint64_t narrow;
typedef struct broad {
  uint64_t key, position;
} broad;

static inline narrow make_narrow(uint64_t key, uint64_t position) { return key << 32 | position; }
static inline uint64_t position_in_narrow(narrow item) { return item & 0xffffffffu; }
static inline uint64_t key_in_narrow(narrow item) { return item >> 32; }
static inline bool less_narrow(narrow a, narrow b) { return a < b; }

static inline broad make_broad(uint64_t key, uint64_t position) { return (broad){key, position}; }
static inline uint64_t position_in_broad(broad item) { return item.position; }
static inline uint64_t key_in_broad(broad item) { return item.key; }
static inline bool less_broad(broad a, broad b) {
  return (a.key < b.key) | ((a.key == b.key) & (a.position < b.position));
}

/* Items held so far; later ones whose keys are not below `bound`, if there is one, are not among the first. */
struct held {
  int64_t count;
  bool is_bound;
  uint64_t bound;
};

/* Selection of the first few by a heap, or in a buffer. */
struct heap {
  int64_t bytes; /* of an item */
  /* Takes `count` more, at most SORT_CHUNK, whose positions follow those before. */
  void (*select)(void *kept, struct held *held, int64_t keep, const uint64_t *keys, int64_t position, int64_t count);
  int64_t (*sort)(void *kept, int64_t count, int64_t keep); /* returns their number */
  int64_t (*merge)(void *kept, int64_t keep, const char *from, int64_t apart, int64_t parts, const int64_t *counts);
  void (*take_positions)(uint64_t *order, const void *kept, int64_t count);
};

enum {
  BUFFER_LEAST = 16, /* items: more are selected in a buffer, of BUFFER_TIMES as many, and BUFFER_MORE */
  BUFFER_TIMES = 4,
  BUFFER_MORE = 64,
  BUFFER_FEW = 16,    /* items: no more are split; keys looked at together */
  HEAP_STEP = 4,      /* the same of a heap */
  BUFFER_LEVELS = 32, /* splits: after more a heap sorts */
};
/* Most items in a buffer. */
static inline int64_t buffer_items(int64_t keep) { return BUFFER_TIMES * keep + BUFFER_MORE + SORT_CHUNK; }

/* True if some of these keys are below the bound: others, whose positions follow, are not among the first. */
ALWAYS_INLINE bool are_below(const uint64_t *keys, const int count, uint64_t bound) {
  UNROLLED for (int i = 0; i < count; i++) if (keys[i] < bound) return true;
  return false;
}

#define ITEM narrow
#include "items.inc"
#define ITEM broad
#include "items.inc"

ORDER_ENTRIES(CPU_FUNCTION, CPU_FUNCTION)
CPU_TABLE(order_ops, ORDER_ENTRIES)

static const struct heap *const heaps[] = {heaps_narrow, heaps_broad};

struct sort_job {
  strew_context *context;
  struct plan lines;     /* the plan without the sorted dimension */
  struct sort_line line; /* what all lines have in common */
  int64_t count;         /* of lines */
  const struct keys *keys;
  const struct heap *heap; /* that selects, or NULL */
  int value_bytes;
  bool in_lanes;   /* lines are sorted side by side */
  int64_t columns; /* lines that are adjacent, or 0: they are not */
  bool whole;      /* quicksort sorts whole keys: their bounds are not needed, unless a line's keys seem narrow */
  bool codes;      /* elements of a line may get codes */
  bool in_place;   /* words may be stored in the memory of positions */
  int64_t parts;
  int64_t line_words; /* of scratch for a line that one thread sorts */
  uint64_t *scratch;
};

static struct sort_line line_at(const struct sort_job *job, int64_t i) {
  struct sort_line line = job->line;
  const struct plan *lines = &job->lines;
  line.values = lines->operands[0].storage ? operand_at(lines, 0, i) : NULL;
  line.positions = operand_at(lines, 1, i);
  line.in = operand_at(lines, 2, i);
  return line;
}

static int bits_in(uint64_t number) { return number ? 64 - __builtin_clzll(number) : 0; }

/* Chooses which bits of keys words have; returns their number. */
static int choose_bits(struct sort_line *line, const struct bounds *bounds) {
  const int bits = bits_in(bounds->most - bounds->least), zeros = bits_in(bounds->differ & -bounds->differ) - 1;
  line->base = bounds->least;
  line->shift = zeros > 0 ? zeros : 0;
  const int lost = bits - line->shift + line->position_bits - WORD_BITS;
  line->exact = lost <= 0;
  if (lost > 0) line->shift += lost;
  return bits - line->shift;
}

/* True if a sample of a line's keys has so few bits that digits sort them faster than quicksort. */
static bool seem_narrow(const struct sort_job *job, struct sort_line line) {
  struct bounds bounds = {.least = UINT64_MAX};
  uint64_t keys[NARROW_SAMPLE];
  if (line.n < SORT_FEW) return false;
  line.in_step *= line.n / NARROW_SAMPLE;
  job->keys->load(keys, &line, 0, NARROW_SAMPLE);
  bounds.first = keys[0];
  sort_loops()->bound_keys(&bounds, keys, NARROW_SAMPLE);
  return choose_bits(&line, &bounds) <= 2 * SORT_FEW_BITS;
}

/* Makes words of the elements from `position` on. */
static void load_words(const struct sort_job *job, const struct sort_line *line, uint64_t *words, int64_t position,
                       int64_t count) {
  uint64_t keys[SORT_CHUNK];
  for (int64_t taken; count > 0; position += taken, count -= taken, words += taken) {
    taken = least(count, SORT_CHUNK);
    job->keys->load(keys, line, position, taken);
    sort_loops()->make_words(line, words, keys, position, taken, 1);
  }
}

/* Writes sorted words, from rank `rank` on; they may be in the memory of the positions. */
static void store(const struct sort_job *job, const struct sort_line *line, const uint64_t *words, int64_t rank,
                  int64_t count) {
  const bool by_key = line->values && line->exact && line->n > PICKED_MOST;
  if (by_key) job->keys->store(line, words, rank, count);
  sort_loops()->store_picked(line, words, 1, by_key ? 0 : job->value_bytes, rank, count);
}

/* Merges two runs of words, of `first` and `second` keys, and the keys, into other memory. */
static void merge_runs(const uint64_t *words, const uint64_t *keys, int64_t first, int64_t second, uint64_t *to_words,
                       uint64_t *to_keys) {
  for (int64_t i = 0, j = first, end = first + second; i < first || j < end;) {
    const int64_t at = j == end || (i < first && keys[i] <= keys[j]) ? i++ : j++;
    *to_words++ = words[at], *to_keys++ = keys[at];
  }
}

/* Sorts words by their keys, stably. words, keys and their scratch: `count` each. */
static void merge_sort(uint64_t *words, uint64_t *keys, uint64_t *to_words, uint64_t *to_keys, int64_t count) {
  uint64_t *const sorted = words;
  for (int64_t run = 1; run < count; run *= 2) {
    for (int64_t at = 0; at < count; at += 2 * run) {
      const int64_t both = least(2 * run, count - at), first = least(run, both);
      merge_runs(words + at, keys + at, first, both - first, to_words + at, to_keys + at);
    }
    uint64_t *other = words;
    words = to_words, to_words = other;
    other = keys, keys = to_keys, to_keys = other;
  }
  if (words != sorted) memcpy(sorted, words, (size_t)count * sizeof *words);
}

/* Sorts words whose bits of keys are equal by what these have lost. spare: scratch for three times as many. */
static void settle_ties(const struct sort_job *job, const struct sort_line *line, uint64_t *words, uint64_t *spare,
                        int64_t count) {
  for (int64_t begin = 0, end; begin < count && !line->exact; begin = end) {
    uint64_t *keys = spare;
    bool rises = true;
    for (end = begin + 1; end < count && !((words[end] ^ words[begin]) >> line->position_bits); end++) {
      if (end == begin + 1) job->keys->load(keys, line, (int64_t)position_in(line, words[begin]), 1);
      job->keys->load(&keys[end - begin], line, (int64_t)position_in(line, words[end]), 1);
      rises = rises && keys[end - begin] >= keys[end - begin - 1];
    }
    if (!rises) merge_sort(words + begin, keys, spare + count, spare + 2 * count, end - begin);
  }
}

/* Insertion sort of a few words. */
static void insert_words(uint64_t *words, int64_t count) {
  for (int64_t i = 1; i < count; i++) {
    const uint64_t word = words[i];
    int64_t at = i;
    for (; at > 0 && word < words[at - 1]; at--) words[at] = words[at - 1];
    words[at] = word;
  }
}

/* Scratch, in words, to sort a line's words and to settle ties. */
static int64_t spare_words(const struct sort_job *job, int64_t count) {
  return job->value_bytes > 4 ? 3 * count : count;
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
  int64_t parts, count;
  int64_t rank;          /* of the first word */
  uint64_t *words;       /* NULL: still elements of the line */
  uint64_t *to;          /* destination of a partition */
  uint64_t *spare;       /* to settle ties */
  int bits;              /* of keys, not sorted by yet */
  bool whole;            /* the line's words have whole keys */
  bool in_order;         /* the line rises or falls */
  bool is_coded;         /* the line's elements have codes */
  struct coding *coding; /* NULL: elements have no codes */
  struct order order;
  struct digit digit;
  struct radix_part *found; /* of each part */
  radix_chunk *phase;       /* now running */
  int64_t phase_count;
};

/* Calls `work` for words begin .. end - 1: at once, or chunk by chunk while they are still elements. */
static void each_chunk(struct radix *radix, int64_t part, int64_t begin, int64_t end,
                       void (*work)(struct radix *radix, int64_t part, const uint64_t *words, int64_t count)) {
  uint64_t words[SORT_CHUNK];
  if (radix->words) {
    work(radix, part, radix->words + begin, end - begin);
    return;
  }
  for (int64_t at = begin, count; at < end; at += count) {
    count = least(end - at, SORT_CHUNK);
    load_words(radix->job, &radix->line, words, at, count);
    work(radix, part, words, count);
  }
}

/* Bounds of keys that are in order are the first and the last one. */
static void bound_chunk(struct radix *radix, int64_t part, int64_t begin, int64_t end) {
  const struct sort_line *line = &radix->line;
  const struct keys *of = radix->job->keys;
  struct bounds *bounds = &radix->found[part].bounds;
  uint64_t keys[SORT_CHUNK];
  if (bounds->order.rises || bounds->order.falls) of->find_order(line, begin, end, &bounds->order);
  of->load(&bounds->first, line, 0, 1);
  if (bounds->order.rises || bounds->order.falls) {
    of->load(keys, line, begin, 1);
    of->load(keys + 1, line, end - 1, 1);
    sort_loops()->bound_keys(bounds, keys, 2);
    bounds->differ = UINT64_MAX; /* not known */
    return;
  }
  for (int64_t at = begin, taken; at < end && !radix->whole && !radix->coding; at += taken) {
    taken = least(end - at, SORT_CHUNK);
    of->load(keys, line, at, taken);
    sort_loops()->bound_keys(bounds, keys, taken);
  }
}

static void load_chunk(struct radix *radix, int64_t part, int64_t begin, int64_t end) {
  (void)part;
  load_words(radix->job, &radix->line, radix->words + begin, begin, end - begin);
}

static void count_words(struct radix *radix, int64_t part, const uint64_t *words, int64_t count) {
  const struct digit digit = radix->digit;
  int64_t *counts = radix->found[part].counts;
  for (int64_t i = 0; i < count; i++) counts[digit_of(words[i], digit)]++;
}

static void count_chunk(struct radix *radix, int64_t part, int64_t begin, int64_t end) {
  each_chunk(radix, part, begin, end, count_words);
}

/* Scatters words to the next free slot of their digit. */
static void partition_words(struct radix *radix, int64_t part, const uint64_t *words, int64_t count) {
  const struct digit digit = radix->digit;
  int64_t *places = radix->found[part].counts;
  uint64_t *to = radix->to;
  int64_t i = 0;
  /* several places before the first write, whose address is known late: no place waits for it */
  for (; i + PLACES <= count; i += PLACES) {
    int64_t at[PLACES];
    UNROLLED for (int k = 0; k < PLACES; k++) at[k] = places[digit_of(words[i + k], digit)]++;
    UNROLLED for (int k = 0; k < PLACES; k++) to[at[k]] = words[i + k];
  }
  for (; i < count; i++) to[places[digit_of(words[i], digit)]++] = words[i];
}

static void partition_chunk(struct radix *radix, int64_t part, int64_t begin, int64_t end) {
  each_chunk(radix, part, begin, end, partition_words);
}

static void store_chunk(struct radix *radix, int64_t part, int64_t begin, int64_t end) {
  (void)part;
  store(radix->job, &radix->line, radix->words + begin, radix->rank + begin, end - begin);
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
    sort_loops()->store_picked(line, order, 1, radix->job->value_bytes, at, count);
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
  uint64_t *partitioned = radix->to;
  radix->to = radix->words;
  radix->words = partitioned;
}

/* Writes the words, which are sorted, or a line that is in order. */
static void store_all(struct radix *radix) {
  if (context_stops(radix->job->context)) return;
  const struct order *order = &radix->order;
  radix_chunk *ordered = order->rises ? store_rising : order->apart ? store_reversed : store_falling;
  run_phase(radix, least(radix->line.keep - radix->rank, radix->count), radix->in_order ? ordered : store_chunk);
}

/* Skips digits that all words share. */
static void sort_by_digits(struct radix *radix) {
  const int most = radix->count < SORT_FEW ? SORT_FEW_BITS : SORT_DIGIT_BITS;
  const int bits = radix->bits, digits = (bits + most - 1) / most;
  for (int i = 0; i < digits; i++) {
    radix->digit.shift = bits * i / digits;
    radix->digit.bits = bits * (i + 1) / digits - radix->digit.shift;
    radix->digit.shift += radix->line.position_bits;
    run_phase(radix, radix->count, count_chunk);
    if (context_stops(radix->job->context)) return;
    if (places_of_counts(radix) < radix->count) partition(radix);
  }
}

/* True if quicksort by vectors takes less time than digits, of which few are fast, or threads that share the work. */
static bool quicksort_pays(const struct radix *radix) {
  const int64_t count = radix->count;
  return sort_loops()->sort_items && radix->parts == 1 && count <= SORT_VECTORS_MOST &&
         (count < SORT_FEW || radix->bits > sort_loops()->digits_most);
}

static void sort_words(struct radix *radix) {
  if (!radix->bits) return;
  if (radix->count <= (sort_loops()->sort_items ? SORT_INSERTION_VECTORS : SORT_INSERTION))
    insert_words(radix->words, radix->count);
  else if (quicksort_pays(radix))
    sort_loops()->sort_items((double *)(void *)radix->words, (double *)(void *)radix->to, radix->count);
  else
    sort_by_digits(radix);
}

/* Sorts by all bits, and writes the result. */
static void radix_sort(struct radix *radix) {
  sort_words(radix);
  if (context_stops(radix->job->context)) return;
  if (!radix->line.exact && radix->words == radix->spare)
    radix->words = memcpy(radix->to, radix->words, (size_t)radix->count * sizeof *radix->words);
  settle_ties(radix->job, &radix->line, radix->words, radix->spare, radix->count);
  store_all(radix);
}

static void set_order(struct radix *radix, struct order order) {
  radix->order = order;
  radix->in_order = order.rises || order.falls;
}

/* ------------------------------------------------------------------------------------------ one line, other methods */

/* Chooses bits for words of n keys of a line; returns their number. */
static int choose_bits_of(const struct sort_job *job, struct sort_line *line, const uint64_t *keys) {
  struct bounds bounds = {.least = UINT64_MAX, .first = keys[0]};
  if (job->whole && !seem_narrow(job, *line)) return 8 * job->value_bytes;
  sort_loops()->bound_keys(&bounds, keys, line->n);
  return choose_bits(line, &bounds);
}

/* Memory of a selection: a heap, or a buffer and scratch for it. */
static int64_t heap_bytes(const struct sort_job *job) {
  const int64_t keep = job->line.keep;
  return (keep < BUFFER_LEAST ? keep : 2 * buffer_items(keep)) * job->heap->bytes;
}

/* Writes the first `keep` of a chunk of a line to `kept`; returns their number. */
static int64_t select_chunk(const struct sort_job *job, const struct sort_line *line, int64_t begin, int64_t end,
                            char *kept) {
  uint64_t keys[SORT_CHUNK];
  struct held held = {0, false, 0};
  for (int64_t at = begin, count; at < end && !context_stops(job->context); at += count) {
    count = least(end - at, SORT_CHUNK);
    job->keys->load(keys, line, at, count);
    job->heap->select(kept, &held, line->keep, keys, at, count);
  }
  return job->heap->sort(kept, held.count, line->keep);
}

static void store_heap(const struct sort_job *job, const struct sort_line *line, const char *kept, int64_t held) {
  uint64_t order[SORT_CHUNK];
  for (int64_t at = 0, count; at < held; at += count) {
    count = least(held - at, SORT_CHUNK);
    job->heap->take_positions(order, kept + at * job->heap->bytes, count);
    sort_loops()->store_picked(line, order, 1, job->value_bytes, at, count);
  }
}

/* True if lines are sorted by sort_bytes. */
static bool counts_bytes(const struct sort_job *job) {
  return job->value_bytes == 1 && !job->heap && job->line.n <= UINT32_MAX;
}

enum { STREAMS_OF_BYTES = 4 };

/* Counts of keys in the streams of a part of a line; then ranks of the next elements. */
typedef uint32_t byte_counts[STREAMS_OF_BYTES][1 << 8];

/* A line of bytes, sorted by counting: each position goes to its rank at once. A part has streams, one behind the other,
   which take turns, as a rank waits for the last element that was written. */
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

/* Counts keys, or places them, of `count` elements from `first` on, and of as many in `streams` streams, `apart`. */
ALWAYS_INLINE void walk_streams(const struct byte_sort *sort, byte_counts counts, const bool places, int64_t first,
                                int64_t apart, const int streams, int64_t count, int64_t step, int64_t to_step) {
  const struct sort_line line = sort->line;
  for (int64_t i = first; i < first + count; i++) {
    uint32_t *places_of[STREAMS_OF_BYTES];
    int64_t ranks[STREAMS_OF_BYTES];
    UNROLLED for (int k = 0; k < streams; k++) {
      places_of[k] = &counts[k][byte_key(sort, i + k * apart, step)];
      ranks[k] = *places_of[k];
    }
    UNROLLED for (int k = 0; k < streams; k++) * places_of[k] = (uint32_t)ranks[k] + 1;
    UNROLLED for (int k = 0; k < streams && places; k++) {
      if (ranks[k] >= line.keep) continue;
      if (line.values) line.values[ranks[k] * line.values_step] = line.in[(i + k * apart) * step];
      *(int64_t *)(void *)(line.positions + ranks[k] * to_step) = i + k * apart;
    }
  }
}

ALWAYS_INLINE void walk_part(const struct byte_sort *given, int64_t part, const bool places) {
  const struct byte_sort sort = *given;
  const int64_t begin = part_begin(sort.line.n, sort.parts, part), end = part_begin(sort.line.n, sort.parts, part + 1);
  const int64_t apart = (end - begin) / STREAMS_OF_BYTES, left = begin + STREAMS_OF_BYTES * apart;
  const int64_t step = sort.line.in_step, to_step = sort.line.positions_step;
  uint32_t(*counts)[1 << 8] = sort.counts[part];
  for (int64_t at = begin, count; at < begin + apart && !context_stops(sort.job->context); at += count) {
    count = least(begin + apart - at, CHUNK);
    if (step == 1 && to_step == (int64_t)sizeof(int64_t))
      walk_streams(&sort, counts, places, at, apart, STREAMS_OF_BYTES, count, 1, sizeof(int64_t));
    else
      walk_streams(&sort, counts, places, at, apart, STREAMS_OF_BYTES, count, step, to_step);
  }
  walk_streams(&sort, &counts[STREAMS_OF_BYTES - 1], places, left, 0, 1, end - left, step, to_step);
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

/* Turns the counts of a key into ranks, from `rank` on; returns that of the next element. */
static uint32_t set_ranks(byte_counts counts, int key, uint32_t rank) {
  for (int k = 0; k < STREAMS_OF_BYTES; k++) {
    const uint32_t count = counts[k][key];
    counts[k][key] = rank;
    rank += count;
  }
  return rank;
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
    for (int64_t part = 0; part < parts; part++) rank = set_ranks(counts[part], key, rank);
    ends[key] = rank;
  }
  if (!context_stops(job->context)) pool_run(job->context, parts, place_bytes, &sort);
  if (sort.values) pool_run(job->context, parts, store_bytes, &sort);
}

/* ------------------------------------------------------------------------------------------- few different keys */

enum { CODE_SLOTS = 1 << 10, CODES_MOST = (1 << 8) - 1 };

/* Codes of the different keys met so far, from 1. */
struct code_table {
  uint64_t slots[CODE_SLOTS]; /* keys; free ones hold the first */
  uint64_t keys[CODES_MOST + 1];
  uint8_t codes[CODE_SLOTS]; /* 0: free */
  int count;
};

/* A line of few different keys, sorted as the bytes that their codes are. */
struct coding {
  const struct sort_job *job;
  struct sort_line line;
  int64_t parts;
  atomic_bool fails;         /* too many */
  struct code_table *tables; /* of each part, and of all */
  byte_counts *counts;
  uint8_t *codes;
  uint32_t ends[CODES_MOST]; /* of the elements of each key, in order */
};

static int64_t coding_bytes(int64_t n, int64_t parts) {
  return (parts + 1) * (int64_t)sizeof(struct code_table) + parts * (int64_t)sizeof(byte_counts) + n;
}

static struct coding coding_in(void *memory, int64_t parts) {
  struct coding coding = {.parts = parts, .tables = memory};
  coding.counts = (byte_counts *)(void *)(coding.tables + parts + 1);
  coding.codes = (uint8_t *)(coding.counts + parts);
  return coding;
}

static void start_codes(struct code_table *table, uint64_t first) {
  table->count = 0;
  memset(table->codes, 0, sizeof table->codes);
  for (int i = 0; i < CODE_SLOTS; i++) table->slots[i] = first;
}

static inline int64_t slot_of(uint64_t key) { return (int64_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 54); }

/* Returns the code of a key, which gets one if it has none; 0: there are too many. */
static uint8_t code_of(struct code_table *table, uint64_t key) {
  int64_t slot = slot_of(key);
  for (; table->codes[slot]; slot = (slot + 1) % CODE_SLOTS)
    if (table->slots[slot] == key) return table->codes[slot];
  if (table->count == CODES_MOST) return 0;
  table->slots[slot] = table->keys[table->count] = key;
  return table->codes[slot] = (uint8_t)++table->count;
}

/* True if a sample of a line has equal keys: there may be few different ones. */
static bool seem_few(const struct sort_job *job, struct sort_line line, const struct coding *coding) {
  uint64_t keys[NARROW_SAMPLE];
  line.in_step *= line.n / NARROW_SAMPLE;
  job->keys->load(keys, &line, 0, NARROW_SAMPLE);
  start_codes(coding->tables, keys[0]);
  for (int i = 0; i < NARROW_SAMPLE; i++) code_of(coding->tables, keys[i]);
  return coding->tables->count <= CODED_SAMPLE;
}

/* Writes codes of a part of a line. */
static void code_part(void *coding_, int64_t part) {
  struct coding *coding = coding_;
  struct code_table *table = &coding->tables[part];
  const struct sort_line *line = &coding->line;
  const int64_t begin = part_begin(line->n, coding->parts, part), end = part_begin(line->n, coding->parts, part + 1);
  uint64_t keys[SORT_CHUNK];
  for (int64_t at = begin, count; at < end && !context_stops(coding->job->context); at += count) {
    uint8_t *codes = coding->codes + at;
    count = least(SORT_CHUNK, end - at);
    coding->job->keys->load(keys, line, at, count);
    if (at == begin) start_codes(table, keys[0]);
    for (int64_t i = 0; i < count; i++) {
      const int64_t slot = slot_of(keys[i]);
      uint8_t code = table->codes[slot];
      if (!code || table->slots[slot] != keys[i]) code = code_of(table, keys[i]);
      codes[i] = code;
      if (code) continue;
      atomic_store(&coding->fails, true);
      return;
    }
  }
}

/* Finds codes of a line; false if there are too many. */
static bool code_line(const struct sort_job *job, const struct sort_line *line, struct coding *coding) {
  struct code_table *all = &coding->tables[coding->parts];
  coding->job = job, coding->line = *line;
  atomic_init(&coding->fails, false);
  pool_run(job->context, coding->parts, code_part, coding);
  if (coding->fails || context_stops(job->context)) return false;
  start_codes(all, coding->tables->keys[0]);
  for (int64_t part = 0; part < coding->parts; part++)
    for (int i = 0; i < coding->tables[part].count; i++)
      if (!code_of(all, coding->tables[part].keys[i])) return false;
  insert_words(all->keys, all->count);
  return true;
}

/* Writes values of the ranks from `begin` on, key by key. */
static void store_values(struct radix *radix, int64_t part, int64_t begin, int64_t end) {
  const struct coding *coding = radix->coding;
  struct sort_line line = radix->line; /* words are positions, as its base is the key */
  uint64_t words[SORT_CHUNK];
  (void)part;
  for (int64_t at = begin, count, key = 0; at < end; at += count) {
    while (coding->ends[key] <= at) key++;
    count = least(least(end, coding->ends[key]) - at, SORT_CHUNK);
    const char *from = line.positions + at * line.positions_step;
    const bool apart = line.positions_step != (int64_t)sizeof *words;
    for (int64_t i = 0; i < count && apart; i++)
      words[i] = *(const uint64_t *)(const void *)(from + i * line.positions_step);
    line.base = coding->tables[coding->parts].keys[key];
    radix->job->keys->store(&line, apart ? words : (const uint64_t *)(const void *)from, at, count);
  }
}

/* Writes a line whose elements have codes. */
static void store_coded(struct radix *radix) {
  struct coding *coding = radix->coding;
  const struct code_table *all = &coding->tables[coding->parts];
  strew_context *context = radix->job->context;
  struct byte_sort sort = {.job = radix->job, .line = coding->line, .parts = coding->parts, .counts = coding->counts};
  uint32_t rank = 0;
  sort.line.in = (const char *)coding->codes, sort.line.in_step = 1, sort.line.values = NULL;
  memset(sort.counts, 0, (size_t)sort.parts * sizeof *sort.counts);
  pool_run(context, sort.parts, count_bytes, &sort);
  for (int i = 0; i < all->count; i++) {
    for (int64_t part = 0; part < sort.parts; part++)
      rank = set_ranks(sort.counts[part], code_of(&coding->tables[part], all->keys[i]), rank);
    coding->ends[i] = rank;
  }
  if (!context_stops(context)) pool_run(context, sort.parts, place_bytes, &sort);
  if (radix->line.values && !context_stops(context)) run_phase(radix, radix->line.keep, store_values);
}

/* Finds the number of bits that a line's keys need, or codes of few different keys. coding: memory for these, or NULL.
 */
static void find_bits(struct radix *radix, struct coding *coding) {
  struct bounds all = {UINT64_MAX, 0, 0, 0, {true, true, true}};
  /* a part may be skipped when the call stops */
  for (int64_t part = 0; part < radix->parts; part++) radix->found[part].bounds = all;
  radix->whole = radix->job->whole && !seem_narrow(radix->job, radix->line);
  radix->coding = coding && seem_few(radix->job, radix->line, coding) ? coding : NULL;
  radix->is_coded = false;
  run_phase(radix, radix->count, bound_chunk);
  for (int64_t part = 0; part < radix->parts; part++) {
    const struct bounds *bounds = &radix->found[part].bounds;
    if (bounds->least < all.least) all.least = bounds->least;
    if (bounds->most > all.most) all.most = bounds->most;
    all.differ |= bounds->differ;
    all.order.rises &= bounds->order.rises, all.order.falls &= bounds->order.falls;
    all.order.apart &= bounds->order.apart;
  }
  set_order(radix, all.order);
  if (radix->in_order || context_stops(radix->job->context)) return;
  if (!radix->coding)
    radix->bits = radix->whole ? 8 * radix->job->value_bytes : choose_bits(&radix->line, &all);
  else if (!(radix->is_coded = code_line(radix->job, &radix->line, coding)))
    find_bits(radix, NULL);
}

/* Selection by all threads: each selects from a chunk, then one from their results. */
struct line_selection {
  const struct sort_job *job;
  struct sort_line line;
  int64_t parts;
  int64_t held[SORT_PARTS];
};

static char *chosen_at(const struct line_selection *choice, int64_t part) {
  return (char *)choice->job->scratch + part * heap_bytes(choice->job);
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
  pool_run(job->context, choice.parts, choose_part, &choice);
  if (context_stops(job->context)) return;
  const int64_t held =
      job->heap->merge(kept, line->keep, chosen_at(&choice, 0), heap_bytes(job), choice.parts, choice.held);
  store_heap(job, line, kept, held);
}

/* ------------------------------------------------------------------------------------------- one line, by buckets */

/* A long line, sorted by all threads. */
struct buckets {
  struct radix radix; /* its found[parts] has the end of each bucket, after the partition */
  int64_t most;       /* of words in a bucket */
  uint64_t *spare;    /* scratch for words of buckets, if there are more bits to sort by */
  int64_t workers;    /* threads that each sort one bucket after another ... */
  int64_t share;      /* ... of at most that many words, and at most `most` */
  atomic_llong next;
  struct coding *coding; /* memory for codes, or NULL */
};

/* Counts the words of each bucket. */
static void measure(struct buckets *buckets, const struct sort_job *job, int64_t i) {
  struct radix *radix = &buckets->radix;
  radix->line = line_at(job, i);
  radix->words = NULL;
  find_bits(radix, buckets->coding);
  buckets->most = buckets->share = radix->digit.shift = 0;
  if (radix->in_order || radix->is_coded) return;
  radix->digit.bits = radix->bits < SORT_DIGIT_BITS ? radix->bits : SORT_DIGIT_BITS;
  radix->digit.shift = radix->bits - radix->digit.bits + radix->line.position_bits;
  run_phase(radix, radix->count, count_chunk);
  buckets->most = context_stops(job->context) ? 0 : places_of_counts(radix);
  buckets->share = radix->count / (BUCKET_PARTS * buckets->workers) + 1;
  if (buckets->share > buckets->most) buckets->share = buckets->most;
}

/* Scratch of the line, in words: to sort a bucket in each thread, or one that all share. */
static int64_t spare_of(const struct buckets *buckets) {
  const int64_t alone = buckets->workers * buckets->share;
  if (buckets->radix.digit.shift == buckets->radix.line.position_bits) return 0;
  return spare_words(buckets->radix.job, buckets->most > alone ? buckets->most : alone);
}

static uint64_t bytes_of(const struct buckets *buckets) {
  if (buckets->radix.in_order || buckets->radix.is_coded) return 0;
  const int64_t words = buckets->radix.job->in_place ? 0 : buckets->radix.count;
  return (uint64_t)(words + spare_of(buckets)) * sizeof(uint64_t);
}

static void sort_bucket(const struct buckets *buckets, int64_t i, uint64_t *spare, int64_t parts,
                        struct radix_part *found) {
  struct radix bucket = buckets->radix;
  const int64_t *ends = bucket.found[bucket.parts].counts;
  bucket.rank = i ? ends[i - 1] : 0;
  bucket.count = ends[i] - bucket.rank;
  if (!bucket.count || bucket.rank >= bucket.line.keep) return;
  bucket.bits = bucket.digit.shift - bucket.line.position_bits;
  bucket.words += bucket.rank;
  bucket.to = bucket.spare = spare;
  bucket.parts = parts;
  bucket.found = found;
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
  uint64_t *spare = buckets->spare + part * spare_words(radix->job, buckets->share);
  for (int64_t i; (i = atomic_fetch_add(&buckets->next, 1)) < INT64_C(1) << radix->digit.bits;)
    if (size_of_bucket(buckets, i) <= buckets->share) sort_bucket(buckets, i, spare, 1, &found);
}

/* Sorts line `i`, which is measured. */
static void sort_by_buckets(struct buckets *buckets, uint64_t *scratch) {
  struct radix *radix = &buckets->radix;
  const struct sort_job *job = radix->job;
  if (radix->is_coded) {
    store_coded(radix);
    return;
  }
  if (radix->in_order) {
    store_all(radix);
    return;
  }
  radix->to = job->in_place ? (uint64_t *)(void *)radix->line.positions : scratch;
  buckets->spare = job->in_place ? scratch : scratch + radix->count;
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
  const uint64_t codes_bytes = job->codes ? (uint64_t)coding_bytes(job->line.n, job->parts) : 0;
  ALLOCATE_NEW(struct radix_part *, found, call, job->context, found_bytes);
  struct buckets buckets = {.radix = {.job = job, .parts = job->parts, .count = job->line.n, .found = found}};
  buckets.workers = job->parts < job->context->threads ? job->parts : job->context->threads;
  /* without memory for codes, buckets do */
  void *codes = codes_bytes ? memory_allocate(job->context, codes_bytes) : NULL;
  struct coding coding = codes ? coding_in(codes, job->parts) : (struct coding){0};
  buckets.coding = codes ? &coding : NULL;
  uint64_t bytes = 0;
  for (int64_t i = job->count; i-- > 0 && !context_stops(job->context);) {
    measure(&buckets, job, i);
    if (bytes_of(&buckets) > bytes) bytes = bytes_of(&buckets);
  }
  if (context_stops(job->context)) bytes = 0;
  uint64_t *scratch = bytes ? memory_allocate(job->context, bytes) : NULL;
  strew_status status = bytes && !scratch ? fail_memory(call, job->context, bytes) : STREW_OK;
  for (int64_t i = 0; status == STREW_OK && i < job->count && !context_stops(job->context); i++) {
    if (i) measure(&buckets, job, i);
    if (!context_stops(job->context)) sort_by_buckets(&buckets, scratch);
  }
  if (scratch) memory_free(job->context, scratch, bytes);
  if (codes) memory_free(job->context, codes, codes_bytes);
  memory_free(job->context, found, found_bytes);
  return status;
}

/* -------------------------------------------------------------------------------------------- one line, one thread */

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
  sort_loops()->store_picked(line, order, 1, job->value_bytes, 0, line->keep);
  return true;
}

/* Sorts a short line. scratch: see line_words. */
static void sort_keys(const struct sort_job *job, struct radix *radix, uint64_t *scratch) {
  struct sort_line *line = &radix->line;
  const int64_t n = line->n;
  uint64_t *keys = scratch, *words = keys + n, *spare = words + n;
  job->keys->load(keys, line, 0, n);
  if (n > RISING_LEAST && sort_nearly_risen(job, line, keys, words, spare)) return;
  radix->bits = choose_bits_of(job, line, keys);
  sort_loops()->make_words(line, words, keys, 0, n, 1);
  radix->words = words, radix->to = radix->spare = spare;
  radix_sort(radix);
}

/* Scratch, in words, of a line that one thread sorts. */
static int64_t line_words(const struct sort_job *job) {
  const int64_t n = job->line.n;
  if (job->heap) return heap_bytes(job) / (int64_t)sizeof(uint64_t);
  return counts_bytes(job) ? 0 : (n <= KEYS_MOST ? 2 * n : job->in_place ? 0 : n) + spare_words(job, n);
}

static void sort_alone(const struct sort_job *job, const struct sort_line *line, uint64_t *scratch) {
  struct radix_part found;
  struct radix radix = {.job = job, .line = *line, .parts = 1, .count = line->n, .found = &found};
  if (job->heap) {
    char *kept = (char *)scratch;
    store_heap(job, line, kept, select_chunk(job, line, 0, line->n, kept));
  } else if (counts_bytes(job)) {
    byte_counts counts;
    sort_bytes(job, line, &counts, 1);
  } else if (line->n <= KEYS_MOST) {
    struct order order = {true, true, true};
    if (line->n > SORT_INSERTION) job->keys->find_order(line, 0, line->n, &order), set_order(&radix, order);
    if (radix.in_order)
      store_all(&radix);
    else
      sort_keys(job, &radix, scratch);
  } else {
    struct coding coding = coding_in(scratch, 1);
    find_bits(&radix, job->codes ? &coding : NULL);
    radix.words = job->in_place ? (uint64_t *)(void *)line->positions : scratch;
    radix.to = radix.spare = job->in_place ? scratch : scratch + line->n;
    if (!radix.in_order && !radix.is_coded) run_phase(&radix, line->n, load_chunk);
    if (radix.in_order)
      store_all(&radix);
    else if (radix.is_coded)
      store_coded(&radix);
    else if (!context_stops(job->context))
      radix_sort(&radix);
  }
}

/* ----------------------------------------------------------------------------------------- short lines, by networks */

/* Scratch, in words: words of all lanes; keys of one, and to settle ties. */
static int64_t lanes_words(const struct sort_job *job) { return (LANES + 4) * job->line.n; }

/* True if lines i .. i + count - 1 are as many adjacent columns as there are lanes. */
static bool are_columns(const struct sort_job *job, int64_t i, int64_t count) {
  const int64_t columns = job->columns;
  return columns && count == LANES && i % columns + LANES <= columns;
}

/* True if the first elements of a line seem to rise or to fall. */
static bool seems_ordered(const struct sort_job *job, int64_t i) {
  enum { FIRST = 64, FEW = 8 };
  const struct sort_line line = line_at(job, i);
  uint64_t keys[FIRST];
  int falls = 0;
  job->keys->load(keys, &line, 0, FIRST);
  for (int at = 1; at < FIRST; at++) falls += keys[at] < keys[at - 1];
  return falls <= FEW || falls >= FIRST - FEW;
}

/* Makes words of keys of a line, or of adjacent ones (apart: 0), whose bits it chooses if not all are taken. */
static void make_lane(const struct sort_job *job, struct sort_line *line, uint64_t *words, const uint64_t *keys,
                      int64_t count, int64_t apart) {
  struct bounds bounds = {.least = UINT64_MAX, .first = keys[0]};
  if (job->value_bytes > 4) {
    sort_loops()->bound_keys(&bounds, keys, count);
    choose_bits(line, &bounds);
  }
  sort_loops()->make_words(line, words, keys, 0, count, apart);
}

/* Sorts `count` lines from line `i` on side by side. */
static void sort_block(const struct sort_job *job, int64_t i, int64_t count, uint64_t *scratch) {
  const int64_t n = job->line.n;
  uint64_t *words = scratch + LANES * n, *spare = words + n;
  struct sort_line lines[LANES];
  const bool columns = are_columns(job, i, count);
  for (int64_t k = 0; k < count; k++) lines[k] = line_at(job, i + k);
  for (int64_t k = count; k < LANES; k++) /* any items */
    for (int64_t at = 0; at < n; at++) scratch[at * LANES + k] = WORD_FLAG;
  if (columns) {
    struct sort_line across = lines[0];
    across.in_step = job->value_bytes;
    for (int64_t at = 0; at < n; at++, across.in += lines[0].in_step)
      job->keys->load(scratch + at * LANES, &across, 0, LANES);
    make_lane(job, &lines[0], scratch, scratch, LANES * n, 0);
    for (int64_t k = 1; k < count; k++)
      lines[k].base = lines[0].base, lines[k].shift = lines[0].shift, lines[k].exact = lines[0].exact;
  }
  for (int64_t k = 0; k < count && !columns; k++) {
    job->keys->load(words, &lines[k], 0, n);
    make_lane(job, &lines[k], scratch + k, words, n, LANES);
  }
  sort_loops()->sort_lanes((double *)(void *)scratch, n);
  if (columns && lines[0].exact) {
    sort_loops()->store_picked(&lines[0], scratch, 0, job->value_bytes, 0, lines[0].keep);
    return;
  }
  for (int64_t k = 0; k < count; k++) {
    const struct sort_line *line = &lines[k];
    if (line->exact) {
      sort_loops()->store_picked(line, scratch + k, LANES, job->value_bytes, 0, line->keep);
      continue;
    }
    for (int64_t at = 0; at < n; at++) words[at] = scratch[at * LANES + k];
    settle_ties(job, line, words, spare, n);
    sort_loops()->store_picked(line, words, 1, job->value_bytes, 0, line->keep);
  }
}

/* ---------------------------------------------------------------------------------------------- split among threads */

enum { LITTLE = 1024 }; /* words of scratch that are not allocated */

static void part_of_lines(void *job_, int64_t part) {
  const struct sort_job *job = job_;
  const int64_t at_once = job->in_lanes ? LANES : 1, blocks = (job->count + at_once - 1) / at_once;
  const int64_t end = part_begin(blocks, job->parts, part + 1);
  uint64_t little[LITTLE], *scratch = job->scratch ? job->scratch + part * job->line_words : little;
  for (int64_t i = part_begin(blocks, job->parts, part); i < end && !context_stops(job->context); i++) {
    const int64_t first = i * at_once, count = least(at_once, job->count - first);
    const bool together =
        count >= LANES_MIN && (job->columns || job->line.n <= LANES_SURE || !seems_ordered(job, first));
    if (together) sort_block(job, first, count, scratch);
    for (int64_t k = 0; k < count && !together; k++) {
      struct sort_line line = line_at(job, first + k);
      sort_alone(job, &line, scratch);
    }
  }
}

/* It costs most elements one comparison, and more for those that are kept. */
static bool selection_pays(int64_t keep, int64_t n) { return keep <= HEAP_MAX && keep <= n / HEAP_PART; }

void cpu_sort_keys(strew_dtype dtype, const char *elements, int64_t step_bytes, int64_t count, uint64_t *keys) {
  const struct sort_line line = {.in = elements, .in_step = step_bytes, .flip = dtype_sign(dtype)};
  sort_loops()->keys[dtype_signed(dtype)]->load(keys, &line, 0, count);
}

/* Long lines take a network more steps than other methods, and a heap that keeps few takes fewer. */
static bool lanes_pay(const struct sort_job *job) {
  /* items of a line for each that is kept */
  const int64_t part = job->line.n <= LANES_SURE ? 2 * HEAP_PART : HEAP_PART;
  const int64_t rows = job->value_bytes == 1 ? LANES_VECTORS / 2 : LANES_VECTORS;
  const int64_t vectors = job->columns ? LANES_COLUMNS : rows;
  const int64_t most = sort_loops()->sort_items ? vectors : LANES_PLAIN * job->value_bytes;
  if (job->line.keep <= job->line.n / part) return false;
  return job->count >= LANES_MIN && job->line.n >= LANES_LEAST && job->line.n <= most;
}

/* Returns the number of lines that are adjacent columns; 0: none. */
static int64_t count_columns(const struct sort_job *job) {
  const struct plan *lines = &job->lines;
  const int last = lines->rank - 1;
  if (last < 0 || lines->sizes[last] < LANES) return 0;
  for (int k = lines->operands[0].storage ? 0 : 1; k < 3; k++)
    if (lines->operands[k].strides[last] != 1) return 0;
  return lines->sizes[last];
}

static void sort_start(struct sort_job *job, const struct sort_plan *plan) {
  const struct operand *operands = plan->plan.operands;
  strew_dtype dtype = operands[2].dtype;
  int last = plan->plan.rank - 1;
  job->lines = plan->plan;
  job->lines.rank = last;
  job->count = plan_numel(&job->lines);
  job->line = (struct sort_line){
      .in_step = operand_step(&operands[2], last), .positions_step = operand_step(&operands[1], last), .exact = true};
  if (operands[0].storage) job->line.values_step = operand_step(&operands[0], last);
  job->line.n = plan->plan.sizes[last];
  job->line.keep = plan->keep;
  job->line.flip = (plan->descending ? UINT64_MAX : 0) ^ dtype_sign(dtype);
  job->keys = sort_loops()->keys[dtype_signed(dtype)];
  job->value_bytes = (int)dtype_bytes(dtype);
  while (job->line.n > INT64_C(1) << job->line.position_bits) job->line.position_bits++;
  job->columns = count_columns(job);
  job->in_lanes = lanes_pay(job);
  const bool is_broad = job->value_bytes > 4 || job->line.n > UINT32_MAX;
  if (!job->in_lanes && selection_pays(plan->keep, job->line.n))
    job->heap = heaps[is_broad] + (plan->keep >= BUFFER_LEAST);
  job->whole = job->value_bytes <= 4 && sort_loops()->sort_items && job->line.position_bits <= WORD_BITS - 32;
  job->codes = job->value_bytes > 1 && !job->heap && job->line.n > KEYS_MOST && job->line.n <= UINT32_MAX;
  job->in_place = job->line.positions_step == sizeof(uint64_t) && plan->keep == job->line.n;
}

/* True if all threads sort one line after another: there are fewer lines than threads, or lines so long that one per
   thread would leave the cache, or take much memory. */
static bool is_shared(const struct sort_job *job) {
  if (job->line.n <= SORT_INSERTION) return false;
  return job->count < job->parts ||
         (!job->heap && job->line.n > SHARED_LINE && job->count < SHARED_LINES * job->context->threads);
}

static strew_status sort_all_lines(const struct call *call, struct sort_job *job, bool shared) {
  int64_t words;
  if (shared) {
    const int64_t heaps_bytes = job->heap ? (job->parts + 1) * heap_bytes(job) : 0;
    words = (job->heap ? heaps_bytes : job->parts * (int64_t)sizeof(byte_counts)) / (int64_t)sizeof(uint64_t);
  } else {
    if (job->line.n > ALONE_LINE && job->parts > job->context->threads) job->parts = job->context->threads;
    if (job->parts > job->count) job->parts = job->count;
    job->line_words = line_words(job);
    if (job->in_lanes && job->line_words < lanes_words(job)) job->line_words = lanes_words(job);
    words = job->line_words > LITTLE ? job->parts * job->line_words : 0;
  }
  const uint64_t bytes = (uint64_t)words * sizeof(uint64_t);
  if (bytes && !(job->scratch = memory_allocate(job->context, bytes))) return fail_memory(call, job->context, bytes);
  if (!shared) pool_run(job->context, job->parts, part_of_lines, job);
  for (int64_t i = 0; shared && i < job->count; i++) {
    struct sort_line line = line_at(job, i);
    if (job->heap)
      select_together(job, &line);
    else
      sort_bytes(job, &line, (byte_counts *)(void *)job->scratch, job->parts);
  }
  if (job->scratch) memory_free(job->context, job->scratch, bytes);
  return STREW_OK;
}

strew_status cpu_sort(const struct call *call, strew_device *device, const struct sort_plan *plan) {
  struct sort_job job = {.context = device->context};
  sort_start(&job, plan);
  /* a word is read and written several times */
  job.parts = pool_parts(job.context, work_bytes(job.count * job.line.n, sizeof(uint64_t)));
  if (job.parts > SORT_PARTS) job.parts = SORT_PARTS;
  const bool shared = is_shared(&job);
  job.whole &= !shared;
  strew_status status =
      shared && !job.heap && !counts_bytes(&job) ? sort_long_lines(call, &job) : sort_all_lines(call, &job, shared);
  return TRY(status, context_end(call, job.context, plan->plan.operands[1].storage));
}
