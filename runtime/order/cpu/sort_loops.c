/* sort_loops.c: elements as words and back, and sorting of words as items, by vectors of one instruction set. Networks
   compare the same items whatever these are, so all lanes make the same steps, without branches.

   Lines side by side: Batcher's network by merges of odd and even items (Knuth, The Art of Computer Programming 5.2.2,
   algorithm M), for any number of items. One line: quicksort, by vectors that are split at the pivot. Few items: lanes
   are sorted as if they were lines, then merged, by bitonic merges (5.3.4), eight rows at a time in registers. */
#include "sort_loops.h"

#include "runtime/core/cpu/cpu.h"
#include "runtime/core/shared/scalar.h"

#include <float.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

/* ---------------------------------------------------------------------------------------------- elements and words */

enum { ORDER_BLOCK = 32 }; /* adjacent elements compared together: compilers vectorise that */
#define LOOPS_SIGNED
#define LOOPS "runtime/order/cpu/sort.inc"
#include "runtime/core/cpu/each_dtype.h"

static const struct keys *const keys_of[] = {SIGNED_BY_DTYPE(&keys)};

static void bound_keys(struct bounds *bounds, const uint64_t *keys, int64_t count) {
  struct bounds found = *bounds; /* a copy, which shares no memory with keys: compilers vectorise the loop */
  for (int64_t i = 0; i < count; i++) {
    found.least = keys[i] < found.least ? keys[i] : found.least;
    found.most = keys[i] > found.most ? keys[i] : found.most;
    found.differ |= keys[i] ^ found.first;
  }
  *bounds = found;
}

/* Makes words of keys, `apart` from one another; `lanes` adjacent ones have one position. */
ALWAYS_INLINE void make_apart(const struct sort_line *line, uint64_t *words, const uint64_t *keys, int64_t position,
                              int64_t count, const int64_t apart, const int64_t lanes) {
  const uint64_t base = line->base;
  const int shift = line->shift, position_bits = line->position_bits;
  for (int64_t i = 0; i < count; i += lanes)
    for (int64_t k = 0; k < lanes; k++)
      words[(i + k) * apart] =
          WORD_FLAG | (keys[i + k] - base) >> shift << position_bits | (uint64_t)(position + i / lanes);
}

static void make_words(const struct sort_line *line, uint64_t *words, const uint64_t *keys, int64_t position,
                       int64_t count, int64_t apart) {
  if (apart == 1)
    make_apart(line, words, keys, position, count, 1, 1);
  else if (apart)
    make_apart(line, words, keys, position, count, LANES, 1);
  else
    make_apart(line, words, keys, position, count, 1, LANES);
}

#define STORE_PICKED(bytes)                                                                                            \
  for (int64_t i = 0; i < count; i++, words += apart, to += step, places += places_step)                               \
    ROLLED for (int64_t k = 0; k < lanes; k++) {                                                                       \
      const int64_t place = (int64_t)(words[k] & positions);                                                           \
      if (bytes) memcpy(to + k * (bytes), in + place * in_step + k * (bytes), bytes);                                  \
      ((int64_t *)(void *)places)[k] = place;                                                                          \
    }

/* See store_picked; `lanes` adjacent words are those of adjacent lines. */
ALWAYS_INLINE void store_lanes(const struct sort_line *line, const uint64_t *words, const int64_t apart, int bytes,
                               int64_t rank, int64_t count, const int64_t lanes, const int64_t places_step) {
  const int64_t step = line->values_step, in_step = line->in_step;
  const uint64_t positions = (UINT64_C(1) << line->position_bits) - 1;
  const char *in = line->in;
  char *to = line->values ? line->values + rank * step : NULL, *places = line->positions + rank * places_step;
  switch (bytes) {
  case 0: STORE_PICKED(0) break;
  case 1: STORE_PICKED(1) break;
  case 2: STORE_PICKED(2) break;
  case 4: STORE_PICKED(4) break;
  default: STORE_PICKED(8)
  }
}

