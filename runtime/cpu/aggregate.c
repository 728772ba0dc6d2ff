/* aggregate.c: several reductions of groups in one walk over the ids.

   A group has a record: a slot for each reduction of each column, so that an element loads one cache line whatever the
   number of reductions. Each thread owns a range of groups with an equal share of the elements. It walks all ids, block
   by block: it lists the elements that it owns, and prefetches their records; then each column joins the listed
   elements, while ids and records are in cache. So contributions join in order, on any number of threads. */
#include "cpu.h"
#include "runtime/shared/scalar.h"

#include <string.h>

enum { BLOCK = 1024, MOST_PARTS = STREW_MAX_THREADS };

/* The listed elements of a block: `which` of them, counted from its first one. */
struct block {
  int64_t count;
  const uint16_t *which;
  const int64_t *ids;
  int64_t stride; /* bytes of a record */
};

/* Joins the listed elements of x, which is of the computed dtype, to slots, those of the column in record 0. */
typedef void join_block(const struct block *block, const void *x, char *slots);

/* Bits of the reductions of a column, in the order of their slots. */
enum { HAS_SUM = 1, HAS_MIN = 2, HAS_MAX = 4, COMBINATIONS = 8 };

/* One instruction makes an extreme, unless a NaN or a zero is held: that is rare. (A branch that decides whether an
   element changes the extreme is often wrong, and waits for its record: 10 M float32 in 1 M groups.) Twice the bits of a
   zero less 1, and those of a NaN, exceed those of infinity. */
#define EXTREMES(s, bits_of, infinity)                                                                                 \
  ALWAYS_INLINE bool is_rare_##s(T_##s a) { return __builtin_expect(bits_of(a) * 2 - 1 >= infinity, 0); }              \
  ALWAYS_INLINE T_##s least_##s(T_##s a, T_##s b) { return is_rare_##s(a) ? minimum_##s(a, b) : a < b ? a : b; }       \
  ALWAYS_INLINE T_##s greatest_##s(T_##s a, T_##s b) { return is_rare_##s(a) ? maximum_##s(a, b) : a > b ? a : b; }
EXTREMES(f32, bits_of_float, UINT32_C(0xff000000))
EXTREMES(f64, bits_of_double, UINT64_C(0xffe0000000000000))
#define least_i64    minimum_i64
#define greatest_i64 maximum_i64

/* A copy of the block, whose members need not be loaded again after each write. */
#define EACH_LISTED(block)                                                                                             \
  const int64_t count = (block)->count, stride = (block)->stride, *ids = (block)->ids;                                 \
  const uint16_t *which = (block)->which;                                                                              \
  for (int64_t k = 0, i; k < count && (i = which[k], true); k++)

#define JOINS(s)                                                                                                       \
  ALWAYS_INLINE void join_##s(const struct block *block, const void *x_, char *slots, const int has) {                 \
    const T_##s *x = x_;                                                                                               \
    const int min = (has & HAS_SUM) != 0, max = min + ((has & HAS_MIN) != 0);                                          \
    EACH_LISTED(block) {                                                                                               \
      T_##s *slot = (T_##s *)(void *)(slots + ids[i] * stride);                                                        \
      const T_##s value = x[i];                                                                                        \
      if (has & HAS_SUM) slot[0] = plus_##s(slot[0], value);                                                           \
      if (has & HAS_MIN) slot[min] = least_##s(slot[min], value);                                                      \
      if (has & HAS_MAX) slot[max] = greatest_##s(slot[max], value);                                                   \
    }                                                                                                                  \
  }                                                                                                                    \
  static void join_products_##s(const struct block *block, const void *x_, char *slots) {                              \
    const T_##s *x = x_;                                                                                               \
    EACH_LISTED(block) {                                                                                               \
      T_##s *slot = (T_##s *)(void *)(slots + ids[i] * stride);                                                        \
      *slot = times_##s(*slot, x[i]);                                                                                  \
    }                                                                                                                  \
  }                                                                                                                    \
  JOIN(s, 1) JOIN(s, 2) JOIN(s, 3) JOIN(s, 4) JOIN(s, 5) JOIN(s, 6) JOIN(s, 7)
#define JOIN(s, has)                                                                                                   \
  static void join_##s##_##has(const struct block *block, const void *x, char *slots) {                                \
    join_##s(block, x, slots, has);                                                                                    \
  }
JOINS(f32)
JOINS(f64)
JOINS(i64)

