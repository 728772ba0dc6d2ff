/* check_elementwise_rules.c: elementwise operations: promotion, results computed by hand, equal and allclose, and every
   error message. */
#include "elementwise_oracle.h"

/* -------------------------------------------------------------------------------------------------------- promotion */

/* Columns of the table: the 10 dtypes with dimensions, the same at rank 0, three kinds of numbers. */
START_TEST(promotion_is_by_dtype_alone) {
  strew_dtype da = (strew_dtype)_i;
  const int64_t size = 2;
  const strew_scalar numbers[] = {strew_bool(true), strew_int(1), strew_float(1)};
  if (lacks(da)) return;
  for (int rank_a = 0; rank_a <= 1; rank_a++) {
    strew_tensor *a = random_tensor(da, rank_a, &size, CONTIGUOUS);
    for (int column = 0; column < 2 * STREW_DTYPE_COUNT + 3; column++) {
      if (column < 2 * STREW_DTYPE_COUNT && lacks((strew_dtype)(column % STREW_DTYPE_COUNT))) continue;
      if (!chosen(column + 23 * _i, 6)) continue;
      strew_tensor *b = NULL, *out = NULL;
      if (column < 2 * STREW_DTYPE_COUNT)
        b = random_tensor((strew_dtype)(column % STREW_DTYPE_COUNT), column < STREW_DTYPE_COUNT, &size, CONTIGUOUS);
      strew_operand x = strew_of(a), y = b ? strew_of(b) : strew_number(numbers[column - 2 * STREW_DTYPE_COUNT]);
      if (lacks(common_of(x, y))) { /* float64, of uint64 and a signed dtype */
        strew_release(b);
        continue;
      }
      ok(strew_binary(STREW_MAXIMUM, x, y, &out, &failure));
      ck_assert_str_eq(strew_dtype_name(strew_tensor_dtype(out)), strew_dtype_name(common_of(x, y)));
      strew_release(out), out = NULL;
      ok(strew_binary(STREW_MAXIMUM, y, x, &out, &failure));
      ck_assert_str_eq(strew_dtype_name(strew_tensor_dtype(out)), strew_dtype_name(common_of(x, y)));
      strew_release(out), strew_release(b);
    }
    strew_release(a);
  }
}
END_TEST

/* ----------------------------------------------------------------------------------------- results computed by hand */

static void check_values(strew_binary_op op, strew_dtype dtype, int64_t count, const double *a, const double *b,
                         const double *expected) {
  strew_tensor *x = tensor_from_doubles(dtype, count, a), *y = tensor_from_doubles(dtype, count, b), *out = NULL;
  strew_tensor *wanted = tensor_from_doubles(dtype, count, expected);
  ok(strew_binary(op, strew_of(x), strew_of(y), &out, &failure));
  assert_same(out, wanted, binary_rows[op].name);
  strew_release(x), strew_release(y), strew_release(out), strew_release(wanted);
}

/* Each row was printed by PyTorch. */
START_TEST(division_and_powers_by_hand) {
  const double inf = INFINITY;
  const double a[] = {1, -1, 0, 5, inf, 3, -0.0, 1, -5}, b[] = {0, 0, 0, -2, 2, inf, 3, 0.1, 2};
  const double floors[] = {inf, -inf, NAN, -3, NAN, 0, -0.0, 9, -3};
  check_values(STREW_FLOOR_DIVIDE, STREW_FLOAT32, 9, a, b, floors);
  const double c[] = {1, -1, 0, 5, -5, 3, -3, -0.0}, d[] = {0, 0, 0, -2, 2, inf, inf, 3};
  const double rests[] = {NAN, NAN, NAN, -1, 1, 3, inf, -0.0};
  check_values(STREW_REMAINDER, STREW_FLOAT32, 8, c, d, rests);
  if (!lacks(STREW_FLOAT64)) check_values(STREW_REMAINDER, STREW_FLOAT64, 8, c, d, rests);
  const double i[] = {7, -7, 7, -7, -128}, j[] = {2, 2, -2, -2, -1};
  check_values(STREW_FLOOR_DIVIDE, STREW_INT8, 5, i, j, (const double[]){3, -4, -4, 3, -128});
  check_values(STREW_REMAINDER, STREW_INT8, 5, i, j, (const double[]){1, 1, -1, -1, 0});
  const double base[] = {1, -1, 0, -1, -3, 2, 0}, exponent[] = {99, 99, 99, 98, 3, 62, 0};
  check_values(STREW_POW, STREW_INT64, 7, base, exponent, (const double[]){1, -1, 0, 1, -27, 0x1p62, 1});
  check_values(STREW_POW, STREW_INT8, 7, base, exponent, (const double[]){1, -1, 0, 1, -27, 0, 1});
  check_values(STREW_FLOOR_DIVIDE, STREW_FLOAT16, 1, (const double[]){1000}, (const double[]){0.1},
               (const double[]){10000});
  check_values(STREW_REMAINDER, STREW_FLOAT16, 1, (const double[]){5.5}, (const double[]){-2}, (const double[]){-0.5});
}
END_TEST

/* Integers of all lengths, around powers of two and multiples, in blocks of 256, some of which floats do not hold. */
START_TEST(integers_divide_exactly) {
  enum { COUNT = 1500 };
  const strew_dtype dtype = (strew_dtype)_i;
  if (lacks(dtype) || is_float_dtype(dtype) || dtype == STREW_BOOL || dtype == STREW_UINT64) return;
  const bool is_signed = !is_unsigned_dtype(dtype);
  const int bits = 8 * (int)strew_dtype_size_bytes(dtype);
  int64_t a[COUNT], b[COUNT], floors[COUNT], rests[COUNT];
  seed_draws((uint64_t)_i + 1);
  for (int i = 0; i < COUNT; i++) {
    const int most = i / 256 % 3 == 1 && bits == 64 ? 49 : bits - is_signed; /* held: blocks 1 and 4 */
    const uint64_t x = (uint64_t)draw_below(INT64_MAX) >> (63 - most + draw_below(most)),
                   y = (uint64_t)draw_below(INT64_MAX) >> (63 - most + draw_below(most));
    b[i] = (int64_t)(y ? y : 1);
    a[i] = (int64_t)(i % 3 ? x : x / (uint64_t)b[i] * (uint64_t)b[i] - (i % 2 && x > y)); /* a multiple, or one less */
    if (is_signed && draw_below(2)) a[i] = -a[i];
    if (is_signed && draw_below(2)) b[i] = -b[i];
    if (is_signed && i % 50 == 0) a[i] = -(INT64_C(1) << (bits - 2)) * 2;
    if (is_signed && i % 100 == 0) b[i] = -1;
    const bool overflows = a[i] == INT64_MIN && b[i] == -1;
    const int64_t quotient = overflows ? a[i] : a[i] / b[i], rest = overflows ? 0 : a[i] % b[i];
    const bool below = rest && (rest < 0) != (b[i] < 0);
    floors[i] = quotient - below, rests[i] = below ? rest + b[i] : rest;
  }
  strew_tensor *t[4] = {NULL};
  const int64_t *numbers[4] = {a, b, floors, rests};
  for (int k = 0; k < 4; k++) {
    strew_tensor *wide = tensor_of(STREW_INT64, 1, (int64_t[]){COUNT}, CONTIGUOUS, numbers[k]);
    ok(strew_to(wide, strew_tensor_device(wide), dtype, &t[k], &failure));
    strew_release(wide);
  }
  for (int rest = 0; rest < 2; rest++) {
    strew_tensor *out = NULL;
    ok(strew_binary(rest ? STREW_REMAINDER : STREW_FLOOR_DIVIDE, strew_of(t[0]), strew_of(t[1]), &out, &failure));
    assert_same(out, t[2 + rest], rest ? "remainder" : "floor_divide");
    strew_release(out);
  }
  for (int k = 0; k < 4; k++) strew_release(t[k]);
}
END_TEST

