/* reduce.h: reductions of groups, each a row of STREW_GROUP_REDUCTIONS (tables.h) and a function here: joined
   and chosen values in reduce.c, squares and exponentials in spread.c, orders of values in order.c. */
#ifndef STREW_GROUPS_REDUCE_H
#define STREW_GROUPS_REDUCE_H

#include "groups.h"
#include "runtime/core/base/operations.h"
#include "runtime/core/base/steps.h"
#include "runtime/core/shared/tables.h"
#include "runtime/reduce/exact.h"

/* A call of strew_group_reduce. Its first operand is src, whose name messages have. */
struct group_call {
  struct steps *steps;
  strew_group_reduction reduction;
  const struct group_row *row;
  const strew_group_reduce_options *given;
  struct group_options options; /* as the group form takes them, with the index below */
  strew_tensor *src, *index;    /* index: of a grouping NULL, until group_index */
  strew_grouping *grouping;     /* NULL: of an index */
  strew_tensor **arg;
  bool of_table;        /* by the rules of strew_grouping_aggregate_with for var and std */
  struct groups groups; /* after group_open */
};

/* Returns the result; `out`: the given one, in which it is to be; or NULL. */
typedef strew_tensor *group_body(struct group_call *g, strew_tensor *out);
#define ROW(ENUM, word, name, takes, empty, exact, options, passes, body, reduction) group_body group_##body;
STREW_GROUP_REDUCTIONS(ROW)
#undef ROW

/* Returns the name of an option that is given and that the reduction does not take; NULL: there is none. */
const char *find_untaken(const struct group_row *row, const strew_group_reduce_options *given, bool has_out,
                         bool has_arg);
/* Checks what does not depend on the elements, and makes the options of the group form. */
strew_status group_take_options(const struct call *call, strew_group_reduction reduction,
                                const strew_group_reduce_options *given, bool has_out, bool has_arg,
                                struct group_options *options);

/* Begins a call; checks its options and src; runs the reduction, of which the caller closes g->groups. */
void group_call_start(struct group_call *g, struct steps *steps, strew_group_reduction reduction, strew_groups groups,
                      strew_tensor *src, const strew_group_reduce_options *options);
strew_status group_call_check(struct group_call *g, bool has_out);
strew_tensor *group_call_run(struct group_call *g, strew_tensor *out);

/* exact_groups.c. Makes src what exact results of that dtype, which it returns, are of; and the groups, unless walks over
   the ids need none. */
strew_dtype group_exact_open(struct group_call *g);
strew_tensor *group_exact_counts(struct group_call *g);
/* The sums of the groups, each a result; `sizes`: room for those of the results. */
struct exact_job group_exact_job(struct group_call *g, int64_t *sizes);
/* Sets what terms belong to, unless walks over the ids find it. */
void group_exact_by(struct group_call *g, struct exact_job *job, struct exact_by *by);
/* Variances, or deviations; of no elements 0, but by the rules of tables NaN. */
strew_tensor *group_exact_spread(struct group_call *g, bool is_deviation, struct exact_divisor divisor);
strew_tensor *group_exact_sums(struct group_call *g);
/* The greatest number of elements that a group has: fewer limbs than the number of all asks for. */
int64_t step_most(struct steps *steps, strew_grouping *grouping);
/* Joins terms, user a group_call with grouping and src, in a walk over the ids. */
exact_join group_walk_terms;
/* A column of a walk that joins the parts of src, 1-D, to sums, of MOST_CUT_PARTS at most. */
void group_cut(struct steps *steps, strew_tensor *src, const struct exact_sums *sums, struct aggregate_column *out);

/* strew_group_reduce by an index or a grouping. of_table: see there. */
strew_status group_reduce(strew_groups groups, strew_group_reduction reduction, strew_tensor *src,
                          const strew_group_reduce_options *options, bool of_table, strew_tensor **out,
                          strew_tensor **arg, strew_error *error);

/* True of statistics of times, which times.h has. */
bool group_is_timed(strew_group_reduction reduction, const strew_tensor *src);

/* True if elements that are NaN are skipped. */
static inline bool group_skips(const struct group_call *g) {
  return g->options.skip_nan && dtype_is_float(g->src->dtype);
}
/* True if all elements of a grouping along one line take part. */
static inline bool group_is_line(const struct group_call *g) {
  return g->grouping && g->src->rank == 1 && !group_skips(g);
}
/* Makes the index: of a grouping its ids as int64. */
void group_index(struct group_call *g);
/* Makes the groups of a call with its index, checked. out: its size along dim is that of the result; or NULL. */
void group_open(struct group_call *g, const strew_tensor *out);
/* For each group the position along dim of its first element (STREW_AMIN) or its last one (STREW_AMAX); out of src's
   range for a group without elements. */
strew_tensor *group_ends(struct group_call *g, strew_reduction reduction);

static inline int group_dim(const struct group_call *g) { return g->groups.addressing.limits.dim; }
static inline int64_t group_size(const struct group_call *g) { return g->groups.addressing.limits.size; }
/* A row for each group: groups_join. values NULL: the counts. */
STEP_MAKES(step_join, NULL, groups_join(steps->call, &g->groups, reduction, values, out), struct group_call *g,
           strew_reduction reduction, strew_tensor *values)
/* For each element what its group has; 0 for one without a group. */
STEP_MAKES(step_spread, NULL,
           strew_gather_with(rows, group_dim(g), &g->groups.index, &(strew_index_options){.mode = STREW_DROP}, out,
                             steps->error),
           struct group_call *g, strew_tensor *rows)
/* A tensor derived from groups: groups_counts and others. */
STEP_MAKES(step_derived, NULL, derive(steps->call, groups, out), groups_derive *derive, struct groups *groups)
/* A call of the group form, into a given result or a new one. */
STEP_MAKES(step_group, into, group_by_index(values, index, options, out, NULL, steps->error), strew_tensor *values,
           strew_tensor *index, const struct group_options *options, strew_tensor *into)

#endif
