/* check_programs.c: random programs of instructions match, bit for bit, the same instructions run one by one on tensors
   that hold each result: all kinds and dtypes, broadcast and strided operands, tables, numbers, out of another dtype,
   in place. Calls that read a program's result deferred match those that read the stored one. */
#include "runtime/elementwise/elementwise.h"
#include "testing.h"

enum { MOST_TENSORS = PLAN_OPERANDS - 1, MOST_VALUES = MOST_TENSORS + MOST_INSTRUCTIONS };

/* A program, and each value it computes: `values` are the inputs and then the results, as tensors. */
struct drawn {
  int rank;
  int64_t sizes[STREW_MAX_RANK];
  int inputs, table; /* the input from which an index, the input before it, takes elements; 0: none */
  strew_tensor *values[MOST_VALUES];
  struct elementwise_plan plan;
};

static int value_count(const struct drawn *program) { return program->inputs + program->plan.count; }

static strew_status run(struct elementwise_plan *plan, strew_error *error) {
  CALL(call, "program", error, {NULL, NULL});
  return device->ops->elementwise->elementwise(&call, device, plan);
}

/* ------------------------------------------------------------------------------------------------------------ draws */

static void draw_sizes(struct drawn *program) {
  const int64_t kind = draw_below(4);
  program->rank = kind == 0 ? 1 : (int)(kind == 1 ? 5 + draw_below(3) : draw_below(4));
  for (int d = 0; d < program->rank; d++) program->sizes[d] = kind == 1 ? 1 + draw_below(3) : 1 + draw_below(9);
  if (kind == 0) program->sizes[0] = 1 + draw_below(4000);
  const bool is_wide = kind > 1 && program->rank && draw_below(3) == 0,
             is_tall = kind > 1 && program->rank && draw_below(9) == 0;
  if (is_wide)
    program->sizes[program->rank - 1] += 1000;
  else if (is_tall) /* both would be millions of elements, minutes under ASan */
    program->sizes[0] += 2000;
}

/* Of the program's shape, of a part of its dimensions, or of size 1 in some. */
static strew_tensor *draw_input(const struct drawn *program) {
  int64_t sizes[STREW_MAX_RANK];
  const int left_out = draw_below(3) ? 0 : (int)draw_below(program->rank + 1), rank = program->rank - left_out;
  for (int d = 0; d < rank; d++) sizes[d] = draw_below(8) ? program->sizes[left_out + d] : 1;
  const strew_dtype half = draw_below(2) ? STREW_FLOAT16 : STREW_BFLOAT16; /* has the most conversions */
  const strew_dtype dtype = draw_below(3) ? dtype_here((strew_dtype)draw_below(STREW_DTYPE_COUNT)) : half;
  return random_tensor(dtype, rank, sizes, draw_below(2) ? CONTIGUOUS : (enum layout)draw_below(LAYOUT_COUNT));
}

static strew_operand draw_number(void) {
  static const double floats[] = {0.5, -2.5, 0.1, 3, -0.0, 1e-3, 40000};
  const int64_t kind = draw_below(5);
  if (kind == 0) return strew_number(strew_bool(draw() & 1));
  if (kind < 3) return strew_number(strew_int(draw_below(12) - 3));
  return strew_number(strew_float(floats[draw_below(7)]));
}

/* A value, the latest ones often; sometimes a number. */
static strew_operand draw_operand(const struct drawn *program, bool takes_number) {
  const int count = value_count(program);
  if (takes_number && draw_below(4) == 0) return draw_number();
  const int drawn = count - 1 - (int)draw_below(draw_below(3) && count > 3 ? 3 : count);
  return strew_of(program->values[drawn - (drawn && drawn == program->table)]);
}

/* ----------------------------------------------------------------------------------------------------- instructions */

static strew_status draw_operation(const struct drawn *program, struct elementwise *work, strew_error *error) {
  CALL(call, "program", error, {NULL, NULL});
  const strew_operand a = draw_operand(program, false), b = draw_operand(program, true),
                      c = draw_operand(program, true);
  work->call = &call;
  switch (draw_below(8)) {
  case 0:
  case 1: return elementwise_unary(work, (strew_unary_op)draw_below(STREW_UNARY_COUNT), a.tensor);
  case 2: return elementwise_clamp(work, a.tensor, &b, &c);
  case 3: return elementwise_where(work, draw_operand(program, false).tensor, b.tensor ? b : a, c);
  default: return elementwise_binary(work, (strew_binary_op)draw_below(STREW_BINARY_COUNT), draw_below(9) ? a : b, c);
  }
}

