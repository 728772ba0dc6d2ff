/* tuning.h: the tuned numbers of the CPU's scatter, gather, index checks, folds, sorts, groupings, products and
   programs. None of them changes a result.

   What differs between the processors measured so far is a column of struct tuning, and so are the caches, which tests
   shrink; tuning.c has a row for each processor family, the default last. No other file knows which processor it runs
   on. The other numbers are enumerators, the same everywhere: see below the struct.

   Each number: unit: meaning. Case that set it, or "unmeasured".
   Cases: "10 M into 10 k" is 10 M contributions to 10 k destinations, float32 with an int64 index, on one thread,
   unless the line says otherwise. Times are in ms: "9 -> 7" is without -> with that number. Xeon: an Intel Xeon. */
#ifndef STREW_TUNING_H
#define STREW_TUNING_H

#include "runtime/cpu/loops/isa.h"

#include <stdint.h>

/* Processor families by how they wait for memory: AMD up to Zen 4, whose hardware prefetcher looks far ahead in data
   that is read in order; AMD from Zen 5 on, whose prefetcher does not, but which keeps enough loads under way that
   destinations in L2 need no prefetch; all others, which are taken for an Intel Xeon. */
enum processor { PROCESSOR_ZEN4, PROCESSOR_ZEN5, PROCESSOR_OTHER, PROCESSOR_COUNT };

struct tuning {
  const char *name;

  /* ---- Caches: the share of each level that one thread's destinations may fill. */
  /* bytes: half of L1. Destinations in it are not prefetched. 10 M into 1000 x 1000 along the last dimension: 7.4 ->
     6.1 */
  int64_t l1_bytes;
  /* bytes: a part of L2; many sizes below are multiples of it. Unmeasured */
  int64_t l2_bytes;
  /* bytes: a part of the last-level cache. Unmeasured */
  int64_t llc_bytes;

  /* ---- Prefetches of index and src, which are read once. */
  /* flag: by NTA, so that they do not evict destinations; else into L2. 10 M into 10 k: Zen 4 12 -> 9.7, Zen 5 7.5 ->
     4.5; into 1 M: Zen 4 17.4 -> 15.3, Zen 5 12 -> 6.8. Xeon by NTA: into 10 k 19.7, into 1 M 30; by L2: 8.3 and 23.5,
     into 100 10.5 -> 6.6 */
  bool streams_nta;
  /* rows: distance. Zen 5, 10 M into 10 k and 1 M: 160 rows 6.7 and 7.9, 640 rows 4.5 and 6.8; gather of 10 M by int64:
     7.8 -> 6.3; int32 index, 10 M into 10 k: 12 -> 5.6 */
  int64_t stream_ahead;
  /* flag: the hardware prefetcher is enough for data read in order, in place. Zen 4, rows of 64 in order, 1 M into 100
     k: 1.1 times as long with prefetch; Xeon: 35 -> 30 with it */
  bool foresees_order;

  /* ---- Prefetches of destinations, and of what is gathered. */
  /* l2_bytes: ranges of more than that many are prefetched. Zen 5, 10 M into 100 k, with prefetch and without: sums 7.0
     and 5.4, assignments 6.6 and 5.4 */
  int64_t dst_min_l2s;
  /* flag: ranges that exceed L1 gain, too, where a line goes in blocks or is assigned. As above */
  bool dst_in_l2;
  /* elements: distance in blocks, for ordered reductions: sums wait for a repeated destination. Zen 5, Zipf (1.3): 15.1
     -> 11.4; 10 M into 1 M: 8.0 -> 8.5 */
  int64_t dst_ahead_sums;
  /* bytes: distance of rows, as bytes of rows between. Zen 5, 32 M floats in rows of 16, 64 and 256 columns: 8 rows 28,
     8.9, 8.1; 16 rows 21, 6.5, 8.6; 32 rows 14, 7.9, 9.1. Zen 4 and Xeon measured for 64 columns, 8 rows */
  int64_t row_bytes_ahead;

  /* ---- Costs by which a way is chosen (choose.c): hundredths of a nanosecond for a contribution. */
  /* by range: in L1, L2, the last-level cache, memory. 10 M into 100, 10 k, 1 M, 10 M: Zen 4 5.3, 10, 15, 60; Zen 5
     4.2, 4.5, 7.2, 44; Xeon 6.6, 8.4, 24 in the first three */
  int join_cost[4];
};

