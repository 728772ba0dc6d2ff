/* exact.cl: exact sums by number: each term is added to a result of that number, as limbs (exact.h), in any order.
     survey   which bits the terms have and which kinds there are; with INDEX, whether a value is out of range
     start    limbs of a first term, or 0
     add      a work-item adds a run of terms of one number in registers, and then to the result's words
     finish   a result is rounded once
   Integers alone: the same on every device. A result has `stride` words of 64 bits: limbs, a count of terms at count_at,
   kinds at kinds_at, unless these are negative. The host defines
     S, R        suffix of the terms' dtype; that of float32 or float64, as which they are added
     INDEX       a term's number is that of its place and, times `step`, an index value of type I
     HELD        limbs that are added in registers; 0: there are more, which are added one by one
     OWN         words in local memory, if each group adds to a copy of all results first
     WORD        (finish) the unsigned type of results */
#include "opencl/core/kernels/index.h"
#include "runtime/elementwise/shared/exact.h"

typedef __global uint *words_at;

static inline void put_word(words_at at, long value) {
#ifdef HAS_INT64_ATOMICS
  *(__global long *)at = value;
#else
  at[0] = (uint)value, at[1] = (uint)(value >> 32);
#endif
}
static inline long word_at(words_at at) {
#ifdef HAS_INT64_ATOMICS
  return *(__global long *)at;
#else
  return (long)upsample(at[1], at[0]);
#endif
}

/* Without atomics of 64 bits: each carry out of the low half is seen by one addition. */
#define ADD_BY_HALVES(name, space)                                                                                     \
  static inline void name(volatile space uint *at, long value) {                                                       \
    const uint low = (uint)value, before = low ? atomic_add(at, low) : 0;                                              \
    const uint high = (uint)(value >> 32) + (before + low < before);                                                   \
    if (high) atomic_add(at + 1, high);                                                                                \
  }
#ifdef HAS_INT64_ATOMICS
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
static inline void add_global(volatile __global uint *at, long value) {
  atom_add((volatile __global ulong *)at, (ulong)value);
}
#else
ADD_BY_HALVES(add_global, __global)
#endif
ADD_BY_HALVES(add_local, __local)

#ifdef S
#define TERM               CAT(T_, S)
#define LIMB(x, from)      CAT(exact_limb_, R)(x, from, width)
#define BITS_f32(x)        bits_of_float(x)
#define BITS_f64(x)        bits_of_double(x)
#define INFINITE_f32       0x7f800000u
#define INFINITE_f64       0x7ff0000000000000ul
#define SIGN_f32           0x80000000u
#define SIGN_f64           0x8000000000000000ul
#define MOST_DIGITS_f32    24
#define MOST_DIGITS_f64    53

static inline int kinds_of(CAT(B_, R) bits) {
  const CAT(B_, R) magnitude = bits & ~CAT(SIGN_, R);
  const int infinite = magnitude != CAT(INFINITE_, R) ? 0 : bits == magnitude ? EXACT_POSITIVE : EXACT_NEGATIVE;
  return infinite | (magnitude > CAT(INFINITE_, R) ? EXACT_NAN : 0) |
         (bits == CAT(SIGN_, R) ? EXACT_MINUS_ZERO : EXACT_OTHER);
}

/* The work-item's elements, `each`: on a GPU GROUP_SIZE apart. */
#ifdef IS_GPU
#define ITEM_ELEMENTS(e)                                                                                               \
  const long count = columns * rows, base = (long)group_id() * each * GROUP_SIZE + (long)get_local_id(0);              \
  for (long e = base; e < count && e < base + each * GROUP_SIZE; e += GROUP_SIZE)
#else
#define ITEM_ELEMENTS(e)                                                                                               \
  const long count = columns * rows, base = ((long)group_id() * GROUP_SIZE + (long)get_local_id(0)) * each;            \
  for (long e = base; e < count && e < base + each; e++)
#endif

#ifdef INDEX
#define SURVEYED_INDEX , OPERAND(const I, index), const long lowest, const long highest
#define ADDED_INDEX    , OPERAND(const I, index), const long step, LIMITS
#else
#define SURVEYED_INDEX
#define ADDED_INDEX
#endif

