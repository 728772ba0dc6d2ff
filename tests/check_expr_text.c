/* check_expr_text.c: texts of expressions: their nodes, as Lua's grammar has them; each error, with its mark; limits;
   random and damaged texts. (devices: no, texts are read on the host.) */
#include "runtime/core/base/dtype.h"
#include "runtime/programs/programs.h"
#include "trials.h"

#include <ctype.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
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

static const char *name_of(const strew_expr *expr, int number) {
  strew_expr_node node;
  ck_assert(strew_expr_node_at(expr, number, &node));
  return strcmp(node.op, "to") == 0 ? strew_dtype_name((strew_dtype)node.which) : node.op;
}

static bool has_dim(const strew_expr *expr, int number) {
  strew_expr_node node;
  return strew_expr_node_at(expr, number, &node) && node.has_dim;
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
    append(to, "(%s", name_of(expr, number));
    for (int i = 0; i < node->count; i++) append(to, " "), dump(expr, node->children[i], to);
    if (has_dim(expr, number)) append(to, " dim=%d", node->dim);
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
    for (int k = 0; k < MOST_CHILDREN; k++) ck_assert(k < node->count ? node->children[k] < i : node->children[k] == 0);
    for (int k = 0; k < node->count; k++) used[node->children[k]] = 1;
    if (node->kind == NODE_INPUT) ck_assert_ptr_eq(strew_expr_input(expr, node->op), expr->inputs[node->op]);
    const struct node *of = &expr->nodes[node->children[0]];
    if (node->kind == NODE_WORD) ck_assert_int_eq(expr->words[node->op].input, of->kind == NODE_INPUT ? of->op : -1);
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

/* ------------------------------------------------------------------------------------------------------------ texts */

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
    {"179769313486231580793e288", "0x1.fffffffffffffp+1023"},
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
    /* names and blanks */
    {"x", "x"},
    {"_a1", "_a1"},
    {"sum", "sum"},
    {"sum + sum(sum)", "(add sum (sum sum))"},
    {" x\t+\n y\r\n", "(add x y)"},
    {"x - -1", "(sub x -1)"},
    {"- - x - - - y", "(sub (neg (neg x)) (neg (neg y)))"},
    /* precedence, in Lua's order */
    {"a or b and c", "(or a (and b c))"},
    {"a and b or c", "(or (and a b) c)"},
    {"a and b < c", "(and a (lt b c))"},
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
    {"not a == b", "(eq (not a) b)"},
    {"not (a == b)", "(not (eq a b))"},
    {"~a & b", "(bitwise_and (bitwise_not a) b)"},
    {"a ~ ~b", "(bitwise_xor a (bitwise_not b))"},
    {"not not a", "(not (not a))"},
    {"- not ~a", "(neg (not (bitwise_not a)))"},
    {"not a and b", "(and (not a) b)"},
    {"a <= b and b >= c or a ~= c", "(or (and (le a b) (ge b c)) (ne a c))"},
    /* associativity */
    {"a - b - c", "(sub (sub a b) c)"},
    {"a - (b - c)", "(sub a (sub b c))"},
    {"a / b * c % d // e", "(floor_divide (remainder (mul (div a b) c) d) e)"},
    {"a ^ b ^ c", "(pow a (pow b c))"},
    {"(a ^ b) ^ c", "(pow (pow a b) c)"},
    {"a ~ b ~ c", "(bitwise_xor (bitwise_xor a b) c)"},
    {"(a == b) == c", "(eq (eq a b) c)"},
    {"c == (a < b)", "(eq c (lt a b))"},
    {"a & b == c", "(eq (bitwise_and a b) c)"},
    {"a == b & 2", "(eq a (bitwise_and b 2))"},
    {"a == (1 | b)", "(eq a (bitwise_or 1 b))"},
    {"a or b or c", "(or (or a b) c)"},
    {"(a < b) < c", "(lt (lt a b) c)"},
    {"isnan(a) <= isnan(b)", "(le (ne a a) (ne b b))"},
    {"a < (b < c)", "(lt a (lt b c))"},
    {"a and b and c", "(and (and a b) c)"},
    {"((x))", "x"},
    /* functions */
    {"exp(x)", "(exp x)"},
    {"exp (-x)", "(exp (neg x))"},
    {"maximum(a, b + 1)", "(maximum a (add b 1))"},
    {"pow(x, 2)", "(pow x 2)"},
    {"where(c, a, b)", "(where c a b)"},
    {"clamp(x, -1, 1)", "(clamp x -1 1)"},
    {"clamp(x, low)", "(clamp x low)"},
    {"isclose(a, b)", "(isclose a b)"},
    {"isclose(a, b, 1e999, k, true)", "(isclose a b inf k true)"},
    {"nan_to_num(x)",
     "(masked_fill (masked_fill (masked_fill x (ne x x) (replacement x)) (eq x inf) (replacement x)) (eq x -inf) "
     "(replacement x))"},
    {"nan_to_num(x, 1, k)",
     "(masked_fill (masked_fill (masked_fill x (ne x x) (replacement x 1)) (eq x inf) (replacement x k)) (eq x -inf) "
     "(replacement x))"},
    {"softplus(x)", "(logaddexp x 0)"},
    {"elu(x)", "(where (gt x 0) x (mul 0x1p+0 (expm1 x)))"},
    {"lerp(a, 2, k) + 1", "(add (add a (mul (sub 2 a) k)) 1)"},
    {"masked_fill(x, x < 0, 0)", "(masked_fill x (lt x 0) 0)"},
    {"float32(x)", "(float32 x)"},
    {"bool(x)", "(bool x)"},
    {"isnan(x + 1)", "(ne (add x 1) (add x 1))"},
    {"isinf(x)", "(bitwise_or (eq x inf) (eq x -inf))"},
    {"isfinite(x)", "(bitwise_and (gt x -inf) (lt x inf))"},
    {"isfinite(a < b)", "(bitwise_and (gt (lt a b) -inf) (lt (lt a b) inf))"},
    {"isnan(isfinite(2))", "(ne (bitwise_and (gt 2 -inf) (lt 2 inf)) (bitwise_and (gt 2 -inf) (lt 2 inf)))"},
    {"not isnan(x) and y", "(and (not (ne x x)) y)"},
    /* reductions */
    {"sum(x)", "(sum x)"},
    {"mean(x, 0)", "(mean x dim=0)"},
    {"var(x, -1, true)", "(var x dim=-1 keep)"},
    {"std(x, 1, false)", "(std x dim=1)"},
    {"min(x) + amin(x)", "(add (amin x) (amin x))"},
    {"max(x, 0x0, (true))", "(amax x dim=0 keep)"},
    {"min(x, -1, false)", "(amin x dim=-1)"},
    {"maximum(x, 0)", "(maximum x 0)"},
    {"any(x) and all(x, 15)", "(and (any x) (all x dim=15))"},
    {"prod(x, -16) + mean(x, 2147483646)", "(add (prod x dim=-16) (mean x dim=2147483646))"},
    {"nansum(x, 0)", "(sum (where (eq x x) x (replacement x 0)) dim=0)"},
    {"nanmin(x, -1, true)",
     "(where (any (eq x x) dim=-1 keep) (amin (where (eq x x) x (replacement x inf)) dim=-1 keep) "
     "(replacement x (div 0 0)))"},
    {"median(x) + nanmedian(x, 0, true)", "(add (median x) (nanmedian x dim=0 keep))"},
    {"round(x) + round(x, -2)", "(add (round x) (round x dim=-2))"},
    {"nanmean(x)", "(like (div (sum (where (eq x x) (wide x) 0)) (sum (like (eq x x) (wide x)))) x)"},
    {"(x - mean(x, 0, true)) / std(x, 0, true)", "(div (sub x (mean x dim=0 keep)) (std x dim=0 keep))"},
    /* rows */
    {"m[i]", "(index m i)"},
    {"m[i][j] + f", "(add (index (index m i) j) f)"},
    {"mean(x)[g + 1] ^ 2", "(pow (index (mean x) (add g 1)) 2)"},
    {"(a + b)[i]", "(index (add a b) i)"},
    {"-m[i]", "(neg (index m i))"},
    {"(2)[i]", "(index 2 i)"},
    /* words */
    {"city == \"Rome\"", "(eq city \"Rome\")"},
    {"'Rome' ~= city", "(ne \"Rome\" city)"},
    {"(city) == ('Rome')", "(eq city \"Rome\")"},
    {"a == 'it\\'s' or a == \"\\\"\\\\\\t\\n\"", "(or (eq a \"it's\") (eq a \"\"\\\t\n\"))"},
    {"a == '' and a ~= 'é'", "(and (eq a \"\") (ne a \"é\"))"},
    {"a == '--[[' or b == '--'", "(or (eq a \"--[[\") (eq b \"--\"))"},
};