/* Number of a tensor as the source of an instruction. */
static int source_of(const struct drawn *program, const strew_tensor *tensor) {
  int i = 0;
  while (program->values[i] != tensor) i++;
  return i < program->inputs ? 1 + i : -1 - (i - program->inputs);
}

/* Runs one instruction on tensors. */
static void run_alone(const struct drawn *program, const struct instruction *instruction, strew_tensor *out) {
  static struct elementwise_plan plan;
  plan.count = 1;
  plan.instructions[0] = *instruction;
  plan_start(&plan.plan, out->rank, out->sizes);
  plan_add(&plan.plan, out);
  for (int i = 0; i < instruction->inputs; i++) {
    const int from = instruction->in[i].from;
    if (from == FROM_NUMBER) continue;
    plan.instructions[0].in[i].from = plan.plan.count;
    plan_add(&plan.plan, program->values[from > 0 ? from - 1 : program->inputs - 1 - from]);
  }
  plan_simplify_any_order(&plan.plan);
  ok(run(&plan, &failure));
}

static void take_alone(const struct drawn *program, strew_tensor *out) {
  strew_tensor *rows = NULL;
  ok(strew_get_rows(program->values[program->table], program->values[program->table - 1], &rows, &failure));
  ok(strew_copy(out, rows, &failure));
  strew_release(rows);
}

static void add_result(struct drawn *program, const struct instruction *instruction, int rank, const int64_t *sizes) {
  strew_tensor *out = NULL;
  if (lacks(instruction->result)) return; /* float64, of uint64 and a signed dtype */
  ok(strew_empty(device, instruction->result, rank, sizes, &out, &failure));
  if (instruction->kind == ELEMENTWISE_TAKE)
    take_alone(program, out);
  else
    run_alone(program, instruction, out);
  program->values[value_count(program)] = out;
  program->plan.instructions[program->plan.count++] = *instruction;
}

static void add_conversion(struct drawn *program) {
  strew_tensor *from = draw_operand(program, false).tensor;
  const strew_dtype dtype = dtype_here((strew_dtype)draw_below(STREW_DTYPE_COUNT));
  add_result(program,
             &(struct instruction){.kind = ELEMENTWISE_CONVERT,
                                   .common = dtype,
                                   .compute = dtype,
                                   .result = dtype,
                                   .inputs = 1,
                                   .in = {{.from = source_of(program, from), .dtype = from->dtype}}},
             from->rank, from->sizes);
}

static void add_take(struct drawn *program) {
  static atomic_bool bad;
  const strew_tensor *table = program->values[program->table], *index = program->values[program->table - 1];
  add_result(program,
             &(struct instruction){.kind = ELEMENTWISE_TAKE,
                                   .common = STREW_INT64,
                                   .compute = table->dtype,
                                   .result = table->dtype,
                                   .inputs = 2,
                                   .in = {{program->table, index->dtype}, {program->table + 1, table->dtype}},
                                   .size = table->sizes[0],
                                   .step = table->strides[0],
                                   .bad = &bad},
             index->rank, index->sizes);
}

/* Adds an instruction, unless what was drawn is refused: for its dtypes, or integers divided by 0. */
static void add_instruction(struct drawn *program) {
  struct elementwise work = {.call = NULL};
  struct instruction instruction;
  if (draw_below(8) == 0) {
    add_conversion(program);
    return;
  }
  if (program->table && draw_below(6) == 0) {
    add_take(program);
    return;
  }
  if (draw_operation(program, &work, &failure) != STREW_OK) return;
  elementwise_instruction(&work, &instruction);
  for (int i = 0; i < work.inputs; i++)
    if (work.operands[i].tensor) instruction.in[i].from = source_of(program, work.operands[i].tensor);
  add_result(program, &instruction, work.rank, work.sizes);
}

