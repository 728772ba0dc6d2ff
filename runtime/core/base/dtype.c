/* dtype.c: rows of the tables of dtypes and reductions, by number; type promotion. */
#include "dtype.h"
#include "context.h"
#include "runtime/core/shared/scalar.h"

#include <string.h>

static const struct {
  const char *name;
  enum category category;
} dtypes[] = {
#define ROW(ENUM, s, name, stored, bits, wide, wrap, category, ...) [STREW_##ENUM] = {name, category},
    STREW_DTYPES(ROW)
#undef ROW
#define ROW(ENUM, name, ...) [STREW_##ENUM] = {name, NO_NUMBER},
        STREW_STORED_DTYPES(ROW)
#undef ROW
};
_Static_assert(sizeof dtypes / sizeof *dtypes == STREW_DTYPE_END, "strew.h and the dtype tables differ");

static const struct {
  const char *words[WORDS_PER_REDUCTION];
  bool is_ordered;
  enum { BITS, SUMS, PAIRS, COMPUTED, OWN } loops;
} reductions[] = {
#define ROW(ENUM, r, name, second, third, ordered, identity, joined, loops)                                            \
  [STREW_##ENUM] = {{name, second, third}, ordered, loops},
    STREW_REDUCTIONS(ROW)};
_Static_assert(sizeof reductions / sizeof *reductions == STREW_REDUCTION_COUNT,
               "strew.h and the reduction table differ");

size_t strew_dtype_size_bytes(strew_dtype dtype) { return (unsigned)dtype < STREW_DTYPE_END ? dtype_bytes(dtype) : 0; }
const char *strew_dtype_name(strew_dtype dtype) {
  return (unsigned)dtype < STREW_DTYPE_END ? dtypes[dtype].name : NULL;
}
const char *reduction_name(strew_reduction reduction) {
  return (unsigned)reduction < STREW_REDUCTION_COUNT ? reductions[reduction].words[0] : NULL;
}
const char *reduction_word(strew_reduction reduction, int which) {
  return which < WORDS_PER_REDUCTION ? reductions[reduction].words[which] : NULL;
}

bool reduction_is_ordered(strew_reduction reduction) { return reductions[reduction].is_ordered; }
bool reduction_widens_halves(strew_reduction reduction) {
  return reductions[reduction].loops != BITS && reductions[reduction].loops != OWN;
}
enum category dtype_category(strew_dtype dtype) { return dtypes[dtype].category; }

/* --------------------------------------------------------------------------------------------------- promotion */

/* The higher category wins; the wider float wins, and the two 16-bit floats give float32. The wider integer wins, but
   an unsigned one gives a signed one of twice its width, and uint64 float64, if the other one is signed. */
strew_dtype dtype_promote(strew_dtype a, strew_dtype b) {
  static const strew_dtype next[] = {[1] = STREW_INT16, [2] = STREW_INT32, [4] = STREW_INT64, [8] = STREW_FLOAT64};
  if (a == b) return a;
  if (dtypes[a].category != dtypes[b].category) return dtypes[a].category > dtypes[b].category ? a : b;
  const strew_dtype wider = dtype_bytes(a) > dtype_bytes(b) ? a : b;
  if (dtypes[a].category == FLOATING) return dtype_bytes(a) == dtype_bytes(b) ? STREW_FLOAT32 : wider;
  if (dtype_is_unsigned(a) == dtype_is_unsigned(b)) return wider;
  const size_t bytes = dtype_bytes(dtype_is_unsigned(a) ? a : b), others = dtype_bytes(dtype_is_unsigned(a) ? b : a);
  return others > bytes ? wider : next[bytes];
}

strew_dtype dtype_with_number(int dtype, strew_scalar number) {
  const strew_dtype its = number.dtype == STREW_FLOAT64 ? STREW_FLOAT32 : number.dtype;
  return dtype < 0 || dtypes[its].category > dtypes[dtype].category ? its : (strew_dtype)dtype;
}

strew_dtype dtype_of_operands(int count, const strew_operand *operands) {
  int dtype = -1;
  for (int i = 0; i < count; i++) {
    const strew_tensor *tensor = operands[i].tensor;
    if (tensor) dtype = (int)(dtype < 0 ? tensor->dtype : dtype_promote((strew_dtype)dtype, tensor->dtype));
  }
  for (int i = 0; i < count; i++)
    if (!operands[i].tensor) dtype = (int)dtype_with_number(dtype, operands[i].number);
  return (strew_dtype)dtype;
}

void dtype_saturate(strew_scalar number, strew_dtype dtype, void *element) {
  switch (dtype_stored(dtype)) {
#define CASE(ENUM, s, ...)                                                                                             \
  case STREW_##ENUM: {                                                                                                 \
    T_##s value = number.dtype == STREW_FLOAT64  ? s##_from_f64(number.as.f)                                           \
                  : number.dtype == STREW_UINT64 ? s##_from_u64((uint64_t)number.as.i)                                 \
                                                 : s##_from_i64(number.as.i);                                          \
    memcpy(element, &value, sizeof value);                                                                             \
    break;                                                                                                             \
  }
    STREW_DTYPES(CASE)
#undef CASE
  default: break;
  }
}

strew_scalar dtype_load(strew_dtype dtype, const void *element) {
  switch (dtype) {
#define CASE(ENUM, s, name, stored, bits, wide, wrap, category, ...)                                                   \
  case STREW_##ENUM: {                                                                                                 \
    T_##s value;                                                                                                       \
    memcpy(&value, element, sizeof value);                                                                             \
    if (category == FLOATING) return strew_float((double)load_##s(value));                                             \
    if (STREW_##ENUM == STREW_UINT64) return unsigned_number((uint64_t)value);                                         \
    return category == BOOLEAN ? strew_bool(load_##s(value) != 0) : strew_int((int64_t)load_##s(value));               \
  }
    STREW_DTYPES(CASE)
#undef CASE
  default: break;
  }
  return strew_int(0);
}