/* By the bits; 0: products. */
static join_block *joiner(strew_dtype computed, int has) {
#define ROW(s)                                                                                                         \
  {                                                                                                                    \
    join_products_##s, join_##s##_1, join_##s##_2, join_##s##_3, join_##s##_4, join_##s##_5, join_##s##_6,             \
        join_##s##_7                                                                                                   \
  }
  static join_block *const of[][COMBINATIONS] = {ROW(f32), ROW(f64), ROW(i64)};
#undef ROW
  return of[computed == STREW_FLOAT32 ? 0 : computed == STREW_FLOAT64 ? 1 : 2][has];
}

/* ------------------------------------------------------------------------------------------------------------- columns */

/* A column in the records. */
struct placed {
  const char *src;
  int64_t src_step, bytes; /* of a computed element */
  convert_row *convert;    /* NULL: src is read in place */
  join_block *join;
  int64_t offset; /* of its slots */
};

/* The order of slots. */
static const strew_reduction slots_of[] = {STREW_SUM, STREW_PROD, STREW_AMIN, STREW_AMAX};
enum { MOST_SLOTS = sizeof slots_of / sizeof *slots_of };

struct walk {
  strew_context *context;
  const int64_t *ids;
  int64_t length, size;
  int count; /* of columns */
  const struct aggregate_column *columns;
  struct placed *placed;
  int64_t stride;
  char *records;
  bool far; /* records exceed L2 */
  int64_t parts, cuts[MOST_PARTS + 1];
};

static char *dense(const strew_tensor *tensor) {
  return (char *)tensor->storage->data + (size_t)tensor->offset * dtype_bytes(tensor->dtype);
}

static struct placed place(const struct aggregate_column *column, int64_t *offset) {
  const strew_tensor *src = column->src;
  const int64_t bytes = (int64_t)dtype_bytes(src->dtype);
  struct placed placed = {.src = dense(src), .src_step = src->strides[0] * bytes, .offset = *offset};
  placed.bytes = (int64_t)dtype_bytes(column->computed);
  if (src->dtype != column->computed || placed.src_step != placed.bytes)
    placed.convert = converter(column->computed, src->dtype);
  placed.join =
      joiner(column->computed, (column->out[STREW_SUM] ? HAS_SUM : 0) | (column->out[STREW_AMIN] ? HAS_MIN : 0) |
                                   (column->out[STREW_AMAX] ? HAS_MAX : 0));
  for (int s = 0; s < MOST_SLOTS; s++) *offset += column->out[slots_of[s]] ? placed.bytes : 0;
  return placed;
}

/* Slots of 8 bytes come first, so that all are aligned. A small record does not cross a cache line. */
static void place_all(struct walk *walk) {
  int64_t offset = 0;
  for (int64_t bytes = 8; bytes >= 4; bytes -= 4)
    for (int c = 0; c < walk->count; c++)
      if ((int64_t)dtype_bytes(walk->columns[c].computed) == bytes) walk->placed[c] = place(&walk->columns[c], &offset);
  walk->stride = offset <= 4 ? 4 : 8;
  while (walk->stride < offset && walk->stride < CACHE_LINE) walk->stride *= 2;
  if (walk->stride < offset) walk->stride = (offset + 7) / 8 * 8;
}

/* ------------------------------------------------------------------------------------------------------- one thread */

/* Visits slot number s of column c, `at` bytes from the beginning of a record. */
#define EACH_SLOT(walk, c, s, at)                                                                                      \
  for (int c = 0; c < (walk)->count; c++)                                                                              \
    for (int64_t s = 0, at = (walk)->placed[c].offset; s < MOST_SLOTS;                                                 \
         at += (walk)->columns[c].out[slots_of[s]] ? (walk)->placed[c].bytes : 0, s++)                                 \
      if ((walk)->columns[c].out[slots_of[s]])

static void start_records(const struct walk *walk, int64_t begin, int64_t end) {
  char *first = walk->records + begin * walk->stride;
  if (begin == end) return;
  EACH_SLOT(walk, c, s, at) {
    const union element identity = element_identity(slots_of[s], walk->columns[c].computed);
    memcpy(first + at, identity.bytes, (size_t)walk->placed[c].bytes);
  }
  for (int64_t g = begin + 1; g < end && (g % CHUNK || !context_stops(walk->context)); g++)
    memcpy(walk->records + g * walk->stride, first, (size_t)walk->stride);
}

