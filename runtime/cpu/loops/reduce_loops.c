/* reduce_loops.c: loops of folds, for one instruction set. */
#include "reduce_loops.h"

#include "runtime/cpu/cpu.h"

#include <math.h>
#include <string.h>

/* Rounds of lanes per turn of a loop: fewer instructions per load let the processor run further ahead (sum of 10 M
   float32: 1.11 ms -> 0.98 ms). */
enum { ROUNDS = 4 };

/* Extremes, whose order does not matter, have as many lanes as a register holds. */
#if defined(__AVX512F__)
enum { VECTOR_BYTES = 64 };
#elif defined(__AVX2__)
enum { VECTOR_BYTES = 32 };
#else
enum { VECTOR_BYTES = 16 };
#endif

#define LOOPS_WIDE
#define LOOPS "reduce.inc"
#include "each_dtype.h"

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
