/* dtype.c: rows of the tables of dtypes and reductions, by number; type promotion. */
#include "dtype.h"
#include "context.h"
#include "runtime/shared/scalar.h"

#include <stdio.h>
#include <string.h>

struct dtype_row {
  const char *name;
  enum category category;
};

static const struct dtype_row dtypes[] = {
#define ROW(ENUM, s, name, stored, bits, wide, wrap, category, ...) [STREW_##ENUM] = {name, category},
    STREW_DTYPES(ROW)
#undef ROW
};
_Static_assert(sizeof dtypes / sizeof *dtypes == STREW_DTYPE_COUNT, "strew.h and the dtype table differ");

static const char *const reductions[][WORDS_PER_REDUCTION] = {
#define ROW(ENUM, r, name, second, third, ordered, ...) [STREW_##ENUM] = {name, second, third},
    STREW_REDUCTIONS(ROW)
#undef ROW
};
_Static_assert(sizeof reductions / sizeof *reductions == STREW_REDUCTION_COUNT,
               "strew.h and the reduction table differ");

static const char *const modes[] = {
    [STREW_ERROR] = "error", [STREW_WRAP] = "wrap", [STREW_CLIP] = "clip", [STREW_DROP] = "drop"};

const char *strew_dtype_name(strew_dtype dtype) {
  return (unsigned)dtype < STREW_DTYPE_COUNT ? dtypes[dtype].name : NULL;
}
size_t strew_dtype_size_bytes(strew_dtype dtype) {
  return (unsigned)dtype < STREW_DTYPE_COUNT ? dtype_bytes(dtype) : 0;
}
const char *strew_reduction_name(strew_reduction reduction) {
  return (unsigned)reduction < STREW_REDUCTION_COUNT ? reductions[reduction][0] : NULL;
}
const char *reduction_word(strew_reduction reduction, int which) {
  return which < WORDS_PER_REDUCTION ? reductions[reduction][which] : NULL;
}
const char *strew_mode_name(strew_mode mode) { return (unsigned)mode < STREW_MODE_COUNT ? modes[mode] : NULL; }

bool reduction_is_ordered(strew_reduction reduction) {
  static const bool is_ordered[] = {
#define ROW(ENUM, r, name, second, third, ordered, ...) [STREW_##ENUM] = ordered,
      STREW_REDUCTIONS(ROW)
#undef ROW
  };
  return is_ordered[reduction];
}

bool reduction_widens_halves(strew_reduction reduction) {
  enum { BITS, SUMS, PAIRS, COMPUTED, OWN };
  static const bool widens[] = {
#define ROW(ENUM, r, name, second, third, ordered, identity, joined, loops)                                            \
  [STREW_##ENUM] = loops != BITS && loops != OWN,
      STREW_REDUCTIONS(ROW)
#undef ROW
  };
  return widens[reduction];
}

enum category dtype_category(strew_dtype dtype) { return dtypes[dtype].category; }

/* --------------------------------------------------------------------------------------------------- promotion */

/* The higher category wins; the wider float wins, and the two 16-bit floats give float32; the wider integer wins, and
   uint8 with int8 gives int16. */
strew_dtype dtype_promote(strew_dtype a, strew_dtype b) {
  if (a == b) return a;
  if (dtypes[a].category != dtypes[b].category) return dtypes[a].category > dtypes[b].category ? a : b;
  if (dtype_bytes(a) != dtype_bytes(b)) return dtype_bytes(a) > dtype_bytes(b) ? a : b;
  return dtypes[a].category == FLOATING ? STREW_FLOAT32 : STREW_INT16;
}

static strew_dtype dtype_of_number(strew_scalar number) {
  return number.dtype == STREW_FLOAT64 ? STREW_FLOAT32 : number.dtype;
}

/* The promoted dtypes of what was added: of tensors, and of numbers. -1: none. */
struct promoted {
  int tensors, numbers;
};

static void add_dtype(int *to, strew_dtype dtype) {
  *to = *to < 0 ? (int)dtype : (int)dtype_promote((strew_dtype)*to, dtype);
}

/* Numbers count only if their category is higher. */
static strew_dtype promoted_dtype(struct promoted promoted) {
  if (promoted.tensors < 0) return (strew_dtype)promoted.numbers;
  bool higher = promoted.numbers >= 0 && dtypes[promoted.numbers].category > dtypes[promoted.tensors].category;
  return (strew_dtype)(higher ? promoted.numbers : promoted.tensors);
}

strew_dtype dtype_of_operands(int count, const strew_operand *operands) {
  struct promoted promoted = {-1, -1};
  for (int i = 0; i < count; i++)
    if (operands[i].tensor)
      add_dtype(&promoted.tensors, operands[i].tensor->dtype);
    else
      add_dtype(&promoted.numbers, dtype_of_number(operands[i].number));
  return promoted_dtype(promoted);
}

strew_status strew_result_type(int dtype_count, const strew_dtype *given, int number_count, const strew_scalar *numbers,
                               strew_dtype *out, strew_error *error) {
  CALL(call, "result_type", error, {0});
  struct promoted promoted = {-1, -1};
  if (dtype_count < 1 && number_count < 1)
    return fail(&call, (struct fault){.code = STREW_EARGUMENT, .argument = "dtypes"},
                "is empty, expected at least one dtype or number");
  for (int i = 0; i < dtype_count; i++) {
    if ((unsigned)given[i] >= STREW_DTYPE_COUNT)
      return fail_unknown(&call, "dtypes", (int)given[i], STREW_DTYPE_COUNT - 1);
    add_dtype(&promoted.tensors, given[i]);
  }
  for (int i = 0; i < number_count; i++) {
    if ((unsigned)numbers[i].dtype >= STREW_DTYPE_COUNT)
      return fail_unknown(&call, "numbers", (int)numbers[i].dtype, STREW_DTYPE_COUNT - 1);
    add_dtype(&promoted.numbers, dtype_of_number(numbers[i]));
  }
  return *out = promoted_dtype(promoted), STREW_OK;
}
