/* elementwise_oracle.c: see elementwise_oracle.h */
#include "elementwise_oracle.h"

#include "runtime/elementwise/shared/halves.h"

#define ROW(ENUM, name, function, takes, gives, ...) [STREW_##ENUM] = {name, TAKES_##takes, GIVES_##gives},
const struct table_row binary_rows[] = {STREW_BINARY(ROW)}, unary_rows[] = {STREW_UNARY(ROW)};
#undef ROW

/* ------------------------------------------------------------------------------------------------- promotion */

/* One letter per dtype, in strew_dtype's order; rows: first operand, columns: second. From torch.promote_types. */
static const char letters[] = "fdhbliscu?SIL";
static const char *const promoted[] = {"fdfffffffffff", "ddddddddddddd", "fdhfhhhhhhhhh", "fdfbbbbbbbbbb",
                                       "fdhblllllllld", "fdhbliiiiiild", "fdhblissssild", "fdhbliscscild",
                                       "fdhblissuuSIL", "fdhbliscu?SIL", "fdhbliiiSSSIL", "fdhbllllIIIIL",
                                       "fdhbddddLLLLL"};
/* columns: boolean, integer, float */
static const char *const promoted_number[] = {"fff", "ddd", "hhh", "bbb", "llf", "iif", "ssf",
                                              "ccf", "uuf", "?lf", "SSf", "IIf", "LLf"};

static strew_dtype dtype_of_letter(char letter) { return (strew_dtype)(strchr(letters, letter) - letters); }

static int column_of(strew_scalar number) {
  return number.dtype == STREW_BOOL ? 0 : number.dtype == STREW_INT64 ? 1 : 2;
}

strew_dtype promoted_of(strew_dtype a, strew_dtype b) { return dtype_of_letter(promoted[a][b]); }

/* Returns the dtype of the computation on two operands. */
strew_dtype common_of(strew_operand a, strew_operand b) {
  if (!a.tensor) return common_of(b, a);
  strew_dtype da = strew_tensor_dtype(a.tensor);
  if (!b.tensor) return dtype_of_letter(promoted_number[da][column_of(b.number)]);
  return promoted_of(da, strew_tensor_dtype(b.tensor));
}

/* -------------------------------------------------------------------------------------------------------- the rules */

bool is_half(strew_dtype dtype) { return dtype == STREW_FLOAT16 || dtype == STREW_BFLOAT16; }
bool divides(strew_binary_op op) { return op == STREW_FLOOR_DIVIDE || op == STREW_REMAINDER || op == STREW_FMOD; }
static bool is_test(strew_binary_op op) { return binary_rows[op].gives != GIVES_COMMON; }

/* A number converted to another dtype: floats in .f, the others in .i. */
strew_scalar convert(strew_scalar x, strew_dtype to) {
  unsigned char element[8];
  if (to == STREW_FLOAT64) return strew_float(x.dtype == STREW_FLOAT64 ? x.as.f : (double)x.as.i);
  if (to == STREW_FLOAT32) return strew_float(x.dtype == STREW_FLOAT64 ? (float)x.as.f : (float)x.as.i);
  ok(strew_scalar_store(x, STREW_SATURATE, to, element, &failure));
  return strew_scalar_load(to, element);
}

static double apply_floor_divide(double a, double b, bool single) {
  if (b == 0) return a / b;
  double rest = fmod(a, b), difference = a - rest;
  if (single) difference = (float)difference;
  double quotient = difference / b;
  if (single) quotient = (float)quotient;
  if (rest != 0 && (rest < 0) != (b < 0)) quotient -= 1;
  if (single) quotient = (float)quotient;
  if (quotient == 0) return copysign(0.0, a / b);
  double whole = floor(quotient);
  return quotient - whole > 0.5 ? whole + 1 : whole;
}

static double apply_remainder(double a, double b) {
  double rest = fmod(a, b);
  return rest != 0 && signbit(rest) != signbit(b) ? rest + b : rest;
}

/* NaN wins, -0 < +0 */
static bool is_above(double a, double b) {
  if (isnan(a) || isnan(b)) return isnan(a);
  return a > b || (a == b && !signbit(a));
}
static bool is_below(double a, double b) {
  if (isnan(a) || isnan(b)) return isnan(a);
  return a < b || (a == b && signbit(a));
}

