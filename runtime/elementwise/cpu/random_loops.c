/* random_loops.c: random words, and the numbers made from them, for one instruction set. */
#include "elementwise_loops.h"

#include "runtime/elementwise/shared/normal.h"
#include "runtime/elementwise/shared/random.h"

#include <string.h>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

/* Products of 32 bits by 32, in as many lanes of 64 bits. (By SSE2 two blocks take longer than
   one after the other.) CHAINS: vectors of them, since several products can begin while one is made.
   UPPER: the upper 32 bits in both halves: less often waited for than a shift, beside products. */
#if defined(__AVX512F__)
#define PRODUCTS(a, b) ((lanes)_mm512_mul_epu32((__m512i)(a), (__m512i)(b)))
#define UPPER(a)       ((lanes)_mm512_shuffle_epi32((__m512i)(a), (_MM_PERM_ENUM)0xf5))
enum { LANES = 8, CHAINS = 4 };
#elif defined(__AVX2__)
#define PRODUCTS(a, b) ((lanes)_mm256_mul_epu32((__m256i)(a), (__m256i)(b)))
#define UPPER(a)       ((lanes)_mm256_shuffle_epi32((__m256i)(a), 0xf5))
enum { LANES = 4, CHAINS = 2 };
#endif

#ifdef PRODUCTS
typedef uint64_t lanes __attribute__((vector_size(LANES * sizeof(uint64_t))));
enum { AT_ONCE = CHAINS * LANES };

/* AT_ONCE blocks of random.h from number `first` on. Their words are the lower halves of lanes. */
static inline void draw_many(uint64_t seed, uint64_t first, uint32_t *words) {
  const lanes zero = {0}, left_factor = zero + 0xd2511f53u, right_factor = zero + 0xcd9e8d57u;
  lanes a[CHAINS], b[CHAINS], c[CHAINS] = {{0}}, d[CHAINS] = {{0}};
  uint32_t key0 = (uint32_t)seed, key1 = (uint32_t)(seed >> 32);
  for (int i = 0; i < AT_ONCE; i++) ((uint64_t *)a)[i] = first + (uint64_t)i;
  UNROLLED for (int i = 0; i < CHAINS; i++) b[i] = a[i] >> 32;
  for (int round = 0; round < 10; round++, key0 += 0x9e3779b9u, key1 += 0xbb67ae85u)
    UNROLLED for (int i = 0; i < CHAINS; i++) {
      const lanes left = PRODUCTS(a[i], left_factor), right = PRODUCTS(c[i], right_factor);
      a[i] = UPPER(right) ^ b[i] ^ (zero + key0);
      c[i] = UPPER(left) ^ d[i] ^ (zero + key1);
      b[i] = right;
      d[i] = left;
    }
  UNROLLED for (int i = 0; i < CHAINS; i++) {
    a[i] = (a[i] & 0xffffffffu) | b[i] << 32;
    c[i] = (c[i] & 0xffffffffu) | d[i] << 32;
  }
  for (int i = 0; i < AT_ONCE; i++) {
    memcpy(words + 4 * i, (uint64_t *)a + i, sizeof(uint64_t));
    memcpy(words + 4 * i + 2, (uint64_t *)c + i, sizeof(uint64_t));
  }
}
#endif

static void draw(uint64_t seed, uint64_t first, int64_t blocks, uint32_t *restrict words) {
  int64_t i = 0;
#ifdef PRODUCTS
  for (; i + AT_ONCE <= blocks; i += AT_ONCE) draw_many(seed, first + (uint64_t)i, words + 4 * i);
#endif
  for (; i < blocks; i++) {
    const struct philox bits = philox_block(seed, first + (uint64_t)i);
    words[4 * i] = bits.words[0], words[4 * i + 1] = bits.words[1];
    words[4 * i + 2] = bits.words[2], words[4 * i + 3] = bits.words[3];
  }
}

static void uniform(int64_t count, const uint32_t *restrict words, int bits, float *restrict to) {
  for (int64_t i = 0; i < count; i++) to[i] = uniform_f32(words[i], bits);
}

static void normal(int64_t count, const uint32_t *restrict words, float *restrict to) {
  /* loops of their own, whose steps overlap */
  for (int64_t i = 0; i < count; i++) to[i] = normal_log_f32(normal_p_f32(words[i]));
  for (int64_t i = 0; i < count; i++) to[i] = normal_of_log_f32(words[i], to[i]);
}

/* Of draws of 64 bits. */
static void integer(int64_t count, const uint32_t *restrict words, int64_t low, uint64_t range, int64_t *restrict to) {
  int64_t i = 0;
#ifdef PRODUCTS
  const lanes least = (lanes){0} + (uint64_t)low, factor = (lanes){0} + range;
  for (; i + LANES <= count && range <= UINT32_MAX; i += LANES) {
    lanes word;
    memcpy(&word, words + 2 * i, sizeof word);
    word = least + ((PRODUCTS(UPPER(word), factor) + (PRODUCTS(word, factor) >> 32)) >> 32);
    memcpy(to + i, &word, sizeof word);
  }
#endif
  for (; i < count; i++) to[i] = uniform_i64(words[2 * i] | (uint64_t)words[2 * i + 1] << 32, low, range);
}

const struct random_loops LOOPS_TABLE(random) = {draw, uniform, normal, integer};
