/* compress_loops.c: see compress_loops.h. */
#include "compress_loops.h"

#include "runtime/core/cpu/tuning.h"

#include <string.h>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

/* Returns 64 flags as bits, the first one the lowest. Bools of a host may be other bytes than 0 and 1. */
#if defined(__AVX512F__)
static inline uint64_t bits_of(const uint8_t *flags) {
  const __m512i x = _mm512_loadu_si512(flags);
  return _mm512_test_epi8_mask(x, x);
}
#elif defined(__AVX2__)
static inline uint64_t bits_of(const uint8_t *flags) {
  uint64_t bits = 0;
  for (int k = 0; k < 64; k += 32) {
    const __m256i x = _mm256_loadu_si256((const void *)(flags + k));
    bits |= (uint64_t) ~(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(x, _mm256_setzero_si256())) << k;
  }
  return bits;
}
#else
/* A product adds up byte k of 8 at bit 56 + k. The highest bit of a byte is what carries in an addition, or is set
   already. */
static inline uint64_t bits_of(const uint8_t *flags) {
  const uint64_t lower = UINT64_C(0x7f7f7f7f7f7f7f7f), ones = UINT64_C(0x0101010101010101);
  const bool is_little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
  const uint64_t places = is_little ? UINT64_C(0x0102040810204080) : UINT64_C(0x8040201008040201);
  uint64_t bits = 0;
  for (int k = 0; k < 64; k += 8) {
    uint64_t bytes;
    memcpy(&bytes, flags + k, 8);
    bytes = (((bytes & lower) + lower) | bytes) >> 7 & ones;
    bits |= (bytes * places >> 56) << k;
  }
  return bits;
}
#endif

static int64_t pack_flags(int64_t words, const uint8_t *flags, uint64_t *bits) {
  int64_t count = 0;
  for (int64_t w = 0; w < words; w++) count += __builtin_popcountll(bits[w] = bits_of(flags + w * 64));
  return count;
}

/* Copies the elements of a word's bits one by one, and returns where they end. (Without AVX-512 faster than to copy all,
   each over the one before unless that had a bit: 100 k float32, half true, 54 us and 60; 30 % true, 24 and 60.) */
#define SPARSE(BYTES)                                                                                                  \
  static inline char *sparse_##BYTES(uint64_t word, const char *from, char *to) {                                      \
    for (; word; word &= word - 1, to += BYTES) memcpy(to, from + __builtin_ctzll(word) * BYTES, BYTES);               \
    return to;                                                                                                         \
  }
SPARSE(1)
SPARSE(2)
SPARSE(4)
SPARSE(8)

#if defined(__AVX512F__)
/* The same by vectors. Elements of 1 and 2 bytes are compressed as 4. The instruction that compresses into memory is
   slow on AMD's processors: a register is stored instead, whole where there is room. */
#define DENSE(BYTES, BITS, LANES, LOAD, PACK, STORE, STORE_FIRST)                                                      \
  static inline char *dense_##BYTES(uint64_t word, const char *from, char *to, const char *to_end) {                   \
    for (; word; word >>= LANES, from += LANES * BYTES) {                                                              \
      const __mmask##LANES chosen = (__mmask##LANES)(word & ((1u << LANES) - 1));                                      \
      const int count = __builtin_popcount(chosen);                                                                    \
      const __m512i x = _mm512_maskz_compress_epi##BITS(chosen, LOAD(chosen, from));                                   \
      if (to_end - to >= LANES * BYTES)                                                                                \
        STORE((void *)to, PACK(x));                                                                                    \
      else                                                                                                             \
        STORE_FIRST((void *)to, (__mmask##LANES)((1u << count) - 1), PACK(x));                                         \
      to += count * BYTES;                                                                                             \
    }                                                                                                                  \
    return to;                                                                                                         \
  }
#define AS_IT_IS(x)          (x)
#define LOAD_1(chosen, from) _mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(chosen, from))
#define LOAD_2(chosen, from) _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(chosen, from))
DENSE(1, 32, 16, LOAD_1, _mm512_cvtepi32_epi8, _mm_storeu_si128, _mm_mask_storeu_epi8)
DENSE(2, 32, 16, LOAD_2, _mm512_cvtepi32_epi16, _mm256_storeu_si256, _mm256_mask_storeu_epi16)
DENSE(4, 32, 16, _mm512_maskz_loadu_epi32, AS_IT_IS, _mm512_storeu_si512, _mm512_mask_storeu_epi32)
DENSE(8, 64, 8, _mm512_maskz_loadu_epi64, AS_IT_IS, _mm512_storeu_si512, _mm512_mask_storeu_epi64)
#define COPY(BYTES)                                                                                                    \
  __builtin_popcountll(bits[w]) < COMPRESS_VECTOR_BITS ? sparse_##BYTES(bits[w], from, to)                             \
                                                       : dense_##BYTES(bits[w], from, to, to_end)
#else
#define COPY(BYTES) ((void)to_end, sparse_##BYTES(bits[w], from, to))
#endif

#define COMPRESS(BYTES)                                                                                                \
  static char *compress_##BYTES(const uint64_t *bits, int64_t words, const char *from, char *to, const char *to_end) { \
    for (int64_t w = 0; w < words; w++, from += 64 * BYTES) to = COPY(BYTES);                                          \
    return to;                                                                                                         \
  }
COMPRESS(1)
COMPRESS(2)
COMPRESS(4)
COMPRESS(8)

static bool join(const int64_t *values, int64_t count, int64_t size, int64_t *restrict positions) {
  uint64_t met = 0;
  for (int64_t i = 0; i < count; i++) {
    met |= (uint64_t)values[i] < (uint64_t)size ? 0 : UINT64_MAX;
    positions[i] = (int64_t)((uint64_t)positions[i] * (uint64_t)size + (uint64_t)values[i]);
  }
  return met != 0;
}

static void join_dropping(const int64_t *values, int64_t count, int64_t size, int64_t *restrict positions) {
  for (int64_t i = 0; i < count; i++) {
    const uint64_t joined = (uint64_t)positions[i] * (uint64_t)size + (uint64_t)values[i];
    positions[i] = (uint64_t)values[i] < (uint64_t)size ? (int64_t)joined : -1;
  }
}

const struct compress_loops LOOPS_TABLE(compress) = {
    .pack_flags = pack_flags,
    .by_size = {[1] = compress_1, [2] = compress_2, [4] = compress_4, [8] = compress_8},
    .join = join,
    .join_dropping = join_dropping,
};
