/* exact.cl: exact sums by number: each term is added to a result of that number, as limbs (exact.h), in any order.
     survey   which bits the terms have and which kinds there are; with INDEX, whether a value is out of range
     start    limbs of a first term, or 0
     add      a work-item adds a run of terms of one number in registers, and then to the result's words
     finish   a result is rounded once
   Integers alone, but for divisors of variances: the same on every device. A result has `stride` words of 64 bits:
   exact_layout. The host defines
     S, R        suffix of the terms' dtype; that of float32 or float64, as which they are added
     INDEX       a term's number is that of its place and, times `step`, an index value of type I
     FACTOR      terms are products
     SQUARES     there are limbs of squares, too
     HELD        limbs that are added in registers; 0: there are more, which are added one by one
     HELD_SQUARES   the same of squares
     OWN         words in local memory, if each group adds to a copy of all results first
     WORD        (finish) the unsigned type of results
     SPREAD      (finish) results are variances
     ROOT        (finish) and their roots */
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
#define SQUARE(x, from)    CAT(exact_product_limb_, R)(x, x, from, width)
#ifdef FACTOR
#define ADDED_FACTOR       , OPERAND(const TERM, factor)
#define ADDED(from)        CAT(exact_product_limb_, R)(term, by, from, width)
#define ADDED_PLACE        (CAT(exact_place_, R)(bits) + CAT(exact_place_, R)(CAT(BITS_, R)(by)))
#define ADDED_DIGITS       (2 * CAT(MOST_DIGITS_, R))
#define ADDED_KINDS        kinds_of_product(bits, CAT(BITS_, R)(by))
#else
#define ADDED_FACTOR
#define ADDED(from)        LIMB(term, from)
#define ADDED_PLACE        CAT(exact_place_, R)(bits)
#define ADDED_DIGITS       CAT(MOST_DIGITS_, R)
#define ADDED_KINDS        kinds_of(bits)
#endif
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

static inline int kinds_of_product(CAT(B_, R) a, CAT(B_, R) b) {
  const int infinite = (kinds_of(a) | kinds_of(b)) & EXACT_INFINITIES, sign = (a ^ b) & CAT(SIGN_, R) ? 1 : 0;
  const bool is_zero = a == 0 || a == CAT(SIGN_, R) || b == 0 || b == CAT(SIGN_, R);
  if ((kinds_of(a) | kinds_of(b)) & EXACT_NAN || (infinite && is_zero)) return EXACT_NAN;
  return !infinite ? EXACT_OTHER : sign ? EXACT_NEGATIVE : EXACT_POSITIVE;
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
    UNROLL for (int j = 0; j < HELD_SQUARES; j++) if (squares[j]) ADD_TO(to * stride + squares_at + j, squares[j]);    \
    if (count_at >= 0) ADD_TO(to * stride + count_at, run);                                                            \
  }
/* wanted: kinds that are noted. */
GROUP_KERNEL add(SPACE, STRIDES(number), OPERAND(const TERM, x) ADDED_FACTOR ADDED_INDEX, const long each OWN_WORDS,
                 const int limbs, const int low, const int width, const long stride, const int square_limbs,
                 const int squares_at, const int count_at, const int kinds_at, const int wanted, words_at words) {
  long held[FIRST(HELD)], squares[FIRST(HELD_SQUARES)], to = 0, run = 0;
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
      UNROLL for (int j = 0; j < HELD_SQUARES; j++) squares[j] = 0;
      to = key, run = 0;
    }
    const CAT(T_, R) term = CAT(exact_, S)(x[AT(x)]);
    const CAT(B_, R) bits = CAT(BITS_, R)(term);
#ifdef FACTOR
    const CAT(T_, R) by = CAT(exact_, S)(factor[AT(factor)]);
#endif
    run++;
#if HELD
    UNROLL for (int j = 0; j < HELD; j++) held[j] += ADDED(low + j * width);
    UNROLL for (int j = 0; j < HELD_SQUARES; j++) squares[j] += SQUARE(term, 2 * low + j * width);
