/* plan.h: plans, the interface between the runtime and its devices (plan.c).

   A plan is an iteration space of `rank` dimensions with, for each operand, an offset and a stride per dimension.
   Before a device receives it, dimensions of size 1 are dropped and adjacent dimensions are merged where all operands
   allow it: common cases become one or two dimensions. */
#ifndef STREW_PLAN_H
#define STREW_PLAN_H

#include "tensor.h"

/* Operands of a plan: those of an elementwise program are most. */
enum { PLAN_OPERANDS = 12 };

struct operand {
  struct storage *storage; /* NULL: a number, in `number`, with all strides 0 */
  int64_t offset;          /* of coordinate 0, in elements */
  int64_t strides[MAX_RANK];
  strew_dtype dtype;
  union element number;
};

struct plan {
  int rank;
  int count; /* of operands */
  int64_t sizes[MAX_RANK];
  struct operand operands[PLAN_OPERANDS];
};

void plan_start(struct plan *plan, int rank, const int64_t *sizes);
/* Adds a tensor, broadcast: its dimensions are aligned with the plan's last ones, and sizes 1 get stride 0. */
struct operand *plan_add(struct plan *plan, const strew_tensor *tensor);
struct operand *plan_add_number(struct plan *plan, strew_dtype dtype, union element number);
/* Starts a plan of tensors: PLAN(&plan, rank, sizes, a, b). */
void plan_tensors(struct plan *plan, int rank, const int64_t *sizes, int count, const strew_tensor *const *tensors);
#define PLAN(plan, rank, sizes, ...)                                                                                   \
  plan_tensors(plan, rank, sizes, (int)(sizeof((const strew_tensor *[]){__VA_ARGS__}) / sizeof(strew_tensor *)),       \
               (const strew_tensor *[]){__VA_ARGS__})
/* Drops dimensions of size 1 and merges neighbours; the row-major order of coordinates stays. */
void plan_simplify(struct plan *plan);
/* The same, with dimensions sorted first so that the first operand is walked in memory order: for calls in which the
   order of coordinates does not matter. */
void plan_simplify_any_order(struct plan *plan);
/* As plan_simplify, but the last dimension stays as it is. The plan has one. */
void plan_keep_last(struct plan *plan);
/* For calls along lines of dimension `dim`: moves it to the end, and simplifies the others in any order. */
void plan_lines(struct plan *plan, int dim);
int64_t plan_numel(const struct plan *plan);
void plan_swap_dims(struct plan *plan, int a, int b);
/* Copies the used part: copying a whole plan would cost a small call more than its work. */
void plan_copy(struct plan *to, const struct plan *from);
/* A plan over the distinct elements of one operand: dimensions of stride 0 count once. */
void plan_operand_values(struct plan *values, const struct plan *plan, int operand);
/* Broadcasts a shape with another one, in place; false if they do not fit. */
bool broadcast_sizes(int *rank, int64_t *sizes, int other_rank, const int64_t *other_sizes);

#endif
