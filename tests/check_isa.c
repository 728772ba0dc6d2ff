/* check_isa.c: the loops of every instruction set of this processor against the plain ones, bit for bit: each kernel,
   fold and conversion, on rows of random elements of many lengths, also unaligned; and lines of a scatter with the
   prefetch settings of every processor. (devices: no, these loops are the CPU's.) */
#include "runtime/core/base/operations.h"
#include "runtime/core/cpu/core_loops.h"
#include "runtime/core/cpu/scatter/scattering.h"
#include "runtime/elementwise/cpu/elementwise_loops.h"
#include "runtime/elementwise/shared/random.h"
#include "runtime/order/cpu/sort_loops.h"
#include "runtime/reduce/cpu/reduce_loops.h"
#include "testing.h"

#define TABLE(ENUM, isa, name) [ISA_##ENUM] = &name##_loops_##isa,
static const struct elementwise_loops *const elementwise_of[] = {INSTRUCTION_SETS(TABLE, elementwise)};
static const struct reduce_loops *const reduce_of[] = {INSTRUCTION_SETS(TABLE, reduce)};
static const struct copy_loops *const copy_of[] = {INSTRUCTION_SETS(TABLE, copy)};
static const struct row_loops *const row_of[] = {INSTRUCTION_SETS(TABLE, row)};
static const struct index_loops *const index_of[] = {INSTRUCTION_SETS(TABLE, index)};
static const struct random_loops *const random_of[] = {INSTRUCTION_SETS(TABLE, random)};
static const struct sort_loops *const sort_of[] = {INSTRUCTION_SETS(TABLE, sort)};

/* Rows begin at one of these elements. */
enum { LONGEST = 1200, ROWS = 4 };
typedef char memory[2 * LONGEST * 8] __attribute__((aligned(64)));
static memory inputs[ROWS], expected, found;
static char *in[ROWS];

static const int64_t lengths[] = {1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 33, 63, 64, 65, 100, 129, 1024, 1025, 1091};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

/* True if the processor has the instruction set. isa_in_use is the best one, unless the environment overrides it. */
static bool is_here(int isa) { return isa <= (int)isa_in_use(); }

static int64_t size_of(strew_dtype dtype) { return (int64_t)strew_dtype_size_bytes(dtype); }

/* Fills row i with `count` random elements. */
static void draw_row(int i, strew_dtype dtype, int64_t count) {
  in[i] = inputs[i] + draw_below(9) * size_of(dtype);
  for (int64_t k = 0; k < count; k++) random_element(dtype, in[i] + k * size_of(dtype));
}

static void clear(void) {
  memset(expected, 0x55, sizeof expected);
  memset(found, 0x55, sizeof found);
}

/* The elements are equal, NaN payloads aside, and nothing was written past the end. */
static void compare(strew_dtype dtype, int64_t count, int isa, const char *what, int which) {
  for (int64_t k = 0; k < count; k++)
    if (!same_element(dtype, expected + k * size_of(dtype), found + k * size_of(dtype)))
      ck_abort_msg("%s %d of %s, %d elements: %s differs from plain at %d", what, which, strew_dtype_name(dtype),
                   (int)count, isa_name((enum isa)isa), (int)k);
  if (memcmp(expected + count * size_of(dtype), found + count * size_of(dtype), 64) != 0)
    ck_abort_msg("%s %d of %s: %s writes past %d elements", what, which, strew_dtype_name(dtype),
                 isa_name((enum isa)isa), (int)count);
}

/* ------------------------------------------------------------------------------------------------- elementwise */

static void check_kernel(int isa, strew_dtype dtype, strew_dtype gives, kernel *plain, kernel *other, const char *what,
                         int op) {
  if (!plain && !other) return;
  ck_assert(plain && other);
  for (int l = 0; l < LENGTHS; l++) {
    for (int i = 0; i < 3; i++) draw_row(i, dtype, lengths[l]);
    if (!strcmp(what, "where")) draw_row(0, STREW_BOOL, lengths[l]);
    clear();
    plain(lengths[l], expected, (const void *const *)in);
    other(lengths[l], found, (const void *const *)in);
    compare(gives, lengths[l], isa, what, op);
  }
}

/* Long functions have vector loops of float32 for one instruction set, and scalar ones instead of plain ones. */
static kernel *of_plain(kernel *plain, kernel *other, kernel *scalar) { return plain || !other ? plain : scalar; }

