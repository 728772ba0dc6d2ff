/* space.h: iteration spaces in kernels, the counterpart of launch.c. A kernel over a plan takes SPACE, then
   OPERAND(type, name) for each operand, and starts with
     ROW_AND_COLUMN;
   which returns if the work-item is padding. Then AT(name) is the element's offset in name. OUTER is the number of
   coordinates of a row: 1, 4 or 16. With NARROW offsets are computed by 32 bits. */
#include "prelude.h"

#if OUTER == 16
typedef long16 coordinates;
#elif OUTER == 4
typedef long4 coordinates;
#else
typedef long coordinates;
#endif

#define SPACE            const long columns, const long rows, const coordinates sizes
#define STRIDES(x)       const long x##_step, const coordinates x##_strides
#define OPERAND(type, x) __global type *x, const long x##_offset, STRIDES(x)
#define ROW_AND_COLUMN                                                                                                 \
  const long column = (long)get_global_id(0), row = (long)get_global_id(1);                                            \
  if (column >= columns || row >= rows) return;                                                                        \
  const coordinates at = coordinates_of(row, rows, sizes)
#define AT(x) (x##_offset + PRODUCT(column, x##_step) + inner_product(at, x##_strides))

/* NARROW: all offsets within the operands are below 2^31. A GPU multiplies 64 bits by four instructions. */
#ifdef NARROW
#define PRODUCT(a, b) ((long)((int)(a) * (int)(b)))
#else
#define PRODUCT(a, b) ((a) * (b))
#endif

/* The row, column and coordinates of element `number`. */
#define PLACE_OF(number)                                                                                               \
  const long row = quotient(number, columns), column = (number)-row * columns;                                         \
  const coordinates at = coordinates_of(row, rows, sizes)
/* The place in x of a row's first column. */
#define ROW_OF(x) (x##_offset + inner_product(at, x##_strides))

/* 32-bit division is several times faster; a >= 0, b > 0. */
static inline long quotient(long a, long b) {
  return ((a | b) & ~0x7fffffffL) == 0 ? (long)((uint)a / (uint)b) : (long)((ulong)a / (ulong)b);
}

#if OUTER == 1
static inline coordinates coordinates_of(long row, long rows, coordinates sizes) { return row; }
static inline long inner_product(coordinates a, coordinates b) { return PRODUCT(a, b); }
#else
#define COORDINATE(type, d)                                                                                            \
  {                                                                                                                    \
    const type size = (type)sizes.s##d, above = left / size;                                                           \
    at.s##d = (long)(left - above * size);                                                                             \
    left = above;                                                                                                      \
  }
#define THREE(type, a, b, c) COORDINATE(type, a) COORDINATE(type, b) COORDINATE(type, c)
#if OUTER == 4
#define COORDINATES(type) THREE(type, 3, 2, 1)
#else
#define COORDINATES(type)                                                                                              \
  THREE(type, f, e, d)                                                                                                 \
  THREE(type, c, b, a) THREE(type, 9, 8, 7) THREE(type, 6, 5, 4) THREE(type, 3, 2, 1)
#endif

static inline coordinates coordinates_of(long row, long rows, coordinates sizes) {
  coordinates at = 0;
  if (rows <= 0x7fffffffL) {
    uint left = (uint)row;
    COORDINATES(uint)
    at.s0 = (long)left;
  } else {
    ulong left = (ulong)row;
    COORDINATES(ulong)
    at.s0 = (long)left;
  }
  return at;
}

static inline long inner_product(coordinates a, coordinates b) {
#if defined(NARROW) && OUTER == 16
  const coordinates products = convert_long16(convert_int16(a) * convert_int16(b));
#elif defined(NARROW)
  const coordinates products = convert_long4(convert_int4(a) * convert_int4(b));
#else
  const coordinates products = a * b;
#endif
#if OUTER == 16
  const long8 eight = products.lo + products.hi;
  const long4 four = eight.lo + eight.hi;
#else
  const long4 four = products;
#endif
  return four.x + four.y + four.z + four.w;
}
#endif
