/* expression.c: expressions evaluated. Nodes are computed in their order. An elementwise one is checked as its call
   would be and stays pending: an instruction, and a tensor without memory that later checks take for its result. Pending
   values become a program where elements are needed: for the result, for a reduction or an index, and where a program
   would exceed its limits. */
#include "programs.h"

#include "runtime/core/base/index_checks.h"
#include "runtime/core/base/operations.h"
#include "runtime/core/base/steps.h"
#include "runtime/elementwise/elementwise.h"
#include "runtime/groups/groups.h"
#include "runtime/reduce/reduce_ops.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* What a node has given. */
struct value {
  enum { VALUE_NUMBER, VALUE_TENSOR, VALUE_PENDING } kind;
  strew_scalar number;
  strew_tensor *tensor; /* of a pending value: `header` */
  bool is_made;         /* the tensor is this evaluation's */
  int uses;             /* nodes that read it, and the caller */
  int visit;            /* the last walk that passed it */
  int steps, tensors;   /* the most that its draft has */
  atomic_bool bad;      /* of m[i]: an index value is out of range */
  int64_t limit;        /* that the elements are known to be below, and not negative; 0: none */
  struct instruction instruction;
  int sources[MOST_INPUTS]; /* nodes; of numbers: -1 */
  strew_tensor header;
  struct storage storage;
};

struct evaluation {
  struct call *call;
  const strew_expr *expr;
  const strew_expr_values *given;
  strew_device *device;
  bool is_compiled;  /* values stay pending: elements come later */
  bool is_draft;     /* compiled to find dtypes */
  bool is_inferred;  /* no element is computed: values of folds have a dtype and a shape */
  bool is_asked;     /* for an element all the same, which only an evaluation has */
  strew_dtype mixed; /* as of struct elementwise */
  bool takes;        /* a value is of m[i] */
  int visit;
  bool is_marked;       /* the error has the place in the text */
  struct value *values; /* of each node */
  struct value *few;    /* room for those of FEW_NODES; or NULL */
};
/* Values up to this number need no memory of the context: allocating them took a tenth of a small call. */
enum { FEW_NODES = 12 };

static void mark_error(struct evaluation *evaluation, int k) {
  if (evaluation->is_asked) return; /* there is no error yet */
  if (!evaluation->is_marked && !evaluation->given->unmarked)
    strew_expr_mark(evaluation->expr, k, evaluation->call->error);
  evaluation->is_marked = true;
}

/* --------------------------------------------------------------------------------------------------------- programs */

/* What a program of a value consists of: pending values, each after those that it reads, and tensors. */
enum { MOST_TENSORS = PLAN_OPERANDS - 1 };
struct draft {
  int count, order[MOST_INPUTS * MOST_INSTRUCTIONS + 1];
  int tensor_count;
  struct draft_tensor {
    const strew_tensor *tensor;
    bool is_table;
  } tensors[MOST_INPUTS * (MOST_INPUTS * MOST_INSTRUCTIONS + 1)];
};

/* True if input i is the table that an index chooses from. */
static bool is_table(const struct instruction *instruction, int i) {
  return instruction->kind == ELEMENTWISE_TAKE && i == 1;
}

static int tensor_number(struct draft *draft, const strew_tensor *tensor, bool is_table) {
  int i = 0;
  while (i < draft->tensor_count && (draft->tensors[i].tensor != tensor || draft->tensors[i].is_table != is_table)) i++;
  if (i == draft->tensor_count) draft->tensors[draft->tensor_count++] = (struct draft_tensor){tensor, is_table};
  return i;
}

/* Appends what the value needs to the draft, once. A program's length bounds the depth. */
static void add_to_draft(struct evaluation *evaluation, int k, bool as_table, struct draft *draft) {
  struct value *value = &evaluation->values[k];
  if (value->kind == VALUE_TENSOR) tensor_number(draft, value->tensor, as_table);
  if (value->kind != VALUE_PENDING || value->visit == evaluation->visit) return;
  value->visit = evaluation->visit;
  for (int i = 0; i < value->instruction.inputs; i++)
    if (value->sources[i] >= 0) add_to_draft(evaluation, value->sources[i], is_table(&value->instruction, i), draft);
  draft->order[draft->count++] = k;
}

static void make_draft(struct evaluation *evaluation, int k, struct draft *draft) {
  evaluation->visit++;
  draft->count = draft->tensor_count = 0;
  add_to_draft(evaluation, k, false, draft);
}

/* Makes the plan of a pending value, to be written to `out`. */
static void plan_value(struct evaluation *evaluation, int k, const strew_tensor *out, struct elementwise_plan *plan) {
  struct draft draft;
  const struct value *value = &evaluation->values[k];
  make_draft(evaluation, k, &draft);
  plan_start(&plan->plan, value->header.rank, value->header.sizes);
  plan_add(&plan->plan, out);
  for (int i = 0; i < draft.tensor_count; i++) {
    struct operand *operand = plan_add(&plan->plan, draft.tensors[i].tensor);
    if (draft.tensors[i].is_table) memset(operand->strides, 0, sizeof operand->strides);
  }
  plan->count = draft.count;
  for (int n = 0; n < draft.count; n++) {
    const struct value *step = &evaluation->values[draft.order[n]];
    struct instruction *instruction = &plan->instructions[n];
    *instruction = step->instruction;
    evaluation->values[draft.order[n]].visit = -1 - n; /* its number, until the next walk */
    for (int i = 0; i < instruction->inputs; i++) {
      if (step->sources[i] < 0) continue;
      const struct value *source = &evaluation->values[step->sources[i]];
      instruction->in[i].from = source->kind == VALUE_PENDING
                                    ? source->visit
                                    : 1 + tensor_number(&draft, source->tensor, is_table(instruction, i));
    }
  }
}

static const char rows_name[] = "m[i]"; /* in messages */

/* Fails for m[i] whose index has a value out of range, as the call by itself does. */
static strew_status fail_taken(struct evaluation *evaluation, int k) {
  const struct node *node = &evaluation->expr->nodes[k];
  const struct value *self = &evaluation->values[node->children[0]], *index = &evaluation->values[node->children[1]];
  strew_error *error = evaluation->call->error;
  const char *alias = error ? error->alias : NULL;
  strew_tensor *out = NULL;
  if (error) error->alias = rows_name;
  strew_status status = row_ops.get(self->tensor, index->tensor, &out, error);
  strew_release(out);
  if (status == STREW_OK)
    status = fail(evaluation->call, FAULT(STREW_EINDEX, "index"), "has changed while it was read");
  if (error) error->alias = alias;
  mark_error(evaluation, k);
  return status;
}

static strew_status find_bad_index(struct evaluation *evaluation, int k, bool *bad) {
  struct value *value = &evaluation->values[evaluation->expr->nodes[k].children[1]];
  const int64_t size = evaluation->values[k].instruction.size;
  struct addressing addressing = ADDRESSING(value->tensor, value->tensor, {size, 0, "self", STREW_ERROR, false});
  int64_t number = -1, lowest;
  const bool is_known = value->limit && value->limit <= size;
  if (!is_known && addressing_needs_check(&addressing, &lowest))
    RETURN_IF_FAILED(find_outside(evaluation->call, value->tensor, lowest, size - 1, &number));
  value->limit = size;
  *bad = number >= 0;
  return STREW_OK;
}

