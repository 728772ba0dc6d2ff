/* random.cl: one block of random bits per work-item. Besides S, R and OUT of elements.h the host defines
     UNIFORM, NORMAL, INTEGER or BITS   the distribution
     PER_BLOCK                          words per block: 4 of 32 bits, or 2 of 64
     BITS_SHOWN                         significant bits of a uniform number of up to 32 bits */
#include "opencl/core/kernels/prelude.h"
#include "runtime/elementwise/shared/random.h"
#include "runtime/elementwise/shared/normal.h"
#include "opencl/core/kernels/elements.h"

#if PER_BLOCK == 4
typedef uint32_t word;
static inline word word_of(struct philox block, int i) { return block.words[i]; }
#else
typedef uint64_t word;
static inline word word_of(struct philox block, int i) {
  return block.words[2 * i] | (uint64_t)block.words[2 * i + 1] << 32;
}
#endif

static inline VALUE number_of(word w, long low, ulong range) {
#if defined(NORMAL)
  return CAT(normal_, S)(w);
#elif defined(INTEGER)
  return uniform_i64(w, low, range);
#elif defined(BITS)
  return (long)w;
#elif PER_BLOCK == 4
  return uniform_f32(w, BITS_SHOWN);
#else
  return uniform_f64(w);
#endif
}

__kernel void draw(__global CAT(T_, OUT) * to, const long offset, const long count, const ulong seed,
                   const ulong first_block, const long low, const ulong range) {
  const long begin = (long)get_global_id(0) * PER_BLOCK;
  if (begin >= count) return;
  const struct philox block = philox_block(seed, first_block + get_global_id(0));
  for (int i = 0; i < PER_BLOCK && begin + i < count; i++)
    to[offset + begin + i] = stored(number_of(word_of(block, i), low, range));
}
