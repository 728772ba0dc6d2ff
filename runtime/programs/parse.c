/* parse.c: texts of expressions to nodes, see programs.h. The grammar is Lua's, and so are precedences and numerals. One
   token is read ahead. Nodes are made in an order of evaluation; a node equal to an earlier one is that
   one, found by a hash table. Numbers and words become nodes where an operation takes them, so that those that are
   options of a reduction, or are negated, leave none. */
#define _GNU_SOURCE /* strtod_l */
#include "programs.h"
#include "runtime/core/base/dtype.h"

#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TEXT = 65536, MAX_NODES = 1000, MAX_DEPTH = 200, MAX_INPUTS = 64, MAX_WORDS = 64, SLOTS = 2048 };

enum token_kind { END, NUMBER, WORD, NAME, SYMBOL, WRONG };
struct token {
  enum token_kind kind;
  const char *at;
  int length;
  strew_scalar number; /* of NUMBER */
  const char *wrong;   /* of WRONG: what it is */
};

/* The part of the text that messages mark for an operand, and the whole operand, as far as `to`. */
struct mark {
  int at, length, from, to;
};

/* An operand: a node, a number, or a word in quotes. */
struct value {
  enum { VALUE_NODE, VALUE_NUMBER, VALUE_WORD } kind;
  int node;
  strew_scalar number;
  struct mark mark;
  bool is_comparison;              /* by an operator; also and, or, not, & | ~ of comparisons */
  const struct operator_row *open; /* the operator, if there are no parentheses around it */
};

struct parser {
  struct call *call;
  struct place place; /* of a failure */
  strew_status status;
  strew_expr *expr;
  locale_t c_locale;
  struct token token;
  const char *end; /* of the token: the text from here on is unread */
  int last;        /* where the token before it ends */
  int depth;
  char *strings;               /* free memory for names and words */
  const struct value *x;       /* the arguments, while a function's definition is read; else NULL */
  struct mark call_mark;       /* of that call */
  unsigned short slots[SLOTS]; /* hash table: numbers of nodes + 1; 0: free */
};

/* ----------------------------------------------------------------------------------------------------------- errors */

/* Fails at a part of the text. Returns false. */
static bool wrong(struct parser *parser, struct mark mark, const char *hint, const char *format, ...)
    __attribute__((cold, format(printf, 4, 5)));
static bool wrong(struct parser *parser, struct mark mark, const char *hint, const char *format, ...) {
  char fact[TEXT_BYTES];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(fact, sizeof fact, format, arguments);
  va_end(arguments);
  parser->place = (struct place){parser->expr->text, mark.at, mark.length};
  parser->call->place = &parser->place;
  struct fault fault = HINTED(STREW_EARGUMENT, "text", hint);
  fault.position = (const int64_t[]){mark.at}, fault.position_rank = 1;
  parser->status = fail(parser->call, fault, "%s", fact);
  return false;
}

static struct mark mark_of(const struct parser *parser) {
  if (parser->x) return parser->call_mark;
  const int at = (int)(parser->token.at - parser->expr->text);
  return (struct mark){at, parser->token.length, at, at + parser->token.length};
}

/* True if the token is one of a list with blanks between. */
static bool is_one_of(const struct token *token, const char *list) {
  for (const char *at = list; token->kind == NAME || token->kind == SYMBOL; at++) {
    int i = 0;
    while (i < token->length && at[i] == token->at[i]) i++;
    if (i == token->length && (at[i] == ' ' || !at[i])) return true;
    while (*at && *at != ' ') at++;
    if (!*at) break;
  }
  return false;
}

/* What Lua or other languages have, and expressions do not: tokens, and names that are called. */
static const struct foreign_token {
  const char *tokens, *hint;
} foreign_tokens[] = {
    {"=", "== compares; arguments of calls have no names: sum(x, 0, true)"},
    {"!= <>", "write ~="},
    {"!", "write 'not' for a bool, ~ for the bits of an integer"},
    {"&&", "write 'and' for bools, & for bits"},
    {"||", "write 'or' for bools, | for bits"},
    {"AND OR NOT", "write and, or, not"},
    {"@", "compute a product of matrices first, and pass it as an input"},
    {"**", "write ^"},
    {"--", "write a - -b; a text has no comments"},
    {"/*", "a text has no comments"},
    {"<< >>", "write bitwise_left_shift(a, b) or bitwise_right_shift(a, b)"},
    {"..", "write join_words(a, b, ' ')"},
    {"#", "there are no lengths: pass the length as an input"},
    {": ::", "there are no methods and slices: write exp(x) for x:exp()"},
    {".", "there are no fields: write sin(x), without a library before it; a name is one word"},
    {"{ }", "there are no tables: pass a tensor as an input"},
    {"? if then else elseif", "write where(c, a, b)"},
    {"is", "== compares"},
    {"in isin", "write x == a or x == b"},
    {"between", "write a <= x and x <= b"},
    {"like", "write starts_with(city, 'R') or contains(city, 'R')"},
    {"nil", "isnan(x) finds missing numbers; minimum(x, 2) is clamp without a lower bound"},
    {"function", "define a function outside of the text"},
    {"; local return end", "a text is a single expression"},
    {NULL, NULL},
};
static const struct foreign_token foreign_calls[] = {
    {"to cast astype type int float double", "a dtype is a function: int64(x), float32(x)"},
    {"len size numel", "length(x) counts the characters of words; pass the length of a tensor as an input"},
    {"fillna coalesce", "write where(isnan(x), 0, x)"},
    {"isin", "write x == a or x == b"},
    {"calendar date time datetime", "write year(t), month(t), day(t), hour(t) and so on, or floor_time(t, 'day')"},
    {"dayofweek dow wday isodow", "write weekday(t), 0 on Mondays"},
    {"week weekofyear isocalendar", "write iso_week(t)"},
    {"dayofyear yday doy", "write day_of_year(t)"},
    {"strftime to_char day_name month_name", "write format(t, '%Y-%m'); %A is the day's name, %B the month's"},
    {"date_trunc trunc_date", "write floor_time(t, 'month')"},
    {"strip", "write trim(x)"},
    {"gsub", "write replace(x, 'a', 'b')"},
    {"substr substring slice", "write sub(x, 1, 3)"},
    {"startswith", "write starts_with(x, 'a')"},
    {"endswith", "write ends_with(x, 'a')"},
    {"concat concat_ws", "write join_words(a, b, ' ')"},
    {"ln", "write log(x)"},
    {"clip clamp_min clamp_max", "write clamp(x, low, high), maximum(x, low) or minimum(x, high)"},
    {"fmax greatest pmax", "write maximum(a, b)"},
    {"fmin least pmin", "write minimum(a, b)"},
    {"quantile percentile", "median(x) is one of a text; compute others first, and pass them as inputs"},
    {"nanvar", "write nanstd(x) ^ 2"},
    {"count count_nonzero", "write sum(x == x), the number of elements that are not missing"},
    {"power", "write x ^ y"},
    {"mod fmod", "write x % y"},
    {"arcsin arccos arctan arctan2", "write asin, acos, atan, atan2"},
    {"ifelse iif", "write where(c, a, b)"},
    {NULL, NULL},
};