START_TEST(kernels_agree) {
  strew_dtype dtype = (strew_dtype)_i;
  if (dtype == STREW_FLOAT16 || dtype == STREW_BFLOAT16) return; /* computed as float32 */
  seed_draws((uint64_t)_i);
  const struct kernels *plain = elementwise_of[ISA_PLAIN]->kernels[dtype];
  for (int isa = 1; isa < ISA_COUNT && is_here(isa); isa++) {
    const struct kernels *other = elementwise_of[isa]->kernels[dtype];
    for (int op = 0; op < STREW_UNARY_COUNT; op++)
      check_kernel(isa, dtype, gives_bool(operation_of(ELEMENTWISE_UNARY, op)) ? STREW_BOOL : dtype,
                   of_plain(plain->unary[op], other->unary[op], long_functions_f32.unary[op]), other->unary[op],
                   "unary", op);
    for (int op = 0; op < STREW_BINARY_COUNT; op++)
      check_kernel(isa, dtype, gives_bool(operation_of(ELEMENTWISE_BINARY, op)) ? STREW_BOOL : dtype,
                   of_plain(plain->binary[op], other->binary[op], long_functions_f32.binary[op]), other->binary[op],
                   "binary", op);
    for (int op = 0; op < MIXED_COUNT; op++)
      check_kernel(isa, dtype, STREW_BOOL, plain->mixed[op], other->mixed[op], "mixed", MIXED_FIRST + op);
    check_kernel(isa, dtype, dtype, plain->clamp, other->clamp, "clamp", 0);
    check_kernel(isa, dtype, dtype, plain->where, other->where, "where", 0);
  }
}
END_TEST

START_TEST(zeros_are_found) {
  for (int isa = 0; isa < ISA_COUNT && is_here(isa); isa++)
    for (int d = 0; d < STREW_DTYPE_COUNT; d++)
      for (int l = 0; l < LENGTHS; l++) {
        if (d == STREW_FLOAT16 || d == STREW_BFLOAT16 || is_unsigned_dtype((strew_dtype)d)) continue; /* of others */
        int64_t bytes = size_of((strew_dtype)d), at = draw_below(lengths[l]);
        memset(expected, 1, sizeof expected);
        ck_assert_int_eq(elementwise_of[isa]->kernels[d]->find_zero(lengths[l], expected + bytes), -1);
        memset(expected + (1 + at) * bytes, 0, (size_t)((lengths[l] - at) * bytes));
        ck_assert_int_eq(elementwise_of[isa]->kernels[d]->find_zero(lengths[l], expected + bytes), at);
      }
}
END_TEST

/* ------------------------------------------------------------------------------------------------------- copies */

static void check_convert(int isa, strew_dtype to, strew_dtype from, convert_row *plain, convert_row *other) {
  for (int l = 0; l < LENGTHS; l++)
    for (int step = 0; step < 3; step++) {
      int64_t room = 2 * LONGEST / (step ? step : 1), count = lengths[l] < room - 9 ? lengths[l] : room - 9;
      draw_row(0, from, step ? (count - 1) * step + 1 : 1);
      clear();
      plain(count, expected, size_of(to), in[0], step * size_of(from));
      other(count, found, size_of(to), in[0], step * size_of(from));
      compare(to, count, isa, "conversion from", (int)from);
      clear();
      plain(count, expected, 2 * size_of(to), in[0], step * size_of(from));
      other(count, found, 2 * size_of(to), in[0], step * size_of(from));
      compare(to, 2 * count - 1, isa, "strided conversion from", (int)from);
    }
}

static void check_transpose(transpose_block *transpose, strew_dtype dtype) {
  for (int i = 0; i < 40; i++) {
    int64_t rows = 1 + draw_below(34), columns = 1 + draw_below(34), step = size_of(dtype) * (34 + draw_below(2));
    draw_row(0, dtype, 35 * 34);
    clear();
    for (int64_t r = 0; r < rows; r++)
      for (int64_t c = 0; c < columns; c++)
        memcpy(expected + r * step + c * size_of(dtype), in[0] + c * step + r * size_of(dtype), (size_t)size_of(dtype));
    transpose(rows, columns, found, step, in[0], step);
    ck_assert_mem_eq(expected, found, sizeof expected);
  }
}

START_TEST(transpositions_are_right) {
  seed_draws(1);
  for (int isa = 0; isa < ISA_COUNT && is_here(isa); isa++) {
    check_transpose(copy_of[isa]->transpose[1], STREW_UINT8);
    check_transpose(copy_of[isa]->transpose[2], STREW_INT16);
    check_transpose(copy_of[isa]->transpose[4], STREW_INT32);
    check_transpose(copy_of[isa]->transpose[8], STREW_INT64);
  }
}
END_TEST

/* Copies of rows with every step from -2 to 2 elements, and one of them to every other element. */
START_TEST(copies_are_right) {
  static const int sizes[] = {1, 2, 4, 8};
  static unsigned char from[8 * 2 * 40], to[8 * 2 * 40];
  for (size_t i = 0; i < sizeof from; i++) from[i] = (unsigned char)(i * 7 + i / 256);
  for (int isa = 0; isa < ISA_COUNT && is_here(isa); isa++)
    for (int k = 0; k < 4 * 5 * 40; k++) {
      const int size = sizes[k % 4], step = k / 4 % 5 - 2, count = k / 20 + 1, to_step = k % 3 ? 1 : 2;
      const unsigned char *first = from + (step < 0 ? -step * (count - 1) : 0) * size;
      memset(to, 0xee, sizeof to);
      copy_of[isa]->copy[size](count, (char *)to, to_step * size, (const char *)first, step * size);
      for (int i = 0; i < 2 * 40; i++)
        if (i % to_step == 0 && i / to_step < count)
          ck_assert_mem_eq(to + i * size, first + i / to_step * step * size, (size_t)size);
        else
          ck_assert_uint_eq(to[i * size], 0xee);
    }
}
END_TEST

