/* exact.c: exact sums through OpenCL: surveys; sums, products and variances by number, of which a survey is read before
   three launches that write; sums and means of limbs. Variances of limbs are rounded on the CPU. */
#include "runtime/elementwise/shared/exact.h"
#include "opencl/core/opencl.h"
#include "opencl/core/tuning.h"
#include "runtime/reduce/exact_ops.h"

#include <stdio.h>

EXACT_ENTRIES(OPENCL_FUNCTION, OPENCL_NONE)

/* ----------------------------------------------------------------------------------------------- shapes of launches */

/* Elements in groups: `each` for a work-item. */
struct cut {
  int64_t groups, each;
};

/* At most `most` groups (0: any number), unless loops would be too long. No work-item has more than a 64th. */
static struct cut cut_of(const strew_device *device, int64_t count, int64_t each, int64_t most) {
  const int64_t group = (int64_t)opencl_large_group(device), longest = opencl_of(device)->longest_loop / EXACT_LOOP;
  struct cut cut = {.each = opencl_of(device)->is_gpu ? each : EXACT_CPU_EACH};
  if (most && count / group / cut.each >= most) cut.each = count / group / most + 1;
  if (cut.each > longest) cut.each = longest;
  if (cut.each > count / GROUP) cut.each = count > GROUP ? count / GROUP : 1;
  cut.groups = (count - 1) / (cut.each * group) + 1;
  return cut;
}

static void launch_cut(struct launch *launch, const struct cut *cut) {
  const size_t group = opencl_large_group(launch->device);
  launch->turns = cut->each * (int64_t)group * EXACT_TURNS;
  launch_groups(launch, cut->groups, group);
}

/* Begins a launch of exact.cl over that dtype of terms. */
static void start_of_terms(struct launch *launch, const char *kernel, strew_dtype dtype, const struct space *space,
                           const char *more) {
  launch_start(launch, "exact.cl", kernel, "S=%s R=%s OUTER=%d%s", dtype_suffix(dtype), dtype_suffix(dtype_wide(dtype)),
               space->outer, more);
}

/* ----------------------------------------------------------------------------------------------------------- survey */

/* A group's findings. */
struct found {
  cl_int low, top, kinds, bad;
};

/* Surveys an operand in groups that write to `found` from `first` on. `by` (NULL: none): checks its index. */
static void survey_operand(struct launch *launch, const struct plan *plan, int operand, const struct cut *cut,
                           const struct exact_by_plan *by, int64_t first, const struct block *found) {
  const struct space space = space_of(plan);
  char more[64];
  int length = snprintf(more, sizeof more, " GROUP_SIZE=%zu", opencl_large_group(launch->device));
  if (by)
    snprintf(more + length, sizeof more - (size_t)length, " INDEX I=%s", index_type(plan->operands[BY_INDEX].dtype));
  start_of_terms(launch, "survey", plan->operands[operand].dtype, &space, more);
  launch_plan(launch, &space, operand);
  if (by) launch_operand(launch, &space, BY_INDEX);
  if (by) launch_ints(launch, by->lowest, by->size - 1);
  launch_ints(launch, cut->each, first);
  launch_blocks(launch, found);
  launch_cut(launch, cut);
}

/* `factor`: of the groups from `first` on; or NULL. */
static void read_found(struct launch *launch, const struct block *block, int64_t groups, struct exact_survey *out,
                       int64_t first, struct exact_survey *factor, bool *bad) {
  strew_context *context = launch->device->context;
  const size_t bytes = (size_t)groups * sizeof(struct found);
  struct found *found = launch->status == STREW_OK ? memory_allocate(context, bytes) : NULL;
  *out = (struct exact_survey){EXACT_NONE, -1, 0};
  if (factor) *factor = *out;
  if (!found) TRY(launch->status, fail_memory(launch->call, context, bytes));
  launch_read(launch, block, 0, found, bytes);
  for (int64_t i = 0; launch->status == STREW_OK && i < groups; i++) {
    const bool is_none = found[i].low == EXACT_NONE && found[i].top == -1;
    if (!is_none && !(0 <= found[i].low && found[i].low <= found[i].top && found[i].top < EXACT_PLACES))
      launch->status = fail(launch->call, FAULT(STREW_EDEVICE, NULL),
                            "has places %d..%d of bits, returned by %s: its driver is faulty", (int)found[i].low,
                            (int)found[i].top, launch->device->name);
    struct exact_survey *of = factor && i >= first ? factor : out;
    if (found[i].low < of->low) of->low = found[i].low;
    if (found[i].top > of->top) of->top = found[i].top;
    of->kinds |= (unsigned)found[i].kinds;
    *bad = *bad || found[i].bad;
  }
  memory_free(context, found, bytes);
}

static struct cut survey_cut(const strew_device *device, const struct plan *plan) {
  return cut_of(device, plan_numel(plan), EXACT_SURVEYED, EXACT_SURVEY_GROUPS);
}