#ifdef GROUP_SIZE
/* found: of each group the lowest place, the highest, kinds, and whether an index value is bad. */
GROUP_KERNEL survey(SPACE, OPERAND(const TERM, x) SURVEYED_INDEX, const long each, const long first,
                    __global int *found) {
  __local int here[4];
  const int lane = (int)get_local_id(0);
  int low = EXACT_NONE, top = -1, kinds = 0, bad = 0;
  if (lane == 0) here[0] = EXACT_NONE, here[1] = -1, here[2] = here[3] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  ITEM_ELEMENTS(e) {
    PLACE_OF(e);
    const CAT(B_, R) bits = CAT(BITS_, R)(CAT(exact_, S)(x[AT(x)]));
    const ulong digits = CAT(exact_digits_, R)(bits);
    const int place = CAT(exact_place_, R)(bits), zeros = digits ? (int)clz(digits & (0ul - digits)) : 0;
    low = digits ? min(low, place + 63 - zeros) : low;
    top = digits ? max(top, place + 63 - (int)clz(digits)) : top;
    kinds |= kinds_of(bits);
#ifdef INDEX
    const long value = WIDE(index[AT(index)]);
    bad |= value < lowest || value > highest;
#endif
  }
  atomic_min(here, low);
  atomic_max(here + 1, top);
  atomic_or(here + 2, kinds);
  atomic_or(here + 3, bad);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lane < 4) found[4 * (first + (long)group_id()) + lane] = here[lane];
}

#ifdef HELD
#define FIRST(size) ((size) > 0 ? (size) : 1)
#ifdef OWN
#define OWN_WORDS , const long own_words
#define ADD_TO(word, value) add_local(own + 2 * (word), value)
#else
#define OWN_WORDS
#define ADD_TO(word, value) add_global(words + 2 * (word), value)
#endif
#define FLUSH                                                                                                          \
  if (run) {                                                                                                           \
    UNROLL for (int j = 0; j < HELD; j++) if (held[j]) ADD_TO(to * stride + j, held[j]);                               \
    if (count_at >= 0) ADD_TO(to * stride + count_at, run);                                                            \
  }
/* wanted: kinds that are noted. */
GROUP_KERNEL add(SPACE, STRIDES(number), OPERAND(const TERM, x) ADDED_INDEX, const long each OWN_WORDS,
                 const int limbs, const int low, const int width, const long stride, const int count_at, const int kinds_at,
                 const int wanted, words_at words) {
  long held[FIRST(HELD)], to = 0, run = 0;
#ifdef OWN
  __local uint own[2 * OWN];
  for (int i = (int)get_local_id(0); i < 2 * own_words; i += GROUP_SIZE) own[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
  ITEM_ELEMENTS(e) {
    PLACE_OF(e);
    long key = column * number_step + inner_product(at, number_strides);
#ifdef INDEX
    const long value = IN_MODE(WIDE(index[AT(index)]), size);
    if ((ulong)value >= (ulong)size) continue;
    key += value * step;
#endif
    if (run == 0 || key != to) {
      FLUSH;
      UNROLL for (int j = 0; j < HELD; j++) held[j] = 0;
      to = key, run = 0;
    }
    const CAT(T_, R) term = CAT(exact_, S)(x[AT(x)]);
    const CAT(B_, R) bits = CAT(BITS_, R)(term);
    run++;
#if HELD
    UNROLL for (int j = 0; j < HELD; j++) held[j] += LIMB(term, low + j * width);
#else
    const int place = CAT(exact_place_, R)(bits) - low;
    for (int j = place > 0 ? place / width : 0; j < limbs && j * width < place + CAT(MOST_DIGITS_, R); j++) {
      const long limb = LIMB(term, low + j * width);
      if (limb) ADD_TO(key * stride + j, limb);
    }
#endif
    if (wanted & kinds_of(bits))
      atomic_or((volatile __global uint *)words + 2 * (key * stride + kinds_at), (uint)(wanted & kinds_of(bits)));
  }
  FLUSH;
#ifdef OWN
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = (int)get_local_id(0); i < own_words; i += GROUP_SIZE)
    if (own[2 * i] | own[2 * i + 1]) add_global(words + 2 * i, (long)upsample(own[2 * i + 1], own[2 * i]));
#endif
}
#endif
#else

__kernel void start(SPACE, STRIDES(number), OPERAND(const TERM, x), const int has_term, const int limbs, const int low,
                    const int width, const long stride, const int kinds_at, const int wanted, words_at words) {
  ROW_AND_COLUMN;
  words_at own = words + 2 * stride * (column * number_step + inner_product(at, number_strides));
  const CAT(T_, R) term = has_term ? CAT(exact_, S)(x[AT(x)]) : 0;
  for (int j = 0; j < stride; j++) put_word(own + 2 * j, has_term && j < limbs ? LIMB(term, low + j * width) : 0);
  if (has_term && wanted) own[2 * kinds_at] = (uint)(wanted & kinds_of(CAT(BITS_, R)(term)));
}
#endif
#endif