/* Every float16 is converted in both directions; also its neighbouring float32 values and the halfway points. */
START_TEST(halves_agree) {
  enum { ROW = 16, NEAR = 6 };
  static const int64_t offsets[NEAR] = {-1, 0, 1, 0xfff, 0x1000, 0x1001};
  convert_row *to_wide = copy_of[ISA_PLAIN]->convert_from[STREW_FLOAT16][STREW_FLOAT32],
              *to_half = copy_of[ISA_PLAIN]->convert_from[STREW_FLOAT32][STREW_FLOAT16];
  for (int isa = 1; isa < ISA_COUNT && is_here(isa); isa++)
    for (uint32_t first = 0; first <= UINT16_MAX; first += ROW) {
      uint16_t halves[ROW], narrowed[2][ROW];
      uint32_t wide[2][ROW], near[ROW];
      for (uint32_t i = 0; i < ROW; i++) halves[i] = (uint16_t)(first + i);
      to_wide(ROW, (char *)wide[0], 4, (const char *)halves, 2);
      copy_of[isa]->convert_from[STREW_FLOAT16][STREW_FLOAT32](ROW, (char *)wide[1], 4, (const char *)halves, 2);
      for (int i = 0; i < ROW; i++)
        ck_assert_uint_eq(wide[0][i] | ((halves[i] & 0x7fff) > 0x7c00 ? 0x400000u : 0),
                          wide[1][i]); /* NaNs are quiet */
      for (int k = 0; k < NEAR; k++) {
        for (int i = 0; i < ROW; i++) near[i] = (uint32_t)(wide[0][i] + offsets[k]);
        to_half(ROW, (char *)narrowed[0], 2, (const char *)near, 4);
        copy_of[isa]->convert_from[STREW_FLOAT32][STREW_FLOAT16](ROW, (char *)narrowed[1], 2, (const char *)near, 4);
        ck_assert_mem_eq(narrowed[0], narrowed[1], sizeof narrowed[0]);
      }
    }
}
END_TEST

START_TEST(conversions_agree) {
  strew_dtype from = (strew_dtype)_i;
  seed_draws((uint64_t)_i);
  const struct copy_loops *plain = copy_of[ISA_PLAIN];
  for (int isa = 1; isa < ISA_COUNT && is_here(isa); isa++) {
    const struct copy_loops *other = copy_of[isa];
    for (int to = 0; to < STREW_DTYPE_COUNT; to++)
      if (to != (int)from && plain->convert_from[from][to])
        check_convert(isa, (strew_dtype)to, from, plain->convert_from[from][to], other->convert_from[from][to]);
    check_convert(isa, STREW_UINT8, STREW_UINT8, plain->copy[1], other->copy[1]);
    check_convert(isa, STREW_INT16, STREW_INT16, plain->copy[2], other->copy[2]);
    check_convert(isa, STREW_INT32, STREW_INT32, plain->copy[4], other->copy[4]);
    check_convert(isa, STREW_INT64, STREW_INT64, plain->copy[8], other->copy[8]);
  }
}
END_TEST

/* -------------------------------------------------------------------------------------------------------- folds */

/* The dtype of a fold's accumulator. */
static strew_dtype value_of(int fold, strew_dtype dtype) {
  if (fold >= GAPS) return dtype;
  switch (fold_row_of((strew_fold)fold)->gives) {
  case FOLD_TRUTH: return STREW_BOOL;
  case FOLD_WIDE: return dtype_of_sums(dtype);
  default: return dtype;
  }
}

/* A winner's position and value, or one value of dtype `gives`. */
static void compare_values(int isa, const struct fold *fold, strew_dtype dtype, strew_dtype gives, int64_t count,
                           int kind) {
  if (fold->value_bytes <= 8) {
    compare(gives, count, isa, "fold", kind);
    return;
  }
  for (int64_t k = 0; k < count; k++) {
    const char *a = expected + k * fold->value_bytes, *b = found + k * fold->value_bytes;
    ck_assert_mem_eq(a, b, 8);
    if (!same_element(dtype, a + 8, b + 8)) ck_abort_msg("fold %d of %s: values differ", kind, strew_dtype_name(dtype));
  }
}

/* Several rows at once give the same as row after row. */
static void check_rows(int isa, strew_dtype dtype, int kind, const struct fold *plain, const struct fold *other,
                       const void *centers, int64_t count) {
  int64_t step = (count / 9 + 1) * size_of(dtype);
  ck_assert(other->rows);
  for (int64_t rows = 1; rows < 10; rows++) {
    draw_row(0, dtype, 2 * count + 9);
    for (int64_t i = 0; i < rows; i++) plain->row(expected, in[0] + i * step, centers, count, 0);
    other->rows(found, in[0], step, rows, centers, count);
    compare_values(isa, plain, dtype, value_of(kind, dtype), count, kind);
  }
}

