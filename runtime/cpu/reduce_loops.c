/* reduce_loops.c: the folds of reductions, for one instruction set. */
#include "reduce_loops.h"

#include "cpu.h"
#include "scalar.h"

#include <math.h>
#include <string.h>

#define LOOPS_WIDE
#define LOOPS "reduce.inc"
#include "each_dtype.h"

const struct reduce_loops LOOPS_TABLE(reduce) = {
    .folds =
        {
#define ROW(ENUM, s, name, stored, bits, wide, ...) [STREW_##ENUM] = folds_##wide,
            STREW_DTYPES(ROW)
#undef ROW
        },
    .finish_f32 = finish_f32,
    .finish_f64 = finish_f64,
};