/* Sums, products and quotients of float32 values in float64, rounded to float32, are those of float32. */
static double apply_float(strew_binary_op op, strew_dtype common, double a, double b, bool single) {
  switch (op) {
  case STREW_ADD: return a + b;
  case STREW_SUB: return a - b;
  case STREW_MUL: return a * b;
  case STREW_DIV: return a / b;
  case STREW_FLOOR_DIVIDE: return apply_floor_divide(a, b, single);
  case STREW_REMAINDER: return apply_remainder(a, b);
  case STREW_FMOD: return fmod(a, b);
  case STREW_COPYSIGN: return copysign(a, isnan(b) ? 1 : b);
#define OF_PAIR(name)                                                                                                  \
  (common == STREW_FLOAT16    ? (double)name##_f16((float)a, (float)b)                                                 \
   : common == STREW_BFLOAT16 ? (double)name##_bf16((float)a, (float)b)                                                \
   : single                   ? (double)name##_f32((float)a, (float)b)                                                 \
                              : name##_f64(a, b))
  case STREW_POW: return OF_PAIR(pow);
  case STREW_ATAN2: return OF_PAIR(atan2);
  case STREW_HYPOT: return OF_PAIR(hypot);
  case STREW_LOGADDEXP: return OF_PAIR(logaddexp);
  case STREW_MAXIMUM: return is_above(a, b) ? a : b;
  case STREW_MINIMUM: return is_below(a, b) ? a : b;
  default: ck_abort_msg("no such operation on floats");
  }
}

/* By the distance to the next value, which a power of two halves toward zero. */
static double next_half(double a, double b, int digits, int lowest) {
  const double largest = ldexp(2 - ldexp(1, 1 - digits), 1 - lowest);
  const bool inward = a != 0 && (a > 0) != (b > a);
  int exponent = 0;
  if (isnan(a) || isnan(b) || a == b) return isnan(a) ? a : b;
  if (isinf(a)) return copysign(largest, a);
  if (fabs(a) == largest && !inward) return copysign(INFINITY, a);
  const double fraction = frexp(fabs(a), &exponent);
  if (fraction == 0.5 && inward) exponent--;
  if (a == 0 || exponent - 1 < lowest) exponent = lowest + 1;
  const double next = a + copysign(ldexp(1, exponent - digits), b - a);
  return next == 0 ? copysign(0, a) : next;
}
static double apply_nextafter(strew_dtype dtype, double a, double b) {
  if (dtype == STREW_FLOAT64) return nextafter(a, b);
  if (dtype == STREW_FLOAT32) return (double)nextafterf((float)a, (float)b);
  return dtype == STREW_FLOAT16 ? next_half(a, b, 11, -14) : next_half(a, b, 8, -126);
}

static int64_t apply_integer_power(int64_t base, int64_t exponent) {
  if (exponent < 0) ck_abort_msg("the test raises an integer to a negative power");
  if (exponent == 0) return 1;
  uint64_t half = (uint64_t)apply_integer_power(base, exponent / 2), square = half * half;
  return (int64_t)(exponent & 1 ? square * (uint64_t)base : square);
}

static int64_t apply_integer_division(strew_binary_op op, int64_t a, int64_t b) {
  if (b == 0) ck_abort_msg("the test divides by zero");
  if (b == -1) return op == STREW_FMOD || op == STREW_REMAINDER ? 0 : (int64_t)(0 - (uint64_t)a); /* INT64_MIN / -1 */
  int64_t quotient = a / b, rest = a % b;
  if (op == STREW_FMOD) return rest;
  if (rest != 0 && (rest < 0) != (b < 0)) quotient -= 1, rest += b;
  return op == STREW_REMAINDER ? rest : quotient;
}

/* bits: of the dtype. */
static int64_t apply_shift(strew_binary_op op, int64_t a, int64_t b, int bits) {
  if (op == STREW_BITWISE_LEFT_SHIFT) return b < 0 || b >= bits ? 0 : (int64_t)((uint64_t)a << b);
  for (int i = 0; i < bits && (b < 0 || i < b); i++) a = (a - (a & 1)) / 2;
  return a;
}

/* By subtraction of powers of two times the lesser. */
static uint64_t apply_gcd(uint64_t a, uint64_t b) {
  if (!a || !b) return a | b;
  if (a < b) return apply_gcd(b, a);
  uint64_t part = b;
  while (part <= a / 2) part *= 2;
  return apply_gcd(a - part, b);
}

static int64_t apply_integer(strew_binary_op op, int64_t a, int64_t b, int bits) {
  const uint64_t sizes[] = {a < 0 ? 0 - (uint64_t)a : (uint64_t)a, b < 0 ? 0 - (uint64_t)b : (uint64_t)b};
  switch (op) {
  case STREW_BITWISE_LEFT_SHIFT:
  case STREW_BITWISE_RIGHT_SHIFT: return apply_shift(op, a, b, bits);
  case STREW_GCD: return (int64_t)apply_gcd(sizes[0], sizes[1]);
  case STREW_LCM: return a && b ? (int64_t)(sizes[0] / apply_gcd(sizes[0], sizes[1]) * sizes[1]) : 0;
  case STREW_ADD: return (int64_t)((uint64_t)a + (uint64_t)b);
  case STREW_SUB: return (int64_t)((uint64_t)a - (uint64_t)b);
  case STREW_MUL: return (int64_t)((uint64_t)a * (uint64_t)b);
  case STREW_FLOOR_DIVIDE:
  case STREW_FMOD:
  case STREW_REMAINDER: return apply_integer_division(op, a, b);
  case STREW_POW: return apply_integer_power(a, b);
  case STREW_MAXIMUM: return a > b ? a : b;
  case STREW_MINIMUM: return a < b ? a : b;
  case STREW_BITWISE_AND: return a & b;
  case STREW_BITWISE_OR: return a | b;
  case STREW_BITWISE_XOR: return a ^ b;
  default: ck_abort_msg("no such operation on integers");
  }
}

static bool apply_test(strew_binary_op op, double a, double b, int order) {
  bool ordered = !isnan(a) && !isnan(b);
  switch (op) {
  case STREW_EQ: return ordered && order == 0;
  case STREW_NE: return !ordered || order != 0;
  case STREW_LT: return ordered && order < 0;
  case STREW_LE: return ordered && order <= 0;
  case STREW_GT: return ordered && order > 0;
  case STREW_GE: return ordered && order >= 0;
  case STREW_LOGICAL_AND: return a != 0 && b != 0;
  default: return a != 0 || b != 0;
  }
}

static strew_scalar apply(strew_binary_op op, strew_dtype common, strew_dtype compute, strew_scalar a, strew_scalar b) {
  bool floating = is_float_dtype(compute);
  if (is_test(op)) {
    int order = floating ? (a.as.f > b.as.f) - (a.as.f < b.as.f) : (a.as.i > b.as.i) - (a.as.i < b.as.i);
    return strew_bool(floating ? apply_test(op, a.as.f, b.as.f, order)
                               : apply_test(op, a.as.i != 0, b.as.i != 0, order));
  }
  if (!floating)
    return convert(strew_int(apply_integer(op, a.as.i, b.as.i, 8 * (int)strew_dtype_size_bytes(compute))), compute);
  return convert(strew_float(apply_float(op, common, a.as.f, b.as.f, compute == STREW_FLOAT32)), compute);
}

/* ---------------------------------------------------------------------------------------------------- unary */

static double round_half_to_even(double x) {
  if (!isfinite(x) || fabs(x) >= 0x1p52) return x;
  double below = floor(x), part = x - below;
  double whole = part < 0.5 || (part == 0.5 && fmod(below, 2) == 0) ? below : below + 1;
  return copysign(whole, x);
}

/* Returns the value of a function of shared/, which check_functions.c compares with <math.h>. */
#define OF_HEADER(name)                                                                                                \
  (dtype == STREW_FLOAT64   ? name##_f64(x)                                                                            \
   : dtype == STREW_FLOAT16 ? (double)name##_f16((float)x)                                                             \
                            : (double)name##_f32((float)x))

static double apply_unary_float(strew_unary_op op, strew_dtype dtype, double x) {
  switch (op) {
  case STREW_NEG: return -x;
  case STREW_ABS: return copysign(x, 1.0);
  case STREW_FLOOR: return floor(x);
  case STREW_CEIL: return ceil(x);
  case STREW_ROUND: return round_half_to_even(x);
  case STREW_RELU: return x < 0 ? 0 : x;
  case STREW_EXP: return OF_HEADER(exp);
  case STREW_LOG: return OF_HEADER(log);
  case STREW_SQRT: return sqrt(x);
  case STREW_RSQRT: return OF_HEADER(rsqrt);
  case STREW_SIN: return OF_HEADER(sin);
  case STREW_COS: return OF_HEADER(cos);
  case STREW_TANH: return OF_HEADER(tanh);
  case STREW_LOG2: return OF_HEADER(log2);
  case STREW_LOG10: return OF_HEADER(log10);
  case STREW_LOG1P: return OF_HEADER(log1p);
  case STREW_EXPM1: return OF_HEADER(expm1);
  case STREW_SIGN: return isnan(x) ? x : (x > 0) - (x < 0);
  case STREW_TAN: return OF_HEADER(tan);
  case STREW_ASIN: return OF_HEADER(asin);
  case STREW_ACOS: return OF_HEADER(acos);
  case STREW_ATAN: return OF_HEADER(atan);
  case STREW_SINH: return OF_HEADER(sinh);
  case STREW_COSH: return OF_HEADER(cosh);
  case STREW_ASINH: return OF_HEADER(asinh);
  case STREW_ACOSH: return OF_HEADER(acosh);
  case STREW_ATANH: return OF_HEADER(atanh);
  case STREW_EXP2: return OF_HEADER(exp2);
  case STREW_ERF: return OF_HEADER(erf);
  case STREW_ERFC: return OF_HEADER(erfc);
  case STREW_GELU: return OF_HEADER(gelu);
  case STREW_CBRT: return OF_HEADER(cbrt);
  case STREW_SIGMOID: return OF_HEADER(sigmoid);
  case STREW_SILU: return OF_HEADER(silu);
  case STREW_GELU_TANH: return OF_HEADER(gelu_tanh);
  default: ck_abort_msg("no such operation on floats");
  }
}

strew_scalar apply_unary(strew_unary_op op, strew_dtype dtype, strew_scalar x) {
  const bool floating = is_float_dtype(dtype);
  const strew_dtype compute = is_half(dtype) ? STREW_FLOAT32 : dtype;
  if (op == STREW_SIGNBIT) return strew_bool(floating ? signbit(x.as.f) && !isnan(x.as.f) : x.as.i < 0);
  if (op == STREW_LOGICAL_NOT) return strew_bool(floating ? x.as.f == 0 : x.as.i == 0);
  if (floating) return convert(strew_float(apply_unary_float(op, dtype, x.as.f)), compute);
  int64_t i = x.as.i;
  if (op == STREW_BITWISE_NOT) return compute == STREW_BOOL ? strew_bool(!i) : convert(strew_int(~i), compute);
  if (op == STREW_NEG || (op == STREW_ABS && i < 0)) i = (int64_t)(0 - (uint64_t)i);
  if (op == STREW_RELU && i < 0) i = 0;
  if (op == STREW_SIGN) i = (i > 0) - (i < 0);
  return convert(strew_int(i), compute);
}

/* ------------------------------------------------------------------------------------------------ binary operations */

static bool is_bool_operand(strew_operand x) {
  return (x.tensor ? strew_tensor_dtype(x.tensor) : x.number.dtype) == STREW_BOOL;
}

/* True if PyTorch refuses the operation for these dtypes. */
bool is_refused(strew_binary_op op, strew_operand a, strew_operand b) {
  strew_dtype common = common_of(a, b);
  if (op == STREW_SUB) return is_bool_operand(a) || is_bool_operand(b);
  const bool integers = binary_rows[op].takes == TAKES_INTEGERS;
  if (binary_rows[op].takes == TAKES_BITS || integers)
    return is_float_dtype(common) || (integers && common == STREW_BOOL);
  if (binary_rows[op].takes == TAKES_STORED) return !is_float_dtype(common);
  return binary_rows[op].takes == TAKES_NUMBERS && common == STREW_BOOL;
}

struct opened open_operand(strew_operand x, int rank) {
  struct opened opened = {.number = x.number};
  if (!x.tensor) return opened;
  opened.dtype = strew_tensor_dtype(x.tensor);
  opened.host = host_of(x.tensor);
  int64_t step = 1;
  for (int d = strew_tensor_rank(x.tensor) - 1, to = rank - 1; d >= 0; d--, to--) {
    int64_t size = strew_tensor_sizes(x.tensor)[d];
    opened.strides[to] = size == 1 ? 0 : step;
    step *= size;
  }
  return opened;
}

strew_scalar element_at(const struct opened *x, int rank, const int64_t *sizes, int64_t place) {
  if (!x->host) return x->number;
  int64_t offset = 0;
  for (int d = rank - 1; d >= 0; d--) {
    offset += place % sizes[d] * x->strides[d];
    place /= sizes[d];
  }
  return strew_scalar_load(x->dtype, x->host + (size_t)offset * strew_dtype_size_bytes(x->dtype));
}

static bool is_finite(strew_scalar x) { return x.dtype != STREW_FLOAT64 || isfinite(x.as.f); }

/* The value of a number in a comparison with elements of dtype: exact for integers, rounded for floats, unless rounding
   alone makes it infinite. */
static strew_scalar number_in_test(strew_scalar number, strew_dtype dtype) {
  if (!is_float_dtype(dtype)) return number;
  strew_scalar rounded = convert(number, dtype);
  return is_finite(number) && !is_finite(rounded) ? number : rounded;
}

static strew_scalar test_with_number(strew_binary_op op, strew_scalar a, strew_scalar b) {
  const bool x = order_of(a, strew_int(0)) != 0, y = order_of(b, strew_int(0)) != 0;
  if (op == STREW_LOGICAL_AND) return strew_bool(x && y);
  if (op == STREW_LOGICAL_OR) return strew_bool(x || y);
  const int order = order_of(a, b);
  return strew_bool(apply_test(op, order == UNORDERED ? (double)NAN : 0, 0, order));
}

/* Returns the expected result, dense, with the shape of `like` and dtype. */
char *expected_of(strew_binary_op op, strew_operand a, strew_operand b, const strew_tensor *like, strew_dtype dtype) {
  strew_dtype common = common_of(a, b);
  if (binary_rows[op].takes == TAKES_FLOATS && !is_float_dtype(common)) common = STREW_FLOAT32;
  strew_dtype compute = is_half(common) ? STREW_FLOAT32 : common;
  /* by value: uint64 with a signed dtype, whose elements in tests int64 holds */
  if (is_test(op) && a.tensor && b.tensor && is_float_dtype(common) && !is_float_dtype(strew_tensor_dtype(a.tensor)) &&
      !is_float_dtype(strew_tensor_dtype(b.tensor)))
    common = compute = STREW_INT64;
  bool number_is_tested = is_test(op) && !(a.tensor && b.tensor);
  strew_operand *number = !a.tensor ? &a : &b;
  if (number_is_tested && binary_rows[op].gives == GIVES_ORDER)
    number->number = number_in_test(number->number, strew_tensor_dtype(a.tensor ? a.tensor : b.tensor));
  else if (!number->tensor && !number_is_tested)
    number->number = convert(number->number, op == STREW_MUL || (op == STREW_DIV && a.tensor) ? compute : common);
  if (op == STREW_POW && is_float_dtype(compute) && !b.tensor && b.number.as.f == 2) op = STREW_MUL, b = a;
  int rank = strew_tensor_rank(like);
  const int64_t *sizes = strew_tensor_sizes(like);
  struct opened x = open_operand(a, rank), y = open_operand(b, rank);
  int64_t count = strew_tensor_numel(like);
  char *expected = malloc((size_t)count * 8 + 8);
  for (int64_t i = 0; i < count; i++) {
    strew_scalar left = element_at(&x, rank, sizes, i), right = element_at(&y, rank, sizes, i);
    if (a.tensor && is_half(common)) left = convert(left, common); /* tensors are converted to the common dtype */
    if (b.tensor && is_half(common)) right = convert(right, common);
    strew_scalar result =
        number_is_tested ? test_with_number(op, left, right)
        : op == STREW_NEXTAFTER
            ? strew_float(apply_nextafter(common, convert(left, common).as.f, convert(right, common).as.f))
            : apply(op, common, compute, convert(left, compute), convert(right, compute));
    ok(strew_scalar_store(result, STREW_SATURATE, dtype, expected + (size_t)i * strew_dtype_size_bytes(dtype),
                          &failure));
  }
  free(x.host);
  free(y.host);
  return expected;
}

strew_dtype result_of(strew_binary_op op, strew_operand a, strew_operand b) {
  strew_dtype common = common_of(a, b);
  if (is_test(op)) return STREW_BOOL;
  return binary_rows[op].takes == TAKES_FLOATS && !is_float_dtype(common) ? STREW_FLOAT32 : common;
}
