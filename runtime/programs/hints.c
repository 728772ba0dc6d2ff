/* hints.c: errors of operations in the text of an expression, with hints that quote it: an operand's own text stands
   where calls have its name, and what was meant by an operator that means something else in other languages. */
#include "programs.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_QUOTED = 60, COMPARED = LEFT_COMPARED | RIGHT_COMPARED };

/* Copies a part of the text to `out` (TEXT_BYTES), in one line; "..." for a long one. Returns `out`. */
static const char *quote(const strew_expr *expr, struct part part, char *out) {
  const int length = part.to - part.from;
  if (length > MOST_QUOTED) return strcpy(out, "...");
  for (int i = 0; i < length; i++) {
    const char c = expr->text[part.from + i];
    out[i] = (char)((unsigned char)c < ' ' ? ' ' : c);
  }
  out[length] = '\0';
  return out;
}

static struct part part_of(const struct node *node) { return (struct part){node->from, node->to}; }

/* The text of node k, in parentheses if its operator's priority is below `least`. */
static const char *quote_node(const strew_expr *expr, int k, int least, char *out) {
  char text[TEXT_BYTES];
  int priority;
  const struct node *node = &expr->nodes[k];
  const bool is_open = operator_of(expr, node, &priority) && priority < least;
  quote(expr, part_of(node), text);
  sprintf(out, is_open ? "(%s)" : "%s", text);
  return out;
}

static bool is_bitwise(const struct node *node) {
  const bool is = node->op == STREW_BITWISE_AND || node->op == STREW_BITWISE_OR || node->op == STREW_BITWISE_XOR;
  return node->kind == NODE_BINARY && is;
}

static bool is_comparison(const struct node *node) {
  return node->kind == NODE_BINARY && node->op >= STREW_EQ && node->op <= STREW_GE;
}

enum { COMPARISON = 3, ABOVE = 4 }; /* priorities: of a comparison, and of what needs no parentheses in one */

const char *hint_of_chain(const struct call *call, const strew_expr *expr, const struct node *comparison,
                          const char *op, struct part right) {
  char a[TEXT_BYTES], b[TEXT_BYTES], c[TEXT_BYTES], d[TEXT_BYTES];
  int priority;
  const char *first = operator_of(expr, comparison, &priority), *bits;
  const struct node *middle = &expr->nodes[comparison->children[1]];
  quote_node(expr, comparison->children[0], ABOVE, a);
  quote(expr, right, c);
  if (!first) return NULL;
  if (is_bitwise(middle) && middle->to == comparison->to && (bits = operator_of(expr, middle, &priority)) != NULL) {
    quote_node(expr, middle->children[0], ABOVE, b);
    quote_node(expr, middle->children[1], ABOVE, d);
    return hint_of(call, "write (%s %s %s) %s (%s %s %s): %s precedes comparisons", a, first, b, bits, d, op, c, bits);
  }
  quote_node(expr, comparison->children[1], ABOVE, b);
  if (middle->kind == NODE_NUMBER)
    return hint_of(call, "write (%s %s %s) %s %s to compare two bools", a, first, b, op, c);
  return hint_of(call, "write %s %s %s and %s %s %s; (%s %s %s) %s %s compares two bools", a, first, b, b, op, c, a,
                 first, b, op, c);
}

/* Of a comparison whose operand i is one in parentheses. */
static void hint_of_compared(const struct call *call, const strew_expr *expr, const struct node *node, int i) {
  char a[TEXT_BYTES], b[TEXT_BYTES], c[TEXT_BYTES], whole[TEXT_BYTES];
  int priority;
  const struct node *inner = &expr->nodes[node->children[i]], *other = &expr->nodes[node->children[1 - i]];
  const char *op = operator_of(expr, node, &priority), *inner_op = operator_of(expr, inner, &priority);
  quote_node(expr, node->children[i], 0, whole);
  quote_node(expr, node->children[1 - i], ABOVE, c);
  if (inner->kind == NODE_TRUE_NOT && inner->written & IN_COMPARISON && !i) {
    hint_of(call, "write not (%s %s %s)", quote_node(expr, inner->children[0], ABOVE, a), op, c);
  } else if (!op || !inner_op || !is_comparison(inner) || other->kind == NODE_NUMBER ||
             expr->nodes[inner->children[!i]].kind == NODE_NUMBER) {
    hint_of(call, "int64(%s) is a number", whole);
  } else {
    quote_node(expr, inner->children[0], ABOVE, a);
    quote_node(expr, inner->children[1], ABOVE, b);
    if (i)
      hint_of(call, "write %s %s %s and %s %s %s; int64(%s) is a number", c, op, a, a, inner_op, b, whole);
    else
      hint_of(call, "write %s %s %s and %s %s %s; int64(%s) is a number", a, inner_op, b, b, op, c, whole);
  }
}

