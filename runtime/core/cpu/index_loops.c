/* index_loops.c: see core_loops.h. */
#include "core_loops.h"
#include "prefetch.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

/* One branch for each chunk: most indices show early that they do not ascend. */
static bool ascends(const int64_t *values, int64_t count) {
  for (int64_t i = 0; i + 1 < count; i += ASCENT_CHUNK) {
    int64_t end = count - 1 - i < ASCENT_CHUNK ? count - 1 : i + ASCENT_CHUNK;
    prefetch_onward(values + i, ASCENT_CHUNK * sizeof *values);
    uint64_t bad = 0; /* in its top bit: the difference of numbers >= 0 does not overflow */
    for (int64_t k = i; k < end; k++) bad |= (uint64_t)values[k] | ((uint64_t)values[k + 1] - (uint64_t)values[k]);
    if (bad >> 63) return false;
  }
  return count == 0 || values[count - 1] >= 0;
}

static bool is_constant(const int64_t *values, int64_t count) {
  if (values[0] != values[count / 2] || values[0] != values[count - 1]) return false;
  int64_t differ = 0;
  for (int64_t i = 1; i < count; i++) differ |= values[i] ^ values[0];
  return differ == 0;
}

/* The top bits of value - lowest and highest - value are both clear if, and only if, value is in range: limits are
   close to 0. */
#define ANY_OUTSIDE(T)                                                                                                 \
  static bool any_outside_##T(const T *values, int64_t count, int64_t lowest, int64_t highest) {                       \
    uint64_t bad = 0;                                                                                                  \
    for (int64_t i = 0; i < count; i++)                                                                                \
      bad |= ((uint64_t)(int64_t)values[i] - (uint64_t)lowest) | ((uint64_t)highest - (uint64_t)(int64_t)values[i]);   \
    return bad >> 63;                                                                                                  \
  }
ANY_OUTSIDE(int64_t)
ANY_OUTSIDE(int32_t)

#define ANY_DESCENT(T)                                                                                                 \
  static bool any_descent_##T(const T *values, int64_t count) {                                                        \
    T bad = 0;                                                                                                         \
    for (int64_t i = 1; i < count; i++) bad |= values[i] < values[i - 1];                                              \
    return bad;                                                                                                        \
  }
ANY_DESCENT(int64_t)
ANY_DESCENT(int32_t)

#define WIDEN(T)                                                                                                       \
  static void widen_##T(const T *values, int64_t count, struct index_range *range) {                                   \
    T lowest = values[0], highest = values[0];                                                                         \
    for (int64_t i = 1; i < count; i++) {                                                                              \
      lowest = values[i] < lowest ? values[i] : lowest;                                                                \
      highest = values[i] > highest ? values[i] : highest;                                                             \
    }                                                                                                                  \
    if (lowest < range->lowest) range->lowest = lowest;                                                                \
    if (highest > range->highest) range->highest = highest;                                                            \
  }
WIDEN(int64_t)
WIDEN(int32_t)

static void apply_to_all(strew_mode mode, int64_t size, int64_t count, int64_t *values) {
  if (mode == STREW_WRAP)
    for (int64_t i = 0; i < count; i++) values[i] += values[i] < 0 ? size : 0;
  else if (mode == STREW_CLIP)
    for (int64_t i = 0; i < count; i++) values[i] = values[i] < 0 ? 0 : values[i] >= size ? size - 1 : values[i];
  else if (mode == STREW_DROP)
    for (int64_t i = 0; i < count; i++) values[i] = values[i] < 0 || values[i] >= size ? -1 : values[i];
}

