/* scattering.h: what the files of the CPU's scatter share: their loops, one thread's walk, the ways to share a call.
   For the order in which to read them see scatter.c. */
#ifndef STREW_CPU_SCATTERING_H
#define STREW_CPU_SCATTERING_H

#include "runtime/core/cpu/program.h"
#include "tile.h"

#include <stdatomic.h>

/* ------------------------------------------------------------------------------------------------------- plan.c */

/* Returns the bytes of operand i's elements, each counted once. */
int64_t scatter_operand_bytes(const struct scatter_plan *plan, int i);
/* True if that many bytes of scratch are little beside the index. */
bool scatter_is_little(const struct scatter_plan *plan, size_t bytes);
/* Returns the part begin .. end - 1 of dimension d. */
struct scatter_plan scatter_slice(const struct scatter_plan *plan, int d, int64_t begin, int64_t end);
/* Returns the bytes among which an index value selects. (From row to row self moves evenly, which hardware prefetchers
   foresee.) */
int64_t scatter_range_bytes(const struct scatter_plan *plan);
/* True if a line prefetches index and src even if its destinations are near. `by_blocks`: one of them is copied by
   blocks. */
bool scatter_prefetches_streams(const struct tuning *tuning, bool by_blocks);
/* True if the index moves along with self in the last of several dimensions, so that a row has several index values. */
static inline bool has_full_rows(const struct plan *plan) {
  int last = plan->rank - 1;
  return last > 0 && plan->operands[SELF].strides[last] != 0 && plan->operands[INDEX].strides[last] != 0;
}
/* Returns the elements from self's first destination to its last. */
static inline int64_t scatter_target_elements(const struct scatter_plan *plan) {
  return (int64_t)(scatter_target_bytes(plan) / dtype_bytes(plan->plan.operands[SELF].dtype));
}
/* True if each of these elements is a destination of the plan. */
static inline bool scatter_is_gapless(const struct scatter_plan *plan) {
  int64_t destinations = plan->size;
  for (int d = 0; d < plan->plan.rank; d++)
    if (plan->plan.operands[SELF].strides[d] != 0) destinations *= plan->plan.sizes[d];
  return destinations == scatter_target_elements(plan);
}
/* True if `count` index values are neither negative nor descending. */
bool index_ascends(const int64_t *values, int64_t count);
/* True if ascending index values come in runs that are better joined in a register. */
static inline bool runs_are_long(const int64_t *values, int64_t count) {
  return values[count - 1] - values[0] < count / LONG_RUN;
}

/* Fills *collapsed, whose index lies in *storage: the caller frees its memory. False if there is nothing to collapse,
   or no memory. */
bool scatter_collapse(strew_context *context, const struct scatter_plan *plan, struct scatter_plan *collapsed,
                      struct storage *storage);

/* ------------------------------------------------------------------------------------------------------ loops.c */

/* Loops of one dtype and reduction. */
struct scatter_loops {
  join_rows *join;
  /* Lines of one column and unit stride (a mean's may have others); all index values are owned. NULL: there is none.
     True if an index value was out of range. */
  bool (*join_lines)(const struct tile *first, const struct lines *lines);
  /* One column, whose index values are in range. Rows cuts[0] .. cuts[1] - 1, cuts[1] .. cuts[2] - 1, ..., STREAMS of
     them, share no destination: they are joined side by side, so that none waits for its own last sum. Cuts are NULL if
     all index values are equal: those are joined in a register. */
  void (*join_sorted)(const struct tile *tile, const int64_t *cuts);
};
/* A tile's `flip`: minima of 16-bit floats are maxima in the inverted order. Of others 0. */
int64_t scatter_flip(strew_dtype dtype, strew_reduction reduction);
const struct scatter_loops *scatter_loops(strew_dtype dtype, strew_reduction reduction, bool with_arg);
/* For a mean's pairs of a sum and a count, of a dtype of 4 or 8 bytes. (The loops above join them, under STREW_MEAN.)
   */
struct pair_loops {
  void (*start)(int64_t count, const char *self, char *pairs);                 /* self NULL: sums start from 0 */
  void (*divide)(int64_t count, const char *pairs, char *self, int64_t extra); /* pairs whose count is not 0 */
};
const struct pair_loops *scatter_pair_loops(strew_dtype dtype);
/* self = self / (count + *extra) wherever count > 0; a row of operands 0 self, 1 count. extra: int64. (16-bit floats are
   divided as float32, and bool has no means.) */
typedef void divide_row(void *extra, const struct row *row);
divide_row *scatter_divider(strew_dtype dtype);

/* ----------------------------------------------------------------------------------------------------- filter.c */

/* Lists the tile's rows begin .. end - 1 whose index values it owns, in order, and returns their number. The list has
   room for all. Sets *out_of_range if an index value is. */
int64_t scatter_list_owned(const struct tile *tile, int64_t begin, int64_t end, int64_t *list, bool *out_of_range);
/* Joins these rows in order. True if an index value was out of range. */
bool scatter_join_owned(const struct scatter_loops *loops, const struct tile *tile);

/* ---------------------------------------------------------------------------------------------------- convert.c */

/* A src of another dtype than self's. `join` joins a tile whose src has self's dtype. */
struct conversion {
  convert_row *convert;
  int64_t from_bytes, to_bytes; /* of an element */
  const struct scatter_loops *loops;
  bool (*join)(const struct scatter_loops *loops, const struct tile *tile);
};
/* Converts the tile's src block by block and joins each block. The tile has at most INDEX_BLOCK rows. True if an index
   value was out of range. */
