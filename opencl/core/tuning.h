/* tuning.h: collects the numbers on which the speed of the OpenCL device depends, but no result. Each has its unit and
   meaning. "Measured" names the case; all others are unmeasured. Numbers that a kernel repeats, or that define the
   order of a sum, are beside their code, and so are those of elementwise.c and reduce.c.

   "Per unit" means per compute unit of the device, "turns" are loop iterations. */
#ifndef STREW_OPENCL_TUNING_H
#define STREW_OPENCL_TUNING_H

/* --------------------------------------------------------------------------------------------- device and launches */

enum {
  /* turns of one launch, about 0.1 s. Measured: 1 to 10 ns a turn on one core (PoCL, 2 cores) */
  TURNS_OF_CPU_LAUNCH = 1 << 25,
  TURNS_OF_GPU_LAUNCH = 1 << 28,
  EMULATION_FACTOR = 8, /* fewer turns on devices that emulate floats or stop long loops. Measured: ten times slower */
  LONG_ITEM_SHARE = 8, /* a CPU's work-item is long, and a group of its own, from 1/8 of a launch for its GROUP items */
  BATCH_LAUNCHES = 64, /* launches that the host enqueues before it waits for the batch before */
  YIELD_NS = 1000000,  /* ns of polling by sched_yield before the host sleeps between polls */
  LONGEST_PAUSE_NS = 2000000,      /* ns of sleep between polls at most */
  PAUSE_SHARE = 32,                /* a pause is 1/32 of the time waited */
  TRANSFER_CHUNK_BYTES = 16 << 20, /* bytes of one read or write, which cannot be stopped */
  /* bytes of a transfer through the driver's host memory, at most: a survey's 2048 findings of 16 bytes */
  STAGED_BYTES = 1 << 15,
  STAGING_BYTES = 1 << 16,     /* of that memory */
  DRAFT_CHUNK_BYTES = 1 << 27, /* bytes of one copy on the device, which cannot be stopped */
};

/* ---------------------------------------------------------------------------------------------------------- scatter */

enum {
  /* Choice of the method on a CPU. Measured: the table in core/scatter/scatter.c decided between the methods. */
  SCATTER_CPU_SMALL = 16384,         /* contributions up to which one work-item does all (a launch: 5 us) */
  SCATTER_CPU_WIDE = 16,             /* columns from which work-items divide columns, or owners walk the index */
  SCATTER_CPU_FEW_UNITS = 4,         /* compute units up to which one work-item serves a target in cache */
  SCATTER_CPU_CACHE_BYTES = 1 << 18, /* bytes of a target that stays in a core's cache */
  SCATTER_CPU_LONG_LINE = 65536,     /* contributions of a line that repay testing the index for order */

  /* Choice of the method on a GPU. Measured, except the last: the table in core/scatter/scatter.c. */
  SCATTER_GPU_SMALL = 1024,      /* contributions up to which one group does all */
  SCATTER_GPU_SHORT_LINE = 128,  /* contributions up to which sorting a line does not pay */
  SCATTER_GPU_MANY_ROWS = 4096,  /* rows that keep a GPU busy without sorting */
  SCATTER_GPU_LONG_LINE = 65536, /* contributions of a line that repay testing the index for order */

  /* Atomics. */
  ATOMIC_MANY_DESTINATIONS = 1 << 16, /* destinations from which atomics seldom contend */
  ATOMIC_TURNS = 4,                   /* turns that an atomic counts as */

  /* One group. */
  GROUP_TILE = 1024, /* index values in local memory */

  /* Partition. Measured: 32 owners instead of 8 took a fifth longer (10 M f32 into 1 M): 8 owners of blocks of 32,768
     keep a work-item's write streams in its cache. */
  PARTITION_BLOCK = 32768, /* contributions per work-item */
  PARTITION_LEAST_OWNERS = 8,
  PARTITION_MOST_OWNERS = 64,
  PARTITION_OWNERS_PER_UNIT = 4,

  /* Sort. */
  SORT_LONG_RUN = 512, /* contributions to a destination from which a group combines them (estimated: 0.5 us each) */
  SEGMENT_GROUPS_PER_UNIT = 8, /* groups that look for long segments, and join them */
  /* times as long a segment of rows: a group reads 32 bytes for each element of a column, neighbours 4. By counts */
  SEGMENT_COLUMNS_LONGER = 8,
  SORT_TILE = 1024, /* values in a group's local memory */
  SORT_ACROSS = 16, /* columns that a group combines at once, at most */

  /* Sorted index. */
  SORTED_CHUNK = 65536, /* contributions per work-item */

  /* Walk. */
  WALK_VECTOR = 4,           /* adjacent columns that count as one turn */
  WALK_MANY_GROUPS = 64,     /* groups of GROUP work-items that occupy all cores of a CPU */
  WALK_NARROWEST_BLOCK = 16, /* columns per work-item. Measured: see column_block in core/scatter/walk.c */
  /* a draft up to 1/4 of the bytes of index costs less than a check before. Measured: 10 M into 10,000, 4 ms of 15 */
  WALK_DRAFT_SHARE = 4,