/* The first elements of columns and the means of their gaps. */
static const char *draw_centers(strew_dtype dtype, int64_t count) {
  static _Alignas(8) char centers[MEANS_AT + sizeof(memory)];
  const size_t size_bytes = (size_t)(count * size_of(dtype));
  for (int i = 0; i < 2; i++) {
    draw_row(1, dtype, count);
    memcpy(centers + i * MEANS_AT, in[1], size_bytes);
  }
  return centers;
}

/* The second operand of a row beside its elements in[0]: what a spread is taken about, or extremes of columns; every
   other element equals its extreme. */
static const char *given_to_row(strew_dtype dtype, int kind, int64_t count) {
  const int64_t size = size_of(dtype);
  if (kind >= GAPS) return draw_centers(dtype, count);
  draw_row(1, dtype, count);
  for (int64_t i = 0; i < count; i += 2) memcpy(in[1] + i * size, in[0] + i * size, (size_t)size);
  return in[1];
}

static void check_fold(int isa, strew_dtype dtype, int kind, const struct fold *plain, const struct fold *other) {
  strew_dtype gives = value_of(kind, dtype);
  ck_assert_int_eq(plain->value_bytes, other->value_bytes);
  for (int l = 0; l < LENGTHS; l++) {
    int64_t count = lengths[l] < SUM_BLOCK ? lengths[l] : SUM_BLOCK;
    const char *centers = kind >= GAPS ? draw_centers(dtype, count) : NULL;
    draw_row(0, dtype, count);
    clear();
    plain->block(expected, in[0], centers, count, 5);
    other->block(found, in[0], centers, count, 5);
    compare_values(isa, plain, dtype, gives, 1, kind);
    clear();
    plain->start(expected, count);
    other->start(found, count);
    for (int i = 0; i < 3; i++) {
      draw_row(0, dtype, count);
      centers = given_to_row(dtype, kind, count);
      plain->row(expected, in[0], centers, count, i);
      other->row(found, in[0], centers, count, i);
    }
    compare_values(isa, plain, dtype, gives, count, kind);
    if (plain->rows) check_rows(isa, dtype, kind, plain, other, centers, count);
    memcpy(inputs[2], expected, sizeof expected);
    draw_row(0, dtype, count);
    centers = given_to_row(dtype, kind, count);
    plain->row(expected, in[0], centers, count, 3);
    other->row(found, in[0], centers, count, 3);
    plain->join(expected, inputs[2], count);
    other->join(found, inputs[2], count);
    compare_values(isa, plain, dtype, gives, count, kind);
  }
}

START_TEST(folds_agree) {
  strew_dtype dtype = (strew_dtype)_i;
  if (dtype == STREW_FLOAT16 || dtype == STREW_BFLOAT16) return;
  seed_draws((uint64_t)_i);
  for (int isa = 1; isa < ISA_COUNT && is_here(isa); isa++)
    for (int kind = 0; kind < FOLD_LOOPS; kind++) {
      const struct fold *plain = reduce_of[ISA_PLAIN]->folds[dtype][kind], *other = reduce_of[isa]->folds[dtype][kind];
      if (plain || other) check_fold(isa, dtype, kind, plain, other);
    }
}
END_TEST

START_TEST(finishes_agree) {
  for (int isa = 1; isa < ISA_COUNT && is_here(isa); isa++)
    for (int l = 0; l < LENGTHS; l++)
      for (int root = 0; root < 2; root++) {
        clear();
        draw_row(0, STREW_FLOAT32, lengths[l]);
        memcpy(expected, in[0], (size_t)lengths[l] * 4), memcpy(found, in[0], (size_t)lengths[l] * 4);
        reduce_of[ISA_PLAIN]->finish_f32(expected, lengths[l], 7, root);
        reduce_of[isa]->finish_f32(found, lengths[l], 7, root);
        compare(STREW_FLOAT32, lengths[l], isa, "finish", root);
        draw_row(0, STREW_FLOAT64, lengths[l]);
        memcpy(expected, in[0], (size_t)lengths[l] * 8), memcpy(found, in[0], (size_t)lengths[l] * 8);
        reduce_of[ISA_PLAIN]->finish_f64(expected, lengths[l], 7, root);
        reduce_of[isa]->finish_f64(found, lengths[l], 7, root);
        compare(STREW_FLOAT64, lengths[l], isa, "finish", root);
      }
}
END_TEST

/* Prefetches change nothing, in whatever combination and at whatever distance. */
static void draw_prefetching(struct tile *tile) {
  tile->prefetch = (struct prefetching){.dst = draw_below(2),
                                        .blocked = draw_below(2),
                                        .streams = draw_below(2),
                                        .nta = draw_below(2),
                                        .foresees_order = draw_below(2),
                                        .dst_ahead = draw_below(100),
                                        .row_ahead = draw_below(40)};
  const struct tuning *tuning = &tuning_rows[draw_below(PROCESSOR_COUNT)];
  tile->prefetch.index = stream_of(tuning, (const char *)tile->source.index, sizeof *tile->source.index, 1);
  tile->prefetch.src = stream_of(tuning, tile->source.src, tile->source.row, 1);
}

