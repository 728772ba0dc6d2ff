/* exact.c: results of exact sums: limbs become whole numbers of any length, which are divided and rounded once. */
#include "runtime/elementwise/shared/exact.h"
#include "reduce_loops.h"
#include "runtime/core/cpu/cpu.h"

#include <math.h>
#include <stdatomic.h>

CHOOSE_LOOPS(exact)
EXACT_ENTRIES(CPU_FUNCTION, CPU_FUNCTION)
CPU_TABLE(exact_ops, EXACT_ENTRIES)

static const struct exact_kernels *kernels_of(strew_dtype computed) {
  return computed == STREW_FLOAT64 ? &exact_loops()->f64 : &exact_loops()->f32;
}

/* Words of the longest number: n * sum of squares of float64, 2 * 2098 bits and twice a count. */
enum { WORD_BITS = 32, MOST_WORDS = 144 };

/* A magnitude in words, the lowest first; the highest of `count` is not 0. */
struct whole {
  int count;
  bool negative;
  uint32_t word[MOST_WORDS];
};

static void trim(struct whole *x) {
  while (x->count && !x->word[x->count - 1]) x->count--;
}

static int bit_count(const struct whole *x) {
  return x->count ? x->count * WORD_BITS - __builtin_clz(x->word[x->count - 1]) : 0;
}

/* 64 bits from `bit` on, which may be negative: zeros are below the lowest. */
static uint64_t bits_at(const struct whole *x, int bit) {
  uint64_t found = 0;
  for (int k = -1; k <= 2; k++) {
    const int at = (bit + MOST_WORDS * WORD_BITS) / WORD_BITS - MOST_WORDS + k, up = at * WORD_BITS - bit;
    const uint64_t word = at >= 0 && at < x->count ? x->word[at] : 0;
    if (up >= 0 && up < 64) found |= word << up;
    if (up < 0 && up > -WORD_BITS) found |= word >> -up;
  }
  return found;
}

/* True if a bit below `bit` is set. */
static bool has_bits_below(const struct whole *x, int bit) {
  for (int at = 0; at < x->count && at * WORD_BITS < bit; at++) {
    const int left = bit - at * WORD_BITS;
    if (left >= WORD_BITS ? x->word[at] : x->word[at] << (WORD_BITS - left)) return true;
  }
  return false;
}

/* ------------------------------------------------------------------------------------------------------- arithmetic */

static void add_bits(struct whole *x, uint64_t value, int bit) {
  uint64_t carry = 0;
  int at = bit / WORD_BITS;
  const int up = bit % WORD_BITS;
  const uint32_t part[] = {(uint32_t)(value << up), (uint32_t)(value << up >> WORD_BITS),
                           up ? (uint32_t)(value >> (2 * WORD_BITS - up)) : 0};
  for (int k = 0; k < 3 || carry; k++, at++) {
    const uint64_t sum = (at < x->count ? (uint64_t)x->word[at] : 0) + (k < 3 ? part[k] : 0) + carry;
    if (!sum && k < 3) continue;
    while (x->count <= at) x->word[x->count++] = 0;
    x->word[at] = (uint32_t)sum;
    carry = sum >> WORD_BITS;
  }
}

/* The number of limbs, `step` bytes apart, each `width` bits above the one before. */
static void read_limbs(struct whole *x, const char *limbs, int64_t step, int count, int width) {
  int64_t carry = 0;
  for (int j = 0; j < count; j++) carry = (*(const int64_t *)(const void *)(limbs + j * step) + carry) >> width;
  x->count = 0;
  x->negative = carry < 0;
  carry = 0;
  for (int j = 0; j < count; j++) {
    const int64_t limb = *(const int64_t *)(const void *)(limbs + j * step);
    const int64_t value = (x->negative ? -limb : limb) + carry;
    add_bits(x, (uint64_t)value & ((UINT64_C(1) << width) - 1), j * width);
    carry = value >> width;
  }
  if (carry) add_bits(x, (uint64_t)carry, count * width);
  trim(x);
}

static void multiply(struct whole *x, const struct whole *a, const struct whole *b) {
  x->count = a->count + b->count;
  x->negative = a->negative != b->negative;
  for (int i = 0; i < x->count; i++) x->word[i] = 0;
  for (int i = 0; i < a->count; i++) {
    uint64_t carry = 0;
    for (int j = 0; j < b->count; j++) {
      carry += (uint64_t)a->word[i] * b->word[j] + x->word[i + j];
      x->word[i + j] = (uint32_t)carry;
      carry >>= WORD_BITS;
    }
    x->word[i + b->count] = (uint32_t)carry;
  }
  trim(x);
}

