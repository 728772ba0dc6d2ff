/* oracle.c: see oracle.h */
#include "oracle.h"

#include <math.h>
#include <string.h>

static bool in_float32(strew_dtype dtype) {
  return dtype == STREW_FLOAT32 || dtype == STREW_FLOAT16 || dtype == STREW_BFLOAT16;
}

struct cell oracle_load(strew_dtype dtype, const void *element) {
  strew_scalar scalar = strew_scalar_load(dtype, element);
  struct cell cell = {0};
  if (scalar.dtype == STREW_FLOAT64)
    cell.f64 = scalar.as.f, cell.f32 = (float)scalar.as.f;
  else
    cell.whole = scalar.as.i;
  return cell;
}

void oracle_store(strew_dtype dtype, const struct cell *cell, void *element) {
  strew_scalar scalar = strew_int(cell->whole);
  if (in_float32(dtype)) scalar = strew_float((double)cell->f32);
  if (dtype == STREW_FLOAT64) scalar = strew_float(cell->f64);
  ok(strew_scalar_store(scalar, STREW_SATURATE, dtype, element, &failure)); /* integers wrap */
}

static int64_t highest_integer(strew_dtype dtype) { return dtype == STREW_BOOL ? 1 : highest_of(dtype); }
static int64_t lowest_integer(strew_dtype dtype) {
  return dtype == STREW_BOOL || is_unsigned_dtype(dtype) ? 0 : -highest_integer(dtype) - 1;
}

struct cell oracle_identity(strew_reduction reduction, strew_dtype dtype) {
  struct cell cell = {0};
  if (reduction == STREW_PROD) cell = (struct cell){.f64 = 1, .f32 = 1, .whole = 1};
  if (reduction == STREW_AMAX) cell = (struct cell){-(double)INFINITY, -INFINITY, lowest_integer(dtype), 0};
  if (reduction == STREW_AMIN) cell = (struct cell){(double)INFINITY, INFINITY, highest_integer(dtype), 0};
  if (reduction == STREW_AMIN && dtype == STREW_UINT64) cell.whole = (int64_t)UINT64_MAX;
  return cell;
}

/* True if b is greater than a, with -0 less than +0 and NaN greater than any number. */
static bool above(double a, double b) {
  if (isnan(a)) return false;
  if (isnan(b)) return true;
  if (a == 0 && b == 0) return signbit(a) && !signbit(b);
  return b > a;
}
static bool below(double a, double b) {
  if (isnan(a)) return false;
  return isnan(b) || above(b, a);
}

static bool replaces(strew_reduction reduction, strew_dtype dtype, const struct cell *a, const struct cell *b) {
  bool upward = reduction == STREW_AMAX;
  if (dtype == STREW_UINT64)
    return upward ? (uint64_t)b->whole > (uint64_t)a->whole : (uint64_t)b->whole < (uint64_t)a->whole;
  if (!is_float_dtype(dtype)) return upward ? b->whole > a->whole : b->whole < a->whole;
  double x = in_float32(dtype) ? (double)a->f32 : a->f64, y = in_float32(dtype) ? (double)b->f32 : b->f64;
  return upward ? above(x, y) : below(x, y);
}

static void wrap(strew_dtype dtype, struct cell *cell) {
  char element[8];
  ok(strew_scalar_store(strew_int(cell->whole), STREW_SATURATE, dtype, element, &failure));
  cell->whole = strew_scalar_load(dtype, element).as.i;
}

void oracle_join(strew_reduction reduction, strew_dtype dtype, struct cell *a, const struct cell *b) {
  int64_t count = a->count + 1;
  switch (reduction) {
  case STREW_SUM:
  case STREW_MEAN:
    a->f64 += b->f64, a->f32 += b->f32;
    a->whole = dtype == STREW_BOOL ? (a->whole || b->whole) : (int64_t)((uint64_t)a->whole + (uint64_t)b->whole);
    break;
  case STREW_PROD:
    a->f64 *= b->f64, a->f32 *= b->f32;
    a->whole = dtype == STREW_BOOL ? (a->whole && b->whole) : (int64_t)((uint64_t)a->whole * (uint64_t)b->whole);
    break;
  case STREW_AMAX:
  case STREW_AMIN:
    if (replaces(reduction, dtype, a, b)) *a = *b;
    break;
  default: *a = *b;
  }
  if (!is_float_dtype(dtype) && dtype != STREW_BOOL) wrap(dtype, a);
  a->count = count;
}

