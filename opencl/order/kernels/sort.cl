/* sort.cl: lines (the plan's last dimension) of elements of dtype S, sorted as items. As in runtime/order/cpu/sort.inc,
   keys are unsigned numbers in the elements' order, inverted by `flip`, all ones, for descending order. For floats NaN
   is the greatest and -0 equals +0. Keys do not distinguish NaNs, nor zeros, so these are reread from the input.

   Short lines, and tiles of long ones, are sorted in local memory (sort_tiles); long lines by radix.cl, between
   load_items and store_items. A narrow item holds bits [shift, shift + 32) of its key; `common` has the others, the
   same in all keys. LINE: items that fit in local memory. */
#include "opencl/core/kernels/space.h"
#include "runtime/core/shared/scalar.h"
#include "opencl/core/kernels/digits.h"

typedef CAT(B_, S) word;

/* The bits of infinity: larger magnitudes are NaNs. 0 for integers. */
#define INFINITE_f32  infinity_of(FORMAT_FLOAT32)
#define INFINITE_f64  infinity_of(FORMAT_FLOAT64)
#define INFINITE_f16  infinity_of(FORMAT_FLOAT16)
#define INFINITE_bf16 infinity_of(FORMAT_BFLOAT16)
#define INFINITE_i64  0
#define INFINITE_i32  0
#define INFINITE_i16  0
#define INFINITE_i8   0
#define INFINITE_u8   0
#define INFINITE_b8   0
#define INFINITE_u16  0
#define INFINITE_u32  0
#define INFINITE_u64  0
#define INFINITE      CAT(INFINITE_, S)
#define IS_FLOAT      (INFINITE != 0)
#define TOP           ((word)((word)1 << (8 * sizeof(word) - 1)))
#define NAN_KEY       ((word) ~(word)0)

static inline ulong key_of(word x) {
  const word magnitude = x & (word)~TOP;
  if (!IS_FLOAT) return (word)((word)CAT(load_, S)((CAT(T_, S))x) ^ (CAT(lowest_, S)() < 0 ? TOP : 0));
  if (magnitude > INFINITE) return NAN_KEY;
  if (magnitude == 0) return TOP;
  return (word)(x & TOP ? ~x : x | TOP);
}

static inline bool is_ambiguous(word key) { return IS_FLOAT && (key == TOP || key == NAN_KEY); }

static inline word of_key(word key) {
  if (IS_FLOAT) return (word)(key & TOP ? key ^ TOP : ~key);
  return (word)(key ^ (CAT(lowest_, S)() < 0 ? TOP : 0));
}

/* Element c of x in the row at `at`. */
#define IN_ROW(x, c) x[x##_offset + (c)*x##_step + inner_product(at, x##_strides)]

#define OUTPUTS OPERAND(word, values), OPERAND(long, indices)
#define INPUT   OPERAND(const word, from)

/* Writes item x to rank r of its row. */
#define OUTPUT_ITEM(x, r)                                                                                              \
  {                                                                                                                    \
    const word key = (word)(key_in(x) << shift | common) ^ (word)flip;                                                 \
    const long position = (long)position_in(x);                                                                        \
    IN_ROW(indices, r) = position;                                                                                     \
    if (values) IN_ROW(values, r) = is_ambiguous(key) ? IN_ROW(from, position) : of_key(key);                          \
  }

/* ------------------------------------------------------------------------------------------------------- long lines */

/* The OR and the AND of all keys, in two halves each. A group takes `tile` elements of a row. */
__kernel void survey(SPACE, INPUT, const ulong flip, const long tile, const long tiles, __global uint *bits) {
  __local uint found[4];
  const long row = (long)group_id() / tiles, begin = ((long)group_id() - row * tiles) * tile;
  const coordinates at = coordinates_of(row, rows, sizes);
  ulong any = 0, all = ~0ul;
  for (long c = begin + (long)get_local_id(0); c < min(begin + tile, columns); c += (long)get_local_size(0)) {
    const ulong key = key_of(IN_ROW(from, c)) ^ (word)flip;
    any |= key;
    all &= key;
  }
  if (get_local_id(0) == 0) {
    found[0] = found[1] = 0;
    found[2] = found[3] = ~0u;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_or(&found[0], (uint)any);
  atomic_or(&found[1], (uint)(any >> 32));
  atomic_and(&found[2], (uint)all);
  atomic_and(&found[3], (uint)(all >> 32));
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) {
    atomic_or(&bits[0], found[0]);
    atomic_or(&bits[1], found[1]);
    atomic_and(&bits[2], found[2]);
    atomic_and(&bits[3], found[3]);
  }
}