/* x -= y, which is not greater. */
static void subtract(struct whole *x, const struct whole *y) {
  int64_t borrow = 0;
  for (int i = 0; i < x->count; i++) {
    const int64_t difference = (int64_t)x->word[i] - (i < y->count ? y->word[i] : 0) + borrow;
    x->word[i] = (uint32_t)difference;
    borrow = difference >> WORD_BITS;
  }
  trim(x);
}

static void shift_left(struct whole *x, int bits) {
  const int words = bits / WORD_BITS, up = bits % WORD_BITS;
  if (!x->count) return;
  x->word[x->count] = 0;
  for (int i = x->count; i >= 0; i--) {
    const uint64_t pair = (uint64_t)x->word[i] << WORD_BITS | (i ? x->word[i - 1] : 0);
    x->word[i + words] = (uint32_t)(pair << up >> WORD_BITS);
  }
  for (int i = 0; i < words; i++) x->word[i] = 0;
  x->count += words + 1;
  trim(x);
}

/* The quotient of x and y, which is not 0; x becomes the rest (Knuth, volume 2, algorithm D). */
static void divide(struct whole *x, const struct whole *y, struct whole *quotient) {
  struct whole by = *y;
  const int up = __builtin_clz(y->word[y->count - 1]), n = y->count;
  quotient->count = 0;
  quotient->negative = x->negative;
  if (x->count < n) return;
  shift_left(&by, up);
  shift_left(x, up);
  x->word[x->count] = 0;
  quotient->count = x->count - n + 1;
  for (int j = quotient->count - 1; j >= 0; j--) {
    const uint64_t top = (uint64_t)x->word[j + n] << WORD_BITS | x->word[j + n - 1];
    uint64_t guess = x->word[j + n] >= by.word[n - 1] ? UINT32_MAX : top / by.word[n - 1],
             rest = top - guess * by.word[n - 1];
    while (n > 1 && rest <= UINT32_MAX && guess * by.word[n - 2] > (rest << WORD_BITS | x->word[j + n - 2]))
      guess--, rest += by.word[n - 1];
    int64_t borrow = 0;
    uint64_t carry = 0;
    for (int i = 0; i <= n; i++) {
      carry += guess * (i < n ? by.word[i] : 0);
      borrow += (int64_t)x->word[i + j] - (int64_t)(uint32_t)carry;
      x->word[i + j] = (uint32_t)borrow;
      borrow >>= WORD_BITS;
      carry >>= WORD_BITS;
    }
    if (borrow < 0) { /* the guess was one too high */
      guess--;
      carry = 0;
      for (int i = 0; i <= n; i++) {
        carry += (uint64_t)x->word[i + j] + (i < n ? by.word[i] : 0);
        x->word[i + j] = (uint32_t)carry;
        carry >>= WORD_BITS;
      }
    }
    quotient->word[j] = (uint32_t)guess;
  }
  x->count = n;
  trim(x);
  trim(quotient);
}

/* --------------------------------------------------------------------------------------------------------- rounding */

static uint64_t format_nan(const struct exact_format *format) {
  return format->infinity | UINT64_C(1) << (format->digits - 2);
}
static uint64_t signed_bits(const struct exact_format *format, uint64_t bits, bool negative) {
  return bits | (uint64_t)negative << (8 * format->bytes - 1);
}

static uint64_t round_bits(const struct exact_format *format, uint64_t top, int exponent, bool rest) {
  return exact_nearest(top, exponent, rest, format->digits, format->least, format->infinity);
}

static uint64_t round_whole(const struct exact_format *format, const struct whole *x, int exponent, bool rest) {
  const int low = bit_count(x) - 64;
  if (!x->count) return 0;
  return round_bits(format, bits_at(x, low), exponent + low, rest || has_bits_below(x, low));
}

/* The quotient, or its root, with enough bits to be rounded. `rest`: there are more. */
static void quotient_of(struct whole *x, const struct whole *by, bool is_root, int *exponent, bool *rest) {
  enum { ENOUGH = 128 };
  struct whole quotient;
  int up = ENOUGH + bit_count(by) - bit_count(x);
  if (up < 0) up = 0;
  if (is_root && (*exponent - up) & 1) up++;
  shift_left(x, up);
  *exponent -= up;
  divide(x, by, &quotient);
  *rest = x->count != 0;
  *x = quotient;
}

