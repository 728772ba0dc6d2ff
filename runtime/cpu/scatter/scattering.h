/* scattering.h: what the files of the CPU's scatter share: tiles, one thread's walk, the ways to share it. */
#ifndef STREW_CPU_SCATTER_H
#define STREW_CPU_SCATTER_H

#include "runtime/cpu/cpu.h"
#include "runtime/cpu/loops/row_loops.h"

#include <stdatomic.h>

/* -------------------------------------------------------------------------------------------------- scatter_loops.c */

/* `rows` index values, each of which brings `columns` contributions to as many places. Steps are in bytes. */
struct tile {
  int64_t rows, columns;
  const int64_t *index;
  char *self;
  int64_t self_row, self_column, step; /* row i, column j of value v: self + i self_row + j self_column + v step */
  const char *src;
  int64_t src_row, src_column;
  int64_t lowest, count; /* values lowest .. lowest + count - 1 are this tile's, others are passed over ... */
  int64_t size;          /* ... as other threads', or, where they are not 0 .. size - 1, as nobody's */
  bool far;              /* places are to be fetched ahead of their turn: they do not fit in a core's cache */
  bool crowded;          /* a dense line goes in passages, which ask for them and for the streams */
  bool asks;             /* passages ask for the streams, be the places asked for or not */
  struct stream index_stream, src_stream;
  enum processor processor;
  int64_t place_ahead, row_ahead; /* by so many places are asked for: of a crowded line, of rows */
  winner_row *winner;             /* of this processor, for dense rows; NULL where there is none */
  /* positions of winners, where they are asked for */
  char *arg;
  int64_t arg_row, arg_column, arg_step;
  int64_t position, position_row; /* of the first row; from row to row. Columns share it */
  int64_t arg_none;
  bool fresh;
};

/* Lines, the first of which is a tile, and how far it is from one to the next. */
struct lines {
  int64_t count, index_values, self_bytes, src_bytes;
  int64_t ahead; /* by so many of them places are asked for; 0: they are not */
};

/* Loops of one dtype and reduction. */
struct scatter_loops {
  join_rows *join;
  /* Lines of one column, dense, into dense places (a mean's need not be); all of their values are the tile's. NULL
     where there is none. Was a value nobody's? */
  bool (*join_lines)(const struct tile *first, const struct lines *lines);
  /* One column, whose index values are valid. Rows cuts[0] .. cuts[1] - 1, cuts[1] .. cuts[2] - 1, ..., STREAMS of
     them, share no place: they are joined side by side, so that none waits for its own last sum. Cuts are NULL where
     all values are equal: those are joined in a register. */
  void (*join_sorted)(const struct tile *tile, const int64_t *cuts);
};
enum { STREAMS = 4 };
enum { WIDEST_NARROW = 4 }; /* columns of dense rows that have loops of their own for each width */

const struct scatter_loops *scatter_loops(strew_dtype dtype, strew_reduction reduction, bool with_arg);
/* For a mean's pairs, of a dtype of 4 or 8 bytes: its loops above, under STREW_MEAN, join them. */
struct pair_loops {
  void (*start)(int64_t count, const char *self, char *pairs);                 /* self NULL: from 0 */
  void (*divide)(int64_t count, const char *pairs, char *self, int64_t extra); /* where a pair's count is not 0 */
};
const struct pair_loops *scatter_pair_loops(strew_dtype dtype);
/* self = self / (count + extra) wherever count > 0; a row of operands 0 self, 1 count */
typedef void divide_row(const struct row *row, int64_t extra);
divide_row *scatter_divider(strew_dtype dtype);

/* -------------------------------------------------------------------------------------------------- scatter_owner.c */

/* Lists which of rows begin .. end - 1 are the tile's, in order; how many. The list has room for all of them. *nobodys
   is set where a value is. */
int64_t scatter_list_owned(const struct tile *tile, int64_t begin, int64_t end, int64_t *list, bool *nobodys);
/* All that is the tile's, where others own the rest, in order. Was a value nobody's? */
bool scatter_join_owned(const struct scatter_loops *loops, const struct tile *tile);

/* --------------------------------------------------------------------------------------------------- scatter_walk.c */

/* `bad` is NULL where a value that is nobody's is no fault; where it is one, who meets it tells the others. */
static inline bool bad_is_set(const atomic_bool *bad) { return bad && atomic_load_explicit(bad, memory_order_relaxed); }
static inline void set_bad(atomic_bool *bad) {
  if (bad) atomic_store_explicit(bad, true, memory_order_relaxed);
}
/* Joins what the index values lowest .. lowest + count - 1 bring, in row-major order of the plan. *bad (or NULL: that
   is no fault) is set where a value is nobody's, and then nobody goes on. */