/* Rows of two destinations, in order and by a list, with index values out of range. */
enum { CONTRIBUTED = 40, PLACES = 2 };

static void check_joined_rows(int isa, strew_dtype dtype, int reduction, int64_t columns, bool by_list) {
  static const int64_t odd[] = {-1, PLACES, INT64_MAX, INT64_MIN};
  int64_t index[CONTRIBUTED], list[CONTRIBUTED], listed = 0, size = size_of(dtype);
  for (int64_t i = 0; i < CONTRIBUTED; i++) {
    index[i] = draw_below(9) ? draw_below(PLACES) : odd[draw_below(4)];
    if (index[i] >= 0 && index[i] < PLACES && draw_below(3)) list[listed++] = i;
  }
  draw_row(1, dtype, columns + CONTRIBUTED), draw_row(2, dtype, PLACES * columns);
  clear();
  memcpy(expected, in[2], (size_t)(PLACES * columns * size)), memcpy(found, in[2], (size_t)(PLACES * columns * size));
  /* each row of src begins one element after the one before */
  struct tile tile = {.rows = CONTRIBUTED,
                      .columns = columns,
                      .source = {.index = index, .src = in[1], .row = size, .column = size},
                      .target = {.column = size, .step = columns * size, .owned = {0, PLACES, PLACES}}};
  draw_prefetching(&tile);
  const int64_t rows = by_list ? listed : CONTRIBUTED, *select = by_list ? list : NULL;
  tile.target.self = expected;
  bool out_of_range = row_of[ISA_PLAIN]->of[dtype].join[reduction](&tile, rows, select);
  tile.target.self = found;
  ck_assert(row_of[isa]->of[dtype].join[reduction](&tile, rows, select) == out_of_range);
  compare(dtype, PLACES * columns, isa, "rows", reduction);
}

static void check_winners(int isa, strew_dtype dtype, int reduction, int64_t columns) {
  enum { HERE = 7, BEFORE = 3 };
  int64_t winners[2][LONGEST + 1];
  for (int64_t k = 0; k <= columns; k++) winners[0][k] = winners[1][k] = BEFORE;
  draw_row(0, dtype, columns), draw_row(2, dtype, columns);
  clear();
  memcpy(expected, in[0], (size_t)(columns * size_of(dtype))), memcpy(found, in[0], (size_t)(columns * size_of(dtype)));
  row_of[ISA_PLAIN]->of[dtype].win[reduction](expected, winners[0], in[2], columns, HERE, 0);
  row_of[isa]->of[dtype].win[reduction](found, winners[1], in[2], columns, HERE, 0);
  compare(dtype, columns, isa, "row with positions", reduction);
  ck_assert(!memcmp(winners[0], winners[1], (size_t)(columns + 1) * sizeof **winners));
}

START_TEST(rows_agree) {
  strew_dtype dtype = (strew_dtype)_i;
  seed_draws((uint64_t)_i);
  for (int isa = 1; isa < ISA_COUNT && is_here(isa); isa++)
    for (int reduction = 0; reduction < STREW_REDUCTION_COUNT; reduction++) {
      const struct joins *plain = &row_of[ISA_PLAIN]->of[dtype], *other = &row_of[isa]->of[dtype];
      const bool is_plain = size_of(dtype) < 4 || is_unsigned_dtype(dtype);
      ck_assert(is_plain ? !other->join[reduction] : !other->join[reduction] == !plain->join[reduction]);
      for (int l = 0; l < LENGTHS; l++) {
        for (int n = 0; other->join[reduction] && n < 8; n++)
          check_joined_rows(isa, dtype, reduction, lengths[l], n % 2);
        if (other->win[reduction]) check_winners(isa, dtype, reduction, lengths[l]);
      }
    }
}
END_TEST

static bool join_one_by_one(const struct scatter_loops *loops, const struct tile *tile) {
  struct tile one = *tile;
  bool out_of_range = false;
  one.rows = 1, one.target.self = expected;
  for (int64_t i = 0; i < tile->rows; i++, one.source.index++, one.source.src += tile->source.row)
    out_of_range |= loops->join(&one, 1, NULL);
  return out_of_range;
}

/* Lines with every way of prefetching, against the same one by one. The index has a block of its own size, so that
   sanitizers see reads past its end. */
