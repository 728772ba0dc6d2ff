/* reduce_loops.c: loops of folds, for one instruction set. */
#include "reduce_loops.h"

#include "runtime/core/cpu/cpu.h"

#include <math.h>
#include <string.h>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

/* Rounds of lanes per turn of a loop: fewer instructions per load let the processor run further ahead (sum of 10 M
   float32: 1.11 ms -> 0.98 ms). */
enum { ROUNDS = 4 };

/* Extremes, whose order does not matter, have as many lanes as a register holds. Elements of MASKED_BYTES and more can
   be loaded by a mask, which takes the last ones of a row at once (sums of 5000 rows of 20 float32: 87 us -> 58; without
   such loads 44 -> 99). */
#if defined(__AVX512F__)
enum { VECTOR_BYTES = 64, MASKED_BYTES = 1 };
#elif defined(__AVX2__)
enum { VECTOR_BYTES = 32, MASKED_BYTES = 4 };
#else
enum { VECTOR_BYTES = 16, MASKED_BYTES = 16 };
#endif

/* Bytes are true alike. */
#define fold_all_u8 fold_all_i8
#define fold_any_u8 fold_any_i8
#define fold_all_b8 fold_all_i8
#define fold_any_b8 fold_any_i8

/* Lanes of sums of integers of less than 32 bits. */
#define NARROW_i16 int32_t
#define NARROW_i8  int16_t
#define NARROW_u8  uint16_t
#define NARROW_b8  uint16_t
enum { NARROW_LEAST = 4, NARROW_TURNS = 1 << 8 };
_Static_assert(NARROW_TURNS *UINT8_MAX <= UINT16_MAX && NARROW_TURNS * INT8_MIN >= INT16_MIN, "NARROW holds the sums");
/* From element n on: masks of the last n of SUM_LANES elements. */
static const int32_t last_kept[2 * SUM_LANES] = {
    [SUM_LANES] = -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
_Static_assert((1 << 16) / SUM_BLOCK >= BLOCKS_AT_ONCE, "a call's sum of int16 fits int32");

#if defined(__AVX2__)
/* Which of MATCHED elements of that many bytes have those bits: bit k of the result is that of element k. */
enum { MATCHED = 64 };
#define MATCHED MATCHED
ALWAYS_INLINE uint64_t matches_of(const void *x, const int bytes, uint64_t bits) {
  const __m256i wanted = bytes == 8   ? _mm256_set1_epi64x((int64_t)bits)
                         : bytes == 4 ? _mm256_set1_epi32((int32_t)bits)
                         : bytes == 2 ? _mm256_set1_epi16((int16_t)bits)
                                      : _mm256_set1_epi8((int8_t)bits);
  uint64_t matches = 0;
  UNROLLED for (int k = 0; k < 2 * bytes; k++) {
    const __m256i y = _mm256_loadu_si256((const __m256i *)x + k);
    uint32_t some;
    if (bytes == 8)
      some = (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(y, wanted)));
    else if (bytes == 4)
      some = (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(y, wanted)));
    else if (bytes == 1)
      some = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(y, wanted));
    else {
      const __m256i met = _mm256_cmpeq_epi16(y, wanted);
      some =
          (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(_mm256_castsi256_si128(met), _mm256_extracti128_si256(met, 1)));
    }
    matches |= (uint64_t)some << (k * 32 / bytes);
  }
  return matches;
}
#endif

#define LOOPS_WIDE
#define LOOPS "runtime/reduce/cpu/reduce.inc"
#include "runtime/core/cpu/each_dtype.h"

/* Extremes of uint64 are those of int64 in the same order (flip_signs). */
#define folds_u64 folds_i64
const struct reduce_loops LOOPS_TABLE(reduce) = {
    .folds =
        {
#define ROW(ENUM, s, name, stored, bits, wide, ...) [STREW_##ENUM] = folds_##wide,
            STREW_DTYPES(ROW)},
    .finish_f32 = finish_f32,
    .finish_f64 = finish_f64,
};