#else
    const int place = ADDED_PLACE - low;
    for (int j = place > 0 ? place / width : 0; j < limbs && j * width < place + ADDED_DIGITS; j++) {
      const long limb = ADDED(low + j * width);
      if (limb) ADD_TO(key * stride + j, limb);
    }
#ifdef SQUARES
    for (int j = place > 0 ? 2 * place / width : 0; j < square_limbs && j * width < 2 * (place + ADDED_DIGITS); j++) {
      const long limb = SQUARE(term, 2 * low + j * width);
      if (limb) ADD_TO(key * stride + squares_at + j, limb);
    }
#endif
#endif
    const int kinds = wanted & ADDED_KINDS;
    if (kinds) atomic_or((volatile __global uint *)words + 2 * (key * stride + kinds_at), (uint)kinds);
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
static inline bool carry_limbs(words_at own, long step, int limbs, int width) {
  long last = 0;
  for (int j = 0; j < limbs; j++) last = word_at(own + 2 * step * j) + (j ? last >> width : 0);
  const bool negative = last < 0;
  for (long j = 0, carry = 0; j < limbs; j++) {
    const long limb = word_at(own + 2 * step * j), value = (negative ? -limb : limb) + carry;
    put_word(own + 2 * step * j, j + 1 < limbs ? value & (((long)1 << width) - 1) : value);
    carry = value >> width;
  }
  return negative;
}