/* Makes the last two inputs an index and its table. */
static void draw_table(struct drawn *program) {
  const int64_t size = 1 + draw_below(400);
  strew_tensor **index = &program->values[program->inputs - 2];
  program->table = program->inputs - 1;
  strew_release(index[0]), strew_release(index[1]);
  index[0] = random_integers(draw_below(2) ? STREW_INT32 : STREW_INT64, program->rank, program->sizes,
                             (enum layout)draw_below(LAYOUT_COUNT), 0, size);
  index[1] = random_tensor(dtype_here((strew_dtype)draw_below(STREW_DTYPE_COUNT)), 1, &size,
                           (enum layout)draw_below(EXPANDED));
}

static void draw_program(struct drawn *program, int inputs, int count) {
  program->inputs = program->plan.count = program->table = 0;
  draw_sizes(program);
  while (program->inputs < inputs) {
    strew_tensor *input = draw_input(program);
    program->values[program->inputs++] = input;
  }
  if (program->rank && program->inputs > 2 && draw_below(2)) draw_table(program);
  while (program->plan.count < count) add_instruction(program);
}

static void release(struct drawn *program) {
  for (int i = 0; i < value_count(program); i++) strew_release(program->values[i]);
}

/* ------------------------------------------------------------------------------------------------------- comparison */

/* Replaces the last result by that of the instruction run into the dtype. */
static void convert_last(struct drawn *program, strew_dtype dtype) {
  const struct instruction *last = &program->plan.instructions[program->plan.count - 1];
  strew_tensor **value = &program->values[value_count(program) - 1], *out = NULL;
  if (last->kind == ELEMENTWISE_CONVERT || last->kind == ELEMENTWISE_TAKE) {
    ok(strew_to(*value, device, dtype, &out, &failure));
  } else {
    ok(strew_empty(device, dtype, (*value)->rank, (*value)->sizes, &out, &failure));
    run_alone(program, last, out);
  }
  strew_release(*value);
  *value = out;
}

/* Makes the plan of the whole program into `out`. */
static void plan_whole(struct drawn *program, const strew_tensor *out) {
  plan_start(&program->plan.plan, out->rank, out->sizes);
  plan_add(&program->plan.plan, out);
  for (int i = 0; i < program->inputs; i++) {
    struct operand *operand = plan_add(&program->plan.plan, program->values[i]);
    if (i && i == program->table) memset(operand->strides, 0, sizeof operand->strides);
  }
}

static void run_whole(struct drawn *program, strew_tensor *out) {
  plan_whole(program, out);
  plan_simplify_any_order(&program->plan.plan);
  ok(run(&program->plan, &failure));
}

/* Returns an input that can be written, or NULL. */
static strew_tensor *writable(const struct drawn *program) {
  for (int i = 0; i < program->inputs; i++) {
    strew_tensor *input = program->values[i];
    bool fits = input->rank == program->rank && (!i || i != program->table);
    for (int d = 0; d < program->rank && fits; d++)
      fits = input->sizes[d] == program->sizes[d] && (input->strides[d] || input->sizes[d] == 1);
    if (fits) return strew_retain(input);
  }
  return NULL;
}

static void check_program(struct drawn *program, const char *what) {
  const bool in_place = draw_below(4) == 0;
  strew_tensor *out = in_place ? writable(program) : NULL, *expected = NULL;
  const struct instruction *last = &program->plan.instructions[program->plan.count - 1];
  if (out || draw_below(3) == 0)
    convert_last(program, out ? out->dtype : dtype_here((strew_dtype)draw_below(STREW_DTYPE_COUNT)));
  const strew_tensor *result = program->values[value_count(program) - 1];
  ok(strew_expand(program->values[value_count(program) - 1], program->rank, program->sizes, &expected, &failure));
  if (!out) {
    out = random_tensor(result->dtype, program->rank, program->sizes, (enum layout)draw_below(EXPANDED));
    ck_assert_int_eq(out->dtype, result->dtype);
  }
  run_whole(program, out);
  char text[200];
  snprintf(text, sizeof text, "%s: %d instructions on %d inputs, the last of kind %d, op %d, in %s", what,
           program->plan.count, program->inputs, (int)last->kind, last->op, strew_dtype_name(last->compute));
  assert_same(out, expected, text);
  strew_release(out), strew_release(expected);
}

static struct drawn drawn;