/* Fails if an index from which the pending value takes elements is out of range: known since its program has run, or
   `now` found. */
static strew_status check_taken(struct evaluation *evaluation, int k, bool now) {
  struct draft draft;
  if (!evaluation->takes) return STREW_OK;
  make_draft(evaluation, k, &draft);
  for (int n = 0; n < draft.count; n++) {
    struct value *value = &evaluation->values[draft.order[n]];
    if (value->instruction.kind != ELEMENTWISE_TAKE) continue;
    bool bad = atomic_exchange(&value->bad, false); /* a deferred tensor may be read again, of another index */
    if (now) RETURN_IF_FAILED(find_bad_index(evaluation, draft.order[n], &bad));
    if (bad) return fail_taken(evaluation, draft.order[n]);
  }
  return STREW_OK;
}

static strew_status fit_value(struct evaluation *evaluation, int k);

/* Runs the program of a pending value, whose elements go to `out`. */
static strew_status run_value(struct evaluation *evaluation, int k, strew_tensor *out) {
  struct elementwise_plan plan;
  if (!strew_tensor_numel(out)) return check_taken(evaluation, k, true);
  RETURN_IF_FAILED(fit_value(evaluation, k));
  plan_value(evaluation, k, out, &plan);
  plan_simplify_any_order(&plan.plan);
  RETURN_IF_FAILED(RUN_ON(out, elementwise->elementwise, evaluation->call, &plan));
  return check_taken(evaluation, k, false);
}

static void keep_tensor(struct value *value, strew_tensor *tensor) {
  value->kind = VALUE_TENSOR;
  value->tensor = tensor;
  value->is_made = true;
}

/* Stores a value's elements, if it is pending. */
static strew_status store_value(struct evaluation *evaluation, int k) {
  struct value *value = &evaluation->values[k];
  strew_tensor *out = NULL;
  if (value->kind != VALUE_PENDING) return STREW_OK;
  if (evaluation->is_inferred) return evaluation->is_asked = true, STREW_DECLINED;
  RETURN_IF_FAILED(tensor_create(evaluation->call, evaluation->device, value->header.dtype, value->header.rank,
                                 value->header.sizes, &out));
  const strew_status status = run_value(evaluation, k, out);
  if (status != STREW_OK) return strew_release(out), status;
  keep_tensor(value, out);
  return STREW_OK;
}

/* True if the value's draft fits without a look: the bounds count what several inputs read several times, and a value
   that others store later is no more tensors than before. */
static bool fits_surely(const struct evaluation *evaluation, struct value *value) {
  value->steps = 1;
  value->tensors = 0;
  for (int i = 0; i < value->instruction.inputs; i++) {
    if (value->sources[i] < 0) continue;
    const struct value *source = &evaluation->values[value->sources[i]];
    value->steps += source->kind == VALUE_PENDING ? source->steps : 0;
    value->tensors += source->kind == VALUE_PENDING ? source->tensors : 1;
  }
  const bool fits = value->steps <= MOST_INSTRUCTIONS && value->tensors <= MOST_TENSORS;
  if (!fits) value->steps = MOST_INSTRUCTIONS + 1; /* sums of sums would overflow */
  if (!fits) value->tensors = MOST_TENSORS + 1;
  return fits;
}

/* Stores inputs of a pending value that take less work by themselves: those that it broadcasts, and the longest ones
   where its program would be too long. It may become so later: values that others store are tensors more. */
static strew_status fit_value(struct evaluation *evaluation, int k) {
  struct value *value = &evaluation->values[k];
  const int64_t count = strew_tensor_numel(&value->header);
  struct draft draft;
  if (evaluation->is_inferred) return STREW_OK;
  for (int i = 0; i < value->instruction.inputs; i++)
    if (value->sources[i] >= 0 && strew_tensor_numel(evaluation->values[value->sources[i]].tensor) != count)
      RETURN_IF_FAILED(store_value(evaluation, value->sources[i]));
  while (!fits_surely(evaluation, value)) {
    int longest = 0, at = -1;
    make_draft(evaluation, k, &draft);
    if (draft.count <= MOST_INSTRUCTIONS && draft.tensor_count <= MOST_TENSORS) return STREW_OK;
    if (evaluation->is_compiled)
      return fail(evaluation->call, FAULT(STREW_EARGUMENT, "combine"), "has more than %d operations in one text",
                  MOST_INSTRUCTIONS);
    for (int i = 0; i < value->instruction.inputs; i++) {
      if (value->sources[i] < 0) continue;
      make_draft(evaluation, value->sources[i], &draft);
      if (draft.count <= longest) continue;
      longest = draft.count;
      at = value->sources[i];
    }
    RETURN_IF_FAILED(store_value(evaluation, at));
  }
  return STREW_OK;
}

/* ------------------------------------------------------------------------------------------------ elementwise nodes */

static strew_operand operand_of(const struct evaluation *evaluation, int k) {
  const struct value *value = &evaluation->values[k];
  return (strew_operand){value->kind == VALUE_NUMBER ? NULL : value->tensor, value->number};
}

static strew_status expect_tensor(const struct call *call, const char *name, strew_operand operand) {
  if (operand.tensor) return STREW_OK;
  const char *hint = call->op == rows_name ? "f{x = m[0]} takes a row as an input" : NULL;
  return fail(call, HINTED(STREW_EARGUMENT, name, hint), "is a number, expected a tensor");
}

/* "and", "or" and "not" take bools alone. */
static strew_status expect_bool(const struct call *call, const char *name, strew_operand operand) {
  const strew_dtype dtype = operand.tensor ? operand.tensor->dtype : operand.number.dtype;
  if (dtype == STREW_BOOL) return STREW_OK;
  return fail(call, FAULT(STREW_EDTYPE, name), "is %s, expected bool", strew_dtype_name(dtype));
}

/* What is written beside a comparison is bool; & | ~ that a comparison takes without parentheses have bools or none. */
static strew_status check_written(const struct call *call, const struct node *node, const strew_operand *in) {
  bool is_bool[2];
  if (node->kind != NODE_BINARY || !node->written) return STREW_OK;
  for (int i = 0; i < 2; i++) is_bool[i] = (in[i].tensor ? in[i].tensor->dtype : in[i].number.dtype) == STREW_BOOL;
  for (int i = 0; i < 2; i++) {
    const bool is_beside = node->written & (i ? LEFT_COMPARED : RIGHT_COMPARED);
    if (is_bool[i] || !(is_beside || (node->written & IN_COMPARISON && is_bool[1 - i]))) continue;
    const strew_dtype dtype = in[i].tensor ? in[i].tensor->dtype : in[i].number.dtype;
    return fail(call, FAULT(STREW_EDTYPE, operand_names[NODE_BINARY][i]), "is %s beside a bool, expected bool",
                strew_dtype_name(dtype));
  }
  return STREW_OK;
}

/* The name of its call in messages. */
static const char *name_of(const struct node *node) {
  switch (node->kind) {
  case NODE_REPLACEMENT: return "nan_to_num";
  case NODE_CONVERT: return strew_dtype_name((strew_dtype)node->op);
  case NODE_INDEX: return rows_name;
  case NODE_WIDE: return "mean";
  default: return node_name(node);
  }
}

