/* check_expr_text.c: texts of expressions: their nodes, as Lua's grammar has them; each error, with its mark; limits;
   random and damaged texts. (devices: no, there are no tensors.) */
#include "runtime/base/dtype.h"
#include "runtime/programs/programs.h"
#include "trials.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { DUMP_BYTES = 64 << 10 };

/* -------------------------------------------------------------------------------------------------------- a printer */

static void append(char *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void append(char *to, const char *format, ...) {
  va_list arguments;
  const size_t length = strlen(to);
  va_start(arguments, format);
  vsnprintf(to + length, DUMP_BYTES - length, format, arguments);
  va_end(arguments);
}

static void dump_number(strew_scalar number, char *to) {
  if (number.dtype == STREW_BOOL)
    append(to, number.as.i ? "true" : "false");
  else if (number.dtype == STREW_INT64)
    append(to, "%" PRId64, number.as.i);
  else
    append(to, "%a", number.as.f);
}

static const char *name_of(const struct node *node) {
  static const char *const names[] = {
      [NODE_TRUE_AND] = "AND", [NODE_TRUE_OR] = "OR",       [NODE_TRUE_NOT] = "NOT", [NODE_WHERE] = "where",
      [NODE_CLAMP] = "clamp",  [NODE_MASKED_FILL] = "fill", [NODE_INDEX] = "index",  [NODE_WORD] = "word",
      [NODE_INPUT] = "input",  [NODE_NUMBER] = "number"};
  switch (node->kind) {
  case NODE_UNARY: return strew_unary_name((strew_unary_op)node->op);
  case NODE_BINARY: return strew_binary_name((strew_binary_op)node->op);
  case NODE_CONVERT: return strew_dtype_name((strew_dtype)node->op);
  case NODE_FOLD: return strew_fold_name((strew_fold)node->op);
  default: return names[node->kind];
  }
}

/* Prefix notation: "(add x (mul 2 y))"; a reduction has its dim, and "keep". */
static void dump(const strew_expr *expr, int number, char *to) {
  const struct node *node = &expr->nodes[number];
  if (node->kind == NODE_NUMBER) {
    dump_number(node->number, to);
  } else if (node->kind == NODE_INPUT) {
    append(to, "%s", expr->inputs[node->op]);
  } else if (node->kind == NODE_WORD) {
    append(to, "\"%s\"", expr->words[node->op].text);
  } else {
    append(to, "(%s", name_of(node));
    for (int i = 0; i < node->count; i++) append(to, " "), dump(expr, node->children[i], to);
    if (node->kind == NODE_FOLD && node->dim != ALL_DIMS) append(to, " dim=%d", node->dim);
    if (node->keepdim) append(to, " keep");
    append(to, ")");
  }
}

/* What holds of every result: children come first, each node but the last is a child, no two are equal, marks are
   inside of the text, and names are those of strew.h. */
static void check_nodes(const strew_expr *expr) {
  static char used[1000];
  memset(used, 0, sizeof used);
  const int length = (int)strlen(expr->text);
  ck_assert(expr->node_count > 0 && expr->node_count <= 1000);
  for (int i = 0; i < expr->node_count; i++) {
    const struct node *node = &expr->nodes[i];
    ck_assert(node->at >= 0 && node->length > 0 && node->at + node->length <= length);
    for (int k = 0; k < 3; k++) ck_assert(k < node->count ? node->children[k] < i : node->children[k] == 0);
    for (int k = 0; k < node->count; k++) used[node->children[k]] = 1;
    if (node->kind == NODE_INPUT) ck_assert_ptr_eq(strew_expr_input(expr, node->op), expr->inputs[node->op]);
    if (node->kind == NODE_WORD) ck_assert_int_eq(expr->words[node->op].input, expr->nodes[node->children[0]].op);
    for (int k = 0; i < 100 && k < i; k++) {
      const struct node *other = &expr->nodes[k];
      ck_assert(node->kind != other->kind || node->op != other->op || node->dim != other->dim ||
                node->keepdim != other->keepdim || memcmp(node->children, other->children, sizeof node->children) ||
                node->number.dtype != other->number.dtype || node->number.as.i != other->number.as.i);
    }
  }
  for (int i = 0; i < expr->node_count - 1; i++) ck_assert_msg(used[i], "node %d is no child", i);
}

static strew_expr *parse(const char *text) {
  strew_expr *expr = NULL;
  ok(strew_expr_parse(context, text, strlen(text), &expr, &failure));
  ck_assert_str_eq(strew_expr_text(expr), text);
  check_nodes(expr);
  return expr;
}

static void assert_parses(const char *text, const char *expected) {
  static char dumped[DUMP_BYTES];
  strew_expr *expr = parse(text);
  dumped[0] = '\0';
  dump(expr, expr->node_count - 1, dumped);
  ck_assert_msg(!strcmp(dumped, expected), "%s gives %s, expected %s", text, dumped, expected);
  strew_expr_release(expr);
}

/* ------------------------------------------------------------------------------------------------------------- texts */

static const char *const texts[][2] = {
    /* numerals */
    {"0", "0"},
    {"007", "7"},
    {"9223372036854775807", "9223372036854775807"},
    {"9223372036854775808", "0x1p+63"},
    {"-9223372036854775808", "-0x1p+63"},
    {"0xff", "255"},
    {"0XA", "10"},
    {"0xffffffffffffffff", "-1"},
    {"0x1ffffffffffffffff", "-1"},
    {"-0x8000000000000000", "-9223372036854775808"},
    {"1.", "0x1p+0"},
    {".5", "0x1p-1"},
    {"5e-1", "0x1p-1"},
    {"1E+2", "0x1.9p+6"},
    {"3e0", "0x1.8p+1"},
    {"0.1", "0x1.999999999999ap-4"},
    {"179769313486231580793e289", "0x1.fffffffffffffp+1023"},
    {"1e999", "inf"},
    {"-1e999", "-inf"},
    {"4.9e-324", "0x0.0000000000001p-1022"},
    {"1e-999", "0x0p+0"},
    {"0x.8", "0x1p-1"},
    {"0x1p4", "0x1p+4"},
    {"0xA.8P-1", "0x1.5p+2"},
    {"0x1p-1074", "0x0.0000000000001p-1022"},
    {"0xep1", "0x1.cp+4"},
    {"0xe+1", "(add 14 1)"},
    {"-0", "0"},
    {"-0.0", "-0x0p+0"},
    {"- -2", "2"},
    {"-(2)", "-2"},
    {"-true", "(neg true)"},
    {"~1", "(bitwise_not 1)"},
    {"true", "true"},
    {"false", "false"},
    /* names, blanks and comments */
    {"x", "x"},
    {"_a1", "_a1"},
    {"sum", "sum"},
    {"sum + sum(sum)", "(add sum (sum sum))"},
    {" x\t+\n y\r\n", "(add x y)"},
    {"x -- the first\n+ y -- the second", "(add x y)"},
    {"x --[[ a\n b ]] + --[==[ ]] ]=] ]==] y", "(add x y)"},
    {"x --[=\n- y", "(sub x y)"},
    {"x --1", "x"},
    {"x - -1", "(sub x -1)"},
    /* precedence, in Lua's order */
    {"a or b and c", "(OR a (AND b c))"},
    {"a and b or c", "(OR (AND a b) c)"},
    {"a and b < c", "(AND a (lt b c))"},
    {"a < b | c", "(lt a (bitwise_or b c))"},
    {"a | b ~ c", "(bitwise_or a (bitwise_xor b c))"},
    {"a ~ b | c", "(bitwise_or (bitwise_xor a b) c)"},
    {"a ~ b & c", "(bitwise_xor a (bitwise_and b c))"},
    {"a & b + c", "(bitwise_and a (add b c))"},
    {"a + b * c", "(add a (mul b c))"},
    {"a * b + c", "(add (mul a b) c)"},
    {"a - b // c", "(sub a (floor_divide b c))"},
    {"a * -b", "(mul a (neg b))"},
    {"-a * b", "(mul (neg a) b)"},
    {"-a % b", "(remainder (neg a) b)"},
    {"-x ^ 2", "(neg (pow x 2))"},
    {"-2 ^ 2", "(neg (pow 2 2))"},
    {"2 ^ -3", "(pow 2 -3)"},
    {"2 ^ -x ^ 2", "(pow 2 (neg (pow x 2)))"},
    {"not a == b", "(eq (NOT a) b)"},
    {"not (a == b)", "(NOT (eq a b))"},
    {"~a & b", "(bitwise_and (bitwise_not a) b)"},
    {"a ~ ~b", "(bitwise_xor a (bitwise_not b))"},
    {"not not a", "(NOT (NOT a))"},
    {"- not ~a", "(neg (NOT (bitwise_not a)))"},
    {"not a and b", "(AND (NOT a) b)"},
    {"a <= b and b >= c or a ~= c", "(OR (AND (le a b) (ge b c)) (ne a c))"},
    /* associativity */
    {"a - b - c", "(sub (sub a b) c)"},
    {"a - (b - c)", "(sub a (sub b c))"},
    {"a / b * c % d // e", "(floor_divide (remainder (mul (div a b) c) d) e)"},
    {"a ^ b ^ c", "(pow a (pow b c))"},
    {"(a ^ b) ^ c", "(pow (pow a b) c)"},
    {"a ~ b ~ c", "(bitwise_xor (bitwise_xor a b) c)"},
    {"a == b == c", "(eq (eq a b) c)"},
    {"a < b == c", "(eq (lt a b) c)"},
    {"a or b or c", "(OR (OR a b) c)"},
    {"a and b and c", "(AND (AND a b) c)"},
    {"((x))", "x"},
    /* functions */
    {"exp(x)", "(exp x)"},
    {"exp (-x)", "(exp (neg x))"},
    {"maximum(a, b + 1)", "(maximum a (add b 1))"},
    {"pow(x, 2)", "(pow x 2)"},
    {"where(c, a, b)", "(where c a b)"},
    {"clamp(x, -1, 1)", "(clamp x -1 1)"},
    {"masked_fill(x, x < 0, 0)", "(fill x (lt x 0) 0)"},
    {"float32(x)", "(float32 x)"},
    {"bool(x)", "(bool x)"},
    {"isnan(x + 1)", "(ne (add x 1) (add x 1))"},
    {"isinf(x)", "(bitwise_or (eq x inf) (eq x -inf))"},
    {"isfinite(x)", "(bitwise_and (gt x -inf) (lt x inf))"},
    {"isnan(isfinite(2))", "(ne (bitwise_and (gt 2 -inf) (lt 2 inf)) (bitwise_and (gt 2 -inf) (lt 2 inf)))"},
    {"not isnan(x) and y", "(AND (NOT (ne x x)) y)"},
    /* reductions */
    {"sum(x)", "(sum x)"},
    {"mean(x, 0)", "(mean x dim=0)"},
    {"var(x, -1, true)", "(var x dim=-1 keep)"},
    {"std(x, 1, false)", "(std x dim=1)"},
    {"min(x) + amin(x)", "(add (amin x) (amin x))"},
    {"max(x, 0x0, (true))", "(amax x dim=0 keep)"},
    {"any(x) and all(x, 15)", "(AND (any x) (all x dim=15))"},
    {"prod(x, -16)", "(prod x dim=-16)"},
    {"(x - mean(x, 0, true)) / std(x, 0, true)", "(div (sub x (mean x dim=0 keep)) (std x dim=0 keep))"},
    /* rows */
    {"m[i]", "(index m i)"},
    {"m[i][j] + f", "(add (index (index m i) j) f)"},
    {"mean(x)[g + 1] ^ 2", "(pow (index (mean x) (add g 1)) 2)"},
    {"(a + b)[i]", "(index (add a b) i)"},
    {"-m[i]", "(neg (index m i))"},
    {"(2)[i]", "(index 2 i)"},
    {"m[--[[]]i]", "(index m i)"},
    /* words */
    {"city == \"Rome\"", "(eq city \"Rome\")"},
    {"'Rome' ~= city", "(ne \"Rome\" city)"},
    {"(city) == ('Rome')", "(eq city \"Rome\")"},
    {"a == 'it\\'s' or a == \"\\\"\\\\\\t\\n\"", "(OR (eq a \"it's\") (eq a \"\"\\\t\n\"))"},
    {"a == '' and a ~= 'é'", "(AND (eq a \"\") (ne a \"é\"))"},
    {"a == '--[[' or b == '--[['", "(OR (eq a \"--[[\") (eq b \"--[[\"))"},
};

START_TEST(test_texts) {
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) assert_parses(texts[i][0], texts[i][1]);
}
END_TEST

Suite *make_suite(void) {
  test_allocator = counting_allocator;
  Suite *suite = suite_create("expr_text");
  TCase *all = new_case(suite, "texts");
  tcase_add_test(all, test_texts);
  return suite;
}