START_TEST(programs_match_their_instructions) {
  if (!chosen(_i, 6)) return;
  seed_draws((uint64_t)_i);
  use_turn(_i % 2, _i / 2);
  const bool is_long = _i % 8 == 0;
  draw_program(&drawn, 1 + (int)draw_below(is_long ? MOST_TENSORS : 4),
               2 + (int)draw_below(is_long ? MOST_INSTRUCTIONS - 1 : 6));
  check_program(&drawn, "random");
  release(&drawn);
}
END_TEST

static void start_largest(strew_dtype dtype, enum layout layout) {
  use_threads(2);
  draw_program(&drawn, 0, 0);
  drawn.rank = 1, drawn.sizes[0] = 300;
  for (; drawn.inputs < MOST_TENSORS; drawn.inputs++)
    drawn.values[drawn.inputs] = dtype == STREW_INT64 ? random_integers(dtype, 1, drawn.sizes, layout, 0, 1000)
                                                      : random_tensor(dtype, 1, drawn.sizes, layout);
}

static void finish_largest(const char *what) {
  check_program(&drawn, what);
  release(&drawn);
}

/* Most operands, and instructions of most numbers. */
START_TEST(most_numbers) {
  seed_draws((uint64_t)_i);
  start_largest(STREW_FLOAT32, _i ? STRIDED : CONTIGUOUS);
  for (int k = 0; k < MOST_INSTRUCTIONS; k++) {
    struct instruction clamp = {.kind = ELEMENTWISE_CLAMP,
                                .common = STREW_FLOAT32,
                                .compute = STREW_FLOAT32,
                                .result = STREW_FLOAT32,
                                .inputs = 3};
    const float numbers[] = {0, (float)-draw_below(100), (float)(5000 - k + draw_below(9))};
    for (int i = 0; i < 3; i++) memcpy(clamp.in[i].number.bytes, &numbers[i], sizeof numbers[i]);
    clamp.in[0].from = k ? -k : 1 + (int)draw_below(MOST_TENSORS);
    add_result(&drawn, &clamp, 1, drawn.sizes);
  }
  finish_largest("of numbers");
}
END_TEST

/* All inputs are rounded to a 16-bit float, and so are the results. */
START_TEST(most_conversions) {
  seed_draws((uint64_t)_i);
  start_largest(STREW_INT64, _i ? STRIDED : CONTIGUOUS);
  for (int k = 0; k < MOST_INSTRUCTIONS; k++) {
    struct instruction made = {.kind = ELEMENTWISE_CLAMP,
                               .common = STREW_BFLOAT16,
                               .compute = STREW_FLOAT32,
                               .result = STREW_BFLOAT16,
                               .inputs = 3};
    for (int i = 0; i < 3; i++)
      made.in[i] = (struct instruction_input){.from = 1 + (int)draw_below(MOST_TENSORS), .dtype = STREW_INT64};
    if (k == MOST_INSTRUCTIONS - 1) made.kind = ELEMENTWISE_BINARY, made.op = STREW_SUB, made.inputs = 2;
    add_result(&drawn, &made, 1, drawn.sizes);
  }
  finish_largest("of narrow floats");
}
END_TEST

/* ------------------------------------------------------------------------------------------------------------ sinks */

/* Returns the last result as a tensor whose elements the program computes. */
static strew_status deferred_result(struct drawn *program, strew_tensor **out, strew_error *error) {
  CALL(call, "program", error, {NULL, NULL});
  const strew_tensor *result = program->values[value_count(program) - 1];
  ok(deferred_create(&call, device, result->dtype, program->rank, program->sizes, out));
  plan_whole(program, *out);
  plan_simplify(&program->plan.plan);
  deferred_give(*out, &program->plan, NULL, NULL, NULL);
  return STREW_OK;
}

/* A call that reads src: what does not depend on src. */
enum sink {
  SINK_GROUP,
  SINK_GROUPING,
  SINK_POSITIONS,
  SINK_SEGMENTS,
  SINK_FOLD,
  SINK_AGGREGATES,
  SINK_NONZERO,
  SINK_OTHER,
  SINKS
};
struct sink_call {
  enum sink sink;
  int dim;
  bool with_arg, exclude_self;
  strew_reduction reduction;
  strew_fold fold;
  strew_mode mode;
  int64_t groups;
  strew_tensor *index, *self, *out; /* out: of the group form, or NULL */
  strew_grouping *grouping;
};