/* LANES values at a time; TO_FRONT compresses those of a mask. */
#if defined(__AVX512F__)
enum { LANES = 8 };
typedef __m512i lanes;
#define ALL_OF(x)         _mm512_set1_epi64((long long)(x))
#define LOAD(p)           _mm512_loadu_si512(p)
#define STORE(p, x)       _mm512_storeu_si512(p, x)
#define PLUS(a, b)        _mm512_add_epi64(a, b)
#define MINUS(a, b)       _mm512_sub_epi64(a, b)
#define BELOW(a, b)       _mm512_cmplt_epu64_mask(a, b)
#define TO_FRONT(mask, x) _mm512_maskz_compress_epi64((__mmask8)(mask), x)
#elif defined(__AVX2__)
enum { LANES = 4 };
typedef __m256i lanes;
#define ALL_OF(x)         _mm256_set1_epi64x((long long)(x))
#define LOAD(p)           _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define STORE(p, x)       _mm256_storeu_si256((__m256i *)(void *)(p), x)
#define PLUS(a, b)        _mm256_add_epi64(a, b)
#define MINUS(a, b)       _mm256_sub_epi64(a, b)
#define BELOW(a, b)       below(a, b)
#define TO_FRONT(mask, x) to_front(mask, x)

/* Unsigned a < b, for which there is no instruction. */
static inline unsigned below(lanes a, lanes b) {
  const lanes top = ALL_OF(UINT64_C(1) << 63);
  const lanes less = _mm256_cmpgt_epi64(_mm256_xor_si256(b, top), _mm256_xor_si256(a, top));
  return (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(less));
}

static inline lanes to_front(unsigned mask, lanes x) {
#define HALVES(lane)      2 * (lane), 2 * (lane) + 1
#define ORDER(a, b, c)                                                                                                 \
  { HALVES(a), HALVES(b), HALVES(c), HALVES(3) }
  static const uint8_t orders[16][8] = {ORDER(0, 0, 0), ORDER(0, 0, 0), ORDER(1, 0, 0), ORDER(0, 1, 0),
                                        ORDER(2, 0, 0), ORDER(0, 2, 0), ORDER(1, 2, 0), ORDER(0, 1, 2),
                                        ORDER(3, 0, 0), ORDER(0, 3, 0), ORDER(1, 3, 0), ORDER(0, 1, 3),
                                        ORDER(2, 3, 0), ORDER(0, 2, 3), ORDER(1, 2, 3), ORDER(0, 1, 2)};
  const __m128i order = _mm_loadl_epi64((const __m128i *)(const void *)orders[mask]);
  return _mm256_permutevar8x32_epi32(x, _mm256_cvtepu8_epi32(order));
}
#else
enum { LANES = 1 };
#endif

enum { LINE = CACHE_LINE / sizeof(int64_t) };

/* Without a branch, because whether a value is owned is as good as random: 10 M values 8 ms -> 3 (one by one -> by
   eight). LANES are written at once, but no more than have been read. The next block is prefetched one cache line at a
   time: many at once would delay the joins (10 M float32 into 10 k on two threads: 0.88 of the time). */
static int64_t list_owned(const int64_t *values, int64_t begin, int64_t end, const struct owned *owned, int64_t *list,
                          bool *out_of_range) {
  const uint64_t lowest = owned->lowest, most = owned->count, size = owned->size;
  const uintptr_t ahead = (uintptr_t)(end - begin) * sizeof *values;
  int64_t count = 0, i = begin;
  bool all_in_range = true;
#if defined(__AVX2__)
  static const int64_t numbers[] = {0, 1, 2, 3, 4, 5, 6, 7};
  const unsigned all = (1u << LANES) - 1;
  unsigned in_range = all;
  lanes places = PLUS(ALL_OF(begin), LOAD(numbers));
  for (; i + LANES <= end; i += LANES, places = PLUS(places, ALL_OF(LANES))) {
    if (i % LINE < LANES) prefetch_l2((uintptr_t)(values + i) + ahead, 1);
    const lanes several = LOAD(values + i);
    const unsigned ours = BELOW(MINUS(several, ALL_OF(lowest)), ALL_OF(most));
    in_range &= BELOW(several, ALL_OF(size));
    STORE(list + count, TO_FRONT(ours, places));
    count += __builtin_popcount(ours);
  }
  all_in_range = in_range == all;
#endif
  for (; i < end; i++) {
    if (LANES == 1 && i % LINE == 0) prefetch_l2((uintptr_t)(values + i) + ahead, 1);
    const uint64_t value = (uint64_t)values[i];
    list[count] = i;
    count += value - lowest < most;
    all_in_range &= value < size;
  }
  if (!all_in_range) *out_of_range = true;
  return count;
}

