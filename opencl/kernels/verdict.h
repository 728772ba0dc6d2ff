/* verdict.h: flags about a call's index, the counterpart of index.h: one word per stage of the launches, so that no
   work-item reads a word that others of its launch write. If a failing call must leave a tensor unchanged, the host
   reads the verdict before it enqueues the launch that writes. */
#define BAD      1 /* a value is out of range: nothing may be written */
#define UNSORTED 2

enum stage { START, CHECK, WAY, STAGES };

static inline int verdict_before(enum stage stage, __global const int *verdict) {
  int known = 0;
  for (int k = START; k < stage; k++) known |= verdict[k];
  return known;
}
static inline void verdict_add(enum stage stage, int bits, __global int *verdict) { atomic_or(verdict + stage, bits); }
