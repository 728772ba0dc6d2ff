/* tuning.h: the tuned numbers of the CPU's scatter, gather, index checks, folds, sorts, groupings, products and
   programs. None of them changes a result.

   What differs between the processors measured so far is a column of struct tuning, and so are the caches, which tests
   shrink; tuning.c has a row for each processor family, the default last. No other file knows which processor it runs
   on. The other numbers are enumerators, the same everywhere: see below the struct.

   Each number: unit: meaning. What set it is in scripts/bench/RESULTS.md, "Tuned numbers"; the others are
   unmeasured. */
#ifndef STREW_TUNING_H
#define STREW_TUNING_H

#include "isa.h"

#include <stdint.h>

/* Processor families by how they wait for memory: AMD up to Zen 4, whose hardware prefetcher looks far ahead in data
   that is read in order; AMD from Zen 5 on, whose prefetcher does not, but which keeps enough loads under way that
   destinations in L2 need no prefetch; all others, which are taken for an Intel Xeon. */
enum processor { PROCESSOR_ZEN4, PROCESSOR_ZEN5, PROCESSOR_OTHER, PROCESSOR_COUNT };

struct tuning {
  const char *name;

  /* ---- Caches: the share of each level that one thread's destinations may fill. */
  int64_t l1_bytes;  /* bytes: half of L1. Destinations in it are not prefetched */
  int64_t l2_bytes;  /* bytes: a part of L2; many sizes below are multiples of it */
  int64_t llc_bytes; /* bytes: a part of the last-level cache */

  /* ---- Prefetches of index and src, which are read once. */
  bool streams_nta;     /* flag: by NTA, so that they do not evict destinations; else into L2 */
  int64_t stream_ahead; /* rows: distance */
  bool foresees_order;  /* flag: the hardware prefetcher is enough for data read in order, in place */

  /* ---- Prefetches of destinations, and of what is gathered. */
  int64_t dst_min_l2s; /* l2_bytes: ranges of more than that many are prefetched */
  bool dst_in_l2;      /* flag: ranges that exceed L1 gain, too, where a line goes in blocks or is assigned */
  /* elements: distance in blocks, for ordered reductions: sums wait for a repeated destination */
  int64_t dst_ahead_sums;
  int64_t row_bytes_ahead; /* bytes: distance of rows, as bytes of rows between */

  /* ---- Runs of contributions to one destination (core_loops.h). */
  int64_t run_tile;          /* elements: most whose sum is taken at once; a power of two, at least 64 */
  int64_t run_tile_least[2]; /* the same, least, of float32 and float64; smaller ones are added one by one */
  int64_t run_chunk;         /* elements that a thread reads at a time, of a run that threads share */

  /* ---- Costs by which a way is chosen (choose.c): hundredths of a nanosecond for a contribution. */
  int join_cost[4]; /* by range: in L1, L2, the last-level cache, memory */
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
  DST_AHEAD = 32,         /* elements: distance of destinations, and of what is gathered */
  ROW_LINES = 8,          /* cache lines prefetched of a row */
  ROW_LINES_IN_ORDER = 4, /* the same where the hardware prefetcher foresees rows in order */
  SRC_ROWS_FURTHER = 16,  /* rows: src is prefetched further ahead than destinations */
  RUN_AHEAD = 320,        /* elements: distance in a run to one destination */
  ONWARD_BYTES = 8192,    /* bytes: distance in a loop over elements in order */
  ALONG_BYTES = 4096,     /* the same within long rows */
  ALONG_MIN = 2048        /* bytes: least of long rows */
};

/* Prefetches of rows, and of sparse lines. */
enum {
  ROWS_AHEAD_MIN = 8,  /* rows: the least of these distances */
  ROWS_AHEAD_MAX = 32, /* rows: the greatest */
  SPARSE_VALUES = 2,   /* index values per cache line of their range: with no more, hardware prefetchers do not help */
  LINES_AHEAD = 64     /* elements: distance in sparse lines */
};

/* Short rows (short_rows.c): when they are joined as one line, or as lines. */
enum {
  FLAT_COLUMNS = 96,        /* columns: most of a row that becomes part of one line */
  FLAT_COLUMNS_FAR = 128,   /* columns: the same where destinations are prefetched */
  LINES_COLUMNS = 1024,     /* columns: most of a row that becomes one of several lines */
  ROW_INDEX_MIN_ROWS = 256, /* rows: fewest for which an index of constant rows is reduced to one value a row */
  GATHER_LINE_COLUMNS = 256 /* columns: most of a gathered line that shares a call */
};

