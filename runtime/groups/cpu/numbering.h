/* numbering.h: what the files that number keys share: codes, and phases over them (numbering.c); the ways
   (number_by_table.c, number_by_hash.c, number_by_partition.c, number_by_sorting.c), of which number_keys.c takes one. */
#ifndef STREW_CPU_NUMBERING_H
#define STREW_CPU_NUMBERING_H

#include "runtime/core/cpu/cpu.h"

/* A key, whose sort keys lie in least .. most. */
struct column {
  const strew_tensor *key;
  uint64_t least, most;
  uint64_t range; /* most - least + 1; 0: 2^64 */
};

/* Codes to number. A table reads those of columns; the other ways replace `codes` by the numbers. */
struct numbering {
  const struct call *call;
  strew_context *context;
  strew_device *device;
  uint64_t *codes;
  int64_t count, parts;
  uint64_t range;     /* codes are less; 0: any */
  bool first;         /* groups are numbered by their first elements */
  int64_t groups;     /* the result: their number */
  int64_t *positions; /* and the positions of their first elements; NULL: not needed */
};

/* Work on elements begin .. end - 1. */
typedef void phase(void *argument, int64_t part, int64_t begin, int64_t end);

/* Runs a phase over all parts, in chunks, between which the call may stop. */
strew_status run_phase(const struct numbering *n, phase *run, void *argument);

/* Finds the least and the most of a column's sort keys, and the range. */
strew_status find_bounds(const struct numbering *n, struct column *column);
/* Reads the codes of at most CODES_BLOCK elements: sort keys less the least one. They are read a second time then, and
   a host that changes wrapped memory meanwhile does not get codes out of range. read_small_codes: for ranges below
   2^32. */
void read_codes(const struct column *column, int64_t first, int64_t count, uint64_t *codes);
void read_small_codes(const struct column *column, int64_t first, int64_t count, uint32_t *codes);
/* Makes the tensor of ids, of the narrowest dtype for that many groups. */
strew_status make_ids(const struct numbering *n, uint64_t groups, strew_tensor **ids);
/* Makes the tensor of first positions, one for each group; `positions` may be NULL. */
strew_status make_positions(struct numbering *n, strew_tensor **positions);

/* A set of positions; before[w]: how many of them lie before word w. */
struct bitmap {
  uint64_t bytes;
  uint64_t *words;
  int64_t *before;
};
strew_status bitmap_open(const struct numbering *n, struct bitmap *bitmap);
void bitmap_close(const struct numbering *n, struct bitmap *bitmap);
static inline void bitmap_add(struct bitmap *bitmap, int64_t position) {
  bitmap->words[position / 64] |= UINT64_C(1) << position % 64;
}
/* Ends the set; writes its positions in order to n->positions, unless that is NULL. */
void bitmap_count(const struct numbering *n, struct bitmap *bitmap);
/* Returns how many positions of the set lie before one of them. */
static inline int64_t bitmap_rank(const struct bitmap *bitmap, int64_t position) {
  const uint64_t before = bitmap->words[position / 64] & ((UINT64_C(1) << position % 64) - 1);
  return bitmap->before[position / 64] + __builtin_popcountll(before);
}

/* The ways. Each numbers the groups, and makes *positions, unless `positions` is NULL. table_fits: the range is small
   enough for a table. number_by_table: of the codes that columns make (mixed radix); makes *ids. number_by_hash:
   STREW_DECLINED, and the codes are as they were, if there are too many groups for it. number_by_partition: by first
   elements; number_by_sorting: in the order of codes. */
bool table_fits(const struct numbering *n);
strew_status number_by_table(struct numbering *n, const struct column *columns, int count, strew_tensor **ids,
                             strew_tensor **positions);
strew_status number_by_hash(struct numbering *n, strew_tensor **positions);
strew_status number_by_partition(struct numbering *n, strew_tensor **positions);
strew_status number_by_sorting(struct numbering *n, strew_tensor **positions);
/* Sorts `count` codes; makes the tensors of the sorted ones and of their positions. Codes of all 64 bits are
   changed. */
strew_status sort_codes(const struct numbering *n, uint64_t *codes, int64_t count, strew_tensor **values,
                        strew_tensor **order);

#endif
