/* product_loops.c: tiles of matrix products, for one instruction set. Vectors have instructions for the fused
   multiply-add where the set has them; else it is computed from exact sums and products. */
#include "product_loops.h"

#include "runtime/shared/scalar.h"

#include <math.h>
#include <string.h>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
enum { STRIP_ROWS = 12 }; /* 24 sums, 2 vectors of b and a factor in 32 registers */
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
#elif defined(__AVX2__)
enum { STRIP_ROWS = 6 }; /* 12 sums, 2 vectors of b and a factor in 16 registers */
typedef __m256 vector_f32;
typedef __m256d vector_f64;
#define LOAD_f32(from)     _mm256_loadu_ps(from)
#define LOAD_f64(from)     _mm256_loadu_pd(from)
#define STORE_f32(to, x)   _mm256_storeu_ps(to, x)
#define STORE_f64(to, x)   _mm256_storeu_pd(to, x)
#define SPLAT_f32(x)       _mm256_set1_ps(x)
#define SPLAT_f64(x)       _mm256_set1_pd(x)
#define FUSED_f32(a, b, c) _mm256_fmadd_ps(a, b, c)
#define FUSED_f64(a, b, c) _mm256_fmadd_pd(a, b, c)
#endif

#if !defined(__AVX2__)
/* Vectors as arrays, whose loops the compiler vectorises. */
enum { STRIP_ROWS = 4, PLAIN_BYTES = 32 };

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

#define S f32
#define T float
#include "product.inc"
#undef S
#undef T
#define S f64
#define T double
#include "product.inc"

#define TILES(S)                                                                                                       \
  { LANES_##S, STRIP_ROWS, strip_##S, some_##S, one_##S, thin_##S, single_##S, column_##S, line_##S }
enum { LANES_f32 = sizeof(vector_f32) / sizeof(float), LANES_f64 = sizeof(vector_f64) / sizeof(double) };

const struct product_loops LOOPS_TABLE(product) = {.f32 = TILES(f32), .f64 = TILES(f64)};