static void store_picked(const struct sort_line *line, const uint64_t *words, int64_t apart, int bytes, int64_t rank,
                         int64_t count) {
  const int64_t places_step = line->positions_step;
  const uint64_t positions = (UINT64_C(1) << line->position_bits) - 1;
  const bool is_dense = apart == 1 && places_step == (int64_t)sizeof *words;
  if (!line->values) bytes = 0;
  if (!apart) {
    store_lanes(line, words, LANES, bytes, rank, count, LANES, places_step);
  } else if (is_dense && !bytes) {
    uint64_t *places = (uint64_t *)(void *)line->positions + rank;
    INDEPENDENT
    for (int64_t i = 0; i < count; i++) places[i] = words[i] & positions;
  } else if (is_dense) {
    store_lanes(line, words, 1, bytes, rank, count, 1, sizeof *words);
  } else {
    store_lanes(line, words, apart, bytes, rank, count, 1, places_step);
  }
}

/* ---------------------------------------------------------------------------------------------- lines side by side */

#ifndef __clang__ /* GCC needs leave to compare by minpd and maxpd; no item is NaN, and no two are equal */
#pragma GCC optimize("finite-math-only", "no-signed-zeros")
#endif

#if defined(__AVX2__)
/* A row: an item of each lane. ACROSS_n: that of the lane whose number differs in the bits of n. JOIN: of lanes with the
   bit `bit` those of `high`. */
#if defined(__AVX512F__)
typedef __m512d row;
#define LOAD(from)           _mm512_loadu_pd(from)
#define STORE(to, x)         _mm512_storeu_pd(to, x)
#define LOW(a, b)            _mm512_min_pd(a, b)
#define HIGH(a, b)           _mm512_max_pd(a, b)
#define ACROSS_1(x)          _mm512_permute_pd(x, 0x55)
#define ACROSS_2(x)          _mm512_permutex_pd(x, 0x4e)
#define ACROSS_3(x)          _mm512_permutex_pd(x, 0x1b)
#define ACROSS_7(x)          _mm512_permute_pd(_mm512_shuffle_f64x2(x, x, 0x1b), 0x55)
#define JOIN(bit, low, high) _mm512_mask_blend_pd((bit) == 1 ? 0xaa : (bit) == 2 ? 0xcc : 0xf0, low, high)
#else
typedef struct halves {
  __m256d a, b;
} row;
#define LOAD(from)       ((row){_mm256_loadu_pd(from), _mm256_loadu_pd((from) + 4)})
#define STORE(to, x)     (_mm256_storeu_pd(to, (x).a), _mm256_storeu_pd((to) + 4, (x).b))
#define LOW(x, y)        ((row){_mm256_min_pd((x).a, (y).a), _mm256_min_pd((x).b, (y).b)})
#define HIGH(x, y)       ((row){_mm256_max_pd((x).a, (y).a), _mm256_max_pd((x).b, (y).b)})
#define ACROSS_1(x)      ((row){_mm256_permute_pd((x).a, 0x5), _mm256_permute_pd((x).b, 0x5)})
#define ACROSS_2(x)      ((row){_mm256_permute4x64_pd((x).a, 0x4e), _mm256_permute4x64_pd((x).b, 0x4e)})
#define ACROSS_3(x)      ((row){_mm256_permute4x64_pd((x).a, 0x1b), _mm256_permute4x64_pd((x).b, 0x1b)})
#define ACROSS_7(x)      ((row){_mm256_permute4x64_pd((x).b, 0x1b), _mm256_permute4x64_pd((x).a, 0x1b)})
#define BLEND(bit, x, y) ((bit) == 1 ? _mm256_blend_pd(x, y, 0xa) : _mm256_blend_pd(x, y, 0xc))
#define JOIN(bit, low, high)                                                                                           \
  ((bit) == 4 ? (row){(low).a, (high).b} : (row){BLEND(bit, (low).a, (high).a), BLEND(bit, (low).b, (high).b)})
#endif

static inline void order(row *a, row *b) {
  const row low = LOW(*a, *b);
  *b = HIGH(*a, *b), *a = low;
}
#define ORDER(a, b) order(&(a), &(b))