/* One row for each family, by enum processor. */
extern const struct tuning tuning_rows[PROCESSOR_COUNT];
/* Returns the row of this machine, or the one that was forced. */
const struct tuning *tuning_in_use(void);
/* Makes `row` the one in use, for the tests; NULL: the machine's again. The row is borrowed until then. */
void tuning_force(const struct tuning *row);

/* ------------------------------------------------------------------------------- the same on every processor */

enum { CACHE_LINE = 64 }; /* bytes */

/* Prefetches in the innermost loops. */
enum {
  /* elements: distance of destinations, and of what is gathered. 10 M into 1 M 19 -> 16, gathered 25 -> 16; into 4 k
     8.5 -> 9.9 */
  DST_AHEAD = 32,
  /* cache lines prefetched of a row. 1 M rows of 64 into 100 k 44 -> 23, gathered 53 -> 25 */
  ROW_LINES = 8,
  /* the same where the hardware prefetcher foresees rows in order. Zen 4, 1 M rows of 64 float64: 0.85 of the time;
     listed rows 1.2 */
  ROW_LINES_IN_ORDER = 4,
  /* rows: src is prefetched further ahead than destinations. Unmeasured */
  SRC_ROWS_FURTHER = 16,
  /* elements: distance in a run to one destination. Unmeasured */
  RUN_AHEAD = 320,
  /* bytes: distance in a loop over elements in order. Zen 5, 10 M: sum 1.2 -> 0.83, maximum 1.3 -> 0.77; a sorted
     index, 10 M into 1 M: 7.9 -> 7.1, on two threads 7.1 -> 5.8 */
  ONWARD_BYTES = 8192,
  /* the same within long rows. Zen 4, 10 M, 8192 -> 4096: sum of float64 2.7 -> 2.3, maximum 3.8 -> 2.3, of float32 1.8
     -> 1.05, std 3.6 -> 2.6; in rows of 1000 float64 3.9 -> 2.7 */
  ALONG_BYTES = 4096,
  /* bytes: least of long rows. Zen 4, sums of rows of 100 float32 1.7 -> 2.1 if they were long, of 200 1.3 -> 1.9; of
     500 float64 4.1 -> 2.8 */
  ALONG_MIN = 2048
};

/* Prefetches of rows, and of sparse lines. */
enum {
  /* rows: the least of these distances. As above */
  ROWS_AHEAD_MIN = 8,
  /* rows: the greatest. As above */
  ROWS_AHEAD_MAX = 32,
  /* index values per cache line of their range: with no more, hardware prefetchers do not help. Zen 4, gather of
     300,000 lines of 3 from 100 each: 1.3 times as long with 0; of 10,000 of 100: 2.0 times with all */
  SPARSE_VALUES = 2,
  /* elements: distance in sparse lines. Zen 5, gather of 300,000 lines of 3, of 100 each: 13 -> 3.6; of 10,000 lines of
     100, of 1000 each: 4.0 -> 1.6 */
  LINES_AHEAD = 64
};

/* Short rows (short_rows.c): when they are joined as one line, or as lines. */
enum {
  /* columns: most of a row that becomes part of one line. ns per contribution, row by row / one line: Zen 4 2 columns
     8.4 / 1.1, 31 1.2 / 1.0, 128 0.9 / 1.0; Zen 5 56 0.85 / 0.66, 96 0.79 / 0.68, 128 1.1 / 1.2 */
  FLAT_COLUMNS = 96,
  /* columns: the same where destinations are prefetched. Zen 4, beyond L2: 2 columns 11 / 3.0, 31 2.7 / 2.5, 128 2.7 /
     2.4, 200 2.4 / 3.1 */
  FLAT_COLUMNS_FAR = 128,
  /* columns: most of a row that becomes one of several lines. Zen 5, 1 M sums, otherwise -> as lines: 100,000 rows of
     10 0.94 -> 0.58, 10,000 of 100 0.93 -> 0.48, 1000 of 1000 0.71 -> 0.49; means 5.2 -> 1.7, 4.8 -> 1.4, 4.4 -> 1.3 */
  LINES_COLUMNS = 1024,
  /* rows: fewest for which an index of constant rows is reduced to one value a row. 1 M rows of 64: 190 -> 40 */
  ROW_INDEX_MIN_ROWS = 256,
  /* columns: most of a gathered line that shares a call. 100,000 lines of 20: 3.3 -> 1.3 */
  GATHER_LINE_COLUMNS = 256
};

