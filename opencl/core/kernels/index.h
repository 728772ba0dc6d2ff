/* index.h: index values, and flags about a call's index. The mode maps values outside of 0 .. size - 1; those still
   outside then address no element. It is a kernel argument, since one kernel per mode would take longer to compile. */
#include "space.h"

#define LIMITS const long size, const int mode

#define MODE_WRAP 1 /* as in opencl.h */
#define MODE_CLIP 2
#ifdef IS_GPU /* without branches, so that several loads are in flight */
static inline long in_mode(long value, long size, int mode) {
  const long wrapped = value + (value < 0 ? size : 0), clipped = min(max(value, 0l), size - 1);
  return mode == MODE_WRAP ? wrapped : mode == MODE_CLIP ? clipped : value;
}
#else /* with branches, of which a CPU's compiler makes loops: a gather of 4 M takes a quarter less */
static inline long in_mode(long value, long size, int mode) {
  if (mode == MODE_WRAP) return value < 0 ? value + size : value;
  if (mode == MODE_CLIP) return value < 0 ? 0 : value >= size ? size - 1 : value;
  return value;
}
#endif
#define IN_MODE(value, size) in_mode(value, size, mode)

/* A value of either index type as a long. Mesa's rusticl zero-extends an int that was just loaded, so the sign is
   extended by hand. */
static inline long wide_long(long value) { return value; }
static inline long wide_int(int value) { return upsample(value >> 31, (uint)value); }
#define WIDE_(type)  wide_##type
#define WIDE__(type) WIDE_(type)
#define WIDE(value)  WIDE__(I)(value)

/* The verdict: one word per stage of the launches, so that no work-item reads a word that others of its launch write.
   If a failing call must leave a tensor unchanged, the host reads the verdict before it enqueues the launch that
   writes. */
#define BAD      1 /* a value is out of range: nothing may be written */
#define UNSORTED 2
#define LONG_RUN 4 /* many values are equal */

enum stage { START, CHECK, WAY, STAGES };

static inline int verdict_before(enum stage stage, __global const int *verdict) {
  int known = 0;
  for (int k = START; k < stage; k++) known |= verdict[k];
  return known;
}
static inline void verdict_add(enum stage stage, int bits, __global int *verdict) { atomic_or(verdict + stage, bits); }