/* The exponent is a number 2, integer or float, also in place. The C library's powf rounds the last two differently. */
START_TEST(squares_by_hand) {
  enum { COUNT = 10 };
  const double x[COUNT] = {3, -3, 0.1f, -0.0, 1e20, 1e-20, -INFINITY, NAN, 0x1.4d2cdap+0, -0x1.1c315p-4};
  const double expected[COUNT] = {
      9, 9, 0x1.47ae16p-7, 0, INFINITY, 0x1.16c2p-133, INFINITY, NAN, 0x1.b19db6p+0, 0x1.3b7d72p-8};
  const double i[] = {3, -3, 0, 12, -128}, wrapped[] = {9, 9, 0, -112, 0};
  const strew_scalar twos[] = {strew_int(2), strew_float(2)};
  for (int k = 0; k < 2; k++) {
    strew_tensor *from = tensor_from_doubles(STREW_FLOAT32, COUNT, x),
                 *wanted = tensor_from_doubles(STREW_FLOAT32, COUNT, expected), *out = NULL;
    ok(strew_binary(STREW_POW, strew_of(from), strew_number(twos[k]), &out, &failure));
    assert_same(out, wanted, "x ^ 2");
    ok(strew_binary(STREW_POW, strew_of(from), strew_number(twos[k]), &from, &failure));
    assert_same(from, wanted, "x ^ 2, in place");
    strew_release(from), strew_release(wanted), strew_release(out);
  }
  strew_tensor *from = tensor_from_doubles(STREW_INT8, 5, i), *wanted = tensor_from_doubles(STREW_INT8, 5, wrapped);
  ok(strew_binary(STREW_POW, strew_of(from), strew_number(strew_int(2)), &from, &failure));
  assert_same(from, wanted, "x ^ 2 of int8");
  strew_release(from), strew_release(wanted);
}
END_TEST

START_TEST(rounding_by_hand) {
  const double x[] = {0.5, 1.5, 2.5, -0.5, -1.5, -0.0, 8388609, 0x1.fffffep-2, NAN};
  const double expected[] = {0, 2, 2, -0.0, -2, -0.0, 8388609, 0, NAN};
  const strew_dtype dtypes[] = {STREW_FLOAT32, STREW_FLOAT64};
  for (int i = 0; i < 2; i++) {
    const strew_dtype d = dtypes[i];
    if (lacks(d)) continue;
    strew_tensor *from = tensor_from_doubles(d, 9, x), *wanted = tensor_from_doubles(d, 9, expected);
    strew_tensor *out = NULL;
    ok(strew_unary(STREW_ROUND, from, &out, &failure));
    assert_same(out, wanted, "round");
    strew_release(from), strew_release(wanted), strew_release(out);
  }
}
END_TEST

/* 16-bit floats: computed in float32 and rounded once. A number that multiplies or divides is not rounded first. */
START_TEST(halves_round_once) {
  strew_tensor *x = tensor_from_doubles(STREW_FLOAT16, 2, (const double[]){3, 2048}), *out = NULL;
  ok(strew_binary(STREW_MUL, strew_of(x), strew_number(strew_int(2049)), &out, &failure));
  assert_elements(out, STREW_FLOAT16, (uint16_t[]){0x6e01, 0x7c00}, "3 * 2049 is 6147, to even 6148");
  strew_release(out), out = NULL;
  ok(strew_binary(STREW_MUL, strew_number(strew_int(2049)), strew_of(x), &out, &failure));
  assert_elements(out, STREW_FLOAT16, (uint16_t[]){0x6e01, 0x7c00}, "2049 * 3");
  strew_release(out), out = NULL;
  ok(strew_binary(STREW_SUB, strew_number(strew_int(2049)), strew_of(x), &out, &failure));
  assert_elements(out, STREW_FLOAT16, (uint16_t[]){0x67fd, 0}, "2049 - 2048: the number is 2048");
  strew_release(out), out = NULL;
  strew_tensor *tenth = tensor_from_doubles(STREW_FLOAT16, 1, (const double[]){0.1});
  ok(strew_binary(STREW_EQ, strew_of(tenth), strew_number(strew_float(0.1)), &out, &failure));
  assert_elements(out, STREW_BOOL, (uint8_t[]){1}, "0.1 equals 0.1");
  strew_release(out), out = NULL;
  ok(strew_binary(STREW_MUL, strew_of(tenth), strew_of(tenth), &out, &failure));
  assert_elements(out, STREW_FLOAT16, (uint16_t[]){0x211e}, "0.1 * 0.1");
  strew_release(out), strew_release(x), strew_release(tenth);
}
END_TEST

/* On the CPU their signs change without a conversion, whose NaN they have. */
START_TEST(signs_of_halves_have_the_nan_of_conversions) {
  enum { COUNT = 40, NEXT = 1657 }; /* bits apart, of all kinds */
  for (int i = 0; i < 4 && !on_device(); i++) {
    const strew_dtype dtype = i / 2 ? STREW_BFLOAT16 : STREW_FLOAT16;
    uint16_t bits[COUNT] = {0x7c01, 0xfc01, 0x7f81, 0xff81, 0x7fff, 0xffff, 0x8000, 0x7c00, 0xff80};
    for (int k = 9; k < COUNT; k++) bits[k] = (uint16_t)(k * NEXT);
    strew_tensor *x = tensor_of(dtype, 1, (const int64_t[]){COUNT}, CONTIGUOUS, bits), *wide = NULL, *out = NULL;
    strew_tensor *wide_out = NULL, *expected = NULL;
    ok(strew_to(x, device, STREW_FLOAT32, &wide, &failure));
    ok(strew_unary(i % 2 ? STREW_NEG : STREW_ABS, wide, &wide_out, &failure));
    ok(strew_to(wide_out, device, dtype, &expected, &failure));
    ok(strew_unary(i % 2 ? STREW_NEG : STREW_ABS, x, &out, &failure));
    assert_same(out, expected, "signs");
    strew_release(x), strew_release(wide), strew_release(wide_out), strew_release(expected), strew_release(out);
  }
}
END_TEST