/* The digits, divided by a number below 2^32, PART bits at a time. */
#define PART 31
static inline void divide_digits(struct top_bits *top, words_at own, long step, int limbs, int width, ulong by) {
  ulong left = 0;
  top->bits = 0, top->low = 0, top->rest = false;
  for (int j = limbs - 1; j >= 0; j--) {
    const ulong digit = (ulong)word_at(own + 2 * step * j);
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

#ifdef SPREAD
#define LOW_DIGIT (((long)1 << EXACT_DIGIT) - 1)
/* The digits of n * squares - sum^2, which is not negative, take the places of the squares'. */
static inline void subtract_square(words_at sum, int limbs, words_at squares, int count, long n) {
  long carry = 0;
  for (int k = 0; k < count; k++) {
    const long scaled = n * word_at(squares + 2 * k);
    long low = (scaled & LOW_DIGIT) + carry, high = scaled >> EXACT_DIGIT;
    for (int i = max(0, k - limbs + 1); i <= k && i < limbs; i++) {
      const ulong part = (ulong)word_at(sum + 2 * i) * (ulong)word_at(sum + 2 * (k - i));
      low -= (long)(part & LOW_DIGIT), high -= (long)(part >> EXACT_DIGIT);
    }
    put_word(squares + 2 * k, low & LOW_DIGIT);
    carry = high + (low >> EXACT_DIGIT);
  }
}
/* The bits of digits * 2^exponent / n / by, or of its root: bit after bit is divided by both. */
static inline ulong spread_of(words_at digits, int count, int exponent, long n, double by, int most_digits, int least,
                              ulong infinity) {
  const ulong code = as_ulong(by), nan = infinity | (ulong)1 << (most_digits - 2);
  const ulong whole = exact_digits_f64(code);
  ulong left = 0, over = 0, top = 0;
  while (count && !word_at(digits + 2 * (count - 1))) count--;
  if (isnan(by)) return nan;
  if (by <= 0) return count ? infinity : nan;
  if (!count || !whole) return 0;
  exponent -= exact_place_f64(code) - 1074;
#ifdef ROOT
  enum { WANTED = 62 };
  ulong pair = 0, rest = 0;
#else
  enum { WANTED = 64 };
#endif
  int place = EXACT_DIGIT * count;
  for (int taken = 0; taken < WANTED; taken += top != 0) {
    place--;
    left = left << 1 | (place < 0 ? 0 : (ulong)word_at(digits + 2 * (place / EXACT_DIGIT)) >> place % EXACT_DIGIT & 1);
    const ulong bit = left >= (ulong)n;
    left -= bit ? (ulong)n : 0;
    over = over << 1 | bit;
    const ulong found = over >= whole;
    over -= found ? whole : 0;
#ifdef ROOT
    pair = pair << 1 | found;
    if ((place + exponent) & 1) {
      taken -= top != 0;
      continue;
    }
    rest = rest << 2 | pair, pair = 0;
    const ulong trial = top << 2 | 1;
    const bool is_less = rest >= trial;
    rest -= is_less ? trial : 0;
    top = top << 1 | is_less;
#else
    top = top << 1 | found;
#endif
  }
  bool more = left || over;
  for (int k = 0; k < count && k * EXACT_DIGIT < place; k++) {
    const ulong digit = (ulong)word_at(digits + 2 * k);
    const int below = min(place - k * EXACT_DIGIT, (int)EXACT_DIGIT);
    more = more || digit & (((ulong)1 << below) - 1);
  }
#ifdef ROOT
  return exact_nearest(top << 2, (place + exponent) / 2 - 2, more || rest, most_digits, least, infinity);
#else
  return exact_nearest(top, place + exponent, more, most_digits, least, infinity);
#endif
}
#define SPREAD_PARAMETERS                                                                                              \
  const int squares_at, const int squares_end, const double correction, const double lowest, const double otherwise,   \
      const double plus,
#else
#define SPREAD_PARAMETERS
#endif

/* from_first: results of no terms are 1 those of `first`, 2 zeros. digits, least, infinity: of the result's dtype, see
   exact_nearest. Limbs are `limb_step` words apart. */
__kernel void finish(SPACE, STRIDES(number), OPERAND(WORD, out), OPERAND(const WORD, first), OPERAND(const long, counts),
                     const long divisor, const int divides, const long extra, const int from_first, const int limbs,
                     const int exponent, const int width, const long stride, const long limb_step, const int count_at,
                     const int kinds_at, const int signs_zero, const int digits, const int least, const ulong infinity,
                     SPREAD_PARAMETERS words_at words, const long words_offset) {
  ROW_AND_COLUMN;
  words_at own = words + 2 * (words_offset + stride * (column * number_step + inner_product(at, number_strides)));
  const ulong nan = infinity | (ulong)1 << (digits - 2), sign = (ulong)1 << (8 * sizeof(WORD) - 1);
  const long added = count_at < 0 ? 0 : word_at(own + 2 * count_at);
  const long counted = count_at >= 0 ? added : divisor >= 0 ? divisor : counts[AT(counts)];
  const long by = !divides ? 1 : count_at >= 0 ? max(added + extra, 1l) : counted;
  const uint kinds = kinds_at < 0 ? 0 : own[2 * kinds_at];
  ulong bits;
  if (from_first && !added) {
    bits = from_first == 1 ? first[AT(first)] : 0;
    if ((bits & (sign - 1)) > infinity) bits = nan;
  } else if (by <= 0 || kinds & EXACT_NAN || (kinds & EXACT_INFINITIES) == EXACT_INFINITIES) {
    bits = nan;
#ifdef SPREAD
  } else if (counted <= 0 || kinds & EXACT_INFINITIES) {
    bits = nan;
  } else {
    const double left = (double)counted - correction, divided = (left <= lowest ? otherwise : left) + plus;
    const int squares_limbs = squares_end - squares_at;
    carry_limbs(own, 1, limbs + 1, width);
    carry_limbs(own + 2 * squares_at, 1, squares_limbs, width);
    subtract_square(own, limbs + 1, own + 2 * squares_at, squares_limbs, counted);
    bits = spread_of(own + 2 * squares_at, squares_limbs, 2 * exponent, counted, divided, digits, least, infinity);
  }
#else
  } else if (kinds & EXACT_INFINITIES) {
    bits = infinity | (kinds & EXACT_NEGATIVE ? sign : 0);
  } else {
    struct top_bits top;
    const bool negative = carry_limbs(own, limb_step, limbs, width);
    divide_digits(&top, own, limb_step, limbs, width, (ulong)by);
    bits = top.bits ? exact_nearest(top.bits, exponent + top.low, top.rest, digits, least, infinity) : 0;
    const bool is_minus_zero = signs_zero && !(kinds & EXACT_OTHER);
    if (top.bits ? negative : is_minus_zero) bits |= sign;
  }
#endif
  out[AT(out)] = (WORD)bits;
}
#endif
