/* exact_sums.c: strew_exact_sums. What a call adds is summed as limbs on src's device (reduce/exact.c); the sums of limbs
   are added to the numbers on the CPU, once nothing can fail any more. Results are rounded as those of other exact sums
   are. Integers of 64 bits are cut into two floats, of which each is exact. */
#include "exact_sums.h"
#include "reduce.h"
#include "runtime/elementwise/shared/exact.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* -------------------------------------------------------------------------------------------- creation and release */

enum { ROWS_PER_LOOK = 1 << 16 }; /* rows between looks whether the call must stop */

static uint64_t words_bytes(int64_t n, int count) { return (uint64_t)n * (uint64_t)count * sizeof(uint32_t); }

strew_status exact_sums_create(const struct call *call, strew_device *device, int64_t n, strew_exact_sums **out) {
  strew_context *context = device->context;
  const uint64_t bytes = (uint64_t)n * (sizeof *(*out)->counts + sizeof *(*out)->kinds);
  if (n > INT64_MAX / 1024) return fail_memory(call, context, INT64_MAX);
  RETURN_IF_FAILED(check_machine_memory(call, &context->cpu, bytes, NULL));
  ALLOCATE_NEW(strew_exact_sums *, e, call, context, sizeof *e);
  *e = (strew_exact_sums){.device = device, .n = n};
  strew_context_retain(context);
  if (n) e->counts = memory_allocate(context, (uint64_t)n * sizeof *e->counts);
  if (n) e->kinds = memory_allocate(context, (uint64_t)n * sizeof *e->kinds);
  strew_status status = n && !(e->counts && e->kinds) ? fail_memory(call, context, bytes) : STREW_OK;
  for (int64_t at = 0; at < n && status == STREW_OK; at += ROWS_PER_LOOK) {
    const size_t count = (size_t)(n - at < ROWS_PER_LOOK ? n - at : ROWS_PER_LOOK);
    memset(e->counts + at, 0, count * sizeof *e->counts);
    memset(e->kinds + at, 0, count * sizeof *e->kinds);
    status = context_check(call, context);
  }
  if (status != STREW_OK) return strew_exact_sums_release(e), status;
  return *out = e, STREW_OK;
}

/* True of a dtype of results. */
static bool is_result(strew_dtype dtype) {
  return dtype_is_number(dtype) && (dtype_is_float(dtype) || dtype == STREW_INT64 || dtype == STREW_UINT64);
}

static strew_status fail_dtype(const struct call *call, strew_dtype dtype) {
  return fail(call, FAULT(STREW_EDTYPE, "dtype"), "is %s, expected a float dtype, int64 or uint64",
              strew_dtype_name(dtype));
}

strew_status strew_exact_sums_create(strew_device *device, int64_t n, const strew_exact_sums_options *options,
                                     strew_exact_sums **out, strew_error *error) {
  CALL(call, "exact_sums", error, {0});
  OPTIONS(strew_exact_sums_options);
  if (n < 0) return fail(&call, VALUED(STREW_EARGUMENT, "n", strew_int(n)), "is %" PRId64 ", expected 0 or more", n);
  if (options->dtype) {
    RETURN_IF_FAILED(check_number_dtype(&call, *options->dtype));
    if (!is_result(*options->dtype)) return fail_dtype(&call, *options->dtype);
  }
  RETURN_IF_FAILED(exact_sums_create(&call, device, n, out));
  (*out)->has_squares = options->squares;
  (*out)->has_dtype = (*out)->is_given = options->dtype != NULL;
  if (options->dtype) (*out)->dtype = *options->dtype;
  return STREW_OK;
}

void strew_exact_sums_release(strew_exact_sums *e) {
  if (!e) return;
  strew_context *context = e->device->context;
  memory_free(context, e->sums.word, words_bytes(e->n, e->sums.count));
  memory_free(context, e->squares.word, words_bytes(e->n, e->squares.count));
  memory_free(context, e->counts, (size_t)e->n * sizeof *e->counts);
  memory_free(context, e->kinds, (size_t)e->n * sizeof *e->kinds);
  memory_free(context, e, sizeof *e);
  strew_context_release(context);
}

static strew_dtype dtype_of(const strew_exact_sums *e) { return e->has_dtype ? e->dtype : STREW_FLOAT32; }

void strew_exact_sums_describe(const strew_exact_sums *e, strew_exact_sums_description *out) {
  *out =
      (strew_exact_sums_description){.n = e->n, .dtype = dtype_of(e), .device = e->device, .squares = e->has_squares};
}

/* --------------------------------------------------------------------------------------------------------- numbers */

