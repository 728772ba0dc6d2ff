/* index.h: what the ways of scattering share with the passes over an index: the verdict, which the launches of one call
   write on the device (kernels/verdict.h). */
#ifndef STREW_OPENCL_INDEX_H
#define STREW_OPENCL_INDEX_H

#include "opencl.h"

enum verdict { VERDICT_NONE = 0, VERDICT_BAD = 1, VERDICT_UNSORTED = 2 };
enum { VERDICT_STAGES = 3 };

/* The different values of an index, and how they are gone through. */
struct index_pass {
  const struct call *call;
  strew_device *device;
  struct plan values;
  struct space space;
  bool dense;
};
/* `values` has one operand, and is simplified. */
void index_pass_start(struct index_pass *pass, const struct call *call, strew_device *device,
                      const struct plan *values);
/* Takes the verdict's block and sets it to `initially`, with UNSORTED where a few samples of the index say so. */
strew_status verdict_start(struct index_pass *pass, enum verdict initially, bool sampled, struct block *verdict);
/* Adds BAD where a value is outside of lowest..highest. */
strew_status verdict_check(struct index_pass *pass, int64_t lowest, int64_t highest, const struct block *verdict);
/* The same, if `check`, and adds UNSORTED where it is so; does nothing where that is known already. */
strew_status verdict_order(struct index_pass *pass, bool check, int64_t lowest, int64_t highest,
                           const struct block *verdict);
/* Memory for one that a kernel will set. */
strew_status verdict_take(const struct call *call, strew_device *device, struct block *verdict);
/* Are all values in lowest..highest? Waits for the answer. */
strew_status index_pass_check(struct index_pass *pass, int64_t lowest, int64_t highest, bool *bad);
/* Waits for it. */
strew_status verdict_read(const struct call *call, strew_device *device, const struct block *verdict, int *out);

/* A `const int`: yes or no, or bits of a verdict. */
static inline void launch_flag(struct launch *launch, cl_int flag) { launch_value(launch, &flag, sizeof flag); }
/* LIMITS of kernels/mode.h: the size that is indexed, and what becomes of values out of range. In modes that do not
   move them they are nobody's. */
enum { MODE_AS_IS = 0, MODE_WRAP = 1, MODE_CLIP = 2 };
static inline void launch_limits(struct launch *launch, int64_t size, strew_mode mode) {
  launch_int(launch, size);
  launch_flag(launch, mode == STREW_WRAP ? MODE_WRAP : mode == STREW_CLIP ? MODE_CLIP : MODE_AS_IS);
}
/* I of the kernels. */
static inline const char *index_type(strew_dtype dtype) { return dtype == STREW_INT64 ? "long" : "int"; }

#endif