/* Floor of the root of x * 2^exponent, which is even; 62 bits of it. */
static void root_of(struct whole *x, int *exponent, bool *rest) {
  enum { PAIRS = 62 };
  int low = bit_count(x) - 2 * PAIRS;
  uint64_t root = 0, left = 0;
  if (low < 0) low = 0;
  if ((*exponent + low) & 1) low++;
  for (int k = PAIRS - 1; k >= 0; k--) {
    left = left << 2 | (bits_at(x, low + 2 * k) & 3);
    const uint64_t trial = root << 2 | 1;
    root <<= 1;
    if (left >= trial) left -= trial, root |= 1;
  }
  *rest = *rest || left || has_bits_below(x, low);
  *exponent = (*exponent + low) / 2;
  *x = (struct whole){.count = 0};
  add_bits(x, root, 0);
}

/* A divisor as a whole number times 2^*exponent. */
static void whole_of_double(struct whole *x, double value, int *exponent) {
  const double digits = frexp(value, exponent) * 0x1p53;
  *exponent -= 53;
  *x = (struct whole){.count = 0};
  add_bits(x, (uint64_t)digits, 0);
}

/* ---------------------------------------------------------------------------------------------------------- results */

enum { MOST_PARTS = 96 }; /* of a sum */
struct finishing {
  const struct exact_plan *plan;
  struct exact_format format;
  bool has_parts;
  double scale[2]; /* of the first two parts: to whole numbers */
};

static void whole_of_count(struct whole *x, int64_t count) {
  *x = (struct whole){.count = 0};
  if (count > 0) add_bits(x, (uint64_t)count, 0);
}

/* The bits of sum * 2^exponent, of a mean divided by count: NaN of no elements. */
static uint64_t sum_of(const struct exact_format *format, enum exact_result result, struct whole *sum, int exponent,
                       int64_t count) {
  const bool negative = sum->negative;
  struct whole by;
  bool rest = false;
  whole_of_count(&by, count);
  if (result == EXACT_MEAN && !by.count) return format_nan(format);
  if (result == EXACT_MEAN && sum->count) quotient_of(sum, &by, false, &exponent, &rest);
  return signed_bits(format, round_whole(format, sum, exponent, rest), negative);
}

/* The bits of (n * squares - sum^2) / (n * divisor), or of its root. */
static uint64_t spread_of(const struct finishing *f, const struct whole *sum, const struct whole *squares,
                          int64_t count, double divisor) {
  const bool is_root = f->plan->result == EXACT_DEVIATION;
  const uint64_t nan = format_nan(&f->format);
  struct whole n, x, squared, by, whole_by;
  int exponent = 2 * f->plan->exponent, of_divisor;
  bool rest = false;
  whole_of_count(&n, count);
  if (isnan(divisor) || !n.count) return nan;
  multiply(&x, &n, squares);
  multiply(&squared, sum, sum);
  subtract(&x, &squared);
  if (divisor <= 0) return x.count ? f->format.infinity : nan;
  if (!x.count || isinf(divisor)) return 0;
  whole_of_double(&whole_by, divisor, &of_divisor);
  multiply(&by, &n, &whole_by);
  exponent -= of_divisor;
  quotient_of(&x, &by, is_root, &exponent, &rest);
  if (is_root) root_of(&x, &exponent, &rest);
  return round_whole(&f->format, &x, exponent, rest);
}

static void store_bits(char *to, int bytes, uint64_t bits) {
  if (bytes == 8)
    *(uint64_t *)(void *)to = bits;
  else if (bytes == 4)
    *(uint32_t *)(void *)to = (uint32_t)bits;
  else
    *(uint16_t *)(void *)to = (uint16_t)bits;
}

/* Shifts words, of which one is not 0, to the left until the highest bit is set. Returns by how many bits. */
static int normalise(uint64_t word[2]) {
  const int up = word[1] ? __builtin_clzll(word[1]) : 64 + __builtin_clzll(word[0]);
  if (up >= 64)
    word[1] = word[0] << (up - 64), word[0] = 0;
  else if (up)
    word[1] = word[1] << up | word[0] >> (64 - up), word[0] <<= up;
  return up;
}

