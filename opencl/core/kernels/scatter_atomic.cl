/* scatter_atomic.cl: contributions combined by atomics, one work-item each: for reductions whose result does not depend
   on the order, and for float sums in any order. Rows, columns and line are those of scatter_walk.cl. The host defines
     BITS     bits of an element
     ADDS     integers of 32 or 64 bits are added by the device's atomic add */
#include "join.h"

#if BITS == 64
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
typedef ulong word;
#define EXCHANGE atom_cmpxchg
#define ADD      atom_add
#else
typedef uint word;
#define EXCHANGE atomic_cmpxchg
#define ADD      atomic_add
#endif

typedef union {
  CAT(B_, S) bits;
  T value;
} element;

static inline CAT(B_, S) joined_bits(CAT(B_, S) held, W value) {
  element x;
  x.bits = held;
  x.value = CAT(store_, S)(JOIN(CAT(load_, S)(x.value), value));
  return x.bits;
}

/* Compare-and-exchange on the word that contains the element. A contribution that changes nothing does not write, so
   most contributions to a shared maximum only read. The value read may be stale: the contribution then counts as
   combined at that earlier time. */
static inline void join_atomically(__global T *dst, W value) {
#ifdef ADDS
  ADD((volatile __global word *)dst, (word)value);
#else
#if BITS < 32
  const uint byte = (uint)((ulong)dst & 3), shift = byte * 8;
  volatile __global word *at = (volatile __global word *)((__global uchar *)dst - byte);
#define HELD(all)         (CAT(B_, S))((all) >> shift)
#define WITH(all, joined) (((all) & ~((word)((1u << BITS) - 1) << shift)) | (word)(joined) << shift)
#else
  volatile __global word *at = (volatile __global word *)dst;
#define HELD(all)         (CAT(B_, S))(all)
#define WITH(all, joined) (word)(joined)
#endif
  for (word before = *at;;) {
    const word after = WITH(before, joined_bits(HELD(before), value));
    if (after == before) return;
    const word seen = EXCHANGE(at, before, after);
    if (seen == before) return;
    before = seen;
  }
#endif
}

__kernel void scatter_atomic(SPACE, OPERAND(T, self), const long self_dim_stride, OPERAND(const I, index), SOURCE,
                             LIMITS, const long width, const long self_column, const long index_column,
                             const long src_column, const int check, __global int *verdict) {
  const long i = (long)get_global_id(0), above = i / width, column = i - above * width;
  const long row = above / columns, at_line = above - row * columns;
  if (row >= rows) return;
  const coordinates at = coordinates_of(row, rows, sizes);
  const I value = index[ROW_OF(index) + at_line * index_step + column * index_column];
  const long dst = IN_MODE(WIDE(value), size);
  if (check && at_line && value < index[ROW_OF(index) + (at_line - 1) * index_step + column * index_column])
    verdict_add(WAY, UNSORTED, verdict);
  if ((ulong)dst >= (ulong)size) {
    if (check) verdict_add(WAY, BAD, verdict);
    return;
  }
  join_atomically(self + (ROW_OF(self) + dst * self_dim_stride + column * self_column),
                  VALUE(ELEMENT_AT(src, ROW_OF(src) + at_line * src_step + column * src_column)));
}
