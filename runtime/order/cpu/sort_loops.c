/* sort_loops.c: sorting of short lines by networks, for one instruction set. Which items are compared does not depend on
   them, so all lanes make the same steps, without branches.

   Lines side by side: Batcher's network by merges of odd and even items (Knuth, The Art of Computer Programming 5.2.2,
   algorithm M), for any number of items. One line: its lanes are sorted as if they were lines, then merged, by bitonic
   merges (5.3.4), eight rows at a time in registers. */
#include "sort_loops.h"

#include <stdbool.h>
#include <stddef.h>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#ifndef __clang__ /* GCC needs leave to compare by minpd and maxpd; no item is NaN, and no two are equal */
#pragma GCC optimize("finite-math-only", "no-signed-zeros")
#endif

/* Puts items at .. at + count - 1 of each lane in order with those `apart` behind. */
static inline void order_pairs(double *items, int64_t at, int64_t count, int64_t apart) {
  double *low = items + at * LANES, *high = low + apart * LANES;
  for (int64_t i = 0; i < count; i++, low += LANES, high += LANES) {
    INDEPENDENT ROLLED for (int lane = 0; lane < LANES; lane++) {
      const double a = low[lane], b = high[lane];
      low[lane] = a < b ? a : b;
      high[lane] = b > a ? b : a;
    }
  }
}

static void sort_lanes(double *items, int64_t count) {
  int64_t top = 1;
  while (2 * top < count) top *= 2;
  for (int64_t run = top; run > 0; run /= 2)
    for (int64_t next = top, first = 0, apart = run;; apart = next - run, next /= 2, first = run) {
      for (int64_t at = first; at < count - apart; at += 2 * run)
        order_pairs(items, at, run < count - apart - at ? run : count - apart - at, apart);
      if (next == run) break;
    }
}

/* -------------------------------------------------------------------------------------------------------- one line */

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
typedef struct row {
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

/* The first three steps of merges of runs of `run` rows, of which the second ones, `turned`, are read from their end. */
static inline void merge_far(double *items, int64_t rows, int64_t run, bool turned) {
  for (int64_t at = 0; at < rows; at += 2 * run)
    for (int64_t i = 0; i < run / 4; i++)
      merge_eight(items + (at + i) * LANES, items + (at + run + (turned ? run - 1 - i : i)) * LANES, run / 4, turned);
}

/* The other steps, of rows `apart` rows and less apart. */
static void merge_near(double *items, int64_t rows, int64_t apart) {
  for (; apart >= 32; apart /= 8) merge_far(items, rows, apart, false);
  for (; apart == 16 || apart == 8; apart /= 2)
    for (int64_t at = 0; at < rows; at += 2 * apart)
      for (int64_t i = at; i < at + apart; i++) {
        row x = LOAD(items + i * LANES), y = LOAD(items + (i + apart) * LANES);
        ORDER(x, y);
        STORE(items + i * LANES, x), STORE(items + (i + apart) * LANES, y);
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

static void sort_line(double *items, int64_t rows) {
  for (int64_t at = 0; at < rows; at += 8) sort_eight(items + at * LANES);
  for (int64_t run = 8; run < rows; run *= 2) {
    merge_far(items, rows, run, true);
    merge_near(items, rows, run / 8);
  }
  merge_across(items, rows, 1);
  merge_near(items, rows, rows / 2);
  merge_across(items, rows, 2);
  merge_near(items, rows, rows / 2);
  merge_across(items, rows, 4);
  merge_near(items, rows, rows / 2);
}
#else
#define sort_line NULL
#endif

const struct sort_loops LOOPS_TABLE(sort) = {sort_lanes, sort_line};