strew_status numbers_widen(const struct call *call, strew_context *context, int64_t n, struct numbers *numbers,
                           int first, int end) {
  const struct numbers old = *numbers;
  if (old.count && old.first < first) first = old.first;
  if (old.count && old.first + old.count > end) end = old.first + old.count;
  if (!n || (old.count == end - first && old.first == first)) return STREW_OK;
  const uint64_t bytes = words_bytes(n, end - first);
  RETURN_IF_FAILED(check_machine_memory(call, &context->cpu, bytes, NULL));
  ALLOCATE_NEW(uint32_t *, to, call, context, bytes);
  struct numbers wide = {.first = first, .count = end - first, .used = old.count ? old.used : first, .word = to};
  for (int64_t i = 0; i < n; i++, to += wide.count) {
    const uint32_t *from = old.count ? number_at(&old, i) : NULL, sign = number_sign(from, old.count);
    if (i % ROWS_PER_LOOK == 0 && context_stops(context)) {
      memory_free(context, wide.word, bytes);
      return context_end(call, context, NULL);
    }
    for (int k = 0; k < wide.count; k++) {
      const int at = first + k - old.first;
      to[k] = !old.count || at < 0 ? 0 : at < old.count ? from[at] : sign;
    }
  }
  memory_free(context, old.word, words_bytes(n, old.count));
  *numbers = wide;
  return STREW_OK;
}

int number_length(const uint32_t *words, int count) {
  const uint32_t sign = number_sign(words, count);
  while (count && words[count - 1] == sign) count--;
  return count;
}

/* Adds value * 2^bit to a number. */
static void add_limb(uint32_t *words, int count, int64_t value, int bit) {
  const int up = bit % NUMBER_WORD;
  const uint64_t low = (uint64_t)value << up;
  const uint32_t part[] = {(uint32_t)low, (uint32_t)(low >> NUMBER_WORD), (uint32_t)(value >> 1 >> (63 - up))};
  const uint32_t sign = value < 0 ? UINT32_MAX : 0;
  uint64_t carry = 0;
  for (int k = bit / NUMBER_WORD, i = 0; k < count && (i < 3 || carry != (sign & 1)); k++, i++) {
    const uint64_t sum = (uint64_t)words[k] + (i < 3 ? part[i] : sign) + carry;
    words[k] = (uint32_t)sum;
    carry = sum >> NUMBER_WORD;
  }
}

static void note_used(struct numbers *numbers, const uint32_t *words) {
  const int used = numbers->first + number_length(words, numbers->count);
  if (used > numbers->used) numbers->used = used;
}

/* The end of the words that hold the numbers and what is below 2^bits. */
static int end_of_sum(const struct numbers *numbers, int bits) {
  const int own = numbers->count ? numbers->used * NUMBER_WORD : 0;
  return ((own > bits ? own : bits) + 1) / NUMBER_WORD + 1;
}

/* ---------------------------------------------------------------------------------------------------------- addends */

/* Sums of limbs to be added, on the CPU, `step` elements apart, of each sum `row` after the one before; from bit `low` of
   the numbers on. */
struct addend {
  const void *limbs;
  int count;
  int64_t step, row;
  int low, width, bits;
  bool has_parts; /* limbs are float64, and stand for themselves */
};
enum { MOST_PARTS = 2, MOST_PRODUCTS = 3, MARKS = 3 };

/* What a call adds to the first `rows` sums. */
struct adding {
  strew_exact_sums *e;
  struct steps *steps;
  struct group_call *group; /* NULL: all terms are added to a single sum */
  int64_t rows;
  strew_tensor *part[MOST_PARTS]; /* floats whose sum src is */
  int parts, sums, squares;
  struct addend sum[MOST_PARTS], square[MOST_PRODUCTS];
  const strew_tensor *counts, *marks[MARKS]; /* int64; bool, of the kind 1 << k; NULL: none */
  bool is_minus_zero;
  struct exact_words words; /* of which sums, squares, counts and kinds are, where a device added them at once */
};

static strew_tensor *to_cpu(struct steps *steps, strew_tensor *x) {
  return steps->status == STREW_OK ? step_to(steps, x, &tensor_context(x)->cpu, x->dtype) : NULL;
}

static void make_marks(struct adding *adding, const struct exact_job *job, unsigned kinds) {
  struct steps *steps = adding->steps;
  for (int k = 0; k < MARKS; k++) {
    const bool is_nan = 1 << k == EXACT_NAN;
    if (!(kinds & 1u << k) || (is_nan && job->skips_nan)) continue;
    const double infinity = 1 << k == EXACT_POSITIVE ? (double)INFINITY : -(double)INFINITY;
    strew_tensor *is = is_nan ? step_binary(steps, STREW_NE, job->x, job->x, NULL)
                              : step_binary(steps, STREW_EQ, job->x, infinity, NULL);
    adding->marks[k] = to_cpu(steps, exact_any(steps, job, is, NULL));
  }
}

/* The sums of x, or of x * y. */
static struct addend addend_of(struct adding *adding, struct exact_job job, strew_tensor *x, strew_tensor *y) {
  struct steps *steps = adding->steps;
  const int mark = steps->count;
  struct exact_sums own = {.sums = NULL};
  job.x = x;
  job.y = y;
  exact_limbs(steps, &job, &own);
  strew_tensor *limbs = steps_keep(steps, mark, to_cpu(steps, own.sums));
  if (!y && steps->status == STREW_OK) {
    make_marks(adding, &job, own.kinds);
    if (job.signs_zero && own.kinds & EXACT_MINUS_ZERO && !own.window.bits) {
      strew_tensor *are = exact_minus_zeros(steps, &job);
      adding->is_minus_zero = step_number(steps, STREW_FOLD_ALL, are).as.i;
    }
  }
  const int low = own.window.exponent - (y ? SQUARE_UNIT : SUM_UNIT);
  if (steps->status != STREW_OK) return (struct addend){.bits = 0};
  return (struct addend){limbs->storage->data, (int)limbs->sizes[0], adding->rows,        1, low,
                         own.window.width,     own.window.bits,      own.window.has_parts};
}

