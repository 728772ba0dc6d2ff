/* reduce.h: reductions of groups, each a row of STREW_GROUP_REDUCTIONS (shared/tables.h) and a function here: joined
   values in reduce.c, sums about means and of exponentials in spread.c, orders of values in order.c. */
#ifndef STREW_GROUPS_REDUCE_H
#define STREW_GROUPS_REDUCE_H

#include "groups.h"
#include "runtime/base/operations.h"

/* A call of strew_group_reduce. */
struct group_call {
  const struct call *call;
  const struct group_row *row;
  const strew_group_reduce_options *given;
  strew_group_options options; /* as the group form takes them, with the index below */
  strew_tensor *src, *index;   /* index: NULL until group_call_index if there is a grouping, whose ids it is */
  strew_grouping *grouping;    /* NULL: of an index */
  strew_tensor **arg;
};

typedef strew_status group_body(struct group_call *g, strew_tensor **out);
group_body group_join, group_truth, group_choice, group_count, group_median, group_quantile;

struct group_row {
  const char *word, *call; /* call: its name in messages */
  enum takes takes;
  enum fold_empty empty, exact; /* exact: where no empty group passes for a number */
  unsigned options;             /* WITH_... */
  group_body *run;
  strew_reduction reduction;
};
extern const struct group_row group_rows[];
/* The row that joins values by this reduction; NULL: there is none. */
const struct group_row *group_row_of(strew_reduction reduction);
/* The value of groups without elements, for results of that dtype. */
strew_scalar group_empty(const struct group_row *row, bool is_exact, strew_dtype dtype);

/* Makes the index: of a grouping its ids as int64. */
strew_status group_call_index(struct group_call *g);
/* The same, checked, with src: see groups.h. `out`: its size along dim is that of the result; or NULL. */
strew_status group_call_open(struct group_call *g, const strew_tensor *out, struct groups *groups);
/* For each group the position along dim of its first element (STREW_AMIN) or its last one (STREW_AMAX); out of src's range
   for a group without elements. */
strew_status group_ends(struct group_call *g, struct groups *groups, strew_reduction reduction, strew_tensor **out);

#endif
