/* operators.c: the operators of expressions, and the names of operands in messages. */
#include "programs.h"

const struct operator_row operators[] = {
    {"not", 0, 12, NODE_TRUE_NOT, 0},
    {"-", 0, 12, NODE_UNARY, STREW_NEG},
    {"~", 0, 12, NODE_UNARY, STREW_BITWISE_NOT},
    {"or", 1, 1, NODE_TRUE_OR, 0},
    {"and", 2, 2, NODE_TRUE_AND, 0},
    {"==", 3, 3, NODE_BINARY, STREW_EQ},
    {"~=", 3, 3, NODE_BINARY, STREW_NE},
    {"<", 3, 3, NODE_BINARY, STREW_LT},
    {"<=", 3, 3, NODE_BINARY, STREW_LE},
    {">", 3, 3, NODE_BINARY, STREW_GT},
    {">=", 3, 3, NODE_BINARY, STREW_GE},
    {"|", 4, 4, NODE_BINARY, STREW_BITWISE_OR},
    {"~", 5, 5, NODE_BINARY, STREW_BITWISE_XOR},
    {"&", 6, 6, NODE_BINARY, STREW_BITWISE_AND},
    {"+", 10, 10, NODE_BINARY, STREW_ADD},
    {"-", 10, 10, NODE_BINARY, STREW_SUB},
    {"*", 11, 11, NODE_BINARY, STREW_MUL},
    {"/", 11, 11, NODE_BINARY, STREW_DIV},
    {"//", 11, 11, NODE_BINARY, STREW_FLOOR_DIVIDE},
    {"%", 11, 11, NODE_BINARY, STREW_REMAINDER},
    {"^", 14, 13, NODE_BINARY, STREW_POW},
};
const int operator_count = sizeof operators / sizeof *operators;

const char *operator_of(const strew_expr *expr, const struct node *node, int *priority) {
  const char mark = expr->text[node->at]; /* a letter: of a call, or of and, or, not */
  const bool is_word = node->kind >= NODE_TRUE_AND && node->kind <= NODE_TRUE_NOT;
  for (int i = 0; i < operator_count && (is_word || !is_letter(mark)); i++) {
    const struct operator_row *row = &operators[i];
    if (row->kind != node->kind || row->op != node->op || (row->left == 0) != (node->count == 1)) continue;
    return *priority = row->left ? row->left : row->right, row->text;
  }
  return NULL;
}

const char *const operand_names[][MOST_CHILDREN] = {
    [NODE_UNARY] = {"self"},
    [NODE_BINARY] = {"self", "other"},
    [NODE_TRUE_AND] = {"self", "other"},
    [NODE_TRUE_OR] = {"self", "other"},
    [NODE_TRUE_NOT] = {"self"},
    [NODE_WHERE] = {"condition", "a", "b"},
    [NODE_CLAMP] = {"self", "min", "max"},
    [NODE_MASKED_FILL] = {"self", "mask", "value"},
    [NODE_CONVERT] = {"self"},
    [NODE_WIDE] = {"self"},
    [NODE_LIKE] = {"self", "other"},
    [NODE_REPLACEMENT] = {"self"},
    [NODE_CLOSE] = {"self", "other", "rtol", "atol", "equal_nan"},
    [NODE_FOLD] = {"self"},
    [NODE_CALL] = {"self"},
    [NODE_INDEX] = {"self", "index"},
};