/* All at once, by a device that adds by number. False: it does not. */
static bool read_addends(struct adding *adding, struct exact_job job) {
  struct exact_words *words = &adding->words;
  const struct exact_window *window = &words->window;
  const struct exact_layout *layout = &words->layout;
  job.result = adding->e->has_squares ? EXACT_VARIANCE : EXACT_SUM;
  if (adding->parts != 1 || !adding->rows || !strew_tensor_numel(job.x) || !exact_goes_by(&job)) return false;
  job.by->counts = true;
  exact_read(adding->steps, &job, words);
  if (job.by->bad) STEP(adding->steps, addressing_check(adding->steps->call, &adding->group->groups.addressing));
  const struct addend sum = {.limbs = words->words,
                             .count = window->limbs,
                             .step = 1,
                             .row = layout->stride,
                             .low = window->exponent - SUM_UNIT,
                             .width = window->width,
                             .bits = window->bits};
  adding->sum[adding->sums++] = sum;
  if (!window->square_limbs || !words->words) return true;
  struct addend *square = &adding->square[adding->squares++];
  *square = sum;
  square->limbs = words->words + layout->squares_at;
  square->count = window->square_limbs;
  square->low *= 2;
  square->bits *= 2;
  return true;
}

/* The job has src's first part, or a view of it, as x. */
static void make_addends(struct adding *adding, const struct exact_job *job) {
  struct steps *steps = adding->steps;
  for (int i = 0; i < adding->parts && steps->status == STREW_OK; i++) {
    strew_tensor *x = i ? adding->part[i] : job->x;
    if (adding->group) adding->group->src = x; /* what walks over ids cut */
    adding->sum[adding->sums++] = addend_of(adding, *job, x, NULL);
    for (int k = i; k < adding->parts && adding->e->has_squares && steps->status == STREW_OK; k++) {
      strew_tensor *y = k > i ? step_binary(steps, STREW_MUL, adding->part[k], 2.0, NULL) : x;
      adding->square[adding->squares++] = addend_of(adding, *job, x, y);
    }
  }
}

/* ------------------------------------------------------------------------------------------------------ addition */

static strew_status reserve(const struct call *call, const strew_exact_sums *e, struct numbers *numbers, int count,
                            const struct addend *addends) {
  int first = numbers->count ? numbers->first : INT16_MAX, bits = 0;
  for (int k = 0; k < count; k++) {
    if (!addends[k].bits) continue;
    if (addends[k].low / NUMBER_WORD < first) first = addends[k].low / NUMBER_WORD;
    if (addends[k].low + addends[k].bits + k > bits) bits = addends[k].low + addends[k].bits + k;
  }
  if (!bits) return STREW_OK;
  return numbers_widen(call, e->device->context, e->n, numbers, first, end_of_sum(numbers, bits));
}

/* Adds a finite float, from word `first` of sums on. */
static void add_part(uint32_t *words, int count, double value, int first) {
  const uint64_t bits = bits_of_double(value), digits = exact_digits_f64(bits);
  if (!digits) return;
  const int zeros = __builtin_ctzll(digits); /* the words may begin above those */
  const int64_t whole = (int64_t)(digits >> zeros);
  add_limb(words, count, bits >> 63 ? -whole : whole, exact_place_f64(bits) + zeros - first * NUMBER_WORD);
}

static void add_addends(struct numbers *numbers, int64_t i, int count, const struct addend *addends) {
  uint32_t *words = numbers->word + i * numbers->count;
  for (int k = 0; k < count; k++) {
    const struct addend *a = &addends[k];
    const int limbs = a->bits ? a->count : 0, low = a->low - numbers->first * NUMBER_WORD;
    for (int j = 0; j < limbs; j++) {
      const int64_t at = j * a->step + i * a->row;
      if (a->has_parts)
        add_part(words, numbers->count, ((const double *)a->limbs)[at], numbers->first);
      else if (((const int64_t *)a->limbs)[at])
        add_limb(words, numbers->count, ((const int64_t *)a->limbs)[at], low + j * a->width);
    }
  }
  note_used(numbers, words);
}

static void clear(struct numbers *numbers, int64_t i) {
  if (numbers->count) memset(numbers->word + i * numbers->count, 0, (size_t)numbers->count * sizeof *numbers->word);
}