strew_status opencl_survey(const struct call *call, strew_device *device, const struct plan *plan,
                           struct exact_survey *out) {
  struct launch launch = {.call = call, .device = device};
  const struct cut cut = survey_cut(device, plan);
  struct block *block = launch_scratch(&launch, (uint64_t)cut.groups * sizeof(struct found));
  bool bad = false;
  survey_operand(&launch, plan, 0, &cut, NULL, 0, block);
  read_found(&launch, block, cut.groups, out, 0, NULL, &bad);
  return launch_end(&launch);
}

/* Measured on PoCL, 2 cores, 4 M float32 into 1, 100,000 and 1 M: 62, 220, 530 ms by number; 38, 56, 85 composed; whole
   sums 64, composed 8. */
static bool suits(const strew_device *device) { return opencl_of(device)->is_gpu; }

static bool has_first_term(const struct exact_by_plan *by) {
  return by->results.operands[BY_START].storage && !by->from_start;
}

static strew_status survey_by(const struct call *call, strew_device *device, const struct exact_by_plan *by,
                              struct exact_survey *out, struct exact_survey *factor, bool *bad) {
  struct launch launch = {.call = call, .device = device};
  const struct cut cut = survey_cut(device, &by->terms), of_start = survey_cut(device, &by->results);
  const int64_t groups = cut.groups + (has_first_term(by) ? of_start.groups : by->is_product ? cut.groups : 0);
  struct block *block = launch_scratch(&launch, (uint64_t)groups * sizeof(struct found));
  *bad = false;
  survey_operand(&launch, &by->terms, BY_TERM, &cut, by->checks ? by : NULL, 0, block);
  if (has_first_term(by)) survey_operand(&launch, &by->results, BY_START, &of_start, NULL, cut.groups, block);
  if (by->is_product) survey_operand(&launch, &by->terms, BY_FACTOR, &cut, NULL, cut.groups, block);
  read_found(&launch, block, groups, out, cut.groups, by->is_product ? factor : NULL, bad);
  return launch_end(&launch);
}

/* ------------------------------------------------------------------------------------------------------------- sums */

/* A result's words. */
struct words {
  struct block *block;
  struct exact_layout at;
  cl_int limbs, low, width, wanted;
};

static struct words words_of(struct launch *launch, const struct exact_by_plan *by) {
  struct words words = {.at = exact_layout_of(by), .limbs = by->limbs, .low = by->low, .width = by->width};
  words.wanted = (cl_int)by->kinds;
  words.block = launch_scratch(launch, (uint64_t)by->count * (uint64_t)words.at.stride * sizeof(uint64_t));
  return words;
}

static void launch_words(struct launch *launch, const struct words *words) { launch_blocks(launch, words->block); }

static void start_words(struct launch *launch, const struct exact_by_plan *by, const struct words *words) {
  const struct space space = space_of(&by->results);
  start_of_terms(launch, "start", by->results.operands[BY_OUT].dtype, &space, "");
  launch_space(launch, &space);
  launch_strides(launch, &space, BY_NUMBER);
  launch_operand(launch, &space, BY_START);
  launch_flags(launch, has_first_term(by), words->limbs, words->low, words->width);
  launch_ints(launch, words->at.stride);
  launch_flags(launch, words->at.kinds_at, words->wanted);
  launch_words(launch, words);
  launch->turns = words->at.stride;
  launch_rows(launch, &space);
}

static void add_terms(struct launch *launch, const struct exact_by_plan *by, const struct words *words) {
  const struct space space = space_of(&by->terms);
  const int64_t all = by->count * words->at.stride;
  const bool few = all <= EXACT_OWN_WORDS, indexed = by->terms.count > BY_INDEX && !by->is_product;
  const int held = words->limbs <= EXACT_HELD ? words->limbs : 0;
  const struct cut cut = cut_of(launch->device, plan_numel(&by->terms), few ? EXACT_ADDED_FEW : EXACT_ADDED, 0);
  char more[128], own[24] = "", index[24] = "";
  if (few) snprintf(own, sizeof own, " OWN=%d", EXACT_OWN_WORDS);
  if (indexed) snprintf(index, sizeof index, " INDEX I=%s", index_type(by->terms.operands[BY_INDEX].dtype));
  snprintf(more, sizeof more, " GROUP_SIZE=%zu HELD=%d HELD_SQUARES=%d%s%s%s%s", opencl_large_group(launch->device),
           held, held ? by->square_limbs : 0, by->square_limbs ? " SQUARES" : "", by->is_product ? " FACTOR" : "", own,
           index);
  start_of_terms(launch, "add", by->terms.operands[BY_TERM].dtype, &space, more);
  launch_space(launch, &space);
  launch_strides(launch, &space, BY_NUMBER);
  launch_operand(launch, &space, BY_TERM);
  if (by->is_product) launch_operand(launch, &space, BY_FACTOR);
  if (indexed) {
    launch_operand(launch, &space, BY_INDEX);
    launch_ints(launch, by->step);
    launch_limits(launch, by->size, by->mode);
  }
  launch_ints(launch, cut.each);
  if (few) launch_ints(launch, all);
  launch_flags(launch, words->limbs, words->low, words->width);
  launch_ints(launch, words->at.stride);
  launch_flags(launch, by->square_limbs, words->at.squares_at, words->at.count_at, words->at.kinds_at, words->wanted);
  launch_words(launch, words);
  launch_cut(launch, &cut);
}

