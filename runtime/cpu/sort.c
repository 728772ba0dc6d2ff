/* sort.c: sorting lines on the CPU.

   An element becomes an item: a key, an unsigned number in the same order (sort.inc), and its position in the line,
   which decides among equal keys: so the order is total and stable, and the same whatever way leads to it. Items are
   narrow, key and position in one word of 64 bits, or broad where one of them needs more than 32.
   Ways: insertion for a handful; a heap for the first few of a long line; else a radix sort, byte after byte from the
   last, which skips the bytes that are the same in all keys. Many lines are shared among the threads line by line; of
   few, each is sorted by all threads together. */
#include "cpu.h"
#include "scalar.h"

#include <string.h>

enum { DIGITS = 256, HANDFUL = 48, PORTION = 512, MOST_PARTS = 64 };

typedef uint64_t narrow;
typedef struct broad {
  uint64_t key, position;
} broad;

static inline narrow make_narrow(uint64_t key, uint64_t position) { return key << 32 | position; }
static inline uint64_t key_in_narrow(narrow item) { return item >> 32; }
static inline uint64_t position_in_narrow(narrow item) { return item & 0xffffffffu; }
static inline bool less_narrow(narrow a, narrow b) { return a < b; }
static inline int digit_of_narrow(narrow item, int digit) { return (int)(item >> (32 + 8 * digit) & 0xff); }

static inline broad make_broad(uint64_t key, uint64_t position) { return (broad){key, position}; }
static inline uint64_t key_in_broad(broad item) { return item.key; }
static inline uint64_t position_in_broad(broad item) { return item.position; }
static inline bool less_broad(broad a, broad b) { return a.key < b.key || (a.key == b.key && a.position < b.position); }
static inline int digit_of_broad(broad item, int digit) { return (int)(item.key >> 8 * digit & 0xff); }

/* Where a line lies. */
struct line {
  const char *in;
  char *values, *positions; /* values NULL: not wanted */
  int64_t in_step, values_step, positions_step;
  int64_t n, keep;
  uint64_t flip;
};

struct keys {
  /* elements from `position` on to items, and sorted items to values from `rank` on */
  void (*take)(void *items, const struct line *line, int64_t position, int64_t count);
  void (*give)(const struct line *line, const void *items, int64_t rank, int64_t count);
};

struct sorts {
  int64_t bytes; /* of an item */
  void (*insert)(void *items, int64_t count);
  void (*count)(const void *items, int64_t count, int digit, int64_t *counts);
  void (*deal)(void *to, const void *items, int64_t count, int digit, int64_t *places);
  void (*select)(void *kept, int64_t *held, int64_t keep, const void *items, int64_t count);
  void (*sort_heap)(void *kept, int64_t count);
  void (*give_positions)(const struct line *line, const void *items, int64_t rank, int64_t count);
};

#define ITEM narrow
#include "items.inc"
#define ITEM broad
#include "items.inc"

#define LOOPS "sort.inc"
#include "each_dtype.h"

struct job {
  strew_context *context;
  const struct sort_plan *plan;
  struct plan lines; /* the plan without the sorted dimension */
  struct line line;  /* what is common to all */
  int64_t count;     /* of lines */
  const struct sorts *sorts;
  const struct keys *keys;
  int digits;
  bool select;        /* by a heap? */
  int64_t line_bytes; /* of scratch for one line */
  int64_t parts;
  char *scratch;
};

static struct line line_at(const struct job *job, int64_t i) {
  struct line line = job->line;
  const struct plan *lines = &job->lines;
  line.values = lines->operands[0].storage ? operand_at(lines, 0, i) : NULL;
  line.positions = operand_at(lines, 1, i);
  line.in = operand_at(lines, 2, i);
  return line;
}

static void give(const struct job *job, const struct line *line, const char *items, int64_t begin, int64_t end) {
  items += begin * job->sorts->bytes;
  if (line->values) job->keys->give(line, items, begin, end - begin);
  job->sorts->give_positions(line, items, begin, end - begin);
}

/* ------------------------------------------------------------------------------------------ one line, radix sort */

/* A line in the hands of one thread or of many: `parts` stretches of it. */
struct radix {
  const struct job *job;
  struct line line;
  int64_t parts;
  char *items, *spare;
  int digit;
  int64_t (*counts)[DIGITS]; /* of each part */
};

/* Each phase goes through its part in stretches. */
static void radix_phase(struct radix *radix, int64_t count, int64_t part,
                        void (*phase)(struct radix *radix, int64_t part, int64_t begin, int64_t end)) {
  int64_t begin = part_begin(count, radix->parts, part), end = part_begin(count, radix->parts, part + 1);
  for (int64_t next; begin < end && !context_stops(radix->job->context); begin = next) {
    next = end - begin < STRETCH ? end : begin + STRETCH;
    phase(radix, part, begin, next);
  }
}