START_TEST(test_texts) {
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) assert_parses(texts[i][0], texts[i][1]);
}
END_TEST

/* The bits of constants, which the dump does not tell apart: NaN does not occur. */
START_TEST(test_numbers_are_kept) {
  strew_expr *expr = parse("1 + 1.0 * (0.0 - -0.0) + x * (1 + 0)");
  ck_assert_int_eq(expr->node_count, 12); /* 1, 1.0, 0.0, -0.0, 0, x and 6 operations */
  strew_expr_release(expr);
}
END_TEST

START_TEST(test_equal_parts) {
  static const struct {
    const char *text;
    int nodes;
  } rows[] = {
      {"x + x", 2},
      {"(x + 1) * (x + 1)", 4},
      {"(a - b) * (b - a)", 5},
      {"sum(x) + sum(x, 0) + sum(x, 0, true) + sum(x, 0, false)", 7},
      {"float32(x) + float64(x) + float32(x)", 5},
      {"(x - mean(x)) / std(x) + mean(x)", 6},
      {"isnan(x) or x ~= x", 3},
      {"isinf(x) | isinf(x)", 7},
      {"-1 + -1", 2},
      {"nanstd(a)+nanstd(b)+nanstd(c)", 69},
      {"a == 'u' or b == 'u' or a == 'u' or a ~= 'u'", 10},
      {"m[i] + m[i] + i[m]", 6},
      {"abs(x) + x", 3},
      {"exp(x) + log(x)", 4},
      {"maximum(a, b) + minimum(a, b)", 5},
      {"clamp(a, b, c) + where(a, b, c)", 6},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    strew_expr *expr = parse(rows[i].text);
    ck_assert_msg(expr->node_count == rows[i].nodes, "%s: %d nodes", rows[i].text, expr->node_count);
    strew_expr_release(expr);
  }
}
END_TEST

START_TEST(test_inputs_and_words) {
  strew_expr *expr =
      parse("b * a + b + where(city == 'Rome' or town ~= 'Rome' or 'Rome' == city or city == 'Bari', c, exp(a))");
  static const char *const inputs[] = {"b", "a", "city", "town", "c"}, *const words[] = {"Rome", "Rome", "Bari"};
  static const int compared[] = {2, 3, 2};
  ck_assert_int_eq(strew_expr_input_count(expr), 5);
  ck_assert_int_eq(strew_expr_word_count(expr), 3);
  for (int i = 0; i < 5; i++) ck_assert_str_eq(strew_expr_input(expr, i), inputs[i]);
  for (int i = 0, input; i < 3; i++) {
    ck_assert_str_eq(strew_expr_word(expr, i, &input), words[i]);
    ck_assert_int_eq(input, compared[i]);
    ck_assert_ptr_nonnull(strew_expr_word(expr, i, NULL));
  }
  ck_assert(!strew_expr_input(expr, -1) && !strew_expr_input(expr, 5));
  ck_assert(!strew_expr_word(expr, -1, NULL) && !strew_expr_word(expr, 3, NULL));
  strew_expr_release(expr);
  strew_expr_release(NULL);
}
END_TEST

