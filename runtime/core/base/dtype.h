/* dtype.h: dtypes and reductions by number (dtype.c); conversion of single numbers and words to them (convert.c). */
#ifndef STREW_DTYPE_H
#define STREW_DTYPE_H

#include "call.h"
#include "runtime/core/shared/tables.h"

/* Dtypes whose elements are no numbers. enumerator; name; the dtype as which they are stored: its loops move them, for
   plans have that dtype, and no call but those that name operands with MOVED lets them pass (call.h). */
#define STREW_STORED_DTYPES(X) X(TIME, "time", INT64) X(TEXT, "text", INT32)

enum category { BOOLEAN, INTEGER, FLOATING, NO_NUMBER };

enum category dtype_category(strew_dtype dtype);
static inline bool dtype_is_float(strew_dtype dtype) { return dtype_category(dtype) == FLOATING; }
static inline bool dtype_is_half(strew_dtype dtype) { return dtype == STREW_FLOAT16 || dtype == STREW_BFLOAT16; }
static inline bool dtype_is_number(strew_dtype dtype) { return dtype < STREW_DTYPE_COUNT; }
/* The dtype of numbers as which elements are stored. */
static inline strew_dtype dtype_stored(strew_dtype dtype) {
#define ROW(ENUM, name, STORED) [STREW_##ENUM - STREW_DTYPE_COUNT] = STREW_##STORED,
  static const unsigned char stored[] = {STREW_STORED_DTYPES(ROW)};
#undef ROW
  return dtype_is_number(dtype) ? dtype : (strew_dtype)stored[dtype - STREW_DTYPE_COUNT];
}
/* strew_dtype_size_bytes of a known dtype; inline, for every address calculation uses it. */
static inline size_t dtype_bytes(strew_dtype dtype) {
#define ROW(ENUM, s, name, stored, ...) [STREW_##ENUM] = sizeof(stored),
  static const unsigned char bytes[] = {STREW_DTYPES(ROW)};
#undef ROW
  return bytes[dtype_stored(dtype)];
}
/* Binary digits of a float dtype's significand: it holds all whole numbers up to 2^digits; 0 for other dtypes. */
static inline int dtype_digits(strew_dtype dtype) {
#define ROW(ENUM, s, name, stored, bits, wide, wrap, category, digits, ...) [STREW_##ENUM] = digits,
  static const unsigned char all_digits[] = {STREW_DTYPES(ROW)};
#undef ROW
  return all_digits[dtype_stored(dtype)];
}
/* Computed dtype: float32 for 16-bit floats, int32 for uint16, int64 for uint32, else the dtype itself. */
static inline strew_dtype dtype_wide(strew_dtype dtype) {
  if (dtype == STREW_UINT16) return STREW_INT32;
  return dtype_is_half(dtype) ? STREW_FLOAT32 : dtype == STREW_UINT32 ? STREW_INT64 : dtype;
}
/* True for integers that float32 does not hold: of 32 and 64 bits. */
static inline bool dtype_is_long(strew_dtype dtype) {
  return dtype_category(dtype) == INTEGER && dtype_bytes(dtype) >= sizeof(int32_t);
}
/* The float dtype for fractions of integers. */
static inline strew_dtype dtype_of_fractions(strew_dtype dtype) {
  return dtype_is_long(dtype) ? STREW_FLOAT64 : STREW_FLOAT32;
}
static inline bool dtype_is_unsigned(strew_dtype dtype) {
  return dtype == STREW_UINT8 || (dtype >= STREW_UINT16 && dtype <= STREW_UINT64);
}
/* The signed integer of an unsigned one's width, else the dtype itself: its loops serve both wherever the sign does not
   matter. */
static inline strew_dtype dtype_signed(strew_dtype dtype) {
  static const unsigned char of[] = {[STREW_UINT8] = STREW_INT8,
                                     [STREW_UINT16] = STREW_INT16,
                                     [STREW_UINT32] = STREW_INT32,
                                     [STREW_UINT64] = STREW_INT64};
  return dtype_is_unsigned(dtype) ? (strew_dtype)of[dtype] : dtype;
}
/* What turns the order of an unsigned integer's bits, read as signed ones, into its own: the sign bit; 0 for others. */
static inline uint64_t dtype_sign(strew_dtype dtype) {
  return dtype_is_unsigned(dtype) ? UINT64_C(1) << (8 * dtype_bytes(dtype) - 1) : 0;
}
/* The bits to invert in integers, read as signed ones of their width, so that the greatest one is wanted: the sign bit of
   unsigned ones, and all bits where the least one is. Above the width it repeats the sign bit, as widened elements do. */
