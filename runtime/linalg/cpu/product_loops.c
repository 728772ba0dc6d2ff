/* product_loops.c: tiles of matrix products, for one instruction set. Vectors have instructions for the fused
   multiply-add where the set has them; else it is computed from exact sums and products. KEPT(n) is the mask of the
   first n elements of a vector: LOAD_KEPT reads zeros for the others, STORE_KEPT leaves them. */
#include "linalg_loops.h"

#include "runtime/core/cpu/tuning.h"
#include "runtime/core/shared/scalar.h"

#include <math.h>
#include <string.h>

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#if defined(__AVX512F__)
enum { STRIP_ROWS = 12, VECTOR_BYTES = 64 }; /* 24 sums, 2 vectors of b and a factor in 32 registers */
typedef __m512 vector_f32;
typedef __m512d vector_f64;
#define LOAD_f32(from)     _mm512_loadu_ps(from)
#define LOAD_f64(from)     _mm512_loadu_pd(from)
#define STORE_f32(to, x)   _mm512_storeu_ps(to, x)
#define STORE_f64(to, x)   _mm512_storeu_pd(to, x)
#define SPLAT_f32(x)       _mm512_set1_ps(x)
#define SPLAT_f64(x)       _mm512_set1_pd(x)
#define FUSED_f32(a, b, c) _mm512_fmadd_ps(a, b, c)
#define FUSED_f64(a, b, c) _mm512_fmadd_pd(a, b, c)
typedef __mmask16 kept; /* of vectors of 8 elements, its lower half */
#define KEPT(n)                     (kept)((1u << (n)) - 1)
#define LOAD_KEPT_f32(from, kept)   _mm512_maskz_loadu_ps(kept, from)
#define LOAD_KEPT_f64(from, kept)   _mm512_maskz_loadu_pd((__mmask8)(kept), from)
#define LOAD_KEPT_u64(from, kept)   (vector_u64) _mm512_maskz_loadu_epi64((__mmask8)(kept), from)
#define LOAD_KEPT_u32(from, kept)   (vector_u32) _mm512_maskz_loadu_epi32(kept, from)
#define LOAD_KEPT_u16(from, kept)   (vector_u16) _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(kept, from))
#define LOAD_KEPT_u8(from, kept)    (vector_u8) _mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(kept, from))
#define STORE_KEPT_f32(to, kept, x) _mm512_mask_storeu_ps(to, kept, x)
#define STORE_KEPT_f64(to, kept, x) _mm512_mask_storeu_pd(to, (__mmask8)(kept), x)
#define STORE_KEPT_u64(to, kept, x) _mm512_mask_storeu_epi64(to, (__mmask8)(kept), (__m512i)(x))
#define STORE_KEPT_u32(to, kept, x) _mm512_mask_storeu_epi32(to, kept, (__m512i)(x))
#define STORE_KEPT_u16(to, kept, x) _mm512_mask_cvtepi32_storeu_epi16(to, kept, (__m512i)(x))
#define STORE_KEPT_u8(to, kept, x)  _mm512_mask_cvtepi32_storeu_epi8(to, kept, (__m512i)(x))
#elif defined(__AVX2__)
enum { STRIP_ROWS = 6, VECTOR_BYTES = 32 }; /* 12 sums, 2 vectors of b and a factor in 16 registers */
typedef __m256 vector_f32;
typedef __m256d vector_f64;
#define LOAD_f32(from)            _mm256_loadu_ps(from)
#define LOAD_f64(from)            _mm256_loadu_pd(from)
#define STORE_f32(to, x)          _mm256_storeu_ps(to, x)
#define STORE_f64(to, x)          _mm256_storeu_pd(to, x)
#define SPLAT_f32(x)              _mm256_set1_ps(x)
#define SPLAT_f64(x)              _mm256_set1_pd(x)
#define FUSED_f32(a, b, c)        _mm256_fmadd_ps(a, b, c)
#define FUSED_f64(a, b, c)        _mm256_fmadd_pd(a, b, c)
typedef int64_t kept;
static const int32_t first_kept[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
static inline __m256i mask_of(int64_t words) { return _mm256_loadu_si256((const void *)(first_kept + 8 - words)); }
#define KEPT(n)                   (n)
#define LOAD_KEPT_f32(from, kept) _mm256_maskload_ps(from, mask_of(kept))
#define LOAD_KEPT_f64(from, kept) _mm256_maskload_pd(from, mask_of(2 * (kept)))
#define LOAD_KEPT_u64(from, kept) (vector_u64) _mm256_maskload_epi64((const void *)(from), mask_of(2 * (kept)))
#define LOAD_KEPT_u32(from, kept) (vector_u32) _mm256_maskload_epi32((const void *)(from), mask_of(kept))
#define LOAD_KEPT_u16(from, kept) partial_u16(from, kept, 1)
#define LOAD_KEPT_u8(from, kept)  partial_u8(from, kept, 1)
/* Halves, quarters and eighths from registers: by way of memory each row of a narrow product waits for its own. */
static inline void store_kept_f32(float *to, int64_t count, __m256 x) {
  __m128 part = _mm256_castps256_ps128(x);
  if (count & 8) _mm256_storeu_ps(to, x);
  if (count & 4) _mm_storeu_ps(to, part), to += 4, part = _mm256_extractf128_ps(x, 1);
  if (count & 2) _mm_storel_pi((void *)to, part), to += 2, part = _mm_movehl_ps(part, part);
  if (count & 1) _mm_store_ss(to, part);
}
static inline void store_kept_f64(double *to, int64_t count, __m256d x) {
  __m128d part = _mm256_castpd256_pd128(x);
  if (count & 4) _mm256_storeu_pd(to, x);
  if (count & 2) _mm_storeu_pd(to, part), to += 2, part = _mm256_extractf128_pd(x, 1);
  if (count & 1) _mm_store_sd(to, part);
}
#define STORE_KEPT_f32            store_kept_f32
#define STORE_KEPT_f64            store_kept_f64
#else
enum { STRIP_ROWS = SOME_ROWS, VECTOR_BYTES = 16 };
#define strip_f32             some_f32
#define strip_f64             some_f64
typedef int64_t kept;
#define KEPT(n)               (n)
#define LOAD_KEPT(from, kept) CAT(partial_, S)(from, kept, 1)
#endif

#if defined(__aarch64__)
/* (As arrays the sums stay in memory: 118 instructions for 16 fused products of some_f32, by gcc 12.) */
typedef float32x4_t vector_f32;
typedef float64x2_t vector_f64;
#define LOAD_f32(from)     vld1q_f32(from)
#define LOAD_f64(from)     vld1q_f64(from)
#define STORE_f32(to, x)   vst1q_f32(to, x)
#define STORE_f64(to, x)   vst1q_f64(to, x)
#define SPLAT_f32(x)       vdupq_n_f32(x)
#define SPLAT_f64(x)       vdupq_n_f64(x)
#define FUSED_f32(a, b, c) vfmaq_f32(c, a, b)
#define FUSED_f64(a, b, c) vfmaq_f64(c, a, b)
#elif !defined(__AVX2__)
/* Vectors as arrays, whose loops the compiler vectorises. */
enum { PLAIN_BYTES = 32 };

#define ARRAYS(S, T)                                                                                                   \
  typedef struct {                                                                                                     \
    T at[PLAIN_BYTES / sizeof(T)];                                                                                     \
  } vector_##S;                                                                                                        \
  static inline vector_##S load_vector_##S(const T *from) {                                                            \
    vector_##S x;                                                                                                      \
    memcpy(&x, from, sizeof x);                                                                                        \
    return x;                                                                                                          \
  }                                                                                                                    \
  static inline vector_##S splat_##S(T value) {                                                                        \
    vector_##S x;                                                                                                      \
    for (size_t l = 0; l < PLAIN_BYTES / sizeof(T); l++) x.at[l] = value;                                              \
    return x;                                                                                                          \
  }                                                                                                                    \
  static inline vector_##S fused_vectors_##S(vector_##S a, vector_##S b, vector_##S c) {                               \
    for (size_t l = 0; l < PLAIN_BYTES / sizeof(T); l++) c.at[l] = fused_##S(a.at[l], b.at[l], c.at[l]);               \
    return c;                                                                                                          \
  }
