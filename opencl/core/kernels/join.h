/* join.h: combining a contribution with its destination. The host defines what computed.h needs, and
     S        suffix of self's dtype
     SRC      suffix of src's dtype
     NUMBER   src is a number, not a tensor
     REDUCE   the reduction's name; without it (scatter_alone.cl) only the macros up to MINIMUM are defined
     I        the index type
     ARG      positions of the winners are stored, too
     PAIRS    groups of GROUP_SIZE join elements by pairs: for reductions other than sums and products of floats */
#include "computed.h"
#include "index.h"

#define T    CAT(T_, S)
#define W    CAT(W_, S)
#define TSRC CAT(T_, SRC)

#define PLUS(a, b)    CAT(plus_, S)(a, b)
#define TIMES(a, b)   CAT(times_, S)(a, b)
#define MAXIMUM(a, b) CAT(maximum_, S)(a, b)
#define MINIMUM(a, b) CAT(minimum_, S)(a, b)

#ifdef REDUCE
#define ROW(ENUM, r, name, second, third, ordered, identity, joined, loops)                                            \
  static inline W join_##r(W a, W b) { return (W)(joined); }
STREW_REDUCTIONS(ROW)
#undef ROW
#define JOIN(a, b) CAT(join_, REDUCE)(a, b)

/* Kernel parameters of self and arg. The destination of index value v is v * self_dim_stride after the row's start. */
#ifdef ARG
#define TARGET                                                                                                         \
  OPERAND(T, self), const long self_dim_stride, OPERAND(long, arg), const long arg_dim_stride, const long none,        \
      const int fresh
#else
#define TARGET OPERAND(T, self), const long self_dim_stride
#endif
#define SOURCE OPERAND(const TSRC, src), const T number PROGRAM

/* A contribution's value. */
#ifdef NUMBER
#define VALUE(p) CAT(load_, S)(number)
#else
#define VALUE(p) CAT(load_, SRC)(p)
#endif

static inline void join_at(__global T *dst, W value) { *dst = CAT(store_, S)(JOIN(CAT(load_, S)(*dst), value)); }

/* amax or amin that stores its first winner's position, too. A contribution wins a destination that has received
   nothing or whose value it changes. */
static inline void join_with_arg(__global T *dst, W value, __global long *arg, long position, long none, int fresh) {
  const W held = CAT(load_, S)(*dst);
  if ((fresh && *arg == none) || CAT(differs_, S)(held, JOIN(held, value))) {
    *dst = CAT(store_, S)(value);
    *arg = position;
  }
}

/* Where a row begins in arg, `more` elements on, and where its destination dst is. */
#ifdef ARG
#define ARG_START(more) const long arg_at = ROW_OF(arg) + (more)
#define ARG_AT(dst)     (arg_at + (dst)*arg_dim_stride)
#define JOIN_AT(self_at, value, arg_at, position)                                                                      \
  join_with_arg(self + (self_at), value, arg + (arg_at), position, none, fresh)
#else
#define ARG_START(more)
#define ARG_AT(dst)                               0
#define JOIN_AT(self_at, value, arg_at, position) join_at(self + (self_at), value)
#endif

#ifdef PAIRS
#ifdef ARG
#define POSITIONS       , __local uint *positions
#define POSITIONS_OF(x) , x
#define POSITION_JOINS                                                                                                 \
  if (CAT(differs_, S)(tile[t], joined)) positions[t] = positions[t + step];
#else
#define POSITIONS
#define POSITIONS_OF(x)
#define POSITION_JOINS
#endif
/* Joins neighbours in local memory, level by level, into the first: of equal ones the first wins. All work-items of the
   group call it. */
static inline void join_pairs(__local W *tile, const int count POSITIONS) {
  for (int step = 1; step < count; step *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int t = 2 * step * (int)get_local_id(0); t + step < count; t += 2 * step * GROUP_SIZE) {
      const W joined = JOIN(tile[t], tile[t + step]);
      POSITION_JOINS
      tile[t] = joined;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}
#endif
#endif
