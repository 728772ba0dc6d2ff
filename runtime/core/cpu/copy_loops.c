/* copy_loops.c: copies and conversions of rows, for one instruction set. */
#include "core_loops.h"

#include "runtime/core/shared/scalar.h"

#include <string.h>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

/* Instructions that convert MANY values between float16 and float32. NaNs get the bits that store_f16 gives; a
   signalling NaN becomes quiet. */
#if defined(__AVX512F__)
#define MANY 16
static inline void widen_many(char *to, const char *from) {
  _mm512_storeu_ps(to, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(const void *)from)));
}
static inline void narrow_many(char *to, const char *from) {
  const __m512 x = _mm512_loadu_ps(from);
  const __m256i half = _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  const __m256i sign = _mm256_and_si256(half, _mm256_set1_epi16(INT16_MIN));
  const __m256i nan = _mm256_or_si256(sign, _mm256_set1_epi16(0x7e00));
  const __mmask16 is_nan = _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q);
  _mm256_storeu_si256((__m256i *)(void *)to, _mm256_mask_mov_epi16(half, is_nan, nan));
}
#elif defined(__F16C__)
#define MANY       8
static inline void widen_many(char *to, const char *from) {
  _mm256_storeu_ps((float *)(void *)to, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)from)));
}
static inline void narrow_many(char *to, const char *from) {
  const __m256 x = _mm256_loadu_ps((const float *)(const void *)from);
  const __m128i half = _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  const __m128i sign = _mm_and_si128(half, _mm_set1_epi16(INT16_MIN));
  const __m128i nan = _mm_or_si128(sign, _mm_set1_epi16(0x7e00));
  const __m256i is_nan = _mm256_castps_si256(_mm256_cmp_ps(x, x, _CMP_UNORD_Q));
  const __m128i mask = _mm_packs_epi32(_mm256_castsi256_si128(is_nan), _mm256_extracti128_si256(is_nan, 1));
  _mm_storeu_si128((__m128i *)(void *)to, _mm_blendv_epi8(half, nan, mask));
}
/* Several, that are rarely NaN, at a time. */
#define NARROW_RUN 4
static inline void narrow_run(char *to, const char *from) {
  __m256 nan = _mm256_setzero_ps();
  UNROLLED for (int k = 0; k < NARROW_RUN; k++) {
    const __m256 x = _mm256_loadu_ps((const float *)(const void *)from + k * MANY);
    const __m128i half = _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    nan = _mm256_or_ps(nan, _mm256_cmp_ps(x, x, _CMP_UNORD_Q));
    _mm_storeu_si128((__m128i *)(void *)(to + k * MANY * 2), half);
  }
  for (int k = 0; k < NARROW_RUN && _mm256_movemask_ps(nan); k++) narrow_many(to + k * MANY * 2, from + k * MANY * 4);
}
#endif

/* AVX2 converts int64 one at a time. By fours: the speed of a loop of one depends on where it lies (0.34 to 0.67 ns an
   element). */
enum { SINGLES = 4 };
static inline void convert_one_i64(int to_code, char *to, const char *from, int64_t i) {
  const int64_t x = ((const int64_t *)(const void *)from)[i];
  if (to_code == CODE_f32)
    ((float *)(void *)to)[i] = f32_from_i64(x);
  else
    ((double *)(void *)to)[i] = f64_from_i64(x);
}

/* Converts contiguous elements in groups of MANY, if there are instructions for it; returns the number converted.
   Codes are constants at compile time. */
static inline int64_t convert_many(int to_code, int from_code, int64_t count, char *to, const char *from) {
  int64_t i = 0;
#ifdef MANY
  if (to_code == CODE_f32 && from_code == CODE_f16)
    for (; i + MANY <= count; i += MANY) widen_many(to + i * 4, from + i * 2);
#ifdef NARROW_RUN
  if (to_code == CODE_f16 && from_code == CODE_f32)
    for (; i + NARROW_RUN * MANY <= count; i += NARROW_RUN * MANY) narrow_run(to + i * 2, from + i * 4);
#endif
  if (to_code == CODE_f16 && from_code == CODE_f32)
    for (; i + MANY <= count; i += MANY) narrow_many(to + i * 2, from + i * 4);
#else
  (void)to_code, (void)from_code, (void)count, (void)to, (void)from;
#endif
#if defined(__AVX2__) && !defined(__AVX512DQ__)
  if (from_code == CODE_i64 && (to_code == CODE_f32 || to_code == CODE_f64))
    for (; i + SINGLES <= count; i += SINGLES) {
      UNROLLED for (int64_t k = i; k < i + SINGLES; k++) convert_one_i64(to_code, to, from, k);
    }
#endif
  return i;
}

#define UNUSED_AT_TIMES __attribute__((unused))
#define LOOPS           "copy.inc"
#define LOOPS_UNSIGNED
#include "each_dtype.h"

