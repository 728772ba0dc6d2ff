/* programs.h: expressions: a text is parsed into nodes (parse.c), which are bound to tensors and become programs of
   instructions (expression.c), which a device runs in one pass (device.h). Texts that are run for one element after
   another make up combinations (combination.c). */
#ifndef STREW_PROGRAMS_H
#define STREW_PROGRAMS_H

#include "combine_ops.h"
#include "runtime/core/base/device.h"

/* What a node computes from its children. FOLD: of child 0, over `dim` (ALL_DIMS: all), which stays as size 1 if
   `keepdim`. INDEX: rows of child 0 along dimension 0, chosen by child 1. WORD: the code that stands for a word in
   child 0, an input; without a child, a word that is a value. TRUE_AND, TRUE_OR, TRUE_NOT: of bools alone. REPLACEMENT: the number in place of NaN (`op` 0), inf
   (1) or -inf (2) in child 0: child 1, or the nearest of its dtype. WIDE: child 0 as means of it are computed: halves as
   float32, in texts of columns integers as float64. LIKE: child 0 in the dtype of child 1, if that is of floats. CALL: a
   call of hosts, of child 0 with `dim` as FOLD has it, digits of round; or of all children. */
enum node_kind {
  NODE_NUMBER,
  NODE_INPUT,
  NODE_WORD,
  NODE_UNARY,
  NODE_BINARY,
  NODE_TRUE_AND,
  NODE_TRUE_OR,
  NODE_TRUE_NOT,
  NODE_WHERE,
  NODE_CLAMP,
  NODE_MASKED_FILL,
  NODE_CONVERT,
  NODE_WIDE,
  NODE_LIKE,
  NODE_REPLACEMENT,
  NODE_CLOSE,
  NODE_FOLD,
  NODE_CALL,
  NODE_INDEX
};
/* Calls of texts and times: enumerator, name, fewest and most arguments, parameters. */
#define CALLS_OF_WORDS(X)                                                                                              \
  X(LOWER, "lower", 1, 1, "t")                                                                                         \
  X(UPPER, "upper", 1, 1, "t")                                                                                         \
  X(TRIM, "trim", 1, 1, "t")                                                                                           \
  X(LENGTH, "length", 1, 1, "t")                                                                                       \
  X(CONTAINS, "contains", 2, 2, "t, word")                                                                             \
  X(STARTS_WITH, "starts_with", 2, 2, "t, word")                                                                       \
  X(ENDS_WITH, "ends_with", 2, 2, "t, word")                                                                           \
  X(MATCH, "match", 2, 2, "t, pattern")                                                                                \
  X(REPLACE, "replace", 3, 3, "t, a, b")                                                                               \
  X(SPLIT, "split", 3, 3, "t, separator, k")                                                                           \
  X(JOIN_WORDS, "join_words", 2, 3, "a, b [, separator]")                                                              \
  X(FLOOR_TIME, "floor_time", 2, 2, "t, unit")                                                                         \
  X(YEAR, "year", 1, 1, "t")                                                                                           \
  X(MONTH, "month", 1, 1, "t")                                                                                         \
  X(DAY, "day", 1, 1, "t")                                                                                             \
  X(HOUR, "hour", 1, 1, "t")                                                                                           \
  X(MINUTE, "minute", 1, 1, "t")                                                                                       \
  X(SECOND, "second", 1, 1, "t")                                                                                       \
  X(WEEKDAY, "weekday", 1, 1, "t")                                                                                     \
  X(DAY_OF_YEAR, "day_of_year", 1, 1, "t")                                                                             \
  X(QUARTER, "quarter", 1, 1, "t")                                                                                     \
  X(ISO_YEAR, "iso_year", 1, 1, "t")                                                                                   \
  X(ISO_WEEK, "iso_week", 1, 1, "t")                                                                                   \
  X(DAYS_IN_MONTH, "days_in_month", 1, 1, "t")                                                                         \
  X(FORMAT, "format", 2, 2, "t, format")
#define NODE_CALL_OF(ENUM, ...) CALL_##ENUM,
enum node_call {
  CALL_MEDIAN,
  CALL_NANMEDIAN,
  CALL_ROUND,
  CALL_SUB,
  CALLS_OF_WORDS(NODE_CALL_OF) FIRST_OF_WORDS = CALL_SUB
};
#undef NODE_CALL_OF
enum { ALL_DIMS = INT32_MAX, MOST_CHILDREN = 5 };

