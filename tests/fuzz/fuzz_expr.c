/* fuzz_expr.c: texts of expressions: any bytes, or a text of the grammar that the bytes choose, sometimes damaged. One
   that is parsed is evaluated over small tensors and numbers. Its type, its reduction and the result written to a given
   tensor agree with the new result; a failure has a message, and writes nothing. */
#include "fuzz.h"

#include <stdio.h>
#include <string.h>

enum { TEXT_BYTES = 1 << 13, MOST_INPUTS = 64, NAMES = 5 };

/* ------------------------------------------------------------------------------------------------------------ texts */

static char text[TEXT_BYTES];
static size_t length;

static void put(const char *part) {
  const size_t more = strlen(part);
  if (length + more >= TEXT_BYTES) return;
  memcpy(text + length, part, more + 1);
  length += more;
}

#define ONE_OF(bytes, list) (list)[fuzz_below(bytes, (int)(sizeof(list) / sizeof *(list)))]
static const char *const names[NAMES] = {"a", "b", "c", "d", "e"};
static const char *const numbers[] = {"0",      "1",    "2",     "-1",  "3.5",  "0.1",   "1e999", "9223372036854775807",
                                      "0x1p-3", "-0.0", "1e-45", "300", "true", "false", "65520", "4e9"};
static const char *const operators[] = {
    " + ", " - ", "*", "/", "//", "%", "^", "==", "~=", "<", "<=", ">", ">=", "&", "|", "~", " and ", " or "};
static const char *const folds[] = {"sum", "mean", "var", "std", "min", "max", "amin", "amax", "any", "all", "prod"};
static const char *const tails[] = {")", ")", ",0)", ",-1)", ",0,true)", ",1,true)", ",-1,false)", ",7)"};
static const char *const threes[] = {"where(", "clamp(", "masked_fill(", "isclose(", "nan_to_num("};
static const char *const tests[] = {"isnan(", "isinf(", "isfinite(", "nan_to_num(", "not ", "-", "~", "("};

/* Calls with commas between the arguments. */
static void put_value(struct bytes *bytes, int depth);
static void put_call(struct bytes *bytes, int depth, int arguments, const char *name, const char *tail) {
  put(name);
  for (int i = 0; i < arguments; i++) {
    if (i) put(",");
    put_value(bytes, depth - 1);
  }
  put(tail);
}

static void put_operation(struct bytes *bytes, int depth) {
  char name[40];
  const char *word = NULL;
  switch (fuzz_below(bytes, 9)) {
  case 0: put_call(bytes, depth, 3, ONE_OF(bytes, threes), ")"); return;
  case 1: put_call(bytes, depth, 1, "(", ")["), put_value(bytes, depth - 1), put("]"); return;
  case 2: word = strew_enum_name(STREW_WORDS_UNARY, (strew_unary_op)fuzz_below(bytes, STREW_UNARY_COUNT)); break;
  case 3: word = strew_enum_name(STREW_WORDS_BINARY, (strew_binary_op)fuzz_below(bytes, STREW_BINARY_COUNT)); break;
  case 4: word = strew_dtype_name((strew_dtype)fuzz_below(bytes, STREW_DTYPE_COUNT)); break;
  case 5: word = ONE_OF(bytes, folds); break;
  case 6: {
    const char *test = ONE_OF(bytes, tests);
    put_call(bytes, depth, 1, test, test[strlen(test) - 1] == '(' ? ")" : "");
    return;
  }
  default: put_call(bytes, depth, 1, "(", ONE_OF(bytes, operators)), put_call(bytes, depth, 1, "", ")"); return;
  }
  snprintf(name, sizeof name, "%s(", word);
  const bool is_fold = strew_enum_from_word(STREW_WORDS_FOLD, word, &(int){0}, NULL) == STREW_OK;
  const bool is_pair = strew_enum_from_word(STREW_WORDS_BINARY, word, &(int){0}, NULL) == STREW_OK;
  put_call(bytes, depth, 1 + is_pair, name, is_fold ? ONE_OF(bytes, tails) : ")");
}

static void put_value(struct bytes *bytes, int depth) {
  const int kind = depth > 0 && bytes->at < bytes->end ? fuzz_below(bytes, 8) : fuzz_below(bytes, 3);
  if (kind < 2)
    put(ONE_OF(bytes, names));
  else if (kind == 2)
    put(ONE_OF(bytes, numbers));
  else
    put_operation(bytes, depth);
  if (kind == 0 && fuzz_below(bytes, 32) == 31) put("=='w'");
}

/* The bytes themselves, or a text of the grammar; in one of 8, some bytes are replaced. */
static void make_text(struct bytes *bytes) {
  const int kind = fuzz_below(bytes, 8);
  length = 0;
  text[0] = '\0';
  if (kind == 0) {
    while (bytes->at < bytes->end && length < TEXT_BYTES - 1 && fuzz_below(bytes, 256) != 255)
      text[length++] = (char)fuzz_byte(bytes);
    return;
  }
  put_value(bytes, 7);
  for (int i = 0; kind == 1 && i < 3 && length; i++) {
    const size_t at = ((size_t)fuzz_byte(bytes) << 8 | fuzz_byte(bytes)) % length;
    text[at] = (char)fuzz_byte(bytes);
  }
}

