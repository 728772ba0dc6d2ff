/* combination.c: reductions of one's own: texts that are run for one element after another. */
#include "programs.h"

#include "runtime/core/base/steps.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { MOST_ACCUMULATORS = 8, MOST_INPUTS_OF_TEXT = 64, NAME_BYTES = 64 };

struct accumulator {
  char name[NAME_BYTES];
  strew_scalar init;
  strew_expr *combine;
  int dtype; /* -1: found by the sources' */
};
struct strew_combination {
  struct released released;
  strew_context *context;
  int count, source_count;
  bool has_position;
  struct accumulator accumulators[MOST_ACCUMULATORS];
  const char *sources[COMBINED_SLOTS]; /* names, which the texts hold */
  strew_expr *finish;
};

/* --------------------------------------------------------------------------------------------------------- creation */

static int find_accumulator(const strew_combination *combination, const char *name) {
  int a = 0;
  while (a < combination->count && strcmp(combination->accumulators[a].name, name) != 0) a++;
  return a < combination->count ? a : -1;
}

/* Slots: accumulators, then sources, then the position. */
static int slot_of(const strew_combination *combination, const char *name) {
  const int a = find_accumulator(combination, name);
  if (a >= 0) return a;
  int s = 0;
  while (s < combination->source_count && strcmp(combination->sources[s], name) != 0) s++;
  return combination->count + s;
}

/* Marks a node in the text of an error, whose status this is. */
static strew_status mark(const struct call *call, const strew_expr *expr, int k, strew_status status) {
  return strew_expr_mark(expr, k, call->error), status;
}

/* Parses a text, which computes with elements alone. */
static strew_status parse(const struct call *call, strew_context *context, const char *argument, const char *text,
                          strew_expr **out) {
  if (!text) return fail(call, FAULT(STREW_EARGUMENT, argument), "is missing");
  RETURN_IF_FAILED(strew_expr_parse(context, text, strlen(text), out, call->error));
  for (int k = 0; k < (*out)->node_count; k++) {
    const enum node_kind kind = (*out)->nodes[k].kind;
    static const char *const words[] = {[NODE_FOLD] = "a reduction",
                                        [NODE_CALL] = "a call",
                                        [NODE_INDEX] = "rows",
                                        [NODE_WORD] = "a word",
                                        [NODE_CLOSE] = "isclose"};
    if (words[kind])
      return mark(call, *out, k,
                  fail(call, FAULT(STREW_EARGUMENT, argument), "has %s, expected operations on one element at a time",
                       words[kind]));
  }
  return STREW_OK;
}

/* Notes the sources among the inputs of a text. */
static strew_status add_sources(const struct call *call, strew_combination *combination, const strew_expr *expr) {
  for (int k = 0; k < expr->node_count; k++) {
    const struct node *node = &expr->nodes[k];
    const char *name = node->kind == NODE_INPUT ? expr->inputs[node->op] : NULL;
    if (!name || find_accumulator(combination, name) >= 0) continue;
    combination->has_position |= strcmp(name, "i") == 0;
    if (strcmp(name, "i") == 0 || slot_of(combination, name) < combination->count + combination->source_count) continue;
    if (combination->count + combination->source_count == COMBINED_SLOTS - 1)
      return mark(call, expr, k,
                  fail(call, FAULT(STREW_EARGUMENT, "combine"), "has more than %d accumulators and sources",
                       COMBINED_SLOTS - 1));
    combination->sources[combination->source_count++] = name;
  }
  return STREW_OK;
}

/* Fails for an input that is no accumulator. */
static strew_status fail_finish(const struct call *call, const strew_combination *combination, const strew_expr *expr,
                                int k) {
  const char *name = expr->inputs[expr->nodes[k].op];
  strew_guess guess = {.wanted = name};
  for (int a = 0; a < combination->count; a++) strew_guess_name(&guess, combination->accumulators[a].name);
  const char *hint = hint_of_guess(call, &guess);
  if (!hint) hint = hint_of(call, "'%s' is one", combination->accumulators[0].name);
  return mark(call, expr, k,
              fail(call, HINTED(STREW_EARGUMENT, "finish", hint), "has '%s', which is no accumulator", name));
}