/* Sums of three columns of 10 M in 100 groups on two threads: 49 ms of processor time one by one, 41 by AVX-512. */
static int64_t list_ids(const int32_t *ids, int64_t count, int32_t lowest, uint32_t owned, uint16_t *which,
                        int32_t *listed) {
  int64_t found = 0, i = 0;
#if defined(__AVX512F__)
  static const int32_t numbers[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  enum { AT_ONCE = 16 };
  __m512i places = LOAD(numbers);
  for (; i + AT_ONCE <= count; i += AT_ONCE, places = _mm512_add_epi32(places, _mm512_set1_epi32(AT_ONCE))) {
    const __m512i several = LOAD(ids + i), from_lowest = _mm512_sub_epi32(several, _mm512_set1_epi32(lowest));
    const __mmask16 ours = _mm512_cmplt_epu32_mask(from_lowest, _mm512_set1_epi32((int)owned));
    STORE(listed + found, _mm512_maskz_compress_epi32(ours, several));
    _mm256_storeu_si256((__m256i *)(void *)(which + found),
                        _mm512_cvtepi32_epi16(_mm512_maskz_compress_epi32(ours, places)));
    found += __builtin_popcount(ours);
  }
#endif
  for (; i < count; i++) {
    which[found] = (uint16_t)i;
    listed[found] = ids[i];
    found += (uint32_t)ids[i] - (uint32_t)lowest < owned;
  }
  return found;
}

/* Vectors, without a branch: 10 M values 11 ms -> 4. */
static bool find_destinations(const int64_t *values, int64_t count, const struct placing *placing,
                              uint32_t *restrict numbers) {
  const uint64_t size = placing->size;
  const uint32_t row_step = placing->row_step, step = placing->step, none = placing->none;
  uint32_t first = placing->first, met = 0;
  for (int64_t i = 0; i < count; i++, first += row_step) {
    const uint32_t beyond = (uint64_t)values[i] < size ? 0 : UINT32_MAX;
    met |= beyond;
    numbers[i] = beyond ? none : first + (uint32_t)values[i] * step;
  }
  return met != 0;
}

static inline bool number_steps(const int64_t *values, const int64_t *offsets, int64_t count, int64_t size,
                                int64_t first, int64_t step, int64_t *restrict numbers) {
  uint64_t met = 0;
  for (int64_t i = 0; i < count; i++) {
    const uint64_t beyond = (uint64_t)values[i] < (uint64_t)size ? 0 : UINT64_MAX;
    met |= beyond;
    numbers[i] = (int64_t)(((uint64_t)(first + offsets[i]) + (uint64_t)values[i] * (uint64_t)step) | beyond);
  }
  return met != 0;
}

/* Most steps are 1, which saves a multiplication of many instructions. */
static bool number_destinations(const int64_t *values, const int64_t *offsets, int64_t count, int64_t size,
                                int64_t first, int64_t step, int64_t *restrict numbers) {
  return step == 1 ? number_steps(values, offsets, count, size, first, 1, numbers)
                   : number_steps(values, offsets, count, size, first, step, numbers);
}

const struct index_loops LOOPS_TABLE(index) = {
    .ascends = ascends,
    .is_constant = is_constant,
    .any_outside_int64_t = any_outside_int64_t,
    .any_outside_int32_t = any_outside_int32_t,
    .any_descent_int64_t = any_descent_int64_t,
    .any_descent_int32_t = any_descent_int32_t,
    .widen_int64_t = widen_int64_t,
    .widen_int32_t = widen_int32_t,
    .apply_mode = apply_to_all,
    .list_owned = list_owned,
    .list_ids = list_ids,
    .find_destinations = find_destinations,
    .number_destinations = number_destinations,
};