/* The same of operations that the CPU computes in registers. */
START_TEST(halves_in_registers_are_rounded_once) {
  enum { COUNT = 1 << 14, UNARY = 3 };
  static const strew_unary_op unary[UNARY] = {STREW_SQRT, STREW_RELU, STREW_FLOOR};
  static const strew_binary_op binary[] = {STREW_ADD, STREW_SUB, STREW_MUL, STREW_DIV, STREW_MAXIMUM, STREW_MINIMUM};
  const strew_dtype dtype = _i % 2 ? STREW_BFLOAT16 : STREW_FLOAT16;
  const int64_t count = COUNT + _i % 17;
  uint16_t *bits[4]; /* operands, expected, made */
  strew_tensor *x[2], *wide[2], *wide_out = NULL, *expected = NULL, *out = NULL;
  seed_draws((uint64_t)_i + 1);
  for (int k = 0; k < 4; k++) bits[k] = malloc((size_t)count * sizeof **bits);
  for (int k = 0; k < 2; k++) {
    for (int64_t i = 0; i < count; i++) bits[k][i] = (uint16_t)draw_below(1 << 16);
    for (int64_t i = 0; i < count; i += 7) bits[k][i] &= 0x8000; /* zeros */
    x[k] = tensor_of(dtype, 1, &count, CONTIGUOUS, bits[k]);
    ok(strew_to(x[k], device, STREW_FLOAT32, &wide[k], &failure));
  }
  const int op = _i / 2;
  if (op < UNARY) {
    ok(strew_unary(unary[op], wide[0], &wide_out, &failure));
    ok(strew_unary(unary[op], x[0], &out, &failure));
  } else {
    ok(strew_binary(binary[op - UNARY], strew_of(wide[0]), strew_of(wide[1]), &wide_out, &failure));
    ok(strew_binary(binary[op - UNARY], strew_of(x[0]), strew_of(x[1]), &out, &failure));
  }
  ok(strew_to(wide_out, device, dtype, &expected, &failure));
  ok(strew_read(expected, bits[2], (size_t)count * sizeof **bits, &failure));
  ok(strew_read(out, bits[3], (size_t)count * sizeof **bits, &failure));
  const uint16_t infinity = _i % 2 ? 0x7f80 : 0x7c00, quiet = _i % 2 ? 0x40 : 0x7e00;
  for (int64_t i = 0; i < count; i++) {
    const bool is_nan = (bits[2][i] & 0x7fff) > infinity;
    ck_assert_msg(is_nan ? (bits[3][i] & 0x7fff) > infinity : bits[3][i] == bits[2][i], "%d: %x %x: %x, not %x", _i,
                  bits[0][i], bits[1][i], bits[3][i], bits[2][i]);
    ck_assert(!is_nan || on_device() || (_i % 2 ? bits[3][i] & quiet : (bits[3][i] & 0x7fff) == quiet));
  }
  strew_release(wide_out), strew_release(expected), strew_release(out);
  for (int k = 0; k < 2; k++) strew_release(x[k]), strew_release(wide[k]);
  for (int k = 0; k < 4; k++) free(bits[k]);
}
END_TEST

static void check_meeting(strew_binary_op op, strew_dtype from, int rank, double a, strew_dtype dtype, double b,
                          strew_dtype gives, double expected) {
  if (lacks(from) || lacks(dtype) || lacks(gives)) return;
  strew_tensor *x = tensor_from_doubles(from, 1, &a), *y = tensor_from_doubles(dtype, 1, &b), *out = NULL;
  strew_tensor *wanted = tensor_from_doubles(gives, 1, &expected), *flat = NULL;
  ok(strew_view(x, rank, (const int64_t[]){1}, &flat, &failure));
  ok(strew_binary(op, strew_of(flat), strew_of(y), &out, &failure));
  assert_same(out, wanted, binary_rows[op].name);
  strew_release(x), strew_release(y), strew_release(out), strew_release(wanted), strew_release(flat);
}

/* Each row of rank 1 was printed by PyTorch. */
START_TEST(integers_meet_halves_in_their_dtype) {
  check_meeting(STREW_EQ, STREW_INT64, 1, 257, STREW_BFLOAT16, 256, STREW_BOOL, 1);
  check_meeting(STREW_SUB, STREW_INT64, 1, 257, STREW_BFLOAT16, 256, STREW_BFLOAT16, 0);
  check_meeting(STREW_MUL, STREW_INT64, 1, 100000, STREW_FLOAT16, 0.25, STREW_FLOAT16, INFINITY);
  check_meeting(STREW_ADD, STREW_INT16, 1, 2049, STREW_FLOAT16, 1, STREW_FLOAT16, 2048);
  check_meeting(STREW_LT, STREW_INT32, 1, 2047, STREW_FLOAT16, 2048, STREW_BOOL, 1);
  check_meeting(STREW_LT, STREW_INT32, 1, 4097, STREW_FLOAT16, 4098, STREW_BOOL, 0);
  check_meeting(STREW_REMAINDER, STREW_INT64, 1, 100000, STREW_FLOAT16, 3, STREW_FLOAT16, NAN);
  check_meeting(STREW_FLOOR_DIVIDE, STREW_INT64, 1, 100000, STREW_FLOAT16, 1000, STREW_FLOAT16, NAN);
  check_meeting(STREW_DIV, STREW_INT64, 1, 100000, STREW_FLOAT16, 1000, STREW_FLOAT16, INFINITY);
  check_meeting(STREW_POW, STREW_INT64, 1, 100000, STREW_FLOAT16, 0.5, STREW_FLOAT16, INFINITY);
  check_meeting(STREW_MAXIMUM, STREW_INT64, 1, 2049, STREW_FLOAT16, 1, STREW_FLOAT16, 2048);
  check_meeting(STREW_MUL, STREW_FLOAT32, 0, 1e5, STREW_FLOAT16, 0.25, STREW_FLOAT32, 25000);
  check_meeting(STREW_MUL, STREW_FLOAT64, 0, 1e5, STREW_FLOAT16, 0.25, STREW_FLOAT64, 25000);
  check_meeting(STREW_SUB, STREW_FLOAT16, 0, 0x1.fp0, STREW_BFLOAT16, 0x1.fp0, STREW_FLOAT32, 0);
  check_meeting(STREW_SUB, STREW_FLOAT16, 0, 0x1.004p8, STREW_BFLOAT16, 256, STREW_FLOAT32, 0.25);
  check_meeting(STREW_MUL, STREW_INT64, 0, 100000, STREW_FLOAT16, 0.25, STREW_FLOAT16, INFINITY);
}
END_TEST

/* A tensor of any rank beside a narrower one: its value counts. */
START_TEST(wider_integers_keep_their_values) {
  for (int rank = 0; rank < 2; rank++) {
    check_meeting(STREW_LT, STREW_INT64, rank, 300, STREW_INT8, 100, STREW_BOOL, 0);
    check_meeting(STREW_EQ, STREW_INT64, rank, 356, STREW_INT8, 100, STREW_BOOL, 0);
    check_meeting(STREW_GT, STREW_INT64, rank, 4000000000, STREW_INT32, 2000000000, STREW_BOOL, 1);
    check_meeting(STREW_EQ, STREW_UINT8, rank, 128, STREW_INT8, -128, STREW_BOOL, 0);
    check_meeting(STREW_GT, STREW_UINT8, rank, 128, STREW_INT8, -128, STREW_BOOL, 1);
    check_meeting(STREW_MINIMUM, STREW_INT64, rank, 300, STREW_INT8, 100, STREW_INT64, 100);
    check_meeting(STREW_ADD, STREW_INT32, rank, 300, STREW_INT8, 100, STREW_INT32, 400);
    check_meeting(STREW_EQ, STREW_INT64, rank, 16777217, STREW_FLOAT32, 16777216, STREW_BOOL, 1);
    check_meeting(STREW_EQ, STREW_INT64, rank, 16777217, STREW_FLOAT64, 16777216, STREW_BOOL, 0);
    check_meeting(STREW_SUB, STREW_FLOAT64, rank, 0.1, STREW_FLOAT32, 0.1f, STREW_FLOAT64, 0.1 - (double)0.1f);
  }
}
END_TEST