/* Divides the words, normalised, by a count below 2^32; sets *rest if there is one. Returns the exponent of the
   quotient, of 128 bits, beside theirs. */
static int divide_words(uint64_t word[2], uint64_t count, bool *rest) {
  uint64_t left = 0, quotient[5];
  for (int k = 0; k < 5; k++) { /* 32 zeros follow */
    const uint64_t part = k < 4 ? word[1 - k / 2] >> (k % 2 ? 0 : 32) & UINT32_MAX : 0;
    left = left << 32 | part;
    quotient[k] = left / count;
    left %= count;
  }
  const int first = quotient[0] == 0;
  word[1] = quotient[first] << 32 | quotient[first + 1];
  word[0] = quotient[first + 2] << 32 | quotient[first + 3];
  *rest = left != 0 || (!first && quotient[4]);
  return -32 * first;
}

/* The sum or mean of one or two limbs, which fit into 128 bits, for counts below 2^32. */
static uint64_t small_result(const struct finishing *f, int64_t first, int64_t second, int64_t count) {
  const int width = f->plan->width;
  const uint64_t lifted = (uint64_t)second << width, low = lifted + (uint64_t)first;
  const uint64_t high = (uint64_t)(second >> (64 - width)) + (first < 0 ? UINT64_MAX : 0) + (low < lifted);
  const bool negative = high >> 63;
  uint64_t word[2] = {negative ? 0 - low : low, negative ? ~high + (low == 0) : high};
  int exponent = f->plan->exponent;
  bool rest = false;
  if (!(word[0] | word[1])) return 0;
  exponent -= normalise(word);
  if (f->plan->result == EXACT_MEAN) {
    exponent += divide_words(word, (uint64_t)count, &rest);
    exponent -= normalise(word);
  }
  const uint64_t bits = round_bits(&f->format, word[1], exponent + 64, rest || word[0]);
  return signed_bits(&f->format, bits, negative);
}

static const void *element_of(const struct row *row, enum exact_operand operand, int64_t i) {
  return row->address[operand] + i * row->step_bytes[operand];
}

/* The bits of the sum of three parts / count, if they are certain: if all that lies within the bounds of the errors is
   rounded to the same float. */
static bool round_parts(const struct finishing *f, const double part[3], int64_t count, uint64_t *bits) {
  double low_rest, rest;
  const double low = add_wholly(part[0], part[1], &low_rest), sum = add_wholly(low, part[2], &rest);
  const double n = (double)count, near = sum / n, left = fma(-near, n, sum), lost = rest + low_rest;
  const double error = (left + lost) / n, slack = (fabs(left) + fabs(lost)) / n * 0x1p-50;
  const double least = near + (error - slack), most = near + (error + slack);
  if (count <= 0 || count > (int64_t)1 << 52) return false;
  if (f->format.bytes == 8) return *bits = bits_of_double(least), least == most;
  const float lower = (float)(least * (1 - 0x1p-50)), upper = (float)(most * (1 + 0x1p-50));
  return *bits = bits_of_float(lower), f->format.bytes == 4 && lower == upper;
}

/* The sum or mean of parts. */
static uint64_t result_of_parts(const struct finishing *f, const char *parts, int64_t count) {
  const struct exact_plan *plan = f->plan;
  const int64_t step = plan->step * (int64_t)sizeof(double);
  const bool divides = plan->result == EXACT_MEAN;
  int64_t limbs[MOST_PARTS];
  struct whole sum;
  if (plan->limbs <= 3) {
    double part[3] = {0};
    uint64_t bits;
    for (int k = 0; k < plan->limbs; k++) part[k] = *(const double *)(const void *)(parts + k * step);
    if (round_parts(f, part, divides ? count : 1, &bits)) return bits;
    if (plan->limbs <= 2 && (!divides || (count > 0 && count <= UINT32_MAX)))
      return small_result(f, (int64_t)(part[0] * f->scale[0]), (int64_t)(part[1] * f->scale[1]), count);
  }
  for (int k = 0; k < plan->limbs; k++)
    limbs[k] = (int64_t)ldexp(*(const double *)(const void *)(parts + k * step), -plan->exponent - k * plan->width);
  read_limbs(&sum, (const char *)limbs, sizeof *limbs, plan->limbs, plan->width);
  return sum_of(&f->format, plan->result, &sum, plan->exponent, count);
}