static strew_status add_finish(const struct call *call, strew_combination *combination, const char *finish) {
  if (!finish && combination->count > 1)
    return fail(call, FAULT(STREW_EARGUMENT, "finish"), "is missing, expected an expression of the accumulators");
  if (!finish) finish = combination->accumulators[0].name;
  RETURN_IF_FAILED(parse(call, combination->context, "finish", finish, &combination->finish));
  const strew_expr *expr = combination->finish;
  if (!expr->input_count)
    return mark(call, expr, expr->node_count - 1, fail(call, FAULT(STREW_EARGUMENT, "finish"), "has no accumulator"));
  for (int k = 0; k < expr->node_count; k++)
    if (expr->nodes[k].kind == NODE_INPUT && find_accumulator(combination, expr->inputs[expr->nodes[k].op]) < 0)
      return fail_finish(call, combination, expr, k);
  return STREW_OK;
}

static strew_status add_accumulator(const struct call *call, strew_combination *combination,
                                    const strew_accumulator *given) {
  struct accumulator *own = &combination->accumulators[combination->count];
  if (!given->name || !*given->name || strlen(given->name) >= NAME_BYTES || strcmp(given->name, "i") == 0)
    return fail(call, FAULT(STREW_EARGUMENT, "name"), "is %s, expected 1 to %d bytes, and not 'i'",
                !given->name                       ? "missing"
                : strlen(given->name) < NAME_BYTES ? given->name
                                                   : "too long",
                NAME_BYTES - 1);
  if (find_accumulator(combination, given->name) >= 0)
    return fail(call, FAULT(STREW_EARGUMENT, "name"), "is '%s', as of another accumulator", given->name);
  RETURN_IF_FAILED(check_options(call, given));
  RETURN_IF_FAILED(check_scalar(call, "init", given->init));
  if (given->dtype) RETURN_IF_FAILED(check_number_dtype(call, *given->dtype));
  strcpy(own->name, given->name);
  own->init = given->init;
  own->dtype = given->dtype ? (int)*given->dtype : -1;
  combination->count++;
  return parse(call, combination->context, "combine", given->combine, &own->combine);
}

static strew_status fill(const struct call *call, strew_combination *combination, int count,
                         const strew_accumulator *accumulators, const char *finish) {
  for (int a = 0; a < count; a++) RETURN_IF_FAILED(add_accumulator(call, combination, &accumulators[a]));
  for (int a = 0; a < count; a++)
    RETURN_IF_FAILED(add_sources(call, combination, combination->accumulators[a].combine));
  return add_finish(call, combination, finish);
}

static void give_back(strew_context *context, struct released *released) {
  memory_free(context, (char *)released - offsetof(strew_combination, released), sizeof(strew_combination));
}

void strew_combination_release(strew_combination *combination) {
  if (!combination) return;
  strew_context *context = combination->context;
  for (int a = 0; a < combination->count; a++) strew_expr_release(combination->accumulators[a].combine);
  strew_expr_release(combination->finish);
  context_give_back(context, &combination->released);
  strew_context_release(context);
}

strew_status strew_combination_create(strew_context *context, int count, const strew_accumulator accumulators[],
                                      const char *finish, strew_combination **out, strew_error *error) {
  CALL(call, "reduction", error, {0});
  if (count < 1 || count > MOST_ACCUMULATORS)
    return fail(&call, FAULT(STREW_EARGUMENT, "count"), "is %d, expected 1 to %d accumulators", count,
                MOST_ACCUMULATORS);
  strew_combination *combination = memory_allocate(context, sizeof *combination);
  if (!combination) return fail_memory(&call, context, sizeof *combination);
  *combination = (strew_combination){.released = {NULL, give_back}, .context = context};
  strew_context_retain(context);
  const strew_status status = fill(&call, combination, count, accumulators, finish);
  if (status != STREW_OK)
    strew_combination_release(combination);
  else
    *out = combination;
  return report_inner(status, error, error);
}