START_TEST(prefetches_agree) {
  enum { LINE = 3000 };
  static char src[LINE * 8];
  const strew_dtype dtype = (strew_dtype)_i;
  const int64_t size = size_of(dtype);
  seed_draws((uint64_t)_i);
  for (int n = 0; n < 60 * STREW_REDUCTION_COUNT; n++) {
    const int reduction = n % STREW_REDUCTION_COUNT;
    const struct scatter_loops *loops = scatter_loops(dtype, (strew_reduction)reduction, false);
    if (!loops->join || reduction == STREW_MEAN) continue; /* whose destinations are pairs */
    const int64_t rows = 1 + draw_below(draw_below(3) ? 200 : LINE);
    const int64_t places = 1 + draw_below(draw_below(2) ? 20 : LONGEST);
    int64_t *index = malloc((size_t)rows * sizeof *index);
    ck_assert(index);
    for (int64_t i = 0; i < rows; i++) random_element(dtype, src + i * size), index[i] = draw_below(places);
    if (draw_below(2)) index[draw_below(rows)] = draw_below(2) ? places : INT64_MIN;
    clear();
    for (int64_t k = 0; k < places; k++) random_element(dtype, expected + k * size);
    memcpy(found, expected, sizeof expected);
    struct tile tile = {.rows = rows,
                        .columns = 1,
                        .source = {.index = index, .src = src, .row = size},
                        .target = {.self = found, .step = size, .owned = {0, (uint64_t)places, (uint64_t)places}}};
    draw_prefetching(&tile);
    ck_assert(loops->join(&tile, rows, NULL) == join_one_by_one(loops, &tile));
    free(index);
    compare(dtype, places, ISA_PLAIN, "line, by reduction", reduction);
  }
}
END_TEST

/* Every lane of each number of items holds the numbers from 1 on. */
START_TEST(lanes_are_sorted) {
  static double items[(300 + 1) * LANES];
  for (int isa = 0; isa < ISA_COUNT && is_here(isa); isa++)
    for (int64_t n = 1; n <= 300; n++) {
      for (int64_t i = 0; i < n * LANES; i++) items[i] = (double)(i / LANES + 1);
      for (int64_t i = 0; i < n * LANES; i++) {
        const int64_t other = draw_below(i / LANES + 1) * LANES + i % LANES;
        const double item = items[i];
        items[i] = items[other], items[other] = item;
      }
      for (int64_t lane = 0; lane < LANES; lane++) items[n * LANES + lane] = -1;
      sort_of[isa]->sort_lanes(items, n);
      for (int64_t i = 0; i < n * LANES; i++)
        if (items[i] != (double)(i / LANES + 1))
          ck_abort_msg("%s: item %d of %d is wrong", isa_name((enum isa)isa), (int)(i / LANES), (int)n);
      for (int64_t lane = 0; lane < LANES; lane++) ck_assert_double_eq(items[n * LANES + lane], -1);
    }
}
END_TEST

/* Items in some order: drawn, rising, falling, rising and falling, or of all lengths. */
static void draw_items(double *items, int64_t n, int order) {
  for (int64_t i = 0; i < n; i++) {
    const int64_t numbers[] = {draw_below(1 << 20) << 20 | i, i, n - i, (i < n / 2 ? i : n - i) << 20 | i,
                               INT64_C(1) << draw_below(60) | i};
    const uint64_t word = UINT64_C(1) << 61 | (uint64_t)numbers[order];
    memcpy(&items[i], &word, sizeof word);
  }
}

static int compare_doubles(const void *a_, const void *b_) {
  const double *a = a_, *b = b_;
  return (*a > *b) - (*a < *b);
}

START_TEST(items_are_sorted) {
  enum { MOST = 3000 };
  static double items[MOST + 1], spare[MOST], wanted[MOST];
  for (int isa = 0; isa < ISA_COUNT && is_here(isa); isa++)
    for (int64_t n = 1; n <= MOST && sort_of[isa]->sort_items; n += n < 300 ? 1 : 1 + draw_below(100)) {
      const int order = (int)draw_below(5);
      draw_items(items, n, order);
      memcpy(wanted, items, (size_t)n * sizeof *items);
      qsort(wanted, (size_t)n, sizeof *items, compare_doubles);
      items[n] = -1;
      sort_of[isa]->sort_items(items, spare, n);
      if (memcmp(items, wanted, (size_t)n * sizeof *items) || items[n] != -1)
        ck_abort_msg("%s: order %d of %d items is wrong", isa_name((enum isa)isa), order, (int)n);
    }
}
END_TEST