static inline item loaded(word element, long position, ulong flip, int narrows) {
  const word key = (word)(key_of(element) ^ flip);
  return make_item(BROAD ? key : (uint)(key >> narrows), position);
}

/* `items` holds rows from `first` on. */
BLOCK_KERNEL load_items(SPACE, INPUT, const long first, const ulong flip, const int narrows, __global item *items,
                        COUNTS) {
  const long row = BLOCK_NUMBER / blocks;
  const coordinates at = coordinates_of(first + row, first + rows, sizes);
  COUNT_DIGITS(word, IN_ROW(from, i - row * columns), items[i] = loaded(given, i - row * columns, flip, narrows));
}

/* Writes the first `columns` of each row's n sorted items. */
__kernel void store_items(SPACE, OUTPUTS, INPUT, const long first, const ulong flip, const int shift,
                          const ulong common, __global const item *items, const long n) {
  const long column = (long)get_global_id(0), row = (long)get_global_id(1);
  if (column >= columns || row >= rows) return;
  const coordinates at = coordinates_of(first + row, first + rows, sizes);
  const item x = items[row * n + column];
  OUTPUT_ITEM(x, column)
}

/* ------------------------------------------------------------------------------------------------------ short lines */

/* A line is cut into `tiles` tiles, one if it is short. With to_items the first `keep` items of each tile go to `kept`
   and form the next, shorter line; else they are the line's first and go to the outputs. With from_items a line
   consists of these items, else of the input's elements. Tiles are padded with LAST_ITEM, which sorts last. */
#define TILES                                                                                                          \
  __global const item *items, const int from_items, __global item *kept, const int to_items, const long tile,          \
      const long tiles, const long keep, const ulong flip
#define LOAD(c) (from_items ? items[row * columns + (c)] : make_item((word)(key_of(IN_ROW(from, c)) ^ flip), c))
#define STORE(x, r)                                                                                                    \
  if (to_items)                                                                                                        \
    kept[unit * keep + (r)] = x;                                                                                       \
  else                                                                                                                 \
    OUTPUT_ITEM(x, r)

#ifdef IS_GPU
/* A comparator of the bitonic network: orders items `low` and `high`. */
static inline void order_pair(__local item *items, uint low, uint high) {
  const item a = items[low], b = items[high];
  if (!is_before(b, a)) return;
  items[low] = b;
  items[high] = a;
}

/* Bitonic sort of each chunk of 2^bits of the LINE items. The first step of a merge compares with mirrored positions,
   so all runs ascend. */