/* The part of the text that a node's mark covers, of each node in turn. */
START_TEST(test_marks) {
  static const char text[] = " -x ^ 2 // exp( m [ i ] ) + sum(m, 0) == -3.5 and isinf(x) or not (name == 'a')";
  static const char *const marks[] = {"x",     "2",     "^",   "-",    "m",   "i",     "[ i ]", "exp",
                                      "//",    "sum",   "+",   "-3.5", "==",  "isinf", "isinf", "isinf",
                                      "isinf", "isinf", "and", "name", "'a'", "==",    "not",   "or"};
  strew_expr *expr = parse(text);
  ck_assert_int_eq(expr->node_count, sizeof marks / sizeof *marks);
  for (int i = 0; i < expr->node_count; i++) {
    const struct node *node = &expr->nodes[i];
    ck_assert_msg((int)strlen(marks[i]) == node->length && !strncmp(text + node->at, marks[i], strlen(marks[i])),
                  "node %d is marked as '%.*s', expected '%s'", i, node->length, text + node->at, marks[i]);
  }
  strew_expr_release(expr);
}
END_TEST

/* Each function by its name, with each number of arguments. */
START_TEST(test_functions) {
  static const char *const numerals[] = {
      "()", "(x)", "(x, 1)", "(x, 1, true)", "(x, 1, true, 4)", "(x, 1, true, 4, 5)", "(x, 1, true, 4, 5, 6)"};
  static const char unary[] = "neg abs floor ceil relu exp log sqrt rsqrt sin cos tanh sigmoid logical_not "
                              "tan asin acos atan sinh cosh asinh acosh atanh exp2 erf erfc gelu cbrt "
                              "bitwise_not log2 log10 log1p expm1 sign float32 float64 float16 bfloat16 int64 int32 "
                              "int16 int8 uint8 bool isnan isinf isfinite square reciprocal trunc silu softplus "
                              "signbit positive gelu_tanh ";
  static const char binary[] =
      "add mul div floor_divide remainder pow minimum maximum eq ne lt le gt ge logical_and "
      "logical_or bitwise_and bitwise_or bitwise_xor atan2 hypot logaddexp nextafter heaviside logical_xor "
      "fmod copysign bitwise_left_shift bitwise_right_shift gcd lcm ";
  static const char fold[] = "sum mean var std min max amin amax any all prod nansum nanmean nanmax nanmin nanstd "
                             "median nanmedian ",
                    other[] = "where masked_fill lerp ";
  static const struct {
    const char *names;
    int least, most;
  } kinds[] = {{unary, 1, 1},
               {binary, 2, 2},
               {fold, 1, 3},
               {other, 3, 3},
               {"elu leaky_relu round ", 1, 2},
               {"clamp ", 2, 3},
               {"nan_to_num ", 1, 4},
               {"isclose ", 2, 5},
               {"lower upper trim length ", 1, 1},
               {"contains starts_with ends_with match floor_time format ", 2, 2},
               {"replace split ", 3, 3},
               {"sub join_words ", 2, 3}};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    for (const char *name = kinds[k].names; *name; name += strcspn(name, " ") + 1)
      for (int count = 0; count < 7; count++) {
        char text[100];
        strew_expr *expr = NULL;
        sprintf(text, "%.*s%s", (int)strcspn(name, " "), name, numerals[count]);
        clear_failure();
        strew_status status = strew_expr_parse(context, text, strlen(text), &expr, &failure);
        const bool is_extreme = kinds[k].names == fold && (!strncmp(name, "m", 1) || !strncmp(name, "am", 2)) &&
                                strncmp(name, "me", 2) != 0; /* max(x, 1) could be maximum(x, 1) */
        bool is_valid = count >= kinds[k].least && count <= kinds[k].most && !(is_extreme && count == 2);
        ck_assert_msg((status == STREW_OK) == is_valid, "%s: %s", text, failure.message);
        if (expr) check_nodes(expr);
        strew_expr_release(expr);
      }
}
END_TEST

/* ----------------------------------------------------------------------------------------------------------- errors */

static void assert_refuses(const char *text, size_t length, const char *message) {
  strew_expr *expr = NULL;
  assert_fails(strew_expr_parse(context, text, length, &expr, &failure), STREW_EARGUMENT, message);
  ck_assert_str_eq(failure.argument, "text");
  ck_assert_ptr_null(expr);
}