static inline int64_t order_flip(strew_dtype dtype, bool is_least) {
  const int64_t flip = (int64_t)(0 - dtype_sign(dtype));
  return is_least ? ~flip : flip;
}
/* The dtype of sums, products and their like of elements: a float's own, uint64, or int64. */
static inline strew_dtype dtype_sums(strew_dtype dtype) {
  return dtype_is_float(dtype) || dtype == STREW_UINT64 ? dtype : STREW_INT64;
}
/* The same in tables: of all unsigned integers uint64. */
static inline strew_dtype dtype_table_sums(strew_dtype dtype) {
  return dtype_is_unsigned(dtype) ? STREW_UINT64 : dtype_sums(dtype);
}
/* True if `to` is a 16-bit float that cannot hold all elements of dtype `from`. */
static inline bool dtype_narrows(strew_dtype from, strew_dtype to) {
  return dtype_is_half(to) && from != to && (dtype_is_float(from) || dtype_bytes(from) > 1);
}
/* The name of a reduction; NULL for an unknown one. */
const char *reduction_name(strew_reduction reduction);
/* Words for a reduction, its name first; NULL after the last. */
enum { WORDS_PER_REDUCTION = 3 };
const char *reduction_word(strew_reduction reduction, int which);
/* True if the bits of a float result depend on the order of joining. */
bool reduction_is_ordered(strew_reduction reduction);
/* True if 16-bit floats are joined as float32, and rounded once at the end. */
bool reduction_widens_halves(strew_reduction reduction);
/* The dtype of the loops and kernels in which elements join: signed integers' serve unsigned ones, but for extremes and
   the division of a mean. */
static inline strew_dtype dtype_joined(strew_dtype dtype, strew_reduction reduction) {
  const bool is_signless = reduction == STREW_SUM || reduction == STREW_PROD || reduction == STREW_ASSIGN;
  return is_signless ? dtype_signed(dtype) : dtype;
}
/* The promoted dtype of two tensors (strew_dtype in strew.h has the rule). */
strew_dtype dtype_promote(strew_dtype a, strew_dtype b);
/* True of uint64 and signed integers, which no integer dtype holds both. */
static inline bool dtypes_mix(strew_dtype a, strew_dtype b) {
  return (a == STREW_UINT64 || b == STREW_UINT64) && !dtype_is_float(a) && !dtype_is_float(b) &&
         dtype_is_float(dtype_promote(a, b));
}
/* True if the promoted dtype of both is `dtype`. */
static inline bool dtype_holds(strew_dtype dtype, strew_dtype other) {
  return dtype == other || (dtype_is_number(dtype) && dtype_promote(dtype, other) == dtype);
}
/* The promoted dtype of dtype (-1: none) and a number: the number's if its category is higher. */
strew_dtype dtype_with_number(int dtype, strew_scalar number);
/* The promoted dtype of `count` operands: of the tensors, of any rank, then of the numbers. */
strew_dtype dtype_of_operands(int count, const strew_operand *operands);

/* ------------------------------------------------------------------------------------------------------- convert.c */

/* An element of any dtype, in the first bytes. */
union element {
  unsigned char bytes[8];
  int64_t i64;
  double f64;
};
enum { IS_LITTLE_ENDIAN = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ };
strew_status check_dtype(const struct call *call, strew_dtype dtype);        /* fails for an unknown one */
strew_status check_number_dtype(const struct call *call, strew_dtype dtype); /* and for one without numbers */
/* Fails unless a number is one of strew.h: a bool, int64 or float64. */
strew_status check_scalar(const struct call *call, const char *argument, strew_scalar number);
static inline strew_status check_operand(const struct call *call, const char *argument, strew_operand operand) {
  return operand.tensor ? STREW_OK : check_scalar(call, argument, operand.number);
}
/* See text_ops: fails in a build without them. */
strew_status check_comparable(const struct call *call, const char *name, strew_dtype dtype, strew_operand *x);
strew_status element_from(const struct call *call, const char *argument, strew_scalar number, strew_conversion how,
                          strew_dtype dtype, union element *out);
/* Identity of a reduction, as an element. */
union element element_identity(strew_reduction reduction, strew_dtype dtype);

/* A list of functions, or of other names, by dtype: without unsigned integers, and with them. */
#define SIGNED_BY_DTYPE(name)                                                                                          \
  [STREW_FLOAT32] = name##_f32, [STREW_FLOAT64] = name##_f64, [STREW_FLOAT16] = name##_f16,                            \
  [STREW_BFLOAT16] = name##_bf16, [STREW_INT64] = name##_i64, [STREW_INT32] = name##_i32, [STREW_INT16] = name##_i16,  \
  [STREW_INT8] = name##_i8, [STREW_BOOL] = name##_b8
#define BY_DTYPE(name)                                                                                                 \
  SIGNED_BY_DTYPE(name), [STREW_UINT8] = name##_u8, [STREW_UINT16] = name##_u16, [STREW_UINT32] = name##_u32,          \
                         [STREW_UINT64] = name##_u64

/* Writes the number, saturated in range, as an element of a known dtype. */
void dtype_saturate(strew_scalar number, strew_dtype dtype, void *element);
/* An element of uint64, whose dtype a number has only above INT64_MAX. */
static inline strew_scalar unsigned_number(uint64_t value) {
  strew_scalar number = strew_int((int64_t)value);
  if (value > INT64_MAX) number.dtype = STREW_UINT64;
  return number;
}
/* The element of a dtype of numbers. */
strew_scalar dtype_load(strew_dtype dtype, const void *element);

#endif