/* Costs by which a way is chosen (choose.c): hundredths of a nanosecond for a contribution. */
enum {
  /* to a destination that waits for its last sum, in memory. Zen 4 */
  CHAIN_COST = 330,
  /* the least that an owner takes to read one, its own or not. Zen 4 */
  READ_COST = 60,
  /* by partition. 10 M into 10 M on one thread, two: Zen 4 42, 25; Zen 5 38, 19; Xeon 55, 27 */
  PARTITION_COST = 400,
  /* times: what a mean's pairs take by partition. No gain on one thread and two; meant for more */
  MEAN_FACTOR = 2,
  /* samples per l2_bytes contributions, for the ranges of owners. 10 M into 1 M, two owners: 256 samples 15.4, a
     thousand 13.1 */
  SAMPLE_L2S = 32,
  /* samples: most for each owner. As above */
  OWNER_SAMPLE = 512,
  /* l2_bytes: fewest contributions of a thread by partition, over this. No gain on one thread and two; meant for more
     */
  PART_L2S = 4,
  /* quarters: destinations per contribution up to which a partition pays. One thread, into 10 M, alone -> by partition:
     10 M contributions 69 -> 59, 5 M 32 -> 35, 1 M 7.5 -> 17 */
  PART_QUARTERS = 5,
  /* columns: least of rows that are joined by owners and never by partition. 1 M rows of 64 into 100 k: alone 22, two
     owners 20, cut columns 40, listed by range first 75 */
  WIDE_ROW = 8,
  /* times: an index this much larger than the target pays for a copy of it. Zen 4, 1 M into 1000: 1.2 times as long
     without */
  LITTLE_INDEX = 10
};

/* Partition (partition.c) and means (mean.c). */
enum {
  /* ranges for each thread, at the least. Zen 4, one thread, means of 10 M into 10 M: 1.1 times as long with 1 */
  OWNERS_PER_THREAD = 4,
  /* contributions of a turn, least, per byte of L2. Zen 4, means of 10 M into 10 M: 1.14 times as long with 1 */
  TURN_MIN_L2S = 4,
  /* the same, most: a turn's copies stay in the last-level cache. Zen 4, 10 M into 10 M: 1.7 times as long with 8 */
  TURN_MAX_L2S = 64,
  /* elements whose pairs are started, or divided, at a time. A bound of memory; no gain in time */
  MEAN_CHUNK = 1 << 15,
  /* elements: rows of dimension 0 are taken together up to this many. Zen 4, means of 100,000 lines of 40 into 20 each:
     2.2 times as long with 1 */
  MEAN_ROW_MIN = 1 << 11,
  /* elements: longer rows get pairs of the whole target. Zen 5, 100,000 lines of 4 into 1000 each: 117 -> 75, 800 MB ->
     16 KB */
  MEAN_ROW_MAX = 1 << 17,
  /* turns of each thread, at the least, for means by rows. No gain on one thread and two; meant for more */
  MEAN_TURNS = 4
};

/* The loops of scatter and gather. */
enum {
  /* rows whose index values are tested at once. 10 M into 100: 6.1 -> 5.4 */
  UNROLL = 4,
  /* rows between prefetches of index and src, where destinations are prefetched. Unmeasured */
  BLOCKED_CHUNK = 16,
  /* the same where they are not. Unmeasured */
  NEAR_CHUNK = 32,
  /* chunks not tested for ordinary values after one that failed. Unmeasured */
  SKIP_CHUNKS = 4,
  /* parts of a sorted index joined side by side. 10 M sorted into 1 M: 12 -> 7.5 */
  STREAMS = 4,
  /* rows: longer runs, on average, are joined in a register. 10 M into one: 33 -> 8 */
  LONG_RUN = 64,
  /* rows skipped while the end of a run is looked for. Unmeasured */
  RUN_LEAP = 64,
  /* columns: most of rows whose loop is unrolled. amax, 1 M rows of 3 into 1000: 3.5 -> 1.7 */
  NARROW_COLUMNS = 4,
  /* columns of a row whose winners are found, then their positions. Unmeasured */
  WINNER_CHUNK = 64,
  /* words of 16 bytes: longer gathered rows are copied by a call. Unmeasured */
  COPY_WORDS = 8,
  /* values between tests whether an index still ascends. Unmeasured */
  ASCENT_CHUNK = 64
};