/* Puts the items of each lane in order with those of another row. */
static inline void order_rows(double *low, double *high) {
  row x = LOAD(low), y = LOAD(high);
  ORDER(x, y);
  STORE(low, x), STORE(high, y);
}
#else
static inline void order_rows(double *low, double *high) {
  INDEPENDENT ROLLED for (int lane = 0; lane < LANES; lane++) {
    const double a = low[lane], b = high[lane];
    low[lane] = a < b ? a : b;
    high[lane] = b > a ? b : a;
  }
}
#endif

/* Puts `count` rows, `step` rows from one another, in order with those `apart` rows behind. */
static inline void order_pairs(double *items, int64_t count, int64_t step, int64_t apart) {
  for (double *end = items + count * step * LANES; items < end; items += step * LANES)
    order_rows(items, items + apart * LANES);
}

/* True if the items of every lane rise. */
static bool lanes_rise(const double *items, int64_t count) {
  for (int64_t i = 1; i < count; i++, items += LANES) {
    int falls = 0;
    for (int lane = 0; lane < LANES; lane++) falls |= items[lane] > items[LANES + lane];
    if (falls) return false;
  }
  return true;
}

enum { NETWORK_RUN = 8 }; /* rows: runs of fewer are walked side by side */

static void sort_lanes(double *items, int64_t count) {
  int64_t top = 1;
  if (lanes_rise(items, count)) return;
  while (2 * top < count) top *= 2;
  for (int64_t run = top; run > 0; run /= 2)
    for (int64_t next = top, first = 0, apart = run;; apart = next - run, next /= 2, first = run) {
      if (run < NETWORK_RUN)
        for (int64_t at = first; at < first + run && at < count - apart; at++)
          order_pairs(items + at * LANES, (count - apart - at - 1) / (2 * run) + 1, 2 * run, apart);
      else
        for (int64_t at = first; at < count - apart; at += 2 * run)
          order_pairs(items + at * LANES, run < count - apart - at ? run : count - apart - at, 1, apart);
      if (next == run) break;
    }
}

/* -------------------------------------------------------------------------------------------------------- one line */

#if defined(__AVX2__)

/* Sorts eight rows by 19 comparisons. */
static inline void sort_eight(double *items) {
  static const unsigned char pairs[][2] = {{0, 2}, {1, 3}, {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6},
                                           {3, 7}, {0, 1}, {2, 3}, {4, 5}, {6, 7}, {2, 4}, {3, 5},
                                           {1, 4}, {3, 6}, {1, 2}, {3, 4}, {5, 6}};
  row x[8];
  UNROLLED for (int i = 0; i < 8; i++) x[i] = LOAD(items + i * LANES);
  _Pragma("GCC unroll 19") for (int i = 0; i < 19; i++) ORDER(x[pairs[i][0]], x[pairs[i][1]]);
  UNROLLED for (int i = 0; i < 8; i++) STORE(items + i * LANES, x[i]);
}

/* Three steps of a merge of eight rows: a at 0, `quarter`, ... and b, behind them or, `turned`, from their end back. */
static inline void merge_eight(double *a, double *b, int64_t quarter, bool turned) {
  const int64_t apart = quarter * LANES, b_apart = turned ? -apart : apart;
  row x[4], y[4];
  UNROLLED for (int i = 0; i < 4; i++) {
    x[i] = LOAD(a + i * apart), y[i] = LOAD(b + i * b_apart);
    ORDER(x[i], y[i]);
  }
  ORDER(x[0], x[2]), ORDER(x[1], x[3]), ORDER(x[0], x[1]), ORDER(x[2], x[3]);
  if (turned)
    ORDER(y[3], y[1]), ORDER(y[2], y[0]), ORDER(y[3], y[2]), ORDER(y[1], y[0]);
  else
    ORDER(y[0], y[2]), ORDER(y[1], y[3]), ORDER(y[0], y[1]), ORDER(y[2], y[3]);
  UNROLLED for (int i = 0; i < 4; i++) STORE(a + i * apart, x[i]), STORE(b + i * b_apart, y[i]);
}