/* Counts terms of these kinds, whose finite sum was added. Sums that are not finite have no words: equal ones are equal. */
static void add_terms(strew_exact_sums *e, int64_t i, int64_t count, unsigned kinds, bool is_minus_zero) {
  const bool was = !e->counts[i] || e->kinds[i] & EXACT_MINUS_ZERO;
  if (!count) return;
  e->counts[i] += count;
  if (e->counts[i] > e->most) e->most = e->counts[i];
  kinds |= e->kinds[i] & ~(unsigned)EXACT_MINUS_ZERO;
  if (kinds) clear(&e->sums, i), clear(&e->squares, i);
  if (kinds & EXACT_NAN || kinds == EXACT_INFINITIES) kinds = EXACT_NAN;
  e->kinds[i] = (uint8_t)(kinds ? kinds : was && is_minus_zero ? EXACT_MINUS_ZERO : 0);
}

/* True if there are terms. */
static bool add_all(struct adding *adding) {
  strew_exact_sums *e = adding->e;
  bool any = false;
  const struct exact_words *from = &adding->words;
  for (int64_t i = 0; i < adding->rows; i++) {
    const int64_t *words = from->words ? from->words + i * from->layout.stride : NULL;
    const int64_t count = words ? words[from->layout.count_at] : ((const int64_t *)adding->counts->storage->data)[i];
    unsigned kinds = words && from->layout.kinds_at >= 0 ? (unsigned)words[from->layout.kinds_at] : 0;
    if (!count) continue;
    any = true;
    if (e->sums.count) add_addends(&e->sums, i, adding->sums, adding->sum);
    if (e->squares.count) add_addends(&e->squares, i, adding->squares, adding->square);
    for (int k = 0; k < MARKS; k++)
      if (adding->marks[k] && ((const bool *)adding->marks[k]->storage->data)[i]) kinds |= 1u << k;
    add_terms(e, i, count, kinds & ~(unsigned)EXACT_OTHER,
              adding->is_minus_zero || (from->kinds & EXACT_OTHER & ~kinds) != 0);
  }
  return any;
}

static strew_status check_counts(const struct call *call, const strew_exact_sums *e, int64_t more) {
  if (e->most <= INT64_MAX - more) return STREW_OK;
  return fail(call, FAULT(STREW_EVALUE, "self"), "has a count that int64 cannot hold");
}

/* ------------------------------------------------------------------------------------------------------------- add */

/* The dtype of sums of terms of both: a float dtype if one is, else int64 unless both are unsigned. */
static strew_dtype join_dtypes(strew_dtype a, strew_dtype b) {
  if (dtype_is_float(a) != dtype_is_float(b)) return dtype_is_float(a) ? a : b;
  return dtype_is_float(a) || a == b ? dtype_promote(a, b) : STREW_INT64;
}

static strew_status check_terms(const struct call *call, const strew_exact_sums *e, const char *name,
                                strew_dtype dtype) {
  if (!e->is_given || dtype_is_float(e->dtype) || !dtype_is_float(dtype)) return STREW_OK;
  return fail(call, FAULT(STREW_EDTYPE, name), "is %s, expected integers: the sums are %s", strew_dtype_name(dtype),
              strew_dtype_name(e->dtype));
}

static void note_dtype(strew_exact_sums *e, strew_dtype dtype) {
  if (!e->is_given) e->dtype = e->has_dtype ? join_dtypes(e->dtype, dtype) : dtype;
  e->has_dtype = true;
}

/* src as a sum of floats: itself, or of integers of 64 bits an upper and a lower half. */
static void make_parts(struct adding *adding, strew_tensor *src) {
  struct steps *steps = adding->steps;
  const bool is_long = dtype_is_number(src->dtype) && dtype_bytes(src->dtype) > 4;
  adding->parts = 1;
  adding->part[0] = src;
  if (dtype_is_float(src->dtype)) return;
  if (is_long) {
    strew_tensor *high = step_binary(steps, STREW_BITWISE_RIGHT_SHIFT, src, 32, NULL);
    strew_tensor *low = step_binary(steps, STREW_BITWISE_AND, src, (int64_t)UINT32_MAX, NULL);
    if (steps->status != STREW_OK) return;
    high = step_to(steps, high, NULL, STREW_FLOAT64);
    adding->part[0] = step_binary(steps, STREW_MUL, high, 0x1p32, NULL);
    adding->part[1] = step_to(steps, low, NULL, STREW_FLOAT64);
    adding->parts = 2;
  } else {
    adding->part[0] = step_to(steps, src, NULL, dtype_bytes(src->dtype) < 4 ? STREW_FLOAT32 : STREW_FLOAT64);
  }
}

/* Terms by an index or a grouping. */
static void add_groups(struct adding *adding, struct group_call *g) {
  struct steps *steps = adding->steps;
  int64_t sizes[MAX_RANK];
  group_exact_open(g);
  struct exact_job job = group_exact_job(g, sizes);
  struct exact_by by;
  group_exact_by(g, &job, &by);
  if (steps->status != STREW_OK) return;
  adding->group = g;
  adding->rows = sizes[0];
  if (read_addends(adding, job)) return;
  adding->counts = to_cpu(steps, group_exact_counts(g));
  make_addends(adding, &job);
}