static int64_t size_along(const struct drawn *program, int dim) { return program->rank ? program->sizes[dim] : 1; }

static strew_tensor *sorted(strew_tensor *line) {
  strew_tensor *values = NULL;
  ok(strew_sort_with(line, 0, NULL, &values, NULL, &failure));
  strew_release(line);
  return values;
}

/* Values 0 .. groups - 1: random, sorted, or all equal. */
static strew_tensor *draw_ids(int rank, const int64_t *sizes, int64_t groups) {
  strew_tensor *ids = random_integers(draw_below(2) ? STREW_INT64 : STREW_INT32, rank, sizes, CONTIGUOUS, 0,
                                      draw_below(5) ? groups : 1);
  return rank == 1 && draw_below(3) == 0 ? sorted(ids) : ids;
}

/* Ends of segments, which may leave out elements. */
static strew_tensor *draw_ends(int64_t size) {
  const int64_t count = 1 + draw_below(draw_below(2) ? 4 : size + 2);
  return sorted(random_integers(STREW_INT64, 1, &count, CONTIGUOUS, 0, size + 1));
}

static void draw_reader(const struct drawn *program, strew_dtype dtype, struct sink_call *reader) {
  static const strew_reduction reductions[] = {STREW_SUM, STREW_PROD, STREW_MEAN, STREW_AMAX, STREW_AMIN};
  *reader = (struct sink_call){.sink = (enum sink)draw_below(SINKS), .fold = (strew_fold)draw_below(STREW_FOLD_COUNT)};
  reader->dim = program->rank ? (int)draw_below(program->rank) : 0;
  const int64_t size = size_along(program, reader->dim);
  reader->groups = 1 + draw_below(draw_below(2) ? 9 : 2 * size);
  reader->reduction = reductions[draw_below(5)];
  if (dtype == STREW_BOOL && reader->reduction == STREW_MEAN) reader->reduction = STREW_SUM;
  reader->with_arg = reader->reduction >= STREW_AMAX && draw_below(2);
  reader->exclude_self = draw_below(2);
  const bool is_line = reader->sink == SINK_GROUPING || reader->sink == SINK_AGGREGATES;
  if (!is_line && draw_below(4) == 0) reader->mode = (strew_mode)draw_below(STREW_DROP + 1);
  if (reader->sink == SINK_POSITIONS || (reader->sink == SINK_GROUP && draw_below(3) == 0))
    reader->index = draw_ids(program->rank, program->sizes, reader->groups);
  else if (reader->sink == SINK_SEGMENTS)
    reader->index = draw_ends(size);
  else
    reader->index = draw_ids(1, &size, reader->groups);
  int64_t sizes[STREW_MAX_RANK];
  for (int d = 0; d < program->rank; d++) sizes[d] = d == reader->dim ? reader->groups : program->sizes[d];
  if (reader->sink == SINK_POSITIONS || draw_below(3) == 0)
    reader->self = random_tensor(dtype, program->rank, sizes, draw_below(2) ? CONTIGUOUS : STRIDED);
  if (is_line)
    ok(strew_grouping_create_with(reader->index, &(strew_grouping_options){.dim_size = &(int64_t){reader->groups}},
                                  &reader->grouping, &failure));
}