#define WORD_HERE           "has a word here, but a word is compared, or an argument of where or of a call of text or times"
#define WORD_HINT           "write name == \"word\" or name < \"word\""
#define WRONG_DIM(name)     "calls '" name "' with a wrong dim, expected a constant such as 0 or -1"
#define WRONG_KEEPDIM(name) "calls '" name "' with a wrong keepdim, expected true or false"
#define TWO(name)           "calls '" name "' with two arguments, expected one, or three"
#define UNKNOWN(name)       "calls '" name "', which is no elementwise function or reduction"
/* A text; what is wrong with it; the line that marks it; the hint, or NULL. */
static const struct {
  const char *text, *fact, *marks, *hint;
} errors[] = {
    {"", "ends, expected a value", "^", NULL},
    {"x +", "ends, expected a value", "   ^", NULL},
    {"-", "ends, expected a value", " ^", NULL},
    {"(", "ends, expected a value", " ^", NULL},
    {"x + )", "has ')', expected a value", "    ^", NULL},
    {"f(", UNKNOWN("f"), "^", "compute it first, and pass the result as an input"},
    {"x y", "has 'y', expected an operator or the end", "  ^", NULL},
    {"x 2", "has '2', expected an operator or the end", "  ^", NULL},
    {"2 x", "has 'x', expected an operator or the end", "  ^", NULL},
    {"x, y", "has ',', expected an operator or the end", " ^", NULL},
    {")", "has ')', expected a value", "^", NULL},
    {"(x + 2", "ends before this '(' is closed", "^", NULL},
    {"(x + y, 3)", "has ',', expected an operator or ')'", "      ^", NULL},
    {"exp(x", "ends before this '(' is closed", "   ^", NULL},
    {"exp(x y)", "has 'y', expected an operator, ',' or ')'", "      ^", NULL},
    {"exp(x,)", "has ')', expected a value", "      ^", NULL},
    {"m[i", "ends before this '[' is closed", " ^", NULL},
    {"m[", "ends, expected a value", "  ^", NULL},
    {"m[]", "has ']', expected a value", "  ^", NULL},
    {"m[i, j]", "has ',', expected an operator or ']'", "   ^", NULL},
    {"(x)(y)", "has '(', expected an operator or the end", "   ^", NULL},
    {"2[i]", "has '[', expected an operator or the end", " ^", NULL},
    {"exp(x)(y)", "has '(', expected an operator or the end", "      ^", NULL},
    {"x == 'a", "has a word without its closing quote", "     ^^", NULL},
    {"'a\\q'", "has an unknown escape, expected \\\\ \\\" \\' \\n or \\t", "  ^^", NULL},
    {"x == 'a\\", "has an unknown escape, expected \\\\ \\\" \\' \\n or \\t", "       ^", NULL},
    {"\"", "has a word without its closing quote", "^", NULL},
    {"'a'", WORD_HERE, "^^^", WORD_HINT},
    {"x + 'a'", WORD_HERE, "    ^^^", WORD_HINT},
    {"1 == 'a'", WORD_HERE, "     ^^^", WORD_HINT},
    {"x in y", "has 'in', which expressions do not have", "  ^^", "write x == a or x == b"},
    {"x between 1", "has 'between', which expressions do not have", "  ^^^^^^^", "write a <= x and x <= b"},
    {"date(x) == 1", UNKNOWN("date"), "^^^^",
     "write year(t), month(t), day(t), hour(t) and so on, or floor_time(t, 'day')"},
    {"year(x, 1)", "calls 'year' with 2 arguments, expected year(t)", "^^^^", NULL},
    {"dow(x)", UNKNOWN("dow"), "^^^", "write weekday(t), 0 on Mondays"},
    {"week(x)", UNKNOWN("week"), "^^^^", "write iso_week(t)"},
    {"yday(x)", UNKNOWN("yday"), "^^^^", "write day_of_year(t)"},
    {"month_name(x)", UNKNOWN("month_name"), "^^^^^^^^^^",
     "write format(t, '%Y-%m'); %A is the day's name, %B the month's"},
    {"date_trunc('day', x)", UNKNOWN("date_trunc"), "^^^^^^^^^^", "write floor_time(t, 'month')"},
    {"strip(x)", UNKNOWN("strip"), "^^^^^", "write trim(x)"},
    {"upper(x) * 'A'", WORD_HERE, "           ^^^", WORD_HINT},
    {"sub(x, 1, 2, 3)", "calls 'sub' with 4 arguments, expected sub(t, i [, j])", "^^^", NULL},
    {"lower()", "calls 'lower' with 0 arguments, expected lower(t)", "^^^^^", NULL},
    {"exp('a')", WORD_HERE, "    ^^^", WORD_HINT},
    {"m['a']", WORD_HERE, "  ^^^", WORD_HINT},
    {"'a' == 'b'", WORD_HERE, "^^^", WORD_HINT},
    {"-'a'", WORD_HERE, " ^^^", WORD_HINT},
    {"x and 'a'", WORD_HERE, "      ^^^", WORD_HINT},
    {"isnan('a')", WORD_HERE, "      ^^^", WORD_HINT},
    {"sum('a')", WORD_HERE, "    ^^^", WORD_HINT},
    {"sum(x, 'a')", WRONG_DIM("sum"), "^^^", NULL},
    {"3x", "has a malformed number", "^^", NULL},
    {"0x", "has a malformed number", "^^", NULL},
    {"1x0", "has a malformed number", "^^^", NULL},
    {"1e", "has a malformed number", "^^", NULL},
    {"1e+", "has a malformed number", "^^^", NULL},
    {"1.2.3", "has a malformed number", "^^^^^", NULL},
    {"0x1p", "has a malformed number", "^^^^", NULL},
    {"1..2", "has a malformed number", "^^^^", NULL},
    {"0xg", "has a malformed number", "^^^", NULL},
    {"08a", "has a malformed number", "^^^", NULL},
    {"x = 1", "has '=', which expressions do not have", "  ^",
     "== compares; arguments of calls have no names: sum(x, 0, true)"},
    {"x != 1", "has '!=', which expressions do not have", "  ^^", "write ~="},
    {"!x", "has '!', which expressions do not have", "^", "write 'not' for a bool, ~ for the bits of an integer"},
    {"x && y", "has '&&', which expressions do not have", "  ^^", "write 'and' for bools, & for bits"},
    {"x || y", "has '||', which expressions do not have", "  ^^", "write 'or' for bools, | for bits"},
    {"x ** 2", "has '**', which expressions do not have", "  ^^", "write ^"},
    {"x << 2", "has '<<', which expressions do not have", "  ^^",
     "write bitwise_left_shift(a, b) or bitwise_right_shift(a, b)"},
    {"x >> 2", "has '>>', which expressions do not have", "  ^^",
     "write bitwise_left_shift(a, b) or bitwise_right_shift(a, b)"},
    {"x .. y", "has '..', which expressions do not have", "  ^^", "write join_words(a, b, ' ')"},
    {"#x", "has '#', which expressions do not have", "^", "there are no lengths: pass the length as an input"},
    {"x:exp()", "has ':', which expressions do not have", " ^",
     "there are no methods and slices: write exp(x) for x:exp()"},
    {"x::y", "has '::', which expressions do not have", " ^^",
     "there are no methods and slices: write exp(x) for x:exp()"},
    {"math.sin(x)", "has '.', which expressions do not have", "    ^",
     "there are no fields: write sin(x), without a library before it; a name is one word"},
    {"x.y", "has '.', which expressions do not have", " ^",
     "there are no fields: write sin(x), without a library before it; a name is one word"},
    {"x ? a : b", "has '?', which expressions do not have", "  ^", "write where(c, a, b)"},
    {"{1, 2}", "has '{', which expressions do not have", "^", "there are no tables: pass a tensor as an input"},
    {"}", "has '}', which expressions do not have", "^", "there are no tables: pass a tensor as an input"},
    {"x; y", "has ';', which expressions do not have", " ^", "a text is a single expression"},
    {"nil", "has 'nil', which expressions do not have", "^^^",
     "isnan(x) finds missing numbers; minimum(x, 2) is clamp without a lower bound"},
    {"function(x) return x end", "has 'function', which expressions do not have", "^^^^^^^^",
     "define a function outside of the text"},
    {"if x then y", "has 'if', which expressions do not have", "^^", "write where(c, a, b)"},
    {"x if y", "has 'if', which expressions do not have", "  ^^", "write where(c, a, b)"},
    {"local x", "has 'local', which expressions do not have", "^^^^^", "a text is a single expression"},
    {"return x", "has 'return', which expressions do not have", "^^^^^^", "a text is a single expression"},
    {"x end", "has 'end', which expressions do not have", "  ^^^", "a text is a single expression"},
    {"x in y", "has 'in', which expressions do not have", "  ^^", "write x == a or x == b"},
    {"x is y", "has 'is', which expressions do not have", "  ^^", "== compares"},
    {"do", "has 'do', expected a value", "^^", NULL},
    {"goto + 1", "has 'goto', expected a value", "^^^^", NULL},
    {"and x", "has 'and', expected a value", "^^^", NULL},
    {"x or", "ends, expected a value", "    ^", NULL},
    {"x not y", "has 'not', expected an operator or the end", "  ^^^", NULL},
    {"x @ y", "has '@', which expressions do not have", "  ^",
     "compute a product of matrices first, and pass it as an input"},
    {"x AND y", "has 'AND', which expressions do not have", "  ^^^", "write and, or, not"},
    {"x <> y", "has '<>', which expressions do not have", "  ^^", "write ~="},
    {"x size", "has 'size', expected an operator or the end", "  ^^^^", NULL},
    {"x $", "has '$', expected an operator or the end", "  ^", NULL},
    {"`x`", "has '`', expected a value", "^", "operators are Lua's; names are of a-z, A-Z, digits and _"},
    {"\\", "has '\\', expected a value", "^", NULL},
    {"é", "has 'é', expected a value", "^", "operators are Lua's; names are of a-z, A-Z, digits and _"},
    {"a--b", "has '--', which expressions do not have", " ^^", "write a - -b; a text has no comments"},
    {"--a", "has '--', which expressions do not have", "^^", "write a - -b; a text has no comments"},
    {"a - --b", "has '--', which expressions do not have", "    ^^", "write a - -b; a text has no comments"},
    {"exp(--a)", "has '--', which expressions do not have", "    ^^", "write a - -b; a text has no comments"},
    {"a --[[ b ]]", "has '--', which expressions do not have", "  ^^", "write a - -b; a text has no comments"},
    {"a /* b */", "has '/*', which expressions do not have", "  ^^", "a text has no comments"},
    {"a == b == c", "compares the result of a comparison", "       ^^",
     "write a == b and b == c; (a == b) == c compares two bools"},
    {"a < b == c", "compares the result of a comparison", "      ^^",
     "write a < b and b == c; (a < b) == c compares two bools"},
    {"a ~= b * 2 ~= c + 1", "compares the result of a comparison", "           ^^",
     "write a ~= b * 2 and b * 2 ~= c + 1; (a ~= b * 2) ~= c + 1 compares two bools"},
    {"a == 1 == c", "compares the result of a comparison", "       ^^", "write (a == 1) == c to compare two bools"},
    {"a > 1 & b > 2", "compares the result of a comparison", "          ^",
     "write (a > 1) & (b > 2): & precedes comparisons"},
    {"a == 1 | 2", "compares with the result of |, which precedes comparisons", "       ^",
     "write a == 1 or a == 2; a == (1 | 2) takes bits"},
    {"a > 1 & flag", "compares with the result of &, which precedes comparisons", "      ^",
     "write (a > 1) & flag; a > (1 & flag) takes bits"},
    {"a == 'u' or 'v'", WORD_HERE, "            ^^^", "write a == 'u' or a == 'v'"},
    {"a == 'u' or a == 'v' or 'w'", WORD_HERE, "                        ^^^", "write a == 'v' or a == 'w'"},
    {"max(v, 0)", TWO("max"), "^^^", "maximum(v, 0) is elementwise; max(v, 0, false) reduces dim 0"},
    {"1 + amin(v * 2, (-1))", TWO("amin"), "    ^^^^",
     "minimum(v * 2, -1) is elementwise; amin(v * 2, -1, false) reduces dim -1"},
    {"nanmax(v, 0.0)", WRONG_DIM("nanmax"), "^^^^^^", NULL},
    {"nansum(v, 2147483647)", WRONG_DIM("nansum"), "^^^^^^", NULL},
    {"nanstd(v, 0, 1)", WRONG_KEEPDIM("nanstd"), "^^^^^^", NULL},
    {"like(v, 1)", UNKNOWN("like"), "^^^^", "compute it first, and pass the result as an input"},
    {"quantile(v, 0.9)", UNKNOWN("quantile"), "^^^^^^^^",
     "median(x) is one of a text; compute others first, and pass them as inputs"},
    {"nanmedian(v, 0.0)", WRONG_DIM("nanmedian"), "^^^^^^^^^", NULL},
    {"median(v, 0, 1)", WRONG_KEEPDIM("median"), "^^^^^^", NULL},
    {"round(v, n)", "calls 'round' with a wrong number of digits, expected a constant such as 0 or -1", "^^^^^", NULL},
    {"round(v, 1, 2)", "calls 'round' with 3 arguments, expected round(x [, digits])", "^^^^^", NULL},
    {"max(v, 0.0)", TWO("max"), "^^^", "maximum(v, 0.0) is elementwise"},
    {"min(v, 1 - 1)", TWO("min"), "^^^", "minimum(v, 1 - 1) is elementwise"},
    {"max(0, v)", TWO("max"), "^^^", "maximum(0, v) is elementwise"},
    {"clip(v, 0, 1)", UNKNOWN("clip"), "^^^^", "write clamp(x, low, high), maximum(x, low) or minimum(x, high)"},
    {"exq(x)", UNKNOWN("exq"), "^^^", "did you mean 'eq'?"},
    {"maxmum(a, b)", UNKNOWN("maxmum"), "^^^^^^", "did you mean 'maximum'?"},
    {"foo(x)", UNKNOWN("foo"), "^^^", "compute it first, and pass the result as an input"},
    {"floatt32(x)", UNKNOWN("floatt32"), "^^^^^^^^", "did you mean 'float32'?"},
    {"sum()", "calls 'sum' with 0 arguments, expected sum(x [, dim [, keepdim]])", "^^^", NULL},
    {"exp()", "calls 'exp' with 0 arguments, expected exp(x)", "^^^", NULL},
    {"exp(a, b)", "calls 'exp' with 2 arguments, expected exp(x)", "^^^", NULL},
    {"add(x)", "calls 'add' with 1 argument, expected add(a, b)", "^^^", NULL},
    {"where(a, b)", "calls 'where' with 2 arguments, expected where(c, a, b)", "^^^^^", NULL},
    {"clamp(x)", "calls 'clamp' with 1 argument, expected clamp(x, low [, high])", "^^^^^", NULL},
    {"sum(x, 0, true, 1)", "calls 'sum' with 4 arguments, expected sum(x [, dim [, keepdim]])", "^^^", NULL},
    {"isnan()", "calls 'isnan' with 0 arguments, expected isnan(x)", "^^^^^", NULL},
    {"sum(x, d)", WRONG_DIM("sum"), "^^^", NULL},
    {"sum(x, 1.0)", WRONG_DIM("sum"), "^^^", NULL},
    {"sum(x, true)", WRONG_DIM("sum"), "^^^", NULL},
    {"sum(x, 0, 1)", WRONG_KEEPDIM("sum"), "^^^", NULL},
    {"sum(x, 0, k)", WRONG_KEEPDIM("sum"), "^^^", NULL},
    {"sum(x, 0 + 1)", WRONG_DIM("sum"), "^^^", NULL},
    {"max(a, b)", TWO("max"), "^^^", "maximum(a, b) is elementwise"},
    {"min(a, b)", TWO("min"), "^^^", "minimum(a, b) is elementwise"},
    {"amin(a, 1.5)", TWO("amin"), "^^^^", "minimum(a, 1.5) is elementwise"},
    {"max(a, b, c)", WRONG_DIM("max"), "^^^", "maximum(a, b) is elementwise"},
    {"sum(x, 2147483647)", WRONG_DIM("sum"), "^^^", NULL},
    {"mean(x, -0x7fffffff)", WRONG_DIM("mean"), "^^^^", NULL},
    {"a < b < c", "compares the result of a comparison", "      ^",
     "write a < b and b < c; (a < b) < c compares two bools"},
    {"a < b + c <= d", "compares the result of a comparison", "          ^^",
     "write a < b + c and b + c <= d; (a < b + c) <= d compares two bools"},
};