const char *strew_combination_source(const strew_combination *combination, int i) {
  return i >= 0 && i < combination->source_count ? combination->sources[i] : NULL;
}
bool strew_combination_has_position(const strew_combination *combination) { return combination->has_position; }

/* ------------------------------------------------------------------------------------------------------------ calls */

/* A tensor of one dimension that has no elements. */
struct header {
  strew_tensor tensor;
  struct storage storage;
};

struct combining {
  struct steps *steps;
  const strew_combination *combination;
  const strew_combine_options *given;
  strew_tensor *elements;
  strew_device *device, *cpu; /* device: where elements are combined */
  int64_t length, columns;
  struct header headers[COMBINED_SLOTS + 1]; /* of the dtypes that texts see; the last one is bool */
  struct combine_plan *plan;
};

/* ----------------------------------------------------------------------------------------------------------- dtypes */

static void set_dtype(struct combining *c, int slot, strew_dtype dtype) {
  struct header *header = &c->headers[slot];
  make_header(&header->tensor, &header->storage, c->cpu, dtype, 1, (int64_t[]){0});
}

static strew_dtype dtype_of(const struct combining *c, int slot) { return c->headers[slot].tensor.dtype; }

/* Floats of accumulators: float32 unless sources have more bits, or are no floats. */
static strew_dtype float_of_sources(const struct combining *c) {
  strew_dtype widest = STREW_BOOL;
  for (int s = 0; s < c->combination->source_count; s++)
    widest = dtype_promote(widest, dtype_of(c, c->combination->count + s));
  return widest == STREW_FLOAT32 ? STREW_FLOAT32 : STREW_FLOAT64;
}

/* The widest integers of an accumulator: uint64 if elements or self are of it and none is signed, unless it begins below
   0. */
static strew_dtype integers_of(const struct combining *c, int a) {
  const strew_scalar init = c->combination->accumulators[a].init;
  bool is_signed = init.dtype == STREW_INT64 && init.as.i < 0, has_words = init.dtype == STREW_UINT64;
  for (int s = -1; s < c->combination->source_count; s++) {
    const strew_tensor *tensor = s < 0 ? c->given->self : c->given->sources[s];
    const strew_dtype dtype = tensor ? tensor->dtype : STREW_BOOL;
    has_words |= dtype == STREW_UINT64;
    is_signed |= dtype_category(dtype) == INTEGER && !dtype_is_unsigned(dtype);
  }
  return has_words && !is_signed ? STREW_UINT64 : STREW_INT64;
}

static void inputs_of(struct combining *c, const strew_expr *expr, strew_operand *inputs, int *slots) {
  for (int j = 0; j < expr->input_count; j++) {
    const bool is_position = strcmp(expr->inputs[j], "i") == 0;
    slots[j] = is_position ? c->plan->slot_count - 1 : slot_of(c->combination, expr->inputs[j]);
    inputs[j] = strew_of(&c->headers[slots[j]].tensor);
  }
}

/* Makes the programs of an accumulator's text, in which uint64 and signed integers meet in `mixed`. */
static strew_status compile_text(struct combining *c, int a, strew_dtype mixed, strew_tensor *test) {
  strew_operand inputs[MOST_INPUTS_OF_TEXT];
  int slots[MOST_INPUTS_OF_TEXT];
  const strew_expr *expr = c->combination->accumulators[a].combine;
  inputs_of(c, expr, inputs, slots);
  return expr_compile(c->steps->call, expr, inputs, slots, a, mixed, &c->headers[a].tensor, test, c->plan);
}

/* The order in which accumulators widen: bool, int64, uint64, floats. */
static int width_of(strew_dtype dtype) { return 2 * (int)dtype_category(dtype) + (dtype == STREW_UINT64); }