/* Groupings: the numbering of keys, walks over ids, orders within groups. */
enum {
  /* keys of a column made into codes at a time. Unmeasured */
  CODES_BLOCK = 1024,
  /* most parts of a numbering. Unmeasured */
  NUMBERING_PARTS = 1024,
  /* entries that a table of codes may have whatever the number of elements. Unmeasured */
  TABLE_MIN = 1 << 12,
  /* entries: most of a table of codes. Unmeasured */
  TABLE_MAX = 1 << 24,
  /* elements: fewer are partitioned or sorted, not hashed. Unmeasured */
  HASH_MIN = 64,
  /* codes looked at before they are hashed. Unmeasured */
  HASH_SAMPLE = 1 << 14,
  /* elements of a group, on average, at the least; with fewer, codes are partitioned or sorted.
     Unmeasured */
  HASH_GROUP_MIN = 4,
  /* elements of a partition, on average, at most: their table is in the L2 cache. 1 << 10 to 1 << 11: no difference */
  PARTITION_ITEMS = 1 << 11,
  /* bits of a number of a partition, at the most: more places would exceed the TLB. Unmeasured */
  PARTITION_BITS = 12,
  /* codes that a thread's first hash table has room for. Unmeasured */
  HASH_FIRST_ROOM = 1 << 10,
  /* ids that are read at a time. Unmeasured */
  IDS_BLOCK = 1024,
  /* ids looked at before threads share the groups. Unmeasured */
  IDS_SAMPLE = 1024,
  /* elements of the largest group: above that, all elements are sorted together. Unmeasured */
  GROUP_SORT_MAX = 1 << 16,
  /* first elements of a group: most that a walk finds if the records of all groups fit into half of llc_bytes. Zen 4,
     10 M, one thread, the order of all -> a walk: 10 of 10,000 groups 674 -> 56, 32 of them 723 -> 118, if values rise
     353 -> 339; 64 of them 743 -> 217 and 402 -> 662 */
  TOPK_NEAR_MAX = 32,
  /* the same if they do not fit. 5 of 400,000 groups 434 -> 276, if values rise 329 -> 376; 10 of 100,000 groups 597 ->
     203 and 321 -> 579 */
  TOPK_FAR_MAX = 8,
  /* elements of a group, on average, for each thread: with fewer, a thread has no records of its own. Unmeasured */
  OWN_RECORDS_MIN = 16
};

/* Blocks of rows: arrays on the stack, or in scratch. */
enum {
  /* index values, or elements, converted at a time. Unmeasured */
  INDEX_BLOCK = 1024,
  /* rows of a long line that may ascend by themselves. Unmeasured */
  SORTED_CHUNK = 32768,
  /* rows: fewest that are tested for it. Unmeasured */
  SORTED_MIN = 64,
  /* columns: narrower rows are converted together. 1 M rows of 3 float16: 13 -> 3 */
  CONVERT_NARROW = 32,
  /* rows that an owner lists at a time. Unmeasured */
  FILTER_BLOCK = 2048,
  /* listed rows between prefetches. Unmeasured */
  FILTER_BATCH = 128,
  /* elements: most that are prefetched of a row tested for one value. Zen 5, 1 M rows of 64: 33 -> 29 */
  ROW_INDEX_AHEAD = 512,
  /* rows looked at before all are tested for one value each. Unmeasured */
  ROW_SAMPLE = 64,
  /* contributions that a worker distributes at a time. Unmeasured */
  PARTITION_BLOCK = 1 << 15,
  /* the same in one row of a walk. Unmeasured */
  PARTITION_ROW = 1024,
  /* most ranges; destinations, if so few, get an owner each: 10 M into 100: 36 -> 12 */
  PARTITION_OWNERS = 256,
  /* histograms of a worker: neighbours often have one owner. Unmeasured */
  PARTITION_COUNTERS = 4,
  /* bytes: between its arrays, which alias in L1 if they lie whole pages apart. 10 M mean into 1 M: 66 -> 27 */
  PARTITION_OFFSET = 21 * CACHE_LINE
};