/* All terms, to a single sum. */
static void add_whole(struct adding *adding, const struct group_call *g) {
  struct steps *steps = adding->steps;
  strew_tensor *src = g->src;
  strew_reduce_options options = {.dim_count = 0};
  const int64_t count = strew_tensor_numel(src), one = 1;
  int64_t own = count;
  if (g->options.skip_nan && dtype_is_float(src->dtype)) {
    strew_tensor *is_number = step_binary(steps, STREW_EQ, src, src, NULL);
    own = step_number(steps, STREW_FOLD_SUM, is_number).as.i;
  }
  struct exact_by by = {.out = NULL};
  const struct exact_job job = {.x = src,
                                .most = count,
                                .skips_nan = g->options.skip_nan,
                                .signs_zero = true,
                                .join = exact_folds,
                                .user = &options,
                                .by = g->options.skip_nan ? NULL : &by};
  adding->rows = 1;
  if (steps->status != STREW_OK || read_addends(adding, job)) return;
  adding->counts = step_full(steps, &tensor_context(src)->cpu, STREW_INT64, 1, &one, strew_int(own));
  make_addends(adding, &job);
}

/* An index of src's shape, or a number; as lines. */
static void flatten_operands(struct group_call *g, int64_t n) {
  struct steps *steps = g->steps;
  strew_tensor *src = g->src, *index = g->index;
  char text[TEXT_BYTES];
  if (steps->status != STREW_OK || g->grouping || (src->rank == 1 && index->rank == 1)) return;
  struct addressing addressing = ADDRESSING(index, index, {n, 0, "the sums", g->options.mode, false});
  bool is_same = src->rank == index->rank;
  for (int d = 0; is_same && d < src->rank; d++) is_same = src->sizes[d] == index->sizes[d];
  if (!is_same && src->rank && index->rank)
    STEP(steps, fail(steps->call, FAULT(STREW_ESHAPE, "index"), "has shape %s, expected that of src or rank 0",
                     text_of_sizes(index->rank, index->sizes, text)));
  STEP(steps, check_index_dtype(steps->call, index, "index"));
  STEP(steps, addressing_check(steps->call, &addressing));
  if (!is_same && !src->rank) src = step_expand(steps, src, index->rank, index->sizes);
  if (!is_same && !index->rank) index = step_expand(steps, index, src->rank, src->sizes);
  if (steps->status != STREW_OK) return;
  const int64_t length = strew_tensor_numel(src);
  g->src = step_reshape(steps, src, 1, &length);
  g->index = step_reshape(steps, index, 1, &length);
}

/* Integers on a device without float64 are added on the CPU. */
static void leave_device(struct group_call *g) {
  struct steps *steps = g->steps;
  if (steps->status != STREW_OK || dtype_is_float(g->src->dtype) || !g->src->storage->device->lacks_float64) return;
  STEP(steps, check_devices(steps->call));
  if (g->grouping) group_index(g);
  g->grouping = NULL;
  g->src = to_cpu(steps, g->src);
  if (g->index) g->index = to_cpu(steps, g->index);
}

static void check_add(const struct call *call, const strew_exact_sums *e, struct group_call *g,
                      const strew_exact_sums_add_options *options) {
  struct steps *steps = g->steps;
  const strew_tensor *src = g->src;
  if (tensor_context(src) != e->device->context) STEP(steps, fail_context(call, "src", "belongs to"));
  STEP(steps, check_terms(call, e, "src", src->dtype));
  g->options = (struct group_options){.dim_size = e->n, .mode = options->mode, .skip_nan = options->skip_nan};
  STEP(steps, check_words(call, STREW_ASSIGN, options->mode));
  if (g->grouping) {
    struct group_options own = {.dim_size = -1, .mode = options->mode, .skip_nan = options->skip_nan};
    STEP(steps, grouping_take_options(call, g->grouping, src, &own, &g->options));
    const int64_t size = strew_grouping_size(g->grouping);
    if (size > e->n)
      STEP(steps, fail(call, FAULT(STREW_ESHAPE, "index"),
                       "has %" PRId64 " groups, expected at most %" PRId64 ", the number of sums", size, e->n));
  } else if (!g->index && e->n != 1) {
    STEP(steps, fail(call, FAULT(STREW_EARGUMENT, "index"), "is missing, expected for %" PRId64 " sums", e->n));
  }
}