ARRAYS(f32, float)
ARRAYS(f64, double)
#define LOAD_f32(from)     load_vector_f32(from)
#define LOAD_f64(from)     load_vector_f64(from)
#define STORE_f32(to, x)   memcpy(to, &(x), sizeof(x))
#define STORE_f64(to, x)   memcpy(to, &(x), sizeof(x))
#define SPLAT_f32(x)       splat_f32(x)
#define SPLAT_f64(x)       splat_f64(x)
#define FUSED_f32(a, b, c) fused_vectors_f32(a, b, c)
#define FUSED_f64(a, b, c) fused_vectors_f64(a, b, c)
#endif

#if defined(__AVX2__)
/* Products with a column, in vectors of 32 bytes: their transposition takes 128 instructions for 32 x 16 float32 then,
   of 64 bytes 96 that take twice as long on Zen 4. */
#define ALWAYS_INLINED inline __attribute__((always_inline))
enum { OCTET = THIN_ROWS, OCTETS = COLUMN_ROWS / OCTET };
typedef __m256 joined_f32;
typedef __m256d joined_f64;
#define load_joined_f32  _mm256_loadu_ps
#define load_joined_f64  _mm256_loadu_pd
#define store_joined_f32 _mm256_storeu_ps
#define store_joined_f64 _mm256_storeu_pd
#define splat_joined_f32 _mm256_set1_ps
#define splat_joined_f64 _mm256_set1_pd