static void take_stretch(struct radix *radix, int64_t part, int64_t begin, int64_t end) {
  (void)part;
  radix->job->keys->take(radix->items + begin * radix->job->sorts->bytes, &radix->line, begin, end - begin);
}

static void count_stretch(struct radix *radix, int64_t part, int64_t begin, int64_t end) {
  const struct sorts *sorts = radix->job->sorts;
  sorts->count(radix->items + begin * sorts->bytes, end - begin, radix->digit, radix->counts[part]);
}

static void deal_stretch(struct radix *radix, int64_t part, int64_t begin, int64_t end) {
  const struct sorts *sorts = radix->job->sorts;
  sorts->deal(radix->spare, radix->items + begin * sorts->bytes, end - begin, radix->digit, radix->counts[part]);
}

static void give_stretch(struct radix *radix, int64_t part, int64_t begin, int64_t end) {
  (void)part;
  give(radix->job, &radix->line, radix->items, begin, end);
}

static void radix_take(void *radix_, int64_t part) {
  struct radix *radix = radix_;
  radix_phase(radix, radix->line.n, part, take_stretch);
}

static void radix_count(void *radix_, int64_t part) {
  struct radix *radix = radix_;
  memset(radix->counts[part], 0, sizeof radix->counts[part]);
  radix_phase(radix, radix->line.n, part, count_stretch);
}

static void radix_deal(void *radix_, int64_t part) {
  struct radix *radix = radix_;
  radix_phase(radix, radix->line.n, part, deal_stretch);
}

static void radix_give(void *radix_, int64_t part) {
  struct radix *radix = radix_;
  radix_phase(radix, radix->line.keep, part, give_stretch);
}

/* Counts become places: by digit, then by part. False where all items have the same digit: they may stay. */
static bool places_of_counts(struct radix *radix) {
  int64_t place = 0;
  for (int digit = 0; digit < DIGITS; digit++) {
    int64_t begin = place;
    for (int64_t part = 0; part < radix->parts; part++) {
      int64_t count = radix->counts[part][digit];
      radix->counts[part][digit] = place;
      place += count;
    }
    if (place - begin == radix->line.n) return false;
  }
  return true;
}

static void radix_sort(struct radix *radix) {
  strew_context *context = radix->job->context;
  pool_run(context, radix->parts, radix_take, radix);
  for (radix->digit = 0; radix->digit < radix->job->digits; radix->digit++) {
    pool_run(context, radix->parts, radix_count, radix);
    if (context_stops(context)) return;
    if (!places_of_counts(radix)) continue;
    pool_run(context, radix->parts, radix_deal, radix);
    char *dealt = radix->spare;
    radix->spare = radix->items;
    radix->items = dealt;
  }
  pool_run(context, radix->parts, radix_give, radix);
}

/* ------------------------------------------------------------------------------------------- one line, other ways */

static void sort_handful(const struct job *job, const struct line *line) {
  _Alignas(16) char items[HANDFUL * sizeof(broad)];
  job->keys->take(items, line, 0, line->n);
  job->sorts->insert(items, line->n);
  give(job, line, items, 0, line->keep);
}

/* The first `keep` of a stretch of a line, in no order, at `kept`. */
static int64_t select_stretch(const struct job *job, const struct line *line, int64_t begin, int64_t end, char *kept) {
  _Alignas(16) char items[PORTION * sizeof(broad)];
  int64_t held = 0;
  for (int64_t at = begin, count; at < end && !context_stops(job->context); at += count) {
    count = end - at < PORTION ? end - at : PORTION;
    job->keys->take(items, line, at, count);
    job->sorts->select(kept, &held, line->keep, items, count);
  }
  return held;
}

/* Chosen by all threads: each chooses from a stretch, and the last choice is among those. */
struct choice {
  const struct job *job;
  struct line line;
  int64_t parts;
  int64_t held[MOST_PARTS];
};

static char *chosen_at(const struct choice *choice, int64_t part) {
  return choice->job->scratch + part * choice->line.keep * choice->job->sorts->bytes;
}

static void choose_part(void *choice_, int64_t part) {
  struct choice *choice = choice_;
  int64_t begin = part_begin(choice->line.n, choice->parts, part),
          end = part_begin(choice->line.n, choice->parts, part + 1);
  choice->held[part] = select_stretch(choice->job, &choice->line, begin, end, chosen_at(choice, part));
}

static void select_together(const struct job *job, const struct line *line) {
  struct choice choice = {.job = job, .line = *line, .parts = job->parts};
  char *kept = chosen_at(&choice, choice.parts);
  int64_t held = 0;
  pool_run(job->context, choice.parts, choose_part, &choice);
  if (context_stops(job->context)) return;
  for (int64_t part = 0; part < choice.parts; part++)
    job->sorts->select(kept, &held, line->keep, chosen_at(&choice, part), choice.held[part]);
  job->sorts->sort_heap(kept, held);
  give(job, line, kept, 0, held);
}