strew_status strew_exact_sums_add(strew_exact_sums *e, strew_tensor *src, strew_groups groups,
                                  const strew_exact_sums_add_options *options, strew_error *error) {
  CALL_STEPS(call, steps, "exact_sums_add", error, {"src", src}, GROUPS_OF(groups));
  OPTIONS(strew_exact_sums_add_options);
  strew_tensor *settled __attribute__((cleanup(release_settled))) = NULL;
  if (groups.index) RETURN_IF_FAILED(settle_index(&call, &groups.index, &settled));
  const strew_group_reduce_options given = {.exact = true};
  struct group_call g = {.steps = &steps,
                         .row = &group_rows[STREW_GROUP_SUM],
                         .given = &given,
                         .src = src,
                         .index = groups.index,
                         .grouping = groups.grouping};
  struct adding adding = {.e = e, .steps = &steps};
  check_add(&call, e, &g, options);
  if (g.index) flatten_operands(&g, e->n);
  leave_device(&g);
  const bool is_whole = !g.index && !g.grouping;
  if (steps.status == STREW_OK) make_parts(&adding, g.src);
  g.src = adding.part[0];
  if (steps.status == STREW_OK && is_whole && strew_tensor_numel(src)) add_whole(&adding, &g);
  if (steps.status == STREW_OK && !is_whole) add_groups(&adding, &g);
  if (adding.rows) {
    STEP(&steps, check_counts(&call, e, strew_tensor_numel(g.src)));
    STEP(&steps, reserve(&call, e, &e->sums, adding.sums, adding.sum));
    STEP(&steps, reserve(&call, e, &e->squares, adding.squares, adding.square));
    STEP(&steps, context_check(&call, e->device->context));
    if (steps.status == STREW_OK && add_all(&adding))
      note_dtype(e, dtype_is_float(src->dtype) ? src->dtype : dtype_table_sums(src->dtype));
  }
  groups_close(&g.groups);
  memory_free(e->device->context, adding.words.words, adding.words.bytes);
  return steps_status(&steps);
}

/* ----------------------------------------------------------------------------------------------------------- merge */

static strew_status reserve_merged(const struct call *call, strew_exact_sums *e, struct numbers *to,
                                   const struct numbers *from) {
  if (!from->count) return STREW_OK;
  return numbers_widen(call, e->device->context, e->n, to, from->first, end_of_sum(to, from->used * NUMBER_WORD));
}

/* Adds number i to number `at`. Words of `from` above those of `to` have copies of the sign alone. Both may be the same. */
static void add_number(struct numbers *to, int64_t at, const struct numbers *from, int64_t i) {
  uint32_t *words = to->word + at * to->count;
  if (!from->count) return;
  const uint32_t *more = number_at(from, i), sign = number_sign(more, from->count);
  uint64_t carry = 0;
  for (int k = from->first - to->first, j = 0; k < to->count; k++, j++) {
    const uint64_t sum = (uint64_t)words[k] + (j < from->count ? more[j] : sign) + carry;
    words[k] = (uint32_t)sum;
    carry = sum >> NUMBER_WORD;
  }
  note_used(to, words);
}

/* times: sums of `other` that are added to one, at most */
static strew_status check_merge(const struct call *call, const strew_exact_sums *e, const strew_exact_sums *other,
                                int64_t times) {
  const struct fault fault = FAULT(STREW_EARGUMENT, "other");
  if (other->device->context != e->device->context) return fail_context(call, "other", "belongs to");
  if (other->has_squares != e->has_squares)
    return fail(call, fault, "was made with%s squares, expected %s, as self", other->has_squares ? "" : "out",
                e->has_squares ? "them" : "none");
  if (other->most) RETURN_IF_FAILED(check_terms(call, e, "other", other->dtype));
  return check_counts(call, e, other->most > INT64_MAX / times ? INT64_MAX : other->most * times);
}

/* Adds sum i of `other` to sum at[i], or to sum i. */
static strew_status merge(const struct call *call, strew_exact_sums *e, const strew_exact_sums *other,
                          const int64_t *at) {
  RETURN_IF_FAILED(reserve_merged(call, e, &e->sums, &other->sums));
  RETURN_IF_FAILED(reserve_merged(call, e, &e->squares, &other->squares));
  RETURN_IF_FAILED(context_check(call, e->device->context));
  for (int64_t i = 0; i < other->n; i++) {
    const int64_t to = at ? at[i] : i;
    const unsigned kinds = other->kinds[i];
    add_number(&e->sums, to, &other->sums, i);
    add_number(&e->squares, to, &other->squares, i);
    add_terms(e, to, other->counts[i], kinds & ~(unsigned)EXACT_MINUS_ZERO, kinds & EXACT_MINUS_ZERO);
  }
  if (other->most) note_dtype(e, other->dtype);
  return STREW_OK;
}

strew_status strew_exact_sums_merge(strew_exact_sums *e, const strew_exact_sums *other, strew_tensor *index,
                                    strew_error *error) {
  CALL_STEPS(call, steps, "exact_sums_merge", error, {"index", index});
  if (!index && other->n != e->n)
    return fail(&call, FAULT(STREW_ESHAPE, "other"), "has %" PRId64 " sums, expected %" PRId64, other->n, e->n);
  if (!index) {
    RETURN_IF_FAILED(check_merge(&call, e, other, 1));
    return merge(&call, e, other, NULL);
  }
  INDEX(&call, index);
  STEP(&steps, check_merge(&call, e, other, other->n ? other->n : 1));
  if (other == e) STEP(&steps, fail(&call, FAULT(STREW_EARGUMENT, "other"), "is self, expected others with an index"));
  if (index->rank != 1 || index->sizes[0] != other->n)
    STEP(&steps, fail(&call, FAULT(STREW_ESHAPE, "index"),
                      "has %d dimensions and %" PRId64 " elements, expected 1 and %" PRId64 ", the number of others",
                      index->rank, strew_tensor_numel(index), other->n));
  if (other->n) STEP(&steps, check_index_dtype(&call, index, "index"));
  strew_tensor *at = steps.status == STREW_OK ? step_copy(&steps, to_cpu(&steps, index), STREW_INT64) : NULL;
  struct addressing addressing = ADDRESSING(at, index, {e->n, 0, "the sums", STREW_ERROR, false});
  if (other->n) STEP(&steps, addressing_check(&call, &addressing));
  STEP(&steps, merge(&call, e, other, at->storage->data));
  return steps_status(&steps);
}