/* Sizes of samples and parts. */
enum {
  /* index values looked at before a way is chosen; shorter calls stay on one thread. Unmeasured */
  LEAST_SAMPLE = 256,
  /* the same for the ranges of owners. Unmeasured */
  MOST_SAMPLE = 2048,
  /* parts of an index, or owners. Unmeasured */
  MOST_CUTS = 64
};

/* Products of matrices. */
enum {
  /* rows of a packed panel of b, whose sums go through memory between panels */
  PANEL_DEPTH = 256,
  /* the same of a product with a vector, whose panels are wide */
  LINE_DEPTH = 64,
  /* the same of a product with a column, which is read in place; 256: 1.1 times as long for 1024 x 1024 */
  COLUMN_DEPTH = 4096,
  /* bytes: rows that lie a multiple of it apart share sets of L1, see join_skewed. Zen 4, 1024 x 1024 float32: 432 us
     -> 104; of 1000 x 1000, 75 -> 92 if all were skewed */
  COLUMN_SKEW = 2048,
  /* bytes: how far these rows are ahead of others. A cache line 126 us, two 110, three 104 */
  COLUMN_LEAD = 3 * CACHE_LINE,
  /* bytes: matrices of which a tile reads less are not packed. Zen 4, 100 x 100 x 100 float32: 28.6 us -> 23.2 */
  DIRECT_BYTES = 1 << 16,
  /* blocks, of small matrices, that a worker takes at once */
  PRODUCTS_AT_ONCE = 32,
  /* blocks of a product for each worker, to even out what else the machine does. Unmeasured */
  BLOCKS_PER_WORKER = 2,
  /* rows of a product in place between two tests whether the call must stop */
  THIN_STRIP = 1024,
  /* bytes of packed panels of a worker: a part of L2, or of the last-level cache */
  PANELS_BYTES = 1 << 20
};

/* Cumulative calls and segments. */
enum {
  /* adjacent lines: fewer are summed one by one. Zen 4, 3 of 33,000 float32: 0.20 -> 0.11 */
  SCAN_LINES_MIN = 5,
  /* lines whose state is in memory: most that go side by side. Unmeasured */
  SCAN_LINES = 64,
  /* lines whose state is in registers, unless there are more than twice as many and they are adjacent. Zen 4, 100 k
     floats in rows of 16: sums 0.195 -> 0.040, maxima 0.189 -> 0.058 */
  SCAN_GROUP = 4,
  /* elements of a line: new extremes are rare in longer ones, so that branches are foreseen. Unmeasured */
  SCAN_LONG_LINE = 64,
  /* elements: longer segments whose order matters are joined side by side; the processor overlaps shorter ones by
     itself. Unmeasured */
  SHORT_SEGMENT = 24,
  /* elements that are tested at once for a new extreme whose position is wanted. Unmeasured */
  WINNER_BLOCK = 2048
};

/* Copies of short rows. */
enum {
  /* elements: most of a row that is copied column by column, unless its elements are adjacent in both. Zen 4, 100 k
     floats, us a call: reversed in rows of 3 161 -> 27, of 16 67 -> 36; each repeated 4 times 171 -> 25 */
  SHORT_ROW = 16,
  /* the same where they are adjacent, and converted. float32 to float64 in rows of 3 216 -> 57, of 8 103 -> 62, of 16 47 ->
     91 */
  SHORT_CONVERTED = 8,
  /* bytes: most of a row that is copied as a whole. Rows of 3 into wider ones 214 -> 18, of 17 45 -> 16, of 100 15 -> 8;
     of 999, where memcpy is slow if the addresses differ by a few bytes within their pages, 117 -> 11 */
  SHORT_BYTES = 4096,
  /* rows that are walked column by column at a time. Elements repeated 4 times: 64 rows 29, 128 26, 256 25 */
  SHORT_ROWS = 256
};