/* The steps of merges of rows `apart` rows and less apart: 8 or less. */
static inline void merge_near(double *items, int64_t rows, int64_t apart) {
  if (apart == 8)
    for (int64_t i = 0; i < 8; i++) {
      row x = LOAD(items + i * LANES), y = LOAD(items + (i + 8) * LANES);
      ORDER(x, y);
      STORE(items + i * LANES, x), STORE(items + (i + 8) * LANES, y);
    }
  for (int64_t at = 0; at < rows && apart; at += 8) {
    double *from = items + at * LANES;
    row x[8];
    UNROLLED for (int i = 0; i < 8; i++) x[i] = LOAD(from + i * LANES);
    if (apart >= 4) ORDER(x[0], x[4]), ORDER(x[1], x[5]), ORDER(x[2], x[6]), ORDER(x[3], x[7]);
    if (apart >= 2) ORDER(x[0], x[2]), ORDER(x[1], x[3]), ORDER(x[4], x[6]), ORDER(x[5], x[7]);
    ORDER(x[0], x[1]), ORDER(x[2], x[3]), ORDER(x[4], x[5]), ORDER(x[6], x[7]);
    UNROLLED for (int i = 0; i < 8; i++) STORE(from + i * LANES, x[i]);
  }
}

#define CROSS(x, bit, across) (x = JOIN(bit, LOW(x, across(x)), HIGH(x, across(x))))

/* The first steps of merges of `lanes` lanes with as many others: until rows of one lane are compared. */
static inline void merge_across(double *items, int64_t rows, int lanes) {
  for (int64_t i = 0; i < rows / 2; i++) {
    double *first = items + i * LANES, *last = items + (rows - 1 - i) * LANES;
    row x = LOAD(first), y = LOAD(last);
    const row x_across = lanes == 1 ? ACROSS_1(x) : lanes == 2 ? ACROSS_3(x) : ACROSS_7(x);
    const row y_across = lanes == 1 ? ACROSS_1(y) : lanes == 2 ? ACROSS_3(y) : ACROSS_7(y);
    x = JOIN(lanes, LOW(x, y_across), HIGH(x, y_across));
    y = JOIN(lanes, LOW(y, x_across), HIGH(y, x_across));
    if (lanes == 4) CROSS(x, 2, ACROSS_2), CROSS(y, 2, ACROSS_2);
    if (lanes >= 2) CROSS(x, 1, ACROSS_1), CROSS(y, 1, ACROSS_1);
    STORE(first, x), STORE(last, y);
  }
}

/* Sorts 8 or 16 rows: the item of rank i is then items[i % rows * LANES + i / rows]. */
static void sort_rows(double *items, int64_t rows) {
  for (int64_t at = 0; at < rows; at += 8) sort_eight(items + at * LANES);
  if (rows > 8) {
    merge_eight(items, items + 15 * LANES, 2, true), merge_eight(items + LANES, items + 14 * LANES, 2, true);
    merge_near(items, rows, 1);
  }
  merge_across(items, rows, 1);
  merge_near(items, rows, rows / 2);
  merge_across(items, rows, 2);
  merge_near(items, rows, rows / 2);
  merge_across(items, rows, 4);
  merge_near(items, rows, rows / 2);
}