/* "a == b or a == c" for the comparison a == b. */
static const char *hint_of_same(const struct call *call, const strew_expr *expr, const struct node *comparison,
                                const char *joint, const char *c) {
  char a[TEXT_BYTES], b[TEXT_BYTES];
  int priority;
  const char *op = operator_of(expr, comparison, &priority);
  quote_node(expr, comparison->children[0], ABOVE, a);
  return hint_of(call, "write %s %s %s %s %s %s %s", a,
                 op ? op : "==", quote_node(expr, comparison->children[1], ABOVE, b), joint, a, op ? op : "==", c);
}

const char *hint_of_bits(const struct call *call, const strew_expr *expr, const struct node *bits, struct part left,
                         const char *op) {
  char a[TEXT_BYTES], b[TEXT_BYTES], c[TEXT_BYTES];
  int priority;
  const char *sign = operator_of(expr, bits, &priority);
  quote(expr, left, a);
  quote_node(expr, bits->children[0], ABOVE, b);
  quote_node(expr, bits->children[1], ABOVE, c);
  if (expr->nodes[bits->children[1]].kind == NODE_NUMBER && bits->op == STREW_BITWISE_OR)
    return hint_of(call, "write %s %s %s or %s %s %s; %s %s (%s %s %s) takes bits", a, op, b, a, op, c, a, op, b, sign,
                   c);
  return hint_of(call, "write (%s %s %s) %s %s; %s %s (%s %s %s) takes bits", a, op, b, sign, c, a, op, b, sign, c);
}

/* Of & | or ~ of a bool and a number in a comparison without parentheses, node p. */
static void hint_of_mixed(const struct call *call, const strew_expr *expr, const struct node *bits,
                          const struct node *comparison, bool is_left) {
  char a[TEXT_BYTES], b[TEXT_BYTES], c[TEXT_BYTES];
  int priority;
  const char *sign = operator_of(expr, bits, &priority), *op = operator_of(expr, comparison, &priority);
  quote_node(expr, comparison->children[is_left], ABOVE, a);
  quote_node(expr, bits->children[0], ABOVE, b);
  quote_node(expr, bits->children[1], ABOVE, c);
  if (is_left)
    hint_of(call, "write %s %s (%s %s %s): %s precedes comparisons", b, sign, c, op, a, sign);
  else
    hint_of(call, "write (%s %s %s) %s %s: %s precedes comparisons", a, op, b, sign, c, sign);
}

const char *hint_of_or(const struct call *call, const strew_expr *expr, int condition, struct part part) {
  char c[TEXT_BYTES];
  const struct node *node = &expr->nodes[condition];
  while (node->kind == NODE_TRUE_AND || node->kind == NODE_TRUE_OR) node = &expr->nodes[node->children[1]];
  return is_comparison(node) ? hint_of_same(call, expr, node, "or", quote(expr, part, c)) : NULL;
}

const char *hint_of_extreme(const struct call *call, const strew_expr *expr, const char *name,
                            const struct part parts[2], bool is_max, bool is_dim) {
  char a[TEXT_BYTES], b[TEXT_BYTES];
  const char *of_two = is_max ? "maximum" : "minimum";
  quote(expr, parts[0], a);
  quote(expr, parts[1], b);
  if (is_dim)
    return hint_of(call, "%s(%s, %s) is elementwise; %s(%s, %s, false) reduces dim %s", of_two, a, b, name, a, b, b);
  return hint_of(call, "%s(%s, %s) is elementwise", of_two, a, b);
}

/* ------------------------------------------------------------------------------------------------ names of operands */

static bool is_word(char c) { return is_letter(c) || (unsigned char)(c - '0') < 10; }

/* The number of the operand of that name; -1: there is none. "x" is the one at fault. */
static int operand_number(const struct node *node, const char *argument, const char *name, size_t length) {
  if (length == 1 && *name == 'x' && argument) name = argument, length = strlen(argument);
  if (length == 7 && !memcmp(name, "indices", 7)) length = 5, name = "index";
  for (int i = 0; i < node->count; i++) {
    const char *known = operand_names[node->kind][i];
    if (known && strlen(known) == length && !memcmp(known, name, length)) return i;
  }
  return -1;
}

/* The length of an operand's name that begins at `at`, before which the hint has `before`, and its number; 0: none does.
   In prose "other" and "a" are words: a name is an argument, or has a sign behind it. */
static size_t find_name(const struct node *node, const char *argument, const char *at, char before, int *number) {
  size_t length = 0;
  if (*at == '$') return *number = at[1] - '0', *number < node->count ? 2 : 0;
  while (is_word(at[length])) length++;
  const char *after = at + length;
  const bool is_signed = !strncmp(after, " % ", 3) || !strncmp(after, " - ", 3) || !strncmp(after, " ~= ", 4);
  if (!length || !is_letter(*at) || is_word(before) || before == '.') return 0;
  if (before != '(' && *after != ')' && !is_signed) return 0;
  return *number = operand_number(node, argument, at, length), *number < 0 ? 0 : length;
}