/* Elementwise programs. */
enum {
  /* elements: shorter rows are joined as one, and those of inputs gathered if they are not adjacent. Unmeasured */
  JOINED_ROW = 128,
  /* elements of a block, where values pass from one instruction to another */
  PROGRAM_BLOCK = 512,
  /* blocks: how far ahead the inputs of a program that is not stored are prefetched. mean((x - y)^2) of 10 M, one
     thread of Zen 4: 6.5 -> 4.3 ms; masks that are counted: 6.4 -> 5.8. (Programs that are stored take longer with it:
     sigmoid 9.2 -> 11.8.) */
  PROGRAM_BLOCKS_AHEAD = 2,
  /* times: inputs smaller than that many L2 are not prefetched, as the last-level cache may hold them. Of 100 k: 22 us ->
     25; of 1 M: 278 us -> 277; of 3 M: 2.0 ms -> 1.2 */
  PROGRAM_MIN_L2S = 16,
  /* elements: flags that are made bits at once: a block of L1. Unmeasured */
  NONZERO_FLAGS = 1 << 12,
  /* elements: the first ones of each that is repeated are written without a branch. By counts up to 8: 100 k elements
     0.132 -> 0.045, 10 M 39 -> 6.9 */
  REPEAT_AHEAD = 8,
  /* bits: a word of 64 flags with as many is compressed by vectors of AVX-512; one with fewer, element by element. Zen 4,
     100 k float64, 6 % true: 3 bits 17 us, 6 bits 11.5, 10 bits 10; float32: 10.8, 9.4, 11.7 */
  COMPRESS_VECTOR_BITS = 8
};