/* ----------------------------------------------------------------------------------------------------------- values */

static strew_tensor *new_tensor(struct bytes *bytes) {
  int64_t sizes[3], count = 1;
  const int rank = fuzz_below(bytes, 3);
  const int64_t first = fuzz_below(bytes, 6) - 2;
  strew_tensor *flat = NULL, *shaped = NULL, *made = NULL;
  for (int d = 0; d < rank; d++) count *= sizes[d] = (const int64_t[]){1, 3, 3, 3, 0}[fuzz_below(bytes, 5)];
  const strew_scalar start = strew_int(first), step = strew_int(1), stop = strew_int(first + count);
  PROMISE(strew_arange(fuzz_device(), STREW_INT64, start, stop, step, &flat, NULL) == STREW_OK);
  PROMISE(strew_view(flat, rank, sizes, &shaped, NULL) == STREW_OK);
  const strew_dtype dtype = (strew_dtype)fuzz_below(bytes, STREW_DTYPE_COUNT);
  PROMISE(strew_to(shaped, fuzz_device(), dtype, &made, NULL) == STREW_OK);
  strew_release(flat), strew_release(shaped);
  if (rank < 2 || fuzz_below(bytes, 2)) return made;
  strew_tensor *turned = NULL;
  PROMISE(strew_transpose(made, 0, 1, &turned, NULL) == STREW_OK);
  strew_release(made);
  return turned;
}

static strew_operand new_value(struct bytes *bytes) {
  const int kind = fuzz_below(bytes, 12);
  if (kind > 2) return strew_of(new_tensor(bytes));
  if (kind == 0) return strew_number(strew_bool(fuzz_below(bytes, 2)));
  const int64_t number = fuzz_integer(bytes);
  return strew_number(kind == 1 ? strew_int(number) : strew_float((double)number / 4));
}

/* ------------------------------------------------------------------------------------------------------ evaluations */

static bool is_limit(const strew_error *error) { return error->code == STREW_EMEMORY; }

static void check_error(strew_status status, const strew_error *error, const strew_tensor *out) {
  if (status != STREW_OK) PROMISE(!out && error->code == status && *error->message);
}

static void check_reduced(const strew_expr *expr, const strew_expr_values *values, strew_fold fold,
                          strew_tensor *result) {
  strew_tensor *reduced = NULL, *expected = NULL;
  strew_error error = {0};
  const strew_status status = strew_expr_reduce(expr, values, fold, NULL, &reduced, &error);
  check_error(status, &error, reduced);
  PROMISE(strew_reduce_with(fold, result, NULL, &expected, NULL) == status || is_limit(&error));
  if (status == STREW_OK) PROMISE(fuzz_is_same(reduced, expected));
  strew_release(reduced), strew_release(expected);
}

static void check_result(const strew_expr *expr, const strew_expr_values *values, strew_tensor *result) {
  strew_dtype dtype;
  int rank;
  int64_t sizes[STREW_MAX_RANK];
  strew_tensor *given = NULL;
  PROMISE(strew_expr_type(expr, values, &dtype, &rank, sizes, NULL) == STREW_OK);
  PROMISE(dtype == strew_tensor_dtype(result) && rank == strew_tensor_rank(result));
  PROMISE(memcmp(sizes, strew_tensor_sizes(result), (size_t)rank * sizeof *sizes) == 0);
  PROMISE(strew_empty(fuzz_device(), dtype, rank, sizes, &given, NULL) == STREW_OK);
  PROMISE(strew_expr_evaluate(expr, values, &given, NULL) == STREW_OK && fuzz_is_same(given, result));
  strew_release(given);
}

static void evaluate(const strew_expr *expr, struct bytes *bytes) {
  strew_operand inputs[MOST_INPUTS];
  int64_t codes[MOST_INPUTS];
  const int count = strew_expr_input_count(expr);
  const strew_fold fold = (strew_fold)fuzz_below(bytes, STREW_FOLD_COUNT);
  strew_tensor *result = NULL;
  strew_error error = {0};
  for (int i = 0; i < count; i++) inputs[i] = new_value(bytes);
  for (int i = 0; i < strew_expr_word_count(expr); i++) codes[i] = fuzz_below(bytes, 4) - 1;
  const strew_expr_values values = {.inputs = inputs, .codes = codes};
  const strew_status status = strew_expr_evaluate(expr, &values, &result, &error);
  check_error(status, &error, result);
  if (status == STREW_OK && strew_tensor_numel(result) < 1 << 16) {
    check_result(expr, &values, result);
    check_reduced(expr, &values, fold, result);
  }
  strew_release(result);
  for (int i = 0; i < count; i++) strew_release(inputs[i].tensor);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct bytes bytes = {data, data + size};
  strew_expr *expr = NULL;
  strew_error error = {0};
  make_text(&bytes);
  const strew_status status = strew_expr_parse(strew_device_context(fuzz_device()), text, length, &expr, &error);
  PROMISE(status == STREW_OK ? expr != NULL : !expr && error.code == status && *error.message);
  if (!expr) PROMISE(error.position_rank == 1 && error.position[0] >= 0 && (size_t)error.position[0] <= length);
  if (expr) evaluate(expr, &bytes);
  strew_expr_release(expr);
  fuzz_expect_nothing();
  return 0;
}