/* A stored value of rank 0 counts as its number. */
START_TEST(stored_tensors_of_rank_0_must_fit) {
  strew_tensor *x = tensor_from_integers(STREW_INT8, 2, (const int64_t[]){100, -1}), *out = NULL;
  strew_tensor *mask = tensor_from_integers(STREW_BOOL, 2, (const int64_t[]){1, 0});
  strew_tensor *three = scalar_tensor(STREW_FLOAT32, strew_float(3)),
               *large = scalar_tensor(STREW_INT64, strew_int(300));
  strew_tensor *at = tensor_from_integers(STREW_INT64, 1, (const int64_t[]){1});
  ok(strew_masked_fill(x, mask, strew_of(three), &out, &failure));
  assert_elements(out, STREW_INT8, (int8_t[]){3, -1}, "masked_fill");
  strew_release(out), out = NULL;
  ok(strew_index_fill_with(x, 0, at, strew_of(three), NULL, &out, &failure));
  assert_elements(out, STREW_INT8, (int8_t[]){100, 3}, "index_fill");
  strew_release(out), out = NULL;
  ok(strew_index_put(x, 1, &at, strew_of(three), NULL, &out, &failure));
  assert_elements(out, STREW_INT8, (int8_t[]){100, 3}, "index_put");
  strew_release(out), out = x;
  assert_fails(strew_masked_fill(x, mask, strew_of(large), &out, &failure), STREW_EVALUE,
               "masked_fill: 'value' is 300, which int8 cannot hold: expected an integer in its range\n"
               "  self   int8[2] cpu\n"
               "  mask   bool[2] cpu\n"
               "  value  int64[] cpu");
  assert_fails(strew_index_fill_with(x, 0, at, strew_of(large), NULL, &out, &failure), STREW_EVALUE, NULL);
  assert_fails(strew_index_put(x, 1, &at, strew_of(large), NULL, &out, &failure), STREW_EVALUE, NULL);
  assert_fails(strew_set_rows(x, at, strew_of(large), &failure), STREW_EVALUE, NULL);
  assert_elements(x, STREW_INT8, (int8_t[]){100, -1}, "unchanged");
  strew_tensor *all[] = {x, mask, three, large, at};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) strew_release(all[i]);
}
END_TEST

START_TEST(result_types) {
  const strew_scalar numbers[] = {strew_bool(true), strew_int(1), strew_float(1)};
  strew_dtype is;
  for (int a = 0; a < STREW_DTYPE_COUNT; a++) {
    strew_operand number = strew_number(numbers[2]);
    for (int b = 0; b < STREW_DTYPE_COUNT; b++) {
      ok(strew_result_type(2, (strew_dtype[]){(strew_dtype)a, (strew_dtype)b}, 0, NULL, &is, &failure));
      ck_assert_int_eq(is, promoted_of((strew_dtype)a, (strew_dtype)b));
    }
    if (lacks((strew_dtype)a)) continue;
    strew_tensor *x = scalar_tensor((strew_dtype)a, strew_int(0));
    for (int n = 1; n <= 3; n++) {
      number.number = numbers[n - 1];
      ok(strew_result_type(1, (strew_dtype[]){(strew_dtype)a}, n, numbers, &is, &failure));
      ck_assert_int_eq(is, common_of(strew_of(x), number));
    }
    strew_release(x);
  }
  ok(strew_result_type(0, NULL, 2, numbers, &is, &failure));
  ck_assert_int_eq(is, STREW_INT64);
  assert_fails(strew_result_type(0, NULL, 0, NULL, &is, &failure), STREW_EARGUMENT,
               "result_type: 'dtypes' has 0 dtypes and 0 numbers, expected at least one dtype or number");
  assert_fails(strew_result_type(1, (strew_dtype[]){STREW_DTYPE_END}, 0, NULL, &is, &failure), STREW_EARGUMENT,
               "result_type: 'dtypes' is 15, valid 0..14");
  assert_fails(strew_result_type(0, NULL, 1, &(strew_scalar){.dtype = STREW_INT8}, &is, &failure), STREW_EARGUMENT,
               "result_type: 'numbers' is a number of dtype 7, expected STREW_BOOL, STREW_INT64 or STREW_FLOAT64\n"
               "  hint  strew_int, strew_float and strew_bool make numbers");
}
END_TEST

/* A bool in wrapped host memory may be any byte: nonzero is true. */
START_TEST(foreign_bools_are_true_or_false) {
  uint8_t bytes[] = {0, 1, 2, 255};
  const int64_t size = 4;
  strew_tensor *x = NULL, *out = NULL;
  ok(strew_wrap(device, STREW_BOOL, 1, &size, NULL, bytes, sizeof bytes, NULL, NULL, &x, &failure));
  ok(strew_binary(STREW_EQ, strew_of(x), strew_number(strew_bool(true)), &out, &failure));
  assert_elements(out, STREW_BOOL, (uint8_t[]){0, 1, 1, 1}, "eq(true)");
  strew_release(out), out = NULL;
  ok(strew_unary(STREW_BITWISE_NOT, x, &out, &failure));
  assert_elements(out, STREW_BOOL, (uint8_t[]){1, 0, 0, 0}, "bitwise_not");
  strew_release(out), out = NULL;
  ok(strew_where(x, strew_number(strew_int(5)), strew_number(strew_int(6)), &out, &failure));
  assert_elements(out, STREW_INT64, (int64_t[]){6, 5, 5, 5}, "where");
  strew_release(out), out = NULL;
  ok(strew_nonzero(x, &out, &failure));
  assert_elements(out, STREW_INT64, (int64_t[]){1, 2, 3}, "nonzero");
  strew_release(out), out = NULL;
  strew_expr *expr = NULL; /* moves the bytes */
  strew_tensor *deferred = NULL;
  const strew_operand inputs[] = {strew_of(x)};
  ok(strew_expr_parse(context, "where(x, x, x)", 14, &expr, &failure));
  ok(strew_expr_bind(expr, &(strew_expr_values){.inputs = inputs}, &deferred, &failure));
  ok(strew_nonzero(deferred, &out, &failure));
  assert_elements(out, STREW_INT64, (int64_t[]){1, 2, 3}, "nonzero of a text");
  strew_expr_release(expr), strew_release(deferred), strew_release(out), strew_release(x);
}
END_TEST

/* --------------------------------------------------------------------------------------------- equal, allclose */

static void expect_equal(strew_tensor *a, strew_tensor *b, bool expected) {
  bool is = !expected;
  ok(strew_equal(a, b, &is, &failure));
  ck_assert_int_eq(is, expected);
}