static const char *hint_of_foreign(const struct foreign_token *rows, const struct token *token) {
  while (rows->tokens && !is_one_of(token, rows->tokens)) rows++;
  return rows->hint;
}

/* True if the token follows that word. */
static bool follows(const struct parser *parser, const char *word) {
  const char *at = parser->token.at;
  const size_t length = strlen(word);
  while (at > parser->expr->text && (at[-1] == ' ' || at[-1] == '\t')) at--;
  return (size_t)(at - parser->expr->text) >= length && !memcmp(at - length, word, length);
}

static const char skipping_hint[] =
    "nansum, nanmean, nanmedian, nanmax, nanmin and nanstd leave NaN out: write nanmax(x)";

/* Fails at a token where `expected` is expected. Returns false. */
static bool unexpected(struct parser *parser, const char *expected) {
  const struct token *token = &parser->token;
  const int length = token->length < 40 ? token->length : 40;
  const char *quote = token->kind == WORD ? "" : "'";
  if (token->kind == WRONG) return wrong(parser, mark_of(parser), NULL, "has %s", token->wrong);
  if (token->kind == END) return wrong(parser, mark_of(parser), NULL, "ends, expected %s", expected);
  const char *hint = hint_of_foreign(foreign_tokens, token);
  if (*token->at == '=' && follows(parser, "skip_nan")) hint = skipping_hint;
  if (hint) return wrong(parser, mark_of(parser), hint, "has '%.*s', which expressions do not have", length, token->at);
  hint = *token->at == '`' || *token->at & 0x80 ? "operators are Lua's; names are of a-z, A-Z, digits and _" : NULL;
  return wrong(parser, mark_of(parser), hint, "has %s%.*s%s, expected %s", quote, length, token->at, quote, expected);
}

/* ----------------------------------------------------------------------------------------------------------- tokens */

static bool is_digit(char c) { return (unsigned char)(c - '0') < 10; }
static bool is_hex_digit(char c) { return is_digit(c) || (unsigned char)((c | 0x20) - 'a') < 6; }

/* An int64 if it is written as one: decimal ones that do not fit are floats, hexadecimal ones wrap. */
static bool read_integer(const char *at, const char *end, strew_scalar *out) {
  const bool is_hex = end - at > 2 && at[0] == '0' && (at[1] | 0x20) == 'x';
  uint64_t value = 0;
  for (const char *from = is_hex ? at + 2 : at; from < end; from++) {
    if (is_hex ? !is_hex_digit(*from) : !is_digit(*from)) return false;
    const unsigned digit = is_digit(*from) ? (unsigned)(*from - '0') : (unsigned)((*from | 0x20) - 'a' + 10);
    if (!is_hex && value > ((uint64_t)INT64_MAX - digit) / 10) return false;
    value = value * (is_hex ? 16 : 10) + digit;
  }
  return *out = strew_int((int64_t)value), true;
}

/* A numeral ends where Lua's do: letters that follow it belong to it, and make it wrong. */
static const char *read_number(const struct parser *parser, struct token *token) {
  const char *at = token->at, *end = at, *exponent = at[0] == '0' && (at[1] | 0x20) == 'x' ? "pP" : "eE";
  if (*exponent == 'p') end += 2;
  for (;; end++) {
    const bool is_exponent = *end && strchr(exponent, *end);
    if (is_exponent && (end[1] == '+' || end[1] == '-')) end++;
    if (!is_exponent && !is_hex_digit(*end) && *end != '.') break;
  }
  while (is_letter(*end) || is_digit(*end)) end++;
  char *read = NULL;
  token->kind = NUMBER;
  if (read_integer(at, end, &token->number)) return end;
  token->number = strew_float(strtod_l(at, &read, parser->c_locale));
  if (read != end) token->kind = WRONG, token->wrong = "a malformed number";
  return end;
}

/* A word in quotes. */
static const char *read_word(struct token *token) {
  const char *end = token->at + 1;
  token->kind = WORD;
  for (; *end && *end != '\n' && *end != '\r' && *end != *token->at; end++) {
    if (*end == '\\' && end[1] && strchr("\\\"'nt", end[1]))
      end++;
    else if (*end == '\\')
      return token->kind = WRONG, token->at = end,
             token->wrong = "an unknown escape, expected \\\\ \\\" \\' \\n or \\t", end + 1 + (end[1] > ' ');
  }
  if (*end == *token->at) return end + 1;
  token->kind = WRONG, token->wrong = "a word without its closing quote";
  return end;
}

static int length_of_symbol(const char *at) {
  static const char *const pairs[] = {"==", "~=", "<=", ">=", "//", "..", "<<", ">>",
                                      "!=", "<>", "&&", "||", "**", "::", "--", "/*"};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    if (at[0] == pairs[i][0] && at[1] == pairs[i][1]) return 2;
  int length = 1; /* a byte, or a character of UTF-8 */
  while ((at[0] & 0xc0) == 0xc0 && (at[length] & 0xc0) == 0x80 && length < 4) length++;
  return length;
}