/* Costs by which a way is chosen (choose.c): hundredths of a nanosecond for a contribution. */
enum {
  CHAIN_COST = 330,     /* to a destination that waits for its last sum, in memory */
  READ_COST = 60,       /* the least that an owner takes to read one, its own or not */
  PARTITION_COST = 400, /* by partition */
  MEAN_FACTOR = 2,      /* times: what a mean's pairs take by partition */
  SAMPLE_L2S = 32,      /* samples per l2_bytes contributions, for the ranges of owners */
  OWNER_SAMPLE = 512,   /* samples: most for each owner */
  PART_L2S = 4,         /* l2_bytes: fewest contributions of a thread by partition, over this */
  PART_QUARTERS = 5,    /* quarters: destinations per contribution up to which a partition pays */
  WIDE_ROW = 8,         /* columns: least of rows that are joined by owners and never by partition */
  HOT_PERCENT = 70,     /* percent of a sample: least share of that key */
  LITTLE_INDEX = 10     /* times: an index this much larger than the target pays for a copy of it */
};

/* Partition (partition.c) and means (mean.c). */
enum {
  OWNERS_PER_THREAD = 4,  /* ranges for each thread, at the least */
  TURN_MIN_L2S = 4,       /* contributions of a turn, least, per byte of L2 */
  TURN_MAX_L2S = 64,      /* the same, most: a turn's copies stay in the last-level cache */
  MEAN_CHUNK = 1 << 15,   /* elements whose pairs are started, or divided, at a time */
  MEAN_ROW_MIN = 1 << 11, /* elements: rows of dimension 0 are taken together up to this many */
  MEAN_ROW_MAX = 1 << 17, /* elements: longer rows get pairs of the whole target */
  MEAN_TURNS = 4          /* turns of each thread, at the least, for means by rows */
};

/* The loops of scatter and gather. */
enum {
  UNROLL = 4,         /* rows whose index values are tested at once */
  BLOCKED_CHUNK = 16, /* rows between prefetches of index and src, where destinations are prefetched */
  NEAR_CHUNK = 32,    /* the same where they are not */
  SKIP_CHUNKS = 4,    /* chunks not tested for ordinary values after one that failed */
  STREAMS = 4,        /* parts of a sorted index joined side by side */
  LONG_RUN = 64,      /* rows: longer runs, on average, are joined in a register */
  RUN_LEAP = 64,      /* rows skipped while the end of a run is looked for */
  NARROW_COLUMNS = 4, /* columns: most of rows whose loop is unrolled */
  WINNER_CHUNK = 64,  /* columns of a row whose winners are found, then their positions */
  COPY_WORDS = 8,     /* words of 16 bytes: longer gathered rows are copied by a call */
  ASCENT_CHUNK = 64   /* values between tests whether an index still ascends */
};

/* Groupings: the numbering of keys, walks over ids, orders within groups. */
enum {
  CODES_BLOCK = 1024,     /* keys of a column made into codes at a time */
  NUMBERING_PARTS = 1024, /* most parts of a numbering */
  TABLE_MIN = 1 << 12,    /* entries that a table of codes may have whatever the number of elements */
  TABLE_MAX = 1 << 24,    /* entries: most of a table of codes */
  HASH_MIN = 64,          /* elements: fewer are partitioned or sorted, not hashed */
  HASH_SAMPLE = 1 << 14,  /* codes looked at before they are hashed */
  HASH_GROUP_MIN = 4, /* elements of a group, on average, at the least; with fewer, codes are partitioned or sorted */
  PARTITION_ITEMS = 1 << 11, /* elements of a partition, on average, at most: their table is in the L2 cache */
  PARTITION_BITS = 12,       /* bits of a number of a partition, at the most: more places would exceed the TLB */
  HASH_FIRST_ROOM = 1 << 10, /* codes that a thread's first hash table has room for */
  IDS_BLOCK = 1024,          /* ids that are read at a time */
  PARTS_AHEAD = 96,          /* elements: distance of records that parts join: 10 M float64 into 1 M 100 ms -> 86 */
  IDS_SAMPLE = 1024,         /* ids looked at before threads share the groups */
  GROUP_SORT_MAX = 1 << 16,  /* elements of the largest group: above that, all elements are sorted together */
  /* first elements of a group: most that a walk finds if the records of all groups fit into half of llc_bytes */
  TOPK_NEAR_MAX = 32,
  TOPK_FAR_MAX = 8, /* the same if they do not fit */
  /* elements of a group, on average, for each thread: with fewer, a thread has no records of its own */
  OWN_RECORDS_MIN = 16
};