/* Checks the node's operation as its call does. */
static strew_status check_operation(struct elementwise *work, const struct node *node, strew_operand *in) {
  const char *const *names = operand_names[node->kind];
  switch (node->kind) {
  case NODE_UNARY: return elementwise_unary(work, (strew_unary_op)node->op, in[0].tensor);
  case NODE_BINARY: return elementwise_binary(work, (strew_binary_op)node->op, in[0], in[1]);
  case NODE_TRUE_AND:
  case NODE_TRUE_OR:
    RETURN_IF_FAILED(expect_bool(work->call, names[0], in[0]));
    RETURN_IF_FAILED(expect_bool(work->call, names[1], in[1]));
    return elementwise_binary(work, node->kind == NODE_TRUE_AND ? STREW_LOGICAL_AND : STREW_LOGICAL_OR, in[0], in[1]);
  case NODE_TRUE_NOT:
    RETURN_IF_FAILED(expect_bool(work->call, names[0], in[0]));
    return elementwise_unary(work, STREW_LOGICAL_NOT, in[0].tensor);
  case NODE_WHERE:
    RETURN_IF_FAILED(expect_tensor(work->call, names[0], in[0]));
    return elementwise_where(work, in[0].tensor, in[1], in[2]);
  case NODE_CLAMP:
    RETURN_IF_FAILED(expect_tensor(work->call, names[0], in[0]));
    return elementwise_clamp(work, in[0].tensor, &in[1], node->count > 2 ? &in[2] : NULL);
  default:
    RETURN_IF_FAILED(expect_tensor(work->call, names[0], in[0]));
    RETURN_IF_FAILED(expect_tensor(work->call, names[1], in[1]));
    return elementwise_masked_fill(work, in[0].tensor, in[1].tensor, in[2]);
  }
}

void make_header(strew_tensor *header, struct storage *storage, strew_device *device, strew_dtype dtype, int rank,
                 const int64_t *sizes) {
  *storage = (struct storage){.references = 1, .device = device};
  *header = (strew_tensor){.references = 1, .dtype = dtype, .rank = rank, .storage = storage};
  for (int d = 0; d < rank; d++) header->sizes[d] = sizes[d];
  dense_strides(rank, sizes, header->strides);
}

/* Makes the value pending: a tensor of that dtype and shape that has no memory yet. */
static void make_pending(struct evaluation *evaluation, struct value *value, strew_dtype dtype, int rank,
                         const int64_t *sizes) {
  value->kind = VALUE_PENDING;
  value->visit = 0;
  value->tensor = &value->header;
  make_header(&value->header, &value->storage, evaluation->device, dtype, rank, sizes);
}

/* Elements that a check reads: divisors of integers, and a value that is one number. */
static strew_status store_what_is_read(struct evaluation *evaluation, const struct node *node,
                                       const strew_operand *in) {
  if (evaluation->is_compiled) return STREW_OK;
  if (node->kind == NODE_BINARY && elementwise_reads((strew_binary_op)node->op, in[0], in[1]))
    return store_value(evaluation, node->children[1]);
  return node->kind == NODE_MASKED_FILL ? store_value(evaluation, node->children[2]) : STREW_OK;
}

/* Fails for a comparison of uint64 with signed integers in a reduction of one's own, which sees integers as int64. */
static strew_status check_unmixed(const struct evaluation *evaluation, const struct call *call,
                                  const struct elementwise *work, const strew_operand *in) {
  if (work->kind != ELEMENTWISE_MIXED || !evaluation->is_compiled || evaluation->is_draft) return STREW_OK;
  const char *hint = in[0].tensor->dtype == STREW_UINT64 ? "strew_to(self, int64), if its values fit"
                                                         : "strew_to(other, int64), if its values fit";
  return fail(call, HINTED(STREW_EDTYPE, "other", hint),
              "and 'self' are uint64 and a signed dtype, which an expression that is read in parts does not compare");
}

/* Fails where columns of integers are to be float64, and the device has none. */
static strew_status check_fractions(const struct evaluation *evaluation, const struct call *call,
                                    const struct elementwise *work) {
  if (work->common != STREW_FLOAT64 || !evaluation->device->lacks_float64) return STREW_OK;
  int i = 0;
  while (!work->operands[i].tensor || !dtype_is_long(work->operands[i].tensor->dtype)) i++;
  const char *hint = hint_of(call, "strew_to(%s, float32) computes in float32", work->names[i]);
  return fail(call, HINTED(STREW_EDTYPE, work->names[i], hint),
              "is %s, whose fractions are float64, which device %s does not have",
              strew_dtype_name(work->operands[i].tensor->dtype), evaluation->device->name);
}

static strew_status compute_elementwise(struct evaluation *evaluation, int k, struct call *call, strew_operand *in) {
  const struct node *node = &evaluation->expr->nodes[k];
  struct value *value = &evaluation->values[k];
  struct elementwise work = {.call = call, .mixed = evaluation->mixed, .of_columns = evaluation->given->columns};
  RETURN_IF_FAILED(store_what_is_read(evaluation, node, in));
  for (int i = 0; i < node->count; i++) in[i] = operand_of(evaluation, node->children[i]);
  RETURN_IF_FAILED(check_operation(&work, node, in));
  RETURN_IF_FAILED(check_unmixed(evaluation, call, &work, in));
  if (work.of_columns) RETURN_IF_FAILED(check_fractions(evaluation, call, &work));
  make_pending(evaluation, value, work.result, work.rank, work.sizes);
  elementwise_instruction(&work, &value->instruction);
  for (int i = 0; i < work.inputs; i++) {
    value->sources[i] = -1;
    for (int c = 0; c < node->count && work.operands[i].tensor; c++)
      if (work.operands[i].tensor == evaluation->values[node->children[c]].tensor)
        value->sources[i] = node->children[c];
  }
  return fit_value(evaluation, k);
}

/* Finds the dtype that the node converts to. */
static strew_status find_conversion(const struct evaluation *evaluation, const struct node *node,
                                    const struct call *call, const strew_operand *in, strew_dtype *out) {
  *out = (strew_dtype)node->op;
  if (node->kind == NODE_CONVERT) return STREW_OK;
  const strew_dtype own = in[0].tensor->dtype;
  if (node->kind == NODE_LIKE) {
    *out = in[1].tensor && dtype_is_float(in[1].tensor->dtype) ? in[1].tensor->dtype : own;
    return STREW_OK;
  }
  *out = own == STREW_FLOAT16 || own == STREW_BFLOAT16 ? STREW_FLOAT32 : own;
  if (!dtype_is_float(own) && evaluation->given->columns && !evaluation->device->lacks_float64) *out = STREW_FLOAT64;
  return dtype_is_float(*out) ? STREW_OK : check_float(call, "self", in[0].tensor);
}

