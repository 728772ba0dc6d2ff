/* cpu.h: what the files of the CPU device share: the pool, walks over plans, conversion of rows. */
#ifndef STREW_CPU_H
#define STREW_CPU_H

#include "runtime/device.h"

/* Places that an index names are asked for ahead: by so many elements, and of rows so many bytes. */
enum { CACHE_LINE = 64, LINE_AHEAD = 32, MOST_FETCHED = 8 * CACHE_LINE };

/* So many elements are gone through between two looks at whether the call has to stop: a few milliseconds at most. */
enum { CHUNK = 1 << 17 };

static inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* How many rows of so many columns (0: just elements) make a stretch, `most` at the most? */
static inline int64_t rows_of_chunk(int64_t most, int64_t columns) {
  return least(most, columns > 1 ? (CHUNK - 1) / columns + 1 : CHUNK); /* small calls do without the division */
}

/* For loops that take a function per element as an argument: inlined, it is a constant, and nothing is called. */
#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* What is due once, and in order, comes into the second cache: some processors do not look far enough ahead by
   themselves. It may lie beyond its tensor, for what is only asked for is not read: hence numbers, no pointers.
   (Inlined, for gcc drops a call that does nothing but ask.) */
ALWAYS_INLINE void prefetch_l2(uintptr_t address, uintptr_t bytes) {
  for (uintptr_t at = 0; at < bytes; at += CACHE_LINE) __builtin_prefetch((const void *)(address + at), 0, 2);
}

/* A loop over elements in order comes to what lies so far behind those that it is at (10 M float32 on Zen 5: their sum
   0.83 ms, 1.2 if they are left to the processor's own sight, their maximum 0.77 and 1.3). */
ALWAYS_INLINE void prefetch_onward(const void *at, const uintptr_t bytes) {
  enum { AHEAD = 8192 };
  prefetch_l2((uintptr_t)at + AHEAD, bytes);
}

/* --------------------------------------------------------------------------------------------------- pool.c */

/* Runs part(argument, 0) .. part(argument, parts - 1) on the context's workers, the caller among them, and returns when
   all are done. Nothing is started for one part or one worker, nor when the call has to stop (interrupt.c): parts that
   are not begun by then are left undone, and those that take long ask for themselves. */
void pool_run(strew_context *context, int64_t parts, void (*part)(void *argument, int64_t i), void *argument);
/* The same, but on the caller's thread alone where the work is too little for threads. */
void pool_run_sized(strew_context *context, int64_t bytes, int64_t parts, void (*part)(void *argument, int64_t i),
                    void *argument);
void pool_destroy(strew_context *context);
/* In how many parts to split work on `bytes` of memory: 1 where threads would cost more than they bring. */
int64_t pool_parts(const strew_context *context, int64_t bytes);
/* The same for work that hardly does more than pass through them, which takes several times as many to be worth it
   (100,000 float32 added in place take one thread 9 us, two 17; 400,000 37 and 36). */
int64_t pool_parts_light(const strew_context *context, int64_t bytes);

/* Where part number `part` of 0..count-1 begins, cut into parts that differ by one at most; `parts` gives the end. */
static inline int64_t part_begin(int64_t count, int64_t parts, int64_t part) {
  int64_t longer = count % parts;
  return count / parts * part + (part < longer ? part : longer);
}

/* --------------------------------------------------------------------------------------------------- walk.c */

/* A row of a plan: `count` coordinates along its last dimension, and for each operand where the first lies and how far
   apart they are. */
struct row {
  int64_t place; /* number of the first one in the plan's row-major order */
  int64_t count;
  char *address[MAX_OPERANDS];
  int64_t step_bytes[MAX_OPERANDS];
};

char *operand_address(const struct operand *operand);
/* From one element to the next along dimension d, in bytes. */
static inline int64_t operand_step(const struct operand *operand, int d) {
  return operand->strides[d] * (int64_t)dtype_bytes(operand->dtype);
}
/* Where coordinate number `place` of the plan, in row-major order, meets operand i. */
char *operand_at(const struct plan *plan, int i, int64_t place);

/* Calls visit(argument, row) for the rows that make up places begin..end-1 of the plan's row-major order; no row is
   longer than `longest`, nor than a CHUNK. Before each of them the walk ends where the call has to stop. */
void walk_rows(const struct plan *plan, int64_t begin, int64_t end, int64_t longest,
               void (*visit)(void *argument, const struct row *row), void *argument);
/* The same over the whole plan, split among the workers; for light visits. They must not depend on one another. */
void walk_rows_parallel(strew_context *context, const struct plan *plan, int64_t longest,
                        void (*visit)(void *argument, const struct row *row), void *argument);