/* Writes eight rows lane by lane, `apart` items apart. */
static inline void turn_rows(const double *from, double *to, int64_t apart) {
#if defined(__AVX512F__)
  row x[8];
  UNROLLED for (int i = 0; i < 8; i += 2) {
    const row a = LOAD(from + i * LANES), b = LOAD(from + (i + 1) * LANES);
    x[i] = _mm512_unpacklo_pd(a, b), x[i + 1] = _mm512_unpackhi_pd(a, b);
  }
  UNROLLED for (int i = 0; i < 2; i++) {
    const row a = _mm512_shuffle_f64x2(x[i], x[i + 2], 0x44), b = _mm512_shuffle_f64x2(x[i + 4], x[i + 6], 0x44);
    const row c = _mm512_shuffle_f64x2(x[i], x[i + 2], 0xee), d = _mm512_shuffle_f64x2(x[i + 4], x[i + 6], 0xee);
    STORE(to + i * apart, _mm512_shuffle_f64x2(a, b, 0x88)),
        STORE(to + (i + 2) * apart, _mm512_shuffle_f64x2(a, b, 0xdd));
    STORE(to + (i + 4) * apart, _mm512_shuffle_f64x2(c, d, 0x88)),
        STORE(to + (i + 6) * apart, _mm512_shuffle_f64x2(c, d, 0xdd));
  }
#else
  UNROLLED for (int k = 0; k < 4; k++) { /* four rows and lanes */
    const double *at = from + (k & 1) * 4 * LANES + (k >> 1) * 4;
    double *into = to + (k & 1) * 4 + (k >> 1) * 4 * apart;
    const __m256d a = _mm256_loadu_pd(at), b = _mm256_loadu_pd(at + LANES);
    const __m256d c = _mm256_loadu_pd(at + 2 * LANES), d = _mm256_loadu_pd(at + 3 * LANES);
    const __m256d even = _mm256_unpacklo_pd(a, b), odd = _mm256_unpackhi_pd(a, b);
    const __m256d more_even = _mm256_unpacklo_pd(c, d), more_odd = _mm256_unpackhi_pd(c, d);
    _mm256_storeu_pd(into, _mm256_permute2f128_pd(even, more_even, 0x20));
    _mm256_storeu_pd(into + apart, _mm256_permute2f128_pd(odd, more_odd, 0x20));
    _mm256_storeu_pd(into + 2 * apart, _mm256_permute2f128_pd(even, more_even, 0x31));
    _mm256_storeu_pd(into + 3 * apart, _mm256_permute2f128_pd(odd, more_odd, 0x31));
  }
#endif
}

enum { FEW = 16 * LANES, SAMPLED = 2048 };

static void sort_few(const double *from, double *to, int64_t count) {
  _Alignas(64) double items[FEW], sorted[FEW];
  const int64_t rows = count > 8 * LANES ? 16 : 8;
  memcpy(items, from, (size_t)count * sizeof *items);
  for (int64_t i = count; i < LANES * rows; i++) items[i] = DBL_MAX;
  sort_rows(items, rows);
  for (int64_t i = 0; i < rows; i += 8) turn_rows(items + i * LANES, sorted + i, rows);
  memcpy(to, sorted, (size_t)count * sizeof *items);
}

/* Moves items below the pivot to the begin of `to`, the others to its end. Returns the number of those below. */
static int64_t split(const double *from, double *to, int64_t count, double pivot) {
  double *low = to, *high = to + count;
  int64_t i = 0;
#if defined(__AVX512F__)
  const row middle = _mm512_set1_pd(pivot);
  for (; i + 8 <= count; i += 8) {
    const row x = LOAD(from + i);
    const __mmask8 below = _mm512_cmp_pd_mask(x, middle, _CMP_LT_OQ);
    const int lows = __builtin_popcount(below);
    high -= 8 - lows;
    _mm512_mask_storeu_pd(high, (__mmask8)(0xff >> lows), _mm512_maskz_compress_pd((__mmask8)~below, x));
    _mm512_mask_storeu_pd(low, (__mmask8)((1 << lows) - 1), _mm512_maskz_compress_pd(below, x));
    low += lows;
  }
#else
#define HALVES(a, b, c, d)                                                                                             \
  { 2 * a, 2 * a + 1, 2 * b, 2 * b + 1, 2 * c, 2 * c + 1, 2 * d, 2 * d + 1 }
  static const unsigned char orders[16][8] = {
      HALVES(0, 1, 2, 3), HALVES(0, 1, 2, 3), HALVES(1, 0, 2, 3), HALVES(0, 1, 2, 3),
      HALVES(2, 0, 1, 3), HALVES(0, 2, 1, 3), HALVES(1, 2, 0, 3), HALVES(0, 1, 2, 3),
      HALVES(3, 0, 1, 2), HALVES(0, 3, 1, 2), HALVES(1, 3, 0, 2), HALVES(0, 1, 3, 2),
      HALVES(2, 3, 0, 1), HALVES(0, 2, 3, 1), HALVES(1, 2, 3, 0), HALVES(0, 1, 2, 3)};
  const __m256d middle = _mm256_set1_pd(pivot);
  /* both ends get all four, those that belong there outermost: the gap has room for them */
  for (; i + 8 <= count; i += 4) {
    const __m256d x = _mm256_loadu_pd(from + i);
    const int below = _mm256_movemask_pd(_mm256_cmp_pd(x, middle, _CMP_LT_OQ)),
              lows = __builtin_popcount((unsigned)below);
    const __m256i order = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)orders[below]));
    const __m256d moved = _mm256_castps_pd(_mm256_permutevar8x32_ps(_mm256_castpd_ps(x), order));
    _mm256_storeu_pd(low, moved), _mm256_storeu_pd(high - 4, moved);
    low += lows, high -= 4 - lows;
  }