static strew_status compute_conversion(struct evaluation *evaluation, int k, const struct call *call,
                                       const strew_operand *in) {
  const struct node *node = &evaluation->expr->nodes[k];
  const strew_operand operand = in[0];
  strew_dtype dtype;
  RETURN_IF_FAILED(find_conversion(evaluation, node, call, in, &dtype));
  struct value *value = &evaluation->values[k];
  RETURN_IF_FAILED(check_dtype_of_device(call, evaluation->device, dtype, NULL));
  make_pending(evaluation, value, dtype, operand.tensor->rank, operand.tensor->sizes);
  value->instruction = (struct instruction){
      ELEMENTWISE_CONVERT, 0, dtype, dtype, dtype, 1, .in = {{.from = FROM_NUMBER, .dtype = operand.tensor->dtype}}};
  value->sources[0] = node->children[0];
  return fit_value(evaluation, k);
}

/* ---------------------------------------------------------------------------------------------------------- numbers */

/* A 0-d tensor; integers as float64 where the operation has floats alone, as Lua does. */
static strew_status tensor_of_number(const struct call *call, strew_context *context, strew_scalar number,
                                     bool as_float, strew_tensor **out) {
  union element element;
  const strew_dtype dtype = as_float ? STREW_FLOAT64 : number.dtype;
  RETURN_IF_FAILED(element_from(call, "number", number, STREW_SATURATE, dtype, &element));
  return tensor_full(call, &context->cpu, dtype, 0, NULL, element, out);
}

/* True if the operation of numbers is one of floats. */
static bool makes_floats(const struct node *node) {
  if (node->kind == NODE_BINARY && node->op == STREW_POW) return true;
  if (node->kind != NODE_UNARY && node->kind != NODE_BINARY) return false;
  const enum elementwise_kind kind = node->kind == NODE_UNARY ? ELEMENTWISE_UNARY : ELEMENTWISE_BINARY;
  return operation_of(kind, node->op)->takes == TAKES_FLOATS;
}

/* An operation on numbers alone gives a number: computed on the CPU, with the same bits everywhere. */
static strew_status compute_number(struct evaluation *evaluation, int k, struct call *call, const strew_operand *in) {
  const struct node *node = &evaluation->expr->nodes[k];
  strew_tensor *tensors[MOST_INPUTS] = {NULL}, *out = NULL;
  strew_operand operands[MOST_INPUTS];
  struct elementwise work = {.call = call};
  strew_status status = STREW_OK;
  if (node->kind == NODE_WIDE || node->kind == NODE_LIKE) return evaluation->values[k].number = in[0].number, STREW_OK;
  for (int i = 0; i < node->count; i++) {
    TRY(status, tensor_of_number(call, evaluation->expr->context, in[i].number, makes_floats(node), &tensors[i]));
    operands[i] = strew_of(tensors[i]);
    call->operands[i].tensor = tensors[i];
  }
  if (node->kind == NODE_CONVERT) {
    TRY(status, copy_as(call, tensors[0], (strew_dtype)node->op, &out));
  } else {
    TRY(status, check_operation(&work, node, operands));
    TRY(status, elementwise_run(&work, &out));
  }
  evaluation->values[k].kind = VALUE_NUMBER;
  TRY(status, strew_item(out, &evaluation->values[k].number, call->error));
  for (int i = 0; i < node->count; i++) strew_release(tensors[i]);
  strew_release(out);
  return status;
}

static strew_status expect_number(const struct call *call, const char *name, strew_operand operand) {
  if (!operand.tensor) return STREW_OK;
  return fail(call, FAULT(STREW_EARGUMENT, name), "is a tensor, expected a number");
}

/* Integers have none of these, and take a 0 for them. */
static strew_status compute_replacement(struct evaluation *evaluation, int k, const struct call *call,
                                        const strew_operand *in) {
  static const char *const names[] = {"nan", "posinf", "neginf"};
  const struct node *node = &evaluation->expr->nodes[k];
  const strew_dtype dtype = in[0].tensor ? in[0].tensor->dtype : in[0].number.dtype;
  strew_scalar *number = &evaluation->values[k].number;
  if (node->count > 1) RETURN_IF_FAILED(expect_number(call, names[node->op], in[1]));
  *number = strew_float(node->op == 1 ? largest_floats[dtype] : node->op == 2 ? -largest_floats[dtype] : 0);
  if (node->count > 1) *number = in[1].number;
  if (!dtype_is_float(dtype)) *number = strew_bool(false);
  union element checked;
  return element_from(call, names[node->op], *number, STREW_EXACT, dtype, &checked);
}

/* ---------------------------------------------------------------------------------------------- reductions and rows */

/* Makes `out`, a pending value's tensor or one like it, deferred: elements are computed as they are read, in row-major
   order. */
static void give_program(struct evaluation *evaluation, int k, strew_tensor *out, struct elementwise_plan *plan) {
  plan_value(evaluation, k, out, plan);
  plan_simplify(&plan->plan);
  out->storage->program = plan;
  out->storage->data = plan; /* an address to count elements from */
}

/* Leaves a pending value deferred if a reduction reads it once, on this device, and unless others compute its elements
   again at some cost. */
static strew_status leave_deferred(struct evaluation *evaluation, int k, strew_fold fold,
                                   const strew_reduce_options *options, struct elementwise_plan *plan) {
  enum { CHEAP = 8 };
  struct value *value = &evaluation->values[k];
  if (value->kind != VALUE_PENDING) return STREW_OK;
  const bool wants_stored = fold_wants_stored(fold, value->tensor, options);
  if (!(evaluation->device->ops->reads & READ_BY_REDUCE) || wants_stored) return store_value(evaluation, k);
  RETURN_IF_FAILED(fit_value(evaluation, k));
  give_program(evaluation, k, &value->header, plan);
  return value->uses < 2 || program_cost(plan) < CHEAP ? STREW_OK : store_value(evaluation, k);
}

/* Reduces a value, which is a tensor or pending. */
static strew_status fold_value(struct evaluation *evaluation, int k, strew_fold fold,
                               const strew_reduce_options *options, strew_tensor **out) {
  struct value *value = &evaluation->values[k];
  strew_error *error = evaluation->call->error;
  struct elementwise_plan plan;
  RETURN_IF_FAILED(leave_deferred(evaluation, k, fold, options, &plan));
  if (value->kind == VALUE_TENSOR) return strew_reduce_with(fold, value->tensor, options, out, error);
  const bool is_new = !*out, is_read = strew_tensor_numel(&value->header) != 0;
  strew_status status = is_new && is_read ? STREW_OK : check_taken(evaluation, k, true);
  TRY(status, strew_reduce_with(fold, &value->header, options, out, error));
  value->storage.program = NULL;
  value->storage.data = NULL;
  TRY(status, check_taken(evaluation, k, false));
  return is_new ? release_if_failed(status, out) : status;
}

static bool takes_floats_alone(strew_fold fold) {
  return fold == STREW_FOLD_MEAN || fold == STREW_FOLD_VAR || fold == STREW_FOLD_STD;
}

/* True of integers and bools, where the device has float64. */
static bool makes_float64(const struct evaluation *evaluation, const strew_tensor *tensor) {
  return !dtype_is_float(tensor->dtype) && !evaluation->device->lacks_float64;
}

/* Makes *out the value as float64 if it is of integers or bools, else NULL. */
static strew_status store_as_floats(struct evaluation *evaluation, int k, strew_tensor **out) {
  struct value *value = &evaluation->values[k];
  if (!makes_float64(evaluation, value->tensor)) return STREW_OK;
  RETURN_IF_FAILED(store_value(evaluation, k));
  return copy_as(evaluation->call, value->tensor, STREW_FLOAT64, out);
}

