/* index.h: passes over an index, and the verdict that the launches of one call write on the device
   (kernels/verdict.h). */
#ifndef STREW_OPENCL_INDEX_H
#define STREW_OPENCL_INDEX_H

#include "opencl.h"

enum verdict { VERDICT_NONE = 0, VERDICT_BAD = 1, VERDICT_UNSORTED = 2 };
enum { VERDICT_STAGES = 3 };

/* The distinct elements of an index operand and how kernels walk them. */
struct index_pass {
  const struct call *call;
  strew_device *device;
  struct plan values;
  struct space space;
  bool dense;
  bool ordered; /* checks find descents along the last dimension, too */
};
/* `values` has one operand and is simplified; with `ordered`, its last dimension is not merged with others. */
void index_pass_start(struct index_pass *pass, const struct call *call, strew_device *device,
                      const struct plan *values);
/* Allocates the verdict and sets it to `initially`; with `sampled` adds UNSORTED if a few samples are out of order. */
strew_status verdict_start(struct index_pass *pass, enum verdict initially, bool sampled, struct block *verdict);
/* Adds BAD if a value is outside of lowest..highest. */
strew_status verdict_check(struct index_pass *pass, int64_t lowest, int64_t highest, const struct block *verdict);
/* Adds UNSORTED if values descend somewhere and, with `check`, BAD as verdict_check does. Does nothing if the verdict
   is UNSORTED already. */
strew_status verdict_order(struct index_pass *pass, bool check, int64_t lowest, int64_t highest,
                           const struct block *verdict);
/* Allocates a verdict that a kernel will initialise. */
strew_status verdict_allocate(const struct call *call, strew_device *device, struct block *verdict);
/* Sets *bad if a value is outside of lowest..highest. Waits. */
strew_status index_pass_check(struct index_pass *pass, int64_t lowest, int64_t highest, bool *bad);
/* Reads the verdict, all stages combined. Waits. */
strew_status verdict_read(const struct call *call, strew_device *device, const struct block *verdict, int *out);

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