/* Reads the next token. A wrong one fails where it is looked at, for no rule of the grammar takes it. */
static void next(struct parser *parser) {
  const char *at = parser->end + strspn(parser->end, " \t\n\v\f\r"), *end = at;
  struct token *token = &parser->token;
  if (!parser->x) parser->last = (int)(parser->end - parser->expr->text);
  *token = (struct token){.kind = SYMBOL, .at = at};
  if (!*at)
    token->kind = END, token->at = end = parser->end; /* of the last one: not behind blanks */
  else if (is_digit(*at) || (*at == '.' && is_digit(at[1])))
    end = read_number(parser, token);
  else if (*at == '"' || *at == '\'')
    end = read_word(token);
  else if (!is_letter(*at))
    end = at + length_of_symbol(at);
  else
    for (token->kind = NAME; is_letter(*end) || is_digit(*end);) end++;
  token->length = (int)(end - token->at);
  parser->end = end;
}

/* Reads the next token if this one is `text`. */
static bool accept(struct parser *parser, const char *text) {
  if (!is_one_of(&parser->token, text)) return false;
  return next(parser), true;
}

/* ------------------------------------------------------------------------------------------------------------ nodes */

/* Numbers are compared by their bits. */
static bool is_same(const struct node *a, const struct node *b) {
  return a->kind == b->kind && a->op == b->op && !memcmp(a->children, b->children, sizeof a->children) &&
         a->number.dtype == b->number.dtype && a->number.as.i == b->number.as.i && a->dim == b->dim &&
         a->keepdim == b->keepdim;
}

static uint64_t slot_of(const struct node *node) {
  const int *children = node->children;
  const uint64_t parts = (uint64_t)node->kind ^ (uint64_t)node->op << 4 ^ (uint64_t)children[0] << 12 ^
                         (uint64_t)children[1] << 24 ^ (uint64_t)children[2] << 36 ^ (uint64_t)node->number.as.i;
  return ((parts ^ parts >> 32) * 0x9e3779b97f4a7c15u) >> 53; /* below SLOTS */
}

static const char split_hint[] = "evaluate a part of it first, and pass that as an input";

/* Makes *out this node, or the one that is equal to it. */
static bool add_node(struct parser *parser, struct node node, struct mark mark, struct value *out) {
  strew_expr *expr = parser->expr;
  uint64_t slot = slot_of(&node);
  while (parser->slots[slot] && !is_same(&expr->nodes[parser->slots[slot] - 1], &node)) slot = (slot + 1) % SLOTS;
  if (!parser->slots[slot]) {
    if (expr->node_count == MAX_NODES)
      return wrong(parser, mark, split_hint, "has more than %d operations, inputs and numbers", MAX_NODES);
    node.at = mark.at, node.length = mark.length, node.from = mark.from, node.to = mark.to;
    expr->nodes[expr->node_count++] = node;
    parser->slots[slot] = (unsigned short)expr->node_count;
  }
  *out = (struct value){.kind = VALUE_NODE, .node = parser->slots[slot] - 1, .mark = mark};
  return true;
}

#define COMPARED_ALONE "a word is compared, or an argument of where or of a call of text or times"

/* Makes a node of a number; a word is none. */
static bool settle(struct parser *parser, struct value *value) {
  if (value->kind == VALUE_WORD)
    return wrong(parser, value->mark, "write name == \"word\" or name < \"word\"",
                 "has a word here, but " COMPARED_ALONE);
  if (value->kind == VALUE_NODE) return true;
  return add_node(parser, (struct node){.kind = NODE_NUMBER, .number = value->number}, value->mark, value);
}

/* True if the operation takes words as values of texts and times. */
static bool takes_words(enum node_kind kind, int op) {
  const bool is_of_two = op == STREW_MAXIMUM || op == STREW_MINIMUM || op == STREW_SUB;
  return kind == NODE_WHERE || kind == NODE_MASKED_FILL || (kind == NODE_BINARY && is_of_two);
}

static bool add_word(struct parser *parser, const struct value *other, struct value *word);

/* Makes a node of settled operands. */
static bool add_operation(struct parser *parser, enum node_kind kind, int op, struct mark mark, int count,
                          struct value *operands, struct value *out) {
  struct node node = {.kind = kind, .op = op, .count = count};
  if (!parser->x) mark.to = parser->last;
  for (int i = 0; i < count; i++) {
    const bool is_value = operands[i].kind == VALUE_WORD && !parser->x && (kind == NODE_CALL || takes_words(kind, op));
    if (!(is_value ? add_word(parser, NULL, &operands[i]) : settle(parser, &operands[i]))) return false;
    node.children[i] = operands[i].node;
  }
  if (kind == NODE_CALL) node.dim = ALL_DIMS;
  return add_node(parser, node, mark, out);
}

/* Copies a name or, without its quotes, a word to the expression. */
static char *copy_string(struct parser *parser, const char *at, int length) {
  char *copy = parser->strings, *to = copy;
  for (const char *from = at; from < at + length; from++) {
    const bool is_escaped = *from == '\\';
    from += is_escaped;
    *to++ = (char)(is_escaped && *from == 'n' ? '\n' : is_escaped && *from == 't' ? '\t' : *from);
  }
  *to = '\0';
  parser->strings = to + 1;
  return copy;
}

static bool add_input(struct parser *parser, const struct token *name, struct mark mark, struct value *out) {
  strew_expr *expr = parser->expr;
  char *copy = copy_string(parser, name->at, name->length);
  int i = 0;
  while (i < expr->input_count && strcmp(expr->inputs[i], copy) != 0) i++;
  if (i == MAX_INPUTS) return wrong(parser, mark, NULL, "has more than %d inputs", MAX_INPUTS);
  if (i == expr->input_count) expr->inputs[expr->input_count++] = copy;
  return add_node(parser, (struct node){.kind = NODE_INPUT, .op = i}, mark, out);
}