/* Words are those of random.h, block by block, also where the number of a block carries; numbers are the plain ones. */
START_TEST(random_numbers_agree) {
  enum { BLOCKS = 100 };
  static const uint64_t seeds[] = {0, 5, UINT64_MAX, 0x9e3779b97f4a7c15u};
  static const uint64_t firsts[] = {0, 77, UINT32_MAX - 20, UINT64_MAX - 150};
  static const uint64_t ranges[] = {1, 3, 1000, UINT32_MAX, UINT64_C(1) << 40, UINT64_MAX};
  uint32_t words[4 * BLOCKS + 1];
  for (int isa = 0; isa < ISA_COUNT && is_here(isa); isa++)
    for (int k = 0; k < 4 * BLOCKS; k++) {
      const int blocks = k / 4 + 1;
      const uint64_t seed = seeds[k % 4], first = firsts[k / 4 % 4], range = ranges[k % 6];
      words[4 * blocks] = 17;
      random_of[isa]->draw(seed, first, blocks, words);
      ck_assert_uint_eq(words[4 * blocks], 17);
      for (int i = 0; i < blocks; i++) {
        const struct philox block = philox_block(seed, first + (uint64_t)i);
        ck_assert_mem_eq(words + 4 * i, block.words, sizeof block.words);
      }
      float *numbers = (float *)(void *)found, *plain = (float *)(void *)expected;
      random_of[isa]->uniform(4 * blocks, words, 24, numbers);
      random_of[ISA_PLAIN]->uniform(4 * blocks, words, 24, plain);
      ck_assert_mem_eq(numbers, plain, (size_t)blocks * 4 * sizeof *numbers);
      random_of[isa]->normal(4 * blocks, words, numbers);
      random_of[ISA_PLAIN]->normal(4 * blocks, words, plain);
      ck_assert_mem_eq(numbers, plain, (size_t)blocks * 4 * sizeof *numbers);
      random_of[isa]->integer(2 * blocks, words, -7, range, (int64_t *)(void *)found);
      random_of[ISA_PLAIN]->integer(2 * blocks, words, -7, range, (int64_t *)(void *)expected);
      ck_assert_mem_eq(found, expected, (size_t)blocks * 2 * sizeof(int64_t));
    }
}
END_TEST

/* STREW_CPU is heeded if this processor has what it names, and only then. */
START_TEST(environment_forces) {
  ck_assert(is_here(ISA_PLAIN));
  const char *word = getenv("STREW_CPU");
  for (int isa = 0; word && isa < ISA_COUNT; isa++)
    if (!strcmp(word, isa_name((enum isa)isa))) ck_assert_int_le((int)isa_in_use(), isa);
}
END_TEST

/* ------------------------------------------------------------------------------------------------------ index lines */