/* --------------------------------------------------------------------------------------------------------- results */

static strew_tensor *counts_of(struct steps *steps, const strew_exact_sums *e) {
  strew_tensor *counts = step_new(steps, &e->device->context->cpu, STREW_INT64, 1, &e->n);
  if (counts && e->n) memcpy(counts->storage->data, e->counts, (size_t)e->n * sizeof *e->counts);
  return counts;
}

/* Rows of limbs: words from `first` on of each number. */
static void copy_words(const struct numbers *numbers, int64_t n, int first, int rows, int64_t *to) {
  for (int j = 0; j < rows; j++, to += n) {
    const int at = first + j - numbers->first;
    for (int64_t i = 0; i < n; i++) {
      const uint32_t word = at >= 0 && at < numbers->count ? number_at(numbers, i)[at] : 0;
      to[i] = at == numbers->count - 1 ? (int32_t)word : (int64_t)word;
    }
  }
}

/* Numbers of three words as two limbs, which are rounded faster. */
enum { PAIRED_WORDS = 3, PAIRED_WIDTH = 48 };
static void copy_pairs(const struct numbers *numbers, int64_t n, int64_t *to) {
  for (int64_t i = 0; i < n; i++) {
    const uint32_t *words = number_at(numbers, i), sign = number_sign(words, numbers->count);
    const uint32_t middle = numbers->count > 1 ? words[1] : sign, top = numbers->count > 2 ? words[2] : sign;
    to[i] = (int64_t)((uint64_t)(middle & 0xffff) << NUMBER_WORD | words[0]);
    to[n + i] = (int64_t)((uint64_t)sign << PAIRED_WIDTH | (uint64_t)top << 16 | middle >> 16);
  }
}

static void limbs_of(struct steps *steps, const strew_exact_sums *e, bool squares, struct exact_sums *out) {
  struct exact_window *window = &out->window;
  const struct numbers *x = &e->sums, *y = &e->squares;
  int first = x->count ? x->first : 0;
  if (squares && y->count && (!x->count || y->first / 2 < first)) first = y->first / 2;
  const int rows = x->count ? x->first + x->count - first : 1, more = y->count ? y->first + y->count - 2 * first : 1;
  *window = (struct exact_window){.width = NUMBER_WORD,
                                  .exponent = SUM_UNIT + first * NUMBER_WORD,
                                  .limbs = rows,
                                  .square_limbs = squares ? more : 0};
  const bool is_paired = !squares && x->count && x->used - x->first <= PAIRED_WORDS;
  if (is_paired) window->width = PAIRED_WIDTH, window->limbs = 2;
  const int64_t sizes[] = {window->limbs + window->square_limbs, e->n};
  strew_tensor *limbs = step_new(steps, &e->device->context->cpu, STREW_INT64, 2, sizes);
  out->sums = limbs;
  if (!limbs) return;
  if (is_paired)
    copy_pairs(x, e->n, limbs->storage->data);
  else
    copy_words(x, e->n, first, rows, limbs->storage->data);
  if (squares) copy_words(y, e->n, 2 * first, more, (int64_t *)limbs->storage->data + rows * e->n);
}

/* Writes `value` to the results of those kinds. */
static void mark_results(struct steps *steps, const strew_exact_sums *e, unsigned kinds, double value,
                         strew_tensor *out) {
  bool any = false;
  strew_tensor *mask = step_new(steps, &e->device->context->cpu, STREW_BOOL, 1, &e->n);
  if (!mask) return;
  bool *is = mask->storage->data;
  for (int64_t i = 0; i < e->n; i++) {
    is[i] = e->kinds[i] & kinds;
    any = any || is[i];
  }
  if (any) STEP(steps, strew_masked_fill(out, mask, operand_of_float(value), &out, steps->error));
}

static strew_tensor *float_results(struct steps *steps, const strew_exact_sums *e, enum exact_result result,
                                   strew_dtype dtype, double correction) {
  const bool is_spread = exact_is_spread(result);
  struct exact_sums limbs;
  limbs_of(steps, e, is_spread, &limbs);
  strew_tensor *counts = counts_of(steps, e);
  struct exact_job job = {.result = result, .dtype = dtype, .rank = 1, .sizes = &e->n, .counts = strew_of(counts)};
  job.divisor.correction = correction;
  strew_tensor *out = exact_round(steps, &job, &limbs);
  if (is_spread) {
    mark_results(steps, e, EXACT_INFINITIES | EXACT_NAN, (double)NAN, out);
  } else {
    mark_results(steps, e, EXACT_POSITIVE, (double)INFINITY, out);
    mark_results(steps, e, EXACT_NEGATIVE, -(double)INFINITY, out);
    mark_results(steps, e, EXACT_NAN, (double)NAN, out);
    mark_results(steps, e, EXACT_MINUS_ZERO, -0.0, out);
  }
  return out;
}