void oracle_divide(strew_dtype dtype, struct cell *cell, int64_t extra) {
  int64_t count = cell->count + extra;
  cell->f64 /= (double)count;
  cell->f32 /= (float)count;
  if (is_float_dtype(dtype)) return;
  if (dtype == STREW_UINT64) { /* whose sums int64 may not hold */
    cell->whole = (int64_t)((uint64_t)cell->whole / (uint64_t)count);
    return;
  }
  int64_t rest = cell->whole % count;
  cell->whole = cell->whole / count - (rest < 0);
}

int64_t oracle_place(strew_mode mode, int64_t size, int64_t value) {
  if (mode == STREW_WRAP && value < 0) value += size;
  if (mode == STREW_CLIP) value = value < 0 ? 0 : value >= size ? size - 1 : value;
  return value < 0 || value >= size ? -1 : value;
}

/* ------------------------------------------------------------------------------------------------------- loops */

static int64_t numel(int rank, const int64_t *sizes) {
  int64_t count = 1;
  for (int d = 0; d < rank; d++) count *= sizes[d];
  return count;
}

static int64_t dense_offset(int rank, const int64_t *sizes, const int64_t *at) {
  int64_t offset = 0;
  for (int d = 0; d < rank; d++) offset = offset * sizes[d] + at[d];
  return offset;
}

static void advance(int rank, const int64_t *sizes, int64_t *at) {
  for (int d = rank - 1; d >= 0; d--) {
    if (++at[d] < sizes[d]) return;
    at[d] = 0;
  }
}

/* Returns the position in self of the index value at coordinates `at`, or -1. */
static int64_t target(const struct scatter_case *c, strew_dtype index_dtype, const void *index, int64_t i,
                      const int64_t *at) {
  int64_t to[STREW_MAX_RANK] = {0};
  int64_t value =
      strew_scalar_load(index_dtype, (const char *)index + i * (int64_t)strew_dtype_size_bytes(index_dtype)).as.i;
  int64_t place = oracle_place(c->mode, c->rank ? c->self_sizes[c->dim] : 1, value);
  if (place < 0) return -1;
  memcpy(to, at, sizeof to);
  to[c->dim] = place;
  return dense_offset(c->rank, c->self_sizes, to);
}

void *oracle_scatter(const struct scatter_case *c, const void *self, strew_dtype index_dtype, const void *index,
                     const void *src) {
  size_t size = strew_dtype_size_bytes(c->dtype);
  int64_t places = numel(c->rank, c->self_sizes), contributions = numel(c->rank, c->index_sizes);
  struct cell *cells = calloc((size_t)places + 1, sizeof *cells);
  char *result = malloc((size_t)places * size + 1);
  memcpy(result, self, (size_t)places * size);
  for (int64_t i = 0; i < places; i++) cells[i] = oracle_load(c->dtype, result + (size_t)i * size);
  int64_t at[STREW_MAX_RANK] = {0};
  char number[8];
  if (!src) ok(strew_scalar_store(c->number, STREW_EXACT, c->dtype, number, &failure));
  for (int64_t i = 0; i < contributions; i++, advance(c->rank, c->index_sizes, at)) {
    int64_t place = target(c, index_dtype, index, i, at);
    if (place < 0) continue;
    struct cell *cell = &cells[place];
    if (c->exclude_self && cell->count == 0) *cell = oracle_identity(c->reduction, c->dtype);
    const char *from = src ? (const char *)src + (size_t)dense_offset(c->rank, c->src_sizes, at) * size : number;
    struct cell contribution = oracle_load(c->dtype, from);
    oracle_join(c->reduction, c->dtype, cell, &contribution);
  }
  for (int64_t i = 0; i < places; i++) {
    if (!cells[i].count) continue;
    if (c->reduction == STREW_MEAN) oracle_divide(c->dtype, &cells[i], !c->exclude_self);
    oracle_store(c->dtype, &cells[i], result + (size_t)i * size);
  }
  free(cells);
  return result;
}

void *oracle_gather(const struct scatter_case *c, const void *self, strew_dtype index_dtype, const void *index) {
  size_t size = strew_dtype_size_bytes(c->dtype);
  int64_t count = numel(c->rank, c->index_sizes), at[STREW_MAX_RANK] = {0};
  char *result = calloc((size_t)count + 1, size);
  for (int64_t i = 0; i < count; i++, advance(c->rank, c->index_sizes, at)) {
    int64_t place = target(c, index_dtype, index, i, at);
    if (place >= 0) memcpy(result + (size_t)i * size, (const char *)self + (size_t)place * size, size);
  }
  return result;
}