START_TEST(test_errors) {
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
    char message[2048];
    snprintf(message, sizeof message, "expr: 'text' %s\n  text  %s\n        %s%s%s", errors[i].fact, errors[i].text,
             errors[i].marks, errors[i].hint ? "\n  hint  " : "", errors[i].hint ? errors[i].hint : "");
    assert_refuses(errors[i].text, strlen(errors[i].text), message);
    ck_assert_int_eq(failure.position_rank, 1);
  }
}
END_TEST
/* The line with the place; long ones are cut around it. Columns are characters. */
START_TEST(test_places) {
  static const struct {
    const char *text, *lines;
  } rows[] = {
      {"a +\nb + *\n+ c", "  text  b + *\n            ^"},
      {"a +\r\nb ? c\r\n+ c", "  text  b ? c\n          ^"},
      {"a +\n", "  text  a +\n           ^"},
      {"a == 'u\nv'", "  text  a == 'u\n             ^^"},
      {"m[\n1", "  text  m[\n         ^"},
      {"a\t+\t*", "  text  a + *\n            ^"},
      {"a + \033[2J", "  text  a + ?[2J\n            ^"},
      {"a == 'éé\377' + ?", "  text  a == 'éé?' + ?\n                     ^"},
      {"a == 'é', b", "  text  a == 'é', b\n                ^"},
      {"\342\202", "  text  ?\?\n        ^^"},
      {"where(aaaaaaaaaa, bbbbbbbbbb, cccccccccc, dddddddddd, eeeeeeeee, fffff)",
       "  text  where(aaaaaaaaaa, bbbbbbbbbb, cccccccccc, dddddddddd, eeeeeeeee, fffff...\n        ^^^^^"},
      {"where(aaaaaaaaaa, bbbbbbbbbb, cccccccccc, dddddddddd, eeeeeeeee, ffff)",
       "  text  where(aaaaaaaaaa, bbbbbbbbbb, cccccccccc, dddddddddd, eeeeeeeee, ffff)\n        ^^^^^"},
      {"a + ? + bbbbbbbbbbbbbbbbbbbb + cccccccccccccccccccc + dddddddddddddddddddd + e",
       "  text  a + ? + bbbbbbbbbbbbbbbbbbbb + cccccccccccccccccccc + dddddddddddddddd...\n            ^"},
      {"aaaaaaaaaaaaaaaaaaaa + bbbbbbbbbbbbbbbbbbbb + cccccccccccccccccccc + dddddddddddddddddddd + ? + "
       "eeeeeeeeeeeeeeeeeeee",
       "  text  ...cccccccccccccc + dddddddddddddddddddd + ? + eeeeeeeeeeeeeeeeeeee\n                                  "
       "                 ^"},
      {"aaaaaaaaaaaaaaaaaaaa + bbbbbbbbbbbbbbbbbbbb + cccccccccccccccccccc + dddddddddddddddddddd +",
       "  text  ...ccccccccccccccc + dddddddddddddddddddd +\n                                                   ^"},
      {"a == 'éééééééééééééééééééééééééééééééééééééééééééééééééééééé' + 'éééééééééééééééééééééééééééééééééééé'",
       "  text  a == 'éééééééééééééééééééééééééééééééééééééééééééééééééééééé' + 'ééééé...\n             "
       "^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    assert_refuses(rows[i].text, strlen(rows[i].text), NULL);
    const char *lines = strchr(failure.message, '\n') + 1;
    ck_assert_msg(!strncmp(lines, rows[i].lines, strlen(rows[i].lines)), "%s gives\n%s", rows[i].text, lines);
  }
}
END_TEST

/* The lines stand between those of the operands and the hint. */
START_TEST(test_place_of_an_operation) {
  strew_tensor *price = scalar_tensor(STREW_FLOAT32, strew_float(1));
  const struct place place = {"price // count", 6, 2};
  const struct call call = {.op = "f", .error = &failure, .operands = {{"price", price}}, .place = &place};
  const struct fault fault = HINTED(STREW_EVALUE, "count", "do not");
  assert_fails((fail)(&call, fault, "is 0"), STREW_EVALUE,
               "f: 'count' is 0\n  price  float32[] cpu\n  text   price // count\n               ^^\n  hint   do not");
  for (int with_operand = 0; with_operand < 2; with_operand++)
    for (int with_hint = 0; with_hint < 2; with_hint++) { /* the same lines, marked afterwards */
      struct call marked = {.op = "f", .error = &failure, .operands = {{with_operand ? "price" : NULL, price}}};
      const struct fault told = HINTED(STREW_EVALUE, "count", with_hint ? "do not" : NULL);
      char expected[2048];
      (fail)(&marked, told, "is 0");
      error_mark(&failure, &place, with_hint ? "do not" : "");
      snprintf(expected, sizeof expected, "%s", failure.message);
      marked.place = &place;
      (fail)(&marked, told, "is 0");
      ck_assert_str_eq(expected, failure.message);
    }
  strew_error inner = {.alias = "g"};
  strew_error_set(&inner, STREW_EMEMORY, NULL, "out of memory");
  strew_error_line(&inner, "self", "float32[2] cpu");
  report_call(&call, STREW_EMEMORY, &inner, &failure);
  ck_assert_str_eq(failure.message,
                   "g: out of memory\n  price  float32[] cpu\n  text   price // count\n               ^^");
  strew_release(price);
}
END_TEST

/* ----------------------------------------------------------------------------------------------------------- limits */

/* Repeats a text, between two others; the caller frees it. */
static char *repeated(const char *before, const char *text, int count, const char *after) {
  char *made = malloc(strlen(before) + strlen(text) * (size_t)count + strlen(after) + 1), *to = made;
  to += sprintf(to, "%s", before);
  for (int i = 0; i < count; i++) to += sprintf(to, "%s", text);
  sprintf(to, "%s", after);
  return made;
}

static void assert_limit(char *text, const char *message) {
  strew_expr *expr = NULL;
  if (message) {
    assert_fails(strew_expr_parse(context, text, strlen(text), &expr, &failure), STREW_EARGUMENT, NULL);
    ck_assert_msg(!strncmp(failure.message, message, strlen(message)), "%.60s...: %s", text, failure.message);
  } else {
    expr = parse(text);
  }
  strew_expr_release(expr);
  free(text);
}

#define LONG_TEXT "expr: 'text' has 65537 bytes, expected at most 65536"
#define DEEP      "expr: 'text' is nested more than 200 levels deep\n"
#define MANY      "expr: 'text' has more than 1000 operations, inputs and numbers\n"

START_TEST(test_limits) {
  strew_expr *expr = NULL;
  assert_limit(repeated("x", " ", 65535, ""), NULL);
  assert_limit(repeated("x", " ", 65536, ""), LONG_TEXT);
  assert_limit(repeated("x", " + x", 1 << 18, ""), "expr: 'text' has 1048577 bytes");
  assert_limit(repeated("x", " + x", 998, ""), NULL);
  assert_limit(repeated("1 + x", " + x", 997, ""), NULL);
  assert_limit(repeated("1 + x", " + x", 998, ""), MANY);
  assert_limit(repeated("x", " + x", 10000, ""), MANY);
  assert_limit(repeated("x", "[x]", 10000, ""), MANY);
  assert_limit(repeated("", "isinf(x) | ", 5000, "x"), MANY);
  const char *const nests[][2] = {{"(", "x"},    {"- ", "x"},           {"not ", "x"},  {"~", "x"},      {"exp(", "x"},
                                  {"m[", "i"},   {"2 ^ ", "2"},         {"- -(", "1"},  {"isinf(", "x"}, {"1 + (", "x"},
                                  {"sum(", "x"}, {"where(a, b, ", "c"}, {"a or (", "b"}};
  for (size_t i = 0; i < sizeof nests / sizeof *nests; i++) {
    assert_limit(repeated("", nests[i][0], 4000, nests[i][1]), DEEP);
    assert_limit(repeated("", nests[i][0], 4000, ""), DEEP);
  }
  char *closed = repeated("", "(", 199, "x"), *deepest = repeated(closed, ")", 199, "");
  assert_limit(deepest, NULL);
  char *opened = repeated("", "(", 200, "x");
  assert_limit(repeated(opened, ")", 200, ""), DEEP);
  free(closed), free(opened);
  assert_refuses("x\0y", 3, "expr: 'text' has a zero byte\n  text  x\n         ^");
  assert_refuses("\0", 1, "expr: 'text' has a zero byte\n  text  \n        ^");
  assert_fails(strew_expr_parse(context, NULL, 0, &expr, &failure), STREW_EARGUMENT, "expr: 'text' is missing");
  ok(strew_expr_parse(context, "x + y", 1, &expr, &failure)); /* the length counts */
  ck_assert_str_eq(strew_expr_text(expr), "x");
  strew_expr_release(expr);
}
END_TEST

/* 64 names, and 64 words. */
START_TEST(test_inputs_and_words_are_limited) {
  for (int count = 64; count < 66; count++)
    for (int words = 0; words < 2; words++) {
      char *text = calloc(1, 4000);
      for (int i = 0; i < count; i++)
        sprintf(text + strlen(text), words ? "%sx == 'w%d'" : "%sx%d", i ? " or " : "", i);
      assert_limit(text, count == 64 ? NULL
                         : words     ? "expr: 'text' has more than 64 words\n"
                                     : "expr: 'text' has more than 64 inputs\n");
    }
}
END_TEST

/* Names and words fill their part of the block: see create. */
START_TEST(test_full_blocks) {
  static const char *const tight[] = {"a",
                                      "a+b",
                                      "a=='b'",
                                      "a=='b'or c",
                                      "a[b]",
                                      "''==a",
                                      "isinf(x)",
                                      "isfinite(1)",
                                      "isnan(isinf(isfinite(x)))",
                                      "nan_to_num(1)",
                                      "nan_to_num(nan_to_num(x,1,2,3))"};
  for (size_t i = 0; i < sizeof tight / sizeof *tight; i++) strew_expr_release(parse(tight[i]));
}
END_TEST

/* ----------------------------------------------------------------------------------------------------- random texts */

static void try(const char *text, size_t length) {
  strew_expr *expr = NULL;
  clear_failure();
  strew_status status = strew_expr_parse(context, text, length, &expr, &failure);
  ck_assert((status == STREW_OK) == (expr != NULL));
  if (expr)
    check_nodes(expr);
  else
    ck_assert_msg(status == STREW_EARGUMENT && strlen(failure.message) < 1000, "%s", failure.message);
  strew_expr_release(expr);
}

/* Tokens in a random order, and bytes. */
START_TEST(test_random_texts) {
  static const char *const tokens[] = {
      "x",    "y",   "m",     "1",   "0.5",  "0x",   "1e5",    "(",      "(",         "(",        ")",
      ")",    ")",   "[",     "]",   ",",    "+",    "-",      "*",      "/",         "//",       "%",
      "^",    "==",  "~=",    "<",   "<=",   "~",    "&",      "|",      "and",       "or",       "not",
      "true", "'w'", "\"w\"", "'",   "exp(", "sum(", "where(", "isinf(", "sum(x, 0)", "float32(", "--",
      "--[[", "]]",  "\n",    "nil", "=",    ".",    "\\",     "é",      "\xff"};
  seed_draws(11);
  for (int i = 0; i < 20000; i++) {
    char text[1000] = "";
    const int64_t count = draw_below(30);
    for (int64_t k = 0; k < count; k++) {
      strcat(text, tokens[draw_below(sizeof tokens / sizeof *tokens)]);
      if (draw_below(2)) strcat(text, " ");
    }
    try(text, strlen(text));
  }
  for (int i = 0; i < 20000; i++) {
    char text[64];
    const size_t length = (size_t)draw_below(sizeof text);
    for (size_t k = 0; k < length; k++) text[k] = (char)draw();
    try(text, length);
  }
}
END_TEST

/* Valid texts with bytes that are replaced, removed, doubled or swapped; without their end. */
START_TEST(test_damaged_texts) {
  static const char bytes[] = "()[],+-*/%^~&|<>= .'\"\\xe019_\n#\xc3";
  seed_draws(12);
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    const char *from = texts[i][0];
    const size_t length = strlen(from);
    for (size_t cut = 0; cut < length; cut++) try(from, cut);
    for (int turn = 0; turn < 300; turn++) {
      char text[200];
      size_t now = length;
      memcpy(text, from, length);
      for (int64_t changes = 1 + draw_below(3); changes > 0 && now > 1; changes--) {
        const size_t at = (size_t)draw_below((int64_t)now), other = (size_t)draw_below((int64_t)now);
        const char byte = text[at];
        switch (draw_below(4)) {
        case 0: text[at] = bytes[draw_below(sizeof bytes - 1)]; break;
        case 1: memmove(text + at, text + at + 1, --now - at); break;
        case 2: memmove(text + at + 1, text + at, now++ - at); break;
        default: text[at] = text[other], text[other] = byte; break;
        }
      }
      try(text, now);
    }
  }
}
END_TEST