/* False: the integer is none of the dtype. */
static bool read_integer(const struct numbers *numbers, int64_t i, bool is_signed, uint64_t *out) {
  enum { UP = -SUM_UNIT % NUMBER_WORD, WORD = -SUM_UNIT / NUMBER_WORD };
  const uint32_t *words = numbers->count ? number_at(numbers, i) : NULL, sign = number_sign(words, numbers->count);
  uint32_t found[3];
  for (int k = 0; k < 3; k++) {
    const int at = WORD + k - numbers->first;
    found[k] = !numbers->count || at < 0 ? 0 : at < numbers->count ? words[at] : sign;
  }
  *out = ((uint64_t)found[1] << NUMBER_WORD | found[0]) >> UP | (uint64_t)found[2] << (64 - UP);
  const bool fits = numbers->first + number_length(words, numbers->count) <= WORD + 3 &&
                    (int32_t)found[2] >> UP == (int32_t)sign && (is_signed || !sign);
  return fits && (!is_signed || *out >> 63 == (sign & 1));
}

static strew_tensor *integer_results(struct steps *steps, const strew_exact_sums *e, strew_dtype dtype) {
  strew_tensor *out = step_new(steps, &e->device->context->cpu, dtype, 1, &e->n);
  for (int64_t i = 0; out && i < e->n && steps->status == STREW_OK; i++) {
    const struct fault fault = {.code = STREW_EVALUE, .argument = "self", .position = &i, .position_rank = 1};
    if (!read_integer(&e->sums, i, dtype == STREW_INT64, (uint64_t *)out->storage->data + i))
      STEP(steps,
           fail(steps->call, fault, "has a sum at [%" PRId64 "] that %s cannot hold", i, strew_dtype_name(dtype)));
  }
  return out;
}

/* The results of exact sums that a reduction of groups has; -1: none, or the counts. */
static int result_of(strew_group_reduction reduction) {
  switch (reduction) {
  case STREW_GROUP_SUM: return EXACT_SUM;
  case STREW_GROUP_MEAN: return EXACT_MEAN;
  case STREW_GROUP_VAR: return EXACT_VARIANCE;
  case STREW_GROUP_STD: return EXACT_DEVIATION;
  default: return -1;
  }
}

static strew_status check_wanted_result(const struct call *call, const strew_exact_sums *e,
                                        strew_group_reduction reduction, const strew_exact_sums_result_options *options,
                                        strew_dtype *dtype) {
  const int result = result_of(reduction);
  if (reduction != STREW_GROUP_COUNT && result < 0)
    return fail(call, FAULT(STREW_EARGUMENT, "reduction"), "is %d, expected a sum, mean, var, std or count",
                (int)reduction);
  const bool is_spread = result >= 0 && exact_is_spread(result), is_integer = !dtype_is_float(dtype_of(e));
  if (options->dtype && result < 0)
    return fail(call, FAULT(STREW_EARGUMENT, "dtype"), "is given, but counts are int64");
  if (options->correction && !is_spread)
    return fail(call, FAULT(STREW_EARGUMENT, "correction"), "is given, but only var and std take it");
  if (is_spread && !e->has_squares) return fail(call, FAULT(STREW_EARGUMENT, "self"), "was made without squares");
  *dtype = options->dtype ? *options->dtype : result != EXACT_SUM && is_integer ? STREW_FLOAT64 : dtype_of(e);
  RETURN_IF_FAILED(check_number_dtype(call, *dtype));
  if (dtype_is_float(*dtype)) return STREW_OK;
  if (result != EXACT_SUM || !is_integer)
    return fail(call, FAULT(STREW_EDTYPE, "dtype"), "is %s, expected a float dtype", strew_dtype_name(*dtype));
  return is_result(*dtype) ? STREW_OK : fail_dtype(call, *dtype);
}

strew_status strew_exact_sums_result(const strew_exact_sums *e, strew_group_reduction reduction,
                                     const strew_exact_sums_result_options *options, strew_tensor **out,
                                     strew_error *error) {
  CALL_STEPS(call, steps, "exact_sums_result", error, {0});
  OPTIONS(strew_exact_sums_result_options);
  strew_dtype dtype = STREW_INT64;
  STEP(&steps, check_wanted_result(&call, e, reduction, options, &dtype));
  if (steps.status != STREW_OK) return steps_status(&steps);
  const double correction = options->correction ? *options->correction : 1;
  strew_tensor *made = reduction == STREW_GROUP_COUNT ? counts_of(&steps, e)
                       : dtype_is_float(dtype)
                           ? float_results(&steps, e, (enum exact_result)result_of(reduction), dtype, correction)
                           : integer_results(&steps, e, dtype);
  if (steps.status == STREW_OK) made = step_to(&steps, made, e->device, made->dtype);
  return steps_give(&steps, made, out);
}