/* The same for visits that are not light, and pass through so many bytes. */
void walk_rows_sized(strew_context *context, const struct plan *plan, int64_t bytes, int64_t longest,
                     void (*visit)(void *argument, const struct row *row), void *argument);
/* So many bytes all its operands have, at all its places. */
int64_t walk_bytes(const struct plan *plan);

/* --------------------------------------------------------------------------------------------------- copy.c */

/* Converts a row of elements by STREW_SATURATE; steps in bytes. */
typedef void convert_row(int64_t count, char *to, int64_t to_step, const char *from, int64_t from_step);
convert_row *converter(strew_dtype to, strew_dtype from);

/* -------------------------------------------------------------------------------------------------- index.c */

/* Is a value not 0 .. size - 1 of what has that size? */
#define OUT_OF_RANGE(of, value) ((uint64_t)(value) >= (uint64_t)(of)->size)
/* Index values as the mode has them: wrapped, clipped, or -1 where they are to be dropped. */
void apply_mode(strew_mode mode, int64_t size, int64_t count, int64_t *values);
/* Are they used where they lie? Values to be dropped are then still any that are not 0 .. size - 1. */
bool index_is_straight(strew_dtype dtype, int64_t step_bytes, strew_mode mode);
/* Those of operand i of a row: where they lie, or in `block`, which has room for them. */
const int64_t *index_values(const struct row *row, int i, strew_dtype dtype, strew_mode mode, int64_t size,
                            int64_t *block);

/* What is read in order: row i asks for what lies at `at` + i `step`, in bytes, long before it is due. */
struct stream {
  uintptr_t at, step;
};
/* Of rows that begin there, and are brought so many at once, or each when it is due (1). Of those that are further
   apart than the widest elements nothing is asked for but the first. */
struct stream stream_of(const char *first, int64_t step_bytes, int64_t at_once);
/* By how many rows of so many bytes places are asked for ahead. */
int64_t rows_fetched_ahead(int64_t row_bytes);
/* Are values so few beside the bytes that they choose from that no processor foresees their places, of a whole that is
   far? */
bool places_are_sparse(const strew_context *context, int64_t values, int64_t range_bytes, int64_t whole_bytes);
/* By how many lines of so many values places are asked for where they are sparse; else 0. (Gathered on Zen 5, 300,000
   lines of 3, each of 100 of its own: 13 ms, 3.6 so; 10,000 of 100 of 1000: 4.0 and 1.6. Of 30 of 100 processors read
   all, and asking takes as long again.) */
int64_t lines_fetched_ahead(const strew_context *context, int64_t values, int64_t range_bytes, int64_t whole_bytes);

strew_status cpu_copy(const struct call *call, strew_device *device, const struct plan *plan);
strew_status cpu_scatter(const struct call *call, strew_device *device, const struct scatter_plan *plan, bool *bad);
strew_status cpu_mean_by_pairs(const struct call *call, strew_device *device, const struct scatter_plan *plan,
                               struct storage *pairs, bool from_identity, int64_t extra, bool *bad);
int64_t cpu_mean_scratch(const strew_device *device, const struct scatter_plan *plan);
strew_status cpu_divide_by_count(const struct call *call, strew_device *device, const struct plan *plan, int64_t extra);
strew_status cpu_gather(const struct call *call, strew_device *device, const struct gather_plan *plan, bool *bad);
strew_status cpu_index_check(const struct call *call, strew_device *device, const struct plan *plan, int64_t lowest,
                             int64_t highest, int64_t *bad);
strew_status cpu_index_range(const struct call *call, strew_device *device, const struct plan *plan,
                             struct index_range *range);
strew_status cpu_elementwise(const struct call *call, strew_device *device, const struct elementwise_plan *plan);
strew_status cpu_find_zero(const struct call *call, strew_device *device, const struct plan *plan, strew_dtype compute,
                           int64_t *place);
strew_status cpu_reduce(const struct call *call, strew_device *device, const struct reduce_plan *plan);
strew_status cpu_cumsum(const struct call *call, strew_device *device, const struct scan_plan *plan);
strew_status cpu_sort(const struct call *call, strew_device *device, const struct sort_plan *plan);
strew_status cpu_nonzero(const struct call *call, strew_device *device, const struct plan *plan, struct operand *out,
                         int64_t *count);
strew_status cpu_random(const struct call *call, strew_device *device, const struct random_plan *plan);
strew_status cpu_ramp(const struct call *call, strew_device *device, const struct ramp_plan *plan);
strew_status cpu_matmul(const struct call *call, strew_device *device, const struct plan *plan, int64_t k);

#endif