/* Sums and products of a table's integers are not those of tensors; its sums and means of floats are exact. */
static strew_status fold_of_table(struct evaluation *evaluation, int k, strew_fold fold,
                                  const strew_reduce_options *options, strew_tensor **out) {
  struct value *value = &evaluation->values[k];
  const bool joins = fold == STREW_FOLD_SUM || fold == STREW_FOLD_PROD;
  strew_reduce_options exact = *options;
  strew_tensor *wide = NULL;
  strew_status status = STREW_OK;
  exact.exact = fold == STREW_FOLD_SUM || fold == STREW_FOLD_MEAN;
  if (joins && !dtype_is_float(value->tensor->dtype)) {
    RETURN_IF_FAILED(store_value(evaluation, k));
    return table_fold_integers(fold, value->tensor, options, out, evaluation->call->error);
  }
  if (takes_floats_alone(fold)) RETURN_IF_FAILED(store_as_floats(evaluation, k, &wide));
  status = wide ? strew_reduce_with(fold, wide, &exact, out, evaluation->call->error)
                : fold_value(evaluation, k, fold, &exact, out);
  return strew_release(wide), status;
}

/* Makes the value pending as a fold of `self` gives it: without an instruction, so that it must not be computed. */
static strew_status infer_fold(struct evaluation *evaluation, int k, struct call *call,
                               const strew_reduce_options *options, const strew_tensor *self) {
  const strew_fold fold = (strew_fold)evaluation->expr->nodes[k].op;
  const bool joins = fold == STREW_FOLD_SUM || fold == STREW_FOLD_PROD, columns = evaluation->given->columns;
  strew_tensor taken = *self;
  struct fold_result result;
  if (columns && takes_floats_alone(fold) && makes_float64(evaluation, self)) taken.dtype = STREW_FLOAT64;
  call->operands[0].tensor = &taken; /* as messages show it */
  RETURN_IF_FAILED(fold_infer(call, fold, &taken, options, &result));
  if (columns && joins && !dtype_is_float(taken.dtype)) result.dtype = dtype_table_sums(taken.dtype);
  make_pending(evaluation, &evaluation->values[k], result.dtype, result.rank, result.sizes);
  return STREW_OK;
}

static strew_status compute_fold(struct evaluation *evaluation, int k, struct call *call) {
  const struct node *node = &evaluation->expr->nodes[k];
  strew_tensor *out = NULL;
  const int64_t dim = node->dim;
  const strew_reduce_options options = {
      .dim_count = node->dim != ALL_DIMS, .dims = node->dim == ALL_DIMS ? NULL : &dim, .keepdim = node->keepdim};
  if (evaluation->is_inferred)
    return infer_fold(evaluation, k, call, &options, evaluation->values[node->children[0]].tensor);
  const strew_status status = (evaluation->given->columns ? fold_of_table : fold_value)(
      evaluation, node->children[0], (strew_fold)node->op, &options, &out);
  if (status == STREW_OK) keep_tensor(&evaluation->values[k], out);
  return status;
}

static strew_status compute_close(struct evaluation *evaluation, int k, const struct call *call,
                                  const strew_operand *in) {
  const struct node *node = &evaluation->expr->nodes[k];
  double tolerances[] = {1e-5, 1e-8};
  strew_tensor *out = NULL;
  for (int i = 0; i < 2; i++) RETURN_IF_FAILED(store_value(evaluation, node->children[i]));
  for (int i = 2; i < node->count; i++) RETURN_IF_FAILED(expect_number(call, operand_names[NODE_CLOSE][i], in[i]));
  for (int i = 2; i < node->count && i < 4; i++)
    tolerances[i - 2] = in[i].number.dtype == STREW_FLOAT64 ? in[i].number.as.f : (double)in[i].number.as.i;
  const strew_isclose_options options = {.equal_nan = node->count > 4 && in[4].number.as.i};
  RETURN_IF_FAILED(strew_isclose_with(evaluation->values[node->children[0]].tensor,
                                      evaluation->values[node->children[1]].tensor, tolerances[0], tolerances[1],
                                      &options, &out, call->error));
  keep_tensor(&evaluation->values[k], out);
  return STREW_OK;
}

/* True if single elements may be taken where a program reads them: where there is more to compute. */
static bool may_take(const struct evaluation *evaluation, int k, const strew_tensor *self, const strew_tensor *index) {
  const bool is_index = index->dtype == STREW_INT32 || index->dtype == STREW_INT64;
  const bool is_read = self->rank == 1 && self->sizes[0] && index->rank && strew_tensor_numel(index);
  return is_index && is_read && k < evaluation->expr->node_count - 1;
}

static void make_taken(struct evaluation *evaluation, int k, const strew_tensor *self, const strew_tensor *index) {
  struct value *value = &evaluation->values[k];
  make_pending(evaluation, value, self->dtype, index->rank, index->sizes);
  value->instruction = (struct instruction){.kind = ELEMENTWISE_TAKE,
                                            .common = STREW_INT64,
                                            .compute = self->dtype,
                                            .result = self->dtype,
                                            .inputs = 2,
                                            .in = {{.dtype = index->dtype}, {.dtype = self->dtype}},
                                            .size = self->sizes[0],
                                            .step = self->strides[0],
                                            .bad = &value->bad};
  atomic_init(&value->bad, false);
  evaluation->takes = true;
  value->steps = 1;
  value->tensors = 2;
  value->sources[0] = evaluation->expr->nodes[k].children[1];
  value->sources[1] = evaluation->expr->nodes[k].children[0];
}

static strew_status compute_rows(struct evaluation *evaluation, int k) {
  const struct node *node = &evaluation->expr->nodes[k];
  strew_tensor *out = NULL;
  if (evaluation->is_inferred)
    return evaluation->is_asked = true, STREW_DECLINED; /* for whether the index is in range */
  for (int i = 0; i < node->count; i++) RETURN_IF_FAILED(store_value(evaluation, node->children[i]));
  strew_tensor *self = evaluation->values[node->children[0]].tensor;
  strew_tensor *index = evaluation->values[node->children[1]].tensor;
  if (may_take(evaluation, k, self, index)) return make_taken(evaluation, k, self, index), STREW_OK;
  strew_error *error = evaluation->call->error;
  if (error) error->alias = rows_name;
  const strew_status status = row_ops.get(self, index, &out, error);
  if (error) error->alias = NULL;
  if (status == STREW_OK) keep_tensor(&evaluation->values[k], out);
  return status;
}

/* ------------------------------------------------------------------------------------------------------------ nodes */

static void take_input(struct evaluation *evaluation, int k) {
  const strew_operand operand = evaluation->given->inputs[evaluation->expr->nodes[k].op];
  struct value *value = &evaluation->values[k];
  value->kind = operand.tensor ? VALUE_TENSOR : VALUE_NUMBER;
  value->tensor = operand.tensor;
  value->number = operand.number;
}

