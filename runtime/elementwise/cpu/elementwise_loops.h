/* elementwise_loops.h: kernels of elementwise operations. */
#ifndef STREW_ELEMENTWISE_LOOPS_H
#define STREW_ELEMENTWISE_LOOPS_H

#include "runtime/core/base/elementwise_ops.h"
#include "runtime/core/cpu/isa.h"

/* Computes `count` contiguous elements. An input may be the memory that is written. */
typedef void kernel(int64_t count, void *out, const void *const *in);

/* Two operations of floats in one loop: c joined to the result of a and b. */
enum { PAIR_FIRSTS = STREW_MUL + 1, PAIR_SECONDS = STREW_MUL + 2, PAIR_SUB_FROM = STREW_MUL + 1 };

enum { MIXED_FIRST = STREW_EQ, MIXED_COUNT = STREW_GE + 1 - STREW_EQ }; /* of uint64 alone */
struct kernels {
  kernel *mixed[MIXED_COUNT];
  kernel *unary[STREW_UNARY_COUNT], *binary[STREW_BINARY_COUNT], *where, *clamp;
  kernel *pairs[PAIR_FIRSTS][PAIR_SECONDS]; /* (a first b) second c; c - (a first b) */
  int64_t (*find_zero)(int64_t count, const void *row);
  kernel *limb, *product, *part; /* of floats alone, part of float64 */
};

/* A row of STREW_TIES: the bits compared, and the inputs, of which one is added that is none. */
enum { TIES = 8 };
typedef uint32_t tie_row[1 + TIES];

/* A function of two arguments: moves its float32 result y off a tie of 16-bit floats, which drop bits (DROPPED_S). */
struct tie_rule {
  float (*off_tie)(float a, float b, float y, uint32_t dropped);
  bool cancels;
};

/* Operations of 16-bit floats in memory, where there are some. */
struct halves {
  kernel *unary[STREW_UNARY_COUNT], *binary[STREW_BINARY_COUNT];
};

struct elementwise_loops {
  const struct kernels *kernels[STREW_DTYPE_COUNT];
  void (*break_ties)(int64_t count, float *y, const float *x, const uint32_t *ties);
  void (*move_off_ties)(int64_t count, float *y, const float *a, const float *b, const struct tie_rule *by,
                        uint32_t dropped);
  struct halves halves[2]; /* of float16 and bfloat16 */
};
DECLARE_LOOPS(elementwise)

/* Scalar kernels of the long functions, which other tables lack. */
struct long_functions {
  kernel *unary[STREW_UNARY_COUNT], *binary[STREW_BINARY_COUNT];
};
extern const struct long_functions long_functions_f32, long_functions_f64;
extern kernel *const nextafter_halves[2]; /* of float16 and bfloat16 */
extern const struct tie_rule tie_rules[STREW_BINARY_COUNT];

/* Random words, and the numbers made from them. */
struct random_loops {
  /* The words of `blocks` blocks of a seed's stream, from number `first` on. */
  void (*draw)(uint64_t seed, uint64_t first, int64_t blocks, uint32_t *words);
  void (*uniform)(int64_t count, const uint32_t *words, int bits, float *to);
  void (*normal)(int64_t count, const uint32_t *words, float *to);
  void (*integer)(int64_t count, const uint32_t *words, int64_t low, uint64_t range, int64_t *to);
};
DECLARE_LOOPS(random)
CHOOSE_LOOPS(random)

#endif