static inline __m256 two_f32(const float *low, const float *high) {
  return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(low)), _mm_loadu_ps(high), 1);
}
static inline __m256d two_f64(const double *low, const double *high) {
  return _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(low)), _mm_loadu_pd(high), 1);
}

/* 16 bytes of each of 8 or 4 rows, `step` apart, join the rows' sums; b has their factors. */
static inline __m256 join_f32(__m256 sum, const float *a, int64_t step, const __m256 *b) {
  const float *half = a + 4 * step;
  const __m256 x0 = two_f32(a, half), x1 = two_f32(a + step, half + step);
  const __m256 x2 = two_f32(a + 2 * step, half + 2 * step), x3 = two_f32(a + 3 * step, half + 3 * step);
  const __m256d low = _mm256_castps_pd(_mm256_unpacklo_ps(x0, x1)), low2 = _mm256_castps_pd(_mm256_unpacklo_ps(x2, x3));
  const __m256d high = _mm256_castps_pd(_mm256_unpackhi_ps(x0, x1)),
                high2 = _mm256_castps_pd(_mm256_unpackhi_ps(x2, x3));
  sum = _mm256_fmadd_ps(_mm256_castpd_ps(_mm256_unpacklo_pd(low, low2)), b[0], sum);
  sum = _mm256_fmadd_ps(_mm256_castpd_ps(_mm256_unpackhi_pd(low, low2)), b[1], sum);
  sum = _mm256_fmadd_ps(_mm256_castpd_ps(_mm256_unpacklo_pd(high, high2)), b[2], sum);
  return _mm256_fmadd_ps(_mm256_castpd_ps(_mm256_unpackhi_pd(high, high2)), b[3], sum);
}
static inline __m256d join_f64(__m256d sum, const double *a, int64_t step, const __m256d *b) {
  const __m256d x0 = two_f64(a, a + 2 * step), x1 = two_f64(a + step, a + 3 * step);
  sum = _mm256_fmadd_pd(_mm256_unpacklo_pd(x0, x1), b[0], sum);
  return _mm256_fmadd_pd(_mm256_unpackhi_pd(x0, x1), b[1], sum);
}
#endif

/* Vectors of unsigned integers, whose products wrap as those of signed ones; those below 32 bits are computed in 32. */
#define INTEGERS(S, T, LANE)                                                                                           \
  typedef LANE vector_##S __attribute__((vector_size(VECTOR_BYTES)));                                                  \
  typedef T stored_##S __attribute__((vector_size(VECTOR_BYTES / sizeof(LANE) * sizeof(T))));                          \
  static inline vector_##S load_vector_##S(const T *from) {                                                            \
    stored_##S x;                                                                                                      \
    memcpy(&x, from, sizeof x);                                                                                        \
    return __builtin_convertvector(x, vector_##S);                                                                     \
  }                                                                                                                    \
  static inline void store_vector_##S(T *to, vector_##S x) {                                                           \
    const stored_##S stored = __builtin_convertvector(x, stored_##S);                                                  \
    memcpy(to, &stored, sizeof stored);                                                                                \
  }
typedef uint64_t sum_u64;
typedef uint32_t sum_u32, sum_u16, sum_u8;
INTEGERS(u64, uint64_t, uint64_t)
INTEGERS(u32, uint32_t, uint32_t)
INTEGERS(u16, uint16_t, uint32_t)
INTEGERS(u8, uint8_t, uint32_t)

#define S        f32
#define T        float
#define FLOATING 1
#include "product.inc"
#undef S
#undef T
#define S f64
#define T double
#include "product.inc"
#undef S
#undef T
#undef FLOATING
#define FLOATING 0
#define S        u64
#define T        uint64_t
#include "product.inc"
#undef S
#undef T
#define S u32
#define T uint32_t
#include "product.inc"
#undef S
#undef T
#define S u16
#define T uint16_t
#include "product.inc"
#undef S
#undef T
#define S u8
#define T uint8_t
#include "product.inc"

#define FLOATS(S)                                                                                                      \
  { lanes_##S, STRIP_ROWS, strip_##S, some_##S, thin_##S, few_##S, column_##S, line_##S }
#define WHOLE(S)                                                                                                       \
  { lanes_##S, SOME_ROWS, some_##S, some_##S, NULL, NULL, column_##S, NULL }

const struct product_loops LOOPS_TABLE(product) = {
    {{[1] = WHOLE(u8), [2] = WHOLE(u16), [4] = WHOLE(u32), [8] = WHOLE(u64)}, {[4] = FLOATS(f32), [8] = FLOATS(f64)}}};