void cpu_scatter_walk(const struct scatter_plan *plan, int64_t lowest, int64_t count, atomic_bool *bad);
/* Does a line of so many rows ask for its streams where its places need not be asked for? Few rows are near; what is
   read where it lies, and not brought by blocks, only some processors gain by. */
bool scatter_asks(enum processor processor, int64_t rows, bool by_blocks);
/* The plan's part begin .. end - 1 of dimension d. */
struct scatter_plan scatter_slice(const struct scatter_plan *plan, int d, int64_t begin, int64_t end);
/* Does the index move along with self in the last of several dimensions, so that each row has several values? */
static inline bool has_full_rows(const struct plan *plan) {
  int last = plan->rank - 1;
  return last > 0 && plan->operands[SELF].strides[last] != 0 && plan->operands[INDEX].strides[last] != 0;
}
/* Bytes that an index value chooses among; from row to row self moves evenly, which a processor sees by itself. */
int64_t scatter_range_bytes(const struct scatter_plan *plan);
/* Elements from self's first place to its last one. */
static inline int64_t scatter_places(const struct scatter_plan *plan) {
  return (int64_t)(scatter_target_bytes(plan) / dtype_bytes(plan->plan.operands[SELF].dtype));
}
/* Does no element lie between them that belongs to another place, or to none? */
static inline bool scatter_is_dense(const struct scatter_plan *plan) {
  int64_t places = plan->size;
  for (int d = 0; d < plan->plan.rank; d++)
    if (plan->plan.operands[SELF].strides[d] != 0) places *= plan->plan.sizes[d];
  return places == scatter_places(plan);
}
/* Are `count` values neither negative nor descending? */
bool index_ascends(const int64_t *values, int64_t count);
/* Do such values come in runs that are better joined in a register? */
static inline bool runs_are_long(const int64_t *values, int64_t count) {
  enum { LONG_RUN = 64 };
  return values[count - 1] - values[0] < count / LONG_RUN;
}

/* -------------------------------------------------------------------------------------------------- scatter_share.c */

enum { MOST_CUTS = 64 };

struct scatter_way {
  enum way_kind {
    WAY_ALONE,     /* one thread */
    WAY_SLICES,    /* dimension `dim`, along which self moves, is cut into parts */
    WAY_POSITIONS, /* a sorted index, and with it src, is cut where a new value begins */
    WAY_OWNERS,    /* each part owns a range of values, walks the whole index and passes over what is others' */
    WAY_COPIES,    /* the index is cut, each part joins a copy of its own: where order does not matter */
    WAY_PARTITION  /* contributions are dealt out to owners of places first */
  } kind;
  int dim;
  int64_t parts;
  int64_t cuts[MOST_CUTS + 1]; /* of POSITIONS and OWNERS: part i has cuts[i] .. cuts[i + 1] - 1 */
};

/* The rule, by the plan's shape, the number of threads and a look at the index. */
void scatter_choose(strew_context *context, const struct scatter_plan *plan, struct scatter_way *way);
/* Does this way find a wrong value before it writes? */
bool scatter_looks_first(const strew_context *context, const struct scatter_plan *plan, const struct scatter_way *way);
/* The whole plan; *bad as cpu_scatter_walk has it. False where memory lacks: nothing was done then. */
bool scatter_share(strew_context *context, const struct scatter_plan *plan, const struct scatter_way *way,
                   atomic_bool *bad);

/* ------------------------------------------------------------------------------------------------------- scatter.c */

/* Of operand i's elements, each once. */
int64_t scatter_operand_bytes(const struct scatter_plan *plan, int i);
/* Are so many bytes of scratch little beside the index? */
bool scatter_is_little(const struct scatter_plan *plan, size_t bytes);

/* --------------------------------------------------------------------------------------------------- scatter_flat.c */

/* Joins all of the index's rows, as cpu_scatter_walk does. False where they are better joined one by one. */
bool scatter_walk_short_rows(const struct scatter_plan *plan, bool far, atomic_bool *bad);

/* ----------------------------------------------------------------------------------------------- scatter_collapse.c */

/* Fills *collapsed, whose index lies in *storage, for the caller to give its memory back; false where there is nothing
   to collapse, or no memory. */
bool scatter_collapse(strew_context *context, const struct scatter_plan *plan, struct scatter_plan *collapsed,
                      struct storage *storage);

/* ---------------------------------------------------------------------------------------------- scatter_partition.c */

/* Can it go by partition: one contribution at a time, no positions of winners? Is a wrong value found before a place is
   written? */
bool scatter_can_part(const struct scatter_plan *plan);
bool scatter_finds_first(const strew_context *context, const struct scatter_plan *plan);
/* Are there so few places that each has an owner of its own, who joins in a register? */
bool scatter_parts_by_place(const struct scatter_plan *plan);
/* False where memory lacks: nothing was done then. */
bool cpu_scatter_partition(strew_context *context, const struct scatter_plan *plan, atomic_bool *bad);

#endif