/* Rounds limbs, `step` words apart, of which words are bound by `limbs`, at BY_NUMBER times the layout's stride. */
static void finish(struct launch *launch, const struct exact_by_plan *by, const struct exact_layout *at, int64_t step,
                   const struct operand *limbs, const struct block *block) {
  enum { BIT_TURNS = 8, FROM_FIRST = 1, FROM_ZERO = 2 }; /* turns of a bit of a variance's digits */
  const struct space space = space_of(&by->results);
  const struct operand *counts = &by->results.operands[BY_COUNTS];
  const strew_dtype dtype = by->results.operands[BY_OUT].dtype;
  const struct exact_format format = exact_format_of(dtype);
  const bool is_spread = exact_is_spread(by->result);
  launch_start(launch, "exact.cl", "finish", "WORD=%s OUTER=%d%s%s", word_type(dtype), space.outer,
               is_spread ? " SPREAD" : "", by->result == EXACT_DEVIATION ? " ROOT" : "");
  launch_space(launch, &space);
  launch_strides(launch, &space, BY_NUMBER);
  launch_operand(launch, &space, BY_OUT);
  launch_operand(launch, &space, BY_START);
  launch_operand(launch, &space, BY_COUNTS);
  launch_ints(launch, counts->storage ? -1 : counts->number.i64);
  launch_flags(launch, by->result == EXACT_MEAN);
  launch_ints(launch, by->extra);
  launch_flags(launch,
               !by->from_start                          ? 0
               : by->results.operands[BY_START].storage ? FROM_FIRST
                                                        : FROM_ZERO,
               by->limbs, by->exponent, by->width);
  launch_ints(launch, at->stride, step);
  launch_flags(launch, at->count_at, at->kinds_at, by->signs_zero && by->kinds & EXACT_OTHER, format.digits,
               format.least);
  launch_value(launch, &format.infinity, sizeof format.infinity);
  if (is_spread) {
    const double divisor[] = {by->divisor.correction, by->divisor.least, by->divisor.otherwise, by->divisor.plus};
    launch_flags(launch, at->squares_at, (cl_int)(at->stride - (at->count_at >= 0) - (at->kinds_at >= 0)));
    launch_list(launch, divisor, sizeof divisor / sizeof *divisor, sizeof *divisor);
  }
  if (limbs)
    launch_memory(launch, limbs);
  else
    launch_blocks(launch, block), launch_ints(launch, 0);
  launch->turns = is_spread ? BIT_TURNS * EXACT_DIGIT * at->stride : 4 * by->limbs;
  launch_rows(launch, &space);
}

static strew_status run_by(const struct call *call, strew_device *device, const struct exact_by_plan *by,
                           int64_t *read) {
  struct launch launch = {.call = call, .device = device};
  const struct words words = words_of(&launch, by);
  start_words(&launch, by, &words);
  add_terms(&launch, by, &words);
  if (read)
    launch_read(&launch, words.block, 0, read, (size_t)by->count * (size_t)words.at.stride * sizeof *read);
  else
    finish(&launch, by, &words.at, 1, NULL, words.block);
  return launch_end(&launch);
}

/* Sums and means of limbs, which are used up. */
static strew_status round_limbs(const struct call *call, strew_device *device, const struct exact_plan *plan) {
  struct launch launch = {.call = call, .device = device};
  struct exact_by_plan by = {
      .result = plan->result, .limbs = plan->limbs, .exponent = plan->exponent, .width = plan->width};
  const struct exact_layout at = {.count_at = -1, .kinds_at = -1, .stride = 1};
  plan_copy(&by.results, &plan->plan);
  by.results.operands[BY_NUMBER] = plan->plan.operands[EXACT_LIMBS];
  by.results.operands[BY_OUT] = plan->plan.operands[EXACT_OUT];
  by.results.operands[BY_START] = by.results.operands[BY_COUNTS] = plan->plan.operands[EXACT_COUNTS];
  finish(&launch, &by, &at, plan->step, &plan->plan.operands[EXACT_LIMBS], NULL);
  return launch_end(&launch);
}

/* ------------------------------------------------------------------------------------------------------------ table */

static const struct exact_by_ops by_number = {suits, survey_by, run_by};
const struct exact_ops opencl_exact_ops = {EXACT_ENTRIES(OPENCL_ENTRY, OPENCL_NONE).exact = round_limbs,
                                           .by = &by_number};