/* Blocks of rows: arrays on the stack, or in scratch. */
enum {
  INDEX_BLOCK = 1024,                /* index values, or elements, converted at a time */
  SORTED_CHUNK = 32768,              /* rows of a long line that may ascend by themselves */
  SORTED_MIN = 64,                   /* rows: fewest that are tested for it */
  CONVERT_NARROW = 32,               /* columns: narrower rows are converted together */
  FILTER_BLOCK = 2048,               /* rows that an owner lists at a time */
  FILTER_BATCH = 128,                /* listed rows between prefetches */
  ROW_INDEX_AHEAD = 512,             /* elements: most that are prefetched of a row tested for one value */
  ROW_SAMPLE = 64,                   /* rows looked at before all are tested for one value each */
  PARTITION_BLOCK = 1 << 15,         /* contributions that a worker distributes at a time */
  PARTITION_ROW = 1024,              /* the same in one row of a walk */
  PARTITION_OWNERS = 256,            /* most ranges; destinations, if so few, get an owner each */
  PARTITION_COUNTERS = 4,            /* histograms of a worker: neighbours often have one owner */
  PARTITION_OFFSET = 21 * CACHE_LINE /* bytes: between its arrays, which alias in L1 if they lie whole pages apart */
};

/* Sizes of samples and parts. */
enum {
  LEAST_SAMPLE = 256, /* index values looked at before a way is chosen; shorter calls stay on one thread */
  MOST_SAMPLE = 2048, /* the same for the ranges of owners */
  MOST_CUTS = 64      /* parts of an index, or owners */
};

/* Products of matrices. */
enum {
  PANEL_DEPTH = 256,            /* rows of a packed panel of b, whose sums go through memory between panels */
  LINE_DEPTH = 64,              /* the same of a product with a vector, whose panels are wide */
  COLUMN_DEPTH = 4096,          /* the same of a product with a column, which is read in place */
  COLUMN_SKEW = 2048,           /* bytes: rows that lie a multiple of it apart share sets of L1, see join_skewed */
  COLUMN_LEAD = 3 * CACHE_LINE, /* bytes: how far these rows are ahead of others */
  DIRECT_BYTES = 1 << 16,       /* bytes: matrices of which a tile reads less are not packed */
  PRODUCTS_AT_ONCE = 32,        /* blocks, of small matrices, that a worker takes at once */
  BLOCKS_PER_WORKER = 2,        /* blocks of a product for each worker, to even out what else the machine does */
  THIN_STRIP = 1024,            /* rows of a product in place between two tests whether the call must stop */
  PANELS_BYTES = 1 << 20        /* bytes of packed panels of a worker: a part of L2, or of the last-level cache */
};

/* Cumulative calls and segments. */
enum {
  SCAN_LINES_MIN = 5, /* adjacent lines: fewer are summed one by one */
  SCAN_LINES = 64,    /* lines whose state is in memory: most that go side by side */
  /* lines whose state is in registers, unless there are more than twice as many and they are adjacent */
  SCAN_GROUP = 4,
  SCAN_LONG_LINE = 64, /* elements of a line: new extremes are rare in longer ones, so that branches are foreseen */
  /* elements: longer segments whose order matters are joined side by side; the processor overlaps shorter ones by
     itself */
  SHORT_SEGMENT = 24,
  WINNER_BLOCK = 2048 /* elements that are tested at once for a new extreme whose position is wanted */
};

/* Copies of short rows. */
enum {
  /* elements: most of a row that is copied column by column, unless its elements are adjacent in both */
  SHORT_ROW = 16,
  SHORT_CONVERTED = 8, /* the same where they are adjacent, and converted */
  SHORT_BYTES = 4096,  /* bytes: most of a row that is copied as a whole */
  SHORT_ROWS = 256     /* rows that are walked column by column at a time */
};

/* Elementwise programs. */
enum {
  /* elements: shorter rows are joined as one, and those of inputs gathered if they are not adjacent */
  JOINED_ROW = 128,
  PROGRAM_BLOCK = 512,      /* elements of a block, where values pass from one instruction to another */
  PROGRAM_BLOCKS_AHEAD = 2, /* blocks: how far ahead the inputs of a program that is not stored are prefetched */
  /* times: inputs smaller than that many L2 are not prefetched, as the last-level cache may hold them */
  PROGRAM_MIN_L2S = 16,
  NONZERO_FLAGS = 1 << 12, /* elements: flags that are made bits at once: a block of L1 */
  REPEAT_AHEAD = 8,        /* elements: the first ones of each that is repeated are written without a branch */
  /* bits: a word of 64 flags with as many is compressed by vectors of AVX-512; one with fewer, element by element */
  COMPRESS_VECTOR_BITS = 8
};