/* Folds and sorts. */
enum {
  /* elements of the short rows that make a tile; between tiles memory idles. Sums of rows of 10000, a tile each: 1.15
     times as long */
  FOLD_TILE_ELEMENTS = 1 << 17,
  /* elements: shorter folds go across outputs. Zen 4, 10 M floats in rows of 12: sum 13 -> 6.9, maximum 25 -> 7.2; of
     16, 24: sum 6.3 and 6.5 across, 3.7 and 3.5 along; of 20: 6.6 and 8.5 */
  FOLD_ACROSS_MAX = 16,
  /* items: fewer are sorted by digits of sort_few_bits. Zen 4, lines of 100: 1.75 times as long with 0, 10 M: 1.13
     times with all */
  SORT_FEW = 4096,
  /* bits: shorter digits, whose counts are cheaper to add up. Zen 4, lines of 100: 1.74 times as long with 11 */
  SORT_FEW_BITS = 8,
  /* bits: few broad items are sorted by these highest ones, then by insertion. Zen 4, one line: 1000 float64 20 us -> 16,
     int64 19 -> 14; 4000 65 -> 52, 61 -> 41. (24 bits of narrow ones: 12 us -> 11, near-tied ones with two outliers, 4000
     37 -> 71.) */
  SORT_HIGH_BITS = 32,
  /* moves of an item, on average, before they are sorted by all bits. Unmeasured */
  SORT_HIGH_MOVES = 4,
  /* items: most that a heap selects. Zen 4, the largest 6000 of 100 lines of 100,000: 2.4 times as long by a heap */
  HEAP_MAX = 4096,
  /* items of a line for each that a heap selects, at the least. Zen 4, the largest 1500 of lines of 3000: 5 times as
     long with 1 */
  HEAP_PART = 16,
  /* items: longer lines are sorted by all threads together, if they are few. A bound of memory; no gain in time on two
     threads */
  SHARED_LINE = 1 << 20,
  /* lines per thread: few are fewer. Zen 4, five lines of 2 M: 1.1 times as long with all */
  SHARED_LINES = 8,
  /* items: of longer ones each thread has one at a time, to save memory. No gain in time */
  ALONE_LINE = 1 << 14,
  /* buckets of equal size for each thread: larger buckets are shared. Unmeasured */
  BUCKET_PARTS = 8,
  /* bytes of a tile's values. Unmeasured */
  FOLD_TILE_BYTES = 1024,
  /* rows: distance across rows. Dimension 0 of 1000 x 10 k: sums of float16 3.3 -> 1.0, maxima of float32 2.9 -> 1.4 */
  FOLD_ROWS_AHEAD = 8,
  /* bytes: nearer rows of one lane are joined one by one, but for those of bytes. Sums over dimension 0, one thread of
     Zen 4: float64, 16 columns 3.3 ms, eight at a time 4.1; 64 columns 3.1 and 2.5; 100 columns 3.8 and 2.9 */
  FOLD_LANES_APART = 4096,
  /* pieces of a long fold for each part. Unmeasured */
  FOLD_PIECES = 2,
  /* rows between tests whether all winners are found. argmax over dimension 0 of 1 M x 8 zeros and ones: 10 -> 1.8 */
  FOLD_SOON = 16,
  /* columns: narrower rows are tested for winners together. Zen 4, argmax over dimension 0 of 100 k: 3 columns of
     float32 145 us -> 49, of int64 43 us -> 39; 8 columns 152 -> 47, 29 -> 29; 16 columns 38 -> 31, 26 -> 29 */
  FOLD_NARROW = 12,
  /* elements of a line, for each byte of an element: longer ones are not sorted side by side by vectors. Zen 4, 2 M,
     ns per element otherwise -> side by side: uint8 in lines of 128 7.1 -> 5.1, 256 5.7 -> 5.7; float32 16 11.2 -> 4.5,
     128 15.5 -> 4.9, 1000 9.6 -> 7.1; float64 64 69 -> 8.2, 1000 24 -> 11 */
  LANES_VECTORS = 256,
  /* the same by SSE2: uint8 64 10.2 -> 7.4, 256 5.7 -> 10.6; float32 256 11 -> 11, 1000 9.6 -> 14.5; float64 512 25 -> 16
     */
  LANES_PLAIN = 64,
  /* elements: bounds for all. float32 in lines of 2 14.6 -> 13, float64 16 -> 20 */
  LANES_MOST = 1024,
  LANES_LEAST = 4,
  /* elements: the same where a heap selects few, half of that if an element has 8 bytes. The largest 5 of lines of 100
     42 ms -> 34 (10 M), of 1000 16 -> 54; of float64 lines of 128 11 -> 14 */
  LANES_SELECT = 128,
  /* lines: fewer are sorted one by one. A block takes the same time for any number of them */
  LANES_MIN = 3,
  /* elements of a line alone, for each squared byte of an element: longer ones are not sorted by a network. Zen 4, us a
     call by another method -> by it: float32 100 2.4 -> 1.5, 1000 9.9 -> 5.4, 4096 32 -> 22, 8192 61 -> 50; float64 100
     3.7 -> 1.6, 1000 13.7 -> 6.8, 16384 231 -> 140; float16 1000 6.8 -> 5.2, 2100 12.6 -> 18. float32 48, by insertion
     1.3, otherwise 1.3 */
  NETWORK_MOST = 256,
  /* elements of a short line that may be taken out, so that the rest rises and both are merged: RISING_FEW, and one in
     16 of those read so far, at most RISING_MOST. An element that is out of order is taken out if more than
     RISING_BACK before it are greater, else these are. Zen 4, 1000 float32 in order except 10: 5.6 us -> 3.3; in any
     order 5.5 -> 5.5 */
  RISING_FEW = 8,
  RISING_MOST = 64,
  RISING_BACK = 3,
  /* moves of an item, on average, before another method sorts a line with ties between its items. Unmeasured */
  SETTLING_MOVES = 4,
  /* elements: of fewer those in the bin of a rank are kept, of more those between two of a sample. Zen 4, medians of
     float32: 1000 10.9 us with neither, 4.9 by samples of 32, 3.1; 100 k 1.1 ms -> 0.15; 10 M 95 ms -> 13; of float64:
     8000 87 us by samples of 32, 44 by bins of keys, 17 */
  SAMPLE_MIN = 1 << 13,
  /* elements of a sample, and places that its bounds are apart from the expected one: three standard deviations.
     Unmeasured */
  SAMPLE = 128,
  SAMPLE_MARGIN = 17,
  /* the same for fewer elements than SAMPLE_MIN: bins lie around these. float32: samples of 32 cost
     0.4 us more of 60 */
  SAMPLE_FEW = 16,
  SAMPLE_FEW_MARGIN = 4,
  /* items: no more are sorted by insertion. Zen 4, orders within 100,000 groups of 10 M, one thread: 8 items 384, 16
     349, 48 306 */
  SORT_INSERTION = 48,
  /* elements: in longer sorted lines values are searched, in others counted. Zen 4, 1000 float32, us a call: in 5 6.7 ->
     2.6, 10 5.9 -> 3.3, 16 5.7 -> 4.2, 24 6.6 -> 5.6; 1 M in 24 6.1 ms -> 5.1 */
  COUNTED_MOST = 16,
  /* elements: values of lines of bytes from this length on are written key by key. Unmeasured */
  BYTES_BY_KEY = 1 << 12,
  /* elements converted to items at a time. Unmeasured */
  SORT_CHUNK = 512,
  /* most parts of a sort. Unmeasured */
  SORT_PARTS = 64,
  /* bits of a digit, at most. Unmeasured */
  SORT_DIGIT_BITS = 11
};

#endif