static void store_records(const struct walk *walk, int64_t begin, int64_t end) {
  EACH_SLOT(walk, c, s, at) {
    const int64_t bytes = walk->placed[c].bytes;
    const char *from = walk->records + begin * walk->stride + at;
    char *to = dense(walk->columns[c].out[slots_of[s]]) + begin * bytes;
    for (int64_t g = begin; g < end && (g % CHUNK || !context_stops(walk->context));
         g++, from += walk->stride, to += bytes)
      if (bytes == 8)
        memcpy(to, from, 8);
      else
        memcpy(to, from, 4);
  }
}

/* Lists the elements of a block whose groups are begin .. end - 1. */
static int64_t list_owned(const struct walk *walk, const int64_t *ids, int64_t count, int64_t begin, int64_t end,
                          uint16_t *which) {
  const uint64_t owned = (uint64_t)(end - begin);
  int64_t listed = 0;
  for (int64_t i = 0; i < count; i++) {
    which[listed] = (uint16_t)i;
    listed += (uint64_t)(ids[i] - begin) < owned;
  }
  for (int64_t k = 0; walk->far && k < listed; k++)
    prefetch_write((uintptr_t)walk->records + (uintptr_t)(ids[which[k]] * walk->stride), walk->stride);
  return listed;
}

static void join_columns(const struct walk *walk, const struct block *block, int64_t first, int64_t count) {
  _Alignas(CACHE_LINE) char converted[BLOCK * sizeof(int64_t)];
  for (int c = 0; c < walk->count; c++) {
    const struct placed *placed = &walk->placed[c];
    const char *x = placed->src + first * placed->src_step;
    if (placed->convert) {
      placed->convert(count, converted, placed->bytes, x, placed->src_step);
      x = converted;
    }
    placed->join(block, x, walk->records + placed->offset);
  }
}

/* The list of the next block is made, and its records prefetched, before a block is joined. */
static void walk_part(void *walk_, int64_t part) {
  const struct walk *walk = walk_;
  const int64_t begin = walk->cuts[part], end = walk->cuts[part + 1];
  uint16_t lists[2][BLOCK];
  int64_t listed[2], at = 0, size = least(BLOCK, walk->length);
  start_records(walk, begin, end);
  listed[0] = list_owned(walk, walk->ids, size, begin, end, lists[0]);
  for (int now = 0; at < walk->length && (at % CHUNK || !context_stops(walk->context)); now = !now) {
    const int64_t next = at + size, next_size = least(BLOCK, walk->length - next);
    const struct block block = {listed[now], lists[now], walk->ids + at, walk->stride};
    if (next_size > 0) listed[!now] = list_owned(walk, walk->ids + next, next_size, begin, end, lists[!now]);
    join_columns(walk, &block, at, size);
    at = next, size = next_size;
  }
  store_records(walk, begin, end);
}

/* ---------------------------------------------------------------------------------------------------------- all threads */

/* Cuts groups into ranges of as much work. */
static void cut(struct walk *walk, const int64_t *counts) {
  const int64_t total = walk->length + walk->size;
  int64_t work = 0, group = 0;
  walk->cuts[0] = 0;
  for (int64_t part = 1; part < walk->parts; part++) {
    const int64_t share = part_begin(total, walk->parts, part);
    while (group < walk->size && work < share) work += counts[group++] + 1;
    walk->cuts[part] = group;
  }
  walk->cuts[walk->parts] = walk->size;
}

strew_status cpu_aggregate(const struct call *call, strew_device *device, const strew_tensor *ids,
                           const strew_tensor *counts, int count, const struct aggregate_column *columns) {
  strew_context *context = device->context;
  struct walk walk = {.context = context,
                      .ids = (const int64_t *)(void *)dense(ids),
                      .length = ids->sizes[0],
                      .size = counts->sizes[0],
                      .count = count,
                      .columns = columns};
  const size_t placed_bytes = (size_t)count * sizeof *walk.placed;
  walk.placed = memory_allocate(context, placed_bytes);
  if (!walk.placed) return fail_memory(call, context, placed_bytes);
  place_all(&walk);
  const size_t bytes = (size_t)walk.size * (size_t)walk.stride;
  walk.records = memory_allocate(context, bytes);
  strew_status status = walk.records ? STREW_OK : fail_memory(call, context, bytes);
  if (status == STREW_OK) {
    walk.far = bytes > (size_t)tuning_in_use()->l2_bytes;
    walk.parts = pool_parts(context, walk.length * 2 * (int64_t)sizeof *walk.ids) > 1 ? context->threads : 1;
    cut(&walk, (const int64_t *)(void *)dense(counts));
    pool_run(context, walk.parts, walk_part, &walk);
    status = context_end(call, context, NULL);
  }
  memory_free(context, walk.records, bytes);
  memory_free(context, walk.placed, placed_bytes);
  return status;
}