/* Widens an accumulator to the category of what its text gives, and of self. Returns true if it did. */
static bool widen(struct combining *c, int a) {
  const strew_dtype most = integers_of(c, a);
  if (c->combination->accumulators[a].dtype >= 0 || STEP(c->steps, compile_text(c, a, most, NULL)) != STREW_OK)
    return false;
  const struct elementwise_plan *last = &c->plan->programs[c->plan->program_count - 1].plan;
  strew_dtype gives = last->instructions[last->count - 1].result;
  c->plan->program_count = 0;
  if (c->given->self && width_of(c->given->self->dtype) > width_of(gives)) gives = c->given->self->dtype;
  if (dtype_category(gives) == INTEGER) gives = gives == STREW_UINT64 ? most : STREW_INT64;
  if (width_of(gives) <= width_of(dtype_of(c, a))) return false;
  return set_dtype(c, a, dtype_is_float(gives) ? float_of_sources(c) : gives), true;
}

/* Each round but the last widens an accumulator, of numbers as self is: three times at most. */
static void find_dtypes(struct combining *c) {
  const strew_combination *combination = c->combination;
  set_dtype(c, COMBINED_SLOTS, STREW_BOOL);
  for (int a = 0; a < combination->count; a++) {
    const struct accumulator *own = &combination->accumulators[a];
    strew_dtype dtype = own->init.dtype;
    if (dtype != STREW_BOOL) dtype = dtype_is_float(dtype) ? float_of_sources(c) : STREW_INT64;
    set_dtype(c, a, own->dtype >= 0 ? (strew_dtype)own->dtype : dtype);
  }
  bool changes = true;
  for (int round = 0; changes && round <= 3 * combination->count; round++) {
    changes = false;
    for (int a = 0; a < combination->count; a++) changes |= widen(c, a);
  }
}

/* ---------------------------------------------------------------------------------------------------------- sources */

static strew_status check_shape(const struct combining *c, const char *name, const strew_tensor *tensor, int64_t size) {
  const struct call *call = c->steps->call;
  char is[TEXT_BYTES], expected[TEXT_BYTES];
  int64_t sizes[MAX_RANK];
  const struct call pair = {
      .op = call->op, .error = call->error, .operands = {{"elements", c->elements}, {name, tensor}}};
  RETURN_IF_FAILED(check_devices(&pair));
  memcpy(sizes, c->elements->sizes, sizeof sizes);
  sizes[0] = size;
  if (tensor->rank == c->elements->rank && !memcmp(tensor->sizes, sizes, (size_t)tensor->rank * sizeof *sizes))
    return STREW_OK;
  return fail(&pair, FAULT(STREW_ESHAPE, name), "has shape %s, expected %s",
              text_of_sizes(tensor->rank, tensor->sizes, is), text_of_sizes(c->elements->rank, sizes, expected));
}

/* Fails unless positions are numbers, one for each element. */
static strew_status check_positions(const struct combining *c, const strew_tensor *positions) {
  if (positions->dtype == STREW_INT64 && positions->rank == 1 && positions->sizes[0] == c->length) return STREW_OK;
  char is[TEXT_BYTES];
  return fail(c->steps->call, FAULT(STREW_ESHAPE, "positions"),
              "are %s of shape %s, expected int64 of shape [%" PRId64 "]", strew_dtype_name(positions->dtype),
              text_of_sizes(positions->rank, positions->sizes, is), c->length);
}

/* A tensor as rows and columns on the device. */
static strew_tensor *step_rows(struct combining *c, strew_tensor *tensor, strew_dtype dtype, int64_t rows,
                               int64_t columns) {
  strew_tensor *moved = step_to(c->steps, tensor, c->device, dtype);
  return step_reshape(c->steps, moved, 2, (int64_t[]){rows, columns});
}