/* Elements between two jumps: a loop of one takes twice the time where it lies across a cache line of code. */
enum { STEPS = 4 };
#define COPY_SAME(T)                                                                                                   \
  static void copy_##T(int64_t count, char *to, int64_t to_step, const char *from, int64_t from_step) {                \
    if (to_step == (int64_t)sizeof(T) && from_step == (int64_t)sizeof(T)) {                                            \
      memcpy(to, from, (size_t)count * sizeof(T));                                                                     \
    } else if (to_step == (int64_t)sizeof(T) && from_step == 0) {                                                      \
      T value = *(const T *)(const void *)from;                                                                        \
      for (int64_t i = 0; i < count; i++) ((T *)(void *)to)[i] = value;                                                \
    } else if (to_step == (int64_t)sizeof(T) && from_step == -(int64_t)sizeof(T)) {                                    \
      INDEPENDENT                                                                                                      \
      for (int64_t i = 0; i < count; i++) ((T *)(void *)to)[i] = ((const T *)(const void *)from)[-i];                  \
    } else {                                                                                                           \
      for (; count >= STEPS; count -= STEPS, to += STEPS * to_step, from += STEPS * from_step)                         \
        UNROLLED for (int k = 0; k < STEPS; k++) * (T *)(void *)(to + k * to_step) =                                   \
            *(const T *)(const void *)(from + k * from_step);                                                          \
      for (; count > 0; count--, to += to_step, from += from_step) *(T *)(void *)to = *(const T *)(const void *)from;  \
    }                                                                                                                  \
  }
EACH_WIDTH(COPY_SAME)

/* Transposes a square whose size is known at compile time; steps in bytes. */
enum { SQUARE = 16, QUAD = 4 };
#define SQUARE_OF(T)                                                                                                   \
  static inline void square_##T(char *to, int64_t to_step, const char *from, int64_t from_step) {                      \
    T square[SQUARE][SQUARE];                                                                                          \
    for (int i = 0; i < SQUARE; i++) memcpy(square[i], from + i * from_step, sizeof square[i]);                        \
    for (int k = 0; k < SQUARE; k++) {                                                                                 \
      T *row = (T *)(void *)(to + k * to_step);                                                                        \
      for (int i = 0; i < SQUARE; i++) row[i] = square[i][k];                                                          \
    }                                                                                                                  \
  }
SQUARE_OF(uint8_t)
SQUARE_OF(uint16_t)
SQUARE_OF(uint64_t)

/* The most frequent size, 32 bits: four by four in registers. */
typedef uint32_t quad __attribute__((vector_size(16)));
static inline quad lower(quad a, quad b) { return (quad){a[0], b[0], a[1], b[1]}; }
static inline quad upper(quad a, quad b) { return (quad){a[2], b[2], a[3], b[3]}; }

static inline quad load_quad(const char *from) {
  quad result;
  memcpy(&result, from, sizeof result);
  return result;
}
static inline void store_quad(char *to, quad value) { memcpy(to, &value, sizeof value); }

static inline void transpose_quads(char *to, int64_t to_step, const char *from, int64_t from_step) {
  quad a = load_quad(from), b = load_quad(from + from_step);
  quad c = load_quad(from + 2 * from_step), d = load_quad(from + 3 * from_step);
  quad even = lower(a, c), odd = lower(b, d);
  store_quad(to, lower(even, odd));
  store_quad(to + to_step, upper(even, odd));
  even = upper(a, c), odd = upper(b, d);
  store_quad(to + 2 * to_step, lower(even, odd));
  store_quad(to + 3 * to_step, upper(even, odd));
}

static inline void square_uint32_t(char *to, int64_t to_step, const char *from, int64_t from_step) {
  for (int64_t r = 0; r < SQUARE; r += QUAD)
    for (int64_t c = 0; c < SQUARE; c += QUAD)
      transpose_quads(to + r * to_step + c * (int64_t)sizeof(uint32_t), to_step,
                      from + c * from_step + r * (int64_t)sizeof(uint32_t), from_step);
}

/* Elements outside whole squares are copied one by one. */
#define TRANSPOSE(T)                                                                                                   \
  static void transpose_##T(int64_t rows, int64_t columns, char *to, int64_t to_step, const char *from,                \
                            int64_t from_step) {                                                                       \
    int64_t r = 0, c = 0, size = sizeof(T);                                                                            \
    for (; r + SQUARE <= rows; r += SQUARE)                                                                            \
      for (c = 0; c + SQUARE <= columns; c += SQUARE)                                                                  \
        square_##T(to + r * to_step + c * size, to_step, from + c * from_step + r * size, from_step);                  \
    for (int64_t k = 0; k < rows; k++)                                                                                 \
      for (int64_t i = k < r ? c : 0; i < columns; i++)                                                                \
        *(T *)(void *)(to + k * to_step + i * size) = *(const T *)(const void *)(from + i * from_step + k * size);     \
  }
EACH_WIDTH(TRANSPOSE)

const struct copy_loops LOOPS_TABLE(copy) = {
    .transpose = {BY_WIDTH(transpose)},
    .copy = {BY_WIDTH(copy)},
    .convert_from = {BY_DTYPE(converters_from)},
};
