/* choose.h: a look at the index; the rule by which a scatter's way is chosen, a function of the plan, the threads and
   that sample, which reads no tensor; and the parts of the way, run by the threads that share it. */
#ifndef STREW_CHOOSE_H
#define STREW_CHOOSE_H

#include "scattering.h"

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