/* Runs the call into *out and *arg. */
static strew_status read_src(const struct sink_call *reader, strew_tensor *src, strew_tensor **out,
                             strew_tensor **arg) {
  const strew_scatter_options scatter = {.reduction = draw_below(2) ? STREW_ASSIGN : reader->reduction,
                                         .mode = reader->mode,
                                         .exclude_self = reader->exclude_self};
  const struct group_form group = {
      .dim = reader->dim, .dim_size = reader->groups, .reduction = reader->reduction, .mode = reader->mode};
  const struct group_form along = {.dim = reader->dim, .dim_size = -1, .reduction = reader->reduction};
  const struct form_of aggregates[] = {{src, {.dim = 0, .dim_size = -1, .reduction = reader->reduction}},
                                       {src, {.dim = 0, .dim_size = -1, .reduction = STREW_SUM}}};
  const int64_t dim = reader->dim;
  strew_tensor **winners = reader->with_arg ? arg : NULL;
  if (reader->self) ok(strew_clone(reader->self, out, &failure));
  switch (reader->sink) {
  case SINK_GROUP: return group_form(strew_by_index(reader->index), src, &group, out, winners, &failure);
  case SINK_GROUPING: return group_form(strew_by_grouping(reader->grouping), src, &along, out, winners, &failure);
  case SINK_POSITIONS: return strew_scatter(*out, reader->dim, reader->index, strew_of(src), &scatter, out, &failure);
  case SINK_SEGMENTS:
    strew_release(*out), *out = NULL;
    return strew_group_reduce(strew_by_ends(reader->index), group_reduction_of(reader->reduction), src, NULL, out,
                              winners, &failure);
  case SINK_FOLD:
    strew_release(*out), *out = NULL;
    return strew_reduce_with(reader->fold, src, &(strew_reduce_options){.dim_count = 1, .dims = &dim}, out, &failure);
  case SINK_AGGREGATES: {
    strew_release(*out), *out = NULL;
    strew_tensor *both[2] = {NULL, NULL};
    const strew_status status = aggregate_forms(reader->grouping, 2, aggregates, both, &failure);
    if (status == STREW_OK) *out = both[0], *arg = both[1];
    return status;
  }
  case SINK_NONZERO: strew_release(*out), *out = NULL; return strew_nonzero(src, out, &failure);
  default: strew_release(*out), *out = NULL; return strew_cumsum_with(src, reader->dim, NULL, out, &failure);
  }
}

static void check_reader(struct drawn *program, const struct sink_call *reader, uint64_t seed) {
  strew_tensor *last = program->values[value_count(program) - 1], *wide = NULL, *stored = NULL;
  strew_tensor *src = NULL;
  ok(deferred_result(program, &src, &failure));
  strew_tensor *expected[2] = {NULL, NULL}, *got[2] = {NULL, NULL};
  ok(strew_expand(last, program->rank, program->sizes, &wide, &failure));
  ok(strew_clone(wide, &stored, &failure));
  seed_draws(seed);
  const strew_status status = read_src(reader, stored, &expected[0], &expected[1]);
  seed_draws(seed);
  char message[sizeof failure.message];
  snprintf(message, sizeof message, "%s", failure.message);
  const strew_status deferred = read_src(reader, src, &got[0], &got[1]);
  ck_assert_msg(deferred == status, "%d, of stored values %d: %s", deferred, status, failure.message);
  if (status != STREW_OK) ck_assert_str_eq(message, failure.message);
  char text[200];
  snprintf(text, sizeof text, "sink %d, reduction %d, fold %d, mode %d, dim %d of %d, %d groups, %d instructions",
           reader->sink, reader->reduction, reader->fold, reader->mode, reader->dim, program->rank, (int)reader->groups,
           program->plan.count);
  for (int i = 0; i < 2; i++) {
    ck_assert_msg(!expected[i] == !got[i], "%s", text);
    if (status == STREW_OK && expected[i]) assert_same(got[i], expected[i], text);
    strew_release(expected[i]), strew_release(got[i]);
  }
  strew_release(src), strew_release(wide), strew_release(stored);
  clear_failure();
}

static void release_reader(struct sink_call *reader) {
  strew_release(reader->index), strew_release(reader->self);
  strew_grouping_release(reader->grouping);
}

START_TEST(sinks_match_stored_results) {
  if (!chosen(_i, 6)) return;
  seed_draws((uint64_t)_i + 1000000);
  use_turn(_i % 4, _i);
  draw_program(&drawn, 1 + (int)draw_below(3), 1 + (int)draw_below(4));
  for (int k = 0; k < 6; k++) {
    struct sink_call reader;
    draw_reader(&drawn, drawn.values[value_count(&drawn) - 1]->dtype, &reader);
    check_reader(&drawn, &reader, (uint64_t)draw());
    release_reader(&reader);
  }
  release(&drawn);
}
END_TEST

Suite *make_suite(void) {
  Suite *suite = suite_create("programs");
  TCase *all = new_case(suite, "against single instructions");
  const struct cases cases = program_cases(600, 1);
  tcase_add_loop_test(all, programs_match_their_instructions, cases.first, cases.end);
  tcase_add_loop_test(all, most_numbers, 0, 2);
  tcase_add_loop_test(all, most_conversions, 0, 2);
  tcase_add_loop_test(all, sinks_match_stored_results, cases.first, cases.end);
  return suite;
}