/* Makes a node of a word that is compared with a node, or is a value: NULL. */
static bool add_word(struct parser *parser, const struct value *other, struct value *word) {
  strew_expr *expr = parser->expr;
  char *copy = copy_string(parser, expr->text + word->mark.at + 1, word->mark.length - 2);
  const struct node *of = other ? &expr->nodes[other->node] : NULL;
  const struct word added = {copy, of && of->kind == NODE_INPUT ? of->op : -1};
  int i = 0;
  while (i < expr->word_count && (strcmp(expr->words[i].text, copy) != 0 || expr->words[i].input != added.input)) i++;
  if (i == MAX_WORDS) return wrong(parser, word->mark, NULL, "has more than %d words", MAX_WORDS);
  if (i == expr->word_count) expr->words[expr->word_count++] = added;
  const struct node node = {.kind = NODE_WORD, .op = i, .count = of != NULL, .children = {other ? other->node : 0}};
  return add_node(parser, node, word->mark, word);
}

/* -------------------------------------------------------------------------------------------------------- operators */

static const struct operator_row *find_operator(const struct token *token, bool is_unary) {
  for (int i = 0; i < operator_count; i++)
    if ((operators[i].left == 0) == is_unary && is_one_of(token, operators[i].text)) return &operators[i];
  return NULL;
}

/* A number changes its sign, and stays a number. */
static bool apply_unary(struct parser *parser, const struct operator_row *row, struct mark mark, struct value *value) {
  strew_scalar *number = &value->number;
  const bool is_negated = row->op == STREW_NEG && row->kind == NODE_UNARY && value->kind == VALUE_NUMBER;
  if (!is_negated || number->dtype == STREW_BOOL) {
    const bool is_comparison = row->kind == NODE_TRUE_NOT || (row->op == STREW_BITWISE_NOT && value->is_comparison);
    if (!add_operation(parser, row->kind, row->op, mark, 1, value, value)) return false;
    return value->is_comparison = is_comparison, value->open = row, true;
  }
  if (number->dtype == STREW_INT64)
    number->as.i = (int64_t)(0 - (uint64_t)number->as.i);
  else
    number->as.f = -number->as.f;
  if (!parser->x) value->mark.length += value->mark.at - mark.at;
  value->mark.at = value->mark.from = mark.at;
  return true;
}

static struct part whole(const struct value *value) {
  const struct mark mark = value->mark;
  if (value->kind == VALUE_NUMBER) return (struct part){mark.at, mark.at + mark.length}; /* without parentheses */
  return (struct part){mark.from, mark.to};
}

static bool compares(const struct operator_row *row) { return row->left == 3; }
static bool is_bitwise(const struct operator_row *row) { return row->left >= 4 && row->left <= 6; }

/* Fails where a comparison without parentheses is compared, or where & | or ~ takes a number from it. */
static bool check_chain(struct parser *parser, const struct operator_row *row, struct mark mark,
                        const struct value operands[2]) {
  strew_expr *expr = parser->expr;
  const struct operator_row *first = operands[0].open, *second = operands[1].open;
  const struct part left = whole(&operands[0]), right = whole(&operands[1]);
  if (first && compares(first))
    return wrong(parser, mark, hint_of_chain(parser->call, expr, &expr->nodes[operands[0].node], row->text, right),
                 "compares the result of a comparison");
  const struct node *bits = &expr->nodes[operands[1].node];
  const struct operator_row *next_row = find_operator(&parser->token, false);
  if (!second || !is_bitwise(second) || expr->nodes[bits->children[0]].kind != NODE_NUMBER) return true;
  if (next_row && compares(next_row)) return true; /* a chain, which fails there */
  return wrong(parser, (struct mark){bits->at, bits->length, 0, 0},
               hint_of_bits(parser->call, expr, bits, left, row->text),
               "compares with the result of %s, which precedes comparisons", second->text);
}

/* Fails where `or` has a word in place of a comparison. */
static bool check_word(struct parser *parser, const struct operator_row *row, const struct value operands[2]) {
  const struct value *word = &operands[1];
  if (row->kind != NODE_TRUE_OR || word->kind != VALUE_WORD || !operands[0].is_comparison) return true;
  const char *hint = hint_of_or(parser->call, parser->expr, operands[0].node, whole(word));
  return wrong(parser, word->mark, hint, "has a word here, but " COMPARED_ALONE);
}

/* Notes what operands must be for the operator to mean what it seems to: see programs.h. */
static void note_written(struct node *nodes, const struct operator_row *row, const struct value operands[2],
                         struct node *made) {
  const bool first = operands[0].is_comparison, second = operands[1].is_comparison;
  if ((compares(row) || is_bitwise(row)) && first != second) made->written |= first ? LEFT_COMPARED : RIGHT_COMPARED;
  for (int i = 0; i < 2 && compares(row); i++) {
    const struct operator_row *open = operands[i].open;
    if (open && is_bitwise(open)) nodes[operands[i].node].written |= IN_COMPARISON;
    if (open && open->kind == NODE_TRUE_NOT) nodes[operands[i].node].written |= IN_COMPARISON;
  }
}

static bool apply_binary(struct parser *parser, const struct operator_row *row, struct mark mark,
                         struct value operands[2], struct value *out) {
  struct value given[] = {operands[0], operands[1]};
  const bool gives_bits = is_bitwise(row) && (given[0].is_comparison || given[1].is_comparison);
  const bool gives_bool = compares(row) || row->kind == NODE_TRUE_AND || row->kind == NODE_TRUE_OR;
  for (int i = 0; compares(row) && i < 2; i++)
    if (operands[i].kind == VALUE_WORD && operands[1 - i].kind == VALUE_NODE &&
        !add_word(parser, &operands[1 - i], &operands[i]))
      return false;
  if (compares(row) && !check_chain(parser, row, mark, given)) return false;
  if (!check_word(parser, row, given)) return false;
  if (!parser->x) mark.from = given[0].mark.from;
  if (!add_operation(parser, row->kind, row->op, mark, 2, operands, out)) return false;
  note_written(parser->expr->nodes, row, given, &parser->expr->nodes[out->node]);
  return out->is_comparison = gives_bool || gives_bits, out->open = row, true;
}

/* -------------------------------------------------------------------------------------------------------- functions */

/* clang-format off */
/* Name; node; numbers of arguments; parameters, NULL: only definitions call it. A function with a definition is that
   expression of its arguments, x, y, z and w; `op` has the hundredths of the last one if it is absent. For a call there
   are NODES_PER_BYTE for each character of the text, and SPARE_NODES: see create. */