/* Computes a node whose children are computed; `call` describes its operation. */
static strew_status compute_operation(struct evaluation *evaluation, int k, struct call *call) {
  const struct node *node = &evaluation->expr->nodes[k];
  strew_operand in[MOST_CHILDREN];
  int tensors = 0;
  for (int i = 0; i < node->count; i++) {
    in[i] = operand_of(evaluation, node->children[i]);
    call->operands[i].name = operand_names[node->kind][i];
    call->operands[i].tensor = in[i].tensor;
    tensors += in[i].tensor != NULL;
  }
  if (node->kind == NODE_CALL || node->kind == NODE_WORD)
    return fail(call, FAULT(STREW_EARGUMENT, "self"), "is computed by a call of the host, node by node");
  if (node->kind >= NODE_CLOSE) {
    for (int i = 0; i < node->count && i < 2; i++)
      RETURN_IF_FAILED(expect_tensor(call, operand_names[node->kind][i], in[i]));
    if (node->kind == NODE_CLOSE) return compute_close(evaluation, k, call, in);
    return node->kind == NODE_FOLD ? compute_fold(evaluation, k, call) : compute_rows(evaluation, k);
  }
  if (node->kind == NODE_REPLACEMENT) return compute_replacement(evaluation, k, call, in);
  RETURN_IF_FAILED(check_written(call, node, in));
  if (!tensors) return compute_number(evaluation, k, call, in);
  if (node->kind >= NODE_CONVERT && node->kind <= NODE_LIKE) return compute_conversion(evaluation, k, call, in);
  return compute_elementwise(evaluation, k, call, in);
}

/* Operations report under their own names, with the place in the text; unmarked, under that of the call. */
static strew_status compute_node(struct evaluation *evaluation, int k) {
  const struct node *node = &evaluation->expr->nodes[k];
  struct value *value = &evaluation->values[k];
  strew_error *error = evaluation->call->error;
  if (node->kind == NODE_INPUT) return take_input(evaluation, k), STREW_OK;
  value->kind = VALUE_NUMBER;
  value->number = node->number;
  const bool is_code = node->kind == NODE_WORD && node->count;
  if (is_code) value->number = strew_int(evaluation->given->codes[node->op]);
  if (node->kind == NODE_NUMBER || is_code) return STREW_OK;
  struct call call = {.op = name_of(node), .error = error};
  const char *alias = error ? error->alias : NULL;
  if (error && !evaluation->given->unmarked) error->alias = NULL;
  const strew_status status = compute_operation(evaluation, k, &call);
  if (error) error->alias = alias;
  if (status != STREW_OK) mark_error(evaluation, k);
  return status;
}

static strew_status compute_nodes(struct evaluation *evaluation) {
  const strew_expr *expr = evaluation->expr;
  const size_t bytes = (size_t)expr->node_count * sizeof *evaluation->values;
  evaluation->values =
      evaluation->few && expr->node_count <= FEW_NODES ? evaluation->few : memory_allocate(expr->context, bytes);
  if (!evaluation->values) return fail_memory(evaluation->call, expr->context, bytes);
  for (int k = 0; k < expr->node_count; k++) memset(&evaluation->values[k], 0, offsetof(struct value, instruction));
  evaluation->values[expr->node_count - 1].uses = 1;
  for (int k = 0; k < expr->node_count; k++)
    for (int i = 0; i < expr->nodes[k].count; i++) evaluation->values[expr->nodes[k].children[i]].uses++;
  for (int k = 0; k < expr->node_count; k++) RETURN_IF_FAILED(compute_node(evaluation, k));
  if (evaluation->is_compiled || evaluation->values[expr->node_count - 1].kind != VALUE_NUMBER) return STREW_OK;
  return fail(evaluation->call, FAULT(STREW_EARGUMENT, "inputs"),
              "are numbers alone, expected at least one tensor in the text");
}

/* ------------------------------------------------------------------------------------------------------ evaluations */

/* All tensors are on one device. */
static strew_status check_inputs(struct evaluation *evaluation) {
  const strew_operand *inputs = evaluation->given->inputs;
  const char *const *names = evaluation->expr->inputs;
  int first = -1;
  for (int i = 0; i < evaluation->expr->input_count; i++) {
    RETURN_IF_FAILED(check_operand(evaluation->call, names[i], inputs[i]));
    if (!inputs[i].tensor) continue;
    RETURN_IF_FAILED(check_listed(evaluation->call, "inputs", i, inputs[i].tensor, MOVED));
    RETURN_IF_FAILED(check_is_number(evaluation->call, names[i], inputs[i].tensor));
    if (first < 0) first = i;
    const struct call pair = {.op = evaluation->call->op,
                              .error = evaluation->call->error,
                              .operands = {{names[first], inputs[first].tensor}, {names[i], inputs[i].tensor}}};
    RETURN_IF_FAILED(check_devices(&pair));
  }
  if (first < 0) {
    fail(evaluation->call, FAULT(STREW_EARGUMENT, "inputs"), "have no tensor, expected at least one");
    return mark_error(evaluation, evaluation->expr->node_count - 1), STREW_EARGUMENT;
  }
  evaluation->device = inputs[first].tensor->storage->device;
  if (evaluation->device->context != evaluation->expr->context)
    return fail_context(evaluation->call, names[first], "belongs to");
  if (evaluation->expr->word_count && !evaluation->given->codes)
    return fail(evaluation->call, FAULT(STREW_EARGUMENT, "codes"), "are missing, expected one for each word");
  return STREW_OK;
}

static const strew_tensor *first_tensor(const strew_expr *expr, const strew_expr_values *given) {
  for (int i = 0; i < expr->input_count; i++)
    if (given->inputs[i].tensor) return given->inputs[i].tensor;
  return NULL;
}

/* The first tensors among the inputs are those that messages list. */
static void list_inputs(struct call *call, const strew_expr *expr, const strew_expr_values *given) {
  for (int i = 0, n = 0; i < expr->input_count && n < MAX_OPERANDS - 1; i++)
    if (given->inputs[i].tensor) {
      call->operands[n].name = expr->inputs[i];
      call->operands[n++].tensor = given->inputs[i].tensor;
    }
}

static void drop_values(struct evaluation *evaluation) {
  const strew_expr *expr = evaluation->expr;
  for (int k = 0; k < expr->node_count && evaluation->values; k++)
    if (evaluation->values[k].is_made) strew_release(evaluation->values[k].tensor);
  if (evaluation->values && evaluation->values != evaluation->few)
    memory_free(expr->context, evaluation->values, (size_t)expr->node_count * sizeof *evaluation->values);
  evaluation->values = NULL;
}

/* Infers, then computes what an element decides about. */
static strew_status begin(struct evaluation *evaluation) {
  RETURN_IF_FAILED(check_options(evaluation->call, evaluation->given));
  RETURN_IF_FAILED(check_inputs(evaluation));
  const strew_status status = compute_nodes(evaluation);
  if (!evaluation->is_asked) return status;
  drop_values(evaluation);
  evaluation->is_inferred = evaluation->is_asked = false;
  return compute_nodes(evaluation);
}

static strew_status end(struct evaluation *evaluation, strew_status status) {
  strew_error *error = evaluation->call->error;
  drop_values(evaluation);
  return report_call(evaluation->call, status, error, error);
}

