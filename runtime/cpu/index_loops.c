/* index_loops.c: see index_loops.h. */
#include "index_loops.h"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

/* Without jumps but after each few: most indices show early that they do not ascend. */
static bool ascends(const int64_t *values, int64_t count) {
  enum { FEW = 64 };
  for (int64_t i = 0; i + 1 < count; i += FEW) {
    int64_t end = count - 1 - i < FEW ? count - 1 : i + FEW;
    uint64_t bad = 0; /* in its top bit: between numbers that are not negative a difference does not overflow */
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

/* Without a branch: whether a value is among those is as good as random. 10 M values: 8 ms each by each, 3 by eight. */
static int64_t list_owned(const int64_t *values, int64_t begin, int64_t end, uint64_t lowest, uint64_t owned,
                          uint64_t size, int64_t *list, bool *beyond) {
  int64_t count = 0, i = begin;
#if defined(__AVX512F__)
  const __m512i from = _mm512_set1_epi64((long long)lowest), most = _mm512_set1_epi64((long long)owned);
  const __m512i limit = _mm512_set1_epi64((long long)size), step = _mm512_set1_epi64(8);
  __m512i places = _mm512_add_epi64(_mm512_set1_epi64(begin), _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0));
  __mmask8 met = 0;
  for (; i + 8 <= end; i += 8, places = _mm512_add_epi64(places, step)) {
    const __m512i eight = _mm512_loadu_si512(values + i);
    const __mmask8 ours = _mm512_cmplt_epu64_mask(_mm512_sub_epi64(eight, from), most);
    met |= _mm512_cmpge_epu64_mask(eight, limit);
    _mm512_storeu_si512(list + count, _mm512_maskz_compress_epi64(ours, places));
    count += __builtin_popcount(ours);
  }
  *beyond |= met != 0;
#endif
  for (; i < end; i++) {
    const uint64_t value = (uint64_t)values[i];
    list[count] = i;
    count += value - lowest < owned;
    *beyond |= value >= size;
  }
  return count;
}

const struct index_loops LOOPS_TABLE(index) = {
    .ascends = ascends, .is_constant = is_constant, .list_owned = list_owned};