#define require(fact)                                                                                                  \
  if (!(fact)) ck_abort_msg("not true: %s", #fact)

/* Random, ascending or constant values, mostly in range, with invalid ones at random positions. */
static void draw_index(int64_t *values, int64_t count) {
  int64_t look = draw_below(3), at = draw_below(1000);
  for (int64_t i = 0; i < count; i++) values[i] = look == 0 ? draw_below(1000) : look == 1 ? at += draw_below(3) : at;
  static const int64_t odd[] = {-1, 1000, 5000, INT64_MAX, INT64_MIN, 0};
  if (draw_below(3) == 0) values[draw_below(count)] = odd[draw_below(6)];
}

/* Over the numbers that both dtypes hold: true if one is below lowest or above highest. */
static void check_range(const struct index_loops *loops, const int64_t *values, int64_t count, int64_t lowest) {
  int32_t narrow[1200];
  bool wide = false, outside = false;
  for (int64_t i = 0; i < count; i++) {
    narrow[i] = (int32_t)values[i];
    wide = wide || values[i] < lowest || values[i] > 999;
    outside = outside || narrow[i] < lowest || narrow[i] > 999;
  }
  require(loops->any_outside_int64_t(values, count, lowest, 999) == wide);
  require(loops->any_outside_int32_t(narrow, count, lowest, 999) == outside);
}

/* Values allowed by each mode for a dimension of size 1000; nothing past the last one is changed. */
static void check_modes(const struct index_loops *loops, const int64_t *values, int64_t count) {
  enum { UNTOUCHED = -77, SIZE = 1000 };
  int64_t moved[1201];
  for (int mode = STREW_WRAP; mode < STREW_MODE_COUNT; mode++) {
    memcpy(moved, values, (size_t)count * sizeof *values);
    moved[count] = UNTOUCHED;
    loops->apply_mode((strew_mode)mode, SIZE, count, moved);
    for (int64_t i = 0; i < count; i++) {
      const int64_t v = values[i];
      const bool below = v < 0, above = v >= SIZE;
      if (mode == STREW_WRAP) require(moved[i] == (below ? v + SIZE : v));
      if (mode == STREW_CLIP) require(moved[i] == (below ? 0 : above ? SIZE - 1 : v));
      if (mode == STREW_DROP) require(moved[i] == (below || above ? -1 : v));
    }
    require(moved[count] == UNTOUCHED);
  }
}

START_TEST(index_loops_agree) {
  enum { UNTOUCHED = -77 };
  int64_t values[1200], offsets[1200], lists[2][1201];
  uint32_t places[2][1200];
  if (!is_here(_i)) return;
  for (int i = 0; i < 1200; i++) offsets[i] = draw_below(1 << 20);
  for (int n = 0; n < 20000; n++) {
    int64_t count = 1 + draw_below(n % 10 ? 80 : 1200), begin = draw_below(count), owned = draw_below(700);
    const struct owned ours = {(uint64_t)draw_below(900), (uint64_t)owned, 1000};
    bool beyond[2] = {false, false};
    draw_index(values, count);
    require(index_of[0]->ascends(values, count) == index_of[_i]->ascends(values, count));
    require(index_of[0]->is_constant(values, count) == index_of[_i]->is_constant(values, count));
    check_range(index_of[_i], values, count, n % 2 ? 0 : -1000);
    check_modes(index_of[_i], values, count);
    lists[1][count - begin] = UNTOUCHED;
    int64_t listed = index_of[0]->list_owned(values, begin, count, &ours, lists[0], &beyond[0]);
    int64_t found_too = index_of[_i]->list_owned(values, begin, count, &ours, lists[1], &beyond[1]);
    require(listed == found_too && beyond[0] == beyond[1] && lists[1][count - begin] == UNTOUCHED);
    require(!memcmp(lists[0], lists[1], (size_t)listed * sizeof *values));
    const int64_t step = n % 3 ? 1 : 1 + draw_below(9), first = draw_below(50);
    lists[1][count] = UNTOUCHED;
    beyond[0] = index_of[0]->number_destinations(values, offsets, count, 1000, first, step, lists[0]);
    beyond[1] = index_of[_i]->number_destinations(values, offsets, count, 1000, first, step, lists[1]);
    require(beyond[0] == beyond[1] && lists[1][count] == UNTOUCHED);
    require(!memcmp(lists[0], lists[1], (size_t)count * sizeof *values));
    const struct placing placing = {1000, (uint32_t)first, 7, (uint32_t)step, 99999};
    beyond[0] = index_of[0]->find_destinations(values, count, &placing, places[0]);
    beyond[1] = index_of[_i]->find_destinations(values, count, &placing, places[1]);
    require(beyond[0] == beyond[1] && !memcmp(places[0], places[1], (size_t)count * sizeof *places[0]));
  }
}
END_TEST

/* The plain loops, against their specification. */
START_TEST(plain_index_loops_are_right) {
  int64_t values[300], list[300], offsets[300], numbers[300];
  uint32_t places[300];
  const struct owned ours = {100, 300, 1000};
  const struct placing placing = {1000, 5, 7, 3, 99999};
  for (int i = 0; i < 300; i++) offsets[i] = draw_below(1 << 20);
  for (int n = 0; n < 20000; n++) {
    int64_t count = 1 + draw_below(n % 10 ? 80 : 300), listed = 0;
    bool ascends = true, is_constant = true, beyond = false, expected_beyond = false;
    draw_index(values, count);
    int64_t found_too = index_of[0]->list_owned(values, 0, count, &ours, list, &beyond);
    for (int64_t i = 0; i < count; i++) {
      ascends = ascends && values[i] >= 0 && (i == 0 || values[i] >= values[i - 1]);
      is_constant = is_constant && values[i] == values[0];
      expected_beyond = expected_beyond || values[i] < 0 || values[i] >= 1000;
      if (values[i] >= 100 && values[i] < 400) require(listed < found_too && list[listed++] == i);
    }
    require(listed == found_too && beyond == expected_beyond);
    require(index_of[0]->ascends(values, count) == ascends);
    require(index_of[0]->is_constant(values, count) == is_constant);
    check_range(index_of[0], values, count, n % 2 ? 0 : -1000);
    check_modes(index_of[0], values, count);
    require(index_of[0]->number_destinations(values, offsets, count, 1000, 5, 1 + n % 3, numbers) == expected_beyond);
    require(index_of[0]->find_destinations(values, count, &placing, places) == expected_beyond);
    for (int64_t i = 0; i < count; i++) {
      const bool fits = values[i] >= 0 && values[i] < 1000;
      require(numbers[i] == (fits ? 5 + offsets[i] + values[i] * (1 + n % 3) : -1));
      require(places[i] == (fits ? (uint32_t)(5 + 7 * i + 3 * values[i]) : 99999));
    }
  }
}
END_TEST

Suite *make_suite(void) {
  Suite *suite = suite_create("isa");
  TCase *tcase = new_case(suite, "loops");
  tcase_add_loop_test(tcase, kernels_agree, 0, STREW_DTYPE_COUNT);
  tcase_add_test(tcase, zeros_are_found);
  tcase_add_test(tcase, transpositions_are_right);
  tcase_add_test(tcase, copies_are_right);
  tcase_add_test(tcase, halves_agree);
  tcase_add_loop_test(tcase, conversions_agree, 0, STREW_DTYPE_COUNT);
  tcase_add_loop_test(tcase, folds_agree, 0, STREW_DTYPE_COUNT);
  tcase_add_test(tcase, finishes_agree);
  tcase_add_loop_test(tcase, rows_agree, 0, STREW_DTYPE_COUNT);
  tcase_add_loop_test(tcase, prefetches_agree, 0, STREW_DTYPE_COUNT);
  tcase_add_test(tcase, lanes_are_sorted);
  tcase_add_test(tcase, items_are_sorted);
  tcase_add_test(tcase, random_numbers_agree);
  tcase_add_test(tcase, environment_forces);
  tcase_add_loop_test(tcase, index_loops_agree, 1, ISA_COUNT);
  tcase_add_test(tcase, plain_index_loops_are_right);
  return suite;
}