/* Declares `evaluation`, of the call that begins here, and its status: the end of the block frees it. */
#define EVALUATION(evaluation, status, text, inputs)                                                                   \
  EVALUATION_OF(evaluation, status, text, inputs, .mixed = STREW_FLOAT64)
#define EVALUATION_OF(evaluation, status, text, inputs, ...)                                                           \
  CALL(call, "expr", error, {"inputs", first_tensor(text, inputs), MOVED});                                            \
  struct value few[FEW_NODES];                                                                                         \
  struct evaluation evaluation = {.call = &call, .expr = (text), .given = (inputs), .few = few, __VA_ARGS__};          \
  list_inputs(&call, text, inputs);                                                                                    \
  strew_status status = begin(&evaluation)

strew_status strew_expr_type(const strew_expr *expr, const strew_expr_values *values, strew_dtype *dtype, int *rank,
                             int64_t *sizes, strew_error *error) {
  EVALUATION_OF(evaluation, status, expr, values, .mixed = STREW_FLOAT64, .is_inferred = true);
  if (status == STREW_OK) {
    const strew_tensor *result = evaluation.values[expr->node_count - 1].tensor;
    if (dtype) *dtype = result->dtype;
    if (rank) *rank = result->rank;
    for (int d = 0; sizes && d < result->rank; d++) sizes[d] = result->sizes[d];
  }
  return end(&evaluation, status);
}

/* Fails if `out` shares elements with an input; same_is_fine: if it is another view of one. */
static strew_status check_apart(const struct evaluation *evaluation, const strew_tensor *out, bool same_is_fine) {
  const strew_operand *inputs = evaluation->given->inputs;
  for (int i = 0; i < evaluation->expr->input_count; i++)
    if (inputs[i].tensor)
      RETURN_IF_FAILED(
          check_overlap(evaluation->call, out, evaluation->expr->inputs[i], inputs[i].tensor, same_is_fine));
  return STREW_OK;
}

/* Fails unless the result may be written to `out`. */
static strew_status check_out(const struct evaluation *evaluation, const strew_tensor *result,
                              const strew_tensor *out) {
  struct elementwise work = {.call = evaluation->call, .rank = result->rank, .result = result->dtype};
  memcpy(work.sizes, result->sizes, (size_t)result->rank * sizeof *work.sizes);
  if (out->storage->device->context != evaluation->device->context)
    return fail_context(evaluation->call, "out", "belongs to");
  if (out->storage->device != evaluation->device)
    return fail(evaluation->call, FAULT(STREW_EDEVICE, "out"), "is on %s, expected %s", out->storage->device->name,
                evaluation->device->name);
  RETURN_IF_FAILED(elementwise_check_written(&work, out));
  return check_apart(evaluation, out, true);
}

/* True if the result's program takes elements of `out` out of order. */
static bool takes_from(struct evaluation *evaluation, int k, const strew_tensor *out) {
  struct draft draft;
  make_draft(evaluation, k, &draft);
  for (int i = 0; i < draft.tensor_count; i++)
    if (draft.tensors[i].is_table && tensors_overlap(draft.tensors[i].tensor, out)) return true;
  return false;
}

/* Writes the result to `out`. */
static strew_status write_result(struct evaluation *evaluation, int k, strew_tensor *out) {
  const struct value *value = &evaluation->values[k];
  RETURN_IF_FAILED(check_out(evaluation, value->tensor, out));
  if (takes_from(evaluation, k, out)) RETURN_IF_FAILED(store_value(evaluation, k));
  if (value->kind == VALUE_TENSOR) return copy_tensor(evaluation->call, out, value->tensor);
  RETURN_IF_FAILED(check_taken(evaluation, k, true));
  return run_value(evaluation, k, out);
}

/* Moves the result to *out, or copies it if it is an input. */
static strew_status give_result(struct evaluation *evaluation, int k, strew_tensor **out) {
  struct value *value = &evaluation->values[k];
  RETURN_IF_FAILED(store_value(evaluation, k));
  if (!value->is_made) return copy_as(evaluation->call, value->tensor, value->tensor->dtype, out);
  value->is_made = false;
  return *out = value->tensor, STREW_OK;
}

strew_status expr_evaluate(const strew_expr *expr, const strew_expr_values *values, strew_dtype mixed,
                           strew_tensor **out, strew_error *error) {
  EVALUATION_OF(evaluation, status, expr, values, .mixed = mixed);
  const int last = expr->node_count - 1;
  if (*out)
    TRY(status, write_result(&evaluation, last, *out));
  else
    TRY(status, give_result(&evaluation, last, out));
  return end(&evaluation, status);
}

strew_status strew_expr_evaluate(const strew_expr *expr, const strew_expr_values *values, strew_tensor **out,
                                 strew_error *error) {
  return expr_evaluate(expr, values, STREW_FLOAT64, out, error);
}

strew_status strew_expr_reduce(const strew_expr *expr, const strew_expr_values *values, strew_fold fold,
                               const strew_reduce_options *options, strew_tensor **out, strew_error *error) {
  EVALUATION(evaluation, status, expr, values);
  if (*out) TRY(status, check_apart(&evaluation, *out, false));
  TRY(status, fold_value(&evaluation, expr->node_count - 1, fold, options, out));
  return end(&evaluation, status);
}

/* ---------------------------------------------------------------------------------------------------------- binding */

/* What computes a deferred tensor: its evaluation stays open. The inputs are retained, the codes copied; both follow. */
struct source {
  struct call call;
  struct evaluation evaluation;
  struct elementwise_plan plan;
  strew_expr *expr;
  strew_expr_values values;
  size_t bytes;
};

static strew_status source_create(const struct call *call, strew_expr *expr, const strew_expr_values *values,
                                  struct source **out) {
  const size_t inputs = (size_t)expr->input_count * sizeof *values->inputs;
  const size_t codes = values->codes ? (size_t)expr->word_count * sizeof *values->codes : 0;
  const size_t bytes = sizeof(struct source) + inputs + codes;
  ALLOCATE_NEW(struct source *, source, call, expr->context, bytes);
  strew_operand *own = (strew_operand *)(void *)(source + 1);
  int64_t *own_codes = (int64_t *)(void *)((char *)own + inputs);
  memcpy(own, values->inputs, inputs);
  if (codes) memcpy(own_codes, values->codes, codes);
  for (int i = 0; i < expr->input_count; i++)
    if (own[i].tensor) strew_retain(own[i].tensor);
  atomic_fetch_add_explicit(&expr->references, 1, memory_order_relaxed);
  source->call = (struct call){.op = "expr", .error = call->error};
  source->expr = expr;
  source->values = *values;
  source->values.inputs = own;
  source->values.codes = codes ? own_codes : NULL;
  source->evaluation = (struct evaluation){.call = &source->call, .expr = expr, .given = &source->values};
  source->bytes = bytes;
  list_inputs(&source->call, expr, &source->values);
  return *out = source, STREW_OK;
}

static strew_status source_close(struct source *source, strew_status status) {
  strew_context *context = source->expr->context;
  status = end(&source->evaluation, status);
  for (int i = 0; i < source->expr->input_count; i++) strew_release(source->values.inputs[i].tensor);
  strew_expr_release(source->expr);
  memory_free(context, source, source->bytes);
  return status;
}

static void source_release(void *source_) {
  struct source *source = source_;
  source->call.error = NULL;
  source_close(source, STREW_OK);
}

