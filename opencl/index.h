/* index.h: passes over an index, and the verdict that the launches of one call write on the device
   (kernels/verdict.h). */
#ifndef STREW_OPENCL_INDEX_H
#define STREW_OPENCL_INDEX_H

#include "opencl.h"

enum verdict { VERDICT_NONE = 0, VERDICT_BAD = 1, VERDICT_UNSORTED = 2 };
enum { VERDICT_STAGES = 3 };

/* The distinct elements of an index operand and how kernels walk them. */
struct index_pass {
  struct launch *launch;
  struct plan values;
  struct space space;
  bool dense;
  bool ordered; /* checks find descents along the last dimension, too */
};
/* `values` has one operand and is simplified; with `ordered`, its last dimension is not merged with others. */
void index_pass_start(struct index_pass *pass, struct launch *launch, const struct plan *values);
/* A new verdict, set to `initially`; with `sampled` UNSORTED is added if a few samples are out of order. */
struct block *verdict_start(struct index_pass *pass, enum verdict initially, bool sampled);
/* Adds UNSORTED if values descend somewhere and, with `check`, BAD if one is outside of lowest..highest. Does nothing
   if the verdict is UNSORTED already. */
void verdict_order(struct index_pass *pass, bool check, int64_t lowest, int64_t highest, const struct block *verdict);
/* A verdict that a kernel will initialise. */
struct block *verdict_allocate(struct launch *launch);
/* True if a value is outside of lowest..highest. Waits. */
bool index_pass_check(struct index_pass *pass, int64_t lowest, int64_t highest);
/* The verdict, all stages combined; 0 after a failure. Waits. */
int verdict_read(struct launch *launch, const struct block *verdict);

/* Binds LIMITS of kernels/mode.h: the size of the indexed dimension and the mode for values out of range. In modes that
   do not map them into range they address no element. */
enum { MODE_AS_IS = 0, MODE_WRAP = 1, MODE_CLIP = 2 };
static inline void launch_limits(struct launch *launch, int64_t size, strew_mode mode) {
  launch_ints(launch, size);
  launch_flags(launch, mode == STREW_WRAP ? MODE_WRAP : mode == STREW_CLIP ? MODE_CLIP : MODE_AS_IS);
}
/* The index's type in kernels, I. */
static inline const char *index_type(strew_dtype dtype) { return dtype == STREW_INT64 ? "long" : "int"; }

#endif