static const struct function {
  const char *name;
  enum node_kind kind;
  int op, least, most;
  const char *parameters, *definition;
} functions[] = {
#define UNARY(ENUM, name, ...)    {name, NODE_UNARY, STREW_##ENUM, 1, 1, "x", NULL},
#define BINARY(ENUM, name, ...)   {name, NODE_BINARY, STREW_##ENUM, 2, 2, "a, b", NULL},
#define DTYPE(ENUM, s, name, ...) {name, NODE_CONVERT, STREW_##ENUM, 1, 1, "x", NULL},
#define FOLD(name, ENUM) {name, NODE_FOLD, STREW_FOLD_##ENUM, 1, 3, "x [, dim [, keepdim]]", NULL},
    {"round", NODE_CALL, CALL_ROUND, 1, 2, "x [, digits]", NULL},
    STREW_UNARY(UNARY) STREW_BINARY(BINARY) STREW_DTYPES(DTYPE)
    FOLD("sum", SUM) FOLD("mean", MEAN) FOLD("var", VAR) FOLD("std", STD) FOLD("min", AMIN) FOLD("max", AMAX)
    FOLD("amin", AMIN) FOLD("amax", AMAX) FOLD("any", ANY) FOLD("all", ALL) FOLD("prod", PROD)
#define SKIPPING(name, definition) {name, NODE_FOLD, STREW_FOLD_SUM, 1, 3, "x [, dim [, keepdim]]", definition},
    {"median", NODE_CALL, CALL_MEDIAN, 1, 3, "x [, dim [, keepdim]]", NULL},
    {"nanmedian", NODE_CALL, CALL_NANMEDIAN, 1, 3, "x [, dim [, keepdim]]", NULL},
#define OF_WORDS(ENUM, name, least, most, parameters) {name, NODE_CALL, CALL_##ENUM, least, most, parameters, NULL},
    CALLS_OF_WORDS(OF_WORDS)
    {"where", NODE_WHERE, 0, 3, 3, "c, a, b", NULL},
    {"clamp", NODE_CLAMP, 0, 2, 3, "x, low [, high]", NULL},
    {"masked_fill", NODE_MASKED_FILL, 0, 3, 3, "x, mask, value", NULL},
    {"nan_to_num", NODE_REPLACEMENT, 0, 1, 4, "x [, nan [, posinf [, neginf]]]", NULL},
    {"isclose", NODE_CLOSE, 0, 2, 5, "a, b [, rtol [, atol [, equal_nan]]]", NULL},
    {"isnan", NODE_BINARY, 0, 1, 1, "x", "x ~= x"},
    {"isinf", NODE_BINARY, 0, 1, 1, "x", "(x == 1e999) | (x == -1e999)"},
    {"isfinite", NODE_BINARY, 0, 1, 1, "x", "(x > -1e999) & (x < 1e999)"},
    {"positive", NODE_BINARY, 0, 1, 1, "x", "x"},
    {"square", NODE_BINARY, 0, 1, 1, "x", "x * x"},
    {"reciprocal", NODE_BINARY, 0, 1, 1, "x", "1 / x"},
    {"trunc", NODE_WHERE, 0, 1, 1, "x", "where(x < 0, ceil(x), floor(x))"},
    {"softplus", NODE_BINARY, 0, 1, 1, "x", "logaddexp(x, 0)"},
    {"elu", NODE_WHERE, 100, 1, 2, "x [, alpha]", "where(x > 0, x, y * expm1(x))"},
    {"leaky_relu", NODE_WHERE, 1, 1, 2, "x [, slope]", "where(x > 0, x, y * x)"},
    {"lerp", NODE_BINARY, 0, 3, 3, "x, other, weight", "x + (y - x) * z"},
    {"heaviside", NODE_WHERE, 0, 2, 2, "x, other", "where(x == 0, y, x > 0)"},
    {"logical_xor", NODE_BINARY, 0, 2, 2, "a, b", "(x ~= 0) ~ (y ~= 0)"},
    SKIPPING("nansum", "sum(where(x == x, x, own(x, 0)), y, z)")
    SKIPPING("nanmean", "like(mean_of(x, wide(x), y, z), x)")
    SKIPPING("nanmax", "where(any(x == x, y, z), max(where(x == x, x, own(x, -1e999)), y, z), own(x, 0 / 0))")
    SKIPPING("nanmin", "where(any(x == x, y, z), min(where(x == x, x, own(x, 1e999)), y, z), own(x, 0 / 0))")
    SKIPPING("nanstd", "like(sqrt(mean_of(x, square(rest_of(x, rest_of(x, wide(x), y), y)), y, z)), x)")
    /* Parts of these: mean_of(x, y, dim, keepdim) is of y where x is no NaN, rest_of is y without it. */
    {"own", NODE_REPLACEMENT, 0, 2, 2, NULL, NULL},
    {"wide", NODE_WIDE, 0, 1, 1, NULL, NULL},
    {"like", NODE_LIKE, 0, 2, 2, NULL, NULL},
    {"mean_of", NODE_WHERE, 0, 4, 4, NULL, "sum(where(x == x, y, 0), z, w) / sum(like(x == x, wide(x)), z, w)"},
    {"rest_of", NODE_WHERE, 0, 3, 3, NULL, "where(x == x, y - mean_of(x, y, z, true), 0)"},
};
/* clang-format on */

/* sub(t, i, j), beside the difference of two. */
static const struct function sub_of_words = {"sub", NODE_CALL, CALL_SUB, 2, 3, "t, i [, j]", NULL};

static const struct function *find_function(const struct parser *parser, const struct token *name) {
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if ((functions[i].parameters || parser->x) && is_one_of(name, functions[i].name)) return &functions[i];
  return NULL;
}

static bool unknown(struct parser *parser, const struct token *name, struct mark mark) __attribute__((cold, noinline));
static bool unknown(struct parser *parser, const struct token *name, struct mark mark) {
  char text[TEXT_BYTES];
  snprintf(text, sizeof text, "%.*s", name->length < 100 ? name->length : 100, name->at);
  strew_guess guess = {.wanted = text};
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (functions[i].parameters) strew_guess_name(&guess, functions[i].name);
  const char *other = hint_of_foreign(foreign_calls, name),
             *nearest = other ? other : hint_of_guess(parser->call, &guess);
  return wrong(parser, mark, nearest ? nearest : "compute it first, and pass the result as an input",
               "calls '%s', which is no elementwise function or reduction", text);
}