static strew_status source_check(const struct call *call, struct storage *storage, bool now) {
  struct source *source = storage->user;
  struct evaluation *evaluation = &source->evaluation;
  source->call.error = call->error;
  evaluation->is_marked = false;
  for (int k = 0; k < source->expr->node_count; k++) evaluation->values[k].limit = 0; /* inputs may have changed */
  return check_taken(evaluation, source->expr->node_count - 1, now);
}

/* Makes a deferred tensor of the pending result; it has the source from then on. */
static strew_status source_give(struct source *source, strew_tensor **out) {
  struct evaluation *evaluation = &source->evaluation;
  const int last = source->expr->node_count - 1;
  const strew_tensor *header = &evaluation->values[last].header;
  RETURN_IF_FAILED(fit_value(evaluation, last));
  RETURN_IF_FAILED(deferred_create(&source->call, evaluation->device, header->dtype, header->rank, header->sizes, out));
  give_program(evaluation, last, *out, &source->plan);
  deferred_give(*out, &source->plan, source_check, source_release, source);
  return STREW_OK;
}

strew_status strew_expr_bind(strew_expr *expr, const strew_expr_values *values, strew_tensor **out,
                             strew_error *error) {
  CALL(call, "expr", error, {"inputs", first_tensor(expr, values), MOVED});
  struct source *source;
  RETURN_IF_FAILED(source_create(&call, expr, values, &source));
  strew_status status = begin(&source->evaluation);
  if (status == STREW_OK) {
    const int last = expr->node_count - 1;
    const struct value *value = &source->evaluation.values[last];
    const bool is_pending = value->kind == VALUE_PENDING && strew_tensor_numel(&value->header);
    if (is_pending && source->evaluation.device->ops->reads) {
      status = source_give(source, out);
      if (status == STREW_OK) return STREW_OK;
    } else {
      status = give_result(&source->evaluation, last, out);
    }
  }
  return source_close(source, status);
}

/* ----------------------------------------------------------------------------------------------------- combinations */

/* Makes the plan of a value of any kind. */
static strew_status compile_value(struct evaluation *evaluation, int k, const strew_tensor *out,
                                  struct elementwise_plan *plan) {
  const struct value *value = &evaluation->values[k];
  if (value->kind == VALUE_PENDING) return plan_value(evaluation, k, out, plan), STREW_OK;
  const bool is_number = value->kind == VALUE_NUMBER;
  const strew_dtype dtype = is_number ? value->number.dtype : value->tensor->dtype;
  struct instruction_input in = {.from = is_number ? FROM_NUMBER : 1, .dtype = dtype};
  if (is_number)
    RETURN_IF_FAILED(element_from(evaluation->call, "number", value->number, STREW_SATURATE, dtype, &in.number));
  plan_start(&plan->plan, out->rank, out->sizes);
  plan_add(&plan->plan, out);
  if (!is_number) plan_add(&plan->plan, value->tensor);
  plan->count = 1;
  plan->instructions[0] = (struct instruction){
      .kind = ELEMENTWISE_CONVERT, .common = dtype, .compute = dtype, .result = dtype, .inputs = 1, .in = {in}};
  return STREW_OK;
}

/* True if the node divides integers by elements, or raises them to powers. */
static bool is_tested(const struct evaluation *evaluation, int k) {
  const struct value *value = &evaluation->values[k];
  const struct instruction *instruction = &value->instruction;
  if (value->kind != VALUE_PENDING || instruction->kind != ELEMENTWISE_BINARY || value->sources[1] < 0) return false;
  const int op = instruction->op;
  return (op == STREW_POW || op == STREW_FLOOR_DIVIDE || op == STREW_REMAINDER || op == STREW_FMOD) &&
         !dtype_is_float(instruction->compute);
}

/* Ends the plan of a divisor or exponent by the test that it is not 0, or not negative. */
static strew_status add_test(const struct evaluation *evaluation, int k, struct elementwise_plan *plan) {
  const struct instruction *tested = &evaluation->values[k].instruction;
  const strew_dtype dtype = tested->compute;
  if (plan->count == MOST_INSTRUCTIONS)
    return fail(evaluation->call, FAULT(STREW_EARGUMENT, "combine"), "has more than %d operations in a divisor",
                MOST_INSTRUCTIONS - 1);
  const struct instruction_input given = {.from = -plan->count, .dtype = tested->in[1].dtype};
  const int op = tested->op == STREW_POW ? STREW_GE : STREW_NE;
  plan->instructions[plan->count++] = (struct instruction){.kind = ELEMENTWISE_BINARY,
                                                           .op = op,
                                                           .common = dtype,
                                                           .compute = dtype,
                                                           .result = STREW_BOOL,
                                                           .inputs = 2,
                                                           .in = {given, {.from = FROM_NUMBER, .dtype = dtype}}};
  return STREW_OK;
}

/* Makes the next program of the plan: of node k, or of the test of its second operand. */
static strew_status add_program(struct evaluation *evaluation, int k, const strew_tensor *out, const int *slots,
                                bool tests, struct combine_plan *plan) {
  const strew_expr *expr = evaluation->expr;
  if (plan->program_count == COMBINED_PROGRAMS)
    return fail(evaluation->call, FAULT(STREW_EARGUMENT, "combine"), "has too many integer divisions");
  struct combine_program *program = &plan->programs[plan->program_count];
  RETURN_IF_FAILED(compile_value(evaluation, tests ? evaluation->values[k].sources[1] : k, out, &program->plan));
  if (tests) RETURN_IF_FAILED(add_test(evaluation, k, &program->plan));
  struct plan *space = &program->plan.plan;
  space->sizes[0] = COMBINED_LANES;
  for (int i = 0; i < space->count; i++) {
    space->operands[i].strides[0] = 1;
    for (int j = 0; i && j < expr->input_count; j++)
      if (space->operands[i].storage == evaluation->given->inputs[j].tensor->storage) program->slots[i] = slots[j];
  }
  program->node = k;
  return plan->program_count++, STREW_OK;
}

strew_status expr_compile(const struct call *call, const strew_expr *expr, const strew_operand *inputs,
                          const int *slots, int accumulator, strew_dtype mixed, strew_tensor *out, strew_tensor *test,
                          struct combine_plan *plan) {
  struct call own = {.op = call->op, .error = call->error};
  struct evaluation evaluation = {.call = &own,
                                  .expr = expr,
                                  .given = &(strew_expr_values){.inputs = inputs},
                                  .device = out->storage->device,
                                  .is_compiled = true,
                                  .is_draft = !test,
                                  .mixed = mixed};
  const int first = plan->program_count;
  strew_status status = compute_nodes(&evaluation);
  for (int k = 0; test && k < expr->node_count && status == STREW_OK; k++)
    if (is_tested(&evaluation, k)) TRY(status, add_program(&evaluation, k, test, slots, true, plan));
  TRY(status, add_program(&evaluation, expr->node_count - 1, out, slots, false, plan));
  for (int p = first; p < plan->program_count; p++) {
    plan->programs[p].expr = accumulator;
    plan->programs[p].accumulator = p == plan->program_count - 1 ? accumulator : -1;
  }
  return end(&evaluation, status);
}