/* Folds and sorts. */
enum {
  FOLD_TILE_ELEMENTS = 1 << 17, /* elements of the short rows that make a tile; between tiles memory idles */
  FOLD_ACROSS_MAX = 16,         /* elements: shorter folds go across outputs */
  SORT_FEW = 4096,              /* items: fewer are sorted by digits of SORT_FEW_BITS */
  SORT_FEW_BITS = 8,            /* bits: shorter digits, whose counts are cheaper to add up */
  NARROW_SAMPLE = 64,           /* keys looked at before those of a line are bounded */
  CODED_SAMPLE = 57,            /* different ones of these: of lines with more, keys have no codes */
  SORT_VECTORS_MOST = 1 << 22,  /* words: more are sorted by digits, where a call can stop */
  HEAP_MAX = 4096,              /* items: most that a heap selects */
  HEAP_PART = 16,               /* items of a line for each that a heap selects, at the least */
  KEYS_MOST = 1 << 14,          /* elements of a line whose keys are all loaded first */
  SHARED_LINE = 1 << 20,        /* items: longer lines are sorted by all threads together, if they are few */
  SHARED_LINES = 8,             /* lines per thread: few are fewer */
  ALONE_LINE = 1 << 14,         /* items: of longer ones each thread has one at a time, to save memory */
  BUCKET_PARTS = 8,             /* buckets of equal size for each thread: larger buckets are shared */
  FOLD_TILE_BYTES = 1024,       /* bytes of a tile's values */
  FOLD_ROWS_AHEAD = 8,          /* rows: distance across rows */
  FOLD_LANES_APART = 4096,      /* bytes: nearer rows of one lane are joined one by one, but for those of bytes */
  FOLD_PIECES = 2,              /* pieces of a long fold for each part */
  FOLD_RESULT_BYTES = 512,      /* what a short row's result takes, as bytes that are summed */
  FOLD_SOON = 16,               /* rows between tests whether all winners are found */
  FOLD_NARROW = 12,             /* columns: narrower rows are tested for winners together */
  /* elements of a line: longer ones are not sorted side by side by vectors; bytes: half as many */
  LANES_VECTORS = 512,
  LANES_COLUMNS = 4096, /* the same of adjacent columns */
  LANES_PLAIN = 64,     /* the same by SSE2, for each byte of an element */
  LANES_SURE = 128,     /* longer rows are sorted one by one if the first ones seem to rise or to fall */
  LANES_LEAST = 1,
  LANES_MIN = 3, /* lines: fewer are sorted one by one. A block takes the same time for any number of them */
  /* elements of a short line that may be taken out, so that the rest rises and both are merged: RISING_FEW, and one
     in 16 of those read so far, at most RISING_MOST. An element that is out of order is taken out if more than
     RISING_BACK before it are greater, else these are */
  RISING_FEW = 8,
  RISING_MOST = 64,
  RISING_BACK = 3,
  RISING_LEAST = 128, /* elements: shorter lines are sorted in any case */
  /* elements: of fewer those in the bin of a rank are kept, of more those between two of a sample */
  SAMPLE_MIN = 1 << 13,
  /* elements of a sample, and places that its bounds are apart from the expected one: three standard deviations */
  SAMPLE = 128,
  SAMPLE_MARGIN = 17,
  SAMPLE_FEW = 16, /* the same for fewer elements than SAMPLE_MIN: bins lie around these */
  SAMPLE_FEW_MARGIN = 4,
  SORT_INSERTION = 48,         /* items: no more are sorted by insertion */
  SORT_INSERTION_VECTORS = 16, /* the same where vectors sort more */
  COUNTED_MOST = 16,           /* elements: in longer sorted lines values are searched, in others counted */
  BYTES_BY_KEY = 1 << 12,      /* elements: values of lines of bytes from this length on are written key by key */
  PICKED_MOST = 256,           /* elements of a line: values of longer ones are made of their keys */
  SORT_CHUNK = 512,            /* elements converted to items at a time */
  SORT_PARTS = 64,             /* most parts of a sort */
  SORT_DIGIT_BITS = 11         /* bits of a digit, at most */
};

#endif