static bool parse(struct parser *parser, int priority, struct value *out);

/* Reads the closing bracket; fails if there is another token. */
static bool accept_closing(struct parser *parser, const char *brackets, struct mark opening, const char *expected) {
  const char closing[] = {brackets[1], '\0'};
  if (accept(parser, closing)) return true;
  if (parser->token.kind != END) return unexpected(parser, expected);
  return wrong(parser, opening, NULL, "ends before this '%c' is closed", *brackets);
}

/* The arguments, after the opening parenthesis. If there are too many, the last ones are kept. */
static bool parse_arguments(struct parser *parser, struct mark opening, int *count, struct value *arguments) {
  *count = 0;
  if (accept(parser, ")")) return true;
  do {
    if (!parse(parser, 0, &arguments[*count % MOST_CHILDREN])) return false;
    ++*count;
  } while (accept(parser, ","));
  return accept_closing(parser, "()", opening, "an operator, ',' or ')'");
}

static bool is_constant(const struct value *value, strew_dtype dtype) {
  return value->kind == VALUE_NUMBER && value->number.dtype == dtype;
}

/* True if it is a constant; ALL_DIMS where a definition passes it on. */
static bool is_dim(const struct parser *parser, const struct value *value) {
  const int64_t dim = value->number.as.i;
  return is_constant(value, STREW_INT64) && dim > -ALL_DIMS && dim <= ALL_DIMS - !parser->x;
}

static bool folds(const struct function *function, strew_fold fold) {
  return function->kind == NODE_FOLD && function->op == (int)fold;
}

/* Fails for dim or keepdim. max(v, 0) would be the largest element to some, to others 0 where v is less. */
static bool fail_fold(struct parser *parser, const struct function *function, struct mark mark, int count,
                      const struct value *arguments, bool has_dim) {
  const bool is_max = folds(function, STREW_FOLD_AMAX), is_extreme = is_max || folds(function, STREW_FOLD_AMIN);
  const struct part parts[] = {whole(&arguments[0]), whole(&arguments[1])};
  const char *hint = hint_of_extreme(parser->call, parser->expr, function->name, parts, is_max, has_dim);
  if (is_extreme && count == 2)
    return wrong(parser, mark, hint, "calls '%s' with two arguments, expected one, or three", function->name);
  if (has_dim)
    return wrong(parser, mark, NULL, "calls '%s' with a wrong keepdim, expected true or false", function->name);
  return wrong(parser, mark, is_extreme ? hint : NULL,
               "calls '%s' with a wrong %s, expected a constant such as 0 or -1", function->name,
               function->kind == NODE_CALL && function->op == CALL_ROUND ? "number of digits" : "dim");
}

/* dim and keepdim are constants, and no nodes. */
static bool add_fold(struct parser *parser, const struct function *function, struct mark mark, int count,
                     struct value *arguments, struct value *out) {
  const bool is_extreme = folds(function, STREW_FOLD_AMAX) || folds(function, STREW_FOLD_AMIN);
  const int64_t dim = count > 1 ? arguments[1].number.as.i : ALL_DIMS;
  const bool has_dim = count < 2 || is_dim(parser, &arguments[1]);
  if (!has_dim || (count == 2 && is_extreme) || (count > 2 && !is_constant(&arguments[2], STREW_BOOL)))
    return fail_fold(parser, function, mark, count, arguments, has_dim);
  struct node node = {.kind = function->kind, .op = function->op, .count = 1, .dim = (int)dim};
  node.keepdim = count > 2 && arguments[2].number.as.i;
  if (!settle(parser, &arguments[0])) return false;
  node.children[0] = arguments[0].node;
  if (!parser->x) mark.to = parser->last;
  return add_node(parser, node, mark, out);
}

/* masked_fill of NaN, inf and -inf, one after another, by the numbers given. */
static bool add_nan_to_num(struct parser *parser, struct mark mark, int count, struct value *given, struct value *out) {
  if (!settle(parser, &given[0])) return false;
  const struct value x = *out = given[0];
  for (int i = 0; i < 3; i++) {
    struct value test[] = {x, x}, replacement[] = {x, x}, fill[] = {*out, x, x};
    if (i)
      test[1] =
          (struct value){.kind = VALUE_NUMBER, .mark = mark, .number = strew_float(i == 1 ? HUGE_VAL : -HUGE_VAL)};
    if (i + 1 < count) replacement[1] = given[i + 1];
    if (!add_operation(parser, NODE_BINARY, i ? STREW_EQ : STREW_NE, mark, 2, test, &fill[1])) return false;
    if (!add_operation(parser, NODE_REPLACEMENT, i, mark, i + 1 < count ? 2 : 1, replacement, &fill[2])) return false;
    if (!add_operation(parser, NODE_MASKED_FILL, 0, mark, 3, fill, out)) return false;
  }
  return true;
}

/* Adds dim and keepdim to the argument. */
static bool complete_fold(struct parser *parser, const struct function *function, struct mark mark, int count,
                          struct value *arguments) {
  const bool has_dim = count < 2 || is_dim(parser, &arguments[1]);
  if (!has_dim || (count > 2 && !is_constant(&arguments[2], STREW_BOOL)))
    return fail_fold(parser, function, mark, count, arguments, has_dim);
  const strew_scalar absent[] = {[1] = strew_int(ALL_DIMS), [2] = strew_bool(false)};
  for (int i = count; i < 3; i++)
    arguments[i] = (struct value){.kind = VALUE_NUMBER, .mark = mark, .number = absent[i]};
  return true;
}