/* The bits of result i of a row. */
static uint64_t result_at(const struct finishing *f, const struct row *row, int64_t i) {
  const struct exact_plan *plan = f->plan;
  const int64_t step = plan->step * (int64_t)sizeof(int64_t),
                count = *(const int64_t *)element_of(row, EXACT_COUNTS, i);
  const char *limbs = element_of(row, EXACT_LIMBS, i);
  const bool is_spread = exact_is_spread(plan->result), divides = plan->result == EXACT_MEAN;
  struct whole sum, squares;
  if (f->has_parts) return result_of_parts(f, limbs, count);
  if (plan->limbs <= 2 && !is_spread && (!divides || (count > 0 && count <= UINT32_MAX))) {
    const int64_t second = plan->limbs == 2 ? *(const int64_t *)(const void *)(limbs + step) : 0;
    return small_result(f, *(const int64_t *)(const void *)limbs, second, count);
  }
  read_limbs(&sum, limbs, step, plan->limbs, plan->width);
  if (!is_spread) return sum_of(&f->format, plan->result, &sum, plan->exponent, count);
  read_limbs(&squares, limbs + plan->limbs * step, step, plan->square_limbs, plan->width);
  return spread_of(f, &sum, &squares, count, *(const double *)element_of(row, EXACT_DIVISORS, i));
}

/* True of results that are rounded together: sums of up to three parts. */
static bool round_row(const struct finishing *f, const struct row *row) {
  const struct exact_plan *plan = f->plan;
  const double *first = (const void *)row->address[EXACT_LIMBS];
  const bool is_adjacent =
      row->step_bytes[EXACT_OUT] == f->format.bytes && row->step_bytes[EXACT_LIMBS] == sizeof *first;
  if (!f->has_parts || plan->result != EXACT_SUM || plan->limbs > 3 || f->format.bytes == 2 || !is_adjacent)
    return false;
  kernels_of(plan->plan.operands[EXACT_OUT].dtype)
      ->round(row->count, first, plan->step, plan->limbs, row->address[EXACT_OUT]);
  return true;
}

static void finish_visit(void *finishing, const struct row *row) {
  const struct finishing *f = finishing;
  if (round_row(f, row)) return;
  for (int64_t i = 0; i < row->count; i++)
    store_bits(row->address[EXACT_OUT] + i * row->step_bytes[EXACT_OUT], f->format.bytes, result_at(f, row, i));
}

strew_status cpu_exact(const struct call *call, strew_device *device, const struct exact_plan *plan) {
  enum { WORK = 64 }; /* bytes read in the time of a result */
  const strew_dtype dtype = plan->plan.operands[EXACT_OUT].dtype;
  struct finishing finishing = {.plan = plan, .format = exact_format_of(dtype)};
  finishing.has_parts = plan->plan.operands[EXACT_LIMBS].dtype == STREW_FLOAT64;
  for (int k = 0; k < 2 && finishing.has_parts; k++) finishing.scale[k] = ldexp(1, -plan->exponent - k * plan->width);
  walk_rows_sized(device->context, &plan->plan, plan_numel(&plan->plan) * WORK * (plan->limbs + plan->square_limbs),
                  CHUNK, finish_visit, &finishing);
  return context_end(call, device->context, plan->plan.operands[EXACT_OUT].storage);
}

/* ------------------------------------------------------------------------------------------------------------ lines */

/* A sum of doubles: 32 bits in each of the chunks, from 2^-1074 on, and room for carries. Only chunks first .. last are
   in use. `other`: there was a term that is not -0. */
enum { CHUNK_BITS = 32, CHUNKS = (2098 + 64) / CHUNK_BITS + 3, MOST_ADDED = 1 << 29 };
struct accumulator {
  int64_t chunk[CHUNKS];
  int first, last, added;
  unsigned kinds;
  bool any, other;
};

static void carry(struct accumulator *a) {
  for (int k = a->first; k < CHUNKS - 1 && k <= a->last; k++) {
    const int64_t high = a->chunk[k] >> CHUNK_BITS;
    if (k == a->last && high == -1) break; /* the sign stays in the last chunk */
    a->chunk[k] -= high * ((int64_t)1 << CHUNK_BITS);
    a->chunk[k + 1] += high;
    if (high && k == a->last && k < CHUNKS - 2) a->last++;
  }
  a->added = 0;
}