/* ----------------------------------------------------------------------------------------------------------- memory */

START_TEST(test_out_of_memory) {
  static const char *const some_texts[] = {"x + 1", "exp(x) == 0x1p-3", "x +", "x == 'a' or isinf(y)"};
  for (size_t i = 0; i < sizeof some_texts / sizeof *some_texts; i++) {
    bool is_limited = true;
    for (long failing = 1; is_limited; failing++) {
      strew_expr *expr = NULL;
      const size_t blocks = blocks_in_use();
      allocations.limit(failing, false);
      clear_failure();
      strew_status status = strew_expr_parse(context, some_texts[i], strlen(some_texts[i]), &expr, &failure);
      is_limited = allocations.failed() > 0;
      allocations.limit(0, false);
      ck_assert_int_eq(status, is_limited ? STREW_EMEMORY : i == 2 ? STREW_EARGUMENT : STREW_OK);
      ck_assert(!is_limited || strstr(failure.message, "expr: out of memory"));
      ck_assert((expr != NULL) == (status == STREW_OK));
      strew_expr_release(expr);
      ck_assert_uint_eq(blocks_in_use(), blocks);
    }
  }
}
END_TEST

/* An expression keeps its context. */
START_TEST(test_context_is_kept) {
  strew_options options = {.allocator = counting_allocator};
  strew_context *own = NULL;
  strew_expr *expr = NULL;
  const size_t blocks = blocks_held();
  ok(strew_context_create(&options, &own, &failure));
  ok(strew_expr_parse(own, "x + y", 5, &expr, &failure));
  strew_context_release(own);
  ck_assert_str_eq(strew_expr_input(expr, 1), "y");
  strew_expr_release(expr);
  ck_assert_uint_eq(blocks_held(), blocks);
}
END_TEST