#ifdef WORD
/* The 64 highest bits of a magnitude, whose parts come from the highest on; bit 0 stands for 2^low. */
struct top_bits {
  ulong bits;
  int low;
  bool rest; /* bits that are not 0 follow */
};
static inline void take_part(struct top_bits *top, ulong part, int place) {
  const int up = place - top->low, down = -up;
  if (!top->bits) {
    const int zeros = part ? (int)clz(part) : 0;
    top->bits = part << zeros, top->low = place - zeros;
  } else if (up >= 0) {
    top->bits |= part << up;
  } else {
    top->bits |= down < 64 ? part >> down : 0;
    top->rest = top->rest || (down < 64 ? part & (((ulong)1 << down) - 1) : part);
  }
}

/* Makes digits of the limbs: of the magnitude, each below 2^width but the last. True: the number is negative. */
static inline bool carry_limbs(words_at own, int limbs, int width) {
  long last = 0;
  for (int j = 0; j < limbs; j++) last = word_at(own + 2 * j) + (j ? last >> width : 0);
  const bool negative = last < 0;
  for (long j = 0, carry = 0; j < limbs; j++) {
    const long limb = word_at(own + 2 * j), value = (negative ? -limb : limb) + carry;
    put_word(own + 2 * j, j + 1 < limbs ? value & (((long)1 << width) - 1) : value);
    carry = value >> width;
  }
  return negative;
}

/* The digits, divided by a number below 2^32, PART bits at a time. */
#define PART 31
static inline void divide_digits(struct top_bits *top, words_at own, int limbs, int width, ulong by) {
  ulong left = 0;
  top->bits = 0, top->low = 0, top->rest = false;
  for (int j = limbs - 1; j >= 0; j--) {
    const ulong digit = (ulong)word_at(own + 2 * j);
    for (int below = j + 1 < limbs ? width : 63; below > 0;) {
      const int bits = min(below, PART);
      below -= bits;
      ulong part = left << bits | (digit >> below & (((ulong)1 << bits) - 1));
      if (by > 1) left = part % by, part /= by;
      take_part(top, part, j * width + below);
    }
  }
  for (int place = 0; left && (!top->bits || place > top->low);) {
    const ulong part = left << PART;
    left = part % by, place -= PART;
    take_part(top, part / by, place);
  }
  top->rest = top->rest || left;
}

/* digits, least, infinity: of the result's dtype, see exact_nearest. */
__kernel void finish(SPACE, STRIDES(number), OPERAND(WORD, out), OPERAND(const WORD, first), OPERAND(const long, counts),
                     const long divisor, const int divides, const long extra, const int from_first, const int limbs,
                     const int exponent, const int width, const long stride, const int count_at, const int kinds_at,
                     const int signs_zero, const int digits, const int least, const ulong infinity, words_at words) {
  ROW_AND_COLUMN;
  words_at own = words + 2 * stride * (column * number_step + inner_product(at, number_strides));
  const ulong nan = infinity | (ulong)1 << (digits - 2), sign = (ulong)1 << (8 * sizeof(WORD) - 1);
  const long added = count_at < 0 ? 0 : word_at(own + 2 * count_at);
  const long by = !divides ? 1 : count_at >= 0 ? max(added + extra, 1l) : divisor >= 0 ? divisor : counts[AT(counts)];
  const uint kinds = kinds_at < 0 ? 0 : own[2 * kinds_at];
  ulong bits;
  if (from_first && !added) {
    bits = first[AT(first)];
    if ((bits & (sign - 1)) > infinity) bits = nan;
  } else if (by <= 0 || kinds & EXACT_NAN || (kinds & EXACT_INFINITIES) == EXACT_INFINITIES) {
    bits = nan;
  } else if (kinds & EXACT_INFINITIES) {
    bits = infinity | (kinds & EXACT_NEGATIVE ? sign : 0);
  } else {
    struct top_bits top;
    const bool negative = carry_limbs(own, limbs, width);
    divide_digits(&top, own, limbs, width, (ulong)by);
    bits = top.bits ? exact_nearest(top.bits, exponent + top.low, top.rest, digits, least, infinity) : 0;
    const bool is_minus_zero = signs_zero && !(kinds & EXACT_OTHER);
    if (top.bits ? negative : is_minus_zero) bits |= sign;
  }
  out[AT(out)] = (WORD)bits;
}
#endif