static void add_double(struct accumulator *a, double x) {
  const uint64_t bits = bits_of_double(x), digits = exact_digits_f64(bits);
  const int place = exact_place_f64(bits), at = place / CHUNK_BITS, up = place % CHUNK_BITS;
  const int64_t sign = bits >> 63 ? -1 : 1;
  if (!digits) return;
  const uint64_t low = digits << up, high = up ? digits >> (64 - up) : 0;
  a->chunk[at] += sign * (int64_t)(low & UINT32_MAX);
  a->chunk[at + 1] += sign * (int64_t)(low >> CHUNK_BITS);
  a->chunk[at + 2] += sign * (int64_t)high;
  if (at < a->first) a->first = at;
  if (at + 2 > a->last) a->last = at + 2;
  if (++a->added == MOST_ADDED) carry(a);
}

static void add_term(struct accumulator *a, double x) {
  if (isfinite(x))
    add_double(a, x);
  else
    a->kinds |= isnan(x) ? EXACT_NAN : x > 0 ? EXACT_POSITIVE : EXACT_NEGATIVE;
}

/* Adds `count` elements, at most a block, of the computed dtype. */
static void add_block(struct accumulator *a, const struct exact_kernels *kernels, strew_dtype dtype, int64_t count,
                      const void *x) {
  double parts[EXACT_PARTS];
  const bool is_done = kernels->block(count, x, parts);
  for (int k = 0; is_done && k < EXACT_PARTS; k++) {
    add_double(a, parts[k]);
    a->other = a->other || parts[k] != 0;
  }
  for (int64_t i = 0; i < count && !(is_done && a->other); i++) {
    const double value = dtype == STREW_FLOAT64 ? ((const double *)x)[i] : (double)((const float *)x)[i];
    a->other = a->other || value != 0 || !signbit(value);
    if (!is_done) add_term(a, value);
  }
}

struct adding {
  strew_context *context;
  const struct exact_lines_plan *plan;
  const struct exact_kernels *kernels;
  strew_dtype compute;
  convert_row *convert; /* NULL: elements are computed as they are */
  struct exact_format format;
  int from_bytes;
  int64_t length, parts;
  struct accumulator *accumulators; /* of a line's parts */
  const char *line;
};

static void add_part(const struct adding *adding, struct accumulator *a, const char *x, int64_t count) {
  double block[EXACT_BLOCK];
  *a = (struct accumulator){.first = CHUNKS, .last = -1, .any = count > 0};
  for (int64_t n; count > 0 && !context_stops(adding->context); count -= n, x += n * adding->from_bytes) {
    n = least(count, EXACT_BLOCK);
    if (adding->convert) adding->convert(n, (char *)block, sizeof(float), x, adding->from_bytes);
    add_block(a, adding->kernels, adding->compute, n, adding->convert ? (const char *)block : x);
  }
}

static void merge(struct accumulator *a, struct accumulator *b) {
  carry(b);
  for (int k = b->first; k <= b->last; k++) a->chunk[k] += b->chunk[k];
  if (b->first < a->first) a->first = b->first;
  if (b->last > a->last) a->last = b->last;
  a->kinds |= b->kinds;
  a->other = a->other || b->other;
  a->any = a->any || b->any;
  carry(a);
}

static uint64_t result_of(const struct adding *adding, const struct accumulator *a) {
  const struct exact_format *format = &adding->format;
  const unsigned endless = a->kinds;
  struct whole sum = {.count = 0};
  int exponent = -1074;
  if (endless & EXACT_NAN || (endless & EXACT_INFINITIES) == EXACT_INFINITIES) return format_nan(format);
  if (endless) return signed_bits(format, format->infinity, endless & EXACT_NEGATIVE);
  if (a->last >= a->first) {
    read_limbs(&sum, (const char *)(a->chunk + a->first), sizeof *a->chunk, a->last - a->first + 1, CHUNK_BITS);
    exponent += a->first * CHUNK_BITS;
  }
  if (!sum.count) return signed_bits(format, 0, a->any && !a->other);
  return sum_of(format, adding->plan->result, &sum, exponent, adding->length);
}

static void part_visit(void *adding_, int64_t part) {
  const struct adding *adding = adding_;
  const int64_t begin = part_begin(adding->length, adding->parts, part);
  const int64_t end = part_begin(adding->length, adding->parts, part + 1);
  add_part(adding, &adding->accumulators[part], adding->line + begin * adding->from_bytes, end - begin);
}