/* Reads the function's definition in place of the text. */
static bool expand(struct parser *parser, const struct function *function, struct mark mark, int count,
                   struct value *arguments, struct value *out) {
  const struct token token = parser->token;
  const char *end = parser->end;
  const struct value *x = parser->x;
  const struct mark call_mark = parser->call_mark;
  if (function->kind == NODE_FOLD && !complete_fold(parser, function, mark, count, arguments)) return false;
  if (function->kind != NODE_FOLD && count < function->most)
    arguments[count] = (struct value){.kind = VALUE_NUMBER, .mark = mark, .number = strew_float(function->op / 100.0)};
  for (int i = 0; i < count; i++) {
    if (arguments[i].kind != VALUE_NUMBER && !settle(parser, &arguments[i])) return false;
    arguments[i].is_comparison = false;
  }
  if (!settle(parser, &arguments[0])) return false;
  if (!x) mark.to = parser->last;
  parser->x = arguments, parser->call_mark = mark, parser->end = function->definition;
  next(parser);
  const bool is_read = parse(parser, 0, out);
  parser->x = x, parser->call_mark = call_mark, parser->token = token, parser->end = end;
  return is_read;
}

static bool parse_call(struct parser *parser, const struct token *name, struct mark mark, struct value *out) {
  struct value arguments[MOST_CHILDREN];
  int count;
  const struct mark opening = mark_of(parser);
  const struct function *function = find_function(parser, name);
  if (!function) return unknown(parser, name, mark);
  next(parser);
  if (!parse_arguments(parser, opening, &count, arguments)) return false;
  if (count > 2 && function->kind == NODE_BINARY && function->op == STREW_SUB) function = &sub_of_words;
  if (count < function->least || count > function->most)
    return wrong(parser, mark, NULL, "calls '%s' with %d argument%s, expected %s(%s)", function->name, count,
                 count == 1 ? "" : "s", function->name, function->parameters);
  if (function->definition) return expand(parser, function, mark, count, arguments, out);
  if (function->kind == NODE_REPLACEMENT && function->parameters)
    return add_nan_to_num(parser, mark, count, arguments, out);
  if (function->kind == NODE_CALL && function->op == CALL_ROUND && count == 1)
    return add_operation(parser, NODE_UNARY, STREW_ROUND, mark, count, arguments, out);
  if (function->kind == NODE_FOLD || (function->kind == NODE_CALL && function->op < FIRST_OF_WORDS))
    return add_fold(parser, function, mark, count, arguments, out);
  return add_operation(parser, function->kind, function->op, mark, count, arguments, out);
}

/* ---------------------------------------------------------------------------------------------------------- grammar */

/* A name, or a call. */
static bool parse_name(struct parser *parser, struct value *out) {
  const struct token name = parser->token;
  const struct mark mark = mark_of(parser);
  if (is_one_of(&name, lua_keywords)) return unexpected(parser, "a value");
  next(parser);
  if (is_one_of(&parser->token, "(")) {
    if (!parse_call(parser, &name, mark, out)) return false;
    return out->is_comparison = false, true;
  }
  return parser->x ? (*out = parser->x[(*name.at - 'x') & 3], true) : add_input(parser, &name, mark, out);
}

/* Rows: m[i], after m and the bracket. */
static bool parse_index(struct parser *parser, struct mark mark, struct value *out) {
  struct value operands[2] = {*out};
  if (!parse(parser, 0, &operands[1])) return false;
  const struct mark closing = mark_of(parser);
  if (!accept_closing(parser, "[]", mark, "an operator or ']'")) return false;
  mark.length = closing.at + 1 - mark.at;
  mark.from = out->mark.from;
  return add_operation(parser, NODE_INDEX, 0, mark, 2, operands, out);
}

/* A name, a call or an expression in parentheses, and the brackets after it. */
static bool parse_suffixed(struct parser *parser, struct value *out) {
  struct mark mark = mark_of(parser);
  if (accept(parser, "(")) {
    if (!parse(parser, 0, out)) return false;
    if (!accept_closing(parser, "()", mark, "an operator or ')'")) return false;
    out->mark.from = mark.from, out->mark.to = parser->last;
  } else if (parser->token.kind != NAME) {
    return unexpected(parser, "a value");
  } else if (!parse_name(parser, out)) {
    return false;
  }
  while (mark = mark_of(parser), accept(parser, "["))
    if (!parse_index(parser, mark, out)) return false;
  return out->open = NULL, true;
}

/* A number, a word, true or false, or one of the above. */
static bool parse_simple(struct parser *parser, struct value *out) {
  const struct token *token = &parser->token;
  *out = (struct value){.kind = VALUE_NUMBER, .number = token->number, .mark = mark_of(parser)};
  if (token->kind == WORD)
    out->kind = VALUE_WORD;
  else if (is_one_of(token, "true") || is_one_of(token, "false"))
    out->number = strew_bool(token->length == 4);
  else if (token->kind != NUMBER)
    return parse_suffixed(parser, out);
  return next(parser), true;
}

/* Operands and the operators between them whose priority is above `priority`. */
static bool parse(struct parser *parser, int priority, struct value *out) {
  struct value operands[2];
  struct mark mark = mark_of(parser);
  const struct operator_row *row = find_operator(&parser->token, true);
  if (++parser->depth > MAX_DEPTH) return wrong(parser, mark, NULL, "is nested more than %d levels deep", MAX_DEPTH);
  if (row) next(parser);
  if (!(row ? parse(parser, row->right, &operands[0]) : parse_simple(parser, &operands[0]))) return false;
  if (row && !apply_unary(parser, row, mark, &operands[0])) return false;
  while ((row = find_operator(&parser->token, false)) != NULL && row->left > priority) {
    mark = mark_of(parser);
    next(parser);
    if (!parse(parser, row->right, &operands[1])) return false;
    if (!apply_binary(parser, row, mark, operands, &operands[0])) return false;
  }
  parser->depth--;
  *out = operands[0];
  return true;
}

static bool parse_all(struct parser *parser) {
  struct value value;
  parser->end = parser->expr->text;
  next(parser);
  if (!parse(parser, 0, &value)) return false;
  return parser->token.kind == END ? settle(parser, &value) : unexpected(parser, "an operator or the end");
}

/* ---------------------------------------------------------------------------------------------------------- objects */

static void give_back(strew_context *context, struct released *released) {
  strew_expr *expr = (strew_expr *)(void *)((char *)released - offsetof(strew_expr, released));
  memory_free(context, expr, expr->size_bytes);
}