#endif
  for (; i < count; i++) {
    const bool below = from[i] < pivot;
    *(below ? low : high - 1) = from[i];
    low += below, high -= !below;
  }
  return low - to;
}

static inline double middle_of(double a, double b, double c) {
  const double low = a < b ? a : b, high = a < b ? b : a, above = high < c ? high : c;
  return low < above ? above : low;
}

/* An item near the middle: one of a sample or, where samples mislead, the one halfway between the bits of the least and
   the greatest: after 64 of these there is one item. */
static double choose_pivot(const double *x, int64_t count, bool by_bits) {
  double sample[8 * LANES];
  if (by_bits) {
    double low = x[0], high = x[0];
    for (int64_t i = 1; i < count; i++) low = x[i] < low ? x[i] : low, high = x[i] > high ? x[i] : high;
    int64_t bits, more;
    memcpy(&bits, &low, sizeof bits), memcpy(&more, &high, sizeof more);
    bits += (more - bits + 1) / 2;
    return memcpy(&low, &bits, sizeof bits), low;
  }
  const int64_t size = count > SAMPLED ? 8 * LANES : 9, step = count / size;
  for (int64_t i = 0; i < size; i++) sample[i] = x[i * step + step / 2];
  if (count > SAMPLED) return sort_few(sample, sample, size), sample[size / 2];
  return middle_of(middle_of(sample[0], sample[3], sample[6]), middle_of(sample[1], sample[4], sample[7]),
                   middle_of(sample[2], sample[5], sample[8]));
}

/* Sorts items at x to `to`, which is x or `other`: both have room for them. */
static void sort_into(double *x, double *other, double *to, int64_t count, int levels) {
  while (count > FEW) {
    const int64_t lows = split(x, other, count, choose_pivot(x, count, levels <= 0)), highs = count - lows;
    double *low_to = to, *high_to = to + lows, *spare = x;
    levels--;
    if (lows < highs)
      sort_into(other, spare, low_to, lows, levels), x = other + lows, other = spare + lows, to = high_to,
                                                     count = highs;
    else
      sort_into(other + lows, spare + lows, high_to, highs, levels), x = other, other = spare, count = lows;
  }
  sort_few(x, to, count);
}

static void sort_items(double *items, double *spare, int64_t count) {
  int levels = 8; /* twice as many as good pivots take */
  for (int64_t left = count; left > FEW; left /= 2) levels += 2;
  sort_into(items, spare, items, count, levels);
}
#else
#define sort_items NULL
#endif

#if defined(__AVX512F__)
enum { DIGITS_MOST = 2 * SORT_FEW_BITS };
#else
enum { DIGITS_MOST = 4 * SORT_DIGIT_BITS };
#endif

const struct sort_loops LOOPS_TABLE(sort) = {keys_of,    bound_keys, make_words, store_picked,
                                             sort_lanes, sort_items, DIGITS_MOST};