  /* For tests, by the word `tiny` of STREW_OPENCL_ASSUME. */
  TINY_BLOCK = 32,
  TINY_RUN = 8
};

/* ------------------------------------------------------------------------------------------------ index and sorting */

enum {
  INDEX_CPU_CHUNK = 32768,      /* values per work-item */
  INDEX_GPU_VALUES = 32,        /* values per work-item */
  INDEX_FIRST_CHUNK = 4096,     /* values per work-item that looks for the first bad one */
  INDEX_MOST_RANGES = 1024,     /* groups whose ranges the host combines at a time */
  PREFIX_CPU_TILE = 4096,       /* numbers per work-item */
  PREFIX_GPU_NUMBERS = 8,       /* numbers per work-item */
  PREFIX_FEW_TOTALS = 1024,     /* tiles up to which a group sums the totals before its own: 4 loads per work-item */
  NONZERO_CPU_BLOCK = 8192,     /* elements per work-item */
  NONZERO_GPU_ELEMENTS = 8,     /* elements per work-item */
  RADIX_LONGEST_BLOCK = 16384,  /* items per work-item of a CPU, at most: long, to repay the digit counters */
  RADIX_SHORTEST_BLOCK = 2048,  /* ... at least */
  RADIX_BLOCKS_PER_UNIT = 4,    /* blocks that occupy a compute unit */
  SORT_ITEM_TURNS = 8,          /* turns that an item counts as */
  SORT_LINE_BYTES = 8192,       /* bytes of a line in local memory; on a GPU twice that, since CPUs need two lists */
  SORT_SURVEY_TILE = 8192,      /* elements per group that finds the bits in which keys differ */
  TOP_LONGEST_TILE = 16384,     /* elements from which a CPU's work-item selects the first few, by a heap */
  TOP_LONG_LOOP = 1 << 20,      /* a device that takes loops of this length is not bounded in them */
  TOP_TILES_PER_UNIT = 4,       /* tiles that occupy a compute unit */
  SORT_ITEMS_AT_ONCE = 1 << 26, /* items of one block of lines */
  KEYS_FEW_RANGE = 4096,        /* keys that a table numbers, whatever the elements ... */
  KEYS_LARGEST_RANGE = 1 << 20, /* ... and at most, if there are as many elements */
  KEYS_GPU_EACH = 16,           /* elements of a work-item that looks for first positions */
  KEYS_CPU_EACH = 64,           /* ... of a CPU's */
};

/* --------------------------------------------------------------------------------------- cumsum, exact sums, matmul */

enum {
  CUMSUM_SPAN = 4,           /* blocks per work-item of a CPU */
  CUMSUM_SHORT = 32,         /* elements: a line below this is one work-item's */
  CUMSUM_LEAST_COLUMNS = 8,  /* neighbouring lines that are worth a tile */
  CUMSUM_LINES_PER_UNIT = 4, /* work-items that occupy a compute unit */
  CUMSUM_MANY_LINES = 1024,  /* lines from which a GPU carries by one work-item each */
  CUMSUM_FEW_BLOCKS = 64,    /* blocks up to which it does so, too */

  MATMUL_PRODUCTS = 8,        /* multiplications that count as a turn */
  MATMUL_SOFT_FUSED = 128,    /* times as long by integers (llvmpipe: 36 s of work were in the queue with 1) */
  MATMUL_VECTOR_FACTOR = 2,   /* an element of a vector takes as long as this many of a matrix */
  MATMUL_MOST_TURNS = 128,    /* turns per term of the sum over k, at most */
  MATMUL_TILES_PER_UNIT = 4,  /* tiles that occupy a compute unit */
  MATMUL_PANELS_PER_UNIT = 8, /* work-items that occupy a core */
  MATMUL_LEAST_ROWS = 16,     /* rows per work-item that repay packing b */
  MATMUL_MOST_ROWS = 256,     /* rows per work-item, at most */

  EXACT_LOOP = 64,            /* turns that a term counts as, where long loops are stopped */
  EXACT_TURNS = 8,            /* turns that a term counts as, of launches */
  EXACT_SURVEYED = 16,        /* terms per work-item that surveys, at least */
  EXACT_SURVEY_GROUPS = 1024, /* groups whose findings the host reads, if loops may be so long */
  EXACT_ADDED = 16,           /* terms per work-item that adds to results in global memory */
  EXACT_ADDED_FEW = 64,       /* ... that adds to the group's copy of all results */
  EXACT_OWN_WORDS = 1024,     /* words of 64 bits of such a copy, at most */
  EXACT_CPU_EACH = 1024,      /* terms per work-item of a CPU */
  EXACT_HELD = 3,             /* limbs that a work-item holds in registers */

  RANDOM_TURNS = 4 /* turns that a number counts as */
};

#endif