void strew_expr_release(strew_expr *expr) {
  if (!expr || !drop_reference(&expr->references)) return;
  strew_context *context = expr->context;
  context_give_back(context, &expr->released);
  strew_context_release(context);
}

/* A call of the longest definition, nanstd(x), adds fewer nodes than its characters have. */
enum { NODES_PER_BYTE = 3, SPARE_NODES = 8 };
static size_t most_nodes(size_t length) {
  const size_t most = length * NODES_PER_BYTE + SPARE_NODES;
  return most < MAX_NODES ? most : MAX_NODES;
}

/* One block: NODES_PER_BYTE nodes take a character of the text, and a name or word as many as its copy. */
static strew_status create(const struct call *call, strew_context *context, const char *text, size_t length,
                           strew_expr **out) {
  const size_t nodes = most_nodes(length) * sizeof(struct node);
  const size_t inputs = MAX_INPUTS * sizeof(char *), words = MAX_WORDS * sizeof(struct word);
  const size_t size_bytes = sizeof(strew_expr) + nodes + inputs + words + 2 * (length + 1);
  char *block = memory_allocate(context, size_bytes);
  if (!block) return fail_memory(call, context, size_bytes);
  strew_expr *expr = (strew_expr *)(void *)block;
  block += sizeof *expr;
  *expr = (strew_expr){.released = {NULL, give_back}, .context = context, .size_bytes = size_bytes};
  atomic_init(&expr->references, 1);
  expr->nodes = (struct node *)(void *)block;
  expr->inputs = (const char **)(void *)(block + nodes);
  expr->words = (struct word *)(void *)(block + nodes + inputs);
  block += nodes + inputs + words;
  memcpy(block, text, length);
  block[length] = '\0';
  expr->text = block;
  return *out = expr, STREW_OK;
}

static strew_status parse_text(struct call *call, strew_expr *expr, size_t length) {
  struct parser parser = {.call = call, .expr = expr, .strings = (char *)expr->text + length + 1};
  const char *zero = memchr(expr->text, '\0', length);
  parser.c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (parser.c_locale == (locale_t)0) return fail_memory(call, expr->context, sizeof parser);
  if (zero)
    wrong(&parser, (struct mark){(int)(zero - expr->text), 1, 0, 0}, NULL, "has a zero byte");
  else
    parse_all(&parser);
  freelocale(parser.c_locale);
  call->place = NULL;
  return parser.status;
}

strew_status strew_expr_parse(strew_context *context, const char *text, size_t length, strew_expr **out,
                              strew_error *error) {
  CALL(call, "expr", error, {0});
  strew_expr *expr;
  if (!text) return fail(&call, FAULT(STREW_EARGUMENT, "text"), "is missing");
  if (length > MAX_TEXT)
    return fail(&call, HINTED(STREW_EARGUMENT, "text", split_hint), "has %zu bytes, expected at most %d", length,
                MAX_TEXT);
  RETURN_IF_FAILED(create(&call, context, text, length, &expr));
  const strew_status status = parse_text(&call, expr, length);
  if (status != STREW_OK) return memory_free(context, expr, expr->size_bytes), status;
  strew_context_retain(context);
  return *out = expr, STREW_OK;
}

const char *strew_expr_text(const strew_expr *expr) { return expr->text; }
int strew_expr_input_count(const strew_expr *expr) { return expr->input_count; }
const char *strew_expr_input(const strew_expr *expr, int i) {
  return i >= 0 && i < expr->input_count ? expr->inputs[i] : NULL;
}
int strew_expr_word_count(const strew_expr *expr) { return expr->word_count; }
const char *strew_expr_word(const strew_expr *expr, int i, int *input) {
  if (i < 0 || i >= expr->word_count) return NULL;
  if (input) *input = expr->words[i].input;
  return expr->words[i].text;
}

static const char *const node_words[] = {
    [NODE_NUMBER] = "number", [NODE_INPUT] = "input", [NODE_WORD] = "word",
    [NODE_TRUE_AND] = "and",  [NODE_TRUE_OR] = "or",  [NODE_TRUE_NOT] = "not",
    [NODE_WHERE] = "where",   [NODE_CLAMP] = "clamp", [NODE_MASKED_FILL] = "masked_fill",
    [NODE_CONVERT] = "to",    [NODE_INDEX] = "index", [NODE_REPLACEMENT] = "replacement",
    [NODE_CLOSE] = "isclose", [NODE_WIDE] = "wide",   [NODE_LIKE] = "like"};

static const char *const call_words[] = {
#define NAME(ENUM, name, ...) [CALL_##ENUM] = name,
    CALLS_OF_WORDS(NAME)[CALL_MEDIAN] = "median", [CALL_NANMEDIAN] = "nanmedian", [CALL_ROUND] = "round",
    [CALL_SUB] = "sub"};
#undef NAME

const char *node_name(const struct node *node) {
  switch (node->kind) {
  case NODE_UNARY: return strew_enum_name(STREW_WORDS_UNARY, node->op);
  case NODE_BINARY: return strew_enum_name(STREW_WORDS_BINARY, node->op);
  case NODE_FOLD: return strew_enum_name(STREW_WORDS_FOLD, node->op);
  case NODE_CALL: return call_words[node->op];
  default: return node_words[node->kind];
  }
}

bool strew_expr_node_at(const strew_expr *expr, int i, strew_expr_node *out) {
  if (i < 0 || i >= expr->node_count) return false;
  const struct node *node = &expr->nodes[i];
  *out = (strew_expr_node){.op = node_name(node),
                           .count = node->count,
                           .number = node->number,
                           .which = node->op,
                           .has_dim = (node->kind == NODE_FOLD || node->kind == NODE_CALL) && node->dim != ALL_DIMS,
                           .dim = node->dim,
                           .keepdim = node->keepdim,
                           .is_call = node->kind == NODE_CALL || (node->kind == NODE_WORD && !node->count),
                           .at = node->at,
                           .length = node->length,
                           .written = node->kind == NODE_BINARY ? node->written : 0};
  memcpy(out->operands, node->children, sizeof out->operands);
  return true;
}
