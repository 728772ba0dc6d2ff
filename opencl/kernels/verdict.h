/* verdict.h: what is known of a call's index, twin of index.h: a word for each stage of its launches, so that none
   reads what others of the same write. The host waits for the verdict before it enqueues what writes to a tensor that
   must be left alone where something fails. */
#define BAD      1 /* a value is out of range: nothing may be written */
#define UNSORTED 2

enum stage { START, CHECK, WAY, STAGES };

static inline int known_before(enum stage stage, __global const int *verdict) {
  int known = 0;
  for (int k = START; k < stage; k++) known |= verdict[k];
  return known;
}
static inline void tell(enum stage stage, int bits, __global int *verdict) { atomic_or(verdict + stage, bits); }