START_TEST(equal_compares_wholes) {
  const int64_t sizes[] = {2, 3}, flat = 6;
  const double v[] = {0, 1, 2, 3, 4, 5}, w[] = {-0.0, 1, 2, 3, 4, 5}, n[] = {0, 1, 2, 3, 4, NAN};
  strew_tensor *a = tensor_from_doubles(STREW_FLOAT32, 6, v), *b = tensor_from_doubles(STREW_FLOAT32, 6, w);
  strew_tensor *c = tensor_from_doubles(STREW_FLOAT32, 6, n), *shaped = NULL;
  strew_tensor *none = random_tensor(STREW_FLOAT32, 2, (const int64_t[]){0, 3}, CONTIGUOUS);
  ok(strew_view(a, 2, sizes, &shaped, &failure));
  expect_equal(a, b, true);
  expect_equal(a, c, false);
  expect_equal(c, c, false);
  expect_equal(a, shaped, false);
  expect_equal(none, none, true);
  strew_tensor *ints = tensor_from_integers(STREW_INT64, 6, (const int64_t[]){0, 1, 2, 3, 4, 5});
  bool is;
  assert_fails(strew_equal(a, ints, &is, &failure), STREW_EDTYPE,
               lacks(STREW_FLOAT64) ? "equal: 'other' is int64, self is float32: dtypes must be equal\n"
                                      "  self   float32[6] cpu\n"
                                      "  other  int64[6] cpu\n"
                                      "  hint   strew_to(other, float32)"
                                    : "equal: 'other' is int64, self is float32: dtypes must be equal\n"
                                      "  self   float32[6] cpu\n"
                                      "  other  int64[6] cpu\n"
                                      "  hint   strew_to(other, float64), strew_to(self, float64)");
  ck_assert_int_eq(flat, strew_tensor_numel(ints));
  strew_release(a), strew_release(b), strew_release(c), strew_release(shaped), strew_release(none), strew_release(ints);
}
END_TEST