static void line_visit(void *adding_, int64_t line) {
  const struct adding *adding = adding_;
  const struct plan *plan = &adding->plan->plan;
  struct accumulator a;
  add_part(adding, &a, operand_at(plan, 1, line * adding->length), adding->length);
  store_bits(operand_at(plan, 0, line * adding->length), adding->format.bytes, result_of(adding, &a));
}

/* Lines are shared by threads; few ones in parts. */
strew_status cpu_exact_lines(const struct call *call, strew_device *device, const struct exact_lines_plan *lines) {
  enum { MOST_SHARES = 64 };
  const struct plan *plan = &lines->plan;
  const strew_dtype dtype = plan->operands[1].dtype, compute = dtype_wide(dtype), out = plan->operands[0].dtype;
  strew_context *context = device->context;
  static const struct accumulator nothing = {.first = CHUNKS, .last = -1};
  struct accumulator accumulators[MOST_SHARES];
  struct adding adding = {.context = context,
                          .plan = lines,
                          .kernels = kernels_of(compute),
                          .compute = compute,
                          .convert = dtype == compute ? NULL : converter(compute, dtype),
                          .format = exact_format_of(out),
                          .from_bytes = (int)dtype_bytes(dtype),
                          .length = plan->sizes[plan->rank - 1],
                          .accumulators = accumulators};
  const int64_t count = plan_numel(plan) / adding.length, bytes = work_bytes(plan_numel(plan), dtype_bytes(dtype));
  const int64_t parts = pool_parts_light(context, bytes);
  if (count >= parts) {
    pool_run_items(context, parts, count, line_visit, &adding);
    return context_end(call, context, plan->operands[0].storage);
  }
  adding.parts = least(parts, MOST_SHARES);
  for (int64_t i = 0; i < count && !context_stops(context); i++) {
    adding.line = operand_at(plan, 1, i * adding.length);
    for (int64_t k = 0; k < adding.parts; k++) accumulators[k] = nothing; /* a call that stops leaves parts out */
    pool_run(context, adding.parts, part_visit, &adding);
    for (int64_t k = 1; k < adding.parts; k++) merge(&accumulators[0], &accumulators[k]);
    store_bits(operand_at(plan, 0, i * adding.length), adding.format.bytes, result_of(&adding, &accumulators[0]));
  }
  return context_end(call, context, plan->operands[0].storage);
}

/* ----------------------------------------------------------------------------------------------------------- survey */

struct surveying {
  const struct exact_kernels *kernels;
  convert_row *convert;
  int64_t bytes; /* of an element that is surveyed */
  bool converts;
  _Atomic int low, top;
  _Atomic unsigned kinds;
};

static void survey_visit(void *surveying_, const struct row *row) {
  struct surveying *surveying = surveying_;
  double block[EXACT_BLOCK];
  const void *elements = row->address[0];
  struct exact_survey found;
  if (surveying->converts || row->step_bytes[0] != surveying->bytes) {
    surveying->convert(row->count, (char *)block, surveying->bytes, row->address[0], row->step_bytes[0]);
    elements = block;
  }
  surveying->kernels->survey(row->count, elements, &found);
  int low = atomic_load(&surveying->low), top = atomic_load(&surveying->top);
  while (found.low < low && !atomic_compare_exchange_weak(&surveying->low, &low, found.low)) continue;
  while (found.top > top && !atomic_compare_exchange_weak(&surveying->top, &top, found.top)) continue;
  if (found.kinds) atomic_fetch_or(&surveying->kinds, found.kinds);
}

strew_status cpu_survey(const struct call *call, strew_device *device, const struct plan *plan,
                        struct exact_survey *out) {
  const strew_dtype dtype = plan->operands[0].dtype, compute = dtype_wide(dtype);
  struct surveying surveying = {.kernels = kernels_of(compute),
                                .convert = converter(compute, dtype),
                                .bytes = (int64_t)dtype_bytes(compute),
                                .converts = dtype != compute};
  atomic_init(&surveying.low, EXACT_NONE);
  atomic_init(&surveying.top, -1);
  walk_rows_parallel(device->context, plan, EXACT_BLOCK, survey_visit, &surveying);
  *out = (struct exact_survey){surveying.low, surveying.top, surveying.kinds};
  return context_end(call, device->context, NULL);
}