static void take_sources(struct combining *c) {
  const strew_combination *combination = c->combination;
  struct combine_plan *plan = c->plan;
  plan->accumulator_count = combination->count;
  plan->slot_count = combination->count + combination->source_count + 1;
  plan->length = c->length;
  plan->columns = c->columns;
  for (int s = 0; s < combination->source_count && c->steps->status == STREW_OK; s++) {
    strew_tensor *source = c->given->sources[s];
    STEP(c->steps, check_listed(c->steps->call, combination->sources[s], s, source, 0));
    STEP(c->steps, check_shape(c, combination->sources[s], source, c->length));
    plan->slots[combination->count + s] = step_rows(c, source, source->dtype, c->length, c->columns);
    set_dtype(c, combination->count + s, seen_dtype(source->dtype));
  }
  strew_tensor *positions = c->given->positions;
  set_dtype(c, plan->slot_count - 1, STREW_INT64);
  if (positions) STEP(c->steps, check_positions(c, positions));
  if (!positions || !combination->has_position || c->steps->status != STREW_OK) return;
  positions = step_rows(c, positions, STREW_INT64, c->length, 1);
  plan->slots[plan->slot_count - 1] = step_expand(c->steps, positions, 2, (int64_t[]){c->length, c->columns});
}

/* -------------------------------------------------------------------------------------------------------- sequences */

static void take_groups(struct combining *c) {
  struct steps *steps = c->steps;
  strew_tensor **order = steps_place(steps), **starts = steps_place(steps);
  strew_grouping *grouping = NULL;
  const int64_t members = strew_grouping_length(c->given->grouping);
  if (members != c->length)
    STEP(steps, fail(steps->call, FAULT(STREW_ESHAPE, "elements"),
                     "have size %" PRId64 " in dim 0, the grouping has %" PRId64 " elements", c->length, members));
  STEP(steps, strew_grouping_to(c->given->grouping, c->device, &grouping, steps->error));
  STEP(steps, strew_grouping_order(grouping, order, steps->error));
  STEP(steps, strew_grouping_starts(grouping, starts, steps->error));
  strew_grouping_release(grouping);
  c->plan->order = *order;
  c->plan->starts = *starts;
}

/* Starts ascend from 0 to the length at most. */
static strew_status check_starts(const struct combining *c, const strew_tensor *starts) {
  const int64_t *at = dense_at(starts, 0), count = starts->sizes[0];
  for (int64_t s = 0; s < count; s++)
    if (at[s] < (s ? at[s - 1] : 0) || at[s] > c->length)
      return fail(c->steps->call, VALUED(STREW_EINDEX, "starts", strew_int(at[s])),
                  "has value %" PRId64 " at [%" PRId64 "], expected ascending values of 0..%" PRId64, at[s], s,
                  c->length);
  return STREW_OK;
}

static void take_starts(struct combining *c) {
  struct steps *steps = c->steps;
  strew_tensor *given = c->given->starts, *starts;
  if (given && (given->rank != 1 || given->sizes[0] < 1 || given->dtype != STREW_INT64))
    STEP(steps, fail(steps->call, FAULT(STREW_ESHAPE, "starts"),
                     "has %d dimensions of %s, expected one, of int64, with an element or more", given->rank,
                     strew_dtype_name(given->dtype)));
  if (given) {
    strew_tensor **dense = steps_place(steps);
    starts = step_to(steps, given, c->cpu, STREW_INT64);
    STEP(steps, strew_contiguous(starts, dense, steps->error));
    starts = *dense;
  } else {
    starts = step_binary(steps, STREW_MUL, step_count(steps, c->cpu, 2), c->length, NULL);
  }
  STEP(steps, check_starts(c, starts));
  c->plan->starts = step_to(steps, starts, c->device, STREW_INT64);
}

/* ------------------------------------------------------------------------------------------------------- the call */

/* Fails if self has fractions, or numbers, that the accumulator has not: dtypes that are given may be narrower. */
static strew_status check_self(const struct combining *c, const strew_tensor *self) {
  RETURN_IF_FAILED(check_shape(c, "self", self, c->plan->count));
  if (dtype_category(self->dtype) <= dtype_category(dtype_of(c, 0))) return STREW_OK;
  return fail(c->steps->call, FAULT(STREW_EDTYPE, "self"), "is %s, the accumulator is %s",
              strew_dtype_name(self->dtype), strew_dtype_name(dtype_of(c, 0)));
}