START_TEST(allclose_follows_its_formula) {
  const struct {
    strew_dtype dtype;
    double a, b, rtol, atol;
    bool expected;
  } cases[] = {
      {STREW_FLOAT32, 1, 1.000009, 1e-5, 1e-8, true},
      {STREW_FLOAT32, 1, 1.0001, 1e-5, 1e-8, false},
      {STREW_FLOAT64, 0, 1e-9, 1e-5, 1e-8, true},
      {STREW_FLOAT64, 0, 1e-7, 1e-5, 1e-8, false},
      {STREW_FLOAT32, INFINITY, INFINITY, 0, 0, true},
      {STREW_FLOAT32, INFINITY, INFINITY, 1, 1, true},
      {STREW_FLOAT32, 1, INFINITY, 1, 1, false},
      {STREW_FLOAT32, -INFINITY, INFINITY, 1, 1, false},
      {STREW_FLOAT32, NAN, NAN, 1, 1, false},
      {STREW_FLOAT16, 1, 1.0009765625, 1e-3, 0, true},
      {STREW_INT64, 100001, 100000, 1e-5, 1e-8, true},
      {STREW_INT32, 16777217, 16777216, 0, 0.5, false},
      {STREW_INT8, -128, 127, 0, 254, false},
      {STREW_INT8, -128, 127, 0, 255, true},
      {STREW_BOOL, 1, 1, 0, 0, true},
      {STREW_BOOL, 1, 0, 0, 0.5, false},
      {STREW_UINT8, 3, 5, 0, 2, true},
      {STREW_FLOAT32, 1, 1.5, 0, 0, false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    if (lacks(cases[i].dtype)) continue;
    strew_tensor *a = tensor_from_doubles(cases[i].dtype, 1, &cases[i].a);
    strew_tensor *b = tensor_from_doubles(cases[i].dtype, 1, &cases[i].b);
    bool is = !cases[i].expected;
    ok(strew_allclose(a, b, cases[i].rtol, cases[i].atol, &is, &failure));
    ck_assert_msg(is == cases[i].expected, "allclose case %zu is %d", i, is);
    strew_release(a), strew_release(b);
  }
  /* equal as float64, but not as int64 */
  const int64_t large = (1ll << 53) + 1, next = 1ll << 53;
  strew_tensor *a = tensor_from_integers(STREW_INT64, 1, &large), *b = tensor_from_integers(STREW_INT64, 1, &next);
  bool is = true;
  ok(strew_allclose(a, b, 0, 0, &is, &failure));
  ck_assert(!is);
  strew_release(a), strew_release(b);
}
END_TEST

/* ---------------------------------------------------------------------------------------------------- messages */

static strew_tensor *ints_123, *floats_123, *bools_2, *matrix; /* int64[3], float32[3], bool[2], int32[2, 3] */

static void start_messages(void) {
  ints_123 = tensor_from_integers(STREW_INT64, 3, (const int64_t[]){1, 2, 3});
  floats_123 = tensor_from_doubles(STREW_FLOAT32, 3, (const double[]){1, 2, 3});
  bools_2 = tensor_from_integers(STREW_BOOL, 2, (const int64_t[]){1, 0});
  matrix = tensor_of(STREW_INT32, 2, (const int64_t[]){2, 3}, STRIDED, (const int32_t[]){1, 2, 3, 4, 5, 0});
}

static void finish_messages(void) {
  strew_release(ints_123), strew_release(floats_123), strew_release(bools_2), strew_release(matrix);
}

#define BINARY(op, a, b)   strew_binary(STREW_##op, a, b, &(strew_tensor *){NULL}, &failure)
#define IN_PLACE(op, a, b) strew_binary(STREW_##op, strew_of(a), b, &(strew_tensor *){a}, &failure)

START_TEST(shapes_that_do_not_broadcast) {
  assert_fails(BINARY(ADD, strew_of(matrix), strew_of(bools_2)), STREW_ESHAPE,
               "add: 'other' has size 2 in dim 0 where the others have 3, sizes must be equal or 1\n"
               "  self   int32[2, 3] cpu\n"
               "  other  bool[2] cpu");
  assert_fails(IN_PLACE(ADD, ints_123, strew_of(matrix)), STREW_ESHAPE,
               "add: 'self' has shape [3], the result has [2, 3]\n"
               "  self   int64[3] cpu\n"
               "  other  int32[2, 3] cpu");
  assert_fails(BINARY(ADD, strew_number(strew_int(1)), strew_number(strew_int(1))), STREW_EARGUMENT,
               "add: 'other' is a number, and so is 'self', expected at least one tensor");
}
END_TEST

START_TEST(dtypes_that_do_not_fit) {
  assert_fails(IN_PLACE(ADD, ints_123, strew_number(strew_float(1.5))), STREW_EDTYPE,
               lacks(STREW_FLOAT64) ? "add: 'self' is int64, which does not hold a result of float32\n"
                                      "  self  int64[3] cpu\n"
                                      "  hint  strew_to(self, float32) holds it; *out NULL makes a new tensor"
                                    : "add: 'self' is int64, which does not hold a result of float32\n"
                                      "  self  int64[3] cpu\n"
                                      "  hint  strew_to(self, float64) holds it");
  strew_tensor *out = ints_123;
  assert_fails(strew_unary(STREW_EXP, floats_123, &out, &failure), STREW_EDTYPE,
               "exp: 'out' is int64, which does not hold a result of float32\n"
               "  self  float32[3] cpu\n"
               "  out   int64[3] cpu");
  assert_fails(BINARY(SUB, strew_of(bools_2), strew_of(bools_2)), STREW_EDTYPE,
               "sub: 'self' is bool, sub takes integers and floats\n"
               "  self   bool[2] cpu\n"
               "  other  bool[2] cpu\n"
               "  hint   logical_not(x) inverts a bool, ne(a, b) tells where two differ");
  assert_fails(BINARY(SUB, strew_of(ints_123), strew_number(strew_bool(true))), STREW_EDTYPE,
               "sub: 'other' is a boolean, sub takes integers and floats\n"
               "  self  int64[3] cpu\n"
               "  hint  logical_not(x) inverts a bool, ne(a, b) tells where two differ");
  out = NULL;
  assert_fails(strew_unary(STREW_ABS, bools_2, &out, &failure), STREW_EDTYPE,
               "abs: 'self' is bool, abs takes integers and floats\n"
               "  self  bool[2] cpu\n"
               "  hint  strew_to(x, int64)");
  assert_fails(BINARY(BITWISE_OR, strew_of(ints_123), strew_number(strew_float(1))), STREW_EDTYPE,
               "bitwise_or: 'other' is a float, bitwise_or takes integers and bools\n"
               "  self  int64[3] cpu");
}
END_TEST

START_TEST(numbers_that_do_not_fit) {
  strew_tensor *bytes = tensor_from_integers(STREW_INT8, 1, (const int64_t[]){1});
  assert_fails(BINARY(ADD, strew_of(bytes), strew_number(strew_int(1000))), STREW_EVALUE,
               "add: 'other' is 1000, which int8 cannot hold: expected an integer in its range\n"
               "  self  int8[1] cpu");
  assert_fails(BINARY(POW, strew_of(bytes), strew_number(strew_int(-1))), STREW_EVALUE,
               lacks(STREW_FLOAT64) ? "pow: 'other' is -1, integers take exponents of 0 or more\n"
                                      "  self  int8[1] cpu\n"
                                      "  hint  strew_to(self, float32)"
                                    : "pow: 'other' is -1, integers take exponents of 0 or more\n"
                                      "  self  int8[1] cpu\n"
                                      "  hint  strew_to(self, float64)");
  strew_release(bytes);
  assert_fails(BINARY(ADD, strew_of(floats_123), strew_number(strew_float(1e39))), STREW_EVALUE,
               "add: 'other' is 1e+39, which float32 cannot hold: the number is too large\n"
               "  self  float32[3] cpu");
}
END_TEST

/* One rule for all float dtypes and all operations except comparisons, also in place. */
START_TEST(numbers_too_large_are_errors) {
  static const struct {
    strew_dtype dtype;
    double largest, beyond;
  } floats[] = {
      {STREW_FLOAT16, 65519, 65520}, {STREW_BFLOAT16, 0x1.fep127, 0x1.ffp127}, {STREW_FLOAT32, 3.4e38, 1e300}};
  for (size_t i = 0; i < sizeof floats / sizeof *floats; i++) {
    strew_tensor *x = tensor_from_doubles(floats[i].dtype, 2, (const double[]){1, 0}), *before = NULL, *out = NULL;
    strew_tensor *mask = tensor_from_integers(STREW_BOOL, 2, (const int64_t[]){1, 0});
    ok(strew_clone(x, &before, &failure));
    for (int sign = -1; sign <= 1; sign += 2) {
      strew_operand held = strew_number(strew_float(sign * floats[i].largest)),
                    large = strew_number(strew_float(sign * floats[i].beyond)), one = strew_number(strew_int(1));
      for (int op = 0; op < STREW_BINARY_COUNT; op++) {
        if (binary_rows[op].takes == TAKES_BITS || binary_rows[op].takes == TAKES_INTEGERS) continue;
        bool test = binary_rows[op].gives != GIVES_COMMON;
        ok(strew_binary((strew_binary_op)op, strew_of(x), held, &out, &failure));
        strew_release(out), out = NULL;
        strew_status status = strew_binary((strew_binary_op)op, strew_of(x), large, &out, &failure);
        ck_assert_msg(test ? status == STREW_OK : status == STREW_EVALUE, "%s: %s", binary_rows[op].name,
                      failure.message);
        strew_release(out), out = NULL;
        status = strew_binary((strew_binary_op)op, large, strew_of(x), &out, &failure);
        ck_assert_msg(test ? status == STREW_OK : status == STREW_EVALUE, "%s: %s", binary_rows[op].name,
                      failure.message);
        strew_release(out), out = NULL;
        if (!test) assert_fails(IN_PLACE(ADD, x, large), STREW_EVALUE, NULL);
      }
      assert_fails(strew_clamp_with(x, one, large, &out, &failure), STREW_EVALUE, NULL);
      assert_fails(strew_clamp_with(x, large, (strew_operand){0}, &out, &failure), STREW_EVALUE, NULL);
      assert_fails(strew_where(mask, strew_of(x), large, &out, &failure), STREW_EVALUE, NULL);
      assert_fails(strew_masked_fill(x, mask, large, &x, &failure), STREW_EVALUE, NULL);
      assert_fails(strew_fill(x, large.number, &failure), STREW_EVALUE, NULL);
    }
    assert_same(x, before, "what was refused");
    strew_release(x), strew_release(before), strew_release(mask);
  }
}
END_TEST

/* Comparison by exact mathematical value. */
START_TEST(comparisons_take_any_number) {
  const double inf = INFINITY;
  static const strew_binary_op ops[] = {STREW_EQ, STREW_NE, STREW_LT, STREW_LE, STREW_GT, STREW_GE};
  const struct {
    strew_dtype dtype;
    double element;
    strew_scalar number;
    int sign; /* sign of the difference; 2: one of them is NaN */
  } cases[] = {{STREW_INT8, 127, strew_int(300), -1},
               {STREW_INT8, -128, strew_int(-129), 1},
               {STREW_INT8, 44, strew_int(300), -1},
               {STREW_UINT8, 0, strew_float(-0.5), 1},
               {STREW_UINT8, 255, strew_float(255.5), -1},
               {STREW_INT64, 0, strew_float(0.5), -1},
               {STREW_INT64, 1, strew_float(0.99999999999), 1},
               {STREW_INT64, 16777217, strew_float(16777216), 1},
               {STREW_INT64, 5, strew_float(0x1p63), -1},
               {STREW_INT64, -0x1p63, strew_float(-0x1p63), 0},
               {STREW_INT64, -0x1p63, strew_float(-1e300), 1},
               {STREW_INT64, 5, strew_float(inf), -1},
               {STREW_INT64, 5, strew_float(-inf), 1},
               {STREW_INT64, 5, strew_float(NAN), 2},
               {STREW_BOOL, 1, strew_int(2), -1},
               {STREW_BOOL, 1, strew_float(0.5), 1},
               {STREW_FLOAT16, 65504, strew_float(1e10), -1},
               {STREW_FLOAT16, 65504, strew_int(65519), 0},
               {STREW_FLOAT16, inf, strew_float(1e10), 1},
               {STREW_FLOAT16, -inf, strew_float(-1e10), -1},
               {STREW_FLOAT16, NAN, strew_float(1e10), 2},
               {STREW_BFLOAT16, 1, strew_float(-1e39), 1},
               {STREW_FLOAT32, inf, strew_float(1e300), 1},
               {STREW_FLOAT32, 3.4e38, strew_float(1e300), -1},
               {STREW_FLOAT32, inf, strew_float(inf), 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int k = 0; k < 12; k++) {
      int sign = cases[i].sign, order = k < 6 ? sign : -sign;
      const bool expected[] = {
          sign == 0, sign != 0, order == -1, order == -1 || sign == 0, order == 1, order == 1 || sign == 0};
      strew_tensor *x = tensor_from_doubles(cases[i].dtype, 1, &cases[i].element), *out = NULL;
      strew_operand number = strew_number(cases[i].number);
      ok(strew_binary(ops[k % 6], k < 6 ? strew_of(x) : number, k < 6 ? number : strew_of(x), &out, &failure));
      assert_elements(out, STREW_BOOL, (uint8_t[]){expected[k % 6]}, "%s, case %zu, %d", binary_rows[ops[k % 6]].name,
                      i, k);
      strew_release(x), strew_release(out);
    }
}
END_TEST

START_TEST(division_by_zero_names_the_place) {
  assert_fails(BINARY(FLOOR_DIVIDE, strew_of(ints_123), strew_of(matrix)), STREW_EVALUE,
               "floor_divide: 'other' is 0 at [1, 2], integers cannot be divided by it\n"
               "  self   int64[3] cpu\n"
               "  other  int32[2, 3] cpu\n"
               "  hint   div gives floats, where x / 0 is inf or nan");
  ck_assert(failure.has_value && failure.value.as.i == 0 && failure.position_rank == 2);
  ck_assert(failure.position[0] == 1 && failure.position[1] == 2);
  assert_fails(IN_PLACE(REMAINDER, ints_123, strew_number(strew_int(0))), STREW_EVALUE,
               "remainder: 'other' is 0, integers cannot be divided by it\n"
               "  self  int64[3] cpu\n"
               "  hint  div gives floats, where x / 0 is inf or nan");
  strew_tensor *bytes = tensor_from_integers(STREW_INT8, 2, (const int64_t[]){1, 2});
  strew_tensor *wide = scalar_tensor(STREW_INT64, strew_int(0)), *none = NULL;
  assert_fails(BINARY(FLOOR_DIVIDE, strew_of(bytes), strew_of(wide)), STREW_EVALUE,
               "floor_divide: 'other' is 0 at [], integers cannot be divided by it\n"
               "  self   int8[2] cpu\n"
               "  other  int64[] cpu\n"
               "  hint   div gives floats, where x / 0 is inf or nan");
  strew_release(bytes), strew_release(wide);
  /* an empty result divides nothing */
  strew_tensor *empty = random_tensor(STREW_INT64, 2, (const int64_t[]){0, 1}, CONTIGUOUS);
  strew_tensor *zeros = tensor_from_integers(STREW_INT64, 3, (const int64_t[]){0, 0, 0});
  ok(strew_binary(STREW_FLOOR_DIVIDE, strew_of(empty), strew_of(zeros), &none, &failure));
  strew_release(empty), strew_release(zeros), strew_release(none);
}
END_TEST

/* The error names the first zero, on any number of threads, and nothing was written. */
START_TEST(division_by_zero_in_the_last_element) {
  const int64_t sizes[] = {70, 100}, place[] = {69, 99}, earlier[] = {42, 7}, first[] = {0, 0};
  strew_tensor *a = random_integers(STREW_INT32, 2, sizes, CONTIGUOUS, -50, 50), *before = NULL;
  strew_tensor *b = random_integers(STREW_INT32, 2, sizes, PERMUTED, 1, 9);
  ok(strew_clone(a, &before, &failure));
  ok(strew_set(b, 2, place, strew_int(0), &failure));
  use_threads(3);
  assert_fails(IN_PLACE(REMAINDER, a, strew_of(b)), STREW_EVALUE, NULL);
  ck_assert_int_eq(failure.position[0], 69);
  ck_assert_int_eq(failure.position[1], 99);
  ok(strew_set(b, 2, earlier, strew_int(0), &failure));
  assert_fails(IN_PLACE(REMAINDER, a, strew_of(b)), STREW_EVALUE, NULL);
  ck_assert_int_eq(failure.position[0], 42);
  ck_assert_int_eq(failure.position[1], 7);
  ok(strew_set(b, 2, first, strew_int(0), &failure));
  assert_fails(IN_PLACE(REMAINDER, a, strew_of(b)), STREW_EVALUE, NULL);
  ck_assert_int_eq(failure.position[0], 0);
  ck_assert_int_eq(failure.position[1], 0);
  assert_same(a, before, "what was not divided");
  strew_release(a), strew_release(b), strew_release(before);
}
END_TEST

/* 3 to a power of two minus 1 is the inverse of 3, modulo 2^n. */
START_TEST(large_powers_wrap) {
  const int64_t most[] = {INT64_MAX, INT32_MAX, INT16_MAX, INT8_MAX, UINT8_MAX};
  const int64_t inverse[] = {-6148914691236517205, -1431655765, -21845, -85, 171};
  const strew_dtype dtypes[] = {STREW_INT64, STREW_INT32, STREW_INT16, STREW_INT8, STREW_UINT8};
  for (int d = 0; d < 5; d++) {
    strew_tensor *base = tensor_from_integers(dtypes[d], 2, (const int64_t[]){3, 2}), *out = NULL, *same = NULL;
    strew_tensor *exponent = tensor_from_integers(dtypes[d], 2, (const int64_t[]){most[d], most[d]});
    strew_tensor *expected = tensor_from_integers(dtypes[d], 2, (const int64_t[]){inverse[d], 0});
    ok(strew_binary(STREW_POW, strew_of(base), strew_of(exponent), &out, &failure));
    ok(strew_binary(STREW_POW, strew_of(base), strew_number(strew_int(most[d])), &same, &failure));
    assert_same(out, expected, "a tensor of exponents"), assert_same(same, expected, "an exponent");
    strew_release(base), strew_release(exponent), strew_release(out), strew_release(same), strew_release(expected);
  }
}
END_TEST

/* The error names the first negative exponent, in any integer dtype, and nothing was written. */
START_TEST(negative_powers_name_the_place) {
  const strew_dtype dtypes[] = {STREW_INT64, STREW_INT32, STREW_INT16, STREW_INT8};
  const int64_t sizes[] = {70, 100}, places[][2] = {{69, 99}, {42, 7}, {0, 0}};
  for (int d = 0; d < 4; d++) {
    strew_tensor *a = random_integers(dtypes[d], 2, sizes, CONTIGUOUS, 1, 3), *before = NULL;
    strew_tensor *b = random_integers(dtypes[d], 2, sizes, PERMUTED, 0, 9), *none = NULL;
    ok(strew_clone(a, &before, &failure));
    use_threads(1 + d);
    for (int k = 0; k < 3; k++) {
      ok(strew_set(b, 2, places[k], strew_int(-k - 1), &failure));
      assert_fails(IN_PLACE(POW, a, strew_of(b)), STREW_EVALUE, NULL);
      ck_assert(failure.has_value && failure.value.as.i == -k - 1 && failure.position_rank == 2);
      ck_assert(failure.position[0] == places[k][0] && failure.position[1] == places[k][1]);
      assert_fails(strew_binary(STREW_POW, strew_number(strew_int(2)), strew_of(b), &none, &failure), STREW_EVALUE,
                   NULL);
    }
    assert_same(a, before, "what was not raised");
    strew_release(a), strew_release(b), strew_release(before);
  }
  strew_tensor *minus = tensor_from_integers(STREW_INT16, 1, (const int64_t[]){-1});
  assert_fails(BINARY(POW, strew_of(ints_123), strew_of(minus)), STREW_EVALUE,
               lacks(STREW_FLOAT64) ? "pow: 'other' is -1 at [0], integers take exponents of 0 or more\n"
                                      "  self   int64[3] cpu\n"
                                      "  other  int16[1] cpu\n"
                                      "  hint   strew_to(self, float32)"
                                    : "pow: 'other' is -1 at [0], integers take exponents of 0 or more\n"
                                      "  self   int64[3] cpu\n"
                                      "  other  int16[1] cpu\n"
                                      "  hint   strew_to(self, float64)");
  strew_release(minus);
}
END_TEST

START_TEST(overlaps_are_refused) {
  strew_tensor *wide = NULL, *shifted = NULL, *front = NULL;
  const int64_t four = 4, two = 2, one = 1, none = 0;
  strew_tensor *single = tensor_from_doubles(STREW_FLOAT32, 1, (const double[]){1});
  ok(strew_expand(single, 1, &four, &wide, &failure));
  assert_fails(IN_PLACE(ADD, wide, strew_number(strew_int(1))), STREW_EOVERLAP,
               "add: 'self' overlaps itself (an expanded view?) and cannot be written in place\n"
               "  self  float32[4] cpu\n"
               "  hint  write into strew_clone(self)");
  ok(strew_as_strided(floats_123, 1, &two, &one, 0, &front, &failure));
  ok(strew_as_strided(floats_123, 1, &two, &one, 1, &shifted, &failure));
  assert_fails(IN_PLACE(ADD, front, strew_of(shifted)), STREW_EOVERLAP,
               "add: 'other' shares elements with the tensor written in place\n"
               "  self   float32[2] cpu\n"
               "  other  float32[2] cpu\n"
               "  hint   strew_clone(other)");
  strew_operand bound = strew_of(shifted);
  assert_fails(strew_clamp_with(front, (strew_operand){0}, bound, &front, &failure), STREW_EOVERLAP, NULL);
  strew_tensor *first = NULL;
  ok(strew_as_strided(floats_123, 0, &none, &none, 0, &first, &failure));
  assert_fails(IN_PLACE(DIV, floats_123, strew_of(first)), STREW_EOVERLAP, NULL);
  strew_release(single), strew_release(wide), strew_release(shifted), strew_release(front), strew_release(first);
}
END_TEST

START_TEST(choosing_needs_a_bool) {
  strew_tensor *out = NULL;
  strew_operand one = strew_number(strew_int(1)), half = strew_number(strew_float(0.5));
  assert_fails(
      strew_where(ints_123, one, one, &out, &failure), STREW_EDTYPE,
      "where: 'condition' is int64, expected bool\n"
      "  condition  int64[3] cpu\n"
      "  hint       strew_binary(STREW_NE, x, 0) is a bool tensor; strew_where(condition, t, b) chooses from t");
  assert_fails(strew_masked_fill(floats_123, ints_123, one, &out, &failure), STREW_EDTYPE,
               "masked_fill: 'mask' is int64, expected bool\n"
               "  self  float32[3] cpu\n"
               "  mask  int64[3] cpu\n"
               "  hint  strew_binary(STREW_NE, x, 0) is a bool tensor");
  strew_tensor *mask = tensor_from_integers(STREW_BOOL, 3, (const int64_t[]){1, 0, 1});
  assert_fails(strew_masked_fill(ints_123, mask, half, &out, &failure), STREW_EVALUE,
               "masked_fill: 'value' is 0.5, which int64 cannot hold: expected an integer in its range\n"
               "  self  int64[3] cpu\n"
               "  mask  bool[3] cpu");
  assert_fails(strew_masked_fill(floats_123, mask, strew_of(ints_123), &out, &failure), STREW_ESHAPE,
               "masked_fill: 'value' has 1 dimension, expected a number or a tensor without dimensions\n"
               "  self   float32[3] cpu\n"
               "  mask   bool[3] cpu\n"
               "  value  int64[3] cpu");
  strew_tensor *pi = scalar_tensor(STREW_FLOAT32, strew_float(3.14));
  assert_fails(strew_masked_fill(ints_123, mask, strew_of(pi), &out, &failure), STREW_EVALUE,
               "masked_fill: 'value' is 3.140000104904175, which int64 cannot hold: expected an integer in its range\n"
               "  self   int64[3] cpu\n"
               "  mask   bool[3] cpu\n"
               "  value  float32[] cpu");
  assert_fails(strew_masked_fill(ints_123, bools_2, one, &out, &failure), STREW_ESHAPE, NULL);
  assert_fails(strew_clamp_with(ints_123, (strew_operand){0}, (strew_operand){0}, &out, &failure), STREW_EARGUMENT,
               "clamp: 'min' and 'max' are missing, expected at least one\n"
               "  self  int64[3] cpu");
  strew_operand low = strew_of(bools_2);
  assert_fails(strew_clamp_with(ints_123, low, one, &out, &failure), STREW_ESHAPE,
               "clamp: 'min' has size 2 in dim 0 where the others have 3, sizes must be equal or 1\n"
               "  self  int64[3] cpu\n"
               "  min   bool[2] cpu");
  bool close;
  assert_fails(strew_allclose(ints_123, ints_123, -1, 0, &close, &failure), STREW_EVALUE,
               "allclose: 'rtol' is -1.0, tolerances are 0 or more\n"
               "  self   int64[3] cpu\n"
               "  other  int64[3] cpu");
  strew_release(mask), strew_release(pi);
}
END_TEST

/* ------------------------------------------------------------------------------------------------------- suite */

Suite *make_suite(void) {
  Suite *suite = suite_create("elementwise rules");
  TCase *values = new_case(suite, "values");
  tcase_add_loop_test(values, promotion_is_by_dtype_alone, 0, STREW_DTYPE_COUNT);
  tcase_add_test(values, division_and_powers_by_hand);
  tcase_add_test(values, large_powers_wrap);
  tcase_add_loop_test(values, integers_divide_exactly, 0, STREW_DTYPE_COUNT);
  tcase_add_test(values, squares_by_hand);
  tcase_add_test(values, rounding_by_hand);
  tcase_add_test(values, halves_round_once);
  tcase_add_test(values, signs_of_halves_have_the_nan_of_conversions);
  tcase_add_loop_test(values, halves_in_registers_are_rounded_once, 0, 18);
  tcase_add_test(values, integers_meet_halves_in_their_dtype);
  tcase_add_test(values, wider_integers_keep_their_values);
  tcase_add_test(values, stored_tensors_of_rank_0_must_fit);
  tcase_add_test(values, result_types);
  tcase_add_test(values, comparisons_take_any_number);
  if (!on_device()) tcase_add_test(values, foreign_bools_are_true_or_false);
  tcase_add_test(values, equal_compares_wholes);
  tcase_add_test(values, allclose_follows_its_formula);
  TCase *messages = new_case(suite, "messages");
  tcase_add_checked_fixture(messages, start_messages, finish_messages);
  tcase_add_test(messages, shapes_that_do_not_broadcast);
  tcase_add_test(messages, dtypes_that_do_not_fit);
  tcase_add_test(messages, numbers_that_do_not_fit);
  tcase_add_test(messages, numbers_too_large_are_errors);
  tcase_add_test(messages, division_by_zero_names_the_place);
  tcase_add_test(messages, division_by_zero_in_the_last_element);
  tcase_add_test(messages, negative_powers_name_the_place);
  tcase_add_test(messages, overlaps_are_refused);
  tcase_add_test(messages, choosing_needs_a_bool);
  return suite;
}