/* Copies the hint with the operands' texts in place of their names. */
static void quote_operands(const strew_expr *expr, const struct node *node, const char *argument, const char *from,
                           char *hint) {
  size_t length = 0;
  while (*from && length < TEXT_BYTES - 1) {
    int i = 0;
    char text[TEXT_BYTES];
    const char before = length ? hint[length - 1] : ' ';
    const size_t name = find_name(node, argument, from, before, &i);
    from += name ? name : 1;
    hint[length] = from[-1], hint[length + 1] = '\0';
    if (name) quote_node(expr, node->children[i], before == '(' && strchr(",)", *from) ? 0 : 12, text);
    if (name) snprintf(hint + length, TEXT_BYTES - length, "%s", text);
    length += strlen(hint + length);
  }
  hint[length] = '\0';
}

/* --------------------------------------------------------------------------------------------------- what was meant */

/* Of "and", "or" and "not", which take bools. */
static void hint_of_bools(const struct call *call, const strew_expr *expr, const struct node *node) {
  char c[TEXT_BYTES], whole[TEXT_BYTES];
  const char *argument = call->error->argument, *before = NULL;
  const int i = node->count > 1 && argument && !strcmp(argument, "other"), own = node->children[i];
  const bool is_number = expr->nodes[own].kind == NODE_NUMBER;
  if (node->kind == NODE_TRUE_OR && i) before = hint_of_or(call, expr, node->children[0], part_of(&expr->nodes[own]));
  quote_node(expr, own, ABOVE, c);
  if (before && !is_number)
    hint_of(call, "%s; %s ~= 0 is a bool", strcpy(whole, before), c);
  else if (!is_number)
    hint_of(call, "%s ~= 0 is a bool; where(c, a, b) chooses numbers; & and | take integers", c);
  else if (!before)
    hint_of(call, "'and', 'or' and 'not' take bools; where(c, a, b) chooses numbers");
}

/* Of an operator that is not written as it was meant; empty: another error. */
static void hint_of_meant(const struct call *call, const strew_expr *expr, int k) {
  char a[TEXT_BYTES], whole[TEXT_BYTES];
  const struct node *node = &expr->nodes[k];
  int priority, parent = 0;
  while (node->written & IN_COMPARISON && parent < expr->node_count) {
    const struct node *p = &expr->nodes[parent];
    if (is_comparison(p) && (p->children[0] == k || p->children[1] == k)) break;
    parent++;
  }
  const struct node *comparison = &expr->nodes[parent < expr->node_count ? parent : 0];
  const bool is_left = comparison->children[0] == k;
  if (node->written & COMPARED) {
    const int i = node->written & LEFT_COMPARED ? 0 : 1;
    const struct node *inner = &expr->nodes[node->children[i]], *other = &expr->nodes[node->children[1 - i]];
    quote_node(expr, node->children[1 - i], ABOVE, a);
    quote_node(expr, node->children[i], 0, whole);
    if (is_comparison(node))
      hint_of_compared(call, expr, node, i);
    else if (other->kind == NODE_NUMBER && is_comparison(inner))
      hint_of_same(call, expr, inner, node->op == STREW_BITWISE_AND ? "and" : "or", a);
    else
      hint_of(call, "%s ~= 0 is a bool; int64(%s) is a number", a, whole);
  } else if (node->kind == NODE_TRUE_NOT && node->written & IN_COMPARISON && is_left) {
    quote_node(expr, node->children[0], ABOVE, a);
    quote_node(expr, comparison->children[1], ABOVE, whole);
    hint_of(call, "write not (%s %s %s): 'not' precedes comparisons", a, operator_of(expr, comparison, &priority),
            whole);
  } else if (node->written & IN_COMPARISON && is_bitwise(node)) {
    hint_of_mixed(call, expr, node, comparison, is_left);
  }
}

void strew_expr_mark(const strew_expr *expr, int k, strew_error *error) {
  char before[TEXT_BYTES], hint[TEXT_BYTES] = "";
  if (!error || k < 0 || k >= expr->node_count) return;
  const struct node *node = &expr->nodes[k];
  const struct call call = {.error = error};
  const bool takes_bools = node->kind >= NODE_TRUE_AND && node->kind <= NODE_TRUE_NOT;
  hint_render(error->hint, IN_TEXT, before);
  *error->hint = '\0';
  if (error->code == STREW_EDTYPE && (takes_bools || !*before)) hint_of_meant(&call, expr, k);
  if (error->code == STREW_EDTYPE && takes_bools && !*before && !*error->hint) hint_of_bools(&call, expr, node);
  if (!*error->hint) quote_operands(expr, node, error->argument, before, hint);
  error_mark(error, &(struct place){expr->text, node->at, node->length}, *hint ? hint : error->hint);
}