/* How an operator is written, where texts mean other things elsewhere. LEFT_COMPARED, RIGHT_COMPARED: that operand of a
   comparison, & | or ~ is a comparison, so the other one must be bool. IN_COMPARISON: & | ~ or `not` is an operand of a
   comparison without parentheses. Of & | ~ both operands must then be bool, or none. */
enum { LEFT_COMPARED = 1, RIGHT_COMPARED = 2, IN_COMPARISON = 4 };

struct node {
  enum node_kind kind;
  int op;    /* number of the input or word; strew_unary_op, strew_binary_op, strew_fold, strew_dtype, node_call */
  int count; /* of children */
  int children[MOST_CHILDREN]; /* numbers of nodes before this one */
  strew_scalar number;         /* of NODE_NUMBER */
  int dim;                     /* of NODE_FOLD and NODE_CALL */
  bool keepdim;
  unsigned char written; /* not compared by "equal" */
  int at, length;        /* of the operator or name in the text, in bytes */
  int from, to;          /* where the operation begins and ends there */
};

/* The text, the nodes in an order of evaluation (the last is the result; equal subexpressions are one node), the names
   of inputs and the words, in the order of their first use. Each has a length limit: see strew.h. */
struct word {
  const char *text; /* ended by a zero */
  int input;        /* that it is compared with */
};
struct strew_expr {
  atomic_size_t references; /* the owner's, and one for each deferred tensor */
  struct released released;
  strew_context *context;
  size_t size_bytes; /* of the one block that holds everything */
  const char *text;
  int node_count, input_count, word_count;
  struct node *nodes;
  const char **inputs;
  struct word *words;
};

/* The name of the node's operation, as strew_expr_node_at gives it. parse.c */
const char *node_name(const struct node *node);
static inline bool is_letter(char c) { return (unsigned char)((c | 0x20) - 'a') < 26 || c == '_'; }

/* Priorities on the left, 0 of unary ones, and on the right, as in Lua; the node. operators.c */
struct operator_row {
  const char *text;
  int left, right;
  enum node_kind kind;
  int op;
};
extern const struct operator_row operators[];
extern const int operator_count;
/* The operator that the text has for the node, and its priority; NULL: a call, an input or a number. */
const char *operator_of(const strew_expr *expr, const struct node *node, int *priority);
/* The names of a node's operands in messages. */
extern const char *const operand_names[][MOST_CHILDREN];

/* Hints that quote the text, as of hint_of; NULL: none. hints.c */
struct part {
  int from, to;
};
/* Of a == b, to which `op` and the part at the right are joined. */
const char *hint_of_chain(const struct call *call, const strew_expr *expr, const struct node *comparison,
                          const char *op, struct part right);
/* Of the part at the left, `op`, and a & b, whose a is a number. */
const char *hint_of_bits(const struct call *call, const strew_expr *expr, const struct node *bits, struct part left,
                         const char *op);
/* Of a == b or the part. */
const char *hint_of_or(const struct call *call, const strew_expr *expr, int condition, struct part part);
/* Of max or min, which have those two arguments. */
const char *hint_of_extreme(const struct call *call, const strew_expr *expr, const char *name,
                            const struct part parts[2], bool is_max, bool is_dim);

/* Adds the programs of a text that gives an accumulator's next value to the plan: its tests, then itself. The inputs
   are tensors of one dimension without elements, whose slots follow; `out` and `test` (bool) have the dtypes of the
   results. `test` NULL: itself alone, to find its dtype. */
strew_status expr_compile(const struct call *call, const strew_expr *expr, const strew_operand *inputs,
                          const int *slots, int accumulator, strew_dtype mixed, strew_tensor *out, strew_tensor *test,
                          struct combine_plan *plan);

/* strew_expr_evaluate; mixed: as of struct elementwise. */
strew_status expr_evaluate(const strew_expr *expr, const strew_expr_values *values, strew_dtype mixed,
                           strew_tensor **out, strew_error *error);

/* Makes a dense tensor that has no memory, over a storage that has none. expression.c */
void make_header(strew_tensor *header, struct storage *storage, strew_device *device, strew_dtype dtype, int rank,
                 const int64_t *sizes);

#endif