/* ------------------------------------------------------------------------------------------------------ the split */

static void sort_together(const struct job *job, const struct line *line) {
  struct radix radix = {.job = job, .line = *line, .parts = job->parts};
  radix.items = job->scratch;
  radix.spare = radix.items + line->n * job->sorts->bytes;
  radix.counts = (int64_t(*)[DIGITS])(void *)(radix.spare + line->n * job->sorts->bytes);
  radix_sort(&radix);
}

static void sort_alone(const struct job *job, const struct line *line, char *scratch) {
  int64_t counts[1][DIGITS];
  if (line->n <= HANDFUL) {
    sort_handful(job, line);
  } else if (job->select) {
    int64_t held = select_stretch(job, line, 0, line->n, scratch);
    job->sorts->sort_heap(scratch, held);
    give(job, line, scratch, 0, held);
  } else {
    struct radix radix = {.job = job, .line = *line, .parts = 1, .items = scratch, .counts = counts};
    radix.spare = scratch + line->n * job->sorts->bytes;
    radix_sort(&radix);
  }
}

static void part_of_lines(void *job_, int64_t part) {
  const struct job *job = job_;
  int64_t end = part_begin(job->count, job->parts, part + 1);
  char *scratch = job->scratch ? job->scratch + part * job->line_bytes : NULL;
  for (int64_t i = part_begin(job->count, job->parts, part); i < end && !context_stops(job->context); i++) {
    struct line line = line_at(job, i);
    sort_alone(job, &line, scratch);
  }
}

/* A heap costs a comparison for most elements, but more for those that it takes in. */
static bool selection_pays(int64_t keep, int64_t n) {
  enum { LARGE_HEAP = 4096 };
  return keep <= LARGE_HEAP && keep <= n / 16;
}

static void lay_out(struct job *job, const struct sort_plan *plan) {
  static const struct keys *const narrow_keys[] = {
#define ROW(ENUM, s, ...) [STREW_##ENUM] = &keys_narrow_##s,
      STREW_DTYPES(ROW)
#undef ROW
  };
  static const struct keys *const broad_keys[] = {
#define ROW(ENUM, s, ...) [STREW_##ENUM] = &keys_broad_##s,
      STREW_DTYPES(ROW)
#undef ROW
  };
  const struct operand *operands = plan->plan.operands;
  strew_dtype dtype = operands[2].dtype;
  int last = plan->plan.rank - 1;
  job->plan = plan;
  job->lines = plan->plan;
  job->lines.rank = last;
  job->count = plan_numel(&job->lines);
  job->line =
      (struct line){.in_step = operand_step(&operands[2], last), .positions_step = operand_step(&operands[1], last)};
  if (operands[0].storage) job->line.values_step = operand_step(&operands[0], last);
  job->line.n = plan->plan.sizes[last];
  job->line.keep = plan->keep;
  job->line.flip = plan->descending ? UINT64_MAX : 0;
  job->digits = (int)dtype_bytes(dtype);
  bool is_narrow = job->digits <= 4 && job->line.n <= UINT32_MAX;
  job->sorts = is_narrow ? &sorts_narrow : &sorts_broad;
  job->keys = is_narrow ? narrow_keys[dtype] : broad_keys[dtype];
  job->select = selection_pays(plan->keep, job->line.n);
}

strew_status cpu_sort(const struct call *call, strew_device *device, const struct sort_plan *plan) {
  struct job job = {.context = device->context};
  lay_out(&job, plan);
  int64_t bytes = job.sorts->bytes, n = job.line.n, keep = job.line.keep;
  /* an item is read and written several times */
  job.parts = pool_parts(job.context, job.count * n * bytes);
  if (job.parts > MOST_PARTS) job.parts = MOST_PARTS;
  bool together = job.count < job.parts && n > HANDFUL;
  if (!together && job.parts > job.count) job.parts = job.count;
  job.line_bytes = n <= HANDFUL ? 0 : (job.select ? keep : 2 * n) * bytes;
  int64_t scratch_bytes = job.parts * job.line_bytes;
  if (together)
    scratch_bytes =
        job.select ? (job.parts + 1) * keep * bytes : job.line_bytes + job.parts * DIGITS * (int64_t)sizeof(int64_t);
  if (scratch_bytes && !(job.scratch = memory_take(job.context, (size_t)scratch_bytes)))
    return fail_memory(call, job.context, (size_t)scratch_bytes);
  if (!together) pool_run(job.context, job.parts, part_of_lines, &job);
  for (int64_t i = 0; together && i < job.count; i++) {
    struct line line = line_at(&job, i);
    if (job.select)
      select_together(&job, &line);
    else
      sort_together(&job, &line);
  }
  if (job.scratch) memory_give(job.context, job.scratch, (size_t)scratch_bytes);
  return context_end(call, job.context, plan->plan.operands[1].storage);
}