static void *release(void *expr) { return strew_expr_release(expr), NULL; }

/* Another thread releases: the block is given back by the context's next call. */
START_TEST(test_release_on_a_thread) {
  strew_expr *expr = parse("x + y");
  const size_t blocks = blocks_in_use();
  pthread_t thread;
  ck_assert_int_eq(pthread_create(&thread, NULL, release, expr), 0);
  pthread_join(thread, NULL);
  ck_assert_uint_eq(blocks_held(), blocks);
  strew_tensor *tensor = scalar_tensor(STREW_FLOAT32, strew_float(1)), *sum = NULL;
  ok(strew_unary(STREW_NEG, tensor, &sum, &failure));
  strew_release(tensor), strew_release(sum);
  ck_assert_uint_eq(blocks_in_use(), blocks - 1);
}
END_TEST

Suite *make_suite(void) {
  test_allocator = counting_allocator;
  Suite *suite = suite_create("expr_text");
  TCase *all = new_case(suite, "texts");
  tcase_add_test(all, test_texts);
  tcase_add_test(all, test_numbers_are_kept);
  tcase_add_test(all, test_equal_parts);
  tcase_add_test(all, test_inputs_and_words);
  tcase_add_test(all, test_marks);
  tcase_add_test(all, test_functions);
  tcase_add_test(all, test_errors);
  tcase_add_test(all, test_places);
  tcase_add_test(all, test_place_of_an_operation);
  tcase_add_test(all, test_limits);
  tcase_add_test(all, test_inputs_and_words_are_limited);
  tcase_add_test(all, test_full_blocks);
  tcase_add_test(all, test_random_texts);
  tcase_add_test(all, test_damaged_texts);
  tcase_add_test(all, test_out_of_memory);
  tcase_add_test(all, test_context_is_kept);
  tcase_add_test(all, test_release_on_a_thread);
  return suite;
}