bool scatter_join_converted(const struct conversion *conversion, const struct tile *tile);

/* ------------------------------------------------------------------------------------------------------- walk.c */

/* `bad` is NULL if out-of-range values are harmless (dropped, or checked before). Else the first thread to meet one
   sets it, and all stop. */
static inline bool bad_is_set(const atomic_bool *bad) { return bad && atomic_load_explicit(bad, memory_order_relaxed); }
static inline void set_bad(atomic_bool *bad) {
  if (bad) atomic_store_explicit(bad, true, memory_order_relaxed);
}
/* Joins what index values lowest .. lowest + count - 1 contribute, in row-major order of the plan. */
void cpu_scatter_walk(const struct scatter_plan *plan, int64_t lowest, int64_t count, atomic_bool *bad);

/* ------------------------------------------------------------------------------------------------- short_rows.c */

/* Joins all of the index's rows, as cpu_scatter_walk does. False, and nothing done, if they are better joined one by
   one. `far`: destinations are prefetched. */
bool scatter_walk_short_rows(const struct scatter_plan *plan, bool far, atomic_bool *bad);

/* -------------------------------------------------------------------------------------------------------- hot.c */

/* True if contributions to one destination may be added as a run: floats in a line, with an index that is read in
   place. */
bool scatter_can_be_hot(const struct scatter_plan *plan);
/* Joins the plan by that many threads, contributions to destination `key` as a run. False, and nothing done, if memory
   lacks. */
bool cpu_scatter_hot(strew_context *context, const struct scatter_plan *plan, int64_t key, int64_t threads,
                     atomic_bool *bad);

/* -------------------------------------------------------------------------------------------------- partition.c */

/* True if a partition can join the plan: one contribution at a time, no positions of winners. */
bool scatter_can_part(const struct scatter_plan *plan);
/* True if it finds a wrong index value before it writes. */
bool scatter_finds_first(const struct scatter_plan *plan);
/* True if there are so few destinations that each has an owner, which joins it in a register. */
bool scatter_parts_by_destination(const struct scatter_plan *plan);
/* False, and nothing done, if memory lacks. */
bool cpu_scatter_partition(strew_context *context, const struct scatter_plan *plan, atomic_bool *bad);

/* --------------------------------------------------------------------------------------------------------- choose.c */

/* A look at the index; the rule by which a scatter's way is chosen, a function of the plan, the threads and that
   sample, which reads no tensor; and the parts of the way, run by the threads that share it. */

struct scatter_way {
  enum way_kind {
    WAY_ALONE,     /* one thread */
    WAY_SLICES,    /* dimension `dim`, along which self moves, is cut into parts */
    WAY_POSITIONS, /* a sorted index, and with it src, is cut where a new value begins */
    WAY_OWNERS,    /* each part owns a range of index values, walks the whole index and skips the others' */
    WAY_COPIES,    /* the index is cut, and each part joins a copy of its own: if order does not matter */
    WAY_HOT,       /* most of them go to `key`, whose run is shared */
    WAY_PARTITION  /* contributions are distributed to owners of ranges of destinations first */
  } kind;
  int dim;
  int64_t parts, key;
  int64_t cuts[MOST_CUTS + 1]; /* of POSITIONS and OWNERS: part i has cuts[i] .. cuts[i + 1] - 1 */
};

/* One index value of each of `count` equal parts. */
struct sample {
  int64_t count, values[MOST_SAMPLE];
  bool ascends;    /* the values did, in the order of the index */
  bool all_ascend; /* the whole index does, and has several values, all in range; false if that was not tested */
};

/* What the rule needs of a plan beside its sample. */
struct shape {
  int64_t threads, parts; /* threads that the work pays for; parts that it divides into, if several */
  bool rows;              /* rows of several columns */
  bool can_part;          /* a partition is possible and pays */
  bool spread;            /* destinations exceed all caches: a partition may pay on one thread, too */
  bool can_be_hot;        /* most contributions may go to one destination as a run */
  bool alone;             /* one thread, whatever the index */
};

struct shape scatter_shape(const strew_context *context, const struct scatter_plan *plan);
/* Sorts the sample, if the rule needs it so, and fills *way except its cuts. */
void scatter_decide(const struct scatter_plan *plan, const struct shape *shape, struct sample *sample,
                    struct scatter_way *way);
void scatter_sort_sample(struct sample *sample);

/* ---------------------------------------------------------------------------------------------------- sample.c */

/* Takes LEAST_SAMPLE values. With `parts` > 1, tests by that many parts whether an index of one line ascends. */
void scatter_sample(strew_context *context, const struct scatter_plan *plan, int64_t parts, struct sample *sample);
/* Sets the cuts of WAY_POSITIONS and of WAY_OWNERS; the latter by a sorted sample, which it may enlarge: so that each
   owner gets as many contributions. */
void scatter_cut_positions(const struct scatter_plan *plan, struct scatter_way *way);
void scatter_cut_owners(const struct scatter_plan *plan, struct sample *sample, struct scatter_way *way);

/* ----------------------------------------------------------------------------------------------------- share.c */

/* Joins the whole plan; *bad as in cpu_scatter_walk. False, and nothing done, if memory lacks. */
bool scatter_share(strew_context *context, const struct scatter_plan *plan, const struct scatter_way *way,
                   atomic_bool *bad);

#endif