/* What accumulators begin with. */
static void take_values(struct combining *c) {
  struct combine_plan *plan = c->plan;
  const int64_t groups[] = {plan->count, c->columns}, rows[] = {c->length, c->columns};
  if (c->given->self) STEP(c->steps, check_self(c, c->given->self));
  for (int a = 0; a < plan->accumulator_count && c->steps->status == STREW_OK; a++) {
    const strew_scalar init = c->combination->accumulators[a].init;
    const strew_dtype dtype = dtype_of(c, a);
    union element first;
    if (STEP(c->steps, element_from(c->steps->call, "init", init, STREW_EXACT, dtype, &first)) != STREW_OK) return;
    if (c->given->self)
      plan->slots[a] = step_copy(c->steps, step_rows(c, c->given->self, dtype, groups[0], groups[1]), dtype);
    else
      plan->slots[a] = step_full(c->steps, c->device, dtype, 2, groups, init);
    if (c->given->partial) plan->partial[a] = step_full(c->steps, c->device, dtype, 2, rows, init);
  }
}

static void compile(struct combining *c) {
  struct combine_plan *plan = c->plan;
  for (int a = 0; a < plan->accumulator_count; a++)
    STEP(c->steps, compile_text(c, a, STREW_INT64, &c->headers[COMBINED_SLOTS].tensor));
  for (int p = 0; p < plan->program_count; p++) /* elements are read as they are stored */
    for (int i = 1; i < plan->programs[p].plan.plan.count; i++) {
      const strew_tensor *slot = plan->slots[plan->programs[p].slots[i]];
      plan->programs[p].plan.plan.operands[i].dtype = slot ? slot->dtype : STREW_INT64;
    }
}

static strew_status run(const struct combining *c) {
  const struct combine_plan *plan = c->plan;
  const struct call *call = c->steps->call;
  int64_t bad = -1;
  int p = 0;
  if (!plan->count || !c->length || !c->columns) return STREW_OK;
  RETURN_IF_FAILED(c->device->ops->programs->combine(call, c->device, plan, &bad, &p));
  if (bad < 0) return STREW_OK;
  const strew_expr *expr = c->combination->accumulators[plan->programs[p].expr].combine;
  const int k = plan->programs[p].node;
  struct fault fault = {.code = STREW_EVALUE, .argument = "combine", .position = &bad, .position_rank = 1};
  return mark(call, expr, k,
              fail(call, fault,
                   expr->nodes[k].op == STREW_POW ? "raises an integer to a negative power at element %" PRId64
                                                  : "divides an integer by 0 at element %" PRId64,
                   bad));
}

/* The dtype in which elements of all sources meet. */
static strew_dtype dtype_of_sources(const struct combining *c) {
  strew_dtype dtype = STREW_BOOL;
  for (int s = 0; s < c->combination->source_count; s++) dtype = dtype_promote(dtype, c->given->sources[s]->dtype);
  return dtype;
}

/* The result of `finish`, of the accumulators or all their values. */
static strew_tensor *finish(struct combining *c) {
  struct steps *steps = c->steps;
  strew_operand inputs[MOST_ACCUMULATORS];
  int64_t sizes[MAX_RANK];
  const strew_expr *expr = c->combination->finish;
  strew_device *device = c->elements->storage->device, *at = device->lacks_float64 ? c->cpu : c->device;
  strew_tensor *result = NULL, **made = steps_place(steps);
  bool is_given = false;
  for (int a = 0; a < c->combination->count; a++) is_given |= c->combination->accumulators[a].dtype >= 0;
  for (int j = 0; j < expr->input_count; j++) {
    const int a = find_accumulator(c->combination, expr->inputs[j]);
    const strew_tensor *value = (c->given->partial ? c->plan->partial : c->plan->slots)[a];
    inputs[j] = strew_of(step_to(steps, (strew_tensor *)value, at, value->dtype));
  }
  STEP(steps, expr_evaluate(expr, &(strew_expr_values){.inputs = inputs}, STREW_INT64, made, steps->error));
  if (steps->status != STREW_OK) return NULL;
  result = *made;
  const strew_dtype common = dtype_of_sources(c);
  const bool is_half = dtype_is_half(common) && result->dtype == STREW_FLOAT32 && !is_given;
  memcpy(sizes, c->elements->sizes, sizeof sizes);
  if (!c->given->partial) sizes[0] = c->plan->count;
  result = step_reshape(steps, result, c->elements->rank, sizes);
  return steps->status != STREW_OK ? NULL : step_to(steps, result, device, is_half ? common : result->dtype);
}