static inline void sort_chunks(__local item *items, int bits) {
  for (int size = 1; size <= bits; size++) {
    for (int step = size - 1; step >= 0; step--) {
      const uint distance = 1u << step, mask = distance - 1;
      for (uint pair = (uint)get_local_id(0); pair < LINE / 2; pair += GROUP_SIZE) {
        const uint low = (pair & ~mask) << 1 | (pair & mask);
        order_pair(items, low, step == size - 1 ? low ^ (2 * distance - 1) : low + distance);
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
  }
}

/* Sorts as many tiles as fit, each in a chunk of 2^bits. */
GROUP_KERNEL sort_tiles(SPACE, OUTPUTS, INPUT, TILES, const int bits) {
  __local item sorted[LINE];
  const ulong common = 0;
  const int shift = 0;
  const long first = (long)group_id() * (LINE >> bits);
  for (int i = (int)get_local_id(0); i < LINE; i += GROUP_SIZE) {
    const long unit = first + (i >> bits), row = unit / tiles, begin = (unit - row * tiles) * tile;
    const long c = i & ((1 << bits) - 1);
    sorted[i] = LAST_ITEM;
    if (row < rows && c < min(tile, columns - begin)) {
      const coordinates at = coordinates_of(row, rows, sizes);
      sorted[i] = LOAD(begin + c);
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  sort_chunks(sorted, bits);
  for (int i = (int)get_local_id(0); i < LINE; i += GROUP_SIZE) {
    const long unit = first + (i >> bits), row = unit / tiles, r = i & ((1 << bits) - 1);
    if (row < rows && r < keep) {
      const coordinates at = coordinates_of(row, rows, sizes);
      const item x = sorted[i];
      STORE(x, r)
    }
  }
}

#else
enum { RUN = 8, MANY = 32 * sizeof(word) };

static inline void insert_all(__local item *items, int count) {
  for (int i = 1; i < count; i++) {
    const item x = items[i];
    int to = i;
    for (; to > 0 && is_before(x, items[to - 1]); to--) items[to] = items[to - 1];
    items[to] = x;
  }
}

/* Branch-free on the comparison, which cannot be predicted. */
static inline void merge(__local const item *a, int a_count, __local const item *b, int b_count, __local item *to) {
  while (a_count > 0 && b_count > 0) {
    const int second = is_before(*b, *a);
    *to++ = second ? *b : *a;
    b += second;
    b_count -= second;
    a += 1 - second;
    a_count -= 1 - second;
  }
  for (; a_count > 0; a_count--) *to++ = *a++;
  for (; b_count > 0; b_count--) *to++ = *b++;
}

/* Two lists of items; the one in use is named by its number, 0 or 1. With pointers that are swapped between two local
   arrays, Intel's compiler (2026.22) reads the wrong one. */
typedef __local item (*lists)[LINE];

/* Bottom-up merge sort between the lists; returns the number of the sorted one. */
static inline int sort_by_merging(lists list, int in, int count) {
  for (int i = 0; i < count; i += RUN) insert_all(list[in] + i, min(RUN, count - i));
  for (int run = RUN; run < count; run *= 2) {
    for (int i = 0; i < count; i += 2 * run) {
      const int a_count = min(run, count - i), b_count = clamp(count - i - run, 0, run);
      merge(list[in] + i, a_count, list[in] + i + run, b_count, list[!in] + i);
    }
    in = !in;
  }
  return in;
}

/* Counting sort by one digit, stable. False if all items have the same digit: `items` is then sorted already. */
static inline bool distribute(__local const item *items, __local item *sorted, int count, int first_bit) {
  ushort next[RADIX];
  for (int d = 0; d < RADIX; d++) next[d] = 0;
  for (int i = 0; i < count; i++) next[radix_digit(items[i], first_bit)]++;
  if (next[radix_digit(items[0], first_bit)] == count) return false;
  ushort start = 0;
  for (int d = 0; d < RADIX; d++) {
    const ushort found = next[d];
    next[d] = start;
    start += found;
  }
  for (int i = 0; i < count; i++) sorted[next[radix_digit(items[i], first_bit)]++] = items[i];
  return true;
}

static inline int sort_by_digits(lists list, int in, int count) {
  for (int first_bit = 0; first_bit < 8 * (int)sizeof(word); first_bit += 8)
    if (distribute(list[in], list[!in], count, first_bit)) in = !in;
  return in;
}

/* Restores the heap below `at`; the greatest item is at the top. */
static inline void sink(__local item *heap, int count, int at) {
  const item x = heap[at];
  for (int child; (child = 2 * at + 1) < count; at = child) {
    if (child + 1 < count && is_before(heap[child], heap[child + 1])) child++;
    if (!is_before(x, heap[child])) break;
    heap[at] = heap[child];
  }
  heap[at] = x;
}

__kernel void sort_tiles(SPACE, OUTPUTS, INPUT, TILES, const int bits) {
  __local item list[2][LINE];
  __local item *spare = list[0], *best = list[1];
  const ulong common = 0;
  const int shift = 0;
  const long unit = (long)get_global_id(0), row = unit / tiles, begin = (unit - row * tiles) * tile;
  const long end = min(begin + tile, columns);
  const coordinates at = coordinates_of(row, rows, sizes);
  const bool has_all = end - begin <= LINE;
  const int count = (int)(has_all ? end - begin : keep);
  long c = begin;
  for (int i = 0; i < count; i++, c++) best[i] = LOAD(c);
  if (!has_all)
    for (int i = count / 2 - 1; i >= 0; i--) sink(best, count, i);
  for (; c < end; c += LINE) {
    const int few = (int)min((long)LINE, end - c);
    for (int i = 0; i < few; i++) spare[i] = LOAD(c + i);
    for (int i = 0; i < few; i++) {
      if (!is_before(spare[i], best[0])) continue;
      best[0] = spare[i];
      sink(best, count, 0);
    }
  }
  /* digits ignore positions, whose order a heap does not keep */
  __local const item *sorted =
      list[has_all && count > MANY ? sort_by_digits(list, 1, count) : sort_by_merging(list, 1, count)];
  for (int r = 0; r < keep; r++) {
    const item x = r < count ? sorted[r] : LAST_ITEM;
    STORE(x, r)
  }
}
#endif