/* True if the device has no float64, and accumulators need it. */
static bool lacks_dtypes(const struct combining *c) {
  bool lacks = false;
  for (int a = 0; a < c->combination->count; a++) lacks |= dtype_of(c, a) == STREW_FLOAT64;
  return lacks && c->device->lacks_float64;
}

/* Combines the elements on a device, which may decline. */
static strew_status combine_on(struct combining *c, strew_device *device) {
  struct steps *steps = c->steps;
  c->device = device;
  memset(c->plan, 0, offsetof(struct combine_plan, programs));
  take_sources(c);
  if (steps->status == STREW_OK) (c->given->grouping ? take_groups : take_starts)(c);
  if (steps->status != STREW_OK) return steps->status;
  c->plan->count = c->plan->starts->sizes[0] - 1;
  find_dtypes(c);
  if (lacks_dtypes(c)) return STREW_DECLINED;
  take_values(c);
  compile(c);
  const strew_status status = steps->status == STREW_OK ? run(c) : STREW_DECLINED;
  return status == STREW_DECLINED ? status : STEP(steps, status);
}

static strew_tensor *combine(struct combining *c) {
  struct steps *steps = c->steps;
  const strew_combine_options *given = c->given;
  strew_device *device = c->elements->storage->device;
  STEP(steps, check_options(steps->call, given));
  if (c->combination->context != c->cpu->context) STEP(steps, fail_context(steps->call, "elements", "belong to"));
  if (c->combination->source_count && !given->sources)
    STEP(steps, fail(steps->call, FAULT(STREW_EARGUMENT, "sources"), "are missing, expected %d",
                     c->combination->source_count));
  if (c->elements->rank < 1)
    STEP(steps, fail(steps->call, FAULT(STREW_ESHAPE, "elements"), "have no dimension, expected one or more"));
  if (given->grouping && given->starts)
    STEP(steps, fail(steps->call, FAULT(STREW_EARGUMENT, "starts"), "cannot be combined with 'grouping'"));
  if (given->self && c->combination->count > 1)
    STEP(steps, fail(steps->call, FAULT(STREW_EARGUMENT, "self"), "cannot begin %d accumulators, expected one",
                     c->combination->count));
  if (steps->status != STREW_OK) return NULL;
  c->length = c->elements->sizes[0];
  c->columns = count_of_sizes(c->elements->rank - 1, c->elements->sizes + 1);
  if (combine_on(c, device) == STREW_DECLINED && steps->status == STREW_OK) combine_on(c, c->cpu);
  return steps->status == STREW_OK ? finish(c) : NULL;
}

strew_status strew_combine(const strew_combination *combination, strew_tensor *elements,
                           const strew_combine_options *options, strew_tensor **out, strew_error *error) {
  CALL_STEPS(call, steps, "combine", error, {"elements", elements}, {"self", options ? options->self : NULL});
  strew_context *context = elements->storage->device->context;
  struct combining c = {.steps = &steps,
                        .combination = combination,
                        .given = options ? options : &(strew_combine_options){0},
                        .elements = elements,
                        .cpu = &context->cpu,
                        .plan = memory_allocate(context, sizeof *c.plan)};
  if (!c.plan) return fail_memory(&call, context, sizeof *c.plan);
  memset(c.plan, 0, offsetof(struct combine_plan, programs));
  strew_tensor *result = combine(&c);
  memory_free(context, c.plan, sizeof *c.plan);
  return steps_give(&steps, result, out);
}
